"""The NDIS-calibrated Gaussian mechanism: any Gaussian output N(mu_D, S_D), released with calibrated noise N(0, v I)
(N26-Fig5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError, as_exact
from ndis_verify.fast.accuracy import digits, margin, promise
from ndis_verify.fast.covariance_shift import Sensitivities, loewner_bound
from ndis_verify.fast.covariance_shift import added_variance as split_variance
from ndis_verify.fast.engine.cell_search import Largest
from ndis_verify.fast.joint_shift import Declared, Prediction, RankOne
from ndis_verify.fast.joint_shift import added_variance as joint_variance
from ndis_verify.mechanisms.calibration import (
    Calibration,
    Certificate,
    Target,
    choice,
    number,
    positive,
    raised,
    require_adjacency,
    require_function,
    require_kind,
    whole,
)
from ndis_verify.mechanisms.exact.grid import Release, grid_exponent, releasing
from ndis_verify.mechanisms.exact.outputs import Draw, float_law, release_draw
from ndis_verify.mechanisms.exact.stream import Stream
from ndis_verify.mechanisms.records import number_values
from ndis_verify.mechanisms.white_box import OutputLaw

Bound = Literal["joint", "exact", "corrected", "chernoff", "printed"]
BOUNDS = ("joint", "exact", "corrected", "chernoff", "printed")
Sensitivity = Literal["joint", "improved", "printed"]
SENSITIVITIES = ("joint", "improved", "printed")
Envelope = Sensitivities | RankOne | Prediction
Output = Callable[[Any], tuple[ArrayLike, ArrayLike]]
ExactLaw = Callable[[Any, float], tuple[Draw, int]]
ADD_REMOVE = "one record added or removed"
UNSAFE = "the printed covariance bound (N26-L2) does not hold in the direction that it is used in: N26-Fig5 is refuted"
_ASYMMETRY = (
    1e-6  # relative to the largest entry: an inverse of condition 1e10 is as far from symmetric; the mean is taken
)
_NEGATIVE = 1e-12  # relative to d times the largest eigenvalue: how far below 0 rounding may leave the least
_TERMS = {"exact": "exact", "corrected": "bound", "chernoff": "chernoff", "printed": "printed"}
_TITLES = {
    "exact": "two steps, exact covariance term (N26-D6-exact, N26-T6.1-corrected)",
    "corrected": "two steps, N26-L2-corrected (N26-D6-corrected, N26-T6.1-corrected)",
    "chernoff": "two steps, literal Chernoff covariance term (N26-L2-corrected without its factor)",
    "printed": "two steps as printed, judged by the exact covariance term (N26-Fig5)",
}


@dataclass(frozen=True)
class CalibratedGaussian:
    """N(mu_D, S_D + v I): the output of a Gaussian-output algorithm with noise of variance v in every coordinate.

    output(data) gives (mu_D, S_D), d entries and d x d, and checks the data against the public bounds. scale: a public
    number that fixes the grid of a release, by default sqrt(v). law(data, v): a draw from N(mu_D, S_D + v I) in balls;
    without it the numbers that `output` gives are meant exactly.
    """

    calibration: Calibration
    output: Output
    scale: float | None = None
    law: ExactLaw | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        require_kind(self.calibration, None, "variance")
        require_function(self.output, "output")
        if self.scale is not None:
            object.__setattr__(self, "scale", positive(self.scale, "scale"))
        if self.law is not None:
            require_function(self.law, "law")

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> Release:
        """One draw, d entries, rounded exactly to the grid of `scale`.

        Raises `UnsafeRelease`, and `InputError`, also where no noise is added and no scale is given: such a release has
        no public grid.
        """
        self.calibration.require_safe()
        stream, variance = Stream(rng), self.added_variance
        draw, normals = (
            self.law(data, variance) if self.law else float_law(*_mean_and_covariance(self.output(data)), variance)
        )
        exponent = grid_exponent(math.sqrt(variance) if self.scale is None else self.scale, "scale")
        return release_draw(draw, normals, stream, exponent)

    def output_law(self, data: Any) -> OutputLaw:
        """N(mu_D, S_D + v I): what `release` samples from.

        Raises `InputError` where S_D is not a finite d x d covariance for d finite means, symmetric and positive
        semidefinite up to rounding (1e-6 of its largest entry, d 1e-12 of its largest eigenvalue).
        """
        mean, cov = _mean_and_covariance(self.output(data))
        noise = self.added_variance * np.eye(len(mean))
        return OutputLaw(mean, cov + (as_exact(noise) if cov.dtype == object else noise))

    @property
    def added_variance(self) -> float:
        """v, public."""
        return self.calibration.noise["variance"]


@keyword_only
def calibrated_gaussian(
    output: Output,
    sensitivity: Envelope,
    *,
    epsilon: Any,
    delta: Any,
    bound: Bound = "joint",
    public: Mapping[str, Any] | None = None,
    mechanism: str = "calibrated Gaussian",
    adjacency: str = ADD_REMOVE,
    scale: float | None = None,
    law: ExactLaw | None = None,
) -> CalibratedGaussian:
    """The Gaussian-output algorithm `output` with the least noise that `bound` allows, (epsilon, delta)-DP (N26-Fig5).

    Parameters
    ----------
    output : data -> (mu_D, S_D), d entries and d x d.
    sensitivity : v -> (Delta, rho, nu, dimension), nonincreasing in v, or an envelope of `fast.joint_shift`.
        The triple of N26-D5 after noise of variance v: over every ordered pair of neighbours, Delta bounds the mean
        shift |(S_D + v I)^{-1/2}(mu_D - mu_D')| (in the smaller covariance, as both orders count), rho the greatest
        |l_i| and nu the sum of the |l_i|, the logs of the eigenvalues of S_D + v I relative to S_D' + v I; dimension
        bounds how many of them are not 0. So rho <= nu <= dimension rho, or it is refused: a sum in which logs of
        both signs cancel is not nu. Every pair must be comparable in the Loewner order, S_D - S_D' or S_D' - S_D
        positive semidefinite; v drops out, so it does not help. `fast.sensitivity.loewner_sensitivity` has the triple
        of one pair and refuses the others. That it bounds every pair of neighbours is declared, not checked.
    bound : "joint": the exact worst pair of a scalar or rank-one envelope (N26-D6-joint); "exact", "corrected",
    "chernoff":
        N26-T6.1-corrected with the covariance term of that name, for a triple; "printed": N26-Fig5 as printed, for
        comparison, which cannot release.
    public, mechanism : the public numbers and the name that the calibration states.
    adjacency : the neighbours that the sensitivity was declared for.
    epsilon, delta : epsilon >= 0, 0 < delta < 1.
    scale, law : how a release is rounded and drawn, see `CalibratedGaussian`. Where no noise turns out to be needed a
        release takes a `scale`: a public number of about the output's own standard deviation.

    Raises
    ------
    InputError
        For bad input, at a variance of the search where the sensitivity is no such triple, and where no variance is
        enough.

    Examples
    --------
    >>> from ndis_verify.mechanisms import calibrated_gaussian
    >>> mechanism = calibrated_gaussian(  # a mean that moves by at most 1: the Gaussian mechanism
    ...     lambda data: ([float(data)], [[0.0]]),
    ...     lambda v: (float("inf") if v == 0 else v**-0.5, 0.0, 0.0, 1),
    ...     epsilon=1.0, delta=1e-5, bound="exact",
    ... )
    >>> print(f"{mechanism.added_variance**0.5:.4f}")
    3.7306
    """
    target = Target(epsilon=epsilon, delta=delta)
    if not 0 < target.delta < 1:
        raise InputError("delta", delta, "must lie strictly between 0 and 1")
    choice(bound, "bound", BOUNDS)
    envelope = sensitivity if isinstance(sensitivity, (RankOne, Prediction)) else _checked(sensitivity)
    if not (public is None or isinstance(public, Mapping)):
        raise InputError("public", type(public).__name__, "must be a mapping")
    if not isinstance(mechanism, str):
        raise InputError("mechanism", type(mechanism).__name__, "must be a name")
    require_function(output, "output")
    require_adjacency(adjacency)
    variance, certificate = _least_noise(envelope, target, bound)
    calibration = Calibration(
        mechanism=f"{mechanism}, {bound} bound",
        adjacency=adjacency,
        public=dict(public or {}),
        target=target,
        noise={"variance": variance},
        certificate=certificate,
        unsafe=UNSAFE if bound == "printed" else "",
    )
    return CalibratedGaussian(calibration, output, scale, law)


def calibrated_posterior(
    mechanism: str,
    output: Output,
    law: ExactLaw,
    envelopes: Mapping[Sensitivity, Callable[[], Envelope]],
    public: Mapping[str, Any],
    least: float | None,
    *,
    epsilon: Any,
    delta: Any,
    sensitivity: Sensitivity,
    bound: Bound,
) -> CalibratedGaussian:
    """The draw from a posterior with the least noise that `bound` allows for the chosen one of `envelopes`.

    least: a public number that fixes the grid, at most about the variance of any output; None leaves the grid to the
    noise.
    """
    found = calibrated_gaussian(
        output,
        envelopes[sensitivity](),
        epsilon=epsilon,
        delta=delta,
        bound=bound,
        public={**public, "sensitivity": sensitivity},
        mechanism=mechanism,
        law=law,
    )
    if least is None or found.added_variance + least == 0:
        return found
    return replace(found, scale=math.sqrt(found.added_variance + least))


def _checked(sensitivities: Sensitivities) -> Sensitivities:
    """The function of v, which raises `InputError` where it does not give a triple and a dimension."""
    if not callable(sensitivities):
        raise InputError(
            "sensitivity", type(sensitivities).__name__, "must be a function of the variance, or an envelope"
        )

    def at(variance: float) -> tuple[float, float, float, int]:
        found = sensitivities(variance)
        if not isinstance(found, (tuple, list)) or len(found) != 4:
            raise InputError("sensitivity", type(found).__name__, "must give (Delta, rho, nu, dimension)")
        shift, greatest, total = (number(x, "sensitivity", 0.0, math.inf, math.inf) for x in found[:3])
        return shift, greatest, total, whole(found[3], "sensitivity")

    return at


def _mean_and_covariance(output: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance, checked: in float64, or in Fractions where float64 would round an entry."""
    if not isinstance(output, (tuple, list)) or len(output) != 2:
        raise InputError("output", type(output).__name__, "must be a mean and a covariance")
    given = [number_values(part, "output") for part in output]
    mean, cov = np.atleast_1d(given[0].rounded), np.atleast_2d(given[1].rounded)
    if mean.ndim != 1 or not mean.size or cov.shape != (mean.size, mean.size):
        raise InputError("output", f"shapes {mean.shape} and {cov.shape}", "must be d means and a d x d covariance")
    if np.abs(cov - cov.T).max() > _ASYMMETRY * np.abs(cov).max():
        raise InputError("output", f"covariances {np.abs(cov - cov.T).max():g} apart", "must be symmetric")
    cov = cov / 2 + cov.T / 2
    values = np.linalg.eigvalsh(cov)
    if values[0] < -_NEGATIVE * mean.size * max(values[-1], 0.0):
        raise InputError("output", f"least eigenvalue {values[0]:g}", "must have a positive semidefinite covariance")
    if given[1].exact:
        exactly = np.atleast_2d(given[1].array())
        cov = (exactly + exactly.T) / 2
    return np.atleast_1d(given[0].array()), cov


def _least_noise(envelope: Envelope, target: Target, bound: Bound) -> tuple[float, Certificate]:
    """The least variance that the bound allows, and what it certifies there."""
    if bound == "joint":
        return _joint(envelope if isinstance(envelope, (RankOne, Prediction)) else Declared(envelope), target)
    if isinstance(envelope, (RankOne, Prediction)):
        raise InputError("bound", bound, "must be joint for an envelope; the others take a triple of sensitivities")
    return _split(envelope, target, bound)


def _joint(envelope: Declared | RankOne | Prediction, target: Target) -> tuple[float, Certificate]:
    """The variance, and the bound over the whole envelope as found once more at that variance."""
    variance, _ = joint_variance(envelope, epsilon=target.epsilon, delta=target.delta)
    found = envelope.largest(variance, target.epsilon)
    if isinstance(envelope, Prediction):
        title = "exact worst neighbours of a prediction (N26-Pr8-joint)"
        worst = {"others' share z": found.point[0], "variance at the new point over noise x": found.point[1]}
    else:
        title = "exact worst pair of a rank-one envelope (N26-D6-joint)"
        worst = {"share of the shift along the moved direction": found.point[0]}
    return variance, Certificate(
        title, worst, raised(math.exp(found.upper), margin("worst pair of an envelope")), _digits(found)
    )


def _digits(found: Largest) -> int:
    """Decimal digits that the bound shares with the value at the worst pair."""
    apart = found.upper - found.attained if found.upper > found.attained else 0.0
    return digits(math.expm1(min(apart, 1.0)) + 2 * margin("worst pair of an envelope"))


def _split(sensitivities: Sensitivities, target: Target, bound: str) -> tuple[float, Certificate]:
    """The variance, and the bound at its sensitivities."""
    term = _TERMS[bound]
    error = margin("bound of two steps")
    variance = split_variance(sensitivities, epsilon=target.epsilon, delta=target.delta * (1 - 2 * error), term=term)
    shift, rho, nu, dimension = sensitivities(variance)
    judged = loewner_bound(shift, rho, nu, dimension, target.epsilon, "exact" if bound == "printed" else term)
    worst = {"Delta": shift, "rho": rho, "nu": nu, "dimension": dimension}
    return variance, Certificate(_TITLES[bound], worst, raised(judged, error), digits(promise("search over splits")))
