"""Letters of facts stand apart: from what the fact brings in, from what it goes over, and from what is drawn."""

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, integrated, passes

from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import matrix, real, vector
from ndis_verify.symbolic import notation as n
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_angles import below as below_angle
from ndis_verify.symbolic.facts_of_angles import cot, xi
from ndis_verify.symbolic.facts_of_envelopes import fall_in
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.normal_coordinates import z as normal_z
from ndis_verify.symbolic.normal_images import at_image, p
from ndis_verify.symbolic.notation import average, definite, normal, scalar, summed, total, transpose, x
from ndis_verify.symbolic.special_functions import phi
from ndis_verify.symbolic.statement_terms import quantity

held = sp.UnevaluatedExpr
zero, one, half = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
two, four, five = sp.Integer(2), sp.Integer(4), sp.Integer(5)
t, r, s, y, m, k, u, X, Y, C, D, S, P, Q = sp.symbols("t r s y m k u X Y C D S P Q", real=True)
eps = sp.Symbol("epsilon", nonnegative=True)
INDEPENDENT = "independent draws"


def _order(name, left, sign, right=zero, witness=None):
    return Step(name, "", left, right, sign, left - right if witness is None else witness)


def _held(value, sign="=", bound=None):
    """What nobody doubts, as a step."""
    bound = value if bound is None else bound
    return Step("held", "", held(value), bound, sign, value - bound if sign != "=" else None)


def _fact(name, fact, letters, conditions=None, premises=()):
    return by_fact(name, "", fact, letters, conditions or {}, premises=premises)


def _conditions(fact, letters, witness=None):
    """The conditions of a fact that ask for relations, as steps that say them."""
    found = {}
    for name, wanted in FACTS[fact].required.items():
        left, sign, right = wanted(letters)
        shown = left - right if witness is None else witness
        found[name] = Step(name, "", held(left), right, sign, None if sign == "=" else shown)
    return found


def _wrong(*steps, hypotheses=()):
    return "; ".join(problems(derivation(steps, {}, hypotheses)))


def _claim(text, *hypotheses, over=()):
    return statement(text, *hypotheses, over=over or (real("y", -9, 9),))


def _lemma(step, *hypotheses):
    symbols = {str(one_): one_ for one_ in step.rhs.free_symbols}
    ends = (Conclusion("OTHER", step.name, symbols),)
    return Derivation(f"a.{step.name}", "of something", (), hypotheses, (step,), step.name, symbols, concludes=ends)


# What facts bring in


def test_a_root_stands_in_none_of_its_own_letters():
    """y + 1 <= y: the root r of t - r - 1, between r and r + 2."""

    def root(f, low, high):
        shown = {"low": _order("low", f.subs(t, low), ">="), "high": _order("high", f.subs(t, high), "<=")}
        letters = {"f": f, "argument": t, "low": low, "high": high, "root": r}
        return _fact("root", "a value in between", letters, shown)

    steps = (root(t - r - 1, r + 2, r), infer("end", y + 1, "<=", y, "root"))
    assert not passes(_claim("y + 1 <= y"), steps, {"y": y})
    found = _wrong(*steps)
    assert all(f"'{name}' speaks of r, which is said to exist" in found for name in ("f", "low", "high"))
    assert "r, which is said" not in _wrong(root(t - y - 1, y + 2, y))


def test_a_divergence_that_is_brought_in_stands_in_no_name_in_its_letters():
    """y >= y + 3/4: D was D^2 + 1, as E, which is D, stood in the shift."""
    E = sp.Symbol("E", real=True)

    def laws(shift):
        letters = {"divergence": D, "eigenvalue": one, "shift": shift, "variance": one}
        return _fact("kl", "divergence of two normal laws", letters)

    none = Step("h", "", held(zero), zero, ">=", zero)
    steps = (
        define(E, D),
        infer("e", D, "<=", E, "E"),
        laws(2 * E**2 + 2),
        _fact("linear", "means are linear", {"mean": summed, "terms": [(zero, zero)]}, {"integrable": none}),
        infer("more", E**2 + 1, "<=", E, "e", "kl", "linear"),
        _order("square", (E - half) ** 2, ">="),
        infer("end", y, ">=", y + sp.Rational(3, 4), Use("more", weight=-1), "square"),
    )
    assert not passes(_claim("y >= y + 3/4"), steps, {"y": y})
    assert "'shift' speaks of D, which is said to exist" in _wrong(*steps)
    assert "D, which is said" not in _wrong(laws(2 * y**2))


