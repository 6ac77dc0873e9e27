"""Letters of facts stand apart: from what the fact brings in, from what it goes over, and from one another."""

import pytest
import sympy as sp
from steps_by_hand import claimed, conditions_of, evident, half, held, in_order, of_fact, one, two, wrong_with, zero
from whole_proofs import define, derivation, infer, integrated, passes

from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import notation as n
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_angles import below as below_angle
from ndis_verify.symbolic.facts_of_angles import cot, xi
from ndis_verify.symbolic.facts_of_envelopes import fall_in
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.notation import definite, normal, scalar, summed, transpose
from ndis_verify.symbolic.statement_terms import quantity

four = sp.Integer(4)
t, r, s, y, m, k, u, X, Y, C, D, S, P, Q = sp.symbols("t r s y m k u X Y C D S P Q", real=True)
eps = sp.Symbol("epsilon", nonnegative=True)
INDEPENDENT = "independent draws"


# What facts bring in


def test_a_root_stands_in_none_of_its_own_letters():
    """y + 1 <= y: the root r of t - r - 1, between r and r + 2."""

    def root(f, low, high):
        shown = {"low": in_order("low", f.subs(t, low), ">="), "high": in_order("high", f.subs(t, high), "<=")}
        letters = {"f": f, "argument": t, "low": low, "high": high, "root": r}
        return of_fact("root", "a value in between", letters, shown)

    steps = (root(t - r - 1, r + 2, r), infer("end", y + 1, "<=", y, "root"))
    assert not passes(claimed("y + 1 <= y"), steps, {"y": y})
    found = wrong_with(*steps)
    assert all(f"'{name}' speaks of r, which is said to exist" in found for name in ("f", "low", "high"))
    assert "r, which is said" not in wrong_with(root(t - y - 1, y + 2, y))


def test_a_divergence_that_is_brought_in_stands_in_no_name_in_its_letters():
    """y >= y + 3/4: D was D^2 + 1, as E, which is D, stood in the shift."""
    E = sp.Symbol("E", real=True)

    def laws(shift):
        letters = {"divergence": D, "eigenvalue": one, "shift": shift, "variance": one}
        return of_fact("kl", "divergence of two normal laws", letters)

    none = Step("h", "", held(zero), zero, ">=", zero)
    steps = (
        define(E, D),
        infer("e", D, "<=", E, "E"),
        laws(2 * E**2 + 2),
        of_fact("linear", "means are linear", {"mean": summed, "terms": [(zero, zero)]}, {"integrable": none}),
        infer("more", E**2 + 1, "<=", E, "e", "kl", "linear"),
        in_order("square", (E - half) ** 2, ">="),
        infer("end", y, ">=", y + sp.Rational(3, 4), Use("more", weight=-1), "square"),
    )
    assert not passes(claimed("y >= y + 3/4"), steps, {"y": y})
    assert "'shift' speaks of D, which is said to exist" in wrong_with(*steps)
    assert "D, which is said" not in wrong_with(laws(2 * y**2))


@pytest.mark.parametrize(("fact", "beyond"), [("exact upper limit", 1), ("exact lower limit", -1)])
def test_a_proportion_does_not_speak_of_its_limit(fact, beyond):
    """Pr[1 > 0] <= 0: the proportion was its own limit and 1."""
    limit = sp.Symbol("L", nonnegative=True)
    words = ("sets fixed by other rows", INDEPENDENT)

    def limited(probability):
        letters = {"limit": limit, "probability": probability, "level": zero}
        shown = {"fixed": words[0], "independent": words[1], "level": evident(zero, ">=", zero)}
        return wrong_with(of_fact("limit", f"{fact} of a proportion", letters, shown), hypotheses=words)

    assert "'probability' speaks of L, which is said to exist" in limited(limit + beyond)
    assert limited(y) == ""


