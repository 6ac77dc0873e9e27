"""Two-step bounds in the oracle: known noise, nested brackets, an independent minimum over splits, the float64
calibration on the safe side.
"""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb

from ndis_verify import mechanisms, oracle
from ndis_verify.exact_number import InputError
from ndis_verify.fast import covariance_shift as fast
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle import gaussian_output
from ndis_verify.oracle.certified.engine.balls import ball, to_fraction, working_bits
from ndis_verify.oracle.certified.general_bound.covariance_terms import Amount, Covariance, vertex
from ndis_verify.oracle.certified.general_bound.two_steps import Place, TwoSteps
from ndis_verify.oracle.general_bound.bound import (
    Logarithm,
    Sensitivity,
    added_variance,
    covariance_envelope,
    loewner_bound,
)
from ndis_verify.oracle.general_bound.search import best_splits

LINEAR = mechanisms.linear_kernel


def cancer(bound, sensitivity="printed", digits=15, records=455):
    return gaussian_output.logistic_regression(
        30,
        penalty=3,
        norm_bound="1.5",
        epsilon="1",
        delta="1e-5",
        sensitivity=sensitivity,
        records=records,
        digits=digits,
        bound=bound,
    )


def linnerud(bound, sensitivity="printed", digits=15):
    return gaussian_output.gaussian_process(
        noise_variance=250,
        label_bound="0.5",
        norm_bound=1,
        records=16,
        epsilon="1",
        delta="1e-5",
        sensitivity=sensitivity,
        digits=digits,
        bound=bound,
    )


def fast_cancer(bound, sensitivity="printed"):
    return mechanisms.logistic_regression(
        30, penalty=3, norm_bound=1.5, epsilon=1, delta=1e-5, sensitivity=sensitivity, bound=bound, records=455
    ).added_variance


def fast_linnerud(bound, sensitivity="printed"):
    return mechanisms.gaussian_process(
        LINEAR,
        [0.0],
        noise_variance=250,
        label_bound=0.5,
        norm_bound=1,
        records=16,
        epsilon=1,
        delta=1e-5,
        sensitivity=sensitivity,
        bound=bound,
    ).added_variance


def nested(coarse, fine):
    return coarse.lower <= fine.lower <= fine.upper <= coarse.upper


# Independent values: mpmath, the textbook formulas, a plain search over splits


def mean_step(shift, e):
    return mpmath.ncdf(shift / 2 - e / shift) - mpmath.exp(e) * mpmath.ncdf(-shift / 2 - e / shift)


def covariance_step(logs, e, term):
    """inf over s in closed form of the exponent, found by golden section in log s (log odds where s is bounded)."""
    alpha = [mpmath.expm1(x) for x in logs]
    nu = mpmath.fsum(logs)
    if term == "printed":
        if 2 * e >= nu:
            return mpmath.mpf(0)

        def exponent(x):
            return (
                mpmath.exp(x) * (nu - 2 * e)
                - mpmath.fsum(mpmath.log(1 + 2 * mpmath.exp(x) * (1 - mpmath.exp(-v))) for v in logs) / 2
            )

    else:

        def exponent(x):
            s = 1 / (1 + mpmath.exp(-x)) / max(alpha)
            value = -s * (e + nu / 2) - mpmath.fsum(mpmath.log(1 - s * a) for a in alpha) / 2
            return value + (s * mpmath.log(s) - (1 + s) * mpmath.log(1 + s) if term == "bound" else 0)

    return min(mpmath.exp(golden(exponent, mpmath.mpf(-60), mpmath.mpf(60))), mpmath.mpf(1))


def one_eigenvalue(growth, e):
    """Exact, N(0, 1 + growth) against N(0, 1), the larger direction: both tails beyond the radius where the densities
    cross.
    """
    edge = mpmath.sqrt((2 * e + mpmath.log1p(growth)) / growth)
    return mpmath.erfc(edge / mpmath.sqrt(2)) - mpmath.exp(e) * mpmath.erfc(
        edge * mpmath.sqrt(1 + growth) / mpmath.sqrt(2)
    )


