"""A certified routine is right at whatever precision it is run: its answer at 10 to 20 bits holds the value of 200.

Every public function of the oracle that returns an `Enclosure` has inputs here, or a reason why it needs none.
"""

import importlib
import inspect
import os
import pkgutil
from contextlib import contextmanager
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from ndis_verify import oracle
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact as exact_number
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.mechanisms import OutputLaw, law_delta
from ndis_verify.oracle import certified_rp_hockey_stick
from ndis_verify.oracle.certified.engine import balls, hyperbola, laplace, smooth_curve
from ndis_verify.oracle.certified.engine.spectrum import spectrum
from ndis_verify.oracle.certified.general_bound import covariance_terms
from ndis_verify.oracle.covariance_shift import chernoff_bound
from ndis_verify.oracle.engine.decreasing_root import hull, scaled
from ndis_verify.oracle.engine.precision import PrecisionError
from ndis_verify.oracle.general_bound.bound import Sensitivity
from ndis_verify.oracle.joint_shift import RankOne
from ndis_verify.oracle.leverage import leverage_scores as certified_leverages

BITS = (10, 12, 14, 17, 20)
MORE = (26, 34, 48, 90)  # where fewer bits decide nothing: a refusal is right at any precision
SLOW = {  # the first precision that does not take seconds
    "certified.least_squares.cap.als_cap": 48,
    "certified.least_squares.cap.als_exact_cap": 90,
    "certified.least_squares.cap.als_ridge": 48,
    "certified.least_squares.cap.als_exact_ridge": 90,
    "certified.hockey_stick.epsilon_for_delta": 14,
    "gaussian_output.logistic_regression": 20,
    "gaussian_output.gaussian_process": 20,
    "joint_shift.added_variance": 20,
    "joint_shift.largest": 20,
    "mechanism_noise.least_squares": 34,
    "relative_least_squares.relative_least_squares": 20,
    "general_bound.bound.covariance_envelope": 12,
    "general_bound.bound.added_variance": 34,
    "general_bound.bound.loewner_bound": 17,
}
HUNT = os.environ.get("NDIS_VERIFY_HYPOTHESIS") == "hunt"
ONLY_IN_HUNTS = {  # ten seconds each
    "certified.least_squares.cap.als_cap",
    "certified.least_squares.cap.als_ridge",
    "gaussian_output.logistic_regression",
    "joint_shift.added_variance",
    "mechanism_noise.least_squares",
    "relative_least_squares.relative_least_squares",
}
AGREEMENT = {  # two routes that agree: no proof, so nothing to hold at few bits
    "least_squares.finite_law.als_exact_hockey_stick",
    "generalized_chi2.generalized_chi2_cdf",
    "generalized_chi2.generalized_chi2_sf",
    "hockey_stick.agreed_value",
    "hockey_stick.epsilon_for_delta",
    "hockey_stick.hockey_stick",
    "hockey_stick.log_hockey_stick",
    "least_squares.asymptotic_law.als_hockey_stick",
    "mean_shift.gaussian_hockey_stick",
    "mean_shift.gaussian_std",
    "engine.one_eigenvalue.two_route_value",
    "random_projection.least_odds",
    "random_projection.rp_hockey_stick",
    "random_projection.rp_leverage",
    "random_projection.rp_ridge",
    "random_projection.sampled_rp_ridge",
}
PARTS = {  # of the functions below, which take functions or enclosures and are run by them
    "engine.agreement.agree",
    "engine.decreasing_root.above_floor",
    "engine.decreasing_root.decreasing_root",
    "engine.decreasing_root.hull",
    "engine.decreasing_root.scaled",
    "certified.least_squares.edge.between",
    "certified.engine.balls.enclosure",
    "certified.engine.balls.exact_one",
    "certified.engine.balls.exact_zero",
    "certified.engine.balls.settled_value",
    "certified.gaussian_mechanism.settled",
    "certified.mean_shift.delta_of",
    "certified.random_projection.delta_of",
    "certified.random_projection.inner_epsilon",
    "certified.relative_least_squares.curve.bounded",
    "certified.joint_shift.plane.crossing",
    "certified.joint_shift.plane.largest",
    "certified.engine.summit_root.between",
    "certified.engine.summit_root.crossing",
    "certified.engine.summit_root.largest",
    "gaussian_output.calibrated_gaussian",
    "ridge.ridge_between",
    "ridge.ridge_of",
    "ridge.sampled_ridge_of",
}
MODULES = [
    importlib.import_module(found.name) for found in pkgutil.walk_packages(oracle.__path__, "ndis_verify.oracle.")
]


