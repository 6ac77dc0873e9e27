"""Files that are written whole or not at all, and files that are opened only where they are what they seem."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from ndis_verify.exact_number import InputError


def write_atomically(path: Path, text: str | bytes) -> None:
    """Write a whole file or leave the old one: a temporary file in the same folder, on disk, then a rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # a temporary file is closed to others; a report or an installed package is not
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def open_regular(path: Path, flags: int = os.O_RDONLY, *, argument: str = "file", follow: bool = False) -> int:
    """A descriptor of a regular file: a pipe or a device is not waited for, a symbolic link not gone through.

    `flags` of `os.open`; a file that they create is readable by all. `follow`: a link is gone through, as is right for
    a file that a person names. Raises `InputError` of the `argument` where the path is anything but a regular file,
    `OSError` as `os.open` does.
    """
    rule = f"must be a regular file, not {'' if follow else 'a symbolic link, '}a pipe, a device or a folder"
    try:
        handle = os.open(path, flags | (0 if follow else os.O_NOFOLLOW) | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    except OSError:
        if (path.is_symlink() and not follow) or (path.exists() and not path.is_file()):
            raise InputError(argument, str(path), rule) from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise InputError(argument, str(path), rule)
    return handle


def read_regular(path: Path, limit: int, *, argument: str = "file", follow: bool = False) -> bytes:
    """The bytes of a file of at most `limit` bytes, opened by `open_regular`. Raises `InputError`, `OSError`."""
    with os.fdopen(open_regular(path, argument=argument, follow=follow), "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise InputError(argument, str(path), f"must have at most {limit} bytes")
    return data
