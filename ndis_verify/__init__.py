"""Symbolic and numeric verification of the Normal Distributions Indistinguishability Spectrum (NDIS).

Records live here; the three witnesses are `ndis_verify.symbolic` (derivations), `ndis_verify.oracle`
(arbitrary precision and certified values) and `ndis_verify.fast` (float64, vectorised).
"""

from ndis_verify import moved
from ndis_verify.calibrator import NoNoiseNeeded
from ndis_verify.claim import Claim, Verdict
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.quadratic_form import QuadraticForm

__all__ = ["Claim", "Enclosure", "GaussianPair", "InputError", "NoNoiseNeeded", "QuadraticForm", "Verdict"]
__version__ = "0.1.0"
moved.install()
