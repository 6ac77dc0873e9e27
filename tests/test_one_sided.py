"""Every certificate, limit and calibration of float64 lies on its safe side of the certified value, with no tolerance.

What is one-sided is found by the words of the docstrings and by the results that hold a calibration: a new one needs
an entry here. The limits of the audits are in test_one_sided_audits.
"""

import dataclasses
import importlib
import inspect
import math
import pkgutil
import re
import typing
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from ndis_verify import fast, mechanisms, oracle
from ndis_verify.fast import covariance_shift, joint_shift, leverage, trade_off
from ndis_verify.fast.engine import support_edge
from ndis_verify.fast.engine.whitening import spectrum
from ndis_verify.fast.pair_trade_off import trade_off_profile
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.hunts.gaussian_output import certified_delta
from ndis_verify.hunts.least_squares import exact_shares
from ndis_verify.mechanisms import baselines
from ndis_verify.oracle import joint_shift as certified_joint
from ndis_verify.oracle import trade_off as certified_trade_off
from ndis_verify.oracle.certified.least_squares.worst_record import worst_divergence
from ndis_verify.oracle.engine.decreasing_root import above_floor, scaled
from ndis_verify.oracle.leverage import leverage_of_set

DIGITS = 30
ONE_SIDED = re.compile(
    r"safe side|rounded (up|down)|at most the target|(lower|upper) (limit|bound)|\blimits? (of|for)\b|pessimistic"
    r"|optimistic|never (above|below)|no (smaller|larger) than|probability (at most|<=)|exceeds it with probability"
    r"|certificate",
    re.IGNORECASE,
)
TARGETS = ((0.7, 1e-5), (0.0, 0.01), (3.0, 1e-12), (12.0, 1e-30))


def one_sided(*packages):
    """module.name of everything public whose docstring says that it lies on one side."""
    found = set()
    for package in packages:
        root = importlib.import_module(f"ndis_verify.{package}")
        for entry in pkgutil.walk_packages(root.__path__, root.__name__ + "."):
            module = importlib.import_module(entry.name)
            for name, value in vars(module).items():
                if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__:
                    found |= {
                        f"{entry.name.removeprefix('ndis_verify.')}.{one}"
                        for one, thing in parts(name, value)
                        if says(thing)
                    }
    return found


def parts(name, value):
    """The thing itself and, of a class, its public methods and properties."""
    members = vars(value).items() if inspect.isclass(value) else ()
    return [(name, value)] + [
        (f"{name}.{k}", v) for k, v in members if not k.startswith("_") and (callable(v) or isinstance(v, property))
    ]


def says(thing):
    return bool(ONE_SIDED.search(thing.__doc__ or ""))


def calibrators():
    """The public functions whose result holds a calibration."""
    found = set()
    for module in (mechanisms, baselines):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                result = typing.get_type_hints(value).get("return")
                if dataclasses.is_dataclass(result) and "calibration" in {
                    field.name for field in dataclasses.fields(result)
                }:
                    found.add(name)
    return found


def at_most(truth, stated):
    """The certified value is not above the stated one, decided by the far end of its enclosure."""
    assert truth.basis == "bound" and truth.upper <= Fraction(stated), f"{truth} above {stated!r}"


def at_least(truth, stated):
    assert truth.basis == "bound" and truth.lower >= Fraction(stated), f"{truth} below {stated!r}"


def lone(length, ridge, r, epsilon):
    square = Fraction(length) ** 2
    return oracle.certified_rp_hockey_stick(
        square / (square + Fraction(ridge)), r, Fraction(epsilon), "delete", digits=DIGITS
    )


def inner(epsilon, rate, digits=DIGITS):
    """log(1 + (e^epsilon - 1)/rate), between two exact numbers."""
    with mpmath.workdps(digits + 20):
        e, q = (mpmath.mpf(x) for x in (epsilon, rate))
        value = mpmath.log1p(mpmath.expm1(e) / q)
        slack = mpmath.mpf(10) ** -digits * (1 + value)
        return Fraction(str(value - slack)), Fraction(str(value + slack))


# Calibrations in float64


def gaussian_stds():
    for epsilon, delta in TARGETS:
        for size in (1.0, 7e5):
            std = fast.gaussian_std(size, epsilon=epsilon, delta=delta)
            at_most(oracle.certified_gaussian_hockey_stick(size, std, epsilon, digits=DIGITS), delta)


