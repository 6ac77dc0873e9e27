"""Two Gaussians with one covariance: loss law, closed form of the divergence, and its derivatives."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.special_functions import Phi, phi

shift = sp.Symbol("Delta", positive=True)
slope, std = sp.symbols("beta sigma", positive=True)
epsilon, c, z = sp.symbols("epsilon c z", real=True)

_closed = Phi(shift / 2 - epsilon / shift) - sp.exp(epsilon) * Phi(-shift / 2 - epsilon / shift)


def _hinge_steps(constant: sp.Expr, beta: sp.Expr) -> tuple[Step, ...]:
    """E[max(0, 1 - exp(constant + beta Z))] for beta > 0, step by step; the last two identities are its two masses."""
    edge = sp.expand(-constant / beta)
    mass = integral_steps("mass below the edge", phi(z), (z, -sp.oo, edge), Phi(z), Phi(edge), "Phi' = phi.")
    factor = sp.exp(sp.expand(constant + beta**2 / 2))
    tilted = integral_steps(
        "tilted mass below the edge",
        sp.exp(constant + beta * z) * phi(z),
        (z, -sp.oo, edge),
        factor * Phi(z - beta),
        factor * Phi(sp.expand(edge - beta)),
        "Completing the square: beta z - z^2/2 = beta^2/2 - (z - beta)^2/2.",
    )
    return (
        Step(
            "direction",
            "b^T Z is ||b|| times a standard normal variable, and Z and -Z have one law: only beta = ||b|| > 0"
            " matters.",
            kind="argument",
        ),
        Step(
            "edge",
            "The exponent is beta (z - edge), so 1 - exp(...) > 0 exactly for z < edge.",
            lhs=constant + beta * z,
            rhs=beta * (z - edge),
        ),
        *mass,
        *tilted,
    )


@cache
def hinge_expectation() -> Derivation:
    """`E[max(0, 1 - e^{c + b^T Z})] = Phi(-c/|b|) - e^{c + |b|^2/2} Phi(-c/|b| - |b|)`, b != 0 (N24-P5).

    `number`: at `c` and `slope` = |b| > 0.
    """
    steps = _hinge_steps(c, slope)
    total = Step(
        "expectation",
        "The hinge is 0 above the edge; below it, the mass less the tilted mass.",
        lhs=steps[-3].rhs - steps[-1].rhs,
        rhs=Phi(-c / slope) - sp.exp(c + slope**2 / 2) * Phi(-c / slope - slope),
    )
    return Derivation(
        id="mean_shift.hinge_expectation",
        title="The hinge expectation of a linear exponent",
        sources=("N24-P5",),
        hypotheses=("|b| > 0", "real c"),
        steps=(*steps, total),
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
        covers={"N24-P5": "whole"},
    )


def _linear_lemma() -> tuple[Step, ...]:
    """A, b and c of the lemma when S1 = S2 = R^2, for any d."""
    R, Ri, g, gt = (letter(name) for name in ["R", "Ri", "g", "gt"])
    root, at = sp.Matrix([[2, 1], [1, 3]]), sp.Matrix([3, 5])
    algebra = BlockAlgebra({(R, Ri): 1, (Ri, R): 1}, {R: root, Ri: root.inv(), g: at, gt: at.T})
    return (
        Step(
            "A vanishes",
            "A = I - S^{1/2} S^{-1} S^{1/2} = 0, so q_eps is linear and U may be I.",
            lhs=1 - R * (Ri * Ri) * R,
            rhs=sp.Integer(0),
            algebra=algebra,
        ),
        Step(
            "length of b",
            "b = -S^{1/2} S^{-1} (m1 - m2), so |b|^2 = (m1 - m2)^T S^{-1} (m1 - m2) = Delta^2.",
            lhs=(gt * Ri * Ri * R) * (R * Ri * Ri * g),
            rhs=gt * (Ri * Ri) * g,
            algebra=algebra,
        ),
        Step(
            "constant",
            "The log determinants cancel: c = -Delta^2/2. The hinge has constant eps - Delta^2/2 and slope Delta.",
            kind="definition",
        ),
    )


@cache
def hockey_stick() -> Derivation:
    """`delta(eps) = Phi(Delta/2 - eps/Delta) - e^eps Phi(-Delta/2 - eps/Delta)` (N26-P1, N24-L2, BW-T8, KM-2.3).

    `number`: at `shift` = Delta = ||S^{-1/2}(m1 - m2)|| > 0 (sensitivity over standard deviation) and `epsilon`.
    """
    hinge = _hinge_steps(epsilon - shift**2 / 2, shift)
    above = sp.Symbol("epsilon", positive=True)

    def at_zero_shift(eps: sp.Expr) -> sp.Expr:
        ends = [sp.limit(sign * shift / 2 - eps / shift, shift, 0, "+") for sign in (1, -1)]
        return Phi(ends[0]) - sp.exp(eps) * Phi(ends[1])

    steps = (
        *_linear_lemma(),
        *hinge,
        Step("closed form", "The mass less the tilted mass.", lhs=hinge[-3].rhs - hinge[-1].rhs, rhs=_closed),
        Step(
            "Delta -> 0, eps > 0", "Both arguments tend to minus infinity.", lhs=at_zero_shift(above), rhs=sp.Integer(0)
        ),
        Step("Delta -> 0, eps = 0", "Both arguments tend to 0.", lhs=at_zero_shift(sp.Integer(0)), rhs=sp.Integer(0)),
    )
    return Derivation(
        id="mean_shift.hockey_stick",
        title="Closed form of the divergence of two Gaussians with one covariance",
        sources=("N26-P1", "N24-L2", "BW-T8", "KM-2.3"),
        hypotheses=("S1 = S2 = S positive definite", "Delta > 0, real eps (Delta = 0 as the limit, eps >= 0)"),
        steps=steps,
        result_step="closed form",
        symbols={"shift": shift, "epsilon": epsilon},
        faults=(
            Fault("factor e^eps dropped", "closed form", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("sign of eps flipped", "closed form", lambda rhs: rhs.subs(epsilon, -epsilon)),
            Fault("P and Q terms swapped", "closed form", lambda rhs: -rhs),
            Fault("Delta not halved", "closed form", lambda rhs: rhs.subs(shift, 2 * shift)),
        ),
        covers={
            "N26-P1": "whole",
            "N24-L2": "whole, restated by erf_form",
            "KM-2.3": "whole, Delta = shift/std",
            "BW-T8": "part: the profile of one pair",
        },
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
