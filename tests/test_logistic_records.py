"""Regularised logistic regression in the language of statements, and the facts of one record's pair of normal laws."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from ndis_verify.claims.ledger import find
from ndis_verify.court.proof_ends import concluded
from ndis_verify.court.proof_structure import problems, step_problems
from ndis_verify.court.quantities import ball_logistic
from ndis_verify.court.quantities.ball_matrices import QUANTITIES as rooms
from ndis_verify.court.quantities.exact import NotExact
from ndis_verify.court.scaled_floats import scaled
from ndis_verify.court.statement_arrays import array, flat
from ndis_verify.court.statement_balls import decide, value_at
from ndis_verify.court.statement_floats import value_on
from ndis_verify.exact_number import InputError
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.statements.reading import read_term, statement
from ndis_verify.statements.shapes import shape_of
from ndis_verify.statements.statement import Statement, matrix, vector
from ndis_verify.symbolic import ndis_any_root
from ndis_verify.symbolic.block_algebra import inverse, letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Step
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_records import OF_RECORDS
from ndis_verify.symbolic.logistic_limit import logistic_approached
from ndis_verify.symbolic.logistic_pairs import logistic_worst
from ndis_verify.symbolic.meanings import is_meaning, meaning
from ndis_verify.symbolic.notation import anything, scalar, transpose
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.unknowns import equal, follows

_ENTRY = st.fractions(min_value=-40, max_value=40, max_denominator=8)
_FIT = read_term("theta(Z; c)")


def test_the_minimiser_is_in_the_ball_around_what_the_search_ends_in():
    """It ends as soon as its ball is small enough, not in the minimiser."""
    fit = ball_logistic.QUANTITIES["logistic_fit"]
    with mpmath.workdps(60):
        exact = mpmath.findroot(lambda t: 3 * t - 1 / (1 + mpmath.exp(t)), 0.1)
        with working_bits(300):
            (value,) = flat(fit(array([[Fraction(1)]]), Fraction(3), 1))
            assert value.contains(arb(str(exact))) and abs(value.mid() - arb(str(exact))) > 1e-50


def _exact(rows, c, digits=30):
    with working_bits(400):
        return [enclosure(x) for x in flat(value_at(_FIT, {"Z": array(rows), "c": c}, digits))]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 3).flatmap(lambda d: st.lists(st.lists(_ENTRY, min_size=d, max_size=d), min_size=1, max_size=4)),
    st.fractions(min_value=Fraction(1, 1000), max_value=100, max_denominator=1000),
)
def test_the_minimiser_is_where_the_pulls_and_the_penalty_balance(rows, c):
    """Checked at the midpoint by mpmath, and the columns against it."""
    found = _exact(rows, c)
    with mpmath.workdps(60):
        at = [x.mid for x in found]
        z = [[mpmath.mpf(x.numerator) / x.denominator for x in row] for row in rows]
        penalty = mpmath.mpf(c.numerator) / c.denominator
        for k, t in enumerate(at):
            pulled = mpmath.fsum(
                row[k] / (1 + mpmath.exp(mpmath.fsum(x * y for x, y in zip(row, at, strict=True)))) for row in z
            )
            assert abs(penalty * t - pulled) < mpmath.mpf(10) ** -25
    columns = {"Z": array([[scaled([float(x)] * 2) for x in row] for row in rows]), "c": scaled([float(c)] * 2)}
    for value, true in zip(flat(value_on(_FIT, columns, 2)), found, strict=True):
        assert abs(value.value()[1] - float(true.mid)) <= value.slack()[1] < 1e-6


def test_the_minimiser_is_what_a_general_optimiser_finds():
    rows = np.random.default_rng(3).normal(size=(5, 3))
    value = lambda t: np.logaddexp(0, -rows @ t).sum() + 0.7 * t @ t / 2
    best = minimize(value, np.zeros(3), method="BFGS", options={"gtol": 1e-10}).x
    found = _exact([[Fraction(x) for x in row] for row in rows.tolist()], Fraction(7, 10))
    assert np.allclose([float(x.mid) for x in found], best, atol=1e-6)


def test_no_record_pulls_nowhere_and_what_has_no_minimiser_is_refused():
    assert [float(x.mid) for x in _exact([[Fraction(0), Fraction(0)]], Fraction(1))] == [0.0, 0.0]
    for c in (Fraction(0), Fraction(-1)):
        with pytest.raises(NotExact, match="positive"):
            _exact([[Fraction(1), Fraction(2)]], c)
    column = array([[scaled([1.0, 1.0])], [scaled([2.0, np.nan])]])
    found = value_on(_FIT, {"Z": column, "c": scaled([-1.0, 1.0])}, 2)
    assert np.isinf(found.slack()).all()


def test_the_fit_is_a_vector_with_an_entry_for_each_column():
    shapes = {"Z": (4, 3), "z": (3,), "c": ()}
    assert shape_of(_FIT, shapes) == (3,) == shape_of(read_term("theta([Z; z^T]; c) - theta(Z; c)"), shapes)
    assert shape_of(read_term("theta(z; c)"), shapes) == ()
    for wrong in ("theta(Z; z)", "theta(Z; c) + c", "theta(I; c)"):
        with pytest.raises(InputError):
            shape_of(read_term(wrong), shapes)


@pytest.mark.parametrize("epsilon", ["-1", "0", "2"])
def test_a_pair_with_means_that_are_no_rationals_is_enclosed(epsilon):
    """At the distance sqrt(2): Phi(D/2 - eps/D) - e^eps Phi(-D/2 - eps/D) by mpmath."""
    values = {"a": Fraction(2), "s": Fraction(0), "x": [Fraction(1), Fraction(0)], "eps": Fraction(epsilon)}
    body = read_term("delta_normal((sqrt(a), 0), I + s x x^T, (0, 0), I + s x x^T; eps)")
    with working_bits(200):
        found = enclosure(value_at(body, values, 40))
    with mpmath.workdps(50):
        D, eps = mpmath.sqrt(2), mpmath.mpf(epsilon)
        true = mpmath.ncdf(D / 2 - eps / D) - mpmath.exp(eps) * mpmath.ncdf(-D / 2 - eps / D)
        assert abs(found.mid - true) <= found.rad < mpmath.mpf(10) ** -35
    with working_bits(20):  # no more digits than the mean has
        wide = enclosure(value_at(body, values, 20))
    with mpmath.workdps(50):
        assert abs(wide.mid - true) <= wide.rad and wide.rad > mpmath.mpf(10) ** -9


def test_both_means_may_move_and_the_second_counts_e_to_the_epsilon():
    with working_bits(100):
        wide = ball(Fraction(1, 3)) + arb(0, "1e-6")
        one, eps = [[Fraction(1)]], Fraction(3)
        first = rooms["normal_pair"](wide, array(one), Fraction(0), array(one), eps, 20)
        second = rooms["normal_pair"](Fraction(0), array(one), wide, array(one), eps, 20)
        ends = [
            hockey_stick(GaussianPair([m], one, [0], one), eps, 20) for m in (Fraction(1, 3), Fraction(333332, 10**6))
        ]
    assert all(enclosure(first).overlaps(end) for end in ends)
    assert float(second.rad()) > 15 * float(first.rad()) > 0


def test_a_divergence_too_deep_for_a_denominator_is_refused_at_once():
    one = [[Fraction(1)]]
    for epsilon in (Fraction(10**3), Fraction(10**9)):
        with working_bits(100), pytest.raises(NotExact, match="deep"):
            rooms["normal_pair"](Fraction(0), array(one), Fraction(1), array(one), epsilon, 20)
    with working_bits(100):
        assert rooms["normal_pair"](Fraction(0), array(one), Fraction(1), array(one), Fraction(100), 20) > 0


@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (1, 3), (3, 2)])
def test_the_claim_holds_in_other_dimensions_than_it_is_searched_in(rows, columns):
    claim = find("N26-Pr7-joint")
    assert isinstance(claim.stated, Statement)
    over = {v.name: v for v in claim.stated.variables}
    over |= {"Z": matrix("Z", rows, columns, -2, 2), "z": vector("z", "reals", columns, -2, 2)}
    stated = replace(claim.stated, variables=tuple(over.values()))
    rng, held = np.random.default_rng(rows), 0
    for _ in range(4):
        point = {
            name: Fraction(int(rng.integers(-16, 17)) or 5, 8) for v in (over["Z"], over["z"]) for name in v.entries
        }
        length = Fraction(float(np.sqrt(sum(float(point[name]) ** 2 for name in over["z"].entries)))) * Fraction(9, 8)
        point |= {"l": length, "v": Fraction(1, 3), "lambda": Fraction(2, 5), "eps": Fraction(1, 2)}
        held += decide(stated, point).outcome == "held"
    assert held == 4


# Letters


Z, z, u = letter("Z"), letter("z"), letter("u")
c = sp.Symbol("c", positive=True)


def test_arrays_of_letters_do_not_commute():
    fit = quantity("logistic_fit", Z, c)
    assert not fit.is_commutative and quantity("transpose", sp.Function("vector", real=True)(1, 0)).is_commutative
    assert equal(transpose(Z) * Z * fit, transpose(Z) * (Z * fit))
    assert follows(transpose(z) * z - z * transpose(z)) is not True  # a number and a matrix
    assert follows(fit * transpose(fit) - transpose(fit) * fit) is not True
    assert follows(Z * quantity("logistic_fit", Z, c) - Z * quantity("logistic_fit", Z, 2 * c)) is not True
    assert follows(scalar(transpose(z) * Z * u) - scalar(transpose(u) * transpose(Z) * z)) is not True


def test_a_transpose_is_that_of_the_parts_in_the_other_order():
    assert transpose(Z * z + c * u) == transpose(z) * transpose(Z) + c * transpose(u)
    assert transpose(transpose(Z)) == Z and transpose(c * sp.Integer(1)) == c
    assert transpose(inverse(c + transpose(Z) * Z)) == inverse(c + transpose(Z) * Z)


def test_the_fit_means_the_balance_of_all_records_and_nothing_else():
    whole = meaning("theta", "logistic_fit", quantity("above", Z, transpose(z)), c)
    assert is_meaning(whole, ())
    alone = meaning("theta", "logistic_fit", Z, c)
    assert is_meaning(alone, ()) and not is_meaning(replace(alone, rhs=whole.rhs), ())
    assert not is_meaning(replace(whole, rhs=2 * whole.rhs), ())
    # the transpose of a matrix is no row
    turned = meaning("theta", "logistic_fit", transpose(Z), c)
    assert "pull" not in str(turned.rhs)


def _derived(*steps, end, hypotheses=(), symbols=(c,)):
    given_ = {str(one): one for one in symbols}
    return Derivation("id", "title", ("X",), hypotheses, steps, end, given_, concludes=(Conclusion("X", end),))


def test_what_stands_for_any_vector_cannot_be_one_vector():
    step = Step("one", "", lhs=anything, rhs=Z * z, kind="definition")
    assert "stands for any vector" in "; ".join(problems(_derived(step, end="one", symbols=(Z, z))))


def test_a_letter_is_written_as_what_its_variable_is():
    stated = statement("m >= 0", where={"m": "x^T x"}, over=(vector("x", "reals", 2, -1, 1),))
    for name, fits in (("x", True), ("X", False)):
        x = letter(name)
        square = scalar(transpose(x) * x)
        step = Step("end", "", lhs=square, rhs=sp.Integer(0), relation=">=", kind="fact", fact="squared length")
        found, text = concluded(
            _derived(step, end="end", hypotheses=("given",)), Conclusion("X", "end", {"x": x}), stated
        )
        assert bool(found) is fits, text


# Facts


def _another(name, value):
    if name == "f":  # what a constant is added to falls as before
        return -value
    return value + (sp.Rational(1, 3) if value.is_commutative else letter("W"))


@pytest.mark.parametrize("fact_name", OF_RECORDS)
def test_no_letter_and_no_condition_of_a_fact_can_be_another(fact_name):
    fact = FACTS[fact_name]
    derivations = (logistic_worst(), logistic_approached(), ndis_any_root.lemma())
    used = [(d, k) for d in derivations for k, step in enumerate(d.steps) if step.fact == fact_name]
    assert used, "a fact that no step is made by"
    for derivation, k in used:
        step = derivation.steps[k]
        where = (derivation.id, k)
        assert not list(step_problems(derivation, k)), where
        for name, value in step.letters.items():
            if isinstance(value, sp.Symbol) and name in ("argument", "epsilon", "first", "second"):
                continue
            other = {**step.letters, name: _another(name, value)}
            left, sign, right = fact.instance(other)
            moved = replace(step, letters=other, lhs=left, rhs=right, relation=sign)
            steps = tuple(moved if one is step else one for one in derivation.steps)
            text = "; ".join(step_problems(replace(derivation, steps=steps, faults=()), k))
            free = {"mean", "other mean", "covariance", "other covariance", "a", "b"}  # any laws, any vectors
            if fact_name == "divergence of two normal laws at a draw of one":
                free |= set("uRw")  # any laws here, too
            assert text or name in free, (where, name)
        for name in fact.required:
            another = next(one.name for one in derivation.steps if one.name != step.conditions[name])
            wrong = replace(step, conditions={**step.conditions, name: another})
            steps = tuple(wrong if one is step else one for one in derivation.steps)
            assert list(step_problems(replace(derivation, steps=steps, faults=()), k)), (where, name)


def test_noise_that_is_shared_is_a_covariance_at_every_vector():
    fact = FACTS["independent noise on both of two normal laws"]
    laws = {"mean": z, "covariance": Z, "other mean": u, "other covariance": Z, "epsilon": sp.Integer(1)}
    assert fact.required["form"]({**laws, "noise": anything * transpose(anything)})[1:] == (">", 0)
    assert fact.required["form"]({**laws, "noise": Z})[1:] == (">=", 0)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_two_laws_that_differ_along_one_vector_are_what_the_fact_says(seed):
    """In three dimensions, both orders, certified."""
    rng = np.random.default_rng(seed)
    w, shift, mean = ([Fraction(int(k), 4) for k in rng.integers(-8, 9, 3)] for _ in range(3))
    v, first, second = (Fraction(int(k), 4) for k in rng.integers(1, 9, 3))
    length, size, product = (
        sum(a * b for a, b in zip(x, y, strict=True)) for x, y in ((w, w), (shift, shift), (w, shift))
    )
    if not length * size:
        return
    covariances = [
        [[v * (i == j) + step * w[i] * w[j] for j in range(3)] for i in range(3)] for step in (first, second)
    ]
    whole = GaussianPair(mean, covariances[0], [a + b for a, b in zip(mean, shift, strict=True)], covariances[1])
    # the coordinates of the plane, squared: |u|^2 c and |u|^2 (1 - c)
    along, across = product**2 / length, size - product**2 / length
    with working_bits(150):
        body = read_term("delta_normal((0, 0), diag((a, b)), (sqrt(p), sqrt(q)), diag((c, b)); eps)")
        values = {
            "a": v + first * length,
            "b": v,
            "c": v + second * length,
            "p": along,
            "q": across,
            "eps": Fraction(1, 2),
        }
        plane = enclosure(value_at(body, values, 30))
    assert plane.overlaps(hockey_stick(whole, Fraction(1, 2), 25))


def test_a_falling_function_moves_against_every_coordinate():
    rng = np.random.default_rng(5)
    a, b = rng.normal(scale=3, size=(2, 1000, 4))
    assert (((a - b) * (1 / (1 + np.exp(a)) - 1 / (1 + np.exp(b)))).sum(axis=1) <= 0).all()
    fact = FACTS["a falling function, coordinate by coordinate"]
    s = sp.Symbol("s", real=True)
    assert fact.required["falls"]({"f": s**2, "argument": s})[0] == sp.Derivative(s**2, s)


def test_a_matrix_that_is_not_its_own_transpose_has_no_symmetric_inverse():
    fact = FACTS["a symmetric inverse"]
    assert fact.instance({"X": u, "Y": Z})[1] == ">"  # what no step shows
    assert fact.instance({"X": u, "Y": transpose(Z) * Z})[1] == "="