def test_two_coordinates_of_a_direction_are_two():
    """sqrt(a + 1) = sqrt(b + 1) for all a, b >= 0: both coordinates were one symbol."""
    a, b = sp.symbols("a b", nonnegative=True)

    def coordinates(other):
        letters = {"a": a + 1, "b": b + 1, "square": a + b + 2, "C": C, "S": other}
        shown = {
            "first": in_order("f", a + 1, ">="),
            "second": in_order("s", b + 1, ">="),
            "length": Step("l", "", a + 1 + held(b + 1), a + b + 2),
        }
        names = ("first", "second")
        return [of_fact(name, f"direction in the plane, {name} coordinate", letters, shown) for name in names]

    steps = (
        *coordinates(C),
        infer("one", sp.sqrt(a + 1), "=", sp.sqrt(a + b + 2) * C, "first"),
        infer("end", sp.sqrt(a + 1), "=", sp.sqrt(b + 1), "one", "second"),
    )
    over = (real("a", 0, 3), real("b", 0, 3))
    assert not passes(claimed("sqrt(a + 1) = sqrt(b + 1)", "a >= 0", "b >= 0", over=over), steps, {"a": a, "b": b})
    assert "C is said to exist twice" in wrong_with(*steps)
    assert "exist twice" not in wrong_with(*coordinates(S))


@pytest.mark.parametrize("exchanged", ["", ", exchanged"])
def test_two_laws_of_one_frame_are_two(exchanged):
    """The divergence of a law from another was that of the other from it: both were P."""
    letters = {"P": P, "epsilon": eps, "shift": zero, "first": four, "others": four, "d": one}
    letters |= {"scale": one, "other scale": one}
    shown = {name: evident(letters[name], ">", zero) for name in ("first", "others", "scale", "other scale")}
    shown["shift"] = evident(zero, ">=", zero)
    for other in (P, Q):
        step = of_fact("frame", f"one frame for two normal laws{exchanged}", letters | {"Q": other}, shown)
        assert ("P is said to exist twice" in wrong_with(step)) is (other == P)


def test_variables_that_add_are_three():
    """The law of 2 X was that of X."""
    kappa, count = sp.symbols("kappa k", positive=True)
    for others in ((X, X), (sp.Symbol("X'", real=True), Y)):
        letters = {"X": X, "X'": others[0], "Y": others[1], "kappa": kappa, "k": count, "k'": count}
        letters |= {"nu": one, "nu'": one}
        left, sign, right = FACTS["noncentral chi-square variables add"].required["moments"](letters)
        shown = {"moments": Step("moments", "", left, right, sign)}
        found = wrong_with(of_fact("sum", "noncentral chi-square variables add", letters, shown))
        assert ("X is said to exist twice" in found) is (others[0] == X)


def test_a_leverage_does_not_speak_of_its_own_record():
    """w^T w was one number below, at and above 3/4, and none of them there."""
    names = {name: letter(name) for name in ("S", "R", "v", "w", "v^T", "w^T")}
    words = Hypothesis(QUANTITIES["projection"].means, None, "projection")
    square = (1 + sp.sign(scalar(names["w^T"] * names["w"]) - sp.Rational(3, 4))) ** 2
    for leverage in (1 / (1 + square), half):
        shown = {
            "full rank": words.text,
            "least": in_order("least", held(leverage), ">=", zero, leverage),
            "most": in_order("most", held(leverage), "<=", one, sp.factor(leverage - 1)),
        }
        step = of_fact("w", "a record of leverage p, w^T w", {"p": leverage, **names}, shown)
        found = "'p' speaks of w, which is said to exist" in wrong_with(step, hypotheses=(words,))
        assert found is (leverage != half)


def test_a_matrix_does_not_speak_of_its_own_eigenvalues():
    """U^T (D D^T + 1) U = D, which no U and D obey."""
    U, own = letter("U"), letter("D")
    for A, wrong in ((own * transpose(own) + 1, True), (letter("A") * transpose(letter("A")), False)):
        shown = {"symmetric": Step("symmetric", "", transpose(A), held(A))}
        letters = {"A": A, "U": U, "U^T": letter("U^T"), "diagonal": own}
        found = wrong_with(of_fact("spectral", "spectral theorem", letters, shown))
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
    flow = of_fact("flow", "flow of an angle", letters, shown)
    return define(name, below_angle(sp.Integer(3), f, edge)), flow


