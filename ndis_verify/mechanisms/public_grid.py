"""Released numbers lie on a grid that only public numbers fix.

Certificates are about laws of real numbers. A float64 sum of private data and noise keeps low bits by which the data can be told
(Mironov 2012): zero plus noise ends in other bits than one plus noise. Rounding to multiples of a power of two, `BITS` binary digits below
the scale of the noise, is post-processing and takes those bits away. It is no proof: arithmetic in 53 bits before the rounding sends
a number near the middle of two multiples to the wrong one, with a probability of about 2^-30 for each number released of the
size of its noise, and more in proportion for larger ones; no certificate counts that.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

BITS = 20


def on_grid(values: Any, scale: float) -> np.ndarray:
    """`values` rounded to the multiples of 2^(floor(log2 scale) - BITS); as they are for scale = 0, where there is no noise."""
    if not scale > 0:
        return np.asarray(values)
    exponent = math.frexp(scale)[1] - 1 - BITS
    with np.errstate(over="ignore", under="ignore"):
        units = np.ldexp(values, -exponent)
        return np.where(np.abs(units) < 2.0**53, np.ldexp(np.rint(units), exponent), values)
