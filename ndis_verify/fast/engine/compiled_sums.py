"""Sums along hyperbolas in compiled loops (extra `speed`): the rule and the error estimate of `trapezoid`, a path at a
time.
"""

from __future__ import annotations

import math

import numpy as np

from ndis_verify.fast.engine import compiled_nodes as at
from ndis_verify.fast.engine import contour, trapezoid
from ndis_verify.fast.engine.compiling import compiled

NODES = 768
LEAST = 745.0  # minus the logarithm of the least float
_FINER = 3  # steps tried, each half of the one before

_FAINT, _TAIL = math.exp(trapezoid._FAINT), trapezoid._TAIL
_OVERGROWN, _HOPELESS, _LOSSY = trapezoid._OVERGROWN, trapezoid._HOPELESS, trapezoid._LOSSY
_GOOD, _POWERS = trapezoid._GOOD, trapezoid._RULES[1:] / trapezoid._EXPONENT
_BENDS = np.array(contour._BENDS)
_RULES = 2 * np.cos(np.pi * trapezoid._RULES[:, None] * np.arange(NODES))
_RULES[:, 0] = 1.0

# Rows of the nodes of a path that many thresholds share.
_AT_X, _AT_Y, _AT_GROWTH, _AT_TURN, _AT_REAL, _AT_IMAG, _AT_SIZE = range(7)


@compiled
def _ended(area, size, mass):
    """How many nodes of a block are used, whose moduli are in the row of parts; the sum of all moduli so far; -1 where
    the integrand has died out, 1 where it grows too much, 0 where it goes on."""
    for k in range(size):
        modulus = area[at.PART + k]
        if not (area[at.GROWTH + k] < at.DEEPEST and modulus < _OVERGROWN):
            return k, mass, 1
        if modulus < _FAINT:
            return k + 1, mass, -1
        mass += modulus
    if not mass < _OVERGROWN:
        return size, mass, 1
    return size, mass, -1 if area[at.PART + size - 1] < _TAIL * mass else 0


@compiled
def _add(area, size, rules, first):
    """Add the parts of a block to the sums by each rule."""
    for k in range(size):
        part = area[at.PART + k]
        area[at.SUMS + k] += part * rules[0, first + k]
        area[at.SUMS + at.BLOCK + k] += part * rules[1, first + k]
        area[at.SUMS + 2 * at.BLOCK + k] += part * rules[2, first + k]
        area[at.SUMS + 3 * at.BLOCK + k] += part * rules[3, first + k]
        area[at.SUMS + 4 * at.BLOCK + k] += part * rules[4, first + k]


@compiled
def _limited(height, area):
    """Set what the sums by each rule may be, over the first one, for the estimate of the error in `trapezoid` to be
    good enough: far below the smallest float only the logarithm is asked for."""
    good = _GOOD if abs(height) <= LEAST else min(1e-14 * abs(height), 1e-2)
    for rule in range(_POWERS.size):
        area[at.LIMITS + rule] = 0.5 * good ** _POWERS[rule]


@compiled
def _summed(area, size, mass):
    """The sum of the parts, and the largest of those by each rule over what it may be: 1 where the estimate of the
    error is just good enough."""
    for row in range(at.SUMS, at.SUMS + 5 * at.BLOCK, at.BLOCK):
        for k in range(1, size):
            area[row] += area[row + k]
    total, worst = area[at.SUMS], 0.0
    for rule in range(_POWERS.size):
        worst = max(worst, abs(area[at.SUMS + (1 + rule) * at.BLOCK]) / area[at.LIMITS + rule])
    return total, worst / total if mass <= _LOSSY * total else math.inf


@compiled
def _cleared(area, size):
    for row in range(at.SUMS, at.SUMS + 5 * at.BLOCK, at.BLOCK):
        for k in range(size):
            area[row + k] = 0.0


@compiled
def alone(alpha, dof, squares, path, step, rules, area, size):
    """The sum along a path for its own threshold, and its error over what is good enough; infinite where the integrand
    does not die out."""
    mass, state = 0.0, 0
    _cleared(area, size)
    for first in range(0, NODES, size):
        at.block(alpha, dof, squares, path, step, first, area, size)
        for k in range(size):
            area[at.GROWN + k] = at.exp(area[at.GROWTH + k])
            area[at.PART + k] = area[at.GROWN + k] * area[at.SIZE + k]
        used, mass, state = _ended(area, size, mass)
        if state > 0:
            return 1.0, math.inf
        for k in range(size):
            sine, cosine = at.sine_and_cosine(area[at.TURN + k])
            part = 0.5 * area[at.GROWN + k] * (area[at.REAL + k] * sine + area[at.IMAG + k] * cosine)
            area[at.PART + k] = part if k < used else 0.0
        _add(area, size, rules, first)
        if state:
            break
    return _summed(area, size, mass) if state else (1.0, math.inf)


