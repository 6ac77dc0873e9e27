"""What a proof puts into its lemmas and into its own steps: letters with their transposes, vectors, places, names,
and what the lemma supposes.
"""

import pytest
import sympy as sp
from steps_by_hand import claimed, evident, held, of_fact, one, two, wrong_with, zero
from whole_proofs import define, derivation, infer, passes

from ndis_verify.court.proof_ends import unconcluded
from ndis_verify.court.proof_sizes import Misfit, _Sizes
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import matrix, orthogonal, real
from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.notation import anything, beyond, det, scalar, transpose
from ndis_verify.symbolic.scopes import goes_over_values
from ndis_verify.symbolic.statement_terms import quantity

x, y, t, q = sp.symbols("x y t q", real=True)
whole = sp.Symbol("n", integer=True)
u, w, U = letter("u"), letter("w"), letter("U")


def lemma(steps, symbols, hypotheses=(), **further):
    """A derivation that ends in its last step."""
    end = steps[-1].name
    ends = further.pop("concludes", (Conclusion("OTHER", end, symbols),))
    found = Derivation("a.lemma", "", (), hypotheses, steps, end, symbols, concludes=ends, **further)
    return lambda: found


# Letters and their transposes


@pytest.mark.parametrize("turned", [letter("ut"), letter("u^T")])
def test_a_letter_does_not_stay_where_its_transpose_is_replaced(turned):
    """u^T u <= 0: the square of u, at -u, beside the letter u^T."""
    square = of_fact("square", "squared length", {"w": u, "w^T": turned})
    assert f"{turned} stays, while u is replaced" in wrong_with(
        square, infer("end", scalar(turned * u), "<=", zero, Use("square", at={u: -u}, weight=1))
    )
    assert f"u stays, while {turned} is replaced" in wrong_with(
        square, infer("end", scalar(transpose(w) * u), ">=", zero, Use("square", at={turned: transpose(w)}))
    )
    other = Use("square", at={u: w, turned: transpose(u)})
    assert "is not the transpose of w" in wrong_with(square, infer("end", scalar(transpose(u) * w), ">=", zero, other))
    both = Use("square", at={u: w, turned: transpose(w)})
    found = wrong_with(square, infer("end", scalar(transpose(w) * w), ">=", zero, both))
    assert "stays" not in found and "transpose" not in found


def test_a_transpose_is_no_unknown_function():
    square = of_fact("square", "squared length", {"w": w, "w^T": transpose(w)})
    use = Use("square", at={transpose(w): transpose(u)})
    assert "transpose(w) is known" in wrong_with(square, infer("end", scalar(transpose(u) * w), ">=", zero, use))


@pytest.mark.parametrize(("meant", "right"), [(-transpose(u), False), (transpose(w), False), (transpose(u), True)])
def test_a_letter_that_is_written_as_a_transpose_is_that(meant, right):
    """u^T u <= 0: ut was defined as -u^T, and facts read it by its name."""
    turned = letter("ut")
    square = of_fact("square", "squared length", {"w": u, "w^T": turned})
    found = wrong_with(define(turned, meant), square, infer("end", zero, "<=", scalar(turned * u), "square", "ut"))
    assert ("written as a transpose" in found) is not right


# Sizes


def test_nothing_but_a_vector_takes_the_place_of_one():
    """det(I - t U U^T) = 1 - t for every orthogonal U: what a lemma says of a vector of length 1."""
    turned, of_length = transpose(w), "w^T w = 1"
    rules = without_rules((w, turned), (t,))
    steps = (
        Step(
            "entry",
            "",
            1 - t * turned * w,
            1 - t,
            kind="inference",
            algebra=rules,
            premises=(Use(of_length, between=(-t, one)),),
        ),
        Step("row", "", -turned * (1 - t * w * turned) + (1 - t * turned * w) * turned, zero, algebra=rules),
        of_fact(
            "end",
            "determinant by block elimination",
            {"w": t * w, "u^T": turned, "c": 1 - t},
            {"entry": "entry", "row": "row"},
        ),
    )
    of = lemma(steps, {"t": t, "w": w}, (Hypothesis(of_length, sp.Eq(turned * w, 1)),))
    orthogonal_u = Hypothesis("U^T U = I", sp.Eq(transpose(U) * U, 1))
    use = Use("end", of=of, at={w: U}, granted={of_length: orthogonal_u.text})
    end = infer("end", det(1 - t * U * transpose(U)), "=", 1 - t, use)
    stated = statement(
        "det(I - t U U^T) = 1 - t",
        over=[orthogonal("U", 2), real("t", 0, 1)],
    )
    proof = derivation((end,), {"U": U, "t": t}, (orthogonal_u,))
    assert "a size is size 2 and 1" in "; ".join(unconcluded("CLAIM", stated, stated.hypothesis_lines, [proof]))


