"""Rows of the closed forms: `gaussian_hockey_stick` and `rp_hockey_stick`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.reference.rows import POSITIONS, Draw, RowSpec, around, text


def rows() -> Iterator[RowSpec]:
    """Mean shift, then random projection in both directions."""
    yield from _gaussian_grid()
    yield from _gaussian_far()
    yield from _projection_grid()
    yield from _projection_far()
    yield from _projection_ends()


def _gaussian(name: str, sensitivity: Any, std: Any, epsilon: Any, flags: tuple[str, ...], **fields: Any) -> RowSpec:
    inputs = {"sensitivity": text(sensitivity), "std": text(std), "epsilon": text(epsilon)}
    return RowSpec("gaussian_hockey_stick", name, inputs, flags, "BW-T8", **fields)


def _gaussian_grid() -> Iterator[RowSpec]:
    number = 0
    for ratio in (
        Fraction(1, 1024),
        Fraction(1, 8),
        Fraction(1, 2),
        Fraction(1),
        Fraction(2),
        Fraction(8),
        Fraction(40),
    ):
        for epsilon in (0, Fraction(1, 64), Fraction(1, 2), 1, 2, 5, 20):
            if epsilon > 30 * ratio:  # below 1e-200: the far rows and the logarithms go there
                continue
            for std in (1, Fraction(3, 2**40), 3 * 2**40):
                flags = (
                    ("mean_only", "epsilon_zero")
                    if epsilon == 0
                    else ("mean_only",)
                    if std == 1
                    else ("mean_only", "scale")
                )
                yield _gaussian(f"grid-{number}", ratio * std, std, epsilon, flags, core=number % 19 == 7)
                number += 1


def _gaussian_far() -> Iterator[RowSpec]:
    for number in range(45):
        draw = Draw(f"gaussian-far/{number}")
        yield _gaussian(
            f"far-{number}",
            draw.log_dyadic(-5, 0),
            1,
            draw.dyadic(1, 12, 32) if number % 2 else draw.log_dyadic(-12, -2),
            ("tail_by_subtraction",) if number % 2 else ("mean_only",),
            core=number % 12 == 1,
        )
    yield _gaussian("no-shift", 0, 1, 1, ("trivial_end", "exact_zero"), core=True)
    for number in range(8):
        yield _gaussian(f"negative-{number}", 1, 1, -Fraction(number + 1, 4), ("negative_epsilon",))


def _projection(
    name: str, leverage: Any, r: int, epsilon: Any, direction: str, flags: tuple[str, ...], **fields: Any
) -> RowSpec:
    inputs = {"leverage": text(leverage), "r": r, "epsilon": text(epsilon), "direction": direction}
    return RowSpec("rp_hockey_stick", name, inputs, flags, "N26-L4" if direction == "delete" else "N24-C2", **fields)


def _projection_grid() -> Iterator[RowSpec]:
    number = 0
    for leverage in (Fraction(1, 1024), Fraction(1, 32), Fraction(1, 4), Fraction(3, 4), Fraction(31, 32)):
        for r in (1, 2, 3, 10, 51, 1000):
            for epsilon in (0, Fraction(1, 4), 1, 4):
                flags = (
                    ["monotone_pair"] + (["one_degree"] if r == 1 else []) + (["epsilon_zero"] if epsilon == 0 else [])
                )
                group = f"grid-{number}"
                for direction in ("delete", "insert"):
                    yield _projection(
                        f"grid-{number}-{direction}",
                        leverage,
                        r,
                        epsilon,
                        direction,
                        tuple(flags),
                        group=group,
                        core=number % 31 == 6,
                    )
                number += 1


def _projection_far() -> Iterator[RowSpec]:
    for number in range(40):
        draw = Draw(f"projection-far/{number}")
        r = draw.among((1, 4, 30, 10**4, 10**6))
        leverage = (
            draw.log_dyadic(-12, -9) if r > 10**5 else draw.log_dyadic(-9, -6) if r > 100 else draw.log_dyadic(-8, -2)
        )
        epsilon = draw.among((Fraction(1, 2), 1, 4)) if r > 100 else draw.among((2, 8, 20))
        flags = ("tail_by_subtraction", "high_dimension") if r > 100 else ("tail_by_subtraction",)
        yield _projection(f"far-{number}", leverage, r, epsilon, "delete", flags, core=number % 13 == 6)
    for direction in ("delete", "insert"):
        yield _projection(f"no-leverage-{direction}", 0, 10, 1, direction, ("trivial_end", "exact_zero"), core=True)


def _projection_ends() -> Iterator[RowSpec]:
    """Insertion around 2 epsilon = r log 1/(1-p), from where it is exactly 0."""
    for number, (leverage, r) in enumerate(
        ((Fraction(1, 2), 1), (Fraction(1, 2), 2), (Fraction(1, 4), 7), (Fraction(7, 8), 40), (Fraction(1, 64), 500))
    ):
        with mpmath.workdps(40):
            end = float(-mpmath.log1p(-mpmath.mpf(leverage.numerator) / leverage.denominator) * r / 2)
        for step in (0.0, 2.0**-16):
            group = f"end-{number}-{'near' if step else 'next'}"
            for position, epsilon in zip(POSITIONS, around(end, step)):
                flags = ("largest_loss", "exact_zero") if position == "above" else ("largest_loss",)
                yield _projection(
                    f"{group}-{position}",
                    leverage,
                    r,
                    epsilon,
                    "insert",
                    flags,
                    group=group,
                    position=position,
                    core=number == 2 and math.isclose(step, 2.0**-16),
                )
