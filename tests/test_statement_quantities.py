"""The quantities of statements are the divergences and laws that their words name."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb
from statement_examples import in_balls

from ndis_verify.court.quantities.exact import NotExact, OutsideDomain
from ndis_verify.court.scaled_floats import scaled
from ndis_verify.court.statement_balls import value_at
from ndis_verify.court.statement_floats import value_on
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.oracle.certified.least_squares.finite_law import als_exact_hockey_stick
from ndis_verify.oracle.least_squares.asymptotic_law import als_pair
from ndis_verify.statements.reading import read_term
from ndis_verify.statements.terms import apply, variable


@pytest.mark.parametrize(
    ("head", "args", "pair"),
    [
        ("mean_shift", (Fraction(3, 2), Fraction(1, 2)), GaussianPair([0, 3], 4, [0, 0], 4)),
        ("projection", (Fraction(1, 3), 3, Fraction(1, 2)), GaussianPair([0] * 3, Fraction(3, 2), [0] * 3, 1)),
        ("projection_insert", (Fraction(1, 3), 3, Fraction(1, 2)), GaussianPair([0] * 3, 1, [0] * 3, Fraction(3, 2))),
    ],
)
def test_a_quantity_is_the_divergence_that_its_words_name(head, args, pair):
    true = hockey_stick(pair, "0.5", digits=25)
    with working_bits(120):
        found = enclosure(value_at(apply(head, *args), {}, 25))
    assert found.overlaps(true)
    with np.errstate(all="ignore"):
        values = value_on(apply(head, *args), {}, 1)
    assert abs(float(values.value()[0]) - float(true.mid)) <= 1e-10


@pytest.mark.parametrize("reverse", [False, True])
def test_a_pair_of_covariances_is_the_divergence_that_its_words_name(reverse):
    pair = GaussianPair([0] * 3, ["2", "2", "3"], [0] * 3, 1)
    true = hockey_stick(pair.swapped() if reverse else pair, "0.5", digits=25)
    body = apply("centred_reverse" if reverse else "centred", variable("lam"), variable("m"), Fraction(1, 2))
    with working_bits(120):
        exact_values = {"lam": [Fraction(2), Fraction(3)], "m": [Fraction(2), Fraction(1)]}
        assert enclosure(value_at(body, exact_values, 25)).overlaps(true)
    columns = {name: [scaled([float(x)]) for x in xs] for name, xs in exact_values.items()}
    assert abs(float(value_on(body, columns, 1).value()[0]) - float(true.mid)) <= 1e-10


_RECORD = {"p": Fraction(1, 5), "q": Fraction(2, 5), "d": Fraction(2), "r": Fraction(6), "eps": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("text", "values", "pair"),
    [
        (
            "delta_N(u, w; eps)",
            {"u": [Fraction(1, 2), Fraction(-1)], "w": [Fraction(2), Fraction(1, 2)], "eps": Fraction(1, 2)},
            GaussianPair(["0.5", -1], ["4", "0.25"], [0, 0], 1),
        ),
        ("delta_LS_delete(p, q, d, r; eps)", _RECORD, als_pair("0.2", "0.4", 2, 6, "delete")),
        ("delta_LS_insert(p, q, d, r; eps)", _RECORD, als_pair("0.2", "0.4", 2, 6, "insert")),
    ],
)
def test_a_pair_is_the_divergence_that_its_words_name(text, values, pair):
    body, true = read_term(text), hockey_stick(pair, "0.5", digits=20)
    with working_bits(120):
        assert enclosure(value_at(body, values, 20)).overlaps(true)
    columns = {
        n: [scaled([float(x)]) for x in v] if isinstance(v, list) else scaled([float(v)]) for n, v in values.items()
    }
    assert abs(float(value_on(body, columns, 1).value()[0]) - float(true.mid)) <= 1e-10


def test_the_law_of_a_sketch_is_the_one_that_its_words_name():
    for way in ("delete", "insert"):
        body, true = (
            read_term(f"delta_sketch_{way}(p, q, d, r; eps)"),
            als_exact_hockey_stick("0.2", "0.4", 2, 6, "0.5", way),
        )
        with working_bits(120):
            assert enclosure(value_at(body, _RECORD, 20)).overlaps(true)
        found = value_on(body, {name: scaled([float(x)]) for name, x in _RECORD.items()}, 1)
        assert abs(float(found.value()[0]) - float(true.mid)) <= 1e-9
        outside = _RECORD | {"q": Fraction(1, 10)}
        with pytest.raises(NotExact):
            value_at(body, outside, 20)
        assert np.isinf(value_on(body, {name: scaled([float(x)]) for name, x in outside.items()}, 1).error[0])


@pytest.mark.parametrize("way", ["delete", "insert"])
@pytest.mark.parametrize("d, r", [(1, 2), (2, 6), (3, 8), (5, 5), (4, 60)])
@pytest.mark.parametrize("wide", ["0.2", "0.01", "1e-25"])
def test_the_law_of_a_sketch_at_a_ball_of_leverages_is_that_of_each_of_them(way, d, r, wide):
    """The ends of a wide ball show that the step from its middle is a bound and no estimate."""
    body, wide = read_term(f"delta_sketch_{way}(p, q, d, r; eps)"), Fraction(wide)
    record = {"q": Fraction(1, 2), "d": Fraction(d), "r": Fraction(r), "eps": Fraction(1, 4)}
    with working_bits(240):
        found = value_at(body, record | {"p": ball(Fraction(1, 4)) + arb(0, ball(wide))}, 20)
        for p in (Fraction(1, 4) - wide, Fraction(1, 4), Fraction(1, 4) + wide):
            true = to_exact_ball(als_exact_hockey_stick(p, record["q"], d, r, record["eps"], way, 25))
            assert abs(true - found.mid()).upper() <= found.rad()
        assert found.rad() < 1e-9 or wide > 1e-20


@pytest.mark.parametrize("way", ["delete", "insert"])
def test_the_first_law_moves_the_divergence_whatever_epsilon_is(way):
    """The bound of the second one falls with e^eps, and that of the first one does not."""
    body = read_term(f"delta_sketch_{way}(p, q, d, r; eps)")
    record = {"q": Fraction(1, 2), "d": Fraction(2), "r": Fraction(6)}
    with working_bits(240):
        at = {**record, "p": ball(Fraction(1, 4)) + arb(0, "1e-25")}
        near, far = (value_at(body, at | {"eps": Fraction(eps)}, 20).rad() for eps in ("0.25", "-8"))
    assert near / 5 < far < near


def test_where_a_term_has_no_value_and_where_its_value_is_out_of_reach_are_told_apart():
    delete = read_term("delta_sketch_delete(p, q, d, r; eps)")
    root = ball(Fraction(1, 5)).sqrt()
    for text, values, outside in (
        (delete, {**_RECORD, "p": root}, True),  # above q
        (delete, {**_RECORD, "q": root}, False),
        (delete, {**_RECORD, "p": ball(Fraction(2, 5)) + arb(0, "0.01")}, False),  # perhaps above q
        (delete, {**_RECORD, "d": Fraction(3, 2)}, True),
        (delete, {**_RECORD, "d": root}, False),
        (read_term("log(p)"), {"p": -root}, True),
        (read_term("sqrt(p)"), {"p": -root}, True),
        (read_term("1/p"), {"p": Fraction(0)}, True),
        (read_term("p^(1/2)"), {"p": Fraction(-1)}, True),
    ):
        with pytest.raises(NotExact) as refused, working_bits(120):
            value_at(text, values, 20)
        assert isinstance(refused.value, OutsideDomain) == outside, text


@pytest.mark.parametrize(("c", "a", "r"), [("0.5", "-0.75", 3), ("-1", "0.5", 4), ("0.25", "-4", 1)])
def test_a_chi_square_hinge_is_the_expectation_that_its_words_name(c, a, r):
    body = apply("chi2_hinge", Fraction(c), Fraction(a), r)
    with mpmath.workdps(20):
        half, low, high = mpmath.mpf(r) / 2, *sorted((0, max(0, float(-2 * Fraction(c) / Fraction(a)))))
        density = lambda t: t ** (half - 1) * mpmath.exp(-t / 2) / 2**half / mpmath.gamma(half)
        hinge = lambda t: -mpmath.expm1(mpmath.mpf(c) + mpmath.mpf(a) * t / 2) * density(t)
        ends = [high, high + 5, high + 40, mpmath.inf] if Fraction(a) < 0 else [low, high / 4, high]
        true = mpmath.quad(hinge, ends)
    with working_bits(120):
        assert abs(float(enclosure(value_at(body, {}, 20)).mid) - float(true)) < 1e-9
    assert abs(float(value_on(body, {}, 1).value()[0]) - float(true)) < 1e-9


def test_a_law_of_a_quadratic_form_is_its_distribution_and_its_hinge():
    """Against draws: the probability and the expectation that the words name, to their sampling error."""
    a, b, z = (
        [Fraction(3, 4), Fraction(-3)],
        [Fraction(1, 2), Fraction(-1)],
        np.random.default_rng(5).normal(size=(2, 10**6)),
    )
    values = (np.array(a, dtype=float)[:, None] * z**2 / 2 + np.array(b, dtype=float)[:, None] * z).sum(axis=0)
    draws = {"quadratic_cdf": values <= 0.5, "quadratic_hinge": np.maximum(0, -np.expm1(0.5 + values))}
    for head, sample in draws.items():
        body = apply(head, variable("a"), variable("b"), Fraction(1, 2))
        with working_bits(120):
            true = float(enclosure(in_balls(value_at(body, {"a": a, "b": b}, 20))).mid)
        columns = {name: [scaled([float(x)]) for x in xs] for name, xs in (("a", a), ("b", b))}
        assert abs(float(value_on(body, columns, 1).value()[0]) - true) < 1e-9
        assert abs(sample.mean() - true) < 5 * sample.std() / 1e3
