"""The ridge relative to a set of databases under the finite-r law: how far its curves bend, their bounds, against the
laws themselves.
"""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from ndis_verify import mechanisms, oracle
from ndis_verify.exact_number import as_exact
from ndis_verify.mechanisms.relative_least_squares import relative_least_squares as fast_least_squares
from ndis_verify.oracle.certified.relative_least_squares import sketch as relative_least_squares_sketch
from ndis_verify.oracle.certified.relative_least_squares.path import changes
from ndis_verify.oracle.certified.relative_least_squares.sketch import SketchCurve
from ndis_verify.oracle.engine.precision import PrecisionError

DIRECTIONS = ("delete", "insert")
RELATIVE = oracle.certified_relative_least_squares
TWO = np.array([(3, -5), (7, 2)]) / 8
# the first eight are fitted exactly beside no ridge: their cost rises first
FITTED = np.array([(1, 1)] * 8 + [(0, 1)] * 8, dtype=float)


def curves(data, r, epsilon, target="1e-300"):
    rows = as_exact(data)
    found = changes(rows, rows)[0]
    return [
        SketchCurve(change, rows.shape[1] - 1, r, Fraction(epsilon), way, Fraction(target))
        for change in found
        for way in DIRECTIONS
    ]


def some(shape, seed):
    return np.random.default_rng(seed).integers(-16, 17, shape) / 16


def test_the_second_derivative_of_the_moving_law():
    """P''/P of the module's head against differences of the density itself, along m = s^2/3, log lambda_1 = sin s, log
    lambda_2 = s - s^2.
    """
    d, r, s, z = 3, 7, mpmath.mpf("0.4"), [mpmath.mpf(v) for v in ("0.3", "-0.7", "1.1")]
    half = mpmath.mpf(r + 1) / 2
    centre, first, others = (lambda t: t**2 / 3), mpmath.sin, (lambda t: t - t**2)

    def density(t):
        square = (z[0] - centre(t)) ** 2 / mpmath.exp(first(t)) + (z[1] ** 2 + z[2] ** 2) / mpmath.exp(others(t))
        return mpmath.exp(-(first(t) + (d - 1) * others(t)) / 2) * (1 + square) ** -half

    with mpmath.workdps(40):
        (a, turn_a), (c, turn_c) = ((mpmath.diff(f, s), mpmath.diff(f, s, 2)) for f in (first, others))

        def speed(t):
            return 2 * t / 3 / mpmath.exp(first(t) / 2)

        mu, turn_mu = speed(s), mpmath.diff(speed, s)
        along, across = (z[0] - centre(s)) / mpmath.exp(first(s) / 2), (z[1] ** 2 + z[2] ** 2) / mpmath.exp(others(s))
        whole = 1 + along**2 + across
        y0, y1, y2 = 1 / mpmath.sqrt(whole), along / mpmath.sqrt(whole), across / whole
        score = mpmath.diff(lambda t: mpmath.log(density(t)), s)
        found = (
            score**2 + half * (2 * mu * y0 * y1 + a * y1**2 + c * y2) ** 2 + turn_a * (half * y1**2 - mpmath.mpf(1) / 2)
        )
        found += turn_c * (half * y2 - mpmath.mpf(d - 1) / 2) - 2 * half * mu**2 * y0**2
        found += half * (2 * turn_mu - 3 * mu * a) * y0 * y1 - half * a**2 * y1**2 - half * c**2 * y2
        assert abs(found - mpmath.diff(density, s, 2) / density(s)) < mpmath.mpf(10) ** -12


def concave_cases():
    """(curve, middle, half of the width): r - d even, odd and 0, next to a summit of the cost and away from one."""
    for data, r, epsilon, places in (
        (FITTED, 200, 3, (2, 4, 8)),
        (FITTED, 41, "0.5", (1, 3, 9)),
        (some((4, 3), 3), 2, "0.001", (1, 20)),
        (some((5, 4), 4), 6, "0.2", (1, 4)),
        (TWO, 2, "0.01", (1, 7)),
        (some((7, 6), 5), 300, "0.5", (4, 50)),
    ):
        for curve in curves(data, r, epsilon)[:4]:
            for place in places:
                yield curve, Fraction(place), Fraction(place, 40)


