"""Theoretical curves against what a classifier finds in samples: sketch and solve (N24-Fig5), a random linear
combination (N24-Fig9).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from ndis_verify.audit.classifier import classifier_curve
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.experiments.projection_utility import records_of
from ndis_verify.experiments.records import require_hidden, require_rank, source_names
from ndis_verify.experiments.table import Table
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick
from ndis_verify.fast.least_squares.finite_law import als_exact_hockey_stick
from ndis_verify.fast.leverage import leverage_scores
from ndis_verify.fast.random_projection import rp_hockey_stick
from ndis_verify.mechanisms.least_squares import record_leverages

FAILURE = 1e-6  # of all limits of one curve together
LOSS = 0.02  # what the classifier may miss of the divergence, at most; stated, not proved
EPSILONS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0)
_BUNDLED = ("diabetes", "linnerud")
_MOST = 20  # coordinates of a solution, as many columns as the least r has


def estimated_curve(
    first: np.ndarray, second: np.ndarray, epsilons: Sequence[float] = EPSILONS
) -> list[dict[str, float]]:
    """`audit.classifier_curve` at confidence 1 - FAILURE, one record per epsilon: estimate, lower and upper limit."""
    return classifier_curve(first, second, epsilons, confidence=1 - FAILURE).points()


def sketched_solutions(matrix: np.ndarray, r: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` draws of (Pi B)^+ Pi b: Pi [B b] = (Pi Q) R, and Pi Q has independent standard normal entries too."""
    d, triangle = matrix.shape[1] - 1, np.asarray(np.linalg.qr(matrix, mode="r"))
    sketch = rng.standard_normal((count, r, d + 1))
    gram = np.swapaxes(sketch, 1, 2) @ sketch
    inside = np.linalg.solve(gram[:, :d, :d], gram[:, :d, d:])[..., 0]
    return scipy.linalg.solve_triangular(triangle[:d, :d], triangle[:d, d][:, None] + triangle[d, d] * inside.T).T


def combinations(
    matrix: np.ndarray, ridge: float, count: int, rng: np.random.Generator, columns: int = 1
) -> np.ndarray:
    """`count` draws of `columns` independent D^T g + sqrt(ridge) h, through a root of the covariance; no axis for one
    column.
    """
    d = matrix.shape[1]
    root = np.linalg.cholesky(matrix.T @ matrix + ridge * np.eye(d))
    return rng.standard_normal((count, d) if columns == 1 else (count, columns, d)) @ root.T


def worst_row(matrix: np.ndarray, r: int) -> int:
    """The record whose deletion the asymptotic law shows most at epsilon = 0.5."""
    return int(np.argmax(als_hockey_stick(*record_leverages(matrix, 0.0), matrix.shape[1] - 1, r, 0.5)))


def _cells(size: str, data: Table | None) -> list[dict[str, Any]]:
    samples = 20_000 if size == "quick" else 200_000
    return [{"data": name, "samples": samples} for name in source_names(data, _BUNDLED)]


def _sketch_cells(size: str, data: Table | None) -> list[dict[str, Any]]:
    return [cell | {"r": r} for cell in _cells(size, data) for r in ((40,) if size == "quick" else (20, 100, 500))]


def _linear_cells(size: str, data: Table | None) -> list[dict[str, Any]]:
    return [
        cell | {"ridge": ridge, "columns": columns}
        for cell in _cells(size, data)
        for ridge, columns in ((0.0, 1), (0.1, 1), (0.1, 4))
    ]


def _sketch_required(table: Table) -> None:
    _few_columns(table, _MOST + 1)
    require_hidden(table)


def _linear_required(table: Table) -> None:
    _few_columns(table, 60)  # 1,891 products, of the 2,000 that the classifier allows
    require_rank(table)


def _few_columns(table: Table, most: int) -> None:
    columns = table.records.shape[1] + (table.target is not None)
    if columns > most:
        raise InputError(
            "data",
            f"{table.name}, {columns} columns",
            f"must have at most {most}: the classifier takes all products of coordinates",
        )


def sketch_rows(cell: Mapping[str, Any], rng: np.random.Generator, data: Table | None) -> list[Row]:
    matrix, _ = records_of(cell["data"], data)
    d, r = matrix.shape[1] - 1, cell["r"]
    row = worst_row(matrix, r)
    p, q = (float(values[row]) for values in record_leverages(matrix, 0.0))
    whole, less = (_in_blocks(one, r, cell["samples"], rng) for one in (matrix, np.delete(matrix, row, axis=0)))
    return [
        {
            "data": cell["data"],
            "r": r,
            "row": row,
            "p": p,
            "q": q,
            "theory": float(als_hockey_stick(p, q, d, r, found["epsilon"])),
            "exact": float(als_exact_hockey_stick(p, q, d, r, found["epsilon"])),
            **found,
        }
        for found in estimated_curve(whole, less)
    ]


