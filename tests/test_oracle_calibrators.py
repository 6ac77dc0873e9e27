"""Calibrations to any number of digits, certified: summits of smooth curves, brackets at 15 and 40 digits, float64 on
the safe side.
"""

import functools
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from ndis_verify import mechanisms, oracle
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms import baselines as printed
from ndis_verify.mechanisms import least_squares, sketched_least_squares
from ndis_verify.oracle import baselines, gaussian_output, mechanism_noise, relative_projection
from ndis_verify.oracle.certified.channel import information_level
from ndis_verify.oracle.certified.engine.smooth_curve import Bend
from ndis_verify.oracle.certified.engine.summit import at_most, refined, settled, summit_cell
from ndis_verify.oracle.certified.least_squares.worst_case import gaussian_edge
from ndis_verify.oracle.engine.precision import PrecisionError

# (d, r, epsilon, delta): the worst record inside the range, at its end, level at the end (r = d + 1), two ends at once
# (epsilon 0, d = 1)
NORMAL = [
    (2, 100, "1", "1e-5"),
    (670, 15, "2.45e-4", "7.8e-11"),
    (2, 3, "2", "1e-3"),
    (1, 1, "0", "0.4"),
    (3, 1000000, "100", "1e-30"),
]
FINITE = [(2, 40, "1", "1e-4"), (18, 62, "8.04", "1e-14"), (15, 15, "2.45e-4", "7.8e-11"), (2, 8, "0.5", "1e-4")]


@functools.cache
def certified_cap(d, r, epsilon, delta):
    """40 digits of a cap of the normal law, for every test that stands on it."""
    return oracle.certified_als_cap(d, r, epsilon=epsilon, delta=delta, digits=40)


def nested(coarse: Enclosure, fine: Enclosure) -> bool:
    return coarse.lower <= fine.lower <= fine.upper <= coarse.upper


@dataclass(frozen=True)
class Parabola:
    """1 - (p - top)^2 on [0, end] without any error."""

    top: Fraction
    end: Fraction = Fraction(1)

    def value(self, p, digits):
        with mpmath.workdps(4 * digits + 200):
            number = 1 - (p - self.top) ** 2
            return Enclosure(
                mpmath.mpf(number.numerator) / number.denominator, mpmath.mpf(10) ** (-digits - 3), "bound"
            )

    def near(self, p, digits):
        return self.value(p, digits).mid

    def bound(self, low, high):
        return Fraction(1)

    def bend(self, low, high, order, digits):
        return Bend(Fraction(1 if order == 2 else 0), Fraction(0))


def test_a_summit_inside_is_found_and_bounded():
    curve = Parabola(Fraction(2, 7))
    place = refined(curve, Fraction(1, 4), Fraction(1, 10), 40)
    assert abs(place - Fraction(2, 7)) < Fraction(1, 10**35)
    cell = summit_cell(curve, place, 20)
    assert cell.low < Fraction(2, 7) < cell.high and 1 <= cell.upper <= 1 + Fraction(1, 10**18)
    assert at_most(curve, [place], 1 + Fraction(1, 10**15), 20) and not at_most(
        curve, [place], 1 - Fraction(1, 10**15), 20
    )


def test_a_place_beside_the_summit_is_no_summit():
    with pytest.raises(PrecisionError, match="no cell"):
        summit_cell(Parabola(Fraction(2, 7)), Fraction(2, 7) + Fraction(1, 10**6), 20)


@pytest.mark.parametrize("top", [Fraction(-1, 2), Fraction(0), Fraction(3, 2)])
def test_a_summit_at_an_end(top):
    curve = Parabola(top)
    end = Fraction(0) if top <= 0 else Fraction(1)
    height = 1 - (end - top) ** 2
    cell = summit_cell(curve, end, 15)
    assert end in (cell.low, cell.high) and height <= cell.upper <= height + Fraction(1, 10**14)


def test_halving_says_no_where_a_value_is_too_high():
    assert not settled(Parabola(Fraction(1, 2)), Fraction(0), Fraction(1), Fraction(999, 1000))
    assert settled(Parabola(Fraction(1, 2)), Fraction(0), Fraction(1), Fraction(1001, 1000))


