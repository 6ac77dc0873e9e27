"""The package's quantities on float64 columns, each with a bound of its error; infinite where one has no value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ndis_verify.court.scaled_floats import Scaled, added, exponential, from_log, logarithm, multiplied, scaled
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.generalized_chi2 import GeneralizedChi2
from ndis_verify.fast.hockey_stick import log_entries, to_log_delta
from ndis_verify.fast.least_squares.finite_law import log_als_exact_hockey_stick

_ENGINE = 1e-11  # relative error granted to the logarithm of the contour engine
_FINITE = 2e-9  # and to the one of the finite least squares law
_CDF = 1e-10  # absolute error granted to a distribution function
_STEEP = 1e3  # how much faster than an argument a logarithm may move
Columns = Sequence[Scaled]


def _pair(lams: Columns, counts: Columns, squares: Columns, epsilon: Scaled) -> Scaled:
    """The contour integral of the pair with relative eigenvalues `lams`, multiplicities and squared mean shifts.

    delta(eps) = 1 - e^eps + e^eps delta'(-eps), delta' of the pair turned round, gives negative epsilon.
    """
    lam, count, square = (np.stack([x.value() for x in xs], axis=-1) for xs in (lams, counts, squares))
    eps, slack = epsilon.value(), epsilon.slack() + sum(x.slack() / np.maximum(x.value(), 1e-300) for x in lams)
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
    return _known_where(Scaled(*picked), good)


def _known_where(found: Scaled, good: np.ndarray) -> Scaled:
    return Scaled(found.mantissa, found.exponent, np.where(good, found.error, np.inf))


def _ones(like: Scaled) -> Scaled:
    return scaled(np.ones(np.shape(like.mantissa)))


def _nothing(like: Scaled) -> Scaled:
    return scaled(np.zeros(np.shape(like.mantissa)))


def _over(one: Scaled) -> Scaled:
    with np.errstate(all="ignore"):
        return scaled(1 / one.value(), one.slack() / np.square(one.value()))


def _mean_shift(shift: Scaled, epsilon: Scaled) -> Scaled:
    square = multiplied(shift, shift)
    return _known_where(_pair([_ones(shift)], [_ones(shift)], [square], epsilon), shift.value() >= 0)


def _centred(lams: Columns, counts: Columns, epsilon: Scaled) -> Scaled:
    return _pair(lams, counts, [_nothing(lam) for lam in lams], epsilon)


def _projection(leverage: Scaled, r: Scaled, epsilon: Scaled, insert: bool = False) -> Scaled:
    rest = added(_ones(leverage), leverage, -1.0)
    found = _centred([rest if insert else _over(rest)], [r], epsilon)
    return _known_where(found, (leverage.value() >= 0) & (leverage.value() < 1))


def _chi2_hinge(c: Scaled, a: Scaled, r: Scaled) -> Scaled:
    """E max(0, 1 - e^{c + a T/2}) is the divergence of N(0, (1-a) I) from N(0, I) at eps = c - (r/2) log(1-a)."""
    lam = added(_ones(a), a, -1.0)
    half = multiplied(r, scaled(np.full(np.shape(a.mantissa), 0.5)))
    return _centred([lam], [r], added(c, multiplied(half, logarithm(lam)), -1.0))


def _independent(means: Columns, stds: Columns, epsilon: Scaled) -> Scaled:
    found = _pair(
        [multiplied(s, s) for s in stds], [_ones(s) for s in stds], [multiplied(m, m) for m in means], epsilon
    )
    return _known_where(found, np.all([s.value() > 0 for s in stds], axis=0))


def _least_squares(p: Scaled, q: Scaled, d: Scaled, r: Scaled, epsilon: Scaled, insert: bool = False) -> Scaled:
    """The pair of N24-T4: one eigenvalue with a mean shift, and another d - 1 times."""
    a, b, features = p.value(), q.value(), d.value()
    good = (a >= 0) & (a <= b) & (b < 1) & (features >= 1) & (features == np.floor(features)) & (r.value() >= 1)
    a, b = np.where(good, a, 0.1), np.where(good, b, 0.2)
    first, rest = (1 - a) ** 2 / (1 - b), np.where(features > 1, (1 - a) / (1 - b), 1.0)
    square = r.value() * a * (b - a) / (1 - b)
    if insert:
        square, first, rest = square / first, 1 / first, 1 / rest
    counts = [_ones(p), scaled(np.maximum(features - 1, 1.0))]
    found = _pair([scaled(first), scaled(rest)], counts, [scaled(square), _nothing(p)], epsilon)
    return _known_where(found, good)


def _finite_least_squares(p: Scaled, q: Scaled, d: Scaled, r: Scaled, epsilon: Scaled, insert: bool = False) -> Scaled:
    a, b, features, rows, eps = (x.value() for x in (p, q, d, r, epsilon))
    whole = (features == np.floor(features)) & (rows == np.floor(rows))
    good = (a >= 0) & (a <= b) & (b < 1) & whole & (features >= 1) & (rows >= features) & (eps >= 0)
    log = np.zeros(len(a))
    for size in np.unique(features[good]):
        at = good & (features == size)
        way = "insert" if insert else "delete"
        log[at] = log_als_exact_hockey_stick(a[at], b[at], int(size), rows[at], eps[at], way)
    return _known_where(from_log(log, _FINITE * np.maximum(1.0, np.where(np.isfinite(log), np.abs(log), 0.0))), good)


def quadratic_law(a: Sequence[Any], b: Sequence[Any]) -> tuple[list[Any], list[Any], Any, Any]:
    """(weights, noncentralities, variance, shift) of sum_i (a_i z_i^2/2 + b_i z_i), z_i standard normal."""
    curved = [(x, y) for x, y in zip(a, b, strict=True) if x != 0]
    variance = sum((y**2 for x, y in zip(a, b, strict=True) if x == 0), 0 * b[0])
    shift = -sum((y**2 / (2 * x) for x, y in curved), 0 * b[0])
    return [x / 2 for x, _ in curved], [(y / x) ** 2 for x, y in curved], variance, shift


def _quadratic_cdf(a: Columns, b: Columns, t: Scaled) -> Scaled:
    """One law a row: the distribution function takes many points of one law, not many laws."""
    first, second = (np.stack([x.value() for x in xs], axis=-1) for xs in (a, b))
    found, error = np.zeros(len(first)), np.full(len(first), np.inf)
    for k, x in enumerate(t.value()):
        try:
            weights, ncs, variance, shift = quadratic_law(first[k], second[k])
            law = GeneralizedChi2(weights, np.ones(len(weights)), ncs, variance**0.5, shift)
            found[k] = law.cdf(x)
            error[k] = _CDF + (float(law.pdf(x)) + 1) * t.slack()[k] * 10
        except (ValueError, ArithmeticError):
            continue
    return scaled(found, np.where(np.isfinite(found), error, np.inf))


def _quadratic_hinge(a: Columns, b: Columns, c: Scaled) -> Scaled:
    """Pr[q < 0] - E[e^q; q < 0], the second one the law of the polynomial under the tilted normal variables."""
    total, other = exponential(c), (added(_nothing(c), c, -1.0))
    tilted_a, tilted_b, moved = [], [], _nothing(c)
    with np.errstate(all="ignore"):
        for x, y in zip(a, b, strict=True):
            rest = scaled(np.where(x.value() < 1, 1 - x.value(), np.nan), x.slack())
            root, square = scaled(np.sqrt(rest.value())), multiplied(y, y)
            mean = multiplied(y, _over(rest))
            tilted_a.append(multiplied(x, _over(rest)))
            tilted_b.append(multiplied(mean, _over(root)))
            half = scaled(np.full(np.shape(x.mantissa), 0.5))
            moved = added(moved, multiplied(half, multiplied(mean, added(multiplied(x, mean), added(y, y)))))
            growth = exponential(multiplied(half, multiplied(square, _over(rest))))
            total = multiplied(total, multiplied(growth, _over(root)))
    first = _quadratic_cdf(a, b, other)
    second = _quadratic_cdf(tilted_a, tilted_b, added(other, moved, -1.0))
    return added(first, multiplied(total, second), -1.0)


QUANTITIES: Mapping[str, Callable[..., Scaled]] = {
    "mean_shift": _mean_shift,
    "projection": _projection,
    "projection_insert": lambda p, r, eps: _projection(p, r, eps, True),
    "centred": _centred,
    "centred_reverse": lambda lams, counts, eps: _centred([_over(lam) for lam in lams], counts, eps),
    "chi2_hinge": _chi2_hinge,
    "independent": _independent,
    "quadratic_cdf": _quadratic_cdf,
    "quadratic_hinge": _quadratic_hinge,
    "least_squares": _least_squares,
    "least_squares_insert": lambda p, q, d, r, eps: _least_squares(p, q, d, r, eps, True),
    "sketch": _finite_least_squares,
    "sketch_insert": lambda p, q, d, r, eps: _finite_least_squares(p, q, d, r, eps, True),
}
