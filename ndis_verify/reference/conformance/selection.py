"""Which rows a conformance run sends: the tables, their compact core, or a seeded fresh sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from ndis_verify.exact_number import InputError
from ndis_verify.reference.compute import DIGITS, ask
from ndis_verify.reference.loader import TableError, load, quantities
from ndis_verify.reference.rows import Draw, text

Row = tuple[str, dict[str, Any]]
_ATTEMPTS = 20  # draws for each row wanted: nearly all have a value
_MOVED = {"epsilon": 64, "delta": 64, "x": 64, "leverage": 128}


def table_rows(folder: Path, names: Iterable[str] = (), core: bool = False) -> list[Row]:
    """The rows of the named tables (all by default) in their order. Raises `InputError`."""
    known = quantities(folder)
    if not known:
        rule = "is a folder without reference tables" if folder.is_dir() else "is no folder"
        raise InputError("--tables", str(folder), rule)
    chosen = list(names) or known
    for name in chosen:
        if name not in known:
            raise InputError("--quantity", name, f"has no table in this folder; there are {', '.join(known) or 'none'}")
    try:
        return [(name, row) for name in chosen for row in load(name, folder, core)]
    except TableError as error:
        raise InputError("--tables", str(folder), str(error)) from None


def fresh_rows(rows: list[Row], count: int, seed: int) -> Iterator[Row]:
    """`count` new rows: rows of the tables with their numbers moved, valued now by the certified engine.

    The same seed gives the same rows; nobody can have tuned an implementation to a seed not yet chosen.
    """
    if count < 1:
        raise InputError("--fresh", count, "must be at least 1")
    usable = [(quantity, row) for quantity, row in rows if "value" in row and "position" not in row]
    if not usable:
        raise InputError("--fresh", count, "the tables chosen have no rows to start from")
    draw, made = Draw(f"fresh/{seed}"), 0
    for _ in range(_ATTEMPTS * count):
        if made == count:
            return
        quantity, row = draw.among(usable)
        inputs = {name: _moved(name, value, draw) for name, value in row["inputs"].items()}
        answer = ask({"id": 0, "quantity": quantity, "inputs": inputs, "digits": DIGITS}, "certified")
        if "value" in answer:
            made += 1
            new = {key: value for key, value in row.items() if key not in ("group", "core", "second")}
            yield (
                quantity,
                {
                    **new,
                    "name": f"fresh-{seed}-{made}",
                    "inputs": inputs,
                    **{k: answer[k] for k in ("value", "radius", "basis")},
                },
            )
    if made < count:
        raise InputError("--fresh", count, f"only {made} of {_ATTEMPTS * count} new rows have a certified value")


def _moved(name: str, value: Any, draw: Draw) -> Any:
    """Epsilon, delta, x and leverage move down by up to a quarter, means are rescaled; the rest stays valid
    as it is.
    """
    if name in _MOVED:
        return _scaled(value, Fraction(_MOVED[name] - draw.below(_MOVED[name] // 4), _MOVED[name]))
    if name in ("mean_p", "mean_q"):
        return [_scaled(entry, Fraction(64 - draw.below(16), 64)) for entry in value]
    return value


def _scaled(value: str, factor: Fraction) -> str:
    """The product rounded to binary64, written exactly."""
    return text(float(Fraction(value) * factor))
