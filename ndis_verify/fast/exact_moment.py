"""log E_P e^{sL} at real s from the inputs themselves, in arithmetic wide enough for any float64 use of it.

With S1, S2 the covariances and H = (1 + s) S2 - s S1 positive definite,
`log E_P e^{sL} = -(s/2) log(det S1/det S2) - (1/2) log(det H/det S2) + (s (s+1)/2) dmu^T H^{-1} dmu` (N26-L1):
no eigenvalue has to be known, and coordinates in which the two laws agree need no care.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from ndis_verify.exact_number import exact, to_mpf

BITS = 640  # of every number here; the exponents below stay under 256


@dataclass(frozen=True, eq=False)
class Inputs:
    """What spectra were rounded from: covariances p, q of shape (n, 1 or d) or (n, d, d), means (n, d), of P and Q.

    Arrays of floats or Fractions, meant exactly; n is the number of pairs, or 1 for an array that they share.
    """

    p: np.ndarray
    q: np.ndarray
    mean_p: np.ndarray
    mean_q: np.ndarray
    _determinants: dict[int, Any] = field(default_factory=dict, repr=False)

    @property
    def dense(self) -> bool:
        return self.p.ndim == 3

    @property
    def size(self) -> int:
        """n."""
        return max(part.shape[0] for part in (self.p, self.q, self.mean_p, self.mean_q))

    def swapped(self) -> Inputs:
        """Those of the pairs (Q, P)."""
        return Inputs(self.q, self.p, self.mean_q, self.mean_p)

    def rows(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """p, q, mean_p, mean_q of some pairs."""
        parts = (self.p, self.q, self.mean_p, self.mean_q)
        return tuple(part[index if part.shape[0] > 1 else np.zeros_like(index)] for part in parts)

    def log_moment(self, row: int, exponent: int) -> mpmath.mpf | None:
        """log E_P e^{sL} at s = 2^exponent of pair `row`; None where it is infinite. Call in `BITS` bits."""
        p, q, mean_p, mean_q = (part[0] for part in self.rows(np.array([row])))
        if not self.dense:
            columns = (_numbers(part, mean_p.size) for part in (p, q, mean_p, mean_q))
            totals: dict[tuple[Any, Any], Any] = defaultdict(int)
            counts: Counter[tuple[Any, Any]] = Counter()
            for first, second, left, right in zip(*columns):
                counts[first, second] += 1
                totals[first, second] += (left - right) ** 2
            ratios = ((k, mpmath.log(a / b), a / b - 1, totals[a, b] / b) for (a, b), k in counts.items())
            return diagonal_log_moment(ratios, exponent)
        scale = [math.frexp(float(v))[1] // 2 for v in np.diagonal(q)]
        first, second = (_fixed(matrix, scale) for matrix in (p, q))
        shift = [_integer(exact(a) - exact(b), -e) for a, b, e in zip(mean_p.tolist(), mean_q.tolist(), scale)]
        if row not in self._determinants:
            self._determinants[row] = tuple(_eliminated(m, shift)[0] for m in (first, second))
        log_first, log_second = self._determinants[row]
        # H / s
        mixed = _eliminated(second - first + (second >> exponent if exponent >= 0 else second << -exponent), shift)
        if mixed is None:
            return None
        s = mpmath.ldexp(1, exponent)
        log_mixed = mixed[0] + len(shift) * exponent * mpmath.log(2)
        return ((s + 1) * mixed[1] - s * (log_first - log_second) - (log_mixed - log_second)) / 2


def diagonal_log_moment(groups: Iterable[tuple[int, Any, Any, Any]], exponent: int) -> mpmath.mpf | None:
    """The same from (multiplicity, log lambda, alpha = lambda - 1, m^2) of every eigenvalue."""
    s, terms = mpmath.ldexp(1, exponent), []
    for count, log, alpha, squared in groups:
        factor = 1 - s * alpha
        if factor <= 0:
            return None
        terms.append(s * (s + 1) * squared / factor - count * (s * log + mpmath.log(factor)))
    return mpmath.fsum(terms) / 2


def _numbers(part: np.ndarray, size: int) -> list[mpmath.mpf]:
    """An input of one pair, spread over its coordinates."""
    return [to_mpf(v if isinstance(v, Fraction) else exact(float(v))) for v in np.broadcast_to(part, size)]


def _integer(value: Any, shift: int) -> int:
    """value 2^(shift + BITS), rounded down."""
    if isinstance(value, float):
        mantissa, exponent = math.frexp(value)
        value, shift = int(math.ldexp(mantissa, 53)), shift + exponent - 53
        return value << (shift + BITS) if shift + BITS >= 0 else value >> -(shift + BITS)
    value = Fraction(value)
    return (value.numerator << max(BITS + shift, 0)) // (value.denominator << max(-BITS - shift, 0))


def _fixed(matrix: np.ndarray, scale: list[int]) -> np.ndarray:
    """Integers, BITS after the point, of the matrix with rows and columns divided by 2^scale."""
    size = len(scale)
    result = np.empty((size, size), dtype=object)
    for i, row in enumerate(matrix.tolist()):
        for j in range(i + 1):
            result[i, j] = result[j, i] = _integer(row[j], -scale[i] - scale[j])
    return result


def _eliminated(matrix: np.ndarray, shift: list[int]) -> tuple[mpmath.mpf, mpmath.mpf] | None:
    """log det M and v^T M^{-1} v of a fixed-point matrix and vector; None if M is not positive definite."""
    size = len(shift)
    # Unit lower triangle L, and L times the pivots: sums of products are rounded once.
    lower, weighted = (np.zeros((size, size), dtype=object) for _ in range(2))
    vector = np.array([*shift, None], dtype=object)[:-1]
    log, quadratic = mpmath.mpf(0), mpmath.mpf(0)
    for k in range(size):
        column = matrix[k:, k]
        if k:
            column = column - ((lower[k:, :k] @ weighted[k, :k]) >> BITS)
            vector[k] -= (lower[k, :k] @ vector[:k]) >> BITS
        pivot = column[0]
        if pivot <= 0:
            return None
        weighted[k:, k], lower[k:, k] = column, (column << BITS) // pivot
        log += mpmath.log(mpmath.ldexp(pivot, -BITS))
        quadratic += mpmath.ldexp(mpmath.mpf(vector[k]) ** 2 / pivot, -BITS)
    return log, quadratic
