"""The ledger as a folder of pages that are read without a server, a network or a script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from ndis_verify import __version__
from ndis_verify.claim import Claim, Evidence, Verdict
from ndis_verify.claims.ledger import SOURCES, all_claims, find
from ndis_verify.court.judge import Judgement
from ndis_verify.report.calculator import POLICY, calculator_body, write_parts
from ndis_verify.report.claim_page import claim_body, linked, mentioned
from ndis_verify.report.errata import is_erratum
from ndis_verify.report.graph_page import graph_body
from ndis_verify.report.ledger_graph import ledger_graph
from ndis_verify.report.matrix import Heard, matrix
from ndis_verify.report.matrix_page import matrix_body
from ndis_verify.report.places import label_of, subject_of
from ndis_verify.rich import prose, style_sheet
from ndis_verify.runs.files import write_atomically
from ndis_verify.runs.pool import unordered

_FILES = Path(__file__).resolve().parent / "site_files"
_POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'"
_PAGES = {
    "index.html": "Claims",
    "matrix.html": "Cross-checks",
    "graph.html": "Graph",
    "errata.html": "Errata",
    "open.html": "Open questions",
}
_CALCULATOR = {"calculator.html": "Calculator"}


def write_site(
    folder: Path,
    judgements: Iterable[Judgement] = (),
    claims: Sequence[Claim] | None = None,
    heard: Heard | None = None,
    parts: Path | None = None,
    jobs: int = 1,
) -> Path:
    """Write the pages of the ledger, with the rulings of a `verify` where there are some; returns the index.

    A page a claim, the index, the cross-check matrix, the graph, the errata and the open questions. Files of other
    names in `folder` stay. `claims`: those of the ledger that get a page, all by default. `heard`: what the comparisons
    found, where there are no rulings (`matrix.hearing`). `parts`: a folder with the files of `calculator.PARTS`, for
    the calculator, which is left out without it. `jobs`: processes that make the pages of the claims; this one
    makes the lists meanwhile, which need all derivations: where there are rulings, it has built them.
    """
    chosen = all_claims() if claims is None else tuple(claims)
    rulings = {judgement.id: judgement for judgement in judgements}
    pages = _PAGES if parts is None else {**_PAGES, **_CALCULATOR}
    uses = {claim.id: mentioned(claim, [other.id for other in chosen]) for claim in chosen}
    used = {i: [j for j, ids in uses.items() if i in ids] for i in uses}
    found = {**(heard or {}), **_heard(chosen, rulings)}
    made = [
        _Made(claim.id, rulings.get(claim.id), uses[claim.id], used[claim.id], parts is not None) for claim in chosen
    ]

    def write_lists() -> None:
        lists = {"index.html": _index(chosen, rulings), **_lists(chosen)}
        lists["graph.html"] = graph_body(ledger_graph(), {claim.id for claim in chosen})
        lists["matrix.html"] = matrix_body(matrix(chosen, found))
        for name, body in lists.items():
            write_atomically(folder / name, _page(_PAGES[name], body, pages))

    for one, body in unordered(_Made.body, made, jobs, write_lists):
        title = f"{label_of(one.claim_id)}: {find(one.claim_id).title}"
        write_atomically(folder / page_of(one.claim_id), _page(title, body, pages, "../"))
    if parts is not None:
        write_calculator(folder, chosen, parts)
    write_atomically(folder / "style.css", style_sheet())
    for name in ("search.js", "graph.js"):
        write_atomically(folder / name, (_FILES / name).read_bytes())
    return folder / "index.html"


class _Made(NamedTuple):
    """What the page of a claim is made of, by a process that has the same ledger."""

    claim_id: str
    ruling: Judgement | None
    uses: list[str]
    used: list[str]
    calculator: bool

    def body(self) -> str:
        return claim_body(find(self.claim_id), self.ruling, self.uses, self.used, self.calculator)


def write_calculator(folder: Path, claims: Sequence[Claim], parts: Path) -> Path:
    """Write the calculator alone, with the counterexamples of `claims`; returns its page. `parts`: see `write_site`."""
    write_parts(folder / "calculator", parts)
    (name, title), *_ = _CALCULATOR.items()
    page = _page(title, calculator_body(claims), {**_PAGES, **_CALCULATOR}, policy=POLICY)
    write_atomically(folder / name, page)
    write_atomically(folder / "style.css", style_sheet())
    write_atomically(folder / "calculator.js", (_FILES / "calculator.js").read_bytes())
    return folder / name


def _heard(claims: Iterable[Claim], rulings: Mapping[str, Judgement]) -> dict[tuple[str, str], Evidence]:
    """The evidence of a `verify` by claim and check."""
    return {
        (claim.id, check.name): evidence
        for claim in claims
        if claim.id in rulings
        for check, evidence in zip(claim.checks, rulings[claim.id].found)
    }


def page_of(claim_id: str) -> str:
    """The path of a claim's page inside the site."""
    return f"claims/{claim_id}.html"


