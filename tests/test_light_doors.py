"""The records and the whole oracle where neither numpy nor scipy exists; what a fresh process loads."""

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from ndis_verify import GaussianPair, InputError
from ndis_verify.exact_number import exact_numbers
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.oracle.leverage import leverage_scores
from ndis_verify.oracle.relative_least_squares import relative_least_squares

_WITHOUT = """
import sys
sys.modules["numpy"] = sys.modules["scipy"] = None
import json, warnings
from fractions import Fraction
from importlib import import_module
from ndis_verify import GaussianPair, InputError, discovery
for package in ("oracle",):
    for name in discovery.files(f"ndis_verify.{package}"):
        import_module(name)
for name in ("claim", "calibrator", "enclosure", "exact_number", "facade", "moved", "quadratic_form"):
    import_module(f"ndis_verify.{name}")
import ndis_verify.oracle as oracle
from ndis_verify.oracle.leverage import leverage_scores

warnings.simplefilter("error")
pair = GaussianPair(["1", "0.5"], [["2", "0.5"], ["0.5", Fraction(1)]], [0, 0.25], [[1, "0.25"], [0.25, 1]])
values = {
    "hockey_stick": oracle.certified_hockey_stick(pair, "1", digits=20),
    "two_routes": oracle.hockey_stick(pair, 1, digits=20),
    "epsilon_for_delta": oracle.certified_epsilon_for_delta(pair, "0.01"),
    "mean_shift": oracle.certified_gaussian_hockey_stick(1, "1.5", Fraction(1, 2)),
    "random_projection": oracle.certified_rp_hockey_stick("0.3", 10, 1, "insert"),
    "least_squares": oracle.certified_als_hockey_stick("0.2", "0.3", 2, 10, 1, "insert"),
    "finite_law": oracle.certified_als_exact_hockey_stick("0.2", "0.3", 2, 10, 1, "insert"),
    "chi2": oracle.certified_generalized_chi2_cdf(["1", -0.5], [1, 2], [0, Fraction(1, 3)], 0, "0.25", "1.25"),
    "std": oracle.certified_gaussian_std(1, epsilon=1, delta="1e-6"),
    "ridge": oracle.certified_rp_ridge(1, 20, epsilon=1, delta="1e-5"),
    "relative_ridge": oracle.certified_relative_least_squares(
        [[1, 1], [0, 1], [1, 0]], [[1, "0.5"]], 2, 20, epsilon=1, delta="1e-5"),
    "leverage": leverage_scores([[1, 2], [3, "4.5"], [0, 1]], [1])[0],
}
refused = []
wide = [[int(i == j) for j in range(130)] for i in range(130)]
for bad in ([[1, 2], [2, 1]], [[1, "0.5"], [0.25, 1]], [[1.0, float("nan")], [0.0, 1.0]], wide, True, [0, 1], "a"):
    try:
        GaussianPair([0] * (130 if bad is wide else 2), bad, [0] * (130 if bad is wide else 2), 1)
    except InputError as error:
        refused.append(str(error))
print(json.dumps([{name: [value.basis, *value.decimal(15)] for name, value in values.items()}, refused]))
"""


