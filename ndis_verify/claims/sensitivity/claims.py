"""Claims about how far one record moves two Gaussian outputs: printed bounds, and sharper ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.sensitivity.stated import (
    FIRST,
    HALVED,
    OF_ONE_FEATURE,
    ONE_EIGENVALUE,
    OPPOSED,
    PREDICTION,
    SURROGATE,
)
from ndis_verify.court.attack_checks import attack_check, counterexample_check
from ndis_verify.court.checks import formula_check, proof
from ndis_verify.court.domain import Domain, choice, continuous, integer, stacked, vector
from ndis_verify.court.points import count
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.enclosure import Enclosure
from ndis_verify.fast.sensitivity import gaussian_process, loewner_sensitivity, logistic_surrogate
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.statements.reading import under
from ndis_verify.symbolic import (
    prediction_bounds,
    prediction_few_records,
    prediction_joint,
    sensitivity,
    surrogate_order,
)

_RECORDS = 4
_ROUNDING = 1e-9


def _logistic_bounds(length: float, penalty: float, added: float, n: int, d: int) -> tuple[float, float, float]:
    """The printed (Delta, rho_inf, nu)."""
    least = added + 1 / (penalty + n * length**2 / 4)
    rho = math.log((added + 1 / penalty) / least)
    return length / penalty / math.sqrt(least), rho, d * rho


def _sharper_logistic(length: float, penalty: float, added: float, n: int, d: int) -> tuple[float, float, float]:
    """Delta as printed; one eigenvalue, as if n = 1 and d = 1."""
    printed, _, _ = _logistic_bounds(length, penalty, added, n, d)
    _, rho, _ = _logistic_bounds(length, penalty, added, 1, 1)
    return printed, rho, rho


def _process_bounds(length: float, labels: float, noise: float, added: float, n: int) -> tuple[float, float, float]:
    rho = math.log((added + length**2) / added)
    return length * labels * math.sqrt(n) / (noise * math.sqrt(added)), rho, rho


def _sharper_process(length: float, labels: float, noise: float, added: float, n: int) -> tuple[float, float, float]:
    small = length**2 * labels * n / (noise**2 + n * length**2)
    few = n * length**2 <= noise**2
    shift = small if few else length * labels * math.sqrt(n) / (2 * noise)
    rho = math.log((added + length**2) / (added + length**2 * noise**2 / (length**2 + noise**2)))
    return shift / math.sqrt(added), rho, rho


def _worst_ratio(bounds: tuple[float, ...], pair: tuple, added: float) -> float:
    """1 - (found/bound), the least over both orders and the three numbers."""
    found = [loewner_sensitivity(pair[0], pair[1], added), loewner_sensitivity(pair[1], pair[0], added)]
    return min(1 - value / bound if bound else -value for values in found for value, bound in zip(values, bounds))


def _logistic_margin(bounds: Callable[..., tuple], smaller: bool = False) -> Callable[..., float]:
    def margin(length, penalty, added, n, d, **columns):
        d, n, length = int(d), int(n), float(length)
        entries = stacked("entry", {name: [value] for name, value in columns.items()})[0][: n * d].reshape(n, d)
        rows = entries * (
            length
            / np.maximum(np.linalg.norm(entries, axis=1, keepdims=True), 1e-300)
            * np.abs(entries).max(axis=1, keepdims=True)
        )
        labels = np.array([1 if columns[f"label_{i + 1}"] > 0 else -1 for i in range(n)])
        pair = tuple(logistic_surrogate(rows[:m], labels[:m], float(penalty)) for m in (n, n - 1))
        return _worst_ratio(bounds(length, float(penalty), float(added), n, d), pair, float(added))

    return margin


def _process_margin(bounds: Callable[..., tuple]) -> Callable[..., float]:
    def margin(length, labels, noise, added, n, **columns):
        n, length = int(n), float(length)
        entries = stacked("entry", {name: [value] for name, value in columns.items()})[0].reshape(_RECORDS + 1, 2)
        points = length * entries / np.maximum(np.linalg.norm(entries, axis=1, keepdims=True), 1)
        gram = points @ points.T
        y = float(labels) * np.array([float(columns[f"label_{i + 1}"]) for i in range(n)])
        pair = tuple(
            gaussian_process(gram[1 : m + 1, 1 : m + 1], gram[0, 1 : m + 1], gram[0, 0], y[:m], float(noise) ** 2)
            for m in (n, n - 1)
        )
        return _worst_ratio(bounds(length, float(labels), float(noise), float(added), n), pair, float(added))

    return margin


_LOGISTIC_DOMAIN = Domain(
    (
        continuous("length", "0.5", 10, "log"),
        continuous("penalty", "0.01", 10, "log"),
        continuous("added", "0.001", 10, "log"),
        integer("n", 1, _RECORDS),
        integer("d", 1, 2),
        *vector("entry", 2 * _RECORDS, -1, 1),
        *(choice(f"label_{i + 1}", (1, -1)) for i in range(_RECORDS)),
    )
)
_PROCESS_DOMAIN = Domain(
    (
        continuous("length", "0.5", 30, "log"),
        continuous("labels", "0.1", 10, "log"),
        continuous("noise", "0.1", 10, "log"),
        continuous("added", "0.001", 100, "log"),
        integer("n", 1, _RECORDS),
        *vector("entry", 2 * _RECORDS + 2, -1, 1),
        *vector("label", _RECORDS, -1, 1),
    )
)


def _scaled(bounds: Callable[..., tuple], index: int, factor: float) -> Callable[..., tuple]:
    """The bounds with one of the three made smaller."""
    return lambda *point: tuple(value * (factor if k == index else 1) for k, value in enumerate(bounds(*point)))


_LONE = {f"entry_{i + 1}": 1 - i % 2 for i in range(2 * _RECORDS)} | {f"label_{i + 1}": 1 for i in range(_RECORDS)}
_LONE_LOGISTIC = _LONE | {"length": "0.5", "penalty": 10, "added": "0.001", "n": 1, "d": 1}
_LONE_PROCESS = _LONE | {"entry_9": 0, "entry_10": 0, "length": 1, "labels": 1, "noise": 1, "added": 100, "n": 1}


def _attacked(
    name: str, margin: Callable, domain: Domain, bounds: Callable[..., tuple], factors: tuple[float, float]
) -> Check:
    """The search starts from no record against one, where the sharper bounds are attained."""
    faults = {"Delta": (0, factors[0]), "rho_inf": (1, factors[1])}
    return attack_check(
        name,
        margin(bounds),
        domain,
        mutants={
            f"{label} times {factor}": margin(_scaled(bounds, k, factor)) for label, (k, factor) in faults.items()
        },
        quick=500,
        full=20_000,
        tolerance=_ROUNDING,
        vectorised=False,
        starts=(_LONE_LOGISTIC if domain is _LOGISTIC_DOMAIN else _LONE_PROCESS,),
    )


def _scalar_logistic(point, record_count: int) -> Enclosure:
    """log of the inflated variances' ratio for no record against one of norm l (d = 1), less the printed rho_inf."""
    length, penalty, added = point["length"], point["penalty"], point["added"]
    found = (added + 1 / penalty) / (added + 1 / (penalty + length**2 / 4))
    printed = (added + 1 / penalty) / (added + 1 / (penalty + record_count * length**2 / 4))
    with working_bits(100):
        return enclosure(ball(found).log() - ball(printed).log())


