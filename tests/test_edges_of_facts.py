"""Edges at which facts are false: variances that are 0, arguments that are no numbers of an interval, limits that are
others at one parameter, distances below 0.
"""

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_proofs import define, derivation, infer, integrated, passes

from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import integer, real, vector
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_signs import v
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import over_envelope, scalar, sign_changes, transpose
from ndis_verify.symbolic.notation import x as point
from ndis_verify.symbolic.sides import opened
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.zero import is_zero

zero, one = sp.Integer(0), sp.Integer(1)
half, quarter = sp.Rational(1, 2), sp.Rational(1, 4)
x, p, q, eps = (sp.Symbol(name, real=True) for name in ("x", "p", "q", "eps"))
t, rate = sp.Symbol("t", positive=True), sp.Symbol("b", nonnegative=True)
d, r = (sp.Symbol(name, integer=True, positive=True) for name in "dr")
ABOVE = sp.Symbol("x", positive=True)


def _at_least(left, right, relation=">="):
    return Step("order", "", left, right, relation, left - right)


def _problems(*steps, hypotheses=()):
    return "; ".join(problems(derivation(steps, {}, hypotheses)))


def _fact(name, letters, conditions):
    return by_fact("end", "", name, letters, conditions)


def _no_cost(scale):
    """That least squares gives nothing away, in a frame of coordinates of this variance."""
    first, others, shift = (
        (1 - 2 * p + p**2) / (1 - q),
        1 / (1 - q) - p / (1 - q),
        r * p * q / (1 - q) - r * p**2 / (1 - q),
    )
    letters = {"p": p, "q": q, "d": d, "r": r, "epsilon": eps, "shift": shift, "first": first, "others": others}
    meant = meaning("meaning", "least_squares", p, q, d, r, eps)
    variance = _at_least(scale, zero, ">")
    return (
        meant,
        Step("first", "", (1 - p) ** 2 / (1 - q), first),
        Step("others", "", (1 - p) / (1 - q), others),
        Step("shift", "", r * p * (q - p) / (1 - q), shift),
        by_fact(
            "frame",
            "",
            "one frame for least squares",
            {**letters, "scale": scale, "other scale": scale},
            {**{name: name for name in ("first", "others", "shift")}, "scale": variance, "other scale": variance},
            ("q < 1",),
        ),
        by_fact(
            "twice",
            "",
            "one law twice",
            {"first": scale, "second": scale, "d": d, "epsilon": eps},
            {"first": variance, "second": variance, "epsilon": "eps >= 0"},
        ),
        infer("end", meant.lhs, "=", zero, "meaning", "frame", "twice"),
    )


def test_a_frame_has_positive_variances():
    """Of the variance 0 every product of laws was one law twice."""
    over = (real("p", 0, 1), real("q", 0, 1), integer("d", 1, 9), integer("r", 1, 99), real("eps", 0, 3))
    stated = statement("delta_LS_delete(p, q, d, r; eps) = 0", "q < 1", "eps >= 0", "d >= 1", "r >= 1", over=over)
    hypotheses = Hypothesis("q < 1", q < 1), Hypothesis("eps >= 0", eps >= 0)
    symbols = {"p": p, "q": q, "d": d, "r": r, "eps": eps}
    assert not passes(stated, _no_cost(zero), symbols, hypotheses)
    found = problems(derivation(_no_cost(zero), symbols, hypotheses))
    assert {text.split(":")[0] for text in found} == {"step 'frame'", "step 'twice'"}
    assert all("is not shown" in text for text in found)


@pytest.mark.parametrize("name", ["one frame for two normal laws", "one frame for least squares, exchanged"])
def test_every_frame_asks_for_its_variances(name):
    assert {"scale", "other scale"} <= set(FACTS[name].required)
    assert {"g", "other g"} <= set(FACTS["noise on both of two products"].required)


def _linear_form(transposed, squared):
    """E (w^T z)^2 is w^T w, by the length of `squared`."""
    w, size = letter("w"), sp.Symbol("n", nonnegative=True)
    return by_fact(
        "end",
        "",
        "linear form of a standard normal vector",
        {"f": x**2, "argument": x, "b^T": transposed, "b": squared, "length": size},
        {
            "length": f"u^T {squared} = n^2",
            "sign": _at_least(x**2, zero),
        },
    ), w


