"""Claims about how wide: intervals around the divergence of two histograms, and their bins."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
from flint import arb

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.histogram.laws import DRAWS, EXACT, draws_needed, random_laws
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.checks import formula_check
from ndis_verify.court.points import count, short
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.histogram import mean_distance_of_equal_laws, two_bin_distance_law
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import histogram as derived
from ndis_verify.symbolic import histogram_rate as rate


def _coverage_shortfall(point: dict) -> Enclosure:
    """1 - delta less the chance that |X - Y|/n is within tau of `tv`, X ~ Bin(n, p), Y ~ Bin(n, q); n as
    KM-4.2 asks.
    """
    tau, failure, n = point["tau"], point["delta"], int(point["n"])
    if n < draws_needed(2, tau, failure):
        raise ValueError("n is smaller than the statement asks")
    law = two_bin_distance_law(point["p"], point["q"], n)
    covered = sum((chance for value, chance in law.items() if abs(value - point["tv"]) <= tau), Fraction(0))
    with working_bits(128):
        return enclosure(ball(1 - failure - covered))


def _lower_shortfall(point: dict) -> Enclosure:
    """1 - delta less the chance that |X - Y|/n - sqrt(2) tau, rounded down, is at most `tv`."""
    law = two_bin_distance_law(point["p"], point["q"], int(point["n"]))
    held = sum(
        (chance for value, chance in law.items() if value - point["tau"] * Fraction(141421, 100000) <= point["tv"]),
        Fraction(0),
    )
    with working_bits(128):
        return enclosure(ball(1 - point["delta"] - held))


_HIDDEN = {
    "p": Fraction(1, 2),
    "q": Fraction(1, 2),
    "tv": Fraction(1),
    "tau": Fraction(1, 2),
    "delta": Fraction(1, 2),
    "n": Fraction(12),
}


def _tail_excess(power: Fraction) -> Callable[[dict], Enclosure]:
    """Lower bound of the mean error for the tail (1 + x^3)^-power less the printed proof's bound 2 sqrt(1/(n h) + h^2
    R/pi^2).
    """

    def certify(point: dict) -> Enclosure:
        with working_bits(160):
            n, third = ball(point["n"]), arb(1) / 3
            rough = ball(Fraction(23, 320))
            h = (6 / rough / n) ** third
            start = (n * h / 2) ** (2 * third)
            lower = (1 + (start + h) ** 3) ** (-ball(power)) / 4
            return enclosure(lower - 2 * (1 / (n * h) + h**2 * rough / arb.pi() ** 2).sqrt())

    return certify


def _missing_mass(power: int):
    """E TV of two histograms of one law is at least sum p (1 - p)^(n power), exactly."""

    def run(effort: str) -> Evidence:
        laws = [laws[0] for laws in random_laws(53, count(effort, 8, 30))] + [tuple([Fraction(1, 40)] * 40)]
        for law in laws:
            for n in (2, 7, 20):
                bound = sum((p * (1 - p) ** (n * power) for p in law), Fraction(0))
                if mean_distance_of_equal_laws(law, n) < bound:
                    return Evidence(Outcome.FAILED, EXACT, f"below {float(bound):.3g} at n = {n}", count=len(laws))
        return Evidence(
            Outcome.HELD,
            EXACT,
            "mean distance at least the mass of bins the other sample misses",
            count=3 * len(laws),
            counted="laws and n",
        )

    return run


def _width_by_quadrature(n: float, std: float) -> mpmath.mpf:
    """(12/(2 R))^{1/3} n^{-1/3} with R by quadrature of the squared slope."""
    with mpmath.workdps(30):
        s = mpmath.mpf(std)
        slope = lambda x: x / s**2 * mpmath.npdf(x, 0, s)  # noqa: E731
        roughness = 2 * mpmath.quad(lambda x: slope(x) ** 2, [0, s, 4 * s, 12 * s])
        return mpmath.cbrt(12 / (2 * roughness)) * mpmath.mpf(n) ** (-mpmath.mpf(1) / 3)


def _widths(effort: str) -> list[tuple[int, float]]:
    rng = np.random.default_rng(55)
    return [(10 ** int(rng.integers(2, 9)), short(rng.uniform(0.1, 5))) for _ in range(count(effort, 4, 12))]


_ANY = "any two differentiable densities"

CLAIMS = (
    Claim(
        id="KM-CI",
        tags=("reading",),
        source="KM",
        title="TV of the histograms plus or minus tau as a confidence interval",
        statement=(
            "It is evident that with n as in KM-4.2 the interval [TV^ - tau, TV^ + tau] contains TV(P, Q) with"
            " probability at least 1 - delta."
        ),
        hypotheses=("n independent draws from P and from Q", "n >= max(k/tau^2, (2/tau^2) log(2/delta))"),
        declared=Verdict.REFUTED,
        checks=(
            counterexample_check(
                "two laws that the bins do not tell apart",
                _coverage_shortfall,
                _HIDDEN,
                {
                    "the same laws, TV of the bins": {**_HIDDEN, "tv": Fraction(0)},
                    "laws told apart": {**_HIDDEN, "p": Fraction(1), "q": Fraction(0)},
                    "lower limit only": _lower_shortfall,
                },
            ),
        ),
        counterexample=(
            "P uniform on [0,1/4] and [1/2,3/4], Q on the other two quarters, bins [0,1/2) and [1/2,1): TV(P, Q) = 1,"
            " both bins have mass 1/2 under both. tau = 1/2, delta = 1/2, n = 12 draws each: Pr[TV^ >= 1/2] = Pr[|X -"
            " Y| >= 6], X, Y ~ Bin(12, 1/2), is 0.023, not 0.5."
        ),
        corrected=(
            "TV^ +- sqrt(2) tau covers the TV of the binned laws, and TV^ - sqrt(2) tau <= TV(P, Q), with probability"
            " at least 1 - delta (KM-CI-corrected)."
        ),
        note=(
            "Lemma 2 speaks of one sample and one law; printed is [p~ - tau, p~ + tau], p~ a law, for 'the TV distance"
            " estimate', and section 7 uses it for TV(P, Q): that is what is judged here. Only a lower limit is"
            " possible for TV(P, Q) without assumptions on the densities: the bias of binning has one sign and no"
            " bound."
        ),
    ),
    stated_claim(
        id="KM-CI-corrected",
        source="KM",
        title="an interval for the TV of the binned laws and a lower limit for TV(P, Q)",
        stated=statement(
            "e^{-n tau^2/2} + e^{-2 n tau^2} <= delta",
            *("0 < delta < 1", "0 < tau <= 1", "k >= 2", "n >= k/tau^2", "n >= (2/tau^2) log(2/delta)"),
            over=DRAWS,
        ),
        about=(
            "With n independent draws from each law and k bins fixed before the draws, TV^ +- sqrt(2) tau fails to"
            " cover the TV of the binned laws with probability at most the left side, and its lower end is a lower"
            " limit for TV(P, Q)."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("both chances", derived.both_failures),
            proof("bias, bounded differences, binning", derived.interval),
        ),
        note=(
            "For other orders use KM-4.3 with tau in each law: both fail with probability at most delta/2 each, so H^ -"
            " (1 + e^eps) tau is a lower limit at level 1 - delta."
        ),
    ),
    Claim(
        id="KM-T4.4",
        source="KM",
        title="rate n^{-1/3} at the printed bin width",
        statement=(
            "For any two one-dimensional laws with differentiable densities the histogram's divergence at the printed"
            " width has mean absolute error O(n^{-1/3})."
        ),
        formula="h = (12/(int P'^2 + int Q'^2))^{1/3} n^{-1/3}; E|H_a(P^||Q^) - H_a(P||Q)| = O(n^{-1/3})",
        hypotheses=(
            "n independent draws from each law",
            "differentiable densities",
            "a >= 0",
            "infinitely many bins of width h",
        ),
        declared=Verdict.RESTRICTED,
        checks=(
            counterexample_check(
                "the error exceeds the bound of the printed proof",
                _tail_excess(Fraction(1, 6)),
                {"n": Fraction(10**9)},
                {"tail (1 + x^3)^-1": _tail_excess(Fraction(1)), "n = 10^6": {"n": Fraction(10**6)}},
                part=_ANY,
            ),
            proof("the error is at least of order n^{-2/9}", rate.heavy_tail, part=_ANY),
            Check(
                "mass of the bins that one sample misses",
                Kind.CROSSCHECK,
                _missing_mass(1),
                {"without the factor (1-p)^n": _missing_mass(0)},
                _ANY,
            ),
            proof("what the width minimises", rate.width_of_least_square_error, part="width"),
            proof("rate with a second moment", rate.second_moment, part="second moment, density of bounded variation"),
        ),
        counterexample=(
            "P = Q with Pr[X > x] = (1 + x^3)^{-1/6}, x > 0 (int P'^2 = 23/320): E TV^ >= (1 + (X + h)^3)^{-1/6}/4, X ="
            " (n h/2)^{2/3}, of order n^{-2/9}. At n = 10^9 that is 0.0019; the printed proof's bound 2 sqrt(E int (P^"
            " - P)^2) is at most 0.00122."
        ),
        corrected=(
            "If E X^2 and int |density'| are finite under both laws the rate holds at every width C n^{-1/3}"
            " (KM-T4.4-corrected)."
        ),
        note=(
            "The printed proof bounds int |f| by sqrt(int f^2) on the whole line, which holds on sets of length at most"
            " 1 only. The width minimises the sum of the two mean integrated square errors, not the error of the"
            " divergence. Densities like |x|^{-1-c} with c < 1 break the rate; smoother ones, tail (1 + x^6)^{-1/12},"
            " do so alike."
        ),
    ),
    Claim(
        id="KM-T4.4-corrected",
        source="KM",
        title="rate n^{-1/3} for laws with a second moment",
        statement=(
            "If E X^2 and int |density'| are finite under P and Q, the histogram's divergence at h = C n^{-1/3} has"
            " mean absolute error O(n^{-1/3}), for every a >= 0."
        ),
        formula="E int |P^ - P| <= sqrt((1 + 2 E X^2 + 2 h^2)(1 + pi/h)/n) + (h/2) int |P'|",
        hypotheses=(
            "n independent draws from each law",
            "E X^2 finite under P and Q",
            "int |P'|, int |Q'| finite",
            "h = C n^{-1/3}, C > 0",
            "a >= 0",
        ),
        declared=Verdict.PROVED,
        checks=(proof("bias and sampling", rate.second_moment),),
    ),
    stated_claim(
        id="KM-C4.5",
        source="KM",
        title="bin width for two Gaussians of one variance",
        stated=statement(
            "(12/(2 b))^{1/3} n^{-1/3} = 2 3^{1/3} pi^{1/6} s n^{-1/3}",
            *("s > 0", "n >= 1"),
            where={"b": "1/(4 sqrt(pi) s^3)"},
            over=(real("s", "0.01", 100, "log"),),
        ),
        about="b is the integral of the squared slope of the normal density; the width is 3.4908 s n^{-1/3}.",
        declared=Verdict.PROVED,
        checks=(
            proof("roughness of a normal density", rate.gaussian_width),
            formula_check(
                "against quadrature of the squared slope", rate.gaussian_width, _width_by_quadrature, _widths, digits=18
            ),
        ),
        note="Equal to Scott's width for one law: two equal roughnesses double both terms of the error.",
    ),
)
