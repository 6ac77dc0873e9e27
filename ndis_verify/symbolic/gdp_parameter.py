"""The least mu for which a pair is mu-GDP: of the Laplace pair a supremum that is attained, of Gaussian pairs a shift
or none.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.special_functions import Phi, phi

mu, level, ratio, wanted = sp.symbols("mu a lambda M", positive=True)
x, threshold, mean = sp.symbols("x c m", real=True)


@cache
def laplace_gdp() -> Derivation:
    """`2 Phi^-1(1 - e^{-mu/2}/2)` is the least parameter of Lap(mu, 1) against Lap(0, 1), attained at equal errors.

    `number`: that parameter at `mu`.
    """
    tail = 1 - Phi(x)
    steps = (
        Step(
            "Mills ratio",
            "R(x) = (1 - Phi(x))/phi(x).",
            lhs=sp.diff(tail / phi(x), x),
            rhs=-(phi(x) - x * tail) / phi(x),
        ),
        Step("its slope", "phi - x (1 - Phi) falls.", lhs=sp.diff(phi(x) - x * tail, x), rhs=-tail),
        Step(
            "it decreases", "phi - x (1 - Phi) falls to 0 at infinity, so it is positive: R decreases.", kind="argument"
        ),
        Step(
            "quantiles",
            "With p = 1 - Phi(x): d log p/dx = -1/R(x), so d Phi^-1(1 - p)/d log p = -R.",
            lhs=sp.diff(sp.log(tail), x),
            rhs=-1 / (tail / phi(x)),
        ),
        Step(
            "first branch",
            "1 - b = e^mu a (KM-AppC): Phi^-1(1 - a) - Phi^-1(b) = x(a) - x(e^mu a), x(p) = Phi^-1(1 - p), has slope"
            " R(x(e^mu a)) - R(x(a)) >= 0 in log a, as x decreases and R decreases.",
            kind="argument",
        ),
        Step("middle branch", "There a b is constant.", lhs=level * (sp.exp(-mu) / (4 * level)), rhs=sp.exp(-mu) / 4),
        Step(
            "up to equal errors",
            "x(a) + x(b) at constant a b has slope R(x(b)) - R(x(a)) >= 0 in log a for a <= b.",
            kind="argument",
        ),
        Step(
            "equal errors",
            "On the middle branch, as e^-mu/2 <= e^{-mu/2}/2 <= 1/2.",
            lhs=sp.exp(-mu) / (4 * (sp.exp(-mu / 2) / 2)),
            rhs=sp.exp(-mu / 2) / 2,
        ),
        Step(
            "the other half",
            "The curve is its own inverse: exchanging a and b changes nothing. The supremum over all tests is the value"
            " at equal errors.",
            kind="argument",
        ),
        Step(
            "least parameter",
            "2 x(a) at a = e^{-mu/2}/2, x(a) = sqrt 2 erf^-1(1 - 2 a).",
            lhs=2 * sp.sqrt(2) * sp.erfinv(1 - 2 * (sp.exp(-mu / 2) / 2)),
            rhs=2 * sp.sqrt(2) * sp.erfinv(1 - sp.exp(-mu / 2)),
        ),
    )
    return Derivation(
        id="gdp_parameter.laplace_gdp",
        title="The least GDP parameter of the Laplace mechanism",
        sources=("KM-AppC", "KM-2.8"),
        hypotheses=("mu > 0",),
        steps=steps,
        result_step="least parameter",
        symbols={"mu": mu},
        faults=(
            Fault("shift not halved", "least parameter", lambda rhs: 2 * sp.sqrt(2) * sp.erfinv(1 - sp.exp(-mu))),
            Fault("one of two tails", "least parameter", lambda rhs: rhs / 2),
            Fault("slope without x", "Mills ratio", lambda rhs: -(phi(x) - tail) / phi(x)),
        ),
        covers={"KM-AppC-gdp": "whole"},
    )


@cache
def pair_gdp() -> Derivation:
    """A Gaussian pair has a finite GDP parameter exactly where the covariances are equal; it is then the whitened
    shift.

    `number`: a threshold c at which the test x > c reaches the parameter `M` for N(m, lambda) against N(0, 1), lambda >
    1; symbols `M`, `m`, `lambda`.
    """
    root = sp.sqrt(ratio)
    steps = (
        Step(
            "equal covariances",
            "S^{-1/2} and a rotation make the pair N(D e_1, I) and N(0, I), D = |S^{-1/2} (m1 - m2)|; the other"
            " coordinates have one law. The curve is that of KM-2.8 at D.",
            kind="argument",
        ),
        Step(
            "one direction",
            "Where S1 != S2 some direction has variances of a ratio lambda != 1. Looking at it alone is"
            " post-processing, which raises no parameter; the order of the pair does not matter, so lambda > 1: N(m,"
            " lambda) against N(0, 1) after a shift and a scaling.",
            kind="argument",
        ),
        Step(
            "one test",
            "x > c: 1 - fpr = Phi(c), fnr = Phi((c - m)/sqrt lambda).",
            lhs=threshold - (threshold - mean) / root,
            rhs=threshold * (1 - 1 / root) + mean / root,
        ),
        Step(
            "no bound",
            "It grows with c without limit.",
            lhs=sp.diff(threshold * (1 - 1 / root) + mean / root, threshold),
            rhs=(root - 1) / root,
        ),
        Step(
            "threshold",
            "Where it reaches M.",
            lhs=(wanted - mean / root) / (1 - 1 / root),
            rhs=(wanted * root - mean) / (root - 1),
        ),
    )
    return Derivation(
        id="gdp_parameter.pair_gdp",
        title="Which Gaussian pairs have a GDP parameter",
        sources=("KM-2.8",),
        hypotheses=("both covariances positive definite",),
        steps=steps,
        result_step="threshold",
        symbols={"M": wanted, "m": mean, "lambda": ratio},
        domain=(ratio > 1,),
        faults=(
            Fault(
                "variance for standard deviation", "one test", lambda rhs: threshold * (1 - 1 / ratio) + mean / ratio
            ),
            Fault("mean left out", "threshold", lambda rhs: wanted * root / (root - 1)),
            Fault("bounded in c", "no bound", lambda rhs: sp.Integer(0)),
        ),
        covers={"KM-2.8-pairs": "whole"},
    )
