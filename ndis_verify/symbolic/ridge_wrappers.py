"""Random projection after a ridge, wrapped: Poisson subsampling, and when a tested ridge is the smaller one."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import average, held, total, x
from ndis_verify.symbolic.special_functions import Phi

zero = sp.Integer(0)
sample = sp.Symbol("omega", real=True)  # which of the other records are in the sample
_SAMPLES = "f and g average over one and the same sample of the other records"


@cache
def subsampling() -> Derivation:
    """What one record more does to two laws given the sample of the others, it does to their averages over it, at most;
    the laws of N26-T5.3 are such averages.

    `number`: `eps' = log(1 + (e^eps - 1)/q)` at `epsilon` and `rate` = q.
    """
    epsilon, rate = sp.Symbol("epsilon", nonnegative=True), sp.Symbol("q", positive=True)
    growth, rarity = sp.symbols("g w", nonnegative=True)  # e^eps = 1 + g, q = 1/(1 + w): all of eps >= 0, 0 < q <= 1
    one, other = (sp.Function(name, positive=True)(x, sample) for name in "fg")
    gap = one - sp.Symbol("E", positive=True) * other  # E = e^{eps'}
    part = sp.Max(gap, 0)
    steps = (
        by_fact(
            "positive part",
            "At every point, over the sample of the other records.",
            "Jensen's inequality of a positive part",
            {"f": gap},
            {"integrable": _SAMPLES},
        ),
        by_fact(
            "integrals",
            "So are the integrals.",
            "means keep the order",
            {"mean": total, "f": sp.Max(average(gap), 0), "g": average(part)},
            {"pointwise": "positive part", "integrable": _SAMPLES},
        ),
        by_fact(
            "order of integration",
            "The integral of the average is the average of the integral.",
            "Tonelli's theorem",
            {"f": part},
            {
                "sign": Step("positive", "It is no less than 0.", lhs=part, rhs=zero, relation=">=", witness=part),
                "measurable": _SAMPLES,
            },
        ),
        Step(
            "averages",
            "So the divergence of the averages is at most the average of the divergences, in either order.",
            lhs=total(sp.Max(average(gap), 0)),
            rhs=average(total(part)),
            relation="<=",
            kind="inference",
            premises=("integrals", "order of integration"),
        ),
        Step(
            "eps'",
            "1 + (e^eps - 1)/q, at g = e^eps - 1 and 1/(1 + w) = q.",
            lhs=sp.Subs(sp.log(1 + growth * (1 + rarity)), (growth, rarity), (sp.exp(epsilon) - 1, 1 / rate - 1)),
            rhs=sp.log(1 + (sp.exp(epsilon) - 1) / rate),
        ),
    )
    return Derivation(
        id="ridge_wrappers.subsampling",
        title="Two laws averaged over one sample",
        sources=("N26-T5.3", "N26-Fig3"),
        hypotheses=(_SAMPLES,),
        steps=steps,
        result_step="eps'",
        symbols={"epsilon": epsilon, "rate": rate},
        domain=(rate <= 1,),
        faults=(
            Fault("eps' = eps/q", "eps'", lambda rhs: epsilon / rate),
            Fault("rate for its inverse", "eps'", lambda rhs: sp.log(1 + (sp.exp(epsilon) - 1) * rate)),
        ),
        concludes=tuple(
            Conclusion(claim, end, part=part)
            for claim in ("N26-T5.3", "N26-Fig3")
            for end, part in (("averages", "the sample of the other records"), ("eps'", "the inner epsilon"))
        ),
    )


@cache
def ridge_comparison() -> Derivation:
    """The tested ridge is below the untested one with probability `Phi((lambda_min - gap)/tau - z_P)` (N26-P5).

    `number`: at `eigenvalue`, `gap` = l^2/p*_R - l^2/p*, `std` = tau and `quantile` = z_P = Phi^{-1}(1 - delta_P).
    """
    eigenvalue, gap, std, quantile, first, second = sp.symbols("lambda_min G tau z_P s_R s", positive=True)
    z = sp.Symbol("z", real=True)
    lower = eigenvalue + std * z - std * quantile
    point = (eigenvalue - gap) / std - quantile
    steps = (
        Step(
            "gap",
            "G = s_R - s with s = l^2/p* at (eps, delta) and s_R = l^2/p*_R at (eps_R, delta_R). The curve falls in eps"
            " and grows in p, so p*_R <= p* and G >= 0.",
            kind="definition",
        ),
        Step(
            "when it is smaller",
            "max(s_R - max(b, 0), 0) < s exactly when b > G, since s > 0 and G >= 0:",
            lhs=held(first - lower) - second,
            rhs=held(first - second) - lower,
        ),
        Step("in the noise", "b - G = tau (z + (lambda_min - G)/tau - z_P),", lhs=lower - gap, rhs=std * (z + point)),
        Step(
            "probability",
            "so it happens with probability Phi((lambda_min - G)/tau - z_P), by symmetry of z:",
            lhs=1 - Phi(-point),
            rhs=Phi((eigenvalue - gap) / std - quantile),
            reduce=lambda left, right: (left - right).rewrite(sp.erfc),
        ),
        Step(
            "at the threshold",
            "one half at lambda_min = G + tau z_P,",
            lhs=sp.Subs(point, eigenvalue, gap + std * quantile),
            rhs=zero,
        ),
        Step(
            "beyond it",
            "and s standard deviations beyond, Phi(s): never certain.",
            lhs=point.subs(eigenvalue, gap + std * quantile + std * second),
            rhs=second,
        ),
    )
    return Derivation(
        id="ridge_wrappers.ridge_comparison",
        title="When the tested ridge is the smaller one",
        sources=("N26-P5",),
        hypotheses=("tau > 0", "0 < delta_P < 1", "eps_T <= eps"),
        steps=steps,
        result_step="probability",
        symbols={"eigenvalue": eigenvalue, "gap": gap, "std": std, "quantile": quantile},
        faults=(
            Fault("quantile added", "probability", lambda rhs: Phi((eigenvalue - gap) / std + quantile)),
            Fault("gap of the other sign", "in the noise", lambda rhs: rhs + 2 * gap),
            Fault("certain beyond the threshold", "beyond it", lambda rhs: 2 * second),
        ),
        covers={"N26-P5": "whole: the exact probability"},
    )
