"""A vector plus independent noise, each entry rounded exactly to the grid: the Gaussian and the Laplace mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType

import flint
import numpy as np

from ndis_verify.mechanisms.exact import grid
from ndis_verify.mechanisms.exact.grid import Release, grid_exponent, multiple, nearest, require_arithmetic
from ndis_verify.mechanisms.exact.normals import PANEL, PLACES, Normals, error_bound, standard_normals
from ndis_verify.mechanisms.exact.stream import Stream

_DIGITS = 64  # of the first enlarged precision
_LAPLACE = "Laplace"
_LARGEST = np.finfo(float).max
_NONE: Mapping[int, Fraction] = MappingProxyType({})


def add_normal(value: np.ndarray, std: float, stream: Stream, exact: Mapping[int, Fraction] = _NONE) -> Release:
    """`value + std z` rounded to the grid of `std`, z independent standard normals; value and std meant exactly.

    exact: by their places in one row, the entries that float64 does not hold.
    """
    require_arithmetic()
    exponent = grid_exponent(std, "std")
    ratio = math.ldexp(std, -exponent)  # exact, from 2^20 to 2^21
    flat, result = value.ravel(), np.empty(value.size)
    for index, start in enumerate(range(0, flat.size, PANEL)):
        part = flat[start : start + PANEL]
        normals = standard_normals(stream, "noise", index, part.size)
        base, rest = _split(part, exponent)
        moved = _nearest_sums(rest, exponent, ratio, normals)
        result[start : start + PANEL] = _joined(base, moved, exponent)
        for place in [k for k in exact if start <= k < start + PANEL]:
            noise = partial(_normal_in_units, ratio, normals, place - start)
            result[place] = multiple(_settled(partial(_sum, exact[place], exponent, noise)), exponent)
    return Release(result.reshape(value.shape), math.ldexp(1.0, exponent), stream.source)


def add_laplace(value: np.ndarray, scale: float, stream: Stream, exact: Mapping[int, Fraction] = _NONE) -> Release:
    """`value + scale x` rounded to the grid of `scale`, x independent standard Laplace variates: a sign times -log of a
    uniform.

    Every entry is computed in balls, some 10 microseconds each.
    """
    require_arithmetic()
    exponent = grid_exponent(scale, "scale")
    ratio = flint.arb(math.ldexp(scale, -exponent))
    base, rest = _split(value.ravel(), exponent)

    def noise(k: int, bits: int) -> flint.arb:
        return ratio * _standard_laplace(stream, k, bits)

    moved = [_settled(partial(_sum, left, exponent, partial(noise, k))) for k, left in enumerate(rest.tolist())]
    result = _joined(base, np.array(moved, dtype=float), exponent)
    for k, entry in exact.items():
        result[k] = multiple(_settled(partial(_sum, entry, exponent, partial(noise, k))), exponent)
    return Release(result.reshape(value.shape), math.ldexp(1.0, exponent), stream.source)


def _sum(value: float | Fraction, exponent: int, noise: Callable[[int], flint.arb], bits: int) -> flint.arb:
    """A value and its noise in units of the grid, in balls."""
    return flint.arb(flint.fmpq(*value.as_integer_ratio())) * flint.arb((1, -exponent)) + noise(bits)


def _normal_in_units(ratio: float, normals: Normals, position: int, bits: int) -> flint.arb:
    return flint.arb(ratio) * normal_ball(normals, position, bits)


def _split(value: np.ndarray, exponent: int) -> tuple[np.ndarray | float, np.ndarray]:
    """A multiple of 2^exponent beside each number, and what is left: both exact, and what is left at most 2^31 units.

    A number of 2^52 units and more is a multiple itself, as its last binary place is at least one unit.
    """
    if _largest(value) < math.ldexp(1.0, min(exponent + 31, 1023)):
        return 0.0, value
    with np.errstate(over="ignore", under="ignore"):
        units = _scaled(value, -exponent)
        base = _scaled(np.rint(units), exponent)
        if np.abs(units).max(initial=0.0) >= 2.0**52:
            base = np.where(np.abs(units) < 2.0**52, base, value)
        return base, value - base


def _largest(value: np.ndarray) -> float:
    return max(float(value.max(initial=0.0)), -float(value.min(initial=0.0)))


def _joined(base: np.ndarray | float, moved: np.ndarray, exponent: int) -> np.ndarray:
    """The sums of both, to the nearest float64, none beyond the largest."""
    with np.errstate(over="ignore"):
        result = _scaled(moved, exponent)
        result += base
        if math.isfinite(_largest(result)):
            return result
        # the noise may be beyond float64, the sum within
        again = _scaled(_scaled(base, -80) + _scaled(moved, exponent - 80), 80)
        return np.clip(np.where(np.isfinite(result), result, again), -_LARGEST, _LARGEST)


def _scaled(value: np.ndarray | float, exponent: int) -> np.ndarray:
    return np.asarray(value) * 2.0**exponent if abs(exponent) < 1000 else np.ldexp(value, exponent)


def _nearest_sums(rest: np.ndarray, exponent: int, ratio: float, normals: Normals) -> np.ndarray:
    """`rest/2^exponent + ratio z` to the nearest whole number."""
    size = _largest(normals.value)
    with np.errstate(under="ignore"):
        sums = _scaled(rest, -exponent)
    most = _largest(sums) + ratio * size
    sums += ratio * normals.value
    wholes = np.rint(sums)
    # z errs by at most 2^-52 (size + 4.5), the product and the sum by 2^-53 of themselves, the scaling by 2^-1074 of a
    # unit.
    bound = ratio * error_bound(size) + 2.0**-51 * most + 2.0**-50 + grid.SLACK
    sums -= wholes
    np.abs(sums, out=sums)
    for k in np.flatnonzero(~(sums <= 0.5 - bound)).tolist():
        wholes[k] = _settled(partial(_sum, float(rest[k]), exponent, partial(_normal_in_units, ratio, normals, k)))
    return wholes


def _settled(enclose: Callable[[int], flint.arb]) -> int:
    """The whole number nearest to what the balls enclose, with as many digits as it takes."""
    bits = _DIGITS
    while True:
        with flint.ctx.workprec(bits + 1200):  # what is left of a float64 has up to 1,100 binary places
            found = nearest(enclose(bits))
        if found is not None:
            return found
        bits *= 2


def normal_ball(normals: Normals, position: int, bits: int) -> flint.arb:
    """One of the normals, to `bits` more digits than a float64 has."""
    start, width = normals.cell(position, bits)
    unit = -(33 + PLACES + bits)
    return flint.arb((2 * start + width, unit), flint.arb((width, unit)))


def _standard_laplace(stream: Stream, k: int, bits: int) -> flint.arb:
    digits = stream.digits(_LAPLACE, 0, k, bits + 1)
    sign, uniform = 1 - 2 * (digits >> bits), digits & ((1 << bits) - 1)
    with flint.ctx.workprec(bits + 32):
        ball = flint.arb((2 * uniform + 1, -bits - 1), flint.arb((1, -bits - 1)))
        return -sign * ball.log()
