"""Which path does the work: compiled loops (extra `speed`) where they are there and worth loading, else arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType

_PATIENCE = 500  # values that are worked out by arrays before compiled loops are loaded, which takes as long
_asked, _alone = 0, False


@cache
def compiled_kernel() -> ModuleType | None:
    """`engine.compiled` where numba is installed (extra `speed`), else None."""
    from ndis_verify.fast.engine import compiled, compiling  # numba takes half a second

    return compiled if compiling.numba else None


def compiled_wanted(count: int) -> bool:
    """Whether compiled loops are there and worth loading, where `count` more values are asked for."""
    global _asked
    _asked += count
    return _asked > _PATIENCE and not _alone and compiled_kernel() is not None


@contextmanager
def by_arrays_alone() -> Iterator[None]:
    """Inside, the compiled kernel is left alone: to compare with it."""
    global _alone
    before, _alone = _alone, True
    try:
        yield
    finally:
        _alone = before