def test_the_size_at_which_a_matrix_is_searched_is_not_its_size():
    """A B^T A = A A^T B of all matrices: of those of one column, at which it was searched."""
    A, B = letter("A"), letter("B")
    At, Bt = transpose(A), transpose(B)
    rules = without_rules((A, At, B, Bt), (q,))
    steps = (
        define(q, scalar(Bt * A)),
        Step("letters", "", Bt * A, q, kind="inference", algebra=rules, premises=("q",)),
        of_fact("turned", "transposes of equal arrays", {"X": Bt * A, "Y": q}, {"equal": "letters"}),
        Step(
            *("end", "", A * Bt * A, A * At * B),
            kind="inference",
            algebra=rules,
            premises=(Use("letters", between=(A, one)), Use("turned", between=(-A, one))),
        ),
    )
    stated = statement("A B^T A = A A^T B", over=[matrix(name, 2, 1, -3, 3) for name in "AB"])
    assert not passes(stated, steps, {"A": A, "B": B})
    found = unconcluded("CLAIM", stated, (), [derivation(steps, {"A": A, "B": B})])
    assert "a size is size 1 and 1" in "; ".join(found)


# Places


def test_a_hypothesis_of_every_place_has_one_number_for_all():
    """x_i <= t for every i says nothing of t = y_i."""
    a, b, c = sp.symbols("a b c", real=True)
    given, here = (Hypothesis(f"x_i <= {name}", entry(a) <= value) for name, value in (("t", t), ("y_i", entry(b))))
    steps = (
        infer("p", entry(a) * entry(c) ** 2, "<=", t * entry(c) ** 2, Use(given.text, weight=entry(c) ** 2)),
        of_fact(
            "order",
            "means keep the order",
            {"mean": total_of, "f": entry(a) * entry(c) ** 2, "g": t * entry(c) ** 2},
            {"pointwise": "p", "integrable": "p"},
        ),
        of_fact("linear", "means are linear", {"mean": total_of, "terms": ((t, entry(c) ** 2),)}, {"integrable": "p"}),
        infer("end", total_of(entry(a) * entry(c) ** 2), "<=", t * total_of(entry(c) ** 2), "linear", "order"),
    )
    of = lemma(steps, {"t": t, "a": a, "c": c}, (given,))

    def put(value, granted):
        use = Use("end", of=of, at={t: value}, granted={given.text: granted.text})
        end = infer("end", total_of(entry(a) * entry(c) ** 2), "<=", value * total_of(entry(c) ** 2), use)
        return wrong_with(end, hypotheses=(granted,))

    text = "which is of every place"
    assert text in put(entry(b), here)
    assert text not in put(two, Hypothesis("x_i <= 2", entry(a) <= 2))


def test_a_hypothesis_of_any_vector_has_one_number_for_all():
    """y^T u u^T y <= t for any y says nothing of t = y^T u u^T y + y^T y."""
    form = lambda z: scalar(transpose(z) * u * transpose(u) * z)
    v = letter("v")
    given = Hypothesis("y^T u u^T y <= t", form(anything) <= t)
    of = lemma((infer("end", form(v), "<=", t, Use(given.text, at={anything: v})),), {"t": t, "u": u, "v": v}, (given,))
    more = form(anything) + scalar(transpose(anything) * anything)
    steps = (
        of_fact("square", "squared length", {"w": anything, "w^T": transpose(anything)}),
        infer("evident", form(anything), "<=", more, Use("square", weight=-1)),
        infer(
            "end",
            form(2 * anything),
            "<=",
            more,
            Use("end", of=of, at={t: more, v: 2 * anything}, granted={given.text: "evident"}),
        ),
    )
    assert "which is of every place" in wrong_with(*steps)


def test_an_unknown_call_in_a_sum_is_no_coordinate():
    """sum a_i b_i = a_i sum b_i: an unknown number h(t) in the place of a number that is taken out of a sum."""
    a, b, c = sp.symbols("a b c", real=True)
    h = sp.Function("h", real=True)(t)
    shown = {"integrable": evident(one, ">")}
    out = of_fact("out", "means are linear", {"mean": total_of, "terms": ((c, entry(b)),)}, shown)
    of = lemma((out,), {"b": b, "c": c})
    steps = (
        infer("one", total_of(h * entry(b)), "=", h * total_of(entry(b)), Use("out", of=of, at={c: h})),
        infer("end", total_of(entry(a) * entry(b)), "=", entry(a) * total_of(entry(b)), Use("one", at={h: entry(a)})),
    )
    assert "h(t) is one number in the sums of 'one', and coordinate(a) speaks of one coordinate" in wrong_with(*steps)


