"""The delta between output laws against certified curves: graded, rank-deficient, duplicated, dominated and tiny
databases.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify import mechanisms, oracle
from ndis_verify.claims.random_projection.white_box import adversarial
from ndis_verify.exact_number import InputError, as_exact, exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.mechanisms import OutputLaw, law_delta, worst_neighbour
from ndis_verify.mechanisms.least_squares import normal_law
from ndis_verify.mechanisms.random_projection import ridged_law
from ndis_verify.oracle.leverage import leverage_scores

STATED = 1e-11
DIRECTIONS = ("delete", "insert")


def curve(leverage, r, epsilon, direction="delete"):
    """The certified delta at an exact leverage, as a float."""
    found = oracle.certified_rp_hockey_stick(leverage, r, exact(epsilon), direction, digits=18)
    return float(found.mid)


def exact_leverage(data, row, ridge=0.0):
    """p to 120 digits, from the oracle's rational elimination."""
    return exact(leverage_scores(data, [row], digits=120, ridge=ridge)[0].mid)


def both_deltas(data, row, ridge, r, epsilon):
    whole, less = (ridged_law(rows, ridge, r) for rows in (data, np.delete(data, row, axis=0)))
    return law_delta(whole, less, epsilon), law_delta(less, whole, epsilon)


def rare(small):
    """A column of another unit that only the last two records carry: they share it, leverage about 1/2 each."""
    common = np.column_stack([np.random.default_rng(0).uniform(0.5, 1, 60), np.zeros(60)])
    return np.vstack([common, [[0.1, small], [0.1, -small]]])


RARE = {f"small column {s:g}": rare(s) for s in (1e-4, 1e-7, 1e-8, 1e-12, 1e-150)}
RARE["two records of 1e-9"] = np.vstack([[[0.5, 0.0]] * 100, [[0.0, 1e-9]] * 2])


@pytest.mark.parametrize("name", RARE)
def test_a_small_column_is_not_dropped(name):
    data = RARE[name]
    truth = curve(exact_leverage(data, len(data) - 1), 5, 3)
    assert truth > 0.05
    mechanism = mechanisms.relative_random_projection(mechanisms.neighbourhood(data, 1.1), 5, epsilon=3.0, delta=0.5)
    assert mechanism.ridge == 0
    worst = worst_neighbour(mechanism.output_law, data, 3.0)
    assert worst.row >= len(data) - 2 and worst.direction == "delete"
    assert worst.delta == pytest.approx(truth, rel=STATED)
    assert worst.delta <= mechanism.calibration.certificate.delta * (1 + STATED)


def test_rounded_covariances_would_be_seen():
    """Without its records a law is a matrix of floats: refused where its rank is lost in rounding, else wrong by what
    rounding costs.
    """
    data = RARE["small column 1e-08"] @ np.array([[1.0, 1.0], [0.0, 1.0]])  # columns alike but for 1e-8
    pair = [ridged_law(rows, 0.0, 5) for rows in (data, data[:-1])]
    assert law_delta(*pair, 3.0) == pytest.approx(curve(exact_leverage(data, len(data) - 1), 5, 3), rel=STATED)
    with pytest.raises(InputError, match="semidefinite"):
        law_delta(*(OutputLaw(law.mean, law.cov, law.copies) for law in pair), 3.0)
    mechanism = mechanisms.random_projection(10**6, epsilon=1e-6, delta=1e-30, norm_bound=1.0)
    laws = [mechanism.output_law(rows) for rows in (np.array([[0.6, 0.8, 0.0]]), np.zeros((0, 3)))]
    rounded = law_delta(*(OutputLaw(law.mean, law.cov, law.copies) for law in laws), 1e-6)
    assert rounded > 1e-30 * (1 + 1e-6) and law_delta(*laws, 1e-6) <= 1e-30


