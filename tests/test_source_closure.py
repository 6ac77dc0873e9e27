"""What a kept certificate rests on: names followed to their definitions, and a hash that sees every change of those."""

import ast
import shutil
import statistics
from pathlib import Path

import pytest

from ndis_verify.claims.ledger import all_claims
from ndis_verify.court.source_closure import closure, definitions, source_hash

PACKAGE = Path(__file__).resolve().parents[1] / "ndis_verify"
FILES = {
    "__init__.py": '"""Words."""\n',
    "one.py": (
        "from ndis_verify.part import two, seven\nfrom ndis_verify import part\n\nTOP = two.f(part.late, seven)\n"
    ),
    "part/__init__.py": "from ndis_verify.part.six import seven\n",
    "part/__init__.pyi": "from ndis_verify.part.lazy import late\n",
    "part/two.py": (
        "LIMIT = 3\n\n\ndef f(x: 'int', y):\n    from .three import g\n\n    return g(LIMIT)\n\n\ndef unused():\n   "
        " return 1\n"
    ),
    "part/three.py": (
        "import ndis_verify.four as four\n\n\nclass G:\n    depth = four.deep.value\n\n\ndef g(x):\n    return G\n"
    ),
    "part/lazy.py": "def late():\n    return 5\n",
    "part/six.py": "def seven():\n    return 7\n\n\nregister = print\nregister('always')\n",
    "four/__init__.py": "",
    "four/deep.py": "import numpy\nfrom ndis_verify.apart import nothing\nvalue = numpy.pi\n",
    "apart.py": "import ndis_verify.one\nnothing = 0\n",
}
ROOTS = frozenset({"ndis_verify.one"})


@pytest.fixture
def write(tmp_path):
    """A small package, with some of its files changed; a new place each time, since what was read is remembered."""

    def written(**changes):
        root = tmp_path / str(len(list(tmp_path.iterdir()))) / "ndis_verify"
        for name, text in (FILES | {name.replace("__", "/") + ".py": text for name, text in changes.items()}).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return root

    return written


def changed(name, old, new):
    """The text of one file with one piece replaced."""
    assert FILES[name].count(old) == 1
    return FILES[name].replace(old, new)


def test_names_are_followed_to_where_they_are_defined(write):
    root = write()
    names = {f"{path.relative_to(root).as_posix()} {name}" for path, name in definitions(ROOTS, root)}
    assert names == {
        "one.py *",
        "one.py TOP",
        "part/two.py f",
        "part/two.py LIMIT",
        "part/three.py g",
        "part/three.py G",
        "part/lazy.py late",
        "part/six.py seven",
        "part/six.py register",
        "four/deep.py value",
    }
    assert root / "apart.py" not in closure(ROOTS, root)


_USED = [
    ("part__two", "LIMIT = 3", "LIMIT = 4"),
    ("part__two", "g(LIMIT)", "g(-LIMIT)"),
    ("part__two", "from .three import g", "from ndis_verify.apart import nothing as g"),
    ("part__three", "four.deep.value", "-four.deep.value"),
    ("part__lazy", "return 5", "return 6"),
    ("part__six", "'always'", "'never'"),
    ("four__deep", "numpy.pi", "numpy.e"),
    ("one", "part.late, seven", "seven, part.late"),
]
_IDLE = [  # words, layout, what is not used
    ("part__two", "return 1", "return 2"),
    ("part__two", "LIMIT = 3", "LIMIT  =  3  # a limit"),
    ("part__two", "x: 'int'", "x: 'float'"),
    ("part__two", "    return g", "    'Words.'\n    return g"),
    ("apart", "nothing = 0", "nothing = 1"),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "seen"), [(*change, True) for change in _USED] + [(*change, False) for change in _IDLE]
)
def test_a_change_is_seen_where_it_is_of_what_is_used(write, file, old, new, seen):
    text = changed(file.replace("__", "/") + ".py", old, new)
    assert (source_hash(ROOTS, write(**{file: text})) != source_hash(ROOTS, write())) == seen


def test_a_file_that_moves_changes_nothing(write):
    root = write(part__seven=FILES["part/six.py"])
    (root / "part" / "__init__.py").write_text(changed("part/__init__.py", "part.six", "part.seven"))
    (root / "part" / "six.py").unlink()
    assert source_hash(ROOTS, root) == source_hash(ROOTS, write())


