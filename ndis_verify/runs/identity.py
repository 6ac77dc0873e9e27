"""What a kept record rests on, as one hash: the package's sources, the versions below it, a run's parameters."""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Callable, Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

_DEPENDENCIES = ("numpy", "scipy", "sympy", "mpmath", "python-flint")
_ROOT = Path(__file__).resolve().parents[1]


def identity(*parts: Any, functions: Iterable[Callable[..., Any]] = (), folder: Path | None = None) -> str:
    """A hash of the package, its dependencies, `parts`, the files that hold `functions`, the JSON of `folder`.

    A journal of another version of any of these is not taken up: its numbers may be wrong by now.
    """
    digest = hashlib.sha256(repr((_package(), *parts)).encode())
    for path in sorted(folder.glob("*.json")) if folder else ():
        digest.update(_line(path.name, path))
    for function in functions:
        digest.update(_written(function))
    return digest.hexdigest()


@cache
def _package() -> str:
    """Python, the dependencies and the sources as this process found them: what it has loaded does not change."""
    digest = hashlib.sha256(platform.python_version().encode())
    for name in _DEPENDENCIES:
        digest.update(f"{name}=={metadata.version(name)}".encode())
    for path in sorted(_ROOT.rglob("*.py")):
        digest.update(_line(path.relative_to(_ROOT).as_posix(), path))
    return digest.hexdigest()


def _line(shown: str, path: Path) -> bytes:
    return f"{shown} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()


def _written(function: Callable[..., Any]) -> bytes:
    """The text of the file that a function is written in, and its name there."""
    try:
        file = inspect.getsourcefile(function)
    except TypeError:  # built-in functions and objects that are called
        file = inspect.getsourcefile(type(function)) if type(function).__module__ != "builtins" else None
    text = Path(file).read_bytes() if file is not None and Path(file).is_file() else b""
    return text + getattr(function, "__qualname__", "").encode()
