"""Mutated requests against `ndis-verify eval`.

    python -m ndis_verify.reference.fuzz --engine certified --requests 20000

Every line that is sent must be answered within the stated time by one line: a finite decimal with its radius, or an
error of a known kind, other than `internal`, with the id that was sent. The same seed sends the same lines.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import re
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ndis_verify.plain_text import printable
from ndis_verify.reference.loader import load, quantities
from ndis_verify.reference.protocol import MAX_ID

KINDS = ("parse", "request", "type", "quantity", "size", "domain", "precision", "time")
GRACE = 2.0  # seconds beyond the time of a request: another child, another share of the processor
SHOWN = 10
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
_NUMBERS = (
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-400",
    "1e400",
    "5e-324",
    "1e-308",
    "1.7976931348623157e308",
    "1e19999",
    "1e-19999",
    "1e20001",
    "nan",
    "inf",
    "-inf",
    "Infinity",
    "",
    " 1 ",
    "+1",
    ".5",
    "5.",
    "0x1",
    "1_0",
    "1,5",
    "\u0661",
    "1e",
    "--1",
    "1e1e1",
    "1\0",
    "__import__('os')",
    "0." + "3" * 5000,
    "9" * 4301,
    "9" * 20_001,
    "1." + "0" * 4400 + "1",
    "1e20",
    "1e-20",
    "1e-30",
    "1e154",
    "1e-163",
    "0.9999999999999999",
    "1.0000000000000002",
)
_OTHERS: tuple[Any, ...] = (
    0.5,
    1e308,
    float("nan"),
    float("inf"),
    True,
    None,
    [],
    {},
    [[]],
    [["1"]],
    {"a": "1"},
    7,
    0,
    -3,
    10**13,
    10**30,
    "delete",
    "insert",
)
_IDS: tuple[Any, ...] = (
    "text",
    "\0\u00e9\U0001f600",
    -1,
    10**400,
    10**2000,
    "x" * MAX_ID,
    "x" * (MAX_ID + 1),
    None,
    True,
    [1],
    1.5,
)


@dataclass
class Found:
    """What a run met: how often each outcome, the slowest answer, and whatever must not be."""

    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    findings: list[str] = field(default_factory=list)


def requests(seed: int) -> Iterator[bytes]:
    """Mutated lines without end; the rows of the core are what they start from."""
    draw = random.Random(f"fuzz/{seed}")
    rows = [(quantity, row) for quantity in quantities() for row in load(quantity, core=True)]
    for number in range(10**12):
        quantity, row = draw.choice(rows)
        request = {"id": number, "quantity": quantity, "inputs": dict(row["inputs"]), "digits": draw.choice((1, 5, 17))}
        for _ in range(draw.choice((1, 1, 1, 2, 3))):
            draw.choice((_number, _number, _number, _shape, _field))(request, draw)
        line = json.dumps(request).encode()
        if draw.random() < 0.1:
            line = _bytes(line, draw)
        if line.strip():
            yield line


def _number(request: dict[str, Any], draw: random.Random) -> None:
    """One number becomes another, mostly a near one."""
    place, key = _leaf(request.get("inputs"), draw)
    if place is None:
        return
    old = place[key]
    if not isinstance(old, str) or draw.random() < 0.5:
        place[key] = draw.choice(_NUMBERS)
        return
    place[key] = draw.choice(
        (
            lambda: "-" + old,
            lambda: f"{old}e{draw.randint(-330, 330)}",
            lambda: old + str(draw.randint(0, 9)),
            lambda: old[: len(old) // 2],
            lambda: old.replace(str(draw.randint(0, 9)), str(draw.randint(0, 9))),
            lambda: old * draw.randint(2, 200),
        )
    )()


def _shape(request: dict[str, Any], draw: random.Random) -> None:
    """A list grows, shrinks or is nested; a value is of another type, or another input's."""
    inputs = request.get("inputs")
    if not isinstance(inputs, dict) or not inputs:
        return
    name = draw.choice(sorted(inputs))
    value = inputs[name]
    changes: list[Callable[[], Any]] = [
        lambda: draw.choice(_OTHERS),
        lambda: [value],
        lambda: [value, value],
        lambda: inputs[draw.choice(sorted(inputs))],
    ]
    if isinstance(value, list):
        changes += [
            lambda: value * draw.choice((2, 3, 50)),
            lambda: value[1:],
            lambda: value[0] if value else [],
            lambda: [value] * len(value),
        ]
    inputs[name] = draw.choice(changes)()


