"""One claim as plain text for a terminal: what it says, what is true of it, every step of its proof."""

from __future__ import annotations

import textwrap

from ndis_verify.claim import Claim
from ndis_verify.claims.kinds import kind_of
from ndis_verify.court.statement_checks import missing_link
from ndis_verify.court.statement_mutants import faults_line
from ndis_verify.report.claim_page import (
    MEANS,
    carried,
    counts,
    derivations_of,
    proofs_of,
    shown_path,
    steps_in_words,
)
from ndis_verify.report.derivations import steps_table
from ndis_verify.report.places import cited, label_of


def claim_text(claim: Claim, width: int = 110) -> str:
    """Label, statement, declared verdict with its counts, hypotheses, steps, evidence and places; nothing is cut."""
    derivations = derivations_of(claim)
    numbers = steps_in_words(counts(proofs_of(claim)))
    verdict = f"{claim.declared.value} ({kind_of(claim).value}; {numbers or 'no proof'})"
    verdict += f"; also argued: {link}" if (link := missing_link(claim)) else ""
    paragraphs = [
        ("", f"{label_of(claim.id)} [{claim.id}]: {claim.title}"),
        ("verdict: ", verdict),
        ("", claim.statement),
        ("formula: ", "" if claim.formula and claim.formula in claim.statement else claim.formula),
        *(("given: ", text) for text in claim.hypotheses),
        ("counterexample: ", claim.counterexample),
        ("corrected: ", claim.corrected),
        ("note: ", claim.note),
        ("not decided because: ", claim.reason),
    ]
    lines = [line for name, text in paragraphs if text for line in _wrapped(name + text, width)]
    for derivation in derivations:
        lines += ["", *_wrapped(carried(claim, derivation), width)]
        lines += [
            line for text in steps_table(derivation, width, whole=True).splitlines() for line in _kept(text, width)
        ]
    lines += ["", "evidence"]
    for check in claim.checks:
        part = "" if check.part == "statement" else f", of the part {check.part!r}"
        lines += _wrapped(f"- {check.name} ({MEANS[check.kind]}{part}; {len(check.mutants)} planted faults)", width)
    lines += _wrapped(f"- {line}", width) if (line := faults_line(claim)) else []
    lines += ["", "places", *(f"  {shown_path(p.path)}:{p.line}  {p.kind}" for p in cited(claim.id))]
    return "\n".join([*lines, "", f"recompute: ndis-verify verify {claim.id}"])


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False) or [""]


def _kept(line: str, width: int) -> list[str]:
    """A line of a table of steps, which is wrapped already, headings apart."""
    return [line] if len(line) <= width else _wrapped(line, width)
