"""Arbitrary-precision and certified values.

`name(...)` comes from two routes that share no code and agree (mpmath; basis "agreement"); `certified_name(...)`
carries a proof (Arb balls and an analytic tail bound; basis "bound"). Same arguments, `digits` relative digits.
Precision belongs to the process in mpmath and Arb: ask from one thread at a time, or from several processes.
"""

from ndis_verify.facade import Facade

Facade.of(__name__)
