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

from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.source_names import PACKAGE, ROOT, WHOLE, Name, module_of, resolved
from ndis_verify.facade import handed_on

LAYERS = ("symbolic", "oracle", "fast", "mechanisms", "audit", "hunts", "experiments")  # what claims speak of
ORDER = ("claim", "attack", *LAYERS, "reference rows", "test", "notebook", "page")
_TESTS = 5  # test files that are shown of those that name what a claim uses
WORDS = {  # how sources number their statements: the letters of an id
    "algorithm": ("Alg",),
    "appendix": ("App",),
    "corollary": ("C",),
    "definition": ("D",),
    "equation": ("eq",),
    "exercise": ("",),
    "fact": ("F",),
    "figure": ("Fig",),
    "lemma": ("L",),
    "proposition": ("P", "Pr"),
    "section": ("S", ""),
    "table": ("Tab",),
    "theorem": ("T",),
    "thm": ("T",),
}
_ATTACKS = "attacks.py"
ROMAN = {"1": "I", "2": "II", "3": "III", "4": "IV", "5": "V", "6": "VI", "7": "VII"}

Stated = ast.expr | ast.FunctionDef  # what makes a record: an expression, or a function where there is one a case


@dataclass(frozen=True)
class Place:
    """One line of a file. `kind`: what stands there; `name`: its name there, or how often it is meant."""

    kind: str
    path: Path
    line: int
    name: str


def ids_of(text: str, ids: Iterable[str]) -> list[str]:
    """The claims that an id or a source's label means: `n26-l2`, "N26 Lemma 2", "KM section 6.1"; all that begin so.

    A label without a source means those of every source. A word may be cut short ("thm.", "Prop"); a number that no
    letter of the word leads to stands for itself.

    >>> ids_of("n26 lemma 2", ["N26-L2", "N26-L2-corrected", "N26-L20", "N26-P2"])
    ['N26-L2', 'N26-L2-corrected']
    >>> ids_of("Lemma 2", ["N26-L2", "N24-L2", "N26-P2", "SL-2"])
    ['N26-L2', 'N24-L2']
    >>> ids_of("KM Def. 2.2", ["KM-2.2", "KM-eq2.5", "N26-L2"])
    ['KM-2.2']
    """
    known = list(ids)
    exact = [i for i in known if i.lower() == text.strip().lower()]
    bare = re.fullmatch(r"\s*([A-Za-z]{2,})\b\.?\s+\(?[\w.]+\)?\s*", text)
    if bare and any(word.startswith(bare.group(1).lower()) for word in WORDS):
        sources = dict.fromkeys(i.partition("-")[0] for i in known)
        found = [i for source in sources for i in ids_of(f"{source} {text}", known)]
        return exact or [i for i in found if re.match(r"\w+-[A-Za-z]", i)] or found  # a letter says what it is
    label = re.fullmatch(r"\s*(\w+)[\s,:-]+(?:([A-Za-z]{2,})\b\.?)?[\s(]*([\w.]+)\)?\s*", text)
    if exact or not label:
        return exact
    source, word, number = label.groups()
    meant = [letters for key in WORDS if word and key.startswith(word.lower()) for letters in WORDS[key]]
    if word and not meant:
        return []
    lettered = [f"{source}-{letters}{n}" for letters in meant for n in (number, ROMAN.get(number, number))]
    return _beginning(lettered, known) or _beginning([f"{source}-{number}"], known)


def claims_meant(text: str) -> list[str]:
    """The ids in the ledger that an id or a label means. Raises `InputError` where there is none."""
    found = ids_of(text, [claim.id for claim in all_claims()]) if " " in text.strip() else []
    return found or [find(text).id]


def _beginning(starts: list[str], known: list[str]) -> list[str]:
    """Those ids that are one of `starts`, or go on behind it with a hyphen."""
    return [
        i
        for i in known
        if any(i.lower() == start.lower() or i.lower().startswith(f"{start.lower()}-") for start in starts)
    ]


