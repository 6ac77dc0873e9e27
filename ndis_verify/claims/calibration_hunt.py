"""A hunt for a calibration that returns too little noise: random targets, every returned number certified.

`python -m ndis_verify.claims.calibration_hunt --points 100000` hunts through every family of calibrations (see
`hunt_command`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.projection_checks import inner_epsilon as certified_inner_epsilon
from ndis_verify.enclosure import Enclosure
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.fast.mean_shift import gaussian_std as fast_gaussian_std
from ndis_verify.fast.random_projection import rp_ridge as fast_rp_ridge
from ndis_verify.fast.random_projection import rp_ridge_hockey_stick as fast_rp_ridge_hockey_stick
from ndis_verify.fast.random_projection import sampled_epsilon as fast_sampled_epsilon
from ndis_verify.fast.random_projection import sampled_rp_ridge as fast_sampled_rp_ridge
from ndis_verify.mechanisms.projection_wrappers import ProposeTestRelease, propose_test_release
from ndis_verify.oracle.calibration import scaled
from ndis_verify.oracle.certified.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick as certified_gaussian_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick as certified_rp_hockey_stick

Columns = Mapping[str, np.ndarray]
Point = dict[str, Any]  # one target, in exact numbers, and `noise`
NO_NOISE = 1e-280  # less stands for none: declared sensitivities may have no value at 0
LARGEST_WASTE = 2e-11  # that a calibration tight for its own worst case may leave: its margin for rounding


@dataclass(frozen=True)
class Family:
    """Calibrations of one kind, as the hunt needs them.

    draw(rng, count): columns of targets, `epsilon` and `delta` among them. calibrate(columns): the noise levels.
    achieved(columns, noise): their float64 delta. certify(point, digits): the certified delta at exactly the float64
    numbers of a point. sharpness: how far below its target a delta may stay, relatively.
    """

    name: str
    draw: Callable[[np.random.Generator, int], Columns]
    calibrate: Callable[[Columns], np.ndarray]
    achieved: Callable[[Columns, np.ndarray], np.ndarray]
    certify: Callable[[Point, int], Enclosure]
    sharpness: float = LARGEST_WASTE
    block: int = 1000
    quota: int = 18_500


@dataclass(frozen=True)
class HuntRecord:
    """What a hunt found; a waste is (target - certified delta)/target, the largest ones over targets that
    need noise.
    """

    family: str
    seed: int | list[int]
    points: int
    free: int  # of which need no noise
    certified: int
    unsafe: int  # certified delta above the target, or no finite noise
    undecided: int
    least_waste: float
    largest_waste: float
    largest_waste_float64: float  # over all points
    worst: Point
    seconds: float

    def line(self) -> str:
        """One line for a report."""
        return (
            f"{self.family}: {self.points} targets, {self.free} without noise, {self.certified} certified,"
            f" {self.unsafe} above the target, {self.undecided} undecided; waste between {self.least_waste:.3g} and"
            f" {self.largest_waste:.3g} (float64, all: at most {self.largest_waste_float64:.3g})"
        )


def hunt(family: Family, points: int, certified: int | None = None, seed: int | list[int] = 0) -> HuntRecord:
    """Calibrates `points` random targets at once and certifies `certified` of them (None: all).

    Of those a fifth are the points with the smallest waste in float64, the others a random choice.
    """
    start = time.perf_counter()
    rng = np.random.default_rng(seed)
    columns = family.draw(rng, points)
    noise = np.asarray(family.calibrate(columns), dtype=np.float64)
    finite = np.isfinite(noise)
    waste = np.where(finite, 1 - family.achieved(columns, np.where(finite, noise, 1.0)) / columns["delta"], -np.inf)
    chosen = _chosen(rng, waste, points if certified is None else min(certified, points))
    unsafe, undecided, wastes = int((~finite).sum()), 0, []
    for k in chosen[finite[chosen]]:
        value = _certified_waste(family, _point(columns, noise, int(k)))
        wastes.append(value)
        unsafe, undecided = unsafe + (value < 0), undecided + math.isnan(value)
    seen, known = chosen[finite[chosen]], np.array(wastes)
    noisy, known = known[(noise[seen] > NO_NOISE) & ~np.isnan(known)], np.where(np.isnan(known), math.inf, known)
    worst = seen[int(np.argmin(known))] if known.size else int(np.argmin(waste))
    return HuntRecord(
        family=family.name,
        seed=seed,
        points=points,
        free=int((noise <= NO_NOISE).sum()),
        certified=len(wastes),
        unsafe=int(unsafe),
        undecided=int(undecided),
        least_waste=float(known.min(initial=math.inf)),
        largest_waste=float(noisy.max(initial=-math.inf)),
        largest_waste_float64=float(waste.max(where=noise > NO_NOISE, initial=-math.inf)),
        worst={name: float(value) for name, value in _point(columns, noise, int(worst)).items()},
        seconds=round(time.perf_counter() - start, 2),
    )


def _chosen(rng: np.random.Generator, waste: np.ndarray, count: int) -> np.ndarray:
    if count == waste.size:
        return np.arange(count)
    dangerous = np.argsort(waste, kind="stable")[: count // 5]
    others = np.setdiff1d(np.arange(waste.size), dangerous)
    return np.sort(np.concatenate([dangerous, rng.choice(others, count - dangerous.size, replace=False)]))


def _point(columns: Columns, noise: np.ndarray, k: int) -> Point:
    point = {name: Fraction(float(column[k])) for name, column in columns.items()}
    return {**point, "noise": Fraction(float(noise[k])) if np.isfinite(noise[k]) else float(noise[k])}


def _certified_waste(family: Family, point: Point) -> float:
    """(target - delta)/target from below, negative only where delta > target for certain; nan where that is not
    decided.
    """
    for digits in (16, 32, 64):
        value = family.certify(point, digits)
        if value.lower > point["delta"]:
            return float(1 - value.lower / point["delta"])
        if value.upper <= point["delta"]:
            return float(1 - value.upper / point["delta"])
    return math.nan


def rows_of(columns: Columns) -> list[dict[str, float]]:
    """The targets one by one."""
    return [dict(zip(columns, values)) for values in zip(*(np.asarray(column).tolist() for column in columns.values()))]


def targets(rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """epsilon in [1e-6, 100] and delta in [1e-30, 0.4], both log-uniform."""
    return {"epsilon": log_uniform(rng, 1e-6, 100, count), "delta": log_uniform(rng, 1e-30, 0.4, count)}


def log_uniform(rng: np.random.Generator, low: float, high: float, count: int) -> np.ndarray:
    return np.exp(rng.uniform(math.log(low), math.log(high), count))


def _projections(most: float) -> Callable[[np.random.Generator, int], Columns]:
    """Targets, r up to `most` and norm bounds from 1e-3 to 1e3, all log-uniform."""

    def draw(rng: np.random.Generator, count: int) -> Columns:
        r = np.floor(log_uniform(rng, 1, most + 1, count)) if most > 1 else np.ones(count)
        return {**targets(rng, count), "r": np.minimum(r, most), "norm_bound": log_uniform(rng, 1e-3, 1e3, count)}

    return draw


def _ridge(columns: Columns) -> np.ndarray:
    return fast_rp_ridge(columns["norm_bound"], columns["r"], epsilon=columns["epsilon"], delta=columns["delta"])


def _ridge_delta(columns: Columns, ridge: np.ndarray) -> np.ndarray:
    return fast_rp_ridge_hockey_stick(columns["norm_bound"], ridge, columns["r"], columns["epsilon"])


def _certified_ridge_delta(point: Point, digits: int, epsilon: Fraction | None = None) -> Enclosure:
    square = point["norm_bound"] ** 2
    epsilon = point["epsilon"] if epsilon is None else epsilon
    return certified_rp_hockey_stick(
        square / (square + point["noise"]), int(point["r"]), epsilon, "delete", digits=digits
    )


def _shifts(rng: np.random.Generator, count: int) -> Columns:
    return {**targets(rng, count), "sensitivity": log_uniform(rng, 1e-3, 1e3, count)}


def _samples(rng: np.random.Generator, count: int) -> Columns:
    """Rates from delta to 1."""
    columns = _projections(1e6)(rng, count)
    return {**columns, "rate": np.minimum(columns["delta"] ** rng.uniform(0, 0.99, count), 1.0)}


def _inner(columns: Columns) -> dict[str, np.ndarray]:
    rate = columns["rate"]
    return {
        **columns,
        "epsilon": fast_sampled_epsilon(epsilon=columns["epsilon"], rate=rate),
        "delta": columns["delta"] / rate * (1 - 4e-16),
    }


def _certified_sample_delta(point: Point, digits: int) -> Enclosure:
    """q delta_r(eps'), at an eps' a little below: an upper bound to 30 digits."""
    inner = certified_inner_epsilon(point["epsilon"], point["rate"]).lower
    value = _certified_ridge_delta(point, digits, inner)
    return scaled(value, point["rate"], digits)


def _splits(rng: np.random.Generator, count: int) -> Columns:
    """Targets of propose-test-release, and splits that fit them: the test has a share of epsilon and up to half of
    delta.
    """
    columns = _projections(1e6)(rng, count)
    epsilon, delta, length = columns["epsilon"], columns["delta"], columns["norm_bound"]
    test, failure = (delta * log_uniform(rng, 1e-4, 0.45, count) for _ in range(2))
    std = fast_gaussian_std(length**2, epsilon=epsilon * rng.uniform(0.02, 0.98, count), delta=test * (1 - 1e-10))
    return {**columns, "std": std, "delta_test": test, "delta_failure": failure}


def _tested(row: Mapping[str, Any]) -> ProposeTestRelease:
    names = ("epsilon", "delta", "norm_bound", "std", "delta_test", "delta_failure")
    return propose_test_release(int(row["r"]), **{name: float(row[name]) for name in names})


def _certified_test_delta(point: Point, digits: int) -> Enclosure:
    """The test's delta, that of a lone record at the largest leverage beside the full ridge, and the chance that the
    bound fails.
    """
    found = _tested(point).calibration
    spent, left = (
        Fraction(float(x)) for x in (found.noise["test_epsilon"], found.certificate.worst_case["release_epsilon"])
    )
    if spent + left > point["epsilon"]:
        return Enclosure(1, 0, "bound")
    square = point["norm_bound"] ** 2
    test = certified_gaussian_hockey_stick(square, point["std"], spent, digits=digits)
    release = certified_rp_hockey_stick(square / point["noise"], int(point["r"]), left, "delete", digits=digits)
    with working_bits(64 + 4 * digits):
        failure = (ball(Fraction(float(found.noise["quantile"]))) / ball(Fraction(2)).sqrt()).erfc() / 2
        return enclosure(to_exact_ball(test) + to_exact_ball(release) + failure)


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("random projection", _projections(1e6), _ridge, _ridge_delta, _certified_ridge_delta),
        Family(
            "gaussian mechanism",
            _shifts,
            lambda columns: fast_gaussian_std(
                columns["sensitivity"], epsilon=columns["epsilon"], delta=columns["delta"]
            ),
            lambda columns, std: fast_gaussian_hockey_stick(columns["sensitivity"], std, columns["epsilon"]),
            lambda point, digits: certified_gaussian_hockey_stick(
                point["sensitivity"], point["noise"], point["epsilon"], digits=digits
            ),
            quota=35_900,
        ),
        Family("random linear combination", _projections(1), _ridge, _ridge_delta, _certified_ridge_delta),
        Family(
            "subsampled random projection",
            _samples,
            lambda columns: fast_sampled_rp_ridge(
                **{name: columns[name] for name in ("norm_bound", "rate", "r", "epsilon", "delta")}
            ),
            lambda columns, ridge: columns["rate"] * _ridge_delta(_inner(columns), ridge),
            _certified_sample_delta,
        ),
        Family(
            "propose-test-release",
            _splits,
            lambda columns: np.array([_tested(row).calibration.noise["full_ridge"] for row in rows_of(columns)]),
            lambda columns, _: np.array([_tested(row).calibration.certificate.delta for row in rows_of(columns)]),
            _certified_test_delta,
            1e-8,
            block=25,
            quota=500,
        ),
    )
}


@cache
def _held(name: str, effort: str) -> HuntRecord:
    return hunt(FAMILIES[name], 2000 if effort == "full" else 200)


def hunted(family: Family, change: Callable[[Columns], np.ndarray] | None = None) -> Callable[[str], Evidence]:
    """A check's run: no certified delta above its target, none further below than `sharpness`; `change`
    plants a fault.
    """

    def run(effort: str) -> Evidence:
        if change is None:
            record = _held(family.name, effort)
        else:
            record = hunt(
                Family(family.name, family.draw, change, family.achieved, family.certify, family.sharpness), 100
            )
        sharp = record.largest_waste <= family.sharpness
        outcome = (
            Outcome.FAILED if record.unsafe or not sharp else Outcome.UNDECIDED if record.undecided else Outcome.HELD
        )
        return Evidence(outcome, "certified at float64 noise levels", record.line(), 16, record.certified, "targets")

    return run


def _claim(
    id: str, name: str, title: str, statement: str, inputs: tuple[str, ...] = ("1 <= r <= 1e6", "1e-3 <= l <= 1e3")
) -> Claim:
    family = FAMILIES[name]
    mutants = {
        "1 per cent less noise": hunted(family, lambda columns: 0.99 * family.calibrate(columns)),
        "1 per cent more noise": hunted(family, lambda columns: 1.01 * family.calibrate(columns)),
        "target 1e-9 too large": hunted(
            family, lambda columns: family.calibrate({**columns, "delta": columns["delta"] * (1 + 1e-9)})
        ),
    }
    return Claim(
        id=id,
        source=id.partition("-")[0],
        title=title,
        statement=statement,
        formula="0 <= (delta - delta(noise))/delta <= 2e-11",
        hypotheses=("1e-6 <= eps <= 100", "1e-30 <= delta <= 0.4", *inputs),
        declared=Verdict.SUPPORTED,
        reason=(
            "the numbers that float64 returns depend on the platform's rounding: certified one by one, not as a range"
        ),
        checks=(Check("random targets, every calibration certified", Kind.ATTACK, hunted(family), mutants),),
        note=(
            "`python -m ndis_verify.claims.calibration_hunt` is the same hunt at length; docs/calibration_hunt.md has"
            " its table."
        ),
    )


CLAIMS = (
    _claim(
        "N26-Fig1-safe-side",
        "random projection",
        "no float64 ridge is too small",
        "The ridge that float64 returns for a target meets it, certified at exactly that number, and misses it by 2e-11"
        " of delta at most.",
    ),
    _claim(
        "N24-Fig8-safe-side",
        "random linear combination",
        "no float64 noise of a random linear combination is too small",
        "The ridge that float64 returns for r = 1 meets the target, certified at exactly that number, and misses it by"
        " 2e-11 of delta at most.",
        ("r = 1", "1e-3 <= l <= 1e3"),
    ),
    _claim(
        "N26-Fig3-safe-side",
        "subsampled random projection",
        "no float64 ridge behind a sample is too small",
        "The ridge that float64 returns for a sampled target meets it, certified at exactly that number, and misses it"
        " by 2e-11 of delta at most.",
        ("1 <= r <= 1e6", "1e-3 <= l <= 1e3", "delta^0.99 <= q <= 1"),
    ),
    _claim(
        "BW-Alg1-safe-side",
        "gaussian mechanism",
        "no float64 standard deviation is too small",
        "The std that float64 returns for a target meets it, certified at exactly that number, and misses it by 2e-11"
        " of delta at most.",
        ("1e-3 <= Delta <= 1e3",),
    ),
)


def main() -> int:
    """`hunt_command.main`: every family there is."""
    from ndis_verify.claims.hunt_command import main as command  # the families of other modules are built on this one

    return command()


if __name__ == "__main__":
    raise SystemExit(main())
