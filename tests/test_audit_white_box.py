"""White-box audit: verdicts, witness sets, CDF oracles of declared error, estimated laws, composition, the command."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from ndis_verify import cli, fast, oracle
from ndis_verify.audit import audit_gaussian, error_per_call, estimated_limits, two_call_limits
from ndis_verify.audit.white_box import witness_set
from ndis_verify.commands.audit_gaussian import certified_limits
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import find
from ndis_verify.fast.composition import compose, composed_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.mechanisms.white_box import OutputLaw, law_delta
from ndis_verify.oracle.certified import composition as certified

PRINTED = GaussianPair(["0"], "9.26", ["0"], "1.26")  # N26-Fig5 stops at variance 0.26 for eps = 1, delta = 1e-6
DENSE = GaussianPair([1, 0.5], [[2, 0.5], [0.5, 1]], [0, 0.2], [[1, 0.1], [0.1, 1.5]])


def _cdf(law, t):
    return float(law.cdf(t))


def test_the_printed_covariance_bound_is_caught():
    found = audit_gaussian(PRINTED, 1, "1e-6", limits=certified_limits("1e-6"), basis="certified")
    assert found.refuted and found.order == "P,Q"
    assert Fraction("0.3419") < found.lower <= found.upper < Fraction("0.342")
    # The witness is |x| > z: its masses by the normal CDF alone.
    z = np.sqrt(-found.witness.constant / found.witness.matrix[0])
    assert 2 * norm.sf(z, scale=9.26**0.5) - np.e * 2 * norm.sf(z, scale=1.26**0.5) == pytest.approx(
        float(found.lower), rel=1e-12
    )
    assert not audit_gaussian(GaussianPair(["0"], "82", ["0"], "74"), 1, "1e-6").refuted  # variance 73 instead


@pytest.mark.parametrize("limits", [None, two_call_limits(_cdf, 1e-11)])
def test_a_claim_just_above_and_just_below_the_certified_delta(limits):
    truth = max(oracle.certified_hockey_stick(one, 1, digits=15).mid for one in (DENSE, DENSE.swapped()))
    above, below = (audit_gaussian(DENSE, 1, float(truth) * (1 + side * 1e-9), limits=limits) for side in (1, -1))
    assert not above.refuted and above.margin > 0
    assert below.refuted and below.margin < 0 and below.verdict == "refuted"


def test_the_order_and_the_neighbour_that_cost_most():
    family = {"near": GaussianPair([0], 1, ["0.1"], 1), "far": DENSE.swapped(), "same": GaussianPair([0], 2, [0], 2)}
    found = audit_gaussian(family, 1, "0.1")
    assert (found.neighbour, found.order) == ("far", "Q,P")
    assert audit_gaussian([family["same"]], 0, 0, limits=certified_limits(0)).margin == 0


@settings(max_examples=15)
@given(st.integers(1, 3), st.integers(0, 10_000), st.floats(0, 3), st.integers(1, 3))
def test_the_witness_is_where_the_loss_exceeds_epsilon(dimension, seed, epsilon, copies):
    rng = np.random.default_rng(seed)
    roots = rng.standard_normal((2, dimension, dimension + 2))
    covs = [(root @ root.T + (root @ root.T).T) / 2 for root in roots]
    means = rng.standard_normal((2, dimension)) * 5
    witness = witness_set(GaussianPair(means[0], covs[0], means[1], covs[1]), epsilon, copies)
    x = rng.standard_normal((50, copies, dimension)) * 3 + means[0]
    logs = [np.reshape(multivariate_normal(m, c).logpdf(x), (50, copies)) for m, c in zip(means, covs)]
    loss = (logs[0] - logs[1]).sum(axis=1)
    clear = np.abs(loss - epsilon) > 1e-8 * (1 + np.abs(logs).sum(axis=(0, 2)))
    inside = witness.contains(x if copies > 1 else x[:, 0])
    assert (inside == (loss > epsilon))[clear].all()


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_a_wrong_cdf_within_its_declared_error_never_refutes_a_true_claim(signs):
    alpha, epsilon = 1e-3, 1.5
    error, calls = error_per_call(alpha, epsilon), []

    def off(law, t):
        calls.append(law)
        return float(law.cdf(t)) + signs[(len(calls) - 1) % 2] * error

    truth = [float(oracle.certified_hockey_stick(one, epsilon, digits=15).mid) for one in (DENSE, DENSE.swapped())]
    found = audit_gaussian(DENSE, epsilon, max(truth) * (1 + 1e-12), limits=two_call_limits(off, error))
    assert len(calls) == 4  # two for each order
    assert not found.refuted and found.lower >= max(truth) - 2.01 * alpha
    # Declared too small, the same errors do refute it.
    if signs == (1, -1):
        assert audit_gaussian(DENSE, epsilon, max(truth) * (1 + 1e-12), limits=two_call_limits(off, error / 2)).refuted


def test_two_calls_with_equal_covariances_and_equal_laws():
    shifted = GaussianPair([1, 0], 1, [0, 0], 1)
    found = audit_gaussian(shifted, 1, 0, limits=two_call_limits(_cdf, 1e-12))
    assert found.refuted and found.lower == pytest.approx(norm.cdf(-0.5) - np.e * norm.cdf(-1.5), abs=1e-10)
    assert not audit_gaussian(GaussianPair([0], 1, [0], 1), 0, 0, limits=two_call_limits(_cdf, 0.0)).refuted
    nearly = GaussianPair([1.0], 1.0, [0.0], 1 + 2.0**-45)
    with pytest.raises(InputError, match="nearly equal"):
        audit_gaussian(nearly, 1, 0.1, limits=two_call_limits(_cdf, 1e-9))


def test_mis_calibrated_ptr_is_caught():
    # Propose-test-release of a random projection whose test reads the smallest eigenvalue itself, without its noise:
    # each
    # database has the ridge that makes up for what it lacks, so that one record moves the covariance everywhere.
    dimension, epsilon, delta = 40, 1.0, 1e-3
    least = 1 / float(fast.rp_leverage(1, epsilon=epsilon, delta=delta))  # l = 1, one column

    def law(cov):
        return cov + max(least - cov.min(), 0.0)

    full = np.full(dimension, least)
    less = full - np.eye(dimension)[0]
    honest = GaussianPair(np.zeros(dimension), full, np.zeros(dimension), less)
    assert not audit_gaussian(honest, epsilon, delta * (1 + 1e-6)).refuted  # a ridge that does not read the data
    found = audit_gaussian(
        GaussianPair(np.zeros(dimension), law(full), np.zeros(dimension), law(less)),
        epsilon,
        delta,
        limits=certified_limits(delta),
    )
    assert found.refuted and found.lower > 5 * delta


def test_estimated_laws_hold_their_confidence():
    truth = max(float(oracle.certified_hockey_stick(one, 1, digits=12).mid) for one in (DENSE, DENSE.swapped()))
    laws = [
        (np.array(m, float), c.float_entries()) for m, c in ((DENSE.mean_p, DENSE.cov_p), (DENSE.mean_q, DENSE.cov_q))
    ]
    rng, n, wrong, runs = np.random.default_rng(5), 400, 0, 60
    limits = estimated_limits((n, n), 0.9, rng)
    for _ in range(runs):
        moments = []
        for mean, cov in laws:
            rows = rng.multivariate_normal(mean, cov, n)
            estimate = np.cov(rows.T)
            moments += [rows.mean(axis=0), (estimate + estimate.T) / 2]
        found = audit_gaussian(GaussianPair(*moments), 1, truth, limits=limits)
        wrong += found.refuted or found.upper < truth
    assert wrong <= 6
    found = audit_gaussian(PRINTED, 1, "1e-6", limits=estimated_limits((5000, 8000), 0.99, rng))
    assert found.refuted and 0.2 < found.lower < 0.342


@pytest.mark.parametrize("pair", [DENSE, DENSE.swapped(), GaussianPair([1, 2], [2, 1], [0, 0], [1, 1])])
def test_copies_are_the_block_diagonal_product(pair):
    for copies in (1, 2, 4):
        mean_p, mean_q = np.tile(pair.mean_p, copies), np.tile(pair.mean_q, copies)
        covs = [np.kron(np.eye(copies), cov.dense().astype(float)) for cov in (pair.cov_p, pair.cov_q)]
        product = GaussianPair(mean_p, covs[0], mean_q, covs[1])
        for epsilon in (0.3, 2, 9):
            value = certified.composed_hockey_stick(pair, copies, epsilon, 20)
            assert oracle.certified_hockey_stick(product, epsilon, digits=20).overlaps(value)
            assert float(composed_hockey_stick(pair, copies, epsilon)) == pytest.approx(float(value.mid), rel=1e-11)


def test_composition_of_equal_covariances_is_one_shift():
    assert float(composed_hockey_stick(GaussianPair([0.1], 1, [0], 1), 100, 1.0)) == pytest.approx(
        float(fast.hockey_stick(GaussianPair([1], 1, [0], 1), 1.0)), rel=1e-11
    )
    twice = compose(compose(DENSE, 3), 2)
    assert np.array_equal(twice.multiplicity, compose(DENSE, 6).multiplicity)
    assert twice.shift_squared == pytest.approx(compose(DENSE, 6).shift_squared)


def test_an_output_law_of_several_columns_counts_every_mean_shift():
    laws = [OutputLaw(np.array([mean, 0.0]), np.eye(2), 4) for mean in (0.5, 0.0)]
    assert law_delta(*laws, 1.0) == pytest.approx(norm.cdf(-0.5) - np.e * norm.cdf(-1.5), rel=1e-10)


@pytest.mark.parametrize("copies", [0, -1, 1.5, True, "2"])
def test_copies_must_be_a_whole_number(copies):
    with pytest.raises(InputError, match="copies"):
        compose(DENSE, copies)
    with pytest.raises(InputError, match="copies"):
        certified.composed_hockey_stick(DENSE, copies, 1)


def test_bad_input():
    for bad in (
        {"epsilon": -1},
        {"delta": 2},
        {"delta": -0.1},
        {"pairs": []},
        {"pairs": ["x"]},
        {"epsilon": "nan"},
    ):
        with pytest.raises(InputError):
            audit_gaussian(**{"pairs": DENSE, "epsilon": 1, "delta": 0.1} | bad)
    for error in (-1e-9, 1, float("nan")):
        with pytest.raises(InputError, match="error"):
            two_call_limits(_cdf, error)
    with pytest.raises(InputError, match="cdf"):
        audit_gaussian(DENSE, 1, 0.1, limits=two_call_limits(lambda law, t: float("nan"), 0.01))
    with pytest.raises(InputError, match="samples"):
        audit_gaussian(DENSE, 1, 0.1, limits=estimated_limits((3, 3), 0.9, np.random.default_rng(0)))
    with pytest.raises(InputError, match="rng"):
        estimated_limits((30, 30), 0.9, None)


def test_the_command(tmp_path, capsys):
    path = tmp_path / "pair.json"
    path.write_text('{"mean_p": ["0"], "cov_p": "9.26", "mean_q": ["0"], "cov_q": "1.26"}')
    assert cli.main(["audit", "gaussian", "--pair", str(path), "--epsilon", "1", "--delta", "1e-6"]) == 1
    assert "REFUTED" in capsys.readouterr().out
    flags = ["--mean-p", "0,0", "--cov-p", "2,0.5;0.5,1", "--mean-q", "0,0", "--cov-q", "1"]
    assert cli.main(["audit", "gaussian", *flags, "--epsilon", "1", "--delta", "0.4", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"] == "not refuted" and report["basis"].startswith("certified")
    assert float(report["margin"]) == pytest.approx(0.4 - float(report["upper"]))
    assert (
        cli.main(
            ["audit", "gaussian", *flags, "--epsilon", "1", "--delta", "0.04", "--copies", "50", "--engine", "fast"]
        )
        == 1
    )
    assert cli.main(["audit", "gaussian", *flags, "--epsilon", "1", "--delta", "1e-6", "--samples", "20000"]) == 1
    capsys.readouterr()
    assert cli.main(["audit", "gaussian", *flags, "--pair", str(path), "--epsilon", "1", "--delta", "0.4"]) == 2
    assert "excludes" in capsys.readouterr().err


def test_the_composition_experiment_sees_a_value_outside_and_a_cheaper_copy():
    experiment = find("km-eq9.1")
    names = ("optimistic", "pessimistic", "dp_accounting_optimistic", "dp_accounting_pessimistic")
    rows = [
        {"pair": "x", "copies": k, "epsilon": 1.0, "exact": d}
        | {name: d * (0.99 if "opt" in name else 1.01) for name in names}
        for k, d in ((1, 0.1), (2, 0.2))
    ]
    assert all(finding.holds for finding in experiment.findings(rows)) and len(experiment.findings(rows)) == 3
    for name in names:
        bad = experiment.findings([rows[0], rows[1] | {name: 0.21 if "opt" in name else 0.19}])
        assert [finding.holds for finding in bad].count(False) == 1
    assert not experiment.findings(rows[::-1])[0].holds
    bare = [row | dict.fromkeys(names[2:]) for row in rows]
    assert len(experiment.findings(bare)) == 2
    cell = {"pair": "mean and covariance", "copies": 4, "interval": 1e-2}
    assert all(
        finding.holds for finding in experiment.findings(experiment.measure(cell, np.random.default_rng(0), None))
    )