def survey():
    """Name in the oracle -> function, of every public function that is annotated to return an enclosure."""
    found = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_"):
                if "Enclosure" in str(value.__annotations__.get("return", "")):
                    found[f"{module.__name__.removeprefix('ndis_verify.oracle.')}.{name}"] = value
    return found


def triple(v):
    """Sensitivities of a shift of 1/2 and of covariances e^0.3 apart, beside a variance of 1 and v."""
    return Sensitivity(Fraction(1, 4) / (1 + v), Fraction(3, 10) / (1 + v), Fraction(3, 10) / (1 + v), 1)


PAIR = GaussianPair(["0.5", 1], [[2, "0.3"], ["0.3", "0.7"]], [0, 0], [[1, "0.1"], ["0.1", "1.5"]])
LESS = GaussianPair(["0.5", 1], ["0.5", "0.7"], [0, 0], 1)  # its loss is bounded
SPREAD = GaussianPair(["0.3", 0, 1], ["1.7", "1.2", 1], [0, 0, 0], 1)
CHI2 = ([1, "-0.5", "0.25"], [1, 2, 3], ["0.5", 0, 2], "0.3", "0.1")
BASE = [[1, 1], [0, 1], ["0.5", "-0.25"], [1, "0.5"]]
TARGET = {"epsilon": "0.7", "delta": "1e-4"}
RECORD = {"leverage": "0.02", "augmented_leverage": "0.05", "d": 2, "r": 60, "epsilon": "0.4"}
CASES = {
    "certified.least_squares.cap.als_cap": [{"d": 2, "r": 100, **TARGET}],
    "certified.least_squares.cap.als_exact_cap": [
        {"d": 2, "r": 40, **TARGET},
        {"d": 2, "r": 40, "epsilon": 1, "delta": 0},
    ],
    "certified.least_squares.cap.als_ridge": [{"norm_bound": "1.3", "d": 2, "r": 100, **TARGET}],
    "certified.least_squares.cap.als_exact_ridge": [{"norm_bound": "1.3", "d": 2, "r": 40, **TARGET}],
    "certified.least_squares.finite_law.als_exact_hockey_stick": [
        RECORD,
        RECORD | {"direction": "insert"},
        RECORD | {"d": 1, "r": 600},
        RECORD | {"d": 3, "r": 7},
    ],
    "certified.least_squares.finite_law.als_max_privacy_loss": [{k: v for k, v in RECORD.items() if k != "epsilon"}],
    "certified.least_squares.worst_record.largest_divergence": [
        {"cap": Fraction(1, 20), "target": (2, 60, Fraction(2, 5)), "direction": way, "digits": 1}
        for way in ("delete", "insert")
    ],
    "certified.least_squares.worst_record.worst_divergence": [
        {"cap": Fraction(1, 20), "target": (2, 60, Fraction(2, 5)), "digits": 1}
    ],
    "certified.channel.information_level": [{"epsilon": Fraction(1), "delta": Fraction(1, 1000), "digits": 1}],
    "certified.composition.composed_hockey_stick": [
        {"pair": PAIR, "copies": 3, "epsilon": 1},
        {"pair": LESS, "copies": 2, "epsilon": 1},
    ],
    "certified.denoising.james_stein_risk": [{"d": 5, "norm": 2, "std": "1.3"}, {"d": 40, "norm": 20, "std": "0.7"}],
    "certified.denoising.positive_part_risk": [{"d": 5, "norm": 2, "std": "1.3"}, {"d": 12, "norm": "0.3", "std": 1}],
    "certified.denoising.soft_threshold_risk": [{"mean": "0.7", "threshold": 2}, {"mean": 3, "threshold": "0.5"}],
    "certified.gaussian_calibration.analytic_std": [
        {"sensitivity": "1.3", **TARGET},
        {"sensitivity": 1, "epsilon": 1, "delta": "0.3"},
    ],
    "certified.gaussian_calibration.rho_std": [{"sensitivity": "1.3", **TARGET}],
    "certified.gaussian_mechanism.classical_std": [{"sensitivity": "1.3", **TARGET}],
    "certified.gaussian_mechanism.classical_delta": [TARGET],
    "certified.gaussian_mechanism.noise_floor": [{"epsilon": "0.7"}],
    "certified.generalized_chi2.generalized_chi2_cdf": [
        {**dict(zip(("weights", "dofs", "noncentralities", "std", "shift"), CHI2)), "x": "0.7"}
    ],
    "certified.generalized_chi2.generalized_chi2_sf": [
        {**dict(zip(("weights", "dofs", "noncentralities", "std", "shift"), CHI2)), "x": "0.7"}
    ],
    "certified.hockey_stick.hockey_stick": [
        {"pair": pair, "epsilon": e} for pair in (PAIR, LESS, SPREAD) for e in (0, "0.7", 2)
    ],
    "certified.hockey_stick.log_hockey_stick": [{"pair": pair, "epsilon": "0.7"} for pair in (PAIR, LESS, SPREAD)],
    "certified.hockey_stick.spectrum_hockey_stick": [{"spec": spectrum(PAIR), "epsilon": Fraction(1), "digits": 1}],
    "certified.hockey_stick.one_sided": [{"spec": spectrum(LESS), "epsilon": Fraction(9), "digits": 1}],
    "certified.hockey_stick.epsilon_for_delta": [{"pair": PAIR, "delta": "1e-3"}, {"pair": LESS, "delta": 0}],
    "certified.least_squares.asymptotic_law.als_hockey_stick": [RECORD, RECORD | {"direction": "insert"}],
    "certified.mean_shift.gaussian_hockey_stick": [
        {"sensitivity": "1.3", "std": "0.9", "epsilon": e} for e in (-1, 0, "0.7", 3)
    ],
    "certified.mean_shift.gaussian_std": [{"sensitivity": "1.3", **TARGET}],
    "certified.random_projection.rp_hockey_stick": [
        {"leverage": "0.3", "r": r, "epsilon": "0.7", "direction": way} for r in (3, 40) for way in ("delete", "insert")
    ],
    "certified.random_projection.rp_leverage": [{"r": 3, **TARGET}],
    "certified.random_projection.rp_ridge": [{"norm_bound": "1.3", "r": 3, **TARGET}],
    "certified.random_projection.sampled_rp_ridge": [{"norm_bound": "1.3", "rate": "0.2", "r": 3, **TARGET}],
    "certified.random_projection.least_odds": [
        {"r": 3, "epsilon": Fraction(7, 10), "delta": Fraction(1, 10**4), "digits": 1}
    ],
    "baselines.sheffet": [{"r": 9, **TARGET, "norm_bound": "1.3"}],
    "baselines.blocki": [{"r": 9, **TARGET, "norm_bound": "1.3"}],
    "baselines.laplace_mechanism": [{"sensitivity": "1.3", "epsilon": "0.7"}],
    "baselines.mutual_information": [{"r": 9, **TARGET, "norm_bound": "1.3"}],
    "covariance_shift.less_spread_bound": [{"eigenvalues": ["1.3", "1.1"], "epsilon": "0.2"}],
    "covariance_shift.chernoff_bound": [{"eigenvalues": ["1.3", "1.1"], "epsilon": "0.2"}],
    "covariance_shift.more_spread_bound": [{"eigenvalues": ["1.3", "1.1"], "epsilon": "0.2"}],
    "gaussian_output.logistic_regression": [{"dimension": 2, "penalty": 10, "norm_bound": 1, **TARGET}],
    "gaussian_output.gaussian_process": [
        {"noise_variance": 1, "label_bound": 1, "norm_bound": 1, "records": 50, **TARGET}
    ],
    "gdp_parameter.laplace_gdp": [{"mu": "0.7"}],
    "gdp_parameter.pair_gdp": [{"pair": GaussianPair([1, 0], 1, [0, 0], 1)}],
    "joint_shift.largest": [
        {"envelope": RankOne(Fraction(16, 57), Fraction(1, 19), Fraction(1, 2)), "added": 1, "epsilon": 1}
    ],
    "joint_shift.added_variance": [{"envelope": RankOne(Fraction(16, 57), Fraction(1, 19), Fraction(1, 2)), **TARGET}],
    "mechanism_noise.random_projection": [{"r": 3, **TARGET, "norm_bound": "1.3"}],
    "mechanism_noise.random_linear_combination": [{**TARGET, "norm_bound": "1.3"}],
    "mechanism_noise.subsampled_random_projection": [{"rate": "0.2", "r": 3, **TARGET, "norm_bound": "1.3"}],
    "mechanism_noise.gaussian_mechanism": [
        {"sensitivity": "1.3", **TARGET, "rule": rule} for rule in ("analytic", "classical", "rho")
    ],
    "mechanism_noise.least_squares": [
        {"d": 2, "r": 100, **TARGET, "norm_bound": "1.3", "noise": noise} for noise in ("N24-Fig4", "N24-Fig4 corner")
    ],
    "mechanism_noise.sketched_least_squares": [{"d": 2, "r": 40, "epsilon": 1, "delta": 0, "norm_bound": "1.3"}],
    "relative_least_squares.relative_least_squares": [
        {"base": BASE, "additions": BASE, "norm_bound": 2, "r": 40, **TARGET}
    ],
    "relative_projection.relative_random_projection": [
        {"base": BASE, "additions": BASE, "norm_bound": 2, "r": 3, **TARGET}
    ],
    "general_bound.bound.covariance_envelope": [
        {"rho": "0.3", "nu": "0.5", "dimension": 3, "epsilon": "0.2", "term": term}
        for term in ("bound", "chernoff", "exact")
    ],
    "general_bound.bound.loewner_bound": [{"shift": "0.5", "rho": "0.3", "nu": "0.5", "dimension": 3, "epsilon": 1}],
    "general_bound.bound.added_variance": [{"sensitivities": triple, **TARGET}],
    "trade_off.gaussian_trade_off": [{"alpha": "0.1", "mu": "1.3"}],
    "trade_off.gdp_parameter": [{"fpr": "0.1", "fnr": "0.3"}],
    "trade_off.subsampled_gdp_parameter": [{"rate": "0.3", "std": "1.3", "threshold": "0.7"}],
    "trade_off.laplace_trade_off": [{"alpha": "0.1", "mu": "1.3"}, {"alpha": "0.7", "mu": "0.2"}],
    "tv_inference.subsampled_tv": [{"rate": "0.3", "std": "1.3"}],
    "tv_inference.subsampled_std": [{"rate": "0.3", "tv": "0.1"}],
    "tv_inference.std_sensitivity": [{"order": "1.3", "std": "0.7"}],
}
EXACT = {"leverage.leverage_of_set", "leverage.leverage_scores"}  # rational arithmetic, rounded once


