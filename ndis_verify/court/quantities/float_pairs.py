"""The divergences of pairs of normal laws on float64 columns, each with a bound of its error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ndis_verify.court.scaled_floats import (
    Scaled,
    added,
    exponential,
    from_log,
    known_where,
    logarithm,
    multiplied,
    nothing,
    ones,
    over,
    scaled,
)
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_log_delta

Columns = Sequence[Scaled]
_ENGINE = 1e-11  # relative error granted to the logarithm of the contour engine
_LEAST_SHIFT = 1e-12  # a squared mean shift below it moves a divergence by less than the engine's own error
_STEEP = 1e3  # how much faster than an argument a logarithm may move


def _pair(lams: Columns, counts: Columns, squares: Columns, epsilon: Scaled) -> Scaled:
    """The contour integral of the pair with relative eigenvalues `lams`, multiplicities and squared mean shifts.

    delta(eps) = 1 - e^eps + e^eps delta'(-eps), delta' of the pair turned round, gives negative epsilon.
    """
    lam, count, square = (np.stack([x.value() for x in xs], axis=-1) for xs in (lams, counts, squares))
    eps, slack = epsilon.value(), epsilon.slack() + sum(x.slack() / np.maximum(x.value(), 1e-300) for x in lams)
    slack = slack + sum(x.slack() / np.maximum(x.value(), _LEAST_SHIFT) for x in squares)
    whole = (count == np.floor(count)) & (count >= 1)
    fair = np.isfinite(lam) & (lam > 0) & whole & np.isfinite(square) & (square >= 0)
    good = fair.all(axis=-1) & np.isfinite(eps) & np.isfinite(slack)
    lam, count = np.where(good[:, None], lam, 1.0), np.where(good[:, None], count, 1.0)
    square, eps = np.where(good[:, None], square, 1.0), np.where(good, eps, 0.0)
    turned = (eps < 0)[:, None]
    logs = np.where(turned, -np.log(lam), np.log(lam))
    seen = np.where(turned, square / lam, square)
    laws = Spectrum(np.expm1(logs), seen, count, logs)
    log = to_log_delta(log_entries(laws, np.arange(len(eps)), np.abs(eps)))
    log = np.where((logs == 0).all(axis=-1) & (seen == 0).all(axis=-1), -np.inf, log)
    extra = np.where(slack > 1e-14, _STEEP * slack, 0.0)
    same = from_log(log, _ENGINE * np.maximum(1.0, np.where(np.isfinite(log), np.abs(log), 0.0)) + extra)
    growth = exponential(scaled(np.minimum(eps, 0.0)))
    other = added(scaled(-np.expm1(np.minimum(eps, 0.0))), multiplied(growth, same))
    picked = [np.where(eps >= 0, getattr(same, f), getattr(other, f)) for f in ("mantissa", "exponent", "error")]
    return known_where(Scaled(*picked), good)


def _mean_shift(shift: Scaled, epsilon: Scaled) -> Scaled:
    square = multiplied(shift, shift)
    return known_where(_pair([ones(shift)], [ones(shift)], [square], epsilon), shift.value() >= 0)


def _centred(lams: Columns, counts: Columns, epsilon: Scaled) -> Scaled:
    return _pair(lams, counts, [nothing(lam) for lam in lams], epsilon)


def _projection(leverage: Scaled, r: Scaled, epsilon: Scaled, insert: bool = False) -> Scaled:
    rest = added(ones(leverage), leverage, -1.0)
    found = _centred([rest if insert else over(rest)], [r], epsilon)
    return known_where(found, (leverage.value() >= 0) & (leverage.value() < 1))


def _chi2_hinge(c: Scaled, a: Scaled, r: Scaled) -> Scaled:
    """E max(0, 1 - e^{c + a T/2}) is the divergence of N(0, (1-a) I) from N(0, I) at eps = c - (r/2) log(1-a)."""
    lam = added(ones(a), a, -1.0)
    half = multiplied(r, scaled(np.full(np.shape(a.mantissa), 0.5)))
    return _centred([lam], [r], added(c, multiplied(half, logarithm(lam)), -1.0))


def _independent(means: Columns, stds: Columns, epsilon: Scaled) -> Scaled:
    found = _pair([multiplied(s, s) for s in stds], [ones(s) for s in stds], [multiplied(m, m) for m in means], epsilon)
    return known_where(found, np.all([s.value() > 0 for s in stds], axis=0))


def _least_squares(p: Scaled, q: Scaled, d: Scaled, r: Scaled, epsilon: Scaled, insert: bool = False) -> Scaled:
    """The pair of N24-T4: one eigenvalue with a mean shift, and another d - 1 times."""
    a, b, features = p.value(), q.value(), d.value()
    good = (a >= 0) & (a <= b) & (b < 1) & (features >= 1) & (features == np.floor(features)) & (r.value() >= 1)
    a, b = np.where(good, a, 0.1), np.where(good, b, 0.2)
    first, rest = (1 - a) ** 2 / (1 - b), np.where(features > 1, (1 - a) / (1 - b), 1.0)
    square = r.value() * a * (b - a) / (1 - b)
    if insert:
        square, first, rest = square / first, 1 / first, 1 / rest
    counts = [ones(p), scaled(np.maximum(features - 1, 1.0))]
    found = _pair([scaled(first), scaled(rest)], counts, [scaled(square), nothing(p)], epsilon)
    return known_where(found, good)


QUANTITIES: Mapping[str, Callable[..., Scaled]] = {
    "mean_shift": _mean_shift,
    "projection": _projection,
    "projection_insert": lambda p, r, eps: _projection(p, r, eps, True),
    "centred": _centred,
    "centred_reverse": lambda lams, counts, eps: _centred([over(lam) for lam in lams], counts, eps),
    "chi2_hinge": _chi2_hinge,
    "independent": _independent,
    "least_squares": _least_squares,
    "least_squares_insert": lambda p, q, d, r, eps: _least_squares(p, q, d, r, eps, True),
}
