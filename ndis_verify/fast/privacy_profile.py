"""The privacy profile epsilon -> delta of one pair or batch, whitened once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ndis_verify.fast.engine.curve import Pair
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.engine.whitening import spectrum
from ndis_verify.fast.hockey_stick import epsilon_for_delta, hockey_stick, log_hockey_stick


@dataclass(frozen=True, eq=False)
class PrivacyProfile:
    """delta_{P,Q}(.) of `pair` (N26-L1); the object is a function of epsilon and keeps the pair's spectrum.

    Shapes, domain, errors and accuracy as in `hockey_stick.hockey_stick`.
    """

    pair: Pair
    spectrum: Spectrum = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spectrum", spectrum(self.pair))

    def __call__(self, epsilon: Any) -> np.ndarray:
        """delta at epsilon >= 0."""
        return hockey_stick(self.spectrum, epsilon)

    def log(self, epsilon: Any) -> np.ndarray:
        """log delta at epsilon >= 0; -inf where delta is exactly 0."""
        return log_hockey_stick(self.spectrum, epsilon)

    def epsilon(self, delta: Any) -> np.ndarray:
        """The smallest epsilon >= 0 whose delta is at most `delta`."""
        return epsilon_for_delta(self.spectrum, delta)

    def swapped(self) -> PrivacyProfile:
        """The profile of (Q, P)."""
        return PrivacyProfile(self.spectrum.swapped())
