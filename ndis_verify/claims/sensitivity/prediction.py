"""Claims about how far one record moves a Gaussian-process prediction: the printed bounds, and sharper ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.sensitivity.neighbours import (
    LONE,
    PUBLIC,
    RECORDS,
    attacked,
    attained_check,
    bound_check,
    worst_ratio,
)
from ndis_verify.claims.sensitivity.stated import HALVED, OPPOSED, PREDICTION
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.domain import Domain, continuous, integer, stacked, vector
from ndis_verify.court.points import count
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.enclosure import Enclosure
from ndis_verify.fast.sensitivity import gaussian_process
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.symbolic import prediction_bounds, prediction_features, prediction_few_records, sensitivity


def _bounds(length: float, labels: float, noise: float, added: float, n: int) -> tuple[float, float, float]:
    rho = math.log((added + length**2) / added)
    return length * labels * math.sqrt(n) / (noise * math.sqrt(added)), rho, rho


def _sharper(length: float, labels: float, noise: float, added: float, n: int) -> tuple[float, float, float]:
    small = length**2 * labels * n / (noise**2 + n * length**2)
    few = n * length**2 <= noise**2
    shift = small if few else length * labels * math.sqrt(n) / (2 * noise)
    rho = math.log((added + length**2) / (added + length**2 * noise**2 / (length**2 + noise**2)))
    return shift / math.sqrt(added), rho, rho


def _margin(bounds: Callable[..., tuple]) -> Callable[..., float]:
    def margin(length, labels, noise, added, n, **columns):
        n, length = int(n), float(length)
        entries = stacked("entry", {name: [value] for name, value in columns.items()})[0].reshape(RECORDS + 1, 2)
        points = length * entries / np.maximum(np.linalg.norm(entries, axis=1, keepdims=True), 1)
        gram = points @ points.T
        y = float(labels) * np.array([float(columns[f"label_{i + 1}"]) for i in range(n)])
        pair = tuple(
            gaussian_process(gram[1 : m + 1, 1 : m + 1], gram[0, 1 : m + 1], gram[0, 0], y[:m], float(noise) ** 2)
            for m in (n, n - 1)
        )
        return worst_ratio(bounds(length, float(labels), float(noise), float(added), n), pair, float(added))

    return margin


_DOMAIN = Domain(
    (
        continuous("length", "0.5", 30, "log"),
        continuous("labels", "0.1", 10, "log"),
        continuous("noise", "0.1", 10, "log"),
        continuous("added", "0.001", 100, "log"),
        integer("n", 1, RECORDS),
        *vector("entry", 2 * RECORDS + 2, -1, 1),
        *vector("label", RECORDS, -1, 1),
    )
)
_ALONE = LONE | {"entry_9": 0, "entry_10": 0, "length": 1, "labels": 1, "noise": 1, "added": 100, "n": 1}


def _excess(point, record_count: int) -> Enclosure:
    """|mu' - mu| for no record against one at the query point with k = l^2, y = B, less l B sqrt(n)/s."""
    length, labels, noise = point["length"], point["labels"], point["noise"]
    with working_bits(100):
        found = ball(length**2 * labels / (length**2 + noise**2))
        return enclosure(found - ball(length * labels / noise) * arb(record_count).sqrt())


def _exact_shift(size: int, length: Fraction, noise: Fraction) -> Fraction:
    """Rank-one features s/sqrt(size) (labels 1) and a new record at the query, feature l, label -1: the
    shift, exactly.
    """
    root = math.isqrt(size)
    feature = noise / root
    # (f f^T + s^2 I)^{-1} on the span of the equal features: K has the eigenvalue size * feature^2.
    spectral = size * feature**2 + noise**2
    mean = length * feature * size / spectral
    spread = length**2 - length**2 * feature**2 * size / spectral
    return abs(spread * (-1 - mean) / (spread + noise**2))


