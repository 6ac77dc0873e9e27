"""Gaussian samplers of other libraries under the auditor of bits: float sums are told apart, noise on a grid is not."""

import importlib.util

import pytest

from ndis_verify.experiments.bit_cases import peer_cases

PEERS = {case.name: case for case in peer_cases()}
FLOAT_SUMS = ("diffprivlib Gaussian", "diffprivlib GaussianAnalytic")


@pytest.mark.parametrize("name", FLOAT_SUMS)
@pytest.mark.skipif(importlib.util.find_spec("diffprivlib") is None, reason="needs the extra peers")
def test_diffprivlib_adds_floats(name):
    case = PEERS[name]
    found = case.audit(4_000, seed=1)
    assert found.refutes(case.epsilon, case.delta) and found.best.family in ("low bits", "differences from a value")


@pytest.mark.skipif(importlib.util.find_spec("opendp") is None, reason="needs the extra peers")
def test_nothing_is_found_on_opendp():
    case = PEERS["OpenDP Gaussian"]
    assert not case.audit(1_500, seed=1).refutes(case.epsilon, case.delta)


def test_peers_that_are_not_installed_are_left_out():
    names = {"diffprivlib": FLOAT_SUMS, "opendp": ["OpenDP Gaussian"], "pydp": ["PyDP (Google) Gaussian"]}
    for package, cases in names.items():
        if importlib.util.find_spec(package) is None:
            assert not set(cases) & set(PEERS)
