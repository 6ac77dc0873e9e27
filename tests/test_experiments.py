"""Experiments: the framework that runs them, CSV records, the command, and the graph denoisers that one of
them needs.
"""

import itertools
import json
import math
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import Experiment, Finding, find, names, read_table, run
from ndis_verify.experiments.framework import generator, run_journal
from ndis_verify.experiments.road_graph import road_graph, signal, spread, wavelets
from ndis_verify.mechanisms.graph_denoising import (
    Graph,
    tree_wavelet,
    trend_filter,
    trend_filter_by_risk,
    wavelet_threshold,
)
from ndis_verify.runs.journal import Journal


def _experiment(measured=None, data="none"):
    def measure(cell, rng, table):
        if measured is not None:
            measured.append(cell["k"])
        if measured == [0, 1, 2]:
            raise KeyboardInterrupt
        total = float(table.records.sum()) if table else 0.0
        return [{"k": cell["k"], "draw": rng.standard_normal(), "total": np.float64(total)}]

    return Experiment(
        "toy",
        "A toy",
        ("X",),
        "none",
        lambda size, table: [{"k": k} for k in range(4 if size == "quick" else 6)],
        measure,
        lambda rows: [Finding("four rows", len(rows) == 4, {"rows": len(rows)})],
        data=data,
    )


def test_rows_depend_on_the_seed_and_the_cell_alone():
    first, again = run(_experiment(), seed=3), run(_experiment(), seed=3)
    assert first == again and [row["k"] for row in first] == [0, 1, 2, 3]
    assert run(_experiment(), "full", 3)[:4] == first
    assert len({row["draw"] for row in first + run(_experiment(), seed=4)}) == 8
    assert generator("toy", 3, "a").integers(1 << 60) != generator("boy", 3, "a").integers(1 << 60)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    path, measured = tmp_path / "toy.jsonl", []
    toy = _experiment(measured)
    with pytest.raises(KeyboardInterrupt), run_journal(path, toy, "quick", 3, None) as journal:
        run(toy, seed=3, journal=journal)
    measured.clear()
    with run_journal(path, toy, "quick", 3, None) as resumed:
        assert resumed.resumed == 2
        assert run(toy, seed=3, journal=resumed) == run(_experiment(), seed=3) and measured == [2, 3]
        resumed.kept = True
    with run_journal(path, toy, "quick", 4, None) as other:
        assert other.resumed == 0
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [(("tiny",), "size"), (("quick", -1), "seed"), (("quick", True), "seed"), (("quick", 0, "table"), "data")],
)
def test_a_run_names_what_is_wrong(arguments, argument, tmp_path):
    (tmp_path / "t.csv").write_text("1,2\n")
    arguments = [read_table(tmp_path / "t.csv") if value == "table" else value for value in arguments]
    with pytest.raises(InputError, match=argument):
        run(_experiment(), *arguments)
    with pytest.raises(InputError, match="target"):
        run(_experiment(data="records and target"), "quick", 0, read_table(tmp_path / "t.csv"))
    assert run(_experiment(data="records"), data=read_table(tmp_path / "t.csv"))[0]["total"] == 3.0


def test_rows_hold_json_values_only():
    for value in (math.nan, math.inf, object(), np.zeros(2)):
        odd = Experiment(
            "odd", "", (), "", lambda size, data: [{}], lambda cell, rng, data, v=value: [{"x": v}], lambda rows: []
        )
        with pytest.raises((ValueError, TypeError)):
            run(odd)


