"""Slopes at kinks, what goes over symbols, limits, reductions and values, poles between points, and ends of domains."""

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, integrated, passes

from ndis_verify.claim import Outcome
from ndis_verify.court.proof_checks import ProofRun
from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_angles import xi
from ndis_verify.symbolic.facts_of_signs import inside, slope_inside, v, w
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.notation import (
    average,
    below,
    beyond,
    divergence,
    matrix_mean,
    normal,
    sign_changes,
    sphere_mean,
    supremum,
    transpose,
    x,
)
from ndis_verify.symbolic.special_functions import phi

held = sp.UnevaluatedExpr
zero, one, two, half = sp.Integer(0), sp.Integer(1), sp.Integer(2), sp.Rational(1, 2)
y, t, u, Y = sp.symbols("y t u Y", real=True)
above_0 = sp.Symbol("t", positive=True)


def _order(name, left, sign, right=zero, witness=None):
    return Step(name, "", left, right, sign, left - right if witness is None else witness)


def _held(value, sign, bound=zero):
    return Step("held", "", held(value), bound, sign, value - bound)


def _fact(name, fact, letters, conditions=None, premises=()):
    return by_fact(name, "", fact, letters, conditions or {}, premises=premises)


def _conditions(fact, letters, **other):
    """The conditions of a fact that ask for relations, as steps that say them."""
    found = {}
    for name, wanted in FACTS[fact].required.items():
        left, sign, right = wanted(letters)
        shown = held(left) if left == right else left
        found[name] = Step(name, "", shown, right, sign, None if sign == "=" else left - right)
    return found | other


def _wrong(*steps, hypotheses=()):
    return "; ".join(problems(derivation(steps, {}, hypotheses)))


def _holds(step, *before):
    return derivation((*before, step), {}).holds(step)


def _claim(text, *hypotheses, over="y"):
    return statement(text, *hypotheses, over=(real(over, -9, 9),))


def _sides(name, fact, f, g, argument, edge, sign="<="):
    """A relation of two functions, as it is written above an edge and below it."""
    shown = {}
    for key, at in (("above", edge + below), ("below", edge - beyond)):
        left, right = f.subs(argument, at), g.subs(argument, at)
        witness = sp.factor(sp.simplify(left - right)) if sign == "<=" else None
        shown[key] = Step(key, "", left if sign == "<=" else left + held(zero), right, sign, witness)
    return _fact(name, fact, {"f": f, "g": g, "argument": argument, "edge": edge}, shown)


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
    assert not passes(_claim("y >= y + 1"), steps, {"y": y})
    assert "Max(0, -t) has no slope at every point" in _wrong(*steps)
    assert _wrong(Step("end", "", second(t**4 + t**2), two)) == ""


def test_a_moment_is_a_slope_of_what_has_one():
    """y >= y + 1: the second moment of a normal variable was 0, its transform written with kinks."""
    smooth = sp.exp(t**2 / 2)
    kinks = sp.Max(t, 0) ** 2 + sp.Min(t, 0) ** 2 - t**2
    whole = sp.Integral(sp.exp(t * u) * phi(u), (u, -sp.oo, sp.oo))

    def moment(transform):
        letters = {"density": phi(u), "x": u, "power": two, "argument": t, "transform": transform}
        shown = {"density": _order("density", phi(u), ">="), "transform": "written"}
        return _fact("moment", "a moment as a slope of the moment generating function", letters, shown)

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
    assert not passes(_claim("y >= y + 1"), steps, {"y": y})
    assert "Max(0, t) has no slope at every point" in _wrong(*steps)
    assert "slope" not in _wrong(*start(smooth), moment(smooth))


