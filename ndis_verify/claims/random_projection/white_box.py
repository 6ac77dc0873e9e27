"""Checks of the random-projection mechanisms by their own output laws: worst over every single-record change of a
database.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import numpy as np
from scipy.special import gammaln

from ndis_verify.claim import Check, Evidence, Kind, Outcome
from ndis_verify.claims.random_projection.mechanism_checks import deletion, insertion
from ndis_verify.datasets import NAMES, load_dataset
from ndis_verify.fast.leverage import leverage_scores
from ndis_verify.fast.random_projection import rp_hockey_stick
from ndis_verify.mechanisms.projection_wrappers import (
    ProposeTestRelease,
    least_eigenvalue,
    planned_split,
    propose_test_release,
    subsampled_random_projection,
)
from ndis_verify.mechanisms.random_projection import Ridge, random_projection, ridged_law
from ndis_verify.mechanisms.relative_projection import Neighbourhood, neighbourhood, relative_random_projection
from ndis_verify.mechanisms.white_box import law_delta

TOLERANCE = 1e-8  # relative, on delta: covariances in float64
_TARGETS = ((1, 1.0, 1e-2), (10, 1.0, 1e-6), (2, 0.5, 1e-6), (10, 5.0, 1e-12), (100, 0.1, 1e-5))  # quick: the first two
_ROUTE = "exact divergence of the output laws"


def adversarial() -> dict[str, np.ndarray]:
    """Databases within the unit ball on which a leverage is extreme or not defined."""
    rng = np.random.default_rng(51)
    sphere = rng.standard_normal((12, 3))
    sphere /= np.linalg.norm(sphere, axis=1)[:, None] * (1 + 1e-15)
    return {
        "one record": np.array([[1.0, 0.0]]),
        "rank-deficient, duplicates": np.array([[0.6, 0.8, 0.0]] * 3),
        "a record orthogonal to the rest": np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.0], [0.0, 1.0]]),
        "one dominating record": np.array([[1.0, 0.0], [1e-6, 1e-6], [-1e-6, 1e-6]]),
        "n = d": np.eye(3),
        "n < d": np.eye(4)[:2],
        "zero rows": np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 1.0]]),
        "norms at the bound": sphere,
    }


@cache
def real() -> tuple[tuple[np.ndarray, float], ...]:
    """The bundled data sets, every column over its largest size, and their largest norms: the public bounds of the
    checks.

    None where scikit-learn is absent; the number of changes that a check reports then says so.
    """
    try:
        found = [load_dataset(name).records for name in NAMES]
    except ModuleNotFoundError:
        return ()
    scaled = [records / np.abs(records).max(axis=0) for records in found]
    return tuple((records, float(np.linalg.norm(records, axis=1).max())) for records in scaled)


def changed_rows(data: np.ndarray, effort: str, scale: float = 1.0) -> np.ndarray:
    """The rows whose change is followed through the covariances: the 30 of largest leverage and 10 more ("full"), or
    two and one, which a planted fault, scale != 1, breaks too.
    """
    most, others = (30, 10) if effort == "full" and scale == 1 else (2, 1)
    basis = np.linalg.svd(data, full_matrices=False)[0]
    spread = np.linspace(0, len(data) - 1, others).astype(int)
    return np.unique(np.concatenate([np.argsort((basis**2).sum(axis=1))[-most:], spread]))


def worst_change(data: np.ndarray, rows: np.ndarray, ridge: float, r: int, epsilon: float) -> float:
    """The largest divergence of the output laws over deletion and insertion: of `rows` from the covariances, of every
    row from its leverage beside the ridge.
    """
    whole, worst = ridged_law(data, ridge, r), 0.0
    for row in rows:
        less = ridged_law(np.delete(data, row, axis=0), ridge, r)
        worst = max(worst, law_delta(whole, less, epsilon), law_delta(less, whole, epsilon))
    every = leverage_scores(np.vstack([data, math.sqrt(ridge) * np.eye(data.shape[1])]))[: len(data)]
    every = np.minimum(every, 1 - 2.0**-53)
    return max(worst, *(float(rp_hockey_stick(every, r, epsilon, way).max()) for way in ("delete", "insert")))


def _ridged(ridge: Ridge, scale: float = 1.0) -> Callable[[str], Evidence]:
    """`scale` times the calibrated ridge of that name, against its certificate."""

    def found(effort: str) -> Iterator[tuple[float, int]]:
        targets = _TARGETS if effort == "full" else _TARGETS[:2]
        cases = [(data, np.arange(len(data)), 1.0, target) for data in adversarial().values() for target in targets]
        cases += [(data, changed_rows(data, effort, scale), bound, (10, 1.0, 1e-5)) for data, bound in real()]
        for data, rows, bound, (r, epsilon, delta) in cases:
            mechanism = random_projection(r, epsilon=epsilon, delta=delta, norm_bound=bound, ridge=ridge)
            worst = worst_change(data, rows, scale * mechanism.ridge, r, epsilon)
            yield worst / mechanism.calibration.certificate.delta, 2 * len(data)

    return lambda effort: _judged(found(effort), attained=True)


def _judged(found: Iterable[tuple[float, int]], attained: bool, tolerance: float = TOLERANCE) -> Evidence:
    """`found`: worst delta over the certificate and the number of changes, case by case, to the first above 1.
    `attained`: the certificate is known to be sharp, so 1 must be reached.
    """
    most, changes, cases, within = 0.0, 0, 0, True
    for ratio, more in found:
        most, changes, cases, within = max(most, ratio), changes + more, cases + 1, ratio <= 1 + tolerance
        if not within:
            break
    held = within and (not attained or most >= 1 - max(tolerance, 1e-6))
    detail = f"largest delta over the certificate {most:.9f}, in {cases} cases"
    return Evidence(Outcome.HELD if held else Outcome.FAILED, _ROUTE, detail, 8, changes, "changes")


def _synthetic() -> tuple[np.ndarray, float]:
    data = np.random.default_rng(52).standard_normal((30, 3))
    return data, float(np.linalg.norm(data, axis=1).max())


def _relative(scale: float = 1.0, printed: bool = False) -> Callable[[str], Evidence]:
    """Each data set and its neighbours as the set, targets with and without need of a ridge."""

    def run(effort: str) -> Evidence:
        found, noisy = [], 0
        for data, bound in (*real(), _synthetic()):
            databases, rows = neighbourhood(data, bound), changed_rows(data, effort, scale)
            for r, epsilon, delta in ((10, 1.0, 1e-5), (10, 20.0, 0.1)):
                mechanism = relative_random_projection(
                    databases, r, epsilon=epsilon, delta=delta, ridge="N24-Fig12" if printed else "smallest"
                )
                noisy += mechanism.ridge > 0
                worst = worst_change(data, rows, scale * mechanism.ridge, r, epsilon)
                found.append((worst / mechanism.calibration.certificate.delta, 2 * len(data)))
        if not 0 < noisy < len(found):
            return Evidence(Outcome.FAILED, _ROUTE, "one of the two branches was not taken", count=len(found))
        return _judged(found, attained=not printed, tolerance=1e-6)

    return run


def _addition(databases: Neighbourhood, ridge: float, r: int, epsilon: float) -> float:
    """The largest divergence over the additions that a set names."""
    whole, worst = ridged_law(databases.base, ridge, r), 0.0
    assert databases.additions is not None  # they are named
    for record in databases.additions:
        more = ridged_law(np.vstack([databases.base, record]), ridge, r)
        worst = max(worst, law_delta(whole, more, epsilon), law_delta(more, whole, epsilon))
    return worst


def _additions(scale: float) -> Callable[[str], Evidence]:
    """Additions outside the database: the worst comes in, and is not a record of D."""

    def found(effort: str) -> Iterator[tuple[float, int]]:
        rng = np.random.default_rng(53)
        for n, d in ((6, 2), (12, 3), (40, 5))[: 3 if effort == "full" else 2]:
            base = rng.standard_normal((n, d)) / (4 * d)
            others = np.vstack([np.eye(d), base[:2]])
            databases = neighbourhood(base, 4.0, others)
            for r, epsilon, delta in ((1, 1.0, 1e-3), (10, 1.0, 1e-6)):
                mechanism = relative_random_projection(databases, r, epsilon=epsilon, delta=delta)
                ridge = scale * mechanism.ridge
                worst = max(
                    worst_change(base, np.arange(n), ridge, r, epsilon), _addition(databases, ridge, r, epsilon)
                )
                yield worst / mechanism.calibration.certificate.delta, 2 * (n + len(others))

    return lambda effort: _judged(found(effort), attained=True, tolerance=1e-6)


_STRINGS = [
    np.array(values) for values in ([1.0], [1.0, 1.0], [1.0, 0.3, 0.8], [1.0, 1e-3, 1e-3, 0.0], [0.5, 0.5, 0.5, 0.5])
]


def _mixture(records: np.ndarray, rate: float, ridge: float, r: int, log_t: np.ndarray) -> np.ndarray:
    """Density of t = |x|^2 on the grid, times t, for one feature and r columns: a gamma law for each of the 2^n
    samples.
    """
    total = np.zeros(log_t.shape)
    for code in range(2 ** len(records)):
        kept = np.array([code >> k & 1 for k in range(len(records))], dtype=bool)
        variance = float((records[kept] ** 2).sum()) + ridge
        weight = rate ** kept.sum() * (1 - rate) ** (~kept).sum()
        scaled = np.exp(log_t) / (2 * variance)
        total += weight * np.exp(r / 2 * np.log(scaled) - scaled - gammaln(r / 2))
    return total


def _sampled(scale: float) -> Callable[[str], Evidence]:
    """The mixture over every sample, one feature, by quadrature; `scale` times the calibrated ridge."""

    def found(effort: str) -> Iterator[tuple[float, int]]:
        log_t = np.linspace(-30.0, 12.0, 40_001)
        for rate, r, epsilon, delta in (
            (0.3, 1, 1.0, 1e-2),
            (0.05, 3, 0.5, 1e-4),
            (1.0, 2, 1.0, 1e-3),
            (0.01, 1, 0.2, 0.02),
        ):
            mechanism = subsampled_random_projection(rate, r, epsilon=epsilon, delta=delta, norm_bound=1.0)
            ridge = scale * mechanism.ridge or 1e-9  # any ridge will do where none is needed, and a density exists
            for records in _STRINGS:
                whole = _mixture(records, rate, ridge, r, log_t)
                for row in range(len(records)):
                    less = _mixture(np.delete(records, row), rate, ridge, r, log_t)
                    worst = max(
                        float(np.trapezoid(np.maximum(a - math.exp(epsilon) * b, 0), log_t))
                        for a, b in ((whole, less), (less, whole))
                    )
                    yield worst / mechanism.calibration.certificate.delta, 2

    return lambda effort: _judged(found(effort), attained=True, tolerance=1e-4)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)
RidgeRule = Callable[[ProposeTestRelease, np.ndarray], np.ndarray]


def _joint(mechanism: ProposeTestRelease, data: np.ndarray, row: int, rule: RidgeRule) -> float:
    """The larger divergence of (reading, matrix) on `data` and on it less `row`: the matrix's divergence at what the
    reading's loss leaves of epsilon, averaged over the reading."""
    less = np.delete(data, row, axis=0)
    public, epsilon, std = (
        mechanism.calibration.public,
        mechanism.calibration.target.epsilon,
        mechanism.calibration.public["std"],
    )
    values, vectors = np.linalg.eigh(data.T @ data)
    squares = (data[row] @ vectors) ** 2
    z, weight = 9 * _NODES, 9 * _WEIGHTS * np.exp(-((9 * _NODES) ** 2) / 2) / math.sqrt(2 * math.pi)
    worst = 0.0
    for here, there, curve in ((data, less, deletion), (less, data, insertion)):
        start, other = least_eigenvalue(here), least_eigenvalue(there)
        reading = start + std * z
        loss = ((reading - other) ** 2 - (reading - start) ** 2) / (2 * std**2)
        ridge = rule(mechanism, reading)
        leverage = (squares / np.maximum(np.maximum(values, 0.0) + ridge[:, None], 1e-300)).sum(axis=1)
        left = np.clip(epsilon - loss, -700, 700)
        with np.errstate(over="ignore"):
            inner = curve(left, 1 / np.clip(1 - leverage, 1e-15, 1 - 1e-12), public["r"])
        worst = max(worst, float((weight * np.where(leverage > 1e-12, inner, np.maximum(-np.expm1(left), 0))).sum()))
    return worst


