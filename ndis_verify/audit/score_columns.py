"""Scores in columns of numbers: Parquet, Arrow (IPC, feather) and .npy, read part by part like the CSV files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ndis_verify.exact_number import InputError
from ndis_verify.plain_text import beginning

ROWS = 1 << 16  # read at a time
Parts = Iterator[tuple[npt.NDArray[np.generic], int]]  # values, and the row of the first that is missing, or -1


@dataclass(frozen=True)
class Columns:
    """The columns of one file: their names, whether the file gave them, and how the values of one are read."""

    names: tuple[str, ...]
    named: bool
    parts: Callable[[int], Parts]


@dataclass(frozen=True)
class ColumnFile:
    """One column of a binary file as a sample (`samples.Sample`); the file is read anew by every `chunks()`.

    Whole numbers, floats and bits are taken, as float64. Memory: a page of a Parquet file, a record batch of an Arrow
    file, 2^16 rows of an .npy file. `chunks` raises `InputError` with the number of the row, from 1, that is missing or
    not finite, where the file is spoilt, and where it holds other scores than at the first reading; `OSError` where it
    cannot be read.
    """

    path: Path
    column: int
    fields: int
    name: str
    seen: list[bytes] = field(default_factory=list, compare=False, repr=False)  # the hash of the scores, once read

    def chunks(self) -> Iterator[npt.NDArray[np.float64]]:
        """float64 arrays of at most 2^16 scores each."""
        rows, content = 0, hashlib.blake2b()
        for values, missing in self._parts():
            if missing >= 0:
                raise InputError(self.name, "no value", f"row {rows + missing + 1} must hold a number")
            scores = values.astype(np.float64)
            bad = np.flatnonzero(~np.isfinite(scores))
            if bad.size:
                raise InputError(self.name, float(scores[bad[0]]), f"row {rows + bad[0] + 1} must be finite")
            content.update(scores.tobytes())
            rows += scores.size
            if scores.size:
                yield scores
        if not self.seen:
            self.seen.append(content.digest())
        if self.seen != [content.digest()]:
            raise InputError(self.name, f"{rows} rows", "changed while it was read: other scores than before")

    def count(self) -> int:
        """How many scores there are."""
        return sum(values.size for values, _ in self._parts())

    def _parts(self) -> Parts:
        columns = columns_of(self.path)
        if columns is None or len(columns.names) != self.fields:
            raise InputError(self.name, str(self.path), f"changed while it was read: it had {self.fields} columns")
        return columns.parts(self.column)


def columns_of(path: Path) -> Columns | None:
    """What a file of one of the kinds here holds, by its suffix; None for another, which is text.

    Raises `InputError` where it is spoilt or the extra `arrow` is absent, `OSError` where it cannot be read.
    """
    opened = _KINDS.get(path.suffix.lower())
    if opened is None:
        return None
    with open(path, "rb"):  # what cannot be read at all is no spoilt file
        pass
    return opened(path)


def _npy(path: Path) -> Columns:
    kind = np.lib.format
    with _whole(path, "NPY"), open(path, "rb") as file:
        version = kind.read_magic(file)
        if version > (2, 0):  # for names beyond Latin-1 alone
            raise ValueError
        read = kind.read_array_header_1_0 if version == (1, 0) else kind.read_array_header_2_0
        shape, by_column, dtype = read(file)
        start = file.tell()
    if (dtype.names is None and len(shape) > 2) or (dtype.names is not None and len(shape) != 1) or not shape:
        raise InputError(str(path), f"an array of shape {shape}", "must have one axis, or two: rows and columns")
    names = tuple(dtype.names or map(str, range(1, 1 + (shape[1] if len(shape) == 2 else 1))))
    rows, expected = shape[0], start + int(np.prod(shape, dtype=object)) * dtype.itemsize
    if dtype.hasobject or path.stat().st_size != expected:
        raise InputError(str(path), f"{path.stat().st_size} bytes", f"must be {expected} of plain numbers, as it says")

    def parts(column: int) -> Parts:
        _numbers(dtype[names[column]] if dtype.names else dtype, path)
        width = 1 if dtype.names or by_column else len(names)
        with open(path, "rb") as file:
            file.seek(start + (rows * column * dtype.itemsize if by_column else 0))
            for first in range(0, rows, ROWS):
                wanted = min(ROWS, rows - first) * width
                block = np.frombuffer(file.read(wanted * dtype.itemsize), dtype=np.uint8)
                if block.size != wanted * dtype.itemsize:
                    raise InputError(str(path), f"{rows} rows", "changed while it was read: it is shorter than before")
                values = block.view(dtype)
                yield values[names[column]] if dtype.names else values[column % width :: width], -1

    return Columns(names, dtype.names is not None, parts)


def _parquet(path: Path) -> Columns:
    _arrow(path)
    import pyarrow.parquet as pq

    def opened() -> Any:
        return pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20, page_checksum_verification=True)

    with _whole(path, "Parquet"), opened() as file:
        schema = file.schema_arrow

    def batches(name: str) -> Iterator[Any]:
        with opened() as file:
            for batch in file.iter_batches(ROWS, columns=[name], use_threads=False):
                yield batch.column(batch.schema.get_field_index(name))

    return _arrow_columns(path, "Parquet", schema, batches)


def _ipc(path: Path) -> Columns:
    _arrow(path)
    import pyarrow as pa

    def opened(file: Any, **options: Any) -> Any:
        return pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(use_threads=False, **options))

    with _whole(path, "Arrow"), pa.OSFile(str(path)) as file:
        schema = opened(file).schema

    def batches(name: str) -> Iterator[Any]:
        with pa.OSFile(str(path)) as file:
            reader = opened(file, included_fields=[schema.get_field_index(name)])
            for number in range(reader.num_record_batches):
                yield reader.get_batch(number).column(0)

    return _arrow_columns(path, "Arrow", schema, batches)


def _arrow_columns(path: Path, kind: str, schema: Any, batches: Callable[[str], Iterator[Any]]) -> Columns:
    """Columns of a schema, whose values come as arrays of Arrow."""
    with _whole(path, kind):  # names may be no text
        names = tuple(schema.names)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(str(path), beginning(twice), "is the name of two columns")

    def parts(column: int) -> Parts:
        _plain(schema.types[column], path)
        with _whole(path, kind):
            for array in batches(names[column]):
                array.validate(full=True)
                for start in range(0, len(array), ROWS):
                    piece = array.slice(start, ROWS)
                    missing = int(np.argmax(piece.is_null().to_numpy(zero_copy_only=False))) if piece.null_count else -1
                    yield piece.to_numpy(zero_copy_only=False), missing

    return Columns(names, True, parts)


_RULE = "must be a column of floats, whole numbers or bits"


def _plain(kind: Any, path: Path) -> None:
    """Of a type of Arrow."""
    from pyarrow import types

    if not (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind)):
        raise InputError(str(path), beginning(str(kind)), _RULE)


def _numbers(dtype: np.dtype[Any], path: Path) -> None:
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise InputError(str(path), beginning(str(dtype)), _RULE)


def _arrow(path: Path) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise InputError(
            "FILE", str(path), "needs the extra `arrow` (pyarrow): pip install 'ndis_verify[arrow]'"
        ) from None


@contextmanager
def _whole(path: Path, kind: str) -> Iterator[None]:
    """What a library raises at a spoilt file, as an `InputError` that names it."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # what readers of headers raise has no common kind
        raise InputError(
            str(path), type(error).__name__, f"must be a whole {kind} file: it is spoilt, cut off or something else"
        ) from None


_KINDS: dict[str, Callable[[Path], Columns]] = {
    ".npy": _npy,
    ".parquet": _parquet,
    ".pq": _parquet,
    ".arrow": _ipc,
    ".feather": _ipc,
    ".ipc": _ipc,
}
