"""One run of the court over many claims: in parallel, with a journal, interruptible."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ndis_verify.claims.ledger import find
from ndis_verify.court.certificate_store import FOLDER, certificates_in, writing
from ndis_verify.court.hearing import Hearing
from ndis_verify.court.judge import Judgement, heard, judged
from ndis_verify.runs.identity import identity
from ndis_verify.runs.journal import Journal
from ndis_verify.runs.pool import resumed

_LONGEST = ("N26-Fig5-safe-side", "DATA-breast_cancer")


def session_journal(path: Path, effort: str, certificates: Path = FOLDER) -> Journal:
    """The journal of the evidence of a `verify`; what the quick effort finds may rest on `certificates`."""
    run = identity("verify", effort, folder=certificates if effort == "quick" else None)
    return Journal(path, run, "verdicts", lambda claim, content: Hearing.from_dict(find(claim), content))


def run_session(
    ids: list[str],
    effort: str,
    journal: Journal,
    jobs: int,
    progress: Callable[[int, int, str], None],
    certificates: Path = FOLDER,
    store: bool = False,
    scheduler: str | None = None,
) -> list[Judgement]:
    """Judge `ids`, hearing those that the journal does not hold; the result is in the order of `ids`.

    The verdicts, the declared ones and whether they agree come from the ledger; the journal holds evidence only.
    `certificates`: the folder in which the quick effort looks for certificates and, with `store`, the full one keeps
    them. `scheduler`: the address of a Dask cluster in place of `jobs` processes.
    """
    job = partial(_heard_by_id, effort=effort, certificates=certificates, store=store)
    first = sorted(ids, key=lambda i: i not in _LONGEST)  # so that no process waits for a long one at the end
    hearings = dict(resumed(journal, job, {i: i for i in first}, jobs, scheduler=scheduler, progress=progress))
    return [judged(find(i), hearings[i]) for i in ids]


def _heard_by_id(claim_id: str, effort: str, certificates: Path, store: bool) -> dict[str, Any]:
    with writing(certificates) if store else certificates_in(certificates):
        return heard(find(claim_id), effort).as_dict()
