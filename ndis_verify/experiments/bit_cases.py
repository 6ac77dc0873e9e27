"""Whom the auditor of bits is shown on: samplers with planted holes, samplers of other libraries, and all of our own
mechanisms.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from ndis_verify.audit.bits import BitAudit, Sampler, audit_bits
from ndis_verify.experiments import planted_samplers as planted
from ndis_verify.fast.mean_shift import gaussian_std
from ndis_verify.mechanisms.neighbours import NEIGHBOURS, TINY, releases

EPSILON, DELTA = 1.0, 1e-5  # what samplers of other libraries are asked for; sensitivity 1


@dataclass(frozen=True)
class BitCase:
    """make(rng) gives the samplers of P and Q; what is claimed of them is (epsilon, delta). `attack`: what should give
    them away.
    """

    name: str
    attack: str
    epsilon: float
    delta: float
    make: Callable[[np.random.Generator], tuple[Sampler, Sampler]]
    values: tuple[float, float] | None = None

    def audit(self, draws: int, seed: int) -> BitAudit:
        """The audit at the claim's epsilon; the same seed gives the same result wherever the sampler takes one."""
        p, q = self.make(np.random.default_rng([seed, *self.name.encode()]))
        known: dict[str, Any] = {} if self.values is None else {"value_p": self.values[0], "value_q": self.values[1]}
        return audit_bits(p, q, epsilon=self.epsilon, draws=draws, **known)


def planted_cases() -> list[BitCase]:
    """Samplers whose laws of real numbers keep what is claimed, and whose float64s do not."""
    ours = {case.name: case for case in NEIGHBOURS}

    def in_place_of(name: str, sampler: str, attack: str, hole: Callable[..., Sampler]) -> BitCase:
        """`hole(mechanism, data, rng)` on the databases of one of our mechanisms, with the claim of its certificate."""
        case = ours[name]
        mechanism = case.mechanism
        calibration = mechanism.calibration

        def make(rng: np.random.Generator) -> tuple[Sampler, Sampler]:
            return hole(mechanism, case.p[0], rng), hole(mechanism, case.q[0], rng)

        return BitCase(sampler, attack, calibration.target.epsilon, calibration.certificate.delta, make)

    def prediction(mechanism: Any, data: Any, rng: np.random.Generator) -> Sampler:
        law = mechanism.output_law(data)
        return planted.unrounded_normal(law.mean[0], law.cov[0, 0], rng)

    def projection(mechanism: Any, data: Any, rng: np.random.Generator) -> Sampler:
        return planted.unrounded_projection(data, mechanism.calibration.public["r"], rng)

    def after_test(mechanism: Any, data: Any, rng: np.random.Generator) -> Sampler:
        public = mechanism.calibration.public
        return planted.unrounded_after_test(data, public["r"], public["std"], mechanism.ridge_at, rng)

    def grid_sketch(mechanism: Any, data: Any, rng: np.random.Generator) -> Sampler:
        return planted.solved_grid_sketch(data, mechanism.ridge, rng)

    def tiny_sketch(mechanism: Any, data: Any, rng: np.random.Generator) -> Sampler:
        return planted.unrounded_sketch(data * TINY, rng)

    many = "relative projection, ridge 0, many columns"
    return [
        _textbook(),
        in_place_of(
            "sketched least squares",
            "least squares solved from a sketch on a grid",
            "both integers from the ratio",
            grid_sketch,
        ),
        in_place_of(
            "Gaussian process, variance 0",
            "Gaussian process without added noise, not rounded",
            "low bits of mean + noise",
            prediction,
        ),
        in_place_of(
            "relative projection, ridge 0", "relative projection, ridge 0, not rounded", "low bits of a sum", projection
        ),
        in_place_of(many, f"{many}, not rounded", "low bits of a sum", projection),
        in_place_of(
            "projection after a test, ridge 0",
            "projection after a test at ridge 0, not rounded",
            "low bits of sums",
            after_test,
        ),
        in_place_of(
            "relative least squares, sketch, ridge 0",
            "relative sketch at ridge 0, tiny records, not rounded",
            "both integers from the ratio",
            tiny_sketch,
        ),
    ]