def _tested(rule: RidgeRule) -> Callable[[str], Evidence]:
    """Databases with least eigenvalue 0, about where the ridge starts to fall, and where none is left; and real
    records.
    """

    def found(effort: str) -> Iterator[tuple[float, int]]:
        for r, epsilon, delta in ((1, 1.0, 1e-2), (10, 1.0, 1e-5), (5, 3.0, 1e-4))[: 3 if effort == "full" else 2]:
            split = planned_split(r, epsilon=epsilon, delta=delta, norm_bound=1.0)
            for ridge in ("smallest", "N26-Fig4"):
                mechanism = propose_test_release(
                    r,
                    epsilon=epsilon,
                    delta=delta,
                    norm_bound=1.0,
                    std=split.std,
                    delta_test=split.delta_test,
                    delta_failure=split.delta_failure,
                    ridge=ridge,
                )
                copies = sorted({2, int(split.zero_ridge / 2), int(split.zero_ridge), int(2 * split.zero_ridge)})
                cases = [(np.repeat(np.eye(2), n, axis=0), range(1)) for n in copies]
                cases += [(data, range(len(data))) for data in adversarial().values()]
                for data, rows in cases:
                    for row in rows:
                        yield _joint(mechanism, data, row, rule) / mechanism.calibration.certificate.delta, 2
        for data, bound in real():
            split = planned_split(10, epsilon=1.0, delta=1e-5, norm_bound=bound)
            mechanism = propose_test_release(
                10,
                epsilon=1.0,
                delta=1e-5,
                norm_bound=bound,
                std=split.std,
                delta_test=split.delta_test,
                delta_failure=split.delta_failure,
            )
            changed = np.arange(len(data)) if effort == "full" else changed_rows(data, effort)
            for row in changed.tolist():
                yield _joint(mechanism, data, row, rule) / mechanism.calibration.certificate.delta, 2

    return lambda effort: _judged(found(effort), attained=False, tolerance=1e-3)