def label_of(claim_id: str) -> str:
    """The label of a source that an id stands for; the id itself where it stands for none.

    >>> [label_of(i) for i in ("N26-L2", "N24-TabII", "KM-eq2.5", "KM-2.2", "BW-T4-corrected", "PKG-release-laplace")]
    ['N26 Lemma 2', 'N24 Table II', 'KM Equation 2.5', 'KM 2.2', 'BW Theorem 4 (corrected)', 'PKG-release-laplace']
    """
    source, _, rest = claim_id.partition("-")
    found = re.fullmatch(r"([A-Za-z]*?)([IVX]+|[A-Z]|[\d.]*\d(?:\.\d+)*|[A-Z]\.\d+)(?:-(.+))?", rest)
    words = {letters: word for word, several in WORDS.items() for letters in several if word != "thm"}
    if not found or (found.group(1) and found.group(1) not in words):
        return claim_id
    letters, number, more = found.groups()
    word = f"{words[letters].capitalize()} " if letters else ""
    return f"{source} {word}{number}" + (f" ({more.replace('-', ' ')})" if more else "")


def subject_of(claim_id: str, root: Path = ROOT) -> str:
    """The folder of `claims` that states a claim."""
    return next((place.path.parent.name for place in records(claim_id, root)), "")


def cited(claim_id: str, root: Path = ROOT) -> list[Place]:
    """The record of a claim and its attacks, the notebooks and pages that name it, its reference rows."""
    lines = named(claim_id, root, *_OUTSIDE[1:])
    return _sorted([*records(claim_id, root), *lines, *_rows("claim", claim_id, root)])


def of_claim(claim_id: str, root: Path = ROOT) -> list[Place]:
    """The record of a claim, its attacks, what they use of each layer, and who names the claim or what it uses."""
    used = used_by(claim_id, root)
    places = [*records(claim_id, root), *(_place(_layer(target, root), *target) for target in used)]
    lines = list(named(claim_id, root, ("mechanisms", root, "mechanisms/**/*.py"), *_OUTSIDE))
    subjects = {name for path, name in used if "engine" not in path.parts} - {WHOLE}
    tested = [place for name in subjects for place in named(name, root, _OUTSIDE[0])]
    places += sorted(tested, key=lambda place: (-_times(place), place.path))[:_TESTS]
    return _sorted([*places, *lines, *_rows("claim", claim_id, root)])


def used_by(claim_id: str, root: Path = ROOT) -> set[Name]:
    """What the record of a claim and its attacks use of the layers that claims speak of."""
    return {target for path, node in _nodes(claim_id, root) for target in uses_of(path, node, root)}


def of_name(name: str, root: Path = ROOT) -> list[Place]:
    """The definitions of a function or class, dotted or not, the files of a subject, and who names it."""
    *_, last = name.split(".")
    handed = _handed(name, root)
    found = [_place(kind_of(path, root), path, there) for path, there in handed]
    for path in sorted(root.rglob("*.py")):
        if last in module_of(path, root).defined:
            found.append(_place(kind_of(path, root), path, last))
        elif path.name != "__init__.py" and _is_about(last, path.relative_to(root)):
            found.append(Place(kind_of(path, root), path, 1, "file"))
    if "." in name:
        found = [place for place in found if f".{_dotted(place, root)}".endswith(f".{name}")] or found[: len(handed)]
    if not found:
        return []
    quantities = {last, *(there for _, there in handed)}
    quantities.update(key for place in found if place.name == "file" for key in module_of(place.path, root).defined)
    rows = [place for quantity in quantities for place in _rows("quantity", quantity, root)]
    return _sorted([*found, *rows, *named(last, root, *_OUTSIDE)])


def _times(place: Place) -> int:
    """On how many lines a file names what it was searched for; none where its own name does."""
    return 0 if place.name == "file" else int(place.name.split()[0])


def _handed(name: str, root: Path) -> list[Name]:
    """Where the facades take a name from that they hand on under it: `fast.hockey_stick`, `certified_hockey_stick`."""
    *packages, last = name.removeprefix(f"{PACKAGE}.").split(".")
    stubs = [root.joinpath(*packages, "__init__.pyi")] if packages else sorted(root.rglob("__init__.pyi"))
    given = [handed_on(stub).get(last) for stub in stubs if stub.is_file()]
    return sorted({place for target in given if target for place in resolved(*target, (), root)})


def kind_of(path: Path, root: Path) -> str:
    """What stands in a file of the package: the name of its layer; claims and attacks by themselves."""
    first, *rest = path.relative_to(root).parts
    if first == "claims":
        return "attack" if path.name == _ATTACKS else "claim"
    return first if rest else "records"


