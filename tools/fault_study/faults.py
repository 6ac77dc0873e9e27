"""The faults by rule: a claim, and a claim that is spoilt in one place.

A rule gives every fault of its kind that a claim has room for. What is planted is the record that the court judges, its
texts, its statement, its checks, its declaration; no source is touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ndis_verify.claim import Check, Claim, Kind, Verdict
from ndis_verify.court.attack_checks import AttackRun, PointRun
from ndis_verify.court.certify_checks import BoxRun
from ndis_verify.court.comparisons import Comparison
from ndis_verify.court.domain import Domain
from ndis_verify.court.proof_checks import ProofRun, proof
from ndis_verify.court.statement_checks import Violation, stated_claim, statement_of
from ndis_verify.court.statement_domains import domain_of, problem_of
from ndis_verify.statements.mutation import mutants
from ndis_verify.statements.statement import Relation, Statement
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Step


@dataclass(frozen=True)
class Fault:
    """`planted()` is `claim_id` with the fault `what` in it."""

    kind: str
    claim_id: str
    what: str
    planted: Callable[[], Claim]


Rule = Callable[[Claim], Iterator[tuple[str, Callable[[], Claim]]]]
_WORDS = (
    ("<=", ">="),
    (">=", "<="),
    (" < ", " > "),
    (" > ", " < "),
    (" + ", " - "),
    (" - ", " + "),
    ("at most", "at least"),
    ("at least", "at most"),
    ("increas", "decreas"),
    ("smallest", "largest"),
)
_TEXTS = ("title", "statement", "formula", "note")


def altered(text: str) -> Iterator[tuple[str, str]]:
    """(what was changed, the new text): one sign, direction or number."""
    for old, new in _WORDS:
        for found in re.finditer(re.escape(old), text):
            yield f"{new.strip()} for {old.strip()}", text[: found.start()] + new + text[found.end() :]
    for found in re.finditer(r"(?<![\w.])\d+(?![\w.])", text):
        new = str(int(found[0]) + 1)
        yield f"{new} for {found[0]}", text[: found.start()] + new + text[found.end() :]


def altered_statement(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    for what, text in altered(claim.statement):
        yield what, lambda text=text: replace(claim, statement=text)


def altered_formula(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    for what, text in altered(claim.formula or ""):
        yield what, lambda text=text: replace(claim, formula=text)


def dropped_hypothesis(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    for k, line in enumerate(claim.hypotheses):
        kept = claim.hypotheses[:k] + claim.hypotheses[k + 1 :]
        yield f"without `{line}`", lambda kept=kept: replace(claim, hypotheses=kept)


def counterexample_text(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    for what, text in altered(claim.counterexample or ""):
        yield what, lambda text=text: replace(claim, counterexample=text)


def restated(claim: Claim, statement: Statement) -> Claim:
    """The claim with another statement in its texts and in every check that speaks of the old one."""
    old = claim.stated
    assert old is not None

    def new(found: Statement) -> Statement:
        further = tuple(h for h in found.hypotheses if h not in old.hypotheses)
        return statement.under(*further) if further else statement

    checks = []
    for check in claim.checks:
        run: Any = check.run
        if (found := statement_of(check)) is None:
            checks.append(check)
        elif isinstance(run, AttackRun):
            problem = problem_of(new(found), run.problem.name)
            checks.append(replace(check, run=replace(run, problem=problem, owner="")))
        elif isinstance(run, PointRun):
            checks.append(replace(check, run=replace(run, certify=Violation(new(found)), domain=domain_of(new(found)))))
        else:  # another record that holds its statement
            checks.append(replace(check, run=replace(run, statement=new(found))))
    texts = {"statement", "formula", "hypotheses", "counterexample", "stated", "checks"}
    rest = {name: value for name, value in vars(claim).items() if name not in texts}
    return stated_claim(stated=statement, checks=tuple(checks), **rest)


def altered_everywhere(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    for mutant in mutants(claim.stated) if claim.stated else ():
        if mutant.rule != "hypothesis left out":
            yield mutant.fault, lambda mutant=mutant: restated(claim, mutant.statement)


def dropped_everywhere(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    for mutant in mutants(claim.stated) if claim.stated else ():
        if mutant.rule == "hypothesis left out":
            yield mutant.fault, lambda mutant=mutant: restated(claim, mutant.statement)


def shrunk_ranges(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """A variable of the statement searched over the first tenth of its range; orthogonal matrices have one range."""
    for k, v in enumerate(claim.stated.variables if claim.stated else ()):
        if v.high > v.low and v.kind not in ("law", "orthogonal"):
            high = v.low + (v.high - v.low) / 10
            high = Fraction(int(high) + 1) if v.kind.startswith("integer") else high
            variables = (*claim.stated.variables[:k], replace(v, high=high), *claim.stated.variables[k + 1 :])
            smaller = replace(claim.stated, variables=variables)
            yield f"{v.name} up to {float(high):.3g}", lambda smaller=smaller: restated(claim, smaller)


def of_another_statement(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """A check of the statement under one more hypothesis, which nobody reads."""
    for check in claim.checks if claim.stated else ():
        found = statement_of(check)
        if found is not None and isinstance(check.run, AttackRun):
            first = next((v for v in found.variables if not v.shape), None)
            if first is not None:
                side = Relation(_variable(first.name), "<=", (first.low + first.high) / 2)
                problem = problem_of(found.under(side), check.run.problem.name)
                run = replace(check.run, problem=problem, owner="")
                yield f"`{check.name}` where {side.plain()}", _with(claim, check, replace(check, run=run))


def _variable(name: str) -> Any:
    from ndis_verify.statements.terms import variable

    return variable(name)


def _with(claim: Claim, old: Check, new: Check) -> Callable[[], Claim]:
    return lambda: replace(claim, checks=tuple(new if check is old else check for check in claim.checks))


def other_point(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """A certified counterexample at another point: one number at a time a hundredth of it, and 1."""
    for check in claim.checks:
        if isinstance(check.run, PointRun):
            point = check.run.point
            for name, value in point.items():
                if isinstance(value, (int, Fraction)):
                    for other in {Fraction(value) / 100, Fraction(1)} - {Fraction(value)}:
                        run = replace(check.run, point={**point, name: other})
                        yield f"{name} = {other} for {value}", _with(claim, check, replace(check, run=run))


def derivation_of(check: Check) -> Derivation:
    """What a proof derives."""
    assert isinstance(check.run, ProofRun)
    return check.run.derive()


def _proofs(claim: Claim) -> Iterator[tuple[Check, Derivation]]:
    for check in claim.checks:
        if check.kind is Kind.PROOF:
            yield check, derivation_of(check)


def _reproved(claim: Claim, check: Check, build: Callable[[], Derivation]) -> Callable[[], Claim]:
    return lambda: _with(claim, check, proof(check.name, _once(build), check.part))()


def _once(build: Callable[[], Derivation]) -> Callable[[], Derivation]:
    made = build()
    return lambda: made


def emptied_proof(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """First and last step kept, and what a planted fault of its own needs."""
    for check, derivation in _proofs(claim):
        kept = {derivation.steps[0].name, derivation.steps[-1].name, derivation.result_step}
        kept |= {end.step for end in derivation.concludes}
        if len(derivation.steps) > len(kept):
            steps = [step for step in derivation.steps if step.name in kept]
            left = len(derivation.steps) - len(steps)
            yield (
                f"{left} of {len(derivation.steps)} steps of {derivation.id} left out",
                _with_steps(claim, check, derivation, steps),
            )


def _with_steps(claim: Claim, check: Check, derivation: Derivation, steps: list[Step]) -> Callable[[], Claim]:
    """The claim with other steps in one of its proofs; faults that were planted in those that are gone go too."""
    decided = {step.name for step in steps if step.kind in DECIDED}
    faults = tuple(fault for fault in derivation.faults if fault.step in decided)
    return _reproved(claim, check, lambda: replace(derivation, steps=tuple(steps), faults=faults))


def _inner(claim: Claim) -> Iterator[tuple[Check, Derivation, Step]]:
    for check, derivation in _proofs(claim):
        needed = {derivation.result_step, *(end.step for end in derivation.concludes)}
        yield from ((check, derivation, step) for step in derivation.steps if step.name not in needed)


def step_left_out(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    for check, derivation, step in _inner(claim):
        steps = [one for one in derivation.steps if one is not step]
        yield f"{derivation.id} without `{step.name}`", _with_steps(claim, check, derivation, steps)


def step_in_words(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """A decided step left as an assertion in words."""
    for check, derivation, step in _inner(claim):
        if step.kind == "identity":
            words = replace(step, kind="argument")
            steps = [words if one is step else one for one in derivation.steps]
            yield f"`{step.name}` of {derivation.id}", _with_steps(claim, check, derivation, steps)


def false_step(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """A right-hand side doubled."""
    for check, derivation in _proofs(claim):
        for step in derivation.steps:
            if step.kind == "identity" and step.rhs != 0 * step.rhs:
                yield (
                    f"twice the right-hand side of `{step.name}` of {derivation.id}",
                    _reproved(claim, check, lambda d=derivation, s=step: d.with_fault(s.name, 2 * s.rhs)),
                )


def part_without_its_hypothesis(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """What is proved of a part under a hypothesis that only the part says, said of the part without it."""
    for check, derivation in _proofs(claim):
        said = [end.part for end in derivation.concludes if end.claim == claim.id]
        alone = [text for text in derivation.given if text.lower() not in claim.statement.lower()]
        if claim.stated is not None and all(said) and any(text in part for text in alone for part in said):
            bare = tuple(replace(end, part="a part", granted={}) for end in derivation.concludes)
            yield (
                f"what {derivation.id} supposes is not said",
                _reproved(claim, check, lambda d=derivation, ends=bare: replace(d, concludes=ends)),
            )


def proof_of_something_else(other: Callable[[], Derivation]) -> Rule:
    """The claim, a false one above all, declared proved by a derivation of another subject."""

    def rule(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
        def planted() -> Claim:
            kept = [check for check in claim.checks if statement_of(check) is None and check.kind is Kind.CROSSCHECK]
            return replace(claim, checks=(proof("derived", other), *kept), declared=Verdict.PROVED)

        yield f"{claim.declared.value}, declared proved by {other().id}", planted

    return rule


def declared_otherwise(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    for verdict in Verdict:
        if verdict is not claim.declared:
            yield (
                f"{verdict.value} for {claim.declared.value}",
                lambda verdict=verdict: replace(claim, declared=verdict),
            )


def search_called_a_proof(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """Supported claims declared proved, the kind of their searches with them."""
    if claim.declared is Verdict.SUPPORTED:
        for kind, verdict in ((Kind.PROOF, Verdict.PROVED), (Kind.ENCLOSURE, Verdict.CERTIFIED)):
            checks = tuple(replace(c, kind=kind) if c.kind is Kind.ATTACK else c for c in claim.checks)
            yield f"searches called {kind.value}", lambda c=checks, v=verdict: replace(claim, checks=c, declared=v)


def loosened_tolerance(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """A thousand times the margin, or four digits fewer; the planted faults are judged by the same."""
    for check in claim.checks:
        if isinstance(check.run, AttackRun):
            tolerance = max(1e3 * check.run.problem.tolerance, 1e-6)
            faults = {f: _loose(run, tolerance) for f, run in check.mutants.items()}
            yield (
                f"{tolerance:g} in `{check.name}`",
                _with(claim, check, replace(check, run=_loose(check.run, tolerance), mutants=faults)),
            )
        if isinstance(check.run, Comparison):
            digits = check.run.digits - 4
            faults = {f: replace(run, digits=digits) for f, run in check.mutants.items()}  # type: ignore[type-var]
            yield (
                f"{digits:g} digits in `{check.name}`",
                _with(claim, check, replace(check, run=replace(check.run, digits=digits), mutants=faults)),
            )


def _loose(run: Any, tolerance: float) -> Any:
    return replace(run, problem=replace(run.problem, tolerance=tolerance), owner="")


def shrunk_search(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """A search of its own, not of a statement, over the first tenth of one parameter."""
    for check in claim.checks:
        if isinstance(check.run, AttackRun) and statement_of(check) is None:
            domain = check.run.problem.domain
            for k, p in enumerate(domain.parameters):
                if p.kind == "continuous" and p.low < p.high:
                    smaller = replace(p, high=p.low + (p.high - p.low) / 10)
                    parameters = (*domain.parameters[:k], smaller, *domain.parameters[k + 1 :])
                    run = _of_domain(check.run, replace(domain, parameters=parameters))
                    faults = {f: _of_domain(m, run.problem.domain) for f, m in check.mutants.items()}
                    yield (
                        f"{p.name} up to {float(smaller.high):.3g} in `{check.name}`",
                        _with(claim, check, replace(check, run=run, mutants=faults)),
                    )


def _of_domain(run: Any, domain: Domain) -> Any:
    return replace(run, problem=replace(run.problem, domain=domain), owner="")


def shrunk_box(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """Half of one side of a certified box."""
    for check in claim.checks:
        if isinstance(check.run, BoxRun):
            for k, side in enumerate(check.run.box):
                if side.low < side.high:
                    half = replace(side, high=(side.low + side.high) / 2)
                    box = (*check.run.box[:k], half, *check.run.box[k + 1 :])
                    faults = {f: replace(m, box=box) for f, m in check.mutants.items()}  # type: ignore[type-var]
                    yield (
                        f"{half} in `{check.name}`",
                        _with(claim, check, replace(check, run=replace(check.run, box=box), mutants=faults)),
                    )


def no_search(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """A search, and those of its planted faults, of four evaluations."""
    for check in claim.checks:
        if isinstance(check.run, AttackRun):
            least = {"quick": 4, "full": 4}
            faults = {f: replace(run, evaluations=least) for f, run in check.mutants.items()}  # type: ignore[type-var]
            run = replace(check.run, evaluations=least, owner="")
            yield f"`{check.name}`", _with(claim, check, replace(check, run=run, mutants=faults))


def spared_faults(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    """A check without planted faults, and one whose planted fault is itself."""
    for check in claim.checks:
        yield f"none in `{check.name}`", _with(claim, check, replace(check, mutants={}))
        own = {"nothing": check.run}
        yield f"the check itself in `{check.name}`", _with(claim, check, replace(check, mutants=own))


def dropped_check(claim: Claim) -> Iterator[tuple[str, Callable[[], Claim]]]:
    for check in claim.checks:
        left = tuple(one for one in claim.checks if one is not check)
        yield f"without `{check.name}`", lambda left=left: replace(claim, checks=left)
