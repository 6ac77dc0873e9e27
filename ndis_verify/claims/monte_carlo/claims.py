"""Claims about the older paper's Monte Carlo estimator."""

from __future__ import annotations

import math

import numpy as np
import scipy

from ndis_verify.claim import Check, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.checks import formula_check
from ndis_verify.court.points import count, general_pairs
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.fast.monte_carlo import hoeffding_samples, monte_carlo_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import integer, real
from ndis_verify.symbolic import monte_carlo

_FALSE_ALARM = 1e-9  # the chance that the coverage test rejects an estimator that keeps its guarantee


def _coverage(bias: float, swapped: bool = False):
    """Runs of the estimator against certified values; more misses than gamma allows is a failure."""

    def run(effort: str) -> Evidence:
        rng = np.random.default_rng(21)
        accuracy, failure, repeats = 0.05, 0.1, count(effort, 20, 100)
        misses = runs = 0
        for pair, epsilon in general_pairs(effort):
            truth = float(certified_hockey_stick(pair, epsilon, digits=10).mid)
            subject = pair.swapped() if swapped else pair
            for _ in range(repeats):
                estimate = monte_carlo_hockey_stick(subject, epsilon, accuracy, failure, rng).value + bias
                misses += abs(estimate - truth) > accuracy
                runs += 1
        allowed = int(scipy.stats.binom.ppf(1 - _FALSE_ALARM, runs, failure))
        outcome = Outcome.HELD if misses <= allowed else Outcome.FAILED
        detail = f"{misses} misses, at most {allowed} expected at gamma = {failure} (false alarm {_FALSE_ALARM})"
        return Evidence(outcome, "fast Monte Carlo, certified", detail, count=runs, counted="runs")

    return run


class _CountingGenerator(np.random.Generator):
    """Counts the normal draws, so that the stated cost can be read off."""

    def __init__(self, bits: np.random.BitGenerator):
        super().__init__(bits)
        self.drawn = 0

    def standard_normal(self, size=None, **options):  # type: ignore[override]  # the overload that is called here
        self.drawn += math.prod(size) if isinstance(size, tuple) else size
        return super().standard_normal(size, **options)


def _cost(factor: int):
    """The estimator draws exactly m d normals; each enters one multiply-add."""

    def run(effort: str) -> Evidence:
        shapes = [(d, accuracy) for d in (1, 3, 20) for accuracy in (0.1, 0.02)]
        for d, accuracy in shapes:
            rng = _CountingGenerator(np.random.PCG64(1))
            pair = GaussianPair(np.zeros(d), 2.0, np.zeros(d), 1.0)
            monte_carlo_hockey_stick(pair, 0.5, accuracy, 0.05, rng)
            if rng.drawn != factor * d * hoeffding_samples(accuracy, 0.05):
                return Evidence(Outcome.FAILED, "counting", f"{rng.drawn} draws at d = {d}", count=len(shapes))
        detail = "m d normal draws and one eigendecomposition, O(d^3 + m d)"
        return Evidence(Outcome.HELD, "counting", detail, count=len(shapes))

    return run


_CHECKS = (
    proof("enough draws", monte_carlo.enough_samples),
    proof("Hoeffding's bound at the stated m", monte_carlo.hoeffding_samples),
    formula_check(
        "the sample size that is used rounds the derived number up",
        monte_carlo.hoeffding_samples,
        lambda accuracy, failure: 0.5 * math.log(2 / failure) / accuracy**2,
        lambda effort: [(a, g) for a in (0.3, 0.01, 1e-4) for g in (0.5, 1e-3, 1e-12)],
        digits=13,
    ),
    Check(
        "coverage over repeated runs",
        Kind.CROSSCHECK,
        _coverage(0.0),
        {"biased by 0.06": _coverage(0.06), "pair swapped": _coverage(0.0, swapped=True)},
    ),
    Check("normal draws counted", Kind.CROSSCHECK, _cost(1), {"twice as many allowed": _cost(2)}),
)
_NOTE = (
    "Hoeffding's inequality is cited, its hypotheses are checked. The draws are counted on this package's"
    " implementation; m d needs the eigenbasis, a dense A would take m d^2."
)

_HOEFFDING = statement(
    "2 e^{-2 m alpha^2} <= gamma",
    "0 < alpha < 1",
    "0 < gamma < 1",
    "m >= log(2/gamma)/(2 alpha^2)",
    over=(integer("m", 1, 10**6, "log"), real("alpha", "1e-3", 1, "log"), real("gamma", "1e-9", 1, "log")),
)

CLAIMS = (
    stated_claim(
        id="N24-C1",
        source="N24",
        title="a Monte Carlo estimate within alpha with probability 1 - gamma in O(d^3 + m d)",
        stated=_HOEFFDING,
        about=(
            "The estimator of N24-Fig2, from m independent draws, is within alpha of the spectrum with probability at"
            " least 1 - gamma, in O(d^3 + m d) operations: the left side is Hoeffding's bound of the chance that it"
            " is not."
        ),
        declared=Verdict.PROVED,
        checks=_CHECKS,
        note=_NOTE,
    ),
    stated_claim(
        id="N24-Fig2",
        source="N24",
        title="the estimator's sample size m = ceil(log(2/gamma)/(2 alpha^2))",
        stated=_HOEFFDING,
        about=(
            "The hinge values max(0, 1 - exp q_eps(Z)) at m = ceil(log(2/gamma)/(2 alpha^2)) independent draws of Z are"
            " averaged; the left side is Hoeffding's bound of the chance that their mean is off by more than alpha."
        ),
        declared=Verdict.PROVED,
        checks=_CHECKS[:4],
        note=_NOTE,
    ),
)
