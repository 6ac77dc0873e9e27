"""What mechanisms must refuse, and what must not change under their feet: kernels, outputs, calibrations, records,
inputs.
"""

import copy
import functools
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

from ndis_verify import mechanisms
from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms import baselines, records
from ndis_verify.mechanisms.baselines import SketchedLeastSquares as ProjectedLeastSquares
from ndis_verify.mechanisms.calibration import Calibration, Certificate, Target, number
from ndis_verify.mechanisms.gaussian_process import improved_sensitivity
from ndis_verify.mechanisms.records import ROUNDING, clip_norms, database, number_array

LINE = np.linspace(-1, 1, 200)
WAVES = np.column_stack([LINE, 0.5 * np.sign(np.sin(9 * LINE))])
BASE = np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.1], [0.2, 0.2]])
KERNEL = mechanisms.squared_exponential(1.0)


def rng(seed=0):
    return np.random.default_rng(seed)


def gaps(first, second):
    return np.sqrt(((first[:, None] - second[None]) ** 2).sum(axis=-1))


@functools.cache
def process(kernel, noise=250, records=1000, bound=1):
    return mechanisms.gaussian_process(
        kernel, [0.5], noise_variance=noise, label_bound=0.5, norm_bound=bound, records=records, epsilon=1, delta=1e-5
    )


@functools.cache
def declared(output=None):
    """Any output behind one calibration, which knows nothing of it."""
    if output is None:
        return mechanisms.calibrated_gaussian(
            lambda data: (0.0, 1.0), improved_sensitivity(1.0, 0.5, 250.0, 16), epsilon=1, delta=1e-5
        )
    return mechanisms.CalibratedGaussian(declared().calibration, output)


@functools.cache
def classifier():
    return mechanisms.logistic_regression(1, penalty=1, norm_bound=1, epsilon=1, delta=1e-5)


def refused(argument, call, *args, **options):
    with pytest.raises(InputError) as caught:
        call(*args, **options)
    assert caught.value.argument == argument, str(caught.value)
    return caught.value


# Kernels


@pytest.mark.parametrize(
    "kernel",
    [
        lambda a, b: np.tanh(3 * a @ b.T - 1),
        lambda a, b: -KERNEL(a, b),
        lambda a, b: 1 - 4 * gaps(a, b) ** 1.9,
        lambda a, b: -np.abs(np.tanh(a @ b.T)),
        lambda a, b: np.full((len(a), len(b)), -0.9),
        lambda a, b: np.full((len(a), len(b)), np.nan),
        lambda a, b: KERNEL(a, b) * np.where(a > b.T, 1.0, 0.9),
        lambda a, b: 2 * KERNEL(a, b),
        lambda a, b: 1.0,
        lambda a, b: "x",
        lambda a, b: KERNEL(a, b)[:, :1],
        lambda a, b: np.where(gaps(a, b) < 1e-3, 0.1, 0.5),
        lambda a, b: KERNEL(a, b) * np.where((a == 0.5) & (b.T == 0.5), 0.0, 1.0),
    ],
    ids=[
        "tanh",
        "negated",
        "distance",
        "negative",
        "constant",
        "nan",
        "skew",
        "large",
        "scalar",
        "text",
        "shape",
        "off-diagonal",
        "no prior",
    ],
)
def test_what_is_no_kernel_is_refused(kernel):
    mechanism = process(kernel)
    for release in (mechanism.output_law, lambda data: mechanism.release(data, rng())):
        refused("kernel", release, WAVES)


def test_a_kernel_must_be_a_function():
    refused("kernel", process, "rbf")


@pytest.mark.parametrize("noise", [250, 1, 1e-6])
@pytest.mark.parametrize(
    "kernel",
    [
        KERNEL,
        mechanisms.linear_kernel,
        lambda a, b: (1 + 2 * gaps(a, b)) * np.exp(-2 * gaps(a, b)),
        lambda a, b: np.cos(3 * (a - b.T)),
    ],
    ids=["squared exponential", "linear", "Matern", "cosine"],
)
def test_a_kernel_keeps_its_law(kernel, noise):
    data = np.vstack([WAVES, WAVES[:20], [[0.5, -0.5]]])  # repeated inputs, one at the query
    mechanism = process(kernel, noise)
    for rows in (data, data[:1], data[:0]):
        law = mechanism.output_law(rows)
        inputs, query = rows[:, :1], np.array([[0.5]])
        values, vectors = np.linalg.eigh(kernel(inputs, inputs) + noise * np.eye(len(rows)))
        cross = vectors.T @ kernel(inputs, query)[:, 0]
        prior = kernel(query, query)[0, 0]
        assert law.mean[0] == pytest.approx((cross / values) @ (vectors.T @ rows[:, 1]), rel=1e-7, abs=1e-7)
        spread = law.cov[0, 0] - mechanism.added_variance
        assert spread == pytest.approx(
            prior - (cross**2 / values).sum(), rel=1e-6, abs=1e-12 + 1e-14 * mechanism.added_variance
        )
        assert spread >= prior * noise / (noise + len(rows)) * (1 - 1e-9) - 1e-14 * mechanism.added_variance


