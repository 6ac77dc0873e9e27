"""Numbers known only to lie in a wide enclosure: no side of a target is taken undecided, and results hold all cases."""

import itertools
import warnings
from fractions import Fraction

import mpmath
import pytest
from flint import fmpq_poly

from ndis_verify.calibrator import NoNoiseNeeded
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle import baselines, mechanism_noise, relative_projection, trade_off
from ndis_verify.oracle import random_projection as agreed_projection
from ndis_verify.oracle.certified import random_projection as certified_projection
from ndis_verify.oracle.certified.engine.balls import to_exact_ball
from ndis_verify.oracle.certified.engine.summit_root import between
from ndis_verify.oracle.certified.least_squares.finite_law import als_max_privacy_loss
from ndis_verify.oracle.engine.decreasing_root import exceeds, hull, scaled
from ndis_verify.oracle.engine.precision import PrecisionError
from ndis_verify.oracle.general_bound import bound as general_bound_bound
from ndis_verify.oracle.least_squares import finite_law
from ndis_verify.oracle.ridge import ridge_between

TARGET = {"epsilon": "0.7", "delta": "1e-4"}
INTERVALS = [(0, 10), (5, 6), (3, 12), (-2, 7), (11, 13), (6, 6)]


def interval(low, high):
    """The enclosure from low to high, both short binary numbers."""
    low, high = Fraction(low), Fraction(high)
    return Enclosure(to_mpf((low + high) / 2), to_mpf((high - low) / 2), "bound")


def always(value):
    return lambda *args, **kwargs: value


# Decisions


def after(first, then):
    """A value that is `first` until more digits are asked for than at the start."""
    seen = []

    def evaluate(x, digits):
        seen.append(digits)
        return first if digits == seen[0] else then

    return evaluate


@pytest.mark.parametrize("above", [True, False])
def test_an_enclosure_on_both_sides_of_the_target_decides_nothing(above):
    target, wide = Fraction(1), interval("0.5", "1.5")
    narrow = interval("1.25", "1.5") if above else interval("0.5", "0.75")
    assert exceeds(after(wide, narrow), Fraction(1), target) is above
    with pytest.raises(PrecisionError):
        exceeds(always(wide), Fraction(1), target)


def test_a_value_at_the_target_does_not_exceed_it():
    assert not exceeds(always(interval(1, 1)), Fraction(1), Fraction(1))


# Enclosures of several


@pytest.mark.parametrize("first, second", list(itertools.product(INTERVALS, repeat=2)))
def test_a_hull_holds_both_and_no_more(first, second):
    found = hull(interval(*first), interval(*second), 5)
    low, high = min(first[0], second[0]), max(first[1], second[1])
    assert found.lower <= low and high <= found.upper
    assert found.upper - found.lower <= (high - low) * (1 + Fraction(1, 10**20))


@pytest.mark.parametrize("first, second", list(itertools.product(INTERVALS, repeat=2)))
def test_the_larger_of_two_lies_between_the_larger_ends(first, second):
    found = mechanism_noise._larger(interval(*first), interval(*second))
    low, high = max(first[0], second[0]), max(first[1], second[1])
    assert found.lower <= low and high <= found.upper
    assert found.upper - found.lower <= (high - low) * (1 + Fraction(1, 10**20))


def test_the_larger_of_two_is_the_one_that_lies_beyond_the_other_as_it_stands():
    with mpmath.workdps(90):
        first, second = (Enclosure(mpmath.mpf(k) / 3, mpmath.mpf(1) / 7, "bound") for k in (10, 11))
    assert mechanism_noise._larger(first, second) == second == mechanism_noise._larger(second, first)


@pytest.mark.parametrize("digits", [1, 15, 30])
def test_what_is_rounded_keeps_its_ends_inside(digits):
    for k in range(1, 40):
        with mpmath.workdps(120):
            value = Enclosure(mpmath.mpf(10) ** k / 7, mpmath.mpf(k) / 11, "bound")
        for found in (
            hull(value, value, digits),
            scaled(value, Fraction(1), digits),
            between(value.lower, value.upper, digits),
        ):
            assert found.lower < value.lower and value.upper < found.upper
        within = Enclosure(value.mid, value.rad / 4, "bound")
        larger = mechanism_noise._larger(interval(-1, 10**40), within)
        assert larger.lower < within.lower and larger.upper >= 10**40


