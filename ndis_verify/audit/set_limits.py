"""Limits of learned sets: one set for one target, a family along the whole profile, every prefix of an order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ndis_verify.audit.candidate_sets import Chooser, ChosenSet, Target, bin_orders, learned_edges, prefix_counts
from ndis_verify.audit.gdp_parameter import GaussianCurve
from ndis_verify.audit.limits import clopper_pearson_lower, clopper_pearson_upper, dkw_radius
from ndis_verify.audit.operating_points import OperatingPoints
from ndis_verify.audit.samples import Sample, Survey, bin_counts

# Epsilons at which the sets of a family are chosen.
_LADDER = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.5, 8.0)


@dataclass(frozen=True, eq=False)
class ScoreAudit:
    """The result of one audit.

    `curve` answers `delta(epsilon)`, `epsilon(delta)` and `trade_off(alpha)`; `basis` says what its answers are worth
    ("guaranteed", "posterior", "assumes GDP", "estimate"); `rows` are the rows of P and Q that the numbers rest on;
    `bins` the bins; `sets` the sets behind the limits, for those methods that choose some, each as its half-open
    intervals of scores.
    """

    method: str
    curve: OperatingPoints | GaussianCurve
    basis: str
    confidence: float
    names: tuple[str, str]
    scores: tuple[int, int]
    rows: tuple[int, int]
    bins: int
    sets: tuple[tuple[tuple[float, float], ...], ...] = field(default=())

    def delta(self, epsilon: Any) -> np.ndarray:
        """Lower limit of delta at `epsilon`, the larger of both orders."""
        return self.curve.delta(epsilon)

    def epsilon(self, delta: Any) -> np.ndarray:
        """Lower limit of the epsilon at `delta`, the larger of both orders."""
        return self.curve.epsilon(delta)

    def trade_off(self, alpha: Any) -> np.ndarray:
        """Upper limit of the trade-off curve T(Q, P) at `alpha`."""
        return self.curve.trade_off(alpha)


@dataclass(frozen=True, eq=False)
class Audited:
    """Two samples, surveyed once, with what a method needs to know."""

    samples: tuple[Sample, Sample]
    surveys: tuple[Survey, Survey]
    failure: float
    target: Target | None
    _counted: dict[bytes, list[tuple[np.ndarray, ...]]] = field(default_factory=dict)
    by_score: list[Any] = field(default_factory=list)  # the attack by one threshold, once a method has asked for it

    @property
    def asked(self) -> Target:
        """The target, of a method that chooses a set for one."""
        assert self.target is not None
        return self.target

    def result(self, method: str, curve: Any, basis: str, part: str, bins: int, sets: tuple = ()) -> ScoreAudit:
        (p, q), (of_p, of_q) = self.samples, self.surveys
        confidence = 0.0 if basis == "estimate" else 1 - self.failure
        return ScoreAudit(
            method,
            curve,
            basis,
            confidence,
            names=(p.name, q.name),
            scores=(of_p.n, of_q.n),
            rows=(of_p.size(part), of_q.size(part)),
            bins=bins,
            sets=sets,
        )

    @cached_property
    def learned_bins(self) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
        """Learned edges, and the counts of P and of Q there of the choosing and of the bounding rows."""
        edges = learned_edges(self.surveys[0].learning, self.surveys[1].learning)
        return edges, self.counts(edges, ("choose", "bound"))

    @cached_property
    def learned(self) -> Learned:
        """What the methods that choose among all orders stand on."""
        return Learned.of(self)

    def counts(self, edges: np.ndarray, parts: tuple[str, ...]) -> list[tuple[np.ndarray, np.ndarray]]:
        """(counts of P, counts of Q) for each part."""
        every, key = ("choose", "bound", "rest", "all"), edges.tobytes()
        if key not in self._counted:  # bins of one kind are counted once, whatever parts are asked for
            self._counted[key] = [
                bin_counts(sample, edges, every, one.n) for sample, one in zip(self.samples, self.surveys, strict=True)
            ]
        of_p, of_q = self._counted[key]
        return [(of_p[place], of_q[place]) for place in map(every.index, parts)]


@dataclass(frozen=True, eq=False)
class Learned:
    """Bins, orders and counts: what the learning rows taught, what the choosing rows say, what the bounding
    rows hold.
    """

    audited: Audited
    edges: np.ndarray
    orders: np.ndarray
    chooser: Chooser
    bound: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, audited: Audited, orders_of: Callable[..., np.ndarray] = bin_orders) -> Learned:
        one, other = audited.surveys
        edges, (choose, bound) = audited.learned_bins
        orders = orders_of(edges, one.learning, other.learning)
        learning = tuple(
            np.bincount(np.searchsorted(edges, survey.learning, side="right"), minlength=edges.size + 1)
            for survey in (one, other)
        )
        return cls(
            audited,
            edges,
            orders,
            Chooser.of(orders, choose, learning, (one.size("bound"), other.size("bound"))),
            bound,
        )

    def held(self, chosen: ChosenSet) -> tuple[int, int]:
        """How many bounding rows of the set's first law and of its other law lie in it."""
        bins = self.orders[chosen.order][: chosen.length]
        p, q = (int(counts[bins].sum()) for counts in self.bound)
        return (
            (p, q)
            if chosen.first_is_p
            else (self.audited.surveys[1].size("bound") - q, self.audited.surveys[0].size("bound") - p)
        )

    def bounded(self, method: str, chosen: list[ChosenSet], failure: float) -> ScoreAudit:
        """Clopper-Pearson limits of every chosen set, `failure` each."""
        power, level = [], []
        for one in chosen:
            first, other = self.held(one)
            n, m = (
                survey.size("bound")
                for survey in (self.audited.surveys if one.first_is_p else self.audited.surveys[::-1])
            )
            power.append(float(clopper_pearson_lower(first, n, failure * one.share)))
            level.append(float(clopper_pearson_upper(other, m, failure * (1 - one.share))))
        points = OperatingPoints.of(
            power, level, [one.first_is_p for one in chosen], 1 - self.audited.failure, "guaranteed"
        )
        sets = tuple(self.intervals(one) for one in chosen)
        return self.audited.result(method, points, "guaranteed", "bound", self.edges.size + 1, sets)

    def intervals(self, chosen: ChosenSet) -> tuple[tuple[float, float], ...]:
        """The set as half-open intervals [a, b) of scores, neighbours merged."""
        inside = np.zeros(self.edges.size + 1, dtype=bool)
        inside[self.orders[chosen.order][: chosen.length]] = True
        inside = inside if chosen.first_is_p else ~inside
        bounds = np.concatenate([[-np.inf], self.edges, [np.inf]])
        change = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(int)))
        return tuple((float(bounds[a]), float(bounds[b])) for a, b in zip(change[::2], change[1::2], strict=True))


