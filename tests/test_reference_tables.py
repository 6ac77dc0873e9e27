"""The reference tables: intact, valid, complete, right where recomputed; the build resumes and survives a
lost worker.
"""

import contextlib
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from ndis_verify.claims.ledger import all_claims
from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.reference import build as building
from ndis_verify.reference import check as checking
from ndis_verify.reference import exports, loader
from ndis_verify.reference.compute import RowError, ask, computed
from ndis_verify.reference.families import all_rows
from ndis_verify.reference.flags import FLAGS
from ndis_verify.reference.quantities import QUANTITIES
from ndis_verify.reference.rows import RowSpec, around, text

SCHEMA = json.loads((loader.FOLDER / "schema.json").read_text(encoding="utf-8"))
TABLES = {quantity: loader.read_table(loader.FOLDER / f"{quantity}.json") for quantity in loader.quantities()}
ROWS = [(quantity, row) for quantity, table in TABLES.items() for row in table["rows"]]


def small_families(rows: int = 3) -> dict[str, tuple[RowSpec, ...]]:
    return {
        quantity: specs[:rows]
        for quantity, specs in all_rows().items()
        if quantity in ("hockey_stick", "gaussian_hockey_stick")
    }


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(building, "all_rows", small_families)
    return small_families()


@pytest.mark.parametrize("quantity", sorted(TABLES))
def test_every_table_follows_the_schema_and_its_families(quantity):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(TABLES[quantity], SCHEMA, cls=jsonschema.Draft202012Validator)
    assert not checking._differences(quantity, all_rows()[quantity], TABLES[quantity]["rows"])


def test_the_tables_are_as_large_as_promised():
    assert set(TABLES) == set(all_rows()) == set(QUANTITIES)
    assert sum("value" in row for _, row in ROWS) >= 2500
    assert 150 <= sum(row.get("core", False) for _, row in ROWS) <= 250
    assert {flag for _, row in ROWS for flag in row["flags"]} == set(FLAGS)
    known = {claim.id for claim in all_claims()}
    assert {row["claim"] for _, row in ROWS} <= known


def test_values_have_forty_digits_and_a_certified_radius():
    for quantity, row in ROWS:
        if "value" in row:
            value, radius = abs(Fraction(row["value"])), Fraction(row["radius"])
            assert row["basis"] == "bound", (quantity, row["name"])
            assert radius <= value / 10**39, (quantity, row["name"])
            assert abs(Fraction(row["second"]) - Fraction(row["value"])) <= max(value / 10**24, 0)


def numbers(value):
    if isinstance(value, list):
        for entry in value:
            yield from numbers(entry)
    elif isinstance(value, str) and value not in ("delete", "insert"):
        yield value


def is_binary64(decimal):
    number = Fraction(decimal)
    return Fraction(float(number)) == number


def test_inputs_are_binary64_numbers_written_exactly():
    assert all(is_binary64(number) for _, row in ROWS for value in row["inputs"].values() for number in numbers(value))


def test_boundary_rows_come_in_triples_and_groups_have_company():
    groups = {}
    for quantity, row in ROWS:
        if "group" in row:
            groups.setdefault((quantity, row["group"]), []).append(row)
    for key, rows in groups.items():
        positions = [row.get("position") for row in rows]
        assert sorted(positions) == ["above", "at", "below"] if any(positions) else len(rows) >= 2, key


def test_invariant_groups_have_one_value_and_deletion_is_the_worse_direction():
    for quantity, row in ROWS:
        mates = [other for name, other in ROWS if name == quantity and other.get("group") == row.get("group")]
        if "invariance" in row["flags"] and quantity == "hockey_stick":
            assert len({Fraction(mate["value"]) for mate in mates}) == 1, row["name"]
        if quantity == "rp_hockey_stick" and row["name"].endswith("-delete") and row.get("group"):
            assert Fraction(row["value"]) >= min(Fraction(mate["value"]) for mate in mates)


def test_negative_epsilons_satisfy_the_identity():
    import mpmath

    rows = {
        row["name"]: row for quantity, row in ROWS if quantity == "hockey_stick" and "negative_epsilon" in row["flags"]
    }
    assert len(rows) == 40
    with mpmath.workdps(45):
        for name in (name for name in rows if name.endswith("plus")):
            plus, minus = rows[name], rows[name.replace("plus", "minus")]
            epsilon = mpmath.mpf(plus["inputs"]["epsilon"])
            expected = 1 - mpmath.exp(-epsilon) + mpmath.exp(-epsilon) * mpmath.mpf(plus["value"])
            assert abs(mpmath.mpf(minus["value"]) - expected) < mpmath.mpf(10) ** -38


