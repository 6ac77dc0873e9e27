"""k-fold composition of Gaussian pairs: the exact product against both sides of a discretised privacy loss
(KM-eq9.1).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from ndis_verify.audit.composition import SIDES, composed_bound, gaussian_profile, grid_composition
from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.fast.composition import composed_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair

_PAIRS = {
    "mean shift 0.3": GaussianPair(["0.3"], 1, [0], 1),
    "projection, ratio 1.2": GaussianPair([0, 0], ["1.2", 1], [0, 0], 1),
    "projection, ratio 1/1.2": GaussianPair([0, 0], 1, [0, 0], ["1.2", 1]),
    "mean and covariance": GaussianPair([1, "0.5"], [[2, "0.5"], ["0.5", 1]], [0, "0.2"], [[1, "0.1"], ["0.1", "1.5"]]),
}
_EPSILONS = (0.0, 0.5, 1.0, 2.0, 4.0)
_CUT = 1e-11  # what transforms of many masses round, and the tails that are cut off
# of the sum of a fine grid's masses, for every copy: each is a difference of values near 1, and none is let below 0
_ROUNDED = 4e-10


def _cells(size: str, data: Any) -> list[dict[str, Any]]:
    copies = (1, 4, 16) if size == "quick" else (1, 2, 4, 8, 16, 32, 64, 128)
    return [{"pair": name, "copies": k, "interval": _interval(size, k)} for name in _PAIRS for k in copies]


def _interval(size: str, copies: int) -> float:
    """Of the grid of losses; wider for many copies, whose sums would have more than the points allowed."""
    return 1e-2 if size == "quick" else 1e-3 if copies <= 32 else 2.5e-3


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Any) -> list[Row]:
    pair, copies = _PAIRS[cell["pair"]], cell["copies"]
    exact = np.atleast_1d(composed_hockey_stick(pair, copies, _EPSILONS)).tolist()
    columns: dict[str, list[float | None]] = {"exact": exact}
    for side in SIDES:
        columns[side] = grid_composition(
            gaussian_profile(pair), copies, _EPSILONS, step=cell["interval"], side=side
        ).tolist()
        columns[f"dp_accounting_{side}"] = _library(pair, copies, cell["interval"], side)
    names = list(columns)
    points = zip(*columns.values(), strict=True)
    return [
        dict(cell) | {"epsilon": eps} | dict(zip(names, point)) for eps, point in zip(_EPSILONS, points, strict=True)
    ]


def _library(pair: GaussianPair, copies: int, interval: float, side: str) -> list[float | None]:
    """The same through dp-accounting; nothing where it is not installed."""
    if find_spec("dp_accounting") is None:
        return [None] * len(_EPSILONS)
    return composed_bound(gaussian_profile(pair), copies, _EPSILONS, step=interval, side=side).tolist()


def _findings(rows: Sequence[Row]) -> list[Finding]:
    curves: dict[tuple[str, float], list[float]] = {}
    for row in rows:
        curves.setdefault((row["pair"], row["epsilon"]), []).append(row["exact"])
    found = [
        Finding(
            "more copies never cost less",
            all(a <= b for curve in curves.values() for a, b in itertools.pairwise(curve)),
        ),
        _between(rows, "", "the exact product lies between the two sides of the discretised loss"),
    ]
    held = [row for row in rows if row["dp_accounting_pessimistic"] is not None]
    return found + ([_between(held, "dp_accounting_", "it lies between dp-accounting's two sides")] if held else [])


def _between(rows: Sequence[Row], prefix: str, statement: str) -> Finding:
    low, high = f"{prefix}optimistic", f"{prefix}pessimistic"
    shown = [row for row in rows if row["exact"] > 1e-6]
    return Finding(
        statement,
        all(row[low] - _allowed(row) <= row["exact"] <= row[high] + _allowed(row) for row in rows),
        {
            "points": len(rows),
            "largest excess, relative, where delta > 1e-6": max(
                (row[high] / row["exact"] - 1 for row in shown), default=0.0
            ),
            "largest shortfall, relative, where delta > 1e-6": max(
                (1 - row[low] / row["exact"] for row in shown), default=0.0
            ),
        },
    )


def _allowed(row: Row) -> float:
    return _CUT + _ROUNDED * row["copies"]


def _draw(rows: Sequence[Row], figure: Any) -> None:
    axes = figure.subplots()
    for name in _PAIRS:
        chosen = [row for row in rows if row["pair"] == name and row["epsilon"] == 1.0]
        axes.loglog(
            [row["copies"] for row in chosen], [max(row["exact"], 1e-12) for row in chosen], marker="o", label=name
        )
    axes.set_xlabel("copies (count)")
    axes.set_ylabel(r"$\delta$ at $\varepsilon=1$ (probability)")
    axes.legend()


EXPERIMENTS = (
    Experiment(
        name="km-eq9.1",
        title="Composition of Gaussian pairs, exact and by privacy loss distributions",
        claims=("KM-eq9.1",),
        setting=(
            "The pairs are ours, 1 to 16 copies (128 with --full), losses in steps of 0.01 (0.001 up to 32 copies, else"
            " 0.0025), compared up to a rounding of 4e-10 a copy; the columns of dp-accounting need the extra `peers`"
            " and are empty without it."
        ),
        cells=_cells,
        measure=_measure,
        findings=_findings,
        draw=_draw,
    ),
)
