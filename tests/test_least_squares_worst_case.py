"""The worst record of private least squares below a cap: the edge, the bounds on a box, the certified supremum, the
cap.
"""

from fractions import Fraction

import numpy as np
import pytest

from ndis_verify import fast, oracle
from ndis_verify.exact_number import InputError
from ndis_verify.fast.least_squares import worst_case, worst_record
from ndis_verify.fast.least_squares.worst_case import als_cap, als_worst_case, crossing
from ndis_verify.fast.least_squares.worst_record import als_exact_cap, als_exact_worst_case
from ndis_verify.oracle.certified.least_squares.cap import als_exact_ridge
from ndis_verify.oracle.certified.least_squares.edge import Peak, cover, interval
from ndis_verify.oracle.certified.least_squares.worst_case import gaussian_edge, student_edge
from ndis_verify.symbolic import least_squares_order as order

DIRECTIONS = ("delete", "insert")
CURVES = {"normal": (fast.als_hockey_stick, gaussian_edge), "student": (fast.als_exact_hockey_stick, student_edge)}
ASYMPTOTIC = [("0.1", 2, 100, 1), ("0.05", 10, 1000, 1), ("0.5", 1, 1, "0.5"), ("0.02", 50, 100, 1)]
FINITE = [("0.1", 2, 100, 1), ("0.1", 2, 101, 1), ("0.5", 2, 2, "0.3"), ("0.9", 1, 3, "0.2")]


@pytest.mark.parametrize("law", CURVES)
def test_the_bound_of_a_box_is_above_every_record_in_it(law):
    curve, edge_at = CURVES[law]
    rng = np.random.default_rng(81)
    for _ in range(60):
        d = int(rng.integers(1, 6))
        r, cap = d + int(rng.integers(0, 60)), round(float(rng.uniform(0.01, 0.9)), 3)
        edge = edge_at(cap, d, r, round(float(rng.exponential(0.5)), 2), 6)
        direction = str(rng.choice(DIRECTIONS))
        low, high = sorted(Fraction(int(i), 64) * edge.cap for i in rng.choice(65, 2, replace=False))
        bound = edge.bound(low, high, direction)
        p = np.append(np.linspace(float(low), float(high), 9)[:-1], min(float(high), cap))
        assert float(bound) >= (1 - 1e-9) * curve(p, cap, d, r, float(edge.epsilon), direction).max()


@pytest.mark.parametrize("law", CURVES)
def test_the_bound_of_a_short_box_is_close(law):
    edge = CURVES[law][1]("0.1", 2, 100, 1, 8)
    low = Fraction("0.04")
    for direction in DIRECTIONS:
        assert edge.bound(low, low + Fraction(1, 10**6), direction) < edge.value(low, direction).upper * Fraction(
            10001, 10000
        )


@pytest.mark.parametrize("case", ASYMPTOTIC, ids=str)
def test_asymptotic_supremum_holds_the_searched_one_and_every_record_of_the_triangle(case):
    cap, d, r, epsilon = (float(v) for v in case)
    found = oracle.certified_als_worst_case(*case, relative="0.02")
    searched = fast.als_worst_case(cap, int(d), r, epsilon)
    assert float(found.value.lower) * (1 - 1e-9) <= searched.delta <= float(found.value.upper) * (1 + 1e-12)
    assert found.value.upper <= found.value.lower * Fraction(51, 50)
    assert_above_the_triangle(fast.als_hockey_stick, found, cap, int(d), r, epsilon, 400)


@pytest.mark.parametrize("case", FINITE, ids=str)
def test_finite_supremum_holds_the_searched_one_and_every_record_of_the_triangle(case):
    cap, d, r, epsilon = (float(v) for v in case)
    found = oracle.certified_als_exact_worst_case(*case, relative="0.02")
    searched = fast.als_exact_worst_case(cap, int(d), r, epsilon)
    assert float(found.value.lower) * (1 - 1e-9) <= searched.delta <= float(found.value.upper) * (1 + 1e-12)
    assert_above_the_triangle(fast.als_exact_hockey_stick, found, cap, int(d), r, epsilon, 40)


def assert_above_the_triangle(curve, found, cap, d, r, epsilon, count):
    rng = np.random.default_rng(5)
    q = cap * np.sqrt(rng.uniform(size=count))
    p = q * rng.uniform(size=count)
    for direction in DIRECTIONS:
        assert curve(p, q, d, r, epsilon, direction).max() <= float(found.value.upper)


