"""The second and the fourth moment of a centred normal variable, from its moment generating function."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.meanings import meaning, normal_density
from ndis_verify.symbolic.meanings import normal_value as x
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.statement_terms import quantity

_s, _t = sp.Symbol("s", positive=True), sp.Symbol("t", real=True)
_MOMENTS = {2: ("second", _s**2), 4: ("fourth", 3 * _s**4)}


@cache
def second_and_fourth() -> Derivation:
    """E x^2 = s^2 and E x^4 = 3 s^4 for x normal of mean 0 and variance s^2 (N24-P12).

    `number`: the fourth moment at `s`.
    """
    zero = sp.Integer(0)
    density, transform = normal_density(zero, _s**2), sp.exp(_s**2 * _t**2 / 2)
    steps = [
        Step("density", "A density is not negative.", lhs=density, rhs=zero, relation=">=", witness=density),
        *integral_steps(
            "transform",
            sp.exp(_t * x) * density,
            (x, -sp.oo, sp.oo),
            transform * Phi(x / _s - _s * _t),
            transform,
            "The square is completed.",
        ),
    ]
    for n, (name, value) in _MOMENTS.items():
        steps += [
            meaning(f"{name} moment in words", "normal_moment", sp.Integer(n), zero, _s**2),
            by_fact(
                f"{name} derivative",
                "It is a derivative of the moment generating function at 0.",
                "a moment as a slope of the moment generating function",
                {"density": density, "x": x, "power": sp.Integer(n), "argument": _t, "transform": transform},
                {"density": "density", "transform": "transform"},
            ),
            Step(
                f"{name} moment",
                "Taken.",
                lhs=quantity("normal_moment", sp.Integer(n), zero, _s**2),
                rhs=value,
                kind="inference",
                premises=(f"{name} moment in words", f"{name} derivative"),
            ),
        ]
    return Derivation(
        id="normal_moments.second_and_fourth",
        title="Second and fourth moment of a centred normal variable",
        sources=("N24-P12",),
        hypotheses=(Hypothesis("s > 0", _s > 0),),
        steps=tuple(steps),
        result_step="fourth moment",
        symbols={"s": _s},
        faults=(
            Fault("fourth moment without the 3", "fourth moment", lambda rhs: rhs / 3),
            Fault("s for s^2", "second moment", lambda rhs: rhs / _s),
            Fault("transform of another variance", "transform", lambda rhs: rhs.subs(_s, 2 * _s)),
        ),
        concludes=tuple(Conclusion("N24-P12", f"{name} moment", {"s": _s}) for name, _ in _MOMENTS.values()),
    )
