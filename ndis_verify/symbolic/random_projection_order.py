"""How the divergence of random projection orders: increasing in the leverage, deletion above insertion."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.random_projection import (
    deletion_threshold,
    hockey_stick_deletion,
    hockey_stick_insertion,
    in_odds,
    leverage,
    odds,
    r,
)
from ndis_verify.symbolic.special_functions import Pg, Qg, chi2_density, gamma_density

epsilon = sp.Symbol("epsilon", nonnegative=True)
above = sp.Symbol("epsilon", positive=True)
half = r / 2
rho = 1 + odds  # rho = 1/(1-p) = 1 + k
log_rho = sp.log(1 + odds)
_SHARE = odds / (1 + odds)  # p


def _deletion(eps: sp.Expr) -> sp.Expr:
    edge = (eps + half * log_rho) / odds
    return Qg(half, edge) - sp.exp(eps) * Qg(half, rho * edge)


def _insertion(eps: sp.Expr, *least: int) -> sp.Expr:
    edge = sp.Max((half * log_rho - eps) / odds, *least)
    return Pg(half, rho * edge) - sp.exp(eps) * Pg(half, edge)


def _inside(expression: sp.Expr) -> sp.Expr:
    """At eps = v (r/2) log rho with v = w/(1+w), w > 0: every eps strictly between 0 and eps* = (r/2) log rho."""
    w = sp.Symbol("w", positive=True)
    return expression.subs(epsilon, half * log_rho * (1 - 1 / (1 + w)))


def _edges_in_order(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """The difference of two sides, positive factors taken out of max(0, .)."""

    def taken_out(*edges: sp.Expr) -> sp.Expr:
        edge = sp.factor(sp.expand(sp.expand_log(sp.Add(*edges))))  # the other is 0
        scale = sp.Mul(*(factor for factor in sp.Mul.make_args(edge) if factor.is_positive))
        return scale * sp.Max(0, edge / scale)

    return left.replace(sp.Max, taken_out) - right.replace(sp.Max, taken_out)


def cost_of_deletion() -> sp.Expr:
    """The divergence of a deletion at the odds k = p/(1-p) of the leverage."""
    return _deletion(epsilon)


def rises_with_leverage() -> Step:
    """It increases strictly in the odds, as in `derivative_in_leverage`."""
    edge = (epsilon + half * log_rho) / odds
    return Step(
        "rises with the leverage",
        "t0 > 0 and a density is positive.",
        lhs=sp.Derivative(cost_of_deletion(), odds),
        rhs=sp.Integer(0),
        relation=">",
        witness=edge / rho * gamma_density(half, edge),
    )


def _as_declared(expression: sp.Expr) -> sp.Expr:
    return expression.subs(sp.Symbol("epsilon", real=True), epsilon)


@cache
def derivative_in_leverage() -> Derivation:
    """`d delta/d p = (t0/(1-p)) f(t0) > 0`, f the chi-square density with r degrees of freedom (N26-P4, N24-P3,
    N24-P10).

    In rho = 1/(1-p): d delta/d rho = (t0/rho) f(t0). `number`: d delta/d p at `leverage` in (0, 1), `r`, `epsilon` >=
    0.
    """
    edge = (epsilon + half * log_rho) / odds
    in_rho = edge / rho * gamma_density(half, edge)
    t0 = _as_declared(deletion_threshold())
    result = t0 / (1 - leverage) * chi2_density(r, t0)
    steps = (
        Step(
            "in k = rho - 1",
            "The closed form with t0/2 = (eps + (r/2) log rho)/(rho - 1).",
            lhs=sp.Subs(_as_declared(hockey_stick_deletion().result), leverage, _SHARE),
            rhs=_deletion(epsilon),
        ),
        Step(
            "the two densities",
            "(rho - 1) t0/2 = eps + (r/2) log rho, so e^eps f(rho t0/2) = f(t0/2)/rho for the gamma density f.",
            lhs=sp.exp(epsilon) * gamma_density(half, rho * edge),
            rhs=gamma_density(half, edge) / rho,
        ),
        Step(
            "derivative in rho",
            "The terms in d t0/d rho cancel; what is left is t0/(2 rho) times the gamma density.",
            lhs=sp.diff(_deletion(epsilon), odds),
            rhs=in_rho,
        ),
        Step(
            "increasing in rho",
            "t0 > 0 and a density is positive.",
            lhs=sp.diff(_deletion(epsilon), odds),
            rhs=sp.Integer(0),
            relation=">",
            witness=in_rho,
        ),
        Step(
            "d rho/d p",
            "rho = 1/(1-p) increases in p.",
            lhs=sp.diff(1 / (1 - leverage), leverage),
            rhs=1 / (1 - leverage) ** 2,
        ),
        Step(
            "derivative in p",
            "Chain rule, and the chi-square density at t is half the gamma density at t/2.",
            lhs=sp.Subs(in_rho * rho**2, odds, leverage / (1 - leverage)),
            rhs=result,
            reduce=lambda left, right: in_odds(left) - in_odds(right),
        ),
        Step(
            "p -> 0, eps > 0",
            "t0 tends to infinity and the divergence to 0.",
            lhs=Qg(half, sp.limit((above + half * log_rho) / odds, odds, 0, "+")),
            rhs=sp.Integer(0),
        ),
        Step(
            "p -> 0, eps = 0",
            "t0/2 and rho t0/2 tend to one value and the divergence to 0.",
            lhs=sp.limit(half * log_rho / odds, odds, 0, "+"),
            rhs=sp.limit(rho * half * log_rho / odds, odds, 0, "+"),
        ),
    )
    return Derivation(
        id="random_projection_order.derivative_in_leverage",
        title="The divergence of random projection increases with the leverage",
        sources=("N26-P4", "N24-P3", "N24-P10"),
        hypotheses=("0 < p < 1 (p = 0 as the limit)", "eps >= 0"),
        steps=steps,
        result_step="derivative in p",
        symbols={"leverage": leverage, "r": r, "epsilon": epsilon},
        domain=(leverage < 1,),
        faults=(
            Fault(
                "cancelled term kept",
                "derivative in rho",
                lambda rhs: rhs - sp.diff(edge, odds) * gamma_density(half, edge),
            ),
            Fault("sign flipped", "derivative in p", lambda rhs: -rhs),
            Fault("chain rule factor dropped", "derivative in p", lambda rhs: rhs * (1 - leverage) ** 2),
            Fault("1/rho dropped", "the two densities", lambda rhs: rhs * rho),
        ),
        covers={"N26-P4": "whole", "N24-P3": "whole", "N24-P10": "whole, r = 1"},
    )


def _logarithm_steps() -> tuple[Step, ...]:
    gap = log_rho - 2 * odds / (odds + 2)
    slope = odds**2 / ((1 + odds) * (odds + 2) ** 2)
    return (
        Step(
            "log inequality: slope",
            "d/dk [log(1+k) - 2k/(k+2)] > 0,",
            lhs=sp.diff(gap, odds),
            rhs=sp.Integer(0),
            relation=">",
            witness=slope,
        ),
        Step(
            "log inequality: start",
            "and the bracket is 0 at k = 0: so (k+2) log(1+k)/k > 2 for k > 0.",
            lhs=gap.subs(odds, 0),
            rhs=sp.Integer(0),
        ),
    )


def _start_steps() -> tuple[Step, ...]:
    """H(0) > 0: it decreases in rho towards 0."""
    edge = half * log_rho / odds
    start = Pg(half, edge) - Qg(half, rho * edge)
    slope = -gamma_density(half, edge) * half * ((odds + 2) * log_rho / odds - 2) / (rho * odds)
    return (
        *_logarithm_steps(),
        Step(
            "H(0) decreases in rho",
            "its slope is a negative multiple of (k+2) log(1+k)/k - 2 > 0,",
            lhs=sp.diff(start, odds),
            rhs=slope,
        ),
        Step(
            "H(0), rho -> infinity: lower",
            "its lower edge tends to 0,",
            lhs=sp.limit(edge, odds, sp.oo),
            rhs=sp.Integer(0),
        ),
        Step(
            "H(0), rho -> infinity: upper",
            "its upper edge to infinity, so H(0) tends to 0 from above.",
            lhs=1 / sp.limit(rho * edge, odds, sp.oo),
            rhs=sp.Integer(0),
        ),
    )


def _shape_steps() -> tuple[Step, ...]:
    """H changes sign once on 0 < eps < (r/2) log rho; eps = v (r/2) log rho with v = w/(1+w), w > 0."""
    w = sp.Symbol("w", positive=True)
    v = sp.Symbol("v", real=True)
    total = half * log_rho
    eps = total * (1 - 1 / (1 + w))
    low, high = total / (1 + w) / odds, rho * total * (1 + 2 * w) / (1 + w) / odds
    ratio = (half - 1) * sp.log((1 + v) / (1 - v)) - total * v * (odds + 2) / odds
    exponent = (half - 1) * sp.log(1 + 2 * w) - eps * (odds + 2) / odds
    free = sp.Symbol("epsilon", real=True)
    general = Pg(half, (total - free) / odds) - Qg(half, rho * (total + free) / odds)
    slope = (rho * gamma_density(half, high) - gamma_density(half, low)) / odds
    return (
        Step(
            "slope of H",
            "in eps, at eps = v (r/2) log rho.",
            lhs=sp.Subs(sp.diff(general, free), free, eps),
            rhs=slope,
            reduce=lambda left, right: (
                left.replace(lambda n: n.is_Add and n.has(log_rho) and not n.has(sp.gamma), sp.factor) - right
            ),
        ),
        Step(
            "ratio of the densities",
            "rho f(upper)/f(lower) = exp R, so H decreases while R < 0 and increases while R > 0.",
            lhs=rho * gamma_density(half, high),
            rhs=gamma_density(half, low) * sp.exp(exponent),
        ),
        Step(
            "R in v",
            "the same R with v = w/(1+w).",
            lhs=exponent,
            rhs=sp.Subs(ratio, v, 1 - 1 / (1 + w)),
            reduce=lambda left, right: left - right.replace(sp.log, lambda a: sp.log(sp.factor(sp.cancel(a)))),
        ),
        Step("R(0)", "R starts at 0,", lhs=ratio.subs(v, 0), rhs=sp.Integer(0)),
        Step(
            "R'(0)",
            "downwards: R'(0) = -2 - (r/2) ((k+2) log(1+k)/k - 2) < 0,",
            lhs=sp.diff(ratio, v).subs(v, 0),
            rhs=-2 - half * ((odds + 2) * log_rho / odds - 2),
        ),
        Step(
            "R''",
            "and bends by the sign of r - 2: never back up for r <= 2, up at most once for r > 2.",
            lhs=sp.diff(ratio, v, 2),
            rhs=(half - 1) * 4 * v / (1 - v**2) ** 2,
        ),
        Step(
            "H at the end",
            "At eps = (r/2) log rho, H = -Qg < 0.",
            lhs=general.subs(free, total),
            rhs=-Qg(half, 2 * rho * total / odds),
        ),
        Step(
            "one sign change",
            "H starts positive, decreases, and if it turns, increases towards a negative end: it is positive, then"
            " negative.",
            kind="argument",
        ),
    )


@cache
def deletion_dominates() -> Derivation:
    """`delta_deletion(eps) >= delta_insertion(eps)` for every eps >= 0, r >= 1 and p in (0, 1) (N24-T2, N24-T7,
    N26-L4).

    With G the difference and eps* = (r/2) log rho: G(0) = 0, G' = e^eps H, H is positive and then negative on (0,
    eps*), and G(eps*) > 0. `number`: G, at `leverage`, `r`, `epsilon` >= 0.
    """
    edge_low, edge_high = (half * log_rho - epsilon) / odds, rho * (half * log_rho + epsilon) / odds
    flip = Pg(half, edge_low) - Qg(half, edge_high)
    past = half * log_rho + sp.Symbol("w", positive=True)
    lower_of = lambda e: e.replace(Pg, lambda s, x: 1 - Qg(s, x))  # noqa: E731
    delete, insert = (_as_declared(d.result) for d in (hockey_stick_deletion(), hockey_stick_insertion()))
    steps = (
        Step(
            "G' = e^eps H",
            "H = Pg(r/2, (eps* - eps)/k) - Qg(r/2, rho (eps* + eps)/k): the density terms cancel in each direction.",
            lhs=sp.diff(_deletion(epsilon) - _insertion(epsilon), epsilon),
            rhs=sp.exp(epsilon) * flip,
            reduce=lambda left, right: _inside(left - right),
        ),
        Step(
            "G(0) = 0",
            "At eps = 0 both are the total variation distance.",
            lhs=_deletion(sp.Integer(0)),
            rhs=_insertion(sp.Integer(0)),
            reduce=lambda left, right: lower_of(left - right),
        ),
        *_start_steps(),
        *_shape_steps(),
        Step(
            "insertion at eps*",
            "Insertion is 0 there and beyond, while deletion is positive: its loss is unbounded.",
            lhs=_insertion(half * log_rho),
            rhs=sp.Integer(0),
        ),
        Step(
            "G >= 0",
            "G rises from 0 and then falls to G(eps*) > 0, so G >= 0 on [0, eps*]; beyond eps*, G is the deletion"
            " divergence.",
            kind="argument",
        ),
        Step(
            "difference beyond eps*",
            "At eps = eps* + w, w > 0, insertion is 0 and the difference is the deletion divergence.",
            lhs=sp.Subs(delete - insert, (leverage, epsilon), (_SHARE, past)),
            rhs=_deletion(past),
            reduce=_edges_in_order,
        ),
        Step(
            "difference",
            "G itself, on 0 <= eps <= eps*.",
            lhs=sp.Subs(_deletion(epsilon) - _insertion(epsilon, 0), odds, leverage / (1 - leverage)),
            rhs=delete - insert,
            reduce=lambda left, right: _edges_in_order(in_odds(left), in_odds(right)),
        ),
    )
    return Derivation(
        id="random_projection_order.deletion_dominates",
        title="Deleting a record is at least as revealing as inserting it",
        sources=("N24-T2", "N24-T7", "N26-L4"),
        hypotheses=("0 < p < 1", "eps >= 0", "r >= 1"),
        steps=steps,
        result_step="difference",
        symbols={"leverage": leverage, "r": r, "epsilon": epsilon},
        domain=(leverage < 1,),
        faults=(
            Fault("deletion and insertion swapped", "difference", lambda rhs: -rhs),
            Fault("sign of H's slope in rho flipped", "H(0) decreases in rho", lambda rhs: -rhs),
            Fault("log inequality reversed", "log inequality: slope", lambda rhs: 2 * odds**2),
            Fault("rho dropped from the ratio", "ratio of the densities", lambda rhs: rhs / rho),
            Fault("R'(0) of the wrong sign", "R'(0)", lambda rhs: -rhs),
        ),
        covers={
            "N24-T2": "whole: deletion dominates",
            "N24-T7": "whole: deletion dominates, r = 1",
            "N26-L4": "whole: deletion is the worse direction",
        },
    )
