"""The Gaussian mechanism's calibrations: classical, analytic, by a tail bound; how little noise can do."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift, mean_shift_order
from ndis_verify.symbolic.circulated_threshold import FROM, UP_TO, a, b, crossing
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.mills_ratio import mills_steps
from ndis_verify.symbolic.notation import below, beyond, held
from ndis_verify.symbolic.special_functions import Phi, as_erfc, phi
from ndis_verify.symbolic.statement_terms import quantity

x, c, u = sp.symbols("x c u", positive=True)
shift = sp.Symbol("Delta", positive=True)
edge = sp.Symbol("x", nonnegative=True)
epsilon = sp.Symbol("epsilon", positive=True)
room, extra = sp.symbols("v w", positive=True)
half, zero = sp.Rational(1, 2), sp.Integer(0)


def profile(s: sp.Expr, eps: sp.Expr) -> sp.Expr:
    """The closed form of the mechanism's divergence (mean_shift.hockey_stick) at shift s."""
    return Phi(s / 2 - eps / s) - sp.exp(eps) * Phi(-s / 2 - eps / s)


@cache
def tail_bound() -> Derivation:
    """`Pr[Z > x] <= e^{-x^2/2}/2` for a standard normal Z and x >= 0 (SL-2, SL-2-tail).

    `number`: the bound at `x` >= 0.
    """
    bound, turn = sp.exp(-(edge**2) / 2) / 2, sp.sqrt(2 / sp.pi)
    gap = bound - Phi(-edge)
    t, sigma = sp.Symbol("t", nonnegative=True), sp.Symbol("sigma", positive=True)
    steps = (
        Step("gap at 0", "Both are 1/2.", lhs=gap.subs(edge, 0), rhs=zero, reduce=as_erfc),
        Step("gap at infinity", "Both vanish.", lhs=sp.Limit(gap, edge, sp.oo), rhs=zero),
        Step(
            "rises",
            "The slope of the gap is phi(x) (1 - x sqrt(pi/2)): positive before sqrt(2/pi),",
            lhs=sp.Subs(sp.Derivative(gap, edge), edge, turn - below),
            rhs=zero,
            relation=">=",
            witness=phi(turn - below) * below * sp.sqrt(sp.pi / 2),
        ),
        Step(
            "falls",
            "negative after it.",
            lhs=sp.Subs(sp.Derivative(gap, edge), edge, turn + beyond),
            rhs=zero,
            relation="<=",
            witness=-phi(turn + beyond) * beyond * sp.sqrt(sp.pi / 2),
        ),
        by_fact(
            "the gap is nonnegative",
            "It rises from 0, then falls to 0.",
            "first up, then down",
            {"f": gap, "argument": edge, "turn": turn},
            {"start": "gap at 0", "rises": "rises", "falls": "falls", "end": "gap at infinity"},
        ),
        inferred("bound", "So the tail is at most", Phi(-edge), "<=", bound, Use("the gap is nonnegative", weight=-1)),
        Step("half of it", "half of the bound in the slides,", lhs=bound, rhs=zero, relation=">", witness=bound),
        inferred("strict", "which is strict.", Phi(-edge), "<", 2 * bound, "bound", Use("half of it", weight=-1)),
        inferred(
            "in standard deviations",
            "At x = t/sigma.",
            Phi(-t / sigma),
            "<",
            sp.exp(-(t**2) / (2 * sigma**2)),
            Use("strict", at={edge: t / sigma}),
        ),
    )
    return Derivation(
        id="gaussian_mechanism.tail_bound",
        title="An upper bound on the normal tail",
        sources=("SL-2",),
        hypotheses=(),
        steps=steps,
        result_step="bound",
        symbols={"x": edge},
        faults=(
            Fault("a quarter for a half", "bound", lambda rhs: rhs / 2),
            Fault("a third for the bound", "strict", lambda rhs: rhs / 3),
            Fault("gap does not start at 0", "gap at 0", lambda rhs: half),
        ),
        concludes=(Conclusion("SL-2-tail", "in standard deviations", {"t": t, "sigma": sigma}),),
    )


