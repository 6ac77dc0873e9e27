"""The density of a sketched least-squares solution in the language of statements, and the proof that is made of it."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.claims.ledger import find
from ndis_verify.court.proof_ends import concluded, unconcluded
from ndis_verify.court.proof_structure import problems, step_problems
from ndis_verify.court.quantities.exact import NotExact
from ndis_verify.court.scaled_floats import scaled
from ndis_verify.court.statement_arrays import array
from ndis_verify.court.statement_balls import agreement_at, decide, value_at
from ndis_verify.court.statement_floats import value_on
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.certified.engine.balls import enclosure, working_bits
from ndis_verify.statements.mutation import built
from ndis_verify.statements.reading import read_term, saying, statement
from ndis_verify.statements.shapes import shape_of
from ndis_verify.statements.statement import matrix, vector
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_sketches import OF_SKETCHES
from ndis_verify.symbolic.least_squares_decomposition import eigenvalues_and_shift
from ndis_verify.symbolic.meanings import is_meaning, meaning
from ndis_verify.symbolic.notation import det, scalar, trace, transpose
from ndis_verify.symbolic.rows import of_a_row
from ndis_verify.symbolic.sketch_density import sketched_densities
from ndis_verify.symbolic.statement_terms import expression, quantity
from ndis_verify.symbolic.unknowns import equal

CLAIM = "N24-6.3-exact-law"
DENSITY = read_term("f_sketch(N, c, a, r; x)")
PROOF = sketched_densities()
STATED = find(CLAIM).stated


def _values(gram, cross, square, rows, point):
    return {
        "N": array(gram),
        "c": array([[y] for y in cross]),
        "a": square,
        "r": rows,
        "x": array([[y] for y in point]),
    }


def _exact(*arguments, digits=30):
    with working_bits(200):
        return enclosure(value_at(DENSITY, _values(*arguments), digits))


def _columns(gram, cross, square, rows, point):
    one = lambda y: scaled([float(y)])
    found = _values([list(map(one, row)) for row in gram], list(map(one, cross)), 0, 0, list(map(one, point)))
    return value_on(DENSITY, {**found, "a": one(square), "r": one(rows)}, 1)


# What the words say


@pytest.mark.parametrize(
    ("gram", "cross", "square", "rows", "point"),
    [
        ([[2]], [1], 3, 1, [0]),
        ([[2]], [1], 3, 4, [1]),
        ([[2, 1], [1, 3]], [1, -1], 4, 2, [1, 0]),
        ([[2, 1], [1, 3]], [1, -1], 4, 5, [0, 0]),
    ],
)
def test_the_density_is_that_of_minimisers_that_are_drawn(gram, cross, square, rows, point):
    """The share of 400,000 solutions in a small box, each from r normal rows; five standard errors."""
    rng, d, draws, side = np.random.default_rng(rows), len(cross), 400_000, 0.2
    whole = np.block([[np.array(gram), np.array([cross]).T], [np.array([cross]), np.array([[square]])]]).astype(float)
    found = rng.normal(size=(draws, rows, d + 1)) @ np.linalg.cholesky(whole).T
    x, y = found[:, :, :d], found[:, :, d]
    solved = np.linalg.solve(np.swapaxes(x, 1, 2) @ x, np.swapaxes(x, 1, 2) @ y[..., None])[..., 0]
    share = np.mean((np.abs(solved - np.array(point)) < side / 2).all(axis=1))
    centres = np.array(np.meshgrid(*[np.linspace(-0.45, 0.45, 10) * side] * d)).reshape(d, -1).T + point
    parts = [[[Fraction(y) for y in row] for row in gram], [Fraction(y) for y in cross], Fraction(square)]
    mass = side**d * np.mean([float(_exact(*parts, Fraction(rows), [Fraction(y) for y in at]).mid) for at in centres])
    assert abs(share - mass) < 5 * np.sqrt(mass / draws) + 0.002 * mass


_NUMBER = st.fractions(min_value=-3, max_value=3, max_denominator=8)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 3).flatmap(
        lambda d: st.tuples(
            st.lists(st.lists(_NUMBER, min_size=d + 1, max_size=d + 1), min_size=1, max_size=4),
            st.lists(_NUMBER, min_size=d, max_size=d),
        )
    ),
    st.integers(0, 2000),
)
def test_columns_and_balls_agree(records, more):
    """The columns by the trapezoidal rule of a mixture, the balls by gamma functions."""
    rows, point = records
    d = len(point)
    whole = [
        [sum(row[i] * row[j] for row in rows) + (i == j) * Fraction(1, 4) for j in range(d + 1)] for i in range(d + 1)
    ]
    arguments = [row[:d] for row in whole[:d]], whole[d][:d], whole[d][d], Fraction(d + more), point
    true, found = _exact(*arguments), _columns(*arguments)
    with mpmath.workdps(30):
        apart = float(abs(mpmath.log(true.mid) - mpmath.log(mpmath.mpf(float(found.mantissa[0]))) - found.exponent[0]))
    error = float(found.error[0] / found.mantissa[0])
    assert apart <= error < 1e-3
    assert true.rad < true.mid * Fraction(1, 10**20)


def test_what_is_no_database_has_no_density():
    good = [[Fraction(2)]], [Fraction(1)], Fraction(3), Fraction(2), [Fraction(0)]
    assert _exact(*good).mid > 0
    for k, wrong, words in (
        (0, [[Fraction(-2)]], "definite"),
        (2, Fraction(1, 2), "positive"),
        (3, Fraction(1, 2), "whole"),
        (3, Fraction(10**6), "rows"),
    ):
        bad = (*good[:k], wrong, *good[k + 1 :])
        with pytest.raises(NotExact, match=words):
            _exact(*bad)
        if words != "rows":
            assert np.isinf(_columns(*bad).slack()).all()
    two = [[Fraction(2), Fraction(1)], [Fraction(0), Fraction(3)]], [Fraction(1)] * 2, Fraction(9)
    for rows, words in ((Fraction(5), "symmetric"), (Fraction(1), "features")):
        with pytest.raises(NotExact, match=words):
            _exact(*two, rows, [Fraction(0)] * 2)
        assert np.isinf(_columns(*two, rows, [Fraction(0)] * 2).slack()).all()


def test_the_arguments_of_a_density_have_one_size():
    shapes = {"N": (2, 2), "c": (2,), "a": (), "r": (), "x": (2,), "z": (3,)}
    assert shape_of(DENSITY, shapes) == ()
    for wrong in ("f_sketch(N, c, a, r; z)", "f_sketch(c, c, a, r; x)", "f_sketch(N, c, x, r; x)"):
        with pytest.raises(InputError):
            shape_of(read_term(wrong), shapes)


@pytest.mark.parametrize("x", ["0.01", "0.5", "1", "3.7", "60", "150"])
def test_the_gamma_function_has_its_values(x):
    body = read_term("Gamma(x)")
    with mpmath.workdps(40):
        true = mpmath.gamma(mpmath.mpf(x))
    with working_bits(150):
        assert abs(enclosure(value_at(body, {"x": Fraction(x)}, 30)).mid / true - 1) < mpmath.mpf(10) ** -30
    found = value_on(body, {"x": scaled([float(x)], 1e-9)}, 1)
    apart = found.mantissa[0] * np.exp(found.exponent[0] - float(mpmath.log(true))) - 1
    assert abs(apart) <= found.error[0] / found.mantissa[0] < 1e-6


def test_the_gamma_function_is_unknown_where_it_may_have_a_pole():
    found = value_on(read_term("Gamma(x)"), {"x": scaled([0.0, -1.5, 1e-9], 1e-8)}, 3)
    assert np.isinf(found.slack()).all()


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 2), (4, 3)])
def test_the_claim_holds_in_other_dimensions_than_it_is_searched_in(rows, columns):
    over = {v.name: v for v in STATED.variables}
    over |= {"B": matrix("B", rows, columns, -2, 2), "b": vector("b", "reals", rows, -2, 2)}
    over |= {name: vector(name, "reals", columns, -3, 3) for name in "vx"}
    stated = replace(STATED, variables=tuple(over.values()))
    rng = np.random.default_rng(rows + columns)
    for extra in (0, 1, 7):
        point = {name: Fraction(int(rng.integers(-16, 17)), 8) for v in stated.variables for name in v.entries}
        point |= {"s": Fraction(3, 4), "l": Fraction(6), "r": Fraction(columns + extra)}
        assert agreement_at(stated, point, 25) >= 25
        assert decide(stated, point).outcome != "violated"


# Letters


def test_a_number_that_is_a_product_of_letters_is_compared_in_a_relation_itself():
    x, B = letter("x"), letter("B")
    over = (vector("x", "reals", 2, -1, 1), vector("z", "reals", 2, -1, 1), matrix("B", 2, 2, -1, 1))
    step = by_fact("end", "", "squared length", {"w": B * x, "w^T": transpose(B * x)}, {}, ("given",))
    proof = Derivation("id", "t", ("X",), ("given",), (step,), "end", {}, concludes=(Conclusion("X", "end"),))
    end = Conclusion("X", "end", {"x": x, "B": B})
    for text, met in (
        ("x^T B^T B x >= 0", True),
        ("(B x)^T (B x) >= 0", True),
        ("x^T B^T B x > 0", False),
        ("x^T B B^T x >= 0", False),
        ("x^T B x >= 0", False),
        ("-(x^T B^T B x) >= 0", False),
        ("x^T B^T B x + 1 >= 0", False),
    ):
        assert bool(concluded(proof, end, statement(text, over=over))[0]) is met, text
    both = {"x": x, "z": letter("z"), "B": B}
    shapes = {"x": (2,), "z": (2,), "B": (2, 2)}
    one, other = (expression(read_term(text), both, shapes) for text in ("x^T z", "z^T x"))
    assert one.is_commutative and not equal(one, other)  # not one word: a fact has to say so
    assert not expression(read_term("x z^T"), both, shapes).is_commutative


def test_determinants_and_traces_of_letters():
    X, Y, w = (letter(name) for name in "XYw")
    assert quantity("det", X) == det(X) and not equal(det(X * Y), det(Y * X))
    assert trace(2 * X + Y * w) == 2 * trace(X) + trace(Y * w)
    assert trace(X) != scalar(X) and not equal(trace(w * transpose(w)), scalar(transpose(w) * w))
    assert quantity("columns", X) != quantity("rows", X) and quantity("columns", X).is_positive


def test_the_density_means_that_of_the_minimiser_and_nothing_else():
    N, c, x = letter("N"), letter("c"), letter("x")
    one = meaning("f", "sketch_density", N, c, 1, 2, x)
    assert is_meaning(one, ()) and not is_meaning(replace(one, rhs=2 * one.rhs), ())
    other = meaning("f", "sketch_density", N, c, 1, 3, x)
    assert not is_meaning(replace(one, rhs=other.rhs), ())


# The proof


def test_the_proof_ends_in_the_statement():
    assert PROOF.proved and not PROOF.arguments and problems(PROOF) == []
    assert unconcluded(CLAIM, STATED, STATED.hypothesis_lines, [PROOF]) == []


@pytest.mark.parametrize(
    "changed",
    [
        ("R <= Q", "R < Q"),
        ("R <= Q", "Q <= R"),
        ("Q <= l^2/s^2", "Q <= l/s^2"),
        ("Q <= l^2/s^2", "P <= l^2/(2 s^2)"),
        ("(1 + U/W)^{-(r + 1)/2}", "(1 + U/W)^{-r/2}"),
        ("(1 + P)^{(d - r)/2}", "(1 + P)^{(r - d)/2}"),
        ("(1 + R)^{-(r + 1)/2}", "(1 + R)^{(r + 1)/2}"),
        ("sqrt(det(N))", "sqrt(tr(N))"),
        ("sqrt(det(N))", "det(N)"),
        ("W^{-d/2}", "W^{d/2}"),
        ("(1 + l^2/s^2)^{r/2} f_sketch(N, c, a, r; x)", "(1 + l^2/s^2)^{(r - d)/2} f_sketch(N, c, a, r; x)"),
        ("beta^2, r; x) <= (1 + l^2/s^2)^{r/2}", "beta^2, r; x) >= (1 + l^2/s^2)^{r/2}"),
    ],
)
def test_another_relation_is_not_what_the_proof_ends_in(changed):
    text = STATED.claimed.plain().replace("(Gamma", "Gamma").replace("))) sqrt", ")) sqrt")
    assert changed[0] in text
    assert unconcluded(CLAIM, saying(STATED, text), STATED.hypothesis_lines, [PROOF]) == []
    other = saying(STATED, text.replace(*changed, 1))
    assert unconcluded(CLAIM, other, other.hypothesis_lines, [PROOF])


@pytest.mark.parametrize("k", range(3))
def test_no_hypothesis_can_be_left_out(k):
    rest = (*STATED.hypotheses[:k], *STATED.hypotheses[k + 1 :])
    weaker = built(STATED, hypotheses=rest)
    assert weaker is not None and unconcluded(CLAIM, weaker, weaker.hypothesis_lines, [PROOF])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("N", "B^T B + s I"),
        ("c", "-(B^T b)"),
        ("a", "b^T b"),
        ("y", "N c"),
        ("U", "(x + y)^T N (x + y)"),
        ("P", "v^T N v"),
        ("Q", "P + (beta + v^T y)^2/W"),
        ("R", "(beta - v^T y)^2/(W + U)"),
        ("m", "v^T v"),
        ("d", "rows(B)"),
    ],
)
def test_another_definition_is_not_what_the_proof_speaks_of(name, text):
    where = tuple((one, read_term(text) if one == name else term) for one, term in STATED.where)
    other = built(STATED, where=where)
    assert other is not None and unconcluded(CLAIM, other, other.hypothesis_lines, [PROOF])


_STEPS = [k for k, step in enumerate(PROOF.steps) if step.fact in OF_SKETCHES]


def test_every_fact_of_sketches_is_used():
    proofs = (PROOF, of_a_row(), eigenvalues_and_shift())
    assert {step.fact for proof in proofs for step in proof.steps if step.fact in OF_SKETCHES} == set(OF_SKETCHES)


@pytest.mark.parametrize("k", _STEPS)
def test_no_letter_and_no_condition_of_a_fact_can_be_another(k):
    step = PROOF.steps[k]
    fact = FACTS[step.fact]
    assert not list(step_problems(PROOF, k))
    free = {"M", "x", "v", "w"}  # any matrix of the size, any point, any vectors
    for name, value in step.letters.items():
        if name in free or (step.fact in ("a density is not negative", "columns of a matrix of products")):
            continue
        other = {**step.letters, name: value + (sp.Rational(1, 3) if value.is_commutative else letter("W"))}
        left, sign, right = fact.instance(other)
        moved = replace(step, letters=other, lhs=left, rhs=right, relation=sign)
        steps = tuple(moved if one is step else one for one in PROOF.steps)
        assert list(step_problems(replace(PROOF, steps=steps, faults=()), k)), (step.fact, name)
    for name in fact.required:
        wrong = replace(step, conditions={**step.conditions, name: "d"})
        steps = tuple(wrong if one is step else one for one in PROOF.steps)
        found = list(step_problems(replace(PROOF, steps=steps, faults=()), k))
        wanted = step.fact == "a ratio of multivariate gamma functions" and name == "size"
        assert bool(found) is not wanted, (step.fact, name)  # d >= 1 is what is wanted there


def test_what_is_no_symmetric_matrix_has_no_form():
    fact = FACTS["determinant of a positive definite matrix"]
    N = letter("N")
    assert fact.instance({"N": N, "least": sp.Integer(1)})[1:] == (">", 0)
    assert fact.instance({"N": N, "least": sp.Integer(1)})[0] == 0  # not its own transpose: what no step shows
    own = transpose(N) * N + 1
    assert fact.instance({"N": own, "least": sp.Integer(1)})[0] == det(own)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_facts_of_determinants_and_numbers_hold_in_numbers(seed):
    rng = np.random.default_rng(seed)
    root, w, a, d = rng.normal(size=(3, 3)), rng.normal(size=3), rng.uniform(2, 6), int(rng.integers(1, 4))
    A = root @ root.T + np.eye(3)
    left = np.linalg.det(A + np.outer(w, w))
    assert np.isclose(left, np.linalg.det(A) * (1 + w @ np.linalg.inv(A) @ w))
    assert np.isclose(np.trace(np.outer(w, w) @ A), w @ A @ w)
    multi = lambda t: mpmath.fprod(mpmath.gamma(t + mpmath.mpf(1 - j) / 2) for j in range(1, d + 1))
    ratio = mpmath.gamma(a + 0.5) / mpmath.gamma(a + (1 - d) / 2)
    assert abs(multi(a + 0.5) / multi(a) / ratio - 1) < 1e-12
    b, c = rng.uniform(0, 3, 2)
    assert 2 * np.sqrt(b * c) <= b + c + 1e-12
