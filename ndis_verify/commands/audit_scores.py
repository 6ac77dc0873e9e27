"""`ndis-verify audit`: what score samples prove about a mechanism. Subcommands are listed in `SUBCOMMANDS`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndis_verify.arguments import whole
from ndis_verify.exact_number import InputError, exact
from ndis_verify.rounded_text import as_given, at_least, at_most
from ndis_verify.runs.cluster import add_scheduler

if TYPE_CHECKING:  # the command line builds every parser; scipy is only needed once an audit runs
    from ndis_verify.audit.set_limits import ScoreAudit

REFUTED = 1
_METHODS = ("best-set", "family", "dkw", "tv", "threshold", "threshold-jeffreys", "gdp", "credible", "plug-in")
_PROFILE = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
_BASIS = {
    "guaranteed": "holds for every pair of laws",
    "posterior": "posterior probability under a Jeffreys prior, no guarantee",
    "assumes GDP": "true only of Gaussian pairs",
    "estimate": "an estimate, no limit",
}

HELP = "lower limits of epsilon and delta from two samples of a score"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ndis-verify audit scores`; the parsed ones go to `scores`."""
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="P.csv Q.csv, a score on each line; or one file with two columns; .npy, .parquet, .arrow and .feather"
        " likewise, and folders of part files",
    )
    parser.add_argument("--delta", metavar="D", help="bound epsilon at this delta")
    parser.add_argument(
        "--epsilon", metavar="E", help="bound delta at this epsilon; with --delta too: try to refute (E, D)-DP"
    )
    parser.add_argument("--confidence", default="0.95", metavar="C", help="default 0.95")
    parser.add_argument(
        "--method",
        choices=_METHODS,
        default="best-set",
        help="default best-set; it bounds one number, family bounds the whole profile",
    )
    parser.add_argument(
        "--bins",
        default="width",
        metavar="BINS",
        help="tv, plug-in: width (default), adaptive, K, or A,B,K fixed beforehand",
    )
    parser.add_argument("--columns", metavar="P,Q", help="names or numbers of the columns")
    parser.add_argument(
        "--profile",
        action="store_true",
        help="print delta along epsilon and the trade-off curve as well (not for best-set)",
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--jobs", type=int, default=1, help="processes that share the part files of folders (default: 1)"
    )
    add_scheduler(parser)
    parser.add_argument(
        "--journal",
        type=Path,
        default=Path("ndis-verify-scores.jsonl"),
        help="with --jobs or --scheduler: file of the parts that were read, with which a run that was stopped goes on",
    )


def main(arguments: argparse.Namespace) -> int:
    """Audit two samples of scores; 0 done, 1 the claimed (epsilon, delta) is refuted."""
    delta, epsilon, confidence = (
        _number(getattr(arguments, name), f"--{name}") for name in ("delta", "epsilon", "confidence")
    )
    assert confidence is not None  # it has a default
    if delta is None and epsilon is None:
        raise InputError("--delta, --epsilon", "neither", "at least one is needed")
    from ndis_verify.audit.histogram import audit_scores
    from ndis_verify.audit.score_files import open_scores

    columns = None if arguments.columns is None else [name.strip() for name in arguments.columns.split(",")]
    options = {"method": arguments.method, "delta": delta, "epsilon": epsilon, "confidence": confidence}
    with _read_by(arguments, *open_scores(arguments.files, columns)) as (p, q):
        found = audit_scores(p, q, bins=_bins(arguments.bins), **options)
    report = summary(found, delta, epsilon, arguments.profile and arguments.method != "best-set")
    print(json.dumps(report, indent=1) if arguments.json else "\n".join(_lines(report)))
    return REFUTED if report.get("refuted") else 0


@contextmanager
def _read_by(arguments: argparse.Namespace, p: Any, q: Any) -> Iterator[tuple[Any, Any]]:
    """The samples as they are, or read by other processes or a cluster."""
    whole(arguments.jobs, "--jobs", 1)
    if arguments.jobs == 1 and not arguments.scheduler:
        yield p, q
        return
    from ndis_verify.audit.spread_samples import SpreadSample, score_run
    from ndis_verify.runs.journal import Journal
    from ndis_verify.runs.pool import resumed
    from ndis_verify.runs.progress import Progress

    progress = Progress("audit scores")
    with Journal(arguments.journal, score_run((p, q)), "readings of part files") as journal:
        run = partial(resumed, journal, jobs=arguments.jobs, scheduler=arguments.scheduler, progress=progress)
        try:
            yield SpreadSample(p, "P", run), SpreadSample(q, "Q", run)
        finally:
            progress.close()


