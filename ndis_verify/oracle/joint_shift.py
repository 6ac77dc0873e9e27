"""The exact worst case of a rank-one envelope, with proof: its largest divergence, and the added variance it needs.

Pairs and envelopes as in symbolic.joint_shift and symbolic.prediction_family; all inputs exact. A `RankOne` envelope is
left with two curves (`certified.summit`), a `Prediction` with two planes (`certified.joint_shift.plane`), one for each
direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import mpmath

from ndis_verify.arguments import nonnegative, within
from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine import summit_root
from ndis_verify.oracle.certified.engine.balls import exact_zero
from ndis_verify.oracle.certified.joint_shift import plane as joint_shift_plane
from ndis_verify.oracle.certified.joint_shift.curve import ShareCurve
from ndis_verify.oracle.certified.joint_shift.prediction_plane import PredictionPlane
from ndis_verify.oracle.engine.inputs import checked_count
from ndis_verify.oracle.engine.precision import checked_digits


@dataclass(frozen=True)
class RankOne:
    """N(0, v I + y (kept + lost) e e^T) and N(u, v I + y kept e e^T), 0 <= y <= 1, |u| <= shift, e any direction.

    Exact numbers, kept >= 0, lost >= 0, shift > 0. `place` is the tangent q of half the angle between u and e, in [0,
    1]. Raises `InputError`.
    """

    kept: Fraction
    lost: Fraction
    shift: Fraction

    def __post_init__(self) -> None:
        for name in ("kept", "lost", "shift"):
            object.__setattr__(self, name, nonnegative(getattr(self, name), name))
        if self.shift == 0:
            raise InputError("shift", "0", "must be positive")

    def pair(self, added: Fraction, place: tuple[Fraction, ...]) -> GaussianPair:
        """The pair at y = 1, |u| = shift, the more spread law first."""
        if added <= 0:
            raise InputError("added", added, "must be positive")
        (q,) = place
        along, across = self.shift * (1 - q**2) / (1 + q**2), self.shift * 2 * q / (1 + q**2)
        return GaussianPair([0, 0], [added + self.kept + self.lost, added], [along, across], [added + self.kept, added])

    def curves(self, added: Fraction, epsilon: Fraction) -> list[ShareCurve]:
        """Its worst pairs as two smooth curves, one for each direction."""
        if added <= 0:
            raise InputError("added", added, "must be positive")
        small = added + self.kept
        return [ShareCurve(added, small, self.lost, self.shift**2, epsilon, swapped) for swapped in (False, True)]


@dataclass(frozen=True)
class Prediction:
    """A Gaussian-process prediction and its neighbours: k(x, x) <= length^2, |y| <= labels, at most `records` records.

    Its pairs are given by z and x, see symbolic.prediction_family. Exact numbers, all positive. Raises
    `InputError`.
    """

    length: Fraction
    labels: Fraction
    noise_variance: Fraction
    records: int

    def __post_init__(self) -> None:
        for name in ("length", "labels", "noise_variance"):
            object.__setattr__(self, name, nonnegative(getattr(self, name), name))
            if getattr(self, name) == 0:
                raise InputError(name, "0", "must be positive")
        object.__setattr__(self, "records", checked_count(self.records))

    def pair_at(self, added: Fraction, z: Fraction, x: Fraction) -> GaussianPair:
        """The neighbouring laws at (z, x), the more spread one first, their shift rounded down by less than one part in
        10^40.
        """
        own = self.length**2 * (1 - z)
        lost, small = own * x / (1 + x), added + own / (1 + x)
        square = self.labels**2 / self.noise_variance * (1 + _root((self.records - 1) * z * x)) ** 2 / (1 + x)
        return GaussianPair([0], 1 + lost / small, [_root(lost / small * square)], 1)

    def planes(self, added: Fraction, epsilon: Fraction) -> list[PredictionPlane]:
        """All of its pairs, once for each direction."""
        common = (self.length, self.labels, self.noise_variance, self.records - 1, added, epsilon)
        return [PredictionPlane(*common, swapped) for swapped in (False, True)]


Envelope = RankOne | Prediction


def largest(envelope: Envelope, added: Any, epsilon: Any, digits: int = 6) -> Enclosure:
    """The largest delta over the envelope at added variance v, both directions, to `digits` relative digits.

    Below: a certified value at one pair. Above: a proof over the whole envelope. v > 0; v >= 0 for a `Prediction`.
    Raises `InputError`, `PrecisionError`.
    """
    added, epsilon, digits = nonnegative(added, "added"), nonnegative(epsilon, "epsilon"), checked_digits(digits)
    if isinstance(envelope, Prediction):
        return joint_shift_plane.largest(envelope.planes(added, epsilon), digits)
    return summit_root.largest(envelope.curves(added, epsilon), digits)


@keyword_only
def added_variance(envelope: Envelope, *, epsilon: Any, delta: Any, digits: int = 15) -> Enclosure:
    """The least added variance v >= 0 at which the largest delta over the envelope is at most `delta` (N26-D6-joint,
    N26-Pr8-joint).

    The two ends were decided: above the target at the lower one, at most the target at the upper one; 0 exactly where a
    prediction's own spread is enough. Any digits, wherever the worst pair lies. `PrecisionError` where the covering
    does not end: at a worst pair whose second derivatives vanish as well, or where no noise is needed by a hair. 0 <
    delta < 1; more noise never costs more privacy. Raises `InputError`, `PrecisionError`.
    """
    epsilon, delta, digits = nonnegative(epsilon, "epsilon"), exact(delta, "delta"), checked_digits(digits)
    within(delta, "delta", "(0, 1)")
    guess = _guess(envelope, epsilon, delta)
    if isinstance(envelope, RankOne):
        return summit_root.crossing(lambda v: envelope.curves(v, epsilon), delta, guess, digits, grows=False)
    if all(joint_shift_plane.at_most(plane, delta, digits) for plane in envelope.planes(Fraction(0), epsilon)):
        return exact_zero()
    return joint_shift_plane.crossing(lambda v: envelope.planes(v, epsilon), delta, guess, digits)


def _guess(envelope: Envelope, epsilon: Fraction, delta: Fraction) -> mpmath.mpf:
    """log v of the right size: the std of the Gaussian mechanism for the whole shift, by the rho rule."""
    shift = (
        envelope.shift
        if isinstance(envelope, RankOne)
        else envelope.length * envelope.labels / _root(envelope.noise_variance)
    )
    level, eps = -mpmath.log(to_mpf(delta)), to_mpf(epsilon)
    rho = 2 * eps / (mpmath.sqrt(2 * level + 2 * eps) + mpmath.sqrt(2 * level)) + to_mpf(delta)
    return 2 * mpmath.log(to_mpf(shift) / rho)


def _root(value: Fraction) -> Fraction:
    """sqrt(value) rounded down, relative error below 10^-40."""
    if value == 0:
        return Fraction(0)
    size = max(0, value.denominator.bit_length() - value.numerator.bit_length())
    scale = 1 << (size // 2 + 140)
    return Fraction(isqrt(value.numerator * scale * scale // value.denominator), scale)
