"""The std and the epsilon of a mechanism with one unknown parameter, with intervals, from its total variation
(KM-7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndis_verify.arguments import real
from ndis_verify.audit.histogram import equal_edges
from ndis_verify.audit.limits import checked_confidence, clopper_pearson_lower, clopper_pearson_upper
from ndis_verify.audit.samples import as_sample, bin_counts, survey
from ndis_verify.exact_number import InputError
from ndis_verify.fast.hockey_stick import epsilon_for_delta
from ndis_verify.fast.tv_inference import subsampled_std
from ndis_verify.gaussian_pair import GaussianPair


@dataclass(frozen=True)
class Interval:
    """An interval; an end that nothing bounds is 0 or infinity."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class InferredStd:
    """What two samples say about s where P = q N(1, s^2) + (1-q) N(0, s^2) and Q = N(0, s^2), q known.

    `tv`, `std` and `epsilon` (at `delta`) are intervals for the total variation, for s and for the epsilon of the pair;
    `estimate` is the s of the plug-in total variation `tv_estimate`: infinity where that is not positive, 0 where it
    is at least q. With probability at least `confidence` all three intervals hold.
    """

    tv_estimate: float
    estimate: float
    tv: Interval
    std: Interval
    epsilon: Interval
    delta: float
    confidence: float
    bins: int
    rows: tuple[int, int]


def infer_std(
    p: Any, q: Any, rate: float = 1.0, *, delta: float = 1e-5, confidence: float = 0.95, bins: Any = "threshold"
) -> InferredStd:
    """Intervals for s and for epsilon from scores of P = rate N(1, s^2) + (1 - rate) N(0, s^2) and Q = N(0, s^2).

    A histogram's total variation has no upper limit for TV(P, Q): bins can hide a difference (KM-CI, refuted). Here
    the laws have one parameter, and their likelihood ratio crosses 1 at x = 1/2 whatever s and rate are: the two bins
    x < 1/2 and x >= 1/2 hide nothing. So:

    - bins = "threshold": TV = P(x >= 1/2) - Q(x >= 1/2) exactly; the four ends of Clopper-Pearson limits of the two
      probabilities, a quarter of the failure each. Every row counts, and both ends are limits for TV(P, Q).
    - bins = (a, b, k), fixed beforehand with 1/2 among the inner edges: the same total variation, of k bins. Upwards
      the bias counts, downwards it does not (KM-CI-corrected): `[TV^ - t - sqrt(k (1/n + 1/m))/2, TV^ + t]` with `t =
      sqrt((1/n + 1/m) log(2/(1 - confidence))/2)` (Jensen; McDiarmid 1989). Without 1/2 among the edges nothing
      supports an upper end, and the bins are refused.

    TV falls with s, so an upper end of TV is a lower end of s (KM-7.1). epsilon is that of P against Q at `delta` and
    falls with s too. p, q: the scores, one axis each. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import infer_std
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> found = infer_std(rng.normal(1, 2, 5000), rng.normal(0, 2, 5000))
    >>> found.std.low < 2 < found.std.high
    True
    """
    rate, delta = real(rate, "rate", "(0, 1]"), real(delta, "delta", "(0, 1)")
    failure = 1 - checked_confidence(confidence)
    edges = _edges(bins)
    samples = (as_sample(p, "p"), as_sample(q, "q"))
    for sample in samples:
        survey(sample)
    (one,), (other,) = (bin_counts(sample, edges, ("all",)) for sample in samples)
    n, m = int(one.sum()), int(other.sum())
    if edges.size == 1:
        found = float(one[1] / n - other[1] / m)
        of_p, of_q = (_limits(int(counts[1]), size, failure / 4) for counts, size in ((one, n), (other, m)))
        low, high = of_p[0] - of_q[1], of_p[1] - of_q[0]
    else:
        found = float(np.abs(one / n - other / m).sum() / 2)
        spread, bias = (
            np.sqrt((1 / n + 1 / m) * np.log(2 / failure) / 2),
            np.sqrt((edges.size + 1) * (1 / n + 1 / m)) / 2,
        )
        low, high = float(found - spread - bias), float(found + spread)
    if not (low <= rate and high >= 0):
        rule = f"must be samples of P and of Q, whose total variation P(x >= 1/2) - Q(x >= 1/2) is in (0, {rate:g})"
        raise InputError("p, q", f"a total variation between {low:.3g} and {high:.3g}", rule)
    tv = Interval(max(low, 0.0), min(high, rate))
    std = Interval(_std(rate, tv.high), _std(rate, tv.low))
    epsilon = Interval(subsampled_epsilon(rate, std.high, delta), subsampled_epsilon(rate, std.low, delta))
    return InferredStd(found, _std(rate, found), tv, std, epsilon, delta, 1 - failure, edges.size + 1, (n, m))


def subsampled_epsilon(rate: float, std: float, delta: float) -> float:
    """`log(1 - q + q e^{eps'})`, eps' the epsilon of N(1, s^2) against N(0, s^2) at delta/q; q = rate, s = std.

    The smallest epsilon >= 0 with H(P||Q) <= delta for P = q N(1, s^2) + (1-q) N(0, s^2), Q = N(0, s^2), as
    H_c(P||Q) = q H_{(c-1+q)/q}(N(1)||N(0)). Infinity at std = 0, 0 at std = infinity. Raises `InputError`.
    """
    if delta >= rate or std == np.inf:
        return 0.0
    if std == 0:
        return np.inf
    inner = float(epsilon_for_delta(GaussianPair([1 / std], [[1.0]], [0.0], [[1.0]]), delta / rate))
    return float(np.logaddexp(np.log(rate) + inner, np.log1p(-rate) if rate < 1 else -np.inf))


def _limits(count: int, n: int, failure: float) -> tuple[float, float]:
    return float(clopper_pearson_lower(count, n, failure)), float(clopper_pearson_upper(count, n, failure))


def _std(rate: float, tv: float) -> float:
    if tv <= 0:
        return np.inf
    return float(subsampled_std(rate, tv)) if tv < rate else 0.0


def _edges(bins: Any) -> np.ndarray:
    if isinstance(bins, str) and bins == "threshold":
        return np.array([0.5])
    if not isinstance(bins, (tuple, list)) or len(bins) != 3:
        raise InputError("bins", bins, "must be 'threshold' or (a, b, k)")
    edges = equal_edges(*bins)
    nearest = int(np.argmin(np.abs(edges - 0.5)))
    if abs(edges[nearest] - 0.5) > 1e-9 * (1 + abs(bins[0]) + abs(bins[1])):
        raise InputError(
            "bins", bins, "must have 1/2 among the inner edges: elsewhere bins hide a part of the total variation"
        )
    edges[nearest] = 0.5
    return edges
