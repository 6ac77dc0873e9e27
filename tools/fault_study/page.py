"""The study as a page: counts by kind, what is not caught, what is harmless and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.fault_study.trial import CAUGHT, HARMLESS, MISSED, SEALED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fault_study.md"
_HEAD = """# Faults planted in the ledger

`python -m tools.fault_study` spoils one claim at a time, by rule, and puts it before the court as `ndis-verify verify`
does, at the quick effort: its texts, its hypotheses, its domain, its counterexample, its proofs, its declaration, its
tolerances, the records that its evidence is kept in. The draws are seeded ({seed}). *Caught*: something that is decided
or compared fails, or the record refuses to be made. *By the seal alone*: only the digest of what the claim consists of
(`ndis_verify/court/seal.py`) is another one: the run fails, and a reader has to say whether the change is right.
*Harmless*: shown to change nothing that is claimed.
"""


def page(rows: Sequence[Any], seed: int) -> str:
    """The whole page, in Markdown."""
    parts = [
        _HEAD.format(seed=seed),
        _counts(rows),
        _listed(rows, MISSED, "Not caught"),
        _listed(rows, SEALED, "Told by the seal alone"),
    ]
    return "\n".join((*parts, _listed(rows, HARMLESS, "Harmless"), _listed(rows, CAUGHT, "Caught, and by what")))


def _counts(rows: Sequence[Any]) -> str:
    lines = ["| kind | faults | caught | by the seal alone | harmless | not caught |", "|---|--:|--:|--:|--:|--:|"]
    for kind in [*dict.fromkeys(row.kind for row in rows), ""]:
        of = Counter(row.outcome for row in rows if kind in ("", row.kind))
        name = kind or "**all**"
        lines.append(f"| {name} | {sum(of.values())} | {of[CAUGHT]} | {of[SEALED]} | {of[HARMLESS]} | {of[MISSED]} |")
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