def summary(found: ScoreAudit, delta: float | None, epsilon: float | None, profile: bool = False) -> dict[str, Any]:
    """What an audit says, as plain data. Infinite values (an estimate can be) are the string "inf"."""
    report: dict[str, Any] = {
        "p": {"name": found.names[0], "scores": found.scores[0], "bounding": found.rows[0]},
        "q": {"name": found.names[1], "scores": found.scores[1], "bounding": found.rows[1]},
        "method": found.method,
        "confidence": found.confidence,
        "basis": found.basis,
        "bins": found.bins,
    }
    if hasattr(found.curve, "mu"):
        report["mu"] = found.curve.mu
    if epsilon is not None:
        report["at_epsilon"] = {"epsilon": epsilon, "delta": float(found.delta(epsilon))}
    if delta is not None:
        report["at_delta"] = {"delta": delta, "epsilon": _finite(float(found.epsilon(delta)))}
    if delta is not None and epsilon is not None:
        report["refuted"] = bool(found.basis == "guaranteed" and found.delta(epsilon) > delta)
    if len(found.sets) == 1:
        report["set"] = [[_finite(a), _finite(b)] for a, b in found.sets[0]]
        report["set_first_law"] = "P" if not hasattr(found.curve, "first_is_p") or found.curve.first_is_p[0] else "Q"
    if profile:
        levels = [k / 20 for k in range(21)]
        report["profile"] = [[eps, float(found.delta(eps))] for eps in _PROFILE]
        report["trade_off"] = [[level, float(found.trade_off(level))] for level in levels]
    return report


def _lines(report: dict[str, Any]) -> list[str]:
    p, q = report["p"], report["q"]
    stated = f", confidence {report['confidence']:g}" if report["basis"] != "estimate" else ""
    lines = [
        f"P: {p['name']}, {p['scores']} scores; Q: {q['name']}, {q['scores']} scores",
        (
            f"method {report['method']}{stated} ({_BASIS[report['basis']]}); {report['bins']} bins, {p['bounding']} and"
            f" {q['bounding']} rows bound"
        ),
    ]
    estimated = report["basis"] == "estimate"
    sign = "about" if estimated else ">="
    if "mu" in report:
        lines.append(f"mu >= {at_least(report['mu'])}")
    if "at_epsilon" in report:
        lines.append(
            f"delta {sign} {at_least(report['at_epsilon']['delta'])} at epsilon ="
            f" {as_given(report['at_epsilon']['epsilon'])}"
        )
    if "at_delta" in report:
        lines.append(
            f"epsilon {sign} {at_least(float(report['at_delta']['epsilon']))} at delta ="
            f" {as_given(report['at_delta']['delta'])}"
        )
    if "set" in report:
        pieces = ", ".join(f"[{float(a):.6g}, {float(b):.6g})" for a, b in report["set"][:4]) + (
            ", ..." if len(report["set"]) > 4 else ""
        )
        lines.append(f"set {pieces}, likelier under {report['set_first_law']}")
    if "refuted" in report:
        claim = f"({as_given(report['at_epsilon']['epsilon'])}, {as_given(report['at_delta']['delta'])})-DP"
        lines.append(f"{claim} is REFUTED" if report["refuted"] else f"{claim} is not refuted")
    lines += [f"  epsilon {eps:<5g} delta {sign} {at_least(value)}" for eps, value in report.get("profile", ())]
    lines += [
        f"  alpha {level:<5g} beta {'about' if estimated else '<='} {at_most(value)}"
        for level, value in report.get("trade_off", ())
    ]
    return lines


def _finite(value: float) -> float | str:
    return value if abs(value) < float("inf") else ("inf" if value > 0 else "-inf")


def _number(text: str | None, name: str) -> float | None:
    if text is None:
        return None
    try:
        return float(exact(text, name))
    except OverflowError:
        raise InputError(name, text, "must lie within the range of float64") from None


def _bins(text: str) -> Any:
    if text in ("width", "adaptive"):
        return text
    parts = text.split(",")
    if len(parts) == 1:
        return _whole(parts[0])
    if len(parts) != 3:
        raise InputError("--bins", text, "must be width, adaptive, K, or A,B,K")
    return (_number(parts[0], "--bins"), _number(parts[1], "--bins"), _whole(parts[2]))


def _whole(text: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit() and len(text) <= 9):
        raise InputError("--bins", text, "must be width, adaptive, K, or A,B,K; K has at most 9 digits")
    return int(text)
