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
from ndis_verify.symbolic.notation import held, loss_at, scaled, unscaled, x
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

ell, r, s = sp.symbols("l r s", positive=True)
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


def log_bound(eigenvalue: sp.Expr = sp.exp(ell)) -> sp.Expr:  # noqa: B008  an expression does not change
    """One coordinate's log M(s) for the more spread law first, no mean shift."""
    return log_moment(s, eigenvalue, zero)


_LAM, _COUNTS = sp.symbols("lambda m", real=True)
_P, _Q = scaled(_LAM, _COUNTS, 0), unscaled(_COUNTS)
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
        "P": _P,
        "Q": _Q,
        "variance": variance,
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
        Step("lambda_i", "By this name", entry(_LAM), variance, kind="inference", premises=("a_i",)),
        Step(
            "variance",
            "it is the variance of P, as it is at least 1.",
            variance,
            sp.Max(1, entry(_LAM)),
            kind="inference",
            premises=("lambda_i",),
        ),
        Step("L", "The loss log p/q at a draw from the more spread law P.", loss, loss_at(_P, _Q), kind="definition"),
        Step(
            "loss of one coordinate",
            "log p/q is half of (1 - 1/lambda_i) x_i^2 - log lambda_i in each coordinate.",
            lhs=log_density(0, sp.sqrt(variance)) - log_density(0, 1),
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
                "weight": weight,
                "moment": 1 / sp.sqrt(room),
            },
            {
                "draw": "L",
                "variance": "variance",
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
            {"P": _P, "Q": _Q, "epsilon": epsilon, "L": loss},
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
