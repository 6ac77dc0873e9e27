"""Random projection: the privacy curve of deleting or inserting one record of given leverage."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify import arguments
from ndis_verify.arguments import within
from ndis_verify.calibrator import keyword_only, say_where_needless
from ndis_verify.exact_number import InputError, broadcast, float_array
from ndis_verify.fast.accuracy import PROMISES, SEARCHED, projection_error
from ndis_verify.fast.engine.curve import checked_epsilons, log_entries, to_delta, to_log_delta
from ndis_verify.fast.engine.least_epsilon import probabilities
from ndis_verify.fast.engine.safe_root import safe_root, unsafe_if_nan
from ndis_verify.fast.engine.spectrum import Spectrum

MOST_COLUMNS = int(
    PROMISES["rp_hockey_stick, a root"].ranges["r"].high
)  # up to which margins cover the rounding of a curve


def rp_hockey_stick(leverage: Any, r: Any, epsilon: Any, direction: str = "delete") -> np.ndarray:
    """delta(epsilon) of the projections D^T G and D'^T G to r columns, one record of leverage p deleted (N26-L4).

    "delete": P from the larger database, eigenvalue 1/(1-p) taken r times, `Qg(r/2, t0/2) - e^epsilon Qg(r/2, rho
    t0/2)`, rho = 1/(1-p), t0 = 2(epsilon + (r/2) log rho)/(rho - 1); "insert": P from the smaller one, exactly 0 from 2
    epsilon >= r log rho on. 0 <= leverage < 1, whole r >= 1, epsilon >= 0; they broadcast. Accuracy as `hockey_stick`;
    from two million columns on a relative 7e-15 times their root. direction: "delete" or "insert". Raises
    `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import rp_hockey_stick
    >>> print(f"{rp_hockey_stick(0.3, 5, 1.0):.12f}")
    0.041900828170
    """
    return to_delta(_log_curve(leverage, r, epsilon, direction))


def log_rp_hockey_stick(leverage: Any, r: Any, epsilon: Any, direction: str = "delete") -> np.ndarray:
    """log of `rp_hockey_stick`; -inf where it is exactly 0.

    leverage, r, epsilon, direction: as in `rp_hockey_stick`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import log_rp_hockey_stick
    >>> print(f"{log_rp_hockey_stick(0.3, 5, 1.0):.10f}")
    -3.1724496869
    """
    return to_log_delta(_log_curve(leverage, r, epsilon, direction))


@keyword_only
def rp_leverage(r: Any, *, epsilon: Any, delta: Any) -> np.ndarray:
    """The largest leverage p whose "delete" curve is at most delta at epsilon (N26-L4, N26-P4), on the safe side.

    Whole r from 1 to 1e7, epsilon >= 0, delta in [0, 1]; they broadcast. The returned leverage was evaluated: its delta
    is below the target by more than the error that `rp_hockey_stick` documents, a relative 1.1e-11 (2.5e-11 for 1e7
    columns) where floats are that close. 0 for delta = 0, and below 3.4e-308; just below 1, with a `NoNoiseNeeded`
    warning, where any leverage will do. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import rp_leverage
    >>> print(f"{rp_leverage(5, epsilon=1.0, delta=1e-3):.10f}")
    0.1459259064
    """
    r, epsilon, goal, shape = _targets(r, epsilon, delta)
    logit = _largest_logit(r, epsilon, goal, SEARCHED * projection_error(r))
    result = np.where(logit == _CEILING, 1 / (1 + np.exp(-_CEILING)), 0.0)
    inner = np.flatnonzero((logit > -np.inf) & (logit < _CEILING))
    if inner.size:
        result[inner] = _settled(1 / (1 + np.exp(-logit[inner])), r[inner], epsilon[inner], goal[inner])
    say_where_needless("rp_leverage", (logit == _CEILING).reshape(shape), _ANY_LEVERAGE)
    return result.reshape(shape)[()]


@keyword_only
def rp_ridge(norm_bound: Any, r: Any, *, epsilon: Any, delta: Any) -> np.ndarray:
    """The smallest ridge l^2 (1/p* - 1) that keeps every leverage of records of norm l within p* (N24-Fig3, N26-Fig1).

    p* = `rp_leverage(r, epsilon, delta)`; norm_bound = l > 0, the ridge in its unit squared. Domain and shapes as
    there. On the safe side: the delta of a lone record of norm l beside the returned ridge was evaluated, and is below
    the target by a relative 1.1e-11 (2.5e-11 for 1e7 columns), more than the error that `rp_hockey_stick` documents.
    inf for delta = 0, for leverages below 3.4e-308 and above the largest float; where any leverage will do, 2.4e-16 l^2
    and a `NoNoiseNeeded` warning. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import rp_ridge
    >>> print(f"{rp_ridge(1.0, 5, epsilon=1.0, delta=1e-3):.8f}")
    5.85279280
    """
    ridge, needless = _smallest_ridge(norm_bound, r, epsilon, delta)
    say_where_needless("rp_ridge", needless, _ANY_LEVERAGE)
    return ridge


@np.errstate(all="ignore")  # what leaves the range of floats is followed by hand
def _smallest_ridge(
    norm_bound: Any, r: Any, epsilon: Any, delta: Any, rate: Any = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """The ridges at delta over the rate, and where any leverage will do."""
    length = _lengths(norm_bound)
    r, epsilon, goal, shape = _targets(r, epsilon, delta, rate)
    kept = SEARCHED * projection_error(r)
    logit = _largest_logit(r, epsilon, goal, kept)
    odds = np.exp(-logit)  # (1 - p)/p
    live = np.flatnonzero(np.isfinite(odds) & (odds > np.exp(-_CEILING)))
    while live.size:
        laws = Spectrum(1 / odds[live, None], 0.0, r[live, None])
        over = to_log_delta(log_entries(laws, np.arange(live.size), epsilon[live])) > goal[live] - kept[live]
        live = live[over]
        odds[live] *= 1 + 4e-16
    with np.errstate(over="ignore", under="ignore"):
        ridge = odds.reshape(shape) * length * length
        # Next to 0 a relative margin is no float.
        return np.maximum(ridge * (1 + 4e-16), ridge + 5e-324)[()], (logit == _CEILING).reshape(shape)


@keyword_only
def sampled_rp_ridge(norm_bound: Any, rate: Any, r: Any, *, epsilon: Any, delta: Any) -> np.ndarray:
    """`rp_ridge` at eps' = log(1 + (e^epsilon - 1)/rate), delta' = delta/rate: after Poisson sampling (N26-Fig3,
    N26-T5.3).

    0, with a `NoNoiseNeeded` warning, where delta >= rate. 0 < rate <= 1; the rest as `rp_ridge`, and on the same safe
    side: rate times the delta of a lone record at eps' was evaluated. norm_bound, r, epsilon, delta: as in `rp_ridge`.
    Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import sampled_rp_ridge
    >>> print(f"{sampled_rp_ridge(1.0, 0.1, 5, epsilon=1.0, delta=1e-3):.9f}")
    1.581451896
    """
    target, rate = broadcast(delta=probabilities(delta, "delta"), rate=_rates(rate))
    ridge, needless = _smallest_ridge(norm_bound, r, sampled_epsilon(epsilon=epsilon, rate=rate), target, rate)
    reason = f"delta is at least the rate, or {_ANY_LEVERAGE}"
    say_where_needless("sampled_rp_ridge", needless | (target >= rate), reason)
    return np.where(target >= rate, 0.0, ridge)[()]


@keyword_only
@np.errstate(all="ignore")
def sampled_epsilon(*, epsilon: Any, rate: Any) -> np.ndarray:
    """`log(1 + (e^epsilon - 1)/rate)` (N26-T5.3), rounded down. epsilon >= 0, 0 < rate <= 1; they broadcast. Raises
    `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import sampled_epsilon
    >>> print(f"{sampled_epsilon(epsilon=1.0, rate=0.1):.10f}")
    2.9004770979
    """
    epsilon, rate = broadcast(epsilon=checked_epsilons(epsilon), rate=_rates(rate))
    grown = np.expm1(np.minimum(epsilon, 1.0))
    (above, power), (below, other) = np.frexp(grown), np.frexp(rate)
    # A quotient that no float holds has its logarithm in two parts.
    small = np.where(
        power - other < 1000, np.log1p(grown / rate), np.log(above / below) + (power - other) * np.log(2.0)
    )
    large = epsilon + np.log1p(-(1 - rate) * np.exp(-epsilon)) - np.log(rate)
    value = np.where(epsilon < 1, small, large)
    return np.maximum(np.minimum(value * (1 - 1e-15), np.nextafter(value, -1.0)), 0.0)[()]


def _rates(rate: Any) -> np.ndarray:
    array = probabilities(rate, "rate")
    if (array == 0).any():
        raise InputError("rate", 0.0, "must be positive")
    return array


@np.errstate(all="ignore")  # what leaves the range of floats is followed by hand
def rp_ridge_hockey_stick(norm_bound: Any, ridge: Any, r: Any, epsilon: Any) -> np.ndarray:
    """delta(epsilon) of deleting a lone record of norm l beside a ridge: leverage l^2/(l^2 + ridge), the worst
    (N26-T5.1).

    `rp_hockey_stick` at that leverage, without rounding it; 1 at ridge 0. norm_bound = l > 0, ridge >= 0 in its unit
    squared, whole r >= 1, epsilon >= 0; they broadcast. Accuracy as there. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import rp_ridge_hockey_stick
    >>> print(f"{rp_ridge_hockey_stick(1.0, 3.0, 5, 1.0):.12f}")
    0.019883490835
    """
    length, ridge = _lengths(norm_bound), float_array(ridge, "ridge")
    if not (ridge >= 0).all():
        raise InputError("ridge", ridge, "must be nonnegative")
    length, ridge, r, epsilon = broadcast(norm_bound=length, ridge=ridge, r=_rows(r), epsilon=checked_epsilons(epsilon))
    (above, power), (below, other) = np.frexp(length), np.frexp(ridge)
    alpha = np.ldexp(above / below * above, 2 * power - other).ravel()
    if (np.isinf(alpha) & (ridge.ravel() > 0) & (epsilon.ravel() > _BESIDE)).any():
        raise InputError(
            "ridge", float(ridge.min()), f"is so small beside norm_bound^2 that epsilon must be at most {_BESIDE:g}"
        )
    result = np.where(alpha > 0, 1.0, 0.0)
    live = np.flatnonzero((alpha > 0) & np.isfinite(alpha))
    if live.size:
        laws = Spectrum(alpha[live, None], 0.0, r.ravel()[live, None])
        result[live] = to_delta(log_entries(laws, np.arange(live.size), epsilon.ravel()[live]))
    return result.reshape(ridge.shape)[()]


_BESIDE = 1e270  # up to which delta is 1 for every ratio that is no float
_CEILING = 36.0  # the logit of a leverage that float64 can still tell from 1
_ANY_LEVERAGE = "every leverage up to 1 - 2e-16 meets the target"
_FLOOR = -708.0  # of a normal one
_STEPS = (4.0, 8.0, 24.0, 72.0, 216.0, 648.0)  # of a logit, which reach to both ends


def _targets(
    r: Any, epsilon: Any, delta: Any, rate: Any = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, ...]]:
    """(r, epsilon, log(delta/rate) rounded down but at most 0, shape), the first three flat."""
    r, epsilon, target, rate = broadcast(
        r=_rows(r), epsilon=checked_epsilons(epsilon), delta=probabilities(delta, "delta"), rate=np.asarray(rate)
    )
    if (r > MOST_COLUMNS).any():
        raise InputError(
            "r", float(r.max()), f"must be at most {MOST_COLUMNS}: beyond it float64 has too few digits for a safe side"
        )
    with np.errstate(divide="ignore"):  # logarithms: next to the least floats a quotient has few digits
        above, below = np.log(target), np.log(rate)
    rounding = np.where(below < 0, 2.0**-52 * (above + below), 0.0)  # all three roundings are less
    goal = np.minimum(above - below + rounding, 0.0).ravel()
    return r.ravel(), epsilon.ravel(), goal, target.shape


@np.errstate(all="ignore")  # what leaves the range of floats is followed by hand
def _largest_logit(r: np.ndarray, epsilon: np.ndarray, goal: np.ndarray, margin: np.ndarray) -> np.ndarray:
    """log p/(1-p) at log delta = goal - margin: -inf where no leverage will do, `_CEILING` where any will."""

    def excess(logit: np.ndarray, index: np.ndarray) -> np.ndarray:
        return unsafe_if_nan(_log_delete(logit, r[index], epsilon[index]) - goal[index] + margin[index])

    # In steps that grow, from a leverage of 1/2: next to the ends a value costs the most.
    safe, unsafe = np.zeros(goal.shape), np.zeros(goal.shape)
    finite = np.flatnonzero(np.isfinite(goal))
    over = excess(safe[finite], finite) > 0
    down, up = finite[over], finite[~over]
    for step in _STEPS:
        unsafe[down], safe[down] = safe[down], np.maximum(safe[down] - step, _FLOOR)
        down = down[excess(safe[down], down) > 0]
        safe[up], unsafe[up] = unsafe[up], np.minimum(unsafe[up] + step, _CEILING)
        up = up[(unsafe[up] < _CEILING) & (excess(unsafe[up], up) <= 0)]
    result = np.full(goal.shape, -np.inf)
    last = finite[unsafe[finite] == _CEILING]
    top = last[_log_delete(unsafe[last], r[last], epsilon[last]) <= goal[last]]
    result[top] = _CEILING
    search = np.setdiff1d(finite, np.concatenate([down, top]))
    if search.size:
        result[search] = safe_root(lambda x, k: excess(x, search[k]), safe[search], unsafe[search])
    return result


def _settled(leverage: np.ndarray, r: np.ndarray, epsilon: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The last check, on the returned numbers themselves."""
    goal = goal - projection_error(r)
    while True:
        over = to_log_delta(_log_curve(leverage, r, epsilon, "delete")) > goal
        if not over.any():
            return leverage
        leverage = np.where(over, np.nextafter(leverage * (1 - 2e-16), 0.0), leverage)


