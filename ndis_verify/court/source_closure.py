"""Which definitions of the package a result rests on, and a hash of them: names are followed to where they are defined.

The module in which a check is written counts whole; of every other module only the functions, classes and constants
that are used from there, and the statements that run whatever is asked of it. Comments, docstrings, annotations, layout
and the places of files count for nothing: the hash is of the syntax tree, and of what each name in it is bound to.

What only puts a check together counts for nothing either: all that it hands over (domain, tolerance, seed, budget,
statement) is among the parameters of the certificate. Nor does a proof that stands beside the check, nor what it is
a proof of: no proof is kept.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from types import CodeType
from typing import Any

from ndis_verify.court.source_names import ROOT, UNSEEN, WHOLE, Name, file_of, is_text, module_of, resolved

_MAKERS = frozenset({"court/attack_checks.py", "court/attack_certificate.py", "court/statement_checks.py"})
_PROOF = ("ndis_verify.court.proof_checks", "proof")


def source_hash(modules: Iterable[str], root: Path = ROOT) -> str:
    """SHA-256 of what `modules` say and of every definition of the package that they use, directly or not.

    Imports inside functions count; a module loaded by a name that is computed does not (only the ledger's topics are).
    """
    digests = sorted(_digest(name, root) for name in definitions(frozenset(modules), root))
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


@cache
def closure(modules: frozenset[str], root: Path = ROOT) -> tuple[Path, ...]:
    """The files in which the definitions behind `source_hash` lie, sorted."""
    return tuple(sorted({path for path, _ in definitions(modules, root)}))


@cache
def definitions(modules: frozenset[str], root: Path = ROOT) -> frozenset[Name]:
    """The definitions behind `source_hash`."""
    found: set[Name] = set()
    waiting = [(path, WHOLE) for module in modules if (path := file_of(module, root))]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [target for _, target in _used(name, root)]
    return frozenset(found)


@cache
def _used(name: Name, root: Path) -> tuple[tuple[str, Name], ...]:
    """What a definition uses: each name in it that leads to another definition, and that definition."""
    path, own = name
    module = module_of(path, root)
    found: dict[tuple[str, Name], None] = {}
    for statement in module.statements(own):
        imported, chains = module.read(statement, _PROOF)
        for chain in chains:
            if chain[0] in imported:
                found.update(
                    {(".".join(chain), target): None for target in resolved(*imported[chain[0]], chain[1:], root)}
                )
            elif chain[0] in module.defined:
                found[".".join(chain), (path, chain[0])] = None
    if own == WHOLE and path.name == "__init__.py":  # a facade: what it hands on counts as used
        for there, (source, behind) in module.imported.items():
            found.update({(there, target): None for target in resolved(source, behind, (), root)})
    return tuple(entry for entry in found if entry[1][0].relative_to(root).as_posix() not in _MAKERS)


@cache
def _digest(name: Name, root: Path) -> str:
    """What a definition says, and what each name in it is bound to says."""
    bound = sorted(f"{chain} {_said(target, root)}" for chain, target in _used(name, root))
    return hashlib.sha256("\n".join([_said(name, root), *bound]).encode()).hexdigest()


@cache
def _said(name: Name, root: Path) -> str:
    path, own = name
    texts = [_text(statement) for statement in module_of(path, root).statements(own)]
    return hashlib.sha256("\n".join([own, *texts]).encode()).hexdigest()


def _text(value: Any) -> str:
    """A syntax tree as text: the same in every version of Python, without what has no effect."""
    if isinstance(value, list):
        return "[" + ",".join(_text(item) for item in value if not is_text(item)) + "]"
    if not isinstance(value, ast.AST):
        return repr(value)
    if isinstance(value, (ast.Import, ast.ImportFrom)):
        return "import"
    parts = [(name, part) for name, part in ast.iter_fields(value) if name not in UNSEEN and part not in (None, [])]
    return f"{type(value).__name__}({','.join(f'{name}={_text(part)}' for name, part in parts)})"


def defining_modules(value: Any) -> frozenset[str]:
    """The modules in which a function, and every function that it closes over, holds as default or wraps, is
    written, and those that it says to rest on because it loads them by name.
    """
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
        elif callable(item):
            modules.add(getattr(item, "__module__", None) or type(item).__module__)
            modules |= frozenset() if isinstance(item, type) else getattr(item, "rests_on", frozenset)()
            waiting += list(getattr(item, "__dict__", {}).values()) if not isinstance(item, type) else []
    return frozenset(modules)


def _filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True
