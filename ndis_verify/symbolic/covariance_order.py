"""Which of two centred Gaussians with comparable covariances is the worse one to come first: any spectrum, by scaling
the more spread one.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.covariance_order_steps import (
    SPECTRA,
    epsilon,
    f,
    form_steps,
    inequality_steps,
    inner,
    lam,
    level,
    m,
    path_steps,
    r,
    s,
    slope_steps,
    spectrum_steps,
    y,
)
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step
from ndis_verify.symbolic.normal_coordinates import entry
from ndis_verify.symbolic.statement_terms import quantity

zero = sp.Integer(0)


@cache
def scale_order() -> Derivation:
    """delta_{P,Q}(eps) >= delta_{Q,P}(eps) for S1 >= S2 and equal means, every spectrum (N26-L3).

    P(s) = N(0, diag max(1, lambda_i e^{-s})) against Q = N(0, I): G = delta_{P,Q} - delta_{Q,P} obeys a parabolic
    inequality for 0 < eps < nu/2, and is not negative on the edges of that set. `number`: by how much, -dG/ds -
    (nu/2 + eps) (d^2 G/d eps^2 - dG/d eps) at `epsilon` > 0 and `density` = f(nu - 2 eps).
    """
    least, counts = Hypothesis("lam_i >= 1", entry(lam) >= 1), Hypothesis("m_i >= 1", entry(m) >= 1)
    steps = (
        *spectrum_steps(epsilon, least.text, counts.text),
        *path_steps(),
        *form_steps(),
        *slope_steps(),
        *inequality_steps(),
        Step(
            "order",
            "At s = 0.",
            lhs=quantity("centred", lam, m, epsilon),
            rhs=quantity("centred_reverse", lam, m, epsilon),
            relation=">=",
            kind="inference",
            premises=(*SPECTRA, "order on the path"),
        ),
    )
    return Derivation(
        id="covariance_order.scale_order",
        title="The more spread law first is the worse direction: every spectrum",
        sources=("N26-L3",),
        hypotheses=(least, counts, Hypothesis("eps >= 0", epsilon >= 0)),
        steps=steps,
        result_step="surplus",
        symbols={"epsilon": inner, "density": sp.Symbol("f_-", nonnegative=True)},
        faults=(
            Fault("edge that stays", "what P(r) gives, P(s) first", lambda rhs: rhs.subs(r, s)),
            Fault("half of the slope", "slope in s", lambda rhs: rhs / 2),
            Fault("e^eps left out of the other direction", "surplus", lambda rhs: rhs * sp.exp(-inner)),
            Fault("e^eps left out of the slope in eps", "slope in y", lambda rhs: rhs * sp.exp(-y)),
            Fault("second slope without its density", "second slope in y", lambda rhs: rhs - 2 * f(level + 2 * y)),
            Fault("surplus of the wrong sign", "surplus", lambda rhs: -rhs),
            Fault("directions exchanged at nu/2", "order", lambda rhs: 2 * rhs),
        ),
        concludes=(
            *(
                Conclusion(claim, "order", {"lam": lam, "m": m, "eps": epsilon})
                for claim in ("N26-L3", "N26-L3-two-eigenvalues")
            ),
            Conclusion(
                "N26-T4.2",
                "order",
                part="the more spread law first is the greater covariance term: lam_i >= 1, m_i >= 1",
            ),
        ),
    )
