"""The Gaussian mechanism: two Gaussians with one covariance and different means, in closed form.

The shift D = sensitivity/std is kept as a fraction and a power of two, so that no quotient leaves the range of floats.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.special import erfcx, log_ndtr

from ndis_verify.calibrator import keyword_only, say_where_needless
from ndis_verify.exact_number import InputError, broadcast, float_array
from ndis_verify.fast.accuracy import margin, promise
from ndis_verify.fast.engine.curve import checked_epsilons, log_below_zero
from ndis_verify.fast.engine.least_epsilon import probabilities
from ndis_verify.fast.engine.safe_root import safe_root, unsafe_if_nan

_STEP = 0.11
_NODES = np.arange(-42, 58) * _STEP
_POINTS = np.exp(_NODES - np.exp(-_NODES))
_WEIGHTS = _STEP * _POINTS * (1 + np.exp(-_NODES))
_HALF_LOG_2PI = 0.9189385332046727417803297
_LOG_2 = 0.6931471805599453094172321
_SMALL, _LARGE = 2.0**-400, 2.0**600  # shifts beyond: delta/D depends on epsilon/D alone; delta is 1
_FAR = 2.0**511  # a beyond: its square leaves the range of floats
_CANCELLED = 64.0  # D beyond which a difference that is as much smaller, or the place of a tail, is formed exactly
_DEEPEST = 40.0  # tails that begin farther out are below 1e-340: their logarithms have the digits of a
_LARGEST = 1100.0  # |log D| of no shift of two floats, nor of any shift that meets a target, is above
_SAFE_STEP = 4e-16


class _Shift(NamedTuple):
    """D = above/below 2^exponent, the quotient in [1/2, 2) or 0."""

    above: np.ndarray
    below: np.ndarray
    exponent: np.ndarray

    @property
    def mantissa(self) -> np.ndarray:
        return self.above / self.below

    def exactly(self, place: tuple[int, ...]) -> Fraction:
        """One D, as the two floats that it comes from give it."""
        power = Fraction(2) ** int(self.exponent[place])
        return Fraction(float(self.above[place])) / Fraction(float(self.below[place])) * power


def gaussian_hockey_stick(sensitivity: Any, std: Any, epsilon: Any) -> np.ndarray:
    """delta of N(sensitivity, std^2) against N(0, std^2): Phi(D/2 - e/D) - e^epsilon Phi(-D/2 - e/D), D =
    sensitivity/std.

    N26-P1, BW-T8. The arguments broadcast; sensitivity >= 0 and std > 0 in one unit, epsilon of either sign: any
    floats. Relative error at most 5e-13 where delta >= 1e-290 (of log delta below). Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import gaussian_hockey_stick
    >>> print(f"{gaussian_hockey_stick(1.0, 2.0, 0.5):.12f}")
    0.052440323288
    """
    with np.errstate(under="ignore"):
        return np.clip(np.exp(log_gaussian_hockey_stick(sensitivity, std, epsilon)), 0.0, 1.0)


def log_gaussian_hockey_stick(sensitivity: Any, std: Any, epsilon: Any) -> np.ndarray:
    """log of `gaussian_hockey_stick`; -inf where that is 0 (sensitivity = 0 and epsilon >= 0), and where the
    logarithm is below -2e307.

    sensitivity, std, epsilon: as in `gaussian_hockey_stick`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import log_gaussian_hockey_stick
    >>> print(f"{log_gaussian_hockey_stick(1.0, 2.0, 0.5):.10f}")
    -2.9480794552
    """
    sensitivity, std, epsilon = broadcast(
        sensitivity=_checked(sensitivity, "sensitivity", zero=True),
        std=_checked(std, "std", zero=False),
        epsilon=checked_epsilons(epsilon, negative=True),
    )
    with np.errstate(all="ignore"):
        value = _log_delta(_quotient(sensitivity, std), np.abs(epsilon))
        return np.where(epsilon < 0, log_below_zero(epsilon, (value, np.full(value.shape, np.nan))), value)[()]


@keyword_only
def gaussian_std(sensitivity: Any, *, epsilon: Any, delta: Any) -> np.ndarray:
    """The smallest std with `gaussian_hockey_stick(sensitivity, std, epsilon) <= delta` (BW-Alg1, BW-T9), safe side.

    The arguments broadcast; sensitivity >= 0, epsilon >= 0, 0 < delta <= 1; std in the unit of sensitivity.
    The returned std was evaluated: its delta is below the target by more than the curve may err, a relative 1e-12 where
    floats are that close; rounded up to a float where it is below 1e-308. 0, with a `NoNoiseNeeded` warning, where
    sensitivity = 0 or delta = 1. Raises `InputError`, also where the std is above the largest float.

    Examples
    --------
    >>> from ndis_verify.fast import gaussian_std
    >>> print(f"{gaussian_std(1.0, epsilon=1.0, delta=1e-5):.9f}")
    3.730631635
    """
    sensitivity, epsilon = _checked(sensitivity, "sensitivity", zero=True), _checked(epsilon, "epsilon", zero=True)
    target = probabilities(delta, "delta")
    if (target == 0).any():
        raise InputError("delta", 0.0, "must be positive: no finite std reaches 0")
    sensitivity, epsilon, target = broadcast(sensitivity=sensitivity, epsilon=epsilon, delta=target)
    shape = target.shape
    sensitivity, epsilon, goal = sensitivity.ravel(), epsilon.ravel(), np.log(target).ravel()
    result = np.zeros(goal.shape)
    search, kept = np.flatnonzero((sensitivity > 0) & (goal < 0)), margin("gaussian_std")

    def excess(log_shift: np.ndarray, index: np.ndarray) -> np.ndarray:
        k = search[index]
        return unsafe_if_nan(np.maximum(_log_delta(_exponential(log_shift), epsilon[k]), -1e300) - goal[k] + kept)

    if search.size:
        with np.errstate(all="ignore"):
            safe, unsafe = _bracket(excess, search.size)
            shift = _exponential(safe_root(excess, safe, unsafe))
            std = _quotient(sensitivity[search], shift.above)
            result[search] = np.ldexp(std.mantissa, std.exponent - shift.exponent)
    _widen(sensitivity, result, epsilon, goal, search)
    say_where_needless("gaussian_std", result.reshape(shape) == 0, "the sensitivity is 0 or delta is 1")
    if not np.isfinite(result).all():
        raise InputError(
            "sensitivity", float(sensitivity[~np.isfinite(result)][0]), "needs a std above the largest float"
        )
    return result.reshape(shape)[()]


def _widen(sensitivity: np.ndarray, std: np.ndarray, epsilon: np.ndarray, goal: np.ndarray, search: np.ndarray) -> None:
    """The last check, on the returned numbers themselves; steps that grow, so that it ends."""
    step, goal = _SAFE_STEP, goal - promise("gaussian_hockey_stick")
    with np.errstate(all="ignore"):
        while search.size:
            shift = _quotient(sensitivity[search], std[search])
            search = search[~(_log_delta(shift, epsilon[search]) <= goal[search]) & (std[search] < np.inf)]
            std[search] = np.nextafter(std[search] * (1 + step), np.inf)
            step *= 2


def _bracket(excess: Any, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of a safe and an unsafe D."""
    index = np.arange(size)
    safe, unsafe = np.full(size, -1.0), np.full(size, 1.0)
    for ends, sign, wrong in ((safe, -1.0, 1.0), (unsafe, 1.0, -1.0)):
        step, live = 1.0, index
        while live.size and step < _LARGEST:
            bad = wrong * excess(ends[live], live) > 0
            live = live[bad]
            ends[live] += sign * step
            step *= 2
    return safe, unsafe