@cache
def zero_epsilon() -> Derivation:
    """At eps = 0 delta is `2 Phi(D/2) - 1 < D/sqrt(2 pi)`: std = Delta/(2 delta) suffices (BW-T2).

    `number`: the exact delta at `shift` = Delta/std.
    """
    delta, sigma, sensitivity = sp.symbols("delta sigma S", positive=True)
    y = sp.Symbol("y", real=True)
    total_variation, tangent = 2 * Phi(shift / 2) - 1, shift / sp.sqrt(2 * sp.pi)
    gap, fall = tangent - total_variation, sp.exp(-(shift**2) / 8)
    least = fall * shift**2 / 8 / sp.sqrt(2 * sp.pi)

    def divergence(at: sp.Expr) -> sp.Expr:
        return quantity("mean_shift", at, zero)

    steps = (
        Step("reflection", "Phi(-y) = 1 - Phi(y).", lhs=Phi(-y), rhs=1 - Phi(y), reduce=as_erfc),
        inferred(
            "exact delta",
            "The closed form at eps = 0, the total variation distance.",
            divergence(shift),
            "=",
            total_variation,
            Use("closed form", of=mean_shift.hockey_stick, at={mean_shift.epsilon: zero}),
            Use("reflection", at={y: shift / 2}),
        ),
        Step(
            "gap at 0",
            "D/sqrt(2 pi) and the total variation both vanish there.",
            lhs=sp.Limit(gap, shift, 0, "+"),
            rhs=zero,
            reduce=as_erfc,
        ),
        Step(
            "slope of the gap",
            "Their difference has the slope phi(0) - phi(D/2),",
            lhs=sp.Derivative(gap, shift),
            rhs=(1 - fall) / sp.sqrt(2 * sp.pi),
        ),
        by_fact(
            "e^{D^2/8}",
            "which is positive: e^{D^2/8} is more than 1,",
            "logarithm below its tangent",
            {"y": 1 / fall},
            {"positive": Step("positive", "An exponential.", 1 / fall, zero, ">", 1 / fall)},
        ),
        Step("more than 0", "by more than D^2/8.", least, zero, ">", least),
        inferred(
            "gap rises",
            "So the gap rises",
            sp.Derivative(gap, shift),
            ">",
            zero,
            *("slope of the gap", Use("e^{D^2/8}", weight=-fall / sp.sqrt(2 * sp.pi)), "more than 0"),
        ),
        by_fact(
            "gap",
            "and is positive.",
            "rises from 0",
            {"f": gap, "argument": shift},
            {"rises": "gap rises", "start": "gap at 0"},
        ),
        inferred(
            "below D/sqrt(2 pi)",
            "The total variation is less than D/sqrt(2 pi).",
            divergence(shift),
            "<",
            tangent,
            *(Use("gap", weight=-1), "exact delta"),
        ),
        inferred(
            "at Delta/sigma",
            "At the shift of the mechanism,",
            divergence(sensitivity / sigma),
            "=",
            2 * Phi(sensitivity / (2 * sigma)) - 1,
            Use("exact delta", at={shift: sensitivity / sigma}),
        ),
        inferred(
            "below the rate",
            "less than Delta/(sigma sqrt(2 pi)).",
            divergence(sensitivity / sigma),
            "<",
            sensitivity / (sigma * sp.sqrt(2 * sp.pi)),
            Use("below D/sqrt(2 pi)", at={shift: sensitivity / sigma}),
        ),
        Step(
            "std = Delta/(2 delta)",
            "Where D = 2 delta, that is a share of delta,",
            lhs=2 * delta / sp.sqrt(2 * sp.pi),
            rhs=delta,
            relation="<",
            witness=-delta * (1 - sp.sqrt(2 / sp.pi)),
        ),
        inferred(
            "enough",
            "so that std = Delta/(2 delta) is enough.",
            divergence(2 * delta),
            "<",
            delta,
            *(Use("below D/sqrt(2 pi)", at={shift: 2 * delta}), "std = Delta/(2 delta)"),
        ),
        Step(
            "constant",
            "delta std/Delta = (2 Phi(D/2) - 1)/D tends to 1/sqrt(2 pi).",
            lhs=sp.Limit((total_variation / shift).rewrite(sp.erf), shift, 0, "+"),
            rhs=1 / sp.sqrt(2 * sp.pi),
        ),
    )
    names = {"Delta": sensitivity, "sigma": sigma, "delta": delta}
    return Derivation(
        id="gaussian_mechanism.zero_epsilon",
        title="The Gaussian mechanism at eps = 0",
        sources=("BW-T2",),
        hypotheses=(mean_shift.DEFINITE,),
        steps=steps,
        result_step="exact delta",
        symbols={"shift": shift},
        faults=(
            Fault("one-sided tail", "exact delta", lambda rhs: rhs / 2),
            Fault("std = Delta/(4 delta) claimed", "std = Delta/(2 delta)", lambda rhs: rhs / 2),
            Fault("slope of the other sign", "slope of the gap", lambda rhs: -rhs),
            Fault("half the rate", "below the rate", lambda rhs: rhs / 2),
            Fault("constant 1/sqrt(pi)", "constant", lambda rhs: rhs * sp.sqrt(2)),
        ),
        concludes=(
            *(Conclusion("BW-T2", end, names) for end in ("at Delta/sigma", "below the rate", "enough")),
            Conclusion("BW-T2", "constant", part="no std of order o(1/delta)"),
        ),
    )


