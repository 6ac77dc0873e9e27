"""The general engine on one group of eigenvalues, row by row: what closed forms are held against."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_delta, to_log_delta


def engine(alpha: Any, shift_squared: Any, multiplicity: Any, epsilon: Any, log: bool = False) -> np.ndarray:
    """The general contour integral for pairs with one group of eigenvalues 1 + alpha, row by row."""
    alpha, squares, count, epsilon = (
        np.atleast_1d(v) for v in np.broadcast_arrays(alpha, shift_squared, multiplicity, epsilon)
    )
    laws = Spectrum(alpha[:, None], squares[:, None], count[:, None])
    return (to_log_delta if log else to_delta)(log_entries(laws, np.arange(len(alpha)), epsilon.astype(float)))


def real_engine(alpha: Any, shift_squared: Any, multiplicity: Any, epsilon: Any) -> np.ndarray:
    """`engine` for epsilon of either sign: delta(e) = 1 - e^e + e^e delta_{Q,P}(-e)."""
    alpha, squares, count, epsilon = (
        np.atleast_1d(v) for v in np.broadcast_arrays(alpha, shift_squared, multiplicity, epsilon)
    )
    plain = engine(alpha, squares, count, np.maximum(epsilon, 0))
    turned = engine(-alpha / (1 + alpha), squares / (1 + alpha), count, np.maximum(-epsilon, 0))
    return np.where(epsilon >= 0, plain, -np.expm1(epsilon) + np.exp(epsilon) * turned)
