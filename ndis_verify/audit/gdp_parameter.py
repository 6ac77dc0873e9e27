"""The curves of N(mu, 1) against N(0, 1), for auditors that assume a mechanism to be Gaussian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from scipy.special import ndtri

from ndis_verify.arguments import within
from ndis_verify.exact_number import InputError, float_array
from ndis_verify.fast.mean_shift import gaussian_hockey_stick, gaussian_std, log_gaussian_hockey_stick
from ndis_verify.fast.trade_off import gaussian_trade_off
from ndis_verify.rich import field_table


@dataclass(frozen=True)
class GaussianCurve:
    """The privacy of a mechanism whose worst pair is N(mu, 1) against N(0, 1) (KM-2.8), mu >= 0.

    A lower limit of mu is a statement about one test: the mechanism is not mu'-GDP for any mu' below it. Read as an
    epsilon at some delta it assumes that the pair is Gaussian; for other pairs the reading can be far too high
    (Laplace) or too low.
    """

    mu: float

    def _repr_html_(self) -> str:
        return field_table(self)

    def delta(self, epsilon: Any) -> np.ndarray:
        """delta of the Gaussian pair at `epsilon` (any shape, >= 0). Raises `InputError`."""
        eps = float_array(epsilon, "epsilon")
        within(eps, "epsilon", "[0, inf)")
        return gaussian_hockey_stick(self.mu, 1.0, eps) if self.mu > 0 else np.zeros(eps.shape)[()]

    def epsilon(self, delta: Any) -> np.ndarray:
        """The smallest epsilon >= 0 of the Gaussian pair at `delta` (any shape, in (0, 1]). Raises `InputError`."""
        target = float_array(delta, "delta")
        if not ((target > 0) & (target <= 1)).all():
            raise InputError("delta", delta, "must lie in (0, 1]: no Gaussian pair has an epsilon at delta = 0")
        if self.mu <= 0:
            return np.zeros(target.shape)[()]
        return np.reshape([self._epsilon(np.log(one)) for one in target.ravel()], target.shape)[()]

    def _epsilon(self, log_delta: float) -> float:
        """One root; delta <= Phi(mu/2 - epsilon/mu) <= e^{-x^2/2} with x = epsilon/mu - mu/2 ends the search."""
        if log_gaussian_hockey_stick(self.mu, 1.0, 0.0) <= log_delta:
            return 0.0
        high = self.mu * (self.mu / 2 + np.sqrt(-2 * log_delta) + 1)
        return float(
            scipy.optimize.brentq(
                lambda eps: float(log_gaussian_hockey_stick(self.mu, 1.0, eps)) - log_delta,
                0.0,
                high,
                xtol=1e-18,
                rtol=1e-13,
            )
        )

    def trade_off(self, alpha: Any) -> np.ndarray:
        """`Phi(Phi^-1(1 - alpha) - mu)`. Raises `InputError`."""
        return gaussian_trade_off(alpha, self.mu)


def largest_mu(epsilon: float, delta: float) -> float:
    """The largest mu whose Gaussian pair has at most `delta` at `epsilon`, safe side: 0 at delta = 0, infinite at 1.
    Raises `InputError`.
    """
    if delta == 0:
        return 0.0
    std = float(gaussian_std(1.0, epsilon=epsilon, delta=delta))
    return 1 / std if std > 0 else np.inf


def laplace_gdp(mu: float) -> float:
    """`2 Phi^-1(1 - e^{-mu/2}/2)`: the least m for which Lap(mu, 1) and Lap(0, 1) are m-GDP, mu >= 0.

    The test of errors (a, b) on the curve (KM-AppC) has m = z(1 - a) + z(1 - b), z the normal quantile. Where 1 - b =
    e^mu a it grows with a, as u/phi(z(u)) grows with u; where a b is constant it grows until a = b for the same reason.
    So the supremum is attained at a = b = e^{-mu/2}/2; the rest of the curve is its mirror image. Raises `InputError`.
    """
    within(mu, "mu", "[0, inf)")
    return float(-2 * ndtri(np.exp(-mu / 2) / 2))
