"""White-box audit of mechanisms with Gaussian outputs: is a claimed (epsilon, delta) refuted by known output laws?
(N26-T7.1)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.arguments import exactly, real, whole
from ndis_verify.exact_number import InputError, as_float, float_array
from ndis_verify.fast.accuracy import PROMISES, margin
from ndis_verify.fast.composition import compose
from ndis_verify.fast.engine.whitening import PairBatch, spectrum
from ndis_verify.fast.generalized_chi2 import GeneralizedChi2
from ndis_verify.fast.hockey_stick import hockey_stick
from ndis_verify.gaussian_pair import Covariance, GaussianPair

_RANK = 10  # of the simulated distances that bounds the real one
_MOST_DRAWN = 10**8  # entries of covariances
_SHARE = 1e-3  # of the declared error that rounding a law's parameters may take

Number = float | Fraction
Limits = Callable[[GaussianPair, int, Fraction], tuple[Number, Number]]
Cdf = Callable[[GeneralizedChi2, float], float]


@dataclass(frozen=True, eq=False)
class WitnessSet:
    """`{(x_1, ..., x_k): sum_j (x_j^T A x_j + v^T x_j) + constant > 0}`, where the first law is e^epsilon times as
    dense.

    It is `{q_eps <= 0}` of N26-L1 in the coordinates of the output; `matrix` is A, d x d, or its diagonal (d,) where
    both covariances are diagonal; `vector` has d entries; k = `copies`. Float64.
    """

    matrix: np.ndarray
    vector: np.ndarray
    constant: float
    copies: int = 1

    def contains(self, outputs: Any) -> np.ndarray:
        """Whether each output lies in the set. outputs: (..., d), or (..., copies, d) for several copies."""
        x = float_array(outputs, "outputs")
        curved = (x * x) @ self.matrix if self.matrix.ndim == 1 else ((x @ self.matrix) * x).sum(axis=-1)
        value = curved + x @ self.vector
        return (value if self.copies == 1 else value.sum(axis=-1)) + self.constant > 0


@dataclass(frozen=True, eq=False)
class WhiteBoxAudit:
    """The verdict on a claim (epsilon, delta) over a family of neighbours, each in both orders.

    lower: lower limit of the largest delta found, of the neighbour `neighbour` in the order `order` ("P,Q": P is the
    first law of `witness`). upper: upper limit of the deltas of all neighbours and orders. basis: what the limits rest
    on.
    """

    epsilon: Fraction
    delta: Fraction
    lower: Number
    upper: Number
    neighbour: str
    order: str
    basis: str
    witness: WitnessSet

    @property
    def refuted(self) -> bool:
        """Whether some neighbour's delta is above the claimed one for sure."""
        return self.lower > self.delta

    @property
    def margin(self) -> Number:
        """Claimed delta - upper limit; negative where the audit refutes, or where its limits do not decide."""
        return self.delta - self.upper

    @property
    def verdict(self) -> str:
        """Either "refuted" or "not refuted"."""
        return "refuted" if self.refuted else "not refuted"


def audit_gaussian(
    pairs: GaussianPair | Sequence[GaussianPair] | Mapping[str, GaussianPair],
    epsilon: Any,
    delta: Any,
    *,
    copies: int = 1,
    limits: Limits | None = None,
    basis: str = "float64 engine",
) -> WhiteBoxAudit:
    """Try to refute (epsilon, delta)-DP with the output laws on neighbouring inputs (N26-T7.1), both orders of every
    pair.

    pairs: the laws N(mean_p, cov_p) and N(mean_q, cov_q) of the output on two neighbours, or many such pairs, by name
    or in order; an output of `copies` independent columns has `copies` > 1. epsilon >= 0, delta in [0, 1], meant
    exactly. limits(pair, copies, epsilon) gives a lower and an upper limit of delta_{P,Q}(epsilon): the default is the
    float64 engine with ten times its stated error; see `two_call_limits`, `estimated_limits`; `basis` names what they
    rest on. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import audit_gaussian
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> audit = audit_gaussian(pair, 1, 0.05)  # delta(1) = 0.0862
    >>> audit.refuted, audit.order
    (True, 'P,Q')
    """
    epsilon, delta = exactly(epsilon, "epsilon", "[0, 1e300]"), exactly(delta, "delta", "[0, 1]")
    copies = whole(copies, "copies", 1)
    limits = engine_limits if limits is None else limits
    found = []
    for name, pair in _named(pairs).items():
        if not isinstance(pair, GaussianPair):
            raise InputError("pairs", type(pair).__name__, "must be GaussianPair")
        for order, one in (("P,Q", pair), ("Q,P", pair.swapped())):
            found.append((*limits(one, copies, epsilon), name, order, one))
    lower, _, name, order, worst = max(found, key=lambda entry: entry[:2])
    upper = max(entry[1] for entry in found)
    return WhiteBoxAudit(epsilon, delta, lower, upper, name, order, basis, witness_set(worst, float(epsilon), copies))


