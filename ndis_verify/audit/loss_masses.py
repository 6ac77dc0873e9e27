"""The privacy loss on a grid: sums of independent losses by Fourier transforms, and the divergence that they have
(KM-eq9.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import fft

from ndis_verify.exact_number import float_array


@dataclass(frozen=True, eq=False)
class LossMasses:
    """A law of the loss log p/q under P: `masses[k]` at `lowest + k step`, `endless` at infinity; what is missing to 1
    lies at minus infinity.

    Where masses were moved up (dots connected, losses rounded up) its divergence is never below that of the pair, also
    for sums; where they were moved down, never above.
    """

    lowest: float
    step: float
    masses: np.ndarray
    endless: float

    def power(self, copies: int) -> LossMasses:
        """The law of the sum of `copies` >= 1 independent losses; absolute error of the masses about 1e-16."""
        if copies == 1:
            return self
        size = copies * (self.masses.size - 1) + 1
        length = fft.next_fast_len(size, real=True)
        sums = fft.irfft(fft.rfft(self.masses, length) ** copies, length)[:size]
        endless = -np.expm1(copies * np.log1p(-self.endless)) if self.endless < 1 else 1.0
        return LossMasses(copies * self.lowest, self.step, np.maximum(sums, 0.0), float(endless))

    def delta(self, epsilon: Any) -> np.ndarray:
        """`E[(1 - e^{epsilon - s})_+]` at every epsilon, finite, any shape."""
        at = float_array(epsilon, "epsilon")
        losses = self.lowest + self.step * np.arange(self.masses.size)
        found = []
        for one in at.ravel():
            start = int(np.searchsorted(losses, one, side="right"))
            found.append(float(self.masses[start:] @ -np.expm1(one - losses[start:])) + self.endless)
        return np.clip(np.reshape(found, at.shape), 0.0, 1.0)[()]

    @property
    def highest(self) -> float:
        """The largest finite loss."""
        return self.lowest + self.step * (self.masses.size - 1)
