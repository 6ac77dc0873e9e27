"""The rows of every reference table, chosen family by family; inputs only, no values."""

from __future__ import annotations

from functools import cache

from ndis_verify.reference.families import (
    calibrations,
    chi2_laws,
    closed_forms,
    least_squares,
    pair_calibrations,
    pairs,
    refusals,
)
from ndis_verify.reference.rows import RowSpec

_MODULES = (pairs, pair_calibrations, chi2_laws, closed_forms, calibrations, least_squares, refusals)


@cache
def all_rows() -> dict[str, tuple[RowSpec, ...]]:
    """Every row by quantity, in a fixed order. ValueError where two rows of a table have one name."""
    tables: dict[str, dict[str, RowSpec]] = {}
    for module in _MODULES:
        for row in module.rows():
            table = tables.setdefault(row.quantity, {})
            if row.name in table:
                raise ValueError(f"{row.quantity}: two rows are called {row.name}")
            table[row.name] = row
    return {quantity: tuple(rows.values()) for quantity, rows in tables.items()}
