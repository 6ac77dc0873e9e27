"""Normal laws and quadratic forms of general means and covariances in ball arithmetic, at Fractions.

Each raises `NotExact` outside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, fmpq, fmpq_mat

from ndis_verify.court.quantities.exact import NotExact, Number, OutsideDomain, as_ball, monotone, rational
from ndis_verify.court.statement_arrays import Rows, flat, rows_of
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, of_fmpq, to_exact_ball
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.oracle.engine.precision import PrecisionError

_DEEPEST = 10**5  # bits after the point


def _normal_pair(mean_p: Any, cov_p: Any, mean_q: Any, cov_q: Any, epsilon: Number, digits: int) -> Number:
    """At rational covariances. Means that are no rationals are met at rational ones beside them: what is measured
    between two laws moves by no more than the first one does in total variation, and the second one times e^eps.
    """
    rational(*(x for value in (cov_p, cov_q) for x in flat(value)))
    try:
        (first, of_first), (second, of_second) = (
            _near(flat(mean), rows_of(cov)) for mean, cov in ((mean_p, cov_p), (mean_q, cov_q))
        )
        pair = GaussianPair(first, rows_of(cov_p), second, rows_of(cov_q))
        found = monotone(lambda eps: _shallow(hockey_stick(pair, eps, digits)), (epsilon, -1))
    except (InputError, PrecisionError) as error:  # no covariance, or a tail that lies too deep
        raise NotExact(str(error)) from error
    moved = of_first + as_ball(epsilon).exp() * of_second
    return found if moved == 0 else as_ball(found) + moved.union(-moved)


def _shallow(value: Enclosure) -> arb:
    """The value as a ball. One so deep that its denominator would fill the memory is not met."""
    size = value.mid.man_exp
    if size[0] and size[1] < -_DEEPEST:
        raise NotExact("a divergence that lies too deep for arithmetic in balls")
    return to_exact_ball(value)


def _near(mean: Sequence[Number], covariance: Rows) -> tuple[list[Fraction], arb]:
    """(a rational mean, at least the total variation between the two normal laws of this covariance): half the whitened
    distance of the means.
    """
    if all(isinstance(x, Fraction) for x in mean):
        return list(mean), arb(0)
    if not all(as_ball(x).is_finite() for x in mean):
        raise NotExact("a mean is not finite")
    at = [x if isinstance(x, Fraction) else exact(enclosure(x).mid) for x in mean]
    size = len(at)
    rows = fmpq_mat(size, size, [fmpq(x.numerator, x.denominator) for row in covariance for x in row])
    if rows.det() == 0:
        raise NotExact("a covariance that has no inverse beside a mean that is no rational")
    over, off = rows.inv(), [as_ball(x) - as_ball(y) for x, y in zip(mean, at, strict=True)]
    square = sum((ball(of_fmpq(over[i, j])) * off[i] * off[j] for i in range(size) for j in range(size)), arb(0))
    return at, arb(max(square.upper(), arb(0))).sqrt() / 2


def _form_hinge(form: Any, slope: Any, c: Number, digits: int) -> Number:
    """e^q is e^eps' times the density of Q = N(S b, S), S = (I - A)^{-1}, over that of P = N(0, I)."""
    rational(*flat(form), *flat(slope))
    entries = [fmpq(x.numerator, x.denominator) for x in flat(form)]
    size = len(flat(slope))
    whole = fmpq_mat(size, size, entries)
    rest = fmpq_mat(size, size, [fmpq(int(i == j)) for i in range(size) for j in range(size)]) - whole
    if whole != whole.transpose() or not all(leading(rest, k) > 0 for k in range(1, size + 1)):
        raise OutsideDomain("A is symmetric and I - A positive definite")
    covariance = rest.inv()
    vector = fmpq_mat(size, 1, [fmpq(x.numerator, x.denominator) for x in flat(slope)])
    mean = covariance * vector
    energy = of_fmpq((vector.transpose() * mean)[0, 0])
    epsilon = as_ball(c) + ball(energy / 2) - ball(of_fmpq(rest.det())).log() / 2
    unit = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    law = [[of_fmpq(covariance[i, j]) for j in range(size)] for i in range(size)]
    at = [of_fmpq(mean[i, 0]) for i in range(size)]
    pair = GaussianPair([0] * size, unit, at, law)
    return monotone(lambda eps: to_exact_ball(hockey_stick(pair, eps, digits)), (epsilon, -1))


def leading(rows: fmpq_mat, size: int) -> fmpq:
    """The minor of the first rows and columns."""
    return fmpq_mat(size, size, [rows[i, j] for i in range(size) for j in range(size)]).det()


QUANTITIES: Mapping[str, Callable[..., Number]] = {"normal_pair": _normal_pair, "form_hinge": _form_hinge}
