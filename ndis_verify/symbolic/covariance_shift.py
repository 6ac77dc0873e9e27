"""Two centred Gaussians with comparable covariances: Chernoff bounds in both directions.

The more spread law is N(0, diag lambda), lambda_i = e^{l_i} >= 1, the other N(0, I); nu = sum l_i, alpha_i = lambda_i -
1.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.hinge_moment import CONSTANT, markov_steps
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.moment_generating import log_moment
from ndis_verify.symbolic.special_functions import Phi, phi

ell, r, s, rate = sp.symbols("l r s u", positive=True)
epsilon = sp.Symbol("epsilon", nonnegative=True)
z = sp.Symbol("z", real=True)
growth = sp.Symbol("x", positive=True)  # alpha = e^l - 1
room = sp.Symbol("k", positive=True)  # 1 - s alpha, positive on the range of s
zero, one = sp.Integer(0), sp.Integer(1)


def _moment(name: str, exponent: sp.Expr, spread: sp.Expr, why: str) -> tuple[Step, Step]:
    """E e^{exponent z^2} = spread^{-1/2} where exponent = (1 - spread)/2."""
    integrand = sp.exp(exponent * z**2) * phi(z)
    antiderivative = Phi(sp.sqrt(spread) * z) / sp.sqrt(spread)
    return integral_steps(name, integrand, (z, -sp.oo, sp.oo), antiderivative, 1 / sp.sqrt(spread), why)


@cache
def less_spread_bound() -> Derivation:
    """`delta <= e^{s(nu-2eps)} prod (1+2s w_i)^{-1/2} - e^eps (1 - e^{-u(nu-2eps)} prod (1-2u(e^{l_i}-1))^{-1/2})`
    (N26-L2).

    P the less spread law, w = 1 - e^{-l}, 0 < u < 1/(2 max(e^l - 1)). `number`: r equal eigenvalues at `l`, `r`,
    `epsilon`, `s`, `u`.
    """
    width, slack = sp.Symbol("w", positive=True), sp.Symbol("t", real=True)
    squares, other_squares = sp.symbols("X Y", nonnegative=True)
    weight = 1 - sp.exp(-ell)
    narrow = sp.exp(-ell)
    total = r * ell - 2 * epsilon
    bound = sp.exp(s * total) * (1 + 2 * s * weight) ** (-r / 2) - sp.exp(epsilon) * (
        1 - sp.exp(-rate * total) * (1 - 2 * rate * (sp.exp(ell) - 1)) ** (-r / 2)
    )
    first = sp.exp(s * slack) * (1 + 2 * s * weight) ** (-r / 2)
    second = sp.exp(-rate * slack) * (1 - 2 * rate * (sp.exp(ell) - 1)) ** (-r / 2)
    steps = (
        Step(
            "weights",
            "P = N(0, I), Q = N(0, diag e^{l}) in the whitened frame: log p/q = sum l_i/2 - (1 - e^{-l_i}) z_i^2/2, so"
            " that eps - L = eps - nu/2 + (1/2) sum (1 - e^{-l_i}) z_i^2.",
            lhs=(ell - z**2 + sp.exp(-ell) * z**2) / 2,
            rhs=ell / 2 - weight * z**2 / 2,
        ),
        Step(
            "a >= 0",
            "Every weight is nonnegative exactly because P is the less spread law.",
            lhs=(1 - 1 / (1 + growth)),
            rhs=zero,
            relation=">",
            witness=growth / (1 + growth),
        ),
        Step(
            "threshold",
            "e^l = 1 + x: L <= nu/2 everywhere, so nothing exceeds eps >= nu/2 and delta = 0 there.",
            lhs=sp.Subs(ell / 2 - weight * z**2 / 2, ell, sp.log(1 + growth)),
            rhs=sp.log(1 + growth) / 2,
            relation="<=",
            witness=-(1 - 1 / (1 + growth)) * z**2 / 2,
        ),
        *_moment("E e^{-s w z^2}", -s * width, 1 + 2 * s * width, "s, w > 0."),
        by_fact(
            "Markov, first",
            "X = sum w_i z_i^2: Pr[X <= t] <= e^{st} E e^{-sX}.",
            "Markov's inequality of an exponential",
            {"X": -squares, "t": -slack, "u": s},
            {"rate": Step("s > 0", "as stated.", lhs=s, rhs=zero, relation=">", witness=s)},
        ),
        Step(
            "under Q",
            "z = e^{l/2} y with y standard normal: (1 - e^{-l}) z^2 = (e^l - 1) y^2.",
            lhs=(1 - narrow) / narrow,
            rhs=sp.exp(ell) - 1,
        ),
        *_moment("E e^{u x y^2}", (1 - room) / 2, room, "room = 1 - 2 u x > 0, the stated range of u."),
        by_fact(
            "Markov, second",
            "Pr[Y >= t] <= e^{-ut} E e^{uY}, Y = sum (e^{l_i}-1) y_i^2, so the second probability is at least 1 minus"
            " that;"
            " independent coordinates multiply.",
            "Markov's inequality of an exponential",
            {"X": other_squares, "t": slack, "u": rate},
            {"rate": Step("u > 0", "as stated.", lhs=rate, rhs=zero, relation=">", witness=rate)},
        ),
        Step(
            "the second factor is idle",
            "The exponent -u t - (1/2) sum log(1 - 2 u x_i) is convex in u with slope sum x_i - t at u = 0, and x = e^l"
            " - 1 >= l, so the slope is at least nu - t = 2 eps >= 0: the factor is never below 1, its infimum, at u"
            " -> 0.",
            lhs=sp.Subs(sp.Derivative(-rate * slack - sp.log(1 - 2 * rate * growth) / 2, rate), rate, 0),
            rhs=growth - slack,
        ),
        Step(
            "its convexity",
            "The second derivative in u.",
            lhs=sp.diff(-rate * slack - sp.log(1 - 2 * rate * growth) / 2, rate, 2),
            rhs=2 * growth**2 / (1 - 2 * rate * growth) ** 2,
        ),
        Step(
            "e^l - 1 >= l",
            "The difference has slope e^l - 1 > 0 and starts at 0.",
            lhs=sp.diff(sp.exp(ell) - 1 - ell, ell).subs(ell, sp.log(1 + growth)),
            rhs=zero,
            relation=">",
            witness=growth,
        ),
        Step(
            "bound",
            "The two probabilities put into delta = Pr[W1 <= t] - e^eps Pr[W2 <= t].",
            lhs=sp.Subs(first - sp.exp(epsilon) * (1 - second), slack, total),
            rhs=bound,
        ),
    )
    return Derivation(
        id="covariance_shift.less_spread_bound",
        title="Chernoff bound where the first law is the less spread one",
        sources=("N26-L2",),
        hypotheses=(
            "S1 <= S2 in the Loewner order",
            "equal means",
            "eps >= 0",
            "s > 0",
            "0 < u < 1/(2(e^{max l} - 1))",
        ),
        steps=steps,
        result_step="bound",
        symbols={"l": ell, "r": r, "epsilon": epsilon, "s": s, "u": rate},
        domain=(2 * rate * (sp.exp(ell) - 1) < 1,),
        faults=(
            Fault("weights of the other direction", "a >= 0", lambda rhs: sp.Integer(1)),
            Fault("moment of the wrong sign", "E e^{-s w z^2}", lambda rhs: 1 / sp.sqrt(1 - s * width / 2)),
            Fault("e^l for e^l - 1 under Q", "under Q", lambda rhs: rhs + 1),
            Fault("slope of the second factor", "the second factor is idle", lambda rhs: -rhs),
            Fault("e^eps dropped", "bound", lambda rhs: rhs.subs(epsilon, 0)),
        ),
        covers={"N26-L2": "whole, for S1 <= S2"},
    )


def log_bound(eigenvalue: sp.Expr = sp.exp(ell)) -> sp.Expr:  # noqa: B008  an expression does not change
    """One coordinate's log M(s) for the more spread law first, no mean shift."""
    return log_moment(s, eigenvalue, zero)


