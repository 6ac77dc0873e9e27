"""Real records: the data sets bundled in scikit-learn (extra `data`), read without any download."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndis_verify.arguments import one_of

NAMES = ("breast_cancer", "diabetes")
MORE_NAMES = ("linnerud", "digits")  # 20 and 1,797 records; for experiments alone


@dataclass(frozen=True, eq=False)
class Dataset:
    """`records`: n x d float64, one row per person; `target`: n values."""

    name: str
    records: np.ndarray
    target: np.ndarray


def load_dataset(name: str) -> Dataset:
    """A bundled data set by name: one of `NAMES` or `MORE_NAMES`.

    linnerud: the exercises, and the weight as target; digits: the pixels that are not 0 throughout, and the digit.
    Raises `InputError` for an unknown name and `ModuleNotFoundError` with the remedy where scikit-learn is absent.
    """
    one_of(name, "name", NAMES + MORE_NAMES)
    try:
        from sklearn import datasets
    except ModuleNotFoundError:
        raise ModuleNotFoundError("real data needs scikit-learn: pip install 'ndis_verify[data]'") from None
    loaded = datasets.load_diabetes(scaled=False) if name == "diabetes" else getattr(datasets, f"load_{name}")()
    records, target = (np.asarray(part, dtype=np.float64) for part in (loaded.data, loaded.target))
    return Dataset(name, records[:, records.any(axis=0)], target if target.ndim == 1 else target[:, 0])
