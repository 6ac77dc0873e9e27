"""The study of planted bugs: what it plants, which tests it asks, and that it tells a caught bug from a survivor."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
mutants = pytest.importorskip("tools.mutation_study.mutants")
covering = pytest.importorskip("tools.mutation_study.covering")

SOURCE = '''"""Words."""
from math import ceil, inf, nextafter

ENGINE_ERROR = 1e-11


def upper(x: float, low: float = 1.0) -> float:
    """Words."""
    if x < low and not x == 3:
        raise ValueError(f"{x} < {low - 1}")
    return nextafter(x * (1 + ENGINE_ERROR), inf) + ceil(-x)
'''


def test_every_kind_of_bug_is_planted_once_and_is_a_program(tmp_path):
    path = tmp_path / "ndis_verify" / "fast" / "one.py"
    path.parent.mkdir(parents=True)
    path.write_text(SOURCE)
    found = list(mutants.mutants(path, tmp_path))
    assert len({one.key for one in found}) == len(found)
    for one in found:
        text = one.planted(SOURCE.encode()).decode()
        assert text != SOURCE and mutants.compiles(text.encode()) and "Words" not in one.before
    safety = {(one.kind, one.before) for one in found if one.category == mutants.SAFETY}
    assert ("operator", "1 + ENGINE_ERROR") in safety and ("rounding direction", "ceil") in safety
    assert {kind for kind, _ in safety} == {"operator", "rounding direction", "rounding dropped"}
    kinds = {one.kind for one in found}
    assert {"boundary", "comparison", "and, or", "negation dropped", "condition negated", "sign"} <= kinds
    assert not any("low - 1" in one.before for one in found)  # messages are no behaviour


def test_the_tests_of_a_module_are_found_the_most_specific_first():
    tree = covering.Tree(ROOT)
    assert tree.candidates("ndis_verify/audit/limits.py")[0].name == "test_audit_limits.py"
    assert "test_one_sided.py" in {test.name for test in tree.candidates("ndis_verify/fast/random_projection.py")}
