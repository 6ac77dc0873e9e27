"""Calibrations of other authors, to compare with: their printed noise, and the exact delta that it reaches."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ndis_verify.calibrator import keyword_only
from ndis_verify.mechanisms.baselines.blocki import blocki
from ndis_verify.mechanisms.baselines.laplace import LaplaceMechanism, laplace_mechanism
from ndis_verify.mechanisms.baselines.mutual_information import mutual_information
from ndis_verify.mechanisms.baselines.sheffet import SketchedLeastSquares, sheffet, sheffet_least_squares
from ndis_verify.mechanisms.random_projection import RandomProjection, random_projection

PROJECTIONS: dict[str, Callable[..., RandomProjection]] = {
    "smallest": random_projection,
    "N26-Fig1": functools.partial(random_projection, ridge="N26-Fig1"),
    "Sheffet 2019": sheffet,
    "Blocki et al. 2012": blocki,
    "MI-DP, binary channel": mutual_information,
    "MI-DP, Pinsker": functools.partial(mutual_information, conversion="pinsker"),
}


@keyword_only
def projection_table(r: Any, *, epsilon: Any, delta: Any, norm_bound: Any = 1.0) -> list[dict[str, Any]]:
    """One row per way to calibrate a random projection: ridge, std of the noise, its ratio to the smallest, exact
    delta.

    Arguments as `random_projection`. Raises `InputError`.
    """
    calibrations = {
        name: make(r, epsilon=epsilon, delta=delta, norm_bound=norm_bound).calibration
        for name, make in PROJECTIONS.items()
    }
    least = calibrations["smallest"].noise["ridge"]
    return [
        {
            "method": name,
            "ridge": calibration.noise["ridge"],
            "std": calibration.noise["ridge"] ** 0.5,
            "std_ratio": (calibration.noise["ridge"] / least) ** 0.5,
            "certified_delta": calibration.certificate.delta,
            "safe": not calibration.unsafe,
        }
        for name, calibration in calibrations.items()
    ]


__all__ = [
    "PROJECTIONS",
    "LaplaceMechanism",
    "SketchedLeastSquares",
    "blocki",
    "laplace_mechanism",
    "mutual_information",
    "projection_table",
    "sheffet",
    "sheffet_least_squares",
]
