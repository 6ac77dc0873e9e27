"""Least squares made private by a public ridge: a draw from its limiting normal law, or a Gaussian sketch itself
(N24-Fig4, Fig11).

Above the ridge, D = [[B b]; sqrt(ridge) I], every record has leverage p <= q <= cap = l^2/(l^2 + ridge), in B and in [B
b]; a lone record of norm l has q = cap with any p below. The largest divergence over that set is on its edge q = cap
(N24-T5-worst-case, N24-6.3-worst-case): one search over p.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError, as_float
from ndis_verify.fast.accuracy import digits, promise
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick
from ndis_verify.fast.least_squares.finite_law import als_exact_hockey_stick
from ndis_verify.fast.least_squares.worst_case import WorstRecord, als_cap, als_worst_case
from ndis_verify.fast.least_squares.worst_record import als_exact_cap, als_exact_worst_case
from ndis_verify.mechanisms.calibration import (
    Calibration,
    Certificate,
    Target,
    choice,
    columns,
    number,
    ordinary,
    raised,
    require_kind,
    whole,
)
from ndis_verify.mechanisms.exact.grid import Release, grid_exponent, releasing
from ndis_verify.mechanisms.exact.solutions import normal_solution, student_solution
from ndis_verify.mechanisms.exact.stream import Stream
from ndis_verify.mechanisms.random_projection import ADD_REMOVE, proper_target
from ndis_verify.mechanisms.record_shares import RecordShares
from ndis_verify.mechanisms.records import database
from ndis_verify.mechanisms.white_box import OutputLaw, WorstNeighbour

Law = Literal["normal", "sketch"]
Noise = Literal["worst case", "N24-Fig4", "N24-Fig4 corner"]
NOISES = ("worst case", "N24-Fig4", "N24-Fig4 corner")
DIRECTIONS = ("delete", "insert")


@dataclass(frozen=True)
class LeastSquares:
    """`x ~ N(x_opt, (|w|^2/r) (B^T B)^{-1})` of the database above its ridge, w the residual: M_LS of N24-Fig4."""

    calibration: Calibration

    def __post_init__(self) -> None:
        require_kind(self.calibration, ("least squares",), "ridge")

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> Release:
        """The d coefficients, rounded exactly to a public grid. `data`: [B b], n x (d+1), every norm within the public
        bound.

        Raises `InputError`, `UnsafeRelease`.
        """
        self.calibration.require_safe()
        exponent = grid_exponent(coefficient_scale(self.calibration), "ridge")
        return normal_solution(self._records(data), self.ridge, self.calibration.public["r"], Stream(rng), exponent)

    def output_law(self, data: Any) -> OutputLaw:
        """N(x_opt, (|w|^2/r)(B^T B)^{-1}): what `release` samples from."""
        return normal_law(self._records(data), self.ridge, self.calibration.public["r"])

    @property
    def ridge(self) -> float:
        """The variance sigma^2 whose root stands on the diagonal below the records, public."""
        return self.calibration.noise["ridge"]

    def worst_record(self, data: Any, epsilon: float | None = None) -> WorstNeighbour:
        """The record of `data` whose deletion or insertion costs most, from the actual output laws; by default at the
        target's epsilon.
        """
        public, target = self.calibration.public, self.calibration.target
        return worst_record(
            als_hockey_stick,
            self._records(data),
            self.ridge,
            public["r"],
            target.epsilon if epsilon is None else epsilon,
        )

    def _records(self, data: Any) -> np.ndarray:
        return _database(data, self.calibration)


@dataclass(frozen=True)
class SketchedLeastSquares:
    """`(Pi B)^+ Pi b` of the database above its ridge, Pi r x (n+d+1) standard normal: M_ALS of N24-Fig11.

    The output is a multivariate Student law, whose privacy loss is bounded: the guarantee is not asymptotic.
    """

    calibration: Calibration

    def __post_init__(self) -> None:
        require_kind(self.calibration, ("sketched least squares",), "ridge")

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> Release:
        """The d coefficients, rounded exactly to a public grid, drawn from their Student law: no sketch is made.

        `data` as in `LeastSquares`. Raises `InputError`, `UnsafeRelease`.
        """
        self.calibration.require_safe()
        exponent = grid_exponent(coefficient_scale(self.calibration), "ridge")
        return student_solution(
            _database(data, self.calibration), self.ridge, self.calibration.public["r"], Stream(rng), exponent
        )

    @property
    def ridge(self) -> float:
        """The variance sigma^2 whose root stands on the diagonal below the records, public."""
        return self.calibration.noise["ridge"]

    def worst_record(self, data: Any, epsilon: float | None = None) -> WorstNeighbour:
        """As `LeastSquares.worst_record`, from the finite-r laws of the sketched solution."""
        public, target = self.calibration.public, self.calibration.target
        records = _database(data, self.calibration)
        return worst_record(
            als_exact_hockey_stick, records, self.ridge, public["r"], target.epsilon if epsilon is None else epsilon
        )


def coefficient_scale(calibration: Calibration) -> float:
    """About the least standard deviation of a coefficient beside up to 2^20 records, a public number: it fixes the
    grid.
    """
    public, ridge = calibration.public, calibration.noise["ridge"]
    return math.sqrt(ridge / public["r"] / (ridge + 2.0**20 * public["norm_bound"] ** 2))


@keyword_only
def least_squares(
    d: Any, r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, noise: Noise = "worst case"
) -> LeastSquares:
    """Least squares by its limiting normal law, (epsilon, delta)-DP for rows of [B b] of norm at most `norm_bound` = l
    (N24-Fig4).

    noise "worst case": the least ridge for which the largest divergence over p <= q <= l^2/(l^2 + ridge) meets the
    target (corrected N24-T5). "N24-Fig4": leverage and residual share both l^2/ridge; "N24-Fig4 corner": leverage 0, q
    = l^2/ridge, two readings of a test whose display is lost, unsafe where the worst record exceeds the target. d
    features, whole r >= 1, epsilon >= 0, 0 < delta < 1. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import least_squares
    >>> print(f"{least_squares(3, 50, epsilon=1.0, delta=1e-3, norm_bound=1.0).ridge:.5f}")
    9.39959
    """
    d, r, target, length = (
        whole(d, "d"),
        columns(r),
        proper_target(epsilon=epsilon, delta=delta),
        ordinary(norm_bound, "norm_bound"),
    )
    choice(noise, "noise", NOISES)
    if noise == "worst case":
        ridge = float(least_ridge(length, d, r, epsilon=target.epsilon, delta=target.delta))
    else:
        ridge = _printed_ridge(d, r, target.epsilon, target.delta, noise) * length**2
    calibration = _calibrated(als_worst_case, "least squares", d, r, target, length, ridge, noise)
    return LeastSquares(calibration)


@keyword_only
def sketched_least_squares(d: Any, r: Any, *, epsilon: Any, delta: Any, norm_bound: Any) -> SketchedLeastSquares:
    """Least squares by a Gaussian sketch of r rows, (epsilon, delta)-DP by its exact finite-r law (N24-Fig11,
    N24-6.3-exact-law).

    The least ridge for which the largest divergence over p <= q <= l^2/(l^2 + ridge) meets the target; delta = 0 is
    allowed (pure DP, ridge l^2/(e^{2 epsilon/r} - 1)). r >= d; other arguments as `least_squares`. norm_bound: of every
    record [B b]. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import sketched_least_squares
    >>> print(f"{sketched_least_squares(3, 50, epsilon=1.0, delta=1e-3, norm_bound=1.0).ridge:.5f}")
    8.22258
    """
    d, r, length = whole(d, "d"), columns(r), ordinary(norm_bound, "norm_bound")
    target = Target(epsilon=epsilon, delta=delta)
    if target.delta:
        proper_target(epsilon=epsilon, delta=delta)
    elif target.epsilon == 0:
        raise InputError("epsilon", epsilon, "must be positive for delta = 0")
    ridge = float(least_ridge(length, d, r, epsilon=target.epsilon, delta=target.delta, law="sketch"))
    return SketchedLeastSquares(
        _calibrated(als_exact_worst_case, "sketched least squares", d, r, target, length, ridge, "worst case")
    )


@keyword_only
def least_ridge(norm_bound: Any, d: int, r: Any, *, epsilon: Any, delta: Any, law: Law = "normal") -> np.ndarray:
    """The least ridge of `least_squares` ("normal") or `sketched_least_squares` ("sketch"); all but d broadcast.

    On the safe side: the worst record beside it, raised by what the search may miss, was seen to be at most delta.
    norm_bound > 0 with a square that is an ordinary float; the rest as in the curves. inf where no float is large
    enough. Raises `InputError`.
    """
    cap_of, worst_of = (als_cap, als_worst_case) if law == "normal" else (als_exact_cap, als_exact_worst_case)
    length, r, epsilon, delta = (np.array(x, dtype=float) for x in np.broadcast_arrays(norm_bound, r, epsilon, delta))
    if (delta >= 1).any():
        raise InputError("delta", float(delta.max()), "must be less than 1")
    cap = np.asarray(cap_of(d, r, epsilon=epsilon, delta=delta * (1 - 2 * search_error(r, law))))
    flat = [x.ravel() for x in (length, r, epsilon, delta)]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        ridge = ((1 - cap) / cap * (1 + 1e-15) * length**2).ravel()
    error = search_error(r, law).ravel()
    todo, step = np.flatnonzero(np.isfinite(ridge)), 1e-14
    while todo.size:
        part = [x[todo] for x in flat]
        worst = worst_of(_cap_beside(part[0], ridge[todo]), d, part[1], part[2])
        todo = todo[~(worst.delta * (1 + error[todo]) <= part[3])]
        ridge[todo], step = ridge[todo] * (1 + step), 4 * step
    return ridge.reshape(length.shape)[()]


def search_error(r: Any, law: Law) -> np.ndarray:
    """Relative, on delta: how far the search for the worst record may fall short."""
    if law == "normal":
        return np.full(np.shape(r), promise("als_worst_case"))
    return promise("als_exact_worst_case") + promise("als_exact_hockey_stick, a row") * np.asarray(r, dtype=float)


def _triangle(records: np.ndarray, ridge: float) -> np.ndarray:
    """R with R^T R = [B b]^T [B b] + ridge I."""
    return np.asarray(np.linalg.qr(_augmented(records, ridge), mode="r"))


def solved(records: np.ndarray, ridge: float) -> tuple[np.ndarray, float, np.ndarray]:
    """(x_opt, |w|, R with R^T R = B^T B) of [[B b]; sqrt(ridge) I]."""
    d = records.shape[1] - 1
    triangle = _triangle(records, ridge)
    return (
        scipy.linalg.solve_triangular(triangle[:d, :d], triangle[:d, d]),
        abs(float(triangle[d, d])),
        triangle[:d, :d],
    )


def normal_law(records: np.ndarray, ridge: float, r: int) -> OutputLaw:
    """N(x_opt, (|w|^2/r)(B^T B)^{-1}) of the records above the ridge, held exactly: to 2^-200 of every standard
    deviation. Raises `InputError`.
    """
    exactly = RecordShares(records, records[:0]).normal_law(ridge, r)
    try:
        mean, cov = (as_float(part) for part in exactly)
    except OverflowError:
        raise InputError("data", f"shape {records.shape}", "must have a solution within float64's range") from None
    return OutputLaw(mean, cov, exact=exactly)


def record_leverages(
    records: np.ndarray, ridge: float, others: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(p, q) of every record above the ridge: its leverage in B and in [B b], one factorisation for all (N24-P4).

    `others`: for records that would come in, their (p, q) in the database with them, h/(1 + h).
    """
    d = records.shape[1] - 1
    triangle = _triangle(records, ridge)
    wanted = records if others is None else others
    with np.errstate(all="ignore"):
        coordinates = scipy.linalg.solve_triangular(triangle, wanted.T, trans="T", check_finite=False) ** 2
        p, q = coordinates[:d].sum(axis=0), coordinates.sum(axis=0)
        if others is not None:
            # With u added: q = H/(1 + H); the share of the residual in B alone is h/(1 + h).
            p, q = p / (1 + p), q / (1 + q)
    p, q = np.where(np.isfinite(p), p, 1.0), np.where(np.isfinite(q), q, 1.0)  # beyond float64's range
    return np.minimum(p, q), np.minimum(q, 1.0)