def test_one_direction_alone():
    for direction in DIRECTIONS:
        found = oracle.certified_als_worst_case("0.1", 2, 100, 1, direction, relative="0.02")
        assert found.direction == direction
        assert (
            float(found.value.lower) * (1 - 1e-9)
            <= fast.als_worst_case(0.1, 2, 100, 1, direction).delta
            <= float(found.value.upper)
        )


def test_with_one_feature_the_directions_agree():
    """x and y change places: the record with p/(1-p) and (q-p)/(1-q) exchanged has the other direction's curve."""
    p, q = Fraction("0.1"), Fraction("0.3")
    x, y = p / (1 - p), (q - p) / (1 - q)
    here = oracle.certified_als_hockey_stick(p, q, 1, 20, 1, "delete", digits=15)
    there = oracle.certified_als_hockey_stick(y / (1 + y), q, 1, 20, 1, "insert", digits=15)
    assert (1 + x) * (1 + y) == 1 / (1 - q) and here.overlaps(there)


def test_a_record_below_the_cap_is_one_on_it_with_noise():
    """gaussian_order's curve, certified: at (X, Y) both directions are above those at every smaller point of it."""
    X, Y = Fraction("0.2"), Fraction("0.3")
    for tau in (Fraction(1, 4), Fraction(2)):
        x, y = X / (1 + tau * X), Y / (1 + tau * Y)
        (p, q), (p2, q2) = ((a / (1 + a), 1 - 1 / ((1 + a) * (1 + b))) for a, b in ((x, y), (X, Y)))
        assert symbolic_number(tau, X, Y) == pytest.approx(float(q))
        for direction in DIRECTIONS:
            low = oracle.certified_als_hockey_stick(p, q, 3, 40, 2, direction, digits=12)
            high = oracle.certified_als_hockey_stick(p2, q2, 3, 40, 2, direction, digits=12)
            assert low.upper < high.lower


def symbolic_number(tau, X, Y):
    return float(order.gaussian_order().number(odds_p=float(X), odds_q=float(Y), tau=float(tau)))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_finite_law_grows_with_q_at_a_fixed_ratio(direction):
    values = [
        oracle.certified_als_exact_hockey_stick(q / 3, q, 2, 9, "0.2", direction, digits=12)
        for q in map(Fraction, ("0.2", "0.3", "0.6"))
    ]
    assert values[0].upper < values[1].lower and values[1].upper < values[2].lower
    assert float(order.finite_order().number(leverage=0.1, augmented_leverage=0.3, cap=0.6)) == pytest.approx(0.2)


def test_no_divergence_where_there_is_none():
    assert oracle.certified_als_worst_case(0, 2, 10, 1).value.upper == 0
    found = oracle.certified_als_exact_worst_case("0.1", 2, 10, "0.53")  # (10/2) log(1/0.9) = 0.5268...
    assert found.value.lower == found.value.upper == 0
    assert oracle.certified_als_exact_worst_case("0.1", 2, 10, "0.52").value.lower > 0
    assert fast.als_exact_worst_case(0.1, 2, 10, [0.52, 0.53]).delta.tolist()[1] == 0


def test_a_target_below_the_supremum_is_not_covered():
    edge = gaussian_edge("0.1", 2, 100, 1, 6)
    start = Peak(Fraction(0), Fraction(0), "delete")
    low, high = Fraction("0.0105"), Fraction("0.0108")
    assert cover(edge, DIRECTIONS, start, lambda _: low, ceiling=low).peak.lower > low
    covered = cover(edge, DIRECTIONS, start, lambda _: high, ceiling=high)
    assert covered.upper <= high and covered.peak.lower < covered.upper


def test_the_interval_of_a_report_contains_the_enclosure():
    found = oracle.certified_als_worst_case("0.5", 1, 1, "0.5", relative="0.1")
    low, high = (Fraction(text) for text in interval(found.value)[1:-1].split(", "))
    assert low <= found.value.lower <= found.value.upper <= high
    assert f"{found.boxes} boxes" in found.line()


TARGETS = [(2, 100, 1.0, 1e-5), (10, 1000, 1.0, 1e-6)]


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_the_largest_cap_lies_next_to_the_certified_one(target):
    d, r, epsilon, delta = target
    found = oracle.certified_als_cap(d, r, epsilon=epsilon, delta=delta)
    assert found.basis == "bound" and found.justified_digits() >= 15
    assert fast.als_cap(d, r, epsilon=epsilon, delta=delta) == pytest.approx(float(found.mid), rel=1e-9)
    assert fast.als_worst_case(float(found.mid) * (1 - 1e-9), *target[:3]).delta <= target[3]
    assert fast.als_worst_case(float(found.mid) * (1 + 1e-9), *target[:3]).delta > target[3]


