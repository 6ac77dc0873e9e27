"""Black-box audits of two score samples (KM-Alg2): histograms, learned sets, and the attacks they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from ndis_verify.arguments import one_of, real, whole
from ndis_verify.audit.candidate_sets import MOST_EPSILON, Target, learned_edges
from ndis_verify.audit.limits import checked_confidence, tv_radius
from ndis_verify.audit.samples import as_sample, check_distinguishable, survey
from ndis_verify.audit.set_limits import Audited, ScoreAudit, best_set, dkw, family, within_radii
from ndis_verify.audit.threshold_attack import credible, gdp, threshold, threshold_jeffreys
from ndis_verify.exact_number import InputError

MOST_BINS = 100_000
_WIDTH = 2 * 3 ** (1 / 3) * np.pi ** (1 / 6)


def audit_scores(
    p: Any,
    q: Any,
    *,
    method: str = "best-set",
    delta: float | None = None,
    epsilon: float | None = None,
    confidence: float = 0.95,
    bins: Any = "width",
) -> ScoreAudit:
    """Audit the privacy of a mechanism from two samples of a score (KM-Alg2 with limits that hold).

    p, q: independent scores under the two neighbouring inputs, one axis each, or samples that read in chunks
    (`score_files.ScoreFile`); at least 8 rows, sizes may differ. 0 <= epsilon <= 700, delta in [0, 1]. `method`:

    - "best-set": one set of scores, learned and chosen for `delta` or `epsilon` (one is required) on a quarter of the
      rows, bounded by Clopper-Pearson limits on the rest. Conditionally on the choice the counts are binomial; the two
      limits fail with probability at most 1 - confidence together (union bound).
    - "family": up to 24 such sets, chosen along the whole profile, the failure shared among them: holds for every
      epsilon, delta and both orders at once.
    - "dkw": every prefix of the best of the learned orders, by the Dvoretzky-Kiefer-Wolfowitz inequality.
    - "tv": every union of bins, by KM-4.2 with KM-4.3: TV of each histogram from its law is at most tau_P, tau_Q with
      probability 1 - confidence together, so that P(S) >= P^(S) - tau_P, Q(S) <= Q^(S) + tau_Q for all S.
    - "plug-in": the divergence of the two histograms, an estimate without any limit.
    - "threshold", "threshold-jeffreys", "gdp", "credible": the attacks it is compared with (`threshold_attack`).

    bins, for "tv" and "plug-in": "width" (KM-C4.5: 2 3^{1/3} pi^{1/6} std n^{-1/3}, n the bounded rows, std the root
    mean of the two variances), "adaptive" (learned quantiles), a number k of equal bins over the learned range, or (a,
    b, k). With (a, b, k), fixed beforehand, every row bounds. Limits cost two readings of each sample, otherwise one or
    two.

    Returns a `ScoreAudit`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import audit_scores
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p, q = rng.normal(3, 1, 2000), rng.normal(0, 1, 2000)  # delta(1) = 0.7876
    >>> audit = audit_scores(p, q, epsilon=1.0)
    >>> bool(0.7 < audit.delta(1.0) < 0.7876)
    True
    """
    return audit_by_methods(p, q, (method,), delta=delta, epsilon=epsilon, confidence=confidence, bins=bins)[method]


def audit_by_methods(
    p: Any,
    q: Any,
    methods: Sequence[str],
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    confidence: float = 0.95,
    bins: Any = "width",
) -> dict[str, ScoreAudit]:
    """Several methods of `audit_scores` on the same samples, read once for all of them; each has its own confidence.

    The best of several limits is a limit at the confidence of their union only: failures add up. p, q, delta, epsilon,
    bins: as there. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import audit_by_methods
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p, q = rng.normal(3, 1, 2000), rng.normal(0, 1, 2000)  # delta(1) = 0.7876
    >>> found = audit_by_methods(p, q, ["best-set", "tv"], epsilon=1.0)
    >>> sorted(found), bool(0.7 < found["best-set"].delta(1.0) < 0.7876)
    (['best-set', 'tv'], True)
    """
    if not isinstance(methods, (list, tuple)) or not methods:
        raise InputError("methods", methods, "must be a list of at least one method")
    for method in methods:
        one_of(method, "method", METHODS)
    target = _target(methods, delta, epsilon)
    failure = 1 - checked_confidence(confidence)
    samples = (as_sample(p, "p"), as_sample(q, "q"))
    surveys = survey(samples[0]), survey(samples[1])
    check_distinguishable(surveys[0], surveys[1], (samples[0].name, samples[1].name))
    audited = Audited(samples, surveys, failure, target)
    return {
        method: _OF_BINS[method](audited, bins) if method in _OF_BINS else _OF_SETS[method](audited)
        for method in methods
    }


def _target(methods: Collection[str], delta: float | None, epsilon: float | None) -> Target | None:
    at = None if epsilon is None else real(epsilon, "epsilon", f"[0, {MOST_EPSILON:g}]")
    allowed = None if delta is None else real(delta, "delta", "[0, 1]")
    if allowed is None and at is None:
        for method in methods:
            if method in ("best-set", "threshold", "threshold-jeffreys", "gdp", "credible"):
                raise InputError("delta, epsilon", "None", f"method {method} chooses its set for one of them")
        return None
    # With both, the claim at stake is delta at that epsilon.
    return Target(epsilon=at) if at is not None else Target(delta=allowed)


def _tv(audited: Audited, bins: Any) -> ScoreAudit:
    edges, part = _edges(audited, bins)
    ((p, q),) = audited.counts(edges, (part,))
    n, m = int(p.sum()), int(q.sum())
    # The bounded laws never enter the union over sets: TV bounds every set at once, so these bins' own order may be
    # used.
    power, level = _ordered_masses(p / n, q / m)
    of_p, of_q = (tv_radius(size, edges.size + 1, audited.failure / 2) for size in (n, m))
    return audited.result(
        "tv", within_radii(power, level, of_p, of_q, 1 - audited.failure), "guaranteed", part, edges.size + 1
    )


def _plug_in(audited: Audited, bins: Any) -> ScoreAudit:
    edges, _ = _edges(audited, bins)
    ((p, q),) = audited.counts(edges, ("all",))
    points = within_radii(*_ordered_masses(p / p.sum(), q / q.sum()), 0.0, 0.0, 0.0)
    return audited.result("plug-in", points, "estimate", "all", edges.size + 1)


def _ordered_masses(p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Masses of the prefixes in the order of p/q, the sets at which the divergence of two histograms is attained."""
    met = (p > 0) | (q > 0)
    p, q = p[met], q[met]
    order = np.argsort(-p / (p + q), kind="stable")
    power, level = np.cumsum(p[order]), np.cumsum(q[order])
    return np.minimum(power, 1), np.minimum(level, 1)