def _checked(value: Any, argument: str, zero: bool) -> np.ndarray:
    array = float_array(value, argument)
    bad = ~(np.isfinite(array) & ((array >= 0) if zero else (array > 0)))
    if bad.any():
        raise InputError(
            argument, float(array[bad].flat[0]), "must be finite and " + ("at least 0" if zero else "positive")
        )
    return array


def _quotient(sensitivity: np.ndarray, std: np.ndarray) -> _Shift:
    (above, power), (below, other) = np.frexp(sensitivity), np.frexp(std)
    return _Shift(above, below, power - other)


def _exponential(log_shift: np.ndarray) -> _Shift:
    exponent = np.rint(log_shift / _LOG_2)
    return _Shift(np.exp(log_shift - exponent * _LOG_2), np.ones(exponent.shape), exponent.astype(int))


def _log_delta(shift: _Shift, epsilon: np.ndarray) -> np.ndarray:
    """log delta at D = shift. With a = e/D - D/2, b = a + D: delta = phi(a) (m(a) - m(b)), m = (1 - Phi)/phi."""
    mantissa = shift.mantissa
    size = np.clip(np.ldexp(mantissa, shift.exponent), _SMALL, _LARGE)
    least, power = np.frexp(epsilon)
    share = np.ldexp(least / mantissa, power - shift.exponent)
    a = _difference(shift, size, epsilon, share)
    b = share + size / 2
    upper, lower = (np.sqrt(np.pi / 2) * erfcx(x / np.sqrt(2)) for x in (a, b))
    near = (a > -1) & (a < _FAR) & (lower > 0.5 * upper)
    with np.errstate(all="ignore"):
        # log Phi(-a) + log(1 - e^epsilon Phi(-b)/Phi(-a)); erfcx overflows for a << 0, where Phi(-a) is 1
        ratio = np.where(a > -30, lower / upper, np.exp(-0.5 * a * a - _HALF_LOG_2PI) * lower)
        value = log_ndtr(-a) + np.log1p(-ratio)
    if near.any():
        value = np.where(near, 0.0, value)
        log_shift = np.log(mantissa[near]) + shift.exponent[near] * _LOG_2
        value[near] = -0.5 * a[near] ** 2 - _HALF_LOG_2PI + log_shift + _log_mills_gap(a[near], size[near])
    return np.where((mantissa > 0) & (a < _FAR), value, -np.inf)


def _difference(shift: _Shift, size: np.ndarray, epsilon: np.ndarray, share: np.ndarray) -> np.ndarray:
    """e/D - D/2; exactly, then rounded, where the two nearly cancel."""
    a = share - size / 2
    cancelled = np.isfinite(share) & (size > _CANCELLED) & (np.abs(a) < np.maximum(size / _CANCELLED, _DEEPEST))
    if not cancelled.any():
        return a
    a = np.array(a)
    for place in map(tuple, np.argwhere(cancelled)):
        whole = shift.exactly(place)
        a[place] = float(Fraction(float(epsilon[place])) / whole - whole / 2)
    return a


def _log_mills_gap(a: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """log of (m(a) - m(a + D))/D = int_0^inf e^{-u^2/2 - a u} (1 - e^{-D u})/D du, a positive integrand, for a > -1 and
    D small.
    """
    scale = (1 / (1 + np.abs(a)))[:, None]
    u = scale * _POINTS
    body = np.exp(-u * (u / 2 + a[:, None])) * (-np.expm1(-shift[:, None] * u) / (shift[:, None] * scale))
    return np.log((_WEIGHTS * body).sum(axis=1)) + 2 * np.log(scale[:, 0])
