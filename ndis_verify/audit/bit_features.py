"""What an auditor of bits looks at: whole-number features of one release, each with the words for a set of its values.

Each is a function of a single release, so a set of its values is an event of which differential privacy speaks. A few
are fitted to the first draws (quantiles, steps, values seen there); none ever sees the draws on which an event is
confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise

import numpy as np

from ndis_verify.audit.float_bits import KINDS, NO_BIT, exponent, kind, lowest_bit, mantissa, ulp_exponent
from ndis_verify.audit.small_ratios import small_fraction, small_ratio

SIZE, SPECIAL, LOW_BITS, MULTIPLES, RATIOS, REPEATED, DIFFERENCES, TOGETHER = FAMILIES = (
    "size",
    "signs, zeros, subnormals",
    "low bits",
    "exact multiples",
    "ratios",
    "repeated values",
    "differences from a value",
    "all coordinates together",
)
MOST_COORDINATES = 8
_MOST_PAIRS = 6
_BINS = 32
_DECIMALS = (0.1, 0.01, 0.001, 1e-4, 1e-6)
_STEPS_KEPT, _PAIRS_TRIED, _OFTEN = 2, 64, 0.05
_SHOWN_GROUPS, _SHOWN_SPANS = 4, 8
_MOST_ZEROS = 12  # trailing zeros that are told apart beside a fine size
_WIDEST = 1 << 14  # codes are clipped to this magnitude, so that a few fit into one int64

Codes = Callable[[np.ndarray], tuple[np.ndarray, ...]]
NoiseTest = Callable[[np.ndarray, float], np.ndarray]


@dataclass(frozen=True, eq=False)
class Part:
    """One whole number read off a release, with words for single values where numbers do not speak for themselves."""

    name: str
    labels: Mapping[int, str] | None = None
    edges: np.ndarray | None = None  # the number is a place among these

    def among(self, values: Sequence[int]) -> str:
        """That the number is one of these, sorted."""
        if self.edges is not None:
            return f"{self.name} is " + _listed([self._interval(first, last) for first, last in _runs(values)])
        if self.labels is not None:
            return f"{self.name} is " + " or ".join(self.labels.get(value, str(value)) for value in values)
        return f"{self.name} is " + _listed(
            [_number(a) if a == b else f"{_number(a)} to {_number(b)}" for a, b in _runs(values)]
        )

    def _interval(self, first: int, last: int) -> str:
        """What lies in the bins from `first` to `last`; the bin before all others is that of nan."""
        if last < 0:
            return "nan"
        ends = np.concatenate([[-np.inf], [] if self.edges is None else self.edges, [np.inf]])
        closed = "]" if last == ends.size - 2 else ")"
        return ("nan or " if first < 0 else "") + f"in [{ends[max(first, 0)]:.6g}, {ends[last + 1]:.6g}{closed}"


@dataclass(frozen=True, eq=False)
class Feature:
    """codes(rows) gives one array of whole numbers for each of `parts`, from an n x k array of releases."""

    family: str
    parts: tuple[Part, ...]
    codes: Codes

    def cells(self, rows: np.ndarray) -> np.ndarray:
        """All parts of each release in one int64."""
        key = np.zeros(len(rows), np.int64)
        for part in self.codes(rows):
            key = (key << 16) + np.clip(part, -_WIDEST, _WIDEST)
        return key

    def values(self, cell: int) -> tuple[int, ...]:
        """The parts that `cells` put together."""
        found = []
        for _ in self.parts:
            last = (cell + (1 << 15)) % (1 << 16) - (1 << 15)
            found.append(last)
            cell = (cell - last) >> 16
        return tuple(reversed(found))

    def words(self, cells: Sequence[int]) -> str:
        """The event that a release's cell is one of these; cells that share their other parts are put together."""
        values = sorted(map(self.values, cells))
        if len(self.parts) == 1:
            return self.parts[0].among([value[0] for value in values])
        groups: dict[tuple, list[int]] = {}
        for head, tail in groupby(values, key=lambda value: value[:-1]):
            groups.setdefault((head[:-1], tuple(value[-1] for value in tail)), []).append(head[-1])
        shown = [self._group(first, middle, last) for (first, last), middle in groups.items()]
        rest = len(shown) - _SHOWN_GROUPS
        return "; or ".join(shown[:_SHOWN_GROUPS]) + (f"; or one of {rest} more such" if rest > 0 else "")

    def _group(self, first: tuple[int, ...], middle: Sequence[int], last: Sequence[int]) -> str:
        fixed = [part.among([value]) for part, value in zip(self.parts, first)]
        return ", ".join([*fixed, self.parts[-2].among(middle)]) + " and " + self.parts[-1].among(last)


