"""What letters of facts have to be: drawn symbols, unknown functions, masses, vectors, functions of the place."""

import pytest
import sympy as sp
from steps_by_hand import claimed, conditions_of, evident, half, held, of_fact, one, two, wrong_with, zero
from whole_proofs import define, derivation, infer, passes

from ndis_verify.exact_number import InputError
from ndis_verify.statements.statement import matrix, vector
from ndis_verify.symbolic import notation as n
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.normal_coordinates import z as normal_z
from ndis_verify.symbolic.normal_images import at_image, p
from ndis_verify.symbolic.notation import average, definite, scalar, summed, total, transpose, x
from ndis_verify.symbolic.special_functions import phi
from ndis_verify.symbolic.statement_terms import quantity

four, five = sp.Integer(4), sp.Integer(5)
t, s, y, m, k, u, X, Y, D, S = sp.symbols("t s y m k u X Y D S", real=True)
eps = sp.Symbol("epsilon", nonnegative=True)
INDEPENDENT = "independent draws"


def _lemma(step, *hypotheses):
    symbols = {str(one_): one_ for one_ in step.rhs.free_symbols}
    ends = (Conclusion("OTHER", step.name, symbols),)
    return Derivation(f"a.{step.name}", "of something", (), hypotheses, (step,), step.name, symbols, concludes=ends)


# Drawn letters and unknown functions


@pytest.mark.parametrize(
    ("fact", "name", "drawn", "other", "rest"),
    [
        ("mean of a share", "share", S, 2 * S, {"mass": y}),
        ("shares of draws", "shares", sp.Function("S")(n.bin_of_sum), 2 * sp.Function("S")(n.bin_of_sum), {}),
        ("points under a curve", "point", X, X + 1, {"f": sp.exp(-t), "argument": t}),
        ("singular values of a normal matrix", "off", u, 1000 * (sp.sin(u) ** 2 + sp.cos(u) ** 2), {"d": 1, "s": 10}),
        ("second moments of a linear image", "g", letter("g"), 2 * letter("g"), {"A": letter("A"), "z": k}),
    ],
)
def test_what_is_drawn_is_a_symbol(fact, name, drawn, other, rest):
    """A share and its double had one law, as had a point and the next, and what is 1000 was small."""
    for value in (drawn, other):
        letters = {name: value} | {key: sp.sympify(one_) for key, one_ in rest.items()}
        letters |= {f"{key}^T": transpose(letters[key]) for key in ("A", "g") if key in letters}
        found = wrong_with(of_fact("drawn", fact, letters))
        assert (f"{value} is said to be drawn, and is no symbol" in found) is (value == other)


def test_what_is_drawn_in_a_lemma_is_no_constant_here():
    """m (1 - m)/5 <= 0 for m between 0 and 1: the share of a lemma was its own mean."""
    words = (INDEPENDENT, Hypothesis("m >= 0", m >= 0), Hypothesis("m <= 1", m <= 1))
    shown = {"independent": INDEPENDENT, "least": "m >= 0", "most": "m <= 1", "draws": evident(five, ">", zero)}
    lemma = _lemma(of_fact("v", "variance of a share", {"share": S, "mass": m, "n": five}, shown), *words)
    for value, wrong in ((S, True), (X, False)):
        constant = of_fact("constant", "expectation of a constant", {"c": (value - m) ** 2})
        sides = (average((S - m) ** 2) - constant.lhs, "=", m * (1 - m) / 5 - constant.rhs)
        end = infer("end", *sides, Use("constant", weight=-1), Use("v", of=lambda: lemma))
        assert (f"{value} is drawn, and 'c' is a number" in wrong_with(constant, end, hypotheses=words)) is wrong


def test_a_bound_in_the_mean_is_one_number_whatever_is_given():
    """A probability was at most the one given the other rows, which may be smaller."""
    fact = FACTS["in the mean over what is given"]
    assert fact.instance({"event": X, "bound": half}) == (n.exceeds(X), "<=", half)
    with pytest.raises(InputError, match="whatever is given"):
        fact.instance({"event": X, "bound": n.given(X)})