# Outputs


@pytest.mark.parametrize(
    "output",
    [
        (np.zeros(1), -5 * np.eye(1)),
        (np.zeros(2), [[1.0, 2.0], [2.0, 1.0]]),
        (np.zeros(2), [[1.0, 0.5], [0.0, 1.0]]),
        (np.zeros(3), np.eye(1)),
        (np.zeros(1), np.eye(2)),
        (0.0, np.eye(2)),
        (np.array([np.nan]), np.eye(1)),
        (np.zeros(1), [[np.inf]]),
        (np.zeros((2, 2)), np.eye(2)),
        (np.zeros(0), np.zeros((0, 0))),
        (np.zeros(1),),
        None,
        (["a"], [[1.0]]),
        (np.array([1j]), [[1.0]]),
    ],
)
def test_an_output_that_is_no_normal_law_is_refused(output):
    mechanism = declared(lambda data: output)
    refused("output", mechanism.output_law, [])
    refused("output", mechanism.release, [], rng())


def test_outputs_right_up_to_rounding_are_taken():
    low_rank = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]) / 7
    skewed = low_rank + np.triu(np.full((3, 3), 1e-9), 1) - np.tril(np.full((3, 3), 1e-9), -1)
    for cov in (low_rank, skewed, np.zeros((3, 3)), 1e-300 * low_rank):
        mechanism = declared(lambda data, cov=cov: (np.zeros(3), cov))
        assert mechanism.output_law([]).cov == pytest.approx(cov + mechanism.added_variance * np.eye(3), abs=1e-8)
    scalar = declared(lambda data: (1.5, 2.0))
    assert scalar.output_law([]).mean == [1.5] and scalar.release([], rng()).shape == (1,)
    refused("output", mechanisms.CalibratedGaussian, declared().calibration, None)


# Whose calibration


@functools.cache
def made():
    """A mechanism of every kind, and how its class is built from a calibration."""
    databases = mechanisms.neighbourhood(BASE, 1)
    release = mechanisms.logistic_regression(2, penalty=1, norm_bound=1, epsilon=1, delta=1e-3)
    relative = (
        mechanisms.relative_random_projection(databases, 5, epsilon=1, delta=1e-3),
        mechanisms.relative_least_squares(databases, 5, epsilon=1, delta=1e-3),
    )
    return {
        "projection": (
            mechanisms.random_projection(5, epsilon=1, delta=1e-3, norm_bound=1),
            mechanisms.RandomProjection,
        ),
        "Sheffet": (baselines.sheffet(5, epsilon=1, delta=1e-3, norm_bound=1), mechanisms.RandomProjection),
        "Blocki": (baselines.blocki(5, epsilon=1, delta=1e-3, norm_bound=1), mechanisms.RandomProjection),
        "information": (
            baselines.mutual_information(5, epsilon=1, delta=1e-3, norm_bound=1),
            mechanisms.RandomProjection,
        ),
        "combination": (
            mechanisms.random_linear_combination(epsilon=1, delta=1e-3, norm_bound=1),
            mechanisms.RandomLinearCombination,
        ),
        "sampled": (mechanisms.subsampled_random_projection(0.001, 5, epsilon=1, delta=1e-3, norm_bound=1), None),
        "tested": (
            mechanisms.propose_test_release(
                5, epsilon=1, delta=1e-3, norm_bound=1, std=20, delta_test=1e-4, delta_failure=1e-4
            ),
            None,
        ),
        "least squares": (mechanisms.least_squares(1, 5, epsilon=1, delta=1e-3, norm_bound=1), mechanisms.LeastSquares),
        "sketch": (
            mechanisms.sketched_least_squares(1, 5, epsilon=1, delta=1e-3, norm_bound=1),
            mechanisms.SketchedLeastSquares,
        ),
        "relative projection": (relative[0], lambda known: mechanisms.RelativeRandomProjection(known, databases)),
        "relative least squares": (relative[1], lambda known: mechanisms.RelativeLeastSquares(known, databases)),
        "Gaussian": (
            mechanisms.gaussian_mechanism(1, epsilon=1, delta=1e-3, adjacency="any"),
            mechanisms.GaussianMechanism,
        ),
        "Laplace": (baselines.laplace_mechanism(1, 1, adjacency="any"), baselines.LaplaceMechanism),
        "output": (release, lambda known: mechanisms.CalibratedGaussian(known, release.output)),
    }


