"""The finite least squares law in ball arithmetic, at Fractions or at balls: divergences, and its density.

Each raises `NotExact` outside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from flint import arb, fmpq, fmpq_mat

from ndis_verify.court.quantities.ball_matrices import leading
from ndis_verify.court.quantities.exact import (
    NotExact,
    Number,
    OutsideDomain,
    as_ball,
    monotone,
    rational,
    regression_record,
    whole,
)
from ndis_verify.court.statement_arrays import flat, rows_of
from ndis_verify.exact_number import exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, of_fmpq, to_exact_ball
from ndis_verify.oracle.certified.least_squares.finite_law import als_exact_hockey_stick


def _sketch(p: Number, q: Number, d: Number, r: Number, epsilon: Number, digits: int, insert: bool = False) -> Number:
    """At a rational q. A p that is not rational is met at a rational one beside it: what is measured between two laws
    moves by no more than the first one does in total variation, and the second one times e^eps.
    """
    regression_record(p, q, d, r)
    if r < d:
        raise OutsideDomain("a sketch has at least as many rows as features")
    way = "insert" if insert else "delete"
    near = p if isinstance(p, Fraction) else exact(enclosure(p).mid)
    at = lambda eps: to_exact_ball(als_exact_hockey_stick(near, q, int(d), int(r), eps, way, digits))  # noqa: E731
    found = monotone(at, (epsilon, -1))
    if isinstance(p, Fraction):
        return found
    larger, smaller = _moved(abs(p - ball(near)).upper(), q, int(d), int(r))
    first, second = (smaller, larger) if insert else (larger, smaller)
    moved = first + as_ball(epsilon).exp() * second
    return as_ball(found) + moved.union(-moved)


def _moved(by: arb, q: Fraction, d: int, r: int) -> tuple[arb, arb]:
    """At least the total variation between the laws at p and at p' of the statistic T that the privacy loss is a
    function of, in the larger database and in the smaller one; |p - p'| <= by, and p, p' <= q.

    T is X_1^2 for a direction X in R^(d+1) whose density is |u^T X|^k over its mean, k = r - d, with u = (sqrt(1 - S),
    sqrt(S)) in the first plane; S = p/q in the larger database; in the smaller one T (1 - q)/(1 - q T) has that law
    with S = p (1 - q)/(q (1 - p)). As ||a|^k - |b|^k| <= k |a - b| (|a|^(k-1) + |b|^(k-1)) the total variation is at
    most k |u - u'| E |X_1|^(k-1)/E |X_1|^k of a uniform X, and |u - u'|^2 <= 2 |S - S'|.
    """
    k = r - d
    if not k:
        return arb(0), arb(0)
    half = arb(1) / 2
    ratio = (half * k).lgamma() + (half * (r + 1)).lgamma() - (half * (k + 1)).lgamma() - (half * r).lgamma()
    larger = k * ratio.exp() * (2 * by / ball(q)).sqrt()
    return larger, larger / ball(1 - q).sqrt()


def _density(gram: Any, cross: Any, square: Number, rows: Number, point: Any, digits: int) -> Number:
    """Given X the minimiser is N(y, W (X^T X)^{-1}), N y = c, W = a - c^T y. So with u = x - y the density is the mean
    of (2 pi W)^{-d/2} sqrt(det(X^T X)) exp(-|X u|^2/(2 W)): by Bartlett, the first axis along N^{1/2} u, det(X^T X) is
    det(N) times independent chi-square variables of r, r - 1, ..., r - d + 1 degrees of freedom, and the first of them
    times u^T N u is |X u|^2.
    """
    rational(*flat(gram), *flat(cross), square, *flat(point))
    whole(rows)
    n, c, x = (_exact(value) for value in (gram, cross, point))
    d, r = n.nrows(), int(rows)
    if not d <= r <= _MOST_ROWS:
        raise NotExact(f"a sketch has at least as many rows as features, and at most {_MOST_ROWS} here")
    if n != n.transpose() or not all(leading(n, k) > 0 for k in range(1, d + 1)):
        raise OutsideDomain("N is symmetric and positive definite")
    centre = n.inv() * c
    residual = fmpq(square.numerator, square.denominator) - (c.transpose() * centre)[0, 0]
    if not residual > 0:
        raise OutsideDomain("a - c^T N^{-1} c is positive")
    u = x - centre
    excess = ball(of_fmpq((u.transpose() * n * u)[0, 0] / residual))
    normal = (ball(of_fmpq(n.det())) / (2 * arb.pi() * ball(of_fmpq(residual))) ** d).sqrt()
    found = normal * _root_mean(r, excess)
    for k in range(1, d):
        found *= _root_mean(r - k, arb(0))
    return found


def _root_mean(degrees: int, tilt: arb) -> arb:
    """E sqrt(T) e^{-tilt T/2}, T chi-square."""
    half = arb(degrees) / 2
    log = (half + arb(1) / 2).lgamma() - half.lgamma() - (half + arb(1) / 2) * (1 + tilt).log()
    return arb(2).sqrt() * log.exp()


def _exact(value: Any) -> fmpq_mat:
    rows = rows_of(value)
    return fmpq_mat(len(rows), len(rows[0]), [fmpq(x.numerator, x.denominator) for x in flat(value)])


_MOST_ROWS = 10**5
QUANTITIES: Mapping[str, Callable[..., Number]] = {
    "sketch": _sketch,
    "sketch_insert": lambda p, q, d, r, eps, digits: _sketch(p, q, d, r, eps, digits, True),
    "sketch_density": _density,
}
