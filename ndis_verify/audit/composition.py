"""k-fold composition of a pair through its privacy loss distribution: two sides around the exact curve, and from
histograms (KM-eq9.1).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from ndis_verify.arguments import one_of, real, whole
from ndis_verify.audit.loss_masses import LossMasses
from ndis_verify.exact_number import InputError, float_array
from ndis_verify.fast.accuracy import margin, promise
from ndis_verify.fast.engine.curve import Pair
from ndis_verify.fast.engine.whitening import spectrum
from ndis_verify.fast.hockey_stick import hockey_stick

SIDES = ("pessimistic", "optimistic")
MOST_POINTS = 1 << 22
_TAIL = 1e-16

Curve = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Profile:
    """delta of a pair (P, Q) for epsilon of either sign, in two parts that lose no digits: above(e) = H_{e^e}(P||Q) and
    behind(e) = H_{e^e}(Q||P), both for e >= 0.
    """

    above: Curve
    behind: Curve

    def __call__(self, epsilon: Any) -> np.ndarray:
        """delta at epsilon, finite, of either sign."""
        e = float_array(epsilon, "epsilon")
        return np.where(
            e < 0, -np.expm1(np.minimum(e, 0)) + self.below(np.minimum(e, 0)), self.above(np.maximum(e, 0))
        )[()]

    def swapped(self) -> Profile:
        """The profile of (Q, P)."""
        return Profile(self.behind, self.above)

    def below(self, e: np.ndarray) -> np.ndarray:
        """What `H_{e^e}(P||Q)` is above 1 - e^e for e <= 0: e^e H_{e^-e}(Q||P)."""
        return np.exp(e) * self.behind(-e)


def gaussian_profile(pair: Pair) -> Profile:
    """The profile of one Gaussian pair (N26-L1). Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import gaussian_profile
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(f"{gaussian_profile(pair)(1.0):.12f}")
    0.086150968453
    """
    ahead = spectrum(pair)
    behind = ahead.swapped()
    return Profile(lambda e: hockey_stick(ahead, e), lambda e: hockey_stick(behind, e))


def subsampled_profile(pair: Pair, rate: float) -> Profile:
    """The profile of `rate P + (1 - rate) Q` against Q: Poisson sampling, a record removed; `swapped()`: added (KM-S3).

    `H_a = q H_{(a-1+q)/q}(P||Q)` for a > 1 - q, else 1 - a; q = rate in (0, 1]. pair: one pair, as in
    `gaussian_profile`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import subsampled_profile
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([1], [1], [0], [1])
    >>> print(f"{subsampled_profile(pair, 0.5)(1.0):.10f}")
    0.0288676178
    """
    rate = real(rate, "rate", "(0, 1]")
    whole = gaussian_profile(pair)
    if rate == 1:
        return whole

    def above(e: np.ndarray) -> np.ndarray:
        return rate * whole.above(e + np.log1p((1 - rate) / rate * -np.expm1(-e)))  # log((e^e - 1 + rate)/rate)

    def behind(e: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            weight = rate - (1 - rate) * np.expm1(e)  # 1 - e^e (1 - rate)
        inside = weight > 0
        at = np.log(rate) + np.where(inside, e, 0.0) - np.log(np.where(inside, weight, rate))
        return np.where(inside, weight * whole.behind(at), 0.0)

    return Profile(above, behind)


def composed_bound(
    profile: Profile, copies: int, epsilons: Any, *, step: float = 1e-3, side: str = "pessimistic"
) -> np.ndarray:
    """delta of `copies`-fold composition at every epsilon through dp-accounting (extra `peers`), from one side.

    profile: of one pair; epsilons: any shape, of either sign; step: the grid of losses, in (0, 1].

    - "pessimistic": connect-the-dots (Doroshenko et al. 2022), `create_pmf_pessimistic_connect_dots`: the profile in
      e^epsilon is replaced by its chords, above it as it is convex: never below the exact delta.
    - "optimistic": the same masses one step lower, those at the lowest loss dropped, that of infinite loss at the top
      of the grid. Every mass then lies at or below the losses it came from and (1 - e^{epsilon - s})_+ rises with s, so
      that this is never above the exact delta. (dp-accounting has connect-the-dots for the pessimistic side alone.)

    Ten times our own rounding is added or taken off for the sums in float64. Raises `InputError`;
    `ModuleNotFoundError` that names the extra where dp-accounting is absent.
    """
    at, step = _checked(copies, epsilons, side, step)
    losses = _losses_of(profile, copies, step)
    module = dp_accounting_masses()
    if side == "pessimistic":
        deltas = np.minimum.accumulate(np.clip(profile(losses * step), 0.0, 1.0))
        masses = module.create_pmf_pessimistic_connect_dots(step, losses, deltas).to_dense_pmf()
    else:
        lower, probabilities = _one_step_lower(profile, losses, step)
        masses = module.create_pmf(
            dict(zip(lower.tolist(), probabilities.tolist(), strict=True)), step, 0.0, False
        ).to_dense_pmf()
    if copies > 1:
        masses = masses.self_compose(int(copies))
    found = [masses.get_delta_for_epsilon(float(e)) for e in at.ravel()]
    return _moved(np.reshape(found, at.shape), side, margin("composed masses of others"))


def grid_composition(
    profile: Profile, copies: int, epsilons: Any, *, step: float = 1e-3, side: str = "pessimistic"
) -> np.ndarray:
    """`composed_bound` by this package's own sums: nothing else is needed, and the two can be compared. Raises
    `InputError`.

    profile, copies, epsilons, step, side: as there.

    Examples
    --------
    >>> from ndis_verify.audit import grid_composition
    >>> from ndis_verify.audit import gaussian_profile
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(f"{grid_composition(gaussian_profile(pair), 4, [1.0])[0]:.3f}")
    0.294
    """
    at, step = _checked(copies, epsilons, side, step)
    losses = _losses_of(profile, copies, step)
    if side == "pessimistic":
        law = LossMasses(float(losses[0] * step), step, *dot_masses(profile, losses, step))
    else:
        lower, masses = _one_step_lower(profile, losses, step)
        law = LossMasses(float(lower[0] * step), step, masses, 0.0)
    return _moved(_composed(law, int(copies)).delta(at), side, promise("composed masses"))


def loss_grid(profile: Profile, step: float, tail: float) -> np.ndarray:
    """Whole multiples of `step`, as ints, until what is left of the profile on either side is at most `tail`."""
    step = real(step, "step", "(0, 1]")
    ends = [_end(side, step, tail) for side in (profile.above, lambda e: profile.below(-e))]
    return np.arange(-ends[1], ends[0] + 1)


def dot_masses(profile: Profile, losses: np.ndarray, step: float) -> tuple[np.ndarray, float]:
    """Masses at the losses (around 0) whose profile connects the dots, changes of slope of the chords in e^epsilon, and
    that of infinite loss.

    Below 0 the slopes are those of `below`: the line 1 - e^epsilon has none to add, and tails keep their digits.
    """
    rest = np.where(
        losses < 0, profile.below(np.minimum(losses, 0) * step), profile.above(np.maximum(losses, 0) * step)
    )
    rises = np.diff(rest)
    masses = np.where(losses == 0, 1.0, 0.0)  # the bend of 1 - e^epsilon where it ends
    masses[0] -= rest[0]
    masses[1:] += rises / np.expm1(-step)
    masses[:-1] += rises / np.expm1(step)
    return np.maximum(masses, 0.0), float(rest[-1])


def histogram_composition(p: Any, q: Any, copies: int, epsilons: Any, *, step: float = 1e-4) -> np.ndarray:
    """KM-eq9.1 from two histograms: the larger of both orders' `E[(1 - e^{epsilon - s})_+]`, s the sum of `copies`
    losses.

    p, q: counts or masses of the same bins, one axis each. A bin that is empty under the second law has an infinite
    loss. Losses are rounded up to multiples of `step`, which raises delta by at most copies * step. Raises
    `InputError`.
    """
    first, second = (float_array(values, name) for name, values in (("p", p), ("q", q)))
    bad = first.ndim != 1 or first.shape != second.shape or not (first.sum() > 0 and second.sum() > 0)
    if bad or not (np.isfinite(first).all() and np.isfinite(second).all() and min(first.min(), second.min()) >= 0):
        raise InputError(
            "p, q", (first.shape, second.shape), "must be counts of the same bins, at least 0, neither empty"
        )
    at, step = _checked(copies, epsilons, SIDES[0], step)
    first, second = first / first.sum(), second / second.sum()
    return np.maximum(
        *(_one_order(one, other, int(copies), at, step) for one, other in ((first, second), (second, first)))
    )[()]


def _losses_of(profile: Profile, copies: int, step: float) -> np.ndarray:
    if not isinstance(profile, Profile):
        raise InputError("profile", type(profile).__name__, "must be a Profile")
    return loss_grid(profile, step, _TAIL / copies)


def _checked(copies: Any, epsilons: Any, side: str, step: Any) -> tuple[np.ndarray, float]:
    one_of(side, "side", SIDES)
    whole(copies, "copies", 1)
    at = float_array(epsilons, "epsilons")
    if not np.isfinite(at).all():
        raise InputError("epsilons", epsilons, "must be finite")
    return at, real(step, "step", "(0, 1]")


def _one_order(p: np.ndarray, q: np.ndarray, copies: int, epsilons: np.ndarray, step: float) -> np.ndarray:
    finite = (p > 0) & (q > 0)
    if not finite.any():
        return np.ones(epsilons.shape)
    losses = np.log(p[finite] / q[finite]) / step
    _within_reach(copies * float(np.ptp(losses)), step)
    # what dividing and taking logarithms may lose
    room = np.where(losses == 0, 0.0, 1e-15 / step + 1e-15 * np.abs(losses))
    rounded = np.ceil(losses + room).astype(int)
    masses = np.bincount(rounded - rounded.min(), weights=p[finite])
    law = LossMasses(float(rounded.min() * step), step, masses, min(float(p[q == 0].sum()), 1.0))
    return _composed(law, copies).delta(epsilons)


def _moved(delta: np.ndarray, side: str, rounding: float) -> np.ndarray:
    """A delta moved to its side by what its sums may have lost."""
    return np.clip(delta + (rounding if side == "pessimistic" else -rounding), 0.0, 1.0)[()]


def _composed(law: LossMasses, copies: int) -> LossMasses:
    _within_reach(copies * (law.masses.size - 1), law.step)
    return law.power(copies)


def _within_reach(steps: float, step: float) -> None:
    if not steps < MOST_POINTS:
        raise InputError("step", step, f"must be larger: {steps:.0f} losses, at most {MOST_POINTS}")


def _one_step_lower(profile: Profile, losses: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    masses, endless = dot_masses(profile, losses, step)
    return losses, np.append(masses[1:], endless)


def _end(rest: Curve, step: float, tail: float) -> int:
    """A number of steps beyond which `rest` is at most `tail`; at least 2."""
    reach = 1.0
    while float(rest(np.array(reach))) > tail:
        reach *= 1.25
        if reach / step > MOST_POINTS / 2:
            raise InputError("step", step, f"must be larger: the losses reach beyond {reach:.3g}")
    return max(int(np.ceil(reach / step)), 2)


def dp_accounting_masses() -> ModuleType:
    """dp-accounting's module of loss masses. Raises `ModuleNotFoundError` that names the extra."""
    try:
        return importlib.import_module("dp_accounting.pld.pld_pmf")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "composition through dp-accounting needs it: pip install 'ndis_verify[peers]'", name=error.name
        ) from error