def _scalar_process(point, record_count: int) -> Enclosure:
    """|mu' - mu| for no record against one at the query point with k = l^2, y = B, less l B sqrt(n)/s."""
    length, labels, noise = point["length"], point["labels"], point["noise"]
    with working_bits(100):
        found = ball(length**2 * labels / (length**2 + noise**2))
        return enclosure(found - ball(length * labels / noise) * arb(record_count).sqrt())


def _exact_shift(size: int, length: Fraction, noise: Fraction) -> Fraction:
    """Rank-one features s/sqrt(size) (labels 1) and a new record at the query, feature l, label -1: the
    shift, exactly.
    """
    root = math.isqrt(size)
    feature = noise / root
    # (f f^T + s^2 I)^{-1} on the span of the equal features: K has the eigenvalue size * feature^2.
    spectral = size * feature**2 + noise**2
    mean = length * feature * size / spectral
    spread = length**2 - length**2 * feature**2 * size / spectral
    return abs(spread * (-1 - mean) / (spread + noise**2))


def _sharpness(bound: Callable[[float, float, int], float], share: float) -> Callable[[str], Evidence]:
    """The exact shift of a constructed database against the bound: at most 1, and at least `share`, of it."""

    def run(effort: str) -> Evidence:
        lowest = 1.0
        for size in (100, 2500, 40_000)[: count(effort, 2, 3)]:
            shift = float(_exact_shift(size, Fraction(100), Fraction(1)))
            ratio = shift / bound(100.0, 1.0, size + 1)
            if not share <= ratio <= 1:
                return Evidence(
                    Outcome.FAILED, "exact rational", f"shift over bound {ratio:.4f} with {size + 1} records", count=3
                )
            lowest = min(lowest, ratio)
        return Evidence(
            Outcome.HELD,
            "exact rational",
            f"shift over bound at least {lowest:.4f}: grows with sqrt(n)",
            15,
            3,
            "databases",
        )

    return run


