"""Checks for the court made from branch and bound over a stated box."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ndis_verify.claim import Check, Evidence, Kind, Outcome
from ndis_verify.court.certify import CertifyRecord, certify_nonnegative
from ndis_verify.court.certify_box import Axis

_OUTCOME = {"certified": Outcome.HELD, "refuted": Outcome.FAILED, "undecided": Outcome.UNDECIDED}


@dataclass(frozen=True)
class BoxRun:
    """`run(effort)` of a branch and bound; the same work at every effort, as a proof has no half."""

    function: Callable[..., Any]
    box: tuple[Axis, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, effort: str) -> Evidence:
        record = self.record()
        return Evidence(
            _OUTCOME[record.outcome],
            "branch and bound in ball arithmetic",
            record.line(),
            count=record.boxes,
            counted="boxes",
        )

    def record(self) -> CertifyRecord:
        return certify_nonnegative(self.function, self.box, **self.options)


def certified_box_check(
    name: str,
    function: Callable[..., Any],
    box: Iterable[Axis],
    *,
    mutants: Mapping[str, Callable[..., Any]],
    gradient: Callable[..., Sequence[Any]] | None = None,
    mutant_gradients: Mapping[str, Callable[..., Sequence[Any]]] | None = None,
    part: str = "statement",
    **options: Any,
) -> Check:
    """Held if `function >= 0` is certified on the whole box (kind enclosure); undecided if boxes are left.

    `mutants`: functions that are negative somewhere on the box and must be refuted by a point; their own gradients, if
    any, in `mutant_gradients`. Options as in `certify_nonnegative`. For a monotone function pass its derivative.
    """
    box = tuple(box)
    known = mutant_gradients or {}
    # Factors belong to the function they were divided out of, not to a mutant.
    plain = {key: value for key, value in options.items() if key not in ("factors", "margin")}
    faults = {fault: BoxRun(faulty, box, plain | {"gradient": known.get(fault)}) for fault, faulty in mutants.items()}
    return Check(name, Kind.ENCLOSURE, BoxRun(function, box, options | {"gradient": gradient}), faults, part)
