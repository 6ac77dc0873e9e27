"""Read a reference table with nothing but Python's standard library. This file works alone: copy it beside the tables.

    for row in load("hockey_stick"):
        row["inputs"], row["value"], row["radius"]

Numbers are decimal strings: every input is exactly a binary64 number, and the true value lies in value +/- radius. A row
with `error` holds an input that has to be refused. Flags say what a row is there to catch.
"""

import hashlib
import json
from pathlib import Path

FORMAT = "1.0"
FOLDER = Path(__file__).resolve().parent / "tables"
MAX_TABLE_BYTES = 64 * 2**20


class TableError(ValueError):
    """A file that is not an intact reference table; the message names the file and what is wrong with it."""


def load(quantity, folder=FOLDER, core=False):
    """The rows of one table in their order, the checksum verified; `core`: the compact subset alone. Raises `TableError`."""
    rows = read_table(Path(folder) / f"{quantity}.json")["rows"]
    return [row for row in rows if row.get("core")] if core else rows


def quantities(folder=FOLDER):
    """The quantities that have a table in the folder, sorted."""
    return sorted(path.stem for path in Path(folder).glob("*.json") if path.stem != "schema")


def canonical(rows):
    """The bytes that the checksum covers: the rows as JSON with sorted names and no spaces."""
    return json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def checksum(rows):
    """SHA-256 of `canonical(rows)`, in hexadecimal."""
    return hashlib.sha256(canonical(rows)).hexdigest()


def read_table(path):
    """A whole table with its header, verified. Raises `TableError`; `OSError` where the file cannot be read."""
    path = Path(path)
    if path.stat().st_size > MAX_TABLE_BYTES:
        raise TableError(f"{path.name}: has more than {MAX_TABLE_BYTES} bytes")
    try:
        table = json.loads(path.read_bytes(), parse_float=_no_float, parse_constant=_no_float)
    except (ValueError, RecursionError) as error:
        raise TableError(f"{path.name}: not a reference table: {error}") from None
    if not isinstance(table, dict) or not isinstance(table.get("rows"), list):
        raise TableError(f"{path.name}: a reference table is an object with rows")
    if str(table.get("format")).partition(".")[0] != FORMAT.partition(".")[0]:
        raise TableError(f"{path.name}: format {table.get('format')}; this reader knows {FORMAT}")
    if checksum(table["rows"]) != table.get("sha256"):
        raise TableError(f"{path.name}: does not match its checksum, a byte was changed")
    return table


def _no_float(text):
    raise ValueError(f"numbers are decimal strings here, not {text}")