def test_a_calibration_serves_its_own_mechanism_only():
    kinds = made()
    # a combination is a projection to one column
    built = {"projection": {"projection", "Sheffet", "Blocki", "information", "combination"}}
    for name, (_, build) in kinds.items():
        if build is None:
            continue
        own = built["projection"] if build is mechanisms.RandomProjection else {name}
        for other, (mechanism, _) in kinds.items():
            if other in own:
                assert build(mechanism.calibration).calibration is mechanism.calibration
            else:
                refused("calibration", build, mechanism.calibration)
        refused("calibration", build, None)
    refused("projection", ProjectedLeastSquares, kinds["sketch"][0])


def test_a_name_alone_does_not_make_a_calibration_fit():
    sensitivity = improved_sensitivity(1.0, 0.5, 250.0, 16)
    alike = mechanisms.calibrated_gaussian(
        lambda data: (0.0, 1.0), sensitivity, epsilon=1, delta=1e-5, mechanism="random projection"
    )
    refused("calibration", mechanisms.RandomProjection, alike.calibration)


def test_a_relative_calibration_serves_its_own_set_only():
    for build, kind in (
        (mechanisms.relative_random_projection, mechanisms.RelativeRandomProjection),
        (mechanisms.relative_least_squares, mechanisms.RelativeLeastSquares),
    ):
        known = build(mechanisms.neighbourhood(BASE, 1), 5, epsilon=1, delta=1e-3).calibration
        kind(known, mechanisms.neighbourhood(BASE.copy(), 1))
        for other in (
            mechanisms.neighbourhood(BASE[:-1], 1),
            mechanisms.neighbourhood(BASE, 2),
            mechanisms.neighbourhood(BASE, 1, "ball"),
            mechanisms.neighbourhood(BASE, 1, BASE[:2]),
            mechanisms.neighbourhood(BASE * (1 + 1e-9), 1),
            None,
        ):
            refused("databases", kind, known, other)


def test_a_set_must_be_a_set():
    for call in (mechanisms.relative_random_projection, mechanisms.relative_least_squares):
        refused("databases", call, [[0.1, 0.2]], 3, epsilon=1, delta=1e-3)
    refused("databases", mechanisms.inherent_delta, BASE, 3, 1)
    refused("databases", mechanisms.worst_in_set, BASE, 3, 1)


# What cannot be changed


def test_a_set_cannot_be_changed_after_calibration():
    mine, others = np.array(BASE), np.array(BASE[:2])
    direct = mechanisms.Neighbourhood(mine, 1, others)
    for databases in (
        mechanisms.neighbourhood(mine, 1, others),
        direct,
        copy.deepcopy(direct),
        pickle.loads(pickle.dumps(direct)),
    ):
        before = databases.digest()
        for array in (databases.base, databases.additions):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 0
        mine[0], others[0] = 0.7, 0.0
        assert (
            (databases.base == BASE).all()
            and (databases.additions == BASE[:2]).all()
            and databases.digest() == before == direct.digest()
        )
        mine[:], others[:] = BASE, BASE[:2]
    refused("data", mechanisms.Neighbourhood, 3 * mine, 1, None)
    refused("additions", mechanisms.Neighbourhood, mine, 1, 3 * others)
    refused("additions", mechanisms.neighbourhood, mine, 1, None)


def test_what_a_calibration_says_cannot_be_changed():
    mechanism = process(KERNEL)
    public = mechanism.calibration.public
    assert public["query"] == (0.5,) and mechanism.calibration.as_dict()["public"]["query"] == [0.5]
    held = [np.arange(2.0), [1, [2]], {"deep": [3]}]
    known = Calibration(
        "any",
        "any",
        {"held": held},
        Target(epsilon=1, delta=0.1),
        {"ridge": 1.0},
        Certificate("any", {"at": [0.5]}, 0.1),
    )
    held[0][:], held[1][1][0], held[2]["deep"] = 9, 9, 9
    assert known.public["held"] == ((0.0, 1.0), (1, (2,)), {"deep": (3,)}) and known.certificate.worst_case["at"] == (
        0.5,
    )
    with pytest.raises(TypeError):
        known.public["held"][2]["deep"] = 9
    with pytest.raises(TypeError):
        known.noise["ridge"] = 0


