"""Faults in kept records: a certificate made anew in a folder of its own, then spoilt, and what stands on it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ndis_verify.claim import Check, Outcome
from ndis_verify.court.certificate_store import FORMAT, Certificate, certificates_in, writing

Data = dict[str, Any]


def spoilt() -> dict[str, Callable[[Data], Data]]:
    """What is done to the file's data, by name; `resealed` where the checksum is made to fit again."""
    return {
        "a margin 10 % up": lambda d: _content(d, lambda c: c["dangerous"][0].update(margin=_more(c))),
        "a margin 10 % up, resealed": lambda d: resealed(
            _content(d, lambda c: c["dangerous"][0].update(margin=_more(c)))
        ),
        "ten times the evaluations, resealed": lambda d: resealed(
            _content(d, lambda c: c.update(evaluations=10 * c["evaluations"]))
        ),
        "points of another place, resealed": lambda d: resealed(
            _content(d, lambda c: c["dangerous"][0].update(unit=[1 - u for u in c["dangerous"][0]["unit"]]))
        ),
        "the worst points left out, resealed": lambda d: resealed(
            _content(d, lambda c: c.update(dangerous=c["dangerous"][-1:]))
        ),
        "of other sources, resealed": lambda d: resealed({**d, "key": hashlib.sha256(d["key"].encode()).hexdigest()}),
        "of another tolerance, resealed": lambda d: resealed(
            {**d, "parameters": {**d["parameters"], "tolerance": 1e-3}}
        ),
        "of another check, resealed": lambda d: resealed({**d, "check": d["check"] + "-2"}),
        "of another format": lambda d: {**d, "format": FORMAT + 1},
        "half of the file": lambda d: {},
    }


def _more(content: Data) -> float:
    return 1.1 * content["dangerous"][0]["margin"] + 1e-3


def _content(data: Data, change: Callable[[Data], None]) -> Data:
    content = json.loads(json.dumps(data["content"]))
    change(content)
    return {**data, "content": content}


def resealed(data: Data) -> Data:
    """The data with the checksum that it asks for."""
    bare = {name: value for name, value in data.items() if name not in ("format", "checksum")}
    return {**data, "checksum": Certificate(**bare).checksum}


def trials(check: Check, folder: Path) -> Iterator[tuple[str, bool, str]]:
    """(what was done, whether it is told, what the court says) for a check whose evidence is kept."""
    run: Any = check.run
    with writing(folder):
        assert run("full").outcome is Outcome.HELD
    path = folder / f"{run.stored_check().name}.json"
    original = path.read_text(encoding="utf-8")
    for what, change in spoilt().items():
        data = change(json.loads(original))
        text = (
            json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
            if data
            else original[: len(original) // 2]
        )
        path.write_text(text, encoding="utf-8")
        with certificates_in(folder):
            found = run("quick")
        told = "NOT used" in found.detail or "other sources" in found.detail or found.outcome is not Outcome.HELD
        yield what, told, found.detail
    path.write_text(original, encoding="utf-8")
