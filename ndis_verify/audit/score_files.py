"""Scores in files and folders, read in blocks; of CSV files errors name the line (others: `score_columns`)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ndis_verify.audit.score_columns import ColumnFile, columns_of
from ndis_verify.exact_number import InputError
from ndis_verify.plain_text import beginning, plainly, position, says_number

BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_PLAIN = bytes(set(range(32, 127)) - {ord("_")}) + b"\t\r\n"
_COMMA_NUMBERS = re.compile(rb"(?:\s*[+-]?[0-9]+,[0-9]+\s*\n)*+")  # whole numbers in pairs, the second without a sign


@dataclass(frozen=True)
class ScoreFile:
    """One column of a CSV file as a sample (`samples.Sample`); the file is read anew by every `chunks()`.

    Lines end in LF or CRLF, fields are separated by commas; the first line may hold names. Every line needs as many
    fields as the first, the column's field a finite decimal number, and the last line its line end: a file that was cut
    off is refused, not audited, and so is one that holds other bytes at a later reading than at the first. `chunks`
    raises `InputError` with the number of the offending line, `OSError` where the file cannot be read.
    """

    path: Path
    column: int
    fields: int
    header: bool
    name: str
    seen: list[bytes] = field(default_factory=list, compare=False, repr=False)  # the hash of the whole, once read

    def chunks(self) -> Iterator[np.ndarray]:
        """float64 arrays of at most about 2^20 bytes of text each."""
        lines, content = 0, hashlib.blake2b()
        for block in _blocks(self.path, self.name):
            content.update(block)
            start = lines
            lines += block.count(b"\n")
            if start == 0:
                block = block.removeprefix(_BOM)
                if self.header:
                    block, start = block[block.index(b"\n") + 1 :], 1
            if block:
                values = self._values(block)
                yield self._by_line(block, start) if values is None else values
        if not self.seen:
            self.seen.append(content.digest())
        if self.seen != [content.digest()]:
            raise InputError(self.name, f"{lines} lines", "changed while it was read: other bytes than before")

    def count(self) -> int:
        """How many scores there are: lines, without the names."""
        return sum(block.count(b"\n") for block in _blocks(self.path, self.name)) - self.header

    def _values(self, block: bytes) -> np.ndarray | None:
        """The column of whole lines, or None where some line is not as it should be."""
        characters = np.frombuffer(block, dtype=np.uint8)
        separators = characters[(characters == 44) | (characters == 10)]
        pattern = np.array([44] * (self.fields - 1) + [10], dtype=np.uint8)
        if separators.size % self.fields or (separators.reshape(-1, self.fields) != pattern).any() or self._odd(block):
            return None
        cells = block.replace(b"\n", b",").split(b",")[self.column : -1 : self.fields]
        try:
            values = np.array(cells).astype(np.float64)
        except ValueError:
            return None
        return values if np.isfinite(values).all() else None

    @staticmethod
    def _odd(block: bytes) -> bool:
        """Whether bytes occur that belong to no line of numbers and names; numpy drops some, and reads others as
        digits.
        """
        return bool(block.translate(None, _PLAIN))

    def _by_line(self, block: bytes, start: int) -> np.ndarray:
        values = []
        for number, line in enumerate(block.split(b"\n")[:-1], start + 1):
            text = _text(line, self.name, number)
            cells = text.split(",")
            if not text.strip():
                raise InputError(self.name, beginning(text), f"line {number} is empty")
            if len(cells) != self.fields:
                raise InputError(
                    self.name,
                    beginning(text),
                    f"line {number} has {len(cells)} fields, the first line has {self.fields}",
                )
            values.append(_number(cells[self.column], self.name, number))
        return np.array(values)


@dataclass(frozen=True)
class ScoreFolder:
    """One column of all part files of a folder as a sample (`samples.Sample`): by their names, one after the other."""

    path: Path
    parts: tuple[ScoreFile | ColumnFile, ...]
    name: str

    @property
    def column(self) -> int:
        return self.parts[0].column

    @property
    def fields(self) -> int:
        return self.parts[0].fields

    def chunks(self) -> Iterator[np.ndarray]:
        """Those of each part."""
        for part in self.parts:
            yield from part.chunks()


def open_scores(
    paths: Sequence[Path], columns: Sequence[str] | None = None
) -> tuple[ScoreFile | ColumnFile | ScoreFolder, ScoreFile | ColumnFile | ScoreFolder]:
    """The samples P and Q: from two files, or from one file with a column for each.

    paths: one or two; each a CSV file, an .npy array of one or two axes, a Parquet (.parquet, .pq) or an Arrow file
    (.arrow, .feather, .ipc; these by the extra `arrow`), or a folder of such files of one kind and with the same
    columns, which are read by their names; names that begin with . or _ are left out. columns: names, of the first line
    of a CSV file, or numbers counted from 1; one for each sample. Without it the first column of each of two files, or
    the two of one file, which must have no more: in 0,5 a comma may also be a decimal one. Raises `InputError`,
    `OSError`.

    Examples
    --------
    >>> from ndis_verify.audit import open_scores
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.csv")
    ...     lines = file.write_text("p,q\\n" + "0.5,0.25\\n" * 10)
    ...     p, q = open_scores([file])
    ...     print(sum(part.size for part in p.chunks()), next(q.chunks())[0])
    10 0.25
    """
    if not 1 <= len(paths) <= 2:
        raise InputError("FILE", f"{len(paths)} files", "needs two samples: two files, or one with two columns")
    chosen = list(columns) if columns is not None else ["1", "1"] if len(paths) == 2 else ["1", "2"]
    if len(chosen) != 2:
        raise InputError("columns", ",".join(chosen), "must be two, one for P and one for Q")
    first, second = (_opened(path, column) for path, column in zip((paths[0], paths[-1]), chosen, strict=True))
    if columns is None:
        for sample in (first, second):
            for part in sample.parts if isinstance(sample, ScoreFolder) else (sample,):
                _check_commas(part, 3 - len(paths))
    if (first.path, first.column) == (second.path, second.column):
        raise InputError("columns", ",".join(chosen), "P and Q are the same column of the same file")
    return first, second


def _check_commas(sample: ScoreFile | ColumnFile, wanted: int) -> None:
    """Refuse lines that may be numbers with a decimal comma: `wanted` fields are right where no column was chosen."""
    rule = "choose by --columns; a number has a decimal point, a comma separates fields"
    if isinstance(sample, ColumnFile):
        if sample.fields != wanted:
            wrong = f"must have {wanted} where no column is chosen: choose by --columns"
            raise InputError(str(sample.path), f"{sample.fields} columns", wrong)
        return
    if sample.fields != wanted:
        wrong = f"line 1 must have {wanted} of them where no column is chosen: {rule}"
        raise InputError(str(sample.path), f"{sample.fields} fields", wrong)
    if wanted == 2 and not sample.header and _COMMA_NUMBERS.fullmatch(next(_blocks(sample.path, sample.name), b"")):
        raise InputError(str(sample.path), "1,2 or the like on every line", f"may be one number or two: {rule}")


def _opened(path: Path, column: str) -> ScoreFile | ColumnFile | ScoreFolder:
    return _folder(path, column) if path.is_dir() else _file(path, column)


def _folder(path: Path, column: str) -> ScoreFolder:
    files = sorted(file for file in path.iterdir() if file.name[0] not in "._")
    if not files:
        raise InputError("FILE", str(path), "is a folder without part files")
    suffixes = {file.suffix.lower() for file in files}
    if len(suffixes) > 1:
        raise InputError(
            "FILE", str(path), f"must hold part files of one kind, not {beginning(', '.join(sorted(suffixes)))}"
        )
    parts = tuple(_file(file, column) for file in files)
    odd = next((part for part in parts if (part.column, part.fields) != (parts[0].column, parts[0].fields)), None)
    if odd is not None:
        raise InputError("FILE", str(odd.path), f"must have the columns of {parts[0].path.name}")
    return ScoreFolder(path, parts, str(path) if parts[0].fields == 1 else f"{path} column {beginning(column)}")


def _file(path: Path, column: str) -> ScoreFile | ColumnFile:
    if path.exists() and not path.is_file():
        raise InputError("FILE", str(path), "must be a regular file, or a folder of them: it is read more than once")
    found = columns_of(path)
    if found is not None:
        place = _place(list(found.names), found.named, column, path)
        name = _named(path, list(found.names), found.named, place)
        return ColumnFile(path, place, len(found.names), name)
    line = _text(next(_blocks(path, str(path)), b"").removeprefix(_BOM).partition(b"\n")[0], str(path), 1)
    if not line.strip():
        raise InputError(str(path), beginning(line), "line 1 is empty: needs a score on each line")
    cells = [cell.strip() for cell in line.split(",")]
    # A name does not begin like a number: 1.5x is a score that was spoilt, not a header.
    header = not any(says_number(cell) or cell.lstrip("+-.")[:1].isdigit() for cell in cells)
    place = _place(cells, header, column, path)
    return ScoreFile(path, place, len(cells), header, _named(path, cells, header, place))


def _named(path: Path, cells: Sequence[str], header: bool, place: int) -> str:
    return str(path) if len(cells) == 1 else f"{path} column {beginning(cells[place]) if header else place + 1}"


def _place(cells: Sequence[str], header: bool, column: str, path: Path) -> int:
    """Where the column is that is given by its name or number. Raises `InputError`."""
    if header and column in cells:
        if cells.count(column) > 1:
            raise InputError("columns", beginning(column), f"is the name of two columns of {path}: choose by number")
        return cells.index(column)
    if (place := position(column)) is None:
        wrong = f"is neither the name of a column of {path} nor its number"
        raise InputError("columns", beginning(column), wrong)
    if not 0 <= place < len(cells):
        needed = (
            "one sample only: the other needs a second column or a second file"
            if len(cells) == 1
            else f"{path} has {len(cells)} columns"
        )
        raise InputError("columns", column, needed)
    return place


def _blocks(path: Path, name: str) -> Iterator[bytes]:
    """The file in blocks of whole lines; nothing longer than two blocks is ever held."""
    rest, lines = b"", 0
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            whole, end, tail = block.rpartition(b"\n")
            if not end:
                rest += block
                if len(rest) > 2 * BLOCK:
                    raise InputError(
                        name,
                        beginning(_text(rest[:40], name, lines + 1)),
                        f"line {lines + 1} is longer than {BLOCK} characters",
                    )
                continue
            yield rest + whole + end
            lines += whole.count(b"\n") + 1
            rest = tail
    if rest:
        shown = beginning(_text(rest[:80], name, lines + 1))
        raise InputError(
            name, shown, f"line {lines + 1} has no line end: the file may be cut off (add a line end if it is whole)"
        )


def _text(line: bytes, name: str, number: int) -> str:
    """The line, without the CR of its end. Raises `InputError` where it has bytes that no text has."""
    line = line.removesuffix(b"\r")
    odd = next((byte for byte in line if byte < 32 and byte not in b"\t\r"), None)
    if odd is not None:
        raise InputError(name, f"byte 0x{odd:02x}", f"line {number} is not text: needs a CSV file of decimal numbers")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        # A line that was cut to be shown may end inside a character.
        if error.start < len(line) - 3:
            raise InputError(
                name,
                f"byte 0x{line[error.start]:02x}",
                f"line {number} is not text: needs a CSV file of decimal numbers",
            ) from None
        return line.decode("utf-8", "replace")


def _number(text: str, name: str, line: int) -> float:
    if not says_number(text) or not plainly(text):
        raise InputError(name, beginning(text), f"line {line} must hold a decimal number")
    value = float(text)
    if not np.isfinite(value):
        raise InputError(name, beginning(text), f"line {line} must be finite")
    return value