def _runs(values: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of every run of neighbours among sorted whole numbers."""
    runs: list[tuple[int, int]] = []
    for value in values:
        if runs and value == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    return runs


def _listed(texts: Sequence[str]) -> str:
    rest = len(texts) - _SHOWN_SPANS
    return ", ".join(texts[:_SHOWN_SPANS]) + (f" or one of {rest} more" if rest > 0 else "")


def _number(value: int) -> str:
    return "none" if value == NO_BIT else str(value)


def features(
    learning: tuple[np.ndarray, np.ndarray],
    values: Mapping[str, np.ndarray],
    grids: Sequence[float],
    noises: Mapping[str, NoiseTest],
) -> list[Feature]:
    """All features of releases like the learning rows of P and of Q (n x k each).

    values: candidate unnoised releases by name, k numbers each; grids: public steps; noises: tests whether noise could
    have made x of v.
    """
    every = np.concatenate(learning)
    chosen = coordinates(every.shape[1])
    found = [feature for c in chosen for feature in _of_coordinate(c, every[:, c], learning, grids)]
    for c, d in list(pairwise(chosen))[:_MOST_PAIRS]:
        found += _of_pair(c, d)
    for name, value in values.items():
        found += [feature for c in chosen for feature in _of_difference(c, name, float(value[c]), noises)]
    return found + (_of_row() if every.shape[1] > 1 else [])


def coordinates(width: int, most: int = MOST_COORDINATES) -> list[int]:
    """The coordinates that are looked at one by one: all, or `most` evenly spaced ones."""
    return sorted(set(np.linspace(0, width - 1, min(width, most)).round().astype(int).tolist()))


def size_and_low_bits(c: int) -> Feature:
    """Sign, binary size and trailing zeros together: where a sum of two floats cancels it ends in zeros that a single
    float does not.
    """
    x = _name(c)

    def codes(rows: np.ndarray) -> tuple[np.ndarray, ...]:
        return np.signbit(rows[:, c]).astype(int), exponent(rows[:, c]), trailing_zeros(rows[:, c])

    return Feature(
        LOW_BITS, (_sign(x), Part(f"floor(log2 |{x}|)"), Part(f"the number of trailing zero bits of {x}")), codes
    )


def _of_coordinate(
    c: int, seen: np.ndarray, learning: tuple[np.ndarray, np.ndarray], grids: Sequence[float]
) -> list[Feature]:
    x = _name(c)
    edges, unit = _quantiles(seen), _common_unit(seen)
    size, zeros = Part(x, edges=edges), Part(f"the number of trailing zero bits of {x}")
    steps = dict.fromkeys((*grids, *_DECIMALS, *_learned_steps(c, learning)))
    return [
        Feature(SIZE, (size,), lambda rows: (_bin(edges, rows[:, c]),)),
        Feature(SPECIAL, (Part(x, dict(enumerate(KINDS))),), lambda rows: (kind(rows[:, c]),)),
        size_and_low_bits(c),
        Feature(LOW_BITS, (zeros,), lambda rows: (trailing_zeros(rows[:, c]),)),
        Feature(
            LOW_BITS,
            (Part(f"log2 of the largest power of two that divides {x}"),),
            lambda rows: (lowest_bit(rows[:, c]),),
        ),
        Feature(LOW_BITS, (Part(f"the mantissa of {x} modulo 16"),), lambda rows: (mantissa(rows[:, c]) & 15,)),
        Feature(LOW_BITS, (Part(f"{x} / 2^{unit} modulo 16"),), lambda rows: (_modulo(rows[:, c], 2.0**unit),)),
        Feature(
            LOW_BITS,
            (size, zeros),
            lambda rows: (
                _bin(edges, rows[:, c]),
                np.minimum(trailing_zeros(rows[:, c]), _MOST_ZEROS),
            ),
        ),
        *(_multiple(c, step) for step in steps),
        *_ratio_features(x, lambda rows: small_fraction(rows[:, c])),
        _seen_before(c, learning),
    ]


def _of_pair(c: int, d: int) -> list[Feature]:
    x, y = _name(c), _name(d)
    divides = f"log2 of the largest power of two that divides {x}, less that"
    return [
        Feature(
            LOW_BITS,
            (Part(f"{divides} that divides {y}"),),
            lambda rows: (_bit_gap(rows[:, c], lowest_bit(rows[:, d])),),
        ),
        Feature(
            LOW_BITS,
            (Part(f"{divides} of the ulp of {y}"),),
            lambda rows: (_bit_gap(rows[:, c], ulp_exponent(rows[:, d])),),
        ),
        Feature(
            LOW_BITS,
            (Part(f"the number of trailing zero bits of {x} - {y}"),),
            lambda rows: (trailing_zeros(_sum(rows[:, c], -rows[:, d])),),
        ),
        Feature(
            LOW_BITS,
            (Part(f"the number of trailing zero bits of {x} + {y}"),),
            lambda rows: (trailing_zeros(_sum(rows[:, c], rows[:, d])),),
        ),
        *_ratio_features(f"{x}/{y}", lambda rows: small_ratio(rows[:, c], rows[:, d])),
    ]


def _of_difference(c: int, name: str, value: float, noises: Mapping[str, NoiseTest]) -> list[Feature]:
    x = f"({_name(c)} - {name})"

    def shape(rows: np.ndarray) -> tuple[np.ndarray, ...]:
        gap, exact = difference(rows[:, c], value)
        return np.signbit(gap).astype(int), exponent(gap), np.where(exact, trailing_zeros(gap), -1)

    def divisor(rows: np.ndarray) -> tuple[np.ndarray]:
        return (lowest_bit(difference(rows[:, c], value)[0]),)

    zeros = Part(f"the number of trailing zero bits of {x} (-1: it is no float64)")
    found = [
        Feature(DIFFERENCES, (_sign(x), Part(f"floor(log2 |{x}|)"), zeros), shape),
        Feature(DIFFERENCES, (Part(f"log2 of the largest power of two that divides {x}"),), divisor),
        Feature(
            DIFFERENCES,
            (Part(x, {0: "no float64", 1: "a float64"}),),
            lambda rows: (difference(rows[:, c], value)[1].astype(int),),
        ),
    ]
    for noise, test in noises.items():
        part = Part(f"{_name(c)} = {name} + {noise} noise", {0: "impossible", 1: "possible"})
        found.append(Feature(DIFFERENCES, (part,), partial(_told, test, c, value)))
    return found


def _told(test: NoiseTest, c: int, value: float, rows: np.ndarray) -> tuple[np.ndarray]:
    return (np.asarray(test(rows[:, c], value)).astype(int),)


def _of_row() -> list[Feature]:
    """Features of a whole release of several numbers."""
    return [
        Feature(
            REPEATED,
            (Part("the number of coordinates whose magnitude another one has"),),
            lambda rows: (_repeats(rows),),
        ),
        Feature(SPECIAL, (Part("the number of coordinates that are 0"),), lambda rows: ((rows == 0).sum(axis=1),)),
        Feature(SPECIAL, (Part("the number of coordinates below 0"),), lambda rows: ((rows < 0).sum(axis=1),)),
    ]


def _multiple(c: int, step: float) -> Feature:
    """Which whole multiple of the step the number is to the last bit, modulo 16; -1 where it is none."""

    def codes(rows: np.ndarray) -> tuple[np.ndarray]:
        return (np.where(_is_multiple(rows[:, c], step), _modulo(rows[:, c], step), -1),)

    return Feature(MULTIPLES, (Part(f"{_name(c)} / {step!r} modulo 16 (-1: no whole multiple)"),), codes)


def _is_multiple(x: np.ndarray, step: float) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        units = x / step
        return (np.abs(units) < 2.0**44) & (np.abs(np.rint(units) * step - x) <= np.abs(x) * 2.0**-52)


def _modulo(x: np.ndarray, step: float) -> np.ndarray:
    """rint(x/step) modulo 16; -1 where that is beyond 2^53."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        units = np.rint(x / step)
        sane = np.abs(units) < 2.0**53
    return np.where(sane, np.where(sane, units, 0).astype(np.int64) & 15, -1)


def _learned_steps(c: int, learning: tuple[np.ndarray, np.ndarray]) -> list[float]:
    """Steps of which the learning rows of P, or those of Q, are often multiples: from pairs of releases whose ratio is
    one of small integers.
    """
    steps = []
    for rows in learning:
        x = np.ascontiguousarray(rows[: 2 * _PAIRS_TRIED, c])
        first, second = x[: x.size // 2], x[x.size // 2 : 2 * (x.size // 2)]
        a, b = small_ratio(first, second)
        telling = (a > 0) & (a.astype(float) * b < 2.0**40)
        tried = np.unique(np.abs(first[telling]) / np.maximum(a[telling], 1))
        shares = sorted(
            ((float(np.mean(_is_multiple(rows[:, c], step))), float(step)) for step in tried if step > 0), reverse=True
        )
        steps += [step for share, step in shares[:_STEPS_KEPT] if share > _OFTEN]
    return steps


def _ratio_features(name: str, ratio: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> list[Feature]:
    """Sizes and last bits of the integers a, b behind a number a/b."""
    of_rows = _Last(ratio)

    def halves(v: np.ndarray) -> np.ndarray:
        return np.where(v > 0, np.floor(2 * np.log2(np.maximum(v, 1))), -1).astype(int)

    def whole_size(rows: np.ndarray) -> tuple[np.ndarray]:
        a, b = of_rows(rows)
        return (np.where(b > 0, np.floor(np.log2(np.maximum(a, 1)) + np.log2(np.maximum(b, 1))), -1).astype(int),)

    def sizes(rows: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(map(halves, of_rows(rows)))

    def divisors(rows: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(np.minimum(lowest_bit(v.astype(np.float64)), 8) for v in of_rows(rows))

    simplest = f"the simplest fraction a/b within rounding of {name}"
    return [
        Feature(RATIOS, (Part(f"floor(log2 (a b)) of {simplest}"),), whole_size),
        Feature(RATIOS, (Part(f"floor(2 log2 a) of {simplest}"), Part("floor(2 log2 b)")), sizes),
        Feature(RATIOS, (Part(f"log2 of the power of two in a of {simplest}"), Part("that in b")), divisors),
    ]


class _Last:
    """A function of rows that keeps its last result: several features share one continued fraction."""

    def __init__(self, function: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]):
        self._function = function
        self._last: tuple[np.ndarray, tuple[np.ndarray, np.ndarray]] | None = None

    def __call__(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self._last is None or rows is not self._last[0]:
            self._last = rows, self._function(rows)
        return self._last[1]


def _seen_before(c: int, learning: tuple[np.ndarray, np.ndarray]) -> Feature:
    """Whether the very same number was among the learning rows of P or of Q."""
    known = [np.unique(np.ascontiguousarray(rows[:, c]).view(np.int64)) for rows in learning]

    def codes(rows: np.ndarray) -> tuple[np.ndarray]:
        bits = np.ascontiguousarray(rows[:, c]).view(np.int64)
        of_p, of_q = (np.isin(bits, values) for values in known)
        return (of_p + 2 * of_q,)

    labels = {
        0: "among no earlier draws",
        1: "among earlier draws of P alone",
        2: "among earlier draws of Q alone",
        3: "among earlier draws of both",
    }
    return Feature(REPEATED, (Part(_name(c), labels),), codes)


def _repeats(rows: np.ndarray) -> np.ndarray:
    ordered = np.sort(np.abs(rows), axis=1)
    return (ordered[:, 1:] == ordered[:, :-1]).sum(axis=1)


def difference(x: np.ndarray, value: float) -> tuple[np.ndarray, np.ndarray]:
    """fl(x - value), and whether nothing was rounded (Knuth's two-sum)."""
    with np.errstate(over="ignore", invalid="ignore"):
        gap = x - value
        back = gap + value
        lost = (x - back) - (value - (back - gap))
    return gap, lost == 0


def _sum(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        return x + y


def trailing_zeros(x: np.ndarray) -> np.ndarray:
    """Trailing zero bits of the 53-bit mantissa, 53 for 0, -1 for infinities and nan."""
    found = lowest_bit(x) - ulp_exponent(x)
    return np.where(x == 0, 53, np.where(np.isfinite(x), found, -1))


def _bit_gap(x: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.clip(lowest_bit(x) - other, -100, 100)


def _quantiles(x: np.ndarray) -> np.ndarray:
    finite = np.sort(x[np.isfinite(x)])
    return np.unique(finite[np.linspace(0, finite.size - 1, _BINS + 1).astype(int)]) if finite.size else np.zeros(1)


def _bin(edges: np.ndarray, x: np.ndarray) -> np.ndarray:
    """How many edges are at or below each number; -1 for nan."""
    return np.where(np.isnan(x), -1, np.searchsorted(edges, x, side="right"))


def _common_unit(x: np.ndarray) -> int:
    """The k of the largest power of two that divides every number seen; 0 where none has a bit."""
    bits = lowest_bit(x)
    return int(bits.min()) if (bits < NO_BIT).any() else 0


def _sign(x: str) -> Part:
    return Part(f"the sign of {x}", {0: "+", 1: "-"})


def _name(c: int) -> str:
    return f"x{c + 1}"
