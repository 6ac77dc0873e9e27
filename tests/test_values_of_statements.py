"""What a statement, a step or a limit speaks of has a value: false proofs that once passed, and right ones."""

from dataclasses import replace

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_proofs import derivation, infer, passes

from ndis_verify.court.proof_continuity import may_jump
from ndis_verify.court.proof_signs import Signs
from ndis_verify.court.proof_structure import problems
from ndis_verify.court.statement_values import values_missing
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import integer, real
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.sides import has_sign, keeps_sign, opened, sign_of
from ndis_verify.symbolic.special_functions import Phi, Qg
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.zero import zero_at_points

x, y, a = sp.symbols("x y a", real=True)
n = sp.Symbol("n", nonnegative=True)
t = sp.Symbol("t", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)
OVER = (real("x", -9, 9),)


def _shown(left, right, witness, sign=">="):
    return (Step("end", "", lhs=left, rhs=right, relation=sign, witness=witness),)


OF_TERMS = [  # text, left, right, witness, hypotheses under which its terms have values
    ("x/x >= 1 - x^2", one, 1 - x**2, x**2, ("x^2 > 0",)),
    ("sqrt(x)^2 + x^2 >= x", x + x**2, x, x**2, ("x >= 0",)),
    ("e^(log(x)) + x^2 >= x", x + x**2, x, x**2, ("x > 0",)),
    ("log(x) - log(x) + x^2 >= 0", x**2, zero, x**2, ("x >= 1/2",)),
    ("0 log(x) + x^2 >= 0", x**2, zero, x**2, ("x > 0",)),
    ("(x^2 - 1)/(x - 1)/(x + 1) >= 1 - x^2", one, 1 - x**2, x**2, ("x > 1",)),
    ("x^(1/2) - x^(1/2) >= -x^2", zero, -(x**2), x**2, ("x >= 0",)),
    ("x^(-1) - x^(-1) >= -x^2", zero, -(x**2), x**2, ("x < 0",)),
    *(
        (f"{text}^2 >= 0", call**2, zero, call**2, hypotheses)
        for text, call, hypotheses in (
            ("Phi^-1(x)", quantity("Phi_inverse", x), ("x > 0", "x < 1")),
            ("delta_shift(x; 1)", quantity("mean_shift", x, one), ("x >= 0",)),
            ("Qg(3/2, x)", Qg(sp.Rational(3, 2), x), ("x >= 0",)),
            ("delta_delete(x, 3; 1)", quantity("projection", x, sp.Integer(3), one), ("x >= 0", "x < 1")),
            ("hinge(1, 2; x)", quantity("chi2_hinge", one, sp.Integer(2), x), ("x > 0",)),
            ("E_normal(2; 0, x)", quantity("normal_moment", sp.Integer(2), zero, x), ("x > 0",)),
        )
    ),
]


@pytest.mark.parametrize(("text", "left", "right", "witness", "hypotheses"), OF_TERMS)
def test_the_terms_of_a_statement_have_values(text, left, right, witness, hypotheses):
    steps = _shown(left, right, witness)
    assert not passes(statement(text, over=OVER), steps, {"x": x})
    assert passes(statement(text, *hypotheses, over=OVER), steps, {"x": x})


@pytest.mark.parametrize("kind", ["rows", "leverage"])
def test_whole_numbers_are_asked_of_what_is_counted(kind):
    r = sp.Symbol("r", real=True)
    text, call = "delta_delete(1/2, r; 1)", quantity("projection", one / 2, r, one)
    for over, hypotheses, right in (
        (real("r", 1, 9), ("r >= 1",), False),
        (integer("r", 1, 9), ("r >= 1",), True),
        (integer("r", -9, 9), (), False),
    ):
        stated = statement(f"{text}^2 >= 0", *hypotheses, over=(over,))
        assert passes(stated, _shown(call**2, zero, call**2), {"r": r}) is right


def _missing(text, *hypotheses):
    stated = statement(text, *hypotheses, over=OVER)
    proof = derivation(_shown(x**2, zero, x**2), {"x": x})
    return list(values_missing(proof, proof.concludes[0], stated, [stated.claimed]))


