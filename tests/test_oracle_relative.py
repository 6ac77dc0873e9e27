"""Ridges relative to a set of databases in the oracle: against exact leverages, the definition and the mechanisms."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import fmpq_poly

from ndis_verify import mechanisms, oracle
from ndis_verify.exact_number import InputError, as_exact, exact
from ndis_verify.hunts.least_squares import exact_shares
from ndis_verify.mechanisms.relative_least_squares import relative_least_squares as fast_least_squares
from ndis_verify.oracle.certified.engine.balls import working_bits
from ndis_verify.oracle.certified.engine.spectrum import from_groups
from ndis_verify.oracle.certified.hockey_stick import spectrum_hockey_stick
from ndis_verify.oracle.certified.relative_least_squares.curve import NormalCurve, _tail
from ndis_verify.oracle.certified.relative_least_squares.gram import gram_matrix, smallest_eigenvalue
from ndis_verify.oracle.certified.relative_least_squares.path import Quotient, changes, sign_on
from ndis_verify.oracle.certified.relative_least_squares.sketch import SketchCurve
from ndis_verify.oracle.leverage import leverage_scores

CURVES = {"normal": oracle.certified_als_hockey_stick, "sketch": oracle.certified_als_exact_hockey_stick}
# More ridge costs more: the first eight records are fitted exactly without one.
DEARER = np.array([(1, 1)] * 8 + [(0, 1)] * 8, dtype=float)
# The same beside a record with a feature of its own, which needs a little ridge.
TWICE = np.array([(1, 0, 1)] * 8 + [(0, 0, 1)] * 8 + [(0, 2.0**-10, 0)])
SMALL = np.random.default_rng(5).integers(-16, 17, (5, 2)) / 32
WAYS = ("delete", "insert")
RELATIVE = oracle.certified_relative_least_squares
PROJECTION = oracle.certified_relative_random_projection


def costs(data, ridge, r, epsilon, law, digits=15):
    """The largest certified delta of the set of `data` and copies of its records, from leverages solved for at this
    ridge.
    """
    out, come = exact_shares(data, Fraction(ridge))
    records = sorted(set(out + come))
    d = data.shape[1] - 1
    values = (CURVES[law](p, q, d, r, epsilon, way, digits=digits) for p, q in records for way in ("delete", "insert"))
    return max(values, key=lambda value: value.mid)


def brackets(found, data, r, epsilon, delta, law):
    """A part in 10^6 below the bracket the set costs more than delta, at its upper end no more."""
    above = costs(data, found.lower * (1 - Fraction(1, 10**6)), r, epsilon, law)
    return above.lower > Fraction(delta) and costs(
        data, found.upper, r, epsilon, law, found.justified_digits() + 15
    ).upper <= Fraction(delta)


@pytest.mark.parametrize("ridge", [Fraction(0), Fraction(3, 7), Fraction(10**6)])
def test_paths_are_the_leverages(ridge):
    rows = as_exact(SMALL)
    found, singular = changes(rows, rows[:2] / 3)
    assert not singular and len(found) == 7
    for k, change in enumerate(found):
        whole = rows if k < 5 else np.vstack([rows, rows[k - 5] / 3])
        row = k if k < 5 else 5
        for quotient, data in ((change.p, whole[:, :1]), (change.q, whole)):
            assert leverage_scores(data, [row], 30, ridge)[0].contains(quotient.at(ridge))
        p, q = change.p.at(ridge), change.q.at(ridge)
        assert (
            change.x.at(ridge) == p / (1 - p)
            and change.y.at(ridge) == (q - p) / (1 - q)
            and change.share.at(ridge) == p / q
        )
        assert change.scale.at(ridge) == (1 - p) ** 2 / (1 - q) and change.shift.at(ridge) == p * (q - p) / (1 - q)
        assert change.shift_less.at(ridge) == p * (q - p) / (1 - p) ** 2


def violations(law):
    """Values outside the bounds of the interval that holds them, over a few changes, intervals and targets."""
    count, rng = 0, np.random.default_rng(8)
    for d, r in ((1, 30), (2, 9)):
        data = as_exact(rng.integers(-16, 17, (d + 3, d + 1)) / 16)
        for change in changes(data, data)[0][: 4 : d + 1]:
            for way in ("delete", "insert"):
                curve = law(change, d, r, Fraction(1, 2), way, Fraction(1, 10**4))
                low, high = Fraction(2), Fraction(5, 2)
                below, above, beyond = curve.lower(low, high, 10), curve.upper(low, high, 10), curve.beyond(low, 10)
                values = [curve.value(low + (high - low) * Fraction(i, 4), 12) for i in range(5)]
                count += sum(not (below <= value.upper and value.lower <= min(above, beyond)) for value in values)
                count += sum(curve.value(low * k, 12).lower > beyond for k in (2, 10))
    return count


@pytest.mark.parametrize("law", [NormalCurve, SketchCurve])
def test_bounds_of_intervals(law):
    assert violations(law) == 0


def test_an_interval_taken_for_its_middle_is_caught(monkeypatch):
    monkeypatch.setattr(Quotient, "span", lambda self, low, high, bits: (self.at((low + high) / 2),) * 2)
    assert violations(NormalCurve) > 0


def rises():
    """Values that rise where the order of pairs says that the curve falls; intervals it settles, and leaves open."""
    wrong, settled, rng = 0, [], np.random.default_rng(3)
    for data, r in ((DEARER, 200), (SMALL, 1), (rng.integers(-16, 17, (4, 3)) / 16, 300)):
        rows, d = as_exact(data), data.shape[1] - 1
        for change in changes(rows, rows)[0][::3]:
            for low in (Fraction(1, 64), Fraction(1, 2), Fraction(16)):
                for way in WAYS:
                    curve = NormalCurve(change, d, r, Fraction(1, 3), way, Fraction(1, 10**4))
                    for high in (low * 4, None):
                        settled.append(curve.falls(low, high))
                        values = [curve.value(low * k, 6) for k in (1, 2, 4)] if settled[-1] else []
                        wrong += sum(b.lower > a.upper for a, b in itertools.pairwise(values))
    return wrong, settled


def test_what_the_order_of_pairs_says_falls():
    wrong, settled = rises()
    assert not wrong and settled.count(True) > 30 and settled.count(False) > 20


def test_taking_the_divergence_to_fall_with_the_leverage_is_caught(monkeypatch):
    monkeypatch.setattr(NormalCurve, "falls", lambda self, low, high: self.change.x.trend(low, high) == -1)
    assert rises()[0] > 0


def test_signs_on_intervals():
    """(s - 1)(s - 2)(s^2 + 1), and a root at the end of an interval."""
    polynomial = fmpq_poly([-1, 1]) * fmpq_poly([-2, 1]) * fmpq_poly([1, 0, 1])
    cases = (
        (0, 1, 1),
        (1, 2, -1),
        (2, None, 1),
        (0, 3, None),
        (Fraction(1, 2), None, None),
        (Fraction(3, 2), Fraction(199, 100), -1),
    )
    assert all(
        sign_on(polynomial, Fraction(low), None if high is None else Fraction(high)) == sign
        for low, high, sign in cases
    )
    assert (
        sign_on(fmpq_poly([0, 0, 1]), Fraction(0), Fraction(1)) == 1 and sign_on(fmpq_poly([]), Fraction(0), None) == 0
    )


def test_the_chernoff_bound():
    """Above the divergence, by no more than a factor of 30, from 1e-1 down to 1e-400."""
    rng = np.random.default_rng(2)
    for k in range(30):
        scale = Fraction(10) ** -int(rng.integers(0, 7))
        alphas = [Fraction(int(a), 100) * scale for a in rng.integers(1, 90, 2) * rng.choice([-1, 1])]
        groups = [(alphas[0], 1, scale * int(rng.integers(0, 4)))] + [(alphas[1], 2, Fraction(0))] * (
            alphas[0] != alphas[1]
        )
        epsilon = Fraction(int(rng.integers(1, 100)), 10) * scale
        value, bound = spectrum_hockey_stick(from_groups(groups), epsilon, 6), _tail(groups, epsilon).upper
        assert value.upper <= bound and (value.upper == 0 or bound <= 30 * value.upper)


@pytest.mark.parametrize("law", ["normal", "sketch"])
def test_more_ridge_may_cost_more(law):
    target = {"norm_bound": 2, "r": 200, "epsilon": "3", "delta": "1e-9", "law": law}
    assert RELATIVE(DEARER, "rows", **target, ridge="smallest").upper == 0
    lasting = RELATIVE(DEARER, "rows", **target, ridge="lasting", digits=4)
    assert lasting.justified_digits() >= 4 and brackets(lasting, DEARER, 200, 3, "1e-9", law)
    assert costs(DEARER, 0, 200, 3, law).upper < Fraction("1e-9") < costs(DEARER, 4, 200, 3, law).lower


def test_the_smallest_ridge_and_the_lasting_one():
    target = {"norm_bound": 2, "r": 200, "epsilon": "3", "delta": "1e-9"}
    smallest, lasting = (RELATIVE(TWICE, "rows", **target, ridge=ridge, digits=8) for ridge in ("smallest", "lasting"))
    assert smallest.upper < Fraction("1e-4") < 10 < lasting.lower
    assert all(
        found.justified_digits() >= 8 and brackets(found, TWICE, 200, 3, "1e-9", "normal")
        for found in (smallest, lasting)
    )
    assert costs(TWICE, 4, 200, 3, "normal").lower > Fraction("1e-9")


@pytest.mark.parametrize(("law", "r", "coarse", "fine"), [("normal", 40, 6, 16), ("sketch", 9, 4, 12)])
def test_digits_are_nested_and_the_mechanism_is_safe(law, r, coarse, fine):
    data, target = SMALL[:3], {"norm_bound": 1, "r": r, "epsilon": "1", "delta": "1e-3", "law": law}
    found = [
        RELATIVE(data, "rows", **target, ridge=ridge, digits=n)
        for ridge, n in (("smallest", fine), ("smallest", coarse), ("lasting", coarse))
    ]
    assert all(a.overlaps(b) for a in found for b in found) and brackets(found[0], data, r, 1, "1e-3", law)
    assert found[0].justified_digits() >= fine and found[1].justified_digits() >= coarse and found[0].basis == "bound"
    noise = Fraction(fast_least_squares(mechanisms.neighbourhood(data, 1.0), r, epsilon=1.0, delta=1e-3, law=law).ridge)
    assert found[0].upper <= noise <= found[0].upper * (1 + Fraction(1, 10**7))


def records(seed, kind):
    rng = np.random.default_rng([seed, 5])
    n, d = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    data = rng.integers(-1024, 1025, (n, d + 1)) / 2048
    if kind == "duplicated":
        data = data[np.arange(n) // 2]
    elif kind == "rank-deficient":
        data[:, 0] = data[:, -1]
    elif kind == "fitted exactly":
        data[:, -1] = data[:, :-1].sum(1) / 4
    elif kind == "dominating":
        data[1:] /= 1024
    return data, int(10 ** rng.uniform(0, 6)), float(10 ** rng.uniform(-6, 0.5)), float(10 ** rng.uniform(-30, -0.5))


@pytest.mark.parametrize("kind", ["generic", "duplicated", "rank-deficient", "fitted exactly", "dominating"])
def test_the_float64_ridge_of_random_sets_is_safe_and_the_smallest(kind):
    for seed in range(2):
        data, r, epsilon, delta = records(seed, kind)
        ridge = Fraction(fast_least_squares(mechanisms.neighbourhood(data, 2.0), r, epsilon=epsilon, delta=delta).ridge)
        rows = as_exact(data)
        law = (data.shape[1] - 1, r, Fraction(epsilon))
        curves = [NormalCurve(change, *law, way, Fraction(delta)) for change in changes(rows, rows)[0] for way in WAYS]
        assert all(curve.value(ridge, 12).upper <= delta for curve in curves)
        found = RELATIVE(data, "rows", 2, r, epsilon=epsilon, delta=delta, digits=6)
        assert found.lower <= ridge <= found.upper * (1 + Fraction(1, 10**8))


FAR = {
    "an epsilon and a leverage next to 0": (SMALL[:3], 1, "1.57e-6", "6.9e-6", "smallest"),
    "a delta next to 0": (np.random.default_rng(0).integers(-16, 17, (6, 4)) / 32, 9, 1, "2.6e-28", "lasting"),
    "fewer records than features": (
        np.array([[1, 0, 0, 1, 1], [1, -2, 3, 0, 2]]) / [[4], [4096]],
        1,
        "0.04",
        "3e-27",
        "lasting",
    ),
    "as much in the feature as in the target": (
        np.array([[1, 1], [3, 3], [-2, -2], [1, 1]]) / 8,
        226811,
        "3e-6",
        "9e-20",
        "lasting",
    ),
}


@pytest.mark.parametrize("name", FAR)
def test_far_targets(name):
    data, r, epsilon, delta, ridge = FAR[name]
    found = RELATIVE(data, "rows", 2, r, epsilon=epsilon, delta=delta, ridge=ridge, digits=12)
    assert found.justified_digits() >= 12 and brackets(found, data, r, Fraction(epsilon), delta, "normal")


def test_additions_count():
    alone, more = (
        RELATIVE(SMALL[:2], come, 2, 40, epsilon="1", delta="1e-3", digits=6)
        for come in (SMALL[:1], np.array([[0.0, 2.0]]))
    )
    noise = fast_least_squares(
        mechanisms.neighbourhood(SMALL[:2], 2.0, np.array([[0.0, 2.0]])), 40, epsilon=1.0, delta=1e-3
    ).ridge
    assert alone.upper < more.lower and float(more.mid) == pytest.approx(noise, rel=1e-6)


def test_none_where_none_is_needed():
    many = np.vstack([SMALL] * 60)
    for law, ridge in (("normal", "smallest"), ("sketch", "smallest"), ("sketch", "lasting")):
        assert RELATIVE(many, "rows", 1, 2, epsilon="10", delta="0.3", law=law, ridge=ridge).upper == 0


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (
            lambda: RELATIVE(
                np.column_stack([SMALL[:, :1] * 0, SMALL]).repeat(60, 0), "rows", 1, 2, epsilon="10", delta="0.3"
            ),
            "base",
        ),  # no least positive ridge
        (lambda: RELATIVE(SMALL, "ball", 1, 2, epsilon="1", delta="0.3"), "additions"),
        (lambda: RELATIVE(SMALL, "rows", "0.1", 2, epsilon="1", delta="0.3"), "base"),
        (lambda: RELATIVE(SMALL[:, :1], "rows", 1, 2, epsilon="1", delta="0.3"), "base"),
        (lambda: RELATIVE(np.eye(3), "rows", 1, 1, epsilon="1", delta="0.3", law="sketch"), "base"),
        (lambda: RELATIVE(SMALL, "rows", 1, 2, epsilon="1", delta="0.3", law="student"), "law"),
        (lambda: RELATIVE(SMALL, "rows", 1, 2, epsilon="1", delta="0.3", ridge="least"), "ridge"),
        (lambda: RELATIVE(SMALL, np.ones((1, 3)) / 4, 1, 2, epsilon="1", delta="0.3"), "additions"),
        (lambda: PROJECTION(SMALL, "none", 1, 2, epsilon="1", delta="0.3"), "additions"),
        (lambda: PROJECTION(SMALL, "rows", 1, 2, epsilon="1", delta="0.3", ridge="N26-Fig1"), "ridge"),
        (lambda: PROJECTION(np.zeros((3, 2)), "rows", 1, 2, epsilon="1", delta="0.3"), "base"),
        (lambda: PROJECTION(np.empty((0, 2)), "rows", 1, 2, epsilon="1", delta="0.3"), "base"),
    ],
)
def test_what_is_refused(call, argument):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.argument == argument


BASES = {
    "ordinary": SMALL,
    "duplicated": np.vstack([SMALL] * 30),
    "zero rows": np.vstack([SMALL, np.zeros((2, 2))]),
    "dominating": np.vstack([SMALL / 64, [[0.0, 1.0]]]),
    "n = d": SMALL[:2],
    "n < d": SMALL[:1],
    "repeated eigenvalue": np.eye(2) / 2,
    "no records": np.empty((0, 2)),
}


@pytest.mark.parametrize("additions", ["rows", "ball"])
@pytest.mark.parametrize("name", BASES)
def test_projection_against_the_mechanism(name, additions):
    base = BASES[name]
    if not len(base) and additions == "rows":
        return
    k = list(BASES).index(name) + len(additions)
    r, epsilon, delta = ((10, 0.1, 1e-6), (1, 20.0, 0.3), (100, 1e-4, 1e-20))[k % 3]
    target = {"r": r, "epsilon": epsilon, "delta": delta}
    for ridge in ("smallest", "N24-Fig12"):
        exactly = PROJECTION(base, additions, 1, **target, digits=20, ridge=ridge)
        databases = mechanisms.neighbourhood(base, 1.0, additions)
        noise = Fraction(mechanisms.relative_random_projection(databases, **target, ridge=ridge).ridge)
        assert exactly.upper <= noise <= exactly.upper * (1 + Fraction(1, 10**5)) and exactly.relative_radius < 1e-20


@pytest.mark.parametrize("name", ["ordinary", "duplicated", "repeated eigenvalue"])
def test_the_ball_by_an_eigenvalue_and_the_records_by_their_leverages(name):
    """l^2 (1/p* - 1) less the smallest eigenvalue, by mpmath; at the ridge every leverage is at most p*, and
    one is p*.
    """
    base, digits = BASES[name], 40
    found = PROJECTION(base, "ball", 1, 10, epsilon="0.1", delta="1e-6", digits=digits)
    allowed = oracle.certified_rp_leverage(10, epsilon="0.1", delta="1e-6", digits=60)
    with mpmath.workdps(80):
        gram = mpmath.matrix((base * 64).astype(int).tolist())
        least = min(mpmath.eigsy(gram.T * gram / 64**2, eigvals_only=True))
        ball = 1 / mpmath.mpf(allowed.mid) - 1 - least
        assert abs(found.mid - ball) < mpmath.mpf(10) ** -30
    rows = PROJECTION(base, "rows", 1, 10, epsilon="0.1", delta="1e-6", digits=digits)
    scores = leverage_scores(base, range(len(base)), 60, exact(rows.mid))
    assert max(score.mid for score in scores) == pytest.approx(allowed.mid, rel=1e-35) and rows.upper <= found.lower


@pytest.mark.parametrize("name", ["n < d", "zero rows", "repeated eigenvalue"])
def test_smallest_eigenvalue(name):
    with working_bits(200):
        value = smallest_eigenvalue(gram_matrix(as_exact(BASES[name])))
    expected = {"n < d": 0.0, "zero rows": np.linalg.eigvalsh(SMALL.T @ SMALL)[0], "repeated eigenvalue": 0.25}[name]
    assert float(value.mid()) == pytest.approx(expected, rel=1e-12) and (
        value.is_zero() if expected == 0 else value > 0
    )
