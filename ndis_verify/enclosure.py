"""A number that carries its error and says what that error rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import mpmath

from ndis_verify.exact_number import MAX_DIGITS, InputError, exact

Basis = Literal["bound", "agreement"]
MAX_BITS = 10**8  # of an end as a fraction: 12 megabytes, and a second or two
_SHORT = 100_000  # up to so many bits a fraction is made where it is printed


@dataclass(frozen=True)
class Enclosure:
    """`mid` plus or minus `rad`.

    basis "bound": truncation and rounding are both bounded, the true value is inside.
    basis "agreement": two independent routes agree within `rad`; that is evidence, not a proof.
    """

    mid: mpmath.mpf
    rad: mpmath.mpf
    basis: Basis

    def __post_init__(self) -> None:
        if self.basis not in ("bound", "agreement"):
            raise ValueError(f"basis = {self.basis!r}: must be 'bound' or 'agreement'")
        object.__setattr__(self, "mid", _finite(self.mid, "mid"))
        object.__setattr__(self, "rad", _finite(self.rad, "rad"))
        if self.rad < 0:
            raise ValueError(f"rad = {self.rad}: must be nonnegative")

    @property
    def lower(self) -> Fraction:
        """mid - rad, exactly. Raises `InputError` where that has more than `MAX_BITS` bits, as e^-(10^9) has."""
        self._require_short("lower", MAX_BITS)
        return exact(mpmath.fsub(self.mid, self.rad, exact=True))

    @property
    def upper(self) -> Fraction:
        """mid + rad, exactly. Raises `InputError` where that has more than `MAX_BITS` bits, as e^-(10^9) has."""
        self._require_short("upper", MAX_BITS)
        return exact(mpmath.fadd(self.mid, self.rad, exact=True))

    def _require_short(self, end: str, bits: int) -> None:
        if self._reach() > bits:
            rule = f"has an exact fraction only where no part is beyond 2^{bits} or below 2^-{bits}: use mid and rad"
            raise InputError(end, f"{mpmath.nstr(self.mid, 6)} +/- {mpmath.nstr(self.rad, 2)}", rule)

    def _reach(self) -> int:
        """Bits before or behind the point, whichever are more, of mid or rad."""
        return max(max(part.exp + part.bc, -part.exp) for part in (self.mid, self.rad))

    def contains(self, value: Any) -> bool:
        """Whether `value` (any exact number) lies in [mid - rad, mid + rad]."""
        return self.lower <= exact(value) <= self.upper

    def overlaps(self, other: Enclosure) -> bool:
        """Whether the two enclosures have a point in common."""
        return self.lower <= other.upper and other.lower <= self.upper

    def sign(self) -> int | None:
        """-1, 0 or 1 where the enclosure decides it, else None."""
        if self.mid == self.rad == 0:
            return 0
        if abs(self.mid) <= self.rad:
            return None
        return 1 if self.mid > 0 else -1

    @property
    def relative_radius(self) -> mpmath.mpf:
        """rad / |mid|; 0 for an exact zero, infinity where mid is 0 and rad is not."""
        if self.mid == 0:
            return mpmath.mpf(0) if self.rad == 0 else mpmath.inf
        return self.rad / abs(self.mid)

    def justified_digits(self) -> int:
        """How many significant decimal digits of `mid` the radius justifies (0 if none)."""
        if self.rad == 0:
            return max(15, int(self.mid.man.bit_length() * 0.30103) + 1)
        if self.mid == 0:
            return 0
        return max(0, int(mpmath.floor(-mpmath.log10(self.relative_radius))))

    def decimal(self, digits: int | None = None) -> tuple[str, str]:
        """(value, radius) as decimal strings whose interval contains this enclosure.

        The value is rounded to `digits` significant digits, or to fewer where fewer are justified, and to `MAX_DIGITS`
        at most; the rounding is added to the radius, which is rounded up to one digit.
        """
        if self.mid == 0 and self.rad == 0:
            return "0", "0"
        shown = min(self.justified_digits(), MAX_DIGITS if digits is None else max(digits, 1))
        with mpmath.workprec(max(64, self.mid.man.bit_length() + 64)):
            value = mpmath.nstr(self.mid, max(shown, 1), strip_zeros=False, min_fixed=-7, max_fixed=21)
        if self._reach() > _SHORT:
            return value, self._far_radius(value)
        radius = exact(self.rad) + abs(exact(self.mid) - Fraction(value))
        return value, _round_up(radius)

    def _far_radius(self, value: str) -> str:
        """The radius of `decimal` for numbers whose fractions are too long: in floats, raised by more than they err.

        A power of ten with an exponent k errs by less than k roundings.
        """
        digits, _, power = value.partition("e")
        with mpmath.workprec(self.mid.bc + self.rad.bc + 4 * len(digits) + 200):
            room = mpmath.ldexp(abs(self.mid) + self.rad, 100 - mpmath.mp.prec)
            radius = self.rad + abs(self.mid - mpmath.mpf(digits) * mpmath.mpf(10) ** int(power or 0)) + room
            exponent = int(mpmath.floor(mpmath.log10(radius)))
            digit = int(mpmath.ceil(radius / mpmath.mpf(10) ** exponent * (1 + mpmath.ldexp(1, -90))))
        return f"{digit}e{exponent}" if digit < 10 else f"1e{exponent + 1}"

    def __str__(self) -> str:
        value, radius = self.decimal()
        mark = "certified" if self.basis == "bound" else "two routes agree"
        return f"{value} +/- {radius} ({mark})"

    def __repr__(self) -> str:
        return f"Enclosure({self})"

    def _repr_html_(self) -> str:
        value, radius = self.decimal()
        mark = "certified" if self.basis == "bound" else "two routes agree"
        return f"<span>{value} ± {radius} <small>({mark})</small></span>"


def _finite(value: Any, name: str) -> mpmath.mpf:
    # mpf(mpf) would round to the ambient precision; keep what was computed.
    number = value if isinstance(value, mpmath.mpf) else mpmath.mpf(value)
    if not mpmath.isfinite(number):
        raise ValueError(f"{name} = {value}: must be finite")
    return number


def _round_up(radius: Fraction) -> str:
    """The least d * 10^k >= radius with one digit d, as text."""
    if radius == 0:
        return "0"
    # Bit lengths give the decimal exponent to within one; str() of a long integer is refused by Python.
    exponent = math.floor((radius.numerator.bit_length() - radius.denominator.bit_length() - 1) * math.log10(2)) - 1
    while Fraction(10) ** (exponent + 1) <= radius:
        exponent += 1
    digit = -((-radius) // Fraction(10) ** exponent)
    if digit == 10:
        digit, exponent = 1, exponent + 1
    return f"{digit}e{exponent}"
