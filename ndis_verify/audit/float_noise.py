"""Which float64s a noise generator can return at all: tests for `audit_bits(..., noises=...)` (after Mironov 2012)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ndis_verify.arguments import within

_NEAR = 3  # uniforms on either side of the inverse that are tried: more than the rounding of exp and log can be off by


def laplace_by_inversion(scale: float) -> Callable[[np.ndarray, float], np.ndarray]:
    """test(x, v): whether x = v -+ scale log u for a uniform u in (0, 1] of few bits, every operation rounded.

    What numpy's `Generator.laplace(v, scale)` computes: u is a multiple of 2^-52 below v and of 2^-53 above it. Most
    float64s next to v are no such number. Where numpy's logarithm ends in another bit the test is less telling; limits
    of audits hold whatever a test says. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import laplace_by_inversion
    >>> import numpy as np
    >>> u = 0.25
    >>> test = laplace_by_inversion(1.0)
    >>> test(np.array([0.5 - np.log(u)]), 0.5).tolist()
    [True]
    """
    within(scale, "scale", "(0, inf)")

    def test(x: np.ndarray, value: float) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            depth = np.abs(x - value) / scale
            likely = np.exp(-np.where(np.isfinite(depth), depth, 0.0))
            below = _reached(x, value, scale, likely, 2.0**52)
            above = _reached(x, value, -scale, likely, 2.0**53)
        return below | above

    return test


def _reached(x: np.ndarray, value: float, scale: float, likely: np.ndarray, steps: float) -> np.ndarray:
    """Whether x = value + scale log u for one of the multiples of 1/steps next to `likely`."""
    found = np.zeros(x.shape, dtype=bool)
    for step in range(-_NEAR, _NEAR + 1):
        uniform = np.clip(np.rint(steps * likely) + step, 1, steps) / steps
        # Rounded from more bits, where the platform has them: numpy's own vector logarithm is off by an ulp at times.
        found |= value + scale * np.log(uniform.astype(np.longdouble)).astype(np.float64) == x
    return found
