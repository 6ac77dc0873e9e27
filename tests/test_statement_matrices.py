"""Vectors and matrices in the language of statements: printed and read, their values, what is refused."""

import re
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.claim import Outcome
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.quantities.exact import NotExact
from ndis_verify.court.quantities.float_matrices import QUANTITIES as FLOATS
from ndis_verify.court.scaled_floats import scaled
from ndis_verify.court.statement_arrays import array, flat, rows_of
from ndis_verify.court.statement_balls import decide, exact_text, value_at
from ndis_verify.court.statement_checks import counterexample_text, statement_counterexample
from ndis_verify.court.statement_domains import domain_of, point_of, random_points
from ndis_verify.court.statement_fates import fates
from ndis_verify.court.statement_floats import StatementMargin, columns_of, value_on
from ndis_verify.court.statement_settle import Ending, settle
from ndis_verify.exact_number import InputError
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import enclosure, working_bits
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.statements.json_form import from_json, to_json
from ndis_verify.statements.mutation import mutants
from ndis_verify.statements.printing import plain, tex
from ndis_verify.statements.reading import read_term, statement
from ndis_verify.statements.shapes import shape_of
from ndis_verify.statements.statement import Variable, matrix, orthogonal, real, square, symmetric, vector
from ndis_verify.statements.terms import Term, apply, term, variable

A, S, X, Y = (variable(name) for name in ("A", "S", "x", "y"))
SHAPES = {"A": (2, 2), "S": (2, 2), "x": (2,), "y": (2,)}
VALUES = {
    "A": [[Fraction(1), Fraction(-2)], [Fraction(1, 2), Fraction(3)]],
    "S": [[Fraction(2), Fraction(1)], [Fraction(1), Fraction(3)]],
    "x": [Fraction(2), Fraction(-1)],
    "y": [Fraction(1, 3), Fraction(4)],
}


def _arrays(values):
    return {name: array(rows) if name in "AS" else rows for name, rows in values.items()}


_NUMBERS = st.one_of(
    st.fractions(min_value=-3, max_value=3, max_denominator=4).map(term),
    st.sampled_from([apply("transpose", X) * Y, apply("det", A), apply("trace", S)]),
)
_VECTORS = st.one_of(st.sampled_from([X, Y]), st.tuples(_NUMBERS, _NUMBERS).map(lambda t: Term("vector", t)))


def _grown(children):
    return st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul"]), st.tuples(children, children)).map(lambda t: Term(*t)),
        st.tuples(st.sampled_from(["neg", "transpose"]), children).map(lambda t: Term(t[0], (t[1],))),
        st.tuples(_NUMBERS, children).map(lambda t: t[0] * t[1]),
        _VECTORS.map(lambda v: v * apply("transpose", v)),
        _VECTORS.map(lambda v: apply("diagonal", v)),
        children.map(lambda t: t + apply("identity")),
        children.map(lambda t: t**-1),
        st.tuples(_VECTORS, _VECTORS).map(lambda t: Term("beside", t)),
        _VECTORS.map(lambda v: Term("above", (apply("transpose", v), apply("transpose", X)))),
    )


_MATRICES = st.recursive(st.sampled_from([A, S]), _grown, max_leaves=6)


@settings(max_examples=150, deadline=None)
@given(_MATRICES)
def test_what_is_printed_of_matrices_is_read_as_the_same_text_and_the_same_numbers(body):
    assert shape_of(body, SHAPES) == (2, 2)
    read = read_term(plain(body))
    assert plain(read) == plain(body) and tex(body).count("{") == tex(body).count("}")
    try:
        assert flat(value_at(body, _arrays(VALUES), 20)) == flat(value_at(read, _arrays(VALUES), 20))
    except NotExact:  # an inverse that there is not
        return


def _numpy(text):
    """The text's matrices by numpy, which has no line in common with the language."""
    names = {name: np.array(value, dtype=float) for name, value in VALUES.items()}
    a, s, x, y = (names[k] for k in ("A", "S", "x", "y"))
    inverse = np.linalg.inv
    return {
        "A^T S^{-1} A": a.T @ inverse(s) @ a,
        "(A + 2 I)^{-1} x": inverse(a + 2 * np.eye(2)) @ x,
        "x y^T - S^2": np.outer(x, y) - s @ s,
        "x^T S y": x @ s @ y,
        "det([A; x^T]^T [A; x^T])": np.linalg.det(a.T @ a + np.outer(x, x)),
        "tr([A, y]^T [A, y])": np.sum(a**2) + y @ y,
        "|x - y|": np.linalg.norm(x - y),
        "diag((1, 2)) A (1, -1)": np.diag([1, 2]) @ a @ np.array([1, -1]),
        "A/det(S)": a / np.linalg.det(s),
        "rows([A; S]) cols([A, x])": 12.0,
    }[text]


