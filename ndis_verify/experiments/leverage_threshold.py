"""The exact leverage threshold over the one of the least-singular-value analysis (N26-Fig2), with the ridges that
follow.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.fast.random_projection import rp_leverage, rp_ridge_hockey_stick
from ndis_verify.mechanisms.baselines import blocki, mutual_information, sheffet
from ndis_verify.mechanisms.random_projection import random_projection

_DELTA = 1e-6


def _cells(size: str, data: Any) -> list[dict[str, Any]]:
    columns = (1, 10, 100, 1000) if size == "quick" else (1, 10, 100, 1000, 10_000, 100_000, 1_000_000)
    return [{"r": r, "points": 9 if size == "quick" else 41} for r in columns]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Any) -> list[Row]:
    r = cell["r"]
    rows = []
    for epsilon in np.geomspace(0.05, 40, cell["points"]).tolist():
        threshold = float(rp_leverage(r, epsilon=epsilon, delta=_DELTA))
        least = random_projection(r, epsilon=epsilon, delta=_DELTA, norm_bound=1.0).ridge
        older = sheffet(r, epsilon=epsilon, delta=_DELTA, norm_bound=1.0)
        rows.append(
            {
                "r": r,
                "epsilon": epsilon,
                "threshold": threshold,
                "ratio": threshold * older.ridge,
                "smallest_ridge": least,
                "printed_ridge": 1 / threshold,
                "sheffet_ridge": older.ridge,
                "blocki_ridge": blocki(r, epsilon=epsilon, delta=_DELTA, norm_bound=1.0).ridge,
                "mi_ridge": mutual_information(r, epsilon=epsilon, delta=_DELTA, norm_bound=1.0).ridge,
                "sheffet_delta": older.calibration.certificate.delta,
                "smallest_delta": float(rp_ridge_hockey_stick(1.0, least, r, epsilon)),
            }
        )
    return rows


def _findings(rows: Sequence[Row]) -> list[Finding]:
    ratios = [row["ratio"] for row in rows]
    saved = [row["sheffet_ridge"] / row["smallest_ridge"] for row in rows]
    falls = True
    for r in {row["r"] for row in rows}:
        mine = [row["ratio"] for row in rows if row["r"] == r]
        falls &= all(a > b for a, b in itertools.pairwise(mine))
    gain = [row["printed_ridge"] - row["smallest_ridge"] for row in rows]
    return [
        Finding(
            "the exact threshold exceeds the older one everywhere",
            min(ratios) > 1,
            {"least": min(ratios), "most": max(ratios)},
        ),
        Finding("the ratio falls as eps grows, for every r", falls),
        Finding("the smallest ridge is the printed one less l^2", max(abs(g - 1) for g in gain) < 1e-6),
        Finding(
            "the older ridge over the smallest one, everywhere above the ratio of the thresholds",
            all(s > q for s, q in zip(saved, ratios, strict=True)),
            {"least": min(saved), "most": max(saved)},
        ),
        Finding(
            "Blocki et al. and the mutual-information ridge need more than Sheffet's",
            all(min(row["blocki_ridge"], row["mi_ridge"]) > row["sheffet_ridge"] for row in rows),
        ),
    ]


def _draw(rows: Sequence[Row], figure: Any) -> None:
    left, right = figure.subplots(1, 2)
    for r in sorted({row["r"] for row in rows}):
        chosen = [row for row in rows if row["r"] == r]
        epsilons = [row["epsilon"] for row in chosen]
        (line,) = left.plot(epsilons, [row["ratio"] for row in chosen], label=f"r = {r}")
        for name, style in (("smallest_ridge", "-"), ("printed_ridge", "--"), ("sheffet_ridge", ":")):
            right.plot(epsilons, [row[name] for row in chosen], style, color=line.get_color(), label=f"{name}, r = {r}")
    left.axhline(1, color="k", lw=0.5)
    left.set_ylabel("exact over older leverage threshold (no unit)")
    right.set_ylabel(r"ridge over $l^2$ (no unit)")
    right.set_yscale("log")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xlabel(r"$\varepsilon$ (nats)")
        axes.legend(fontsize=6)


EXPERIMENTS = (
    Experiment(
        "n26-fig2",
        "Leverage threshold of random projection: exact over the least-singular-value analysis",
        ("N26-Fig2", "N26-Fig1-smallest-ridge", "N24-Fig14"),
        "delta = 1e-6 as printed; the grid of eps and the list of r are lost: eps from 0.05 to 40, r from 1 to 1e6.",
        _cells,
        _measure,
        _findings,
        _draw,
    ),
)
