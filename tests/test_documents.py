"""What the documents say of the sources: every path and name exists, the floors are those that are held, and each walk
calls what it names.
"""

import importlib
import inspect
import re
import sys
import tomllib
from pathlib import Path
from types import CodeType

import numpy as np
import pytest
from test_architecture import FLOORS

import ndis_verify
from ndis_verify import GaussianPair, cli, fast, oracle
from ndis_verify.claims import ledger
from ndis_verify.fast.engine.kernels import by_arrays_alone
from ndis_verify.mechanisms import random_projection
from ndis_verify.oracle import certified_hockey_stick as certified

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "ndis_verify"
DOCUMENTS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "README.md", "docs/guide.md")
SUFFIXES = ("py", "pyi", "md", "toml", "json", "cff", "cfg", "in", "R", "yaml", "yml", "h", "ipynb")
ROOMS = {path.name.removesuffix(".py") for path in PACKAGE.iterdir()}
LIGHT = "N24-Fig2"  # a claim of the same kinds of checks as that of the walk, heard in a second
MADE = {"ndis-verify-report/", "report.md", "report.json", "my_claims.py"}  # by a command, or by the reader


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def spans(text: str) -> list[str]:
    """What stands between backticks, blocks of code left out."""
    return re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def paths(text: str) -> list[str]:
    """What is cited as a path of the project, `<...>` standing for any name, and where links lead."""
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    cited = [span for span in spans(text) if re.fullmatch(rf"[\w.<>/-]+(/|\.({'|'.join(SUFFIXES)}))", span)]
    run = re.findall(r"(?<![\w./])(?:tests/\w|docs/\w|\.ci/)[\w./-]*\w", text)
    return [path for path in dict.fromkeys((*links, *cited, *run)) if path not in MADE]


def names(text: str) -> list[str]:
    """What is cited as a dotted name of the package, with the package's own name before it or not."""
    found = [re.fullmatch(r"(ndis_verify\.)?([A-Za-z]\w*(?:\.\w+)*)(?:\(\))?", span) for span in spans(text)]
    dotted = [match[2] for match in found if match and (match[1] or "." in match[2])]
    ours = [name for name in dotted if name.split(".")[0] in ROOMS or hasattr(ndis_verify, name)]
    return [name for name in ours if name not in paths(text)]


def is_there(path: str, document: str = "README.md") -> bool:
    """Whether a path that a document cites is one of the project, of the package or beside the document."""
    pattern = re.sub(r"<[^>]*>", "*", path.rstrip("/"))
    beside = (ROOT / document).parent
    return any(any(folder.glob(pattern)) for folder in (ROOT, PACKAGE, beside)) or (beside / path).exists()


def resolved(name: str) -> object:
    """The object of a dotted name below the package: what a facade hands on, or the longest module, then attributes."""
    parts = ["ndis_verify", *name.split(".")]
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        above = sys.modules[".".join(parts[: length - 1]) or "ndis_verify"]
        if length == len(parts) and parts[-1] in getattr(above, "__all__", ()):
            return getattr(above, parts[-1])
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise AssertionError(name)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_and_name_that_is_cited_exists(document):
    text = text_of(document)
    assert not [path for path in paths(text) if not is_there(path, document)]
    for name in names(text):
        assert resolved(name) is not None, name


def test_a_path_or_a_name_that_is_not_there_would_be_seen():
    text = "`fast/no_such.py`, [page](docs/none.md), `claims/<subject>/nothing.py`, `fast.hockey_stick`, `fast.no_such`"
    assert [path for path in paths(text) if not is_there(path)] == [
        "docs/none.md",
        "fast/no_such.py",
        "claims/<subject>/nothing.py",
    ]
    assert names(text) == ["fast.hockey_stick", "fast.no_such"]
    assert resolved("fast.hockey_stick") is fast.hockey_stick
    with pytest.raises(AttributeError):
        resolved("fast.no_such")


