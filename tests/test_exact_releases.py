"""Releases are multiples of a public grid, rounded exactly: every mechanism, in any state of the arithmetic."""

import ctypes
import math
import pickle
import platform
import sys

import flint
import numpy as np
import pytest
from exact_releases import RECIPES, RNG, made, stream

from ndis_verify import mechanisms
from ndis_verify.claim import Outcome
from ndis_verify.claims.ledger import find
from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.exact import eigenvalue, grid, noise, normals, outputs, projection, solutions
from ndis_verify.mechanisms.exact.noise import add_laplace, add_normal
from ndis_verify.mechanisms.exact.stream import SEEDED, SYSTEM


def numbers(release):
    return (
        np.append(release.matrix, release.noised_eigenvalue)
        if isinstance(release, mechanisms.ReleaseAfterTest)
        else np.asarray(release)
    )


def test_ridge_and_variance_are_0_where_the_names_say_so():
    for name in RECIPES:
        mechanism, data = made(name)
        noise = mechanism.calibration.noise
        level = mechanism.release(data, RNG).ridge if "test" in name else noise.get("ridge", noise.get("variance"))
        assert (level == 0) == ("0" in name or "without" in name), name


@pytest.mark.parametrize("name", RECIPES)
def test_wide_arithmetic_gives_the_bits_of_the_fast_path(name, monkeypatch):
    mechanism, data = made(name)
    fast = [numbers(mechanism.release(data, np.random.default_rng(seed))) for seed in range(3)]
    monkeypatch.setattr(grid, "SLACK", 1.0)
    monkeypatch.setattr(grid, "FIRST_BITS", 700)
    wide = [numbers(mechanism.release(data, np.random.default_rng(seed))) for seed in range(3)]
    assert all((one == other).all() for one, other in zip(fast, wide)) and (fast[0] != fast[1]).any()


@pytest.mark.parametrize("name", RECIPES)
def test_every_release_lies_on_its_public_grid_and_says_where_its_bits_come_from(name):
    mechanism, data = made(name)
    seeded, drawn = mechanism.release(data, np.random.default_rng(0)), mechanism.release(data)
    neighbour = mechanism.release(
        data[1:] if "process" not in name and data[1:].size else data, np.random.default_rng(0)
    )
    parts = [
        part.matrix if isinstance(part, mechanisms.ReleaseAfterTest) else part for part in (seeded, drawn, neighbour)
    ]
    assert parts[0].source == SEEDED and parts[1].source == SYSTEM and "experiments" in SEEDED
    assert len({part.step for part in parts}) == 1 and math.frexp(parts[0].step)[0] == 0.5
    for part in parts:
        units = np.asarray(part) / part.step
        assert not np.signbit(np.asarray(part)[units == 0]).any()
        assert (units == np.rint(units)).all() and not part.flags.writeable
    assert (numbers(drawn) != numbers(mechanism.release(data))).any()


def test_a_release_keeps_what_it_says_of_itself():
    release = made("Gaussian")[0].release([1.0, 2.0])
    copy = pickle.loads(pickle.dumps(release))
    assert (
        (copy == release).all() and (copy.step, copy.source) == (release.step, release.source) and SYSTEM in repr(copy)
    )
    assert type(release + 1) is np.ndarray and type(release.sum()) is np.float64 and release[:1].source == SYSTEM


def test_no_zero_has_a_sign():
    """A value just below 0 and a sum just below 0 would give -0.0, where one just above gives 0.0 for the same sum."""
    below = noise._joined(np.array([-0.0, 8.0]), np.array([-0.0, 0.0]), -20)
    assert not np.signbit(grid.Release(below, 2.0**-20, SEEDED)).any()
    for records in (np.array([[1.0]]), np.zeros((0, 1))):
        found = projection.project(records, 1.0, 200, stream(), 3)
        assert (found == 0).mean() > 0.9 and not np.signbit(found[found == 0]).any()
    assert np.shape(grid.Release(1.5, 0.5, SEEDED)) == ()


