"""Reference tables in other forms: CSV, a C header with hexadecimal floats, a plain text page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from ndis_verify.reference.flags import FLAGS
from ndis_verify.reference.loader import TableError, load, quantities
from ndis_verify.reference.quantities import QUANTITIES

FORMS = ("csv", "header", "text")


def export(form: str, folder: Path, core: bool = False) -> str:
    """All tables of `folder` in one text; `core`: the compact subset. Forms: `FORMS`."""
    tables = {quantity: load(quantity, folder, core) for quantity in quantities(folder)}
    if not tables:
        raise TableError("is a folder without reference tables")
    return {"csv": _csv, "header": _header, "text": _text}[form](tables)


def describe(quantity: str, row: dict[str, Any]) -> str:
    """One row for a person: what is asked, the value, why the row is there."""
    lines = [f"{quantity}/{row['name']}   (an instance of {row['claim']})"]
    lines += [f"  {name:<20} {_shown(value)}" for name, value in row["inputs"].items()]
    if "error" in row:
        lines.append(f"  must be refused, naming {row['error']['argument']}")
    else:
        proof = "certified" if row["basis"] == "bound" else "two routes agree"
        lines += [
            f"  value                {row['value']}",
            f"  radius               {row['radius']} ({proof})",
            f"  by a second route    {row['second']}",
        ]
    if "group" in row:
        lines.append(
            f"  group                {row['group']}"
            + (f", {row['position']} its boundary" if "position" in row else "")
        )
    for flag in row["flags"]:
        lines.append(f"  {flag}: {FLAGS[flag].bug}; effect: {FLAGS[flag].effect}; seen: {FLAGS[flag].seen}")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value).replace('"', "")
    return text if len(text) <= 100 else text[:97] + "..."


def _text(tables: dict[str, list[dict[str, Any]]]) -> str:
    return "\n\n".join(describe(quantity, row) for quantity, rows in tables.items() for row in rows) + "\n"


def _csv(tables: dict[str, list[dict[str, Any]]]) -> str:
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow(
        (
            "quantity",
            "name",
            "inputs",
            "value",
            "radius",
            "basis",
            "refused",
            "flags",
            "claim",
            "group",
            "position",
            "core",
        )
    )
    for quantity, rows in tables.items():
        for row in rows:
            writer.writerow(
                (
                    quantity,
                    row["name"],
                    json.dumps(row["inputs"]),
                    row.get("value", ""),
                    row.get("radius", ""),
                    row.get("basis", ""),
                    row.get("error", {}).get("argument", ""),
                    " ".join(row["flags"]),
                    row["claim"],
                    row.get("group", ""),
                    row.get("position", ""),
                    int(row.get("core", False)),
                )
            )
    return page.getvalue()


_C_INTRODUCTION = """/* Reference values. Every input is the binary64 number that is written;
 * `value` is the true value, rounded to nearest.
 * The inputs of a row stand one after the other in the order of the comment above its table, matrices row by row;
 * `sizes` says how many numbers each input has (a vector of n: n; an n x n matrix: n*n; a number: 1).
 * direction: 0 delete, 1 insert. `refused`: the index of the input that has to be refused, else -1. */
struct ndis_row { const char *name; const int *sizes; const double *inputs; double value; int refused; };
"""


def _header(tables: dict[str, list[dict[str, Any]]]) -> str:
    parts = ["#ifndef NDIS_REFERENCE_H\n#define NDIS_REFERENCE_H\n", _C_INTRODUCTION]
    for quantity, rows in tables.items():
        names = list(QUANTITIES[quantity].inputs)
        parts.append(f"/* {quantity}: {', '.join(names)} */")
        parts += [_c_arrays(quantity, number, row, names) for number, row in enumerate(rows)]
        parts.append(f"static const struct ndis_row ndis_{quantity}[{len(rows)}] = {{")
        parts += [_c_row(quantity, number, row, names) for number, row in enumerate(rows)]
        parts.append("};\n")
    return "\n".join(parts) + "#endif\n"


def _c_arrays(quantity: str, number: int, row: dict[str, Any], names: list[str]) -> str:
    inputs = [list(_numbers(row["inputs"][name])) for name in names]
    sizes = ", ".join(str(len(entries)) for entries in inputs)
    values = ", ".join(entry for entries in inputs for entry in entries)
    return (
        f"static const int ndis_{quantity}_s{number}[] = {{{sizes}}};\n"
        f"static const double ndis_{quantity}_v{number}[] = {{{values}}};"
    )


def _c_row(quantity: str, number: int, row: dict[str, Any], names: list[str]) -> str:
    value = "0.0" if "error" in row else _hex(row["value"])
    refused = names.index(row["error"]["argument"]) if "error" in row else -1
    return f'  {{"{row["name"]}", ndis_{quantity}_s{number}, ndis_{quantity}_v{number}, {value}, {refused}}},'


def _numbers(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for entry in value:
            yield from _numbers(entry)
    elif value in ("delete", "insert"):
        yield "0.0" if value == "delete" else "1.0"
    else:
        yield _hex(value)


def _hex(value: Any) -> str:
    return float(Fraction(value)).hex()