def _attained(process: bool, factor: Fraction) -> Callable[[str], Evidence]:
    """The sharper rho_inf against the exact covariances of no record and one."""

    def run(effort: str) -> Evidence:
        rng = np.random.default_rng(41)
        total = count(effort, 20, 200)
        for _ in range(total):
            length, scale, added = (Fraction(int(k), 8) for k in rng.integers(1, 80, 3))
            if process:
                found = (added + length**2) / (added + length**2 - length**4 / (length**2 + scale**2))
                stated = (added + length**2) / (added + length**2 * scale**2 / (length**2 + scale**2))
            else:
                found = (added + 1 / scale) / (added + 1 / (scale + length**2 / 4))
                weight = length**2 / ((4 * scale + length**2) * (1 + scale * added))
                stated = 1 / (1 - weight)
            if found != stated * factor:
                return Evidence(Outcome.FAILED, "exact rational", f"ratio {found} at l = {length}", count=total)
        return Evidence(Outcome.HELD, "exact rational", "attained by no record against one", 60, total)

    return run


def _attained_check(process: bool) -> Check:
    fault = {"one part in a million": _attained(process, Fraction(1_000_001, 1_000_000))}
    return Check("attained exactly by no record against one", Kind.CROSSCHECK, _attained(process, Fraction(1)), fault)


def _number(name: str, derive: Callable, value: Callable[..., float]) -> Check:
    """The derived bound as a number against the function that the attacks use."""

    def points(effort: str) -> list[tuple[float, ...]]:
        rng = np.random.default_rng(42)
        size = len(derive().symbols)
        return [tuple(float(x) for x in rng.integers(1, 40, size) / 4) for _ in range(count(effort, 6, 40))]

    return formula_check(name, derive, value, points, digits=12)