@cache
def exact_floor() -> Derivation:
    """At the shift sqrt(2 eps) delta is `d = 1/2 - e^eps Phi(-sqrt(2 eps))`, 1/2 - 1/sqrt(4 pi eps) < d < 1/2
    (BW-T4-corrected).

    `number`: d, at `epsilon` > 0.
    """
    at = sp.sqrt(2 * epsilon)
    tail = sp.exp(epsilon) * Phi(-at)
    floor = half - tail
    (mills, *_) = (one for one in mills_steps() if one.name == "upper Mills bound")
    steps = (
        Step("Phi(0)", "Half of the mass.", lhs=Phi(zero), rhs=half, reduce=as_erfc),
        inferred(
            "delta there",
            "The closed form where its first argument is 0.",
            quantity("mean_shift", at, epsilon),
            "=",
            floor,
            *(
                Use("closed form", of=mean_shift.hockey_stick, at={mean_shift.shift: at, mean_shift.epsilon: epsilon}),
                "Phi(0)",
            ),
        ),
        *(one for one in mills_steps() if one.name.startswith("upper Mills bound")),
        Step(
            "exponentials",
            "e^eps phi(sqrt(2 eps))/sqrt(2 eps): they cancel in full.",
            lhs=sp.exp(epsilon) * phi(at) / held(at),
            rhs=1 / sp.sqrt(4 * sp.pi * epsilon),
        ),
        inferred(
            "from below",
            "By the upper Mills bound.",
            floor,
            ">",
            half - 1 / sp.sqrt(4 * sp.pi * epsilon),
            *(Use(mills.name, at={x: at}, weight=sp.exp(epsilon)), "exponentials"),
        ),
        Step("tail", "A tail is positive,", lhs=tail, rhs=zero, relation=">", witness=tail),
        inferred("from above", "so less than 1/2 is left.", floor, "<", half, Use("tail", weight=-1)),
    )
    return Derivation(
        id="gaussian_mechanism.exact_floor",
        title="The delta below which no std under Delta/sqrt(2 eps) is enough",
        sources=("BW-T4",),
        hypotheses=(mean_shift.DEFINITE,),
        steps=steps,
        result_step="delta there",
        symbols={"epsilon": epsilon},
        faults=(
            Fault("factor e^eps dropped", "delta there", lambda rhs: half - Phi(-at)),
            Fault("e^{-3 eps} kept", "exponentials", lambda rhs: rhs * sp.exp(-3 * epsilon)),
            Fault("a third", "from above", lambda rhs: sp.Rational(1, 3)),
        ),
        concludes=tuple(
            Conclusion("BW-T4-corrected", end, {"eps": epsilon}) for end in ("delta there", "from below", "from above")
        ),
    )


@cache
def noise_floor() -> Derivation:
    """(eps, delta)-DP forces std >= Delta/sqrt(2 eps) exactly for `delta <= d` of `exact_floor`, and d rises from 0 to
    1/2 (BW-T4-corrected).

    `number`: that threshold at `epsilon` > 0.
    """
    floor = half - sp.exp(epsilon) * Phi(-sp.sqrt(2 * epsilon))
    in_x = half - sp.exp(x**2 / 2) * Phi(-x)
    (mills, *_) = (one for one in mills_steps() if one.name == "upper Mills bound")
    steps = (
        Step(
            "threshold",
            "The delta at which the smallest std is Delta/sqrt(2 eps).",
            lhs=floor.rewrite(sp.erfc),
            rhs=floor,
            reduce=lambda left, right: left - right.rewrite(sp.erfc),
        ),
        Step(
            "exactly",
            "The profile decreases strictly in std (BW-L7): delta <= threshold holds exactly where the smallest valid"
            " std is at least Delta/sqrt(2 eps).",
            kind="argument",
            premises=("threshold", Use("delta there", of=exact_floor)),
        ),
        *(one for one in mills_steps() if one.name.startswith("upper Mills bound")),
        inferred(
            "threshold increases",
            "Its slope in x = sqrt(2 eps) is x e^{x^2/2} times the gap of the upper Mills bound.",
            sp.Derivative(in_x, x),
            ">",
            zero,
            Use(mills.name, weight=x * sp.exp(x**2 / 2)),
        ),
        Step("threshold starts at 0", "At x = 0 the tail is 1/2.", lhs=in_x.subs(x, 0), rhs=zero, reduce=as_erfc),
        Step(
            "threshold tends to 1/2",
            "It lies between 1/2 - 1/sqrt(4 pi eps) and 1/2.",
            lhs=sp.Limit(1 / sp.sqrt(4 * sp.pi * epsilon), epsilon, sp.oo),
            rhs=zero,
            premises=(Use("from below", of=exact_floor), Use("from above", of=exact_floor)),
        ),
    )
    return Derivation(
        id="gaussian_mechanism.noise_floor",
        title="When (eps, delta)-DP forces std >= Delta/sqrt(2 eps)",
        sources=("BW-T4",),
        hypotheses=(mean_shift.DEFINITE,),
        steps=steps,
        result_step="threshold",
        symbols={"epsilon": epsilon},
        faults=(
            Fault("factor e^eps dropped", "threshold", lambda rhs: half - Phi(-sp.sqrt(2 * epsilon))),
            Fault("from 1/2", "threshold starts at 0", lambda rhs: half),
            Fault("no limit", "threshold tends to 1/2", lambda rhs: half),
        ),
        concludes=tuple(
            Conclusion("BW-T4-corrected", end, part=part)
            for end, part in (
                ("exactly", "that it is exact"),
                ("threshold increases", "that it rises"),
                ("threshold starts at 0", "from 0"),
                ("threshold tends to 1/2", "to 1/2"),
            )
        ),
    )


