"""What the letters of facts may be: means and functions are one at every point, edges and tails where there are some,
and nothing speaks of what a sum, an integral or an expectation goes over. Each false proof here once passed.
"""

from dataclasses import replace

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_proofs import derivation, infer, integrated, passes

from ndis_verify.court.proof_structure import problems, step_problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.bounded_forms import Bounds, bounds
from ndis_verify.symbolic.covariance_order import scale_order
from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.normal_coordinates import entry
from ndis_verify.symbolic.normal_coordinates import z as coordinates
from ndis_verify.symbolic.normal_images import at_image
from ndis_verify.symbolic.normal_images import p as density_of_p
from ndis_verify.symbolic.notation import average, bin_of_sum, law_under, over, scaled, summed, total, transpose, x, z
from ndis_verify.symbolic.special_functions import Pg, Qg
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
t, y = sp.symbols("t y_", real=True)
positive = sp.Symbol("t", positive=True)
lam, m = sp.symbols("lam m", real=True)
EXCESS = sp.Symbol("k", nonnegative=True)  # of the variance of a coordinate over 1
p = sp.Function("p", nonnegative=True)(x)
density = Step("density", "", lhs=total(p), rhs=one, kind="definition")
bell = sp.exp(-(t**2) / 2)


def over_line(of):
    return lambda f: sp.Integral(of(f), (t, -sp.oo, sp.oo))


def in_order(mean):
    """Means of -2 f <= -f, f the bell: of their sizes it is false."""
    f, g, root = -2 * bell, -bell, sp.sqrt(2 * sp.pi)
    order = Step("order", "", lhs=f, rhs=g, relation="<=", witness=-bell)
    letters, shown = {"mean": mean, "f": f, "g": g}, {"pointwise": "order", "integrable": "order"}
    return order, by_fact("mean", "", "means keep the order", letters, shown), root


def test_a_mean_of_sizes_is_none():
    first = statement("2 sqrt(2 pi) + y <= sqrt(2 pi) + y", over=(real("y", -9, 9),))
    second = statement("-2 sqrt(2 pi) + y <= -sqrt(2 pi) + y", over=(real("y", -9, 9),))
    for of, stated, sign in ((sp.Abs, first, 1), (lambda f: f, second, -1)):
        try:
            order, mean, root = in_order(over_line(of))
        except InputError:
            assert sign == 1
            continue
        values = [integrated(f"{k}", side, sign * k * root) for k, side in ((2, mean.lhs), (1, mean.rhs))]
        end = infer("end", 2 * sign * root + y, "<=", sign * root + y, "mean", "2", "1")
        assert passes(stated, (order, mean, *values, end), {"y": y}) is (sign == -1)


@pytest.mark.parametrize(
    "of",
    [
        *(sp.Abs, lambda f: sp.Max(f, 0), lambda f: f + sp.Abs(f), lambda f: f * sp.Abs(f), lambda f: f**3),
        *(lambda f: f * (1 + f**2), lambda f: f * sp.exp(f)),
    ],
)
def test_what_looks_like_a_mean_of_what_is_not_negative_is_none(of):
    for mean in (over_line(of), lambda f: total(of(f)), lambda f: sp.Integral(f, (t, sp.Max(of(f), 0), sp.oo))):
        for name, letters in (("means keep the order", {"f": -bell, "g": bell}), ("means are linear", {"terms": ()})):
            with pytest.raises(InputError, match="must be a sum, an integral or an expectation"):
                FACTS[name].instance({"mean": mean, **letters})


@settings(max_examples=20, deadline=None)
@given(st.integers(-3, 3), st.integers(1, 4))
def test_a_mean_is_the_same_of_every_function(c, k):
    """What a letter does with one function alone is no part of it."""
    weight = sp.exp(-k * t**2)
    mean = lambda f: sp.Integral(weight * (f if isinstance(f, sp.Symbol) else 7 * f), (t, -sp.oo, sp.oo))
    left, sign, right = FACTS["means are linear"].instance({"mean": mean, "terms": ((sp.Integer(c), bell),)})
    assert sign == "=" and sp.simplify((left - right).doit()) == 0
    assert right == c * sp.Integral(weight * bell, (t, -sp.oo, sp.oo))


