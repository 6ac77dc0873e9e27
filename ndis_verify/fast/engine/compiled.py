"""The contour integral of hockey sticks in compiled loops (extra `speed`): the paths, steps and error estimate of
`paths` and `trapezoid`, an entry at a time.

With z = s for delta and z = -s for its complement the transform is taken in a form in which no shift cancels,
`K(z) = -(1/2) sum_i k_i (log(1 - z alpha_i) + z log(1 + alpha_i)) + (z (z + 1)/2) sum_i m_i^2/(1 - z alpha_i) - z eps`,
and the sizes of its terms say how much rounding there can be. Whatever is not plainly within reach is left to the
numpy path, which is the reference: next to the end of a bounded loss, far out, steep, or of an uncertain error.

All loops are in this one file: what is kept on disk of a loop is made anew where the file that it stands in has
changed, and nowhere else.
"""

from __future__ import annotations

import math

import numpy as np

from ndis_verify.fast.engine import common_paths, contour, paths, trapezoid
from ndis_verify.fast.engine.compiling import compiled
from ndis_verify.fast.engine.spectrum import Spectrum

_ROUNDED = 4e3  # sum of the terms of K up to which their rounding stays below a few 1e-13
_FAR_OUT = 25.0  # saddle times the largest |alpha| of a dense pair, whose small alpha are known less well beyond it
_TINY, _LARGE = 1e-50, 1e50  # scales of a loss whose squares and cubes are floats
_CERTAIN = 1e-6  # farther above the largest loss than this, relative to its terms, delta is 0 beyond doubt
_NODES = 768
_NEWTON = 60
_FINER = 3  # steps tried, each half of the one before
_DEEPEST = 700.0  # of a height whose exponential is a float
_ALPHA, _DOF, _SQUARES, _B_SQUARED = range(4)  # rows of a form: sign alpha, k, m^2, (1 + alpha) m^2
_FEW = 16.0  # largest multiplicity of a factor that is multiplied with others before its logarithm is taken
_BLOCK = 12  # nodes between looks at how much is left
_FACTORS = 8  # that are multiplied before a logarithm is taken

_NEAR = paths._NEAR
_NARROW, _WIDE = paths._NARROW, paths._WIDE
_STEEPEST, _FLATTEST, _ROUND, _SHARP = paths._STEEPEST, paths._FLATTEST, paths._ROUND, paths._SHARP
_LASTING, _REACHED = paths._LASTING, paths._REACHED
_SINE, _VERSINE, _SWEEP = trapezoid._SINE, trapezoid._VERSINE, trapezoid._SWEEP
_GOAL, _LONGEST, _FAINT, _TAIL = trapezoid._GOAL, trapezoid._LONGEST, math.exp(trapezoid._FAINT), trapezoid._TAIL
_OVERGROWN, _HOPELESS, _LOSSY = trapezoid._OVERGROWN, trapezoid._HOPELESS, trapezoid._LOSSY
_GOOD, _POWERS = trapezoid._GOOD, trapezoid._EXPONENT / trapezoid._RULES[1:]
_BENDS = np.array(contour._BENDS)
_REACH = common_paths._SERVES + common_paths._SLACK
_AHEAD = common_paths._SERVES
_LEVER = common_paths._LEVER
_RULES = 2 * np.cos(np.pi * np.arange(_NODES)[:, None] * trapezoid._RULES)
_RULES[0] = 1.0


@compiled
def _plus(total, lost, value):
    """total + value, and what rounding has added to it, to be taken off the next value: Kahan's sum. Equal terms, of
    which there may be 10,000, would all be rounded in one direction."""
    value -= lost
    after = total + value
    return after, (after - total) - value


@compiled
def _on_axis(form, sign, threshold, s):
    """K at a real s, and the sum of the moduli of its terms without those that are linear in s."""
    logs, moduli, fractions, lost, missed = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(form.shape[1]):
        scaled = s * form[_ALPHA, j]
        term = form[_DOF, j] * math.log1p(-scaled)
        logs, lost = _plus(logs, lost, term)
        moduli += abs(term)
        fractions, missed = _plus(fractions, missed, form[_SQUARES, j] / (1 - scaled))
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
def _growth(form, sign, threshold, s):
    """K at a real s, roughly: logarithms of products."""
    logs, fractions, product, count, factors = 0.0, 0.0, 1.0, form[_DOF, 0], 0
    for j in range(form.shape[1]):
        factor = 1 - s * form[_ALPHA, j]
        fractions += form[_SQUARES, j] / factor
        if form[_DOF, j] != count or factors == _FACTORS:
            logs += count * math.log(product)
            product, count, factors = 1.0, form[_DOF, j], 0
        product *= factor
        factors += 1
    return 0.5 * (s * (s + sign) * fractions - logs - count * math.log(product)) - s * threshold


