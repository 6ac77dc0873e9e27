"""Certified bounds on compositions of Poisson-subsampled Gaussian noise, the law behind private gradient descent.

One step: P = (1 - q) N(0, s^2) + q N(1, s^2) against Q = N(0, s^2), and the other way round. Of k steps the divergence
is enclosed from both sides by laws whose losses are whole multiples of a step h, so that composing them is a power of a
polynomial, with whole numbers rounded up or down as coefficients:

- above, the chords of the divergence in e^epsilon between the multiples of h (Doroshenko et al. 2022);
- below, intervals of outputs put together until their ratio of probabilities is the next e^(jh): what is put together
  tells less.

A pair whose divergence is nowhere below (above) another's composes to one that is not either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb, fmpz_poly

from ndis_verify.arguments import one_of, whole, within
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits

MOST_STEPS = 100_000
MOST_POINTS = 30_000
_BITS = 160
_UNIT = 1 << 96  # of masses, which are whole numbers of it
_TAIL = 1e-13  # of one step's mass, beyond which a law is cut
_MOST_LOSS = 700.0  # whose ratio of probabilities is a float
_ROOM = 4.0  # how far losses are kept beyond the epsilon that is asked for


@dataclass(frozen=True)
class _Step:
    """One step: std s and rate q as exact numbers, and which law is P: "delete" the one with the record."""

    std: Fraction
    rate: Fraction
    direction: str

    def above(self, x: arb) -> tuple[arb, arb]:
        """(with, without): the probabilities of an output above x, with the record and without it."""
        scale = ball(self.std) * arb(2).sqrt()
        without = (x / scale).erfc() / 2
        return (1 - ball(self.rate)) * without + ball(self.rate) * ((x - 1) / scale).erfc() / 2, without

    def output(self, loss: arb) -> arb | None:
        """The output at which log(with/without) is that loss; None where it is below every loss."""
        shift = (loss.exp() - 1) / ball(self.rate) + 1
        return ball(self.std**2) * shift.log() + ball(Fraction(1, 2)) if shift > 0 else None

    def divergence(self, loss: arb) -> arb:
        """H_t(P||Q), t = e^loss."""
        t = loss.exp()
        if self.direction == "delete":
            x = self.output(loss)
            if x is None:
                return 1 - t
            with_it, without = self.above(x)
            return with_it - t * without
        x = self.output(-loss)
        if x is None:
            return arb(0)
        with_it, without = self.above(x)
        return (1 - without) - t * (1 - with_it)


def subsampled_gaussian(
    std: Any, rate: Any, steps: Any, epsilon: Any, *, step: Any = Fraction(1, 500), side: str = "both"
) -> tuple[Fraction, Fraction]:
    """Certified bounds below and above delta(epsilon) of k steps of Gaussian noise on Poisson samples.

    The noise is `std` times the clipping norm, the samples have a record at `rate`, k = `steps`; the larger of a record
    removed and added.

    std from 1e-100 to 1e100; rate in (0, 1]; steps an int from 1 to 10^5; epsilon >= 0; step: the grid of losses, which
    decides how near the bounds are: a share of -log(1 - rate); none is nearer than 1e-27. side "below" leaves the upper
    bound at 1, "above" the lower one at 0.
    Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.oracle.certified.subsampled_gaussian import subsampled_gaussian
    >>> lower, upper = subsampled_gaussian(2, "0.5", 10, 1)
    >>> print(f"{float(lower):.4f} {float(upper):.4f}")
    0.0706 0.0706
    """
    one_of(side, "side", ("both", "below", "above"))
    level, share, size = exact(std, "std"), exact(rate, "rate"), exact(step, "step")
    within(level, "std", "[1e-100, 1e100]")
    within(share, "rate", "(0, 1]")
    within(size, "step", "(0, 1]")
    whole(steps, "steps", 1, MOST_STEPS)
    at = exact(epsilon, "epsilon")
    if at < 0:
        raise InputError("epsilon", epsilon, "must be at least 0")
    top = math.ceil(
        (2.0 ** math.ceil(math.log2(max(float(at), 1))) + _ROOM) / float(size)
    )  # few windows: laws are kept
    if top > MOST_POINTS:
        raise InputError("step", step, f"must leave at most {MOST_POINTS} losses on either side of 0, not {top}")

    def bound(direction: str, which: str) -> arb:
        return _delta(_composed(_Step(level, share, direction), int(steps), size, top, which), at, size)

    with working_bits(_BITS):
        lower, upper = Fraction(0), Fraction(1)
        if side != "above":
            lower = max(lower, enclosure(bound("delete", "below")).lower)
        if side != "below":
            upper = min(upper, max(enclosure(bound(way, "above")).upper for way in ("delete", "insert")))
    return lower, upper


@dataclass(frozen=True)
class _Law:
    """Masses of P at the losses (least + k) h, and what is infinite, in units of 2^-96: rounded up or down."""

    least: int
    masses: fmpz_poly
    infinite: int

    @property
    def finite(self) -> int:
        """All of its masses."""
        return int(self.masses(1))


def _delta(law: _Law, epsilon: Fraction, size: Fraction) -> arb:
    total = arb(law.infinite)
    for k in range(max(0, math.floor(epsilon / size) + 1 - law.least), law.masses.degree() + 1):
        total += arb(law.masses[k]) * (1 - ball(epsilon - (law.least + k) * size).exp())
    return total / _UNIT


@lru_cache(maxsize=16)
def _composed(one: _Step, steps: int, size: Fraction, top: int, side: str) -> _Law:
    """The law of the sum of losses within `top` steps h of 0."""
    square = _within(_chords(one, steps, size, top) if side == "above" else _lumps(one, steps, size, top), top, side)
    power, left = None, steps
    while True:
        if left & 1:
            power = square if power is None else _sum(power, square, top, side)
        left >>= 1
        if not left:
            assert power is not None
            return power
        square = _sum(square, square, top, side)


def _sum(one: _Law, other: _Law, top: int, side: str) -> _Law:
    """The law of the sum of two independent losses."""
    up = side == "above"
    masses = fmpz_poly([_rounded(int(mass), up) for mass in (one.masses * other.masses).coeffs()])
    infinite = one.infinite * (other.finite + other.infinite) + other.infinite * one.finite
    return _within(_Law(one.least + other.least, masses, _rounded(infinite, up)), top, side)


def _rounded(product: int, up: bool) -> int:
    """A product of two masses in their unit."""
    return -(-product // _UNIT) if up else product // _UNIT


def _within(law: _Law, top: int, side: str) -> _Law:
    """The same with losses above top counted as infinite and those below -top as -top; or, for the bound below, those
    above top as top and those below -top left out.
    """
    masses = [int(mass) for mass in law.masses.coeffs()]
    low = max(-top - law.least, 0)
    high = max(top - law.least + 1, low + 1)
    under, kept, over = masses[:low], masses[low:high] or [0], masses[high:]
    if side == "below":
        kept[-1] += sum(over)
        return _Law(law.least + low, fmpz_poly(kept), 0)
    kept[0] += sum(under)
    return _Law(law.least + low, fmpz_poly(kept), law.infinite + sum(over))


def _fixed(mass: arb, up: bool) -> int:
    """A mass in its unit, rounded to the safe side; none below 0."""
    units = mass * _UNIT
    whole_units = (units.upper().ceil() if up else units.lower().floor()).unique_fmpz()
    assert whole_units is not None, "a whole number of no radius"
    return max(0, int(whole_units))


def _ends(one: _Step, steps: int, size: Fraction, top: int) -> tuple[int, int]:
    """The least and the greatest loss of one step, in units of h: what is beyond has next to no mass, or is
    beyond `top`.
    """
    reach = math.sqrt(2 * math.log(steps / _TAIL))
    q, s = float(one.rate), float(one.std)
    lowest, highest = _loss(-reach * s, q, s), _loss(1 + reach * s, q, s)
    low, high = (lowest, highest) if one.direction == "delete" else (-highest, -lowest)
    return max(math.floor(low / float(size)) - 1, -top), min(math.ceil(high / float(size)) + 1, top)


def _chords(one: _Step, steps: int, size: Fraction, top: int) -> _Law:
    """The law whose divergence connects the dots: changes of slope in t = e^loss are masses of Q there."""
    first, last = _ends(one, steps, size, top)
    points = [ball(j * size) for j in range(first, last + 1)]
    ratios, values = [point.exp() for point in points], [one.divergence(point) for point in points]
    slope, masses = (values[0] - 1) / ratios[0], []
    for k, t in enumerate(ratios):
        after = (values[k + 1] - values[k]) / (ratios[k + 1] - t) if k + 1 < len(ratios) else arb(0)
        masses.append(t * (after - slope))
        slope = after
    return _Law(first, fmpz_poly([_fixed(mass, True) for mass in masses]), _fixed(values[-1], True))


def _lumps(one: _Step, steps: int, size: Fraction, top: int) -> _Law:
    """Intervals of outputs, from low ones up, each as long as makes its ratio the next multiple of h ("delete")."""
    first, last = _ends(one, steps, size, top)
    h, q, s = float(size), float(one.rate), float(one.std)
    start = max(first, math.ceil(math.log1p(-q) / h) if q < 1 else first)
    masses = [0] * (last - start + 1)
    edge, index, with_it, without = None, start, arb(1), arb(1)
    while True:
        end = _edge(edge, index * h, q, s) if index < last else None  # the last has all that is left
        beyond = one.above(arb(end)) if end is not None else (arb(0), arb(0))
        p, rest = with_it - beyond[0], without - beyond[1]
        if p >= ball(index * size).exp() * rest and p > 0:  # or it is left out, which is below
            masses[index - start] = _fixed(p, False)
        if end is None:
            break
        edge, with_it, without = end, *beyond
        index = min(max(index + 1, math.floor(_loss(end, q, s) / h) + 1), last)
    return _Law(start, fmpz_poly(masses), 0)


def _loss(output: float, q: float, s: float) -> float:
    """log(with/without) of an output, without a power that no float holds."""
    power = (2 * output - 1) / (2 * s * s)
    if q == 1:
        return power
    return power + math.log(q + (1 - q) * math.exp(-power)) if power > 1 else math.log1p(q * math.expm1(power))


def _edge(start: float | None, loss: float, q: float, s: float) -> float | None:
    """Where an interval from `start` on has a ratio of probabilities a little above e^loss; None: nowhere."""
    if loss > _MOST_LOSS:
        return None
    t = math.exp(loss) * (1 + 1e-10)

    def excess(x: float) -> float:
        """Of the interval from start to x: probability with the record less t times that without."""
        with_it, without = (_between(start, x, mean, s) for mean in (1.0, 0.0))
        return (1 - q) * without + q * with_it - t * without

    low = s * s * math.log1p(math.expm1(loss) / q) + 0.5 if math.expm1(loss) > -q else start
    low = max(low, start) if start is not None and low is not None else low
    if low is None:
        low = -40 * s
    high = 1 + 40 * s
    if excess(high) < 0:
        return None
    for _ in range(100):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return high


def _between(start: float | None, x: float, mean: float, s: float) -> float:
    """The probability of (start, x] under N(mean, s^2), by the tail that is smaller."""
    a = -math.inf if start is None else (start - mean) / (s * math.sqrt(2))
    b = (x - mean) / (s * math.sqrt(2))
    if a > 0:
        return (math.erfc(a) - math.erfc(b)) / 2
    return (math.erfc(-b) - math.erfc(-a)) / 2
