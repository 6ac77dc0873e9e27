"""From statements to SymPy: what is bound, what has a size, and what stands for one coordinate stays what it is."""

from dataclasses import replace
from functools import cache

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from whole_proofs import define, derivation, infer, integrated, passes

from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import orthogonal, real, square, vector
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact import NOTHING
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.meanings import is_meaning, meaning
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.notation import definite, det, scalar, trace, transpose
from ndis_verify.symbolic.sides import at_values, put_in
from ndis_verify.symbolic.special_functions import chi2_density
from ndis_verify.symbolic.statement_terms import expression, quantity

zero, one = sp.Integer(0), sp.Integer(1)
a, b, c, k, m, x, y = sp.symbols("a b c k m x y", real=True)
A, B, C, U, V = (letter(name) for name in "ABCUV")
v, w = letter("v"), letter("w")
shift, squares = real("x", -1, 1), x**2


_FINITE = {"integrable": Step("finite", "", sp.UnevaluatedExpr(one), one)}


def numbers(name, size, low=-2):
    """A real vector, searched at length `size`."""
    return vector(name, "reals", size, low, 2)


def beside(side):
    """That a side plus x^2 is at least the side."""
    return Step("end", "", lhs=side + squares, rhs=side, relation=">=", witness=squares)


# what is bound


@pytest.mark.parametrize(("name", "right"), [("t", False), ("y", True)])
def test_a_supremum_goes_over_no_variable(name, right):
    """At y = -1 sup_{0 <= t <= 1} (y - t) is -1: over y - y alone it would be 0."""
    symbol = sp.Symbol(name, real=True)
    stated = statement("sup_{0 <= t <= 1} (y - t) + x^2 >= sup_{0 <= t <= 1} (y - t)", over=(real("y", -3, 3), shift))
    over = sp.Symbol("t", real=True)
    side = quantity("sup", zero, one, sp.Lambda(over, symbol - over))
    assert passes(stated, (beside(side),), {"y": symbol, "x": x}) is right


def test_the_mean_of_a_normal_law_is_a_number():
    moment = statement("E_normal(0; y, v) = 1", "v > 0", over=(real("y", -3, 3), real("v", "0.1", 3)))
    variance = sp.Symbol("v", positive=True)
    for symbol in (x, x / 2):
        with pytest.raises(InputError, match="must not speak of x"):
            meaning("moment", "normal_moment", zero, symbol, variance)
    said = meaning("moment", "normal_moment", zero, y, variance)
    whole = integrated("whole", said.rhs, one)
    steps = (said, whole, infer("end", said.lhs, "=", one, "moment", "whole"))
    assert passes(moment, steps, {"y": y, "v": variance})


_CAPTURED = [
    ("mean_shift", (x, one)),
    ("mean_shift", (one, x)),
    ("chi2_hinge", (-sp.Symbol("t", positive=True), zero, 2 * one)),
    ("independent", (x, one, one)),
    ("quadratic_hinge", (zero, sp.Symbol("z", real=True), one)),
    ("quadratic_cdf", (zero, one, entry(sp.Symbol("z", real=True)))),
    ("form_hinge", (one, letter("z"), one)),
]


@pytest.mark.parametrize(("head", "args"), _CAPTURED)
def test_no_meaning_captures_a_symbol(head, args):
    with pytest.raises(InputError, match="over which its meaning goes"):
        meaning("meaning", head, *args)
    plain = {one: sp.Symbol("free", **one.assumptions0) for arg in args for one in arg.free_symbols}
    step = meaning("meaning", head, *(arg.subs(plain) for arg in args))
    assert is_meaning(step, ())


# arrays


@pytest.mark.parametrize("letters", [True, False])
def test_matrices_do_not_commute(letters):
    variables = (square("A", 2, -1, 1), square("B", 2, -1, 1), square("C", 2, -1, 1), shift)
    stated = statement("tr(A B C) + x^2 >= tr(A C B)", over=variables)
    same = statement("tr(A B C) + x^2 >= tr(A B C)", over=variables)
    symbols = dict(zip("ABC", (A, B, C) if letters else (a, b, c), strict=True)) | {"x": x}
    side = quantity("trace", symbols["A"] * symbols["B"] * symbols["C"])
    assert not passes(stated, (beside(side),), symbols)
    assert passes(same, (beside(side),), symbols) is letters