def test_a_sample_is_right_at_a_higher_precision():
    assert checking.check(loader.FOLDER, sample=6, seed=3) == (6, [])


def test_a_changed_value_is_found_even_with_a_right_checksum(tmp_path, few, monkeypatch):
    monkeypatch.setattr(checking, "all_rows", small_families)
    building.build(tmp_path)
    table = loader.read_table(tmp_path / "gaussian_hockey_stick.json")
    row = table["rows"][1]
    digits = row["value"]
    row["value"] = digits[:-3] + str((int(digits[-3]) + 1) % 10) + digits[-2:]
    write_sealed(tmp_path, "gaussian_hockey_stick", table)
    count, findings = checking.check(tmp_path, sample=None)
    assert count == 6 and {finding.row for finding in findings} == {row["name"]}


def write_sealed(folder, quantity, table):
    """A table as it is, its checksum made right."""
    text = json.dumps(table | {"sha256": "0" * 64})
    (folder / f"{quantity}.json").write_text(loader.sealed(text), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"second": "0.5"}, "second route"),
        ({"radius": "0.1"}, "fewer than 39"),
        ({"core": True}, "differs from its family"),
        ({"claim": "N26-L9"}, "differs"),
        ({"flags": ["body"]}, "differs"),
        ({"name": "grid-999"}, "missing"),
    ],
)
def test_every_field_is_checked_even_with_a_right_checksum(tmp_path, monkeypatch, change, says):
    specs = {"gaussian_hockey_stick": all_rows()["gaussian_hockey_stick"][:2]}
    monkeypatch.setattr(checking, "all_rows", lambda: specs)
    table = loader.read_table(loader.FOLDER / "gaussian_hockey_stick.json")
    table["rows"] = table["rows"][:2]
    assert "core" not in table["rows"][1]
    table["rows"][1] |= change
    write_sealed(tmp_path, "gaussian_hockey_stick", table)
    _, findings = checking.check(tmp_path, sample=None)
    assert any(says in finding.problem for finding in findings)


def test_a_change_of_any_byte_is_caught(tmp_path):
    data = (loader.FOLDER / "rp_ridge.json").read_bytes()
    marks = {
        name: data.index(name)
        for name in (
            b'"format"',
            b'"schema"',
            b'"quantity"',
            b'"ndis_verify"',
            b'"sha256"',
            b'"value"',
            b'"radius"',
            b'"flags"',
        )
    }
    inside = [place for start in marks.values() for place in range(start, start + 80)]
    path = tmp_path / "rp_ridge.json"
    for place in sorted({*inside, *range(0, len(data), 37), len(data) - 1}):
        path.write_bytes(data[:place] + bytes([data[place] ^ (1 << place % 8)]) + data[place + 1 :])
        with pytest.raises(loader.TableError, match="rp_ridge"):
            loader.load("rp_ridge", tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data + b"\n",
        lambda data: data.replace(b", ", b",\t", 1),
        lambda data: data.replace(b'"core": true', b'"core":  true', 1),
        lambda data: data[:-200],
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b'"name"', b'"n\\u0061me"', 1),
    ],
)
def test_a_change_that_means_the_same_is_caught(tmp_path, change):
    (tmp_path / "rp_ridge.json").write_bytes(change((loader.FOLDER / "rp_ridge.json").read_bytes()))
    with pytest.raises(loader.TableError, match="rp_ridge"):
        loader.load("rp_ridge", tmp_path)


def test_a_table_under_another_name_is_refused(tmp_path):
    shutil.copy(loader.FOLDER / "rp_ridge.json", tmp_path / "rp_leverage.json")
    with pytest.raises(loader.TableError, match="is a table of rp_ridge"):
        loader.load("rp_leverage", tmp_path)


