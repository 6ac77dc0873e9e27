"""Scores in Parquet, Arrow and .npy files and in folders: what CSV files and arrays give, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.audit import audit_scores, open_scores, score_columns
from ndis_verify.cli import main
from ndis_verify.exact_number import InputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def write(path, columns, rows=1 << 16, squeeze="none"):
    """A file of the kind that the suffix says, of named columns, `rows` at a time."""
    if path.suffix == ".npy":
        kinds = [(name, values.dtype) for name, values in columns.items()]
        table = np.empty(len(next(iter(columns.values()))), dtype=kinds)
        for name, values in columns.items():
            table[name] = values
        np.save(path, table)
    elif path.suffix == ".csv":
        lines = (",".join(f"{x:.17g}" for x in row) for row in zip(*columns.values()))
        path.write_text(",".join(columns) + "\n" + "".join(f"{line}\n" for line in lines))
    elif path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path, row_group_size=rows, compression=squeeze)
    else:
        table = pa.table(columns)
        options = pa.ipc.IpcWriteOptions(compression=None if squeeze == "none" else "zstd")
        with pa.ipc.new_file(str(path), table.schema, options=options) as file:
            file.write_table(table, max_chunksize=rows)
    return path


SUFFIXES = (".csv", ".npy", ".parquet", ".arrow")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("columns")


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(8, 300),
    rows=st.integers(1, 400),
    method=st.sampled_from(("best-set", "tv", "dkw")),
    squeeze=st.sampled_from(("none", "zstd")),
)
@settings(max_examples=15, deadline=None)
def test_every_kind_of_file_gives_what_arrays_give(folder, seed, n, rows, method, squeeze):
    rng = np.random.default_rng(seed)
    p, q = rng.standard_normal(n) * 10.0 ** rng.integers(-200, 200), rng.normal(1, 1, n).astype(np.float32)
    expected = audit_scores(p, q, method=method, delta=0.1)
    for suffix in SUFFIXES:
        path = write(folder / f"both{suffix}", {"more": q, "in": p, "out": q}, rows, squeeze)
        parts = folder / f"parts{suffix}"
        parts.mkdir(exist_ok=True)
        (parts / "_SUCCESS").write_text("")
        for number, piece in enumerate(np.array_split(np.arange(n), 3)):
            write(parts / f"part-{number}{suffix}", {"in": p[piece], "out": q[piece]}, rows, squeeze)
        for samples in (
            open_scores([path], ["in", "3"]),
            open_scores([parts]),
            open_scores([path, parts], ["2", "out"]),
        ):
            for sample, values in zip(samples, (p, q)):
                assert (np.concatenate(list(sample.chunks())) == values).all()
            found = audit_scores(*samples, method=method, delta=0.1)
            assert (found.epsilon(0.1), found.delta(0.5), found.bins) == (
                expected.epsilon(0.1),
                expected.delta(0.5),
                expected.bins,
            )


def test_sums_do_not_depend_on_how_a_file_is_cut(tmp_path):
    p, q = np.random.default_rng(1).normal(0, 1, (2, 150_000)) * 1e3
    expected = audit_scores(p, q + 1, method="tv", delta=0.1).delta(0.0)
    for rows in (777, 1 << 20):
        path = write(tmp_path / f"{rows}.parquet", {"p": p, "q": q + 1}, rows)
        assert audit_scores(*open_scores([path]), method="tv", delta=0.1).delta(0.0) == expected


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "f4", "f2", "i4", "u8", "?"])
def test_arrays_of_two_axes_and_of_every_kind_of_number(tmp_path, order, dtype):
    table = np.asarray(np.random.default_rng(2).integers(0, 2, (70_000, 2)), dtype=dtype, order=order)
    np.save(tmp_path / "table.npy", table)
    np.save(tmp_path / "one.npy", table[:, 1].copy())
    p, q = open_scores([tmp_path / "table.npy"])
    one, other = open_scores([tmp_path / "one.npy", tmp_path / "table.npy"], ["1", "1"])
    for sample, column in ((p, 0), (q, 1), (one, 1), (other, 0)):
        assert (np.concatenate(list(sample.chunks())) == table[:, column].astype(float)).all()


GOOD = np.arange(100.0) % 7


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
@pytest.mark.parametrize("value, rule", [(np.nan, "row 78 must be finite"), (np.inf, "row 78 must be finite")])
def test_a_score_that_is_no_number_is_named_by_its_row(tmp_path, suffix, value, rule):
    bad = np.where(np.arange(100) == 77, value, GOOD)
    path = write(tmp_path / f"bad{suffix}", {"p": bad, "q": GOOD}, 30)
    with pytest.raises(InputError, match=rule):
        audit_scores(*open_scores([path]), delta=0.1)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_score_that_is_missing_is_named_by_its_row(tmp_path, suffix):
    values = pa.array([None if k == 41 else float(k % 7) for k in range(100)])
    path = write(tmp_path / f"bad{suffix}", {"p": values, "q": pa.array(GOOD)}, 30)
    with pytest.raises(InputError, match="row 42 must hold a number"):
        audit_scores(*open_scores([path]), delta=0.1)


OTHERS = {
    "text": pa.array(["1.5"] * 100),
    "days": pa.array(np.arange(100).astype("datetime64[D]")),
    "pairs": pa.array([[1.0, 2.0]] * 100),
    "named": pa.array([{"a": 1.0}] * 100),
    "exact": pa.array(range(100)).cast(pa.decimal128(20, 1)),
    "times": pa.array(range(100), pa.timestamp("ms", "UTC")),
    "hours": pa.array(range(100), pa.time32("s")),
    "spans": pa.array(range(100), pa.duration("s")),
    "words": pa.array(["1.5"] * 100).dictionary_encode(),
    "nothing": pa.nulls(100),
}
NUMBERS = (
    "bool_",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("name", OTHERS)
def test_a_column_of_something_else_is_refused(tmp_path, suffix, name):
    path = write(tmp_path / f"bad{suffix}", {"p": OTHERS[name], "q": pa.array(GOOD)})
    with pytest.raises(InputError, match="must be a column of floats, whole numbers or bits"):
        audit_scores(*open_scores([path]), delta=0.1)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("kind", NUMBERS)
def test_every_kind_of_number_is_read(tmp_path, suffix, kind):
    bits = pa.array([0, 1, 1, 0], pa.int8()).cast(getattr(pa, kind)())
    samples = open_scores([write(tmp_path / f"good{suffix}", {"p": bits, "q": bits})])
    assert [np.concatenate(list(sample.chunks())).tolist() for sample in samples] == [[0, 1, 1, 0]] * 2


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
def test_spoilt_files_are_refused_or_read_as_numbers(tmp_path, suffix):
    """Cut at many places, and with a byte exchanged: one line that names the file, or scores that are finite."""
    path = write(tmp_path / f"good{suffix}", {"p": GOOD, "q": GOOD[::-1].copy()}, 40, "zstd")
    whole, bad, rng, refused = path.read_bytes(), tmp_path / f"bad{suffix}", np.random.default_rng(3), 0
    spoilt = [whole[:size] for size in (0, 1, 6, 20, len(whole) // 2, len(whole) - 1)] + [b"1.5\n" * 20]
    if suffix == ".npy":
        spoilt.insert(0, whole.replace(b"}", b"[", 1))  # a header that never ends
    for place in rng.integers(0, len(whole), 60):
        spoilt.append(whole[:place] + bytes([whole[place] ^ rng.integers(1, 256)]) + whole[place + 1 :])
    for number, content in enumerate(spoilt):
        bad.write_bytes(content)
        try:
            for sample in open_scores([bad]):
                assert all(np.isfinite(chunk).all() for chunk in sample.chunks())
        except InputError as error:
            refused += 1
            assert str(error).isprintable() and len(str(error)) < 400 and "bad" in str(error)
        else:
            assert number >= 8
    assert refused > 20 or suffix == ".npy"


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
def test_a_file_exchanged_between_two_readings_is_noticed(tmp_path, suffix):
    path = write(tmp_path / f"p{suffix}", {"p": GOOD, "q": GOOD[::-1].copy()})
    p, q = open_scores([path])
    assert sum(chunk.size for sample in (p, q) for chunk in sample.chunks()) == 200
    write(path, {"p": np.where(np.arange(100) == 50, 9.0, GOOD), "q": GOOD[::-1].copy()})
    assert sum(chunk.size for chunk in q.chunks()) == 100
    with pytest.raises(InputError, match="changed while it was read"):
        list(p.chunks())


def test_columns_and_folders_that_leave_a_question_are_refused(tmp_path):
    three = write(tmp_path / "three.parquet", {"p": GOOD, "q": GOOD, "r": GOOD})
    mixed, unlike, empty = (tmp_path / name for name in ("mixed", "unlike", "empty"))
    for path in (mixed, unlike, empty):
        path.mkdir()
    write(mixed / "a.parquet", {"p": GOOD, "q": GOOD})
    write(mixed / "b.npy", {"p": GOOD, "q": GOOD})
    write(unlike / "a.parquet", {"p": GOOD, "q": GOOD})
    write(unlike / "b.parquet", {"q": GOOD, "p": GOOD})
    np.save(tmp_path / "cube.npy", np.zeros((4, 4, 4)))
    np.save(tmp_path / "objects.npy", np.array([None] * 10), allow_pickle=True)
    for paths, columns, rule in (
        ([three], None, "must have 2 where no column is chosen"),
        ([three], ["p", "s"], "is neither the name of a column"),
        ([three], ["p", "p"], "the same column"),
        ([mixed], None, "part files of one kind"),
        ([unlike], ["p", "q"], "must have the columns of a.parquet"),
        ([empty], None, "without part files"),
        ([tmp_path / "cube.npy"], None, "one axis, or two"),
        ([tmp_path / "objects.npy", three], ["1", "1"], "of plain numbers"),
    ):
        with pytest.raises(InputError, match=rule):
            open_scores(paths, columns)
    for name in ("none.parquet", "none.npy"):
        with pytest.raises(FileNotFoundError):
            open_scores([tmp_path / name])


def test_without_the_extra_its_name_is_said(tmp_path, monkeypatch, capsys):
    path = write(tmp_path / "both.parquet", {"p": GOOD, "q": GOOD})
    np.save(tmp_path / "both.npy", np.column_stack([GOOD, GOOD[::-1]]))
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert main(["audit", "scores", str(path), "--delta", "0.1"]) == 2
    assert "needs the extra `arrow`" in capsys.readouterr().err
    assert main(["audit", "scores", str(tmp_path / "both.npy"), "--delta", "0.1"]) == 0


def test_memory_does_not_grow_with_the_file(tmp_path):
    """One row group, or 2^16 rows a batch: a small part of the 16 MB of a column is held at any time."""
    rows, pool = 1 << 21, pa.default_memory_pool()
    values = np.random.default_rng(4).standard_normal(rows)
    for suffix in (".parquet", ".arrow"):
        path = write(tmp_path / f"long{suffix}", {"p": values, "q": -values}, rows if suffix == ".parquet" else 1 << 16)
        before, most = pa.total_allocated_bytes(), 0
        for chunk in open_scores([path])[0].chunks():
            most = max(most, pool.bytes_allocated() - before)
            assert chunk.size <= score_columns.ROWS
        assert most < 8 * rows // 4
