"""The exact worst case of a rank-one envelope, with proof: certified values on cells, and the added variance it needs.

Pairs and envelopes as in symbolic.joint_shift and symbolic.sensitivity_joint; all inputs exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.balls import exact_zero
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.oracle.certified.joint_curve import EdgeCurve, ShareCurve
from ndis_verify.oracle.certified.summit_root import crossing
from ndis_verify.oracle.inputs import checked_count
from ndis_verify.oracle.precision import PrecisionError, checked_digits

_START, _PARTS, _CELLS, _ROUGH, _FEW = 8, 4, 3000, 6, 3
Cell = tuple[tuple[Fraction, Fraction], ...]
_UNIT: Cell = ((Fraction(0), Fraction(1)),)


@dataclass(frozen=True)
class RankOne:
    """N(0, v I + y (kept + lost) e e^T) and N(u, v I + y kept e e^T), 0 <= y <= 1, |u| <= shift, e any direction.

    Exact numbers, kept >= 0, lost >= 0, shift > 0. `place` is the tangent q of half the angle between u and e, in [0, 1].
    Raises `InputError`.
    """

    kept: Fraction
    lost: Fraction
    shift: Fraction

    def __post_init__(self) -> None:
        for name in ("kept", "lost", "shift"):
            object.__setattr__(self, name, _nonnegative(getattr(self, name), name))
        if self.shift == 0:
            raise InputError("shift", "0", "must be positive")

    @property
    def regions(self) -> tuple[Cell, ...]:
        """The range of q; without a covariance step the whole shift lies where there is no other noise, q = 1."""
        return (_UNIT,) if self.lost else (((Fraction(1), Fraction(1)),),)

    def pair(self, added: Fraction, place: tuple[Fraction, ...]) -> GaussianPair:
        """The pair at y = 1, |u| = shift, the more spread law first."""
        return self._pair(added, place[0], place[0])

    def greater(self, added: Fraction, cell: Cell) -> GaussianPair:
        """A pair whose delta is at least that of every pair in the cell: the most along e and the most across it."""
        return self._pair(added, *cell[0])

    def curves(self, added: Fraction, epsilon: Fraction) -> list[ShareCurve]:
        """Its worst pairs as two smooth curves, one for each direction."""
        small = added + self.kept
        return [ShareCurve(added, small, self.lost, self.shift**2, epsilon, swapped) for swapped in (False, True)]

    def _pair(self, added: Fraction, near: Fraction, far: Fraction) -> GaussianPair:
        if added <= 0:
            raise InputError("added", str(added), "must be positive")
        along, across = self.shift * (1 - near**2) / (1 + near**2), self.shift * 2 * far / (1 + far**2)
        return GaussianPair([0, 0], [added + self.kept + self.lost, added], [along, across], [added + self.kept, added])


@dataclass(frozen=True)
class Prediction:
    """A Gaussian-process prediction and its neighbours: k(x, x) <= length^2, |y| <= labels, at most `records` records.

    `place` is (share of z's range, share of x's range); see symbolic.sensitivity_joint.prediction_joint. Exact numbers,
    all positive. Raises `InputError`.
    """

    length: Fraction
    labels: Fraction
    noise_variance: Fraction
    records: int

    def __post_init__(self) -> None:
        for name in ("length", "labels", "noise_variance"):
            object.__setattr__(self, name, _nonnegative(getattr(self, name), name))
            if getattr(self, name) == 0:
                raise InputError(name, "0", "must be positive")
        object.__setattr__(self, "records", checked_count(self.records))

    @property
    def regions(self) -> tuple[Cell, ...]:
        """Where x is at its end; where it need not be. Without other records z = 0."""
        return (_UNIT, _UNIT * 2) if self.records > 1 else (((Fraction(0), Fraction(0)), *_UNIT),)

    def pair(self, added: Fraction, place: tuple[Fraction, ...]) -> GaussianPair:
        """The neighbouring laws at (z, x), the more spread one first, their shift rounded down by less than one part in 10^40."""
        return self.pair_at(added, *self._point(place))

    def pair_at(self, added: Fraction, z: Fraction, x: Fraction) -> GaussianPair:
        """`pair` by z and x themselves."""
        return self._pair(added, z, x, self._pull(z, x, up=False), up=False)

    def greater(self, added: Fraction, cell: Cell) -> GaussianPair:
        """The least z, the greatest x and the greatest r of the cell: its pairs are post-processings of this one."""
        others, turn = self.records - 1, self._turn()
        if len(cell) == 1:
            first, last = (turn + share * (self._widest() - turn) for share in cell[0])
            most = at = self._most(first)
        else:
            first, last = (share * turn for share in cell[0])
            low, high = cell[1]
            most = (1 - high) * others * last + high * self._most(first)
            at = min(max(others * last, (1 - low) * others * first + low * self._most(last)), most)
        return self._pair(added, first, most, self._pull(last, at, up=True), up=True)

    def curves(self, added: Fraction, epsilon: Fraction) -> list[EdgeCurve]:
        """Its first region as two smooth curves, one for each direction; without other records all of its pairs (z = 0)."""
        start, alone = self._turn(), self.records == 1
        end = self._ratio() if alone else self._widest() - start

        def greater(low: Fraction, high: Fraction, swapped: bool) -> Fraction:
            first = start + low
            pull = self._pull(Fraction(0), low, up=True) if alone else self._pull(start + high, self._most(first), up=True)
            pair = self._pair(added, Fraction(0), high, pull, up=True) if alone else self._pair(added, first, self._most(first), pull, up=True)
            return hockey_stick(pair.swapped() if swapped else pair, epsilon, _ROUGH).upper

        common = (self.length, self.labels, self.noise_variance, self.records - 1, added, start, end, epsilon)
        return [EdgeCurve(*common, swapped, greater) for swapped in (False, True)]

    def _point(self, place: tuple[Fraction, ...]) -> tuple[Fraction, Fraction]:
        turn = self._turn()
        if len(place) == 1:
            z = turn + place[0] * (self._widest() - turn)
            return z, self._most(z)
        z = place[0] * turn
        return z, (1 - place[1]) * (self.records - 1) * z + place[1] * self._most(z)

    def _ratio(self) -> Fraction:
        return self.length**2 / self.noise_variance

    def _widest(self) -> Fraction:
        spread = (self.records - 1) * self._ratio()
        return spread / (1 + spread)

    def _turn(self) -> Fraction:
        """From this z on r grows with x up to x's end."""
        return min(self._ratio() / (self.records - 1 + self._ratio()), self._widest())

    def _most(self, z: Fraction) -> Fraction:
        return (1 - z) * self._ratio()

    def _pull(self, z: Fraction, x: Fraction, up: bool) -> Fraction:
        """r^2, rounded up or down."""
        return self.labels**2 / self.noise_variance * (1 + _root((self.records - 1) * z * x, up)) ** 2 / (1 + x)

    def _pair(self, added: Fraction, z: Fraction, x: Fraction, square: Fraction, up: bool) -> GaussianPair:
        own = self.length**2 * (1 - z)
        lost, small = own * x / (1 + x), added + own / (1 + x)
        return GaussianPair([0], 1 + lost / small, [_root(lost / small * square, up)], 1)


