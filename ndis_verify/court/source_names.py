"""What the names of a source file of the package are bound to: its definitions, its imports, and the names that each
reads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ndis_verify.facade import handed_on

PACKAGE = "ndis_verify"
ROOT = Path(__file__).resolve().parents[1]
UNSEEN = frozenset({"annotation", "returns", "type_comment", "type_params", "ctx", "kind"})  # parts without effect
WHOLE = "*"

Name = tuple[Path, str]  # a definition: its file and its name there, `WHOLE` for everything


@dataclass
class Module:
    """A file taken apart: what it defines, what it imports, what runs in any case."""

    defined: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)  # name here: module, and name there ("": itself)
    running: list[ast.stmt] = field(default_factory=list)
    package: tuple[str, ...] = (PACKAGE,)
    _read: dict[tuple[int, tuple[str, str]], tuple[dict[str, tuple[str, str]], tuple[tuple[str, ...], ...]]] = field(
        default_factory=dict
    )

    def read(
        self, statement: ast.AST, without: tuple[str, str] = ("", "")
    ) -> tuple[dict[str, tuple[str, str]], tuple[tuple[str, ...], ...]]:
        """The imports that a statement sees, its own among them, and the names that it reads, but for those in calls
        of the function `without`, which is (module, name).
        """
        if (id(statement), without) not in self._read:
            own = [node for node in ast.walk(statement) if isinstance(node, (ast.Import, ast.ImportFrom))]
            bound = {key: value for node in own for key, value in _bound(node, self.package)}
            seen = self.imported | bound
            called = frozenset(name for name, source in seen.items() if source == without)
            self._read[id(statement), without] = seen, tuple(dict.fromkeys(chains(statement, called)))
        return self._read[id(statement), without]

    def statements(self, name: str) -> list[ast.stmt]:
        """The statements that make up a name."""
        if name == WHOLE:
            return [*self.running, *(statement for found in self.defined.values() for statement in found)]
        return [*self.running, *self.defined.get(name, [])]


@cache
def module_of(path: Path, root: Path) -> Module:
    """A file of the package below `root`, taken apart."""
    module = Module(package=(PACKAGE, *path.relative_to(root).parent.parts))
    for statement in ast.parse(path.read_bytes()).body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            module.imported.update(_bound(statement, module.package))
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            module.defined.setdefault(statement.name, []).append(statement)
        elif names := _assigned(statement):
            for name in names:
                module.defined.setdefault(name, []).append(statement)
        elif not is_text(statement):
            module.running.append(statement)
    if path.name == "__init__.py" and (stub := path.with_suffix(".pyi")).is_file():
        module.imported.update(handed_on(stub))
    return module


def _assigned(statement: ast.stmt) -> list[str]:
    """The names that an assignment binds; none where it changes more than names."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return []
    parts = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) else []


def _bound(statement: ast.Import | ast.ImportFrom, package: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each name of the package that an import binds, with where it comes from."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if alias.name.split(".")[0] == PACKAGE:
                yield (alias.asname, (alias.name, "")) if alias.asname else (PACKAGE, (PACKAGE, ""))
        return
    base = ".".join(package[: len(package) - statement.level + 1]) if statement.level else ""
    source = ".".join(part for part in (base, statement.module or "") if part)
    if source.split(".")[0] == PACKAGE:
        for alias in statement.names:
            yield alias.asname or alias.name, (source, alias.name)


@cache
def resolved(source: str, name: str, chain: tuple[str, ...], root: Path) -> tuple[Name, ...]:
    """Where `name` of the module `source` is defined; `chain`: the attributes asked of it, for a module."""
    path = file_of(source, root)
    if path is None:
        return ()
    module = module_of(path, root)
    if not name:
        return resolved(source, chain[0], chain[1:], root) if chain else ((path, WHOLE),)
    if name in module.defined:
        return ((path, name),)
    if module.imported.get(name, (source, name)) != (source, name):
        return resolved(*module.imported[name], chain, root)
    if file_of(f"{source}.{name}", root):
        return resolved(f"{source}.{name}", "", chain, root)
    return ((path, WHOLE),)


def chains(node: ast.AST, without: frozenset[str] = frozenset()) -> Iterator[tuple[str, ...]]:
    """Every name that a tree reads, with the attributes asked of it: `a.b.c` is (a, b, c). Calls of the names
    `without` are passed over.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in without:
        return
    if isinstance(node, ast.Attribute):
        parts, inner = [node.attr], node.value
        while isinstance(inner, ast.Attribute):
            parts, inner = [inner.attr, *parts], inner.value
        if isinstance(inner, ast.Name):
            yield inner.id, *parts
            return
    elif isinstance(node, ast.Name):
        yield (node.id,)
    for name, value in ast.iter_fields(node):
        if name not in UNSEEN:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from chains(child, without)


def is_text(node: Any) -> bool:
    """Whether a statement is a docstring, or text that nothing reads."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@cache
def file_of(module: str, root: Path) -> Path | None:
    """The file of a module of the package, None for other names."""
    package, *parts = module.split(".")
    if package != PACKAGE:
        return None
    place = root.joinpath(*parts)
    file = place / "__init__.py" if place.is_dir() else place.with_name(f"{place.name}.py")
    return file if file.is_file() else None
