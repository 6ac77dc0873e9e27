"""What the bits of a sampler's releases prove about its privacy: events chosen on one half of the draws, bounded on the
other.

Floating-point noise keeps traces of what it was added to (Mironov 2012): trailing zeros after cancellation, numbers
that the noise could not have made, integers that a ratio gives back. For any event S, delta(eps) >= P(S) - e^eps Q(S),
so an event of bits that one database makes likelier refutes a claim as well as any other.

Why the limits hold. The first half of each side's draws, and nothing else, decides which events are looked at: features
are fitted to its first half and the sets of their values are chosen on its second half. Given these, the counts on the
other half of the draws are binomial, exactly, whatever P and Q are; Clopper-Pearson limits hold for each, and
Bonferroni's inequality makes all of them hold at once with probability at least the confidence. Draws must be
independent within each side; P's and Q's need not be of each other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from ndis_verify.audit.bit_features import (
    FAMILIES,
    TOGETHER,
    Feature,
    NoiseTest,
    Part,
    coordinates,
    features,
    size_and_low_bits,
)
from ndis_verify.audit.candidate_sets import MOST_EPSILON, Chooser, ChosenSet, Target
from ndis_verify.audit.limits import checked_confidence, clopper_pearson_lower, clopper_pearson_upper
from ndis_verify.audit.operating_points import OperatingPoints
from ndis_verify.exact_number import InputError, require_unmasked
from ndis_verify.rich import field_table

Sampler = Callable[[int], Any]
MOST_CELLS = 512
FEWEST, MOST_DRAWS, MOST_NUMBERS = 32, 10**8, 10**8
_HEADLINE = (
    0.5  # of the allowed failure: for the event with the best forecast; the rest is shared by the best of each family
)
_EVIDENCE, _MOST_SUMMED = 4.0, 64  # steps to a nat in which the evidence of coordinates is summed, and of how many


@dataclass(frozen=True)
class BitEvent:
    """An event S with limits of its probabilities: at least `power` under `first` ("P" or "Q"), at most `level` under
    the other.

    `counts`: how many of the confirming draws of the first law, and of the other, were in S.
    """

    family: str
    words: str
    first: str
    counts: tuple[int, int]
    power: float
    level: float

    def delta(self, epsilon: float) -> float:
        """`max(0, power - e^epsilon level)`: a lower limit of delta at epsilon."""
        return float(self._point.delta(epsilon))

    def epsilon(self, delta: float) -> float:
        """`max(0, log((power - delta)/level))`: a lower limit of epsilon at delta."""
        return float(self._point.epsilon(delta))

    @property
    def _point(self) -> OperatingPoints:
        return OperatingPoints(np.array([self.power]), np.array([self.level]), np.array([True]), 0.0, "guaranteed")


@dataclass(frozen=True, eq=False)
class BitAudit:
    """The result of one audit: `events`, the best of each family, limits that hold for all of them at once at
    `confidence`.

    draws: of P and of Q in all; confirming: those that the limits rest on; width: numbers in a release, of which
    `looked_at` were looked at one by one; target: what events were chosen for.
    """

    events: tuple[BitEvent, ...]
    confidence: float
    draws: tuple[int, int]
    confirming: tuple[int, int]
    width: int
    looked_at: int
    target: Target

    def _repr_html_(self) -> str:
        return field_table(self)

    @property
    def curve(self) -> OperatingPoints:
        """The limits of all events and of their complements."""
        power, level = [event.power for event in self.events], [event.level for event in self.events]
        of_p = [event.first == "P" for event in self.events]
        return OperatingPoints.of(power, level, of_p, self.confidence, "guaranteed")

    @property
    def best(self) -> BitEvent:
        """The event that proves most for the target."""
        epsilon, delta = self.target.epsilon, self.target.delta or 0.0
        if epsilon is not None:
            return max(self.events, key=lambda event: event.power - np.exp(epsilon) * event.level)
        return max(self.events, key=lambda event: (event.power - delta) / event.level)

    def delta(self, epsilon: Any) -> np.ndarray:
        """Lower limit of delta at `epsilon`, the larger of both orders."""
        return self.curve.delta(epsilon)

    def epsilon(self, delta: Any) -> np.ndarray:
        """Lower limit of epsilon at `delta`, the larger of both orders."""
        return self.curve.epsilon(delta)

    def refutes(self, epsilon: float, delta: float) -> bool:
        """Whether the claim of (epsilon, delta)-DP is refuted at the confidence."""
        return bool(self.delta(epsilon) > delta)


def audit_bits(
    p: Any,
    q: Any,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    draws: int = 40_000,
    confidence: float = 0.95,
    value_p: Any = None,
    value_q: Any = None,
    grids: Sequence[float] = (),
    noises: Mapping[str, NoiseTest] | None = None,
) -> BitAudit:
    """Lower limits of epsilon and delta from the bits of releases on two neighbouring databases.

    Events are chosen for the largest delta at `epsilon`, or, without one, for the largest epsilon at `delta`.

    Parameters
    ----------
    p, q : array or function
        Releases, n or n x k, on the two databases; or functions sampler(count) that give such an array of `count` fresh
        ones, called twice for half of the draws each time. Infinities and nan are values like others.
    epsilon, delta : float, at least one of them
        The claim: 0 <= epsilon <= 700, 0 <= delta < 1.
    draws : int
        Releases asked of each function, at least 32.
    confidence : float
        Of all limits together, in [0.5, 1).
    value_p, value_q : k numbers or one, optional
        What would be released without noise.
    grids : positive floats, optional
        Public steps of which releases may be multiples.
    noises : dict, optional
        name -> test(x, value): whether a noise generator could have made each x from the value; see `float_noise`.

    Returns
    -------
    BitAudit
        Its limits are above the truth with probability at most 1 - confidence, whatever the laws: see the module.

    Raises
    ------
    InputError
        Bad arguments; releases that are no numbers or differ in length; a function that gives the same draws twice.

    Examples
    --------
    >>> from ndis_verify.audit import audit_bits
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> audit = audit_bits(lambda n: rng.normal(0, 1, n), lambda n: rng.normal(5, 1, n), epsilon=1.0, draws=2000)
    >>> audit.refutes(1.0, 0.01)
    True
    """
    target = _target(epsilon, delta)
    failure = 1 - checked_confidence(confidence)
    noises = {} if noises is None else noises
    if not (isinstance(noises, Mapping) and all(map(callable, noises.values()))):
        raise InputError("noises", noises, "must be functions by their names")
    steps = _steps(grids)
    parts = _Draws.of(p, q, draws)
    values = {"value_p": value_p, "value_q": value_q}
    known = {name: _value(value, parts.width, name) for name, value in values.items() if value is not None}
    orders = _orders(parts.learning, features(parts.learning, known, steps, noises))
    return BitAudit(
        events=_events(orders, parts, target, failure),
        confidence=1 - failure,
        draws=parts.sizes,
        confirming=parts.confirmed,
        width=parts.width,
        looked_at=len(coordinates(parts.width)),
        target=target,
    )


@dataclass(frozen=True, eq=False)
class _Draws:
    """The draws of P and of Q by what they are for; no draw is for two things."""

    learning: tuple[np.ndarray, np.ndarray]
    choosing: tuple[np.ndarray, np.ndarray]
    confirming: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, p: Any, q: Any, draws: Any) -> _Draws:
        """From what the user gave. Raises `InputError`."""
        (first_p, rest_p), (first_q, rest_q) = _halves(p, draws, "p"), _halves(q, draws, "q")
        width = first_p.shape[1]
        if first_q.shape[1] != width:
            raise InputError("q", f"releases of {first_q.shape[1]} numbers", f"must have as many as p's, {width}")
        half_p, half_q = len(first_p) // 2, len(first_q) // 2
        return cls((first_p[:half_p], first_q[:half_q]), (first_p[half_p:], first_q[half_q:]), (rest_p, rest_q))

    @property
    def width(self) -> int:
        """Numbers in a release."""
        return self.learning[0].shape[1]

    @property
    def sizes(self) -> tuple[int, int]:
        """Draws of P and of Q in all."""
        of_p, of_q = (sum(map(len, rows)) for rows in zip(self.learning, self.choosing, self.confirming))
        return of_p, of_q

    @property
    def confirmed(self) -> tuple[int, int]:
        """Draws of P and of Q that confirm."""
        return len(self.confirming[0]), len(self.confirming[1])


def _events(orders: Sequence[_Order], draws: _Draws, target: Target, failure: float) -> tuple[BitEvent, ...]:
    """The chosen events with their limits; one that is chosen twice has the larger share of the failure."""
    chosen = _chosen(orders, draws.choosing, draws.confirmed, target, failure)
    events = {
        (one.order, one.length, one.first_is_p): _confirmed(orders, one, share, draws.confirming)
        for one, share in reversed(chosen)
    }
    return tuple(reversed(events.values()))


@dataclass(frozen=True, eq=False)
class _Order:
    """The cells of a feature, most telling of P first; `rest` is the place of all cells that were not learned."""

    feature: Feature
    cells: tuple[int, ...]
    rest: int

    def counts(self, cells: np.ndarray) -> np.ndarray:
        """How many of these cells are in each place of the order."""
        return np.bincount(self.places(cells), minlength=len(self.cells) + 1)

    def places(self, cells: np.ndarray) -> np.ndarray:
        """The place of each cell. What comes after `rest` has moved by one to make room for it."""
        known = np.array(self.cells, np.int64)
        sort = np.argsort(known)
        at = sort[np.minimum(np.searchsorted(known, cells, sorter=sort), known.size - 1)]
        return np.where(known[at] == cells, at + (at >= self.rest), self.rest)

    def words(self, length: int, first: bool) -> str:
        """The event that the place is among the first `length`, or among the others."""
        if length > len(self.cells):
            return "any release" if first else "no release"
        places = range(length) if first else range(length, len(self.cells) + 1)
        inside = [self.cells[k - (k > self.rest)] for k in places if k != self.rest]
        if self.rest not in places:
            return self.feature.words(inside)
        return f"not: {self.feature.words(sorted(set(self.cells) - set(inside)))}"


def _orders(learning: tuple[np.ndarray, np.ndarray], found: Sequence[Feature]) -> list[_Order]:
    """Every feature's cells by their learned ratio of frequencies, those of one part by its values too; and the
    evidence of all coordinates.
    """
    orders = []
    for feature in found:
        order, _ = _by_ratio(feature, learning)
        orders.append(order)
        if len(feature.parts) == 1 and feature.parts[0].labels is None:
            ascending = tuple(sorted(order.cells))
            orders += [_Order(feature, cells, len(cells)) for cells in (ascending, ascending[::-1])]
    if learning[0].shape[1] > 1:
        for evidence in map(partial(_evidence, learning), (False, True)):
            cells = tuple(np.unique(evidence.cells(np.concatenate(learning)))[::-1].tolist())
            orders.append(_Order(evidence, cells, len(cells)))
    return orders


def _by_ratio(feature: Feature, learning: tuple[np.ndarray, np.ndarray]) -> tuple[_Order, np.ndarray]:
    """The order by the ratio of (smoothed) frequencies under P and Q, and its logarithm at each place, 0 at `rest`."""
    cells, side = np.unique(np.concatenate([feature.cells(rows) for rows in learning]), return_inverse=True)
    n, m = map(len, learning)
    p, q = (np.bincount(part, minlength=cells.size) for part in (side[:n], side[n:]))
    kept = np.argsort(-(p + q), kind="stable")[:MOST_CELLS]
    ratios = np.log((p[kept] + 0.5) / n) - np.log((q[kept] + 0.5) / m)
    by_ratio = np.argsort(-ratios, kind="stable")
    rest = int((ratios > 0).sum())
    return _Order(feature, tuple(cells[kept][by_ratio].tolist()), rest), np.insert(ratios[by_ratio], rest, 0.0)


def _evidence(learning: tuple[np.ndarray, np.ndarray], alike: bool) -> Feature:
    """The learned log ratios of size and low bits, summed over the coordinates; `alike`: learned as if all had one law,
    from all of them.
    """
    chosen = coordinates(learning[0].shape[1], _MOST_SUMMED)
    if alike:
        of_p, of_q = (rows[:, chosen].reshape(-1, 1) for rows in learning)
        order, ratios = _by_ratio(size_and_low_bits(0), (of_p, of_q))
        tables = [(size_and_low_bits(c), order, ratios) for c in chosen]
    else:
        tables = [(size_and_low_bits(c), *_by_ratio(size_and_low_bits(c), learning)) for c in chosen]

    def codes(rows: np.ndarray) -> tuple[np.ndarray]:
        total = sum(ratios[order.places(feature.cells(rows))] for feature, order, ratios in tables)
        return (np.floor(_EVIDENCE * total).astype(int),)

    one = "one table of " if alike else ""
    return Feature(
        TOGETHER,
        (Part(f"floor({_EVIDENCE:g} times the sum of {one}learned log ratios of sign, size and trailing zero bits)"),),
        codes,
    )


def _chosen(
    orders: Sequence[_Order],
    choosing: tuple[np.ndarray, np.ndarray],
    confirming: tuple[int, int],
    target: Target,
    failure: float,
) -> list[tuple[ChosenSet, float]]:
    """The set with the best forecast of each family, the best of all first, and the failure probability that each may
    spend.
    """
    length = max(len(order.cells) for order in orders) + 1
    rates = np.ones((2, len(orders), length - 1))
    sizes = np.ones((2, len(orders), 1)) * np.array([len(rows) for rows in choosing])[:, None, None]
    for feature, of_feature in groupby(enumerate(orders), key=lambda item: item[1].feature):
        cells = [feature.cells(rows) for rows in choosing]
        for k, order in of_feature:
            for side in (0, 1):
                counts = np.cumsum(order.counts(cells[side]))[:-1]
                rates[side, k, : counts.size] = counts / cells[side].size
    groups = [np.flatnonzero([order.feature.family == family for order in orders]) for family in FAMILIES]
    groups = [group for group in groups if group.size]
    spent = failure * (1 - _HEADLINE) / len(groups)
    found: list[tuple[ChosenSet, float]] = []
    for group in (np.arange(len(orders)), *groups):
        share = failure * _HEADLINE if group.size == len(orders) and not found else spent
        one = Chooser(rates[:, group], sizes[:, group], confirming).choose(target, share)
        found.append((ChosenSet(int(group[one.order]), one.length, one.first_is_p, one.share), share))
    return found


def _confirmed(
    orders: Sequence[_Order], chosen: ChosenSet, failure: float, confirming: tuple[np.ndarray, np.ndarray]
) -> BitEvent:
    """The set's counts on the draws that chose nothing, and their limits."""
    order, (n, m) = orders[chosen.order], map(len, confirming)
    p, q = (int(order.counts(order.feature.cells(rows))[: chosen.length].sum()) for rows in confirming)
    first, other = ((p, n), (q, m)) if chosen.first_is_p else ((m - q, m), (n - p, n))
    power = float(clopper_pearson_lower(*first, failure * chosen.share))
    level = float(clopper_pearson_upper(*other, failure * (1 - chosen.share)))
    words = order.words(chosen.length, chosen.first_is_p)
    return BitEvent(order.feature.family, words, "P" if chosen.first_is_p else "Q", (first[0], other[0]), power, level)


