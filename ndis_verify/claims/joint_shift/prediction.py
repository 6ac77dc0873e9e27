"""Claims about a Gaussian-process prediction: mean and variance moved together by one record."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.claim import Check, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.joint_shift.neighbours import GROWS, log_delta, over
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.domain import Domain, continuous, integer, stacked, vector
from ndis_verify.court.points import count
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.fast.joint_shift import Prediction
from ndis_verify.fast.sensitivity import gaussian_process
from ndis_verify.oracle import joint_shift as certified
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import matrix, real
from ndis_verify.statements.statement import vector as vector_variable
from ndis_verify.symbolic import prediction_attained, prediction_family, prediction_features, prediction_joint

_RECORDS = 4

_PROCESS_DOMAIN = Domain(
    (
        continuous("length", "0.3", 3, "log"),
        continuous("labels", "0.1", 3, "log"),
        continuous("noise", "0.3", 10, "log"),
        continuous("added", "0.01", 30, "log"),
        continuous("epsilon", "0.01", 3, "log"),
        integer("n", 1, _RECORDS),
        *vector("entry", 2 * _RECORDS + 2, -1, 1),
        *vector("label", _RECORDS, -1, 1),
    )
)
_ALIGNED = {
    f"entry_{i + 1}": (1 if i in (0, 2 * _RECORDS) else Fraction(1, 2)) * (i % 2 == 0) for i in range(2 * _RECORDS + 2)
}
_ALIGNED |= {f"label_{i + 1}": -1 if i + 1 < _RECORDS else 1 for i in range(_RECORDS)} | {"n": _RECORDS}
_ALIGNED |= {"length": 1, "labels": 1, "noise": 1, "added": 10, "epsilon": 1}


def _prediction_margin(others: int = 0, labels: float = 1.0):
    def margin(length, labels_bound, noise, added, epsilon, n, entries, y) -> float:
        points = length * entries / np.maximum(np.linalg.norm(entries, axis=1, keepdims=True), 1)
        gram = points @ points.T
        pair = tuple(
            gaussian_process(gram[1 : m + 1, 1 : m + 1], gram[0, 1 : m + 1], gram[0, 0], y[:m], noise**2)
            for m in (n - 1, n)
        )
        if not min(variance for _, variance in pair) + added > 0 or pair[0] == pair[1]:
            return 0.0
        envelope = Prediction(length, labels_bound * labels, noise**2, max(n - others, 1))
        return over(envelope, log_delta(pair[0], pair[1], added, epsilon), added, epsilon)

    def by_columns(length, labels, noise, added, epsilon, n, **columns: Any) -> float:
        lists = {name: [value] for name, value in columns.items()}
        entries = stacked("entry", lists)[0].astype(float).reshape(_RECORDS + 1, 2)
        y = float(labels) * stacked("label", lists)[0].astype(float)
        return margin(float(length), float(labels), float(noise), float(added), float(epsilon), int(n), entries, y)

    return by_columns


_PREDICTION_ATTACK = attack_check(
    "the envelope's largest divergence over that of neighbouring databases",
    _prediction_margin(),
    _PROCESS_DOMAIN,
    mutants={
        "the others' labels forgotten": _prediction_margin(others=_RECORDS),
        "a smaller label bound": _prediction_margin(labels=0.9),
    },
    quick=60,
    full=4_000,
    tolerance=1e-6,
    vectorised=False,
    starts=(_ALIGNED,),
)


def _attained(labels_factor: float = 1.0):
    """Databases with one feature each at the worst (z, x): their delta is the largest that the envelope has there."""

    def run(effort: str) -> Evidence:
        worst = 0.0
        cases = ((1.0, 0.5, 1.0, 16, 8.17), (1.0, 0.5, 0.1, 16, 100.0), (2.0, 1.0, 9.0, 40, 3.0))[: count(effort, 2, 3)]
        for length, labels, noise, records, added in cases:
            envelope = Prediction(length, labels, noise, records)
            found = envelope.largest(added, 1.0)
            z, x = found.point
            feature = math.sqrt(noise * (1 / (1 - z) - 1) / (records - 1))
            points = np.append(np.full(records - 1, feature), math.sqrt(x * noise / (1 - z)))
            y = labels * labels_factor * np.append(-np.ones(records - 1), 1.0)
            gram, cross = np.outer(points, points), length * points
            few, more = (
                gaussian_process(gram[:m, :m], cross[:m], length**2, y[:m], noise) for m in (records - 1, records)
            )
            worst = max(worst, abs(log_delta(few, more, added, 1.0) - found.attained))
        outcome = Outcome.HELD if worst < 1e-8 else Outcome.FAILED
        return Evidence(
            outcome, "fast, two routes", f"log delta off by {worst:.1g} at most", 8, len(cases), "databases"
        )

    return run


def _no_noise(noise: int):
    """Without added noise no pair of n = 16, B = 0.5, l = 1 costs more than 1e-5 at eps = 1: certified."""

    def run(effort: str) -> Evidence:
        worst = certified.largest(
            certified.Prediction(Fraction(1), Fraction(1, 2), Fraction(noise), 16), 0, 1, 1 if effort == "quick" else 2
        )
        outcome = Outcome.HELD if worst.upper <= Fraction(1, 10**5) else Outcome.FAILED
        return Evidence(
            outcome,
            "ball arithmetic, cells",
            f"largest delta at most {float(worst.upper):.3g} at v = 0",
            1,
            1,
            "variances",
        )

    return run


_MEMBER = {  # mean and variance of the family's laws at (z, x), m other records
    "first": "0, v + l^2 (1 - {z})",
    "second": "(B l/s) sqrt(1 - {z}) sqrt({x}) (1 + sqrt({m}) sqrt({z}) sqrt({x}))/(1 + {x}),"
    " v + l^2 (1 - {z})/(1 + {x})",
}


def _in_both_orders(first: str, sign: str, second: str, z: str, x: str, m: str) -> str:
    """The pair of outputs against the family's, in both orders; mean and variance of each output, as text."""
    low, high = (text.format(z=z, x=x, m=m) for text in _MEMBER.values())
    return (
        f"delta_normal({first}, {second}; eps) {sign} delta_normal({low}, {high}; eps)"
        f", and delta_normal({second}, {first}; eps) {sign} delta_normal({high}, {low}; eps)"
    )