def _field(request: dict[str, Any], draw: random.Random) -> None:
    """A field of the request or an input goes, comes, or means something else."""
    inputs = request["inputs"] if isinstance(request.get("inputs"), dict) else {}
    target = draw.choice((request, inputs))
    change = draw.randrange(5)
    if change == 0 and len(target) > (target is request):  # the id stays: it tells the answers apart
        target.pop(draw.choice([key for key in sorted(target) if key != "id"]), None)
    elif change == 1:
        target[draw.choice(("extra", "epsilon", "\ud800", "x" * 1000, "command", "direction"))] = draw.choice(_OTHERS)
    elif change == 2:
        request["digits"] = draw.choice((0, -1, 1, 30, 50, 1001, "30", 10**30, None, 1.5, True))
    elif change == 3:
        request["quantity"] = draw.choice((*quantities(), "no_quantity", 7, None))
    else:
        request["id"] = draw.choice(_IDS)


def _bytes(line: bytes, draw: random.Random) -> bytes:
    """The line itself is damaged; it stays one line."""
    at = draw.randrange(len(line))
    line = draw.choice(
        (
            lambda: line[:at],
            lambda: line[at:],
            lambda: line[:at] + bytes([draw.randrange(256)]) + line[at + 1 :],
            lambda: line[:at] + draw.randbytes(draw.randrange(1, 20)) + line[at:],
            lambda: line * 2,
            lambda: b"[" * draw.randrange(1, 100_000),
            lambda: b"\xef\xbb\xbf" + line,
        )
    )()
    return line.replace(b"\n", b" ")


def _leaf(inputs: Any, draw: random.Random) -> tuple[Any, Any]:
    """A container in the inputs and the key of a number in it; those on the way are copied: the tables keep theirs."""
    if not isinstance(inputs, dict) or not inputs:
        return None, None
    place, key = inputs, draw.choice(sorted(inputs))
    while isinstance(place[key], list) and place[key]:
        place[key] = list(place[key])
        place, key = place[key], draw.randrange(len(place[key]))
    return place, key


def problem(line: bytes, answer: bytes) -> tuple[str, str]:
    """(outcome, what is wrong with the answer to a line, or "")."""
    try:
        record = json.loads(answer, parse_constant=_refused)
    except ValueError:
        return "garbage", "the answer is no JSON"
    outcome = record["error"].get("kind") if "error" in record else "value" if "value" in record else "conversation"
    if "id" not in record or not _same_id(line, record["id"], outcome):
        return outcome, f"the answer has the id {str(record.get('id'))[:40]}"
    if outcome == "value":
        wrong = [
            name
            for name in ("value", "radius")
            if not (isinstance(record.get(name), str) and _DECIMAL.fullmatch(record[name]))
        ]
        if wrong:
            return outcome, f"{wrong[0]} is {str(record.get(wrong[0]))[:40]}"
        return outcome, "" if set(record) == {"id", "value", "radius", "basis"} else "other fields"
    if outcome == "conversation" or (outcome in KINDS and isinstance(record["error"].get("message"), str)):
        return outcome, ""
    return str(outcome), f"an error of kind {outcome}: {str(record['error'].get('message'))[:200]}"


def _same_id(line: bytes, given: Any, outcome: str) -> bool:
    """Whether an answer bears the id of its line, or none where the line has none that can be read and is one."""
    try:
        sent = json.loads(line, parse_int=lambda text: int(text) if len(text) < 600 else text)["id"]
        if outcome == "request" and given is None:  # a name occurs twice: it is not read further
            return True
    except (ValueError, RecursionError, TypeError, KeyError):
        return given is None
    is_one = isinstance(sent, (str, int)) and not isinstance(sent, bool) and len(str(sent)) <= MAX_ID
    return given == sent and given is not True if is_one else given is None


def _refused(text: str) -> Any:
    raise ValueError(text)


