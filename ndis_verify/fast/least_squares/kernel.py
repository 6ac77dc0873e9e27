"""log E (A + B xi)_+^k for xi one coordinate of a uniform direction in R^d: the inner integral of `finite_law`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betaln

_TERMS = 2**14  # of sums worked on together: they then stay in the cache
_EDGE = 600.0  # logistic coordinates beyond it hold less than e^-300 of any integral here


@dataclass(frozen=True)
class Rule:
    """The trapezoid rule for the integral of e^terms over |u| < 4.8."""

    step: float

    @cached_property
    def nodes(self) -> np.ndarray:
        count = round(4.8 / self.step)
        return np.arange(-count, count + 1) * self.step

    @cached_property
    def log_slopes(self) -> np.ndarray:
        """log of dv/du of v = sinh u at the nodes."""
        return np.log(np.cosh(self.nodes))


FULL, DRAFT = Rule(0.08), Rule(0.2)  # errors of about 1e-12 and 1e-6, relative


def log_kernel(
    total: np.ndarray, rest: np.ndarray, spread: np.ndarray, k: np.ndarray, d: int, rule: Rule | None = FULL
) -> np.ndarray:
    """log E (A + B xi)_+^k, given total = A + B > 0, rest = A - B and spread = B >= 0, elementwise.

    xi has density (1 - xi^2)^{(d-3)/2}/B(1/2, (d-1)/2) on [-1, 1] (d = 1: +-1 with equal chance). Trapezoid rule in the
    logistic coordinate of the interval where A + B xi > 0, centred at the mode; without a `rule` a Laplace estimate.
    """
    with np.errstate(all="ignore"):
        if d == 1:
            other = np.where(rest > 0, k * np.log(np.maximum(rest, 1e-300)), -np.inf)
            return np.logaddexp(k * np.log(total), other) - np.log(2.0)
        form = _Interval(total, rest, spread, k, (d - 1) / 2)
        value = form.laplace() if rule is None else form.trapezoid(rule)
        return value + k * np.log(total) - betaln(0.5, (d - 1) / 2)


def logistic(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(log s, log(1 - s)) for s = 1/(1 + e^{-v})."""
    shared = np.log1p(np.exp(-np.abs(v)))
    return np.minimum(v, 0.0) - shared, -np.maximum(v, 0.0) - shared


class _Interval:
    """xi from `1 - width` to 1, s its share of the way: the integrand is
    `(base + (1 - base) s)^k (1 - s)^m (low + width s)^{m-1} width^m s dv`, m = (d-1)/2, over (A + B)^k."""

    def __init__(self, total: np.ndarray, rest: np.ndarray, spread: np.ndarray, k: np.ndarray, m: float):
        self.whole = rest >= 0  # A + B xi > 0 on all of [-1, 1]
        self.base = np.where(self.whole, rest / total, 0.0)
        self.width = np.where(self.whole, 2.0, total / spread)
        self.low = np.where(self.whole, 0.0, -rest / spread)
        self.k, self.m = k, m

    def _mode(self) -> np.ndarray:
        """The root in (0, 1) of the quadratic that the logarithmic derivative is proportional to."""
        k, m, base, width, low = self.k, self.m, self.base, self.width, self.low
        two = np.where(self.whole, -(1 - base) * (2 * m + k), -(k + 2 * m) * width)
        one = np.where(self.whole, (m + k) * (1 - base) - 2 * m * base, (k + m) * width - (k + 1 + m) * low)
        zero = np.where(self.whole, m * base, (k + 1) * low)
        root = np.sqrt(np.maximum(one * one - 4 * two * zero, 0.0))
        half = -0.5 * (one + np.where(one >= 0, root, -root))
        return np.clip(np.where(one >= 0, half / two, zero / half), 1e-300, 1 - 1e-16)

    def _window(self) -> tuple[np.ndarray, np.ndarray]:
        s = self._mode()
        slope = s * (1 - s)

        def bend(base: np.ndarray, width: np.ndarray) -> np.ndarray:
            ratio = width / (base + width * s)
            return ratio * slope * (1 - 2 * s) - (ratio * slope) ** 2

        ends = np.where(self.whole, -slope, bend(self.low, self.width))
        curvature = (self.m + 1) * slope - self.k * bend(self.base, 1 - self.base) - (self.m - 1) * ends
        return np.log(s) - np.log1p(-s), 1 / np.sqrt(np.maximum(curvature, 1e-12))

    def _log_integrand(self, v: np.ndarray) -> np.ndarray:
        """Over the last axis of v, |v| <= _EDGE: weights times log(affine), log s and log(1 - s), and what does not
        depend on v.
        """
        whole, k, m = self.whole, self.k, self.m
        start, slope = np.where(whole, self.base, self.low), np.where(whole, 1 - self.base, self.width)
        bent, rising = np.where(whole, k, m - 1), np.where(whole, m, k + 1)
        constant = m * np.log(self.width) + np.where(whole, (m - 1) * np.log(2.0), 0.0)
        size = np.exp(-np.abs(v))
        s = np.where(v > 0, 1.0, size)
        s /= 1 + size
        s *= slope[..., None]
        s += start[..., None]
        value = np.log(s, out=s)
        value *= bent[..., None]
        value += np.minimum(v, 0.0) * rising[..., None]
        value -= np.maximum(v, 0.0) * m
        shared = np.log1p(size, out=size)
        shared *= (rising + m)[..., None]
        value -= shared
        value += constant[..., None]
        return value

    def laplace(self) -> np.ndarray:
        centre, scale = self._window()
        return (
            self._log_integrand(np.clip(centre, -_EDGE, _EDGE)[..., None])[..., 0]
            + np.log(scale)
            + 0.5 * np.log(2 * np.pi)
        )

    def trapezoid(self, rule: Rule) -> np.ndarray:
        at_once = _TERMS // rule.nodes.size
        if self.whole.ndim != 1 or self.whole.size > at_once:
            rows, result = self._flat(), np.empty(self.whole.size)
            for start in range(0, result.size, at_once):
                result[start : start + at_once] = rows._take(slice(start, start + at_once)).trapezoid(rule)
            return result.reshape(self.whole.shape)
        centre, scale = self._window()
        v = np.clip(centre[:, None] + scale[:, None] * np.sinh(rule.nodes), -_EDGE, _EDGE)
        return log_sum(self._log_integrand(v) + rule.log_slopes) + np.log(scale * rule.step)

    def _flat(self) -> _Interval:
        return self._take(np.arange(self.whole.size), np.ravel)

    def _take(self, rows: np.ndarray | slice, shaped: Callable[[np.ndarray], np.ndarray] = np.asarray) -> _Interval:
        part = object.__new__(_Interval)
        part.m = self.m
        for name in ("whole", "base", "width", "low", "k"):
            setattr(part, name, shaped(getattr(self, name))[rows])
        return part


def log_sum(logs: np.ndarray) -> np.ndarray:
    """log of the sum of exponentials along the last axis."""
    top = logs.max(axis=-1)
    return top + np.log(np.exp(logs - top[..., None]).sum(axis=-1))
