"""Records for an experiment: the user's table, or what ships inside scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ndis_verify.datasets import load_dataset
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.table import Table

BUNDLED = ("breast_cancer", "diabetes")


def table_of(name: str, data: Table | None) -> Table:
    """The user's table if there is one, else the bundled data set of that name. Raises `InputError` where it is not there."""
    if data is not None:
        return data
    try:
        loaded = load_dataset(name)
    except ModuleNotFoundError as error:
        raise InputError("data", "none", f"must be given where the bundled records cannot be read ({error})") from None
    return Table(loaded.name, loaded.records, loaded.target)


def source_names(data: Table | None, bundled: Sequence[str] = BUNDLED) -> tuple[str, ...]:
    """The names to put into the grid: that of the user's table, or the bundled ones."""
    return tuple(bundled) if data is None else (data.name,)


def scaled_columns(matrix: np.ndarray) -> np.ndarray:
    """Every column over its largest size; columns of zeros stay."""
    largest = np.abs(matrix).max(axis=0, initial=0.0)
    return matrix / np.where(largest > 0, largest, 1.0)