def test_a_form_has_the_length_of_its_vector():
    """u^T v = 1 was taken for the squared length of u."""
    u, w = letter("u"), letter("v")
    size = sp.Symbol("n", nonnegative=True)
    for squared, right in ((u, True), (w, False)):
        length = Hypothesis(f"u^T {squared} = n^2", sp.Eq(scalar(transpose(u) * squared), size**2))
        step, _ = _linear_form(transpose(u), squared)
        assert ("says nothing of these letters" not in _problems(step, hypotheses=(length,))) is right


@pytest.mark.parametrize("argument", [sp.Symbol("k", positive=True), sp.Function("k", real=True)(one)])
def test_a_form_is_of_a_function_of_every_number(argument):
    """e^(k^2) > 0 for k > 0 says nothing below 0; k(1) is one number."""
    with pytest.raises(InputError):
        FACTS["linear form of a standard normal vector"].instance(
            {"f": argument, "argument": argument, "b^T": transpose(letter("u")), "b": letter("u"), "length": one}
        )


def _share(angle):
    f = -16 * ABOVE * (x - sp.Rational(3, 4)) ** 2 + x * ABOVE / 100
    low = sp.Rational(3, 4)
    return (
        Step("shares", "", f.subs(x, sp.sin(angle) ** 2), f.subs(x, 1), "<=", -ABOVE / 200),
        _fact(
            "every smaller number is a share",
            {"f": f, "argument": x, "low": low, "high": one, "angle": angle},
            {"shares": "shares", "low": _at_least(low, zero), "order": _at_least(one, low)},
        ),
    )


def test_an_angle_is_every_number():
    """One share, that of pi/4, was all."""
    alpha = sp.Symbol("alpha", real=True)
    for name in ("every smaller number is a share", "every number of smaller size is a share"):
        letters = {"f": x, "argument": x, "low": zero, "high": one}
        assert FACTS[name].instance({**letters, "angle": alpha})
        for angle in (sp.pi / 4, 2 * alpha, sp.Symbol("alpha", positive=True)):
            with pytest.raises(InputError):
                step = {**letters, "angle": angle}
                FACTS[name].required["shares"](step)
    with pytest.raises(InputError):
        _problems(*_share(sp.pi / 4))


CALL, WHOLE = sp.Function("k", real=True)(one), sp.Symbol("n", positive=True, integer=True)


@pytest.mark.parametrize("argument", [CALL, WHOLE, sp.Symbol("n", real=True, nonzero=True), 2 * x])
@pytest.mark.parametrize("name", ["a rising function at two points", "a falling function at two points"])
def test_an_argument_is_a_symbol_of_every_number_of_an_interval(argument, name):
    """n^2 - 3n/2 rises at the whole n >= 1, and falls from 0 to 1; -1/n rises at every n but 0."""
    letters = {"low": zero, "high": one}
    assert FACTS[name].instance({**letters, "f": x, "argument": x})
    with pytest.raises(InputError, match="argument"):
        FACTS[name].instance({**letters, "f": argument, "argument": argument})


def test_no_fact_goes_over_a_call():
    letters = {"f": CALL**2, "argument": CALL, "edge": zero, "g": CALL**2 + 1}
    shown = dict.fromkeys(("above", "below"), Step("one", "", zero, one, "<=", -one))
    assert "no symbol" in _problems(_fact("both sides of an edge", letters, shown))


def _falls(argument):
    f = 1 / (1 + argument**2) if argument.is_positive else -1 / (1 + argument**2)
    return (
        Step("falls", "", sp.Derivative(f, argument), zero, "<", sp.diff(f, argument)),
        Step("limit", "", lhs=sp.Limit(f, argument, sp.oo), rhs=zero),
        _fact("falls to 0", {"f": f, "argument": argument}, {"falls": "falls", "end": "limit"}),
    )


def test_what_falls_to_0_falls_up_to_infinity():
    assert passes(statement("1/(1 + t^2) > 0", "t > 0", over=(real("t", 0, 9),)), _falls(t), {"t": t})
    with pytest.raises(InputError, match="argument"):
        _falls(sp.Symbol("t", negative=True))


