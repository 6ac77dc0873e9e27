"""The sensitivity triple of a pair (N26-D5): the float64 one against its words, in 40 digits."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

from ndis_verify.claim import Kind
from ndis_verify.court.checks import agreement
from ndis_verify.court.points import count, log_uniform
from ndis_verify.fast.sensitivity import loewner_sensitivity

Output = tuple[np.ndarray, np.ndarray]


def _outputs(effort: str) -> list[tuple[Output, Output, float]]:
    """Two outputs, the first the more spread one or the less spread one, and an added variance."""
    rng = np.random.default_rng(71)
    found = []
    for k in range(count(effort, 6, 30)):
        d = 1 + k % 4
        factor, more = (rng.integers(-4, 5, (d, d)) / 4 for _ in range(2))
        spread = log_uniform(rng, 1e-2, 10)
        pair = [(rng.integers(-8, 9, d) / 8, factor @ factor.T + s * more @ more.T) for s in (0.0, spread)]
        first, second = pair if k % 2 else pair[::-1]
        found.append((first, second, log_uniform(rng, 1e-2, 10)))
    return found


def _by_words(part: int) -> Any:
    """Delta, rho_inf or nu of the pair with v I added to both covariances, straight from their definition."""

    def value(first: Output, second: Output, added: float) -> mpmath.mpf:
        with mpmath.workdps(40):
            (mean, cov), (other_mean, other_cov) = first, second
            noise = mpmath.mpf(added) * mpmath.eye(len(mean))
            cov, other = mpmath.matrix(cov.tolist()) + noise, mpmath.matrix(other_cov.tolist()) + noise
            root = mpmath.cholesky(other) ** -1
            if part == 0:
                return mpmath.norm(root * mpmath.matrix((mean - other_mean).tolist()), 2)
            logs = [abs(mpmath.log(lam)) for lam in mpmath.eigsy(root * cov * root.T, eigvals_only=True)]
            return max(logs) if part == 1 else mpmath.fsum(logs)

    return value


def _float(part: int) -> Any:
    return lambda first, second, added: loewner_sensitivity(first, second, added)[part]


def _reversed(part: int) -> Any:
    """The shift in the other covariance; for the others, whose order does not matter, with twice the noise."""
    if part == 0:
        return lambda first, second, added: loewner_sensitivity(second, first, added)[0]
    return lambda first, second, added: loewner_sensitivity(first, second, 2 * added)[part]


TRIPLE = tuple(
    agreement(
        f"{name} of a pair, float64 against its words",
        "fast, mpmath",
        _float(part),
        _by_words(part),
        _outputs,
        digits=9,
        mutants={fault: _reversed(part)},
        kind=Kind.MEANING,
    )
    for part, name, fault in (
        (0, "Delta", "the other covariance"),
        (1, "rho", "twice the noise"),
        (2, "nu", "twice the noise"),
    )
)
