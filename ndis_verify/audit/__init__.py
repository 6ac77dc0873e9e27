"""Auditors: what samples, or known output laws, prove about the privacy of a mechanism."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Names are imported when they are first used, so that the command line can list its options without loading scipy.
_HOME = {
    "METHODS": "histogram",
    "BitAudit": "bits",
    "BitEvent": "bits",
    "audit_bits": "bits",
    "laplace_by_inversion": "float_noise",
    "ScoreAudit": "histogram",
    "audit_by_methods": "histogram",
    "audit_scores": "histogram",
    "GaussianCurve": "gdp",
    "OperatingPoints": "operating_points",
    "ScoreFile": "score_files",
    "open_scores": "score_files",
    "clopper_pearson_lower": "limits",
    "clopper_pearson_upper": "limits",
    "jeffreys_upper": "limits",
    "credible_mass": "credible_region",
    "credible_gdp": "credible_region",
    "infer_std": "tv_inference",
    "DpSgd": "dp_sgd",
    "Linear": "dp_sgd",
    "Network": "dp_sgd",
    "black_box_scores": "dp_sgd",
    "losses_after_training": "dp_sgd",
    "white_box_scores": "dp_sgd",
    "composed_step": "subsampled_gaussian",
    "step_delta": "subsampled_gaussian",
    "accountant_epsilon": "subsampled_gaussian",
    "Classifier": "classifier",
    "ClassifierCurve": "classifier",
    "classifier_curve": "classifier",
    "fit_classifier": "classifier",
    "CanaryScores": "canaries",
    "one_shot_scores": "canaries",
    "composed_bound": "composition",
    "gaussian_profile": "composition",
    "grid_composition": "composition",
    "subsampled_profile": "composition",
    "WhiteBoxAudit": "white_box",
    "WitnessSet": "white_box",
    "audit_gaussian": "white_box",
    "error_per_call": "white_box",
    "estimated_limits": "white_box",
    "two_call_limits": "white_box",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