@contextmanager
def few_bits(monkeypatch, bits):
    """Every routine works at `bits`, once, and is content with whatever accuracy that has; spectra stay exact."""
    real = balls.working_bits
    changed = {
        "working_bits": lambda asked: real(min(asked, bits)),
        "relative_digits": lambda value: float("inf") if value.is_finite() else -1.0,
        "bits_ladder": lambda digits, guard=48: iter([bits]),
    }
    with monkeypatch.context() as patch:
        patch.setattr(laplace, "_cancelled_bits", lambda *_: -1e6)
        patch.setattr(hyperbola, "_BOUND_BITS", bits)
        for module in MODULES:
            for name, value in changed.items():
                if hasattr(module, name) and not module.__name__.endswith("certified.engine.spectrum"):
                    patch.setattr(module, name, value)
        yield


def answers(monkeypatch, function, arguments, ladder):
    for bits in ladder:
        with few_bits(monkeypatch, bits):
            try:
                yield bits, function(**arguments | {"digits": 1})
            except (PrecisionError, ValueError):  # cannot decide; a ball that is not finite
                pass


def test_every_enclosure_of_the_oracle_is_surveyed():
    found = set(survey())
    assert found == set(CASES) | AGREEMENT | PARTS | EXACT


@pytest.mark.parametrize("name", sorted(CASES))
def test_few_bits_still_hold_the_value_of_two_hundred(name, monkeypatch):
    if name in ONLY_IN_HUNTS and not HUNT:
        pytest.skip("takes ten seconds: NDIS_VERIFY_HYPOTHESIS=hunt")
    function, first = survey()[name], SLOW.get(name, BITS[0])
    for arguments in CASES[name]:
        exact = function(**arguments | {"digits": 60 if name not in SLOW else 25})
        assert exact.basis == "bound"
        found = list(answers(monkeypatch, function, arguments, [bits for bits in BITS if bits >= first]))
        for bits in MORE:
            found = found or list(answers(monkeypatch, function, arguments, [max(bits, first)]))
        assert found, "no precision gave an answer"
        for bits, value in found:
            assert value.overlaps(exact), f"{arguments} at {bits} bits: {value} without {exact}"


