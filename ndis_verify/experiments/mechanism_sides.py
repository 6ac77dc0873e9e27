"""Every mechanism with its printed noise and ours on one data set: what each costs, by certified values, and what each
is good for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import mpmath
import numpy as np

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.experiments.private_regression import normal_draw, sketch_draw
from ndis_verify.experiments.projection_utility import records_of, shortened
from ndis_verify.experiments.records import table_of
from ndis_verify.experiments.table import Table
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick
from ndis_verify.fast.least_squares.finite_law import als_exact_hockey_stick
from ndis_verify.fast.least_squares.worst_case import als_worst_case
from ndis_verify.fast.least_squares.worst_record import als_exact_worst_case
from ndis_verify.mechanisms.gaussian import gaussian_mechanism
from ndis_verify.mechanisms.gaussian_process import gaussian_process, squared_exponential
from ndis_verify.mechanisms.least_squares import Law, least_squares, record_leverages, sketched_least_squares
from ndis_verify.mechanisms.logistic_regression import logistic_envelope, logistic_regression
from ndis_verify.mechanisms.projection_estimates import gram_estimate
from ndis_verify.mechanisms.projection_wrappers import subsampled_random_projection
from ndis_verify.mechanisms.random_projection import ADD_REMOVE, projected, random_linear_combination, random_projection
from ndis_verify.mechanisms.records import clip_norms
from ndis_verify.mechanisms.relative_least_squares import relative_least_squares
from ndis_verify.mechanisms.relative_projection import neighbourhood, relative_random_projection
from ndis_verify.oracle import joint_shift
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.certified.least_squares.asymptotic_law import als_hockey_stick as certified_als_hockey_stick
from ndis_verify.oracle.certified.least_squares.finite_law import (
    als_exact_hockey_stick as certified_als_exact_hockey_stick,
)
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick as certified_gaussian_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick as certified_rp_hockey_stick

R, RATE = 100, 0.5
PENALTY, LENGTH = 3.0, 1.5  # logistic regression, as N26 runs it
LABEL, NOISE, PRIOR = 0.5, 250.0, 1.0  # Gaussian process, as N26 runs it: B, s^2, l
MOST_INPUTS = 1000  # of which a Gaussian process is made: time grows like their cube
DIGITS = 12
LEAST = Fraction(1, 10**9999)  # no delta is told apart below it
Draw = Callable[[np.random.Generator], float]


@dataclass(frozen=True, eq=False)
class Problem:
    """Records and a target (epsilon, delta)."""

    name: str
    epsilon: float
    delta: float
    data: Table | None = None

    def table(self) -> Table:
        return table_of(self.name, self.data)

    def matrix(self) -> tuple[np.ndarray, float]:
        """Columns over their largest size, the target column last; the largest norm of a record, as public bound l."""
        return records_of(self.name, self.data)


@dataclass(frozen=True, eq=False)
class Sides:
    """One mechanism on one problem, with two noise levels.

    noise: a variance; ridges are over l^2. certify(noise): an upper bound of delta there, at the worst case of the
    mechanism's certificate. draws(noise): the measure of one release at that noise, safe or not. unsafe: why the
    printed one cannot release, or "".
    """

    names: tuple[str, str]
    measure: str
    noise: tuple[float, float]
    certify: Callable[[float], Fraction]
    draws: Callable[[float], Draw]
    unsafe: str = ""


def _upper(value: Enclosure) -> Fraction:
    """The upper end; 1e-9999 for what is below 2^-40000: as a fraction it would fill the memory."""
    if mpmath.mag(value.mid) < -40_000 and mpmath.mag(value.rad) < -40_000:
        return LEAST
    return value.upper


def _cap(noise: float) -> Fraction:
    """l^2/(l^2 + ridge), exactly."""
    return 1 / (1 + exact(noise))


# Projections


GRAM = "spectral error of the Gram estimate over the norm of the Gram matrix"


def gram_draws(matrix: np.ndarray, bound: float, r: int, rate: float = 1.0) -> Callable[[float], Draw]:
    matrix = shortened(matrix) if rate == 1 else matrix
    gram = matrix.T @ matrix

    def draws(noise: float) -> Draw:
        ridge = noise * bound**2

        def draw(rng: np.random.Generator) -> float:
            kept = matrix if rate == 1 else matrix[rng.random(len(matrix)) < rate]
            estimate = gram_estimate(projected(kept, ridge, r, rng, math.sqrt(ridge) or bound), ridge) / rate
            return float(np.linalg.norm(estimate - gram, 2) / np.linalg.norm(gram, 2))

        return draw

    return draws


def both(values: Iterable[float]) -> tuple[float, float]:
    """The two noise levels of `Sides`."""
    printed, ours = values
    return printed, ours


def _lone(r: int, epsilon: float | Fraction) -> Callable[[float], Fraction]:
    return lambda noise: _upper(certified_rp_hockey_stick(_cap(noise), r, epsilon, digits=DIGITS))


def projection(problem: Problem) -> Sides:
    matrix, bound = problem.matrix()
    target = {"epsilon": problem.epsilon, "delta": problem.delta, "norm_bound": bound}
    noise = both(random_projection(R, **target, ridge=name).ridge / bound**2 for name in ("N26-Fig1", "smallest"))
    return Sides(("N26-Fig1", "smallest ridge"), GRAM, noise, _lone(R, problem.epsilon), gram_draws(matrix, bound, R))


def combination(problem: Problem) -> Sides:
    matrix, bound = problem.matrix()
    target = {"epsilon": problem.epsilon, "delta": problem.delta, "norm_bound": bound}
    noise = both(random_linear_combination(**target, ridge=name).ridge / bound**2 for name in ("N24-Fig3", "smallest"))
    return Sides(("N24-Fig8", "smallest ridge"), GRAM, noise, _lone(1, problem.epsilon), gram_draws(matrix, bound, 1))


def subsampled(problem: Problem) -> Sides:
    matrix, bound = problem.matrix()
    target = {"epsilon": problem.epsilon, "delta": problem.delta, "norm_bound": bound}
    noise = both(
        subsampled_random_projection(RATE, R, **target, ridge=name).ridge / bound**2
        for name in ("N26-Fig1", "smallest")
    )
    with mpmath.workdps(40):  # rounded down: delta falls in epsilon
        inner = exact(mpmath.log1p(mpmath.expm1(problem.epsilon) / RATE) * (1 - mpmath.mpf(10) ** -35))
    certify = _lone(R, inner)
    return Sides(
        ("N26-Fig3", "smallest ridge"),
        GRAM,
        noise,
        lambda level: exact(RATE) * certify(level),
        gram_draws(matrix, bound, R, RATE),
    )


def relative_projection(problem: Problem) -> Sides:
    matrix, bound = problem.matrix()
    databases = neighbourhood(matrix, bound)
    noise = both(
        relative_random_projection(databases, R, epsilon=problem.epsilon, delta=problem.delta, ridge=ridge).ridge
        / bound**2
        for ridge in ("N24-Fig12", "smallest")
    )

    def certify(level: float) -> Fraction:
        leverage = min(exact(databases.leverage(level * bound**2)), _cap(level))
        if leverage >= 1:
            return Fraction(1)
        return _upper(certified_rp_hockey_stick(leverage, R, problem.epsilon, digits=DIGITS))

    return Sides(("N24-Fig12", "least ridge of the set"), GRAM, noise, certify, gram_draws(matrix, bound, R))


# Least squares


RESIDUAL = "residual over the least one"


def residual_draws(matrix: np.ndarray, bound: float, release: Callable) -> Callable[[float], Draw]:
    matrix = shortened(matrix)  # which keeps the length of every residual
    features, target = matrix[:, :-1], matrix[:, -1]
    least = np.linalg.norm(target - features @ np.linalg.lstsq(features, target, rcond=None)[0])

    def draws(noise: float) -> Draw:
        drawn = release(matrix, noise * bound**2, R)
        return lambda rng: float(np.linalg.norm(target - features @ drawn(rng)) / least)

    return draws


def _worst_record(search: Callable, certified: Callable, d: int, epsilon: float) -> Callable[[float], Fraction]:
    """Certified delta of the worst record of p <= q <= cap, found in float64."""

    def certify(noise: float) -> Fraction:
        cap = 1 / (1 + noise) * (1 + 4e-16)
        worst = search(cap, d, R, epsilon)
        return _upper(certified(float(worst.leverage), cap, d, R, epsilon, str(worst.direction), digits=DIGITS))

    return certify


def _printed_ridge(d: int, problem: Problem, bound: float) -> float:
    return (
        least_squares(d, R, epsilon=problem.epsilon, delta=problem.delta, norm_bound=bound, noise="N24-Fig4").ridge
        / bound**2
    )


def limit_least_squares(problem: Problem, printed_noise: Literal["N24-Fig4", "N24-Fig4 corner"] = "N24-Fig4") -> Sides:
    matrix, bound = problem.matrix()
    d = matrix.shape[1] - 1
    printed = least_squares(d, R, epsilon=problem.epsilon, delta=problem.delta, norm_bound=bound, noise=printed_noise)
    ours = least_squares(d, R, epsilon=problem.epsilon, delta=problem.delta, norm_bound=bound)
    certify = _worst_record(als_worst_case, certified_als_hockey_stick, d, problem.epsilon)
    noise = (printed.ridge / bound**2, ours.ridge / bound**2)
    draws = residual_draws(matrix, bound, normal_draw)
    return Sides((printed_noise, "worst record"), RESIDUAL, noise, certify, draws, printed.calibration.unsafe)


def sketched(problem: Problem) -> Sides:
    matrix, bound = problem.matrix()
    d = matrix.shape[1] - 1
    ours = sketched_least_squares(d, R, epsilon=problem.epsilon, delta=problem.delta, norm_bound=bound).ridge / bound**2
    certify = _worst_record(als_exact_worst_case, certified_als_exact_hockey_stick, d, problem.epsilon)
    noise = (_printed_ridge(d, problem, bound), ours)
    return Sides(("N24-Fig4", "exact law"), RESIDUAL, noise, certify, residual_draws(matrix, bound, sketch_draw))


_LAWS: dict[Law, tuple[Callable, Callable, Callable]] = {
    "normal": (als_hockey_stick, certified_als_hockey_stick, normal_draw),
    "sketch": (als_exact_hockey_stick, certified_als_exact_hockey_stick, sketch_draw),
}


def _printed_test(matrix: np.ndarray, problem: Problem) -> float:
    """delta at the largest leverage with the largest residual share, of whichever records (N24-Fig13); 1 where they
    exceed 1.
    """
    p, q = record_leverages(matrix, 0.0)
    least, most = float(p.max()), float(p.max() + (q - p).max())
    if most >= 1:
        return 1.0
    return max(
        float(als_hockey_stick(least, most, matrix.shape[1] - 1, R, problem.epsilon, direction))
        for direction in ("delete", "insert")
    )


def relative_regression(problem: Problem, law: Law = "normal") -> Sides:
    matrix, bound = problem.matrix()
    databases, d = neighbourhood(matrix, bound), matrix.shape[1] - 1
    ours = relative_least_squares(databases, R, epsilon=problem.epsilon, delta=problem.delta, law=law).ridge / bound**2
    curve, certified, drawn = _LAWS[law]

    def certify(level: float) -> Fraction:
        pairs = [record_leverages(matrix, level * bound**2, others) for others in (None, matrix)]
        p, q = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
        if q.max() >= 1:
            return Fraction(1)
        found = {direction: curve(p, q, d, R, problem.epsilon, direction) for direction in ("delete", "insert")}
        direction = max(found, key=lambda name: found[name].max())
        k = int(found[direction].argmax())
        return _upper(certified(float(p[k]), float(q[k]), d, R, problem.epsilon, direction, digits=DIGITS))

    noise = (0.0 if _printed_test(matrix, problem) <= problem.delta else _printed_ridge(d, problem, bound), ours)
    return Sides(("N24-Fig13", "pairs of the set"), RESIDUAL, noise, certify, residual_draws(matrix, bound, drawn))


# Outputs with a covariance of their own


def _split(table: Table, most: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Standardised columns over sqrt d and the target; four fifths of the records, or of `most` of them, and the rest,
    by one fixed shuffle.
    """
    records, order = table.records, np.random.default_rng(0).permutation(len(table.records))[:most]
    spread = records.std(axis=0)
    scaled = ((records - records.mean(axis=0)) / np.where(spread > 0, spread, 1.0) / math.sqrt(records.shape[1]))[order]
    target, first = np.asarray(table.target)[order], 4 * len(order) // 5
    return scaled[:first], scaled[first:], target[:first], target[first:]


