"""Conditions of facts that any words once showed: false proofs that passed, and the same steps where they are right."""

import pytest
import sympy as sp
from whole_proofs import derivation, infer, integrated

from ndis_verify.court.proof_continuity import may_jump
from ndis_verify.court.proof_structure import problems, step_problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_signs import v
from ndis_verify.symbolic.least_squares_summit import worst_record
from ndis_verify.symbolic.notation import mass, on_sphere, resketched, sketched, sphere_constant
from ndis_verify.symbolic.notation import x as place
from ndis_verify.symbolic.special_functions import Phi, Qg
from ndis_verify.symbolic.statement_terms import quantity

x, y, t, s, theta = sp.symbols("x y t s theta", real=True)
p, q, d, r = sp.symbols("p q d r", positive=True)
zero, one, two = map(sp.Integer, range(3))
OVER = (real("x", -3, 3),)


def _sign(name, value, sign):
    return Step(name, "", value, zero, sign, witness=value)


def _between(f, root, low=one, high=-two):
    """f is 0 somewhere between two ends, at what is called `root`."""
    ends = {"low": _sign("low", f.subs(y, low), ">="), "high": _sign("high", f.subs(y, high), "<=")}
    letters = {"f": f, "argument": y, "low": low, "high": high, "root": root}
    return by_fact("root", "", "a value in between", letters, ends)


def test_a_root_is_known_to_be_no_more_than_both_ends():
    """y + 1 would be 0 at a positive number: it is at -1."""
    for root in (p, sp.Symbol("n", integer=True), sp.Symbol("m", negative=True)):
        with pytest.raises(InputError, match="need not be"):
            _between(y + 1, root)
    assert _between(y + 1, t).lhs == t + 1


@pytest.mark.parametrize(
    "jump",
    [
        sp.Piecewise((-one, y < 0), (one, True)),
        sp.sign(y) + sp.Rational(1, 2),
        sp.floor(y) + sp.Rational(1, 2),
        sp.Limit(sp.atan(s * y), s, sp.oo) + y,
        sp.Integral(sp.sin(y * s) / s, (s, -sp.oo, sp.oo)) + y,
        sp.Function("f", real=True)(y) + y,
    ],
)
def test_between_a_jump_there_is_no_value(jump):
    letters = {"f": jump, "argument": y, "low": one, "high": -one, "root": t}
    step = Step(
        "root",
        "",
        jump.subs(y, t),
        zero,
        kind="fact",
        fact="a value in between",
        letters=letters,
        conditions={"low": _sign("low", one, ">="), "high": _sign("high", -one, "<=")},
    )
    assert any("which may jump" in text for text in step_problems(derivation((step,), {"x": x}), 0))


def test_what_is_continuous_in_its_form():
    f = sp.Function("f")
    smooth = Phi(y) * sp.exp(-(y**2)) + sp.Abs(y - 1) + sp.Max(y, 0) + Qg(p, sp.exp(y)) + quantity("mean_shift", p, y)
    assert not may_jump(smooth, {y}, {}) and not may_jump(sp.floor(t) * y, {y}, {})
    assert may_jump(f(y), {y}, {}) == {f(y)} and not may_jump(f(t) * y, {y}, {})
    assert not may_jump(f(y) + y, {y}, {f(y): y**2})
    assert may_jump(f(y) + y, {y}, {f(y): sp.floor(y)}) == {sp.floor(y)}


def test_a_function_is_continuous_up_to_the_ends():
    """x^(1/(log x - x)) is e wherever log x - x goes to -oo, and SymPy's 1 at 0."""
    argument = sp.Symbol("x", positive=True)
    f = argument ** (1 / (sp.log(argument) - argument))
    letters = {"f": f, "argument": argument, "low": zero, "high": one}
    conditions = {"falls": _sign("falls", -one, "<"), "order": _sign("order", one, ">")}
    step = by_fact("end", "", "a falling function at two points", letters, conditions)
    found = problems(derivation((step,), {}))
    assert any("at the end 0" in text or "condition" in text for text in found)
    rises = {**letters, "f": 1 / (argument + 1)}
    assert FACTS["a falling function at two points"].instance(rises) == (sp.Rational(1, 2), "<", 1)


def _masses(*laws):
    return [mass(law, t) for law in laws]


def test_a_statistic_has_one_law_under_laws_of_one_direction():
    """Any two laws had one."""
    fact = FACTS["one statistic of one law"]
    letters = {"p": p, "q": q, "other p": 2 * p, "other q": 2 * q, "d": d, "r": r, "t": t}
    assert fact.instance(letters)[::2] == tuple(_masses(sketched(2 * p, 2 * q, d, r), sketched(p, q, d, r)))
    assert set(fact.required) == set(fact.conditions) == {"density", "statistic", "direction"}
    left, _, right = fact.required["direction"]({**letters, "other p": p})
    assert sp.simplify(left - right) != 0
    left, _, right = fact.required["direction"](letters)
    assert sp.simplify(left - right) == 0


def test_a_density_on_the_sphere_is_that_in_its_dimension():
    """With one name for all, 1 + s would be 1 + t."""
    fact = FACTS["central projection"]
    first, second = (fact.instance({"f": one, "s": at, "d": one})[0] for at in (p, q))
    assert first != second and first == on_sphere(one, p, one)