def test_the_length_of_a_vector_is_no_size_of_a_number():
    """|u + v| |u - v| is above | |u|^2 - |v|^2 | for orthogonal vectors of one length, and never on the line."""
    stated = statement("| |u|^2 - |v|^2 | + x^2 >= |u + v| |u - v|", over=(numbers("u", 2), numbers("v", 2), shift))
    left, right = sp.Abs(a**2 - b**2) + squares, sp.Abs(a + b) * sp.Abs(a - b)
    end = Step("end", "", lhs=left, rhs=right, relation=">=", witness=squares)
    assert not passes(stated, (end,), {"u": a, "v": b, "x": x})


def test_vectors_by_their_coordinates_may_be_symbols():
    stated = statement("sum_i a_i^2 + x^2 >= sum_i a_i^2", over=(numbers("a", 3), shift))
    assert passes(stated, (beside(total_of(entry(a) ** 2)),), {"a": a, "x": x})
    stated = statement(
        "hinge_q(a, b; c) + x^2 >= hinge_q(a, b; c)", over=(numbers("a", 2), numbers("b", 2), real("c", -1, 1), shift)
    )
    symbols = {"a": a, "b": b, "c": c, "x": x}
    assert passes(stated, (beside(quantity("quadratic_hinge", a, b, c)),), symbols)


@pytest.mark.parametrize("symbol", [definite, letter("y")])
def test_no_variable_is_a_letter_of_the_notation(symbol):
    """x det(M) = y det(M) says nothing of x and y where M = 0."""
    is_matrix = symbol.name[0].isupper()
    name, size = ("A", "det(A)") if is_matrix else ("u", "u^T u")
    stated = statement(f"{size} + x^2 >= {size}", over=(square("A", 2, -1, 1) if is_matrix else numbers("u", 2), shift))
    for one_of, right in ((symbol, False), (letter(name), True)):
        side = det(one_of) if is_matrix else scalar(transpose(one_of) * one_of)
        assert passes(stated, (beside(side),), {name: one_of, "x": x}) is right


def test_what_is_divided_by_is_not_0_because_of_its_name():
    stated = statement("x = y", "x det(M) = y det(M)", over=(real("x", -3, 3), real("y", -3, 3), square("M", 2, -1, 1)))
    same = sp.Eq(x * det(definite), y * det(definite))
    hypothesis = Hypothesis("x det(M) = y det(M)", same)
    steps = (
        define(k, x * det(definite)),
        infer("same", k, "=", y * det(definite), "k", Use("x det(M) = y det(M)")),
        infer("first", x, "=", k / det(definite), "k"),
        infer("end", x, "=", y, "first", "same"),
    )
    assert not passes(stated, steps, {"x": x, "y": y, "M": definite}, (hypothesis,))


# sizes


@pytest.mark.parametrize(("size", "right"), [(2, True), (3, False)])
def test_sums_go_over_as_many_coordinates(size, right):
    ratio = statement(
        *("sum_i a_i/a_i + x^2 >= sum_i b_i/b_i", "a_i > 0", "b_i > 0"),
        over=(numbers("a", 2, 1), numbers("b", size, 1), shift),
    )
    assert passes(ratio, (beside(total_of(one)),), {"a": a, "b": b, "x": x}) is right
    above = statement(
        *("sum_i b_i <= sum_i a_i", "a_i >= 1", "b_i <= 1"),
        over=(numbers("a", 2, 1), numbers("b", size)),
    )
    steps = (
        infer("order", entry(b), "<=", entry(a), Use("a_i >= 1", weight=-1), Use("b_i <= 1")),
        by_fact(
            "end",
            "",
            "means keep the order",
            {"mean": total_of, "f": entry(b), "g": entry(a)},
            {"pointwise": "order", "integrable": "order"},
        ),
    )
    given_here = (Hypothesis("a_i >= 1", entry(a) >= 1), Hypothesis("b_i <= 1", entry(b) <= 1))
    assert passes(above, steps, {"a": a, "b": b}, given_here) is right


@pytest.mark.parametrize(("of_which", "right"), [("both", True), ("none", False)])
def test_a_sum_over_a_pair_speaks_of_the_pair(of_which, right):
    """sum_i a_i/a_i = 3 for three coordinates."""
    pair = quantity("coordinate", quantity("vector", a, b))
    letters = {"f": pair if of_which == "both" else one, "a": a, "b": b, "n": one, "m": one}
    if right:
        assert FACTS["a sum over a pair"].instance(letters) == (total_of(pair), "=", a + b)
    else:
        with pytest.raises(InputError, match="two pairs"):
            FACTS["a sum over a pair"].instance(letters)


