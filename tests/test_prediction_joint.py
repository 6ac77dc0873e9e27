"""The worst pairs of a Gaussian-process prediction: facts that refuse a wrong use, and databases with one feature."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from ndis_verify.court.proof_structure import problems
from ndis_verify.fast.joint_shift import Prediction
from ndis_verify.fast.sensitivity import gaussian_process
from ndis_verify.symbolic import prediction_joint
from ndis_verify.symbolic.derivation import Derivation, Step
from ndis_verify.symbolic.facts import FACTS

DERIVATIONS = (
    prediction_joint.update,
    prediction_joint.longer_shifts,
    prediction_joint.grows_in_both,
    prediction_joint.worst_pairs,
    prediction_joint.attained,
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


@pytest.mark.parametrize(
    ("name", "letters", "condition"),
    [
        ("share", {"a": sp.Integer(0)}, "low"),
        ("share", {"b": sp.Rational(1, 2)}, "order"),
        ("share", {"y": sp.Symbol("V", nonnegative=True)}, "sign"),
        ("share, above", {"x": sp.Symbol("V", nonnegative=True)}, "low"),
        ("multiple", {"b": sp.Integer(0)}, "sign"),
        ("factor and l", {"y": sp.Integer(0)}, "bound"),
        ("factor and V", {"b": sp.Integer(1)}, "sign"),
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
    ("letters", "condition"),
    [
        ({"N": sp.Symbol("S", commutative=False)}, "inverse"),
        ({"h": sp.Symbol("s", positive=True) ** 2}, "Schur"),
        ({"h": sp.Integer(-1)}, "Schur"),
        ({"q": sp.Integer(0)}, "Schur"),
    ],
)
def test_the_inverse_of_a_bordered_matrix_is_refused_at_other_letters(
    letters: dict[str, object], condition: str
) -> None:
    whole = prediction_joint.update()
    assert f"condition {condition!r} is" in _problems_with(whole, _turned(whole.step("mean with"), letters))


def test_the_densities_on_the_line_need_positive_variances() -> None:
    whole = prediction_joint.longer_shifts()
    step, signless = whole.step("whole, without the record first"), sp.Symbol("d", real=True)
    assert "condition 'variance' is" in _problems_with(whole, _turned(step, {"variance": signless}))
    assert "condition 'other variance' is" in _problems_with(whole, _turned(step, {"other variance": signless}))


def test_the_inverse_of_a_bordered_matrix_in_numbers() -> None:
    rng = np.random.default_rng(3)
    half = rng.normal(size=(4, 4))
    whole = half @ half.T + np.eye(4)
    u, v = rng.normal(size=(2, 4))
    inner, k = np.linalg.inv(whole[:3, :3]), whole[:3, 3]
    schur = whole[3, 3] - k @ inner @ k
    by_fact = u[:3] @ inner @ v[:3] + (u[3] - u[:3] @ inner @ k) * (v[3] - v[:3] @ inner @ k) / schur
    assert by_fact == pytest.approx(u @ np.linalg.solve(whole, v), rel=1e-12)


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
    shift = prediction_joint.attained().number(length=length, labels=labels, noise=noise, others=others, z=z, x=x)
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
        shift = prediction_joint.attained().number(length=length, labels=labels, noise=noise, others=m, z=z, x=x)
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
        family = prediction_joint.attained().number(
            length=length, labels=labels, noise=noise, others=most, z=max(z, 0.0), x=x
        )
        assert abs(moved) <= abs(kappa) / length * family * (1 + 1e-12) + 1e-15