def _edges(audited: Audited, bins: Any) -> tuple[np.ndarray, str]:
    """Inner bin edges, and which rows may be counted in them."""
    one, other = audited.surveys
    low, high = min(one.smallest, other.smallest), max(one.largest, other.largest)
    if isinstance(bins, str) and bins == "adaptive":
        return learned_edges(one.learning, other.learning), "rest"
    if isinstance(bins, (tuple, list)) and len(bins) == 3:
        return equal_edges(*bins), "all"
    count = bins if isinstance(bins, int) and not isinstance(bins, bool) else None
    if count is None and not (isinstance(bins, str) and bins == "width"):
        raise InputError("bins", bins, "must be 'width', 'adaptive', a number of bins, or (a, b, k)")
    width = bin_width(float(np.hypot(one.std, other.std) / np.sqrt(2)), min(one.size("rest"), other.size("rest")))
    if not (0 < width < np.inf and 0 < high - low < np.inf):  # one score alone was learned from, or squares overflowed
        return learned_edges(one.learning, other.learning), "rest"
    if count is not None:
        return equal_edges(low, high, count), "rest"
    count = int(np.clip(np.ceil((high - low) / width), 2, MOST_BINS))
    return equal_edges(low, low + count * width, count), "rest"


def bin_width(std: float, n: float) -> float:
    """`2 3^{1/3} pi^{1/6} std n^{-1/3}` = 3.4908 std n^{-1/3} (KM-C4.5)."""
    return float(_WIDTH * std * n ** (-1 / 3))


def equal_edges(low: Any, high: Any, count: Any) -> np.ndarray:
    """The inner edges of `count` equal bins from `low` to `high`; the outer two bins reach to infinity (KM-Alg2).
    Raises `InputError`.
    """
    count = whole(count, "bins", 2, MOST_BINS)
    start, end = (real(value, "bins", "(-inf, inf)") for value in (low, high))
    if not 0 < end - start < np.inf:
        raise InputError("bins", f"[{start}, {end}]", "must be a range a < b whose length is a finite number")
    return np.unique(np.linspace(start, end, count + 1)[1:-1])


_OF_BINS: dict[str, Callable[[Audited, Any], ScoreAudit]] = {"tv": _tv, "plug-in": _plug_in}
_OF_SETS: dict[str, Callable[[Audited], ScoreAudit]] = {
    "best-set": best_set,
    "family": family,
    "dkw": dkw,
    "threshold": threshold,
    "threshold-jeffreys": threshold_jeffreys,
    "gdp": gdp,
    "credible": credible,
}
METHODS = ("best-set", "family", "dkw", "tv", "threshold", "threshold-jeffreys", "gdp", "credible", "plug-in")