@compiled
def _step(form, sign, threshold, reach, path, lowest, highest):
    """The step for which the rule is seen to be right, as in `trapezoid`, for offsets from lowest to highest."""
    s, height, weight, rise, tangent, _ = path
    above, below = 0.0, 0.0
    for k in range(_SINE.size):
        crossing = -rise * (tangent * _VERSINE[k] + _SINE[k])
        at = s + crossing
        if 0 < at < reach:
            growth = _growth(form, sign, threshold, at) - height - math.log(at * (1 + sign * at) / weight)
            growth += max(-lowest * crossing, -highest * crossing)
            step = _SWEEP[k] / (_GOAL + 3 * max(growth, 0.0))
            if 2 * k < _SINE.size:
                above = max(above, step)
            else:
                below = max(below, step)
    return min(max(min(above, below), _LONGEST / 10), _LONGEST)


@compiled
def _log(real, imag, turns):
    """log of a product that has turned that often."""
    excess = (real - 1) * (real + 1) + imag * imag
    log = math.log1p(excess) if abs(excess) < 0.5 else math.log(real * real + imag * imag)
    return 0.5 * log, math.atan2(imag, real) + 2 * math.pi * turns


@compiled
def _root(real, imag, turns):
    """The root of a product that has turned that often, its argument half of that of the product."""
    modulus = math.sqrt(real * real + imag * imag)
    if real >= 0:
        first = math.sqrt(0.5 * (modulus + real))
        second = 0.5 * imag / first
    else:
        second = math.copysign(math.sqrt(0.5 * (modulus - real)), imag)
        first = 0.5 * imag / second
    return (first, second) if turns % 2 == 0 else (-first, -second)


@compiled
def _off_axis(form, sign, threshold, x, y):
    """Real and imaginary part of a and b, where e^a/b = e^K at x + iy, on or above the real axis.

    Factors of one multiplicity are multiplied, and turns of the product counted: the argument of a factor lies between
    0 and pi where alpha < 0, between -pi and 0 where alpha > 0. The last of simple factors are b^2.
    """
    real, imag, turns, count, factors = 1.0, 0.0, 0, form[_DOF, 0], 0
    modulus, argument, above, below = 0.0, 0.0, 0.0, 0.0
    lost_modulus, lost_argument, lost_above, lost_below = 0.0, 0.0, 0.0, 0.0
    for j in range(form.shape[1]):
        alpha, dof, squares = form[_ALPHA, j], form[_DOF, j], form[_SQUARES, j]
        a, b = 1 - x * alpha, -y * alpha
        if squares > 0:
            share = squares / (a * a + b * b)
            above, lost_above = _plus(above, lost_above, share * a)
            below, lost_below = _plus(below, lost_below, -share * b)
        if dof > _FEW:  # a large multiplicity would multiply the rounding of 1 - s alpha
            excess = x * alpha * (x * alpha - 2) + b * b
            log = math.log1p(excess) if excess > -0.5 else math.log(a * a + b * b)
            modulus, lost_modulus = _plus(modulus, lost_modulus, 0.5 * dof * log)
            argument, lost_argument = _plus(argument, lost_argument, dof * math.atan2(b, a))
            continue
        if dof != count or factors == _FACTORS:
            log, angle = _log(real, imag, turns)
            modulus, lost_modulus = _plus(modulus, lost_modulus, count * log)
            argument, lost_argument = _plus(argument, lost_argument, count * angle)
            real, imag, turns, count, factors = 1.0, 0.0, 0, dof, 0
        real, imag, before = real * a - imag * b, real * b + imag * a, imag
        factors += 1
        if b > 0 and before >= 0 and imag < 0:
            turns += 1
        elif b < 0 and before < 0 and imag >= 0:
            turns -= 1
    first, second = 1.0, 0.0
    if factors and count == 1:
        first, second = _root(real, imag, turns)
    elif factors:
        log, angle = _log(real, imag, turns)
        modulus, argument = modulus + (count * log - lost_modulus), argument + (count * angle - lost_argument)
    # s (s + sign)/2 times (above + i below)
    along, across = 0.5 * (x * (x + sign) - y * y), 0.5 * y * (2 * x + sign)
    return (
        along * above - across * below - 0.5 * modulus - x * threshold,
        along * below + across * above - 0.5 * argument - y * threshold,
        first,
        second,
    )