_PREDICTED = statement(
    _in_both_orders(
        "q^T F^T G y, v + q^T q - q^T F^T G F q", "<=", "q^T P^T H [y; b], v + q^T q - q^T P^T H P q", "z", "x", "m"
    )
    + ", and 0 <= z <= m l^2/(s^2 + m l^2), and 0 <= x <= (1 - z) l^2/s^2",
    *("v >= 0", "s > 0", "l > 0", "B >= 0", "m >= 0", "tr(F^T F) <= m l^2", "y^T y <= m B^2", "q^T q <= l^2"),
    *("w^T w > 0", "a^2 w^T w <= l^2", "|b| <= B"),
    where={
        "P": "[F; a w^T]",
        "G": "(F F^T + s^2 I)^{-1}",
        "H": "(P P^T + s^2 I)^{-1}",
        "R": "(F^T F + s^2 I)^{-1}",
        "z": "1 - s^2 w^T R R w/(w^T R w)",
        "x": "a^2 w^T R w",
    },
    over=(
        *(matrix("F", 3, 2, -1, 1), vector_variable("y", "reals", 3, -1, 1), vector_variable("q", "reals", 2, -1, 1)),
        *(vector_variable("w", "reals", 2, -1, 1), real("a", -1, 1), real("b", -1, 1)),
        *(real("v", 0, 10), real("s", "0.3", 10, "log"), real("l", "0.3", 3, "log"), real("B", "0.1", 3, "log")),
        *(real("m", 0, 6), real("eps", -1, 4)),
    ),
)
_FAMILY = statement(
    _in_both_orders("l g^T G y, v + l^2 - l^2 g^T G g", "=", "l h^T H [y; B], v + l^2 - l^2 h^T H h", "Z", "X", "k")
    + ", and R <= m l^2, and C <= l^2, and R/(s^2 + R) = z, and C/(s^2 + R) = x",
    *("v >= 0", "s > 0", "l > 0", "B >= 0", "f >= 0", "c >= 0", "m >= 0"),
    *("0 <= z <= m l^2/(s^2 + m l^2)", "0 <= x <= (1 - z) l^2/s^2"),
    where={
        "g": "f e",
        "h": "[g; c]",
        "y": "-(B e)",
        "G": "(g g^T + s^2 I)^{-1}",
        "H": "(h h^T + s^2 I)^{-1}",
        "k": "e^T e",
        "Z": "k f^2/(s^2 + k f^2)",
        "X": "c^2/(s^2 + k f^2)",
        "R": "s^2 z/(1 - z)",
        "C": "s^2 x/(1 - z)",
    },
    over=(
        *(vector_variable("e", "reals", 2, -1, 1), real("f", 0, 3), real("c", 0, 3), real("m", 0, 10)),
        *(real("z", 0, "0.99"), real("x", 0, 5), real("eps", -1, 4)),
        *(real("v", 0, 10), real("s", "0.3", 10, "log"), real("l", "0.3", 3, "log"), real("B", "0.1", 3, "log")),
    ),
)

