"""The finite-r law with r - d odd: its quadrature against two mpmath routes, at p = q, and the bounds on rectangles it
rests on.
"""

from fractions import Fraction

import mpmath
import pytest
from flint import acb, arb
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify import fast, oracle
from ndis_verify.oracle.certified.engine.balls import ball, working_bits
from ndis_verify.oracle.certified.least_squares.angle import _Beyond, angle_series
from ndis_verify.oracle.certified.least_squares.finite_law import als_max_privacy_loss
from ndis_verify.oracle.least_squares.asymptotic_law import checked_sketch

NEAR_ONE = 1 - Fraction(1, 10**30)
# p/q next to 1, inside, next to 0; d from 1 to 100; the threshold on either side of the node; d even and odd; q next to
# 1
RECORDS = [
    ("0.4999", "0.5", 50, 51, "0.1", "delete"),
    ("0.49999999", "0.5", 6, 9, "0.5", "insert"),
    ("0.3", "0.5", 2, 3, "0.1", "delete"),
    ("0.0899", "0.09", 100, 107, "0.01", "delete"),
    ("0.9", "0.900001", 1, 4, "2", "insert"),
    ("0.003", "0.01", 7, 1000, "0.1", "insert"),
    ("0.99999", "0.999999", 3, 4, "5", "insert"),
]


@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_values_by_two_other_routes(record):
    ours, fine = (oracle.certified_als_exact_hockey_stick(*record, digits=digits) for digits in (15, 40))
    assert ours.lower > 0 and ours.basis == "bound" and ours.justified_digits() >= 15
    assert ours.lower <= fine.lower <= fine.upper <= ours.upper and fine.justified_digits() >= 40
    assert fine.overlaps(oracle.als_exact_hockey_stick(*record, digits=8))


@pytest.mark.parametrize(("d", "r"), [(1, 2), (2, 3), (5, 6), (50, 51), (100, 151), (4, 100_003)], ids=str)
@pytest.mark.parametrize("direction", ["delete", "insert"])
def test_next_to_p_equal_q_the_value_is_that_of_p_equal_q(d, r, direction):
    """At p = q T is Beta(1/2, r/2), a closed form without any quadrature; what is beyond the finite sum is nearly
    everything next to it.
    """
    q = Fraction(2, 5 + r)
    epsilon = als_max_privacy_loss(q, q, d, r, direction).lower * 3 / 10
    there = oracle.certified_als_exact_hockey_stick(q, q, d, r, epsilon, direction, digits=30)
    here = oracle.certified_als_exact_hockey_stick(NEAR_ONE * q, q, d, r, epsilon, direction, digits=30)
    assert there.lower > 0 and here.justified_digits() >= 30
    assert abs(here.mid - there.mid) < 100 * r**2 * mpmath.mpf(10) ** -30 * there.mid


@pytest.mark.parametrize(
    ("d", "r", "delta"), [(5, 6, "1e-100"), (50, 53, "1e-300"), (100, 1001, "1e-200"), (2, 100_001, "1e-300")], ids=str
)
def test_tiny_values_take_few_evaluations(d, r, delta, monkeypatch):
    """At the cap of a tiny target, and all over its edge where the divergence is positive: few evaluations, not a
    matter of p/q.
    """
    cap = oracle.certified_als_exact_cap(d, r, epsilon="0.5", delta=delta, digits=20)
    counted, value = [0], _Beyond.value

    def count(self, w):
        counted[0] += 1
        return value(self, w)

    monkeypatch.setattr(_Beyond, "value", count)
    q = cap.upper
    for share in (Fraction(1, 1000), Fraction(1, 2), NEAR_ONE):
        for direction in ("delete", "insert"):
            found = oracle.certified_als_exact_hockey_stick(share * q, q, d, r, "0.5", direction, digits=15)
            assert found.lower >= 0 and found.mid <= 1.0001 * mpmath.mpf(delta)
    assert counted[0] < 6 * 3000


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    d=st.integers(1, 100),
    k=st.sampled_from([1, 3, 7, 51, 1001, 100_001]),
    node_bits=st.integers(1, 60),
    q_bits=st.integers(1, 14),
    level=st.floats(0.05, 0.95),
    direction=st.sampled_from(["delete", "insert"]),
)
def test_values_against_float64(d, k, node_bits, q_bits, level, direction):
    q = Fraction(1, 1 + 2**q_bits)
    p = q - q / 2 ** min(node_bits, 40)
    epsilon = level * float(als_max_privacy_loss(p, q, d, d + k, direction, digits=15).mid)
    found = oracle.certified_als_exact_hockey_stick(p, q, d, d + k, epsilon, direction, digits=15)
    log = fast.log_als_exact_hockey_stick(float(p), float(q), d, d + k, epsilon, direction)
    exact = oracle.certified_als_exact_hockey_stick(float(p), float(q), d, d + k, epsilon, direction, digits=15)
    assert found.justified_digits() >= 15
    assert float(mpmath.log(exact.mid)) == pytest.approx(float(log), abs=1e-8 * max(1.0, k / 1e4))


def modulus(beyond, w):
    """The integrand at a complex w, by mpmath."""
    with mpmath.workdps(60):
        node, square, pole, tilt = (
            mpmath.mpf(str(x.mid().str(50, radius=False)))
            for x in (beyond.node, beyond.root**2, beyond.pole, beyond.tilt)
        )
        m, h = mpmath.mpf(beyond.d - 1) / 2, mpmath.mpf(beyond.k + beyond.d + 1) / 2
        x = 1 - w / node
        series = mpmath.hyp2f1(1 - m, m, m + beyond.k + 1, x / 2)
        return abs(x ** (beyond.k + m) * series * ((1 + w * w) ** -h - tilt**h * (pole + w * w) ** -h)), square


