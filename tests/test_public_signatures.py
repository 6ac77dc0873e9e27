"""A survey of public signatures: default directions, documented open ends, and laws of scaling by powers of ten."""

import inspect
import math
from fractions import Fraction

import numpy as np
import pytest

from ndis_verify import fast, mechanisms, oracle
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.fast.leverage import leverage_scores
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.mechanisms.gaussian_output import _mean_and_covariance
from ndis_verify.mechanisms.gaussian_process import _kernel_matrix
from ndis_verify.oracle.leverage import leverage_scores as exact_leverage_scores

SCALES = (1e-150, 1e-40, 1e-8, 1e8, 1e40, 1e150)
RECORD = {"leverage": 0.02, "augmented_leverage": 0.05, "d": 2, "r": 60, "epsilon": 0.4, "cap": 0.05}


def directed() -> list[tuple[str, str]]:
    """(module, name) of every exported function with a direction."""
    for module in (fast, oracle):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) and "direction" in inspect.signature(value).parameters:
                yield module.__name__.rpartition(".")[2], name


def plain(value):
    """A number or tuple of numbers that can be compared."""
    if isinstance(value, Enclosure):
        return float(value.mid)
    if hasattr(value, "alpha"):
        return tuple(np.ravel(value.alpha)) + tuple(np.ravel(value.log_ratio))
    if hasattr(value, "delta"):
        return float(value.delta)
    if hasattr(value, "overstated"):
        return value.overstated, value.understated
    return float(value.value.upper if hasattr(value, "value") else value)


@pytest.mark.parametrize(("module", "name"), list(directed()))
def test_the_default_direction_is_deletion_or_the_larger_of_both(module, name):
    function = getattr({"fast": fast, "oracle": oracle}[module], name)
    parameters = inspect.signature(function).parameters
    arguments = {key: value for key, value in RECORD.items() if key in parameters}
    if "digits" in parameters:
        arguments["digits"] = 8
    elif "relative" in parameters:
        arguments["relative"] = "0.01"
    default, delete, insert = (
        plain(function(**arguments, **way)) for way in ({}, {"direction": "delete"}, {"direction": "insert"})
    )
    assert delete != insert
    if parameters["direction"].default == "both":
        assert default == pytest.approx(max(delete, insert), rel=1e-9 if module == "fast" else 0.02)
    else:
        assert parameters["direction"].default == "delete" and default == delete
    with pytest.raises(InputError, match="direction"):
        function(**arguments, direction="sideways")


