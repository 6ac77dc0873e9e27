"""What the claims about outputs of neighbouring databases share: their divergence, the envelope over it, two proofs."""

from __future__ import annotations

import numpy as np
import scipy

from ndis_verify.court.attack import log_margin
from ndis_verify.court.proof_checks import proof
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_hockey_stick
from ndis_verify.fast.joint_shift import Prediction, RankOne
from ndis_verify.symbolic import joint_shift


def log_delta(first: tuple, second: tuple, added: float, epsilon: float) -> float:
    """The greater log delta of the two directions of two outputs with added variance."""
    covs = [np.atleast_2d(cov) + added * np.eye(len(np.atleast_1d(mean))) for mean, cov in (first, second)]
    ratios, basis = scipy.linalg.eigh(*covs)
    laws = Spectrum(ratios - 1, (basis.T @ np.atleast_1d(np.subtract(first[0], second[0]))) ** 2)
    return max(float(log_hockey_stick(law, epsilon)) for law in (laws, laws.swapped()))


def over(envelope: RankOne | Prediction, value: float, added: float, epsilon: float) -> float:
    """The largest log delta of the envelope minus `value`: from a few pairs where they decide, else from its bound."""
    few = envelope.coarse(added, epsilon)
    return float(log_margin(few if few > value else envelope.largest(added, epsilon, 1e-3).upper, value))


GROWS = proof("delta grows with the shift", joint_shift.grows_with_shift)
WORST = proof("the full step and the full shift", joint_shift.rank_one_worst)
