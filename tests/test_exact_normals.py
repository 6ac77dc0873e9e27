"""The sampler of normals: its layers, its cells, its tail, where its bits go, and bounds that are nearly reached."""

import dataclasses
import itertools
import math
import sys
from fractions import Fraction
from types import SimpleNamespace

import flint
import mpmath
import numpy as np
import pytest
from exact_releases import RECIPES, RNG, ball, ends, exact, likely, made, stream

from ndis_verify.mechanisms.exact import grid, noise, normals, projection, solutions
from ndis_verify.mechanisms.exact.solutions import chi_square
from ndis_verify.mechanisms.exact.stream import Stream


def test_the_layers_cover_the_curve_and_have_one_area():
    layers = normals._layers()
    whole, *edges, tail = [Fraction(slope, 2**32) for slope in layers.slope]
    with mpmath.workdps(50):

        def curve(x):
            return mpmath.exp(-((mpmath.mpf(x.numerator) / x.denominator) ** 2) / 2)

        base = Fraction(int(mpmath.ceil(curve(edges[0]) * 2**64)), 2**64)
        heights, area = [Fraction(0), base], base * whole
        for edge in edges:
            heights.append(heights[-1] + area / edge)
        assert whole == edges[0] + tail and tail * edges[0] >= 1 and heights[-1] >= 1 and len(heights) == 1025
        for k in range(1024):
            floor, top = (mpmath.mpf(y.numerator) / y.denominator for y in heights[k : k + 2])
            assert k == 0 or curve(edges[k - 1]) <= floor
            inner = exact(layers.inner[k])
            assert inner < 0 or curve(inner + Fraction(1, 2**45)) > top
            assert abs(layers.low[k] - floor) < 2.0**-50 and abs(layers.rise[k] - (top - floor)) < 2.0**-50
            if k:
                x = np.linspace(layers.inner[k] if inner > 0 else 0.0, float(edges[k - 1]), 9)
                line = x * (layers.incline[k] + layers.bend[k] * x)
                true = np.exp(-x * x / 2)
                assert (true - line - layers.below[k] > 2.0**-42).all() and (
                    layers.above[k] + line - true > 2.0**-42
                ).all()


def test_float64_decides_below_the_curve_as_balls_do(monkeypatch):
    fast = normals.standard_normals(stream(8), "x", 0, 40000)
    layers = normals._layers()
    doubted = dataclasses.replace(layers, below=np.full(1024, -np.inf), above=np.full(1024, np.inf))
    monkeypatch.setattr(normals, "_layers", lambda: doubted)
    slow = normals.standard_normals(stream(8), "x", 0, 40000)
    assert (fast.value == slow.value).all() and fast._place == slow._place and len(fast._place) > 50


def test_a_normal_lies_in_its_cells_which_nest_and_near_its_value():
    batch = normals.standard_normals(stream(6), "x", 3, 300_000)
    places = [*range(4000), *batch._beyond, *list(batch._place)[:500]]
    apart = []
    assert {np.sign(batch.value[k]) == sign for k, (sign, _) in batch._beyond.items()} == {True}
    for k in places:
        cells = [ends(batch, k, bits) for bits in (0, 1, 64, 200, 1000)]
        assert all(low <= finer and last <= high for (low, high), (finer, last) in itertools.pairwise(cells))
        bound = exact(normals.error_bound(batch.value[k]))
        assert all(abs(end - exact(batch.value[k])) <= bound for end in cells[0]) and cells[-1][1] - cells[-1][
            0
        ] < Fraction(1, 2**1040)
        apart.append(float(abs(cells[-1][0] - exact(batch.value[k])) / bound))
    assert max(apart) > 0.5  # half the bound would not do


def test_normals_have_their_law_in_every_layer_and_in_the_tail():
    """Chi-square over bins between the edges of the layers, and beyond x_1 over bins of equal probability."""
    edges = np.array([slope / 2.0**32 for slope in reversed(normals._layers().slope[1:-1])])
    cuts = np.concatenate([-edges[::-1], [0.0], edges])
    below = np.array([mpmath.ncdf(x) for x in cuts], dtype=float)
    rim, seen, tail, moments = edges[-1], 0, [], np.zeros(4)
    for index in range(20):
        value = normals.standard_normals(stream(11), "x", index, 100_000).value
        seen = seen + np.bincount(np.searchsorted(cuts, value), minlength=len(cuts) + 1)
        moments += [(value**k).sum() for k in (1, 2, 3, 4)]
        tail += value[np.abs(value) > rim].tolist()
    count, chances = 2_000_000, np.diff(below, prepend=0.0, append=1.0)
    assert likely(seen, chances)
    errors = (moments / count - [0, 1, 0, 3]) / np.sqrt(np.array([1, 2, 15, 96]) / count)
    assert np.abs(errors).max() < 5.2  # 1e-6 for the four
    shares = np.array([mpmath.ncdf(-abs(x)) / mpmath.ncdf(-rim) for x in tail], dtype=float)
    assert likely(np.bincount((shares * 6).astype(int), minlength=6), np.full(6, 1 / 6))
    assert likely(np.bincount(np.array(tail) > 0, minlength=2), [0.5, 0.5])