def worst_record(
    curve: Callable[..., Any],
    records: np.ndarray,
    ridge: float,
    r: int,
    epsilon: float,
    others: np.ndarray | None = None,
) -> WorstNeighbour:
    """The single-record change that costs most, from the (p, q) of every record; delta 1 where q = 1."""
    if not len(records if others is None else others):
        raise InputError("data", "no rows", "must have a row to change")
    epsilon = number(epsilon, "epsilon", 0.0, 1e300)
    p, q = record_leverages(records, ridge, others)
    d = records.shape[1] - 1
    worst = WorstNeighbour(0, "delete", -1.0)
    if (q >= 1).any():
        return WorstNeighbour(int(np.argmax(q)), "delete", 1.0)
    for direction in DIRECTIONS:
        deltas = np.asarray(curve(p, q, d, r, epsilon, direction))
        if not deltas.max() <= worst.delta:
            worst = WorstNeighbour(int(deltas.argmax()), direction, float(deltas.max()))
    return worst


def certificate(worst: WorstRecord, cap: float, d: int, r: int, error: float) -> Certificate:
    """The worst record below a cap, rounded up by what its search may miss."""
    where = {
        "leverage": float(worst.leverage),
        "augmented_leverage": cap,
        "d": d,
        "r": r,
        "direction": str(worst.direction),
    }
    delta = raised(float(worst.delta), error) if worst.log_delta > -math.inf else 0.0
    return Certificate(
        "worst record of p <= q <= cap (corrected N24-T5)", where, delta, digits(promise("als_worst_case"))
    )