def test_a_number_does_not_depend_on_where_signs_change():
    """1 - 10 v + 12 v^2 changes its sign, also where it has a name."""
    fact, moving = FACTS["one sign throughout"], 12 * v**2 - 10 * v + 1
    assert fact.instance({"c": x, "u": one}) == (sign_changes(x), "=", 0)
    with pytest.raises(InputError):
        fact.instance({"c": moving, "u": one})
    c, shown = sp.Symbol("c", real=True), {"positive": _at_least(one, zero, ">")}
    for meant, right in ((moving, False), (x**2, True)):
        step = _fact("one sign throughout", {"c": c, "u": one}, shown)
        assert ("which sign_changes goes" not in _problems(define(c, meant), step)) is right


def _mean_of_t(low):
    u = sp.Symbol("u", nonnegative=True)
    f = u * sp.exp(-u)
    return (
        Step("pointwise", "", f, zero, ">=", f),
        by_fact(
            "mean",
            "",
            "means of what is not negative",
            {"mean": lambda g: sp.Integral(g, (u, low, sp.oo)), "f": f},
            {"pointwise": "pointwise"},
        ),
        integrated("value", sp.Integral(f, (u, low, sp.oo)), (low + 1) * sp.exp(-low)),
        infer("end", (low + 1) * sp.exp(-low) * ABOVE, ">=", zero, Use("mean", weight=ABOVE), "value"),
    )


def test_a_mean_goes_over_what_its_variable_stands_for():
    """The integral of u e^-u from -2 on, u >= 0, is -e^2."""
    stated = statement("2 e^(-1) x >= 0", "x > 0", over=(real("x", 0, 9),))
    assert passes(stated, _mean_of_t(one), {"x": ABOVE})
    with pytest.raises(InputError, match="mean"):
        _mean_of_t(sp.Integer(-2))


def _by_a_limit(parameter):
    limit = sp.Limit(1 / (1 + parameter * t), t, sp.oo)
    at = {rate: zero} if parameter == rate else {}
    return (
        Step("limit", "", lhs=limit, rhs=zero),
        infer("most", 1 + limit, "<=", one, "limit"),
        infer("end", ABOVE, "<=", zero, Use("most", at=at, weight=ABOVE)),
    )


def test_a_limit_is_one_for_every_parameter():
    """1/(1 + b t) tends to 0 for b > 0, and to 1 for b = 0."""
    stated = statement("x <= 0", "x > 0", over=(real("x", 0, 9),))
    assert not passes(stated, _by_a_limit(rate), {"x": ABOVE})
    assert is_zero(sp.Limit(1 / (1 + rate * t), t, sp.oo)) is None
    positive = sp.Symbol("b", positive=True)
    assert opened(sp.Limit(1 / (1 + positive * t), t, sp.oo)) == 0


@settings(max_examples=25, deadline=None)
@given(place=st.integers(1, 9), power=st.integers(1, 2), kept=st.booleans())
def test_limits_differ_where_a_coefficient_is_0(place, power, kept):
    """(b - n)^k in the denominator, b > 0, also with as much in the numerator."""
    b = sp.Symbol("b", positive=True)
    moved = (b - place) ** power
    limit = sp.Limit((1 + t if kept else 1) / (1 + t + moved * t**2), t, sp.oo)
    assert opened(limit) == (limit if kept else 0)


def test_limits_that_hold_at_0_too_are_taken():
    for f, value in ((rate + 1 / t, rate), (rate / t, 0), ((rate * t + 1) / (t + 1), rate), (sp.exp(-rate) / t, 0)):
        assert opened(sp.Limit(f, t, sp.oo)) == value
    for f in (sp.log(1 + rate * t), rate * t, sp.atan(rate * t), 1 / (1 + (sp.sqrt(t**2 + rate * t) - t) * t)):
        assert opened(sp.Limit(f, t, sp.oo)).has(sp.Limit)
    assert opened(sp.Limit(t / (rate + t), t, 0)).has(sp.Limit) and opened(sp.Limit(t / (1 + rate + t), t, 0)) == 0
    slope = sp.Derivative(sp.Limit(1 / (1 + rate * t), t, sp.oo), rate)
    assert opened(slope) == slope


