"""Sets of scores that are worth bounding: bins and orders learned on some rows, the choice made on others."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import ndtri

MOST_EPSILON = 700.0  # e^epsilon stays finite
_MOST_ATOMS = 256
_RESOLUTIONS = (8, 32, 128)
_SHARES = np.array([0.1, 0.25, 0.5, 0.75])
_CLIP = 6.0
_CAUTION = 1.0
_SETTLED = 1e-9  # a step of Newton's method after which the next would be its square
# this many orders, the first ones, fit too few parameters to have learned noise: learning rows may judge them too
SMOOTH = 3


@dataclass(frozen=True)
class Target:
    """What a set is chosen for: the largest epsilon at `delta`, or the largest delta at `epsilon`; one of
    them is None.
    """

    delta: float | None = None
    epsilon: float | None = None

    def value(self, power: np.ndarray, level: np.ndarray) -> np.ndarray:
        """How good limits are: an epsilon or a delta, possibly negative."""
        if self.epsilon is not None:
            with np.errstate(over="ignore"):
                return power - np.exp(self.epsilon) * level
        with np.errstate(divide="ignore"):
            return np.where(power > self.delta, np.log(np.maximum(power - self.delta, 1e-300)), -800.0) - np.log(level)


@dataclass(frozen=True)
class ChosenSet:
    """The first `length` bins of order number `order`; `share` of the allowed failure goes to the limit of
    the power.
    """

    order: int
    length: int
    first_is_p: bool
    share: float


def learned_edges(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Bin edges from two sorted learning samples.

    Every distinct score if there are at most 256; else quantiles of both samples, evenly spaced and halving towards
    both ends, and six more beyond each end, where tails that fall like exponentials would halve again.
    """
    distinct = np.unique(np.concatenate([p, q]))
    inner = distinct[1:] if distinct.size <= _MOST_ATOMS else np.unique(np.concatenate([_quantiles(p), _quantiles(q)]))
    beyond = np.concatenate([_beyond(np.sort(np.concatenate([p, q]))), -_beyond(np.sort(-np.concatenate([p, q])))])
    edges = np.unique(np.concatenate([inner, beyond]))
    return edges[np.isfinite(edges)]


def _quantiles(values: np.ndarray) -> np.ndarray:
    n = values.size
    even = np.linspace(0, n - 1, int(np.clip(2 * n ** (1 / 3), 4, 128)))
    tail = n / 2 ** np.arange(1, max(np.log2(n), 1), 0.5)
    rows = np.concatenate([even, tail, n - 1 - tail])
    return values[np.unique(np.clip(np.round(rows), 0, n - 1).astype(int))]


def _beyond(values: np.ndarray) -> np.ndarray:
    """Six points past the largest value, spaced by what an octave of the tail takes."""
    octave = (values[-1] - values[max(values.size - 9, 0)]) / 3
    return values[-1] + octave * np.arange(0.5, 6) if octave > 0 else np.nextafter(values[-1:], np.inf)


