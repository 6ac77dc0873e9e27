"""The integrand at blocks of nodes in compiled loops (extra `speed`), and the step between them, as in `transform` and
`trapezoid`.

With z = s for delta and z = -s for its complement the transform is taken in a form in which no shift cancels,
`K(z) = -(1/2) sum_i k_i (log(1 - z alpha_i) + z log(1 + alpha_i)) + (z (z + 1)/2) sum_i m_i^2/(1 - z alpha_i) - z eps`.
One quantity of all nodes of a block is found after the other: such loops are done by vector instructions, where their
length is no constant (short ones of known length are unrolled instead). Exponentials, sines and cosines are polynomials
for the same reason.
"""

from __future__ import annotations

import math

import numpy as np

from ndis_verify.fast.engine import trapezoid
from ndis_verify.fast.engine.compiling import compiled

BLOCK = 16  # nodes that are worked on together
PATH = 12  # numbers of a path
S, LEVEL, WEIGHT, HEIGHT, SCALE, WIDTH, BEND, TANGENT, SIDE, REACH, THRESHOLD, SIGN = range(PATH)
DEEPEST = 700.0  # of a height whose exponential is a float

_FEW = 16.0  # largest multiplicity of a factor that is multiplied with others before its logarithm is taken
_FACTORS = 8  # that are multiplied before their product is brought back to the size of 1

_SINE, _VERSINE, _SWEEP = trapezoid._SINE, trapezoid._VERSINE, trapezoid._SWEEP
_GOAL, _LONGEST = trapezoid._GOAL, trapezoid._LONGEST

# Rows of the work area, each of a block: where nodes lie; two products of factors, that of simple ones and that of one
# other multiplicity, as real and imaginary part, turns and binary exponent; sums and what rounding has added to them;
# what the integrand is made of; sums along a path.
X, Y, _LEAN, _COSH = (BLOCK * k for k in range(4))
_SIMPLE, _OTHER = 4 * BLOCK, 8 * BLOCK
_IMAGINARY, _TURNED, _EXPONENT = BLOCK, 2 * BLOCK, 3 * BLOCK
_ABOVE, _BELOW, _LOGS, _ANGLES = (BLOCK * k for k in range(12, 16))
_LOST = 4 * BLOCK  # from a sum to what it has lost
GROWTH, TURN, REAL, IMAG, SIZE, GROWN, PART = (BLOCK * k for k in range(20, 27))
SUMS, LIMITS = 27 * BLOCK, 32 * BLOCK
ROWS = 33

_SHIFT = 6755399441055744.0  # 1.5 * 2^52: what is added to it is rounded to a whole number, in its last bits
_SHIFT_BITS = int(np.float64(_SHIFT).view(np.int64))
_LN_2 = math.log(2.0)
_LN_2_HIGH, _LN_2_LOW = float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33")
_QUARTER_HIGH, _QUARTER_MIDDLE = float.fromhex("0x1.921fb54400000p+0"), float.fromhex("0x1.0b4611a600000p-34")
_QUARTER_LOW = float.fromhex("0x1.3198a2e037073p-69")
_E2, _E3, _E4, _E5, _E6, _E7, _E8, _E9, _E10, _E11, _E12, _E13 = (1 / math.factorial(k) for k in range(2, 14))
_E14, _E15, _E16 = (1 / math.factorial(k) for k in range(14, 17))


@compiled
def exp(x):
    """e^x, of -700 at least, to two units in the last place."""
    shifted = max(min(x, DEEPEST), -DEEPEST) * (1 / _LN_2) + _SHIFT
    whole = shifted - _SHIFT
    r = (max(min(x, DEEPEST), -DEEPEST) - whole * _LN_2_HIGH) - whole * _LN_2_LOW
    high = _E7 + r * (_E8 + r * (_E9 + r * (_E10 + r * (_E11 + r * (_E12 + r * _E13)))))
    low = 1 + r * (1 + r * (_E2 + r * (_E3 + r * (_E4 + r * (_E5 + r * (_E6 + r * high))))))
    return low * _power(np.float64(shifted).view(np.int64) - _SHIFT_BITS)


