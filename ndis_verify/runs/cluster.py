"""The same work over a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TypeVar

from ndis_verify.exact_number import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")


def on_cluster(
    function: Callable[[Item], Result], items: Mapping[str, Item], address: str
) -> Generator[tuple[str, Result], None, None]:
    """`function` of each item by its id, once each, as they come; the items of a worker that died go to another.

    Raises `InputError` where dask.distributed is absent.
    """
    try:
        from dask.distributed import Client, as_completed
    except ImportError:
        raise InputError("--scheduler", address, "needs the extra `cluster` (dask.distributed)") from None
    with Client(address) as client:
        futures = client.map(function, list(items.values()), key=list(items), retries=2)
        seen = set()
        for future in as_completed(futures):
            if future.key not in seen:  # a cluster may run an item twice
                seen.add(future.key)
                yield future.key, future.result()