def leverages_of_projections():
    for epsilon, delta in TARGETS:
        for r in (1, 300):
            at_most(
                oracle.certified_rp_hockey_stick(
                    fast.rp_leverage(r, epsilon=epsilon, delta=delta), r, epsilon, "delete", digits=DIGITS
                ),
                delta,
            )


def ridges():
    for epsilon, delta in TARGETS:
        for r, length in ((1, 1.0), (7, 0.3)):
            at_most(lone(length, fast.rp_ridge(length, r, epsilon=epsilon, delta=delta), r, epsilon), delta)


def sampled_ridges():
    for epsilon, delta in TARGETS:
        for rate in (0.9, 0.37):
            ridge = fast.sampled_rp_ridge(1.3, rate, 7, epsilon=epsilon, delta=delta)
            if ridge:
                assert Fraction(rate) * lone(
                    1.3, ridge, 7, max(inner(epsilon, rate)[0], Fraction(0))
                ).upper <= Fraction(delta)


def sampled_epsilons():
    for epsilon in (1e-9, 0.3, 0.99999, 1.0, 1.7, 40.0):
        for rate in (1.0, 0.7, 0.01, 1e-7):
            assert Fraction(float(fast.sampled_epsilon(epsilon=epsilon, rate=rate))) <= inner(epsilon, rate)[0]


PAIRS = (
    GaussianPair([0.5, 1], [[2, 0.25], [0.25, 0.75]], [0, 0], [[1, 0.125], [0.125, 1.5]]),
    GaussianPair([1.5], 1, [0], 1),
    GaussianPair([0.5, 1], [0.5, 0.75], [0, 0], 1),
    GaussianPair([0, 0, 0], 1.25, [0, 0, 0], 1),
)


def epsilons_for_delta():
    for pair in PAIRS:
        for delta in (0.1, 1e-6, 1e-40):
            at_most(
                oracle.certified_hockey_stick(pair, float(fast.epsilon_for_delta(pair, delta)), digits=DIGITS), delta
            )


def largest_losses():
    for pair in (PAIRS[2], GaussianPair([0.1], 0.3, [0], 1), GaussianPair([0, 0], [0.7, 0.9], [0, 0], 1)):
        at_most(oracle.certified_epsilon_for_delta(pair, 0, DIGITS), support_edge.largest_loss(spectrum(pair), 0))
        at_most(oracle.certified_epsilon_for_delta(pair, 0, DIGITS), fast.epsilon_for_delta(pair, 0.0))


def caps():
    """The worst record below the cap: of the sketch wherever it lies, of the normal law where float64 saw it."""
    for d, r, epsilon, delta in ((1, 30, 1.0, 1e-4), (3, 40, 0.3, 1e-9), (2, 200, 2.0, 0.01)):
        cap = float(fast.als_exact_cap(d, r, epsilon=epsilon, delta=delta))
        at_most(worst_divergence(Fraction(cap), (d, r, Fraction(epsilon)), 20), delta)
        cap = float(fast.als_cap(d, r, epsilon=epsilon, delta=delta))
        worst = fast.als_worst_case(cap, d, r, epsilon)
        at_most(
            oracle.certified_als_hockey_stick(
                float(worst.leverage), cap, d, r, epsilon, str(worst.direction), digits=20
            ),
            delta,
        )


def covariance_bounds():
    """Upper bounds of what covariances cost, above the certified divergence itself."""
    values = (1.3, 1.1, 2.0)
    for epsilon in (0.1, 0.5):
        zero = [0] * len(values)
        for bound, pair in (
            (covariance_shift.less_spread_bound, GaussianPair(zero, 1, zero, list(values))),
            (covariance_shift.more_spread_bound, GaussianPair(zero, list(values), zero, 1)),
        ):
            at_most(oracle.certified_hockey_stick(pair, epsilon, digits=15), float(bound(values, epsilon)))
        rho, nu = math.log(2.0), sum(math.log(x) for x in values)
        for pair in (GaussianPair(zero, list(values), zero, 1), GaussianPair(zero, 1, zero, list(values))):
            at_most(
                oracle.certified_hockey_stick(pair, epsilon, digits=15),
                covariance_shift.covariance_envelope(rho, nu, 3, epsilon),
            )


def triple(v):
    rho = 0.3 / (v + 0.5)
    return 0.5 / math.sqrt(v + 0.5), rho, rho, 1


