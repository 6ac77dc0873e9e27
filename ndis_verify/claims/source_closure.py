"""Which source files a result rests on, and a hash of their text: the imports of a module, followed to the end."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from types import CodeType
from typing import Any

PACKAGE = "ndis_verify"
_ROOT = Path(__file__).resolve().parents[1]


def source_hash(modules: Iterable[str], root: Path = _ROOT) -> str:
    """SHA-256 of the text of `modules` and of every module of the package that they import, directly or not.

    Imports inside functions count; a module loaded by a name that is computed does not (only the ledger's topics are).
    """
    digest = hashlib.sha256()
    for path in closure(frozenset(modules), root):
        digest.update(f"{path.relative_to(root).as_posix()} {_file_hash(path)}\n".encode())
    return digest.hexdigest()


@cache
def closure(modules: frozenset[str], root: Path = _ROOT) -> tuple[Path, ...]:
    """The files behind `source_hash`, sorted."""
    found: set[Path] = set()
    waiting = [path for module in modules for path in _files(module, root)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [file for name in _imported(path, root) for file in _files(name, root)]
    return tuple(sorted(found))


@cache
def _file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _imported(path: Path, root: Path) -> tuple[str, ...]:
    """Names that a file imports, as written or resolved from a relative import; some name functions, not modules."""
    package = (PACKAGE, *path.relative_to(root).parent.parts)
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            names.update((module, *(f"{module}.{alias.name}" for alias in node.names)))
    return tuple(sorted(name for name in names if name.split(".")[0] == PACKAGE))


def _files(name: str, root: Path) -> list[Path]:
    """The file of a module and those of the packages around it, which an import runs as well; none for other names."""
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return []
    found, place = [root / "__init__.py"], root
    for part in parts[1:]:
        place = place / part
        file = place / "__init__.py" if place.is_dir() else place.with_name(part + ".py")
        if not file.is_file():
            break  # a function or class of the module found last
        found.append(file)
    return found


def defining_modules(value: Any) -> frozenset[str]:
    """The modules in which a function, and every function that it closes over, holds as default or wraps, is written."""
    modules: set[str] = set()
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, partial):
            waiting += [item.func, *item.args, *item.keywords.values()]
        elif isinstance(item, Mapping):
            waiting += list(item.values())
        elif isinstance(item, (tuple, list, set, frozenset)):
            waiting += list(item)
        elif isinstance(getattr(item, "__code__", None), CodeType):
            modules.add(item.__module__)
            waiting += [cell.cell_contents for cell in item.__closure__ or () if _filled(cell)]
            waiting += [*(item.__defaults__ or ()), *(item.__kwdefaults__ or {}).values()]
        elif isinstance(item, Callable):
            modules.add(getattr(item, "__module__", None) or type(item).__module__)
            waiting += list(getattr(item, "__dict__", {}).values()) if not isinstance(item, type) else []
    return frozenset(modules)


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True
