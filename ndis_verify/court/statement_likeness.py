"""Whether two statements ask for the same, or one of them for less, where ball arithmetic compares them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from ndis_verify.court.exact_points import Point
from ndis_verify.court.quantities.exact import Number, as_ball
from ndis_verify.court.statement_balls import scalar_sides_of, values_of
from ndis_verify.oracle.certified.engine.balls import ball, working_bits
from ndis_verify.statements.statement import Statement, plain_relations
from ndis_verify.statements.terms import free_names


def same_at(one: Statement, other: Statement, points: Sequence[Point], digits: int = 40) -> bool:
    """Whether two statements under the same hypotheses have relations of the same signs whose sides agree to half of
    `digits` at every one of the points: then they are one statement, whatever they look like.
    """
    return _alike(one, other) and bool(points) and all(_compared(one, other, p, digits) == "same" for p in points)


def weaker_at(one: Statement, other: Statement, points: Sequence[Point], digits: int = 40) -> int:
    """At how many points `other`, under the same hypotheses, asks for no more than `one` does, that is no relation has
    a smaller margin; 0 where it asks for more at one of them. Points without a value are passed over.
    """
    found = [_compared(one, other, point, digits) for point in points] if _alike(one, other) else []
    return 0 if "stronger" in found else sum(outcome in ("same", "weaker") for outcome in found)


def _alike(one: Statement, other: Statement) -> bool:
    """The same hypotheses, also of the names that they use, about relations of the same signs."""
    asked = set().union(*(free_names(t) for h in one.hypotheses for t in h.terms))
    named, renamed = dict(one.where), dict(other.where)
    for name, value in reversed(one.where):
        asked |= free_names(value) if name in asked else set()
    return (
        one.hypotheses == other.hypotheses
        and all(named[name] == renamed.get(name) for name in asked & set(named))
        and [r.sign for r in plain_relations(one.claimed)] == [r.sign for r in plain_relations(other.claimed)]
    )


def _compared(one: Statement, other: Statement, point: Point, digits: int) -> str:
    """What `other` asks for at a point: "same", "weaker", "stronger" (or another thing), "" without a value."""
    found = "same"
    try:
        with working_bits(4 * digits):
            values, changed = (values_of(statement, point, digits) for statement in (one, other))
            for before, after in zip(plain_relations(one.claimed), plain_relations(other.claimed), strict=True):
                first, second = scalar_sides_of(before, values, digits), scalar_sides_of(after, changed, digits)
                ordered = before.sign != "=" and len(first) > 1  # matrices, whose minors say no more than their order
                for old, new in zip(first, second, strict=True):
                    outcome = _weighed(before.sign, old, new, digits)
                    if outcome == "stronger" or (outcome == "weaker" and ordered):
                        return "stronger"
                    found = outcome or found
    except (ArithmeticError, ValueError):  # no value there, or a point that the fault's quantities refuse
        return ""
    return found


def _weighed(sign: str, old: tuple[Number, Number], new: tuple[Number, Number], digits: int) -> str:
    """What a pair of numbers asks for in the place of another, "" where it is the same."""
    (left, right), (new_left, new_right) = (tuple(map(as_ball, pair)) for pair in (old, new))
    if _agree(left, new_left, digits) and _agree(right, new_right, digits):
        return ""
    gain = _moved(right, new_right) - _moved(left, new_left)
    return "weaker" if sign != "=" and (gain >= 0 if sign in ("<", "<=") else gain <= 0) else "stronger"


def _moved(a: arb, b: arb) -> arb:
    """b - a, which is 0 where both were computed alike."""
    return arb(0) if a.mid() == b.mid() and a.rad() == b.rad() else b - a


def _agree(a: arb, b: arb, digits: int) -> bool:
    return bool(abs(a - b).upper() <= abs(a).upper() * ball(Fraction(1, 10 ** (digits // 2))))