def test_a_function_of_what_comes_out_is_any_one():
    """X had no less information about X than any Y had: h(Y), of which nothing is known, was X."""
    h = sp.Function("h", real=True)(Y)
    step = of_fact("f", "data processing of information", {"input": X, "output": Y, "image": h})
    end = infer("end", n.informed(X, X), "<=", n.informed(X, Y), "f", str(h))
    words = "of which nothing is to be known, and something defines it"
    assert f"'image' is h(Y), {words}" in wrong_with(define(h, X), step, end)
    assert words not in wrong_with(step)
    letters = {"estimate": h, "mean": zero, "variance": one, "theta": X, "y": Y}
    best = of_fact("best", "the conditional mean is the best estimate", letters)
    assert f"'estimate' is h(Y), {words}" in wrong_with(define(h, X + 1), best) and words not in wrong_with(best)


# Rayleigh quotients, sketches and vectors


def _quotients(S, T, quotient, bound, shown):
    letters = {"S": S, "T": T, "quotient": quotient, "bound": bound}
    return of_fact("f", "eigenvalues lie above a bound of Rayleigh quotients", letters, shown)


def test_a_quotient_of_a_number_is_none():
    """The eigenvalue of 2 was at least 5, and that of 7 at most that of 2."""
    seven = sp.Integer(7)
    shown = {"least": evident(seven, ">=", five), "definite": evident(one, ">", zero)}
    assert "says nothing of these letters" in wrong_with(_quotients(two, one, seven, five, shown))
    letters = {"S": seven, "T": one, "quotient": zero, "S'": two, "T'": one, "other quotient": one}
    step = of_fact("f", "eigenvalues follow Rayleigh quotients", letters)
    assert "says nothing of these letters" in wrong_with(step)


def test_a_quotient_is_bounded_at_every_vector():
    """u^T B^T B u >= 1 for every u of length 1: shown at one v."""
    B, w, v = (letter(name) for name in "Buv")

    def form(at):
        return scalar(transpose(at) * transpose(B) * B * at)

    words = (
        Hypothesis("v^T B^T B v >= 1", sp.Ge(form(v), 1)),
        Hypothesis("u^T u = 1", sp.Eq(scalar(transpose(w) * w), 1)),
    )
    definite_ = {"definite": evident(one, ">", zero)}
    steps = (
        _quotients(transpose(B) * B, one, form(v), one, {"least": words[0].text} | definite_),
        of_fact("g", "forms lie above the least eigenvalue", {"S": transpose(B) * B, "u": w, "u^T": transpose(w)}),
        infer("end", form(w), ">=", one, "g", "f", Use(words[1].text)),
    )
    over = (matrix("B", 2, 2, -3, 3), vector("u", "reals", 2, -2, 2), vector("v", "reals", 2, -2, 2))
    claim = claimed("u^T B^T B u >= 1", *(one_.text for one_ in words), over=over)
    assert not passes(claim, steps, {"B": B, "u": w, "v": v}, words)
    assert "condition 'least' is shown at one v alone" in wrong_with(*steps, hypotheses=words)
    every = n.anything
    square = of_fact("sq", "squared length", {"w": B * every, "w^T": transpose(B * every)})
    whole = _quotients(transpose(B) * B, one, form(every), zero, {"least": "sq"} | definite_)
    assert "alone" not in wrong_with(square, whole)
    larger = letter("C")
    forms = {"quotient": form(v), "other quotient": scalar(transpose(v) * transpose(larger) * larger * v)}
    order = Hypothesis("order at v", sp.Le(forms["other quotient"], forms["quotient"]))
    letters = {"S": transpose(B) * B, "T": one, "S'": transpose(larger) * larger, "T'": one, **forms}
    shown = {"order": order.text, **definite_, "other definite": evident(one, ">", zero)}
    step = of_fact("f", "eigenvalues follow Rayleigh quotients", letters, shown)
    assert "condition 'order' is shown at one v alone" in wrong_with(step, hypotheses=(order,))


