"""Rounding to a public grid, last and exact: what a mechanism releases is a function of a draw from its real-number
law.

The grid is the multiples of 2^e, e fixed by public numbers. A real number is rounded to its nearest multiple, which is
post-processing, so the certificate of the law holds for the release whole. Multiples that float64 cannot hold are
rounded once more, to float64.
"""

from __future__ import annotations

import functools
import math
import os
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import flint
import numpy as np

from ndis_verify.exact_number import InputError

BITS = 20  # the grid's step is this many binary digits below the public scale
SLACK = (
    0.0  # added to every float64 error bound, in units of the grid: whatever it is, releases are the same, only later
)
FIRST_BITS, _MOST_BITS = 128, 2**17  # of balls
_one_at_a_time = threading.RLock()
_P = ParamSpec("_P")
_R = TypeVar("_R")


class Release(np.ndarray):
    """Released numbers, read-only, on a public grid.

    step: the grid's, a power of two. source: where the randomness came from, `stream.SYSTEM` or `stream.SEEDED`;
    releases whose source is a seeded generator are for experiments. No 0 has a sign, which would tell more than its
    point of the grid. What is computed from a release is a plain array.
    """

    step: float
    source: str

    def __new__(cls, values: Any, step: float, source: str) -> Release:
        plain = np.array(values, dtype=float)
        plain += 0.0  # the 0 without a sign
        result = plain.view(cls)
        result.step, result.source = step, source
        result.setflags(write=False)
        return result

    def __array_finalize__(self, other: Any) -> None:
        self.step, self.source = getattr(other, "step", math.nan), getattr(other, "source", "")

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if return_scalar or not plain.ndim else plain

    def __reduce__(self) -> tuple[Any, ...]:
        return Release, (np.asarray(self), self.step, self.source)

    def __repr__(self) -> str:
        return (
            f"Release({np.array2string(np.asarray(self), separator=', ')}, step={self.step!r}, source={self.source!r})"
        )


def releasing(release: Callable[_P, _R]) -> Callable[_P, _R]:
    """What every `release` is decorated with: no warning or exception of float64 arithmetic depends on the data, and
    releases of several threads take turns, as the precision of balls is one for the process.
    """

    @functools.wraps(release)
    def quiet(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with _one_at_a_time, np.errstate(all="ignore"):
            return release(*args, **kwargs)

    return quiet


def _anew() -> None:
    """A forked process has its own turns: the thread that had the lock is not in it."""
    global _one_at_a_time
    _one_at_a_time = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_anew)


def grid_exponent(scale: float, argument: str, bits: int = BITS) -> int:
    """e with 2^e the step for a public scale: `bits` binary digits below it. Raises `InputError` where float64 has no
    such step.
    """
    exponent = math.frexp(scale)[1] - 1 - bits if 0 < scale < math.inf else -(10**6)
    if exponent < -1074:
        raise InputError(argument, scale, "leaves no public grid to round a release to: there is too little randomness")
    return exponent


def nearest(number: flint.arb) -> int | None:
    """The whole number that every point of the ball is nearest to; None where there is no such."""
    found = (number + flint.arb((1, -1))).floor().unique_fmpz()
    return None if found is None else int(found)


def rounded(enclose: Callable[[int], list[flint.arb]], exponent: int) -> list[float]:
    """Numbers rounded to the multiples of 2^exponent. `enclose(bits)`: balls of them, ever smaller for more bits.

    Raises `ArithmeticError` where 2^17 bits do not decide: a number that is itself in the middle of two multiples.
    """
    bits = FIRST_BITS
    while bits <= _MOST_BITS:
        with flint.ctx.workprec(bits):
            unit = flint.arb((1, -exponent))
            wholes = [nearest(ball * unit) for ball in enclose(bits)]
        found = [multiple(whole, exponent) for whole in wholes if whole is not None]
        if len(found) == len(wholes):
            return found
        bits *= 2
    raise ArithmeticError("a number to be released lies in the middle of two points of its grid")


def multiple(whole: int, exponent: int) -> float:
    """whole 2^exponent, to the nearest float64; the largest one where it is beyond."""
    try:
        return whole / (1 << -exponent) if exponent < 0 else float(whole << exponent)
    except OverflowError:
        return float(np.finfo(float).max) * (1 if whole > 0 else -1)


def require_arithmetic() -> None:
    """float64 rounds to nearest, ties to even, and keeps subnormal numbers. Raises `ArithmeticError`: error bounds rest
    on it.
    """
    one, tiny = np.float64(1.0), np.float64(2.0**-1074)
    half = np.float64(2.0**-53)
    ok = one + half == one and one + half * np.float64(1.5) > one and one - half * np.float64(0.5) == one
    ok = (
        ok
        and -one - half == -one
        and (one + 2 * half) + half > one + 2 * half
        and tiny * np.float64(0.5) == 0 < tiny * one
    )
    if not ok:
        raise ArithmeticError(
            "float64 arithmetic is not set to round to nearest with subnormal numbers: nothing is released"
        )