def logistic(problem: Problem, bound: Literal["chernoff", "printed"] = "chernoff") -> Sides:
    """The printed sensitivities with one of two covariance bounds: the literal Chernoff term, or N26-L2 uncorrected."""
    train, test, known, wanted = _split(problem.table())
    middle = float(np.median(known))
    if set(np.unique(known)) == {0.0, 1.0}:
        middle = 0.5
    train, known, wanted = (
        clip_norms(train, LENGTH),
        np.where(known > middle, 1.0, -1.0),
        np.where(wanted > middle, 1.0, -1.0),
    )
    n, d = train.shape
    target: dict[str, Any] = {
        "penalty": PENALTY,
        "norm_bound": LENGTH,
        "epsilon": problem.epsilon,
        "delta": problem.delta,
    }
    printed = logistic_regression(d, **target, sensitivity="printed", bound=bound, records=n)
    ours = logistic_regression(d, **target)
    mean, cov = map(np.asarray, ours.output(np.column_stack([train, known])))
    envelope, penalty, square = logistic_envelope(PENALTY, LENGTH), exact(PENALTY), exact(LENGTH) ** 2
    kept = 1 / (penalty + square / 4)
    exactly = joint_shift.RankOne(kept, square / 4 * kept / penalty, exact(LENGTH) / penalty)

    def certify(level: float) -> Fraction:
        share = math.sqrt(envelope.largest(level, problem.epsilon).point[0])
        pair = exactly.pair(exact(level), (exact(math.sqrt((1 - share) / (1 + share))),))
        return max(
            _upper(certified_hockey_stick(law, problem.epsilon, digits=DIGITS)) for law in (pair, pair.swapped())
        )

    def draws(level: float) -> Draw:
        root = np.linalg.cholesky((cov + cov.T) / 2 + level * np.eye(d))
        return lambda rng: float(np.mean(np.sign(test @ (mean + root @ rng.standard_normal(d))) == wanted))

    noise = (printed.added_variance, ours.added_variance)
    return Sides(
        (_printed_name("N26-Pr7", bound), "joint worst pair"),
        "accuracy on the held-out fifth",
        noise,
        certify,
        draws,
        printed.calibration.unsafe,
    )