def test_second_moments_are_of_a_vector_that_the_matrix_does_not_speak_of():
    """E |g|^4 = E |g|^2, and E A^T G G^T A for a matrix G."""
    A, g = letter("A"), letter("g")
    fact = "second moments of a linear image"
    for matrix_, wrong in ((g, True), (A, False)):
        letters = {"A": matrix_, "A^T": transpose(matrix_), "g": g, "g^T": transpose(g), "z": k}
        assert ("'A' speaks of g, from which it has to be apart" in wrong_with(of_fact("f", fact, letters))) is wrong
    with pytest.raises(InputError, match="must be a vector"):
        FACTS[fact].instance({"A": A, "A^T": transpose(A), "g": letter("G"), "g^T": transpose(letter("G")), "z": k})


# Shares, words and information


@pytest.mark.parametrize(("mass", "count", "broken"), [(7, 1, "most"), (-1, 1, "least"), (half, 0, "draws")])
def test_a_mass_is_between_0_and_1(mass, count, broken):
    """A variance of -42: that of a share of mass 7."""
    fact = "variance of a share"
    for own, draws, right in ((half, one, True), (sp.sympify(mass), sp.sympify(count), False)):
        shown = conditions_of(fact, {"share": S, "mass": own, "n": draws})
        assert (derivation((shown[broken],), {}).proved is True) is right
    step = of_fact("v", fact, {"share": S, "mass": sp.Integer(7), "n": one}, {"independent": INDEPENDENT})
    assert "must show exactly these conditions" in wrong_with(step, hypotheses=(INDEPENDENT,))


def test_masses_of_shares_add_up_to_1():
    assert {*FACTS["mean of a share"].required} == {"sign", "law"}
    mass = sp.Function("p", nonnegative=True)(n.bin_of_sum)
    assert FACTS["mean of a share"].required["law"]({"share": S, "mass": mass}) == (summed(mass), "=", one)
    step = of_fact("mean", "mean of a share", {"share": S, "mass": y}, {"draws": INDEPENDENT})
    assert "must show exactly these conditions: draws, sign, law" in wrong_with(step, hypotheses=(INDEPENDENT,))


def test_a_definition_in_words_grants_no_hypothesis():
    lemma = _lemma(of_fact("end", "shares of draws", {"shares": Y}, {"draws": INDEPENDENT}), INDEPENDENT)
    words = f"'setting' does not say the hypothesis '{INDEPENDENT}'"
    for own, wrong in (((), True), ((INDEPENDENT,), False)):
        setting = Step("setting", "Let there be independent draws.", kind="definition", premises=own)
        use = Use("end", of=lambda: lemma, granted={} if own else {INDEPENDENT: "setting"})
        found = wrong_with(setting, infer("end", summed(Y), "=", one, use, "setting"), hypotheses=own)
        assert (words in found) is wrong


def test_information_is_that_of_a_record_and_its_release():
    """a + 1 <= a: information and divergence were any two numbers."""
    fact = FACTS["mutual information and any reference law"]
    letters = {"input": X, "output": Y, "divergence": D}
    assert fact.instance(letters) == (n.informed(X, Y), "<=", average(D))
    words = "laws of the release for each record of norm at most l, and for none"
    step = of_fact("info", "mutual information and any reference law", letters, {"laws": words})
    found = wrong_with(
        define(D, zero), step, infer("end", n.informed(X, Y), "<=", zero, "info", "D"), hypotheses=(words,)
    )
    assert "D is said to exist" in found


# The place, slices, products and functions of one argument


