"""How the smallest std as a share of the classical one changes in delta."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.mills_ratio import mills_steps, positive_tail_steps, x
from ndis_verify.symbolic.special_functions import Phi, phi

y, h = sp.symbols("y h", positive=True)
m_near, m_far = sp.symbols("m_1 m_2", positive=True)
zero = sp.Integer(0)


@cache
def least_share_in_delta() -> Derivation:
    """The same share decreases in delta where y = eps/mu >= 7/5 and eps <= 1 (BW-Fig1-monotone).

    `number`: 2 ln(1.25/delta) - mu phi(y - h)/delta, of the sign of minus the slope in delta, at `y`, half
    the shift `h` and the Mills ratios `near` = m(y - h), `far` = m(y + h).
    """
    gap = m_near - m_far
    reached = phi(y - h) * gap
    result = 2 * sp.log(sp.Rational(5, 4) / reached) - 2 * h / gap
    t, room, extra = sp.symbols("t v w", positive=True)
    start = sp.Rational(7, 5)
    upper = (y**2 + 2) / (y**3 + 3 * y)
    small = sp.Symbol("e", positive=True)  # eps
    bound = 2 * sp.log(sp.Rational(5, 4) * sp.sqrt(2 * sp.pi) * y * (1 + y**2) / small) - small - 3
    least = 2 * sp.log(sp.Rational(5, 4) * sp.sqrt(2 * sp.pi) * start * (1 + start**2)) - 4
    steps = (
        Step(
            "setting",
            "mu = 2h, eps = 2 h y; as delta runs from 1 to 0 at fixed eps, mu falls and y runs from 0 to infinity.",
            kind="definition",
        ),
        Step(
            "delta",
            "The closed form is phi(y-h) (m(y-h) - m(y+h)), as e^eps phi(y+h) = phi(y-h):",
            lhs=sp.exp(2 * h * y) * phi(y + h),
            rhs=phi(y - h),
        ),
        Step(
            "share",
            "eps/(mu sqrt(2 ln(1.25/delta))): d ln mu/d delta = 1/(mu phi(y-h)) and d ln sqrt(2 ln(1.25/delta))/d"
            " delta is",
            lhs=sp.Derivative(sp.log(sp.sqrt(2 * sp.log(sp.Rational(5, 4) / t))), t),
            rhs=-1 / (2 * t * sp.log(sp.Rational(5, 4) / t)),
        ),
        Step(
            "condition",
            "The share falls in delta where 2 ln(1.25/delta) delta > mu phi(y-h), that is where the number is"
            " positive.",
            lhs=result * reached,
            rhs=2 * sp.log(sp.Rational(5, 4) / reached) * reached - 2 * h * phi(y - h),
        ),
        Step(
            "slope of m",
            "q = -m' = 1 - x m = int s e^{-xs-s^2/2} ds is positive, decreasing and convex: t = (m(y-h) - m(y+h))/(2h),"
            " the mean of q over (y-h, y+h), lies between q(y) and q(y-h).",
            kind="argument",
        ),
        *mills_steps(),
        *positive_tail_steps(
            "third Mills bound",
            "phi(x) (x^2+2)/(x^3+3x) - Phi(-x)",
            phi(x) * (x**2 + 2) / (x**3 + 3 * x) - Phi(-x),
            -6 * phi(x) / (x**2 * (x**2 + 3) ** 2),
        ),
        Step("q from above", "q < 1/(1+x^2).", lhs=1 - y * (y / (1 + y**2)), rhs=1 / (1 + y**2)),
        Step("q from below", "q > 1/(x^2+3).", lhs=1 - y * upper, rhs=1 / (y**2 + 3)),
        Step(
            "t below 1/2",
            "y - h = y - eps/(2y) > 1 for y >= 7/5 and eps <= 1, so t < 1/(1+1):",
            lhs=(start + room) - 1 / (2 * (start + room)) - 1,
            rhs=zero,
            relation=">",
            witness=(2 * (start + room) ** 2 - 2 * (start + room) - 1).expand() / (2 * (start + room)),
        ),
        Step(
            "number in t",
            "With m(y-h) - m(y+h) = 2 h t.",
            lhs=sp.Subs(result, m_near, m_far + 2 * h * t),
            rhs=2 * sp.log(sp.Rational(5, 4) / (phi(y - h) * 2 * h * t)) - 1 / t,
        ),
        Step(
            "rises in t",
            "up to t = 1/2 (t = 1/(2+w)),",
            lhs=sp.diff(-2 * sp.log(t) - 1 / t, t).subs(t, 1 / (2 + extra)),
            rhs=zero,
            relation=">",
            witness=extra * (2 + extra),
        ),
        Step(
            "at t = q(y)",
            "1/q < y^2 + 3, -ln q > ln(1 + y^2), and (y-h)^2 > y^2 - eps: the number is above",
            lhs=2 * sp.log(sp.Rational(5, 4) * sp.sqrt(2 * sp.pi) * y / small)
            + (y**2 - small)
            + 2 * sp.log(1 + y**2)
            - (y**2 + 3),
            rhs=bound,
            reduce=lambda left, right: sp.expand_log(left - right, force=True),
        ),
        Step(
            "falls in eps",
            "so eps = 1 is its least value;",
            lhs=sp.diff(bound, small),
            rhs=zero,
            relation="<",
            witness=-2 / small - 1,
        ),
        Step(
            "rises in y",
            "so y = 7/5 is.",
            lhs=sp.diff(bound, y),
            rhs=zero,
            relation=">",
            witness=2 / y + 4 * y / (1 + y**2),
        ),
        Step(
            "there",
            "positive: the product in the logarithm is above 8 and 8 > e^2.",
            lhs=sp.Subs(bound, (small, y), (1, start)),
            rhs=least,
            reduce=lambda left, right: sp.expand_log(left - right, force=True),
        ),
        Step(
            "logarithm's argument",
            "sqrt(2 pi) > 2: 5/4 2 7/5 (1 + 49/25) = 259/25,",
            lhs=sp.Rational(5, 4) * 2 * start * (1 + start**2),
            rhs=sp.Integer(8),
            relation=">",
            witness=sp.Rational(59, 25),
        ),
        Step(
            "e^2 < 8",
            "e < 2.72.",
            lhs=sp.Integer(8),
            rhs=sp.Rational(272, 100) ** 2,
            relation=">",
            witness=sp.Rational(8 * 10000 - 272**2, 10000),
        ),
        Step(
            "number",
            "The number in t at t = (m(y-h) - m(y+h))/(2h).",
            lhs=sp.Subs(2 * sp.log(sp.Rational(5, 4) / (phi(y - h) * 2 * h * t)) - 1 / t, t, gap / (2 * h)),
            rhs=result,
        ),
    )
    return Derivation(
        id="classical_gaussian_gain.least_share_in_delta",
        title="The smallest std as a share of the classical one falls in delta, far from its noise",
        sources=("BW-Fig1-monotone",),
        hypotheses=("0 < eps <= 1", "eps/mu >= 7/5"),
        steps=steps,
        result_step="number",
        symbols={"y": y, "h": h, "near": m_near, "far": m_far},
        domain=(m_near > m_far,),
        faults=(
            Fault("q < 1/(2+x^2)", "q from above", lambda rhs: 1 / (2 + y**2)),
            Fault("q > 1/(x^2+2)", "q from below", lambda rhs: 1 / (y**2 + 2)),
            Fault("slope of the logarithm doubled", "share", lambda rhs: 2 * rhs),
            Fault("delta without its density", "condition", lambda rhs: rhs / phi(y - h)),
            Fault("e^{-eps} in place of e^eps", "delta", lambda rhs: rhs * sp.exp(-4 * h * y)),
        ),
        covers={"BW-Fig1-monotone": "in delta, eps/mu >= 7/5"},
    )
