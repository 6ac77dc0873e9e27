"""What float64 promises: one row a curve or law, with its domain and its reason, and the margins that rest on rows.

The only place where such a number is typed. Calibrators, certificates, audits, the line protocol and tests read it
when they run, so that a row that is loosened moves everything that rests on it; docs/accuracy.md shows the same rows,
and tests/test_accuracy.py holds each of them against the certified oracle over its domain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

Scale = Literal["even", "log", "logit", "whole", "ends", "next to 1"]


@dataclass(frozen=True)
class Range:
    """The numbers from `low` to `high`, both of them included, and how they are spread.

    scale: "even"; "log", evenly in log x; "logit", evenly in log(x/(1 - x)); "whole", whole numbers evenly in log x;
    "ends", a third of the way to either end in the log of the distance from it, the middle third evenly; "next to 1",
    the middle half of the way in the log of |log x|, the rest evenly in log x.
    """

    low: float
    high: float
    scale: Scale = "even"

    def at(self, share: float) -> float:
        """The number at a share of the way, 0 <= share <= 1: exactly `low` at 0 and `high` at 1."""
        if share in (0, 1):
            return self.high if share else self.low
        return min(max(_SCALES[self.scale](self.low, self.high, share), self.low), self.high)

    def __str__(self) -> str:
        spread = "" if self.scale == "even" else f" ({self.scale})"
        return f"{self.low:.15g} to {self.high:.15g}{spread}"


_NEAREST, _NEAR = 1e-16, 0.1  # distances from an end of the way, or from 1, that are drawn by their logarithm


def _small(share: float) -> float:
    return _NEAREST * (_NEAR / _NEAREST) ** share


def _toward_ends(low: float, high: float, share: float) -> float:
    third, place = divmod(3 * share, 1)
    if third == 1:
        return low + (high - low) * (_NEAR + (1 - 2 * _NEAR) * place)
    return low + (high - low) * _small(place) if third < 1 else high - (high - low) * _small(1 - place)


def _next_to_1(low: float, high: float, share: float) -> float:
    most, place = math.log(high if share > 0.5 else low), abs(4 * share - 2)
    size = _small(place) if place < 1 else _NEAR + (abs(most) - _NEAR) * (place - 1)
    return math.exp(math.copysign(size, most))


def _by(to: Callable[[float], float], back: Callable[[float], float]) -> Callable[[float, float, float], float]:
    """Evenly in a function of the number, with its inverse."""
    return lambda low, high, share: back(to(low) + share * (to(high) - to(low)))


_SCALES: Mapping[str, Callable[[float, float, float], float]] = {
    "even": _by(float, float),
    "log": _by(math.log, math.exp),
    "logit": _by(lambda x: math.log(x) - math.log1p(-x), lambda y: 1 / (1 + math.exp(-y))),
    "whole": _by(math.log, lambda y: float(round(math.exp(y)))),
    "ends": _toward_ends,
    "next to 1": _next_to_1,
}


@dataclass(frozen=True)
class Promise:
    """The largest error of one curve or law of the package.

    name: of the function. error: relative, of the quantity `of`. least: where that quantity is smaller, its logarithm
    has the relative error instead (0: no such bound). near: the value is that of an epsilon within this relative
    distance, which shows next to the largest loss. domain: where it is promised, in words; ranges: the same as numbers
    that can be drawn. source: why it holds.
    """

    name: str
    error: float
    of: str
    domain: str
    ranges: Mapping[str, Range] = field(hash=False)
    source: str
    least: float = 1e-290
    near: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranges", MappingProxyType(dict(self.ranges)))


@dataclass(frozen=True)
class Margin:
    """What is kept for errors of the engine: the sum of multiples of rows.

    name: of what keeps it. terms: (multiple, row) of every row that it rests on. source: why as much.
    """

    name: str
    terms: tuple[tuple[float, str], ...]
    source: str


def _table(rows: tuple[Any, ...]) -> Mapping[str, Any]:
    return MappingProxyType({row.name: row for row in rows})


_EPSILON = Range(0.0, 200.0)
_PLACE = Range(-4.0, 36.0)  # of epsilon: standard deviations of the loss above its mean
_INTEGRAL = (
    "one contour integral of positive size, by the trapezoid rule with an estimate of its error; against the certified"
    " integral below 3e-12"
)
_RATIOS = "eigenvalue ratios from 1e-6 to 1e6"

PROMISES: Mapping[str, Promise] = _table(
    (
        Promise(
            name="gaussian_hockey_stick",
            error=5e-13,
            of="delta",
            domain="every shift (sensitivity over std) and every epsilon",
            ranges={"shift": Range(1e-300, 1e6, "log"), "deviations": _PLACE},
            source="closed form in ratios of Mills: of a^2/2 <= 668, the logarithm of a tail, a few units of 2^-53",
        ),
        Promise(
            name="hockey_stick",
            error=1e-11,
            of="delta",
            domain=f"{_RATIOS}, 1 to 10,000 coordinates, epsilon from 0 to 200, either order",
            ranges={
                "ratio": Range(1e-6, 1e6, "next to 1"),
                "second_ratio": Range(1e-6, 1e6, "next to 1"),
                "distance": Range(1e-6, 1e3, "log"),
                "coordinates": Range(1, 10_000, "whole"),
                "epsilon": _EPSILON,
                "deviations": _PLACE,
            },
            source=_INTEGRAL,
        ),
        Promise(
            name="rp_hockey_stick",
            error=1e-11,
            of="delta",
            domain="every leverage below 1, 1 to 1,000,000 columns, epsilon from 0 to 200, both directions",
            ranges={
                "leverage": Range(1e-9, 1 - 1e-9, "logit"),
                "r": Range(1, 10**6, "whole"),
                "epsilon": _EPSILON,
                "deviations": _PLACE,
            },
            source=_INTEGRAL,
        ),
        Promise(
            name="rp_hockey_stick, a root",
            error=7e-15,
            of="delta",
            domain="up to 10,000,000 columns: times the root of their number, where that is more than for fewer",
            ranges={
                "leverage": Range(1e-9, 1 - 1e-9, "logit"),
                "r": Range(10**6, 10**7, "whole"),
                "epsilon": _EPSILON,
                "deviations": _PLACE,
            },
            source="rounding of logarithms of all columns: up to 5.5e-15 times the root was seen at the most columns",
        ),
        Promise(
            name="als_hockey_stick",
            error=1e-11,
            of="delta",
            domain=f"leverages p <= q <= 1 - 1e-6, so that {_RATIOS}; epsilon from 0 to 200, both directions",
            ranges={
                "share": Range(0.0, 1.0, "ends"),
                "q": Range(1e-6, 1 - 1e-6, "logit"),
                "d": Range(1, 100, "whole"),
                "r": Range(1, 10**6, "whole"),
                "epsilon": _EPSILON,
                "deviations": _PLACE,
            },
            source=_INTEGRAL,
            near=2e-15,
        ),
        Promise(
            name="als_exact_hockey_stick",
            error=2e-10,
            of="delta",
            domain="delta up to 1/2; d <= r <= 100,000 rows, q up to 1 - 2^-30",
            ranges={
                "share": Range(0.0, 1.0, "ends"),
                "q": Range(1e-6, 1 - 2.0**-30, "logit"),
                "d": Range(1, 100, "whole"),
                "r": Range(1, 10**5, "whole"),
                "deviations": _PLACE,
            },
            source="two integrals of positive terms; logarithms of size r/2 cancel, each to a few units of 2^-53",
            near=1e-14,
        ),
        Promise(
            name="als_exact_hockey_stick above 1/2",
            error=2e-9,
            of="delta",
            domain="delta above 1/2; the rest as below it",
            ranges={
                "share": Range(0.0, 1.0, "ends"),
                "q": Range(1e-6, 1 - 2.0**-30, "logit"),
                "d": Range(1, 100, "whole"),
                "r": Range(1, 10**5, "whole"),
                "deviations": Range(-4.0, 0.0),
            },
            source="as below it, on integrands that are wide on one side and narrow on the other",
            near=1e-14,
        ),
        Promise(
            name="als_exact_hockey_stick, a row",
            error=4e-15,
            of="delta",
            domain="for each of 1 to 10,000,000 rows of a sketch, beside the error of the curve",
            ranges={
                "share": Range(0.0, 1.0, "ends"),
                "q": Range(1e-6, 1 - 1e-6, "logit"),
                "d": Range(1, 10, "whole"),
                "r": Range(10**5, 10**7, "whole"),
                "deviations": _PLACE,
            },
            source="of its logarithm, 1e-15 of rounding for each row was seen",
            near=1e-14,
        ),
        Promise(
            name="als_worst_case",
            error=2e-9,
            of="delta",
            domain="caps up to 1 - 1e-6, epsilon from 0 to 200; how far the search may miss the worst record",
            ranges={
                "cap": Range(1e-6, 1 - 1e-6, "logit"),
                "share": Range(0.0, 1.0, "ends"),
                "d": Range(1, 100, "whole"),
                "r": Range(1, 10**6, "whole"),
                "deviations": _PLACE,
            },
            source="no record of a dense grid was 1e-10 above what the search found, and the curve errs by 1e-11",
            near=2e-15,
        ),
        Promise(
            name="als_exact_worst_case",
            error=2e-9,
            of="delta",
            domain="as als_exact_hockey_stick, for every delta",
            ranges={
                "cap": Range(1e-6, 1 - 2.0**-30, "logit"),
                "share": Range(0.0, 1.0, "ends"),
                "d": Range(1, 100, "whole"),
                "r": Range(1, 10**5, "whole"),
                "deviations": _PLACE,
            },
            source="the worst record in closed form (N24-6.3-worst-record): the error of the curve above 1/2",
            near=1e-14,
        ),
        Promise(
            name="search over splits",
            error=3e-5,
            of="bound",
            domain="triples of sensitivities with delta from 1e-30 to 1/2; how far above the least bound it may stay",
            ranges={
                "shift": Range(1e-3, 3.0, "log"),
                "rho": Range(1e-3, 1.0, "log"),
                "spread": Range(0.0, 1.0),
                "dimension": Range(1, 20, "whole"),
                "epsilon": Range(0.0, 5.0),
            },
            source="the largest of 400 random triples against the certified least bound",
        ),
        Promise(
            name="generalized_chi2",
            error=1e-11,
            of="tail",
            domain="degrees of freedom and noncentralities that sum to 1e8 at most, weights of either sign",
            ranges={
                "weight": Range(1e-6, 1.0, "log"),
                "dof": Range(1, 10**6, "whole"),
                "noncentrality": Range(1e-6, 1e6, "log"),
                "std": Range(1e-6, 10.0, "log"),
                "deviations": Range(-8.0, 8.0),
            },
            source=_INTEGRAL,
        ),
        Promise(
            name="threshold",
            error=2e-15,
            of="epsilon",
            domain="epsilon beyond 200: a value is that of an epsilon as near as this",
            ranges={"shift": Range(20.0, 1e6, "log"), "deviations": Range(0.0, 8.0)},
            source="thresholds are sums of a few numbers of the size of epsilon in extended precision",
            least=0.0,
        ),
        Promise(
            name="gaussian_trade_off",
            error=1e-12,
            of="type II error",
            domain="every level alpha and mu",
            ranges={"alpha": Range(1e-12, 1 - 1e-12, "logit"), "mu": Range(0.0, 20.0)},
            source="a quantile and a tail of the normal law, each to a few units of 2^-53 times its logarithm",
        ),
        Promise(
            name="ndtri",
            error=1e-13,
            of="quantile",
            domain="probabilities from 1e-300 to 1/2",
            ranges={"p": Range(1e-300, 0.5, "log")},
            source="a rational approximation of scipy.special, a few units of 2^-53",
            least=0.0,
        ),
        Promise(
            name="betaincinv",
            error=1e-9,
            of="quantile",
            domain="counts of up to 1e8 trials, failures from 1e-12 to 1/2",
            ranges={
                "n": Range(1, 10**8, "whole"),
                "count": Range(0.0, 1.0),
                "failure": Range(1e-12, 0.5, "log"),
            },
            source="scipy.special, a few units of 2^-53, and bisection where it misses the tail; kept wide",
            least=0.0,
        ),
        Promise(
            name="composed masses",
            error=1e-11,
            of="delta, absolutely",
            domain="sums of losses by Fourier transforms of up to 2^22 masses that sum to 1, and their truncation",
            ranges={
                "cells": Range(2, 60, "whole"),
                "copies": Range(1, 12, "whole"),
                "filled": Range(0.0, 1.0),
                "place": Range(0.0, 1.0),
            },
            source="masses are right to about 1e-16, errors of both signs; up to 2e-12 with the tails that are cut off",
            least=0.0,
        ),
    )
)

_ROUNDED = "ten times the engine's: the arguments of its curve were rounded, and errors of a few curves are summed"
SEARCHED = 1.1  # times the error of a curve, below a target that is searched by it
_SEARCH = "a tenth more than the curve that the search reads may err by"

_COLUMNS = f"{_SEARCH}; `projection_error` has it for more than a million columns"

MARGINS: Mapping[str, Margin] = _table(
    (
        Margin("gaussian_std", ((2, "gaussian_hockey_stick"),), "the search and the certificate read the same curve"),
        Margin("epsilon_for_delta", ((SEARCHED, "hockey_stick"),), _SEARCH),
        Margin("rp_leverage", ((SEARCHED, "rp_hockey_stick"),), _COLUMNS),
        Margin("rp_ridge", ((SEARCHED, "rp_hockey_stick"),), _COLUMNS),
        Margin("als_cap", ((SEARCHED, "als_hockey_stick"),), _SEARCH),
        Margin(
            "als_exact_cap",
            ((SEARCHED, "als_exact_hockey_stick"), (SEARCHED, "als_exact_hockey_stick, a row")),
            f"{_SEARCH}: for one row of a sketch; `sketch_error` has it for more, and above 1/2",
        ),
        Margin("least_ridge", ((2, "als_worst_case"),), "the search for the ridge and its certificate both look"),
        Margin("worst pair of an envelope", ((10, "hockey_stick"),), _ROUNDED),
        Margin("bound of two steps", ((10, "hockey_stick"),), _ROUNDED),
        Margin("white-box audit", ((10, "hockey_stick"),), _ROUNDED),
        Margin(
            "composed masses of others",
            ((10, "composed masses"),),
            "ten times our own: sums by dp-accounting were up to 3.2e-11 apart (experiment km-composition)",
        ),
        Margin("composed steps", ((10, "composed masses"),), "several sums of many steps are put together"),
        Margin("split of a test", ((10, "hockey_stick"),), "a plan, which is judged once more where it is used"),
    )
)


def promise(name: str) -> float:
    """The error of the row of that name."""
    return PROMISES[name].error


def margin(name: str) -> float:
    """What is kept under that name, computed from the rows that it rests on; rounded up."""
    return math.nextafter(math.fsum(multiple * promise(row) for multiple, row in MARGINS[name].terms), math.inf)


def projection_error(r: Any) -> np.ndarray:
    """The error of `rp_hockey_stick` for r columns, of any shape."""
    return np.maximum(promise("rp_hockey_stick"), promise("rp_hockey_stick, a root") * np.sqrt(r))


def sketch_error(delta: Any, r: Any) -> np.ndarray:
    """The error of `als_exact_hockey_stick` at a value delta for r rows; they broadcast."""
    curve = np.where(
        np.asarray(delta) > 0.5, promise("als_exact_hockey_stick above 1/2"), promise("als_exact_hockey_stick")
    )
    return curve + promise("als_exact_hockey_stick, a row") * np.asarray(r, dtype=float)


def digits(error: float) -> int:
    """The decimal digits that are right within a relative error."""
    return max(math.floor(-math.log10(error)), 0) if error > 0 else 0
