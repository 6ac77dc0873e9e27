"""Fast hockey-stick divergences against certified values, exact zeros, shapes, domains and invariances."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify import GaussianPair, InputError
from ndis_verify.fast import (
    PairBatch,
    PrivacyProfile,
    Spectrum,
    gaussian_hockey_stick,
    hockey_stick,
    log_hockey_stick,
    quadratic_form,
    spectrum,
)
from ndis_verify.oracle import certified_hockey_stick, certified_log_hockey_stick

# (name, mean difference, diagonal of cov_p with cov_q = I, epsilons)
REGIMES = [
    ("one wide coordinate", [0.5], [2.0], [0.0, 1.0, 30.0, 200.0]),
    ("one narrow coordinate", [0.5], [0.25], [0.0, 0.5, 1.0]),
    ("two coordinates, algebraic decay", [0.0, 0.0], [1.5, 0.75], [0.0, 0.1, 2.0]),
    ("mixed signs", [0.3, -1.0, 0.0], [4.0, 0.5, 0.125], [0.0, 3.0, 40.0]),
    ("all narrow", [0.1, 0.2, 0.3], [0.5, 0.9, 0.99], [0.0, 0.25]),
    ("linear part with others", [2.0, 0.5, 0.0], [1.0, 3.0, 0.25], [0.0, 5.0, 50.0]),
    ("extreme ratios", [1.0, 0.001], [2.0**20, 2.0**-20], [0.0, 10.0, 200.0]),
    ("tiny alpha, large shift", [12.0, 0.5], [1 + 2.0**-30, 1 - 2.0**-33], [0.0, 60.0, 150.0]),
    ("near-equal", [2.0**-41, 0.0, 2.0**-40], [1 + 2.0**-40, 1 - 2.0**-41, 1 + 2.0**-42], [0.0, 2.0**-40, 2.0**-37]),
    ("one large, many tiny", [0.0] * 33, [3.0] + [1 + 2.0**-20] * 32, [0.0, 4.0, 60.0]),
    ("a Gaussian part beside both signs", [0.4375, 0.4375, 0.125], [0.375, 1 + 2.0**-52, 2.5], [0.0, 1.0, 10.0]),
    ("far shift", [40.0, 0.0], [1.0, 2.0], [150.0, 199.0]),
]
POINTS = [(name, mean, cov, epsilon) for name, mean, cov, epsilons in REGIMES for epsilon in epsilons]


def pair_of(mean, cov):
    return GaussianPair(mean, cov, [0.0] * len(mean), [1.0] * len(mean))


@pytest.mark.parametrize("name, mean, cov, epsilon", POINTS, ids=[f"{p[0]} at {p[3]:g}" for p in POINTS])
@pytest.mark.parametrize("swap", [False, True], ids=["PQ", "QP"])
def test_agrees_with_certified_values(name, mean, cov, epsilon, swap):
    pair = pair_of(mean, cov)
    pair = pair.swapped() if swap else pair
    reference = certified_hockey_stick(pair, epsilon, digits=20)
    value = float(hockey_stick(pair, epsilon))
    if reference.mid == 0:
        assert value == 0.0
        assert log_hockey_stick(pair, epsilon) == -math.inf
        return
    if reference.mid > 1e-290:
        assert abs(value / reference.mid - 1) < 1e-11
    else:
        exponent = certified_log_hockey_stick(pair, epsilon, digits=20).mid
        assert abs(float(log_hockey_stick(pair, epsilon)) / exponent - 1) < 1e-11


COMMON = [
    (alpha, shift, top)
    for alpha, shift in [
        ([-0.5, 0.25, 1.5], [0.0, 0.1, 0.0]),
        ([-0.5, -0.25], [1.0, 0.5]),
        ([0.5, 2.0], [0.0, 0.0]),
        ([-0.5, 2.0**-50, 1.5], [0.1, 0.2, 0.0]),
        ([2.0**-30, -(2.0**-33)], [4.0, 0.25]),
        ([-0.25] * 30 + [0.5], [0.0] * 31),
    ]
    for top in (1.0, 20.0)
]


@pytest.mark.parametrize("alpha, shift, top", COMMON)
def test_thresholds_on_common_paths_agree_with_those_on_their_own(alpha, shift, top):
    laws, epsilon = Spectrum(alpha, shift), np.linspace(0.0, top, 24)
    together = log_hockey_stick(laws, epsilon)
    alone = np.array([float(log_hockey_stick(laws, value)) for value in epsilon])
    finite = np.isfinite(alone)
    assert (np.isfinite(together) == finite).all()
    assert np.abs(together[finite] - alone[finite]).max() < 1e-11
    assert np.abs(log_hockey_stick(laws, epsilon[::-1])[::-1][finite] - together[finite]).max() < 1e-12


@pytest.mark.parametrize("fraction", [1 - 2.0**-3, 1 - 2.0**-12, 1 - 2.0**-20])
def test_close_to_the_largest_loss(fraction):
    pair = pair_of([0.5, 0.25], [0.5, 0.25])
    largest = 0.5 * math.log(8) + 0.5 * (0.25 / 0.5 + 0.0625 / 0.75)
    epsilon = fraction * largest
    reference = certified_hockey_stick(pair, epsilon, digits=20).mid
    assert abs(float(hockey_stick(pair, epsilon)) / reference - 1) < 1e-11
    assert hockey_stick(pair, largest * (1 + 1e-12)) == 0.0


def test_identical_pairs_are_indistinguishable():
    pair = GaussianPair(["0.1", "0.2"], "0.3", ["0.1", "0.2"], "0.3")
    assert hockey_stick(pair, [0.0, 1.0]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dimension", [1000, 10_000])
def test_many_equal_coordinates_are_one_group(dimension):
    merged = Spectrum([0.01], [0.25], [dimension])
    shift = np.zeros(dimension)
    shift[0] = 0.25
    apart = Spectrum(np.full(dimension, 0.01), shift)
    epsilon = np.array([0.0, 1.0, 10.0])
    np.testing.assert_allclose(hockey_stick(apart, epsilon), hockey_stick(merged, epsilon), rtol=2e-12)
    diagonal = GaussianPair(np.full(dimension, 1.01), np.full(dimension, 2.0), np.ones(dimension), 1.5)
    assert spectrum(diagonal).alpha.shape == (1,)


def test_shapes():
    pair = pair_of([0.5, 0.25], [2.0, 0.5])
    assert np.ndim(hockey_stick(pair, 1.0)) == 0
    assert hockey_stick(pair, np.ones((2, 3))).shape == (2, 3)
    rng = np.random.default_rng(5)
    factors = rng.normal(size=(6, 3, 3))
    cov_p = factors @ factors.swapaxes(1, 2) + np.eye(3)
    batch = PairBatch(
        rng.normal(size=(6, 3)), (cov_p + cov_p.swapaxes(1, 2)) / 2, np.zeros((1, 3)), rng.uniform(0.5, 2, (6, 3))
    )
    curve = hockey_stick(batch, [0.0, 0.5, 2.0])
    assert curve.shape == (6, 3) and hockey_stick(batch, 0.5).shape == (6,)
    np.testing.assert_allclose(hockey_stick(batch, 0.5), curve[:, 1], rtol=1e-13)
    singles = [
        hockey_stick(GaussianPair(batch.mean_p[k], batch.cov_p[k], np.zeros(3), batch.cov_q[k]), [0.0, 0.5, 2.0])
        for k in range(6)
    ]
    np.testing.assert_allclose(curve, singles, rtol=1e-13)
    scaled = PairBatch(np.zeros((2, 4)), np.array([2.0, 3.0]), np.ones((2, 4)), np.array([1.0, 4.0]))
    single = GaussianPair(np.zeros(4), 3.0, np.ones(4), 4.0)
    np.testing.assert_allclose(hockey_stick(scaled, 0.5)[1], hockey_stick(single, 0.5), rtol=1e-14)


@pytest.mark.parametrize("epsilon", [math.nan, math.inf, -math.inf, "one", [0.0, math.nan]])
def test_epsilon_outside_its_domain(epsilon):
    with pytest.raises(InputError, match="epsilon"):
        hockey_stick(Spectrum([1.0]), epsilon)


@pytest.mark.parametrize("epsilon", [-1e-9, -0.1, -1.0, -40.0])
@pytest.mark.parametrize("variances", [["2", "0.25"], ["0.5"], ["1.000000953674316"], ["1"]])
def test_negative_epsilons_are_certified(variances, epsilon):
    pair = GaussianPair(["0.0009765625"] * len(variances), variances, [0] * len(variances), 1)
    assert hockey_stick(pair, [epsilon, 1.0])[0] == pytest.approx(
        float(certified_hockey_stick(pair, epsilon, 25).mid), rel=1e-12
    )
    log = float(certified_log_hockey_stick(pair, epsilon, 25).mid)
    assert log < 0 and log_hockey_stick(pair, epsilon) == pytest.approx(log, rel=1e-12, abs=0)


@pytest.mark.parametrize("epsilon", [-1e-9, -1.0, -30.0])
def test_negative_epsilons_of_the_closed_form(epsilon):
    pair = GaussianPair([0.5], 1, [0], 1)
    assert gaussian_hockey_stick(0.5, 1.0, epsilon) == pytest.approx(
        float(certified_hockey_stick(pair, epsilon, 25).mid), rel=1e-12
    )


@pytest.mark.parametrize(
    "arguments, name",
    [
        (([-1.0],), "alpha"),
        (([math.nan],), "alpha"),
        (([1.0], [-1.0]), "shift_squared"),
        (([1.0], [0.0], [1.5]), "multiplicity"),
        (([1.0, 2.0], [0.0, 0.0, 0.0]), "alpha"),
        (([],), "alpha"),
    ],
)
def test_spectra_outside_their_domain(arguments, name):
    with pytest.raises(InputError, match=name):
        Spectrum(*arguments)


@pytest.mark.parametrize(
    "arguments, name",
    [
        ((np.zeros(3), np.ones(1), np.zeros((1, 3)), np.ones(1)), "mean_p"),
        ((np.zeros((2, 3)), np.ones((2, 4)), np.zeros((2, 3)), np.ones(2)), "cov_p"),
        ((np.zeros((2, 3)), -np.ones(2), np.zeros((2, 3)), np.ones(2)), "cov_p"),
        ((np.zeros((1, 2)), [[[1.0, 2.0], [2.0, 1.0]]], np.zeros((1, 2)), np.ones(1)), "cov_p"),
        ((np.zeros((1, 2)), [[[1.0, 0.5], [0.4, 1.0]]], np.zeros((1, 2)), np.ones(1)), "cov_p"),
        ((np.zeros((1, 2)), np.ones(1), np.full((1, 2), np.nan), np.ones(1)), "mean_q"),
    ],
)
def test_batches_outside_their_domain(arguments, name):
    with pytest.raises(InputError, match=name):
        PairBatch(*arguments)


def test_not_a_pair():
    with pytest.raises(InputError, match="pair"):
        hockey_stick([1.0], 0.0)


def test_profile_is_the_curve():
    pair = pair_of([0.5, 0.0], [2.0, 0.5])
    profile = PrivacyProfile(pair)
    epsilon = np.array([0.0, 0.5, 3.0])
    assert np.array_equal(profile(epsilon), hockey_stick(pair, epsilon))
    assert np.array_equal(profile.log(epsilon), log_hockey_stick(pair, epsilon))
    np.testing.assert_allclose(profile.swapped()(epsilon), hockey_stick(pair.swapped(), epsilon), rtol=1e-13)


def test_quadratic_form_of_the_lemma():
    pair = pair_of([0.5, -1.0], [2.0, 0.25])
    form = quadratic_form(pair)
    assert form.dimension == 2
    by_eigenvalue = dict(zip(form.a, form.b))
    assert by_eigenvalue == pytest.approx({-1.0: -0.5 * math.sqrt(2.0), 0.75: -0.5})
    assert form.c == pytest.approx(0.5 * math.log(0.5) - 0.5 * 1.25)


@st.composite
def spectra(draw):
    groups = draw(st.integers(1, 4))
    exponent = st.floats(-6, 6)
    alpha = [draw(st.sampled_from([1.0, -1.0])) * 10 ** draw(exponent) for _ in range(groups)]
    alpha = [a if a > -0.999999 else a / (1 - a) for a in alpha]
    shift = [draw(st.sampled_from([0.0, 1.0])) * 10 ** draw(st.floats(-6, 3)) for _ in range(groups)]
    return Spectrum(alpha, shift, [draw(st.integers(1, 300)) for _ in range(groups)])


curves = st.lists(st.integers(0, 12_800), min_size=3, max_size=6, unique=True).map(lambda values: np.sort(values) / 64)


@given(spectra(), curves)
def test_values_are_probabilities_and_quiet(laws, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        delta, log_delta = hockey_stick(laws, epsilon), log_hockey_stick(laws, epsilon)
    assert ((delta >= 0) & (delta <= 1)).all()
    assert (log_delta <= 0).all() and not np.isnan(log_delta).any()


@given(spectra(), curves)
def test_decreasing_and_convex_in_exp_epsilon(laws, epsilon):
    delta, x = hockey_stick(laws, epsilon), np.exp(epsilon - epsilon.max())
    assert (np.diff(delta) <= 1e-12 * delta[:-1]).all()
    for left, middle, right in zip(range(len(x)), range(1, len(x)), range(2, len(x))):
        weight = (x[right] - x[middle]) / (x[right] - x[left])
        assert delta[middle] <= (weight * delta[left] + (1 - weight) * delta[right]) * (1 + 1e-11) + 1e-300


@given(spectra())
def test_total_variation_is_symmetric(laws):
    forward, backward = hockey_stick(laws, 0.0), hockey_stick(laws.swapped(), 0.0)
    assert forward == pytest.approx(backward, rel=1e-11, abs=0)


@given(spectra(), st.floats(0, 20))
def test_dropping_a_coordinate_loses(laws, epsilon):
    rest = (
        Spectrum(laws.alpha[1:], laws.shift_squared[1:], laws.multiplicity[1:])
        if laws.alpha.size > 1
        else Spectrum([0.0])
    )
    assert hockey_stick(rest, epsilon) <= hockey_stick(laws, epsilon) * (1 + 1e-11)


@given(spectra(), st.floats(0, 20), st.integers(1, 5))
def test_a_shared_coordinate_changes_nothing(laws, epsilon, extra):
    product = Spectrum(
        np.append(laws.alpha, 0.0), np.append(laws.shift_squared, 0.0), np.append(laws.multiplicity, extra)
    )
    np.testing.assert_allclose(
        log_hockey_stick(product, epsilon), log_hockey_stick(laws, epsilon), rtol=1e-11, atol=1e-11
    )


@given(st.integers(0, 2**32 - 1), st.floats(0, 10), st.integers(1, 6))
def test_affine_change_of_variables(seed, epsilon, dimension):
    rng = np.random.default_rng(seed)

    def dyadic(*shape):
        return np.rint(rng.normal(size=shape) * 64) / 64

    factors = dyadic(2, dimension, dimension)
    cov_p, cov_q = (f @ f.T + np.eye(dimension) / 8 for f in factors)
    mean = dyadic(dimension)
    change = np.tril(dyadic(dimension, dimension), -1) + np.diag(2.0 ** rng.integers(-3, 4, dimension))
    original = GaussianPair(mean, cov_p, np.zeros(dimension), cov_q)
    changed = GaussianPair(change @ mean, change @ cov_p @ change.T, np.zeros(dimension), change @ cov_q @ change.T)
    # sums of few dyadic numbers: the change of variables is exact, so the pairs are equivalent exactly
    np.testing.assert_allclose(hockey_stick(changed, epsilon), hockey_stick(original, epsilon), rtol=1e-10)


@pytest.mark.parametrize("swap", [False, True], ids=["PQ", "QP"])
@pytest.mark.parametrize("below", [1e-4, 1e-8, 1e-12, 1e-14])
@pytest.mark.parametrize(
    "mean, cov",
    [
        ([0.75], [0.96875]),
        ([0.1, 0.0], [0.5, 0.25]),
        ([0.3, -0.2, 0.0], [0.9, 0.625, 0.99]),
        ([0.0], [0.7]),
        ([0.2, 0.0], [0.5, 1.0]),
    ],
)
def test_next_to_the_largest_loss(mean, cov, below, swap):
    pair = GaussianPair(np.array(mean) + 0.1, cov, [0.1] * len(mean), 1.0)
    if swap:
        pair = GaussianPair(np.array(mean) + 0.1, 1.0, [0.1] * len(mean), cov).swapped()
    largest = 0.5 * sum(m * m / (1 - v) - math.log(v) for m, v in zip(mean, cov) if v < 1)
    epsilon = largest * (1 - below)
    reference = certified_log_hockey_stick(pair, epsilon, digits=16).mid
    tolerance = 1e-11 if reference > math.log(1e-290) else 1e-11 * abs(reference)
    assert abs(float(log_hockey_stick(pair, epsilon)) - reference) < tolerance
