"""What people look at after a conformance run: terminal, JSON, Markdown, JUnit XML, one self-contained HTML page."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

from ndis_verify.plain_text import code_span, jsonable, printable
from ndis_verify.reference.conformance.judge import FAILING, OUTCOMES, Judgement
from ndis_verify.reference.conformance.run import Run
from ndis_verify.reference.conformance.summary import (
    ULP_NAMES,
    Clip,
    Share,
    answered,
    clips,
    exit_code,
    failures,
    finite,
    healed,
    shares,
)
from ndis_verify.reference.flags import FLAGS
from ndis_verify.runs.files import write_atomically
from ndis_verify.tables import markdown_table

_LISTED = 20


def write_all(folder: Path, run: Run, known: frozenset[str]) -> list[Path]:
    """conformance.json, .md, .xml and .html in `folder`, each whole or not at all."""
    pages = {
        "json": as_json(run, known),
        "md": markdown(run, known),
        "xml": junit(run, known),
        "html": page(run, known),
    }
    paths = []
    for suffix, text in pages.items():
        paths.append(folder / f"conformance.{suffix}")
        write_atomically(paths[-1], text)
    return paths


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
        f" {_verdict(run, known)}"
    )


def terminal(run: Run, known: frozenset[str]) -> str:
    """The summary that the command prints."""
    lines = [headline(run, known), ""]
    for title, by in (("quantity", "quantity"), ("flag", "flag")):
        lines.append(f"{title:<26}{'rows':>5}  {'worst error':<12}{'ms':>8}  outcomes")
        lines += [
            f"{printable(s.name):<26}{s.rows:>5}  {finite(s.worst_error):<12}{1e3 * s.seconds:>8.2f}  {_outcomes(s)}"
            for s in shares(run, by)
        ]
        lines.append("")
    bad = failures(run)
    old = dict.fromkeys(known, "known ")
    lines += [f"{old.get(j.key, '')}{j.outcome}: {printable(f'{j.key}: {j.message}')}" for j in bad[:_LISTED]]
    if len(bad) > _LISTED:
        lines.append(f"and {len(bad) - _LISTED} more in the reports")
    lines += [f"{old.get(clip.key, '')}clipped: {printable(f'{clip.key}: {clip.message}')}" for clip in clips(run)]
    return "\n".join(lines + _remarks(run, known))


def as_json(run: Run, known: frozenset[str]) -> str:
    """Everything, for a program."""
    record = run.as_dict() | {
        "passed": exit_code(run, known) == 0,
        "clipped": [asdict(clip) for clip in clips(run)],
        "by_quantity": [vars(share) for share in shares(run, "quantity")],
        "by_flag": [vars(share) for share in shares(run, "flag")],
    }
    return json.dumps(jsonable(record), indent=1) + "\n"


def markdown(run: Run, known: frozenset[str]) -> str:
    """A page for a repository or a review; whatever the implementation or a table wrote is dead in its code spans."""
    lines = ["# Conformance", "", headline(run, known, code_span), ""]
    for title, by in (("Quantity", "quantity"), ("Flag", "flag")):
        lines += [
            markdown_table(
                (title, "rows", "outcomes", "worst relative error", "at", f"ulps {' / '.join(ULP_NAMES)}", "median ms"),
                [
                    (
                        *(code_span(s.name), s.rows, _outcomes(s), finite(s.worst_error), code_span(s.worst_row)),
                        *(" / ".join(map(str, s.ulps)), f"{1e3 * s.seconds:.2f}"),
                    )
                    for s in shares(run, by)
                ],
            ),
            "",
        ]
    bad = failures(run)
    if bad:
        cells = [
            (code_span(j.key), f"{j.outcome}{_known(j, known)}", code_span(j.message), code_span(", ".join(j.flags)))
            for j in bad
        ]
        lines += ["## What failed", "", markdown_table(("row", "outcome", "why", "flags"), cells), ""]
        lines += [
            f"- {name}: {FLAGS[name].bug}" for name in dict.fromkeys(f for j in bad for f in j.flags) if name in FLAGS
        ]
        lines.append("")
    if found := clips(run):
        items = [f"- {code_span(clip.key)}{_known(clip, known)}: {code_span(clip.message)}" for clip in found]
        lines += ["## What is clipped", "", *items, ""]
    return "\n".join(lines + _remarks(run, known, code_span)).rstrip("\n") + "\n"


def junit(run: Run, known: frozenset[str]) -> str:
    """JUnit XML: a suite for each quantity, a case for each row."""
    root = ElementTree.Element("testsuites", name=printable(run.name or run.command[0]))
    for quantity in dict.fromkeys(j.quantity for j in run.judgements):
        _suite(root, quantity, [j for j in run.judgements if j.quantity == quantity], known)
    for clip in clips(run):
        _clip_suite(root, clip, clip.key in known)
    if run.left_out or not answered(run):
        suite = ElementTree.SubElement(
            root, "testsuite", name="run", tests="1", failures="1", errors="0", skipped="0", time="0"
        )
        case = ElementTree.SubElement(suite, "testcase", classname="run", name="every row is asked", time="0")
        ElementTree.SubElement(case, "failure", message=headline(run, known), type="left out")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _clip_suite(root: ElementTree.Element, clip: Clip, known: bool) -> None:
    counts = {"failures": str(int(not known)), "errors": "0", "skipped": str(int(known))}
    suite = ElementTree.SubElement(root, "testsuite", {"name": "clipped", "tests": "1", **counts, "time": "0"})
    case = ElementTree.SubElement(suite, "testcase", classname=printable(clip.quantity), name="clipped", time="0")
    kind = {} if known else {"type": "clipped"}
    ElementTree.SubElement(case, "skipped" if known else "failure", {"message": printable(clip.message), **kind})


def _suite(root: ElementTree.Element, quantity: str, group: list[Judgement], known: frozenset[str]) -> None:
    fates = {
        j.key: (
            "failure"
            if j.outcome in FAILING and j.key not in known
            else ""
            if j.outcome in ("tight", "loose")
            else "skipped"
        )
        for j in group
    }
    counts = Counter(fates.values())
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=printable(quantity),
        tests=str(len(group)),
        failures=str(counts["failure"]),
        errors="0",
        skipped=str(counts["skipped"]),
        time=f"{sum(j.seconds for j in group):.3f}",
    )
    for j in group:
        names = {"classname": printable(quantity), "name": printable(j.row)}
        case = ElementTree.SubElement(suite, "testcase", {**names, "time": f"{j.seconds:.4f}"})
        if fate := fates[j.key]:
            kind = {"type": j.outcome} if fate == "failure" else {}
            ElementTree.SubElement(case, fate, {"message": f"{j.outcome}: {printable(j.message)}", **kind})


_STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
body{color:#1a1a1a;background:#fff}
table{border-collapse:collapse;margin:1rem 0}td,th{border-bottom:1px solid #ccc;padding:.25rem .6rem;text-align:left}
td.n{text-align:right;font-variant-numeric:tabular-nums}.unsafe,.invalid,.crashed,.timeout{color:#a40000;font-weight:600}"""


