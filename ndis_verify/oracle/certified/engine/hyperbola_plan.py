"""Which hyperbola, strip and step to use for the trapezoid rule: estimated in floats, and proved by `hyperbola`."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from dataclasses import dataclass

from flint import arb

from ndis_verify.oracle.certified.engine.tail import Transform

_FARTHEST = 60.0  # u
_GROUPS = 8  # of alphas that are told apart, and so many at either end that are told from each other:
_ALONE = 6
_MOST_NODES = 40_000
_SLACK = 3.5  # of logarithms: what proved bounds exceed estimates by
_ANGLES = (0.0, 0.25, 1.1, 0.5, 0.8)
_MANY_DIGITS = 150.0  # in nepers: from there on nodes cost more than plans
_FULL = 0.95
_SHARES = (0.97, 0.6, 0.35)
_LOOKS = 10


@dataclass(frozen=True)
class Plan:
    """A path (tangent T, width w), the strip -below <= v <= above around it, a step, and how many nodes have u > 0."""

    tangent: float
    width: float
    below: float
    above: float
    step: float
    nodes: int


def plan(transform: Transform, start: arb, scale: arb, tolerance: arb, share: float = 1.0) -> Plan | None:
    """The plan of fewest nodes among some; None where floats do not hold the numbers, or none is good. share: of the
    widest strip.
    """
    try:
        model = _Model(transform, float(start), float(scale), float(tolerance.log()), share)
        found = list(model.plans())
    except (OverflowError, ValueError, ZeroDivisionError):
        return None
    return min(found, key=lambda one: one.nodes, default=None)


class _Model:
    """log |g| in floats, alphas next to one another taken together; what plans are estimated with."""

    def __init__(self, transform: Transform, start: float, scale: float, goal: float, share: float):
        self.start, self.scale, self.goal, self.share = start, scale, goal, share
        self.y, self.x, self.second = float(transform.y), float(transform.x), transform.second_pole
        self.groups = _grouped([(float(t.alpha), t.multiplicity, float(t.p), float(t.q)) for t in transform.terms])
        largest = max((float(t.alpha) for t in transform.terms), default=0.0)
        self.room = (start, 1 / largest - start if largest > 0 else math.inf)
        self.singular = [0.0, -1.0, *(1 / a for a, _, _, _ in self.groups if a)]
        bend = 1 / start**2 + sum(k * (a / (1 - start * a)) ** 2 / 2 for a, k, _, _ in self.groups)
        self.unit = 1 / math.sqrt(bend + sum((p + q * a) / (1 - start * a) ** 3 for a, _, p, q in self.groups))

    def height(self, tangent: float, width: float, u: float, v: float) -> float:
        """log |f(u + iv)|."""
        cosh, sinh = cmath.cosh(complex(u, v)), cmath.sinh(complex(u, v))
        s = self.start + width * (tangent * (cosh - 1) + 1j * sinh)
        total = -self.y * s.real - math.log(abs(s)) - (math.log(abs(s + 1)) if self.second else 0)
        for alpha, k, p, q in self.groups:
            w = 1 - s * alpha
            total -= math.log(abs(w)) * k / 2
            if p or q:
                total += (s * (p * s + q) / w).real / 2
        return total + math.log(abs(width * (tangent * sinh + 1j * cosh))) - self.scale

    def plans(self) -> Iterator[Plan]:
        """Plans of some angles, each of the best width found by doubling and halving."""
        few = -self.goal < _MANY_DIGITS
        for angle in _ANGLES[-2:] if few else _ANGLES:
            bend = math.copysign(angle, self.x)
            best = self._plan(bend, self._natural(bend))
            for factor in () if few and best else (2.0, 0.5):
                while best and (other := self._plan(bend, best.width * factor)) and other.nodes < best.nodes:
                    best = other
            if best:
                yield best

    def _limits(self, bend: float) -> tuple[float, float]:
        """How far the strip may reach above and below."""
        return min(_FULL * (math.pi / 2 + bend), 1.55), min(_FULL * (math.pi / 2 - bend), 1.55)

    def _natural(self, bend: float) -> float:
        """The width at which the strip takes what there is of room, or what a Gaussian peak makes worth while."""
        worth = self.unit * math.sqrt(2 * max(1.0, -self.goal))
        found = []
        for limit, room, side in zip(self._limits(bend), self.room, (1.0, -1.0), strict=True):
            found.append(min(0.9 * room, worth) / _crossed(bend, limit, side))
        return math.sqrt(found[0] * found[1])

    def _plan(self, bend: float, width: float) -> Plan | None:
        tangent = math.tan(bend)
        try:
            last = self._last(tangent, width)
            if last is None:
                return None
            sides = [
                self._side(bend, width, limit, room, side, last)
                for limit, room, side in zip(self._limits(bend), self.room, (1.0, -1.0), strict=True)
            ]
        except (OverflowError, ValueError, ZeroDivisionError):
            return None
        step = min(step for step, _ in sides)
        if not step * _MOST_NODES > last:
            return None
        return Plan(tangent, width, sides[1][1], sides[0][1], step, math.ceil(last / step))

    def _last(self, tangent: float, width: float) -> float | None:
        """From where on f is below the goal."""
        high = 0.5
        while self.height(tangent, width, high, 0.0) > self.goal - _SLACK:
            high += 0.5
            if high > _FARTHEST:
                return None
        low = high - 0.5
        for _ in range(3):
            middle = (low + high) / 2
            if self.height(tangent, width, middle, 0.0) > self.goal - _SLACK:
                low = middle
            else:
                high = middle
        return high

    def _side(
        self, bend: float, width: float, limit: float, room: float, side: float, last: float
    ) -> tuple[float, float]:
        """(The step that half a strip allows, its half-width), the best of some."""
        widest, tangent, found = _widest(bend, limit, side, 0.97 * room / width), math.tan(bend), []
        for share in _SHARES:
            v = share * self.share * widest
            top = max(self.height(tangent, width, u, side * v) for u in self._looks(tangent, width, side * v, last))
            found.append((2 * math.pi * v / (top + math.log(last) - self.goal + _SLACK), v))
        return max(found)

    def _looks(self, tangent: float, width: float, v: float, last: float) -> Iterator[float]:
        """Where |f| may be largest on a line: here and there, and beside the singularities."""
        yield from (1.01 * last * (k / _LOOKS) ** 1.5 for k in range(_LOOKS + 1))
        slope = width * (tangent * math.cos(v) - math.sin(v))
        for z in self.singular:
            if slope and (cosh := (z - self.start + width * tangent) / slope) > 1 and (u := math.acosh(cosh)) < last:
                yield u


def _crossed(bend: float, v: float, side: float) -> float:
    """The distance of s0 from where the line at side v crosses the real axis, in widths."""
    return math.sin(v) + side * math.tan(bend) * (1 - math.cos(v))


def _widest(bend: float, limit: float, side: float, room: float) -> float:
    """The largest v up to the limit at which the crossing is no farther than the room."""
    if _crossed(bend, limit, side) <= room:
        return limit
    low, high = 0.0, limit
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if _crossed(bend, middle, side) <= room else (low, middle)
    return low


def _grouped(terms: list[tuple[float, int, float, float]]) -> list[tuple[float, int, float, float]]:
    """(alpha, multiplicity, p, q), small alphas next to one another put together where there are many."""
    terms = sorted(terms)
    size = -(-max(0, len(terms) - 2 * _ALONE) // _GROUPS)
    if size < 2:
        return terms
    middle = terms[_ALONE:-_ALONE]
    parts = [middle[k : k + size] for k in range(0, len(middle), size)]
    together = [
        (sum(t[0] for t in part) / len(part), sum(t[1] for t in part), sum(t[2] for t in part), sum(t[3] for t in part))
        for part in parts
    ]
    return [*terms[:_ALONE], *together, *terms[-_ALONE:]]