@compiled
def fill(alpha, dof, squares, path, step, lowest, highest, nodes, area, size):
    """Fill `nodes` with what the integrand is made of, for all offsets from lowest to highest; how many blocks, 0 where
    it does not die out."""
    mass = 0.0
    for first in range(0, NODES, size):
        at.block(alpha, dof, squares, path, step, first, area, size)
        for k in range(size):
            x = area[at.X + k] - path[at.S]
            bound = area[at.GROWTH + k] + max(-lowest * x, -highest * x)
            area[at.PART + k] = at.exp(min(bound, _HOPELESS)) * area[at.SIZE + k]
        used, mass, state = _ended(area, size, mass)
        if state > 0:
            return 0
        for k in range(size):
            kept = k < used
            nodes[_AT_X, first + k] = area[at.X + k] - path[at.S] if kept else 0.0
            nodes[_AT_Y, first + k] = area[at.Y + k] if kept else 0.0
            nodes[_AT_GROWTH, first + k] = area[at.GROWTH + k] if kept else 0.0
            nodes[_AT_TURN, first + k] = area[at.TURN + k] if kept else 0.0
            nodes[_AT_REAL, first + k] = area[at.REAL + k] if kept else 0.0
            nodes[_AT_IMAG, first + k] = area[at.IMAG + k] if kept else 0.0
            nodes[_AT_SIZE, first + k] = area[at.SIZE + k] if kept else 0.0
        if state:
            return first // size + 1
    return 0


@compiled
def beyond(nodes, blocks, offset, rules, area, size):
    """As `alone`, for a threshold `offset` beyond that of the path."""
    mass = 0.0
    _cleared(area, size)
    for first in range(0, blocks * size, size):
        for k in range(size):
            grown = at.exp(nodes[_AT_GROWTH, first + k] - offset * nodes[_AT_X, first + k])
            sine, cosine = at.sine_and_cosine(nodes[_AT_TURN, first + k] - offset * nodes[_AT_Y, first + k])
            real, imag = nodes[_AT_REAL, first + k], nodes[_AT_IMAG, first + k]
            area[at.PART + k] = 0.5 * grown * (real * sine + imag * cosine)
            area[at.GROWN + k] = grown * nodes[_AT_SIZE, first + k]
        for k in range(size):
            mass += area[at.GROWN + k]
        _add(area, size, rules, first)
    return _summed(area, size, mass)


@compiled
def _with_step(alpha, dof, squares, path, step, offsets, rules, nodes, area, size, values):
    """The logarithms of the integrals for the thresholds `offsets` beyond that of a path, into `values` where those are
    nan and the error is small. Whether none is left, and whether a smaller step might do for those that are."""
    lowest, highest, blocks, all_good = offsets[0], offsets[-1], 1, True
    single = lowest == 0 and highest == 0
    total, error = 1.0, math.inf
    if single:
        total, error = alone(alpha, dof, squares, path, step, rules, area, size)
        blocks = 1 if error < math.inf else 0
    else:
        blocks = fill(alpha, dof, squares, path, step, lowest, highest, nodes, area, size)
    for e in range(offsets.size if blocks else 0):
        if math.isnan(values[e]):
            if not single:
                total, error = beyond(nodes, blocks, offsets[e], rules, area, size)
            if error < 1:
                height = path[at.HEIGHT] - offsets[e] * path[at.S]
                values[e] = height + math.log(total * step / math.pi * path[at.SCALE])
            else:
                all_good = False
    return all_good and blocks > 0, blocks > 0


@compiled
def log_integrals(columns, paths, spans, rules, epsilon, area, nodes, size, direct, complement):
    """The logarithms of the integrals of the entries that paths serve, where the error is small, into `direct` and
    `complement` (E,), which are nan elsewhere.

    columns: alpha, multiplicity and m^2 (R, g). Of each path `paths` has the numbers, `spans` its row, its first entry,
    how many it serves and which of them is its own.
    """
    offsets = np.empty(epsilon.size)
    for number in range(spans.shape[0]):
        row, first, count, anchor = spans[number]
        path, alpha, dof, squares = paths[number], columns[0][row], columns[1][row], columns[2][row]
        sign = path[at.SIGN]
        values = direct[first : first + count] if sign > 0 else complement[first : first + count]
        for e in range(count):
            offsets[e] = sign * (epsilon[first + e] - epsilon[anchor])
        beside = offsets[:count]
        _limited(path[at.HEIGHT], area)
        done = False
        for turn in range(_BENDS.size + 1):
            path[at.TANGENT] = math.tan(path[at.SIDE] * _BENDS[turn - 1] if turn else path[at.BEND])
            step = at.step_of(alpha, dof, squares, path, beside[0], beside[-1], area)
            for _ in range(_FINER):
                done, again = _with_step(alpha, dof, squares, path, step, beside, rules, nodes, area, size, values)
                if done or not again:
                    break
                step *= 0.5
            if done:
                break


def fill_logs(columns, paths, spans, epsilon, direct, complement):
    """`log_integrals` with its work areas."""
    area, nodes = np.empty(at.ROWS * at.BLOCK), np.empty((7, NODES))
    log_integrals(columns, paths, spans, _RULES, epsilon, area, nodes, at.BLOCK, direct, complement)
