"""Approximate least squares: the matrices' own laws, both curves in the three witnesses, and the algorithm itself."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from ndis_verify import GaussianPair, fast, oracle
from ndis_verify.exact_number import InputError
from ndis_verify.symbolic import least_squares as symbolic
from ndis_verify.symbolic import least_squares_laws as laws

DIRECTIONS = ("delete", "insert")
DERIVATIONS = (
    symbolic.deleted_solution,
    symbolic.quadratic_form_deletion,
    symbolic.quadratic_form_insertion,
    symbolic.student_law,
    symbolic.finite_loss,
    laws.chi_square_laws,
    laws.tail_rate,
)


def problem(seed, n=7, d=3):
    """A random integer data set (B, b) whose first row is deleted."""
    rng = np.random.default_rng(seed)
    return rng.integers(-4, 5, (n, d)).astype(float), rng.integers(-4, 5, n).astype(float)


def solved(B, b):
    x = np.linalg.solve(B.T @ B, B.T @ b)
    return x, B.T @ B, float((b - B @ x) @ (b - B @ x))


def leverages(B, b):
    full = np.column_stack([B, b])
    return tuple(float(m[0] @ np.linalg.solve(m.T @ m, m[0])) for m in (B, full))


@pytest.mark.parametrize("build", DERIVATIONS, ids=lambda build: build.__name__)
def test_derivations_hold_and_their_faults_are_seen(build):
    derivation = build()
    assert derivation.proved
    assert all(
        not mutant.proved and any(h is False for _, h in mutant.verify()) for mutant in derivation.mutants().values()
    )
    assert all(step.algebra.consistent() for step in derivation.steps if step.algebra is not None)


@pytest.mark.parametrize("seed", range(4))
def test_asymptotic_curve_is_that_of_the_matrices(seed):
    B, b = problem(seed)
    (x, N, W), (y, M, V) = solved(B, b), solved(B[1:], b[1:])
    p, q = leverages(B, b)
    r = 20
    pair_of_laws = [(x, np.linalg.inv(N) * W / r), (y, np.linalg.inv(M) * V / r)]
    for direction, (P, Q) in zip(DIRECTIONS, (pair_of_laws, pair_of_laws[::-1])):
        pair = GaussianPair(P[0], (P[1] + P[1].T) / 2, Q[0], (Q[1] + Q[1].T) / 2)
        for epsilon in (0.0, 0.5, 2.0):
            ours = fast.als_hockey_stick(p, q, 3, r, epsilon, direction)
            assert ours == pytest.approx(float(fast.hockey_stick(pair, epsilon)), rel=1e-8)
    root = float(symbolic.deleted_solution().number(root_leverage=p**0.5, root_share=(q - p) ** 0.5))
    assert V / W == pytest.approx(root)


def log_student(points, x, N, W, r):
    """log density of the sketched solution, from the matrices."""
    d = len(x)
    form = np.einsum("...i,ij,...j->...", points - x, N, points - x) / W
    constant = math.lgamma((r + 1) / 2) - math.lgamma((r - d + 1) / 2) - d / 2 * math.log(math.pi * W)
    return constant + np.linalg.slogdet(N)[1] / 2 - (r + 1) / 2 * np.log1p(form)


@pytest.mark.parametrize("d, r, epsilon", [(1, 4, 0.1), (2, 5, 0.05), (2, 6, 0.3)])
def test_exact_curve_is_the_integral_of_the_two_densities(d, r, epsilon):
    B, b = problem(40 + d, d=d)
    larger, smaller = solved(B, b), solved(B[1:], b[1:])
    p, q = leverages(B, b)
    root, at = np.linalg.inv(np.linalg.cholesky(larger[1]).T), larger[0]

    def gap(*z):
        point = at + root @ (np.array(z) * math.sqrt(larger[2]))
        logs = [
            float(log_student(point, *law, r))
            for law in ((larger, smaller) if direction == "delete" else (smaller, larger))
        ]
        return (
            max(0.0, math.exp(logs[0]) - math.exp(epsilon + logs[1])) * abs(np.linalg.det(root)) * larger[2] ** (d / 2)
        )

    for direction in DIRECTIONS:
        if d == 1:
            value = integrate.quad(gap, -np.inf, np.inf, limit=400, epsabs=1e-11)[0]
        else:
            # tan(u) in both coordinates makes the domain a square; the midpoint rule suffices to the accuracy asked for
            u = (np.arange(700) + 0.5) / 700 * math.pi - math.pi / 2
            grid = np.stack(np.meshgrid(np.tan(u), np.tan(u)), axis=-1)
            points = at + math.sqrt(larger[2]) * grid @ root.T
            order = (larger, smaller) if direction == "delete" else (smaller, larger)
            first, second = (np.exp(log_student(points, *law, r)) for law in order)
            cell = (
                (math.pi / 700) ** 2
                * abs(np.linalg.det(root))
                * larger[2]
                / (np.cos(u)[:, None] * np.cos(u)[None, :]) ** 2
            )
            value = float((np.maximum(first - math.exp(epsilon) * second, 0) * cell).sum())
        assert float(fast.als_exact_hockey_stick(p, q, d, r, epsilon, direction)) == pytest.approx(
            value, rel=2e-4, abs=1e-7
        )


def test_sketch_and_solve_follows_the_student_law():
    """The privacy loss L is a function of T; the exact law says Pr[L > epsilon] under both databases.

    One integral each gives both; the frequencies of 40 000 runs must lie in the exact binomial acceptance regions.
    Four comparisons at 1e-7 each: a false alarm with probability below 1e-6.
    """
    from scipy.stats import binom

    B, b = problem(3, n=8, d=2)
    r, runs, rng = 6, 40_000, np.random.default_rng(7)
    exact = solved(B, b), solved(B[1:], b[1:])
    p, q = leverages(B, b)
    outputs = []
    for data, answer in ((B, b), (B[1:], b[1:])):
        sketch = rng.standard_normal((runs, r, len(answer)))
        design, target = sketch @ data, sketch @ answer
        normal = np.swapaxes(design, 1, 2) @ design
        outputs.append(np.linalg.solve(normal, np.swapaxes(design, 1, 2) @ target[..., None])[..., 0])
    for epsilon in (-0.5, 0.05):
        h = 1e-5
        slope = oracle.certified_als_exact_hockey_stick(p, q, 2, r, epsilon + h, digits=20).mid
        slope = (slope - oracle.certified_als_exact_hockey_stick(p, q, 2, r, epsilon - h, digits=20).mid) / (2 * h)
        delta = oracle.certified_als_exact_hockey_stick(p, q, 2, r, epsilon, digits=20).mid
        # delta' = -e^eps Q[L > eps] and delta = P[L > eps] - e^eps Q[L > eps]
        masses = float(delta - slope), float(-slope * mpmath.exp(-epsilon))
        for points, mass in zip(outputs, masses):
            loss = log_student(points, *exact[0], r) - log_student(points, *exact[1], r)
            count = int((loss > epsilon).sum())
            low, high = binom.ppf(0.5e-7, runs, mass - 1e-8), binom.isf(0.5e-7, runs, mass + 1e-8)
            assert low <= count <= high


CASES = [
    (0.1, 0.2, 2, 10, 0.1),
    (0.1, 0.2, 3, 10, 0.1),
    (0.1, 0.1, 3, 10, 0.01),
    (0.0, 0.2, 2, 11, 0.1),
    (0.3, 0.35, 1, 6, 0.5),
    (0.3, 0.6, 4, 5, 0.5),
    (0.3, 0.6, 4, 4, 0.1),
    (0.01, 0.02, 4, 201, 0.3),
    (0.5, 0.9, 2, 31, 5),
    (0.1, 0.19, 1, 10, 0),
]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_exact_curve_agrees_in_every_witness(case, direction):
    certified = oracle.certified_als_exact_hockey_stick(*case, direction, digits=20)
    agreed = oracle.als_exact_hockey_stick(*case, direction, digits=12)
    assert certified.overlaps(agreed) and certified.basis == "bound"
    assert float(fast.als_exact_hockey_stick(*case, direction)) == pytest.approx(float(certified.mid), rel=1e-11, abs=0)


@pytest.mark.parametrize(
    "case",
    [
        (0.2, 0.2, 2, 300, 25, "insert"),
        (0.1, 0.3, 40, 300, 30, "delete"),
        (0, 0.3, 2, 1000, 150, "delete"),
        (0.1, 0.3, 2, 1000, 100, "delete"),
    ],
    ids=str,
)
def test_far_tails(case):
    reference = oracle.certified_als_exact_hockey_stick(*case, digits=20).mid
    logs = float(fast.log_als_exact_hockey_stick(*case))
    assert abs(mpmath.expm1(mpmath.mpf(logs) - mpmath.log(reference))) < 1e-10


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_table_vi_gives_the_same_curve_as_two_chi_square_laws(direction):
    p, q, d, r, epsilon = 0.2, 0.27, 3, 30, 0.6
    law = laws.chi_square_laws()
    x = law.step(f"{direction}, first weight under P"), law.step(f"{direction}, other weights under P")
    y = law.step(f"{direction}, first weight under Q"), law.step(f"{direction}, other weights under Q")
    values = {
        law.symbols["root_leverage"]: math.sqrt(p),
        law.symbols["root_share"]: math.sqrt(q - p),
        law.symbols["r"]: r,
    }
    cdfs = []
    spectrum = fast.als_spectrum(p, q, d, r, direction)
    offset = 0.5 * float((spectrum.multiplicity * spectrum.log_ratio).sum() - spectrum.shift_squared.sum())
    edge = [float(law.step(f"{direction}, noncentrality under {who}").rhs.subs(values)) for who in "PQ"]
    a1 = float(x[0].rhs.subs(values))
    # q_eps < 0 where sum a_i (z_i + b_i/a_i)^2 < b_1^2/a_1 - 2 (eps + c)
    threshold = a1 * edge[0] - 2 * (epsilon + offset)
    for weights, centre in ((x, edge[0]), (y, edge[1])):
        numbers = [float(step.rhs.subs(values)) for step in weights]
        cdfs.append(float(fast.GeneralizedChi2(numbers, [1, d - 1], [centre, 0.0], 0.0, 0.0).cdf(threshold)))
    ours = float(fast.als_hockey_stick(p, q, d, r, epsilon, direction))
    assert cdfs[0] - math.exp(epsilon) * cdfs[1] == pytest.approx(ours, rel=1e-8)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_largest_loss_ends_the_curve(direction):
    p, q, d, r = 0.25, 0.375, 3, 12
    top = oracle.certified_als_max_privacy_loss(p, q, d, r, direction)
    assert float(fast.als_max_privacy_loss(p, q, d, r, direction)) == pytest.approx(float(top.mid), rel=1e-14)
    below, above = top.lower - Fraction(1, 10**12), top.upper
    assert oracle.certified_als_exact_hockey_stick(p, q, d, r, below, direction).sign() == 1
    assert oracle.certified_als_exact_hockey_stick(p, q, d, r, above, direction).mid == 0
    # the same maximum, from the derivation
    value = symbolic.finite_loss().number(root_leverage=p**0.5, root_share=(q - p) ** 0.5, d=d, r=r)
    expected = value if direction == "delete" else -value - (r + 1) / 2 * math.log(1 - q)
    assert float(top.mid) == pytest.approx(float(expected), rel=1e-12)


@given(
    st.floats(0.001, 0.95),
    st.floats(0, 1),
    st.integers(1, 6),
    st.integers(0, 30),
    st.floats(0, 1),
    st.sampled_from(DIRECTIONS),
)
def test_exact_curve_is_a_post_processing_of_the_projection(q, share, d, extra, position, direction):
    p, r = min(share * q, q), d + extra
    epsilon = position * float(fast.als_max_privacy_loss(p, q, d, r, direction))
    exact = fast.log_als_exact_hockey_stick(p, q, d, r, epsilon, direction)
    assert exact <= fast.log_rp_hockey_stick(q, r, epsilon, direction) + 1e-9


@given(st.floats(0.001, 0.95), st.floats(0, 1), st.integers(1, 6), st.integers(0, 60))
def test_both_directions_meet_at_zero(q, share, d, extra):
    p = min(share * q, q)
    for curve in (fast.als_exact_hockey_stick, fast.als_hockey_stick):
        a, b = (float(curve(p, q, d, d + extra, 0.0, direction)) for direction in DIRECTIONS)
        assert a == pytest.approx(b, rel=1e-10)


@pytest.mark.parametrize("p, q, d", [(0.1, 0.1, 1), (0.0, 0.1, 5)])
def test_asymptotic_curve_approaches_the_exact_one_like_one_over_r(p, q, d):
    gaps = [fast.als_asymptotic_gap(p, q, d, r).largest for r in (80, 320, 1280)]
    assert np.abs(np.diff(np.log(gaps)) / math.log(4) + 1).max() < 0.05


def test_asymptotic_curve_does_not_approach_the_exact_one_for_a_fixed_record():
    """The mean losses are (r/2) x and (r/2) log(1 + x), x = p(q-p)/(1-q): they part as r grows."""
    gaps = [fast.als_asymptotic_gap(0.3, 0.5, 1, r).largest for r in (300, 1200, 4800)]
    assert 0.05 < gaps[0] < gaps[1] < gaps[2]


def test_asymptotic_curve_can_say_zero_where_the_exact_one_is_positive():
    for case in (
        ("0.5", "0.6", 1, 1, "0.42"),
        ("0.18", "0.188", 1, 11, "0.152"),
        ("0.01", "0.2", 2, 5, "0.235", "insert"),
    ):
        assert oracle.certified_als_hockey_stick(*case).upper == 0
        assert oracle.certified_als_exact_hockey_stick(*case).lower > 0
    assert fast.als_asymptotic_gap(0.18, 0.188, 1, 11).understated > 1e-5


def test_larger_of_both_asymptotic_directions_is_above_that_of_the_exact_ones_on_a_sample():
    rng = np.random.default_rng(8)
    for _ in range(60):
        d = int(rng.integers(1, 8))
        r = d + int(rng.choice([0, 1, 3, 20]))
        q = 10 ** rng.uniform(-3, 0, 4) * 0.95
        p = q * rng.random(4)
        epsilon = rng.random(4) * np.maximum(
            *(fast.als_max_privacy_loss(p, q, d, r, direction) for direction in DIRECTIONS)
        )
        exact, asymptotic = (
            np.maximum(*(curve(p, q, d, r, epsilon, direction) for direction in DIRECTIONS))
            for curve in (fast.log_als_exact_hockey_stick, fast.log_als_hockey_stick)
        )
        assert (exact <= asymptotic + 1e-9).all()


def worst(p, q, d, r, epsilon):
    found = [oracle.certified_als_hockey_stick(p, q, d, r, epsilon, direction) for direction in DIRECTIONS]
    return max(e.lower for e in found), max(e.upper for e in found)


@pytest.mark.parametrize(
    "p, q, larger_q, d, r, epsilon",
    [
        ("0.7", "0.8", "0.9", 1, 1, "2"),
        ("0.7", "0.85", "0.9", 2, 10, "20"),
        ("0.2", "0.3", "0.35", 5, 50, "15"),
        ("0.05", "0.08", "0.09", 2, 100, "7"),
    ],
)
def test_the_larger_direction_does_not_increase_with_the_residual_share(p, q, larger_q, d, r, epsilon):
    assert worst(p, q, d, r, epsilon)[0] > worst(p, larger_q, d, r, epsilon)[1]


@pytest.mark.parametrize(
    "p, larger_p, share, d, r, epsilon",
    [
        ("0.05", "0.1", "0.1", 1, 1, "0.2"),
        ("0.02", "0.03", "0.03", 2, 5, "0.3"),
        ("0.01", "0.02", "0.02", 2, 10, "0.5"),
    ],
)
def test_the_larger_direction_does_not_increase_with_the_leverage(p, larger_p, share, d, r, epsilon):
    p, larger_p, share = Fraction(p), Fraction(larger_p), Fraction(share)
    assert worst(p, p + share, d, r, epsilon)[0] > worst(larger_p, larger_p + share, d, r, epsilon)[1]


def test_the_worst_record_below_a_cap_is_no_corner():
    """q <= 0.1, d = 2, r = 100, epsilon = 1: p = 0.0417, q = 0.1 beats both corners of the edge q = 0.1 by far."""
    inside = worst("0.0417", "0.1", 2, 100, "1")[0]
    assert all(inside > 100 * worst(p, "0.1", 2, 100, "1")[1] for p in ("0", "0.1"))


@pytest.mark.parametrize(
    "record",
    [
        (6.761736894444199e-06, 1.3523431845803907e-05, 1, 2, 12.101579318449389, "insert"),
        (2.697562012391335e-06, 5.395116748163217e-06, 50, 1, 200.0, "insert"),
        (3.618520430604614e-05, 7.236909924285623e-05, 1, 1, 200.0, "delete"),
        (5e-9, 1e-8 - 2.4999999e-17, 2, 3, 30.0, "insert"),
    ],
)
def test_the_special_eigenvalue_next_to_one_keeps_its_digits(record):
    """q - 2 p and p^2 are nearly opposite; far out in the tail a digit of the eigenvalue is one of its log."""
    certified = oracle.certified_als_hockey_stick(*record, digits=20)
    with mpmath.workdps(30):
        true = float(mpmath.log(certified.mid))
    assert float(fast.log_als_hockey_stick(*record)) == pytest.approx(true, rel=1e-12, abs=0)


@given(st.floats(1e-6, 0.999), st.integers(-3, 3), st.sampled_from(DIRECTIONS))
def test_the_special_eigenvalue_is_that_of_the_floats_however_close_to_one(p, ulps, direction):
    q = min(max(2 * p - p * p + ulps * math.ulp(p), p), 1 - 2.0**-40)
    a, b = Fraction(p), Fraction(q)
    true = ((1 - a) ** 2 - (1 - b)) / ((1 - b) if direction == "delete" else -((1 - a) ** 2))
    found = fast.als_spectrum(p, q, 1, 5, direction).alpha[..., 0]
    assert float(found) == pytest.approx(float(true), rel=1e-14, abs=0)


@pytest.mark.parametrize("rows", [[3, 4], [3, [4]]])
def test_a_gap_is_of_one_record(rows):
    with pytest.raises(InputError, match="r = "):
        fast.als_asymptotic_gap(0.1, 0.2, 3, rows, epsilon=[1.0])


@pytest.mark.parametrize(
    "arguments, name",
    [
        ((0.3, 0.2, 2, 5, 0.1), "leverage"),
        ((0.1, 1.0, 2, 5, 0.1), "augmented_leverage"),
        ((0.1, 0.2, 0, 5, 0.1), "d"),
        ((0.1, 0.2, 2, 1, 0.1), "r"),
        ((0.1, 0.2, 2, 5, -0.1), "epsilon"),
        ((0.1, 0.2, 2, 5, 0.1, "both"), "direction"),
    ],
)
@pytest.mark.parametrize("curve", [fast.als_exact_hockey_stick, oracle.als_exact_hockey_stick])
def test_bad_input_is_named(curve, arguments, name):
    with pytest.raises(InputError) as caught:
        curve(*arguments)
    assert caught.value.argument == name
