"""How far the scaled law of a sketched solution is from its normal limit, in ball arithmetic.

Raises `NotExact` outside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from flint import acb, arb, ctx

from ndis_verify.court.quantities.exact import NotExact, Number, OutsideDomain

MOST = 10**6  # rows


def _sketch_distance(d: Number, r: Number, digits: int) -> Number:
    """The one law of s = |z|^2 is that of r times a ratio of chi-square variables, the other is chi-square. Where the
    log of the ratio of their densities, which falls up to s = 1 and rises from there on, is negative, the normal law
    has more: below its one zero, as it is negative at 0. At every s the difference of the two probabilities of [0, s]
    is a lower bound of the distance; in a ball around the zero it is the distance.
    """
    features, rows = _sizes(d, r)
    k, n = arb(features), arb(rows)
    constant = ((n + 1) / 2).lgamma() - ((n - k + 1) / 2).lgamma() - k / 2 * (n / 2).log()
    if not constant < 0:
        raise NotExact("a ratio of densities that is not known to be below 1 at 0")

    def beyond(s: arb) -> arb:
        return constant + s / 2 - (n + 1) / 2 * (s / n).log1p()

    low, high = arb(1), 10 * (n + k)
    for _ in range(2 * ctx.prec):
        middle = ((low + high) / 2).mid()
        sign = beyond(middle)
        if sign > 0:
            high = middle
        elif sign < 0:
            low = middle
        else:
            break
    if not (beyond(low) < 0 and beyond(high) > 0):
        raise NotExact("no bracket of where the densities are equal")
    zero = low.union(high)
    normal = (zero / 2).gamma_lower(k / 2, 1)
    student = acb(zero / (n + zero)).beta_lower(acb(k / 2), acb((n - k + 1) / 2), regularized=True).real
    return normal - student


def _sizes(d: Number, r: Number) -> tuple[int, int]:
    if not (isinstance(d, Fraction) and isinstance(r, Fraction)):
        raise NotExact("numbers of features and rows that are not known to be whole")
    if d.denominator != 1 or r.denominator != 1 or not 1 <= d <= r:
        raise OutsideDomain("a sketch has whole numbers of rows and features, at least as many rows")
    if r > MOST:
        raise NotExact(f"rows are at most {MOST} here")
    return int(d), int(r)


QUANTITIES: Mapping[str, Callable[..., Number]] = {"sketch_distance": _sketch_distance}
