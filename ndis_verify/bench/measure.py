"""One case measured: every method tried once under a time limit, its digits counted, the survivors timed in turns."""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ndis_verify.bench import judgement, ours, problems
from ndis_verify.bench.cases import Case, Sizes
from ndis_verify.bench.peers import Method
from ndis_verify.bench.timing import OutOfTime, Timing, interleaved, time_limit
from ndis_verify.enclosure import Enclosure
from ndis_verify.gaussian_pair import GaussianPair

REFERENCE_PATIENCE = 6  # a certified value may take this many times the limit of a timed call

Call = Callable[[], np.ndarray]


@dataclass
class Trial:
    """What one method did in one pass over a case.

    `answers[k]` is the array of task k, or a word for how it failed; `calls` are the calls that worked.
    """

    method: Method
    note: str = ""
    answers: list[np.ndarray | str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    values: int = 0  # how many deltas `calls` return together
    seconds: float = 0.0
    warned: int = 0


def measure(case: Case, sizes: Sizes, progress: Callable[[str], None]) -> dict:
    """The case as a record for JSON: one row per method, times in seconds, scores per checked point."""
    trials = []
    for method in case.methods:
        progress(f"{case.key}: {method.name}")
        trials.append(try_method(method, case, sizes.limit))
    progress(f"{case.key}: reference")
    references = reference_values(case, sizes.limit)
    progress(f"{case.key}: repetitions")
    timings = _time(trials, sizes)
    rows = [_row(case, trial, timings.get(k), references) for k, trial in enumerate(trials)]
    baseline = next((row["per_value"] for row in rows if row["ours"]), None)
    for row in rows:
        row["time_over_ours"] = row["per_value"] / baseline if row["per_value"] and baseline else None
    return {
        "case": case.key,
        "title": case.title,
        "labels": list(case.labels),
        "values": _job_size(case),
        "reference": [_shown(entry) for task in references for entry in task],
        "rows": rows,
    }


def try_method(method: Method, case: Case, limit: float) -> Trial:
    """One pass over the case, each call under `limit` seconds; failures are recorded, never raised."""
    trial = Trial(method)
    trial.note = method.absent or _declined(method, case)
    if trial.note:
        return trial
    if case.batch is not None and (batch := method.batch) is not None:
        pairs, epsilon = case.batch, float(case.tasks[0].epsilons[0])
        whole = _attempt(trial, lambda: batch(pairs, epsilon), limit, len(pairs))
        trial.answers = [whole if isinstance(whole, str) else whole[k : k + 1] for k in range(len(case.tasks))]
        return trial
    for task in case.tasks:
        call = partial(method.evaluate, task.problem, task.epsilons)
        answer = _attempt(trial, call, limit, len(task.epsilons))
        trial.answers.append(answer)
        if isinstance(answer, str) and answer == "time":
            trial.answers += ["time"] * (len(case.tasks) - len(trial.answers))
            break
    return trial


def _declined(method: Method, case: Case) -> str:
    reason = method.declines(case.tasks[0].problem)
    return f"not offered: {reason}" if reason else ""


def _attempt(trial: Trial, call: Call, limit: float, size: int) -> np.ndarray | str:
    """The array that `call` returns, or "time" or "fail"; what happened goes into the trial."""
    try:
        with warnings.catch_warnings(record=True) as caught, time_limit(limit):
            warnings.simplefilter("always")
            start = time.perf_counter()
            answer = np.atleast_1d(np.asarray(call(), dtype=float))
            seconds = time.perf_counter() - start
    except OutOfTime:
        trial.note = f"stopped after {limit:g} s"
        return "time"
    except Exception as error:
        trial.note = f"{type(error).__name__}: {error}".split("\n")[0][:60]
        return "fail"
    trial.warned += len(caught)
    if answer.shape != (size,):
        trial.note = f"shape {answer.shape} for {size} values"
        return "fail"
    trial.calls.append(call)
    trial.values += size
    trial.seconds += seconds
    return answer


def reference_values(case: Case, limit: float) -> list[list[Enclosure | str]]:
    """The certified enclosure at each checked point of each task, or a text that says why there is none."""
    pairs = {id(task.problem): ours.exact_pair(task.problem) for task in case.tasks if task.checked}
    return [
        [_reference(pairs[id(task.problem)], float(task.epsilons[k]), REFERENCE_PATIENCE * limit) for k in task.checked]
        for task in case.tasks
    ]


def _reference(pair: GaussianPair, epsilon: float, limit: float) -> Enclosure | str:
    try:
        with time_limit(limit):
            return ours.reference(pair, epsilon)
    except OutOfTime:
        return f"no reference within {limit:g} s"
    except Exception as error:
        return f"no reference: {type(error).__name__}: {error}"[:80]


def _time(trials: list[Trial], sizes: Sizes) -> dict[int, Timing]:
    """Interleaved timings of all calls that worked, by position of the trial."""
    calls = {k: _pass(trial.calls) for k, trial in enumerate(trials) if trial.calls}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = {k: _warm(calls[k], trials[k].seconds) for k in calls}
        return interleaved(calls, first, sizes.repetitions, sizes.budget)


def _pass(calls: list[Call]) -> Callable[[], None]:
    def run() -> None:
        for call in calls:
            call()

    return run


def _warm(call: Callable[[], None], cold: float) -> float:
    """Seconds of a warm call; a first call may have paid for imports and caches. Slow calls are not repeated for it."""
    if cold > 0.5:
        return cold
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _row(case: Case, trial: Trial, timing: Timing | None, references: list[list[Enclosure | str]]) -> dict:
    row = {
        "method": trial.method.name,
        "ours": trial.method.ours,
        "note": _note(trial),
        "warnings": trial.warned,
        "scores": _scores(case, trial, references),
        "per_value": None,
        "timed_values": trial.values,
    }
    if timing is not None:
        scale = _job_size(case) / trial.values
        row |= {
            "per_value": timing.median / trial.values,
            "job": timing.median * scale,
            "job_minimum": timing.minimum * scale,
            "job_iqr": timing.iqr * scale,
            "repetitions": timing.repetitions,
        }
    return row


def _note(trial: Trial) -> str:
    warned = f"{trial.warned} warning{'s' * (trial.warned > 1)}" if trial.warned else ""
    return "; ".join(part for part in (trial.note, warned) if part)


def _job_size(case: Case) -> int:
    return len(case.batch) if case.batch is not None else sum(len(task.epsilons) for task in case.tasks)


def _scores(case: Case, trial: Trial, references: list[list[Enclosure | str]]) -> list[judgement.Score]:
    """One score for each checked point; empty for a method that was not asked."""
    scores: list[judgement.Score] = []
    for task, answer, expected in zip(case.tasks, trial.answers, references):
        for index, enclosure in zip(task.checked, expected):
            known = None if isinstance(enclosure, str) else enclosure
            scores.append(answer if isinstance(answer, str) else judgement.score(float(answer[index]), known))
    return scores


def _shown(entry: Enclosure | str) -> dict[str, str | int]:
    if isinstance(entry, str):
        return {"error": entry}
    value, radius = entry.decimal(20)
    return {"value": value, "radius": radius, "basis": entry.basis, "digits": entry.justified_digits()}


def memory(dimensions: tuple[int, ...], rng: np.random.Generator) -> list[dict]:
    """Peak bytes that one value of the fast engine allocates at each dimension, its input not counted."""
    rows = []
    for dimension in dimensions:
        spectrum, epsilon = problems.random_spectrum(rng, dimension), np.array([1.0])
        method = ours.fast_method()
        method.evaluate(spectrum, epsilon)
        tracemalloc.start()
        try:
            method.evaluate(spectrum, epsilon)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        rows.append({"dimension": dimension, "peak_bytes": peak, "bytes_per_coordinate": peak / dimension})
    return rows
