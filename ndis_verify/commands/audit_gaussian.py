"""`ndis-verify audit gaussian`: a claimed (epsilon, delta) against the Gaussian output laws on neighbouring inputs."""

from __future__ import annotations

import argparse
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndis_verify.arguments import whole
from ndis_verify.exact_number import InputError, exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.rounded_text import as_given, at_least, at_most

if TYPE_CHECKING:
    from ndis_verify.audit.white_box import Limits, WhiteBoxAudit

REFUTED = 1
HELP = "refute a claimed (epsilon, delta) by the Gaussian output laws on neighbouring inputs"
BASES = {"certified": "certified by ball arithmetic", "fast": "float64 engine, ten times its stated error"}
_FLAGS = ("mean_p", "cov_p", "mean_q", "cov_q")
_DIGITS = (12, 30, 60)
_SHOWN_DIMENSION = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ndis-verify audit gaussian`; the parsed ones go to `main`."""
    parser.add_argument(
        "--pair",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="JSON files with mean_p, cov_p, mean_q, cov_q, one for each pair of neighbours",
    )
    for flag, shape in (("mean-p", "0.5,1"), ("cov-p", "2,0.5;0.5,1"), ("mean-q", "0,0"), ("cov-q", "1")):
        parser.add_argument(
            f"--{flag}", metavar=shape, help="numbers; in a covariance `;` separates rows, one row is a diagonal"
        )
    parser.add_argument("--epsilon", required=True, metavar="E", help="the claim's epsilon")
    parser.add_argument("--delta", required=True, metavar="D", help="the claim's delta")
    parser.add_argument(
        "--copies", type=int, default=1, metavar="K", help="independent columns of the output, or releases (default 1)"
    )
    parser.add_argument("--engine", choices=tuple(BASES), default="certified", help="default certified")
    parser.add_argument(
        "--samples",
        nargs="+",
        type=int,
        metavar="N",
        help="means and covariances were estimated from N outputs of each law (or N M)",
    )
    parser.add_argument("--confidence", type=float, default=0.95, metavar="C", help="with --samples (default 0.95)")
    parser.add_argument("--seed", type=int, default=0, help="with --samples (default 0)")
    parser.add_argument("--json", action="store_true")


def main(arguments: argparse.Namespace) -> int:
    """Print the verdict; 0 not refuted, 1 refuted. Not refuted with a negative margin: the limits do not settle the
    claim.
    """
    from ndis_verify.audit.white_box import audit_gaussian

    pairs = _pairs(arguments)
    whole(arguments.copies, "--copies", 1)
    limits, basis = _limits(arguments, len(pairs))
    found = audit_gaussian(
        pairs, arguments.epsilon, arguments.delta, copies=arguments.copies, limits=limits, basis=basis
    )
    report = summary(found)
    print(json.dumps(report, indent=1) if arguments.json else "\n".join(_lines(report)))
    return REFUTED if found.refuted else 0


def certified_limits(delta: Any) -> Limits:
    """Limits of delta by ball arithmetic, as exact fractions; more digits are taken until they settle the claimed
    `delta`.
    """
    from ndis_verify.oracle.certified.composition import composed_hockey_stick

    claimed = exact(delta, "delta")

    def limits(pair: GaussianPair, copies: int, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        for digits in _DIGITS:
            found = composed_hockey_stick(pair, copies, epsilon, digits)
            if not found.lower <= claimed < found.upper:
                break
        return max(Fraction(0), found.lower), min(Fraction(1), found.upper)

    return limits


def summary(found: WhiteBoxAudit) -> dict[str, Any]:
    """The audit as plain data, limits as decimal text, rounded to the safe side; no set whose numbers are no floats."""
    import numpy as np

    witness = found.witness
    shown = all(np.isfinite(part).all() for part in (witness.matrix, witness.vector, witness.constant))
    return {
        "claim": {"epsilon": as_given(found.epsilon), "delta": as_given(found.delta)},
        "verdict": found.verdict,
        "lower": at_least(found.lower, 12),
        "upper": at_most(found.upper, 12),
        "margin": at_least(found.margin, 12),
        "basis": found.basis,
        "neighbour": found.neighbour,
        "order": found.order,
        "set": {
            "matrix": witness.matrix.tolist(),
            "vector": witness.vector.tolist(),
            "constant": witness.constant,
            "copies": witness.copies,
        }
        if shown
        else None,
    }


def _pairs(arguments: argparse.Namespace) -> dict[str, GaussianPair]:
    from ndis_verify.reference.pair_input import pair_from_file, read_pair

    if arguments.pair is None:
        return {"given": read_pair(arguments)}
    given = [name for name in _FLAGS if getattr(arguments, name) is not None]
    if given:
        raise InputError("--pair", str(arguments.pair[0]), f"excludes --{given[0].replace('_', '-')}")
    return {str(path): pair_from_file(path) for path in arguments.pair}


def _limits(arguments: argparse.Namespace, pairs: int) -> tuple[Limits, str]:
    import numpy as np

    from ndis_verify.audit.white_box import engine_limits, estimated_limits

    inner = certified_limits(arguments.delta) if arguments.engine == "certified" else engine_limits
    if arguments.samples is None:
        return inner, BASES[arguments.engine]
    if len(arguments.samples) > 2 or arguments.seed < 0:
        raise InputError(
            "--samples, --seed",
            str((arguments.samples, arguments.seed)),
            "must be one or two numbers, and a seed of at least 0",
        )
    both = (arguments.samples[0], arguments.samples[-1])
    limits = estimated_limits(both, arguments.confidence, np.random.default_rng(arguments.seed), pairs, inner)
    return limits, f"estimates from {both[0]} and {both[1]} Gaussian outputs, confidence {arguments.confidence:g}"


def _lines(report: dict[str, Any]) -> list[str]:
    claim, shape = report["claim"], report["set"]
    mark = "REFUTED" if report["verdict"] == "refuted" else "not refuted"
    margin = "" if mark == "REFUTED" else f", margin {report['margin']}"
    if Decimal(report["margin"]) < 0 and mark != "REFUTED":
        margin += " (not settled: the claim lies between the limits)"
    lines = [
        f"({claim['epsilon']}, {claim['delta']})-DP is {mark}{margin}",
        (
            f"delta >= {report['lower']} at neighbour {report['neighbour']}, order {report['order']}; <="
            f" {report['upper']} everywhere ({report['basis']})"
        ),
    ]
    if shape is None:
        lines.append("witness: its numbers are no floats")
    elif len(shape["vector"]) <= _SHOWN_DIMENSION:
        kind = "x^T diag(A) x" if shape["matrix"] and not isinstance(shape["matrix"][0], list) else "x^T A x"
        form = f"{kind} + v^T x" if shape["copies"] == 1 else f"sum over {shape['copies']} copies ({kind} + v^T x)"
        lines.append(
            f"witness: {form} + c > 0 with A = {shape['matrix']}, v = {shape['vector']}, c = {shape['constant']:.15g}"
        )
    else:
        lines.append(f"witness: a quadratic inequality in {len(shape['vector'])} coordinates (--json prints it)")
    return lines
