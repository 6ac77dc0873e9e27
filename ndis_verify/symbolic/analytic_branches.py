"""The two forms of the analytic Gaussian mechanism: the divergence at each branch of its algorithm."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

epsilon = sp.Symbol("epsilon", positive=True)
u = sp.Symbol("u", nonnegative=True)
v = sp.Symbol("u_above_0", positive=True)
_CLAIMS = ("BW-Alg1", "BW-T9")
_PARTS = {
    part: tuple(f"{name}: {step}" for name in ("B+", "B-") for step in ends)
    for part, ends in (
        ("delta falls as the std grows along each branch", ("order", "order of the std")),
        ("every delta is met on one of the branches", ("at u = 0", "as u grows")),
    )
}


def _branch(sign: int) -> tuple[Step, ...]:
    """At std = alpha Delta/sqrt(2 eps), alpha = sqrt(1 + u/2) - sign sqrt(u/2)."""
    name = "B+" if sign > 0 else "B-"
    high, low = sp.sqrt(1 + u / 2), sp.sqrt(u / 2)
    shift = sp.sqrt(2 * epsilon) * (high + low) if sign > 0 else sp.sqrt(2 * epsilon) / (high + low)
    curve = Phi(sign * sp.sqrt(epsilon * u)) - sp.exp(epsilon) * Phi(-sp.sqrt(epsilon * (u + 2)))
    arguments = shift / 2 - epsilon / shift, -shift / 2 - epsilon / shift

    def one_root(left: sp.Expr, right: sp.Expr) -> sp.Expr:
        # sqrt(u + 2) = sqrt 2 sqrt(1 + u/2)
        return sp.radsimp(sp.expand(left - right).subs(sp.sqrt(u + 2), sp.sqrt(2) * high))

    return (
        Step(
            f"{name}: alpha",
            "The std is positive: alpha (sqrt(1 + u/2) + sign sqrt(u/2)) = 1.".replace(
                "sign", "+" if sign > 0 else "-"
            ),
            lhs=high - sign * low,
            rhs=sp.Integer(0),
            relation=">",
            witness=1 / (high + low) if sign > 0 else high + low,
            reduce=lambda left, right: sp.radsimp(left - right),
        ),
        Step(
            f"{name}: first argument",
            "(1 + u/2) - u/2 = 1.",
            lhs=arguments[0],
            rhs=sign * sp.sqrt(epsilon * u),
            reduce=one_root,
        ),
        Step(
            f"{name}: second argument",
            "As well.",
            lhs=arguments[1],
            rhs=-sp.sqrt(epsilon * (u + 2)),
            reduce=one_root,
        ),
        Step(
            name,
            "The closed form at this shift.",
            lhs=quantity("mean_shift", shift, epsilon),
            rhs=curve,
            kind="inference",
            premises=(
                Use(
                    "closed form",
                    of=mean_shift.hockey_stick,
                    at={mean_shift.shift: shift, mean_shift.epsilon: epsilon},
                    granted={mean_shift.DEFINITE.text: "covariance"},
                ),
                f"{name}: first argument",
                f"{name}: second argument",
                Use(f"{name}: alpha", weight=0),
            ),
        ),
    )


def _order(sign: int) -> tuple[Step, Step]:
    """B+ increases and its std decreases in u, B- decreases and its std increases: the slopes have these signs."""
    name, relation, against = ("B+", ">", "<") if sign > 0 else ("B-", "<", ">")
    curve = Phi(sign * sp.sqrt(epsilon * v)) - sp.exp(epsilon) * Phi(-sp.sqrt(epsilon * (v + 2)))
    near, far = sp.sqrt(v), sp.sqrt(v + 2)
    # 1/near - 1/far = 2/(near far (near + far))
    bracket = 1 / near + 1 / far if sign > 0 else 2 / (near * far * (near + far))
    alpha = (far - sign * near) / sp.sqrt(2)
    return (
        Step(
            f"{name}: order",
            "e^eps phi(sqrt(eps (u+2))) = phi(sqrt(eps u)), and 1/sqrt(u) > 1/sqrt(u+2).",
            lhs=sp.Derivative(curve, v),
            rhs=sp.Integer(0),
            relation=relation,
            witness=sign * phi(sp.sqrt(epsilon * v)) * sp.sqrt(epsilon) / 2 * bracket,
        ),
        Step(
            f"{name}: order of the std",
            "alpha = std sqrt(2 eps)/Delta.",
            lhs=sp.Derivative(alpha, v),
            rhs=sp.Integer(0),
            relation=against,
            witness=-sp.sqrt(2) / (2 * near * far * (near + far)) if sign > 0 else (1 / near + 1 / far) / sp.sqrt(8),
        ),
    )


def _ends(sign: int) -> tuple[Step, Step]:
    """B+ goes up from delta_0 to 1, B- down from it to 0: every delta is met once."""
    name = "B+" if sign > 0 else "B-"
    curve = Phi(sign * sp.sqrt(epsilon * v)) - sp.exp(epsilon) * Phi(-sp.sqrt(epsilon * (v + 2)))
    ends = [sp.Limit(sign * sp.sqrt(epsilon * v), v, sp.oo), sp.Limit(-sp.sqrt(epsilon * (v + 2)), v, sp.oo)]
    return (
        Step(
            f"{name}: at u = 0",
            "1/2 - e^eps Phi(-sqrt(2 eps)) = delta_0.",
            lhs=curve.subs(v, 0),
            rhs=sp.Rational(1, 2) - sp.exp(epsilon) * Phi(-sp.sqrt(2 * epsilon)),
            reduce=lambda left, right: (left - right).rewrite(sp.erfc),
        ),
        Step(
            f"{name}: as u grows",
            "The limits of the two arguments.",
            lhs=Phi(ends[0]) - sp.exp(epsilon) * Phi(ends[1]),
            rhs=sp.Integer(1 if sign > 0 else 0),
        ),
    )


@cache
def both_branches() -> Derivation:
    """`delta = Phi(+-sqrt(eps u)) - e^eps Phi(-sqrt(eps (u + 2)))` at the std of each branch (BW-Alg1,
    BW-T9).

    `number`: B+(u), the delta at std = (sqrt(1+u/2) - sqrt(u/2)) Delta/sqrt(2 eps), at `u` >= 0 and `epsilon` > 0.
    """
    steps = (
        Step(
            "covariance",
            "S = std^2 I: S positive definite, as std, a positive multiple of Delta, is positive.",
            kind="definition",
            premises=("Delta > 0",),
        ),
        *_branch(1),
        *_branch(-1),
        *(step for sign in (1, -1) for step in (*_order(sign), *_ends(sign))),
    )
    return Derivation(
        id="analytic_branches.both_branches",
        title="The divergence at both branches of the analytic Gaussian mechanism",
        sources=("BW-Alg1", "BW-T9"),
        hypotheses=("Delta > 0", Hypothesis("eps > 0", epsilon > 0), Hypothesis("u >= 0", u >= 0)),
        steps=steps,
        result_step="B+",
        symbols={"u": u, "epsilon": epsilon},
        faults=(
            Fault("u + 1 for u + 2", "B+: second argument", lambda rhs: -sp.sqrt(epsilon * (u + 1))),
            Fault("branches swapped", "B-: first argument", lambda rhs: -rhs),
            Fault("factor e^eps dropped", "B+", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
        ),
        concludes=tuple(
            Conclusion(claim, step, {"u": u, "eps": epsilon, "Delta": sp.Symbol("Delta", positive=True)})
            for claim in _CLAIMS
            for step in ("B+", "B-")
        )
        + tuple(
            Conclusion(claim, step, part=part)
            for claim in _CLAIMS
            for part, steps_of in _PARTS.items()
            for step in steps_of
        ),
    )
