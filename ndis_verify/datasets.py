"""Real records: the data sets bundled in scikit-learn (extra `data`), read without any download."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndis_verify.exact_number import InputError

NAMES = ("breast_cancer", "diabetes")


@dataclass(frozen=True, eq=False)
class Dataset:
    """`records`: n x d float64, one row per person; `target`: n values."""

    name: str
    records: np.ndarray
    target: np.ndarray


def load_dataset(name: str) -> Dataset:
    """A bundled data set by name: one of `NAMES`.

    Raises `InputError` for an unknown name and `ModuleNotFoundError` with the remedy where scikit-learn is absent.
    """
    if name not in NAMES:
        raise InputError("name", name, f"must be one of {', '.join(NAMES)}")
    try:
        from sklearn import datasets
    except ModuleNotFoundError:
        raise ModuleNotFoundError("real data needs scikit-learn: pip install 'ndis_verify[data]'") from None
    loaded = datasets.load_breast_cancer() if name == "breast_cancer" else datasets.load_diabetes(scaled=False)
    return Dataset(name, np.asarray(loaded.data, dtype=np.float64), np.asarray(loaded.target, dtype=np.float64))