@pytest.mark.parametrize(
    ("text", "hypotheses"),
    [
        ("sup_{x <= y <= 0} y <= 0", ("x <= 0",)),
        ("sup_{x <= y <= 5} log(y) <= 9", ("x > 0", "x <= 5")),
        ("d/dx (sqrt(x)) >= 0", ("x > 0",)),
        ("1 - Phi^-1(1 - Phi(x)/2) <= 9", ()),
        ("log(1 - e^(-x)/2) <= 0", ("x >= 0",)),
        ("1/(x y) <= 9", ("x > 0", "y > x")),
    ],
)
def test_what_is_said_is_seen(text, hypotheses):
    over = tuple(real(name, -9, 9) for name in "xy" if name == "x" or " y)" in text)
    stated = statement(text, *hypotheses, over=over)
    proof = derivation(_shown(x**2, zero, x**2), {one.name: sp.Symbol(one.name, real=True) for one in over})
    assert not list(values_missing(proof, proof.concludes[0], stated, [stated.claimed]))
    if hypotheses:
        bare = statement(text, over=over)
        assert list(values_missing(proof, proof.concludes[0], bare, [bare.claimed]))


def test_a_slope_is_of_what_has_no_corner():
    assert any("corner" in text for text in _missing("d/dx (|x|) <= 1"))
    assert any("corner" in text for text in _missing("d/dx (max(x, 1)) <= 1", "x > 2"))
    assert not _missing("d/dx (x^3) >= 0")


@settings(max_examples=20, deadline=None)
@given(root=st.fractions(-3, 3, max_denominator=8), edge=st.fractions(-3, 3, max_denominator=8))
def test_a_quotient_has_a_value_where_its_divisor_is_kept_from_0(root, edge):
    assert bool(_missing(f"1/(x - ({root})) <= 9", f"x >= {edge}")) is (edge <= root)


def test_a_limit_is_no_limit_at_a_base_or_an_exponent_that_may_be_0():
    limit = sp.Limit(n**t, t, 0, "+")
    assert opened(limit).has(sp.Limit)
    assert opened(limit.subs(n, a**2 + 1)) == 1
    assert opened(sp.Limit(n ** (1 / t), t, sp.oo)).has(sp.Limit)
    steps = (
        Step("limit", "", lhs=limit, rhs=one),
        infer("at 0", limit.subs(n, 0), ">=", one, Use("limit", at={n: zero})),
        infer("end", x, ">=", x + 1, "at 0"),
    )
    assert not passes(statement("x >= x + 1", over=OVER), steps, {"x": x})


@pytest.mark.parametrize(
    ("value", "jumps"),
    [
        (sp.Max(0, -x) ** sp.Max(0, x), True),
        (sp.Abs(x) ** x, True),
        ((1 + x**2) ** x, False),
        (sp.Max(0, x) ** 2, False),
        (sp.sqrt(sp.Max(0, x)), False),
        (2**x, False),
    ],
)
def test_a_power_jumps_where_both_of_its_parts_are_0(value, jumps):
    assert bool(may_jump(value, {x}, {})) is jumps
    name = sp.Symbol("k", real=True)
    if value.is_Pow and value.exp.free_symbols:
        assert bool(may_jump(value.base**name, {x}, {name: value.exp})) is jumps


ROOT = sp.sqrt(x**2 - 4 * x + 4)
DIVERGENT = sp.Integral(1 / t**2, (t, 0, 1))
LAPLACE = sp.Integral(sp.exp(-a * t), (t, 0, sp.oo))


def _nothing(left, right):
    return zero


