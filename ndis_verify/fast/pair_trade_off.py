"""Trade-off curves of Gaussian pairs with any covariances: exact tests by the privacy loss, in float64.

The best test of Q against P rejects where the loss L = log p/q is above a threshold t (Neyman-Pearson), so the curve is
`(alpha, beta) = (Q(L > t), P(L <= t))`, t real; the profile's line at epsilon = t touches it there (KM-2.7).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError, as_exact, float_array
from ndis_verify.fast.engine.contour import log_integral
from ndis_verify.fast.engine.curve import Pair
from ndis_verify.fast.engine.safe_root import safe_root
from ndis_verify.fast.engine.spectrum import LossForms, Spectrum, norm
from ndis_verify.fast.engine.whitening import spectrum
from ndis_verify.gaussian_pair import Covariance, GaussianPair

_MOST = 1e300  # of a mean loss


@np.errstate(all="ignore")  # what leaves the range of floats is followed by hand
def pair_trade_off(pair: Pair, alpha: Any) -> np.ndarray:
    """T(Q, P)(alpha): the least type II error `P(not S)` of a test with `Q(S) <= alpha` (KM-2.5).

    pair: one pair with any covariances; alpha: any shape, in [0, 1]. T(P, Q) is the curve of `pair.swapped()`, and its
    mirror image. Relative error about 1e-10 where beta >= 1e-290; less where the loss is bounded and its threshold lies
    within 1e-14 of `sum b^2/(2 |alpha|)` of its end. Raises `InputError`, also where the mean loss is above 1e300.

    Examples
    --------
    >>> from ndis_verify.fast import pair_trade_off
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([1], [1], [0], [1])
    >>> print(f"{float(pair_trade_off(pair, 0.05)):.10f}")
    0.7404889772
    """
    level = _level(alpha)
    laws = _single(pair)
    if _same(laws):
        return (1 - level)[()]
    t, gap = _thresholds(laws, level.ravel())
    with np.errstate(under="ignore"):
        return np.exp(_log_tails(laws.loss_forms(), t, gap)[1]).reshape(level.shape)[()]


@np.errstate(all="ignore")  # what leaves the range of floats is followed by hand
def loss_threshold(pair: Pair, alpha: Any) -> np.ndarray:
    """The t with `Q(L > t) = alpha`: the best test at level alpha rejects where L > t, and the profile's line at t is
    tight.

    Infinite at alpha = 0, minus infinite at 1; 0 where the two laws are one. Shapes and errors as in `pair_trade_off`.
    """
    level = _level(alpha)
    laws = _single(pair)
    if _same(laws):
        return np.where(level == 0, np.inf, np.where(level == 1, -np.inf, 0.0))[()]
    return _thresholds(laws, level.ravel())[0].reshape(level.shape)[()]


@np.errstate(all="ignore")  # what leaves the range of floats is followed by hand
def error_rates(pair: Pair, threshold: Any, same: Any = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """(alpha, beta) = `(Q(L > t), P(L <= t))` at real or infinite thresholds t of any shape.

    Where the two laws are one, every test is a coin: (`same`, 1 - `same`). Raises `InputError`.
    """
    t = float_array(threshold, "threshold")
    if np.isnan(t).any():
        raise InputError("threshold", float("nan"), "must not be NaN")
    laws = _single(pair)
    if _same(laws):
        level = np.broadcast_to(float_array(same, "same"), t.shape)
        return level[()], (1 - level)[()]
    beta = _log_tails(laws.loss_forms(), t.ravel())[1]
    level = _log_tails(laws.swapped().loss_forms(), -t.ravel())[1]
    with np.errstate(under="ignore"):
        return tuple(np.exp(value).reshape(t.shape)[()] for value in (level, beta))


def trade_off_profile(epsilon: Any, alphas: Any, betas: Any) -> np.ndarray:
    """`max(0, max_k 1 - beta_k - e^eps alpha_k)`: from points of T(Q, P) back to delta_{P,Q} (KM-2.7).

    epsilon: any shape, finite; alphas, betas in [0, 1], one axis of the same length. Never above the exact profile, and
    equal to it where `alpha_k = Q(L > epsilon)` is among the points. Raises `InputError`.
    """
    eps = float_array(epsilon, "epsilon")
    if not np.isfinite(eps).all():
        raise InputError("epsilon", epsilon, "must be finite")
    level, missed = _level(alphas, "alphas"), _level(betas, "betas")
    if level.ndim != 1 or level.shape != missed.shape or not level.size:
        raise InputError("alphas", f"shape {level.shape}", "must be one axis of the length of betas, not empty")
    with np.errstate(over="ignore", invalid="ignore"):
        cost = np.where(level > 0, np.exp(eps)[..., None] * level, 0.0)
    return np.maximum(0.0, (1 - missed - cost).max(axis=-1))[()]


def pair_gdp(pair: Pair) -> float:
    """The least mu for which the pair is mu-GDP, `sup_alpha Phi^-1(1 - alpha) - Phi^-1(T(alpha))`; infinite where there
    is none.

    Equal covariances: `|S^{-1/2}(mean_p - mean_q)|`. Unequal ones: infinite. A coordinate in which P has lambda > 1
    times the variance of Q lets the tests |x| > c reach a mu that grows like `c (1 - 1/sqrt(lambda))`; for lambda < 1
    the same holds with P and Q exchanged, and mu-GDP is symmetric. Equality is decided exactly for a `GaussianPair`, as
    given. pair: one pair or spectrum. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import pair_gdp
    >>> from ndis_verify import GaussianPair
    >>> pair_gdp(GaussianPair([3, 0], [4, 1], [0, 0], [4, 1]))
    1.5
    """
    laws = _single(pair)
    unequal = (
        _unequal(pair.cov_p, pair.cov_q)
        if isinstance(pair, GaussianPair)
        else bool(((laws.alpha != 0) & (laws.multiplicity > 0)).any())
    )
    return float("inf") if unequal else float(norm(laws.shift))


def _thresholds(laws: Spectrum, level: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Each level's threshold t of log p/q, and t less the end of the loss where it has one."""
    loss = laws.swapped().loss_forms()
    if not loss.mean[0] < _MOST:
        raise InputError("pair", "laws so far apart", "must have a mean privacy loss below 1e300")
    t = np.where(level == 0, np.inf, -np.inf)
    bounded = np.isfinite(_support(loss)).any()
    gap = t.copy() if bounded else None
    inner = np.flatnonzero((level > 0) & (level < 1))
    if inner.size:
        x, beyond = _solve(loss, level[inner])
        t[inner] = -x
        if gap is not None and beyond is not None:
            gap[inner] = -beyond
    return t, gap


