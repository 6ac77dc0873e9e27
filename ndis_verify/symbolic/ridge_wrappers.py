"""Random projection after a ridge, wrapped: Poisson subsampling."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.nearby_laws import at_most, in_order, larger
from ndis_verify.symbolic.notation import bin_of_sum, summed, total, x

zero = sp.Integer(0)
_SAMPLES = "f and g average over one and the same sample of the other records"


@cache
def subsampling() -> Derivation:
    """What one record more does to two laws given the sample of the others, it does to their averages over it, at most;
    the laws of N26-T5.3 are such averages. f and g are densities given a sample, times the probability of that sample.

    `number`: `eps' = log(1 + (e^eps - 1)/q)` at `epsilon` and `rate` = q.
    """
    epsilon, rate = sp.Symbol("epsilon", nonnegative=True), sp.Symbol("q", positive=True)
    growth, rarity = sp.symbols("g w", nonnegative=True)  # e^eps = 1 + g, q = 1/(1 + w): all of eps >= 0, 0 < q <= 1
    one, other = (sp.Function(name, positive=True)(x, bin_of_sum) for name in "fg")
    gap = one - sp.Symbol("E", positive=True) * other  # E = e^{eps'}
    part = sp.Max(gap, 0)
    positive = Step("positive", "It is no less than 0.", lhs=part, rhs=zero, relation=">=", witness=part)
    steps = (
        Step("no less", "max(y, 0) >= y,", lhs=gap, rhs=part, relation="<=", witness=-sp.Max(-gap, 0)),
        in_order("added up", "At every point, over the samples.", summed, (gap, part), ("no less", _SAMPLES)),
        by_fact(
            "no negative sum",
            "And >= 0.",
            "means of what is not negative",
            {"mean": summed, "f": part},
            {"pointwise": positive},
        ),
        larger(
            "positive part",
            "So is the positive part of the sum.",
            summed(gap),
            zero,
            summed(part),
            (
                "added up",
                at_most("turned", "As said.", zero, summed(part), Use("no negative sum", weight=-1)),
            ),
        ),
        in_order(
            "integrals",
            "So are the integrals.",
            total,
            (sp.Max(summed(gap), 0), summed(part)),
            ("positive part", _SAMPLES),
        ),
        by_fact(
            "order of integration",
            "The integral of the sum is the sum of the integrals.",
            "Tonelli's theorem",
            {"mean": summed, "f": part},
            {"sign": positive},
        ),
        Step(
            "averages",
            "So the divergence of the averages is at most the average of the divergences, in either order.",
            lhs=total(sp.Max(summed(gap), 0)),
            rhs=summed(total(part)),
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
            for end, part in (("averages", _SAMPLES), ("eps'", "the inner epsilon"))
        ),
    )
