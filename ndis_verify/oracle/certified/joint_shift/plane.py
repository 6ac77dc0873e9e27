"""The largest divergence over all neighbours of a prediction, with proof, and the added variance at which it meets a
target.

f on the square 0 <= p, e <= 1 (`prediction_plane`) takes its largest value at a critical point inside, at one of the
side e = 1, or at the corner (1, 1). Nowhere else: at e = 0 it is 0; at p = 0 it grows into the square (dr/dp > 0, dt/dp
= 0); on the side p = 1 it grows with e, as d = sqrt(m R) c and h <= sqrt(R) leave `sqrt(m) d - h c >= c sqrt(R) (m - 1)
>= 0`. Without other records (m = 0) there is no p, and e alone is left. So with H as in `prediction_plane` a cell needs
no look where one H along a free coordinate has no zero, nor where f is below the target all over it. In every other
cell C with middle q the critical points lie in `q - Y H(q) + (1 - Y J(C)) (C - q)`, J the derivatives of H and Y any
matrix (interval Newton): the cell shrinks, or it is halved. Around a critical point it shrinks fast, and f <= f(q) +
sum |df/dx_i| rad_i settles it for any number of digits. No direction, and no kind of critical point, is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import mpmath
from flint import arb, arb_series

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_fraction, working_bits
from ndis_verify.oracle.certified.engine.summit_root import between, meeting, zero_near
from ndis_verify.oracle.certified.joint_shift.prediction_plane import Balls, PredictionPlane
from ndis_verify.oracle.engine.precision import MAX_BITS, PrecisionError

Planes = Callable[[Fraction], Sequence[PredictionPlane]]
Cell = tuple[arb, arb]
Free = tuple[int, ...]
_CELLS, _FEW = 20_000, 3
_SHRUNK = 0.6  # of the width, below which a cell is tried again before it is halved
_SPARE = 100  # bits
_ENDS = [Fraction(1, 64), Fraction(1, 16)]
_SHARES = [*_ENDS, *(Fraction(i, 8) for i in range(1, 8)), *(1 - s for s in reversed(_ENDS)), Fraction(1)]
_HALVINGS, _MOVES = 14, 40
_SCOUT, _FAR = 20, 1000  # digits of the search; how far down it goes in log v
_LEADS = Fraction(99, 100)  # of the highest point: the others are polished too


@dataclass(frozen=True)
class Peak:
    """A high point (p, e) of one of the planes, and the value there."""

    plane: int
    place: tuple[Fraction, Fraction]
    value: arb


def at_most(plane: PredictionPlane, target: Fraction, digits: int) -> bool:
    """Whether f <= target is proved; False where a value is above it. Raises `PrecisionError` where it is not settled.

    `digits`: how close to the target f may come, in relative terms.
    """
    with working_bits(_bits(target, digits)):
        balls, level, seen = plane.balls(), ball(target), 0
        whole, one = arb(0.5, 0.5), arb(1)
        if not balls.value(one, one) <= level:
            return False
        cells: list[tuple[Cell, Free]] = [((arb(0), whole), (1,))]
        if plane.others:
            cells = [((whole, one), (0,)), ((whole, whole), (0, 1))]
        while cells:
            cell, free = cells.pop()
            seen += 1
            if seen > _CELLS:
                raise PrecisionError(
                    f"largest divergence: not settled by {_CELLS} cells, last at {_described(balls, cell)}"
                )
            inner = _critical(balls, cell, free)
            if (
                inner is None or any(x > 1 for x in inner) or balls.bound(*inner) <= level
            ):  # rounding makes cells reach beyond 1
                continue
            middle = [x.mid().min(one) for x in inner]
            height = balls.value(*middle)
            if height > level:
                return False
            rise = balls.rise(*inner)
            if sum((abs(rise[i] * (inner[i] - middle[i])) for i in free), height) <= level:
                continue
            if all(inner[i].rad() > _SHRUNK * cell[i].rad() for i in free):
                cells += [(half, free) for half in _halves(inner, free)]
            else:
                cells.append((inner, free))
    return True


def crossing(planes_at: Planes, target: Fraction, guess: mpmath.mpf, digits: int) -> Enclosure:
    """The v at which the largest value over `planes_at(v)`, falling with v, meets `target`; log v is searched from
    `guess`.

    At the lower end a value is above the target, at the upper end `at_most` holds. Raises `PrecisionError`.
    """
    rough = _search(planes_at, target, guess)
    found = peaks(planes_at(rough), target)
    leaders = [peak for peak in found if to_fraction(peak.value) >= _LEADS * to_fraction(found[0].value)]
    root, leader = max(
        (_polished(planes_at, target, rough, peak, digits) for peak in leaders), key=lambda pair: pair[0]
    )
    half = Fraction(1, 10 ** (digits + 1))
    for _ in range(4):
        low, high = root * (1 - half), root * (1 + half)
        if _value(planes_at(low)[leader.plane], leader.place, target, digits).lower > target:
            if all(at_most(plane, target, digits) for plane in planes_at(high)):
                return between(low, high, digits)
        half *= 2
    worst = _described(planes_at(root)[leader.plane].balls(), (ball(leader.place[0]), ball(leader.place[1])))
    raise PrecisionError(f"{digits} digits not reached around {float(root):.6g}, worst pair at {worst}")


def largest(planes: Sequence[PredictionPlane], digits: int) -> Enclosure:
    """The largest value over the planes, to `digits` relative digits: a value of one, and a proof for all. Raises
    `PrecisionError`.
    """
    size = Fraction(1)
    while size.denominator.bit_length() < MAX_BITS:  # of the largest value, which is found out on the way
        found = peaks(planes, size)
        if found:
            places = [(planes[peak.plane], top(planes, peak, size, digits)) for peak in found[:_FEW]]
            low = max(_value(plane, place, size, digits).lower for plane, place in places)
            high = low * (1 + Fraction(1, 10 ** (digits + 1)))
            if low > 0 and all(at_most(plane, high, digits) for plane in planes):
                return between(low, high, digits)
        size /= 1 << 8 * size.denominator.bit_length()
    raise PrecisionError(f"{digits} digits of the largest divergence were not reached")


def peaks(planes: Sequence[PredictionPlane], target: Fraction) -> list[Peak]:
    """The local maxima on a grid of every plane, climbed; the highest first. Nothing here is certified."""
    found = []
    for k, plane in enumerate(planes):
        with working_bits(_bits(target, 0)):
            balls = plane.balls()
            rows = _SHARES if plane.others else _SHARES[:1]
            table = [[_height(balls, (p, e)) for e in _SHARES] for p in rows]
            least = max(max(row) for row in table) / 2
            for i, row in enumerate(table):
                for j, value in enumerate(row):
                    near = (line[max(j - 1, 0) : j + 2] for line in table[max(i - 1, 0) : i + 2])
                    if value > 0 and value > least and all(value >= other for line in near for other in line):
                        steps = _spacing(i), _spacing(j)
                        found.append(
                            _climbed(
                                balls, Peak(k, (rows[i] if plane.others else Fraction(0), _SHARES[j]), value), steps
                            )
                        )
    return sorted(found, key=lambda peak: to_fraction(peak.value), reverse=True)


def top(planes: Sequence[PredictionPlane], peak: Peak, target: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """The critical point next to a peak, by Newton steps; a coordinate stays at its end 1 while f does not fall towards
    it.
    """
    plane, place = planes[peak.plane], peak.place
    with working_bits(_bits(target, digits)):
        balls = plane.balls()
        for _ in range(digits.bit_length() + 6):
            here = ball(place[0]), ball(place[1])
            slopes = balls.slopes(*here)
            free = tuple(i for i in ((0, 1) if plane.others else (1,)) if place[i] < 1 or slopes[i] < 0)
            step = _newton(balls, here, free) if free else None
            moved = [min(x + to_fraction(y), Fraction(1)) for x, y in zip(place, step)] if step else []
            if not moved or any(moved[i] <= 0 for i in free):
                break
            place = (moved[0], moved[1])
    return place


def _critical(balls: Balls, cell: Cell, free: Free) -> Cell | None:
    """A cell around the critical points in `cell`; None where there are none."""
    slopes = balls.slopes(*cell)
    if any(slopes[i] > 0 or slopes[i] < 0 for i in free):
        return None
    table = _derivatives(balls, cell, free)
    inverse = _inverse([[x.mid() for x in row] for row in table])
    middle = tuple(x.mid() for x in cell)
    if inverse is None:
        return cell
    here, offset = balls.slopes(*middle), [cell[i] - middle[i] for i in free]
    found = list(cell)
    for i, row in enumerate(inverse):
        place = middle[free[i]] - sum(y * here[j] for y, j in zip(row, free))
        for j, shift in enumerate(offset):
            place += ((1 if i == j else 0) - sum(y * table[k][j] for k, y in enumerate(row))) * shift
        if place.is_finite():
            if not place.overlaps(cell[free[i]]):
                return None
            found[free[i]] = place.intersection(cell[free[i]])
    return found[0], found[1]


def _derivatives(balls: Balls, cell: Cell, free: Free) -> list[list[arb]]:
    """J over the cell, the free coordinates alone."""
    columns = []
    for j in free:
        p, e = (arb_series([x, 1 if i == j else 0], 2) for i, x in enumerate(cell))
        try:
            slopes = balls.slopes(p, e)
        except ValueError:  # a division by a series that may vanish
            slopes = (arb_series([arb.nan(), arb.nan()], 2),) * 2
        columns.append([slopes[i][1] for i in free])
    return [list(row) for row in zip(*columns)]


def _inverse(matrix: list[list[arb]]) -> list[list[arb]] | None:
    if len(matrix) == 1:
        inverse = [[1 / matrix[0][0]]]
    else:
        (a, b), (c, d) = matrix
        size = a * d - b * c
        inverse = [[d / size, -b / size], [-c / size, a / size]]
    inverse = [[x.mid() for x in row] for row in inverse]
    return inverse if all(x.is_finite() for row in inverse for x in row) else None


def _newton(balls: Balls, place: tuple[arb, ...], free: Free) -> list[arb] | None:
    inverse = _inverse([[x.mid() for x in row] for row in _derivatives(balls, (place[0], place[1]), free)])
    if inverse is None:
        return None
    slopes, step = balls.slopes(*place), [arb(0), arb(0)]
    for i, row in enumerate(inverse):
        step[free[i]] = -sum((y * slopes[j] for y, j in zip(row, free)), arb(0)).mid()
    return step if all(x.is_finite() for x in step) else None


def _halves(cell: Cell, free: Free) -> list[Cell]:
    """The cell in two, across its widest side."""
    across = max(free, key=lambda i: float(cell[i].rad()))
    rad = cell[across].rad() / 2
    halves = (arb(cell[across].mid() + sign * rad, rad) for sign in (-1, 1))
    return [(half, cell[1]) if across == 0 else (cell[0], half) for half in halves]


def _search(planes_at: Planes, target: Fraction, guess: mpmath.mpf) -> Fraction:
    """A v near which the highest point found meets the target; nothing here is certified."""

    def excess(log_v: mpmath.mpf) -> mpmath.mpf:
        if log_v < guess - _FAR:
            raise PrecisionError("the target is met, or missed, by a hair without noise")
        planes = planes_at(exact(mpmath.exp(log_v)))
        found = peaks(planes, target)
        if not found:
            return -mpmath.inf
        finer = _value(planes[found[0].plane], top(planes, found[0], target, _SCOUT), target, _SCOUT).mid
        return mpmath.log(max(enclosure(found[0].value).mid, finer)) - mpmath.log(to_mpf(target))

    with mpmath.workdps(20):
        return exact(mpmath.exp(zero_near(excess, guess, grows=False)))


def _polished(planes_at: Planes, target: Fraction, root: Fraction, peak: Peak, digits: int) -> tuple[Fraction, Peak]:
    """(v, its highest point): in turn the critical point at v, and the v at which its value is the target."""
    aim = 6
    while True:
        aim = min(2 * aim, digits + 8)
        peak = Peak(peak.plane, top(planes_at(root), peak, target, aim), peak.value)
        root = meeting(partial(_along, planes_at, peak, target, aim), target, root, aim)
        if aim == digits + 8:
            return root, peak


def _climbed(balls: Balls, peak: Peak, steps: tuple[Fraction, Fraction]) -> Peak:
    """A higher point by steps that halve."""
    for _ in range(_HALVINGS):
        for _ in range(_MOVES):
            before = peak
            for i in (0, 1) if balls.plane.others else (1,):
                for sign in (-1, 1):
                    place = list(peak.place)
                    place[i] = min(place[i] + sign * steps[i], Fraction(1))
                    if place[i] > 0 and (value := _height(balls, (place[0], place[1]))) > peak.value:
                        peak = Peak(peak.plane, (place[0], place[1]), value)
            if peak is before:
                break
        steps = steps[0] / 2, steps[1] / 2
    return peak


def _height(balls: Balls, place: tuple[Fraction, Fraction]) -> arb:
    return balls.value(*(ball(x) for x in place)).mid()


def _value(plane: PredictionPlane, place: tuple[Fraction, Fraction], target: Fraction, digits: int) -> Enclosure:
    with working_bits(_bits(target, digits)):
        return enclosure(plane.balls().value(*(ball(x) for x in place)))


def _along(planes_at: Planes, peak: Peak, target: Fraction, digits: int, v: Fraction) -> mpmath.mpf:
    """The value at the place of `peak` where the added variance is v."""
    return _value(planes_at(v)[peak.plane], peak.place, target, digits).mid


def _spacing(i: int) -> Fraction:
    return (_SHARES[min(i + 1, len(_SHARES) - 1)] - _SHARES[max(i - 1, 0)]) / 4


def _bits(target: Fraction, digits: int) -> int:
    """Working precision for values near the target."""
    return int(3.33 * digits) + _SPARE + max(target.denominator.bit_length() - target.numerator.bit_length(), 0)


def _described(balls: Balls, cell: Cell) -> str:
    z, x = balls.place(*(x.mid() for x in cell))
    return f"z = {float(z):.6g}, x = {float(x):.6g}"
