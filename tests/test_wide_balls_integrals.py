"""Balls through the certified integrals and series: bounds hold all inside, and what was cut off is in the radius."""

import random
from fractions import Fraction
from math import comb
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from flint import acb, arb, fmpq

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified import denoising, random_projection
from ndis_verify.oracle.certified.engine import balls, integrand, laplace, smooth_curve
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.engine.binomial_window import MixedTails
from ndis_verify.oracle.certified.engine.tail import INFINITE, Term, Transform, tail_bound
from ndis_verify.oracle.certified.general_bound import covariance_terms, two_steps
from ndis_verify.oracle.certified.general_bound.covariance_terms import Amount, Covariance, Exponent, vertex
from ndis_verify.oracle.certified.hockey_stick import log_hockey_stick

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


def holds(value, truth):
    """Whether a ball holds a number, exactly."""
    return enclosure(value).contains(exact(truth))


# Balls


def test_a_ball_as_radius_counts_with_its_upper_end():
    for bits in (10, 20, 53, 200):
        with working_bits(bits):
            for middle, rad in ((1, 0.5), (0, 0.25), (Fraction(1, 3), 0), (Fraction(1, 7), 0.125)):
                wide = ball(Fraction(middle)) + arb(0, rad)
                assert enclosure(arb(0, wide)).upper >= enclosure(wide).upper


@pytest.mark.parametrize("bits", [5, 10, 20, 53])
def test_an_enclosure_around_a_short_number_is_as_wide_as_a_ball(bits):
    for k in range(1, 60):
        with mpmath.workdps(80):
            rad = mpmath.mpf(k) / 7
        value = Enclosure(mpmath.mpf(1), rad, "bound")
        with working_bits(bits):
            for found in (balls.to_exact_ball(value), covariance_terms._ball_of(value)):
                assert holds(found, value.lower) and holds(found, value.upper)


# The inverse Laplace integral


def transform(alpha, y, q=0, second_pole=True, k=1):
    """One eigenvalue; x as in the module `tail`."""
    return Transform(y, (Term(alpha, k, arb(0), arb(q)),), y, second_pole)


def test_a_saddle_is_found_left_of_the_cut_wherever_in_its_ball_the_cut_is():
    """The cut lies between 0.91 and 1.11, and the least value of the integrand comes ever closer to it."""
    with working_bits(100):
        for y in (0.5, 1.61, 5, 12, 50):
            wide = transform(arb(1, 0.1), arb(y))
            start = laplace.saddle(wide)
            assert start is not None and 1 - start * wide.terms[0].alpha > 0


@pytest.mark.parametrize("bits", [20, 60, 100])
def test_a_saddle_that_rounding_does_not_tell_from_the_cut_is_none(bits):
    with working_bits(bits):
        assert laplace.saddle(transform(arb(0.5), arb(2) ** (bits + 40))) is None


@pytest.mark.parametrize("alpha, epsilon", [("1e-20", 10**6), ("1e-30", 1), ("1e-50", 1)])
def test_a_divergence_far_below_the_smallest_floats_is_computed_with_more_bits(alpha, epsilon):
    """One eigenvalue: the closed form of a projection to one row."""
    growth = Fraction(alpha)
    found = log_hockey_stick(GaussianPair([0], [1 + growth], [0], [1]), epsilon, digits=80)
    closed = random_projection.rp_hockey_stick(growth / (1 + growth), 1, epsilon, digits=30)
    with mpmath.workdps(100):
        assert abs(found.mid - mpmath.log(closed.mid)) < mpmath.mpf(10) ** -20


def test_what_lies_beyond_the_path_is_in_the_radius(monkeypatch):
    monkeypatch.setattr(laplace, "trapezoid", lambda *given: None)  # tests/test_certified_hyperbola.py
    real = laplace._descent

    def short(transform, start, width, scale, tolerance, free):
        return real(transform, start, width, scale, tolerance * 10**18, free)

    for y in (0.5, 1.5, 3.0):
        with working_bits(200):
            problem = transform(arb(0.5), arb(y), k=3)
            exact_value = laplace.upward_integral(problem, 20).plain()
            with monkeypatch.context() as patch:
                patch.setattr(laplace, "_descent", short)
                cut = laplace.upward_integral(problem, 20).plain()
            assert cut.rad() > 1000 * exact_value.rad()
            assert cut.contains(exact_value)


