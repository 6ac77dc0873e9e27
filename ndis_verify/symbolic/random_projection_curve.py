"""The curve of random projection when a record is deleted, from the two laws: above that of an insertion, and rising
with the leverage.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.chi_square_hinges import c, fraction, lower_expectation, r, scale, upper_expectation
from ndis_verify.symbolic.covariance_order import scale_order
from ndis_verify.symbolic.covariance_order_steps import epsilon as order_epsilon
from ndis_verify.symbolic.covariance_order_steps import lam as order_lam
from ndis_verify.symbolic.covariance_order_steps import m as order_m
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.meanings import chi2_value, meaning
from ndis_verify.symbolic.normal_coordinates import entry, log_density
from ndis_verify.symbolic.notation import products, single, x
from ndis_verify.symbolic.random_projection import leverage, odds
from ndis_verify.symbolic.random_projection_order import rises_with_leverage
from ndis_verify.symbolic.random_projection_pairs import FULL_RANK, as_products, cost, grows_with_leverage, larger
from ndis_verify.symbolic.random_projection_pairs import epsilon as pair_epsilon
from ndis_verify.symbolic.random_projection_pairs import leverage as pair_leverage
from ndis_verify.symbolic.special_functions import Pg, Qg
from ndis_verify.symbolic.statement_terms import quantity

epsilon = sp.Symbol("epsilon", nonnegative=True)
left = sp.Symbol("y", positive=True)  # 1 - p, of the variance along the record
zero, one = sp.Integer(0), sp.Integer(1)
_LEFT = 1 / (1 + odds)  # the same, in the odds k
_START = epsilon + r * sp.log(1 + odds) / 2  # the exponent where the chi-square variable is 0
_LAWS = {"first": one, "second": _LEFT, "d": r, "epsilon": epsilon}
_POSITIVE = {"first": "variance 1", "second": "variance 1 - p"}
_SHOWN = {"lam_i >= 1": "every eigenvalue", "m_i >= 1": "every multiplicity", "eps >= 0": "epsilon"}
_ORDERS = {"deletion": ("", "centred"), "insertion": (", exchanged", "centred_reverse")}


def _cost(direction: str) -> sp.Expr:
    """The divergence of a deletion or insertion at the leverage, as the statement language has it."""
    return cost(direction, leverage).subs(pair_epsilon, epsilon)


def variance_steps() -> tuple[Step, ...]:
    return (
        Step("variance 1", "Both variances are positive: 1,", lhs=one, rhs=zero, relation=">", witness=one),
        Step("variance 1 - p", "and 1 - p.", lhs=_LEFT, rhs=zero, relation=">", witness=_LEFT),
    )


def _in_odds() -> tuple[Step, ...]:
    """The leverage p by its odds k = p/(1 - p), which go over all positive numbers; the variances in them."""
    return (
        Step("left", "What is left of 1.", lhs=left, rhs=1 - leverage, kind="definition", premises=("p < 1",)),
        Step("odds", "The odds of the leverage.", lhs=odds, rhs=leverage / left, kind="definition"),
        Step(
            "leverage",
            "So 1 - p = 1/(1 + k), and rho = 1 + k.",
            lhs=leverage,
            rhs=odds / (1 + odds),
            kind="inference",
            premises=("odds", "left"),
        ),
        *variance_steps(),
    )


def _products(direction: str) -> sp.Expr:
    """The divergence of N(0, 1)^r from N(0, 1/(1 + k))^r, or that of the second from the first."""
    variances = (one, _LEFT) if direction == "deletion" else (_LEFT, one)
    return products(0, *variances, *variances, r, epsilon)


def _two_products(direction: str) -> Step:
    return Step(
        f"two products, {direction}",
        "One direction of each column is all in which the two projections differ.",
        lhs=_cost(direction),
        rhs=_products(direction),
        kind="inference",
        premises=(
            Use(f"as products, {direction}", of=as_products, at={pair_leverage: leverage, pair_epsilon: epsilon}),
            "leverage",
        ),
    )


def falling_hinge_steps() -> tuple[Step, ...]:
    """The more spread of the two products first: the mean of a hinge of a chi-square variable."""
    return (
        Step(
            "loss of one coordinate",
            "log q/p of N(0, 1) and N(0, 1/(1 + k)).",
            lhs=log_density(0, sp.sqrt(_LEFT)) - log_density(0, 1),
            rhs=(sp.log(1 + odds) - odds * entry(x) ** 2) / 2,
        ),
        by_fact(
            "chi-square",
            "So the divergence is a mean over a chi-square variable,",
            "products as a hinge of a chi-square variable",
            {**_LAWS, "share": sp.log(1 + odds), "weight": -odds, "t": chi2_value},
            {"loss": "loss of one coordinate", **_POSITIVE},
        ),
        meaning("hinge", "chi2_hinge", _START, -odds, r),
        Step(
            "as a hinge",
            "with an exponent that falls",
            lhs=_products("deletion"),
            rhs=quantity("chi2_hinge", _START, -odds, r),
            kind="inference",
            premises=("chi-square", "hinge"),
        ),
    )


def rising_hinge_steps(tag: str = "") -> tuple[Step, ...]:
    """The same of the other direction, in which the exponent rises; `tag` ends the names of the steps."""
    share = odds / (1 + odds)
    start = epsilon - r * sp.log(1 + odds) / 2
    return (
        Step(
            f"loss of one coordinate{tag}",
            "log q/p of N(0, 1/(1 + k)) and N(0, 1).",
            lhs=log_density(0, 1) - log_density(0, sp.sqrt(_LEFT)),
            rhs=(-sp.log(1 + odds) + odds * entry(x) ** 2) / 2,
        ),
        by_fact(
            f"chi-square{tag}",
            "So the divergence is a mean over a chi-square variable,",
            "products as a hinge of a chi-square variable",
            {
                **_LAWS,
                "first": _LEFT,
                "second": one,
                "share": -sp.log(1 + odds),
                "weight": share,
                "t": chi2_value,
            },
            {"loss": f"loss of one coordinate{tag}", "first": "variance 1 - p", "second": "variance 1"},
        ),
        meaning(f"hinge{tag}", "chi2_hinge", start, share, r),
        Step(
            f"as a hinge{tag}",
            "with an exponent that rises.",
            lhs=_products("insertion"),
            rhs=quantity("chi2_hinge", start, share, r),
            kind="inference",
            premises=(f"chi-square{tag}", f"hinge{tag}"),
        ),
    )


def _curve_steps(edge: sp.Expr) -> tuple[Step, ...]:
    """The deletion's divergence as the mean of a hinge of a chi-square variable, and what that is."""
    return (
        _two_products("deletion"),
        *falling_hinge_steps(),
        Step("exponent at 0", "from what is not negative:", lhs=_START, rhs=zero, relation=">=", witness=_START),
        Step(
            "closed form",
            "As e^c (1 + k)^{-r/2} = e^eps.",
            lhs=_cost("deletion"),
            rhs=Qg(r / 2, edge) - sp.exp(epsilon) * Qg(r / 2, edge / (1 - leverage)),
            kind="inference",
            premises=(
                "two products, deletion",
                "as a hinge",
                Use(
                    "expectation",
                    of=upper_expectation,
                    at={c: _START, scale: odds},
                    granted={"c >= 0": "exponent at 0"},
                ),
                "leverage",
            ),
        ),
    )


