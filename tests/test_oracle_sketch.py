"""Caps of private least squares by the finite-r law: r - d odd to any digits, records at the end of the support, both
against the float64 engine.
"""

from fractions import Fraction

import numpy as np
import pytest
from flint import acb, fmpq
from scipy.optimize import minimize_scalar

from ndis_verify import fast, oracle
from ndis_verify.mechanisms import sketched_least_squares
from ndis_verify.oracle.certified.engine.balls import ball, relative_digits, working_bits
from ndis_verify.oracle.certified.engine.binomial_window import MixedTails
from ndis_verify.oracle.certified.least_squares.worst_record import largest_divergence, summit

# the worst record of "delete" inside the range, of "insert", on either side of the threshold of T, k = r - d from 1 on
ODD = [(2, 5, "1", "1e-5"), (5, 10, "0.1", "1e-3"), (5, 6, "5", "1e-10"), (1, 4, "5", "1e-10")]
# the worst record where the support begins: it shrinks to a point as the target goes to pure privacy
AT_THE_EDGE = [(5, 7, "1e-6", "1e-30"), (1, 1, "1e-6", "1e-30"), (5, 6, "100", "1e-12"), (1, 3, "10", "1e-12")]


def nested(coarse, fine):
    return coarse.lower <= fine.lower <= fine.upper <= coarse.upper


@pytest.mark.parametrize("target", ODD + AT_THE_EDGE, ids=str)
def test_caps_are_nested_and_the_mechanism_is_safe(target):
    d, r, epsilon, delta = target
    coarse, fine = (
        oracle.certified_als_exact_cap(d, r, epsilon=epsilon, delta=delta, digits=digits) for digits in (15, 30)
    )
    assert nested(coarse, fine) and fine.justified_digits() >= 30 and fine.basis == "bound"
    assert fine.lower > oracle.certified_als_exact_cap(d, r, epsilon=epsilon, delta=0, digits=30).upper
    ridge = Fraction(sketched_least_squares(d, r, epsilon=float(epsilon), delta=float(delta), norm_bound=1.0).ridge)
    need = 1 / Fraction(fine.lower) - 1
    assert need <= ridge
    # the least ridge that float64 looks at
    assert ridge <= need * (1 + Fraction(1, 10**4)) or ridge <= Fraction(1001, 1000) / 2**30


@pytest.mark.parametrize("target", ODD[2:], ids=str)
def test_the_float64_supremum_below_an_odd_cap_is_the_target(target):
    """A dense grid of records at the cap, and a search around its highest: the delta asked for, and nowhere more."""
    d, r, epsilon, delta = target[0], target[1], float(target[2]), float(target[3])
    cap = float(oracle.certified_als_exact_cap(d, r, epsilon=target[2], delta=target[3]).mid)
    share = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-14, 14, 141))), [1.0]])
    best = -np.inf
    for direction in ("delete", "insert"):

        def negative(s):
            return -float(fast.log_als_exact_hockey_stick(min(s * cap, cap), cap, d, r, epsilon, direction))

        height = fast.log_als_exact_hockey_stick(np.minimum(share * cap, cap), cap, d, r, epsilon, direction)
        i = int(np.argmax(height))
        around = share[max(i - 1, 0)], share[min(i + 1, share.size - 1)]
        found = minimize_scalar(negative, bounds=around, method="bounded", options={"xatol": 1e-9})
        best = max(best, height[i], -found.fun)
    assert best == pytest.approx(np.log(delta), abs=1e-8)


# d, r, epsilon, cap: the summit at either side of the middle, r = d, both parities of r - d, next to pure privacy,
# epsilon 0, cap next to 1
PLACES = [
    (2, 5, "0.3", "0.3"),
    (1, 2, "0.5", "0.5"),
    (1, 2, "0", "0.1"),
    (5, 6, "0.2", "0.3"),
    (3, 3, "0.1", "0.4"),
    (5, 8, "1e-6", "1e-3"),
    (4, 40, "3", "0.2"),
    (30, 71, "2", "0.08"),
    (2, 9, "20", "0.9999"),
    (3, 7, "1", "0.2486"),
]
SHARES = [Fraction(i, 12) for i in range(13)] + [Fraction(1, 10**6), 1 - Fraction(1, 10**6)]


