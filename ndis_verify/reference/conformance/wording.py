"""What is said of a conformance run in every report: its headline, its remarks, the outcomes of a share."""

from __future__ import annotations

from collections.abc import Callable

from ndis_verify.plain_text import printable
from ndis_verify.reference.conformance.judge import OUTCOMES, Judgement
from ndis_verify.reference.conformance.run import Run
from ndis_verify.reference.conformance.summary import Clip, Share, answered, exit_code, healed

LISTED = 20


def headline(run: Run, known: frozenset[str], shown: Callable[[str], str] = printable) -> str:
    """One line: who, how many rows, the outcomes, passed or not; `shown` writes a text of the implementation's."""
    counted = {outcome: sum(j.outcome == outcome for j in run.judgements) for outcome in OUTCOMES}
    words = ", ".join(f"{count} {outcome}" for outcome, count in counted.items() if count)
    who = shown(" ".join(part for part in (run.name, run.version) if part) or run.command[0])
    end = f"; {run.left_out} rows left out: {shown(run.given_up)}" if run.left_out else ""
    if not answered(run):
        end += "; no row was answered with a value"
    return (
        f"{who}: {len(run.judgements)} rows at tolerance {run.tolerance}: {words or 'nothing asked'}{end}:"
        f" {verdict(run, known)}"
    )


def verdict(run: Run, known: frozenset[str]) -> str:
    return "FAILED" if exit_code(run, known) else "passed"


def outcomes(share: Share) -> str:
    return ", ".join(f"{count} {outcome}" for outcome, count in share.outcomes.items())


def known_mark(found: Judgement | Clip, known: frozenset[str]) -> str:
    return " (known)" if found.key in known else ""


def remarks(run: Run, known: frozenset[str], shown: Callable[[str], str] = printable) -> list[str]:
    """What else happened, a paragraph to each; `shown` as for `headline`."""
    odd = run.oddities
    lines = []
    if odd.garbage or odd.strangers or odd.overlong:
        words = (
            f"{odd.garbage} lines that are no answers, {odd.strangers} answers to other requests, {odd.overlong} lines"
            " too long"
        )
        lines.append(f"It also printed {words}; the first: {shown(odd.first)}")
    if run.unknown:
        lines.append(f"It offers what is no quantity of the protocol: {shown(', '.join(run.unknown))}")
    if run.ending:
        lines.append(f"In the end: {shown(run.ending)}")
    if better := healed(run, known):
        more = f" and {len(better) - LISTED} more" if len(better) > LISTED else ""
        lines.append(f"Known failures that do not fail any more: {shown(', '.join(better[:LISTED]))}{more}")
    return [part for line in lines for part in ("", line)]
