"""The trapezoid rule on a hyperbola: whatever path, strip and step are planned, what comes back holds the integral."""

import random

import mpmath
import pytest
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify import GaussianPair
from ndis_verify.oracle.certified.engine import hyperbola, laplace
from ndis_verify.oracle.certified.engine.balls import working_bits
from ndis_verify.oracle.certified.engine.hyperbola_plan import Plan, plan
from ndis_verify.oracle.certified.engine.integrand import centred, largest, product
from ndis_verify.oracle.certified.engine.tail import Term, Transform
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_sf
from ndis_verify.oracle.certified.hockey_stick import hockey_stick


def problem(draw, second_pole=True, count=3):
    """A transform of the hockey-stick kind: p = q = m^2, weights of either sign, now and then a Gaussian part."""
    terms = [
        Term(arb(alpha), draw.randint(1, 4), arb(shift), arb(shift))
        for alpha, shift in (
            (sign * 10 ** draw.uniform(-3, 0.5), draw.choice([0.0, draw.uniform(0, 2)]))
            for sign in [1, *draw.choices([-1, 1], k=count - 1)]
        )
    ]
    if draw.random() < 0.3:
        terms.append(Term(arb(0), 0, arb(0.5), arb(0.5)))
    y = arb(draw.uniform(-1, 3))
    x = y + sum((t.p / (2 * t.alpha) if not t.alpha.is_zero() else -t.q / 2 for t in terms), arb(0))
    return Transform(y, tuple(terms), x, second_pole)


def by_polygon(monkeypatch, transform, digits=20):
    with monkeypatch.context() as patch:
        patch.setattr(laplace, "trapezoid", lambda *given: None)
        return laplace.upward_integral(transform, digits).plain()


@pytest.mark.parametrize("second_pole", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_two_rules_of_integration_enclose_one_number(monkeypatch, seed, second_pole):
    draw = random.Random(seed)
    with working_bits(200):
        transform = problem(draw, second_pole, draw.choice([1, 2, 5]))
        start = laplace.saddle(transform)
        scale, tolerance = laplace.log_transform(transform, acb(start)).real.mid(), start * arb(10) ** -22
        found = hyperbola.trapezoid(transform, start, scale, tolerance, 20)
        assert found is not None
        found *= scale.exp()
        assert found.rel_accuracy_bits() > 55
        assert found.overlaps(by_polygon(monkeypatch, transform))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    tangent=st.floats(-2, 2),
    width=st.floats(0.05, 20),
    sides=st.tuples(st.floats(0.01, 1.6), st.floats(0.01, 1.6)),
    step=st.floats(0.02, 1.5),
    nodes=st.integers(1, 60),
    bits=st.sampled_from([12, 20, 53, 100]),
)
def test_any_plan_encloses_the_integral_or_is_refused(seed, tangent, width, sides, step, nodes, bits):
    """Paths that are too short, steps too long, strips over the poles, bounds in few bits: the goal is as loose as it
    has to be for bounds to be taken.
    """
    with pytest.MonkeyPatch.context() as patch, working_bits(150):
        transform = problem(random.Random(seed))
        start = laplace.saddle(transform)
        scale = laplace.log_transform(transform, acb(start)).real.mid()
        wanted = by_polygon(patch, transform) / scale.exp()
        bad = Plan(tangent, width * float(start), *sides, step, nodes)
        patch.setattr(hyperbola, "plan", lambda *given: bad)
        patch.setattr(hyperbola, "_BOUND_BITS", bits)
        found = hyperbola.trapezoid(transform, start, scale, start * 1e6, 0)
        assert found is None or found.overlaps(wanted)
        assert found is None or found.rad() > 0


