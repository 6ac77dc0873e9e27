"""`ndis-verify delta` and `ndis-verify epsilon`: the hockey-stick divergence of a pair, and its inverse."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.reference import bounded


def add_arguments(parser: argparse.ArgumentParser, verb: str) -> None:
    """The flags of `delta` and of `epsilon`."""
    argument = {"delta": "epsilon", "epsilon": "delta"}[verb]
    parser.add_argument("--pair", type=Path, metavar="FILE", help="JSON file with mean_p, cov_p, mean_q, cov_q")
    for flag, shape in (("mean-p", "0.5,1"), ("cov-p", "2,0.5;0.5,1"), ("mean-q", "0,0"), ("cov-q", "1")):
        parser.add_argument(
            f"--{flag}", metavar=shape, help="numbers; in a covariance `;` separates rows, one row is a diagonal"
        )
    parser.add_argument(f"--{argument}", dest="points", nargs="+", required=True, metavar=argument.upper())
    parser.add_argument("--digits", type=int, default=30, help="significant digits (default 30)")
    basis = parser.add_mutually_exclusive_group()
    basis.add_argument(
        "--certified", action="store_true", help="a certified enclosure by ball arithmetic: the default, a proof"
    )
    basis.add_argument("--agreement", action="store_true", help="two routes of the oracle agree: slower, and no proof")
    parser.add_argument("--json", action="store_true")
    bounded.add_arguments(parser)
    parser.set_defaults(quantity={"delta": "hockey_stick", "epsilon": "epsilon_for_delta"}[verb], argument=argument)


def main(arguments: argparse.Namespace) -> int:
    """Print a value for every epsilon, or delta, that was asked for, each as soon as it is known."""
    from ndis_verify.reference.bounded import Limits, each
    from ndis_verify.reference.pair_input import read_pair
    from ndis_verify.reference.quantities import MAX_EPSILON

    if not 1 <= arguments.digits <= 1000:
        raise InputError("--digits", str(arguments.digits), "must be between 1 and 1000")
    for point in arguments.points:
        if arguments.argument == "epsilon" and abs(exact(point, "--epsilon")) > MAX_EPSILON:
            raise InputError("--epsilon", point, "must be at most 1e20 in magnitude")
    function = _quantity(arguments.quantity, arguments.agreement)
    pair = cache(lambda: read_pair(arguments))

    def value(point: str) -> tuple[str, str, str]:
        enclosure = function(pair(), point, digits=arguments.digits)
        return (*enclosure.decimal(arguments.digits), enclosure.basis)

    for point, (middle, radius, basis) in zip(arguments.points, each(value, arguments.points, Limits.of(arguments))):
        if arguments.json:
            record = {arguments.argument: point, "value": middle, "radius": radius, "basis": basis}
            print(json.dumps(record), flush=True)
        else:
            mark = "certified" if basis == "bound" else "two routes agree"
            print(f"{arguments.command}({arguments.argument} = {point}) = {middle} +/- {radius} ({mark})", flush=True)
    return 0


def _quantity(name: str, agreement: bool) -> Callable[..., Enclosure]:
    """`hockey_stick` or `epsilon_for_delta`, of the engine that is asked for; no other is loaded."""
    if agreement:
        from ndis_verify.oracle.hockey_stick import epsilon_for_delta, hockey_stick
    else:
        from ndis_verify.oracle.certified.hockey_stick import epsilon_for_delta, hockey_stick
    return {"hockey_stick": hockey_stick, "epsilon_for_delta": epsilon_for_delta}[name]
