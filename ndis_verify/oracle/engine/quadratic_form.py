"""The quadratic form of N26-L1 in multiprecision floating point (mpmath), from exact inputs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath

from ndis_verify.exact_number import InputError, to_mpf
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.engine.precision import checked_digits
from ndis_verify.quadratic_form import QuadraticForm

MAX_DENSE_DIMENSION = 128


@dataclass(frozen=True)
class Group:
    """`multiplicity` coordinates with one alpha = lambda - 1; m2 is their share of the squared mean shift."""

    alpha: mpmath.mpf
    multiplicity: int
    m2: mpmath.mpf


def quadratic_form(pair: GaussianPair, digits: int = 30) -> QuadraticForm:
    """(a, b, c) of `q_eps(z) = eps + c + b.z + (1/2) z^T diag(a) z` (N26-L1), as mpf with `digits` digits and guard.

    a: eigenvalues of I - S1^{1/2} S2^{-1} S1^{1/2}, repeated ones grouped; b: for each group the norm of the linear
    part `-S1^{1/2} S2^{-1} (mu1 - mu2)` inside it; `c = (1/2) log(det S1/det S2) - (1/2)(mu1-mu2)^T S2^{-1} (mu1-mu2)`.
    Dense eigenvalues count as repeated (or as 0) when they agree to 60 % of the working digits. Raises `InputError` for
    bad input. pair: a `GaussianPair`, exact.

    Examples
    --------
    >>> from ndis_verify.oracle import quadratic_form
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> form = quadratic_form(pair)
    >>> print(f"{float(form.a[0]):.10f} {float(form.b[0]):.10f} {float(form.c):.10f}")
    -1.0000000000 0.7071067812 0.2215735903
    """
    digits = checked_digits(digits)
    groups = relative_groups(pair, digits)
    with mpmath.workdps(2 * digits + 20):
        half_log = mpmath.fsum(g.multiplicity * mpmath.log1p(g.alpha) for g in groups) / 2
        return QuadraticForm(
            a=tuple(-g.alpha for g in groups),
            b=tuple(mpmath.sqrt((1 + g.alpha) * g.m2) for g in groups),
            c=half_log - mpmath.fsum(g.m2 for g in groups) / 2,
            multiplicity=tuple(g.multiplicity for g in groups),
        )


def relative_groups(pair: GaussianPair, digits: int) -> tuple[Group, ...]:
    """Distinct alpha with multiplicity and m2, computed with 2 digits + 20 working digits (the last few are kept)."""
    if not isinstance(pair, GaussianPair):
        raise InputError("pair", pair, "must be a GaussianPair")
    return _groups(pair, digits)


@lru_cache(maxsize=16)
def _groups(pair: GaussianPair, digits: int) -> tuple[Group, ...]:
    with mpmath.workdps(2 * digits + 20):
        if pair.cov_p.kind != "dense" and pair.cov_q.kind != "dense":
            return _diagonal_groups(pair)
        if pair.dimension > MAX_DENSE_DIMENSION:
            raise InputError("pair", f"dimension {pair.dimension}", f"dense pairs need at most {MAX_DENSE_DIMENSION}")
        return _dense_groups(pair)


def _diagonal_groups(pair: GaussianPair) -> tuple[Group, ...]:
    found: dict[Any, list] = {}
    for p, q, step in zip(pair.cov_p.variances(), pair.cov_q.variances(), pair.shift(), strict=True):
        entry = found.setdefault(p / q - 1, [0, 0])
        entry[0] += 1
        entry[1] += step**2 / q
    return tuple(Group(_to_digits_of_both(alpha), k, to_mpf(m2)) for alpha, (k, m2) in found.items())


def _to_digits_of_both(alpha: Fraction) -> mpmath.mpf:
    """alpha with as many more bits as 1 + alpha is smaller than 1: next to -1 it is the ratio of variances that has to
    keep its digits.
    """
    ratio = 1 + alpha
    with mpmath.extraprec(max(0, 2 + ratio.denominator.bit_length() - ratio.numerator.bit_length())):
        return to_mpf(alpha)


def _dense_groups(pair: GaussianPair) -> tuple[Group, ...]:
    d = pair.dimension
    cov_p, cov_q = pair.cov_p.rows(), pair.cov_q.rows()
    factor = mpmath.cholesky(mpmath.matrix([[to_mpf(e) for e in row] for row in cov_q]))
    difference = mpmath.matrix([[to_mpf(p - q) for p, q in zip(*rows)] for rows in zip(cov_p, cov_q)])
    half = _forward(factor, difference)
    whitened = _forward(factor, half.T)
    whitened = (whitened + whitened.T) / 2
    shift = _forward(factor, mpmath.matrix([to_mpf(e) for e in pair.shift()]))
    values, vectors = mpmath.eigsy(whitened)
    scale = max(abs(v) for v in values)
    tolerance = mpmath.mpf(10) ** (-int(0.6 * mpmath.mp.dps))
    rotated = vectors.T * shift
    groups: list[Group] = []
    for value, part in sorted(((values[i], rotated[i] ** 2) for i in range(d)), key=lambda e: e[0]):
        alpha = value if abs(value) > tolerance * scale else mpmath.mpf(0)
        last = groups[-1] if groups else None
        if last is not None and abs(alpha - last.alpha) <= tolerance * max(abs(alpha), abs(last.alpha)):
            groups[-1] = Group(last.alpha, last.multiplicity + 1, last.m2 + part)
        else:
            groups.append(Group(alpha, 1, part))
    return tuple(groups)


def _forward(factor: mpmath.matrix, right: mpmath.matrix) -> mpmath.matrix:
    """factor^{-1} right for a lower triangular factor."""
    rows, columns = right.rows, right.cols
    solution = mpmath.matrix(rows, columns)
    for j in range(columns):
        for i in range(rows):
            known = mpmath.fdot((factor[i, k], solution[k, j]) for k in range(i))
            solution[i, j] = (right[i, j] - known) / factor[i, i]
    return solution