def product_order_steps() -> tuple[Step, ...]:
    """The first of the two products is the more spread one, so that it is the worse one to come first."""
    spectrum = single(1 + odds), single(r)
    at = dict(zip((order_lam, order_m, order_epsilon), (*spectrum, epsilon)))
    return (
        *(
            step
            for direction, (exchanged, head) in _ORDERS.items()
            for step in (
                by_fact(
                    f"one eigenvalue{exchanged}",
                    "Two covariances of one ratio, 1 + k.",
                    f"one ratio of variances{exchanged}",
                    _LAWS,
                    _POSITIVE,
                ),
                meaning(f"divergence{exchanged}", head, *spectrum, epsilon),
                Step(
                    f"spectrum, {direction}",
                    "In terms of their spectrum.",
                    lhs=_products(direction),
                    rhs=quantity(head, *spectrum, epsilon),
                    kind="inference",
                    premises=(f"one eigenvalue{exchanged}", f"divergence{exchanged}"),
                ),
            )
        ),
        Step("eigenvalue", "The eigenvalue is at least 1,", lhs=1 + odds, rhs=one, relation=">=", witness=odds),
        Step("multiplicity", "and stands at least once,", lhs=r, rhs=one, relation=">=", witness=r - 1),
        *(
            by_fact(
                f"every {what}",
                "the only one that there is.",
                "the only coordinate of a vector",
                {"v": value, "b": one},
                {"bound": what},
            )
            for what, value in (("eigenvalue", 1 + odds), ("multiplicity", r))
        ),
        Step("epsilon", "As stated.", lhs=epsilon, rhs=zero, relation=">=", witness=epsilon),
        Step(
            "products in order",
            "The more spread law first is the worse direction (N26-L3).",
            lhs=_products("deletion"),
            rhs=_products("insertion"),
            relation=">=",
            kind="inference",
            premises=(
                *(f"spectrum, {direction}" for direction in _ORDERS),
                Use("order", of=scale_order, at=at, granted=_SHOWN),
            ),
        ),
    )


