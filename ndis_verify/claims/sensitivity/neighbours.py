"""What the bounds of sensitivities are held to: searches over neighbouring databases, and no record against one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from ndis_verify.claim import Check, Evidence, Kind, Outcome
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.checks import formula_check
from ndis_verify.court.domain import Domain, Point
from ndis_verify.court.points import count
from ndis_verify.fast.sensitivity import loewner_sensitivity

RECORDS = 4
_ROUNDING = 1e-9
PUBLIC = (
    "n must be a public upper bound: under add/remove the size is private, and a v computed from it is not the same on"
    " both sides. "
)
LONE = {f"entry_{i + 1}": 1 - i % 2 for i in range(2 * RECORDS)} | {f"label_{i + 1}": 1 for i in range(RECORDS)}


def worst_ratio(bounds: tuple[float, ...], pair: tuple, added: float) -> float:
    """1 - (found/bound), the least over both orders and the three numbers."""
    found = [loewner_sensitivity(pair[0], pair[1], added), loewner_sensitivity(pair[1], pair[0], added)]
    return min(1 - value / bound if bound else -value for values in found for value, bound in zip(values, bounds))


def _scaled(bounds: Callable[..., tuple], index: int, factor: float) -> Callable[..., tuple]:
    """The bounds with one of the three made smaller."""
    return lambda *point: tuple(value * (factor if k == index else 1) for k, value in enumerate(bounds(*point)))


def attacked(
    margin: Callable, domain: Domain, bounds: Callable[..., tuple], factors: tuple[float, float], start: Point
) -> Check:
    """The search over neighbouring databases, from no record against one (`start`), where the sharper bounds are
    attained.
    """
    faults = {"Delta": (0, factors[0]), "rho_inf": (1, factors[1])}
    return attack_check(
        "search over neighbouring databases",
        margin(bounds),
        domain,
        mutants={
            f"{label} times {factor}": margin(_scaled(bounds, k, factor)) for label, (k, factor) in faults.items()
        },
        quick=500,
        full=20_000,
        tolerance=_ROUNDING,
        vectorised=False,
        starts=(start,),
    )


def _attained(
    bound: Callable[..., Fraction], found: Callable[..., Fraction], factor: Fraction
) -> Callable[[str], Evidence]:
    def run(effort: str) -> Evidence:
        rng = np.random.default_rng(41)
        total = count(effort, 20, 200)
        for _ in range(total):
            point = tuple(Fraction(int(k), 8) for k in rng.integers(1, 80, 3))
            if found(*point) != bound(*point) * factor:
                return Evidence(
                    Outcome.FAILED, "exact rational", f"ratio {found(*point)} at l = {point[0]}", count=total
                )
        return Evidence(Outcome.HELD, "exact rational", "attained by no record against one", 60, total)

    return run


def attained_check(bound: Callable[..., Fraction], found: Callable[..., Fraction]) -> Check:
    """The sharper ratio against the one of the exact covariances of no record and one, at lengths, scales and added
    variances.
    """
    fault = {"one part in a million": _attained(bound, found, Fraction(1_000_001, 1_000_000))}
    return Check(
        "attained exactly by no record against one", Kind.CROSSCHECK, _attained(bound, found, Fraction(1)), fault
    )


def bound_check(name: str, derive: Callable, value: Callable[..., float]) -> Check:
    """The derived bound as a number against the function that the attacks use."""

    def points(effort: str) -> list[tuple[float, ...]]:
        rng = np.random.default_rng(42)
        size = len(derive().symbols)
        return [tuple(float(x) for x in rng.integers(1, 40, size) / 4) for _ in range(count(effort, 6, 40))]

    return formula_check(name, derive, value, points, digits=12)
