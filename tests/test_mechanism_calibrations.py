"""A calibration serves its own mechanism and its own set, and cannot be changed."""

import copy
import dataclasses
import json
import pickle

import numpy as np
import pytest
from mechanism_examples import BASE, KERNEL, made, process, refused

from ndis_verify import mechanisms
from ndis_verify.mechanisms.baselines import SketchedLeastSquares as ProjectedLeastSquares
from ndis_verify.mechanisms.calibration import Calibration, Certificate, Target
from ndis_verify.mechanisms.gaussian_process import improved_sensitivity


def test_a_calibration_serves_its_own_mechanism_only():
    kinds = made()
    # a combination is a projection to one column
    built = {"projection": {"projection", "Sheffet", "Blocki", "information", "combination"}}
    for name, (_, build) in kinds.items():
        if build is None:
            continue
        own = built["projection"] if build is mechanisms.RandomProjection else {name}
        for other, (mechanism, _) in kinds.items():
            if other in own:
                assert build(mechanism.calibration).calibration is mechanism.calibration
            else:
                refused("calibration", build, mechanism.calibration)
        refused("calibration", build, None)
    refused("projection", ProjectedLeastSquares, kinds["sketch"][0])


def test_a_name_alone_does_not_make_a_calibration_fit():
    sensitivity = improved_sensitivity(1.0, 0.5, 250.0, 16)
    alike = mechanisms.calibrated_gaussian(
        lambda data: (0.0, 1.0), sensitivity, epsilon=1, delta=1e-5, mechanism="random projection"
    )
    refused("calibration", mechanisms.RandomProjection, alike.calibration)


def test_a_relative_calibration_serves_its_own_set_only():
    for build, kind in (
        (mechanisms.relative_random_projection, mechanisms.RelativeRandomProjection),
        (mechanisms.relative_least_squares, mechanisms.RelativeLeastSquares),
    ):
        known = build(mechanisms.neighbourhood(BASE, 1), 5, epsilon=1, delta=1e-3).calibration
        kind(known, mechanisms.neighbourhood(BASE.copy(), 1))
        for other in (
            mechanisms.neighbourhood(BASE[:-1], 1),
            mechanisms.neighbourhood(BASE, 2),
            mechanisms.neighbourhood(BASE, 1, "ball"),
            mechanisms.neighbourhood(BASE, 1, BASE[:2]),
            mechanisms.neighbourhood(BASE * (1 + 1e-9), 1),
            None,
        ):
            refused("databases", kind, known, other)


def test_a_set_must_be_a_set():
    for call in (mechanisms.relative_random_projection, mechanisms.relative_least_squares):
        refused("databases", call, [[0.1, 0.2]], 3, epsilon=1, delta=1e-3)
    refused("databases", mechanisms.inherent_delta, BASE, 3, 1)
    refused("databases", mechanisms.worst_in_set, BASE, 3, 1)


# What cannot be changed


def test_a_set_cannot_be_changed_after_calibration():
    mine, others = np.array(BASE), np.array(BASE[:2])
    direct = mechanisms.Neighbourhood(mine, 1, others)
    for databases in (
        mechanisms.neighbourhood(mine, 1, others),
        direct,
        copy.deepcopy(direct),
        pickle.loads(pickle.dumps(direct)),
    ):
        before = databases.digest()
        for array in (databases.base, databases.additions):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 0
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.setflags(write=True)
        mine[0], others[0] = 0.7, 0.0
        assert (
            (databases.base == BASE).all()
            and (databases.additions == BASE[:2]).all()
            and databases.digest() == before == direct.digest()
        )
        mine[:], others[:] = BASE, BASE[:2]
    refused("data", mechanisms.Neighbourhood, 3 * mine, 1, None)
    refused("additions", mechanisms.Neighbourhood, mine, 1, 3 * others)
    refused("additions", mechanisms.neighbourhood, mine, 1, None)


def test_what_a_calibration_says_cannot_be_changed():
    mechanism = process(KERNEL)
    public = mechanism.calibration.public
    assert public["query"] == (0.5,) and mechanism.calibration.as_dict()["public"]["query"] == [0.5]
    held = [np.arange(2.0), [1, [2]], {"deep": [3]}]
    known = Calibration(
        "any",
        "any",
        {"held": held},
        Target(epsilon=1, delta=0.1),
        {"ridge": 1.0},
        Certificate("any", {"at": [0.5]}, 0.1),
    )
    held[0][:], held[1][1][0], held[2]["deep"] = 9, 9, 9
    assert known.public["held"] == ((0.0, 1.0), (1, (2,)), {"deep": (3,)}) and known.certificate.worst_case["at"] == (
        0.5,
    )
    with pytest.raises(TypeError):
        known.public["held"][2]["deep"] = 9
    with pytest.raises(TypeError):
        known.noise["ridge"] = 0


def test_calibrations_survive_a_copy():
    for mechanism, _ in made().values():
        known = mechanism.calibration
        for again in (copy.deepcopy(known), pickle.loads(pickle.dumps(known)), copy.copy(known)):
            assert (
                again == known
                and again.as_dict() == known.as_dict()
                and json.loads(json.dumps(again.as_dict())) == known.as_dict()
            )
            with pytest.raises(TypeError):
                again.noise["ridge"] = 0


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copied_certificate_speaks_of_what_it_spoke_of(copied):
    known = mechanisms.gaussian_mechanism(1, epsilon=1, delta=1e-3, adjacency="rows").calibration
    refused("certificate", dataclasses.replace, known, noise={"std": 0.1}, certificate=copied(known.certificate))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_numbers_are_taken_from_whatever_holds_them():
    """A matrix stays one when it is made flat, and numpy holds no array in a list as a number of its own."""
    mechanism = mechanisms.gaussian_mechanism(1, epsilon=1, delta=1e-3, adjacency="rows")
    for values in (np.matrix([[1, 2**53 + 2]]), np.array([[1, 2**53 + 2]], dtype=object), [[np.array(1.0), 2**53 + 2]]):
        found = mechanism.release(values, np.random.default_rng(0))
        assert np.abs(found - np.array([[1, 2**53 + 2]])).max() < 100
