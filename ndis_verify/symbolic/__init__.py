"""The symbolic witness: derivations in SymPy, one file per subject, each ending in an expression that computes.

Nothing here is taken from the other witnesses.
"""

from __future__ import annotations

from ndis_verify.symbolic import mean_shift, ndis_lemma, random_projection
from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.zero import is_zero

BUILDERS = (
    ndis_lemma.log_density_ratio,
    ndis_lemma.hockey_stick,
    mean_shift.hinge_expectation,
    mean_shift.hockey_stick,
    mean_shift.erf_form,
    mean_shift.privacy_loss,
    mean_shift.tails,
    mean_shift.derivative_in_shift,
    mean_shift.derivative_in_epsilon,
    random_projection.projected_covariance,
    random_projection.quadratic_form_deletion,
    random_projection.quadratic_form_insertion,
    random_projection.upper_expectation,
    random_projection.lower_expectation,
    random_projection.hockey_stick_deletion,
    random_projection.hockey_stick_insertion,
)


def all_derivations() -> tuple[Derivation, ...]:
    """Every derivation of the package, built once."""
    return tuple(build() for build in BUILDERS)


__all__ = ["BUILDERS", "Derivation", "Fault", "Step", "all_derivations", "is_zero"]