@pytest.mark.parametrize(
    "row",
    [
        3,
        {},
        {"name": 7},
        {"value": None},
        {"value": "1e99999999"},
        {"value": "1" * 5000},
        {"value": "nan"},
        {"radius": "1/3"},
        {"inputs": []},
        {"inputs": {"epsilon": "1e999999999"}},
        {"inputs": {"cov_p": [[["1"]]]}},
        {"inputs": {"epsilon": None}},
        {"flags": "body"},
        {"claim": 1},
        {"error": "std"},
        {"error": {}},
    ],
)
def test_a_row_that_is_none_is_refused_even_with_a_right_checksum(tmp_path, row):
    table = loader.read_table(loader.FOLDER / "rp_ridge.json")
    good = {name: value for name, value in table["rows"][0].items() if name != "error"}
    assert "value" in good
    table["rows"] = [good | row if row else row] if isinstance(row, dict) else [row]
    write_sealed(tmp_path, "rp_ridge", table)
    with pytest.raises(loader.TableError, match="rp_ridge.json"):
        loader.load("rp_ridge", tmp_path)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{", '{"rows": 3}', '{"format": "9.0", "rows": []}', '{"format": "1.0", "rows": [1.5]}', "[" * 100_000],
)
def test_what_is_no_table_is_refused(tmp_path, content):
    (tmp_path / "rp_leverage.json").write_text(content)
    with pytest.raises(loader.TableError, match="rp_leverage.json"):
        loader.load("rp_leverage", tmp_path)


def test_the_build_repeats_byte_for_byte_and_resumes(tmp_path, few):
    first, second = tmp_path / "first", tmp_path / "second"
    building.build(first)

    def stop(done, total, label):
        if done == 4 and label:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        building.build(second, progress=stop)
    journal = second / building.JOURNAL
    assert not list(second.glob("*.json")) and len(journal.read_text().splitlines()) == 5
    journal.write_text(journal.read_text()[:-20])  # the machine went away in the middle of a line
    seen = []
    building.build(second, jobs=2, progress=lambda done, total, label: seen.append(done))
    assert seen[0] == 3 and not journal.exists()
    for name in few:
        assert (first / f"{name}.json").read_bytes() == (second / f"{name}.json").read_bytes()


def test_a_build_that_is_killed_at_any_moment_resumes_and_leaves_no_process(tmp_path, monkeypatch):
    whole, cut, quantity = tmp_path / "whole", tmp_path / "cut", "gaussian_hockey_stick"
    monkeypatch.setattr(building, "all_rows", lambda: {quantity: all_rows()[quantity][:6]})
    building.build(whole)
    code = (
        "import sys, pathlib\n"
        "from ndis_verify.reference import build, families\n"
        "build.all_rows = lambda: {sys.argv[1]: families.all_rows()[sys.argv[1]][:6]}\n"
        "build.build(pathlib.Path(sys.argv[2]), jobs=2)\n"
    )
    journal = cut / building.JOURNAL
    for wanted in (2, 4):  # lines, the header among them
        child = subprocess.Popen([sys.executable, "-c", code, quantity, str(cut)])
        while child.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") >= wanted):
            time.sleep(0.001)
        workers = children(child.pid)
        child.kill()
        child.wait()
        until = time.monotonic() + 20
        while any(os.path.exists(f"/proc/{worker}") for worker in workers):
            assert time.monotonic() < until, "a worker outlived its parent"
            time.sleep(0.05)
    building.build(cut)
    assert (whole / f"{quantity}.json").read_bytes() == (cut / f"{quantity}.json").read_bytes()


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(child) for child in task.read_text().split()]
    return found


def test_a_build_keeps_what_the_same_engines_computed(tmp_path, few, monkeypatch):
    building.build(tmp_path)
    before = {name: (tmp_path / f"{name}.json").read_bytes() for name in few}
    monkeypatch.setattr(building, "computed", lambda row: pytest.fail("computed again"))
    building.build(tmp_path)
    assert before == {name: (tmp_path / f"{name}.json").read_bytes() for name in few}
    monkeypatch.setattr(building, "made_with", lambda: {"mpmath": "0"})
    for options in ({}, {"anew": True}):
        with pytest.raises(pytest.fail.Exception, match="computed again"):
            building.build(tmp_path, **options)


