"""The attacks that histogram audits are compared with: one threshold of the score, and what is read off its errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from ndis_verify.audit.candidate_sets import ChosenSet
from ndis_verify.audit.credible_region import credible_gdp
from ndis_verify.audit.gdp_parameter import GaussianCurve
from ndis_verify.audit.limits import clopper_pearson_lower, clopper_pearson_upper, jeffreys_lower, jeffreys_upper
from ndis_verify.audit.operating_points import Basis, OperatingPoints
from ndis_verify.audit.set_limits import Audited, Learned, ScoreAudit


def _by_score(edges: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Both orders of the bins by the score: their prefixes are the thresholds."""
    natural = np.arange(edges.size + 1)
    return np.stack([natural[::-1], natural])


def _attack(audited: Audited) -> tuple[Learned, ChosenSet, tuple[int, int, int, int]]:
    """The threshold with the best forecast, and (rows of the first law, of them inside, rows of the other, of them
    inside).
    """
    if not audited.by_score:
        learned = Learned.of(audited, _by_score)
        chosen = learned.chooser.choose(audited.asked, audited.failure, np.array([0.5]))
        hits, false_alarms = learned.held(chosen)
        n, m = (one.size("bound") for one in audited.surveys)
        counts = (n, hits, m, false_alarms) if chosen.first_is_p else (m, hits, n, false_alarms)
        audited.by_score.append((learned, chosen, counts))
    return audited.by_score[0]


def _limited(audited: Audited, method: str, limits: tuple, basis: Basis) -> ScoreAudit:
    learned, chosen, (n, hits, m, false_alarms) = _attack(audited)
    power, level = limits[0](hits, n, audited.failure / 2), limits[1](false_alarms, m, audited.failure / 2)
    points = OperatingPoints.of([power], [level], [chosen.first_is_p], 1 - audited.failure, basis)
    return audited.result(method, points, basis, "bound", learned.edges.size + 1, (learned.intervals(chosen),))


def threshold(audited: Audited) -> ScoreAudit:
    """One threshold with Clopper-Pearson limits; the epsilon of KM-6.1, corrected. The threshold comes from
    other rows.
    """
    return _limited(audited, "threshold", (clopper_pearson_lower, clopper_pearson_upper), "guaranteed")


def threshold_jeffreys(audited: Audited) -> ScoreAudit:
    """The same with Jeffreys limits, which fail somewhat more often than stated for some probabilities."""
    return _limited(audited, "threshold-jeffreys", (jeffreys_lower, jeffreys_upper), "posterior")


def gdp(audited: Audited) -> ScoreAudit:
    """`mu >= Phi^-1(1 - A) - Phi^-1(B)`, A and B Clopper-Pearson upper limits of the two errors (KM-eq2.4), as a
    Gaussian curve.
    """
    found = threshold(audited)
    assert isinstance(found.curve, OperatingPoints)
    level, power = float(found.curve.level[0]), float(found.curve.power[0])
    with np.errstate(divide="ignore"):
        mu = -ndtri(level) - ndtri(1 - power) if level < 1 and power > 0 else 0.0
    return replace(found, method="gdp", curve=GaussianCurve(max(0.0, float(mu))), basis="assumes GDP")


def credible(audited: Audited) -> ScoreAudit:
    """The mu that the Bayesian credible region discredits (KM-eq2.5), as a Gaussian curve."""
    learned, chosen, (n, hits, m, false_alarms) = _attack(audited)
    curve = GaussianCurve(credible_gdp(false_alarms, m, n - hits, n, audited.failure))
    return audited.result("credible", curve, "posterior", "bound", learned.edges.size + 1, (learned.intervals(chosen),))
