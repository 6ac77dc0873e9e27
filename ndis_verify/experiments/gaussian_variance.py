"""Noise of the classical Gaussian mechanism over the analytic one (BW-Fig1, variance panels; N24-Fig7)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.fast.mean_shift import gaussian_std as fast_gaussian_std

_DELTAS = (0.1, 1e-3, 1e-5, 1e-8)
_SMALL, _LARGE = "eps from 1e-3 to 0.1", "eps from 0.1 to 1"


def _cells(size: str, data: Any) -> list[dict[str, Any]]:
    return [{"delta": delta, "points": 9 if size == "quick" else 61} for delta in _DELTAS]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Any) -> list[Row]:
    delta = cell["delta"]
    grids = {_SMALL: np.geomspace(1e-3, 0.1, cell["points"]), _LARGE: np.linspace(0.1, 1, cell["points"])}
    rows = []
    for panel, epsilons in grids.items():
        classical = np.sqrt(2 * np.log(1.25 / delta)) / epsilons
        analytic = fast_gaussian_std(1.0, epsilon=epsilons, delta=delta)
        reached = fast_gaussian_hockey_stick(1.0, classical, epsilons)
        for k, epsilon in enumerate(epsilons):
            rows.append(
                {
                    "panel": panel,
                    "delta": delta,
                    "epsilon": epsilon,
                    "classical_std": classical[k],
                    "analytic_std": analytic[k],
                    "variance_ratio": (classical[k] / analytic[k]) ** 2,
                    "classical_delta": reached[k],
                    "delta_ratio": delta / reached[k],
                }
            )
    return rows


def _findings(rows: Sequence[Row]) -> list[Finding]:
    by_delta = {
        delta: [row["variance_ratio"] for row in rows if row["delta"] == delta]
        for delta in sorted({row["delta"] for row in rows})
    }
    at_one = {f"delta = {delta:g}": ratios[-1] for delta, ratios in by_delta.items()}
    falls = all(
        a > b
        for ratios in by_delta.values()
        for a, b in zip(_without_repeat(ratios), _without_repeat(ratios)[1:], strict=False)
    )
    columns = zip(*by_delta.values(), strict=True)
    rises = all(a < b for column in columns for a, b in itertools.pairwise(column))
    third = [row["variance_ratio"] for row in rows if row["delta"] >= 1e-5]
    orders = {f"delta = {delta:g}": ratios[0] for delta, ratios in by_delta.items()}
    return [
        Finding(
            "the classical variance is above the analytic one everywhere", min(min(r) for r in by_delta.values()) > 1
        ),
        Finding("the gain grows as eps falls", falls),
        Finding("the gain is larger for larger delta", rises),
        Finding(
            "at least a third of the variance goes for delta >= 1e-5", min(third) >= 1.5, {"least ratio": min(third)}
        ),
        Finding(
            "at eps = 1e-3 several orders of magnitude for delta = 0.1, less than one for delta <= 1e-5",
            by_delta[0.1][0] > 1e4 and max(ratios[0] for delta, ratios in by_delta.items() if delta <= 1e-5) < 10,
            orders,
        ),
        Finding(
            "near eps = 1 a factor of 2 only for delta >= 1e-3",
            all((v >= 2) == (d >= 1e-3) for d, v in ((delta, ratios[-1]) for delta, ratios in by_delta.items())),
            at_one,
        ),
    ]


def _without_repeat(ratios: list[float]) -> list[float]:
    """The two panels share eps = 0.1."""
    half = len(ratios) // 2
    return ratios[:half] + ratios[half + 1 :]


def _draw(rows: Sequence[Row], figure: Any) -> None:
    for axes, panel in zip(figure.subplots(1, 2), (_SMALL, _LARGE), strict=True):
        for delta in sorted({row["delta"] for row in rows}):
            chosen = [row for row in rows if row["panel"] == panel and row["delta"] == delta]
            axes.plot(
                [row["epsilon"] for row in chosen],
                [row["variance_ratio"] for row in chosen],
                label=f"delta = {delta:g}",
            )
        axes.set_xlabel(r"$\varepsilon$ (nats)")
        axes.set_ylabel("classical over analytic variance (no unit)")
        axes.set_yscale("log")
        if panel == _SMALL:
            axes.set_xscale("log")
        axes.legend()


EXPERIMENTS = (
    Experiment(
        "bw-fig1-variance",
        "Noise variance of the classical over the analytic Gaussian mechanism",
        ("BW-Fig1", "BW-Fig1-variance", "BW-Fig1-monotone", "N24-Fig7", "N24-C5"),
        "The source prints neither the range of eps nor its deltas in the text that is left: eps from 1e-3 to 1, delta"
        " from 0.1 to 1e-8.",
        _cells,
        _measure,
        _findings,
        _draw,
    ),
)
