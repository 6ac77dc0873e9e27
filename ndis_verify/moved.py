"""Modules that moved: the old name still works, with a `DeprecationWarning`, until the next release.

A module that became a package of that name hands on what it held (`former`).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# (old package, new package, modules), `old=new` where the name changed too; "" is the package itself
_MOVES = (
    ("report", "", "text=plain_text"),
    ("audit", "commands", "bits_command=audit_bits command=audit_scores"),
    ("audit", "audit", "gdp=gdp_parameter"),
    (
        "claims",
        "claims.gaussian_mechanism",
        "analytic_gaussian=analytic classical_gaussian=classical classical_gaussian_order=classical_order "
        "gaussian_calibration=calibration",
    ),
    (
        "claims",
        "court",
        "attack attack_certificate attack_checks attack_search certificate_store certified_numbers certify "
        "certify_box certify_checks checks court=judge domain points shared_hearings shrink source_closure "
        "source_names",
    ),
    ("claims", "commands", "attack_command=attack audit_gaussian audit_study"),
    ("claims", "claims", "attacks=attack_index"),
    ("claims", "experiments", "audit_cases"),
    ("claims", "claims.gdp_parameter", "audit_gdp=claims"),
    (
        "claims",
        "hunts",
        "calibration_hunt=hunt hunt_command=blocks least_squares_hunt=least_squares output_hunt=gaussian_output",
    ),
    ("claims", "claims.generalized_chi2", "cdf_oracle"),
    ("claims", "claims.composition", "composed_profile=claims"),
    ("claims", "claims.covariance_shift", "covariance_box=box covariance_order=order"),
    ("claims", "claims.hockey_stick", "definitions lemma=claims"),
    ("claims", "claims.dp_sgd", "dp_sgd_figures=figures"),
    ("claims", "claims.monte_carlo", "estimator=claims"),
    ("claims", "claims.denoising", "experiments_gaussian=experiments experiments_graph=road_graph"),
    (
        "claims",
        "claims.random_projection",
        "experiments_projection=experiments projection_checks=mechanism_checks projection_mechanism=mechanism "
        "projection_white_box=white_box",
    ),
    (
        "claims",
        "claims.least_squares",
        "experiments_regression=experiments least_squares_law=law_checks least_squares_matrices=matrices "
        "least_squares_mechanism=mechanism least_squares_noise=noise_checks least_squares_worst=worst_record",
    ),
    ("claims", "claims.histogram", "histogram_auditing=claims"),
    ("claims", "claims.mean_shift", "monotone_attacks=monotone"),
    ("claims", "claims.releases", "release_bits=bits"),
    ("claims", "claims.score_auditing", "score_figures=figures"),
    ("experiments", "commands", "bit_survey_page=audit_bits_survey command=experiment"),
    (
        "fast",
        "fast.least_squares",
        "als_exact=finite_law als_gap=gap als_kernel=kernel als_summit=worst_record als_worst_case=worst_case",
    ),
    (
        "fast",
        "fast.engine",
        "calibration=least_epsilon cell_search common_paths contour curve exact_moment exact_products fixed_point "
        "graded_pencil paths safe_root spectrum support_edge transform trapezoid",
    ),
    (
        "oracle",
        "oracle.engine",
        "agreement calibration=decreasing_root chi2_law chi2_series contour inputs one_eigenvalue precision "
        "quadratic_form rays two_cdf",
    ),
    ("oracle", "oracle.least_squares", "als_exact=finite_law"),
    (
        "oracle.certified",
        "oracle.certified.least_squares",
        "als_angle=angle als_cap=cap als_edge=edge als_exact=finite_law als_summit=worst_record "
        "als_worst_case=worst_case",
    ),
    (
        "oracle.certified",
        "oracle.certified.engine",
        "balls binomial_window integral laplace smooth_curve spectrum summit summit_root tail",
    ),
    ("oracle.certified", "oracle.certified.general_bound", "covariance_terms two_steps"),
    (
        "oracle.certified",
        "oracle.certified.relative_least_squares",
        "gram ridge_curve=curve ridge_path=path ridge_search=search ridge_sketch=sketch",
    ),
    ("oracle.certified", "oracle.certified.joint_shift", "joint_curve=curve prediction_plane summit_plane=plane"),
    ("oracle", "oracle", "relative_noise=relative_projection"),
    ("oracle", "oracle.general_bound", "split_bound=bound split_search=search"),
    ("reference", "commands", "command=reference"),
    ("reference.conformance", "commands", "command=conform"),
)


def _table() -> dict[str, str]:
    found = {}
    for old, new, names in _MOVES:
        for name in names.split():
            before, _, after = name.partition("=")
            found[f"ndis_verify.{old}.{before}"] = ".".join(filter(None, ("ndis_verify", new, after or before)))
    return found


MOVED = _table()


class _Moved(MetaPathFinder, Loader):
    """Finds a module under its old name, after all other finders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        warnings.warn(f"{spec.name} is now {MOVED[spec.name]}", DeprecationWarning, stacklevel=2)
        module = import_module(MOVED[spec.name])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing runs: it is the module of the new name, which keeps its own specification."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


def former(package: str, module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package that was a module of that name: what it held is in `module` now."""

    def handed_on(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module}"), name)
        warnings.warn(f"{package}.{name} is now in {package}.{module}", DeprecationWarning, stacklevel=2)
        return value

    return handed_on


def install() -> None:
    """Once for the process."""
    if not any(isinstance(finder, _Moved) for finder in sys.meta_path):
        sys.meta_path.append(_Moved())
