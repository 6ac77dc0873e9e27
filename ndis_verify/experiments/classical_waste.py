"""What the classical Gaussian std really gives: its exact delta, and the share of its noise that is needed (N24-Fig7,
N24-C5).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.mechanisms.gaussian import gaussian_mechanism

_ADJACENCY = "one record replaced"


def _cells(size: str, data: Any) -> list[dict[str, Any]]:
    deltas = (1e-2, 1e-5, 1e-8) if size == "quick" else (0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-20, 1e-30)
    return [{"delta": delta, "points": 8 if size == "quick" else 40} for delta in deltas]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Any) -> list[Row]:
    delta = cell["delta"]
    rows = []
    for epsilon in np.linspace(1 / cell["points"], 1, cell["points"]).tolist():
        stds = {
            rule: gaussian_mechanism(1.0, epsilon=epsilon, delta=delta, adjacency=_ADJACENCY, rule=rule)
            for rule in ("classical", "rho", "analytic")
        }
        true = {rule: mechanism.calibration.certificate.delta for rule, mechanism in stds.items()}
        rows.append(
            {
                "delta": delta,
                "epsilon": epsilon,
                "classical_std": stds["classical"].std,
                "classical_delta": true["classical"],
                "claimed_over_true": delta / true["classical"],
                "rho_std": stds["rho"].std,
                "rho_delta": true["rho"],
                "analytic_std": stds["analytic"].std,
                "noise_share": stds["analytic"].std / stds["classical"].std,
            }
        )
    return rows


def _findings(rows: Sequence[Row]) -> list[Finding]:
    ends = {row["delta"]: row for row in rows if row["epsilon"] == 1}
    printed = [row for row in rows if 0.9 <= row["epsilon"] <= 1 and 1e-8 <= row["delta"] <= 1e-5]
    outside = [row for row in rows if not 100 <= row["claimed_over_true"] <= 1000]
    return [
        Finding(
            "the classical std meets its target for every eps up to 1",
            all(row["claimed_over_true"] > 1 for row in rows),
        ),
        Finding(
            "eps from 0.9 to 1, delta from 1e-8 to 1e-5: true delta 100 to 1000 times smaller, 15 to 25 % less noise"
            " needed",
            bool(printed)
            and all(100 < row["claimed_over_true"] < 1000 and 0.75 < row["noise_share"] < 0.85 for row in printed),
        ),
        Finding(
            "elsewhere the factor leaves that range",
            bool(outside),
            {
                "least": min(row["claimed_over_true"] for row in rows),
                "most": max(row["claimed_over_true"] for row in rows),
            },
        ),
        Finding(
            "both gains grow as eps falls",
            all(
                a["claimed_over_true"] > b["claimed_over_true"] and a["noise_share"] < b["noise_share"]
                for a, b in itertools.pairwise(rows)
                if a["delta"] == b["delta"]
            ),
        ),
        Finding(
            "the slides' std reaches at most half of its delta",
            all(2 * row["rho_delta"] <= row["delta"] for row in rows),
        ),
        Finding(
            "at eps = 1, claimed over true delta",
            bool(ends),
            {f"delta = {d:g}": row["claimed_over_true"] for d, row in ends.items()},
        ),
    ]


def _draw(rows: Sequence[Row], figure: Any) -> None:
    left, right = figure.subplots(1, 2)
    for delta in sorted({row["delta"] for row in rows}):
        chosen = [row for row in rows if row["delta"] == delta]
        for axes, name in ((left, "claimed_over_true"), (right, "noise_share")):
            axes.plot([row["epsilon"] for row in chosen], [row[name] for row in chosen], label=f"delta = {delta:g}")
    left.set_yscale("log")
    left.set_ylabel(r"claimed over true $\delta$ (no unit)")
    right.set_ylabel("needed over classical std (no unit)")
    for axes in (left, right):
        axes.set_xlabel(r"$\varepsilon$ (nats)")
        axes.legend(fontsize=7)


EXPERIMENTS = (
    Experiment(
        "n24-fig7",
        "The classical Gaussian std: its true delta and the noise that is needed",
        ("N24-Fig7", "N24-C5", "SL-2"),
        "The figure's range is lost: eps up to 1, delta from 0.1 to 1e-30.",
        _cells,
        _measure,
        _findings,
        _draw,
    ),
)