def test_caps_of_many_targets_are_those_of_each():
    rng = np.random.default_rng(82)
    r, epsilon, delta = (
        np.floor(10 ** rng.uniform(0.5, 5, 12)),
        10 ** rng.uniform(-5, 1.5, 12),
        10 ** rng.uniform(-30, -0.5, 12),
    )
    for cap, worst, curve in (
        (fast.als_cap, fast.als_worst_case, fast.log_als_hockey_stick),
        (fast.als_exact_cap, fast.als_exact_worst_case, fast.log_als_exact_hockey_stick),
    ):
        caps = cap(3, r, epsilon=epsilon, delta=delta)
        found = worst(caps, 3, r, epsilon)
        assert (found.delta <= delta).all() and (found.delta >= delta * (1 - 1e-8)).all()
        assert caps[:2] == pytest.approx(
            [float(cap(3, r[k], epsilon=epsilon[k], delta=delta[k])) for k in (0, 1)], rel=1e-10
        )
        for k in range(0, 12, 4):
            p = np.minimum(rng.uniform(size=40) ** 2 * caps[k], caps[k])
            for name in DIRECTIONS:
                assert np.max(curve(p, caps[k], 3, r[k], epsilon[k], name)) <= np.log(delta[k])


def test_no_target_needs_more_than_pure_privacy():
    epsilon, delta = np.array([20, 100, 50.0]), np.array([1e-5, 1e-30, 1e-2])
    assert (
        fast.als_exact_cap(5, 51, epsilon=epsilon, delta=delta) >= fast.als_exact_cap(5, 51, epsilon=epsilon, delta=0.0)
    ).all()


def test_targets_that_any_cap_meets():
    """The largest loss of one row and one feature at the largest cap is 15 log 2 < 50."""
    cap = fast.als_exact_cap(1, 1, epsilon=[50.0, 1.0], delta=1e-9)
    assert cap[0] == 1 - 2.0**-30
    assert cap[1] < 0.9 and fast.als_exact_worst_case(cap[0], 1, 1, 50.0).delta == 0


@pytest.mark.parametrize(
    "d, r, epsilon, delta",
    [
        (7, 37, 20, "1e-5"),
        (7, 37, 34.5, "1e-10"),
        (5, 10, 100, "1e-5"),
        (2, 3, 10, "1e-12"),
        (2, 7, 10, "1e-30"),
        (5, 6, 10, "1e-30"),
        (5, 7, 100, "0.4"),
    ],
)
def test_sketches_far_from_the_middle_are_on_the_safe_side_and_near(d, r, epsilon, delta):
    """Steep targets, worst records within 1 - cap of p = cap, records just beyond pure privacy: the ridge against the
    certified one.
    """
    certified = als_exact_ridge(1, d, r, epsilon=Fraction(epsilon), delta=delta, digits=8)
    cap = Fraction(float(fast.als_exact_cap(d, r, epsilon=epsilon, delta=float(delta))))
    ridge, least = (1 - cap) / cap, certified.lower
    assert ridge >= least
    assert ridge <= (1 + Fraction(1, 2000)) * least or cap == 1 - Fraction(1, 2**30)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("bits", [10, 20, 30, 40, 48])
def test_the_curve_next_to_full_leverage(bits, direction):
    for steps in (0, 5, 300):
        q = 1 - 2.0**-bits
        p = q - steps * 2.0 ** (-bits - 2)
        for d, r in ((5, 6), (1, 4), (3, 9)):
            epsilon = 0.5 * fast.als_max_privacy_loss(p, q, d, r, direction)
            found = fast.als_exact_hockey_stick(p, q, d, r, epsilon, direction)
            certified = oracle.certified_als_exact_hockey_stick(
                p, q, d, r, Fraction(float(epsilon)), direction, digits=12
            )
            assert float(found) == pytest.approx(float(certified.mid), rel=1e-10 if bits <= 30 else 1e-7)


def test_two_peaks_in_one_direction_are_both_looked_into():
    """Next to p = 0 and inside: at each of these targets a dense grid has nothing above what the search found."""
    share = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-20, 20, 4001))), [1.0]])
    for d, r, epsilon, delta in (
        (3, 61, 3.3, 5.3e-28),
        (2, 12, 0.068, 2.2e-27),
        (24, 108, 0.015, 2.2e-24),
        (31, 30, 0.09, 1e-15),
        (60, 150, 2.0, 1e-20),
    ):
        cap = fast.als_cap(d, r, epsilon=epsilon, delta=delta)
        found = fast.als_worst_case(cap, d, r, epsilon)
        for name in DIRECTIONS:
            assert (
                fast.log_als_hockey_stick(np.minimum(share * cap, cap), cap, d, r, epsilon, name).max()
                <= found.log_delta + 1e-10
            )


