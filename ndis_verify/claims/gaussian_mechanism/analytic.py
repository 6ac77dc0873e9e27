"""Claims about the analytic Gaussian mechanism's algorithm: the two branches, the smallest std, float64."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.certified_numbers import at
from ndis_verify.court.checks import agreement
from ndis_verify.court.domain import Point
from ndis_verify.court.points import count, log_uniform, logit_uniform
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.fast.mean_shift import gaussian_std as fast_gaussian_std
from ndis_verify.oracle.certified import gaussian_calibration as calibrated
from ndis_verify.oracle.certified import gaussian_mechanism as certified
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick as certified_gaussian_hockey_stick
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.analytic_branches import both_branches


def _targets(effort: str) -> list[tuple[float, float, float]]:
    """(sensitivity, epsilon, delta) on both branches of the algorithm, near the branch point, in tails, at corners."""
    rng = np.random.default_rng(43)
    points = [(1.0, 1.0, 0.28620821), (1.0, 1.0, 0.28620822), (2.0, 1e-6, 0.5), (1.0, 50.0, 1e-30), (3.0, 10.0, 0.999)]
    while len(points) < count(effort, 16, 100):
        delta = logit_uniform(rng, 1e-3) if len(points) % 2 else log_uniform(rng, 1e-100, 0.5)
        points.append((log_uniform(rng, 0.01, 100), log_uniform(rng, 1e-6, 100), delta))
    return points


def _other_branch(sensitivity: float, epsilon: float, delta: float) -> Enclosure:
    """alpha replaced by 1/alpha: the std of the other branch at the same u."""
    std = calibrated.analytic_std(sensitivity, epsilon=epsilon, delta=delta, digits=25)
    with working_bits(120):
        return enclosure(ball(exact(sensitivity)) ** 2 / (2 * ball(exact(epsilon)) * to_exact_ball(std)))


def _smallest(std_of: Callable[..., Enclosure]) -> Callable[[str], Evidence]:
    """The certified divergence is at most delta just above `std_of` and above delta just below it."""

    def run(effort: str) -> Evidence:
        points = _targets(effort)
        for sensitivity, epsilon, delta in points:
            std, step = std_of(sensitivity, epsilon, delta), Fraction(1, 10**18)
            above, below = (
                certified_gaussian_hockey_stick(sensitivity, side, epsilon, digits=40)
                for side in (std.upper * (1 + step), std.lower * (1 - step))
            )
            if not above.upper <= exact(delta) < below.lower:
                where = f"sensitivity {sensitivity}, eps {epsilon}, delta {delta}"
                return Evidence(
                    Outcome.FAILED, "certified", f"not the smallest valid std at {where}", count=len(points)
                )
        return Evidence(Outcome.HELD, "certified", "divergence on both sides of the returned std", 18, len(points))

    return run


_ALGORITHM = Check(
    "the root of B+ or B- gives the smallest std that meets the target",
    Kind.CROSSCHECK,
    _smallest(
        lambda sensitivity, epsilon, delta: calibrated.analytic_std(
            sensitivity, epsilon=epsilon, delta=delta, digits=25
        )
    ),
    {
        "branches swapped": _smallest(_other_branch),
        "std without the sensitivity": _smallest(
            lambda sensitivity, epsilon, delta: calibrated.analytic_std(1, epsilon=epsilon, delta=delta, digits=25)
        ),
    },
)
_FAST = agreement(
    "float64 std against the algorithm's",
    "fast, certified",
    lambda sensitivity, epsilon, delta: fast_gaussian_std(sensitivity, epsilon=epsilon, delta=delta),
    lambda sensitivity, epsilon, delta: calibrated.analytic_std(sensitivity, epsilon=epsilon, delta=delta, digits=16),
    _targets,
    digits=9,
    mutants={
        "epsilon doubled": lambda sensitivity, epsilon, delta: fast_gaussian_std(
            sensitivity, epsilon=2 * epsilon, delta=delta
        )
    },
)
_BRANCHES = proof("both branches, and their order", both_branches)
_ALGORITHM_HYPOTHESES = (
    "eps > 0",
    "0 < delta < 1",
    "Delta > 0",
    "the root is exact, or rounded towards the larger sigma",
)


def _float_excess(point: Point) -> Enclosure:
    """delta reached less the target, for alpha = sqrt(1 + u/2) - sqrt(u/2) evaluated in float64 at the true u rounded
    once.
    """
    epsilon, delta = point["epsilon"], point["delta"]
    std = _printed_std(epsilon, delta)
    return certified.settled(
        lambda eps, target, std: certified.profile(1 / std, eps) - target,
        {"eps": epsilon, "target": delta, "std": exact(std)},
        8,
    )


def _printed_std(epsilon: Fraction, delta: Fraction) -> float:
    with mpmath.workdps(50):
        alpha = calibrated.analytic_std(1, epsilon=epsilon, delta=delta, digits=40).mid * mpmath.sqrt(
            2 * to_mpf(epsilon)
        )
        u = float((1 / alpha - alpha) ** 2 / 2)
    return float((np.sqrt(1 + u / 2) - np.sqrt(u / 2)) / np.sqrt(2 * float(epsilon)))


def _stable_excess(point: Point) -> Enclosure:
    """The same with alpha = 1/(sqrt(1 + u/2) + sqrt(u/2)) and one relative 1e-12 to the safe side."""
    std = fast_gaussian_std(1, epsilon=float(point["epsilon"]), delta=float(point["delta"]))
    return certified.settled(
        lambda eps, target, std: certified.profile(1 / std, eps) - target,
        {"eps": point["epsilon"], "target": point["delta"], "std": exact(std)},
        8,
    )


_BOTH_BRANCHES = statement(
    "delta_shift(Delta/sigma; eps) = Phi(-sqrt(eps u)) - e^eps Phi(-sqrt(eps (u + 2))),"
    " and delta_shift(Delta/tau; eps) = Phi(sqrt(eps u)) - e^eps Phi(-sqrt(eps (u + 2)))",
    *("eps > 0", "u >= 0", "Delta > 0"),
    where={
        "sigma": "(sqrt(1 + u/2) + sqrt(u/2)) Delta/sqrt(2 eps)",
        "tau": "(sqrt(1 + u/2) - sqrt(u/2)) Delta/sqrt(2 eps)",
    },
    over=(real("u", "1e-6", 1000, "log"), real("eps", "1e-6", 40, "log")),
)

CLAIMS = (
    stated_claim(
        id="BW-Alg1",
        source="BW",
        title="the analytic Gaussian mechanism's algorithm",
        stated=_BOTH_BRANCHES,
        about=(
            "With delta_0 = 1/2 - e^eps Phi(-sqrt(2 eps)): for delta >= delta_0 take the largest u >= 0 with B+(u) <="
            " delta, the second form below, and the std tau, else the smallest u with B-(u) <= delta and sigma: it is"
            " the smallest std that meets the target."
        ),
        declared=Verdict.PROVED,
        checks=(_BRANCHES, _ALGORITHM, _FAST),
        note=(
            "At delta = delta_0 both branches give u = 0, alpha = 1. eps = 0 divides by zero: there sigma = Delta/(2"
            " Phi^{-1}((1+delta)/2)). delta = 1 gives u infinite. A bisection must return the end with the larger"
            " sigma, or delta is overshot by its tolerance."
        ),
    ),
    Claim(
        id="BW-Alg1-float",
        tags=("reading",),
        source="BW",
        title="alpha evaluated as printed in float64",
        statement=(
            "On the branch delta >= delta_0, evaluating alpha = sqrt(1+u/2) - sqrt(u/2) in float64 keeps the target"
            " delta to 1e-6."
        ),
        hypotheses=("u the exact root rounded to float64",),
        declared=Verdict.REFUTED,
        checks=(
            counterexample_check(
                "delta overshot at a tiny eps",
                lambda point: certified.settled(
                    lambda excess: excess - ball(Fraction(1, 10**6)), {"excess": _float_excess(point).lower}, 4
                ),
                at(epsilon="1e-12", delta="0.5"),
                {"at eps = 1e-3": at(epsilon="1e-3", delta="0.5"), "without the difference": _stable_excess},
                part="float64",
            ),
        ),
        counterexample=(
            "eps = 1e-12, delta = 0.5: u = 4.5e11, sigma comes out 3.6e-5 too small and delta 1.6e-5 too large"
        ),
        corrected="alpha = 1/(sqrt(1+u/2) + sqrt(u/2)): the same number without the cancellation.",
        note=(
            "Large u on this branch means delta >> eps. At eps = 1e-3 nothing is lost; at eps = 1e-14 the third digit"
            " of sigma is."
        ),
    ),
    stated_claim(
        id="BW-T9",
        source="BW",
        title="the analytic Gaussian mechanism is (eps, delta)-DP",
        stated=_BOTH_BRANCHES,
        about=(
            "For every eps > 0 and delta in (0, 1) the mechanism with the sigma of the algorithm, BW-Alg1, at the"
            " exact root or one rounded towards the larger sigma, is (eps, delta)-DP: its divergence at the"
            " sensitivity Delta is one of these two."
        ),
        declared=Verdict.PROVED,
        checks=(
            _BRANCHES,
            _ALGORITHM,
        ),
        note="The real-number algorithm; sampling in floating point is another matter.",
    ),
)
