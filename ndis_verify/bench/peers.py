"""Other implementations, each behind an adapter with one signature: (problem, epsilons) -> array of delta.

The adapters hand over what the library returns. A library that raises, reports an error code, returns a NaN or a
negative number is shown doing so; nothing is clipped or repaired here.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from ndis_verify.bench import two_cdf
from ndis_verify.bench.problems import DensePair, PairBatch, Problem

Evaluate = Callable[[Problem, np.ndarray], np.ndarray]


class PeerFailure(RuntimeError):
    """A library answered with an error code of its own."""


@dataclass(frozen=True)
class Method:
    """One way to compute delta. `absent` says why it cannot be called here, `declines(problem)` what it does not cover.

    `batch` takes a whole PairBatch and one epsilon in one call, where the library has such a call.
    """

    name: str
    evaluate: Evaluate
    absent: str = ""
    declines: Callable[[Problem], str] = lambda problem: ""
    batch: Callable[[PairBatch, float], np.ndarray] | None = None
    ours: bool = False


def peers() -> list[Method]:
    """Every peer, in the order of the table; those that cannot be imported carry the reason."""
    return [textbook(), *gx2_methods(), *chi2comb_methods(), dp_accounting_method()]


def textbook() -> Method:
    """Imhof's integral by scipy's quad, twice: always available."""
    return Method(
        "scipy Imhof twice", lambda problem, epsilons: two_cdf.hockey_stick(problem, epsilons, two_cdf.textbook_cdf)
    )


def gx2_methods() -> list[Method]:
    """gx2's CDF twice: the method it picks itself, and Imhof's integral with tight tolerances."""
    module, absent = _load("gx2")
    label = _label("gx2", module)

    def method(name: str, **options: float | str) -> Method:
        def cdf(law: two_cdf.ChiSquareSum, points: np.ndarray) -> np.ndarray:
            return np.asarray(
                module.cdf(points, law.weights, law.dofs, law.noncentralities, law.std, law.shift, **options)
            )

        return Method(name, lambda problem, epsilons: two_cdf.hockey_stick(problem, epsilons, cdf), absent)

    tight: dict[str, float | str] = {"method": "imhof", "AbsTol": 1e-14, "RelTol": 1e-12}
    return [method(f"{label} twice, auto"), method(f"{label} twice, Imhof", **tight)]


CHI2COMB_ERRORS = {
    1: "required accuracy not achieved",
    2: "round-off error possibly significant",
    3: "invalid parameters",
    4: "unable to locate integration parameters",
    5: "out of memory",
}


def chi2comb_methods() -> list[Method]:
    """chi2comb's CDF (Davies' algorithm in C) twice, at two absolute tolerances."""
    module, absent = _load("chi2comb")
    label = _label("chi2comb", module)

    def method(tolerance: float) -> Method:
        def cdf(law: two_cdf.ChiSquareSum, points: np.ndarray) -> np.ndarray:
            terms = [module.ChiSquared(w, nc, k) for w, nc, k in zip(law.weights, law.noncentralities, law.dofs)]
            return np.array([_chi2comb_value(module, x - law.shift, terms, law.std, tolerance) for x in points])

        name = f"{label} twice, {tolerance:.0e}"
        return Method(name, lambda problem, epsilons: two_cdf.hockey_stick(problem, epsilons, cdf), absent)

    return [method(1e-8), method(1e-14)]


def _chi2comb_value(module: ModuleType, x: float, terms: list, std: float, tolerance: float) -> float:
    value, error, _ = module.chi2comb_cdf(x, terms, std, lim=1_000_000, atol=tolerance)
    if error:
        raise PeerFailure(f"error {error}: {CHI2COMB_ERRORS.get(error, 'unknown')}")
    return value


def dp_accounting_method() -> Method:
    """dp-accounting's Gaussian mechanism: its privacy loss object, for equal covariances only.

    The object is kept between calls, as its users keep it: building it takes longer than a value.
    """
    module, absent = _load("dp_accounting.pld.privacy_loss_mechanism")

    @lru_cache(maxsize=1)
    def loss(distance: float) -> Any:
        return module.GaussianPrivacyLoss(standard_deviation=1.0, sensitivity=distance)

    def evaluate(problem: Problem, epsilons: np.ndarray) -> np.ndarray:
        return np.asarray(loss(_distance(problem)).get_delta_for_epsilon(epsilons))

    def declines(problem: Problem) -> str:
        return "" if _equal_covariances(problem) else "equal covariances only"

    return Method(_label("dp-accounting", module), evaluate, absent, declines)


def _equal_covariances(problem: Problem) -> bool:
    if isinstance(problem, DensePair):
        return np.array_equal(problem.cov_p, problem.cov_q)
    return not problem.alpha.any()


def _distance(problem: Problem) -> float:
    """The Mahalanobis distance of the means."""
    if isinstance(problem, DensePair):
        root = np.linalg.cholesky(problem.cov_q)
        return float(np.linalg.norm(np.linalg.solve(root, problem.mean_p - problem.mean_q)))
    return float(np.linalg.norm(problem.shift))


def _load(module: str) -> tuple[Any, str]:
    """(module, "") or (None, why not). A broken installation may raise anything at import."""
    try:
        return importlib.import_module(module), ""
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            return None, "absent: not installed"
        return None, f"absent: needs {error.name}"
    except Exception as error:
        return None, f"absent: import fails, {type(error).__name__}: {error}"


def _label(distribution: str, module: ModuleType | None) -> str:
    if module is None:
        return distribution
    try:
        return f"{distribution} {importlib.metadata.version(distribution)}"
    except importlib.metadata.PackageNotFoundError:
        return distribution
