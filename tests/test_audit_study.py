"""Validity and power of score auditors against certified truth; the credible region; one parameter through total
variation.
"""

import json
import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtri
from scipy.stats import beta, binom, norm

from ndis_verify.audit import GaussianCurve, audit_scores, credible_gdp, credible_mass, infer_std
from ndis_verify.audit.study import GUARANTEED, Case, judged, power_table, run_study, validity_table
from ndis_verify.audit.tv_inference import subsampled_epsilon
from ndis_verify.cli import main
from ndis_verify.commands import audit_study
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import audit_cases
from ndis_verify.experiments.audit_cases import EPSILONS, RATE, STD, case_named, identical_case, subsampled_case
from ndis_verify.fast.trade_off import gaussian_trade_off

CONFIDENCE = 0.9
RUNS = {100: 100, 10_000: 8}


def all_cases():
    """Identical laws (with ties, with heavy tails), pairs of known privacy, mechanisms calibrated to (1, 1e-5)."""
    return tuple(case_named(name) for name in audit_cases.CASES)


@pytest.fixture(scope="module")
def study():
    return run_study(all_cases(), RUNS, methods=GUARANTEED, confidence=CONFIDENCE, seed=1)


def test_no_auditor_that_promises_a_confidence_breaks_it(study):
    """False alarm: at most 1e-6 over the whole table, were every rate exactly 1 - CONFIDENCE."""
    validity, _ = study
    assert len(validity) == len(all_cases()) * len(RUNS) * len(GUARANTEED)
    assert not [row for row in validity if row.verdict == "above"]
    # and, for n = 100, the runs are enough to say that each rate is at most 0.1 with confidence 0.99
    assert all(row.verdict == "at most" for row in validity if row.n == 100)


def test_limits_are_tight_enough_to_be_of_use(study):
    _, power = study
    share = {(row.case, row.method, row.n): row.share for row in power}
    assert all(0 <= value <= 1 for value in share.values())
    assert share["Gaussian", "best-set", 10_000] > 0.4 and share["Laplace", "family", 10_000] > 0.85
    for case in {case for case, _, _ in share}:
        assert share[case, "best-set", 10_000] > share[case, "tv", 10_000]
        assert share[case, "best-set", 10_000] > share[case, "best-set", 100]


def test_a_million_scores_once():
    case = next(case for case in all_cases() if case.name == "Gaussian")
    validity, power = run_study([case], {1_000_000: 1}, methods=("best-set", "family"))
    assert not any(row.exceeded for row in validity) and all(0.65 < row.share < 1 for row in power)


def test_the_study_sees_an_auditor_that_cries_wolf(monkeypatch):
    """Three planted faults: no limits at all, the mean for a limit, and a Gaussian reading of a Laplace pair."""
    cases = [case for case in all_cases() if case.name in ("identical normal", "Laplace")]
    validity, _ = run_study(cases, {100: 60}, methods=("plug-in", "gdp"), seed=2)
    verdicts = {(row.case, row.method): row.verdict for row in validity}
    assert verdicts["identical normal", "plug-in"] == verdicts["Laplace", "gdp"] == "above"
    assert verdicts["identical normal", "gdp"] != "above"
    from ndis_verify.audit import set_limits

    monkeypatch.setattr(set_limits, "clopper_pearson_lower", lambda count, n, failure: count / n)
    monkeypatch.setattr(set_limits, "clopper_pearson_upper", lambda count, n, failure: (count + 1) / (n + 1))
    faulty, _ = run_study(cases[:1], {100: 60}, methods=("family",), seed=2)
    assert faulty[0].verdict == "above"


def test_the_same_seed_gives_the_same_tables_whatever_else_runs():
    cases = all_cases()[3:5]
    alone = run_study(cases[1:], {100: 5}, methods=("best-set",), seed=3)
    both = run_study(cases, {100: 5}, methods=("best-set",), seed=3)
    assert alone[1] == [row for row in both[1] if row.case == cases[1].name]
    assert validity_table(both[0]).count("\n") == 3 and power_table(both[1]).startswith("| case | n | best-set |")


