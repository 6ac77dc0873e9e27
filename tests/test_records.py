"""Exact numbers, Gaussian pairs, quadratic forms and enclosures."""

import dataclasses
import decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify import Enclosure, GaussianPair, InputError, QuadraticForm
from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.datasets import Dataset
from ndis_verify.exact_number import MAX_DIGITS, as_exact, as_float, exact, exact_array, to_mpf

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite)
def test_a_float_means_that_binary64_number(value):
    assert exact(value) == Fraction(value)
    assert float(exact(value)) == value
    assert exact(np.float64(value)) == Fraction(value)
    assert exact(mpmath.mpf(value)) == Fraction(value)


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_string_means_that_decimal(value):
    value = value if abs(value.adjusted()) < 1000 else decimal.Decimal(1)
    assert exact(str(value)) == Fraction(value)


@pytest.mark.parametrize(
    "bad",
    [
        "nan",
        "inf",
        "1/3",
        "0x10",
        "",
        "1e",
        "1_000",
        "١",
        "1e99999999999",
        "9" * 30_000,
        True,
        None,
        1j,
        [1],
        float("nan"),
    ],
)
def test_what_is_not_a_number_is_refused_by_name(bad):
    with pytest.raises(InputError) as caught:
        exact(bad, "epsilon")
    assert caught.value.argument == "epsilon" and caught.value.rule


def test_arrays_stay_binary64_where_they_can_and_exact_where_they_must():
    assert exact_array([0.5, 1.0], "mean_p", 1).dtype == np.float64
    mixed = exact_array([0.5, "0.1"], "mean_p", 1)
    assert list(as_exact(mixed)) == [Fraction(1, 2), Fraction(1, 10)]
    assert as_float(mixed)[1] == 0.1
    huge = exact_array(np.array([2**60 + 1]), "mean_p", 1)
    assert as_exact(huge)[0] == 2**60 + 1
    assert as_exact(exact_array([0.1], "mean_p", 1))[0] == Fraction(0.1) != Fraction(1, 10)


def test_the_stored_arrays_cannot_be_changed():
    pair = GaussianPair([0.0], 1, [0.0], 1)
    with pytest.raises(ValueError):
        pair.mean_p[0] = 1.0


def test_covariances_are_stored_as_what_they_are():
    pair = GaussianPair([0, 0], "2", [1, 0], ["1", "3"])
    assert (pair.cov_p.kind, pair.cov_q.kind, pair.dimension) == ("scaled_identity", "diagonal", 2)
    assert pair.cov_p.entries.shape == ()
    assert (pair.cov_q.dense() == np.array([[1, 0], [0, 3]])).all()
    assert list(pair.exact_mean_difference()) == [-1, 0]
    swapped = pair.swapped()
    assert swapped.cov_p is pair.cov_q and swapped.mean_q is pair.mean_p


def test_a_large_diagonal_pair_is_linear_in_dimension():
    d = 200_000
    pair = GaussianPair(np.zeros(d), np.full(d, 2.0), np.zeros(d), 1.0)
    assert pair.cov_p.entries.nbytes == 8 * d


@pytest.mark.parametrize(
    "argument, change",
    [
        ("mean_p", {"mean_p": []}),
        ("mean_p", {"mean_p": [[0, 0]]}),
        ("mean_p", {"mean_p": "12"}),
        ("mean_p", {"mean_p": np.array([np.inf, 0])}),
        ("mean_q", {"mean_q": [0]}),
        ("cov_p", {"cov_p": 0}),
        ("cov_p", {"cov_p": [1, -1]}),
        ("cov_p", {"cov_p": [1, 2, 3]}),
        ("cov_p", {"cov_p": [[1, 0]]}),
        ("cov_p", {"cov_p": [[1, 0], [0]]}),
        ("cov_p", {"cov_p": [[1, 2], [2, 1]]}),
        ("cov_p", {"cov_p": [[1, 1], [1, 1]]}),
        ("cov_p", {"cov_p": [[0, 0], [0, 1]]}),
        ("cov_q", {"cov_q": [[1, 0.1], [0.2, 1]]}),
        ("cov_q", {"cov_q": np.full((2, 2), np.nan)}),
        ("cov_q", {"cov_q": [[[1]]]}),
        ("cov_q", {"cov_q": None}),
    ],
)
def test_a_bad_pair_is_refused_by_name(argument, change):
    good = {"mean_p": [0, 0], "cov_p": 1, "mean_q": [0, 1], "cov_q": [[2, 1], [1, 2]]}
    with pytest.raises(InputError) as caught:
        GaussianPair(**{**good, **change})
    assert caught.value.argument == argument


