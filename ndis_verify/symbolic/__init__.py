"""The symbolic witness: derivations in SymPy, one file per subject, each ending in an expression that computes.

Nothing here is taken from the other witnesses.
"""

from __future__ import annotations

from ndis_verify.symbolic import (
    denoising,
    gaussian_calibration,
    gaussian_mechanism,
    generalized_chi2,
    histogram,
    histogram_rate,
    least_squares,
    least_squares_laws,
    leverage,
    mean_shift,
    moment_generating,
    monte_carlo,
    ndis_lemma,
    privacy_loss,
    random_canaries,
    random_linear_combination,
    random_projection,
    random_projection_order,
    trade_off,
    tv_inference,
)
from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.zero import is_zero

BUILDERS = (
    ndis_lemma.log_density_ratio,
    ndis_lemma.hockey_stick,
    generalized_chi2.definition,
    generalized_chi2.first_law,
    generalized_chi2.second_law,
    generalized_chi2.change_of_measure,
    generalized_chi2.hockey_stick,
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
    random_projection_order.derivative_in_leverage,
    random_projection_order.deletion_dominates,
    random_linear_combination.upper_expectation,
    random_linear_combination.lower_expectation,
    random_linear_combination.hockey_stick_deletion,
    random_linear_combination.hockey_stick_insertion,
    leverage.rank_one_determinant,
    leverage.range_of_leverage,
    leverage.spectral_form,
    leverage.ridge,
    privacy_loss.dp_iff_hockey_stick,
    privacy_loss.two_tails,
    privacy_loss.gaussian_profile,
    privacy_loss.triangle,
    privacy_loss.sensitivity_norms,
    moment_generating.loss_moment,
    moment_generating.payoff_transform,
    moment_generating.largest_loss,
    moment_generating.single_integral,
    monte_carlo.hoeffding_samples,
    least_squares.deleted_solution,
    least_squares.quadratic_form_deletion,
    least_squares.quadratic_form_insertion,
    least_squares.student_law,
    least_squares.finite_loss,
    least_squares_laws.chi_square_laws,
    least_squares_laws.tail_rate,
    gaussian_mechanism.tail_bound,
    gaussian_mechanism.classical,
    gaussian_mechanism.zero_epsilon,
    gaussian_mechanism.noise_floor,
    gaussian_mechanism.circulated_floor,
    gaussian_calibration.analytic_std,
    gaussian_calibration.tail_calibration,
    gaussian_calibration.counting_queries,
    denoising.bayes_gaussian,
    denoising.james_stein,
    denoising.soft_threshold,
    denoising.minimax_balls,
    trade_off.characterisation,
    trade_off.conversion,
    trade_off.gaussian,
    trade_off.lower_bound,
    trade_off.credible_region,
    trade_off.laplace,
    trade_off.subsampled_gaussian,
    histogram.binning,
    histogram.learning_bound,
    histogram.perturbation,
    histogram.interval,
    histogram.interval_exponent,
    histogram_rate.width_of_least_square_error,
    histogram_rate.gaussian_width,
    histogram_rate.heavy_tail,
    histogram_rate.second_moment,
    tv_inference.two_bins,
    tv_inference.invertible,
    tv_inference.sensitivity_peak,
    tv_inference.mixed_order_derivative,
    tv_inference.subsampled_tv,
    random_canaries.joint_scores,
    random_canaries.largest_angle,
    random_canaries.histogram_limit,
)


def all_derivations() -> tuple[Derivation, ...]:
    """Every derivation of the package, built once."""
    return tuple(build() for build in BUILDERS)


def derivations_for(claim: str) -> tuple[Derivation, ...]:
    """The derivations that carry some part of `claim` (an id such as "N26-L4"); `covers` says how much."""
    return tuple(derivation for derivation in all_derivations() if claim in derivation.covers)


__all__ = ["BUILDERS", "Derivation", "Fault", "Step", "all_derivations", "derivations_for", "is_zero"]