Envelope = RankOne | Prediction


def largest(envelope: Envelope, added: Any, epsilon: Any, digits: int = 6) -> Enclosure:
    """The largest delta over the envelope at added variance v, both directions, to `digits` relative digits.

    Below: a certified value at one pair. Above: certified bounds on cells that cover the envelope. Quick to any number of
    digits where the worst pair is a corner; elsewhere few digits can be had before `PrecisionError`. Raises `InputError`.
    """
    return _worst(envelope, exact(added, "added"), _nonnegative(epsilon, "epsilon"), checked_digits(digits))[0]


def added_variance(envelope: Envelope, epsilon: Any, delta: Any, digits: int = 15) -> Enclosure:
    """The least added variance v >= 0 at which the largest delta over the envelope is at most `delta` (N26-D6-joint, N26-Pr8-joint).

    The two ends were decided: above the target at the lower one, at most the target at the upper one; 0 exactly where a
    prediction's own spread is enough. Any digits where the worst pair lies on `curves` (always for RankOne, for a Prediction
    where x is at its end); elsewhere 3 at most, and often `PrecisionError`. 0 < delta < 1; more noise never costs more privacy. Raises `InputError`,
    `PrecisionError`.
    """
    epsilon, delta, digits = _nonnegative(epsilon, "epsilon"), exact(delta, "delta"), checked_digits(digits)
    if not 0 < delta < 1:
        raise InputError("delta", str(delta), "must lie strictly between 0 and 1")
    inner = [region for region in envelope.regions if len(region) > 1 and region[0] != (0, 0)]
    if isinstance(envelope, Prediction) and _without_noise(envelope, epsilon, delta):
        return exact_zero()

    def inside(added: Fraction) -> bool:
        return all(_covered(envelope, added, epsilon, delta, region) for region in inner)

    try:
        return crossing(lambda v: envelope.curves(v, epsilon), delta, _guess(envelope, epsilon, delta), digits, grows=False, also=inside)
    except PrecisionError:
        if not inner or digits > _FEW:
            raise
        return _by_cells(envelope, epsilon, delta, digits)