@pytest.mark.parametrize("name", adversarial())
@pytest.mark.parametrize("r, epsilon, delta", [(10**6, 1e-6, 1e-30), (1, 100.0, 1e-30), (3, 1e-6, 0.4)])
def test_the_ends_of_the_target_range(name, r, epsilon, delta):
    mechanism, data = mechanisms.random_projection(r, epsilon=epsilon, delta=delta, norm_bound=1.0), adversarial()[name]
    worst = worst_neighbour(mechanism.output_law, data, epsilon)
    assert worst.delta <= mechanism.calibration.certificate.delta * (1 + STATED)
    truth = curve(exact_leverage(data, worst.row, mechanism.ridge), r, epsilon, worst.direction)
    assert worst.delta == pytest.approx(truth, rel=STATED)


@settings(max_examples=15)
@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.sampled_from([1, 2, 6]),
    st.sampled_from([0.0, 1e-24, 1e-3]),
    st.booleans(),
)
def test_graded_databases(seed, d, spare, ridge, mixed):
    rng = np.random.default_rng(seed)
    data = rng.standard_normal((d + spare, d)) * 10.0 ** rng.uniform(-12, 0, d)
    if mixed:
        data = data @ rng.standard_normal((d, d))
    r, epsilon = int(10 ** rng.uniform(0, 3)), 10 ** rng.uniform(-2, 0.5)
    row = int(rng.integers(len(data)))
    leverage = exact_leverage(data, row, ridge)
    for found, direction in zip(both_deltas(data, row, ridge, r, epsilon), DIRECTIONS):
        assert found == pytest.approx(curve(leverage, r, epsilon, direction), rel=STATED, abs=1e-290)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 4))
def test_databases_short_of_rank_are_compared_on_their_support(seed, rank, copies):
    """Whole numbers of rank `rank` in 5 columns: leverages are those of the coefficients, and 1 where a direction is
    lost.
    """
    rng = np.random.default_rng(seed)
    while True:
        coefficients, basis = rng.integers(-3, 4, (rank, rank)), rng.integers(-3, 4, (rank, 5))
        if np.linalg.matrix_rank(coefficients) == rank == np.linalg.matrix_rank(basis):
            break
    repeated = np.repeat(coefficients, copies, axis=0).astype(float)
    data = np.ldexp(repeated @ basis, rng.integers(-40, 1, 5))  # powers of two keep it exact
    deltas = both_deltas(data, 0, 0.0, 2, 0.7)
    if copies == 1:
        assert deltas == (1.0, 1.0)
    else:
        for found, direction in zip(deltas, DIRECTIONS):
            assert found == pytest.approx(curve(exact_leverage(repeated, 0), 2, 0.7, direction), rel=STATED)


