"""Bounds of the exact releases at inputs that are built to reach them, and wide balls where a release computes with
narrow ones.

A bound that is too small by a unit in the last place releases a point of the grid that the law does not give: no figure
shows that.
"""

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify.mechanisms.exact import eigenvalue, gram, grid, noise, normals, outputs, projection, solutions
from ndis_verify.mechanisms.exact.stream import Stream

UNIT = Fraction(1, 2**53)
SLOPE = Fraction(9, 2)  # a normal lies within 2^-52 (|value| + 9/2) of its value in float64


def stream(seed=1):
    return Stream(np.random.default_rng(seed))


def exact(number):
    """A float as a fraction."""
    return Fraction(float(number))


def ball(fraction):
    return flint.arb(flint.fmpq(fraction.numerator, fraction.denominator))


def holds(found, *fractions):
    """Whether a ball has all these numbers in it."""
    with flint.ctx.workprec(4000):
        return all(found.contains(ball(Fraction(fraction))) for fraction in fractions)


def farthest(value):
    """How far a normal may lie from its value."""
    return 2 * UNIT * (abs(exact(value)) + SLOPE)


# Gram matrices and their least eigenvalue


def test_a_gram_entry_whose_slices_leave_as_much_as_can_be(monkeypatch):
    """1 - 2^-43 + 2^-53 is 1 to two slices, and the product errs by all but 1e-13 of its bound."""
    monkeypatch.setattr(gram, "_FIRST", 2)
    x = 1 - 2.0**-43 + 2.0**-53
    for count, more in ((1, 0), (3, 0), (1, 1500)):  # rows without a rest after those that have one
        with flint.ctx.workprec(300):
            found = gram.gram(np.array([[x]] * count + [[0.5]] * more), 0.0, 42)[0][0]
        assert found.rad() > 0 and holds(found, count * exact(x) ** 2 + Fraction(more, 4))


@pytest.mark.parametrize("rest", ((2.0**-30, 2.0**-41), (1e-5, 3e-7), (1e-290, 0.0), (0.1, 1 / 3)))
def test_the_radius_of_a_gram_entry_is_what_the_slices_may_have_left(rest, monkeypatch):
    """Before the balls round it up themselves, too."""
    radii = []

    def noted(middle, radius=None):
        return flint.arb(middle) if radius is None else radii.append(radius) or flint.arb(middle, radius)

    monkeypatch.setattr(gram, "_sums", lambda records, exponents, count: (np.zeros((2, 2), dtype=object), list(rest)))
    monkeypatch.setattr(gram, "flint", SimpleNamespace(arb=noted))
    with flint.ctx.workprec(300):
        found = gram.gram(np.full((7, 2), 0.75), 0.0, 84)
    for i, j in ((0, 0), (1, 0), (1, 1)):
        one, other = exact(rest[i]), exact(rest[j])
        lost = 7 * (one + other + one * other)
        assert holds(found[i][j], lost, -lost) and (not lost or exact(radii.pop(0)) >= lost)


@pytest.mark.parametrize("size", (1.5, 2.0**900, 2.0**-900))
@pytest.mark.parametrize("count", (1, 2, 5))
def test_what_no_slice_holds_of_a_column_is_bounded(size, count):
    """Small entries beside one large: in its unit the rest may be below the least float."""
    for small in (2.0**-21.5, 2.0**-1000, 2.0**-1074 / min(size, 1.0), 3e-310):
        rows = np.array([[size], [size * small], [5e-324]])
        exponents = np.frexp(np.abs(rows).max(axis=0))[1]
        slices, rest = gram._slices(rows, exponents, count)
        for row, x in enumerate(rows[:, 0].tolist()):
            kept = sum(int(part[row, 0]) * Fraction(1, 2 ** (21 * k)) for k, part in enumerate(slices, 1))
            assert abs(exact(x) / Fraction(2) ** int(exponents[0]) - kept) <= exact(rest[0])


