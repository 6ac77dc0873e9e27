from ndis_verify.oracle.certified.composition import composed_hockey_stick as certified_composed_hockey_stick
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_cdf as certified_generalized_chi2_cdf
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_sf as certified_generalized_chi2_sf
from ndis_verify.oracle.certified.hockey_stick import epsilon_for_delta as certified_epsilon_for_delta
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.certified.hockey_stick import log_hockey_stick as certified_log_hockey_stick
from ndis_verify.oracle.certified.least_squares.asymptotic_law import (
    als_hockey_stick as certified_als_hockey_stick,
)
from ndis_verify.oracle.certified.least_squares.cap import als_cap as certified_als_cap
from ndis_verify.oracle.certified.least_squares.cap import als_exact_cap as certified_als_exact_cap
from ndis_verify.oracle.certified.least_squares.finite_law import (
    als_exact_hockey_stick as certified_als_exact_hockey_stick,
)
from ndis_verify.oracle.certified.least_squares.finite_law import (
    als_max_privacy_loss as certified_als_max_privacy_loss,
)
from ndis_verify.oracle.certified.least_squares.worst_case import (
    als_exact_worst_case as certified_als_exact_worst_case,
)
from ndis_verify.oracle.certified.least_squares.worst_case import (
    als_worst_case as certified_als_worst_case,
)
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick as certified_gaussian_hockey_stick
from ndis_verify.oracle.certified.mean_shift import gaussian_std as certified_gaussian_std
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick as certified_rp_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_leverage as certified_rp_leverage
from ndis_verify.oracle.certified.random_projection import rp_ridge as certified_rp_ridge
from ndis_verify.oracle.certified.random_projection import sampled_rp_ridge as certified_sampled_rp_ridge
from ndis_verify.oracle.engine.precision import PrecisionError
from ndis_verify.oracle.engine.quadratic_form import quadratic_form
from ndis_verify.oracle.general_bound.bound import added_variance as certified_split_variance
from ndis_verify.oracle.general_bound.bound import covariance_envelope as certified_covariance_envelope
from ndis_verify.oracle.general_bound.bound import loewner_bound as certified_loewner_bound
from ndis_verify.oracle.generalized_chi2 import generalized_chi2_cdf, generalized_chi2_sf
from ndis_verify.oracle.hockey_stick import epsilon_for_delta, hockey_stick, log_hockey_stick
from ndis_verify.oracle.least_squares.asymptotic_law import als_hockey_stick
from ndis_verify.oracle.least_squares.finite_law import als_exact_hockey_stick
from ndis_verify.oracle.mean_shift import gaussian_hockey_stick, gaussian_std
from ndis_verify.oracle.random_projection import rp_hockey_stick, rp_leverage, rp_ridge, sampled_rp_ridge
from ndis_verify.oracle.relative_least_squares import relative_least_squares as certified_relative_least_squares
from ndis_verify.oracle.relative_projection import relative_random_projection as certified_relative_random_projection

__all__ = [
    "PrecisionError",
    "als_exact_hockey_stick",
    "als_hockey_stick",
    "certified_als_cap",
    "certified_als_exact_cap",
    "certified_als_exact_hockey_stick",
    "certified_als_exact_worst_case",
    "certified_als_hockey_stick",
    "certified_als_max_privacy_loss",
    "certified_als_worst_case",
    "certified_composed_hockey_stick",
    "certified_covariance_envelope",
    "certified_epsilon_for_delta",
    "certified_gaussian_hockey_stick",
    "certified_gaussian_std",
    "certified_generalized_chi2_cdf",
    "certified_generalized_chi2_sf",
    "certified_hockey_stick",
    "certified_loewner_bound",
    "certified_log_hockey_stick",
    "certified_relative_least_squares",
    "certified_relative_random_projection",
    "certified_rp_hockey_stick",
    "certified_rp_leverage",
    "certified_rp_ridge",
    "certified_sampled_rp_ridge",
    "certified_split_variance",
    "epsilon_for_delta",
    "gaussian_hockey_stick",
    "gaussian_std",
    "generalized_chi2_cdf",
    "generalized_chi2_sf",
    "hockey_stick",
    "log_hockey_stick",
    "quadratic_form",
    "rp_hockey_stick",
    "rp_leverage",
    "rp_ridge",
    "sampled_rp_ridge",
]
