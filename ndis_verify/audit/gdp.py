"""The curves of N(mu, 1) against N(0, 1), for auditors that assume a mechanism to be Gaussian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.hockey_stick import epsilon_for_delta
from ndis_verify.fast.mean_shift import gaussian_hockey_stick
from ndis_verify.fast.trade_off import gaussian_trade_off
from ndis_verify.gaussian_pair import GaussianPair


@dataclass(frozen=True)
class GaussianCurve:
    """The privacy of a mechanism whose worst pair is N(mu, 1) against N(0, 1) (KM-2.8), mu >= 0.

    A lower limit of mu is a statement about one test: the mechanism is not mu'-GDP for any mu' below it. Read as an epsilon
    at some delta it assumes that the pair is Gaussian; for other pairs the reading can be far too high (Laplace) or too low.
    """

    mu: float

    def delta(self, epsilon: Any) -> np.ndarray:
        """delta of the Gaussian pair at `epsilon` (any shape, >= 0). Raises `InputError`."""
        eps = np.asarray(epsilon, dtype=np.float64)
        if not (eps >= 0).all() or not np.isfinite(eps).all():
            raise InputError("epsilon", epsilon, "must be finite and at least 0")
        return gaussian_hockey_stick(self.mu, 1.0, eps) if self.mu > 0 else np.zeros(eps.shape)[()]

    def epsilon(self, delta: Any) -> np.ndarray:
        """The smallest epsilon >= 0 of the Gaussian pair at `delta` (any shape, in (0, 1]). Raises `InputError`."""
        target = np.asarray(delta, dtype=np.float64)
        if not ((target > 0) & (target <= 1)).all():
            raise InputError("delta", delta, "must lie in (0, 1]: no Gaussian pair has an epsilon at delta = 0")
        if self.mu <= 0:
            return np.zeros(target.shape)[()]
        return np.asarray(epsilon_for_delta(GaussianPair([self.mu], [[1.0]], [0.0], [[1.0]]), target))[()]

    def trade_off(self, alpha: Any) -> np.ndarray:
        """`Phi(Phi^-1(1 - alpha) - mu)`. Raises `InputError`."""
        return gaussian_trade_off(alpha, self.mu)
