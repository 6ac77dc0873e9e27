"""Attacks on the ordering claims that are proved: a second line of defence, and what `ndis-verify attack ID`
searches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.claim import Check
from ndis_verify.court.attack import enclosed_difference, relative_margin
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.domain import Domain, Point, continuous, integer
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.fast.random_projection import rp_hockey_stick as fast_rp_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick as certified_rp_hockey_stick

_TOLERANCE = 1e-10  # ten times the documented error of the fast engine
_LEVERAGE = continuous("p", "1e-9", "0.999999", "logit")
_COLUMNS = integer("r", 1, 1000, "log")
_EPSILON = continuous("epsilon", "1e-6", 50, "log")
_STEP = continuous("step", "1e-6", "0.999", "logit")  # how far towards 1 the larger leverage lies


def _raised(p: Any, step: Any) -> Any:
    return p + (1 - p) * step * 0.999


def _leverage_margin(p, step, r, epsilon, sign: int = 1) -> np.ndarray:
    low, high = fast_rp_hockey_stick(p, r, epsilon), fast_rp_hockey_stick(_raised(p, step), r, epsilon)
    return relative_margin(high, low) if sign > 0 else relative_margin(low, high)


def _order_margin(p, r, epsilon, sign: int = 1) -> np.ndarray:
    delete, insert = fast_rp_hockey_stick(p, r, epsilon), fast_rp_hockey_stick(p, r, epsilon, "insert")
    return relative_margin(delete, insert) if sign > 0 else relative_margin(insert, delete)


def _order_certified(at: Point) -> Any:
    delete, insert = (certified_rp_hockey_stick(at["p"], at["r"], at["epsilon"], way) for way in ("delete", "insert"))
    return enclosed_difference(delete, insert)


def _shift_margin(shift, factor, epsilon, sign: int = 1) -> np.ndarray:
    low, high = (
        fast_gaussian_hockey_stick(shift, 1.0, epsilon),
        fast_gaussian_hockey_stick(shift * (1 + factor), 1.0, epsilon),
    )
    return relative_margin(high, low) if sign > 0 else relative_margin(low, high)


def increases_with_leverage() -> Check:
    """No pair of leverages with the deletion curve of the larger below that of the smaller."""
    return attack_check(
        "search for a leverage at which the deletion curve falls",
        _leverage_margin,
        Domain((_LEVERAGE, _STEP, _COLUMNS, _EPSILON)),
        mutants={"the reverse order": lambda p, step, r, epsilon: _leverage_margin(p, step, r, epsilon, -1)},
        tolerance=_TOLERANCE,
    )


def deletion_above_insertion() -> Check:
    """No (p, r, eps) with insertion above deletion."""
    return attack_check(
        "search for a point where insertion exceeds deletion",
        _order_margin,
        Domain((_LEVERAGE, _COLUMNS, _EPSILON)),
        mutants={"the reverse order": lambda p, r, epsilon: _order_margin(p, r, epsilon, -1)},
        certify=_order_certified,
        tolerance=_TOLERANCE,
    )


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