def _lengths(norm_bound: Any) -> np.ndarray:
    length = float_array(norm_bound, "norm_bound")
    within(length, "norm_bound", "(0, inf)")
    return length


def _rows(r: Any) -> np.ndarray:
    array = float_array(r, "r")
    bad = ~((array >= 1) & (array == np.floor(array)) & np.isfinite(array))
    if bad.any():
        raise InputError("r", float(array[bad].flat[0]), "must be a whole number, at least 1")
    return array


def _log_delete(logit: np.ndarray, r: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """log delta in the "delete" direction at leverage 1/(1 + e^-logit): alpha = e^logit."""
    if not logit.size:
        return logit
    laws = Spectrum(np.exp(logit)[:, None], 0.0, r[:, None])
    return to_log_delta(log_entries(laws, np.arange(logit.size), epsilon))


@np.errstate(all="ignore")  # what leaves the range of floats is followed by hand
def _log_curve(leverage: Any, r: Any, epsilon: Any, direction: str) -> tuple[np.ndarray, np.ndarray]:
    arguments.direction(direction)
    leverage = probabilities(leverage, "leverage")
    if (leverage == 1).any():
        raise InputError("leverage", 1.0, "must be less than 1")
    leverage, r, epsilon = broadcast(leverage=leverage, r=_rows(r), epsilon=checked_epsilons(epsilon))
    shape = leverage.shape
    p = leverage.reshape(-1, 1)
    if direction == "delete":
        laws = Spectrum(p / (1 - p), 0.0, r.reshape(-1, 1), -np.log1p(-p))
    else:
        # its logarithm is taken wide: epsilon may be next to the largest loss
        laws = Spectrum(-p, 0.0, r.reshape(-1, 1))
    direct, complement = log_entries(laws, np.arange(p.size), epsilon.ravel())
    return direct.reshape(shape), complement.reshape(shape)