def test_a_wide_box_gets_the_smaller_of_two_enclosures():
    with working_bits(100):
        cancelling = Transform(arb(1000), (Term(arb("0.001"), 1, arb(0), arb(2000)),), arb(1000), True)
        near_the_pole = Transform(arb(0), (Term(arb("0.001"), 1, arb(0), arb(0)),), arb(0), False)
        boxes = [
            (cancelling, arb(0), acb(arb(1, 0.1), arb(1, 0.1)), "centred"),
            (near_the_pole, arb(-20), acb(arb(0.25, 0.08), arb(0.25, 0.08)), "plain"),
            (near_the_pole, arb(-20), acb(arb(1, 1e-6), arb(1)), "either"),
        ]
        for problem, scale, box, which in boxes:
            sizes = {
                "plain": integrand.product(problem, scale, box, False).abs_upper(),
                "centred": integrand.centred(problem, scale, box).abs_upper(),
            }
            assert which == "either" or sizes[which] == min(sizes.values()) < max(sizes.values())
            assert sizes["plain"] > integrand._LARGE
            assert integrand.value(problem, scale, box, False).abs_upper() == min(sizes.values())


@pytest.mark.parametrize("u", [1j, 1])
@pytest.mark.parametrize("part", ["x", "q", "r"])
def test_the_bound_of_a_tail_holds_for_every_ray_and_integrand_inside(u, part):
    def bound(x, q, r):
        return tail_bound(Transform(x, (Term(arb(-0.5), 3, arb(0), q),), x, True), r, u)

    middles = {"x": arb(1), "q": arb(-2), "r": acb(0.5, 4)}
    wide = {"x": arb(1, 0.1), "q": arb(-2, 0.1), "r": acb(arb(0.5, 0.1), arb(4, 0.1))}
    inside = {
        "x": [arb(0.91), arb(1), arb(1.09)],
        "q": [arb(-2.09), arb(-2), arb(-1.91)],
        "r": [acb(a, b) for a in (0.41, 0.5, 0.59) for b in (3.91, 4, 4.09)],
    }
    found = bound(**middles | {part: wide[part]})
    assert found is not INFINITE and found.is_exact()
    for one in inside[part]:
        assert found >= bound(**middles | {part: one}).mid()


# Smooth curves


def along_a_ray(shapes, x, v, r, u):
    """The integral of |g(r + t u)| over t >= 0, over |g(r)|; shapes: (alpha, k, h) as in the head of `tail`."""
    t = np.expm1(np.linspace(0, np.log(1e6), 4001))
    s = r + t * u
    log = -x * s + v * s * s / 2 - np.log(s) - np.log(s + 1)
    for alpha, k, h in shapes:
        w = 1 - s * alpha
        log = log + h * (1 / w - 1) - k / 2 * np.log(w)
    return np.trapezoid(np.exp((log - log[0]).real), t)


def test_the_bound_along_the_diagonal_is_above_the_integral():
    draw, tried = random.Random(7), 0
    for _ in range(400):
        alphas = draw.sample([-5, -2, -0.9, -0.5, -0.1, 0.1, 0.5, 0.9, 2, 5], draw.choice([1, 2]))
        parts = [(alpha, draw.choice([1, 2, 6, 30]), draw.choice([0, 0, 0.3, 1, 3])) for alpha in alphas]
        null, y = draw.choice([0, 0, 0.5, 2]), draw.choice([-4, -1, -0.2, 0.1, 0.7, 3])
        x = y + sum(m / alpha for alpha, _, m in parts) / 2 - null / 2
        terms = [Term(arb(alpha), k, arb(m), arb(m)) for alpha, k, m in parts] + [Term(arb(0), 0, arb(null), arb(null))]
        problem = Transform(arb(y), tuple(terms), arb(x), second_pole=True)
        r = complex(draw.choice([-3, -0.7, 0.1, 0.4, 0.8, 1.5, 4]), draw.choice([0.1, 0.5, 1, 3, 10]))
        bound = smooth_curve._diagonal(problem, acb(r.real, r.imag)) if problem.side else INFINITE
        if bound is not INFINITE:
            tried += 1
            shapes = [(alpha, k, (m / alpha + m / alpha**2) / 2) for alpha, k, m in parts]
            assert float(bound) >= along_a_ray(shapes, x, null, r, complex(problem.side, 1) / 2**0.5) * (1 - 1e-4)
    assert tried > 100