@cache
def circulated_floor() -> Derivation:
    """delta < 1/2 - e^{-3 eps}/sqrt(4 pi eps) forces std >= Delta/sqrt(2 eps), up to eps = 1/5 (BW-T4).

    `number`: 1/2 - e^eps Phi(-sqrt(2 eps)), which the form is below there, at `epsilon`.
    """
    delta, at, fifth = sp.Symbol("delta", positive=True), sp.sqrt(2 * epsilon), sp.Rational(1, 5)
    taken = sp.exp(-3 * epsilon) / sp.sqrt(4 * sp.pi * epsilon)
    floor = half - sp.exp(epsilon) * Phi(-at)
    farther = mean_shift_order.derivative_in_shift().concludes[0].symbols["E"]
    last, first = UP_TO.relation.rhs, FROM.relation.rhs
    small = Hypothesis("eps <= 1/5", epsilon <= fifth)
    below_form = Hypothesis("delta < 1/2 - e^{-3 eps}/sqrt(4 pi eps)", delta < half - taken)
    private = Hypothesis("delta_shift(D; eps) <= delta", sp.Le(quantity("mean_shift", shift, epsilon), delta))
    steps = (
        Step("1/5", "1/5 is not as far as 0.216282,", last, fifth, ">", last - fifth),
        inferred("eps", "nor is eps;", epsilon, "<=", last, Use("1/5", weight=-1), Use(small.text)),
        Step("1", "1 is beyond.", sp.Integer(1), first, ">", 1 - first),
        inferred(
            "form",
            "So the form is below the exact threshold (BW-T4-range),",
            floor,
            ">",
            half - taken,
            Use(
                "below",
                of=crossing,
                at={a: epsilon, b: sp.Integer(1)},
                granted={UP_TO.text: "eps", FROM.text: "1"},
                weight=-taken,
            ),
        ),
        inferred(
            "values",
            "which is the divergence at std = Delta/sqrt(2 eps): it is more than delta, and no less than that at D,",
            quantity("mean_shift", at, epsilon),
            ">=",
            quantity("mean_shift", shift, epsilon),
            "form",
            Use(below_form.text, weight=-1),
            Use(private.text, weight=-1),
            Use("delta there", of=exact_floor),
        ),
        Step("farther", "A shift of more than x,", 2 * x, x, ">", x),
        inferred(
            "rises",
            "and as the divergence rises with the shift (BW-L7),",
            sp.Derivative(quantity("mean_shift", x, epsilon), x),
            ">",
            zero,
            Use(
                "increasing",
                of=mean_shift_order.derivative_in_shift,
                at={mean_shift.shift: x, farther: 2 * x, mean_shift.epsilon: epsilon},
                granted={"E > Delta": "farther"},
            ),
        ),
        by_fact(
            "floor",
            "D is no larger shift.",
            "a rising function, two values",
            {"f": quantity("mean_shift", x, epsilon), "argument": x, "low": shift, "high": at},
            {"rises": "rises", "values": "values"},
        ),
    )
    return Derivation(
        id="gaussian_mechanism.circulated_floor",
        title="The noise floor below the threshold in circulation",
        sources=("BW-T4",),
        hypotheses=(mean_shift.DEFINITE, small, below_form, private),
        steps=steps,
        result_step="form",
        symbols={"epsilon": epsilon},
        faults=(
            Fault("e^eps dropped", "form", lambda rhs: half - sp.exp(-4 * epsilon) / sp.sqrt(4 * sp.pi * epsilon)),
            Fault("up to 1/4", "1/5", lambda rhs: sp.Rational(1, 4)),
            Fault("twice the divergence", "values", lambda rhs: 2 * rhs),
        ),
        concludes=(Conclusion("BW-T4", "floor", {"eps": epsilon, "delta": delta, "D": shift}),),
    )
