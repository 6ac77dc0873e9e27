"""What the calculator of the site asks: certified quantities, and statements at a point; texts in, texts out.

It runs where there is no numpy and no scipy: in a browser.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from flint import arb

from ndis_verify.court.exact_points import Point
from ndis_verify.court.statement_balls import decide, sides_at
from ndis_verify.exact_number import InputError, exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.engine.spectrum import spectrum
from ndis_verify.reference.exact_engines import CERTIFIED
from ndis_verify.reference.protocol import answer_line
from ndis_verify.statements.json_form import from_json
from ndis_verify.statements.statement import Statement

_DIGITS = 12  # of the margin of a statement, and of the law of a loss
_BITS = 200


def answered(line: str) -> str:
    """The answer to a request of the line protocol by the certified engine, or to one of two more:

    `{"id": 1, "statement": {...}, "point": {"eps": "1"}}` is answered by `outcome`, `margin`, `radius` and `sides`,
    `{"id": 1, "loss": {"mean_p": ["1"], ...}}` by the law of the privacy loss under P: that of the sum of `weights`
    times noncentral chi-square variables, a normal one of standard deviation `std`, and `shift`.
    """
    asked = json.loads(line)
    answer = next((made for key, made in (("statement", _decided), ("loss", _loss)) if key in asked), None)
    if answer is None:
        return json.dumps(answer_line(line, CERTIFIED))
    try:
        return json.dumps({"id": asked["id"], **answer(asked)})
    except InputError as error:
        said = {"kind": "domain", "argument": error.argument, "message": str(error)}
        return json.dumps({"id": asked["id"], "error": said})


def _loss(asked: dict[str, Any]) -> dict[str, Any]:
    """In coordinates that make Q standard normal and P = N(m, 1 + alpha), with z standard normal under P,

    2 L = sum alpha (z + m sqrt(1 + alpha)/alpha)^2 + 2 m_0 z + m_0^2 - log det(1 + alpha) - sum m^2/alpha,

    where m_0 is the mean where alpha = 0. To `_DIGITS` digits, certified.
    """
    spec = spectrum(GaussianPair(**asked["loss"]))
    with working_bits(_BITS):
        parts = spec.nonzero(_BITS)
        shift = (ball(spec.null_m2 - spec.shift_over_alpha()) - ball(spec.det_ratio()).log()) / 2
        return {
            "weights": [_shown(part.alpha / 2) for part in parts],
            "dofs": [str(part.multiplicity) for part in parts],
            "noncentralities": [_shown(part.m2 * (1 + part.alpha) / part.alpha**2) for part in parts],
            "std": _shown(ball(spec.null_m2).sqrt()),
            "shift": _shown(shift),
        }


def _shown(value: arb) -> str:
    return enclosure(value).decimal(_DIGITS)[0]


def _decided(asked: dict[str, Any]) -> dict[str, Any]:
    statement = from_json(json.dumps(asked["statement"]))
    point = _point(statement, asked["point"])
    found = decide(statement, point)
    sides = [said for _, said in sides_at(statement, point)] if found.outcome == "violated" else []
    margin, radius = found.margin.decimal(_DIGITS) if found.margin is not None else ("", "")
    return {"outcome": found.outcome, "margin": margin, "radius": radius, "sides": sides}


def _point(statement: Statement, given: dict[str, str]) -> Point:
    """The exact numbers of a point, by the names of the variables and of their coordinates."""
    point: Point = {}
    for v in statement.variables:
        for name in [f"{v.name}_{i + 1}" for i in range(v.size)] if v.is_vector else [v.name]:
            if name not in given:
                raise InputError(name, "absent", "must be given")
            point[name] = _number(given[name], name)
            if v.kind in ("integer", "integers") and point[name].denominator != 1:
                raise InputError(name, given[name], "must be a whole number")
    return point


def _number(text: str, name: str) -> Fraction:
    """A decimal, or a fraction of two."""
    above, line, below = text.partition("/")
    if line and not exact(below, name):
        raise InputError(name, text, "must not be divided by 0")
    return exact(above, name) / (exact(below, name) if line else 1)