def _calibrated_ridge(mechanism: ProposeTestRelease, reading: np.ndarray) -> np.ndarray:
    return mechanism.ridge_at(reading)


def _quantile_not_taken_off(mechanism: ProposeTestRelease, reading: np.ndarray) -> np.ndarray:
    return mechanism.ridge_at(reading + mechanism.calibration.public["std"] * mechanism.calibration.noise["quantile"])


def ridged(ridge: Ridge) -> Check:
    """The mechanism with the ridge of that name on real and on adversarial databases."""
    return Check(
        f"worst single-record change of real and of adversarial databases, {ridge} ridge",
        Kind.CROSSCHECK,
        _ridged(ridge),
        {"1 per cent less noise": _ridged(ridge, 0.99)},
    )


SAMPLED = Check(
    "worst single-record change, the mixture over every sample",
    Kind.CROSSCHECK,
    _sampled(1.0),
    {"1 per cent less noise": _sampled(0.99)},
)
TESTED = Check(
    "worst single-record change, reading and matrix together",
    Kind.CROSSCHECK,
    _tested(_calibrated_ridge),
    {
        "quantile not taken off": _tested(_quantile_not_taken_off),
        "no ridge at all": _tested(lambda mechanism, reading: 0 * reading),
    },
)
RELATIVE = Check(
    "worst single-record change of real databases",
    Kind.CROSSCHECK,
    _relative(),
    {"1 per cent less noise": _relative(0.99)},
)
RELATIVE_PRINTED = Check(
    "worst single-record change of real databases, the printed ridge",
    Kind.CROSSCHECK,
    _relative(printed=True),
    {"a tenth of the ridge": _relative(0.1, printed=True)},
)
ADDITIONS = Check(
    "worst addition from outside the database",
    Kind.CROSSCHECK,
    _additions(1.0),
    {"1 per cent less noise": _additions(0.99)},
)
