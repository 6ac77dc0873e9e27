"""Whether what a step is decided by is what it says: a reduction may have looked at one branch of a side alone."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, islice, pairwise
from typing import Any

import sympy as sp

from ndis_verify.court.proof_digits import VISIBLE, AtPoint, may_be, wide
from ndis_verify.symbolic.derivation import Derivation, Hypothesis, Step
from ndis_verify.symbolic.scopes import STEPPED
from ndis_verify.symbolic.sides import opened
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.zero import as_expression, is_zero, nonzero_somewhere

_POINTS = 24  # in wide ranges, of which some are outside of the domain
_FAR = 1000
_NEAR = sp.Rational(1, 10**6)  # of a root that is no rational number
_QUICK = (sp.log, sp.Abs, sp.Max, sp.Min)  # far out nothing is lost beside these, as it is beside exponentials
_TURNING = (  # what has kinks or jumps, or nears a limit too fast for any digits
    *(sp.Abs, sp.Max, sp.Min, *STEPPED),
    *(sp.tanh, sp.coth, sp.erf, sp.erfc, Phi),
)


def reduction_problems(derivation: Derivation, step: Step) -> Iterator[str]:
    """Whether the sides of a step that a `reduce` decides differ at a point of the domain, and whether it would make 0
    of other sides as well.
    """
    if step.reduce is None:
        return
    gap = opened(step.lhs) - opened(step.rhs) - (0 if step.relation == "=" else step.witness)
    domain = derivation.domain if all(end.part for end in derivation.concludes) else ()  # of no claim
    orders = (sp.Ge, sp.Gt, sp.Le, sp.Lt)  # an equation is met by no point that is drawn: a reduction knows of none
    within = [one for one in (*domain, *_relations(derivation)) if isinstance(one, orders)]
    for entry in map(as_expression, gap if isinstance(gap, sp.MatrixBase) else [gap]):
        near = nonzero_somewhere(entry, points=lambda e: _points(e, within), least=0.0) if _is_plain(entry) else False
        if near or nonzero_somewhere(entry, points=lambda e: _far_points(e, within), least=VISIBLE):
            yield "its sides differ somewhere in the domain, whatever its reduction makes of them"
    for side, name in (("rhs", "right"), ("lhs", "left")):
        if _takes_another(step, side):
            yield f"its reduction makes 0 of another {name} side, too"


def _takes_another(step: Step, side: str) -> bool:
    """Whether the reduction of a step makes 0 of its sides with 1 more on one of them as well."""
    own = as_expression(getattr(step, side))
    more = own + (sp.ones(*own.shape) if isinstance(own, sp.MatrixBase) else 1)
    try:
        return is_zero(replace(step, **{side: more}).residual()) is True
    except (ArithmeticError, AttributeError, IndexError, KeyError, NotImplementedError, TypeError, ValueError):
        return False  # it is made for these sides alone


def _relations(derivation: Derivation) -> Iterator[Any]:
    yield from (h.relation for h in derivation.hypotheses if isinstance(h, Hypothesis))


def _points(expression: sp.Expr, within: Iterable[Any]) -> Iterator[Mapping[sp.Symbol, sp.Rational]]:
    drawn = random.Random(str(expression))  # the same on every run
    symbols = sorted(expression.free_symbols, key=lambda symbol: symbol.name)
    tried = [{symbol: wide(symbol, drawn) for symbol in symbols} for _ in range(_POINTS)]
    tried += [beside for point in tried[:4] for beside in _beside_kinks(expression, point)]
    yield from _within(tried, within)


def _far_points(expression: sp.Expr, within: Iterable[Any]) -> Iterator[Mapping[sp.Symbol, sp.Rational]]:
    """A thousand times as far; none of functions that take long there, or beside which all else is lost."""
    if _is_plain(expression) and all(isinstance(part, _QUICK) for part in expression.atoms(sp.Function)):
        tried = islice(_points(expression, ()), _POINTS)
        yield from _within(({one: _FAR * value for one, value in point.items()} for point in tried), within)


def _is_plain(expression: sp.Expr) -> bool:
    return not expression.has(sp.Integral)


def _within(
    points: Iterable[Mapping[sp.Symbol, sp.Rational]], within: Iterable[Any]
) -> Iterator[Mapping[sp.Symbol, sp.Rational]]:
    for point in points:
        at = AtPoint(point)
        if all(at.holds(one.lhs - one.rhs, one.rel_op) for one in within if one.free_symbols <= set(point)):
            yield point


def _beside_kinks(expression: sp.Expr, point: Mapping[sp.Symbol, sp.Rational]) -> Iterator[dict[sp.Symbol, Any]]:
    """Points at and on both sides of where what a function is of is 0, the other symbols as at `point`."""
    for part in expression.atoms(*_TURNING):
        for edge in _edges(part):
            for symbol in edge.free_symbols & set(point):
                found = edge.subs({one: value for one, value in point.items() if one != symbol})
                yield from ({**point, symbol: one} for one in _near_roots(found, symbol) if may_be(symbol, one))


def _near_roots(value: Any, symbol: sp.Symbol) -> Iterator[sp.Rational]:
    """The rational roots, and points on both sides of each root and between two."""
    poly = _polynomial(value, symbol)
    if poly is None:
        return
    yield from poly.ground_roots()
    ends = [end for interval, _ in poly.intervals(eps=_NEAR) for end in interval]
    yield from ((one + other) / 2 for one, other in pairwise(ends))
    for end in ends:
        yield from (end + sign * size for size in (sp.Rational(1, 8), 1, 1 + abs(end)) for sign in (1, -1))


def rational_roots(value: Any, symbol: sp.Symbol) -> Iterator[sp.Rational]:
    """Those of a polynomial with rational coefficients; others are not looked for."""
    poly = _polynomial(value, symbol)
    yield from () if poly is None else poly.ground_roots()


def _polynomial(value: Any, symbol: sp.Symbol) -> sp.Poly | None:
    """A polynomial that is not 0, with rational coefficients."""
    plain = not value.atoms(sp.Function, sp.NumberSymbol) and all(one.exp.is_Integer for one in value.atoms(sp.Pow))
    return sp.Poly(value, symbol) if plain and value != 0 and value.is_polynomial(symbol) else None


def _edges(part: Any) -> Iterator[Any]:
    """What is 0 where a part turns."""
    if isinstance(part, sp.Piecewise):
        for _, condition in part.args:
            yield from (one.lhs - one.rhs for one in condition.atoms(sp.core.relational.Relational))
    elif isinstance(part, (sp.Max, sp.Min)):
        yield from (one - other for one, other in combinations(part.args, 2))
    else:
        yield from part.args
