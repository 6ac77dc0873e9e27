"""Claims about the figures of the histogram auditor on known laws: total variation, two trade-off curves."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb
from scipy.special import ndtr, ndtri

from ndis_verify.audit.histogram import audit_scores
from ndis_verify.audit.limits import tv_radius
from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.points import count
from ndis_verify.court.proof_checks import proof
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.fast.trade_off import laplace_trade_off
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick as certified_gaussian_hockey_stick
from ndis_verify.oracle.trade_off import cdf
from ndis_verify.symbolic import histogram as derived
from ndis_verify.symbolic import score_auditing as limits

_RATE, _STD = Fraction(1, 4), Fraction(3, 10)
_SEEDED = "seeded draws"
_LONG = {"n": Fraction(50000), "bins": Fraction(63)}


def _inside_chance(point: dict) -> Enclosure:
    """1/1000 less the largest chance that n draws of N(0, s^2) lie in an interval of `bins` widths of KM-C4.5."""
    with working_bits(160):
        n = ball(point["n"])
        width = 2 * arb(3) ** (arb(1) / 3) * arb.pi() ** (arb(1) / 6) * n ** (-arb(1) / 3)  # in units of s
        one = 2 * cdf(width * ball(point["bins"]) / 2) - 1  # the centred interval holds most
        return enclosure(ball(Fraction(1, 1000)) - (n * one.log()).exp())


def _binned_tv(widths: Fraction = Fraction(1)):
    """Certified: 63 bins around the middle of N(0, s^2) and N(1, s^2) lose at most 1/500 of the total variation."""

    def run(effort: str) -> Evidence:
        stds, worst = (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5)), arb(0)
        with working_bits(128):
            for std in stds:
                s = ball(std)
                width = (
                    s
                    * 2
                    * arb(3) ** (arb(1) / 3)
                    * arb.pi() ** (arb(1) / 6)
                    * arb(50000) ** (-arb(1) / 3)
                    * ball(widths)
                )
                edges = [arb(1) / 2 + ball(Fraction(2 * j - 61, 2)) * width for j in range(62)]
                gaps = [cdf(x / s) - cdf((x - 1) / s) for x in edges]
                masses = [gaps[0], *(b - a for a, b in itertools.pairwise(gaps)), -gaps[-1]]
                lost = (2 * cdf(1 / (2 * s)) - 1) - sum((abs(x) for x in masses), arb(0)) / 2
                if not lost < ball(Fraction(1, 500)):
                    return Evidence(
                        Outcome.FAILED, "ball arithmetic", f"bins lose {float(lost):.2g} at s = {std}", count=len(stds)
                    )
                worst = arb(max(float(worst), float(lost)))
        return Evidence(
            Outcome.HELD,
            "ball arithmetic",
            f"bins lose at most {float(worst):.1e}, whichever way they are cut",
            10,
            len(stds),
            "s",
        )

    return run


def _figure_four(shift: float = 0.0, bins: int = 63):
    """Seeded: TV of histograms of 50000 draws within 0.04 of the certified value."""

    def run(effort: str) -> Evidence:
        rng, worst = np.random.default_rng(73), 0.0
        stds = (0.5, 1.0, 2.0, 5.0)
        for std in stds:
            p, q = rng.normal(0, std, 50_000), rng.normal(1, std, 50_000)
            half = 63 / 2 * 3.4908 * std * 50_000 ** (-1 / 3)
            found = float(
                audit_scores(p, q, method="plug-in", epsilon=0.0, bins=(0.5 - half, 0.5 + half, bins)).delta(0)
            )
            truth = float(certified_gaussian_hockey_stick(1, exact(std), 0, digits=12).mid)
            worst = max(worst, abs(found + shift - truth))
        return Evidence(
            Outcome.HELD if worst <= 0.04 else Outcome.FAILED,
            _SEEDED,
            f"largest error {worst:.4f}",
            count=len(stds),
            counted="s",
        )

    return run


def _chord_gap(errors: list[tuple[arb, arb, arb]]) -> arb:
    """Largest gap between a convex curve and its chords, from points (alpha, beta, slope) with falling alpha; ends (0,
    1), (1, 0).
    """
    worst = 0.0
    for (a1, b1, s1), (a2, b2, s2) in itertools.pairwise(errors):
        # The curve lies above both tangents; where they meet, the chord is highest over them (slopes -s1 > -s2).
        if abs(s2 - s1) < arb(10) ** -20:  # a straight piece
            gap = arb(10) ** -20
        else:
            meet = (b2 - b1 + s2 * a2 - s1 * a1) / (s2 - s1)
            chord = b1 + (b2 - b1) * (meet - a1) / (a2 - a1)
            gap = chord - (b1 - s1 * (meet - a1))
        worst = max(worst, float(gap.upper()))
    (a1, b1, _), (a2, b2, _) = errors[0], errors[-1]
    return arb(max(worst, float(b1.upper()), float((1 - b2).upper()), 0.0))


def _subsampled_errors(edge: Fraction) -> tuple[arb, arb, arb]:
    """(type I, type II, likelihood ratio) of x >= edge for the pair of KM-S3."""
    q, s, x = ball(_RATE), ball(_STD), ball(edge)
    return cdf(-x / s), q * cdf((x - 1) / s) + (1 - q) * cdf(x / s), q * ((2 * x - 1) / (2 * s**2)).exp() + 1 - q


def _laplace_errors(edge: Fraction) -> tuple[arb, arb, arb]:
    """The same for Lap(1, 1) against Lap(0, 1)."""
    x = ball(edge)
    tail = lambda y: (-y).exp() / 2 if y > 0 else 1 - y.exp() / 2  # noqa: E731
    loss = 1 if edge >= 1 else -1 if edge <= 0 else 2 * edge - 1
    return tail(x), 1 - tail(x - 1), ball(Fraction(loss)).exp()


def _binned_curve(
    errors: Callable[[Fraction], tuple[arb, arb, arb]], low: Fraction, high: Fraction, bins: int, allowed: Fraction
):
    """Certified: the trade-off curve of the binned laws lies at most `allowed` above the exact one."""

    def run(effort: str) -> Evidence:
        width = (high - low) / bins
        with working_bits(128):
            gap = _chord_gap([errors(low + width * j) for j in range(1, bins)])
            held = gap < ball(allowed)
        return Evidence(
            Outcome.HELD if held else Outcome.FAILED,
            "ball arithmetic",
            f"chords lie at most {float(gap):.1e} above the curve",
            10,
            bins,
            "bins",
        )

    return run


def _near_curve(draw, curve, low: float, high: float, bins: int, tau: float, gap: float):
    """Seeded: T(alpha + tau) - tau <= T^(alpha) <= T(alpha - tau) + tau + gap for the curve of two histograms of 10^5
    draws.
    """

    def run(effort: str) -> Evidence:
        p, q = draw(np.random.default_rng(74), 100_000)
        found = audit_scores(p, q, method="plug-in", epsilon=0.0, bins=(low, high, bins))
        levels = np.linspace(0, 1, count(effort, 41, 401))
        below = found.trade_off(levels) - (curve(np.minimum(levels + tau, 1)) - tau)
        above = curve(np.maximum(levels - tau, 0)) + tau + gap - found.trade_off(levels)
        margin = float(min(below.min(), above.min()))
        largest = float(np.abs(found.trade_off(levels) - curve(levels)).max())
        return Evidence(
            Outcome.HELD if margin >= 0 else Outcome.FAILED,
            _SEEDED,
            f"largest vertical distance {largest:.4f}",
            count=len(levels),
            counted="levels",
        )

    return run


def _subsampled_draw(rng: np.random.Generator, n: int, rate: float = 0.25) -> tuple[np.ndarray, np.ndarray]:
    return 0.3 * rng.standard_normal(n) + (rng.random(n) < rate), 0.3 * rng.standard_normal(n)


def _subsampled_curve(level: np.ndarray) -> np.ndarray:
    x = -ndtri(level)  # threshold over s
    return 0.25 * ndtr(x - 1 / 0.3) + 0.75 * (1 - level)


def _laplace_draw(rng: np.random.Generator, n: int, shift: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    return rng.laplace(shift, 1, n), rng.laplace(0, 1, n)


def _radius_is(bins: int, tau: float) -> Callable[[str], Evidence]:
    """The radius of both samples together at failure 1/100 is at most `tau`."""

    def run(effort: str) -> Evidence:
        with working_bits(128):
            n, k = arb(100_000), arb(bins)
            radius = (k / n).sqrt() / 2 + (arb(200).log() / (2 * n)).sqrt()
            near = abs(float(radius) - tv_radius(100_000, bins, 0.005)) < 1e-12
            held = radius < ball(exact(tau)) and near
        return Evidence(
            Outcome.HELD if held else Outcome.FAILED,
            "ball arithmetic",
            f"radius {float(radius):.5f} of {bins} bins, 10^5 draws",
            10,
            1,
        )

    return run


_NOTE_FIVE = (
    "The bins are ours: the rule of KM-C4.5 at the range of the draws. What the figure cannot show: on this scale a"
    " curve of alpha >= 0.01 says nothing about epsilon at delta = 1e-5; from 10^5 scores limits that hold prove 0.36"
    " to 0.39 of it in seeded runs. The source converts a profile by KM-2.7 and says itself that the result is no upper"
    " limit of the curve; the hull of the limits of sets is one."
)


def _figure(
    claim_id: str,
    title: str,
    statement: str,
    bins: int,
    low: str,
    high: str,
    tau: Fraction,
    gap: Fraction,
    errors,
    near: dict,
    note: str,
) -> Claim:
    """A trade-off curve of 10^5 draws: sampling error proved, binning certified, one seeded run of it."""
    start, end = Fraction(low), Fraction(high)
    return Claim(
        id=claim_id,
        source="KM",
        title=title,
        statement=statement,
        formula="T(a + t) - t <= T^(a) <= T(a - t) + t + g",
        hypotheses=(f"{bins} bins on [{low}, {high}], the outer two open", "10^5 independent draws from each law"),
        declared=Verdict.CERTIFIED,
        checks=(
            proof("within the total variation errors", limits.trade_off_of_samples, part="sampling"),
            proof("the radius", limits.simultaneous_limits, part="sampling"),
            Check(
                "its value",
                Kind.ENCLOSURE,
                _radius_is(bins, float(tau)),
                {"four times the bins": _radius_is(4 * bins, float(tau))},
                "sampling",
            ),
            Check(
                "binning",
                Kind.ENCLOSURE,
                _binned_curve(errors, start, end, bins, gap),
                {"an eighth of the bins": _binned_curve(errors, start, end, bins // 8, gap)},
                "binning",
            ),
            Check("a run", Kind.CROSSCHECK, near["run"], near["mutants"], "sampling"),
        ),
        note=note,
    )


CLAIMS = (
    Claim(
        id="KM-Fig4",
        source="KM",
        title="total variation of two Gaussians estimated with 63 bins",
        statement=(
            "With 50000 samples the estimate follows the exact total variation over s; bins of the width of KM-C4.5 on"
            " an interval that holds the samples with high probability are 63."
        ),
        formula="|TV^ - TV| <= 0.04 at s = 1/2, 1, 2, 5; Pr[all draws of N(0, s^2) in 63 h] >= 1/1000",
        hypotheses=("50000 draws of N(0, s^2) and of N(1, s^2)",),
        declared=Verdict.RESTRICTED,
        checks=(
            proof("bias upwards, deviation: within 0.0375 with probability 0.998", derived.interval, part="estimate"),
            Check(
                "binning", Kind.ENCLOSURE, _binned_tv(), {"bins 12 times as wide": _binned_tv(Fraction(12))}, "estimate"
            ),
            Check(
                "a run",
                Kind.CROSSCHECK,
                _figure_four(),
                {"an error of 0.05": _figure_four(shift=0.05), "10000 bins": _figure_four(bins=10_000)},
                "estimate",
            ),
            counterexample_check(
                "63 widths are too short",
                _inside_chance,
                _LONG,
                {"126 bins": {**_LONG, "bins": Fraction(126)}, "50 draws": {"n": Fraction(50), "bins": Fraction(63)}},
                part="63 bins on a range that holds the samples",
            ),
        ),
        counterexample=(
            "63 h = 5.97 s at n = 50000. An interval of 5.97 s holds a draw of N(0, s^2) with probability at most"
            " 0.99716, all 50000 with at most e^-142."
        ),
        corrected=(
            "63 bins on 6 s, the outer two open; an interval that holds the samples is about 8.5 s + 1 long, 90 + 11/s"
            " bins."
        ),
        note=(
            "At eps = 0 the outer bins do no harm: the densities cross only once, in the middle. The printed curve's"
            " formula is its complement (KM-eq5.1)."
        ),
    ),
    _figure(
        "KM-Fig5",
        "trade-off curve of the subsampled Gaussian pair",
        "With 10^5 samples the curve of the histograms is within 0.022 of the exact curve in both errors, and 0.001"
        " more above it, with probability at least 0.99.",
        112,
        "-1.3",
        "2.3",
        Fraction(22, 1000),
        Fraction(1, 1000),
        _subsampled_errors,
        {
            "run": _near_curve(_subsampled_draw, _subsampled_curve, -1.3, 2.3, 112, 0.022, 0.001),
            "mutants": {
                "q = 1/2": _near_curve(
                    lambda rng, n: _subsampled_draw(rng, n, 0.5), _subsampled_curve, -1.3, 2.3, 112, 0.022, 0.001
                ),
                "two bins": _near_curve(_subsampled_draw, _subsampled_curve, -1.3, 2.3, 2, 0.022, 0.001),
            },
        },
        _NOTE_FIVE,
    ),
    _figure(
        "KM-Fig6",
        "trade-off curve of the Laplace mechanism",
        "With 10^5 samples and 100 bins the curve of the histograms is within 0.021 of the exact curve in both errors,"
        " and 0.01 more above it, with probability at least 0.99.",
        100,
        "-10",
        "11",
        Fraction(21, 1000),
        Fraction(1, 100),
        _laplace_errors,
        {
            "run": _near_curve(
                _laplace_draw, lambda level: laplace_trade_off(level, 1.0), -10.0, 11.0, 100, 0.021, 0.01
            ),
            "mutants": {
                "shift 3/2": _near_curve(
                    lambda rng, n: _laplace_draw(rng, n, 1.5),
                    lambda level: laplace_trade_off(level, 1.0),
                    -10.0,
                    11.0,
                    100,
                    0.021,
                    0.01,
                )
            },
        },
        "The range of the 100 bins is ours. Bins outside [0, 1] lose nothing: the likelihood ratio is constant there.",
    ),
)
