"""How often Python looks for objects that hold one another and that nothing else holds."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_RARELY = (100_000, 20, 100)  # objects until the young are looked through; such rounds until the older are


def collect_rarely() -> None:
    """For the rest of the process: a run of the court leaves next to nothing of the kind.

    The ledger and its derivations stay. By default all of them are looked through every few seconds, which takes a
    tenth of the time of a run.
    """
    gc.set_threshold(*_RARELY)


@contextmanager
def collected_rarely() -> Iterator[None]:
    """The same inside, and as before afterwards."""
    before = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)
