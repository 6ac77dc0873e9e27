"""How the classical std's waste changes: against the delta it reaches, and against the smallest std, in eps and in
delta.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.mills_ratio import mills_steps, positive_tail_steps, x
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import Phi, phi

epsilon, a, mu, y, h = sp.symbols("epsilon a mu y h", positive=True)
m_near, m_far, q = sp.symbols("m_1 m_2 q", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)


def _profile(shift: sp.Expr) -> sp.Expr:
    return Phi(shift / 2 - epsilon / shift) - sp.exp(epsilon) * Phi(-shift / 2 - epsilon / shift)


def _negative_argument_steps() -> tuple[Step, ...]:
    """The bracket where a < s, which needs delta above 1.25 e^{-1/4}: the Mills ratio at a negative point is below
    sqrt(2 pi) e^{x^2/2}.
    """
    half_width, room, extra = sp.symbols("s v w", positive=True)
    least = sp.sqrt(2 * sp.log(sp.Rational(5, 4)))
    tenth = sp.Rational(1, 10)
    return (
        Step(
            "a < s: third term",
            "s = a + v: 2s/a^2 is above 2/a,",
            lhs=2 * (a + room) / a**2,
            rhs=2 / a,
            relation=">",
            witness=2 * room / a**2,
        ),
        Step(
            "a < s: a is small",
            "and a^2 < a s <= 1/2, a = 1/(sqrt 2 (1+v)), so above 2 sqrt 2.",
            lhs=(2 / a).subs(a, 1 / (sp.sqrt(2) * (1 + room))),
            rhs=2 * sp.sqrt(2),
            relation=">",
            witness=2 * sp.sqrt(2) * room,
        ),
        Step(
            "a < s: density",
            "m(a-s) < 1/phi(s-a), as Phi < 1.",
            lhs=1 / phi(held(half_width) - held(a)),
            rhs=sp.sqrt(2 * sp.pi) * sp.exp((half_width - a) ** 2 / 2),
        ),
        Step(
            "a < s: how far",
            "s - a <= 1/(2a) - a falls in a, a = least + w at delta < 1, and is below 1/10:",
            lhs=tenth,
            rhs=1 / (2 * least) - least,
            relation=">",
            witness=tenth - 1 / (2 * least) + least,
        ),
        Step(
            "a < s: falls in a",
            "1/(2a) - a at its least a less that at least + w.",
            lhs=1 / (2 * least) - least,
            rhs=1 / (2 * (least + extra)) - (least + extra),
            relation=">",
            witness=extra + extra / (2 * least * (least + extra)),
        ),
        Step(
            "a < s: the bracket is negative",
            "m(a-s) - m(a+s) - 2s/a^2 < sqrt(2 pi) e^{1/200} - 2 sqrt 2 < 0.",
            lhs=2 * sp.sqrt(2),
            rhs=sp.sqrt(2 * sp.pi) * sp.exp(sp.Rational(1, 200)),
            relation=">",
            witness=2 * sp.sqrt(2) - sp.sqrt(2 * sp.pi) * sp.exp(sp.Rational(1, 200)),
        ),
    )


@cache
def reached_share() -> Derivation:
    """(delta reached at the classical std)/delta increases in eps <= 1 and in delta (N24-Fig7-monotone).

    With a = sqrt(2 ln(1.25/delta)) the shift is eps/a. `number`: the slope in eps at fixed delta, at `epsilon` and `a`.
    """
    s = epsilon / (2 * a)
    slope = phi(s - a) / a - sp.exp(epsilon) * Phi(-s - a)
    half_width = sp.Symbol("s", positive=True)
    past = sp.Rational(5, 4) * sp.exp(-m_near)
    room = sp.Symbol("v", nonnegative=True)
    near, far = 1 / (1 + (a - half_width) ** 2), 1 / (1 + (a + half_width) ** 2)
    product = (1 + (a - half_width) ** 2) * (1 + (a + half_width) ** 2)
    spare = 1 + a**2 + half_width**4 + 2 * half_width**2 - 3 * a**2 * half_width**2
    small = 1 / (2 * a * (1 + room))  # s with 2 a s <= 1
    steps = (
        Step(
            "arguments",
            "At the shift eps/a.",
            lhs=_profile(held(epsilon) / held(a)),
            rhs=Phi(s - a) - sp.exp(epsilon) * Phi(-s - a),
        ),
        Step("slope in eps", "delta, so a, held.", lhs=sp.diff(_profile(epsilon / a), epsilon), rhs=slope),
        Step(
            "equal densities",
            "e^eps phi(a + s) = phi(a - s) at 2 a s = eps.",
            lhs=sp.exp(epsilon) * phi(s + a),
            rhs=phi(s - a),
        ),
        *mills_steps(),
        Step(
            "rises in eps",
            "Phi(-(a+s)) < phi(a+s)/(a+s), so the slope is above phi(a-s) times",
            lhs=1 / a - 1 / (a + s),
            rhs=zero,
            relation=">",
            witness=s / (a * (a + s)),
        ),
        Step("slope in a", "eps held.", lhs=sp.diff(_profile(epsilon / a), a), rhs=-epsilon / a**2 * phi(s - a)),
        Step(
            "claimed delta",
            "1.25 e^{-a^2/2} falls in a: the logarithm of the ratio moves in a as a delta' + d delta'/da does.",
            lhs=sp.Derivative(sp.log(sp.Rational(5, 4) * sp.exp(-(a**2) / 2)), a),
            rhs=-a,
        ),
        Step(
            "in Mills ratios",
            "delta' = phi(a-s) (m(a-s) - m(a+s)): a delta' + d delta'/da = a phi(a-s) times",
            lhs=a * phi(s - a) * (m_near - m_far) - epsilon / a**2 * phi(s - a),
            rhs=a * phi(s - a) * (m_near - m_far - 2 * s / a**2),
        ),
        Step(
            "slope of the Mills ratio",
            "m' = x m - 1, above -1/(1+x^2) by the lower bound, for x >= 0.",
            lhs=sp.Derivative(Phi(-h) / phi(h), h),
            rhs=h * Phi(-h) / phi(h) - 1,
        ),
        Step(
            "bracket in s",
            "Where a >= s: m(a-s) - m(a+s) - 2s/a^2 is 0 at s = 0 and its slope in s is below 1/(1+(a-s)^2) +"
            " 1/(1+(a+s)^2) - 2/a^2 =",
            lhs=near + far - 2 / a**2,
            rhs=-2 * spare / (a**2 * product),
        ),
        Step(
            "falls in s",
            "which is negative where 2 a s <= 1, that is up to eps = 1:",
            lhs=spare.subs(half_width, small),
            rhs=zero,
            relation=">",
            witness=a**2 + small**4 + 2 * small**2 + (sp.Rational(1, 4) + 2 * room + room**2) / (1 + room) ** 2,
        ),
        *_negative_argument_steps(),
        Step(
            "rises in delta",
            "The bracket is negative, so the ratio falls in a; and a = sqrt(2 ln(1.25/delta)), here at delta = 1.25"
            " e^{-v},"
            " falls in delta:",
            lhs=sp.Subs(
                sp.Derivative(sp.sqrt(-2 * sp.log(sp.Rational(4, 5) * half_width)), half_width), half_width, past
            ),
            rhs=zero,
            relation="<",
            witness=-sp.Rational(4, 5) * sp.exp(m_near) / sp.sqrt(2 * m_near),
        ),
        Step("slope", "as above.", lhs=sp.exp(epsilon) * (phi(s + a) / a - Phi(-s - a)), rhs=slope),
    )
    return Derivation(
        id="classical_gaussian_order.reached_share",
        title="The share of the claimed delta that the classical std reaches rises in eps and in delta",
        sources=("N24-Fig7-monotone",),
        hypotheses=("0 < eps <= 1", "0 < delta < 1"),
        steps=steps,
        result_step="slope",
        symbols={"epsilon": epsilon, "a": a},
        faults=(
            Fault("m' of the other sign", "slope of the Mills ratio", lambda rhs: -rhs),
            Fault("slope in a without the square", "slope in a", lambda rhs: rhs * a),
            Fault("1.25 e^{-a^2}", "claimed delta", lambda rhs: 2 * rhs),
            Fault("bracket that rises", "bracket in s", lambda rhs: -rhs),
            Fault("factor e^eps dropped", "slope", lambda rhs: phi(s - a) / a - Phi(-s - a)),
            Fault("Mills ratio below sqrt(2 pi) e", "a < s: the bracket is negative", lambda rhs: rhs * sp.exp(1)),
            Fault("s - a up to 1/20 only", "a < s: how far", lambda rhs: rhs + sp.Rational(1, 20)),
        ),
        covers={"N24-Fig7-monotone": "whole"},
    )


@cache
def least_share_in_epsilon() -> Derivation:
    """(smallest std)/(classical std) = (eps/mu)/sqrt(2 ln(1.25/delta)) increases in eps (BW-Fig1-monotone).

    mu = Delta/std of the smallest valid std. `number`: d(eps/mu)/d eps at fixed delta, at `epsilon` and `shift` = mu.
    """
    far = mu / 2 + epsilon / mu
    ratio = Phi(-far) / phi(far)
    result = (mu - epsilon * ratio) / mu**2
    steps = (
        Step(
            "slope in mu",
            "The smallest std solves closed form = delta, strictly increasing in mu.",
            lhs=sp.diff(_profile(mu), mu),
            rhs=phi(mu / 2 - epsilon / mu),
        ),
        Step(
            "slope in eps",
            "The densities cancel.",
            lhs=sp.diff(_profile(mu), epsilon),
            rhs=-sp.exp(epsilon) * Phi(-far),
        ),
        Step(
            "equal densities",
            "e^eps phi(mu/2 + eps/mu) = phi(mu/2 - eps/mu).",
            lhs=sp.exp(epsilon) * phi(far),
            rhs=phi(mu / 2 - epsilon / mu),
        ),
        Step(
            "mu at fixed delta",
            "d mu/d eps = m(mu/2 + eps/mu), the Mills ratio.",
            lhs=sp.exp(epsilon) * Phi(-far) / phi(mu / 2 - epsilon / mu),
            rhs=ratio,
        ),
        *mills_steps(),
        Step(
            "sign",
            "m < 1/(mu/2 + eps/mu): the slope of eps/mu is above 1/mu^2 times",
            lhs=mu - epsilon / far,
            rhs=zero,
            relation=">",
            witness=mu**3 / (mu**2 + 2 * epsilon),
        ),
        Step("slope of eps/mu", "By the quotient rule.", lhs=1 / mu - epsilon / mu**2 * ratio, rhs=result),
    )
    return Derivation(
        id="classical_gaussian_order.least_share_in_epsilon",
        title="The smallest std as a share of the classical one rises in eps",
        sources=("BW-Fig1-monotone",),
        hypotheses=("eps > 0", "0 < delta < 1"),
        steps=steps,
        result_step="slope of eps/mu",
        symbols={"epsilon": epsilon, "shift": mu},
        faults=(
            Fault("slope in eps of the other sign", "slope in eps", lambda rhs: -rhs),
            Fault("factor e^eps dropped", "slope in eps", lambda rhs: -Phi(-far)),
            Fault(
                "Mills ratio at the near point",
                "mu at fixed delta",
                lambda rhs: Phi(mu / 2 - epsilon / mu) / phi(mu / 2 - epsilon / mu),
            ),
            Fault("mu that falls", "slope of eps/mu", lambda rhs: (mu + epsilon * ratio) / mu**2),
        ),
        covers={"BW-Fig1-monotone": "in eps"},
    )


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
        id="classical_gaussian_order.least_share_in_delta",
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
