"""The processes of long runs: results as they come, kept at once, and no process that outlives its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from itertools import islice
from multiprocessing import active_children, get_context, parent_process
from typing import Any, TypeVar

from ndis_verify.arguments import whole
from ndis_verify.runs.cluster import on_cluster
from ndis_verify.runs.garbage import collect_rarely
from ndis_verify.runs.journal import Journal

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int, str], None]
_AHEAD = 2  # items that are given out for each process
_PR_SET_PDEATHSIG = 1
_THREADS = "OMP_NUM_THREADS"


def resumed(
    journal: Journal,
    function: Callable[[Item], Any],
    items: Mapping[str, Item],
    jobs: int = 1,
    *,
    scheduler: str | None = None,
    progress: Progress = lambda done, total, label: None,
) -> Generator[tuple[str, Any], None, None]:
    """The id and the value of every item: those that the journal holds, then the others as they are computed.

    `function(item)` gives the JSON content, which is in the journal before it is given out. `jobs`: processes;
    `scheduler`: the address of a Dask cluster in their place. progress(done, total, id) is called after each.
    """
    whole(jobs, "jobs", 1)
    known = [key for key in items if key in journal.done]
    todo = {key: item for key, item in items.items() if key not in journal.done}
    progress(len(known), len(items), "taken up" if known else "")
    yield from ((key, journal.done[key]) for key in known)
    with closing(
        on_cluster(function, todo, scheduler) if scheduler else _on_processes(function, todo, jobs)
    ) as results:
        for done, (key, content) in enumerate(results, len(known) + 1):
            value = journal.append(key, content)
            progress(done, len(items), key)
            yield key, value


def unordered(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int,
    meanwhile: Callable[[], None] = lambda: None,
) -> Iterator[tuple[Item, Result]]:
    """`function` of each item, as they come; where the iterator is left early, its processes are ended at once.

    meanwhile: what this process does once, when the others have their work.
    """
    named = {str(number): item for number, item in enumerate(items)}
    with closing(_on_processes(function, named, jobs, len(named), meanwhile)) as results:
        for key, result in results:
            yield named[key], result


@contextmanager
def same_processes() -> Iterator[None]:
    """Inside, one run after another is by the same processes: what they have loaded and built is there for the next."""
    global _kept
    before, _kept = _kept, {}
    try:
        yield
    finally:
        for processes in _kept.values():
            processes.end(at_once=True)
        _kept = before


class _Processes:
    """The processes of a run, or of all runs inside `same_processes`."""

    def __init__(self, jobs: int):
        self._others = set(active_children())
        # A forked process would hold locks and threads of this one; a spawned one starts clean, on every platform.
        self.pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (os.getpid(),))

    def end(self, at_once: bool = False) -> None:
        """Wait for what they are at; `at_once`: they are at nothing, or nobody waits for it."""
        if at_once:
            for process in set(active_children()) - self._others:
                process.kill()
        self.pool.shutdown(cancel_futures=True)


_kept: dict[int, _Processes] | None = None  # by their number, inside `same_processes`


def _on_processes(
    function: Callable[[Item], Result],
    items: Mapping[str, Item],
    jobs: int,
    ahead: int = 0,
    meanwhile: Callable[[], None] = lambda: None,
) -> Generator[tuple[str, Result], None, None]:
    """ahead: items that are given out at first, `_AHEAD` for each process by default."""
    if jobs == 1 or len(items) < 2:
        meanwhile()
        yield from ((key, function(item)) for key, item in items.items())
        return
    if _kept is None:
        processes = _Processes(min(jobs, len(items)))
    else:
        processes = _kept.pop(jobs) if jobs in _kept else _Processes(jobs)
    waiting, pending = iter(items.items()), {}

    def give_out(count: int) -> None:
        with _undisturbed(), _one_thread_each():
            pending.update({processes.pool.submit(function, item): key for key, item in islice(waiting, count)})

    try:
        give_out(ahead or _AHEAD * jobs)
        meanwhile()
        while pending:
            future: Future[Result]
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                yield pending.pop(future), future.result()
                give_out(1)
        if _kept is not None:
            _kept[jobs] = processes
    except BrokenProcessPool:
        raise ChildProcessError("a process of the run was ended from outside, for lack of memory perhaps") from None
    finally:
        if _kept is None or processes is not _kept.get(jobs):
            processes.end(at_once=bool(pending))  # left early: nobody waits for what they are at


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes that are started inside hold BLAS to one thread, unless the environment says how many.

    By default each takes a thread for every core, and the threads of one wait at full speed for cores that have
    another's work: twice the time, for matrices of a few rows.
    """
    said = _THREADS in os.environ
    os.environ.setdefault(_THREADS, "1")
    try:
        yield
    finally:
        if not said:
            del os.environ[_THREADS]


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A Ctrl-C that comes while processes are started is answered after that, here; they do not hear it.

    A process whose parent stops half-way through its making, or that is stopped before it can ignore the signal,
    would print what it was at. Blocking the signal reaches the processes that are made here, but another thread of
    this one may still take it: so it is noted only.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    came: list[int] = []
    answer = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, signal.SIG_DFL if answer is None else answer)  # None: not one of Python's
    if came:
        signal.raise_signal(signal.SIGINT)


def _begin(parent: int) -> None:
    """What a process does before its first item."""
    _end_with_parent(parent)
    collect_rarely()


def _end_with_parent(parent: int) -> None:
    """A worker whose parent was killed ends too; it would compute on, and then wait for work forever.

    Linux ends it by a signal, whatever it is at. Elsewhere a thread watches the parent, which comes to its turn when
    the work lets other threads run. Ctrl-C, which a terminal sends to all, is the parent's to answer.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was killed before the signal was asked for
        os._exit(1)
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
    os._exit(1)
