"""What a stopped search or branch and bound left behind, and whether the run at hand may go on from it."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ndis_verify.claims.journal import fingerprint


def identity(parts: Iterable[Any], functions: Iterable[Callable[..., Any]]) -> str:
    """A hash of the package, its dependencies, `parts` and the files in which `functions` are written.

    A journal of another version of any of these is not taken up: its numbers may be wrong by now.
    """
    digest = hashlib.sha256(fingerprint("journal").encode())
    digest.update(repr(tuple(parts)).encode())
    for function in functions:
        try:
            file = inspect.getsourcefile(function)
        except TypeError:  # built-in functions and objects that are called
            file = inspect.getsourcefile(type(function)) if type(function).__module__ != "builtins" else None
        if file is not None and Path(file).is_file():
            digest.update(Path(file).read_bytes())
        digest.update(getattr(function, "__qualname__", "").encode())
    return digest.hexdigest()


def last_state(journal: Path, run: str) -> dict[str, Any] | None:
    """The last whole state in the journal of `run`, or None; what does not belong is cut off or started over."""
    text = journal.read_text(encoding="utf-8", errors="replace") if journal.exists() else ""
    kept = []
    for line in text.splitlines():
        try:
            kept.append(json.loads(line))
        except json.JSONDecodeError:
            break
    mine = len(kept) > 1 and kept[0] == {"run": run}
    journal.parent.mkdir(parents=True, exist_ok=True)
    journal.write_text("".join(json.dumps(entry) + "\n" for entry in (kept if mine else [{"run": run}])), encoding="utf-8")
    return kept[-1] if mine else None


def append_state(journal: Path, state: dict[str, Any]) -> None:
    """One more state, on a line of its own."""
    with journal.open("a", encoding="utf-8") as file:
        file.write(json.dumps(state) + "\n")
