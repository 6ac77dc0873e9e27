"""The worked example of many pairs through Dask arrays: the numbers of one batch, in the memory of a chunk."""

import runpy
import tracemalloc
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from ndis_verify.fast import PairBatch, hockey_stick

dask = pytest.importorskip("dask")
pytest.importorskip("dask.array")
EXAMPLE = runpy.run_path(str(Path(__file__).resolve().parents[1] / "examples" / "dask_pairs.py"))
# Pairs whose memory is more than that of the graph of 16 tasks, and less than that of the 4,096 of a batch of arrays.
CHUNK = 20_000 if find_spec("numba") else 500


@pytest.fixture(autouse=True)
def threads():
    """Whatever client of a cluster that is gone other tests have left behind."""
    with dask.config.set(scheduler="threads"):
        yield


def written(folder, count):
    """The arrays of `count` pairs in a folder, and their batch."""
    rng = np.random.default_rng(count)
    means, covariances = 0.3 * rng.standard_normal((2, count, 3)), rng.uniform(0.4, 2.5, (2, count, 3))
    arrays = {"mean_p": means[0], "cov_p": covariances[0], "mean_q": means[1], "cov_q": covariances[1]}
    folder.mkdir()
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return PairBatch(**arrays)


def peak(call):
    """The most bytes that were allocated in a call, and what it gives."""
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_chunks_give_the_numbers_of_one_batch(tmp_path):
    batch = written(tmp_path / "pairs", 2_250)  # the last chunk is not whole
    found = EXAMPLE["deltas"](tmp_path / "pairs", 1.0, 500)
    assert found.numblocks == (5,) and found.dtype == np.float64
    parts = [hockey_stick(batch.part(slice(k, k + 500)), 1.0) for k in range(0, 2_250, 500)]
    exact = find_spec("numba") is None  # the first values of a process are made by arrays, those that follow by loops
    np.testing.assert_allclose(found.compute(), np.concatenate(parts), rtol=0 if exact else 1e-11)
    np.testing.assert_allclose(found.compute(), hockey_stick(batch, 1.0), rtol=1e-11)  # what each of the two promises


def test_memory_is_that_of_a_chunk_and_not_of_the_batch(tmp_path):
    used, whole = [], 0
    with dask.config.set(scheduler="synchronous"):
        for chunks in (1, 4, 16):
            batch = written(tmp_path / f"{chunks}", chunks * CHUNK)
            found = EXAMPLE["deltas"](tmp_path / f"{chunks}", 1.0, CHUNK)
            first, _ = peak(lambda found=found: found.max().compute())  # what is loaded once
            largest, memory = peak(lambda found=found: found.max().compute())
            direct, whole = peak(lambda batch=batch: hockey_stick(batch, 1.0))
            np.testing.assert_allclose([first, largest], direct.max(), rtol=1e-11)  # loops are chosen by their length
            used.append(memory)
    assert used[2] < 1.2 * used[1] < 1.44 * used[0] and whole > 2 * used[2]


def test_the_command_writes_every_chunk(tmp_path, monkeypatch):
    batch = written(tmp_path / "pairs", 30)
    EXAMPLE["main"](str(tmp_path / "pairs"), "2")
    found = dask.array.from_npy_stack(tmp_path / "pairs" / "deltas")
    assert np.array_equal(found.compute(), hockey_stick(batch, 2.0))
    assert [path.name for path in (tmp_path / "pairs" / "deltas").glob("*.npy")] == ["0.npy"]


def test_a_cluster_gives_the_same(tmp_path):
    distributed = pytest.importorskip("distributed")
    batch = written(tmp_path / "pairs", 30)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as local:
        EXAMPLE["main"](str(tmp_path / "pairs"), "2", local.scheduler_address)
    found = dask.array.from_npy_stack(tmp_path / "pairs" / "deltas")
    assert np.array_equal(found.compute(), hockey_stick(batch, 2.0))