@pytest.mark.parametrize(
    "exceeded, runs, failure, verdict",
    [(0, 100, 0.05, "at most"), (3, 40, 0.05, "consistent"), (40, 100, 0.05, "above"), (1, 20, 0.01, "consistent")],
)
def test_verdicts_of_counts(exceeded, runs, failure, verdict):
    row = judged("case", "method", 100, runs, exceeded, failure)
    assert row.verdict == verdict
    assert binom.cdf(exceeded, runs, row.highest) <= 0.01 + 1e-6 or row.highest == 1


# --- the truth that the study compares with


def test_truth_of_the_subsampled_pair_against_quadrature():
    case = subsampled_case()
    p = lambda x: RATE * norm.pdf(x, 1, STD) + (1 - RATE) * norm.pdf(x, 0, STD)
    q = lambda x: norm.pdf(x, 0, STD)
    for eps in EPSILONS:
        orders = [
            quad(lambda x: max(a(x) - math.exp(eps) * b(x), 0), -2, 3.5, limit=400, points=[0.5, 0, 1])[0]
            for a, b in ((p, q), (q, p))
        ]
        assert case.deltas[eps] == pytest.approx(max(orders), rel=1e-6)
    for delta, eps in case.epsilons.items():
        assert eps == pytest.approx(subsampled_epsilon(RATE, STD, delta), rel=1e-9)


CASES = 12  # their certified truth is computed where it is tested, not in every process that collects


def test_every_case_is_drawn_from():
    assert len({case.name for case in all_cases()}) == CASES


@pytest.mark.parametrize("number", range(CASES))
def test_draws_are_from_the_laws_whose_truth_is_stated(number):
    """The plug-in total variation of many draws is near the stated one: within 0.015, of which 0.011 is what 280 bins
    of equal laws show.
    """
    case = all_cases()[number]
    p, q = case.draw(np.random.default_rng(4), 400_000)
    found = float(audit_scores(p, q, method="plug-in", epsilon=0.0, bins="adaptive").delta(0))
    assert abs(found - case.deltas[0.0]) < 0.015
    assert list(case.deltas.values()) == sorted(case.deltas.values(), reverse=True)


# --- the credible region (KM-eq2.5)


def reference_mass(mu, fp, n, fn, m):
    """The mass inside by mpmath over b (the other variable), densities as they stand in the source, 18 digits."""
    with mpmath.workdps(18):
        a1, a2, b1, b2 = (mpmath.mpf(v) + mpmath.mpf(1) / 2 for v in (fp, n - fp, fn, m - fn))
        quantile = lambda x: mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1)
        curve = lambda x: mpmath.ncdf(-quantile(x) - mu)
        below = lambda x: mpmath.betainc(a1, a2, 0, x, regularized=True)
        mean = b1 / (b1 + b2)
        spread = mpmath.sqrt(mean * (1 - mean) / (b1 + b2 + 1))
        inner = [mean + k * spread for k in range(-14, 15, 2)]
        points = [mpmath.mpf("1e-25"), *[x for x in inner if 1e-20 < x < 1 - 1e-12], 1 - mpmath.mpf("1e-25")]
        density = lambda b: b ** (b1 - 1) * (1 - b) ** (b2 - 1) / mpmath.beta(b1, b2)
        return mpmath.quad(lambda b: density(b) * (below(1 - curve(1 - b)) - below(curve(b))), points)


@pytest.mark.parametrize(
    "mu, fp, n, fn, m",
    [(1.0, 3, 40, 5, 40), (2.0, 1, 30, 12, 50), (0.3, 8, 25, 9, 25), (1.0, 5, 5, 0, 5), (0.5, 4, 4, 2, 3)],
)
def test_credible_mass_against_another_variable_and_another_library(mu, fp, n, fn, m):
    inside, outside = credible_mass(lambda a: gaussian_trade_off(a, mu), fp, n, fn, m)
    reference = reference_mass(mu, fp, n, fn, m)
    assert abs(inside - float(reference)) < 1e-9 and inside + outside == pytest.approx(1, abs=1e-12)