def test_the_least_eigenvalue_of_a_wide_gram_matrix_is_all_that_it_may_be(monkeypatch):
    """One column: the eigenvalue is the entry, and any number of its ball."""
    for middle, radius in ((4.0, 1.0), (4.0, 3.9), (4.0, 0.001), (1e-3, 1e-3)):
        monkeypatch.setattr(
            eigenvalue, "gram", lambda records, ridge, bits, middle=middle, radius=radius: [[flint.arb(middle, radius)]]
        )
        with flint.ctx.workprec(128):
            found = eigenvalue.least_eigenvalue(np.array([[math.sqrt(middle)]]), 128)
        assert holds(found, exact(middle) - exact(radius), exact(middle), exact(middle) + exact(radius))


def test_a_side_that_a_wide_matrix_does_not_show_is_not_taken():
    wide = [
        [flint.arb(2, 0.5), flint.arb(0, 0.25)],
        [flint.arb(0, 0.25), flint.arb(3, 0.5)],
    ]  # the least: from 1.4 to 2.5
    sides = {level: eigenvalue._side(wide, flint.arb(level)) for level in (1.0, 1.5, 2.0, 2.4, 3.0)}
    assert sides == {1.0: True, 1.5: None, 2.0: None, 2.4: None, 3.0: False}


# Grid and noise


def test_a_ball_has_a_nearest_whole_number_where_all_of_it_has():
    for middle, radius, whole in (
        (2.4, 0.05, 2),
        (-2.4, 0.05, -2),
        (2.4, 0.2, None),
        (2.5, 0.1, None),
        (7.0, 0.49, 7),
        (0.3, 0.9, None),
    ):
        assert grid.nearest(flint.arb(middle, radius)) == whole


@given(st.integers(-(2**1100), 2**1100), st.integers(-(2**20) + 1, 2**20 - 1))
def test_the_nearest_whole_number_is_right_in_its_last_bit_however_large_it_is(whole, off):
    """whole + off/2^21, the ball as wide as it may be."""
    with flint.ctx.workprec(1200):
        middle = flint.arb(whole) + flint.arb((off, -21))
        room = (flint.arb((1, -1)) - abs(flint.arb((off, -21)))).mid()
        assert grid.nearest(flint.arb(middle, room * (1 - 2.0**-20))) == whole
    assert all(grid.multiple(whole, e) == Fraction(whole) * Fraction(2) ** e for e in (0, -8) if abs(whole) < 2**53)


def test_the_ball_of_a_normal_has_all_that_its_digits_leave():
    batch = normals.standard_normals(stream(), "x", 0, 400)
    for position, bits in itertools.product((0, 17, 399, *list(batch._place)[:3]), (0, 3, 64)):
        start, width = batch.cell(position, bits)
        with flint.ctx.workprec(200):
            found = noise.normal_ball(batch, position, bits)
        unit = Fraction(1, 2 ** (84 + bits))
        assert width > 0 and holds(found, start * unit, (start + width) * unit)
        finer, _ = batch.cell(position, 900)
        assert holds(found, finer * Fraction(1, 2**984))


def test_the_ball_of_a_laplace_variate_has_all_that_its_digits_leave():
    """A sign times -log of a uniform, of which 1 to 8 digits are known."""
    for k, bits in itertools.product(range(12), (1, 4, 8)):
        digits = stream().digits("Laplace", 0, k, bits + 1)
        sign, low = 1 - 2 * (digits >> bits), Fraction(digits & (2**bits - 1), 2**bits)
        with flint.ctx.workprec(100):
            found = noise._standard_laplace(stream(), k, bits)
            for uniform in (low or Fraction(1, 2**60), low + Fraction(1, 2 ** (bits + 1)), low + Fraction(1, 2**bits)):
                assert found.contains(-sign * ball(uniform).log()) or (
                    found.overlaps(-sign * ball(uniform).log()) and uniform != low
                )


@pytest.mark.parametrize("value", (0.0, 1e-9, -0.75, 3.5))
def test_no_sum_nearer_to_the_middle_than_float64_may_err_is_rounded_by_float64(value, monkeypatch):
    """Errors: of the normal, and 2^-53 of the product and of the sum."""
    asked = []
    monkeypatch.setattr(noise, "_settled", lambda enclose: asked.append(1) or 0)
    ratio = 1.75 * 2**20
    product, held = ratio * value, SimpleNamespace(value=np.array([value]))
    proved = exact(ratio) * farthest(value) + UNIT * (abs(exact(product)) + abs(exact(product)) + 1)
    for sign, share in itertools.product((1, -1), (Fraction(1, 2), 1 - Fraction(1, 10**6))):
        goal = math.floor(product) + Fraction(1, 2) - sign * share * proved
        rest = float(goal - exact(product))
        before = len(asked)
        noise._nearest_sums(np.array([rest]), 0, ratio, held)
        assert len(asked) == before + 1


