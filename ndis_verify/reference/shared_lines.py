"""Lines of a stream whose unread rest lies in shared memory: another process can go on where this one was ended."""

from __future__ import annotations

import mmap
import os
import select
from collections.abc import Iterator

MAX_LINE_BYTES = 16 * 2**20
_HEADER = 16_384  # bytes before the lines: the numbers and the note
_NUMBERS = 4  # 64-bit: begin and end of the unread bytes, is a long line being dropped, is a line being answered
_BEGIN, _END, _DROPPING, _COMPUTING = range(_NUMBERS)


class SharedLines:
    """The lines of a file descriptor, read by one process at a time; a forked child reads on behalf of its parent.

    A line of more than `MAX_LINE_BYTES` is passed over in bounded memory and given as None.
    `note` keeps up to 16,000 bytes about the line that is being answered, `noted` reads them, in whichever process.
    """

    def __init__(self, source: int):
        self._source = source
        self._memory = mmap.mmap(-1, _HEADER + MAX_LINE_BYTES)  # takes memory only where it is touched
        self._numbers = memoryview(self._memory)[: 8 * _NUMBERS].cast("Q")
        self._room = memoryview(self._memory)[_HEADER:]
        self._note = memoryview(self._memory)[8 * _NUMBERS : _HEADER]

    @property
    def computing(self) -> bool:
        """Whether a line was taken and `finished` not called since."""
        return bool(self._numbers[_COMPUTING])

    def finished(self) -> None:
        """The line that was taken is answered."""
        self._numbers[_COMPUTING] = 0

    def note(self, text: bytes) -> None:
        """Keep a text that belongs to the line being answered."""
        self._note[: len(text) + 1] = text + b"\0"

    def noted(self) -> bytes:
        """The text last kept for the line being answered; empty where there is none."""
        return bytes(self._note).partition(b"\0")[0]

    def read(self, alive: int) -> Iterator[bytes | None]:
        """The lines from here to the end of the stream, or of `alive`: a pipe that ends with the parent."""
        watch = select.poll()
        for descriptor in (self._source, alive):
            watch.register(descriptor, select.POLLIN)
        searched = 0
        while True:
            begin, end = self._numbers[_BEGIN], self._numbers[_END]
            newline = self._memory.find(b"\n", _HEADER + max(begin, searched), _HEADER + end) - _HEADER
            if newline >= 0:
                yield self._taken(begin, newline + 1)
                searched = 0
                continue
            searched = end = self._moved_down(begin, end)
            if any(descriptor == alive for descriptor, _ in watch.poll()):
                return
            count = os.readv(self._source, [self._room[end:]])
            if not count:
                break
            self._numbers[_END] = end + count
        if end or self._numbers[_DROPPING]:
            yield self._taken(0, end)

    def _taken(self, begin: int, end: int) -> bytes | None:
        """The line between the two places, which counts as read from now on."""
        line = None if self._numbers[_DROPPING] else bytes(self._room[begin:end])
        self._numbers[_BEGIN], self._numbers[_DROPPING] = end, 0
        self._note[0] = 0
        self._numbers[_COMPUTING] = 1
        return line

    def _moved_down(self, begin: int, end: int) -> int:
        """Move the unread bytes to the front and drop them where they fill the room; their number then."""
        if end - begin == MAX_LINE_BYTES:
            begin, self._numbers[_DROPPING] = end, 1
        if begin:
            self._memory.move(_HEADER, _HEADER + begin, end - begin)
            self._numbers[_BEGIN], self._numbers[_END] = 0, end - begin
        return end - begin
