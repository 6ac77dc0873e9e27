"""docs/ledger.md: what the ledger holds, and what its headline proofs rest on. `python -m tools.ledger_page`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ndis_verify.claims.kinds import WHY_TEXT
from ndis_verify.report.ledger_graph import ledger_graph
from ndis_verify.runs.files import write_atomically

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "ledger.md"
VERDICTS = ("proved", "restricted", "refuted", "certified", "supported", "definition")
# The decided and the argued steps of the headline proofs before a statement was an object.
BEFORE = {
    "N26-L1": (32, 8),
    "N26-T4.1": (30, 4),
    "N26-P1": (10, 1),
    "N26-P3": (5, 1),
    "N26-L2-corrected": (11, 1),
    "N26-L3": (12, 5),
    "N26-L4": (34, 7),
    "N26-P4": (8, 0),
    "N26-T5.1": (48, 11),
    "N26-T5.3": (55, 12),
    "N26-T5.4": (55, 17),
    "N26-T6.1-corrected": (72, 15),
    "N26-D6-joint": (13, 7),
    "N26-Pr7-joint": (31, 15),
    "N26-Pr8-joint": (33, 11),
    "N24-T5-worst-case": (12, 3),
    "N24-6.3-worst-case": (10, 4),
    "N24-6.3-worst-record": (20, 6),
    "N24-6.3-exact-law": (16, 4),
    "BW-T1": (14, 2),
    "BW-T5": (11, 4),
    "BW-T8": (20, 5),
    "BW-Alg1": (15, 4),
    "KM-4.1": (3, 1),
    "KM-4.2": (7, 2),
    "KM-4.3": (4, 1),
    "KM-Alg2-corrected": (12, 7),
}


def page(graph: dict[str, Any]) -> str:
    """The page for a graph of `ndis-verify claims --graph`."""
    claims = [node for node in graph["nodes"] if node["type"] == "claim"]
    return "\n".join([*_opening(), *_kinds(claims), "", *_texts(), "", *_proofs(claims), ""])


def _opening() -> Iterator[str]:
    yield "# The ledger in figures"
    yield ""
    yield "Written by `python -m tools.ledger_page` from the records themselves; a test compares the two."
    yield ""


def _kinds(claims: list[dict[str, Any]]) -> Iterator[str]:
    kinds = [kind for kind, _ in Counter(claim["kind"] for claim in claims).most_common()]
    yield "## Claims by kind"
    yield ""
    yield f"| kind | {' | '.join(VERDICTS)} | all | of them objects |"
    yield "|---|" + "---:|" * (len(VERDICTS) + 2)
    for kind in [*kinds, "all"]:
        own = [claim for claim in claims if kind in ("all", claim["kind"])]
        row = [sum(claim["verdict"] == verdict for claim in own) for verdict in VERDICTS]
        yield f"| {kind} | {' | '.join(map(str, row))} | {len(own)} | {sum(claim['object'] for claim in own)} |"


def _texts() -> Iterator[str]:
    yield "## Relations in words"
    yield ""
    yield "Relations that are no objects, each with what keeps it from being one."
    yield ""
    yield "| why | claims |"
    yield "|---|---|"
    for why in dict.fromkeys(WHY_TEXT.values()):
        yield f"| {why} | {', '.join(name for name, one in WHY_TEXT.items() if one == why)} |"


def _proofs(claims: list[dict[str, Any]]) -> Iterator[str]:
    by_id = {claim["id"]: claim for claim in claims}
    yield "## Headline proofs"
    yield ""
    yield (
        "Steps that a machine decides, standard facts whose conditions are shown, and steps argued in words, lemmas"
        " included; that a proof ends in its statement is argued where no machine compares the two. Before: as it was"
        " when statements were sentences, lemmas not included, the end of no proof compared and not counted either."
    )
    yield ""
    yield "| claim | decided before | argued before | decided | facts | argued | end compared |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for name, (decided, argued) in BEFORE.items():
        now = by_id[name]
        steps = f"{now['decided']} | {now['facts']} | {now['argued']}"
        yield f"| {name} | {decided} | {argued} | {steps} | {'yes' if now['compared'] else 'no'} |"
    sums = [sum(by_id[name][key] for name in BEFORE) for key in ("decided", "facts", "argued")]
    before = " | ".join(str(sum(pair[k] for pair in BEFORE.values())) for k in (0, 1))
    ends = sum(by_id[name]["compared"] for name in BEFORE)
    yield f"| all | {before} | {' | '.join(map(str, sums))} | {ends} of {len(BEFORE)} |"


if __name__ == "__main__":
    write_atomically(PAGE, page(ledger_graph()))