def _sharpness(bound: Callable[[float, float, int], float], share: float) -> Callable[[str], Evidence]:
    """The exact shift of a constructed database against the bound: at most 1, and at least `share`, of it."""

    def run(effort: str) -> Evidence:
        lowest = 1.0
        for size in (100, 2500, 40_000)[: count(effort, 2, 3)]:
            shift = float(_exact_shift(size, Fraction(100), Fraction(1)))
            ratio = shift / bound(100.0, 1.0, size + 1)
            if not share <= ratio <= 1:
                return Evidence(
                    Outcome.FAILED, "exact rational", f"shift over bound {ratio:.4f} with {size + 1} records", count=3
                )
            lowest = min(lowest, ratio)
        return Evidence(
            Outcome.HELD,
            "exact rational",
            f"shift over bound at least {lowest:.4f}: grows with sqrt(n)",
            15,
            3,
            "databases",
        )

    return run


def _found_ratio(length: Fraction, noise: Fraction, added: Fraction) -> Fraction:
    """Of the inflated variances of no record and one at the query point; `noise` is a variance."""
    return (added + length**2) / (added + length**2 - length**4 / (length**2 + noise))


def _stated_ratio(length: Fraction, noise: Fraction, added: Fraction) -> Fraction:
    return (added + length**2) / (added + length**2 * noise / (length**2 + noise))


def _conditioning(noise_factor: float) -> Callable[[str], Evidence]:
    """The prediction against the joint law: precision-matrix route, float64."""

    def run(effort: str) -> Evidence:
        rng = np.random.default_rng(44)
        total = count(effort, 20, 200)
        for _ in range(total):
            n = int(rng.integers(1, 6))
            points = rng.standard_normal((n + 1, 3))
            gram = points @ points.T + 0.01 * np.eye(n + 1)
            y, noise_variance = rng.uniform(-1, 1, n), float(rng.uniform(0.1, 2))
            joint = gram + np.diag([0.0] + [noise_variance] * n)
            precision = np.linalg.inv(joint)
            mean, variance = gaussian_process(gram[1:, 1:], gram[0, 1:], gram[0, 0], y, noise_variance * noise_factor)
            gap = max(abs(mean + precision[0, 1:] @ y / precision[0, 0]), abs(variance - 1 / precision[0, 0]))
            if gap > 1e-9 or variance <= 0:
                return Evidence(Outcome.FAILED, "two routes", f"routes differ by {gap:.1g}", count=total)
        return Evidence(
            Outcome.HELD,
            "two routes",
            "conditioning the joint law gives the same mean and variance",
            9,
            total,
            "databases",
        )

    return run


_BOUNDED = ("k(x, x) <= l^2", "|y| <= B", "s > 0", "v > 0")
_FIRST = {"length": Fraction(1), "labels": Fraction(1), "noise": Fraction(1)}
_PREDICTED = proof("shift of the prediction and fall of its variance", prediction_bounds.of_any_size)

