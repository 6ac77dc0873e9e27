"""k-fold composition of Poisson-subsampled Gaussian noise: two sides of the exact profile, dp-accounting, and
histograms of scores (KM-Fig11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from ndis_verify.audit.composition import (
    SIDES,
    Profile,
    composed_bound,
    grid_composition,
    histogram_composition,
    subsampled_profile,
)
from ndis_verify.audit.histogram import bin_width, equal_edges
from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.fast.accuracy import margin, promise
from ndis_verify.gaussian_pair import GaussianPair

EPSILONS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_TOY = {"rate": 0.5, "std": 2.0, "copies": 10}
_STEPS = ({"rate": 0.25, "std": 0.8, "copies": 4}, {"rate": 0.05, "std": 1.0, "copies": 50})
_NEAR = 0.02


def _cells(size: str, data: Any) -> list[dict[str, Any]]:
    more = {"step": 1e-3, "draws": 100_000} if size == "quick" else {"step": 2.5e-4, "draws": 1_000_000}
    return [case | more for case in (_TOY, *_STEPS)]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Any) -> list[Row]:
    rate, std, copies, step = (cell[name] for name in ("rate", "std", "copies", "step"))
    removed = subsampled_profile(GaussianPair([1 / std], 1, [0], 1), rate)
    columns: dict[str, list[float | None]] = {"histograms": estimated(rate, std, copies, cell["draws"], rng).tolist()}
    peer = find_spec("dp_accounting") is not None
    for prefix, bound in (("", grid_composition), ("dp_accounting_", composed_bound if peer else None)):
        for side in SIDES:
            columns[prefix + side] = _larger(bound, removed, copies, step, side)
    columns["dp_accounting_mechanism"] = _mechanism(rate, std, copies, step) if peer else [None] * len(EPSILONS)
    case = {name: cell[name] for name in ("rate", "std", "copies", "draws")}
    return [
        case | {"epsilon": epsilon} | {name: column[k] for name, column in columns.items()}
        for k, epsilon in enumerate(EPSILONS)
    ]


def _larger(
    bound: Callable[..., np.ndarray] | None, removed: Profile, copies: int, step: float, side: str
) -> list[float | None]:
    """The larger of both orders; nothing where there is nothing to compute it."""
    if bound is None:
        return [None] * len(EPSILONS)
    return np.maximum(
        *(bound(profile, copies, EPSILONS, step=step, side=side) for profile in (removed, removed.swapped()))
    ).tolist()


def _mechanism(rate: float, std: float, copies: int, step: float) -> list[float | None]:
    """dp-accounting's own subsampled Gaussian mechanism, pessimistic."""
    module = import_module("dp_accounting.pld.privacy_loss_distribution")
    composed = module.from_gaussian_mechanism(std, sampling_prob=rate, value_discretization_interval=step).self_compose(
        copies
    )
    return [float(composed.get_delta_for_epsilon(epsilon)) for epsilon in EPSILONS]


def estimated(rate: float, std: float, copies: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """KM-eq9.1, the larger of both orders, from histograms of `draws` scores of each law, bins of the width
    of KM-C4.5.
    """
    p = std * rng.standard_normal(draws) + (rng.random(draws) < rate)
    q = std * rng.standard_normal(draws)
    low, width = min(p.min(), q.min()), bin_width(std, draws)
    bins = int(np.ceil((max(p.max(), q.max()) - low) / width))
    edges = equal_edges(low, low + bins * width, bins)
    of_p, of_q = (np.bincount(np.searchsorted(edges, values, side="right"), minlength=bins) for values in (p, q))
    return histogram_composition(of_p, of_q, copies, EPSILONS, step=1e-3)


def _findings(rows: Sequence[Row]) -> list[Finding]:
    gap = max(row["pessimistic"] - row["optimistic"] for row in rows)
    toy = [row for row in rows if row["std"] == _TOY["std"]]
    far = max(max(row["histograms"] - row["optimistic"], row["pessimistic"] - row["histograms"]) for row in toy)
    last = toy[-1]
    found = [
        Finding(
            "the optimistic side is never above the pessimistic one",
            all(row["optimistic"] <= row["pessimistic"] + promise("composed masses") for row in rows),
            {"largest gap": gap},
        ),
        Finding(
            f"toy pair: the estimate from histograms is within {_NEAR} of delta",
            far <= _NEAR,
            {"largest distance": far},
        ),
        Finding(
            "toy pair: at epsilon = 6 it is more than a thousand times delta",
            last["histograms"] > 1000 * last["pessimistic"],
            {"estimate": last["histograms"], "delta at most": last["pessimistic"]},
        ),
    ]
    held = [row for row in rows if row["dp_accounting_mechanism"] is not None]
    if held:
        apart = max(abs(row[f"dp_accounting_{side}"] - row[side]) for row in held for side in SIDES)
        found += [
            Finding(
                "dp-accounting's sums of the same losses agree",
                apart <= 2 * margin("composed masses of others"),
                {"largest difference": apart},
            ),
            Finding(
                "dp-accounting's own mechanism lies above the optimistic side, and within 1e-7 of the pessimistic one",
                all(
                    row["optimistic"] - promise("composed masses")
                    <= row["dp_accounting_mechanism"]
                    <= row["pessimistic"] + 1e-7
                    for row in held
                ),
                {"largest difference": max(abs(row["dp_accounting_mechanism"] - row["pessimistic"]) for row in held)},
            ),
        ]
    return found


def _draw(rows: Sequence[Row], figure: Any) -> None:
    axes = figure.subplots()
    for case in (_TOY, *_STEPS):
        chosen = [row for row in rows if row["std"] == case["std"]]
        label = "{copies} copies, rate {rate:g}, std {std:g}".format(**case)
        (line,) = axes.semilogy(
            [row["epsilon"] for row in chosen], [max(row["pessimistic"], 1e-12) for row in chosen], label=label
        )
        axes.semilogy(
            [row["epsilon"] for row in chosen],
            [max(row["histograms"], 1e-12) for row in chosen],
            "o",
            color=line.get_color(),
        )
    axes.set_xlabel(r"$\varepsilon$ (nats)")
    axes.set_ylabel(r"$\delta$ (probability)")
    axes.legend()


EXPERIMENTS = (
    Experiment(
        name="km-composition",
        title="Composition of subsampled Gaussian noise: exact from two sides, dp-accounting, histograms",
        claims=("KM-eq9.1", "KM-Fig11"),
        setting=(
            "Toy pair of the figure: rate 1/2, std 2, 10 copies, 10^5 scores of each law (10^6 with --full); range and"
            " bins are ours, and so are the other two cases. The columns of dp-accounting need the extra `peers` and"
            " are empty without it."
        ),
        cells=_cells,
        measure=_measure,
        findings=_findings,
        draw=_draw,
    ),
)
