"""Slopes at kinks, poles between two points, ends of domains, and what hypotheses say of arguments."""

import pytest
import sympy as sp
from steps_by_hand import (
    claimed,
    evident,
    half,
    held,
    holds,
    in_order,
    of_fact,
    on_both_sides,
    one,
    two,
    wrong_with,
    zero,
)
from whole_proofs import define, infer, integrated, passes

from ndis_verify.exact_number import InputError
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.notation import average, beyond, x
from ndis_verify.symbolic.special_functions import phi

y, t, u, Y = sp.symbols("y t u Y", real=True)
above_0 = sp.Symbol("t", positive=True)


# Slopes at kinks


def test_a_slope_of_what_has_a_kink_is_not_taken():
    """a >= a + 1: max(t, 0)^2 + max(-t, 0)^2 is t^2, and had the second slope 1 at 0."""

    def second(f):
        return sp.Subs(sp.Derivative(f, (t, 2)), t, 0)

    square = sp.Max(t, 0) ** 2 + sp.Max(-t, 0) ** 2
    steps = (
        Step("square", "", square, t**2),
        Step("one", "", second(square), one),
        infer("two", second(square), ">=", two, "square"),
        infer("end", y, ">=", y + 1, "two", "one"),
    )
    assert not passes(claimed("y >= y + 1"), steps, {"y": y})
    assert "Max(0, -t) has no slope at every point" in wrong_with(*steps)
    assert wrong_with(Step("end", "", second(t**4 + t**2), two)) == ""


def test_a_moment_is_a_slope_of_what_has_one():
    """y >= y + 1: the second moment of a normal variable was 0, its transform written with kinks."""
    smooth = sp.exp(t**2 / 2)
    kinks = sp.Max(t, 0) ** 2 + sp.Min(t, 0) ** 2 - t**2
    whole = sp.Integral(sp.exp(t * u) * phi(u), (u, -sp.oo, sp.oo))

    def moment(transform):
        letters = {"density": phi(u), "x": u, "power": two, "argument": t, "transform": transform}
        shown = {"density": in_order("density", phi(u), ">="), "transform": "written"}
        return of_fact("moment", "a moment as a slope of the moment generating function", letters, shown)

    def start(transform):
        value = Step("value", "", whole, smooth, reduce=lambda left, right: sp.simplify(left.doit() - right))
        return value, Step("none", "", kinks, zero), infer("written", whole, "=", transform, "value", "none")

    step = moment(smooth + kinks)
    steps = (
        *start(smooth + kinks),
        step,
        infer("zero", step.lhs, "=", zero, "moment"),
        infer("most", step.lhs, "<=", zero, "zero"),
        integrated("true", step.lhs, one),
        infer("least", step.lhs, ">=", one, "true"),
        infer("end", y, ">=", y + 1, Use("most", weight=-1), "least"),
    )
    assert not passes(claimed("y >= y + 1"), steps, {"y": y})
    assert "Max(0, t) has no slope at every point" in wrong_with(*steps)
    assert "slope" not in wrong_with(*start(smooth), moment(smooth))


def test_what_has_a_mean_slope_has_no_jump_behind_a_name():
    """y >= y + 1/4: Stein's identity of h, which jumps up at 0."""
    h = sp.Function("h", real=True)(Y)
    jump = sp.Piecewise((1 / (1 + sp.Abs(Y + 1)), Y > 0), (-1 / (1 + sp.Abs(Y - 1)), True))
    slope, q = sp.diff(jump, Y), sp.Rational(1, 4)

    def stein(meant, its_slope):
        letters = {"y": Y, "theta": zero, "std": one, "g": h, "slope": its_slope}
        named = (define(h, meant), infer("slope", sp.Derivative(h, Y), "=", its_slope, "h(Y)"))
        return *named, of_fact("stein", "Stein's identity", letters, {"slope": "slope", "finite": "slope"})

    means = {"mean": average, "terms": [(one, slope), (q, one)]}
    ordered = {"pointwise": "pointwise", "integrable": "most"}
    steps = (
        *stein(jump, slope),
        on_both_sides("more", slope + q, Y * jump, Y, zero),
        on_both_sides("at most", Y * jump, one, Y, zero),
        on_both_sides("at least", zero, Y * jump, Y, zero),
        infer("pointwise", slope + q, "<=", Y * h, "more", "h(Y)"),
        infer("most", Y * h, "<=", one, "at most", "h(Y)"),
        infer("least", Y * h, ">=", zero, Use("at least", weight=-1), "h(Y)"),
        of_fact("order", "means keep the order", {"mean": average, "f": slope + q, "g": Y * h}, ordered, ("least",)),
        of_fact("linear", "means are linear", means, {"integrable": "pointwise"}),
        of_fact("constant", "expectation of a constant", {"c": one}),
        infer("end", y, ">=", y + q, Use("order", weight=-1), "linear", "constant", "stein"),
    )
    assert not passes(claimed("y >= y + 1/4"), steps, {"y": y})
    assert "which may jump" in wrong_with(*steps)
    assert "which may jump" not in wrong_with(*stein(sp.atan(Y), 1 / (1 + Y**2)))


