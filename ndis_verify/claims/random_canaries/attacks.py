"""The attacks on the claims about random canaries."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from ndis_verify.claims.score_auditing.attacks import shifted
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import continuous, vector
from ndis_verify.court.margins import box, identity, search
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_delta

TOTAL_VARIATION = identity(
    "2 Phi(1/(2s)) - 1 against the contour integral at eps = 0",
    lambda std: 2 * ndtr(0.5 / std) - 1,
    lambda std: shifted(std, 0.0),
    box(continuous("std", "0.05", 1000, "log")),
    {"2 (1 - Phi(1/(2s)))": lambda std: 2 - 2 * ndtr(0.5 / std)},
)


def _gram_loss(columns, share=0.25):
    """(|A|_F^2 + |m|^2)/4 over the square of the total variation of N(m, I + A) and N(0, I), |A|_F <= 1/2."""
    names = [f"a_{i}" for i in (1, 2, 3)], [f"m_{i}" for i in (1, 2, 3)]
    alpha, shift = (np.stack([np.asarray(columns[n]) for n in part], axis=-1) for part in names)
    alpha = alpha * np.minimum(1, 0.5 / np.maximum(np.linalg.norm(alpha, axis=-1, keepdims=True), 1e-300))
    alpha = np.where(np.abs(alpha) < 1e-9, 1e-9, alpha)
    variation = to_delta(log_entries(Spectrum(alpha, shift**2), np.arange(len(alpha)), np.zeros(len(alpha))))
    return relative_margin(share * ((alpha**2).sum(axis=-1) + (shift**2).sum(axis=-1)), variation**2)


CANARIES = search(
    "the bound on the total variation of the scores given the canaries, three scores",
    lambda **c: _gram_loss(c),
    box(vector("a", 3, "-0.5", "0.5"), vector("m", 3, "0.001", 2, "log")),
    {"a tenth of it": lambda **c: _gram_loss(c, 0.025)},
)

ATTACKS = {
    "KM-C8.2-corrected": TOTAL_VARIATION,
    "KM-8.1": CANARIES,
}