def best_set(audited: Audited) -> ScoreAudit:
    learned = audited.learned
    chosen = learned.chooser.choose(audited.asked, audited.failure)
    return learned.bounded("best-set", [chosen], audited.failure)


def family(audited: Audited) -> ScoreAudit:
    learned = audited.learned
    # The failure of each is not known before their number is; forecasts change little with it.
    targets = [Target(epsilon=eps) for eps in _LADDER] + [Target(delta=d) for d in (1e-1, 1e-2, 1e-3, 1e-5)]
    found = [learned.chooser.choose(target, audited.failure / 12, np.array([0.5])) for target in targets]
    chosen = list(dict.fromkeys(found))
    return learned.bounded("family", chosen, audited.failure / len(chosen))


def dkw(audited: Audited) -> ScoreAudit:
    learned = audited.learned
    target = audited.target or Target(epsilon=0.0)
    order = learned.chooser.choose(target, audited.failure).order
    p, q = (prefix_counts(learned.orders[order : order + 1], counts)[0] for counts in learned.bound)
    n, m = (one.size("bound") for one in audited.surveys)
    points = within_radii(
        p / n, q / m, dkw_radius(n, audited.failure / 2), dkw_radius(m, audited.failure / 2), 1 - audited.failure
    )
    return audited.result("dkw", points, "guaranteed", "bound", learned.edges.size + 1)


def within_radii(power: np.ndarray, level: np.ndarray, of_p: float, of_q: float, confidence: float) -> OperatingPoints:
    """Prefixes in both directions: P(S) >= P^(S) - r_P, Q(S) <= Q^(S) + r_Q, and the same for their complements."""
    forward = (np.maximum(power - of_p, 0), np.minimum(level + of_q, 1), np.ones(power.shape, bool))
    backward = (np.maximum(1 - level - of_q, 0), np.minimum(1 - power + of_p, 1), np.zeros(power.shape, bool))
    power, level, first_is_p = (np.concatenate(pair) for pair in zip(forward, backward, strict=True))
    return OperatingPoints.of(power, level, first_is_p, confidence, "guaranteed" if confidence else "estimate")