@pytest.mark.parametrize(("fact", "beyond"), [("exact upper limit", 1), ("exact lower limit", -1)])
def test_a_proportion_does_not_speak_of_its_limit(fact, beyond):
    """Pr[1 > 0] <= 0: the proportion was its own limit and 1."""
    limit = sp.Symbol("L", nonnegative=True)
    words = ("sets fixed by other rows", INDEPENDENT)

    def limited(probability):
        letters = {"limit": limit, "probability": probability, "level": zero}
        shown = {"fixed": words[0], "independent": words[1], "level": _held(zero, ">=", zero)}
        return _wrong(_fact("limit", f"{fact} of a proportion", letters, shown), hypotheses=words)

    assert "'probability' speaks of L, which is said to exist" in limited(limit + beyond)
    assert limited(y) == ""


def test_two_coordinates_of_a_direction_are_two():
    """sqrt(a + 1) = sqrt(b + 1) for all a, b >= 0: both coordinates were one symbol."""
    a, b = sp.symbols("a b", nonnegative=True)

    def coordinates(other):
        letters = {"a": a + 1, "b": b + 1, "square": a + b + 2, "C": C, "S": other}
        shown = {
            "first": _order("f", a + 1, ">="),
            "second": _order("s", b + 1, ">="),
            "length": Step("l", "", a + 1 + held(b + 1), a + b + 2),
        }
        names = ("first", "second")
        return [_fact(name, f"direction in the plane, {name} coordinate", letters, shown) for name in names]

    steps = (
        *coordinates(C),
        infer("one", sp.sqrt(a + 1), "=", sp.sqrt(a + b + 2) * C, "first"),
        infer("end", sp.sqrt(a + 1), "=", sp.sqrt(b + 1), "one", "second"),
    )
    over = (real("a", 0, 3), real("b", 0, 3))
    assert not passes(_claim("sqrt(a + 1) = sqrt(b + 1)", "a >= 0", "b >= 0", over=over), steps, {"a": a, "b": b})
    assert "C is said to exist twice" in _wrong(*steps)
    assert "exist twice" not in _wrong(*coordinates(S))


@pytest.mark.parametrize("exchanged", ["", ", exchanged"])
def test_two_laws_of_one_frame_are_two(exchanged):
    """The divergence of a law from another was that of the other from it: both were P."""
    letters = {"P": P, "epsilon": eps, "shift": zero, "first": four, "others": four, "d": one}
    letters |= {"scale": one, "other scale": one}
    shown = {name: _held(letters[name], ">", zero) for name in ("first", "others", "scale", "other scale")}
    shown["shift"] = _held(zero, ">=", zero)
    for other in (P, Q):
        step = _fact("frame", f"one frame for two normal laws{exchanged}", letters | {"Q": other}, shown)
        assert ("P is said to exist twice" in _wrong(step)) is (other == P)


def test_variables_that_add_are_three():
    """The law of 2 X was that of X."""
    kappa, count = sp.symbols("kappa k", positive=True)
    for others in ((X, X), (sp.Symbol("X'", real=True), Y)):
        letters = {"X": X, "X'": others[0], "Y": others[1], "kappa": kappa, "k": count, "k'": count}
        letters |= {"nu": one, "nu'": one}
        left, sign, right = FACTS["noncentral chi-square variables add"].required["moments"](letters)
        shown = {"moments": Step("moments", "", left, right, sign)}
        found = _wrong(_fact("sum", "noncentral chi-square variables add", letters, shown))
        assert ("X is said to exist twice" in found) is (others[0] == X)


def test_a_leverage_does_not_speak_of_its_own_record():
    """w^T w was one number below, at and above 3/4, and none of them there."""
    names = {name: letter(name) for name in ("S", "R", "v", "w", "v^T", "w^T")}
    words = Hypothesis(QUANTITIES["projection"].means, None, "projection")
    square = (1 + sp.sign(scalar(names["w^T"] * names["w"]) - sp.Rational(3, 4))) ** 2
    for leverage in (1 / (1 + square), half):
        shown = {
            "full rank": words.text,
            "least": _order("least", held(leverage), ">=", zero, leverage),
            "most": _order("most", held(leverage), "<=", one, sp.factor(leverage - 1)),
        }
        step = _fact("w", "a record of leverage p, w^T w", {"p": leverage, **names}, shown)
        found = "'p' speaks of w, which is said to exist" in _wrong(step, hypotheses=(words,))
        assert found is (leverage != half)


