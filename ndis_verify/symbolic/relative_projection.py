"""Random projection relative to a set of databases: the leverage of a set, and noise only where it falls short."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import leverage as leverages
from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.privacy_loss import dp_iff_hockey_stick
from ndis_verify.symbolic.random_projection import odds as odds_of_cost
from ndis_verify.symbolic.random_projection_order import cost_of_deletion, deletion_dominates, rises_with_leverage
from ndis_verify.symbolic.ridge import length2, level, target

zero = sp.Integer(0)
h, p, smallest = sp.symbols("h p lambda_min", positive=True)
records = sp.Symbol("n", positive=True)
_SET, _DENSITIES = "a set of databases S, fixed and public", "output laws have densities with respect to one measure"


def _addition_algebra() -> tuple[BlockAlgebra, tuple[sp.Symbol, ...]]:
    S, Si, u, ut = letters = tuple(letter(name) for name in ("S", "Si", "u", "ut"))
    gram, record = sp.Matrix([[3, 1], [1, 2]]), sp.Matrix([1, 2])
    value = (record.T * gram.inv() * record)[0]
    model = {S: gram, Si: gram.inv(), u: record, ut: record.T, h: value}
    return BlockAlgebra({(S, Si): 1, (Si, S): 1, (ut, Si, u): h}, model, ("which pairs",)), letters


@cache
def neighbourhood() -> Derivation:
    """The leverage of {D, D less a record, D plus a record u} is `max(max_i p_i, max_u h/(1 + h))`, h = u^T (D^T
    D)^{-1} u (N24-D6).

    `number`: the leverage h/(1 + h) of an added record, at `h`.
    """
    algebra, (S, Si, u, ut) = _addition_algebra()
    inverse = Si - Si * u * ut * Si / (1 + h)
    steps = (
        Step(
            "members",
            "D, D less row i and D plus u, of n, n - 1 and n + 1 records; neighbours differ by one record. Two"
            " members other"
            " than D have as many records, or differ by",
            lhs=records + 1 - held(records - 1),
            rhs=sp.Integer(2),
        ),
        Step(
            "which pairs",
            "So one of the two is D: the pairs are (D, D less row i) with leverage p_i, and (D plus u, D) with the"
            " leverage of u in D plus u. S = D^T D + ridge I, the ridge 0 or not, is invertible, as where there are"
            " leverages, Si = S^{-1}, and h = u^T Si u: a record changes S by the same matrix with a ridge and"
            " without.",
            kind="definition",
            premises=("members",),
        ),
        Step(
            "inverse",
            "(S + u u^T)^{-1} by Sherman-Morrison, any d,",
            lhs=(S + u * ut) * inverse,
            rhs=sp.Integer(1),
            algebra=algebra,
            premises=("which pairs",),
        ),
        Step(
            "leverage of an added record",
            "u^T (S + u u^T)^{-1} u = h/(1+h): one factorisation of S serves every u.",
            lhs=ut * inverse * u,
            rhs=h / (1 + h),
            algebra=algebra,
            premises=("which pairs", "inverse"),
        ),
        Step(
            "a copy of a record of D",
            "has h = p_i, so it never attains the maximum: p/(1+p) < p. With additions from D's own records the"
            " leverage of the set is max_i p_i.",
            lhs=p,
            rhs=p / (1 + p),
            relation=">",
            witness=p**2 / (1 + p),
            premises=("leverage of an added record",),
        ),
        Step(
            "h/(1+h) increases",
            "Over all records of norm at most l,",
            lhs=sp.diff(h / (1 + h), h),
            rhs=zero,
            relation=">",
            witness=1 / (1 + h) ** 2,
            premises=("leverage of an added record",),
        ),
        Step(
            "over the ball",
            "the largest h is l^2/lambda_min(S), at the eigenvector: leverage l^2/(lambda_min + l^2).",
            lhs=(h / (1 + h)).subs(h, length2 / smallest),
            rhs=length2 / (smallest + length2),
            premises=("h/(1+h) increases",),
        ),
    )
    return Derivation(
        id="relative_projection.neighbourhood",
        title="The leverage of a database and its neighbours",
        sources=("N24-D6",),
        hypotheses=(),
        steps=steps,
        result_step="leverage of an added record",
        symbols={"h": h},
        faults=(
            Fault("h in place of h/(1+h)", "leverage of an added record", lambda rhs: h),
            Fault("sign in Sherman-Morrison", "leverage of an added record", lambda rhs: h / (1 - h)),
            Fault("a copy has leverage p", "a copy of a record of D", lambda rhs: p),
            Fault("the ball's radius forgotten in the sum", "over the ball", lambda rhs: length2 / smallest),
        ),
        concludes=tuple(
            Conclusion(claim, step, part=part)
            for claim in ("N24-D6", "N24-D7", "N24-Fig13", "N24-Fig13-corrected", "N24-TabIV")
            for step, part in (
                ("a copy of a record of D", "the set of a database and its neighbours, additions its own records"),
                ("over the ball", "the set of a database and its neighbours, additions any records"),
            )
        ),
    )


@cache
def mechanism() -> Derivation:
    """For a fixed set the plain projection where its leverage is at most p*, a ridge otherwise: relative DP (N24-Fig12,
    N24-T6).

    `number`: p*/(1 + p*), the largest leverage in the noisy branch at the ridge l^2/p*, at `leverage` = p*.
    """
    cap = leverages.ridge().result
    y, eigenvalue = sp.symbols("y lambda", positive=True)
    term = y**2 / (eigenvalue + level)
    steps = (
        Step(
            "set",
            "S is a set of databases, l a bound on the norms of their records, p_S the largest leverage of row i of D"
            " over all D, D' in S with D' = D less row i; a database short of full column rank has the leverage 1. In"
            " either branch the columns of an output are normal, of a positive definite covariance: output laws have"
            " densities with respect to one measure. Relative DP: the outputs on D and D' are (eps,"
            " delta)-indistinguishable, both in S.",
            kind="definition",
            premises=(_SET,),
        ),
        Step(
            "one branch",
            "p* and p_S are numbers of eps, delta, r and the whole set: every member of S takes the same branch, the"
            " plain one where p_S <= p* < 1.",
            kind="definition",
            premises=("set",),
        ),
        by_fact(
            "plain branch",
            "p_i <= p_S <= p*, in odds k/(1 + y) against k: deletion costs delta_r(eps; p_i) < delta_r(eps; p*) ="
            " delta where p_i <"
            " p*, insertion no more (deletion_dominates).",
            "a rising function at two points",
            {"f": cost_of_deletion(), "argument": odds_of_cost, "low": odds_of_cost / (1 + y), "high": odds_of_cost},
            {
                "rises": rises_with_leverage(),
                "order": Step(
                    "smaller odds",
                    "y > 0.",
                    lhs=odds_of_cost,
                    rhs=odds_of_cost / (1 + y),
                    relation=">",
                    witness=odds_of_cost * y / (1 + y),
                ),
            },
        ),
        Step(
            "supremum",
            "Both are attained in the limit: the largest divergence over neighbours in S is delta_r(eps; p_S), for this"
            " curve is continuous and increasing in the leverage.",
            kind="argument",
            premises=(
                "one branch",
                "plain branch",
                *(Use(step, of=deletion_dominates) for step in ("G >= 0", "deletion above insertion beyond eps*")),
            ),
        ),
        Step(
            "noisy branch",
            "The ridge l^2/p* leaves a leverage of at most p*/(1+p*) in every database (leverage.ridge),",
            lhs=cap.subs(level, length2 / target),
            rhs=target / (1 + target),
            premises=("one branch",),
        ),
        Step(
            "below p*",
            "below p*;",
            lhs=target,
            rhs=target / (1 + target),
            relation=">=",
            witness=target**2 / (1 + target),
            premises=("noisy branch",),
        ),
        Step(
            "private",
            "So in either branch every two neighbours in S cost at most delta: relative DP.",
            kind="argument",
            premises=("supremum", "below p*", Use("divergence", of=dp_iff_hockey_stick, granted={_DENSITIES: "set"})),
        ),
        Step(
            "l^2 (1/p* - 1)",
            "the smallest public ridge leaves p* at most.",
            lhs=cap.subs(level, length2 * (1 / target - 1)),
            rhs=target,
            premises=("one branch",),
        ),
        Step(
            "leverage beside a ridge",
            "v^T (D^T D + s I)^{-1} v is a sum of y_j^2/(lambda_j + s) (leverage.spectral_form), and each falls in s.",
            lhs=sp.diff(term, level),
            rhs=zero,
            relation="<",
            witness=-(y**2) / (eigenvalue + level) ** 2,
            premises=("set",),
        ),
        Step(
            "least ridge of a set",
            "So p_S(s), the leverage of the set beside the ridge s, falls in s from p_S to at most p* at l^2 (1/p* -"
            " 1). The least s with p_S(s) <= p* lies between, and is private by the plain branch's argument; beside a"
            " smaller one some pair of S costs more than delta.",
            kind="argument",
            premises=("l^2 (1/p* - 1)", "leverage beside a ridge", "supremum"),
        ),
    )
    return Derivation(
        id="relative_projection.mechanism",
        title="Random projection with noise only where a set of databases needs it",
        sources=("N24-Fig12", "N24-T6", "N24-D6"),
        hypotheses=(_SET,),
        steps=steps,
        result_step="noisy branch",
        symbols={"leverage": target},
        domain=(target < 1,),
        faults=(
            Fault("p* turned upside down", "noisy branch", lambda rhs: 1 / (1 + target)),
            Fault("ridge half the smallest", "l^2 (1/p* - 1)", lambda rhs: 2 * target / (1 + target)),
            Fault("leverage grows with the ridge", "leverage beside a ridge", lambda rhs: 2 * sp.diff(term, level)),
        ),
        concludes=(
            Conclusion("N24-D6", "supremum", part="what the leverage of a set is for"),
            *(
                Conclusion(claim, step, part=part, granted=granted)
                for claim, granted in (
                    ("N24-Fig12", {}),
                    ("N24-T6", {}),
                    ("N24-TabIII", {_SET: "a database and all its neighbours as the set"}),
                )
                for step, part in (
                    ("private", "both branches, for a fixed set"),
                    ("least ridge of a set", "the least ridge of a set"),
                )
            ),
        ),
    )