def test_credible_mass_where_a_fixed_grid_misses_the_posterior():
    """The source's integrator: a product rule on the unit square sees nothing of a spot of width 1e-4."""
    n, fp, fn, mu = 10_000_000, 500_000, 7_400_000, 0.99
    inside, outside = credible_mass(lambda a: gaussian_trade_off(a, mu), fp, n, fn, n)
    nodes, weights = np.polynomial.legendre.leggauss(21)
    x = (nodes + 1) / 2
    a, b = beta(0.5 + fp, 0.5 + n - fp), beta(0.5 + fn, 0.5 + n - fn)
    product = (
        np.outer(a.pdf(x), b.pdf(x))
        * (x[None, :] >= gaussian_trade_off(x, mu)[:, None])
        * np.outer(weights, weights)
        / 4
    )
    assert product.sum() == 0.0
    # by the delta method the posterior of Phi^-1(1 - a) - Phi^-1(b) is normal; mu lies in its lower tail
    centre = -ndtri(fp / n) - ndtri(fn / n)
    spread = math.sqrt(sum(r * (1 - r) / n / norm.pdf(ndtri(r)) ** 2 for r in (fp / n, fn / n)))
    assert inside == pytest.approx(norm.cdf((mu - centre) / spread), rel=0.02) and inside + outside == pytest.approx(1)


def test_the_tail_outside_keeps_its_digits():
    outside = [
        credible_mass(lambda a: gaussian_trade_off(a, mu), 300, 20_000, 9_000, 20_000)[1] for mu in (2.0, 2.5, 2.7)
    ]
    assert outside[0] == pytest.approx(1) and 0 < outside[2] < 1e-30 < outside[1] < 1e-10


def mass_outside(curve, fp, n, fn, m, points):
    """The mass outside of a curve that is its own inverse, by mpmath over b, parted at `points`."""
    a1, a2, b1, b2 = (mpmath.mpf(v) + mpmath.mpf(1) / 2 for v in (fp, n - fp, fn, m - fn))
    below = lambda x: mpmath.betainc(a1, a2, 0, x, regularized=True)
    above = lambda x: mpmath.betainc(a2, a1, 0, x, regularized=True)
    density = lambda b: b ** (b1 - 1) * (1 - b) ** (b2 - 1) / mpmath.beta(b1, b2)
    return float(mpmath.quad(lambda b: density(b) * (below(curve(b)) + above(curve(1 - b))), points))


def test_a_tail_outside_a_curve_with_corners_keeps_its_digits():
    """(8, 0.01)-privacy, parted at its corners: 1e-12 of the posterior is outside."""
    slope, delta = math.exp(8), 0.01
    curve = lambda x: max(0.0, 1 - delta - slope * x, (1 - delta - x) / slope)
    corner = (1 - delta) / (1 + slope)
    points = [1e-20, corner / 8, corner, 2 * corner, 1e-3, 2e-3, 4e-3, 0.01, 0.03, 0.1, 0.3]
    with mpmath.workdps(30):
        reference = mass_outside(curve, 10, 1000, 10, 1000, points)
    _, outside = credible_mass(np.vectorize(curve, otypes=[float]), 10, 1000, 10, 1000)
    assert outside == pytest.approx(reference, rel=1e-8, abs=0)


def test_a_tail_outside_keeps_its_digits_where_both_errors_are_rare():
    """1.5e-27: the errors are 1e-10 there, far below what either posterior expects."""
    normal = lambda x: mpmath.ncdf(-mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1) - 8)
    with mpmath.workdps(40):
        points = [mpmath.mpf(10) ** -k for k in (18, 15, 13, 11, 9, 7, 5, 3, 2, 1)]
        reference = mass_outside(normal, 3, 40, 5, 40, [*points, 0.3, 0.6, 0.9])
    _, outside = credible_mass(lambda a: gaussian_trade_off(a, 8), 3, 40, 5, 40)
    assert outside == pytest.approx(reference, rel=1e-9, abs=0)