def beyond_of(d, k, share, q, square, direction):
    return _Beyond(checked_sketch(share * q, q, d, d + k, direction), ball(square))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    d=st.integers(1, 60),
    k=st.sampled_from([1, 3, 21, 301]),
    share=st.sampled_from([Fraction(1, 100), Fraction(1, 2), Fraction(99, 100), 1 - Fraction(1, 10**6)]),
    root=st.fractions(Fraction(1, 1000), 3),
    q=st.sampled_from([Fraction(1, 1000), Fraction(1, 2), Fraction(999, 1000)]),
    direction=st.sampled_from(["delete", "insert"]),
    place=st.tuples(*[st.floats(0, 1)] * 5),
)
def test_the_bound_on_a_rectangle_holds_inside_it(d, k, share, root, q, direction, place):
    with working_bits(200):
        beyond = beyond_of(d, k, share, q, root * root, direction)
        node = float(beyond.node)
        left, width, tall, x, y = place
        low = 0.98 * left * node
        high = low + width * min(0.99 * node - low, 1.0)
        tall *= min(0.9, 2 * (high - low))
        w = acb(arb((low + high) / 2, (high - low) / 2), arb(0, tall))
        bound = beyond.bound(w)
        if not bound.is_finite():
            assert d == 2 or tall > 0.5
            return
        value, _ = modulus(beyond, mpmath.mpc(low + x * (high - low), (2 * y - 1) * tall))
        with mpmath.workdps(60):
            assert value <= mpmath.mpf(str(bound.str(30, radius=False))) * (1 + mpmath.mpf(10) ** -25)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    d=st.sampled_from([2, 4, 50]),
    k=st.sampled_from([1, 3, 21]),
    share=st.sampled_from([Fraction(1, 2), Fraction(99, 100), 1 - Fraction(1, 10**6)]),
    root=st.fractions(Fraction(1, 1000), 3),
    direction=st.sampled_from(["delete", "insert"]),
    place=st.tuples(*[st.floats(0, 1)] * 5),
)
def test_the_folded_bound_next_to_the_node(d, k, share, root, direction, place):
    """1 - w/node = u^2, on rectangles of u that hold 0 or do not."""
    with working_bits(200):
        beyond = beyond_of(d, k, share, Fraction(1, 2), root * root, direction)
        left, width, tall, x, y = place
        low = 0.6 * left - 0.1
        high, tall = low + 0.2 * width + 1e-3, 0.3 * tall
        bound = beyond.folded_bound(acb(arb((low + high) / 2, (high - low) / 2), arb(0, tall)), True)
        u = mpmath.mpc(low + x * (high - low), (2 * y - 1) * tall)
        with mpmath.workdps(60):
            node = mpmath.mpf(str(beyond.node.mid().str(50, radius=False)))
            value, _ = modulus(beyond, node * (1 - u * u))
            value *= abs(2 * node * u)
        with mpmath.workdps(60):
            assert not bound.is_finite() or value <= mpmath.mpf(str(bound.str(30, radius=False))) * (
                1 + mpmath.mpf(10) ** -25
            )
            real = beyond.folded_value(arb(0.3))
            assert beyond.folded_bound(acb(arb(0.3, 1e-12), arb(0, 1e-12)), True) <= 4 * real + arb(10) ** -30


def test_the_bound_is_nearly_attained_on_small_rectangles():
    for d, k, share in (
        (1, 3, Fraction(1, 2)),
        (5, 7, Fraction(99, 100)),
        (50, 1, 1 - Fraction(1, 10**6)),
        (100, 1001, Fraction(9, 10)),
    ):
        with working_bits(300):
            beyond = beyond_of(d, k, share, Fraction(1, 2), Fraction(1, 4), "delete")
            for w in (0.01, 0.1, 0.3):
                small = acb(arb(w, 1e-12), arb(0, 1e-12))
                value = beyond.value(arb(w))
                assert value <= beyond.bound(small) <= 4 * value


def test_a_bound_that_is_too_small_gives_a_false_enclosure(monkeypatch):
    """What is proved rests on `bound`: with a thousandth of it the quadrature stops too early, and the references say
    so.
    """
    true = oracle.certified_als_exact_hockey_stick(*RECORDS[1], digits=30)
    bound = _Beyond._bound
    monkeypatch.setattr(_Beyond, "_bound", lambda self, *rest: bound(self, *rest) * arb(10) ** -30)
    assert not oracle.certified_als_exact_hockey_stick(*RECORDS[1], digits=15).overlaps(true)


@pytest.mark.parametrize(
    ("d", "k"), [(1, 1), (2, 1), (2, 99_999), (3, 5), (50, 1), (99, 1), (100, 7), (100, 999_999)], ids=str
)
def test_the_series_against_mpmath(d, k):
    for z in ("0", "1e-6", "0.3", "0.5"):
        with working_bits(300), mpmath.workdps(60):
            found = angle_series(d, k, arb(z))
            m = mpmath.mpf(d - 1) / 2
            known = mpmath.hyp2f1(1 - m, m, m + k + 1, mpmath.mpf(z))
            assert (
                found.rel_accuracy_bits() > 150
                and abs(mpmath.mpf(found.str(50, radius=False)) / known - 1) < mpmath.mpf(10) ** -40
            )
