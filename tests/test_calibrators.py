"""A survey of the public calibrators: targets by name, places deprecated, no silence where no noise is needed."""

import inspect
import pkgutil
import warnings
from importlib import import_module

import numpy as np
import pytest

from ndis_verify import InputError, NoNoiseNeeded, fast, mechanisms, oracle
from ndis_verify.calibrator import keyword_only
from ndis_verify.fast import covariance_shift, joint_shift
from ndis_verify.oracle.general_bound import bound as general_bound_bound

LAYERS = (fast, oracle, mechanisms)
PLUMBING = {
    "checked_targets",
    "checked_calibration",
    "calibrated_posterior",
    "least_odds",
    "ridge_of",
    "sampled_ridge_of",
    "ridge_between",
}  # of other modules only
CHECKED_BEFORE = {"information_level", "ridge_level"}  # take a target that was checked by their caller
CONFUSED = {"epsilon", "delta", "std", "variance", "noise_variance", "delta_test", "delta_failure"}
NO_LEVEL = {"classical_delta"}  # gives a delta back


def calibrators():
    """Every function of the three layers that takes an epsilon and a delta, as (module and name, function)."""
    found = {}
    for layer in LAYERS:
        for module in pkgutil.walk_packages(layer.__path__, layer.__name__ + "."):
            for name, value in vars(import_module(module.name)).items():
                if inspect.isfunction(value) and value.__module__ == module.name and not name.startswith("_"):
                    if {"epsilon", "delta"} <= set(inspect.signature(value).parameters) and name not in PLUMBING:
                        found[f"{module.name.removeprefix('ndis_verify.')}.{name}"] = value
    return found


CALIBRATORS = calibrators()


def last_part(name):
    return name.rpartition(".")[2]


def nothing(*arguments):
    """A function that is not called."""


def shrinking(v):
    """Sensitivities of one scalar output."""
    return 1 / float(v), 0.5 / float(v), 0.5 / float(v), 1


GOOD = {
    "sensitivity": 1,
    "r": 3,
    "d": 1,
    "norm_bound": 1,
    "length": 1.0,
    "rate": 0.5,
    "databases": mechanisms.neighbourhood(np.eye(2) / 2, 1),
    "base": [[0.5]],
    "additions": "rows",
    "adjacency": "rows",
    "output": nothing,
    "kernel": nothing,
    "query": [0.5],
    "noise_variance": 1,
    "label_bound": 1,
    "records": 3,
    "dimension": 1,
    "penalty": 1,
    "std": 30.0,
    "delta_test": 1e-4,
    "delta_failure": 1e-4,
    "digits": 5,
    "envelope": joint_shift.RankOne(1, 1, 1),
    "sensitivities": shrinking,
    "ridge": "smallest",
}


def arguments_of(name, function, **target):
    """Good arguments for all that is required, by name, and `target` over them."""
    parameters = inspect.signature(function).parameters.values()
    given = {p.name: GOOD[p.name] for p in parameters if p.default is p.empty and p.name not in target}
    if name.endswith("calibrated_gaussian") and "sensitivity" in given:
        given["sensitivity"] = shrinking
    if name.startswith("oracle.joint_shift"):
        given["envelope"] = oracle.joint_shift.RankOne(1, 1, 1)
    return {**given, **target}


def test_the_survey_sees_the_calibrators():
    for layer in LAYERS:
        for name in layer.__all__:
            value = getattr(layer, name)
            assert value in CALIBRATORS.values() or not {"epsilon", "delta"} <= set(parameters_of(value)), name
    assert len(CALIBRATORS) >= 60


def parameters_of(value):
    return inspect.signature(value).parameters if inspect.isfunction(value) else ()


@pytest.mark.parametrize("name", CALIBRATORS)
def test_what_can_be_confused_is_given_by_name(name):
    function = CALIBRATORS[name]
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in CONFUSED:
            assert parameter.kind is parameter.KEYWORD_ONLY, parameter.name
    assert function.__wrapped__.__doc__ == function.__doc__


@pytest.mark.parametrize("name", [name for name in CALIBRATORS if last_part(name) not in CHECKED_BEFORE])
def test_by_place_it_still_works_and_names_the_form_that_stays(name):
    """A bad delta reaches its check, by its name, from where it stood."""
    function = CALIBRATORS[name]
    parameters = inspect.signature(function).parameters
    first = list(parameters)[: list(parameters).index("delta") + 1]
    given = arguments_of(name, function, epsilon=1, delta=-0.25)
    placed = [given.get(argument, parameters[argument].default) for argument in first]
    rest = {argument: value for argument, value in given.items() if argument not in first}
    with (
        pytest.warns(
            DeprecationWarning, match=r"epsilon=1, delta=-0\.25.*by place is deprecated, pass by name"
        ) as caught,
        pytest.raises(InputError) as error,
    ):
        function(*placed, **rest)
    assert error.value.argument == "delta" and caught[0].filename == __file__


