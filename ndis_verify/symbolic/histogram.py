"""Histograms of samples: intervals for the total variation of binned laws, and composed losses."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.learning import deviation, not_negative, whole
from ndis_verify.symbolic.nearby_laws import binning
from ndis_verify.symbolic.notation import average, bin_of_sum, held, summed
from ndis_verify.symbolic.special_functions import Phi, phi

_DRAWS = "n independent draws from each law"
_SAMPLES = "50000 draws of N(0, s^2) and of N(1, s^2)"  # KM-Fig4
draws, bins, accuracy = sp.symbols("n k tau", positive=True)
zero = sp.Integer(0)
_EMPTY = "bins empty under one law have an infinite loss"
_ENOUGH = "n >= (2/tau^2) log(2/delta)"


@cache
def both_failures() -> Derivation:
    """`e^{-n tau^2/2} + e^{-2 n tau^2} <= delta` where n >= (2/tau^2) log(2/delta), delta < 1 (KM-CI-corrected).

    `number`: the bound, `delta`.
    """
    size = sp.Symbol("n", real=True)
    delta, tau, fails = sp.symbols("delta tau e", positive=True)
    exponent = -size * tau**2 / 2
    steps = (
        inferred(
            "exponent", "By the sample size.", exponent, "<=", -sp.log(2 / delta), Use(_ENOUGH, weight=-(tau**2) / 2)
        ),
        by_fact(
            "power",
            "A smaller exponent, a smaller power.",
            "exponentials keep the order",
            {"a": exponent, "b": -sp.log(2 / delta)},
            {"order": "exponent"},
        ),
        Step("e > 0", "It is positive.", sp.exp(exponent), zero, ">", sp.exp(exponent)),
        named(fails, "e = e^{-n tau^2/2}.", sp.exp(exponent), "e > 0"),
        inferred("upwards", "So the one chance is at most delta/2,", fails, "<=", delta / 2, *("power", "e")),
        inferred(
            "less than 1",
            "which is less than 1,",
            fails,
            "<=",
            sp.Integer(1),
            *("upwards", Use("delta < 1", weight=sp.Rational(1, 2)), "half"),
        ),
        inferred(
            "downwards",
            "and the other, e^4, is less.",
            fails**4,
            "<=",
            delta / 2,
            *(
                Use("upwards", weight=fails**3),
                Use("less than 1", weight=delta / 2 * (1 + fails + fails**2)),
            ),
        ),
        inferred(
            "both",
            "Together at most delta.",
            sp.exp(exponent) + sp.exp(-2 * size * tau**2),
            "<=",
            delta,
            *("upwards", "downwards", "e"),
        ),
    )
    half = Step("half", "1/2 < 1.", sp.Rational(1, 2), sp.Integer(1), "<", -sp.Rational(1, 2))
    return Derivation(
        id="histogram.both_failures",
        title="An interval for the total variation fails with at most delta",
        sources=("KM-CI",),
        hypotheses=(
            Hypothesis("delta < 1", delta < 1),
            Hypothesis(_ENOUGH, size >= 2 / tau**2 * sp.log(2 / delta)),
        ),
        steps=(half, *steps),
        result_step="both",
        symbols={"delta": delta},
        faults=(
            Fault("half of delta", "both", lambda rhs: rhs / 2),
            Fault("a quarter upwards", "upwards", lambda rhs: rhs / 2),
            Fault("half the exponent", "exponent", lambda rhs: 2 * rhs),
        ),
        concludes=(Conclusion("KM-CI-corrected", "both", {"n": size, "tau": tau, "delta": delta}),),
    )


@cache
def interval() -> Derivation:
    """TV^ +- sqrt(2) tau covers the binned TV with probability 1 - delta; TV^ - sqrt(2) tau bounds TV(P, Q) below
    (KM-CI).

    n as in KM-4.2. `number`: the bound exp(-n tau^2/2) on Pr[TV^ - TV > sqrt(2) tau] at `n` and `tau`.
    """
    half = accuracy / sp.sqrt(2)
    moved = sp.Symbol("moved", real=True)
    share_p, share_q = (sp.Function(name, real=True)(bin_of_sum) for name in ("p_hat", "q_hat"))
    mass_p, mass_q = (sp.Function(name, nonnegative=True)(bin_of_sum) for name in ("p", "q"))
    end = binning().step("binned at most whole")

    steps = (
        whole("masses of p", mass_p, "p and q are laws on the bins."),
        whole("masses of q", mass_q, "Both."),
        by_fact(
            "mean of p^",
            "Of shares of draws,",
            "mean of a share",
            {"share": share_p, "mass": mass_p},
            {"draws": _DRAWS, "sign": not_negative(mass_p), "law": "masses of p"},
        ),
        by_fact(
            "mean of q^",
            "the means are p and q:",
            "mean of a share",
            {"share": share_q, "mass": mass_q},
            {"draws": _DRAWS, "sign": not_negative(mass_q), "law": "masses of q"},
        ),
        by_fact(
            "Jensen",
            "of each bin E |p^ - q^| >= |E (p^ - q^)|,",
            "Jensen's inequality of an absolute value",
            {"X": share_p - share_q},
            {"finite": "mean of p^"},
            premises=("mean of q^",),
        ),
        by_fact(
            "linear",
            "the mean of p^ - q^ being p - q.",
            "means are linear",
            {"mean": average, "terms": ((sp.Integer(1), share_p), (sp.Integer(-1), share_q))},
            {"integrable": "mean of p^"},
            premises=("mean of q^",),
        ),
        Step(
            "each bin",
            "So in each bin,",
            lhs=sp.Abs(mass_p - mass_q),
            rhs=average(sp.Abs(share_p - share_q)),
            relation="<=",
            kind="inference",
            premises=(Use("Jensen", weight=-1), "linear", "mean of p^", "mean of q^"),
        ),
        by_fact(
            "no bias downwards",
            "and added up: E TV^ >= TV of the binned laws.",
            "means keep the order",
            {"mean": summed, "f": sp.Abs(mass_p - mass_q), "g": average(sp.Abs(share_p - share_q))},
            {"pointwise": "each bin", "integrable": _DRAWS},
        ),
        Step(
            "bias upwards",
            "|TV^ - TV| <= (1/2) sum |(p^ - p) - (q^ - q)| with mean at most (1/2) sum sqrt((p + q)/n) <= (1/2) sqrt(2"
            " k/n) (Jensen, Cauchy-Schwarz, sum p + q = 2).",
            kind="argument",
        ),
        Step(
            "bias at n = k/tau^2",
            "And less beyond.",
            lhs=sp.sqrt(2 * bins / held(bins / accuracy**2)) / 2,
            rhs=half,
            premises=("bias upwards",),
        ),
        Step(
            "one draw",
            "Changing one draw of either sample moves TV^ as learning.deviation has it, the other histogram in the"
            " place of the law.",
            lhs=moved,
            rhs=1 / draws,
            relation="<=",
            kind="inference",
            premises=(Use("one draw", of=deviation, granted={"independent draws": _DRAWS}),),
        ),
        Step(
            "bounded differences",
            "2 n draws, each moving TV^ by at most 1/n (learning.deviation, the other histogram in the place of the"
            " law): Pr[TV^ -"
            " E TV^ >= t] <= exp(-2 t^2/(2 n/n^2)) and the same downwards.",
            kind="argument",
            premises=("one draw",),
        ),
        Step(
            "above",
            "t = tau/sqrt 2 after the bias.",
            lhs=sp.exp(-2 * half**2 / held(2 * draws / draws**2)),
            rhs=sp.exp(-draws * accuracy**2 / 2),
            premises=("bounded differences",),
        ),
        Step(
            "below",
            "t = sqrt(2) tau, no bias.",
            lhs=sp.exp(-2 * held(sp.sqrt(2) * accuracy) ** 2 / held(2 * draws / draws**2)),
            rhs=sp.exp(-draws * accuracy**2 / 2) ** 4,
            premises=("no bias downwards", "bounded differences"),
        ),
        Step(
            "the widths add",
            "Bias and deviation.",
            lhs=held(half) + held(half),
            rhs=sp.sqrt(2) * accuracy,
            premises=("bias at n = k/tau^2", "above"),
        ),
        Step(
            "unbinned",
            "By binning, TV(P, Q) is at least the binned TV: only the lower end carries over.",
            lhs=end.lhs,
            rhs=end.rhs,
            relation=end.relation,
            kind="inference",
            premises=(Use(end.name, of=binning),),
        ),
    )
    return Derivation(
        id="histogram.interval",
        title="A confidence interval for the total variation of binned laws",
        sources=("KM-CI",),
        hypotheses=(_DRAWS,),
        steps=steps,
        result_step="above",
        symbols={"n": draws, "tau": accuracy},
        faults=(
            Fault("one sample's draws counted", "above", lambda rhs: rhs**2),
            Fault("widths do not add", "the widths add", lambda rhs: accuracy),
            Fault("bias of one sample", "bias at n = k/tau^2", lambda rhs: accuracy / 2),
        ),
        concludes=(
            *(
                Conclusion("KM-CI-corrected", end, part=part)
                for end, part in (
                    ("the widths add", "how often the estimate is too large"),
                    ("below", "how often it is too small"),
                    ("unbinned", "that its lower end needs no bins"),
                )
            ),
            *(
                Conclusion("KM-Fig4", end, part="bias and deviation", granted={_DRAWS: _SAMPLES})
                for end in ("the widths add", "below")
            ),
        ),
    )


@cache
def interval_exponent() -> Derivation:
    """The chance that TV^ > tau for P = Q uniform on k bins, n = k/tau^2, delta = 2 e^{-k/2}: exponent t sqrt 2 - t^2/2
    - log(2 Phi(t)) (KM-CI-binned).

    `number`: that exponent, per bin, at `t`; its largest value over t is the rate of a Gaussian limit.
    """
    t = sp.Symbol("t", nonnegative=True)
    x = sp.Symbol("x", real=True)
    exponent = t * sp.sqrt(2) - t**2 / 2 - sp.log(2 * Phi(t))
    steps = (
        Step(
            "case",
            "P = Q uniform on k bins, delta = 2 e^{-k/2}; n is taken large, then k.",
            kind="definition",
            premises=("every delta in (0, 1), every k",),
        ),
        Step(
            "the two terms of n are equal",
            "k/tau^2 = (2/tau^2) log(2/delta) at delta = 2 e^{-k/2}: the least n is k/tau^2.",
            lhs=2 * sp.log(2 / held(2 * sp.exp(-bins / 2))),
            rhs=bins,
            premises=("case", "n the least that KM-4.2 allows"),
        ),
        Step(
            "central limit",
            "As n grows, tau = sqrt(k/n), sqrt(n k/2) (p^ - q^) tends to g - mean(g), g standard normal on R^k; TV^ >"
            " tau becomes",
            kind="argument",
            premises=(_DRAWS, "case", "the two terms of n are equal"),
        ),
        Step(
            "event",
            "mean of |g_i - mean(g)| > sqrt 2: (1/2) sqrt(2/(n k)) k m > sqrt(k/n) at m = sqrt 2.",
            lhs=sp.sqrt(2 / held(draws * bins)) * bins * sp.sqrt(2) / 2,
            rhs=sp.sqrt(bins / draws),
            premises=("central limit",),
        ),
        Step(
            "exponential moment: completing the square",
            "t x - x^2/2 = t^2/2 - (x - t)^2/2.",
            lhs=sp.exp(t * x) * phi(x),
            rhs=sp.exp(t**2 / 2) * phi(x - t),
        ),
        Step(
            "exponential moment",
            "E e^{t|g|} = 2 e^{t^2/2} Phi(t): the part x > 0, twice; its log is t^2/2 + log(2 Phi(t)).",
            lhs=sp.log(2 * sp.exp(t**2 / 2) * Phi(t)),
            rhs=t**2 / 2 + sp.log(2 * Phi(t)),
            premises=("exponential moment: completing the square",),
        ),
        Step(
            "Cramer",
            "Pr[mean |g_i| > a] = e^{-k I(a) + o(k)}, I(a) = sup_t a t - log E e^{t|g|}; I is continuous at a ="
            " sqrt 2.",
            kind="argument",
            premises=("exponential moment",),
        ),
        Step(
            "the mean does not help",
            "Signs are independent of the |g_i|: given these, |mean(g)| <= eta with probability at least 1 -"
            " mean(g_i^2)/(k eta^2), and |g_i - mean(g)| >= |g_i| - eta.",
            kind="argument",
            premises=("event",),
        ),
        Step(
            "above delta",
            "If I(sqrt 2) < 1/2, the chance e^{-k I + o(k)} exceeds delta = 2 e^{-k/2} for every large k.",
            kind="argument",
            premises=("Cramer", "the mean does not help"),
        ),
        Step(
            "exponent",
            "I(sqrt 2) is the largest value of this.",
            lhs=t * sp.sqrt(2) - held(t**2 / 2 + sp.log(2 * Phi(t))),
            rhs=exponent,
            premises=("exponential moment", "above delta"),
        ),
    )
    return Derivation(
        id="histogram.interval_exponent",
        title="How likely the estimate of a zero total variation exceeds tau",
        sources=("KM-CI",),
        hypotheses=(
            _DRAWS,
            "n the least that KM-4.2 allows",
            "every delta in (0, 1), every k",
        ),
        steps=steps,
        result_step="exponent",
        symbols={"t": t},
        faults=(
            Fault("one-sided moment", "exponential moment", lambda rhs: rhs - sp.log(2)),
            Fault("one sample only", "event", lambda rhs: rhs / sp.sqrt(2)),
            Fault("square dropped", "exponent", lambda rhs: rhs + t**2 / 2),
        ),
        concludes=(Conclusion("KM-CI-binned", "exponent", part="the binned interval at small delta"),),
    )


@cache
def loss_distribution() -> Derivation:
    """E[max(0, 1 - e^{eps - s})] over the c-fold sum of losses is the divergence of the c-fold product laws (KM-eq9.1).

    `number`: the term of one outcome of product masses `p`, `q` at `epsilon`.
    """
    p, q, p2, q2 = sp.symbols("p q p2 q2", positive=True)
    mass_p, mass_q = (sp.Function(name, nonnegative=True)(bin_of_sum) for name in ("P", "Q"))
    epsilon = sp.Symbol("epsilon", real=True)
    steps = (
        Step(
            "losses add",
            "The loss of independent outcomes is the sum of their losses, with the product of their P-masses: the"
            " self-convolution.",
            lhs=sp.log(p / q) + sp.log(p2 / q2),
            rhs=sp.log(p * p2 / (q * q2)),
            premises=("c independent copies",),
        ),
        Step(
            "no mass under Q",
            "An outcome with q = 0 < p has an infinite loss and the term p; dropping it would lower the result.",
            lhs=sp.Max(held(p) - sp.exp(epsilon) * held(zero), 0),
            rhs=p,
            premises=(_EMPTY,),
        ),
        by_fact(
            "sum",
            "The largest P(S) - e^eps Q(S) over sets of outcomes is the sum of the terms; the other order likewise.",
            "largest sum over a set",
            {"a": mass_p - sp.exp(epsilon) * mass_q},
            {"integrable": "c independent copies"},
        ),
        Step(
            "term",
            "p max(0, 1 - e^{eps - s}) at s = log(p/q).",
            lhs=p * sp.Max(0, 1 - sp.exp(epsilon - sp.log(p / q))),
            rhs=sp.Max(p - sp.exp(epsilon) * q, 0),
            premises=("losses add",),
        ),
    )
    return Derivation(
        id="histogram.loss_distribution",
        title="The divergence of composed histograms through their privacy losses",
        sources=("KM-eq9.1",),
        hypotheses=("c independent copies", _EMPTY),
        steps=steps,
        result_step="term",
        symbols={"p": p, "q": q, "epsilon": epsilon},
        faults=(
            Fault("losses of the other order", "term", lambda rhs: sp.Max(q - sp.exp(epsilon) * p, 0)),
            Fault("losses multiplied", "losses add", lambda rhs: sp.log(p / q) * sp.log(p2 / q2)),
        ),
        concludes=(
            Conclusion("KM-eq9.1", "sum", part="the divergence as a sum of terms"),
            Conclusion("KM-eq9.1", "term", part="a term through its loss"),
            Conclusion("KM-eq9.1", "no mass under Q", part="the term of an infinite loss"),
        ),
    )