def test_a_matrix_does_not_speak_of_its_own_eigenvalues():
    """U^T (D D^T + 1) U = D, which no U and D obey."""
    U, own = letter("U"), letter("D")
    for A, wrong in ((own * transpose(own) + 1, True), (letter("A") * transpose(letter("A")), False)):
        shown = {"symmetric": Step("symmetric", "", transpose(A), held(A))}
        letters = {"A": A, "U": U, "U^T": letter("U^T"), "diagonal": own}
        found = _wrong(_fact("spectral", "spectral theorem", letters, shown))
        assert ("'A' speaks of D, which is said to exist" in found) is wrong


# Letters apart from others


def test_a_ratio_and_what_is_left_are_two_symbols():
    """The flux did not depend on the edge."""
    a, b = sp.symbols("p q", positive=True)
    c, left = sp.symbols("c c_1", nonnegative=True)
    flux = FACTS["slope of the probability of an ellipsoid"]
    letters = {"p": a, "q": b, "others": k, "which": 1, "edge": t, "ratio": c, "fall": fall_in(1, c, left)}
    assert flux.instance(letters | {"left": left})[1] == "="
    with pytest.raises(InputError, match="another symbol than the ratio"):
        flux.instance(letters | {"left": c})


def _flow(f, edge, across=zero, moved=zero):
    time = sp.Symbol("t", positive=True)
    name = sp.Function("B", real=True)(*sorted({time, *edge.free_symbols}, key=str))
    letters = {"below": name, "d": sp.Integer(3), "f": f, "g": one, "k": zero, "t": time, "speed": zero}
    letters |= {"across": across, "edge": edge}
    shown = {
        "density": str(name),
        "carried": Step("carried", "", sp.Derivative(f, time), moved),
        "start": Step("start", "", held(zero), zero),
    }
    flow = _fact("flow", "flow of an angle", letters, shown)
    return define(name, below_angle(sp.Integer(3), f, edge)), flow


def test_what_flows_below_an_edge_flows_below_one_edge():
    """The slope of 1 - e^{-t}, the mass below t, was 0; and where all leaked out at the poles, too."""
    time, edge = sp.symbols("t z", positive=True)
    assert "'edge' speaks of t, from which it has to be apart" in _wrong(*_flow(sp.exp(-cot), time))
    f = sp.exp(-time - cot)
    assert "divides by xi - 1, which may be 0" in _wrong(*_flow(f, edge, xi / (1 - xi**2), -f))
    assert _wrong(*_flow(sp.exp(-cot), edge)) == ""


def test_a_copy_and_its_mean_are_two():
    """Pr[|2 - 1| >= 1/2] <= 2 e^{-m/2} for every m: the mean of the copies was twice their value."""
    count = sp.Symbol("m", positive=True)
    certain = sp.sin(u) ** 2 + sp.cos(u) ** 2
    for mean, wrong in ((2 * certain, True), (S, False)):
        letters = {"X": certain, "mean": mean, "m": count, "c": half}
        shown = {
            "independent": INDEPENDENT,
            "low": Step("low", "", certain, zero, ">=", one),
            "high": Step("high", "", one, certain, ">=", zero),
            "copies": _order("copies", count, ">"),
            "distance": _held(half, ">=", zero),
        }
        step = _fact("copies", "Hoeffding's inequality", letters, shown)
        found = _wrong(step, hypotheses=(INDEPENDENT,))
        assert ("'mean' speaks of u, from which it has to be apart" in found) is wrong


def test_what_is_sketched_does_not_speak_of_the_sketch():
    """Pi w was independent of Pi B for a w that is made of Pi."""
    Pi, B, w = (letter(name) for name in ("Pi", "B", "w"))
    zero_ = Hypothesis("B^T w = 0", sp.Eq(transpose(B) * w, 0))
    words = "Pi r x n with independent standard normal entries"
    fact = "uncorrelated normal vectors are independent"
    for value in (w, w * scalar(transpose(w) * transpose(Pi) * Pi * w)):
        shown = {"normal": words, "uncorrelated": zero_.text}
        step = _fact("independent", fact, {"S": Pi, "B": B, "w": value}, shown)
        found = "'w' speaks of Pi, from which it has to be apart" in _wrong(step, hypotheses=(words, zero_))
        assert found is (value != w)
    with pytest.raises(InputError, match="must be a letter"):
        FACTS[fact].instance({"S": 2 * Pi, "B": B, "w": w})