def _optimum(penalty_factor: float) -> Callable[[str], Evidence]:
    """At the computed mean the gradient vanishes, and no nearby point is better; the covariance is exact to
    rounding.
    """

    def run(effort: str) -> Evidence:
        rng = np.random.default_rng(43)
        total = count(effort, 20, 200)
        for _ in range(total):
            n, d = int(rng.integers(0, 6)), int(rng.integers(1, 4))
            x, y, penalty = rng.standard_normal((n, d)) * 3, rng.choice([-1.0, 1.0], n), float(rng.uniform(0.05, 5))
            mean, cov = logistic_surrogate(x, y, penalty * penalty_factor)
            value = lambda theta: np.logaddexp(0, -(x * y[:, None]) @ theta).sum() + penalty * theta @ theta / 2  # noqa: E731
            nearby = min(value(mean + 1e-3 * step) for step in rng.standard_normal((20, d)))
            residual = np.abs(cov @ (penalty * np.eye(d) + x.T @ x / 4) - np.eye(d)).max()
            if nearby < value(mean) or residual > 1e-9 or np.linalg.eigvalsh(cov)[0] <= 0:
                return Evidence(
                    Outcome.FAILED,
                    "fast",
                    f"not the minimiser, or not its covariance (residual {residual:.1g})",
                    count=total,
                )
        return Evidence(Outcome.HELD, "fast", "a minimiser with a positive definite covariance", 9, total, "databases")

    return run


def _conditioning(noise_factor: float) -> Callable[[str], Evidence]:
    """The prediction against the joint law: precision-matrix route, float64."""

    def run(effort: str) -> Evidence:
        rng = np.random.default_rng(44)
        total = count(effort, 20, 200)
        for _ in range(total):
            n = int(rng.integers(1, 6))
            points = rng.standard_normal((n + 1, 3))
            gram = points @ points.T + 0.01 * np.eye(n + 1)
            y, noise_variance = rng.uniform(-1, 1, n), float(rng.uniform(0.1, 2))
            joint = gram + np.diag([0.0] + [noise_variance] * n)
            precision = np.linalg.inv(joint)
            mean, variance = gaussian_process(gram[1:, 1:], gram[0, 1:], gram[0, 0], y, noise_variance * noise_factor)
            gap = max(abs(mean + precision[0, 1:] @ y / precision[0, 0]), abs(variance - 1 / precision[0, 0]))
            if gap > 1e-9 or variance <= 0:
                return Evidence(Outcome.FAILED, "two routes", f"routes differ by {gap:.1g}", count=total)
        return Evidence(
            Outcome.HELD,
            "two routes",
            "conditioning the joint law gives the same mean and variance",
            9,
            total,
            "databases",
        )

    return run


_LOGISTIC = ("|x| <= l", "lambda > 0", "v >= 0", "y is -1 or 1")
_PROCESS = ("k(x, x) <= l^2", "|y| <= B", "s > 0", "v > 0")
_PUBLIC = (
    "n must be a public upper bound: under add/remove the size is private, and a v computed from it is not the same on"
    " both sides. "
)
_EMPTY = {"length": Fraction(2), "penalty": Fraction(1), "added": Fraction(1)}
_EMPTY_PROCESS = {"length": Fraction(1), "labels": Fraction(1), "noise": Fraction(1)}
_SHIFT = proof("shift of the mean and spread of the covariance", sensitivity.logistic_shift)
_RANK_ONE = proof("one eigenvalue", sensitivity.logistic_rank_one)
_PREDICTED = proof("shift of the prediction and fall of its variance", prediction_bounds.of_any_size)