def _target(epsilon: Any, delta: Any) -> Target:
    if epsilon is None and delta is None:
        raise InputError("epsilon, delta", "neither", "at least one is needed")
    if epsilon is not None and not (_real(epsilon) and 0 <= epsilon <= MOST_EPSILON):
        raise InputError("epsilon", epsilon, f"must lie between 0 and {MOST_EPSILON:g}")
    if delta is not None and not (_real(delta) and 0 <= delta < 1):
        raise InputError("delta", delta, "must lie in [0, 1)")
    return Target(epsilon=float(epsilon)) if epsilon is not None else Target(delta=float(delta))


def _real(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.timedelta64))


def _halves(source: Any, draws: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The draws that choose and the draws that confirm, n x k each. Raises `InputError`."""
    if not callable(source):
        rows = _matrix(source, name)
        if len(rows) < FEWEST:
            raise InputError(name, f"{len(rows)} releases", f"needs at least {FEWEST}")
        return rows[: len(rows) // 2], rows[len(rows) // 2 :]
    if not isinstance(draws, (int, np.integer)) or isinstance(draws, bool) or not FEWEST <= draws <= MOST_DRAWS:
        raise InputError("draws", draws, f"must be a whole number from {FEWEST} to {MOST_DRAWS}")
    counts = int(draws) // 2, int(draws) - int(draws) // 2
    first, second = (_matrix(source(count), name, count) for count in counts)
    if first.shape[1] != second.shape[1]:
        raise InputError(
            name, f"releases of {first.shape[1]} and then of {second.shape[1]} numbers", "must all have as many"
        )
    _refuse_replay(first, second, name)
    return first, second


def _refuse_replay(first: np.ndarray, second: np.ndarray, name: str) -> None:
    """Draws that come again in the same order are not independent: a generator that is seeded anew at each call."""
    start = min(len(first), len(second))
    bits = first[:start].view(np.int64)
    if np.array_equal(bits, second[:start].view(np.int64)) and len(np.unique(bits, axis=0)) > 8:
        raise InputError(
            name, "the same draws in both halves", "must give fresh draws at every call, not seed its generator anew"
        )


def _matrix(given: Any, name: str, count: int | None = None) -> np.ndarray:
    """Releases as an n x k float64 array, infinities and nan allowed. Raises `InputError`."""
    require_unmasked(given, name)
    try:
        held = np.asarray(given)
    except ValueError:
        raise InputError(name, type(given).__name__, "must be releases that all have one length") from None
    if held.dtype.kind not in "fiu" or held.dtype.itemsize > 8:
        raise InputError(name, f"releases of type {held.dtype}", "must be arrays of float64s, all of one length")
    if held.ndim == 0 or (count is not None and len(held) != count):
        raise InputError(
            name,
            f"an array of shape {held.shape}",
            "must have one row for each release" + (f", {count} of them" if count else ""),
        )
    if held.size > MOST_NUMBERS or not held.size:
        raise InputError(name, f"{held.size} numbers", f"must be between 1 and {MOST_NUMBERS}")
    rows = held.reshape(len(held), -1)
    floats = rows.astype(np.float64)
    if held.dtype.kind in "iu" and not (floats.astype(object) == rows.astype(object)).all():
        raise InputError(name, "whole numbers beyond 2^53", "must be float64s exactly")
    return floats


def _value(value: Any, width: int, name: str) -> np.ndarray:
    require_unmasked(value, name)
    try:
        rows = np.asarray(value)
    except ValueError:  # lists of several lengths
        rows = np.empty(0)
    if rows.dtype.kind not in "fiu" or rows.size not in (1, width) or not np.isfinite(rows.astype(np.float64)).all():
        raise InputError(name, str(value)[:80], f"must be {width} finite numbers, or one")
    return np.broadcast_to(rows.astype(np.float64).ravel(), width)


def _steps(grids: Any) -> list[float]:
    if not (_real(grids) or isinstance(grids, Iterable)):
        raise InputError("grids", grids, "must be positive finite steps")
    steps = [grids] if _real(grids) else list(grids)
    for step in steps:
        if not (_real(step) and 0 < step <= sys.float_info.max):
            raise InputError("grids", step, "must be positive finite steps")
    return [float(step) for step in steps]
