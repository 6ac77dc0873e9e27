"""Propose-test-release on real records: how often the tested ridge is below the untested one, and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.experiments.projection_utility import records_of
from ndis_verify.experiments.records import require_size, source_names
from ndis_verify.experiments.table import Table
from ndis_verify.mechanisms.projection_wrappers import least_eigenvalue, planned_split, propose_test_release
from ndis_verify.mechanisms.random_projection import random_projection

_TARGETS = ((1.0, 1e-6), (10.0, 1e-5))
_SHARES = (0.5, 0.9, 1.0, 1.1, 2.0)
_R = 100
_DEVIATIONS = 5  # by which a frequency may miss its probability: 6e-7 for each row


def _cells(size: str, data: Table | None) -> list[dict[str, Any]]:
    runs = 2_000 if size == "quick" else 1_000_000
    return [
        {"data": name, "epsilon": epsilon, "delta": delta, "runs": runs}
        for name in source_names(data)
        for epsilon, delta in _TARGETS
    ]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Table | None) -> list[Row]:
    """The records as often as it takes for lambda_min to be a share of where the test breaks even, and readings of that
    eigenvalue.
    """
    matrix, bound = records_of(cell["data"], data)
    target: dict[str, Any] = {"epsilon": cell["epsilon"], "delta": cell["delta"], "norm_bound": bound}
    untested, split = random_projection(_R, **target).ridge, planned_split(_R, **target)
    test: dict[str, Any] = {"std": split.std, "delta_test": split.delta_test, "delta_failure": split.delta_failure}
    mechanism = propose_test_release(_R, **target, **test)
    full, quantile = mechanism.calibration.noise["full_ridge"], mechanism.calibration.noise["quantile"]
    single, rows = least_eigenvalue(matrix), []
    for share in _SHARES:
        copies = max(1, math.ceil(share * split.break_even / single)) if single > 0 else 1
        eigenvalue = copies * single
        tested = mechanism.ridge_at(eigenvalue + split.std * rng.standard_normal(cell["runs"]))
        rows.append(
            {
                "data": cell["data"],
                "epsilon": cell["epsilon"],
                "delta": cell["delta"],
                "copies": copies,
                "runs": cell["runs"],
                "eigenvalue_over_l2": eigenvalue / bound**2,
                "break_even_over_l2": split.break_even / bound**2,
                "untested_over_l2": untested / bound**2,
                "tested_over_l2": float(np.median(tested)) / bound**2,
                "smaller": float(np.mean(tested < untested)),
                "probability": float(ndtr((eigenvalue - (full - untested)) / split.std - quantile)),
            }
        )
    return rows


def _missed(row: Row) -> float:
    """By how many standard deviations the frequency misses the probability; one observation more or less is at most one
    of them.
    """
    spread = math.sqrt(row["probability"] * (1 - row["probability"]) / row["runs"])
    return abs(row["smaller"] - row["probability"]) / max(spread, 1 / row["runs"])


def _findings(rows: Sequence[Row]) -> list[Finding]:
    past = [row for row in rows if row["eigenvalue_over_l2"] > row["break_even_over_l2"]]
    short = [row for row in rows if row["eigenvalue_over_l2"] < 0.95 * row["break_even_over_l2"]]
    return [
        Finding(
            "the frequency of a smaller ridge is that of N26-P5",
            max(map(_missed, rows)) <= _DEVIATIONS,
            {"deviations": max(map(_missed, rows))},
        ),
        Finding(
            "past the break-even eigenvalue a smaller ridge is likelier than not",
            bool(past) and all(row["probability"] > 0.5 for row in past),
            {"least": min((row["probability"] for row in past), default=None)},
        ),
        Finding(
            "next to it that is not certain",
            any(row["smaller"] < 1 for row in past),
            {"least": min((row["smaller"] for row in past), default=None)},
        ),
        Finding("short of it a larger ridge is likelier than not", all(row["probability"] < 0.5 for row in short)),
        Finding(
            "the records themselves, once each, do not reach it",
            all(row["copies"] > 1 for row in past),
            {"copies at least": min((row["copies"] for row in past), default=None)},
        ),
    ]


def _draw(rows: Sequence[Row], figure: Any) -> None:
    axes = figure.subplots()
    for name, epsilon in dict.fromkeys((row["data"], row["epsilon"]) for row in rows):
        own = sorted(
            (row["eigenvalue_over_l2"], row["tested_over_l2"], row["untested_over_l2"])
            for row in rows
            if (row["data"], row["epsilon"]) == (name, epsilon)
        )
        places, tested, untested = zip(*own)
        line = axes.plot(places, tested, "o-", label=f"{name}, epsilon = {epsilon:g}, tested")[0]
        axes.plot(places, untested, "--", color=line.get_color())
    axes.set_xscale("log")
    axes.set_xlabel(r"least eigenvalue over $l^2$ (no unit)")
    axes.set_ylabel(r"ridge over $l^2$, dashed without a test (no unit)")
    axes.legend(fontsize=6)


EXPERIMENTS = (
    Experiment(
        "n26-p5",
        "Propose-test-release: when the tested ridge is below the untested one",
        ("N26-P5", "N26-T5.4", "N26-T5.4-smaller-ridge"),
        "r = 100; every column over its largest size, the target as last column; the largest norm counts as the public"
        " bound l. The records are taken so often that the least eigenvalue is a share of the one at which the test"
        " breaks even; the split is that of `planned_split`.",
        _cells,
        _measure,
        _findings,
        _draw,
        data="records",
        requires=lambda table: require_size(table, 1, 2, "the last column, or the target, counts as one of them"),
    ),
)
