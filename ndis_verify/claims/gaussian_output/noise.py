"""The noise that Figure 5 prescribes for Gaussian outputs, and what the corrected bound asks for: what they cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from ndis_verify.claim import Evidence, Outcome
from ndis_verify.claims.general_bound.claims import greater_direction
from ndis_verify.court.attack import enclosed_difference, enclosure_of
from ndis_verify.court.points import count
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.fast import covariance_shift as bounds
from ndis_verify.fast.mean_shift import gaussian_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle import covariance_shift as certified_bounds
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick as certified_gaussian_hockey_stick

Point = Mapping[str, Any]


def prescribed(
    point: Point, v: Callable[[Point], Fraction] = lambda p: exact(p["added"]), swap: bool = False
) -> Enclosure:
    """At the added variance: exact delta minus the target, if the printed delta_LC there is at most the target.

    The two outputs are N(0, first + v) and N(0, second + v); the printed covariance term is 0 as 2 eps >= nu. A printed
    delta_LC above the target gives -1: the figure then prescribes more noise.
    """
    first, second, added = exact(point["first"]), exact(point["second"]), v(point)
    epsilon, target = exact(point["epsilon"]), exact(point["delta"])
    ratio = (first + added) / (second + added)
    printed = certified_bounds.less_spread_bound([ratio], epsilon, 15)
    if printed.upper > target:
        return enclosure_of(Fraction(-1), Fraction(-1))
    pair = GaussianPair([0], first + added, [0], second + added)
    value = certified_hockey_stick(pair.swapped() if swap else pair, epsilon, digits=15)
    return enclosed_difference(value, enclosure_of(target, target))


PRESCRIBED_POINT = {"first": 9, "second": 1, "epsilon": 1, "delta": "1e-6", "added": "0.26"}
PRESCRIBED_MUTANTS = {
    "the insertion direction alone": lambda point: prescribed(point, swap=True),
    "less noise than printed": lambda point: prescribed(point, lambda p: Fraction(1, 10)),
    "noise from the exact law": lambda point: prescribed(point, lambda p: Fraction(80)),
}


def gaussian_process_excess(point: Point, scale: Fraction = Fraction(1)) -> Enclosure:
    """N26-Pr8's sensitivities at v: exact delta of variances l^2 + v and v minus the target, printed delta_LC <=
    target.
    """
    v, epsilon, target, e1 = (exact(point[name]) for name in ("added", "epsilon", "delta", "e1"))
    n, label, noise = exact(point["n"]), exact(point["B"]), exact(point["noise"])
    v *= scale
    printed_cov = certified_bounds.less_spread_bound([(v + 1) / v], epsilon - e1, 15)
    with mpmath.workdps(40):
        # rounded up: N26-P1 grows in it
        shift = exact(mpmath.sqrt(to_mpf(n * label**2 / (noise * v)))) * (1 + Fraction(1, 10**30))
    mean = certified_gaussian_hockey_stick(shift, 1, e1, 15)
    with working_bits(200):
        printed = enclosure(to_exact_ball(mean) + ball(e1).exp() * to_exact_ball(printed_cov))
    if printed.upper > target:
        return enclosure_of(Fraction(-1), Fraction(-1))
    value = certified_hockey_stick(GaussianPair([0], (v + 1) / v, [0], 1), epsilon, digits=15)
    return enclosed_difference(value, enclosure_of(target, target))


PROCESS_POINT = {"n": 16, "B": "0.5", "noise": 250, "epsilon": 1, "delta": "1e-5", "e1": "0.547", "added": "0.68"}


def unbounded_ratio(point: Point, bounded: bool = False) -> Enclosure:
    """rho(v) - log 1.9 for databases with variances 2k and k, k = 1, 2, ...: at least the pair k = 100 v."""
    v = exact(point["added"])
    k = 1 if bounded else 100 * v
    with working_bits(100):
        return enclosure((ball(2 * k + v) / ball(k + v)).log() - ball(Fraction(19, 10)).log())


def logistic_regression(v: float, n: int = 455, d: int = 30, strength: float = 3.0, norm: float = 1.5):
    """N26-Pr7's sensitivities."""
    low = 1 / (strength + n * norm**2 / 4)
    rho = math.log((v + 1 / strength) / (v + low))
    return norm / strength / math.sqrt(v + low), rho, d * rho, d


