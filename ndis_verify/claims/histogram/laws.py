"""What the claims about histograms share: finite laws with rational masses, and how many draws learn one."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log

import numpy as np

from ndis_verify.oracle.certified.engine.balls import ball, working_bits
from ndis_verify.statements.statement import integer as whole
from ndis_verify.statements.statement import real

Law = tuple[Fraction, ...]
EXACT = "exact rational"


def _law(weights: np.ndarray) -> Law:
    return tuple(Fraction(int(w), int(weights.sum())) for w in weights)


def random_laws(seed: int, number: int, size: int = 6) -> list[tuple[Law, ...]]:
    """Tuples of four laws on `size` points with small rational masses, zeros allowed."""
    rng = np.random.default_rng(seed)
    return [tuple(_law(rng.integers(0, 6, size) + np.eye(size, dtype=int)[k]) for k in range(4)) for _ in range(number)]


def draws_needed(bins: int, accuracy: Fraction, failure: Fraction) -> int:
    """The least n that KM-4.2 allows; the ceiling is checked in ball arithmetic."""
    n = max(ceil(bins / accuracy**2), ceil(2 / float(accuracy) ** 2 * log(2 / float(failure))))
    with working_bits(128):
        needed = 2 / ball(accuracy) ** 2 * (2 / ball(failure)).log()
        if not ball(n) >= needed:
            n += 1
    return n


DRAWS = (
    real("tau", "1e-2", 1, "log"),
    whole("k", 2, 100, "log"),
    real("delta", "1e-9", 1, "log"),
    whole("n", 1, 10**7, "log"),
)