def _solve(loss: LossForms, level: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """The x where the lower tail of the loss reaches each level, and x less the end of the support, where it
    has one.
    """
    low, high = _support(loss)
    centre, spread = float(loss.mean[0]), float(loss.std[0])
    small = level <= 0.5
    goal = np.log(np.where(small, level, 1 - level))

    def place(u: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        if np.isfinite(low):
            return low + np.exp(u), np.exp(u)
        return (high - np.exp(-u), -np.exp(-u)) if np.isfinite(high) else (centre + spread * np.sinh(u), None)

    def excess(u: np.ndarray, index: np.ndarray) -> np.ndarray:
        upper, lower = _log_tails(loss, *place(u))
        return np.clip(np.where(small[index], lower - goal[index], goal[index] - upper), -1e300, 1e300)

    # log tails down to -745 lie within a few thousand standard deviations
    if np.isfinite(low):
        ends = -740.0, np.log(centre - low + 1e4 * spread)
    elif np.isfinite(high):
        ends = -np.log(high - centre + 1e4 * spread), 740.0
    else:
        ends = -10.0, 10.0
    return place(safe_root(excess, *(np.full(level.shape, end) for end in ends)))


def _log_tails(loss: LossForms, x: np.ndarray, gap: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(log Pr[loss > x], log Pr[loss <= x]); the smaller side by its integral. gap: x less the end of the support,
    where known.
    """
    upper, lower = np.where(x == np.inf, -np.inf, 0.0), np.where(x == -np.inf, -np.inf, 0.0)
    edge, centred, power = x + loss.edge[0], x + loss.offset[0], np.zeros(x.shape)
    if gap is not None:
        # The distance from the end is known better than the place: both arguments of the integral are formed from it.
        # Next to the end the tail is a power of it, from where the integral has digits left.
        floor = _floor(loss)
        with np.errstate(divide="ignore"):
            power = np.minimum(0.5 * loss.forms.dof.sum() * np.log(np.abs(gap) / floor), 0.0)
        edge = np.copysign(np.maximum(np.abs(gap), floor), gap)
        centred = edge - _asymptotes(loss).sum()
    for sign, forms in ((1.0, loss.forms), (-1.0, loss.forms.reflected())):
        where = np.flatnonzero(np.isfinite(x) & ((x > loss.mean[0]) == (sign > 0)))
        shifted = sign * np.asarray(centred, dtype=np.longdouble)[where]
        tail = log_integral(
            forms, np.zeros(where.size, dtype=int), shifted, sign * np.asarray(edge, dtype=np.longdouble)[where], "tail"
        )
        # The side of the end is the one where the loss lies between x and the end.
        near = gap is not None and (gap[where] < 0) == (sign > 0)
        tail = np.minimum(tail + np.where(near, power[where], 0.0), 0.0)
        with np.errstate(all="ignore"):
            rest = np.log1p(-np.exp(tail))
        upper[where], lower[where] = (tail, rest) if sign > 0 else (rest, tail)
    return upper, lower


def _floor(loss: LossForms) -> float:
    """How near to the end of the loss the integral is asked for."""
    return float(max(1e-13 * np.abs(loss.forms.alpha).min(), 1e-14 * np.abs(_asymptotes(loss)).sum()))


def _asymptotes(loss: LossForms) -> np.ndarray:
    """b^2/(2 alpha) where alpha != 0, else 0, in extended precision."""
    alpha, b = loss.forms.alpha[0], loss.forms.b[0].astype(np.longdouble)
    return b * np.divide(b, 2 * alpha, out=np.zeros(b.shape, dtype=np.longdouble), where=alpha != 0)


def _support(loss: LossForms) -> tuple[float, float]:
    """The ends of the loss."""
    alpha, moved = loss.forms.alpha[0], loss.forms.b[0]
    used = (loss.forms.dof[0] > 0) & ((alpha != 0) | (moved > 0))
    linear = (used & (alpha == 0)).any()
    end = -float(loss.edge[0])
    low = -np.inf if linear or (used & (alpha < 0)).any() else end
    high = np.inf if linear or (used & (alpha > 0)).any() else end
    return low, high


def _single(pair: Pair) -> Spectrum:
    laws = spectrum(pair)
    if laws.batch_shape not in ((), (1,)):
        raise InputError("pair", f"a batch of {laws.batch_shape}", "must be one pair")
    return laws


def _same(laws: Spectrum) -> bool:
    return not ((laws.multiplicity > 0) & ((laws.alpha != 0) | (laws.shift > 0))).any()


def _unequal(first: Covariance, second: Covariance) -> bool:
    if "dense" in (first.kind, second.kind):
        return bool((as_exact(first.dense()) != as_exact(second.dense())).any())
    return bool((first.exact_entries() != second.exact_entries()).any())


def _level(alpha: Any, name: str = "alpha") -> np.ndarray:
    level = float_array(alpha, name)
    if not ((level >= 0) & (level <= 1)).all():
        raise InputError(name, alpha, "must lie in [0, 1]")
    return level
