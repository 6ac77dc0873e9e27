"""Outputs with a normal law that is computed from the data: each entry of a draw is rounded exactly to a public grid.

A law is given as a function of the normals, in balls that shrink as bits are added: `draw(bits, z)` encloses the d
numbers that the normals z lead to.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import flint
import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.exact import grid
from ndis_verify.mechanisms.exact.gram import back_substituted, cholesky, gram
from ndis_verify.mechanisms.exact.grid import Release, require_arithmetic, rounded
from ndis_verify.mechanisms.exact.noise import normal_ball
from ndis_verify.mechanisms.exact.normals import standard_normals
from ndis_verify.mechanisms.exact.stream import Stream

Draw = Callable[[int, list[flint.arb]], list[flint.arb]]
_ROWS = 1024
_MOST_BITS = 2**11
_STEPS = 1000


def release_draw(draw: Draw, normals: int, stream: Stream, exponent: int) -> Release:
    """What `draw` makes of that many independent standard normals, on the multiples of 2^exponent."""
    require_arithmetic()
    batch = standard_normals(stream, "output", 0, normals)

    def enclose(bits: int) -> list[flint.arb]:
        return draw(bits, [normal_ball(batch, k, bits) for k in range(normals)])

    return Release(rounded(enclose, exponent), 2.0**exponent, stream.source)


def float_law(mean: np.ndarray, cov: np.ndarray, variance: float) -> tuple[Draw, int]:
    """N(mean, cov + variance I), floats or Fractions meant exactly, cov by the mean of its two triangles; and how many
    normals it takes.

    `draw` raises `InputError` where that covariance is not positive definite.
    """

    def draw(bits: int, z: list[flint.arb]) -> list[flint.arb]:
        size = len(mean)
        matrix = [[(_ball(cov[i, j]) + _ball(cov[j, i])) / 2 for j in range(size)] for i in range(size)]
        for i in range(size):
            matrix[i][i] += flint.arb(variance)
        factor = cholesky(matrix)
        if factor is None:
            if bits > _MOST_BITS:
                raise InputError(
                    "output",
                    f"shape {cov.shape}",
                    "must have a covariance that is positive definite with the added variance",
                )
            return [undecided()] * size
        return [sum((factor[i][k] * z[k] for k in range(i + 1)), _ball(mean[i])) for i in range(size)]

    return draw, len(mean)


def _ball(number: float | Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(*number.as_integer_ratio()))


def logistic_law(
    features: np.ndarray, labels: np.ndarray, penalty: float, start: np.ndarray, variance: float
) -> tuple[Draw, int]:
    """N(mu, S + variance I) of N26-D7: mu the minimiser of sum log(1 + e^{-y x^T theta}) + penalty |theta|^2/2, S =
    (penalty I + X^T X/4)^{-1}.

    The objective is strongly convex, so the minimiser lies within |gradient|/penalty of any point: of what Newton's
    method makes of `start`, best a float64 solution. The draw is mu + 2 L^{-T} z + sqrt(variance) z', L the Cholesky
    factor of X^T X + 4 penalty I.
    """
    signed, d = features * labels[:, None], features.shape[1]

    def draw(bits: int, z: list[flint.arb]) -> list[flint.arb]:
        first = start if bits == grid.FIRST_BITS else np.zeros(d)  # what float64 may have made of it is not relied on
        mean, factor = _minimiser(signed, penalty, first, bits), cholesky(gram(features, 4 * penalty, bits))
        if mean is None or factor is None:
            return [undecided()] * d
        own, root = back_substituted(factor, z[:d]), flint.arb(variance).sqrt()
        return [mean[i] + 2 * own[i] + root * z[d + i] for i in range(d)]

    return draw, 2 * d


def _minimiser(signed: np.ndarray, penalty: float, start: np.ndarray, bits: int) -> list[flint.arb] | None:
    """The minimiser in balls, by Newton's method in as many digits; None where these are too few.

    A step is cut so that no s_i^T theta comes nearer to 0 by more than 1/2: the curvature along it stays below e^{1/2}
    times that at its start, and the objective falls by at least 1 - e^{1/2}/2 of what Newton's model says, wherever it
    starts.
    """
    point = [flint.arb(float(x)) for x in start]
    goal = flint.arb((1, -bits // 2)) / flint.arb(penalty).sqrt()
    for _ in range(_STEPS):
        margins, moves, gradient, step = _newton(signed, penalty, point)
        distance = sum((x.abs_upper() for x in gradient), flint.arb(0)) / flint.arb(penalty)
        if step is None or not distance.is_finite():
            return None
        if distance <= goal or not any(abs(move) > abs(x) * flint.arb((1, 8 - bits)) for x, move in zip(point, step)):
            return [x + flint.arb(0, distance.upper()) for x in point]
        nearer = [2 * abs(move).mid() for x, move in zip(margins, moves) if x * move > 0.25 and 2 * abs(x) > 1]
        cut = max([flint.arb(1), *nearer])
        point = [(x - move / cut).mid() for x, move in zip(point, step)]
    return None


def _newton(
    signed: np.ndarray, penalty: float, point: list[flint.arb]
) -> tuple[list[flint.arb], list[flint.arb], list[flint.arb], list[flint.arb] | None]:
    """(s_i^T theta, s_i^T step, gradient penalty theta - sum s_i/(1 + e^{s_i^T theta}), step), s_i = y_i x_i.

    The step is None where there are not digits enough for it.
    """
    size, theta = range(len(point)), flint.arb_mat([[x] for x in point])
    margins: list[flint.arb] = []
    gradient, curvature = theta * flint.arb(penalty), flint.arb_mat([[penalty * (i == j) for j in size] for i in size])
    blocks = [flint.arb_mat(signed[first : first + _ROWS].tolist()) for first in range(0, len(signed), _ROWS)]
    for rows in blocks:
        here = (rows * theta).entries()
        odds = [(-abs(x)).exp() for x in here]
        chances = [t / (1 + t) if x > 0 else 1 / (1 + x.exp()) for x, t in zip(here, odds)]
        weighted = [[t / (1 + t) ** 2 * x for x in row] for t, row in zip(odds, rows.tolist())]
        gradient -= rows.transpose() * flint.arb_mat([[p] for p in chances])
        curvature += rows.transpose() * flint.arb_mat(weighted)
        margins += here
    try:
        step = curvature.solve(gradient)
    except ZeroDivisionError:
        return margins, [], gradient.entries(), None
    return margins, [x for rows in blocks for x in (rows * step).entries()], gradient.entries(), step.entries()


def prediction_law(
    balls: Callable[[int], flint.arb_mat], labels: np.ndarray, noise: float, variance: float, most: float
) -> tuple[Draw, int]:
    """N(mu, S + variance) of N26-D8: mu = k^T (K + noise I)^{-1} y, S = k** - k^T (K + noise I)^{-1} k.

    balls(bits): the kernel matrix of the inputs and, last, the query. `draw` raises `InputError` where its diagonal is
    not at most `most`, and where the variance is not positive.
    """
    n = len(labels)

    def draw(bits: int, z: list[flint.arb]) -> list[flint.arb]:
        matrix = balls(bits)
        prior = matrix[n, n]
        above = [k for k in range(n + 1) if not matrix[k, k] <= flint.arb(most)]
        if above and (bits > _MOST_BITS or matrix[above[0], above[0]] > flint.arb(most)):
            raise InputError(
                "kernel", float(matrix[above[0], above[0]].mid()), f"k(x, x) must be at most norm_bound^2 = {most:g}"
            )
        if above:
            return [undecided()]
        mean, spread = flint.arb(0), prior + flint.arb(variance)
        if n:
            inner = flint.arb_mat(
                [[matrix[i, j] + (flint.arb(noise) if i == j else 0) for j in range(n)] for i in range(n)]
            )
            cross = [matrix[i, n] for i in range(n)]
            try:
                solved = inner.solve(
                    flint.arb_mat([[value, flint.arb(float(label))] for value, label in zip(cross, labels)])
                )
            except ZeroDivisionError:
                return [undecided()]
            for i, value in enumerate(cross):
                spread -= value * solved[i, 0]
                mean += value * solved[i, 1]
        if spread <= 0:
            raise InputError(
                "kernel",
                f"posterior variance {float(spread.mid()):g}",
                "must be positive semidefinite, and vary at the query",
            )
        return [mean + spread.sqrt() * z[0]] if spread > 0 else [undecided()]

    return draw, 1


def undecided() -> flint.arb:
    """A ball that holds every number."""
    return flint.arb(0, flint.arb.pos_inf())
