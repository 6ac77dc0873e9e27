from ndis_verify.fast.composition import compose, composed_hockey_stick
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.engine.whitening import PairBatch, quadratic_form, spectrum
from ndis_verify.fast.generalized_chi2 import GeneralizedChi2
from ndis_verify.fast.hockey_stick import epsilon_for_delta, hockey_stick, log_hockey_stick
from ndis_verify.fast.least_squares.asymptotic_law import (
    als_hockey_stick,
    als_max_privacy_loss,
    als_spectrum,
    log_als_hockey_stick,
)
from ndis_verify.fast.least_squares.finite_law import als_exact_hockey_stick, log_als_exact_hockey_stick
from ndis_verify.fast.least_squares.gap import als_asymptotic_gap
from ndis_verify.fast.least_squares.worst_case import WorstRecord, als_cap, als_worst_case
from ndis_verify.fast.least_squares.worst_record import als_exact_cap, als_exact_worst_case
from ndis_verify.fast.mean_shift import gaussian_hockey_stick, gaussian_std, log_gaussian_hockey_stick
from ndis_verify.fast.pair_trade_off import pair_gdp, pair_trade_off
from ndis_verify.fast.privacy_profile import PrivacyProfile
from ndis_verify.fast.random_projection import (
    log_rp_hockey_stick,
    rp_hockey_stick,
    rp_leverage,
    rp_ridge,
    rp_ridge_hockey_stick,
    sampled_epsilon,
    sampled_rp_ridge,
)

__all__ = [
    "GeneralizedChi2",
    "PairBatch",
    "PrivacyProfile",
    "Spectrum",
    "WorstRecord",
    "als_asymptotic_gap",
    "als_cap",
    "als_exact_cap",
    "als_exact_hockey_stick",
    "als_exact_worst_case",
    "als_hockey_stick",
    "als_max_privacy_loss",
    "als_spectrum",
    "als_worst_case",
    "compose",
    "composed_hockey_stick",
    "epsilon_for_delta",
    "gaussian_hockey_stick",
    "gaussian_std",
    "hockey_stick",
    "log_als_exact_hockey_stick",
    "log_als_hockey_stick",
    "log_gaussian_hockey_stick",
    "log_hockey_stick",
    "log_rp_hockey_stick",
    "pair_gdp",
    "pair_trade_off",
    "quadratic_form",
    "rp_hockey_stick",
    "rp_leverage",
    "rp_ridge",
    "rp_ridge_hockey_stick",
    "sampled_epsilon",
    "sampled_rp_ridge",
    "spectrum",
]
