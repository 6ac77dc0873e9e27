"""Rows of `generalized_chi2_cdf` and `generalized_chi2_sf`."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ndis_verify.reference.rows import POSITIONS, Draw, RowSpec, around, text

_TAILS = ("cdf", "sf")


def rows() -> Iterator[RowSpec]:
    """Each law at one point, its lower and its upper tail as two rows."""
    for number, row in enumerate(_laws()):
        name, inputs, flags, fields = row
        for tail in _TAILS:
            yield RowSpec(
                f"generalized_chi2_{tail}", name, inputs, flags, "N26-D1" if number % 2 else "N26-T4.1", **fields
            )


def _law(
    name: str,
    weights: list[Any],
    dofs: list[int],
    noncentralities: list[Any],
    std: Any,
    shift: Any,
    x: Any,
    flags: tuple[str, ...],
    **fields: Any,
) -> tuple[str, dict[str, Any], tuple[str, ...], dict[str, Any]]:
    values = {"weights": weights, "noncentralities": noncentralities, "std": std, "shift": shift, "x": x}
    inputs = {key: text(value) for key, value in values.items()}
    return name, {**inputs, "dofs": [str(k) for k in dofs]}, flags, fields


def _laws() -> Iterator[tuple[str, dict[str, Any], tuple[str, ...], dict[str, Any]]]:
    yield from _chi2()
    yield from _positive()
    yield from _mixed()
    yield from _gaussian_part()
    yield from _far()
    yield from _ends()


def _chi2() -> Iterator[Any]:
    number = 0
    for dof in (1, 2, 3, 8, 100):
        for noncentrality in (Fraction(0), Fraction(1, 2), Fraction(9)):
            for share in (Fraction(1, 8), Fraction(1), Fraction(3)):
                flags = ("body", "one_degree") if dof == 1 else ("body", "noncentral") if noncentrality else ("body",)
                yield _law(
                    f"chi2-{number}",
                    [1],
                    [dof],
                    [noncentrality],
                    0,
                    0,
                    share * (dof + noncentrality),
                    flags,
                    core=number % 20 == 1,
                )
                number += 1


def _positive() -> Iterator[Any]:
    for number in range(45):
        draw = Draw(f"chi2-positive/{number}")
        k = 2 + draw.below(4)
        weights = [draw.log_dyadic(-3, 3) for _ in range(k)]
        dofs = [draw.among((1, 1, 2, 5)) for _ in range(k)]
        lambdas = [draw.among((0, 0, Fraction(1, 2), 3)) for _ in range(k)]
        mean = sum(w * (n + v) for w, n, v in zip(weights, dofs, lambdas))
        sign = -1 if number % 3 == 0 else 1
        yield _law(
            f"one-sign-{number}",
            [sign * w for w in weights],
            dofs,
            lambdas,
            0,
            0,
            sign * draw.among((Fraction(1, 4), Fraction(1), Fraction(2))) * mean,
            ("noncentral",),
            core=number % 15 == 2,
        )


def _mixed() -> Iterator[Any]:
    for number in range(36):
        draw = Draw(f"chi2-mixed/{number}")
        k = 1 + draw.below(3)
        weights = [draw.log_dyadic(-2, 2) for _ in range(k)] + [-draw.log_dyadic(-2, 2)]
        dofs = [draw.among((1, 2, 3)) for _ in weights]
        lambdas = [draw.among((0, Fraction(1, 4), 2)) for _ in weights]
        yield _law(
            f"mixed-{number}",
            weights,
            dofs,
            lambdas,
            0,
            draw.dyadic(-1, 1, 8),
            draw.dyadic(-8, 8, 64),
            ("mixed_signs",),
            core=number % 15 == 2,
        )


def _gaussian_part() -> Iterator[Any]:
    for number in range(30):
        draw = Draw(f"chi2-gaussian/{number}")
        weights = [draw.log_dyadic(-2, 2) * draw.among((1, -1)) for _ in range(1 + draw.below(2))] if number % 6 else []
        dofs, lambdas = [draw.among((1, 2)) for _ in weights], [draw.among((0, 1)) for _ in weights]
        yield _law(
            f"gaussian-{number}",
            weights or [1],
            dofs or [1],
            lambdas or [0],
            draw.among((Fraction(1, 8), 1, 3)),
            Fraction(1, 2),
            draw.dyadic(-6, 6, 64),
            ("linear_part",),
            core=number % 15 == 2,
        )


def _far() -> Iterator[Any]:
    for number in range(36):
        draw = Draw(f"chi2-far/{number}")
        weights = [draw.log_dyadic(-1, 2) for _ in range(1 + draw.below(3))]
        dofs, lambdas = [draw.among((1, 2, 4)) for _ in weights], [draw.among((0, 1)) for _ in weights]
        if number % 3 == 2:
            weights[-1] = -weights[-1]
        far = draw.among((60, 200, 600)) * max(weights) if number % 3 else Fraction(1, 2 ** draw.among((10, 20, 40)))
        yield _law(f"far-{number}", weights, dofs, lambdas, 0, 0, far, ("tail_by_subtraction",), core=number % 15 == 4)


def _ends() -> Iterator[Any]:
    """Below, at and above the end of a half-bounded support."""
    laws: list[tuple[list[Any], list[int]]] = [
        ([1], [1]),
        ([2], [2]),
        ([1, 3], [1, 1]),
        ([-1], [1]),
        ([-1, Fraction(-1, 2)], [3, 1]),
    ]
    for number, (weights, dofs) in enumerate(laws):
        for position, x in zip(POSITIONS, around(Fraction(3, 4).numerator / 4, 2.0**-30)):
            flags = ("exact_zero", "one_degree")
            yield _law(
                f"end-{number}-{position}",
                weights,
                dofs,
                [0] * len(weights),
                0,
                Fraction(3, 4),
                x,
                flags,
                group=f"end-{number}",
                position=position,
                core=number == 0,
            )
