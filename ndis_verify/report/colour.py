"""The words of verdicts in colour, on a terminal that shows colours."""

from __future__ import annotations

import os
import re
from typing import TextIO

_COLOURS = {
    "proved": 32,
    "certified": 36,
    "supported": 33,
    "restricted": 35,
    "refuted": 31,
    "definition": 34,
    "FAILED": 31,
}
_WORD = re.compile(rf"(?<![\w-])({'|'.join(_COLOURS)})(?![\w-])")


def painted(text: str, stream: TextIO) -> str:
    """`text`, its verdicts in colour where `stream` is a terminal and NO_COLOR is not set (no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return text
    return _WORD.sub(lambda found: f"\x1b[{_COLOURS[found[1]]}m{found[1]}\x1b[0m", text)