def test_a_bound_next_to_1_is_not_said_to_be_1():
    """The exponent falls below 0 by about 1e-23, which the first precision cannot tell from 0."""
    eigenvalue, gap = Fraction(13, 10), Fraction(1, 10**12)
    with mpmath.workdps(60):
        edge = exact_number((mpmath.mpf("0.3") - mpmath.log(mpmath.mpf("1.3"))) / 2)
    coarse, fine = (chernoff_bound([eigenvalue], edge + gap, digits) for digits in (1, 40))
    assert fine.upper < 1 and coarse.overlaps(fine)


HARD = {  # where the first precision of the ladder does not have the digits
    "certified.mean_shift.gaussian_hockey_stick": {"sensitivity": "1e-40", "std": 1, "epsilon": 0},
    "certified.random_projection.rp_hockey_stick": {"leverage": "1e-40", "r": 30, "epsilon": 0},
    "certified.gaussian_mechanism.classical_delta": {"epsilon": "1e-30", "delta": "1e-4"},
    "certified.gaussian_mechanism.noise_floor": {"epsilon": "1e-40"},
    "certified.hockey_stick.log_hockey_stick": {
        "pair": GaussianPair([0] * 600, "0.5", [0] * 600, 1),
        "epsilon": "0.125",
    },
    "trade_off.gdp_parameter": {"fpr": "0.3", "fnr": "0.6999999999999999999999999999999999"},
    "tv_inference.subsampled_std": {"rate": "0.3", "tv": "0.29999999999999999999999999999999"},
}