def local():
    """Covariances 1 + t against 1 and a shift of 1: not far from t = 1/2."""
    return smooth_curve._Local(lambda t: [(t, 1, 1 + t * 0)], Fraction(1), Fraction(2, 5), Fraction(3, 5), 2)


def test_a_part_of_a_path_counts_with_the_most_it_may_be():
    with working_bits(80):
        curve, middle = local(), acb(0.5, 2)
        box = acb(arb(0.5, 0.1), arb(2, 0.1))
        for excess, length in (((1, 0.25), (2, 0)), ((1, 0), (2, 0.5)), ((1, 0.25), (2, 0.5))):
            found = curve._part(middle, box, arb(*excess), arb(*length))
            first, second = curve._coefficients(box)
            height = (
                laplace.log_transform(curve.middle, middle).real + sum(excess) + abs(first.real).upper() * curve.half
            )
            assert found >= height.exp() * abs(second).upper() * sum(length)


def test_a_rest_holds_those_of_all_places_inside():
    with working_bits(80):
        curve = local()
        found = curve._rest(acb(arb(0.5, 0.05), arb(5, 0.1)))
        for real in (0.455, 0.5, 0.545):
            for imag in (4.91, 5, 5.09):
                assert found >= curve._rest(acb(real, imag)).mid()


def test_one_more_bound_of_a_rest_does_not_make_it_larger(monkeypatch):
    with working_bits(80):
        curve, here = local(), acb(0.5, 5)
        assert curve.wide.side
        monkeypatch.setattr(smooth_curve, "_diagonal", lambda *_: INFINITE)
        monkeypatch.setattr(smooth_curve, "tail_bound", lambda *_: INFINITE)
        alone = curve._rest(here)
        monkeypatch.setattr(smooth_curve, "tail_bound", lambda *_: arb(500, 499.9))
        assert curve._rest(here) <= alone
        assert alone.is_finite()


def test_the_bound_of_a_ball_is_its_upper_end():
    assert smooth_curve._upper(arb(1, 0.5)) >= Fraction(3, 2)


# Series


def small(monkeypatch, module, bits=3):
    """The series of a module end as if so few bits were asked for."""
    monkeypatch.setattr(module, "ctx", SimpleNamespace(prec=bits))


def test_the_rest_of_an_incomplete_gamma_is_in_its_radius(monkeypatch):
    small(monkeypatch, random_projection)
    with working_bits(150), mpmath.workdps(50):
        for order, x in ((2, 1), (5, 3), (40, 30), (7, 6)):
            found = random_projection._lower_gamma(arb(order), arb(x))
            assert found.rad() > 1e-6 * found.mid()
            assert holds(found, mpmath.gammainc(order, 0, x, regularized=True))


def test_the_rest_of_the_risk_of_james_and_stein_is_in_its_interval(monkeypatch):
    small(monkeypatch, denoising)
    with working_bits(150), mpmath.workdps(50):
        for d, mean in ((3, 1), (10, 2), (400, 3)):
            found = denoising._share(d, arb(mean))
            assert found.rad() > 1e-6
            assert holds(found, mpmath.hyp1f1(1, mpmath.mpf(d) / 2, -mean))


