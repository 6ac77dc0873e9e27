"""Standard normals whose binary digits go on for ever: a ziggurat of 1,024 layers with dyadic edges.

The area below e^{-x^2/2}, x >= 0, is covered by layers of one area A. Layer k >= 1 is the rectangle [0, x_k] by
[y_{k-1}, y_k]; layer 0 is [0, x_1] by [0, y_0] and, beyond x_1, what lies below y_0 e^{-(x - x_1)/w}. Edges x_k and the
rate w are multiples of 2^-32; with A = y_0 (x_1 + w) and y_k = y_{k-1} + A/x_k all areas are equal *exactly*, whatever
the edges, so ten random bits draw a layer. What has to be true is that the layers cover the curve: y_0 at least
e^{-x_1^2/2}, w >= 1/x_1, every x_k at least where the curve has the height y_{k-1}, the last height at least 1. Balls
decide that.

A point of a layer is uniform there, and its abscissa is kept if the point is below the curve. A draw holds 53 bits, a
whole number m from -2^52 to 2^52 - 1, of the place x_k (m + f)/2^52; f in [0, 1) are digits not yet drawn. It is kept
or thrown away once the decision is one and the same for every f, so that f is uniform afterwards, and the normal is

    z = slope (m + f)/2^52        or, beyond x_1,      z = +-(x_1 + w (j + (m + f)/2^52)),

affine in digits yet to come. No elementary function in float64 is relied on: near the curve float64 compares with two
parabolas that balls have shown to lie on either side of it, and what lies between them is decided in balls, with more
digits where need be. Beyond x_1 the exponential comes from von Neumann's comparison of uniforms.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np

from ndis_verify.mechanisms.exact.stream import Stream

PANEL = 2**16  # normals drawn at once, where a caller has no shape of its own to follow
PLACES = 52  # binary digits of the place that every draw holds
LARGEST_SLOPE = 4.5
_LAYERS = 1024
_GRAIN = 32  # edges are multiples of 2^-_GRAIN
_RIM = 17350130000  # x_1 in that unit: about the largest for which the last height reaches 1
_SLACK = 2.0**-40  # of a comparison in float64: its operands are right to a few units of 2^-52
_TAIL = _LAYERS  # in place of a layer
_PIECE = 2**13


@dataclass(frozen=True)
class _Layers:
    """Per layer, as arrays: `slope` in units of 2^-32, with that of the tail last; `scale` = slope 2^-84 as a float;
    `inner`: places up to it lie under the curve; heights from `low` to `low + rise`; and the curve lies between
    `below` and `above` plus `incline |x| + bend x^2`."""

    slope: tuple[int, ...]
    scale: np.ndarray
    inner: np.ndarray
    low: np.ndarray
    rise: np.ndarray
    below: np.ndarray
    above: np.ndarray
    incline: np.ndarray
    bend: np.ndarray


@dataclass(frozen=True)
class Normals:
    """A batch of standard normals: `value` in float64, and what more digits of each are made of.

    |z - value| <= 2^-52 (|value| + LARGEST_SLOPE) for every digit yet to come.
    """

    value: np.ndarray
    _words: np.ndarray
    _place: dict[int, int]  # of those that are not the first draw at their position
    _beyond: dict[int, tuple[int, int]]  # position: sign and j of those in the tail
    _stream: Stream
    _address: tuple[str, int]

    def cell(self, position: int, bits: int) -> tuple[int, int]:
        """(N, W): z lies between N and N + W in units of 2^-(84 + bits), after `bits` more digits. W <= 2^35."""
        label, index = self._address
        place = self._place.get(position, position)
        if position in self._beyond:
            sign, whole = self._beyond[position]
            start, slope = _beyond(self._stream, self._address, place, whole, bits)
            return (start, slope) if sign > 0 else (-start - slope, slope)
        word = int(self._words[position])
        slope = _layers().slope[word & (_LAYERS - 1)]
        return slope * ((_signed(word) << bits) | self._stream.digits(f"{label}, digits", index, place, bits)), slope


def error_bound(values: Any) -> Any:
    """How far the normals may lie from their float64 values."""
    return 2.0**-52 * (np.abs(values) + LARGEST_SLOPE)


def standard_normals(stream: Stream, label: str, index: int, count: int) -> Normals:
    """`count` independent standard normals, the same for the same address (label, index) of the same stream."""
    layers, words, value = _layers(), stream.words(label, index, count), np.empty(count)
    doubtful = []
    for start in range(0, count, _PIECE):  # temporaries that stay in the cache
        part = slice(start, start + _PIECE)
        doubtful.append(start + _first_look(layers, words[part], value[part]))
    undecided = np.concatenate(doubtful) if doubtful else np.empty(0, dtype=np.intp)
    batch = Normals(value, words, {}, {}, stream, (label, index))
    _settle(batch, undecided)
    return batch


def _first_look(layers: _Layers, words: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Values of the words, and where a draw is not below the curve for sure."""
    layer = (words & (_LAYERS - 1)).view(np.int64)
    np.multiply(words.view(np.int64) >> 11, layers.scale.take(layer), out=value)
    return np.flatnonzero(np.abs(value) > layers.inner.take(layer))


