"""One run of the court over many claims: in parallel, with a journal, interruptible."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait

from ndis_verify.claims.court import Judgement, judge
from ndis_verify.claims.journal import Journal
from ndis_verify.claims.ledger import find


def run_session(
    ids: list[str],
    effort: str,
    journal: Journal,
    jobs: int,
    progress: Callable[[int, int, str], None],
) -> list[Judgement]:
    """Judge `ids`, skipping those the journal already holds; the result is in the order of `ids`."""
    todo = [i for i in ids if i not in journal.done]
    finished = len(ids) - len(todo)
    progress(finished, len(ids), "resumed" if finished else "")
    if jobs <= 1 or len(todo) <= 1:
        for i in todo:
            journal.append(judge(find(i), effort))
            finished += 1
            progress(finished, len(ids), i)
    else:
        _run_parallel(todo, effort, journal, jobs, lambda i: progress(len(ids) - len(todo) + i[0], len(ids), i[1]))
    return [journal.done[i] for i in ids]


def _judge_by_id(claim_id: str, effort: str) -> Judgement:
    return judge(find(claim_id), effort)


def _run_parallel(todo, effort, journal, jobs, report) -> None:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(max_workers=min(jobs, len(todo)), mp_context=context)
    pending = {pool.submit(_judge_by_id, i, effort): i for i in todo}
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
