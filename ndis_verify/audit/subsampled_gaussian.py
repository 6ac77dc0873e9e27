"""What Poisson-subsampled Gaussian noise costs: one step in closed form, many steps between limits, a peer's
accountant.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtr

from ndis_verify.arguments import real, whole, within
from ndis_verify.audit.loss_masses import LossMasses
from ndis_verify.exact_number import InputError, float_array
from ndis_verify.fast.accuracy import margin
from ndis_verify.fast.mean_shift import gaussian_hockey_stick

CELLS = 4096
_REACH = 9.0  # standard deviations; the tails beyond hold 2e-19 and are accounted for
_MOST = 2**24
_SMALL = 1e-290  # a mass above it has its digits


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
    rate, noise = _checked(rate, noise)
    eps = float_array(epsilon, "epsilon")
    within(eps, "epsilon", "[0, inf)")
    # At rate 1 the weight may be no number far out: the other order has the same divergence.
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
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
        if not self.upper(high) <= delta:
            return np.inf
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if self.upper(middle) <= delta else (middle, high)
        return high


def composed_step(rate: float, noise: float, steps: int) -> ComposedStep:
    """The profile of `steps` >= 1 steps of the pair of `step_delta`, between limits.

    rate in (0, 1], noise in [1e-8, 1e8], steps up to 4095. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import composed_step
    >>> steps = composed_step(0.5, 1.0, 4)
    >>> bool(steps.lower(1.0) <= steps.upper(1.0))
    True
    """
    rate, noise = _checked(rate, noise, "[1e-8, 1e8]")
    return _composed(rate, noise, whole(steps, "steps", 1, _MOST // CELLS - 1))


@lru_cache(maxsize=32)
def _composed(rate: float, noise: float, steps: int) -> ComposedStep:
    losses, p, q = _cells(rate, noise)
    step = float(losses[-1] - losses[0]) / CELLS
    rounding = 2**-48 * float(np.abs(losses[[0, -1]]).max())  # of the losses at the edges
    # Every loss rounded down, the mass of the far tail included; the other tail is left out. Under q the loss is
    # -log(p/q).
    down = (
        LossMasses(float(losses[0]) - rounding, step, _with_tail(p[1:-1], p[-1]), 0.0),
        LossMasses(-float(losses[-1]) - rounding, step, _with_tail(q[-2:0:-1], q[0]), 0.0),
    )
    up = (replace(law, lowest=law.lowest + rounding) for law in _spread(losses, p, q))
    return ComposedStep(rate, noise, steps, *(tuple(law.power(steps) for law in laws) for laws in (up, down)))


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
    """The losses of the dominating pair on the grid, in both orders.

    Each cell's masses p and q go to its ends so that both sums and the likelihood ratios of the ends are kept; no
    exponential of a loss is formed. Where q is too small for its digits all of p goes up, and all of q to where its own
    loss is larger: what is then missing to 1 has an infinite loss, as have the far tails.
    """
    step = float(losses[-1] - losses[0]) / CELLS
    inside_p, inside_q = p[1:-1], q[1:-1]
    known = (inside_p > _SMALL) & (inside_q > _SMALL)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.clip(np.log(inside_p) - np.log(inside_q) - losses[:-1], 0.0, step)
    up_p = np.where(known, np.expm1(-above) / np.expm1(-step), 1.0)
    up_q = np.where(known, up_p * np.exp(above - step), 0.0)
    of_p, of_q = np.zeros(losses.size), np.zeros(losses.size)
    of_p[:-1] += (1 - up_p) * inside_p
    of_p[1:] += up_p * inside_p
    of_q[:-1] += (1 - up_q) * inside_q
    of_q[1:] += up_q * inside_q
    of_p[0] += p[0]
    of_q[-1] += q[-1]
    # What is left of either law has an infinite loss; rounding must not take it below 0.
    rest_p, rest_q = max(1 - of_p.sum(), 0.0), max(1 - of_q.sum(), 0.0)
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

    rate, noise: as in `step_delta`; steps >= 1, delta in (0, 1). Add-or-remove neighbours, pessimistic. Raises
    `ModuleNotFoundError` with the remedy where the library is absent, `InputError`.
    """
    rate, noise = _checked(rate, noise)
    steps, delta = whole(steps, "steps", 1), real(delta, "delta", "(0, 1)")
    try:
        library, accountants = (
            importlib.import_module(name) for name in ("dp_accounting", "dp_accounting.pld.pld_privacy_accountant")
        )
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"the accountant needs dp-accounting ({error}): pip install 'ndis_verify[peers]'"
        ) from None
    step = library.PoissonSampledDpEvent(rate, library.GaussianDpEvent(noise))
    return float(accountants.PLDAccountant().compose(step, steps).get_epsilon(delta))


def _checked(rate: Any, noise: Any, allowed: str = "(0, inf)") -> tuple[float, float]:
    return real(rate, "rate", "(0, 1]"), real(noise, "noise", allowed)