def _order_steps() -> tuple[Step, ...]:
    """So a deletion costs at least what an insertion does."""
    return (
        _two_products("insertion"),
        *product_order_steps(),
        Step(
            "deletion dominates",
            "The more spread law first is the worse direction.",
            lhs=_cost("deletion"),
            rhs=_cost("insertion"),
            relation=">=",
            kind="inference",
            premises=(*(f"two products, {direction}" for direction in _ORDERS), "products in order"),
        ),
    )


@cache
def deletion_curve() -> Derivation:
    """`delta_delete(p, r; eps) = Qg(r/2, t/2) - e^eps Qg(r/2, rho t/2)`, t/2 = (eps + (r/2) log rho)/(rho - 1), rho =
    1/(1 - p), and it is at least delta_insert(p, r; eps) (N26-L4).

    `number`: the closed form, at `leverage` = p in (0, 1), `r` and `epsilon` >= 0.
    """
    rho = 1 / (1 - leverage)
    edge = (epsilon + r / 2 * sp.log(rho)) / (rho - 1)
    return Derivation(
        id="random_projection_curve.deletion_curve",
        title="What a deletion costs in random projection, and that an insertion costs no more",
        sources=("N26-L4", "N24-T2"),
        hypotheses=(FULL_RANK, Hypothesis("p < 1", leverage < 1)),
        steps=(*_in_odds(), *_curve_steps(edge), *_order_steps()),
        result_step="closed form",
        symbols={"leverage": leverage, "r": r, "epsilon": epsilon},
        domain=(leverage < 1,),
        faults=(
            Fault("e^eps left out", "closed form", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("edge not rescaled", "closed form", lambda rhs: (1 - sp.exp(epsilon)) * Qg(r / 2, edge)),
            Fault("loss of the other direction", "loss of one coordinate", lambda rhs: -rhs),
            Fault("exponent that rises", "as a hinge", lambda rhs: quantity("chi2_hinge", _START, odds, r)),
            Fault("odds for the leverage", "leverage", lambda rhs: odds),
            Fault("twice what an insertion costs", "deletion dominates", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(
            Conclusion(claim, step, {"p": leverage, "r": r, "eps": epsilon})
            for claim in ("N26-L4", "N24-T2")
            for step in ("closed form", "deletion dominates")
        ),
    )


@cache
def insertion_curve() -> Derivation:
    """`delta_insert(p, r; eps) = Pg(r/2, u/2) - e^eps Pg(r/2, (1 - p) u/2)`, u = max(0, (r log(1/(1 - p)) - 2 eps)/p)
    (N24-T2).

    `number`: the closed form, at `leverage` = p in (0, 1), `r` and `epsilon` >= 0.
    """
    share = odds / (1 + odds)  # p
    start = epsilon - r * sp.log(1 + odds) / 2
    most = sp.Max(0, (r * sp.log(1 / (1 - leverage)) - 2 * epsilon) / leverage)
    in_odds = -2 * start / share

    def hinge_value(u: sp.Expr) -> sp.Expr:
        return Pg(r / 2, u) - sp.exp(epsilon) * Pg(r / 2, _LEFT * u)

    steps = (
        *_in_odds(),
        _two_products("insertion"),
        *rising_hinge_steps(),
        Step("share below 1", "Its slope is less than 1/2.", share, one, "<", -1 / (1 + odds)),
        Step(
            "closed form in odds",
            "As e^c (1 + k)^{r/2} = e^eps.",
            lhs=_cost("insertion"),
            rhs=hinge_value(sp.Max(0, in_odds / 2)),
            kind="inference",
            premises=(
                "two products, insertion",
                "as a hinge",
                Use(
                    "expectation",
                    of=lower_expectation,
                    at={c: start, fraction: share},
                    granted={"a < 1": "share below 1"},
                ),
            ),
        ),
        Step(
            "half",
            "Half of u.",
            lhs=sp.Max(0, in_odds / 2),
            rhs=sp.Max(0, (r * sp.log(1 + odds) - 2 * epsilon) / share) / 2,
            reduce=lambda left_, right: sp.expand((left_ - right).rewrite(sp.Abs)),
        ),
        Step(
            "closed form",
            "In terms of p.",
            lhs=_cost("insertion"),
            rhs=Pg(r / 2, most / 2) - sp.exp(epsilon) * Pg(r / 2, (1 - leverage) * most / 2),
            kind="inference",
            premises=("closed form in odds", "half", "leverage"),
        ),
    )
    return Derivation(
        id="random_projection_curve.insertion_curve",
        title="What an insertion costs in random projection",
        sources=("N24-T2",),
        hypotheses=(FULL_RANK, Hypothesis("p < 1", leverage < 1)),
        steps=steps,
        result_step="closed form",
        symbols={"leverage": leverage, "r": r, "epsilon": epsilon},
        domain=(leverage < 1,),
        faults=(
            Fault("e^eps left out", "closed form in odds", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("loss of the other direction", "loss of one coordinate", lambda rhs: -rhs),
            Fault("whole of u", "closed form", lambda rhs: rhs.subs(most, 2 * most)),
        ),
        concludes=(Conclusion("N24-T2", "closed form", {"p": leverage, "r": r, "eps": epsilon}),),
    )


@cache
def rises_strictly() -> Derivation:
    """`delta_delete(p, r; eps) < delta_delete(q, r; eps)` for 0 <= p < q < 1 (N24-P3).

    The curve rises strictly from the middle of both to q, and does not fall from p, which may be 0, to the middle.
    `number`: the odds of the middle, at `p`, `gap` = (q - p)/2 and `left` = 1 - q.
    """
    p, q, gap = pair_leverage, larger, sp.Symbol("d", positive=True)
    middle, edge = p + gap, (epsilon + r / 2 * sp.log(1 + odds)) / odds
    curve = Qg(r / 2, edge) - sp.exp(epsilon) * Qg(r / 2, (1 + odds) * edge)
    low, high = middle / (left + gap), (p + 2 * gap) / left
    apart = gap * (p + 2 * gap + left) / (left * (left + gap))
    at = {"middle": (middle, low), "q": (p + 2 * gap, high)}

    def cost_at(of: sp.Expr) -> sp.Expr:
        return cost("deletion", of).subs(pair_epsilon, epsilon)

    steps: list[Step] = [
        Step("gap", "Half of what they are apart.", lhs=gap, rhs=(q - p) / 2, kind="definition", premises=("q > p",)),
        Step("left", "What q leaves of 1.", lhs=left, rhs=1 - q, kind="definition", premises=("q < 1",)),
        Step("p", "So p is", lhs=p, rhs=1 - left - 2 * gap, kind="inference", premises=("left", "gap")),
    ]
    for name, (of, in_odds) in at.items():
        room = 1 - of.subs(p, 1 - left - 2 * gap)
        steps += [
            Step(f"room above {name}", "Something is left above it,", lhs=room, rhs=zero, relation=">", witness=room),
            Step(
                f"{name} below 1",
                "so it is below 1.",
                lhs=of,
                rhs=one,
                relation="<",
                kind="inference",
                premises=("p", Use(f"room above {name}", weight=-1)),
            ),
            Step(
                f"curve at {name}",
                "The closed form (N26-L4) in the odds of the leverage.",
                lhs=cost_at(of),
                rhs=curve.subs(odds, in_odds),
                kind="inference",
                premises=(
                    Use("closed form", of=deletion_curve, at={leverage: of}, granted={"p < 1": f"{name} below 1"}),
                    "p",
                ),
            ),
        ]
    steps += [
        rises_with_leverage(),
        Step("apart", "Those of q are larger,", lhs=high - low, rhs=zero, relation=">", witness=apart),
        Step("odds in order", "so", lhs=high, rhs=low, relation=">", kind="inference", premises=("apart",)),
        by_fact(
            "from the middle on",
            "the curve rises strictly from the middle to q.",
            "a rising function at two points",
            {"f": curve, "argument": odds, "low": low, "high": high},
            {"rises": "rises with the leverage", "order": "odds in order"},
        ),
        Step("middle", "The middle is not below p.", lhs=middle, rhs=p, relation=">=", witness=gap),
        Step(
            "strictly",
            "From p to the middle it does not fall (N26-P4).",
            lhs=cost_at(p + 2 * gap),
            rhs=cost_at(p),
            relation=">",
            kind="inference",
            premises=(
                Use("from the middle on", weight=-1),
                Use(
                    "larger leverage, deletion",
                    of=grows_with_leverage,
                    at={larger: middle, pair_epsilon: epsilon},
                    granted={"q >= p": "middle", "q < 1": "middle below 1"},
                ),
                *(f"curve at {name}" for name in at),
            ),
        ),
        Step(
            "larger leverage",
            "And p + 2 d = q.",
            lhs=cost_at(q),
            rhs=cost_at(p),
            relation=">",
            kind="inference",
            premises=("strictly", "gap"),
        ),
    ]
    return Derivation(
        id="random_projection_curve.rises_strictly",
        title="What a deletion costs rises strictly with the leverage",
        sources=("N24-P3",),
        hypotheses=(FULL_RANK, Hypothesis("q > p", q > p), Hypothesis("q < 1", q < 1)),
        steps=tuple(steps),
        result_step="odds in order",
        symbols={"p": p, "gap": gap, "left": left},
        faults=(
            Fault("q three gaps away", "p", lambda rhs: rhs - 2 * gap),
            Fault("odds of the middle at q", "curve at q", lambda rhs: curve.subs(odds, low)),
            Fault("cost twice", "strictly", lambda rhs: 2 * rhs),
            Fault("q twice as far", "larger leverage", lambda rhs: 2 * rhs),
        ),
        concludes=(Conclusion("N24-P3", "larger leverage", {"p": p, "q": q, "r": r, "eps": epsilon}),),
    )
