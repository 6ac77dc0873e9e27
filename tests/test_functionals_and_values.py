"""What functionals go over, limits, signs, reductions, values that are put in, and calls with a state."""

import sympy as sp
from steps_by_hand import (
    claimed,
    conditions_of,
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
from whole_proofs import derivation, infer, integrated, passes

from ndis_verify.claim import Outcome
from ndis_verify.court.proof_checks import ProofRun
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_angles import xi
from ndis_verify.symbolic.facts_of_signs import inside, slope_inside, v, w
from ndis_verify.symbolic.notation import (
    below,
    beyond,
    divergence,
    matrix_mean,
    normal,
    sign_changes,
    sphere_mean,
    supremum,
    transpose,
)
from ndis_verify.symbolic.special_functions import phi

y, t, u = sp.symbols("y t u", real=True)
above_0 = sp.Symbol("t", positive=True)


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
    sign = of_fact("sign", "one sign throughout", {"c": one, "u": v}, positive)
    more = Step("one", "", zero, one, "<=", -one)
    none = infer("none", sign_changes(slope), "<=", one, Use("sign", at={v: slope}), "one")
    steps = (
        more,
        sign,
        none,
        of_fact("first", "up first, and one turn", {"f": f, "slope": slope}, shown),
        infer("end", inside(f).subs(w, X), ">=", zero, Use("first", at={w: X})),
    )
    claim = statement("(x/(1+x)) (1 - 2 x/(1+x)) (1 - x/(1+x)) >= 0", "x > 0", over=(real("x", 0, 9),))
    assert not passes(claim, steps, {"x": X})
    assert "v: stands for other values" in wrong_with(more, sign, none)
    assert wrong_with(more, sign, infer("none", sign_changes(v), "<=", one, "sign", "one")) == ""


def test_a_mean_on_a_sphere_goes_over_its_coordinate():
    """The mean of -1 was not negative, nor that of xi 2^{e^{-xi}}, which is."""
    d = sp.Symbol("d", positive=True, integer=True)

    def more(h, k):
        shown = {"order": evident(h ** k.subs(xi, 0), ">=", one) if h == one else evident(one, ">=", zero)}
        return of_fact("more", "more on the one side", {"h": h, "k": k, "d": d}, shown)

    end = infer("end", sphere_mean(d, -one), ">=", zero, Use("more", at={xi: -one}))
    assert "'more' has a mean over xi, which has no value there" in wrong_with(more(one, zero), end)
    assert "'k' depends on xi, over which the fact goes" in wrong_with(more(two, sp.exp(-xi)))
    assert "xi" not in wrong_with(more(one, zero), infer("end", sphere_mean(d, xi), ">=", zero, "more"))


def test_a_mean_of_matrices_goes_over_what_is_drawn():
    """E A^T g g^T A, which is A^T A, was E 0."""
    A, g = letter("A"), letter("g")
    words = "G has independent standard normal entries"
    moments = [sp.Integral(t**power * phi(t), (t, -sp.oo, sp.oo)) for power in (1, 2)]
    letters = {"A": A, "A^T": transpose(A), "g": g, "g^T": transpose(g), "z": t}
    start = (
        *(integrated(f"m{k}", moments[k], sp.Integer(k)) for k in (0, 1)),
        of_fact(
            "moments",
            "second moments of a linear image",
            letters,
            {"first": "m0", "second": "m1"} | {"independent": words},
        ),
    )
    end = infer("end", matrix_mean(zero), "=", matrix_mean(transpose(A) * A), Use("moments", at={g: zero}))
    found = wrong_with(*start, end, hypotheses=(words,))
    assert "'moments' has a mean over g, which has no value there" in found
    B = letter("B")
    sides = matrix_mean(transpose(B) * g * transpose(g) * B), "=", matrix_mean(transpose(B) * B)
    end = infer("end", *sides, Use("moments", at={A: B}))
    assert "has a mean over" not in wrong_with(*start, end, hypotheses=(words,))


def test_a_supremum_goes_over_its_parameters():
    """A divergence at distance 1 was at most that at 1/8: the parameter was 7."""
    first, second = sp.symbols("s a", positive=True)
    names = ("variance", "other variance", "limit variance", "other limit variance", "between", "limit", "edge")
    letters = dict.fromkeys((*names, "between edge"), one) | {"first": first, "second": second, "epsilon": t}
    letters |= dict.fromkeys(("distance", "least"), 1 / (1 + first))
    shown = {"all": "a >= 1"} | conditions_of("a limit of normal pairs", letters)
    step = of_fact("limit", "a limit of normal pairs", letters, shown)
    least = supremum(divergence(normal(0, 1), normal(sp.Rational(1, 8), 1), t))
    end = infer("end", step.lhs, "<=", least, Use("limit", at={first: sp.Integer(7)}))
    all_ = Hypothesis("a >= 1", sp.Ge(second, 1))
    assert "'limit' has a mean over s, which has no value there" in wrong_with(step, end, hypotheses=(all_,))
    assert wrong_with(step, hypotheses=(all_,)) == ""


# Limits, signs, reductions, values and calls with a state


def test_a_limit_of_steps_is_not_the_value_at_the_place():
    """y >= y + 1: two ways to write a step at 5 had two limits from above."""
    five = sp.Integer(5)
    f, g = sp.sign(sp.Max(0, t - 5)), sp.Piecewise((1, t > 5), (0, True))
    limit = sp.Limit(f, t, 5, "+")
    steps = (
        on_both_sides("equal", f, g, t, five, "="),
        Step("one", "", limit, one),
        infer("none", limit, "<=", zero, "equal"),
        infer("end", y, ">=", y + 1, Use("none", weight=-1), "one"),
    )
    assert not passes(claimed("y >= y + 1"), steps, {"y": y})
    assert holds(steps[1]) is None and holds(steps[2], steps[0]) is None
    assert holds(Step("one", "", sp.Limit(sp.Max(t, 5) - 4, t, 5, "+"), one)) is True


def test_an_arctangent_of_what_may_be_0_is_not_positive():
    """(y + 1)^2 > y^2 + 2 y + 1: atan(|n - 3|) was positive at n = 3."""
    count = sp.Symbol("n", integer=True)
    f = sp.atan(sp.Abs(count - 3))
    steps = (
        in_order("positive", f, ">"),
        infer("end", (y + 1) ** 2, ">", y**2 + 2 * y + 1, Use("positive", at={count: sp.Integer(3)})),
    )
    assert not passes(claimed("(y + 1)^2 > y^2 + 2 y + 1"), steps, {"y": y})
    assert holds(steps[0]) is None
    assert holds(in_order("positive", f, ">=")) is True
    assert holds(in_order("positive", sp.atan(sp.Abs(count - 3) + 1), ">")) is True


def test_a_reduction_says_nothing_beyond_the_points_at_which_it_is_tried():
    """max(0, y - 1000) = 0."""
    step = Step("end", "", sp.Max(0, y - 1000), zero, reduce=lambda left, right: zero if right == 0 else left - right)
    assert not passes(claimed("max(0, y - 1000) <= 0"), (step,), {"y": y})
    assert "its sides differ somewhere in the domain" in wrong_with(step)
    doubled = Step("end", "", sp.Max(0, 2 * y - 2000), 2 * sp.Max(0, y - 1000), reduce=lambda left, right: left - right)
    assert "differ" not in wrong_with(doubled)


def test_what_holds_for_a_symbol_is_put_in_at_its_values():
    """y >= y + 2 - e^{-1}: max(t, 1 - e^t) = t for t > 0 was taken at t = -1."""
    other = 1 - sp.exp(above_0)
    f = sp.Max(above_0, other)
    value = sp.Subs(f, above_0, -one)
    shown = {"one": Step("s", "", above_0, above_0, "<=", zero), "other": "other"}
    letters = {"one": above_0, "other": other, "bound": above_0}
    exponentials = {"order": in_order("o", zero, "<=", above_0)}
    steps = (
        of_fact("e", "exponentials keep the order", {"a": zero, "b": above_0}, exponentials),
        in_order("t", -above_0, "<="),
        infer("other", other, "<=", above_0, "e", "t"),
        of_fact("most", "larger of two numbers", letters, shown),
        Step("least", "", above_0, f, "<=", -sp.Max(0, other - above_0)),
        of_fact("equal", "neither is greater", {"one": f, "other": above_0}, {"one": "most", "other": "least"}),
        infer("low", value, "<=", -one, "equal"),
        Step("value", "", value, 1 - sp.exp(-one)),
        infer("end", y, ">=", y + 2 - sp.exp(-one), Use("low", weight=-1), "value"),
    )
    assert not passes(claimed("y >= y + 2 - e^(-1)"), steps, {"y": y})
    assert holds(steps[6], *steps[:6]) is not True
    assert holds(infer("low", sp.Subs(f, above_0, half), "<=", half, "equal"), *steps[:6]) is True


def test_what_is_put_in_has_no_jumps():
    """y >= y + 1: 0, -1 and 0 are no function that goes up and then down; the jumps spoke of a bound symbol."""
    at = sp.Symbol("t", nonnegative=True)
    jumps = sp.Piecewise((0, u < 1), (-1, u < 2), (0, True))
    fact = "up, then down, above what tends to 0"

    def up(f, under):
        letters = {"f": f, "argument": at, "turn": one, "under": under}
        shown = {
            "start": in_order("start", held(f.subs(at, 0)), ">=", zero, zero),
            "turns": Step("turns", "", FACTS[fact].required["turns"](letters)[0], zero, ">=", zero),
            "above": "above",
            "end": Step("end of it", "", sp.Limit(under, at, sp.oo), zero),
        }
        return of_fact("up", fact, letters, shown)

    f, under, low = sp.Subs(jumps, u, at), -sp.exp(2 - at), sp.Subs(jumps, u, 2 - beyond)
    edges = {
        "above": in_order("v", under.subs(at, 2 + below), "<=", sp.Subs(jumps, u, 2 + below), -sp.exp(-below)),
        "below": "low",
    }
    letters = {"f": under, "g": f, "argument": at, "edge": two}
    exponentials = {"order": in_order("o", zero, "<=", beyond)}
    steps = (
        of_fact("E", "exponentials keep the order", {"a": zero, "b": beyond}, exponentials),
        in_order("P", low, ">=", -one, sp.piecewise_fold(low.doit() + 1)),
        infer("low", -sp.exp(beyond), "<=", low, "E", Use("P", weight=-1)),
        of_fact("both", "both sides of an edge", letters, edges),
        infer("above", f, ">=", under, Use("both", weight=-1)),
        up(f, under),
        infer("end", y, ">=", y + 1, Use("up", at={at: sp.Rational(3, 2)})),
    )
    assert not passes(claimed("y >= y + 1"), steps, {"y": y})
    assert f"'f' has {jumps}, which may jump" in wrong_with(*steps)
    assert "jump" not in wrong_with(in_order("above", sp.exp(-at), ">=", under), up(sp.exp(-at), under))


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
        of_fact("order", "means keep the order", {"mean": mean, "f": f, "g": f}, shown),
        infer("end", y, ">=", y + 1 - sp.exp(-5), Use("order", weight=-1), "one", "other"),
    )
    assert not passes(claimed("y >= y + 1 - e^(-5)"), steps, {"y": y})
    assert steps[2].lhs == steps[2].rhs and len(calls) == 1


def test_a_lemma_is_asked_for_once():
    """y <= y - 1: a lemma was a false one when it was used, and a true one when it was looked at."""

    def lemma(right):
        steps = (in_order("end", t, "<=", right, t - right),)
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