def test_noise_is_one_matrix_for_every_vector():
    """A form was compared at y y^T - |y|^2, which is 0 at that y alone."""
    K, every = letter("K"), n.anything
    letters = {"mean": zero, "covariance": one, "other mean": letter("u"), "other covariance": one, "noise": K}
    step = _fact("noise", "independent noise on both of two normal laws", letters | {"epsilon": eps})
    named = define(K, every * transpose(every) - scalar(transpose(every) * every))
    found = _wrong(named, step)
    assert "K is another one for each y, which stands for any vector" in found
    assert "'noise' speaks of y, from which it has to be apart" in found
    assert "y, from which" not in _wrong(step) and "another one" not in _wrong(step)


def _limit_of_pairs(**other):
    first, second = sp.symbols("s a", positive=True)
    letters = dict.fromkeys(("variance", "other variance", "limit variance", "other limit variance"), one)
    letters |= {"distance": 1 / (1 + first), "least": 1 / (1 + first), "between": one, "limit": one, "first": first}
    letters |= {"second": second, "edge": one, "between edge": one, "epsilon": eps} | other
    shown = {"all": "a >= 1"} | _conditions("a limit of normal pairs", letters)
    hypothesis = Hypothesis("a >= 1", sp.Ge(letters["second"], 1))
    return _fact("limit", "a limit of normal pairs", letters, shown), hypothesis


def test_a_limit_of_distances_is_not_negative_and_speaks_of_no_parameter():
    """Divergences at distance -7, or at a limit that moved on with the other parameter, were at most those at 0."""
    second = sp.Symbol("a", positive=True)
    step, all_ = _limit_of_pairs()
    assert _wrong(step, hypotheses=(all_,)) == "" and derivation((step,), {}, (all_,)).proved
    seven = sp.Integer(-7)
    step, all_ = _limit_of_pairs(distance=zero, least=seven, between=seven, limit=seven)
    assert not derivation((step,), {}, (all_,)).holds(step.conditions["distance"])
    moves = second**2 + one
    step, all_ = _limit_of_pairs(**{"variance": moves, "limit variance": moves})
    assert "'limit variance' speaks of a, from which it has to be apart" in _wrong(step, hypotheses=(all_,))
    low = sp.Symbol("e", positive=True)
    step, all_ = _limit_of_pairs(epsilon=low)
    found = _wrong(define(low, 10 / sp.Symbol("s", positive=True)), step, hypotheses=(all_,))
    assert "'epsilon' speaks of s, from which it has to be apart" in found


def test_the_parameters_of_a_limit_of_pairs_are_two_that_stand_for_every_positive_number():
    first, second = sp.symbols("s a", positive=True)
    fact = FACTS["a limit of normal pairs"]
    letters = _limit_of_pairs()[0].letters
    assert len(fact.instance(letters)) == 3 and fact.instance(letters)[1] == "<="
    for wrong in ({"first": sp.Symbol("s", negative=True)}, {"second": first}, {"first": second + 1}):
        assert fact.instance(letters | wrong)[1] != "<="


def test_what_is_no_letter_of_theta_speaks_of_no_theta_by_a_name():
    """Theta given Y was normal with the mean theta + 1."""
    theta, at, name = sp.symbols("theta u M", real=True)
    rest = -(Y**2)
    letters = {"joint": -((theta - name) ** 2) / 2 + rest, "theta": theta, "y": Y, "mean": name, "variance": one}
    letters |= {"rest": rest, "at": at}
    mass = FACTS["a quadratic exponent is a normal law"].required["density"](letters)[0]
    shown = {
        "exponent": Step("exponent", "", held(letters["joint"]), letters["joint"]),
        "spread": _held(one, ">", zero),
        "density": integrated("density", mass, sp.sqrt(sp.pi)),
    }
    step = _fact("law", "a quadratic exponent is a normal law", letters, shown)
    for value, wrong in ((theta + 1, True), (Y + 1, False)):
        end = infer("end", step.lhs, "=", normal(value, one), "law", "M")
        found = _wrong(define(name, value), step, end)
        assert ("'mean' speaks of theta, from which it has to be apart" in found) is wrong


