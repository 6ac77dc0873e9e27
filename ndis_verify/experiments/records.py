"""Records for an experiment: the user's table, what ships inside scikit-learn, or synthetic ones of the
printed sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ndis_verify.datasets import load_dataset
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.table import Table

_RANK = 1e-10  # of a column's length, below which rounding may be all that is left of it
BUNDLED = ("breast_cancer", "diabetes")
SONG, FLIGHT = "synthetic, Song's size", "synthetic, Flight's size"
_SIZES = {SONG: (515_345, 91), FLIGHT: (327_346, 2)}  # records and columns in N24's text, the target among the columns
SWAPPED = (
    " Sizes: the source's tables print Song n = 327,346 and Flight n = 515,345, its text the two the other way round;"
    " --full adds synthetic normal records of the sizes in the text (Song 515,345 x 91, Flight 327,346 x 2, target"
    " included), which say nothing of the real ones."
)


def table_of(name: str, data: Table | None) -> Table:
    """The user's table if there is one, else the bundled or synthetic records of that name. Raises `InputError` where
    they are not there.
    """
    if data is not None:
        return data
    if name in _SIZES:
        return synthetic(name, *_SIZES[name])
    try:
        loaded = load_dataset(name)
    except ModuleNotFoundError as error:
        raise InputError("data", "none", f"must be given where the bundled records cannot be read ({error})") from None
    return Table(loaded.name, loaded.records, loaded.target)


@lru_cache(maxsize=1)  # the largest takes 0.4 GB and some seconds
def synthetic(name: str, n: int, columns: int) -> Table:
    """Normal records with up to eight common factors, and a target that is linear in them plus noise; the same on every
    run.
    """
    rng, d = np.random.default_rng(n), columns - 1
    records = rng.standard_normal((n, d))
    for loading in rng.standard_normal((min(d, 8), d)) / 3:
        records += np.outer(rng.standard_normal(n), loading)
    return Table(name, records, records @ rng.standard_normal(d) / d**0.5 + rng.standard_normal(n))


def source_names(data: Table | None, bundled: Sequence[str] = BUNDLED) -> tuple[str, ...]:
    """The names to put into the grid: that of the user's table, or the bundled ones."""
    return tuple(bundled) if data is None else (data.name,)


def require_size(table: Table, records: int, columns: int, why: str) -> None:
    """Enough records and columns, the target among them, and not zeros alone. Raises `InputError`."""
    n, d = len(table.records), table.records.shape[1] + (table.target is not None)
    if d < columns:
        raise InputError("data", f"{table.name}, {d} columns", f"must have at least {columns}: {why}")
    if n < records:
        raise InputError("data", f"{table.name}, {n} records", f"must have at least {records}: {why}")
    if not table.records.any() and (table.target is None or not table.target.any()):
        raise InputError("data", table.name, "must hold a number other than 0")


def require_rank(table: Table, last: bool = True) -> None:
    """Columns of which none is a combination of those before it; with `last` the target, or else the last column, among
    them.

    Raises `InputError` that names the column.
    """
    matrix = table.records if table.target is None else np.column_stack([table.records, table.target])
    if not last:
        matrix = matrix[:, :-1]
    n, d = matrix.shape
    if n < d:
        raise InputError("data", f"{table.name}, {n} records", f"must have at least {d}, as many as columns in use")
    scaled = scaled_columns(matrix)
    left = np.abs(np.diagonal(np.linalg.qr(scaled, mode="r")))
    poor = np.flatnonzero(left <= _RANK * np.linalg.norm(scaled, axis=0))
    if poor.size:
        k = int(poor[0])
        rule = (
            "must hold a number other than 0"
            if not matrix[:, k].any()
            else "must not be a combination of the columns before it; leave it out"
        )
        raise InputError(
            "data",
            f"{table.name}, {_label(table, k)}",
            rule if k < table.records.shape[1] else "must not be a combination of the other columns",
        )


def _label(table: Table, k: int) -> str:
    """Of a column, the target being the last."""
    if k == table.records.shape[1]:
        return "the target"
    place = f"column {k + 1}" + ("" if table.target is None else " of those besides the target")
    return place + (f" ({table.columns[k]})" if k < len(table.columns) and table.columns[k] else "")


def require_hidden(table: Table, last: bool = True) -> None:
    """`require_rank`, and no record that alone spans a direction: deleting it would show. Raises `InputError`."""
    require_rank(table, last)
    matrix = scaled_columns(table.records if table.target is None else np.column_stack([table.records, table.target]))
    leverages = (np.linalg.qr(matrix if last else matrix[:, :-1])[0] ** 2).sum(axis=1)
    alone = np.flatnonzero(leverages >= 1 - _RANK)
    if alone.size:
        raise InputError(
            "data",
            f"{table.name}, record {alone[0] + 1}",
            "must not alone span a direction: nothing hides it; leave it out, or its rare column",
        )


def scaled_columns(matrix: np.ndarray) -> np.ndarray:
    """Every column over its largest size; columns of zeros stay."""
    largest = np.abs(matrix).max(axis=0, initial=0.0)
    return matrix / np.where(largest > 0, largest, 1.0)
