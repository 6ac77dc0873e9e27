"""The worst pairs of a Gaussian-process prediction: facts that refuse a wrong use, and databases with one feature."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from ndis_verify.claims.ledger import find
from ndis_verify.court.proof_ends import concluded
from ndis_verify.court.proof_structure import problems
from ndis_verify.court.statement_balls import decide
from ndis_verify.fast.joint_shift import Prediction
from ndis_verify.fast.sensitivity import gaussian_process
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import Statement, matrix, square, vector
from ndis_verify.symbolic import prediction_attained, prediction_family, prediction_features, prediction_joint
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Step
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import scalar, trace, transpose
from ndis_verify.symbolic.statement_terms import quantity

DERIVATIONS = (
    prediction_features.update,
    prediction_family.longer_shifts,
    prediction_family.grows_in_both,
    prediction_joint.worst_pairs,
    prediction_attained.attained,
    prediction_attained.in_range,
)


def _problems_with(derivation: Derivation, step: Step) -> str:
    steps = tuple(step if one.name == step.name else one for one in derivation.steps)
    return "; ".join(problems(replace(derivation, steps=steps, faults=())))


def _turned(step: Step, letters: dict[str, object]) -> Step:
    """The step as the fact's instance at other letters, under the same conditions."""
    changed = {**step.letters, **letters}
    left, sign, right = FACTS[step.fact].instance(changed)
    return replace(step, lhs=left, rhs=right, relation=sign, letters=changed)


def test_no_step_is_argued() -> None:
    for derive in DERIVATIONS:
        assert derive().arguments == () and derive().proved and problems(derive()) == []


F, T, p, q, w = (letter(name) for name in "FTpqw")


@pytest.mark.parametrize(
    ("name", "letters", "condition"),
    [
        ("T w", {"v": q}, "vector"),
        ("T w", {"X": F}, "product"),
        ("c, N and X", {"A": 2 * T}, "semidefinite"),
        ("cross term", {"b": sp.Integer(0)}, "squares"),
        ("longer, without the record first", {"high": sp.Integer(1)}, "shares"),
        ("longer, with the record first", {"low": sp.Symbol("c", real=True)}, "order"),
        ("translated, with the record first", {"variance": sp.Integer(-1)}, "variance"),
    ],
)
def test_a_fact_at_other_letters_is_refused(name: str, letters: dict[str, object], condition: str) -> None:
    whole = prediction_joint.worst_pairs()
    assert f"condition {condition!r} is" in _problems_with(whole, _turned(whole.step(name), letters))


@pytest.mark.parametrize(
    ("name", "letters", "condition"),
    [
        ("c transposed", {"Y": sp.Integer(0)}, "equal"),
        ("c transposed", {"X": transpose(p) * q}, "equal"),
        ("T' of the parts", {"X": T}, "product"),
        ("G in full", {"Y": F}, "product"),
    ],
)
def test_what_a_record_does_is_refused_at_other_letters(name: str, letters: dict[str, object], condition: str) -> None:
    whole = prediction_features.update()
    assert f"condition {condition!r} is" in _problems_with(whole, _turned(whole.step(name), letters))


def test_a_fact_of_blocks_or_squares_says_what_it_says_and_nothing_else() -> None:
    whole = prediction_features.update()
    step = whole.step("P^T P")
    for wrong in (2 * step.rhs, transpose(F) * F - p * transpose(p), F * transpose(F) + p * transpose(p)):
        assert "is no instance" in _problems_with(whole, replace(step, rhs=wrong))
    other = prediction_joint.worst_pairs()
    squares = other.step("squares of F")
    for wrong in (squares.rhs / 2, trace(F) * squares.rhs, squares.rhs / trace(transpose(F) * F)):
        assert "is no instance" in _problems_with(other, replace(squares, rhs=wrong))


def test_blocks_and_squares_in_numbers() -> None:
    rng = np.random.default_rng(3)
    A, C = rng.normal(size=(2, 3, 2))
    B, D, v = rng.normal(size=(1, 2)), rng.normal(size=(1, 2)), rng.normal(size=2)
    assert np.allclose(np.vstack([A, B]).T @ np.vstack([C, D]), A.T @ C + B.T @ D)
    assert (A @ v) @ (A @ v) <= np.trace(A.T @ A) * (v @ v)


