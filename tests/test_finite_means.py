"""That what facts take a mean or an integral of has one, and what is a density: false proofs that once passed, and
which means are seen to be finite.
"""

from dataclasses import replace

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, passes

from ndis_verify.court.proof_structure import problems, step_problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import all_derivations
from ndis_verify.symbolic.derivation import Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import a_density, by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.finite_means import Known, is_finite
from ndis_verify.symbolic.meanings import meaning, p, q
from ndis_verify.symbolic.normal_coordinates import density, entry, is_normal_density
from ndis_verify.symbolic.notation import average, largest, over, summed, total, where
from ndis_verify.symbolic.notation import x as place
from ndis_verify.symbolic.special_functions import Phi, chi2_density

zero, one = sp.Integer(0), sp.Integer(1)
D, eps = sp.Symbol("D", positive=True), sp.Symbol("epsilon", nonnegative=True)
d, y, X, Y = sp.symbols("d y X Y", real=True)
t, r = sp.Symbol("t", nonnegative=True), sp.Symbol("r", positive=True)
f, g, s = sp.Function("f", nonnegative=True), sp.Function("g", nonnegative=True), sp.Function("s", real=True)
WORDS = Step("words", "Everything is integrable.", kind="definition")
SHIFT = {"D": D, "eps": eps}
NO_COST = statement("delta_shift(D; eps) = 0", "D > 0", "eps >= 0")


def on_half_line(integrand):
    return sp.Integral(integrand, (t, 0, sp.oo))


def linear(name, mean, terms, shown="words"):
    return by_fact(name, "", "means are linear", {"mean": mean, "terms": terms}, {"integrable": shown})


def wrong_with(*steps):
    return " ".join(problems(derivation(steps, {})))


def test_an_integral_of_a_difference_is_one_of_two_integrals_only_where_both_are_numbers():
    """Phi(x + 1) - Phi(x) has the integral 1, and was one integral of Phi less another one of it: 1 = 0."""
    moved, still = Phi(place + 1), Phi(place)
    found = wrong_with(
        WORDS,
        linear("two integrals", total, ((one, moved), (-one, still))),
        by_fact(
            "moved",
            "",
            "translations keep integrals",
            {"f": sp.Lambda(place, Phi(place + 1)), "shift": one},
            {"integrable": "words"},
        ),
        infer("nothing", total(moved - still), "=", zero, "two integrals", "moved"),
    )
    assert found.count("nothing shows that Integral") == 0
    assert found.count("nothing shows that total(Phi(x") == 3


@pytest.mark.parametrize(
    "mean",
    [
        *(total(h) for h in (Phi(place), sp.sqrt(1 + place**2), sp.Abs(place), 1 / (1 + sp.Abs(place)), sp.exp(place))),
        *(total(h) for h in (f(place), one, sp.exp(place**2), place / (1 + place**2), sp.exp(-(place**3)))),
        total(sp.exp(place - y * place**2)),  # y may be negative
        total(sp.exp(place**2) * sp.exp(-(place**2) / 2)),
        total(sp.Max(sp.exp(-(place**2)) - place, 0)),
        total(density(entry(y), entry(X))),  # nothing says that the standard deviations are not 0
        where(f(place), s(place)),
        over(y, one),
        *(on_half_line(h) for h in (1 / (1 + t), 1, t, sp.exp(t), 1 / t**2, sp.exp(-t) / t, 1 / (t - 1) ** 2)),
        on_half_line(chi2_density(1, t) / t),  # the mean of 1/T, T chi-square with 1 degree of freedom
        on_half_line(t**2 * 2 / (sp.pi * (1 + t**2))),  # and that of the square of a Cauchy variable
        on_half_line(1 / (1 - 2 * t + t**2)),  # a pole inside
        sp.Integral(1 / (1 + t) ** 2, (t, -sp.oo, sp.oo)),  # what is assumed of t is not true of the range
        *(average(h) for h in (X, sp.exp(X), f(y), 1 / X, X**2, X * Y, sp.Max(0, X - 1))),
        largest(f(place)),
        sp.Function("E")(X),
    ],
)
def test_what_may_be_infinite_is_not_taken_for_a_number(mean):
    assert not is_finite(mean, Known(drawn=frozenset({X, Y})))


