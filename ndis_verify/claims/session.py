"""One run of the court over many claims: in parallel, with a journal, interruptible."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path

from ndis_verify.claims.certificate_store import FOLDER, certificates_in, writing
from ndis_verify.claims.court import Judgement, judge
from ndis_verify.claims.journal import Journal
from ndis_verify.claims.ledger import find


def run_session(
    ids: list[str],
    effort: str,
    journal: Journal,
    jobs: int,
    progress: Callable[[int, int, str], None],
    certificates: Path = FOLDER,
    store: bool = False,
) -> list[Judgement]:
    """Judge `ids`, skipping those the journal already holds; the result is in the order of `ids`.

    `certificates`: the folder in which the quick effort looks for certificates and, with `store`, the full one keeps them.
    """
    todo = [i for i in ids if i not in journal.done]
    finished = len(ids) - len(todo)
    progress(finished, len(ids), "resumed" if finished else "")
    if jobs <= 1 or len(todo) <= 1:
        for i in todo:
            journal.append(_judge_by_id(i, effort, certificates, store))
            finished += 1
            progress(finished, len(ids), i)
    else:
        _run_parallel(todo, effort, journal, jobs, (certificates, store), lambda i: progress(len(ids) - len(todo) + i[0], len(ids), i[1]))
    return [journal.done[i] for i in ids]


def _judge_by_id(claim_id: str, effort: str, certificates: Path, store: bool) -> Judgement:
    with writing(certificates) if store else certificates_in(certificates):
        return judge(find(claim_id), effort)


def _run_parallel(todo, effort, journal, jobs, kept, report) -> None:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(max_workers=min(jobs, len(todo)), mp_context=context)
    pending = {pool.submit(_judge_by_id, i, effort, *kept): i for i in todo}
    done_count = 0
    try:
        while pending:
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                claim_id = pending.pop(future)
                journal.append(future.result())
                done_count += 1
                report((done_count, claim_id))
    finally:
        pool.shutdown(wait=not pending, cancel_futures=True)
