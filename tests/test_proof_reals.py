"""What a proof computes with are finite real numbers, and what is put in for something may stand there: false proofs
that once passed, each with the same steps where they are right.
"""

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, passes

from ndis_verify.court.proof_structure import problems
from ndis_verify.court.proof_values import roots
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import matrix, real, vector
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.normal_coordinates import entry
from ndis_verify.symbolic.notation import below, beyond, divergence, mass
from ndis_verify.symbolic.sides import at_values
from ndis_verify.symbolic.zero import is_zero

x, k = sp.symbols("x k", real=True)
complex_number = sp.Symbol("c")
zero, one, two, three = map(sp.Integer, range(4))
angle = sp.Symbol("phi", real=True)
held = sp.UnevaluatedExpr
OVER = (real("x", -3, 3),)


def _shown(left, sign, right, gap=None):
    return Step("shown", "", left, right, sign, witness=None if sign == "=" else gap)


def _both_sides(f, g, edge, above, at_edge):
    letters = {"f": f, "g": g, "argument": x, "edge": edge}
    return (by_fact("end", "", "both sides of an edge", letters, {"above": above, "below": at_edge}),)


def _fourth_power(low):
    """x^4 is at `low` at most what it is at 1/2, as the square of `low` is at most 1/4."""
    share, most = sp.sin(angle) ** 8 / 16, sp.Rational(1, 16)
    short = sp.sin(angle) ** 2
    shown = _shown(share, "<=", most, -(sp.cos(angle) ** 2) * (1 + short) * (1 + short**2) / 16)
    order = _shown(held(low**2), "<=", one / 4, low**2 - one / 4)
    letters = {"f": x**4, "argument": x, "low": low, "high": one / 2, "angle": angle}
    fact = "every number of smaller size is a share"
    return (
        by_fact("size", "", fact, letters, {"shares": shown, "turned": shown, "order": order}),
        infer("end", x + low**4, "<=", x + one / 16, "size"),
    )


def _falling_angle():
    """The argument of -1 + i x falls: from 3 pi/4 at 1 to -3 pi/4 at -1, as it jumps at 0."""
    f = -sp.I * (sp.log(-1 + sp.I * x) - sp.log(1 + x**2) / 2)
    letters = {"f": f, "argument": x, "low": -one, "high": one}
    return (
        Step("not 0", "", (-1 + sp.I * x) * (-1 - sp.I * x), zero, ">", witness=1 + x**2),
        Step("slope", "", sp.Derivative(f, x), zero, "<", witness=-1 / (1 + x**2)),
        by_fact(
            "two",
            "",
            "a falling function at two points",
            letters,
            {"falls": "slope", "order": _shown(one, ">", -one, two)},
            ("not 0",),
        ),
        Step("at 1", "", f.subs(x, 1), 3 * sp.pi / 4),
        Step("at -1", "", f.subs(x, -1), -3 * sp.pi / 4),
        infer("end", x, "<", x - 3 * sp.pi / 2, "two", "at 1", "at -1"),
    )


def _named(value, gap):
    """A function that is called g rises, as its slope is 1; its values at -1 and 1 differ by `gap`."""
    g = sp.Function("g", real=True)
    letters = {"f": g(x), "argument": x, "low": -one, "high": one}
    return (
        define(g(x), value),
        Step("one", "", one, zero, ">", witness=one),
        infer("slope", sp.Derivative(g(x), x), ">", zero, "g(x)", "one"),
        by_fact(
            "two",
            "",
            "a rising function at two points",
            letters,
            {"rises": "slope", "order": _shown(one, ">", -one, two)},
        ),
        infer("end", x, "<", x + gap, "two", *(Use("g(x)", at={x: at}) for at in (-one, one))),
    )