@pytest.mark.parametrize(
    "mean",
    [
        total(place**4 * sp.exp(-((place - y) ** 2) / (2 * r))),
        total(sp.Max(0, 1 - sp.exp(y * place)) * sp.exp(-(place**2) / 2)),
        total(sp.Min(sp.exp(-(place**2)), sp.exp(place))),
        total(density(entry(y), 1) - sp.exp(eps) * density(0, 1)),
        where(Phi(place) * sp.exp(-(place**2)), s(place)),
        *(on_half_line(h) for h in (chi2_density(r, t), t * chi2_density(r, t), 1 / (1 + t) ** 2, 1 / (1 + t**2))),
        on_half_line(chi2_density(r + 2, t) / t),
        sp.Integral(t**2, (t, 0, 1)),
        *(
            average(h)
            for h in (sp.cos(X), sp.exp(-(X**2)), 1 / (1 + X**2), sp.Max(0, 1 - sp.exp(X)), one, X / (1 + X**2))
        ),
        *(mean(X * f(y)) for mean in (summed,)),
    ],
)
def test_what_is_finite_by_its_form(mean):
    assert is_finite(mean, Known(drawn=frozenset({X, Y})))


@pytest.mark.parametrize(
    ("mean", "said", "finite"),
    [
        (total(f(place) - 2 * g(place)), ((total(f(place)), "=", one), (total(g(place)), "<=", one)), True),
        (total(f(place) - 2 * g(place)), ((total(f(place)), "=", one),), False),
        (total(f(place)), ((total(f(place)), ">=", one),), False),
        (total(f(place)), ((total(f(place)), "<=", total(g(place))),), False),
        (total(f(place)), ((total(f(place)), "=", sp.oo),), False),
        (total(s(place)), ((total(s(place)), "<=", one),), False),  # from below it has no bound
        (total(f(place) * Phi(place)), ((total(f(place)), "=", one),), True),
        (total(f(place) * place), ((total(f(place)), "=", one),), False),
        (total(f(place) ** 2), ((total(f(place)), "=", one),), False),
        (where(f(place), s(place)), ((total(f(place)), "=", one),), True),
        (over(y, f(place)), ((total(f(place)), "=", one),), True),
        (average(X), ((X, "<=", one),), False),
        (average(X), ((X, "<=", one), (X, ">=", -one)), True),
        (average(X), ((X, "<=", Y), (X, ">=", -one)), False),
        (average(sp.exp(X)), ((X, "<", one),), True),
        (average(X), ((X, ">", zero),), False),
        (total(density(entry(y), entry(X))), ((entry(X), ">", zero),), True),
    ],
)
def test_what_steps_say_of_a_mean(mean, said, finite):
    drawn = frozenset() if mean.has(place) else frozenset({X, Y})
    assert is_finite(mean, Known(relations=said, drawn=drawn)) is finite


def test_a_name_of_an_integral_is_no_number():
    h = sp.Symbol("h", real=True)
    known = Known(relations=((total(f(place)), "=", h),), names={h: total(f(place))})
    assert not is_finite(total(f(place)), known)
    assert is_finite(total(f(place)), Known(relations=known.relations, names={h: y + 1}))
    steps = (define(h, total(f(place))), infer("named", total(f(place)), "=", h, "h"))
    assert "nothing shows that total(f(x))" in wrong_with(*steps, linear("end", total, ((d, f(place)),), "named"))


def _costs_nothing(*first):
    """That a shift costs nothing, by steps before what delta means, and the last of them after it."""
    *before, last = first
    end = infer("end", meaning("it", "mean_shift", D, eps).lhs, "=", zero, "divergence", *(one_.name for one_ in first))
    return (*before, meaning("divergence", "mean_shift", D, eps), last, end)


