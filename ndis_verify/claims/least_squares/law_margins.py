"""What the attacks on the law of least squares search: which of two records is worse, Table VI, the hinge."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.claims.general_engine import real_engine
from ndis_verify.claims.hockey_stick.attacks import scalar_hinge
from ndis_verify.claims.least_squares.law_checks import SINGULAR
from ndis_verify.court.attack import Problem, enclosed_difference
from ndis_verify.court.attack_checks import point_run
from ndis_verify.court.domain import Condition, Point, choice, continuous, integer
from ndis_verify.court.margins import around, box, identity, search
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.fast.generalized_chi2 import GeneralizedChi2
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick as fast_als_hockey_stick
from ndis_verify.oracle.certified.least_squares.asymptotic_law import als_hockey_stick as certified_als_hockey_stick

_WAYS = ("delete", "insert")


def _moved(p, share, grown, step):
    """(p, q) before and after a step in the leverage with the share fixed, or in the share."""
    return (p, p + share), (p + step * (grown == "leverage"), p + share + step)


def _drop(p, share, grown, step, d, r, epsilon):
    (p1, q1), (p2, q2) = _moved(p, share, grown, step)
    before, after = (
        np.max([float(fast_als_hockey_stick(a, b, d, r, epsilon, way)) for way in _WAYS])
        for a, b in ((p1, q1), (p2, q2))
    )
    return after - before


def _larger(p: Fraction, q: Fraction, at: Point) -> Enclosure:
    values = [certified_als_hockey_stick(p, q, at["d"], at["r"], at["epsilon"], way, digits=20) for way in _WAYS]
    return max(values, key=lambda value: value.lower)


def _certified_drop(at: Point) -> Enclosure:
    """The larger direction after the step less before it."""
    before, after = _moved(exact(at["p"]), exact(at["share"]), at["grown"], exact(at["step"]))
    return enclosed_difference(_larger(after[0], after[1], at), _larger(before[0], before[1], at))


ASSUMPTION = Problem(
    "the larger direction grows with the leverage and with the residual share, as assumed",
    _drop,
    box(
        continuous("p", "0.001", "0.9"),
        continuous("share", "0.001", "0.9"),
        choice("grown", ("share", "leverage")),
        continuous("step", "0.01", "0.3"),
        choice("d", (1, 2, 5)),
        integer("r", 1, 50, "log"),
        continuous("epsilon", "0.1", 20, "log"),
        constraints=(Condition("p + share + step < 1", lambda p, share, step, **_: p + share + step <= 0.99),),
    ),
    tolerance=1e-9,
    vectorised=False,
    certify=_certified_drop,
)


def on_curve() -> Problem:
    """Table VI on the curve q = 2p - p^2, where its entry is 0: `around` sees no curve of measure zero."""
    decided = around("N24-TabVI", point_run(SINGULAR)).certify
    assert decided is not None

    def on_curve(at: Point) -> Enclosure:
        p = exact(at["p"])
        return decided({**at, "p": p, "q": 2 * p - p * p})

    def margin(**values):
        return float(
            on_curve({name: exact(value) if name != "r" else int(value) for name, value in values.items()}).mid
        )

    domain = box(continuous("p", "0.05", "0.9"), integer("r", 1, 50, "log"), continuous("epsilon", "0.01", 1, "log"))
    return Problem(
        "the table's difference of two laws on the curve q = 2p - p^2, d = 1",
        margin,
        domain,
        tolerance=0.0,
        vectorised=False,
        certify=on_curve,
    )


_CLOSE = 1e-8


def _general_hinge(factor=1.0):
    """N24-P16 for one coordinate: the hinge with any constant c is the divergence at another, real, epsilon."""
    return lambda side, log, shift, epsilon: scalar_hinge(np.exp(side * log), factor * shift, epsilon)


GENERAL_HINGE = identity(
    "two probabilities against the contour integral, any constant, a != 0",
    _general_hinge(),
    lambda side, log, shift, epsilon: real_engine(np.expm1(side * log), shift**2, 1, epsilon),
    box(
        choice("side", (1, -1)),
        continuous("log", "0.01", 5, "log"),
        continuous("shift", "1e-3", 5, "log"),
        continuous("epsilon", -5, 5),
    ),
    {"shift 1 % too large": _general_hinge(1.01)},
    scale=lambda side, log, shift, epsilon: 1 + np.exp(epsilon),
    tolerance=_CLOSE,
)


def _off_the_curve(q: Any, along: Any, **_: Any) -> Any:
    p = q * along
    return np.abs(p * (1 - p) - (q - p)) >= 0.02 * q


def _table(dofs=0):
    """Table VI's deletion, two generalized chi-square laws, against the contour integral, one record."""

    def margin(q, along, d, r, epsilon):
        p = q * along
        g = p * (1 - p) - (q - p)
        first = [g / (1 - q), -(q - p) / (1 - q)], r * p * (q - p) * (1 - p) ** 2 / g**2
        second = [g / (1 - p) ** 2, -(q - p) / (1 - p)], r * p * (q - p) * (1 - q) / g**2
        c = 0.5 * (2 * np.log1p(-p) - d * np.log1p(-q) + (d - 1) * np.log1p(-p) - r * p * (q - p) / (1 - q))
        values = []
        for weights, centre in (first, second):
            keep = 2 if d > 1 else 1
            law = GeneralizedChi2(weights[:keep], [1, d - 1 + dofs][:keep], [centre, 0.0][:keep])
            values.append(float(law.cdf(g / (1 - q) * first[1] - 2 * (epsilon + c))))
        exact = float(fast_als_hockey_stick(p, q, d, r, epsilon))
        return -abs(values[0] - np.exp(epsilon) * values[1] - exact) / (1 + np.exp(epsilon))

    return margin


TABLE = search(
    "the table's two laws of a deletion against the contour integral, away from q = 2p - p^2",
    _table(),
    box(
        continuous("q", "0.05", "0.9"),
        continuous("along", "0.05", "0.95"),
        integer("d", 1, 5),
        integer("r", 1, 50, "log"),
        continuous("epsilon", 0, 3),
        constraints=(Condition("|p(1-p) - (q-p)| >= 0.02 q", _off_the_curve),),
    ),
    {"one degree of freedom more": _table(1)},
    vectorised=False,
    tolerance=_CLOSE,
    quick=100,
    full=1500,
)
