"""The journal of a long run: what was finished, line by line, so that a run that was stopped goes on there.

A line holds a number, an id, a content and a seal: the SHA-256 of these three and of the header, which names the run,
that is the sources, versions and parameters that the contents rest on (`identity`). A line is believed where it is,
byte for byte, what `Journal` would write, where numbers rise, and where its reader takes the content for that id. So a
flipped byte, a line cut off, moved, doubled or copied under another id, and a journal of other sources are not
believed; what they held is computed again, and the user is told.

The seal has no key. It protects against damage and clumsy forgery, not against somebody who writes files as you do and
computes the seal as well: who can do that can change the package. What a record *decides* is therefore never read from
it: the declared verdict, the verdict, the exit code and the inputs of a row are made again from the ledger, the tables
and the arguments at hand, and the journal gives evidence alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from ndis_verify import __version__
from ndis_verify.exact_number import InputError
from ndis_verify.runs.files import open_regular, write_atomically

FORMAT = 1
MAX_BYTES = 2**30
_ATTEMPTS = 100
_BEGINNINGS = (b'{"journal": ', b'{"line": ')  # of the lines of a journal
_NOT_BELIEVED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)


class Journal:
    """The records of one run, by id, in `path`; a context manager.

    run: the run's `identity`. noun: what the records are called in messages. read(id, content): the value that a JSON
    content stands for, or an exception where it stands for none. kept: the journal is what the run leaves behind: it
    stays when the run has ended, and a file of another run is refused, not started over. anew: nothing is taken up.

    done: the values by id, in the order of their lines. resumed: how many were read. damaged: lines not believed.

    The file is locked while the journal is open, and a second run on it is refused: it would go on to overwrite the
    same reports, and with a journal of its own it would do the same work twice. The lock ends with the process, however
    it ends. A journal that is left without an exception is removed unless it is `kept`; after a failure or Ctrl-C it
    stays.

    Raises `InputError` where another run has the file, where it is no regular file or holds no line of a journal, or
    for `kept` one of another run.
    """

    def __init__(
        self,
        path: Path,
        run: str,
        noun: str = "records",
        read: Callable[[str, Any], Any] = lambda key, content: content,
        *,
        kept: bool = False,
        anew: bool = False,
    ):
        self.path, self.noun, self.kept = path, noun, kept
        self._read, self._anew = read, anew
        self._header = _line({"journal": FORMAT, "run": run, "version": __version__})
        self.done: dict[str, Any] = {}
        self.damaged = self.resumed = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        self._handle = _locked(path)
        try:
            self._take_up()
        except BaseException:
            os.close(self._handle)
            raise

    def believed(self, data: bytes) -> tuple[dict[str, Any], list[bytes]]:
        """The values by id in the bytes of a journal, and the lines that hold them; none under another header."""
        header, *lines = data.splitlines(keepends=True) or [b""]
        values: dict[str, Any] = {}
        kept: list[bytes] = []
        last = 0
        for line in lines if header == self._header else ():
            try:
                record = json.loads(line)
                number, key, content = record["line"], record["id"], record["content"]
                if line != self._sealed(number, key, content) or not number > last:
                    continue
                values[key] = self._read(key, content)
            except _NOT_BELIEVED:
                continue
            last = number
            kept.append(line)
        return values, kept

    def append(self, key: str, content: Any) -> Any:
        """Keep a JSON content at once; its value, as a resumed run would read it."""
        line = self._sealed(self._last + 1, key, content)
        if os.write(self._handle, line) != len(line):  # one call: a process that is killed leaves no half of a line
            raise OSError(f"{self.path}: the disk took a part of a line only")
        self._last += 1
        self.done[key] = self._read(key, json.loads(line)["content"])
        return self.done[key]

    @property
    def last(self) -> Any:
        """The value that was kept last, None where none is."""
        return next(reversed(self.done.values()), None)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and self.done:
            goes_on = "" if self._anew else "; the same command goes on"
            say(f"{len(self.done)} {self.noun} are kept in {self.path}{goes_on}")
        elif not self.kept and _is_at(self._handle, self.path):
            self.path.unlink()
        os.close(self._handle)

    def _take_up(self) -> None:
        there = _whole(self._handle, self.path)
        if there and not any(line.startswith(_BEGINNINGS) for line in there.splitlines()):
            raise InputError(
                "journal", str(self.path), "must be a journal or a new file: what it holds is left as it is"
            )
        data = b"" if self._anew else there
        self.done, believed = self.believed(data)
        self.resumed, self._last = len(self.done), json.loads(believed[-1])["line"] if believed else 0
        if data.startswith(self._header):
            lines = len(data[len(self._header) :].splitlines())
            self.damaged = lines - len(believed)
            if self.damaged:
                say(f"{self.path}: {self.damaged} of {lines} lines damaged: not believed, and computed again")
        elif data and self.kept:
            rule = "is of another version or another run: name another file or delete it"
            raise InputError("file", str(self.path), rule)
        elif data:
            say(f"{self.path} is of other sources or options, or damaged at its head: it is started over")
        if (whole := b"".join([self._header, *believed])) != data:
            self._repair(whole)

    def _repair(self, whole: bytes) -> None:
        write_atomically(self.path, whole)
        old, self._handle = self._handle, _locked(self.path)
        os.close(old)

    def _sealed(self, number: int, key: str, content: Any) -> bytes:
        record = {"line": number, "id": key, "content": content}
        return _line(record | {"seal": hashlib.sha256(self._header + _line(record)).hexdigest()})


def say(text: str) -> None:
    """A message to the person who waits for the run."""
    print(text, file=sys.stderr, flush=True)


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


def _locked(path: Path) -> int:
    """A descriptor of the file that is at `path` now, locked: another run may just have removed or replaced it."""
    rule = "another run is at work on it: wait for its end or name another folder"
    for _ in range(_ATTEMPTS):
        handle = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            break
        if _is_at(handle, path):
            return handle
        os.close(handle)
    raise InputError("journal", str(path), rule)


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


def _whole(handle: int, path: Path) -> bytes:
    if os.fstat(handle).st_size > MAX_BYTES:
        raise InputError("journal", str(path), f"must have at most {MAX_BYTES} bytes")
    with os.fdopen(os.dup(handle), "rb") as file:
        return file.read()
