"""Where a claim, a function or a subject is to be found: paths with lines, from the sources themselves."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from ndis_verify.court.source_names import PACKAGE, ROOT, WHOLE, Name, module_of, resolved

LAYERS = ("symbolic", "oracle", "fast", "mechanisms", "audit")  # what claims speak of
ORDER = ("claim", "attack", *LAYERS, "reference rows", "test", "notebook", "page")
_TESTS = 5  # test files that are shown of those that name what a claim uses
WORDS = {  # how sources number their statements: the letters of an id
    "algorithm": ("Alg",),
    "appendix": ("App",),
    "claim": ("C",),
    "corollary": ("C",),
    "definition": ("D",),
    "equation": ("eq",),
    "eq": ("eq",),
    "fact": ("F",),
    "fig": ("Fig",),
    "figure": ("Fig",),
    "lemma": ("L",),
    "proposition": ("P", "Pr"),
    "section": ("S", ""),
    "tab": ("Tab",),
    "table": ("Tab",),
    "theorem": ("T",),
}
_ATTACKS = "attacks.py"
ROMAN = {"1": "I", "2": "II", "3": "III", "4": "IV", "5": "V", "6": "VI", "7": "VII"}


@dataclass(frozen=True)
class Place:
    """One line of a file. `kind`: what stands there; `name`: its name there, or how often it is meant."""

    kind: str
    path: Path
    line: int
    name: str


def ids_of(text: str, ids: Iterable[str]) -> list[str]:
    """The claims that an id or a source's label means: `n26-l2`, "N26 Lemma 2", "KM section 6.1"; all that begin so.

    >>> ids_of("n26 lemma 2", ["N26-L2", "N26-L2-corrected", "N26-L20", "N26-P2"])
    ['N26-L2', 'N26-L2-corrected']
    """
    known = list(ids)
    exact = [i for i in known if i.lower() == text.strip().lower()]
    label = re.fullmatch(r"\s*(\w+)[\s,:-]+([A-Za-z]+)\.?\s*([\w.]+)\s*", text)
    if exact or not label or label[2].lower() not in WORDS:
        return exact
    source, word, number = label[1], label[2].lower(), label[3]
    starts = [f"{source}-{letters}{n}".lower() for letters in WORDS[word] for n in (number, ROMAN.get(number, number))]
    return [i for i in known if any(re.fullmatch(re.escape(start) + r"(-.*)?", i.lower()) for start in starts)]


def of_claim(claim_id: str, root: Path = ROOT) -> list[Place]:
    """The record of a claim, its attacks, what they use of each layer, and who names the claim or what it uses."""
    used = {target for path, node in _nodes(claim_id, root) for target in _uses(path, node, root)}
    places = [*records(claim_id, root), *(_place(_layer(target, root), *target) for target in used)]
    lines = list(named(claim_id, root, ("mechanisms", root, "mechanisms/**/*.py"), *_OUTSIDE))
    tested = [place for name in {name for _, name in used} - {WHOLE} for place in named(name, root, _OUTSIDE[0])]
    places += sorted(tested, key=lambda place: (-int(place.name.split()[0]), place.path))[:_TESTS]
    return _sorted([*places, *lines, *_rows("claim", claim_id, root)])


def of_name(name: str, root: Path = ROOT) -> list[Place]:
    """The definitions of a function or class, the files of a subject, and who names it."""
    found = []
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root)
        kind = "code" if len(inside.parts) == 1 else inside.parts[0]
        if name in module_of(path, root).defined:
            found.append(_place(kind, path, name))
        elif name in (inside.stem, *inside.parts[:-1]):
            found.append(Place(kind, path, 1, "file"))
    return _sorted([*found, *_rows("quantity", name, root), *named(name, root, *_OUTSIDE)]) if found else []


_OUTSIDE = (("test", None, "tests/*.py"), ("notebook", None, "notebooks/*.ipynb"), ("page", None, "docs/*.md"))


def named(text: str, root: Path, *where: tuple[str, Path | None, str]) -> Iterator[Place]:
    """Files that name it, each by its first line that does. `where`: kind, folder (None: the checkout around the
    package), pattern.
    """
    whole = re.compile(rf"(?<![\w.-]){re.escape(text)}(?![\w-])")
    for kind, folder, pattern in where:
        for path, lines in _lines(folder or root.parent, pattern):
            numbers = [number for number, line in enumerate(lines, 1) if text in line and whole.search(line)]
            if numbers:
                yield Place(kind, path, numbers[0], f"{len(numbers)} line{'s' * (len(numbers) > 1)}")


@cache
def _lines(folder: Path, pattern: str) -> tuple[tuple[Path, tuple[str, ...]], ...]:
    return tuple((path, tuple(path.read_text(encoding="utf-8").splitlines())) for path in sorted(folder.glob(pattern)))


def _sorted(places: Iterable[Place]) -> list[Place]:
    """Each file and name once, in the order of the house."""

    def order(place: Place) -> tuple[int, str, int, str]:
        return (ORDER.index(place.kind) if place.kind in ORDER else len(ORDER)), str(place.path), place.line, place.name

    return sorted({(place.kind, place.path, place.line): place for place in places}.values(), key=order)


def records(claim_id: str, root: Path = ROOT) -> Iterator[Place]:
    """The record of a claim and its attacks."""
    for path, node in _nodes(claim_id, root):
        yield Place("attack" if path.name == _ATTACKS else "claim", path, node.lineno, claim_id)


@cache
def _texts(root: Path) -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in sorted((root / "claims").rglob("*.py"))}


@cache
def _nodes(claim_id: str, root: Path) -> tuple[tuple[Path, ast.expr], ...]:
    """The calls that make the record of a claim, and the attacks that are filed under its id."""
    found: list[tuple[Path, ast.expr]] = []
    for path, text in _texts(root).items():
        if f'"{claim_id}"' not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and _is(
                claim_id, [*node.args[:1], *(k.value for k in node.keywords if k.arg == "id")]
            ):
                found.append((path, node))
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and _filed(node):
                pairs = zip(node.value.keys, node.value.values)
                found += [(path, value) for key, value in pairs if _is(claim_id, [key])]
    made = any(path.name != _ATTACKS for path, _ in found)
    return tuple(found if made else [*found, *_made(claim_id, root)])


def _filed(node: ast.Assign) -> bool:
    """Whether it files attacks, or printed statements to attack, under the ids of claims."""
    return any(isinstance(target, ast.Name) and target.id in ("ATTACKS", "PRINTED") for target in node.targets)


def _made(claim_id: str, root: Path) -> Iterator[tuple[Path, ast.expr]]:
    """The call that makes the record where its id is put together: in the topic whose claims hold it."""
    for path, text in _texts(root).items():
        if "\nCLAIMS" in text:
            topic = import_module(".".join((PACKAGE, *path.relative_to(root).with_suffix("").parts)))
            if any(claim.id == claim_id for claim in getattr(topic, "CLAIMS", ())):
                calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
                yield (
                    path,
                    next(node for node in calls if getattr(node.func, "id", "") == "Claim" and not _literal(node)),
                )


def _literal(call: ast.Call) -> bool:
    """Whether the id of a record is written out."""
    return any(keyword.arg == "id" and isinstance(keyword.value, ast.Constant) for keyword in call.keywords)


def _is(text: str, nodes: Iterable[ast.expr | None]) -> bool:
    return any(isinstance(node, ast.Constant) and node.value == text for node in nodes)


def _uses(path: Path, node: ast.expr, root: Path) -> set[Name]:
    """What an expression of a claim's file uses of other layers, helpers of claims seen through."""
    found: set[Name] = set()
    seen: set[Name] = set()
    waiting = list(_targets(path, node, root))
    while waiting:
        target = waiting.pop()
        if target in seen:
            continue
        seen.add(target)
        if _layer(target, root):
            found.add(target)
        elif target[0].is_relative_to(root / "claims") and target[1] != WHOLE:
            for statement in module_of(target[0], root).defined.get(target[1], []):
                waiting += _targets(target[0], statement, root)
    return found