def split_variances():
    for epsilon, delta, term in ((1.0, 1e-5, "bound"), (0.4, 1e-3, "exact"), (2.0, 1e-9, "chernoff")):
        v = float(covariance_shift.added_variance(triple, epsilon=epsilon, delta=delta, term=term))
        shift, rho, nu, dimension = triple(v)
        assert oracle.certified_loewner_bound(shift, rho, nu, dimension, epsilon, term, digits=8).lower <= Fraction(
            delta
        )


RANK_ONE = (0.25, 0.0625, 0.5)


def joint_variances():
    v, _ = joint_shift.added_variance(joint_shift.RankOne(*RANK_ONE), epsilon=1.0, delta=1e-5)
    envelope = certified_joint.RankOne(*(Fraction(x) for x in RANK_ONE))
    at_most(certified_joint.largest(envelope, Fraction(v), 1, 14), 1e-5)
    coarse = joint_shift.RankOne(*RANK_ONE).coarse(v, 1.0)
    assert coarse <= joint_shift.RankOne(*RANK_ONE).largest(v, 1.0).upper


ROWS = np.array([[0.5, 0.25], [0.125, -0.5], [0.375, 0.625], [-0.25, 0.5], [0.75, 0.0]])


def leverages_of_sets():
    sets = [ROWS] + [np.delete(ROWS, k, axis=0) for k in range(len(ROWS))]
    found = leverage_of_set(sets, DIGITS)
    assert found.upper <= Fraction(leverage.neighbourhood_leverage(ROWS))
    assert found.upper <= Fraction(mechanisms.neighbourhood(ROWS, 1.0, "rows").leverage())


def balls_of_additions():
    """The ball's worst addition lies along the least eigenvector: l^2/(lambda_min + ridge + l^2)."""
    for rows, least in ((np.diag([0.5, 0.75]), Fraction(1, 4)), (np.diag([2.0**-20, 1.0]), Fraction(1, 2**40))):
        for ridge in (0.0, 0.01):
            stated = mechanisms.neighbourhood(rows, 1.0, "ball").leverage(ridge)
            assert Fraction(stated) >= 1 / (least + Fraction(ridge) + 1)


def ridges_after_a_reading():
    """Never below l^2/p* - max(b, l^2), or max(b, 0) in its place, of exactly the numbers that the
    calibration holds.
    """
    for ridge, floor in (("smallest", Fraction(1.3) ** 2), ("N26-Fig4", Fraction(0))):
        test = mechanisms.propose_test_release(
            r=7, epsilon=3.0, delta=1e-5, norm_bound=1.3, std=3.0, delta_test=1e-7, delta_failure=1e-7, ridge=ridge
        )
        full, quantile = (Fraction(float(test.calibration.noise[name])) for name in ("full_ridge", "quantile"))
        for reading in np.linspace(-1.0, float(full) + 20, 40):
            bound = Fraction(float(reading)) - 3 * quantile
            assert Fraction(float(test.ridge_at(reading))) >= full - max(bound, floor)


def profiles_from_trade_offs():
    """Exact points of a curve, rounded to floats to the safe side, never give more than the profile."""
    levels = np.array([1e-6, 1e-3, 0.1, 0.5])
    missed = [float(oracle_trade_off(a, 1.5).upper) for a in levels]
    for epsilon in (0.0, 0.5, 2.0):
        at_least(
            oracle.certified_gaussian_hockey_stick(1.5, 1, epsilon, digits=DIGITS),
            trade_off_profile(epsilon, levels, np.nextafter(missed, 2)),
        )


def trade_offs_from_profiles():
    epsilons = np.array([0.0, 0.5, 1.0, 2.0])
    deltas = np.nextafter(
        [float(oracle.certified_gaussian_hockey_stick(1.5, 1, e, digits=DIGITS).upper) for e in epsilons], 1
    )
    for alpha in (1e-6, 1e-3, 0.1, 0.5, 0.9):
        at_least(oracle_trade_off(alpha, 1.5), trade_off.profile_trade_off(alpha, epsilons, deltas))


def oracle_trade_off(alpha, mu):
    return certified_trade_off.gaussian_trade_off(alpha, mu, DIGITS)


