"""Approximate least squares, asymptotic law: the generalized chi-square laws of both directions, and the tail's rate."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step

# Roots of p and q - p, as in `least_squares`.
a, w = sp.symbols("a w", positive=True)
r, d = sp.symbols("r d", positive=True, integer=True)
epsilon, z = sp.symbols("epsilon z", real=True)
p, q, share = a**2, a**2 + w**2, w**2
_DOMAIN = (a**2 + w**2 < 1,)
_SYMBOLS = {"root_leverage": a, "root_share": w, "r": r}


def _square_steps() -> tuple[Step, ...]:
    """One coordinate of the quadratic form as a square, under P and under Q."""
    alpha, b = sp.symbols("alpha b", real=True, nonzero=True)
    y, room = sp.Symbol("y", real=True), sp.Symbol("k", positive=True)  # room = 1 - alpha
    return (
        Step("completed square", "b z + alpha z^2/2 = (alpha/2)((z + b/alpha)^2 - b^2/alpha^2), alpha != 0: under P a chi-square variable with noncentrality b^2/alpha^2 and weight alpha (q_eps < 0 is compared doubled).", lhs=b * z + alpha * z**2 / 2, rhs=alpha / 2 * ((z + b / alpha) ** 2 - b**2 / alpha**2)),
        Step("law of z under Q", "log q = log p + q_0: the exponent is that of N(b/(1-alpha), 1/(1-alpha)).", lhs=-(z**2) / 2 + b * z + (1 - room) * z**2 / 2, rhs=-room * (z - b / room) ** 2 / 2 + b**2 / (2 * room)),
        Step("square under Q", "z = b/(1-alpha) + y/sqrt(1-alpha): weight alpha/(1-alpha), noncentrality b^2/(alpha^2 (1-alpha)).", lhs=((1 - room) * (b / room + y / sp.sqrt(room) + b / (1 - room)) ** 2), rhs=(1 - room) / room * (y + b / ((1 - room) * sp.sqrt(room))) ** 2),
    )  # fmt: skip


@cache
def chi_square_laws() -> Derivation:
    """Table VI: the generalized chi-square laws X (under P) and Y (under Q) in delta = Pr[X < t] - e^eps Pr[Y < t], both directions.

    "delete": X has weights (1 - (1-p)^2/(1-q), 1 - (1-p)/(1-q)), degrees of freedom (1, d-1), noncentralities
    (r p (q-p) (1-p)^2/g^2, 0), g = p(1-p) - (q-p); Y has weights (g/(1-p)^2, -(q-p)/(1-p)) and r p (q-p) (1-q)/g^2.
    `number`: the first noncentrality of X. Singular at g = 0, where the quadratic form has a linear term on its own.
    """
    g = p * (1 - p) - share
    first, others = 1 - (1 - p) ** 2 / (1 - q), 1 - (1 - p) / (1 - q)
    b2 = r * p * share * ((1 - p) / (1 - q)) ** 2
    back, back_others = 1 - (1 - q) / (1 - p) ** 2, 1 - (1 - q) / (1 - p)
    back_b2 = r * p * share * (1 - q) / (1 - p) ** 4
    steps = (
        *_square_steps(),
        Step("delete, first weight under P", "g/(1-q): zero exactly if q = 2p - p^2.", lhs=first, rhs=g / (1 - q)),
        Step("delete, other weights under P", "-(q-p)/(1-q): zero exactly if q = p; the group then drops out.", lhs=others, rhs=-share / (1 - q)),
        Step("delete, first weight under Q", "alpha/(1 - alpha).", lhs=first / (1 - first), rhs=g / (1 - p) ** 2),
        Step("delete, other weights under Q", "likewise.", lhs=others / (1 - others), rhs=-share / (1 - p)),
        Step("delete, noncentrality under Q", "b^2/(alpha^2 (1 - alpha)).", lhs=b2 / (first**2 * (1 - first)), rhs=r * p * share * (1 - q) / g**2),
        Step("insert, first weight under P", "P the smaller database.", lhs=back, rhs=-g / (1 - p) ** 2),
        Step("insert, other weights under P", "P the smaller database.", lhs=back_others, rhs=share / (1 - p)),
        Step("insert, noncentrality under P", "the noncentrality under Q of the other direction.", lhs=back_b2 / back**2, rhs=r * p * share * (1 - q) / g**2),
        Step("insert, first weight under Q", "alpha/(1 - alpha), then b^2/(alpha^2 (1 - alpha)).", lhs=back / (1 - back), rhs=-g / (1 - q)),
        Step("insert, other weights under Q", "alpha/(1 - alpha), then b^2/(alpha^2 (1 - alpha)).", lhs=back_others / (1 - back_others), rhs=share / (1 - q)),
        Step("insert, noncentrality under Q", "alpha/(1 - alpha), then b^2/(alpha^2 (1 - alpha)).", lhs=back_b2 / (back**2 * (1 - back)), rhs=r * p * share * (1 - p) ** 2 / g**2),
        Step("delete, noncentrality under P", "b^2/a^2.", lhs=b2 / first**2, rhs=r * p * share * (1 - p) ** 2 / g**2),
    )  # fmt: skip
    return Derivation(
        id="least_squares_laws.chi_square_laws",
        title="The generalized chi-square laws of the asymptotic least-squares curve, both directions",
        sources=("N24-TabVI", "N24-T4", "N24-P16"),
        hypotheses=("q < 1", "q != 2p - p^2 (else the first weight is 0 and its linear term stays)", "q != p, or the d-1 null coordinates dropped"),
        steps=steps,
        result_step="delete, noncentrality under P",
        symbols=_SYMBOLS,
        domain=_DOMAIN,
        faults=(
            Fault("noncentrality of Q under P", "delete, noncentrality under P", lambda rhs: r * p * share * (1 - q) / g**2),
            Fault("weight of P under Q", "delete, first weight under Q", lambda rhs: g / (1 - q)),
            Fault("half of the square dropped", "completed square", lambda rhs: 2 * rhs),
            Fault("directions swapped", "insert, other weights under P", lambda rhs: -rhs),
        ),
        covers={"N24-TabVI": "whole where q != 2p - p^2", "N24-T4": "part: both laws", "N24-P16": "part: one coordinate, a != 0"},
    )


@cache
def tail_rate() -> Derivation:
    """For every r, d and 0 < p < 1 the larger direction falls, not rises, as the share leaves 0, once eps is large (against N24-T5).

    lim (1/eps) log delta = -1/max alpha, alpha over the relative eigenvalues less 1. With 0 < q-p < p(1-p) every alpha of either
    direction lies below the largest one at q = p, p/(1-p). `number`: the drop of the largest alpha of "insert".
    """
    at_zero, insert, others = p / (1 - p), (1 - q) / (1 - p) ** 2 - 1, (1 - p) / (1 - q) - 1
    steps = (
        Step("rate", "M(s) = E e^{sL} is finite exactly for s < 1/max alpha (the factors (1 - s alpha)^{-k/2}), so delta decays at the exponential rate 1/max alpha, whatever r and the mean shift.", kind="argument"),
        Step("at q = p", "insert: once p/(1-p), the others 0; delete: none positive.", lhs=insert.subs(w, 0), rhs=at_zero),
        Step("delete, others", "(q-p)/(1-q), d-1 times,", lhs=others, rhs=share / (1 - q)),
        Step("delete stays below", "and below p/(1-p) where q - p < p(1-p):", lhs=at_zero - share / (1 - q), rhs=(p * (1 - p) - share) / ((1 - p) * (1 - q))),
        Step("delete, first", "(1-p)^2/(1-q) - 1 = -(p(1-p) - (q-p))/(1-q) < 0.", lhs=(1 - p) ** 2 / (1 - q) - 1, rhs=-(p * (1 - p) - share) / (1 - q)),
        Step("insert drops", "by (q-p)/(1-p)^2 > 0.", lhs=at_zero - insert, rhs=share / (1 - p) ** 2),
    )  # fmt: skip
    return Derivation(
        id="least_squares_laws.tail_rate",
        title="The assumption of monotonicity in the residual share fails for every r, d and p",
        sources=("N24-T5", "N24-Fig15"),
        hypotheses=("0 < p < 1", "0 < q - p < p(1-p)", "eps large enough"),
        steps=steps,
        result_step="insert drops",
        symbols={"root_leverage": a, "root_share": w},
        domain=_DOMAIN,
        faults=(
            Fault("drop of the wrong sign", "insert drops", lambda rhs: -rhs),
            Fault("1 - q for 1 - p", "at q = p", lambda rhs: p),
        ),
        covers={"N24-T5": "the assumption fails: monotone in q - p with p fixed"},
    )
