"""Rows of `hockey_stick` and `log_hockey_stick`: pairs of Gaussians at an epsilon."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.reference.rows import POSITIONS, Draw, RowSpec, around, text

_WITH_LOGARITHM = ("scalar", "mixed", "near", "linear", "tail", "wide")
_EPSILONS = (Fraction(1, 8), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))


def rows() -> Iterator[RowSpec]:
    """All rows; beside some whose loss is unbounded stands a row of the logarithm, which also has the deep tails."""
    for number, row in enumerate(_hockey_stick_rows()):
        yield row
        if number % 2 == 1 and row.name.startswith(_WITH_LOGARITHM) and _spread(row):
            yield RowSpec("log_hockey_stick", row.name, row.inputs, row.flags, row.claim, core=row.core)
    yield from _deep_tails()


def _spread(row: RowSpec) -> bool:
    """Whether P = N(m, diag) spreads wider than N(0, 1) in some coordinate: then no epsilon makes the divergence 0."""
    return any(Fraction(v) > 1 for v in row.inputs["cov_p"])


def pair(
    name: str,
    epsilon: Any,
    mean: Any,
    cov_p: Any,
    flags: Sequence[str],
    claim: str,
    cov_q: Any = 1,
    swapped: bool = False,
    quantity: str = "hockey_stick",
    **fields: Any,
) -> RowSpec:
    """The row of N(mean, cov_p) against N(0, cov_q), or of the swapped pair."""
    sides = ([mean, cov_p], [[0] * len(mean), cov_q])
    if swapped:
        sides = sides[::-1]
    inputs = {
        "mean_p": text(sides[0][0]),
        "cov_p": text(sides[0][1]),
        "mean_q": text(sides[1][0]),
        "cov_q": text(sides[1][1]),
    }
    return RowSpec(quantity, name, {**inputs, "epsilon": text(epsilon)}, tuple(flags), claim, **fields)


def largest_loss(mean: Sequence[Fraction], cov: Sequence[Fraction]) -> float:
    """The largest privacy loss of N(mean, diag cov) against N(0, I), every variance below 1, rounded to binary64."""
    with mpmath.workdps(60):
        logs = sum(mpmath.log(mpmath.mpf(v.numerator) / v.denominator) for v in map(Fraction, cov))
        shifts = sum((Fraction(m) ** 2 / (1 - Fraction(v)) for m, v in zip(mean, cov)), Fraction(0))
        return float(-logs / 2 + mpmath.mpf(shifts.numerator) / shifts.denominator / 2)


def _hockey_stick_rows() -> Iterator[RowSpec]:
    yield from _scalar()
    yield from _loewner()
    yield from _mixed()
    yield from _repeated()
    yield from _near_equal()
    yield from _mean_only()
    yield from _dense()
    yield from _linear_part()
    yield from _tails()
    yield from _edges()
    yield from _negative()
    yield from _wide()
    yield from _scaled()
    yield from _same_value()
    yield from _isotropic()


def _scalar() -> Iterator[RowSpec]:
    number = 0
    for variance in (
        Fraction(1, 16),
        Fraction(1, 2),
        Fraction(3, 4),
        Fraction(5, 4),
        Fraction(2),
        Fraction(7),
        Fraction(64),
    ):
        for mean in (Fraction(0), Fraction(1, 2), Fraction(-2)):
            for epsilon in (Fraction(0), Fraction(1, 4), Fraction(1), Fraction(3)):
                flags = ["body", "one_degree"] + (["epsilon_zero"] if epsilon == 0 else [])
                yield pair(f"scalar-{number}", epsilon, [mean], [variance], flags, "N26-L1", core=number % 21 == 5)
                number += 1


def _loewner() -> Iterator[RowSpec]:
    for number in range(34):
        draw = Draw(f"loewner/{number}")
        d = draw.among((1, 2, 3, 5))
        cov = [1 + draw.dyadic(Fraction(1, 16), 6) for _ in range(d)]
        epsilon = draw.among(_EPSILONS)
        for swapped in (False, True):
            yield pair(
                f"loewner-{number}-{'less' if swapped else 'more'}",
                epsilon,
                [0] * d,
                cov,
                ("loewner_direction", "monotone_pair"),
                "N26-L3",
                swapped=swapped,
                group=f"loewner-{number}",
                core=number % 17 == 3,
            )


def _mixed() -> Iterator[RowSpec]:
    for number in range(100):
        draw = Draw(f"mixed/{number}")
        d = 2 + draw.below(7)
        cov = [draw.log_dyadic(-4, 4) for _ in range(d)]
        cov[0], cov[1] = Fraction(draw.among((3, 5, 11)), 2), Fraction(draw.among((3, 5, 7)), 8)
        mean = [draw.dyadic(-1, 1, 16) for _ in range(d)]
        yield pair(
            f"mixed-{number}",
            draw.among((0, *_EPSILONS)),
            mean,
            cov,
            ("mixed_signs",),
            "N26-T4.1",
            core=number % 14 == 0,
        )


def _repeated() -> Iterator[RowSpec]:
    for number in range(72):
        draw = Draw(f"repeated/{number}")
        d = draw.among((2, 4, 7, 16, 33, 64, 128, 256))
        values = [
            draw.among(
                (Fraction(1, 2), Fraction(7, 8), Fraction(9, 8), Fraction(3, 2), Fraction(65, 64), Fraction(63, 64))
            )
            for _ in range(draw.among((1, 1, 2)))
        ]
        cov = [values[k % len(values)] for k in range(d)]
        mean = [draw.among((0, Fraction(1, 4), Fraction(3, 8)))] + [0] * (d - 1)
        flags = ["repeated_eigenvalues"] + (["high_dimension"] if d >= 64 else [])
        yield pair(
            f"repeated-{number}",
            draw.among((*_EPSILONS, 8)),
            mean,
            cov,
            flags,
            "N26-T4.1",
            swapped=draw.below(2) == 1,
            core=number % 18 == 4,
        )


def _near_equal() -> Iterator[RowSpec]:
    number = 0
    for power in (8, 16, 26, 34, 40):
        step = Fraction(1, 2**power)
        for d in (1, 3):
            for shift in (0, 1):
                for epsilon in (0, step / 2, step * 4):
                    cov = [1 + step * (k + 1) for k in range(d)]
                    mean = [step * shift] + [0] * (d - 1)
                    yield pair(
                        f"near-equal-{number}", epsilon, mean, cov, ("near_equal",), "N26-L1", core=number % 20 == 3
                    )
                    number += 1


def _mean_only() -> Iterator[RowSpec]:
    for number in range(40):
        draw = Draw(f"mean-only/{number}")
        d = draw.among((1, 2, 3, 10))
        mean = [draw.dyadic(-2, 2, 32) for _ in range(d)]
        mean[0] = mean[0] or Fraction(1, 2)
        cov = draw.among((1, Fraction(9, 4), Fraction(1, 16)))
        yield pair(
            f"mean-only-{number}",
            draw.among((0, *_EPSILONS)),
            mean,
            cov,
            ("mean_only",),
            "N26-P1",
            cov_q=cov,
            core=number % 20 == 0,
        )


def _dense() -> Iterator[RowSpec]:
    for number in range(70):
        draw = Draw(f"dense/{number}")
        d = draw.among((2, 2, 3, 3, 4, 5, 6))
        mean = [draw.dyadic(-1, 1, 16) for _ in range(d)]
        yield pair(
            f"dense-{number}",
            draw.among((0, *_EPSILONS)),
            mean,
            _covariance(draw, d),
            ("dense",),
            "N24-T1",
            cov_q=_covariance(draw, d),
            core=number % 14 == 0,
        )


def _covariance(draw: Draw, d: int) -> list[list[Fraction]]:
    """L D L^T with a unit lower triangular L of quarters and a dyadic positive D: dyadic and positive definite."""
    lower = [[Fraction(int(i == j)) if j >= i else draw.dyadic(-1, 1, 8) for j in range(d)] for i in range(d)]
    diagonal = [draw.log_dyadic(-2, 2) for _ in range(d)]
    return [
        [sum((lower[i][k] * diagonal[k] * lower[j][k] for k in range(d)), Fraction(0)) for j in range(d)]
        for i in range(d)
    ]


def _linear_part() -> Iterator[RowSpec]:
    for number in range(40):
        draw = Draw(f"linear/{number}")
        cov = [Fraction(1), draw.among((Fraction(1, 2), Fraction(3, 2), Fraction(4)))]
        cov += [draw.log_dyadic(-2, 2) for _ in range(draw.below(3))]
        mean = [draw.among((Fraction(1, 4), Fraction(1), Fraction(-3, 2)))] + [draw.dyadic(-1, 1, 8) for _ in cov[1:]]
        yield pair(
            f"linear-{number}",
            draw.among((0, *_EPSILONS)),
            mean,
            cov,
            ("linear_part",),
            "N26-T4.1",
            swapped=draw.below(2) == 1,
            core=number % 9 == 0,
        )


def _tails() -> Iterator[RowSpec]:
    for number in range(60):
        draw = Draw(f"tail/{number}")
        d = draw.among((1, 2, 3, 5))
        cov = [1 + draw.dyadic(Fraction(1, 8), 2, 16) for _ in range(d)]
        mean = [draw.dyadic(-1, 1, 8) for _ in range(d)]
        epsilon = draw.among((8, 16, 24, 40, 64, 100))
        yield pair(f"tail-{number}", epsilon, mean, cov, ("tail_by_subtraction",), "N26-T4.1", core=number % 14 == 0)


def _edges() -> Iterator[RowSpec]:
    """Bounded losses: triples at relative steps 2^-44 to 2^-10 around the largest one, and beyond it."""
    for number in range(50):
        draw = Draw(f"edge/{number}")
        d = draw.among((1, 2, 3, 4, 10))
        cov = [draw.among((Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(7, 8)))] * d
        if draw.below(2):
            cov[-1] = Fraction(5, 8)
        mean = [draw.among((0, 0, Fraction(1, 8), Fraction(1, 2)))] + [0] * (d - 1)
        step = draw.among((2.0**-10, 2.0**-24, 2.0**-44))
        for position, epsilon in zip(POSITIONS, around(largest_loss(mean, cov), step)):
            flags = ("largest_loss", "exact_zero") if position == "above" else ("largest_loss",)
            yield pair(
                f"edge-{number}-{position}",
                epsilon,
                mean,
                cov,
                flags,
                "N24-C2",
                group=f"edge-{number}",
                position=position,
                core=number % 25 == 2,
            )


def _negative() -> Iterator[RowSpec]:
    for number in range(20):
        draw = Draw(f"negative/{number}")
        d = draw.among((1, 2, 3))
        cov = [draw.log_dyadic(-2, 2) for _ in range(d)]
        mean = [draw.dyadic(-1, 1, 8) for _ in range(d)]
        epsilon = draw.among(_EPSILONS)
        for name, value, swapped in (("plus", epsilon, True), ("minus", -epsilon, False)):
            yield pair(
                f"negative-{number}-{name}",
                value,
                mean,
                cov,
                ("negative_epsilon",),
                "N26-L1",
                swapped=swapped,
                group=f"negative-{number}",
                core=number == 3,
            )


def _wide() -> Iterator[RowSpec]:
    for number in range(36):
        draw = Draw(f"wide/{number}")
        cov = [
            draw.log_dyadic(-20, -12),
            draw.log_dyadic(12, 20),
            *(draw.log_dyadic(-2, 2) for _ in range(draw.below(3))),
        ]
        cov = cov[:1] if number % 6 == 0 else cov[1:2] if number % 6 == 1 else cov
        mean = [draw.dyadic(-1, 1, 8) for _ in cov]
        yield pair(
            f"wide-{number}", draw.among((*_EPSILONS, 16)), mean, cov, ("wide_ratio",), "N26-L1", core=number % 14 == 0
        )


def _scaled() -> Iterator[RowSpec]:
    """The same pair in other units: means times 2^k, covariances times 4^k."""
    for number, power in enumerate((-60, -20, 0, 20, 60)):
        unit = Fraction(2) ** power
        for kind, cov in (("more", Fraction(3)), ("less", Fraction(1, 3 + 1))):
            yield pair(
                f"scaled-{kind}-{number}",
                1,
                [unit, unit / 2],
                [cov * unit**2, 2 * unit**2],
                ("scale", "invariance"),
                "N26-L1",
                cov_q=unit**2,
                group=f"scaled-{kind}",
                core=power == 60,
            )


def _same_value() -> Iterator[RowSpec]:
    """A pair with diagonal covariances, and its images under shears with integer entries."""
    for number in range(14):
        draw = Draw(f"same/{number}")
        d = draw.among((2, 3, 4))
        cov, mean = [draw.log_dyadic(-2, 3) for _ in range(d)], [draw.dyadic(-1, 1, 8) for _ in range(d)]
        epsilon = draw.among(_EPSILONS)
        shear = [[Fraction(int(i == j)) if j >= i else Fraction(draw.below(5) - 2) for j in range(d)] for i in range(d)]
        image = [sum((shear[i][k] * mean[k] for k in range(d)), Fraction(0)) for i in range(d)]
        options: dict[str, Any] = {"group": f"same-{number}", "core": number == 5}
        yield pair(f"same-{number}-diagonal", epsilon, mean, cov, ("invariance",), "N26-L1", **options)
        yield pair(
            f"same-{number}-sheared",
            epsilon,
            image,
            _sheared(shear, cov),
            ("invariance", "dense"),
            "N26-L1",
            cov_q=_sheared(shear, [Fraction(1)] * d),
            **options,
        )


def _sheared(shear: list[list[Fraction]], diagonal: list[Fraction]) -> list[list[Fraction]]:
    d = range(len(diagonal))
    return [[sum((shear[i][k] * diagonal[k] * shear[j][k] for k in d), Fraction(0)) for j in d] for i in d]


def _isotropic() -> Iterator[RowSpec]:
    """Both covariances multiples of the identity, written as one number: d is known from the means alone."""
    for number in range(24):
        draw = Draw(f"isotropic/{number}")
        d = draw.among((2, 3, 5, 20))
        mean = [draw.among((0, Fraction(1, 2)))] + [0] * (d - 1)
        yield pair(
            f"isotropic-{number}",
            draw.among(_EPSILONS),
            mean,
            draw.among((Fraction(1, 2), Fraction(3, 4), Fraction(5, 4), Fraction(2))),
            ("repeated_eigenvalues",),
            "N26-T4.1",
            core=number % 8 == 1,
        )


def _deep_tails() -> Iterator[RowSpec]:
    for number in range(60):
        draw = Draw(f"deep/{number}")
        d = draw.among((1, 2, 3, 8))
        cov = [1 + draw.dyadic(Fraction(1, 8), 1, 8) for _ in range(d)]
        mean = [draw.dyadic(-1, 1, 8) for _ in range(d)]
        # log delta is about -epsilon/alpha for the largest variance 1 + alpha: 1e-1000 is -2303.
        epsilon = Fraction(round(draw.among((100, 400, 1000, 2300)) * (max(cov) - 1)))
        yield pair(
            f"deep-{number}",
            epsilon,
            mean,
            cov,
            ("deep_tail",),
            "N26-T4.1",
            quantity="log_hockey_stick",
            core=number % 9 == 0,
        )
    for number in range(20):
        draw = Draw(f"deep-mean/{number}")
        epsilon, shift = draw.among((10, 25, 60)), draw.among((Fraction(1, 2), Fraction(1), Fraction(2)))
        yield pair(
            f"deep-mean-{number}",
            epsilon + number,
            [shift],
            1,
            ("deep_tail", "mean_only"),
            "N26-P1",
            quantity="log_hockey_stick",
        )
    for number in range(12):
        step = 2.0 ** -(6 + 3 * number)
        edge = largest_loss([Fraction(1, 4), Fraction(0), Fraction(0)], [Fraction(1, 2)] * 3)
        yield pair(
            f"deep-edge-{number}",
            math.nextafter(edge * (1 - step), 0),
            [Fraction(1, 4), 0, 0],
            [Fraction(1, 2)] * 3,
            ("deep_tail", "largest_loss"),
            "N24-C2",
            quantity="log_hockey_stick",
        )