@pytest.mark.parametrize(
    "text",
    [
        "A^T S^{-1} A",
        "(A + 2 I)^{-1} x",
        "x y^T - S^2",
        "x^T S y",
        "det([A; x^T]^T [A; x^T])",
        "tr([A, y]^T [A, y])",
        "|x - y|",
        "diag((1, 2)) A (1, -1)",
        "A/det(S)",
        "rows([A; S]) cols([A, x])",
    ],
)
def test_matrices_are_what_numpy_finds_exactly_and_in_columns(text):
    true = np.ravel(_numpy(text))
    with working_bits(100):
        found = [float(x) for x in flat(value_at(read_term(text), _arrays(VALUES), 20))]
    assert np.allclose(found, true, rtol=1e-13)
    columns = _arrays(
        {
            name: [[scaled([float(x)] * 3) for x in row] for row in value]
            if name in "AS"
            else [scaled([float(x)] * 3) for x in value]
            for name, value in VALUES.items()
        }
    )
    inside = flat(value_on(read_term(text), columns, 3))
    assert np.allclose([x.value()[2] for x in inside], true, rtol=1e-12)
    assert all((np.abs(x.value() - t) <= 10 * x.slack() + 1e-15 * abs(t)).all() for x, t in zip(inside, true))


_SIZED = [  # what is printed of the sizes in words and in TeX
    ("rows(B) = n", [matrix("B", 3, 2, 0, 1)], "real k x d matrix B", r"B \in \mathbb{R}^{k \times d}"),
    ("rows(A) = rows(B)", [matrix("A", 2, 3, 0, 1), matrix("B", 3, 2, 0, 1)], "real d x n matrix B", r"{d \times n}"),
    ("det(A) = 1", [matrix("A", 2, 2, 0, 1)], "real d x d matrix A", r"{d \times d}"),
    ("sum_i (p_i - q_i) = 0", [vector(v, "law", 3, "0.1", 1) for v in "pq"], "laws p, q on k points", "P}_k"),
    ("sum_i p_i = k", [vector("p", "law", 3, "0.1", 1), real("k", 0, 1)], "law p on n points", r"\mathcal{P}_n"),
    (
        "sum_i p_i = sum_i q_i",
        [vector("p", "law", 3, "0.1", 1), vector("q", "law", 2, "0.1", 1)],
        "law q on n points",
        r"p \in \mathcal{P}_k,\; q \in \mathcal{P}_n",
    ),
    (
        "|x + A y| >= 0",
        [matrix("A", 3, 2, 0, 1), vector("x", "reals", 3, 0, 1), vector("y", "reals", 2, 0, 1)],
        "real n x d matrix A",
        r"x \in \mathbb{R}^n,\; A \in \mathbb{R}^{n \times d},\; y \in \mathbb{R}^d",
    ),
]


@pytest.mark.parametrize(("claimed", "over", "words", "sets"), _SIZED)
def test_a_size_has_a_letter_of_its_own_that_is_no_variable(claimed, over, words, sets):
    stated = statement(claimed, over=over)
    assert words in stated.hypothesis_lines and sets in stated.tex


def test_letters_of_sizes_in_the_ledger_are_no_names_and_fit_together():
    for claim in (one for one in all_claims() if one.stated is not None):
        names = {v.name for v in claim.stated.variables} | {name for name, _ in claim.stated.where}
        letters = re.findall(r"(?:mathbb{[RSZ]}|mathcal{P})[_^](\w)", claim.stated.tex)
        letters += [x for pair in re.findall(r"{(\w) \\times (\w)}", claim.stated.tex) for x in pair]
        assert not names & set(letters), claim.id
    assert r"B \in \mathbb{R}^{n \times d},\; b \in \mathbb{R}^n" in find("N24-P4").stated.tex


