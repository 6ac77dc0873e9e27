"""Composition of Gaussian pairs by dp-accounting's privacy loss distributions, to hold against the exact product (KM-eq9.1)."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.curve import Pair
from ndis_verify.fast.hockey_stick import hockey_stick
from ndis_verify.fast.pair_trade_off import error_rates
from ndis_verify.fast.spectrum import spectrum

MAX_DOTS = 1_000_000
_TAIL = 1e-15


def pld_bounds(pair: Pair, copies: int, epsilon: Any, interval: float = 1e-3) -> tuple[np.ndarray, np.ndarray]:
    """(optimistic, pessimistic) delta of `(P^k, Q^k)` at epsilon by dp-accounting, which discretises the loss and convolves.

    Pessimistic: connect-the-dots on the exact profile at the multiples of `interval`. Optimistic: every loss rounded down to
    a multiple, by its exact distribution under P, what lies beyond the last one put there. The exact value of
    `composed_hockey_stick`, which needs no interval, lies between the two, up to a tail of 1e-15 that the library cuts off
    and counts as an infinite loss in both. pair: one pair with any covariances; epsilon: finite, any shape.
    Needs the extra `peers`. Raises `InputError`.
    """
    pld_pmf = _library()
    if not 0 < interval <= 1:
        raise InputError("interval", interval, "must lie in (0, 1]")
    if isinstance(copies, bool) or not isinstance(copies, int) or copies < 1:
        raise InputError("copies", copies, "must be a whole number, at least 1")
    eps = np.asarray(epsilon, dtype=np.float64)
    if not np.isfinite(eps).all():
        raise InputError("epsilon", epsilon, "must be finite")
    laws = spectrum(pair)
    dots = _dots(laws, interval)
    deltas = np.minimum.accumulate(hockey_stick(laws, dots * interval))
    above = pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(interval, int(dots[0]), int(dots[-1]), deltas)
    below = np.diff(error_rates(laws, dots * interval)[1], append=1.0)  # P(dot <= L < next dot), the last one all beyond
    floors = pld_pmf.create_pmf({int(dot): mass for dot, mass in zip(dots, below.tolist(), strict=True)}, interval, 0.0, False)
    results = []
    for pmf in (floors, above):
        composed = pmf if copies == 1 else pmf.self_compose(copies, tail_mass_truncation=_TAIL)
        results.append(np.asarray(composed.get_delta_for_epsilon(eps.ravel().tolist())).reshape(eps.shape)[()])
    return results[0], results[1]


def available() -> bool:
    """Whether dp-accounting can be imported."""
    return find_spec("dp_accounting") is not None


def _dots(laws: Any, interval: float) -> np.ndarray:
    """Multiples of the interval over all losses that have a mass of 1e-15 to lose, under either law."""
    ends = []
    for one in (laws, laws.swapped()):
        loss = one.loss_forms()
        top = float(loss.mean[0]) + float(loss.std[0])
        while error_rates(one, top)[1] < 1 - _TAIL:
            top += float(loss.std[0])
        ends.append(top)
    low, high = np.floor(-ends[1] / interval), np.ceil(ends[0] / interval)
    if high - low > MAX_DOTS:
        raise InputError("interval", interval, f"gives more than {MAX_DOTS} losses; take a larger one")
    return np.arange(low, high + 1)


def _library() -> Any:
    try:
        return import_module("dp_accounting.pld.pld_pmf")
    except ImportError:
        raise InputError("dp_accounting", "absent", "must be installed: pip install 'ndis_verify[peers]'") from None