def test_a_cluster_that_loses_a_worker_loses_no_row_and_doubles_none(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(building, "all_rows", lambda: small_families(8))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        killed = []

        def kill(done, total, label):
            if done == 3 and not killed:
                killed.append(cluster.workers[0].pid)
                os.kill(killed[0], signal.SIGKILL)

        sizes = building.build(tmp_path / "cluster", scheduler=cluster.scheduler_address, progress=kill)
    assert killed and sizes == {"hockey_stick": 8, "gaussian_hockey_stick": 8}
    building.build(tmp_path / "alone")
    for name in sizes:
        assert (tmp_path / "cluster" / f"{name}.json").read_bytes() == (
            tmp_path / "alone" / f"{name}.json"
        ).read_bytes()


def test_a_row_that_cannot_be_settled_stops_the_build_with_its_name():
    good = all_rows()["hockey_stick"][0]
    with pytest.raises(RowError, match="hockey_stick/refuse-me: epsilon is not refused"):
        computed(RowSpec("hockey_stick", "refuse-me", good.inputs, ("refusal",), "N26-L1", refusal="epsilon"))
    with pytest.raises(RowError, match="certified"):
        computed(RowSpec("hockey_stick", "invalid", good.inputs | {"cov_p": ["-1"]}, ("refusal",), "N26-L1"))


def test_unknown_names_are_usage_errors(tmp_path, capsys):
    with pytest.raises(InputError, match="no_such_quantity"):
        building.build(tmp_path, ["no_such_quantity"])
    assert main(["reference", "show", "no_such_quantity"]) == 2
    assert main(["reference", "show", "hockey_stick/no-such-row"]) == 2
    assert main(["reference", "query", "hockey_stick", "epsilon"]) == 2
    assert main(["reference", "query", "gaussian_std", "sensitivity=1", "epsilon=1", "delta=2"]) == 2
    assert "delta" in capsys.readouterr().err


_UNIT = ("mean_q=[0]", "cov_q=1")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["no_such", "x=1"], 2, "quantity: unknown quantity"),
        (["gaussian_std", "sensitivity=1", "epsilon=1"], 2, "delta: missing"),
        (["gaussian_std", "sensitivity=1", "epsilon=1", "epsilon=2", "delta=0.1"], 2, "epsilon = 2: is given twice"),
        (["gaussian_std", "sensitivity=nan", "epsilon=1", "delta=0.1"], 2, "sensitivity = nan: must be a finite"),
        (["gaussian_std", "sensitivity=1e999999999", "epsilon=1", "delta=0.1"], 2, "exponent"),
        (
            ["gaussian_std", "sensitivity=1", "epsilon=1", "delta=0.1", "--digits", "100000"],
            2,
            "digits: must be between",
        ),
        (["hockey_stick", "mean_p=[]", "cov_p=1", *_UNIT, "epsilon=1"], 2, "mean_p = []"),
        (["hockey_stick", 'mean_p=["1"', "cov_p=1", *_UNIT, "epsilon=1"], 2, "is not a JSON list"),
        (["hockey_stick", "mean_p=" + "[" * 50_000, "cov_p=1", *_UNIT, "epsilon=1"], 2, "is not a JSON list"),
        (["hockey_stick", "mean_p=[null]", "cov_p=1", *_UNIT, "epsilon=1"], 2, "mean_p: must be a number"),
        (["hockey_stick", "mean_p=[1]", "cov_p=-1", *_UNIT, "epsilon=1"], 2, "cov_p = -1.0: must be positive definite"),
        (["hockey_stick", "mean_p=[1]", "cov_p=[[1,2],[2,1]]", *_UNIT, "epsilon=1"], 2, "cov_p = "),
        (["hockey_stick", "mean_p=[1]", "cov_p=1", *_UNIT, "epsilon=1e300"], 2, "epsilon: must be at most 1e20"),
        (["hockey_stick", "mean_p=[1]", "cov_p=1", *_UNIT, "epsilon=1e20"], 3, "ask for its logarithm"),
        (["rp_leverage", "r=1.5", "epsilon=1", "delta=0.1"], 2, "r: must be a positive integer"),
        (["rp_hockey_stick", "leverage=0.5", "r=9", "epsilon=1", "direction=up"], 2, "direction: must be"),
    ],
)
def test_an_absurd_query_gets_a_clear_error(capsys, words, code, says):
    assert main(["reference", "query", *words]) == code
    error = capsys.readouterr().err
    assert says in error and error.startswith("ndis-verify: ") and len(error) < 400


def test_query_gives_a_certified_value_on_demand(capsys):
    assert (
        main(
            [
                "reference",
                "query",
                "hockey_stick",
                'mean_p=["0.5"]',
                'cov_p=["2"]',
                'mean_q=["0"]',
                "cov_q=1",
                "epsilon=1",
                "--digits",
                "30",
                "--json",
            ]
        )
        == 0
    )
    answer = json.loads(capsys.readouterr().out)
    assert answer["value"] == "0.0861509684526509859978810791809" and answer["basis"] == "bound"