CLAIMS = (
    Claim(
        id="N26-D7",
        source="N26",
        title="the logistic-regression surrogate is a Gaussian-output algorithm",
        statement=(
            "The objective has one minimiser, and (lambda I + X^T X/4)^{-1} is positive definite, for every database."
        ),
        formula="mu = argmin sum log(1 + exp(-y x^T theta)) + (lambda/2)|theta|^2, S = (lambda I + X^T X/4)^{-1}",
        hypotheses=("lambda > 0", "any number of records, none included"),
        declared=Verdict.PROVED,
        checks=(
            _SHIFT,
            Check(
                "minimiser and covariance computed", Kind.CROSSCHECK, _optimum(1.0), {"other penalty": _optimum(1.5)}
            ),
        ),
        note=(
            "A definition: strong convexity gives the minimiser, and S^{-1} >= lambda I. S bounds the inverse Hessian"
            " from below."
        ),
    ),
    stated_claim(
        id="N26-Pr7",
        source="N26",
        title="sensitivity of the logistic-regression surrogate",
        stated=SURROGATE,
        about=(
            "With n = rows(X) + 1 at least the size of both databases: Delta = (l/lambda)/sqrt(v + 1/(lambda + n"
            " l^2/4)), rho_inf = log(k) and nu = d rho_inf are at most these printed values, for X, of records of norm"
            " at most l with labels -1 or 1, and u one more; the inflated covariances S and T are ordered."
        ),
        search={"starts": (FIRST,)},
        declared=Verdict.PROVED,
        checks=(
            _SHIFT,
            proof("covariances in order", surrogate_order.with_more_records),
            _attacked(
                "search over neighbouring databases", _logistic_margin, _LOGISTIC_DOMAIN, _logistic_bounds, (0.3, 0.8)
            ),
            _number("derived Delta", sensitivity.logistic_shift, lambda l, p, v, n: _logistic_bounds(l, p, v, n, 1)[0]),
        ),
        note=_PUBLIC + "Free of n: Delta <= l/(lambda sqrt v); for rho_inf and nu see N26-Pr7-improved.",
    ),
    stated_claim(
        id="N26-Pr7-smaller-n",
        tags=("reading",),
        source="N26",
        title="the same with n the size of the smaller database",
        stated=OF_ONE_FEATURE,
        stands=under(OF_ONE_FEATURE, "n >= 1"),
        fails_at=({"lam": 1, "v": 1, "l": 2, "x": 0, "y": 2, "n": 0},),
        parts=("with a record", "n = 0"),
        corrected="With n the size of the larger database; for rho_inf any n >= 1 will do.",
        about=(
            "The printed rho_inf with n the number of records of the smaller one of two neighbours, here of one"
            " feature: x is the sum of its squares, y the record more, and n = 0 is no record against one."
        ),
        declared=Verdict.RESTRICTED,
        checks=(proof("the printed factor", sensitivity.ratio_of_one_feature, part="with a record"),),
        note="The neighbour of a database of n records may have n + 1.",
    ),
    stated_claim(
        id="N26-Pr7-improved",
        source="N26",
        title="one record moves one eigenvalue of the surrogate: rho_inf and nu without n and d",
        stated=ONE_EIGENVALUE,
        about=(
            "rho_inf = nu = log(k), the printed rho_inf at n = 1, for databases X of any size in any dimension and a"
            " record u more; attained by no record against one."
        ),
        search={"starts": (FIRST,)},
        declared=Verdict.PROVED,
        checks=(
            _RANK_ONE,
            proof("covariances in order, and determinants", surrogate_order.one_eigenvalue),
            _attained_check(False),
            _attacked(
                "search over neighbouring databases", _logistic_margin, _LOGISTIC_DOMAIN, _sharper_logistic, (0.3, 0.98)
            ),
            _number(
                "derived rho_inf", sensitivity.logistic_rank_one, lambda l, p, v: _sharper_logistic(l, p, v, 1, 1)[1]
            ),
        ),
        note="At n = 1000, d = 20, l = lambda = v = 1 the printed pair is (0.689, 13.8); this one is 0.105 for both.",
    ),
    Claim(
        id="N26-D8",
        source="N26",
        title="a Gaussian-process prediction at a public point is a Gaussian-output algorithm",
        statement=(
            "The prediction is the conditional law of the latent value: mean and variance as printed, the variance"
            " positive."
        ),
        formula="mu = k^T (K + s^2 I)^{-1} y, S = k** - k^T (K + s^2 I)^{-1} k",
        hypotheses=("positive definite kernel", "s > 0", "k** > 0"),
        declared=Verdict.PROVED,
        checks=(
            proof("update of the prediction", prediction_joint.update),
            Check(
                "conditioning the joint law", Kind.CROSSCHECK, _conditioning(1.0), {"other noise": _conditioning(1.2)}
            ),
        ),
        note="A definition: each record multiplies the variance by at least s^2/(l^2 + s^2) > 0.",
    ),
    stated_claim(
        id="N26-Pr8",
        source="N26",
        title="sensitivity of a Gaussian-process prediction",
        stated=PREDICTION,
        about=(
            "With n = rows(X) + 1 the size of the larger database: Delta, rho_inf and nu are at most the printed"
            " values. The rows of X are the features of records, so that k(x, z) = x^T z; g is the query's."
        ),
        search={"starts": (OPPOSED,)},
        declared=Verdict.PROVED,
        checks=(
            _PREDICTED,
            _attacked(
                "search over neighbouring databases", _process_margin, _PROCESS_DOMAIN, _process_bounds, (0.3, 0.7)
            ),
        ),
        note=_PUBLIC + "No bound free of n exists: the databases of N26-Pr8-improved move the prediction by more than "
        "l^2/(l^2 + 2 s^2) l B sqrt(n - 1)/(2 s).",
    ),
    Claim(
        id="N26-Pr8-smaller-n",
        tags=("reading",),
        source="N26",
        title="the same with n the size of the smaller database",
        statement="The printed Delta holds with n the number of records of either database of a neighbouring pair.",
        formula="|mu' - mu| <= l B sqrt(n)/s",
        hypotheses=_PROCESS,
        declared=Verdict.RESTRICTED,
        checks=(
            proof("half of it, and n at most 4 (n - 1)", sensitivity.prediction_shift),
            counterexample_check(
                "no record against one",
                lambda point: _scalar_process(point, 0),
                _EMPTY_PROCESS,
                {"n = 1, the larger size": lambda point: _scalar_process(point, 1)},
                part="n = 0",
            ),
        ),
        counterexample=(
            "k** = l^2 = 1, s = 1, no record (prediction 0) against one at the query point with y = B = 1 (prediction"
            " 1/2): the shift is 1/2, the printed bound at n = 0 is 0."
        ),
        corrected="With n the size of the larger database; with the smaller one unless it is empty.",
        note="The neighbour of a database of n records may have n + 1.",
    ),
    stated_claim(
        id="N26-Pr8-improved",
        source="N26",
        title=(
            "a Gaussian-process prediction moves by at most half the printed bound, and its variance by a bounded"
            " factor"
        ),
        stated=HALVED,
        about=(
            "Delta is at most half the printed value, and less for n l^2 < s^2; rho_inf = nu stays bounded as v -> 0"
            " and is attained; for n - 1 >= s^2/l^2 some databases move the mean by more than l^2/(l^2 + 2 s^2)"
            " sqrt((n-1)/n) of its bound, so that it is approached as n and l/s grow. n = rows(X) + 1; the rows of X"
            " are the features of records, k(x, z) = x^T z."
        ),
        search={"starts": (OPPOSED,)},
        declared=Verdict.PROVED,
        checks=(
            _PREDICTED,
            proof("among few records", prediction_few_records.shift),
            _attained_check(True),
            Check(
                "approached by constructed databases",
                Kind.CROSSCHECK,
                _sharpness(lambda l, s, n: l * math.sqrt(n) / (2 * s), 0.99),
                {
                    "bound without the root of n": _sharpness(lambda l, s, n: l / (2 * s), 0.99),
                    "printed bound called sharp": _sharpness(lambda l, s, n: l * math.sqrt(n) / s, 0.99),
                },
            ),
            _attacked(
                "search over neighbouring databases", _process_margin, _PROCESS_DOMAIN, _sharper_process, (0.7, 0.95)
            ),
            _number(
                "derived Delta",
                sensitivity.prediction_shift,
                lambda l, b, s, v, n: _process_bounds(l, b, s, v, n)[0] / 2,
            ),
            _number(
                "derived ratio of variances",
                prediction_bounds.of_any_size,
                lambda l, s, v: math.exp(_sharper_process(l, 1.0, s, v, 1)[1]),
            ),
        ),
        note=(
            "The printed bound is twice the largest size of a prediction; the update formula gives half of it. At l = s"
            " = 1, v = 0.01 the printed rho_inf is 4.62, this one 0.683."
        ),
    ),
)
