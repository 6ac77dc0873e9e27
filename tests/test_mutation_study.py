"""The study of planted bugs: what it plants, which tests it asks, and that it tells a caught bug from a survivor."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
mutants = pytest.importorskip("tools.mutation_study.mutants")
covering = pytest.importorskip("tools.mutation_study.covering")
study = pytest.importorskip("tools.mutation_study.__main__")
pages = pytest.importorskip("tools.mutation_study.page")

SOURCE = '''"""Words."""
from math import ceil, inf, nextafter

ENGINE_ERROR = 1e-11


def upper(x: float, low: float = 1.0) -> float:
    """Words."""
    if x < low and not x == 3:
        raise ValueError(f"{x} < {low - 1}")
    return nextafter(x * (1 + ENGINE_ERROR), inf) + ceil(-x)


def twice(x: float) -> float:
    return nextafter(x * (1 + ENGINE_ERROR), inf) + ceil(-x)


def gap() -> range:
    return range(1, 1)
'''


def test_every_kind_of_bug_is_planted_once_and_is_a_program(tmp_path):
    path = tmp_path / "ndis_verify" / "fast" / "one.py"
    path.parent.mkdir(parents=True)
    path.write_text(SOURCE)
    found = list(mutants.mutants(path, tmp_path))
    assert len({one.key for one in found}) == len(found)
    assert "arguments swapped" in {one.kind for one in found} and not any(one.before == "1, 1" for one in found)
    for one in found:
        text = one.planted(SOURCE.encode()).decode()
        assert text != SOURCE and mutants.compiles(text.encode()) and "Words" not in one.before
    safety = {(one.kind, one.before) for one in found if one.category == mutants.SAFETY}
    assert ("operator", "1 + ENGINE_ERROR") in safety and ("rounding direction", "ceil") in safety
    assert {kind for kind, _ in safety} == {"operator", "rounding direction", "rounding dropped"}
    kinds = {one.kind for one in found}
    assert {"boundary", "comparison", "and, or", "negation dropped", "condition negated", "sign"} <= kinds
    assert not any("low - 1" in one.before for one in found)  # messages are no behaviour


def test_the_tests_that_run_a_line_are_found_the_quickest_first():
    lines = {"f.py": {"3": ["slow", "quick"], "9": ["other"]}}
    reach = covering.Reach(lines, {"slow": 2.0, "quick": 0.1, "other": 1.0})
    # a statement over lines 3 to 5
    assert reach.tests("f.py", 3) == reach.tests("f.py", 5) == ["quick", "slow", "other"]
    assert reach.tests("f.py", 1) == ["quick", "other", "slow"]  # run at import only
    assert reach.tests("g.py", 1) == []
    assert covering.node("test_x.TestA.test_y") == "tests/test_x.py::TestA::test_y"


ALONE = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # the small package bears the name of one with a plugin
TREE = {
    "ndis_verify/__init__.py": "",
    "ndis_verify/part.py": "def third(x):\n    return x / 3\n\n\ndef twice(x):\n    return 2 * x\n",
    "tests/test_part.py": (
        "from ndis_verify.part import third, twice\n\n\n"
        "def test_third():\n    assert third(6) == 2\n\n\ndef test_twice():\n    assert twice(1) == 2\n"
    ),
}


def test_a_bug_is_caught_by_the_test_that_sees_it_and_survives_one_that_does_not(tmp_path):
    pytest.importorskip("coverage")
    for name, text in TREE.items():
        (tmp_path / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / name).write_text(text)
    program = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tools.mutation_study import __main__ as study, covering, mutants
root = Path({str(tmp_path)!r}) / "root"
reach = covering.survey(root, Path({str(tmp_path)!r}), Path({str(tmp_path)!r}) / "reach.json")
trials = study.Study(root, Path({str(tmp_path)!r}) / "tree", reach)
for mutant in mutants.mutants(root / "ndis_verify" / "part.py", root):
    if mutant.kind == "operator":
        print(mutant.context, "|", trials.trial(mutant)["outcome"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200, env=ALONE)
    assert "return x / 3 | caught" in done.stdout and "return 2 * x | survived" in done.stdout, done.stderr


def test_the_page_speaks_of_the_bugs_that_can_be_planted_now():
    """Of few lines that are gone; few bugs in margins and rounding directions are untried, and none survives."""
    kept, found = study.kept(), study.enumerated(ROOT)
    gone, untried = pages.drift(kept.values(), found)
    assert len(gone) <= pages.ROOM, "python -m tools.mutation_study --page, and trials of what came instead"
    assert len(untried) <= pages.ROOM, "python -m tools.mutation_study --category safety --tests ..."
    argued = pages.equivalents()
    assert all(pages.caught(line) or key in argued for key, line in kept.items())
    assert argued.keys() <= kept.keys() and sum(one.key in kept for one in found) + len(gone) == len(kept)
    assert pages.PAGE.read_text(encoding="utf-8") == pages.page(list(kept.values()), argued)


def test_what_caught_a_bug_is_a_test_that_is_there():
    """A run that found no test to run would look like a failure, and like a caught bug."""
    there = {
        f"tests/{path.name}": set(re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8")))
        for path in (ROOT / "tests").glob("test_*.py")
    }
    named = [line["by"].partition("[")[0].split("::") for line in study.kept().values() if pages.caught(line)]
    gone = [name for name in named if name[0] not in there or (name[1:] and name[-1] not in there[name[0]])]
    assert len(gone) <= pages.ROOM and [""] not in named, gone


def test_a_page_that_is_of_other_sources_is_seen():
    found = study.enumerated(ROOT, ["enclosure.py", "audit/limits.py"])
    safety = [one for one in found if one.category == mutants.SAFETY]
    lines = [{"key": one.key} for one in safety[1:]] + [{"key": "of a line that is gone"}]
    assert safety and pages.drift(lines, found) == ({"of a line that is gone"}, {safety[0].key})
