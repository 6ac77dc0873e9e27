"""The relative spectrum of a pair, exactly: eigenvalues as roots of an integer polynomial, proved multiplicities.

With T = cov_p - cov_q and D = mean_p - mean_q, the pencil t cov_q - T has the determinant
det(cov_q) prod (t - alpha_i), and D^T (t cov_q - T)^{-1} D = sum m_i^2 / (t - alpha_i). Both are quotients of
polynomials with rational coefficients, found exactly from integer determinants at t = 0, 1, ..., d. So an
eigenvalue alpha = 0, a repeated eigenvalue and a vanishing m_i are decided by gcds, not by a tolerance.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from flint import arb, fmpq, fmpq_poly, fmpz, fmpz_mat, fmpz_poly

from ndis_verify.exact_number import InputError
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, of_fmpq, real_parts, working_bits
from ndis_verify.oracle.engine.precision import MAX_BITS, PrecisionError

MAX_DENSE_DIMENSION = 128


@dataclass(frozen=True)
class Eigenvalue:
    """One distinct alpha = lambda - 1 with its multiplicity and the squared norm m2 of its share of the mean shift."""

    alpha: arb
    multiplicity: int
    m2: arb


@dataclass(frozen=True)
class Spectrum:
    """Distinct nonzero eigenvalues as balls (`nonzero(bits)`); `null_m2`, the mean shift's share in alpha = 0, exactly.

    Diagonal pairs hold `rational` triples (alpha, multiplicity, m2); dense ones hold square-free `factors`
    (polynomial, multiplicity, whether the mean shift touches it), sum m_i^2/(t - alpha_i) as `numerator` over
    `denominator` in lowest multiplicity, and the `determinant` of the pencil; the three are 0 for diagonal pairs.
    """

    rational: tuple[tuple[Fraction, int, Fraction], ...] | None
    factors: tuple[tuple[fmpz_poly, int, bool], ...]
    numerator: fmpq_poly
    denominator: fmpq_poly
    determinant: fmpq_poly
    null_m2: Fraction
    dimension: int
    cache: dict[int, tuple[Eigenvalue, ...]] = field(default_factory=dict, repr=False, compare=False)

    def nonzero(self, bits: int) -> tuple[Eigenvalue, ...]:
        """The eigenvalues alpha != 0 as balls of relative accuracy about `bits`."""
        if bits not in self.cache:
            with working_bits(bits):
                if self.rational is not None:
                    found = tuple(Eigenvalue(ball(a), k, ball(m2)) for a, k, m2 in self.rational)
                else:
                    found = self._isolated(bits)
            self.cache[bits] = found
        return self.cache[bits]

    def det_ratio(self) -> Fraction:
        """det(cov_p)/det(cov_q), exactly."""
        if self.rational is not None:
            ratio = Fraction(1)
            for alpha, k, _ in self.rational:
                ratio *= (1 + alpha) ** k
            return ratio
        leading = self.determinant.coeffs()[-1]
        return of_fmpq(self.determinant(fmpq(-1)) / leading) * (-1) ** self.dimension

    def shift_over_alpha(self) -> Fraction:
        """sum m_i^2/alpha_i over alpha_i != 0, exactly."""
        if self.rational is not None:
            return sum((m2 / alpha for alpha, _, m2 in self.rational), Fraction(0))
        numerator, denominator = self.numerator, self.denominator
        if denominator(fmpq(0)) == 0:
            denominator = _exact_quotient(denominator, fmpq_poly([0, 1]))
            null_part = fmpq(self.null_m2.numerator, self.null_m2.denominator) * denominator
            numerator = _exact_quotient(numerator - null_part, fmpq_poly([0, 1]))
        return -of_fmpq(numerator(fmpq(0)) / denominator(fmpq(0)))

    def _isolated(self, bits: int) -> tuple[Eigenvalue, ...]:
        extra = 32
        while bits + extra <= MAX_BITS:
            with working_bits(bits + extra):
                found = [
                    Eigenvalue(root, k, self._residue(root) if shifted else arb(0))
                    for factor, k, shifted in self.factors
                    for root in real_parts(factor)
                ]
            if all(
                e.alpha.rel_accuracy_bits() >= bits and (e.m2.is_zero() or e.m2.rel_accuracy_bits() >= bits)
                for e in found
            ):
                return tuple(found)
            extra *= 3
        raise PrecisionError(f"eigenvalues: {MAX_BITS} bits do not separate them")

    def _residue(self, alpha: arb) -> arb:
        return _horner(self.numerator, alpha) / _horner(self.denominator.derivative(), alpha)


def spectrum(pair: GaussianPair) -> Spectrum:
    """The exact relative spectrum of `pair`; dense pairs up to d = `MAX_DENSE_DIMENSION`."""
    if not isinstance(pair, GaussianPair):
        raise InputError("pair", pair, "must be a GaussianPair")
    if pair.cov_p.kind != "dense" and pair.cov_q.kind != "dense":
        return _from_diagonals(pair)
    if pair.dimension > MAX_DENSE_DIMENSION:
        raise InputError(
            "pair", f"dimension {pair.dimension}", f"dense certified values need at most {MAX_DENSE_DIMENSION}"
        )
    return _from_dense(pair)


def _from_diagonals(pair: GaussianPair) -> Spectrum:
    shift, var_p, var_q = pair.shift(), pair.cov_p.variances(), pair.cov_q.variances()
    groups: dict[Fraction, list] = {}
    for p, q, step in zip(var_p, var_q, shift, strict=True):
        group = groups.setdefault((p - q) / q, [0, Fraction(0)])
        group[0] += 1
        group[1] += step * step / q
    return from_groups([(alpha, k, m2) for alpha, (k, m2) in sorted(groups.items())])


def from_groups(groups: Sequence[tuple[Fraction, int, Fraction]]) -> Spectrum:
    """The spectrum with the given exact (alpha, multiplicity, m2), alpha distinct."""
    null_m2 = sum((m2 for alpha, _, m2 in groups if alpha == 0), Fraction(0))
    curved = tuple(group for group in groups if group[0] != 0)
    return Spectrum(curved, (), fmpq_poly(), fmpq_poly(), fmpq_poly(), null_m2, sum(k for _, k, _ in groups))


def _from_dense(pair: GaussianPair) -> Spectrum:
    d = pair.dimension
    cov_q, difference, shift, scale = _integer_pencil(pair)
    values, bordered = [], []
    for t in range(d + 1):
        matrix = cov_q * t - difference
        values.append(matrix.det())
        bordered.append(-_bordered(matrix, shift).det())
    determinant, resolvent = _interpolate(values), _interpolate(bordered)
    reduced, null_count = _strip_zero(determinant)
    factors = []
    common = fmpq_poly([1])
    for factor, k in reduced.numer().factor_squarefree()[1]:
        if factor.degree() == 0:
            continue
        common *= fmpq_poly(factor) ** (k - 1)
        unshifted = factor.gcd(resolvent.numer()) if k == 1 else _unshifted(factor, k, resolvent.numer())
        for part, shifted in ((unshifted, False), (factor // unshifted, True)):
            if part.degree() > 0:
                factors.append((part, k, shifted))
    if null_count:
        common *= fmpq_poly([0, 1]) ** (null_count - 1)
    numerator, denominator = _exact_quotient(resolvent, common) * scale, _exact_quotient(determinant, common)
    null_m2 = Fraction(0)
    if null_count:
        null_m2 = of_fmpq(numerator(fmpq(0)) / denominator.derivative()(fmpq(0)))
    return Spectrum(None, tuple(factors), numerator, denominator, determinant, null_m2, d)


def _unshifted(factor: fmpz_poly, k: int, resolvent: fmpz_poly) -> fmpz_poly:
    """The part of a factor of multiplicity k whose eigenspaces hold no share of the mean shift."""
    return factor.gcd((fmpq_poly(resolvent) // fmpq_poly(factor) ** (k - 1)).numer())


def _integer_pencil(pair: GaussianPair) -> tuple[fmpz_mat, fmpz_mat, list[int], fmpq]:
    """Integer multiples of cov_q, T and D, and the factor that turns the integer residues into m_i^2."""
    cov_p, cov_q = (list(itertools.chain(*cov.rows())) for cov in (pair.cov_p, pair.cov_q))
    shift = pair.shift()
    common = lcm(*(e.denominator for e in (*cov_p, *cov_q)))
    shift_common = lcm(*(e.denominator for e in shift))
    d = pair.dimension
    whole_p, whole_q = ([int(e * common) for e in cov] for cov in (cov_p, cov_q))
    difference = fmpz_mat(d, d, [p - q for p, q in zip(whole_p, whole_q, strict=True)])
    return fmpz_mat(d, d, whole_q), difference, [int(e * shift_common) for e in shift], fmpq(common, shift_common**2)


def _bordered(matrix: fmpz_mat, shift: list[int]) -> fmpz_mat:
    rows: list[list[int | fmpz]] = [[*row, step] for row, step in zip(matrix.tolist(), shift, strict=True)]
    return fmpz_mat([*rows, [*shift, 0]])


def _interpolate(values: list[fmpz]) -> fmpq_poly:
    """The polynomial of degree at most n with the given values at 0, 1, ..., n (Newton's divided differences)."""
    table, coefficients, factorial = list(values), [], 1
    for k in range(len(values)):
        factorial *= max(k, 1)
        coefficients.append(fmpq(table[0], factorial))
        table = [right - left for left, right in itertools.pairwise(table)]
    result = fmpq_poly([0])
    for k in reversed(range(len(coefficients))):
        result = result * fmpq_poly([-k, 1]) + fmpq_poly([coefficients[k]])
    return result


def _strip_zero(polynomial: fmpq_poly) -> tuple[fmpq_poly, int]:
    coefficients = polynomial.coeffs()
    count = next(k for k, c in enumerate(coefficients) if c != 0)
    return fmpq_poly(coefficients[count:]), count


def _exact_quotient(numerator: fmpq_poly, divisor: fmpq_poly) -> fmpq_poly:
    quotient, remainder = divmod(numerator, divisor)
    if remainder != 0:
        raise ArithmeticError("the pencil is not symmetric definite: the resolvent has a multiple pole")
    return quotient


def _horner(polynomial: fmpq_poly, x: arb) -> arb:
    total = arb(0)
    for coefficient in reversed(polynomial.coeffs()):
        total = total * x + coefficient
    return total
