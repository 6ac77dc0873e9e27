"""Checks for the court made from attacks: a search that finds nothing, a search that finds, a violation at a point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import mpmath

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome
from ndis_verify.court.attack import AttackRecord, Problem, attack_problem
from ndis_verify.court.attack_certificate import stored_attack
from ndis_verify.court.attack_recheck import ROUTE
from ndis_verify.court.certificate_store import StoredCheck, stored
from ndis_verify.court.domain import Domain, Point, shown_point
from ndis_verify.court.tolerances import TELLING
from ndis_verify.enclosure import Enclosure

QUICK_EVALUATIONS = 4_000
FULL_EVALUATIONS = 100_000
Margin = Callable[..., Any]


@dataclass(frozen=True)
class AttackRun:
    """`run(effort)` of an attack; `wanted` is what it has to end with to count as held.

    `owner`: id of the claim, set by the ledger; a certificate is kept under it.
    """

    problem: Problem
    evaluations: Mapping[str, int]
    seed: int
    wanted: str  # "nothing": the claim stands; "certified": it falls
    mutant: bool = False
    owner: str = ""

    def __call__(self, effort: str) -> Evidence:
        kept = self.stored_check()
        return self._computed(effort)[0] if kept is None else stored(kept, effort)

    def stored_check(self) -> StoredCheck | None:
        """What can be kept of this attack: only searches that have to find nothing, and no mutants."""
        if self.mutant or self.wanted != "nothing" or not self.owner:
            return None
        return stored_attack(self.owner, self.problem, self.seed, self.evaluations, self._computed)

    def _computed(self, effort: str) -> tuple[Evidence, AttackRecord]:
        record = self.record(effort)
        evidence = Evidence(
            self._outcome(record), ROUTE, record.line(), count=record.evaluations, counted="evaluations"
        )
        return evidence, record

    def record(self, effort: str) -> AttackRecord:
        """The search itself; one that has to find something stops at the first suspicion, a planted fault where it is
        told apart from what the tolerance allows.
        """
        stop = self.mutant == (self.wanted == "nothing")
        told = TELLING if self.mutant and self.wanted == "nothing" else 1.0
        problem = replace(self.problem, tolerance=told * self.problem.tolerance)
        return attack_problem(problem, self.seed, self.evaluations[effort], stop_at_first=stop)

    def _outcome(self, record: AttackRecord) -> Outcome:
        if self.wanted == "certified":
            found = {"certified": Outcome.HELD, "nothing": Outcome.FAILED, "engine failure": Outcome.FAILED}
            return found.get(record.finding, Outcome.UNDECIDED)
        if record.finding == "engine failure":
            # A mutant must fall because it is found violated, not because its margin cannot be computed.
            return Outcome.UNDECIDED if self.mutant else Outcome.FAILED
        return Outcome.HELD if record.finding == "nothing" else Outcome.FAILED


def attack_check(
    name: str,
    margin: Margin,
    domain: Domain,
    *,
    mutants: Mapping[str, Margin],
    quick: int = QUICK_EVALUATIONS,
    full: int = FULL_EVALUATIONS,
    seed: int = 0,
    part: str = "statement",
    **problem: Any,
) -> Check:
    """Held if a search of `quick` or `full` evaluations finds no margin below -tolerance (kind attack).

    `mutants`: margins of false statements on the same domain, which the same search must find violated. Other keywords
    as in `attack.Problem` (tolerance, vectorised, branches, confirm, certify, starts).
    """
    attacked = Problem(name, margin, domain, **problem)
    budget = {"quick": quick, "full": full}
    faults = {
        fault: AttackRun(
            replace(attacked, margin=faulty, confirm=None, certify=None), budget, seed, "nothing", mutant=True
        )
        for fault, faulty in mutants.items()
    }
    return Check(name, Kind.ATTACK, AttackRun(attacked, budget, seed, "nothing"), faults, part)


def refutation_check(
    name: str,
    margin: Margin,
    domain: Domain,
    *,
    certify: Callable[[Point], Enclosure],
    mutants: Mapping[str, Margin],
    quick: int = QUICK_EVALUATIONS,
    full: int = FULL_EVALUATIONS,
    seed: int = 0,
    part: str = "statement",
    **problem: Any,
) -> Check:
    """Held if the search finds a violation whose sign `certify` proves (kind counterexample).

    `mutants`: margins of statements that are true on the domain, such as the corrected one: the same search must come
    back with nothing.
    """
    attacked = Problem(name, margin, domain, certify=certify, **problem)
    budget = {"quick": quick, "full": full}
    faults = {
        fault: AttackRun(
            replace(attacked, margin=sound, certify=None, confirm=None), budget, seed, "certified", mutant=True
        )
        for fault, sound in mutants.items()
    }
    return Check(name, Kind.COUNTEREXAMPLE, AttackRun(attacked, budget, seed, "certified"), faults, part)


@dataclass(frozen=True)
class PointRun:
    """`run(effort)` of a violation at one point; `certify.shown_at`, where there is one, writes the point."""

    certify: Callable[[Point], Enclosure]
    point: Point
    domain: Domain | None
    problem: Problem | None = None

    def __call__(self, effort: str) -> Evidence:
        where = getattr(self.certify, "shown_at", shown_point)(self.point)
        if self.domain is not None and not self.domain.contains(self.point):
            return Evidence(Outcome.FAILED, "exact arithmetic", f"{where} is outside the declared domain", count=1)
        violation = self.certify(self.point)
        value, radius = violation.decimal(6)
        detail = f"violation {value} +/- {radius} at {where}"
        digits = float(violation.justified_digits())
        if violation.basis != "bound":
            return Evidence(Outcome.FAILED, "oracle", f"{detail}: two routes agree, which certifies no sign", digits, 1)
        sign = violation.sign()
        outcome = Outcome.UNDECIDED if sign is None else Outcome.HELD if sign > 0 else Outcome.FAILED
        return Evidence(outcome, "ball arithmetic", detail, digits, 1)


def counterexample_check(
    name: str,
    certify: Callable[[Point], Enclosure],
    point: Mapping[str, Any],
    mutants: Mapping[str, Callable[[Point], Enclosure] | Mapping[str, Any]],
    *,
    domain: Domain | None = None,
    problem: Problem | None = None,
    part: str = "statement",
) -> Check:
    """Held if `certify(point)`, the size of the violation, is proved positive (kind counterexample).

    `point`: exact numbers by name; with `domain` it must lie in it, decided without rounding. Each mutant is another
    `certify` (the corrected statement at the same point) or another point (where the statement holds). `problem` is
    what `ndis-verify attack` searches for this claim.
    """
    exact_point = domain.exact_point(point) if domain is not None else dict(point)
    faults = {}
    for fault, other in mutants.items():
        if callable(other):
            faults[fault] = PointRun(other, exact_point, None)
        else:
            faults[fault] = PointRun(certify, domain.exact_point(other) if domain is not None else dict(other), None)
    return Check(name, Kind.COUNTEREXAMPLE, PointRun(certify, exact_point, domain, problem), faults, part)


def negated(enclose: Callable[[Point], Enclosure]) -> Callable[[Point], Enclosure]:
    """The function whose enclosures are those of `enclose` with the sign changed: a margin becomes a violation."""

    def negative(point: Point) -> Enclosure:
        found = enclose(point)
        # mpf negation would round to the ambient precision; the sign bit alone changes nothing else.
        sign, mantissa, exponent, bits = found.mid._mpf_
        turned = found.mid if not mantissa else mpmath.mp.make_mpf((1 - sign, mantissa, exponent, bits))
        return Enclosure(turned, found.rad, found.basis)

    return negative


def point_run(check: Check) -> PointRun:
    """What a `counterexample_check` runs."""
    assert isinstance(check.run, PointRun)
    return check.run


def owned(claim: Claim) -> Claim:
    """The claim with its attacks and comparisons marked as its own, so that their certificates have a name."""
    return replace(claim, checks=tuple(_marked(check, claim.id) for check in claim.checks))


def _marked(check: Check, owner: str) -> Check:
    run: Any = check.run  # of a record with an owner, or a function
    return replace(check, run=replace(run, owner=owner)) if hasattr(run, "owner") else check