@pytest.mark.parametrize(("target", "digits"), [((2, 8, 0.5, 1e-4), 15), ((3, 4, 8.0, 1e-5), 3)], ids=str)
def test_the_largest_finite_cap_lies_next_to_the_certified_one(target, digits):
    d, r, epsilon, delta = target
    found = oracle.certified_als_exact_cap(d, r, epsilon=epsilon, delta=delta, digits=digits)
    cap = fast.als_exact_cap(d, r, epsilon=epsilon, delta=delta)
    assert cap == pytest.approx(float(found.mid), rel=max(10.0**-digits, 1e-9))
    assert fast.als_exact_worst_case(cap, d, r, epsilon).delta <= delta
    assert cap >= fast.als_exact_cap(d, r, epsilon=epsilon, delta=0) == pytest.approx(1 - np.exp(-2 * epsilon / r))


def test_the_search_runs_over_arrays():
    found = fast.als_worst_case([[0.1], [0.2]], 2, 100, [0.5, 1.0, 2.0])
    assert found.delta.shape == found.leverage.shape == found.direction.shape == (2, 3)
    assert (np.diff(found.delta, axis=1) < 0).all() and (found.delta[1] > found.delta[0]).all()
    one = fast.als_worst_case(0.2, 2, 100, 2.0)
    assert one.delta == pytest.approx(found.delta[1, 2], rel=1e-9) and np.exp(one.log_delta) == pytest.approx(one.delta)


@pytest.mark.parametrize("case", [(3, 300, "0.03"), (2, 401, "0.05")], ids=str)
def test_many_rows_by_two_routes(case):
    d, r, q = case
    for direction in DIRECTIONS:
        ours = oracle.certified_als_exact_hockey_stick("0.01", q, d, r, "0.7", direction, digits=12)
        assert float(ours.mid) == pytest.approx(
            float(fast.als_exact_hockey_stick(0.01, float(q), d, r, 0.7, direction)), rel=1e-9
        )


@pytest.mark.parametrize(
    "call",
    [
        lambda: oracle.certified_als_worst_case(1, 2, 10, 1),
        lambda: oracle.certified_als_worst_case(-0.1, 2, 10, 1),
        lambda: oracle.certified_als_worst_case(0.1, 2, 10, -1),
        lambda: oracle.certified_als_worst_case(0.1, 2, 10, 1, "up"),
        lambda: oracle.certified_als_worst_case(0.1, 2, 10, 1, relative=2),
        lambda: oracle.certified_als_exact_worst_case(0.1, 3, 2, 1),
        lambda: oracle.certified_als_cap(2, 10, epsilon=1, delta=0),
        lambda: oracle.certified_als_exact_cap(3, 2, epsilon=1, delta=0.1),
        lambda: fast.als_worst_case(1.0, 2, 10, 1),
        lambda: fast.als_worst_case(0.1, 2, 10, 1, "up"),
        lambda: fast.als_worst_case([0.1, 0.2], 2, 10, [1, 2, 3]),
        lambda: fast.als_exact_worst_case(0.1, 3, 2, 1),
        lambda: fast.als_cap(2, 10, epsilon=1, delta=0),
        lambda: fast.als_cap(2, [10, 20, 30], epsilon=[1, 2], delta=0.1),
        lambda: fast.als_exact_cap(3, 2, epsilon=1, delta=0.1),
        lambda: fast.als_exact_cap(2, 10, epsilon=1, delta=1),
    ],
)
def test_bad_input_is_rejected(call):
    with pytest.raises(InputError):
        call()


@pytest.mark.parametrize("cap", [als_cap, als_exact_cap])
@pytest.mark.parametrize(("epsilon", "delta"), [(1e-300, 1e-69), (5e-324, 1e-191), (0.0, 1e-300), (100.0, 1e-300)])
def test_the_search_for_a_cap_is_short_and_sharp_next_to_the_least_targets(cap, epsilon, delta, monkeypatch):
    """log(-log delta) hardly changes there, so that a slope that is too steep crawls."""
    asked = []

    def counted(value, *arguments):
        return crossing(lambda *where: asked.append(1) or value(*where), *arguments)

    for module in (worst_case, worst_record):
        monkeypatch.setattr(module, "crossing", counted)
    found = cap(3, 40, epsilon=epsilon, delta=delta)
    assert len(asked) < 80
    largest = als_worst_case if cap is als_cap else als_exact_worst_case
    assert float(largest(found * (1 + 1e-6) if found < 1e-3 else found + 1e-6, 3, 40, epsilon).delta) > delta