def _in_blocks(matrix: np.ndarray, r: int, count: int, rng: np.random.Generator) -> np.ndarray:
    block = max(1, 2_000_000 // (r * matrix.shape[1]))
    return np.vstack(
        [sketched_solutions(matrix, r, min(block, count - start), rng) for start in range(0, count, block)]
    )


def linear_rows(cell: Mapping[str, Any], rng: np.random.Generator, data: Table | None) -> list[Row]:
    matrix, bound = records_of(cell["data"], data)
    ridge, columns = cell["ridge"] * bound**2, cell["columns"]
    leverages = leverage_scores(np.vstack([matrix, math.sqrt(ridge) * np.eye(matrix.shape[1])]) if ridge else matrix)[
        : len(matrix)
    ]
    row = int(leverages.argmax())
    p = float(leverages[row])
    whole, less = (
        combinations(one, ridge, cell["samples"], rng, columns) for one in (matrix, np.delete(matrix, row, axis=0))
    )
    return [
        {
            "data": cell["data"],
            "ridge_over_l2": cell["ridge"],
            "columns": columns,
            "row": row,
            "p": p,
            "theory": float(rp_hockey_stick(p, columns, found["epsilon"])),
            **found,
        }
        for found in estimated_curve(whole, less)
    ]


def _findings(rows: Sequence[Row]) -> list[Finding]:
    law = "exact" if "exact" in rows[0] else "theory"
    far = max(abs(row["estimate"] - row[law]) for row in rows)
    return [
        Finding("no lower limit is above the law's divergence", all(row["lower"] <= row[law] for row in rows)),
        Finding(
            f"the classifier finds all of it but its sampling error and {LOSS}",
            all(row["upper"] >= row[law] - LOSS for row in rows),
        ),
        Finding("the estimate is within 0.06 of the law's divergence", far < 0.06, {"largest distance": far}),
        Finding(
            "there is something to find",
            max(row[law] for row in rows) > 0.02,
            {"largest": max(row[law] for row in rows)},
        ),
    ]


def _sketch_findings(rows: Sequence[Row]) -> list[Finding]:
    """Those of the classifier, and how far the asymptotic curve of the source is from the exact one: a gap that falls
    like 1/r (N24-6.3-gap).
    """
    gaps: dict[str, dict[int, float]] = {}
    for row in rows:
        of_data = gaps.setdefault(row["data"], {})
        of_data[row["r"]] = max(of_data.get(row["r"], 0.0), abs(row["theory"] - row["exact"]))
    numbers = {f"{name}, r = {r}": gap for name, found in gaps.items() for r, gap in found.items()}
    near = all(gap < 0.1 for found in gaps.values() for r, gap in found.items() if r >= 40)
    found = [
        *_findings(rows),
        Finding("from r = 40 on the curve of the source is within 0.1 of the law's divergence", near, numbers),
    ]
    if any(len(found) > 1 for found in gaps.values()):
        falls = all(
            gap[a] > gap[b] for gap in gaps.values() for a, b in zip(sorted(gap), sorted(gap)[1:], strict=False)
        )
        found.append(Finding("it comes nearer as r grows", falls))
    return found


def _draw(rows: Sequence[Row], figure: Any) -> None:
    axes = figure.subplots()
    cells: dict[str, list[Row]] = {}
    for row in rows:
        cells.setdefault(
            f"{row['data']}, "
            + (f"r = {row['r']}" if "r" in row else f"ridge = {row['ridge_over_l2']:g} l^2, {row['columns']} columns"),
            [],
        ).append(row)
    for label, chosen in cells.items():
        epsilons = [row["epsilon"] for row in chosen]
        (line,) = axes.plot(epsilons, [row["theory"] for row in chosen], label=label)
        axes.fill_between(
            epsilons,
            [row["lower"] for row in chosen],
            [row["upper"] for row in chosen],
            color=line.get_color(),
            alpha=0.2,
        )
        axes.plot(epsilons, [row["estimate"] for row in chosen], "o", color=line.get_color())
    axes.set_xlabel(r"$\varepsilon$ (nats)")
    axes.set_ylabel(r"$\delta$ (probability)")
    axes.legend()


_SETTING = (
    "Deletion of the record that shows most; 20,000 samples of each law (200,000 with --full), half to learn a logistic"
    " regression on squares and products and its threshold, half to count; limits of Clopper and Pearson, wrong with"
    " probability 1e-6 for a whole curve. "
)
EXPERIMENTS = (
    Experiment(
        "n24-fig5",
        "Sketch and solve: asymptotic curve against a classifier's",
        ("N24-Fig5",),
        _SETTING + "r = 40 (20, 100, 500): that of the source is lost.",
        _sketch_cells,
        sketch_rows,
        _sketch_findings,
        _draw,
        data="records and target",
        requires=_sketch_required,
    ),
    Experiment(
        "n24-fig9",
        "Random linear combination and projection: closed form against a classifier's curve",
        ("N24-Fig9",),
        _SETTING + "Added noise: none, and variance l^2/10; then also four columns, a random projection.",
        _linear_cells,
        linear_rows,
        _findings,
        _draw,
        data="records",
        requires=_linear_required,
    ),
)
