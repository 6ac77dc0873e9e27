"""Checks that a statement makes of itself, and claims whose texts it writes.

`stated_claim` writes statement, formula, hypotheses and counterexample of a claim from its object. `mismatches` is what
the judge asks of every claim that has one: that what is printed is what the object says, and that the checks which
speak of a statement speak of this one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.attack_checks import AttackRun, PointRun, negated
from ndis_verify.court.checks import Mutants
from ndis_verify.court.domain import Point, shown_point
from ndis_verify.court.exact_points import exact_text
from ndis_verify.court.proof_checks import ProofRun
from ndis_verify.court.proof_ends import compared, unconcluded
from ndis_verify.court.statement_balls import ExactMargin, agreement_at, numbers_at, sides_at
from ndis_verify.court.statement_domains import domain_of, problem_of, random_points
from ndis_verify.court.statement_floats import StatementMargin
from ndis_verify.statements.mutation import built, denied, planted
from ndis_verify.statements.statement import Claimed, Joined, Relation, Statement
from ndis_verify.symbolic.derivation import Derivation

ROUTE = "ball arithmetic"


def statement_attack(
    name: str,
    statement: Statement,
    faults: Mapping[str, Statement] | None = None,
    *,
    quick: int = 400,
    full: int = 8_000,
    part: str = "statement",
    starts: Sequence[Mapping[str, Any]] = (),
    seed: int = 0,
) -> Check:
    """The search for a point where `statement` fails, over the ranges that its hypotheses leave (kind attack).

    faults: further false statements, each of which the same search must find violated, over the domain of its own
    hypotheses; those of `mutation.planted` always are.
    """
    budget = {"quick": quick, "full": full}
    false = {**planted(statement), **(faults or {})}
    runs = {
        fault: AttackRun(replace(problem_of(other, name), certify=None), budget, seed, "nothing", mutant=True)
        for fault, other in false.items()
    }
    attacked = problem_of(statement, name, starts=tuple(starts))
    return Check(name, Kind.ATTACK, AttackRun(attacked, budget, seed, "nothing"), runs, part)


def statement_counterexample(
    name: str,
    statement: Statement,
    point: Mapping[str, Any],
    mutants: Mapping[str, Any] | None = None,
    part: str = "statement",
) -> Check:
    """Held if `statement` is certainly violated at `point`, an exact point of its domain (kind counterexample).

    mutants: further statements that hold there, or points where this one holds; the denial of what fails always is one.
    """
    domain = domain_of(statement)
    at = domain.exact_point(point)

    def runs() -> dict[str, PointRun]:
        others = {"what fails there, denied": _denied_at(statement, at), **(mutants or {})}
        return {
            fault: PointRun(Violation(other), at, None)
            if isinstance(other, Statement)
            else PointRun(Violation(statement), domain.exact_point(other), None)
            for fault, other in others.items()
        }

    run = PointRun(Violation(statement), at, domain, problem_of(statement, name))
    return Check(name, Kind.COUNTEREXAMPLE, run, Mutants(runs), part)


def _denied_at(statement: Statement, point: Point) -> Statement:
    """The relations that fail at a point, each denied; a point where nothing fails denies nothing."""
    failing = [denied(relation) for relation, _ in _sides_at(statement, tuple(point.items()))]
    if not failing:
        return statement
    claimed = failing[0] if len(failing) == 1 else Joined("and", tuple(failing))
    return built(statement, claimed=claimed) or statement


def statement_points(name: str, statement: Statement, part: str = "statement", digits: int = 20) -> Check:
    """No relation certainly fails at random exact points of the domain, and equalities agree to `digits` digits."""
    faults = {fault: PointsRun(other, statement, digits) for fault, other in planted(statement, moved=True).items()}
    return Check(name, Kind.CROSSCHECK, PointsRun(statement, statement, digits), faults, part)


@dataclass(frozen=True)
class PointsRun:
    """`run(effort)` of a statement at random points of the domain of another one, its own or the one it spoils."""

    statement: Statement
    domain: Statement
    digits: int

    def __call__(self, effort: str) -> Evidence:
        count = 4 if effort == "quick" else 24
        worst, done = math.inf, 0
        for point in random_points(self.domain, 8 * count):
            try:
                found = agreement_at(self.statement, point, self.digits)
            except ArithmeticError:  # a tail that lies too deep, a quantity outside its domain
                continue
            worst, done = min(worst, found), done + 1
            if found < self.digits:
                return Evidence(
                    Outcome.FAILED,
                    ROUTE,
                    f"fails at {shown_point(numbers_at(self.domain, point))}",
                    max(worst, 0.0),
                    done,
                )
            if done == count:
                break
        if not done:
            return Evidence(Outcome.UNDECIDED, ROUTE, "no point of the domain has a value", count=0)
        return Evidence(Outcome.HELD, ROUTE, "at random points of its domain", worst, done)


@dataclass(frozen=True)
class Violation:
    """By how much a statement fails at a point: minus its enclosed margin."""

    statement: Statement

    def __call__(self, point: Point) -> Any:
        return negated(ExactMargin(self.statement))(point)

    def shown_at(self, point: Point) -> str:
        """The point in the numbers of the variables."""
        return shown_point(numbers_at(self.statement, point))


def stated_claim(
    *,
    stated: Statement,
    declared: Verdict,
    checks: tuple[Check, ...] = (),
    stands: Statement | None = None,
    fails_at: Sequence[Mapping[str, Any]] = (),
    corrected: Statement | str | None = None,
    search: Mapping[str, Any] | None = None,
    parts: tuple[str, str] = ("statement", "as printed"),
    about: str = "",
    alone: bool = False,
    **rest: Any,
) -> Claim:
    """A claim that one object states: its texts, its search, its counterexamples and its points are all made of it.

    checks: what else is brought forward, proofs above all. about: what the claim says beyond its relation. fails_at:
    exact points where it is violated; `stands` the half that is left then, under further hypotheses. corrected: the
    statement that is true in its place. search: options of `statement_attack`. parts: the names of what stands and of
    what fails. Where nothing stands, nothing is searched. alone: `checks` are all there are.
    """
    held, broken = parts
    own = [
        statement_counterexample(f"counterexample {k}", stated, point, part=broken if stands else held)
        for k, point in enumerate(fails_at, 1)
    ]
    half = None if alone else stands if fails_at else stated
    if half is not None:
        faults = {"as printed": stated} if fails_at else {}
        own.append(statement_attack("the statement over its own domain", half, faults, part=held, **(search or {})))
        if _has_equality(half.claimed):
            own.append(statement_points("the statement in ball arithmetic", half, held))
    checks = (*checks, *own)
    texts = _texts(stated, checks, about)
    right = corrected.sentence if isinstance(corrected, Statement) else corrected
    return Claim(declared=declared, checks=checks, stated=stated, about=about, corrected=right, **texts, **rest)


def _has_equality(claimed: Claimed) -> bool:
    if isinstance(claimed, Relation):
        return claimed.sign == "="
    return any(_has_equality(part) for part in claimed.parts)


def _texts(stated: Statement, checks: Sequence[Check], about: str = "") -> dict[str, Any]:
    points = [
        check.run.point
        for check in checks
        if isinstance(check.run, PointRun) and isinstance(check.run.certify, Violation)
    ]
    return {
        "statement": f"{about} {stated.sentence}".lstrip(),
        "formula": stated.formula,
        "hypotheses": stated.hypothesis_lines,
        "counterexample": "; ".join(counterexample_text(stated, point) for point in points) or None,
    }


def counterexample_text(statement: Statement, point: Point) -> str:
    """`at x = 1/2: a(x) <= b is 0.7 <= 0.5`, from the values of both sides there."""
    sides = _sides_at(statement, tuple(point.items()))
    found = ", and ".join(f"{relation.plain()} reads {values}" for relation, values in sides)
    return f"at {_shown_exact(numbers_at(statement, point))}: {found or 'nothing certainly fails'}"


@lru_cache(maxsize=512)
def _sides_at(statement: Statement, point: tuple[tuple[str, Any], ...]) -> tuple[tuple[Relation, str], ...]:
    """Certified values take a while; the text of a claim and its planted faults ask for the same, again and again."""
    return tuple(sides_at(statement, dict(point)))


def _shown_exact(point: Point) -> str:
    return ", ".join(f"{name} = {exact_text(value)}" for name, value in point.items())


def missing_link(claim: Claim) -> str:
    """What is left to a reader of a claim that has proofs: that they end in its statement, where no machine compares
    the two. It counts as an argued step.
    """
    proofs = _proofs(claim)
    return (
        "" if not proofs or compared(claim.id, what_stands(claim), proofs) else "that its proofs end in the statement"
    )


def what_stands(claim: Claim) -> Statement | None:
    """What the proofs of a claim have to end in: its statement, and of a restricted one the half that is searched."""
    if claim.stated is None or claim.declared is not Verdict.RESTRICTED:
        return claim.stated
    broken = _broken(claim)
    spoken = [found for c in claim.checks if c.part not in broken and (found := statement_of(c)) is not None]
    halves = [found for found in spoken if _is_half(found, claim.stated)]
    return halves[0] if halves and all(one == halves[0] for one in halves) else claim.stated


def _broken(claim: Claim) -> set[str]:
    """The parts of a claim of which there is a counterexample."""
    return {check.part for check in claim.checks if check.kind is Kind.COUNTEREXAMPLE}


def _proofs(claim: Claim) -> list[Derivation]:
    return [c.run.derive() for c in claim.checks if c.kind is Kind.PROOF and isinstance(c.run, ProofRun)]


def mismatches(claim: Claim) -> list[str]:
    """What a claim prints or checks that is not what its object says, and what its proofs do not conclude of it."""
    stated, stands = claim.stated, what_stands(claim)
    given = claim.hypotheses if stands is None else stands.hypothesis_lines
    wrong = unconcluded(claim.id, stands, (*given, *claim.about.split(": ")), _proofs(claim))
    if stated is None:
        return wrong
    wrong += [
        f"{name}: not what the statement's object says"
        for name, text in _texts(stated, claim.checks, claim.about).items()
        if getattr(claim, name) != text
    ]
    spoken = [(check, found) for check in claim.checks if (found := statement_of(check)) is not None]
    if not any(found == stated or _is_half(found, stated) for _, found in spoken):
        wrong.append("statement: no check speaks of it")
    broken = _broken(claim)
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
    return check.run.statement if isinstance(check.run, PointsRun) else None


def _is_half(found: Statement, stated: Statement) -> bool:
    """Whether `found` is `stated` under further hypotheses."""
    return replace(found, hypotheses=stated.hypotheses) == stated and set(stated.hypotheses) < set(found.hypotheses)
