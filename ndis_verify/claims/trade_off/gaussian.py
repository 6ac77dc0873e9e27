"""Claims about trade-off curves of Gaussians: mu-GDP, its lower limit from two errors, thresholds, subsampling."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from ndis_verify.claim import Check, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.fast import trade_off as fast_trade_off
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import gaussian_trade_off, normal_quantiles, trade_off_limits
from ndis_verify.symbolic import trade_off as derived


def _coverage(limit: Callable[[np.ndarray, int, float], np.ndarray]):
    """Exact chance that the bound exceeds mu of the two errors, Clopper-Pearson limits at 1 - gamma each, against 2
    gamma.
    """

    def run(effort: str) -> Evidence:
        errors, worst = (0.02, 0.2, 0.4, 0.49), 0.0
        cases = [(a, b, n, g) for a in errors for b in errors for n in (10, 40) for g in (0.05, 0.2, 0.4)]
        for a, b, n, gamma in cases:
            counts = np.arange(n + 1)
            upper = np.clip(limit(counts, n, gamma), 1e-15, 1 - 1e-15)
            bound = fast_trade_off.gdp_parameter(upper[:, None], upper[None, :])
            chance = np.outer(scipy.stats.binom.pmf(counts, n, a), scipy.stats.binom.pmf(counts, n, b))
            failed = float(chance[bound > fast_trade_off.gdp_parameter(a, b) + 1e-9].sum())
            if failed > 2 * gamma:
                return Evidence(
                    Outcome.FAILED,
                    "fast",
                    f"fails with {failed:.3g} at {a}, {b}, n = {n}, gamma = {gamma}",
                    count=len(cases),
                )
            worst = max(worst, failed / gamma)
        return Evidence(Outcome.HELD, "fast", f"fails with at most {worst:.2g} gamma", count=len(cases))

    return run


def _clopper_pearson(counts: np.ndarray, n: int, gamma: float) -> np.ndarray:
    return np.where(counts == n, 1.0, scipy.stats.beta.ppf(1 - gamma, counts + 1, np.maximum(n - counts, 1e-9)))


CLAIMS = (
    stated_claim(
        id="KM-2.8",
        source="KM",
        title="mu-GDP through the curve of two Gaussians",
        stated=statement(
            "f >= 1 - delta_shift(mu; eps) - e^eps alpha, and f = 1 - delta_shift(mu; c) - e^c alpha",
            *("mu > 0", "0 < alpha < 1"),
            where={"f": "Phi(Phi^-1(1 - alpha) - mu)", "c": "mu Phi^-1(1 - alpha) - mu^2/2"},
            over=(real("mu", "0.01", 6, "log"), real("alpha", "1e-6", "0.999999", "logit"), real("eps", -6, 20)),
        ),
        about=(
            "The trade-off function of N(0,1) and N(mu,1), the greatest of the lines 1 - delta - e^eps alpha, is f;"
            " mu-GDP asks every curve to be at least that."
        ),
        declared=Verdict.PROVED,
        checks=(proof("lines of the profile", gaussian_trade_off.lines_of_the_profile),),
    ),
    stated_claim(
        id="KM-eq2.4",
        source="KM",
        title="an empirical lower bound for mu",
        stated=statement(
            "Phi^-1(1 - A) - Phi^-1(B) <= mu",
            "0 < alpha <= A",
            "A < 1",
            "0 < beta <= B",
            "B < 1",
            "beta >= Phi(Phi^-1(1 - alpha) - mu)",
            over=(real("mu", "1e-2", 6, "log"), *(real(name, "1e-6", "0.999", "logit") for name in "AB")),
        ),
        about=(
            "A and B are upper limits of the errors alpha and beta, on a mu-GDP pair, of a test fixed before the"
            " samples are drawn, which are independent: where each limit fails with probability at most gamma1 and"
            " gamma2, the left side is a lower bound for mu that fails with probability at most gamma1 + gamma2."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("quantiles in order", normal_quantiles.limits_of_errors),
            proof("monotone, and a union bound", trade_off_limits.lower_bound),
            Check(
                "exact coverage",
                Kind.CROSSCHECK,
                _coverage(_clopper_pearson),
                {"observed rates for the limits": _coverage(lambda counts, n, gamma: counts / n)},
            ),
        ),
        note=(
            "The source prints no level for the bound: with one-sided limits at 1 - gamma the union bound certifies 1 -"
            " 2 gamma, with independent samples (1 - gamma)^2 (the exact coverages computed here stay above 1 - gamma);"
            " upper ends of two-sided (1 - gamma) intervals certify 1 - gamma. A threshold tuned on the same samples"
            " voids it."
        ),
    ),
    stated_claim(
        id="KM-eq3.1",
        source="KM",
        title="the threshold does not matter for two Gaussians of one variance",
        stated=statement(
            "Phi^-1(1 - alpha) - Phi^-1(beta) = 1/s",
            "s > 0",
            where={"alpha": "1 - Phi(z/s)", "beta": "Phi((z - 1)/s)"},
            over=(real("s", "0.2", 20, "log"),),
        ),
        about="alpha and beta are the errors of the test x > z between N(0, s^2) and N(1, s^2).",
        declared=Verdict.PROVED,
        checks=(proof("difference of two quantiles", normal_quantiles.one_threshold),),
        note=(
            "That it fails for other laws is the other half of the remark: KM-S3's pair has 2.58 at z = 1.3 and 2.97 at"
            " z = 2."
        ),
    ),
    stated_claim(
        id="KM-S3",
        source="KM",
        title="the subsampled pair is mu-GDP for mu about 1/0.404",
        stated=statement(
            "Phi^-1(TPR) - Phi^-1(FPR) <= 1/0.404",
            where={"q": "1/4", "s": "0.3", "FPR": "Phi(-z/s)", "TPR": "q Phi((1 - z)/s) + (1 - q) Phi(-z/s)"},
        ),
        fails_at=({"z": "1.5"},),
        about=(
            "P = q N(1, s^2) + (1-q) N(0, s^2), Q = N(0, s^2), q = 1/4, s = 0.3: the pair is mu-GDP for mu about"
            " 1/0.404 = 2.475, found by numerical optimisation, and that mu is tight. The mu of a test x > z:"
        ),
        declared=Verdict.REFUTED,
        checks=(),
        corrected=(
            "The least mu is 1/s = 3.333..., whatever q > 0: the supremum over thresholds, approached as z grows and"
            " not attained (KM-S3-corrected)."
        ),
        note=(
            "mu of the threshold z grows with z at every z computed and passes 2.475 at z = 1.21, FPR 2.9e-5, so the"
            " two profiles have no common tangent; the printed problem (A.1) is solved by any s as eps grows, where"
            " both vectors vanish. The caption of Figure 13 has the order reversed: the tight mu is 1/s for the largest"
            " s whose profile stays above h."
        ),
    ),
    stated_claim(
        id="KM-S3-corrected",
        source="KM",
        title="the subsampled Gaussian pair is 1/s-GDP and no better",
        stated=statement(
            "Phi^-1(TPR) - Phi^-1(FPR) < 1/s",
            *("0 < q < 1", "s > 0"),
            where={"FPR": "Phi(-z/s)", "TPR": "q Phi((1 - z)/s) + (1 - q) Phi(-z/s)"},
            over=(real("s", "0.1", 10, "log"), real("q", "1e-3", "0.999", "logit"), real("z", -5, 8)),
        ),
        about=(
            "P = q N(1, s^2) + (1-q) N(0, s^2) against N(0, s^2) is (1/s)-GDP, by every test x > z; for mu = 1/s - c"
            " it is not mu-GDP, as every threshold beyond 1 + s log(1/q)/c shows."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("a mixture is below the larger one", normal_quantiles.subsampled),
            proof("a mixture, and two tails compared", derived.subsampled_gaussian),
        ),
        note="A single mu hides what subsampling gives: the curve is near that of guessing except in the far tail.",
    ),
)