def test_the_densities_on_the_line_need_positive_variances() -> None:
    whole = prediction_family.longer_shifts()
    step, signless = whole.step("whole, without the record first"), sp.Symbol("d", real=True)
    assert "condition 'variance' is" in _problems_with(whole, _turned(step, {"variance": signless}))
    assert "condition 'other variance' is" in _problems_with(whole, _turned(step, {"other variance": signless}))


@pytest.mark.parametrize("others", [0, 1, 5])
@pytest.mark.parametrize("at", [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.4, 0.7), (1.0, 1.0)])
def test_every_pair_of_the_family_is_one_of_outputs_the_ends_of_its_range_included(
    others: int, at: tuple[float, float]
) -> None:
    length, labels, noise = 1.3, 0.7, 0.9
    z = at[0] * others * length**2 / (noise**2 + others * length**2)
    x = at[1] * (1 - z) * length**2 / noise**2
    feature = noise * math.sqrt(z / (1 - z) / others) if others else 0.0
    own = noise * math.sqrt(x / (1 - z))
    assert max(feature, own) <= length * (1 + 1e-12)
    points = np.append(np.full(others, feature), own)
    y = np.append(np.full(others, -labels), labels)
    gram, cross = np.outer(points, points), length * points
    (mean, spread), (mean_with, spread_with) = (
        gaussian_process(gram[:n, :n], cross[:n], length**2, y[:n], noise**2) for n in (others, others + 1)
    )
    shift = prediction_attained.attained().number(length=length, labels=labels, noise=noise, others=others, z=z, x=x)
    assert mean_with - mean == pytest.approx(shift, abs=1e-12)
    assert spread == pytest.approx(length**2 * (1 - z), rel=1e-12)
    assert spread_with == pytest.approx(length**2 * (1 - z) / (1 + x), rel=1e-12)


def test_the_worst_pair_of_the_search_lies_in_the_family() -> None:
    for length, labels, noise, records, added in ((1.0, 0.5, 1.0, 16, 8.17), (1.3, 0.7, 0.3, 1, 0.5)):
        z, x = Prediction(length, labels, noise**2, records).largest(added, 1.0).point
        m = records - 1
        assert 0 <= z <= m * length**2 / (noise**2 + m * length**2) * (1 + 1e-12)
        assert 0 <= x <= (1 - z) * length**2 / noise**2 * (1 + 1e-12)
        square = prediction_joint.worst_pairs().number(
            length=length, labels=labels, noise=noise, others=m, tau=1 - z, z=z, x=x
        )
        shift = prediction_attained.attained().number(length=length, labels=labels, noise=noise, others=m, z=z, x=x)
        assert square == pytest.approx(shift**2, rel=1e-12)


def test_every_neighbouring_pair_of_outputs_lies_below_the_family() -> None:
    """The numbers of the proof at random databases: c = kappa sqrt(tau U), the noise, the shift."""
    rng = np.random.default_rng(5)
    length, labels, noise, most = 1.1, 0.8, 0.6, 4
    for k in range(200):
        others = int(rng.integers(0, most + 1))
        points = rng.normal(size=(others + 2, 3))
        points *= (length * rng.random(others + 2) ** 0.3 / np.linalg.norm(points, axis=1))[:, None]
        if k % 10 == 0:
            points[-1] = 0  # a new record without a feature
        y = labels * rng.uniform(-1, 1, others + 1)
        query, rows, new = points[0], points[1:-1], points[-1]
        kept = np.linalg.inv(np.eye(3) + rows.T @ rows / noise**2)
        spread, at_query, c = new @ kept @ new, query @ kept @ query, query @ kept @ new
        fit = new @ rows.T @ np.linalg.solve(rows @ rows.T + noise**2 * np.eye(others), y[:-1])
        least = noise**2 / (noise**2 + most * length**2)
        tau = new @ kept @ kept @ new / spread if spread else least
        kappa = c / math.sqrt(tau * spread) if spread else 0.0
        z, x = 1 - tau, spread / noise**2
        assert -1e-12 <= z <= 1 - least + 1e-12 and x <= tau * length**2 / noise**2 * (1 + 1e-12)
        assert kappa**2 <= length**2 * (1 + 1e-12) and kappa**2 * tau <= at_query * (1 + 1e-12)
        moved = c * (y[-1] - fit) / (spread + noise**2)
        family = prediction_attained.attained().number(
            length=length, labels=labels, noise=noise, others=most, z=max(z, 0.0), x=x
        )
        assert abs(moved) <= abs(kappa) / length * family * (1 + 1e-12) + 1e-15


