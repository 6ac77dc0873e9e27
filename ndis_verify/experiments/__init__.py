"""Experiments of the sources, rerun: seeded, resumable, each with the property that it is meant to show.

How to add one.
1. Write a module in this folder with one or more `framework.Experiment` records. Its parts:
   - `cells(size, data)`: the grid, a list of small dicts of JSON values, one per unit of work (a second or less each);
     `size` is "quick" or "full"; `data` is the user's `table.Table` or None, where None means the bundled records;
   - `measure(cell, rng, data)`: the rows of one cell, dicts of JSON values; all randomness from `rng`, which depends on
     the seed and on the cell's own values alone, so that a resumed run gives the rows of an uninterrupted one;
   - `findings(rows)`: orderings, ratios and crossings, each a `framework.Finding` with the numbers it rests on;
   - `draw(rows, figure)`: the picture on a matplotlib Figure, or None;
   - `table(rows)`: the rows as a Markdown table, or None for all columns as they are;
   - `requires(table)`: raises `InputError` for a user's table that cannot be measured (`records.require_*`);
   - `data`: "none", "records" or "records and target": whether `--data` and `--target` may stand in
     (`records.source_names` and `records.table_of` choose between the user's table and the bundled data sets).
2. Add its name and module to `_MODULES` here; modules are imported only when asked for.
`run(find(name), size, seed)` gives the rows, `ndis-verify experiment NAME` the same from the command line.
"""

from __future__ import annotations

from importlib import import_module

from ndis_verify.exact_number import InputError
from ndis_verify.experiments.framework import Experiment, Finding, run
from ndis_verify.experiments.table import Table, read_table

_MODULES: dict[str, str] = {  # name of an experiment: module that holds it
    "bw-fig1-variance": "gaussian_variance",
    "bw-fig1-mean": "mean_estimation",
    "bw-fig2": "road_graph",
    "bw-b-histograms": "histogram_release",
    "km-eq9.1": "pair_composition",
    "km-composition": "subsampled_composition",
    "km-dp-sgd": "dp_sgd_audit",
    "km-rates": "histogram_rates",
    "n26-fig2": "leverage_threshold",
    "n26-p5": "tested_ridge",
    "n24-fig7": "classical_waste",
    "projection-noise": "projection_noise",
    "n24-tab1": "projection_utility",
    "n24-tab2": "private_regression",
    "n24-tab3": "projection_utility",
    "n24-tab4": "private_regression",
    "n24-fig5": "black_box_curves",
    "n24-fig6": "leverage_curves",
    "n24-fig9": "black_box_curves",
    "n24-fig10": "leverage_curves",
    "mechanism-table": "mechanism_table",
}

_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4}


def names() -> tuple[str, ...]:
    """Every experiment, in the order of the registry."""
    return tuple(_MODULES)


def find(name: str) -> Experiment:
    """The experiment of that name, or the only one whose name begins so, in the sources' spelling too (N24-TabI); else
    `InputError`.
    """
    wanted = name.lower()
    head, _, roman = wanted.partition("-tab")
    wanted = f"{head}-tab{_ROMAN[roman]}" if roman in _ROMAN else wanted
    found = [wanted] if wanted in _MODULES else [other for other in _MODULES if wanted and other.startswith(wanted)]
    if len(found) != 1:
        raise InputError("NAME", name, f"is not an experiment; there are {', '.join(found or _MODULES)}")
    module = import_module(f"ndis_verify.experiments.{_MODULES[found[0]]}")
    return next(experiment for experiment in module.EXPERIMENTS if experiment.name == found[0])


__all__ = ["Experiment", "Finding", "Table", "find", "names", "read_table", "run"]
