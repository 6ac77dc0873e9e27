"""Two Gaussians with one covariance: loss law, closed form of the divergence, and its derivatives."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import sympy as sp

from ndis_verify.symbolic import ndis_lemma
from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.meanings import Ri, distance_between_means, g, gt, meaning, q
from ndis_verify.symbolic.ndis_lemma import POSITIVE_DEFINITE, K, R, U, Ut, log_det_1, log_det_2, zt
from ndis_verify.symbolic.notation import below, beyond, normal_mean, scalar, x
from ndis_verify.symbolic.notation import z as vector
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

shift = sp.Symbol("Delta", positive=True)
slope, std = sp.symbols("beta sigma", positive=True)
epsilon, c, z = sp.symbols("epsilon c z", real=True)

_closed = Phi(shift / 2 - epsilon / shift) - sp.exp(epsilon) * Phi(-shift / 2 - epsilon / shift)


def _hinge(constant: sp.Expr, exponent: sp.Expr) -> sp.Expr:
    return sp.Max(0, 1 - sp.exp(constant + exponent))


def _hinge_steps(constant: sp.Expr, beta: sp.Expr) -> tuple[Step, ...]:
    """int max(0, 1 - e^{constant + beta u}) phi(u) du for beta > 0, in terms of two masses below the edge."""
    edge = sp.expand(-constant / beta)
    exponent = constant + beta * z
    mass = integral_steps("mass below the edge", phi(z), (z, -sp.oo, edge), Phi(z), Phi(edge), "Phi' = phi.")
    factor = sp.exp(sp.expand(constant + beta**2 / 2))
    tilted = integral_steps(
        "tilted mass below the edge",
        sp.exp(exponent) * phi(z),
        (z, -sp.oo, edge),
        factor * Phi(z - beta),
        factor * Phi(sp.expand(edge - beta)),
        "Completing the square: beta z - z^2/2 = beta^2/2 - (z - beta)^2/2.",
    )
    zero = sp.Integer(0)
    return (
        Step(
            "below the edge",
            "The exponent is beta (u - edge): negative at u = edge - v, v > 0,",
            lhs=exponent.subs(z, edge - below),
            rhs=zero,
            relation="<",
            witness=-beta * below,
        ),
        Step(
            "above the edge",
            "and not negative at u = edge + w, w >= 0.",
            lhs=exponent.subs(z, edge + beyond),
            rhs=zero,
            relation=">=",
            witness=beta * beyond,
        ),
        *mass,
        *tilted,
        Step(
            "cut at the edge",
            "The hinge is 0 above the edge; below it, the mass less the tilted mass.",
            lhs=sp.Integral(_hinge(constant, beta * z) * phi(z), (z, -sp.oo, sp.oo)),
            rhs=mass[-1].lhs - tilted[-1].lhs,
            kind="fact",
            fact="hinge cut at its edge",
            letters={"h": exponent, "w": phi(z), "argument": z, "edge": edge},
            conditions={
                "below": "below the edge",
                "above": "above the edge",
                "first": mass[-1].name,
                "second": tilted[-1].name,
            },
        ),
    )


_MASSES = ("cut at the edge", "mass below the edge", "tilted mass below the edge")


def _rotated(constant: sp.Expr, bt: sp.Expr, b: sp.Expr, length: sp.Expr, shown: str) -> Step:
    """E max(0, 1 - e^{constant + b^T Z}) as an integral; the step `shown` says b^T b = length^2."""
    hinge = _hinge(constant, z)
    return Step(
        "one direction",
        "b^T Z has the law of ||b|| times a standard normal variable.",
        lhs=normal_mean(_hinge(constant, scalar(bt * vector))),
        rhs=sp.Integral(_hinge(constant, length * z) * phi(z), (z, -sp.oo, sp.oo)),
        kind="fact",
        fact="linear form of a standard normal vector",
        letters={"f": hinge, "argument": z, "b^T": bt, "b": b, "length": length},
        conditions={
            "length": shown,
            "measurable": Step("nonnegative", "A hinge.", lhs=hinge, rhs=sp.Integer(0), relation=">=", witness=hinge),
        },
    )


@cache
def hinge_expectation() -> Derivation:
    """`E[max(0, 1 - e^{c + b^T Z})] = Phi(-c/|b|) - e^{c + |b|^2/2} Phi(-c/|b| - |b|)`, b != 0 (N24-P5).

    `number`: at `c` and `slope` = |b| > 0.
    """
    b, bt = letter("b"), letter("bt")
    steps = (
        Step(
            "length of b",
            "beta = |b| = (b^T b)^{1/2}.",
            lhs=slope,
            rhs=sp.sqrt(scalar(bt * b)),
            kind="definition",
        ),
        Step(
            "its square",
            "b^T b >= 0.",
            lhs=scalar(bt * b),
            rhs=slope**2,
            kind="inference",
            premises=("length of b",),
        ),
        _rotated(c, bt, b, slope, "its square"),
        *_hinge_steps(c, slope),
        Step(
            "expectation",
            "The mass less the tilted mass.",
            lhs=normal_mean(_hinge(c, scalar(bt * vector))),
            rhs=Phi(-c / slope) - sp.exp(c + slope**2 / 2) * Phi(-c / slope - slope),
            kind="inference",
            premises=("one direction", *_MASSES),
        ),
    )
    return Derivation(
        id="mean_shift.hinge_expectation",
        title="The hinge expectation of a linear exponent",
        sources=("N24-P5",),
        hypotheses=(Hypothesis("b nonzero", slope > 0), Hypothesis("real c", sp.true)),
        steps=steps,
        result_step="expectation",
        symbols={"c": c, "slope": slope},
        faults=(
            Fault(
                "factor e^{|b|^2/2} dropped", "expectation", lambda rhs: rhs.subs(sp.exp(c + slope**2 / 2), sp.exp(c))
            ),
            Fault("edge on the wrong side", "mass below the edge", lambda rhs: Phi(c / slope)),
            Fault(
                "tilt in the wrong direction",
                "tilted mass below the edge",
                lambda rhs: sp.exp(c + slope**2 / 2) * Phi(slope - c / slope),
            ),
        ),
        concludes=(Conclusion("N24-P5", "expectation"),),
    )


_DEFINITE = Hypothesis("S positive definite", of="mean_shift")


def _one_covariance() -> BlockAlgebra:
    """Letters where S1 = S2 = S: R = S^{1/2}, U orthogonal."""
    root, turn = sp.Matrix([[2, 1], [1, 3]]), sp.Matrix([[3, -4], [4, 3]]) / 5
    at, shifted = sp.Matrix([1, -3]), sp.Matrix([3, 5])
    model = {R: root, Ri: root.inv(), U: turn, Ut: turn.T, g: shifted, gt: shifted.T, vector: at, zt: at.T}
    return BlockAlgebra({(R, Ri): 1, (Ri, R): 1, (U, Ut): 1, (Ut, U): 1}, model, (_DEFINITE.text,))


def _lemma_at(distance: sp.Expr) -> Use:
    """The lemma where S1 = S2 = S."""
    return Use(
        "lemma, before U is chosen",
        of=ndis_lemma.hockey_stick,
        at={ndis_lemma.q(x): q(x, distance), log_det_2: log_det_1, K: Ri * Ri},
        granted={POSITIVE_DEFINITE: _DEFINITE.text},
    )


_BT = -gt * Ri * Ri * R * U
_B = -Ut * R * Ri * Ri * g
_vanishes = Step(
    "A vanishes",
    "S^{1/2} S^{-1} S^{1/2} = I, so A = 0: q_eps is linear.",
    lhs=scalar(zt * Ut * R * Ri * Ri * R * U * vector),
    rhs=scalar(zt * Ut * U * vector),
    algebra=_one_covariance(),
    premises=(_DEFINITE.text,),
)


@cache
def hockey_stick() -> Derivation:
    """`delta(eps) = Phi(Delta/2 - eps/Delta) - e^eps Phi(-Delta/2 - eps/Delta)` (N26-P1, N24-L2, BW-T8, KM-2.3).

    `number`: at `shift` = Delta = ||S^{-1/2}(m1 - m2)|| > 0 (sensitivity over standard deviation) and `epsilon`.
    """
    divergence = quantity("mean_shift", shift, epsilon)
    constant = epsilon - shift**2 / 2
    steps = (
        meaning("divergence", "mean_shift", shift, epsilon),
        distance_between_means("distance", shift),
        _vanishes,
        Step(
            "hinge",
            "The lemma with S1 = S2: b = -U^T S^{-1/2} (m1 - m2), and the log determinants in c cancel.",
            lhs=divergence,
            rhs=normal_mean(_hinge(constant, scalar(_BT * vector))),
            kind="inference",
            premises=("divergence", _lemma_at(shift), "A vanishes", "distance"),
        ),
        Step(
            "b^T b",
            "b^T b = (m1 - m2)^T S^{-1} (m1 - m2).",
            lhs=scalar(_BT * _B),
            rhs=scalar(gt * Ri * Ri * g),
            algebra=_one_covariance(),
            premises=(_DEFINITE.text,),
        ),
        Step(
            "length of b",
            "So |b| = Delta.",
            lhs=scalar(_BT * _B),
            rhs=shift**2,
            kind="inference",
            premises=("b^T b", "distance"),
        ),
        _rotated(constant, _BT, _B, shift, "length of b"),
        *_hinge_steps(constant, shift),
        Step(
            "closed form",
            "The mass less the tilted mass.",
            lhs=divergence,
            rhs=_closed,
            kind="inference",
            premises=("hinge", "one direction", *_MASSES),
        ),
    )
    return Derivation(
        id="mean_shift.hockey_stick",
        title="Closed form of the divergence of two Gaussians with one covariance",
        sources=("N26-P1", "N24-L2", "BW-T8", "KM-2.3"),
        hypotheses=(_DEFINITE, Hypothesis("Delta > 0", shift > 0)),
        steps=steps,
        result_step="closed form",
        symbols={"shift": shift, "epsilon": epsilon},
        faults=(
            Fault("factor e^eps dropped", "closed form", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("sign of eps flipped", "closed form", lambda rhs: rhs.subs(epsilon, -epsilon)),
            Fault("P and Q terms swapped", "closed form", lambda rhs: -rhs),
            Fault("Delta not halved", "closed form", lambda rhs: rhs.subs(shift, 2 * shift)),
        ),
        concludes=(Conclusion("N26-P1", "closed form", {"D": shift, "eps": epsilon}),),
    )


@cache
def no_shift() -> Derivation:
    """Where the means are one the divergence is 0, for eps >= 0 (N26-P1).

    `number`: that 0, at `epsilon` >= 0.
    """
    eps, growth = sp.Symbol("epsilon", nonnegative=True), sp.Symbol("t", nonnegative=True)
    divergence = quantity("mean_shift", 0, eps)
    lemma = _lemma_at(sp.Integer(0))
    at = {**lemma.at, g: sp.Integer(0), gt: sp.Integer(0), epsilon: eps}
    steps = (
        meaning("divergence", "mean_shift", 0, eps),
        _vanishes,
        Step(
            "hinge",
            "The lemma with S1 = S2 and m1 - m2 = 0: q_eps = eps.",
            lhs=divergence,
            rhs=normal_mean(sp.Max(0, 1 - sp.exp(eps))),
            kind="inference",
            premises=("divergence", replace(lemma, at=at), "A vanishes"),
        ),
        Step(
            "no gap",
            "e^eps = 1 + t with t >= 0.",
            lhs=sp.Max(0, 1 - sp.exp(eps)),
            rhs=sp.Integer(0),
            reduce=lambda left, right: (left - right).subs(eps, sp.log(1 + growth)),
        ),
        Step(
            "zero",
            "The expectation of 0.",
            lhs=divergence,
            rhs=sp.Integer(0),
            kind="inference",
            premises=("hinge", "no gap"),
        ),
    )
    return Derivation(
        id="mean_shift.no_shift",
        title="The divergence of a law from itself",
        sources=("N26-P1",),
        hypotheses=(_DEFINITE, Hypothesis("eps >= 0", eps >= 0)),
        steps=steps,
        result_step="zero",
        symbols={"epsilon": eps},
        faults=(
            Fault("hinge of -eps", "hinge", lambda rhs: normal_mean(sp.Max(0, 1 - sp.exp(-eps)))),
            Fault("gap without its zero", "no gap", lambda rhs: 1 - sp.exp(eps)),
        ),
        concludes=(Conclusion("N26-P1", "zero", {"eps": eps}),),
    )


@cache
def erf_form() -> Derivation:
    """The closed form through the error function: `Phi(x) = (1 + erf(x/sqrt 2))/2` (N24-L2).

    `number`: at `shift` = Delta > 0 and `epsilon`.
    """
    root2 = sp.sqrt(2)
    in_erf = (1 - sp.exp(epsilon)) / 2 + (
        sp.erf((shift / 2 - epsilon / shift) / root2) + sp.exp(epsilon) * sp.erf((shift / 2 + epsilon / shift) / root2)
    ) / 2
    steps = (
        Step(
            "density",
            "Phi and (1 + erf(x/sqrt 2))/2 have one derivative,",
            lhs=sp.diff((1 + sp.erf(z / root2)) / 2, z),
            rhs=phi(z),
        ),
        Step(
            "value at 0",
            "and one value at 0.",
            lhs=(1 + sp.erf(sp.Integer(0))) / 2,
            rhs=Phi(sp.Integer(0)).rewrite(sp.erfc),
        ),
        Step(
            "erf form",
            "Substituting, with erf odd.",
            lhs=_closed,
            rhs=in_erf,
            reduce=lambda left, right: left.rewrite(sp.erf) - right,
        ),
    )
    return Derivation(
        id="mean_shift.erf_form",
        title="The mean-shift closed form through erf",
        sources=("N24-L2",),
        hypotheses=("Delta > 0", "real eps"),
        steps=steps,
        result_step="erf form",
        symbols={"shift": shift, "epsilon": epsilon},
        faults=(
            Fault("1/sqrt 2 dropped", "erf form", lambda rhs: rhs.subs(root2, 2)),
            Fault(
                "sign of the second erf flipped",
                "erf form",
                lambda rhs: rhs - sp.exp(epsilon) * sp.erf((shift / 2 + epsilon / shift) / root2),
            ),
        ),
        covers={"N24-L2": "whole, from hockey_stick"},
    )


@cache
def privacy_loss() -> Derivation:
    """The privacy loss of N(f, std^2 I) against N(f', std^2 I) is N(eta, 2 eta), eta = ||f - f'||^2/(2 std^2) (BW-L3).

    `number`: eta, at the Euclidean distance `distance` = ||f - f'|| and `std` (a standard deviation).
    """
    distance = sp.Symbol("D", positive=True)
    eta = distance**2 / (2 * std**2)
    step = sp.Symbol("v", real=True)
    loss = -((std * z) ** 2) / (2 * std**2) + (std * z + step) ** 2 / (2 * std**2)
    moment = -(z * phi(z)) + Phi(z)
    steps = (
        Step(
            "one coordinate",
            "x = f + std z, v = f - f': the loss is affine in the noise.",
            lhs=loss,
            rhs=step**2 / (2 * std**2) + step * z / std,
        ),
        Step(
            "sum",
            "Summed over coordinates: L = ||v||^2/(2 std^2) + <v, z>/std. An affine image of a standard normal vector"
            " is normal.",
            kind="argument",
        ),
        *integral_steps("E z = 0", z * phi(z), (z, -sp.oo, sp.oo), -phi(z), sp.Integer(0), "phi' = -z phi."),
        Step("E z^2: antiderivative", "Integration by parts.", lhs=sp.diff(moment, z), rhs=z**2 * phi(z)),
        Step(
            "E z^2 = 1",
            "The product z phi(z) vanishes at both ends.",
            lhs=sp.Integral(z**2 * phi(z), (z, -sp.oo, sp.oo)),
            rhs=sp.Integer(1),
            reduce=lambda _, right: (
                sp.limit(-z * phi(z), z, sp.oo) + Phi(sp.oo) - sp.limit(-z * phi(z), z, -sp.oo) - Phi(-sp.oo) - right
            ),
        ),
        Step("variance", "sum_i v_i^2/std^2 = ||v||^2/std^2 is twice the mean.", lhs=distance**2 / std**2, rhs=2 * eta),
        Step("mean", "eta = ||v||^2/(2 std^2).", lhs=distance**2 / (2 * std**2), rhs=eta),
    )
    return Derivation(
        id="mean_shift.privacy_loss",
        title="The privacy loss of the Gaussian mechanism is N(eta, 2 eta)",
        sources=("BW-L3",),
        hypotheses=("std > 0",),
        steps=steps,
        result_step="mean",
        symbols={"distance": distance, "std": std},
        faults=(
            Fault("variance eta instead of 2 eta", "variance", lambda rhs: rhs / 2),
            Fault("sign of the linear term flipped", "one coordinate", lambda rhs: rhs - 2 * step * z / std),
            Fault("half dropped in eta", "mean", lambda rhs: 2 * rhs),
        ),
        covers={"BW-L3": "whole"},
    )


@cache
def tails() -> Derivation:
    """`Pr[L >= eps] = Phi(Delta/2 - eps/Delta)` and `Pr[L' <= -eps] = Phi(-Delta/2 - eps/Delta)` (BW-L6).

    `number`: Pr[L >= eps] - e^eps Pr[L' <= -eps], at `shift` = Delta = ||f - f'||/std > 0 and `epsilon`.
    """
    loss = sp.Symbol("l", real=True)
    mean, scale = shift**2 / 2, shift
    law = phi((loss - mean) / scale) / scale
    upper = integral_steps(
        "Pr[L >= eps]",
        law,
        (loss, epsilon, sp.oo),
        -Phi((mean - loss) / scale),
        Phi(shift / 2 - epsilon / shift),
        "L ~ N(Delta^2/2, Delta^2), and Phi(-x) = 1 - Phi(x).",
    )
    lower = integral_steps(
        "Pr[L' <= -eps]",
        law,
        (loss, -sp.oo, -epsilon),
        Phi((loss - mean) / scale),
        Phi(-shift / 2 - epsilon / shift),
        "L' has the law of L: both depend on the distance alone.",
    )
    steps = (
        Step("law of L", "eta = Delta^2/2 and 2 eta = Delta^2 (privacy_loss).", lhs=2 * mean, rhs=scale**2),
        *upper,
        *lower,
        Step(
            "difference",
            "The two tails are the two terms of the closed form.",
            lhs=upper[1].rhs - sp.exp(epsilon) * lower[1].rhs,
            rhs=_closed,
        ),
    )
    return Derivation(
        id="mean_shift.tails",
        title="Both tails of the privacy loss of the Gaussian mechanism",
        sources=("BW-L6",),
        hypotheses=("Delta > 0", "real eps"),
        steps=steps,
        result_step="difference",
        symbols={"shift": shift, "epsilon": epsilon},
        faults=(
            Fault("sign of eps flipped", "Pr[L >= eps]", lambda rhs: rhs.subs(epsilon, -epsilon)),
            Fault("mean of the wrong sign", "Pr[L' <= -eps]", lambda rhs: rhs.subs(shift, -shift)),
            Fault("factor e^eps dropped", "difference", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
        ),
        covers={"BW-L6": "whole, with privacy_loss"},
    )


@cache
def derivative_in_shift() -> Derivation:
    """`d delta/d Delta = phi(Delta/2 - eps/Delta) > 0` (BW-L7, N24-P6, N24-P7, BW-T8).

    `number`: the derivative at `shift` = Delta > 0 and `epsilon`.
    """
    slope_of = phi(shift / 2 - epsilon / shift)
    steps = (
        Step(
            "two normal densities",
            "(Delta/2 + eps/Delta)^2 - (Delta/2 - eps/Delta)^2 = 2 eps.",
            lhs=sp.exp(epsilon) * phi(-shift / 2 - epsilon / shift),
            rhs=slope_of,
        ),
        Step("derivative", "The terms in eps/Delta^2 cancel.", lhs=sp.diff(_closed, shift), rhs=slope_of),
        Step(
            "increasing",
            "A normal density is positive.",
            lhs=sp.diff(_closed, shift),
            rhs=sp.Integer(0),
            relation=">",
            witness=slope_of,
        ),
        Step(
            "worst pair",
            "delta is continuous and increasing in Delta = ||f(x) - f(x')||/std, so its supremum over neighbours is its"
            " value at the global sensitivity over std, attained or not.",
            kind="argument",
        ),
    )
    return Derivation(
        id="mean_shift.derivative_in_shift",
        title="The Gaussian privacy profile increases with the shift",
        sources=("BW-L7", "N24-P6", "N24-P7", "BW-T8"),
        hypotheses=("Delta > 0", "real eps"),
        steps=steps,
        result_step="derivative",
        symbols={"shift": shift, "epsilon": epsilon},
        faults=(
            Fault("cancelled term kept", "derivative", lambda rhs: rhs * (1 + 2 * epsilon / shift**2)),
            Fault("sign flipped", "derivative", lambda rhs: -rhs),
            Fault("increasing claimed of -delta", "increasing", lambda rhs: -2 * slope_of),
        ),
        covers={
            "BW-L7": "whole",
            "N24-P6": "whole",
            "N24-P7": "whole, with hockey_stick",
            "BW-T8": "whole, with tails and privacy_loss.two_tails",
        },
    )


@cache
def derivative_in_epsilon() -> Derivation:
    """`d delta/d eps = -e^eps Phi(-Delta/2 - eps/Delta) < 0`: the profile decreases in eps (from N26-P1).

    `number`: the derivative at `shift` = Delta > 0 and `epsilon`.
    """
    slope_of = -sp.exp(epsilon) * Phi(-shift / 2 - epsilon / shift)
    steps = (
        Step(
            "two normal densities",
            "(Delta/2 + eps/Delta)^2 - (Delta/2 - eps/Delta)^2 = 2 eps.",
            lhs=sp.exp(epsilon) * phi(-shift / 2 - epsilon / shift),
            rhs=phi(shift / 2 - epsilon / shift),
        ),
        Step("derivative", "The two density terms cancel.", lhs=sp.diff(_closed, epsilon), rhs=slope_of),
    )
    return Derivation(
        id="mean_shift.derivative_in_epsilon",
        title="The Gaussian privacy profile decreases in epsilon",
        sources=("N26-P1",),
        hypotheses=("Delta > 0", "real eps"),
        steps=steps,
        result_step="derivative",
        symbols={"shift": shift, "epsilon": epsilon},
        faults=(
            Fault("density term kept", "derivative", lambda rhs: rhs - phi(shift / 2 - epsilon / shift) / shift),
            Fault("factor e^eps dropped", "derivative", lambda rhs: rhs * sp.exp(-epsilon)),
        ),
        covers={"N26-P1": "part: slope in eps"},
    )
