"""Least squares: a draw from the law of the solution, each coefficient rounded exactly to a public grid.

With the Cholesky factor [[R^T, 0], [u^T, |w|]] of the Gram matrix of [[B b]; sqrt(ridge) I] the solution is x_opt =
R^{-1} u, and

    x = R^{-1} (u + |w| z/sqrt(r))          is a draw from N(x_opt, (|w|^2/r) (B^T B)^{-1}),
    x = R^{-1} (u + |w| z/sqrt(chi^2_k))    of `(Pi B)^+ Pi b` with Pi r x n standard normal, k = r - d + 1,

as Z^+ z', for independent normal Z (r x d) and z', is N(0, (Z^T Z)^{-1}) given Z: the multivariate Student law
z/sqrt(chi^2_k). No sketch is made, and none can be read out of the release.
"""

from __future__ import annotations

from collections.abc import Callable

import flint
import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.exact.gram import back_substituted, cholesky, gram
from ndis_verify.mechanisms.exact.grid import Release, require_arithmetic, rounded
from ndis_verify.mechanisms.exact.noise import normal_ball
from ndis_verify.mechanisms.exact.normals import LARGEST_SLOPE, PANEL, standard_normals
from ndis_verify.mechanisms.exact.stream import Stream

_ROWS = 256  # squares that float64 adds at a time
_FLOAT_BITS = 128  # up to which a chi-square variate comes from float64
_MOST_BITS = 2**15


def normal_solution(records: np.ndarray, ridge: float, r: int, stream: Stream, exponent: int) -> Release:
    """A draw from N(x_opt, (|w|^2/r)(B^T B)^{-1}) on the multiples of 2^exponent; records [B b] and ridge meant
    exactly. Raises `InputError`.
    """
    return _solution(records, ridge, stream, exponent, lambda bits: flint.arb(r).rsqrt())


def student_solution(records: np.ndarray, ridge: float, r: int, stream: Stream, exponent: int) -> Release:
    """A draw from the law of `(Pi B)^+ Pi b`, Pi r x n standard normal, likewise; r >= d. Raises `InputError`."""
    freedom = r - records.shape[1] + 2
    return _solution(records, ridge, stream, exponent, lambda bits: chi_square(stream, freedom, bits).rsqrt())


def _solution(
    records: np.ndarray, ridge: float, stream: Stream, exponent: int, spread: Callable[[int], flint.arb]
) -> Release:
    require_arithmetic()
    d = records.shape[1] - 1
    normals = standard_normals(stream, "coefficients", 0, d)

    def enclose(bits: int) -> list[flint.arb]:
        factor = cholesky(gram(records, ridge, bits))
        if factor is None:
            if bits > _MOST_BITS:
                raise InputError(
                    "data", f"shape {records.shape}", "must have full column rank, and a residual that is not 0"
                )
            return [flint.arb(0, flint.arb.pos_inf())] * d
        scale = factor[d][d] * spread(bits)
        right = [factor[d][k] + scale * normal_ball(normals, k, bits) for k in range(d)]
        return back_substituted(list(factor[:d]), right)

    return Release(rounded(enclose, exponent), 2.0**exponent, stream.source)


def chi_square(stream: Stream, freedom: int, bits: int) -> flint.arb:
    """The ball of a chi-square variate: the sum of `freedom` squares of standard normals, by float64 with its bound
    where few digits are asked for.

    The sum of 256 squares errs by at most 256 u of itself, u = 2^-53, and a square by 4u (z^2 + 4.5 |z|) of its normal
    and u of itself.
    """
    total = flint.arb(0)
    for index, start in enumerate(range(0, freedom, PANEL)):
        normals = standard_normals(stream, "chi-square", index, min(PANEL, freedom - start))
        if bits > _FLOAT_BITS:
            total += sum((normal_ball(normals, k, bits) ** 2 for k in range(normals.value.size)), flint.arb(0))
            continue
        sizes = np.abs(normals.value)
        for first in range(0, sizes.size, _ROWS):
            part = sizes[first : first + _ROWS]
            square, plain = float(np.square(part).sum()), float(part.sum())
            lost = 2.0**-53 * ((_ROWS + 8) * square + 4 * LARGEST_SLOPE * plain) * (1 + 1e-9) + 2.0**-90
            total += flint.arb(square, lost)
    return total
