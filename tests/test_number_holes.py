"""Values next to where an answer turns, and pairs whose scales lie far apart: what draws over the whole range of floats
had found.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from ndis_verify import GaussianPair, InputError, fast, oracle
from ndis_verify.fast import sensitivity
from ndis_verify.fast.joint_shift import Prediction, RankOne, added_variance
from ndis_verify.mechanisms.logistic_regression import logistic_regression
from ndis_verify.mechanisms.random_projection import random_projection
from ndis_verify.oracle import joint_shift as certified
from ndis_verify.oracle.gaussian_output import Triple, calibrated_gaussian

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def far_apart(power):
    """Dense, with eigenvalues of about 10^power and 2."""
    return GaussianPair(
        [0.0, 1.0],
        [[10.0**power, 10.0 ** (power / 2)], [10.0 ** (power / 2), 3.0]],
        [0.0, 0.0],
        [[1.0, 0.0], [0.0, 1.0]],
    )


@pytest.mark.parametrize(
    "p, q, below", [(4.5e-218, 3.8e-152, 1e-8), (3e-275, 0.5, 1e-13), (1e-163, 0.99999, 1e-6), (0.2, 0.3, 1e-9)]
)
def test_an_insertion_next_to_the_largest_loss(p, q, below):
    """Epsilon a relative 1e-14 to either side bounds the value: as documented."""
    top = Fraction(float(fast.als_max_privacy_loss(p, q, 2, 1000, "insert")))
    epsilon = float(top * (1 - Fraction(below)))
    low, high = (
        oracle.certified_als_exact_hockey_stick(
            p, q, 2, 1000, Fraction(epsilon) * (1 + side * Fraction(1, 10**14)), "insert"
        ).mid
        for side in (1, -1)
    )
    assert low * (1 - 2e-10) <= fast.als_exact_hockey_stick(p, q, 2, 1000, epsilon, "insert") <= high * (1 + 2e-10)


@pytest.mark.parametrize(
    "p, left, d, share",
    [
        (0.9999919309635444, 2.1934884e-6, 2, 0.0859),
        (0.99998, 1.5e-6, 50, 0.35),
        (0.9999, 1.6e-5, 2, 0.29),
        (0.5, 2.0**-29, 1, 0.1),
    ],
)
def test_an_insertion_that_is_sure_to_show(p, left, d, share):
    """Many rows beside leverages close to 1: logarithms of size 10^6 cancel."""
    q, r = 1 - left, 100_000
    epsilon = share * float(fast.als_max_privacy_loss(p, q, d, r, "insert"))
    exact = oracle.certified_als_exact_hockey_stick(p, q, d, r, epsilon, "insert", digits=14).mid
    assert exact > 0.9 and abs(fast.als_exact_hockey_stick(p, q, d, r, epsilon, "insert") / exact - 1) <= 2e-9


@pytest.mark.parametrize(
    "d, r, epsilon", [(10, 10, 90.14773911995522), (2, 1000, 1e-5), (1, 3, 5e-324), (3, 7, 2.0**-40), (5, 6, 50.0)]
)
def test_a_cap_of_pure_privacy_is_rounded_down(d, r, epsilon):
    cap = float(fast.als_exact_cap(d, r, epsilon=epsilon, delta=0.0))
    assert oracle.certified_als_exact_hockey_stick(0, cap, d, r, epsilon, "insert").mid == 0
    assert cap >= -math.expm1(-2 * epsilon / r) * (1 - 2e-15) - 1e-323


@pytest.mark.parametrize("power", [25, 30, 36, 60])
@pytest.mark.parametrize("depth", [0.5, 0.98, 1.0])
def test_dense_covariances_of_which_one_is_all_but_singular(power, depth):
    """1 + alpha = 10^-power is no float from 1, nor two."""
    wide = far_apart(power)
    pair = GaussianPair(wide.mean_p, wide.cov_q.entries, wide.mean_q, wide.cov_p.entries)
    epsilon = depth * math.log(10.0**power) / 2
    exact = oracle.certified_hockey_stick(pair, epsilon, digits=16).mid
    assert abs(float(fast.hockey_stick(pair, epsilon)) / exact - 1) <= 1e-11
    if exact < 0.999:
        logarithm = mpmath.log(exact)
        assert abs(float(fast.log_hockey_stick(pair, epsilon)) / logarithm - 1) <= 1e-11


def test_eigenvalue_ratios_that_neither_law_tells_are_refused():
    second = [[1e60, 1e45, 1e30], [1e45, 3e30, 1e15], [1e30, 1e15, 3.0]]
    with pytest.raises(InputError) as refused:
        fast.hockey_stick(GaussianPair([0.0] * 3, np.eye(3), [0.0] * 3, second), 1.0)
    assert refused.value.argument == "cov_p"


def test_a_shift_of_more_standard_deviations_than_floats_hold_is_refused():
    for function in (lambda pair: fast.epsilon_for_delta(pair, 0.5), lambda pair: fast.hockey_stick(pair, 1.0)):
        for mean in ([-1.7e308, 1.0], [1.7e308, 1.7e308]):
            with pytest.raises(InputError) as refused:
                function(GaussianPair(mean, [5e-324, 5e-324], [0.0, 0.0], [5e-324, 5e-324]))
            assert refused.value.argument == "mean_p"
    with pytest.raises(InputError) as refused:
        fast.compose(GaussianPair([1e308], [1.0], [0.0], [1.0]), 1000)
    assert refused.value.argument == "mean_p"


@pytest.mark.parametrize("alpha, shift, epsilon", [(8.5e-309, 2.5e-60, 2.5), (0.0, 1e-20, 0.36), (0.0, 6.5e-106, 1.9)])
def test_a_threshold_that_a_tiny_shift_alone_reaches(alpha, shift, epsilon):
    """The largest loss of the other coordinate is below epsilon, and the saddle point up to e^480 above 1."""
    pair = GaussianPair([shift, 0.0], [1 + Fraction(alpha), 0.5], [0.0, 0.0], [1.0, 1.0])
    exact = oracle.certified_hockey_stick(pair, epsilon, digits=15).mid
    laws = fast.Spectrum([alpha, -0.5], shift=[shift, 0.0])
    with mpmath.workdps(40):
        assert fast.log_hockey_stick(laws, epsilon) == pytest.approx(float(mpmath.log(exact)), rel=1e-11)
    assert fast.hockey_stick(laws, epsilon) == 0


@pytest.mark.parametrize("mean, ratio", [(1e155, 2048.0), (2.6e155, 1e-8), (1.4e156, 9.6e-8), (1e155, 1.0)])
def test_a_loss_whose_mean_is_no_float(mean, ratio):
    pair = GaussianPair([mean], [ratio], [0.0], [1.0])
    largest = float(np.finfo(float).max)
    for epsilon in (0.0, 1.0, 1e292, 1e305, largest):
        exact = oracle.certified_hockey_stick(pair, epsilon, digits=15).mid
        assert fast.hockey_stick(pair, epsilon) == pytest.approx(float(exact), rel=1e-11, abs=1e-290)
    assert fast.epsilon_for_delta(pair, 1e-3) == math.inf and exact > 0.999


@pytest.mark.parametrize("ratio", [2.0**-900, 1e-57, 1.5, 1e57, 2.0**900])
def test_the_linear_part_of_a_form_far_from_one(ratio):
    pair = GaussianPair([3e-9], [ratio], [0.0], [1.0])
    square = Fraction(3e-9) ** 2 * Fraction(ratio)
    assert abs(Fraction(fast.quadratic_form(pair).b[0]) ** 2 / square - 1) <= Fraction(1, 10**15)


@pytest.mark.parametrize("shift", [1e-200, 1e-147, 1e145, 1e200, 1e308])
def test_noise_of_an_envelope_at_the_ends_of_the_range(shift):
    """A value on the safe side, or a named refusal."""
    try:
        noise, _ = added_variance(RankOne(0.0, 0.0, shift), epsilon=1.0, delta=1e-3)
    except InputError as error:
        assert error.argument == "delta"
        return
    largest = certified.largest(certified.RankOne(0, 0, shift), Fraction(noise), 1, 6)
    assert 1e-3 * (1 - 1e-3) <= largest.mid <= 1e-3


@pytest.mark.parametrize("length, noise", [(1e140, 1e-10), (1e75, 1e-140), (1e-100, 1e-150)])
def test_noise_of_a_prediction_at_the_ends_of_the_range(length, noise):
    """A product of length^2 and its ratio to the noise is no float."""
    envelope = Prediction(length, 1.0, noise, 5)
    found = envelope.largest(length * length, 1.0)
    assert found.attained <= found.upper <= 0 and np.isfinite(envelope.coarse(length * length, 1.0))
    z, x = map(Fraction, found.point)
    pair = certified.Prediction(length, 1, noise, 5).pair_at(Fraction(length * length), z, x)
    reached = max(
        oracle.certified_hockey_stick(one, 1, digits=8).mid
        for one in (pair, GaussianPair(pair.mean_q, pair.cov_q, pair.mean_p, pair.cov_p))
    )
    assert reached * (1 - 1e-6) <= math.exp(found.upper) <= max(reached, 1e-290) * (1 + 1e-4)


@pytest.mark.parametrize(
    "arguments, name",
    [((1e200, 1.0, 1.0), "length"), ((1.0, 1e-200, 1.0), "labels"), ((1e140, 1.0, 1e-60), "noise_variance")],
)
def test_predictions_whose_squares_are_no_floats_are_refused(arguments, name):
    with pytest.raises(InputError) as refused:
        Prediction(*arguments, 5)
    assert refused.value.argument == name


def test_targets_that_rounding_does_not_tell_from_1_are_refused():
    with pytest.raises(InputError) as refused:
        random_projection(2, epsilon=0.0, delta=1 - 2.0**-52, norm_bound=1.0)
    assert refused.value.argument == "delta"


def test_logistic_regression_of_more_noise_than_floats_hold_is_refused():
    with pytest.raises(InputError) as refused:
        logistic_regression(2, penalty=1e-100, norm_bound=1e100, epsilon=1.0, delta=1e-6)
    assert refused.value.argument == "delta" and "outside the range" in str(refused.value)


@pytest.mark.parametrize("d, r, delta", [(2, 30, 5e-324), (1, 1, 2e-323), (5, 1000, 3e-310)])
def test_a_cap_of_few_digits_is_rounded_down(d, r, delta):
    """Certified deltas of records below it are within the target, which has no next float."""
    cap = float(fast.als_cap(d, r, epsilon=0.0, delta=delta))
    for p, q, way in ((p, cap, way) for p in (0.0, cap / 2, cap) for way in ("delete", "insert")):
        assert oracle.certified_als_hockey_stick(p, q, d, r, 0, way).upper <= Fraction(delta)
    cap = float(fast.als_exact_cap(d, r, epsilon=0.0, delta=delta))
    for p, q, way in ((p, cap, way) for p in (0.0, cap / 2, cap) for way in ("delete", "insert")):
        assert oracle.certified_als_exact_hockey_stick(p, q, d, r, 0, way).upper <= Fraction(delta)


def test_a_worst_record_at_the_largest_epsilon():
    found = fast.als_worst_case(0.5, 1, 1000, float(np.finfo(float).max))
    assert found.delta == 0 and found.log_delta < -1e308


@pytest.mark.parametrize("q", [1e-300, 1e-310, 1e-315, 3.1e-322, 5e-324])
def test_records_whose_leverage_is_next_to_the_least_floats(q):
    for p, d, way in ((0.0, 1, "insert"), (0.3 * q, 2, "delete"), (q, 3, "insert")):
        exact = oracle.certified_als_exact_hockey_stick(p, q, d, 1000, 0, way, digits=15).mid
        with mpmath.workdps(40):
            logarithm = float(mpmath.log(exact))
        assert fast.log_als_exact_hockey_stick(p, q, d, 1000, 0.0, way) == pytest.approx(logarithm, abs=2e-10)


@pytest.mark.parametrize(
    "weight, std", [*((1.2867e-60, std) for std in (2.07e-141, 1e-120, 1e-84, 1e-62)), (-1.2867e-60, 1e-84)]
)
def test_quantiles_of_a_law_with_a_normal_part_too_small_to_be_seen(std, weight):
    """As without it; and beyond the end of the other part the normal one is alone."""
    with_it, without = (fast.GeneralizedChi2([weight], [50], [1e6], part, 0) for part in (std, 0))
    for level in (0.5, 1e-3, 1e-20):
        assert with_it.ppf(level) == pytest.approx(without.ppf(level), rel=1e-12)
        assert with_it.isf(level) == pytest.approx(without.isf(level), rel=1e-12)
    beyond = -math.copysign(1e-56, weight)
    tail, other = (with_it.logcdf, with_it.logsf) if weight > 0 else (with_it.logsf, with_it.logcdf)
    assert other(beyond) == 0 and tail(beyond) == pytest.approx(
        -((1e-56 / std) ** 2) / 2, rel=1e-9 if std < 1e-70 else 1e-2
    )


@pytest.mark.parametrize("ratio", [10.0**-37, 10.0**-93, 10.0**-300, Fraction("0.625") / int("1" * 94)])
@pytest.mark.parametrize("mean, epsilon", [("0", "0.25"), ("0", "40"), ("1e10", "-3")])
def test_two_routes_of_variances_far_apart(ratio, mean, epsilon):
    pair = GaussianPair([mean], [Fraction(ratio)], ["0"], 1)
    value, exact = (
        oracle.hockey_stick(pair, epsilon, digits=5),
        oracle.certified_hockey_stick(pair, epsilon, digits=12).mid,
    )
    assert abs(value.mid - exact) <= value.rad + exact * mpmath.mpf(10) ** -11


SENSITIVITIES = {
    "as large everywhere": lambda v: Triple(Fraction(1), Fraction(0)),
    "not below a floor": lambda v: Triple(1 + 1 / v, Fraction(0)),
    "small everywhere": lambda v: Triple(Fraction(1, 100), Fraction(0)),
    "growing": lambda v: Triple(v, Fraction(0)),
}


@pytest.mark.parametrize("name", SENSITIVITIES)
def test_sensitivities_with_which_no_variance_is_the_least_are_refused(name):
    with pytest.raises(InputError) as refused:
        calibrated_gaussian(SENSITIVITIES[name], epsilon=1, delta="1e-5", digits=8)
    assert refused.value.argument == "sensitivities"


def test_features_whose_squares_leave_the_range_are_refused_by_name():
    features, labels = np.array([[1e150, 1.0], [1.0, 1e150]]), np.array([1.0, -1.0])
    mean, cov = sensitivity.logistic_surrogate(features, labels, 1.0)
    assert np.isfinite(mean).all() and (mean * [1, -1] > 0).all() and np.isfinite(cov).all()
    for size in (1.1e150, 1e160, 1e308):
        with pytest.raises(InputError, match="features = .*must have entries of at most 1e150"):
            sensitivity.logistic_surrogate(features * (size / 1e150), labels, 1.0)


@pytest.mark.parametrize("epsilon", [0.0, 700.0, 1e307])
def test_an_eigenvalue_next_to_the_largest_float(epsilon):
    alpha = [1e308, -0.9999999999280085]
    pair = GaussianPair([0.0, 0.0], [1 + Fraction(a) for a in alpha], [0.0, 0.0], [1.0, 1.0])
    exact = float(oracle.certified_hockey_stick(pair, epsilon, digits=15).mid)
    assert fast.hockey_stick(fast.Spectrum(alpha, shift=[0.0, 0.0]), epsilon) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("delta", [3.2379e-319, 2e-323, 1e-310])
def test_a_sampled_target_of_few_digits(delta):
    """delta over the rate is no float with all its digits."""
    length, rate, r, epsilon = 1.6638202721072888e24, 0.5358719023631099, 2, 2.5626663618343692e-144
    ridge = float(fast.sampled_rp_ridge(length, rate, r, epsilon=epsilon, delta=delta))
    least, most = (
        oracle.certified_sampled_rp_ridge(length, rate, r, epsilon=epsilon, delta=Fraction(delta) * share, digits=15)
        for share in (1, 1 - Fraction(4, 10**11))
    )
    assert least.mid <= ridge <= most.mid * (1 + 1e-9)


@pytest.mark.parametrize("ratios", [(5e-54, 2e-22), (2e-22, 5e-54), (1e-20, 3e-20), (1e-8, 1e-8 * (1 + 2.0**-30))])
def test_eigenvalues_next_to_0_are_told_apart(ratios):
    """As floats, all alpha are -1 or next to it."""
    pair = GaussianPair([0.001, 0.002], ratios, [0.0, 0.0], [1.0, 1.0])
    top = -0.5 * sum(map(math.log, ratios))
    for epsilon in (top - 3, top - 1, top - 0.1, top + 1):
        exact = float(oracle.certified_hockey_stick(pair, epsilon, digits=15).mid)
        assert fast.hockey_stick(pair, epsilon) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize(
    "alpha, shift, epsilon",
    [
        ((1e308, 6.6e-309), (1.1e27, 0.0235), 0.0),
        ((5e-309, 1.06e183), (1e155, 0.7), 700.0),
        ((3.66e299, 1.37e304, 7e-309), (0.0, 2.33, 27.9), 0.0),
        ((5e-309, 1e307), (74429.6, 5.3e53), 0.0),
        ((9.6e304, 1e305, -5e-324), (8.2e128, 0.085, 0.35), 2.57e304),
    ],
)
def test_a_subnormal_alpha_beside_a_huge_one(alpha, shift, epsilon):
    """Its part of the end of the support is larger than all that is felt of it."""
    pair = GaussianPair(shift, [1 + Fraction(a) for a in alpha], [0.0] * len(alpha), [1.0] * len(alpha))
    exact = float(oracle.certified_hockey_stick(pair, epsilon, digits=15).mid)
    assert fast.hockey_stick(fast.Spectrum(alpha, shift=shift), epsilon) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("q", [1e-3, 1e-20, 1e-24, 1e-26, 1e-30, 1e-300, 7e-321])
def test_quantiles_of_weights_far_apart_and_of_both_signs(q):
    law = fast.GeneralizedChi2([2.2e214, -3.8e162], [1, 1], [0.0, 0.0], 0.0, 0.0)
    assert law.logcdf(law.ppf(q)) == pytest.approx(math.log(q), rel=1e-12)
    assert law.logsf(-fast.GeneralizedChi2([-2.2e214, 3.8e162], [1, 1], [0.0, 0.0], 0.0, 0.0).isf(q)) <= 0


def test_the_linear_part_of_a_form_beside_a_huge_one_is_kept():
    """Though it is not felt in any divergence."""
    form = fast.quadratic_form(GaussianPair([1e-200, 1.0], [1.5, 1e300], [0.0, 0.0], [1.0, 1.0]))
    assert sorted(abs(b) for b in form.b)[0] == pytest.approx(math.sqrt(1.5) * 1e-200, rel=1e-14)


@pytest.mark.parametrize("least", [-0.9999999999659158, -0.5])
@pytest.mark.parametrize("shift", [39.4, 45.50910628535171, 233.0])
@pytest.mark.parametrize("largest", [1e300, 1e305, 1.7976931348623157e308])
def test_a_far_shift_beside_the_largest_eigenvalue(least, shift, largest):
    laws = fast.Spectrum([least, largest], shift=[shift, 0.0])
    for epsilon in (0.0, 1.0, 564.5):
        pair = GaussianPair([shift, 0], [1 + Fraction(least), 1 + Fraction(largest)], [0, 0], [1, 1])
        exact = oracle.certified_hockey_stick(pair, epsilon, digits=15)
        assert exact.lower > 1 - Fraction(1, 2**60)
        assert fast.hockey_stick(laws, epsilon) == 1.0
        assert -1e-140 < fast.log_hockey_stick(laws, epsilon) <= 0


@pytest.mark.parametrize("direction", ["delete", "insert"])
def test_leverages_whose_mean_shift_has_lost_digits_are_refused(direction):
    for call in (fast.als_hockey_stick, fast.log_als_hockey_stick):
        with pytest.raises(InputError, match=r"leverage.*must make the mean shift"):
            call(1.295163e-318, 5.180654e-318, 1, 1000, 3.1239713e-316, direction)
        assert np.isfinite(call(0.0, 5e-318, 1, 1000, 0.0, direction)) or call is fast.log_als_hockey_stick
    assert fast.als_hockey_stick(1e-307, 3e-307, 1, 10**6, 1e-305, direction) > 0
    assert fast.als_worst_case(1e-316, 2, 1000, 0.0, direction).delta >= 0