@compiled
def _power(exponent):
    """2^exponent."""
    return np.int64((exponent + 1023) << 52).view(np.float64)


@compiled
def sine_and_cosine(x):
    shifted = x * (2 / math.pi) + _SHIFT
    whole = shifted - _SHIFT
    quarter = np.float64(shifted).view(np.int64)
    r = ((x - whole * _QUARTER_HIGH) - whole * _QUARTER_MIDDLE) - whole * _QUARTER_LOW
    r2 = r * r
    sine = _E3 - r2 * (_E5 - r2 * (_E7 - r2 * (_E9 - r2 * (_E11 - r2 * (_E13 - r2 * _E15)))))
    sine = r - r * r2 * sine
    cosine = _E4 - r2 * (_E6 - r2 * (_E8 - r2 * (_E10 - r2 * (_E12 - r2 * (_E14 - r2 * _E16)))))
    cosine = 1 - r2 * (0.5 - r2 * cosine)
    odd, turned, tilted = quarter & 1 == 1, quarter & 2 == 2, (quarter + 1) & 2 == 2
    first, second = cosine if odd else sine, sine if odd else cosine
    return -first if turned else first, -second if tilted else second


@compiled
def plus(total, lost, value):
    """total + value, and what rounding has added to it, to be taken off the next value: Kahan's sum. Equal terms, of
    which there may be 10,000, would all be rounded in one direction."""
    value -= lost
    after = total + value
    return after, (after - total) - value


@compiled
def _fractions(area, size, alpha, squares):
    """Add m^2/(1 - z alpha) at z = x + iy to two of the sums."""
    for k in range(size):
        a, b = 1 - area[X + k] * alpha, -area[Y + k] * alpha
        share = squares / (a * a + b * b)
        area[_ABOVE + k], area[_ABOVE + _LOST + k] = plus(area[_ABOVE + k], area[_ABOVE + _LOST + k], share * a)
        area[_BELOW + k], area[_BELOW + _LOST + k] = plus(area[_BELOW + k], area[_BELOW + _LOST + k], -share * b)


@compiled
def _many(area, size, alpha, dof):
    """Add k log(1 - z alpha): a large multiplicity would multiply the rounding of 1 - z alpha."""
    for k in range(size):
        b, moved = -area[Y + k] * alpha, area[X + k] * alpha
        excess = moved * (moved - 2) + b * b
        log = math.log1p(excess) if excess > -0.5 else math.log((1 - moved) * (1 - moved) + b * b)
        angle = dof * math.atan2(b, 1 - moved)
        area[_LOGS + k], area[_LOGS + _LOST + k] = plus(area[_LOGS + k], area[_LOGS + _LOST + k], 0.5 * dof * log)
        area[_ANGLES + k], area[_ANGLES + _LOST + k] = plus(area[_ANGLES + k], area[_ANGLES + _LOST + k], angle)


@compiled
def _times(area, size, alpha, row):
    """Multiply a product by 1 - z alpha, and count its turns: the argument of the factor lies between 0 and pi where
    alpha < 0, between -pi and 0 where alpha > 0."""
    up, down = (1.0, 0.0) if alpha < 0 else (0.0, 1.0)
    for k in range(size):
        a, b = 1 - area[X + k] * alpha, -area[Y + k] * alpha
        real, before = area[row + k], area[row + _IMAGINARY + k]
        imag = real * b + before * a
        area[row + k], area[row + _IMAGINARY + k] = real * a - before * b, imag
        over, under = (before >= 0) & (imag < 0), (before < 0) & (imag >= 0)
        area[row + _TURNED + k] += (up if over else 0.0) - (down if under else 0.0)


