"""The report of a conformance run as one HTML page that needs no other file and no script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from ndis_verify.plain_text import printable
from ndis_verify.reference.conformance.judge import FAILING, SAFE_SIDE, Judgement
from ndis_verify.reference.conformance.picture import error_svg
from ndis_verify.reference.conformance.run import Run
from ndis_verify.reference.conformance.severity import (
    SEVERITIES,
    Suspicion,
    changes,
    likely_flag,
    severity,
    suspicions,
)
from ndis_verify.reference.conformance.summary import ULP_NAMES, clips, exit_code, failures, finite, shares
from ndis_verify.reference.conformance.wording import headline, known_mark, outcomes, remarks
from ndis_verify.reference.flags import FLAGS
from ndis_verify.rich import style_sheet

Rows = Mapping[str, Mapping[str, Any]]
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_LONGEST = 1200  # characters of a row's inputs that are shown
_DEEPEST = 45  # per cent of the colour where all rows fail: the text stays readable
_LISTED = 12  # keys of rows that one sentence names
_STYLE = Path(__file__).with_name("page.css")


def page(run: Run, known: frozenset[str], rows: Rows | None = None, earlier: Mapping[str, str] | None = None) -> str:
    """The page of a run. `rows`: what was asked, by key; `earlier`: the outcomes of an earlier run, by key."""
    asked = rows or {}
    suspected = suspicions(run)
    body = "".join(
        (
            _banner(run, known),
            _against(run, earlier),
            _suspicions(suspected),
            _pictures(run, asked),
            _heat(run),
            _failures(run, known, asked, suspected),
            _clips(run, known),
            _shares(run, "quantity", "Quantity"),
            _shares(run, "flag", "Flag"),
            "".join(f"<p>{_safe(line)}</p>" for line in remarks(run, known) if line),
        )
    )
    style = style_sheet() + _STYLE.read_text(encoding="utf-8") + _filter_style(run)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Conformance</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<style>{style}</style></head><body><main id="main">{body}</main>'
        "</body></html>\n"
    )


def _safe(text: str) -> str:
    return escape(printable(text))


def _banner(run: Run, known: frozenset[str]) -> str:
    failed = exit_code(run, known)
    counted = Counter(severity(j) for j in failures(run))
    worst = "".join(
        f"<p>{counted[name]} {'row' if counted[name] == 1 else 'rows'}: {name}, {words}.</p>"
        for name, words in SEVERITIES.items()
        if counted[name]
    )
    said = "Not conforming" if failed else "Conforming"
    return (
        f'<h1>Conformance</h1><div class="banner {"failed" if failed else "passed"}">'
        f"<p>{_safe(headline(run, known))}</p><p><b>{said}</b></p>{worst}</div>"
    )


def _against(run: Run, earlier: Mapping[str, str] | None) -> str:
    if earlier is None:
        return ""
    found = changes(run, earlier)
    parts = [
        f"{len(keys)} rows {words}" + (f": {_keys(keys)}" if keys else "")
        for keys, words in ((found.worse, "fail that did not fail"), (found.better, "do not fail any more"))
    ]
    parts.append(f"{found.added} rows were not asked then, {found.gone} are not asked now")
    return "<h2>Against the earlier run</h2><ul>" + "".join(f"<li>{part}.</li>" for part in parts) + "</ul>"


def _keys(keys: tuple[str, ...]) -> str:
    more = f" and {len(keys) - _LISTED} more" if len(keys) > _LISTED else ""
    return ", ".join(f"<code>{_safe(key)}</code>" for key in keys[:_LISTED]) + more


def _suspicions(suspected: list[Suspicion]) -> str:
    items = "".join(
        f"<li><b>{_safe(s.quantity)}</b>: {escape(s.bug)} ({escape(FLAGS[s.flag].effect)}). {s.failed} of the {s.rows}"
        f" rows that catch it fail, and {s.elsewhere:.0%} of the others.</li>"
        for s in suspected
    )
    return f"<h2>What the failures look like</h2><ul>{items}</ul>" if items else ""


def _pictures(run: Run, asked: Rows) -> str:
    values = {key: row["value"] for key, row in asked.items() if "value" in row}
    groups = {name: [j for j in run.judgements if j.quantity == name and j.key in values] for name in _quantities(run)}
    drawn = "".join(error_svg(name, group, values, float(run.tolerance)) for name, group in groups.items())
    words = (
        "A cross fails, a triangle is loose, a dot is within the tolerance. What errs by more than a hundred times the"
        " value stands on the upper edge, what errs by nothing on the lower."
    )
    return f'<h2>Error against the exact value</h2><p>{words}</p><div class="pictures">{drawn}</div>' if drawn else ""


def _quantities(run: Run) -> list[str]:
    return list(dict.fromkeys(j.quantity for j in run.judgements))


def _heat(run: Run) -> str:
    names = _quantities(run)
    flags = dict.fromkeys(flag for j in run.judgements for flag in j.flags)
    if not failures(run):
        return ""
    head = "".join(f'<th scope="col">{_safe(name)}</th>' for name in names)
    lines = "".join(
        f'<tr><th scope="row">{_safe(flag)}</th>'
        + "".join(_heat_cell([j for j in run.judgements if j.quantity == name and flag in j.flags]) for name in names)
        + "</tr>"
        for flag in flags
    )
    caption = "Rows that fail, of the rows asked: what a flag is there to catch stands below."
    return (
        f'<h2>Where it fails</h2><div class="scroll" tabindex="0"><table class="heat"><caption>{caption}</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _heat_cell(group: list[Judgement]) -> str:
    if not group:
        return "<td></td>"
    bad = sum(j.outcome in FAILING for j in group)
    share = round(_DEEPEST * bad / len(group))
    hot = f' class="hot" style="--share:{share}%"' if bad else ""
    return f"<td{hot}>{bad}/{len(group)}</td>"


def _failures(run: Run, known: frozenset[str], asked: Rows, suspected: list[Suspicion]) -> str:
    bad = sorted(failures(run), key=lambda j: list(SEVERITIES).index(severity(j)))
    if not bad:
        return ""
    head = "".join(f"<th>{name}</th>" for name in ("Row", "Outcome", "Why", "Flags", "Exact value and inputs"))
    choices = _choices(bad)
    lines = "".join(_failure(j, known, asked.get(j.key), likely_flag(j, suspected), choices) for j in bad)
    return (
        f'<h2>What failed</h2>{_filters(bad)}<div class="scroll" tabindex="0"><table class="failures">'
        f"<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _failure(
    j: Judgement, known: frozenset[str], row: Mapping[str, Any] | None, flag: str, choices: Mapping[str, list[str]]
) -> str:
    places = {"severity": choices["severity"].index(severity(j)), "quantity": choices["quantity"].index(j.quantity)}
    marks = "".join(f' data-{kind}="{number + 1}"' for kind, number in places.items())
    bug = f"<br><small>Likely: {escape(FLAGS[flag].bug)}</small>" if flag else ""
    return (
        f"<tr{marks}><td>{_safe(j.key)}</td>"
        f'<td><span class="{j.outcome}">{j.outcome}{known_mark(j, known)}</span></td><td>{_safe(j.message)}</td>'
        f"<td>{_safe(', '.join(j.flags))}{bug}</td><td>{_row(j.quantity, row) if row else ''}</td></tr>"
    )


def _row(quantity: str, row: Mapping[str, Any]) -> str:
    """The exact value with its radius, or what had to be refused; the inputs behind a line to open."""
    side = {1: "too large is safe", -1: "too small is safe", 0: "no side is safe"}[SAFE_SIDE.get(quantity, 0)]
    exact = (
        f"<code>{_safe(row['value'])}</code> ± {_safe(row['radius'])}, {side}"
        if "value" in row
        else f"has to be refused: <code>{_safe(str(row['error']['argument']))}</code>"
    )
    inputs = "\n".join(f"{name} = {_shown(value)}" for name, value in row["inputs"].items())
    return f"{exact}<details><summary>Inputs</summary><pre>{_safe_lines(inputs)}</pre></details>"


def _shown(value: Any) -> str:
    text = str(value).replace("'", "")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def _safe_lines(text: str) -> str:
    return "\n".join(_safe(line) for line in text.splitlines())


def _choices(bad: Iterable[Judgement]) -> dict[str, list[str]]:
    """What the table of failures can be narrowed to."""
    found = list(bad)
    return {
        "severity": [name for name in SEVERITIES if any(severity(j) == name for j in found)],
        "quantity": list(dict.fromkeys(j.quantity for j in found)),
    }


def _filters(bad: list[Judgement]) -> str:
    return "".join(
        f'<fieldset class="choose"><legend>{kind.capitalize()}</legend>'
        + "".join(
            f'<label><input type="radio" name="{kind}" id="{kind}-{number}"{"" if number else " checked"}>'
            f"{_safe(name)}</label>"
            for number, name in enumerate(("all", *names))
        )
        + "</fieldset>"
        for kind, names in _choices(bad).items()
    )


def _filter_style(run: Run) -> str:
    """The filter without a script: a chosen button hides the rows of other numbers."""
    return "".join(
        f'body:has(#{kind}-{number}:checked) .failures tr[data-{kind}]:not([data-{kind}="{number}"]){{display:none}}'
        for kind, names in _choices(failures(run)).items()
        for number in range(1, len(names) + 1)
    )


def _clips(run: Run, known: frozenset[str]) -> str:
    found = clips(run)
    items = "".join(f"<p>{_safe(clip.key)}{known_mark(clip, known)}: {_safe(clip.message)}</p>" for clip in found)
    return f"<h2>What is clipped</h2>{items}" if items else ""


def _shares(run: Run, by: str, title: str) -> str:
    """Rows, outcomes, errors and times; how many answers lie within how many units in the last place."""
    head = (
        f'<tr><th rowspan="2">{title}</th><th rowspan="2" class="n">Rows</th><th rowspan="2">Outcomes</th>'
        '<th rowspan="2" class="n">Worst relative error</th><th rowspan="2">in row</th>'
        '<th rowspan="2" class="n">Median time (ms)</th>'
        f'<th colspan="{len(ULP_NAMES)}">Answers by error (units in the last place of binary64)</th></tr><tr>'
        + "".join(f'<th class="n">{escape(name)}</th>' for name in ULP_NAMES)
        + "</tr>"
    )
    lines = "".join(
        f'<tr><td>{_safe(s.name)}{_meaning(s.name)}</td><td class="n">{s.rows}</td><td>{escape(outcomes(s))}</td>'
        f'<td class="n">{finite(s.worst_error)}</td><td>{_safe(s.worst_row)}</td>'
        f'<td class="n">{1e3 * s.seconds:.2f}</td>' + "".join(f'<td class="n">{n}</td>' for n in s.ulps) + "</tr>"
        for s in shares(run, by)
    )
    what = "by quantity" if by == "quantity" else "by what a row is there to catch"
    return (
        f'<h2>All rows {what}</h2><div class="scroll" tabindex="0"><table><thead>{head}</thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _meaning(name: str) -> str:
    return f"<br><small>{escape(FLAGS[name].bug)}</small>" if name in FLAGS else ""
