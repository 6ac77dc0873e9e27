"""How the classical std's waste changes: against the delta it reaches, and against the smallest std, in eps and in
delta.

The deviations are c = sqrt(2 log(1.25/delta)), the shift is eps/c, or eps/(s c) at a share s of the classical std.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.mills_ratio import mills_steps, positive_tail_steps, x
from ndis_verify.symbolic.sketch_records import inferred, named
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

epsilon, larger, c, mu, y, h = sp.symbols("epsilon x c mu y h", positive=True)
m_near, m_far = sp.symbols("m_1 m_2", positive=True)
delta, level = sp.symbols("delta y", positive=True)
m, n, k, j = sp.symbols("m n k j", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)
LEAST = sp.Rational(2, 3)  # less than c at delta = 1


def closed(at: sp.Expr, eps: sp.Expr) -> sp.Expr:
    """The delta that `at` deviations reach."""
    return Phi(eps / (2 * at) - at) - sp.exp(eps) * Phi(-eps / (2 * at) - at)


def reached(at: sp.Expr, eps: sp.Expr) -> sp.Expr:
    """The same, as a divergence."""
    return quantity("mean_shift", eps / at, eps)


def bracket(at: sp.Expr, eps: sp.Expr) -> sp.Expr:
    """Where it is positive, the delta reached falls faster than delta in the deviations."""
    return eps / at**3 * phi(eps / (2 * at) - at) - closed(at, eps)


def closed_form(at: sp.Expr, eps: sp.Expr) -> Use:
    """That `reached` is `closed`."""
    return Use("closed form", of=mean_shift.hockey_stick, at={mean_shift.shift: eps / at, mean_shift.epsilon: eps})


def deviations(target: sp.Expr) -> sp.Expr:
    return sp.sqrt(2 * sp.log(sp.Rational(5, 4) / target))


@cache
def reached_in_epsilon() -> Derivation:
    """The delta that c deviations reach rises in eps, for every c > 0 (N24-Fig7-monotone, BW-Fig1-monotone).

    `number`: its slope, at `epsilon` and `c`.
    """
    half_width = epsilon / (2 * c)
    far = c + half_width
    slope = sp.exp(epsilon) * (phi(far) / c - Phi(-far))
    more = sp.exp(epsilon) * phi(far) * half_width / (c * far)
    steps = (
        *mills_steps()[:3],  # the upper bound
        Step(
            "slope",
            "As e^eps phi(c + eps/(2c)) = phi(c - eps/(2c)), the slope of the closed form is",
            lhs=sp.Derivative(closed(c, epsilon), epsilon),
            rhs=slope,
        ),
        Step("more", "a positive term", lhs=more, rhs=zero, relation=">", witness=more),
        inferred(
            "rises",
            "more than a multiple of the upper Mills bound's gap: it is positive,",
            sp.Derivative(reached(c, epsilon), epsilon),
            ">",
            zero,
            Use("upper Mills bound", at={x: far}, weight=sp.exp(epsilon)),
            *("more", closed_form(c, epsilon), "slope"),
        ),
        by_fact(
            "larger eps",
            "and a larger eps reaches more.",
            "a rising function at two points",
            {"f": reached(c, epsilon), "argument": epsilon, "low": epsilon, "high": larger},
            {"rises": "rises", "order": "eps < x"},
        ),
    )
    return Derivation(
        id="classical_gaussian_order.reached_in_epsilon",
        title="The delta that so many deviations reach rises in eps",
        sources=("N24-Fig7-monotone", "BW-Fig1-monotone"),
        hypotheses=(mean_shift.DEFINITE, Hypothesis("eps < x", larger > epsilon)),
        steps=steps,
        result_step="slope",
        symbols={"epsilon": epsilon, "c": c},
        faults=(
            Fault("factor e^eps dropped", "slope", lambda rhs: rhs * sp.exp(-epsilon)),
            Fault("tail of the other side", "slope", lambda rhs: sp.exp(epsilon) * (phi(far) / c - Phi(far))),
            Fault("half of the term", "rises", lambda rhs: more),
        ),
        concludes=tuple(
            Conclusion(claim, "larger eps", part="in eps, at any deviations")
            for claim in ("N24-Fig7-monotone", "BW-Fig1-monotone")
        ),
    )


def _target_steps() -> tuple[Step, ...]:
    """delta < y < 1 through positive numbers: c is 2/3 + k at y, 2/3 + k + j at delta."""
    at_level = sp.sqrt(2 * (sp.log(sp.Rational(5, 4)) + sp.log(1 + m)))
    at_delta = sp.sqrt(2 * (sp.log(sp.Rational(5, 4)) + sp.log(1 + m) + sp.log(1 + n)))
    known = 2 * sp.log(sp.Rational(5, 4)) - LEAST**2
    return (
        named(m, "m = 1/y - 1.", 1 / level - 1, "y < 1"),
        named(n, "n = y/delta - 1.", level / delta - 1, "delta < y"),
        Step(
            "above the least",
            "The deviations at y are more than 2/3,",
            at_level,
            LEAST,
            ">",
            known * (1 + 2 * sp.log(1 + m) / known) / (at_level + LEAST),
        ),
        Step(
            "above those",
            "those at delta are more again.",
            at_delta,
            at_level,
            ">",
            2 * sp.log(1 + n) / (at_delta + at_level),
        ),
        named(k, "k is the one surplus,", at_level - LEAST, "above the least"),
        named(j, "j the other.", at_delta - at_level, "above those"),
    )


@cache
def reached_share() -> Derivation:
    """(delta reached at the classical std)/delta increases in eps <= 1 and in delta (N24-Fig7-monotone).

    `number`: the slope in h of what makes it fall in c = (2/3) e^h, at `epsilon` and `h`.
    """
    at = LEAST * sp.exp(h)
    half_width = epsilon / (2 * at)
    weight = epsilon * phi(half_width - at) / at**3
    low, high = (sp.log(1 + surplus / LEAST) for surplus in (k, k + j))
    growth = sp.Rational(4, 5) * sp.exp(at**2 / 2)  # 1/delta
    rest = (12 * LEAST**2 - 1) / (4 * at**2)
    logs = sp.log(sp.Rational(5, 4)) + sp.log(1 + m) + sp.log(1 + n)
    steps = (
        *_target_steps(),
        inferred("1/y", "y = 1/(1 + m),", level, "=", 1 / (1 + m), "m"),
        inferred("1/delta", "delta = y/(1 + n).", delta, "=", 1 / ((1 + m) * (1 + n)), *("n", "1/y")),
        Step("logarithms", "Positive are", logs, zero, ">", logs),
        inferred(
            "log(1.25/delta)",
            "and with them",
            sp.log(sp.Rational(5, 4) / delta),
            ">",
            zero,
            *("logarithms", "1/delta"),
        ),
        inferred(
            "in eps",
            "A larger eps reaches more, delta held.",
            reached(deviations(delta), epsilon) / delta,
            "<",
            reached(deviations(delta), larger) / delta,
            Use("larger eps", of=reached_in_epsilon, at={c: LEAST + k + j}, weight=1 / delta),
            *("1/delta", "j", "k", Use("log(1.25/delta)", weight=0)),
        ),
        inferred("eps < 1", "eps is less than 1,", epsilon, "<", one, Use("eps < x", weight=-1), Use("x <= 1")),
        by_fact(
            "e^{2 h}",
            "e^{2 h} is no less than 1,",
            "exponentials keep the order",
            {"a": zero, "b": 2 * h},
            {"order": Step("h > 0", "h is positive.", zero, 2 * h, "<=", -2 * h)},
        ),
        Step("rest", "and 12 c^2 = (16/3) e^{2 h} more than 1,", rest, zero, ">", rest),
        inferred(
            "room",
            "so that (eps/(2c))^2 is less than 3.",
            half_width**2,
            "<",
            sp.Integer(3),
            Use("eps < 1", weight=(1 + epsilon) / (4 * at**2)),
            Use("e^{2 h}", weight=3 * LEAST**2 / at**2),
            Use("rest", weight=-1),
        ),
        Step(
            "slope",
            "With c = (2/3) e^h, (eps/c^3) phi(eps/(2c) - c) less the closed form has, as the densities at both edges"
            " are one, in h the slope",
            lhs=sp.Derivative(bracket(at, epsilon), h),
            rhs=weight * (half_width**2 - 3),
        ),
        inferred(
            "bracket falls",
            "which is negative,",
            sp.Derivative(bracket(at, epsilon), h),
            "<",
            zero,
            *("slope", Use("room", weight=weight)),
        ),
        Step("bracket ends", "and tends to 0:", lhs=sp.Limit(bracket(at, epsilon), h, sp.oo), rhs=zero),
        by_fact(
            "bracket",
            "it is positive.",
            "falls to 0",
            {"f": bracket(at, epsilon), "argument": h},
            {"falls": "bracket falls", "end": "bracket ends"},
        ),
        Step(
            "slope in c",
            "By a multiple of it the share of delta = 1.25 e^{-c^2/2}",
            lhs=sp.Derivative(growth * closed(at, epsilon), h),
            rhs=-growth * at**2 * bracket(at, epsilon),
        ),
        inferred(
            "falls in c",
            "falls in c:",
            sp.Derivative(growth * reached(at, epsilon), h),
            "<",
            zero,
            *(closed_form(at, epsilon), "slope in c", Use("bracket", weight=-growth * at**2)),
        ),
        Step("two values", "of two of its values", high, low, ">", sp.log(1 + j / (LEAST + k))),
        by_fact(
            "at both",
            "it is less at the larger one,",
            "a falling function at two points",
            {"f": growth * reached(at, epsilon), "argument": h, "low": low, "high": high},
            {"falls": "falls in c", "order": "two values"},
        ),
        inferred(
            "in delta",
            "which is that of the smaller delta.",
            reached(deviations(delta), epsilon) / delta,
            "<",
            reached(deviations(level), epsilon) / level,
            *("at both", "1/delta", "1/y", "j", "k", Use("log(1.25/delta)", weight=0)),
        ),
    )
    names = {"eps": epsilon, "x": larger, "delta": delta, "y": level}
    return Derivation(
        id="classical_gaussian_order.reached_share",
        title="The share of the claimed delta that the classical std reaches rises in eps and in delta",
        sources=("N24-Fig7-monotone",),
        hypotheses=(
            mean_shift.DEFINITE,
            Hypothesis("eps < x", larger > epsilon),
            Hypothesis("x <= 1", larger <= 1),
            Hypothesis("delta < y", level > delta),
            Hypothesis("y < 1", level < 1),
        ),
        steps=steps,
        result_step="slope",
        symbols={"epsilon": epsilon, "h": h},
        faults=(
            Fault("2 in place of 3", "slope", lambda rhs: weight * (half_width**2 - 2)),
            Fault("bracket that tends to 1", "bracket ends", lambda rhs: one),
            Fault("1.25 e^{-c^2}", "slope in c", lambda rhs: 2 * rhs),
            Fault("room up to 1", "room", lambda rhs: one / 4),
            Fault("share of the other delta", "in delta", lambda rhs: rhs * level / delta),
        ),
        concludes=tuple(Conclusion("N24-Fig7-monotone", end, names) for end in ("in eps", "in delta")),
    )


def _profile(shift: sp.Expr) -> sp.Expr:
    return Phi(shift / 2 - epsilon / shift) - sp.exp(epsilon) * Phi(-shift / 2 - epsilon / shift)


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