def test_what_has_a_mean_slope_has_no_jump_behind_a_name():
    """y >= y + 1/4: Stein's identity of h, which jumps up at 0."""
    h = sp.Function("h", real=True)(Y)
    jump = sp.Piecewise((1 / (1 + sp.Abs(Y + 1)), Y > 0), (-1 / (1 + sp.Abs(Y - 1)), True))
    slope, q = sp.diff(jump, Y), sp.Rational(1, 4)

    def stein(meant, its_slope):
        letters = {"y": Y, "theta": zero, "std": one, "g": h, "slope": its_slope}
        named = (define(h, meant), infer("slope", sp.Derivative(h, Y), "=", its_slope, "h(Y)"))
        return *named, _fact("stein", "Stein's identity", letters, {"slope": "slope", "finite": "slope"})

    means = {"mean": average, "terms": [(one, slope), (q, one)]}
    ordered = {"pointwise": "pointwise", "integrable": "most"}
    edges = "both sides of an edge"
    steps = (
        *stein(jump, slope),
        _sides("more", edges, slope + q, Y * jump, Y, zero),
        _sides("at most", edges, Y * jump, one, Y, zero),
        _sides("at least", edges, zero, Y * jump, Y, zero),
        infer("pointwise", slope + q, "<=", Y * h, "more", "h(Y)"),
        infer("most", Y * h, "<=", one, "at most", "h(Y)"),
        infer("least", Y * h, ">=", zero, Use("at least", weight=-1), "h(Y)"),
        _fact("order", "means keep the order", {"mean": average, "f": slope + q, "g": Y * h}, ordered, ("least",)),
        _fact("linear", "means are linear", means, {"integrable": "pointwise"}),
        _fact("constant", "expectation of a constant", {"c": one}),
        infer("end", y, ">=", y + q, Use("order", weight=-1), "linear", "constant", "stein"),
    )
    assert not passes(_claim("y >= y + 1/4"), steps, {"y": y})
    assert "which may jump" in _wrong(*steps)
    assert "which may jump" not in _wrong(*stein(sp.atan(Y), 1 / (1 + Y**2)))


def test_a_log_concave_function_is_written_out_and_has_no_kink():
    """An overlap grew with the distance: of three bumps behind a name, and of a kink as a root."""
    fact = "overlap of two even log-concave functions"
    h = sp.Lambda(u, sp.exp(-4 * u**2))
    letters = {"h": h, "m": half, "k": zero}
    with pytest.raises(InputError, match="must be written out"):
        FACTS[fact].required["concave"](letters | {"g": sp.Lambda(u, sp.exp(sp.Function("bumps", real=True)(u)))})

    def overlap(g, concave):
        even = {"even": Step("e", "", held(g(x)), g(-x)), "other even": Step("e", "", held(h(x)), h(-x))}
        ends = {"low": _held(zero, ">="), "high": _held(zero, "<=", one)}
        shown = even | ends | {"concave": concave, "other concave": _held(sp.Integer(-8), "<=")}
        return _wrong(_fact("overlap", fact, letters | {"g": g}, shown))

    s = sp.sqrt(x**4 + x**2)
    slopes = 10 * (s * (3 + 2 * x**2) / (1 + x**2) ** 2 - 2 - 12 * x**2 - 30 * x**4)
    squares = half + (21 * x**2 + 57 * x**4 + 3 * (s - 1) ** 2) / 2 + 3 * s * x**2 / (1 + x**2)
    concave = _order("concave", slopes, "<=", zero, -10 * (squares + s * x**2 / (1 + x**2) ** 2))
    assert _holds(concave) is True
    found = overlap(sp.Lambda(u, sp.exp(10 * (sp.sqrt(u**4 + u**2) - u**2 - u**4 - u**6))), concave)
    assert "divides by x, which may be 0" in found and "is not shown" not in found
    assert overlap(h, _held(sp.Integer(-8), "<=")) == ""


# What functionals go over


def test_sign_changes_are_counted_along_one_symbol():
    """(x/(1+x)) (1 - 2 x/(1+x)) (1 - x/(1+x)) >= 0 for every x > 0: another function was put in the place of v."""
    X = sp.Symbol("X", positive=True)
    f, slope = v * (1 - 2 * v) * (1 - v), 6 * v**2 - 6 * v + 1
    shown = {
        "slope": Step("s", "", slope_inside(f), inside(slope)),
        "start": Step("start", "", f.subs(v, 0), zero),
        "up": Step("up", "", slope.subs(v, 0), zero, ">", one),
        "once": "none",
        "end": Step("e", "", f.subs(v, 1), zero, ">=", zero),
    }
    positive = {"positive": Step("p", "", inside(v), zero, ">", w / (1 + w))}
    sign = _fact("sign", "one sign throughout", {"c": one, "u": v}, positive)
    more = Step("one", "", zero, one, "<=", -one)
    none = infer("none", sign_changes(slope), "<=", one, Use("sign", at={v: slope}), "one")
    steps = (
        more,
        sign,
        none,
        _fact("first", "up first, and one turn", {"f": f, "slope": slope}, shown),
        infer("end", inside(f).subs(w, X), ">=", zero, Use("first", at={w: X})),
    )
    claim = statement("(x/(1+x)) (1 - 2 x/(1+x)) (1 - x/(1+x)) >= 0", "x > 0", over=(real("x", 0, 9),))
    assert not passes(claim, steps, {"x": X})
    assert "v: stands for other values" in _wrong(more, sign, none)
    assert _wrong(more, sign, infer("none", sign_changes(v), "<=", one, "sign", "one")) == ""


