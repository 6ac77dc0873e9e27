"""Bugs planted in a copy of the float64 engine are caught by the reference tables."""

import pytest

from ndis_verify.reference.conformance.mutants import MUTANTS
from ndis_verify.reference.conformance.mutation_study import PACKAGE, caught, healthy, planted
from ndis_verify.reference.conformance.selection import table_rows
from ndis_verify.reference.loader import FOLDER

CORE = table_rows(FOLDER, core=True)


def test_every_bug_can_still_be_planted():
    assert len(MUTANTS) >= 40 and len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    for mutant in MUTANTS:
        for file, old, new in mutant.edits:
            assert (PACKAGE / "fast" / file).read_text(encoding="utf-8").count(old) == 1, mutant.name
            assert old != new


def test_a_bug_whose_text_is_gone_is_reported(tmp_path):
    stale = type(MUTANTS[0])("stale", (("mean_shift.py", "no such text", "x"),))
    with pytest.raises(ValueError, match="stale"):
        planted(stale, tmp_path)


@pytest.mark.parametrize(
    "name",
    ["deletion and insertion exchanged", "determinant in single precision", "noncentrality not scaled by the weight"],
)
def test_the_core_catches(name):
    (mutant,) = (mutant for mutant in MUTANTS if mutant.name == name)
    rows = healthy([row for row in CORE if row[0] in ("rp_hockey_stick", "hockey_stick", "generalized_chi2_cdf")])
    assert len(rows) > 60
    moved = caught(mutant, rows)
    assert moved and any(judgement.outcome == "unsafe" for judgement in moved)


def test_a_bisection_that_runs_into_nan_is_caught_as_unsafe():
    (mutant,) = (mutant for mutant in MUTANTS if "overflows to NaN" in mutant.name)
    rows = healthy([row for row in CORE if row[0] in ("rp_leverage", "rp_ridge")])
    moved = caught(mutant, rows)
    assert any(judgement.outcome == "unsafe" for judgement in moved)