@pytest.mark.parametrize(
    ("name", "letter_of", "condition", "sign"),
    [
        ("Hoeffding's inequality", "c", "distance", ">="),
        ("Hoeffding's inequality", "m", "copies", ">"),
        ("bounded differences", "t", "distance", ">="),
        ("bounded differences", "n", "draws", ">"),
        ("singular values of a normal matrix", "s", "excess", ">="),
        ("exact lower limit of a proportion", "level", "level", ">="),
        ("exact upper limit of a proportion", "level", "level", ">="),
        ("cotangent of an angle on a half sphere", "edge", "edge", ">="),
        ("least value over an interval, without jumps", "high", "end", ">="),
        ("greatest value over an envelope, without jumps", "cap", "cap", ">"),
        ("greatest value over an envelope, without jumps", "sum", "sum", ">"),
    ],
)
def test_conditions_at_the_edge(name, letter_of, condition, sign):
    assert FACTS[name].required[condition]({letter_of: x}) == (x, sign, 0)


def _off_the_mean(c):
    term = 1 / (1 + sp.Symbol("X", nonnegative=True))
    return _fact(
        "Hoeffding's inequality",
        {"X": term, "mean": sp.Symbol("M", real=True), "m": sp.Integer(10), "c": c},
        {
            "independent": "independent draws",
            "low": Step("low", "", term, zero, ">=", term),
            "high": Step("high", "", one, term, ">=", term * sp.Symbol("X", nonnegative=True)),
            "copies": _at_least(sp.Integer(10), zero, ">"),
            "distance": _at_least(c, zero),
        },
    )


def test_a_mean_is_off_by_a_distance():
    """It is off by -1 or more in any case."""
    assert _problems(_off_the_mean(one), hypotheses=("independent draws",)) == ""
    assert "'distance' is not shown" in _problems(_off_the_mean(-one), hypotheses=("independent draws",))


def test_one_limit_has_one_level():
    limit, words = sp.Symbol("L", nonnegative=True), ("sets fixed by other rows", "independent draws")

    def of(name, level, limit=limit):
        shown = {"fixed": words[0], "independent": words[1], "level": _at_least(level, zero)}
        letters = {"limit": limit, "probability": sp.Symbol("P", positive=True), "level": level}
        return by_fact(name, "", "exact lower limit of a proportion", letters, shown)

    assert "twice" not in _problems(of("end", half), hypotheses=words)
    assert "said to exist twice" in _problems(of("one", half), of("end", zero), hypotheses=words)
    assert "said to exist" in _problems(of("end", half, 1 - limit), hypotheses=words)


def test_a_form_of_rank_one_is_of_one_vector():
    """w w^T + u u^T was of rank one, by one x that is orthogonal to both."""
    fact = FACTS["a quadratic form of rank one"]
    w, u = letter("w"), letter("u")
    letters = {"c": half, "w": w, "w^T": transpose(w), "a": x, "r": r}
    assert fact.instance(letters) and fact.required["value"](letters) == (half * scalar(transpose(w) * w), "=", x)
    for name, value in (("w", letter("W")), ("c", u)):
        with pytest.raises(InputError):
            fact.instance({**letters, name: value, "w^T": transpose(value if name == "w" else w)})
    assert fact.instance({**letters, "w^T": transpose(u)}) == (0, ">", 0)


def _overlap(g, shift=p):
    h = sp.Lambda(point, 10 * sp.exp(-100 * point**2))
    letters = {"g": sp.Lambda(point, g(point)), "h": h, "m": shift, "k": half}
    fact = FACTS["overlap of two even log-concave functions"]
    fact.required["concave"](letters)
    return fact.instance(letters)


def test_log_concave_functions_have_no_kink():
    """e^{|x| - x^2} has two summits, and is log-concave apart from 0."""
    assert _overlap(lambda place: sp.exp(-(place**2)))
    for size in (
        lambda place: sp.Piecewise((place, place > 0), (-place, True)),
        sp.Abs,
        lambda place: sp.Max(place, -place),
    ):
        with pytest.raises(InputError, match="may jump"):
            _overlap(lambda place, size=size: sp.exp(size(place) - place**2))
    with pytest.raises(InputError):
        _overlap(lambda place: sp.exp(-(place**2)), point)


