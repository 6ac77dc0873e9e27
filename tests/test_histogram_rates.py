"""Rates of histograms: the laws, the distances and the expected distance that the experiment km-rates rests on."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, kstest

from ndis_verify.audit.histogram import bin_width
from ndis_verify.experiments import find, run
from ndis_verify.experiments import histogram_rates as rates


@pytest.mark.parametrize("law", rates.LAWS.values(), ids=list(rates.LAWS))
def test_cdf_density_quartile_and_draws_belong_together(law):
    """Draws: Kolmogorov-Smirnov at 1e-7 each."""
    assert law.cdf(np.array(law.quartile)) == pytest.approx(0.75) and law.cdf(np.array(0.0)) == pytest.approx(0.5)
    for a, b in ((0.05, 0.3), (-0.9, -0.2), (0.4, 0.95)):
        assert quad(lambda x: float(law.density(np.array(x))), a, b)[0] == pytest.approx(
            float(law.cdf(np.array(b)) - law.cdf(np.array(a))), rel=1e-8
        )
    assert kstest(law.draw(np.random.default_rng(1), 20_000), law.cdf).pvalue > 1e-7


def test_counts_and_distances_against_a_plain_loop():
    rng = np.random.default_rng(2)
    law, width, phase = rates.LAWS["Student t, 0.5 dof"], 0.37, 0.11
    x, y = law.draw(rng, 3000), law.draw(rng, 2000)
    one, other = (rates.counted(np.floor((values - phase) / width)) for values in (x, y))
    assert np.abs(one[0]).max() > 1e5 and one[1].sum() == 3000  # far bins are there
    shares: dict[float, float] = {}
    for values in (x, y):
        for bin_ in np.floor((values - phase) / width):
            shares[bin_] = shares.get(bin_, 0.0) + (1 / 3000 if values is x else -1 / 2000)
    assert rates.distance_of_counts(one, other) == pytest.approx(sum(map(abs, shares.values())) / 2)


def test_distance_from_a_law_by_quadrature():
    law, width, phase = rates.LAWS["triangle"], 0.25, 0.1
    counts = rates.counted(np.floor((law.draw(np.random.default_rng(3), 400) - phase) / width))
    height = {int(b): c / 400 / width for b, c in zip(*counts, strict=True)}
    gap = lambda x: abs(height.get(math.floor((x - phase) / width), 0.0) - float(law.density(np.array(x))))
    edges = [phase + width * k for k in range(-6, 6)]
    exact = sum(quad(gap, a, b, limit=200)[0] for a, b in itertools.pairwise(edges)) / 2
    assert rates.distance_from_law(law, counts, width, phase) == pytest.approx(exact, rel=0.01)


def test_expected_distance_of_uniform_counts_against_binomial_sums():
    """Bins inside the support of the uniform law: sum over bins of E|X - Y|/(2 n), exactly; the two edge bins move it
    by a few parts in a hundred.
    """
    law, n = rates.LAWS["uniform"], 1000
    p = bin_width(law.scale, n) / 2
    k = np.arange(n + 1)
    mass = binom.pmf(k, n, p)
    gap = 2 * float(np.sum(binom.cdf(k, n, p) * (1 - binom.cdf(k, n, p))))  # E|X - Y| = 2 sum F (1 - F)
    assert mass.sum() == pytest.approx(1) and rates.expected_equal(law, n) == pytest.approx(gap / p / (2 * n), rel=0.01)


def test_limits_of_the_exponents():
    limits = {name: [round(law.limit(error), 3) for error in rates.ERRORS] for name, law in rates.LAWS.items()}
    assert limits["normal"] == [-0.333, -0.333, -0.5] and limits["Student t, 0.5 dof"] == [-0.222, -0.222, -0.222]
    assert limits["Student t, 2.5 dof"] == [-0.333, -0.333, -0.476] and limits["cusp"] == [-0.167, -0.333, -0.5]
    assert limits["uniform"] == [-0.333, -0.333, -0.333] and limits["Student t, 1 dof"] == [-0.333, -0.333, -0.333]


def test_fitted_exponents_of_exact_powers():
    rows = [{"law": "normal", "n": n, "equal": 3 * n**-0.4, "equal_se": 0.01 * n**-0.4} for n in (10, 100, 1000)]
    slope, error = rates.exponents(rows, "equal")["normal"]
    assert slope == pytest.approx(-0.4) and 0 < error < 0.01


def test_a_small_run_and_its_page(monkeypatch):
    monkeypatch.setattr(rates, "QUICK", {1_000: 12, 10_000: 8, 40_000: 6})
    experiment = find("km-rates")
    rows = run(experiment, seed=4)
    assert len(rows) == 3 * len(rates.LAWS)
    by_name = {row["law"]: row for row in rows if row["n"] == 40_000}
    assert (
        by_name["Student t, 0.5 dof"]["equal"] > 4 * by_name["normal"]["equal"]
        and by_name["cusp"]["density"] > 3 * by_name["normal"]["density"]
    )
    findings = {finding.statement[:20]: finding.holds for finding in experiment.findings(rows)}
    assert findings["two histograms of on"] and findings["0.5 degrees of freed"]
    spoilt = [row | {"equal": row["equal"] * (row["n"] / 1000) ** 0.1} for row in rows]
    assert not all(finding.holds for finding in experiment.findings(spoilt)[:2])
    assert experiment.table(rows).startswith("| law | density, fitted | large n |")
