"""Bad parameters of mechanisms are refused by name."""

import math

import numpy as np
import pytest
from mechanism_examples import BASE, KERNEL, refused

from ndis_verify import mechanisms
from ndis_verify.mechanisms import baselines
from ndis_verify.mechanisms.calibration import number


@pytest.mark.parametrize(
    "value",
    [
        "1",
        b"1",
        True,
        np.True_,
        None,
        1 + 0j,
        np.complex128(1),
        np.timedelta64(1, "s"),
        [1],
        np.array([1.0]),
        np.array("1"),
        np.ma.masked,
        np.array(True),
        {1},
        10**400,
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_not_one_number_is_refused(value):
    refused("epsilon", number, value, "epsilon", 0, math.inf)
    refused("norm_bound", mechanisms.random_projection, 3, epsilon=1, delta=1e-5, norm_bound=value)
    refused("penalty", mechanisms.logistic_regression, 2, penalty=value, norm_bound=1, epsilon=1, delta=1e-5)


PROCESS = {
    "kernel": KERNEL,
    "query": [0.5],
    "noise_variance": 1,
    "label_bound": 1,
    "norm_bound": 1,
    "records": 10,
    "epsilon": 1,
    "delta": 1e-5,
}


LOGISTIC = {"dimension": 2, "penalty": 1, "norm_bound": 1, "epsilon": 1, "delta": 1e-5}
LEAST = {"d": 2, "r": 3, "epsilon": 1, "delta": 1e-5, "norm_bound": 1}
PROJECTION = {"r": 3, "epsilon": 1, "delta": 1e-5, "norm_bound": 1}
IN_SET = {"databases": mechanisms.neighbourhood(BASE, 1), "r": 3, "epsilon": 1}
RELATIVE = {**IN_SET, "delta": 1e-3}


@pytest.mark.parametrize(
    "call, good, changes",
    [
        (
            mechanisms.gaussian_process,
            PROCESS,
            {"query": "abc", "noise_variance": 5e-324, "label_bound": 1e308, "norm_bound": 1e308},
        ),
        (
            mechanisms.gaussian_process,
            PROCESS,
            {"query": 1j, "noise_variance": 1e308, "label_bound": 5e-324, "norm_bound": 5e-324},
        ),
        (mechanisms.gaussian_process, PROCESS, {"records": 1e308, "sensitivity": [1], "bound": np.array(["joint", 2])}),
        (
            mechanisms.squared_exponential,
            {"length_scale": 1, "amplitude": 1},
            {"length_scale": 1e308, "amplitude": 1e308},
        ),
        (
            mechanisms.logistic_regression,
            LOGISTIC,
            {"norm_bound": 1e308, "penalty": 5e-324, "epsilon": 1e308, "sensitivity": np.array([1, 2])},
        ),
        (mechanisms.least_squares, LEAST, {"epsilon": 1e308, "r": 1e308, "norm_bound": 1e308, "noise": [1]}),
        (mechanisms.sketched_least_squares, LEAST, {"epsilon": 1e308, "r": 1e308}),
        (baselines.sheffet, PROJECTION, {"r": 1e308, "epsilon": 1e308}),
        (baselines.blocki, PROJECTION, {"r": 1e308, "epsilon": 1e308}),
        (baselines.mutual_information, PROJECTION, {"r": 1e308, "epsilon": 1e308, "conversion": [1]}),
        (mechanisms.relative_least_squares, RELATIVE, {"law": [1], "r": 1e308, "epsilon": 1e308}),
        (mechanisms.relative_least_squares, RELATIVE, {"law": np.array([1, 2])}),
        (mechanisms.relative_random_projection, RELATIVE, {"ridge": [1], "r": 1e308, "epsilon": 1e308}),
        (mechanisms.worst_in_set, IN_SET, {"epsilon": "a", "r": 0, "law": [1], "ridge": math.nan}),
        (mechanisms.inherent_delta, IN_SET, {"epsilon": math.nan, "r": 0}),
        (mechanisms.denoise, {"y": [1.0], "std": 1, "method": "plain"}, {"method": [1], "std": "1"}),
        (mechanisms.gram_estimate, {"matrix": [[1.0]], "ridge": 0}, {"matrix": [[1e200]], "ridge": math.nan}),
        (
            mechanisms.least_squares(1, 5, epsilon=1, delta=1e-3, norm_bound=1).worst_record,
            {"data": [[0.1, 0.2]], "epsilon": 1},
            {"epsilon": math.nan},
        ),
    ],
)
@pytest.mark.filterwarnings("error")
def test_bad_parameters_are_refused_by_name(call, good, changes):
    call(**good)
    for argument, value in changes.items():
        refused(argument, call, **{**good, argument: value})
