"""A picture of a run for each quantity: the relative error of every answer against the exact value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from html import escape

from ndis_verify.plain_text import printable
from ndis_verify.reference.conformance.judge import FAILING, Judgement
from ndis_verify.reference.conformance.summary import finite

_WIDTH, _HEIGHT = 420, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 404, 16, 196
_LOWEST, _HIGHEST = -18.0, 2.0  # powers of ten of the error; beyond them a mark stands on the edge
_SMALLEST = -60.0  # the same for a value


def error_svg(quantity: str, judgements: list[Judgement], values: Mapping[str, str], tolerance: float) -> str:
    """The picture of one quantity, "" where no row has a value that is not 0 and an answer."""
    points = [
        (at, j)
        for j in judgements
        if j.relative_error is not None and (at := _power(values.get(j.key, "0"))) is not None
    ]
    if not points:
        return ""
    ends = math.floor(min(at for at, _ in points)), math.ceil(max(at for at, _ in points))
    low, high = (ends[0], ends[1]) if ends[0] < ends[1] else (ends[0] - 1, ends[1] + 1)

    def x(at: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * (at - low) / (high - low), 1)

    marks = "".join(_mark(x(at), _y(j.relative_error or 0.0), j, values[j.key]) for at, j in points)
    label = f"{quantity}: relative error of {len(points)} answers against the exact value"
    return (
        f'<figure><svg class="errors" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-label="{escape(printable(label))}">{_axes(low, high, tolerance)}{marks}</svg>'
        f"<figcaption>{escape(printable(quantity))}</figcaption></figure>"
    )


def _power(value: str) -> float | None:
    """The power of ten of a value, None for 0."""
    number = abs(Fraction(value))
    return max(_SMALLEST, math.log10(number.numerator) - math.log10(number.denominator)) if number else None


def _y(error: float) -> float:
    power = math.log10(abs(error)) if error and math.isfinite(error) else _HIGHEST if error else _LOWEST
    share = (min(max(power, _LOWEST), _HIGHEST) - _LOWEST) / (_HIGHEST - _LOWEST)
    return round(_BOTTOM - (_BOTTOM - _TOP) * share, 1)


def _mark(x: float, y: float, j: Judgement, value: str) -> str:
    """A cross for what fails, a triangle for what is loose, a dot for the rest: told apart without colour."""
    shape = (
        f'<path d="M{x - 4} {y - 4}l8 8m0 -8l-8 8"/>'
        if j.outcome in FAILING
        else f'<path d="M{x - 4} {y + 3}h8l-4 -7z"/>'
        if j.outcome == "loose"
        else f'<circle cx="{x}" cy="{y}" r="2.6"/>'
    )
    said = f"{j.row}: {j.outcome}, exact {value[:12]}, relative error {finite(abs(j.relative_error or 0.0))}"
    return f'<g class="mark {j.outcome}"><title>{escape(printable(said))}</title>{shape}</g>'


def _axes(low: int, high: int, tolerance: float) -> str:
    step = max(1, math.ceil((high - low) / 4))
    across = "".join(
        f'<text x="{round(_LEFT + (_RIGHT - _LEFT) * (k - low) / (high - low), 1)}" y="{_BOTTOM + 18}"'
        f' text-anchor="middle">1e{k}</text>'
        for k in range(low, high + 1, step)
    )
    up = "".join(
        f'<text x="{_LEFT - 8}" y="{_y(10.0**k) + 4}" text-anchor="end">1e{k}</text>' for k in (-16, -12, -8, -4, 0)
    )
    lines = "".join(
        f'<path class="limit" d="M{_LEFT} {_y(at)}H{_RIGHT}"/><text x="{_LEFT + 6}" y="{_y(at) - 4}">{words}</text>'
        for at, words in ((tolerance, "tolerance"), (2.0**-53, "rounding"))
    )
    frame = f'<path class="axis" d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}"/>'
    names = (
        f'<text x="{(_LEFT + _RIGHT) / 2}" y="{_BOTTOM + 38}" text-anchor="middle">exact value</text>'
        f'<text transform="translate(14 {(_TOP + _BOTTOM) / 2}) rotate(-90)" text-anchor="middle">relative error</text>'
    )
    return frame + across + up + lines + names
