"""Text of untrusted programs, files and command lines on its way to a terminal or into a report."""

from __future__ import annotations

import math
import re
from typing import Any


def printable(text: str) -> str:
    """Control characters, lone surrogates, changes of direction and the like as escapes."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def code_span(text: str) -> str:
    """Markdown that shows the text as it is: in a code span no link, tag or mention is live, and no column ends."""
    shown = printable(text).replace("|", "\\x7c").strip()
    if not shown:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def jsonable(value: Any) -> Any:
    """What every reader of JSON takes: infinities as the string "infinite", lone surrogates as escapes."""
    if isinstance(value, dict):
        return {key: jsonable(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(entry) for entry in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return "infinite" if isinstance(value, float) and math.isinf(value) else value


def no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a JSON text, for `object_pairs_hook`; raises `ValueError` where a key is there twice."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {beginning(key)!r} is there twice")
        found[key] = value
    return found


def beginning(text: str, length: int = 60) -> str:
    """So much of the text, printable, as tells which one it is."""
    return printable(text[:length]) + ("..." if len(text) > length else "")


def says_number(text: str) -> bool:
    """Whether `float` takes it; see `plainly`."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def plainly(text: str) -> bool:
    """Whether what `float` takes is a decimal as everybody writes it: no underscores, no digits of other scripts."""
    return "_" not in text and text.isascii()


def position(text: str) -> int | None:
    """The place from 0 on of a column that is given by its number from 1 on; None where the text is no such number."""
    return int(text) - 1 if text.isascii() and text.isdigit() and len(text) <= 9 else None
