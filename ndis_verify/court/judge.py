"""The court: runs the checks of a claim and their mutants, and recomputes the verdict."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict, asserts, decide, surviving
from ndis_verify.court.attack_checks import AttackRun, PointRun
from ndis_verify.court.certify_checks import BoxRun
from ndis_verify.court.comparisons import Comparison
from ndis_verify.court.hearing import Heard, Hearing, each
from ndis_verify.court.printed_numbers import unprinted
from ndis_verify.court.proof_checks import ProofRun
from ndis_verify.court.seal import unsealed
from ndis_verify.court.shared_hearings import shared
from ndis_verify.court.statement_checks import mismatches, missing_link
from ndis_verify.court.tolerances import fewest_digits, fewest_evaluations, largest_margin
from ndis_verify.rich import prose

_CRASHED = "crashed"


@dataclass(frozen=True)
class Judgement:
    """What recomputing one claim gave, for the reports."""

    id: str
    source: str
    declared: str
    verdict: str | None  # None: a check failed or a mutant survived
    agrees: bool
    undecided: bool
    evidence: tuple[str, ...]
    failures: tuple[str, ...]
    mutants_killed: int
    mutants: int
    seconds: float
    argued: int = 0  # steps of its proofs that no machine decides, `link` among them
    found: tuple[Evidence, ...] = ()  # the evidence of each check, of which `evidence` is the text
    link: str = ""  # what no machine compares of the ends of its proofs
    surviving: str | None = None  # of a restricted claim, and of what a definition asserts beside: how strong it is

    @property
    def in_words(self) -> str:
        """The verdict as reports print it: "proved" with the number of argued steps, "restricted" with the strength of
        what is left, "definition" with that of what is said beside it.
        """
        proved = Verdict.PROVED.value in (self.verdict, self.surviving)
        argued = f", {self.argued} argued" if proved and self.argued else ""
        return f"{self.verdict} ({self.surviving}{argued})" if self.surviving else (self.verdict or "FAILED") + argued

    def as_dict(self) -> dict[str, Any]:
        data = asdict(self)
        del data["found"]
        return data

    def _repr_html_(self) -> str:
        read = [f"argued: {self.link}"] if self.link else []
        lines = "".join(f"<li>{prose(line)}</li>" for line in (*self.evidence, *read, *self.failures))
        differs = "" if self.agrees else f", declared {self.declared}"
        faults = f"{self.mutants_killed} of {self.mutants} planted faults caught"
        return f"<p><b>{self.id}: {self.in_words}</b>{differs}; {faults}</p><ul>{lines}</ul>"


def judge(claim: Claim, effort: str = "quick") -> Judgement:
    """Run every check of `claim` and every planted fault and recompute its verdict.

    Within one run of the tests the evidence may be what another process of the run heard (`shared_hearings`).
    """
    return judged(claim, shared(claim, effort, heard))


def heard(claim: Claim, effort: str = "quick") -> Hearing:
    """Run every check of `claim` and every planted fault."""
    start = time.perf_counter()
    run = partial(_run, effort=effort)
    checks = tuple(Heard(check.name, run(check.run), each(run, check.mutants)) for check in claim.checks)
    return Hearing(checks, round(time.perf_counter() - start, 3))


def judged(claim: Claim, hearing: Hearing) -> Judgement:
    """The verdict that the evidence carries, against the one that the claim declares."""
    results = [(check, one.evidence) for check, one in zip(claim.checks, hearing.checks, strict=True)]
    failures = [*mismatches(claim), *unprinted(claim), *miscalled(claim), *misplaced(claim), *loosened(claim)]
    failures += unsealed(claim)
    killed = planted = 0
    for one in hearing.checks:
        if one.evidence.outcome is Outcome.FAILED:
            failures.append(f"{one.check}: {one.evidence.detail}")
        if not one.faults:
            failures.append(f"{one.check}: no mutant, so nothing shows that it can fail")
        for fault, evidence in one.faults.items():
            planted += 1
            if evidence.outcome is Outcome.FAILED and evidence.route != _CRASHED:  # a crash is no judgement
                killed += 1
            else:
                failures.append(f"{one.check}: mutant survived: {fault} ({evidence.line()})")
    verdict = None if failures else decide(results)
    link = missing_link(claim)
    return Judgement(
        id=claim.id,
        source=claim.source,
        declared=claim.declared.value,
        verdict=verdict.value if verdict else None,
        agrees=verdict is claim.declared,
        undecided=any(evidence.outcome is Outcome.UNDECIDED for _, evidence in results),
        evidence=tuple(
            f"{check.name} [{check.kind.value}, {check.part}] {evidence.line()}" for check, evidence in results
        ),
        failures=tuple(failures),
        mutants_killed=killed,
        mutants=planted,
        seconds=hearing.seconds,
        surviving=surviving(results).value if _has_a_half(verdict, results) else None,
        found=tuple(evidence for _, evidence in results),
        argued=sum(evidence.argued for check, evidence in results if check.kind is Kind.PROOF) + bool(link),
        link=link,
    )


def _has_a_half(verdict: Verdict | None, results: list[tuple[Check, Evidence]]) -> bool:
    return verdict is Verdict.RESTRICTED or (verdict is Verdict.DEFINITION and asserts(results))


def miscalled(claim: Claim) -> list[str]:
    """The checks whose kind is not what they run: a search proves nothing, a comparison searches nothing."""
    allowed: dict[type, tuple[Kind, ...]] = {
        AttackRun: (Kind.ATTACK, Kind.COUNTEREXAMPLE),
        Comparison: (Kind.CROSSCHECK, Kind.MEANING),
        PointRun: (Kind.COUNTEREXAMPLE,),
        BoxRun: (Kind.ENCLOSURE,),
        ProofRun: (Kind.PROOF, Kind.CROSSCHECK),  # a derivation of another route is no proof of the statement
    }
    return [
        f"{check.name}: a {type(check.run).__name__} is called {check.kind.value}"
        for check in claim.checks
        if check.kind not in allowed.get(type(check.run), (check.kind,))
    ]


def misplaced(claim: Claim) -> list[str]:
    """Whether the proofs of a claim are of something else: none of them names it, or what it corrects or rests on."""
    proofs = [check.run.derive() for check in claim.checks if isinstance(check.run, ProofRun)]
    if claim.source == "OWN" or not proofs:
        return []
    named = {name for one in proofs for name in (*one.sources, *one.claims)}
    own = (claim.id, *claim.rests_on)
    if any(
        mine == name or mine.startswith(f"{name}-") or name.startswith(f"{mine}-") for mine in own for name in named
    ):
        return []
    return [f"no derivation is of {claim.id}: {', '.join(one.id for one in proofs)}"]


def loosened(claim: Claim) -> list[str]:
    """The checks of a claim that are looser than `tolerances` grants them; claims of one's own choose theirs."""
    if claim.source == "OWN":
        return []
    wrong = []
    for check in claim.checks:
        if isinstance(check.run, AttackRun) and check.run.problem.tolerance > (limit := largest_margin(check.name)):
            wrong.append(f"{check.name}: a tolerance of {check.run.problem.tolerance:g}, granted are {limit:g}")
        if isinstance(check.run, AttackRun) and min(check.run.evaluations.values()) < (
            least := fewest_evaluations(check.name)
        ):
            wrong.append(f"{check.name}: fewer evaluations than {least:g}, with which nothing is searched")
        if isinstance(check.run, Comparison) and check.run.digits < (limit := fewest_digits(check.name)):
            wrong.append(f"{check.name}: {check.run.digits:g} digits, to be asked for are {limit:g}")
    return wrong


def exit_code(judgements: list[Judgement]) -> int:
    """0 all verdicts as declared, 3 if some could not be decided and nothing else is wrong, else 1."""
    wrong = [j for j in judgements if not j.agrees]
    if not wrong:
        return 0
    only_undecided = all(j.undecided and not j.failures and j.verdict == Verdict.OPEN.value for j in wrong)
    return 3 if only_undecided else 1


def _run(run: Callable[[str], Evidence], effort: str) -> Evidence:
    try:
        return run(effort)
    except Exception as error:  # a check that crashes has not held, and the run must go on to the next claim
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Evidence(
            Outcome.FAILED, _CRASHED, f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
        )
