"""The smallest integers that explain a released float64, or the ratio of two: continued fractions in exact integer
arithmetic.

A pair (x, y) that was (a s, b s) before rounding, a and b integers and s a secret step, has a y - b x next to 0: (a, b)
is a short vector of the two-dimensional lattice of such relations, and reducing that lattice (Lagrange, Gauss) is the
continued fraction of x/y. A number with random low bits needs a b near 2^53 (and a ratio near 2^52); less is a trace of
where it came from.
"""

from __future__ import annotations

import numpy as np

from ndis_verify.audit.float_bits import mantissa, ulp_exponent

_REACH = 8  # |log2| of ratios that are looked at: numerator and denominator stay below 2^62
_STEPS = 96  # more than Euclid's algorithm takes below 2^62: log(2^62)/log(golden ratio) = 90
_SLACK = 2.0**-53


def small_fraction(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(a, b): the first convergent a/b of the continued fraction of |x| within an ulp of it, so of least a and b but
    for a factor 2.

    (0, 0) where x is not within 2^-8 and 2^8 in magnitude.
    """
    x = np.asarray(x, dtype=np.float64)
    return small_ratio(x, np.ones_like(x), 2 * _SLACK)


def small_ratio(x: np.ndarray, y: np.ndarray, tolerance: float = 3 * _SLACK) -> tuple[np.ndarray, np.ndarray]:
    """(a, b): the first convergent a/b of |x|/|y| with |a/b - |x|/|y|| <= tolerance |x|/|y|; both lower than 2^62.

    By default the tolerance is what rounding of x and of y may do. (0, 0) where x/y is not within 2^-8 and 2^8.
    """
    top, bottom = mantissa(x), mantissa(y)
    shift = ulp_exponent(x) - ulp_exponent(y)
    usable = (top > 0) & (bottom > 0) & (np.abs(shift) <= _REACH)
    shift = np.where(usable, shift, 0)
    top, bottom = top << np.maximum(shift, 0), bottom << np.maximum(-shift, 0)
    a, b = np.zeros(top.shape, np.int64), np.zeros(top.shape, np.int64)
    places = np.flatnonzero(usable)
    if places.size:
        a.flat[places], b.flat[places] = _convergent(top.flat[places], bottom.flat[places], tolerance)
    return a, b


def _convergent(top: np.ndarray, bottom: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """The first convergent of top/bottom within the relative tolerance, by Euclid's algorithm on the integers
    themselves.
    """
    found = np.zeros((2, top.size), np.int64)
    rows, whole = np.arange(top.size), top
    last, rest = top, bottom  # remainders r_{k-1}, r_k
    before, now = np.stack([np.zeros_like(top), np.ones_like(top)]), np.stack([np.ones_like(top), np.zeros_like(top)])
    for _ in range(_STEPS):
        quotient, remainder = np.divmod(last, rest)
        before, now = now, quotient * now + before
        # |top/bottom - a/b| = remainder/(b bottom), to be at most tolerance top/bottom
        done = remainder <= tolerance * whole.astype(np.float64) * now[1]
        found[:, rows[done]] = now[:, done]
        left = ~done
        if not left.any():
            break
        rows, whole, last, rest, before, now = (
            rows[left],
            whole[left],
            rest[left],
            remainder[left],
            before[:, left],
            now[:, left],
        )
    return found[0], found[1]