@pytest.mark.parametrize("fact", ["independent normal coordinates", "independent normal coordinates, a set"])
def test_a_function_of_coordinates_speaks_of_the_place_by_them_alone(fact):
    """A mean over z was x^2, and what goes over x inside went over m + s z."""
    letters = {"mean": zero, "std": one}
    plain = FACTS[fact].instance(letters | {"f": total_of(entry(x) ** 2)})
    assert total_of(entry(normal_z) ** 2) in plain[2].args
    for f, words in ((x**2, "by its coordinates alone"), (total(sp.exp(-total_of(entry(x) ** 2))), "goes over x")):
        with pytest.raises(InputError, match=words):
            FACTS[fact].instance(letters | {"f": f})


def test_an_image_is_put_under_nothing_that_goes_over_the_place():
    """1 was an infinite integral: the image was put under a total."""
    fact = FACTS["affine image of a standard normal vector"]
    density = sp.Function("q0", nonnegative=True)(x)
    letters = {"p": p(x), "image": at_image}
    assert fact.instance(letters | {"f": density})[0] == total(p(x) * density)
    with pytest.raises(InputError, match="goes over x"):
        fact.instance(letters | {"f": total(density)})


def test_slices_are_of_laws_of_positive_variances():
    """A variance of 0 or -1 was one."""
    fact = "slices of two normal laws"
    letters = {"mean": zero, "other mean": zero, "variance": one, "other variance": one, "along": 0, "epsilon": eps}
    letters |= {"rest": (zero, one), "other rest": (zero, one)}
    shown = {name: evident(one, ">", zero) for name in ("variance", "other variance", "rest", "other rest")}
    assert wrong_with(of_fact("f", fact, letters, shown)) == ""
    assert FACTS[fact].required["rest"](letters | {"rest": (one, -one)}) == (-one, ">", zero)
    assert FACTS[fact].required["other rest"](letters | {"other rest": (one, zero)}) == (zero, ">", zero)


@pytest.mark.parametrize("name", ["first", "second"])
def test_variances_of_products_speak_of_no_point(name):
    """0.3226 <= 0.2725: the variance was that of the coordinate over which the loss is bounded."""
    letters = {"first": one, "second": four, "d": one, "epsilon": eps, "share": zero, "weight": zero}
    letters["t"] = sp.Symbol("t", positive=True)
    fact = FACTS["products as a hinge of a chi-square variable"]
    assert fact.instance(letters)[0].func == n.products
    with pytest.raises(InputError, match="the same at every point"):
        fact.instance(letters | {name: entry(x) ** 2})


def test_a_density_is_a_function_of_one_argument():
    """h(t, k) = h(w, t) for every w, k and t."""
    edge, other = sp.symbols("w k", real=True)
    h = sp.Function("h", nonnegative=True)
    fact = FACTS["probability below an edge by a density"]
    letters = {"P": n.scaled(two, m, zero), "statistic": entry(x) ** 2, "argument": edge, "edge": t}
    assert fact.required["density"](letters | {"f": h(edge)})[2] == h(edge)
    for wrong in (h(edge, other), h(other), edge):
        with pytest.raises(InputError, match="a function of the argument alone"):
            fact.required["density"](letters | {"f": wrong})


def test_a_matrix_of_precisions_has_the_size_of_the_other():
    """(2 pi)^{-2/2} = (2 pi)^{-3/2}: the size was that of any matrix."""
    A, B, w, at, gap = (letter(name) for name in "ABuvh")

    def density(name, N):
        size = quantity("columns", N)
        letters = {"N": N, "m": w, "W": one, "M": definite, "x": at, "h": gap, "d": size}
        shown = {
            "positive": Step("positive", "", one, zero, ">", one),
            "offset": "h",
            "size": Step("size", "", held(size), size),
        }
        return of_fact(name, "density of a normal law by its precision", letters, shown)

    first, second = density("a", A), density("b", B)
    powers = [(2 * sp.pi) ** (-quantity("columns", N) / 2) for N in (A, B)]
    steps = (
        define(gap, at - w),
        first,
        second,
        infer("one", powers[0], "=", first.lhs / (first.rhs / powers[0]), "a"),
        infer("other", powers[1], "=", second.lhs / (second.rhs / powers[1]), "b"),
        infer("end", powers[0], "=", powers[1], "one", "other"),
    )
    for size in (2, 3):
        over = (matrix("A", 2, 2, -9, 9), matrix("B", size, size, -9, 9))
        claim = claimed("(2 pi)^(-cols(A)/2) = (2 pi)^(-cols(B)/2)", over=over)
        assert passes(claim, steps, {"A": A, "B": B}) is (size == 2)


