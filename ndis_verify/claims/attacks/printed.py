"""Statements that fail as printed, with the whole domain that they claim: what `ndis-verify attack ID` finds
violated.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ndis_verify.claims.attack import Problem, enclosed_difference
from ndis_verify.claims.attacks.builders import around, box
from ndis_verify.claims.domain import Condition, Point, choice, continuous, integer
from ndis_verify.claims.least_squares_law import SINGULAR, ZERO_CURVATURE
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.fast.least_squares import als_hockey_stick as fast_als_hockey_stick
from ndis_verify.oracle.certified.least_squares import als_hockey_stick as certified_als_hockey_stick

_WAYS = ("delete", "insert")


def _moved(p, share, grown, step):
    """(p, q) before and after a step in the leverage with the share fixed, or in the share."""
    return (p, p + share), (p + step * (grown == "leverage"), p + share + step)


def _drop(p, share, grown, step, d, r, epsilon):
    (p1, q1), (p2, q2) = _moved(p, share, grown, step)
    before, after = (
        np.maximum(*(float(fast_als_hockey_stick(a, b, d, r, epsilon, way)) for way in _WAYS))
        for a, b in ((p1, q1), (p2, q2))
    )
    return after - before


def _larger(p: Fraction, q: Fraction, at: Point) -> Enclosure:
    values = [certified_als_hockey_stick(p, q, at["d"], at["r"], at["epsilon"], way, digits=20) for way in _WAYS]
    return max(values, key=lambda value: value.lower)


def _certified_drop(at: Point) -> Enclosure:
    """The larger direction after the step less before it."""
    before, after = _moved(exact(at["p"]), exact(at["share"]), at["grown"], exact(at["step"]))
    return enclosed_difference(_larger(*after, at), _larger(*before, at))


_ASSUMPTION = Problem(
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


def _on_curve() -> Problem:
    """Table VI on the curve q = 2p - p^2, where its entry is 0: `around` sees no curve of measure zero."""
    nearby = around("N24-TabVI", SINGULAR.run)

    def on_curve(at: Point) -> Enclosure:
        p = exact(at["p"])
        return nearby.certify({**at, "p": p, "q": 2 * p - p * p})

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


PRINTED = {
    "N24-T5-assumption": _ASSUMPTION,
    "N24-Fig15": _ASSUMPTION,
    "N24-T4": _on_curve(),
    "N24-TabVI": _on_curve(),
    "N24-P16": around("N24-P16", ZERO_CURVATURE.run),
}
