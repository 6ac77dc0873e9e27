"""Rows of `epsilon_for_delta`: the smallest epsilon of a pair at a delta."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.reference.rows import POSITIONS, Draw, RowSpec, around, text

_DELTAS = tuple(Fraction(1, 2**k) for k in (2, 5, 10, 17, 20, 33, 50, 100))


def rows() -> Iterator[RowSpec]:
    """Mean shifts, covariance shifts in both orders, mixed pairs; triples where epsilon reaches 0; delta = 0."""
    yield from _shifts()
    yield from _covariances()
    yield from _at_total_variation()
    yield from _without_delta()


def _row(
    name: str,
    delta: Any,
    mean: list[Any],
    cov: Any,
    flags: tuple[str, ...],
    claim: str,
    swapped: bool = False,
    **fields: Any,
) -> RowSpec:
    sides = ([mean, cov], [[0] * len(mean), 1])
    if swapped:
        sides = sides[::-1]
    inputs = {
        "mean_p": text(sides[0][0]),
        "cov_p": text(sides[0][1]),
        "mean_q": text(sides[1][0]),
        "cov_q": text(sides[1][1]),
    }
    return RowSpec("epsilon_for_delta", name, {**inputs, "delta": text(delta)}, flags, claim, **fields)


def _shifts() -> Iterator[RowSpec]:
    for number in range(32):
        draw = Draw(f"epsilon-shift/{number}")
        yield _row(
            f"shift-{number}",
            _DELTAS[number % 8],
            [draw.dyadic(Fraction(1, 2), 3, 16)],
            1,
            ("mean_only", "safe_side"),
            "BW-T8",
            core=number % 8 == 4,
        )


def _covariances() -> Iterator[RowSpec]:
    for number in range(64):
        draw = Draw(f"epsilon-cov/{number}")
        d = draw.among((1, 1, 2, 3, 16))
        value = draw.among((Fraction(3, 2), Fraction(4), Fraction(5, 8)))
        cov = [value] * d if number % 2 or d > 3 else [draw.log_dyadic(-2, 2) for _ in range(d)]
        mean = [draw.among((0, Fraction(1, 2)))] + [0] * (d - 1)
        flags = (
            ("repeated_eigenvalues", "safe_side")
            if d > 3
            else ("mixed_signs", "safe_side")
            if number % 2 == 0 and d > 1
            else ("safe_side",)
        )
        yield _row(
            f"covariance-{number}",
            _DELTAS[(number // 2) % 8],
            mean,
            cov,
            flags,
            "N26-T4.1",
            swapped=draw.below(2) == 1,
            core=number % 9 == 2,
        )


def _at_total_variation() -> Iterator[RowSpec]:
    """delta at and next to the total variation distance, where epsilon becomes 0."""
    pairs: list[tuple[list[Any], list[Any]]] = [
        ([1], [1]),
        ([0], [2]),
        ([0], [Fraction(1, 2)]),
        ([Fraction(1, 4)], [3]),
        ([0, 0], [2, Fraction(1, 4)]),
        ([Fraction(1, 2), 0], [1, 2]),
    ]
    for number, (mean, cov) in enumerate(pairs):
        value = certified_hockey_stick(GaussianPair(mean, cov, [0] * len(mean), 1), 0, digits=25)
        at = float(value.upper)
        at = at if Fraction(at) >= value.upper else math.nextafter(at, 1)  # from here on epsilon is 0
        for position, delta in zip(POSITIONS, around(at, 2.0**-30)):
            yield _row(
                f"total-variation-{number}-{position}",
                delta,
                mean,
                cov,
                ("epsilon_zero", "branch"),
                "N26-L1",
                group=f"total-variation-{number}",
                position=position,
                core=number == 3,
            )


def _without_delta() -> Iterator[RowSpec]:
    pairs: list[tuple[list[Any], list[Fraction]]] = [
        ([0], [Fraction(1, 2)]),
        ([Fraction(1, 2)], [Fraction(1, 4)]),
        ([0, 0, 0], [Fraction(3, 4)] * 3),
    ]
    for number, (mean, cov) in enumerate(pairs):
        yield _row(f"pure-{number}", 0, mean, cov, ("largest_loss", "exact_zero"), "N24-C2", core=number == 0)