@compiled
def _fill(form, sign, threshold, path, step, lowest, highest, nodes):
    """Fill `nodes` with the integrand times ds/du, over its value at the saddle and scale: rows modulus and imaginary
    part where there is one offset, 0; else rows x, y, growth, turn, as in `_Hyperbolas.nodes`. How many nodes; 0 where
    the integrand does not die out for all offsets from lowest to highest."""
    s, height, weight, rise, tangent, width = path
    alone = lowest == 0 and highest == 0
    mass = 0.0
    for n in range(_NODES):
        grown = math.exp(step * n)
        sinh, cosh = 0.5 * (grown - 1 / grown), 0.5 * (grown + 1 / grown)
        lean = tangent * sinh
        x, y = rise * tangent * (cosh - 1), rise * sinh
        right = s + x
        growth, turn, first, second = _off_axis(form, sign, threshold, right, y)
        growth -= height
        if not growth < _DEEPEST:
            return 0
        # ds/du is width (lean + i cosh), over s (1 + sign s) and the root
        real, imag = (right + sign * (right * right - y * y)) / weight, (y + 2 * sign * right * y) / weight
        real, imag = real * first - imag * second, real * second + imag * first
        share = width / (real * real + imag * imag)
        real, imag = share * (lean * real + cosh * imag), share * (cosh * real - lean * imag)
        modulus = math.sqrt(real * real + imag * imag)
        if alone:
            grown = math.exp(growth)
            nodes[0, n] = modulus = grown * modulus
            nodes[1, n] = grown * (real * math.sin(turn) + imag * math.cos(turn))
        else:
            nodes[0, n], nodes[1, n] = x, y
            nodes[2, n], nodes[3, n] = growth + math.log(modulus), turn + math.atan2(imag, real)
            modulus = math.exp(min(nodes[2, n] + max(-lowest * x, -highest * x), _HOPELESS))
        if modulus < _FAINT:
            return n + 1
        mass += modulus
        if not mass < _OVERGROWN:
            return 0
        if n % _BLOCK == _BLOCK - 1 and modulus < _TAIL * mass:
            return n + 1
    return 0


@compiled
def _sum(nodes, count, offset, alone):
    """The sum along the nodes for a threshold `offset` beyond that of the path, and an estimate of its relative
    error, as in `trapezoid`."""
    mass, total, first, second, third, fourth = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(count):
        if alone:
            modulus, part = nodes[0, n], 0.5 * nodes[1, n]
        else:
            modulus = math.exp(nodes[2, n] - offset * nodes[0, n])
            part = 0.5 * modulus * math.sin(nodes[3, n] - offset * nodes[1, n])
        mass += modulus
        total += part * _RULES[n, 0]
        first += part * _RULES[n, 1]
        second += part * _RULES[n, 2]
        third += part * _RULES[n, 3]
        fourth += part * _RULES[n, 4]
    if not mass <= _LOSSY * total:
        return total, math.inf
    error = max(
        (2 * abs(first / total)) ** _POWERS[0],
        (2 * abs(second / total)) ** _POWERS[1],
        (2 * abs(third / total)) ** _POWERS[2],
        (2 * abs(fourth / total)) ** _POWERS[3],
    )
    return total, error


@compiled
def _serve(form, sign, base, size, far_out, epsilon, anchor, nodes, values):
    """log of the integrals at the first of `epsilon`, ascending, that the path through the saddle point of
    `epsilon[anchor]` serves, into `values`; how many it serves, and how far in epsilon."""
    threshold, reach = sign * (epsilon[anchor] + base), math.inf if sign > 0 else 1.0
    edge, bounded, terms = threshold, sign > 0, size + abs(epsilon[anchor])
    for j in range(form.shape[1]):
        if form[_ALPHA, j] > 0:
            reach = min(reach, 1 / form[_ALPHA, j])
        if form[_ALPHA, j] != 0:
            edge += 0.5 * form[_SQUARES, j] / form[_ALPHA, j]
            terms += abs(0.5 * form[_SQUARES, j] / form[_ALPHA, j])
        bounded &= form[_ALPHA, j] < 0 or (form[_ALPHA, j] == 0 and form[_SQUARES, j] == 0)
    skipped = 0 if anchor else 1
    if bounded and edge >= 0:
        if not anchor and far_out == math.inf and edge > _CERTAIN * terms:
            values[0] = -math.inf
        return skipped, 0.0
    s, curved, second, third = _saddle(form, sign, threshold, reach, _start(form, sign, threshold, edge, reach))
    height, moduli = _on_axis(form, sign, threshold, s)
    level, weight = height, s * (1 + sign * s)
    height -= math.log(weight)
    scale = s / math.sqrt(second)
    span = _AHEAD / scale
    if not (s < far_out and moduli + s * (size + abs(epsilon[anchor])) < _ROUNDED and abs(height) < _DEEPEST):
        return skipped, 0.0
    rate, deviation = _far(form, sign, threshold, edge, s)
    side = 1.0 if rate > 0 else -1.0
    count = 0
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
    lowest, highest = sign * (epsilon[0] - epsilon[anchor]), sign * (epsilon[count - 1] - epsilon[anchor])
    width, bend = _shape(form, reach, s, curved, second, third, rate, deviation)
    for turn in range(_BENDS.size + 1):
        tangent = math.tan(side * _BENDS[turn - 1] if turn else bend)
        path = (s, level, weight, scale * width, tangent, width)
        step, missed = _step(form, sign, threshold, reach, path, lowest, highest), True
        for _ in range(_FINER):
            many = _fill(form, sign, threshold, path, step, lowest, highest, nodes)
            missed = many == 0
            for e in range(count):
                if many and math.isnan(values[e]):
                    offset = sign * (epsilon[e] - epsilon[anchor])
                    total, error = _sum(nodes, many, offset, lowest == 0 and highest == 0)
                    if error < _GOOD:
                        values[e] = height - offset * s + math.log(total * step / math.pi * scale)
                    missed |= not error < _GOOD
            if not (missed and many):
                break
            step *= 0.5
        if not missed:
            break
    return count, span


