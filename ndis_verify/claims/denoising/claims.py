"""Claims about denoising a Gaussian release: posterior mean, James-Stein, soft threshold, minimax rates."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
from flint import arb
from scipy.special import ndtr

from ndis_verify.claim import Claim, Verdict
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.attack_checks import attack_check, counterexample_check
from ndis_verify.court.certified_numbers import at, in_balls
from ndis_verify.court.checks import agreement, formula_check
from ndis_verify.court.domain import Domain, continuous, integer
from ndis_verify.court.points import count, log_uniform, short
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.oracle.certified import denoising as certified
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import denoising as derived
from ndis_verify.symbolic import denoising_minimax

_NORMAL = ("release y ~ N(theta, sigma^2 I_d)", "sigma known")


def _priors(effort: str) -> list[tuple[float, float, float]]:
    """(prior std, noise std, y)."""
    rng = np.random.default_rng(51)
    return [
        (log_uniform(rng, 0.1, 10), log_uniform(rng, 0.1, 10), short(rng.uniform(-5, 5)))
        for _ in range(count(effort, 6, 30))
    ]


def _posterior_by_quadrature(prior_std: float, std: float, y: float) -> mpmath.mpf:
    """E[theta | y] by integrating theta against prior times likelihood."""
    with mpmath.workdps(25):
        w, s, y = mpmath.mpf(prior_std), mpmath.mpf(std), mpmath.mpf(y)
        weight = lambda t: mpmath.exp(-(t**2) / (2 * w**2) - (y - t) ** 2 / (2 * s**2))  # noqa: E731
        cuts = sorted({-12 * w, y - 12 * min(w, s), mpmath.mpf(0), y, y + 12 * min(w, s), 12 * w})
        return mpmath.quad(lambda t: t * weight(t), cuts) / mpmath.quad(weight, cuts)


def _shrunk(prior_std: float, std: float, y: float) -> mpmath.mpf:
    with mpmath.workdps(25):
        return mpmath.mpf(prior_std) ** 2 * y / (mpmath.mpf(prior_std) ** 2 + mpmath.mpf(std) ** 2)


_POSTERIOR = agreement(
    "posterior mean against quadrature of prior times likelihood",
    "closed form, quadrature",
    _shrunk,
    _posterior_by_quadrature,
    _priors,
    digits=12,
    mutants={"std in place of variance": lambda w, s, y: mpmath.mpf(w) * y / (mpmath.mpf(w) + mpmath.mpf(s))},
)


def _means(effort: str) -> list[tuple[int, float]]:
    rng = np.random.default_rng(52)
    return [(3, 0.0), (3, 1.0)] + [
        (int(rng.integers(3, 12)), log_uniform(rng, 0.05, 8)) for _ in range(count(effort, 1, 10))
    ]


@cache
def _james_stein_by_definition(d: int, norm: float) -> mpmath.mpf:
    """E||(1 - (d-2)/|y|^2) y - theta||^2 by quadrature over the length of y and its angle to theta."""
    with mpmath.workdps(20):
        norm, ends = mpmath.mpf(norm), mpmath.mpf(norm) + mpmath.sqrt(d) + 9
        area = (
            2
            * mpmath.pi ** (mpmath.mpf(d - 1) / 2)
            / mpmath.gamma(mpmath.mpf(d - 1) / 2)
            / (2 * mpmath.pi) ** (mpmath.mpf(d) / 2)
        )

        def weighed(length: mpmath.mpf, angle: mpmath.mpf) -> mpmath.mpf:
            along = length * norm * mpmath.cos(angle)
            shrink = 1 - (d - 2) / length**2
            loss = shrink**2 * length**2 - 2 * shrink * along + norm**2
            return (
                loss
                * mpmath.exp(-(length**2 - 2 * along + norm**2) / 2)
                * length ** (d - 1)
                * mpmath.sin(angle) ** (d - 2)
            )

        total = mpmath.quad(
            weighed, [0, ends / 2, ends], [0, mpmath.pi / 4, mpmath.pi], method="gauss-legendre", maxdegree=4
        )
        return area * total


_RISK = agreement(
    "James-Stein risk: hypergeometric form against the definition",
    "certified, quadrature in two variables",
    lambda d, norm: certified.james_stein_risk(d, norm, 1, digits=20),
    _james_stein_by_definition,
    _means,
    digits=8,
    mutants={
        "norm a tenth too long": lambda d, norm: certified.james_stein_risk(d, norm + 0.1, 1, digits=20),
        "one coordinate more": lambda d, norm: certified.james_stein_risk(d + 1, norm, 1, digits=20),
    },
    part="estimator and risk",
)


def _plug_in_gap(sign: int):
    """Log-likelihood of y ~ N(0, S I) at S = N/d less that at S = N/(d-2)."""

    def gap(d: arb, norm_squared: arb) -> arb:
        log_likelihood = lambda s: -d / 2 * s.log() - norm_squared / (2 * s)  # noqa: E731
        return sign * (log_likelihood(norm_squared / d) - log_likelihood(norm_squared / (d - 2)))

    return in_balls(gap)


def _soft_numeric(mean, threshold):
    """The soft threshold's risk in float64; beyond a mean of 1e6 nothing changes."""
    mean = np.minimum(mean, 1e6)
    density = lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi)  # noqa: E731
    tails = ndtr(mean - threshold) + ndtr(-mean - threshold)
    inside = ndtr(threshold - mean) - ndtr(-threshold - mean)
    ends = (threshold - mean) * density(threshold + mean) + (threshold + mean) * density(threshold - mean)
    excess = mean**2 - threshold**2 - 1
    # Two ways to write one sum, each free of cancellation on its side.
    return np.where(mean > threshold, 1 + threshold**2 + excess * inside, mean**2 - excess * tails) - ends


