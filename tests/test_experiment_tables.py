"""The tables and curves of the experiments with private projection and least squares: their measures, estimates and
findings.
"""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from ndis_verify.datasets import MORE_NAMES, load_dataset
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import Table, find, read_table, run
from ndis_verify.experiments.black_box_curves import combinations, estimated_curve, sketched_solutions
from ndis_verify.experiments.private_regression import local_sensitivity
from ndis_verify.experiments.projection_utility import FEW, distance_ratio, measures, shortened
from ndis_verify.experiments.records import FLIGHT, SONG, synthetic, table_of
from ndis_verify.fast.random_projection import rp_hockey_stick
from ndis_verify.mechanisms.random_projection import projected

DATA = np.random.default_rng(0).standard_normal((30, 4)) @ np.diag([1.0, 2.0, 0.5, 1.0]) + 0.5


def test_distances_follow_their_expectation():
    rng = np.random.default_rng(1)
    for ridge, r in ((0.0, 3), (25.0, 8)):
        found = np.array([measures(DATA, projected(DATA, ridge, r, rng, 1.0)) for _ in range(3000)])
        spread = found[:, 0].std() / math.sqrt(len(found))
        assert abs(found[:, 0].mean() - distance_ratio(DATA, ridge, r)) < 5.5 * spread  # false alarm 4e-8
        assert (np.abs(found[:, 1]) <= 1).all()
    assert measures(DATA, DATA.T * math.sqrt(30)) == pytest.approx((1.0, 1.0))


def test_local_sensitivity_is_that_of_every_neighbour():
    def solution(matrix):
        return np.linalg.lstsq(matrix[:, :-1], matrix[:, -1], rcond=None)[0]

    others = [np.delete(DATA, i, axis=0) for i in range(30)] + [np.vstack([DATA, DATA[i]]) for i in range(30)]
    moved = max(np.linalg.norm(solution(other) - solution(DATA)) for other in others)
    assert local_sensitivity(DATA) == pytest.approx(moved, rel=1e-9)


def test_sketches_through_the_triangle_have_the_law_of_the_sketch():
    rng = np.random.default_rng(2)
    quick = sketched_solutions(DATA, 6, 4000, rng)
    slow = np.array(
        [
            np.linalg.lstsq(*np.split(rng.standard_normal((6, 30)) @ DATA, [3], axis=1), rcond=None)[0][:, 0]
            for _ in range(4000)
        ]
    )
    for j in range(3):
        both = np.sort(np.concatenate([quick[:, j], slow[:, j]]))
        gap = (
            np.abs(
                np.searchsorted(np.sort(quick[:, j]), both, "right")
                - np.searchsorted(np.sort(slow[:, j]), both, "right")
            ).max()
            / 4000
        )
        assert gap < math.sqrt(math.log(2 * 3 / 1e-6) / 4000)  # two samples, DKW-type limit


def test_the_estimate_finds_a_known_divergence_and_no_more():
    rng = np.random.default_rng(3)
    wide, narrow = (combinations(np.diag([scale, 1.0]), 0.0, 20_000, rng) for scale in (2.0, 1.0))
    for row in estimated_curve(wide, narrow):
        assert row["lower"] <= float(rp_hockey_stick(0.75, 1, row["epsilon"])) <= row["upper"] + 0.02
    assert all(row["lower"] == 0 for row in estimated_curve(wide[:10_000], wide[10_000:]))


@pytest.mark.parametrize("name", ["n24-tab1", "n24-tab3", "n24-fig6", "n24-fig10"])
def test_findings_hold_on_a_users_table(name):
    table = Table("people", np.random.default_rng(4).uniform(-1, 2, (1500, 8)), None, ("",) * 8)
    experiment = find(name)
    rows = run(experiment, data=table)
    assert rows and all(row["data"] == "people" and row["n"] == 1500 for row in rows)
    assert all(finding.holds for finding in experiment.findings(rows)) and json.dumps(rows, allow_nan=False)


def test_a_table_of_two_columns_has_no_correlation():
    with pytest.raises(InputError, match="flight, 2 columns: must have at least 3"):
        run(find("n24-tab1"), data=Table("flight", np.ones((5, 2)), None, ("", "")))


def test_findings_see_a_wrong_order():
    experiment = find("n24-fig10")
    rows = [dict(row) for row in run(experiment)]
    assert all(finding.holds for finding in experiment.findings(rows))
    rows[0]["insert"] = 1.0
    assert not all(finding.holds for finding in experiment.findings(rows))


def test_records_are_in_the_units_they_were_measured_in():
    ages = load_dataset("diabetes").records[:, 0]
    assert (ages == np.rint(ages)).all() and 18 <= ages.min() < ages.max() <= 100


def test_more_data_sets():
    for name, shape in zip(MORE_NAMES, ((20, 3), (1797, 61)), strict=True):
        loaded = load_dataset(name)
        assert loaded.records.shape == shape and loaded.target.shape == shape[:1] and loaded.records.any(axis=0).all()
    with pytest.raises(InputError, match="digits"):
        load_dataset("iris")