@compiled
def _column(alpha, shift, squares, dof, ratio, sign, form):
    """Fill `form` with a row of the spectrum; (1/2) sum k log(1 + alpha), the same of moduli, mean and variance of the
    loss; a variance of nan where a number is far from 1."""
    base, size, mean, variance, lost = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(alpha.size):
        form[_ALPHA, j], form[_DOF, j], form[_SQUARES, j] = sign * alpha[j], dof[j], squares[j]
        form[_B_SQUARED, j] = math.exp(ratio[j]) * squares[j]
        base, lost = _plus(base, lost, 0.5 * dof[j] * ratio[j])
        size += 0.5 * dof[j] * abs(ratio[j])
        mean += 0.5 * (dof[j] * (alpha[j] - ratio[j]) + squares[j])
        variance += 0.5 * dof[j] * alpha[j] ** 2 + form[_B_SQUARED, j]
        if shift[j] > 0 and squares[j] < _TINY**4:
            variance = math.nan
    if not (_TINY**2 < variance < _LARGE**2):
        variance = math.nan
    return base, size, mean, variance


@compiled
def _run(form, sign, base, size, far_out, epsilon, nodes, values):
    """`_serve`, one path after the other."""
    first, span = 0, 0.0
    while first < epsilon.size:
        anchor = first
        while anchor + 1 < epsilon.size and epsilon[anchor + 1] - epsilon[first] < span:
            anchor += 1
        count, span = _serve(form, sign, base, size, far_out, epsilon[first:], anchor - first, nodes, values[first:])
        first += count


@compiled
def log_values(alpha, shift, squares, dof, ratio, dense, rows, epsilon, direct, complement):
    """Fill `direct` or `complement` (E,) with the logarithms of delta or 1 - delta at the entries
    (rows[e], epsilon[e]), rows and then epsilon ascending; both stay nan where the numpy path has to look.

    alpha, shift = m, squares = m^2, dof and ratio = log(1 + alpha), all (R, g), as in `Spectrum`.
    """
    nodes, form = np.empty((4, _NODES)), np.empty((4, alpha.shape[1]))
    first = 0
    while first < rows.size:
        row = rows[first]
        last = first
        while last < rows.size and rows[last] == row:
            last += 1
        parts = alpha[row], shift[row], squares[row], dof[row], ratio[row]
        base, size, mean, variance = _column(*parts, 1.0, form)
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
        _run(form, 1.0, base, size, far_out, epsilon[middle:last], nodes, direct[middle:last])
        if middle > first:
            _column(*parts, -1.0, form)
            # ascending thresholds are descending epsilons; both are served alike
            _run(form, -1.0, base, size, math.inf, epsilon[first:middle], nodes, complement[first:middle])
        first = last


def entries(laws: Spectrum, rows: np.ndarray, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(log delta, nan) or (nan, log(1 - delta)) for the entries (rows[e], epsilon[e]) of a spectrum, (nan, nan) where
    the numpy path has to look."""
    dense = laws.inputs is not None and laws.inputs.dense
    direct, complement = np.full(rows.shape, np.nan), np.full(rows.shape, np.nan)
    order = None
    if rows.size > 1 and ((rows[1:] < rows[:-1]) | ((rows[1:] == rows[:-1]) & (epsilon[1:] < epsilon[:-1]))).any():
        order = np.lexsort((epsilon, rows))
        rows, epsilon = rows[order], epsilon[order]
    log_values(*laws.columns, dense, np.array(rows, dtype=np.int64), np.array(epsilon), direct, complement)
    if order is None:
        return direct, complement
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return direct[back], complement[back]