def test_a_log_concave_function_is_written_out_and_has_no_kink():
    """An overlap grew with the distance: of three bumps behind a name, and of a kink as a root."""
    fact = "overlap of two even log-concave functions"
    h = sp.Lambda(u, sp.exp(-4 * u**2))
    letters = {"h": h, "m": half, "k": zero}
    with pytest.raises(InputError, match="must be written out"):
        FACTS[fact].required["concave"](letters | {"g": sp.Lambda(u, sp.exp(sp.Function("bumps", real=True)(u)))})

    def overlap(g, concave):
        even = {"even": Step("e", "", held(g(x)), g(-x)), "other even": Step("e", "", held(h(x)), h(-x))}
        ends = {"low": evident(zero, ">="), "high": evident(zero, "<=", one)}
        shown = even | ends | {"concave": concave, "other concave": evident(sp.Integer(-8), "<=")}
        return wrong_with(of_fact("overlap", fact, letters | {"g": g}, shown))

    s = sp.sqrt(x**4 + x**2)
    slopes = 10 * (s * (3 + 2 * x**2) / (1 + x**2) ** 2 - 2 - 12 * x**2 - 30 * x**4)
    squares = half + (21 * x**2 + 57 * x**4 + 3 * (s - 1) ** 2) / 2 + 3 * s * x**2 / (1 + x**2)
    concave = in_order("concave", slopes, "<=", zero, -10 * (squares + s * x**2 / (1 + x**2) ** 2))
    assert holds(concave) is True
    found = overlap(sp.Lambda(u, sp.exp(10 * (sp.sqrt(u**4 + u**2) - u**2 - u**4 - u**6))), concave)
    assert "divides by x, which may be 0" in found and "is not shown" not in found
    assert overlap(h, evident(sp.Integer(-8), "<=")) == ""


# Poles between two points, and ends of a domain


@pytest.mark.parametrize(
    ("fact", "sign", "f", "low", "high", "text"),
    [
        ("a rising function at two points", ">", -sp.atan(1 / t), -one, one, "y + pi/2 <= y"),
        ("a falling function at two points", "<", sp.atan(1 / t), -one, one, "y + pi/2 <= y"),
        ("a rising function, two values", ">", -sp.atan(1 / t), one, -one, "y + 2 <= y"),
    ],
)
def test_a_function_of_one_slope_has_no_pole_between_two_points(fact, sign, f, low, high, text):
    slope = 1 / (1 + t**2) if sign == ">" else -1 / (1 + t**2)

    def ordered(low, high):
        shown = {"falls" if sign == "<" else "rises": in_order("slope", slope, sign)}
        if "values" in fact:
            shown["values"] = in_order("values", f.subs(t, high), ">=", f.subs(t, low))
        else:
            shown["order"] = in_order("order", high, ">", low)
        return of_fact("f", fact, {"f": f, "argument": t, "low": low, "high": high}, shown)

    far = sp.pi / 2 if "pi" in text else two
    steps = (ordered(low, high), infer("end", y + far, "<=", y, Use("f", weight=-1 if far == two else 1)))
    assert not passes(claimed(text), steps, {"y": y})
    assert "divides by t, which may be 0" in wrong_with(*steps)
    assert "values" in fact or "divides" not in wrong_with(ordered(one, two))


