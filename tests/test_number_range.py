"""Numbers at the ends of the range of floats: mean shifts, quantiles, calibrations and masked arrays that once went
wrong.

`test_whole_range` draws over all of the range; these are the cases that were reported, by name.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from ndis_verify import GaussianPair, InputError, fast, oracle
from ndis_verify.fast import GeneralizedChi2, PairBatch, PrivacyProfile, Spectrum
from ndis_verify.fast.leverage import leverage_scores
from ndis_verify.reference.engines import ENGINES
from ndis_verify.reference.protocol import answer_line

LARGEST = float(np.finfo(float).max)


def close(value, enclosure, tolerance=1e-11):
    assert abs(float(value) / enclosure.mid - 1) < tolerance


# Mean shifts.


@pytest.mark.parametrize(
    "moved, ahead",
    [(1e-154, 0.0), (1e-158, 6.0), (1e-161, 1.0), (1e-163, 0.0), (1e-200, 1.0), (1e-280, 0.0), (1e-300, 6.0)],
)
def test_tiny_mean_shifts(moved, ahead):
    pairs = (
        GaussianPair([moved], 1, [0], 1),
        GaussianPair([moved, 0.0], [[1.0, 0.5], [0.5, 1.0]], [0.0, 0.0], [[1.0, 0.5], [0.5, 1.0]]),
        PairBatch(np.array([[moved]]), np.ones(1), np.zeros((1, 1)), np.ones(1)),
    )
    for pair, length in zip(pairs, (1.0, 2 / math.sqrt(3), 1.0)):
        epsilon = ahead * moved
        reference = oracle.certified_gaussian_hockey_stick(Fraction(moved) * Fraction(length), 1, epsilon, digits=16)
        if reference.mid > 1e-290:
            close(np.ravel(fast.hockey_stick(pair, epsilon))[0], reference)
        assert np.ravel(fast.log_hockey_stick(pair, epsilon))[0] == pytest.approx(math.log(reference.mid), rel=1e-13)
        target = float(reference.mid) / 8
        found = float(np.ravel(fast.epsilon_for_delta(pair, target))[0])
        assert (
            found > 0
            and np.ravel(fast.hockey_stick(pair, found))[0]
            <= target
            < np.ravel(fast.hockey_stick(pair, found * (1 - 1e-9)))[0]
        )


@pytest.mark.parametrize("moved", [1e154, 1e155, 1e200, 1e308])
def test_huge_mean_shifts(moved):
    pair = GaussianPair([moved, 0.0], 1, [-0.7 * moved, 0.0], 1)
    assert fast.hockey_stick(pair, [0.0, 1.0, 1e300]).tolist() == [1.0, 1.0, 1.0]
    assert fast.log_hockey_stick(pair, [0.0, -5.0]).tolist() == [0.0, 0.0]
    assert fast.pair_gdp(pair) == pytest.approx(1.7 * moved)
    epsilon = fast.epsilon_for_delta(pair, 1e-6)
    assert epsilon == pytest.approx(1.7 * moved * (0.85 * moved), rel=1e-12)  # infinite from 1e155 on
    dense = GaussianPair([moved, 0.0], [[1.0, 0.5], [0.5, 1.0]], [0.0, 0.0], [[1.0, 0.25], [0.25, 1.0]])
    assert fast.hockey_stick(dense, 1.0) == 1.0
    batch = PairBatch(np.array([[moved], [1.0]]), np.ones(1), np.zeros((1, 1)), np.ones(1))
    assert fast.hockey_stick(batch, 1.0).tolist() == pytest.approx([1.0, 0.12693673750664395])
    assert fast.gaussian_hockey_stick(moved, 1.0, [0.0, 1e300]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("mean, cov", [(5e-324, 1e308), (LARGEST, 5e-324)])
def test_mean_shifts_that_are_no_floats_are_refused(mean, cov):
    with pytest.raises(InputError, match="mean_p"):
        fast.hockey_stick(GaussianPair([mean], [cov], [0.0], [cov]), 1.0)


def test_a_tiny_shift_beside_other_variances_is_no_reason_to_refuse():
    pair = GaussianPair([0.0, 5e-324], [2.0, 1e300], [0.0, 0.0], [1.0, 1e300])
    assert fast.hockey_stick(pair, 0.5) == fast.hockey_stick(GaussianPair([0.0], [2.0], [0.0], [1.0]), 0.5)


@pytest.mark.parametrize("unit", [2.0**-530, 2.0**500])
def test_dense_pairs_in_extreme_units(unit):
    cov_p, cov_q = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[1.0, -0.25], [-0.25, 1.5]])
    usual = GaussianPair([0.5, 1.0], cov_p, [0.0, 0.0], cov_q)
    scaled = GaussianPair([0.5 * unit, unit], cov_p * unit * unit, [0.0, 0.0], cov_q * unit * unit)
    np.testing.assert_allclose(
        fast.hockey_stick(scaled, [0.0, 1.0, 5.0]), fast.hockey_stick(usual, [0.0, 1.0, 5.0]), rtol=1e-13
    )


@pytest.mark.parametrize("exponent", [-400, 400])
def test_covariances_that_are_no_floats(exponent):
    far = f"1e{exponent}"
    dense = [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    with pytest.raises(InputError, match="cov_p"):
        fast.hockey_stick(GaussianPair([0, 0, 0], dense, [0, 0, 0], far), 1.0)
    assert fast.hockey_stick(GaussianPair([0, 0], [far, far], [0, 0], [far, far]), 1.0) == 0.0
    half = f"5e{exponent - 1}"
    pair = GaussianPair([0, 0], [[far, half], [half, far]], [0, 0], far)
    same = GaussianPair([0, 0], [[1.0, 0.5], [0.5, 1.0]], [0, 0], 1.0)
    assert fast.hockey_stick(pair, 0.1) == pytest.approx(fast.hockey_stick(same, 0.1), rel=1e-13)
    with pytest.raises(InputError, match="cov_q"):
        GaussianPair([0, 0], far, [0, 0], [[far, f"2e{exponent}"], [f"2e{exponent}", far]])


# The Gaussian mechanism.


@pytest.mark.parametrize("sensitivity, std, epsilon", [(1e-155, 1e155, 1.0), (5e-324, 1, 5), (1, LARGEST, 3.4)])
def test_deltas_that_were_nan(sensitivity, std, epsilon):
    assert fast.gaussian_hockey_stick(sensitivity, std, epsilon) == 0.0
    assert fast.log_gaussian_hockey_stick(sensitivity, std, epsilon) == -math.inf
    assert math.isfinite(fast.log_gaussian_hockey_stick(sensitivity, std, 0.0))


def test_a_threshold_that_cancels_the_shift_exactly():
    """D = 2^400, epsilon = D^2/2: a = 0, and delta is 1/2 but for 1/D."""
    assert fast.gaussian_hockey_stick(2.0**400, 1.0, 2.0**799) == pytest.approx(0.5, rel=1e-14)
    for sensitivity, std, epsilon in (
        (458.82729608665534, 0.0020356264073315786, 25405478469.479324),
        (1e5, 1.0, 5e9 + 2e5),
    ):
        close(
            fast.gaussian_hockey_stick(sensitivity, std, epsilon),
            oracle.certified_gaussian_hockey_stick(sensitivity, std, epsilon, digits=16),
            1e-12,
        )


@pytest.mark.parametrize(
    "sensitivity, epsilon, delta",
    [(5e-324, 0.25, 1e-6), (5e-324, 0.0, 0.5), (1e308, 5.0, 0.5), (1e-300, 1e4, 1e-300), (1.0, 5e-324, 5e-324)],
)
def test_calibration_at_the_ends_ends(sensitivity, epsilon, delta):
    try:
        std = float(fast.gaussian_std(sensitivity, epsilon=epsilon, delta=delta))
    except InputError as error:
        assert error.argument == "sensitivity" and delta < 1e-300
        return
    assert oracle.certified_gaussian_hockey_stick(sensitivity, std, epsilon, digits=16).mid <= delta
    below = np.nextafter(std * (1 - 1e-11), 0)
    assert (
        below == 0 or oracle.certified_gaussian_hockey_stick(sensitivity, float(below), epsilon, digits=16).mid > delta
    )


def test_a_noise_level_above_the_largest_float_is_refused():
    with pytest.raises(InputError, match="sensitivity.*largest float"):
        fast.gaussian_std([1.0, 1e308], epsilon=[0.0, 0.0], delta=[0.1, 1e-2])


# Epsilons.


@pytest.mark.parametrize("moved", [2.0**-170, 2.0**-400, 1e-300])
def test_smallest_epsilons_have_no_floor(moved):
    pair = GaussianPair([moved], 1, [0], 1)
    delta = float(fast.hockey_stick(pair, 2 * moved))
    assert fast.epsilon_for_delta(pair, delta * (1 + 1e-10)) == pytest.approx(2 * moved, rel=1e-9)


def test_the_least_epsilons_are_floats():
    pair = GaussianPair([1e-300], 1, [0], 1)
    at_zero = float(fast.hockey_stick(pair, 0.0))
    assert fast.epsilon_for_delta(pair, [at_zero * (1 + 1e-11), at_zero * 2]).tolist() == [0.0, 0.0]
    assert 0 < fast.epsilon_for_delta(pair, at_zero * (1 - 1e-11)) < 1e-310


# The generalized chi-square law.


def test_quantiles_next_to_the_end_of_the_support():
    law = GeneralizedChi2([1.0], [1], [0.0])
    q = np.array([1e-161, 3e-161, 1e-160, 1e-158, 1e-150, 1e-100])
    # chi'^2(1) <= x has probability sqrt(2 x/pi) next to 0
    np.testing.assert_allclose(law.ppf(q), math.pi / 2 * q**2, rtol=1e-12, atol=5e-324)
    places = law.ppf(10.0 ** np.linspace(-170, -140, 61))
    assert (np.diff(places) >= 0).all()
    assert law.ppf(1e-300) == 0.0 and law.isf(1e-300) == pytest.approx(1375.2, rel=1e-3)


def test_weights_at_the_ends_of_the_range():
    unit = GeneralizedChi2([1.0, -0.5], [3, 2], [1.0, 0.0], std=0.25, shift=0.5)
    x, q = np.array([-4.0, 0.5, 2.0, 9.0]), np.array([1e-9, 0.1, 0.5, 0.75])
    for exponent in (-1070, -600, 600, 1018):
        scale = 2.0**exponent
        law = GeneralizedChi2([scale, -0.5 * scale], [3, 2], [1.0, 0.0], std=0.25 * scale, shift=0.5 * scale)
        np.testing.assert_allclose(law.cdf(x * scale), unit.cdf(x), rtol=1e-13)
        np.testing.assert_allclose(law.ppf(q), unit.ppf(q) * scale, rtol=1e-12, atol=1e-323)
    largest = GeneralizedChi2([LARGEST], [1], [0.0])
    assert largest.cdf(LARGEST / 2) == pytest.approx(math.erf(0.5), rel=1e-13)
    assert largest.logcdf(1e-300) == pytest.approx(0.5 * (math.log(2e-300 / math.pi) - math.log(LARGEST)), rel=1e-13)
    assert largest.ppf(0.9) == math.inf and largest.ppf(0.5) == pytest.approx(0.454936423 * LARGEST)


def test_scales_that_are_too_far_apart_are_refused():
    for arguments in (
        ([1.0, 1e-100], [1, 1], [0.0, 0.0]),
        ([1.0], [1], [0.0], 5e-324),
        ([5e-324], [1], [0.0], LARGEST),
    ):
        with pytest.raises(InputError, match="weights.*2.300"):
            GeneralizedChi2(*arguments)


def test_trade_offs_of_laws_too_far_apart_are_refused():
    with pytest.raises(InputError, match="pair"):
        fast.pair_trade_off(GaussianPair([1e200], 1, [0], 1), 0.5)


# Masks.

MASKED = np.ma.array([0.25], mask=[True])
CALLS = {
    fast.gaussian_hockey_stick: {"sensitivity": 1.0, "std": 1.0, "epsilon": 1.0},
    fast.log_gaussian_hockey_stick: {"sensitivity": 1.0, "std": 1.0, "epsilon": 1.0},
    fast.gaussian_std: {"sensitivity": 1.0, "epsilon": 1.0, "delta": 0.1},
    fast.rp_hockey_stick: {"leverage": 0.5, "r": 2, "epsilon": 1.0},
    fast.log_rp_hockey_stick: {"leverage": 0.5, "r": 2, "epsilon": 1.0},
    fast.rp_leverage: {"r": 2, "epsilon": 1.0, "delta": 0.1},
    fast.rp_ridge: {"norm_bound": 1.0, "r": 2, "epsilon": 1.0, "delta": 0.1},
    fast.sampled_rp_ridge: {"norm_bound": 1.0, "rate": 0.5, "r": 2, "epsilon": 1.0, "delta": 0.1},
    fast.sampled_epsilon: {"epsilon": 1.0, "rate": 0.5},
    fast.rp_ridge_hockey_stick: {"norm_bound": 1.0, "ridge": 1.0, "r": 2, "epsilon": 1.0},
    fast.als_hockey_stick: {"leverage": 0.1, "augmented_leverage": 0.5, "d": 2, "r": 5, "epsilon": 1.0},
    fast.log_als_hockey_stick: {"leverage": 0.1, "augmented_leverage": 0.5, "d": 2, "r": 5, "epsilon": 1.0},
    fast.als_exact_hockey_stick: {"leverage": 0.1, "augmented_leverage": 0.5, "d": 2, "r": 5, "epsilon": 1.0},
    fast.log_als_exact_hockey_stick: {"leverage": 0.1, "augmented_leverage": 0.5, "d": 2, "r": 5, "epsilon": 1.0},
    fast.als_spectrum: {"leverage": 0.1, "augmented_leverage": 0.5, "d": 2, "r": 5},
    fast.als_max_privacy_loss: {"leverage": 0.1, "augmented_leverage": 0.5, "d": 2, "r": 5},
    fast.als_asymptotic_gap: {"leverage": 0.1, "augmented_leverage": 0.5, "d": 2, "r": 5, "epsilon": [1.0]},
    fast.als_worst_case: {"cap": 0.5, "d": 2, "r": 5, "epsilon": 1.0},
    fast.als_exact_worst_case: {"cap": 0.5, "d": 2, "r": 5, "epsilon": 1.0},
    fast.als_cap: {"d": 2, "r": 5, "epsilon": 1.0, "delta": 0.1},
    fast.als_exact_cap: {"d": 2, "r": 5, "epsilon": 1.0, "delta": 0.1},
    GeneralizedChi2: {"weights": [1.0], "dofs": [1], "noncentralities": [0.0], "std": 1.0, "shift": 0.0},
    Spectrum: {"alpha": [0.5], "shift_squared": [1.0], "multiplicity": [1]},
    GaussianPair: {"mean_p": [1.0], "cov_p": [1.0], "mean_q": [0.0], "cov_q": [1.0]},
    PairBatch: {"mean_p": np.ones((1, 1)), "cov_p": np.ones(1), "mean_q": np.ones((1, 1)), "cov_q": np.ones(1)},
}
PAIR = GaussianPair([1.0], [1.0], [0.0], [1.0])
METHODS = {
    "epsilon": (
        lambda v: fast.hockey_stick(PAIR, v),
        lambda v: fast.log_hockey_stick(PAIR, v),
        lambda v: fast.composed_hockey_stick(PAIR, 2, v),
        PrivacyProfile(PAIR),
        PrivacyProfile(PAIR).log,
    ),
    "delta": (lambda v: fast.epsilon_for_delta(PAIR, v), PrivacyProfile(PAIR).epsilon),
    "alpha": (lambda v: fast.pair_trade_off(PAIR, v),),
    "copies": (lambda v: fast.compose(PAIR, v),),
    "x": (
        GeneralizedChi2([1.0], [1], [0.0]).cdf,
        GeneralizedChi2([1.0], [1], [0.0]).logsf,
        GeneralizedChi2([1.0], [1], [0.0]).pdf,
    ),
    "q": (GeneralizedChi2([1.0], [1], [0.0]).ppf, GeneralizedChi2([1.0], [1], [0.0]).isf),
    "data": (leverage_scores,),
}
PAIRS_OR_RECORDS = {
    "PrivacyProfile",
    "WorstRecord",
    "compose",
    "composed_hockey_stick",
    "epsilon_for_delta",
    "hockey_stick",
    "log_hockey_stick",
    "pair_gdp",
    "pair_trade_off",
    "quadratic_form",
    "spectrum",
}


def test_every_export_is_asked_for_its_masks():
    assert {function.__name__ for function in CALLS} - {"GaussianPair"} | PAIRS_OR_RECORDS == set(fast.__all__)


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_masked_arrays_are_refused(function):
    function(**CALLS[function])
    for name in CALLS[function]:
        for masked in (MASKED, [MASKED, MASKED], MASKED.filled(0.5).view(np.ma.MaskedArray)):
            with pytest.raises(InputError) as found:
                function(**(CALLS[function] | {name: masked}))
            assert found.value.argument == name


@pytest.mark.parametrize("name", METHODS)
def test_masked_arguments_of_pairs_and_laws_are_refused(name):
    for function in METHODS[name]:
        with pytest.raises(InputError, match=name):
            function(MASKED)


def test_complex_numbers_and_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="epsilon.*real"):
        fast.hockey_stick(PAIR, np.array([1j]))
    with pytest.raises(InputError, match="std.*broadcast"):
        fast.gaussian_hockey_stick([1.0, 2.0], [1.0, 2.0, 3.0], 1.0)
    with pytest.raises(InputError, match="rate.*broadcast"):
        fast.sampled_rp_ridge(1.0, [0.5, 0.6], 2, epsilon=1.0, delta=[0.1, 0.2, 0.3])


class Foreign:
    """An array of another library, which numpy is given, or refused with its library's error."""

    def __init__(self, numbers, error=None):
        self.numbers, self.error = numbers, error

    def __array__(self, dtype=None, copy=None):
        if self.error:
            raise self.error
        return np.array(self.numbers, dtype=dtype)