@pytest.mark.parametrize("epsilon", [1e-5, 1])
@pytest.mark.parametrize("name", [name for name in CALIBRATORS if last_part(name) not in CHECKED_BEFORE | NO_LEVEL])
def test_a_delta_of_one_is_refused_or_said(name, epsilon):
    """(1e-5, 1) is what (1, 1e-5) becomes when exchanged."""
    function = CALIBRATORS[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(**arguments_of(name, function, epsilon=epsilon, delta=1))
        except InputError as error:
            assert error.argument == "delta"
            return
    said = [warning for warning in caught if warning.category is NoNoiseNeeded]
    assert said or getattr(getattr(found, "calibration", None), "needless", ""), found


def test_exchanged_by_place_it_says_so_twice():
    with pytest.warns(DeprecationWarning, match=r"gaussian_std\(sensitivity, epsilon=1e-05, delta=1\)"):
        with pytest.warns(
            NoNoiseNeeded, match="gaussian_std: no noise is needed because the sensitivity is 0 or delta is 1"
        ):
            assert fast.gaussian_std(1, 1e-5, 1) == 0


NEXT_TO_NOTHING = {
    "no shift": lambda: fast.gaussian_std([1, 0], epsilon=1, delta=1e-5)[1],
    "sampled": lambda: fast.sampled_rp_ridge(1, 0.1, 3, epsilon=1, delta=0.2),
    "sampled, agreed": lambda: oracle.sampled_rp_ridge(1, "0.1", 3, epsilon=1, delta="0.2").upper,
    "sampled, certified": lambda: oracle.certified_sampled_rp_ridge(1, "0.1", 3, epsilon=1, delta="0.2").upper,
    "any leverage": lambda: fast.rp_ridge(1, 1, epsilon=1, delta=1) - 2.3e-16,
    "leverage": lambda: 1 - fast.rp_leverage([1, 2], epsilon=1, delta=1).max() - 3e-16,
    "cap": lambda: 1 - fast.als_cap(1, 1, epsilon=1e9, delta=0.5) - 2.0**-30,
    "finite cap": lambda: 1 - fast.als_exact_cap(1, 1, epsilon=50.0, delta=1e-9) - 2.0**-30,
    "declared, two steps": lambda: covariance_shift.added_variance(lambda v: (0.0, 0.0, 0.0, 1), epsilon=1, delta=1e-5),
    "declared, joint": lambda: joint_shift.added_variance(
        joint_shift.Declared(lambda v: (0.0, 0.0, 0.0, 1)), epsilon=1, delta=1e-5
    )[0],
    "declared, certified": lambda: (
        general_bound_bound.added_variance(
            lambda v: general_bound_bound.Sensitivity(0, 0, 0, 1), epsilon=1, delta="1e-5"
        ).upper
    ),
}


@pytest.mark.parametrize("case", NEXT_TO_NOTHING)
def test_a_bare_level_of_nothing_comes_with_a_reason(case):
    with pytest.warns(NoNoiseNeeded, match="no noise is needed because .*") as caught:
        assert NEXT_TO_NOTHING[case]() <= 1e-17
    assert caught[0].filename == __file__


RECORDS = {
    "declared": lambda: mechanisms.calibrated_gaussian(
        nothing, lambda v: (0, 0, 0, 2), epsilon=1, delta=1e-5, bound="exact"
    ),
    "prediction": lambda: mechanisms.gaussian_process(
        mechanisms.squared_exponential(1.0),
        [0.0],
        noise_variance=250,
        label_bound=0.5,
        norm_bound=1,
        records=16,
        epsilon=1,
        delta=1e-5,
    ),
    "sampled": lambda: mechanisms.subsampled_random_projection(0.1, 3, epsilon=1, delta=0.2, norm_bound=1),
    "relative": lambda: mechanisms.relative_random_projection(
        mechanisms.neighbourhood(np.eye(2).repeat(40, 0), 1), 1, epsilon=5, delta=0.5
    ),
}


@pytest.mark.filterwarnings("ignore::ndis_verify.NoNoiseNeeded")
@pytest.mark.parametrize("case", RECORDS)
def test_a_record_without_noise_says_why(case):
    calibration = RECORDS[case]().calibration
    assert (
        calibration.needless.startswith("no noise is needed because at ")
        and f"{calibration.certificate.delta:.3g}" in calibration.needless
    )
    assert calibration.as_dict()["needless"] == calibration.needless


def test_a_record_with_noise_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for made in (
            mechanisms.gaussian_mechanism(1, epsilon=1, delta=1e-5, adjacency="rows"),
            mechanisms.random_projection(3, epsilon=1, delta=0.5, norm_bound=1),
            mechanisms.calibrated_gaussian(nothing, shrinking, epsilon=1, delta=1e-5, bound="printed"),
        ):
            assert made.calibration.needless == ""


def test_the_decorator_moves_what_was_given_by_place():
    @keyword_only
    def level(size, *, epsilon, delta=0.5, digits=3):
        return size, epsilon, delta, digits

    assert (
        level(1, epsilon=2) == (1, 2, 0.5, 3)
        and str(inspect.signature(level)) == "(size, *, epsilon, delta=0.5, digits=3)"
    )
    with pytest.warns(
        DeprecationWarning,
        match=r"level\(size, epsilon=2, delta=3\): epsilon, delta by place is deprecated, pass by name",
    ):
        assert level(1, 2, 3, digits=4) == (1, 2, 3, 4)
    for wrong in (lambda: level(1), lambda: level(1, 2, 3, 4, 5), lambda: level(1, epsilon=2, other=3)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.warns(DeprecationWarning), pytest.raises(TypeError, match="multiple values"):
        level(1, 2, epsilon=2)
    with pytest.warns(DeprecationWarning, match=r"Target\(epsilon=1, delta=0\.5\)"):
        assert mechanisms.Target(1, 0.5) == mechanisms.Target(epsilon=1, delta=0.5)
