"""Claims, the checks that decide them, and the rule that turns evidence into a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ndis_verify.rich import prose, table
from ndis_verify.statements.statement import Statement


class Verdict(StrEnum):
    """How a claim ends; the meaning of each is in README.md."""

    PROVED = "proved"
    CERTIFIED = "certified"
    SUPPORTED = "supported"
    RESTRICTED = "restricted"
    REFUTED = "refuted"
    DEFINITION = "definition"
    OPEN = "open"


class ClaimKind(StrEnum):
    """What a claim is a statement about."""

    RELATION = "relation"  # between quantities that can be evaluated
    DEFINITION = "definition"  # fixes a meaning
    LAW = "law"  # of a random output, or what it tends to
    ALGORITHM = "algorithm"  # what a mechanism, an auditor or a calibrator does
    FIGURE = "statistical figure"  # numbers of an experiment, a table, a plot, real records


class Kind(StrEnum):
    """What a check establishes when it holds."""

    PROOF = "proof"  # a symbolic residual, the whole of its part of the statement, is zero
    ENCLOSURE = "enclosure"  # settled over a stated compact domain, or one number, by certified enclosures
    ATTACK = "attack"  # an adversarial search over the declared domain found no violation
    COUNTEREXAMPLE = "counterexample"  # a violation whose sign is certified
    CROSSCHECK = "crosscheck"  # independent routes agree; necessary, never sufficient
    MEANING = "meaning"  # the implementations of a definition, and its words, mean the same


class Outcome(StrEnum):
    HELD = "held"
    FAILED = "failed"
    UNDECIDED = "undecided"


class CertificateError(ValueError):
    """A certificate that cannot be used: damaged, of another format, or not borne out by the sample computed anew."""


@dataclass(frozen=True)
class Evidence:
    """What one run of a check found. `digits`: agreement or certified digits; `count`: points, boxes or steps;
    `argued`: steps of a proof that no machine decides, in words.
    """

    outcome: Outcome
    route: str
    detail: str
    digits: float | None = None
    count: int | None = None
    counted: str = "points"
    argued: int = 0

    def line(self) -> str:
        """One line for a report: route, digits, how many points or subdomains, what was found."""
        parts = [self.route]
        if self.digits is not None:
            parts.append(f"{self.digits:.0f} digits")
        if self.count is not None:
            parts.append(f"{self.count} {self.counted}")
        if self.argued:
            parts.append(f"{self.argued} argued")
        return f"{self.outcome.value}: {', '.join(parts)}; {self.detail}"


@dataclass(frozen=True)
class Check:
    """A named check of one part of a claim.

    `run(effort)` returns Evidence; effort is "quick" or "full". `mutants` maps a description of a planted
    fault to the same check with that fault in it; each must come back FAILED.
    """

    name: str
    kind: Kind
    run: Callable[[str], Evidence]
    mutants: Mapping[str, Callable[[str], Evidence]]
    part: str = "statement"


@dataclass(frozen=True)
class Claim:
    """One statement of a source, with its declared verdict and the checks that recompute it."""

    id: str
    source: str
    title: str
    statement: str
    declared: Verdict
    checks: tuple[Check, ...] = ()
    hypotheses: tuple[str, ...] = ()
    formula: str | None = None
    counterexample: str | None = None
    corrected: str | None = None
    note: str = ""
    reason: str = ""  # why an open or a supported statement is not decided by proof or enclosure
    tags: tuple[str, ...] = field(default=())
    rests_on: tuple[str, ...] = ()  # claims that prove what its own derivations do not
    about: str = ""  # what a stated claim says beyond its relation
    stated: Statement | None = None  # the object that its texts are written by and its attack is made of

    def _repr_html_(self) -> str:
        formula = self.stated._repr_html_() if self.stated else f"<p>{prose(self.formula)}</p>" if self.formula else ""
        said = {"hypotheses": "; ".join(self.hypotheses), "counterexample": self.counterexample}
        said |= {"corrected": self.corrected, "note": self.note, "not decided because": self.reason}
        checks = "".join(f"<li>{prose(check.name)} <small>({check.kind.value})</small></li>" for check in self.checks)
        return (
            f"<p><b>{self.id}: {prose(self.title)}</b> ({self.declared.value})</p><p>{prose(self.statement)}</p>"
            f"{formula}{table((name, prose(text or '')) for name, text in said.items())}<ul>{checks}</ul>"
        )


_STRENGTH = {Kind.PROOF: 3, Kind.ENCLOSURE: 2, Kind.ATTACK: 1}
_VERDICT = {3: Verdict.PROVED, 2: Verdict.CERTIFIED, 1: Verdict.SUPPORTED}


def decide(results: list[tuple[Check, Evidence]]) -> Verdict | None:
    """The verdict that the evidence carries, or None where a check failed.

    Every part of the statement needs evidence of its own; a part is as strong as its strongest check, a claim
    is as weak as its weakest part. A certified counterexample to one part refutes the claim as printed; if the
    other parts (the restricted statement) stand on evidence, the verdict is `restricted`. A part that fixes a meaning,
    which its implementations share, asserts nothing: the verdict is `definition`, and what is said beside it has to
    stand on evidence.
    """
    if any(evidence.outcome is Outcome.FAILED for _, evidence in results):
        return None
    if not results or any(evidence.outcome is Outcome.UNDECIDED for _, evidence in results):
        return Verdict.OPEN
    standing = surviving(results)
    if any(check.kind is Kind.COUNTEREXAMPLE for check, _ in results):
        return Verdict.REFUTED if standing is Verdict.OPEN else Verdict.RESTRICTED
    if any(check.kind is Kind.MEANING for check, _ in results):
        return Verdict.OPEN if asserts(results) and standing is Verdict.OPEN else Verdict.DEFINITION
    return standing


def asserts(results: list[tuple[Check, Evidence]]) -> bool:
    """Whether a claim says more than what its definition, if it has one, fixes."""
    return bool({check.part for check, _ in results} - _fixed(results))


def _fixed(results: list[tuple[Check, Evidence]]) -> set[str]:
    return {check.part for check, _ in results if check.kind is Kind.MEANING}


def surviving(results: list[tuple[Check, Evidence]]) -> Verdict:
    """The strength of the parts that assert something and that no counterexample breaks; open where none is left or one
    has no evidence.
    """
    strength: dict[str, int] = {}
    broken = _fixed(results)
    for check, _ in results:
        if check.kind is Kind.COUNTEREXAMPLE:
            broken.add(check.part)
        strength[check.part] = max(strength.get(check.part, 0), _STRENGTH.get(check.kind, 0))
    standing = [value for part, value in strength.items() if part not in broken]
    return _VERDICT.get(min(standing, default=0), Verdict.OPEN)
