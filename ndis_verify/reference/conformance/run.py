"""One conformance run: start the implementation, send every row it says it can answer, judge, keep every result at
once.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from ndis_verify.exact_number import InputError
from ndis_verify.plain_text import printable
from ndis_verify.reference.conformance.judge import HALF, Judgement, judge
from ndis_verify.reference.quantities import QUANTITIES
from ndis_verify.runs.identity import identity
from ndis_verify.runs.journal import Journal
from ndis_verify.runs.process import Died, Oddities, Process, TooSlow

PROTOCOL = "1.0"
DIGITS = 17
MAX_FAILED_STARTS = 3
MAX_UNKNOWN = 20
MAX_SECONDS = 10**6
MAX_FAILURES = 40  # deaths and timeouts after which the rest of the run is given up
Row = tuple[str, dict[str, Any]]


@dataclass
class Run:
    """What a run ended with. `given_up`: why rows were left out, if they were; `oddities`: what else was printed.

    `unknown`: names among the quantities offered that are none; `ending`: how the process ended, where not with exit
    code 0.
    """

    command: tuple[str, ...]
    name: str = ""
    version: str = ""
    quantities: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    tolerance: str = ""
    unsafe_ulps: str = ""
    judgements: list[Judgement] = field(default_factory=list)
    left_out: int = 0
    given_up: str = ""
    starts: int = 0
    ending: str = ""
    oddities: Oddities = field(default_factory=Oddities)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def conform(
    command: Sequence[str],
    rows: Iterable[Row] | Callable[[tuple[str, ...]], Iterable[Row]],
    *,
    tolerance: Fraction,
    seconds: float = 10.0,
    journal: Path | None = None,
    unsafe_ulps: Fraction | None = HALF,
    progress: Callable[[int, int, str], None] = lambda done, total, label: None,
) -> Run:
    """Judge `command` on `rows` (quantity, row), one request at a time, `seconds` for each answer.

    `rows` may be a function of the quantities that it says it computes.

    A process that dies or hangs is started again, its row judged crashed or timeout; after `MAX_FAILURES` of them the
    rest is left out. `journal`: a file (`runs.journal`) that receives every judgement as it is made; `unsafe_ulps`:
    as for `judge`. The run ends within `seconds` per row, whatever the process does. Raises `InputError` where the
    command cannot be started at all, or answers no start request.
    """
    if not tolerance > 0:
        raise InputError("tolerance", str(tolerance), "must be positive")
    if not 0 < seconds < MAX_SECONDS:
        raise InputError("timeout", seconds, f"must be positive, and less than {MAX_SECONDS} seconds")
    run = Run(tuple(command), tolerance=f"{float(tolerance):g}")
    run.unsafe_ulps = "tolerance" if unsafe_ulps is None else f"{float(unsafe_ulps):g}"
    target = _Target(run, seconds, tolerance, unsafe_ulps)
    try:
        target.start()
        wanted = [
            (quantity, row)
            for quantity, row in (rows(run.quantities) if callable(rows) else rows)
            if quantity in run.quantities
        ]
        _all(run, target, wanted, journal, progress)
    finally:
        run.ending = target.stop()
    return run


def _all(run: Run, target: _Target, rows: list[Row], journal: Path | None, progress: Callable[..., None]) -> None:
    failures = 0
    with _journal(journal, run) if journal else nullcontext() as file:
        for number, (quantity, row) in enumerate(rows, 1):
            verdict = target.judged(quantity, row)
            run.judgements.append(verdict)
            if file:
                file.append(verdict.key, asdict(verdict))
            progress(number, len(rows), f"{quantity}/{row['name']}")
            failures += verdict.outcome in ("crashed", "timeout")
            if failures >= MAX_FAILURES or target.gone:
                run.left_out = len(rows) - number
                run.given_up = target.gone or f"{failures} rows crashed or timed out"
                break


def _journal(path: Path, run: Run) -> Journal:
    """Every judgement as it is made; never taken up, as the implementation may be another one by now."""
    sources = identity("conform", run.command, run.tolerance, run.unsafe_ulps)

    def read(key: str, content: dict[str, Any]) -> Judgement:
        return Judgement(**content | {"flags": tuple(content["flags"])})

    return Journal(path, sources, "judgements", read, kept=True, anew=True)


class _Target:
    """The implementation, started again whenever it was lost."""

    def __init__(self, run: Run, seconds: float, tolerance: Fraction, unsafe_ulps: Fraction | None):
        self._run, self._seconds = run, seconds
        self._tolerance, self._unsafe_ulps = tolerance, unsafe_ulps
        self._process: Process | None = None
        self._failed_starts = 0
        self.gone = ""

    def start(self) -> None:
        """Start it and read its capabilities; the first start must succeed."""
        self._run.starts += 1
        self._process = Process(self._run.command, self._run.oddities)
        try:
            answer = self._process.ask(
                {"id": "start", "command": "start", "protocol": PROTOCOL}, max(self._seconds, 30.0)
            )
        except (Died, TooSlow) as error:
            self.stop()
            raise InputError("COMMAND", self._run.command[0], f"did not answer the start request: {error}") from None
        offered = answer.get("quantities")
        if str(answer.get("protocol")).partition(".")[0] != PROTOCOL.partition(".")[0] or not isinstance(offered, list):
            self.stop()
            shown = printable(json.dumps(answer)[:120])
            raise InputError(
                "COMMAND",
                self._run.command[0],
                f"must answer start with protocol {PROTOCOL} and a list of quantities, not {shown}",
            )
        self._failed_starts = 0
        if self._run.starts == 1:
            self._run.quantities = tuple(name for name in QUANTITIES if name in offered)
            self._run.unknown = tuple(
                printable(str(name))[:80] for name in offered if not isinstance(name, str) or name not in QUANTITIES
            )[:MAX_UNKNOWN]
            self._run.name, self._run.version = (
                printable(str(answer.get(key, "")))[:80] for key in ("name", "version")
            )

    def judged(self, quantity: str, row: dict[str, Any]) -> Judgement:
        """One row. The number of a request is drawn, so that no answer can come before its question."""
        began = time.monotonic()
        facts = {"quantity": quantity, "row": row["name"], "flags": tuple(row["flags"])}
        try:
            if self._process is None:
                self.start()
            assert self._process is not None
            began = time.monotonic()
            request = {"id": secrets.randbelow(10**9), "quantity": quantity, "inputs": row["inputs"], "digits": DIGITS}
            answer = self._process.ask(request, self._seconds)
            return judge(quantity, row, answer, self._tolerance, time.monotonic() - began, self._unsafe_ulps)
        except InputError as error:
            self._lost()
            self._failed_starts += 1
            self.gone = f"it could not be started again: {error}" if self._failed_starts >= MAX_FAILED_STARTS else ""
            outcome, message = "crashed", str(error)
        except Died as error:
            self._lost()
            outcome, message = "crashed", str(error)
        except TooSlow as error:
            self._lost()
            outcome, message = "timeout", str(error)
        return Judgement(**facts, outcome=outcome, message=message, seconds=time.monotonic() - began)

    def stop(self) -> str:
        """A polite stop request, then the end of the whole process group; how it ended, "" where as it should."""
        if self._process is None:
            return ""
        try:
            self._process.ask({"id": "stop", "command": "stop"}, 1.0)
            said = ""
        except (Died, TooSlow) as error:
            said = f"asked to stop: {error}"
        ending = self._lost()
        return said or ending

    def _lost(self) -> str:
        process, self._process = self._process, None
        return process.stop() if process else ""
