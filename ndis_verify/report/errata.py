"""ERRATA.md: what is wrong in the sources, generated from the ledger and never edited by hand."""

from __future__ import annotations

from collections.abc import Iterable

from ndis_verify.claim import Claim, Verdict
from ndis_verify.claims.ledger import LOST_DISPLAYS, SOURCES

_HEADER = """# Errata of the sources

Generated from the ledger by `ndis-verify claims --errata ERRATA.md`; do not edit. Each entry is recomputed by
`ndis-verify verify ID`, which fails if the verdict no longer holds. "Printed" is said of what can be read in the
source; "Reading" is a statement that was rebuilt where its display is lost, or what an implementer may take the source
to say.
"""
_KIND = {Verdict.REFUTED: "false as printed", Verdict.RESTRICTED: "false as printed, true under a further hypothesis"}


def is_erratum(claim: Claim) -> bool:
    """Refuted and restricted claims, and misprints."""
    return claim.declared in _KIND or "misprint" in claim.tags


def is_printed(claim: Claim) -> bool:
    """Whether the statement can be read in its source: its words or, where displays are not lost, its formula."""
    return "reading" not in claim.tags and (claim.source not in LOST_DISPLAYS or "words" in claim.tags)


def errata(claims: Iterable[Claim]) -> str:
    """The page, one section per source, in the ledger's order."""
    wrong = [claim for claim in claims if is_erratum(claim)]
    lines = [_HEADER]
    for source, title in SOURCES.items():
        entries = [claim for claim in wrong if claim.source == source]
        if entries:
            lines.append(f"## {source}: {title}\n")
            lines += [_entry(claim) for claim in entries]
    return "\n".join(lines)


def _entry(claim: Claim) -> str:
    reading = not is_printed(claim)
    kind = "misprint" if "misprint" in claim.tags else _KIND[claim.declared]
    if reading:
        kind = kind.replace("false as printed", "a reading that is false")
    rows = [
        (
            "Reading" if reading else "Printed",
            claim.statement + (f" `{claim.formula}`" if claim.formula and claim.formula not in claim.statement else ""),
        ),
        ("Counterexample", claim.counterexample),
        ("Corrected", claim.corrected),
        ("Consequence", claim.note),
    ]
    body = "\n".join(f"- {label}: {text}" for label, text in rows if text)
    return f"### {claim.id}: {claim.title} ({kind})\n\n{body}\n- Recompute: `ndis-verify verify {claim.id}`\n"