def _is_about(subject: str, inside: Path) -> bool:
    """Whether a file bears the name of a subject, or begins with it, or lies in its folder."""
    return subject in inside.parts[:-1] or f"{inside.stem}_".startswith(f"{subject}_")


def _dotted(place: Place, root: Path) -> str:
    module = ".".join((PACKAGE, *place.path.relative_to(root).with_suffix("").parts))
    return module if place.name == "file" else f"{module}.{place.name}"


_OUTSIDE = (("test", None, "tests/*.py"), ("notebook", None, "notebooks/*.ipynb"), ("page", None, "docs/*.md"))


def named(text: str, root: Path, *where: tuple[str, Path | None, str]) -> Iterator[Place]:
    """Files that name it, each by its first line that does, or in their own names. `where`: kind, folder (None: the
    checkout around the package), pattern.
    """
    around = (r"(?<!\w)(?<!np\.)", r"(?!\w)") if text.isidentifier() else (r"(?<![\w.-])", r"(?![\w-]|\.\d)")
    whole = re.compile(around[0] + re.escape(text) + around[1])
    for kind, folder, pattern in where:
        for path, content, lines in _lines(folder or root.parent, pattern):
            found = enumerate(lines, 1) if text in content else ()  # most files do not have it, and need one look
            numbers = [number for number, line in found if text in line and whole.search(line)]
            if numbers:
                yield Place(kind, path, numbers[0], f"{len(numbers)} line{'s' * (len(numbers) > 1)}")
            elif f"_{text}_" in f"_{path.stem}_":
                yield Place(kind, path, 1, "file")


@cache
def _lines(folder: Path, pattern: str) -> tuple[tuple[Path, str, tuple[str, ...]], ...]:
    read = ((path, path.read_text(encoding="utf-8")) for path in sorted(folder.glob(pattern)))
    return tuple((path, content, tuple(content.splitlines())) for path, content in read)


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
def _parsed(text: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(text)))


@cache
def _nodes(claim_id: str, root: Path) -> tuple[tuple[Path, Stated], ...]:
    """The calls that make the record of a claim, and the attacks that are filed under its id."""
    found: list[tuple[Path, Stated]] = []
    for path, text in _texts(root).items():
        if f'"{claim_id}"' not in text:
            continue
        for node in _parsed(text):
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


def _made(claim_id: str, root: Path) -> Iterator[tuple[Path, Stated]]:
    """The case that a record is made of, and the function that makes it, where its id is put together: in the topic
    whose claims hold it.
    """
    for path, text in _texts(root).items():
        if "\nCLAIMS" in text:
            topic = import_module(".".join((PACKAGE, *path.relative_to(root).with_suffix("").parts)))
            if any(claim.id == claim_id for claim in getattr(topic, "CLAIMS", ())):
                nodes = list(ast.walk(ast.parse(text)))
                makers = [node for node in nodes if isinstance(node, ast.FunctionDef) and _start(node)]
                own = {claim_id.removeprefix(_start(maker)) for maker in makers}
                yield from ((path, node) for node in nodes if isinstance(node, ast.Call) and own & _first(node))
                yield from ((path, maker) for maker in makers)


def _start(maker: ast.FunctionDef) -> str:
    """How an id begins that the function puts together: what is written of it before the first name in braces."""
    given = [k.value for node in ast.walk(maker) if isinstance(node, ast.Call) for k in node.keywords if k.arg == "id"]
    parts = [value.values[0] for value in given if isinstance(value, ast.JoinedStr)]
    return next((str(part.value) for part in parts if isinstance(part, ast.Constant)), "")


def _first(call: ast.Call) -> set[object]:
    """The text that a call is given first."""
    return {node.value for node in call.args[:1] if isinstance(node, ast.Constant)}


def _is(text: str, nodes: Iterable[ast.expr | None]) -> bool:
    return any(isinstance(node, ast.Constant) and node.value == text for node in nodes)


def uses_of(path: Path, node: ast.AST, root: Path = ROOT) -> set[Name]:
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
            waiting += _targets_of(*target, root)
    return found


@cache
def _targets_of(path: Path, name: str, root: Path) -> tuple[Name, ...]:
    """What the statements that define a name use: a helper of claims is seen through for each of them."""
    statements = module_of(path, root).defined.get(name, [])
    return tuple(target for statement in statements for target in _targets(path, statement, root))


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
