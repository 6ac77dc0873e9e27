"""The curve of plain random projection at a database's largest leverage (N24-Fig6), and of a linear combination, r = 1
(N24-Fig10).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.experiments.records import FLIGHT, SONG, SWAPPED, require_rank, scaled_columns, source_names, table_of
from ndis_verify.experiments.table import Table
from ndis_verify.fast.leverage import leverage_scores
from ndis_verify.fast.random_projection import rp_hockey_stick

_BUNDLED = ("breast_cancer", "diabetes", "linnerud", "digits")


def _cells(columns: tuple[int, ...]) -> Callable[[str, Table | None], list[dict[str, Any]]]:
    def cells(size: str, data: Table | None) -> list[dict[str, Any]]:
        points = 13 if size == "quick" else 121
        printed = (SONG, FLIGHT) if size == "full" and data is None else ()
        return [
            {"data": name, "r": r, "points": points}
            for name in (*source_names(data, _BUNDLED), *printed)
            for r in columns
        ]

    return cells


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Table | None) -> list[Row]:
    records = scaled_columns(table_of(cell["data"], data).records)  # which changes no leverage
    leverages, r = leverage_scores(records), cell["r"]
    p, row = float(leverages.max()), int(leverages.argmax())
    ends = {"data": cell["data"], "n": len(records), "d": records.shape[1], "r": r, "row": row, "largest_leverage": p}
    if p >= 1 - 1e-12:  # the record alone spans a direction: nothing hides it
        return [ends | {"epsilon": float(e), "delete": 1.0, "insert": 1.0} for e in np.linspace(0, 6, cell["points"])]
    return [
        ends
        | {
            "epsilon": float(epsilon),
            **{way: float(rp_hockey_stick(p, r, epsilon, way)) for way in ("delete", "insert")},
        }
        for epsilon in np.linspace(0, 6, cell["points"])
    ]


def _required(table: Table) -> None:
    require_rank(replace(table, target=None))


def _findings(rows: Sequence[Row]) -> list[Finding]:
    at_one = {
        f"{row['data']}, r = {row['r']}, p = {row['largest_leverage']:.4f}": row["delete"]
        for row in rows
        if row["epsilon"] == 1
    }
    spread: dict[int, list[tuple[float, float]]] = {}
    for row in rows:
        if row["epsilon"] == 1:
            spread.setdefault(row["r"], []).append((row["largest_leverage"], row["delete"]))
    ordered = all(
        a[1] <= b[1] for points in spread.values() for a, b in zip(sorted(points), sorted(points)[1:], strict=False)
    )
    return [
        Finding(
            "deletion costs at least as much as insertion",
            all(row["delete"] >= row["insert"] * (1 - 1e-12) for row in rows),
        ),
        Finding(
            "the curve falls in eps and is below 1 where no leverage is 1",
            all(
                a["delete"] >= b["delete"]
                for a, b in itertools.pairwise(rows)
                if a["data"] == b["data"] and a["r"] == b["r"]
            )
            and all(row["delete"] < 1 for row in rows if row["largest_leverage"] < 0.5),
        ),
        Finding("the data sets are in the order of their largest leverage", ordered),
        Finding("delta at eps = 1", bool(at_one), at_one),
    ]


def _draw(rows: Sequence[Row], figure: Any) -> None:
    axes = figure.subplots()
    for key in dict.fromkeys((row["data"], row["r"]) for row in rows):
        chosen = [row for row in rows if (row["data"], row["r"]) == key]
        axes.plot(
            [row["epsilon"] for row in chosen], [row["delete"] for row in chosen], label=f"{key[0]}, r = {key[1]}"
        )
    axes.set_xlabel(r"$\varepsilon$ (nats)")
    axes.set_ylabel(r"$\delta$ (probability)")
    axes.legend(fontsize=7)


_SETTING = (
    "Records without the target, which no scale of a column changes; the deletion of the record of largest leverage."
    + SWAPPED
)
EXPERIMENTS = (
    Experiment(
        "n24-fig6",
        "Plain random projection: the curve at the largest leverage",
        ("N24-Fig6",),
        _SETTING + " r = 10 and 100: that of the source is lost.",
        _cells((10, 100)),
        _measure,
        _findings,
        _draw,
        data="records",
        requires=_required,
    ),
    Experiment(
        "n24-fig10",
        "Random linear combination: the curve at the largest leverage",
        ("N24-Fig10",),
        _SETTING,
        _cells((1,)),
        _measure,
        _findings,
        _draw,
        data="records",
        requires=_required,
    ),
)
