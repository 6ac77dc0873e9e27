"""Beyond its range the radial inequality fails: what two hinges of a chi-square variable are there (N26 section 4)."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.chi_square_hinges import c, fraction, lower_expectation, r, scale, upper_expectation
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.special_functions import Pg, Qg
from ndis_verify.symbolic.statement_terms import quantity

kappa, g = sp.symbols("kappa g", real=True)
excess, beyond = sp.symbols("j y", positive=True)  # kappa - 1, g - (r/2) log kappa
place = sp.Symbol("t", positive=True)
zero, one, half = sp.Integer(0), sp.Integer(1), r / 2


@cache
def fails_beyond() -> Derivation:
    """`hinge(g, 1 - kappa; r) < hinge(-g, 1 - 1/kappa; r)` for g > (r/2) log kappa, kappa > 1 (N26-P2-sharp).

    `number`: the second one, at `j` = kappa - 1, `y` = g - (r/2) log kappa and `r`.
    """
    level = beyond + half * sp.log(1 + excess)  # g
    share, near = excess / (1 + excess), level / excess
    far, power = (1 + excess) * near, sp.exp(beyond)
    rest = Pg(half, near) / power + Qg(half, far)

    def hinge(c: sp.Expr, a: sp.Expr) -> sp.Expr:
        return quantity("chi2_hinge", c, a, r)

    first = Qg(half, near) - power * Qg(half, far)
    second = Pg(half, far) - Pg(half, near) / power
    steps = (
        inferred("kappa - 1 > 0", "kappa > 1.", kappa - 1, ">", zero, Use("kappa > 1")),
        named(excess, "j = kappa - 1.", kappa - 1, "kappa - 1 > 0"),
        inferred("kappa", "So kappa = 1 + j,", kappa, "=", 1 + excess, "j"),
        inferred(
            "beyond",
            "and g is beyond the edge",
            g - half * sp.log(kappa),
            ">",
            zero,
            Use("g > (r/2) log(kappa)"),
        ),
        named(beyond, "by y.", g - half * sp.log(kappa), "beyond"),
        inferred("g", "So g = y + (r/2) log(1 + j).", g, "=", level, *("y", "kappa")),
        Step("g >= 0", "It is positive,", level, zero, ">=", level),
        Step("share", "1 - 1/kappa is a share.", lhs=1 - 1 / (1 + excess), rhs=share),
        Step("share < 1", "Below 1.", share, one, "<", -1 / (1 + excess)),
        inferred(
            "first",
            "The hinge of a falling exponent (N24-P1), e^g kappa^{-r/2} = e^y,",
            hinge(level, -excess),
            "=",
            first,
            Use(
                "expectation",
                of=upper_expectation,
                at={c: level, scale: excess},
                granted={"c >= 0": "g >= 0"},
            ),
        ),
        inferred(
            "second",
            "and of a rising one (N24-P2).",
            hinge(-level, share),
            "=",
            second,
            Use(
                "expectation",
                of=lower_expectation,
                at={c: -level, fraction: share},
                granted={"a < 1": "share < 1"},
            ),
        ),
        Step(
            "tails",
            "The two tails of a gamma law are 1 together.",
            lhs=Pg(half, place),
            rhs=1 - Qg(half, place),
            reduce=lambda left, right: left - right.replace(Qg, lambda s, x: 1 - Pg(s, x)),
        ),
        by_fact(
            "e^y",
            "As e^y > 1,",
            "logarithm below its tangent",
            {"y": power},
            {"positive": Step("power", "An exponential.", power, zero, ">", power)},
        ),
        Step("y > 0", "by y at least,", beyond, zero, ">", beyond),
        inferred("e^y > 1", "strictly,", power, ">", one, *(Use("e^y", weight=-1), "y > 0")),
        inferred(
            "strictly",
            "Their difference is (e^y - 1)(Pg(r/2, g/j)/e^y + Qg(r/2, kappa g/j)).",
            first,
            "<",
            second,
            Use("e^y > 1", weight=-rest),
            *(Use("tails", at={place: near}), Use("tails", at={place: far})),
        ),
        inferred(
            "fails",
            "In the terms of the statement.",
            hinge(g, 1 - kappa),
            "<",
            hinge(-g, 1 - 1 / kappa),
            *("g", "kappa", "share", "first", "second", "strictly"),
        ),
    )
    return Derivation(
        id="radial_range.fails_beyond",
        title="The radial inequality fails beyond its range",
        sources=("N26-P2",),
        hypotheses=(
            Hypothesis("kappa > 1", kappa > 1),
            Hypothesis("g > (r/2) log(kappa)", g > half * sp.log(kappa)),
        ),
        steps=steps,
        result_step="second",
        symbols={"j": excess, "y": beyond, "r": r},
        faults=(
            Fault("sides swapped", "strictly", lambda rhs: 2 * first),
            Fault("e^y in the first", "first", lambda rhs: rhs.subs(power, 1)),
            Fault("e^{-y} left out", "second", lambda rhs: Pg(half, far) - Pg(half, near)),
        ),
        concludes=(Conclusion("N26-P2-sharp", "fails", {"kappa": kappa, "g": g, "r": r}),),
    )
