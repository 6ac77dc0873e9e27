"""A journal of judgements, so that a killed run resumes where it stopped."""

from __future__ import annotations

import hashlib
import json
import platform
from importlib import metadata
from pathlib import Path
from typing import IO

from ndis_verify.claims.court import Judgement

_DEPENDENCIES = ("numpy", "scipy", "sympy", "mpmath", "python-flint")


def fingerprint(effort: str) -> str:
    """A hash of the package's source, its dependencies' versions and the kind of run."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(f"{effort} {platform.python_version()}".encode())
    for name in _DEPENDENCIES:
        digest.update(f"{name}=={metadata.version(name)}".encode())
    files = sorted(root.rglob("*.py"))
    if effort == "quick":  # its evidence may rest on certificates
        files += sorted((root / "claims" / "certificates").glob("*.json"))
    for path in files:
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


class Journal:
    """Judgements appended one JSON line each; a header line ties them to the run they belong to."""

    def __init__(self, path: Path, run: str):
        self.path = path
        self.done: dict[str, Judgement] = _read(path, run)
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.done:
            self._repair(run)
        else:
            path.write_text(json.dumps({"run": run}) + "\n", encoding="utf-8")
        self._file: IO[str] = path.open("a", encoding="utf-8")

    def append(self, judgement: Judgement) -> None:
        self.done[judgement.id] = judgement
        self._file.write(json.dumps(judgement.as_dict()) + "\n")
        self._file.flush()

    def close(self, finished: bool) -> None:
        """Close the file; a finished run leaves no journal behind."""
        self._file.close()
        if finished:
            self.path.unlink(missing_ok=True)

    def _repair(self, run: str) -> None:
        lines = [json.dumps({"run": run})] + [json.dumps(j.as_dict()) for j in self.done.values()]
        self.path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _read(path: Path, run: str) -> dict[str, Judgement]:
    """The judgements of an interrupted run with the same header; a truncated last line is dropped."""
    if not path.exists():
        return {}
    done: dict[str, Judgement] = {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    try:
        if not lines or json.loads(lines[0]) != {"run": run}:
            return {}
    except json.JSONDecodeError:
        return {}
    for line in lines[1:]:
        try:
            judgement = Judgement.from_dict(json.loads(line))
        except (json.JSONDecodeError, TypeError):
            continue
        done[judgement.id] = judgement
    return done