def test_the_digits_left_over_are_uniform():
    """The first and the last eight digits not yet drawn, of normals kept at first, near the curve, and in the tail."""
    batch = normals.standard_normals(stream(12), "x", 0, 150_000)
    redrawn = list(batch._place)
    for places in (range(4000), redrawn[:4000]):
        digits = [batch.cell(k, 64)[0] // batch.cell(k, 64)[1] for k in places]
        assert likely(np.bincount([(x >> 60) & 15 for x in digits], minlength=16), np.full(16, 1 / 16))
        assert likely(np.bincount([x & 15 for x in digits], minlength=16), np.full(16, 1 / 16))


def test_the_tail_is_kept_as_often_as_the_curve_is_below_its_envelope():
    held = normals.Normals(np.zeros(3000), np.zeros(3000, dtype=np.uint64), {}, {}, stream(18), ("x", 0))
    kept = sum(normals._in_tail(held, k, k, 1) for k in range(3000))
    layers = normals._layers()
    chance = float(mpmath.sqrt(2 * mpmath.pi) * mpmath.ncdf(-layers.slope[1] / 2.0**32)) / (
        layers.rise[0] * layers.slope[-1] / 2.0**32
    )
    assert len(held._beyond) == kept and 0.9 < chance < 0.97 and likely([kept, 3000 - kept], [chance, 1 - chance])


def test_von_neumanns_exponential():
    """j + u of many tails: a standard exponential, whose whole part is geometric and whose fraction is apart
    from it.
    """
    held = stream(13)
    drawn = []
    for place in range(4000):
        whole = normals._whole_part(held, ("x", 0), place)
        drawn.append(whole + held.digits(f"x, tail {whole}", 0, place, 53) / 2.0**53)
    shares = -np.expm1(-np.array(drawn))
    assert likely(np.bincount((shares * 40).astype(int), minlength=40), np.full(40, 1 / 40))


def purpose():
    """The function outside the sampler that asks for random bits."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename in (normals.__file__, __file__):
        frame = frame.f_back
    return frame.f_code.co_name


@pytest.mark.parametrize("name", RECIPES)
def test_no_random_bits_serve_two_purposes(name, monkeypatch):
    asked, words = {}, Stream.words

    def noted_words(self, label, index, count, start=0):
        for place in range(start, start + count):
            asked.setdefault((self._key, label, index, place), set()).add(purpose())
        return words(self, label, index, count, start)

    monkeypatch.setattr(Stream, "words", noted_words)
    monkeypatch.setattr(grid, "SLACK", 1.0)
    mechanism, data = made(name)
    mechanism.release(data[:20] if "relative" not in name else data, RNG)
    assert (asked or name == "Laplace") and all(len(purposes) == 1 for purposes in asked.values())
    assert len({key for key, *_ in asked}) <= 1  # one stream


def test_a_batch_of_normals_uses_no_word_twice(monkeypatch):
    asked, words = [], Stream.words

    def noted(self, label, index, count, start=0):
        asked.append((label, start, start + count))
        return words(self, label, index, count, start)

    monkeypatch.setattr(Stream, "words", noted)
    batch = normals.standard_normals(stream(14), "x", 0, 600_001)
    asked = sorted(held for held in asked if held[1] < held[2])
    assert len(asked) >= 5  # draws thrown away, and their successors
    assert all(one[0] != other[0] or one[2] <= other[1] for one, other in itertools.pairwise(asked))
    assert len(set(batch._place.values())) == len(batch._place) and min(batch._place.values()) > 600_000


def test_a_batch_of_normals_stays_at_its_address(monkeypatch):
    """Its heights and its digits too: those of another panel would make the two dependent."""
    asked, plain = [], {name: getattr(Stream, name) for name in ("words", "digits")}

    def noted(name):
        return lambda self, label, index, *rest: asked.append((name, index)) or plain[name](self, label, index, *rest)

    for name in plain:
        monkeypatch.setattr(Stream, name, noted(name))
    batch = normals.standard_normals(stream(14), "x", 7, 5_001)
    for place in range(batch.value.size):
        batch.cell(place, 10)
    assert {*asked} == {("words", 7), ("digits", 7)} and len(asked) > 5_000


def test_words_and_digits_of_different_addresses_differ():
    held, found = stream(15), []
    for label in ("a", "a, digits", "b"):
        for index in (0, 1, 2**40):
            found += [
                held.words(label, index, 2).tobytes(),
                *(held.digits(label, index, place, 128).to_bytes(16, "big") for place in (0, 1, 2)),
            ]
    assert len(set(found)) == len(found)
    assert held.words("a", 0, 6)[4:].tolist() == held.words("a", 0, 2, 4).tolist()
    assert held.digits("a", 0, 0, 1000) >> 937 == held.digits("a", 0, 0, 63)
    assert (Stream().words("a", 0, 4) != Stream().words("a", 0, 4)).all()
    assert (stream(15).words("a", 0, 4) == held.words("a", 0, 4)).all()


# Bounds that are nearly reached


def nearly_the_next(layer, m, least=0.95):
    """A batch of one normal slope (m + f)/2^52 of a layer whose f is nearly 1, so that its float64 value is as wrong as
    can be.
    """
    for index in range(1000):
        held = stream(16)
        batch = normals.Normals(
            np.array([m * normals._layers().scale[layer]]),
            np.array([(m << 11) + layer], dtype=np.uint64),
            {},
            {},
            held,
            ("x", index),
        )
        if held.digits("x, digits", index, 0, 20) > least * 2**20:
            return batch
    raise AssertionError


@pytest.mark.parametrize("sign", (1, -1))
def test_sums_next_to_the_middle_are_settled_by_more_digits(sign):
    """A value that with the float64 normal lies on one side of the middle, and with the normal on the other."""
    batch, ratio = nearly_the_next(1, 3), 1.75 * 2**20
    middle = Fraction(1, 2) - Fraction(ratio) * ends(batch, 0)[0]  # with it the sum is 1/2
    rest = np.array([math.nextafter(float(middle), sign)])
    assert rest[0] + ratio * batch.value[0] < 0.5
    assert noise._nearest_sums(rest, 0, ratio, batch).tolist() == [1.0 if exact(rest[0]) >= middle else 0.0]


def test_the_bound_of_a_projection_holds_what_is_proved():
    """R u of what a panel's products may sum to, 2^-52 (|z| + 4.5) of a normal, u of the result: with records that make
    all of it count.
    """
    for rows, r, ridge in ((0, 1, 2.0), (400, 1, 0.0), (70_000, 1, 0.0), (4, normals.PANEL, 0.0)):
        step, records = normals.PANEL // r, np.empty((rows, 1))
        for index, start in enumerate(range(0, rows, step)):
            batch = normals.standard_normals(stream(17), "projection", index, min(step, rows - start) * r)
            records[start : start + step, 0] = batch.value[::r]  # in the first column every product is positive
        sums, error = projection._Draw(records, ridge, r, stream(17)).float_sums()
        unit, z = 2.0**-53, np.abs(records[:, 0])
        added = abs(normals.standard_normals(stream(17), "ridge", 0, r).value[0]) * math.sqrt(ridge)
        proved = min(rows, step) * unit * (z @ z) + 2 * unit * z @ (z + normals.LARGEST_SLOPE) + unit * abs(sums[0, 0])
        proved += (
            4 * unit * added
            + 2 * unit * normals.LARGEST_SLOPE * math.sqrt(ridge)
            + (unit * abs(sums[0, 0]) if ridge else 0)
        )
        assert error[0, 0] >= proved * (1 - 1e-9)


def test_a_chi_square_ball_holds_the_variate_where_it_is_least_sure(monkeypatch):
    for value in (0.0, 1e-16, 1e-3, 3.0):
        for count in (1, 300):
            held = SimpleNamespace(value=np.full(count, value))
            monkeypatch.setattr(solutions, "standard_normals", lambda *address: held)
            with flint.ctx.workprec(128):
                found = chi_square(None, count, 128)
            for sign in (1, -1):
                z = exact(value) + sign * exact(normals.error_bound(value)) * (Fraction(9, 10) if value == 0 else 1)
                assert found.contains(ball(count * z * z))
