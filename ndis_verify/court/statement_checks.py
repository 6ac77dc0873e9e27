"""Checks that a statement makes of itself, claims whose texts it writes, and what becomes of its faults by rule.

`stated_claim` writes statement, formula, hypotheses and counterexample of a claim from its object. `mismatches` is what
the judge asks of every claim that has one: that what is printed is what the object says, and that the checks which
speak of a statement speak of this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ndis_verify.claim import Check, Claim, Kind, Verdict
from ndis_verify.court.attack import attack_problem
from ndis_verify.court.attack_checks import AttackRun, PointRun, negated
from ndis_verify.court.checks import ProofRun
from ndis_verify.court.domain import Point, VacuityError, shown_point
from ndis_verify.court.proof_structure import unconcluded
from ndis_verify.court.statement_balls import ExactMargin, decide, sides_at
from ndis_verify.court.statement_floats import StatementMargin, domain_of, problem_of
from ndis_verify.statements.mutation import Mutant, mutants
from ndis_verify.statements.statement import Claimed, Relation, Statement

Fate = Literal["violated", "implied", "without meaning", "not told apart"]
_SUSPECTS = 6


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
    """What a claim prints or checks that is not what its object says, and what its proofs do not conclude of it."""
    stated = claim.stated
    proofs = [check.run.derive() for check in claim.checks if isinstance(check.run, ProofRun)]
    wrong = unconcluded(claim.id, stated, claim.hypotheses, proofs)
    if stated is None:
        return wrong
    wrong += [
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


def fates(
    statement: Statement, count: int = 400, seed: int = 0, starts: Sequence[Mapping[str, Any]] = ()
) -> list[tuple[Mutant, Fate, str]]:
    """What becomes of every fault by rule: certainly violated at a point, implied as both sides have become one,
    without meaning, or not told apart.

    The mutant's own domain is attacked with `count` evaluations, from `starts` too, and the worst points found are put
    to ball arithmetic. "without meaning": a quantity is asked for outside its domain at all of them.
    """
    return [
        (mutant, *_fate(mutant.statement, count, seed, _starts_of(mutant.statement, starts)))
        for mutant in mutants(statement)
    ]


def _starts_of(statement: Statement, starts: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """The starts in the variables that a mutant has kept."""
    names = [p.name for p in domain_of(statement).parameters]
    return tuple({name: start[name] for name in names} for start in starts)


def _says_nothing(claimed: Claimed) -> bool:
    if isinstance(claimed, Relation):
        return claimed.left == claimed.right and claimed.sign in ("=", "<=", ">=")
    return claimed.how == "and" and all(_says_nothing(part) for part in claimed.parts)


def _fate(mutant: Statement, count: int, seed: int, starts: Sequence[Mapping[str, Any]]) -> tuple[Fate, str]:
    if _says_nothing(mutant.claimed):
        return "implied", "both sides are one term"
    problem = replace(problem_of(mutant, "mutant", starts=starts), certify=None)
    try:
        record = attack_problem(problem, seed, count, stop_at_first=True)
    except VacuityError:
        return "without meaning", "its hypotheses leave no point"
    refused = 0
    points = [record.point, *(problem.domain.point(unit) for _, unit in record.dangerous[:_SUSPECTS])]
    for point in points:
        try:
            decision = decide(mutant, point)
        except ValueError:  # a quantity of the package refuses the point, or a hypothesis is not met without rounding
            refused += 1
            continue
        if decision.outcome == "violated":
            return "violated", f"{decision.detail} at {shown_point(point)}"
    if refused == len(points):
        return "without meaning", "a quantity is asked for outside its domain"
    return "not told apart", f"{record.evaluations} evaluations"