@pytest.mark.parametrize(
    ("edge", "place"), [(gaussian_edge("0.05", 2, 100, 1, 20), "0.3"), (gaussian_edge("0.02", 10, 900, 1, 20), "0.49")]
)
def test_a_bend_is_above_the_divided_differences(edge, place):
    for direction in ("delete", "insert"):
        centre, half = Fraction(place) * edge.cap, edge.cap / 100
        nodes = [centre + half * k / 3 for k in (-3, -1, 1, 3)]
        table = [edge.value(p, direction) for p in nodes]
        low, high = [value.lower for value in table], [value.upper for value in table]
        for order in (1, 2, 3):
            spread = nodes[order] - nodes[0]
            low, high = (
                [(low[i + 1] - high[i]) / spread for i in range(4 - order)],
                [(high[i + 1] - low[i]) / spread for i in range(4 - order)],
            )
            found = edge.bend(nodes[0], nodes[3], direction, order, 25)
            for a, b in zip(low, high):  # a divided difference is F^(n)/n! somewhere between the nodes
                assert max(a, -b) <= found.coefficient + 2**order * found.rest / (half / 3) ** order
            assert direction == "insert" or found.coefficient * half**order <= table[0].upper  # and not idle


@pytest.mark.parametrize("target", NORMAL, ids=str)
def test_caps_of_the_normal_law_are_nested_and_the_mechanism_is_safe(target):
    d, r, epsilon, delta = target
    fine = certified_cap(*target)
    assert fine.justified_digits() >= 40 and fine.basis == "bound"
    if target in NORMAL[:1]:
        assert nested(oracle.certified_als_cap(d, r, epsilon=epsilon, delta=delta, digits=15), fine)
    ridge = Fraction(least_squares(d, r, epsilon=float(epsilon), delta=float(delta), norm_bound=1.0).ridge)
    need = 1 / Fraction(fine.lower) - 1
    assert need <= ridge <= need * (1 + Fraction(1, 10**6))


@pytest.mark.parametrize("target", FINITE, ids=str)
def test_caps_of_the_finite_law_are_nested_and_the_mechanism_is_safe(target):
    d, r, epsilon, delta = target
    coarse, fine = (
        oracle.certified_als_exact_cap(d, r, epsilon=epsilon, delta=delta, digits=digits) for digits in (15, 40)
    )
    assert nested(coarse, fine) and fine.justified_digits() >= 40 and fine.basis == "bound"
    ridge = Fraction(sketched_least_squares(d, r, epsilon=float(epsilon), delta=float(delta), norm_bound=1.0).ridge)
    need = 1 / Fraction(fine.lower) - 1
    assert need <= ridge <= need * (1 + Fraction(1, 10**6))


def test_pure_privacy_of_the_sketch():
    cap = oracle.certified_als_exact_cap(2, 40, epsilon="1", delta=0, digits=40)
    with mpmath.workdps(60):
        assert cap.contains(-mpmath.expm1(-mpmath.mpf(1) / 20)) and cap.justified_digits() >= 40


@pytest.mark.parametrize(
    ("target", "share"), [((2, 100, "1", "1e-5"), "0.3264"), ((670, 15, "2.45e-4", "7.8e-11"), "0")]
)
def test_one_per_cent_less_noise_fails(target, share):
    d, r, epsilon, delta = target
    ridge = 1 / Fraction(certified_cap(*target).lower) - 1
    for factor, broken in ((Fraction(99, 100), True), (Fraction(1), False)):
        cap = 1 / (1 + ridge * factor)
        # with more digits than the cap has, which is at its lower end
        value = oracle.certified_als_hockey_stick(Fraction(share) * cap, cap, d, r, epsilon, "delete", digits=45)
        assert (
            value.lower > Fraction(delta)
            if broken
            else value.upper <= Fraction(delta) < value.upper * Fraction(1001, 1000)
        )


