"""Random projection after a ridge, wrapped: Poisson subsampling."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import average, total, x

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
