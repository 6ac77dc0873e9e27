"""An implementation under test in a process of its own: bounded time, bounded memory, nothing that it prints is evaluated.

The process may hang, flood, print garbage, die, answer out of order, close the pipe or fork. Lines are read by a thread
into a bounded queue; a line longer than the limit is dropped to its end; the whole process group is killed in the end.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ndis_verify.exact_number import InputError

MAX_LINE = 1 << 20
MAX_WAITING_LINES = 256
MAX_DEPTH = 64
KEPT_STDERR = 4096
GRACE_SECONDS = 2.0


class Died(RuntimeError):
    """The process ended, or closed its output; the message says how."""


class TooSlow(RuntimeError):
    """No answer in the time allowed."""


@dataclass
class Oddities:
    """What the process printed besides the answers asked for: lines that are no answer, answers to other requests, long lines."""

    garbage: int = 0
    strangers: int = 0
    overlong: int = 0
    first: str = ""

    def note(self, kind: str, line: bytes) -> None:
        setattr(self, kind, getattr(self, kind) + 1)
        if not self.first:
            self.first = line[:120].decode("utf-8", "replace")


class Process:
    """One run of the command. `ask` sends a request and waits for the answer with its id; `stop` ends the whole group."""

    def __init__(self, command: Sequence[str], oddities: Oddities):
        self._oddities = oddities
        self._lines: queue.Queue[bytes | None] = queue.Queue(MAX_WAITING_LINES)
        self._errors: deque[bytes] = deque(maxlen=KEPT_STDERR // 256)
        self._stopping = threading.Event()
        try:
            self._child = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except OSError as error:
            raise InputError("COMMAND", command[0], f"cannot be started: {error.strerror or error}") from None
        os.set_blocking(self._child.stdin.fileno(), False)
        for target in (self._read, self._read_errors):
            threading.Thread(target=target, daemon=True).start()

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer object to `request`. Raises `Died`, `TooSlow`."""
        deadline = time.monotonic() + seconds
        self._send(json.dumps(request).encode() + b"\n", deadline)
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TooSlow(f"no answer in {seconds:g} s") from None
            if line is None:
                raise Died(self._end())
            answer = self._answer(line)
            if answer is not None and answer.get("id") == request["id"] and not isinstance(answer["id"], bool):
                return answer
            self._oddities.note("garbage" if answer is None else "strangers", line)
            if time.monotonic() > deadline:  # a flood must not outlast the time allowed
                raise TooSlow(f"no answer in {seconds:g} s, other lines only")

    def stop(self) -> None:
        """Close the input, wait a moment, then kill the process and everything that it started."""
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(GRACE_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()

    def _send(self, data: bytes, deadline: float) -> None:
        """Write without ever blocking for longer than the time allowed: the process may not read."""
        while data:
            try:
                data = data[os.write(self._child.stdin.fileno(), data) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TooSlow("it does not read its input") from None
                time.sleep(0.005)
            except OSError:
                raise Died(self._end()) from None

    def _answer(self, line: bytes) -> dict[str, Any] | None:
        if line.count(b"[") + line.count(b"{") > MAX_DEPTH:
            return None
        try:
            answer = json.loads(line, parse_float=str, parse_constant=str)
        except (ValueError, RecursionError):
            return None
        return answer if isinstance(answer, dict) and ("value" in answer or "error" in answer or "protocol" in answer) else None

    def _read(self) -> None:
        stream = self._child.stdout
        rest = b""
        dropping = False
        with contextlib.suppress(OSError, ValueError):
            while chunk := stream.read(65536):
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
                self._lines.put(line, timeout=0.2)
                return

    def _read_errors(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := self._child.stderr.read(256):
                self._errors.append(chunk)

    def _end(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(GRACE_SECONDS)
        code = self._child.poll()
        how = "it closed its output" if code is None else f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        last = b"".join(self._errors).decode("utf-8", "replace").strip().splitlines()
        return how + (f"; its last words: {last[-1][:200]}" if last else "")