def test_the_rest_of_what_the_positive_part_saves_is_in_its_interval(monkeypatch):
    with working_bits(200):
        truth = {(d, mean): denoising._truncation_gain(d, arb(mean)) for d in (5, 12, 60) for mean in (1, 3)}
        small(monkeypatch, denoising)
        for (d, mean), fine in truth.items():
            found = denoising._truncation_gain(d, arb(mean))
            assert found.rad() > 1e-6 and found.contains(fine)


H, SINE2, COSINE2, A, B, X = 30, Fraction(3, 10), Fraction(7, 10), 34, 6, Fraction(2, 3)


def beta_tail(a, b, x):
    """I_x(a, b) of whole a and b: the binomial law of a + b - 1 trials from a on."""
    n = a + b - 1
    return sum(comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(a, n + 1))


@pytest.mark.parametrize("grows", [True, False])
@pytest.mark.parametrize("x", [X, Fraction(9, 10)])
def test_the_terms_outside_of_a_window_are_in_the_radius(grows, x):
    terms = [beta_tail(A - i, B + i, x) for i in range(H + 1)]
    terms = terms if grows else [1 - t for t in terms]
    truth = sum(comb(H, i) * SINE2**i * COSINE2 ** (H - i) * t for i, t in enumerate(terms))
    narrow = 0
    with working_bits(120):
        tails = MixedTails(fmpq(H), ball(SINE2), ball(COSINE2), arb(A), arb(B), ball(x), ball(1 - x))

        def tail(a, b, x_, rest):
            return ball(terms[A - int(float(a))])

        whole = tails.total(0, H, tail, grows)
        assert whole.rad() < 1e-25 and holds(whole, truth)
        for first, last in ((4, H), (6, H), (0, 14), (0, 18), (5, 16), (7, 20)):
            found = tails.total(first, last, tail, grows)
            if found.is_finite():
                narrow += 1
                assert found.rad() > 1e-20 and holds(found, truth)
    assert narrow >= 3


# Covariance terms


def test_a_growth_lies_strictly_between_its_ends():
    logs = ((Fraction(13, 10), 2),)
    for amount in (Amount(Fraction(1, 3)), Amount(Fraction(0), logs), Amount(Fraction(1), logs)):
        low, high = amount.growth(5)
        with mpmath.workdps(80):
            truth = exact(mpmath.expm1(to_mpf(amount.plain) + sum(n * mpmath.log(to_mpf(of)) for of, n in amount.logs)))
        assert low < truth < high


@pytest.mark.parametrize("counts", [(2,), (2, 1)])
def test_the_exact_term_holds_those_of_all_growths_inside(monkeypatch, counts):
    def term(*growths):
        ends = iter(growths)
        known = {count: next(ends) for count in counts}
        monkeypatch.setattr(Amount, "growth", lambda amount, digits: known[int(amount.plain)])
        return Covariance(tuple((Amount(Fraction(count)), count) for count in counts), "exact")._exact(HALF, 3)

    monkeypatch.setattr(covariance_terms, "relative_digits", lambda value: 100.0)
    found = term(*[(Fraction(1, 4), HALF)] * len(counts))
    for growth in (Fraction(1, 4), Fraction(1, 3), HALF):
        assert found.contains(term(*[(growth, growth)] * len(counts)).mid())


class KnownExponent:
    """An exponent of which place, value and curvature are given: left end of the range 1, right end 2."""

    def __init__(self, value, left, right):
        self.known, self.left, self.right = value, left, right

    def least(self, e):
        return arb(1) if e <= 0 else arb(2)

    def second(self, s):
        return self.left if s <= 1 else self.right

    def value(self, s, e, hinge):
        return self.known


def bend_of(value, left, right):
    held = {128: KnownExponent(value, left, right)}
    return Covariance(((Amount(Fraction(1)), 1),), "chernoff", held).bend(Fraction(0), Fraction(1))


def inside(wide, count=9):
    low, high = enclosure(wide).lower, enclosure(wide).upper
    return [low + (high - low) * k / (count - 1) for k in range(count)]


