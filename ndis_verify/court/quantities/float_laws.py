"""Quadratic polynomials of normal variables on float64 columns, each quantity with a bound of its error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ndis_verify.court.quantities.polynomials import quadratic_law
from ndis_verify.court.scaled_floats import Scaled, added, exponential, multiplied, nothing, over, scaled
from ndis_verify.fast.generalized_chi2 import GeneralizedChi2

Columns = Sequence[Scaled]
_ROUNDING = 2.0**-50
_CDF = 1e-10  # absolute error granted to a distribution function


def _quadratic_cdf(a: Columns, b: Columns, t: Scaled) -> Scaled:
    """One law a row: the distribution function takes many points of one law, not many laws.

    The point moves by what the coefficients are known to, and by the rounding of the completed squares b^2/(2a).
    """
    first, second = (np.stack([x.value() for x in xs], axis=-1) for xs in (a, b))
    found, error = np.zeros(len(first)), np.full(len(first), np.inf)
    moved = t.slack() + sum(x.slack() for x in (*a, *b))
    for k, x in enumerate(t.value()):
        try:
            weights, ncs, variance, shift = quadratic_law(first[k], second[k])
            law = GeneralizedChi2(weights, np.ones(len(weights)), ncs, variance**0.5, shift)
            found[k] = law.cdf(x)
            error[k] = _CDF + (float(law.pdf(x)) + 1) * (moved[k] + _ROUNDING * abs(shift)) * 10
        except (ValueError, ArithmeticError):
            continue
    return scaled(found, np.where(np.isfinite(found), error, np.inf))


def _quadratic_hinge(a: Columns, b: Columns, c: Scaled) -> Scaled:
    """Pr[q < 0] - E[e^q; q < 0], the second one the law of the polynomial under the tilted normal variables."""
    total, other = exponential(c), (added(nothing(c), c, -1.0))
    tilted_a, tilted_b, moved = [], [], nothing(c)
    with np.errstate(all="ignore"):
        for x, y in zip(a, b, strict=True):
            rest = scaled(np.where(x.value() < 1, 1 - x.value(), np.nan), x.slack())
            root, square = scaled(np.sqrt(rest.value())), multiplied(y, y)
            mean = multiplied(y, over(rest))
            tilted_a.append(multiplied(x, over(rest)))
            tilted_b.append(multiplied(mean, over(root)))
            half = scaled(np.full(np.shape(x.mantissa), 0.5))
            moved = added(moved, multiplied(half, multiplied(mean, added(multiplied(x, mean), added(y, y)))))
            growth = exponential(multiplied(half, multiplied(square, over(rest))))
            total = multiplied(total, multiplied(growth, over(root)))
    first = _quadratic_cdf(a, b, other)
    second = _quadratic_cdf(tilted_a, tilted_b, added(other, moved, -1.0))
    return added(first, multiplied(total, second), -1.0)


QUANTITIES: Mapping[str, Callable[..., Scaled]] = {
    "quadratic_cdf": _quadratic_cdf,
    "quadratic_hinge": _quadratic_hinge,
}
