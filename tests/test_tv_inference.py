"""One parameter from one divergence: inversions, threshold attacks, bad input."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify.exact_number import InputError
from ndis_verify.fast import tv_inference as fast
from ndis_verify.oracle import tv_inference as certified

rates = st.floats(0, 1)


@given(st.floats(0.01, 1), st.floats(0.1, 50))
def test_total_variation_and_back(rate, std):
    tv = float(fast.subsampled_tv(rate, std))
    assert tv == pytest.approx(float(certified.subsampled_tv(rate, std, 15).mid), rel=1e-12)
    if tv < rate * (1 - 1e-6):
        assert float(fast.subsampled_std(rate, tv)) == pytest.approx(std, rel=1e-6)
        assert float(certified.subsampled_std(rate, tv, 15).mid) == pytest.approx(std, rel=1e-6)


@given(rates, rates, st.floats(0, 0.5))
def test_threshold_epsilon_is_the_least_that_both_divergences_allow(tpr, fpr, delta):
    epsilon = fast.threshold_epsilon(tpr=tpr, fpr=fpr, delta=delta)

    def largest(factor):
        hinge = lambda p, q: max(p - factor * q, 0.0)
        return max(hinge(tpr, fpr) + hinge(1 - tpr, 1 - fpr), hinge(fpr, tpr) + hinge(1 - fpr, 1 - tpr))

    if math.isinf(epsilon):
        assert largest(1e300) > delta or min(tpr, fpr, 1 - tpr, 1 - fpr) < 1e-290
    else:
        assert largest(math.exp(epsilon)) <= delta + 1e-9
        if epsilon > 1e-6:
            assert largest(math.exp(epsilon - 1e-6)) > delta - 1e-12


def test_known_points():
    assert fast.threshold_epsilon(tpr=0.9, fpr=0.1, delta=0.0) == pytest.approx(math.log(9))
    assert fast.threshold_epsilon(tpr=0.1, fpr=0.9, delta=0.0) == pytest.approx(math.log(9))
    assert fast.threshold_epsilon(tpr=0.5, fpr=0.5, delta=0.25) == 0.0
    assert fast.threshold_epsilon(tpr=0.5, fpr=0.0, delta=0.1) == math.inf
    # 2 Phi(1) - 1 at std 1/2
    assert float(certified.subsampled_tv(1, "0.5").mid) == pytest.approx(math.erf(1 / math.sqrt(2)), rel=1e-14)
    peak = certified.std_sensitivity(1, 1, 20).mid
    assert float(peak) == pytest.approx(math.exp(-1 / 8) / math.sqrt(2 * math.pi), rel=1e-14)


@pytest.mark.parametrize("witness", [fast, certified])
def test_bad_input_is_named(witness):
    for name, arguments, argument in (
        ("subsampled_tv", (0.0, 1.0), "rate"),
        ("subsampled_tv", (0.5, 0.0), "std"),
        ("subsampled_std", (0.5, 0.6), "tv"),
        ("subsampled_std", (1.5, 0.6), "rate"),
    ):
        with pytest.raises(InputError, match=argument):
            getattr(witness, name)(*arguments)
    with pytest.raises(InputError, match="delta"):
        fast.threshold_epsilon(tpr=0.5, fpr=0.5, delta=1.5)
    with pytest.raises(InputError, match="order"):
        certified.std_sensitivity(0, 1)