def test_a_coordinate_is_taken_out_of_no_sum_by_a_fact():
    """(sum y_i x_i)(sum z_i^2) <= sum y_i z_i^2: weights y_i stood in the function of a corner."""
    a, m = sp.symbols("a m", real=True)
    convex = entry(m) * t
    shown = {
        "at 0": Step("at 0", "", sp.Subs(convex, t, 0), zero),
        "rises": Step("rises", "", sp.Subs(sp.Derivative(convex, t), t, 1 / (1 + beyond)), zero, ">=", entry(m)),
        "convex": Step("convex", "", held(zero), zero, ">=", zero),
        "low": "x_i >= 0",
        "high": "x_i <= 1",
        "sum": "sum_i x_i <= 1",
        "rest": evident(zero, ">="),
        "rest at most": evident(zero, "<=", one),
        "whole": evident(one, ">="),
    }
    given = (entry(a) >= 0, entry(a) <= 1, sp.Le(total_of(entry(a)), 1))
    hypotheses = tuple(map(Hypothesis, ("x_i >= 0", "x_i <= 1", "sum_i x_i <= 1"), given))
    letters = {"f": convex, "argument": t, "l": a, "cap": one, "rest": zero, "n": one}
    step = of_fact("corner", "a sum of a convex function below a corner", letters, shown)
    assert "coordinate(m) stands for one coordinate, and is taken out of a sum over all" in wrong_with(
        step, hypotheses=hypotheses
    )


# Names, and what is supposed


def test_a_step_does_not_show_what_it_rests_on():
    """y <= 5: a step called as the hypothesis of the lemma that it uses."""
    given = Hypothesis("y <= 5", y <= 5)
    used = (evident(one, ">"), infer("end", y, "<=", 5 * one, Use(given.text), Use("evident", weight=0)))
    of = lemma(used, {"y": y}, (given,))
    steps = (infer(given.text, y, "<=", 5 * one, Use("end", of=of)),)
    assert not passes(claimed("y <= 5"), steps, {"y": y})
    assert "nothing grants the hypothesis 'y <= 5'" in wrong_with(*steps)


def test_a_name_in_a_hypothesis_of_a_lemma_is_what_it_is_there():
    """y >= 7: the lemma supposes x >= d of its d = 7, and here d is y."""
    d = sp.Symbol("d", real=True)
    given = Hypothesis("x >= d", x >= d)
    of = lemma((define(d, 7 * one), infer("end", x, ">=", 7 * one, Use(given.text), "d")), {"x": x}, (given,))
    use = Use("end", of=of, at={x: y}, granted={given.text: "shown"})
    steps = (define(d, y), infer("shown", y, ">=", d, "d"), infer("end", y, ">=", 7 * one, use))
    assert not passes(claimed("y >= 7"), steps, {"y": y})
    assert "d is not what it is in lemma" in wrong_with(*steps)


def test_no_name_is_defined_by_itself_by_way_of_a_lemma():
    """a = b + 1 here, and b = a + 1 there."""
    a, b = sp.symbols("a b", real=True)
    of = lemma((define(b, a + 1), infer("end", b, "=", a + 1, "b")), {"a": a})
    steps = (define(a, b + 1), infer("end", a + 1, "<=", b, Use("end", of=of)))
    assert "is defined by itself, by way of lemma" in wrong_with(*steps)


def test_the_domain_of_a_lemma_of_parts_is_granted():
    """max(0, x - 5) = 0 where x <= 5, in a lemma that is one of x <= 5 alone."""
    without = lambda left, right: left.replace(sp.Max, lambda *_: zero) - right
    shown = (Step("m", "", sp.Max(0, x - 5), zero, reduce=without),)
    ends = (Conclusion("OTHER", "m", part="where x is at most 5"),)
    of = lemma(shown, {"x": x}, domain=(x <= 5,), concludes=ends)
    end = infer("end", sp.Max(0, x - 5), "<=", zero, Use("m", of=of))
    assert "nothing says x <= 5, in which a.lemma holds" in wrong_with(end)
    assert "in which a.lemma holds" not in wrong_with(end, hypotheses=(Hypothesis("x <= 5", x <= 5),))


# Signs, slopes and sums


def test_an_algebra_does_not_excuse_the_sign_of_an_inequality():
    step = Step("end", "", y, y + 1, ">=", -one, algebra=BlockAlgebra({}, {}))
    assert step.holds is not True
    assert Step("end", "", y + 1, y, ">=", one, algebra=BlockAlgebra({}, {})).holds is True


def test_the_sign_of_a_name_is_looked_for_at_its_ends_too():
    """(y + 1)^2 > y^2 + 2 y + 1: atan(k) of a whole k >= 0 is positive for SymPy, and 0 at 0."""
    k = sp.Symbol("k", integer=True, nonnegative=True)
    name = sp.Function("c", positive=True)(k)
    first = Step("one", "", x**2 + 1, zero, ">", x**2 + 1)
    steps = (first, define(name, sp.atan(k), ("one",)), infer("end", name, ">", zero, "one", str(name)))
    assert "nothing says why c(k) is positive" in wrong_with(*steps)


