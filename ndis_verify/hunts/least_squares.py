"""The families of hunts that release least squares: by the limit law, by a sketch, and relative to a set
of databases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from ndis_verify.enclosure import Enclosure
from ndis_verify.fast.least_squares.worst_case import als_worst_case
from ndis_verify.fast.least_squares.worst_record import als_exact_worst_case
from ndis_verify.hunts.hunt import Columns, Family, Point, log_uniform, rows_of, targets
from ndis_verify.mechanisms.least_squares import DIRECTIONS, Law, least_ridge
from ndis_verify.mechanisms.records import clip_norms
from ndis_verify.mechanisms.relative_least_squares import relative_least_squares, worst_in_set
from ndis_verify.mechanisms.relative_projection import Neighbourhood, neighbourhood
from ndis_verify.oracle.certified.engine.balls import of_fmpq
from ndis_verify.oracle.certified.least_squares.asymptotic_law import als_hockey_stick as certified_als_hockey_stick
from ndis_verify.oracle.certified.least_squares.finite_law import (
    als_exact_hockey_stick as certified_als_exact_hockey_stick,
)

FEATURES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100)
_ROUGH = 6  # digits for records that are not the worst
_OTHERS = 1  # random records that are certified beside the worst
_GRID = 2.0**-10  # of the entries of small databases
Record = tuple[Fraction, Fraction, str]  # p, q, direction
_SEARCH = {"normal": als_worst_case, "sketch": als_exact_worst_case}
_CERTIFIED = {"normal": certified_als_hockey_stick, "sketch": certified_als_exact_hockey_stick}


def _draw(most: float) -> Callable[[np.random.Generator, int], Columns]:
    """Targets, d from `FEATURES`, r from 1 (limit law) or d (sketch) up to `most`, norm bounds from 1e-3 to 1e3,
    log-uniform.
    """

    def draw(rng: np.random.Generator, count: int) -> Columns:
        d = rng.choice(FEATURES, count).astype(float)
        low = np.ones(count) if most > 1e5 else d
        r = np.floor(low * np.exp(rng.uniform(0, 1, count) * np.log((most + 1) / low)))
        return {**targets(rng, count), "d": d, "r": r, "norm_bound": log_uniform(rng, 1e-3, 1e3, count)}

    return draw


def _by_features(columns: Columns, function: Callable[..., np.ndarray], *names: str) -> np.ndarray:
    """function(d, columns named) for the rows of each d."""
    result = np.empty(columns["d"].shape)
    for d in np.unique(columns["d"]):
        rows = np.flatnonzero(columns["d"] == d)
        result[rows] = function(int(d), *(columns[name][rows] for name in names))
    return result


def _ridges(law: Law) -> Callable[[Columns], np.ndarray]:
    def calibrate(columns: Columns) -> np.ndarray:
        def ridge(d: int, length: np.ndarray, r: np.ndarray, epsilon: np.ndarray, delta: np.ndarray) -> np.ndarray:
            return least_ridge(length, d, r, epsilon=epsilon, delta=delta, law=law)

        return _by_features(columns, ridge, "norm_bound", "r", "epsilon", "delta")

    return calibrate


def _cap(length: Any, ridge: Any) -> Any:
    return length**2 / (length**2 + ridge)


def _reached(law: str) -> Callable[[Columns, np.ndarray], np.ndarray]:
    def achieved(columns: Columns, ridge: np.ndarray) -> np.ndarray:
        columns = {**columns, "cap": _cap(columns["norm_bound"], ridge)}
        return _by_features(
            columns, lambda d, cap, r, epsilon: _SEARCH[law](cap, d, r, epsilon).delta, "cap", "r", "epsilon"
        )

    return achieved


def _certify(law: str) -> Callable[[Point, int], Enclosure]:
    """The worst record beside the ridge by float64, and records at both ends and in between, in both directions."""

    def certify(point: Point, digits: int) -> Enclosure:
        d, r, epsilon, cap = (
            int(point["d"]),
            int(point["r"]),
            point["epsilon"],
            _cap(point["norm_bound"], point["noise"]),
        )
        found = _SEARCH[law](float(cap), d, r, float(epsilon))
        rng = np.random.default_rng(int(point["noise"].numerator % 2**32))
        shares = [Fraction(float(share)) for share in (0.0, 1.0, *rng.uniform(size=_OTHERS))]
        # a share of the cap's odds, which is as likely to lie next to p = cap as far from it
        odds = Fraction(1 / (1 + float(np.exp(rng.uniform(-9, 9)))))
        shares.append(odds / ((1 - cap) + cap * odds))
        worst = Fraction(float(found.leverage)) / Fraction(float(cap))
        records = [
            (min(worst, Fraction(1)) * cap, cap, str(found.direction)),
            *((share * cap, cap, name) for share in shares for name in DIRECTIONS),
        ]
        return greatest(law, records, d, r, epsilon, digits)

    return certify


def greatest(law: str, records: Iterable[Record], d: int, r: int, epsilon: Fraction, digits: int) -> Enclosure:
    """The greatest certified delta of some records, the first of which is taken for the worst."""
    curve = _CERTIFIED[law]
    best: Enclosure | None = None
    for p, q, direction in records:
        value = curve(p, q, d, r, epsilon, direction, digits=_ROUGH if best else digits)
        if best is not None and value.upper > best.upper:
            value = curve(p, q, d, r, epsilon, direction, digits=digits)
        best = value if best is None or value.upper > best.upper else best
    assert best is not None  # there is a record
    return best


def _sets(rng: np.random.Generator, count: int) -> Columns:
    """Small databases, by the seed they are drawn from, n and d; r from d to 1000; targets that they meet by themselves
    and others.
    """
    d = rng.integers(1, 4, count).astype(float)
    n = d + 2 + rng.integers(0, 9, count)
    r = np.floor(d * np.exp(rng.uniform(0, 1, count) * np.log(1001 / d)))
    return {**targets(rng, count), "seed": rng.integers(0, 2**31, count).astype(float), "n": n, "d": d, "r": r}


def _set(row: Point | dict[str, float]) -> Neighbourhood:
    rng = np.random.default_rng(int(row["seed"]))
    data = rng.standard_normal((int(row["n"]), int(row["d"]) + 1)) * np.exp(rng.uniform(-2, 0))
    return neighbourhood(np.trunc(clip_norms(data, 1.0) / _GRID) * _GRID, 1.0)


def _relative_ridges(law: Law) -> Callable[[Columns], np.ndarray]:
    def calibrate(columns: Columns) -> np.ndarray:
        return np.array(
            [
                relative_least_squares(
                    _set(row), int(row["r"]), epsilon=row["epsilon"], delta=row["delta"], law=law
                ).ridge
                for row in rows_of(columns)
            ]
        )

    return calibrate


def _relative_reached(law: Law) -> Callable[[Columns, np.ndarray], np.ndarray]:
    def achieved(columns: Columns, ridge: np.ndarray) -> np.ndarray:
        rows = zip(rows_of(columns), ridge.tolist())
        return np.array(
            [worst_in_set(_set(row), int(row["r"]), row["epsilon"], law, level).delta for row, level in rows]
        )

    return achieved


def _relative_certify(law: Law) -> Callable[[Point, int], Enclosure]:
    """The worst change by float64, and a few others, from leverages in exact rational numbers."""

    def certify(point: Point, digits: int) -> Enclosure:
        databases, r, epsilon = _set(point), int(point["r"]), point["epsilon"]
        n, d = len(databases.base), databases.base.shape[1] - 1
        found = worst_in_set(databases, r, float(epsilon), law, float(point["noise"]))
        out, come = exact_shares(databases.base, point["noise"])
        pairs = out + come
        changes = np.random.default_rng(int(point["seed"])).integers(0, 2 * n, _OTHERS).tolist()
        records = [(*pair[found.row], found.direction) for pair in (out, come)]
        records += [(*pairs[k], name) for k in changes for name in DIRECTIONS]
        return greatest(
            law, sorted(records, key=lambda record: -_rough(law, record, d, r, float(epsilon))), d, r, epsilon, digits
        )

    return certify


def _rough(law: str, record: Record, d: int, r: int, epsilon: float) -> float:
    return float(_CERTIFIED[law](record[0], record[1], d, r, epsilon, record[2], digits=3).mid)


def exact_shares(
    data: np.ndarray, ridge: Fraction
) -> tuple[list[tuple[Fraction, Fraction]], list[tuple[Fraction, Fraction]]]:
    """(p, q) of every record of [B b] above the ridge, and of a second copy of it in the database that has that too."""
    rows = [[fmpq(*x.as_integer_ratio()) for x in row] for row in data.tolist()]
    d, level = len(rows[0]) - 1, fmpq(ridge.numerator, ridge.denominator)
    table = fmpq_mat(rows)
    gram = table.transpose() * table
    normal = fmpq_mat(d, d, [gram[i, j] + (level if i == j else 0) for i in range(d) for j in range(d)])
    inverse, right = normal.inv(), fmpq_mat(d, 1, [gram[i, d] for i in range(d)])
    solution = inverse * right
    square = gram[d, d] + level - (right.transpose() * solution)[0, 0]
    out, come = [], []
    for row in rows:
        v = fmpq_mat(1, d, row[:d])
        p = (v * inverse * v.transpose())[0, 0]
        q = p + (row[d] - (v * solution)[0, 0]) ** 2 / square
        out.append((of_fmpq(p), of_fmpq(q)))
        come.append((of_fmpq(p / (1 + p)), of_fmpq(q / (1 + q))))
    return out, come


def _sharpness(law: str) -> float:
    """A cap next to 1 is a float: the finite law asks for such caps where r is small and epsilon large."""
    return 1e-8 if law == "normal" else math.inf


_NORMAL: Law = "normal"
_SKETCH: Law = "sketch"
FAMILIES = {
    family.name: family
    for family in (
        *(
            Family(name, _draw(most), _ridges(law), _reached(law), _certify(law), _sharpness(law), block, quota)
            for name, law, most, block, quota in (
                ("least squares", _NORMAL, 1e6, 250, 5000),
                ("sketched least squares", _SKETCH, 1e4, 25, 700),
            )
        ),
        *(
            Family(
                f"relative least squares, {law} law",
                _sets,
                _relative_ridges(law),
                _relative_reached(law),
                _relative_certify(law),
                math.inf,
                25,
                quota,
            )
            for law, quota in ((_NORMAL, 500), (_SKETCH, 100))
        ),
    )
}
