"""What a notebook and a page show of a record: typeset text, long formulas folded, tables of fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

_NAMES = (
    "eps epsilon delta Delta sigma Sigma lam lambda mu nu rho tau kappa alpha beta gamma Gamma theta omega phi Phi pi"
    " psi xi"
)
_LETTERS = dict(zip(_NAMES.split(), "εεδΔσΣλλμνρτκαβγΓθωφΦπψξ", strict=True))
_NAME = re.compile(
    r"(?<![\w.`])(?<!--)({})(?=\d*(?:_|(?!\w)))".format("|".join(sorted(_LETTERS, key=len, reverse=True)))
)
_RAISED = (
    r"\{([^{}]*)\}|(-?(?:\d+|[A-Za-zα-ωΑ-Ω](?![A-Za-z])))"  # what is raised: a group in braces, a number, a letter
)
_POWER = re.compile(rf"(?<=[\w)\]>}}′‖|])\^(?:{_RAISED}|([α-ω]))")
_INDEX = re.compile(rf"(?<=[\w)\]>}}])_(?:{_RAISED}|((?<=(?<!\w)[\w]_)[A-Za-z]{{2,12}})(?!\w|[.]\w))")
_FOLD = 700  # characters of TeX that are shown at once


def prose(text: str) -> str:
    """Plain text of the ledger as HTML: symbols by their letters, powers raised, indices lowered, code as code."""
    parts = re.split(r"`([^`]*)`", text)
    return "".join(f"<code>{escape(part)}</code>" if k % 2 else _typeset(part) for k, part in enumerate(parts))


def _typeset(text: str) -> str:
    text = _NAME.sub(lambda m: _LETTERS[m.group(1)], text)
    text = re.sub(r"(?<=[α-ωΓΔΣΦ])(\d+)(?![\d.]*\w)", r"_{\1}", text)
    text = re.sub(r"(?<![\w-])-(?=[α-ω\d(])|(?<= )-(?= )", "−", text)
    text = re.sub(r"\bsum(?=_)", "∑", re.sub(r"\bprod(?=_)", "∏", text))
    text = escape(text.replace("<=", "≤").replace(">=", "≥").replace("||", "‖"), quote=False)
    for _ in range(3):  # from the inside
        text = _INDEX.sub(_script("sub"), _POWER.sub(_script("sup"), text))
    return text.replace("sqrt(", "√(").replace(" +/- ", " ± ")


def _script(tag: str) -> Callable[[re.Match[str]], str]:
    def made(found: re.Match[str]) -> str:
        inside = next(part for part in found.groups() if part is not None)
        return f"<{tag}>{re.sub('^-', '−', inside)}</{tag}>"

    return made


def folded(formula: str, size: int) -> str:
    """A formula in a box that scrolls by itself; behind a line to open where it is long, never cut."""
    box = f'<div class="formula" tabindex="0">{formula}</div>'
    return box if size <= _FOLD else f"<details><summary>A long formula: show it</summary>{box}</details>"


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Names and HTML values, one a line; empty values are left out."""
    cells = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{html}</td></tr>' for name, html in rows if html)
    return f"<table>{cells}</table>"


def field_table(record: Any, title: str = "") -> str:
    """The fields of a record; a field that is a record or an enclosure is shown as such."""
    rows = table((name.replace("_", " "), _value(getattr(record, name))) for name in record.__dataclass_fields__)
    return f"<p><b>{escape(title or type(record).__name__)}</b></p>{rows}"


def _value(value: Any) -> str:
    if value is None or (isinstance(value, (tuple, str)) and not value):
        return ""
    shown = getattr(value, "_repr_html_", None)
    if shown is not None and not isinstance(value, type):
        return str(shown())
    if isinstance(value, Mapping):
        return table((str(name), _value(entry)) for name, entry in value.items())
    if hasattr(value, "__dataclass_fields__"):
        return table((name.replace("_", " "), _value(getattr(value, name))) for name in value.__dataclass_fields__)
    text = str(value.tolist() if hasattr(value, "tolist") else value)  # an array is shown whole
    return escape(text) if len(text) <= _FOLD else f"<details><summary>show</summary>{escape(text)}</details>"
