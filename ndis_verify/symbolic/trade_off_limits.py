"""What counts of errors say of a trade-off curve: a lower limit of mu, and the posterior mass of a region."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held

alpha, mu = sp.Symbol("alpha", positive=True), sp.Symbol("mu", nonnegative=True)
threshold = sp.Symbol("z", real=True)
zero = sp.Integer(0)
_ERRORS, _CURVE = "alpha the type I and beta the type II error", "f a trade-off function"
_PAIR, _CHOSEN = "a mu-GDP pair", "a test fixed before the samples are drawn, which are independent"


@cache
def lower_bound() -> Derivation:
    """mu is at least Phi^-1(1 - A) - Phi^-1(B) where A, B are upper limits of the two errors (KM-eq2.4).

    `number`: the confidence guaranteed at failure probabilities `gamma1` and `gamma2` of the two limits.
    """
    u, t = sp.symbols("u t", real=True)
    limit = sp.Symbol("A", nonnegative=True)
    g1, g2 = sp.symbols("gamma1 gamma2", nonnegative=True)
    steps = (
        by_fact(
            "one test against the curve",
            "alpha = 1 - Phi(u), beta = Phi(t): where both limits hold the bound is at most mu.",
            "a test of a mu-GDP pair",
            {"u": u, "v": t, "mu": mu},
            {"GDP": _PAIR},
        ),
        by_fact(
            "Clopper-Pearson",
            "A is an upper limit of the probability alpha.",
            "exact upper limit of a proportion",
            {"limit": limit, "probability": alpha, "level": g1},
            {"fixed": _CHOSEN, "independent": _CHOSEN, "level": Step("gamma1 >= 0", "as said.", g1, zero, ">=", g1)},
        ),
        Step(
            "independent samples",
            "The errors come from two independent samples: coverage at least (1 - gamma1)(1 - gamma2), which is at"
            " least the union bound.",
            lhs=(1 - g1) * (1 - g2),
            rhs=1 - g1 - g2,
            relation=">=",
            witness=g1 * g2,
        ),
        Step(
            "two-sided limits",
            "Upper ends of two-sided (1 - gamma) intervals fail with gamma/2 each.",
            lhs=1 - 2 * held(g1 / 2),
            rhs=1 - g1,
        ),
        Step(
            "confidence",
            "Union bound.",
            lhs=1 - held(g1 + g2),
            rhs=1 - g1 - g2,
            premises=("Clopper-Pearson", "independent samples", "two-sided limits"),
        ),
    )
    return Derivation(
        id="trade_off_limits.lower_bound",
        title="A lower confidence limit for mu",
        sources=("KM-eq2.4",),
        hypotheses=(_PAIR, _CHOSEN),
        steps=steps,
        result_step="confidence",
        symbols={"gamma1": g1, "gamma2": g2},
        faults=(
            Fault("one failure probability counted", "confidence", lambda rhs: 1 - g1),
            Fault("no failure at all", "independent samples", lambda rhs: rhs + g1 + g2),
            Fault("failures multiplied", "confidence", lambda rhs: 1 - g1 * g2),
        ),
        concludes=(
            Conclusion("KM-eq2.4", "one test against the curve", part="the errors of a mu-GDP pair"),
            Conclusion("KM-eq2.4", "confidence", part="how often a limit fails"),
        ),
    )


@cache
def credible_region() -> Derivation:
    """Mass of a posterior between f(alpha) and 1 - f(1 - alpha); the posterior mean of a rate (KM-eq2.5).

    `number`: posterior mean (1/2 + errors)/(N + 1) of an error rate after `errors` out of `trials`, Jeffreys prior.
    """
    x, y, first, second = sp.symbols("x y s1 s2", nonnegative=True)
    a, b = sp.symbols("a b", positive=True)
    errors, trials = sp.symbols("E N", nonnegative=True)
    above = sp.symbols("f1", nonnegative=True)
    steps = (
        Step(
            "posteriors",
            "alpha and beta are independent, each with the posterior of its own counts under Jeffreys' prior.",
            kind="definition",
            premises=(_ERRORS,),
        ),
        Step(
            "complement of a test",
            "1 - phi has errors (1 - alpha, 1 - beta); f asks 1 - beta >= f(1 - alpha), which is beta <= 1 - f(1 -"
            " alpha).",
            lhs=1 - held(y) - held(above),
            rhs=(1 - above) - y,
            premises=(_ERRORS, _CURVE),
        ),
        Step(
            "limits in order",
            "f(alpha) = 1 - alpha - s1 and f(1 - alpha) = alpha - s2 with s1, s2 >= 0.",
            lhs=1 - (x - second),
            rhs=1 - x - first,
            relation=">=",
            witness=first + second,
            premises=(_CURVE,),
        ),
        Step(
            "a distribution function",
            "A smaller f has the larger region; f = 0 gives all of the square, f(x) = 1 - x gives mass 0.",
            kind="argument",
            premises=("complement of a test", "limits in order"),
        ),
        Step(
            "swapped errors",
            "(alpha, beta) -> (beta, alpha) maps the region of f to the region of its inverse. If f is its own inverse"
            " the mass does not change when the two posteriors are exchanged.",
            kind="argument",
            premises=(_CURVE, "complement of a test", "posteriors"),
        ),
        Step(
            "mean of a beta law",
            "B(a + 1, b)/B(a, b).",
            lhs=sp.gamma(a + 1) * sp.gamma(a + b) / (sp.gamma(a) * sp.gamma(a + b + 1)),
            rhs=a / (a + b),
        ),
        Step(
            "posterior mean",
            "a = 1/2 + E, b = 1/2 + N - E, E the errors of that kind.",
            lhs=(sp.Rational(1, 2) + errors) / (sp.Rational(1, 2) + errors + sp.Rational(1, 2) + trials - errors),
            rhs=(2 * errors + 1) / (2 * trials + 2),
            premises=("mean of a beta law", "posteriors"),
        ),
    )
    return Derivation(
        id="trade_off_limits.credible_region",
        title="The posterior mass of the region that a trade-off function allows",
        sources=("KM-eq2.5",),
        hypotheses=(_ERRORS, _CURVE),
        steps=steps,
        result_step="posterior mean",
        symbols={"errors": errors, "trials": trials},
        faults=(
            Fault("prior forgotten", "posterior mean", lambda rhs: errors / trials),
            Fault("upper limit f(1 - alpha)", "complement of a test", lambda rhs: above - y),
            Fault("prior counted once", "posterior mean", lambda rhs: (2 * errors + 1) / (2 * trials + 1)),
        ),
        concludes=tuple(
            Conclusion("KM-eq2.5", end, part=part)
            for end, part in (
                ("a distribution function", "the region between its two limits"),
                ("swapped errors", "its mass where f is its own inverse"),
                ("posterior mean", "the mean of a posterior"),
            )
        ),
    )
