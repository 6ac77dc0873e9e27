"""What people look at after a conformance run: terminal, JSON, Markdown, JUnit XML, one self-contained HTML page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ndis_verify.plain_text import code_span, jsonable, printable
from ndis_verify.reference.conformance.judge import FAILING, Judgement
from ndis_verify.reference.conformance.page import page
from ndis_verify.reference.conformance.run import Run
from ndis_verify.reference.conformance.severity import changes
from ndis_verify.reference.conformance.summary import (
    ULP_NAMES,
    Clip,
    answered,
    clips,
    exit_code,
    failures,
    finite,
    shares,
)
from ndis_verify.reference.conformance.wording import LISTED, headline, known_mark, outcomes, remarks
from ndis_verify.reference.flags import FLAGS
from ndis_verify.runs.files import write_atomically
from ndis_verify.tables import markdown_table


def write_all(
    folder: Path,
    run: Run,
    known: frozenset[str],
    rows: Mapping[str, Mapping[str, Any]] | None = None,
    earlier: Mapping[str, str] | None = None,
) -> list[Path]:
    """conformance.json, .md, .xml and .html in `folder`, each whole or not at all; `rows`, `earlier`: as for `page`."""
    pages = {
        "json": as_json(run, known),
        "md": markdown(run, known),
        "xml": junit(run, known),
        "html": page(run, known, rows, earlier),
    }
    paths = []
    for suffix, text in pages.items():
        paths.append(folder / f"conformance.{suffix}")
        write_atomically(paths[-1], text)
    return paths


def terminal(run: Run, known: frozenset[str]) -> str:
    """The summary that the command prints."""
    lines = [headline(run, known), ""]
    for title, by in (("quantity", "quantity"), ("flag", "flag")):
        lines.append(f"{title:<26}{'rows':>5}  {'worst error':<12}{'ms':>8}  outcomes")
        lines += [
            f"{printable(s.name):<26}{s.rows:>5}  {finite(s.worst_error):<12}{1e3 * s.seconds:>8.2f}  {outcomes(s)}"
            for s in shares(run, by)
        ]
        lines.append("")
    bad = failures(run)
    old = dict.fromkeys(known, "known ")
    lines += [f"{old.get(j.key, '')}{j.outcome}: {printable(f'{j.key}: {j.message}')}" for j in bad[:LISTED]]
    if len(bad) > LISTED:
        lines.append(f"and {len(bad) - LISTED} more in the reports")
    lines += [f"{old.get(clip.key, '')}clipped: {printable(f'{clip.key}: {clip.message}')}" for clip in clips(run)]
    return "\n".join(lines + remarks(run, known))


def against(run: Run, earlier: Mapping[str, str]) -> str:
    """What is new against the outcomes of an earlier run, by key, on a line."""
    found = changes(run, earlier)
    worse = f" ({', '.join(map(printable, found.worse[:LISTED]))})" if found.worse else ""
    return (
        f"against the earlier run: {len(found.worse)} rows fail newly{worse}, {len(found.better)} do not fail any more"
    )


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
                        *(code_span(s.name), s.rows, outcomes(s), finite(s.worst_error), code_span(s.worst_row)),
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
            (
                code_span(j.key),
                f"{j.outcome}{known_mark(j, known)}",
                code_span(j.message),
                code_span(", ".join(j.flags)),
            )
            for j in bad
        ]
        lines += ["## What failed", "", markdown_table(("row", "outcome", "why", "flags"), cells), ""]
        lines += [
            f"- {name}: {FLAGS[name].bug}" for name in dict.fromkeys(f for j in bad for f in j.flags) if name in FLAGS
        ]
        lines.append("")
    if found := clips(run):
        items = [f"- {code_span(clip.key)}{known_mark(clip, known)}: {code_span(clip.message)}" for clip in found]
        lines += ["## What is clipped", "", *items, ""]
    return "\n".join(lines + remarks(run, known, code_span)).rstrip("\n") + "\n"


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