def test_a_bound_of_a_loss_does_not_speak_of_its_statistic():
    """e^{-y/2} >= 1 for every y >= 0: the loss was bounded at (S - y)/2, y the statistic itself."""
    value = sp.Symbol("y", nonnegative=True)
    level = total_of(zero)
    laws = {"P": n.scaled(one, m, zero), "Q": n.unscaled(m)}
    letters = {**laws, "variance": one, "statistic": zero, "share": zero, "level": level, "value": value}

    def bounded(epsilon):
        own = letters | {"epsilon": epsilon}
        return _fact("none", "a bounded loss", own, _conditions("a bounded loss", own, zero))

    epsilon = (level - value) / 2
    apart = {"P": laws["Q"], "Q": laws["P"], "epsilon": epsilon, "t": t}
    sums = {"mean": lambda f: quantity("sum", f), "terms": [(zero, entry(m))]}
    steps = (
        bounded(epsilon),
        _fact("above", "an event above a threshold", apart),
        _fact("below", "an event below a threshold", apart),
        _fact("linear", "means are linear", sums, {"integrable": _order("square", entry(m) ** 2, ">=")}),
        infer("end", sp.exp(-value / 2), ">=", one, "none", "above", "below", "linear"),
    )
    assert not passes(_claim("e^(-y/2) >= 1", "y >= 0"), steps, {"y": value})
    assert "'epsilon' speaks of y, from which it has to be apart" in _wrong(*steps)
    assert "y, from which" not in _wrong(bounded(eps))


@pytest.mark.parametrize(
    ("fact", "name"),
    [("integral over the positive definite matrices", "w"), ("density of a mixture over a Wishart matrix", "x")],
)
def test_what_is_integrated_over_a_matrix_speaks_of_it_in_one_letter(fact, name):
    """Integrals over all M were functions of M."""
    b, N = letter("b"), letter("N")
    letters = {"N": N, "X": letter("X"), "M": definite, "n": two, "d": one, "least": one, "Z": letter("z0"), "r": two}
    letters |= {"P": normal(b, definite), "x": b}
    for value, wrong in ((definite * b, True), (b, False)):
        own = {one_: letters.get(one_) for one_ in FACTS[fact].letters} | {name: value}
        found = _wrong(_fact("over", fact, own))
        assert (f"'{name}' speaks of M, from which it has to be apart" in found) is wrong


def test_a_bound_of_differences_holds_for_all_that_may_be_put_and_taken():
    """Pr[f - E f >= 1/2] <= e^-50: the bound was one for each difference, and small where there is none."""
    j = n.bin_of_sum
    share, put, taken, g = (sp.Function(name, real=True)(j) for name in "Sabg")
    f, moved, change, c = sp.symbols("f moved change c", real=True)
    letters = {"f": f, "formula": summed(g * share), "share": share, "change": change, "put": put, "taken": taken}
    letters |= {"moved": moved, "n": sp.Symbol("n", positive=True), "c": c, "t": sp.Symbol("t", nonnegative=True)}
    step = _fact("differences", "bounded differences", letters)
    found = _wrong(define(c, summed(g * put) - summed(g * taken)), step)
    assert "'c' speaks of a(j), from which it has to be apart" in found and "'c' speaks of b(j)" in found
    assert "'c' speaks" not in _wrong(define(c, y**2 + 1), step)


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
        found = _wrong(_fact("drawn", fact, letters))
        assert (f"{value} is said to be drawn, and is no symbol" in found) is (value == other)


def test_what_is_drawn_in_a_lemma_is_no_constant_here():
    """m (1 - m)/5 <= 0 for m between 0 and 1: the share of a lemma was its own mean."""
    words = (INDEPENDENT, Hypothesis("m >= 0", m >= 0), Hypothesis("m <= 1", m <= 1))
    shown = {"independent": INDEPENDENT, "least": "m >= 0", "most": "m <= 1", "draws": _held(five, ">", zero)}
    lemma = _lemma(_fact("v", "variance of a share", {"share": S, "mass": m, "n": five}, shown), *words)
    for value, wrong in ((S, True), (X, False)):
        constant = _fact("constant", "expectation of a constant", {"c": (value - m) ** 2})
        sides = (average((S - m) ** 2) - constant.lhs, "=", m * (1 - m) / 5 - constant.rhs)
        end = infer("end", *sides, Use("constant", weight=-1), Use("v", of=lambda: lemma))
        assert (f"{value} is drawn, and 'c' is a number" in _wrong(constant, end, hypotheses=words)) is wrong