def test_two_names_exchanged_are_a_change(write):
    """The same definitions, bound the other way round."""
    text = "def late():\n    return 7\n\n\ndef seven():\n    return 5\n"
    both = changed(
        "one.py",
        "from ndis_verify.part import two, seven",
        "from ndis_verify.part import two, seven\nfrom ndis_verify.part import lazy",
    )
    one = write(one=both.replace("part.late", "lazy.seven"), part__lazy=text)
    other = write(one=both.replace("part.late, seven", "seven, lazy.seven"), part__lazy=text)
    assert source_hash(ROOTS, one) != source_hash(ROOTS, other)


@pytest.fixture(scope="module")
def kept():
    """Modules of every check of the ledger whose evidence is kept, by its name."""
    runs = [check.run for claim in all_claims() for check in claim.checks if hasattr(check.run, "stored_check")]
    return {check.name: frozenset(check.modules) for check in (run.stored_check() for run in runs) if check is not None}


def test_certificates_rest_on_few_files(kept):
    assert statistics.median(len(closure(modules)) for modules in kept.values()) <= 40


def test_a_search_that_found_nothing_rests_on_no_ball_arithmetic(kept):
    """It raised no suspicion, so that nothing was put to an exact engine: only float64 columns speak in it."""
    names = [name for name in kept if name.endswith("-the-statement-over-its-own-domain")]
    of = {name: [path.relative_to(PACKAGE).as_posix() for path in closure(kept[name])] for name in names}
    assert len(names) > 50
    assert all("court/statement_floats.py" in files for files in of.values())
    assert not [name for name, files in of.items() if any("certified" in f or "ball" in f for f in files)]


def test_what_puts_a_check_together_counts_for_nothing(write):
    """All that it hands over is among the parameters of what is kept."""
    one = changed(
        "one.py",
        "from ndis_verify import part\n",
        "from ndis_verify import part\nfrom ndis_verify.court.attack_checks import made\n",
    )
    one = one.replace("part.late, seven", "part.late, seven, made")
    first, second = (
        source_hash(ROOTS, write(one=one, court__attack_checks=f"def made():\n    return {k}\n")) for k in (1, 2)
    )
    assert first == second != source_hash(ROOTS, write())


@pytest.mark.parametrize(
    "file", ["oracle/certified/engine/tail.py", "oracle/joint_shift.py", "fast/covariance_shift.py"]
)
def test_an_edit_of_an_engine_expires_only_what_uses_it(kept, tmp_path, file):
    """One more statement in a function of the file, and the certificates of four checks, two of which use it."""
    of = {name: {own for path, own in definitions(modules) if path == PACKAGE / file} for name, modules in kept.items()}
    function = min(
        own for names in of.values() for own in names if f"def {own}(" in (PACKAGE / file).read_text(encoding="utf-8")
    )
    uses = {name for name, names in of.items() if function in names}
    assert uses and len(uses) < len(kept) / 2
    root = tmp_path / "ndis_verify"
    shutil.copytree(PACKAGE, root, ignore=shutil.ignore_patterns("*.json", "__pycache__"))
    (root / file).write_text(edited((root / file).read_text(encoding="utf-8"), function), encoding="utf-8")
    smallest = sorted(kept, key=lambda name: len(closure(kept[name])))
    sample = [name for name in smallest if name in uses][:2] + [name for name in smallest if name not in uses][:2]
    assert [source_hash(kept[name], root) != source_hash(kept[name]) for name in sample] == [
        name in uses for name in sample
    ]


def edited(text, function):
    """The file with a statement more at the end of a function."""
    (found,) = (node for node in ast.parse(text).body if getattr(node, "name", "") == function)
    lines = text.splitlines(keepends=True)
    last = found.body[-1]
    lines.insert(last.lineno - 1, " " * last.col_offset + "0 + 0\n")
    return "".join(lines)


def test_what_a_proof_beside_a_check_says_is_no_part_of_it(write):
    """The module of the check counts whole, but a call of `proof` shows nothing that the check computes."""
    text = (
        "from ndis_verify.court.proof_checks import proof\nfrom ndis_verify import part\n"
        "from ndis_verify.part import seven, two\n\nCLAIMS = (proof('as derived', two.f), {}(part.late))\n"
    )
    beside = write(one=text.format("seven"), court__proof_checks="def proof(name, derive):\n    return derive\n")
    found = {f"{path.relative_to(beside).as_posix()} {name}" for path, name in definitions(ROOTS, beside)}
    assert "part/six.py seven" in found and "part/lazy.py late" in found
    assert "part/two.py f" not in found and "court/proof_checks.py proof" not in found
    used = write(one=text.format("two.f"), court__proof_checks="def proof(name, derive):\n    return derive\n")
    assert "part/two.py f" in {f"{path.relative_to(used).as_posix()} {name}" for path, name in definitions(ROOTS, used)}