def test_a_mean_on_a_sphere_goes_over_its_coordinate():
    """The mean of -1 was not negative, nor that of xi 2^{e^{-xi}}, which is."""
    d = sp.Symbol("d", positive=True, integer=True)

    def more(h, k):
        shown = {"order": _held(h ** k.subs(xi, 0), ">=", one) if h == one else _held(one, ">=", zero)}
        return _fact("more", "more on the one side", {"h": h, "k": k, "d": d}, shown)

    end = infer("end", sphere_mean(d, -one), ">=", zero, Use("more", at={xi: -one}))
    assert "'more' has a mean over xi, which has no value there" in _wrong(more(one, zero), end)
    assert "'k' depends on xi, over which the fact goes" in _wrong(more(two, sp.exp(-xi)))
    assert "xi" not in _wrong(more(one, zero), infer("end", sphere_mean(d, xi), ">=", zero, "more"))


def test_a_mean_of_matrices_goes_over_what_is_drawn():
    """E A^T g g^T A, which is A^T A, was E 0."""
    A, g = letter("A"), letter("g")
    words = "G has independent standard normal entries"
    moments = [sp.Integral(t**power * phi(t), (t, -sp.oo, sp.oo)) for power in (1, 2)]
    letters = {"A": A, "A^T": transpose(A), "g": g, "g^T": transpose(g), "z": t}
    start = (
        *(integrated(f"m{k}", moments[k], sp.Integer(k)) for k in (0, 1)),
        _fact(
            "moments",
            "second moments of a linear image",
            letters,
            {"first": "m0", "second": "m1"} | {"independent": words},
        ),
    )
    for at, value, wrong in ((g, zero, True), (A, letter("B"), False)):
        of_A, of_B = transpose(A) * A, transpose(value) * value if value else transpose(A) * A
        left = matrix_mean((transpose(A) * g * transpose(g) * A).subs(at, value)) if value else matrix_mean(zero)
        found = _wrong(
            *start, infer("end", left, "=", matrix_mean(of_B), Use("moments", at={at: value})), hypotheses=(words,)
        )
        assert ("'moments' has a mean over g, which has no value there" in found) is wrong, of_A


def test_a_supremum_goes_over_its_parameters():
    """A divergence at distance 1 was at most that at 1/8: the parameter was 7."""
    first, second = sp.symbols("s a", positive=True)
    names = ("variance", "other variance", "limit variance", "other limit variance", "between", "limit", "edge")
    letters = dict.fromkeys((*names, "between edge"), one) | {"first": first, "second": second, "epsilon": t}
    letters |= dict.fromkeys(("distance", "least"), 1 / (1 + first))
    shown = _conditions("a limit of normal pairs", letters, all="a >= 1")
    step = _fact("limit", "a limit of normal pairs", letters, shown)
    least = supremum(divergence(normal(0, 1), normal(sp.Rational(1, 8), 1), t))
    end = infer("end", step.lhs, "<=", least, Use("limit", at={first: sp.Integer(7)}))
    all_ = Hypothesis("a >= 1", sp.Ge(second, 1))
    assert "'limit' has a mean over s, which has no value there" in _wrong(step, end, hypotheses=(all_,))
    assert _wrong(step, hypotheses=(all_,)) == ""


# Limits, signs, reductions, values and calls with a state


