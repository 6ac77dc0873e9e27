"""Packages that hand on names of their modules, each loaded when it is first asked for.

What a facade hands on stands in the stub beside it (`__init__.pyi`), as the imports that type checkers read; the
package itself runs none of them, so that a module of it can be imported without all others.
"""

from __future__ import annotations

import ast
import sys
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any


def handed_on(stub: Path) -> dict[str, tuple[str, str]]:
    """Name -> (module, name there), from the imports of a stub."""
    return {
        alias.asname or alias.name: (statement.module or "", alias.name)
        for statement in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }


class Facade(ModuleType):
    """A package with a stub; `Facade.of(__name__)` in its `__init__.py` makes it one."""

    @staticmethod
    def of(package: str) -> None:
        """Turns a package into a facade."""
        sys.modules[package].__class__ = Facade

    @cached_property
    def _names(self) -> dict[str, tuple[str, str]]:
        return handed_on(Path(self.__file__ or "").with_suffix(".pyi"))

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return sorted(self._names)
        if name.startswith("__") or name not in self._names:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        module, there = self._names[name]
        value = getattr(import_module(module), there)
        super().__setattr__(name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # A module that has been imported is bound to its package: not where a function of that name is handed on.
        if isinstance(value, ModuleType) and not name.startswith("_") and name in self._names:
            value = self.__getattr__(name)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._names})