def _page(title: str, body: str, pages: Mapping[str, str], up: str = "", policy: str = _POLICY) -> str:
    links = "".join(f'<a href="{up}{name}">{text}</a>' for name, text in pages.items())
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} · ndis-verify</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<link rel="stylesheet" href="{up}style.css"></head><body><a class="skip" href="#main">To the text</a>'
        f'<header class="top"><nav aria-label="Pages">{links}</nav></header><main id="main">{body}</main>'
        f"<footer>ndis-verify {__version__}. Every verdict is recomputed by <code>ndis-verify verify</code>.</footer>"
        f"</body></html>\n"
    )


def _index(claims: Sequence[Claim], rulings: Mapping[str, Judgement]) -> str:
    subjects = {claim.id: subject_of(claim.id) for claim in claims}
    sections = []
    for source, title in SOURCES.items():
        rows = "".join(_row(c, subjects[c.id], rulings.get(c.id)) for c in claims if c.source == source)
        if rows:
            head = "<thead><tr><th>Statement</th><th>Verdict</th><th>What it says</th></tr></thead>"
            sections.append(
                f'<section class="source"><h2>{source}: {escape(title)}</h2>'
                f'<table class="list">{head}<tbody>{rows}</tbody></table></section>'
            )
    choices = "".join(
        f'<label>{key.capitalize()}<select name="{key}"><option value="">all</option>'
        + "".join(f'<option value="{value}">{escape(value.replace("_", " "))}</option>' for value in values)
        + "</select></label>"
        for key, values in {
            "source": [s for s in SOURCES if any(c.source == s for c in claims)],
            "subject": sorted(set(subjects.values())),
            "verdict": [v.value for v in Verdict if any(c.declared is v for c in claims)],
        }.items()
    )
    search = '<label>Label, id or words<input name="words" type="search" placeholder="Lemma 2"></label>'
    return (
        "<h1>What the sources claim, and what is true of it</h1><p>Every statement has a page: what is printed, what"
        " was decided, the proof step by step, what the numbers say, and which faults the checks catch.</p>"
        f'<form class="filter" hidden>{search}{choices}</form><p id="count" role="status">{len(claims)} claims</p>'
        + "".join(sections)
        + '<script src="search.js" defer></script>'
    )


def _row(claim: Claim, subject: str, ruling: Judgement | None) -> str:
    verdict = claim.declared.value
    label = label_of(claim.id)
    words = re.sub(r"[\s,.:()-]+", " ", f"{label} {claim.id} {claim.title} {claim.statement}".lower())
    differs = "" if ruling is None or ruling.agrees else " (not as declared)"
    return (
        f'<tr data-words="{escape(words)}" data-source="{claim.source}" data-subject="{subject}"'
        f' data-verdict="{verdict}"><td><a href="{page_of(claim.id)}">{escape(label)}</a></td>'
        f'<td><span class="badge {verdict}">{verdict}{differs}</span></td><td>{prose(claim.title)}</td></tr>'
    )


def _lists(claims: Sequence[Claim]) -> dict[str, str]:
    known = {claim.id for claim in claims}
    wrong = "".join(_entry(c, ("corrected", "note"), known - {c.id}) for c in claims if is_erratum(c))
    undecided = "".join(
        _entry(c, ("reason", "note"), known - {c.id}) for c in claims if c.declared in (Verdict.OPEN, Verdict.SUPPORTED)
    )
    return {
        "errata.html": f"<h1>Errata of the sources</h1><p>What is false or misprinted, and what is right.</p>{wrong}",
        "open.html": "<h1>Open questions</h1><p>Statements that no proof and no enclosure decides: a search found no"
        f" violation, and that is all.</p>{undecided}",
    }


def _entry(claim: Claim, names: tuple[str, ...], known: set[str]) -> str:
    texts = "".join(
        f"<p><b>{name.capitalize()}:</b> {linked(text, known, 'claims/')}</p>"
        for name in names
        if (text := getattr(claim, name))
    )
    said = linked(claim.statement, known, "claims/")
    verdict = claim.declared.value
    return (
        f'<section id="{claim.id}"><h2><a href="{page_of(claim.id)}">{escape(label_of(claim.id))}</a>:'
        f' {prose(claim.title)} <span class="badge {verdict}">{verdict}</span></h2><p>{said}</p>'
        f"{texts}</section>"
    )
