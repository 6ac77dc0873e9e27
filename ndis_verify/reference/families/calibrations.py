"""Rows of the calibrations: `gaussian_std`, `rp_leverage` and `rp_ridge`. An answer may be on the safe side of the
value only.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.reference.rows import POSITIONS, Draw, RowSpec, around, text

_DELTAS = tuple(Fraction(1, 2**k) for k in (2, 4, 10, 17, 20, 30, 50, 100))


def rows() -> Iterator[RowSpec]:
    """Grids over the target, triples where the two branches of BW-Alg1 meet, extreme targets."""
    yield from _grid()
    yield from _branches()
    yield from _extremes()
    yield from _ridges()


def _std(name: str, sensitivity: Any, epsilon: Any, delta: Any, flags: tuple[str, ...], **fields: Any) -> RowSpec:
    inputs = {"sensitivity": text(sensitivity), "epsilon": text(epsilon), "delta": text(delta)}
    return RowSpec("gaussian_std", name, inputs, flags, "BW-T9", **fields)


def _leverage(name: str, r: int, epsilon: Any, delta: Any, flags: tuple[str, ...], **fields: Any) -> RowSpec:
    return RowSpec(
        "rp_leverage", name, {"r": r, "epsilon": text(epsilon), "delta": text(delta)}, flags, "N26-Fig1", **fields
    )


def _grid() -> Iterator[RowSpec]:
    number = 0
    for epsilon in (Fraction(0), Fraction(1, 64), Fraction(1, 4), Fraction(1), Fraction(3), Fraction(10)):
        for delta in _DELTAS:
            flags = ("safe_side", "epsilon_zero") if epsilon == 0 else ("safe_side",)
            yield _std(f"grid-{number}", 1, epsilon, delta, flags, core=number % 7 == 3)
            if epsilon or delta > Fraction(1, 2**40):
                r = (1, 2, 10, 50, 1000)[number % 5]
                yield _leverage(f"grid-{number}", r, epsilon, delta, flags, core=number % 7 == 4)
            number += 1
    for power in (-80, -20, 20, 80):
        yield _std(
            f"scaled-{power}",
            Fraction(2) ** power,
            1,
            Fraction(1, 2**20),
            ("safe_side", "scale", "invariance"),
            group="scaled",
            core=power == 20,
        )


def _branches() -> Iterator[RowSpec]:
    """delta around Phi(0) - e^epsilon Phi(-sqrt(2 epsilon)), where the sign of B's argument changes."""
    for number, epsilon in enumerate((Fraction(1, 16), Fraction(1, 2), Fraction(1), Fraction(3), Fraction(8))):
        with mpmath.workdps(40):
            e = mpmath.mpf(epsilon.numerator) / epsilon.denominator
            threshold = float(mpmath.mpf(1) / 2 - mpmath.exp(e) * mpmath.erfc(mpmath.sqrt(e)) / 2)
        for step in (2.0**-50, 2.0**-12):
            group = f"branch-{number}-{'next' if step < 1e-9 else 'near'}"
            for position, delta in zip(POSITIONS, around(threshold, step)):
                yield _std(
                    f"{group}-{position}",
                    1,
                    epsilon,
                    delta,
                    ("safe_side", "branch"),
                    group=group,
                    position=position,
                    core=number == 2,
                )


def _extremes() -> Iterator[RowSpec]:
    for number in range(36):
        draw = Draw(f"calibration-extreme/{number}")
        epsilon, delta = (
            draw.log_dyadic(-20, 6),
            draw.among((Fraction(13, 32), Fraction(1, 2**12), Fraction(1, 2**70), Fraction(1, 2**100))),
        )
        yield _std(f"extreme-{number}", draw.log_dyadic(-3, 3), epsilon, delta, ("safe_side",), core=number % 12 == 1)
        r = draw.among((1, 3, 17, 400, 10**4))
        yield _leverage(f"extreme-{number}", r, draw.log_dyadic(-8, 6), delta, ("safe_side",), core=number % 12 == 1)


def _ridges() -> Iterator[RowSpec]:
    for number in range(40):
        draw = Draw(f"ridge/{number}")
        inputs = {
            "norm_bound": text(draw.among((Fraction(1), Fraction(1), Fraction(3, 2**20), Fraction(5 * 2**30)))),
            "r": draw.among((1, 2, 10, 50, 1000)),
            "epsilon": text(draw.among((Fraction(1, 64), Fraction(1, 4), Fraction(1), Fraction(3), Fraction(10)))),
            "delta": text(draw.among(_DELTAS[:7])),
        }
        flags = ("safe_side", "scale") if inputs["norm_bound"] != "1" else ("safe_side",)
        yield RowSpec("rp_ridge", f"grid-{number}", inputs, flags, "N26-Fig1-smallest-ridge", core=number % 10 == 3)