def test_arrays_of_other_libraries_are_read_and_those_on_a_device_refused():
    """A tensor with gradients and one of half precision ended in the errors of their own libraries."""
    epsilon = np.array([0.1, 1.0], dtype=np.float32)
    found = fast.hockey_stick(PAIR, Foreign(epsilon))
    assert type(found) is np.ndarray and found.dtype == np.float64
    assert np.array_equal(found, fast.hockey_stick(PAIR, epsilon.astype(float)))  # float32 numbers as they are
    for error in (RuntimeError("requires grad"), TypeError("use .get()"), ValueError("a tracer")):
        with pytest.raises(InputError, match="epsilon"):
            fast.hockey_stick(PAIR, Foreign([1.0], error))
        with pytest.raises(InputError, match="mean_p"):
            PairBatch(Foreign([[1.0]], error), np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1)))


# The protocol.


@pytest.mark.parametrize("engine", ["fast", "oracle", "certified"])
@pytest.mark.parametrize(
    "quantity, inputs, argument",
    [
        ("epsilon_for_delta", {"mean_p": ["1"], "cov_p": "1", "mean_q": ["0"], "cov_q": "1", "delta": "0"}, "delta"),
        ("log_hockey_stick", {"mean_p": ["0"], "cov_p": "1", "mean_q": ["0"], "cov_q": "1", "epsilon": "1"}, "epsilon"),
        ("rp_ridge", {"norm_bound": "1", "r": "2", "epsilon": "1", "delta": "0"}, "delta"),
    ],
)
def test_infinite_answers_are_domain_errors_in_every_engine(engine, quantity, inputs, argument):
    if quantity not in ENGINES[engine]:
        pytest.skip("not computed by this engine")
    request = f'{{"id": 1, "quantity": "{quantity}", "inputs": {inputs!r}}}'.replace("'", '"')
    answer = answer_line(request, ENGINES[engine])
    assert answer["error"]["kind"] == "domain" and answer["error"]["argument"] == argument, answer
