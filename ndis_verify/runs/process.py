"""An implementation under test in a process of its own: bounded time, bounded memory, nothing that it prints is
evaluated.

The process may hang, flood, print garbage, die, answer out of order, close the pipe or fork. Lines are read by a thread
into a bounded queue; a line longer than the limit is dropped to its end; the whole process group is killed in the end.
What left the group before that keeps no pipe to this process: both ends are closed here.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from ndis_verify.exact_number import InputError
from ndis_verify.plain_text import printable

MAX_LINE = 1 << 20
MAX_WAITING_LINES = 32
MAX_DEPTH = 64
MAX_INTEGER = 18  # digits; a longer one stays the text that it is
KEPT_STDERR = 4096
GRACE_SECONDS = 2.0
POLL_SECONDS = 0.2
# one that does not end reaches to the end: the scan is linear
_STRING = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)


class Died(RuntimeError):
    """The process ended, or closed its output; the message says how."""


class TooSlow(RuntimeError):
    """No answer in the time allowed."""


@dataclass
class Oddities:
    """What the process printed besides the answers asked for: lines that are no answer, answers to other requests, long
    lines.
    """

    garbage: int = 0
    strangers: int = 0
    overlong: int = 0
    first: str = ""

    def note(self, kind: str, line: bytes) -> None:
        setattr(self, kind, getattr(self, kind) + 1)
        if not self.first:
            self.first = line[:120].decode("utf-8", "replace")


class Process:
    """One run of the command. `ask` sends a request and waits for the answer with its id; `stop` ends the
    whole group.
    """

    def __init__(self, command: Sequence[str], oddities: Oddities):
        self._oddities = oddities
        self._lines: queue.Queue[bytes | None] = queue.Queue(MAX_WAITING_LINES)
        self._errors = b""
        self._stopping = threading.Event()
        try:
            self._child = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError("COMMAND", command[0], f"cannot be started: {why}") from None
        assert self._child.stdin and self._child.stdout and self._child.stderr  # all three are pipes
        self._in, self._out, self._err = self._child.stdin, self._child.stdout, self._child.stderr
        os.set_blocking(self._in.fileno(), False)
        for target in (self._read, self._read_errors):
            threading.Thread(target=target, daemon=True).start()

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer object to `request`. Raises `Died`, `TooSlow`."""
        deadline = time.monotonic() + seconds
        self._send(json.dumps(request).encode() + b"\n", deadline)
        others, first, overlong = 0, b"", self._oddities.overlong
        while (line := self._next(deadline)) is not None:
            answer = _answer(line)
            if answer is not None and answer.get("id") == request["id"] and not isinstance(answer["id"], bool):
                return answer
            self._oddities.note("garbage" if answer is None else "strangers", line)
            others, first = others + 1, first or line[:80]
        what = f", but {others} other lines, the first: {printable(first.decode('utf-8', 'replace'))}" if others else ""
        what += f", and a line longer than {MAX_LINE} bytes" if self._oddities.overlong > overlong else ""
        raise TooSlow(f"no answer in {seconds:g} s{what}")

    def stop(self) -> str:
        """Close the input, wait a moment, then kill the process and all of its group; how it ended, "" where with exit
        code 0.
        """
        with contextlib.suppress(OSError):
            self._in.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(GRACE_SECONDS)
        code = self._child.poll()
        self._stopping.set()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        return (
            ""
            if code == 0
            else "it did not end when its input was closed, and was killed"
            if code is None
            else self._end()
        )

    def _next(self, deadline: float) -> bytes | None:
        """The next line, None where there is none in time. Raises `Died`, also where a child of a dead process holds
        its pipe open.
        """
        ended = False
        while (left := deadline - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                line = self._lines.get(timeout=min(left, POLL_SECONDS))
                if line is None:
                    raise Died(self._end())
                return line
            if ended:
                raise Died(self._end())
            ended = self._child.poll() is not None
        return None

    def _send(self, data: bytes, deadline: float) -> None:
        """Write without ever blocking for longer than the time allowed: the process may not read."""
        while data:
            try:
                data = data[os.write(self._in.fileno(), data) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TooSlow("it does not read its input") from None
                time.sleep(0.005)
            except OSError:
                raise Died(self._end()) from None

    def _chunks(self, stream: IO[bytes]) -> Iterator[bytes]:
        """What arrives on a pipe until its end, or until `stop`; closed then, whoever else holds it."""
        watch = select.poll()
        watch.register(stream, select.POLLIN)
        with stream, contextlib.suppress(OSError, ValueError):
            while not self._stopping.is_set():
                if watch.poll(1000 * POLL_SECONDS):
                    if not (chunk := stream.read(65536)):
                        return
                    yield chunk

    def _read(self) -> None:
        rest = b""
        dropping = False
        for chunk in self._chunks(self._out):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if not dropping and line.strip():
                    self._put(line)
                dropping = False
            if len(rest) > MAX_LINE:
                if not dropping:
                    self._oddities.note("overlong", rest)
                rest, dropping = b"", True
        self._put(None)

    def _put(self, line: bytes | None) -> None:
        while not self._stopping.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=POLL_SECONDS)
                return

    def _read_errors(self) -> None:
        for chunk in self._chunks(self._err):
            self._errors = (self._errors + chunk)[-KEPT_STDERR:]

    def _end(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(GRACE_SECONDS)
        code = self._child.poll()
        how = (
            "it closed its output"
            if code is None
            else f"killed by signal {-code}"
            if code < 0
            else f"ended with exit code {code}"
        )
        last = self._errors.decode("utf-8", "replace").strip().splitlines()
        return how + (f"; its last words: {last[-1][:200]}" if last else "")


def _answer(line: bytes) -> dict[str, Any] | None:
    """A line as an answer object, None where it is none. Fractions and constants stay text."""
    if _too_deep(line):
        return None
    try:
        answer = json.loads(
            line,
            parse_float=str,
            parse_constant=str,
            parse_int=lambda text: int(text) if len(text) <= MAX_INTEGER else text,
        )
    except (ValueError, RecursionError):
        return None
    return (
        answer
        if isinstance(answer, dict) and ("value" in answer or "error" in answer or "protocol" in answer)
        else None
    )


def _too_deep(line: bytes) -> bool:
    """Whether brackets outside strings are nested more than `MAX_DEPTH` times."""
    if line.count(b"[") + line.count(b"{") <= MAX_DEPTH:
        return False
    depth = 0
    for bracket in re.findall(rb"[\[\]{}]", _STRING.sub(b"", line)):
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False