def golden(function, low, high, width=6):
    ratio = (mpmath.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > mpmath.mpf(10) ** -width:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return min(at_left, at_right)


def plain_minimum(shift, step, epsilon, splits=12):
    """The least sum over a grid of splits in both orders, then golden sections around the best one."""
    sums = (
        lambda e: mean_step(shift, e) + mpmath.exp(e) * step(epsilon - e),
        lambda e: step(epsilon - e) + mpmath.exp(epsilon - e) * mean_step(shift, e),
    )
    best = []
    for total in sums:
        table = [(total(epsilon * k / splits), k) for k in range(splits + 1)]
        _, k = min(table)
        best.append(golden(total, epsilon * max(k - 1, 0) / splits, epsilon * min(k + 1, splits) / splits, 11))
        best.append(min(table)[0])
    return min(best)


# Values


@pytest.mark.parametrize("term", ["bound", "chernoff", "printed"])
@pytest.mark.parametrize(("rho", "nu", "d"), [("0.3", "0.75", 5), ("0.4", "0.4", 1)])
def test_the_bound_is_the_least_over_all_splits(term, rho, nu, d):
    shift, epsilon = Fraction("0.2"), Fraction(1)
    found = loewner_bound(shift, rho, nu, d, epsilon, term, digits=12)
    with mpmath.workdps(20):
        logs = [mpmath.mpf(x) for x in (["0.3", "0.3", "0.15"] if d == 5 else ["0.4"])]
        plain = plain_minimum(mpmath.mpf("0.2"), lambda e: covariance_step(logs, e, term), mpmath.mpf(1))
        if term == "printed":  # where the covariance term vanishes from
            e = 1 - mpmath.fsum(logs) / 2
            plain = min(plain, mean_step(mpmath.mpf("0.2"), e), mpmath.exp(1 - e) * mean_step(mpmath.mpf("0.2"), e))
    assert found.basis == "bound" and found.justified_digits() >= 11
    assert abs(found.mid / plain - 1) < 1e-9


def test_the_exact_bound_of_one_eigenvalue_is_the_least_over_all_splits():
    found = loewner_bound("0.2", Logarithm(Fraction(3, 2)), Logarithm(Fraction(3, 2)), 1, 1, "exact", digits=12)
    with mpmath.workdps(20):
        plain = plain_minimum(mpmath.mpf("0.2"), lambda e: one_eigenvalue(mpmath.mpf("0.5"), e), mpmath.mpf(1))
    assert abs(found.mid / plain - 1) < 1e-9


@pytest.mark.parametrize(
    ("term", "nu", "digits"),
    [("bound", "0.5", 25), ("chernoff", "0.5", 25), ("printed", "0.5", 25), ("exact", "0.6", 25)],
)
def test_values_are_nested_and_the_float64_bound_is_above(term, nu, digits):
    coarse, fine = (loewner_bound("0.25", "0.2", nu, 5, "1.5", term, digits=n) for n in (digits // 2, digits))
    assert coarse.overlaps(fine) and fine.relative_radius <= mpmath.mpf(10) ** -digits
    value = Fraction(fast.loewner_bound(0.25, 0.2, float(nu), 5, 1.5, term))
    assert fine.lower * (1 - Fraction(1, 10**10)) <= value <= fine.upper * (1 + Fraction(1, 10**5))


def test_the_exact_bound_of_two_eigenvalues():
    """The float64 value between what every split is proved to exceed and what some split does not."""
    steps = TwoSteps(
        Fraction(1, 16), vertex(Amount(Fraction(1, 5)), Amount(Fraction(1, 2)), 5), Fraction(3, 2), "exact"
    )
    near = [x.place(steps) for x in best_splits(replace(steps, term="bound", held={}), 6)]
    value = Fraction(fast.loewner_bound(0.25, 0.2, 0.5, 5, 1.5, "exact"))
    assert steps.above(value * Fraction(9, 10), near, 8) and not steps.above(value * Fraction(11, 10), near, 8)


def test_the_exact_term_by_the_closed_form_is_that_of_the_pair():
    found = covariance_envelope(Logarithm(Fraction(5, 4)), Logarithm(Fraction(5, 4), 3), 9, "0.2", "exact", 20)
    pair = GaussianPair([0] * 3, Fraction(5, 4), [0] * 3, 1)
    assert found.overlaps(oracle.certified_hockey_stick(pair, "0.2", 20))
    assert found.lower > oracle.certified_hockey_stick(pair.swapped(), "0.2", 20).upper


def test_one_step_alone_and_none():
    assert loewner_bound("0.5", 0, 0, 1, 1).overlaps(oracle.certified_gaussian_hockey_stick("0.5", 1, 1, 30))
    assert loewner_bound(0, "0.3", "0.3", 2, "0.1", "exact", 12).overlaps(
        covariance_envelope("0.3", "0.3", 2, "0.1", "exact", 20)
    )
    assert loewner_bound(0, 0, 0, 1, 0).sign() == 0
    assert loewner_bound("0.3", "0.3", "0.3", 1, 0, "chernoff", 10).upper == 1  # Pr[L >= 0] is bounded by 1 only


@pytest.mark.parametrize(
    ("rho", "nu", "d", "groups"),
    [
        (Logarithm(Fraction(3, 2)), Logarithm(Fraction(9, 4)), 5, [(1.5, 2)]),
        (Logarithm(2), Logarithm(Fraction(9, 4)), 5, [(2, 1), (1.125, 1)]),
        (Logarithm(2), Logarithm(2, 10**6), 10**6, [(2, 10**6)]),
        (Logarithm(8), Logarithm(2, 7), 4, [(8, 2), (2, 1)]),
        ("0.1", "0.3", 7, [(math.exp(0.1), 3)]),
        (Logarithm(3), Logarithm(3, 5), 2, [(3, 2)]),
        ("0.5", Logarithm(2), 3, [(math.exp(0.5), 1), (2 / math.exp(0.5), 1)]),
        (2, "0.5", 3, [(math.exp(0.5), 1)]),
    ],
)
def test_the_vertex_is_decided(rho, nu, d, groups):
    amounts = [
        Amount(Fraction(0), ((Fraction(x.of), x.times),)) if isinstance(x, Logarithm) else Amount(Fraction(x))
        for x in (rho, nu)
    ]
    found = vertex(*amounts, d)
    with working_bits(80):
        shown = [(float(amount.ball().exp()), count) for amount, count in found]
    assert [count for _, count in shown] == [count for _, count in groups]
    assert [value for value, _ in shown] == pytest.approx([value for value, _ in groups])


# Noise


KNOWN = [  # of another program, and of the sources; see tests/test_mechanism_gaussian_output.py
    (cancer, "chernoff", "16.9984"),
    (cancer, "corrected", "14.1343"),
    (cancer, "printed", "9.6110"),
    (linnerud, "chernoff", "15.2059"),
    (linnerud, "corrected", "11.3853"),
    (linnerud, "printed", "0.6746"),
    (linnerud, "exact", "8.6476"),
]


@pytest.mark.parametrize(("mechanism", "bound", "value"), KNOWN, ids=lambda x: getattr(x, "__name__", x))
def test_known_noise_is_bracketed_and_float64_is_safe(mechanism, bound, value):
    found = mechanism(bound)
    assert abs(found.mid - mpmath.mpf(value)) < 6e-5 and found.basis == "bound" and found.justified_digits() >= 15
    noise = Fraction((fast_cancer if mechanism is cancer else fast_linnerud)(bound))
    assert found.upper <= noise <= found.upper * (1 + Fraction(1, 10**8))


@pytest.mark.parametrize("bound", ["corrected", "chernoff", "printed"])
def test_brackets_are_nested(bound):
    for mechanism in (cancer, linnerud)[: 1 if bound == "corrected" else 2]:
        coarse, fine = mechanism(bound), mechanism(bound, digits=40)
        assert nested(coarse, fine) and fine.justified_digits() >= 40


def test_improved_sensitivities():
    for ours, theirs in ((cancer, fast_cancer), (linnerud, fast_linnerud)):
        found = ours("corrected", "improved")
        assert found.upper <= Fraction(theirs("corrected", "improved")) <= found.upper * (1 + Fraction(1, 10**8))
    # no cap on n: no covariance to lean on
    assert cancer("chernoff", "improved", records=None).lower > cancer("chernoff", "improved").upper


@pytest.mark.parametrize("term", ["bound", "chernoff", "printed"])
def test_float64_noise_of_random_targets_is_safe(term):
    rng = np.random.default_rng(8)
    for _ in range(2):
        epsilon, delta, shift, lost, kept = (
            float(np.exp(rng.uniform(*np.log(ends))))
            for ends in ((1e-6, 100), (1e-30, 0.4), (0.01, 100), (0.001, 100), (0.001, 10))
        )
        d, parts = int(rng.integers(1, 30)), tuple(Fraction(x) for x in (shift, lost, kept))

        def exactly(v, parts=parts, d=d):
            size, grown, small = parts
            return Sensitivity(
                size**2 / (v + small), Logarithm(1 + grown / (v + small)), Logarithm(1 + grown / (v + small), d), d
            )

        def roughly(v, values=(shift, lost, kept), d=d):
            rho = math.log1p(values[1] / (v + values[2]))
            return values[0] / math.sqrt(v + values[2]), rho, d * rho, d

        found = added_variance(exactly, epsilon=epsilon, delta=delta, term=term)
        noise = Fraction(fast.added_variance(roughly, epsilon=epsilon, delta=delta, term=term))
        assert found.lower <= noise <= found.upper * (1 + Fraction(1, 10**5)) + Fraction(1, 10**300)


def test_only_one_split_at_epsilon_zero():
    def sensitivities(v):
        return Sensitivity(1 / v, Logarithm(1 + 1 / v), Logarithm(1 + 1 / v), 1)

    found = added_variance(sensitivities, epsilon=0, delta="0.1", term="exact")
    with mpmath.workdps(30):
        value = mean_step(1 / mpmath.sqrt(found.mid), mpmath.mpf(0)) + one_eigenvalue(1 / found.mid, mpmath.mpf(0))
        assert abs(value * 10 - 1) < 1e-14
    with pytest.raises(InputError, match="sensitivities"):
        added_variance(sensitivities, epsilon=0, delta="0.1", term="chernoff")


def test_no_noise_where_none_is_needed():
    assert (
        added_variance(
            lambda v: Sensitivity(1 / (v + 100), Logarithm(2), Logarithm(2), 1), epsilon=9, delta="0.1"
        ).upper
        == 0
    )


# What the proof must refuse


def steps_of(term="bound"):
    amount = Amount(Fraction(3, 10))
    return TwoSteps(Fraction(1, 25), vertex(amount, Amount(Fraction(3, 4)), 5), Fraction(1), term)


@pytest.mark.parametrize("term", ["bound", "chernoff", "printed"])
def test_a_target_above_the_least_value_is_not_proved(term):
    steps = steps_of(term)
    bound = loewner_bound("0.2", "0.3", "0.75", 5, 1, term, 12)
    place = least_place(steps)
    assert steps.above(bound.lower * (1 - Fraction(1, 10**6)), [place], 25)
    assert not steps.above(bound.upper * (1 + Fraction(1, 10**6)), [place], 25)


def test_a_wrong_place_proves_nothing_false():
    """Places only guide: with a wrong one the least value is still found, or nothing is claimed."""
    steps, bound = steps_of(), loewner_bound("0.2", "0.3", "0.75", 5, 1, "bound", 12)
    for p in ("0.05", "0.9"):
        wrong = [Place(order, Fraction(p), Fraction(1, 50)) for order in (True, False)]
        assert steps.above(bound.lower * Fraction(1, 2), wrong, 20)
        assert not steps.above(bound.upper * Fraction(11, 10), wrong, 20)


def least_place(steps):
    splits = [Fraction(k, 2000) for k in range(2001)]
    _, order, p = min((float(steps.value(order, p, 12)), order, p) for p in splits[::10] for order in (True, False))
    near = [p + Fraction(k, 2000) for k in range(-10, 11) if 0 <= p + Fraction(k, 2000) <= 1]
    return Place(order, min(near, key=lambda x: float(steps.value(order, x, 12))), Fraction(1, 50))


def test_a_covariance_term_one_per_mille_too_small_is_seen(monkeypatch):
    honest = cancer("corrected")
    value = TwoSteps._spread

    def smaller(self, p, digits):
        with working_bits(300):
            return value(self, p, digits) * ball(Fraction(999, 1000))

    monkeypatch.setattr(TwoSteps, "_spread", smaller)
    assert cancer("corrected").upper < honest.lower


@pytest.mark.parametrize("term", ["chernoff", "printed"])
def test_a_bend_is_below_the_second_difference(term):
    """(t B(log(T/t)))'' t on a cell is at least `bend`."""
    term_at = Covariance(steps_of(term).vertex, term)
    for centre in (Fraction(k, 100) for k in range(1, 36, 3)):
        low, high = centre - Fraction(1, 500), centre + Fraction(1, 500)
        bend = term_at.bend(low, high)
        if not bend.is_finite():
            continue
        with working_bits(160):
            h = arb(2) ** -30
            t = (-ball(centre)).exp()
            points = [t * (1 - h), t, t * (1 + h)]
            values = []
            for x in points:
                e = -x.log()
                values.append(x * term_at.value(to_fraction(e), 45))
            second = (values[0] - 2 * values[1] + values[2]) / (t * h) ** 2 * t
        assert float(second) >= float(bend) - 1e-6


@pytest.mark.parametrize(
    "call, argument",
    [
        (lambda: loewner_bound(-1, 1, 1, 1, 1), "shift"),
        (lambda: loewner_bound(1, -1, 1, 1, 1), "rho"),
        (lambda: loewner_bound(1, 1, Logarithm("0.5"), 1, 1), "nu"),
        (lambda: loewner_bound(1, 1, 1, 0, 1), "dimension"),
        (lambda: loewner_bound(1, 1, 1, 1, -1), "epsilon"),
        (lambda: loewner_bound(1, 1, 1, 1, 1, "tight"), "term"),
        (lambda: loewner_bound(1, 1, 1, 1, 1, digits=0), "digits"),
        (lambda: loewner_bound(1, 1, Logarithm(2, -1), 1, 1), "nu"),
        (lambda: cancer("corrected", "joint"), "bound"),
        (lambda: cancer("none"), "bound"),
        (lambda: cancer("joint"), "dimension"),
        (lambda: added_variance(lambda v: Sensitivity(1, 1, 1, 1), epsilon=1, delta="1e-9"), "sensitivities"),
        (lambda: added_variance(lambda v: Sensitivity(1 / v, 1, 1, 1), epsilon=1, delta=1), "delta"),
    ],
)
def test_bad_input_names_its_argument(call, argument):
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value).startswith(argument)
