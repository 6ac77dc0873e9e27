"""Published libraries behind the line protocol: `python -m ndis_verify.reference.adapters.peers NAME` (extra `peers`).

gx2 and chi2comb answer through the two distribution functions of N26-T4.1; dp-accounting for pairs of equal covariance;
OpenDP (its zero-concentrated conversion), autodp and prv-accountant (its upper bound) for the Gaussian mechanism. What a
library returns is handed over as it is; what it does not cover is refused.
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
from ndis_verify.reference.adapters.inputs import dense_pair
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


def _opendp() -> tuple[str, Functions]:
    dp = importlib.import_module("opendp.prelude")
    combinators = importlib.import_module("opendp.combinators")
    dp.enable_features("contrib", "idealized-numerics")

    def gaussian(inputs: dict[str, Any]) -> float:
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l2_distance(T=float)
        profile = combinators.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=float(inputs["std"]))).map(float(inputs["sensitivity"]))
        return profile.delta(epsilon=float(inputs["epsilon"]))

    return "opendp", {"gaussian_hockey_stick": gaussian}


def _autodp() -> tuple[str, Functions]:
    bank = importlib.import_module("autodp.dp_bank")
    importlib.import_module("autodp.rdp_acct")  # imports in a circle unless this one comes first
    calibrator = importlib.import_module("autodp.privacy_calibrator")

    def gaussian(inputs: dict[str, Any]) -> float:
        return math.exp(bank.get_logdelta_ana_gaussian(float(inputs["std"]) / float(inputs["sensitivity"]), float(inputs["epsilon"])))

    def std(inputs: dict[str, Any]) -> float:
        return calibrator.ana_gaussian_mech(float(inputs["epsilon"]), float(inputs["delta"]))["sigma"] * float(inputs["sensitivity"])

    return "autodp", {"gaussian_hockey_stick": gaussian, "gaussian_std": std}


def _prv() -> tuple[str, Functions]:
    accountant = importlib.import_module("prv_accountant")
    mechanisms = importlib.import_module("prv_accountant.privacy_random_variables")

    def gaussian(inputs: dict[str, Any]) -> float:
        loss = mechanisms.GaussianMechanism(noise_multiplier=float(inputs["std"]) / float(inputs["sensitivity"]))
        count = accountant.PRVAccountant(prvs=[loss], max_self_compositions=[1], eps_error=_PRV_ERROR, delta_error=1e-12)
        return count.compute_delta(float(inputs["epsilon"]), [1])[2]

    return "prv-accountant", {"gaussian_hockey_stick": gaussian}


_PEERS: dict[str, Callable[[int], tuple[str, Functions]]] = {
    "gx2": lambda number: _by_pairs(peers.gx2_methods, number),
    "chi2comb": lambda number: _by_pairs(peers.chi2comb_methods, number),
    "dp-accounting": lambda number: _by_pairs(lambda: [peers.dp_accounting_method()], number),
    "opendp": lambda number: _opendp(),
    "autodp": lambda number: _autodp(),
    "prv-accountant": lambda number: _prv(),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=tuple(_PEERS))
    parser.add_argument("--method", type=int, default=0, choices=(0, 1), help="gx2: automatic or Imhof; chi2comb: 1e-8 or 1e-14")
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
