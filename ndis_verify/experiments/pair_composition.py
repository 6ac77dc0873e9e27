"""k-fold composition of Gaussian pairs: the exact product against dp-accounting's privacy loss distributions (KM-eq9.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ndis_verify.audit.accountant import available, pld_bounds
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
_CUT = 1e-14  # the library's truncated tails, and the rounding of its transforms


def _cells(size: str, data: Any) -> list[dict[str, Any]]:
    copies = (1, 4, 16) if size == "quick" else (1, 2, 4, 8, 16, 32, 64, 128)
    return [{"pair": name, "copies": k, "interval": 1e-2 if size == "quick" else 1e-3} for name in _PAIRS for k in copies]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Any) -> list[Row]:
    pair, copies = _PAIRS[cell["pair"]], cell["copies"]
    exact = np.atleast_1d(composed_hockey_stick(pair, copies, _EPSILONS)).tolist()
    bounds = pld_bounds(pair, copies, _EPSILONS, cell["interval"]) if available() else None
    low, high = ([None] * len(_EPSILONS),) * 2 if bounds is None else (side.tolist() for side in bounds)
    return [
        {"pair": cell["pair"], "copies": copies, "epsilon": eps, "optimistic": a, "exact": delta, "pessimistic": b}
        for eps, delta, a, b in zip(_EPSILONS, exact, low, high, strict=True)
    ]


def _findings(rows: Sequence[Row]) -> list[Finding]:
    curves: dict[tuple[str, float], list[float]] = {}
    for row in rows:
        curves.setdefault((row["pair"], row["epsilon"]), []).append(row["exact"])
    found = [
        Finding("more copies never cost less", all(a <= b for curve in curves.values() for a, b in zip(curve, curve[1:], strict=False))),
    ]
    held = [row for row in rows if row["pessimistic"] is not None]
    if held:
        between = all(row["optimistic"] - _CUT <= row["exact"] <= row["pessimistic"] + _CUT for row in held)
        shown = [row for row in held if row["exact"] > 1e-6]
        found.append(Finding("the exact product lies between dp-accounting's optimistic and pessimistic values", between, {
            "points": len(held),
            "largest pessimistic excess, relative": max(row["pessimistic"] / row["exact"] - 1 for row in shown),
            "largest optimistic shortfall, relative": max(1 - row["optimistic"] / row["exact"] for row in shown),
        }))  # fmt: skip
    return found


def _draw(rows: Sequence[Row], figure: Any) -> None:
    axes = figure.subplots()
    for name in _PAIRS:
        chosen = [row for row in rows if row["pair"] == name and row["epsilon"] == 1.0]
        axes.loglog([row["copies"] for row in chosen], [max(row["exact"], 1e-12) for row in chosen], marker="o", label=name)
    axes.set_xlabel("copies")
    axes.set_ylabel("delta at epsilon = 1")
    axes.legend()


EXPERIMENTS = (
    Experiment(
        name="km-eq9.1",
        title="Composition of Gaussian pairs, exact and by privacy loss distributions",
        claims=("KM-eq9.1",),
        setting="The pairs are ours; the columns of dp-accounting need the extra `peers` and are empty without it.",
        cells=_cells,
        measure=_measure,
        findings=_findings,
        draw=_draw,
    ),
)
