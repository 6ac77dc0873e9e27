"""Loops compiled by numba (extra `speed`); where it is not installed they are plain Python: slower than arrays, and as
right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _installed() -> Any:
    try:
        import numba
    except ImportError:
        return None
    return numba


numba = _installed()


def compiled(function: Callable[..., Any]) -> Any:
    """Compiled at the first call and kept on disk, where a place to keep it can be written to."""
    if numba is None:
        return function
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no such place
        return numba.njit(**options)(function)