def _without_noise(envelope: Prediction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether v = 0 is proved to be enough; where it is not, it may be so by a hair, and the search says that there is no root."""
    try:
        return _worst(envelope, Fraction(0), epsilon, 1)[0].upper <= delta
    except PrecisionError:
        return False


def _guess(envelope: Envelope, epsilon: Fraction, delta: Fraction) -> mpmath.mpf:
    """log v of the right size: the std of the Gaussian mechanism for the whole shift, by the rho rule."""
    shift = envelope.shift if isinstance(envelope, RankOne) else envelope.length * envelope.labels / _root(envelope.noise_variance, up=False)
    level, eps = -mpmath.log(to_mpf(delta)), to_mpf(epsilon)
    rho = 2 * eps / (mpmath.sqrt(2 * level + 2 * eps) + mpmath.sqrt(2 * level)) + to_mpf(delta)
    return 2 * mpmath.log(to_mpf(shift) / rho)


def _covered(envelope: Envelope, added: Fraction, epsilon: Fraction, delta: Fraction, region: Cell) -> bool:
    """Whether the divergence is at most delta over a region, by halving."""
    cells, seen = _split(region, _START // len(region)), 0
    while cells:
        cell = cells.pop()
        seen += 1
        if seen > _CELLS:
            raise PrecisionError(f"joint shift: not settled by {_CELLS} cells")
        if _bound(envelope.greater(added, cell), epsilon, _ROUGH, delta) > delta:
            middle = tuple((low + high) / 2 for low, high in cell)
            pair = envelope.pair(added, middle)
            if max(hockey_stick(law, epsilon, _ROUGH).lower for law in (pair, pair.swapped())) > delta:
                return False
            cells += _split(cell, 2)
    return True


def _by_cells(envelope: Envelope, epsilon: Fraction, delta: Fraction, digits: int) -> Enclosure:
    """The root by the largest value over all cells, for few digits."""
    root, place = _search(envelope, epsilon, delta, digits)
    with mpmath.workdps(digits + 15):
        middle, half = exact(root), exact(root) / 10 ** (digits + 1)
        for _ in range(4):
            below = hockey_stick(envelope.pair(middle - half, place), epsilon, digits + 4).lower
            if below > delta and not _exceeds(envelope, middle + half, epsilon, delta, digits):
                return Enclosure(to_mpf(middle), to_mpf(half) * (1 + mpmath.mpf(10) ** -digits), "bound")
            half *= 2
    raise PrecisionError(f"no bracket of {digits} digits around {float(middle):.6g}")


def _worst(envelope: Envelope, added: Fraction, epsilon: Fraction, digits: int) -> tuple[Enclosure, tuple[Fraction, ...]]:
    """(enclosure of the largest delta, where the value below it was met); lower values come from the first direction."""
    aim, near = digits + 2, 1 + Fraction(1, 10**digits)
    cells = [part for region in envelope.regions for part in _split(region, _START // len(region))]
    corners = sorted({point for cell in cells for point in _corners(cell)}, key=lambda point: (len(point), point))
    met = {point: hockey_stick(envelope.pair(added, point), epsilon, aim) for point in corners}
    place = max(corners, key=lambda point: met[point].lower)
    best, upper, seen = met[place].lower, met[place].upper, 0
    while cells:
        seen += len(cells)
        if seen > _CELLS:
            raise PrecisionError(f"worst pair: {digits} digits not reached with {_CELLS} cells")
        bounds = [_bound(envelope.greater(added, cell), epsilon, aim, best * near) for cell in cells]
        upper = max([upper, *(bound for bound in bounds if bound <= best * near)])
        widest = max(range(len(cells)), key=lambda k: bounds[k])
        if bounds[widest] > best * near:
            middle = tuple((low + high) / 2 for low, high in cells[widest])
            value = hockey_stick(envelope.pair(added, middle), epsilon, aim)
            if value.lower > best:
                best, place, upper = value.lower, middle, max(upper, value.upper)
        cells = [part for cell, bound in zip(cells, bounds) if bound > best * near for part in _split(cell, _PARTS)]
        upper = max([upper, *(bound for bound in bounds if bound <= best * near)])
    with mpmath.workdps(2 * digits + 20):
        return _between(best, max(upper, best)), place


def _bound(pair: GaussianPair, epsilon: Fraction, digits: int, enough: Fraction) -> Fraction:
    """An upper bound of both directions; of the first alone where that exceeds `enough` already."""
    first = hockey_stick(pair, epsilon, digits).upper
    return first if first > enough else max(first, hockey_stick(pair.swapped(), epsilon, digits).upper)


def _search(envelope: Envelope, epsilon: Fraction, delta: Fraction, digits: int) -> tuple[mpmath.mpf, tuple[Fraction, ...]]:
    """The root in log v by secants, at the place of the worst pair as it is known so far, and that place."""
    start = Fraction(1)
    for _ in range(200):  # a power of four too small or just large enough
        if _worst(envelope, start, epsilon, 1)[0].upper > delta:
            start *= 4
        elif _worst(envelope, start / 4, epsilon, 1)[0].upper <= delta:
            start /= 4
        else:
            break
    place = _worst(envelope, start, epsilon, 2)[1]
    with mpmath.workdps(digits + 20):
        low, high = mpmath.log(to_mpf(start / 4)), mpmath.log(to_mpf(start))
        for aim in sorted({3, min(digits, 8), digits}):

            def gap(u: mpmath.mpf, n: int = aim) -> mpmath.mpf:
                value = hockey_stick(envelope.pair(exact(mpmath.exp(u)), place), epsilon, n + 6).mid
                return mpmath.log(value) - mpmath.log(to_mpf(delta))

            root = _secant(gap, low, high, mpmath.mpf(10) ** (-aim - 3))
            low, high = root - mpmath.mpf(10) ** -aim, root + mpmath.mpf(10) ** -aim
            if aim < digits or aim == 3:
                place = _worst(envelope, exact(mpmath.exp(root)), epsilon, min(aim, 3))[1]
        return mpmath.exp(root), place


def _secant(gap: Callable[[mpmath.mpf], mpmath.mpf], first: mpmath.mpf, second: mpmath.mpf, width: mpmath.mpf) -> mpmath.mpf:
    low, high = gap(first), gap(second)
    for _ in range(60):
        if high == low:
            break
        step = high * (second - first) / (high - low)
        step = max(min(step, mpmath.mpf(2)), mpmath.mpf(-2))
        first, low, second = second, high, second - step
        if abs(step) < width:
            break
        high = gap(second)
    return second


def _exceeds(envelope: Envelope, added: Fraction, epsilon: Fraction, delta: Fraction, digits: int) -> bool:
    for aim in (max(digits - 1, 1), digits + 1, digits + 3):
        value, _ = _worst(envelope, added, epsilon, aim)
        if value.lower > delta:
            return True
        if value.upper <= delta:
            return False
    return True  # not decided: the caller moves on to more noise


def _between(low: Fraction, high: Fraction) -> Enclosure:
    """An enclosure of [low, high], at the ambient precision."""
    middle = to_mpf((low + high) / 2)
    reach = max(high - exact(middle), exact(middle) - low)
    return Enclosure(middle, to_mpf(reach) * (1 + mpmath.mpf(2) ** -20), "bound")


def _split(cell: Cell, parts: int) -> list[Cell]:
    cells: list[Cell] = [()]
    for low, high in cell:
        count = parts if low < high else 1
        step = (high - low) / count
        cells = [(*done, (low + k * step, low + (k + 1) * step)) for done in cells for k in range(count)]
    return cells


def _corners(cell: Cell) -> list[tuple[Fraction, ...]]:
    points: list[tuple[Fraction, ...]] = [()]
    for ends in cell:
        points = [(*done, end) for done in points for end in ends]
    return points


def _root(value: Fraction, up: bool) -> Fraction:
    """sqrt(value) rounded outward, relative error below 10^-40."""
    if value == 0:
        return Fraction(0)
    size = max(0, value.denominator.bit_length() - value.numerator.bit_length())
    scale = 1 << (size // 2 + 140)
    return Fraction(isqrt(value.numerator * scale * scale // value.denominator) + (1 if up else 0), scale)


def _nonnegative(value: Any, argument: str) -> Fraction:
    number = exact(value, argument)
    if number < 0:
        raise InputError(argument, str(number), "must not be negative")
    return number