def gaussian_process(v: float, n: int = 16, label: float = 0.5, noise: float = 250.0, norm: float = 1.0):
    """N26-Pr8's sensitivities."""
    rho = math.log1p(norm**2 / v)
    return norm * label * math.sqrt(n) / math.sqrt(noise * v), rho, rho, 1


def worst_at_noise(term: str):
    """Exact delta of both directions at the calibrated noise, worst spectrum, mean shift spread or in one direction."""

    def run(effort: str) -> Evidence:
        worst, total = -math.inf, 0
        for sensitivities, deltas_wanted in ((logistic_regression, (1e-5, 1e-2)), (gaussian_process, (1e-5, 1e-9))):
            for target in deltas_wanted[: count(effort, 1, 2)]:
                v = bounds.added_variance(sensitivities, epsilon=1.0, delta=target, term=term)
                shift, rho, nu, d = sensitivities(v)
                logs = np.tile(bounds.worst_logs(rho, nu, d), (2, 1))
                squares = np.full(logs.shape, shift**2 / logs.shape[1])
                squares[1] = shift**2 * (np.arange(logs.shape[1]) == 0)
                excess = float(greater_direction(logs, squares, np.ones(2)).max()) / target
                worst, total = max(worst, excess), total + 2
        outcome = Outcome.HELD if worst <= 1 else Outcome.FAILED
        return Evidence(
            outcome, "fast, calibrated noise", f"largest delta over target {worst:.3g}", count=total, counted="pairs"
        )

    return run


def noise_bracket(shrink: float = 1.0):
    """With certified terms at the best split, the bound at the calibrated v (times `shrink`) is at most the target."""

    def run(effort: str) -> Evidence:
        worst = -math.inf
        for sensitivities, epsilon, target in ((logistic_regression, 1.0, 1e-5), (gaussian_process, 1.0, 1e-5)):
            v = bounds.added_variance(sensitivities, epsilon=epsilon, delta=target) * shrink
            worst = max(
                worst, min(_certified_sum(sensitivities(v), epsilon, first) for first in (True, False)) / target
            )
        outcome = Outcome.HELD if worst <= 1 + 1e-6 else Outcome.FAILED
        return Evidence(
            outcome,
            "certified terms at a split",
            f"largest bound over target {worst:.9g}",
            count=2,
            counted="mechanisms",
        )

    return run


def _certified_sum(sensitivities: tuple[float, float, float, int], epsilon: float, mean_first: bool) -> float:
    """The certified two-step sum at the best of 400 splits; the split is found in float64."""
    shift, rho, nu, d = sensitivities
    shares = (np.arange(400) + 0.5) / 400
    for _ in range(3):
        mean = gaussian_hockey_stick(shift, 1.0, epsilon * shares)
        cov = bounds.covariance_envelope(rho, nu, d, epsilon * (1 - shares))
        e1 = epsilon * (shares if mean_first else 1 - shares)
        values = mean + np.exp(e1) * cov if mean_first else cov + np.exp(e1) * mean
        best, step = shares[int(values.argmin())], shares[1] - shares[0]
        shares = np.clip(best + step * np.linspace(-1, 1, 401), 1e-9, 1 - 1e-9)
    e_mean = Fraction(float(epsilon * best))
    ratio = Fraction(math.exp(rho)) * (1 + Fraction(1, 10**15))
    of_mean = float(certified_gaussian_hockey_stick(shift, 1, e_mean, 15).upper)
    of_cov = float(certified_bounds.more_spread_bound([ratio] * d, exact(epsilon) - e_mean, 15).upper)
    spent = float(e_mean if mean_first else exact(epsilon) - e_mean)
    terms = (of_mean, of_cov) if mean_first else (of_cov, of_mean)
    return terms[0] + math.exp(spent) * terms[1]