def test_what_makes_a_density_is_one_number():
    """Any factor made the integral 1."""
    fact = FACTS["cotangent of an angle on a half sphere, any"]
    letters = worst_record().step("mass").letters
    assert "constant" not in fact.letters and fact.instance(letters)[0].has(sphere_constant)
    with pytest.raises(InputError, match="not to be negative"):
        fact.instance({**letters, "r": letters["d"] - 1})
    with pytest.raises(InputError, match="not to be negative"):
        FACTS["more on the one side"].instance({"h": p, "k": -one, "d": d})


def test_events_are_of_laws_of_one_record():
    fact = FACTS["an event below a threshold"]
    letters = {"P": sketched(p, q, d, r), "Q": resketched(p, q, d, r), "epsilon": x, "t": t}
    assert fact.instance(letters)
    for other in (resketched(2 * p, q, d, r), s):
        with pytest.raises(InputError, match="of the record"):
            fact.instance({**letters, "Q": other})


def test_a_normal_value_has_one_mean_and_no_other_at_another_point():
    fact = FACTS["a normal value beyond an edge"]
    letters = {"p": sp.Function("p", positive=True)(place), "g": one, "mean": t, "std": p, "edge": zero}
    assert fact.brings == ("p",)  # once: two facts would make two laws of it
    for name in ("mean", "std"):
        with pytest.raises(InputError, match="the same at every point"):
            fact.instance({**letters, name: place})


def test_the_conditional_mean_is_that_of_the_law_that_is_given():
    """Of any number m, E (T - theta)^2 was E (T - m)^2 + E (m - theta)^2, also at T = theta."""
    fact = FACTS["the conditional mean is the best estimate"]
    letters = {"estimate": sp.Function("T")(y), "mean": y / 2, "variance": p, "theta": theta, "y": y}
    assert fact.required["mean"](letters)[2].args == (y / 2, p)
    for estimate in (theta, t, sp.Function("T")(theta), mass(y, y)):
        with pytest.raises(InputError, match="unknown function of y"):
            fact.instance({**letters, "estimate": estimate})
    apart = FACTS["a quadratic exponent is a normal law"].apart
    assert all("theta" in apart[name] for name in ("mean", "variance", "rest"))


def test_one_theta_and_one_y_have_one_joint_law():
    """By two joint densities of them the conditional mean was y and 2 y, and E (2 y - y)^2 = 0."""
    at = sp.Symbol("z", real=True)
    mass = sp.Integral(sp.exp(-(at**2) / 2), (at, -sp.oo, sp.oo))
    shown = {
        "spread": Step("v", "", one, zero, relation=">", witness=one),
        "density": integrated("mass of y", mass, sp.sqrt(2 * sp.pi)),
    }

    def posterior(name, mean):
        completed = -((theta - mean) ** 2) / 2 - y**2 / 2
        letters = {"theta": theta, "y": y, "mean": mean, "variance": one, "rest": -(y**2) / 2, "at": at}
        exponent = Step("exponent", "", sp.expand(completed), completed)
        letters["joint"] = sp.expand(completed)
        return by_fact(name, "", "a quadratic exponent is a normal law", letters, {"exponent": exponent, **shown})

    once, twice = posterior("once", y), posterior("twice", 2 * y)
    assert not problems(derivation((once,), {}))
    assert "theta is said to exist twice" in "; ".join(problems(derivation((once, twice), {})))
    fact = FACTS["a quadratic exponent is a normal law"]
    letters = {"joint": -(theta**2) - y**2, "rest": -(y**2), "theta": theta, "y": y, "at": y}
    with pytest.raises(InputError, match="of which the density does not speak"):
        fact.required["density"](letters)


@pytest.mark.parametrize("head", ["law_of", "standard", "with_logs", "unscaled", "total"])
def test_what_notation_knows_is_no_unknown_map(head):
    f = sp.Function(head, real=True)
    letters = {"P": p, "Q": q, "image of P": f(p), "image of Q": f(q), "epsilon": x}
    with pytest.raises(InputError, match="one unknown function"):
        FACTS["data processing"].instance(letters)


def test_sign_changes_are_of_what_has_no_jump():
    letters = {"f": sp.floor(2 * v) - sp.Rational(1, 2)}
    for name in ("sign changes between ends of different signs", "up first, and one turn"):
        known = {**letters, "slope": zero}
        said = [(letter, ends) for letter, _, ends in FACTS[name].continuous(known)]
        assert ("f", (0, 1)) in said


def test_the_slope_of_every_coordinate_is_that_of_every_real_number():
    a, b = letter("a"), letter("b")
    fact = FACTS["a falling function, coordinate by coordinate"]
    assert fact.instance({"f": -x, "argument": x, "a": a, "b": b})
    with pytest.raises(InputError, match="every real number"):
        fact.instance({"f": 1 / p, "argument": p, "a": a, "b": b})


def _direction(cosine):
    """The second of two coordinates alone: its cosine with the first is 0."""
    shown = {
        "first": Step("a", "", sp.UnevaluatedExpr(zero), zero, ">=", zero),
        "second": _sign("b", one, ">="),
        "length": Step("square", "", sp.UnevaluatedExpr(zero) + 1, one),
    }
    letters = {"a": zero, "b": one, "square": one, "C": cosine, "S": s}
    return by_fact("first", "", "direction in the plane, first coordinate", letters, shown)


def test_of_what_is_said_to_exist_no_sign_is_known():
    """0 is positive: the cosine of a right angle, called by a positive name."""
    end = infer("end", x, "<", x + sp.UnevaluatedExpr(p), "positive", "first")
    found = problems(derivation((_direction(p), _sign("positive", p, ">"), end), {"x": x}))
    assert any("nothing says that it is positive" in text for text in found)
    assert not any("nothing says" in text for text in problems(derivation((_direction(t),), {"x": x})))