def test_supports():
    n_equals_d = np.array([[1.0, 1e-9], [1.0, -1e-9]])
    assert both_deltas(n_equals_d, 0, 0.0, 3, 1.0) == both_deltas(n_equals_d[:1], 0, 0.0, 3, 1.0) == (1.0, 1.0)
    assert both_deltas(np.zeros((2, 2)), 0, 0.0, 3, 1.0) == (0.0, 0.0)
    assert both_deltas(np.vstack([n_equals_d, [[0.0, 0.0]]]), 2, 0.0, 3, 1.0) == (0.0, 0.0)
    # 1 - p about 1e-44: neither 0 nor lost
    alone = np.array([[1.0, 0.0], [1e-22, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert both_deltas(alone, 0, 0.0, 1, 1.0)[0] == pytest.approx(curve(exact_leverage(alone, 0), 1, 1), rel=STATED)
    assert both_deltas(alone, 0, 0.0, 1, 45.0)[1] == pytest.approx(
        curve(exact_leverage(alone, 0), 1, 45, "insert"), rel=STATED
    )


def test_next_to_the_largest_loss_of_an_insertion():
    data = np.array([[0.6, 0.8], [0.5, 0.1], [0.3, -0.7]])
    p = exact_leverage(data, 1, 0.5)
    largest = -3 * np.log1p(-float(p))  # r = 6
    # what is stated of its error; delta goes as the 4th power
    loss = 1e-18 if np.finfo(np.longdouble).nmant >= 63 else 1e-15
    for share in (1e-2, 1e-5, 1e-8, 1e-11):
        epsilon = float(largest * (1 - share))
        truth = curve(p, 6, epsilon, "insert")
        assert truth > 0 and both_deltas(data, 1, 0.5, 6, epsilon)[1] == pytest.approx(
            truth, rel=STATED + 4 * loss / share
        )
    assert both_deltas(data, 1, 0.5, 6, float(largest * (1 + 1e-12)))[1] == 0


def exact_covariance(data, ridge):
    rows = as_exact(data)
    return rows.T @ rows + exact(ridge) * as_exact(np.eye(data.shape[1]))


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 3))
def test_laws_that_differ_by_more_than_a_record(seed, d, r):
    rng = np.random.default_rng(seed)
    data = rng.standard_normal((d + 4, d)) * 10.0 ** rng.uniform(-8, 0, d)
    others, ridges = np.vstack([data[2:], data[:1] / 3]), (1e-6, 1.5e-6)
    laws = [ridged_law(rows, ridge, r) for rows, ridge in zip((data, others), ridges)]
    pair = GaussianPair([0] * d, exact_covariance(data, ridges[0]), [0] * d, exact_covariance(others, ridges[1]))
    for two, direct in ((laws, pair), (laws[::-1], pair.swapped())):
        truth = oracle.certified_composed_hockey_stick(direct, r, "0.3", digits=16)
        assert law_delta(*two, 0.3) == pytest.approx(float(truth.mid), rel=STATED, abs=1e-290)


def test_fractions_and_means_on_a_shared_support():
    covs = [np.array([[Fraction(1), Fraction(1, 3)], [Fraction(1, 3), Fraction(1, 9)]]) * k for k in (1, 2)]
    laws = [OutputLaw(np.array([3.0 * k, 1.0 * k]), cov, 2) for k, cov in enumerate(covs)]
    pair = GaussianPair([0, 0], [1, 1], [3, 3], [2, 2])  # two copies of the first coordinate
    assert law_delta(*laws, 0.5) == pytest.approx(
        float(oracle.certified_hockey_stick(pair, "0.5", digits=16).mid), rel=STATED
    )
    aside = OutputLaw(np.array([3.0, 1.0 + 2.0**-50]), covs[1], 2)
    assert law_delta(laws[0], aside, 0.5) == 1
    assert law_delta(laws[0], OutputLaw(laws[1].mean, np.diag([1.0, 0.0]), 2), 0.5) == 1


def test_floats_mean_what_they_say_or_are_refused():
    flat = OutputLaw(np.zeros(2), np.diag([1.0, 0.0]))
    assert law_delta(flat, flat, 0.0) == law_delta(flat, OutputLaw(np.zeros(2), np.zeros((2, 2))), 1.0) - 1 == 0
    assert law_delta(flat, OutputLaw(np.array([0.0, 1e-300]), np.diag([1.0, 0.0])), 1.0) == 1
    assert law_delta(flat, flat, -1.0) == pytest.approx(-np.expm1(-1.0), rel=1e-12)
    tiny = [OutputLaw(np.zeros(2), np.diag([1.0, variance])) for variance in (4e-200, 1e-200)]
    truth = oracle.certified_hockey_stick(GaussianPair([0], [4], [0], [1]), 1, digits=16)
    assert law_delta(*tiny, 1.0) == pytest.approx(float(truth.mid), rel=STATED)
    vector = np.array([[0.1, 0.2, 0.7]])
    for cov in (vector.T @ vector, np.diag([1.0, -1e-3, 1.0])):
        with pytest.raises(InputError, match="cov"):
            law_delta(OutputLaw(np.zeros(3), cov), OutputLaw(np.zeros(3), 2 * cov), 1.0)
    with pytest.raises(InputError, match="second"):
        law_delta(flat, OutputLaw(np.zeros(2), np.eye(2), 2), 1.0)


# Least squares


def rational_law(data, ridge, r):
    """Mean and covariance of the solution, in rationals throughout: normal equations by elimination."""
    rows, d = as_exact(data), data.shape[1] - 1
    gram = (rows.T @ rows if len(rows) else 0 * np.eye(d + 1, dtype=int)) + Fraction(ridge) * np.eye(d + 1, dtype=int)
    table = np.hstack([gram[:d, :d], np.eye(d, dtype=int) * Fraction(1), gram[:d, d:]])
    for k in range(d):
        table[k] = table[k] / table[k, k]
        for other in set(range(d)) - {k}:
            table[other] = table[other] - table[other, k] * table[k]
    inverse, mean = table[:, d:-1], table[:, -1]
    return mean, inverse * ((gram[d, d] - gram[:d, d] @ mean) / r)


SOLVED = {
    "plain": (np.random.default_rng(4).integers(-9, 10, (6, 3)) / 16, 0.25, 40, 1.0),
    "one feature, many rows of the sketch": (
        np.array([[0.3, 0.4], [0.1, -0.5], [0.7071, 0.7071]]),
        4.87e9,
        10**6,
        1e-6,
    ),
    "two features, many rows of the sketch": (
        np.array([[0.3, 0.4, 0.2], [0.1, -0.5, 0.4], [0.5, 0.5, 0.7071]]),
        2.0e4,
        10**6,
        1e-2,
    ),
    "columns all but equal": (
        np.array([[0.5, 0.5, 0.1], [0.25, 0.25 + 2.0**-40, 0.3], [-0.5, -0.5, 0.2], [0.1, 0.1, -0.7]]),
        2.0**-90,
        20,
        2.0,
    ),
    "columns of many sizes": (
        np.array([[2.0**-70, 0.5, 0.1], [2.0**-71, 0.25, 0.3], [2.0**-70, -0.5, 0.2], [0, 0.1, -0.7]]),
        0.0,
        20,
        2.0,
    ),
    "alone": (np.array([[0.6, 0.8]]), 3.0, 50, 0.1),
}


@pytest.mark.parametrize("name", SOLVED)
def test_least_squares_laws_are_compared_as_they_are(name):
    data, ridge, r, epsilon = SOLVED[name]
    pair = data, data[:-1]
    laws, truth = [normal_law(rows, ridge, r) for rows in pair], [rational_law(rows, ridge, r) for rows in pair]
    for law, (mean, cov) in zip(laws, truth):
        spread = [float(cov[k, k]) ** 0.5 for k in range(len(mean))]
        assert all(abs(float(x - y)) <= 2.0**-190 * s for x, y, s in zip(law.exact[0], mean, spread))
        assert all(abs(x / y - 1) <= 2.0**-190 for x, y in zip(np.diag(law.exact[1]), np.diag(cov)))
        np.testing.assert_allclose(law.mean, mean.astype(float), rtol=2**-52, atol=0)
    for first, second in ((0, 1), (1, 0)):
        certified = oracle.hockey_stick(GaussianPair(*truth[first], *truth[second]), exact(epsilon), digits=18)
        assert law_delta(laws[first], laws[second], epsilon) == pytest.approx(float(certified.mid), rel=STATED, abs=0)
        assert certified.mid > 1e-200


def test_rounded_least_squares_laws_would_be_compared_wrongly():
    data, ridge, r, epsilon = SOLVED["one feature, many rows of the sketch"]
    laws = [normal_law(rows, ridge, r) for rows in (data, data[:-1])]
    right, rounded = law_delta(*laws, epsilon), law_delta(*(OutputLaw(law.mean, law.cov) for law in laws), epsilon)
    assert 1e-32 < right < 1e-29 and abs(rounded / right - 1) > 3 * STATED


def test_a_law_of_too_low_a_rank_is_refused():
    for data in (np.ones((4, 3)), np.array([[1.0, 2.0], [2.0, 4.0]])):  # features alike; no residual
        with pytest.raises(InputError, match="rank"):
            normal_law(data, 0.0, 5)
