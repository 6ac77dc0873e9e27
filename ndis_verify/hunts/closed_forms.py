"""The families that calibrate by a closed form: random projection and its wrappers, the Gaussian mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.enclosure import Enclosure
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.fast.mean_shift import gaussian_std as fast_gaussian_std
from ndis_verify.fast.random_projection import rp_ridge as fast_rp_ridge
from ndis_verify.fast.random_projection import rp_ridge_hockey_stick as fast_rp_ridge_hockey_stick
from ndis_verify.fast.random_projection import sampled_epsilon as fast_sampled_epsilon
from ndis_verify.fast.random_projection import sampled_rp_ridge as fast_sampled_rp_ridge
from ndis_verify.hunts.hunt import Columns, Family, Point, log_uniform, rows_of, targets
from ndis_verify.mechanisms.projection_wrappers import ProposeTestRelease, propose_test_release
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick as certified_gaussian_hockey_stick
from ndis_verify.oracle.certified.random_projection import inner_epsilon as certified_inner_epsilon
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick as certified_rp_hockey_stick
from ndis_verify.oracle.engine.decreasing_root import scaled


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
    given: dict[str, Any] = {name: float(row[name]) for name in names}
    return propose_test_release(int(row["r"]), **given)


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