# Targets that are only enclosed


def near_reciprocal(r, epsilon, delta, digits):
    """Least odds that fall with epsilon, to many digits."""
    with mpmath.workdps(60):
        return Enclosure(to_mpf(1 / (1 + epsilon)), mpmath.mpf(10) ** -50, "bound")


def test_a_ridge_holds_those_of_every_epsilon_of_an_enclosure():
    found = ridge_between(near_reciprocal, Fraction(2), 3, interval("0.5", "1.5"), Fraction(1, 10), 10)
    for epsilon in ("0.5", "0.75", "1.25", "1.5"):
        assert found.contains(4 / (1 + Fraction(epsilon)))
    unknown = ridge_between(near_reciprocal, Fraction(2), 3, interval("-0.5", "1"), Fraction(1, 10), 10)
    assert unknown.contains(4) and unknown.contains(2)


def test_the_information_ridge_holds_those_of_every_level_of_an_enclosure(monkeypatch):
    signals = [Fraction(1, 4), Fraction(1, 2), Fraction(1)]
    with mpmath.workdps(60):
        levels = [exact(9 * (to_mpf(s) - mpmath.log1p(to_mpf(s))) / 2) for s in signals]
        known = Enclosure(to_mpf((levels[0] + levels[2]) / 2), to_mpf((levels[2] - levels[0]) / 2), "bound")
    monkeypatch.setattr(baselines, "information_level", always(known))
    found = baselines.mutual_information(9, **TARGET, norm_bound=2, digits=6)
    for signal in signals:
        assert found.contains(4 / signal)


def test_a_record_s_ridge_holds_those_of_all_the_odds_of_an_enclosure():
    """Odds of 1/(1 + s) at a ridge of s: least at s = odds - 1."""
    ratios = [(fmpq_poly([1]), fmpq_poly([1, 1]))]
    found = relative_projection._ridge_of_records(ratios, always(interval(3, 5)), Fraction(1), 8)
    for odds in (3, 4, 5):
        assert found.contains(odds - 1)


BASE = [[1, 1], [0, 1], ["0.5", "-0.25"], [1, "0.5"]]


def relative(monkeypatch, records, every, base=BASE, ridge="smallest"):
    """The ridge relative to a set whose records need the one enclosure and whose ball needs the other."""
    monkeypatch.setattr(relative_projection, "_ridge_of_records", always(interval(*records)))
    monkeypatch.setattr(relative_projection, "_ridge_of_ball", always(interval(*every)))
    return relative_projection.relative_random_projection(base, "ball", 2, 3, **TARGET, ridge=ridge)


@pytest.mark.parametrize("records, every", list(itertools.permutations(INTERVALS[:5], 2)))
def test_the_ridge_of_a_set_may_be_the_largest_of_those_of_its_parts(monkeypatch, records, every):
    found = relative(monkeypatch, records, every)
    assert found.contains(max(records[1], every[1]))
    assert found.contains(max(records[0], every[0]))


def test_a_ridge_that_may_be_positive_is_not_said_to_be_0(monkeypatch):
    assert relative(monkeypatch, (0, 0), (0, 2)).contains(2)
    assert relative(monkeypatch, (0, 2), (0, 0), base=[[1, 1], ["0.5", "0.5"]]).contains(2)