BASE = np.random.default_rng(0).integers(-8, 9, (12, 2)) / 16
PROCESS = functools.partial(mechanisms.gaussian_process, mechanisms.linear_kernel, [0.0])
GAUSSIAN = functools.partial(mechanisms.gaussian_mechanism, adjacency="one record")


def relative(base, additions, norm_bound, r, **target):
    return mechanisms.relative_random_projection(mechanisms.neighbourhood(base, norm_bound, additions), r, **target)


def alike(waste, ours, theirs, *placed, **target):
    """The oracle's noise to n digits, that of the float64 mechanism at the same target, and the largest
    relative waste.
    """

    def noise():
        numbers = ("epsilon", "delta", "norm_bound", "label_bound")
        rounded = {name: float(value) if name in numbers else value for name, value in target.items()}
        found = theirs(*(float(value) if isinstance(value, str) else value for value in placed), **rounded)
        return next(iter(found.calibration.noise.values()))

    return lambda n: ours(*placed, **target, digits=n), noise, waste


def projections(waste, *placed, **target):
    return alike(waste, mechanism_noise.random_projection, mechanisms.random_projection, *placed, **target)


def figure_4(noise):
    target = {"epsilon": "1", "delta": "1e-4", "norm_bound": 1, "noise": noise}
    return alike(1e-9, mechanism_noise.least_squares, mechanisms.least_squares, 2, 40, **target)


def sketches(waste, delta):
    target = {"epsilon": "1", "delta": delta, "norm_bound": 2}
    return alike(waste, mechanism_noise.sketched_least_squares, mechanisms.sketched_least_squares, 2, 40, **target)


def surrogates(**options):
    target = {"penalty": 3, "norm_bound": "1.5", "epsilon": "1", "delta": "1e-5", **options}
    return alike(1e-3, gaussian_output.logistic_regression, mechanisms.logistic_regression, 30, **target)


def predictions(noise_variance, **options):
    target = {"label_bound": "0.5", "norm_bound": 1, "records": 16, "epsilon": "1", "delta": "1e-5", **options}
    return alike(1e-3, gaussian_output.gaussian_process, PROCESS, noise_variance=noise_variance, **target)


def informed(epsilon, delta, conversion="binary"):
    target = {"epsilon": epsilon, "delta": delta, "norm_bound": 2, "conversion": conversion}
    return alike(1e-5, baselines.mutual_information, printed.mutual_information, 10, **target)


