"""What Poisson-subsampled Gaussian noise costs: one step in closed form, many steps between limits, a peer's
accountant.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtr

from ndis_verify.arguments import whole, within
from ndis_verify.audit.loss_masses import LossMasses
from ndis_verify.exact_number import InputError, float_array
from ndis_verify.fast.accuracy import margin
from ndis_verify.fast.mean_shift import gaussian_hockey_stick

CELLS = 4096
_REACH = 9.0  # standard deviations; the tails beyond hold 2e-19 and are accounted for
_MOST = 2**24


def step_delta(rate: float, noise: float, epsilon: Any) -> np.ndarray:
    """The larger of both divergences of `rate N(1, noise^2) + (1 - rate) N(0, noise^2)` from `N(0, noise^2)` and back.

    One step of DP-SGD with sampling rate q and noise multiplier s is (epsilon, delta)-private under adding or removing
    a record exactly for delta at least that. With H(e) the curve of N(1, s^2) against N(0, s^2) and c = e^epsilon: `q
    H(log((c - 1 + q)/q))` and `(1 - c (1 - q)) H(log(q c/(1 - c (1 - q))))`, 0 where c (1 - q) >= 1. epsilon >= 0, any
    shape. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import step_delta
    >>> print(f"{step_delta(0.5, 1.0, 1.0):.10f}")
    0.0288676178
    """
    _checked(rate, noise)
    eps = float_array(epsilon, "epsilon")
    within(eps, "epsilon", "[0, inf)")
    with np.errstate(over="ignore", divide="ignore"):
        # log((e^eps - 1 + q)/q) = eps + log(1 + (1 - q)(1 - e^-eps)/q)
        added = rate * gaussian_hockey_stick(1.0, noise, eps + np.log1p((1 - rate) / rate * -np.expm1(-eps)))
        weight = rate - (1 - rate) * np.expm1(eps)
        inside = weight > 0
        inner = np.where(inside, np.log(rate) + eps - np.log(np.where(inside, weight, 1.0)), 0.0)
    return np.maximum(added, np.where(inside, weight * gaussian_hockey_stick(1.0, noise, inner), 0.0))


@dataclass(frozen=True, eq=False)
class ComposedStep:
    """Limits of the privacy profile of `steps` independent steps; `upper` and `lower` answer delta at epsilon.

    The likelihood ratio is spread to both ends of each of `CELLS` cells for the upper limit, masses of both laws kept:
    that raises every convex divergence ("connect the dots"; Doroshenko et al. 2022), also of products. For the lower
    limit every loss is rounded down, which takes half of what `composition.grid_composition` gives up there: it knows
    the profile of any pair only, not the masses of cells. The sums are the same (`loss_masses`); 1e-10 is kept for
    their rounding.
    """

    rate: float
    noise: float
    steps: int
    pessimistic: tuple[LossMasses, ...]
    optimistic: tuple[LossMasses, ...]

    def upper(self, epsilon: Any) -> np.ndarray:
        """Delta at epsilon, no smaller than the truth."""
        return np.minimum(_larger(self.pessimistic, epsilon) + margin("composed steps"), 1.0)

    def lower(self, epsilon: Any) -> np.ndarray:
        """Delta at epsilon, no larger than the truth."""
        return np.maximum(_larger(self.optimistic, epsilon) - margin("composed steps"), 0.0)

    def epsilon(self, delta: float) -> float:
        """An epsilon at which delta holds: the upper limit there is at most `delta`. delta > 1e-9. Raises
        `InputError`.
        """
        if not 10 * margin("composed steps") < delta < 1:
            raise InputError("delta", delta, "must lie strictly between 1e-9 and 1")
        low, high = 0.0, max(law.highest for law in self.pessimistic)
        if self.upper(0.0) <= delta:
            return 0.0
        if self.upper(high) > delta:
            return np.inf
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.upper(middle) > delta else (low, middle)
        return high


@lru_cache(maxsize=32)
def composed_step(rate: float, noise: float, steps: int) -> ComposedStep:
    """The profile of `steps` >= 1 steps of the pair of `step_delta`, between limits.

    rate, noise: as in `step_delta`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import composed_step
    >>> steps = composed_step(0.5, 1.0, 4)
    >>> bool(steps.lower(1.0) <= steps.upper(1.0))
    True
    """
    _checked(rate, noise)
    steps = whole(steps, "steps", 1, _MOST // CELLS - 1)
    losses, p, q = _cells(rate, noise)
    step = float(losses[-1] - losses[0]) / CELLS
    # Every loss rounded down, the mass of the far tail included; the other tail is left out. Under q the loss is
    # -log(p/q).
    down = (
        LossMasses(float(losses[0]), step, _with_tail(p[1:-1], p[-1]), 0.0),
        LossMasses(-float(losses[-1]), step, _with_tail(q[-2:0:-1], q[0]), 0.0),
    )
    return ComposedStep(
        rate,
        noise,
        int(steps),
        *(tuple(law.power(int(steps)) for law in laws) for laws in (_spread(losses, p, q), down)),
    )


def _cells(rate: float, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Losses at the edges, in equal distances, and the masses of both laws in the cells and the two tails."""
    low, high = (
        np.logaddexp(np.log1p(-rate) if rate < 1 else -np.inf, np.log(rate) + (2 * x - 1) / (2 * noise**2))
        for x in (-_REACH * noise, 1 + _REACH * noise)
    )
    losses = np.linspace(low, high, CELLS + 1)
    # log p/q = loss  <=>  x = s^2 log((e^loss - 1 + q)/q) + 1/2
    inner = (
        losses[1:-1]
        + np.log(np.maximum(-np.expm1(-losses[1:-1] + (np.log1p(-rate) if rate < 1 else -np.inf)), 1e-300))
        - np.log(rate)
    )
    edges = np.concatenate([[-_REACH * noise], noise**2 * inner + 0.5, [1 + _REACH * noise]])
    edges = np.maximum.accumulate(edges)
    zero, one = _masses(edges / noise), _masses((edges - 1) / noise)
    return losses, rate * one + (1 - rate) * zero, zero