def bin_orders(edges: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Orders of the bins, most telling of P first: shape (orders, bins).

    By the score, both ways; by a log odds that is quadratic in the score (logistic regression), which is the likelihood
    ratio of two normal laws; by the ratio of frequencies in 8, 32 and 128 groups of neighbouring bins.
    """
    of_p, of_q = (np.bincount(np.searchsorted(edges, v, side="right"), minlength=edges.size + 1) for v in (p, q))
    natural = np.arange(edges.size + 1)
    orders = [natural[::-1], natural, np.argsort(-_quadratic_log_odds(edges, of_p, of_q), kind="stable")]
    below = np.cumsum(of_p / max(p.size, 1) + of_q / max(q.size, 1)) - 1e-12
    for groups in _RESOLUTIONS:
        if groups < 2 * edges.size:
            group = np.minimum((below * groups / 2).astype(int), groups - 1)
            share_p, share_q = (np.bincount(group, counts, groups) + 0.5 for counts in (of_p, of_q))
            orders.append(np.argsort(-np.log(share_p * q.size / (share_q * p.size))[group], kind="stable"))
    return np.array(orders)


def _quadratic_log_odds(edges: np.ndarray, of_p: np.ndarray, of_q: np.ndarray) -> np.ndarray:
    """a + b z + c z^2 fitted by Newton's method to the frequencies, z the centred and scaled score of a bin, within
    +-6.
    """
    middle = np.concatenate([edges[:1], (edges[1:] + edges[:-1]) / 2, edges[-1:]])
    weight = of_p + of_q
    cumulative = np.cumsum(weight) / weight.sum()
    centre, low, high = (middle[np.searchsorted(cumulative, level)] for level in (0.5, 0.16, 0.84))
    scale = (high - low) / 2 or 1.0
    z = np.clip((middle - centre) / scale, -_CLIP, _CLIP)
    features = np.stack([np.ones_like(z), z, z * z], axis=1)
    wp, wq = of_p / of_p.sum(), of_q / of_q.sum()
    ridge, coefficients = 1e-3 * np.eye(3), np.zeros(3)
    for _ in range(25):
        odds = np.clip(features @ coefficients, -30, 30)
        chance = 1 / (1 + np.exp(-odds))
        slope = features.T @ (wp - (wp + wq) * chance) - ridge @ coefficients
        curvature = (features * ((wp + wq) * chance * (1 - chance))[:, None]).T @ features + ridge
        step = np.linalg.solve(curvature, slope)
        longest = np.abs(step).max()
        coefficients = coefficients + step * min(1.0, 2.0 / max(longest, 1e-300))
        if longest < _SETTLED:
            break
    return features @ coefficients


def prefix_counts(orders: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """How many rows are in the first 1, ..., bins - 1 bins of each order."""
    return np.cumsum(counts[orders], axis=1)[:, :-1]


@dataclass(frozen=True, eq=False)
class Chooser:
    """Chooses sets by what their limits will be, forecast from rows that do not bound."""

    rates: np.ndarray  # shares of P and Q in the prefixes, (2, orders, bins - 1)
    sizes: np.ndarray  # rows behind them, (2, orders, 1)
    bound_sizes: tuple[int, int]
    _forecasts: dict[tuple[bool, float, float], tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    @classmethod
    def of(cls, orders: np.ndarray, choosing: tuple, learning: tuple, bound_sizes: tuple[int, int]) -> Chooser:
        """From the counts in the bins of the choosing and of the learning rows, (P, Q) each."""
        rates, sizes = [], []
        for chosen, learned in zip(choosing, learning, strict=True):
            counts, size = prefix_counts(orders, chosen).astype(float), np.full((len(orders), 1), float(chosen.sum()))
            counts[:SMOOTH] += prefix_counts(orders[:SMOOTH], learned)
            size[:SMOOTH] += learned.sum()
            rates.append(counts / size)
            sizes.append(size)
        return cls(np.stack(rates), np.stack(sizes), bound_sizes)

    @cached_property
    def cautious(self) -> tuple[np.ndarray, np.ndarray]:
        """The rates less and more by their noise: the best of many noisy forecasts is too good; a forecast that counts
        its own noise against itself is less so.
        """
        spread = np.sqrt((self.rates * (1 - self.rates) + 1 / self.sizes) / self.sizes)
        return np.maximum(self.rates - _CAUTION * spread, 0), np.minimum(self.rates + _CAUTION * spread, 1)

    def choose(self, target: Target, failure: float, shares: np.ndarray = _SHARES) -> ChosenSet:
        """The order, prefix, direction and share of the failure probability with the best forecast for `target`."""
        best = -np.inf
        found: ChosenSet | None = None
        for first_is_p in (True, False):
            for share in shares:
                value = target.value(*self._limits(first_is_p, failure, float(share)))
                place = np.unravel_index(int(np.argmax(value)), value.shape)
                if value[place] > best:
                    best, found = value[place], ChosenSet(int(place[0]), int(place[1]) + 1, first_is_p, float(share))
        assert found is not None  # every forecast has a value
        return found

    def _limits(self, first_is_p: bool, failure: float, share: float) -> tuple[np.ndarray, np.ndarray]:
        """Forecasts of the power and of the level of every prefix; the same for every target, and made once."""
        if (key := (first_is_p, failure, share)) not in self._forecasts:
            low, high = self.cautious
            one, other = (low[0], high[1]) if first_is_p else (1 - high[1], 1 - low[0])
            n, m = self.bound_sizes if first_is_p else self.bound_sizes[::-1]
            self._forecasts[key] = (
                _forecast(one, n, -ndtri(failure * share), -1),
                _forecast(other, m, -ndtri(failure * (1 - share)), 1),
            )
        return self._forecasts[key]


def _forecast(rate: np.ndarray, n: int, z: float, side: int) -> np.ndarray:
    """Wilson's score limit at frequency `rate` of n rows: near the exact limit, and quick enough to try every set."""
    squared = z * z / n
    return np.maximum(rate + squared / 2 + side * z * np.sqrt(rate * (1 - rate) / n + squared / (4 * n)), 1e-300) / (
        1 + squared
    )
