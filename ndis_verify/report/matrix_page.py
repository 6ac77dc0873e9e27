"""The cross-check matrix as a page of the site and as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ndis_verify.report.matrix import COLUMNS, Cell, Row, summary
from ndis_verify.rich import prose
from ndis_verify.tables import text_table


def matrix_text(rows: Sequence[Row]) -> str:
    """A line an item, a column a route; below it how many items each route speaks of."""
    lines: list[tuple[str, ...]] = [("item", "verdict", *COLUMNS)]
    lines += [(row.item, row.verdict, *(_short(row.cells[name]) for name in COLUMNS)) for row in rows]
    legend = "numbers before a slash are digits that agree, behind it points, rows or steps; - is blank (see --json)"
    return "\n".join([*text_table(lines, left=(0, 1)), "", legend, summary(rows)])


def _short(cell: Cell) -> str:
    if not cell.filled:
        return "-"
    digits = "" if cell.digits is None else f"{'>=' if cell.asked else ''}{cell.digits}"
    return "/".join(part for part in (digits, f"{cell.count:,}" if cell.count is not None else "") if part) or "yes"


def matrix_body(rows: Sequence[Row]) -> str:
    """The page without its frame."""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("printed item", *COLUMNS))
    return (
        "<h1>The cross-check matrix</h1><p>What speaks of each printed item: a derivation, a second route in many"
        " digits, certified balls, float64, a published library, a notebook, rows of the reference tables. A cell"
        " gives the digits to which the closest check agrees and at how many points; open it for the worst point. An"
        " empty cell says why it is empty. Nothing in this table is typed: it is found in the checks and in what they"
        f' call.</p><p id="count">{escape(summary(rows))}.</p><div class="wide" tabindex="0"><table class="matrix">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(map(_row, rows))}</tbody></table></div>"
    )


def _row(row: Row) -> str:
    cells = "".join(
        f"<td{'' if row.cells[name].filled else ' class=blank'}>{_cell(row.cells[name])}</td>" for name in COLUMNS
    )
    anchors = "".join(f'<span id="{claim}"></span>' for claim in row.claims)
    return (
        f'<tr><th scope="row">{anchors}<a href="claims/{row.claims[0]}.html">{escape(row.item)}</a>'
        f' <span class="{row.verdict}">{row.verdict}</span></th>{cells}</tr>'
    )


def _cell(cell: Cell) -> str:
    if not cell.filled:
        return f"<details><summary>none</summary>{escape(cell.reason)}</details>"
    found = prose(f"{cell.check}: {cell.worst}" if cell.worst else cell.check)
    if cell.link.startswith("claims/"):
        found = f'<a href="{cell.link}">{found}</a>'
    elif cell.link:
        found += f" <code>{escape(cell.link)}</code>"
    more = f"; {cell.others} more" if cell.others else ""
    why = f"<p>{escape(cell.reason)}</p>" if cell.reason else ""
    return f"<details><summary>{escape(cell.text)}</summary>{found}{more}{why}</details>"
