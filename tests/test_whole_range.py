"""Every export of `fast` over the whole range of floats: a value within its documented accuracy, or a named refusal.

Draws hold subnormal numbers, exact powers of two, the ends of the range and thresholds next to where the answer turns;
values are compared with the certified engine. Each draw is one process's work with a limit, so that one whose certified
value takes long is counted as not compared, as are refused ones: seeds are counted up until there are enough
comparisons. `NDIS_VERIFY_WHOLE_RANGE=300` asks for that many of each export, more than 10,000 in all; `-rP` shows the
counts.
"""

import multiprocessing
import os
import random
import warnings
from collections import Counter

import pytest
from whole_range import CASES

from ndis_verify import InputError, fast, oracle

COUNT = int(os.environ.get("NDIS_VERIFY_WHOLE_RANGE", "4"))
SECONDS = 10.0
NOT_COMPARED = {"als_asymptotic_gap"}  # no certified value: bounds alone


def outcome(name, seed):
    """(what became of a draw, what is to be said of it)."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            CASES[name](random.Random(f"{name} {seed}"), name)
        except InputError as error:
            return "refused", f"{error.argument}: {error.rule}"
        except oracle.PrecisionError as error:
            return "not compared", str(error)
        except Exception as error:
            return "wrong", f"{type(error).__name__}: {error}"
    return "compared", ""


def _work(connection):
    while True:
        connection.send(outcome(*connection.recv()))


class Worker:
    """A process that is ended where a draw takes long, and then begun anew."""

    def __init__(self):
        self.process = None

    def __call__(self, name, seed):
        if self.process is None:
            context = multiprocessing.get_context("fork")
            self.connection, end = context.Pipe()
            self.process = context.Process(target=_work, args=(end,), daemon=True)
            self.process.start()
        self.connection.send((name, seed))
        if self.connection.poll(SECONDS):
            return self.connection.recv()
        self.close()
        return "not compared", "no end in time"

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
        self.process = None


@pytest.fixture(scope="module")
def worker():
    one = Worker()
    yield one
    one.close()


def test_every_export_has_a_strategy():
    assert set(CASES) == set(fast.__all__)


@pytest.mark.timeout(max(300, 30 * COUNT))
@pytest.mark.parametrize("name", sorted(CASES))
def test_values_or_named_refusals(name, worker, record_property):
    found, counts = [], Counter()
    while counts["compared"] < COUNT and len(found) < 3 * COUNT:
        found.append(worker(name, len(found)))
        counts[found[-1][0]] += 1
    record_property("outcomes", dict(counts))
    print(name, dict(counts))
    wrong = {seed: text for seed, (kind, text) in enumerate(found) if kind == "wrong"}
    assert not wrong, f"{len(wrong)} of {len(found)}: {dict(list(wrong.items())[:5])}"
    assert all(text.partition(":")[0] for kind, text in found if kind == "refused")
    assert COUNT < 40 or counts["compared"] == COUNT, counts
