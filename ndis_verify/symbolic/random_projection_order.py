"""How the divergence of random projection orders: increasing in the leverage, deletion above insertion."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.chi_square_hinges import r
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts_of_signs import inside, slope_inside, v
from ndis_verify.symbolic.notation import sign_changes
from ndis_verify.symbolic.random_projection import (
    deletion_threshold,
    hockey_stick_deletion,
    hockey_stick_insertion,
    in_odds,
    leverage,
    odds,
)
from ndis_verify.symbolic.random_projection_signs import (
    above,
    cost_steps,
    deletion,
    epsilon,
    flip_of,
    half,
    insertion,
    largest_loss,
    log_rho,
    rho,
    shape_steps,
    start_steps,
)
from ndis_verify.symbolic.special_functions import Pg, Qg, chi2_density, gamma_density

_SHARE = odds / (1 + odds)  # p


def _edges_in_order(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """The difference of two sides, positive factors taken out of max(0, .)."""

    def taken_out(*edges: sp.Expr) -> sp.Expr:
        edge = sp.factor(sp.expand(sp.expand_log(sp.Add(*edges))))  # the other is 0
        scale = sp.Mul(*(factor for factor in sp.Mul.make_args(edge) if factor.is_positive))
        return scale * sp.Max(0, edge / scale)

    return left.replace(sp.Max, taken_out) - right.replace(sp.Max, taken_out)


def cost_of_deletion() -> sp.Expr:
    """The divergence of a deletion at the odds k = p/(1-p) of the leverage."""
    return deletion(epsilon)


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
    """`d delta/d p = (t0/(1-p)) f(t0) > 0`, f the chi-square density with r degrees of freedom: the order in
    the leverage of a set (N24-D6, N24-T6); `random_projection_pairs.grows_with_leverage` proves it of a pair.

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
            rhs=deletion(epsilon),
        ),
        Step(
            "the two densities",
            "(rho - 1) t0/2 = eps + (r/2) log rho, so e^eps f(rho t0/2) = f(t0/2)/rho for the gamma density f.",
            lhs=sp.exp(epsilon) * gamma_density(half, rho * edge),
            rhs=gamma_density(half, edge) / rho,
            premises=("in k = rho - 1",),
        ),
        Step(
            "derivative in rho",
            "The terms in d t0/d rho cancel; what is left is t0/(2 rho) times the gamma density.",
            lhs=sp.diff(deletion(epsilon), odds),
            rhs=in_rho,
            premises=("in k = rho - 1", "the two densities"),
        ),
        Step(
            "increasing in rho",
            "t0 > 0 and a density is positive.",
            lhs=sp.diff(deletion(epsilon), odds),
            rhs=sp.Integer(0),
            relation=">",
            witness=in_rho,
            premises=("derivative in rho",),
        ),
        Step(
            "d rho/d p",
            "rho = 1/(1-p) increases in p.",
            lhs=sp.Derivative(1 / (1 - leverage), leverage),
            rhs=1 / (1 - leverage) ** 2,
        ),
        Step(
            "derivative in p",
            "Chain rule, and the chi-square density at t is half the gamma density at t/2.",
            lhs=sp.Subs(in_rho * rho**2, odds, leverage / (1 - leverage)),
            rhs=result,
            reduce=lambda left, right: in_odds(left) - in_odds(right),
            premises=("increasing in rho", "d rho/d p"),
        ),
        Step(
            "p -> 0, eps > 0",
            "t0 tends to infinity and the divergence to 0.",
            lhs=Qg(half, sp.Limit((above + half * log_rho) / odds, odds, 0, "+")),
            rhs=sp.Integer(0),
            premises=("in k = rho - 1",),
        ),
        Step(
            "p -> 0, eps = 0",
            "t0/2 and rho t0/2 tend to one value and the divergence to 0.",
            lhs=sp.Limit(half * log_rho / odds, odds, 0, "+"),
            rhs=sp.Limit(rho * half * log_rho / odds, odds, 0, "+"),
            premises=("in k = rho - 1",),
        ),
    )
    return Derivation(
        id="random_projection_order.derivative_in_leverage",
        title="The divergence of random projection increases with the leverage",
        sources=("N26-P4", "N24-P3", "N24-P10"),
        hypotheses=(),
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
        concludes=tuple(
            Conclusion(claim, step, part=part)
            for claim in ("N24-D6", "N24-Fig12", "N24-T6", "N24-TabI", "N24-TabIII")
            for step, part in (
                ("derivative in p", "a deletion costs more at a larger leverage"),
                ("p -> 0, eps > 0", "at leverage 0 it costs nothing, eps > 0"),
                ("p -> 0, eps = 0", "at leverage 0 it costs nothing, eps = 0"),
            )
        ),
    )


