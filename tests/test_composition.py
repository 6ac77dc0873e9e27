"""Composed pairs: exact curves between the two sides of their loss distributions, and eq 9.1 of two histograms."""

import importlib.util
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm

from ndis_verify import fast, oracle
from ndis_verify.audit import composition
from ndis_verify.audit.composition import (
    composed_bound,
    gaussian_profile,
    grid_composition,
    histogram_composition,
    subsampled_profile,
)
from ndis_verify.audit.loss_masses import LossMasses
from ndis_verify.audit.subsampled_gaussian import composed_step
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import find, run
from ndis_verify.fast.accuracy import promise
from ndis_verify.fast.composition import composed_hockey_stick
from ndis_verify.fast.engine.support_edge import largest_loss
from ndis_verify.gaussian_pair import GaussianPair

_EPSILONS = np.array([-1.0, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0])
_PAIRS = (
    GaussianPair([0.5], 1, [0], 1),
    GaussianPair([0.3, 0], [1.0, 1.1], [0, 0.0], [1.0, 1.0]),
    GaussianPair([0.2, 0.1, 0], ["0.8", "1.2", 1], [0, 0, 0.0], 1),
    GaussianPair([0.2], ["0.5"], [0], 1),
)
_PEERS = importlib.util.find_spec("dp_accounting") is not None


def _bounds():
    return (grid_composition, composed_bound) if _PEERS else (grid_composition,)


@pytest.mark.parametrize("pair", _PAIRS)
@pytest.mark.parametrize("copies", [1, 10, 40])
def test_the_exact_curve_lies_between_the_two_sides(pair, copies):
    exact, profile = composed_hockey_stick(pair, copies, _EPSILONS), gaussian_profile(pair)
    for bound in _bounds():
        above = bound(profile, copies, _EPSILONS, step=2e-3)
        below = bound(profile, copies, _EPSILONS, step=2e-3, side="optimistic")
        assert (below <= exact + promise("composed masses")).all() and (
            exact <= above + promise("composed masses")
        ).all()
        assert (above - exact).max() < 1e-5 and (exact - below).max() < 2e-3 * copies * exact.max()
        if copies == 10:  # without the step the optimistic side would be too high
            assert (above > exact + promise("composed masses")).any()


@pytest.mark.parametrize("pair", _PAIRS)
def test_a_fine_grid_adds_no_mass(pair):
    profile = gaussian_profile(pair)
    masses, endless = composition.dot_masses(profile, composition.loss_grid(profile, 2e-4, 1e-18), 2e-4)
    assert masses.sum() + endless == pytest.approx(1, abs=1e-12)


def _two_fold(rate, std, epsilon):
    """H of the two-fold product of rate N(1, s^2) + (1 - rate) N(0, s^2) against N(0, s^2), one coordinate by
    quadrature.
    """
    loss = lambda x: np.log(1 - rate + rate * np.exp((2 * x - 1) / (2 * std**2)))

    def inner(level):  # H_{e^level} of one copy, from the threshold of the loss
        ratio = (np.exp(level) - 1 + rate) / rate
        if ratio <= 0:
            return 1 - np.exp(level)
        x = std**2 * np.log(ratio) + 0.5
        return rate * norm.sf((x - 1) / std) + (1 - rate) * norm.sf(x / std) - np.exp(level) * norm.sf(x / std)

    density = lambda x: rate * norm.pdf(x, 1, std) + (1 - rate) * norm.pdf(x, 0, std)
    return quad(
        lambda x: density(x) * inner(epsilon - loss(x)),
        -12 * std,
        1 + 12 * std,
        points=[0, 0.5, 1],
        epsabs=1e-10,
        epsrel=1e-9,
        limit=100,
    )[0]


@pytest.mark.parametrize(("rate", "std"), [(0.5, 2.0), (0.25, 0.8), (1.0, 1.5)])
def test_subsampled_pairs_against_quadrature(rate, std):
    profile = subsampled_profile(GaussianPair([1 / std], 1, [0], 1), rate)
    for epsilon in (-0.3, 0.4, 1.2):
        exact = _two_fold(rate, std, epsilon)
        below, above = (
            float(grid_composition(profile, 2, epsilon, step=5e-4, side=side)) for side in ("optimistic", "pessimistic")
        )
        assert below <= exact + 1e-9 and exact <= above + 1e-9 and above - exact < 1e-6
        # delta_{Q,P}(e) = 1 - e^e + e^e delta_{P,Q}(-e)
        assert profile.swapped()(epsilon) == pytest.approx(
            1 - np.exp(epsilon) + np.exp(epsilon) * profile(-epsilon), abs=1e-14
        )
    assert profile.swapped().swapped()(0.7) == pytest.approx(profile(0.7), rel=1e-13)


def test_rate_one_is_the_pair_itself():
    for pair in _PAIRS:
        assert subsampled_profile(pair, 1.0)(_EPSILONS) == pytest.approx(gaussian_profile(pair)(_EPSILONS), rel=1e-11)


def test_histograms_against_their_product_laws():
    p, q = np.array([5, 3, 2, 1, 0.0]), np.array([1, 2, 4, 0, 3.0])
    for epsilon in (0.0, 0.5, 1.5):
        direct = []
        for one, other in ((p / p.sum(), q / q.sum()), (q / q.sum(), p / p.sum())):
            direct.append(
                sum(
                    max(np.prod(a) - np.exp(epsilon) * np.prod(b), 0)
                    for a, b in zip(product(one, repeat=3), product(other, repeat=3), strict=True)
                )
            )
        found = float(histogram_composition(p, q, 3, epsilon, step=1e-5))
        assert max(direct) <= found + 1e-12 < max(direct) + 5e-5
    assert histogram_composition([1, 0], [0, 1], 4, [0.0, 9.0]).tolist() == [1.0, 1.0]
    assert histogram_composition([1, 2], [2, 4], 7, 0.0) == pytest.approx(0, abs=1e-12)