PAIR = GaussianPair([0.5], 2, [0], 1)
ENDS = (  # function, good arguments, argument, its end, whether the end is allowed
    (fast.rp_hockey_stick, {"r": 3, "epsilon": 1}, "leverage", 1.0, False),
    (fast.rp_hockey_stick, {"r": 3, "epsilon": 1}, "leverage", 0.0, True),
    (oracle.certified_rp_hockey_stick, {"r": 3, "epsilon": 1}, "leverage", 1, False),
    (oracle.certified_rp_hockey_stick, {"r": 3, "epsilon": 1}, "leverage", 0, True),
    (oracle.rp_hockey_stick, {"r": 3, "epsilon": 1}, "leverage", 1, False),
    (fast.gaussian_std, {"sensitivity": 1.0, "epsilon": 1.0}, "delta", 0.0, False),
    (fast.gaussian_std, {"sensitivity": 1.0, "epsilon": 1.0}, "delta", 1.0, True),
    (oracle.certified_gaussian_std, {"sensitivity": 1, "epsilon": 1}, "delta", 0, False),
    (oracle.certified_gaussian_std, {"sensitivity": 1, "epsilon": 1}, "delta", 1, False),
    (oracle.certified_gaussian_std, {"epsilon": 1, "delta": "0.1"}, "sensitivity", 0, False),
    (fast.gaussian_hockey_stick, {"sensitivity": 1.0, "epsilon": 1.0}, "std", 0.0, False),
    (fast.gaussian_hockey_stick, {"std": 1.0, "epsilon": 1.0}, "sensitivity", 0.0, True),
    (oracle.certified_gaussian_hockey_stick, {"sensitivity": 1, "epsilon": 1}, "std", 0, False),
    (fast.rp_leverage, {"r": 3, "epsilon": 1.0}, "delta", 0.0, True),
    (fast.rp_leverage, {"r": 3, "delta": 0.1}, "epsilon", 0.0, True),
    (fast.rp_leverage, {"epsilon": 1.0, "delta": 0.1}, "r", 0, False),
    (fast.rp_ridge, {"r": 3, "epsilon": 1.0, "delta": 0.1}, "norm_bound", 0.0, False),
    (fast.sampled_rp_ridge, {"norm_bound": 1.0, "r": 3, "epsilon": 1.0, "delta": 0.1}, "rate", 0.0, False),
    (fast.sampled_rp_ridge, {"norm_bound": 1.0, "r": 3, "epsilon": 1.0, "delta": 0.1}, "rate", 1.0, True),
    (oracle.certified_epsilon_for_delta, {"pair": PAIR}, "delta", 0, False),
    (oracle.certified_epsilon_for_delta, {"pair": PAIR}, "delta", 1, True),
    (fast.epsilon_for_delta, {"pair": PAIR}, "delta", 1.0, True),
    (fast.als_hockey_stick, {"leverage": 0.0, "d": 2, "r": 9, "epsilon": 1}, "augmented_leverage", 1.0, False),
    (fast.als_hockey_stick, {"augmented_leverage": 0.3, "d": 2, "r": 9, "epsilon": 1}, "leverage", 0.3, True),
    (fast.als_exact_hockey_stick, {"leverage": 0.0, "d": 2, "r": 9, "epsilon": 1}, "augmented_leverage", 1.0, False),
    (fast.als_worst_case, {"d": 2, "r": 9, "epsilon": 1.0}, "cap", 1.0, False),
    (fast.als_worst_case, {"d": 2, "r": 9, "epsilon": 1.0}, "cap", 0.0, True),
    (mechanisms.random_projection, {"r": 3, "epsilon": 1, "norm_bound": 1}, "delta", 0.0, False),
    (mechanisms.random_projection, {"r": 3, "epsilon": 1, "norm_bound": 1}, "delta", 1.0, False),
    (mechanisms.random_projection, {"r": 3, "delta": 0.1, "norm_bound": 1}, "epsilon", 0.0, True),
    (mechanisms.random_projection, {"r": 3, "epsilon": 1, "delta": 0.1}, "norm_bound", 0.0, False),
    (
        mechanisms.subsampled_random_projection,
        {"r": 3, "epsilon": 1, "delta": 0.1, "norm_bound": 1},
        "rate",
        0.0,
        False,
    ),
    (mechanisms.subsampled_random_projection, {"r": 3, "epsilon": 1, "delta": 0.1, "norm_bound": 1}, "rate", 1.0, True),
)


@pytest.mark.parametrize(("function", "good", "argument", "end", "allowed"), ENDS)
def test_an_end_of_a_domain_is_open_or_closed_as_documented(function, good, argument, end, allowed):
    if allowed:
        function(**good, **{argument: end})
        return
    with pytest.raises(InputError) as caught:
        function(**good, **{argument: end})
    assert caught.value.argument == argument


def spread(scale):
    """A pair in another unit."""
    return GaussianPair(
        [0.5 * scale, scale], [[2 * scale**2, 0.25 * scale**2], [0.25 * scale**2, 0.75 * scale**2]], [0, 0], scale**2
    )


