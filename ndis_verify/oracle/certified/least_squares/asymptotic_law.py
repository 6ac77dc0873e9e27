"""Approximate least squares, asymptotic law: certified values."""

from __future__ import annotations

from typing import Any

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.oracle.least_squares.asymptotic_law import als_pair


def als_hockey_stick(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, epsilon: Any, direction: str = "delete", digits: int = 30
) -> Enclosure:
    """delta(epsilon) of N(x_opt, (||w||^2/r)(B^T B)^{-1}) with and without one record (N24-T4), enclosed with proof.

    p = leverage, q = augmented_leverage; "delete": P from the larger database. 0 <= p <= q < 1, 1 <= d <= 10^4, r >= 1.
    Relative radius at most 10^-digits. direction: "delete" or "insert". Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_als_hockey_stick
    >>> print(certified_als_hockey_stick("0.125", "0.25", 3, 50, 1, digits=12).decimal(12)[0])
    0.140433565742
    """
    return hockey_stick(als_pair(leverage, augmented_leverage, d, r, direction), epsilon, digits)
