"""Old names of modules: each still works, says where it is now, and is the same module."""

import importlib
import subprocess
import sys

import pytest

from ndis_verify.moved import MOVED


@pytest.mark.parametrize("old", sorted(MOVED))
def test_an_old_name_is_the_module_of_the_new_one(old):
    new = importlib.import_module(MOVED[old])
    specification = new.__spec__
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=f"{old} is now {MOVED[old]}"):
        assert importlib.import_module(old) is new
    assert new.__spec__ is specification and new.__name__ == MOVED[old]


@pytest.mark.parametrize("package", ["fast", "oracle", "oracle.certified"])
def test_a_module_that_became_a_package_hands_on_what_it_held(package):
    module = importlib.import_module(f"ndis_verify.{package}.least_squares")
    with pytest.warns(DeprecationWarning, match="is now in"):
        assert module.als_hockey_stick is importlib.import_module(f"{module.__name__}.asymptotic_law").als_hockey_stick
    with pytest.raises(AttributeError):
        _ = module.nothing_of_that_name


def test_nothing_of_ours_uses_an_old_name():
    program = "import warnings; warnings.simplefilter('error'); from ndis_verify.claims.ledger import all_claims;"
    done = subprocess.run([sys.executable, "-c", program + "all_claims()"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