@pytest.mark.parametrize("scale", SCALES)
def test_units_change_nothing_but_what_has_them(scale):
    assert fast.gaussian_hockey_stick(scale, 2 * scale, 0.5) == pytest.approx(
        float(fast.gaussian_hockey_stick(1, 2, 0.5)), rel=1e-11
    )
    assert fast.gaussian_std(scale, epsilon=0.5, delta=1e-5) == pytest.approx(
        scale * float(fast.gaussian_std(1, epsilon=0.5, delta=1e-5)), rel=1e-11
    )
    assert fast.rp_ridge(scale, 3, epsilon=0.5, delta=1e-5) == pytest.approx(
        scale**2 * float(fast.rp_ridge(1, 3, epsilon=0.5, delta=1e-5)), rel=1e-11
    )
    assert fast.hockey_stick(spread(scale), 0.5) == pytest.approx(float(fast.hockey_stick(spread(1.0), 0.5)), rel=1e-10)
    one, other = (oracle.certified_hockey_stick(spread(x), Fraction(1, 2), 12) for x in (1.0, scale))
    assert float(one.mid) == pytest.approx(float(other.mid), rel=1e-9)  # the squares of scale are rounded


@pytest.mark.parametrize("scale", [1e-100, 1e-8, 1e8, 1e100])
def test_leverages_know_no_unit(scale):
    data = np.array([[0.5, 0.25], [0.125, -0.5], [0.375, 0.625]])
    assert leverage_scores(scale * data) == pytest.approx(leverage_scores(data), rel=1e-12)
    (found,) = exact_leverage_scores((2.0**40 * data).tolist(), [1], 20)
    (same,) = exact_leverage_scores(data.tolist(), [1], 20)
    assert found.overlaps(same)


INDEFINITE, DEFINITE = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[2.0, 1.0], [1.0, 2.0]])


@pytest.mark.parametrize("scale", [1e-16, 1e-100, 1.0, 1e100])
def test_indefinite_matrices_are_refused_in_every_unit(scale):
    """The slack for rounding is relative: 1e-16 [[1, 2], [2, 1]] is no covariance either."""
    with pytest.raises(InputError, match="semidefinite"):
        _mean_and_covariance((np.zeros(2), scale * INDEFINITE))
    with pytest.raises(InputError, match="semidefinite"):
        _kernel_matrix(lambda first, second: scale * INDEFINITE, np.zeros((2, 1)), scale, 1.0)
    with pytest.raises(InputError, match="definite"):
        GaussianPair([0, 0], scale * INDEFINITE, [0, 0], scale)
    _mean_and_covariance((np.zeros(2), scale * DEFINITE))
    _kernel_matrix(lambda first, second: scale * DEFINITE, np.zeros((2, 1)), 2 * scale, scale)
    GaussianPair([0, 0], scale * DEFINITE, [0, 0], scale)


@pytest.mark.parametrize("scale", [1e-16, 1.0, 1e100])
def test_asymmetric_matrices_are_refused_in_every_unit(scale):
    crooked = scale * np.array([[2.0, 1.0], [1.0 + 1e-4, 2.0]])
    with pytest.raises(InputError, match="symmetric"):
        _mean_and_covariance((np.zeros(2), crooked))
    with pytest.raises(InputError, match="symmetric"):
        _kernel_matrix(lambda first, second: crooked, np.zeros((2, 1)), 2 * scale, scale)


@pytest.mark.parametrize("scale", [1e-100, 1e-8, 1e8, 1e100])
def test_mechanisms_know_no_unit(scale):
    one = mechanisms.random_projection(r=3, epsilon=1.0, delta=1e-5, norm_bound=1.0)
    other = mechanisms.random_projection(r=3, epsilon=1.0, delta=1e-5, norm_bound=scale)
    assert math.isclose(other.ridge, one.ridge * scale**2, rel_tol=1e-11)
    one = mechanisms.least_squares(d=2, r=100, epsilon=1.0, delta=1e-5, norm_bound=1.0)
    other = mechanisms.least_squares(d=2, r=100, epsilon=1.0, delta=1e-5, norm_bound=scale)
    assert math.isclose(other.ridge, one.ridge * scale**2, rel_tol=1e-11)
