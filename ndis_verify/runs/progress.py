"""A progress line on stderr, shown only on a terminal: what runs, how much is done, about how long the rest takes.

One line of our own in place of a library such as `rich`: that would add several bars at once and four packages to
every installation and 0.05 s of CPU to the start of every command that uses it. What runs here counts one thing and
shows its label as it is; reports must read the same in a file as on a terminal, which the tables of
`ndis_verify.tables` do.
"""

from __future__ import annotations

import sys
import time
from typing import TextIO


class Progress:
    """`progress(done, total, label)` rewrites one line at most ten times a second; `close()` clears it."""

    def __init__(self, title: str, stream: TextIO | None = None):
        self.title = title
        self.stream = sys.stderr if stream is None else stream
        self.live = self.stream.isatty()
        self._start = time.monotonic()
        self._last = 0.0

    def __call__(self, done: int, total: int, label: str = "") -> None:
        now = time.monotonic()
        if not self.live or (done < total and now - self._last < 0.1):
            return
        self._last = now
        elapsed = now - self._start
        left = f", about {elapsed * (total - done) / done:.0f} s left" if 0 < done < total else ""
        filled = int(24 * done / total) if total else 24
        bar = "#" * filled + "." * (24 - filled)
        self.stream.write(f"\r\x1b[K{self.title} [{bar}] {done}/{total} {elapsed:.0f} s{left} {label}"[:118])
        self.stream.flush()

    def close(self) -> None:
        if self.live:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