@pytest.mark.parametrize("page", ["attacks.md", "conformance.md", "releases.md"])
def test_the_tests_that_a_table_of_attacks_names_are_there(page):
    """Every row of a table with a column for them names one."""
    text, rows = text_of(f"docs/{page}"), []
    for table in re.findall(r"(?m)^\|[^\n]*\| (?:test|seen now by) \|\n\|[-|]+\n((?:\|.*\n?)+)", text):
        rows += table.splitlines()
    for row in rows:
        assert re.search(r"`test_\w+\.py", row.rpartition(" | ")[2] or row), row
    for file, name in re.findall(r"(test_\w+\.py)(?:::(test_\w+))?", text):
        source = ROOT / "tests" / file
        assert source.is_file() and f"def {name}" in source.read_text(encoding="utf-8"), (file, name)
    assert page == "releases.md" or len(rows) > 10


def test_the_picture_has_the_floors_that_are_held():
    (picture,) = re.findall(r"```text\n(.*?)```", text_of("ARCHITECTURE.md"), flags=re.DOTALL)
    lines = [re.match(r"( up |down|  [\^|])  +(\w+(?:, \w+)*)(?:   |$)", line) for line in picture.splitlines()]
    floors = [set(line[2].split(", ")) for line in lines if line]
    held = list(reversed(FLOORS))
    assert len(floors) == len(held) and all(shown <= rooms for shown, rooms in zip(floors, held))
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders <= set().union(*floors)


def test_the_citation_is_of_this_version_and_of_the_sources_of_the_ledger():
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load(text_of("CITATION.cff"))
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    assert cited["cff-version"] == "1.2.0" and cited["message"] and cited["type"] == "software"
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    assert all(one["title"] and one["authors"] and one["type"] == "article" for one in cited["references"])
    numbers = {re.sub(r"\D*:", "", key["value"]) for one in cited["references"] for key in one["identifiers"]}
    assert numbers == {n for source in ledger.SOURCES.values() for n in re.findall(r"arXiv (\d+\.\d+)", source)}


def test_the_changelog_has_the_version_and_what_comes_next():
    heads = re.findall(r"^## (.+)$", text_of("CHANGELOG.md"), flags=re.MULTILINE)
    assert heads[0] == "Unreleased" and tomllib.loads(text_of("pyproject.toml"))["project"]["version"] in heads


def a_number(folder: Path) -> None:
    pair = GaussianPair([0.5, 0], [[2, 0.3], [0.3, 1]], [0, 0], 1)
    with by_arrays_alone():  # as where the extra `speed` is not installed, or in the first values of a process
        value = fast.hockey_stick(pair, 1.0)
    assert all(abs(value - float(f(pair, 1, digits=12).mid)) < 1e-11 for f in (oracle.hockey_stick, certified))


def a_verdict(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:  # as in a new process
        patch.delitem(sys.modules, "ndis_verify.claims.monte_carlo.claims", raising=False)
        patch.setattr(ledger, "_records", {})
        ledger._stated.cache_clear()
        assert cli.main(["verify", LIGHT, "--jobs", "1", "--output", str(folder)]) == 0
    ledger._stated.cache_clear()


def a_release(folder: Path) -> None:
    mechanism = random_projection(r=2, epsilon=1, delta=1e-6, norm_bound=1)
    assert mechanism.release(np.eye(3)).shape == (3, 2)


def called(walk, folder: Path) -> set[CodeType]:
    """The code that ran."""
    seen = set()

    def note(frame, event, argument):
        if event == "call":
            seen.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        walk(folder)
    finally:
        sys.setprofile(before)
    return seen


@pytest.mark.parametrize(
    ("title", "walk"),
    [("A covariance to a number", a_number), ("A claim id to a verdict", a_verdict), ("A target to a", a_release)],
)
def test_a_walk_calls_what_it_names(title, walk, tmp_path):
    (section,) = re.findall(rf"### {title}.*?\n(.*?)(?=\n#|\Z)", text_of("ARCHITECTURE.md"), flags=re.DOTALL)
    ran = called(walk, tmp_path)
    for name in names(section):
        meant = inspect.unwrap(resolved(name))
        if inspect.isclass(meant):
            source = Path(inspect.getfile(meant))
            assert any(
                Path(code.co_filename) == source and code.co_qualname.startswith(f"{meant.__name__}.") for code in ran
            ), name
        elif not inspect.ismodule(meant):
            assert meant.__code__ in ran, name