CLAIMS = (
    stated_claim(
        id="N26-Pr8-joint",
        source="N26",
        title="a Gaussian-process prediction: mean and variance moved together, no pair beyond a family of two numbers",
        stated=_PREDICTED,
        about=(
            "F has the features of the other records as rows, y their labels, p = a w and b are those of the new"
            " record, q the features of the query: k(x, x') is the product of features, as every covariance function is"
            " at finitely many points; at most m other records with k(x, x) <= l^2 and labels up to B are within the"
            " hypotheses. Outputs without the new record and with it, mean and variance at the query with v added,"
            " reveal no more, in either order, than the pair of the family at (z, x). a = 0 is a record without"
            " features."
        ),
        search={"quick": 200, "full": 4_000},
        declared=Verdict.PROVED,
        checks=(
            proof("update of the prediction", prediction_features.update),
            proof("a longer shift", prediction_family.longer_shifts),
            proof("one map for both laws, and the family", prediction_joint.worst_pairs),
            proof("where the search may look", prediction_family.grows_in_both),
            GROWS,
            _PREDICTION_ATTACK,
            Check(
                "no noise at n 16, B 0.5, s^2 250, l 1, eps 1",
                Kind.CROSSCHECK,
                _no_noise(250),
                {"s^2 = 2": _no_noise(2)},
            ),
        ),
        note=(
            "Every pair of the family is attained (N26-Pr8-joint-attained), so the largest divergence is known exactly."
            " The posterior's own variance falls and rises with what a record can do to the mean, so v = 0 can be"
            " enough: at n = 16, B = 0.5, s^2 = 250, l = 1, eps = 1 the draw itself has delta 6.9e-109 (15.2059 printed"
            " with the literal Chernoff bound; 0.0133 from the mean and the variance bounded apart). n must be public."
        ),
    ),
    stated_claim(
        id="N26-Pr8-joint-attained",
        source="N26",
        title="every pair of the prediction's family is the pair of outputs of two neighbouring databases",
        stated=_FAMILY,
        about=(
            "One feature: with e = (1, ..., 1), k = e^T e is the number of the other records, each of feature f and"
            " label -B; the new one has c and B, the query l. Without other records e = 0. Their outputs are the"
            " family's pair at (Z, X). And every z and x of the family's ranges, ends included, is such a Z and X: R is"
            " k f^2 and C is c^2, so with k = m no feature is longer than l."
        ),
        search={"quick": 200, "full": 4_000},
        declared=Verdict.PROVED,
        checks=(
            proof("databases with one feature", prediction_attained.attained),
            proof("features for every z and x", prediction_attained.in_range),
            Check(
                "attained by databases with one feature",
                Kind.CROSSCHECK,
                _attained(),
                {"smaller labels": _attained(0.99)},
            ),
        ),
    ),
)
