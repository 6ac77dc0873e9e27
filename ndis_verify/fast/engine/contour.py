"""One contour integral: tails, densities and hockey-stick divergences of Gaussian quadratic forms.

For a variable L with E e^{s(L - t)} = e^{K(s)},
`K(s) = -s t - (1/2) sum_i k_i log(1 - s alpha_i) + (s^2/2) sum_i b_i^2/(1 - s alpha_i)`,
every quantity of this package is `(1/(2 pi i)) int e^{K(s)} w(s) ds` on a path that crosses the real axis at some
0 < s0 < 1/max(alpha), with w = 1/(s(1+s)) (hockey stick), 1/(s(1-s)) (its complement, after s -> -s), 1/s (tail)
or 1 (density). The path crosses at the saddle point, so that nothing cancels, and is a branch of a hyperbola,
bent to the side where the integrand decays; the trapezoid rule in its natural parameter converges geometrically.
Many thresholds of one form share paths (`common_paths`).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ndis_verify.fast.engine.common_paths import on_common_paths
from ndis_verify.fast.engine.paths import Entries, Paths
from ndis_verify.fast.engine.transform import Forms
from ndis_verify.fast.engine.trapezoid import LOG_ONLY, good_enough, trapezoid

Weight = Literal["hockey_stick", "tail", "density"]

_SLOPE = {"hockey_stick": 1.0, "tail": 0.0, "density": 0.0}
_POWER = {"hockey_stick": 1.0, "tail": 0.0, "density": -1.0}
_CLOSEST = 1e-140  # squares of its inverse stay inside the range of floats
_ENTRIES = 1 << 11  # entries worked on together: bounds memory
_CELLS = 1 << 20  # the same bound for groups times entries, where every entry has a form of its own
_FAR = 2.0**508  # thresholds and singularities, in units of the form
_STEEPEST = 200  # minus the exponent of the distance of two laws
_NOTHING = -1e4  # a logarithm from which on values are 0, whatever the rest of the integral
_NOTHING_MISSED = -1e3  # the same of 1 less a divergence, of whose logarithm no digits are asked for so far out
_LOG_2 = 0.6931471805599453094172321
_GROUPS = 64  # the length of a form that is long
_WORTH = 6  # thresholds of one form from which on common paths pay
_BENDS = (0.1, -0.1, 0.3, 0.6, -0.3)  # tried where the chosen angle fails


def log_integral(
    forms: Forms,
    rows: np.ndarray,
    t: np.ndarray,
    edge: np.ndarray,
    weight: Weight,
    complement: np.ndarray | None = None,
) -> np.ndarray:
    """log of the integral for each entry: form `rows[e]` at threshold `t[e]`; -inf where it is exactly 0.

    `edge` = t + sum b^2/(2 alpha) over alpha != 0, the distance of the threshold beyond the end of a one-sided
    support: the caller knows it to better relative accuracy than this sum would. `complement` marks entries whose
    form and threshold are those of -L and whose integral is 1 less the hockey stick of L.
    Shapes: rows, t, edge, complement and the result (E,). Memory: O(R g) and a fixed work area.
    """
    if not t.size:
        return np.empty(0)
    complement = np.zeros(t.shape, dtype=bool) if complement is None else complement
    with np.errstate(all="ignore"):
        # A power of two as unit of s keeps squares and cubes of extreme alpha inside the range of floats.
        forms, exponent = forms.scaled()
        exponent = exponent[rows]
        t, edge = np.ldexp(t, -exponent), np.ldexp(edge, -exponent)
        largest = forms.alpha.max(axis=1)
        bounded = (largest <= 0) & ~((forms.alpha == 0) & (forms.b > 0)).any(axis=1)
        bounded = bounded[rows] & ~complement
        empty = bounded & (edge >= 0)
        value = np.where(empty, -np.inf, 0.0)
        # Next to the end of the support the integral is a power of the distance, exactly for all that floats can tell.
        close = np.flatnonzero(bounded & ~empty & (edge > -_CLOSEST))
        if close.size:
            power = 0.5 * forms.dof.sum(axis=1)[rows[close]] + _POWER[weight]
            value[close] = power * np.log(-edge[close] / _CLOSEST).astype(np.float64)
            t[close], edge[close] = t[close] - edge[close] - _CLOSEST, -_CLOSEST
        reach = np.where(largest > 0, 1 / np.maximum(largest, 1e-300), np.inf)[rows]
        # Of two laws that are next to each other, delta is proportional to their distance.
        distance = exponent + np.frexp(forms.spread[rows])[1]
        close_by = np.maximum(-_STEEPEST - distance, 0) if weight == "hockey_stick" else np.zeros_like(exponent)
        unit = np.ldexp(1.0, exponent + close_by)
        reach = np.where(complement, np.minimum(reach, unit), reach)
        slope = np.where(complement, -1.0, _SLOPE[weight]) / unit
        # No singularity and a threshold far out: the logarithm is below that of any float's square.
        beyond = (t > _FAR) & (reach > _FAR) | (t == np.inf)
        value[beyond] = -np.inf
        live = np.flatnonzero(~empty & ~beyond)
        value[live] += _values(Entries(forms, rows, t, edge, reach, slope, weight != "density"), live)
        return value + _LOG_2 * np.where(weight == "density", -exponent, -close_by)


def _values(entries: Entries, todo: np.ndarray) -> np.ndarray:
    """log of the integrals of the entries `todo`."""
    count, groups = entries.forms.alpha.shape
    if 1 < count <= todo.size // _WORTH and groups > _GROUPS:
        # One form after the other: long forms are then not copied to every path.
        value = np.empty(todo.shape)
        for row in np.unique(entries.rows[todo]).tolist():
            part = np.flatnonzero(entries.rows[todo] == row)
            value[part] = _values(entries.alone(row, todo[part]), np.arange(part.size))
        return value
    value = np.full(todo.shape, np.nan)
    chunk = _ENTRIES if count == 1 else max(1, min(_ENTRIES, _CELLS // groups))
    if todo.size >= _WORTH * count:
        order = np.lexsort((entries.t[todo], entries.rows[todo]))
        for start in range(0, todo.size, chunk):
            part = order[start : start + chunk]
            value[part] = on_common_paths(entries.take(todo[part]))
    rest = np.flatnonzero(np.isnan(value))
    for start in range(0, rest.size, chunk):
        part = rest[start : start + chunk]
        value[part] = _on_own_paths(entries.paths(todo[part]))
    return value


def _on_own_paths(paths: Paths) -> np.ndarray:
    """log of the integrals, each along the first bend of its path that will do."""
    paths.locate(paths.start())
    height = paths.height
    best, error = np.full(height.shape, np.nan), np.full(height.shape, np.inf)
    good, todo = good_enough(height), np.flatnonzero(np.abs(height) <= LOG_ONLY)
    for bend in (paths.bend, *(paths.side * bend for bend in _BENDS)):
        if not todo.size:
            break
        part = paths if todo.size == height.size else paths.take(todo)
        value, estimate = trapezoid(part, bend[todo], good[todo])
        better = estimate < error[todo]
        best[todo[better]], error[todo[better]] = value[better], estimate[better]
        todo = todo[~(error[todo] < good[todo])]
    value = height + np.log(best) + np.log(paths.scale)
    # Where scales lie so far apart that no path will do, far below the least float, the height is what is left.
    nothing = np.where(paths.slope < 0, _NOTHING_MISSED, _NOTHING)
    return np.where((np.abs(height) > LOG_ONLY) | (np.isnan(value) & (height < nothing)), height, value)