def test_calibrations_survive_a_copy():
    for mechanism, _ in made().values():
        known = mechanism.calibration
        for again in (copy.deepcopy(known), pickle.loads(pickle.dumps(known)), copy.copy(known)):
            assert (
                again == known
                and again.as_dict() == known.as_dict()
                and json.loads(json.dumps(again.as_dict())) == known.as_dict()
            )
            with pytest.raises(TypeError):
                again.noise["ridge"] = 0


# Norms


def excess(row, bound):
    return sum(Fraction(float(entry)) ** 2 for entry in row) / Fraction(bound) ** 2 - 1


def within(matrix, bound):
    return all(excess(row, bound) <= 0 for row in matrix)


@pytest.mark.parametrize("d", [2, 3, 31, 1000, 20_000])
@pytest.mark.parametrize("bound", [1.0, 1.5, 0.1, 3e200, 1e-200])
def test_no_record_above_the_bound_is_let_pass(d, bound):
    rows = rng(d).standard_normal((max(2, 600 // d), d))
    rows *= bound / np.linalg.norm(rows, axis=1)[:, None]  # of norm l, as well as float64 can say
    found = database(rows, bound)
    assert within(found, bound) and found == pytest.approx(rows, rel=1e-14, abs=0)
    assert (database(found, bound) == found).all() and (database(rows * (1 - 1e-14), bound) == rows * (1 - 1e-14)).all()
    for above in (1 + 2.0**-52 * (d + 2), 1 + 3 * ROUNDING, 1.1):
        refused("data", database, np.vstack([rows[:1] * 0.5, rows[1:] * above]), bound)
    lone = np.zeros((1, d))
    lone[0, d // 2] = bound * (1 + 2.0**-52 * (d + 2) * 0.999)
    if d > 2:
        refused("data", database, lone, bound)
    lone[0, d // 2] = bound
    assert (database(lone, bound) == lone).all()


def test_a_norm_that_is_a_rounding_above_is_brought_down(monkeypatch):
    assert excess([0.6, 0.8], 1.0) > 0
    assert within(database([[0.6, 0.8]], 1.0), 1.0)
    monkeypatch.setattr(records, "_move_within", lambda *args: None)
    assert not within(database([[0.6, 0.8]], 1.0), 1.0)


def test_excesses_are_exact_next_to_the_bound():
    for d in (1, 2, 5, 200):
        rows = rng(d).standard_normal((20, d)) * 10 ** rng(d).uniform(-9, 0, (20, d))
        rows /= np.linalg.norm(rows, axis=1)[:, None]
        for row, found in zip(rows, records._excess(rows * 1.7, 1.7)):
            assert abs(float(excess(row * 1.7, 1.7)) - found) < 1e-26


@pytest.mark.parametrize("bound", [1.0, 0.3, 1e-180, 1e-300, 7e-310, 5e-324, 1e300])
def test_clipped_records_are_within_the_bound(bound):
    extreme = [[3e200, 4e200, 0.0], [1e308, -1e308, 1e308], [1e-170, 1e-170, 0], [5e-324, 1e-320, 0], [0.6, 0.8, 0.1]]
    rows = np.vstack([extreme, rng().normal(size=(20, 3))])
    clipped = clip_norms(rows, bound)
    assert within(clipped, bound) and (database(clipped, bound) == clipped).all()
    for before, after in zip(rows, clipped):
        if excess(before, bound) <= 0:
            assert (before == after).all()
        elif bound > 1e-300:
            assert excess(after, bound) > -2e-15
            largest = np.abs(before).max()
            assert after / bound == pytest.approx(before / largest / math.hypot(*before / largest), rel=1e-14)


def test_clipping_warns_of_nothing(recwarn):
    clip_norms([[3e200, 4e200], [1e308, 1e308], [5e-324, 1e-320]], 1.0)
    with pytest.raises(InputError):
        database([[3e200, 4e200]], 1.0)
    assert not recwarn.list


# Arrays

BAD = {
    "text": [["a", "b"]],
    "numeric text": [["0.1", "0.2"]],
    "text array": np.array([["0.1", "0.2"]]),
    "bytes": np.array([[b"1", b"0"]]),
    "ragged": [[0.1], [0.1, 0.2]],
    "complex": np.array([[0.1 + 100j, 0.2]]),
    "complex list": [[0.1 + 1j, 0.2]],
    "bool": np.array([[True, False]]),
    "bool in a list": [[True, 0.5]],
    "numpy bool in a list": [[np.True_, 0.5]],
    "masked": np.ma.array([[0.1, 0.2]], mask=[[True, False]]),
    "masked row": [np.ma.array([0.1, 0.2], mask=[True, False])],
    "masked entry": [[np.ma.masked, 0.2]],
    "none": None,
    "dict": {"a": 1},
    "huge": [[10**400, 0]],
    "object": np.array([[None, 0.2]], dtype=object),
    "nan": [[math.nan, 0]],
    "inf": [[math.inf, 0]],
    "date": np.array([["2020-01-01", "1970-01-01"]], dtype="datetime64[D]"),
    "duration": np.array([[1, 0]], dtype="timedelta64[s]"),
    "structured": np.array([(0.1, 0.2)], dtype=[("a", float), ("b", float)]),
    "generator": (x for x in [1]),
    "set": {0.1, 0.2},
    "object bool": np.array([[True, 0.2]], dtype=object),
    "long": np.array([[np.longdouble("1e1000"), 0]]),
}
TAKES = {
    **{
        name: (lambda data, name=name: made()[name][0].release(data, rng()), "data")
        for name in ("projection", "least squares", "Gaussian", "Laplace")
    },
    "logistic": (lambda data: classifier().release(data, rng()), "data"),
    "process": (lambda data: process(KERNEL).release(data, rng()), "data"),
    "query": (
        lambda data: mechanisms.gaussian_process(
            KERNEL, data, noise_variance=250, label_bound=0.5, norm_bound=1, records=16, epsilon=1, delta=1e-5
        ),
        "query",
    ),
    "set": (lambda data: mechanisms.neighbourhood(data, 1), "data"),
    "additions": (lambda data: mechanisms.neighbourhood(BASE, 1, data), "additions"),
    "clipping": (lambda data: mechanisms.clip_norms(data, 1), "data"),
    "least squares of a sketch": (mechanisms.projected_least_squares, "matrix"),
    "Gram matrix": (lambda data: mechanisms.gram_estimate(data, 1), "matrix"),
    "shrinking": (lambda data: mechanisms.james_stein(data, 1), "y"),
    "Sheffet features": (
        lambda data: baselines.sheffet_least_squares(3, epsilon=1, delta=1e-5, norm_bound=1).release(
            data, [0.1], rng()
        ),
        "features",
    ),
    "Sheffet target": (
        lambda data: baselines.sheffet_least_squares(3, epsilon=1, delta=1e-5, norm_bound=1).release(
            [[0.1]], data, rng()
        ),
        "target",
    ),
}


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.filterwarnings("error")
def test_what_is_no_array_of_numbers_is_refused_by_name(name):
    call, argument = TAKES[name]
    for data in BAD.values():
        refused(argument, call, data)


class Frame:
    """Has rows, columns and a conversion, as data frames do; iterating it gives the names of its columns."""

    def __init__(self, values):
        self.values = np.array(values)
        self.shape = self.values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or self.values.dtype)

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter("ab")


def test_arrays_of_numbers_are_taken_in_every_form():
    expected = np.array([[0.25, 1.0]])
    for form in (
        expected,
        [[0.25, 1]],
        ((0.25, 1.0),),
        [expected[0]],
        [np.array([0.25, 1.0])],
        Frame(expected),
        expected.astype(np.float32),
        expected.astype(object),
        [[Fraction(1, 4), 1]],
        [list(expected[0])],
        expected.astype(np.longdouble),
        np.asfortranarray(expected),
    ):
        found = number_array(form, "data")
        assert found.dtype == np.float64 and found.tolist() == expected.tolist() and found is not form
        assert (classifier().release(form, rng()) == classifier().release(expected, rng())).all()
    for name in ("projection", "least squares", "Gaussian", "process"):
        assert (TAKES[name][0](Frame([[0.1, 0.2]])) == TAKES[name][0]([[0.1, 0.2]])).all()
        refused("data", TAKES[name][0], Frame([["0.1", "0.2"]]))


# Parameters


@pytest.mark.parametrize(
    "value",
    [
        "1",
        b"1",
        True,
        np.True_,
        None,
        1 + 0j,
        np.complex128(1),
        np.timedelta64(1, "s"),
        [1],
        np.array([1.0]),
        np.array("1"),
        np.ma.masked,
        np.array(True),
        {1},
        10**400,
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_not_one_number_is_refused(value):
    refused("epsilon", number, value, "epsilon", 0, math.inf)
    refused("norm_bound", mechanisms.random_projection, 3, epsilon=1, delta=1e-5, norm_bound=value)
    refused("penalty", mechanisms.logistic_regression, 2, penalty=value, norm_bound=1, epsilon=1, delta=1e-5)


PROCESS = {
    "kernel": KERNEL,
    "query": [0.5],
    "noise_variance": 1,
    "label_bound": 1,
    "norm_bound": 1,
    "records": 10,
    "epsilon": 1,
    "delta": 1e-5,
}
LOGISTIC = {"dimension": 2, "penalty": 1, "norm_bound": 1, "epsilon": 1, "delta": 1e-5}
LEAST = {"d": 2, "r": 3, "epsilon": 1, "delta": 1e-5, "norm_bound": 1}
PROJECTION = {"r": 3, "epsilon": 1, "delta": 1e-5, "norm_bound": 1}
IN_SET = {"databases": mechanisms.neighbourhood(BASE, 1), "r": 3, "epsilon": 1}
RELATIVE = {**IN_SET, "delta": 1e-3}


@pytest.mark.parametrize(
    "call, good, changes",
    [
        (
            mechanisms.gaussian_process,
            PROCESS,
            {"query": "abc", "noise_variance": 5e-324, "label_bound": 1e308, "norm_bound": 1e308},
        ),
        (
            mechanisms.gaussian_process,
            PROCESS,
            {"query": 1j, "noise_variance": 1e308, "label_bound": 5e-324, "norm_bound": 5e-324},
        ),
        (mechanisms.gaussian_process, PROCESS, {"records": 1e308, "sensitivity": [1], "bound": np.array(["joint", 2])}),
        (
            mechanisms.squared_exponential,
            {"length_scale": 1, "amplitude": 1},
            {"length_scale": 1e308, "amplitude": 1e308},
        ),
        (
            mechanisms.logistic_regression,
            LOGISTIC,
            {"norm_bound": 1e308, "penalty": 5e-324, "epsilon": 1e308, "sensitivity": np.array([1, 2])},
        ),
        (mechanisms.least_squares, LEAST, {"epsilon": 1e308, "r": 1e308, "norm_bound": 1e308, "noise": [1]}),
        (mechanisms.sketched_least_squares, LEAST, {"epsilon": 1e308, "r": 1e308}),
        (baselines.sheffet, PROJECTION, {"r": 1e308, "epsilon": 1e308}),
        (baselines.blocki, PROJECTION, {"r": 1e308, "epsilon": 1e308}),
        (baselines.mutual_information, PROJECTION, {"r": 1e308, "epsilon": 1e308, "conversion": [1]}),
        (mechanisms.relative_least_squares, RELATIVE, {"law": [1], "r": 1e308, "epsilon": 1e308}),
        (mechanisms.relative_least_squares, RELATIVE, {"law": np.array([1, 2])}),
        (mechanisms.relative_random_projection, RELATIVE, {"ridge": [1], "r": 1e308, "epsilon": 1e308}),
        (mechanisms.worst_in_set, IN_SET, {"epsilon": "a", "r": 0, "law": [1], "ridge": math.nan}),
        (mechanisms.inherent_delta, IN_SET, {"epsilon": math.nan, "r": 0}),
        (mechanisms.denoise, {"y": [1.0], "std": 1, "method": "plain"}, {"method": [1], "std": "1"}),
        (mechanisms.gram_estimate, {"matrix": [[1.0]], "ridge": 0}, {"matrix": [[1e200]], "ridge": math.nan}),
        (
            mechanisms.least_squares(1, 5, epsilon=1, delta=1e-3, norm_bound=1).worst_record,
            {"data": [[0.1, 0.2]], "epsilon": 1},
            {"epsilon": math.nan},
        ),
    ],
)
@pytest.mark.filterwarnings("error")
def test_bad_parameters_are_refused_by_name(call, good, changes):
    call(**good)
    for argument, value in changes.items():
        refused(argument, call, **{**good, argument: value})
