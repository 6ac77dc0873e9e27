"""What a proof divides by is not 0: false proofs that once passed, and proofs of the same kind that are right."""

from dataclasses import replace

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_proofs import define, derivation, infer, passes

from ndis_verify.court.proof_ends import unconcluded
from ndis_verify.court.proof_structure import problems
from ndis_verify.court.proof_values import divisors, value_problems
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.facts_of_signs import v as at
from ndis_verify.symbolic.notation import sign_changes
from ndis_verify.symbolic.special_functions import Phi

x, y, w, u, s = sp.symbols("x y w u s", real=True)
v = sp.Symbol("v", nonnegative=True)
zero, one = sp.Integer(0), sp.Integer(1)
OVER = tuple(real(name, -3, 3) for name in "xyw")
X_Y = Hypothesis("x y = x w", sp.Eq(x * y, x * w))


def _cancelled(*premises):
    """x y = x w, so y = w."""
    return (
        define(u, x * y),
        define(s, x * w),
        infer("same", u, "=", s, "u", "s", Use("x y = x w")),
        infer("first", y, "=", u / x, "u", *premises),
        infer("second", s / x, "=", w, "s"),
        infer("end", y, "=", w, *("first", "same", "second")),
    )


FALSE = {  # the statement, the steps, the symbols, the hypotheses
    "a factor of both sides": (
        statement("y = w", "x y = x w", over=OVER),
        _cancelled(),
        {"x": x, "y": y, "w": w},
        (X_Y,),
    ),
    "the argument of a logarithm": (
        statement("y = 0", "x y = 0", over=OVER[:2]),
        (
            define(s, x * y),
            infer("nothing", s, "=", zero, "s", Use("x y = 0")),
            infer("first", y, "=", s * sp.Derivative(sp.log(x**2), x) / 2, "s"),
            infer("end", y, "=", zero, *("first", "nothing")),
        ),
        {"x": x, "y": y},
        (Hypothesis("x y = 0", sp.Eq(x * y, 0)),),
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_division_by_what_may_be_0_is_no_step(name):
    assert not passes(*FALSE[name])


@pytest.mark.parametrize("name", FALSE)
def test_it_is_refused_for_the_division_alone(name):
    stated, steps, symbols, hypotheses = FALSE[name]
    proof = derivation(steps, symbols, hypotheses)
    assert proof.proved and not unconcluded("CLAIM", stated, stated.hypothesis_lines, [proof])
    assert {text.split(": ", 1)[1] for text in problems(proof)} == {"divides by x, which may be 0"}


@pytest.mark.parametrize(
    ("text", "relation", "shown"),
    [
        ("x > 0", sp.Gt(x, 0), True),
        ("x < 0", sp.Lt(x, 0), True),
        ("x >= 1/2", sp.Ge(x, sp.Rational(1, 2)), True),
        ("2 x > 3 + w^2", sp.Gt(2 * x, 3 + w**2), True),
        ("x >= 0", sp.Ge(x, 0), False),
        ("x > -1", sp.Gt(x, -1), False),
        ("x > w", sp.Gt(x, w), False),
    ],
)
def test_a_hypothesis_may_say_that_it_is_not_0(text, relation, shown):
    given_ = (X_Y, Hypothesis(text, relation))
    steps = _cancelled(Use(text, weight=0))
    found = [one for one in problems(derivation(steps, {"x": x, "y": y, "w": w}, given_)) if "divides" in one]
    assert (not found) is shown


@pytest.mark.parametrize(
    ("call", "shown"),
    [(sp.tan(x), False), (sp.gamma(x), False), (sp.gamma(v), False), (sp.gamma(v + 1), True), (sp.erfinv(x), False)],
)
def test_a_function_that_has_no_value_everywhere_is_asked_for(call, shown):
    step = Step("end", "", lhs=(call + 1) ** 2, rhs=call**2 + 2 * call + 1)
    found = problems(derivation((step,), {str(one): one for one in call.free_symbols}))
    assert (not found) is shown


def test_weight_0_takes_nothing_from_an_inequality():
    steps = (
        Step("above", "", lhs=x**2 + 1, rhs=zero, relation=">", witness=x**2 + 1),
        infer("end", x, ">", zero, Use("above", weight=0)),
    )
    assert not derivation(steps, {"x": x}).proved


@pytest.mark.parametrize(
    ("side", "found"),
    [
        (x / y, {y}),
        (sp.log(x), {x}),
        (x ** sp.Rational(-1, 2), {x}),
        (sp.sqrt(v), set()),
        (sp.Derivative(sp.log(x), x), {x}),
        (sp.Derivative(sp.sqrt(v), v), {v}),
        (sp.Integral(1 / (x * y), (x, 1, 2)), {y}),
        (sp.Integral(1 / (x + x * y), (x, 1, 2)), {y}),
        (sp.Integral(1 / (x * y + w), (x, 1, 2)), {y, w}),
        (sp.Integral(1 / (x * y + 1), (x, 1, 2)), set()),
        (sp.Integral(1 / (sp.exp(x * y) - 1), (x, 1, 2)), {x, y}),
        (sp.Limit(sp.sin(x) / (x * y), x, 0), {y}),
        (sp.Subs(1 / x, x, y), {y}),
        (sp.exp(-1 / (1 + x**2)), set()),
        (sp.Function("f")(1 / x), {x}),
    ],
)
def test_what_is_divided_by(side, found):
    assert {symbol for one in divisors(side) for symbol in one.free_symbols} == found


def test_a_slope_from_0_on_is_one_above_0():
    root = Step("slope", "", lhs=sp.Derivative(sp.sqrt(v), v), rhs=1 / (2 * sp.sqrt(v)))
    assert not [text for text in problems(derivation((root,), {"v": v})) if "divides" in text]
    at_0 = infer("end", one, "=", zero, Use("slope", at={v: zero}))
    assert not passes(statement("1 = 0", over=(real("v", 0, 3),)), (root, at_0), {"v": v})


@settings(deadline=None, max_examples=40)
@given(st.integers(-3, 3), st.integers(-3, 3), st.integers(1, 3))
def test_only_what_has_no_root_among_its_values_is_shown(a, b, c):
    """a + b v + c v^2 for v >= 0: where it is shown, it has no root there."""
    side = a + b * v + c * v**2
    steps = (Step("end", "", lhs=x + 1 / side, rhs=(x * side + 1) / side),)
    refused = [text for text in problems(derivation(steps, {"x": x, "v": v})) if "divides" in text]
    roots = [root for root in sp.roots(a + b * x + c * x**2, x) if root.is_real and root >= 0]
    assert refused or not roots
    assert not (refused and a > 0 and b >= 0)


def _part(steps, symbols, domain=(), part="a part"):
    whole = derivation(steps, symbols)
    ends = tuple(replace(end, part=part) for end in whole.concludes)
    return [text for text in problems(replace(whole, concludes=ends, domain=domain)) if "divides" in text]


def test_parts_are_asked_too_and_hold_where_the_derivation_is_stated():
    """What is compared has no other range than the statement's."""
    step = Step("end", "", lhs=(x * y + 1) / x, rhs=y + 1 / x)
    assert _part((step,), {"x": x, "y": y})
    assert not _part((step,), {"x": x, "y": y}, (x > 1,))
    assert _part((step,), {"x": x, "y": y}, (x > -1,))
    assert _part((step,), {"x": x, "y": y}, (x > 1,), part="")


def test_sign_changes_are_counted_between_0_and_1():
    for divisor, refused in ((1 - at, False), (at, False), (1 + at, False), (2 * at - 1, True)):
        step = Step("end", "", lhs=sign_changes((divisor * w + 1) / divisor), rhs=sign_changes(w + 1 / divisor))
        assert bool(_part((step,), {"w": w, "v": at})) is refused


def _with_quotient(*steps: Step, premises: tuple = ()) -> list[str]:
    gap = Phi(one) - Phi(-one)
    end = infer("end", v / gap, ">=", zero, *premises, Use("v/gap", weight=1))
    proof = derivation((*steps, Step("v/gap", "", v / gap, zero, ">=", v / gap), end), {"v": v}, ())
    return list(value_problems(proof, {step.name for step in proof.steps}))


def test_a_sum_of_numbers_is_asked_for_its_sign_and_no_more():
    """It was asked of itself again and again, until Python stopped."""
    gap = Phi(one) - Phi(-one)
    written = gap.rewrite(sp.erfc)
    shown = Step("gap", "", gap, zero, ">", written, lambda p, q: (p - q).rewrite(sp.erfc))
    assert any("which may be 0" in text for text in _with_quotient())
    assert _with_quotient(shown) == []


def test_what_is_positive_from_an_end_on_is_so_where_a_slope_is_taken():
    f = sp.Function("f", real=True)(v)
    slope = Step("slope", "", sp.Derivative(v / f, v), zero, kind="argument")
    known = Step("f > 0", "", f, zero, ">", kind="definition")
    for steps, wrong in (((slope,), True), ((known, slope), False)):
        proof = derivation(steps, {"v": v}, ())
        assert any("which may be 0" in text for text in value_problems(proof, {"f > 0", "slope"})) is wrong
