"""The number that a derivation ends in: which values it may be asked at, and how many digits are right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from ndis_verify.exact_number import InputError, exact, to_mpf

_CEILING = 16


def require_domain(named: Mapping[str, sp.Symbol], domain: Iterable[Any], arrays: list[np.ndarray]) -> None:
    """InputError where a value is not what its symbol is assumed to be, or where values break one of `domain`."""
    for (name, symbol), array in zip(named.items(), arrays):
        for entry in array.flat:
            if array.dtype != object and not np.isfinite(entry):
                raise InputError(name, float(entry), "must be finite")
            if (symbol.is_positive and not entry > 0) or (symbol.is_nonnegative and not entry >= 0):
                raise InputError(name, str(entry), "must be positive" if symbol.is_positive else "must not be negative")
            if symbol.is_negative and not entry < 0:
                raise InputError(name, str(entry), "must be negative")
            if symbol.is_integer and entry != int(entry):
                raise InputError(name, str(entry), "must be an integer")
    for relation in domain:
        holds = sp.lambdify(list(named.values()), relation, modules="mpmath")
        for entries in np.broadcast(*arrays):
            with mpmath.workdps(50):
                numbers = [to_mpf(exact(entry)) for entry in entries]
                if not holds(*numbers):
                    shown = ", ".join(f"{name} = {mpmath.nstr(x, 8)}" for name, x in zip(named, numbers))
                    raise InputError("values", shown, f"must satisfy {relation}")


def settled(function: Callable[..., Any], given: list[Any], digits: int) -> mpmath.mpf:
    """The value to `digits`: two evaluations agree, one at more than twice the working precision of the other."""
    working = digits + 15
    previous = None
    for _ in range(_CEILING):
        with mpmath.workdps(working):
            current = mpmath.mpmathify(function(*(to_mpf(value) for value in given)))
            if not mpmath.isfinite(current):
                raise InputError("values", str(given), "the result is not finite there")
            if previous is not None and abs(current - previous) <= abs(current) * mpmath.mpf(10) ** (-digits - 1):
                return current
        previous, working = current, 2 * working + 10
        if working > 60 * digits + 2000:
            break
    raise InputError("digits", digits, "cannot be settled at the ceiling of the working precision")
