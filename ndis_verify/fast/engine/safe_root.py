"""Vectorised bracketing search that ends on the safe side of a monotone constraint."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_ITERATIONS = 160
_ULPS = 4.0
_LEAST = 0.02  # share of the bracket that the first step takes off


def unsafe_if_nan(excess: np.ndarray) -> np.ndarray:
    """The excess over a goal, inf where it is no number: what cannot be evaluated is not safe."""
    return np.where(np.isnan(excess), np.inf, excess)


def safe_root(
    excess: Callable[[np.ndarray, np.ndarray], np.ndarray],
    safe: np.ndarray,
    unsafe: np.ndarray,
    *,
    known: tuple[np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """The point nearest to `unsafe` found with excess <= 0, within about 4 ulps of the crossing.

    `excess(x, index)` evaluates entries `index` at x; it is <= 0 at `safe` and > 0 at `unsafe` (arrays of shape (E,)).
    `known`: its values there, where they have been evaluated. Chandrupatla's method: inverse quadratic steps, bisection
    where they would not pay; the first step is that of the chord. The result was evaluated.
    """
    index = np.arange(safe.size)
    a, b = unsafe.copy(), safe.copy()
    fb, fa = known or (excess(safe, index), excess(unsafe, index))
    c, fc = a.copy(), fa.copy()
    t = _chord(fa, fb)
    result, live = safe.copy(), index
    for _ in range(_ITERATIONS):
        x = np.minimum(np.maximum(a + t * (b - a), np.minimum(a, b)), np.maximum(a, b))
        fx = unsafe_if_nan(excess(x, live))
        same = (fx > 0) == (fa > 0)
        c, fc = np.where(same, a, b), np.where(same, fa, fb)
        b, fb = np.where(same, b, a), np.where(same, fb, fa)
        a, fa = x, fx
        result[live] = np.where(fa <= 0, a, b)
        size = np.minimum(np.maximum(np.abs(a), np.abs(b)), 1e308)  # the largest float has no next one
        tolerance = _ULPS * np.spacing(size) / np.maximum(np.abs(b - a), 5e-324)
        keep = (tolerance < 0.5) & np.isfinite(b - a)
        if not keep.any():
            break
        if not keep.all():
            a, b, c, fa, fb, fc, live, tolerance = (v[keep] for v in (a, b, c, fa, fb, fc, live, tolerance))
        t = _next_fraction(a, b, c, fa, fb, fc, tolerance)
    return result


def _chord(fa: np.ndarray, fb: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        t = fa / (fa - fb)
    return np.minimum(np.maximum(np.where(np.isfinite(t), t, 0.5), _LEAST), 1 - _LEAST)


def _next_fraction(
    a: np.ndarray,
    b: np.ndarray,
    c: np.ndarray,
    fa: np.ndarray,
    fb: np.ndarray,
    fc: np.ndarray,
    tolerance: np.ndarray,
) -> np.ndarray:
    with np.errstate(all="ignore"):
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        quadratic = (phi * phi < xi) & ((1 - phi) * (1 - phi) < 1 - xi)
        t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    t = np.where(quadratic & np.isfinite(t), t, 0.5)
    return np.minimum(np.maximum(t, tolerance), 1 - tolerance)
