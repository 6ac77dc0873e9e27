"""Every bit of a release computed again by another route: mpmath at 60 digits on the normals that the stream gave."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import flint
import mpmath
import numpy as np
from mpmath import mp, mpf

from ndis_verify.claim import Evidence, Outcome
from ndis_verify.mechanisms.exact import grid, noise
from ndis_verify.mechanisms.exact import projection as projected
from ndis_verify.mechanisms.exact.normals import PANEL, PLACES, standard_normals
from ndis_verify.mechanisms.exact.stream import Stream
from ndis_verify.mechanisms.projection_wrappers import ReleaseAfterTest

_DIGITS, _MORE = 60, 300
_ROUTE = "mpmath at 60 digits, from the digits of the same normals"
Numbers = list[mpf]
Route = Callable[[Any, np.ndarray, Stream, float], Numbers]


def normals(stream: Stream, label: str, index: int, count: int) -> Numbers:
    """The normals at an address, to 300 more binary digits than float64 has."""
    batch = standard_normals(stream, label, index, count)
    cells = (batch.cell(k, _MORE) for k in range(count))
    return [mpf(2 * start + width) / mpf(2) ** (33 + PLACES + _MORE) for start, width in cells]


def gaussian(mechanism: Any, data: np.ndarray, stream: Stream, scale: float) -> Numbers:
    return [
        mpf(float(x)) + scale * mpf(mechanism.std) * z
        for x, z in zip(data.ravel(), normals(stream, "noise", 0, data.size))
    ]


def laplace(mechanism: Any, data: np.ndarray, stream: Stream, scale: float) -> Numbers:
    result = []
    for k, value in enumerate(data.ravel()):
        digits = stream.digits("Laplace", 0, k, _MORE + 1)
        uniform = mpf(2 * (digits % 2**_MORE) + 1) / 2 ** (_MORE + 1)
        result.append(
            mpf(float(value)) + (-1 if digits >> _MORE == 0 else 1) * scale * mpf(mechanism.scale) * mp.log(uniform)
        )
    return result


def _projection(data: np.ndarray, ridge: float, r: int, stream: Stream, scale: float) -> Numbers:
    """D^T G + sqrt(ridge) H, row by row."""
    n, d = data.shape
    rows = max(1, PANEL // r)
    found = [mpf(0)] * (d * r)
    for index, start in enumerate(range(0, n, rows)):
        part = data[start : start + rows]
        z = normals(stream, "projection", index, len(part) * r)
        for i in range(d):
            for j in range(r):
                found[i * r + j] += sum((mpf(float(part[k, i])) * z[k * r + j] for k in range(len(part))), mpf(0))
    added = normals(stream, "ridge", 0, d * r) if ridge else [mpf(0)] * (d * r)
    return [scale * (value + mp.sqrt(mpf(ridge)) * extra) for value, extra in zip(found, added)]


def projection(mechanism: Any, data: np.ndarray, stream: Stream, scale: float) -> Numbers:
    return _projection(data, mechanism.ridge, mechanism.calibration.public["r"], stream, scale)


def sample(mechanism: Any, data: np.ndarray, stream: Stream, scale: float) -> Numbers:
    """Kept where the uniform number, 53 digits at a time, is below the rate."""
    rate, uniforms = (
        Fraction(mechanism.calibration.public["rate"]),
        [int(word) >> 11 for word in stream.words("sample", 0, len(data))],
    )
    kept = [Fraction(number, 2**53) < rate for number in uniforms]
    return projection(mechanism, data[kept], stream, scale)


def tested(mechanism: Any, data: np.ndarray, stream: Stream, scale: float) -> Numbers:
    """The reading, rounded down, and the projection above the ridge that it leads to."""
    public, exact = mechanism.calibration.public, mp.matrix(data.tolist())
    reading = (
        min(mp.eigsy(exact.T * exact, eigvals_only=True)) + mpf(public["std"]) * normals(stream, "reading", 0, 1)[0]
    )
    step = mpf(2) ** (math.frexp(public["std"])[1] - 21)
    lowered = float(mp.floor(reading / step) * step)
    matrix = _projection(data, float(mechanism.ridge_at(lowered)), public["r"], stream, scale)
    return [*matrix, mpf(lowered)]


def _least_squares(data: np.ndarray, ridge: float) -> tuple[mp.matrix, mp.matrix, mpf]:
    """(Gram matrix of B above the ridge, x_opt, |w|^2)."""
    exact = mp.matrix(data.tolist())
    gram = exact.T * exact + mpf(ridge) * mp.eye(data.shape[1])
    d = data.shape[1] - 1
    inner, right = gram[:d, :d], gram[:d, d]
    solution = mp.lu_solve(inner, right)
    return inner, solution, gram[d, d] - (right.T * solution)[0]


def least_squares(mechanism: Any, data: np.ndarray, stream: Stream, scale: float) -> Numbers:
    """x_opt plus |w|/sqrt(r), or |w| over the root of a chi-square variate, times C^{-T} z, C the Cholesky factor of
    B^T B.
    """
    r = mechanism.calibration.public["r"]
    inner, solution, square = _least_squares(data, mechanism.ridge)
    z = normals(stream, "coefficients", 0, len(solution))
    sketch = "sketched" in mechanism.calibration.mechanism or mechanism.calibration.public.get("law") == "sketch"
    spread = sum(x * x for x in normals(stream, "chi-square", 0, r - len(solution) + 1)) if sketch else mpf(r)
    moved = mp.lu_solve(mp.cholesky(inner).T, mp.matrix(z)) * mp.sqrt(square / spread)
    return [solution[k] + scale * moved[k] for k in range(len(z))]


def logistic(mechanism: Any, data: np.ndarray, stream: Stream, scale: float) -> Numbers:
    penalty, d = mpf(mechanism.calibration.public["penalty"]), data.shape[1] - 1
    rows, labels = mp.matrix(data[:, :-1].tolist()), [mpf(float(y)) for y in data[:, -1]]
    curvature, point = rows.T * rows / 4 + penalty * mp.eye(d), mp.zeros(d, 1)
    for _ in range(400):
        margins = rows * point
        slope = rows.T * mp.matrix([-y / (1 + mp.exp(y * margins[k])) for k, y in enumerate(labels)]) + penalty * point
        if mp.norm(slope) < mpf(10) ** -50:
            break
        # a majorant's minimum: the objective's second derivative is at most this
        point -= mp.lu_solve(curvature, slope)
    z = normals(stream, "output", 0, 2 * d)
    own = mp.lu_solve(mp.cholesky(curvature).T, mp.matrix(z[:d]))
    return [point[k] + scale * (own[k] + mp.sqrt(mpf(mechanism.added_variance)) * z[d + k]) for k in range(d)]


def process(mechanism: Any, data: np.ndarray, stream: Stream, scale: float) -> Numbers:
    """With the linear kernel."""
    public, inputs = mechanism.calibration.public, mp.matrix(data[:, :-1].tolist())
    query, noise = mp.matrix([float(x) for x in public["query"]]), mpf(public["noise_variance"])
    cross = inputs * query
    inner = inputs * inputs.T + noise * mp.eye(len(data))
    weights = mp.lu_solve(inner, cross)
    mean = sum((weights[k] * mpf(float(data[k, -1])) for k in range(len(data))), mpf(0))
    spread = (query.T * query)[0] - (cross.T * weights)[0] + mpf(mechanism.added_variance)
    return [mean + scale * mp.sqrt(spread) * normals(stream, "output", 0, 1)[0]]


def declared(mechanism: Any, data: np.ndarray, stream: Stream, scale: float) -> Numbers:
    mean, cov = (np.asarray(part, dtype=float) for part in mechanism.output(data))
    factor = mp.cholesky(mp.matrix(cov.tolist()) + mpf(mechanism.added_variance) * mp.eye(len(mean)))
    moved = factor * mp.matrix(normals(stream, "output", 0, len(mean)))
    return [mpf(float(mean[k])) + scale * moved[k] for k in range(len(mean))]


def released(mechanism: Any, data: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """What the mechanism releases under a seed, and the step of each number."""
    found = mechanism.release(data, np.random.default_rng(seed))
    if isinstance(found, ReleaseAfterTest):
        step = 2.0 ** (math.frexp(mechanism.calibration.public["std"])[1] - 21)
        steps = np.append(np.full(found.matrix.size, found.matrix.step), step)
        return np.append(np.asarray(found.matrix).ravel(), found.noised_eigenvalue), steps
    return np.asarray(found).ravel(), np.full(found.size, found.step)


@contextmanager
def undecided(rounding: Fraction = Fraction(1, 2)) -> Iterator[None]:
    """Inside, float64 decides no point of a grid, so that every number goes the way of the few that it leaves open.

    rounding: a fault, the share of a step from which on such a number is rounded up.
    """
    modules = (grid, noise, projected)
    kept = grid.SLACK, grid.nearest
    grid.SLACK = 1.0
    off = flint.arb(rounding.numerator) / rounding.denominator - flint.arb((1, -1))
    for module in modules if rounding != Fraction(1, 2) else ():
        module.nearest = lambda number: kept[1](number - off)  # type: ignore[attr-defined]  # a name of each
    try:
        yield
    finally:
        grid.SLACK = kept[0]
        for module in modules:
            module.nearest = kept[1]  # type: ignore[attr-defined]  # a name of each


def beside_the_middle(mechanism: Any, route: Route, seed: int) -> np.ndarray:
    """Values to which a mechanism, which adds noise to each, adds under this seed what takes them to 2^-2 to 2^-24 of a
    step below and above the middle of two points of its grid.
    """
    offsets = [side * mpf(2) ** -k for k in range(2, 25) for side in (-1, 1)]
    nothing = np.zeros(len(offsets))
    unit = released(mechanism, nothing, seed)[1][0]
    with mpmath.workdps(_DIGITS):
        added = route(mechanism, nothing, Stream(np.random.default_rng(seed)), 1.0)
        return np.array([float((mp.nint(z / unit) + mpf(1) / 2 + o) * unit - z) for z, o in zip(added, offsets)])


def recomputed(
    cases: Callable[[str], list[tuple[Any, np.ndarray]]],
    route: Route,
    scale: float = 1.0,
    step: float = 1.0,
    rounding: Fraction = Fraction(1, 2),
    beside: bool = False,
) -> Callable[[str], Evidence]:
    """`run(effort)`: all released numbers of the cases are the nearest points of the grid, to the nearest float64, to
    what the route finds; once more where float64 is kept from deciding any of them.

    scale, step, rounding: faults, in the noise, in the grid and in what is rounded without float64. beside: the
    mechanism adds noise to each number, and is run on some that land next to the middle of two points, too.
    """

    def run(effort: str) -> Evidence:
        count = 0
        runs = [(seed, *case) for seed, case in enumerate(cases(effort))]
        if beside:
            runs += [(seed, mechanism, beside_the_middle(mechanism, route, seed)) for seed, mechanism, _ in runs]
        for seed, mechanism, data in runs:
            numbers, steps = released(mechanism, data, seed)
            with undecided(rounding):
                again, _ = released(mechanism, data, seed)
            with mpmath.workdps(_DIGITS):
                expected = route(mechanism, np.asarray(data, dtype=float), Stream(np.random.default_rng(seed)), scale)
                for number, other, unit, value in zip(numbers, again, steps, expected, strict=True):
                    count += 1
                    wanted = float(mp.nint(value / (unit * step)) * (unit * step))
                    if not wanted == float(number) == float(other):
                        detail = f"seed {seed}: {float(number)!r}, {float(other)!r} for {mp.nstr(value, 25)}"
                        return Evidence(Outcome.FAILED, _ROUTE, detail, count=count, counted="numbers")
        detail = "every released number is the nearest point of its grid, by float64 and without it"
        return Evidence(Outcome.HELD, _ROUTE, detail, count=count, counted="numbers")

    return run
