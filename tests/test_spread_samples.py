"""Samples in part files that are read by several: the same numbers, no reading twice, no file that changes."""

import json
import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.audit import audit_scores, open_scores, samples, spread_samples
from ndis_verify.audit.samples import ArraySample, bin_counts, survey
from ndis_verify.audit.spread_samples import SpreadSample, score_run
from ndis_verify.exact_number import InputError
from ndis_verify.runs.journal import Journal
from ndis_verify.runs.pool import resumed

CHUNK = 64  # in place of 2^16: many chunks in few rows


def elsewhere(function, items):
    """The last first, and as from other processes."""
    for key in reversed(items):
        task, item = pickle.loads(pickle.dumps((function, items[key])))
        yield key, json.loads(json.dumps(task(item)))


def in_parts(folder, scores, sizes, suffix=".npy"):
    """A sample whose part files have these sizes."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for place, part in enumerate(np.split(scores, np.cumsum(sizes)[:-1])):
        if suffix == ".npy":
            np.save(folder / f"{place:03}.npy", part)
        else:
            (folder / f"{place:03}.csv").write_text("score\n" + "".join(f"{score!r}\n" for score in part.tolist()))
    other = folder.with_suffix(".npy")
    np.save(other, np.arange(9.0))
    return open_scores([folder, other])[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("parts")


@given(
    sizes=st.lists(st.sampled_from((0, 1, 7, 8, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 500)), min_size=1, max_size=12),
    scale=st.integers(-300, 300),
    suffix=st.sampled_from((".csv", ".npy")),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=40, deadline=None)
def test_parts_give_what_one_array_gives(folder, sizes, scale, suffix, seed):
    scores = np.random.default_rng(seed).normal(size=sum(sizes)) * 10.0**scale
    whole, spread = (
        ArraySample(scores, "p"),
        SpreadSample(in_parts(folder / "p", scores, sizes, suffix), "P", elsewhere),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "CHUNK", CHUNK)
        patch.setattr(spread_samples, "CHUNK", CHUNK)
        patch.setattr(samples, "KEPT", 16)
        if scores.size < samples.SMALLEST:
            with pytest.raises(InputError, match="needs at least 8"):
                survey(spread)
            return
        found, expected = survey(spread), survey(whole)
        assert vars(found) | {"learning": 0} == vars(expected) | {"learning": 0}
        assert np.array_equal(found.learning, expected.learning)
        edges = np.unique(scores[:5])
        for counts in zip(*(bin_counts(sample, edges, ("choose", "all"), found.n) for sample in (spread, whole))):
            assert np.array_equal(*counts)


@pytest.mark.parametrize("stop", [0, 1, 3, 5, 8])
def test_a_run_that_was_stopped_reads_the_other_parts_only(tmp_path, stop):
    rng, asked = np.random.default_rng(1), []
    p, q = in_parts(tmp_path / "p", rng.normal(1, 1, 300_000), (100_000,) * 3), ArraySample(rng.normal(0, 1, 500), "q")

    def noted(function, item):
        asked.append(item)
        return function(item)

    def audited(last):
        def run(function, items):
            for key, content in resumed(journal, partial(noted, function), items):
                yield key, content
                if len(journal.done) == last:
                    raise KeyboardInterrupt

        with Journal(tmp_path / "j.jsonl", score_run([p]), "readings") as journal:
            return audit_scores(SpreadSample(p, "P", run), q, delta=1e-3)

    if stop:
        with pytest.raises(KeyboardInterrupt):
            audited(stop)
        assert len(asked) == stop
    assert audited(-1).epsilon(1e-3) == audit_scores(p, q, delta=1e-3).epsilon(1e-3)
    assert len(asked) == 9  # three files, three readings


@pytest.mark.parametrize("reading, rows", [("read_piece", 69_999), ("read_piece", 70_001), ("count_piece", 70_000)])
def test_a_part_that_changes_between_its_readings_is_refused(tmp_path, reading, rows):
    rng = np.random.default_rng(1)
    scores = rng.normal(size=200_000)
    sample = in_parts(tmp_path / "p", scores, (70_000, 70_000, 60_000))

    def run(function, items):
        if next(iter(items)).startswith(f"P {reading}"):
            np.save(tmp_path / "p" / "001.npy", rng.normal(size=rows))
        return elsewhere(function, items)

    with pytest.raises(InputError, match="001.npy = .* changed while it was read"):
        audit_scores(SpreadSample(sample, "P", run), scores + 1, delta=1e-3)