def _oracle_margin(variance_share: float = 1.0):
    """(1 + 2 ln d)(variance/d + min(mu^2, 1)) against the risk of one coordinate."""

    def margin(d, mean):
        level = 2 * np.log(d)
        return relative_margin(
            (1 + level) * (variance_share / d + np.minimum(mean**2, 1)), _soft_numeric(mean, np.sqrt(level))
        )

    return margin


_WITH_VARIANCE = "with sigma^2 added"
_ORACLE = attack_check(
    "risk of one coordinate below its share of the bound",
    _oracle_margin(),
    Domain((integer("d", 1, 10**12, "log"), continuous("mean", "1e-12", 100, "log"))),
    mutants={
        "without the variance term": _oracle_margin(0.0),
        "a twentieth of the variance term": _oracle_margin(0.05),
    },
    part=_WITH_VARIANCE,
)


def _soft_points(effort: str) -> list[tuple[float, float]]:
    rng = np.random.default_rng(53)
    return [(log_uniform(rng, 1e-3, 10), log_uniform(rng, 0.1, 6)) for _ in range(count(effort, 8, 40))]


def _soft_by_quadrature(mean: float, threshold: float) -> mpmath.mpf:
    """E(soft(y) - mean)^2 from the definition."""
    with mpmath.workdps(30):
        m, t = mpmath.mpf(mean), mpmath.mpf(threshold)
        loss = lambda y: (mpmath.sign(y) * max(abs(y) - t, 0) - m) ** 2 * mpmath.npdf(y - m)  # noqa: E731
        return mpmath.quad(loss, sorted({m - 14, -t, t, m, m + 14} | ({m - 4, m + 4})))


_SOFT = formula_check(
    "soft threshold's risk against quadrature of the definition",
    derived.soft_threshold,
    _soft_by_quadrature,
    _soft_points,
    digits=15,
    part=_WITH_VARIANCE,
)


def _beyond_ideal(added: int):
    """Risk at theta = 0, sigma = 1, less (1 + 2 ln d)(added + radius^2), which is at least the minimax risk of the
    ball.
    """

    def excess(d: arb, radius: arb) -> arb:
        level = 2 * d.log()
        return d * certified.soft_risk(arb(0), level.sqrt()) - (1 + level) * (added + radius**2)

    return in_balls(excess)