FAST = {
    "fast.mean_shift.gaussian_std": gaussian_stds,
    "fast.random_projection.rp_leverage": leverages_of_projections,
    "fast.random_projection.rp_ridge": ridges,
    "fast.random_projection.sampled_rp_ridge": sampled_ridges,
    "fast.random_projection.sampled_epsilon": sampled_epsilons,
    "fast.hockey_stick.epsilon_for_delta": epsilons_for_delta,
    "fast.engine.support_edge.largest_loss": largest_losses,
    "fast.least_squares.worst_case.als_cap": caps,
    "fast.covariance_shift.less_spread_bound": covariance_bounds,
    "fast.covariance_shift.more_spread_bound": covariance_bounds,
    "fast.covariance_shift.covariance_envelope": covariance_bounds,
    "fast.covariance_shift.added_variance": split_variances,
    "fast.joint_shift.added_variance": joint_variances,
    "fast.joint_shift.RankOne.coarse": joint_variances,
    "fast.leverage.neighbourhood_leverage": leverages_of_sets,
    "fast.pair_trade_off.trade_off_profile": profiles_from_trade_offs,
    "fast.trade_off.profile_trade_off": trade_offs_from_profiles,
    "mechanisms.relative_projection.Neighbourhood.leverage": leverages_of_sets,
    "mechanisms.projection_wrappers.ProposeTestRelease.ridge_at": ridges_after_a_reading,
    "mechanisms.relative_projection.Neighbourhood.additions": balls_of_additions,
}

# Certificates of mechanisms: (the calibration, the certified delta of its worst case at exactly its noise)


def projections(make, *options):
    for epsilon, delta in TARGETS:
        if epsilon or make in (mechanisms.random_projection, mechanisms.random_linear_combination):
            for option in options:
                found = make(epsilon=epsilon, delta=delta, norm_bound=1.3, **option).calibration
                yield found, lone(1.3, found.noise["ridge"], found.public["r"], epsilon)


def subsampled():
    for epsilon, delta in TARGETS:
        for rate in (0.9, 0.37):
            found = mechanisms.subsampled_random_projection(
                rate=rate, r=7, epsilon=epsilon, delta=delta, norm_bound=1.3
            ).calibration
            if found.noise["ridge"]:
                value = lone(1.3, found.noise["ridge"], 7, max(inner(epsilon, rate)[0], Fraction(0)))
                yield found, scaled(value, Fraction(rate), DIGITS)


def after_a_test():
    for epsilon, delta in ((0.7, 1e-5), (3.0, 1e-12)):
        split = mechanisms.planned_split(r=7, epsilon=epsilon, delta=delta, norm_bound=1.3)
        found = mechanisms.propose_test_release(
            r=7,
            epsilon=epsilon,
            delta=delta,
            norm_bound=1.3,
            std=split.std,
            delta_test=split.delta_test,
            delta_failure=split.delta_failure,
        ).calibration
        spent, left = (
            Fraction(float(x)) for x in (found.noise["test_epsilon"], found.certificate.worst_case["release_epsilon"])
        )
        assert spent + left <= Fraction(epsilon)
        test = oracle.certified_gaussian_hockey_stick(Fraction(1.3) ** 2, split.std, spent, digits=DIGITS)
        release = oracle.certified_rp_hockey_stick(
            Fraction(1.3) ** 2 / Fraction(found.noise["full_ridge"]), 7, left, "delete", digits=DIGITS
        )
        with mpmath.workdps(40):
            failure = mpmath.erfc(mpmath.mpf(found.noise["quantile"]) / mpmath.sqrt(2)) / 2 * (1 + mpmath.mpf("1e-30"))
        assert Fraction(str(failure)) <= Fraction(split.delta_failure)
        yield found, test, release, failure


def gaussians():
    for epsilon, delta in TARGETS:
        for rule in ("analytic", "classical", "rho"):
            if epsilon or rule == "analytic":
                found = mechanisms.gaussian_mechanism(
                    0.3, epsilon=epsilon, delta=delta, adjacency="rows", rule=rule
                ).calibration
                yield found, oracle.certified_gaussian_hockey_stick(0.3, found.noise["std"], epsilon, digits=DIGITS)


def outputs():
    """A declared triple with every bound: by two steps the least of all splits, jointly the pair at its worst share."""
    for bound, term in (("exact", "exact"), ("corrected", "bound"), ("chernoff", "chernoff"), ("printed", "exact")):
        found = mechanisms.calibrated_gaussian(no_output, triple, epsilon=1.0, delta=1e-5, bound=bound).calibration
        yield found, lower_end(oracle.certified_loewner_bound(*triple(found.noise["variance"]), 1.0, term, digits=8))
    found = mechanisms.calibrated_gaussian(
        no_output, joint_shift.RankOne(*RANK_ONE), epsilon=1.0, delta=1e-5
    ).calibration
    envelope = certified_joint.RankOne(*(Fraction(x) for x in RANK_ONE))
    yield found, lower_end(certified_joint.largest(envelope, Fraction(found.noise["variance"]), 1, 14))


