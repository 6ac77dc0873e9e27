"""What a kept record rests on, as one hash: the package's sources, the versions below it, a run's parameters."""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType, ModuleType, NoneType
from typing import Any

from ndis_verify.exact_number import InputError

_DEPENDENCIES = ("numpy", "scipy", "sympy", "mpmath", "python-flint")
_ROOT = Path(__file__).resolve().parents[1]
_PLAIN = (NoneType, bool, int, float, complex, str, bytes, Fraction, Path, Enum, type(...))


def identity(*parts: Any, functions: Iterable[Callable[..., Any] | None] = (), folder: Path | None = None) -> str:
    """A hash of the package, its dependencies, `parts`, `functions` with what they hold, the JSON of `folder`.

    A journal of another version of any of these is not taken up: its numbers may be wrong by now.
    """
    digest = hashlib.sha256(repr((_package(), *parts)).encode())
    for path in sorted(folder.glob("*.json")) if folder else ():
        digest.update(_line(path.name, path))
    for function in functions:
        digest.update(held(function).encode())
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


def held(value: Any) -> str:
    """A hash of a value: of a function its code, the file that it is written in, and what it holds: in a closure, as
    defaults, as numbers and texts of its module, as arguments of a partial, in the fields of an object that is called.

    Raises `InputError` for a value that cannot be told from another one.
    """
    digest = hashlib.sha256()
    for part in _parts(value, ()):
        digest.update(part)
    return digest.hexdigest()


def _parts(value: Any, above: tuple[Any, ...]) -> Iterator[bytes]:
    """What a value is, part by part; `above` are those that hold it, which are not entered again."""
    yield f"{type(value).__module__}.{type(value).__qualname__}(".encode()
    if isinstance(value, _PLAIN):
        yield repr(value).encode()
    elif isinstance(value, ModuleType | type):
        yield f"{value.__name__} {_file_of(value)}".encode()
    elif any(value is one for one in above):
        yield b"again"
    elif hasattr(value, "mid") and hasattr(value, "rad"):  # a ball: its digits are not all of it
        yield str((value.mid().man_exp(), value.rad().man_exp()) if value.is_finite() else value).encode()
    elif hasattr(value, "tobytes") and not value.dtype.hasobject:
        yield f"{value.dtype.str} {value.shape} ".encode() + value.tobytes()
    else:
        for name, part in _held_by(value):
            yield f"{name}:".encode()
            yield from _parts(part, (*above, value))
    yield b")"


def _held_by(value: Any) -> Iterable[tuple[Any, Any]]:
    """The parts of a value that is made of others, by name."""
    match value:
        case dict():
            return enumerate(part for pair in value.items() for part in pair)
        case list() | tuple():
            return enumerate(value)
        case set() | frozenset():
            return enumerate(sorted(map(held, value)))
        case partial():
            return enumerate((value.func, value.args, value.keywords))
        case MethodType():
            return enumerate((value.__func__, value.__self__))
        case FunctionType():
            return _held_by_function(value)
        case CodeType():
            place = value.co_code, value.co_names, tuple(value.co_positions())
            return enumerate((*place, value.co_consts))
    if hasattr(value, "__wrapped__"):  # compiled, or with a cache
        return [("of", value.__wrapped__)]
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    fields = {name: getattr(value, name) for name in slots if hasattr(value, name)} | getattr(value, "__dict__", {})
    if fields or hasattr(value, "__dict__"):
        return [("kind", type(value)), *sorted(fields.items())]
    try:
        return [("as copied", value.__reduce_ex__(4))]
    except TypeError:
        raise InputError("function", repr(value)[:60], "must not hold what cannot be told from another one") from None


def _held_by_function(function: FunctionType) -> Iterator[tuple[str, Any]]:
    code = function.__code__
    yield "name", (function.__module__, function.__qualname__, _file_of(function))
    yield "code", (code, function.__defaults__, function.__kwdefaults__)
    yield from zip(code.co_freevars, map(_content, function.__closure__ or ()), strict=True)
    if function.__module__.partition(".")[0] != _ROOT.name:  # of the package all files are hashed
        names = sorted(name for name in function.__globals__ if not name.startswith("_"))
        known = ((name, function.__globals__[name]) for name in names)
        yield from ((name, part) for name, part in known if isinstance(part, _PLAIN))


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


def _file_of(thing: Any) -> str:
    """A hash of the text of the file that something is written in; nothing where there is none."""
    try:
        file = inspect.getsourcefile(thing)
    except TypeError:  # built in
        file = None
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file and Path(file).is_file() else ""