def test_what_flows_below_an_edge_flows_below_one_edge():
    """The slope of 1 - e^{-t}, the mass below t, was 0; and where all leaked out at the poles, too."""
    time, edge = sp.symbols("t z", positive=True)
    assert "'edge' speaks of t, from which it has to be apart" in wrong_with(*_flow(sp.exp(-cot), time))
    f = sp.exp(-time - cot)
    assert "divides by xi - 1, which may be 0" in wrong_with(*_flow(f, edge, xi / (1 - xi**2), -f))
    assert wrong_with(*_flow(sp.exp(-cot), edge)) == ""


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
            "copies": in_order("copies", count, ">"),
            "distance": evident(half, ">=", zero),
        }
        step = of_fact("copies", "Hoeffding's inequality", letters, shown)
        found = wrong_with(step, hypotheses=(INDEPENDENT,))
        assert ("'mean' speaks of u, from which it has to be apart" in found) is wrong


def test_what_is_sketched_does_not_speak_of_the_sketch():
    """Pi w was independent of Pi B for a w that is made of Pi."""
    Pi, B, w = (letter(name) for name in ("Pi", "B", "w"))
    zero_ = Hypothesis("B^T w = 0", sp.Eq(transpose(B) * w, 0))
    words = "Pi r x n with independent standard normal entries"
    fact = "uncorrelated normal vectors are independent"
    for value in (w, w * scalar(transpose(w) * transpose(Pi) * Pi * w)):
        shown = {"normal": words, "uncorrelated": zero_.text}
        step = of_fact("independent", fact, {"S": Pi, "B": B, "w": value}, shown)
        found = "'w' speaks of Pi, from which it has to be apart" in wrong_with(step, hypotheses=(words, zero_))
        assert found is (value != w)
    with pytest.raises(InputError, match="must be a letter"):
        FACTS[fact].instance({"S": 2 * Pi, "B": B, "w": w})


def test_noise_is_one_matrix_for_every_vector():
    """A form was compared at y y^T - |y|^2, which is 0 at that y alone."""
    K, every = letter("K"), n.anything
    letters = {"mean": zero, "covariance": one, "other mean": letter("u"), "other covariance": one, "noise": K}
    step = of_fact("noise", "independent noise on both of two normal laws", letters | {"epsilon": eps})
    named = define(K, every * transpose(every) - scalar(transpose(every) * every))
    found = wrong_with(named, step)
    assert "K is another one for each y, which stands for any vector" in found
    assert "'noise' speaks of y, from which it has to be apart" in found
    assert "y, from which" not in wrong_with(step) and "another one" not in wrong_with(step)


def _limit_of_pairs(**other):
    first, second = sp.symbols("s a", positive=True)
    letters = dict.fromkeys(("variance", "other variance", "limit variance", "other limit variance"), one)
    letters |= {"distance": 1 / (1 + first), "least": 1 / (1 + first), "between": one, "limit": one, "first": first}
    letters |= {"second": second, "edge": one, "between edge": one, "epsilon": eps} | other
    shown = {"all": "a >= 1"} | conditions_of("a limit of normal pairs", letters)
    hypothesis = Hypothesis("a >= 1", sp.Ge(letters["second"], 1))
    return of_fact("limit", "a limit of normal pairs", letters, shown), hypothesis


def test_a_limit_of_distances_is_not_negative_and_speaks_of_no_parameter():
    """Divergences at distance -7, or at a limit that moved on with the other parameter, were at most those at 0."""
    second = sp.Symbol("a", positive=True)
    step, all_ = _limit_of_pairs()
    assert wrong_with(step, hypotheses=(all_,)) == "" and derivation((step,), {}, (all_,)).proved
    seven = sp.Integer(-7)
    step, all_ = _limit_of_pairs(distance=zero, least=seven, between=seven, limit=seven)
    assert not derivation((step,), {}, (all_,)).holds(step.conditions["distance"])
    moves = second**2 + one
    step, all_ = _limit_of_pairs(**{"variance": moves, "limit variance": moves})
    assert "'limit variance' speaks of a, from which it has to be apart" in wrong_with(step, hypotheses=(all_,))
    low = sp.Symbol("e", positive=True)
    step, all_ = _limit_of_pairs(epsilon=low)
    found = wrong_with(define(low, 10 / sp.Symbol("s", positive=True)), step, hypotheses=(all_,))
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
        "spread": evident(one, ">", zero),
        "density": integrated("density", mass, sp.sqrt(sp.pi)),
    }
    step = of_fact("law", "a quadratic exponent is a normal law", letters, shown)
    for value, wrong in ((theta + 1, True), (Y + 1, False)):
        end = infer("end", step.lhs, "=", normal(value, one), "law", "M")
        found = wrong_with(define(name, value), step, end)
        assert ("'mean' speaks of theta, from which it has to be apart" in found) is wrong


