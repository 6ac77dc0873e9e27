"""A picture of a violation: its certified size at the counterexample and around it, along one of its numbers."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from fractions import Fraction
from html import escape

from ndis_verify.court.attack_checks import PointRun
from ndis_verify.court.exact_points import exact_text
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.rich import letters

_FACTORS = [
    Fraction(a, b) for a, b in ((1, 4), (1, 3), (1, 2), (2, 3), (4, 5), (1, 1), (5, 4), (3, 2), (2, 1), (3, 1), (4, 1))
]
_FEWEST = 5  # values that make a picture
_SECONDS = 0.25  # of this process, what one value may take, or there is none
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 680, 230, 80, 660, 20, 185
Value = tuple[Fraction, Enclosure]


def violation_svg(run: PointRun) -> str:
    """The picture, "" where too few points around the counterexample have a certified value."""
    for name in _numbers(run):
        values = list(_around(run, name))
        if len(values) >= _FEWEST and any(value.sign() == 1 for _, value in values):
            return _drawn(name, exact(run.point[name]), values)
    return ""


def _numbers(run: PointRun) -> list[str]:
    """The positive numbers of the point that can be moved: epsilon first, counts last."""
    found = []
    for name, value in run.point.items():
        try:
            number = exact(value)
        except (TypeError, ValueError):
            continue
        if number > 0 and not isinstance(value, str):
            found.append((not name.startswith("eps"), number.denominator == 1, name))
    return [name for *_, name in sorted(found)]


def _around(run: PointRun, name: str) -> Iterator[Value]:
    """Certified sizes of the violation as one number moves, within the domain of the statement."""
    centre = exact(run.point[name])
    whole = isinstance(run.point[name], int)
    for moved in dict.fromkeys(Fraction(round(centre * f)) if whole else centre * f for f in _FACTORS):
        point = {**run.point, name: int(moved) if whole else moved}
        start = time.process_time()
        try:
            if moved > 0 and (run.domain is None or run.domain.contains(point)):
                value = run.certify(point)
                if value.basis == "bound":
                    yield moved, value
        except (
            ArithmeticError,
            LookupError,
            ValueError,
            TypeError,
        ):  # the quantity has no value there, or its code wants a float
            continue
        if time.process_time() - start > _SECONDS:
            return


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def _drawn(name: str, centre: Fraction, values: list[Value]) -> str:
    heights = [float(value.mid) for _, value in values]
    low, high = min(0.0, *heights), max(0.0, *heights)
    if low == high:  # below what a float holds
        return ""
    ends = _log(values[0][0]), _log(values[-1][0])

    def x(at: Fraction) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * (_log(at) - ends[0]) / (ends[1] - ends[0]), 1)

    def y(height: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * (height - low) / (high - low), 1)

    line = " ".join(f"{x(at)},{y(height)}" for (at, _), height in zip(values, heights, strict=True))
    dots = "".join(
        f'<g class="{"refuted" if value.sign() == 1 else "proved"}"><title>{escape(exact_text(at))}: {value}</title>'
        f'<path d="M{x(at)} {y(float(value.lower))}V{y(float(value.upper))}"/>'
        f'<circle cx="{x(at)}" cy="{y(float(value.mid))}" r="{6 if at == centre else 3.5}"/></g>'
        for at, value in values
    )
    letter = letters(name)
    marks = "".join(
        f'<text x="{x(at)}" y="{_BOTTOM + 30}" text-anchor="{anchor}">'
        f"{escape(letter)} = {escape(exact_text(at))}</text>"
        for at, anchor in ((values[0][0], "start"), (centre, "middle"), (values[-1][0], "end"))
        if at == centre or abs(x(at) - x(centre)) > 150
    )
    marks += "".join(
        f'<text x="{_LEFT - 20}" y="{y(height) + 4}" text-anchor="end">{height:.2g}</text>'
        for height in (low, high)
        if abs(y(height) - y(0.0)) > 14
    )
    label = f"Certified size of the violation as {letter} moves, on a logarithmic scale; above 0 the statement fails"
    return (
        f'<svg class="violation" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-label="{escape(label)}"><path class="zero" d="M{_LEFT - 15} {y(0.0)}H{_RIGHT + 15}"/>'
        f'<text x="{_LEFT - 20}" y="{y(0.0) + 4}" text-anchor="end">0</text>'
        f'<polyline points="{line}"/>{dots}{marks}</svg>'
        f'<p class="soft">{escape(label)}. The large dot is the counterexample.</p>'
    )
