"""What the notebooks are made of beside their own subject: one style, proofs typeset, verdicts heard, claims shown."""

from __future__ import annotations

import logging
import os
import re
import textwrap
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mpmath

from ndis_verify.claim import Claim
from ndis_verify.claims.ledger import find
from ndis_verify.court.judge import Judgement, judge
from ndis_verify.enclosure import Enclosure
from ndis_verify.report.derivations import steps_table
from ndis_verify.report.places import label_of
from ndis_verify.rich import prose, wrapping
from ndis_verify.symbolic.derivation import Derivation
from ndis_verify.symbolic.typeset import derivation_html
from ndis_verify.tables import text_table

STYLE = Path(__file__).with_name("article.mplstyle")
_STRICT = "__main__|ndis_verify|numpy|scipy|mpmath|sympy|matplotlib"
_FORMULAS = (
    "<style>.derivation .formula{overflow-x:auto;padding:.3rem 0 .3rem 1rem;line-height:2}.derivation p{margin:.2rem 0}"
    ".derivation ol.steps>li{margin-bottom:.8rem}.derivation .method,.derivation .premises,.derivation .caught"
    "{font-size:.92em}</style>"
)
_UNIT = re.compile(r"\([^()]+\)$")  # "(nats)" at the end of a label
_HEAD = ("claim", "statement", "verdict, as declared")