@pytest.mark.parametrize(
    ("left", "right", "reduce"),
    [
        (ROOT, 2 - x, lambda left, right: (left - right).subs(ROOT, 2 - x)),
        (DIVERGENT, sp.Integer(5), _nothing),
        (DIVERGENT, sp.Integer(5), lambda left, right: 5 - right),
        (LAPLACE, 1 / a, lambda left, right: sp.integrate(left.function, *left.limits, conds="none") - right),
        (sp.Max(x, 1000), sp.Integer(1000), _nothing),
        (sp.exp(x / 10**80), one, _nothing),
        (x + x, 2 * x, _nothing),
    ],
)
def test_a_reduction_is_of_the_sides_that_it_has(left, right, reduce):
    proof = derivation((Step("end", "", lhs=left, rhs=right, reduce=reduce),), {"x": x, "a": a})
    assert problems(proof) or not proof.proved


@pytest.mark.parametrize(
    ("left", "right"),
    [(sp.Max(0, x), (x + sp.Abs(x)) / 2), (LAPLACE.subs(a, 1 + n), 1 / (1 + n))],
)
def test_a_reduction_that_is_right_stays(left, right):
    step = Step("end", "", lhs=left, rhs=right, reduce=lambda one, other: (one.doit() - other).rewrite(sp.Abs))
    proof = derivation((step,), {"x": x, "n": n})
    assert proof.proved and not problems(proof)


def test_a_value_that_does_not_settle_is_no_zero():
    assert zero_at_points(DIVERGENT - 5) is None
    assert zero_at_points(LAPLACE - 1 / a) is None
    assert zero_at_points(LAPLACE.subs(a, 1 + n) - 1 / (1 + n)) is True


def test_the_domain_of_a_number_restricts_no_statement():
    step = Step("end", "", lhs=sp.Max(x, 2), rhs=sp.Integer(2), reduce=lambda left, right: left.subs(x, 1) - right)
    proof = replace(derivation((step,), {"x": x}), domain=(x < 2,))
    assert problems(proof)
    part = replace(proof, concludes=tuple(replace(end, part="below 2") for end in proof.concludes))
    assert not any("differ somewhere" in text for text in problems(part))


def test_signs_are_those_of_every_value():
    k = sp.Symbol("k", integer=True, nonnegative=True)
    assert sp.atan(k).is_positive  # of SymPy 1.14, and wrong at 0
    assert has_sign(sp.atan(k), ">") is None and has_sign(sp.atan(k), ">=") is not None
    assert sign_of(sp.atan(k), ">") == ">="
    assert has_sign(sp.atan(k + 1), ">") is True
    assert keeps_sign(x**2 + 1, ">") and not keeps_sign(2 * x, ">=")
    f = n - sp.atan(n)
    steps = (
        Step("positive", "", lhs=sp.atan(k), rhs=zero, relation=">", witness=sp.atan(k)),
        Step("rises", "", lhs=sp.Derivative(f, n), rhs=zero, relation=">=", witness=n**2 / (1 + n**2)),
        Step("start", "", lhs=sp.Subs(f, n, 0), rhs=zero),
        by_fact(
            *("below", "", "does not fall from 0"),
            {"f": f, "argument": n},
            {"rises": "rises", "start": "start"},
        ),
        infer("end", k, ">", zero, "positive", Use("below", at={n: k})),
    )
    assert not passes(statement("k > 0", "k >= 0", over=(integer("k", 0, 9),)), steps, {"k": k})


def test_a_divisor_with_a_wrong_sign_may_be_0():
    k = sp.Symbol("k", integer=True, nonnegative=True)
    proof = derivation(
        (Step("end", "", lhs=(k**2 - 1) / sp.atan(k), rhs=(k - 1) * (k + 1) / sp.atan(k)),),
        {"k": k},
        (Hypothesis("k >= 0", k >= 0),),
    )
    assert any("divides by atan(k)" in text for text in problems(proof))


@pytest.mark.parametrize(
    ("expression", "positive"),
    [
        (1 - Phi(x), True),
        (2 - Phi(x) - Phi(2 * x), True),
        (Phi(x) - 5 * Phi(x) ** 2, False),  # -4 far out
        (Phi(x) - 3 * Phi(x) * Phi(2 * x), False),
        (1 - 2 * Phi(x), False),
    ],
)
def test_a_sum_of_shares_is_positive_where_it_is_linear_in_them(expression, positive):
    assert Signs().is_positive(expression) is positive
