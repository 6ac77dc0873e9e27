"""Which of two centred Gaussians with comparable covariances is the worse one to come first: any spectrum, by scaling
the more spread one.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.covariance_order_steps import (
    epsilon,
    f,
    form_steps,
    inequality_steps,
    inner,
    lam,
    level,
    m,
    path_steps,
    r,
    s,
    slope_steps,
    y,
)
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import entry
from ndis_verify.symbolic.special_functions import Pg, Qg
from ndis_verify.symbolic.statement_terms import quantity

zero = sp.Integer(0)
_ORDERS = {"": "centred", ", exchanged": "centred_reverse"}


@cache
def scale_order() -> Derivation:
    """delta_{P,Q}(eps) >= delta_{Q,P}(eps) for S1 >= S2 and equal means, every spectrum (N26-L3).

    P(s) = N(0, diag max(1, lambda_i e^{-s})) against Q = N(0, I): G = delta_{P,Q} - delta_{Q,P} obeys a parabolic
    inequality for 0 < eps < nu/2, and is not negative on the edges of that set. `number`: by how much, -dG/ds -
    (nu/2 + eps) (d^2 G/d eps^2 - dG/d eps) at `epsilon` > 0 and `density` = f(nu - 2 eps).
    """
    least, counts = Hypothesis("lam_i >= 1", entry(lam) >= 1), Hypothesis("m_i >= 1", entry(m) >= 1)
    steps: list[Step] = []
    for exchanged, head in _ORDERS.items():
        steps += [
            meaning(f"divergence{exchanged}", head, lam, m, epsilon),
            by_fact(
                f"spectrum{exchanged}",
                "In coordinates in which Q is standard and P has the variances lambda_i: the path at s = 0.",
                f"spectrum of two centred normal laws{exchanged}",
                {"lam": lam, "m": m, "epsilon": epsilon},
                {"least": least.text, "counts": counts.text},
            ),
        ]
    steps += [*path_steps(), *form_steps(), *slope_steps(), *inequality_steps()]
    steps.append(
        Step(
            "order",
            "At s = 0.",
            lhs=quantity("centred", lam, m, epsilon),
            rhs=quantity("centred_reverse", lam, m, epsilon),
            relation=">=",
            kind="inference",
            premises=(
                *(f"{name}{exchanged}" for exchanged in _ORDERS for name in ("divergence", "spectrum")),
                "order on the path",
            ),
        )
    )
    return Derivation(
        id="covariance_order.scale_order",
        title="The more spread law first is the worse direction: every spectrum",
        sources=("N26-L3",),
        hypotheses=(least, counts, Hypothesis("eps >= 0", epsilon >= 0)),
        steps=tuple(steps),
        result_step="surplus",
        symbols={"epsilon": inner, "density": sp.Symbol("f_-", nonnegative=True)},
        faults=(
            Fault("edge that stays", "what P(r) gives, P(s) first", lambda rhs: rhs.subs(r, s)),
            Fault("half of the slope", "slope in s", lambda rhs: rhs / 2),
            Fault("e^eps left out of the other direction", "surplus", lambda rhs: rhs * sp.exp(-inner)),
            Fault("e^eps left out of the slope in eps", "slope in y", lambda rhs: rhs * sp.exp(-y)),
            Fault("second slope without its density", "second slope in y", lambda rhs: rhs - 2 * f(level + 2 * y)),
            Fault("surplus of the wrong sign", "surplus", lambda rhs: -rhs),
            Fault("directions exchanged at nu/2", "order", lambda rhs: 2 * rhs),
        ),
        concludes=(Conclusion("N26-L3", "order", {"lam": lam, "m": m, "eps": epsilon}),),
    )


@cache
def radial_sharp() -> Derivation:
    """At eps = 0 the radial inequality (N26-P2) fails for every g > (m/2) log kappa, whatever kappa > 1 and m >= 1.

    `number`: second minus first expectation for m = 2, kappa = 2, g = log 2 + `excess`.
    """
    k, m = sp.symbols("k m", positive=True)  # kappa = 1 + k
    excess, t = sp.symbols("y t", positive=True)
    g = sp.Symbol("g", real=True)
    half, level = m / 2, m / 2 * sp.log(1 + k)
    first = Qg(half, level / k) - Qg(half, (1 + k) * level / k)
    second = Pg(half, (1 + k) * level / k) - Pg(half, level / k)
    small = sp.exp(-excess) / 2  # e^{-g}
    hinge = lambda at: sp.Max(0, 1 - sp.exp(at - k * t / 2))  # noqa: E731
    other_hinge = lambda at: sp.Max(0, 1 - sp.exp(-at + k * t / (2 * (1 + k))))  # noqa: E731
    steps = (
        Step(
            "equal at the edge",
            "At g = (m/2) log kappa the two expectations are the closed forms of covariance_direction.radial_domain at"
            " eps = 0: Qg(m/2, e) - Qg(m/2, kappa e) and Pg(m/2, kappa e) - Pg(m/2, e), e = g/(kappa - 1).",
            lhs=first,
            rhs=second,
            reduce=lambda left, right: left - right.replace(Pg, lambda a, b: 1 - Qg(a, b)),
        ),
        Step(
            "first falls",
            "As g rises, 1 - e^{g - k T/2} falls wherever it is positive,",
            lhs=sp.diff(1 - sp.exp(g - k * t / 2), g),
            rhs=zero,
            relation="<",
            witness=-sp.exp(g - k * t / 2),
        ),
        Step(
            "second rises",
            "and 1 - e^{-g + (1 - 1/kappa) T/2} rises.",
            lhs=sp.diff(1 - sp.exp(-g + k * t / (2 * (1 + k))), g),
            rhs=zero,
            relation=">",
            witness=sp.exp(-g + k * t / (2 * (1 + k))),
        ),
        by_fact(
            "strictly",
            "T > 2 g/k and T < 2 kappa g/k have positive probability for g > 0: as g rises from the edge to g + y the"
            " first"
            " expectation falls strictly,",
            "expectations in strict order",
            {"X": hinge(g + excess), "Y": hinge(g)},
            {"order": "first falls", "strict": "first falls"},
        ),
        by_fact(
            "second, strictly",
            "and the second rises: beyond the edge the first expectation is strictly below the second.",
            "expectations in strict order",
            {"X": other_hinge(g), "Y": other_hinge(g + excess)},
            {"order": "second rises", "strict": "second rises"},
        ),
        Step(
            "m = 2, kappa = 2: first",
            "T/2 = x is exponential, x > g: with y = e^{-g} the antiderivative of (1 - e^{g - x}) e^{-x} gives y/2,",
            lhs=sp.diff(-sp.exp(-t) + sp.exp(g - 2 * t) / 2, t),
            rhs=(1 - sp.exp(g - t)) * sp.exp(-t),
        ),
        Step(
            "m = 2, kappa = 2: second",
            "that of (1 - e^{-g + x/2}) e^{-x}, 0 < x < 2 g, gives (1 - y)^2,",
            lhs=sp.diff(-sp.exp(-t) + 2 * sp.exp(-g - t / 2), t),
            rhs=(1 - sp.exp(-g + t / 2)) * sp.exp(-t),
        ),
        Step(
            "m = 2, kappa = 2: difference",
            "and (1 - y)^2 - y/2 = (2 - y)(1/2 - y): positive exactly for y < 1/2, that is g > log 2.",
            lhs=(1 - small) ** 2 - small / 2,
            rhs=(2 - small) * (1 - sp.exp(-excess)) / 2,
        ),
    )
    return Derivation(
        id="covariance_order.radial_sharp",
        title="The radial inequality fails beyond its domain",
        sources=("N26-P2",),
        hypotheses=("kappa > 1", "m >= 1", "eps = 0", "g > (m/2) log kappa"),
        steps=steps,
        result_step="m = 2, kappa = 2: difference",
        symbols={"excess": excess},
        faults=(
            Fault("sides swapped", "m = 2, kappa = 2: difference", lambda rhs: -rhs),
            Fault("edge without kappa", "equal at the edge", lambda rhs: rhs + Pg(half, level / k)),
            Fault("first rises", "first falls", lambda rhs: -2 * sp.exp(g - k * t / 2)),
        ),
        covers={"N26-P2-sharp": "whole"},
    )
