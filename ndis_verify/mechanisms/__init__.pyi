from ndis_verify.mechanisms.calibration import Calibration, Certificate, Target, UnsafeRelease
from ndis_verify.mechanisms.denoising import denoise, james_stein, positive_part, soft_threshold
from ndis_verify.mechanisms.gaussian import GaussianMechanism, gaussian_mechanism
from ndis_verify.mechanisms.gaussian_output import CalibratedGaussian, calibrated_gaussian
from ndis_verify.mechanisms.gaussian_process import gaussian_process, linear_kernel, squared_exponential
from ndis_verify.mechanisms.least_squares import (
    LeastSquares,
    SketchedLeastSquares,
    least_squares,
    sketched_least_squares,
)
from ndis_verify.mechanisms.logistic_regression import logistic_regression
from ndis_verify.mechanisms.projection_estimates import gram_error, gram_estimate, projected_least_squares
from ndis_verify.mechanisms.projection_wrappers import (
    ProposeTestRelease,
    ReleaseAfterTest,
    Split,
    SubsampledRandomProjection,
    planned_split,
    propose_test_release,
    subsampled_random_projection,
)
from ndis_verify.mechanisms.random_projection import (
    RandomLinearCombination,
    RandomProjection,
    random_linear_combination,
    random_projection,
)
from ndis_verify.mechanisms.records import clip_norms
from ndis_verify.mechanisms.relative_least_squares import RelativeLeastSquares, relative_least_squares, worst_in_set
from ndis_verify.mechanisms.relative_projection import (
    Neighbourhood,
    RelativeRandomProjection,
    inherent_delta,
    neighbourhood,
    relative_random_projection,
)
from ndis_verify.mechanisms.white_box import OutputLaw, WorstNeighbour, law_delta, worst_neighbour

__all__ = [
    "CalibratedGaussian",
    "Calibration",
    "Certificate",
    "GaussianMechanism",
    "LeastSquares",
    "Neighbourhood",
    "OutputLaw",
    "ProposeTestRelease",
    "RandomLinearCombination",
    "RandomProjection",
    "RelativeLeastSquares",
    "RelativeRandomProjection",
    "ReleaseAfterTest",
    "SketchedLeastSquares",
    "Split",
    "SubsampledRandomProjection",
    "Target",
    "UnsafeRelease",
    "WorstNeighbour",
    "calibrated_gaussian",
    "clip_norms",
    "denoise",
    "gaussian_mechanism",
    "gaussian_process",
    "gram_error",
    "gram_estimate",
    "inherent_delta",
    "james_stein",
    "law_delta",
    "least_squares",
    "linear_kernel",
    "logistic_regression",
    "neighbourhood",
    "planned_split",
    "positive_part",
    "projected_least_squares",
    "propose_test_release",
    "random_linear_combination",
    "random_projection",
    "relative_least_squares",
    "relative_random_projection",
    "sketched_least_squares",
    "soft_threshold",
    "squared_exponential",
    "subsampled_random_projection",
    "worst_in_set",
    "worst_neighbour",
]