def start() -> None:
    """The one style of every picture; a warning is an error from then on, a picture that `legible` refuses too."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # its first import may report that it builds a font cache
    import matplotlib.pyplot as plt

    plt.style.use(STYLE)
    warnings.filterwarnings("error", module=_STRICT)
    if not hasattr(plt.show, "legible"):
        plt.show = _legibly(plt.show, plt)


def _legibly(show: Callable[..., Any], plt: Any) -> Callable[..., Any]:
    @wraps(show)
    def shown(*args: Any, **options: Any) -> Any:
        for number in plt.get_fignums():
            legible(plt.figure(number))
        return show(*args, **options)

    shown.legible = True  # type: ignore[attr-defined]  # a mark on a function
    return shown


def legible(figure: Any) -> None:
    """Raises `AssertionError` where an axis of a picture has no label, or one that does not end in a unit in brackets
    ("(nats)", "(no unit)"; categories need none), where curves of several colours have no legend that names them, or
    where a line joins categories, which have no order.
    """
    for axes in figure.axes:
        if not axes.axison or axes.get_label() == "<colorbar>":
            continue
        for name in "xy":
            siblings = getattr(axes, f"get_shared_{name}_axes")().get_siblings(axes)
            said = [text for one in siblings if (text := getattr(one, f"get_{name}label")())]
            assert said or not getattr(axes, f"{name}axis").get_visible(), f"an axis {name} without a label"
            categories = hasattr(getattr(getattr(axes, f"{name}axis"), "units", None), "_mapping")
            assert categories or all(map(_UNIT.search, said)), f"an axis {name} without its unit: {said}"
            joined = any(line.get_linestyle() not in ("None", "") and len(line.get_xdata()) > 1 for line in axes.lines)
            assert not (joined and categories), "a line that joins categories"
        colours = {str(line.get_color()) for line in axes.lines if len(line.get_xdata()) > 2}
        named = axes.get_legend() or figure.legends or axes.texts
        assert len(colours) < 2 or named, "curves of several colours without a legend"


def check(words: str, *conditions: object) -> None:
    """One visible line that says what was checked. Raises `AssertionError` with these words where a condition fails.

    Examples
    --------
    >>> from ndis_verify.report.articles import check
    >>> check("two is even", 2 % 2 == 0)
    ✓ two is even
    """
    if not conditions or not all(bool(condition) for condition in conditions):
        raise AssertionError(words)
    print(f"✓ {words}")


class _Shown:
    """Something to end a cell with: plain text, and the same as a page."""

    def __init__(self, text: str, page: str):
        self.text, self.page = text, page

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.page


def proof(*derivations: Derivation) -> _Shown:
    """The steps of derivations, typeset, the first one unfolded; every decided step is decided anew.

    Raises `AssertionError` where one is not true.

    Examples
    --------
    >>> from ndis_verify.report.articles import proof
    >>> from ndis_verify.symbolic import mean_shift
    >>> print(str(proof(mean_shift.erf_form())).splitlines()[-1])
    proved: 2 of 2 identities decided
    """
    for derivation in derivations:
        assert derivation.proved, derivation.id
    page = "".join(
        f"<details{' open' if k == 0 else ''}><summary>{prose(one.title)} ({len(one.steps)} steps)</summary>"
        f"{derivation_html(one, prefix=one.id)}</details>"
        for k, one in enumerate(derivations)
    )
    return _Shown("\n\n".join(map(steps_table, derivations)), _FORMULAS + page)


def numbers(values: Mapping[str, Any], digits: int = 20) -> _Shown:
    """A table of values beside their names, each with the digits that it justifies (`said`)."""
    rows = [(name, said(value, digits)) for name, value in values.items()]
    cells = "".join(
        f'<tr><th scope="row" style="text-align:left">{prose(name)}</th>'
        f'<td style="text-align:left"><code>{escape(value)}</code></td></tr>'
        for name, value in rows
    )
    return _Shown("\n".join(text_table(rows, left=(0, 1))), f"<table>{cells}</table>")


def said(value: Any, digits: int = 20) -> str:
    """One value in text: "0 exactly", "0.12 +/- 1e-9", `digits` digits of a number of mpmath, nine of a float."""
    if isinstance(value, Enclosure):
        return "0 exactly" if value.lower == value.upper == 0 else "{} +/- {}".format(*value.decimal(digits))
    if isinstance(value, mpmath.mpf):
        return str(mpmath.nstr(value, digits, strip_zeros=False))
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def verdicts(*ids: str) -> _Shown:
    """The verdicts of claims, recomputed here.

    Raises `AssertionError` where one is not as declared, a check fails, or a planted fault is not noticed.
    """
    heard = [(claim, judge(claim)) for claim in map(find, ids)]
    for claim, ruling in heard:
        assert ruling.agrees and not ruling.failures and ruling.mutants_killed == ruling.mutants > 0, claim.id
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in _ruled(*one))}</tr>" for one in heard)
    return _Shown("\n".join(_told(*one) for one in heard), _table(("claim", "verdict, recomputed"), rows))


def also(*ids: str) -> _Shown:
    """A table of claims for the end of a notebook. Raises `InputError` for an id that the ledger has not.

    Examples
    --------
    >>> from ndis_verify.report.articles import also
    >>> also("N26-P3")
    N26-P3: triangle inequality of the divergence (proved)
    """
    claims = list(map(find, ids))
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(claim))}</tr>" for claim in claims)
    text = "\n".join(f"{claim.id}: {claim.title} ({claim.declared.value})" for claim in claims)
    return _Shown(text, _table(_HEAD, rows))


def _table(head: tuple[str, ...], rows: str) -> str:
    names = "".join(f"<th>{name}</th>" for name in head)
    return f'<table tabindex="0"><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>'


def _told(claim: Claim, ruling: Judgement) -> str:
    said = f"{claim.id}: {ruling.in_words}, every planted fault caught"
    if claim.counterexample:
        indent = " " * 4
        said += "\n" + textwrap.fill(
            f"counterexample: {claim.counterexample}", 110, initial_indent=indent, subsequent_indent=indent
        )
    return said


def _ruled(claim: Claim, ruling: Judgement) -> tuple[str, str]:
    said = f"<b>{escape(ruling.in_words)}</b>, every planted fault caught" + _wrong(claim)
    return f"{_name(claim)}<br>{prose(claim.title)}", said


def _cells(claim: Claim) -> tuple[str, str, str]:
    formula = wrapping(claim.stated.tex) if claim.stated else prose(claim.formula or claim.statement)
    return _name(claim), f"{prose(claim.title)}<br>{formula}", f"<b>{claim.declared.value}</b>{_wrong(claim)}"


def _name(claim: Claim) -> str:
    return f"<b>{escape(label_of(claim.id))}</b><br><small>{escape(claim.id)}</small>"


def _wrong(claim: Claim) -> str:
    """What is wrong with a claim as it is printed, where something is."""
    parts = (("counterexample", claim.counterexample), ("corrected", claim.corrected))
    return "".join(f"<br>{name}: {prose(text)}" for name, text in parts if text)


def explore(draw: Callable[..., None], **ranges: tuple[float, float, float]) -> None:
    """Draws a picture at the start of each range, and beside it, in a notebook that somebody has open, with sliders.

    `draw` takes the numbers by name; a range is (start, low, high). What runs a notebook without a reader, and a reader
    without `ipywidgets`, get the picture.
    """
    if "JPY_SESSION_NAME" in os.environ and find_spec("ipywidgets"):
        from ipywidgets import FloatSlider, interact

        steps = {name: (high - low) / 100 for name, (_, low, high) in ranges.items()}
        interact(draw, **{name: FloatSlider(v, min=a, max=b, step=steps[name]) for name, (v, a, b) in ranges.items()})
        return
    draw(**{name: start for name, (start, _, _) in ranges.items()})
