"""Requests under a bound on time and memory: a child process computes them, and the system ends it when it overruns.

No exception of Python's can end a call into Arb or BLAS; the default action of SIGALRM can. The child therefore arms a
timer, computes and disarms it, and reads and writes the stream itself while its parent sleeps: an ordinary request
costs two system calls, one that overruns costs the fork of another child. What the child had read ahead lies in shared
memory, so that the next one goes on with the line after the fatal one.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import mmap
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from ndis_verify.exact_number import InputError
from ndis_verify.reference.protocol import Engine, ProtocolError, answer_line
from ndis_verify.reference.shared_lines import MAX_LINE_BYTES, SharedLines

_LONG_LINE = ProtocolError("size", f"a request line must have at most {MAX_LINE_BYTES} bytes").as_dict()


@dataclass(frozen=True)
class Limits:
    """What one request may take: `seconds` of time by the clock, `mebibytes` of memory beside the program's own."""

    seconds: float = 60.0
    mebibytes: int = 4096

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= 10**6:
            raise InputError("--seconds", self.seconds, "must be positive, and at most 1e6")
        if not 1 <= self.mebibytes <= 2**30:
            raise InputError("--memory", self.mebibytes, "must be between 1 and 2^30 MiB")

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Limits:
        return cls(arguments.seconds, arguments.memory)


def add_arguments(parser: argparse.ArgumentParser, seconds: float = Limits.seconds) -> None:
    """The options `--seconds`, and its default, and `--memory`; `Limits.of` reads them."""
    parser.add_argument(
        "--seconds",
        type=float,
        default=seconds,
        metavar="S",
        help=f"time that a request may take (default {seconds:g})",
    )
    parser.add_argument(
        "--memory",
        type=int,
        default=Limits.mebibytes,
        metavar="MIB",
        help=f"memory that it may take (default {Limits.mebibytes})",
    )


def serve(engine: Engine, limits: Limits, source: int = 0, sink: int = 1) -> int:
    """Answer every line of the file descriptor `source` on `sink`, in order, until the input ends or a stop request.

    A request beyond the limits gets an error object, of kind "time" or "internal", and the next one is served. The exit
    code: 0, or 1 where nobody reads the answers.
    """
    lines = SharedLines(source)
    while True:
        alive, ours = os.pipe()  # the child sees by the end of this pipe that its parent is gone

        def work() -> None:
            os.close(ours)
            _answer_all(lines, alive, sink, engine, limits)

        try:
            status = _ended(_forked(work, limits))
        finally:
            os.close(alive)
            os.close(ours)
        if os.WIFEXITED(status):
            return os.WEXITSTATUS(status)
        if not lines.computing:
            raise OSError(f"the process that computes {_death(status, limits)}, before any request")
        kind = "time" if os.WTERMSIG(status) == signal.SIGALRM else "internal"
        request_id = json.loads(lines.noted() or b"null")
        _write(sink, ProtocolError(kind, f"the request {_death(status, limits)}", None, request_id).as_dict())
        lines.finished()


def _answer_all(lines: SharedLines, alive: int, sink: int, engine: Engine, limits: Limits) -> None:
    """The child's part of `serve`."""
    for line in lines.read(alive):
        if line is not None and not line.strip():
            lines.finished()
            continue
        _timed(limits)
        answer = (
            _LONG_LINE
            if line is None
            else answer_line(line, engine, lambda request_id: lines.note(json.dumps(request_id).encode("ascii")))
        )
        _timed(None)
        _write(sink, answer)
        lines.finished()
        if answer.get("stopped"):
            return


def each(function: Callable[[Any], Any], items: Iterable[Any], limits: Limits) -> Iterator[Any]:
    """`function(item)` for every item, the limits on each; the results are JSON.

    Raises what the function raises, where that is an `InputError`, an `ArithmeticError` or an `OSError`, and
    `ArithmeticError` beyond the limits.
    """
    receiving, sending = os.pipe()

    def work() -> None:
        os.close(receiving)
        for item in items:
            _timed(limits)
            record = _outcome(function, item)
            _timed(None)
            _write(sending, record)

    child = _forked(work, limits)
    os.close(sending)
    try:
        with open(receiving, encoding="ascii") as lines:
            for line in lines:
                yield _settled(json.loads(line))
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        status = _ended(child)
    if os.WIFSIGNALED(status):
        raise ArithmeticError(f"the request {_death(status, limits)}")
    if status:
        raise RuntimeError("the process that computes failed, as it says above")


def _outcome(function: Callable[[Any], Any], item: Any) -> dict[str, Any]:
    try:
        return {"result": function(item)}
    except InputError as error:
        return {"refused": [error.argument, error.value, error.rule]}
    except ArithmeticError as error:
        return {"undecided": str(error)}
    except OSError as error:
        return {"failed": [error.errno, error.strerror, error.filename and os.fspath(error.filename)]}
    except MemoryError:
        return {"undecided": "the request needs more memory than it may take"}


def _settled(record: dict[str, Any]) -> Any:
    if "refused" in record:
        raise InputError(*record["refused"])
    if "failed" in record:
        raise OSError(*record["failed"])
    if "undecided" in record:
        raise ArithmeticError(record["undecided"])
    return record["result"]


def _forked(work: Callable[[], None], limits: Limits) -> int:
    """The number of a child process that does the work under the memory limit; its exit code is 0, or 1 where it
    raised.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # of threads: those that BLAS keeps end themselves before a fork
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        _work(work, limits)
    return child


def _work(work: Callable[[], None], limits: Limits) -> NoReturn:
    code = 1
    try:
        for number in (signal.SIGALRM, signal.SIGINT):  # the parent says what happened
            signal.signal(number, signal.SIG_DFL)
        _bound_memory(limits.mebibytes << 20)
        work()
        code = 0
    except BrokenPipeError:
        pass
    except OSError as error:  # a disk that is full, say
        print(f"ndis-verify: {error}", file=sys.stderr, flush=True)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def _bound_memory(size: int) -> None:
    """Bound the address space at what is mapped now and `size` more, where the system knows such a bound."""
    used = 0
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * mmap.PAGESIZE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = used + size if hard == resource.RLIM_INFINITY else min(used + size, hard)
    with contextlib.suppress(OSError, ValueError):  # macOS declines
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _timed(limits: Limits | None) -> None:
    """Let the system end this process after the time allowed; None: not any more."""
    signal.setitimer(signal.ITIMER_REAL, limits.seconds if limits else 0)


def _ended(child: int) -> int:
    """Wait for the child; how it ended. It is killed where the wait is interrupted."""
    try:
        _, status = os.waitpid(child, 0)
    except BaseException:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):  # it may have ended just then
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        raise
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT:
        raise KeyboardInterrupt  # meant for both, and the child was first to hear of it
    return status


def _death(status: int, limits: Limits) -> str:
    number = os.WTERMSIG(status)
    if number == signal.SIGALRM:
        return f"took longer than {limits.seconds:g} s; fewer digits or entries take less, --seconds allows more"
    memory = f"it may have needed more than {limits.mebibytes} MiB of memory, --memory allows more"
    return f"died by {signal.Signals(number).name}; {memory}"


def _write(sink: int, record: dict[str, Any]) -> None:
    data = memoryview(json.dumps(record).encode("ascii") + b"\n")
    while data:
        data = data[os.write(sink, data) :]
