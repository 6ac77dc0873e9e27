"""Where releases come from: a command that draws them when asked, or files that hold them; bounded in time and size,
bit for bit.

The protocol is JSON lines. On its standard input the command reads `{"id": 1, "command": "draw", "side": "p", "count":
500}` and answers on its standard output with `{"id": 1, "value": [[0.1, "0x1.8p-3"], ...]}`: as many releases as asked
for, each a list of numbers (or, where a release is one number, that number), every number in full: as `repr` writes it,
or as a hexadecimal float in quotes. "inf", "-inf" and "nan" in quotes are releases too. `{"id": 1, "error": {"message":
"..."}}` ends the audit. The end of its input is the end of its work.
"""

from __future__ import annotations

import re
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.runs.process import MAX_LINE, Died, Oddities, Process, TooSlow, printable

_POWER = r"[+-]?\d{1,5}"
_HEXADECIMAL = rf"0x[0-9a-f]{{1,64}}(?:\.[0-9a-f]{{0,64}})?(?:p{_POWER})?"
_DECIMAL = rf"(?:\d{{1,400}}(?:\.\d{{0,1100}})?|\.\d{{1,1100}})(?:e{_POWER})?"
_NUMBER = re.compile(rf"[+-]?(?:{_HEXADECIMAL}|{_DECIMAL}|inf|infinity|nan)", re.ASCII | re.IGNORECASE)
_LETTERS = 32  # of a number in an answer, with its comma and quotes; a longer one fits too, the batches leave room
_MOST_IN_A_BATCH = 4096
MAX_FILE, MOST_NUMBERS = 1 << 30, 1 << 25


class SamplerCommand:
    """A command that draws releases: started once, asked in batches, killed with all of its group in the end."""

    def __init__(self, command: Sequence[str], seconds: float, limit: float):
        """seconds: for each answer; limit: for all of them together. Raises `InputError` where it cannot be started."""
        if not 0 < seconds < np.inf or not 0 < limit < np.inf:
            raise InputError("seconds", (seconds, limit), "must be positive and finite")
        self._seconds, self._limit, self._end = seconds, limit, time.monotonic() + limit
        self._name, self._asked, self._width = printable(" ".join(command))[:80], 0, 0
        self._process = Process(command, Oddities())

    def __enter__(self) -> SamplerCommand:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.stop()

    def draw(self, side: str, count: int) -> np.ndarray:
        """`count` releases of side "p" or "q", count x k.

        Raises `InputError`: no answer in time, a dead process, no numbers, more than `MOST_NUMBERS` of them.
        """
        parts, got = [], 0
        while got < count:
            room = MAX_LINE // 2 // (_LETTERS * self._width) if self._width else 1
            parts.append(np.array(self._answer(side, max(1, min(count - got, room, _MOST_IN_A_BATCH)))))
            got += len(parts[-1])
            if count * self._width > MOST_NUMBERS:
                raise InputError("COMMAND", self._name, f"draws {self._width} numbers: ask for fewer releases")
        return np.concatenate(parts)

    def _answer(self, side: str, count: int) -> list[list[float]]:
        left = self._end - time.monotonic()
        if left <= 0:
            raise InputError("COMMAND", self._name, f"took longer than {self._limit:g} s in all")
        self._asked += 1
        try:
            answer = self._process.ask(
                {"id": self._asked, "command": "draw", "side": side, "count": count}, min(self._seconds, left)
            )
        except (Died, TooSlow) as error:
            raise InputError("COMMAND", self._name, printable(str(error))) from None
        if "value" not in answer:
            raise InputError(
                "COMMAND", self._name, f"answered with an error: {printable(str(answer.get('error')))[:200]}"
            )
        releases = answer["value"]
        if not isinstance(releases, list) or len(releases) != count:
            what = f"{len(releases)} releases" if isinstance(releases, list) else type(releases).__name__
            raise InputError("COMMAND", self._name, f"answered with {what}, where {count} were asked for")
        rows = [
            [self._number(x) for x in (release if isinstance(release, list) else [release])] for release in releases
        ]
        self._width = self._width or len(rows[0])
        wrong = next((row for row in rows if len(row) != self._width or not row), None)
        if wrong is not None:
            raise InputError(
                "COMMAND", self._name, f"answered with releases of {self._width} and of {len(wrong)} numbers"
            )
        return rows

    def _number(self, value: Any) -> float:
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 1 << 53:
            return float(value)
        found = exact_float(value) if isinstance(value, str) else None
        if found is None:
            raise InputError(
                "COMMAND", self._name, f"answered with {printable(str(value))[:60]!r}, which is no float64"
            )
        return found


def exact_float(text: str) -> float | None:
    """The float64 that a decimal or a hexadecimal float stands for; None for other text."""
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return float.fromhex(text) if "0x" in text.lower() else float(text)
    except OverflowError:
        return None


def read_releases(path: Path) -> np.ndarray:
    """The releases in a file, n x k: one on each line, its numbers separated by commas, decimal in full or hexadecimal.
    Raises `InputError`.
    """
    if path.exists() and not path.is_file():
        raise InputError("FILE", printable(str(path)), "must be a regular file")
    if path.stat().st_size > MAX_FILE:
        raise InputError("FILE", printable(str(path)), f"must be at most {MAX_FILE} bytes")
    found, width = array("d"), 0  # eight bytes to a number, however large the file
    name, lines = printable(path.name), 0
    with open(path, "rb") as file:
        while line := file.readline(MAX_LINE):
            lines += 1
            numbers = _line(line, name, lines)
            width = width or len(numbers)
            if len(numbers) != width:
                raise InputError(name, f"{len(numbers)} numbers", f"line {lines} must have {width} like the first")
            found.extend(numbers)
    if not lines:
        raise InputError(name, "no lines", "must hold a release on each line")
    return np.frombuffer(found, dtype=np.float64).reshape(lines, width)


def _line(line: bytes, name: str, number: int) -> list[float]:
    if not line.endswith(b"\n"):
        raise InputError(
            name,
            printable(line[:40].decode("utf-8", "replace")),
            f"line {number} has no line end, or is longer than {MAX_LINE} bytes",
        )
    cells = [cell.strip(" \t\r\n") for cell in line.decode("utf-8", "replace").split(",")]
    found = []
    for cell in cells:
        if (value := exact_float(cell)) is None:
            raise InputError(name, printable(cell)[:60], f"line {number} must hold numbers separated by commas")
        found.append(value)
    return found
