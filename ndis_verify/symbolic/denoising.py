"""Denoising a Gaussian release: posterior mean, James-Stein, soft threshold."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.notation import bin_of_sum, held, summed
from ndis_verify.symbolic.special_functions import Phi, chi2_density, phi

prior, std, d = sp.symbols("w sigma d", positive=True)
y, theta, factor, z = sp.symbols("y theta c z", real=True)
x, room, rate, log_term = sp.symbols("x v R L", positive=True)
zero, one, half = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)


@cache
def bayes_gaussian() -> Derivation:
    """Bayes estimator and risk under theta ~ N(0, w^2 I): `w^2 y/(w^2+std^2)`, `d w^2 std^2/(w^2+std^2)` (BW-T10).

    `number`: the Bayes risk at `d`, `prior_std` = w and `std`.
    """
    total = prior**2 + std**2
    mean, variance = prior**2 * y / total, prior**2 * std**2 / total
    estimate = sp.Function("T", real=True)(y)
    risk = d * prior**2 * std**2 / total
    linear = (factor - 1) ** 2 * prior**2 + factor**2 * std**2
    steps = (
        Step(
            "square completed",
            "log prior + log likelihood of one coordinate: a normal density in theta times one in y.",
            lhs=-(theta**2) / (2 * prior**2) - (y - theta) ** 2 / (2 * std**2),
            rhs=-((theta - mean) ** 2) / (2 * variance) - y**2 / (2 * total),
        ),
        by_fact(
            "posterior",
            "So theta given y is N(mean, variance), coordinate by coordinate.",
            "a quadratic exponent is a normal law",
            {
                "joint": -(theta**2) / (2 * prior**2) - (y - theta) ** 2 / (2 * std**2),
                "theta": theta,
                "y": y,
                "mean": mean,
                "variance": variance,
                "rest": -(y**2) / (2 * total),
                "at": z,
            },
            {
                "exponent": "square completed",
                "spread": Step(
                    "variance > 0", "w and sigma are.", lhs=variance, rhs=zero, relation=">", witness=variance
                ),
                "density": Step(
                    "mass of y",
                    "of a normal law, N(0, w^2 + sigma^2).",
                    lhs=sp.Integral(sp.exp(-(z**2) / (2 * total)), (z, -sp.oo, sp.oo)),
                    rhs=sp.sqrt(2 * sp.pi * total),
                    reduce=lambda mass, closed: mass.doit() - closed,
                ),
            },
        ),
        Step(
            "square loss",
            "T any estimator, m the posterior mean E[theta | y].",
            lhs=(estimate - theta) ** 2,
            rhs=(estimate - mean) ** 2 + 2 * (estimate - mean) * (mean - theta) + (mean - theta) ** 2,
        ),
        by_fact(
            "posterior mean is Bayes",
            "Given y the cross term has mean 0 (any square-integrable prior): the risk is smallest at T = m.",
            "the conditional mean is the best estimate",
            {"estimate": estimate, "mean": mean, "variance": variance, "theta": theta, "y": y},
            {"mean": "posterior"},
            ("square loss",),
        ),
        Step(
            "linear estimators",
            "c y has risk (1-c)^2 w^2 + c^2 std^2 per coordinate; the square vanishes at the posterior mean.",
            lhs=linear,
            rhs=total * (factor - prior**2 / total) ** 2 + variance,
            premises=("posterior mean is Bayes",),
        ),
        Step(
            "no linear one is better",
            "d coordinates.",
            lhs=d * linear,
            rhs=risk,
            relation=">=",
            witness=d * total * (factor - prior**2 / total) ** 2,
            premises=("linear estimators",),
        ),
        Step(
            "posterior mean",
            "Equal at c = w^2/(w^2 + std^2).",
            lhs=sp.Subs(d * linear, factor, prior**2 / total),
            rhs=risk,
            premises=("posterior mean is Bayes",),
        ),
        Step(
            "improvement",
            "Against d std^2 for y itself.",
            lhs=held(risk) / (d * std**2),
            rhs=prior**2 / total,
        ),
        Step("Bayes risk", "d coordinates.", lhs=d * held(variance), rhs=risk),
    )
    at = {"c": factor, "d": d, "sigma": std, "w": prior}
    return Derivation(
        id="denoising.bayes_gaussian",
        title="The posterior mean under a Gaussian prior and its risk",
        sources=("BW-T10",),
        hypotheses=(),
        steps=steps,
        result_step="Bayes risk",
        symbols={"d": d, "prior_std": prior, "std": std},
        faults=(
            Fault(
                "shrinks by std^2 instead", "linear estimators", lambda rhs: rhs.subs(prior**2 / total, std**2 / total)
            ),
            Fault("dimension dropped", "Bayes risk", lambda rhs: rhs / d),
            Fault("evidence term lost", "square completed", lambda rhs: rhs + y**2 / (2 * total)),
            Fault("improvement std^2/(w^2+std^2)", "improvement", lambda rhs: 1 - rhs),
        ),
        concludes=(
            Conclusion("BW-T10", "no linear one is better", at),
            Conclusion("BW-T10", "posterior mean", at),
            Conclusion("BW-T10", "improvement", part="the share of the risk of y itself"),
            Conclusion("BW-T10", "Bayes risk", part="the risk of the posterior mean"),
        ),
    )


@cache
def james_stein() -> Derivation:
    """Risk of `(1 - (d-2) std^2/||y||^2) y`: `d std^2 - (d-2)^2 std^4 E[1/||y||^2]`; its mean under N(0, w^2 I)
    (BW-T11).

    `number`: the risk averaged over theta ~ N(0, w^2 I), `d std^2 - (d-2) std^4/(w^2+std^2)`, at `d`, `prior_std`,
    `std`.
    """
    norm, t, n = sp.symbols("N t n", positive=True)
    others = sp.Symbol("r", positive=True)
    total = prior**2 + std**2
    shrink = (d - 2) * std**2
    spread = sp.Symbol("S", positive=True)
    log_likelihood = -d / 2 * sp.log(spread) - norm / (2 * spread)
    bayes = d * prior**2 * std**2 / total
    risk = d * std**2 - (d - 2) * std**4 / total
    steps = (
        Step("release", "y ~ N(theta, std^2 I_d), d >= 3, std known.", kind="definition"),
        Step(
            "one derivative",
            "N = ||y||^2 = y_i^2 + r.",
            lhs=sp.Derivative(y / (y**2 + others), y),
            rhs=1 / (y**2 + others) - 2 * y**2 / (y**2 + others) ** 2,
            premises=("release",),
        ),
        by_fact(
            "Stein's identity",
            "For y_i ~ N(theta_i, std^2) and g = y_i/N; E[1/N] is finite because d >= 3.",
            "Stein's identity",
            {
                "y": y,
                "theta": theta,
                "std": std,
                "g": y / (y**2 + others),
                "slope": 1 / (y**2 + others) - 2 * y**2 / (y**2 + others) ** 2,
            },
            {"slope": "one derivative", "finite": "one derivative"},
        ),
        Step(
            "divergence",
            "Summed over d coordinates.",
            lhs=d / norm - 2 * norm / norm**2,
            rhs=(d - 2) / norm,
            premises=("Stein's identity",),
        ),
        Step(
            "risk",
            "||y - theta + g||^2 = ||y - theta||^2 + 2 <y - theta, g> + ||g||^2 with g = -(d-2) std^2 y/N.",
            lhs=shrink**2 * norm / norm**2 - 2 * std**2 * shrink * held(d - 2) / norm,
            rhs=-((d - 2) ** 2) * std**4 / norm,
            premises=("divergence",),
        ),
        Step(
            "inverse chi-square",
            "f_n(t)/t = f_{n-2}(t)/(n-2), and a density integrates to 1: E[1/chi^2_n] = 1/(n-2).",
            lhs=chi2_density(n + 2, t) / t,
            rhs=chi2_density(n, t) / n,
            reduce=_gamma_shifted,
        ),
        by_fact(
            "noncentral law",
            "N/std^2 = e^L is noncentral chi-square with d = 2 + v degrees of freedom; its noncentrality is"
            " ||theta||^2/std^2.",
            "inverse of a noncentral chi-square variable",
            {"L": sp.Symbol("L", real=True), "d": 2 + room, "K": sp.Symbol("K", nonnegative=True)},
            {"degrees": Step("d > 2", "2 + v > 2.", lhs=2 + room, rhs=sp.Integer(2), relation=">", witness=room)},
        ),
        Step(
            "dominance",
            "d = 2 + v: the risk is below d std^2 by this positive amount, for every theta.",
            lhs=(d - 2).subs(d, 2 + room) ** 2 * std**4 / norm,
            rhs=zero,
            relation=">",
            witness=room**2 * std**4 / norm,
            premises=("risk", "noncentral law"),
        ),
        Step(
            "theta = 0",
            "K = 0: the risk is 2 std^2 whatever d is.",
            lhs=d * std**2 - (d - 2) ** 2 * std**4 / ((d - 2) * std**2),
            rhs=2 * std**2,
            premises=("risk", "noncentral law"),
        ),
        Step(
            "score of the prior's variance",
            "log density of y ~ N(0, S I), S = w^2 + std^2: the maximum is at S = N/d, so the plug-in of the maximum"
            " likelihood gives 1 - d std^2/N (0 where negative), not 1 - (d-2) std^2/N.",
            lhs=sp.Subs(sp.diff(log_likelihood, spread), spread, norm / d),
            rhs=zero,
            premises=("release",),
        ),
        Step(
            "what d - 2 is",
            "E[(d-2)/N] = 1/(w^2 + std^2): the unbiased estimate of what the posterior mean needs.",
            lhs=held(d - 2) * held(1 / held(held(d - 2) * total)),
            rhs=1 / total,
            premises=("inverse chi-square",),
        ),
        Step(
            "risk under the prior",
            "E[1/N] = 1/((d-2)(w^2 + std^2)).",
            lhs=d * std**2 - held(d - 2) ** 2 * std**4 * held(1 / held(held(d - 2) * total)),
            rhs=risk,
            premises=("risk", "what d - 2 is"),
        ),
        Step(
            "ratio to the Bayes risk",
            "1 + 2 std^2/(d w^2): not bounded as w -> 0.",
            lhs=risk / bayes,
            rhs=1 + 2 * std**2 / (d * prior**2),
            premises=("risk under the prior",),
        ),
    )
    return Derivation(
        id="denoising.james_stein",
        title="The James-Stein estimator and its risk",
        sources=("BW-T11",),
        hypotheses=(),
        steps=steps,
        result_step="risk under the prior",
        symbols={"d": d, "prior_std": prior, "std": std},
        domain=(d > 2,),
        faults=(
            Fault(
                "(d-2)^2/d for d-2", "risk under the prior", lambda rhs: d * std**2 - (d - 2) ** 2 / d * std**4 / total
            ),
            Fault("divergence d/N", "divergence", lambda rhs: d / norm),
            Fault(
                "maximum at S = N/(d-2)",
                "score of the prior's variance",
                lambda rhs: sp.diff(log_likelihood, spread).subs(spread, norm / (d - 2)),
            ),
            Fault("ratio bounded by 1 + 2/d", "ratio to the Bayes risk", lambda rhs: 1 + 2 / d),
            Fault("risk gain halved", "risk", lambda rhs: rhs / 2),
        ),
        concludes=(
            *(
                Conclusion("BW-T11", end, part=part)
                for end, part in (
                    ("dominance", "the risk, and that it is smaller"),
                    ("theta = 0", "the risk at 0"),
                    ("score of the prior's variance", "what maximum likelihood gives"),
                    ("ratio to the Bayes risk", "under the prior, over the Bayes risk"),
                )
            ),
            Conclusion("BW-B", "dominance", part="James-Stein, every histogram"),
            Conclusion("BW-Fig1", "risk under the prior", part="James-Stein, average under the prior"),
        ),
    )


def _gamma_shifted(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """The ratio less one, with Gamma(1 + n/2) = (n/2) Gamma(n/2): one exact way to the zero of the difference."""
    return sp.simplify(sp.gammasimp(left / right)) - 1


def _soft_risk(mean: sp.Expr, threshold: sp.Expr) -> sp.Expr:
    inside = Phi(threshold - mean) - Phi(-threshold - mean)
    ends = (threshold - mean) * phi(threshold + mean) + (threshold + mean) * phi(threshold - mean)
    return 1 + threshold**2 + (mean**2 - threshold**2 - 1) * inside - ends


@cache
def soft_threshold() -> Derivation:
    """Soft threshold at std sqrt(2 ln d): `risk <= (1 + 2 ln d)(std^2 + sum min(theta_i^2, std^2))` (BW-T12).

    `number`: the risk of one coordinate for std = 1, at `mean` > 0 and `threshold` > 0.
    """
    mean, level = sp.symbols("mu l", positive=True)
    risk = _soft_risk(mean, level)
    at_zero = 2 * ((1 + x**2) * Phi(-x) - x * phi(x))
    mills = phi(x) * (2 + x**2) / (x**3 + 3 * x) - Phi(-x)
    body = integral_steps(
        "mass inside the threshold",
        (y**2 - level**2 - 2) * phi(y - mean),
        (y, -level, level),
        (mean**2 - level**2 - 1) * Phi(y - mean) - (y + mean) * phi(y - mean),
        (mean**2 - level**2 - 1) * (Phi(level - mean) - Phi(-level - mean))
        - (level + mean) * phi(level - mean)
        + (mean - level) * phi(level + mean),
        "y^2 - mu^2 - 1 integrates to -(y + mu) phi(y - mu).",
    )
    log_d, inverse, square = sp.symbols("L q s", positive=True)  # 2 ln d, 1/d, mu^2
    clipped = (sp.Abs(y - level) - sp.Abs(y + level)) / 2
    inside = (sp.sign(y - level) - sp.sign(y + level)) / 2
    steps = (
        Step("release", "y ~ N(theta, std^2 I_d), std known: over std, one coordinate is N(mu, 1).", kind="definition"),
        Step("coordinates", "Finitely many, d of them; every sum over them is finite.", kind="definition"),
        Step("slope of g", "-1 where |y| < l, and 0 beyond.", lhs=sp.Derivative(clipped, y), rhs=inside),
        by_fact(
            "unbiased risk estimate",
            "g = -y inside [-l, l] and -l sign(y) outside, whose slope is -1 inside: risk = E[1 + 2 g' + g^2] = 1 +"
            " l^2 + E[(y^2 -"
            " l^2 - 2) 1{|y| <= l}].",
            "Stein's identity",
            {
                "y": y,
                "theta": theta,
                "std": one,
                "g": clipped,
                "slope": inside,
            },
            {"slope": "slope of g", "finite": "slope of g"},
            premises=("release",),
        ),
        *body,
        Step(
            "risk of one coordinate",
            "The mass added.",
            lhs=1 + level**2 + body[1].rhs,
            rhs=risk,
            premises=("unbiased risk estimate", body[1].name),
        ),
        Step(
            "at most 1 + l^2",
            "The integrand is negative: |y| = l/(1+v).",
            lhs=zero,
            rhs=(level / (1 + room)) ** 2 - level**2 - 2,
            relation=">",
            witness=2 + level**2 * room * (2 + room) / (1 + room) ** 2,
            premises=("unbiased risk estimate",),
        ),
        Step(
            "slope in the mean",
            "2 mu times a probability, so at most 2 mu: risk(mu) <= risk(0) + mu^2.",
            lhs=sp.diff(risk, mean),
            rhs=2 * mean * (Phi(level - mean) - Phi(-level - mean)),
            premises=("risk of one coordinate",),
        ),
        Step(
            "risk at 0",
            "Phi(-x) = 1 - Phi(x).",
            lhs=_soft_risk(zero, x),
            rhs=at_zero,
            premises=("risk of one coordinate",),
            reduce=lambda left, right: (left - right).rewrite(sp.erf),
        ),
        Step(
            "Mills bound: slope",
            "phi(x)(2+x^2)/(x^3+3x) - Phi(-x) decreases,",
            lhs=sp.diff(mills, x),
            rhs=-6 * phi(x) / (x**3 + 3 * x) ** 2,
        ),
        Step(
            "Mills bound: end",
            "to 0, so it is positive.",
            lhs=sp.Limit(phi(x) * (2 + x**2) / (x**3 + 3 * x), x, sp.oo),
            rhs=Phi(-sp.oo),
            premises=("Mills bound: slope",),
        ),
        Step(
            "risk at 0 times e^{l^2/2}",
            "decreases by the Mills bound,",
            lhs=sp.diff(sp.exp(x**2 / 2) * at_zero, x),
            rhs=-2 * sp.exp(x**2 / 2) * (x**3 + 3 * x) * mills,
            premises=("risk at 0", "Mills bound: end"),
        ),
        Step(
            "start",
            "from 1: risk(0) <= e^{-l^2/2} = 1/d at l^2 = 2 ln d.",
            lhs=at_zero.subs(x, 0),
            rhs=one,
            reduce=lambda left, right: (left - right).rewrite(sp.erfc),
            premises=("risk at 0 times e^{l^2/2}",),
        ),
        Step(
            "risk",
            "The risk is even in the mean.",
            lhs=sp.Subs(risk, mean, -mean),
            rhs=risk,
            premises=("risk of one coordinate",),
            reduce=lambda left, right: (left - right).rewrite(sp.erf),
        ),
        Step(
            "threshold",
            "e^{-l^2/2} with l^2 = 2 ln d, d = 1 + v.",
            lhs=sp.exp(-(held(sp.sqrt(2 * sp.log(1 + room))) ** 2) / 2),
            rhs=1 / (1 + room),
        ),
        Step(
            "|mu| >= 1",
            "1 + 2 ln d against (1 + 2 ln d)(1/d + 1).",
            lhs=(1 + log_d) * (inverse + 1),
            rhs=1 + log_d,
            relation=">",
            witness=(1 + log_d) * inverse,
            premises=("at most 1 + l^2", "threshold"),
        ),
        Step(
            "|mu| < 1",
            "1/d + mu^2 against (1 + 2 ln d)(1/d + mu^2).",
            lhs=(1 + log_d) * (inverse + square),
            rhs=inverse + square,
            relation=">",
            witness=log_d * (inverse + square),
            premises=("slope in the mean", "start", "threshold"),
        ),
        by_fact(
            "sum",
            "Over d coordinates, scaled by std: sum (1/d + min(mu_i^2, 1)) std^2 = std^2 + sum min(theta_i^2, std^2),"
            " as sum 1/d ="
            " 1. For d = 1 the threshold is 0 and both sides are at least std^2.",
            "means are linear",
            {"mean": summed, "terms": ((1 / d, one), (one, sp.Min(sp.Function("mu", real=True)(bin_of_sum) ** 2, 1)))},
            {"integrable": "coordinates"},
            premises=("|mu| >= 1", "|mu| < 1", "risk"),
        ),
    )
    return Derivation(
        id="denoising.soft_threshold",
        title="The soft threshold's risk and its distance from the ideal",
        sources=("BW-T12",),
        hypotheses=(),
        steps=steps,
        result_step="risk",
        symbols={"mean": mean, "threshold": level},
        faults=(
            Fault("sign of the boundary terms", "risk", lambda rhs: rhs + 2 * (level + mean) * phi(level - mean)),
            Fault("slope mu instead of 2 mu", "slope in the mean", lambda rhs: rhs / 2),
            Fault("threshold sqrt(ln d)", "threshold", lambda rhs: sp.sqrt(rhs)),
            Fault("variance term dropped", "|mu| >= 1", lambda rhs: rhs + (1 + log_d) * 2 * inverse),
            Fault(
                "Mills bound 1/x",
                "risk at 0 times e^{l^2/2}",
                lambda rhs: -2 * sp.exp(x**2 / 2) * (x**3 + 3 * x) * (phi(x) / x - Phi(-x)),
            ),
        ),
        concludes=(
            Conclusion("BW-T12", "sum", part="the oracle inequality with the variance term"),
            Conclusion("BW-B", "sum", part="soft threshold, few filled bins"),
            Conclusion("BW-Fig2-every-signal", "sum", part="the oracle inequality in any orthonormal basis"),
            Conclusion("BW-eq7", "at most 1 + l^2", part="the risk of a large coordinate"),
            Conclusion("BW-eq7", "slope in the mean", part="how the risk grows from that at 0"),
            Conclusion("BW-eq7", "start", part="the risk at 0"),
        ),
    )
