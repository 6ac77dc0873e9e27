"""Tables I to IV of N24 at their own settings: every printed number beside ours, met or not, and why not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ndis_verify.datasets import FLIGHTS, load_dataset
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.experiments.printed_numbers import RULE, SETTINGS, TABLES, Printed
from ndis_verify.experiments.private_regression import local_sensitivity, normal_draw, sketch_draw
from ndis_verify.experiments.projection_utility import EPSILON, measures
from ndis_verify.experiments.table import Table
from ndis_verify.fast.mean_shift import gaussian_std
from ndis_verify.mechanisms.baselines import sheffet
from ndis_verify.mechanisms.least_squares import least_squares, solved
from ndis_verify.mechanisms.random_projection import projected, random_projection
from ndis_verify.mechanisms.records import database
from ndis_verify.mechanisms.relative_least_squares import RelativeLeastSquares, relative_least_squares
from ndis_verify.mechanisms.relative_projection import (
    Neighbourhood,
    inherent_delta,
    neighbourhood,
    relative_random_projection,
)

_TRIALS = 100  # of the source: its half-widths are of that many
_DOUBT = 3.5  # standard errors of a difference


@dataclass(frozen=True)
class Found:
    """Our number with its standard error, and in words what it rests on or why there is none."""

    value: float | None
    standard_error: float = 0.0
    why: str = ""


class Source:
    """One data set of the source as it used it: the records, where they are here, and the bound on their norms."""

    def __init__(self, name: str, table: Table | None) -> None:
        self.name, self.setting = name, SETTINGS[name]
        self.short: np.ndarray | None = None
        self.databases: Neighbourhood | None = None
        self.sensitivity: float | None = None
        if table is None or table.target is None:
            self.bound = self.setting.sheffet / sheffet(self.setting.r, **self.target, norm_bound=1).ridge ** 0.5
            return
        matrix = np.column_stack([table.records, table.target])
        matrix = matrix / np.linalg.norm(matrix, axis=0)
        self.bound = float(np.linalg.norm(matrix, axis=1).max()) * (1 + 1e-12)
        self.databases = neighbourhood(database(matrix, self.bound), self.bound)
        self.sensitivity = local_sensitivity(matrix)
        self.short = np.asarray(np.linalg.qr(matrix, mode="r"))

    @property
    def target(self) -> dict[str, Any]:
        return {"epsilon": EPSILON, "delta": 1 / self.setting.n}

    @property
    def asked(self) -> dict[str, Any]:
        return {**self.target, "norm_bound": self.bound}

    def found(self, printed: Printed, seeds: Sequence[int]) -> Found:
        """Our number for a printed one: by a rule, of the set, or as a mean over releases."""
        if printed.quantity == "noise":
            return self.noise(printed)
        return self.inherent(printed) if printed.quantity == "delta" else self.drawn(printed, seeds)

    def noise(self, printed: Printed) -> Found:
        """The root of the ridge that the method asks for."""
        if printed.method not in _RULES:
            return Found(None, why=_UNKNOWN[printed.method])
        relative = printed.method.endswith("relative")
        if self.databases is None and relative and printed.value == "0":
            return Found(None, why=_ABSENT)
        why = ""
        if self.databases is None:
            if printed.method == "Sheffet 2019":
                return Found(None, why="it fixes the norm bound of the other rows: the records are not here")
            why = "the fallback of the set, with the norm bound" if relative else "with the norm bound"
            why += " that the noise of Sheffet's ridge implies"
        if self.databases is None and printed.method.startswith("M_LS") and self.name == "Cancer":
            why += " and the number of features that this level implies"
        return Found(_RULES[printed.method](self) ** 0.5, why=why)

    def inherent(self, printed: Printed) -> Found:
        """What the plain projection (RP) or sketch and solve (ALS) has on the set without any noise."""
        if self.databases is None:
            return Found(None, why=_ABSENT)
        if printed.method == "RP":
            return Found(inherent_delta(self.databases, self.setting.r, EPSILON))
        return Found(self.relative.calibration.public["inherent delta"])

    @cached_property
    def relative(self) -> RelativeLeastSquares:
        """Least squares relative to the set."""
        assert self.databases is not None
        return relative_least_squares(self.databases, self.setting.r, **self.target)

    def drawn(self, printed: Printed, seeds: Sequence[int]) -> Found:
        """The mean of a random quantity over releases at the printed noise, or at that of the rule where it is lost."""
        if self.short is None:
            return Found(None, why=_ABSENT)
        ridge = _RULES[printed.method](self) if printed.noise == RULE else printed.noise**2
        found = [self._one(printed, ridge, np.random.default_rng(seed)) for seed in seeds]
        return Found(float(np.mean(found)), float(np.std(found, ddof=1)) / math.sqrt(len(found)))

    def _one(self, printed: Printed, ridge: float, rng: np.random.Generator) -> float:
        assert self.short is not None and self.sensitivity is not None
        r = self.setting.r
        if printed.quantity == "error":
            solution = solved(self.short, 0.0)[0]
            if printed.method == "Gaussian mechanism":
                std = float(gaussian_std(self.sensitivity, **self.target))
                return float(np.linalg.norm(std * rng.standard_normal(len(solution))))
            draw = normal_draw if printed.method.startswith("M_LS") else sketch_draw
            return float(np.linalg.norm(draw(self.short, ridge, r)(rng) - solution))
        sketch = projected(self.short, ridge, r, rng, math.sqrt(ridge) or self.bound)
        if printed.quantity == "PDR":
            return measures(self.short, sketch)[0]
        return printed_correlation(self.short.T @ self.short, sketch @ sketch.T / r)


def _projection_ridge(source: Source) -> float:
    return random_projection(source.setting.r, **source.asked, ridge="N24-Fig3").ridge


def _set_projection_ridge(source: Source) -> float:
    if source.databases is None:
        return _projection_ridge(source)
    return relative_random_projection(source.databases, source.setting.r, **source.target, ridge="N24-Fig12").ridge


def _least_squares_ridge(source: Source) -> float:
    return least_squares(source.setting.features, source.setting.r, **source.asked, noise="N24-Fig4").ridge


_RULES: Mapping[str, Callable[[Source], float]] = {
    "Sheffet 2019": lambda source: sheffet(source.setting.r, **source.asked).ridge,
    "M_RP": _projection_ridge,
    "M_RP relative": _set_projection_ridge,
    "M_LS": _least_squares_ridge,
    "M_LS relative": lambda source: _least_squares_ridge(source) if source.databases is None else source.relative.ridge,
}
_ABSENT = "the records are not here: --data FILE --target COLUMN"
_LOST = "the printed number is lost in the text that is left"
_UNKNOWN = {
    "Sheffet 2019, again": "printed twice with two levels: the rule of the second is not in the source",
    "Showkatbakhsh et al.": (
        "the source does not say which rule it took: its three levels are 1.7264, 1.7262 and 1.7264 times sqrt r"
        " (Cancer, Flight, Song), whatever n and the norms"
    ),
}


def printed_correlation(one: np.ndarray, other: np.ndarray) -> float:
    """What the source prints as DPR: a covariance over m - 1 and standard deviations over m, of all m entries."""
    x, y = one.ravel(), other.ravel()
    return float(np.cov(x, y)[0, 1] / (x.std() * y.std()))


def is_met(printed: Printed, found: Found) -> bool:
    """Whether ours is the printed number to its last digit, or within the doubt of both means; a half-width is itself
    printed to three digits.
    """
    if found.value is None or printed.value is None:
        return False
    half_width = 0.0 if printed.quantity in ("noise", "delta") else printed.half_width + 0.0005
    spread = math.hypot(half_width / 1.96, found.standard_error)
    return abs(found.value - float(printed.value)) <= printed.unit * (1 + 1e-9) + _DOUBT * spread


def _rows(
    entries: Sequence[Printed], cell: Mapping[str, Any], rng: np.random.Generator, data: Table | None
) -> list[Row]:
    source = Source(cell["data"], record_table(cell["data"], data))
    seeds = rng.integers(1 << 60, size=cell["runs"]).tolist()
    rows = []
    for entry in entries:
        if entry.data != cell["data"]:
            continue
        found = source.found(entry, seeds)
        lost = entry.value is None
        rows.append(
            {
                "data": entry.data,
                "method": entry.method,
                "quantity": entry.quantity,
                "printed": None if lost else float(entry.value or 0),
                "half_width": entry.half_width,
                "ours": found.value,
                "standard_error": found.standard_error,
                "met": None if lost or found.value is None else is_met(entry, found),
                "why": "; ".join(filter(None, (_LOST if lost else "", found.why))),
            }
        )
    return rows


def flights() -> Table:
    """Flight as the source has it. Raises `ModuleNotFoundError` where the package with the records is absent."""
    found = load_dataset(FLIGHTS)
    return Table(FLIGHTS, found.records, found.target)


def record_table(name: str, data: Table | None) -> Table | None:
    """The records of a set: the user's where their number is the row's, the flights where they are installed."""
    if data is not None:
        return data if len(data.records) == SETTINGS[name].n else None
    if name != "Flight":
        return None
    try:
        return flights()
    except ModuleNotFoundError as error:
        raise InputError("data", "none", f"must be given where the flights cannot be read ({error})") from None


def _cells(size: str, data: Table | None) -> list[dict[str, Any]]:
    runs = _TRIALS if size == "quick" else 10 * _TRIALS
    names = [name for name in SETTINGS if data is None or len(data.records) == SETTINGS[name].n]
    return [{"data": name, "runs": runs} for name in names]


def require_source(table: Table) -> None:
    """Raises `InputError` where the records are as many as those of no set of the source."""
    sizes = {setting.n: name for name, setting in SETTINGS.items()}
    if len(table.records) not in sizes:
        wanted = ", ".join(f"{n} ({name})" for n, name in sizes.items())
        raise InputError(
            "data", f"{table.name}, {len(table.records)} records", f"must have as many as the source: {wanted}"
        )


def _findings(rows: Sequence[Row]) -> list[Finding]:
    judged = [row for row in rows if row["met"] is not None]
    missed = [row for row in judged if not row["met"]]
    flight = [row for row in judged if row["data"] == "Flight"]
    song = [row for row in missed if row["data"] == "Song" and row["quantity"] == "noise"]
    found = [
        Finding(
            "every printed number that can be recomputed is met, but for the noise printed for M_RP on Song",
            missed == song,
            {f"{row['data']}, {row['method']}, {row['quantity']}": row["ours"] for row in missed}
            | {"met": len(judged) - len(missed), "printed": sum(row["printed"] is not None for row in rows)},
        )
    ]
    if flight:
        found.append(Finding("all of Flight's row is met", all(row["met"] for row in flight), {"numbers": len(flight)}))
    return [*found, *_ordered(rows)]


def _ordered(rows: Sequence[Row]) -> list[Finding]:
    """What the text says where the numbers are lost: of everyone's mechanisms, M_LS has the most noise of the source's
    two, and both are nearer than Sheffet's.
    """
    ours = {(row["data"], row["method"], row["quantity"]): row["ours"] for row in rows if row["ours"] is not None}
    sets = dict.fromkeys(row["data"] for row in rows)
    noise = [(ours.get((name, "M_LS", "noise")), ours.get((name, "M_RP", "noise"))) for name in sets]
    pairs = [(a, b) for a, b in noise if a is not None and b is not None]
    found = []
    if pairs:
        numbers = {name: a / b for name, (a, b) in zip(sets, noise, strict=True) if a is not None and b is not None}
        statement = "the printed M_LS has more noise than M_RP on every set, as the text says"
        found.append(Finding(statement, all(a > b for a, b in pairs), numbers))
    mine, theirs = (ours.get(("Flight", method, "PDR")) for method in ("M_RP", "Sheffet 2019"))
    if mine is not None and theirs is not None:
        statement = "on Flight M_RP, whose printed distances are lost, keeps them better than Sheffet's ridge"
        found.append(Finding(statement, abs(mine - 1) < abs(theirs - 1), {"M_RP": mine, "Sheffet 2019": theirs}))
    return found


_SETTING = (
    "Settings recovered: columns of unit length, the largest norm of [B b] as bound, eps = 1, delta = 1/n,"
    " r = 1200 (Flight), 300 (Cancer), 20,000 (Song). PDR: mean ratio of column distances. DPR: a covariance over m - 1"
    " and standard deviations over m, of the m = d^2 entries of both Gram matrices, which is m/(m - 1) times a"
    " correlation. Error: distance to the solution, not over its length as the text has it. Releases at printed noise."
)
_RETOLD = (
    " The table itself is lost: its numbers stand in Table {0}, of which the text says that on Cancer and Song it has"
    " the same; of Flight what is not private relative to a set alone."
)


def _experiment(name: str, roman: str, claims: tuple[str, ...], more: str = "") -> Experiment:
    return Experiment(
        name,
        f"Table {roman} of N24 as printed: every number beside ours",
        claims,
        _SETTING + more,
        _cells,
        partial(_rows, TABLES[name.removesuffix("-as-printed")]),
        _findings,
        data="records and target",
        requires=require_source,
    )


EXPERIMENTS = (
    _experiment("n24-tab1-as-printed", "I", ("N24-TabI",), _RETOLD.format("III")),
    _experiment("n24-tab2-as-printed", "II", ("N24-TabII",), _RETOLD.format("IV")),
    _experiment("n24-tab3-as-printed", "III", ("N24-TabIII", "N24-TabIII-DPR")),
    _experiment("n24-tab4-as-printed", "IV", ("N24-TabIV", "N24-TabIV-Song")),
)
