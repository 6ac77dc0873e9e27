"""The Gram matrix G of a database beside a ridge s, exactly: its smallest eigenvalue, and det(G + s I) and adj(G + s I)
as polynomials in s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import arb, fmpq, fmpq_mat, fmpq_poly

from ndis_verify.oracle.certified.engine.balls import real_parts, to_fmpq


def gram_matrix(records: Iterable[Sequence[Fraction]]) -> fmpq_mat:
    """D^T D of n x d exact records."""
    rows = rational_matrix(records)
    return rows.transpose() * rows


def rational_matrix(records: Iterable[Sequence[Fraction]]) -> fmpq_mat:
    """Records as a matrix over the rationals."""
    return fmpq_mat([[to_fmpq(x) for x in row] for row in records])


def smallest_eigenvalue(gram: fmpq_mat) -> arb:
    """The smallest eigenvalue of a positive semidefinite rational matrix, at the current precision; exactly 0 where it
    is singular.

    The least root of the squarefree factors of the characteristic polynomial: all of its roots are real.
    """
    polynomial = gram.charpoly().numer()
    if polynomial[0] == 0:
        return arb(0)
    roots = [root for factor, _ in polynomial.factor_squarefree()[1] for root in real_parts(factor)]
    least = roots[0]
    for root in roots[1:]:
        least = least.min(root)
    return least


def resolvent(gram: fmpq_mat) -> tuple[fmpq_poly, list[fmpq_mat]]:
    """det(G + s I), and the matrices M_0, M_1, ... with adj(G + s I) = sum s^j M_j (Faddeev and LeVerrier)."""
    size = gram.nrows()
    identity = fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
    coefficients, adjugate = [fmpq(0)] * size + [fmpq(1)], [identity] * size
    for k in range(1, size + 1):
        product = gram * adjugate[size - k]
        coefficients[size - k] = sum((product[i, i] for i in range(size)), fmpq(0)) / k
        if k < size:
            adjugate[size - k - 1] = identity * coefficients[size - k] - product
    return fmpq_poly(coefficients), adjugate


def bilinear(adjugate: Sequence[fmpq_mat], left: fmpq_mat, right: fmpq_mat) -> fmpq_poly:
    """left adj(G + s I) right as a polynomial in s, of a row and a column."""
    return fmpq_poly([(left * part * right)[0, 0] for part in adjugate])
