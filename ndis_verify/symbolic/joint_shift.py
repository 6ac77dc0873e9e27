"""A mean shift and one moved variance together: what the divergence grows with, and the worst pairs of an envelope."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.moment_generating import log_moment

zero, one = sp.Integer(0), sp.Integer(1)


@cache
def grows_with_shift() -> Derivation:
    """`d delta/d(m_i^2) = (1/2) f(epsilon - log lambda_i) >= 0`, f the density of the loss of the pair with two more
    coordinates of eigenvalue lambda_i: delta grows in every coordinate of the whitened mean shift.

    `number`: the factor 1/(2 (1 - s alpha)) that the derivative puts under the integral, at `lam` and `s`.
    """
    lam, square = sp.symbols("lambda w", positive=True)
    s = sp.Symbol("s", positive=True)
    spread = 1 - s * (lam - 1)
    moment = log_moment(s, lam, sp.sqrt(square))
    steps = (
        Step(
            "one integral",
            "delta = (1/2 pi i) int M(s) e^{-s eps}/(s (s+1)) ds (moment_generating.single_integral); w = m_i^2.",
            kind="argument",
        ),
        Step(
            "derivative of the moment",
            "Only one factor of M depends on w:",
            lhs=sp.diff(moment, square),
            rhs=s * (s + 1) / (2 * spread),
        ),
        Step(
            "two more coordinates",
            "and 1/(1 - s alpha) is e^{s log lambda} times the moment of two coordinates without a shift.",
            lhs=2 * log_moment(s, lam, zero) + s * sp.log(lam),
            rhs=-sp.log(spread),
        ),
        Step(
            "density",
            "So d delta/dw = (1/2)(1/2 pi i) int M_2(s) e^{-s (eps - log lambda)} ds, M_2 the moment of the loss with"
            " these two coordinates added: half its density at eps - log lambda, which is not negative.",
            kind="argument",
        ),
        Step(
            "convergence",
            "M decays at least as |s|^{-1/2} where a lambda differs from 1 and as e^{-w |s|^2/2} where lambda = 1 has a"
            " shift; M_2 by a further |s|^{-1} or a Gaussian factor. Where neither holds (no loss at all) delta is"
            " continuous in w and the bound passes to the limit.",
            kind="argument",
        ),
        Step(
            "sign",
            "Only m_i^2 enters, so m_i and -m_i give one delta.",
            lhs=log_moment(s, lam, -sp.sqrt(square)),
            rhs=moment,
        ),
        Step(
            "factor", "The payoff's s (s+1) cancels.", lhs=sp.diff(moment, square) / (s * (s + 1)), rhs=1 / (2 * spread)
        ),
    )
    return Derivation(
        id="joint_shift.grows_with_shift",
        title="The divergence grows in every coordinate of the whitened mean shift",
        sources=("N26-D6", "N26-T4.1"),
        hypotheses=("covariances fixed and positive definite", "any real epsilon, either order of the pair"),
        steps=steps,
        result_step="factor",
        symbols={"lam": lam, "s": s},
        domain=(s * (lam - 1) < 1,),
        faults=(
            Fault("s + 1 left out", "derivative of the moment", lambda rhs: rhs / (s + 1)),
            Fault("one coordinate for two", "two more coordinates", lambda rhs: rhs / 2),
            Fault("half lost", "factor", lambda rhs: 2 * rhs),
        ),
        covers={"N26-D6-joint": "part: monotone in the shift"},
    )


@cache
def rank_one_worst() -> Derivation:
    """The pairs N(0, v I + y (k + g) e e^T), N(u, v I + y k e e^T), 0 <= y <= 1, |u| <= U, come from those at y = 1,
    |u| = U.

    A pair at (y, c), c the share of |u|^2 along e, is a post-processing of the one at (1, c y). `number`: that share.
    """
    v, g, U, h, j = sp.symbols("v g U h j", positive=True)
    k = sp.Symbol("k", nonnegative=True)
    y, c = 1 / (1 + h**2), 1 / (1 + j**2)  # every share in (0, 1)
    part, share = sp.symbols("y c", positive=True)
    along, across = sp.sqrt(c * y), sp.sqrt(1 - c * y)  # the source's mean, over U
    cosine, sine = sp.sqrt(c * (1 - y)) / across, sp.sqrt(1 - c) / across
    first, rest = sp.sqrt(y), sp.sqrt(1 - y)
    steps = (
        Step(
            "source",
            "X1: N(0, v+k+g) against N(U sqrt(cy), v+k); X2: N(0, v) against N(U sqrt(1-cy), v); X3: N(0, v) against"
            " itself; independent. This is the pair at (1, cy).",
            kind="argument",
        ),
        Step("angle", "cos = sqrt(c(1-y)/(1-cy)), sin = sqrt((1-c)/(1-cy)).", lhs=cosine**2 + sine**2, rhs=one),
        Step("image", "T1 = sqrt(y) X1 + sqrt(1-y)(cos X2 + sin X3), T2 = sin X2 - cos X3.", kind="argument"),
        Step("variance of T1, first law", "as e's,", lhs=y * (v + k + g) + (1 - y) * v, rhs=v + y * (k + g)),
        Step("variance of T1, second law", "likewise.", lhs=y * (v + k) + (1 - y) * v, rhs=v + y * k),
        Step("variance of T2", "v in both.", lhs=v * (sine**2 + cosine**2), rhs=v),
        Step(
            "uncorrelated",
            "T1 and T2 are jointly Gaussian, so independent.",
            lhs=rest * (cosine * sine - sine * cosine) * v,
            rhs=zero,
        ),
        Step("mean of T1", "along e,", lhs=first * U * along + rest * cosine * U * across, rhs=U * sp.sqrt(c)),
        Step("mean of T2", "and across it.", lhs=sine * U * across, rhs=U * sp.sqrt(1 - c)),
        Step(
            "other coordinates",
            "carry N(0, v) in both laws once u lies in the plane of T1 and T2: independent noise. Post-processing does"
            " not raise delta, in either order.",
            kind="argument",
        ),
        Step(
            "shorter shifts",
            "and y = 0 or g = 0 are covered by joint_shift.grows_with_shift and the same map.",
            kind="argument",
        ),
        Step("share", "along e at y = 1.", lhs=along**2, rhs=c * y),
        Step(
            "result",
            "The source's mean squared over U^2, in y and c.",
            lhs=sp.sqrt(share * part) ** 2,
            rhs=part * share,
        ),
    )
    return Derivation(
        id="joint_shift.rank_one_worst",
        title="The worst pairs of a rank-one envelope have the full covariance step and the full shift",
        sources=("N26-D6",),
        hypotheses=("v > 0", "k, g >= 0", "|u| <= U", "0 <= y <= 1", "both orders of the pair"),
        steps=steps,
        result_step="result",
        symbols={"part": part, "share": share},
        faults=(
            Fault("shift not turned", "mean of T1", lambda rhs: U),
            Fault("noise of X3 left out", "variance of T2", lambda rhs: v * sine**2),
            Fault("covariance step twice", "variance of T1, first law", lambda rhs: rhs + y * g),
            Fault("share of the image", "share", lambda rhs: c),
            Fault("product dropped", "result", lambda rhs: part),
        ),
        covers={"N26-D6-joint": "part: y = 1 and |u| = U"},
    )