def test_a_folder_with_a_broken_table_is_a_usage_error(tmp_path, capsys):
    (tmp_path / "rp_ridge.json").write_text("{}", encoding="utf-8")
    for words in (["reference", "export", "csv"], ["reference", "show", "rp_ridge"], ["conform"], ["check-adapter"]):
        tail = ["--", sys.executable] if words[0] != "reference" else []
        assert main([*words, "--tables", str(tmp_path), *tail]) == 2
        assert "rp_ridge.json" in capsys.readouterr().err
    assert main(["reference", "check", "--tables", str(tmp_path)]) == 1


def test_the_header_is_c_and_compiles_where_a_compiler_is(tmp_path):
    header = exports.export("header", loader.FOLDER, core=True)
    assert (
        header.count("{") == header.count("}")
        and "[] = {}" not in header
        and "nan" not in header
        and "inf" not in header
    )
    (tmp_path / "reference.h").write_text(header, encoding="utf-8")
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "reference.h"\nint main(void) { printf("%a %d", ndis_rp_ridge[0].value,'
        " ndis_rp_ridge[0].sizes[0]); return 0; }\n"
    )
    first = loader.load("rp_ridge", core=True)[0]
    for name, language in (("cc", "c"), ("c++", "c++")):
        if compiler := shutil.which(name):
            subprocess.run(
                [compiler, "-x", language, "-Wall", "-Werror", "-Wno-unused-variable", "-o", "main", "main.c"],
                cwd=tmp_path,
                check=True,
            )
            printed, size = subprocess.run(
                [tmp_path / "main"], capture_output=True, text=True, check=True
            ).stdout.split()
            assert float.fromhex(printed) == float(Fraction(first["value"])) and size == "1"


def test_fifty_certified_digits_in_sixteen_dimensions_take_well_under_a_second():
    rows = [
        row["inputs"]
        for quantity, row in ROWS
        if quantity == "hockey_stick" and "value" in row and len(row["inputs"]["mean_p"]) == 16
    ]
    assert len(rows) >= 3
    began = time.process_time()
    for inputs in rows[:3]:
        answer = ask({"id": 0, "quantity": "hockey_stick", "inputs": inputs, "digits": 50}, "certified")
        assert answer["basis"] == "bound" and Fraction(answer["radius"]) <= Fraction(answer["value"]) / 10**49
    assert time.process_time() - began < 1.5


def test_the_loader_needs_only_the_standard_library(tmp_path):
    shutil.copy(loader.__file__, tmp_path / "loader.py")
    (tmp_path / "tables").mkdir()
    shutil.copy(loader.FOLDER / "rp_leverage.json", tmp_path / "tables")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import loader; print(len(loader.load('rp_leverage')))"
    output = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(output) == len(TABLES["rp_leverage"]["rows"])


def test_exports_hold_every_row():
    rows = list(csv.DictReader(io.StringIO(exports.export("csv", loader.FOLDER))))
    assert [(row["quantity"], row["name"]) for row in rows] == [(quantity, row["name"]) for quantity, row in ROWS]
    header = exports.export("header", loader.FOLDER, core=True)
    core = [row for _, row in ROWS if row.get("core")]
    entries = re.findall(r'^  \{"([^"]+)", \w+, \w+, (\S+), (-?\d+)\},$', header, re.M)
    assert [name for name, _, _ in entries] == [row["name"] for row in core]
    for (_, value, refused), row in zip(entries, core):
        assert float.fromhex(value) == float(Fraction(row.get("value", "0"))) and (int(refused) >= 0) == (
            "error" in row
        )
    page = exports.export("text", loader.FOLDER, core=True)
    assert page.count("an instance of") == len(core)


def test_exact_decimals():
    assert (
        text(Fraction(1, 8)) == "0.125"
        and text(0.1).startswith("0.1000000000000000055511")
        and text([1, [2.5]]) == ["1", ["2.5"]]
    )
    assert not is_binary64("0.1") and is_binary64("0.5")
    assert around(1.0) == (1 - 2**-53, 1.0, 1 + 2**-52)
    with pytest.raises(ValueError):
        text(Fraction(1, 3))
