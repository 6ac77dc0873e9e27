"""What one process of a test run heard of a claim, for its other processes.

The test of the ledger and the notebooks put many of the same claims before the court, each in a process of its own.
Where the environment variable `NDIS_VERIFY_TEST_RUN` names a folder (tests/conftest.py makes one for each run and
removes it; an empty value switches this off), the evidence of a claim of the ledger is kept there under a hash of the
package's sources, its kept certificates, the versions below it, the claim and the effort, and is believed under that
hash alone: by processes that would compute it from the same files.

That `ndis-verify verify` recomputes its verdicts is not touched. It hears every claim itself and never looks here; and
what is kept is evidence, from which `court.judged` decides the verdict anew against the ledger's declaration.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from ndis_verify.claim import Claim
from ndis_verify.court.certificate_store import FOLDER
from ndis_verify.court.hearing import Hearing
from ndis_verify.runs.files import write_atomically
from ndis_verify.runs.identity import identity

VARIABLE = "NDIS_VERIFY_TEST_RUN"


@contextmanager
def alone() -> Iterator[None]:
    """Inside, and in the processes that are started inside, nothing is taken from another process."""
    before = os.environ.pop(VARIABLE, None)
    try:
        yield
    finally:
        if before is not None:
            os.environ[VARIABLE] = before


def shared(claim: Claim, effort: str, hear: Callable[[Claim, str], Hearing]) -> Hearing:
    """`hear(claim, effort)`, or what another process of this test run heard of the same claim of the same ledger."""
    if not os.environ.get(VARIABLE) or not _of_the_ledger(claim):
        return hear(claim, effort)
    kept = Path(os.environ[VARIABLE]) / f"{identity(_run(), claim.id, effort)}.json"
    return _read(kept, claim) or _written(kept, hear(claim, effort))


@cache
def _run() -> str:
    """The hash of all that evidence rests on and that is the same for every claim."""
    return identity("shared hearing", folder=FOLDER)


def _of_the_ledger(claim: Claim) -> bool:
    """Whether it is the record itself: another claim may bear the same id. Without a ledger there is none."""
    ledger = sys.modules.get("ndis_verify.claims.ledger")  # the court, which calls this, imports no claim
    return ledger is not None and ledger.record(claim.id) is claim


def _read(path: Path, claim: Claim) -> Hearing | None:
    try:
        return Hearing.from_dict(claim, json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, LookupError, AttributeError):  # not there, or no hearing of this claim
        return None


def _written(path: Path, hearing: Hearing) -> Hearing:
    write_atomically(path, json.dumps(hearing.as_dict()))
    return hearing
