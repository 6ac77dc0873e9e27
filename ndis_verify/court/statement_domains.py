"""The domain that the hypotheses of a statement leave, points of it, and what an attack on the statement searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ndis_verify.court.attack import Problem
from ndis_verify.court.domain import Condition, Domain, Parameter, Point, choice, continuous, integer
from ndis_verify.court.statement_balls import ExactMargin, admits
from ndis_verify.court.statement_floats import TOLERANCE, Holds, StatementMargin
from ndis_verify.statements.statement import Relation, Statement, Variable


def domain_of(statement: Statement) -> Domain:
    """The ranges of the variables, cut down by the hypotheses and by nothing else."""
    parameters = [p for v in statement.variables for p in _parameters(v, statement)]
    constraints = [_condition(h, statement) for h in statement.hypotheses]
    return Domain(tuple(parameters), tuple(constraints))


def problem_of(statement: Statement, name: str, **options: Any) -> Problem:
    """What an attack on the statement searches; its certificate decides points in ball arithmetic."""
    options = {"tolerance": TOLERANCE, **options}
    return Problem(name, StatementMargin(statement), domain_of(statement), certify=ExactMargin(statement), **options)


def _parameters(v: Variable, statement: Statement) -> list[Parameter]:
    """What a variable is searched by. A hypothesis of numbers cuts the range where the numbers that are searched are
    those that it speaks of: not the weights of a law, nor the entries of a matrix, of which A >= 0 says something else.
    """
    low, high = v.low, v.high
    for h in statement.hypotheses:
        for side, other, signs in ((h.left, h.right, (">", ">=")), (h.right, h.left, ("<", "<="))):
            if (
                v.kind in ("real", "integer", "reals", "integers")
                and side.head in ("variable", "coordinate")
                and side.name == v.name
                and other.head == "number"
            ):
                low = max(low, other.number) if h.sign in signs else low
                high = min(high, other.number) if h.sign in ("<", "<=", ">", ">=") and h.sign not in signs else high
    names = v.entries
    diagonal = [name.split("_")[-1:] == name.split("_")[-2:-1] for name in names]
    if v.kind == "symmetric":
        return [
            continuous(name, low, high, v.scale) if on else continuous(name, -high, high)
            for name, on in zip(names, diagonal, strict=True)
        ]
    if v.kind == "orthogonal":
        return [
            choice(name, (1, -1)) if on else continuous(name, low, high)
            for name, on in zip(names, diagonal, strict=True)
        ]
    if v.kind in ("integer", "integers"):
        scale: Literal["linear", "log"] = "log" if v.scale == "log" else "linear"
        return [integer(name, -(-low.numerator // low.denominator), high.__floor__(), scale) for name in names]
    return [continuous(name, low, high, v.scale) for name in names]


def _condition(hypothesis: Relation, statement: Statement) -> Condition:
    def exact(**point: Any) -> bool:
        try:
            return admits(statement, hypothesis, point)
        except ArithmeticError:  # a quantity of the hypothesis has no value there
            return False

    return Condition(hypothesis.plain(), Holds(hypothesis, statement), exact)


def random_points(statement: Statement, count: int, seed: int = 0) -> list[Point]:
    """At most `count` exact points of the domain, spread as the search spreads them; the same on every call."""
    domain, rng = domain_of(statement), np.random.default_rng(seed)
    units = rng.permutation(domain.sample(8 * count, rng))
    with np.errstate(all="ignore"):
        inside = np.flatnonzero(domain.feasible(domain.columns(units)))
    points = [domain.point(units[k].tolist()) for k in inside[:count]]
    return [point for point in points if domain.contains(point)]


def point_of(statement: Statement, values: Mapping[str, Any]) -> Point:
    """Exact values by variable as a point of the statement's domain: a list for a vector, lists of the numbers that a
    matrix is searched by for a matrix.
    """
    flat: dict[str, Any] = {}
    for v in statement.variables:
        given = values[v.name]
        flat |= dict(zip(v.entries, given if v.shape else [given], strict=True))
    return domain_of(statement).exact_point(flat)