def _printed_name(tag: str, bound: str) -> str:
    return tag if bound == "chernoff" else f"{tag}, N26-L2 uncorrected"


def process(problem: Problem, bound: Literal["chernoff", "printed"] = "chernoff") -> Sides:
    """As `logistic`."""
    train, test, known, wanted = _split(problem.table(), MOST_INPUTS)
    low, high = min(known.min(), wanted.min()), max(known.max(), wanted.max())
    known, wanted = (2 * LABEL * (part - low) / (high - low) - LABEL for part in (known, wanted))
    n, kernel = len(train), squared_exponential(1.0)
    target: dict[str, Any] = {
        "noise_variance": NOISE,
        "label_bound": LABEL,
        "norm_bound": PRIOR,
        "records": n,
        "epsilon": problem.epsilon,
        "delta": problem.delta,
    }
    made = [
        gaussian_process(kernel, test[0], **target, sensitivity="printed", bound=bound),
        gaussian_process(kernel, test[0], **target, sensitivity="joint", bound="joint"),
    ]
    cross = kernel(test, train)  # every held-out point is a query of its own, one factorisation for all
    weights = np.linalg.solve(kernel(train, train) + NOISE * np.eye(n), np.column_stack([known, cross.T]))
    means, variances = cross @ weights[:, 0], PRIOR - np.einsum("ij,ji->i", cross, weights[:, 1:])
    exactly = joint_shift.Prediction(exact(PRIOR), exact(LABEL), exact(NOISE), n)

    def draws(level: float) -> Draw:
        return lambda rng: float(
            np.mean((means + np.sqrt(variances + level) * rng.standard_normal(len(means)) - wanted) ** 2)
        )

    def certify(level: float) -> Fraction:
        return _upper(joint_shift.largest(exactly, exact(level), exact(problem.epsilon), 1))

    noise, names = (
        both(mechanism.added_variance for mechanism in made),
        (_printed_name("N26-Pr8", bound), "joint worst pair"),
    )
    return Sides(
        names, "mean-square error of a prediction, labels within 1/2", noise, certify, draws, made[0].calibration.unsafe
    )