def test_the_smallest_eigenvalue_is_named():
    with pytest.raises(InputError, match=r"-1\.0.*smallest eigenvalue"):
        GaussianPair([0, 0], [[1, 2], [2, 1]], [0, 0], 1)


@given(st.integers(2, 60))
def test_definiteness_is_decided_exactly_at_the_edge(k):
    # det = (1 + t) (1 - t) up to sign: definite for t = 1 - 10^-k, singular for 1, indefinite for 1 + 10^-k.
    below, above = f"0.{'9' * k}", f"1.{'0' * (k - 1)}1"
    GaussianPair([0, 0], [[1, below], [below, 1]], [0, 0], 1)
    for bad in ("1", above):
        with pytest.raises(InputError):
            GaussianPair([0, 0], [[1, bad], [bad, 1]], [0, 0], 1)


def test_badly_scaled_but_definite_matrices_are_accepted():
    GaussianPair([0, 0], [[1e-300, 0.0], [0.0, 1e300]], [0, 0], 1)


def test_quadratic_form_counts_multiplicities():
    form = QuadraticForm((0.5, -1.0), (0.0, 2.0), 0.1, (3, 4))
    assert form.dimension == 7
    with pytest.raises(ValueError, match="multiplicity"):
        QuadraticForm((0.5,), (0.0,), 0.1, (0,))
    with pytest.raises(ValueError, match="one entry"):
        QuadraticForm((0.5,), (), 0.1, (1,))


@given(st.fractions(), st.integers(1, 40), st.integers(-60, 5))
def test_printed_values_contain_the_enclosure(value, digits, exponent):
    with mpmath.workdps(80):
        enclosure = Enclosure(to_mpf(value), mpmath.mpf(10) ** exponent, "bound")
    text, radius = enclosure.decimal(digits)
    low, high = Fraction(text) - Fraction(radius), Fraction(text) + Fraction(radius)
    assert low <= enclosure.lower and enclosure.upper <= high


def test_only_justified_digits_are_shown():
    with mpmath.workdps(50):
        enclosure = Enclosure(mpmath.pi, mpmath.mpf("1e-10"), "agreement")
    assert str(enclosure) == "3.141592654 +/- 6e-10 (two routes agree)"
    assert enclosure.decimal(40) == enclosure.decimal() == ("3.141592654", "6e-10")
    assert enclosure.decimal(4)[0] == "3.142"


@given(st.fractions(), st.integers(-12, 3), st.integers(1, 30))
def test_no_digit_is_shown_that_the_radius_does_not_justify(value, exponent, digits):
    with mpmath.workdps(80):
        enclosure = Enclosure(to_mpf(value), mpmath.mpf(10) ** exponent, "bound")
        justified = enclosure.justified_digits()
        at_most = mpmath.mpf(10) ** -justified * abs(enclosure.mid) * (1 + mpmath.mpf(10) ** -12)
    assert justified == 0 or enclosure.rad <= at_most
    for shown in (enclosure.decimal()[0], enclosure.decimal(digits)[0]):
        mantissa = shown.partition("e")[0].lstrip("-")
        whole = mantissa.endswith(".") or "." not in mantissa
        significant = mantissa.rstrip(".").strip("0") if whole else mantissa.replace(".", "").lstrip("0")
        assert len(significant) <= max(justified, 1)


@pytest.mark.parametrize("length", [1, 79, 80, 81, 20_000])
def test_a_bad_value_is_shown_in_at_most_80_characters(length):
    error = InputError("epsilon", "9" * length, "must be small")
    assert len(error.value) == min(length, 80) and str(error) == f"epsilon = {error.value}: must be small"
    assert error.value.endswith("...") == (length > 80)


def test_records_cannot_be_changed():
    """What has been checked when it was made stays as it was."""
    for record in (
        QuadraticForm((0.5,), (0.0,), 0.1, (1,)),
        Evidence(Outcome.HELD, "route", "detail"),
        Check("name", Kind.PROOF, lambda effort: Evidence(Outcome.HELD, "route", "detail"), {}),
        Claim("X-1", "N26", "title", "statement", Verdict.PROVED),
        Dataset("name", np.zeros((1, 1)), np.zeros(1)),
        Enclosure(mpmath.mpf(1), mpmath.mpf(0), "bound"),
        GaussianPair([0], 1, [0], 2),
    ):
        for field in dataclasses.fields(record):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(record, field.name, None)


