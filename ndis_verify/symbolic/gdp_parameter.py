"""The least mu for which a pair is mu-GDP: of the Laplace pair a supremum that is attained, of Gaussian pairs a shift
or none.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import laplace_errors, laplace_sizes
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.statement_terms import quantity

mu, ratio, wanted = sp.symbols("mu lambda M", positive=True)
threshold, mean = sp.symbols("c m", real=True)


@cache
def laplace_gdp() -> Derivation:
    """`2 Phi^-1(1 - e^{-mu/2}/2)` is the least parameter of Lap(mu, 1) against Lap(0, 1), attained at equal errors.

    `number`: that parameter at `mu`.
    """
    equal = sp.exp(-mu / 2) / 2
    steps = (
        *laplace_sizes.laplace_gdp_steps(),
        Step(
            "equal errors",
            "Both errors are e^{-mu/2}/2 on the middle branch, as e^-mu/2 <= e^{-mu/2}/2 <= 1/2.",
            lhs=sp.exp(-mu) / held(4 * held(equal)),
            rhs=equal,
        ),
        inferred(
            "no more than 1",
            "As e^{-mu/2} <= 1,",
            sp.exp(-mu / 2),
            "<=",
            sp.Integer(1),
            Use("e^-k", at={laplace_errors.k: mu / 2}),
        ),
        Step(
            "least parameter",
            "the parameter is -2 Phi^-1(a) at a = e^{-mu/2}/2, -Phi^-1(a) = sqrt 2 erf^-1(1 - 2 a).",
            lhs=2 * sp.sqrt(2) * sp.erfinv(1 - 2 * held(equal)),
            rhs=2 * sp.sqrt(2) * sp.erfinv(1 - sp.exp(-mu / 2)),
            premises=("no more than 1",),
        ),
    )
    return Derivation(
        id="gdp_parameter.laplace_gdp",
        title="The least GDP parameter of the Laplace mechanism",
        sources=("KM-AppC", "KM-2.8"),
        hypotheses=(laplace_sizes.SIZE,),
        steps=steps,
        result_step="least parameter",
        symbols={"mu": mu},
        faults=(
            Fault("shift not halved", "least parameter", lambda rhs: 2 * sp.sqrt(2) * sp.erfinv(1 - sp.exp(-mu))),
            Fault("one of two tails", "least parameter", lambda rhs: rhs / 2),
            Fault("shift forgotten", laplace_sizes.STATED, lambda rhs: rhs.subs(mu, 2 * mu)),
            Fault("another parameter", laplace_errors.FURTHER, lambda rhs: rhs / 2),
        ),
        concludes=(
            Conclusion("KM-AppC-gdp", laplace_sizes.STATED, {"mu": mu, "alpha": laplace_sizes.alpha}),
            Conclusion("KM-AppC-gdp", "equal errors", part="where it is attained"),
            Conclusion("KM-AppC-gdp", "least parameter", part="in erf^-1"),
        ),
    )


@cache
def one_test() -> Derivation:
    """The test x > c of N(m, s^2) against N(0, 1) reaches `Phi^-1(1 - fnr) - Phi^-1(fpr) = c (1 - 1/s) + m/s`
    (KM-2.8-pairs).

    `number`: that parameter, at `c`, `m` and `s`.
    """
    c, m = sp.symbols("c m", real=True)
    s = sp.Symbol("s", positive=True)
    wanted_at = {"power": (m - c) / s, "size": -c}
    steps = (
        *(
            by_fact(
                f"quantile of the {name}",
                "Of a normal probability.",
                "quantile of a normal probability",
                {"x": at},
                {},
            )
            for name, at in wanted_at.items()
        ),
        inferred(
            "parameter",
            "Their difference.",
            quantity("Phi_inverse", Phi((m - c) / s)) - quantity("Phi_inverse", Phi(-c)),
            "=",
            c * (1 - 1 / s) + m / s,
            *(f"quantile of the {name}" for name in wanted_at),
        ),
    )
    return Derivation(
        id="gdp_parameter.one_test",
        title="The parameter that one threshold reaches",
        sources=("KM-2.8",),
        hypotheses=(),
        steps=steps,
        result_step="parameter",
        symbols={"c": c, "m": m, "s": s},
        faults=(
            Fault("variance for standard deviation", "parameter", lambda rhs: c * (1 - 1 / s**2) + m / s**2),
            Fault("mean left out", "parameter", lambda rhs: c * (1 - 1 / s)),
        ),
        concludes=(Conclusion("KM-2.8-pairs", "parameter", {"c": c, "m": m, "s": s}),),
    )


@cache
def pair_gdp() -> Derivation:
    """A Gaussian pair has a finite GDP parameter exactly where the covariances are equal; it is then the whitened
    shift.

    `number`: a threshold c at which the test x > c reaches the parameter `M` for N(m, lambda) against N(0, 1), lambda >
    1; symbols `M`, `m`, `lambda`.
    """
    root = sp.sqrt(ratio)
    first, second = sp.symbols("P Q", real=True)
    epsilon, a = sp.symbols("epsilon a", positive=True)
    steps = (
        Step("one eigenvalue", "S^{-1/2} S S^{-1/2} = I: of a variance a,", lhs=held(a) ** -1 * a, rhs=sp.Integer(1)),
        Step(
            "shift of the means",
            "and the shift in its unit.",
            lhs=held(mean * sp.sqrt(a)) ** 2 / a,
            rhs=mean**2,
        ),
        Step("1 > 0", "It is positive,", sp.Integer(1), sp.Integer(0), ">", sp.Integer(1)),
        Step("squared shift", "and a square is not negative.", mean**2, sp.Integer(0), ">=", mean**2),
        by_fact(
            "equal covariances",
            "S1 = S2: every eigenvalue is 1, and the pair N(D e_1, I) and N(0, I), D = |S^{-1/2} (m1 - m2)|; the other"
            " coordinates have one law. The curve is that of KM-2.8 at D.",
            "one frame for two normal laws",
            {
                "P": first,
                "Q": second,
                "epsilon": epsilon,
                "shift": mean**2,
                "d": sp.Symbol("d", positive=True),
                **dict.fromkeys(("first", "others", "scale", "other scale"), sp.Integer(1)),
            },
            {**dict.fromkeys(("first", "others", "scale", "other scale"), "1 > 0"), "shift": "squared shift"},
            ("one eigenvalue", "shift of the means"),
        ),
        by_fact(
            "one direction",
            "Where S1 != S2 some direction has variances of a ratio lambda != 1. Looking at it alone raises no"
            " divergence, and"
            " no parameter; the order of the pair does not matter, so lambda > 1: N(m, lambda) against N(0, 1) after"
            " a shift"
            " and a scaling.",
            "data processing",
            {
                "P": first,
                "Q": second,
                "image of P": sp.Function("along")(first),
                "image of Q": sp.Function("along")(second),
                "epsilon": epsilon,
            },
            {},
            ("both positive definite",),
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
            premises=("one test",),
        ),
        inferred(
            "sqrt lambda > 1",
            "As lambda > 1,",
            root,
            ">",
            sp.Integer(1),
            Use("lambda > 1", weight=1 / (root + 1)),
        ),
        Step(
            "threshold",
            "it reaches M here.",
            lhs=(wanted - mean / root) / (1 - 1 / root),
            rhs=(wanted * root - mean) / (root - 1),
            premises=("sqrt lambda > 1",),
        ),
    )
    return Derivation(
        id="gdp_parameter.pair_gdp",
        title="Which Gaussian pairs have a GDP parameter",
        sources=("KM-2.8",),
        hypotheses=("both positive definite", Hypothesis("lambda > 1", ratio > 1)),
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
        concludes=tuple(
            Conclusion("KM-2.8-pairs", end, part=part)
            for end, part in (
                ("equal covariances", "the least parameter of equal covariances"),
                ("one direction", "that one direction is enough"),
                ("no bound", "that no parameter is large enough"),
                ("threshold", "where a parameter is too small, lambda > 1"),
            )
        ),
    )
