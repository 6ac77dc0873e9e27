"""The judgement of a table as text and as JSON data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ndis_verify.forensics.verdicts import Judgement, Solved, decimals
from ndis_verify.plain_text import printable
from ndis_verify.tables import text_table


def as_dict(found: Solved, rows: Sequence[Judgement]) -> dict[str, Any]:
    """Plain data; intervals are pairs of decimals, rounded outward."""
    return {
        "title": found.declaration.title,
        "source": found.declaration.source,
        "epsilon": str(found.setting.epsilon),
        "delta": str(found.setting.delta),
        "bound": decimals(found.bound),
        "sizes": {name: [least, most] for name, least, most in found.sizes},
        "rows": [row.as_dict() for row in rows],
    }


def as_text(found: Solved, rows: Sequence[Judgement]) -> str:
    """What was solved for, then a line for each printed level."""
    setting, low_high = found.setting, decimals(found.bound)
    lines = (
        [found.declaration.title, found.declaration.source] if found.declaration.source else [found.declaration.title]
    )
    lines = list(map(printable, lines))
    lines += ["", f"target: epsilon = {setting.epsilon}, delta = {setting.delta}"]
    how = "implied by the row that fixes it" if "bound" in found.declaration.unknown else "declared"
    lines.append(f"norm bound: {_between(low_high)} ({how})")
    lines += [
        f"{name}: {least if least == most else f'{least} to {most}'} (implied)" for name, least, most in found.sizes
    ]
    table = [["row", "printed", "over the bound", "delta at epsilon", "epsilon at delta", "needed", "verdict"]]
    for row in rows:
        data = row.as_dict()
        table.append(
            [
                printable(row.row.label),
                row.row.noise,
                _between(data["over_bound"]),
                _between(data["delta"]),
                "above 1000" if row.epsilon is None else f"at most {data['epsilon_at_most']}",
                "not sought" if data["needed"] is None else _between(data["needed"]),
                row.verdict,
            ]
        )
    return "\n".join([*lines, "", *text_table(table)])


def _between(interval: tuple[str, str]) -> str:
    low, high = interval
    return low if low == high else f"{low} .. {high}"
