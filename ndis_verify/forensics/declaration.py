"""A published table as a short file: what it prints, and what it leaves out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

from ndis_verify.arguments import one_of
from ndis_verify.exact_number import InputError, exact
from ndis_verify.forensics.rules import RULES, Interval, Setting
from ndis_verify.plain_text import no_doubles
from ndis_verify.runs.files import read_regular

MAX_BYTES = 1 << 20
MAX_ROWS = 1000
UNKNOWN = "unknown"
_KEYS = {"title", "source", "epsilon", "delta", "bound", "r", "d", "rate", "steps", "rows"}
_ROW_KEYS = {"label", "mechanism", "noise", "fixes", "exact"}
_LARGEST = 10**7


@dataclass(frozen=True)
class PrintedLevel:
    """One printed noise level. fixes: "" or the name of what it is used to find: "bound", "r" or "d". chosen: it is a
    setting, and no number that was rounded to be printed.
    """

    label: str
    mechanism: str
    noise: str
    fixes: str = ""
    chosen: bool = False

    @property
    def interval(self) -> Interval:
        """All levels that are printed so, to the last digit."""
        if self.chosen:
            return exact(self.noise), exact(self.noise)
        digits = Decimal(self.noise)
        half = Fraction(1, 2) * Fraction(10) ** int(digits.as_tuple().exponent)
        return max(exact(self.noise) - half, Fraction(0)), exact(self.noise) + half


@dataclass(frozen=True)
class Declaration:
    """A table: target, sizes and norm bound where they are known (None: unknown), and its printed levels."""

    title: str
    source: str
    setting: Setting
    bound: Interval | None
    unknown: tuple[str, ...]
    rows: tuple[PrintedLevel, ...]


def shipped() -> list[str]:
    """The names of the declarations that come with the package."""
    return sorted(entry.name.removesuffix(".json") for entry in _folder().iterdir() if entry.name.endswith(".json"))


def load(name: str | Path) -> Declaration:
    """A declaration that comes with the package, by its name, or one in a file. Raises `InputError`, `OSError`."""
    if str(name) in shipped():
        return parsed((_folder() / f"{name}.json").read_text(encoding="utf-8"))
    try:
        text = read_regular(Path(name), MAX_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("declaration", str(name), f"must be UTF-8 ({error})") from None
    if not text.strip():
        raise InputError("declaration", str(name), "is an empty file")
    return parsed(text)


def _folder() -> Any:
    return files("ndis_verify.forensics") / "declarations"


def parsed(text: str) -> Declaration:
    """A declaration from JSON; nothing in it is run. Raises `InputError` that names the key."""
    try:
        data = json.loads(text, object_pairs_hook=no_doubles)
    except (ValueError, RecursionError) as error:
        raise InputError("declaration", text[:40], f"must be JSON ({error})") from None
    _require_keys(data, "declaration", _KEYS, {"title", "epsilon", "delta", "rows"})
    rows = data["rows"]
    if not isinstance(rows, list) or not 1 <= len(rows) <= MAX_ROWS:
        shown = f"a list of {len(rows)}" if isinstance(rows, list) else type(rows).__name__
        raise InputError("rows", shown, f"must be a list of 1 to {MAX_ROWS} printed levels")
    levels = tuple(_level(row, k) for k, row in enumerate(rows, 1))
    unknown = tuple(name for name in ("bound", "r", "d") if data.get(name) == UNKNOWN)
    found = _Sizes(data, levels)
    for name in unknown:
        if [level.fixes for level in levels].count(name) != 1:
            raise InputError(name, UNKNOWN, f'must be fixed by exactly one row, with "fixes": "{name}"')
    if surplus := {level.fixes for level in levels} - {"", *unknown}:
        raise InputError("fixes", ", ".join(sorted(surplus)), f'must name what is declared "{UNKNOWN}"')
    return Declaration(str(data["title"]), str(data.get("source", "")), found.setting, found.bound, unknown, levels)


class _Sizes:
    """Target, sizes and bound of a declaration, checked against what its rows need."""

    def __init__(self, data: Mapping[str, Any], levels: tuple[PrintedLevel, ...]) -> None:
        epsilon, delta = (_rational(data[name], name) for name in ("epsilon", "delta"))
        if not 0 < epsilon <= 1000 or not 0 < delta < 1:
            raise InputError("epsilon, delta", f"{epsilon}, {delta}", "must lie in (0, 1000] and in (0, 1)")
        sizes = {name: self._size(data, name, levels) for name in ("r", "d", "steps")}
        self.setting = Setting(epsilon, delta, **sizes, rate=self._rate(data, levels))
        self.bound: Interval | None = None
        if data.get("bound", UNKNOWN) != UNKNOWN:
            bound = _rational(data["bound"], "bound")
            if bound <= 0:
                raise InputError("bound", data["bound"], "must be positive")
            self.bound = bound, bound
        elif "bound" not in data:
            raise InputError("bound", "none", f'must be given, or "{UNKNOWN}"')

    @staticmethod
    def _rate(data: Mapping[str, Any], levels: tuple[PrintedLevel, ...]) -> Fraction | None:
        if "rate" not in data:
            if any("rate" in RULES[level.mechanism].needs for level in levels):
                raise InputError("rate", "none", "must be given: a mechanism of the table has it")
            return None
        rate = _rational(data["rate"], "rate")
        if not 0 < rate <= 1:
            raise InputError("rate", data["rate"], "must lie in (0, 1]")
        return rate

    @staticmethod
    def _size(data: Mapping[str, Any], name: str, levels: tuple[PrintedLevel, ...]) -> int | None:
        value = data.get(name)
        if value == UNKNOWN and name != "steps":
            return None
        if value is None:
            if any(name in RULES[level.mechanism].needs for level in levels):
                raise InputError(name, "none", f'must be given, or "{UNKNOWN}": a mechanism of the table has it')
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _LARGEST:
            raise InputError(name, value, f"must be a whole number from 1 to {_LARGEST}")
        return value


def _rational(value: Any, name: str) -> Fraction:
    """A decimal, or a fraction of two whole numbers as in 1/n."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,18}/[1-9][0-9]{0,17}", value):
        return Fraction(value)
    return exact(value, name)


def _level(row: Any, k: int) -> PrintedLevel:
    _require_keys(row, f"row {k}", _ROW_KEYS, {"mechanism", "noise"})
    one_of(row["mechanism"], "mechanism", tuple(RULES))
    noise = row["noise"]
    if not isinstance(noise, str) or len(noise) > 40:
        raise InputError(
            "noise", noise, "must be the printed text, in quotes: its last digit says how far it is rounded"
        )
    if exact(noise, "noise") <= 0 or set(noise) - set("0123456789."):
        raise InputError("noise", noise, "must be a positive decimal as it is printed")
    if not isinstance(row.get("exact", False), bool):
        raise InputError("exact", row["exact"], "must be true or false: whether the level is a setting, not rounded")
    label, fixes = str(row.get("label", row["mechanism"])), str(row.get("fixes", ""))
    return PrintedLevel(label, row["mechanism"], noise, fixes, row.get("exact", False))


def _require_keys(data: Any, name: str, known: set[str], needed: set[str]) -> None:
    if not isinstance(data, dict):
        raise InputError(name, type(data).__name__, "must be an object")
    if missing := needed - data.keys():
        raise InputError(name, ", ".join(sorted(data)), f"must have {', '.join(sorted(missing))}")
    if surplus := data.keys() - known:
        raise InputError(name, ", ".join(sorted(surplus)), f"must have no other keys than {', '.join(sorted(known))}")
