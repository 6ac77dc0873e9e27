"""Thresholds for which float64 sums have no digits left: next to the largest loss, and wherever the saddle point lies
far out.

A threshold t enters as e^{-s t}, so an error of t counts s times, and s, the saddle point, is as large as the distance
to the largest loss is small (the largest loss of the coordinates with alpha well below 0, whatever the others are).
There t is found anew from the identity `K(s) = log E_P e^{sL} - s epsilon`, with the left side in terms of
the float64 alpha and b^2 that the integral uses and the right side in wide arithmetic from the inputs. Errors of
alpha and b^2 are then as harmless as their relative size, and that is kept small by `graded_pencil`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from weakref import WeakKeyDictionary

import mpmath
import numpy as np

from ndis_verify.fast.engine.exact_moment import diagonal_log_moment
from ndis_verify.fast.engine.fixed_point import BITS
from ndis_verify.fast.engine.graded_pencil import graded_pencil
from ndis_verify.fast.engine.spectrum import LossForms, Spectrum
from ndis_verify.fast.engine.transform import Forms

_ROUNDING = 500.0  # s times the sums that an error of 1e-16 is relative to, from which on it shows
_DENSE = 30.0  # s times the largest |alpha| of a dense pair from which on errors relative to that show
_CERTAIN = 1e-9  # farther above the largest loss than this, relative to its terms, delta is 0 beyond doubt
_UNITS = 144  # at s = 2^144 over the largest |alpha| only the largest loss is left
_STEP = 3  # exponents of the s at which thresholds are found are multiples of this
_PASSED = 16.0  # |alpha| s from which on a coordinate has nothing but its largest loss left
_CELLS = 1 << 20


_known: WeakKeyDictionary[Spectrum, dict[str, dict]] = WeakKeyDictionary()


def _remembered(laws: Spectrum) -> dict[str, dict]:
    """What has been found of a spectrum, for as long as that lives: rows of `graded_pencil`, and `_compared`."""
    return _known.setdefault(laws, {"graded": {}, "constants": {}})


def thresholds(
    laws: Spectrum, loss: LossForms, rows: np.ndarray, epsilon: np.ndarray, direct: np.ndarray
) -> tuple[Forms, np.ndarray, np.ndarray]:
    """Forms (as `loss.forms`), t = epsilon + c and edge = t + sum b^2/(2 alpha) of the entries (rows[e], epsilon[e]).

    `direct` marks the entries that are integrated on s > 0, the only ones to need care. Shapes (E,); extended
    precision.
    """
    t, edge = epsilon + loss.offset[rows], epsilon + loss.edge[rows]
    if laws.inputs is not None and laws.inputs.dense:
        rough = np.unique(rows[_asked(loss, rows, t, edge, direct, _DENSE)])
        if not rough.size:
            return loss.forms, t, edge
        loss, direct = _graded(laws, loss, rough), direct & np.isin(rows, rough)
        t, edge = epsilon + loss.offset[rows], epsilon + loss.edge[rows]
    asked = _asked(loss, rows, t, edge, direct)
    if asked.size:
        t[asked], edge[asked] = _found(laws, loss.forms, rows[asked], epsilon[asked], t[asked], edge[asked])
    return loss.forms, t, edge


def largest_loss(laws: Spectrum, row: int) -> float:
    """sup L of one pair, rounded up; inf where the loss is unbounded."""
    index = np.array([row])
    loss = laws.loss_forms()
    if laws.inputs is not None and laws.inputs.dense:
        loss = _graded(laws, loss, index)
    form = loss.forms.take(index)
    if not _bounded(form)[0]:
        return np.inf
    if not form.alpha.any():
        return 0.0
    with mpmath.workprec(BITS):
        exact = _compared(laws, loss.forms, row, int(_limit(form)[0]))
        if exact is None:
            return np.inf
        largest = -exact[1]
        rounded = float(largest)
        return rounded if rounded >= largest else float(np.nextafter(rounded, np.inf))


def _idle(forms: Forms) -> np.ndarray:
    """Coordinates that say nothing."""
    return (forms.dof == 0) | ((forms.alpha == 0) & (forms.b == 0))


def _bounded(forms: Forms) -> np.ndarray:
    return ((forms.alpha < 0) | _idle(forms)).all(axis=1)


def _limit(forms: Forms) -> np.ndarray:
    """Exponents of an s so large that the moments of a bounded loss are those of its largest value."""
    return _UNITS - np.frexp(np.abs(forms.alpha).max(axis=1))[1]


def _critical(forms: Forms, largest: float) -> np.ndarray:
    """The least saddle point of each row that is so far out that rounding shows, at most `largest` over the largest
    |alpha|; inf where none can be."""
    size = np.where(forms.alpha < 0, -forms.alpha, 0.0)
    order = np.argsort(-size, axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shift = np.where(size > 0, forms.b * (forms.b / (size * (1 + forms.alpha))), 0.0)
        terms = np.nan_to_num(shift) + 1e-3 * forms.dof * np.where(size > 0, np.abs(np.log1p(forms.alpha)), 0.0)
        # Only coordinates with |alpha| s > 1 have their largest loss in the sum.
        size, terms = (np.take_along_axis(part, order, axis=1) for part in (size, terms))
        critical = np.maximum(1 / size, _ROUNDING / np.cumsum(terms, axis=1)).min(axis=1)
        critical = np.minimum(critical, largest / np.abs(forms.alpha).max(axis=1))
        return np.where(critical * forms.alpha.max(axis=1) < 0.5, critical, np.inf)


def _asked(
    loss: LossForms,
    rows: np.ndarray,
    t: np.ndarray,
    edge: np.ndarray,
    direct: np.ndarray,
    largest: float = np.inf,
) -> np.ndarray:
    """Entries whose saddle points lie beyond `_critical`."""
    forms, critical = loss.forms, _critical(loss.forms, largest)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(forms.alpha < 0, -2 * forms.asymptotes - np.log1p(forms.alpha), 0.0)
    certain = np.where(_bounded(forms), _CERTAIN * (forms.dof * terms).sum(axis=1), np.inf)
    some = np.flatnonzero(direct & np.isfinite(critical[rows]) & (edge < certain[rows]))
    kept = []
    step = max(1, _CELLS // forms.groups)
    for start in range(0, some.size, step):
        part = some[start : start + step]
        kept.append(part[_beyond(forms.take(rows[part]), t[part], edge[part], critical[rows[part]])])
    return np.concatenate(kept) if kept else some


def _beyond(forms: Forms, t: np.ndarray, edge: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Whether the saddle point lies beyond s > 0: the sign of the slope of K(s) - log s - log(1 + s)."""
    column = s[:, None]
    factor = 1 - column * forms.alpha
    passed = -forms.alpha * column > 1
    least = forms.asymptotes
    kept, moved = (np.where(which, least, 0.0).astype(t.dtype).sum(axis=1) for which in (~passed, passed))
    threshold = np.where(np.abs(kept) < np.abs(moved), edge - kept, t + moved)
    inner = forms.b * (forms.b * column) * (2 - column * forms.alpha) / 2
    pull = forms.dof * forms.alpha / (2 * factor) + np.where(passed, least, inner) / factor**2
    return pull.sum(axis=1) - threshold - 1 / s - 1 / (1 + s) < 0


