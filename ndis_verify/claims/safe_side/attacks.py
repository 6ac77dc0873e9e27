"""Calibrations in float64 searched for a target that they miss: the families of `hunts`, global search in
place of a hunt.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.claim import Check
from ndis_verify.court.attack import enclosed_difference, enclosure_of
from ndis_verify.court.domain import Parameter, Point, continuous, integer
from ndis_verify.court.margins import box, search
from ndis_verify.enclosure import Enclosure
from ndis_verify.hunts.closed_forms import FAMILIES
from ndis_verify.hunts.hunt import Family

_TARGETS = (continuous("epsilon", "1e-6", 100, "log"), continuous("delta", "1e-30", "0.4", "log"))


def _margin(family: Family, share: float = 1.0) -> Callable[..., np.ndarray]:
    """(target - delta reached)/target at `share` of the calibrated noise."""

    def margin(**columns: Any) -> np.ndarray:
        columns = {name: np.asarray(column, dtype=float) for name, column in _with_rate(columns).items()}
        return 1 - family.achieved(columns, share * family.calibrate(columns)) / columns["delta"]

    return margin


def _with_rate(columns: dict[str, Any]) -> dict[str, Any]:
    """`part`, where there is one, is how far log(rate) lies from 0 to log(delta)."""
    if "part" not in columns:
        return columns
    rest = {name: column for name, column in columns.items() if name != "part"}
    return rest | {"rate": np.minimum(rest["delta"] ** np.asarray(columns["part"]), 1.0)}


def _certify(family: Family) -> Callable[[Point], Enclosure]:
    """The target less the certified delta, both at the float64 numbers next to a point."""

    def certify(at: Point) -> Enclosure:
        columns = {name: np.array([float(value)]) for name, value in at.items()}
        columns = {name: np.asarray(column, dtype=float) for name, column in _with_rate(columns).items()}
        point = {name: Fraction(float(column[0])) for name, column in columns.items()}
        reached = family.certify(point | {"noise": Fraction(float(family.calibrate(columns)[0]))}, 20)
        return enclosed_difference(enclosure_of(point["delta"], point["delta"]), reached)

    return certify


def _search(name: str, *parameters: Parameter) -> Check:
    family = FAMILIES[name]
    return search(
        f"the target over the delta of the float64 noise: {name}",
        _margin(family),
        box(*_TARGETS, *parameters),
        {"1 per cent less noise": _margin(family, 0.99)},
        certify=_certify(family),
        tolerance=0.0,
        quick=200,
        full=5000,
    )


_BOUND, _ROWS = continuous("norm_bound", "1e-3", "1e3", "log"), integer("r", 1, 10**6, "log")
ATTACKS = {
    "N26-Fig1-safe-side": _search("random projection", _BOUND, _ROWS),
    "N24-Fig8-safe-side": _search("random linear combination", _BOUND, integer("r", 1, 1)),
    "N26-Fig3-safe-side": _search("subsampled random projection", _BOUND, _ROWS, continuous("part", 0, "0.99")),
    "BW-Alg1-safe-side": _search("gaussian mechanism", continuous("sensitivity", "1e-3", "1e3", "log")),
}
