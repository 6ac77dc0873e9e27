"""What a package holds is found by looking: its files, and the names in them. No list is kept by hand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType


@cache
def files(package: str) -> dict[str, Path]:
    """Module name -> file, of every module below a package, without importing one; sorted by name."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{package} is no package")
    (root,) = map(Path, spec.submodule_search_locations)
    found = {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        if not parts[-1].startswith("__"):
            found[".".join((package, *parts))] = path
    return dict(sorted(found.items()))


@cache
def _source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def loaded(package: str, text: str) -> Iterator[ModuleType]:
    """The modules below a package whose source has `text`, imported one after the other."""
    for module, path in files(package).items():
        if text in _source(path):
            yield import_module(module)


def holding(package: str, name: str, *, text: str = "") -> Iterator[ModuleType]:
    """The modules below a package that bind `name` at the top of the file, imported; with `text`, only those whose
    source has it.
    """
    for module, path in files(package).items():
        source = _source(path)
        if (f"\n{name} = " in source or f"\n{name}: " in source) and text in source:
            yield import_module(module)