@pytest.mark.parametrize("value", [arb(0), arb(-1, 0.5), arb(-3, 1)])
@pytest.mark.parametrize(
    "left, right", [((0.25, 0.15), 2), ((0.25, 0), (0.125, 0.0625)), ((0.3, 0.2), (0.2, 0.05)), (0.25, 1)]
)
def test_the_bend_of_a_covariance_term_is_at_most_that_of_all_it_may_be(value, left, right):
    """B (s (1+s) - 1/K'') at s = 1 from K'' there, with the K'' at either end for the last."""
    left, right = (arb(*x) if isinstance(x, tuple) else arb(x) for x in (left, right))
    found = enclosure(bend_of(value, left, right))
    assert found.rad == 0
    for second in inside(left):
        for slowest in (second, *inside(right)):
            for exponent in inside(value):
                with mpmath.workdps(50):
                    height = exact(mpmath.exp(to_mpf(exponent)) * (1 - mpmath.mpf(10) ** -45))
                if 2 * second < 1:
                    assert found.upper <= (2 * second - 1) * height / slowest


def test_the_bend_of_a_covariance_term_takes_the_slower_end():
    """1/K'' in [1, 10] at the left end, in [5, 6] at the right one: it may be 10."""
    found = bend_of(arb(0), arb(0.55, 0.45).min(arb(0.45)), arb(5.5, 0.5) ** -1)
    assert found <= -5


def test_the_bend_is_rounded_down():
    with mpmath.workdps(80):
        height = exact(mpmath.exp(-1))
    for k in range(1, 400):
        second = arb(0.25) + arb(k) / 2**12
        found = enclosure(bend_of(arb(-1), second, arb(1)))
        at = enclosure(second).mid
        assert found.upper < (2 * exact(at) - 1) * height / exact(at)


@pytest.mark.parametrize("bits", [52, 60, 80])
def test_the_place_of_the_least_hinged_exponent_is_held(bits):
    """The exponent's slope, negative at the lower end of the ball and positive at the upper one."""
    third, fiftieth = Fraction(1, 3), Fraction(1, 50)
    cases = [(third, 2, third, HALF), (Fraction(5, 2), 1, HALF, Fraction(3)), (fiftieth, 7, TENTH, TENTH)]
    for a, k, half, e in cases:
        with working_bits(bits):
            found = Exponent(((ball(a), k),), ball(half)).hinged(ball(e))
        with mpmath.workdps(60):
            low, high = (
                k * to_mpf(a) / (2 * (1 - s * to_mpf(a))) - to_mpf(half) + mpmath.log(s / (1 + s)) - to_mpf(e)
                for s in (to_mpf(enclosure(found).lower), to_mpf(enclosure(found).upper))
            )
        assert low < 0 < high


# Two steps


def test_the_first_split_with_a_covariance_term_is_rounded_down():
    amounts = Amount(Fraction(0), ((Fraction(13, 10), 1),)), Amount(Fraction(0), ((Fraction(13, 10), 2),))
    for epsilon in (HALF, Fraction(2, 3), Fraction(9, 7)):
        steps = two_steps.TwoSteps(Fraction(1), vertex(*amounts, 2), epsilon, "printed")
        for digits in (1, 5, 20):
            with mpmath.workdps(80):
                truth = epsilon - exact(mpmath.log(mpmath.mpf(13) / 10))
            assert truth - Fraction(1, 10**digits) <= steps.low(digits) < truth


class KnownSteps:
    """Steps whose sum is 6/5, known less well at 1/2."""

    epsilon, lone, term = Fraction(1), True, "bound"

    def value(self, mean_first, p, digits):
        return arb(1.2, 0.5 if p == HALF else 1e-10)

    def parts(self, mean_first, p, digits):
        return arb(0.6), arb(0.6)


def test_a_value_on_both_sides_of_the_target_refutes_no_bound_of_all_splits():
    assert two_steps._Proof(KnownSteps(), True, Fraction(1), [], 10).done()
    assert not two_steps._Proof(KnownSteps(), True, Fraction(2), [], 10).done()
