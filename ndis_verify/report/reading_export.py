"""Records of checks of numbers, from what their claims say in words that a second reader has (`claims.reading`)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.claim import Check
from ndis_verify.claims.reading import Counter, Margin, Reading, Sides, Value
from ndis_verify.court.attack_checks import PointRun
from ndis_verify.court.certified_numbers import DecimalsRun, SignRun
from ndis_verify.court.certify_checks import BoxRun
from ndis_verify.discovery import holding
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.statements.printing import number_text
from ndis_verify.symbolic.expression_data import expression_data

Record = dict[str, Any]
_SIGNS = {1: ">", -1: "<"}


@cache
def readings() -> Mapping[tuple[str, str], Reading]:
    """Every reading, by claim and check."""
    return {
        key: value for module in holding("ndis_verify.claims", "READINGS") for key, value in module.READINGS.items()
    }


def reading_records(claim: str, check: Check) -> list[Record]:
    """The records of a check that has a reading; none where it has not, or is of another kind than its reading."""
    reading, run = readings().get((claim, check.name)), check.run
    if isinstance(reading, Counter) and isinstance(run, PointRun):
        return [_counterexample(reading, run)]
    if isinstance(reading, Margin) and isinstance(run, BoxRun):
        return [_box(reading, run)]
    if isinstance(reading, Value) and isinstance(run, DecimalsRun):
        return [
            {
                "kind": "number",
                "point": {},
                **_where(reading),
                "value": _plain(reading.of, *_numbers(row)),
                "text": text,
            }
            for row, text in run.table
        ]
    if isinstance(reading, Value) and isinstance(run, SignRun):
        return [_sign(reading, point, sign) for point, sign in run.signs]
    return []


def interval(value: Enclosure) -> list[str]:
    """Midpoint and radius, exactly."""
    return [number_text(exact(value.mid)), number_text(exact(value.rad))]


def _counterexample(reading: Counter, run: PointRun) -> Record:
    symbols = {name: sp.Symbol(name) for name in run.point}
    given = reading.given(**symbols) if reading.given else ()
    return {
        "kind": "counterexample",
        "stated": False,
        "point": {name: number_text(exact(value)) for name, value in run.point.items()},
        "hypotheses": [_relation(sides) for sides in given],
        **_where(reading),
        "claimed": _relation(reading.asserted(**symbols)),
        "least": reading.least,
        "violation": interval(run.certify(run.point)) if reading.measured else None,
    }


def _box(reading: Margin, run: BoxRun) -> Record:
    middle = [(a.low + a.high) / 2 for a in run.box]
    with working_bits(200):
        there = enclosure(run.function(*map(ball, middle)))
    return {
        "kind": "box",
        "middle": interval(there),
        "axes": [[a.name, number_text(a.low), number_text(a.high), a.scale] for a in run.box],
        "point": {},
        **_where(reading),
        "margin": expression_data(reading.of(**{a.name: sp.Symbol(a.name) for a in run.box})),
    }


def _sign(reading: Value, point: Mapping[str, Any], sign: int) -> Record:
    value = _plain(reading.of, **{name: _number(x) for name, x in point.items()})
    return {"kind": "sign", "point": {}, **_where(reading), "holds": [_SIGNS[sign], value, ["number", "0"]]}


def _where(reading: Reading) -> Record:
    return {"where": [[name, expression_data(value)] for name, value in reading.where.items()]}


def _relation(sides: Sides) -> list[Any]:
    left, sign, right = sides
    return [sign, expression_data(left), expression_data(right)]


def _plain(of: Any, *arguments: Any, **named: Any) -> list[Any]:
    return expression_data(of(*arguments, **named))


def _numbers(row: tuple[Any, ...]) -> list[Any]:
    """The arguments of a decimal: exact numbers as SymPy's, words as they are."""
    return [_number(x) for x in row]


def _number(x: Any) -> Any:
    try:
        value: Fraction = exact(x)
    except InputError:
        return x
    return sp.Rational(value.numerator, value.denominator)