def test_the_bound_of_a_sum_next_to_the_middle_has_its_own_rounding():
    """No product: the sum is the normal's error from the middle, to a unit of 2^-54."""
    ratio, held = 1.75 * 2**20, SimpleNamespace(value=np.array([0.0]))
    proved = exact(ratio) * farthest(0.0) + UNIT / 2
    rest = float(Fraction(1, 2) - proved) + 2.0**-53
    assert Fraction(1, 2) - exact(rest) < proved
    with pytest.raises(ZeroDivisionError):
        noise._nearest_sums(np.array([rest]), 0, ratio, SimpleNamespace(value=held.value, cell=lambda *place: 1 // 0))


def test_an_inflated_bound_leaves_every_number_to_the_balls(monkeypatch):
    monkeypatch.setattr(grid, "SLACK", 1.0)
    batch, asked, wide = normals.standard_normals(stream(), "x", 0, 50), [], projection._Draw.exact
    plain = noise._settled
    monkeypatch.setattr(noise, "_settled", lambda enclose: asked.append(1) or plain(enclose))
    noise._nearest_sums(np.zeros(50), 0, 1.5 * 2**20, batch)
    assert len(asked) == 50
    counted = []
    monkeypatch.setattr(
        projection._Draw, "exact", lambda self, rows, j, exponent: counted.extend(rows) or wide(self, rows, j, exponent)
    )
    projection.project(np.full((3, 4), 0.5), 0.0, 5, stream(), -10)
    assert len(counted) == 20


# Projections


def drawn(monkeypatch, *batches):
    """The normals of the next projections, by purpose."""
    held = dict(batches)
    monkeypatch.setattr(
        projection,
        "standard_normals",
        lambda stream, label, index, count: SimpleNamespace(value=np.array(held[label], dtype=float)),
    )


@pytest.mark.parametrize("error", (2.0**-60, 1e-9, 0.125, 0.4))
@pytest.mark.parametrize("whole", (0.0, 7.0, -3.0))
def test_an_entry_is_settled_by_float64_only_if_all_that_it_may_be_has_one_nearest_point(error, whole, monkeypatch):
    asked = []
    monkeypatch.setattr(
        projection._Draw, "exact", lambda self, rows, j, exponent: asked.extend(rows) or [0] * len(rows)
    )
    for sign, inward in itertools.product((1, -1), (0.0, 1e-11)):
        sums = whole + sign * (0.5 - error + inward * error)
        reached = abs(exact(sums) - exact(whole)) + exact(error)
        asked.clear()
        monkeypatch.setattr(
            projection._Draw, "float_sums", lambda self, sums=sums: (np.array([[sums]]), np.array([[error]]))
        )
        projection.project(np.ones((1, 1)), 0.0, 1, stream(), 0)
        assert asked == [0] or reached < Fraction(1, 2)
    monkeypatch.setattr(projection._Draw, "float_sums", lambda self: (np.array([[whole + 0.5]]), np.array([[error]])))
    asked.clear()
    projection.project(np.ones((1, 1)), 0.0, 1, stream(), 0)
    assert asked == [0]


def errors(records, ridge, r):
    """Of a projection in float64: (bound, the largest error that normals at the ends of theirs may make) of its first
    entry of each column.
    """
    sums, error = projection._Draw(records, ridge, r, stream()).float_sums()
    batch = (
        projection.standard_normals(None, "projection", 0, 0).value.reshape(-1, r) if len(records) else np.zeros((0, r))
    )
    added = projection.standard_normals(None, "ridge", 0, 0).value.reshape(-1, r) if ridge else None
    for i in range(records.shape[1]):
        middle, room = Fraction(0), Fraction(0)
        for x, z in zip(records[:, i], batch[:, 0]):
            middle, room = middle + exact(x) * exact(z), room + abs(exact(x)) * farthest(z)
        if ridge:
            root = exact(math.sqrt(ridge))
            assert root**2 == exact(ridge)
            middle, room = middle + root * exact(added[i, 0]), room + root * farthest(added[i, 0])
        yield exact(error[i, 0]), abs(exact(sums[i, 0]) - middle) + room


def test_the_bound_of_a_projection_where_the_normals_are_next_to_0(monkeypatch):
    """All that is left is what the normals' own digits may add, and records of one size add it all."""
    drawn(monkeypatch, ("projection", [1e-13] * 4))
    for bound, error in errors(np.ones((4, 1)), 0.0, 1):
        assert error <= bound


def test_the_bound_of_a_projection_with_records_below_the_range_of_squares(monkeypatch):
    drawn(monkeypatch, ("projection", [1.3, 0.7]))
    for rows in (
        [[1.0, 1e-170], [0.5, 2e-170]],
        [[1.0, 1e-308], [1.0, 5e-324]],
        [[5e-324, 0.0], [5e-324, 5e-324]],
        [[3e-310, 1e-320]] * 2,
    ):
        assert all(error <= bound for bound, error in errors(np.array(rows), 0.0, 1))
    # every product or every sum of the least numbers loses as much as it can
    drawn(monkeypatch, ("projection", [1.45] * 4))
    assert all(error <= bound for bound, error in errors(np.full((4, 1), 5e-324), 0.0, 1))


def test_the_bound_of_a_projection_that_rounds_the_same_way_three_times(monkeypatch):
    """A product that loses half a unit, a ridge that loses half a unit more, and a normal at the end of its cell."""
    r = normals.PANEL  # panels of one row: the bound of a product is the least
    x, z = 1 + 3 * 2.0**-27, 1 + 22_300_000 * 2.0**-52
    assert 0.49 < (exact(x) * exact(z) - exact(x * z)) * 2**52 < 0.5
    drawn(monkeypatch, ("projection", [z] + [0.0] * (r - 1)), ("ridge", [0.98] + [0.0] * (r - 1)))
    for bound, error in errors(np.array([[x]]), 2.0**-106, r):
        assert error <= bound < error * Fraction(3, 2)


@pytest.mark.parametrize("added", (1.7, 0.0, -4.2))
def test_the_bound_of_a_ridge_alone(added, monkeypatch):
    drawn(monkeypatch, ("ridge", [added]))
    for bound, error in errors(np.zeros((0, 1)), 2.25, 1):
        assert error <= bound


def test_a_sum_of_wide_cells_is_in_its_ball_with_both_ends():
    column = np.array([1.5, -0.75, 2.0**-10, 0.0, -4.0])
    cells = [(3, 8), (-20, 5), (-4, 8), (7, 1), (-1, 1)]
    with flint.ctx.workprec(300):
        found = projection._dot(column, cells, -4)
    ends = [[exact(x) * place / 16 for place in (low, low + size)] for x, (low, size) in zip(column, cells)]
    assert holds(found, sum(map(min, ends)), sum(map(max, ends)))


# Layers of the normals


def test_what_digits_leave_of_a_fraction_and_of_the_curve_is_in_the_ball():
    with flint.ctx.workprec(100):
        assert holds(normals._middle(5, 3), Fraction(5, 8), Fraction(11, 16), Fraction(6, 8))
        for start, width in ((2**82, 2**83), (-(2**84), 2**83), (0, 2**83)):
            found = normals._curve(start, width, 0)
            for place in (0, 1, 2):
                x = ball(Fraction(2 * start + place * width, 2**85))
                assert found.overlaps((-x * x / 2).exp()) and (place % 2 == 0 or found.contains((-x * x / 2).exp()))
            assert found.contains((found.lower() + found.upper()) / 2) and found.rad() > 0.01


def widened(monkeypatch, name, radius):
    """A function of the layers with that much more of a radius."""
    plain = getattr(normals, name)
    monkeypatch.setattr(normals, name, lambda *place: plain(*place) + flint.arb(0, radius))
    return plain


def test_edges_and_base_of_the_layers_are_rounded_up_from_wide_balls(monkeypatch):
    where = widened(monkeypatch, "_where", 50)
    edges, heights = normals._edges.__wrapped__()
    with flint.ctx.workprec(256):
        assert all(edge >= where(height) + 50 for edge, height in zip(edges[1:], heights[1:]))
    curve = widened(monkeypatch, "_curve", 2.0**-40)
    with flint.ctx.workprec(256):
        assert normals._base() >= curve(normals._RIM, 0, -normals.PLACES) + flint.arb(2) ** -40


def test_places_that_lie_below_the_curve_are_rounded_down_from_wide_balls(monkeypatch):
    _, heights = normals._edges()
    where = widened(monkeypatch, "_where", 2**14)
    inner = normals._layers.__wrapped__().inner
    with flint.ctx.workprec(256):
        for k in range(normals._LAYERS):
            assert inner[k] <= 0 or flint.arb(inner[k]) * 2**32 <= where(heights[k]) - 2**14


def test_the_curve_lies_strictly_between_its_parabolas():
    """By more than float64 may take from a comparison, on layers and on pieces as wide as 1 and as narrow as 2^-20."""
    with flint.ctx.workprec(256):
        edges = [flint.arb(edge) / 2**32 for edge in normals._edges()[0]]
        pieces = [
            *zip(edges[1::60], edges[::60]),
            (flint.arb(0), flint.arb(1)),
            (flint.arb(1), flint.arb(2)),
            (flint.arb(3), flint.arb("3.25")),
        ]
        pieces.append((flint.arb(1), 1 + flint.arb(2) ** -20))
        for start, end in pieces:
            below, above, incline, bend = normals._parabolas(start, end)
            for step in range(17):
                x = start + (end - start) * step / 16
                gap = (-x * x / 2).exp() - flint.arb(incline) * x - flint.arb(bend) * x * x
                assert gap - below > 2.0**-41 and above - gap > 2.0**-41


# Outputs and solutions


def test_what_is_undecided_is_every_number():
    assert holds(outputs.undecided(), 10**400, -(10**400))


@pytest.mark.parametrize("bits", (12, 16, 20))
def test_the_minimiser_without_records_is_0_to_a_few_bits(bits):
    """penalty theta^2/2 alone: the minimiser is as far from any point as its bound allows."""
    for penalty, share in itertools.product((1 / 3, 0.6627834591034834, 0.9886863694964385), range(40, 58)):
        start = share * 2.0 ** (-bits // 2 - 6)  # few enough digits that its own rounding takes no part
        with flint.ctx.workprec(bits):
            found = outputs._minimiser(np.zeros((0, 1)), penalty, np.array([start]), bits)
        assert found[0].mid() != 0 and holds(found[0], 0)


def test_the_minimiser_to_a_few_bits_holds_the_one_to_many():
    rng = np.random.default_rng(6)
    signed, settled = rng.uniform(-1, 1, (5, 2)), 0
    for penalty in (0.3, 1.7):
        with flint.ctx.workprec(400):
            true = outputs._minimiser(signed, penalty, np.zeros(2), 400)
        for bits, start in itertools.product((14, 18, 24, 32), (0.0, 0.5)):
            with flint.ctx.workprec(bits):
                found = outputs._minimiser(signed, penalty, np.full(2, start), bits)
            settled += found is not None
            assert found is None or all(one.contains(other.mid()) for one, other in zip(found, true))
    assert settled > 8


def test_a_law_whose_factor_is_not_shown_at_first_waits_for_more_bits(monkeypatch):
    records = np.random.default_rng(8).uniform(-0.5, 0.5, (6, 3))
    plain, sure = solutions.gram, solutions.normal_solution(records, 0.25, 5, stream(), -40)

    def wide_at_first(records, ridge, bits):
        return [
            [value + flint.arb(0, 10 if bits <= 256 else 0) for value in row] for row in plain(records, ridge, bits)
        ]

    monkeypatch.setattr(solutions, "gram", wide_at_first)
    assert (solutions.normal_solution(records, 0.25, 5, stream(), -40) == sure).all() and sure.all()


@pytest.mark.parametrize("value", (0.0, 3e-11, 1e-10, 1e-6, 2.0))
def test_a_chi_square_ball_with_every_normal_at_the_end_of_its_own(value, monkeypatch):
    for count in (1, 256, 300):
        monkeypatch.setattr(
            solutions, "standard_normals", lambda *address, count=count: SimpleNamespace(value=np.full(count, value))
        )
        with flint.ctx.workprec(128):
            found = solutions.chi_square(None, count, 128)
        assert all(holds(found, count * (exact(value) + sign * farthest(value)) ** 2) for sign in (1, -1))
