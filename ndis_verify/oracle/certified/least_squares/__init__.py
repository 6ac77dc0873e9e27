"""Values of least squares."""

from ndis_verify.moved import former

__getattr__ = former(__name__, "asymptotic_law")