# Arguments that stand for every number


@pytest.mark.parametrize("direction", ["rising", "falling"])
def test_a_hinge_goes_over_every_positive_number(direction):
    """An integral of -0.298 was 0: the argument was negative, and what it is of was written for that."""
    below_0 = sp.Symbol("T", negative=True)
    for at in (sp.Symbol("T", positive=True), below_0):
        letters = {"f": sp.exp(-(at**2)), "h": -at, "argument": at, "edge": zero}
        if at == below_0:
            with pytest.raises(InputError, match="every number from some one on"):
                FACTS[f"hinge of a {direction} exponent"].instance(letters)
        else:
            assert FACTS[f"hinge of a {direction} exponent"].instance(letters)[0].variables == [at]


def test_a_normal_sum_is_any_number():
    """E |1 - z| = 1: the argument was positive, and |1 + a| was 1 + a."""
    fact = FACTS["mean of a function of a normal sum"]
    letters = {"b": entry(sp.Symbol("b", real=True)), "length": one}
    assert fact.instance(letters | {"f": sp.Abs(1 + k), "argument": k})[2].function == sp.Abs(1 + k) * phi(k)
    positive = sp.Symbol("a", positive=True)
    with pytest.raises(InputError, match="must stand for every real number"):
        fact.instance(letters | {"f": 1 + positive, "argument": positive})


def test_the_rest_of_a_slice_speaks_of_no_point():
    """A divergence that moves with x was a number."""
    laws = {"mean": zero, "other mean": zero, "variance": one, "other variance": one, "along": 0, "epsilon": zero}
    shown = {name: evident(one, ">") for name in ("variance", "other variance", "rest", "other rest")}

    def sliced(mean):
        return of_fact(
            "f", "slices of two normal laws", {**laws, "rest": (mean, one), "other rest": (zero, one)}, shown
        )

    assert "'rest' speaks of x" in wrong_with(sliced(x)) and "speaks of" not in wrong_with(sliced(one))


def test_a_mean_of_copies_is_a_symbol():
    """S and S + 100 were means of one variable, and both near 1 with a probability close to 1."""
    m = sp.Symbol("m", positive=True)
    variable = sp.sin(u) ** 2 + sp.cos(u) ** 2
    shown = {
        "independent": INDEPENDENT,
        "low": Step("low", "", variable, zero, ">=", one),
        "high": Step("high", "", one, variable, ">=", zero),
        "copies": Step("copies", "", m, zero, ">", witness=m),
        "distance": evident(half, ">="),
    }

    def near(mean):
        return of_fact("f", "Hoeffding's inequality", {"X": variable, "mean": mean, "m": m, "c": half}, shown)

    assert "is said to be drawn, and is no symbol" in wrong_with(near(S + 100), hypotheses=(INDEPENDENT,))
    assert "no symbol" not in wrong_with(near(S), hypotheses=(INDEPENDENT,))


def test_what_is_drawn_is_defined_nowhere():
    """(y - 1/2)^2 >= 1/4 for every y: S was y, and the share of a draw."""
    letters = {"share": S, "mass": half, "n": one}
    shown = conditions_of("variance of a share", letters) | {"independent": INDEPENDENT}
    drawn = of_fact("v", "variance of a share", letters, shown)
    assert "something defines it" in wrong_with(define(S, y + summed(zero)), drawn, hypotheses=(INDEPENDENT,))
    assert "something defines it" not in wrong_with(drawn, hypotheses=(INDEPENDENT,))
