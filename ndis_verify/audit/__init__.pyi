from ndis_verify.audit.bits import BitAudit, BitEvent, audit_bits
from ndis_verify.audit.canaries import CanaryScores, one_shot_scores
from ndis_verify.audit.classifier import Classifier, ClassifierCurve, classifier_curve, fit_classifier
from ndis_verify.audit.composition import composed_bound, gaussian_profile, grid_composition, subsampled_profile
from ndis_verify.audit.credible_region import credible_gdp, credible_mass
from ndis_verify.audit.dp_sgd import DpSgd, Linear, Network, black_box_scores, losses_after_training, white_box_scores
from ndis_verify.audit.float_noise import laplace_by_inversion
from ndis_verify.audit.gdp_parameter import GaussianCurve
from ndis_verify.audit.histogram import METHODS, ScoreAudit, audit_by_methods, audit_scores
from ndis_verify.audit.limits import clopper_pearson_lower, clopper_pearson_upper, jeffreys_upper
from ndis_verify.audit.operating_points import OperatingPoints
from ndis_verify.audit.score_files import ScoreFile, open_scores
from ndis_verify.audit.subsampled_gaussian import accountant_epsilon, composed_step, step_delta
from ndis_verify.audit.tv_inference import infer_std
from ndis_verify.audit.white_box import (
    WhiteBoxAudit,
    WitnessSet,
    audit_gaussian,
    error_per_call,
    estimated_limits,
    two_call_limits,
)

__all__ = [
    "METHODS",
    "BitAudit",
    "BitEvent",
    "CanaryScores",
    "Classifier",
    "ClassifierCurve",
    "DpSgd",
    "GaussianCurve",
    "Linear",
    "Network",
    "OperatingPoints",
    "ScoreAudit",
    "ScoreFile",
    "WhiteBoxAudit",
    "WitnessSet",
    "accountant_epsilon",
    "audit_bits",
    "audit_by_methods",
    "audit_gaussian",
    "audit_scores",
    "black_box_scores",
    "classifier_curve",
    "clopper_pearson_lower",
    "clopper_pearson_upper",
    "composed_bound",
    "composed_step",
    "credible_gdp",
    "credible_mass",
    "error_per_call",
    "estimated_limits",
    "fit_classifier",
    "gaussian_profile",
    "grid_composition",
    "infer_std",
    "jeffreys_upper",
    "laplace_by_inversion",
    "losses_after_training",
    "one_shot_scores",
    "open_scores",
    "step_delta",
    "subsampled_profile",
    "two_call_limits",
    "white_box_scores",
]
