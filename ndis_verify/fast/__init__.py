"""Float64 values of Gaussian indistinguishability spectra, vectorised over epsilon and over pairs (numpy, scipy)."""

from ndis_verify.facade import Facade

Facade.of(__name__)