def test_infima_without_jumps_have_ends_without_jumps():
    """1/(1 + x^2 (v - 1)^2) has the infimum 0 over x >= 0, and 1 for v = 1; the floor of v jumps."""
    s, parameter, at = sp.Symbol("s", nonnegative=True), sp.Symbol("w", positive=True), sp.Symbol("w_0", positive=True)
    f, cov = 1 / (1 + s**2 * (parameter - 1) ** 2), sp.Function("cov", nonnegative=True)
    name, letters = "least value from 0 on, without jumps", {"argument": s, "parameter": parameter, "at": at}
    for known in (cov(parameter, s), over_envelope(parameter, one, cov(parameter, s))):
        assert FACTS[name].instance({**letters, "f": known})
    for unknown in (f, s * cov(s), cov(2 * s), over_envelope(s, one, cov(s)), Phi(s), over_envelope(one, one, f)):
        with pytest.raises(InputError):
            FACTS[name].instance({**letters, "f": unknown})
    for high, right in ((parameter, True), (sp.floor(parameter), False)):
        step = _fact(
            "least value over an interval, without jumps",
            {**letters, "f": sp.exp(-s), "high": high},
            {"continuous": Step("two", "", sp.UnevaluatedExpr(one) + 1, 2 * one), "end": _at_least(high, zero)},
        )
        assert ("may jump" not in _problems(step)) is right


def test_errors_of_a_test_are_unknown_numbers():
    """Two variables were the errors of a test of a pair that is mu-GDP."""
    words, numbers = "a mu-GDP pair", {name: sp.Symbol(name, real=True) for name in ("u", "v", "mu")}
    stated = statement("Phi(v) >= Phi(u - mu)", over=tuple(real(name, -5, 5) for name in numbers))
    step = _fact("a test of a mu-GDP pair", numbers, {"GDP": words})
    assert not passes(stated, (step,), numbers, (words,))
    found = problems(derivation((step,), numbers, (words,)))
    assert any("is said to exist" in text for text in found)
    others = {**numbers, "v": sp.Symbol("t", real=True)}  # v goes over the numbers between 0 and 1
    assert _problems(_fact("a test of a mu-GDP pair", others, {"GDP": words}), hypotheses=(words,)) == ""


def test_vectors_of_a_statement_have_no_other_length():
    """The whole of it: a hinge of w^T z is none of u^T z."""
    u, w, other, c = letter("u"), letter("w"), letter("v"), sp.Symbol("c", real=True)
    over = (*(vector(name, "reals", 2, -1, 1) for name in "uwv"), real("c", -1, 1))
    stated = statement(
        "hinge_A(u u^T - u u^T, u; c) = hinge_A(w w^T - w w^T, w; c)", "u^T v = 1", "w^T v = 1", over=over
    )
    f = sp.Max(0, 1 - sp.exp(c + x))
    meant = {one_: meaning(f"of {one_}", "form_hinge", zero, one_, c) for one_ in (u, w)}

    def form(of):
        return by_fact(
            f"{of}",
            "",
            "linear form of a standard normal vector",
            {"f": f, "argument": x, "b^T": transpose(of), "b": other, "length": one},
            {"length": f"{of}^T v = 1", "sign": "sign", "transpose": Step("v^T", "", transpose(other), transpose(of))},
        )

    hypotheses = [Hypothesis(f"{of}^T v = 1", sp.Eq(scalar(transpose(of) * other), 1)) for of in (u, w)]
    steps = (
        *meant.values(),
        Step("sign", "", f, zero, ">=", f),
        form(u),
        form(w),
        infer("end", meant[u].lhs, "=", meant[w].lhs, "of u", "of w", "u", "w"),
    )
    assert not passes(stated, steps, {"u": u, "w": w, "v": other, "c": c}, tuple(hypotheses))
    assert any("'transpose' is not shown" in text for text in problems(derivation(steps, {}, tuple(hypotheses))))
