"""Attacks on the ordering claims that are proved: a second line of defence, and what `ndis-verify attack ID`
searches.
"""

from __future__ import annotations

import numpy as np

from ndis_verify.claim import Check
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.domain import Domain, continuous
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick

_TOLERANCE = 1e-10  # ten times the documented error of the fast engine


def _shift_margin(shift, factor, epsilon, sign: int = 1) -> np.ndarray:
    low, high = (
        fast_gaussian_hockey_stick(shift, 1.0, epsilon),
        fast_gaussian_hockey_stick(shift * (1 + factor), 1.0, epsilon),
    )
    return relative_margin(high, low) if sign > 0 else relative_margin(low, high)


def increases_with_shift() -> Check:
    """No two shifts with the divergence of the larger below that of the smaller."""
    return attack_check(
        "search for a shift at which the divergence falls",
        _shift_margin,
        Domain(
            (
                continuous("shift", "1e-6", 50, "log"),
                continuous("factor", "1e-6", 10, "log"),
                continuous("epsilon", 0, 50),
            )
        ),
        mutants={"the reverse order": lambda shift, factor, epsilon: _shift_margin(shift, factor, epsilon, -1)},
        tolerance=_TOLERANCE,
    )
