"""The densities of two normal laws P = N(m1, S1) and Q = N(m2, S2) at the point x = m1 + S1^{1/2} U z, in every
dimension.

R = S1^{1/2}, Ri its inverse, K = Q^T Q = S2^{-1}, U orthogonal, g = m1 - m2; a t marks a transpose.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.notation import point, scalar, transpose
from ndis_verify.symbolic.notation import z as vector

p = sp.Function("p", positive=True)  # densities: of P at x, of Q at x where its parameters are those that follow
q = sp.Function("q", positive=True)

R, Ri, Q, U, Ut, zt, g, gt = (letter(name) for name in ["R", "Ri", "Q", "U", "Ut", "zt", "g", "gt"])
K = transpose(Q) * Q
log_det_1, log_det_2 = sp.symbols("logdetS1 logdetS2", real=True)
dimension = sp.Symbol("d", positive=True, integer=True)
at_image = point(vector)

exponent_p = (zt * Ut * R) * (Ri * Ri) * (R * U * vector)
exponent_q = (gt + zt * Ut * R) * K * (g + R * U * vector)


def _normal(exponent: Any, log_det: Any) -> Any:
    return sp.exp(-scalar(exponent) / 2 - log_det / 2 - dimension * sp.log(2 * sp.pi) / 2)


DENSITIES = {p(at_image): _normal(exponent_p, log_det_1), q(at_image): _normal(exponent_q, log_det_2)}