CLAIMS = (
    Claim(
        id="N26-D8",
        source="N26",
        title="a Gaussian-process prediction at a public point is a Gaussian-output algorithm",
        statement=(
            "The prediction is the conditional law of the latent value: mean and variance as printed, the variance"
            " positive."
        ),
        formula="mu = k^T (K + s^2 I)^{-1} y, S = k** - k^T (K + s^2 I)^{-1} k",
        hypotheses=("positive definite kernel", "s > 0", "k** > 0"),
        declared=Verdict.PROVED,
        checks=(
            proof("update of the prediction", prediction_features.update),
            Check(
                "conditioning the joint law", Kind.CROSSCHECK, _conditioning(1.0), {"other noise": _conditioning(1.2)}
            ),
        ),
        note="A definition: each record multiplies the variance by at least s^2/(l^2 + s^2) > 0.",
    ),
    stated_claim(
        id="N26-Pr8",
        source="N26",
        title="sensitivity of a Gaussian-process prediction",
        stated=PREDICTION,
        about=(
            "With n = rows(X) + 1 the size of the larger database: Delta, rho_inf and nu are at most the printed"
            " values. The rows of X are the features of records, so that k(x, z) = x^T z; g is the query's."
        ),
        search={"starts": (OPPOSED,)},
        declared=Verdict.PROVED,
        checks=(
            _PREDICTED,
            attacked(_margin, _DOMAIN, _bounds, (0.3, 0.7), _ALONE),
        ),
        note=PUBLIC + "No bound free of n exists: the databases of N26-Pr8-improved move the prediction by more than "
        "l^2/(l^2 + 2 s^2) l B sqrt(n - 1)/(2 s).",
    ),
    Claim(
        id="N26-Pr8-smaller-n",
        tags=("reading",),
        source="N26",
        title="the same with n the size of the smaller database",
        statement="The printed Delta holds with n the number of records of either database of a neighbouring pair.",
        formula="|mu' - mu| <= l B sqrt(n)/s",
        hypotheses=_BOUNDED,
        declared=Verdict.RESTRICTED,
        checks=(
            proof("half of it, and n at most 4 (n - 1)", sensitivity.prediction_shift),
            counterexample_check(
                "no record against one",
                lambda point: _excess(point, 0),
                _FIRST,
                {"n = 1, the larger size": lambda point: _excess(point, 1)},
                part="n = 0",
            ),
        ),
        counterexample=(
            "k** = l^2 = 1, s = 1, no record (prediction 0) against one at the query point with y = B = 1 (prediction"
            " 1/2): the shift is 1/2, the printed bound at n = 0 is 0."
        ),
        corrected="With n the size of the larger database; with the smaller one unless it is empty.",
        note="The neighbour of a database of n records may have n + 1.",
    ),
    stated_claim(
        id="N26-Pr8-improved",
        source="N26",
        title=(
            "a Gaussian-process prediction moves by at most half the printed bound, and its variance by a bounded"
            " factor"
        ),
        stated=HALVED,
        about=(
            "Delta is at most half the printed value, and less for n l^2 < s^2; rho_inf = nu stays bounded as v -> 0"
            " and is attained; for n - 1 >= s^2/l^2 some databases move the mean by more than l^2/(l^2 + 2 s^2)"
            " sqrt((n-1)/n) of its bound, so that it is approached as n and l/s grow. n = rows(X) + 1; the rows of X"
            " are the features of records, k(x, z) = x^T z."
        ),
        search={"starts": (OPPOSED,)},
        declared=Verdict.PROVED,
        checks=(
            _PREDICTED,
            proof("among few records", prediction_few_records.shift),
            attained_check(_stated_ratio, _found_ratio),
            Check(
                "approached by constructed databases",
                Kind.CROSSCHECK,
                _sharpness(lambda l, s, n: l * math.sqrt(n) / (2 * s), 0.99),
                {
                    "bound without the root of n": _sharpness(lambda l, s, n: l / (2 * s), 0.99),
                    "printed bound called sharp": _sharpness(lambda l, s, n: l * math.sqrt(n) / s, 0.99),
                },
            ),
            attacked(_margin, _DOMAIN, _sharper, (0.7, 0.95), _ALONE),
            bound_check(
                "derived Delta",
                sensitivity.prediction_shift,
                lambda l, b, s, v, n: _bounds(l, b, s, v, n)[0] / 2,
            ),
            bound_check(
                "derived ratio of variances",
                prediction_bounds.of_any_size,
                lambda l, s, v: math.exp(_sharper(l, 1.0, s, v, 1)[1]),
            ),
        ),
        note=(
            "The printed bound is twice the largest size of a prediction; the update formula gives half of it. At l = s"
            " = 1, v = 0.01 the printed rho_inf is 4.62, this one 0.683."
        ),
    ),
)