@pytest.mark.parametrize("size", [2, 3])
def test_a_vector_of_any_size_is_no_pair(size):
    """sum_i 1 is 2 where a pair is spoken of; a vector that is searched at two coordinates has any number of them."""
    ratio = statement("sum_i a_i/a_i = 2", "a_i > 0", over=(numbers("a", size, 1),))
    entries = quantity("coordinate", quantity("vector", one, one))
    pair = {"a": one, "b": one, "n": one, "m": one}
    steps = (
        by_fact("more", "", "a sum over a pair", {"f": entries + 1, **pair}, {}),
        by_fact("less", "", "a sum over a pair", {"f": entries, **pair}, {}),
        by_fact("both", "", "means are linear", {"mean": total_of, "terms": ((one, entries), (one, one))}, _FINITE),
        infer("rest", total_of(one), "=", total_of(entries + 1) - total_of(entries), "both"),
        infer("end", total_of(one), "=", sp.Integer(2), "rest", "more", "less"),
    )
    assert not passes(ratio, steps, {"a": a})


def test_columns_are_those_of_arrays():
    """A 2 x 2 matrix and a 3 x 3 one are 4 + (A - 4) and 4 + (B - 4)."""
    fact = FACTS["columns of a matrix of products"]
    assert fact.instance({"B": sp.Integer(2), "R": A - 4}) == NOTHING
    assert fact.instance({"B": B, "R": A})[1:] == ("=", quantity("columns", B))


@given(st.sampled_from(["det", "trace", "columns", "rows"]), st.integers(0, 3))
def test_what_has_a_size_is_of_no_number(head, number):
    for side in (quantity(head, U * transpose(U) + number), quantity(head, A * U * transpose(U))):
        put = put_in(side, U * transpose(U), one)
        assert put == side or put.has(A)
    if number:
        assert put_in(quantity(head, number * A), A, B) == quantity(head, number * B)


def test_an_array_that_is_0_has_no_columns():
    side = quantity("columns", A)
    with pytest.raises(InputError, match="whose size"):
        at_values(side, {A: zero})
    assert at_values(det(A), {A: zero}) == det(0)
    assert at_values(side, {A: 2 * B}) == quantity("columns", 2 * B)


def test_normal_laws_of_two_identities_are_two_laws():
    square_of = U * transpose(U)
    side = quantity("normal_pair", zero, square_of, zero, 2 * square_of, x)
    assert put_in(side, square_of, one) == side
    assert put_in(side, square_of, V) == quantity("normal_pair", zero, V, zero, 2 * V, x)


def test_traces_of_two_identities_are_two_numbers():
    stated = statement("tr(U U^T) = tr(V V^T)", over=(orthogonal("U", 2), orthogonal("V", 3)))
    given_here = tuple(
        Hypothesis(f"{one} {one}^T = I", sp.Eq(one * transpose(one), 1, evaluate=False)) for one in (U, V)
    )
    uses = Use("U U^T = I"), Use("V V^T = I")
    end = infer("end", trace(U * transpose(U)), "=", trace(V * transpose(V)), *uses)
    assert not passes(stated, (end,), {"U": U, "V": V}, given_here)
    stated = statement("tr(A U U^T) = tr(A)", over=(orthogonal("U", 2), square("A", 2, -1, 1)))
    end = infer("end", trace(A * U * transpose(U)), "=", trace(A), uses[0])
    assert passes(stated, (end,), {"U": U, "A": A}, given_here[:1])


@pytest.mark.parametrize("text", ["det(A - A + 2 I)", "tr(A - A + I)", "cols(A - A + I)", "cols(A - A)"])
def test_what_sympy_cancels_is_no_array(text):
    stated = statement(f"{text} + x^2 >= {text}", over=(square("A", 2, -1, 1), shift))
    with pytest.raises(InputError, match="whose size it has"):
        expression(stated.claimed.right, {"A": A, "x": x}, stated.shapes)