@pytest.mark.parametrize("exponent", [-1386, -8700, -34707])
def test_values_far_below_any_float_are_printed(exponent):
    with mpmath.workdps(30):
        enclosure = Enclosure(mpmath.mpf(10) ** exponent * 9, mpmath.mpf(10) ** (exponent - 20), "bound")
    value, radius = enclosure.decimal(15)
    assert value.endswith(f"e{exponent}") and radius.endswith(f"e{exponent - 20}") and str(enclosure)


def test_an_enclosure_never_rounds_what_it_is_given():
    with mpmath.workdps(60):
        mid = mpmath.mpf(1) / 3
    assert Enclosure(mid, 0, "bound").mid == mid


def test_enclosures_decide_signs_and_overlap():
    assert Enclosure(2, 1, "bound").sign() == 1
    assert Enclosure(-2, 1, "bound").sign() == -1
    assert Enclosure(0, 0, "bound").sign() == 0
    assert Enclosure(1, 1, "bound").sign() is None
    assert Enclosure(1, 1, "bound").overlaps(Enclosure(3, 1, "bound"))
    assert not Enclosure(1, 1, "bound").overlaps(Enclosure(3.5, 1, "bound"))
    assert Enclosure(1, "0.5", "bound").contains("1.5") and not Enclosure(1, "0.5", "bound").contains("1.6")
    assert Enclosure(0, 0, "bound").decimal(30) == ("0", "0")


@pytest.mark.parametrize(
    "fields", [(1, -1, "bound"), (1, 1, "guess"), (mpmath.nan, 1, "bound"), (1, mpmath.inf, "bound")]
)
def test_impossible_enclosures_are_refused(fields):
    with pytest.raises(ValueError):
        Enclosure(*fields)


FAR = [-(10**15), -(10**9), -(10**6), 10**6, 10**9]


@pytest.mark.parametrize("power", FAR)
def test_values_beyond_any_fraction_are_printed_and_have_signs(power):
    """e^power, whose fraction would fill the memory: printed at once, around all of the enclosure."""
    for sign in (1, -1):
        with mpmath.workprec(300):
            mid = sign * mpmath.exp(power)
            enclosure = Enclosure(mid, abs(mid) * mpmath.mpf(10) ** -30, "bound")
        assert enclosure.sign() == sign and enclosure.relative_radius < 2e-30 and str(enclosure)
        for digits in (None, 5, 40):
            (value, _, place), (radius, _, small) = (text.partition("e") for text in enclosure.decimal(digits))
            with mpmath.workprec(400):  # relative to 10^place, which is near to the value
                unit = mpmath.mpf(10) ** int(place)
                reach = mpmath.mpf(radius) * mpmath.mpf(10) ** (int(small) - int(place))
                off = abs(mpmath.mpf(value) - enclosure.mid / unit) + enclosure.rad / unit
                assert off * (1 - mpmath.mpf(2) ** -300) <= reach <= 12 * off


def test_an_end_that_is_no_fraction_of_a_bearable_length_is_refused_by_name():
    tiny = mpmath.exp(-(mpmath.mpf(10) ** 9))
    for enclosure in (Enclosure(tiny, 0, "bound"), Enclosure(1, tiny, "bound"), Enclosure(1 / tiny, 1, "bound")):
        for end in ("lower", "upper"):
            with pytest.raises(InputError, match=rf"{end} = .*: has an exact fraction only where .* use mid and rad"):
                getattr(enclosure, end)
        with pytest.raises(InputError, match="use mid and rad"):
            enclosure.contains(0)
    assert Enclosure(0, tiny, "bound").sign() is None
    value, radius = Enclosure(1, tiny, "bound").decimal()
    assert float(value) == 1 and len(value) == MAX_DIGITS + 1
    assert int(radius.partition("e")[2]) < -MAX_DIGITS


@given(finite, st.floats(0, 1e300), st.integers(-3000, 3000))
def test_ends_are_exact(mid, rad, power):
    enclosure = Enclosure(mpmath.ldexp(mid, power), mpmath.ldexp(rad, -power), "bound")
    scale = Fraction(2) ** power
    assert enclosure.lower == Fraction(mid) * scale - Fraction(rad) / scale
    assert enclosure.upper == Fraction(mid) * scale + Fraction(rad) / scale
    assert enclosure.sign() == (
        1 if enclosure.lower > 0 else -1 if enclosure.upper < 0 else 0 if enclosure.lower == enclosure.upper else None
    )