def test_no_grid_no_release():
    nothing = mechanisms.calibrated_gaussian(
        lambda data: ([0.5], [[1.0]]), lambda v: (0.0, 0.0, 0.0, 1), epsilon=1, delta=1e-5, bound="exact"
    )
    tiny = mechanisms.gaussian_mechanism(1e-160, epsilon=1, delta=1e-5, adjacency="any")
    assert tiny.release([0.0]).step > 0
    if nothing.added_variance == 0:
        with pytest.raises(InputError, match="scale"):
            nothing.release([])
    with pytest.raises(InputError, match="std"):
        add_normal(np.zeros(2), 1e-318, stream())


# Arithmetic that was set to something else


ROUNDINGS = {"down": 0x400, "up": 0x800, "to 0": 0xC00}
HERE = sys.platform == "linux" and platform.machine() == "x86_64"


@pytest.mark.skipif(not HERE, reason="the switches of one kind of processor")
@pytest.mark.parametrize("mode", (*ROUNDINGS, "flush to zero", "subnormals are zero"))
def test_no_release_where_float64_arithmetic_is_not_as_it_should_be(mode):
    library, before, state = ctypes.CDLL("libm.so.6"), ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    outcomes, every = {}, {name: made(name) for name in RECIPES}  # calibrated by arithmetic as it should be
    assert library.fegetenv(before) == 0 and library.fegetenv(state) == 0
    if mode in ROUNDINGS:
        library.fesetround(ROUNDINGS[mode])
    else:
        control = int.from_bytes(state.raw[28:], "little") | (0x8000 if "flush" in mode else 0x40)
        library.fesetenv(ctypes.create_string_buffer(state.raw[:28] + control.to_bytes(4, "little"), 32))
    try:
        for name, (mechanism, data) in every.items():
            try:
                mechanism.release(data, RNG)
            except ArithmeticError as error:
                outcomes[name] = str(error)
            except ValueError:
                outcomes[name] = "refused before"
            else:
                outcomes[name] = "released"
    finally:
        library.fesetenv(before)
    assert all("nothing is released" in outcome for outcome in outcomes.values()), outcomes


@pytest.mark.parametrize("name", RECIPES)
def test_no_normal_of_a_release_is_used_twice(name, monkeypatch):
    """In panels of six, so that every mechanism takes several: who knows that two hold the same noise subtracts it."""
    mechanism, data = made(name)
    asked, plain = [], normals.standard_normals

    def noted(stream, label, index, count):
        asked.append((label, index, count))
        return plain(stream, label, index, count)

    for module in (noise, projection, solutions, outputs, eigenvalue):
        monkeypatch.setattr(module, "standard_normals", noted)
        if hasattr(module, "PANEL"):
            monkeypatch.setattr(module, "PANEL", 6)
    mechanism.release(data, np.random.default_rng(5))
    addresses = [address for *address, count in asked if count]
    assert len(addresses) == len({*map(tuple, addresses)}), addresses
    assert name in ("Laplace",) or sum(count for *_, count in asked) >= numbers(mechanism.release(data)).size


@pytest.mark.parametrize("add", [add_normal, add_laplace])
def test_the_noise_of_a_long_vector_does_not_repeat(add, monkeypatch):
    monkeypatch.setattr(noise, "PANEL", 50)
    drawn = np.asarray(add(np.zeros(500), 1.0, stream()))
    assert len({*drawn.tolist()}) >= 499


def test_the_claim_hears_a_rounding_fault_that_few_numbers_would_show(monkeypatch):
    """Planted where float64 leaves a number open, which it seldom does: rounding up from 9/16 of a step on."""
    (again,) = [c for c in find("PKG-release-projection").checks if c.name == "every bit computed again"]
    sound = grid.nearest
    for module in (grid, noise, projection):
        monkeypatch.setattr(module, "nearest", lambda number: sound(number - flint.arb((1, -4))))
    assert again.run("quick").outcome is Outcome.FAILED and grid.SLACK == 0