def _targets(path: Path, node: ast.AST, root: Path) -> Iterator[Name]:
    module = module_of(path, root)
    imported, chains = module.read(node)
    for chain in chains:
        if chain[0] in imported:
            yield from resolved(*imported[chain[0]], chain[1:], root)
        elif chain[0] in module.defined:
            yield path, chain[0]


def _layer(target: Name, root: Path) -> str:
    first = target[0].relative_to(root).parts[0]
    return first if first in LAYERS else ""


def _place(kind: str, path: Path, name: str) -> Place:
    root = next(parent for parent in path.parents if parent.name == PACKAGE)
    statements = module_of(path, root).defined.get(name, [])
    return Place(kind, path, statements[0].lineno if statements else 1, "file" if name == WHOLE else name)


def _rows(key: str, value: str, root: Path) -> Iterator[Place]:
    """Tables with rows of a claim or a quantity, by the line of the first."""
    for path in sorted((root / "reference" / "tables").glob("*.json")):
        text = path.read_text(encoding="utf-8")
        if f'"{key}": {json.dumps(value)}' in text:
            lines = [n for n, line in enumerate(text.splitlines(), 1) if f'"{key}": {json.dumps(value)}' in line]
            yield Place("reference rows", path, lines[0], f"{len(lines)} rows" if key == "claim" else "table")
