"""The value of one reference row: the certified enclosure, confirmed by the two-route oracle."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from ndis_verify.exact_number import exact
from ndis_verify.reference.engines import ENGINES
from ndis_verify.reference.protocol import answer_line
from ndis_verify.reference.rows import RowSpec

DIGITS = 40
SECOND_DIGITS = 25


class RowError(RuntimeError):
    """A row whose value could not be settled: the routes fail, or disagree."""


def computed(row: RowSpec) -> dict[str, Any]:
    """The finished row as plain JSON types. Raises `RowError`."""
    request = {"id": row.name, "quantity": row.quantity, "inputs": row.inputs, "digits": DIGITS}
    first = ask(request, "certified")
    if row.refusal is not None:
        return finished(row, {"error": _refusal(row, first)})
    return finished(row, _value(row, first, ask({**request, "digits": SECOND_DIGITS}, "oracle")))


def finished(row: RowSpec, values: dict[str, Any]) -> dict[str, Any]:
    """The row with its `values`: value, radius, basis and second, or error."""
    record = {"name": row.name, "inputs": row.inputs, **values, "flags": list(row.flags), "claim": row.claim}
    record |= {key: getattr(row, key) for key in ("group", "position") if getattr(row, key) is not None}
    return record | ({"core": True} if row.core else {})


def ask(request: dict[str, Any], engine: str) -> dict[str, Any]:
    """The answer of one of the package's engines to one request of the line protocol."""
    return answer_line(json.dumps(request), ENGINES[engine])


def _value(row: RowSpec, first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    for answer, engine in ((first, "certified"), (second, "oracle")):
        if "error" in answer:
            raise RowError(f"{row.quantity}/{row.name}: {engine}: {answer['error']}")
    value, other = Fraction(first["value"]), Fraction(second["value"])
    gap = abs(value - other)
    if gap > exact(first["radius"]) + exact(second["radius"]):
        raise RowError(
            f"{row.quantity}/{row.name}: {first['value']} +/- {first['radius']} against {second['value']} +/-"
            f" {second['radius']}"
        )
    return {"value": first["value"], "radius": first["radius"], "basis": first["basis"], "second": second["value"]}


def _refusal(row: RowSpec, answer: dict[str, Any]) -> dict[str, Any]:
    error = answer.get("error", {})
    if error.get("argument") != row.refusal:
        raise RowError(f"{row.quantity}/{row.name}: {row.refusal} is not refused: {answer}")
    return {"kind": error["kind"], "argument": error["argument"]}
