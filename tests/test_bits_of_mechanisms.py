"""The auditor of bits finds nothing on any mechanism, at ridge or variance 0 too."""

import functools
import inspect
import os
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest

from ndis_verify.experiments.bit_cases import own_cases
from ndis_verify.mechanisms.neighbours import NEIGHBOURS

DRAWS = int(os.environ.get("NDIS_VERIFY_BIT_DRAWS", "300"))  # of each side; thousands behind docs/bit_audit.md


@functools.cache
def cases():
    """Every case by name, calibrated where it is first asked for."""
    return {case.name: case for case in own_cases()}


@pytest.mark.parametrize("name", [case.name for case in NEIGHBOURS])
def test_no_bits_refute_a_certificate(name):
    case = cases()[name]
    found = case.audit(DRAWS, seed=1)
    assert not found.refutes(case.epsilon, case.delta), (found.best, float(found.delta(case.epsilon)))


def test_every_mechanism_that_releases_is_in_the_registry():
    homes = [module for name, module in sys.modules.items() if name.startswith("ndis_verify.mechanisms")]
    classes = {thing for module in homes for thing in vars(module).values() if inspect.isclass(thing)}
    assert {thing for thing in classes if hasattr(thing, "release")} == {type(case.mechanism) for case in NEIGHBOURS}


def test_every_mechanism_in_the_registry_is_audited():
    assert list(cases()) == [case.name for case in NEIGHBOURS]


def test_a_mechanism_that_needs_no_noise_is_made_in_silence():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(replace(case).mechanism for case in NEIGHBOURS if "variance 0" in case.name)


def test_the_two_databases_of_each_case_differ():
    for case in NEIGHBOURS:
        databases = zip(map(np.asarray, case.p), map(np.asarray, case.q), strict=True)
        assert any(not np.array_equal(p, q) for p, q in databases)
