"""Quadratic polynomials of independent standard normal variables as generalized chi-square laws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def quadratic_law(a: Sequence[Any], b: Sequence[Any]) -> tuple[list[Any], list[Any], Any, Any]:
    """(weights, noncentralities, variance, shift) of sum_i (a_i z_i^2/2 + b_i z_i), z_i standard normal."""
    curved = [(x, y) for x, y in zip(a, b, strict=True) if x != 0]
    variance = sum((y**2 for x, y in zip(a, b, strict=True) if x == 0), 0 * b[0])
    shift = -sum((y**2 / (2 * x) for x, y in curved), 0 * b[0])
    return [x / 2 for x, _ in curved], [(y / x) ** 2 for x, y in curved], variance, shift