def _calibrated(
    search: Callable[..., WorstRecord], name: str, d: int, r: int, target: Any, length: float, ridge: float, noise: str
) -> Calibration:
    cap = float(_cap_beside(length, ridge))
    if not (0 < ridge < math.inf and 0 < cap < 1):
        raise InputError("delta", target.delta, "must leave a finite ridge and a cap below 1")
    error = float(search_error(r, "normal" if search is als_worst_case else "sketch"))
    why = certificate(search(cap, d, r, target.epsilon), cap, d, r, error)
    unsafe = f"its worst record has delta {why.delta:.3g}" if noise != "worst case" and why.delta > target.delta else ""
    public = {"norm_bound": length, "d": d, "r": r}
    return Calibration(f"{name}, {noise}", ADD_REMOVE, public, target, {"ridge": ridge}, why, unsafe)


def _cap_beside(length: Any, ridge: Any) -> np.ndarray:
    """l^2/(l^2 + ridge), rounded up."""
    return length**2 / (length**2 + ridge) * (1 + 4e-16)


def _printed_ridge(d: int, r: int, epsilon: float, delta: float, noise: str) -> float:
    """ridge/l^2 of a printed test: the largest c = l^2/ridge at which its one record meets delta in both directions."""
    corner = noise == "N24-Fig4 corner"

    def excess(log_c: float) -> float:
        c = math.exp(log_c)
        p, q = (0.0, c) if corner else (c, 2 * c)
        return max(float(als_hockey_stick(p, q, d, r, epsilon, direction)) for direction in DIRECTIONS) - delta

    low, high = math.log(1e-18), math.log((1 if corner else 0.5) * (1 - 1e-12))
    if excess(high) <= 0:
        return math.exp(-high)
    if excess(low) > 0:
        raise InputError("delta", delta, "is met by the printed test at no ridge below 1e18 norm bounds squared")
    root = scipy.optimize.brentq(excess, low, high, xtol=1e-13)
    while excess(root) > 0:
        root -= 1e-13
    return math.exp(-root)


def _augmented(records: np.ndarray, ridge: float) -> np.ndarray:
    return np.vstack([records, math.sqrt(ridge) * np.eye(records.shape[1])])


def _database(data: Any, calibration: Calibration) -> np.ndarray:
    records = database(data, calibration.public["norm_bound"])
    width = calibration.public["d"] + 1
    if records.shape[1] != width:
        raise InputError(
            "data", f"shape {records.shape}", f"must have {width} columns: {width - 1} features, then the target"
        )
    return records