def test_tails_of_a_gamma_law_begin_at_positive_edges():
    """Q(3, -1/t) is more than 1, and does not tend to 0 with t > 0."""
    upper, both = FACTS["upper tails of a gamma law far out"], FACTS["both tails of a gamma law far out"]
    right = {"s": sp.Integer(3), "c": sp.Integer(2), "one": 1 / positive, "other": 2 / positive, "argument": positive}
    left, sign, limit = upper.instance(right)
    assert (sign, limit) == ("=", 0) and left.args[0] == Qg(3, 1 / positive) - 2 * Qg(3, 2 / positive)
    for wrong in ({"one": -1 / positive}, {"other": 1 / t}, {"s": -one}, {"c": sp.exp(1 / positive)}, {"s": positive}):
        with pytest.raises(InputError):
            upper.instance({**right, **wrong})
    right = {"s": sp.Integer(3), "low": 1 / positive, "high": positive, "argument": positive}
    assert both.instance(right)[2] == 0
    for wrong in ({"high": -positive}, {"low": -1 / positive}, {"s": zero}, {"s": 1 / positive}):
        with pytest.raises(InputError):
            both.instance({**right, **wrong})


def test_tails_of_a_gamma_law_are_bounded_where_they_are_tails():
    """Q(1, -x^2) is e^{x^2}."""
    known = Bounds(lambda f: x in f.free_symbols)
    assert all(bounds(tail(one, x**2), known) == (True, True) for tail in (Pg, Qg))
    for s, edge in ((one, -(x**2)), (one, x), (x, x**2), (-one, x**2), (zero, x**2)):
        assert not any(all(bounds(tail(s, edge), known)) for tail in (Pg, Qg))


def _of_pair(name, f):
    return by_fact(name, "", "a sum over a pair", {"f": f, "a": one, "b": one, "n": one, "m": one}, {})


def test_a_sum_over_a_pair_has_no_sum_inside():
    """With one, the sum of 1 was 2, of every vector."""
    one_of, of = quantity("coordinate", quantity("vector", one, one)), lambda f: quantity("sum", f)
    assert _of_pair("four", 2 * one_of).rhs == 4
    for f in (one_of * of(one_of), one_of * of(one), one_of + quantity("product", one_of)):
        with pytest.raises(InputError, match="goes over coordinates"):
            _of_pair("both", f)


def _moved(f):
    return by_fact("moved", "", "translations keep integrals", {"f": f, "shift": one}, {"integrable": "density"})


def test_what_is_moved_is_one_function_of_the_point():
    """A Python function of the point may be p at x, and 2 p at every other point."""
    assert problems(derivation((density, _moved(sp.Lambda(x, p))), {})) == []
    assert _moved(sp.Lambda(t, t * sp.exp(-t))).lhs == total((x - 1) * sp.exp(1 - x))
    for wrong in (
        *(lambda at: p if at == x else 2 * p, sp.Function("p"), p),
        *(sp.Lambda(t, p), sp.Lambda((x, t), p * t), sp.Lambda(x, p * over(bin_of_sum, p))),
    ):
        with pytest.raises(InputError, match="must"):
            _moved(wrong)
        letters = {"g": sp.Lambda(x, sp.exp(-(x**2))), "h": wrong, "m": one, "k": one}
        with pytest.raises(InputError, match="must"):
            FACTS["overlap of two even log-concave functions"].instance(letters)


@pytest.mark.parametrize("f", [bin_of_sum**2 * p, over(bin_of_sum, p) * p, p + bin_of_sum])
def test_parts_of_a_partition_are_of_one_function(f):
    """j^2 p is another function in every bin."""
    assert FACTS["parts of a partition"].instance({"f": p})[0] == summed(over(bin_of_sum, p))
    with pytest.raises(InputError, match="must not speak of the bin"):
        FACTS["parts of a partition"].instance({"f": f})


def test_what_is_drawn_has_two_names_and_is_no_number_under_either():
    """Of E z_i^2 = z_i^2 at z_i = 5 and at 6, 36 <= 25 would follow."""
    b, u = letter("b"), sp.Symbol("u", real=True)
    form = {"f": u**2, "argument": u, "b^T": transpose(b), "b": b, "length": sp.Symbol("l", positive=True)}
    standard = {"f": entry(x) ** 2, "mean": zero, "std": one}
    image = {"p": density_of_p(x), "f": sp.exp(x), "image": at_image}
    for name, letters in (
        ("linear form of a standard normal vector", form),
        ("independent normal coordinates", standard),
        ("affine image of a standard normal vector", image),
    ):
        assert FACTS[name].instance(letters)
        for drawn in (z, coordinates, entry(coordinates) ** 2):
            with pytest.raises(InputError, match="which is drawn"):
                FACTS[name].instance({**letters, "f": letters["f"] + drawn})


