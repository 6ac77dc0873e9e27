"""What becomes of every fault by rule of a statement, and of the statement beyond the ranges it is searched in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ndis_verify.court.attack import attack_problem
from ndis_verify.court.domain import Domain, Point, VacuityError, shown_point
from ndis_verify.court.statement_balls import admits, decide_claimed
from ndis_verify.court.statement_domains import domain_of, problem_of, random_points
from ndis_verify.court.statement_likeness import same_at, weaker_at
from ndis_verify.exact_number import InputError
from ndis_verify.statements.mutation import Mutant, mutants
from ndis_verify.statements.ranges import beyond_ranges
from ndis_verify.statements.statement import Claimed, Relation, Statement

Fate = Literal["violated", "violated in float64", "implied", "weaker", "without meaning", "not told apart"]
_SUSPECTS = 3
_POINTS = 5
_ENOUGH = 3  # points with a value, to call a fault weaker
_CLEAR = -1e-3  # a margin in float64 that is no rounding


def fates(
    statement: Statement, count: int = 400, seed: int = 0, starts: Sequence[Mapping[str, Any]] = ()
) -> list[tuple[Mutant, Fate, str]]:
    """What becomes of every fault by rule.

    "violated": certainly, at a point. "violated in float64": clearly, where ball arithmetic does not decide. "implied":
    both sides have become one, or the fault changes nothing (ball arithmetic finds the same sides at random points).
    "weaker": not violated, and it asks for no more than the statement at every random point that has values. "without
    meaning": its hypotheses leave no point, or wherever it newly speaks a quantity is certainly asked for outside its
    domain. "not told apart": none of these, also where ball arithmetic does not reach its quantities.

    `starts` and random points come first, where a hypothesis is left out points that it kept away; then the mutant's
    own domain is attacked with `count` evaluations, from `starts` too, and the worst points found are put to ball
    arithmetic.
    """
    points = random_points(statement, _POINTS)
    return [(mutant, *_fate(statement, mutant.statement, points, count, seed, starts)) for mutant in mutants(statement)]


def beyond(statement: Statement, count: int = 2000, seed: int = 0) -> dict[str, str]:
    """Where the statement was searched with variables beyond their ranges, and what was found there: a certain
    violation, or a clear one in float64 that ball arithmetic does not decide; "" where there was none.

    A search in float64 of `count` evaluations each; what it suspects is put to ball arithmetic.
    """
    found = {}
    for where, wider in beyond_ranges(statement):
        with suppress(InputError):  # a hypothesis ends a range where this one begins
            found[where] = violation(wider, count, seed)
    return found


def violation(statement: Statement, count: int, seed: int = 0) -> str:
    """The point at which a search found the statement violated, with the margin; "" where it did not."""
    problem = replace(problem_of(statement, "beyond its ranges"), certify=None)
    try:
        record = attack_problem(problem, seed, count, stop_at_first=True)
    except VacuityError:
        return ""
    if record.finding != "suspected":
        return ""
    worst = [problem.domain.point(unit) for _, unit in record.dangerous[:_SUSPECTS]]
    outcome, detail = _tried(statement, [record.point, *worst])
    clear = outcome != "held" and (record.margin or 0.0) < _CLEAR
    return detail or (f"margin {record.margin:.3g} in float64 at {shown_point(record.point)}" if clear else "")


def _fate(
    statement: Statement,
    mutant: Statement,
    points: Sequence[Point],
    count: int,
    seed: int,
    starts: Sequence[Mapping[str, Any]],
) -> tuple[Fate, str]:
    if _says_nothing(mutant.claimed):
        return "implied", "both sides are one term"
    if same_at(statement, mutant, points):
        return "implied", f"both statements have one value at {len(points)} random points"
    domain = domain_of(mutant)
    names = [p.name for p in domain.parameters]  # a mutant has kept some of the variables
    known = tuple(domain.exact_point({name: start[name] for name in names}) for start in starts)
    problem = problem_of(mutant, "mutant", starts=known)
    wider = len(mutant.hypotheses) < len(statement.hypotheses)
    tried = _tried(mutant, [*([] if wider else known), *_new_points(statement, mutant)])
    if tried[0] == "violated":
        return tried
    try:
        record = attack_problem(replace(problem, certify=None), seed, count, stop_at_first=True)
    except VacuityError:
        fate: Fate = "without meaning" if tried[0] in ("nothing", "outside") else "not told apart"
        return fate, "its hypotheses leave no point to a search"
    worst = [problem.domain.point(unit) for _, unit in record.dangerous[:_SUSPECTS]]
    found = _tried(mutant, [record.point, *worst])
    if found[0] == "violated":
        return found
    clear = record.finding == "suspected" and (record.margin or 0.0) < _CLEAR
    if clear and found[0] != "held":
        return "violated in float64", f"margin {record.margin:.3g} at {shown_point(record.point)}"
    met = found if tried[0] == "nothing" else tried
    if met[0] == "outside" and _tried(statement, points)[0] != "outside":
        return "without meaning", "a quantity is asked for outside its domain"
    if (alike := weaker_at(statement, mutant, points)) >= _ENOUGH:
        return "weaker", f"asks for no more at {alike} random points"
    return "not told apart", f"{record.evaluations} evaluations"


def _tried(mutant: Statement, points: Sequence[Point]) -> tuple[Any, str]:
    """("violated", where) at the first point that is. Else "held" if one is; "outside" if a quantity is asked for
    outside its domain at all of them; "undecided"; "nothing" where no point is known to meet the hypotheses.
    """
    outcomes = set()
    for point in points:
        try:
            if not all(admits(mutant, hypothesis, point) for hypothesis in mutant.hypotheses):
                continue
            decision = decide_claimed(mutant, point)
        except ArithmeticError:  # it is not known whether a hypothesis is met
            continue
        except ValueError:  # a quantity of the package refuses the point
            outcomes.add("outside")
            continue
        if decision.outcome == "violated":
            return "violated", f"{decision.detail} at {shown_point(point)}"
        outcomes.add("outside" if decision.outside else decision.outcome)
    if not outcomes:
        return "nothing", ""
    return ("held" if "held" in outcomes else "outside" if outcomes == {"outside"} else "undecided"), ""


def _new_points(statement: Statement, mutant: Statement) -> list[Point]:
    """Random points of a mutant's domain: where it has lost a hypothesis, those that the hypothesis kept away."""
    if len(mutant.hypotheses) == len(statement.hypotheses) or len(mutant.variables) < len(statement.variables):
        return random_points(mutant, _POINTS)
    domain, kept = domain_of(mutant), domain_of(statement)
    units = domain.sample(64 * _POINTS, np.random.default_rng(0))
    columns = domain.columns(units)
    with np.errstate(all="ignore"):
        rows = np.flatnonzero(_feasible(domain, columns) & ~_feasible(kept, columns))
    return [domain.point(units[k].tolist()) for k in rows[:_POINTS]]


def _feasible(domain: Domain, columns: Any) -> np.ndarray:
    return np.asarray(domain.feasible(columns))


def _says_nothing(claimed: Claimed) -> bool:
    if isinstance(claimed, Relation):
        return claimed.left == claimed.right and claimed.sign in ("=", "<=", ">=")
    return claimed.how == "and" and all(_says_nothing(part) for part in claimed.parts)