def test_a_convex_function_below_a_corner_has_no_pole_there():
    """2.99 <= 2.43: l^2 - atan(1/(l - 1)) - pi/4 jumps down at 1, and is convex at all other points."""
    fact = "a sum of a convex function below a corner"
    l_ = sp.Symbol("l_", real=True)
    each = entry(l_)
    relations = {"l_i >= 0": each >= 0, "l_i < 1": each < 1, "sum_i l_i <= 2": sp.Le(total_of(each), 2)}
    hypotheses = tuple(Hypothesis(text, relation) for text, relation in relations.items())

    def corner(f, slope, second):
        shown = {
            "at 0": Step("at 0", "", sp.Subs(f, t, 0), zero),
            "rises": in_order("rises", slope, ">="),
            "convex": in_order("convex", *second),
            "low": "l_i >= 0",
            "high": "high",
            "sum": "sum_i l_i <= 2",
            "rest": evident(zero, ">="),
            "rest at most": evident(zero, "<=", two),
            "whole": evident(one, ">="),
        }
        letters = {"f": f, "argument": t, "l": l_, "cap": two, "rest": zero, "n": one}
        high = infer("high", each, "<=", two, Use("l_i < 1"), "more")
        return wrong_with(
            in_order("more", one, "<=", two), high, of_fact("corner", fact, letters, shown), hypotheses=hypotheses
        )

    at = 2 / (1 + beyond)
    terms = 5 * beyond**4 + 2 * beyond**3 + 8 * (beyond - sp.Rational(1, 8)) ** 2 + 3 - sp.Rational(1, 8)
    second = (2 - 2 * (at - 1) / (1 + (at - 1) ** 2) ** 2, ">=", zero, terms / (2 * (1 + beyond**2) ** 2))
    found = corner(t**2 - sp.atan(1 / (t - 1)) - sp.pi / 4, 2 * at + 1 / (1 + (at - 1) ** 2), second)
    assert "divides by w - 1, which may be 0" in found and "is not shown" not in found
    assert corner(t**2, 2 * at, (held(two), ">=", zero, two)) == ""


@pytest.mark.parametrize("fact", ["a rising function at two points", "a value of a supremum over an interval"])
def test_a_function_is_looked_at_where_its_domain_ends(fact):
    """1 <= 0.44: t^(1/(1 + log(1 + 1/t))) tends to 1/e at 0, where SymPy writes 1 for it."""
    M = 1 + sp.log(1 + 1 / above_0)
    f = above_0 ** (1 / M)
    at, log = above_0, sp.log
    slope = f / (at * M**2) * (1 + log(1 + 1 / at) * at / (1 + at) + log(1 + at) / (1 + at))
    high = sp.Rational(1, 100)
    for own, its_slope, wrong in ((f, slope, True), (2 * at, two, False)):
        letters = {"f": own, "argument": at, "low": zero, "high": high}
        shown = {"rises": in_order("rises", its_slope, ">"), "order": in_order("order", high, ">")}
        if "supremum" in fact:
            letters |= {"at": zero}
            shown = {"low": evident(zero, ">="), "high": in_order("high", zero, "<=", high)}
        assert ("which may jump" in wrong_with(of_fact("f", fact, letters, shown))) is wrong


def _one_at_every_point():
    """What is 1 at every t > 0, and 1/e at 0 for SymPy."""
    log = sp.log(1 + 1 / above_0)
    whole = sp.exp(-1) * above_0 ** (-1 / log) * (1 + above_0) ** (1 / log)

    def reduced(left, right):
        opened = sp.expand_log(sp.log(left), force=True)
        return sp.simplify(opened.subs(log, sp.log(1 + above_0) - sp.log(above_0))) if right == 1 else left - right

    return whole, Step("whole", "", whole, one, reduce=reduced)