def _table(matrix, target=None, columns=("a", "b", "c")):
    matrix = np.asarray(matrix, dtype=float)
    return Table("people", matrix, target, columns[: matrix.shape[1]])


@pytest.mark.parametrize(
    ("name", "table", "message"),
    [
        ("n24-tab2", _table([[1, 2, 3]]), "people, 1 records: must have at least 2"),
        (
            "n24-tab2",
            _table(np.column_stack([DATA[:, 0], 2 * DATA[:, 0], DATA[:, 1]])),
            r"people, column 2 \(b\): must not be a combination",
        ),
        (
            "n24-tab4",
            _table(np.column_stack([np.zeros(30), DATA[:, :2]])),
            r"people, column 1 \(a\): must hold a number other than 0",
        ),
        (
            "n24-tab4",
            _table(np.vstack([DATA[:, :3] * [1, 0, 1], [[0, 1, 0]]])),
            "people, record 31: must not alone span a direction",
        ),
        ("n24-tab1", _table(np.zeros((5, 3))), "people: must hold a number other than 0"),
        ("n24-tab1", _table([[1, 2, 3]]), "people, 1 records"),
        ("projection-noise", _table(np.zeros((5, 3))), "number other than 0"),
        (
            "n24-fig5",
            _table(DATA[:, :2], DATA[:, 0] - DATA[:, 1]),
            "people, the target: must not be a combination of the other columns",
        ),
        (
            "n24-fig5",
            _table(np.column_stack([DATA[:, 0], DATA[:, 0]]), DATA[:, 1]),
            r"column 2 of those besides the target \(b\)",
        ),
        (
            "n24-fig5",
            _table(np.random.default_rng(0).standard_normal((60, 21)), np.ones(60), ()),
            "people, 22 columns: must have at most 21",
        ),
        ("mechanism-table", _table(DATA[:9, :2], DATA[:9, 2]), "people, 9 records: must have at least 10"),
        (
            "mechanism-table",
            _table(DATA[:, :2], np.full(30, 5.0)),
            "target = people, 5 throughout: must hold two different",
        ),
        ("mechanism-table", _table(DATA[:, :2], DATA[:, 0]), "the target: must not be a combination"),
        (
            "n24-fig9",
            _table(np.random.default_rng(0).standard_normal((90, 61)), None, ()),
            "people, 61 columns: must have at most 60",
        ),
        ("n24-fig6", _table(DATA[:2, :3]), "people, 2 records: must have at least 3"),
        ("n24-fig9", _table(np.column_stack([DATA[:, :2], DATA[:, :2].sum(axis=1)])), r"column 3 \(c\)"),
    ],
)
def test_records_that_cannot_be_measured_are_named(name, table, message):
    with pytest.raises(InputError, match=message):
        run(find(name), data=table)


def test_many_records_are_released_through_their_triangle():
    many = np.random.default_rng(5).standard_normal((FEW + 1, 3)) + 1
    short = shortened(many)
    assert short.shape == (3, 3) and shortened(many[1:]).shape == (FEW, 3)
    assert short.T @ short == pytest.approx(many.T @ many, rel=1e-12)
    assert distance_ratio(short, 7.0, 5) == pytest.approx(distance_ratio(many, 7.0, 5), rel=1e-12)


def test_synthetic_records_are_the_same_on_every_run_and_have_the_printed_sizes():
    flight, again = table_of(FLIGHT, None), synthetic.__wrapped__(FLIGHT, 327_346, 2)
    assert flight.records.shape == (327_346, 1) and np.array_equal(flight.target, again.target)
    assert {cell["data"] for cell in find("n24-tab2").cells("full", None)} >= {SONG, FLIGHT}
    assert all(
        "synthetic" not in cell["data"]
        for cell in find("n24-tab2").cells("quick", None) + find("n24-tab2").cells("full", replace(flight, name="mine"))
    )


def test_equal_columns_have_no_distance_to_keep():
    twice = np.column_stack([DATA[:, 0], DATA[:, 0] * (1 + 1e-15), DATA[:, 1]])
    assert (
        distance_ratio(twice, 1.0, 4) < 3
        and measures(twice, projected(twice, 1.0, 4, np.random.default_rng(0)))[0] < 10
    )


@pytest.mark.parametrize("target", ["0", "000000001999", "9" * 5000, "1" + "0" * 9, "\u0661", "\u00b2", "-1", "1.0"])
def test_a_target_of_digits_that_is_no_position(tmp_path, target):
    path = tmp_path / "data.csv"
    path.write_text("1,2\n3,4\n")
    with pytest.raises(InputError, match="a position from 1 to 2"):
        read_table(path, target)


@pytest.mark.parametrize("line", ["\u0661,2\n", "1,\uff12\n", "1,2\u00a0\n", "1,2\0\n"])
def test_digits_of_other_scripts_and_zero_bytes_are_no_numbers(tmp_path, line):
    path = tmp_path / "data.csv"
    path.write_text("1,2\n" + line, encoding="utf-8")
    with pytest.raises(InputError, match="line 2"):
        read_table(path)
