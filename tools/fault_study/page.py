"""The study as a page: counts by kind, what is not caught, what is harmless and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.fault_study.trial import CAUGHT, HARMLESS, MISSED, SHOWN

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fault_study.md"
_HEAD = """# Faults planted in the ledger

`python -m tools.fault_study` spoils one claim at a time, by rule, and puts it before the court as `ndis-verify verify`
does, at the quick effort: its texts, its hypotheses, its domain, its counterexample, its proofs, its declaration, its
tolerances, the records that its evidence is kept in. The draws are seeded ({seed}). *Caught*: the run fails, whatever
the reason, or the record refuses to be made. *Shown*: the run passes, and the verdict as it is printed is another one
(more steps in words, a weaker half). *Harmless*: shown to change nothing that is claimed. What is not caught is
listed below, one line each.
"""


def page(rows: Sequence[Any], seed: int) -> str:
    """The whole page, in Markdown."""
    parts = [_HEAD.format(seed=seed), _counts(rows), _listed(rows, MISSED, "Not caught"), _listed(rows, SHOWN, "Shown")]
    return "\n".join((*parts, _listed(rows, HARMLESS, "Harmless"), _listed(rows, CAUGHT, "Caught, and by what")))


def _counts(rows: Sequence[Any]) -> str:
    lines = ["| kind | faults | caught | shown | harmless | not caught |", "|---|--:|--:|--:|--:|--:|"]
    for kind in [*dict.fromkeys(row.kind for row in rows), ""]:
        of = Counter(row.outcome for row in rows if kind in ("", row.kind))
        name = kind or "**all**"
        lines.append(f"| {name} | {sum(of.values())} | {of[CAUGHT]} | {of[SHOWN]} | {of[HARMLESS]} | {of[MISSED]} |")
    return "## Counts\n\n" + "\n".join(lines) + "\n"


def _listed(rows: Sequence[Any], outcome: str, title: str) -> str:
    lines = [
        f"- {row.claim_id}, {row.kind}: {_shown(row.what)}: {_shown(row.said)}"
        for row in rows
        if row.outcome == outcome
    ]
    return f"## {title}\n\n" + ("\n".join(lines) or "None.") + "\n"


def _shown(text: str) -> str:
    flat = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return flat if len(flat) <= 140 else flat[:137] + "..."