def test_a_bound_in_the_mean_is_one_number_whatever_is_given():
    """A probability was at most the one given the other rows, which may be smaller."""
    fact = FACTS["in the mean over what is given"]
    assert fact.instance({"event": X, "bound": half}) == (n.exceeds(X), "<=", half)
    with pytest.raises(InputError, match="whatever is given"):
        fact.instance({"event": X, "bound": n.given(X)})


def test_a_function_of_what_comes_out_is_any_one():
    """X had no less information about X than any Y had: h(Y), of which nothing is known, was X."""
    h = sp.Function("h", real=True)(Y)
    step = _fact("f", "data processing of information", {"input": X, "output": Y, "image": h})
    end = infer("end", n.informed(X, X), "<=", n.informed(X, Y), "f", str(h))
    words = "of which nothing is to be known, and something defines it"
    assert f"'image' is h(Y), {words}" in _wrong(define(h, X), step, end)
    assert words not in _wrong(step)
    letters = {"estimate": h, "mean": zero, "variance": one, "theta": X, "y": Y}
    best = _fact("best", "the conditional mean is the best estimate", letters)
    assert f"'estimate' is h(Y), {words}" in _wrong(define(h, X + 1), best) and words not in _wrong(best)


# Rayleigh quotients, sketches and vectors


def _quotients(S, T, quotient, bound, shown):
    letters = {"S": S, "T": T, "quotient": quotient, "bound": bound}
    return _fact("f", "eigenvalues lie above a bound of Rayleigh quotients", letters, shown)


def test_a_quotient_of_a_number_is_none():
    """The eigenvalue of 2 was at least 5, and that of 7 at most that of 2."""
    seven = sp.Integer(7)
    shown = {"least": _held(seven, ">=", five), "definite": _held(one, ">", zero)}
    assert "says nothing of these letters" in _wrong(_quotients(two, one, seven, five, shown))
    letters = {"S": seven, "T": one, "quotient": zero, "S'": two, "T'": one, "other quotient": one}
    step = _fact("f", "eigenvalues follow Rayleigh quotients", letters)
    assert "says nothing of these letters" in _wrong(step)


def test_a_quotient_is_bounded_at_every_vector():
    """u^T B^T B u >= 1 for every u of length 1: shown at one v."""
    B, w, v = (letter(name) for name in "Buv")

    def form(at):
        return scalar(transpose(at) * transpose(B) * B * at)

    words = (
        Hypothesis("v^T B^T B v >= 1", sp.Ge(form(v), 1)),
        Hypothesis("u^T u = 1", sp.Eq(scalar(transpose(w) * w), 1)),
    )
    definite_ = {"definite": _held(one, ">", zero)}
    steps = (
        _quotients(transpose(B) * B, one, form(v), one, {"least": words[0].text} | definite_),
        _fact("g", "forms lie above the least eigenvalue", {"S": transpose(B) * B, "u": w, "u^T": transpose(w)}),
        infer("end", form(w), ">=", one, "g", "f", Use(words[1].text)),
    )
    over = (matrix("B", 2, 2, -3, 3), vector("u", "reals", 2, -2, 2), vector("v", "reals", 2, -2, 2))
    claim = _claim("u^T B^T B u >= 1", *(one_.text for one_ in words), over=over)
    assert not passes(claim, steps, {"B": B, "u": w, "v": v}, words)
    assert "condition 'least' is shown at one v alone" in _wrong(*steps, hypotheses=words)
    every = n.anything
    square = _fact("sq", "squared length", {"w": B * every, "w^T": transpose(B * every)})
    whole = _quotients(transpose(B) * B, one, form(every), zero, {"least": "sq"} | definite_)
    assert "alone" not in _wrong(square, whole)
    larger = letter("C")
    forms = {"quotient": form(v), "other quotient": scalar(transpose(v) * transpose(larger) * larger * v)}
    order = Hypothesis("order at v", sp.Le(forms["other quotient"], forms["quotient"]))
    letters = {"S": transpose(B) * B, "T": one, "S'": transpose(larger) * larger, "T'": one, **forms}
    shown = {"order": order.text, **definite_, "other definite": _held(one, ">", zero)}
    step = _fact("f", "eigenvalues follow Rayleigh quotients", letters, shown)
    assert "condition 'order' is shown at one v alone" in _wrong(step, hypotheses=(order,))