def _in_fresh_process(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def without():
    return json.loads(_in_fresh_process(_WITHOUT))


def _pair() -> GaussianPair:
    return GaussianPair(
        np.array([1, 0.5]), np.array([[2, 0.5], [0.5, 1]]), np.array([0, 0.25]), np.array([[1, 0.25], [0.25, 1]])
    )


@pytest.fixture(scope="module")
def here():
    """The same where numpy is, by other routes or from arrays."""
    from ndis_verify import fast, oracle

    pair = _pair()
    worst = relative_least_squares(
        np.array([[1.0, 1], [0, 1], [1, 0]]), np.array([[1, 0.5]]), 2, 20, epsilon=1, delta=Fraction("1e-5")
    )
    return {
        "hockey_stick": fast.hockey_stick(pair, 1.0),
        "two_routes": fast.hockey_stick(pair, 1.0),
        "epsilon_for_delta": fast.epsilon_for_delta(pair, 0.01),
        "mean_shift": fast.gaussian_hockey_stick(1.0, 1.5, 0.5),
        "random_projection": fast.rp_hockey_stick(0.3, 10, 1.0, "insert"),
        "least_squares": fast.als_hockey_stick(0.2, 0.3, 2, 10, 1.0, "insert"),
        "finite_law": fast.als_exact_hockey_stick(0.2, 0.3, 2, 10, 1.0, "insert"),
        "chi2": oracle.generalized_chi2_cdf([1, -0.5], [1, 2], [0, Fraction(1, 3)], 0, 0.25, 1.25).mid,
        "std": fast.gaussian_std(1.0, epsilon=1.0, delta=1e-6),
        "ridge": fast.rp_ridge(1.0, 20, epsilon=1.0, delta=1e-5),
        "relative_ridge": float(worst.mid),
        "leverage": float(leverage_scores(np.array([[1, 2], [3, 4.5], [0, 1]]), [1])[0].mid),
    }


def test_certified_values_need_no_numpy(without, here):
    values, _ = without
    assert values.keys() == here.keys()
    for name, (basis, middle, radius) in values.items():
        assert basis == ("agreement" if name == "two_routes" else "bound")
        assert float(middle) == pytest.approx(float(here[name]), rel=1e-9, abs=float(radius)), name


def test_bad_pairs_are_refused_without_numpy(without):
    _, refused = without
    assert [text.split(":")[-1].strip() for text in refused] == [
        "must be positive definite",
        "must be symmetric exactly; (S + S.T) / 2 repairs rounding",
        "entry (0, 1) must be finite",
        "must have at most 128 rows where there is no numpy",
        "must be a real number, not a boolean",
        "must be positive definite; this is its smallest eigenvalue",
        "must be a finite decimal number such as 0.25 or -3e-7",
    ]


@pytest.mark.parametrize(
    "values",
    [
        np.array([[1, 2], [3, 4]]),
        np.array([[1.5, 2], [3, 4]], dtype=np.float32),
        np.array([[Fraction(1, 3), "0.1"], [2, 3.5]], dtype=object),
        np.array([[2**63 - 1, 1], [0, 3]]),
        [["0.1", 2], [3, 4]],
        [[0.1, 2.0], [3.0, 4.0]],
    ],
)
def test_the_numbers_are_the_same_by_numpy_and_without(values):
    held = exact_numbers(values, "values", 2)
    assert held.shape == held.array.shape == (2, 2)
    assert list(map(tuple, held.array)) == list(map(tuple, held)) == [tuple(held[0]), tuple(held[1])]
    assert all(isinstance(x, Fraction) for x in held.fractions)
    with pytest.raises(ValueError, match="read-only"):
        held.array[0, 0] = 1


@pytest.mark.parametrize("cov", ["2", ["2", "0.5"], [["2", "0.5"], ["0.5", "1"]]])
def test_the_plain_forms_of_a_pair_are_those_of_numpy(cov):
    pair = GaussianPair(["1", 2], cov, np.array([0.5, 0]), 1)
    assert pair.shift() == tuple(pair.exact_mean_difference()) == (Fraction(1, 2), 2)
    assert np.array_equal(np.array(pair.cov_p.rows()), pair.cov_p.dense())
    if pair.cov_p.kind == "dense":
        with pytest.raises(ValueError, match="must be a diagonal"):
            pair.cov_p.variances()
    else:
        assert pair.cov_p.variances() == tuple(np.diagonal(pair.cov_p.dense()))
    assert pair.swapped().shift() == tuple(-step for step in pair.shift())


def test_a_singular_matrix_is_told_from_one_that_is_nearly_so():
    near = [["1", "1"], ["1", Fraction(10**40 + 1, 10**40)]]
    assert hockey_stick(GaussianPair([0, 0], near, [0, 0], 1), 0).basis == "bound"
    with pytest.raises(InputError, match="must be positive definite"):
        GaussianPair([0, 0], [["1", "1"], ["1", "1"]], [0, 0], 1)


_LOADED = "import sys; {}; print(*(m for m in sys.modules if m.partition('.')[0] in ('numpy', 'scipy', 'sympy')))"


@pytest.mark.parametrize(
    "code",
    [
        "import ndis_verify",
        "from ndis_verify.oracle import certified_rp_ridge; certified_rp_ridge(1, 9, epsilon=1, delta='0.1')",
        "from ndis_verify.cli import main; main('delta --mean-p 1 --cov-p 2 --mean-q 0 --cov-q 1 --epsilon 1'.split())",
    ],
)
def test_a_light_start_loads_neither_numpy_nor_scipy_nor_sympy(code):
    assert _in_fresh_process(_LOADED.format(code)).splitlines()[-1] == ""


def test_one_claim_is_found_without_loading_the_others():
    code = "import sys; from ndis_verify.claims.ledger import find; find('N26-L4'); "
    count = "sum(m.startswith('ndis_verify.claims.') and m.endswith('.claims') for m in sys.modules)"
    assert int(_in_fresh_process(f"{code}print({count})")) <= 3