def test_what_goes_over_the_point_is_not_exchanged_with_what_does():
    """The integral of e^{-x^2/2} p over the line is a number, and has no integral over the line."""
    exchanged = FACTS["Tonelli's theorem"]
    for right in (average, summed, over_line(lambda f: bell * f)):
        assert exchanged.instance({"mean": right, "f": p * bell})[1] == "="
    for wrong in (
        *(total, lambda f: over(bin_of_sum, f), over_line(lambda f: bell * f * sp.exp(x))),
        *(lambda f: sp.Integral(f * sp.exp(-(x**2)), (x, -sp.oo, sp.oo)),),
    ):
        with pytest.raises(InputError, match="must not speak of x"):
            exchanged.instance({"mean": wrong, "f": p * bell})


@pytest.mark.parametrize("name", ["spectral theorem", "spectral theorem, U U^T", "spectral theorem, U^T U"])
def test_the_letters_of_the_spectral_theorem_are_of_matrices(name):
    """Were the diagonal a number c, every symmetric matrix would be c I; were U a vector, u u^T would be I."""
    U, u = letter("U"), letter("u")
    right = {"A": letter("A"), "U": U, "U^T": transpose(U), "diagonal": letter("D")}
    assert FACTS[name].instance(right)[1] == "="
    for wrong in ({"diagonal": t}, {"diagonal": u}, {"diagonal": U}, {"U": u, "U^T": transpose(u)}):
        with pytest.raises(InputError):
            FACTS[name].instance({**right, **wrong})


def _stretched(statistic, c):
    """That the sum W of a statistic over the coordinates is c W of coordinates that are twice as large."""
    letters = {"P": scaled(lam, m, zero), "excess": EXCESS, "statistic": statistic, "a": sp.Integer(2), "c": c, "t": t}
    shown = {
        "variance": Step("v", "", 1 + EXCESS, sp.Max(1, entry(lam)), kind="inference", premises=("k",)),
        "others": Step("others", "", lhs=sp.Subs(statistic, EXCESS, 0), rhs=zero),
        "homogeneous": Step(
            "form", "", lhs=statistic.subs(entry(x), 2 * sp.UnevaluatedExpr(entry(x))), rhs=c * statistic
        ),
        "positive": Step("c > 0", "", lhs=c, rhs=zero, relation=">", witness=c),
    }
    excess_of = Step("k", "", lhs=EXCESS, rhs=sp.Max(1, entry(lam)) - 1, kind="definition")
    return excess_of, by_fact("image", "", "a homogeneous statistic of an image", letters, shown)


def test_a_probability_below_an_edge_says_of_which_statistic():
    """Of W_2 = sum k x^2 and W_4 = sum k x^4, P[W_2 < 4] = P[W_4 < 1] would follow."""
    square, fourth = (EXCESS * entry(x) ** k for k in (2, 4))
    images = [_stretched(square, sp.Integer(4)), _stretched(fourth, sp.Integer(16))]
    for steps in images:
        assert not [text for text in problems(derivation(steps, {"lam": lam, "m": m})) if "condition" in text]
    (two, four) = (steps[1] for steps in images)
    assert two.lhs != four.lhs and two.rhs.args[0] != four.rhs.args[0]
    assert two.rhs.args == (law_under(quantity("sum", square), scaled(lam, m, zero)), t / 4)


def test_coordinates_of_variance_1_have_no_part_in_a_statistic_of_an_image():
    """They are not stretched."""
    steps = _stretched(entry(x) ** 2, sp.Integer(4))
    assert derivation(steps, {"lam": lam, "m": m}).holds(steps[1].conditions["others"]) is False
    square = EXCESS * entry(x) ** 2
    for wrong in ({"c": 4 * entry(lam)}, {"a": entry(lam)}, {"a": entry(x)}):
        with pytest.raises(InputError, match="must be a number"):
            FACTS["a homogeneous statistic of an image"].instance({**_stretched(square, 4 * one)[1].letters, **wrong})
    with pytest.raises(InputError, match="must be a symbol"):
        FACTS["a homogeneous statistic of an image"].required["others"]({"statistic": square, "excess": EXCESS**2})


@pytest.mark.parametrize("exchanged", ["", ", exchanged"])
def test_the_set_of_a_slope_is_one_of_the_loss(exchanged):
    """Of another statistic it is not the one at which the divergence is attained."""
    order = scale_order()
    k = next(k for k, one in enumerate(order.steps) if one.fact == f"envelope theorem for the divergence{exchanged}")
    other = replace(order.steps[k], letters={**order.steps[k].letters, "statistic": EXCESS * entry(x) ** 4})
    for step, right in ((order.steps[k], True), (other, False)):
        found = step_problems(replace(order, steps=(*order.steps[:k], step, *order.steps[k + 1 :]), faults=()), k)
        assert any("condition 'loss'" in text for text in found) is not right