@compiled
def _brought_back(area, size, row):
    """Divide a product by a power of two, so that it is of the size of 1."""
    for k in range(size):
        largest = max(abs(area[row + k]), abs(area[row + _IMAGINARY + k]))
        exponent = (np.float64(largest).view(np.int64) >> 52) - 1023
        scale = _power(-exponent)
        area[row + k] *= scale
        area[row + _IMAGINARY + k] *= scale
        area[row + _EXPONENT + k] += np.int64(exponent + _SHIFT_BITS).view(np.float64) - _SHIFT


@compiled
def _taken(area, size, dof):
    """Add k times the logarithm of the other product to the sums of logarithms, and begin a new one."""
    for k in range(size):
        real, imag = area[_OTHER + k], area[_OTHER + _IMAGINARY + k]
        log = 0.5 * math.log(real * real + imag * imag) + area[_OTHER + _EXPONENT + k] * _LN_2
        angle = math.atan2(imag, real) + 2 * math.pi * area[_OTHER + _TURNED + k]
        area[_LOGS + k], area[_LOGS + _LOST + k] = plus(area[_LOGS + k], area[_LOGS + _LOST + k], dof * log)
        area[_ANGLES + k], area[_ANGLES + _LOST + k] = plus(area[_ANGLES + k], area[_ANGLES + _LOST + k], dof * angle)
        area[_OTHER + k], area[_OTHER + _IMAGINARY + k] = 1.0, 0.0
        area[_OTHER + _TURNED + k], area[_OTHER + _EXPONENT + k] = 0.0, 0.0


@compiled
def _off_axis(alpha, dof, squares, sign, area, size):
    """Products and sums over all groups at the nodes of a block, on or above the real axis."""
    for k in range(size):
        for row in range(_SIMPLE, GROWTH, BLOCK):
            area[row + k] = 0.0
        area[_SIMPLE + k] = area[_OTHER + k] = 1.0
    count, simple, others = 1.0, 0, 0
    for j in range(alpha.size):
        if squares[j] > 0:
            _fractions(area, size, sign * alpha[j], squares[j])
        if dof[j] > _FEW:
            _many(area, size, sign * alpha[j], dof[j])
        elif dof[j] == 1:
            _times(area, size, sign * alpha[j], _SIMPLE)
            simple += 1
            if simple % _FACTORS == 0:
                _brought_back(area, size, _SIMPLE)
        elif dof[j] > 0:
            if dof[j] != count and others:
                _taken(area, size, count)
                others = 0
            count = dof[j]
            _times(area, size, sign * alpha[j], _OTHER)
            others += 1
            if others % _FACTORS == 0:
                _brought_back(area, size, _OTHER)
    if others:
        _taken(area, size, count)


