"""Random projection on real records: the noise of every calibration, its exact delta, and what is left of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.experiments.panels import by_method, method_panels
from ndis_verify.experiments.projection_utility import records_of, shortened
from ndis_verify.experiments.records import require_size, source_names
from ndis_verify.experiments.table import Table
from ndis_verify.mechanisms.baselines import PROJECTIONS
from ndis_verify.mechanisms.projection_estimates import gram_estimate, projected_least_squares
from ndis_verify.mechanisms.random_projection import projected

_TARGETS = ((1.0, 1e-6), (10.0, 1e-5))
_KEYS = ("data", "r", "epsilon")


def _cells(size: str, data: Table | None) -> list[dict[str, Any]]:
    columns, runs = ((100,), 10) if size == "quick" else ((10, 100, 1000), 100)
    return [
        {"data": name, "r": r, "epsilon": epsilon, "delta": delta, "runs": runs}
        for name in source_names(data)
        for r in columns
        for epsilon, delta in _TARGETS
    ]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Table | None) -> list[Row]:
    """Medians over the releases: spectral error of the Gram estimate over that of the data, residual over the least
    one.
    """
    matrix, bound = records_of(cell["data"], data)
    short = shortened(matrix)
    gram, features, target = short.T @ short, short[:, :-1], short[:, -1]
    least = np.linalg.norm(target - features @ np.linalg.lstsq(features, target, rcond=None)[0])
    seeds = rng.integers(1 << 60, size=cell["runs"])
    rows, smallest = [], None
    for method, calibrate in PROJECTIONS.items():
        mechanism = calibrate(cell["r"], epsilon=cell["epsilon"], delta=cell["delta"], norm_bound=bound)
        smallest = mechanism.ridge if smallest is None else smallest
        errors, residuals = [], []
        for seed in seeds if not mechanism.calibration.unsafe else ():
            chosen = np.random.default_rng(seed)
            sketch = (
                mechanism.release(matrix, chosen)
                if short is matrix
                else projected(short, mechanism.ridge, cell["r"], chosen)
            )
            errors.append(np.linalg.norm(gram_estimate(sketch, mechanism.ridge) - gram, 2) / np.linalg.norm(gram, 2))
            gap = float(np.linalg.norm(target - features @ projected_least_squares(sketch)))
            residuals.append(gap / float(least) if least > 0 else 1.0)
        rows.append(
            {
                "data": cell["data"],
                "n": len(matrix),
                "d": matrix.shape[1],
                "r": cell["r"],
                "epsilon": cell["epsilon"],
                "delta": cell["delta"],
                "method": method,
                "std_over_l": mechanism.ridge**0.5 / bound,
                "over_smallest": (mechanism.ridge / smallest) ** 0.5,
                "certified_delta": mechanism.calibration.certificate.delta,
                "gram_error": float(np.median(errors)) if errors else None,
                "residual": float(np.median(residuals)) if residuals else None,
            }
        )
    return rows


def _findings(rows: Sequence[Row]) -> list[Finding]:
    groups = by_method(rows, *_KEYS)
    ratios = [group["Sheffet 2019"]["over_smallest"] for group in groups]
    errors = [group["Sheffet 2019"]["gram_error"] / group["smallest"]["gram_error"] for group in groups]
    return [
        Finding(
            "every certified delta is at most its target", all(row["certified_delta"] <= row["delta"] for row in rows)
        ),
        Finding("the smallest ridge has the least noise of all", all(row["over_smallest"] >= 1 for row in rows)),
        Finding(
            "the std of the least-singular-value ridge over the smallest",
            min(ratios) > 1.5,
            {"least": min(ratios), "most": max(ratios)},
        ),
        Finding("its Gram error is the larger one", min(errors) > 1, {"least ratio": min(errors), "most": max(errors)}),
        Finding(
            "the mutual-information and the Blocki et al. ridges are larger still",
            all(
                min(group[name]["over_smallest"] for name in group if name.startswith(("MI", "Blocki")))
                > group["Sheffet 2019"]["over_smallest"]
                for group in groups
            ),
        ),
    ]


def _draw(rows: Sequence[Row], figure: Any) -> None:
    method_panels(
        rows,
        figure,
        _KEYS,
        {"std_over_l": "std of the noise over l", "gram_error": "relative spectral error of the Gram matrix"},
    )


EXPERIMENTS = (
    Experiment(
        "projection-noise",
        "Random projection on real records: printed noise against the smallest, exact delta, utility",
        ("N26-Fig1-smallest-ridge", "N26-Fig2-ridges", "N24-Fig14"),
        "Every column over its largest size, the target as last column; the largest norm counts as the public bound l.",
        _cells,
        _measure,
        _findings,
        _draw,
        data="records",
        requires=lambda table: require_size(table, 1, 2, "the last, or the target, is regressed on the others"),
    ),
)
