"""Whether what a step is decided by is what it says: a reduction may have looked at one branch of a side alone."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Hypothesis, Step
from ndis_verify.symbolic.sides import opened
from ndis_verify.symbolic.zero import as_expression, is_zero, nonzero_somewhere

_POINTS = 24  # in wide ranges, of which some are outside of the domain


def reduction_problems(derivation: Derivation, step: Step) -> Iterator[str]:
    """Whether the sides of a step that a `reduce` decides differ at a point of the domain, and whether it would make 0
    of other sides as well.
    """
    if step.reduce is None:
        return
    gap = opened(step.lhs) - opened(step.rhs) - (0 if step.relation == "=" else step.witness)
    domain = derivation.domain if all(end.part for end in derivation.concludes) else ()  # of no claim
    within = [one for one in (*domain, *_relations(derivation)) if isinstance(one, sp.core.relational.Rel)]
    for entry in map(as_expression, gap if isinstance(gap, sp.MatrixBase) else [gap]):
        if not entry.has(sp.Integral) and nonzero_somewhere(entry, points=lambda e: _points(e, within), least=0.0):
            yield "its sides differ somewhere in the domain, whatever its reduction makes of them"
    if _takes_another(step):
        yield "its reduction makes 0 of another right side, too"


def _takes_another(step: Step) -> bool:
    """Whether the reduction of a step makes 0 of its sides with 1 more on the right one as well."""
    right = as_expression(step.rhs)
    more = right + (sp.ones(*right.shape) if isinstance(right, sp.MatrixBase) else 1)
    try:
        return is_zero(replace(step, rhs=more).residual()) is True
    except (ArithmeticError, AttributeError, IndexError, KeyError, NotImplementedError, TypeError, ValueError):
        return False  # it is made for this right side alone


def _relations(derivation: Derivation) -> Iterator[Any]:
    yield from (h.relation for h in derivation.hypotheses if isinstance(h, Hypothesis))


def _points(expression: sp.Expr, within: Iterable[Any]) -> Iterator[Mapping[sp.Symbol, sp.Rational]]:
    drawn = random.Random(str(expression))  # the same on every run
    symbols = sorted(expression.free_symbols, key=lambda symbol: symbol.name)
    for _ in range(_POINTS):
        point = {symbol: _wide(symbol, drawn) for symbol in symbols}
        if all(one.subs(point) == sp.true for one in within if one.free_symbols <= set(point)):
            yield point


def _wide(symbol: sp.Symbol, drawn: random.Random) -> sp.Rational:
    """Between a hundredth and a hundred, of either sign where the symbol may have both."""
    size = (
        sp.Integer(drawn.randint(1, 99)) if symbol.is_integer else sp.Rational(round(100 ** (2 * drawn.random())), 100)
    )
    return -size if symbol.is_nonpositive or not (symbol.is_nonnegative or drawn.getrandbits(1)) else size