@cache
def deletion_dominates() -> Derivation:
    """`delta_deletion(eps) >= delta_insertion(eps)` for every eps >= 0, r >= 1 and p in (0, 1) (N24-T2, N24-T7,
    N26-L4).

    With G the difference and eps* = (r/2) log rho: G(0) = 0, G' = e^eps H, H is positive and then negative on (0,
    eps*), and G(eps*) > 0. `number`: G, at `leverage`, `r`, `epsilon` >= 0.
    """
    past = half * log_rho + sp.Symbol("w", positive=True)
    lower_of = lambda e: e.replace(Pg, lambda s, x: 1 - Qg(s, x))  # noqa: E731
    delete, insert = (_as_declared(d.result) for d in (hockey_stick_deletion(), hockey_stick_insertion()))
    gap = deletion(v * largest_loss) - insertion(v * largest_loss)
    slope = largest_loss * sp.exp(v * largest_loss) * flip_of()
    steps = (
        Step(
            "G' = e^eps H",
            "H = Pg(r/2, (eps* - eps)/k) - Qg(r/2, rho (eps* + eps)/k), eps = v eps*: the density terms cancel in each"
            " direction.",
            lhs=slope_inside(gap),
            rhs=inside(slope),
        ),
        Step(
            "G(0) = 0",
            "At eps = 0 both are the total variation distance.",
            lhs=gap.subs(v, 0),
            rhs=sp.Integer(0),
            reduce=lambda left, right: lower_of(left - right),
        ),
        *start_steps(),
        *shape_steps(),
        by_fact(
            "signs of G'",
            "Those of H.",
            "sign changes and a positive factor",
            {"f": flip_of(), "factor": largest_loss * sp.exp(v * largest_loss)},
            {
                "positive": Step(
                    "factor",
                    "eps* e^eps > 0.",
                    lhs=inside(largest_loss * sp.exp(v * largest_loss)),
                    rhs=sp.Integer(0),
                    relation=">",
                    witness=inside(largest_loss * sp.exp(v * largest_loss)),
                )
            },
        ),
        Step(
            "G turns once",
            "As H changes its sign once.",
            lhs=sign_changes(slope),
            rhs=sp.Integer(1),
            relation="<=",
            kind="inference",
            premises=("signs of G'", "one sign change"),
        ),
        Step(
            "G starts upwards",
            "G'(0) = eps* H(0).",
            lhs=slope.subs(v, 0),
            rhs=sp.Integer(0),
            relation=">",
            kind="inference",
            premises=(Use("H(0) > 0", weight=largest_loss),),
        ),
        *cost_steps(),
        Step(
            "G at eps*",
            "Insertion is 0 there and beyond, while deletion is positive: its loss is unbounded.",
            lhs=gap.subs(v, 1),
            rhs=sp.Integer(0),
            relation=">",
            kind="inference",
            premises=(Use("cost", at={above: largest_loss}),),
        ),
        by_fact(
            "G >= 0",
            "G rises from 0 and then falls to G(eps*) > 0, so G >= 0 for 0 < eps < eps*; beyond eps*, G is the"
            " deletion divergence.",
            "up first, and one turn",
            {"f": gap, "slope": slope},
            {
                "slope": "G' = e^eps H",
                "start": "G(0) = 0",
                "up": "G starts upwards",
                "once": "G turns once",
                "end": "G at eps*",
            },
        ),
        Step(
            "beyond eps*",
            "Deletion is positive there too.",
            lhs=deletion(past),
            rhs=sp.Integer(0),
            relation=">",
            kind="inference",
            premises=(Use("cost", at={above: past}),),
        ),
        Step(
            "difference beyond eps*",
            "At eps = eps* + w, w > 0, insertion is 0 and the difference is the deletion divergence.",
            lhs=sp.Subs(delete - insert, (leverage, epsilon), (_SHARE, past)),
            rhs=deletion(past),
            reduce=_edges_in_order,
        ),
        Step(
            "deletion above insertion beyond eps*",
            "So it is positive.",
            lhs=sp.Subs(delete - insert, (leverage, epsilon), (_SHARE, past)),
            rhs=sp.Integer(0),
            relation=">",
            kind="inference",
            premises=("difference beyond eps*", "beyond eps*"),
        ),
        Step(
            "difference",
            "G itself, on 0 <= eps <= eps*.",
            lhs=sp.Subs(deletion(epsilon) - insertion(epsilon, 0), odds, leverage / (1 - leverage)),
            rhs=delete - insert,
            reduce=lambda left, right: _edges_in_order(in_odds(left), in_odds(right)),
        ),
    )
    return Derivation(
        id="random_projection_order.deletion_dominates",
        title="Deleting a record is at least as revealing as inserting it",
        sources=("N24-T2", "N24-T7", "N26-L4"),
        hypotheses=tuple(Hypothesis(text, sp.true) for text in ("0 < p < 1", "eps >= 0", "r >= 1")),
        steps=steps,
        result_step="difference",
        symbols={"leverage": leverage, "r": r, "epsilon": epsilon},
        domain=(leverage < 1,),
        faults=(
            Fault("deletion and insertion swapped", "difference", lambda rhs: -rhs),
            Fault("sign of H's slope in rho flipped", "slope of H(0) in rho", lambda rhs: -rhs),
            Fault("log inequality reversed", "log inequality: slope", lambda rhs: 2 * odds**2),
            Fault("rho dropped from the ratio", "ratio of the densities", lambda rhs: rhs / rho),
            Fault("R bent the other way", "R''", lambda rhs: -rhs),
        ),
        concludes=tuple(
            Conclusion(claim, step, part=f"deletion dominates, {where}")
            for claim in ("N24-T2", "N24-T7")
            for step, where in (
                ("G >= 0", "eps below the largest loss of an insertion"),
                ("deletion above insertion beyond eps*", "eps above it"),
                ("difference", "in the closed forms"),
            )
        ),
    )
