"""Certified hockey-stick divergences of two Gaussians: the integral of `laplace`, and calibration by
certified signs.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
from flint import arb

from ndis_verify.arguments import within
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, exact_zero, relative_digits, working_bits
from ndis_verify.oracle.certified.engine.laplace import Scaled, upward_integral
from ndis_verify.oracle.certified.engine.spectrum import Eigenvalue, Spectrum, spectrum
from ndis_verify.oracle.certified.engine.tail import Term, Transform
from ndis_verify.oracle.engine.decreasing_root import decreasing_root, exceeds
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder, checked_digits


def hockey_stick(pair: GaussianPair, epsilon: Any, digits: int = 30) -> Enclosure:
    """The hockey-stick divergence `delta_{P,Q}(epsilon)` = sup_S P(S) - e^epsilon Q(S), enclosed with proof.

    `(1/(2 pi i)) int M(s) e^{-s epsilon}/(s (s + 1)) ds`, M(s) = E_P e^{sL} (from N26-L1). epsilon may be negative.
    Relative radius at most 10^-digits; exactly 0 where the privacy loss cannot exceed epsilon. Raises `InputError` for
    bad input, `PrecisionError` at the precision ceiling. pair: a `GaussianPair`, exact.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_hockey_stick
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(certified_hockey_stick(pair, 1, digits=12).decimal(12)[0])
    0.0861509684527
    """
    epsilon, digits = exact(epsilon, "epsilon"), checked_digits(digits)
    return _delta(spectrum_of(pair), epsilon, digits, log=False)


def log_hockey_stick(pair: GaussianPair, epsilon: Any, digits: int = 30) -> Enclosure:
    """log of `delta_{P,Q}(epsilon)`, enclosed with proof to `digits` relative digits of the logarithm.

    Raises `InputError` also where the divergence is exactly zero. pair, epsilon: as in `hockey_stick`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_log_hockey_stick
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(certified_log_hockey_stick(pair, 1, digits=12).decimal(12)[0])
    -2.45165407460
    """
    epsilon, digits = exact(epsilon, "epsilon"), checked_digits(digits)
    return _delta(spectrum_of(pair), epsilon, digits, log=True)


def spectrum_hockey_stick(spec: Spectrum, epsilon: Fraction, digits: int) -> Enclosure:
    """`hockey_stick` of a relative spectrum; the arguments are taken as checked."""
    return _delta(spec, epsilon, digits, log=False)


def spectrum_estimate(spec: Spectrum, epsilon: Fraction, digits: int) -> mpmath.mpf:
    """The same to about `digits` digits, proved by nothing: for searches, whose end is decided by enclosures.

    It may be off where a peak is missed; what is no probability is computed with its proof.
    """
    found = _delta(spec, epsilon, digits, log=False, proved=False).mid
    return found if 0 <= found <= 1 else _delta(spec, epsilon, digits, log=False).mid


@lru_cache(maxsize=16)
def spectrum_of(pair: GaussianPair) -> Spectrum:
    """`spectrum(pair)`, remembered for the pairs used last."""
    return spectrum(pair)


def epsilon_for_delta(pair: GaussianPair, delta: Any, digits: int = 30) -> Enclosure:
    """The smallest epsilon >= 0 with `delta_{P,Q}(epsilon) <= delta`, bracketed by certified signs.

    delta in [0, 1]; 0 is allowed where the privacy loss is bounded above. Relative radius at most 10^-digits. Raises
    `InputError` for bad input, `PrecisionError` at the precision ceiling. pair: a `GaussianPair`, exact.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_epsilon_for_delta
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(certified_epsilon_for_delta(pair, "1e-6", digits=12).decimal(12)[0])
    13.7253123523
    """
    delta, digits = exact(delta, "delta"), checked_digits(digits)
    within(delta, "delta", "[0, 1]")
    spec = spectrum_of(pair)
    if delta == 0:
        return _largest_loss(spec, digits)

    def curve(epsilon: Fraction, aim: int) -> Enclosure:
        return _delta(spec, epsilon, aim, log=False)

    if delta == 1 or not exceeds(curve, Fraction(0), delta):
        return exact_zero()

    def near(epsilon: Fraction, aim: int) -> mpmath.mpf:
        return spectrum_estimate(spec, epsilon, aim)

    return decreasing_root(curve, delta, Fraction(1), digits, near)


def one_sided(spec: Spectrum, epsilon: Fraction, digits: int, log: bool = False) -> Enclosure | None:
    """The (log) divergence where the privacy loss lies wholly on one side of epsilon, else None; decided exactly.

    0 where L <= epsilon always, 1 - e^epsilon where L >= epsilon always.
    """
    for bits in bits_ladder(digits):
        with working_bits(bits):
            eigenvalues = spec.nonzero(bits)
            _, x = _tail_coefficient(spec, eigenvalues, epsilon)
            if x.contains(0) and not x.is_zero():
                continue
            value = _without_integral(spec, eigenvalues, epsilon, x)
            if value is None:
                return None
            result = value.log() if log else value.plain()
            if relative_digits(result) >= digits:
                return enclosure(result)
    raise PrecisionError(f"hockey_stick: {bits} bits do not decide whether the loss can exceed epsilon")


def _largest_loss(spec: Spectrum, digits: int) -> Enclosure:
    for bits in bits_ladder(digits):
        with working_bits(bits):
            eigenvalues = spec.nonzero(bits)
            if spec.null_m2 or any(e.alpha > 0 for e in eigenvalues):
                raise InputError("delta", "0", "the privacy loss is unbounded: no finite epsilon gives 0")
            if not eigenvalues:
                return exact_zero()
            largest = -_tail_coefficient(spec, eigenvalues, Fraction(0))[1]
            if relative_digits(largest) >= digits:
                return enclosure(largest)
    raise PrecisionError(f"largest privacy loss: {digits} digits not reached")


def _tail_coefficient(spec: Spectrum, eigenvalues: tuple[Eigenvalue, ...], epsilon: Fraction) -> tuple[arb, arb]:
    """y and x of `tail.py`: y = epsilon + (1/2) log det ratio, x = y + sum m^2/(2 alpha) - (m^2 at alpha = 0)/2.

    x is exactly 0 only if log(det ratio) is rational, so only if the ratio is 1 (Lindemann); decided exactly.
    """
    half_log = sum((e.multiplicity * e.alpha.log1p() for e in eigenvalues), arb(0)) / 2
    y = half_log + ball(epsilon)
    x = y + sum((e.m2 / e.alpha for e in eigenvalues), -ball(spec.null_m2)) / 2
    if x.contains(0) and spec.det_ratio() == 1:
        x = ball(epsilon + (spec.shift_over_alpha() - spec.null_m2) / 2)
    return y, x


def _delta(spec: Spectrum, epsilon: Fraction, digits: int, log: bool, proved: bool = True) -> Enclosure:
    aim = digits + 1
    for bits in bits_ladder(digits):
        with working_bits(bits):
            eigenvalues = spec.nonzero(bits)
            y, x = _tail_coefficient(spec, eigenvalues, epsilon)
            if x.contains(0) and not x.is_zero():
                continue
            value = _without_integral(spec, eigenvalues, epsilon, x)
            if value is None:
                terms = tuple(Term(e.alpha, e.multiplicity, e.m2, e.m2) for e in eigenvalues)
                null = ball(spec.null_m2)
                if spec.null_m2:
                    terms += (Term(arb(0), 0, null, null),)
                value = upward_integral(Transform(y, terms, x, second_pole=True), aim, proved)
            result = value.log() if log else value.plain()
            reached = relative_digits(result)
            if reached >= digits:
                return enclosure(result)
            if (
                log and result.is_finite()
            ):  # the logarithm of a number next to 1 keeps fewer relative digits than the number
                aim += math.ceil(digits - reached) + 1
    raise PrecisionError(f"hockey_stick: {digits} digits not reached at {bits} bits")


def _without_integral(spec: Spectrum, eigenvalues: tuple[Eigenvalue, ...], epsilon: Fraction, x: arb) -> Scaled | None:
    """The divergence where the whole law of the privacy loss lies on one side of epsilon, else None."""
    if not eigenvalues and not spec.null_m2:
        above = epsilon < 0
    elif spec.null_m2:
        return None
    elif all(e.alpha < 0 for e in eigenvalues) and x >= 0:
        above = False
    elif all(e.alpha > 0 for e in eigenvalues) and x <= 0:
        above = True
    else:
        return None
    return Scaled(-ball(epsilon).expm1() if above else arb(0), arb(0))
