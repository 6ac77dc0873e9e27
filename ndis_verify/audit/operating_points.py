"""What every score auditor ends in: sets with limits of their probabilities, and the curves these limits imply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ndis_verify.arguments import within
from ndis_verify.exact_number import InputError, float_array

Basis = Literal["guaranteed", "posterior", "estimate"]
_LOST = 2.0**-51  # relative: what a sum, a logarithm or an exponential may lose; limits are rounded down by it


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """Sets S_i with limits of their probabilities under the two laws, all at once.

    `power[i]` is a lower limit of the mass of S_i under its first law and `level[i]` an upper limit under the other;
    the first law is P where `first_is_p[i]`, else Q. basis "guaranteed": all of them hold together with probability at
    least `confidence`, whatever the laws; "posterior": with that posterior probability under a Jeffreys prior, which is
    no guarantee; "estimate": plain frequencies, no limits at all (`confidence` is then 0).

    For any set S and every eps, delta(eps) >= P(S) - e^eps Q(S); so one statement about the masses bounds the whole
    profile, the epsilon at every delta and the trade-off curve, and no further correction is needed.
    """

    power: np.ndarray
    level: np.ndarray
    first_is_p: np.ndarray
    confidence: float
    basis: Basis

    @classmethod
    def of(cls, power: Any, level: Any, first_is_p: Any, confidence: float, basis: Basis) -> OperatingPoints:
        """The sets and their complements: P(S) >= a and Q(S) <= b are Q(not S) >= 1 - b and P(not S) <= 1 - a."""
        a, b, order = np.broadcast_arrays(
            float_array(power, "power"), float_array(level, "level"), np.asarray(first_is_p, bool)
        )
        return cls(
            np.concatenate([a, 1 - b]), np.concatenate([b, 1 - a]), np.concatenate([order, ~order]), confidence, basis
        )

    def delta(self, epsilon: Any, order: str = "both") -> np.ndarray:
        """Lower limit of delta at `epsilon` (any shape, >= 0), `max(0, max_i power_i - e^eps level_i)`.

        order "P,Q": of delta_{P,Q} alone; "Q,P": of delta_{Q,P}; "both": of the larger. Raises `InputError`.
        """
        eps = float_array(epsilon, "epsilon")
        within(eps, "epsilon", "[0, inf)")
        power, level = self._ordered(order)
        with np.errstate(over="ignore", invalid="ignore"):
            cost = np.where(level > 0, np.exp(eps)[..., None] * level * (1 + _LOST), 0.0)
        return np.maximum(0.0, ((power - cost) * (1 - _LOST)).max(axis=-1, initial=0.0))[()]

    def epsilon(self, delta: Any, order: str = "both") -> np.ndarray:
        """Lower limit of the epsilon at `delta` (any shape, in [0, 1]), `max(0, max_i log((power_i - delta)/level_i))`.

        Infinite only where a level is 0, which a limit never is. `order` as in `delta`. Raises `InputError`.
        """
        target = float_array(delta, "delta")
        within(target, "delta", "[0, 1]")
        power, level = self._ordered(order)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain, paid = np.log(np.maximum(power - target[..., None], 0)), np.log(level)
            lost = _LOST * (np.abs(gain) + np.abs(np.where(level > 0, paid, 0.0)) + 1)
            losses = np.where(power > target[..., None], gain - paid - lost, 0.0)
        return np.maximum(0.0, losses.max(axis=-1, initial=0.0))[()]

    def best(self, epsilon: float | None = None, delta: float | None = None) -> int:
        """The index of the set behind `delta(epsilon)` or `epsilon(delta)`."""
        if epsilon is not None:
            with np.errstate(over="ignore"):
                return int(np.argmax(self.power - np.exp(epsilon) * self.level))
        with np.errstate(divide="ignore", invalid="ignore"):
            return int(np.argmax(np.where(self.power > delta, (self.power - delta) / self.level, -1.0)))

    def trade_off(self, alpha: Any) -> np.ndarray:
        """Upper limit of T(Q, P) at `alpha` (any shape, in [0, 1]): the least type II error of tests of Q against P.

        The greatest convex function below all points (level, 1 - power), their counterparts from the other order, (0,
        1) and (1, 0). Rigorous where converting a profile is not: T is convex and each point lies above it. T(P, Q) is
        its mirror image. Raises `InputError`.
        """
        x = float_array(alpha, "alpha")
        within(x, "alpha", "[0, 1]")
        return np.minimum(np.interp(x, *self._hull()) + _LOST, 1 - x)[()]

    def _hull(self) -> tuple[np.ndarray, np.ndarray]:
        type_one = np.concatenate([[0.0, 1.0], np.where(self.first_is_p, self.level, 1 - self.power)])
        type_two = np.concatenate([[1.0, 0.0], np.where(self.first_is_p, 1 - self.power, self.level)])
        order = np.lexsort((type_two, type_one))
        hull: list[tuple[float, float]] = []
        for x, y in zip(type_one[order], type_two[order], strict=True):
            if hull and x == hull[-1][0]:
                continue
            while len(hull) > 1 and _turns_up(hull[-2], hull[-1], (x, y)):
                hull.pop()
            hull.append((float(x), float(y)))
        points = np.array(hull)
        return points[:, 0], np.minimum.accumulate(points[:, 1])

    def _ordered(self, order: str) -> tuple[np.ndarray, np.ndarray]:
        if order not in ("both", "P,Q", "Q,P"):
            raise InputError("order", order, "must be 'both', 'P,Q' or 'Q,P'")
        keep = np.ones(self.power.shape, dtype=bool) if order == "both" else self.first_is_p == (order == "P,Q")
        return self.power[keep], self.level[keep]


def _turns_up(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Whether b lies on or above the chord from a to c."""
    return (b[0] - a[0]) * (c[1] - a[1]) <= (c[0] - a[0]) * (b[1] - a[1])
