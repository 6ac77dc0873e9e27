"""Auditors: what samples, or known output laws, prove about the privacy of a mechanism."""

from ndis_verify.facade import Facade

Facade.of(__name__)
