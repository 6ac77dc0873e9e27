"""Two routes compared: an enclosure whose radius is their disagreement."""

from __future__ import annotations

from collections.abc import Callable

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.engine.precision import PrecisionError

Route = Callable[[int], mpmath.mpf]


def agree(first: Route, second: Route, digits: int, quantity: str) -> Enclosure:
    """The value of `first` with the distance to `second` as radius, once that is below 10^-digits, relatively.

    Each route is called with the digits it should aim at; these rise three times before `PrecisionError`.
    """
    aim = digits + 3
    for _ in range(4):
        one, other = first(aim), second(aim)
        with mpmath.workdps(aim + 10):
            distance = abs(one - other) + abs(one) * mpmath.mpf(10) ** (-aim)
            if distance <= abs(one) * mpmath.mpf(10) ** (-digits):
                return Enclosure(+one, distance, "agreement")
        aim += max(10, aim // 2)
    with mpmath.workdps(15):
        raise PrecisionError(f"{quantity}: two routes give {mpmath.nstr(one, 15)} and {mpmath.nstr(other, 15)}")
