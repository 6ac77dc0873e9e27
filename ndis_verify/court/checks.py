"""How checks are made: proofs from derivations, and agreement of independent routes (`comparisons`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import mpmath

from ndis_verify.claim import Check, Evidence, Kind, Outcome
from ndis_verify.court.comparisons import Points, always, compare
from ndis_verify.court.proof_structure import lemmas, loose_ends, problems
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Step


def proof(name: str, derive: Callable[[], Derivation], part: str = "statement") -> Check:
    """The derivation's decided steps all hold; its named faults are the mutants."""
    return Check(
        name,
        Kind.PROOF,
        ProofRun(derive),
        Mutants(lambda: {fault: ProofRun(always(mutant)) for fault, mutant in derive().mutants().items()}),
        part,
    )


@dataclass(frozen=True)
class ProofRun:
    """`run(effort)` of `proof`: the steps are decided, and hang together where that is declared."""

    derive: Callable[[], Derivation]

    def __call__(self, effort: str) -> Evidence:
        return _verified(self.derive())


def _verified(derivation: Derivation) -> Evidence:
    """Names first, then the steps, which end a planted fault, then how the steps use their premises."""
    proofs = [derivation, *lemmas(derivation).values()]
    if loose := [text for one in proofs for text in loose_ends(one)]:
        return Evidence(Outcome.FAILED, "symbolic", f"{derivation.id}: {loose[0]}", count=0, counted="steps")
    decided: list[tuple[Step, bool | None]] = []
    for owner, step in ((one, step) for one in proofs for step in one.steps if step.kind in DECIDED):
        decided.append((step, owner.holds(step)))
        if decided[-1][1] is False:
            return Evidence(
                Outcome.FAILED,
                "symbolic",
                f"step {step.name!r} of {derivation.id} is false",
                count=len(decided),
                counted="steps",
            )
    if loose := [text for one in proofs for text in _structure(one)]:
        return Evidence(Outcome.FAILED, "symbolic", f"{derivation.id}: {loose[0]}", count=0, counted="steps")
    unknown = [step.name for step, holds in decided if holds is None]
    if unknown or not decided:
        return Evidence(Outcome.UNDECIDED, "symbolic", f"steps {unknown} of {derivation.id} were not decided")
    facts = [step.name for one in proofs for step in one.arguments]
    detail = f"derivation {derivation.id}" + (f"; argued in words: {', '.join(facts)}" if facts else "")
    detail += "".join(f"; part: {one.part}" for one in derivation.concludes if one.part)
    return Evidence(Outcome.HELD, "symbolic", detail, count=len(decided), counted="steps", argued=len(facts))


_STRUCTURES: WeakKeyDictionary[Derivation, tuple[str, ...]] = WeakKeyDictionary()


def _structure(derivation: Derivation) -> tuple[str, ...]:
    """`problems` of a derivation, asked once: it is a premise of many others, and the proof of several claims."""
    if derivation not in _STRUCTURES:
        _STRUCTURES[derivation] = tuple(problems(derivation))
    return _STRUCTURES[derivation]


class Mutants(Mapping[str, Callable[[str], Evidence]]):
    """Mutants that are built when they are first looked at: building a derivation takes time."""

    def __init__(self, build: Callable[[], Mapping[str, Callable[[str], Evidence]]]):
        self._build = build
        self._built: Mapping[str, Callable[[str], Evidence]] | None = None

    def _mutants(self) -> Mapping[str, Callable[[str], Evidence]]:
        if self._built is None:
            self._built = self._build()
        return self._built

    def __getitem__(self, name: str) -> Callable[[str], Evidence]:
        return self._mutants()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._mutants())

    def __len__(self) -> int:
        return len(self._mutants())


def agreement(
    name: str,
    route: str,
    left: Callable[..., Any],
    right: Callable[..., Any],
    points: Points,
    digits: float,
    mutants: Mapping[str, Callable[..., Any]],
    kind: Kind = Kind.CROSSCHECK,
    part: str = "statement",
) -> Check:
    """`left` and `right` agree to `digits` significant digits at every point; each mutant stands in for `left`.

    A value may be a float, an mpf or an Enclosure; an Enclosure's radius counts against the agreement.
    """

    run = compare(lambda: left, right, points, digits, route)
    return Check(name, kind, run, {fault: run.of_fault(always(mutant)) for fault, mutant in mutants.items()}, part)


def kept(check: Check) -> Check:
    """A comparison whose full evidence is kept as a certificate: for those that take long."""
    run: Any = check.run  # a `Comparison`, or another record with a name
    return replace(check, run=replace(run, name=check.name))


def formula_check(
    name: str,
    derive: Callable[[], Derivation],
    value: Callable[..., Any],
    points: Points,
    digits: float,
    kind: Kind = Kind.CROSSCHECK,
    part: str = "statement",
) -> Check:
    """The expression that a derivation ends in, as a number, against `value` (certified, by another route).

    Points list the arguments of `Derivation.number` in its order. The mutants are the faults planted in the
    derivation's result, and an error just above the tolerance.
    """

    def number(derivation: Derivation) -> Callable[..., Any]:
        return lambda *point: derivation.number(
            digits=int(digits) + 6, **dict(zip(derivation.symbols, point, strict=True))
        )

    run = compare(lambda: number(derive()), value, points, digits, "symbolic lambdified, certified")

    def off_by_a_little(*point: Any) -> Any:
        return number(derive())(*point) * (1 + mpmath.mpf(10) ** (1 - int(digits)))

    def mutants() -> dict[str, Callable[[str], Evidence]]:
        derivation = derive()
        in_result = {fault.name for fault in derivation.faults if fault.step == derivation.result_step}
        planted = {
            name: run.of_fault(partial(number, mutant))
            for name, mutant in derivation.mutants().items()
            if name in in_result
        }
        little = run.of_fault(lambda: off_by_a_little)
        return {**planted, f"relative error of 1e{1 - int(digits)} planted": little}

    return Check(name, kind, run, Mutants(mutants), part)
