"""Divergences of more pairs than memory holds, chunk by chunk, through Dask arrays (extra `cluster`).

FOLDER has the arrays of a `PairBatch` as mean_p.npy, cov_p.npy, mean_q.npy and cov_q.npy, with a row for every pair.
FOLDER/deltas gets a numbered .npy file for each chunk, which `dask.array.from_npy_stack` reads as one array. Every
chunk is read, computed and written in one place: in memory is one for each thread, or for each thread of the workers of
a cluster, which find FOLDER at the same path.

    python examples/dask_pairs.py FOLDER EPSILON [SCHEDULER]
"""

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import dask.array as da
import numpy as np

from ndis_verify.fast import PairBatch, hockey_stick

ARRAYS = ("mean_p", "cov_p", "mean_q", "cov_q")
CHUNK = 100_000  # pairs: about 10 MB of memory for d = 3


def deltas_of(rows, folder, epsilon):
    """The divergences of the pairs of some rows, which follow each other."""
    part = slice(rows[0], rows[-1] + 1)
    return hockey_stick(PairBatch(*(np.load(folder / f"{name}.npy", mmap_mode="r")[part] for name in ARRAYS)), epsilon)


def deltas(folder, epsilon, chunk=CHUNK):
    """The divergence at `epsilon` of every pair of a folder, as a Dask array: nothing is computed yet."""
    count = len(np.load(folder / "mean_p.npy", mmap_mode="r"))
    work = partial(deltas_of, folder=folder.resolve(), epsilon=epsilon)
    return da.map_blocks(work, da.arange(count, chunks=chunk), dtype=np.float64, meta=np.empty(0))


def main(folder, epsilon, scheduler=None):
    """Compute them, by the threads of this process or over a cluster, and write them to FOLDER/deltas."""
    if scheduler is None:
        cluster = nullcontext()
    else:
        from dask.distributed import Client

        cluster = Client(scheduler)
    with cluster:
        da.to_npy_stack(Path(folder, "deltas").resolve(), deltas(Path(folder), float(epsilon)))


if __name__ == "__main__":
    main(*sys.argv[1:])
