"""Private least squares: when one pair of databases costs no more than another."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.least_squares_order_steps import r

_MEMBERS = "members of full column rank, their residual not 0"


@cache
def pair_order() -> Derivation:
    """Asymptotic law: when one pair of databases costs no more than another, by noise, less shift and less y (N24-T4).

    With x = p/(1-p), y = (q-p)/(1-q): if y does not grow, alpha, the first scale less 1, keeps its side and does not
    grow in size, and m^2/|alpha| = r/|1/x - 1/y| does not grow, no divergence grows in that direction. `number`: r/(1/x
    - 1/y) at `odds_p` = x < `odds_q` = y.
    """
    x, y, alpha, s, t = sp.symbols("x y alpha s t", positive=True)
    # |alpha| of the second pair, m^2/|alpha| of it, what the first one's is more
    first, second, less = sp.symbols("a c b", positive=True)
    steps = (
        Step(
            "alpha, delete",
            "The larger database relative to the smaller: (1+y)/(1+x) less 1, and y in d-1 other directions"
            " (gaussian_order).",
            lhs=(1 + y) / (1 + x) - 1,
            rhs=(y - x) / (1 + x),
            premises=(_MEMBERS,),
        ),
        Step(
            "shift, delete",
            "m^2 = r x y/(1+x), over alpha",
            lhs=(r * x * y / (1 + x)) / ((y - x) / (1 + x)),
            rhs=r / (1 / x - 1 / y),
            premises=("alpha, delete",),
        ),
        Step(
            "alpha, insert",
            "Insert: (1+x)/(1+y) less 1, and -y/(1+y) in the others.",
            lhs=(1 + x) / (1 + y) - 1,
            rhs=(x - y) / (1 + y),
            premises=(_MEMBERS,),
        ),
        Step(
            "shift, insert",
            "m^2 = r x y/(1+y): the same ratio with the other sign.",
            lhs=(r * x * y / (1 + y)) / ((x - y) / (1 + y)),
            rhs=-r / (1 / x - 1 / y),
            premises=("alpha, insert",),
        ),
        Step(
            "noise",
            "Noise of variance s on the first coordinate of both laws, divided by sqrt(1+s), takes alpha to t alpha, t"
            " = 1/(1+s) any number in (0, 1],",
            lhs=((1 + alpha + s) / (1 + s) - 1).subs(s, 1 / t - 1),
            rhs=t * alpha,
        ),
        Step(
            "noise, mean",
            "and m^2 to t m^2.",
            lhs=sp.Subs(alpha / (1 + s), s, 1 / t - 1),
            rhs=t * alpha,
            premises=("noise",),
        ),
        Step(
            "first coordinate",
            "With t the ratio of both |alpha| the first pair is left a shift that is not less than the second one's:"
            " m^2 of the second is a c, t m^2 of the first a (c + b).",
            lhs=first * (second + less) - first * second,
            rhs=sp.Integer(0),
            relation=">",
            witness=first * less,
            premises=("noise, mean",),
        ),
        Step(
            "other coordinates",
            "y and y/(1+y) fall together, and noise takes them nearer to 0 (box_bound).",
            lhs=sp.diff(y / (1 + y), y),
            rhs=sp.Integer(0),
            relation=">",
            witness=1 / (1 + y) ** 2,
        ),
        by_fact(
            "order",
            "Noise on both laws; a smaller m^2 costs no more (box_bound, mean shift). alpha = 0 for both: the shift"
            " alone. Either"
            " way no divergence grows.",
            "noise on both of two products",
            {
                "shift": alpha,
                "first": 1 + alpha,
                "second": sp.Integer(1),
                "other first": 1 + y,
                "other second": sp.Integer(1),
                "d": sp.Symbol("d", positive=True),
                "epsilon": sp.Symbol("epsilon", real=True),
                **dict.fromkeys(("noise", "other noise"), s),
                **dict.fromkeys(("g", "other g"), 1 + s),
            },
            {
                **dict.fromkeys(("noise", "other noise"), Step("s > 0", "as said.", s, sp.Integer(0), ">=", s)),
                **dict.fromkeys(("g", "other g"), Step("1 + s > 0", "so.", 1 + s, sp.Integer(0), ">", 1 + s)),
            },
            premises=("first coordinate", "other coordinates"),
        ),
        Step(
            "shift over alpha",
            "r/(1/x - 1/y), x < y.",
            lhs=r * x * y / (y - x),
            rhs=r / (1 / x - 1 / y),
            premises=("shift, delete", "shift, insert"),
        ),
    )
    return Derivation(
        id="least_squares_pairs.pair_order",
        title="Asymptotic least squares: an order of pairs, for ridges that grow",
        sources=("N24-T4", "N24-Fig13"),
        hypotheses=(_MEMBERS,),
        steps=steps,
        result_step="shift over alpha",
        symbols={"odds_p": x, "odds_q": y, "r": r},
        domain=(x < y,),
        faults=(
            Fault("shift of the other direction", "shift, delete", lambda rhs: rhs * (1 + x) / (1 + y)),
            Fault("mean not divided", "noise, mean", lambda rhs: rhs / t),
            Fault("noise squared", "noise", lambda rhs: rhs * t),
            Fault("other scales grow", "other coordinates", lambda rhs: rhs + 2 / (1 + y) ** 2),
            Fault("sign of insert", "alpha, insert", lambda rhs: -rhs),
        ),
        concludes=(
            Conclusion("N24-Fig13", "order", part="where the cost of a change falls with the ridge"),
            Conclusion("N24-Fig13", "shift over alpha", part="the shift over alpha, of which the order is one"),
        ),
    )
