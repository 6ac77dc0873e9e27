"""The compiled loops of the sketch's law beside the same integrals by arrays and the certified oracle; where numba is
not installed, the same loops as plain Python."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from ndis_verify.fast import als_exact_cap, als_exact_hockey_stick, als_exact_worst_case
from ndis_verify.fast.accuracy import sketch_error
from ndis_verify.fast.engine import compiling, kernels
from ndis_verify.fast.least_squares import compiled_law, finite_law
from ndis_verify.fast.least_squares.asymptotic_law import largest_loss
from ndis_verify.oracle import certified_als_exact_hockey_stick

ROUNDING = 2e-12  # of two sums of the same terms, for a hundred rows
COMPILED = compiling.numba is not None


@pytest.fixture
def loops(monkeypatch):
    """They are used from the first value on, compiled or not."""
    monkeypatch.setattr(kernels, "compiled_kernel", lambda: compiled_law)
    monkeypatch.setattr(kernels, "_asked", 10**9)


def records(rng, count, d, direction):
    """p, q, r and epsilons of every kind: next to 0, to one another and to the largest loss, and between."""
    kind = rng.integers(0, 4)
    q = (rng.uniform(0, 1, count), 10 ** rng.uniform(-9, 0, count), 1 - 10 ** rng.uniform(-9, 0, count))[kind % 3]
    q = np.clip(q, 1e-300, 1 - 2.0**-30)
    share = np.where(rng.random(count) < 0.5, rng.uniform(0, 1, count), 1 - 10 ** rng.uniform(-12, 0, count))
    p = np.minimum(q * np.where(rng.random(count) < 0.2, rng.integers(0, 2, count), share), q)
    r = np.maximum(np.rint(np.exp(rng.uniform(math.log(d), math.log(d + 100), count))), d)
    most = largest_loss(p, q, d, r, direction)
    near = most * (1 - 10 ** rng.uniform(-12, 0, count))
    epsilon = np.where(rng.random(count) < 0.5, near, np.sqrt(r) * q * 10 ** rng.uniform(-3, 1, count))
    return p, q, r, np.maximum(epsilon, 0.0)


@pytest.mark.parametrize("whole", [True, False])
def test_a_mode_is_a_share_that_has_a_logit(whole):
    """Also where float64 cannot tell it from an end."""
    for k, m in ((1e17, 0.5), (0.5, 1e-320), (0.5, 1e17)):
        assert 0 < compiled_law._mode(whole, 0.5, 0.25, 0.25, k, m) < 1


@pytest.mark.parametrize("direction", ["delete", "insert"])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 12, 80])
@pytest.mark.parametrize("effort", ["full", "draft", "rough"])
def test_they_agree_with_arrays(loops, d, direction, effort):
    rng = np.random.default_rng([d, len(direction), len(effort)])
    count = 60 if COMPILED else 2
    p, q, r, epsilon = records(rng, count, d, direction)
    with np.errstate(all="ignore"):
        ours = finite_law.log_als_exact_hockey_stick(p, q, d, r, epsilon, direction, effort=effort)
    with kernels.by_arrays_alone():
        theirs = finite_law.log_als_exact_hockey_stick(p, q, d, r, epsilon, direction, effort=effort)
    assert np.array_equal(np.isinf(ours), np.isinf(theirs)) and np.isfinite(ours).any()
    with np.errstate(invalid="ignore"):
        gap = np.where(ours == theirs, 0.0, np.abs(ours - theirs) - 4 * np.spacing(np.abs(theirs)))
    # next to q = 1 the terms themselves are rounded more; windows of a draft are not the same
    allowed = {"full": np.where(q > 0.99, 2e-10, ROUNDING), "draft": 1e-4, "rough": 0.02}[effort]
    assert (gap <= allowed).all()


def test_they_are_within_the_promise_of_certified_values(loops):
    rng = np.random.default_rng(41)
    for d in (1, 2, 3, 8):
        p, q, r, epsilon = records(rng, 4 if COMPILED else 1, d, "delete")
        q, r = np.minimum(q, 0.9), np.minimum(r, 60)
        p, epsilon = np.minimum(p, q), np.minimum(epsilon, 0.5 * largest_loss(np.minimum(p, q), q, d, r, "delete"))
        with np.errstate(all="ignore"):
            found = als_exact_hockey_stick(p, q, d, r, np.maximum(epsilon, 0), "delete")
        for value, *record in zip(found, p, q, r, np.maximum(epsilon, 0)):
            a, b, rows, at = map(float, record)
            with mpmath.workdps(30):
                true = certified_als_exact_hockey_stick(a, b, d, int(rows), at, "delete", digits=15).mid
                assert abs(value - true) <= sketch_error(float(true), rows) * true


@pytest.mark.parametrize("direction", ["delete", "insert"])
def test_one_row_and_p_next_to_q_are_within_a_tenth_of_the_promise(loops, direction):
    """The density of one row grows without bound next to an end of the intervals, nearly as near as q is to p."""
    rng = np.random.default_rng(7)
    q = np.append(10 ** rng.uniform(-6, -0.05, 8), [0.9728147282753589, 0.0790391246519673])
    p = np.append(q[:8] * (1 - 10 ** rng.uniform(-14, -8, 8)), [0.9728147282698923, 0.07903912465014197])
    epsilon = largest_loss(p, q, 1, 1, direction) * np.append(rng.uniform(0, 0.9, 8), [0.05, 0])
    loop = als_exact_hockey_stick(p, q, 1, 1, epsilon, direction)
    with kernels.by_arrays_alone():
        array = als_exact_hockey_stick(p, q, 1, 1, epsilon, direction)
    for *record, values in zip(p.tolist(), q.tolist(), epsilon.tolist(), zip(loop, array, strict=True), strict=True):
        a, b, at = record
        true = certified_als_exact_hockey_stick(a, b, 1, 1, at, direction, digits=15).mid
        assert all(abs(value - true) <= 2e-11 * true for value in values)


@pytest.mark.parametrize(
    "record",
    [  # p is a few units in the last place below q, and epsilon next to the largest loss
        (0.999999998732679, 0.9999999987326792, 1, 1, 10.24318033766602),
        (0.9999999988149016, 0.9999999988149019, 1, 4, 41.106879996346706),
        (0.999999997880461, 0.9999999978804611, 2, 2, 19.972067241654305),
        (0.9999999974614747, 0.9999999974614749, 10, 20, 197.91682539763866),
    ],
)
def test_a_threshold_whose_root_is_one_lies_on_its_side_of_the_node(loops, record):
    """Both roots are 1 in floats; their squares tell which is larger. Within the promise, for an epsilon so near."""
    *rest, epsilon = record
    loop = als_exact_hockey_stick(*rest, epsilon, "insert")
    with kernels.by_arrays_alone():
        array = als_exact_hockey_stick(*rest, epsilon, "insert")
    near = [Fraction(epsilon) * (1 + sign * Fraction(1, 10**14)) for sign in (1, -1)]
    low, high = (certified_als_exact_hockey_stick(*rest, at, "insert", digits=15).mid for at in near)
    assert all(low * (1 - 2e-10) <= value <= high * (1 + 2e-10) for value in (loop, array))


@pytest.mark.skipif(not COMPILED, reason="numba is not installed: the searches would take long")
def test_searches_end_at_the_same_place(loops):
    ours = als_exact_cap(3, [20, 50, 400], epsilon=1.0, delta=1e-6), als_exact_worst_case(0.1, 3, 50, 1.0).delta
    with kernels.by_arrays_alone():
        theirs = als_exact_cap(3, [20, 50, 400], epsilon=1.0, delta=1e-6), als_exact_worst_case(0.1, 3, 50, 1.0).delta
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-10)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=ROUNDING)


def test_arrays_do_few_values_and_all_where_they_are_asked_alone(monkeypatch):
    monkeypatch.setattr(kernels, "_asked", 0)
    monkeypatch.setattr(compiled_law, "log_deltas", None)  # would fail
    assert als_exact_hockey_stick(0.125, 0.25, 3, 50, 1.0) > 0.1
    monkeypatch.setattr(kernels, "_asked", 10**9)
    with kernels.by_arrays_alone():
        assert als_exact_hockey_stick(0.125, 0.25, 3, 50, 1.0) > 0.1