def test_what_means_something_is_not_defined():
    """sup_S was defined to be 0, or p to be e^eps q: a shift cost nothing."""
    gap = p(place) - sp.exp(eps) * q(place, D)
    nothing = (define(largest(gap), zero), WORDS)
    assert not passes(NO_COST, _costs_nothing(*nothing), SHIFT)
    shown = {"integrable": "words"}
    steps = (
        WORDS,
        define(p(place), sp.exp(eps) * q(place, D)),
        meaning("divergence", "mean_shift", D, eps),
        by_fact("set", "", "largest integral over a set", {"f": gap}, shown),
        linear("nothing", total, ((zero, gap),)),
        infer("end", meaning("it", "mean_shift", D, eps).lhs, "=", zero, "divergence", "set", "p(x)", "nothing"),
    )
    assert not passes(NO_COST, steps, SHIFT)
    for head in (largest(f(place)), average(X), summed(X), entry(y), p(place), total(f(place))):
        assert "means something already" in wrong_with(define(head, sp.Integer(2)), WORDS, linear("end", total, ()))


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (define(f(place), place**2), "was defined to be something else"),
        (a_density("other", "", sp.Function("pull", positive=True)(place)), "is no unknown function"),
        (a_density("other", "", sp.Function("h", nonnegative=True)(place, place)), "has the point among its"),
        (a_density("other", "", s(place)), "means something already"),  # of which nothing says that it is not negative
        (define(total(f(place)), sp.Integer(2)), "means something already"),
    ],
)
def test_a_density_is_an_unknown_function_that_is_nowhere_negative(first, said):
    assert said in wrong_with(first, a_density("density", "", f(place)), linear("end", total, (), "density"))


def test_a_density_is_that_of_one_fact():
    """0 was the density of every normal law: Phi = 0."""
    letters = {"p": zero, "g": zero, "mean": d, "std": one, "edge": zero}
    shown = dict.fromkeys(FACTS["a normal value beyond an edge"].conditions, "words")
    found = wrong_with(WORDS, by_fact("edge", "", "a normal value beyond an edge", letters, shown))
    assert "0 is said to exist" in found and "condition 'density' is total(0) = 1" in found


def _lemma():
    """That the integral of a density is 1, as a lemma has it."""
    steps = (a_density("density", "", f(place)), linear("twice", total, ((sp.Integer(2), f(place)),), "density"))
    steps += (infer("end", total(2 * f(place)), "=", sp.Integer(2), "twice", "density"),)
    return derivation(steps, {})


_LEMMA = replace(_lemma(), id="a.lemma")


@pytest.mark.parametrize(
    ("put", "first", "right"),
    [
        (sp.exp(place), (), False),
        (2 * density(0, 1), (), False),
        (g(place), (), False),
        (g(place), (a_density("own", "", g(place)),), True),
        (density(0, 1), (), True),
    ],
)
def test_only_a_density_takes_the_place_of_one(put, first, right):
    use = Use("end", of=lambda: _LEMMA, at={f(place): put})
    end = infer("end", total(2 * put), "=", sp.Integer(2), use, *(one_.name for one_ in first))
    assert ("nothing says that" in wrong_with(*first, end)) is not right


def test_a_normal_density_is_of_positive_deviations():
    assert is_normal_density(density(entry(y), r)) and is_normal_density(density(y / 2, 1))
    assert not any(map(is_normal_density, (2 * density(0, 1), density(0, y), sp.exp(-(place**2)), density(0, 1) ** 2)))


