"""The two laws of random projection as products of normal laws; so the divergence does not fall with the leverage."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.chi_square_hinges import r
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import products
from ndis_verify.symbolic.special_functions import Qg, chi2_density, gamma_density
from ndis_verify.symbolic.statement_terms import quantity

leverage = sp.Symbol("p", nonnegative=True)  # of the record, 0 included
larger = sp.Symbol("q", nonnegative=True)
epsilon = sp.Symbol("epsilon", real=True)
zero, one = sp.Integer(0), sp.Integer(1)
FULL_RANK = Hypothesis(
    "delta_delete(p, r; eps) is the divergence of D^T G from D'^T G', G and G' standard normal with r columns, D of"
    " full rank and D' the rows of D without one of leverage p",
    of="projection",
)
DIRECTIONS = {"deletion": "projection", "insertion": "projection_insert"}


def cost(direction: str, of: sp.Expr) -> sp.Expr:
    """The divergence of a deletion or insertion at the leverage `of`, as the statement language has it."""
    return quantity(DIRECTIONS[direction], of, r, epsilon)


def cost_of_products(direction: str, of: sp.Expr) -> sp.Expr:
    """The same of N(0, 1)^r and N(0, 1 - p)^r."""
    variances = (one, 1 - of) if direction == "deletion" else (1 - of, one)
    return products(0, *variances, *variances, r, epsilon)


@cache
def as_products() -> Derivation:
    """D^T G with a record of leverage p < 1 and without it: as far apart as N(0, 1)^r and N(0, 1 - p)^r (N26-P4,
    N26-L4).

    `number`: what the deletion leaves of the variance along the record, at `leverage`.
    """
    S, R, v, vt, w, wt = (letter(name) for name in ("S", "R", "v", "v^T", "w", "w^T"))
    inverse, row = sp.Matrix([[3, -1], [-1, 2]]) / 5, sp.Matrix([1, sp.Rational(1, 2)])
    white = inverse * row
    model = {S: inverse**-2, R: inverse, v: row, vt: row.T, w: white, wt: white.T, leverage: (white.T * white)[0]}
    record = {"p": leverage, "S": S, "R": R, "v": v, "v^T": vt, "w": w, "w^T": wt}
    letters = {
        "p": leverage,
        "r": r,
        "epsilon": epsilon,
        "S": S,
        "T": S - v * vt,
        "R": R,
        "w": w,
        "w^T": wt,
        "left": 1 - leverage,
    }
    steps = [
        Step("least", "A leverage is not negative.", lhs=leverage, rhs=zero, relation=">=", witness=leverage),
        *(
            by_fact(
                f"record, {name}",
                why,
                f"a record of leverage p, {name}",
                record,
                {"full rank": FULL_RANK.text, "least": "least", "most": "p < 1"},
            )
            for name, why in (
                ("R S R", "P is the law of D^T G, S = D^T D; in units of S^{1/2}, R its inverse, S is I,"),
                ("R v", "and v, the record that Q's database is without, is w,"),
                ("v^T R", "transposed:"),
                ("w^T w", "p = v^T S^{-1} v is its squared length."),
            )
        ),
        Step(
            "second",
            "So S - v v^T, the Gram matrix of Q's database, is I - w w^T,",
            lhs=R * (S - v * vt) * R,
            rhs=1 - w * wt,
            algebra=BlockAlgebra({(R, S, R): one, (R, v): w, (vt, R): wt}, model),
            premises=("record, R S R", "record, R v", "record, v^T R"),
        ),
        Step(
            "left",
            "which leaves 1 - p along w,",
            lhs=1 - wt * w,
            rhs=1 - leverage,
            algebra=BlockAlgebra({(wt, w): leverage}, model),
            premises=("record, w^T w",),
        ),
        Step(
            "positive",
            "which is positive.",
            lhs=1 - leverage,
            rhs=zero,
            relation=">",
            kind="inference",
            premises=(Use("p < 1", weight=-1),),
        ),
    ]
    for direction, head in DIRECTIONS.items():
        exchanged = "" if direction == "deletion" else ", exchanged"
        steps += [
            meaning(f"two laws, {direction}", head, leverage, r, epsilon),
            by_fact(
                f"one direction, {direction}",
                "One direction of each column is left.",
                f"columns that differ in one direction{exchanged}",
                letters,
                {
                    "first": "record, R S R",
                    "second": "second",
                    "left": "left",
                    "leverage": "left",
                    "positive": "positive",
                },
            ),
            Step(
                f"as products, {direction}",
                "So the divergence is that of two products.",
                lhs=cost(direction, leverage),
                rhs=cost_of_products(direction, leverage),
                kind="inference",
                premises=(f"two laws, {direction}", f"one direction, {direction}"),
            ),
        ]
    return Derivation(
        id="random_projection_pairs.as_products",
        title="One direction of each column is all in which two projections differ",
        sources=("N26-P4", "N26-L4"),
        hypotheses=(FULL_RANK, Hypothesis("p < 1", leverage < 1)),
        steps=tuple(steps),
        result_step="left",
        symbols={"leverage": leverage},
        domain=(leverage < 1,),
        faults=(
            Fault("whole variance left", "left", lambda rhs: one),
            Fault("record added, not taken away", "second", lambda rhs: 1 + w * wt),
            Fault("directions exchanged", "as products, deletion", lambda rhs: cost_of_products("insertion", leverage)),
            Fault(
                "deletion for insertion", "as products, insertion", lambda rhs: cost_of_products("deletion", leverage)
            ),
        ),
        concludes=tuple(
            Conclusion("N26-P4", f"as products, {direction}", part=f"the two laws, {direction}, for p < 1")
            for direction in DIRECTIONS
        ),
    )


@cache
def slope_in_rho() -> Derivation:
    """The slope of the closed form of a deletion in rho = 1/(1-p), t/(2 rho) times a gamma density (N26-P4, N24-P3).

    `number`: the slope, at `rho`, `r` and `epsilon`.
    """
    rho, at_least_0 = sp.Symbol("rho", positive=True), sp.Symbol("epsilon", nonnegative=True)
    edge = (at_least_0 + r / 2 * sp.log(rho)) / (rho - 1)
    half_t = sp.Symbol("y", positive=True)  # t/2 itself, as rho > 1 and eps >= 0

    def in_t(left: sp.Expr, right: sp.Expr) -> sp.Expr:
        return (left - right).subs(at_least_0, half_t * (rho - 1) - r / 2 * sp.log(rho))

    steps = (
        Step(
            "two densities",
            "(rho - 1) t/2 = eps + (r/2) log rho, so e^eps f(rho t/2) = f(t/2)/rho for the gamma density f.",
            lhs=sp.exp(at_least_0) * gamma_density(r / 2, rho * edge),
            rhs=gamma_density(r / 2, edge) / rho,
            reduce=in_t,
            premises=("rho > 1",),
        ),
        Step(
            "slope",
            "The terms in dt/drho cancel, and what is left is t/(2 rho) times the gamma density.",
            lhs=sp.Derivative(Qg(r / 2, edge) - sp.exp(at_least_0) * Qg(r / 2, rho * edge), rho),
            rhs=2 * edge / rho * chi2_density(r, 2 * edge),
            reduce=in_t,
            premises=("two densities", "rho > 1"),
        ),
    )
    orders = {"p": leverage, "q": larger, "rho": rho, "r": r, "eps": at_least_0}
    return Derivation(
        id="random_projection_pairs.slope_in_rho",
        title="The slope of a deletion's cost in rho",
        sources=("N26-P4", "N24-P3"),
        hypotheses=(Hypothesis("rho > 1", rho > 1),),
        steps=steps,
        result_step="slope",
        symbols={"rho": rho, "r": r, "epsilon": at_least_0},
        domain=(rho > 1,),
        faults=(
            Fault("1/rho dropped", "two densities", lambda rhs: rhs * rho),
            Fault("slope twice as large", "slope", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(Conclusion(claim, "slope", orders) for claim in ("N24-P3", "N26-P4")),
    )


@cache
def grows_with_leverage() -> Derivation:
    """`delta_delete(p, r; eps) <= delta_delete(q, r; eps)`, 0 <= p <= q < 1 (N26-P4).

    X to sqrt(c) X + sqrt(1 - c) Z takes N(0, 1) and N(0, 1 - q) to N(0, 1) and N(0, 1 - c q): no divergence grows, in
    neither direction. `number`: the largest share c, 1.
    """
    angle = sp.Symbol("t", real=True)
    part = sp.sin(angle) ** 2
    steps = [
        Step(
            "p < 1",
            "As p <= q < 1.",
            lhs=leverage,
            rhs=one,
            relation="<",
            kind="inference",
            premises=(Use("q < 1"), Use("q >= p", weight=-1)),
        ),
        Step("share", "A square is not negative,", lhs=part, rhs=zero, relation=">=", witness=part),
        Step("rest", "nor is 1 - sin^2 = cos^2.", lhs=part, rhs=one, relation="<=", witness=-(sp.cos(angle) ** 2)),
        Step("p >= 0", "A leverage.", lhs=leverage, rhs=zero, relation=">=", witness=leverage),
    ]
    for direction in DIRECTIONS:
        variances = (one, 1 - larger) if direction == "deletion" else (1 - larger, one)
        names = ("first", "second", "other first", "other second")
        steps += [
            by_fact(
                f"every share, {direction}",
                "One randomised map, which sees neither law, takes 1 - q to 1 - c q.",
                "a share of each of two products",
                {"shift": zero, **dict(zip(names, 2 * variances)), "d": r, "epsilon": epsilon, "c": part},
                {"factor": "share", "noise": "rest"},
            ),
            by_fact(
                f"smaller leverage, {direction}",
                "So it goes from q to every smaller leverage.",
                "every smaller number is a share",
                {
                    "f": cost_of_products(direction, leverage),
                    "argument": leverage,
                    "low": leverage,
                    "high": larger,
                    "angle": angle,
                },
                {"shares": f"every share, {direction}", "low": "p >= 0", "order": "q >= p"},
            ),
            Step(
                f"larger leverage, {direction}",
                "A larger leverage costs no less.",
                lhs=cost(direction, larger),
                rhs=cost(direction, leverage),
                relation=">=",
                kind="inference",
                premises=(
                    Use(f"smaller leverage, {direction}", weight=-1),
                    Use(f"as products, {direction}", of=as_products, granted={"p < 1": "p < 1"}),
                    Use(
                        f"as products, {direction}",
                        of=as_products,
                        at={leverage: larger},
                        granted={"p < 1": "q < 1"},
                    ),
                ),
            ),
        ]
    return Derivation(
        id="random_projection_pairs.grows_with_leverage",
        title="The divergence of random projection does not fall as the leverage grows",
        sources=("N26-P4",),
        hypotheses=(FULL_RANK, Hypothesis("q >= p", larger >= leverage), Hypothesis("q < 1", larger < 1)),
        steps=tuple(steps),
        result_step="rest",
        symbols={},
        faults=(
            Fault("order of the leverages", "larger leverage, deletion", lambda rhs: 2 * rhs),
            Fault("p < 2", "p < 1", lambda rhs: rhs / 2),
            Fault("share above 1", "rest", lambda rhs: rhs / 2),
        ),
        concludes=(
            Conclusion("N26-P4", "larger leverage, deletion", {"p": leverage, "q": larger, "r": r, "eps": epsilon}),
            Conclusion("N26-P4", "larger leverage, insertion", part="in the other direction too, for q >= p"),
        ),
    )