@pytest.mark.parametrize("module", [agreed_projection, certified_projection])
def test_that_no_noise_is_needed_is_said_of_an_exact_0_only(monkeypatch, module):
    monkeypatch.setattr(module, "sampled_ridge_of", always(interval(0, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", NoNoiseNeeded)
        module.sampled_rp_ridge("1.3", "0.2", 3, **TARGET)
    monkeypatch.setattr(module, "sampled_ridge_of", always(interval(0, 0)))
    with pytest.warns(NoNoiseNeeded):
        module.sampled_rp_ridge("1.3", "0.2", 3, **TARGET)


def test_a_named_ridge_is_added_to_one_that_may_be_positive(monkeypatch):
    monkeypatch.setattr(certified_projection, "sampled_rp_ridge", always(interval(0, 2)))
    found = mechanism_noise.subsampled_random_projection("0.2", 3, **TARGET, norm_bound=2, ridge="N26-Fig1")
    assert found.contains(4) and found.contains(6)


def test_a_test_is_refused_only_where_it_surely_spends_too_much(monkeypatch):
    """It spends between 0.6 and 0.8 of 0.7: what the ridge needs at nothing left and at 0.1 left are both held."""
    monkeypatch.setattr(mechanism_noise, "epsilon_for_delta", always(interval(Fraction(5, 8), Fraction(3, 4))))
    arguments = TARGET | {"norm_bound": 1, "std": 1, "delta_test": "1e-5", "delta_failure": "1e-5", "digits": 8}
    found = mechanism_noise.propose_test_release(3, **arguments)
    for left in (0, Fraction(1, 20), Fraction(7, 10) - Fraction(5, 8)):
        ridge = certified_projection.rp_ridge(1, 3, epsilon=left, delta="8e-5", digits=20)
        assert found.full_ridge.contains(exact(ridge.mid) + 1)


def test_a_loss_is_beyond_epsilon_unless_its_largest_value_surely_is_not(monkeypatch):
    record = {"leverage": "0.02", "augmented_leverage": "0.05", "d": 2, "r": 20}
    largest = als_max_privacy_loss(**record, digits=20)
    epsilon = exact(largest.mid) - Fraction(1, 50)
    with mpmath.workdps(30):
        wide = Enclosure(largest.mid, mpmath.mpf("0.1"), "bound")
    monkeypatch.setattr(finite_law, "als_max_privacy_loss", always(wide))
    assert finite_law.als_exact_hockey_stick(**record, epsilon=epsilon, digits=6).lower > 0


# The two-step bound


class Steps:
    """Two steps whose least value lies between 3/8 and 5/8, or around 1; what is asked of the proof is kept."""

    square, vertex = 1, ()

    def __init__(self, unsettled=()):
        self.asked, self.unsettled = [], unsettled

    def above(self, target, near, digits):
        self.asked.append(target)
        if target in self.unsettled:
            raise PrecisionError("not settled")
        return True


class Split:
    """A split whose value is only enclosed."""

    def __init__(self, low, high):
        self.found = interval(low, high)

    def value(self, steps, digits):
        return to_exact_ball(self.found)

    def place(self, steps):
        return None


def two_steps(monkeypatch, low, high, unsettled=()):
    monkeypatch.setattr(general_bound_bound, "_two_steps", always(Steps(unsettled)))
    monkeypatch.setattr(general_bound_bound, "best_splits", always([Split(low, high)]))
    return general_bound_bound.loewner_bound("0.5", "0.3", "0.5", 3, 1, digits=1)


def test_the_two_step_bound_ends_where_one_split_is_proved_to_be(monkeypatch):
    found = two_steps(monkeypatch, Fraction(3, 8), Fraction(5, 8))
    assert found.upper >= Fraction(5, 8)


def test_a_split_that_may_be_1_does_not_ask_for_a_proof_that_all_are_above_it(monkeypatch):
    found = two_steps(monkeypatch, Fraction(3, 4), Fraction(5, 4), unsettled=[Fraction(1)])
    assert found.contains(1) and found.contains(Fraction(9, 10))


# One curve


def test_a_place_next_to_the_kink_is_not_taken_for_it():
    """mu = log 2 but for 1e-25: the curve is 1/2 there but for a number that is not 0."""
    for sign in (-1, 1):
        with mpmath.workdps(60):
            mu = exact(mpmath.log(2)) + sign * Fraction(1, 10**25)
            half = mpmath.exp(-(mpmath.mpf(10) ** -25)) / 2
            truth = half if sign > 0 else 1 - half
        for digits in (1, 10, 40):
            assert trade_off.laplace_trade_off("0.25", mu, digits).contains(exact(truth))