@pytest.mark.parametrize("name", sorted(HARD))
def test_a_refinement_goes_on_until_it_has_the_digits(name):
    with balls.precisions_used() as seen:
        value = survey()[name](**HARD[name], digits=30)
    assert value.relative_radius <= mpmath.mpf(10) ** -30
    assert len(set(seen)) > 1, f"{seen}: not hard enough"


def test_an_output_law_s_leverage_is_refined_until_it_is_settled():
    """Columns 1e-60 apart: at 256 bits rounding hides 1 - p, and with it how far apart the laws are."""
    records = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52], [0.0, 2.0**-52 * 1e-30]])
    laws = [OutputLaw(np.zeros(2), rows.T @ rows, 1, rows, 2.0**-400) for rows in (records, records[:2])]
    shares = certified_leverages(records.tolist(), [2], 40, Fraction(2.0**-400))
    truth = certified_rp_hockey_stick(shares[0].mid, 1, 1, "delete", digits=20)
    assert law_delta(*laws, 1.0) == pytest.approx(float(truth.mid), rel=1e-10)


def test_the_window_of_a_bend_holds_the_interval():
    """Half of the interval's width, rounded up: at 20 bits a third is no number of that precision."""
    for bits in (12, 20, 53):
        with balls.working_bits(bits):
            for width in (Fraction(1, 3), Fraction(2, 7), Fraction(1, 10)):
                local = smooth_curve._Local(lambda t: [(t * 0 + 1, 1, t)], Fraction(1), Fraction(0), width, 2)
                assert balls.enclosure(local.half).lower >= width / 2


@pytest.mark.parametrize("bits", [10, 20, 53])
def test_an_enclosure_as_a_ball_is_not_smaller(bits):
    with mpmath.workdps(60):
        value = Enclosure(mpmath.mpf(1) / 3, mpmath.mpf(1) / 7, "bound")
    with balls.working_bits(bits):
        for found in (balls.to_exact_ball(value), covariance_terms._ball_of(value)):
            ball = balls.enclosure(found)
            assert ball.lower <= value.lower and value.upper <= ball.upper
    assert hull(value, value, 5).lower <= value.lower and value.upper <= hull(value, value, 5).upper
    assert scaled(value, Fraction(1, 3), 5).lower <= value.lower / 3
    assert value.upper / 3 <= scaled(value, Fraction(1, 3), 5).upper
