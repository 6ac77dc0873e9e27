"""The contour integral of hockey sticks in compiled loops (extra `speed`): the paths of `paths` and `common_paths`, an
entry at a time; what is summed along them is in `compiled_sums`, the integrand in `compiled_nodes`.

The sizes of the terms of K say how much rounding there can be. Whatever is not plainly within reach is left to the
numpy path, which is the reference: next to the end of a bounded loss, far out, steep, or of an uncertain error.
"""

from __future__ import annotations

import math

import numpy as np

from ndis_verify.fast.engine import common_paths, paths, trapezoid
from ndis_verify.fast.engine import compiled_nodes as at
from ndis_verify.fast.engine import compiled_sums as sums
from ndis_verify.fast.engine.compiling import compiled
from ndis_verify.fast.engine.spectrum import Spectrum

_ROUNDED = 4e3  # sum of the terms of K up to which their rounding stays below a few 1e-13
_OF_A_LOGARITHM = 100.0  # the same sum over a logarithm far below that of any float, which is asked for alone
_FAR_OUT = 25.0  # saddle times the largest |alpha| of a dense pair, whose small alpha are known less well beyond it
_TINY, _LARGE = 1e-50, 1e50  # scales of a loss whose squares and cubes are floats
_CERTAIN = 1e-6  # farther above the largest loss than this, relative to its terms, delta is 0 beyond doubt
_NEWTON = 60
_DEEPEST = trapezoid.LOG_ONLY
_ALPHA, _DOF, _SQUARES, _B_SQUARED = range(4)  # rows of a form: sign alpha, k, m^2, (1 + alpha) m^2

_NEAR = paths._NEAR
_NARROW, _WIDE = paths._NARROW, paths._WIDE
_STEEPEST, _FLATTEST, _ROUND, _SHARP = paths._STEEPEST, paths._FLATTEST, paths._ROUND, paths._SHARP
_LASTING, _REACHED = paths._LASTING, paths._REACHED
_REACH = common_paths._SERVES + common_paths._SLACK
_AHEAD = common_paths._SERVES
_LEVER = common_paths._LEVER


@compiled
def _on_axis(form, sign, threshold, s):
    """K at a real s, and the sum of the moduli of its terms without those that are linear in s."""
    logs, moduli, fractions, lost, missed = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(form.shape[1]):
        scaled = s * form[_ALPHA, j]
        term = form[_DOF, j] * math.log1p(-scaled)
        logs, lost = at.plus(logs, lost, term)
        moduli += abs(term)
        fractions, missed = at.plus(fractions, missed, form[_SQUARES, j] / (1 - scaled))
    pull = 0.5 * s * (s + sign) * fractions
    return pull - 0.5 * logs - s * threshold, 0.5 * moduli + abs(pull)


@compiled
def _slopes(form, sign, threshold, s):
    """s^2 K'', and s, s^2, s^3 times the first three derivatives of log(e^K w), at a real s."""
    first, second, third = -s * threshold, 0.0, 0.0
    for j in range(form.shape[1]):
        scaled = s * form[_ALPHA, j]
        inverse = 1 / (1 - scaled)
        ratio = scaled * inverse
        part = 0.5 * form[_DOF, j] * ratio
        first += part
        second += part * ratio
        third += 2 * part * ratio * ratio
        if form[_SQUARES, j] > 0:
            first += 0.5 * form[_SQUARES, j] * s * (sign + s * (2 - scaled)) * inverse * inverse
            mixed = form[_B_SQUARED, j] * s * s * inverse * inverse * inverse
            second += mixed
            third += 3 * mixed * ratio
    share = sign * s / (1 + sign * s)
    return second, first - 1 - share, second + 1 + share * share, third - 2 - 2 * share**3


@compiled
def _start(form, sign, threshold, edge, reach):
    """Where the search for the saddle point begins, as in `Paths.start`."""
    mean, variance, dof, smallest = -threshold, 0.0, 0.0, math.inf
    for j in range(form.shape[1]):
        alpha = form[_ALPHA, j]
        mean += 0.5 * (form[_DOF, j] * alpha + sign * form[_SQUARES, j])
        variance += 0.5 * form[_DOF, j] * alpha * alpha + form[_B_SQUARED, j]
        dof += form[_DOF, j]
        smallest = min(smallest, abs(alpha))
    root = math.sqrt(mean * mean + 4 * variance)
    start = 2 / (mean + root) if mean > 0 else (root - mean) / (2 * variance)
    if edge < 0 and reach == math.inf and (0.5 * dof + 2) / -edge * smallest > 1:
        start = (0.5 * dof + 2) / -edge
    return min(start, 0.7 * min(reach, 1e300))


