"""Published libraries behind the line protocol: `python -m ndis_verify.reference.adapters.peers NAME` (extra `peers`).

gx2 and chi2comb answer for generalized chi-square laws, and for pairs through the two distribution functions of
N26-T4.1; dp-accounting, OpenDP (its zero-concentrated conversion), autodp and prv-accountant (its upper bound) for the
Gaussian mechanism, its smallest epsilon where the covariances are equal, and its least noise where they calibrate. What
a library returns is handed over as it is; what it does not cover is refused.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ndis_verify.bench import peers
from ndis_verify.reference.adapters.inputs import dense_pair, law
from ndis_verify.reference.adapters.serving import Refused, serve

Functions = dict[str, Callable[[dict[str, Any]], float]]
_PRV_ERROR = 1e-4


def _by_pairs(methods: Callable[[], list[peers.Method]], number: int) -> tuple[str, Functions]:
    """A peer of the benchmark: its delta of a pair, and so that of N(sensitivity, std^2) against N(0, std^2)."""
    method = methods()[number]
    if method.absent:
        raise ImportError(method.absent)

    def pairs(inputs: dict[str, Any]) -> float:
        pair = dense_pair(inputs)
        if reason := method.declines(pair):
            raise Refused(reason)
        return float(method.evaluate(pair, np.array([float(inputs["epsilon"])]))[0])

    def gaussian(inputs: dict[str, Any]) -> float:
        variance = float(inputs["std"]) ** 2
        pair = {"mean_p": [inputs["sensitivity"]], "cov_p": variance, "mean_q": ["0"], "cov_q": variance}
        return pairs(pair | {"epsilon": inputs["epsilon"]})

    return method.name, {"hockey_stick": pairs, "gaussian_hockey_stick": gaussian}


def _std_of(inputs: dict[str, Any]) -> float:
    """The noise, for a shift of 1, whose pair is this one of equal covariances: 1 over the distance of the means."""
    pair = dense_pair(inputs)
    if not np.array_equal(pair.cov_p, pair.cov_q):
        raise Refused("equal covariances only", "cov_p")
    whitened = np.linalg.solve(np.linalg.cholesky(pair.cov_p), pair.mean_p - pair.mean_q)
    return 1.0 / float(np.linalg.norm(whitened))


def _gx2(number: int) -> tuple[str, Functions]:
    name, functions = _by_pairs(peers.gx2_methods, number)
    module, options = (
        importlib.import_module("gx2"),
        {"method": "imhof", "AbsTol": 1e-14, "RelTol": 1e-12} if number else {},
    )

    def tail(inputs: dict[str, Any], side: str) -> float:
        x = law(inputs)
        return module.cdf(
            np.array([float(inputs["x"])]), x.weights, x.dofs, x.noncentralities, x.std, x.shift, side=side, **options
        )[0]

    return name, functions | {
        "generalized_chi2_cdf": lambda inputs: tail(inputs, "lower"),
        "generalized_chi2_sf": lambda inputs: tail(inputs, "upper"),
    }


def _chi2comb(number: int) -> tuple[str, Functions]:
    name, functions = _by_pairs(peers.chi2comb_methods, number)
    module, tolerance = importlib.import_module("chi2comb"), (1e-8, 1e-14)[number]

    def cdf(inputs: dict[str, Any]) -> float:
        x = law(inputs)
        terms = [module.ChiSquared(*term) for term in zip(x.weights, x.noncentralities, x.dofs)]
        value, error, _ = module.chi2comb_cdf(float(inputs["x"]) - x.shift, terms, x.std, lim=1_000_000, atol=tolerance)
        if error:
            raise Refused(f"error {error}: {peers.CHI2COMB_ERRORS.get(error, 'unknown')}")
        return value

    return name, functions | {"generalized_chi2_cdf": cdf}


def _dp_accounting() -> tuple[str, Functions]:
    name, functions = _by_pairs(lambda: [peers.dp_accounting_method()], 0)
    module = importlib.import_module("dp_accounting")
    return name, functions | {
        "epsilon_for_delta": lambda inputs: module.get_epsilon_gaussian(_std_of(inputs), float(inputs["delta"])),
        "gaussian_std": lambda inputs: (
            float(inputs["sensitivity"]) * module.get_sigma_gaussian(float(inputs["epsilon"]), float(inputs["delta"]))
        ),
    }


def _opendp() -> tuple[str, Functions]:
    dp = importlib.import_module("opendp.prelude")
    combinators = importlib.import_module("opendp.combinators")
    dp.enable_features("contrib", "idealized-numerics")

    def profile(std: float, sensitivity: float) -> Any:
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l2_distance(T=float)
        return combinators.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=std)).map(sensitivity)

    return "opendp", {
        "gaussian_hockey_stick": (
            lambda inputs: profile(float(inputs["std"]), float(inputs["sensitivity"])).delta(
                epsilon=float(inputs["epsilon"])
            )
        ),
        "epsilon_for_delta": lambda inputs: profile(_std_of(inputs), 1.0).epsilon(delta=float(inputs["delta"])),
    }


def _autodp() -> tuple[str, Functions]:
    bank = importlib.import_module("autodp.dp_bank")
    importlib.import_module("autodp.rdp_acct")  # imports in a circle unless this one comes first
    calibrator = importlib.import_module("autodp.privacy_calibrator")

    def gaussian(inputs: dict[str, Any]) -> float:
        return math.exp(
            bank.get_logdelta_ana_gaussian(
                float(inputs["std"]) / float(inputs["sensitivity"]), float(inputs["epsilon"])
            )
        )

    def std(inputs: dict[str, Any]) -> float:
        return calibrator.ana_gaussian_mech(float(inputs["epsilon"]), float(inputs["delta"]))["sigma"] * float(
            inputs["sensitivity"]
        )

    def epsilon(inputs: dict[str, Any]) -> float:
        return bank.get_eps_ana_gaussian(_std_of(inputs), float(inputs["delta"]))

    return "autodp", {"gaussian_hockey_stick": gaussian, "epsilon_for_delta": epsilon, "gaussian_std": std}


def _prv() -> tuple[str, Functions]:
    accountant = importlib.import_module("prv_accountant")
    mechanisms = importlib.import_module("prv_accountant.privacy_random_variables")

    def one(std: float) -> Any:
        loss = mechanisms.GaussianMechanism(noise_multiplier=std)
        return accountant.PRVAccountant(prvs=[loss], max_self_compositions=[1], eps_error=_PRV_ERROR, delta_error=1e-12)

    def gaussian(inputs: dict[str, Any]) -> float:
        return one(float(inputs["std"]) / float(inputs["sensitivity"])).compute_delta(float(inputs["epsilon"]), [1])[2]

    def epsilon(inputs: dict[str, Any]) -> float:
        return one(_std_of(inputs)).compute_epsilon(float(inputs["delta"]), [1])[2]

    return "prv-accountant", {"gaussian_hockey_stick": gaussian, "epsilon_for_delta": epsilon}


_PEERS: dict[str, Callable[[int], tuple[str, Functions]]] = {
    "gx2": _gx2,
    "chi2comb": _chi2comb,
    "dp-accounting": lambda number: _dp_accounting(),
    "opendp": lambda number: _opendp(),
    "autodp": lambda number: _autodp(),
    "prv-accountant": lambda number: _prv(),
}


SURVEYED = {name: (name,) for name in _PEERS} | {"gx2, Imhof": ("gx2", "--method", "1")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=tuple(_PEERS))
    parser.add_argument(
        "--method", type=int, default=0, choices=(0, 1), help="gx2: automatic or Imhof; chi2comb: 1e-8 or 1e-14"
    )
    arguments = parser.parse_args()
    try:
        name, functions = _PEERS[arguments.name](arguments.method)
    except Exception as error:  # a broken installation may raise anything at import
        print(f"{arguments.name}: {error}", file=sys.stderr)
        return 1
    serve(name, "", functions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
