"""Two centred Gaussians with comparable covariances: Chernoff bounds in both directions.

The more spread law is N(0, diag lambda), lambda_i = e^{l_i} >= 1, the other N(0, I); nu = sum l_i, alpha_i = lambda_i -
1.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.covariance_order import scale_order
from ndis_verify.symbolic.covariance_order_steps import epsilon as scaled_epsilon
from ndis_verify.symbolic.covariance_order_steps import lam as scaled_lam
from ndis_verify.symbolic.covariance_order_steps import m as scaled_m
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.hinge_moment import CONSTANT, loss, markov_steps
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.moment_generating import log_moment
from ndis_verify.symbolic.normal_coordinates import entry, log_density, total_of
from ndis_verify.symbolic.normal_coordinates import z as coordinate
from ndis_verify.symbolic.notation import held, scaled, unscaled, x
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

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


_LAM, _COUNTS = sp.symbols("lambda m", real=True)
_EXCESS = sp.Symbol("a", nonnegative=True)  # lambda_i - 1
_LEVEL = sp.Symbol("nu", real=True)
_HYPOTHESES = (
    Hypothesis("lam_i >= 1", entry(_LAM) >= 1),
    Hypothesis("m_i >= 1", entry(_COUNTS) >= 1),
    Hypothesis("s > 0", s > 0),
    Hypothesis("s (lam_i - 1) < 1", s * (entry(_LAM) - 1) < 1),
    Hypothesis("eps >= 0", epsilon >= 0),
)
_LEAST, _EACH, _, _RANGE, _ = (hypothesis.text for hypothesis in _HYPOTHESES)


def _loss_steps() -> tuple[Step, ...]:
    """E_P e^{sL} of the more spread law P, all of whose lambda_i = 1 + a_i; room = 1 - s a_i."""
    variance = 1 + _EXCESS
    statistic = (1 - 1 / variance) * entry(x) ** 2
    loss_letters = {
        "log p": log_density(0, sp.sqrt(variance)),
        "log q": log_density(0, 1),
        "statistic": statistic,
        "share": sp.log(variance),
        "level": _LEVEL,
    }
    weight = (1 - room) / s
    return (
        Step("a_i", "lambda_i = 1 + a_i.", lhs=_EXCESS, rhs=entry(_LAM) - 1, kind="definition", premises=(_LEAST,)),
        Step(
            "room",
            "What s a_i leaves of 1.",
            lhs=room,
            rhs=1 - s * (entry(_LAM) - 1),
            kind="definition",
            premises=(_RANGE,),
        ),
        Step(
            "level",
            "nu = sum m_i log lambda_i.",
            lhs=_LEVEL,
            rhs=total_of(entry(_COUNTS) * sp.log(variance)),
            kind="definition",
        ),
        Step("L", "The loss log p/q at a draw from the more spread law P.", kind="definition"),
        Step(
            "loss of one coordinate",
            "log p/q is half of (1 - 1/lambda_i) x_i^2 - log lambda_i in each coordinate.",
            lhs=loss_letters["log p"] - loss_letters["log q"],
            rhs=(statistic - loss_letters["share"]) / 2,
        ),
        Step(
            "one coordinate under P",
            "x_i = sqrt(lambda_i) z_i: the statistic is a_i z_i^2.",
            lhs=(1 - 1 / variance) * held(sp.sqrt(variance) * entry(coordinate)) ** 2,
            rhs=weight * entry(coordinate) ** 2,
            kind="inference",
            premises=("a_i", "room"),
        ),
        *_moment("E e^{s a z^2/2}", (1 - room) / 2, room, "room = 1 - s a > 0, the stated range of s."),
        by_fact(
            "E_P e^{sL}",
            "L = -nu/2 + (1/2) sum a_i z_i^2, the coordinates independent.",
            "moment of an affine loss",
            {
                **loss_letters,
                "L": loss,
                "s": s,
                "std": sp.sqrt(variance),
                "weight": weight,
                "moment": 1 / sp.sqrt(room),
                "counts": _COUNTS,
            },
            {
                "draw": "L",
                "loss": "loss of one coordinate",
                "level": "level",
                "form": "one coordinate under P",
                "moment": "E e^{s a z^2/2}",
                "counts": _EACH,
            },
        ),
    )


@cache
def more_spread_bound() -> Derivation:
    """`delta <= s^s (1+s)^{-1-s} e^{-s(eps + nu/2)} prod (1 - s(lambda_i - 1))^{-m_i/2}`, in both directions
    (N26-L2-corrected).

    s > 0, s (lambda_i - 1) < 1. `number`: r equal eigenvalues e^l at `l`, `r`, `epsilon`, `s`.
    """
    bound = s**s * (1 + s) ** (-1 - s) * sp.exp(-s * (epsilon + total_of(entry(_COUNTS) * sp.log(entry(_LAM))) / 2))
    bound *= quantity("product", (1 - s * (entry(_LAM) - 1)) ** (-entry(_COUNTS) / 2))
    alike = s**s * (1 + s) ** (-1 - s) * sp.exp(-s * (epsilon + r * ell / 2)) * (1 - s * (sp.exp(ell) - 1)) ** (-r / 2)
    first, second = (quantity(head, _LAM, _COUNTS, epsilon) for head in ("centred", "centred_reverse"))
    steps = (
        meaning("divergence", "centred", _LAM, _COUNTS, epsilon),
        by_fact(
            "spectrum",
            "In coordinates in which Q is standard and P has the variances lambda_i.",
            "spectrum of two centred normal laws",
            {"lam": _LAM, "m": _COUNTS, "epsilon": epsilon},
            {"least": _LEAST, "counts": _EACH},
        ),
        *_loss_steps(),
        by_fact(
            "hinge",
            "The divergence is the mean of a hinge of the loss.",
            "divergence as the mean of a hinge",
            {"P": scaled(_LAM, _COUNTS, 0), "Q": unscaled(_COUNTS), "epsilon": epsilon, "L": loss},
            {"loss": "L"},
        ),
        *markov_steps(epsilon, "E_P e^{sL}"),
        Step(
            "the more spread law first",
            "Markov on the hinge, and the moment.",
            lhs=first,
            rhs=bound,
            relation="<=",
            kind="inference",
            premises=(
                "divergence",
                "spectrum",
                "hinge",
                "Markov on the hinge",
                "E_P e^{sL}",
                "level",
                "room",
                "a_i",
            ),
        ),
        Step(
            "the other direction",
            "It is the smaller divergence (N26-L3).",
            lhs=second,
            rhs=bound,
            relation="<=",
            kind="inference",
            premises=(
                "the more spread law first",
                Use(
                    "order",
                    of=scale_order,
                    at={scaled_lam: _LAM, scaled_m: _COUNTS, scaled_epsilon: epsilon},
                    weight=-1,
                ),
            ),
        ),
        Step(
            "r of one eigenvalue",
            "lambda_i = e^l, r times, where e^{-s eps} E_P e^{sL} is this.",
            lhs=CONSTANT * sp.exp(-s * epsilon + r * log_bound()),
            rhs=alike,
            reduce=lambda left, right: sp.expand(sp.expand_log(sp.log(left) - sp.log(right), force=True)),
        ),
    )
    names = {"lam": _LAM, "m": _COUNTS, "s": s, "eps": epsilon}
    return Derivation(
        id="covariance_shift.more_spread_bound",
        title="Chernoff bound of the hinge, both directions",
        sources=("N26-L2",),
        hypotheses=_HYPOTHESES,
        steps=steps,
        result_step="r of one eigenvalue",
        symbols={"l": ell, "r": r, "epsilon": epsilon, "s": s},
        domain=(s * (sp.exp(ell) - 1) < 1,),
        faults=(
            Fault("bound of the product without s", "logarithm of the product", lambda rhs: rhs - s),
            Fault("constant with 1/(1+s) once more", "1 - e^{-v} at v > 0", lambda rhs: rhs / (1 + s)),
            Fault("sign of nu flipped", "r of one eigenvalue", lambda rhs: rhs * sp.exp(s * r * ell)),
            Fault("weights without 1/s", "one coordinate under P", lambda rhs: rhs * s),
            Fault("nu left out", "the more spread law first", lambda rhs: rhs.replace(total_of(0).func, lambda _: 0)),
            Fault("half the bound in the other direction", "the other direction", lambda rhs: rhs / 2),
        ),
        concludes=(
            Conclusion("N26-L2-corrected", "the more spread law first", names),
            Conclusion("N26-L2-corrected", "the other direction", names),
            Conclusion("N26-L2-corrected", "r of one eigenvalue", part="r coordinates of one eigenvalue"),
        ),
    )
