"""Between exact numbers, Arb balls and enclosures; precision in bits, scoped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

import mpmath
from flint import arb, ctx, fmpq, fmpz, fmpz_poly

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder, checked_digits

_seen: ContextVar[list[int] | None] = ContextVar("precisions used", default=None)


@contextmanager
def precisions_used() -> Iterator[list[int]]:
    """A list that receives every precision in bits that `working_bits` sets inside the block."""
    seen: list[int] = []
    token = _seen.set(seen)
    try:
        yield seen
    finally:
        _seen.reset(token)


@contextmanager
def working_bits(bits: int) -> Iterator[None]:
    """Arb precision `bits` inside the block, the caller's precision after it, whatever happens."""
    if (seen := _seen.get()) is not None:
        seen.append(bits)
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def to_fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def of_fmpq(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def ball(value: Fraction | int) -> arb:
    """A ball around the rational `value`, as tight as the current precision allows."""
    return arb(to_fmpq(Fraction(value)))


def midpoint(value: arb) -> arb:
    """The exact midpoint of `value` as a ball of radius zero."""
    return value.mid()


def real_parts(polynomial: fmpz_poly) -> list[arb]:
    """The real parts of its distinct roots, isolated at the current precision."""
    roots: Any = polynomial.complex_roots()  # (root, multiplicity): the library's stub leaves the second out
    return [root.real for root, _ in roots]


def enclosure(value: arb) -> Enclosure:
    """The ball as an `Enclosure` with basis "bound"; midpoint and radius are carried over exactly."""
    return Enclosure(_exact_mpf(value.mid()), _exact_mpf(value.rad()), "bound")


def to_exact_ball(value: Enclosure) -> arb:
    """The enclosure as a ball that contains it, rounded outward to the current precision."""
    return ball(exact(value.mid)) + arb(0, ball(exact(value.rad)))


def relative_digits(value: arb) -> float:
    """Decimal digits of relative accuracy: -log10(rad / |mid|); infinite for an exact ball."""
    if not value.is_finite():
        return -1.0
    if value.is_exact():
        return float("inf")
    return value.rel_accuracy_bits() / 3.3219281 - 0.7


def exact_zero() -> Enclosure:
    return Enclosure(mpmath.mpf(0), mpmath.mpf(0), "bound")


def exact_one() -> Enclosure:
    return Enclosure(mpmath.mpf(1), mpmath.mpf(0), "bound")


def to_fraction(value: arb) -> Fraction:
    """The midpoint of `value` as a Fraction, exactly."""
    mantissa, exponent = (int(part) for part in value.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def _exact_mpf(value: arb) -> mpmath.mpf:
    mantissa, exponent = value.man_exp()
    return mpmath.mp.make_mpf(mpmath.libmp.from_man_exp(int(fmpz(mantissa)), int(exponent)))


def settled_value(value: Callable[[], arb], digits: Any) -> Enclosure:
    """The enclosure of a value that is computed anew in more and more bits, until so many digits are proved."""
    wanted = checked_digits(digits)
    for bits in bits_ladder(wanted):
        with working_bits(bits):
            result = value()
            if result.is_finite() and relative_digits(result) >= wanted:
                return enclosure(result)
    raise PrecisionError(f"{wanted} digits not reached at {bits} bits")
