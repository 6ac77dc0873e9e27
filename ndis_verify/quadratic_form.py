"""The shifted privacy loss in whitened coordinates: q_eps(z) = eps + c + sum_i b_i z_i + (1/2) sum_i a_i z_i^2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class QuadraticForm:
    """(a, b, c) of N26-L1 with multiplicities: `q_eps(z) = eps + c + b.z + (1/2) z^T diag(a) z`, Z ~ N(0, I) under P.

    Group j stands for `multiplicity[j]` coordinates that share the eigenvalue `a[j]`; a rotation inside the
    group puts its whole linear part on one coordinate, so `b[j]` is the Euclidean norm of the group's linear
    part. `a`, `b`, `c` are floats, mpf or Arb balls: whatever the engine that made them computes with.
    The privacy loss under P is L = eps - q_eps, whatever eps is. For a pair of Gaussians every a < 1 and
    `c = (1/2) sum k log(1 - a) - (1/2) sum b^2/(1 - a)`.
    """

    a: tuple[Any, ...]
    b: tuple[Any, ...]
    c: Any
    multiplicity: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.a) == len(self.b) == len(self.multiplicity):
            raise ValueError("a, b and multiplicity must have one entry for each group")
        if any(k < 1 for k in self.multiplicity):
            raise ValueError(f"multiplicity = {self.multiplicity}: each must be at least 1")

    @property
    def dimension(self) -> int:
        """The number of coordinates, multiplicities counted."""
        return sum(self.multiplicity)
