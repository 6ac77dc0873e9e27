"""Lower probabilities of generalized chi-square laws for the second route."""

from __future__ import annotations

import mpmath

from ndis_verify.oracle.rays import Law, cdf_and_sf


def lower_probability(law: Law, x: mpmath.mpf, digits: int) -> mpmath.mpf:
    """Pr[X <= x] to about `digits` digits."""
    return cdf_and_sf(law, x, digits)[0]