def engine_limits(pair: GaussianPair, copies: int, epsilon: Fraction) -> tuple[float, float]:
    """Limits of delta from the float64 engine, epsilon rounded to either side."""
    at = float(epsilon)
    below, above = max(0.0, np.nextafter(at, -np.inf)), np.nextafter(at, np.inf)
    high, low = (float(value) for value in hockey_stick(compose(pair, copies), [below, above]))
    error, least = margin("white-box audit"), PROMISES["hockey_stick"].least
    return (low * (1 - error) if low > least else 0.0), min(1.0, high * (1 + error) + least)


def witness_set(pair: GaussianPair, epsilon: float, copies: int = 1) -> WitnessSet:
    """The set of outputs where `log p/q > epsilon`, which attains delta_{P,Q}(epsilon) (N26-L1), as a quadratic
    inequality.

    A = (S2^-1 - S1^-1)/2, v = S1^-1 m1 - S2^-1 m2, c = (m2^T S2^-1 m2 - m1^T S1^-1 m1)/2 + log(det S2/det S1)/2, times
    the copies, less epsilon. Any set proves a lower limit; rounding this one costs next to nothing of it.
    """
    with np.errstate(all="ignore"):
        return _witness(pair, epsilon, copies)


def _witness(pair: GaussianPair, epsilon: float, copies: int) -> WitnessSet:
    mean_p, mean_q = as_float(pair.mean_p), as_float(pair.mean_q)
    step = as_float(pair.exact_mean_difference())
    if "dense" not in (pair.cov_p.kind, pair.cov_q.kind):
        p, q = (np.broadcast_to(cov.float_entries(), mean_p.shape) for cov in (pair.cov_p, pair.cov_q))
        matrix = (p - q) / p / q / 2
        vector = step / p - 2 * matrix * mean_q
        logs = np.log(q / p).sum()
    else:
        p, q = _dense(pair.cov_p), _dense(pair.cov_q)
        matrix = np.linalg.solve(q, np.linalg.solve(p, p - q).T) / 2
        matrix = (matrix + matrix.T) / 2
        vector = np.linalg.solve(p, step) - 2 * matrix @ mean_q
        logs = np.linalg.slogdet(q)[1] - np.linalg.slogdet(p)[1]
    inverse = step / p if p.ndim == 1 else np.linalg.solve(p, step)
    # m2' S2^-1 m2 - m1' S1^-1 m1 with m1 = m2 + step
    product = mean_q * matrix * mean_q if matrix.ndim == 1 else mean_q * (matrix @ mean_q)
    constant = product.sum() - (inverse * mean_q).sum() - (inverse * step).sum() / 2 + logs / 2
    return WitnessSet(matrix, vector, float(copies * constant - epsilon), copies)