def test_a_bound_of_a_loss_does_not_speak_of_its_statistic():
    """e^{-y/2} >= 1 for every y >= 0: the loss was bounded at (S - y)/2, y the statistic itself."""
    value = sp.Symbol("y", nonnegative=True)
    level = total_of(zero)
    laws = {"P": n.scaled(one, m, zero), "Q": n.unscaled(m)}
    letters = {**laws, "variance": one, "statistic": zero, "share": zero, "level": level, "value": value}

    def bounded(epsilon):
        own = letters | {"epsilon": epsilon}
        return of_fact("none", "a bounded loss", own, conditions_of("a bounded loss", own, zero))

    epsilon = (level - value) / 2
    apart = {"P": laws["Q"], "Q": laws["P"], "epsilon": epsilon, "t": t}
    sums = {"mean": lambda f: quantity("sum", f), "terms": [(zero, entry(m))]}
    steps = (
        bounded(epsilon),
        of_fact("above", "an event above a threshold", apart),
        of_fact("below", "an event below a threshold", apart),
        of_fact("linear", "means are linear", sums, {"integrable": in_order("square", entry(m) ** 2, ">=")}),
        infer("end", sp.exp(-value / 2), ">=", one, "none", "above", "below", "linear"),
    )
    assert not passes(claimed("e^(-y/2) >= 1", "y >= 0"), steps, {"y": value})
    assert "'epsilon' speaks of y, from which it has to be apart" in wrong_with(*steps)
    assert "y, from which" not in wrong_with(bounded(eps))


@pytest.mark.parametrize(
    ("fact", "name"),
    [("integral over the positive definite matrices", "w"), ("density of a mixture over a Wishart matrix", "x")],
)
def test_what_is_integrated_over_a_matrix_speaks_of_it_in_one_letter(fact, name):
    """Integrals over all M were functions of M."""
    b, B = letter("b"), letter("B")
    letters = {"N": transpose(B) * B + 1, "X": letter("X"), "M": definite, "n": two, "d": one, "least": one}
    letters |= {"Z": letter("z0"), "P": normal(b, definite), "r": two, "x": b}
    for value, wrong in ((definite * b, True), (b, False)):
        own = {one_: letters.get(one_) for one_ in FACTS[fact].letters} | {name: value}
        found = wrong_with(of_fact("over", fact, own))
        assert (f"'{name}' speaks of M, from which it has to be apart" in found) is wrong
        assert "is no instance" not in found


def test_a_bound_of_differences_holds_for_all_that_may_be_put_and_taken():
    """Pr[f - E f >= 1/2] <= e^-50: the bound was one for each difference, and small where there is none."""
    j = n.bin_of_sum
    share, put, taken, g = (sp.Function(name, real=True)(j) for name in "Sabg")
    f, moved, change, c = sp.symbols("f moved change c", real=True)
    letters = {"f": f, "formula": summed(g * share), "share": share, "change": change, "put": put, "taken": taken}
    letters |= {"moved": moved, "n": sp.Symbol("n", positive=True), "c": c, "t": sp.Symbol("t", nonnegative=True)}
    step = of_fact("differences", "bounded differences", letters)
    found = wrong_with(define(c, summed(g * put) - summed(g * taken)), step)
    assert "'c' speaks of a(j), from which it has to be apart" in found and "'c' speaks of b(j)" in found
    assert "'c' speaks" not in wrong_with(define(c, y**2 + 1), step)
