"""Records from a CSV file: numbers only, nothing evaluated, limits on size, errors with the line they are on."""

from __future__ import annotations

import csv
import hashlib
import math
import os
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.plain_text import plainly, position, says_number
from ndis_verify.runs.files import open_regular

MAX_BYTES = 2 << 30
MAX_LINE = 1 << 20
MAX_ENTRIES = 100_000_000


@dataclass(frozen=True, eq=False)
class Table:
    """`records`: n x d float64, one row per person; `target`: n values or None; `columns`: the d names ("" without a
    header).
    """

    name: str
    records: np.ndarray
    target: np.ndarray | None = None
    columns: tuple[str, ...] = field(default=())

    def fingerprint(self) -> str:
        """A hash of the numbers."""
        digest = hashlib.sha256(repr(self.records.shape).encode() + np.ascontiguousarray(self.records).tobytes())
        if self.target is not None:
            digest.update(b"target" + np.ascontiguousarray(self.target).tobytes())
        return digest.hexdigest()


def read_table(path: str | Path, target: str | None = None) -> Table:
    """A CSV file of numbers, separated by commas, as records and, where `target` is given, a target column.

    UTF-8; the first line is a header if no field of it is a number; empty lines are skipped. target: a name of the
    header, or the position of a column counted from 1. Limits: 2 GiB, lines of 1 MiB, 1e8 numbers.
    Raises `InputError` with line and column for a field that is not a finite number, with the line for one of another
    length; `OSError` where the file cannot be read.
    """
    path = Path(path)
    with os.fdopen(open_regular(path, argument="data", follow=True), "r", encoding="utf-8-sig", newline="") as file:
        if os.fstat(file.fileno()).st_size > MAX_BYTES:
            raise InputError("data", path.name, f"must have at most {MAX_BYTES} bytes")
        header, numbers, width = _parse(file, path.name)
    matrix = np.frombuffer(numbers, dtype=np.float64).reshape(-1, width).copy()
    columns = header or ("",) * width
    if target is None:
        return Table(path.stem, matrix, None, columns)
    chosen = _column(target, header, width)
    if width == 1:
        raise InputError("data", path.name, "must have a column besides the target")
    rest = [k for k in range(width) if k != chosen]
    return Table(path.stem, matrix[:, rest], matrix[:, chosen].copy(), tuple(columns[k] for k in rest))


def _parse(file: TextIO, name: str) -> tuple[tuple[str, ...], array, int]:
    header: tuple[str, ...] = ()
    numbers, width = array("d"), 0
    reader = csv.reader(_lines(file, name), strict=True)
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise InputError(
                "data", f"{name}, line {reader.line_num}", f"must be comma-separated values ({error})"
            ) from None
        if fields is None:
            break
        if not fields or fields == [""]:
            continue
        if not width:
            width = len(fields)
            if width == 1 and any(mark in fields[0] for mark in ";\t"):
                raise InputError(
                    "data",
                    f"{name}, line {reader.line_num}",
                    "must have its fields separated by commas, not by semicolons or tabs",
                )
            if not any(map(says_number, fields)):
                header = tuple(text.strip() for text in fields)
                continue
        if len(fields) != width:
            raise InputError(
                "data",
                f"{name}, line {reader.line_num}",
                f"must have {width} fields like the first line, has {len(fields)}",
            )
        try:
            numbers.extend(map(float, fields))  # all at once, which is what takes the time of a large file
        except ValueError:
            raise _odd(fields, header, f"{name}, line {reader.line_num}") from None
        if not all(map(math.isfinite, numbers[-width:])) or not plainly("".join(fields)):
            raise _odd(fields, header, f"{name}, line {reader.line_num}")
        if len(numbers) > MAX_ENTRIES:
            raise InputError("data", name, f"must hold at most {MAX_ENTRIES} numbers")
    if not numbers:
        raise InputError("data", name, "must have a line of numbers")
    return header, numbers, width


def _lines(file: TextIO, name: str) -> Iterator[str]:
    line_number = 0
    while True:
        line_number += 1
        try:
            line = file.readline(MAX_LINE + 1)
        except UnicodeDecodeError:
            raise InputError("data", f"{name}, at or after line {line_number}", "must be UTF-8 text") from None
        if len(line) > MAX_LINE:
            raise InputError("data", f"{name}, line {line_number}", f"must have at most {MAX_LINE} characters")
        if not line:
            return
        if "\0" in line:
            raise InputError("data", f"{name}, line {line_number}", "must be text: it holds a zero byte")
        yield line


def _odd(fields: list[str], header: tuple[str, ...], line: str) -> InputError:
    """What is wrong with the first field of a line that is not a finite number in plain decimal form."""
    wrong = (
        k for k, text in enumerate(fields) if not (says_number(text) and math.isfinite(float(text)) and plainly(text))
    )
    k = next(wrong)
    text = fields[k]
    shown = text if len(text) <= 40 else text[:37] + "..."
    where = f"{shown!r} in {line}, column {k + 1}" + (f" ({header[k]})" if header and header[k] else "")
    if says_number(text):
        return InputError("data", where, "must be a finite number in plain decimal form")
    rule = (
        "must be a number: leave out or fill in records with missing values" if not text.strip() else "must be a number"
    )
    return InputError("data", where, rule + (" (a line with numbers is no header)" if not header else ""))


def _column(target: str, header: tuple[str, ...], width: int) -> int:
    if header.count(target) > 1:
        raise InputError("target", target, "names two columns of the header; give its position")
    if target in header:
        return header.index(target)
    place = position(target)
    if place is not None and 0 <= place < width:
        return place
    there = f"one of {', '.join(header[:20])}, or " if header else ""
    raise InputError("target", target, f"must be {there}a position from 1 to {width}")