def too_concave():
    """Second differences below -K, and the number that are negative."""
    wrong = below = 0
    for curve, place, half in concave_cases():
        left, middle, right = (curve.value(place + half * i, 15) for i in (-1, 0, 1))
        most = (left.upper + right.upper - 2 * middle.lower) / half**2
        wrong, below = wrong + (most < -curve.convexity(place - half, place + half)), below + (most < 0)
    return wrong, below


def test_convex_with_the_parabola_added():
    wrong, below = too_concave()
    assert wrong == 0 and below >= 3


def test_a_parabola_forgotten_is_caught(monkeypatch):
    monkeypatch.setattr(SketchCurve, "convexity", lambda self, low, high: Fraction(0))
    assert too_concave()[0] >= 3


def test_chords_and_slopes():
    settled = 0
    for curve, place, half in concave_cases():
        low, high = place - half / 3, place + half / 3
        found = curve.bend(low, high, 20)
        assert found.rest == 0
        points = [curve.value(low + (high - low) * Fraction(i, 6), 18) for i in range(7)]
        ends, slope, width = (points[0], points[-1]), (points[-1].mid - points[0].mid), high - low
        away = found.coefficient * width**2 / 4
        assert all(
            min(e.lower for e in ends) - away <= p.upper and p.lower <= max(e.upper for e in ends) + away
            for p in points
        )
        assert all(
            abs(6 * (b.mid - a.mid) - slope) <= float(2 * found.coefficient * width**2) * (1 + 1e-9)
            for a, b in itertools.pairwise(points)
        )
        settled += slope + float(2 * found.coefficient * width**2) < 0
    assert settled >= 5  # the bound is of use: intervals of a sixtieth of their place are proved to fall


@pytest.mark.parametrize(("shape", "r"), [((3, 2), 2), ((2, 3), 9), ((3, 4), 40), ((9, 3), 401)])
def test_bounds_of_wide_intervals(shape, r):
    for curve in curves(some(shape, 6), r, "0.7")[:6]:
        for low, high in (
            (Fraction(0), Fraction(1, 10**6)),
            (Fraction(1, 4), Fraction(1, 2)),
            (Fraction(2), Fraction(17, 8)),
        ):
            least, most, beyond = curve.lower(low, high, 10), curve.upper(low, high, 10), curve.beyond(high, 10)
            for i in range(1, 5):
                value = curve.value(low + (high - low) * Fraction(i, 4), 12)
                assert least <= value.upper and value.lower <= most
            assert all(curve.value(high * k, 12).lower <= beyond for k in (1, 3, 100))


def test_beside_next_to_no_ridge_for_want_of_rank():
    """Fewer records than features: the divergence tends to 1, and for some change its lower bound says so."""
    for r, epsilon in ((9, 1), (82, 38), (300, 5)):
        found = [curve.lower(Fraction(0), Fraction(1, 10**20), 10) for curve in curves(some((2, 4), 7), r, epsilon)]
        assert max(found) > Fraction(9, 10)


