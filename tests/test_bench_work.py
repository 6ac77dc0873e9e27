"""The page of everyday work: every line is timed by both paths of the engine, which agree."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from ndis_verify.bench import peers, run, work
from ndis_verify.fast.engine import kernels

PAGE = Path(__file__).parents[1] / "docs/speed.md"


@pytest.fixture(scope="module")
def small():
    return list(work.works(0.002))


def test_every_work_is_done_by_both_paths_alike(small, monkeypatch):
    monkeypatch.setattr(work, "_ROUNDS", 1)
    warnings.simplefilter("ignore")  # those of integrals by others
    for one in small:
        if "scipy" not in str(one.others) and "dense" not in one.name:
            continue  # the rest takes longer; its quantities have tests of their own
        least, apart = work.timed(one)
        assert set(one.others) < set(least) and ("compiled" in least) == (kernels.compiled_kernel() is not None)
        assert all(seconds >= 0 for seconds in least.values()) and apart < 1e-11


def test_certified_values_are_timed_with_the_processes_that_they_take():
    *values, (_, on_the_command_line) = work.certified_works(0.02)
    for name, call in values:
        assert call().justified_digits() >= int(re.search(r"(\d+) digits", name)[1])
    assert work._seconds(on_the_command_line, 0.0) > 0.02  # an interpreter has begun and ended


def test_only_those_are_timed_that_compute_the_same(monkeypatch):
    """A library for equal covariances took another law, in less time."""
    laws = work.problems.random_spectrum(np.random.default_rng(3), 2)
    other = peers.Method("others' law", lambda problem, epsilons: epsilons, declines=lambda problem: "equal ones only")
    same = peers.Method("this law", lambda problem, epsilons: epsilons)
    assert list(work._values("work", laws, np.array([1.0]), [other, same]).others) == ["this law"]
    monkeypatch.setattr(peers, "_load", lambda module: (None, ""))
    assert peers.dp_accounting_method().declines(laws)


def test_the_kernel_is_left_alone_inside_only():
    with pytest.raises(ZeroDivisionError), kernels.by_arrays_alone():
        assert kernels._alone
        1 / 0
    assert not kernels._alone


def test_the_page_has_the_lines_of_the_code(small):
    first, second = PAGE.read_text().split(work._CERTIFIED)
    lines = [name for text in (first, second) for name in re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)][1:]

    def plain(name):
        return re.sub(r"[\d,]+", "", name)

    names = [*(one.name for one in small), *(name for name, _ in work.certified_works(0.02))]
    assert list(map(plain, lines)) == list(map(plain, names))
    assert PAGE.read_text().startswith(work._HEAD)


def test_the_flag_prints_the_page(monkeypatch, capsys):
    import argparse

    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    monkeypatch.setattr(work, "page", lambda: "the page")
    assert run.main(parser.parse_args(["--work"])) == 0 and capsys.readouterr().out == "the page"
