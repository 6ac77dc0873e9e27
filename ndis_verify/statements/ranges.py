"""Beyond the ranges in which a statement is searched: it speaks wherever its hypotheses hold, and must hold there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from ndis_verify.statements.mutation import built
from ndis_verify.statements.statement import Relation, Statement, Variable
from ndis_verify.statements.terms import variable

_WHOLE_SETS = ("law", "orthogonal")  # of which all are searched but a few
_FARTHER = 20
_NEARER = Fraction(1, 10**6)


def beyond_ranges(statement: Statement) -> Iterator[tuple[str, Statement]]:
    """The same statement, a variable at a time below the range in which it is searched, next to 0, and above; and all
    those that are searched at positive values alone at values of either sign.

    A hypothesis that should be there and is not, as k > 0 beside a range that begins at 1, leaves points there at which
    the statement fails.
    """
    free = [v for v in statement.variables if v.kind not in _WHOLE_SETS]
    for one in free:
        for where, moved in _moved(one, _kept_positive(one, statement)):
            found = built(statement, variables=tuple(moved if v is one else v for v in statement.variables))
            if found is not None:
                yield f"{one.name} {where}", found
    signed = {
        v.name: replace(v, low=-v.high, scale="linear")
        for v in free
        if v.low >= 0 < v.high and not _kept_positive(v, statement)
    }
    if len(signed) > 1:
        found = built(statement, variables=tuple(signed.get(v.name, v) for v in statement.variables))
        if found is not None:
            yield f"{', '.join(signed)} of either sign", found


def within_ranges(statement: Statement) -> Statement:
    """The statement with the ranges in which its numbers are searched as hypotheses, where none says as much: what is
    certified over them is this, and no more.
    """
    bounds = (bound for v in statement.variables if not v.shape for bound in _bounds(v, statement))
    return statement.under(*bounds)


def _bounds(v: Variable, statement: Statement) -> Iterator[Relation]:
    said = [
        (h.sign, h.right.number)
        for h in statement.hypotheses
        if h.left == variable(v.name) and h.right.head == "number"
    ]
    if not any(sign in (">", ">=") and number >= v.low for sign, number in said):
        yield Relation(variable(v.name), ">=", v.low)
    if not any(sign in ("<", "<=") and number <= v.high for sign, number in said):
        yield Relation(variable(v.name), "<=", v.high)


def _kept_positive(v: Variable, statement: Statement) -> bool:
    """Whether a hypothesis says that the variable is at least a number that is not negative."""
    return any(
        side.head in ("variable", "coordinate") and side.name == v.name and other.head == "number" and other.number >= 0
        for h in statement.hypotheses
        for side, other in [(h.left, h.right)] * (h.sign in (">", ">=")) + [(h.right, h.left)] * (h.sign in ("<", "<="))
    )


def _moved(v: Variable, kept_positive: bool) -> Iterator[tuple[str, Variable]]:
    whole = v.kind in ("integer", "integers")
    room = max(Fraction(2), (v.high - v.low) / 10).__ceil__()
    if v.low < 0:
        yield f"below {v.low}", replace(v, low=_FARTHER * v.low, high=v.low, scale="linear")
    elif not kept_positive:
        yield f"below {v.low}", replace(v, low=-room, scale="linear")
    if v.low > 0:
        near = replace(v, low=0, scale="linear") if whole else replace(v, low=v.low * _NEARER, high=v.low, scale="log")
        yield "next to 0", near
    if v.high > 0:
        yield f"above {v.high}", replace(v, low=v.high, high=_FARTHER * v.high, scale="log")
