"""Which routes a check speaks for: by what it runs, and by the rooms of the functions that it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from ndis_verify.claim import Check, Evidence, Kind
from ndis_verify.court.attack_checks import PointRun
from ndis_verify.court.decided_points import DecidedRun
from ndis_verify.court.proof_checks import ProofRun
from ndis_verify.court.source_names import ROOT, Name
from ndis_verify.court.statement_checks import PointsRun, statement_of
from ndis_verify.report.places import uses_of

FLOATS = frozenset({"fast", "mechanisms", "audit", "hunts", "experiments"})  # what computes in float64


def columns_of(check: Check) -> frozenset[str]:
    """The routes that a check speaks for: by what it runs, and by the rooms of the functions that it calls."""
    run = check.run
    if isinstance(run, ProofRun):
        return frozenset()
    if isinstance(run, DecidedRun):  # inequalities, whose sides agree to nothing
        return frozenset({"certified"})
    if isinstance(run, PointsRun):  # both sides of an equality, each enclosed
        return frozenset({"two routes", "certified"})
    if check.kind in (Kind.ENCLOSURE, Kind.COUNTEREXAMPLE) or isinstance(run, PointRun):
        return frozenset({"certified"})
    rooms = {room_of(name) for name in called(run)}
    floats = bool(rooms & FLOATS) or check.kind is Kind.ATTACK or statement_of(check) is not None
    return frozenset({"float64" if floats else "two routes"} | (rooms & {"certified"}))


def room_of(name: Name) -> str:
    parts = name[0].relative_to(ROOT).parts
    return "certified" if parts[:2] == ("oracle", "certified") else parts[0]


def called(value: Any) -> set[Name]:
    """What the functions of a check call in the rooms below the claims."""
    return {name for function in _functions(value) for name in _names(function)}


def _functions(value: Any) -> Iterator[Any]:
    """The functions and classes that a record holds, wraps or closes over."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, (str, int, float, Evidence, type(None))):
            continue
        seen.add(id(item))
        if isinstance(item, partial):
            waiting += [item.func, *item.args, *item.keywords.values()]
        elif isinstance(item, dict):
            waiting += list(item.values())
        elif isinstance(item, (tuple, list, set, frozenset)):
            waiting += list(item)
        elif hasattr(item, "__code__"):
            yield item
            waiting += [cell.cell_contents for cell in item.__closure__ or ()]
            waiting += [*(item.__defaults__ or ()), *(item.__kwdefaults__ or {}).values()]
        elif getattr(type(item), "__module__", "").startswith("ndis_verify.") and callable(item):
            yield type(item)
            waiting += list(getattr(item, "__dict__", {}).values())


def _names(function: Any) -> frozenset[Name]:
    code = getattr(function, "__code__", None)
    if code is not None:
        return _names_at(code.co_filename, code.co_firstlineno, function.__name__)
    module = ROOT.parent.joinpath(*function.__module__.split(".")).with_suffix(".py")
    return _names_at(str(module), 0, function.__name__)


@cache
def _names_at(file: str, line: int, name: str) -> frozenset[Name]:
    """What a function of a claim's file uses of the rooms below; a function of such a room is itself such a name."""
    path = Path(file)
    if not path.is_relative_to(ROOT) or not path.is_file():
        return frozenset()
    room = path.relative_to(ROOT).parts[0]
    if room != "claims":
        return frozenset({(path, name)}) if room in (*FLOATS, "oracle", "symbolic") else frozenset()
    nodes = [
        node
        for node in ast.walk(tree(path))
        if (
            isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda))
            and (line in (node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))))
        )
        or (isinstance(node, ast.ClassDef) and not line and node.name == name)
    ]
    return frozenset(used for node in nodes for used in uses_of(path, node))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())