def no_output(data):
    raise ValueError("there is no data")


def lower_end(value):
    """The least number of an enclosure: what is stated must be above that, where the two come from different bounds."""
    return type(value)(value.mid - value.rad, 0, value.basis)


def processes():
    for epsilon, delta in ((1.0, 1e-5), (0.1, 1e-3)):
        found = mechanisms.gaussian_process(
            mechanisms.linear_kernel,
            [0.5],
            noise_variance=2.0,
            label_bound=0.5,
            norm_bound=1.0,
            records=16,
            epsilon=epsilon,
            delta=delta,
        ).calibration
        point = {
            "norm_bound": 1.0,
            "labels": 0.5,
            "noise_variance": 2.0,
            "records": 16.0,
            "epsilon": epsilon,
            "delta": delta,
            "noise": found.noise["variance"],
        }
        yield found, certified_delta({name: Fraction(value) for name, value in point.items()}, 20)


def regressions():
    for epsilon, delta in ((1.0, 1e-5), (0.1, 1e-3)):
        found = mechanisms.logistic_regression(2, penalty=3.0, norm_bound=1.5, epsilon=epsilon, delta=delta).calibration
        point = {
            "penalty": 3.0,
            "norm_bound": 1.5,
            "epsilon": epsilon,
            "delta": delta,
            "noise": found.noise["variance"],
        }
        yield found, certified_delta({name: Fraction(value) for name, value in point.items()}, 20)


def squares(make, curve, targets, **options):
    """At the record that the certificate names, below the exact cap of the ridge: one of those that it bounds."""
    for d, r, epsilon, delta in targets:
        found = make(d=d, r=r, epsilon=epsilon, delta=delta, norm_bound=1.3, **options).calibration
        worst, square = found.certificate.worst_case, Fraction(1.3) ** 2
        cap = square / (square + Fraction(found.noise["ridge"]))
        assert cap <= Fraction(worst["augmented_leverage"])
        record = min(Fraction(worst["leverage"]), cap)
        yield found, curve(record, Fraction(worst["augmented_leverage"]), d, r, epsilon, worst["direction"], digits=20)


SQUARES = ((1, 30, 1.0, 1e-4), (3, 40, 0.3, 1e-9), (2, 200, 2.0, 0.01))


def relative_projections():
    databases = mechanisms.neighbourhood(ROWS, 1.0, "rows")
    for r, epsilon, delta in ((3, 1.0, 1e-5), (2, 9.0, 0.3)):
        found = mechanisms.relative_random_projection(databases, r, epsilon=epsilon, delta=delta).calibration
        level = Fraction(found.noise["ridge"])
        shares = [
            max(oracle.leverage.leverage_scores(ROWS, list(range(len(ROWS))), DIGITS, level), key=lambda one: one.upper)
        ]
        yield found, oracle.certified_rp_hockey_stick(shares[0].lower, r, epsilon, "delete", digits=DIGITS)


def relative_squares():
    databases = mechanisms.neighbourhood(ROWS, 1.0, "rows")
    for law, curve in (
        ("normal", oracle.certified_als_hockey_stick),
        ("sketch", oracle.certified_als_exact_hockey_stick),
    ):
        found = mechanisms.relative_least_squares(databases, 12, epsilon=1.0, delta=1e-3, law=law).calibration
        out, come = exact_shares(ROWS, Fraction(found.noise["ridge"]))
        values = [
            curve(p, q, 1, 12, 1, way, digits=20) for p, q in sorted(set(out + come)) for way in ("delete", "insert")
        ]
        yield found, max(values, key=lambda value: value.upper)


def laplace():
    for size, epsilon in ((0.3, 0.7), (1.0, 1e-9), (7e8, 3.0)):
        found = baselines.laplace_mechanism(size, epsilon, adjacency="rows").calibration
        assert Fraction(size) <= Fraction(found.noise["scale"]) * Fraction(epsilon)
        yield found, oracle.certified_gaussian_hockey_stick(0, 1, epsilon, digits=DIGITS)


