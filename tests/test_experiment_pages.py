"""Pages and pictures made of the records of experiments."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import dp_sgd_audit, find, names
from ndis_verify.experiments.output import sealed
from ndis_verify.experiments.pages import plain_table, read_records, summary_page
from ndis_verify.experiments.panels import by_method, method_panels
from ndis_verify.tables import markdown_table

ROWS = [
    {"data": data, "r": r, "method": method, "noise": noise, "error": error}
    for data, r in (("one", 10), ("two", 10), ("two", 100))
    for method, noise, error in (("a", 1.0, 0.5), ("b", None, 0.25), ("c", 4.0, 0.0))
]


def test_a_run_as_a_page(tmp_path, capsys):
    assert main(["experiment", "n24-fig7", "--output", str(tmp_path), "--markdown"]) == 0
    page, record = capsys.readouterr().out, json.loads((tmp_path / "n24-fig7.json").read_text())
    assert page.startswith(f"# {record['title']}\n\n{record['setting']}\n")
    assert (
        page.count("\n- holds: ") == len(record["findings"])
        and "`ndis-verify experiment n24-fig7 --markdown`, seed 0" in page
    )
    assert sum(line.startswith("|") for line in page.splitlines()) == len(record["rows"]) + 2
    assert f"| {record['rows'][0]['classical_std']:.6g} |" in page


def test_the_summary_is_that_of_the_records(tmp_path, capsys):
    assert main(["experiment", "n24-fig7", "--output", str(tmp_path / "quick")]) == 0
    record = json.loads((tmp_path / "quick" / "n24-fig7.json").read_text())
    (tmp_path / "full").mkdir()
    del record["sha256"]
    rows = [{**record["rows"][0], "rho_delta": 1.0}, *record["rows"][1:]]
    full = {**record, "size": "full", "seconds": 12.5, "rows": rows}  # and says that all findings hold
    (tmp_path / "full" / "n24-fig7.json").write_text(sealed(full))
    (tmp_path / "user.json").write_text(sealed({**record, "data": "mine"}))
    capsys.readouterr()
    assert main(["experiment", "--summary", str(tmp_path)]) == 0
    page = capsys.readouterr().out
    assert page == summary_page(read_records(tmp_path), [find(name) for name in names()])
    line = next(line for line in page.splitlines() if line.startswith("| [n24-fig7]"))
    assert "| N24-Fig7, N24-C5, SL-2 |" in line
    assert line.endswith(f"| 6 of 6, {record['seconds']:.3g} s | 5 of 6, 12.5 s |")
    assert page.count("not run |") == 2 * (len(names()) - 1)
    assert all(f"\n## {name}\n" in page for name in names())
    assert "| the slides' std reaches at most half of its delta | holds | FAILS |" in page
    assert main(["experiment", "n24-fig7", "--summary", str(tmp_path)]) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "must be the record"),
        ("[]", "must be the record"),
        ('{"experiment": "x"}', "must be the record"),
        ("", "must be the record"),
        (None, "must hold records"),
    ],
)
def test_a_summary_of_something_else(tmp_path, capsys, text, message):
    if text is not None:
        (tmp_path / "odd.json").write_text(text)
    assert main(["experiment", "--summary", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert message in error and (text is None or "odd.json" in error)
    assert main(["experiment", "--summary", str(tmp_path / "absent")]) == 2


def test_one_run_is_counted_once(tmp_path, capsys):
    assert main(["experiment", "n24-fig7", "--output", str(tmp_path)]) == 0
    record = tmp_path / "n24-fig7.json"
    (tmp_path / "b.json").write_bytes(record.read_bytes())
    assert main(["experiment", "--summary", str(tmp_path)]) == 2 and "twice" in capsys.readouterr().err


def test_no_flipped_byte_of_a_record_is_believed(tmp_path, monkeypatch):
    assert main(["experiment", "n24-fig7", "--output", str(tmp_path)]) == 0
    path = tmp_path / "n24-fig7.json"
    data, rng = path.read_bytes(), np.random.default_rng(5)
    (known,) = read_records(tmp_path)
    for place, change in zip(rng.integers(0, len(data), 500), rng.integers(1, 256, 500)):
        path.write_bytes(data[:place] + bytes([data[place] ^ int(change)]) + data[place + 1 :])
        with pytest.raises(InputError, match="must be the record"):
            read_records(tmp_path)
    path.write_bytes(data)
    assert read_records(tmp_path) == [known]
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="must be the record"):
        read_records(tmp_path)


def test_tables_escape_bars_and_fill_gaps():
    assert markdown_table(["x|y"], [["1|2"]]) == "| x\\|y |\n|---|\n| 1\\|2 |"
    assert plain_table([{"x": 1.5}, {"y": None, "x": "t"}]) == "| x | y |\n|---|---|\n| 1.5 |  |\n| t |  |"


def test_panels_show_every_group_and_leave_gaps_out():
    groups = by_method(ROWS, "data", "r")
    assert [list(group) for group in groups] == [["a", "b", "c"]] * 3
    figure = Figure()
    method_panels(ROWS, figure, ("data", "r"), {"noise": "Noise", "error": "Error"})
    left, right = figure.axes
    assert [line.get_label() for line in left.lines] == ["one, r = 10", "two, r = 10", "two, r = 100"]
    assert (left.get_yscale(), right.get_yscale()) == ("log", "linear") and (left.get_ylabel(), right.get_ylabel()) == (
        "Noise",
        "Error",
    )
    assert [len(line.get_ydata()) for line in left.lines + right.lines] == [2, 2, 2, 3, 3, 3]


@pytest.mark.parametrize("name", ["projection-noise", "n24-tab1", "n24-tab2"])
def test_pictures_of_methods(name):
    from ndis_verify.experiments import run

    experiment = find(name)
    small = replace(
        experiment,
        cells=lambda size, data: [
            {**cell, "runs": 2} for cell in experiment.cells(size, data) if cell["data"] == "diabetes"
        ],
    )
    figure = Figure()
    small.draw(run(small), figure)
    left, right = figure.axes
    assert (
        left.lines
        and right.lines
        and left.get_yscale() == ("linear" if name == "n24-tab2" else "log")
        and right.get_yscale() == "log"
    )


def test_a_histogram_of_losses_ends_where_its_last_bin_does():
    losses = [
        {"kind": "losses", "models": 9, "canary": "one", "from": k, "to": k + 1, "with": 2 + k, "without": 5 - k}
        for k in range(4)
    ]
    curve = [{"kind": "curve", "models": 9, "canary": "one", "alpha": a, "gdp": 1 - a} for a in (0.0, 0.5, 1.0)]
    figure = Figure()
    dp_sgd_audit._draw([*curve, *losses], figure)
    stairs = [patch.get_data() for axes in figure.axes for patch in axes.patches]
    assert [list(one.edges) for one in stairs] == [[0, 1, 2, 3, 4]] * 2
    assert [list(one.values) for one in stairs] == [[2, 3, 4, 5], [5, 4, 3, 2]]


def test_every_experiment_belongs_to_claims_of_the_ledger():
    from ndis_verify.claims.ledger import all_claims

    known = {claim.id for claim in all_claims()}
    assert all(set(find(name).claims) <= known for name in names())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("n24-tab1", "327,346"),
        ("n24-tab2", "Table IV where its text says Table II"),
        ("n24-tab3", "1.123"),
        ("n24-tab4", "other way round"),
        ("n24-fig6", "515,345"),
    ],
)
def test_what_the_printed_tables_contradict_is_named(name, words):
    assert words in find(name).setting and (name == "n24-fig6" or "N24-Tab-sizes" in find(name).claims)


def test_the_pages_of_the_documentation_have_every_experiment_and_mechanism():
    from ndis_verify.experiments.mechanism_sides import MECHANISMS
    from ndis_verify.experiments.mechanism_table import MORE_DATA, MORE_TARGETS, TARGETS
    from ndis_verify.experiments.mechanism_variants import MORE
    from ndis_verify.experiments.records import BUNDLED

    experiments, mechanisms = (
        Path(__file__).parents[1].joinpath("docs", f"{name}.md").read_text(encoding="utf-8")
        for name in ("experiments", "mechanisms")
    )
    assert "FAILS" not in experiments + mechanisms and "not run" not in experiments
    assert all(f"\n## {name}\n" in experiments and f"\n| [{name}](" in experiments for name in names())
    for mechanism in MECHANISMS | MORE:
        for data in BUNDLED + MORE_DATA:
            assert all(
                f"\n| {mechanism} | {data} | {epsilon:g}, {delta:g} | " in mechanisms
                for epsilon, delta in TARGETS + MORE_TARGETS
            )
