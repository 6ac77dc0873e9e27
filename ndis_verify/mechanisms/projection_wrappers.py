"""Random projection behind a Poisson sample (N26-Fig3), and with a ridge lowered after a private test (N26-Fig4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError
from ndis_verify.fast.accuracy import margin, promise
from ndis_verify.fast.hockey_stick import epsilon_for_delta
from ndis_verify.fast.mean_shift import gaussian_hockey_stick, gaussian_std
from ndis_verify.fast.random_projection import rp_ridge, rp_ridge_hockey_stick, sampled_epsilon
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.mechanisms.calibration import (
    Calibration,
    Certificate,
    choice,
    columns,
    number,
    ordinary,
    positive,
    raised,
    require_kind,
)
from ndis_verify.mechanisms.exact.eigenvalue import noised_eigenvalue
from ndis_verify.mechanisms.exact.grid import Release, grid_exponent, releasing
from ndis_verify.mechanisms.exact.stream import Stream
from ndis_verify.mechanisms.random_projection import (
    ADD_REMOVE,
    Ridge,
    certificate,
    projected,
    proper_target,
    ridge_level,
    ridged_law,
    rounded_up,
)
from ndis_verify.mechanisms.records import database, number_array
from ndis_verify.mechanisms.white_box import OutputLaw

TestRidge = Literal["smallest", "N26-Fig4"]


@dataclass(frozen=True)
class SubsampledRandomProjection:
    """Every record is kept with probability `rate`, independently; the kept ones are projected above the ridge."""

    calibration: Calibration

    def __post_init__(self) -> None:
        require_kind(self.calibration, ("random projection of a Poisson sample",), "ridge")

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> Release:
        """The d x r matrix, rounded exactly; which records were kept is not told. Raises `InputError`,
        `UnsafeRelease`.
        """
        self.calibration.require_safe()
        public = self.calibration.public
        records = database(data, public["norm_bound"])
        stream = Stream(rng)
        kept = sampled(len(records), public["rate"], stream)
        return projected(records[kept], self.ridge, public["r"], stream, math.sqrt(self.ridge) or public["norm_bound"])

    def output_law(self, data: Any, kept: Any) -> OutputLaw:
        """The law given the sample: `kept` is one boolean for each record. The release is the mixture over
        all samples.
        """
        records = database(data, self.calibration.public["norm_bound"])
        try:
            chosen = np.asarray(kept)
        except ValueError:
            raise InputError("kept", type(kept).__name__, "must be one boolean for each record") from None
        if chosen.dtype != bool or chosen.shape != (len(records),):
            raise InputError("kept", f"{chosen.dtype} of shape {chosen.shape}", "must be one boolean for each record")
        return ridged_law(records[chosen], self.ridge, self.calibration.public["r"])

    @property
    def ridge(self) -> float:
        """The variance added to every coordinate, public; 0 where delta >= rate."""
        return self.calibration.noise["ridge"]


@keyword_only
def subsampled_random_projection(
    rate: Any, r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, ridge: Ridge = "smallest"
) -> SubsampledRandomProjection:
    """Poisson sampling at `rate` = q, then `random_projection` at eps' = log(1 + (e^eps - 1)/q), delta' = delta/q
    (N26-T5.3).

    The target is met exactly by a lone record of norm l under the smallest ridge. For delta >= q two neighbours are
    within q in total variation whatever is done to the sample, and there is no ridge. 0 < q <= 1; the rest as
    `random_projection`. r, epsilon, delta, norm_bound, ridge: as there. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import subsampled_random_projection
    >>> print(f"{subsampled_random_projection(0.1, 5, epsilon=1.0, delta=1e-3, norm_bound=1.0).ridge:.8f}")
    1.58145190
    """
    share = number(rate, "rate", 0.0, 1.0, math.inf)
    if share == 0:
        raise InputError("rate", rate, "must be positive")
    r, target, length = columns(r), proper_target(epsilon=epsilon, delta=delta), ordinary(norm_bound, "norm_bound")
    if target.delta >= share:
        noise = {"ridge": 0.0}
        why = Certificate("the two samples differ with probability q at most (N26-T5.3)", {"rate": share}, share)
    else:
        inner = float(sampled_epsilon(epsilon=target.epsilon, rate=share))
        level = ridge_level(length, r, epsilon=inner, delta=target.delta / share * (1 - 4e-16), ridge=ridge)
        noise = {"ridge": level, "inner_epsilon": inner}
        lone = certificate(length, level, r, inner)
        why = Certificate(
            "q times the " + lone.bound, {**lone.worst_case, "rate": share}, min(share * lone.delta * (1 + 4e-16), 1.0)
        )
    return SubsampledRandomProjection(
        Calibration(
            mechanism=f"random projection of a Poisson sample, {ridge} ridge",
            adjacency=ADD_REMOVE,
            public={"norm_bound": length, "r": r, "rate": share},
            target=target,
            noise=noise,
            certificate=why,
        )
    )


def sampled(count: int, rate: float, stream: Stream) -> np.ndarray:
    """`count` booleans, each True with probability exactly `rate`, a binary fraction: its digits against random ones,
    53 at a time.

    One uniform float64 would be below a rate with a probability rounded up to a multiple of 2^-53.
    """
    kept, undecided, left, turn = np.zeros(count, dtype=bool), np.arange(count), Fraction(rate), 0
    while undecided.size and left:
        left *= 2**53
        digits = math.floor(left)
        left -= digits
        drawn = stream.words("sample", turn, undecided.size) >> 11
        turn += 1
        kept[undecided[drawn < digits]] = True
        undecided = undecided[drawn == digits]
    return kept


@dataclass(frozen=True)
class ReleaseAfterTest:
    """`matrix`: d x r. `noised_eigenvalue`: the private reading of lambda_min(D^T D), rounded down. `ridge`: what it
    led to.
    """

    matrix: Release
    noised_eigenvalue: float
    ridge: float


@dataclass(frozen=True)
class ProposeTestRelease:
    """The ridge is lowered by a private lower bound on lambda_min(D^T D); reading and projection are both released."""

    calibration: Calibration

    def __post_init__(self) -> None:
        require_kind(self.calibration, ("random projection after a test",), "full_ridge")

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> ReleaseAfterTest:
        """Reads the least eigenvalue with noise, then projects above `ridge_at` that, on the grid of the full ridge.
        Raises `InputError`, `UnsafeRelease`.
        """
        self.calibration.require_safe()
        public = self.calibration.public
        records = database(data, public["norm_bound"])
        stream = Stream(rng)
        noised = noised_eigenvalue(records, public["std"], stream, grid_exponent(public["std"], "std"))
        ridge, scale = float(self.ridge_at(noised)), math.sqrt(self.calibration.noise["full_ridge"])
        return ReleaseAfterTest(projected(records, ridge, public["r"], stream, scale), noised, ridge)

    def ridge_at(self, noised_eigenvalue: Any) -> np.ndarray:
        """`max(l^2/p* - max(b, 0), 0)`, b = reading - std z_P (N26-Fig4); "smallest" has l^2 in place of that 0 under
        b. Rounded up.
        """
        public, noise = self.calibration.public, self.calibration.noise
        taken_off = np.nextafter(public["std"] * noise["quantile"], np.inf)
        bound = np.nextafter(number_array(noised_eigenvalue, "noised_eigenvalue") - taken_off, -np.inf)
        floor = public["norm_bound"] ** 2 if public["ridge"] == "smallest" else 0.0
        left = noise["full_ridge"] - np.maximum(bound, floor)
        return np.where(left <= 0, 0.0, np.nextafter(left, np.inf))[()]

    def output_law(self, data: Any, noised_eigenvalue: float) -> OutputLaw:
        """The law of the matrix given the reading, which is N(lambda_min(D^T D), std^2)."""
        records = database(data, self.calibration.public["norm_bound"])
        reading = number(noised_eigenvalue, "noised_eigenvalue", -math.inf, math.inf)
        return ridged_law(records, float(self.ridge_at(reading)), self.calibration.public["r"])


@keyword_only
def propose_test_release(
    r: Any,
    *,
    epsilon: Any,
    delta: Any,
    norm_bound: Any,
    std: Any,
    delta_test: Any,
    delta_failure: Any,
    ridge: TestRidge = "smallest",
) -> ProposeTestRelease:
    """Propose-test-release on the least eigenvalue, then random projection (N26-Fig4, N26-T5.4).

    delta = delta_test + delta_R + delta_failure, delta_R being what is left. The test adds N(0, std^2) to an eigenvalue
    of sensitivity l^2 and spends eps_T at delta_test; the projection has eps - eps_T and delta_R. A split with eps_T >
    epsilon is refused: clamping eps - eps_T at 0 would give (eps_T, delta), not (epsilon, delta). ridge "smallest" is
    N26-T5.4-smaller-ridge, "N26-Fig4" the printed one. `planned_split` finds a good split. r, norm_bound: as in
    `random_projection`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import propose_test_release
    >>> from ndis_verify.mechanisms import planned_split
    >>> split = planned_split(10, epsilon=1.0, delta=1e-3, norm_bound=1.0)
    >>> mechanism = propose_test_release(
    ...     10, epsilon=1.0, delta=1e-3, norm_bound=1.0,
    ...     std=split.std, delta_test=split.delta_test, delta_failure=split.delta_failure,
    ... )
    >>> mechanism.calibration.certificate.delta <= 1e-3
    True
    """
    r, target, length, spread = (
        columns(r),
        proper_target(epsilon=epsilon, delta=delta),
        ordinary(norm_bound, "norm_bound"),
        positive(std, "std"),
    )
    choice(ridge, "ridge", ("smallest", "N26-Fig4"))
    test, failure = (
        positive(value, name) for value, name in ((delta_test, "delta_test"), (delta_failure, "delta_failure"))
    )
    release = _left_for_release(target.delta, test, failure)
    spent, test_delta = _test_cost(length**2, spread, target.epsilon, test)
    left = math.nextafter(target.epsilon - spent, 0.0)
    full = ridge_level(length, r, epsilon=left, delta=release, ridge="N26-Fig1")
    lone = rounded_up(float(rp_ridge_hockey_stick(length, full - length**2, r, left)), r)
    why = Certificate(
        "test, release at the largest leverage p*, failure of the bound (N26-T5.4)",
        {"test_epsilon": spent, "release_epsilon": left, "leverage": length**2 / full, "r": r, "direction": "delete"},
        math.fsum((test_delta, lone, failure)),
    )
    return ProposeTestRelease(
        Calibration(
            mechanism=f"random projection after a test, {ridge} ridge",
            adjacency=ADD_REMOVE,
            public={
                "norm_bound": length,
                "r": r,
                "std": spread,
                "delta_test": test,
                "delta_failure": failure,
                "ridge": ridge,
            },
            target=target,
            noise={
                "full_ridge": full,
                "quantile": _quantile_above(failure),
                "test_epsilon": spent,
            },
            certificate=why,
        )
    )


def _left_for_release(delta: float, test: float, failure: float) -> float:
    """delta_R = delta - delta_test - delta_failure, rounded down, or `InputError` where nothing is left."""
    left = Fraction(delta) - Fraction(test) - Fraction(failure)
    if left <= 0:
        raise InputError("delta_test", test, f"delta_test + delta_failure must be less than delta = {delta:g}")
    return math.nextafter(float(left), 0.0)


def _quantile_above(failure: float) -> float:
    """z_P = Phi^{-1}(1 - failure), rounded up by the error of its computation."""
    quantile = float(-ndtri(failure))
    return quantile + promise("ndtri") * abs(quantile)


def _test_cost(sensitivity: float, std: float, epsilon: float, delta: float) -> tuple[float, float]:
    """(eps_T, its delta rounded up), or `InputError` where eps_T > epsilon."""
    pair = GaussianPair([sensitivity / std], 1, [0], 1)
    error = promise("hockey_stick")  # by which what the search finds, with a margin of its own, is rounded up
    spent = float(epsilon_for_delta(pair, delta * (1 - error)))
    if not spent <= epsilon:
        least = float(gaussian_std(sensitivity, epsilon=epsilon, delta=delta * (1 - 2 * error)))
        rule = (
            f"the test alone would spend {spent:.6g}, more than epsilon = {epsilon:.6g}; it fits from std ="
            f" {least:.6g} on"
        )
        raise InputError("std", std, rule)
    return spent, raised(float(gaussian_hockey_stick(sensitivity, std, spent)), error)


def least_eigenvalue(records: np.ndarray) -> float:
    """lambda_min(D^T D) in float64, 0 for fewer records than columns."""
    n, d = records.shape
    return 0.0 if n < d else float(np.linalg.svd(records, compute_uv=False)[-1]) ** 2


@dataclass(frozen=True)
class Split:
    """A split for `propose_test_release`, and what it reaches.

    zero_ridge: lambda_min from which the median ridge is 0. break_even: lambda_min from which it is below the untested
    one.
    """

    std: float
    delta_test: float
    delta_failure: float
    zero_ridge: float
    break_even: float


@keyword_only
def planned_split(r: Any, *, epsilon: Any, delta: Any, norm_bound: Any) -> Split:
    """The split with the least full ridge plus std z_P, on public grounds alone.

    At the median the tested ridge is that sum less lambda_min, so one split is best for every database on which the
    test pays. Two vectorised grids over the test's share of epsilon and the shares of delta; within a few per cent of
    the best. epsilon > 0; arguments as `random_projection`. r columns; norm_bound: of every record. Raises
    `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import planned_split
    >>> split = planned_split(10, epsilon=1.0, delta=1e-3, norm_bound=1.0)
    >>> 0 < split.delta_test + split.delta_failure < 1e-3
    True
    """
    r, target, length = columns(r), proper_target(epsilon=epsilon, delta=delta), ordinary(norm_bound, "norm_bound")
    if target.epsilon == 0:
        raise InputError("epsilon", epsilon, "must be positive: the test spends some of it")
    shares = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9])
    parts = np.array([0.4, 0.2, 0.08, 0.02, 4e-3, 8e-4])
    best = _best_split(length, r, target.epsilon, target.delta, shares, parts, parts)
    closer = np.array([0.6, 0.8, 1.0, 1.2, 1.5])
    share, test, failure = best[1:]
    fine = np.minimum(share * closer, 0.97), np.minimum(test * closer, 0.45), np.minimum(failure * closer, 0.45)
    total, share, test, failure = min(best, _best_split(length, r, target.epsilon, target.delta, *fine))
    std = float(
        gaussian_std(
            length**2, epsilon=share * target.epsilon, delta=test * target.delta * (1 - margin("split of a test"))
        )
    )
    untested = float(rp_ridge(length, r, epsilon=target.epsilon, delta=target.delta))
    return Split(std, test * target.delta, failure * target.delta, total, total - untested)


def _best_split(
    length: float,
    r: int,
    epsilon: float,
    delta: float,
    shares: np.ndarray,
    tests: np.ndarray,
    failures: np.ndarray,
) -> tuple[float, float, float, float]:
    """(least sum, share of epsilon, share of delta for the test, for the failure) over a grid."""
    share, test, failure = (g.ravel() for g in np.meshgrid(shares, tests, failures, indexing="ij"))
    std = (
        gaussian_std(length**2, epsilon=shares[:, None] * epsilon, delta=tests * delta)
        .repeat(len(failures), axis=1)
        .ravel()
    )
    total = (
        length**2
        + rp_ridge(length, r, epsilon=(1 - share) * epsilon, delta=(1 - test - failure) * delta)
        - std * ndtri(failure * delta)
    )
    k = int(np.argmin(total))
    return float(total[k]), float(share[k]), float(test[k]), float(failure[k])
