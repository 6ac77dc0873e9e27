"""What float64 promises is held by the certified oracle, is typed once, and moves what rests on it."""

import ast
import contextlib
import math
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import flint
import mpmath
import numpy as np
import pytest
from scipy.special import ndtri

from ndis_verify import fast, oracle
from ndis_verify.audit.limits import clopper_pearson_lower, clopper_pearson_upper
from ndis_verify.audit.loss_masses import LossMasses
from ndis_verify.audit.white_box import engine_limits
from ndis_verify.enclosure import Enclosure
from ndis_verify.fast import accuracy
from ndis_verify.fast.accuracy import MARGINS, PROMISES, Range, margin, projection_error, promise, sketch_error
from ndis_verify.fast.covariance_shift import covariance_envelope, loewner_bound
from ndis_verify.fast.engine.support_edge import largest_loss
from ndis_verify.fast.joint_shift import RankOne
from ndis_verify.fast.trade_off import gaussian_trade_off
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.mechanisms.gaussian import gaussian_mechanism
from ndis_verify.mechanisms.gaussian_output import calibrated_gaussian
from ndis_verify.mechanisms.least_squares import least_ridge
from ndis_verify.mechanisms.random_projection import certificate, random_projection
from ndis_verify.oracle.trade_off import gaussian_trade_off as oracle_trade_off
from ndis_verify.reference.engines import ENGINES
from ndis_verify.report.accuracy import page

DIGITS = 20
ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "ndis_verify"
Point = dict[str, float]


# Each row over its domain


HUNT = os.environ.get("NDIS_VERIFY_HYPOTHESIS") == "hunt"


def points(name: str, count: int) -> Iterator[Point]:
    """Seeded random points of a row's ranges; each number is an end of its range one time in twelve. In the profile
    `hunt` (with `--timeout 0`) they are others each time, and a hundred times as many.
    """
    draw = random.Random(None if HUNT else f"accuracy of {name}")
    count *= 100 if HUNT else 1
    for _ in range(count):
        shares = {
            part: draw.choice((0.0, 1.0)) if draw.random() < 1 / 12 else draw.random() for part in PROMISES[name].ranges
        }
        yield {part: PROMISES[name].ranges[part].at(share) for part, share in shares.items()} | {"side": draw.random()}


def epsilon_of(laws: fast.Spectrum, point: Point) -> float:
    """So many standard deviations of the loss above its mean, but on its support, and within 0 and 200."""
    loss, most = laws.loss_forms(), largest_loss(laws, 0)
    mean, epsilon = float(loss.mean[0]), float(loss.mean[0] + point["deviations"] * loss.std[0])
    if epsilon > most:
        epsilon = mean + (most - mean) * (1 - (1 - point["side"]) ** 6)
    return min(max(epsilon, 0.0), PROMISES["hockey_stick"].ranges["epsilon"].high)


def error(value: float, truth: Enclosure, least: float = 0.0, log: float = 0.0) -> float:
    """The relative error of a value, of its logarithm `log` where the truth is below `least`."""
    with mpmath.workdps(40):
        if truth.mid == 0:
            return 0.0 if value == 0 else float("inf")
        if truth.mid < least:
            return float(abs(mpmath.mpf(log) / mpmath.log(truth.mid) - 1))
        return float((abs(mpmath.mpf(float(value)) - truth.mid) + truth.rad) / truth.mid)


def held(name: str, value: float, log: float, curve: Callable[[Fraction], Enclosure], epsilon: float) -> float:
    """The error of a value of a falling curve; none where it is that of an epsilon as near as the row says."""
    row, at = PROMISES[name], Fraction(epsilon)
    found = error(value, curve(at), row.least, log)
    if found <= row.error or not row.near:
        return found
    below, above = (curve(at * (1 + side * Fraction(row.near))) for side in (1, -1))
    inside = (below.mid == 0 or mpmath.log(below.mid) <= log) and log <= mpmath.log(above.mid)
    return 0.0 if inside else min(error(value, end, row.least, log) for end in (below, above))