def two_calls(
    pair: GaussianPair, copies: int, epsilon: float
) -> tuple[GeneralizedChi2, GeneralizedChi2, float, float] | None:
    """(W1, W2, t, rounding): `delta = Pr[W1 <= t] - e^eps Pr[W2 <= t]`, two generalized chi-square laws (N26-T4.1).

    rounding: how far rounding may have moved t against the laws. None where the two laws of the pair are one.
    """
    laws = compose(pair, copies)
    alpha, shift, count = laws.alpha, laws.shift_squared, laws.multiplicity
    curved = (alpha != 0) & (count > 0)
    flat = float(shift[~curved].sum())
    if not curved.any() and flat == 0:
        return None
    half_log = float(0.5 * (count * laws.log_ratio)[curved].sum())
    a, m2, dof = alpha[curved], shift[curved], count[curved]
    pull = (1 + a) * m2 / (2 * a)
    std = float(np.sqrt(flat))
    first = (
        GeneralizedChi2(-a / 2, dof, (1 + a) * m2 / a**2, std, float(pull.sum()))
        if a.size
        else GeneralizedChi2([0.0], [1], [0.0], std, 0.0)
    )
    second = (
        GeneralizedChi2(-a / (2 * (1 + a)), dof, m2 / a**2, std, float(pull.sum()) + flat)
        if a.size
        else GeneralizedChi2([0.0], [1], [0.0], std, flat)
    )
    t = -(epsilon + half_log - float(shift.sum()) / 2)
    rounding = 4 * np.finfo(float).eps * float(np.abs(pull).sum() + abs(half_log) + epsilon + shift.sum())
    return first, second, t, rounding


def error_per_call(alpha: float, epsilon: float) -> float:
    """`alpha/(1 + e^eps)`: the error that each of two calls may have for a delta within alpha (N26-T7.1).

    alpha >= 0, eps = epsilon of either sign, both finite. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import error_per_call
    >>> print(f"{error_per_call(1e-6, 1.0):.6e}")
    2.689414e-07
    """
    error, at = real(alpha, "alpha", "[0, inf)"), real(epsilon, "epsilon", "(-inf, inf)")
    return error * float(np.exp(-np.logaddexp(0.0, at)))


def two_call_limits(cdf: Cdf, error: float) -> Limits:
    """Limits of delta from a CDF oracle (N26-D9): `cdf(law, t)` is within `error` of Pr[law <= t] for every law and t.

    delta lies within `(1 + e^eps) error` of the answer (N26-T7.1): for delta within alpha declare
    `error_per_call(alpha, eps)`; a thousandth of the error, at least 1e-13, is added for the rounding of the laws. law:
    a `GeneralizedChi2`, whose fields state the law. Where rounding the law's parameters to float64 could matter next to
    `error` (laws that nearly agree in a coordinate whose mean moves), the limits raise `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import two_call_limits
    >>> from ndis_verify import GaussianPair
    >>> limits = two_call_limits(lambda law, t: law.cdf(t), 1e-9)
    >>> lower, upper = limits(GaussianPair([0.5], [2], [0], [1]), 1, 1)
    >>> lower < 0.08615096845 < upper
    True
    """
    error = real(error, "error", "[0, 1)")
    allowed = max(_SHARE * error, 1e-13)

    def limits(pair: GaussianPair, copies: int, epsilon: Fraction) -> tuple[float, float]:
        laws = two_calls(pair, copies, float(epsilon))
        if laws is None:
            return 0.0, 0.0
        first, second, t, rounding = laws
        if rounding > allowed * np.sqrt(min(first.var(), second.var())):
            raise InputError(
                "pairs",
                f"rounding of {rounding:.3g}",
                "must not be so nearly equal where two calls of a CDF are to tell them apart",
            )
        factor = _factor(epsilon)
        one, two = float(cdf(first, t)), float(cdf(second, t))
        if not (-error <= one <= 1 + error and -error <= two <= 1 + error):
            raise InputError("cdf", (one, two), "gave what is no probability, whatever its error")
        answer, slack = one - factor * two, (1 + factor) * (error + allowed)
        return max(0.0, answer - slack), min(1.0, max(0.0, answer + slack))

    return limits


