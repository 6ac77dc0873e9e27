"""Release of histograms with power-law and with sparse counts (BW-B): exact risks, and one release of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.mechanisms.denoising import DENOISERS, denoise, risk
from ndis_verify.mechanisms.gaussian import gaussian_mechanism

_ADJACENCY = "one item added or removed"
_DELTA = 1e-6
KINDS = ("sparse", "power law 1", "power law 2", "flat")


def histogram(kind: str, bins: int, items: int) -> np.ndarray:
    """About `items` items in `bins` bins: 1 % of the bins filled evenly, counts falling as 1/k or 1/k^2, or all bins
    alike.
    """
    k = np.arange(1, bins + 1)
    shape = {"sparse": k <= max(1, bins // 100), "power law 1": 1 / k, "power law 2": 1 / k**2, "flat": np.ones(bins)}[
        kind
    ]
    return np.floor(items * shape / shape.sum() + 0.5)


def _cells(size: str, data: Any) -> list[dict[str, Any]]:
    sizes = (1000, 10_000) if size == "quick" else (1000, 10_000, 100_000)
    epsilons = (0.1, 1.0) if size == "quick" else (0.01, 0.1, 1.0)
    return [
        {"kind": kind, "bins": bins, "items": per_bin * bins, "epsilon": epsilon}
        for kind in KINDS
        for bins in sizes
        for per_bin in (1, 100)
        for epsilon in epsilons
    ]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Any) -> list[Row]:
    counts = histogram(cell["kind"], cell["bins"], cell["items"])
    mechanisms = {
        rule: gaussian_mechanism(1.0, epsilon=cell["epsilon"], delta=_DELTA, adjacency=_ADJACENCY, rule=rule)
        for rule in ("classical", "analytic")
    }
    releases = {rule: mechanism.release(counts, rng) for rule, mechanism in mechanisms.items()}
    rows = []
    for name, rule, method in (("cGM", "classical", "plain"), *((f"aGM {m}", "analytic", m) for m in DENOISERS)):
        std = mechanisms[rule].std
        error = np.linalg.norm(denoise(releases[rule], std, method) - counts)
        exact = risk(counts, std, method)
        rows.append(
            {
                **cell,
                "method": name,
                "rmse": float((exact / len(counts)) ** 0.5),
                "one_release": float(error / len(counts) ** 0.5),
            }
        )
    return rows


def _findings(rows: Sequence[Row]) -> list[Finding]:
    cells: dict[tuple, dict[str, float]] = {}
    for row in rows:
        cells.setdefault((row["kind"], row["bins"], row["items"], row["epsilon"]), {})[row["method"]] = row["rmse"]
    plain = {key: cell["aGM plain"] for key, cell in cells.items()}
    sparse = [key for key in cells if key[0] == "sparse"]
    thin = [key for key in cells if key[0].startswith("power") and key[1] == key[2]]
    soft_worse = [
        f"{key[0]}, {key[1]} bins, {key[2]} items, eps = {key[3]:g}"
        for key in cells
        if cells[key]["aGM soft_threshold"] > plain[key]
    ]
    closest = max(abs(row["one_release"] / row["rmse"] - 1) for row in rows if row["method"] in ("cGM", "aGM plain"))
    soft_gain = [plain[key] / cells[key]["aGM soft_threshold"] for key in sparse]
    return [
        Finding("the analytic release beats the classical one", all(cells[key]["cGM"] > plain[key] for key in cells)),
        Finding(
            "James-Stein beats the plain release on every histogram, its positive part is at least as good",
            all(
                cells[k]["aGM positive_part"] <= cells[k]["aGM james_stein"] * (1 + 1e-12)
                and cells[k]["aGM james_stein"] < plain[k]
                for k in cells
            ),
        ),
        Finding(
            "sparse counts: the soft threshold beats the plain release",
            min(soft_gain) > 1,
            {"least gain": min(soft_gain), "most": max(soft_gain)},
        ),
        Finding(
            "power-law counts, one item per bin: the soft threshold beats the plain release",
            all(cells[key]["aGM soft_threshold"] < plain[key] for key in thin),
        ),
        Finding(
            "where most counts stand out of the noise the soft threshold is worse than the plain release",
            bool(soft_worse),
            {"where": soft_worse},
        ),
        Finding(
            "one plain release is within 15 % of its exact root mean squared error, 6 deviations at 1000 bins",
            closest < 0.15,
            {"largest difference": closest},
        ),
    ]


def _draw(rows: Sequence[Row], figure: Any) -> None:
    methods = list(dict.fromkeys(row["method"] for row in rows))
    epsilon = max(row["epsilon"] for row in rows)
    for axes, kind in zip(figure.subplots(1, len(KINDS), sharey=True), KINDS, strict=True):
        for method in methods:
            chosen = [
                row for row in rows if row["kind"] == kind and row["method"] == method and row["epsilon"] == epsilon
            ]
            axes.plot(
                [f"{row['bins']}\n{row['items']}" for row in chosen],
                [row["rmse"] for row in chosen],
                "o",
                label=method,
            )
        axes.set_yscale("log")
        axes.set_title(rf"{kind}, $\varepsilon = {epsilon:g}$", fontsize=9)
        axes.set_xlabel("bins, items (count)")
        axes.tick_params(axis="x", labelsize=6)
    figure.axes[0].set_ylabel("root mean squared error per bin (share)")
    figure.axes[0].legend(fontsize=7)


EXPERIMENTS = (
    Experiment(
        "bw-b-histograms",
        "Histogram release: plain, James-Stein, its positive part, soft threshold",
        ("BW-B",),
        "Appendix B is lost: histograms of 1e3 to 1e5 bins with 1 or 100 items per bin, sparse (1 % of the bins), power"
        " laws, flat; delta = 1e-6, one item moves one count by 1.",
        _cells,
        _measure,
        _findings,
        _draw,
    ),
)
