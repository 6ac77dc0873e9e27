"""What a classifier proves of the divergence of two multivariate laws: learned on half of the samples, counted on the
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from ndis_verify.audit.limits import checked_confidence, clopper_pearson_lower, clopper_pearson_upper
from ndis_verify.exact_number import InputError, float_array
from ndis_verify.rich import field_table

SMALLEST = 16
MOST_FEATURES = 2000
_CLIP = 12.0  # robust standard deviations; no power of an outlier may outweigh all the rest
_RIDGE = 1e-3
_ROUNDS = 40
_THRESHOLDS = np.linspace(0.001, 0.999, 401)


@dataclass(frozen=True, eq=False)
class Classifier:
    """Log odds of the first law: an affine function of coordinates, squares and products, of outputs (n, d) or (n, k,
    d).

    k exchangeable copies are seen through the sums of their features, which is all that the likelihood ratio of k
    independent Gaussian columns depends on.
    """

    centre: np.ndarray
    scale: np.ndarray
    weights: np.ndarray

    def __call__(self, outputs: Any) -> np.ndarray:
        """The score of every output, shape (n,)."""
        return _features(float_array(outputs, "outputs"), self.centre, self.scale) @ self.weights


@dataclass(frozen=True, eq=False)
class ClassifierCurve:
    """For each epsilon the learned event E, `score > threshold`, and what the counting halves say of `P(E) - e^epsilon
    Q(E)`.

    `estimate`: by frequencies. `lower` is at most delta_{P,Q} at every epsilon at once with probability `confidence`,
    whatever was learned. `upper` limits the same event only: delta itself may be larger, by what the classifier misses.
    Both kinds hold together. `rows`: outputs of P and of Q that were counted.
    """

    epsilon: np.ndarray
    estimate: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    threshold: np.ndarray
    confidence: float
    rows: tuple[int, int]
    classifier: Classifier

    def _repr_html_(self) -> str:
        return field_table(self)

    def points(self) -> list[dict[str, float]]:
        """One record per epsilon: epsilon, estimate, lower, upper."""
        columns = ("epsilon", "estimate", "lower", "upper")
        return [
            dict(zip(columns, map(float, row), strict=True))
            for row in zip(*(getattr(self, name) for name in columns), strict=True)
        ]


def classifier_curve(p: Any, q: Any, epsilons: Sequence[float], *, confidence: float = 0.95) -> ClassifierCurve:
    """Estimate delta_{P,Q} along `epsilons` from outputs of P and of Q by a classifier, with limits (N24-Fig5,
    N24-Fig9).

    p, q: independent outputs, (n, d), or (n, k, d) for k exchangeable copies each; at least 16 rows, n may differ.
    epsilons: >= 0, one axis. The first half of either sample trains a logistic regression on coordinates, squares and
    products and picks a threshold for every epsilon; the second half is counted. Given what was learned the counts are
    binomial, so Clopper-Pearson limits with a failure of (1 - confidence)/(4 m) each, m epsilons, hold all together
    (union bound). Squares and products suffice for Gaussian laws; of others the event catches a part. Raises
    `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import classifier_curve
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p, q = rng.normal(1, 1, (2000, 1)), rng.normal(0, 1, (2000, 1))  # delta(1) = 0.1269
    >>> curve = classifier_curve(p, q, [1.0])
    >>> bool(curve.lower[0] < 0.1269)
    True
    """
    failure = 1 - checked_confidence(confidence)
    at = np.atleast_1d(float_array(epsilons, "epsilons"))
    if at.ndim != 1 or not at.size or not (np.isfinite(at) & (at >= 0)).all():
        raise InputError("epsilons", epsilons, "must be one axis of finite numbers, at least 0, not empty")
    samples = _outputs(p, "p"), _outputs(q, "q")
    if samples[0].shape[1:] != samples[1].shape[1:]:
        raise InputError("p, q", (samples[0].shape, samples[1].shape), "must have the same coordinates")
    (learn_p, count_p), (learn_q, count_q) = (np.array_split(sample, 2) for sample in samples)
    score = fit_classifier(learn_p, learn_q)
    factor = np.exp(np.minimum(at, 700.0))  # more leaves no limit of use either
    learned = [np.sort(score(half)) for half in (learn_p, learn_q)]
    cuts = np.quantile(np.concatenate(learned), _THRESHOLDS)
    above = [1 - np.searchsorted(values, cuts, side="right") / values.size for values in learned]
    chosen = cuts[np.argmax(above[0] - factor[:, None] * above[1], axis=1)]
    (hits, n), (alarms, m) = (((score(half)[:, None] > chosen).sum(axis=0), len(half)) for half in (count_p, count_q))
    share = failure / (4 * at.size)
    low = clopper_pearson_lower(hits, n, share) - factor * clopper_pearson_upper(alarms, m, share)
    high = clopper_pearson_upper(hits, n, share) - factor * clopper_pearson_lower(alarms, m, share)
    estimate = hits / n - factor * alarms / m
    estimate, low, high = (np.maximum(values, 0.0) for values in (estimate, low, high))
    return ClassifierCurve(at, estimate, low, high, chosen, 1 - failure, (n, m), score)


def fit_classifier(p: Any, q: Any) -> Classifier:
    """Logistic regression of "drawn from P" on coordinates, squares and products, by Newton's method with halved steps.

    p, q as in `classifier_curve`; both laws have the same weight. Coordinates are centred by their median, scaled by
    their quartiles and cut off at 12 standard deviations; the squared weights cost 1e-3 in all. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import fit_classifier
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> score = fit_classifier(rng.normal(3, 1, (500, 1)), rng.normal(0, 1, (500, 1)))
    >>> bool(score(np.array([[3.0]]))[0] > score(np.array([[0.0]]))[0])
    True
    """
    first, second = _outputs(p, "p", 2), _outputs(q, "q", 2)
    flat = np.concatenate([first.reshape(-1, first.shape[-1]), second.reshape(-1, second.shape[-1])])
    low, centre, high = np.quantile(flat, (0.25, 0.5, 0.75), axis=0)
    spread = np.where(high > low, (high - low) / 1.349, flat.std(axis=0))
    scale = np.where(spread > 0, spread, 1.0)
    design = _features(np.concatenate([first, second]), centre, scale)
    labels = np.repeat([1.0, 0.0], [len(first), len(second)])
    share = np.repeat([1 / len(first), 1 / len(second)], [len(first), len(second)])
    return Classifier(centre, scale, _fit(design, labels, share * min(len(first), len(second))))


def _fit(design: np.ndarray, labels: np.ndarray, share: np.ndarray) -> np.ndarray:
    weights = np.zeros(design.shape[1])
    odds = np.zeros(len(design))

    def loss(odds: np.ndarray, weights: np.ndarray) -> float:
        return float(share @ (np.logaddexp(0, odds) - labels * odds)) + _RIDGE / 2 * float(weights @ weights)

    value = loss(odds, weights)
    for _ in range(_ROUNDS):
        chance = expit(odds)
        slope = design.T @ (share * (labels - chance)) - _RIDGE * weights
        curvature = (design * (share * chance * (1 - chance))[:, None]).T @ design
        curvature[np.diag_indices_from(curvature)] += _RIDGE
        step = np.linalg.solve(curvature, slope)
        gain, length, along = float(slope @ step), 1.0, design @ step
        while (
            found := loss(odds + length * along, weights + length * step)
        ) > value - 1e-4 * length * gain and length > 1e-6:
            length /= 2
        weights, odds, value = weights + length * step, odds + length * along, found
        if gain < 1e-3:  # of the log likelihood: far below its noise
            break
    return weights


def _features(outputs: np.ndarray, centre: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """1, coordinates, and products of two, summed over the copies: (n, 1 + d + d (d + 1)/2)."""
    x = np.clip((outputs - centre) / scale, -_CLIP, _CLIP)
    i, j = np.triu_indices(x.shape[-1])
    if x.ndim == 2:
        return np.column_stack([np.ones(len(x)), x, x[:, i] * x[:, j]])
    return np.column_stack([np.ones(len(x)), x.sum(axis=1), (np.swapaxes(x, 1, 2) @ x)[:, i, j]])


def _outputs(values: Any, name: str, least: int = SMALLEST) -> np.ndarray:
    found = float_array(values, name, "must be an array of real numbers, one output per row")
    if found.ndim not in (2, 3) or not found.size:
        raise InputError(name, f"an array of shape {found.shape}", "must have shape (n, d), or (n, k, d) for k copies")
    if len(found) < least:
        raise InputError(name, f"{len(found)} rows", f"needs at least {least}")
    bad = np.flatnonzero(~np.isfinite(found).reshape(len(found), -1).all(axis=1))
    if bad.size:
        raise InputError(name, f"row {bad[0] + 1}", "must be finite")
    d = found.shape[-1]
    if 1 + d + d * (d + 1) // 2 > MOST_FEATURES:
        raise InputError(
            name, f"{d} coordinates", f"have more than {MOST_FEATURES} features: audit a projection of the outputs"
        )
    return found