class Target:
    """`ndis-verify eval` in a process of its own, asked one line at a time."""

    def __init__(self, engine: str, seconds: float, mebibytes: int):
        limits = ["--seconds", str(seconds), "--memory", str(mebibytes)]
        command = [sys.executable, "-m", "ndis_verify", "eval", "--engine", engine, *limits]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self._child.stdin and self._child.stdout  # both are pipes
        self._in, self._out = self._child.stdin, self._child.stdout
        self._rest = b""
        self._watch = select.poll()
        self._watch.register(self._out, select.POLLIN)

    def ask(self, line: bytes, seconds: float) -> bytes | None:
        """The line that answers; None where there is none in time, or the process has ended."""
        deadline = time.monotonic() + seconds
        with contextlib.suppress(BrokenPipeError):  # the end of its output says the same
            self._in.write(line + b"\n")
        while b"\n" not in self._rest:
            if not self._watch.poll(1000 * max(0.0, deadline - time.monotonic())):
                return None
            if not (chunk := self._out.read(1 << 20)):
                return None
            self._rest += chunk
        answer, _, self._rest = self._rest.partition(b"\n")
        return answer

    def stop(self) -> int:
        """Close its input; the exit code."""
        self._in.close()
        try:
            return self._child.wait(60)
        finally:
            self._child.kill()
            self._out.close()


def fuzz(
    engine: str,
    count: int,
    *,
    seed: int = 0,
    seconds: float = 2.0,
    mebibytes: int = 1024,
    grace: float = GRACE,
    found: Found | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, label: None,
) -> Found:
    """Send `count` mutated lines to an engine whose requests may take `seconds`; `found` gets all that comes back."""
    found = Found() if found is None else found
    target = Target(engine, seconds, mebibytes)
    target.ask(b'{"id": 0, "command": "start", "protocol": "1.0"}', 600.0)  # imports take their time
    for number, line in zip(range(count), requests(seed), strict=False):
        began = time.monotonic()
        answer = target.ask(line, seconds + 60.0)
        took = time.monotonic() - began
        outcome, wrong = ("none", "no answer") if answer is None else problem(line, answer)
        if took > seconds + grace:
            wrong = wrong or f"answered after {took:.1f} s"
        found.outcomes[outcome] += 1
        found.slowest = max(found.slowest, took)
        if wrong:
            shown = printable(line[:300].decode("utf-8", "replace"))
            found.findings.append(f"line {number} of seed {seed}: {wrong}: {shown}")
        if answer is None:
            target.stop()
            target = Target(engine, seconds, mebibytes)
        progress(number + 1, count, outcome)
    if code := target.stop():
        found.findings.append(f"it ended with exit code {code}")
    return found


def main() -> int:
    """Run, print; 0 nothing was found, 1 something was."""
    from ndis_verify.runs.progress import Progress

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("fast", "oracle", "certified"), required=True)
    parser.add_argument("--requests", type=int, default=20_000, help="default 20000")
    parser.add_argument("--seed", type=int, default=0, help="default 0")
    parser.add_argument("--seconds", type=float, default=2.0, help="time that a request may take (default 2)")
    parser.add_argument(
        "--memory", type=int, default=1024, metavar="MIB", help="memory that it may take (default 1024)"
    )
    arguments = parser.parse_args()
    progress = Progress(f"fuzz {arguments.engine}")
    began, found, code = time.monotonic(), Found(), 130
    try:
        limits = {"seconds": arguments.seconds, "mebibytes": arguments.memory}
        fuzz(arguments.engine, arguments.requests, seed=arguments.seed, **limits, found=found, progress=progress)
        code = int(bool(found.findings))
    except KeyboardInterrupt:  # what was found until then is worth reading
        pass
    finally:
        progress.close()
    counts = ", ".join(f"{count} {outcome}" for outcome, count in found.outcomes.most_common())
    lines = f"{found.outcomes.total()} lines in {time.monotonic() - began:.0f} s"
    print(f"{arguments.engine}: {lines}: {counts}; slowest {found.slowest:.2f} s; {len(found.findings)} findings")
    print("\n".join(found.findings[:SHOWN]))
    return code


if __name__ == "__main__":
    sys.exit(main())
