"""What the calculator of the site asks: certified quantities, and statements at a point; texts in, texts out.

It runs where there is no numpy and no scipy: in a browser.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from ndis_verify.court.exact_points import Point
from ndis_verify.court.statement_balls import decide, sides_at
from ndis_verify.exact_number import InputError, exact
from ndis_verify.reference.exact_engines import CERTIFIED
from ndis_verify.reference.protocol import answer_line
from ndis_verify.statements.json_form import from_json
from ndis_verify.statements.statement import Statement

_DIGITS = 12  # of the margin of a statement


def answered(line: str) -> str:
    """The answer to a request of the line protocol by the certified engine, or to one for a statement at a point:

    `{"id": 1, "statement": {...}, "point": {"eps": "1"}}` is answered by `outcome`, `margin`, `radius` and `sides`.
    """
    asked = json.loads(line)
    return json.dumps(_decided(asked) if "statement" in asked else answer_line(line, CERTIFIED))


def _decided(asked: dict[str, Any]) -> dict[str, Any]:
    try:
        statement = from_json(json.dumps(asked["statement"]))
        point = _point(statement, asked["point"])
        found = decide(statement, point)
        sides = [said for _, said in sides_at(statement, point)] if found.outcome == "violated" else []
    except InputError as error:
        said = {"kind": "domain", "argument": error.argument, "message": str(error)}
        return {"id": asked["id"], "error": said}
    margin, radius = found.margin.decimal(_DIGITS) if found.margin is not None else ("", "")
    return {"id": asked["id"], "outcome": found.outcome, "margin": margin, "radius": radius, "sides": sides}


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
