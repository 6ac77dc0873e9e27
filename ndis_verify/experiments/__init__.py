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
2. Nothing else: a module of this folder with `EXPERIMENTS` is found.
`run(find(name), size, seed)` gives the rows, `ndis-verify experiment NAME` the same from the command line.
"""

from __future__ import annotations

from functools import cache

from ndis_verify.discovery import holding
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.framework import Experiment, Finding, run
from ndis_verify.experiments.table import Table, read_table

_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4}


@cache
def names() -> tuple[str, ...]:
    """Every experiment, sorted."""
    return tuple(sorted(one.name for module in holding(__name__, "EXPERIMENTS") for one in module.EXPERIMENTS))


def find(name: str) -> Experiment:
    """The experiment of that name, or the only one whose name begins so, in the sources' spelling too (N24-TabI); else
    `InputError`.
    """
    wanted = name.lower()
    head, _, roman = wanted.partition("-tab")
    wanted = f"{head}-tab{_ROMAN[roman]}" if roman in _ROMAN else wanted
    experiment = _named(wanted)
    if experiment is None:
        found = [other for other in names() if wanted and other.startswith(wanted)]
        if len(found) != 1:
            raise InputError("NAME", name, f"is not an experiment; there are {', '.join(found or names())}")
        experiment = _named(found[0])
    assert experiment is not None
    return experiment


@cache
def _named(name: str) -> Experiment | None:
    """Only the modules that name it are loaded."""
    modules = holding(__name__, "EXPERIMENTS", text=f'"{name}"')
    return next((one for module in modules for one in module.EXPERIMENTS if one.name == name), None)


__all__ = ["Experiment", "Finding", "Table", "find", "names", "read_table", "run"]
