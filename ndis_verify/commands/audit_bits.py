"""`ndis-verify audit bits`: what the bits of releases prove about a sampler."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndis_verify.exact_number import InputError, exact
from ndis_verify.rounded_text import as_given, at_least, at_most

if TYPE_CHECKING:
    from ndis_verify.audit.bits import BitAudit, BitEvent

REFUTED = 1
HELP = "lower limits of epsilon and delta from the bits of releases on two neighbouring databases"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ndis-verify audit bits`; the parsed ones go to `main`."""
    parser.add_argument(
        "--files",
        nargs=2,
        type=Path,
        metavar=("P", "Q"),
        help="releases on the two databases: one on each line, numbers separated by commas",
    )
    parser.add_argument(
        "--epsilon", metavar="E", help="bound delta at this epsilon; with --delta too: try to refute (E, D)-DP"
    )
    parser.add_argument("--delta", metavar="D", help="bound epsilon at this delta")
    parser.add_argument("--confidence", default="0.95", metavar="C", help="of all limits together (default 0.95)")
    parser.add_argument(
        "--draws", type=int, default=40_000, metavar="N", help="of each side, asked of the command (default 40000)"
    )
    parser.add_argument(
        "--value-p", metavar="X,...", help="what would be released on P without noise; --value-q likewise"
    )
    parser.add_argument("--value-q", metavar="X,...", help=argparse.SUPPRESS)
    parser.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="STEP",
        help="a public step of which releases may be multiples; may be repeated",
    )
    parser.add_argument(
        "--laplace",
        metavar="SCALE",
        help="with values: could numpy's Laplace noise of this scale have made the release?",
    )
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="SECONDS", help="for each answer of the command (default 60)"
    )
    parser.add_argument(
        "--limit", type=float, default=600.0, metavar="SECONDS", help="for all of its answers (default 600)"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "command_line", nargs="*", metavar="COMMAND", help="after --: draws releases when asked on its standard input"
    )


def main(arguments: argparse.Namespace) -> int:
    """Audit and print; 0 done, 1 the claimed (epsilon, delta) is refuted."""
    from ndis_verify.audit.bits import audit_bits
    from ndis_verify.audit.float_noise import laplace_by_inversion
    from ndis_verify.audit.release_sources import SamplerCommand, read_releases

    if (arguments.files is None) == (not arguments.command_line):
        raise InputError(
            "COMMAND, --files", "both" if arguments.files else "neither", "needs a command after --, or two files"
        )
    epsilon, delta = (
        None if text is None else float(exact(text, name))
        for text, name in ((arguments.epsilon, "--epsilon"), (arguments.delta, "--delta"))
    )
    options: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "confidence": float(exact(arguments.confidence, "--confidence")),
        "value_p": _value(arguments.value_p, "--value-p"),
        "value_q": _value(arguments.value_q, "--value-q"),
        "grids": [_number(step, "--grid") for step in arguments.grid],
        "noises": (
            {}
            if arguments.laplace is None
            else {"Laplace": laplace_by_inversion(_number(arguments.laplace, "--laplace"))}
        ),
    }
    if arguments.files is not None:
        found = audit_bits(*map(read_releases, arguments.files), **options)
    else:
        with SamplerCommand(arguments.command_line, arguments.timeout, arguments.limit) as sampler:
            found = audit_bits(
                *(lambda count, side=side: sampler.draw(side, count) for side in "pq"), draws=arguments.draws, **options
            )
    report = summary(found, epsilon, delta)
    print(json.dumps(report, indent=1) if arguments.json else "\n".join(lines(report)))
    return REFUTED if report.get("refuted") else 0


def summary(found: BitAudit, epsilon: float | None, delta: float | None) -> dict[str, Any]:
    """What an audit says, as plain data; the event that proves most first."""
    report: dict[str, Any] = {
        "draws": {"p": found.draws[0], "q": found.draws[1]},
        "confirming": {"p": found.confirming[0], "q": found.confirming[1]},
        "numbers_in_a_release": found.width,
        "looked_at_one_by_one": found.looked_at,
        "confidence": found.confidence,
    }
    if epsilon is not None:
        report["at_epsilon"] = {"epsilon": epsilon, "delta": float(found.delta(epsilon))}
    if delta is not None:
        report["at_delta"] = {"delta": delta, "epsilon": float(found.epsilon(delta))}
    if epsilon is not None and delta is not None:
        report["refuted"] = found.refutes(epsilon, delta)
    events = sorted(found.events, key=lambda event: event is not found.best)
    report["events"] = [_event(event, epsilon, delta) for event in events]
    return report


def _event(event: BitEvent, epsilon: float | None, delta: float | None) -> dict[str, Any]:
    limits = {} if epsilon is None else {"delta": event.delta(epsilon)}
    limits |= {} if delta is None else {"epsilon": event.epsilon(delta)}
    return {
        "family": event.family,
        "event": event.words,
        "likelier_under": event.first,
        "seen": list(event.counts),
        "probability_at_least": event.power,
        "probability_at_most": event.level,
        **limits,
    }


def lines(report: dict[str, Any]) -> list[str]:
    """The summary as text."""
    numbers, looked = report["numbers_in_a_release"], report["looked_at_one_by_one"]
    width = (
        "1 number"
        if numbers == 1
        else f"{numbers} numbers" + (f", {looked} looked at one by one" if looked < numbers else "")
    )
    found = [
        f"P: {report['draws']['p']} releases; Q: {report['draws']['q']} releases; {width} in each",
        (
            "events chosen on one half of them, limits from the other "
            f"({report['confirming']['p']} and {report['confirming']['q']}); "
            f"confidence {report['confidence']:g} for all limits"
        ),
    ]
    if "at_epsilon" in report:
        found.append(
            f"delta >= {at_least(report['at_epsilon']['delta'])}"
            f" at epsilon = {as_given(report['at_epsilon']['epsilon'])}"
        )
    if "at_delta" in report:
        found.append(
            f"epsilon >= {at_least(report['at_delta']['epsilon'])} at delta = {as_given(report['at_delta']['delta'])}"
        )
    telling = [event for event in report["events"] if max(event.get("delta", 0), event.get("epsilon", 0)) > 0]
    found += [text for event in telling for text in _event_lines(event, report)] or [
        "no event tells the two apart at this target"
    ]
    if "refuted" in report:
        claim = f"({as_given(report['at_epsilon']['epsilon'])}, {as_given(report['at_delta']['delta'])})-DP"
        found.append(f"{claim} is REFUTED" if report["refuted"] else f"{claim} is not refuted")
    return found


def _event_lines(event: dict[str, Any], report: dict[str, Any]) -> list[str]:
    first, other = event["likelier_under"], "Q" if event["likelier_under"] == "P" else "P"
    sizes = report["confirming"]
    return [
        f"{event['family']}: {event['event']}",
        (
            f"  {event['seen'][0]} of {sizes[first.lower()]} under {first} "
            f"(probability >= {at_least(event['probability_at_least'], 4)}), "
            f"{event['seen'][1]} of {sizes[other.lower()]} under {other}"
            f" (<= {at_most(event['probability_at_most'], 4)})"
        ),
    ]


def _value(text: str | None, name: str) -> list[float] | None:
    return None if text is None else [_number(cell.strip(), name) for cell in text.split(",")]


def _number(text: str, name: str) -> float:
    """A float64 in full, decimal or hexadecimal."""
    from ndis_verify.audit.release_sources import exact_float

    value = exact_float(text)
    if value is None:
        raise InputError(name, text, "must be a decimal or hexadecimal float")
    return value