def test_what_does_not_fall_from_0_starts_there():
    """y + 1/e >= 1 for every y > 0."""
    at, (whole, says) = above_0, _one_at_every_point()

    def falls(f, start):
        shown = {"rises": Step("rises", "", sp.Derivative(f, at), zero, ">=", one), "start": start}
        return of_fact("falls", "does not fall from 0", {"f": f, "argument": at}, shown)

    f = at + sp.exp(-1) - whole
    end = infer("end", at + sp.exp(-1), ">=", one, "falls", "whole")
    steps = (says, falls(f, Step("start", "", sp.Subs(f, at, 0), zero)), end)
    assert not passes(claimed("y + e^(-1) >= 1", "y > 0"), steps, {"y": at})
    assert "which may jump" in wrong_with(*steps)
    assert "jump" not in wrong_with(falls(at, Step("start", "", sp.Subs(at, at, 0), zero)))


def test_what_goes_up_and_then_down_starts_at_0():
    """(y - 1) e^{-y} >= 0 for every y > 0."""
    at, (whole, says) = above_0, _one_at_every_point()
    f = (at + 1 - 2 * whole) * sp.exp(-at)
    shown = {
        "start": Step("start", "", f.subs(at, 0), zero, ">=", 1 - 2 * sp.exp(-1)),
        "turns": infer("turns", (2 - at) * sp.Derivative(f, at), ">=", zero, "whole", "square"),
        "above": infer("above", f, ">=", -sp.exp(-at), "whole", "positive"),
        "end": Step("end of it", "", sp.Limit(-sp.exp(-at), at, sp.oo), zero),
    }
    letters = {"f": f, "argument": at, "turn": two, "under": -sp.exp(-at)}
    steps = (
        says,
        in_order("square", (2 - at) ** 2 * sp.exp(-at), ">="),
        in_order("positive", at * sp.exp(-at), ">="),
        of_fact("up", "up, then down, above what tends to 0", letters, shown),
        infer("end", (at - 1) * sp.exp(-at), ">=", zero, "up", "whole"),
    )
    assert not passes(claimed("(y - 1) e^(-y) >= 0", "y > 0"), steps, {"y": at})
    assert "which may jump" in wrong_with(*steps)


# What a hypothesis says of an argument, or of the point


def test_a_hypothesis_says_nothing_of_what_a_fact_goes_over():
    """(t + 1)^2 > t^2 + 2 t + 1 where t < 0: atan(1/t) falls to 0, and a division by t was none by 0."""
    negative = Hypothesis("t < 0", t < 0)

    def falls(f, slope):
        shown = {"falls": in_order("falling", slope, "<"), "end": Step("e", "", sp.Limit(f, t, sp.oo), zero)}
        return of_fact("falls", "falls to 0", {"f": f, "argument": t}, shown)

    step = falls(sp.atan(1 / t), -1 / (1 + t**2))
    uses = (Use("falls"), Use("falls", at={t: -t}), Use("t < 0", weight=0))
    steps = (step, infer("end", (t + 1) ** 2, ">", t**2 + 2 * t + 1, *uses))
    assert not passes(
        claimed("(t + 1)^2 > t^2 + 2 t + 1", "t < 0", over=(real("t", -9, 9),)), steps, {"t": t}, (negative,)
    )
    assert "divides by t, which may be 0" in wrong_with(*steps, hypotheses=(negative,))
    assert "divides" not in wrong_with(falls(sp.exp(-t), -sp.exp(-t)))


def test_a_hypothesis_says_nothing_of_the_point_of_a_set():
    """The integral of e^{-x^2} over |x| >= 1 was that over x >= 1: x > 0 was known."""
    square = in_order("square", y**2, ">=")
    positive = Hypothesis("x > 0", x > 0)
    for a, wrong in ((2 * sp.log(x), True), (sp.log(x**2 + 1), False)):
        letters = {"f": sp.exp(-(x**2)), "a": a, "b": zero}
        step = of_fact("set", "one set, by logarithms", letters, {"integrable": "square"})
        end = infer("end", step.lhs, "=", step.rhs, "set", Use("x > 0", weight=0))
        found = wrong_with(square, step, end, hypotheses=(positive,))
        assert ("takes a root or a logarithm of x, which may be negative" in found) is wrong