def test_second_moments_are_of_a_vector_that_the_matrix_does_not_speak_of():
    """E |g|^4 = E |g|^2, and E A^T G G^T A for a matrix G."""
    A, g = letter("A"), letter("g")
    fact = "second moments of a linear image"
    for matrix_, wrong in ((g, True), (A, False)):
        letters = {"A": matrix_, "A^T": transpose(matrix_), "g": g, "g^T": transpose(g), "z": k}
        assert ("'A' speaks of g, from which it has to be apart" in _wrong(_fact("f", fact, letters))) is wrong
    with pytest.raises(InputError, match="must be a vector"):
        FACTS[fact].instance({"A": A, "A^T": transpose(A), "g": letter("G"), "g^T": transpose(letter("G")), "z": k})


# Shares, words and information


@pytest.mark.parametrize(("mass", "count", "broken"), [(7, 1, "most"), (-1, 1, "least"), (half, 0, "draws")])
def test_a_mass_is_between_0_and_1(mass, count, broken):
    """A variance of -42: that of a share of mass 7."""
    fact = "variance of a share"
    for own, draws, right in ((half, one, True), (sp.sympify(mass), sp.sympify(count), False)):
        shown = _conditions(fact, {"share": S, "mass": own, "n": draws})
        assert (derivation((shown[broken],), {}).proved is True) is right
    step = _fact("v", fact, {"share": S, "mass": sp.Integer(7), "n": one}, {"independent": INDEPENDENT})
    assert "must show exactly these conditions" in _wrong(step, hypotheses=(INDEPENDENT,))


def test_masses_of_shares_add_up_to_1():
    assert {*FACTS["mean of a share"].required} == {"sign", "law"}
    mass = sp.Function("p", nonnegative=True)(n.bin_of_sum)
    assert FACTS["mean of a share"].required["law"]({"share": S, "mass": mass}) == (summed(mass), "=", one)
    step = _fact("mean", "mean of a share", {"share": S, "mass": y}, {"draws": INDEPENDENT})
    assert "must show exactly these conditions: draws, sign, law" in _wrong(step, hypotheses=(INDEPENDENT,))


def test_a_definition_in_words_grants_no_hypothesis():
    lemma = _lemma(_fact("end", "shares of draws", {"shares": Y}, {"draws": INDEPENDENT}), INDEPENDENT)
    words = f"'setting' does not say the hypothesis '{INDEPENDENT}'"
    for own, wrong in (((), True), ((INDEPENDENT,), False)):
        setting = Step("setting", "Let there be independent draws.", kind="definition", premises=own)
        use = Use("end", of=lambda: lemma, granted={} if own else {INDEPENDENT: "setting"})
        found = _wrong(setting, infer("end", summed(Y), "=", one, use, "setting"), hypotheses=own)
        assert (words in found) is wrong


def test_information_is_that_of_a_record_and_its_release():
    """a + 1 <= a: information and divergence were any two numbers."""
    fact = FACTS["mutual information and any reference law"]
    letters = {"input": X, "output": Y, "divergence": D}
    assert fact.instance(letters) == (n.informed(X, Y), "<=", average(D))
    words = "laws of the release for each record of norm at most l, and for none"
    step = _fact("info", "mutual information and any reference law", letters, {"laws": words})
    found = _wrong(define(D, zero), step, infer("end", n.informed(X, Y), "<=", zero, "info", "D"), hypotheses=(words,))
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
    shown = {name: _held(one, ">", zero) for name in ("variance", "other variance", "rest", "other rest")}
    assert _wrong(_fact("f", fact, letters, shown)) == ""
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
        return _fact(name, "density of a normal law by its precision", letters, shown)

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
        claim = _claim("(2 pi)^(-cols(A)/2) = (2 pi)^(-cols(B)/2)", over=over)
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