@cache
def more_spread_bound() -> Derivation:
    """`delta <= s^s (1+s)^{-1-s} e^{-s(eps + nu/2)} prod (1 - s(e^{l_i} - 1))^{-1/2}`, in both directions
    (N26-L2-corrected).

    0 < s < 1/max(e^{l_i} - 1). `number`: r equal eigenvalues at `l`, `r`, `epsilon`, `s`.
    """
    slope = -(2 * s + 1 - (1 + growth) * (2 * s + 1) / (room * (1 + (1 + s) * growth))) / 2
    shift = sp.Symbol("m", real=True)
    odds = sp.Symbol("j", positive=True)  # s alpha = j/(1+j) runs over (0, 1)
    inside = lambda e: e.subs({growth: odds / (s * (1 + odds)), room: 1 / (1 + odds)})  # noqa: E731
    gap = log_bound() - log_moment(-1 - s, sp.exp(ell), zero)
    bound = s**s * (1 + s) ** (-1 - s) * sp.exp(-s * (epsilon + r * ell / 2)) * (1 - s * (sp.exp(ell) - 1)) ** (-r / 2)
    steps = (
        *_moment("E e^{s alpha z^2/2}", (1 - room) / 2, room, "room = 1 - s alpha > 0, the stated range of s."),
        *markov_steps(epsilon, "E e^{s alpha z^2/2}"),
        Step(
            "E_P e^{sL}",
            "L = -nu/2 + (1/2) sum alpha_i z_i^2: the moment of one coordinate, without a shift.",
            lhs=sp.Subs(log_moment(s, sp.exp(ell), shift), shift, 0),
            rhs=-s * ell / 2 - sp.log(1 - s * (sp.exp(ell) - 1)) / 2,
        ),
        Step(
            "the other direction",
            "E_Q e^{s log q/p} = E_P e^{-(1+s) L}: one coordinate of log M(-1-s).",
            lhs=log_moment(-1 - s, sp.exp(ell), zero),
            rhs=(1 + s) * ell / 2 - sp.log(1 + (1 + s) * (sp.exp(ell) - 1)) / 2,
        ),
        Step("difference at l = 0", "log M(s) - log M(-1-s) vanishes there,", lhs=sp.Subs(gap, ell, 0), rhs=zero),
        Step(
            "its slope",
            "in l, at e^l = 1 + x, k = 1 - s x,",
            lhs=sp.Subs(sp.diff(gap, ell), ell, sp.log(1 + growth)),
            rhs=sp.Subs(slope, room, 1 - s * growth),
        ),
        Step(
            "increasing",
            "is positive, as k (1 + (1+s) x) = 1 + x - s(1+s) x^2 (here x = j/(s(1+j)), k = 1/(1+j)): so M(-1-s) <="
            " M(s).",
            lhs=inside(slope),
            rhs=zero,
            relation=">",
            witness=inside((2 * s + 1) * s * (1 + s) * growth**2 / (2 * room * (1 + (1 + s) * growth))),
        ),
        Step(
            "bound",
            "Independent coordinates multiply: r of them at one l.",
            lhs=CONSTANT * sp.exp(-s * epsilon + r * (-s * ell / 2 - sp.log(1 - s * (sp.exp(ell) - 1)) / 2)),
            rhs=bound,
            reduce=lambda left, right: sp.expand(sp.expand_log(sp.log(left) - sp.log(right), force=True)),
        ),
    )
    return Derivation(
        id="covariance_shift.more_spread_bound",
        title="Chernoff bound of the hinge, both directions",
        sources=("N26-L2",),
        hypotheses=("S1 >= S2 or S1 <= S2", "equal means", "real eps", "0 < s < 1/(e^{max l} - 1)"),
        steps=steps,
        result_step="bound",
        symbols={"l": ell, "r": r, "epsilon": epsilon, "s": s},
        domain=(s * (sp.exp(ell) - 1) < 1,),
        faults=(
            Fault("bound of the product without s", "logarithm of the product", lambda rhs: rhs - s),
            Fault("constant with 1/(1+s) once more", "1 - e^{-v} at v > 0", lambda rhs: rhs / (1 + s)),
            Fault("sign of nu flipped", "bound", lambda rhs: rhs * sp.exp(s * r * ell)),
            Fault("slope of the wrong sign", "its slope", lambda rhs: -rhs),
        ),
        covers={"N26-L2": "corrected: S1 >= S2, and both directions at once"},
    )
