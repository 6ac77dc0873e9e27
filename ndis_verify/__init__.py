"""Symbolic and numeric verification of the Normal Distributions Indistinguishability Spectrum (NDIS).

Records live here; the three witnesses are `ndis_verify.symbolic` (derivations), `ndis_verify.oracle`
(arbitrary precision and certified values) and `ndis_verify.fast` (float64, vectorised).
"""

from ndis_verify import moved
from ndis_verify.facade import Facade

__version__ = "0.1.0"
moved.install()
Facade.of(__name__)