def gaussian(point: Point) -> Iterator[float]:
    shift = point["shift"]
    epsilon = shift * max(shift / 2 + point["deviations"], 0.0)
    value, log = (float(f(shift, 1, epsilon)) for f in (fast.gaussian_hockey_stick, fast.log_gaussian_hockey_stick))
    yield held(
        "gaussian_hockey_stick",
        value,
        log,
        lambda at: oracle.certified_gaussian_hockey_stick(shift, 1, at, digits=DIGITS),
        epsilon,
    )


def pair(point: Point) -> Iterator[float]:
    """Either order of pairs with two eigenvalues; those of two coordinates are turned."""
    first, second, many = Fraction(point["ratio"]), Fraction(point["second_ratio"]), int(point["coordinates"])
    covariance = [point["ratio"]] * (many - many // 2) + [point["second_ratio"]] * (many // 2)
    if many == 2:
        c, s = Fraction(3, 5), Fraction(4, 5)
        mixed = c * s * (first - second)
        covariance = [[c * c * first + s * s * second, mixed], [mixed, s * s * first + c * c * second]]
    one = GaussianPair([point["distance"]] + [0] * (many - 1), covariance, [0] * many, 1)
    one = one if point["side"] < 0.5 else one.swapped()
    laws = fast.spectrum(one)
    epsilon = epsilon_of(laws, point)
    value, log = float(fast.hockey_stick(laws, epsilon)), float(fast.log_hockey_stick(laws, epsilon))
    yield held("hockey_stick", value, log, lambda at: oracle.certified_hockey_stick(one, at, digits=DIGITS), epsilon)


def projection(point: Point) -> Iterator[float]:
    p, r = point["leverage"], int(point["r"])
    for direction, alpha in (("delete", p / (1 - p)), ("insert", -p)):
        epsilon = epsilon_of(fast.Spectrum([alpha], [0.0], [r]), point)
        value, log = (float(f(p, r, epsilon, direction)) for f in (fast.rp_hockey_stick, fast.log_rp_hockey_stick))

        def curve(at, direction=direction):
            return oracle.certified_rp_hockey_stick(p, r, at, direction, digits=DIGITS)

        name = "rp_hockey_stick" if r <= PROMISES["rp_hockey_stick"].ranges["r"].high else "rp_hockey_stick, a root"
        found = held("rp_hockey_stick", value, log, curve, epsilon)
        yield found if name == "rp_hockey_stick" else found * promise(name) / float(projection_error(r))


def least_squares(point: Point) -> Iterator[float]:
    record = point["share"] * point["q"], point["q"], int(point["d"]), int(point["r"])
    direction = "delete" if point["side"] < 0.5 else "insert"
    epsilon = epsilon_of(fast.als_spectrum(*record, direction), point)
    value, log = (float(f(*record, epsilon, direction)) for f in (fast.als_hockey_stick, fast.log_als_hockey_stick))

    def curve(at):
        return oracle.certified_als_hockey_stick(*record, at, direction, digits=DIGITS)

    yield held("als_hockey_stick", value, log, curve, epsilon)


def sketch(name: str) -> Callable[[Point], Iterator[float]]:
    def check(point: Point) -> Iterator[float]:
        r = int(point["r"])
        record = point["share"] * point["q"], point["q"], min(int(point["d"]), r), r
        direction = "delete" if point["side"] < 0.5 else "insert"
        epsilon = epsilon_of(fast.als_spectrum(*record, direction), point)
        most = float(fast.als_max_privacy_loss(*record, direction))
        epsilon = epsilon if epsilon < most else most * (1 - point["side"] ** 3)
        value, log = (
            float(f(*record, epsilon, direction))
            for f in (fast.als_exact_hockey_stick, fast.log_als_exact_hockey_stick)
        )

        def curve(at):
            return oracle.certified_als_exact_hockey_stick(*record, at, direction, digits=DIGITS)

        if (value > 0.5) == name.endswith("above 1/2") or name.endswith("a row"):
            found = held(name, value, log, curve, epsilon)
            yield max(found - float(sketch_error(value, 0)), 0.0) / r if name.endswith("a row") else found

    return check


def worst_record(name: str, law: str) -> Callable[[Point], Iterator[float]]:
    """The value where the search found it, and another record, which is not worse."""
    search, curve = getattr(fast, name), getattr(oracle, f"certified_{law}")

    def check(point: Point) -> Iterator[float]:
        cap, r = point["cap"], int(point["r"])
        d = min(int(point["d"]), r)
        epsilon = epsilon_of(fast.als_spectrum(cap / 2, cap, d, r), point)
        worst = search(cap, d, r, epsilon)
        leverage, direction = float(worst.leverage), str(worst.direction)
        value, log = float(worst.delta), float(worst.log_delta)
        yield held(name, value, log, lambda at: curve(leverage, cap, d, r, at, direction, digits=DIGITS), epsilon)
        direction = "delete" if point["side"] < 0.5 else "insert"
        other = curve(point["share"] * cap, cap, d, r, epsilon, direction, digits=DIGITS)
        if other.mid > max(value, PROMISES[name].least):
            yield held(name, value, log, lambda at: curve(point["share"] * cap, cap, d, r, at, direction), epsilon)

    return check


def splits(point: Point) -> Iterator[float]:
    """Against a dense grid of splits in both orders; the certified least bound takes seconds."""
    rho, d, epsilon, term = point["rho"], int(point["dimension"]), point["epsilon"], "exact"
    nu, near = rho * (1 + point["spread"] * (d - 1)), np.geomspace(1e-9, 0.5, 1000)
    first = epsilon * np.concatenate([[0.0], near, 1 - near[::-1], [1.0]])
    second = epsilon - first
    mean, cov = fast.gaussian_hockey_stick(point["shift"], 1, first), covariance_envelope(rho, nu, d, second, term)
    orders = mean + np.exp(first) * cov, cov + np.exp(second) * mean
    least = min(1.0, float(np.min(orders)))
    if least > PROMISES["search over splits"].least:
        yield max(float(loewner_bound(point["shift"], rho, nu, d, epsilon, term)) / least - 1, 0.0)


def chi2(point: Point) -> Iterator[float]:
    parts = [1.0, -point["weight"]], [int(point["dof"]), 2], [point["noncentrality"], 1.0], point["std"]
    law = fast.GeneralizedChi2(*parts)
    x = float(law.mean() + point["deviations"] * np.sqrt(law.var()))
    for value, curve in (
        (law.sf(x), oracle.certified_generalized_chi2_sf),
        (law.cdf(x), oracle.certified_generalized_chi2_cdf),
    ):
        truth = curve(*parts, 0, x, digits=DIGITS)
        if truth.mid > PROMISES["generalized_chi2"].least:
            yield error(float(value), truth)


def threshold(point: Point) -> Iterator[float]:
    """How far off, relatively, the epsilon is whose delta a value is, to the error of the curve."""
    shift, near = point["shift"], Fraction(1, 10**12)
    epsilon = shift * (shift / 2 + point["deviations"])
    log = float(fast.log_hockey_stick(GaussianPair([shift], 1, [0], 1), epsilon))
    with mpmath.workdps(40):
        middle, right = (
            mpmath.log(oracle.certified_gaussian_hockey_stick(shift, 1, Fraction(epsilon) * at, digits=35).mid)
            for at in (1, 1 + near)
        )
        off = max(abs(mpmath.mpf(log) - middle) - mpmath.mpf(PROMISES["hockey_stick"].error), 0)
        yield float(off / (middle - right) * mpmath.mpf(near.numerator) / near.denominator)


def trade_off(point: Point) -> Iterator[float]:
    truth = oracle_trade_off(point["alpha"], point["mu"], digits=DIGITS)
    yield error(float(gaussian_trade_off(point["alpha"], point["mu"])), truth)


def quantile(point: Point) -> Iterator[float]:
    """By a step of Newton's method in forty digits."""
    found = float(ndtri(point["p"]))
    with mpmath.workdps(40):
        step = (mpmath.ncdf(found) - mpmath.mpf(point["p"])) / mpmath.npdf(found)
        yield float(abs(step / found)) if found else float(step)


def beta_quantile(point: Point) -> Iterator[float]:
    n = int(point["n"])
    k = min(max(round(point["count"] * n), 1), n)
    found = float(clopper_pearson_lower(k, n, point["failure"])) / (1 - promise("betaincinv"))
    with flint.ctx.workprec(400):
        x, a, b = flint.arb(found), flint.arb(k), flint.arb(n - k + 1)
        share = x.beta_lower(a, b, regularized=True)
        slope = ((a - 1) * x.log() + (b - 1) * (-x).log1p() - a.lgamma() - b.lgamma() + (a + b).lgamma()).exp()
        yield float(abs((share - flint.arb(point["failure"])) / slope / x).upper())


def composed(point: Point) -> Iterator[float]:
    """Against powers of a polynomial of whole numbers, packed into one number of many digits."""
    cells, copies, draw = int(point["cells"]), int(point["copies"]), random.Random(point["side"])
    whole = [draw.randrange(2**40) if draw.random() < point["filled"] else 1 for _ in range(cells)]
    whole[0] += 2**60 - sum(whole)
    bits = 61 * copies
    packed = sum(mass << (bits * k) for k, mass in enumerate(whole)) ** copies
    law = LossMasses(-0.01 * cells, 0.02, np.array(whole, dtype=float) / 2.0**60, 0.0)
    at = copies * law.lowest + law.step * int(copies * (cells - 1) * point["place"])
    losses = copies * law.lowest + law.step * np.arange(copies * (cells - 1) + 1)
    weights = np.where(losses > at, -np.expm1(np.minimum(at - losses, 0.0)), 0.0)
    mask = (1 << bits) - 1
    truth = sum(Fraction(float(w)) * ((packed >> (bits * k)) & mask) for k, w in enumerate(weights) if w)
    yield float(abs(Fraction(float(law.power(copies).delta(at))) - truth / 2 ** (60 * copies)))


CHECKS: dict[str, Callable[[Point], Iterator[float]]] = {
    "gaussian_hockey_stick": gaussian,
    "hockey_stick": pair,
    "rp_hockey_stick": projection,
    "rp_hockey_stick, a root": projection,
    "als_hockey_stick": least_squares,
    "als_exact_hockey_stick": sketch("als_exact_hockey_stick"),
    "als_exact_hockey_stick above 1/2": sketch("als_exact_hockey_stick above 1/2"),
    "als_exact_hockey_stick, a row": sketch("als_exact_hockey_stick, a row"),
    "als_worst_case": worst_record("als_worst_case", "als_hockey_stick"),
    "als_exact_worst_case": worst_record("als_exact_worst_case", "als_exact_hockey_stick"),
    "search over splits": splits,
    "generalized_chi2": chi2,
    "threshold": threshold,
    "gaussian_trade_off": trade_off,
    "ndtri": quantile,
    "betaincinv": beta_quantile,
    "composed masses": composed,
}
COUNTS = {
    "gaussian_hockey_stick": 200,
    "hockey_stick": 30,
    "rp_hockey_stick": 60,
    "rp_hockey_stick, a root": 20,
    "als_hockey_stick": 60,
    "als_exact_hockey_stick": 80,
    "als_exact_hockey_stick above 1/2": 60,
    "als_exact_hockey_stick, a row": 8,
    "als_worst_case": 12,
    "als_exact_worst_case": 60,
    "search over splits": 20,
    "generalized_chi2": 30,
    "threshold": 100,
    "betaincinv": 12,
    "composed masses": 30,
}  # of the rows that take long; the others have 300


@pytest.mark.parametrize("name", PROMISES)
def test_a_promise_is_kept_over_its_domain(name):
    for point in points(name, COUNTS.get(name, 300)):
        for found in CHECKS[name](point):
            assert found <= PROMISES[name].error, point


def test_every_row_has_its_check_and_its_words():
    assert set(CHECKS) == set(PROMISES) and set(COUNTS) < set(PROMISES)
    for row in PROMISES.values():
        assert 0 < row.error < 1e-4 and row.ranges and row.domain and row.source
    for row in MARGINS.values():
        assert row.terms and row.source and all(multiple >= 1 and name in PROMISES for multiple, name in row.terms)
        assert Fraction(margin(row.name)) >= sum(Fraction(k) * Fraction(promise(name)) for k, name in row.terms)


def test_a_range_ends_at_its_ends():
    for row in PROMISES.values():
        for part in row.ranges.values():
            shares = [k / 16 for k in range(17)]
            found = [part.at(share) for share in shares]
            assert found[0] == part.low and found[-1] == part.high and found == sorted(found)


def test_scales_reach_what_lies_next_to_an_end_and_to_one():
    shares = [(k + 0.5) / 1000 for k in range(1000)]
    unit, ratios = Range(0.0, 1.0, "ends"), Range(1e-6, 1e6, "next to 1")
    for distance in (unit.at, lambda share: 1 - unit.at(share)):
        assert sum(distance(share) < 1e-8 for share in shares) > 150 < sum(distance(share) > 0.6 for share in shares)
    assert sum(0 < abs(ratios.at(share) - 1) < 1e-8 for share in shares) > 200
    assert all(sum(abs(math.log(ratios.at(share))) > least for share in shares) > 100 for least in (0.1, 10))


def test_large_epsilons_of_the_gaussian_mechanism():
    """A difference of two numbers of the size of sqrt(epsilon) is the place of a tail: no digit of it is lost."""
    draw = random.Random(5)
    for _ in range(40):
        epsilon, delta = 10 ** draw.uniform(3.2, 6.5), 10 ** draw.uniform(-289, -1)
        std = float(fast.gaussian_std(1, epsilon=epsilon, delta=delta))
        assert oracle.certified_gaussian_hockey_stick(1, std, epsilon, digits=DIGITS).upper <= Fraction(delta)
        found = gaussian_mechanism(1.0, epsilon=epsilon, delta=delta, adjacency="one value").calibration
        reached = oracle.certified_gaussian_hockey_stick(1, found.noise["std"], epsilon, digits=DIGITS)
        assert reached.upper <= Fraction(found.certificate.delta)


# A row that is loosened


def ridge_of(mechanism, **target):
    return lambda: mechanism(**target, epsilon=1.0, delta=1e-5, norm_bound=1.0).calibration


def envelope():
    return calibrated_gaussian(lambda data: ([0.0], [[1.0]]), RankOne(0.5, 0.0, 1.0), epsilon=1.0, delta=1e-5)


def two_steps():
    triple = lambda v: (0.1 / np.sqrt(v), 0.1, 0.1, 1)
    return calibrated_gaussian(lambda data: ([0.0], [[1.0]]), triple, epsilon=1.0, delta=1e-5, bound="exact")


def radius(quantity, **inputs):
    return lambda: float(ENGINES["fast"][quantity](inputs, 17)[1])


PAIR = GaussianPair([0.5], 1, [0], 1)
UP = {
    ("gaussian_hockey_stick", "std"): lambda: fast.gaussian_std(1, epsilon=1.0, delta=1e-5),
    ("gaussian_hockey_stick", "Gaussian mechanism"): lambda: (
        gaussian_mechanism(1.0, epsilon=1.0, delta=1e-5, adjacency="one value").std
    ),
    ("hockey_stick", "epsilon"): lambda: fast.epsilon_for_delta(PAIR, 1e-5),
    ("hockey_stick", "variance of an envelope"): lambda: envelope().added_variance,
    ("hockey_stick", "variance of two steps"): lambda: two_steps().added_variance,
    ("hockey_stick", "upper limit of an audit"): lambda: engine_limits(PAIR, 1, Fraction(1))[1],
    ("hockey_stick", "negative lower limit of an audit"): lambda: -engine_limits(PAIR, 1, Fraction(1))[0],
    ("hockey_stick", "radius of an answer"): radius(
        "hockey_stick", mean_p=["0.5"], cov_p="1", mean_q=["0"], cov_q="1", epsilon="1"
    ),
    ("rp_hockey_stick", "negative leverage"): lambda: -fast.rp_leverage(4, epsilon=1.0, delta=1e-5),
    ("rp_hockey_stick", "ridge"): lambda: fast.rp_ridge(1.0, 4, epsilon=1.0, delta=1e-5),
    ("rp_hockey_stick", "ridge of a sample"): lambda: fast.sampled_rp_ridge(1.0, 0.5, 4, epsilon=1.0, delta=1e-5),
    ("rp_hockey_stick", "random projection"): lambda: ridge_of(random_projection, r=4)().noise["ridge"],
    ("rp_hockey_stick", "its certificate"): lambda: certificate(1.0, 20.0, 4, 1.0).delta,
    ("rp_hockey_stick, a root", "ridge"): lambda: fast.rp_ridge(1.0, 10**7, epsilon=1.0, delta=1e-5),
    ("als_hockey_stick", "negative cap"): lambda: -fast.als_cap(2, 9, epsilon=1.0, delta=1e-5),
    ("als_exact_hockey_stick", "negative cap"): lambda: -fast.als_exact_cap(2, 9, epsilon=1.0, delta=1e-5),
    ("als_exact_hockey_stick, a row", "negative cap"): lambda: -fast.als_exact_cap(2, 9, epsilon=1.0, delta=1e-5),
    ("als_exact_hockey_stick above 1/2", "negative cap"): lambda: -fast.als_exact_cap(2, 9, epsilon=1.0, delta=0.6),
    ("als_worst_case", "least squares"): lambda: least_ridge(1.0, 2, 9, epsilon=1.0, delta=1e-5),
    ("als_exact_worst_case", "sketch"): lambda: least_ridge(1.0, 2, 9, epsilon=1.0, delta=1e-5, law="sketch"),
    ("betaincinv", "upper limit"): lambda: clopper_pearson_upper(5, 100, 0.05),
    ("betaincinv", "negative lower limit"): lambda: -clopper_pearson_lower(5, 100, 0.05),
    ("threshold", "far epsilon"): lambda: fast.epsilon_for_delta(GaussianPair([30], 1, [0], 1), 1e-5),
}


@pytest.mark.parametrize(("row", "what"), UP, ids=map(": ".join, UP))
def test_a_loosened_row_moves_what_rests_on_it(monkeypatch, row, what):
    """To the safe side, and back."""
    before = float(np.ravel(UP[row, what]())[0])
    looser = {**PROMISES, row: replace(PROMISES[row], error=1e5 * PROMISES[row].error)}
    with monkeypatch.context() as patch:
        patch.setattr(accuracy, "PROMISES", looser)
        assert float(np.ravel(UP[row, what]())[0]) > before
    assert float(np.ravel(UP[row, what]())[0]) == before


# Typed once

SMALL = 2.0**-50, 1e-8  # below lie roundings of single operations, above steps, guards and targets
SEARCHED_FILES = (
    *sorted((PACKAGE / "mechanisms").rglob("*.py")),
    *sorted((PACKAGE / "audit").rglob("*.py")),
    PACKAGE / "reference" / "engines.py",
    *(
        PACKAGE / "fast" / name
        for name in (
            "mean_shift.py",
            "random_projection.py",
            "joint_shift.py",
            "covariance_shift.py",
            "hockey_stick.py",
            "engine/least_epsilon.py",
            "least_squares/worst_case.py",
            "least_squares/worst_record.py",
        )
    ),
)


def small_numbers(source: str) -> Iterator[tuple[int, float]]:
    """(line, size) of the numbers in `SMALL` that code types, by themselves, as a power, or as a distance from 1.

    Options of other libraries' searches (xtol, rtol ...) are none.
    """
    tree = ast.parse(source)
    options = {
        node
        for call in ast.walk(tree)
        if isinstance(call, ast.keyword) and call.arg in ("xtol", "rtol")
        for node in ast.walk(call.value)
    }
    for node in ast.walk(tree):
        if node in options:
            continue
        value = None
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            value = node.value
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            base, power = (ast.unparse(part) for part in (node.left, node.right))
            with contextlib.suppress(ValueError, OverflowError, ZeroDivisionError):
                value = float(base) ** float(power)
        for size in () if value is None else (abs(value), abs(1 - value)):
            if SMALL[0] < size <= SMALL[1]:
                yield node.lineno, size
                break


def test_small_numbers_are_seen_however_they_are_typed():
    for text in (
        "X = 1e-11",
        "f(1 - 2e-11)",
        "y = x * 0.99999999999",
        "y = 2.0**-40",
        "y = 10 ** -9",
        "f(error=5e-13)",
    ):
        assert len(list(small_numbers(text))) == 1, text
    for text in ("X = 1e-300", "y = 4e-16", "f(xtol=1e-13)", "delta = 1e-6", "y = 2.0**-53", "'1e-11'"):
        assert not list(small_numbers(text)), text


PROOF = "widens a proved bound of an exact release by more than its terms of second order"
SEARCH = "a step, a bracket or an end of a search whose result is evaluated afterwards"
DATA = "how far numbers that a caller gives may be off, by rounding of theirs"
GUARD = "keeps a quotient or a logarithm away from 0, or a tie from being none"
OTHERWISE: dict[str, dict[float, str]] = {
    "mechanisms/exact/gram.py": {1e-9: PROOF},
    "mechanisms/exact/normals.py": {9.09e-13: PROOF},
    "mechanisms/exact/projection.py": {1e-9: PROOF},
    "mechanisms/exact/solutions.py": {1e-9: PROOF},
    "mechanisms/gaussian_output.py": {1e-12: DATA},
    "mechanisms/gaussian_process.py": {1e-12: DATA},
    "mechanisms/graph_denoising.py": {1e-9: "when an iteration ends; no privacy rests on it"},
    "mechanisms/least_squares.py": {1e-14: SEARCH, 1e-13: SEARCH, 1e-12: SEARCH, 1e-15: SEARCH},
    "mechanisms/record_shares.py": {4.66e-10: "an end of a domain: 1 - q below it counts as 0, the worst"},
    "mechanisms/relative_least_squares.py": {2e-10: SEARCH, 1e-12: SEARCH, 1e-9: SEARCH},
    "mechanisms/relative_projection.py": {1e-12: SEARCH},
    "audit/dp_sgd_float32.py": {1e-8: "Adam's own constant, of the trainer that is audited; no privacy rests on it"},
    "audit/candidate_sets.py": {1e-12: GUARD, 1e-9: "when a fit ends; limits hold for whatever order it gives"},
    "audit/composition.py": {1e-15: "a few units of 2^-53, relative to a step of the grid"},
    "audit/credible_region.py": {
        1e-12: "ten times what `credible_mass`, in the same file, documents of its quadrature",
        1e-10: SEARCH,
        1e-9: SEARCH,
    },
    "audit/dp_sgd.py": {1e-8: "a constant of Adam"},
    "audit/limits.py": {1e-11: "how far off, relatively, the tail of a quantile sends it to bisection"},
    "audit/subsampled_gaussian.py": {3.55e-15: "16 units of 2^-52, of a loss at an edge of a cell"},
    "audit/tv_inference.py": {1e-9: DATA},
    "audit/white_box.py": {1e-13: "room for rounding that a caller's declared error is widened by, and held to"},
    "fast/random_projection.py": {1e-15: "a few units of 2^-53, of one expression"},
    "fast/joint_shift.py": {1e-9: SEARCH, 1e-12: DATA},
    "fast/covariance_shift.py": {9.31e-10: DATA, 5e-10: SEARCH, 1e-9: SEARCH},
    "fast/least_squares/worst_case.py": {1e-10: SEARCH, 9.31e-10: "an end of a domain", 1e-9: SEARCH},
    "fast/least_squares/worst_record.py": {1e-12: SEARCH},
}  # small numbers that are no accuracy of a curve, by file and size


def test_no_accuracy_is_typed_elsewhere():
    found = {}
    for path in SEARCHED_FILES:
        for line, size in small_numbers(path.read_text(encoding="utf-8")):
            found.setdefault(path.relative_to(PACKAGE).as_posix(), {}).setdefault(float(f"{size:.3g}"), []).append(line)
    assert {name: set(sizes) for name, sizes in found.items()} == {
        name: set(sizes) for name, sizes in OTHERWISE.items()
    }


def test_the_page_has_the_rows():
    assert (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8") == page(), (
        "python -m ndis_verify.report.accuracy > docs/accuracy.md"
    )