@pytest.mark.parametrize(
    "odd",
    [
        Step("odd", "", d, zero, relation="<=", kind="definition"),
        Step("odd", "", d, zero, relation="<=", kind="argument"),
        Step("odd", "", d, zero, relation="<=", kind="inference"),
        Step("odd", "", d, zero, relation="<=", kind="fact", fact="no such fact"),
        Step(
            "odd", "", d, zero, relation="<=", kind="fact", fact="neither is greater", letters={"one": d, "other": zero}
        ),
    ],
)
def test_what_shows_a_condition_is_a_step_like_others(odd):
    """d <= 0 for every d, by a definition or a fact that nobody looked at, as it stood in a condition."""
    size = -sp.Abs(d)
    steps = (
        by_fact(
            "larger",
            "",
            "larger of two numbers",
            {"one": d, "other": size, "bound": zero},
            {"one": odd, "other": Step("size", "", size, zero, relation="<=", witness=size)},
        ),
        Step("below", "", d, sp.Max(d, size), relation="<=", witness=-sp.Max(0, size - d)),
        infer("end", d, "<=", zero, "larger", "below"),
    )
    assert not passes(statement("d <= 0", over=(real("d", -3, 3),)), steps, {"d": d})


@pytest.mark.parametrize(("function", "slope"), [(one, one), (y**3, 3 * y**2), (sp.Heaviside(y), zero), (y, zero)])
def test_the_slope_in_the_identity_of_stein_is_that_of_the_function(function, slope):
    """s^2 = E (y - theta) = 0, as 1 was the slope of 1; and of what has no finite mean nothing is said."""
    letters = {"y": y, "theta": zero, "std": one, "g": function, "slope": slope}
    shown = Step("slope", "", sp.Derivative(function, y), slope)
    conditions = {"slope": shown, "finite": shown}
    try:
        assert "condition" in wrong_with(WORDS, by_fact("end", "", "Stein's identity", letters, conditions))
    except InputError as error:
        assert "may jump" in str(error)


def _out_of_a_mean():
    """c comes out of the mean of c X."""
    c = sp.Symbol("c", real=True)
    draws = by_fact("mean", "", "mean of a share", {"share": X, "mass": one}, {"draws": "words"})
    return derivation((WORDS, draws, linear("out", average, ((c, X),), "mean")), {}), c


_OUT, _C = _out_of_a_mean()
_OUT = replace(_OUT, id="out.of.a.mean")


def test_nothing_drawn_takes_the_place_of_a_number_under_a_mean():
    """E X Y was Y E X; and what a lemma draws was a number beside it."""
    draws = by_fact("other", "", "mean of a share", {"share": Y, "mass": one}, {"draws": "words"})
    end = infer("end", average(Y * X), "=", Y, Use("out", of=lambda: _OUT, at={_C: Y}), Use("mean", of=lambda: _OUT))
    assert "has a mean over c" in wrong_with(WORDS, draws, end)
    known = infer("known", average(X), "=", one, Use("mean", of=lambda: _OUT))
    assert "X is drawn, and is no number" in wrong_with(WORDS, known, linear("end", average, ((X, one),)))


def test_what_holds_at_one_point_bounds_no_integral():
    h = Hypothesis("x <= 1", place <= 1)
    bounded = linear("end", total, ((one, place * f(place)),), "density")
    steps = (a_density("density", "", f(place)), Step("0 <= y^2", "", zero, y**2, relation="<=", witness=-(y**2)))
    for premises in ((), ("x <= 1",)):
        end = Step(**{**vars(bounded), "premises": premises})
        proof = Derivation("id", "title", (), (h,), (*steps, end), "end", {"x": place})
        assert any("nothing shows that total(x*f(x))" in text for text in step_problems(proof, 2))


def test_no_fact_says_in_words_that_a_mean_is_finite():
    """But for the conditions of laws, of which words say which they are."""
    words = ("integrable", "finite mean", "finite expectation", "converges", "measurable")
    left = {
        f"{name}: {said}"
        for name, fact in FACTS.items()
        for condition, said in fact.conditions.items()
        if condition not in {*fact.required, *fact.finite, *fact.assumed} and any(one_ in said for one_ in words)
    }
    assert left == set()


def test_every_fact_that_takes_a_mean_is_used_where_it_is_finite():
    facts = {step.fact for proof in all_derivations() for step in proof.steps if step.kind == "fact"}
    assert {"means are linear", "means keep the order", "largest integral over a set", "Stein's identity"} <= facts
