"""How checks of agreement are made: of two routes (`comparisons`), and of a derivation's number with another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import mpmath

from ndis_verify.claim import Check, Evidence, Kind
from ndis_verify.court.comparisons import Points, always, compare
from ndis_verify.symbolic.derivation import Derivation


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
