"""The verdict table: on the terminal, in Markdown and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

from ndis_verify.claim import Claim, ClaimKind, Verdict
from ndis_verify.claims.kinds import kind_of
from ndis_verify.claims.ledger import SOURCES
from ndis_verify.court.judge import Judgement
from ndis_verify.court.seal import reach
from ndis_verify.court.statement_mutants import added, faults_line, in_words, kept_counts
from ndis_verify.runs.files import write_atomically
from ndis_verify.tables import markdown_table

_FEW = 20  # of so many claims a terminal shows the faults by rule of each
_ORDER = ("refuted", "restricted", None, "open", "supported", "certified", "proved", "definition")


def ordered(judgements: list[Judgement]) -> list[Judgement]:
    """What a reader must not miss comes first: disagreements, then refuted and restricted claims."""
    return sorted(judgements, key=lambda j: (j.agrees, _ORDER.index(j.verdict)))


def summary(judgements: list[Judgement]) -> str:
    """One line: how many claims, how many of each verdict, how many differ, mutants killed."""
    counts = Counter(j.verdict or "failed" for j in judgements)
    parts = ", ".join(f"{counts[v]} {v}{_argued(judgements) if v == 'proved' else ''}" for v in sorted(counts))
    differ = sum(not j.agrees for j in judgements)
    killed, planted = sum(j.mutants_killed for j in judgements), sum(j.mutants for j in judgements)
    agree = "all as declared" if not differ else f"{differ} NOT as declared"
    return f"{len(judgements)} claims: {parts}; {agree}; {killed} of {planted} planted faults caught"


def by_kind(judgements: list[Judgement], claims: dict[str, Claim]) -> str:
    """One line: how many claims of each kind."""
    counts = Counter(kind_of(claims[j.id]) for j in judgements)
    return "kinds: " + ", ".join(f"{counts[kind]} {kind.value}" for kind in ClaimKind if counts[kind])


def _argued(judgements: list[Judgement]) -> str:
    """How many of the proved claims rest on steps in words, and on how many."""
    steps = [j.argued for j in judgements if j.verdict == Verdict.PROVED.value and j.argued]
    return f" ({len(steps)} of them with {sum(steps)} argued steps)" if steps else ""


def terminal_table(judgements: list[Judgement], claims: dict[str, Claim], width: int = 110) -> str:
    """One table per source, then the details of everything that is not as declared."""
    lines: list[str] = []
    for source, title in SOURCES.items():
        rows = ordered([j for j in judgements if j.source == source])
        if not rows:
            continue
        lines += [f"{source}  {title}"]
        for j in rows:
            claim = claims[j.id]
            mark = " " if j.agrees else "!"
            lines += _wrapped(f" {mark} {j.in_words:<31} {j.id:<18} ", claim.title, width)
            lines += [line for text in _extras(claim, j) for line in _wrapped("", text, width)]
            if len(judgements) <= _FEW and (line := faults_line(claim)):
                lines += _wrapped(" " * 35, line, width)
        lines.append("")
    lines += [summary(judgements), by_kind(judgements, claims)]
    lines += _wrapped("", line, width) if (line := in_words(added(claims[j.id] for j in judgements))) else []
    return "\n".join(lines)


def _wrapped(head: str, text: str, width: int) -> list[str]:
    """A line, and below its text what does not fit on it; nothing is cut."""
    pad = " " * (len(head) or len(text) - len(text.lstrip()) + 2)
    return textwrap.wrap(head + text, width, subsequent_indent=pad, break_on_hyphens=False, drop_whitespace=True)


def _extras(claim: Claim, judgement: Judgement) -> list[str]:
    pad = " " * 35
    lines = []
    if judgement.verdict in ("refuted", "restricted"):
        if claim.counterexample:
            lines.append(f"{pad}counterexample: {claim.counterexample}")
        if claim.corrected:
            lines.append(f"{pad}corrected: {claim.corrected}")
    if not judgement.agrees:
        lines.append(f"{pad}declared {judgement.declared}")
        lines += [f"{pad}{failure}" for failure in judgement.failures]
        if judgement.undecided:
            lines += [f"{pad}{line}" for line in judgement.evidence if "undecided" in line]
    return lines


def markdown(judgements: list[Judgement], claims: dict[str, Claim]) -> str:
    """The same table with the evidence lines, as a Markdown page."""
    lines = ["# Verdicts", "", summary(judgements) + ".", "", by_kind(judgements, claims) + ".", ""]
    lines += [f"{line}.", ""] if (line := in_words(added(claims[j.id] for j in judgements))) else []
    for source, title in SOURCES.items():
        rows = ordered([j for j in judgements if j.source == source])
        if not rows:
            continue
        cells = [(j.id, j.in_words, claims[j.id].title) for j in rows]
        lines += [f"## {source}: {title}", "", markdown_table(("claim", "verdict", "statement"), cells)]
        lines.append("")
        for j in rows:
            lines += _markdown_claim(claims[j.id], j)
    return "\n".join(lines) + "\n"


def _markdown_claim(claim: Claim, judgement: Judgement) -> list[str]:
    lines = [f"### {claim.id}: {claim.title}", "", claim.statement, ""]
    for label, text in (
        ("Formula", claim.formula and f"`{claim.formula}`"),
        ("Hypotheses", "; ".join(claim.hypotheses)),
        ("Counterexample", claim.counterexample),
        ("Corrected", claim.corrected),
        ("Note", claim.note),
        ("Open because" if claim.declared is Verdict.OPEN else "Not proved because", claim.reason),
    ):
        if text:
            lines += [f"{label}: {text}", ""]
    lines += [f"Verdict: **{judgement.in_words}** (declared {judgement.declared}).", ""]
    lines += [f"- {line}" for line in judgement.evidence]
    lines += [f"- argued: {judgement.link}"] if judgement.link else []
    lines += [f"- FAILED {line}" for line in judgement.failures]
    lines += [f"- planted faults caught: {judgement.mutants_killed} of {judgement.mutants}"]
    lines += [f"- {line}"] if (line := faults_line(claim)) else []
    lines.append("")
    return lines


def as_json(judgements: list[Judgement], claims: dict[str, Claim], effort: str, version: str) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "package": "ndis_verify",
        "version": version,
        "effort": effort,
        "summary": summary(judgements),
        "claims": [{**claim_record(claims[j.id]), **j.as_dict()} for j in judgements],
    }


def claim_record(claim: Claim) -> dict[str, Any]:
    """A claim without its checks, as plain data."""
    return {
        "id": claim.id,
        "kind": kind_of(claim).value,
        "source": claim.source,
        "title": claim.title,
        "statement": claim.statement,
        "formula": claim.formula,
        "hypotheses": list(claim.hypotheses),
        "declared": claim.declared.value,
        "counterexample": claim.counterexample,
        "corrected": claim.corrected,
        "note": claim.note,
        "reason": claim.reason,
        "statement_faults": kept_counts(claim),
        "checks": [
            {"name": c.name, "kind": c.kind.value, "part": c.part, "mutants": list(c.mutants), **reach(c)}
            for c in claim.checks
        ],
    }


def write_reports(
    folder: Path, judgements: list[Judgement], claims: dict[str, Claim], effort: str, version: str
) -> list[Path]:
    """Write report.json and report.md into `folder`; returns their paths."""
    data = json.dumps(as_json(judgements, claims, effort, version), indent=1, ensure_ascii=False)
    paths = [folder / "report.json", folder / "report.md"]
    write_atomically(paths[0], data + "\n")
    write_atomically(paths[1], markdown(judgements, claims))
    return paths