def test_csv_with_and_without_header(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('age,"net pay",y\r\n1,2e1,3\r\n\r\n-4,.5,6\r\n', encoding="utf-8-sig")
    table = read_table(path, "net pay")
    assert (
        table.records.tolist() == [[1, 3], [-4, 6]]
        and table.target.tolist() == [20, 0.5]
        and table.columns == ("age", "y")
    )
    assert read_table(path, "3").target.tolist() == [3, 6] and read_table(path).target is None
    assert read_table(path).fingerprint() != table.fingerprint() == read_table(path, "2").fingerprint()
    path.write_text("1,2\n3,4")
    assert read_table(path).records.tolist() == [[1, 2], [3, 4]] and read_table(path, "1").records.tolist() == [
        [2],
        [4],
    ]


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("a,b\n1,2\n3\n", None, "line 3.*must have 2 fields"),
        ("a,b\n1,x\n", None, "'x' in .*line 2.*must be a number"),
        ("1,2\n3,nan\n", None, "line 2.*finite"),
        ("1,1_0\n", None, "line 1.*plain decimal"),
        ("a,b\n", None, "line of numbers"),
        ("", None, "line of numbers"),
        ('1,"2\n', None, "comma-separated|number"),
        ("a,b\n1,2\n", "c", "target.*must be one of a, b"),
        ("1,2\n", "3", "position from 1 to 2"),
        ("a,a\n1,2\n", "a", "two columns"),
        ("a\n1\n", "a", "column besides"),
        ("1,2\n3,__import__('os')\n", None, "must be a number"),
        ("a;b\n1;2\n", None, "bad.csv, line 1.*separated by commas, not by semicolons"),
        ("1\t2\n", None, "line 1.*or tabs"),
        ("a,b\n1,2\n3,\n", None, r"'' in bad.csv, line 3, column 2 \(b\).*missing values"),
        ("1,,2\n3,4,5\n", None, "'' in bad.csv, line 1, column 2: must be a number.*no header"),
        ("1,red\n3,4\n", None, "'red' in bad.csv, line 1, column 2: must be a number.*no header"),
        (",b\n0,1\n1,1e999\n", None, r"line 3, column 2 \(b\).*finite"),
        ("1,\0\n", None, "zero byte"),
        ("1," + "2" * 2_000_000, None, "characters"),
    ],
)
def test_csv_errors_name_the_line(tmp_path, text, target, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_table(path, target)


def test_csv_that_is_not_text(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"1,2\n\xff\xfe,3\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_table(tmp_path / "x.csv")
    with pytest.raises(OSError, match="absent"):
        read_table(tmp_path / "absent.csv")


def test_the_command_writes_json_and_a_picture(tmp_path, capsys):
    assert main(["experiment", "bw-fig1-variance", "--output", str(tmp_path), "--seed", "5"]) == 0
    text = capsys.readouterr().out
    assert "holds" in text and "FAILS" not in text
    record = json.loads((tmp_path / "bw-fig1-variance.json").read_text())
    assert (
        0 <= record["seconds"] < 60 and record["seed"] == 5 and record["size"] == "quick" and len(record["rows"]) == 72
    )
    assert all(finding["holds"] for finding in record["findings"])
    assert (tmp_path / "bw-fig1-variance.png").stat().st_size > 5000 and len(list(tmp_path.iterdir())) == 2
    assert main(["experiment", "bw-fig1-variance", "--output", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == record["rows"]


@pytest.mark.parametrize(
    "arguments",
    [["no-such"], ["bw-fig2", "--target", "x"], ["bw-fig2", "--data", "x.csv"], ["bw-fig2", "--seed", "-1"]],
)
def test_the_command_refuses_with_the_usage_code(arguments, tmp_path, capsys):
    assert main(["experiment", *arguments, "--output", str(tmp_path / "out")]) == 2
    assert "must be" in (error := capsys.readouterr().err) or "is not" in error
    assert not (tmp_path / "out").exists()


def test_the_command_lists_every_experiment(capsys):
    assert main(["experiment"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(names())
    for name in names():
        experiment = find(name)
        assert experiment.name == name and experiment.claims and experiment.title and experiment.setting


@pytest.mark.parametrize("name", ["n24-fig7", "bw-b-histograms"])
def test_findings_hold_and_see_a_reversed_row(name):
    experiment = find(name)
    rows = run(experiment)
    assert all(finding.holds for finding in experiment.findings(rows))
    flag = "classical_delta" if name == "n24-fig7" else "rmse"
    other = {"n24-fig7": "claimed_over_true", "bw-b-histograms": "rmse"}[name]
    bad = [dict(row) for row in rows]
    bad[0][other] = 0.5 * min(row[other] for row in rows) if flag == "classical_delta" else 1e-9
    assert not all(finding.holds for finding in experiment.findings(bad))


def test_every_delta_that_a_finding_names_is_looked_at():
    """bw-fig1-variance: "for delta >= 1e-5" has the rows at 1e-5 in it, and none below."""
    experiment = find("bw-fig1-variance")
    rows = run(experiment)
    for delta in {row["delta"] for row in rows}:
        bad = [dict(row, variance_ratio=1.4) if row["delta"] == delta else row for row in rows]
        (third,) = (finding for finding in experiment.findings(bad) if "at least a third" in finding.statement)
        assert third.holds == (delta < 1e-5)


def test_road_graph_has_the_printed_size():
    graph = road_graph()
    assert (graph.nodes, len(graph.edges)) == (3784, 7070)
    assert len({tuple(sorted(edge)) for edge in graph.edges.tolist()}) == 7070
    steps = {abs(a - b) for a, b in graph.edges.tolist()}
    assert steps == {1, 86}  # along a street or across: planar, no crossings
    trips = np.zeros(3784)
    trips[100] = 5.0
    assert spread(trips).sum() == pytest.approx(5.0) and np.linalg.norm(spread(trips)) < 5.0
    for name in ("smooth", "districts", "scattered"):
        assert signal(name, np.random.default_rng(1)).sum() == pytest.approx(100_000)


def test_tree_wavelets_are_an_orthonormal_basis():
    rng = np.random.default_rng(2)
    small = Graph(7, np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [0, 6], [1, 5]]))
    basis = tree_wavelet(small, rng)
    matrix = np.array([basis.transform(unit) for unit in np.eye(7)])
    assert matrix @ matrix.T == pytest.approx(np.eye(7)) and basis.inverse(
        basis.transform(np.arange(7.0))
    ) == pytest.approx(np.arange(7))
    y = rng.standard_normal(3784)
    coefficients = wavelets().transform(y)
    assert wavelets().inverse(coefficients) == pytest.approx(y) and (coefficients**2).sum() == pytest.approx(
        (y**2).sum()
    )
    assert wavelet_threshold(np.full(3784, 7.0), 1.0, wavelets()) == pytest.approx(np.full(3784, 7.0))


@pytest.mark.parametrize("order", [0, 1])
def test_trend_filter_meets_the_optimality_conditions(order):
    """y - x = K^T u with |u| <= penalty and u = penalty sign(Kx) where Kx is not 0: solved as a bounded least
    squares.
    """
    from scipy.optimize import lsq_linear

    rng = np.random.default_rng(order)
    graph = Graph(12, np.array([[k, k + 1] for k in range(11)] + [[0, 11], [3, 8]]))
    operator = (graph.laplacian() if order else graph.incidence()).toarray()
    y = np.repeat([0.0, 4.0, 1.0], 4) + rng.standard_normal(12)
    for penalty in (0.1, 0.7, 3.0):
        exact = y - operator.T @ lsq_linear(operator.T, y, bounds=(-penalty, penalty), tol=1e-13).x
        fit = trend_filter(y, graph, penalty, order, tolerance=1e-9)
        assert fit.values == pytest.approx(exact, abs=1e-3) and 0 <= fit.gap < 1e-9
        kinks = np.abs(operator @ exact) > 1e-6
        if order == 0:
            pieces = 1 + sum(abs(a - b) > 1e-6 for a, b in itertools.pairwise(exact))
            assert fit.freedom <= pieces
        else:
            assert fit.freedom == max(kinks.sum(), 1)
    assert trend_filter(y, graph, 1e4, order).values == pytest.approx(np.full(12, y.mean()), abs=0.05)
    assert trend_filter_by_risk(y, 1.0, graph, order).penalty <= 32.0
    for level in (0.0, 7.0, 1e-200, -1e100):
        assert trend_filter(np.full(12, level), graph, 1.0, order).values == pytest.approx(np.full(12, level))


@pytest.mark.parametrize("edges", [[[0, 1]], [[0, 1], [1, 1], [1, 2]], [[0, 1], [1, 3]], [0, 1], [[0.5, 1.0]]])
def test_graphs_are_checked(edges):
    with pytest.raises(InputError, match="edges"):
        Graph(3, np.array(edges))
    with pytest.raises(InputError, match="order"):
        trend_filter(np.zeros(2), Graph(2, np.array([[0, 1]])), 1.0, order=2)
    with pytest.raises(InputError, match="y"):
        trend_filter(np.zeros(3), Graph(2, np.array([[0, 1]])), 1.0)


def test_without_matplotlib_there_is_no_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["experiment", "bw-fig1-variance", "--output", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [
        "bw-fig1-variance.json"
    ] and ".png" not in capsys.readouterr().out


def test_an_interrupted_command_keeps_its_cells(tmp_path, monkeypatch, capsys):
    whole = tmp_path / "whole"
    assert main(["experiment", "n24-fig7", "--output", str(whole), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    append = Journal.append

    def interrupted(journal, key, content):
        append(journal, key, content)
        raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "append", interrupted)
    assert main(["experiment", "n24-fig7", "--output", str(tmp_path)]) == 130
    assert "1 cells are kept" in capsys.readouterr().err and (tmp_path / "n24-fig7.journal.jsonl").exists()
    monkeypatch.setattr(Journal, "append", append)
    assert main(["experiment", "n24-fig7", "--output", str(tmp_path), "--json"]) == 0
    answer = capsys.readouterr()
    assert "going on after 1 finished cells" in answer.err and json.loads(answer.out)["rows"] == rows
    assert not (tmp_path / "n24-fig7.journal.jsonl").exists()


def test_a_user_table_stands_in_for_the_bundled_records(tmp_path, capsys):
    rng = np.random.default_rng(6)
    text = "height,weight,y\n" + "\n".join(",".join(map(repr, row)) for row in rng.normal(size=(50, 3)).tolist())
    (tmp_path / "mine.csv").write_text(text)
    command = [
        "experiment",
        "projection-noise",
        "--data",
        str(tmp_path / "mine.csv"),
        "--output",
        str(tmp_path),
        "--json",
    ]
    assert main([*command, "--target", "height"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["data"] == "mine" and {(row["n"], row["d"]) for row in record["rows"]} == {(50, 3)}
    assert main([*command, "--target", "age"]) == 2 and "height, weight, y" in capsys.readouterr().err
    (tmp_path / "mine.csv").write_text("1\n2\n")
    assert main(command) == 2 and "must have at least 2" in capsys.readouterr().err


SMALL = {
    "bw-fig1-mean": [{"epsilon": epsilon, "d": d, "repetitions": 8} for epsilon in (0.01, 1.0) for d in (10, 1000)],
    "n26-fig2": [{"r": 10, "points": 3}, {"r": 1000, "points": 3}],
    "bw-fig2": [{"signal": name, "epsilon": 1.0, "repetition": 0} for name in ("smooth", "scattered")],
}


@pytest.mark.parametrize("name", SMALL)
def test_findings_hold_on_a_small_grid(name):
    small = replace(find(name), cells=lambda size, data: SMALL[name])
    rows = run(small, seed=1)
    assert all(finding.holds for finding in small.findings(rows)), [
        f.statement for f in small.findings(rows) if not f.holds
    ]
    if name != "bw-fig2":
        from matplotlib.figure import Figure

        figure = Figure()
        small.draw(rows, figure)
        assert len(figure.axes) == 2 and all(axes.lines for axes in figure.axes)


def test_the_mechanism_table_on_a_users_records(tmp_path):
    """Small records, without the two long calibrations: the findings hold, an exceeded target and a printed noise below
    ours are seen.
    """
    from ndis_verify.experiments.mechanism_table import markdown, shown

    rng = np.random.default_rng(8)
    lines = [",".join(map(repr, row)) for row in rng.normal(size=(40, 4)).tolist()]
    (tmp_path / "mine.csv").write_text("a,b,c,y\n" + "\n".join(lines) + "\n")
    experiment, table = find("mechanism-table"), read_table(tmp_path / "mine.csv", "y")
    cells = [{**cell, "runs": 2} for cell in experiment.cells("quick", table)]
    assert len(cells) == 50 and len({cell["mechanism"] for cell in cells}) == 25
    long = (
        "sketched least squares",
        "relative least squares",
        "relative sketched least squares",
        "random projection by Blocki et al.",
    )
    cells = [cell for cell in cells if cell["epsilon"] == 1.0 and cell["mechanism"] not in long]
    rows = run(replace(experiment, cells=lambda size, data: cells), seed=2, data=table)
    assert [row["mechanism"] for row in rows] == [cell["mechanism"] for cell in cells] and len(rows) == 21
    assert all(math.isfinite(row[f"{side}_utility"]) for row in rows for side in ("printed", "ours"))
    unsafe = {"logistic regression, uncorrected", "Gaussian process, uncorrected", "least squares, corner"}
    assert {row["mechanism"] for row in rows if row["printed_unsafe"]} == unsafe
    assert all(finding.holds for finding in experiment.findings(rows))
    page = markdown([{**rows[0], "printed_delta": "2e-5"}, *rows[1:]])
    assert page.count("\n") == 22 and page.count("**misses**") == 2 and page.count(" unproved |") == 2
    for change in (
        {"ours_delta": "1.001e-5"},
        {"ours_delta": "9.9e-6"},
        {"printed_noise": 1e-3, "printed_delta": "1e-6"},
    ):
        assert not all(finding.holds for finding in experiment.findings([{**rows[0], **change}, *rows[1:]]))
    assert (
        shown(Fraction(1, 3)) == "333333333334e-12"
        and shown(Fraction(1, 10**5)) == "100000000000e-16"
        and shown(Fraction(0)) == "0"
    )
    assert shown(Fraction(1, 10**20000)) == "1e-9999"
    assert Fraction(shown(Fraction(2, 7 * 10**2000))) >= Fraction(2, 7 * 10**2000)


def test_how_often_a_tested_ridge_is_smaller(tmp_path):
    lines = [",".join(map(repr, row)) for row in np.random.default_rng(8).normal(size=(40, 3)).tolist()]
    (tmp_path / "mine.csv").write_text("a,b,c\n" + "\n".join(lines) + "\n")
    experiment = find("N26-P5")
    rows = run(experiment, data=read_table(tmp_path / "mine.csv"))
    assert len(rows) == 10 and all(finding.holds for finding in experiment.findings(rows))
    assert {row["smaller"] > 0.5 for row in rows} == {True, False} and all(row["tested_over_l2"] >= 0 for row in rows)
    for k, change in ((2, {"smaller": 0.6}), (2, {"probability": 0.45}), (0, {"smaller": 0.7, "probability": 0.7})):
        assert not all(
            finding.holds
            for finding in experiment.findings([{**row, **change} if i == k else row for i, row in enumerate(rows)])
        )


@pytest.mark.parametrize(
    "name, found",
    [("N24-TabIV", "n24-tab4"), ("BW-B", "bw-b-histograms"), ("N26-Fig2", "n26-fig2"), ("n24-tab1", "n24-tab1")],
)
def test_the_sources_own_names_are_understood(name, found):
    assert find(name).name == found


@pytest.mark.parametrize("name", ["", "n24", "BW-Fig1", "N24-TabV", "mechanisms"])
def test_what_names_no_experiment_or_several_is_refused(name):
    with pytest.raises(InputError, match="is not an experiment"):
        find(name)