@compiled
def _saddle(form, sign, threshold, reach, start):
    """The saddle point, found as in `Paths`, and what `_slopes` has there; nan where it is not found soon."""
    odds = math.log(start / (1 - start / reach))
    low, high = -300.0, min(300.0, math.log(reach) + 32)
    for _ in range(_NEWTON):
        grown = math.exp(odds)
        gap = 1 / (1 + grown / reach)
        s = grown * gap
        curved, first, second, third = _slopes(form, sign, threshold, s)
        if abs(first) < _NEAR * math.sqrt(second):
            return s, curved, second, third
        if first < 0:
            low = odds
        else:
            high = odds
        growth = (1 - 2 * s / reach) * first + gap * second
        newton = odds + min(max(-first / growth, -2.0), 2.0)
        if low < newton < high and growth > 0:
            odds = newton
        elif first < 0:
            odds = min(odds + 2.0, (odds + high) / 2)
        else:
            odds = max(odds - 2.0, (odds + low) / 2)
    return math.nan, 1.0, 1.0, 0.0


@compiled
def _far(form, sign, threshold, edge, s):
    """Rate and deviation of the integrand far out, as in `Paths._far`."""
    variance, rate = 0.0, threshold
    for j in range(form.shape[1]):
        alpha, squares, b_squared = form[_ALPHA, j], form[_SQUARES, j], form[_B_SQUARED, j]
        factor = 1 - s * alpha
        if b_squared > _LASTING * alpha * alpha * factor:
            variance += b_squared
            rate -= 0.5 * sign * squares + s * b_squared * (1 + factor) / (2 * factor * factor)
        elif alpha != 0:
            rate += 0.5 * squares / alpha
    return (rate, math.sqrt(variance)) if variance > 0 else (edge, 0.0)


@compiled
def _shape(form, reach, s, curved, second, third, rate, deviation):
    """Half-width of the path in units of the saddle's, and its angle, as in `Paths`."""
    room = math.inf  # to the nearest singularity, in units of the saddle
    for j in range(form.shape[1]):
        scaled = s * form[_ALPHA, j]
        if scaled != 0:
            room = min(room, abs(1 / scaled - 1))
    relative = 1 / math.sqrt(second)
    width = min(max(1.3 * min(1.0, reach / s - 1) / relative, _NARROW), _WIDE)
    angle = _STEEPEST / (1 + (room * math.sqrt(curved) / _ROUND) ** _SHARP)
    angle = min(angle, _FLATTEST + (_STEEPEST - _FLATTEST) / (1 + (_REACHED * deviation / rate) ** 2))
    side = 1.0 if rate > 0 else -1.0
    against = math.atan(width * relative**3 * third / 3) * side
    return width, side * max(angle + min(against, 0.0), min(angle, _FLATTEST))


@compiled
def _path(form, sign, base, size, far_out, epsilon, anchor, path):
    """Fill `path` with the path through the saddle point of `epsilon[anchor]`: how many of `epsilon`, ascending or
    descending, it serves from the first one on, and how far in epsilon; -1 where the first one is beyond the largest
    loss for sure, 0 where there is no such path."""
    threshold, reach = sign * (epsilon[anchor] + base), math.inf if sign > 0 else 1.0
    edge, bounded, terms = threshold, sign > 0, size + abs(epsilon[anchor])
    for j in range(form.shape[1]):
        if form[_ALPHA, j] > 0:
            reach = min(reach, 1 / form[_ALPHA, j])
        if form[_ALPHA, j] != 0:
            asymptote = 0.5 * form[_SQUARES, j] / form[_ALPHA, j]
            edge += asymptote
            terms += abs(asymptote)
        bounded &= form[_ALPHA, j] < 0 or (form[_ALPHA, j] == 0 and form[_SQUARES, j] == 0)
    if bounded and edge >= 0:
        return -1 if not anchor and far_out == math.inf and edge > _CERTAIN * terms else 0, 0.0
    s, curved, second, third = _saddle(form, sign, threshold, reach, _start(form, sign, threshold, edge, reach))
    level, moduli = _on_axis(form, sign, threshold, s)
    weight = s * (1 + sign * s)
    height, scale = level - math.log(weight), s / math.sqrt(second)
    moduli += s * (size + abs(epsilon[anchor]))
    allowed = _OF_A_LOGARITHM * -height if height < -sums.LEAST else _ROUNDED
    if not (s < far_out and moduli < allowed and -_DEEPEST < height < at.DEEPEST):
        return 0, 0.0
    rate, deviation = _far(form, sign, threshold, edge, s)
    side, count = 1.0 if rate > 0 else -1.0, 0
    for e in range(epsilon.size):
        offset = sign * (epsilon[e] - epsilon[anchor])
        lever = abs(offset) * s
        if not (abs(offset) * scale < _REACH and lever < max(_LEVER, 0.5 * abs(height))):
            break
        if not (rate + offset) * side >= -deviation:
            break
        count += 1
    if count <= anchor:
        return 0, 0.0
    width, bend = _shape(form, reach, s, curved, second, third, rate, deviation)
    path[at.S], path[at.LEVEL], path[at.WEIGHT], path[at.HEIGHT] = s, level, weight, height
    path[at.SCALE], path[at.WIDTH], path[at.BEND], path[at.SIDE] = scale, width, bend, side
    path[at.REACH], path[at.THRESHOLD], path[at.SIGN] = reach, threshold, sign
    return count, _AHEAD / scale