CERTIFICATES = {
    "random_projection": lambda: projections(
        mechanisms.random_projection, *({"r": r, "ridge": ridge} for r in (1, 9) for ridge in ("smallest", "N26-Fig1"))
    ),
    "random_linear_combination": lambda: projections(mechanisms.random_linear_combination, {}),
    "subsampled_random_projection": subsampled,
    "propose_test_release": after_a_test,
    "gaussian_mechanism": gaussians,
    "calibrated_gaussian": outputs,
    "gaussian_process": processes,
    "logistic_regression": regressions,
    "least_squares": lambda: squares(mechanisms.least_squares, oracle.certified_als_hockey_stick, SQUARES),
    "sketched_least_squares": lambda: squares(
        mechanisms.sketched_least_squares, oracle.certified_als_exact_hockey_stick, SQUARES
    ),
    "relative_random_projection": relative_projections,
    "relative_least_squares": relative_squares,
    "laplace_mechanism": laplace,
    "sheffet": lambda: projections(baselines.sheffet, {"r": 9}),
    "blocki": lambda: projections(baselines.blocki, {"r": 9}),
    "mutual_information": lambda: projections(baselines.mutual_information, {"r": 9}),
}


def upper(value):
    """The upper end; that of a number far below every float is not written out."""
    return above_floor(value, Fraction(math.ulp(0.0))).upper if hasattr(value, "mid") else Fraction(str(value))


@pytest.mark.parametrize("name", sorted(CERTIFICATES))
def test_a_certificate_is_not_below_the_certified_delta(name):
    for calibration, *values in CERTIFICATES[name]():
        total = sum(upper(value) for value in values)
        assert total <= Fraction(calibration.certificate.delta), f"{calibration}: {float(total)!r}"
        assert calibration.unsafe or calibration.certificate.delta <= calibration.target.delta


@pytest.mark.parametrize(
    "check", sorted(set(FAST.values()), key=lambda check: check.__name__), ids=lambda check: check.__name__
)
def test_a_calibration_or_bound_lies_on_its_safe_side(check):
    check()


def test_inherent_deltas_are_not_below_the_certified_ones():
    databases = mechanisms.neighbourhood(ROWS, 1.0, "rows")
    share = max(oracle.leverage.leverage_scores(ROWS, list(range(len(ROWS))), DIGITS), key=lambda one: one.upper).upper
    for r, epsilon in ((3, 1.0), (20, 0.1)):
        at_most(
            oracle.certified_rp_hockey_stick(share, r, epsilon, "delete", digits=DIGITS),
            mechanisms.inherent_delta(databases, r, epsilon),
        )


ELSEWHERE = {  # why no entry above
    "fast.least_squares.gap.AsymptoticGap": "a difference of two curves over a grid, no limit",
    "fast.least_squares.gap.als_asymptotic_gap": "the same",
    "fast.accuracy.margin": "a sum of rows, exactly: test_accuracy",
    "fast.engine.fixed_point.integer": "a part of the exact products, whose sums are tested exactly",
    "fast.joint_shift.Prediction.coarse": "starts the search of joint_variances",
    "mechanisms.calibration.Calibration": "refuses a certificate above its target: test_mechanism_targets",
    "mechanisms.calibration.Target": "rounded down: test_safe_leverages_and_values",
    "mechanisms.calibration.number": "rounded to the side that is asked for: the same",
    "mechanisms.calibration.positive": "rounded up: the same",
    "mechanisms.least_squares.certificate": "of least_squares and sketched_least_squares",
    "mechanisms.least_squares.least_ridge": "of least_squares and sketched_least_squares",
    "mechanisms.projection_wrappers.ProposeTestRelease": "propose_test_release",
    "mechanisms.exact.eigenvalue.noised_eigenvalue": "a released number: the tests of exact rounding",
    "mechanisms.projection_wrappers.ReleaseAfterTest": "the same",
    "mechanisms.projection_wrappers.sampled": "a probability that is met exactly: test_mechanism_sampling",
    "mechanisms.random_projection.certificate": "of random_projection",
    "fast.least_squares.worst_record.als_exact_cap": "test_a_cap_of_pure_privacy_is_rounded_down",
    "fast.least_squares.worst_case.cap_of": "test_a_cap_of_few_digits_is_rounded_down",
    "mechanisms.relative_projection.inherent_delta": "test_inherent_deltas_are_not_below_the_certified_ones",
}


def test_everything_one_sided_is_surveyed():
    assert calibrators() == set(CERTIFICATES)
    found = one_sided("fast", "mechanisms")
    calibrated = {name for name in found if name.rpartition(".")[2] in CERTIFICATES}
    assert found - calibrated - set(FAST) == set(ELSEWHERE)
