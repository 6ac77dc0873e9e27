"""The page of growth: its fit, its words, and that it has the rows that are measured."""

import time
from pathlib import Path

import numpy as np
import pytest

growth = pytest.importorskip("tools.growth")


@pytest.mark.parametrize("slope", [0.0, 0.5, 1.0, 3.0])
def test_the_exponent_is_that_of_the_largest_sizes(slope):
    rows = [(1, 7.0), *((10**k, 2e-3 * 10 ** (slope * k)) for k in range(2, 5))]
    assert growth.exponent(rows) == pytest.approx(slope, abs=1e-9)


def test_a_row_says_what_was_measured_and_what_follows():
    row = growth.Growth("things", (10, 100, 1000), lambda size: lambda: None)
    (line,) = growth.lines(row, [(10, 0.01, 1.0), (100, 0.1, 2.0), (1000, 1.0, 25.0)])
    assert line == "| things | 10: 10 ms, 1 MiB; 100: 100 ms, 2 MiB; 1,000: 1 s, 25 MiB | 1.00 | 1e+03 s |"


def test_costs_are_of_the_call_and_its_memory_is_seen():
    def prepared(size):
        time.sleep(0.01)  # no cost of the call, and no processor time
        return lambda: np.ones(size).sum()

    (small, _, little), (large, _, much) = growth.measured(growth.Growth("ones", (2**17, 2**20), prepared))
    assert (
        (small, large) == (2**17, 2**20) and little == pytest.approx(1, abs=0.1) and much == pytest.approx(8, abs=0.1)
    )


@pytest.mark.parametrize("number", range(1, 9))
def test_what_is_timed_runs_at_small_sizes(number, tmp_path):
    row = list(growth.growths(tmp_path))[number]
    row.prepared(20)()


def test_the_page_has_the_rows_that_are_measured(tmp_path):
    table = growth.PAGE.read_text(encoding="utf-8").splitlines()
    names = [line.split(" | ")[0].removeprefix("| ") for line in table if line.startswith("| ")][1:]
    assert names == [row.name for row in growth.growths(Path(tmp_path))]
