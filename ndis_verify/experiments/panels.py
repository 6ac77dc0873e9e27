"""Rows of several methods, put side by side, and the picture of two panels that such tables share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ndis_verify.experiments.framework import Row


def by_method(rows: Sequence[Row], *keys: str) -> list[dict[str, Row]]:
    """Rows that agree on `keys`, together: method -> row, in the order of the rows."""
    groups: dict[tuple, dict[str, Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), {})[row["method"]] = row
    return list(groups.values())


def method_panels(rows: Sequence[Row], figure: Any, keys: Sequence[str], columns: Mapping[str, str]) -> None:
    """Two panels, one for each of two `columns` (name -> label), dots for each group of `by_method`; logarithmic
    where all values are positive.

    A method without a value is left out of that panel.
    """
    panels = figure.subplots(1, 2)
    for axes, (column, label) in zip(panels, columns.items(), strict=True):
        for group in by_method(rows, *keys):
            points = {method: row[column] for method, row in group.items() if row[column] is not None}
            first = next(iter(group.values()))
            names = (f"{first[key]}" if isinstance(first[key], str) else f"{key} = {first[key]:g}" for key in keys)
            axes.plot(list(points), list(points.values()), "o", label=", ".join(names))
        axes.set_yscale("log" if all(row[column] is None or row[column] > 0 for row in rows) else "linear")
        axes.set_ylabel(label)
        axes.tick_params(axis="x", labelsize=6, rotation=30)
    panels[0].legend(fontsize=6)
