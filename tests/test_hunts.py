"""The hunt through every family of calibrations: a run in parts is the run in one, nothing is unsafe, what is planted
is found.
"""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from ndis_verify.exact_number import InputError
from ndis_verify.hunts import blocks as hunts
from ndis_verify.hunts.blocks import FAMILIES, Block, blocks, hunted, main, merged, run
from ndis_verify.hunts.hunt import hunt, rows_of
from ndis_verify.hunts.least_squares import exact_shares
from ndis_verify.mechanisms.least_squares import record_leverages
from ndis_verify.oracle.certified.engine.balls import exact_zero

TINY = ("random projection", "gaussian mechanism")


def without_time(records):
    return [replace(record, seconds=0.0) for record in records]


@pytest.mark.parametrize("name", FAMILIES)
def test_no_calibration_of_a_hunt_is_unsafe(name):
    record = hunted(Block(name, 3, 3, 2, 7))
    assert (record.points, record.certified, record.unsafe, record.undecided) == (3, 2, 0, 0)
    assert 0 < record.least_waste <= record.largest_waste <= min(FAMILIES[name].sharpness, 1)


@pytest.mark.parametrize(
    "name",
    [
        "propose-test-release",
        "least squares",
        "sketched least squares",
        "relative least squares, normal law",
        "declared sensitivities, exact bound",
    ],
)
def test_too_little_noise_is_found(name, monkeypatch):
    family = FAMILIES[name]
    monkeypatch.setitem(FAMILIES, name, replace(family, calibrate=lambda columns: 0.9 * family.calibrate(columns)))
    assert hunted(Block(name, 0, 2, 2, 8)).unsafe >= 1


def test_blocks_hold_every_target_once():
    todo = blocks(list(FAMILIES), 100_000, None, 0)
    assert len(set(todo)) == len(todo) and sum(block.points for block in todo) == 100_000
    assert all(0 < block.points <= FAMILIES[block.family].block and block.certified <= block.points for block in todo)
    assert {block.family for block in todo[: len(FAMILIES)]} == set(FAMILIES)
    assert sum(block.certified for block in blocks(list(TINY), 5000, 100, 0)) == pytest.approx(100, abs=2)
    assert {block.points for block in blocks(list(FAMILIES), 1, None, 0)} == {1}


def test_a_run_in_parts_is_the_run_in_one(tmp_path):
    todo = blocks(list(TINY), 4000, 30, 5)
    whole = run(todo, tmp_path / "whole.jsonl", 1)
    part = tmp_path / "part.jsonl"
    run(todo[:2], part, 1)
    part.write_text(part.read_text() + '{"block": ["random projec')  # the line that was being written
    seen = []
    assert without_time(run(todo, part, 1, lambda done, count, key: seen.append(done))) == without_time(whole)
    assert seen[0] == 2 and seen[-1] == len(todo) and sum(record.points for record in whole) == 4000


def test_an_interrupted_command_writes_what_it_has(tmp_path, monkeypatch):
    file, table, started = tmp_path / "hunt.jsonl", tmp_path / "table.md", []

    def interrupted(block):
        started.append(block)
        if len(started) > 2:
            raise KeyboardInterrupt
        return hunted(block)

    monkeypatch.setattr(hunts, "hunted", interrupted)
    assert (
        main(
            [
                "--points",
                "4000",
                "--certified",
                "9",
                "--family",
                TINY[1],
                "--output",
                str(file),
                "--markdown",
                str(table),
            ]
        )
        == 130
    )
    assert (
        "stopped after 2 of its 4 blocks" in table.read_text() and "| gaussian mechanism | 2000 |" in table.read_text()
    )


def test_a_file_of_another_version_is_not_taken_up(tmp_path):
    file = tmp_path / "hunt.jsonl"
    file.write_text(json.dumps({"journal": 1, "run": "another"}) + "\n")
    with pytest.raises(InputError, match="another version or another run"):
        run(blocks([TINY[1]], 10, 1, 0), file, 1)


def test_two_jobs_find_the_same_and_the_table_says_so(tmp_path, capsys):
    todo = blocks([TINY[1]], 2000, 20, 1)
    assert without_time(run(todo, tmp_path / "two.jsonl", 2)) == without_time(run(todo, tmp_path / "one.jsonl", 1))
    table = tmp_path / "table.md"
    assert (
        main(["--points", "50", "--family", TINY[1], "--output", str(tmp_path / "c.jsonl"), "--markdown", str(table)])
        == 0
    )
    text = table.read_text()
    assert (
        "| gaussian mechanism | 50 | 0 | 50 | 0 | 0 |" in text and '--points 50 --family "gaussian mechanism"`' in text
    )
    assert "50 targets, 0 without noise, 50 certified, 0 above the target" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--family", "none"], ["--points", "0"], ["--jobs", "0"], ["--certified", "-1"]])
def test_bad_options_are_named(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    error = capsys.readouterr().err
    assert "no family" in error or "must be at least" in error


def test_targets_that_need_no_noise_are_counted_and_are_no_waste():
    family = FAMILIES[TINY[1]]
    free = replace(
        family,
        calibrate=lambda columns: np.where(columns["epsilon"] > 1e-3, 0.0, family.calibrate(columns)),
        achieved=lambda columns, std: np.where(std == 0, 0.0, family.achieved(columns, np.maximum(std, 1e-300))),
        certify=lambda point, digits: family.certify(point, digits) if point["noise"] else exact_zero(),
    )
    record = hunt(free, 30, seed=4)
    assert 0 < record.free < 30 and record.largest_waste <= record.largest_waste_float64 * 1.1 <= 1e-11
    assert merged([record, record], 0).free == 2 * record.free


def test_merged_blocks_keep_the_extremes():
    first, second = (hunted(Block(TINY[1], k, 20, 5, 2)) for k in (0, 1))
    both = merged([first, second], 2)
    assert (both.points, both.certified) == (40, 10)
    assert both.least_waste == min(first.least_waste, second.least_waste)
    assert both.worst == min((first, second), key=lambda record: record.least_waste).worst


def test_exact_shares_are_those_of_the_factorisation():
    data = np.trunc(np.random.default_rng(3).standard_normal((6, 3)) * 64) / 64
    out, come = exact_shares(data, Fraction(1, 3))
    for pairs, found in ((out, record_leverages(data, 1 / 3)), (come, record_leverages(data, 1 / 3, data))):
        assert np.array([[float(x) for x in pair] for pair in pairs]).T == pytest.approx(np.array(found), rel=1e-11)


def test_rows_are_those_of_the_columns():
    assert rows_of({"a": np.array([1.0, 2.0]), "b": np.array([3.0, 4.0])}) == [
        {"a": 1.0, "b": 3.0},
        {"a": 2.0, "b": 4.0},
    ]
