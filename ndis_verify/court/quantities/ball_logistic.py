"""The minimiser of a regularised logistic loss in ball arithmetic, at Fractions.

Raises `NotExact` outside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, arb_mat

from ndis_verify.court.quantities.exact import NotExact, Number, OutsideDomain, rational
from ndis_verify.court.statement_arrays import array, flat, rows_of
from ndis_verify.oracle.certified.engine.balls import ball, midpoint

_STEPS = 400


def _logistic_fit(records: Any, penalty: Number, digits: int) -> Any:
    """Newton's method on midpoints, a step s as long as log(1 + R s)/R with R at least the longest record; around what
    it ends in a ball in which the minimiser has to be, as the loss is c-strongly convex: of radius the length of the
    gradient over c.
    """
    rational(*flat(records), penalty)
    if penalty <= 0:
        raise OutsideDomain("the factor of |t|^2/2 is positive")
    z, c = [[ball(x) for x in row] for row in rows_of(records)], ball(penalty)
    longest = _most([x for row in z for x in row])
    theta, enough = [arb(0) for _ in z[0]], ball(Fraction(1, 10 ** (digits + 5)))
    for _ in range(_STEPS):
        slope = _slope(z, c, theta)
        if not longest > 0 or _most(slope).mid() <= enough * c:
            break
        step = _solved(z, c, theta, slope)
        size = longest * _most(step)
        share = (1 + size).log() / size if size > 0 else arb(1)
        theta = [midpoint(at - share * by) for at, by in zip(theta, step, strict=True)]
    radius = (_most(_slope(z, c, theta)) / c).upper()
    if not radius.is_finite():
        raise NotExact("the minimiser is not finite at this precision")
    return array([[at + arb(0, radius)] for at in theta])


def _pull(row: Sequence[arb], theta: Sequence[arb]) -> arb:
    """1/(1 + e^{z^T theta})."""
    return 1 / (1 + sum((x * at for x, at in zip(row, theta, strict=True)), arb(0)).exp())


def _slope(z: Sequence[Sequence[arb]], c: arb, theta: Sequence[arb]) -> list[arb]:
    pulls = [_pull(row, theta) for row in z]
    return [c * at - sum((p * row[k] for p, row in zip(pulls, z, strict=True)), arb(0)) for k, at in enumerate(theta)]


def _solved(z: Sequence[Sequence[arb]], c: arb, theta: Sequence[arb], slope: Sequence[arb]) -> list[arb]:
    """The Newton step, of midpoints alone."""
    size = range(len(theta))
    weights = [p * (1 - p) for p in (_pull(row, theta) for row in z)]
    curve = [
        [sum((w * row[i] * row[j] for w, row in zip(weights, z, strict=True)), c * int(i == j)).mid() for j in size]
        for i in size
    ]
    found = arb_mat(curve).solve(arb_mat([[at.mid()] for at in slope]))
    return [found[i, 0].mid() for i in size]


def _most(vector: Sequence[arb]) -> arb:
    """At least the length."""
    return sum((abs(x) for x in vector), arb(0))


QUANTITIES: Mapping[str, Callable[..., Any]] = {"logistic_fit": _logistic_fit}