def estimated_limits(
    samples: tuple[int, int], confidence: float, rng: np.random.Generator, pairs: int = 1, inner: Limits = engine_limits
) -> Limits:
    """Limits for pairs whose means and covariances (divisor n - 1) were estimated from `samples` Gaussian outputs each.

    The distance TV(P, estimate of P) has a law that depends on n and d alone, since both laws may be whitened by the
    true one. It is simulated, and its rank-10 value exceeds the real distance with probability 1 - 10/(draws + 1),
    exactly. Then `|delta - delta of the estimates| <= TV_P + e^eps TV_Q` at once for every epsilon and both orders,
    with probability `confidence` for all of `pairs` pairs together (union). rng: the generator that simulates; inner:
    the limits of a pair's own delta. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import estimated_limits
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> from ndis_verify import GaussianPair
    >>> limits = estimated_limits((1000, 1000), 0.95, rng)
    >>> lower, upper = limits(GaussianPair([1], [1], [0], [1]), 1, 1)
    >>> lower < 0.1269 < upper
    True
    """
    if not isinstance(rng, np.random.Generator):
        raise InputError("rng", type(rng).__name__, "must be a numpy.random.Generator")
    confidence, pairs = real(confidence, "confidence", "(0, 1)"), whole(pairs, "pairs", 1)
    if not isinstance(samples, (tuple, list)) or len(samples) != 2:
        raise InputError("samples", samples, "must be the two numbers of outputs")
    failure = (1 - confidence) / (2 * pairs)
    known: dict[tuple[int, int, int], float] = {}

    def distance(n: int, dimension: int, copies: int) -> float:
        key = (n, dimension, copies)
        if key not in known:
            known[key] = _distance_quantile(n, dimension, copies, failure, rng)
        return known[key]

    def limits(pair: GaussianPair, copies: int, epsilon: Fraction) -> tuple[float, float]:
        low, high = inner(pair, copies, epsilon)
        # The larger one for both laws: which sample the first law of a swapped pair had is not known here.
        away = max(distance(n, pair.dimension, copies) for n in samples) * (1 + _factor(epsilon))
        return max(0.0, float(low) - away), min(1.0, float(high) + away)

    return limits


def _distance_quantile(n: int, dimension: int, copies: int, failure: float, rng: np.random.Generator) -> float:
    if not isinstance(n, (int, np.integer)) or n < dimension + 2:
        raise InputError("samples", n, f"must be whole numbers, at least d + 2 = {dimension + 2}")
    draws = math.ceil(_RANK / failure) - 1
    if draws * dimension**2 > _MOST_DRAWN:
        rule = f"must leave a failure that {_MOST_DRAWN // dimension**2} simulated distances can tell"
        raise InputError("confidence, pairs", f"failure {failure:.3g} a sample", rule)
    means = rng.standard_normal((draws, dimension)) / np.sqrt(n)
    root = np.tril(rng.standard_normal((draws, dimension, dimension)), -1)
    diagonal = np.arange(dimension)
    root[:, diagonal, diagonal] = np.sqrt(rng.chisquare(n - 1 - diagonal, (draws, dimension)))
    cov = root @ np.swapaxes(root, 1, 2) / (n - 1)  # Bartlett
    batch = PairBatch(means, (cov + np.swapaxes(cov, 1, 2)) / 2, np.zeros((1, dimension)), np.ones(1))
    distances = np.sort(hockey_stick(compose(spectrum(batch), copies), 0.0))
    return min(1.0, float(distances[-_RANK]) * (1 + margin("white-box audit")))


def _factor(epsilon: Fraction) -> float:
    """e^epsilon, or a number that leaves no limit of use either."""
    return math.exp(min(float(epsilon), 700.0))


def _named(pairs: Any) -> dict[str, GaussianPair]:
    if isinstance(pairs, GaussianPair):
        return {"1": pairs}
    if not isinstance(pairs, Iterable):
        raise InputError("pairs", pairs, "must be a GaussianPair, or several of them")
    named = dict(pairs) if isinstance(pairs, Mapping) else {str(k): pair for k, pair in enumerate(pairs, 1)}
    if not named:
        raise InputError("pairs", "none", "must hold at least one pair")
    if odd := [pair for pair in named.values() if not isinstance(pair, GaussianPair)]:
        raise InputError("pairs", odd[0], "must hold GaussianPairs only")
    return named


def _dense(cov: Covariance) -> np.ndarray:
    entries = cov.float_entries()
    return entries if cov.kind == "dense" else np.diag(np.broadcast_to(entries, cov.dimension))
