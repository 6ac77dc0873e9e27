"""The rows of every reference table, chosen family by family; inputs only, no values.

A family is a module of this folder with a function `rows`; it is found, not registered.
"""

from __future__ import annotations

from functools import cache

from ndis_verify.discovery import loaded
from ndis_verify.reference.rows import RowSpec


@cache
def all_rows() -> dict[str, tuple[RowSpec, ...]]:
    """Every row by quantity, by the names of the families. ValueError where two rows of a table have one name."""
    tables: dict[str, dict[str, RowSpec]] = {}
    for module in loaded(__name__, "\ndef rows("):
        for row in module.rows():
            table = tables.setdefault(row.quantity, {})
            if row.name in table:
                raise ValueError(f"{row.quantity}: two rows are called {row.name}")
            table[row.name] = row
    return {quantity: tuple(rows.values()) for quantity, rows in tables.items()}