def _rate_margin(constant: float):
    """constant R^p L^{1-p/2} against the soft threshold's risk at k equal coordinates on the sphere of radius R."""

    def margin(d, p, size, share):
        radius_p = size * d  # R^p <= d
        spread = np.log(1 / size)  # ln(d/R^p)
        k = np.maximum(1, np.floor(share * d))
        mean = (radius_p / k) ** (1 / p)
        risk = k * _soft_numeric(mean, np.sqrt(2 * spread)) + (d - k) * _soft_numeric(0.0 * mean, np.sqrt(2 * spread))
        return relative_margin(constant * radius_p * (1 + spread) ** (1 - p / 2), risk)

    return margin


_RATE = attack_check(
    "soft threshold's risk below three times the rate on spheres",
    _rate_margin(3.0),
    Domain(
        (
            integer("d", 1, 10**8, "log"),
            continuous("p", "0.05", 2),
            continuous("size", "1e-8", 1, "log"),
            continuous("share", "1e-8", 1, "log"),
        )
    ),
    mutants={"half the rate": _rate_margin(0.5)},
)

_JAMES_STEIN_PROOF = proof("risk, dominance, average under the prior", derived.james_stein, part="estimator and risk")

CLAIMS = (
    stated_claim(
        id="BW-T10",
        source="BW",
        title="posterior mean and Bayes risk",
        stated=statement(
            "c^2 d sigma^2 + (1 - c)^2 d w^2 >= d w^2 sigma^2/(w^2 + sigma^2),"
            " and b^2 d sigma^2 + (1 - b)^2 d w^2 = d w^2 sigma^2/(w^2 + sigma^2)",
            *("d >= 1", "sigma > 0", "w > 0"),
            where={"b": "w^2/(w^2 + sigma^2)"},
            over=(real("c", -1, 2), real("w", "0.1", 10, "log")),
        ),
        about=(
            "For square loss the Bayes estimator is the posterior mean; under theta ~ N(0, w^2 I) and y ~ N(theta,"
            " sigma^2 I_d) it is b y, and the risk of c y is c^2 d sigma^2 + (1 - c)^2 d w^2."
        ),
        declared=Verdict.PROVED,
        checks=(proof("square completed, orthogonality", derived.bayes_gaussian), _POSTERIOR),
        note="The displays are lost in the source; the formulas are derived.",
    ),
    Claim(
        id="BW-T11",
        tags=("words",),
        source="BW",
        title="James-Stein estimator and its risk",
        statement=(
            "Substituting the maximum likelihood estimate of w^2 into the posterior mean produces the James-Stein"
            " estimator (1 - (d-2) sigma^2/||y||^2) y; its risk is below that of y for every theta when d >= 3, and"
            " within a factor of the Bayes risk."
        ),
        formula=(
            "risk = d sigma^2 - (d-2)^2 sigma^4 E[1/||y||^2] = sigma^2 (d - (d-2) 1F1(1; d/2; -||theta||^2/(2"
            " sigma^2))); under the prior d sigma^2 - (d-2) sigma^4/(w^2+sigma^2)"
        ),
        hypotheses=("d >= 3", *_NORMAL),
        declared=Verdict.RESTRICTED,
        checks=(
            counterexample_check(
                "the likelihood is larger at S = N/d than at S = N/(d-2)",
                _plug_in_gap(1),
                at(d=3, norm_squared=9),
                {"the other order": _plug_in_gap(-1)},
                part="by maximum likelihood",
            ),
            _JAMES_STEIN_PROOF,
            _RISK,
        ),
        counterexample=(
            "d = 3, sigma = 1, ||y||^2 = 9: the likelihood of y ~ N(0, S I) peaks at S = 3, so the plug-in shrinks by 1"
            " - 3/9 = 2/3; James-Stein shrinks by 1 - 1/9 = 8/9"
        ),
        corrected=(
            "The plug-in of the maximum likelihood estimate is (1 - d sigma^2/||y||^2)_+ y. James-Stein comes from the"
            " unbiased estimate (d-2)/||y||^2 of 1/(w^2+sigma^2). Risk, dominance for d >= 3 and the ratio 1 + 2"
            " sigma^2/(d w^2) to the Bayes risk are proved."
        ),
        note=(
            "The displays are lost in the source. The ratio to the Bayes risk is unbounded as w -> 0 (at theta = 0 the"
            " risk is 2 sigma^2, the Bayes risk 0): no one factor serves every w. At d = 3, theta of length sigma the"
            " risk is 2.275 sigma^2. For d = 2 the estimator is y, for d = 1 the formula would expand; code that uses"
            " max(0, .) (positive part) does at least as well."
        ),
    ),
    Claim(
        id="BW-T12",
        tags=("reading",),
        source="BW",
        title="soft threshold sigma sqrt(2 ln d) against the ideal",
        statement=(
            "The soft threshold at sigma sqrt(2 ln d) has a risk within the factor 1 + 2 ln d of the ideal (the minimax"
            " risk), for every theta in every l_p ball."
        ),
        formula="risk <= (1 + 2 ln d) sum_i min(theta_i^2, sigma^2)",
        hypotheses=("d >= 2", *_NORMAL),
        declared=Verdict.RESTRICTED,
        checks=(
            counterexample_check(
                "risk at 0 above the factor times the squared radius of a small ball",
                _beyond_ideal(0),
                at(d=2, radius="0.1"),
                {"with sigma^2 added": _beyond_ideal(1), "radius 1": at(d=2, radius=1)},
                part="as printed",
            ),
            proof("oracle inequality", derived.soft_threshold, part=_WITH_VARIANCE),
            _SOFT,
            _ORACLE,
        ),
        counterexample=(
            "d = 2, sigma = 1, theta = 0, an l_p ball (p <= 2) of radius 0.1: the risk is 2 x 0.1007 = 0.201; the"
            " estimator 0 has risk at most 0.01 on the ball, and (1 + 2 ln 2) 0.01 = 0.024; sum min(theta_i^2, 1) is 0"
        ),
        corrected=(
            "risk <= (1 + 2 ln d)(sigma^2 + sum_i min(theta_i^2, sigma^2)) for every theta and every d >= 1 (proved)."
        ),
        note=(
            "The display is lost; the words after the theorem give the factor. The variance sigma^2 of one coordinate"
            " cannot be left out. Where the sum of min(theta_i^2, sigma^2) is at least sigma^2 the factor is at most"
            " twice the printed one. The minimax risk can be below the largest such sum of a ball (p = 2, radius sigma"
            " sqrt(d): y/2 costs at most d sigma^2/2, the sum reaches d sigma^2). The source's nontrivial region of its"
            " eq. 7 excludes the small balls, but the theorem's text says every ball."
        ),
    ),
    Claim(
        id="BW-eq7",
        source="BW",
        title="minimax rates over l_p balls",
        statement=(
            "In the nontrivial region of radius/sigma the minimax risk over an l_p ball, p <= 2, is of the order of "
            "r^p sigma^{2-p} (1 + ln(d sigma^p/r^p))^{1-p/2}; for p >= 2 of the order of d min(sigma^2, r^2 d^{-2/p})."
        ),
        formula=(
            "p <= 2, R = r/sigma, L = 1 + ln(d/R^p): R^p L^{1-p/2}/51 <= risk/sigma^2 <= 3 R^p L^{1-p/2}; p >= 2: "
            "Phi(-1) d min(1, R^2 d^{-2/p}) <= risk/sigma^2 <= d min(1, R^2 d^{-2/p})"
        ),
        hypotheses=("0 < p <= 2: 1 + ln d <= R^2 and R^p <= d; p >= 2: R > 0", *_NORMAL),
        declared=Verdict.PROVED,
        checks=(
            proof("both bounds, with constants", denoising_minimax.minimax_balls),
            proof("risk of the soft threshold", derived.soft_threshold),
            _RATE,
        ),
        note=(
            "The display is lost in the source; the rate is rebuilt from the words around it, the constants are this"
            " package's and hold for every p. The region cannot be dropped: for r -> 0 the risk is at most r^2, far"
            " below r^p sigma^{2-p}. The upper bound is attained by the soft threshold at sigma sqrt(2 ln(d/R^p))."
            " Letting p -> 0: s nonzero entries cost sigma^2 s (1 + ln(d/s)) up to the constants."
        ),
    ),
)