def _settle(batch: Normals, undecided: np.ndarray) -> None:
    """Draws that may lie above the curve are decided, and drawn anew where they do, until each is below it."""
    stream, (label, index), words = batch._stream, batch._address, batch._words
    places, used, seen = undecided, _even(words.size), 0
    while undecided.size:
        heights = stream.words(f"{label}, heights", index, undecided.size, seen)
        seen += _even(undecided.size)
        undecided = undecided[~_below_curve(batch, undecided, places, heights)]
        places = used + np.arange(undecided.size)
        batch._place.update(zip(undecided.tolist(), places.tolist()))
        fresh, value = stream.words(label, index, undecided.size, used), np.empty(undecided.size)
        used += _even(undecided.size)
        doubtful = _first_look(_layers(), fresh, value)
        words[undecided], batch.value[undecided] = fresh, value
        undecided, places = undecided[doubtful], places[doubtful]


def _even(count: int) -> int:
    return count + count % 2


def _below_curve(batch: Normals, positions: np.ndarray, places: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Which of the draws lie below the curve. Those beyond x_1 get their exponential here."""
    layers = _layers()
    layer = (batch._words[positions] & (_LAYERS - 1)).astype(np.intp)
    size = np.abs(batch.value[positions])
    height = layers.low[layer] + layers.rise[layer] * ((heights >> 12) * 2.0**-PLACES)
    line = size * (layers.incline[layer] + layers.bend[layer] * size)
    kept = height < line + layers.below[layer]
    for k in np.flatnonzero(~kept & (height <= line + layers.above[layer])).tolist():
        kept[k] = _decided(batch, int(positions[k]), int(places[k]), int(heights[k]) >> 12)
    return kept


def _decided(batch: Normals, position: int, place: int, height: int) -> bool:
    """The same in balls, digit by digit, for one draw."""
    stream, (label, index), word = batch._stream, batch._address, int(batch._words[position])
    layer, m, bits = word & (_LAYERS - 1), _signed(word), 64
    slope = _layers().slope[layer]
    while True:
        start = slope * ((m << bits) | stream.digits(f"{label}, digits", index, place, bits))
        start = start if m >= 0 else -start - slope
        rim = _RIM << (PLACES + bits)
        if layer == 0 and start >= rim:
            return _in_tail(batch, position, place, 1 if m >= 0 else -1)
        with flint.ctx.workprec(128 + bits):
            floor, rise = _heights(128 + bits)[layer]
            share = _middle(
                (height << bits) | stream.digits(f"{label}, finer heights", index, place, bits), PLACES + bits
            )
            gap = floor + rise * share - _curve(start, slope, bits)
            if (layer > 0 or start + slope <= rim) and (gap < 0 or gap > 0):
                return bool(gap < 0)
        bits *= 2


def _in_tail(batch: Normals, position: int, place: int, sign: int) -> bool:
    """A draw beyond x_1: an exponential in units of w, kept with the curve's share of its envelope."""
    stream, (label, index), bits = batch._stream, batch._address, 64
    whole = _whole_part(stream, batch._address, place)
    while True:
        start, slope = _beyond(stream, batch._address, place, whole, bits)
        with flint.ctx.workprec(128 + bits):
            level = _middle(stream.digits(f"{label}, tail heights", index, place, bits), bits)
            more = _middle(stream.digits(f"{label}, tail {whole}", index, place, PLACES + bits), PLACES + bits)
            gap = level * _heights(128 + bits)[0][1] * (-whole - more).exp() - _curve(start, slope, bits)
            if gap < 0 or gap > 0:
                break
        bits *= 2
    if gap < 0:
        start, slope = _beyond(stream, batch._address, place, whole, 0)
        batch._beyond[position] = sign, whole
        batch.value[position] = sign * ((2 * start + slope) / 2 ** (_GRAIN + PLACES + 1))
    return bool(gap < 0)


def _whole_part(stream: Stream, address: tuple[str, int], place: int) -> int:
    """j of a standard exponential j + u, whose u has the digits of "tail j" (von Neumann 1951).

    Uniforms u > u_1 > u_2 > ... fall until one does not: u stands where an even number of them fell, else the next j is
    tried. Only so many digits of u are looked at as the comparison with u_1 takes; the rest stay uniform.
    """
    label, index = address
    whole = 0
    while True:
        last, fallen = f"{label}, tail {whole}", 0
        while _less(stream, index, place, following := f"{label}, tail {whole} {fallen}", last):
            last, fallen = following, fallen + 1
        if fallen % 2 == 0:
            return whole
        whole += 1


def _less(stream: Stream, index: int, place: int, first: str, second: str) -> bool:
    """Whether one uniform is below another, by as many digits as it takes."""
    bits = 64
    while (one := stream.digits(first, index, place, bits)) == (other := stream.digits(second, index, place, bits)):
        bits *= 2
    return one < other


def _beyond(stream: Stream, address: tuple[str, int], place: int, whole: int, bits: int) -> tuple[int, int]:
    """(N, W) of x_1 + w (j + u) in units of 2^-(84 + bits)."""
    label, index = address
    share = stream.digits(f"{label}, tail {whole}", index, place, PLACES + bits)
    slope = _layers().slope[_TAIL]
    return (_RIM << (PLACES + bits)) + slope * ((whole << (PLACES + bits)) + share), slope


def _signed(word: int) -> int:
    """m of a word: its upper 53 bits in two's complement."""
    m = word >> 11
    return m - (1 << 53) if m >> 52 else m


def _middle(number: int, bits: int) -> flint.arb:
    """The ball of all continuations of a binary fraction."""
    return flint.arb((2 * number + 1, -bits - 1), flint.arb((1, -bits - 1)))


def _curve(start: int, width: int, bits: int) -> flint.arb:
    """e^{-x^2/2} over a cell in units of 2^-(84 + bits)."""
    unit = _GRAIN + PLACES + bits
    x = flint.arb((2 * start + width, -unit - 1), flint.arb((width, -unit - 1)))
    return (-x * x / 2).exp()


@functools.cache
def _edges() -> tuple[list[int], list[flint.arb]]:
    """x_1 ... x_{N-1} in units of 2^-32, each where the curve is at most the height below it, and those heights y_0 ...
    y_{N-1}.

    Raises `ArithmeticError` where the layers do not cover the curve.
    """
    with flint.ctx.workprec(256):
        edges, heights = [_RIM], [_base()]
        area = _base() * (_RIM + _tail_slope()) / 2**_GRAIN
        while len(heights) < _LAYERS:
            heights.append(heights[-1] + area * 2**_GRAIN / edges[-1])
            if len(heights) < _LAYERS:
                edges.append(_ceiling(_where(heights[-1])))
        if not (heights[-1] >= 1 and heights[0] >= _curve(_RIM, 0, -PLACES) and _RIM * _tail_slope() >= 4**_GRAIN):
            raise ArithmeticError("the layers do not cover the normal density")
        return edges, heights


def _ceiling(value: flint.arb) -> int:
    """The least whole number that is surely not below."""
    found = value.upper().ceil().unique_fmpz()
    assert found is not None  # the digits of the precision reach far beyond the point
    return int(found)


def _base() -> flint.arb:
    """y_0: e^{-x_1^2/2}, rounded up to a multiple of 2^-64."""
    return flint.arb((_ceiling(_curve(_RIM, 0, -PLACES) * 2**64), -64))


def _tail_slope() -> int:
    """w, in units of 2^-32: at least 1/x_1."""
    return -(-(4**_GRAIN) // _RIM)


def _where(height: flint.arb) -> flint.arb:
    """Where the curve has that height, in units of 2^-32."""
    return (-2 * height.log()).sqrt() * 2**_GRAIN


@functools.cache
def _heights(bits: int) -> list[tuple[flint.arb, flint.arb]]:
    """(y_{k-1}, y_k - y_{k-1}) of every layer, 0 below the first, at a precision."""
    with flint.ctx.workprec(bits + 32):
        area = _base() * (_RIM + _tail_slope()) / 2**_GRAIN
        result = [(flint.arb(0), _base())]
        for edge in _edges()[0]:
            result.append((result[-1][0] + result[-1][1], area * 2**_GRAIN / edge))
        return result


@functools.cache
def _layers() -> _Layers:
    """The table, each entry of which is on the safe side: what float64 takes in or leaves out for sure is so."""
    edges, heights = _edges()
    slope = (_RIM + _tail_slope(), *edges, _tail_slope())
    inner, lines = np.empty(_LAYERS), np.empty((4, _LAYERS))
    with flint.ctx.workprec(256):
        for k in range(_LAYERS):
            least = max(_where(heights[k]).lower() / 2**_GRAIN, flint.arb(0)) if heights[k] < 1 else flint.arb(0)
            inner[k] = float(least) - _SLACK
            lines[:, k] = (
                (-np.inf, np.inf, 0.0, 0.0) if k == 0 else _parabolas(least, flint.arb(edges[k - 1]) / 2**_GRAIN)
            )
        parts = np.array([[float(part) for part in layer] for layer in _heights(256)])
    scale = np.ldexp(np.array(slope[:-1], dtype=float), -_GRAIN - PLACES)
    return _Layers(slope, scale, inner, parts[:, 0], parts[:, 1], *lines)


def _parabolas(start: flint.arb, end: flint.arb) -> tuple[float, float, float, float]:
    """(below, above, incline, bend): the curve lies between `below` and `above` plus `incline x + bend x^2` from
    `start` to `end`.

    What a parabola of the curve's own second derivative in the middle leaves has one of at most half the width times
    the largest third derivative, and so is within width^2/8 times that of the straight line between its ends.
    """
    middle, width = (start + end) / 2, end - start
    whole = start.union(end)
    third = (whole * (3 - whole**2) * (-whole * whole / 2).exp()).abs_upper()
    bend = float((middle**2 - 1) * (-middle * middle / 2).exp() / 2)
    first, last = (((-x * x / 2).exp() - bend * x * x, x) for x in (start, end))
    incline = float((last[0] - first[0]) / width)
    offsets = [float(value - incline * x) for value, x in (first, last)]
    room = float((third * width**3 / 16).upper()) + _SLACK
    return min(offsets) - room, max(offsets) + room, incline, bend
