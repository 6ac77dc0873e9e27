"""The claim about mean and covariance moved together by rank one: the exact worst pair of an envelope."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ndis_verify.claim import Verdict
from ndis_verify.claims.joint_shift.neighbours import GROWS, WORST
from ndis_verify.court.attack import log_margin
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.domain import Domain, continuous
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_log_delta
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real


def _directions(
    growth: np.ndarray, along: np.ndarray, across: np.ndarray, epsilon: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """log delta of N(0, diag(1 + growth, 1)) against N((m1, m2), I), and of the swapped pair."""
    alpha = np.stack([growth, np.zeros(growth.shape)], axis=-1)
    laws = Spectrum(alpha, np.stack([along, across], axis=-1), 1, np.log1p(alpha))
    rows = np.arange(growth.size)
    there, back = (
        to_log_delta(log_entries(law, rows, np.asarray(epsilon, dtype=float))) for law in (laws, laws.swapped())
    )
    return there, back


_PAIRS = Domain(
    (
        continuous("kept", "0.001", 100, "log"),
        continuous("lost", "0.001", 100, "log"),
        continuous("shift", "0.01", 5, "log"),
        continuous("y", "0.0001", "0.9999", "logit"),
        continuous("c", "0.0001", "0.9999", "logit"),
        continuous("epsilon", "0.001", 5, "log"),
    )
)


def _image_margin(share: Callable = lambda y, c: c * y, size: float = 1.0):
    """log delta of the source at y = 1, share c y, over that of the pair at (y, c), the lesser of the two directions; v
    = 1.
    """

    def margin(kept, lost, shift, y, c, epsilon) -> np.ndarray:
        part, square = share(y, c), (size * shift) ** 2
        source = _directions(lost / (1 + kept), square * part / (1 + kept), square * (1 - part), epsilon)
        small = 1 + y * kept
        image = _directions(y * lost / small, shift**2 * c / small, shift**2 * (1 - c), epsilon)
        return np.minimum(*(log_margin(first, second) for first, second in zip(source, image)))

    return margin


_IMAGE_ATTACK = attack_check(
    "the pair at (1, c y) over the one at (y, c), both directions",
    _image_margin(),
    _PAIRS,
    mutants={"share c for c y": _image_margin(lambda y, c: c), "a shorter shift": _image_margin(size=0.99)},
    tolerance=1e-8,
    quick=400,
    full=20_000,
)


def _shift_margin(grow: float = 1.0):
    """log delta with a longer m1 and with a longer m2 over the pair itself, both directions."""

    def margin(kept, lost, shift, y, c, epsilon) -> np.ndarray:
        growth, along, across = lost / (1 + kept), shift**2 * c, shift**2 * (1 - c)
        here = _directions(growth, along, across, epsilon)
        factor = 1 + grow * y
        more = (
            _directions(growth, along * factor, across, epsilon),
            _directions(growth, along, across * factor, epsilon),
        )
        return np.minimum.reduce([log_margin(value, base) for found in more for value, base in zip(found, here)])

    return margin


_SHIFT_ATTACK = attack_check(
    "a longer shift over the pair, both directions",
    _shift_margin(),
    _PAIRS,
    mutants={"a shorter shift": _shift_margin(-0.5)},
    tolerance=1e-8,
    quick=400,
    full=20_000,
)


_RANK_ONE = statement(
    "delta_normal(0 e, v I + y (k + h) e e^T, z, v I + y k e e^T; eps)"
    " <= delta_normal(0 e, v I + (k + h) e e^T, w, v I + k e e^T; eps)"
    ", and delta_normal(z, v I + y k e e^T, 0 e, v I + y (k + h) e e^T; eps)"
    " <= delta_normal(w, v I + k e e^T, 0 e, v I + (k + h) e e^T; eps)",
    *("v > 0", "k >= 0", "h >= 0", "U >= 0", "0 <= t <= U", "0 <= y <= 1", "0 <= c <= 1", "eps >= 0"),
    where={"e": "(1, 0)", "z": "t (sqrt(c), sqrt(1 - c))", "w": "U (sqrt(c y), sqrt(1 - c y))"},
    over=(
        *(real("v", "0.1", 10, "log"), real("y", 0, 1), real("k", 0, 5), real("h", 0, 10), real("eps", 0, 5)),
        *(real("t", 0, 5), real("U", 0, 5), real("c", 0, 1)),
    ),
)
CLAIMS = (
    stated_claim(
        id="N26-D6-joint",
        source="N26",
        title="the exact worst pair of a rank-one envelope, mean and covariance together",
        stated=_RANK_ONE,
        about=(
            "Over N(0, v I + y (k + h) e e^T) and N(u, v I + y k e e^T), 0 <= y <= 1, |u| <= U, e any direction, both"
            " orders, the divergence is greatest at y = 1, |u| = U: one number is left, the share of |u|^2 along e."
            " Here in the plane of e and u = z, of which the share c is along e: the pair (y, c) is a post-processing"
            " of (1, c y), where u = w."
        ),
        search={"quick": 200, "full": 4_000},
        declared=Verdict.PROVED,
        checks=(GROWS, WORST, _IMAGE_ATTACK, _SHIFT_ATTACK),
        note=(
            "With k = 0 and v = 1 this is the envelope (Delta, rho, nu) of N26-D5 with nu = rho = log(1 + g), for"
            " covariances that differ by rank one: d = 1, or a record that adds x x^T. The share is usually 1 or 0, not"
            " always. A cell of shares is bounded by the most along e with the most across it, so the largest value is"
            " enclosed. N26-Pr8's printed sensitivities at eps = 1, delta = 1e-5 (n = 16, B = 0.5, s^2 = 250, l = 1)"
            " then need v = 8.0363 (8.6476 with two steps and the exact covariance term); N26-Pr7-improved's 4.1106"
            " (4.1685)."
        ),
    ),
)