def _turned(number):
    """|x|^2 is x^2 on both sides of 0, and so at `number`."""
    letters = {"f": held(sp.Abs(complex_number)) ** 2, "g": complex_number**2, "argument": complex_number, "edge": zero}
    above, at_edge = (_shown(held(one_**2), "=", one_**2) for one_ in (below, beyond))
    fact = "equal on both sides of an edge"
    return (
        by_fact("squares", "", fact, letters, {"above": above, "below": at_edge}),
        infer("end", x + held(sp.Abs(number)) ** 2, "=", x + number**2, Use("squares", at={complex_number: number})),
    )


def _replaced(key, value):
    """1 + 2 = 3, with something else in the place of 2."""
    return (
        Step("sum", "", held(one) + two, three),
        infer("end", x + (held(one) + value), "=", x + 3, Use("sum", at={key: value})),
    )


P, t = sp.symbols("P t", real=True)
AT_LEAST_1 = Hypothesis("k_i >= 1", entry(k) >= 1)


def _coordinate(value):
    return (
        infer("least", entry(k), ">=", one, Use("k_i >= 1")),
        infer("end", x, ">=", x + 1 - value, Use("least", at={entry(k): value})),
    )


def _chance(value):
    """No probability is above 1, and `value` no probability."""
    return (
        by_fact("chance", "", "probabilities are at most 1", {"P": P, "t": t}, {}),
        infer("end", x, "<=", x + 1 - value, Use("chance", at={mass(P, t): value})),
    )


FALSE = {
    "an edge at infinity, where both sides are 0": (
        statement("e^(-x) <= 1 - 2 e^(-x)", over=OVER),
        _both_sides(
            sp.exp(-x),
            1 - 2 * sp.exp(-x),
            sp.oo,
            _shown(held(zero), "<=", one, -one),
            _shown(held(zero), "<=", one, -one),
        ),
    ),
    "an edge at i, where e^{pi x} is negative": (
        statement("0 <= -e^(pi x)", over=OVER),
        _both_sides(
            zero,
            -sp.exp(sp.pi * x),
            sp.I,
            _shown(zero, "<=", sp.exp(sp.pi * below), -sp.exp(sp.pi * below)),
            _shown(zero, "<=", sp.exp(-sp.pi * beyond), -sp.exp(-sp.pi * beyond)),
        ),
    ),
    "i as a number of smaller size": (statement("x + 1 <= x + 1/16", over=OVER), _fourth_power(sp.I)),
    "a logarithm that jumps from one branch to another": (
        statement("x < x - 3 pi/2", over=OVER),
        _falling_angle(),
    ),
    "a jump behind a name": (
        statement("x < x - 8", over=OVER),
        _named(sp.Piecewise((x, x < 0), (x - 10, True)), -8),
    ),
    "what holds of real numbers, at i": (statement("x + 1 = x - 1", over=OVER), _turned(sp.I)),
    "another number in the place of 2": (statement("x + 4 = x + 3", over=OVER), _replaced(two, three)),
}
OF_COORDINATES = statement("x >= x + 6", "k_i >= 1", over=(*OVER, vector("k", "reals", 3, -3, 3)))
TRUE = {
    "a number of smaller size": (statement("x + 1/256 <= x + 1/16", over=OVER), _fourth_power(one / 4)),
    "a name of what does not jump": (statement("x < x + 2", over=OVER), _named(x, 2)),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_false_proof_is_none(name):
    assert not passes(*FALSE[name], {"x": x})


@pytest.mark.parametrize("name", TRUE)
def test_what_is_right_is_a_proof(name):
    assert passes(*TRUE[name], {"x": x})


def test_a_coordinate_is_what_the_hypothesis_says():
    """k_i >= 1, so -5 >= 1: the hypothesis spoke of k, and the coordinate of k was replaced."""
    assert not passes(OF_COORDINATES, _coordinate(sp.Integer(-5)), {"x": x, "k": k}, (AT_LEAST_1,))


def test_what_a_fact_writes_is_no_unknown():
    assert not passes(statement("x <= x - 6", over=OVER), _chance(sp.Integer(7)), {"x": x})
    assert any("mass(P, t) is known" in text for text in problems(derivation(_chance(sp.Integer(7)), {"x": x})))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (two, three, "must be a symbol"),
        (x**2, sp.Integer(4), "must be a symbol"),
        (x, sp.oo, "finite real number"),
        (x, sp.I, "finite real number"),
        (complex_number, sp.nan, "finite real number"),
        (complex_number, sp.oo, "finite real number"),
        (complex_number, sp.eye(2), "finite real number"),
        (complex_number, letter("B"), "an array where it is one"),
        (letter("B"), x, "an array where it is one"),
    ],
)
def test_odd_values_are_refused(key, value, words):
    with pytest.raises(InputError, match=words):
        at_values(x + complex_number, {key: value})