def test_a_determinant_of_numbers_has_no_size():
    """det(a I + w w^T) by A = a I, X = I/a, whatever the size."""
    letters = {"A": sp.Symbol("a", positive=True), "X": 1 / sp.Symbol("a", positive=True), "w": w}
    for sign in ("and", "less"):
        with pytest.raises(InputError, match="must be an array"):
            FACTS[f"determinant of a matrix {sign} a square"].instance(letters)
    assert FACTS["determinant of a matrix and a square"].instance({**letters, "A": A, "X": B})


def test_one_vector_is_eliminated_at_a_time():
    """det(I - b U U^T) is (1 - b)^d, U orthogonal."""
    letters = {"w": b * U, "u^T": transpose(U), "c": 1 - b}
    with pytest.raises(InputError, match="must be a vector"):
        FACTS["determinant by block elimination"].instance(letters)
    assert FACTS["determinant by block elimination"].instance({**letters, "w": b * w, "u^T": transpose(v)})


# what stands for one coordinate


def _products(*middle):
    """(sum_i a_i b_i) (sum_i a_i) <= (sum_i b_i) (sum_i a_i^2), from sum_i a_i b_i = a_i sum_i b_i."""
    first, second, p, q = entry(a), entry(b), *sp.symbols("p q", real=True)
    products = total_of(first * second)
    linear = {"mean": total_of}
    return (
        define(p, products),
        define(q, total_of(second)),
        *middle,
        infer("each", first * p, "<=", first**2 * q, "taken out", "p", "q"),
        by_fact(
            "order",
            "",
            "means keep the order",
            {**linear, "f": first * p, "g": first**2 * q},
            {"pointwise": "each", "integrable": "each"},
        ),
        by_fact("left", "", "means are linear", {**linear, "terms": ((p, first),)}, _FINITE),
        by_fact("right", "", "means are linear", {**linear, "terms": ((q, first**2),)}, _FINITE),
        infer("in p", p * total_of(first), "<=", q * total_of(first**2), "order", "left", "right"),
        infer("end", products * total_of(first), "<=", total_of(second) * total_of(first**2), "in p", "p", "q"),
    )


_LESS = statement("(sum_i a_i b_i) (sum_i a_i) <= (sum_i b_i) (sum_i a_i^2)", over=(numbers("a", 2), numbers("b", 2)))
_LINEAR = {"mean": total_of, "terms": ((k, entry(b)),)}


@cache
@cache
def a_number_out_of_a_sum():
    """sum_i c b_i = c sum_i b_i for every number c."""
    step = by_fact("out", "", "means are linear", {"mean": total_of, "terms": ((c, entry(b)),)}, _FINITE)
    return replace(derivation((step,), {"b": b, "c": c}), id="a.lemma")


@pytest.mark.parametrize("named_by", [1, 2])
def test_a_name_of_one_coordinate_is_no_number(named_by):
    names = (define(k, entry(a)),) if named_by == 1 else (define(m, entry(a)), define(k, m))
    opened = ("k",) if named_by == 1 else ("k", "m")
    steps = _products(
        *names,
        by_fact("out", "", "means are linear", _LINEAR, _FINITE),
        infer("taken out", total_of(entry(a) * entry(b)), "=", entry(a) * total_of(entry(b)), "out", *opened),
    )
    found = problems(derivation(steps, {"a": a, "b": b}))
    assert any("k stands for one coordinate" in text for text in found)
    assert not passes(_LESS, steps, {"a": a, "b": b})


@pytest.mark.parametrize("named", [True, False])
def test_no_coordinate_is_put_under_a_sum_in_the_place_of_a_number(named):
    value, before = (k, (define(k, entry(a)),)) if named else (entry(a), ())
    use = Use("out", of=a_number_out_of_a_sum, at={c: value})
    steps = _products(
        *before,
        infer("taken out", total_of(entry(a) * entry(b)), "=", entry(a) * total_of(entry(b)), use, *("k",) * named),
    )
    found = problems(derivation(steps, {"a": a, "b": b}))
    assert any("c is one number in the sums" in text for text in found)


def test_a_number_is_put_under_a_sum():
    stated = statement("sum_i x a_i = x sum_i a_i", over=(numbers("a", 2), shift))
    use = Use("out", of=a_number_out_of_a_sum, at={c: x, b: a})
    end = infer("end", total_of(x * entry(a)), "=", x * total_of(entry(a)), use)
    assert passes(stated, (end,), {"a": a, "x": x})