def _graded(laws: Spectrum, loss: LossForms, rows: np.ndarray) -> LossForms:
    """`loss` with the rows asked for from `graded_pencil`."""
    assert laws.inputs is not None  # the caller has looked
    known = _remembered(laws)["graded"]
    new = np.array([row for row in rows.tolist() if row not in known], dtype=int)
    if new.size:
        known.update(zip(new.tolist(), zip(*graded_pencil(*laws.inputs.rows(new)))))
    alpha, shift, logs = (np.stack(part) for part in zip(*(known[row] for row in rows.tolist())))
    copies = laws.inputs.copies
    better = Spectrum(alpha, None, copies, logs, shift=shift * np.sqrt(float(copies))).loss_forms()
    changed = {}
    for name in ("offset", "edge", "mean", "std"):
        changed[name] = getattr(loss, name).copy()
        changed[name][rows] = getattr(better, name)
    forms = Forms(*(getattr(loss.forms, name).copy() for name in ("alpha", "dof", "b")))
    for name in ("alpha", "dof", "b"):
        getattr(forms, name)[rows] = getattr(better.forms, name)
    return replace(loss, forms=forms, **changed)


def _found(
    laws: Spectrum, forms: Forms, rows: np.ndarray, epsilon: np.ndarray, t: np.ndarray, edge: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """t and edge from the moments close to the saddle point, which depends on them."""
    exponent = np.full(rows.shape, -(1 << 20))
    with mpmath.workprec(BITS):
        for _ in range(5):
            found = _exponents(forms.take(rows), t, edge)
            moved = np.flatnonzero(found != exponent)
            if not moved.size:
                break
            exponent = found
            for entry in moved.tolist():
                constants = _constants(laws, forms, int(rows[entry]), int(exponent[entry]))
                if constants is not None:
                    # Where the sum cancels it is exact.
                    t[entry], edge[entry] = ((epsilon[entry] + high) + middle + low for high, middle, low in constants)
    return t, edge


def _exponents(forms: Forms, t: np.ndarray, edge: np.ndarray) -> np.ndarray:
    """Multiples of `_STEP` with 2^exponent just below the saddle point; `_limit` where that might be infinite."""
    size = np.abs(forms.alpha)
    limit = _limit(forms)
    largest = forms.alpha.max(axis=1)
    high = np.where(largest > 0, -np.frexp(np.where(largest > 0, largest, 1.0))[1] - 1, limit)
    low, high = -_UNITS - np.zeros(t.shape, dtype=int), high + np.zeros(t.shape, dtype=int)
    while (low < high).any():
        middle = low + (high - low + 1) // 2
        beyond = _beyond(forms, t, edge, np.ldexp(np.longdouble(1), middle))
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle - 1)
    smallest = np.where(_idle(forms), np.inf, size).min(axis=1)
    alone = _bounded(forms) & (np.ldexp(smallest, low) > _PASSED)
    return np.where(alone, limit, low // _STEP * _STEP)


def _constants(laws: Spectrum, forms: Forms, row: int, exponent: int) -> tuple[tuple[np.longdouble, ...], ...] | None:
    """`_compared`, each as a sum of three floats, remembered."""
    known = _remembered(laws)["constants"]
    if (row, exponent) not in known:
        exact = _compared(laws, forms, row, exponent)
        known[row, exponent] = None if exact is None else tuple(_three(value) for value in exact)
    return known[row, exponent]


def _compared(laws: Spectrum, forms: Forms, row: int, exponent: int) -> tuple[mpmath.mpf, mpmath.mpf] | None:
    """t - epsilon and edge - epsilon for which K at s = 2^exponent is exact; None where that is infinite."""
    if laws.inputs is not None:
        moment = laws.inputs.log_moment(row, exponent)
    else:
        moment = diagonal_log_moment(*_eigenvalues(laws, row), exponent)
    own, s = forms.take(np.array([row])), mpmath.ldexp(1, exponent)
    groups = [(int(k), a, _square(b)) for k, a, b in zip(*(part[0].tolist() for part in (own.dof, own.alpha, own.b)))]
    # The integral's own K at threshold 0; its quadratic part is m^2 with s^2 for s (s + 1).
    free = diagonal_log_moment(0, [(k, a, s / (s + 1) * b) for k, a, b in groups], exponent)
    if moment is None or free is None:
        return None
    t = (free - moment) / s
    return t, t + mpmath.fsum(b / a for _, a, b in groups if a) / 2


def _square(b: float) -> mpmath.mpf:
    """b^2 as the integral has it, rounded to 53 bits, without the bounds on a float's exponent."""
    fraction, exponent = math.frexp(b)
    return mpmath.ldexp(mpmath.mpf(fraction * fraction), 2 * exponent)


def _eigenvalues(laws: Spectrum, row: int) -> tuple[mpmath.mpf, list[tuple[int, mpmath.mpf, mpmath.mpf]]]:
    """log det ratio and (k, alpha, m^2) of one pair."""
    parts = (np.reshape(part, (-1, part.shape[-1]))[row] for part in (laws.multiplicity, laws.alpha, laws.wide_squares))
    groups = [(int(k), mpmath.mpf(float(a)), _number(m)) for k, a, m in zip(*parts) if k]
    if not laws.logs_given:
        return mpmath.log(mpmath.fprod((1 + a) ** k for k, a, _ in groups)), groups
    logs = np.reshape(laws.log_ratio, (-1, laws.log_ratio.shape[-1]))[row]
    counts = np.reshape(laws.multiplicity, (-1, laws.multiplicity.shape[-1]))[row]
    return mpmath.fsum(int(k) * _number(log) for k, log in zip(counts, logs) if k), groups


def _number(value: np.longdouble) -> mpmath.mpf:
    fraction, exponent = np.frexp(value)
    high = float(fraction)
    return mpmath.ldexp(mpmath.mpf(high) + mpmath.mpf(float(fraction - np.longdouble(high))), int(exponent))


def _three(value: mpmath.mpf) -> tuple[np.longdouble, ...]:
    parts = []
    for _ in range(3):
        parts.append(np.longdouble(float(value)))
        value -= float(value)
    return tuple(parts)
