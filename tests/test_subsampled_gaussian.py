"""Certified bounds on composed samples of Gaussian noise: against exact steps, float64 masses, and themselves."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.audit.composition import grid_composition, subsampled_profile
from ndis_verify.exact_number import InputError
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified import subsampled_gaussian as module
from ndis_verify.oracle.certified.composition import composed_hockey_stick
from ndis_verify.oracle.certified.engine.balls import working_bits
from ndis_verify.oracle.certified.subsampled_gaussian import subsampled_gaussian


def one_step(std, rate, epsilon, direction):
    """The divergence of one step, from its definition: an integral of (p - e^eps q)_+ at 30 digits."""
    with mpmath.workdps(30):
        s, q, t = (
            mpmath.mpf(std.numerator) / std.denominator,
            mpmath.mpf(rate.numerator) / rate.denominator,
            mpmath.e**epsilon,
        )

        def without(x):
            return mpmath.npdf(x, 0, s)

        def with_it(x):
            return (1 - q) * without(x) + q * mpmath.npdf(x, 1, s)

        p, other = (with_it, without) if direction == "delete" else (without, with_it)
        inner = ((t if direction == "delete" else 1 / t) - 1) / q + 1
        if inner <= 0:
            return mpmath.mpf(0) if direction == "insert" else 1 - t
        edge = s**2 * mpmath.log(inner) + mpmath.mpf(1) / 2
        ends = [edge, edge + 4 * s, edge + 40 * s] if direction == "delete" else [edge - 40 * s, edge - 4 * s, edge]
        return mpmath.quad(lambda x: p(x) - t * other(x), ends)


@settings(max_examples=5, deadline=None)
@given(
    st.fractions(Fraction(2, 5), 4, max_denominator=20),
    st.fractions(Fraction(1, 10), 1, max_denominator=10),
    st.fractions(0, 2, max_denominator=4),
)
def test_one_step_is_enclosed(std, rate, epsilon):
    lower, upper = subsampled_gaussian(std, rate, 1, epsilon, step=Fraction(1, 100))
    true = max(
        one_step(std, rate, mpmath.mpf(epsilon.numerator) / epsilon.denominator, way) for way in ("delete", "insert")
    )
    assert lower <= Fraction(str(true)) * (1 + Fraction(1, 10**12)) + Fraction(1, 10**18)
    assert upper >= Fraction(str(true)) * (1 - Fraction(1, 10**12)) - Fraction(1, 10**18)
    assert upper - lower < Fraction(1, 100)


@pytest.mark.parametrize(
    ("std", "steps", "epsilon"), [("2", 3, "0.5"), ("5", 40, "1"), ("1.5", 2, "3"), ("0.1", 1, "60")]
)
def test_without_sampling_it_is_a_gaussian_pair(std, steps, epsilon):
    true = composed_hockey_stick(GaussianPair([1], [exact_square(std)], [0], [exact_square(std)]), steps, epsilon, 15)
    lower, upper = subsampled_gaussian(std, 1, steps, epsilon, step=Fraction(1, 100))
    assert lower <= true.lower and true.upper <= upper and upper - lower < Fraction(1, 100)


def exact_square(std):
    return str(Fraction(std) ** 2) if "." not in std else str(float(Fraction(std) ** 2))


@pytest.mark.parametrize(("std", "rate", "steps"), [(2.0, 0.5, 20), (1.0, 0.05, 50), (0.8, 0.25, 4)])
def test_the_masses_in_float64_agree(std, rate, steps):
    """Both sides of another program's grid overlap with both sides of this one."""
    removed = subsampled_profile(GaussianPair([1 / std], 1, [0], 1), rate)
    lower, upper = subsampled_gaussian(std, Fraction(str(rate)), steps, 1)
    low, high = (
        max(float(grid_composition(one, steps, [1.0], side=side)[0]) for one in (removed, removed.swapped()))
        for side in ("optimistic", "pessimistic")
    )
    assert float(lower) <= high and low <= float(upper)
    assert float(upper - lower) < 0.02 * float(upper)


def test_a_finer_grid_comes_nearer_from_both_sides_and_one_side_alone_is_that_side():
    coarse, fine = (subsampled_gaussian("1.5", "0.25", 8, 1, step=Fraction(1, n)) for n in (50, 200))
    assert coarse[0] < fine[0] < fine[1] < coarse[1]
    below, above = (subsampled_gaussian("1.5", "0.25", 8, 1, step=Fraction(1, 50), side=s) for s in ("below", "above"))
    assert (below, above) == ((coarse[0], 1), (0, coarse[1]))


def test_a_mass_is_a_whole_number_of_units_on_its_safe_side():
    unit = module._UNIT
    with working_bits(160):
        third = arb(1) / 3
        assert [module._fixed(third, up) - unit // 3 for up in (False, True)] == [0, 1]
    wide = arb("0.5", "0.25")
    assert module._fixed(wide, False) <= unit // 4 and 3 * unit // 4 <= module._fixed(wide, True)
    assert module._fixed(arb("0", "0.25"), False) == 0


def test_bounds_are_the_far_ends_of_their_enclosures(monkeypatch):
    monkeypatch.setattr(module, "_delta", lambda law, epsilon, size: arb("0.5", "0.25"))
    lower, upper = subsampled_gaussian(2, "0.5", 2, 1)
    assert lower <= Fraction(1, 4) and Fraction(3, 4) <= upper


@pytest.mark.parametrize(
    ("std", "rate", "steps", "epsilon"),
    [
        (1e-100, "0.5", 3, 1),
        (1e100, 1e-300, 10, 0),
        (1e-9, 1, 2, 800),
        (0.01, 1 - 1e-16, 7, 1400),
        (0.5, 1e-300, 2, 1),
    ],
)
def test_ends_of_the_domain_are_answered(std, rate, steps, epsilon):
    lower, upper = subsampled_gaussian(std, rate, steps, epsilon, step=Fraction(1, 10))
    assert 0 <= lower <= upper <= 1
    if float(std) < 0.1 and float(rate) >= 0.5:  # nothing hides the record: once is enough that it is in a sample
        assert lower >= Fraction("0.49")
    else:
        assert upper < Fraction(1, 10**27)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"std": 0}, "std"),
        ({"std": 1e101}, "std"),
        ({"rate": 0}, "rate"),
        ({"rate": "1.5"}, "rate"),
        ({"steps": 0}, "steps"),
        ({"steps": 10**6}, "steps"),
        ({"epsilon": -1}, "epsilon"),
        ({"step": 2}, "step"),
        ({"step": "1e-9"}, "step"),
        ({"side": "left"}, "side"),
    ],
)
def test_bad_input_is_refused(change, match):
    arguments = {"std": 1, "rate": "0.5", "steps": 2, "epsilon": 1, **change}
    rest = {name: arguments.pop(name) for name in ("step", "side") if name in arguments}
    with pytest.raises(InputError, match=match):
        subsampled_gaussian(*arguments.values(), **rest)
