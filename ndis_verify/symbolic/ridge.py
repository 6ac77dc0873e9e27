"""Random projection after a ridge: privacy and the smallest valid ridge."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import leverage as leverages
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.random_projection import odds as odds_of_cost
from ndis_verify.symbolic.random_projection_order import cost_of_deletion, deletion_dominates, rises_with_leverage

half = sp.Rational(1, 2)
zero = sp.Integer(0)
target = sp.Symbol("p", positive=True)  # the leverage p* that meets (eps, delta)
length2, level = sp.symbols("l2 sigma2", positive=True)  # the same symbols as in leverage.ridge
odds, r = sp.symbols("k r", positive=True)  # k = p*/(1 - p*): positivity is all of (0, 1)
epsilon = sp.Symbol("epsilon", positive=True)
_ODDS_OF = {target: 1 - 1 / (1 + odds)}


def _cap() -> sp.Expr:
    """l^2/(ridge + l^2), the largest leverage beside a ridge."""
    return leverages.ridge().result


@cache
def mechanism() -> Derivation:
    """The projection of [D; sigma I] is (eps, delta)-DP for `sigma^2 = l^2/p*`, delta_r(eps; p*) = delta: behind
    the noise of a set (N24-Fig12, N24-T6); for all databases see `random_projection_ridges`.

    `number`: the largest leverage p*/(1 + p*) that remains, at `leverage` = p*.
    """
    edge = (epsilon + r * sp.log(1 + odds) / 2) / odds
    smallest = length2 * (1 / target - 1)
    room = sp.Symbol("y", positive=True)
    lower, order = odds / (1 + room), deletion_dominates()
    steps = (
        Step(
            "output",
            "l is a bound on the norm of every record, p* < 1 the leverage that meets (eps, delta). The columns have"
            " covariance D^T D + sigma^2 I, by a ridge or by an added noise matrix alike: sigma I below D adds sigma^2"
            " I, and so does independent noise of variance sigma^2.",
            kind="definition",
        ),
        Step(
            "largest leverage",
            "leverage.ridge: at most l^2/(sigma^2 + l^2), in every database. At sigma^2 = l^2/p* that is p*/(1 + p*),",
            lhs=_cap().subs(level, length2 / target),
            rhs=target / (1 + target),
            premises=("output",),
        ),
        Step(
            "below p*",
            "which is below p*;",
            lhs=target,
            rhs=target / (1 + target),
            relation=">=",
            witness=target**2 / (1 + target),
            premises=("largest leverage",),
        ),
        Step(
            "smaller ridge",
            "at sigma^2 = l^2 (1/p* - 1) it is p* itself.",
            lhs=_cap().subs(level, smallest),
            rhs=target,
            premises=("output",),
        ),
        Step(
            "more ridge, less leverage",
            "The bound falls as sigma^2 grows.",
            lhs=sp.diff(_cap(), level),
            rhs=zero,
            relation="<",
            witness=-length2 / (level + length2) ** 2,
            premises=("below p*", "smaller ridge"),
        ),
        Step(
            "p* exists: p -> 1",
            "delta_r(eps; .) is continuous; as p -> 1 its first threshold tends to 0",
            lhs=sp.Limit(edge, odds, sp.oo),
            rhs=zero,
        ),
        Step(
            "p* exists: second threshold",
            "and its second to infinity, so it tends to 1;",
            lhs=sp.Limit(1 / ((1 + odds) * edge), odds, sp.oo),
            rhs=zero,
            premises=("p* exists: p -> 1",),
        ),
        Step(
            "p* exists: p -> 0",
            "as p -> 0 the first tends to infinity (for eps = 0 the two thresholds meet), so it tends to 0: every delta"
            " in (0, 1) has its p*.",
            lhs=sp.Limit(1 / edge, odds, 0, "+"),
            rhs=zero,
            premises=("p* exists: second threshold",),
        ),
        rises_with_leverage(),
        by_fact(
            "deletion",
            "So deleting any record, of odds k/(1 + y) < k, k those of p*, costs less than delta_r(eps; p*) = delta.",
            "a rising function at two points",
            {"f": cost_of_deletion(), "argument": odds_of_cost, "low": lower, "high": odds},
            {
                "rises": "rises with the leverage",
                "order": Step(
                    "order", "Any odds below.", lhs=odds, rhs=lower, relation=">", witness=odds * room / (1 + room)
                ),
            },
            premises=("more ridge, less leverage", "p* exists: p -> 0"),
        ),
        *(
            Step(
                name,
                why,
                lhs=found.lhs.subs(odds_of_cost, lower),
                rhs=zero,
                relation=found.relation,
                kind="inference",
                premises=(Use(found.name, of=deletion_dominates, at={odds_of_cost: lower}),),
            )
            for name, why, found in (
                ("insertion", "The other direction costs no more, at eps below its largest loss", order.step("G >= 0")),
                ("insertion beyond", "and above it.", order.step("deletion above insertion beyond eps*")),
            )
        ),
    )
    return Derivation(
        id="ridge.mechanism",
        title="Random projection after a ridge is differentially private",
        sources=("N26-T5.1", "N26-Fig1", "N24-T3", "N24-C7"),
        hypotheses=(),
        steps=steps,
        result_step="largest leverage",
        symbols={"leverage": target},
        domain=(target < 1,),
        faults=(
            Fault("p* turned upside down", "largest leverage", lambda rhs: 1 / (1 + target)),
            Fault("ridge below the smallest", "smaller ridge", lambda rhs: 2 * rhs),
            Fault("leverage grows with the ridge", "more ridge, less leverage", lambda rhs: 2 * sp.diff(_cap(), level)),
            Fault("the curve stops short of 1", "p* exists: second threshold", lambda rhs: half),
        ),
        concludes=tuple(
            Conclusion(claim, step, part=part)
            for claim in ("N24-Fig12", "N24-T6", "N24-TabI", "N24-TabIII")
            for step, part in (
                ("deletion", "what a deletion costs beside a ridge"),
                ("insertion", "an insertion costs no more, eps below its largest loss"),
                ("insertion beyond", "an insertion costs no more, eps above it"),
            )
        ),
    )


@cache
def smallest_ridge() -> Derivation:
    """`sigma^2 = l^2 (1/p* - 1)` is the smallest ridge that is (eps, delta)-DP for every database: the
    number of N26-Fig1-smallest-ridge; `random_projection_ridges` proves it.

    `number`: that ridge at `leverage` = p* and `length2` = l^2.
    """
    room = sp.Symbol("y", positive=True)
    smallest = length2 * (1 / target - 1)
    less = length2 / (odds * (1 + room))
    at_less = _cap().subs(level, less)
    steps = (
        Step(
            "public",
            "l bounds the norm of every record, and some record has it; p* < 1 is the leverage that meets (eps, delta)."
            " The ridge depends on nothing private.",
            kind="definition",
        ),
        Step(
            "smallest",
            "The ridge whose largest leverage is p*: l^2/p = sigma^2 + l^2, less l^2.",
            lhs=length2 / target - length2,
            rhs=smallest,
            premises=("public",),
        ),
        Step(
            "valid",
            "l^2/(sigma^2 + l^2) = p* there (ridge.mechanism).",
            lhs=_cap().subs(level, smallest),
            rhs=target,
            premises=("smallest", Use("deletion", of=mechanism)),
        ),
        Step(
            "attained",
            "One record v of norm l against no record: the Gram matrix is sigma^2 I + v v^T, whose inverse is (I - v"
            " v^T/(sigma^2"
            " + l^2))/sigma^2, and the leverage is l^2/(sigma^2 + l^2) (leverage.ridge):",
            lhs=(length2 - length2**2 / (level + length2)) / level,
            rhs=_cap(),
            premises=("public",),
        ),
        Step(
            "any smaller ridge",
            "with k = p*/(1-p*) every smaller ridge is l^2/(k (1+y)), y > 0;",
            lhs=smallest.subs(_ODDS_OF) - less,
            rhs=zero,
            relation=">",
            witness=length2 * room / (odds * (1 + room)),
            premises=("smallest",),
        ),
        Step(
            "leverage above p*",
            "that record's leverage is then above p*,",
            lhs=at_less,
            rhs=sp.Subs(target, target, 1 - 1 / (1 + odds)),
            relation=">",
            witness=odds * room / ((1 + odds) * (1 + odds + odds * room)),
            premises=("attained", "any smaller ridge"),
        ),
        by_fact(
            "delta above the target",
            "and delta_r is strictly increasing, here in the odds k of the leverage: with the smaller ridge they are"
            " k (1 + y), and"
            " deleting that record costs more than delta.",
            "a rising function at two points",
            {"f": cost_of_deletion(), "argument": odds_of_cost, "low": odds, "high": odds * (1 + room)},
            {
                "rises": rises_with_leverage(),
                "order": Step(
                    "larger odds",
                    "k (1 + y) > k.",
                    lhs=odds * (1 + room),
                    rhs=odds,
                    relation=">",
                    witness=odds * room,
                ),
            },
        ),
        Step(
            "excess of l^2/p*",
            "The ridge l^2/p* is larger by l^2.",
            lhs=length2 / target,
            rhs=smallest,
            relation=">",
            witness=length2,
            premises=("valid",),
        ),
    )
    return Derivation(
        id="ridge.smallest_ridge",
        title="The smallest ridge that makes random projection private",
        sources=("N24-Fig3", "N26-Fig1"),
        hypotheses=(),
        steps=steps,
        result_step="smallest",
        symbols={"leverage": target, "length2": length2},
        domain=(target < 1,),
        faults=(
            Fault("l^2/p* taken for the smallest", "smallest", lambda rhs: length2 / target),
            Fault("leverage below p*", "leverage above p*", lambda rhs: 2 * rhs),
            Fault("ridges equal", "excess of l^2/p*", lambda rhs: length2 / target),
        ),
        concludes=tuple(
            Conclusion("N26-Fig1-smallest-ridge", step, part=part)
            for step, part in (
                ("leverage above p*", "beside a smaller ridge there is a leverage above p*"),
                ("delta above the target", "which costs more than delta"),
                ("excess of l^2/p*", "the printed ridge is valid and larger"),
            )
        ),
    )