def student_cost(data, ridge, r, epsilon):
    """d = 1: the largest of the divergences from the densities of the solutions themselves."""

    def law(rows):
        xx, xy, yy = (sum(a[i] * a[j] for a in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
        xx, yy = xx + ridge, yy + ridge
        centre, scale = xy / xx, mpmath.sqrt((yy - xy**2 / xx) / xx)
        norm = mpmath.gamma(mpmath.mpf(r + 1) / 2) / (mpmath.sqrt(mpmath.pi) * mpmath.gamma(mpmath.mpf(r) / 2)) / scale
        return lambda t: norm * (1 + ((t - centre) / scale) ** 2) ** (-mpmath.mpf(r + 1) / 2)

    def divergence(p, q):
        gap = lambda t: p(t) - mpmath.exp(epsilon) * q(t)
        grid = [mpmath.tan(mpmath.pi * (mpmath.mpf(i) / 400 - mpmath.mpf(1) / 2)) for i in range(1, 400)]
        ends = [
            mpmath.findroot(gap, (a, b), solver="anderson", tol=1e-40)
            for a, b in itertools.pairwise(grid)
            if gap(a) * gap(b) < 0
        ]
        points = [-mpmath.inf, *ends, mpmath.inf]
        return sum(
            (mpmath.quad(gap, [a, b]) for a, b in itertools.pairwise(points) if gap(_inside(a, b)) > 0), mpmath.mpf(0)
        )

    rows = [[mpmath.mpf(v) for v in row] for row in data.tolist()]
    pairs = [(rows, rows[:i] + rows[i + 1 :]) for i in range(len(rows))] + [([*rows, row], rows) for row in rows]
    return max(divergence(law(a), law(b)) for pair in pairs for a, b in (pair, pair[::-1]))


def _inside(a, b):
    if mpmath.isinf(a) or mpmath.isinf(b):
        return b - 1 if mpmath.isinf(a) and not mpmath.isinf(b) else a + 1 if not mpmath.isinf(a) else mpmath.mpf(0)
    return (a + b) / 2


@pytest.mark.parametrize(("r", "epsilon", "delta"), [(5, "0.5", "0.01"), (4, "0.1", "0.2"), (1, "0.02", "0.03")])
def test_against_the_densities_of_the_solutions(r, epsilon, delta):
    found = RELATIVE(TWO, "rows", 1, r, epsilon=epsilon, delta=delta, law="sketch", digits=15)
    with mpmath.workdps(25):
        cost = student_cost(TWO, mpmath.mpf(found.mid), r, mpmath.mpf(epsilon))
        assert found.mid > 0.01 and abs(cost / mpmath.mpf(delta) - 1) < 1e-12


@pytest.mark.parametrize(
    ("data", "r", "epsilon", "delta"),
    [
        (TWO, 3, "1e-6", "1e-30"),
        (some((4, 3), 3), 40, "1", "1e-5"),
        (some((4, 3), 3), 2, "0.001", "1e-9"),
        (FITTED, 200, "3", "1e-9"),
    ],
)
@pytest.mark.parametrize("ridge", ["smallest", "lasting"])
def test_many_digits(data, r, epsilon, delta, ridge):
    few, many = (
        RELATIVE(data, "rows", 3, r, epsilon=epsilon, delta=delta, law="sketch", ridge=ridge, digits=digits)
        for digits in (6, 40)
    )
    if few.mid == 0:
        assert many.upper == 0
        return
    assert few.overlaps(many) and many.justified_digits() >= 40 and many.basis == "bound"
    found = curves(data, r, epsilon)
    worst = [max(curve.value(end, 60).upper for curve in found) for end in (many.lower, many.upper)]
    assert worst[1] <= Fraction(delta) < worst[0]


def test_as_many_values_for_all_digits(monkeypatch):
    counts = []
    value = relative_least_squares_sketch.als_exact_hockey_stick
    for digits in (6, 30):
        counts.append(0)

        def counted(*arguments):
            counts[-1] += 1
            return value(*arguments)

        monkeypatch.setattr(relative_least_squares_sketch, "als_exact_hockey_stick", counted)
        RELATIVE(some((4, 3), 3), "rows", 3, 40, epsilon="1", delta="1e-5", law="sketch", digits=digits)
    assert counts[1] < counts[0] + 40


@pytest.mark.parametrize("seed", range(6))
def test_the_mechanism_never_costs_more(seed):
    rng = np.random.default_rng(seed)
    data = rng.integers(-16, 17, (int(rng.integers(2, 8)), int(rng.integers(2, 5)))) / 64
    d = data.shape[1] - 1
    r, epsilon, delta = (
        d + int(rng.integers(0, 60)),
        float(10 ** rng.uniform(-4, 1)),
        float(10 ** rng.uniform(-12, -0.5)),
    )
    ridge = Fraction(
        fast_least_squares(mechanisms.neighbourhood(data, 1.0), r, epsilon=epsilon, delta=delta, law="sketch").ridge
    )
    smallest = RELATIVE(data, "rows", 1, r, epsilon=epsilon, delta=delta, law="sketch")
    assert smallest.lower <= ridge
    if ridge:
        assert max(curve.value(ridge, 30).upper for curve in curves(data, r, epsilon)) <= Fraction(delta)


def test_a_failing_integral_is_a_precision_error(monkeypatch):
    def failing(*_):
        raise SystemError("error return without exception set")

    monkeypatch.setattr(relative_least_squares_sketch, "als_exact_hockey_stick", failing)
    with pytest.raises(PrecisionError):
        RELATIVE(TWO, "rows", 1, 5, epsilon="0.5", delta="0.01", law="sketch")