def test_nothing_has_a_slope_in_whole_numbers():
    """2 pi = 0: sin(2 pi x n) in a whole n."""
    step = Step(
        "slope", "", sp.Derivative(sp.sin(2 * sp.pi * x * whole), whole), 2 * sp.pi * x * sp.cos(2 * sp.pi * x * whole)
    )
    assert "n is a whole number, in which nothing has a slope" in wrong_with(step)


def test_a_sum_goes_over_values_of_its_symbol():
    """1 = 0: a sum of x^k from k = 0, of a positive k, for which 0^k is 0."""
    k = sp.Symbol("k", integer=True, positive=True)
    step = Step("sum", "", sp.Sum(x**k, (k, 0, 1)), 1 + x, reduce=lambda left, right: left.doit() - right)
    assert "Sum goes over what is no value of k" in wrong_with(step)


def test_an_unknown_number_in_a_sum_is_not_taken_out():
    """sum k h(k) = h(k) sum k."""
    k = sp.Symbol("k", integer=True, positive=True)
    h = sp.Function("h", real=True)(k)
    step = infer("end", sp.Sum(k * h, (k, 1, whole)), "=", h * sp.Sum(k, (k, 1, whole)), "evident")
    assert derivation((evident(one, ">"), step), {}).holds(step) is not True


def test_a_reduction_is_looked_at_between_and_at_turns_too():
    """Where a maximum turns at no rational number, between two near ones, and what jumps at its edge alone."""
    without = lambda left, right: left.replace(sp.Max, lambda *_: zero) - right
    for inner in (x**2 - 2 * 10**6, (x - 5) * (sp.Rational(501, 100) - x), x - 50 * 25):
        step = Step("end", "", sp.Max(0, inner), zero, reduce=without)
        assert "its sides differ somewhere" in wrong_with(step), inner
    as_one = lambda left, right: left.replace(sp.sign, lambda _: one) - right
    assert "its sides differ somewhere" in wrong_with(Step("end", "", sp.sign(x) ** 2, one, reduce=as_one))


def test_vectors_in_one_sum_have_as_many_coordinates():
    a = sp.Symbol("a", real=True)
    pair = quantity("coordinate", quantity("vector", one, two))
    sizes = _Sizes()
    sizes.same(("coordinates", 1), (sp.Symbol("size 2"), 1))
    sizes.alike((total_of(pair), total_of(entry(a))))
    with pytest.raises(Misfit):
        sizes.alike((total_of(pair * entry(a)), zero))


def test_what_is_shown_under_a_hypothesis_is_not_used_beyond_it():
    """max(0, x - 5) = 0 where x <= 5 was used at x = 6, as the step does not name the hypothesis."""
    given = Hypothesis("x <= 5", x <= 5)
    without = lambda left, right: left.replace(sp.Max, lambda *_: zero) - right
    shown = Step("m", "", sp.Max(0, x - 5), zero, reduce=without)

    def used(value):
        return wrong_with(
            shown, infer("end", sp.Max(0, value - 5), "<=", zero, Use("m", at={x: value})), hypotheses=(given,)
        )

    assert "'m' is shown where x <= 5" in used(sp.Integer(6))
    assert "is shown where" not in used(two)


def test_letters_are_not_decided_by_a_reduction():
    """A B = B A, by numbers in the place of letters."""
    A, B = letter("A"), letter("B")
    numbers = lambda left, right: (left - right).xreplace({A: x, B: y})
    assert Step("end", "", A * B, B * A, reduce=numbers).holds is None


def test_a_limit_comes_from_where_its_symbol_has_values():
    """-1 = 1: what is equal for p > 0 under a limit at 0 from below."""
    p = sp.Symbol("p", positive=True)
    assert goes_over_values(sp.Limit(x / p, p, 0, "+"))
    assert not goes_over_values(sp.Limit(x / p, p, 0, "-"))
    assert not goes_over_values(sp.Limit(x / p, p, 0, "+-"))


def test_words_of_a_lemma_are_about_its_own_function():
    """h is continuous, in the words of a lemma, and floor is put in its place."""
    h = sp.Function("h", real=True)
    of = lemma((infer("end", h(t), "<=", h(t) + 1, "evident"),), {"t": t}, ("For numbers, h is continuous",))
    use = Use("end", of=of, at={h(t): sp.floor(t)})
    found = wrong_with(
        infer("end", sp.floor(t), "<=", sp.floor(t) + 1, use), hypotheses=("For numbers, h is continuous",)
    )
    assert "speak of h, for which something is put" in found