def page(run: Run, known: frozenset[str]) -> str:
    """One HTML page that needs no other file."""

    def escape(text: str) -> str:
        return html.escape(printable(text))

    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Conformance</title><style>{_STYLE}</style>",
        f"<h1>Conformance</h1><p>{escape(headline(run, known))}</p>",
    ]
    for title, by in (("Quantity", "quantity"), ("Flag", "flag")):
        parts.append(
            f"<table><tr><th>{title}<th>rows<th>outcomes<th>worst relative error<th>at<th>median ms"
            + "".join(f"<th>{escape(name)}" for name in ULP_NAMES)
            + "</tr>"
        )
        for s in shares(run, by):
            hint = f' title="{escape(FLAGS[s.name].bug)}"' if s.name in FLAGS else ""
            parts.append(
                f"<tr><td{hint}>{escape(s.name)}<td class=n>{s.rows}<td>{escape(_outcomes(s))}<td"
                f" class=n>{finite(s.worst_error)}<td>{escape(s.worst_row)}<td class=n>{1e3 * s.seconds:.2f}"
                + "".join(f"<td class=n>{n}" for n in s.ulps)
                + "</tr>"
            )
        parts.append("</table>")
    if bad := failures(run):
        parts.append("<h2>What failed</h2><table><tr><th>row<th>outcome<th>why<th>flags</tr>")
        parts += [
            f"<tr><td>{escape(j.key)}<td class={j.outcome}>{j.outcome}{_known(j, known)}<td>{escape(j.message)}"
            f"<td>{escape(', '.join(j.flags))}</tr>"
            for j in bad
        ]
        parts.append("</table>")
    if found := clips(run):
        parts.append("<h2>What is clipped</h2>")
        parts += [f"<p>{escape(clip.key)}{_known(clip, known)}: {escape(clip.message)}</p>" for clip in found]
    parts += [f"<p>{escape(line)}</p>" for line in _remarks(run, known) if line]
    return "\n".join(parts) + "</html>\n"


def _verdict(run: Run, known: frozenset[str]) -> str:
    return "FAILED" if exit_code(run, known) else "passed"


def _outcomes(share: Share) -> str:
    return ", ".join(f"{count} {outcome}" for outcome, count in share.outcomes.items())


def _known(found: Judgement | Clip, known: frozenset[str]) -> str:
    return " (known)" if found.key in known else ""


def _remarks(run: Run, known: frozenset[str], shown: Callable[[str], str] = printable) -> list[str]:
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
        more = f" and {len(better) - _LISTED} more" if len(better) > _LISTED else ""
        lines.append(f"Known failures that do not fail any more: {shown(', '.join(better[:_LISTED]))}{more}")
    return [part for line in lines for part in ("", line)]
