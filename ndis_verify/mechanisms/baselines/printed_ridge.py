"""A random projection above a ridge that somebody printed, with the exact delta that the ridge reaches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.calibration import Calibration, Target
from ndis_verify.mechanisms.random_projection import ADD_REMOVE, RandomProjection, certificate


def ridged(
    name: str, level: float, r: int, target: Target, length: float, public: Mapping[str, Any] | None = None
) -> RandomProjection:
    """The projection to r columns above the ridge `level`; unsafe where the lone record of norm l costs more than
    delta.

    Raises `InputError` where the ridge is out of float64's range.
    """
    if not 1e-300 < level < math.inf:
        raise InputError(
            "epsilon", target.epsilon, f"must leave a ridge between 1e-300 and the largest float; it would be {level:g}"
        )
    proof = certificate(length, level, r, target.epsilon)
    unsafe = (
        f"delta reached {proof.delta:.6g} is above the target {target.delta:.6g}" if proof.delta > target.delta else ""
    )
    known = {"norm_bound": length, "r": r, **(public or {})}
    return RandomProjection(Calibration(name, ADD_REMOVE, known, target, {"ridge": level}, proof, unsafe))


def positive_epsilon(target: Target) -> float:
    """epsilon > 0, which the printed formulas divide by. Raises `InputError`."""
    if target.epsilon == 0:
        raise InputError("epsilon", 0.0, "must be positive: the printed ridge divides by it")
    return target.epsilon