def gaussian(problem: Problem, printed: Literal["classical", "rho"] = "classical") -> Sides:
    matrix, bound = problem.matrix()
    total = np.linalg.norm(matrix.sum(axis=0))
    made = [
        gaussian_mechanism(bound, epsilon=problem.epsilon, delta=problem.delta, adjacency=ADD_REMOVE, rule=rule)
        for rule in (printed, "analytic")
    ]

    def certify(level: float) -> Fraction:
        return _upper(certified_gaussian_hockey_stick(1, math.sqrt(level), problem.epsilon, digits=DIGITS))

    def draws(level: float) -> Draw:
        return lambda rng: float(
            math.sqrt(level) * bound * np.linalg.norm(rng.standard_normal(matrix.shape[1])) / total
        )

    noise = both((mechanism.std / bound) ** 2 for mechanism in made)
    return Sides(
        ({"classical": "BW-T1 classical", "rho": "SL-2 rho"}[printed], "analytic"),
        "error of the sum of the records over its norm",
        noise,
        certify,
        draws,
        made[0].calibration.unsafe,
    )


MECHANISMS: dict[str, Callable[[Problem], Sides]] = {
    "random projection": projection,
    "random linear combination": combination,
    "Poisson-subsampled projection": subsampled,
    "relative random projection": relative_projection,
    "least squares": limit_least_squares,
    "sketched least squares": sketched,
    "relative least squares": relative_regression,
    "logistic regression": logistic,
    "Gaussian process": process,
    "Gaussian mechanism": gaussian,
}