def test_credible_mu_has_the_stated_mass_and_stays_positive_for_guessing():
    mu = credible_gdp(75, 1_000, 600, 1_000, 0.05)
    assert credible_mass(lambda a: gaussian_trade_off(a, mu), 75, 1_000, 600, 1_000)[0] == pytest.approx(0.05, abs=1e-5)
    assert credible_gdp(500, 1_000, 500, 1_000, 0.05) > 0  # the region of guessing is a line of mass 0
    with pytest.raises(InputError, match="false_positives"):
        credible_mass(lambda a: 1 - a, 5, 4, 0, 4)
    with pytest.raises(InputError, match="failure"):
        credible_gdp(1, 4, 1, 4, 1.0)


@pytest.mark.parametrize(
    "counts, failure",
    [((3, 20, 12, 20), 0.05), ((75, 1_000, 600, 1_000), 1e-6), ((0, 10, 0, 10), 0.5), ((40, 200, 90, 200), 1e-9)],
)
def test_credible_mu_is_on_the_safe_side_and_next_to_the_posterior_quantile(counts, failure):
    """Against a quadrature of the posterior in many digits."""
    false_positives, negatives, false_negatives, positives = counts
    first, second = (
        (mpmath.mpf(k) + 0.5, mpmath.mpf(n - k) + 0.5)
        for k, n in ((false_positives, negatives), (false_negatives, positives))
    )

    def inside(mu):
        def density(z):  # of a = Phi(z), times the chance that b lies between the curve and its mirror image
            a, rest = mpmath.ncdf(z), mpmath.ncdf(-z)
            between = mpmath.betainc(*second, mpmath.ncdf(-z - mu), mpmath.ncdf(mu - z), regularized=True)
            return (
                mpmath.exp((first[0] - 1) * mpmath.log(a) + (first[1] - 1) * mpmath.log(rest) - z * z / 2)
                * between
                / mpmath.sqrt(2 * mpmath.pi)
            )

        middle = mpmath.mpf(float(norm.ppf(float(first[0] / (first[0] + first[1])))))
        width = 3 / mpmath.sqrt(negatives)
        return mpmath.quad(density, [middle + k * width for k in (-6, -3, -1, 0, 1, 3, 6)]) / mpmath.beta(*first)

    mu = credible_gdp(*counts, failure)
    with mpmath.workdps(25):
        assert inside(mu) <= failure < inside(mu + 1e-8 + 1e-11 / failure)


def test_gaussian_curves():
    assert GaussianCurve(0.0).epsilon(1e-5) == 0 and GaussianCurve(0.0).delta(0.0) == 0
    assert GaussianCurve(1.0).delta(GaussianCurve(1.0).epsilon(1e-5)) == pytest.approx(1e-5)
    with pytest.raises(InputError, match="delta"):
        GaussianCurve(1.0).epsilon(0.0)


# --- one parameter through total variation (KM-7)


@pytest.mark.parametrize("bins", ["threshold", (-1.5, 2.5, 20)])
@pytest.mark.parametrize("rate, std, n, runs", [(0.25, 0.3, 2_000, 50), (1.0, 2.0, 500, 50)])
def test_intervals_of_std_and_epsilon_hold_together(bins, rate, std, n, runs):
    """More failures than the 1e-6 quantile at the stated rate 0.1 would be a false alarm of at most 1e-6."""
    rng = np.random.default_rng([7, n])
    true, failures, widths = subsampled_epsilon(rate, std, 1e-5), 0, []
    for _ in range(runs):
        p, q = std * rng.standard_normal(n) + (rng.random(n) < rate), std * rng.standard_normal(n)
        found = infer_std(p, q, rate, confidence=0.9, bins=bins)
        failures += not (found.std.low <= std <= found.std.high and found.epsilon.low <= true <= found.epsilon.high)
        widths.append(found.tv.high - found.tv.low)
    assert failures <= binom.isf(1e-6, runs, 0.1)
    assert np.mean(widths) < (0.5 if n < 1_000 else 0.15)


