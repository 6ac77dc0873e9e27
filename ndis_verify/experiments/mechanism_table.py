"""Every mechanism on real records: printed noise against ours, the certified delta of each, the utility of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from ndis_verify.exact_number import InputError, to_mpf
from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.experiments.mechanism_sides import LEAST, MECHANISMS, Problem
from ndis_verify.experiments.mechanism_variants import MORE
from ndis_verify.experiments.records import BUNDLED, require_hidden, require_size, source_names
from ndis_verify.experiments.table import Table
from ndis_verify.tables import markdown_table

TARGETS = ((1.0, 1e-5), (5.0, 1e-5))
MORE_TARGETS, MORE_DATA = ((0.1, 1e-5), (1.0, 1e-9)), ("linnerud", "digits")  # of the full size
TIGHT = Fraction(999, 1000)  # of the target, reached by our noise wherever there is any
_SHOWN = 12
_ALL = MECHANISMS | MORE
_PROCESSES = ("Gaussian process", "Gaussian process, uncorrected")  # run on linnerud too, as in N26


def shown(value: Fraction) -> str:
    """An upper bound as a decimal of 12 digits, rounded up; far below the smallest float too, but not below 1e-9999."""
    if value <= 0:
        return "0"
    if value < LEAST:
        return "1e-9999"
    with mpmath.workdps(30):
        exponent = int(mpmath.floor(mpmath.log10(to_mpf(value))))
    scaled = value * Fraction(10) ** (_SHOWN - 1 - exponent)
    digits = -((-scaled.numerator) // scaled.denominator)
    return f"{digits}e{exponent - _SHOWN + 1}"


def _cells(size: str, data: Table | None) -> list[dict[str, Any]]:
    runs, full = (10, False) if size == "quick" else (200, True)
    targets, names = TARGETS + MORE_TARGETS * full, source_names(data, BUNDLED + MORE_DATA * full)
    return [
        {"mechanism": mechanism, "data": name, "epsilon": epsilon, "delta": delta, "runs": runs}
        for mechanism in _ALL
        for name in (*names, *(("linnerud",) if mechanism in _PROCESSES and data is None and not full else ()))
        for epsilon, delta in targets
    ]


def _required(table: Table) -> None:
    require_size(table, 10, 2, "a fifth of them is held out, and the target is regressed on the others")
    require_hidden(table)
    target = np.asarray(table.target)
    if np.ptp(target) == 0:
        raise InputError(
            "target",
            f"{table.name}, {target[0]:g} throughout",
            "must hold two different numbers: it is predicted",
        )


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Table | None) -> list[Row]:
    """Medians over releases, the same random numbers for both noise levels: what a noise that misses its target would
    leave is shown too.
    """
    sides = _ALL[cell["mechanism"]](Problem(cell["data"], cell["epsilon"], cell["delta"], data))
    seeds = rng.integers(1 << 60, size=cell["runs"])
    row = {key: cell[key] for key in ("mechanism", "data", "epsilon", "delta")}
    for side, name, noise in zip(("printed", "ours"), sides.names, sides.noise, strict=True):
        draw = sides.draws(noise)
        row[side] = name
        row[f"{side}_noise"] = noise
        row[f"{side}_delta"] = shown(sides.certify(noise))
        row[f"{side}_utility"] = float(np.median([draw(np.random.default_rng(seed)) for seed in seeds]))
    row["printed_unsafe"], row["ratio"] = sides.unsafe, sides.noise[0] / sides.noise[1] if sides.noise[1] > 0 else None
    return [{**row, "measure": sides.measure}]


def _label(row: Row) -> str:
    return f"{row['mechanism']}, {row['data']}, {row['epsilon']:g}, {row['delta']:g}"


def meets(row: Row, side: str) -> bool:
    return Fraction(row[f"{side}_delta"]) <= Fraction(str(row["delta"]))


def _findings(rows: Sequence[Row]) -> list[Finding]:
    noisy = [row for row in rows if row["ours_noise"] > 0]
    ratios = [row["ratio"] for row in noisy if meets(row, "printed")]
    exceeding = {_label(row): row["printed_delta"] for row in rows if not meets(row, "printed")}
    return [
        Finding("our certified delta is at most the target everywhere", all(meets(row, "ours") for row in rows)),
        Finding(
            "wherever our noise is not 0, it reaches 0.999 of the target",
            all(Fraction(row["ours_delta"]) >= TIGHT * Fraction(str(row["delta"])) for row in noisy),
        ),
        Finding(
            "our noise never exceeds a printed one that meets the target",
            all(row["ours_noise"] <= row["printed_noise"] for row in rows if meets(row, "printed")),
            {"least ratio": min(ratios), "most": max(ratios)},
        ),
        Finding(
            "a printed noise below ours misses the target",
            all(not meets(row, "printed") for row in rows if row["printed_noise"] < row["ours_noise"]),
            exceeding,
        ),
    ]


def _draw(rows: Sequence[Row], figure: Any) -> None:
    left, right = figure.subplots(1, 2)
    labels = [_label(row) for row in rows]
    for side, mark in (("printed", "o"), ("ours", "x")):
        at = [k for k, row in enumerate(rows) if row[f"{side}_noise"] > 0]
        left.semilogx([rows[k][f"{side}_noise"] for k in at], at, mark, label=side)
        right.semilogx([row[f"{side}_utility"] for row in rows], range(len(rows)), mark, label=side)
    left.set_yticks(range(len(rows)), labels, fontsize=3 if len(rows) <= 150 else 1)
    right.set_yticks([])
    left.set_xlabel("variance of the noise (squared units)")
    right.set_xlabel("utility, in each mechanism's own measure")
    left.legend(fontsize=6)


def markdown(rows: Sequence[Row]) -> str:
    """The table as Markdown; a noise that misses its target, or cannot be shown to meet it, is marked."""

    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:.4g}"

    def cost(text: str) -> str:
        with mpmath.workdps(15):
            return mpmath.nstr(mpmath.mpf(text), 5)

    def printed(row: Row) -> str:
        return cost(row["printed_delta"]) + (
            " **misses**" if not meets(row, "printed") else " unproved" if row["printed_unsafe"] else ""
        )

    head = (
        "mechanism",
        "data",
        "eps, delta",
        "printed noise",
        "our noise",
        "ratio",
        "delta printed",
        "delta ours",
        "utility printed",
        "utility ours",
        "measure",
    )
    return markdown_table(
        head,
        [
            (
                row["mechanism"],
                row["data"],
                f"{row['epsilon']:g}, {row['delta']:g}",
                f"{number(row['printed_noise'])} ({row['printed']})",
                f"{number(row['ours_noise'])} ({row['ours']})",
                number(row["ratio"]),
                printed(row),
                cost(row["ours_delta"]),
                number(row["printed_utility"]),
                number(row["ours_utility"]),
                row["measure"],
            )
            for row in rows
        ],
    )


EXPERIMENTS = (
    Experiment(
        "mechanism-table",
        "Mechanism, data, target: printed noise, ours, their ratio, certified delta and utility of each",
        ("PKG-mechanism-table",),
        "r = 100, sampling rate 1/2, relative to a database and its neighbours (its own records come in), penalty 3 and"
        " l = 1.5 (logistic regression), B = 1/2, s^2 = 250, l = 1 (Gaussian process, of at most 1,000 records); noise"
        " is a variance, ridges and the Gaussian mechanism's over l^2. Columns over their largest size, the largest"
        " norm as l; for the two learners standardised over sqrt d, as if that were public, and clipped to l for"
        " logistic regression. Medians over releases; where the printed noise misses its target, or has no proof, its"
        " utility is what it would leave, and the row says so. A test's ridge is that of the median reading, its delta"
        " the sum of three bounds (N26-T5.4); the uncorrected rows are judged by the exact worst pair.",
        _cells,
        _measure,
        _findings,
        _draw,
        data="records and target",
        table=markdown,
        requires=_required,
    ),
)
