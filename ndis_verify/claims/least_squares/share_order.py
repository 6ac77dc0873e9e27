"""Where the divergence of private least squares falls as the residual share leaves 0: searches of both regimes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ndis_verify.claims.least_squares.noise_checks import larger
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.domain import Domain, choice, continuous, integer
from ndis_verify.fast.least_squares.asymptotic_law import log_als_hockey_stick as fast_log_als_hockey_stick

_SIZES = (choice("d", (1, 2, 5)), integer("r", 1, 100, "log"))


def _fall(p: np.ndarray, q: np.ndarray, d: np.ndarray, r: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """log of the larger direction at q = p less that at q."""
    first, second = (larger(fast_log_als_hockey_stick, p, share, d, r, epsilon) for share in (p, q))
    return np.asarray(first - second)


def _small(times: float = 1.0) -> Callable[..., np.ndarray]:
    """At p/(1-p) = x and (q-p)/(1-q) = x/2, x a share of eps/(5 r + 3 d + 10)."""

    def margin(d, r, epsilon, share):
        x = times * epsilon * share / (5 * r + 3 * d + 10)
        p = x / (1 + x)
        return _fall(p, (p + x / 2) / (1 + x / 2), d, r, epsilon)

    return margin


def _far(beyond: float = 0.0) -> Callable[..., np.ndarray]:
    """At q - p a share of p(1-p), or beyond it of what is left of 1 - p: eps makes the rates differ by more than r + d
    + 1, five times or more.
    """

    def margin(p, share, d, r, times):
        room = p * (1 - p)
        step = share * room + beyond * (room + share * (1 - p - room) - share * room)
        q = p + step
        alone, moved = p / (1 - p), np.maximum(step / (1 - q), (1 - q) / (1 - p) ** 2 - 1)
        return _fall(p, q, d, r, times * (r + d + 1) / np.abs(1 / moved - 1 / alone))

    return margin


SMALL = attack_check(
    "p small: half of the odds of p as odds of the share cost less than none",
    _small(),
    Domain((*_SIZES, continuous("epsilon", "0.01", 30, "log"), continuous("share", "0.01", 1, "log"))),
    mutants={"p not small": _small(1000)},
    quick=200,
    full=5_000,
    part="below some p",
)
FAR = attack_check(
    "eps large: a share below p(1-p) costs less than none",
    _far(),
    Domain(
        (
            *(continuous("p", "0.02", "0.9"), continuous("share", "0.02", "0.98"), *_SIZES),
            continuous("times", 5, 50, "log"),
        )
    ),
    mutants={"a share above p(1-p)": _far(1.0)},
    quick=200,
    full=5_000,
    part="beyond some eps",
)