def highest(case, direction, moved=Fraction(0)):
    """Whether no record of the edge costs more than the one at the summit, nor one beside it, moved by a share of the
    way.
    """
    d, r, epsilon, cap = case[0], case[1], Fraction(case[2]), Fraction(case[3])
    top = largest_divergence(cap, (d, r, epsilon), direction, 15)
    found = summit(cap, (d, r, epsilon), direction, 12)
    if found is None:
        places, height = SHARES, Fraction(0)
        assert top.upper == 0
    else:
        start = Fraction(0) if direction == "delete" else cap
        place = found[0] + moved * (found[0] - start)
        height = (
            oracle.certified_als_exact_hockey_stick(place, cap, d, r, epsilon, direction, digits=20).upper
            if moved
            else top.upper
        )
        near = min(found[0], cap - found[0]) / cap / 1000
        places = [*SHARES, found[0] / cap - near, found[0] / cap + near]
    return all(
        oracle.certified_als_exact_hockey_stick(s * cap, cap, d, r, epsilon, direction, digits=12).lower <= height
        for s in places
    )


@pytest.mark.parametrize("case", PLACES, ids=str)
@pytest.mark.parametrize("direction", ["delete", "insert"])
def test_no_record_costs_more_than_the_one_at_the_summit(case, direction):
    assert highest(case, direction)


def test_a_record_beside_the_summit_is_not_the_worst():
    assert not highest(PLACES[0], "delete", Fraction(1, 20)) and not highest(PLACES[6], "insert", Fraction(1, 20))


@pytest.mark.parametrize("direction", ["delete", "insert"])
def test_the_largest_divergence_is_that_of_the_branch_and_bound(direction):
    """Which takes nothing for granted about where the worst record is."""
    for case in (("0.3", 2, 9, "0.5"), ("0.1", 3, 12, "0.1")):
        found = oracle.certified_als_exact_worst_case(*case, direction, relative="0.01")
        top = largest_divergence(Fraction(case[0]), (case[1], case[2], Fraction(case[3])), direction, 15)
        assert found.value.lower <= top.upper and top.lower <= found.value.upper


# half = k/2, S, x: tails on either side of the mode of the weights, weights next to one end, a sum that is next to 1
MIXED = [
    ("1500", "0.3", "0.9459"),
    ("1500", "0.0535", "0.6978"),
    ("1503/2", "0.5", "0.52"),
    ("1500", "0.999", "0.01"),
    ("1200", "1e-6", "0.5"),
    ("1501/2", "0.5", "0.47"),
    ("2000", "0.2", "0.95"),
]


@pytest.mark.parametrize(("half", "share", "x"), MIXED)
@pytest.mark.parametrize("grows", [True, False])
def test_the_window_of_a_mixture_holds_the_whole_sum(half, share, x, grows):
    h, S, X = (Fraction(text) for text in (half, share, x))
    with working_bits(160):
        sums = MixedTails(
            fmpq(h.numerator, h.denominator),
            ball(S),
            ball(1 - S),
            ball(h + Fraction(1, 2)),
            ball(Fraction(7, 2)),
            ball(X),
            ball(1 - X),
        )

        def tail(a, b, x, rest):
            value = acb(x).beta_lower(acb(a), acb(b), regularized=True).real
            return value if grows else acb(rest).beta_lower(acb(b), acb(a), regularized=True).real

        first, last = sums.window(grows)
        short, whole = sums.total(first, last, tail, grows), sums.total(0, sums.last, tail, grows)
        assert last - first < sums.last and short.overlaps(whole)
        assert relative_digits(short) > 30 and relative_digits(whole) > 30
        cut = sums.total(first, (first + last) // 2, tail, grows)  # too small a window says so
        assert cut.overlaps(whole) and relative_digits(cut) < relative_digits(short) - 5


@pytest.mark.parametrize(
    "target", [(30, 10**6, "1", "1e-5"), (2, 10**6 - 1, "100", "1e-30"), (101, 10**5, "1e-6", "0.4")], ids=str
)
def test_caps_of_a_million_rows(target):
    d, r, epsilon, delta = target
    fine = oracle.certified_als_exact_cap(d, r, epsilon=epsilon, delta=delta, digits=15)
    assert fine.justified_digits() >= 15
    ridge = Fraction(sketched_least_squares(d, r, epsilon=float(epsilon), delta=float(delta), norm_bound=1.0).ridge)
    need = 1 / Fraction(fine.lower) - 1
    assert need <= ridge <= need * (1 + Fraction(1, 10**4))


def test_values_next_to_full_leverage_by_two_routes():
    """q = 1 - 2^-40, psi about 2^-20: 1 - q T is a sum of positive terms."""
    q = 1 - Fraction(1, 2**40)
    for share in (Fraction(5, 4), Fraction(9)):
        record = 1 - share * (1 - q), q, 5, 6, 79, "insert"
        ours = oracle.certified_als_exact_hockey_stick(*record, digits=12)
        assert ours.lower > 0 and ours.overlaps(oracle.als_exact_hockey_stick(*record, digits=10))
