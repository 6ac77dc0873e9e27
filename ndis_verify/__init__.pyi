from ndis_verify.calibrator import NoNoiseNeeded as NoNoiseNeeded
from ndis_verify.claim import Claim as Claim
from ndis_verify.claim import Verdict as Verdict
from ndis_verify.enclosure import Enclosure as Enclosure
from ndis_verify.exact_number import InputError as InputError
from ndis_verify.gaussian_pair import GaussianPair as GaussianPair
from ndis_verify.quadratic_form import QuadraticForm as QuadraticForm

__all__ = ["Claim", "Enclosure", "GaussianPair", "InputError", "NoNoiseNeeded", "QuadraticForm", "Verdict"]
__version__: str
