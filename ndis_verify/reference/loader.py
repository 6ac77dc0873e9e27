"""Read a reference table with nothing but Python's standard library. This file works alone: copy it beside the tables.

    for row in load("hockey_stick"):
        row["inputs"], row["value"], row["radius"]

Numbers are decimal strings: every input is exactly a binary64 number, and the true value lies in value +/- radius. A
row with `error` holds an input that has to be refused. Flags say what a row is there to catch.

The checksum in a table's header covers every byte of its file: SHA-256 of the file with the checksum's own 64 digits
written as zeros.
"""

import hashlib
import json
import re
from pathlib import Path

FORMAT = "2.0"
FOLDER = Path(__file__).resolve().parent / "tables"
MAX_TABLE_BYTES = 64 * 2**20
MAX_NUMBER_LENGTH = 1500
_UNSEALED = "0" * 64
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,5})?")


class TableError(ValueError):
    """A file that is not an intact reference table; the message names the file and what is wrong with it."""


def load(quantity, folder=FOLDER, core=False):
    """The rows of one table in their order, the checksum verified; `core`: the compact subset alone. Raises
    `TableError`.
    """
    rows = read_table(Path(folder) / f"{quantity}.json")["rows"]
    return [row for row in rows if row.get("core")] if core else rows


def quantities(folder=FOLDER):
    """The quantities that have a table in the folder, sorted."""
    return sorted(path.stem for path in Path(folder).glob("*.json") if path.stem != "schema")


def sealed(text):
    """The text of a table whose checksum is 64 zeros, with the checksum in their place."""
    return text.replace(_UNSEALED, hashlib.sha256(text.encode()).hexdigest(), 1)


def read_table(path):
    """A whole table with its header, verified. Raises `TableError`; `OSError` where the file cannot be read."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise TableError(f"{path.name}: is no regular file")
    with path.open("rb") as file:
        data = file.read(MAX_TABLE_BYTES + 1)
    if len(data) > MAX_TABLE_BYTES:
        raise TableError(f"{path.name}: has more than {MAX_TABLE_BYTES} bytes")
    try:
        table = json.loads(data, parse_float=_no_float, parse_constant=_no_float)
    except (ValueError, RecursionError) as error:
        raise TableError(f"{path.name}: not a reference table: {error}") from None
    if not isinstance(table, dict) or not isinstance(table.get("rows"), list):
        raise TableError(f"{path.name}: a reference table is an object with rows")
    if str(table.get("format")).partition(".")[0] != FORMAT.partition(".")[0]:
        raise TableError(f"{path.name}: format {table.get('format')}; this reader knows {FORMAT}")
    stated = table.get("sha256")
    if (
        not isinstance(stated, str)
        or len(stated) != 64
        or hashlib.sha256(data.replace(stated.encode(), _UNSEALED.encode(), 1)).hexdigest() != stated
    ):
        raise TableError(f"{path.name}: does not match its checksum, a byte was changed")
    if table.get("quantity") != path.stem:
        raise TableError(f"{path.name}: is a table of {table.get('quantity')}")
    for row in table["rows"]:
        if problem := _problem(row):
            raise TableError(f"{path.name}: {problem}")
    return table


def _problem(row):
    """What is wrong with the shape of a row, or ""."""
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        return "a row is an object with a name"
    fields = {"inputs": dict, "flags": list, "claim": str} | ({"error": dict} if "error" in row else {})
    wrong = [name for name, kind in fields.items() if not isinstance(row.get(name), kind)]
    wrong += [name for name in ("value", "radius") if "error" not in row and not _is_decimal(row.get(name))]
    wrong += [name for name, value in row["inputs"].items() if not _is_input(value)] if not wrong else []
    wrong += ["error"] if not wrong and "error" in row and not isinstance(row["error"].get("argument"), str) else []
    return f"{row['name'][:80]}: {wrong[0]} is not what a row of a reference table has there" if wrong else ""


def _is_decimal(value):
    return isinstance(value, str) and len(value) <= MAX_NUMBER_LENGTH and _DECIMAL.fullmatch(value) is not None


def _is_input(value, depth=2):
    if isinstance(value, list):
        return depth > 0 and all(_is_input(entry, depth - 1) for entry in value)
    return value in ("delete", "insert") or _is_decimal(value) or isinstance(value, int)


def _no_float(text):
    raise ValueError(f"numbers are decimal strings here, not {text}")