def test_a_limit_of_steps_is_not_the_value_at_the_place():
    """y >= y + 1: two ways to write a step at 5 had two limits from above."""
    five = sp.Integer(5)
    f, g = sp.sign(sp.Max(0, t - 5)), sp.Piecewise((1, t > 5), (0, True))
    limit = sp.Limit(f, t, 5, "+")
    steps = (
        _sides("equal", "equal on both sides of an edge", f, g, t, five, "="),
        Step("one", "", limit, one),
        infer("none", limit, "<=", zero, "equal"),
        infer("end", y, ">=", y + 1, Use("none", weight=-1), "one"),
    )
    assert not passes(_claim("y >= y + 1"), steps, {"y": y})
    assert _holds(steps[1]) is None and _holds(steps[2], steps[0]) is None
    assert _holds(Step("one", "", sp.Limit(sp.Max(t, 5) - 4, t, 5, "+"), one)) is True


def test_an_arctangent_of_what_may_be_0_is_not_positive():
    """(y + 1)^2 > y^2 + 2 y + 1: atan(|n - 3|) was positive at n = 3."""
    count = sp.Symbol("n", integer=True)
    f = sp.atan(sp.Abs(count - 3))
    steps = (
        _order("positive", f, ">"),
        infer("end", (y + 1) ** 2, ">", y**2 + 2 * y + 1, Use("positive", at={count: sp.Integer(3)})),
    )
    assert not passes(_claim("(y + 1)^2 > y^2 + 2 y + 1"), steps, {"y": y})
    assert _holds(steps[0]) is None
    assert _holds(_order("positive", f, ">=")) is True
    assert _holds(_order("positive", sp.atan(sp.Abs(count - 3) + 1), ">")) is True


def test_a_reduction_says_nothing_beyond_the_points_at_which_it_is_tried():
    """max(0, y - 1000) = 0."""
    step = Step("end", "", sp.Max(0, y - 1000), zero, reduce=lambda left, right: zero if right == 0 else left - right)
    assert not passes(_claim("max(0, y - 1000) <= 0"), (step,), {"y": y})
    assert "its sides differ somewhere in the domain" in _wrong(step)
    doubled = Step("end", "", sp.Max(0, 2 * y - 2000), 2 * sp.Max(0, y - 1000), reduce=lambda left, right: left - right)
    assert "differ" not in _wrong(doubled)


def test_what_holds_for_a_symbol_is_put_in_at_its_values():
    """y >= y + 2 - e^{-1}: max(t, 1 - e^t) = t for t > 0 was taken at t = -1."""
    other = 1 - sp.exp(above_0)
    f = sp.Max(above_0, other)
    value = sp.Subs(f, above_0, -one)
    shown = {"one": Step("s", "", above_0, above_0, "<=", zero), "other": "other"}
    letters = {"one": above_0, "other": other, "bound": above_0}
    exponentials = {"order": _order("o", zero, "<=", above_0)}
    steps = (
        _fact("e", "exponentials keep the order", {"a": zero, "b": above_0}, exponentials),
        _order("t", -above_0, "<="),
        infer("other", other, "<=", above_0, "e", "t"),
        _fact("most", "larger of two numbers", letters, shown),
        Step("least", "", above_0, f, "<=", -sp.Max(0, other - above_0)),
        _fact("equal", "neither is greater", {"one": f, "other": above_0}, {"one": "most", "other": "least"}),
        infer("low", value, "<=", -one, "equal"),
        Step("value", "", value, 1 - sp.exp(-one)),
        infer("end", y, ">=", y + 2 - sp.exp(-one), Use("low", weight=-1), "value"),
    )
    assert not passes(_claim("y >= y + 2 - e^(-1)"), steps, {"y": y})
    assert _holds(steps[6], *steps[:6]) is not True
    assert _holds(infer("low", sp.Subs(f, above_0, half), "<=", half, "equal"), *steps[:6]) is True


