"""k independent copies of a Gaussian pair: a Gaussian pair again, with every eigenvalue k times (KM-eq9.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ndis_verify.arguments import whole
from ndis_verify.fast.engine.curve import Pair
from ndis_verify.fast.engine.spectrum import Spectrum, require_in_range
from ndis_verify.fast.engine.whitening import spectrum
from ndis_verify.fast.hockey_stick import hockey_stick

MAX_COPIES = 2**53


def compose(pair: Pair, copies: Any) -> Spectrum:
    """The spectrum of `(P^k, Q^k)`, k = `copies`: multiplicities and squared mean shifts times k.

    pair: one pair, a batch or a spectrum; copies: a whole number, 1 to 2^53. Exact but for the rounding of the product;
    the result still knows the matrices that it was rounded from. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import compose
    >>> from ndis_verify.fast import hockey_stick
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(f"{hockey_stick(compose(pair, 4), 1.0):.10f}")
    0.2939293895
    """
    count = whole(copies, "copies", 1, MAX_COPIES)
    one = spectrum(pair)
    if count == 1:
        return one
    logs = one.log_ratio if one.logs_given else None
    inputs = None if one.inputs is None else replace(one.inputs, copies=one.inputs.copies * count)
    with np.errstate(over="ignore"):  # what overflows is refused
        shift = one.shift * np.sqrt(float(count))
    require_in_range(one.alpha, shift, "pair")
    return Spectrum(one.alpha, None, one.multiplicity * count, logs, shift=shift, inputs=inputs)


def composed_hockey_stick(pair: Pair, copies: Any, epsilon: Any) -> np.ndarray:
    """delta of `(P^k, Q^k)` at epsilon: what k-fold composition without adaptivity costs, exactly (KM-eq9.1).

    Shapes, domain, errors and accuracy as in `hockey_stick.hockey_stick`. pair, copies: as in `compose`. Raises
    `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import composed_hockey_stick
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(f"{composed_hockey_stick(pair, 4, 1.0):.10f}")
    0.2939293895
    """
    return hockey_stick(compose(pair, copies), epsilon)
