"""Blocki, Blum, Datta and Sheffet (2012): the Johnson-Lindenstrauss transform above a floor on the singular values.

The printed form used is their covariance algorithm's: every singular value is raised to sqrt(sigma_i^2 + w^2) with
`w = 16 sqrt(r ln(2/delta)) ln(16 r/delta)/epsilon` for records that change by at most 1, then the matrix is projected.
Raising singular values so is the law of appending w I. (Their graph algorithm prints `sqrt(32 r ln(2/delta))
ln(4r/delta)/epsilon` for one edge; it is not used.) They first centre the columns; that step is left out, because
centring by the data's own mean lets one record change every row.
"""

from __future__ import annotations

import math
from typing import Any

from ndis_verify.calibrator import keyword_only
from ndis_verify.mechanisms.baselines.printed_ridge import positive_epsilon, ridged
from ndis_verify.mechanisms.calibration import columns, ordinary
from ndis_verify.mechanisms.random_projection import RandomProjection, proper_target


@keyword_only
def blocki(r: Any, *, epsilon: Any, delta: Any, norm_bound: Any) -> RandomProjection:
    """Random projection to r columns above the ridge `(16 l sqrt(r ln(2/delta)) ln(16 r/delta)/epsilon)^2`.

    Whole r >= 1, epsilon > 0, 0 < delta < 1, records of norm at most l = `norm_bound`. The certificate is the exact
    curve at leverage l^2/(w^2 + l^2). Raises `InputError`.
    """
    r, target, length = columns(r), proper_target(epsilon=epsilon, delta=delta), ordinary(norm_bound, "norm_bound")
    width = 16 * math.sqrt(r * math.log(2 / target.delta)) * math.log(16 * r / target.delta) / positive_epsilon(target)
    floor = length * width
    return ridged("random projection, Blocki et al. 2012", floor * floor, r, target, length)