@compiled
def _column(alpha, shift, squares, dof, ratio, sign, form):
    """Fill `form` with a row of the spectrum; (1/2) sum k log(1 + alpha), the same of moduli, mean and variance of the
    loss; a variance of nan where a number is far from 1."""
    base, size, mean, variance, lost = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(alpha.size):
        form[_ALPHA, j], form[_DOF, j], form[_SQUARES, j] = sign * alpha[j], dof[j], squares[j]
        form[_B_SQUARED, j] = math.exp(ratio[j]) * squares[j]
        base, lost = at.plus(base, lost, 0.5 * dof[j] * ratio[j])
        size += 0.5 * dof[j] * abs(ratio[j])
        mean += 0.5 * (dof[j] * (alpha[j] - ratio[j]) + squares[j])
        variance += 0.5 * dof[j] * alpha[j] ** 2 + form[_B_SQUARED, j]
        if shift[j] > 0 and squares[j] < _TINY**4:
            variance = math.nan
    if not (_TINY**2 < variance < _LARGE**2):
        variance = math.nan
    return base, size, mean, variance


@compiled
def _located(form, sign, base, size, far_out, row, begin, epsilon, values, paths, spans, number):
    """`_path`, one after the other, for entries of one row; how many paths there are then."""
    first, span = 0, 0.0
    while first < epsilon.size:
        anchor = first
        while anchor + 1 < epsilon.size and epsilon[anchor + 1] - epsilon[first] < span:
            anchor += 1
        ahead = anchor - first
        count, span = _path(form, sign, base, size, far_out, epsilon[first:], ahead, paths[number])
        if count < 0:
            values[first] = -math.inf
        elif count:
            spans[number, 0], spans[number, 1] = row, begin + first
            spans[number, 2], spans[number, 3] = count, begin + anchor
            number += 1
        first += max(count, 0 if ahead else 1)
    return number


@compiled
def located(columns, dense, rows, epsilon, direct, paths, spans):
    """Fill `paths` and `spans` with the paths of the entries (rows[e], epsilon[e]), rows and then epsilon ascending, as
    `compiled_sums.log_integrals` has them; how many there are. Entries without one are left to the numpy path, but for
    those beyond the largest loss, which get -inf in `direct` (E,).

    columns: alpha, m, m^2, multiplicity and log(1 + alpha), all (R, g), as in `Spectrum`.
    """
    alpha, shift, squares, dof, ratio = columns
    form = np.empty((4, alpha.shape[1]))
    first, number = 0, 0
    while first < rows.size:
        row = rows[first]
        last = first
        while last < rows.size and rows[last] == row:
            last += 1
        base, size, mean, variance = _column(alpha[row], shift[row], squares[row], dof[row], ratio[row], 1.0, form)
        largest = 0.0
        for j in range(alpha.shape[1]):
            largest = max(largest, abs(alpha[row, j]))
        far_out = _FAR_OUT / largest if dense and largest > 0 else math.inf
        middle = first
        while middle < last and mean - epsilon[middle] > 0.5 * math.sqrt(variance):
            middle += 1
        if math.isnan(variance):
            first = last
            continue
        some = epsilon[middle:last], direct[middle:last], paths, spans, number
        number = _located(form, 1.0, base, size, far_out, row, middle, *some)
        if middle > first:
            for j in range(alpha.shape[1]):
                form[_ALPHA, j] = -form[_ALPHA, j]
            # ascending thresholds are descending epsilons; both are served alike
            some = epsilon[first:middle], direct[first:middle], paths, spans, number
            number = _located(form, -1.0, base, size, math.inf, row, first, *some)
        first = last
    return number


def entries(laws: Spectrum, rows: np.ndarray, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(log delta, nan) or (nan, log(1 - delta)) for the entries (rows[e], epsilon[e]) of a spectrum, (nan, nan) where
    the numpy path has to look."""
    dense = laws.inputs is not None and laws.inputs.dense
    order = None
    if rows.size > 1 and ((rows[1:] < rows[:-1]) | ((rows[1:] == rows[:-1]) & (epsilon[1:] < epsilon[:-1]))).any():
        order = np.lexsort((epsilon, rows))
        rows, epsilon = rows[order], epsilon[order]
    rows, epsilon = np.array(rows, dtype=np.int64), np.array(epsilon)
    direct, complement = np.full(rows.shape, np.nan), np.full(rows.shape, np.nan)
    paths, spans = np.empty((rows.size, at.PATH)), np.empty((rows.size, 4), dtype=np.int64)
    number = located(laws.columns, dense, rows, epsilon, direct, paths, spans)
    if number:
        alpha, _, squares, dof, _ = laws.columns
        sums.fill_logs((alpha, dof, squares), paths[:number], spans[:number], epsilon, direct, complement)
    if order is None:
        return direct, complement
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return direct[back], complement[back]
