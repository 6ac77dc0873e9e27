"""Loops compiled by numba (extra `speed`); where it is not installed they are plain Python: slower than arrays, and as
right."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any


def _installed() -> Any:
    try:
        import numba
    except ImportError:
        return None
    return numba


numba = _installed()


def compiled(function: Callable[..., Any]) -> Any:
    """Compiled at the first call and kept on disk, where a place to keep it can be written to.

    What is kept is made anew where any file of the room has changed: loops take constants and other loops from many,
    and numba looks at the loop's own file alone.
    """
    if numba is None:
        return function
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        loop = numba.njit(cache=True, **options)(function)
        loop._cache._cache_file._source_stamp = stamp(_room(function.__module__))
    except (RuntimeError, AttributeError):  # no such place; another numba
        return numba.njit(**options)(function)
    return loop


def _room(module: str) -> str:
    return ".".join(module.split(".")[:2])


@cache
def stamp(room: str) -> str:
    """A digest of all source files of a package; raises RuntimeError where there are none to be read."""
    files = sorted(file for folder in sys.modules[room].__path__ for file in Path(folder).rglob("*.py"))
    if not files:
        raise RuntimeError(f"{room} is not in a folder")
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()
