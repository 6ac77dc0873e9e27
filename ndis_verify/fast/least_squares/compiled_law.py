"""The integrals of `finite_law` in compiled loops (extra `speed`), a row at a time: the same integrands, windows and
nodes as by arrays, which are the reference. Sums stop where what is left is less than rounding.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.special import betaln

from ndis_verify.fast.engine.compiling import compiled
from ndis_verify.fast.least_squares.kernel import Rule

# A row: numbers of an entry and of one interval of t; a marker less or plus t at the nearer end; which end that is.
_NUMBERS = 13
_Q, _R, _EPSILON, _K, _COSINE, _EDGE_LOG, _PAST, _NODE, _WIDTH, _LOW, _HIGH, _CONSTANT, _DELETED = range(_NUMBERS)
_MARKERS = 6
_ONE_MINUS, _ONE_PLUS, _NODE_MINUS, _NODE_PLUS, _ROOT_MINUS, _ROOT_PLUS = range(_NUMBERS, _NUMBERS + _MARKERS)
_FIRST = _MARKERS  # from a marker to whether it is counted from the first end
_EDGE = 600.0  # logistic coordinates, as in `kernel`
_LEAST = 1e-18  # of a sum: a term from which on there is nothing left
_NOTHING = 36.0  # a logarithm below the top from which on a Laplace estimate of the inner integral is enough
_LITTLE = 16.0  # the same for `_FAR`, whose error is about 1e-8
_FAR = Rule(0.12)
_REACH, _ZOOM, _ROUNDS, _DROP = 150.0, 5, 10, 0.5  # as in `finite_law`
_WIDTHS = 10.0 ** np.linspace(-5.0, 1.3, 36)
_NEAR = 0.99  # as in `finite_law`
# As in `finite_law`: (sign, marker) of both ends, markers 0 for one, 1 for node and 2 for root; delete inside and
# outside, insert inside and outside.
_COUNTS = np.array([1, 2, 3, 1])
_PIECES = np.array(
    [
        [[-1, 2, 1, 2], [0, 0, 0, 0], [0, 0, 0, 0]],
        [[-1, 1, 1, 1], [1, 1, 1, 2], [0, 0, 0, 0]],
        [[1, 1, 1, 0], [1, 2, 1, 1], [-1, 1, -1, 2]],
        [[1, 2, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    ]
)
_LOG_2, _LAPLACE = math.log(2.0), 0.5 * math.log(2 * math.pi)


@compiled
def _log(x):
    """log x, -inf where there is none."""
    return math.log(x) if x > 0 else -math.inf


@compiled
def _bend(base, width, s):
    """Second derivative of log(base + width s) in the logistic coordinate of s."""
    ratio = width / (base + width * s) * s * (1 - s)
    return ratio * (1 - 2 * s) - ratio * ratio


@compiled
def _mode(whole, base, width, low, k, m):
    """The share at which the integrand is largest, as in `kernel`."""
    if whole:
        two, one, zero = -(1 - base) * (2 * m + k), (m + k) * (1 - base) - 2 * m * base, m * base
    else:
        two, one, zero = -(k + 2 * m) * width, (k + m) * width - (k + 1 + m) * low, (k + 1) * low
    root = math.sqrt(max(one * one - 4 * two * zero, 0.0))
    half = -0.5 * (one + (root if one >= 0 else -root))
    below = two if one >= 0 else half
    share = (half if one >= 0 else zero) / below if below != 0 else math.nan
    return min(max(share, 1e-300), 1 - 1e-16) if share == share else 0.5


@compiled
def _log_term(v, start, slope, bent, rising, m):
    """Of the inner integrand, without what does not depend on v."""
    size = math.exp(-abs(v))
    s = (1.0 if v > 0 else size) / (1 + size)
    return bent * _log(start + slope * s) + min(v, 0.0) * rising - max(v, 0.0) * m - (rising + m) * math.log1p(size)


@compiled
def _log_kernel(total, rest, spread, k, d, rule, least):
    """log E (A + B xi)_+^k over its constant, as in `kernel`, by a rule and without terms below `least`; a Laplace
    estimate where its step is 0."""
    steps, slopes, step = rule
    if d == 1:
        most, other = k * _log(total), k * _log(rest) if rest > 0 else -math.inf
        top, gap = max(most, other), -abs(most - other)
        return top + (math.log1p(math.exp(gap)) if gap > -_EDGE else 0.0) - _LOG_2
    m, whole = 0.5 * (d - 1), rest >= 0
    if not whole and spread == 0:
        return -math.inf
    base, width, low = (rest / total, 2.0, 0.0) if whole else (0.0, total / spread, -rest / spread)
    s = _mode(whole, base, width, low, k, m)
    ends = -s * (1 - s) if whole else _bend(low, width, s)
    curvature = (m + 1) * s * (1 - s) - k * _bend(base, 1 - base, s) - (m - 1) * ends
    centre = min(max(_log(s) - math.log1p(-s), -_EDGE), _EDGE)
    scale = 1 / math.sqrt(max(curvature, 1e-12))
    start, slope, bent, rising = (base, 1 - base, k, m) if whole else (low, width, m - 1, k + 1)
    top = _log_term(centre, start, slope, bent, rising, m)
    fixed = top + math.log(scale) + m * _log(width) + ((m - 1) * _LOG_2 if whole else 0.0) + k * _log(total)
    if step == 0:
        return fixed + _LAPLACE
    whole_sum = 1.0
    for side in (-1.0, 1.0):
        for n in range(1, steps.size):
            v = centre + side * scale * steps[n]
            if abs(v) > _EDGE:
                break
            term = math.exp(_log_term(v, start, slope, bent, rising, m) + slopes[n] - top)
            whole_sum += term
            if term < least * whole_sum:
                break
    return fixed + math.log(whole_sum * step)


@compiled
def _factor(row, marker, move):
    """A marker less or plus t, from the nearer end: `move` is what its two ways add."""
    return row[marker] + (move[0] if row[marker + _FIRST] else move[1])


@compiled
def _parts(row, v, d):
    """The outer integrand at v but for the inner integral, as in `_Piece.log_integrand`; A + B, A - B, B of that."""
    shared = math.log1p(math.exp(-abs(v)))
    log_s, log_rest = min(v, 0.0) - shared, -max(v, 0.0) - shared
    up, down = row[_WIDTH] * math.exp(log_s), row[_WIDTH] * math.exp(log_rest)
    t = row[_LOW] + up if up < down else row[_HIGH] - down
    minus, plus = (-up, down), (-down, up)
    squares = _factor(row, _ONE_MINUS, minus) * _factor(row, _ONE_PLUS, plus)  # 1 - t^2
    product = _factor(row, _NODE_MINUS, minus) * _factor(row, _NODE_PLUS, plus)
    roots = _factor(row, _ROOT_MINUS, minus) * _factor(row, _ROOT_PLUS, plus)
    mean, spread = row[_COSINE] * t, row[_NODE] * math.sqrt(max(squares, 0.0))
    if t > 0:
        total = mean + spread
        rest = -product / total if total != 0 else math.nan
    else:
        rest = mean - spread
        total = -product / rest if rest != 0 else math.nan
    ahead = row[_Q] * roots * math.exp(-row[_EDGE_LOG])
    gain = math.log1p(ahead) if ahead > -0.5 else math.log1p(row[_Q] * squares / (1 - row[_Q])) - row[_PAST]
    gain *= -0.5 * (row[_R] + 1)
    if row[_DELETED]:
        weight = _log(-math.expm1(gain)) if gain < _EDGE else -math.inf
    else:
        weight = row[_EPSILON] + gain + (_log(-math.expm1(-gain)) if gain > -_EDGE else -math.inf)
    value = row[_CONSTANT] + weight + log_s + log_rest + _log(row[_WIDTH])
    if d != 2:
        value += 0.5 * (d - 2) * _log(squares)
    return value, max(total, 1e-300), rest, spread


@compiled
def _roughly(row, v, d, beta, none):
    """The logarithm of the outer integrand, by a Laplace estimate of the inner integral; -inf where it is nan."""
    value, total, rest, spread = _parts(row, min(max(v, -_EDGE), _EDGE), d)
    value += _log_kernel(total, rest, spread, row[_K], d, none, 1.0) - beta
    return value if value == value else -math.inf


@compiled
def _window(row, d, beta, none):
    """Mode and scale of the outer integrand, as in `_Piece._window`."""
    centre, reach, height = 0.0, _REACH, -math.inf
    for _ in range(_ROUNDS):
        middle, least, height = centre, math.inf, -math.inf
        for k in range(-_ZOOM, _ZOOM + 1):
            at = middle + reach * (k / _ZOOM)
            value = _roughly(row, at, d, beta, none)
            least = min(least, value)
            if value > height:
                centre, height = at, value
        reach /= _ZOOM
        if height - least < _DROP:
            break
    low, high = 0, _WIDTHS.size - 1
    while low < high:
        half = (low + high) // 2
        both = _roughly(row, centre - _WIDTHS[half], d, beta, none)
        both += _roughly(row, centre + _WIDTHS[half], d, beta, none)
        if height - 0.5 * both > _DROP:
            high = half
        else:
            low = half + 1
    return centre, _WIDTHS[high]


@compiled
def _log_integral(row, d, beta, outer, full, far, none, values, at):
    """The logarithm of the integral of a row, as in `_Piece.log_integral`."""
    steps, slopes, step = outer
    most, middle = 2 * steps.size - 1, steps.size - 1
    centre, scale = _window(row, d, beta, none)
    top = -math.inf
    for n in range(most):
        move = scale * steps[abs(n - middle)]
        at[n] = min(max(centre + (move if n > middle else -move), -_EDGE), _EDGE)
        values[n] = _roughly(row, at[n], d, beta, none) + slopes[abs(n - middle)]
        top = max(top, values[n])
    total, best = 0.0, -math.inf
    for n in range(most):
        gap = top - values[n]
        if full[2] > 0 and gap < _NOTHING:
            value, both, rest, spread = _parts(row, at[n], d)
            rule, least = (full if gap < _LITTLE else far), min(_LEAST * math.exp(gap), 1e-3)
            value += _log_kernel(both, rest, spread, row[_K], d, rule, least) - beta
            values[n] = value + slopes[abs(n - middle)] if value == value else -math.inf
        best = max(best, values[n])
    for n in range(most):
        if values[n] > best - _EDGE:
            total += math.exp(values[n] - best)
    return best + _log(total) + math.log(scale * step)


@compiled
def _minus(place, apart, marker, sign, other):
    """A marker less another times its sign, without cancellation."""
    return place[marker] + place[other] if sign < 0 else apart[marker, other]


@compiled
def _bounded(row, place, apart, piece):
    """Fill `row` with what belongs to an interval of t, as in `_Piece`; whether there is one."""
    low_sign, low, high_sign, high = piece
    if high_sign < 0:
        row[_WIDTH] = _minus(place, apart, low, 1, high)
    else:
        row[_WIDTH] = _minus(place, apart, high, low_sign, low)
    row[_LOW], row[_HIGH] = low_sign * place[low], high_sign * place[high]
    for marker in range(3):
        from_low, from_high = (
            _minus(place, apart, marker, low_sign, low),
            _minus(place, apart, marker, high_sign, high),
        )
        to_high, to_low = _minus(place, apart, marker, -high_sign, high), _minus(place, apart, marker, -low_sign, low)
        first = abs(from_low) < abs(from_high)
        row[_ONE_MINUS + 2 * marker], row[_ONE_MINUS + 2 * marker + _FIRST] = from_low if first else from_high, first
        first = abs(to_high) < abs(to_low)
        row[_ONE_PLUS + 2 * marker], row[_ONE_PLUS + 2 * marker + _FIRST] = to_high if first else to_low, first
    return row[_WIDTH] > 0


@compiled
def _placed(p, q, r, over, deleted, row, place, apart):
    """Fill the numbers of an entry whose largest loss is `over` above epsilon, as in `_Laws`; which of `_PIECES`."""
    excess, log_q = 2 / (r + 1) * over, math.log1p(-q)
    edge, past = (-excess, -excess - log_q) if deleted else (log_q + excess, excess)
    tau, above = -math.expm1(edge) / q, (1 - q) * math.expm1(past) / q
    node, root = math.sqrt(p / q), math.sqrt(tau)
    between = (q - p) / q - above if tau > 0.5 else tau - p / q
    place[0], place[1], place[2] = 1.0, node, root
    apart[0, 1], apart[0, 2], apart[2, 1] = (q - p) / q / (1 + node), above / (1 + root), between / (root + node)
    apart[1, 0], apart[2, 0], apart[1, 2] = -apart[0, 1], -apart[0, 2], -apart[2, 1]
    row[_Q], row[_R], row[_COSINE], row[_EDGE_LOG], row[_PAST] = q, r, math.sqrt((q - p) / q), edge, past
    row[_NODE], row[_DELETED] = node, deleted
    return (0 if deleted else 2) + (0 if between <= 0 else 1)


@compiled
def fill_log_deltas(p, q, d, r, epsilon, over, constant, deleted, beta, outer, near, full, far, none, result):
    """The logarithms of delta of entries (E,) whose largest loss is `over` above epsilon, into `result`; -inf where
    that is not positive. Rules are (sinh u, log cosh u, step) at u >= 0: the outer one, that of q above `_NEAR` and
    of one row, the inner ones for large and for small terms, both of step 0 for Laplace estimates, and such a one."""
    row, place, apart = np.zeros(_NUMBERS + 2 * _MARKERS), np.empty(3), np.zeros((3, 3))
    most = 2 * max(outer[0].size, near[0].size)
    values, at = np.empty(most), np.empty(most)
    for entry in range(result.size):
        result[entry] = -math.inf
        if not over[entry] > 0:
            continue
        which = _placed(p[entry], q[entry], r[entry], over[entry], deleted, row, place, apart)
        row[_EPSILON], row[_K], row[_CONSTANT] = epsilon[entry], r[entry] - d, constant[entry]
        for number in range(_COUNTS[which]):
            if _bounded(row, place, apart, _PIECES[which, number]):
                rule = near if q[entry] > _NEAR or r[entry] == 1 else outer
                one = _log_integral(row, d, beta, rule, full, far, none, values, at)
                top = max(one, result[entry])
                if top > -math.inf:
                    result[entry] = top + math.log1p(math.exp(min(one, result[entry]) - top))


_NONE = np.zeros(1), np.zeros(1), 0.0


@cache
def _half(rule: Rule) -> tuple[np.ndarray, np.ndarray, float]:
    half = rule.nodes.size // 2
    return np.sinh(rule.nodes[half:]), rule.log_slopes[half:].copy(), rule.step


def log_deltas(
    p: np.ndarray, q: np.ndarray, d: int, r: np.ndarray, epsilon: np.ndarray, over: np.ndarray, direction: str,
    rules: tuple[Rule, Rule | None], near: Rule,
) -> np.ndarray:  # fmt: skip
    """`log_deltas` of finite_law for records of one direction whose largest loss is `over` above epsilon."""
    outer, inner = rules
    beta = float(betaln(0.5, (d - 1) / 2)) if d > 1 else 0.0
    result, constant = np.empty(q.size), _LOG_2 - betaln((r - d + 1) / 2, d / 2)
    full, far = (_half(inner), _half(max(inner, _FAR, key=lambda one: one.step))) if inner else (_NONE, _NONE)
    columns = (np.array(part, dtype=np.float64) for part in (p, q, r, epsilon, over, constant))
    p, q, r, epsilon, over, constant = columns
    rest = (constant, direction == "delete", beta, _half(outer), _half(near), full, far, _NONE, result)
    fill_log_deltas(p, q, d, r, epsilon, over, *rest)
    return result
