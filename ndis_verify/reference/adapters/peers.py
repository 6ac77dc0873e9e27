"""Published libraries behind the line protocol: `python -m ndis_verify.reference.adapters.peers NAME` (extra `peers`).

gx2 and chi2comb answer through the two distribution functions of N26-T4.1, dp-accounting for equal covariances. What a
library returns is handed over as it is; what it does not cover is refused.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from ndis_verify.bench import peers
from ndis_verify.reference.adapters.inputs import dense_pair
from ndis_verify.reference.adapters.serving import Refused, serve

_METHODS = {"gx2": peers.gx2_methods, "chi2comb": peers.chi2comb_methods, "dp-accounting": lambda: [peers.dp_accounting_method()]}


def hockey_stick(method: peers.Method, inputs: dict[str, Any]) -> float:
    """The library's delta of a pair, or `Refused` where it does not cover the pair."""
    pair = dense_pair(inputs)
    if reason := method.declines(pair):
        raise Refused(reason)
    return float(method.evaluate(pair, np.array([float(inputs["epsilon"])]))[0])


def gaussian(method: peers.Method, inputs: dict[str, Any]) -> float:
    """The same of the pair N(sensitivity, std^2), N(0, std^2)."""
    variance = float(inputs["std"]) ** 2
    pair = {"mean_p": [inputs["sensitivity"]], "cov_p": variance, "mean_q": ["0"], "cov_q": variance}
    return hockey_stick(method, pair | {"epsilon": inputs["epsilon"]})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=tuple(_METHODS))
    parser.add_argument("--method", type=int, default=0, help="which of the library's methods (default 0)")
    arguments = parser.parse_args()
    methods = _METHODS[arguments.name]()
    if not 0 <= arguments.method < len(methods):
        parser.error(f"--method must be below {len(methods)}")
    method = methods[arguments.method]
    if method.absent:
        print(f"{arguments.name}: {method.absent}", file=sys.stderr)
        return 1
    serve(method.name, "", {
        "hockey_stick": lambda inputs: hockey_stick(method, inputs),
        "gaussian_hockey_stick": lambda inputs: gaussian(method, inputs),
    })  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