# The statements


def _stated(rows: int, columns: int) -> Statement:
    """The bound, with F of other sizes than it is searched with."""
    stated = find("N26-Pr8-joint").stated
    assert isinstance(stated, Statement)
    over = {v.name: v for v in stated.variables}
    over |= {"F": matrix("F", rows, columns, -1, 1), "y": vector("y", "reals", rows, -1, 1)}
    over |= {name: vector(name, "reals", columns, -1, 1) for name in ("q", "w")}
    return replace(stated, variables=tuple(over.values()))


@pytest.mark.parametrize("away", ["", "F", "a", "q", "y", "F y m", "B y b", "second column"])
@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (4, 3)])
def test_the_bound_holds_in_other_dimensions_and_at_the_ends_of_its_ranges(rows: int, columns: int, away: str) -> None:
    """Without other records, without features, at a query of none, and in one dimension, too."""
    stated, rng = _stated(rows, columns), np.random.default_rng(rows)
    point = {name: Fraction(int(rng.integers(-16, 17)) or 5, 16) for v in stated.variables for name in v.entries}
    point |= {"l": Fraction(3, 2), "s": Fraction(4, 5), "v": Fraction(1, 3), "B": Fraction(7, 5), "a": Fraction(2, 3)}
    point |= {"m": Fraction(2 * rows), "eps": Fraction(1, 2)}
    for name in point:
        column = name.split("_")[-1] if name[0] in "Fqw" else ""
        if name.split("_")[0] in away.split() or (away == "second column" and column not in ("", "1")):
            point[name] = Fraction(0)
    assert decide(stated, point).outcome == "held"


def test_the_bound_fails_where_a_hypothesis_does() -> None:
    """Labels of twice the size, or more other records than m counts."""
    stated = _stated(2, 2)
    point = dict.fromkeys((name for v in stated.variables for name in v.entries), Fraction(0))
    point |= dict.fromkeys(("F_1_1", "F_2_1", "q_1", "w_1", "a", "l", "s", "B", "b"), Fraction(1))
    point |= {"v": Fraction(1, 4), "eps": Fraction(1), "m": Fraction(2), "y_1": Fraction(-1), "y_2": Fraction(-1)}
    assert decide(stated, point).outcome == "undecided"  # both sides are equal there
    point["b"] = Fraction(9, 10)
    assert decide(stated, point).outcome == "held"
    free = replace(
        stated, hypotheses=tuple(h for h in stated.hypotheses if "y" not in h.plain() and "F" not in h.plain())
    )
    for moved in ({"y_1": Fraction(-4), "y_2": Fraction(-4)}, {"m": Fraction(0)}):
        assert decide(free, {**point, **moved}).outcome == "violated"


def test_a_pair_of_numbers_is_on_the_line_and_one_of_letters_is_not() -> None:
    a, b, c = sp.symbols("a b c", positive=True)
    e = quantity("vector", sp.Integer(1), sp.Integer(0))
    on_line = meaning("", "normal_pair", a, b, scalar(transpose(q) * w), c, a).rhs
    assert [law.args[1].shape for law in on_line.args[:2]] == [(1, 1), (1, 1)]
    plane = meaning("", "normal_pair", 0 * e, b * quantity("identity"), a * e, c * quantity("identity"), a).rhs
    assert [law.args[1].shape for law in plane.args[:2]] == [(2, 2), (2, 2)]


def test_vectors_beside_a_pair_of_laws_have_to_be_letters() -> None:
    """Commuting symbols would make a pair on the line of one in every dimension."""
    x, A = sp.Symbol("x", real=True), sp.Symbol("A", positive=True)
    pair = quantity("normal_pair", x, A, x, A, sp.Symbol("eps", real=True))
    step = Step("end", "", lhs=pair, rhs=pair + 0 * x, relation="<=", kind="fact", fact="squared length")
    stated = statement(
        "delta_normal(x, A, x, A; eps) <= delta_normal(x, A, x, A; eps)",
        over=(vector("x", "reals", 2, -1, 1), square("A", 2, -1, 1)),
    )
    symbols = {"x": x, "A": A, "eps": sp.Symbol("eps", real=True)}
    whole = Derivation("id", "title", ("X",), (), (step,), "end", {str(one): one for one in symbols.values()})
    found, text = concluded(whole, Conclusion("X", "end", symbols), stated)
    assert not found and "is no letter" in text
