"""The ridge of a random projection that is private relative to a set of databases, certified: names and arguments as in
the mechanism.

The set: a base, the base less one of its records, the base with one more record out of a list or a ball. Beside a ridge
s a record v has p/(1-p) = v^T (G + s I)^{-1} v, G the Gram matrix of the smaller of the two databases: a quotient of
polynomials in s (`gram.resolvent`) that falls with s. For every record of norm at most l it is largest at
l^2/(lambda_min + s).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq_mat, fmpq_poly

from ndis_verify.arguments import positive
from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import ExactArray, InputError, exact_numbers
from ndis_verify.oracle.certified.engine.balls import (
    ball,
    enclosure,
    exact_zero,
    of_fmpq,
    relative_digits,
    to_exact_ball,
    to_fmpq,
    working_bits,
)
from ndis_verify.oracle.certified.random_projection import least_odds
from ndis_verify.oracle.certified.relative_least_squares.gram import (
    bilinear,
    gram_matrix,
    rational_matrix,
    resolvent,
    smallest_eigenvalue,
)
from ndis_verify.oracle.engine.decreasing_root import decreasing_root, hull
from ndis_verify.oracle.engine.inputs import checked_calibration
from ndis_verify.oracle.engine.precision import MAX_DIGITS, PrecisionError

Ratio = tuple[fmpq_poly, fmpq_poly]  # numerator and denominator, not both 0 at a ridge of 0


@keyword_only
def relative_random_projection(
    base: Any,
    additions: Any,
    norm_bound: Any,
    r: Any,
    *,
    epsilon: Any,
    delta: Any,
    digits: int = 15,
    ridge: str = "smallest",
) -> Enclosure:
    """The least ridge beside which every leverage of the set of `base` and its neighbours is at most p* (N24-Fig12),
    exactly 0 where none is needed.

    base: n x d exact numbers, n = 0 allowed; additions: m x d, the records that may come in, "rows" for copies of the
    base's own, or "ball" for every record of norm at most l = norm_bound. ridge "N24-Fig12": l^2/p* wherever one is
    needed. epsilon >= 0, delta in (0, 1), r a positive int; relative radius at most 10^-digits. Records above the norm
    bound are refused. Raises `InputError`, also where every positive ridge meets the target and 0, for lack of rank,
    does not: there is no least one; and `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_relative_random_projection
    >>> data = [["0.5", 0], [0, "0.75"], ["0.5", "0.5"]]
    >>> print(certified_relative_random_projection(data, "rows", 1, 5, epsilon=1, delta="0.1", digits=8).decimal(8)[0])
    0.70175862
    """
    if ridge not in ("smallest", "N24-Fig12"):
        raise InputError("ridge", ridge, "must be one of smallest, N24-Fig12")
    length, (size, epsilon, delta, digits) = (
        positive(norm_bound, "norm_bound"),
        checked_calibration("r", r, epsilon, delta, digits),
    )
    rows, come, every = database_set(base, additions, length)
    ratios, singular = odds_of_changes(rows, come)
    if not ratios and not every:
        raise InputError("base", "no records", "must have a record, or one that may come in")

    def odds(aim: int) -> Enclosure:
        return least_odds(int(size), epsilon, delta, aim)

    needed = [_ridge_of_records(ratios, odds, length, digits)] if ratios else []
    needed += [_ridge_of_ball(rows, odds, length, digits)] if every else []
    largest = max(needed, key=lambda value: value.upper)
    if largest.upper == 0 and not singular:
        return exact_zero()
    if ridge == "N24-Fig12":
        with working_bits(int(3.33 * digits) + 100):
            return enclosure((to_exact_ball(odds(digits + 4)) + 1) * ball(length**2))
    if largest.upper == 0:
        raise InputError(
            "base",
            f"shape {rows.shape}",
            "has not full column rank, and every positive ridge is enough: none is the least",
        )
    return largest


def database_set(base: Any, additions: Any, length: Fraction) -> tuple[ExactArray, ExactArray, bool]:
    """(records of the base, records that may come in, whether all of the ball may), exact and within the norm bound;
    raises `InputError`.
    """
    rows = _records(base, "base", None, length)
    if isinstance(additions, str):
        if additions not in ("rows", "ball"):
            raise InputError("additions", additions, "must be 'rows', 'ball' or a matrix of records")
        return rows, rows if additions == "rows" else _none(rows.shape[1]), additions == "ball"
    return rows, _records(additions, "additions", rows.shape[1], length), False


def odds_of_changes(rows: ExactArray, come: ExactArray) -> tuple[list[Ratio], bool]:
    """p/(1-p) of every record that may go or come, as functions of the ridge, and whether G is singular.

    A common power of the ridge is divided out, so that the value at 0 is the limit; a denominator that is 0 there
    stands for infinity.
    """
    width = rows.shape[1]
    gram = gram_matrix(rows) if len(rows) else fmpq_mat(width, width)
    determinant, adjugate = resolvent(gram)
    found = []
    for k, record in enumerate(itertools.chain(rows, come)):
        vector = rational_matrix([record])
        top = bilinear(adjugate, vector, vector.transpose())
        found.append(_reduced(top, determinant - top if k < len(rows) else determinant))
    return found, determinant[0] == 0


def _ridge_of_records(
    ratios: Sequence[Ratio], odds: Callable[[int], Enclosure], length: Fraction, digits: int
) -> Enclosure:
    """The least ridge beside which odds* times every ratio is at most 1; 0 where 0 or every positive ridge is."""
    if all(below[0] != 0 for _, below in ratios):
        start = max(top[0] / below[0] for top, below in ratios)
        if _sign(lambda aim: ball(of_fmpq(start)) * to_exact_ball(odds(aim)) - 1, digits) <= 0:
            return exact_zero()

    def largest(ridge: Fraction, aim: int) -> Enclosure:
        at = to_fmpq(ridge)
        with working_bits(int(3.33 * aim) + 16):
            return enclosure(ball(of_fmpq(max(top(at) / below(at) for top, below in ratios))))

    allowed = odds(digits + 4)
    ends = [decreasing_root(largest, 1 / end, length**2, digits + 2) for end in (allowed.lower, allowed.upper)]
    return hull(ends[0], ends[1], digits)


def _ridge_of_ball(rows: ExactArray, odds: Callable[[int], Enclosure], length: Fraction, digits: int) -> Enclosure:
    """l^2 odds* - lambda_min, 0 where that is not positive."""
    gram = gram_matrix(rows) if len(rows) else None

    def least(aim: int) -> Any:
        return ball(length**2) * to_exact_ball(odds(aim)) - (smallest_eigenvalue(gram) if gram is not None else 0)

    if _sign(least, digits) <= 0:
        return exact_zero()
    aim = digits + 4
    while aim <= MAX_DIGITS:
        with working_bits(int(3.33 * aim) + 64):
            value = least(aim)
            if relative_digits(value) >= digits:
                return enclosure(value)
        aim *= 2
    raise PrecisionError(
        f"relative projection: {digits} digits of the difference from the smallest eigenvalue not reached"
    )


def _sign(value: Callable[[int], Any], digits: int) -> int:
    """1 or -1, decided by balls of more and more digits."""
    aim = digits + 4
    while aim <= MAX_DIGITS:
        with working_bits(int(3.33 * aim) + 64):
            found = value(aim)
            if found > 0 or found <= 0:
                return 1 if found > 0 else -1
        aim *= 2
    raise PrecisionError("relative projection: the leverage of the set is next to the largest one allowed")


def _none(width: int) -> ExactArray:
    """No record of so many numbers."""
    return ExactArray((0, width), ())


def _records(data: Any, argument: str, width: int | None, length: Fraction) -> ExactArray:
    empty = (0,) if isinstance(data, (list, tuple)) and not data else ()
    shape: tuple[int, ...] = getattr(data, "shape", empty)
    if (len(shape) == 2 and shape[0] == 0 and shape[1] > 0) or (width is not None and shape == (0,)):
        matrix = _none(shape[1] if len(shape) == 2 else width or 0)
    else:
        matrix = exact_numbers(data, argument, 2)
    if width is not None and matrix.shape[1] != width:
        raise InputError(argument, f"shape {matrix.shape}", f"must have {width} columns")
    bound = length * (1 + Fraction(matrix.shape[1] + 2, 2**52))  # what the rounding of a float64 norm may hide
    for row, record in enumerate(matrix):
        if sum((x * x for x in record), Fraction(0)) > bound**2:
            raise InputError(argument, f"row {row}", f"must have a norm of at most {float(length):.17g}")
    return matrix


def _reduced(top: fmpq_poly, below: fmpq_poly) -> Ratio:
    while top[0] == 0 and below[0] == 0:
        top, below = fmpq_poly(top.coeffs()[1:]), fmpq_poly(below.coeffs()[1:])
    return top, below