def test_two_letters_do_not_commute_as_two_numbers_do():
    c, d = sp.symbols("c d")
    B, C = letter("B"), letter("C")
    stated = statement("B C = C B", over=(matrix("B", 2, 2, -3, 3), matrix("C", 2, 2, -3, 3)))
    product = Step("product", "", held(c) * d, c * d)
    for at in ({c: B, d: C}, {c: C, d: B}):
        assert not passes(stated, (product, infer("end", B * C, "=", C * B, Use("product", at=at))), {"B": B, "C": C})


def test_a_symbol_of_the_same_name_is_another_symbol():
    positive = sp.Symbol("x", positive=True)
    stated = statement("x^2 > 0", over=OVER)
    for end in (
        Step("end", "", x**2, zero, ">", witness=positive**2),
        infer("end", x**2, ">", zero, "square"),
    ):
        square = Step("square", "", positive**2, zero, ">", witness=positive**2)
        assert not passes(stated, (square, end) if end.premises else (end,), {"x": x})


@pytest.mark.parametrize(
    ("side", "sign"),
    [(sp.sqrt(x), x), (x ** sp.Rational(1, 3), x), (sp.log(x - 2), x - 2), (sp.Derivative(sp.log(x), x), x)],
)
def test_roots_and_logarithms_are_of_what_is_not_negative(side, sign):
    """The cube root of -8 is 1 + sqrt(3) i, and log(x^2) no double of log x."""
    assert sign in roots(side)
    found = problems(derivation((Step("end", "", held(side) + 1, side + 1),), {"x": x}))
    assert any("which may be negative" in text for text in found)


def test_a_root_of_what_is_shown_not_to_be_negative():
    v = sp.Symbol("v", nonnegative=True)
    assert not roots(sp.sqrt(v)) and not roots(sp.sqrt(x**2 + 1)) and not roots(x**-2)
    below_1 = Hypothesis("x <= 1", sp.Le(x, 1))
    for given, right in (((below_1,), True), ((), False)):
        step = Step("end", "", held(sp.sqrt(1 - x)) * x, sp.sqrt(1 - x) * x, premises=tuple(h.text for h in given))
        found = problems(derivation((step,), {"x": x}, given))
        assert (not any("which may be negative" in text for text in found)) is right


@pytest.mark.parametrize("odd", [sp.I, sp.zoo, sp.nan, sp.oo])
def test_nothing_is_computed_with_what_is_no_real_number(odd):
    found = problems(derivation((Step("end", "", held(x) * odd + 1, odd * x + 1),), {"x": x}))
    assert any("no real number" in text or "infinity" in text or "no value" in text for text in found)


def test_infinity_is_an_end():
    step = Step("end", "", sp.Limit(1 / (1 + below), below, sp.oo) + x, x)
    assert not [text for text in problems(derivation((step,), {"x": x})) if "infinity" in text]
    assert divergence(P, P, x).is_real


def test_what_is_0_where_it_is_looked_at_is_not_decided():
    """A step that is 0 below 2 is 0 at every sample point; so are floor(x^2) and what a root makes of (x - 2)^2."""
    for side in (sp.Piecewise((0, x < 2), (1, True)), sp.floor(x**2), sp.sqrt(sp.expand((x - 2) ** 2)) + x - 2):
        assert is_zero(side) is None
    for side in (sp.sqrt(x**2) - x, sp.log(x**2) - 2 * sp.log(x), (x**3) ** sp.Rational(1, 3) - x):
        assert is_zero(side) is False
