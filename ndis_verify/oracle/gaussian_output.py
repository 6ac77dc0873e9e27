"""The added variance of the calibrated Gaussian mechanism to any number of digits, certified (N26-Fig5 and what
replaces it).

A declared pair at added variance v: `Triple(square, growth)`, the squared mean shift whitened by the smaller covariance
and e^rho - 1 of the one eigenvalue that moves; both are rational functions of v. bound "exact", "corrected",
"chernoff", "printed": the bounds of two steps, by `split_bound.added_variance`, which takes any declared triple.
"printed" is the noise of N26-Fig5 as printed, which does not protect.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath

from ndis_verify.arguments import one_of, positive
from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, to_mpf
from ndis_verify.oracle.certified.engine.summit_root import NoCrossing, crossing
from ndis_verify.oracle.certified.joint_shift.curve import ShareCurve
from ndis_verify.oracle.engine.inputs import checked_calibration, checked_count
from ndis_verify.oracle.general_bound.bound import Logarithm, Sensitivity
from ndis_verify.oracle.general_bound.bound import added_variance as split_variance
from ndis_verify.oracle.joint_shift import Prediction, RankOne, added_variance

SENSITIVITIES = ("joint", "improved", "printed")
BOUNDS = ("joint", "exact", "corrected", "chernoff", "printed")
_FARTHEST = 2**11  # of log v, for sensitivities that may not fall
_TERMS = {"exact": "exact", "corrected": "bound", "chernoff": "chernoff", "printed": "printed"}


class Triple(NamedTuple):
    """The sensitivities at one added variance."""

    square: Fraction
    growth: Fraction


Sensitivities = Callable[[Fraction], Triple]


@keyword_only
def logistic_regression(
    dimension: Any,
    *,
    penalty: Any,
    norm_bound: Any,
    epsilon: Any,
    delta: Any,
    sensitivity: str = "joint",
    records: Any = None,
    digits: int = 15,
    bound: str = "joint",
) -> Enclosure:
    """The added variance of Bayesian logistic regression (N26-Pr7); arguments as the mechanism's, exact numbers.

    sensitivity "joint": the exact envelope, free of the dimension and of the number of records; "improved": the triple
    of N26-Pr7-improved; "printed": that of N26-Pr7. bound "joint": the exact worst pair, of the printed triple in one
    dimension only, where its nu is rho; "exact", "corrected", "chernoff", "printed": two steps, for a triple. Raises
    `InputError`, `PrecisionError`.
    """
    width, strength, length = checked_count(dimension), positive(penalty, "penalty"), positive(norm_bound, "norm_bound")
    _checked(sensitivity, bound)
    part = length**2 / 4
    kept, shift = 1 / (strength + part), length / strength
    if sensitivity == "joint":
        return added_variance(RankOne(kept, part * kept / strength, shift), epsilon=epsilon, delta=delta, digits=digits)
    least = 1 / (strength + checked_count(records) * part) if records is not None else Fraction(0)
    if sensitivity == "printed" and records is None:
        raise InputError("records", records, "must be given: the printed sensitivities need a public cap on n")
    if sensitivity == "printed" and width > 1 and bound == "joint":
        raise InputError(
            "dimension",
            dimension,
            "must be 1 with the joint bound: the exact worst pair is known for one moved eigenvalue",
        )

    def at(v: Fraction) -> Triple:
        square = shift**2 / (v + least)
        if sensitivity == "printed":
            return Triple(square, (1 / strength - least) / (v + least))
        return Triple(square, part * kept / strength / (v + kept))

    return _calibrated(at, width if sensitivity == "printed" else 1, epsilon, delta, digits, bound)


@keyword_only
def gaussian_process(
    *,
    noise_variance: Any,
    label_bound: Any,
    norm_bound: Any,
    records: Any,
    epsilon: Any,
    delta: Any,
    sensitivity: str = "joint",
    digits: int = 15,
    bound: str = "joint",
) -> Enclosure:
    """The added variance of a Gaussian-process prediction (N26-Pr8); arguments as the mechanism's from `noise_variance`
    on, exact numbers.

    sensitivity "joint": `joint_shift.Prediction`, any digits; "improved", "printed": the triples; bound as in
    `logistic_regression`. Raises `InputError`, `PrecisionError`.
    """
    noise, label, length = (
        positive(noise_variance, "noise_variance"),
        positive(label_bound, "label_bound"),
        positive(norm_bound, "norm_bound"),
    )
    _checked(sensitivity, bound)
    cap, square = checked_count(records), length**2
    if sensitivity == "joint":
        return added_variance(Prediction(length, label, noise, cap), epsilon=epsilon, delta=delta, digits=digits)
    few = cap * square <= noise
    step = (square * label * cap / (noise + cap * square)) ** 2 if few else square * label**2 * cap / noise / 4

    def at(v: Fraction) -> Triple:
        if sensitivity == "printed":
            return Triple(square * label**2 * cap / noise / v, square / v)
        return Triple(step / v, square**2 / (square + noise) / (v + square * noise / (square + noise)))

    return _calibrated(at, 1, epsilon, delta, digits, bound)


@keyword_only
def calibrated_gaussian(sensitivities: Sensitivities, *, epsilon: Any, delta: Any, digits: int = 15) -> Enclosure:
    """The least added variance at which the exact worst pair of a declared triple meets the target (N26-D6-joint),
    certified.

    sensitivities: v -> `Triple`, nonincreasing in v; a triple (Delta, rho, nu) of N26-D5 with nu = rho is (Delta^2,
    e^rho - 1). epsilon >= 0, delta in (0, 1). Raises `InputError`, also for sensitivities with which no v in reach is
    the least, as they fall too little or are too small everywhere, and `PrecisionError`.
    """
    _, epsilon, delta, digits = checked_calibration("scale", 1, epsilon, delta, digits)

    seen: dict[Fraction, Triple] = {}

    def curves(v: Fraction) -> list[ShareCurve]:
        seen[v] = square, growth = Triple(*sensitivities(v))
        if any(
            (here < square or low < growth) if w < v else (here > square or low > growth)
            for w, (here, low) in seen.items()
            if w != v
        ):
            raise InputError(
                "sensitivities", f"larger at a larger v, near {mpmath.nstr(to_mpf(v), 6)}", "must not grow with v"
            )
        return [ShareCurve(Fraction(1), Fraction(1), growth, square, epsilon, swapped) for swapped in (False, True)]

    try:
        return crossing(curves, delta, mpmath.mpf(0), digits, grows=False, farthest=_FARTHEST)
    except NoCrossing as error:
        raise InputError(
            "sensitivities", str(error), "must fall with v, from above what the target allows to below it"
        ) from None


def _calibrated(at: Sensitivities, dimension: int, epsilon: Any, delta: Any, digits: int, bound: str) -> Enclosure:
    """By the exact worst pair, or by two steps with all of `dimension` eigenvalues moved alike (nu = dimension rho)."""
    if bound == "joint":
        return calibrated_gaussian(at, epsilon=epsilon, delta=delta, digits=digits)

    def spread(v: Fraction) -> Sensitivity:
        square, growth = at(v)
        return Sensitivity(square, Logarithm(1 + growth), Logarithm(1 + growth, dimension), dimension)

    return split_variance(spread, epsilon=epsilon, delta=delta, term=_TERMS[bound], digits=digits)


def _checked(sensitivity: str, bound: str) -> None:
    for name, value, allowed in (("sensitivity", sensitivity, SENSITIVITIES), ("bound", bound, BOUNDS)):
        one_of(value, name, allowed)
    if sensitivity == "joint" != bound:
        raise InputError("bound", bound, "must be joint for the joint sensitivity; the others take a triple")