def _masses(edges: np.ndarray) -> np.ndarray:
    """Standard normal masses between neighbouring edges and beyond the last ones, each from the smaller tail."""
    below = np.diff(np.concatenate([[0.0], ndtr(edges), [1.0]]))
    above = -np.diff(np.concatenate([[1.0], ndtr(-edges), [0.0]]))
    return np.where(np.append(edges, np.inf) > 0, above, below)


def _spread(losses: np.ndarray, p: np.ndarray, q: np.ndarray) -> tuple[LossMasses, LossMasses]:
    """The losses of the dominating pair on the grid, in both orders."""
    ratio = np.exp(losses)
    of_q = np.zeros(losses.size)
    inside_p, inside_q = p[1:-1], q[1:-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(inside_q > 0, (inside_p / inside_q - ratio[:-1]) / (ratio[1:] - ratio[:-1]), 0.0)
    share = np.clip(np.nan_to_num(share), 0.0, 1.0)
    of_q[:-1] += (1 - share) * inside_q
    of_q[1:] += share * inside_q
    of_p = of_q * ratio
    of_q[-1] += q[-1]
    of_p[-1] += q[-1] * ratio[-1]
    of_p[0] += p[0]
    of_q[0] += p[0] / ratio[0]
    # What is left of either law has an infinite loss; rounding must not take it below 0.
    rest_p, rest_q = max(1 - of_p.sum(), 0.0), max(1 - of_q.sum(), 0.0)
    step = float(losses[-1] - losses[0]) / CELLS
    return LossMasses(float(losses[0]), step, of_p, rest_p), LossMasses(-float(losses[-1]), step, of_q[::-1], rest_q)


def _with_tail(masses: np.ndarray, tail: float) -> np.ndarray:
    """The mass beyond the largest loss, rounded down to it."""
    masses = masses.copy()
    masses[-1] += tail
    return masses


def _larger(laws: tuple[LossMasses, ...], epsilon: Any) -> np.ndarray:
    """The divergence at epsilon >= 0, the larger of both orders (KM-eq9.1)."""
    eps = float_array(epsilon, "epsilon")
    within(eps, "epsilon", "[0, inf)")
    return np.maximum(*(law.delta(eps) for law in laws))


def accountant_epsilon(rate: float, noise: float, steps: int, delta: float) -> float:
    """Epsilon at `delta` of `steps` steps from dp-accounting's privacy loss accountant (extra `peers`).

    rate, noise: as in `step_delta`. Add-or-remove neighbours, pessimistic. Raises `ModuleNotFoundError` with the remedy
    where the library is absent, `InputError`.
    """
    _checked(rate, noise)
    try:
        library, accountants = (
            importlib.import_module(name) for name in ("dp_accounting", "dp_accounting.pld.pld_privacy_accountant")
        )
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"the accountant needs dp-accounting ({error}): pip install 'ndis_verify[peers]'"
        ) from None
    step = library.PoissonSampledDpEvent(rate, library.GaussianDpEvent(noise))
    return float(accountants.PLDAccountant().compose(step, int(steps)).get_epsilon(delta))


def _checked(rate: Any, noise: Any) -> None:
    within(rate, "rate", "(0, 1]")
    within(noise, "noise", "(0, inf)")
