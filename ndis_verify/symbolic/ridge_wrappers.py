"""Random projection after a ridge, wrapped: Poisson subsampling."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Hypothesis, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import average, held, total, x

zero = sp.Integer(0)
sample = sp.Symbol("omega", real=True)  # which of the other records are in the sample
INNER = "the inner mechanism is (eps', delta')-DP on every subset of D"
p0, p1 = sp.symbols("f0 f1", nonnegative=True)  # densities without and with the record in the sample
growth, rarity = sp.symbols("g w", nonnegative=True)  # e^eps = 1 + g, q = 1/(1 + w): all of eps >= 0 and 0 < q <= 1


def _average_steps(name: str, one: sp.Expr, other: sp.Expr, factor: sp.Expr, slack: sp.Symbol) -> tuple[Step, ...]:
    """Averages of two densities over one sample are as close as the densities are for every sample."""
    gap = one - factor * other
    part = sp.Max(gap, 0)
    return (
        by_fact(
            f"{name}: positive part",
            "At every point, over the sample of the other records.",
            "Jensen's inequality of a positive part",
            {"f": gap},
            {"integrable": "pair"},
        ),
        by_fact(
            f"{name}: integrals",
            "So are the integrals.",
            "means keep the order",
            {"mean": total, "f": sp.Max(average(gap), 0), "g": average(part)},
            {"pointwise": f"{name}: positive part", "integrable": "pair"},
        ),
        by_fact(
            f"{name}: order of integration",
            "The integral of the average is the average of the integral,",
            "Tonelli's theorem",
            {"f": part},
            {
                "sign": Step("positive part", "It is.", lhs=part, rhs=zero, relation=">=", witness=part),
                "measurable": "pair",
            },
        ),
        by_fact(
            f"{name}: every sample",
            "which is at most delta' for every sample.",
            "means keep the order",
            {"mean": average, "f": total(part), "g": slack},
            {"pointwise": f"{INNER}, {name}", "integrable": "pair"},
        ),
        by_fact(f"{name}: delta'", "A constant.", "expectation of a constant", {"c": slack}, {"law": "pair"}),
        Step(
            name,
            "The averages are within delta' at eps'.",
            lhs=total(sp.Max(average(gap), 0)),
            rhs=slack,
            relation="<=",
            kind="inference",
            premises=(
                f"{name}: integrals",
                f"{name}: every sample",
                f"{name}: order of integration",
                f"{name}: delta'",
            ),
        ),
    )


@cache
def subsampling() -> Derivation:
    """Poisson subsampling at rate q before an (eps', delta')-DP mechanism, `eps' = log(1 + (e^eps - 1)/q)`, `delta' =
    delta/q`, is (eps, delta)-DP under add/remove (N26-T5.3).

    `number`: eps' at `epsilon` and `rate` = q.
    """
    epsilon, rate, slack = (
        sp.Symbol("epsilon", nonnegative=True),
        sp.Symbol("q", positive=True),
        sp.Symbol("delta", positive=True),
    )
    factor, share = 1 + growth, 1 / (1 + rarity)
    inner = 1 + growth / share
    weight = 1 - factor * (1 - share)
    with_record, without = (sp.Function(name, positive=True)(x, sample) for name in ("f1", "f0"))
    inner_eps = sp.Symbol("E", positive=True)  # e^{eps'}
    steps = (
        Step(
            "pair",
            "P runs on a sample of D, Q on one of D without the record: Q = f0, P = (1-q) f0 + q f1, f1 and f0 averages"
            " over one and the same sample of the other records, with and without the record.",
            kind="definition",
        ),
        *_average_steps("f1 against f0", with_record, without, inner_eps, slack),
        *_average_steps("f0 against f1", without, with_record, inner_eps, slack),
        Step(
            "P against Q",
            "p - e^eps q = q (f1 - e^{eps'} f0): this direction costs exactly q times the divergence at eps', at most q"
            " delta'.",
            lhs=(1 - share) * p0 + share * p1 - factor * p0,
            rhs=share * (p1 - inner * p0),
        ),
        Step(
            "Q against P",
            "q - e^eps p = a f0 - e^eps q f1 with a = 1 - e^eps (1-q), at most a (f0 - e^{eps'} f1):",
            lhs=weight * (p0 - inner * p1) - (p0 - factor * ((1 - share) * p0 + share * p1)),
            rhs=zero,
            relation=">=",
            witness=p1 * growth**2 * rarity,
        ),
        Step(
            "weight",
            "for a <= 0 it is never positive; otherwise it costs a delta' at most, and a <= q.",
            lhs=share - weight,
            rhs=zero,
            relation=">=",
            witness=growth * rarity / (1 + rarity),
        ),
        Step("delta", "Both are at most q delta' = delta.", lhs=rate * held(slack / rate), rhs=slack),
        Step(
            "eps'",
            "1 + (e^eps - 1)/q, at g = e^eps - 1 and 1/(1 + w) = q.",
            lhs=sp.Subs(sp.log(inner), (growth, rarity), (sp.exp(epsilon) - 1, 1 / rate - 1)),
            rhs=sp.log(1 + (sp.exp(epsilon) - 1) / rate),
        ),
    )
    return Derivation(
        id="ridge_wrappers.subsampling",
        title="Poisson subsampling before a private mechanism",
        sources=("N26-T5.3", "N26-Fig3"),
        hypotheses=(
            "0 < q <= 1",
            "eps >= 0",
            *(
                Hypothesis(f"{INNER}, {name}", total(sp.Max(one - inner_eps * other, 0)) <= slack)
                for name, one, other in (
                    ("f1 against f0", with_record, without),
                    ("f0 against f1", without, with_record),
                )
            ),
        ),
        steps=steps,
        result_step="eps'",
        symbols={"epsilon": epsilon, "rate": rate},
        domain=(rate <= 1,),
        faults=(
            Fault("eps' = eps/q", "eps'", lambda rhs: epsilon / rate),
            Fault("rate dropped", "P against Q", lambda rhs: rhs / share),
            Fault("weight above the rate", "weight", lambda rhs: 2 * growth * rarity),
            Fault("delta' not scaled", "delta", lambda rhs: slack / rate),
        ),
        covers={"N26-T5.3": "whole, with ridge.mechanism", "N26-Fig3": "whole, with ridge.mechanism"},
    )