def test_what_stands_for_one_coordinate_may_stay_under_a_sum():
    stated = statement("sum_i (2 a_i) = 2 (sum_i a_i)", over=(numbers("a", 2),))
    steps = (
        define(k, entry(a)),
        by_fact("out", "", "means are linear", {"mean": total_of, "terms": ((sp.Integer(2), k),)}, _FINITE),
        infer("name", entry(a), "=", k, "k"),
        infer("end", total_of(2 * entry(a)), "=", 2 * total_of(entry(a)), "name", "out"),
    )
    assert passes(stated, steps, {"a": a})


# the density of a chi-square law


@given(st.integers(1, 8), st.booleans())
def test_the_closed_form_is_the_density_above_0_alone(dof, positive):
    """At t = -1 the density is 0, and e^{1/2}/2 is more than x^2 there."""
    t = sp.Symbol("t", positive=True) if positive else sp.Symbol("t", real=True)
    stated = statement(
        f"f_chi2({dof}; t) + x^2 >= f_chi2({dof}; t)", *("t > 0",) * positive, over=(real("t", -3, 3), shift)
    )
    assert passes(stated, (beside(chi2_density(sp.Integer(dof), t)),), {"t": t, "x": x}) is positive


# what is drawn, and what is said to exist


def test_a_normal_sum_has_no_drawn_coefficients():
    """|z|^2 is chi-square, and no normal variable times |z|."""
    z, u, size = letter("z"), sp.Symbol("u", real=True), sp.Symbol("l", positive=True)
    linear = FACTS["linear form of a standard normal vector"].instance
    letters = {"f": u**2, "argument": u, "b": w, "b^T": transpose(w), "length": size}
    assert linear(letters)[1] == "="
    for wrong in ({"b": z, "b^T": transpose(z)}, {"f": u**2 + scalar(transpose(z) * w)}):
        with pytest.raises(InputError, match="is drawn"):
            linear({**letters, **wrong})
    by_entries = FACTS["mean of a function of a normal sum"].instance
    drawn = sp.Symbol("z", real=True)
    assert by_entries({"f": drawn**2, "argument": drawn, "b": entry(b), "length": size})[1] == "="
    for wrong in ({"b": entry(drawn)}, {"f": u**2 + drawn}):
        with pytest.raises(InputError, match="is drawn"):
            by_entries({"f": u**2, "argument": u, "b": entry(b), "length": size, **wrong})


@cache
@cache
def a_direction():
    """|c| C = |c|, where (|c|, 0) is its length times (C, S)."""
    p, q = sp.symbols("C S", real=True)
    shown = {
        "first": Step("first", "", c**2, zero, ">=", c**2),
        "second": Step("second", "", sp.UnevaluatedExpr(zero), zero, ">=", zero),
        "length": Step("length", "", c**2 + sp.UnevaluatedExpr(zero), c**2),
    }
    letters = {"a": c**2, "b": zero, "square": c**2, "C": p, "S": q}
    return replace(
        derivation((by_fact("C", "", "direction in the plane, first coordinate", letters, shown),), {"c": c}),
        id="a.lemma",
    )


@pytest.mark.parametrize(
    ("values", "right"),
    [((None,), True), ((y,), True), ((y, y), True), ((y, zero), False), ((None, y), False), ((zero, one), False)],
)
def test_what_a_lemma_says_to_exist_is_of_its_own_values(values, right):
    """One C for every c would be 1 by c = 1: a proof speaks of the C of one value."""
    p, uses = sp.Symbol("C", real=True), []
    left = right_side = x
    for value in values:
        size = sp.Abs(c if value is None else value)
        left, right_side = left + size * p, right_side + size
        uses.append(Use("C", of=a_direction, at={} if value is None else {c: value}))
    found = problems(derivation((infer("end", left, "=", right_side, *uses),), {"x": x}))
    assert any("was defined for other values" in text for text in found) is not right


def test_what_a_lemma_says_to_exist_at_a_value_is_used_at_no_other_one():
    p = sp.Symbol("C", real=True)
    first = infer("first", sp.Abs(y) * p, "=", sp.Abs(y), Use("C", of=a_direction, at={c: y}))
    for at, right in ((y, True), (one, False)):
        last = infer("last", sp.Abs(at) * p + x, "=", sp.Abs(at) + x, Use("first", at={} if at == y else {y: at}))
        found = problems(derivation((first, last), {"x": x}))
        assert any("was defined for other values" in text for text in found) is not right
