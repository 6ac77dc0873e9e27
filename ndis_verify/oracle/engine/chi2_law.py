"""Exact parameters of a generalized chi-square law, validated once."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ndis_verify.exact_number import InputError, exact

MAX_TERMS = 10_000
MAX_DOF = 10**7


@dataclass(frozen=True)
class ExactLaw:
    """sum_i w_i chi'^2(k_i, nc_i) + std N(0, 1) + shift: `parts` holds (w, k, nc) with distinct w != 0, exactly."""

    parts: tuple[tuple[Fraction, int, Fraction], ...]
    std: Fraction
    shift: Fraction

    def negated(self) -> ExactLaw:
        """The law of -X."""
        return ExactLaw(tuple((-w, k, nc) for w, k, nc in self.parts), self.std, -self.shift)

    def lower_end(self) -> bool:
        """Whether the law is bounded below (then its support starts at `shift`)."""
        return self.std == 0 and all(w > 0 for w, _, _ in self.parts)


def exact_law(weights: Any, dofs: Any, noncentralities: Any, std: Any, shift: Any) -> ExactLaw:
    """The law with equal weights merged and zero weights dropped.

    weights: real numbers; dofs: positive ints; noncentralities: nonnegative; equal lengths, at most `MAX_TERMS`.
    std >= 0. Raises `InputError`.
    """
    columns = {"weights": weights, "dofs": dofs, "noncentralities": noncentralities}
    for name, column in columns.items():
        if isinstance(column, (str, bytes)) or not hasattr(column, "__len__"):
            raise InputError(name, column, "must be a list of numbers")
        if len(column) != len(weights):
            raise InputError(name, f"{len(column)} entries", f"must have the length of weights, {len(weights)}")
    if len(weights) > MAX_TERMS:
        raise InputError("weights", f"{len(weights)} entries", f"must have at most {MAX_TERMS}")
    merged: dict[Fraction, list] = {}
    for w, k, nc in zip(weights, dofs, noncentralities, strict=True):
        w, k, nc = exact(w, "weights"), _dof(k), exact(nc, "noncentralities")
        if nc < 0:
            raise InputError("noncentralities", nc, "must be nonnegative")
        entry = merged.setdefault(w, [0, Fraction(0)])
        entry[0] += k
        entry[1] += nc
    std, shift = exact(std, "std"), exact(shift, "shift")
    if std < 0:
        raise InputError("std", std, "must be nonnegative")
    merged.pop(Fraction(0), None)
    return ExactLaw(tuple((w, k, nc) for w, (k, nc) in sorted(merged.items())), std, shift)


def _dof(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, str)):
        raise InputError("dofs", value, "must be positive integers")
    number = exact(value if not isinstance(value, numbers.Integral) else int(value), "dofs")
    if number.denominator != 1 or not 1 <= number <= MAX_DOF:
        raise InputError("dofs", value, f"must be integers in [1, {MAX_DOF}]")
    return int(number)
