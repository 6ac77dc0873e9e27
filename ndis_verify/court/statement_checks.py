"""Checks that a statement makes of itself, claims whose texts it writes, and what becomes of its faults by rule.

`stated_claim` writes statement, formula, hypotheses and counterexample of a claim from its object. `mismatches` is what
the judge asks of every claim that has one: that what is printed is what the object says, and that the checks which
speak of a statement speak of this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ndis_verify.claim import Check, Claim, Kind, Verdict
from ndis_verify.court.attack_checks import AttackRun, PointRun, negated
from ndis_verify.court.domain import Point, VacuityError, shown_point
from ndis_verify.court.statement_balls import ExactMargin, decide, sides_at
from ndis_verify.court.statement_floats import StatementMargin, domain_of, problem_of
from ndis_verify.exact_number import InputError
from ndis_verify.statements.mutation import Mutant, mutants
from ndis_verify.statements.statement import Statement

Fate = Literal["violated", "without meaning", "not told apart"]
_SUSPECTS = 4


def statement_attack(
    name: str,
    statement: Statement,
    faults: Mapping[str, Statement],
    *,
    quick: int,
    full: int,
    part: str = "statement",
    starts: Sequence[Mapping[str, Any]] = (),
    seed: int = 0,
) -> Check:
    """The search for a point where `statement` fails, over the ranges that its hypotheses leave (kind attack).

    faults: false statements, each of which the same search must find violated, over the domain of its own hypotheses.
    """
    budget = {"quick": quick, "full": full}
    planted = {
        fault: AttackRun(replace(problem_of(false, name), certify=None), budget, seed, "nothing", mutant=True)
        for fault, false in faults.items()
    }
    attacked = problem_of(statement, name, starts=tuple(starts))
    return Check(name, Kind.ATTACK, AttackRun(attacked, budget, seed, "nothing"), planted, part)


def statement_counterexample(
    name: str, statement: Statement, point: Mapping[str, Any], mutants: Mapping[str, Any], part: str = "statement"
) -> Check:
    """Held if `statement` is certainly violated at `point`, an exact point of its domain (kind counterexample).

    mutants: statements that hold there, or points where this one holds.
    """
    domain = domain_of(statement)
    runs = {
        fault: PointRun(Violation(other), domain.exact_point(point), None)
        if isinstance(other, Statement)
        else PointRun(Violation(statement), domain.exact_point(other), None)
        for fault, other in mutants.items()
    }
    run = PointRun(Violation(statement), domain.exact_point(point), domain, problem_of(statement, name))
    return Check(name, Kind.COUNTEREXAMPLE, run, runs, part)


@dataclass(frozen=True)
class Violation:
    """By how much a statement fails at a point: minus its enclosed margin."""

    statement: Statement

    def __call__(self, point: Point) -> Any:
        return negated(ExactMargin(self.statement))(point)


def stated_claim(
    *, stated: Statement, checks: tuple[Check, ...], title: str, id: str, source: str, declared: Verdict, **rest: Any
) -> Claim:
    """A claim whose statement, formula, hypotheses and counterexample are written by its object."""
    texts = _texts(stated, checks)
    return Claim(id=id, source=source, title=title, declared=declared, checks=checks, stated=stated, **texts, **rest)


def _texts(stated: Statement, checks: Sequence[Check]) -> dict[str, Any]:
    points = [
        check.run.point
        for check in checks
        if isinstance(check.run, PointRun) and isinstance(check.run.certify, Violation)
    ]
    return {
        "statement": stated.sentence,
        "formula": stated.formula,
        "hypotheses": stated.hypothesis_lines,
        "counterexample": "; ".join(counterexample_text(stated, point) for point in points) or None,
    }


def counterexample_text(statement: Statement, point: Point) -> str:
    """`at x = 1/2: a(x) <= b is 0.7 <= 0.5`, from the values of both sides there."""
    found = ", and ".join(f"{relation.plain()} reads {values}" for relation, values in sides_at(statement, point))
    return f"at {_shown_exact(point)}: {found}"


def _shown_exact(point: Point) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())


def mismatches(claim: Claim) -> list[str]:
    """What a claim prints or checks that is not what its object says; nothing for a claim without one."""
    stated = claim.stated
    if stated is None:
        return []
    wrong = [
        f"{name}: not what the statement's object says"
        for name, text in _texts(stated, claim.checks).items()
        if getattr(claim, name) != text
    ]
    spoken = [(check, found) for check in claim.checks if (found := statement_of(check)) is not None]
    if not any(found == stated or _is_half(found, stated) for _, found in spoken):
        wrong.append("statement: no check speaks of it")
    broken = {check.part for check in claim.checks if check.kind is Kind.COUNTEREXAMPLE}
    for check, found in spoken:
        half = claim.declared is Verdict.RESTRICTED and check.part not in broken and _is_half(found, stated)
        if found != stated and not half:
            wrong.append(f"{check.name}: speaks of another statement: {found.formula}")
    return wrong


def statement_of(check: Check) -> Statement | None:
    """The statement that a check was made from."""
    if isinstance(check.run, AttackRun) and isinstance(check.run.problem.margin, StatementMargin):
        return check.run.problem.margin.statement
    if isinstance(check.run, PointRun) and isinstance(check.run.certify, Violation):
        return check.run.certify.statement
    return None


def _is_half(found: Statement, stated: Statement) -> bool:
    """Whether `found` is `stated` under further hypotheses."""
    return replace(found, hypotheses=stated.hypotheses) == stated and set(stated.hypotheses) < set(found.hypotheses)


def fates(statement: Statement, count: int = 256, seed: int = 0) -> list[tuple[Mutant, Fate, str]]:
    """What becomes of every fault by rule: certainly violated at a point, without meaning, or not told apart.

    `count` points of the mutant's own domain are searched in float64, corners included, and the worst of them put to
    ball arithmetic. "without meaning": a quantity is asked for outside its domain wherever it was tried.
    """
    return [(mutant, *_fate(mutant.statement, count, seed)) for mutant in mutants(statement)]


def _fate(mutant: Statement, count: int, seed: int) -> tuple[Fate, str]:
    domain = domain_of(mutant)
    rng = np.random.default_rng(seed)
    unit = np.vstack([domain.sample(count, rng), domain.corners(rng)[:count]])
    columns = domain.columns(unit)
    mask = domain.feasible(columns)
    if not mask.any():
        return "without meaning", "its hypotheses leave no point"
    unit = unit[mask]
    margins = StatementMargin(mutant)(**{name: column[mask] for name, column in columns.items()})
    lost = 0
    tried = np.argsort(np.nan_to_num(margins, nan=np.inf), kind="stable")[:_SUSPECTS]
    for row in tried:
        point = domain.point(unit[row])
        try:
            decision = decide(mutant, point)
        except (InputError, VacuityError, ValueError):
            lost += 1
            continue
        if decision.outcome == "violated":
            return "violated", f"{decision.detail} at {shown_point(point)}"
        lost += decision.margin is None
    if lost == len(tried):
        return "without meaning", "a quantity is asked for outside its domain"
    return "not told apart", f"{int(mask.sum())} points"
