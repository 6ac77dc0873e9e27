"""The exact worst neighbours of a Gaussian-process prediction, certified: inside the envelope, on its edge, in its
corner.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, arb_series

from ndis_verify.exact_number import InputError, exact
from ndis_verify.fast import joint_shift as fast
from ndis_verify.oracle.certified.engine.balls import ball, to_fraction, working_bits
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.oracle.certified.joint_shift import plane as joint_shift_plane
from ndis_verify.oracle.certified.joint_shift import prediction_plane
from ndis_verify.oracle.engine.precision import PrecisionError
from ndis_verify.oracle.joint_shift import Prediction, RankOne, added_variance, largest

# (length, labels, noise variance, records), epsilon, delta; where the worst pair lies
INSIDE = [
    (("1", "0.05", "0.02", 2), "0.3", "1e-2"),
    (("0.838", "0.42", "0.0113", 5), "0.112", "0.0285"),
    (("0.581", "0.284", "0.000543", 2), "1.86", "1.48e-12"),
    (("1", "0.2", "0.02", 1000), "3", "0.99"),
]
EDGE = [
    (("1", "0.5", "0.1", 16), "1", "1e-5"),
    (("1", "0.5", "1", 16), "1", "1e-5"),
    (("1", "1e-6", "0.1", 16), "1", "1e-5"),
    (("1", "0.5", "0.1", 16), "0", "1e-5"),
    (("1", "0.5", "0.1", 1), "1", "1e-5"),
]


def envelope_of(target) -> Prediction:
    return Prediction(*target[0])


def delta_at(envelope: Prediction, v, z, x, epsilon, swapped: bool):
    """Two normal laws integrated between the points where the losses cross epsilon: mpmath, straight from the two
    densities.
    """
    length, labels, noise = (
        mpmath.mpf(n.numerator) / n.denominator for n in (envelope.length, envelope.labels, envelope.noise_variance)
    )
    own = length**2 * (1 - z)
    wide, narrow = v + own, v + own / (1 + x)
    pull = labels / mpmath.sqrt(noise) * (1 + mpmath.sqrt((envelope.records - 1) * z * x)) / mpmath.sqrt(1 + x)
    shift = mpmath.sqrt(own * x / (1 + x)) * pull
    sign = -1 if swapped else 1
    # log(wide density/narrow density) = sign epsilon
    a, b, c = (
        (1 / narrow - 1 / wide) / 2,
        -shift / narrow,
        shift**2 / (2 * narrow) - mpmath.log(wide / narrow) / 2 - sign * epsilon,
    )
    root = mpmath.sqrt(b * b - 4 * a * c)
    low, high = (-b - root) / (2 * a), (-b + root) / (2 * a)

    def outside(centre, variance):
        return mpmath.ncdf((low - centre) / mpmath.sqrt(variance)) + mpmath.ncdf(
            (centre - high) / mpmath.sqrt(variance)
        )

    first, second = outside(0, wide), outside(shift, narrow)
    return (1 - second) - mpmath.exp(epsilon) * (1 - first) if swapped else first - mpmath.exp(epsilon) * second


def random_plane(rng):
    length, labels, noise, added, epsilon = (
        exact(float(f"{10**t:.3g}")) for t in rng.uniform([-1, -1, -2, -1, -2], [1, 1, 1, 1, 0.5])
    )
    envelope = Prediction(length, labels, noise, int(rng.integers(1, 60)))
    return envelope, added, epsilon


@pytest.mark.parametrize("seed", range(6))
def test_the_closed_form_against_the_contour_integral(seed):
    rng = np.random.default_rng(seed)
    envelope, added, epsilon = random_plane(rng)
    with working_bits(300):
        place = tuple(arb(float(t)) for t in rng.uniform(0.2, 1, 2))
        for plane in envelope.planes(added, epsilon):
            balls = plane.balls()
            pair = envelope.pair_at(added, *(to_fraction(part) for part in balls.place(*place)))
            reference = hockey_stick(pair.swapped() if plane.swapped else pair, epsilon, 25)
            value = balls.value(*place)
            difference = to_fraction(value) - exact(reference.mid)
            assert abs(difference) <= Fraction(1, 10**24) * exact(reference.mid) + Fraction(1, 10**60)


@pytest.mark.parametrize("seed", range(4))
def test_slopes_against_differences(seed):
    rng = np.random.default_rng(seed)
    envelope, added, epsilon = random_plane(rng)
    with working_bits(400):
        p, e, step = arb(0.4), arb(0.7), arb(2) ** -100
        for plane in envelope.planes(added, epsilon):
            balls = plane.balls()
            if balls.value(p, e).is_zero():
                continue
            for i, found in enumerate(balls.rise(p, e)):
                ends = [balls.value(p + sign * step * (i == 0), e + sign * step * (i == 1)) for sign in (-1, 1)]
                difference = (ends[1] - ends[0]) / (2 * step)
                assert abs(found - difference) <= arb(10) ** -25 * (1 + abs(found))
                series = balls.slopes(arb_series([p, int(i == 0)], 2), arb_series([e, int(i == 1)], 2))
                near = [balls.slopes(p + sign * step * (i == 0), e + sign * step * (i == 1)) for sign in (-1, 1)]
                for k in range(2):
                    assert abs(series[k][1] - (near[1][k] - near[0][k]) / (2 * step)) <= arb(10) ** -20 * (
                        1 + abs(series[k][1])
                    )


@pytest.mark.parametrize("seed", range(4))
def test_a_cell_holds_for_every_point_of_it(seed):
    rng = np.random.default_rng(100 + seed)
    envelope, added, epsilon = random_plane(rng)
    with working_bits(150):
        for plane in envelope.planes(added, epsilon):
            balls = plane.balls()
            for rad in (0.2, 0.05, 0.001):
                cell = tuple(arb(float(t), rad) for t in rng.uniform(0.3, 0.8, 2))
                bound, slopes = balls.bound(*cell), balls.slopes(*cell)
                for _ in range(20):
                    point = tuple(x.mid() + rad * arb(float(t)) for x, t in zip(cell, rng.uniform(-1, 1, 2)))
                    assert balls.value(*point) <= bound
                    assert all(wide.overlaps(narrow) for wide, narrow in zip(slopes, balls.slopes(*point)))


@pytest.mark.parametrize("target", [*INSIDE[1:4], *EDGE[2:]], ids=str)
def test_brackets_are_nested_and_float64_is_safe(target):
    envelope, epsilon, delta = envelope_of(target), *target[1:]
    coarse, fine = (added_variance(envelope, epsilon=epsilon, delta=delta, digits=digits) for digits in (15, 30))
    assert (
        coarse.lower <= fine.lower <= fine.upper <= coarse.upper
        and fine.justified_digits() >= 30
        and fine.basis == "bound"
    )
    length, labels, noise, records = target[0]
    noise = fast.added_variance(
        fast.Prediction(float(length), float(labels), float(noise), records), epsilon=float(epsilon), delta=float(delta)
    )[0]
    assert fine.upper <= Fraction(noise) <= fine.upper * Fraction(11, 10)


def critical_point(target):
    """z, x and v at which delta is level in z and x (x alone on the edge) and meets the target: mpmath from float64's
    place.
    """
    envelope, inside = envelope_of(target), target in INSIDE
    epsilon, delta = (mpmath.mpf(text) for text in target[1:])
    length, labels, noise, records = target[0]
    v, found = fast.added_variance(
        fast.Prediction(float(length), float(labels), float(noise), records), epsilon=float(epsilon), delta=float(delta)
    )
    most = mpmath.mpf(length) ** 2 / mpmath.mpf(noise)

    def level(*at):
        z, log_v, x = at[0], at[1], at[2] if inside else most * (1 - at[0])

        def along(direction):
            step = mpmath.mpf(10) ** -20

            def shifted(h):
                place = z + h * direction[0]
                return delta_at(
                    envelope,
                    mpmath.exp(log_v),
                    place,
                    x + h * direction[1] if inside else most * (1 - place),
                    epsilon,
                    False,
                )

            return (shifted(step) - shifted(-step)) / (2 * step * delta)

        gap = delta_at(envelope, mpmath.exp(log_v), z, x, epsilon, False) / delta - 1
        return (gap, along((1, 0)), along((0, 1))) if inside else (gap, along((1, 0)))

    start = (found.point[0], mpmath.log(v), found.point[1])[: 3 if inside else 2]
    solution = mpmath.findroot(level, start, tol=1e-30, maxsteps=60)
    return solution[0], mpmath.exp(solution[1]), solution[2] if inside else most * (1 - solution[0])


@pytest.mark.parametrize("target", [INSIDE[0], INSIDE[1], EDGE[0], EDGE[1]], ids=str)
def test_the_root_by_mpmath(target):
    with mpmath.workdps(80):
        z, v, x = critical_point(target)
        most = envelope_of(target).length ** 2 / envelope_of(target).noise_variance
        assert 0 < z < 1 and (x < 0.95 * most * (1 - z)) == (target in INSIDE)
        found = added_variance(envelope_of(target), epsilon=target[1], delta=target[2], digits=15)
        assert abs(v - found.mid) < mpmath.mpf(10) ** -14 * v


@pytest.mark.parametrize("target", [INSIDE[0], EDGE[0], EDGE[4]], ids=str)
def test_a_claim_that_is_false_is_not_proved(target):
    envelope, epsilon, delta = envelope_of(target), *(exact(text) for text in target[1:])
    root = added_variance(envelope, epsilon=epsilon, delta=delta, digits=20)

    def proved(v, level):
        return all(joint_shift_plane.at_most(plane, level, 20) for plane in envelope.planes(v, epsilon))

    low, high = exact(root.lower), exact(root.upper)
    assert proved(high, delta)
    assert not proved(low, delta)
    assert not proved(high, delta * (1 - Fraction(1, 10**15)))
    assert not proved(high * Fraction(99, 100), delta)


def test_a_cell_that_is_left_out_would_be_seen(monkeypatch):
    """With the sign of the slopes wrong every cell is thrown away: then a false claim passes, and the test above says
    so.
    """
    target = INSIDE[0]
    envelope, epsilon, delta = envelope_of(target), *(exact(text) for text in target[1:])
    low = exact(added_variance(envelope, epsilon=epsilon, delta=delta, digits=15).lower)
    assert not all(joint_shift_plane.at_most(plane, delta, 15) for plane in envelope.planes(low, epsilon))
    monkeypatch.setattr(prediction_plane.Balls, "slopes", lambda self, p, e: (arb(1), arb(1)))
    assert all(joint_shift_plane.at_most(plane, delta, 15) for plane in envelope.planes(low, epsilon))


@pytest.mark.parametrize("target", [INSIDE[0], EDGE[0]], ids=str)
def test_largest_values(target):
    envelope, epsilon, delta = envelope_of(target), *(exact(text) for text in target[1:])
    v = exact(added_variance(envelope, epsilon=epsilon, delta=delta, digits=20).upper)
    coarse, fine = (largest(envelope, v, epsilon, digits) for digits in (6, 15))
    assert coarse.lower <= fine.upper and fine.lower <= coarse.upper and fine.relative_radius < mpmath.mpf("1e-15")
    assert fine.lower <= delta <= fine.upper * (1 + Fraction(1, 10**14))
    most, rng = envelope.length**2 / envelope.noise_variance, np.random.default_rng(0)
    for z, share in rng.uniform(0, 1, (20, 2)):
        z = Fraction(float(z)) * (envelope.records - 1) * most / (1 + (envelope.records - 1) * most)
        pair = envelope.pair_at(v, z, Fraction(float(share)) * (1 - z) * most)
        assert max(hockey_stick(law, epsilon, 8).lower for law in (pair, pair.swapped())) <= fine.upper


def test_the_largest_value_of_a_rank_one_envelope():
    for envelope in (RankOne(Fraction(16, 57), Fraction(1, 19), Fraction(1, 2)), RankOne(0, 0, 1)):
        v = exact(added_variance(envelope, epsilon=1, delta="1e-3", digits=20).upper)
        found = largest(envelope, v, 1, 15)
        assert found.relative_radius < mpmath.mpf("1e-15") and abs(found.mid * 1000 - 1) < mpmath.mpf("1e-14")


def test_a_far_tail():
    value = largest(Prediction(1, Fraction(1, 2), 250, 16), 0, 1, 30)
    assert value.justified_digits() >= 30 and 0 < value.upper < Fraction(1, 10**100)


def test_a_worst_pair_that_is_about_to_leave_the_edge():
    """A little less noise variance and the worst pair lies inside; the critical point beyond the edge must
    not count.
    """
    envelope = Prediction(1, Fraction(1, 2), Fraction(422007407376077026128769, 25 * 10**23), 2)
    assert added_variance(envelope, epsilon=1, delta="1e-5", digits=30).justified_digits() >= 30


def test_no_noise_and_no_noise_by_a_hair():
    envelope = Prediction(1, Fraction(1, 2), 100, 16)
    level = exact(largest(envelope, 0, 1, 40).mid)
    assert added_variance(envelope, epsilon=1, delta=level * (1 + Fraction(1, 10**20))).upper == 0
    assert added_variance(envelope, epsilon=1, delta=level * (1 - Fraction(1, 10**8))).lower > 0
    with pytest.raises(PrecisionError, match="by a hair"):
        added_variance(envelope, epsilon=1, delta=level * (1 - Fraction(1, 10**30)))


def test_float64_is_safe_on_random_predictions():
    rng = np.random.default_rng(7)
    for _ in range(4):
        length, labels, ratio, epsilon, delta = (
            float(f"{10**t:.3g}") for t in rng.uniform([-0.5, -1, -2, -3, -12], [0.5, 1, 2, 1, -1])
        )
        records = round(10 ** rng.uniform(math.log10(2), 3))
        noise = fast.added_variance(
            fast.Prediction(length, labels, length**2 / ratio, records), epsilon=epsilon, delta=delta
        )[0]
        exactly = added_variance(
            Prediction(length, labels, length**2 / ratio, records), epsilon=epsilon, delta=delta, digits=12
        )
        assert exactly.upper <= Fraction(noise) <= exactly.upper * Fraction(11, 10)


def test_limits_of_the_arguments():
    envelope = Prediction(1, 1, 1, 3)
    for call in (
        lambda: largest(envelope, -1, 1),
        lambda: largest(RankOne(1, 1, 1), 0, 1),
        lambda: added_variance(envelope, epsilon=1, delta=1),
        lambda: added_variance(envelope, epsilon=-1, delta="0.1"),
    ):
        with pytest.raises(InputError):
            call()


def test_balls_of_a_point_are_tight():
    with working_bits(200):
        plane = Prediction(1, 1, 1, 3).planes(Fraction(2), Fraction(1))[0]
        assert plane.balls().value(ball(Fraction(1, 3)), ball(Fraction(1, 2))).rel_accuracy_bits() > 150
