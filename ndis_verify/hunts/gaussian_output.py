"""The families of hunts that calibrate Gaussian outputs: logistic regression, predictions, declared
sensitivities.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from ndis_verify.enclosure import Enclosure
from ndis_verify.fast.joint_shift import Declared, Envelope, Prediction, added_variance
from ndis_verify.hunts.hunt import Columns, Family, Point, log_uniform, rows_of, targets
from ndis_verify.mechanisms.gaussian_output import Bound, calibrated_gaussian
from ndis_verify.mechanisms.logistic_regression import logistic_envelope
from ndis_verify.oracle import joint_shift as certified
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick

_ROUGH = 6  # digits for pairs that are not the worst
SHARPNESS = {"logistic regression": 0.05, "Gaussian-process prediction": 3e-3}  # of delta; of v some 3e-4 and 3e-5


def logistic_targets(rng: np.random.Generator, count: int) -> Columns:
    """epsilon 1e-6 to 100, delta 1e-30 to 0.4, penalties and norm bounds 1e-2 to 1e2, all log-uniform."""
    return {
        **targets(rng, count),
        "penalty": log_uniform(rng, 0.01, 100, count),
        "norm_bound": log_uniform(rng, 0.01, 100, count),
    }


def prediction_targets(rng: np.random.Generator, count: int) -> Columns:
    """The same epsilon and delta; l and B from 0.1 to 10, s^2 from 1e-3 to 1000, n from 1 to 1000."""
    scales = {"norm_bound": (0.1, 10), "labels": (0.1, 10), "noise_variance": (1e-3, 1000)}
    drawn = {name: log_uniform(rng, *ends, count) for name, ends in scales.items()}
    return {**targets(rng, count), **drawn, "records": np.floor(log_uniform(rng, 1, 1001, count))}


def envelope(row: Point | dict[str, float]) -> Envelope:
    """The float64 envelope of one row of columns."""
    if "penalty" in row:
        return logistic_envelope(float(row["penalty"]), float(row["norm_bound"]))
    length, labels, noise = (float(row[name]) for name in ("norm_bound", "labels", "noise_variance"))
    return Prediction(length, labels, noise, int(row["records"]))


def calibrated(columns: Columns) -> np.ndarray:
    """The added variance of every row."""
    return np.array(
        [added_variance(envelope(row), epsilon=row["epsilon"], delta=row["delta"])[0] for row in rows_of(columns)]
    )


def achieved(columns: Columns, noise: np.ndarray) -> np.ndarray:
    """The largest delta that float64 saw at that noise."""
    rows = rows_of({**columns, "noise": noise})
    return np.array([math.exp(envelope(row).largest(row["noise"], row["epsilon"]).attained) for row in rows])


def certified_delta(point: Point, digits: int) -> Enclosure:
    """The greater delta of the two directions at the worst pair that float64 names and, for a surrogate, at other
    splits of the shift.
    """
    found = envelope(point).largest(float(point["noise"]), float(point["epsilon"]))
    if "penalty" in point:
        penalty, length = point["penalty"], point["norm_bound"]
        kept = 1 / (penalty + length**2 / 4)
        law = certified.RankOne(kept, length**2 / 4 * kept / penalty, length / penalty)
        return _greatest(law, point["noise"], found.point[0], point, digits)
    process = certified.Prediction(point["norm_bound"], point["labels"], point["noise_variance"], int(point["records"]))
    pair = process.pair_at(point["noise"], *(Fraction(x) for x in found.point))
    return max(
        (certified_hockey_stick(way, point["epsilon"], digits=digits) for way in (pair, pair.swapped())),
        key=lambda value: value.upper,
    )


def declared_targets(rng: np.random.Generator, count: int) -> Columns:
    """The same epsilon and delta; at added variance v one variance of v + kept grows by `lost` and the mean moves by
    `shift` against v + kept.
    """
    drawn = {
        name: log_uniform(rng, *ends, count)
        for name, ends in {"shift": (0.01, 100), "lost": (0.001, 100), "kept": (0.001, 10)}.items()
    }
    return {**targets(rng, count), **drawn}


def _triple(row: Point | dict[str, float]) -> Callable[[float], tuple[float, float, float, int]]:
    shift, lost, kept = (float(row[name]) for name in ("shift", "lost", "kept"))

    def at(v: float) -> tuple[float, float, float, int]:
        rho = math.log1p(lost / (v + kept))
        return shift / math.sqrt(v + kept), rho, rho, 1

    return at


def _declared(bound: Bound) -> Callable[[Columns], np.ndarray]:
    def calibrate(columns: Columns) -> np.ndarray:
        rows = rows_of(columns)
        return np.array(
            [
                calibrated_gaussian(
                    _nothing, _triple(row), epsilon=row["epsilon"], delta=row["delta"], bound=bound
                ).added_variance
                for row in rows
            ]
        )

    return calibrate


def _nothing(data: object) -> tuple[np.ndarray, np.ndarray]:
    """The output of no algorithm: only its calibration is looked at."""
    raise ValueError("there is no data")


def _declared_reached(columns: Columns, noise: np.ndarray) -> np.ndarray:
    """The largest delta that a pair of the declared sensitivities was seen to have."""
    rows = rows_of({**columns, "noise": noise})
    return np.array([math.exp(Declared(_triple(row)).largest(row["noise"], row["epsilon"]).attained) for row in rows])


def _certified_declared(point: Point, digits: int) -> Enclosure:
    """The greatest delta of the pairs of the triple at the worst split of the shift, at its ends and at one more, in
    both directions.
    """
    found = Declared(_triple(point)).largest(float(point["noise"]), float(point["epsilon"]))
    small = point["noise"] + point["kept"]
    law = certified.RankOne(Fraction(0), point["lost"] / small, oracle_root(point["shift"] ** 2 / small))
    return _greatest(law, Fraction(1), found.point[0], point, digits)


def oracle_root(square: Fraction) -> Fraction:
    """The square root, rounded down by less than one part in 10^30."""
    scale = 10**40
    return Fraction(math.isqrt(int(square * scale**2)), scale)


def _greatest(law: certified.RankOne, added: Fraction, share: float, point: Point, digits: int) -> Enclosure:
    """The greatest certified delta at that share of the squared shift along the moved direction, at the ends and at a
    random share.
    """
    random = float(np.random.default_rng(int(point["noise"].numerator % 2**32)).uniform())
    best: Enclosure | None = None
    for at in (share, 0.0, 1.0, random):
        tangent = Fraction(math.sqrt((1 - math.sqrt(at)) / (1 + math.sqrt(at))))
        pair = law.pair(added, (tangent,))
        for way in (pair, pair.swapped()):
            value = certified_hockey_stick(way, point["epsilon"], digits=digits if best is None else _ROUGH)
            if best is not None and value.upper > best.upper:
                value = certified_hockey_stick(way, point["epsilon"], digits=digits)
            best = value if best is None or value.upper > best.upper else best
    assert best is not None
    return best


FAMILIES = {
    family.name: family
    for family in (
        Family(
            "logistic regression",
            logistic_targets,
            calibrated,
            achieved,
            certified_delta,
            SHARPNESS["logistic regression"],
            25,
            600,
        ),
        Family(
            "Gaussian-process prediction",
            prediction_targets,
            calibrated,
            achieved,
            certified_delta,
            SHARPNESS["Gaussian-process prediction"],
            25,
            600,
        ),
        *(
            Family(
                f"declared sensitivities, {bound} bound",
                declared_targets,
                _declared(bound),
                _declared_reached,
                _certified_declared,
                1.0,
                25,
                200,
            )
            for bound in ("joint", "exact", "corrected")
        ),
    )
}