@compiled
def block(alpha, dof, squares, path, step, first, area, size):
    """The integrand times ds/du, over its value at the saddle and scale, at the nodes from `first` on: growth, turn and
    a complex factor with its modulus."""
    sign, s, tangent, width = path[SIGN], path[S], path[TANGENT], path[WIDTH]
    rise, weight, threshold, level = path[SCALE] * width, path[WEIGHT], path[THRESHOLD], path[LEVEL]
    for k in range(size):
        grown = exp(step * (first + k))
        inverse = 1 / grown
        sinh, cosh = 0.5 * (grown - inverse), 0.5 * (grown + inverse)
        area[_LEAN + k], area[_COSH + k] = tangent * sinh, cosh
        area[X + k], area[Y + k] = s + rise * tangent * (cosh - 1), rise * sinh
    _off_axis(alpha, dof, squares, sign, area, size)
    for k in range(size):
        x, y = area[X + k], area[Y + k]
        # z (z + sign)/2 times (above + i below)
        along, across = 0.5 * (x * (x + sign) - y * y), 0.5 * y * (2 * x + sign)
        above, below = area[_ABOVE + k], area[_BELOW + k]
        logs = area[_LOGS + k] - area[_LOGS + _LOST + k] + area[_SIMPLE + _EXPONENT + k] * _LN_2
        area[GROWTH + k] = along * above - across * below - 0.5 * logs - x * threshold - level
        angles = area[_ANGLES + k] - area[_ANGLES + _LOST + k]
        area[TURN + k] = along * below + across * above - 0.5 * angles - y * threshold
    for k in range(size):
        # The root of the simple product, its argument half of that of the product
        real, imag = area[_SIMPLE + k], area[_SIMPLE + _IMAGINARY + k]
        large = math.sqrt(0.5 * (math.sqrt(real * real + imag * imag) + abs(real)))
        small = 0.5 * imag / large
        half = 0.5 * area[_SIMPLE + _TURNED + k]
        side = 1 - 4 * abs(half - ((half + _SHIFT) - _SHIFT))
        first_part = side * (large if real >= 0 else abs(small))
        second_part = side * (small if real >= 0 else (large if imag >= 0 else -large))
        # ds/du is width (lean + i cosh), over s (1 + sign s) and the root
        x, y = area[X + k], area[Y + k]
        real, imag = (x + sign * (x * x - y * y)) / weight, (y + 2 * sign * x * y) / weight
        real, imag = real * first_part - imag * second_part, real * second_part + imag * first_part
        share = width / (real * real + imag * imag)
        lean, cosh = area[_LEAN + k], area[_COSH + k]
        real, imag = share * (lean * real + cosh * imag), share * (cosh * real - lean * imag)
        area[REAL + k], area[IMAG + k] = real, imag
        area[SIZE + k] = math.sqrt(real * real + imag * imag)


@compiled
def _on_axis(area, size, alpha, squares):
    """Multiply the simple product by 1 - z alpha and add m^2/(1 - z alpha), at real z."""
    for k in range(size):
        factor = 1 - area[X + k] * alpha
        area[_SIMPLE + k] *= factor
        area[_ABOVE + k] += squares / factor


@compiled
def _taken_on_axis(area, size, dof):
    """As `_taken`, of the simple product at real z."""
    for k in range(size):
        log = math.log(abs(area[_SIMPLE + k])) + area[_SIMPLE + _EXPONENT + k] * _LN_2
        area[_LOGS + k] += dof * log
        area[_SIMPLE + k], area[_SIMPLE + _EXPONENT + k] = 1.0, 0.0


@compiled
def step_of(alpha, dof, squares, path, lowest, highest, area):
    """The step for which the rule is seen to be right, as in `trapezoid`, for offsets from lowest to highest."""
    size, s, sign, tangent = _SINE.size, path[S], path[SIGN], path[TANGENT]
    for k in range(size):
        for row in range(_SIMPLE, GROWTH, BLOCK):
            area[row + k] = 0.0
        area[X + k] = s - path[SCALE] * path[WIDTH] * (tangent * _VERSINE[k] + _SINE[k])
        area[_SIMPLE + k] = 1.0
    count = dof[0]
    for j in range(alpha.size):
        if dof[j] != count:
            _taken_on_axis(area, size, count)
            count = dof[j]
        _on_axis(area, size, sign * alpha[j], squares[j])
        if j % _FACTORS == _FACTORS - 1:
            _brought_back(area, size, _SIMPLE)
    _taken_on_axis(area, size, count)
    above, below = 0.0, 0.0
    for k in range(size):
        at = area[X + k]
        if 0 < at < path[REACH]:
            growth = 0.5 * (at * (at + sign) * area[_ABOVE + k] - area[_LOGS + k]) - at * path[THRESHOLD]
            growth -= path[LEVEL] + math.log(at * (1 + sign * at) / path[WEIGHT])
            step = _SWEEP[k] / (_GOAL + 3 * max(growth + max(lowest * (s - at), highest * (s - at)), 0.0))
            if 2 * k < size:
                above = max(above, step)
            else:
                below = max(below, step)
    return min(max(min(above, below), _LONGEST / 10), _LONGEST)
