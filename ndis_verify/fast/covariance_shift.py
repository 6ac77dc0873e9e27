"""Covariance shifts in the Loewner order: Chernoff bounds, their worst case over an envelope, calibration of added
noise.

lambda_i >= 1 are the eigenvalues of the more spread covariance relative to the other one, l_i = log lambda_i, nu = sum
l_i.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit, xlogy

from ndis_verify.arguments import one_of, whole, within
from ndis_verify.calibrator import keyword_only, say_where_needless
from ndis_verify.exact_number import InputError, float_array
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import checked_epsilons, hockey_stick
from ndis_verify.fast.mean_shift import gaussian_hockey_stick

TERMS = ("bound", "chernoff", "exact", "printed")
_HALVINGS = 70
_SPLITS = 33
_ZOOMS = 5
_STEPS = 200
_SUMMED = 2.0**-30

Sensitivities = Callable[[float], tuple[float, float, float, int]]
"""v -> (Delta, rho, nu, dimension) at added variance v (N26-D5), greatest over all ordered neighbouring pairs.

Delta: the mean shift whitened by the smaller covariance; rho: max |l_i|, nu: sum |l_i| of the l_i, the logs of the
eigenvalues of the one covariance relative to the other, both with v added; dimension: how many l_i are not 0 at most,
so rho <= nu <= dimension rho.
"""


def less_spread_bound(eigenvalues: Any, epsilon: Any) -> np.ndarray:
    """The bound printed in N26-L2: inf_{s>0} e^{s(nu - 2 eps)} prod (1 + 2s(1 - e^{-l_i}))^{-1/2}, and 0 once 2 eps >=
    nu.

    An upper bound on delta of N(0, S1) against N(0, S2) where S1 <= S2 (P the less spread law), not in the other
    direction. The printed second factor, in u, is least at u -> 0, where it drops out. eigenvalues (..., d), >= 1;
    epsilon >= 0 broadcasts against the leading axes. Any s bounds, so rounding apart the result is safe. Raises
    `InputError`.
    """
    return _bound(eigenvalues, epsilon, _log_less_spread)


def chernoff_bound(eigenvalues: Any, epsilon: Any) -> np.ndarray:
    """inf_s e^{-s(2 eps + nu)} prod (1 - 2s(e^{l_i} - 1))^{-1/2}, the Chernoff bound of Pr[L >= eps] where S1 >= S2.

    `more_spread_bound` without its factor s^s/(1+s)^{1+s}; arguments as in `less_spread_bound`.
    """
    return _bound(eigenvalues, epsilon, lambda logs, eps: _log_more_spread(logs, eps, hinge=0.0))


def more_spread_bound(eigenvalues: Any, epsilon: Any) -> np.ndarray:
    """inf_{0<s<1/max(e^{l_i}-1)} s^s (1+s)^{-1-s} e^{-s(eps + nu/2)} prod (1 - s(e^{l_i} - 1))^{-1/2}
    (N26-L2-corrected).

    An upper bound on delta of two centred Gaussians with comparable covariances, in both directions.
    Arguments as in `less_spread_bound`.
    """
    return _bound(eigenvalues, epsilon, lambda logs, eps: _log_more_spread(logs, eps, hinge=1.0))


def checked_spread(rho: Any, nu: Any, dimension: Any) -> tuple[float, float]:
    """rho and nu of N26-D5, which no pair has unless 0 <= rho <= nu <= dimension rho; whole dimension >= 1. Raises
    `InputError`.

    A sum of `dimension` logs may exceed the last by a part in 2^30, for its rounding.
    """
    rho, nu = _nonnegative(rho, "rho"), _nonnegative(nu, "nu")
    dimension = whole(dimension, "dimension", 1)
    if nu < rho:
        raise InputError(
            "nu", nu, f"must be at least rho = {rho:g}: a sum of |l_i| is not less than the greatest of them"
        )
    if nu > dimension * rho * (1 + _SUMMED):
        raise InputError("nu", nu, f"must be at most {dimension} rho = {dimension * rho:g}: a sum of {dimension} |l_i|")
    return rho, nu


def worst_logs(rho: float, nu: float, dimension: int) -> np.ndarray:
    """The vertex of {0 <= l_i <= rho, sum l_i <= nu} in R^d that is greatest in majorisation: rho, ..., rho, the rest.

    Coordinates equal to 0 are left out. rho, nu, dimension as in `checked_spread`. Raises `InputError`.
    """
    rho, nu = checked_spread(rho, nu, dimension)
    if rho == 0 or nu == 0:
        return np.zeros(0)
    full = int(min(np.floor(nu / rho * (1 + 4e-16)), dimension))
    rest = min(nu - full * rho, rho)
    return np.append(np.full(full, rho), [rest] * (full < dimension and rest > 0))


def covariance_envelope(rho: float, nu: float, dimension: int, epsilon: Any, term: str = "bound") -> np.ndarray:
    """The largest covariance term over {0 <= l_i <= rho, sum l_i <= nu}, at its vertex; shaped as epsilon.

    term "bound": `more_spread_bound`; "chernoff": `chernoff_bound`; "exact": the greater of the exact divergences in
    the two directions, the least upper bound there is; "printed": `less_spread_bound`, as N26-D6 has it, no bound.
    """
    epsilon = checked_epsilons(epsilon)
    logs = worst_logs(rho, nu, dimension)
    one_of(term, "term", TERMS)
    if logs.size == 0:
        return np.zeros(epsilon.shape)[()]
    if term == "exact":
        return np.maximum(*(_exact(sign * logs, epsilon) for sign in (1.0, -1.0)))
    choose = {
        "printed": _log_less_spread,
        "bound": _log_more_spread,
        "chernoff": lambda x, e: _log_more_spread(x, e, hinge=0.0),
    }
    return np.exp(np.minimum(choose[term](np.broadcast_to(logs, (*epsilon.shape, logs.size)), epsilon), 0.0))[()]


def loewner_bound(shift: float, rho: float, nu: float, dimension: int, epsilon: float, term: str = "bound") -> float:
    """delta_LC (N26-D6-corrected): the least of both orders of mean step and covariance step over e1 + e2 = epsilon.

    min over e1 of delta_mean(e1) + e^{e1} delta_cov(e2) and delta_cov(e1) + e^{e1} delta_mean(e2), with N26-P1 at
    `shift` (the mean shift in the smaller covariance) and `covariance_envelope(..., term)`. Every split bounds, so the
    search over splits can only be loose. Raises `InputError`.
    """
    shift, epsilon = _nonnegative(shift, "shift"), _nonnegative(epsilon, "epsilon")
    low, high = 0.0, 1.0  # e1 as a share of epsilon
    best = 1.0
    for _ in range(_ZOOMS if epsilon else 1):
        share = np.linspace(low, high, _SPLITS if epsilon else 1)
        first, second = epsilon * share, epsilon * (1 - share)
        mean, cov = gaussian_hockey_stick(shift, 1.0, first), covariance_envelope(rho, nu, dimension, second, term)
        mean_first = mean + _grown(cov, first)
        cov_first = cov + _grown(mean, second)  # the covariance step spends e1 = second
        values = np.minimum(mean_first, cov_first)
        best, at = min(best, float(values.min())), int(values.argmin())
        low, high = share[max(at - 1, 0)], share[min(at + 1, share.size - 1)]
    return best


def _grown(value: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """e^exponent value, at most 1: a bound on a probability."""
    with np.errstate(divide="ignore", under="ignore"):
        return np.exp(np.minimum(exponent + np.log(value), 0.0))


@keyword_only
def added_variance(sensitivities: Sensitivities, *, epsilon: float, delta: float, term: str = "bound") -> float:
    """The least added variance v whose sensitivities give `loewner_bound` <= delta (N26-Fig5), on the safe side.

    sensitivities: `Sensitivities`, nonincreasing in v, each triple as in `checked_spread`; epsilon >= 0, 0 < delta < 1.
    The returned v was evaluated; below it the bound exceeds delta within a relative 1e-9 of v. Where the bound is met
    all the way down, v is next to nothing, below 1e-300, and a `NoNoiseNeeded` warning says so. Raises `InputError` for
    bad input, and where no v up to 1e300 is enough (at epsilon = 0 with term "chernoff", for one).
    """
    epsilon = _nonnegative(epsilon, "epsilon")
    within(delta, "delta", "(0, 1)")

    def value(v: float) -> float:
        return loewner_bound(*sensitivities(v), epsilon, term)

    unsafe, good = _bracket(lambda v: value(v) <= delta)
    if unsafe == 0:
        say_where_needless("added_variance", True, f"the declared sensitivities meet the target down to v = {good:.2g}")
        return good
    logs = [_log_log(value(v)) for v in (unsafe, good)]
    for step in range(_STEPS):
        if good <= unsafe * (1 + 1e-9):
            break
        # log(-log) of the bound is close to linear in log v; halved where that does not settle
        share = (
            (_log_log(delta) - logs[0]) / (logs[1] - logs[0])
            if step % 4 < 3 and np.isfinite(logs[0] + logs[1])
            else 0.5
        )
        reach = 5e-10 / np.log(good / unsafe)
        v = float(
            np.exp(
                np.log(unsafe)
                + np.clip(share + (reach if step % 2 else -reach), min(reach, 0.5), max(1 - reach, 0.5))
                * np.log(good / unsafe)
            )
        )
        v = min(max(v, unsafe), good)
        found = value(v)
        if found <= delta:
            good, logs[1] = v, _log_log(found)
        else:
            unsafe, logs[0] = v, _log_log(found)
    return good


def _log_log(bound: float) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(-np.log(min(bound, 1 - 1e-16)))) if bound > 0 else np.inf


def _bracket(safe: Callable[[float], bool]) -> tuple[float, float]:
    v, factor = 1.0, 2.0
    start = safe(v)
    while 1e-300 < v < 1e300:
        following = v / factor if start else v * factor
        if safe(following) != start:
            return (following, v) if start else (v, following)
        v, factor = following, factor * 2
    if start:
        return 0.0, v
    raise InputError("sensitivities", f"still too large at v = {v:.3g}", "must give a bound below delta for some v")


def _bound(eigenvalues: Any, epsilon: Any, log_bound: Callable[..., np.ndarray]) -> np.ndarray:
    values = float_array(eigenvalues, "eigenvalues", "must be an array of numbers")
    bad = ~(np.isfinite(values) & (values >= 1))
    if values.ndim == 0 or values.shape[-1] == 0 or bad.any():
        shown = float(values[bad].flat[0]) if bad.any() else str(values.shape)
        raise InputError("eigenvalues", shown, "must be finite and at least 1, with a last axis of coordinates")
    epsilon = checked_epsilons(epsilon)
    leading = np.broadcast_shapes(values.shape[:-1], epsilon.shape)
    logs = np.broadcast_to(np.log1p(values - 1), (*leading, values.shape[-1]))
    return np.exp(np.minimum(log_bound(logs, np.broadcast_to(epsilon, leading)), 0.0))[()]


def _log_less_spread(logs: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """min over s of the convex exponent s t - (1/2) sum log(1 + 2 s w_i), t = nu - 2 eps; -inf where t <= 0."""
    slack, weights = logs.sum(axis=-1) - 2 * epsilon, -np.expm1(-logs)

    def slope(s: np.ndarray) -> np.ndarray:
        return slack - (weights / (1 + 2 * s[..., None] * weights)).sum(axis=-1)

    with np.errstate(over="ignore"):
        s = np.exp(_crossing(lambda x: slope(np.exp(x)), np.full(slack.shape, -700.0), np.full(slack.shape, 300.0)))
        s = np.where(slope(np.zeros(slack.shape)) >= 0, 0.0, s)
        value = s * slack - np.log1p(2 * s[..., None] * weights).sum(axis=-1) / 2
    return np.where(slack > 0, value, -np.inf)


def _log_more_spread(logs: np.ndarray, epsilon: np.ndarray, hinge: float = 1.0) -> np.ndarray:
    """min over 0 < s < 1/max alpha of s log s - (1+s) log(1+s) - s (eps + nu/2) - (1/2) sum log(1 - s alpha_i), convex.

    hinge 0 leaves the first two terms out. s = expit(x)/max alpha.
    """
    alpha = np.expm1(logs)
    largest, offset = alpha.max(axis=-1), epsilon + logs.sum(axis=-1) / 2
    share = np.divide(alpha, largest[..., None], out=np.zeros(alpha.shape), where=largest[..., None] > 0)

    def slope(x: np.ndarray) -> np.ndarray:
        p, gap = expit(x)[..., None], expit(-x)[..., None]
        s = p[..., 0] / largest
        # 1 - p share without cancellation where p is near 1
        pull = (alpha / (gap + p * (1 - share))).sum(axis=-1) / 2
        return pull - offset + hinge * -np.log1p(1 / s)

    with np.errstate(all="ignore"):
        x = _crossing(slope, np.full(offset.shape, -700.0), np.full(offset.shape, 700.0))
        p, gap = expit(x)[..., None], expit(-x)[..., None]
        s = p[..., 0] / largest
        value = -s * offset - np.log(gap + p * (1 - share)).sum(axis=-1) / 2
        kept = np.where(s > 1, -s * np.log1p(1 / s), xlogy(s, s / (1 + s)))  # s/(1 + s) of a large s is 1 in floats
        value += hinge * (kept - np.log1p(s))
    return np.where(largest > 0, value, -np.inf)


def _crossing(increasing: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = increasing(middle) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return (low + high) / 2


def _exact(logs: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    values, counts = np.unique(logs, return_counts=True)
    return hockey_stick(Spectrum(np.expm1(values), 0.0, counts.astype(float), values), epsilon)


def _nonnegative(value: Any, argument: str) -> float:
    number = checked_epsilons(value, argument)
    if number.ndim:
        raise InputError(argument, value, "must be one number")
    return float(number)
