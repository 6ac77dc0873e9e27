"""Arbitrary-precision and certified values: `name` by two agreeing routes (mpmath), `certified_name` with proof (Arb)."""

from ndis_verify.oracle.certified.hockey_stick import epsilon_for_delta as certified_epsilon_for_delta
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.certified.hockey_stick import log_hockey_stick as certified_log_hockey_stick
from ndis_verify.oracle.hockey_stick import hockey_stick, log_hockey_stick
from ndis_verify.oracle.precision import PrecisionError
from ndis_verify.oracle.quadratic_form import quadratic_form

__all__ = [
    "PrecisionError",
    "certified_epsilon_for_delta",
    "certified_hockey_stick",
    "certified_log_hockey_stick",
    "hockey_stick",
    "log_hockey_stick",
    "quadratic_form",
]