@pytest.mark.parametrize("fault", ["step", "nodes"])
def test_a_rule_that_is_too_coarse_has_the_radius_for_it(monkeypatch, fault):
    with working_bits(200):
        transform = problem(random.Random(3))
        start = laplace.saddle(transform)
        scale = laplace.log_transform(transform, acb(start)).real.mid()
        given = (transform, start, scale, start * arb(10) ** -20)
        good = plan(*given)
        values = dict(vars(good))
        coarse = {"step": values | {"step": 3 * good.step, "nodes": good.nodes // 3}}
        coarse["nodes"] = values | {"nodes": good.nodes // 2}
        exact = hyperbola.trapezoid(*given, 20)
        monkeypatch.setattr(hyperbola, "plan", lambda *given: Plan(**coarse[fault]))
        assert hyperbola.trapezoid(*given, 20) is None
        found = hyperbola.trapezoid(transform, start, scale, start * 1e3, 20)
        assert found.contains(exact) and found.rad() > 1000 * exact.rad()
        assert abs(found.mid() - exact.mid()) > 100 * exact.rad()


def test_a_strip_over_a_pole_or_a_cut_is_refused():
    with working_bits(100):
        transform = Transform(arb(1), (Term(arb(0.5), 1, arb(0), arb(0)),), arb(1), True)
        start = laplace.saddle(transform)
        room = {"pole": float(start), "cut": 2 - float(start)}
        for v, place, far in ((1.0, "pole", 1.01), (1.0, "pole", 0.99), (-1.0, "cut", 1.01), (-1.0, "cut", 0.99)):
            width = far * room[place] / abs(float(arb(v).sin()))
            chosen = Plan(0.0, width, 1e-9 if v > 0 else 1.0, 1.0 if v > 0 else 1e-9, 0.1, 10)
            analytic = hyperbola._Strip(transform, start, arb(0), chosen)._analytic()
            assert analytic is (far < 1), (place, far)
        for turned in (Plan(1.0, 1e-3, 1.0, 0.5, 0.1, 10), Plan(-1.0, 1e-3, 0.5, 1.0, 0.1, 10)):  # A <= 0 at one end
            assert not hyperbola._Strip(transform, start, arb(0), turned)._analytic()


def test_a_plan_over_a_pole_gives_nothing_though_its_lines_are_bounded(monkeypatch):
    with working_bits(100):
        transform = Transform(arb(1), (Term(arb(0.5), 1, arb(0), arb(0)),), arb(1), True)
        start = laplace.saddle(transform)
        chosen = Plan(0.0, 1.05 * float(start), 0.3, 1.5, 0.5, 12)
        monkeypatch.setattr(hyperbola, "plan", lambda *given: chosen)
        assert hyperbola.trapezoid(transform, start, arb(0), start * 1e9, 20) is None


@pytest.mark.parametrize("seed", range(4))
def test_the_error_is_at_least_that_of_the_sides_the_ends_and_the_ray(seed):
    """Of a path cut short, beside integrals of |f| by mpmath."""
    with working_bits(100), mpmath.workdps(20):
        transform = problem(random.Random(seed))
        start = laplace.saddle(transform)
        scale = laplace.log_transform(transform, acb(start)).real.mid()
        good = plan(transform, start, scale, start * arb(10) ** -8)
        short = Plan(**vars(good) | {"nodes": good.nodes // 2})
        strip = hyperbola._Strip(transform, start, scale, short)
        width, end = short.width, short.step * (short.nodes + 0.5)

        def size(x, v):
            u = mpmath.mpc(x, v)
            s = float(start) + width * (short.tangent * (mpmath.cosh(u) - 1) + 1j * mpmath.sinh(u))
            g = product(transform, scale, acb(arb(float(s.real)), arb(float(s.imag)))).abs_upper()
            return float(g) * abs(width * (short.tangent * mpmath.sinh(u) + 1j * mpmath.cosh(u)))

        ends = sides = 0
        for v in (short.above, -short.below):
            damping = mpmath.expm1(2 * mpmath.pi * abs(v) / short.step)
            sides += mpmath.quad(lambda x, v=v: size(x, v), mpmath.linspace(0, end, 5)) / damping
            ends += mpmath.quad(
                lambda y, v=v: size(end, y if v > 0 else -y) * mpmath.exp(-2 * mpmath.pi * y / short.step),
                [0, short.step / 4, short.step, abs(v)],
            )
        found = strip.error(start * 1e6)
        assert ends > 0 and float(found) >= (sides + ends + float(strip._ray())) * (1 - 1e-9)
        assert abs(float(strip.end) - end) < 1e-12


def test_many_factors_lose_few_digits():
    draw = random.Random(8)
    pair = GaussianPair(
        [draw.gauss(0, 0.05) for _ in range(200)], [2.718 ** draw.gauss(0, 0.05) for _ in range(200)], [0] * 200, 1
    )
    found, few = hockey_stick(pair, 1, digits=30), hockey_stick(pair, 1, digits=8)
    assert abs(found.mid - few.mid) <= few.rad and found.rad < 1e-30


def test_a_thousand_digits():
    pair = GaussianPair(["0.5"], ["2"], [0], [1])
    long, short = hockey_stick(pair, 1, digits=1000), hockey_stick(pair, 1, digits=40)
    assert abs(long.mid - short.mid) <= short.rad and 0 < long.rad < abs(long.mid) * long.mid.context.mpf(10) ** -1000
    tail = generalized_chi2_sf([2, "-0.5"], [3, 1], ["0.25", 0], 0, 1, 4, digits=300)
    assert abs(tail.mid - generalized_chi2_sf([2, "-0.5"], [3, 1], ["0.25", 0], 0, 1, 4, digits=30).mid) < 1e-30


def test_the_precision_of_the_caller_comes_back():
    with working_bits(177):
        laplace.upward_integral(problem(random.Random(1)), 15)
        assert ctx.prec == 177


def strip_of(seed, step=0.25, nodes=8):
    transform = problem(random.Random(seed))
    start = laplace.saddle(transform)
    return hyperbola._Strip(transform, start, arb(0), Plan(0.4, 0.5 * float(start), 0.3, 0.3, step, nodes))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("by", ["centre", "factors"])
def test_the_largest_size_in_a_wide_box_is_that_of_all_points_in_it(monkeypatch, seed, by):
    draw = random.Random(seed)
    with working_bits(100):
        strip = strip_of(seed)
        if by == "factors":
            monkeypatch.setattr(hyperbola, "largest", lambda *given: arb("nan"))
        for _ in range(5):
            left, right = sorted(draw.uniform(0, 2) for _ in range(2))
            below, above = sorted(draw.uniform(-0.3, 0.3) for _ in range(2))
            ends = [arb(x).cosh() for x in (left, right)], [arb(x).sinh() for x in (left, right)]
            bound = strip._largest(*(low.union(high) for low, high in ends), *strip._at(arb(below).union(arb(above))))
            for x in (left, (left + right) / 2, right):
                for v in (below, (below + above) / 2, above):
                    a, b = strip._at(arb(v))
                    cosh, sinh = arb(x).cosh(), arb(x).sinh()
                    s = acb(strip.offset + strip.width * b * cosh, strip.width * a * sinh)
                    pace = acb(strip.width * b * sinh, strip.width * a * cosh)
                    assert not bound < (product(strip.transform, strip.scale, s) * pace).abs_lower()


@pytest.mark.parametrize("seed", range(20))
def test_the_bound_of_the_modulus_holds_at_the_corners_and_is_no_worse_than_the_box(seed):
    draw = random.Random(seed)
    with working_bits(100):
        transform = problem(draw, second_pole=seed % 2 == 0)
        right = min((float(1 / t.alpha) for t in transform.terms if t.alpha > 0), default=1.0)
        for _ in range(5):
            x, y, reach = draw.uniform(0, right), draw.uniform(-2, 2), draw.choice([1e-4, 1e-2]) * right
            s = acb(arb(x, reach), arb(y, reach))
            box, bound = centred(transform, arb(1), s).abs_upper(), largest(transform, arb(1), s)
            assert bound.is_finite() == box.is_finite()
            assert not box.is_finite() or float(bound / box) < 1 + 1e-9
            for corner in (acb(x + i * reach, y + j * reach) for i in (-1, 1) for j in (-1, 1)):
                assert not bound < product(transform, arb(1), corner).abs_lower()


@pytest.mark.parametrize("seed", range(6))
def test_an_estimate_is_near_the_enclosure(seed):
    draw = random.Random(seed)
    with working_bits(200):
        transform = problem(draw)
        proved, near = (laplace.upward_integral(transform, 12, proved).plain() for proved in (True, False))
        assert abs(float(near / proved) - 1) < 1e-11


def test_wide_balls_count_with_their_upper_ends(monkeypatch):
    """The height at the end of the path, a bound of the ray, and the sum of all bounds."""
    with working_bits(60):
        strip = strip_of(1)
        with monkeypatch.context() as patch:
            patch.setattr(hyperbola, "product", lambda *given: acb(arb(2, 1)))
            patch.setattr(hyperbola, "tail_bound", lambda *given: arb(1))
            assert strip._ray() >= 3
        monkeypatch.setattr(hyperbola._Strip, "_ray", lambda self: arb(2, 1))
        assert strip.error(arb(10) ** 12) > 3
