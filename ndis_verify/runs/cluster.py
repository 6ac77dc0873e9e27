"""The same work over a Dask cluster."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import TypeVar
from uuid import uuid4

from ndis_verify.exact_number import InputError
from ndis_verify.runs.identity import identity

Item = TypeVar("Item")
Result = TypeVar("Result")
_RETRIES, _PATIENCE = 2, "20s"  # of an item that failed; for the scheduler
_AGAIN = 4  # times that an item is given out anew where the scheduler gave it up, after some workers that died at it


def add_scheduler(parser: argparse.ArgumentParser) -> None:
    """The flag of every command whose work can be given to a cluster."""
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask scheduler, in place of processes (extra `cluster`)"
    )


def on_cluster(
    function: Callable[[Item], Result], items: Mapping[str, Item], address: str
) -> Generator[tuple[str, Result], None, None]:
    """`function` of each item by its id, once each, as they come; the items of a worker that died go to another.

    A scheduler gives an item up after four workers that died while they had it, as workers of a busy cluster do that
    are taken away: it is given out again then, and ends the run only when that has happened five times.

    Raises `InputError` where dask.distributed is absent, nothing answers at the address, or a worker has other sources
    or versions than this process; `ChildProcessError` where the cluster was lost on the way.
    """
    try:
        from dask.distributed import CancelledError, Client, KilledWorker, as_completed
    except ImportError:
        raise InputError("--scheduler", address, "needs the extra `cluster` (dask.distributed)") from None
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError):  # a time that is out is an OSError too
        raise InputError("--scheduler", address, "must be the address of a Dask scheduler: nothing answers") from None
    run = uuid4().hex  # an id means another item in another run on the same scheduler
    with _quiet("distributed", "distributed.client", "tornado.application"), client:
        work, keys = partial(_alike, function, _sources(), address), [f"{run} {key}" for key in items]
        futures = client.map(work, list(items.values()), key=keys, retries=_RETRIES)
        ids = dict(zip((future.key for future in futures), items, strict=True))
        left, waiting = dict.fromkeys(items, _AGAIN), as_completed(futures, loop=client.loop)
        try:
            for future in waiting:
                if future.key not in ids:  # a cluster may run an item twice
                    continue
                key = ids.pop(future.key)
                if left[key] and isinstance(future.exception(), KilledWorker):
                    left[key] -= 1
                    again = client.submit(work, items[key], key=f"{run} {key} {left[key]}", retries=_RETRIES)
                    ids[again.key] = key
                    waiting.add(again)
                    continue
                yield key, future.result()
                future.release()  # workers need not keep what is here
        except (CancelledError, KilledWorker) as error:
            lost = f"the cluster at {address} was lost ({type(error).__name__}): what is done is kept, the same command"
            raise ChildProcessError(f"{lost} goes on, with --jobs too") from None


@contextmanager
def _quiet(*loggers: str) -> Iterator[None]:
    """What is lost is told once, by this package: the libraries below write their tracebacks of it as well."""
    found = {logger: logger.level for logger in map(logging.getLogger, loggers)}
    for logger in found:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in found.items():
            logger.setLevel(level)


def _alike(function: Callable[[Item], Result], sources: str, address: str, item: Item) -> Result:
    """In a worker: what a process of other sources computes would be kept as if it were of these."""
    if _sources() != sources:
        raise InputError("--scheduler", address, "has a worker with other sources or versions than this process")
    return function(item)


@cache
def _sources() -> str:
    return identity("cluster")