def test_bad_input_is_named():
    profile = gaussian_profile(_PAIRS[0])
    for change, name in (
        ({"copies": 0}, "copies"),
        ({"step": 0.0}, "step"),
        ({"side": "both"}, "side"),
        ({"epsilons": [np.nan]}, "epsilons"),
    ):
        arguments = {"copies": 2, "epsilons": 1.0} | change
        for bound in (grid_composition, composed_bound):
            with pytest.raises(InputError, match=name):
                bound(profile, **arguments)
    with pytest.raises(InputError, match="step"):
        grid_composition(profile, 2, 1.0, step=1e-8)
    with pytest.raises(InputError, match="rate"):
        subsampled_profile(_PAIRS[0], 0.0)
    for p, q in (([1], [1, 2]), ([0, 0], [1, 1]), ([1, -1], [1, 1]), ([1, np.nan], [1, 1])):
        with pytest.raises(InputError, match="p, q"):
            histogram_composition(p, q, 2, 0.0)


def test_without_dp_accounting_the_error_names_the_extra(monkeypatch):
    def absent(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name="dp_accounting")

    monkeypatch.setattr(composition.importlib, "import_module", absent)
    with pytest.raises(ModuleNotFoundError, match="peers"):
        composed_bound(gaussian_profile(_PAIRS[0]), 2, 1.0)


def test_the_experiment_finds_what_it_states_and_sees_altered_rows():
    experiment = find("km-composition")
    rows = run(experiment)
    assert all(finding.holds for finding in experiment.findings(rows)) and len(experiment.findings(rows)) == (
        5 if _PEERS else 3
    )
    for change in ({"optimistic": 1.0}, {"histograms": 0.5}) + (({"dp_accounting_mechanism": 0.0},) if _PEERS else ()):
        bad = [dict(row) for row in rows]
        bad[0] |= change
        assert not all(finding.holds for finding in experiment.findings(bad))


@pytest.mark.parametrize(("rate", "std", "copies"), [(0.5, 2.0, 10), (0.05, 1.0, 50), (0.25, 0.8, 4)])
def test_two_discretisations_of_subsampled_noise_overlap(rate, std, copies):
    """Chords of the profile on a grid of losses, and cells of the distribution functions: intervals of one number."""
    cells, profile = composed_step(rate, std, copies), subsampled_profile(GaussianPair([1 / std], 1, [0], 1), rate)
    at = np.array([0.0, 0.5, 1.0, 2.0])
    low, high = (
        np.maximum(*(grid_composition(one, copies, at, side=side) for one in (profile, profile.swapped())))
        for side in ("optimistic", "pessimistic")
    )
    assert (low <= cells.upper(at) + promise("composed masses")).all() and (
        cells.lower(at) <= high + promise("composed masses")
    ).all()
    assert np.abs(high - cells.upper(at)).max() < 1e-4


def test_sums_of_losses_are_those_of_the_binomial_law():
    """Losses 0.25 and 1 with a part at infinity and a part at minus infinity, five copies."""
    law = LossMasses(0.25, 0.25, np.array([0.5, 0, 0, 0.3]), 0.1)
    sums, at = law.power(5), np.array([-2.0, 0.0, 1.5, 3.0, 9.0])
    finite = sum(
        binom.pmf(k, 5, 0.3 / 0.8) * 0.8**5 * np.maximum(-np.expm1(at - (1.25 + 0.75 * k)), 0) for k in range(6)
    )
    assert sums.delta(at) == pytest.approx(finite + 1 - 0.9**5, abs=1e-14) and sums.highest == pytest.approx(5.0)
    assert law.power(1) is law and LossMasses(0.0, 0.1, np.array([0.0]), 1.0).power(3).delta(2.0) == 1


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("copies", [2, 12, 100])
def test_copies_of_a_pair_keep_their_digits_next_to_the_largest_loss(dense, copies):
    """What the eigenvalues were rounded from counts there, and twelve copies are twelve times as far off."""
    rng = np.random.default_rng(copies)
    mean, cov_p, cov_q = [0.7, -0.3], [1.0, 1.0], [1910.0, 1e6]
    if dense:
        factor = rng.standard_normal((2, 2))
        cov_q = factor @ factor.T + np.eye(2)
        thin = rng.standard_normal((2, 1))
        cov_p = cov_q - 0.5 * np.linalg.eigvalsh(cov_q)[0] * (thin @ thin.T) / (thin.T @ thin).item()
        cov_p, cov_q = ((0.5 * (part + part.T)).tolist() for part in (cov_p, cov_q))
    pair = GaussianPair(mean, cov_p, [0, 0], cov_q)
    laws = fast.compose(pair, copies)
    largest = largest_loss(laws, 0)
    assert np.isfinite(largest) or dense
    top = largest if np.isfinite(largest) else 3.0 * copies
    for gap in (1e-9, 1e-6, 1e-3, 0.2):
        epsilon = top * (1 - gap)
        true = oracle.certified_composed_hockey_stick(pair, copies, epsilon, digits=15)
        if true.mid and mpmath.mag(true.mid) > -960:  # a float; the fraction of a value far below has no end
            found = float(fast.composed_hockey_stick(pair, copies, epsilon))
            assert abs(found / float(true.mid) - 1) < 1e-11
    swapped = float(fast.composed_hockey_stick(pair.swapped(), copies, 0.5))
    assert abs(swapped / float(oracle.certified_composed_hockey_stick(pair.swapped(), copies, 0.5).mid) - 1) < 1e-11