def _both(draw: Callable[[float], Any], rng: np.random.Generator) -> tuple[Sampler, Sampler]:
    return _repeated(draw, 0.0), _repeated(draw, 1.0)


def _textbook() -> BitCase:
    """`mean + std * rng.normal()` on the values 0 and 1."""
    std = float(gaussian_std(1.0, epsilon=EPSILON, delta=DELTA))

    def make(rng: np.random.Generator) -> tuple[Sampler, Sampler]:
        return planted.textbook_gaussian(0.0, std, rng), planted.textbook_gaussian(1.0, std, rng)

    return BitCase("mean + std * rng.normal()", "cancellation and cut-off bits", EPSILON, DELTA, make, (0.0, 1.0))


def peer_cases() -> list[BitCase]:
    """Gaussian samplers of other libraries, of those that are installed, on the values 0 and 1."""
    found = []
    for name, attack, one in _PEERS:
        try:
            draw = one()
        except (ImportError, OSError):
            continue
        found.append(BitCase(name, attack, EPSILON, DELTA, partial(_both, draw), (0.0, 1.0)))
    return found


def _repeated(draw: Callable[[float], float], value: float) -> Sampler:
    return lambda count: np.array([[float(draw(value))] for _ in range(count)])


def _diffprivlib(name: str) -> Callable[[], Callable[[float], float]]:
    def make() -> Callable[[float], float]:
        with _without_models("diffprivlib"):
            from diffprivlib import mechanisms

        return getattr(mechanisms, name)(epsilon=EPSILON, delta=DELTA, sensitivity=1.0).randomise

    return make


@contextmanager
def _without_models(package: str) -> Iterator[None]:
    """Let submodules of `package` be imported without the file of the package itself.

    diffprivlib 0.6.6 imports tree models there, which scikit-learn has moved since; its mechanisms need none of them.
    """
    if package in sys.modules:
        yield
        return
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise ImportError(package)
    sys.modules[package] = bare = ModuleType(package)
    bare.__path__, bare.__spec__ = list(spec.submodule_search_locations or ()), spec
    try:
        yield
    finally:
        del sys.modules[package]


def _opendp() -> Callable[[float], float]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    std = float(gaussian_std(1.0, epsilon=EPSILON, delta=DELTA))
    return dp.m.make_gaussian(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=std)


def _pydp() -> Callable[[float], float]:
    from pydp.algorithms.numerical_mechanisms import GaussianMechanism

    return GaussianMechanism(EPSILON, DELTA, 1.0).add_noise


_PEERS: tuple[tuple[str, str, Callable[[], Callable[[float], float]]], ...] = (
    ("diffprivlib Gaussian", "value + sum of two normals over sqrt(2), in floats", _diffprivlib("Gaussian")),
    ("diffprivlib GaussianAnalytic", "the same, other scale", _diffprivlib("GaussianAnalytic")),
    ("OpenDP Gaussian", "exact discrete noise on a grid", _opendp),
    ("PyDP (Google) Gaussian", "noise on a grid", _pydp),
)


def own_cases() -> list[BitCase]:
    """Every mechanism of the package, on the databases of `mechanisms.neighbours`, at the delta that its certificate
    states.
    """
    found = []
    for case in NEIGHBOURS:
        mechanism = case.mechanism
        calibration = mechanism.calibration

        def make(rng: np.random.Generator, mechanism: Any = mechanism, case: Any = case) -> tuple[Sampler, Sampler]:
            return lambda count: releases(mechanism, case.p, rng, count), lambda count: releases(
                mechanism, case.q, rng, count
            )

        found.append(BitCase(case.name, "", calibration.target.epsilon, calibration.certificate.delta, make))
    return found
