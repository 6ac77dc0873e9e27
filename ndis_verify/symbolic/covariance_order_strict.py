"""The more spread law first is the strictly worse direction, where every eigenvalue is above 1 and eps is positive.

The steps are those of `covariance_order`; what is more is that the gap is 0 nowhere inside, either.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.covariance_order_steps import (
    SPECTRA,
    form_steps,
    inequality_steps,
    inner,
    lam,
    level,
    m,
    path_steps,
    slope_steps,
    spectrum_steps,
    y,
)
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.normal_coordinates import entry
from ndis_verify.symbolic.statement_terms import quantity

epsilon = sp.Symbol("epsilon", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)
_LEAST = Hypothesis("lam_i >= 1.5", entry(lam) >= sp.Rational(3, 2))
_COUNTS = Hypothesis("m_i = 1", sp.Eq(entry(m), 1))


def _eigenvalue_steps() -> tuple[Step, ...]:
    """Every eigenvalue is above 1, and stands once."""
    return (
        Step("1.5", "1.5 is more than 1,", sp.Rational(3, 2), one, ">", sp.Rational(1, 2)),
        inferred("lam_i > 1", "and so is every eigenvalue,", entry(lam), ">", one, "1.5", Use(_LEAST.text)),
        inferred("m_i >= 1", "which stands once.", entry(m), ">=", one, Use(_COUNTS.text)),
    )


@cache
def strict_order() -> Derivation:
    """delta_{P,Q}(eps) > delta_{Q,P}(eps) for equal means, every eigenvalue at least 3/2 and eps > 0
    (N26-L3-three-eigenvalues).

    `number`: by how much more than nothing the parabolic inequality holds, at `epsilon` > 0 and `density` =
    f(nu - 2 eps).
    """
    *inequality, on_path = inequality_steps()
    steps = (
        *_eigenvalue_steps(),
        *spectrum_steps(epsilon, "lam_i > 1", "m_i >= 1"),
        *path_steps(),
        *form_steps(),
        *slope_steps(),
        *inequality,
        Step("eps > 0", "eps is positive,", epsilon, zero, ">", epsilon),
        by_fact(
            "some",
            "and no eps is beyond the loss of P against Q:",
            "a divergence of a more spread law",
            {"lam": lam, "m": m, "epsilon": epsilon},
            {"spread": "lam_i > 1", "counts": "m_i >= 1"},
        ),
        by_fact(
            "order on the path",
            "The gap is not negative on the edges, and has no least value inside that is 0 or less.",
            "least value of a supersolution, strictly",
            {**on_path.letters, "epsilon": epsilon},
            {
                **on_path.conditions,
                "epsilon": "eps > 0",
                "nothing": "bounded loss",
                "above 0": "eps > 0",
                "some": "some",
            },
        ),
        inferred(
            "order",
            "At s = 0.",
            quantity("centred", lam, m, epsilon),
            ">",
            quantity("centred_reverse", lam, m, epsilon),
            *(*SPECTRA, "order on the path"),
        ),
    )
    return Derivation(
        id="covariance_order_strict.strict_order",
        title="The more spread law first is the strictly worse direction",
        sources=("N26-L3",),
        hypotheses=(_LEAST, _COUNTS),
        steps=steps,
        result_step="surplus",
        symbols={"epsilon": inner, "density": sp.Symbol("f_-", nonnegative=True)},
        faults=(
            Fault("half of the slope", "slope in s", lambda rhs: rhs / 2),
            Fault("e^eps left out of the slope in eps", "slope in y", lambda rhs: rhs * sp.exp(-y)),
            Fault("surplus of the wrong sign", "surplus", lambda rhs: -rhs),
            Fault("order up to nu", "2 y >= nu", lambda rhs: rhs + level),
            Fault("twice the other direction", "order", lambda rhs: 2 * rhs),
        ),
        concludes=(Conclusion("N26-L3-three-eigenvalues", "order", {"lam": lam, "m": m, "eps": epsilon}),),
    )