@pytest.mark.parametrize("size", [2, 3])
def test_an_orthogonal_matrix_is_one(size):
    stated = statement("U^T U = I, and U U^T = I", over=(orthogonal("U", size),))
    assert all(decide(stated, point).outcome == "held" for point in random_points(stated, 5))


def _skew_and_signs(wanted):
    """K of entries in [-1, 1] and signs of columns for which (I - K)(I + K)^{-1} with the signs is `wanted`."""
    one = np.eye(len(wanted))
    for signs in product((1, -1), repeat=len(wanted)):
        turned = wanted * signs
        if abs(np.linalg.det(one + turned)) > 1e-9:
            skew = np.linalg.inv(one + turned) @ (one - turned)
            if np.abs(skew).max() <= 1:
                return skew, signs
    raise AssertionError("there always are such signs")


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_orthogonal_matrix_is_searched(size):
    rng, stated = np.random.default_rng(size), statement("det(U) <= 1", over=(orthogonal("U", size),))
    for _ in range(20):
        wanted = np.linalg.qr(rng.normal(size=(size, size)))[0] * rng.choice([-1, 1], size)
        skew, signs = _skew_and_signs(wanted)
        point = {f"U_{i + 1}_{j + 1}": signs[i] if i == j else skew[i, j] for i in range(size) for j in range(i, size)}
        assert domain_of(stated).contains(point)
        columns = columns_of(stated, {name: [x] for name, x in point.items()})
        found = [x.value()[0] for x in flat(value_on(variable("U"), columns, 1))]
        assert np.allclose(found, wanted.ravel(), atol=1e-10)


def test_no_orthogonal_matrix_is_left_out_of_a_search():
    with pytest.raises(InputError, match="range of U"):
        Variable("U", "orthogonal", 0, 1, size=2)


@pytest.mark.parametrize("claimed", ["det(U) = 1", "tr(U) >= -1/100", "tr(U) + det(U) >= 1/2"])
def test_reflections_and_wide_angles_are_met(claimed):
    found = settle(statement(claimed, over=(orthogonal("U", 2),)), seconds=20, evaluations=600)
    assert found.outcome == "violated", found.detail


@pytest.mark.parametrize("kind", [square, symmetric])
def test_a_matrix_that_is_not_negative_may_have_negative_entries(kind):
    stated = statement("(1, 0)^T A (0, 1) >= 0", "A >= 0", over=(kind("A", 2, -1, 1),))
    assert settle(stated, seconds=20, evaluations=2000).outcome == "violated"


def test_a_bound_of_a_law_does_not_cut_the_weights_that_it_is_searched_by():
    over = (vector("p", "law", 2, Fraction(1, 2), Fraction(9, 2)),)
    stated = statement("sum_i p_i^2 <= 0.6", "p_i <= 0.95", over=over)
    assert settle(stated, seconds=20, evaluations=2000).outcome == "violated"
    bounded = statement("sum_i p_i^2 <= 0.6", "p_i <= 0.7", over=over)
    assert settle(bounded, seconds=20, evaluations=2000).outcome == "supported"


_FIRST = ([Fraction(1), Fraction(-1, 2)], [[Fraction(2), Fraction(1)], [Fraction(1), Fraction(3)]])
_SECOND = ([Fraction(0), Fraction(1, 4)], [[Fraction(1), Fraction(-1, 2)], [Fraction(-1, 2), Fraction(2)]])


@pytest.mark.parametrize("epsilon", ["-1", "0.5", "3"])
def test_a_pair_of_matrices_is_the_divergence_that_its_words_name(epsilon):
    true = hockey_stick(GaussianPair(*_FIRST, *_SECOND), epsilon, digits=20)
    body = apply("normal_pair", *(variable(name) for name in ("u", "S", "w", "A")), Fraction(epsilon))
    exact = {"u": _FIRST[0], "w": _SECOND[0], **_arrays({"S": _FIRST[1], "A": _SECOND[1]})}
    with working_bits(120):
        assert enclosure(value_at(body, exact, 20)).overlaps(true)
    columns = {n: [scaled([float(x)]) for x in exact[n]] for n in "uw"}
    columns |= _arrays({n: [[scaled([float(x)]) for x in row] for row in rows_of(exact[n])] for n in "SA"})
    found = value_on(body, columns, 1)
    assert abs(float(found.value()[0]) - float(true.mid)) <= 1e-9 * float(true.mid) and found.error[0] < 1e-6
    with pytest.raises(NotExact):
        value_at(body, {**exact, **_arrays({"S": [[Fraction(1), Fraction(2)], [Fraction(2), Fraction(1)]]})}, 20)