def test_bins_that_could_hide_a_difference_are_refused():
    rng = np.random.default_rng(8)
    p, q = rng.normal(1, 1, 100), rng.normal(0, 1, 100)
    for bins in ((-4.0, 4.0, 5), "width", (0.0, 1.0, 3)):
        with pytest.raises(InputError, match="bins"):
            infer_std(p, q, bins=bins)
    with pytest.raises(InputError, match="rate"):
        infer_std(p, q, 0.0)
    with pytest.raises(InputError, match="p, q"):  # exchanged: an upper limit of 0 for epsilon would be said of them
        infer_std(q, p)
    equal = infer_std(q, np.roll(q, 1))
    assert equal.estimate == math.inf and equal.std.high == math.inf and equal.epsilon.low == 0


# --- the command


def test_study_command_writes_both_reports(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(audit_study, "QUICK", {100: 25})
    assert main(["audit", "study", "--cases", "Laplace", "--sizes", "100", "--output", str(tmp_path), "--json"]) == 0
    record = json.loads((tmp_path / "audit_study.json").read_text())
    assert json.loads(capsys.readouterr().out) == record and {row["case"] for row in record["validity"]} == {"Laplace"}
    text = (tmp_path / "audit_study.md").read_text()
    assert "**above**" in text and "## Power" in text and "too few runs" in text and "In short" in text
    assert main(["audit", "study", "--cases", "none"]) == 2 and main(["audit", "study", "--sizes", "7"]) == 2


def test_a_stopped_study_goes_on_and_ends_as_if_it_had_not_been(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(audit_study, "QUICK", {100: 300, 10_000: 6})
    monkeypatch.setattr("ndis_verify.audit.study.METHODS", ("best-set", "tv", "threshold"))
    arguments = ["audit", "study", "--cases", "randomised", "--json"]
    assert main([*arguments, "--output", str(tmp_path / "a"), "--minutes", "0"]) == 0
    part = json.loads(capsys.readouterr().out)
    assert {row["runs"] for row in part["validity"] if row["method"] == "tv"} == {250} and (
        tmp_path / "a" / "audit_study.jsonl"
    ).exists()
    page = tmp_path / "page.md"
    assert main([*arguments, "--output", str(tmp_path / "a"), "--markdown", str(page), "--jobs", "2"]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert (
        not (tmp_path / "a" / "audit_study.jsonl").exists()
        and "| randomised response, eps = 1 | 10000 |" in page.read_text()
    )
    assert main([*arguments, "--output", str(tmp_path / "b")]) == 0
    assert json.loads(capsys.readouterr().out) == resumed
    for wrong in (["--jobs", "0"], ["--runs", "0"], ["--minutes", "-1"]):
        assert main([*arguments, *wrong]) == 2


def test_gaussian_and_laplace_parameters_of_the_cases():
    by_name = {case.name: case for case in all_cases()}
    assert by_name["Gaussian"].gaussian_mu == pytest.approx(1, rel=1e-9) and by_name["Gaussian"].mu == pytest.approx(1)
    assert by_name["Laplace"].gaussian_mu == 0 and by_name["Laplace"].mu == pytest.approx(
        -2 * ndtri(math.exp(-0.5) / 2)
    )
    assert by_name["Gaussian, variances 2.25 and 1"].mu == math.inf and by_name[
        "Gaussian mechanism at (1, 1e-5)"
    ].epsilons[1e-5] == pytest.approx(1, rel=1e-9)
    assert by_name["random projection at (1, 1e-5), r = 4"].epsilons[1e-5] == pytest.approx(1, rel=1e-6)
    assert by_name["randomised response, eps = 1"].deltas[0.5] == pytest.approx((math.e - math.exp(0.5)) / (1 + math.e))


def test_a_case_of_identical_laws_has_no_privacy_loss():
    case = identical_case("same", lambda rng, n: rng.standard_normal(n))
    assert isinstance(case, Case) and not any(case.deltas.values()) and not any(case.epsilons.values())