PAIRS = {
    "projection": projections(1e-10, 10, epsilon="1", delta="1e-6", norm_bound=2),
    "projection, extreme": projections(1e-9, 10**6, epsilon="1e-6", delta="1e-30", norm_bound=2),
    "projection, loose": projections(1e-9, 1, epsilon="100", delta="0.4", norm_bound=2),
    "projection, printed": projections(1e-10, 10, epsilon="1", delta="1e-6", norm_bound=2, ridge="N24-Fig3"),
    "linear combination": alike(
        1e-10,
        mechanism_noise.random_linear_combination,
        mechanisms.random_linear_combination,
        epsilon="0.1",
        delta="1e-9",
        norm_bound=2,
    ),
    "subsampled": alike(
        1e-9,
        mechanism_noise.subsampled_random_projection,
        mechanisms.subsampled_random_projection,
        "0.01",
        10,
        epsilon="1",
        delta="1e-6",
        norm_bound=2,
    ),
    "relative": alike(
        1e-9,
        relative_projection.relative_random_projection,
        relative,
        BASE,
        BASE[:3],
        1,
        10,
        epsilon="0.1",
        delta="1e-6",
    ),
    "analytic": alike(1e-9, mechanism_noise.gaussian_mechanism, GAUSSIAN, 1, epsilon="1e-6", delta="1e-30"),
    "Fig4": figure_4("N24-Fig4"),
    "Fig4 corner": figure_4("N24-Fig4 corner"),
    "sketch": sketches(1e-7, "1e-4"),
    "pure sketch": sketches(1e-9, 0),
    "logistic": surrogates(),
    "logistic, improved": surrogates(sensitivity="improved", records=455),
    "prediction": predictions(1),
    "prediction, printed": predictions(250, sensitivity="printed"),
    "mutual information": informed("1", "1e-3"),
    "mutual information, extreme": informed("1e-6", "1e-30"),
    "Pinsker": informed("1", "1e-6", "pinsker"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_noise_is_nested_and_the_mechanism_is_safe(name):
    oracle_noise, fast_noise, waste = PAIRS[name]
    coarse, fine = oracle_noise(15), oracle_noise(40)
    assert nested(coarse, fine) and fine.justified_digits() >= 40 and fine.basis == "bound"
    noise = Fraction(float(fast_noise()))
    slack = Fraction(1, 10**14) if "Fig4" in name else 0  # printed for comparison, not settled on the safe side
    assert fine.upper * (1 - slack) <= noise <= fine.upper * (1 + Fraction(waste))


def test_printed_formulas():
    for ours, theirs in ((baselines.sheffet, printed.sheffet), (baselines.blocki, printed.blocki)):
        ridge = theirs(10, epsilon=1, delta=1e-6, norm_bound=2).ridge
        assert float(ours(10, epsilon="1", delta="1e-6", norm_bound=2).mid) == pytest.approx(ridge, rel=1e-14)
    assert baselines.laplace_mechanism(1, "0.3").contains(Fraction(10, 3))
    for rule in ("classical", "rho"):
        exactly = mechanism_noise.gaussian_mechanism(1, epsilon="0.5", delta="1e-6", rule=rule)
        assert float(exactly.mid) == pytest.approx(
            mechanisms.gaussian_mechanism(1, epsilon=0.5, delta=1e-6, adjacency="one record", rule=rule).std, rel=1e-14
        )


def test_propose_test_release():
    coarse, fine = (
        mechanism_noise.propose_test_release(
            10, epsilon="1", delta="1e-6", norm_bound=1, std=40, delta_test="1e-7", delta_failure="1e-7", digits=n
        )
        for n in (15, 40)
    )
    noise = mechanisms.propose_test_release(
        10, epsilon=1, delta=1e-6, norm_bound=1, std=40, delta_test=1e-7, delta_failure=1e-7
    ).calibration.noise
    for name in ("test_epsilon", "full_ridge", "quantile", "zero_ridge", "break_even"):
        assert nested(getattr(coarse, name), getattr(fine, name)) and getattr(fine, name).justified_digits() >= 39
        if name in noise:
            assert (
                getattr(fine, name).upper
                <= Fraction(noise[name])
                <= getattr(fine, name).upper * (1 + Fraction(1, 10**10))
            )
    assert fine.zero_ridge.overlaps(coarse.zero_ridge) and fine.break_even.upper < fine.zero_ridge.lower
    with pytest.raises(InputError, match="std"):
        mechanism_noise.propose_test_release(
            10, epsilon="1", delta="1e-6", norm_bound=1, std=1, delta_test="1e-7", delta_failure="1e-7"
        )


def test_a_planned_split_reaches_what_it_says():
    plan = mechanisms.planned_split(10, epsilon=1, delta=1e-6, norm_bound=1)
    reached = mechanism_noise.propose_test_release(
        10,
        epsilon=1,
        delta=1e-6,
        norm_bound=1,
        std=plan.std,
        delta_test=plan.delta_test,
        delta_failure=plan.delta_failure,
    )
    assert plan.zero_ridge == pytest.approx(float(reached.zero_ridge.mid), rel=1e-8)
    assert plan.break_even == pytest.approx(float(reached.break_even.mid), rel=1e-8)


def test_one_per_cent_less_variance_fails():
    envelope = oracle.joint_shift.RankOne(Fraction(16, 57), Fraction(1, 19), Fraction(1, 2))
    need = Fraction(oracle.joint_shift.added_variance(envelope, epsilon=1, delta="1e-5", digits=15).upper)
    for factor, broken in ((Fraction(99, 100), True), (Fraction(1), False)):
        highest = max(
            curve.value(share * curve.end, 12).upper
            for curve in envelope.curves(need * factor, Fraction(1))
            for share in map(Fraction, ("0", "0.145", "0.146", "1"))
        )
        assert highest > Fraction(1, 10**5) if broken else highest <= Fraction(1, 10**5)


def test_least_capacity_of_a_violating_channel():
    """At epsilon = 0 by symmetry q = (1 - delta)/2, p = 1 - q and w = 1/2."""
    value = information_level(epsilon=Fraction(0), delta=Fraction(2, 5), digits=30)
    with mpmath.workdps(40):
        p = mpmath.mpf("0.7")
        assert value.contains(mpmath.log(2) + p * mpmath.log(p) + (1 - p) * mpmath.log(1 - p))


@pytest.mark.parametrize(
    "target",
    [("1e-6", "1e-30"), ("1e-6", "0.4"), ("0.5", "1e-12"), ("2", "0.1"), ("100", "0.4"), ("100", "1e-30")],
    ids=str,
)
def test_no_channel_has_less_capacity_and_a_search_finds_it(target):
    """The mutual information itself, maximised over the input inside a minimum over the channel, both by thirds."""
    epsilon, delta = map(Fraction, target)
    value = information_level(epsilon=epsilon, delta=delta, digits=40)
    assert value.justified_digits() >= 40
    with mpmath.workdps(110):
        growth, delta = (
            mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator),
            mpmath.mpf(delta.numerator) / delta.denominator,
        )

        def information(w, q):
            p = delta + growth * q
            m = w * p + (1 - w) * q
            return sum(
                share * (x * mpmath.log(x / m) + (1 - x) * mpmath.log((1 - x) / (1 - m)))
                for share, x in ((w, p), (1 - w, q))
            )

        def capacity(u):
            q = (1 - delta) / growth / (1 + mpmath.exp(-u))
            return -least(lambda w: -information(w, q), mpmath.mpf("0.2"), mpmath.mpf("0.8"))

        reached = least(capacity, mpmath.mpf(-90), mpmath.mpf(5))
        assert (
            value.lower * (1 - Fraction(1, 10**10))
            <= Fraction(mpmath.nstr(reached, 50))
            <= value.upper * (1 + Fraction(1, 10**8))
        )


def least(function, low, high):
    for _ in range(36):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        low, high = (low, right) if function(left) <= function(right) else (left, high)
    return min(function(low), function(high))


def test_extreme_targets_of_the_sketch():
    """At epsilon = 100 the worst record is next to the end of the range and of the support."""
    for delta in ("1e-30", "0.4"):
        found = mechanism_noise.sketched_least_squares(5, 51, epsilon="100", delta=delta, norm_bound=1, digits=30)
        assert found.justified_digits() >= 30 and found.upper <= Fraction(
            sketched_least_squares(5, 51, epsilon=100, delta=float(delta), norm_bound=1.0).ridge
        )
        # pure privacy costs more
        assert found.upper < mechanism_noise.sketched_least_squares(5, 51, epsilon="100", delta=0, norm_bound=1).lower


def test_no_noise_where_none_is_needed():
    assert (
        gaussian_output.gaussian_process(
            noise_variance=250, label_bound="0.5", norm_bound=1, records=16, epsilon="1", delta="1e-5"
        ).upper
        == 0
    )
    assert (
        relative_projection.relative_random_projection(
            np.vstack([BASE] * 40), BASE[:1], 1, 1, epsilon="10", delta="0.3"
        ).upper
        == 0
    )


@pytest.mark.parametrize("d", [1, 6])
def test_the_printed_noise_at_a_far_target_does_not_fill_the_memory(d):
    """On the way the divergence is as small as e^-4e14, which no fraction can hold."""
    found = mechanism_noise.least_squares(
        d, 1, epsilon=Fraction(1, 10**6), delta=Fraction(1, 10**30), norm_bound=1, noise="N24-Fig4", digits=15
    )
    assert found.justified_digits() >= 15
    assert least_squares(d, 1, epsilon=1e-6, delta=1e-30, norm_bound=1.0, noise="N24-Fig4").ridge == pytest.approx(
        float(found.mid), rel=1e-6
    )