def test_what_is_put_in_has_no_jumps():
    """y >= y + 1: 0, -1 and 0 are no function that goes up and then down; the jumps spoke of a bound symbol."""
    at = sp.Symbol("t", nonnegative=True)
    jumps = sp.Piecewise((0, u < 1), (-1, u < 2), (0, True))
    fact = "up, then down, above what tends to 0"

    def up(f, under):
        letters = {"f": f, "argument": at, "turn": one, "under": under}
        shown = {
            "start": _order("start", held(f.subs(at, 0)), ">=", zero, zero),
            "turns": Step("turns", "", FACTS[fact].required["turns"](letters)[0], zero, ">=", zero),
            "above": "above",
            "end": Step("end of it", "", sp.Limit(under, at, sp.oo), zero),
        }
        return _fact("up", fact, letters, shown)

    f, under, low = sp.Subs(jumps, u, at), -sp.exp(2 - at), sp.Subs(jumps, u, 2 - beyond)
    edges = {
        "above": _order("v", under.subs(at, 2 + below), "<=", sp.Subs(jumps, u, 2 + below), -sp.exp(-below)),
        "below": "low",
    }
    letters = {"f": under, "g": f, "argument": at, "edge": two}
    exponentials = {"order": _order("o", zero, "<=", beyond)}
    steps = (
        _fact("E", "exponentials keep the order", {"a": zero, "b": beyond}, exponentials),
        _order("P", low, ">=", -one, sp.piecewise_fold(low.doit() + 1)),
        infer("low", -sp.exp(beyond), "<=", low, "E", Use("P", weight=-1)),
        _fact("both", "both sides of an edge", letters, edges),
        infer("above", f, ">=", under, Use("both", weight=-1)),
        up(f, under),
        infer("end", y, ">=", y + 1, Use("up", at={at: sp.Rational(3, 2)})),
    )
    assert not passes(_claim("y >= y + 1"), steps, {"y": y})
    assert f"'f' has {jumps}, which may jump" in _wrong(*steps)
    assert "jump" not in _wrong(_order("above", sp.exp(-at), ">=", under), up(sp.exp(-at), under))


def test_a_mean_is_asked_once_what_it_is():
    """y >= y + 1 - e^{-5}: one mean went from 0 on for f and from 5 on for g."""
    at = sp.Symbol("u", nonnegative=True)
    calls = []

    def mean(f):
        calls.append(f)
        return sp.Integral(f, (at, zero if len(calls) % 2 else sp.Integer(5), sp.oo))

    f = sp.exp(-at)
    shown = {"pointwise": Step("p", "", f, f, "<=", zero), "integrable": "one"}
    steps = (
        integrated("one", sp.Integral(f, (at, 0, sp.oo)), one),
        integrated("other", sp.Integral(f, (at, 5, sp.oo)), sp.exp(-5)),
        _fact("order", "means keep the order", {"mean": mean, "f": f, "g": f}, shown),
        infer("end", y, ">=", y + 1 - sp.exp(-5), Use("order", weight=-1), "one", "other"),
    )
    assert not passes(_claim("y >= y + 1 - e^(-5)"), steps, {"y": y})
    assert steps[2].lhs == steps[2].rhs and len(calls) == 1