def test_a_hinge_of_a_quadratic_form_is_the_expectation_that_its_words_name():
    form, slope = np.array([[-0.75, 0.5], [0.5, 0.25]]), np.array([0.5, -1.0])
    z = np.random.default_rng(6).normal(size=(2, 10**6))
    sample = np.maximum(0, -np.expm1(0.25 + slope @ z + np.einsum("in,ij,jn->n", z, form, z) / 2))
    values = _arrays({"A": [[Fraction(x) for x in row] for row in form.tolist()], "x": list(map(Fraction, slope))})
    body = apply("form_hinge", A, X, Fraction(1, 4))
    with working_bits(120):
        true = float(enclosure(value_at(body, values, 20)).mid)
    assert abs(sample.mean() - true) < 5 * sample.std() / 1e3
    columns = _arrays({"A": [[scaled([x]) for x in row] for row in form.tolist()], "x": [scaled([x]) for x in slope]})
    assert abs(float(value_on(body, columns, 1).value()[0]) - true) < 1e-9


def _both(*hypotheses):
    return {"over": (symmetric("S", 2, "0.1", 4), symmetric("T", 2, "0.1", 4))}, ("S > 0", "T > 0", *hypotheses)


@pytest.mark.parametrize(
    ("claimed", "hypotheses", "outcome"),
    [
        ("(S + T)^{-1} <= S^{-1}", (), "supported"),
        ("det(S + T) >= det(S) + det(T)", (), "supported"),
        ("S^2 <= T^2", ("S <= T",), "violated"),  # the square is not monotone
        ("S <= T", ("tr(S) <= tr(T)",), "violated"),
        ("det(S T) = det(S) det(T)", (), "supported"),
        ("S T = T S", (), "violated"),
        ("tr(S T) <= tr(S) tr(T)", (), "supported"),
    ],
)
def test_statements_about_matrices_are_settled(claimed, hypotheses, outcome):
    options, given_ = _both(*hypotheses)
    found = settle(statement(claimed, *given_, **options), seconds=20, evaluations=600)
    assert found.outcome == outcome, found.detail


def test_the_columns_and_the_balls_see_the_same_order():
    options, given_ = _both()
    stated = statement("S <= T", **options)
    points = random_points(stated, 60)
    columns = {name: np.array([float(point[name]) for point in points]) for name in points[0]}
    margins = StatementMargin(stated)(**columns)
    held = np.array([decide(stated, point).outcome == "held" for point in points])
    assert held.any() and not held.all() and np.array_equal(margins >= 0, held)
    with_two = statement("S <= T", *given_, **options)
    at = point_of(with_two, {"S": ["1", "0.5", "1"], "T": ["2", "0.5", "2"]})
    assert decide(with_two, at).outcome == "held"


@pytest.mark.parametrize(
    "text",
    ["A + x", "x x", "x^T A^T^T", "det(x)", "A^{1/2}", "A^0", "exp(A)", "[A, (1, 2, 3)]", "[A; x]", "x/A", "I^{-1}"],
)
def test_what_does_not_fit_together_is_refused(text):
    variables = (square("A", 2, -1, 1), vector("x", "reals", 2, -1, 1))
    used = [v for v in variables if v.name in text]
    with pytest.raises(InputError):
        statement(f"{text} = 0", over=used)


@pytest.mark.parametrize(
    "claimed", ["A <= x", "A = 1", "x > 0", "B >= 0", "A = B", "A = x", "delta_normal(x, A, (1, 2, 3), A; 1) > 0"]
)
def test_sides_that_are_no_like_are_refused(claimed):
    variables = (square("A", 2, -1, 1), vector("x", "reals", 2, -1, 1), matrix("B", 3, 2, -1, 1))
    with pytest.raises(InputError):
        statement(claimed, over=[v for v in variables if v.name in claimed])


@pytest.mark.parametrize("build", [lambda: matrix("B", 0, 2, 0, 1), lambda: matrix("B", 9, 8, 0, 1)])
def test_a_matrix_of_no_size_is_refused(build):
    with pytest.raises(InputError):
        build()


