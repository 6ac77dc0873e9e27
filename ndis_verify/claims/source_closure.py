"""Which definitions of the package a result rests on, and a hash of them: names are followed to where they are defined.

The module in which a check is written counts whole; of every other module only the functions, classes and constants
that are used from there, and the statements that run whatever is asked of it. Comments, docstrings, annotations, layout
and the places of files count for nothing: the hash is of the syntax tree, and of what each name in it is bound to.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from types import CodeType
from typing import Any

from ndis_verify.facade import handed_on

PACKAGE = "ndis_verify"
_ROOT = Path(__file__).resolve().parents[1]
_UNSEEN = frozenset({"annotation", "returns", "type_comment", "type_params", "ctx", "kind"})  # parts without effect
WHOLE = "*"

Name = tuple[Path, str]  # a definition: its file and its name there, `WHOLE` for everything


def source_hash(modules: Iterable[str], root: Path = _ROOT) -> str:
    """SHA-256 of what `modules` say and of every definition of the package that they use, directly or not.

    Imports inside functions count; a module loaded by a name that is computed does not (only the ledger's topics are).
    """
    digests = sorted(_digest(name, root) for name in definitions(frozenset(modules), root))
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


@cache
def closure(modules: frozenset[str], root: Path = _ROOT) -> tuple[Path, ...]:
    """The files in which the definitions behind `source_hash` lie, sorted."""
    return tuple(sorted({path for path, _ in definitions(modules, root)}))


@cache
def definitions(modules: frozenset[str], root: Path = _ROOT) -> frozenset[Name]:
    """The definitions behind `source_hash`."""
    found: set[Name] = set()
    waiting = [(path, WHOLE) for module in modules if (path := _file(module, root))]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [target for _, target in _used(name, root)]
    return frozenset(found)


@dataclass
class _Module:
    """A file taken apart: what it defines, what it imports, what runs in any case."""

    defined: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)  # name here: module, and name there ("": itself)
    running: list[ast.stmt] = field(default_factory=list)
    package: tuple[str, ...] = (PACKAGE,)
    _read: dict[int, tuple[dict[str, tuple[str, str]], tuple[tuple[str, ...], ...]]] = field(default_factory=dict)

    def read(self, statement: ast.stmt) -> tuple[dict[str, tuple[str, str]], tuple[tuple[str, ...], ...]]:
        """The imports that a statement sees, its own among them, and the names that it reads."""
        if id(statement) not in self._read:
            own = [node for node in ast.walk(statement) if isinstance(node, (ast.Import, ast.ImportFrom))]
            bound = {key: value for node in own for key, value in _bound(node, self.package)}
            self._read[id(statement)] = self.imported | bound, tuple(dict.fromkeys(_chains(statement)))
        return self._read[id(statement)]

    def statements(self, name: str) -> list[ast.stmt]:
        """The statements that make up a name."""
        if name == WHOLE:
            return [*self.running, *(statement for found in self.defined.values() for statement in found)]
        return [*self.running, *self.defined.get(name, [])]


@cache
def _module(path: Path, root: Path) -> _Module:
    module = _Module(package=(PACKAGE, *path.relative_to(root).parent.parts))
    for statement in ast.parse(path.read_bytes()).body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            module.imported.update(_bound(statement, module.package))
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            module.defined.setdefault(statement.name, []).append(statement)
        elif names := _assigned(statement):
            for name in names:
                module.defined.setdefault(name, []).append(statement)
        elif not _is_text(statement):
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
    return [part.id for part in parts] if all(isinstance(part, ast.Name) for part in parts) else []


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
def _used(name: Name, root: Path) -> tuple[tuple[str, Name], ...]:
    """What a definition uses: each name in it that leads to another definition, and that definition."""
    path, own = name
    module, found = _module(path, root), {}
    for statement in module.statements(own):
        imported, chains = module.read(statement)
        for chain in chains:
            if chain[0] in imported:
                found.update({(".".join(chain), target): None for target in _resolved(*imported[chain[0]], chain[1:], root)})
            elif chain[0] in module.defined:
                found[".".join(chain), (path, chain[0])] = None
    if own == WHOLE and path.name == "__init__.py":  # a facade: what it hands on counts as used
        for there, (source, behind) in module.imported.items():
            found.update({(there, target): None for target in _resolved(source, behind, (), root)})
    return tuple(found)


@cache
def _resolved(source: str, name: str, chain: tuple[str, ...], root: Path) -> tuple[Name, ...]:
    """Where `name` of the module `source` is defined; `chain`: the attributes asked of it, for a module."""
    path = _file(source, root)
    if path is None:
        return ()
    module = _module(path, root)
    if not name:
        return _resolved(source, chain[0], chain[1:], root) if chain else ((path, WHOLE),)
    if name in module.defined:
        return ((path, name),)
    if module.imported.get(name, (source, name)) != (source, name):
        return _resolved(*module.imported[name], chain, root)
    if _file(f"{source}.{name}", root):
        return _resolved(f"{source}.{name}", "", chain, root)
    return ((path, WHOLE),)


def _chains(node: ast.AST) -> Iterator[tuple[str, ...]]:
    """Every name that a tree reads, with the attributes asked of it: `a.b.c` is (a, b, c)."""
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
        if name not in _UNSEEN:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _chains(child)


@cache
def _digest(name: Name, root: Path) -> str:
    """What a definition says, and what each name in it is bound to says."""
    bound = sorted(f"{chain} {_said(target, root)}" for chain, target in _used(name, root))
    return hashlib.sha256("\n".join([_said(name, root), *bound]).encode()).hexdigest()


@cache
def _said(name: Name, root: Path) -> str:
    path, own = name
    texts = [_text(statement) for statement in _module(path, root).statements(own)]
    return hashlib.sha256("\n".join([own, *texts]).encode()).hexdigest()


def _text(value: Any) -> str:
    """A syntax tree as text: the same in every version of Python, without what has no effect."""
    if isinstance(value, list):
        return "[" + ",".join(_text(item) for item in value if not _is_text(item)) + "]"
    if not isinstance(value, ast.AST):
        return repr(value)
    if isinstance(value, (ast.Import, ast.ImportFrom)):
        return "import"
    parts = [(name, part) for name, part in ast.iter_fields(value) if name not in _UNSEEN and part not in (None, [])]
    return f"{type(value).__name__}({','.join(f'{name}={_text(part)}' for name, part in parts)})"


def _is_text(node: Any) -> bool:
    """Whether a statement is a docstring, or text that nothing reads."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@cache
def _file(module: str, root: Path) -> Path | None:
    """The file of a module of the package, None for other names."""
    package, *parts = module.split(".")
    if package != PACKAGE:
        return None
    place = root.joinpath(*parts)
    file = place / "__init__.py" if place.is_dir() else place.with_name(f"{place.name}.py")
    return file if file.is_file() else None


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