def test_a_lemma_is_asked_for_once():
    """y <= y - 1: a lemma was a false one when it was used, and a true one when it was looked at."""

    def lemma(right):
        steps = (_order("end", t, "<=", right, t - right),)
        ends = (Conclusion("OTHER", "end", part="a part"),)
        return Derivation("a.lemma", "of something", (), (), steps, "end", {"t": t}, concludes=ends)

    def held_by_the_court(steps):
        return ProofRun(lambda: derivation(steps, {"y": y}))("quick").outcome is Outcome.HELD

    good, bad = lemma(t + 1), lemma(t - 1)
    for false_one in range(1, 33):
        calls = []

        def of(calls=calls, false_one=false_one):
            calls.append(1)
            return bad if len(calls) == false_one else good

        steps = (infer("end", y, "<=", y - 1, Use("end", of=of, at={t: y})),)
        assert not held_by_the_court(steps) and len(calls) == 1
    assert held_by_the_court((infer("end", y, "<=", y + 1, Use("end", of=lambda: good, at={t: y})),))


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
        shown = {"falls" if sign == "<" else "rises": _order("slope", slope, sign)}
        if "values" in fact:
            shown["values"] = _order("values", f.subs(t, high), ">=", f.subs(t, low))
        else:
            shown["order"] = _order("order", high, ">", low)
        return _fact("f", fact, {"f": f, "argument": t, "low": low, "high": high}, shown)

    far = sp.pi / 2 if "pi" in text else two
    steps = (ordered(low, high), infer("end", y + far, "<=", y, Use("f", weight=-1 if far == two else 1)))
    assert not passes(_claim(text), steps, {"y": y})
    assert "divides by t, which may be 0" in _wrong(*steps)
    assert "values" in fact or "divides" not in _wrong(ordered(one, two))


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
            "rises": _order("rises", slope, ">="),
            "convex": _order("convex", *second),
            "low": "l_i >= 0",
            "high": "high",
            "sum": "sum_i l_i <= 2",
            "rest": _held(zero, ">="),
            "rest at most": _held(zero, "<=", two),
            "whole": _held(one, ">="),
        }
        letters = {"f": f, "argument": t, "l": l_, "cap": two, "rest": zero, "n": one}
        high = infer("high", each, "<=", two, Use("l_i < 1"), "more")
        return _wrong(
            _order("more", one, "<=", two), high, _fact("corner", fact, letters, shown), hypotheses=hypotheses
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
        shown = {"rises": _order("rises", its_slope, ">"), "order": _order("order", high, ">")}
        if "supremum" in fact:
            letters |= {"at": zero}
            shown = {"low": _held(zero, ">="), "high": _order("high", zero, "<=", high)}
        assert ("which may jump" in _wrong(_fact("f", fact, letters, shown))) is wrong


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
        return _fact("falls", "does not fall from 0", {"f": f, "argument": at}, shown)

    f = at + sp.exp(-1) - whole
    end = infer("end", at + sp.exp(-1), ">=", one, "falls", "whole")
    steps = (says, falls(f, Step("start", "", sp.Subs(f, at, 0), zero)), end)
    assert not passes(_claim("y + e^(-1) >= 1", "y > 0"), steps, {"y": at})
    assert "which may jump" in _wrong(*steps)
    assert "jump" not in _wrong(falls(at, Step("start", "", sp.Subs(at, at, 0), zero)))


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
        _order("square", (2 - at) ** 2 * sp.exp(-at), ">="),
        _order("positive", at * sp.exp(-at), ">="),
        _fact("up", "up, then down, above what tends to 0", letters, shown),
        infer("end", (at - 1) * sp.exp(-at), ">=", zero, "up", "whole"),
    )
    assert not passes(_claim("(y - 1) e^(-y) >= 0", "y > 0"), steps, {"y": at})
    assert "which may jump" in _wrong(*steps)


# What a hypothesis says of an argument, or of the point


def test_a_hypothesis_says_nothing_of_what_a_fact_goes_over():
    """(t + 1)^2 > t^2 + 2 t + 1 where t < 0: atan(1/t) falls to 0, and a division by t was none by 0."""
    negative = Hypothesis("t < 0", t < 0)

    def falls(f, slope):
        shown = {"falls": _order("falling", slope, "<"), "end": Step("e", "", sp.Limit(f, t, sp.oo), zero)}
        return _fact("falls", "falls to 0", {"f": f, "argument": t}, shown)

    step = falls(sp.atan(1 / t), -1 / (1 + t**2))
    uses = (Use("falls"), Use("falls", at={t: -t}), Use("t < 0", weight=0))
    steps = (step, infer("end", (t + 1) ** 2, ">", t**2 + 2 * t + 1, *uses))
    assert not passes(_claim("(t + 1)^2 > t^2 + 2 t + 1", "t < 0", over="t"), steps, {"t": t}, (negative,))
    assert "divides by t, which may be 0" in _wrong(*steps, hypotheses=(negative,))
    assert "divides" not in _wrong(falls(sp.exp(-t), -sp.exp(-t)))


def test_a_hypothesis_says_nothing_of_the_point_of_a_set():
    """The integral of e^{-x^2} over |x| >= 1 was that over x >= 1: x > 0 was known."""
    square = _order("square", y**2, ">=")
    positive = Hypothesis("x > 0", x > 0)
    for a, wrong in ((2 * sp.log(x), True), (sp.log(x**2 + 1), False)):
        letters = {"f": sp.exp(-(x**2)), "a": a, "b": zero}
        step = _fact("set", "one set, by logarithms", letters, {"integrable": "square"})
        end = infer("end", step.lhs, "=", step.rhs, "set", Use("x > 0", weight=0))
        found = _wrong(square, step, end, hypotheses=(positive,))
        assert ("takes a root or a logarithm of x, which may be negative" in found) is wrong
