"""The command: `python -m tools.fault_study --each 7`."""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ndis_verify.claim import Claim, Verdict
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.quantities.exact import NotExact
from ndis_verify.court.seal import unsealed
from ndis_verify.symbolic import mean_shift
from tools.fault_study import faults, records
from tools.fault_study.faults import Fault, Rule
from tools.fault_study.page import PAGE, page
from tools.fault_study.trial import CAUGHT, HARMLESS, MISSED, Court

# Claims that no object states, of every source, kind and verdict, which are heard in seconds.
UNSTATED = "KM-S7-example, KM-CI-binned, N26-Fig2-ridges, N26-T5.4-clamped, N24-Fig4"
KEPT = ("SL-2-tail", "KM-7.1")  # claims with an attack whose certificate is made in a second
RULES: dict[str, Rule] = {
    "altered statement": faults.altered_statement,
    "altered formula": faults.altered_formula,
    "dropped hypothesis": faults.dropped_hypothesis,
    "altered statement, in text, object and checks alike": faults.altered_everywhere,
    "dropped hypothesis, in text, object and checks alike": faults.dropped_everywhere,
    "shrunk ranges, in object and checks alike": faults.shrunk_ranges,
    "a check of a narrower statement": faults.of_another_statement,
    "shrunk domain of a search": faults.shrunk_search,
    "shrunk box": faults.shrunk_box,
    "a counterexample text that is none": faults.counterexample_text,
    "a counterexample at another point": faults.other_point,
    "a proof emptied of its middle": faults.emptied_proof,
    "a step of a proof left out": faults.step_left_out,
    "a decided step left as words": faults.step_in_words,
    "a false step": faults.false_step,
    "a part without its hypothesis": faults.part_without_its_hypothesis,
    "proved by a derivation of something else": faults.proof_of_something_else(mean_shift.hockey_stick),
    "another verdict declared": faults.declared_otherwise,
    "a search called a proof": faults.search_called_a_proof,
    "a loosened tolerance": faults.loosened_tolerance,
    "a search of four evaluations": faults.no_search,
    "a check without its planted faults": faults.spared_faults,
    "a check left out": faults.dropped_check,
}
RECORDS = "a spoilt certificate"


@dataclass(frozen=True)
class Row:
    """One trial, as the page has it."""

    kind: str
    claim_id: str
    what: str
    outcome: str
    said: str


def drawn(kind: str, rule: Rule, pool: list[Claim], each: int, draw: random.Random) -> Iterator[Fault]:
    """`each` faults of a kind, from as many claims as have one."""
    by_claim = [(claim, list(rule(claim))) for claim in draw.sample(pool, len(pool))]
    by_claim = [(claim, draw.sample(found, len(found))) for claim, found in by_claim if found]
    turns = ((claim, found[turn]) for turn in range(each) for claim, found in by_claim if turn < len(found))
    for (claim, (what, planted)), _ in zip(turns, range(each)):
        yield Fault(kind, claim.id, what, planted)


def why_harmless(fault: Fault) -> str:
    """Why a fault that is not caught changes nothing that is claimed; "" where that cannot be shown."""
    if fault.kind == "a counterexample at another point":
        return "the other point breaks the claim too, certified"
    if fault.kind == "a check left out":
        return "the verdict stands on the checks that are left"
    if fault.kind == "a loosened tolerance":
        return "still within what the table of tolerances grants"
    return ""


def pool_of(ids: list[str]) -> list[Claim]:
    """The claims of these ids; of none, all that an object states and some that none does. They have to be sealed."""
    stated = [claim for claim in all_claims() if claim.stated is not None or claim.id in UNSTATED.split(", ")]
    found = [find(i) for i in ids] or stated
    if changed := [claim.id for claim in found if unsealed(claim)]:
        raise SystemExit(f"not as they were sealed: {', '.join(changed)}")
    return found


def study(each: int, seed: int, rules: dict[str, Rule] = RULES, ids: list[str] | None = None) -> Iterator[Row]:
    """Every trial. A record that refuses to be made with the fault in it counts as caught."""
    court, draw = Court(), random.Random(seed)
    pool = pool_of(ids or [])
    for kind, rule in rules.items():
        claims = pool
        if kind == "proved by a derivation of something else":
            claims = [c for c in pool if c.declared in (Verdict.REFUTED, Verdict.RESTRICTED)]
        for fault in drawn(kind, rule, claims, each, draw):
            try:
                outcome, said = court.trial(fault)
            except (ValueError, NotExact) as error:
                outcome, said = CAUGHT, f"refused: {error}"
            reason = why_harmless(fault) if outcome == MISSED else ""
            yield Row(kind, fault.claim_id, fault.what, HARMLESS if reason else outcome, reason or said)


def kept_records(ids: tuple[str, ...] = KEPT) -> Iterator[Row]:
    """The trials on certificates."""
    for claim_id in ids:
        check = next(c for c in find(claim_id).checks if getattr(c.run, "stored_check", lambda: None)() is not None)
        with tempfile.TemporaryDirectory(prefix="fault-study-") as folder:
            for what, told, said in records.trials(check, Path(folder)):
                yield Row(RECORDS, claim_id, what, CAUGHT if told else MISSED, said)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=7, help="faults of a kind")
    parser.add_argument("--seed", type=int, default=26)
    parser.add_argument("--kinds", nargs="*", default=list(RULES), help="only these kinds; no page is written")
    arguments = parser.parse_args()
    os.nice(15)
    rows = []
    for row in study(arguments.each, arguments.seed, {kind: RULES[kind] for kind in arguments.kinds}):
        rows.append(row)
        print(f"{row.outcome:<10} {row.kind}: {row.claim_id}: {row.what} | {row.said[:120]}", flush=True)
    if arguments.kinds == list(RULES):
        rows += kept_records()
        PAGE.write_text(page(rows, arguments.seed), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