def test_a_statement_about_matrices_comes_back_and_its_faults_are_told_apart():
    stated = statement(
        "v^T (B^T B + v v^T)^{-1} v <= 1, and delta_N((x, 0), (2, 1); eps) >= delta_N((0, 0), (2, 1); eps)",
        *("B^T B > 0", "eps >= 0", "x >= 0"),
        over=(matrix("B", 3, 2, -3, 3), vector("v", "reals", 2, -3, 3)),
    )
    assert from_json(to_json(stated)) == stated
    rules = {m.rule for m in mutants(stated)}
    assert {"coordinate left out", "entries exchanged", "sign", "direction", "hypothesis left out"} <= rules
    found = [fate for _, fate, _ in fates(stated, 60)]
    assert found.count("violated") >= len(found) / 3


@pytest.mark.parametrize(("apart", "off"), [("0.1", "1e-9"), ("0.5", "1e-7"), ("0.001", "1e-4")])
def test_far_out_a_mean_that_is_a_little_off_moves_a_divergence_a_lot(apart, off):
    """Where the tail begins 40 deviations out and more, the bound of the error holds what the means may have been."""
    one, zero = scaled([1.0, 1.0]), scaled([0.0, 0.0])
    moved = scaled([float(apart)] * 2, [float(off)] * 2)
    found = FLOATS["normal_pair"](zero, one, moved, one, scaled([4.0, 4.0]))
    with mpmath.workdps(30):
        logs = [_log_shift(mpmath.mpf(apart) + sign * mpmath.mpf(off), 4) for sign in (-1, 0, 1)]
        wide = max(abs(log - logs[1]) for log in logs)
        assert float(found.error[0]) >= float(mpmath.expm1(min(wide, 700)))
    assert (not np.isfinite(found.error[0])) == (wide > 100)


def _log_shift(D, eps):
    """log of Phi(D/2 - eps/D) - e^eps Phi(-D/2 - eps/D), to digits that outlast the cancellation."""
    with mpmath.workdps(30):
        ratio = [mpmath.erfc((eps / D + side * D / 2) / mpmath.sqrt(2)) / 2 for side in (-1, 1)]
        return mpmath.log(ratio[0] - mpmath.exp(eps) * ratio[1])


_FOUND = [  # a statement, a point in what is searched, and how the point is shown
    (
        statement("(1, 0)^T U (0, 1) <= 1/2", over=(orthogonal("U", 2),)),
        {"U_1_1": 1, "U_1_2": -1, "U_2_2": 1},
        "U_1_1 = 0, U_1_2 = 1, U_2_1 = -1, U_2_2 = 0",
    ),
    (statement("det(U) >= 0", over=(orthogonal("U", 1),)), {"U_1_1": -1}, "U_1_1 = -1"),
    (
        statement("sum_i p_i^2 <= 0.6", over=(vector("p", "law", 2, Fraction(1, 2), Fraction(9, 2)),)),
        {"p_1": 4, "p_2": 1},
        "p_1 = 0.8, p_2 = 0.2",
    ),
]


@pytest.mark.parametrize(("stated", "point", "shown"), _FOUND)
def test_a_counterexample_is_shown_in_the_numbers_of_the_variables(stated, point, shown):
    assert counterexample_text(stated, point).startswith(f"at {shown}: ")
    check = statement_counterexample("counterexample", stated, point)
    evidence = check.run("quick")
    assert evidence.outcome is Outcome.HELD and evidence.detail.endswith(f" at {shown}")


def test_what_is_settled_is_shown_in_the_numbers_of_the_variables():
    found = settle(_FOUND[2][0], seconds=20, evaluations=600)
    numbers = {name: Fraction(text) for name, text in found.as_dict()["point"].items()}
    assert found.outcome == "violated" and sum(numbers.values()) == 1
    assert all(f"{name} = {exact_text(number)}" in found.detail for name, number in numbers.items())
    assert Ending.taken_up(found.statement, found.kept()).point == found.point
    bounded = statement("sum_i p_i^2 <= 0.9", over=_FOUND[2][0].variables)
    worst = settle(bounded, seconds=20, evaluations=600).detail  # at an end of the range, 9/10 and 1/10
    assert "p_1 = 0.9, p_2 = 0.1" in worst or "p_1 = 0.1, p_2 = 0.9" in worst, worst
