"""Notebooks are articles; every claim of the ledger stands in one; what they show is of the ledger."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ndis_verify import oracle
from ndis_verify.claim import Verdict
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.exact_number import InputError
from ndis_verify.report import articles
from ndis_verify.report.articles import STYLE, also, check, legible, numbers, proof, verdicts
from ndis_verify.symbolic import mean_shift

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def shown(notebook):
    """What the cells of a notebook print and show."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    parts = [part for output in outputs for part in [output.get("text", []), *output.get("data", {}).values()]]
    return "".join(
        text for part in parts for text in (part if isinstance(part, list) else [part]) if isinstance(text, str)
    )


def test_every_claim_is_shown_in_a_notebook():
    text = "\n".join(map(shown, NOTEBOOKS))
    ids = {c.id: re.escape(c.id) for c in all_claims()}
    # The id comes first: what stands before it is looked at where it is found.
    absent = [one for one, id in ids.items() if not re.search(rf"{id}(?<![\w.-]{id})(?![\w-]|\.\d)", text)]
    assert absent == []


def test_a_table_has_statement_verdict_and_what_is_wrong():
    table = also("N26-P3", "KM-J.1")
    assert repr(table).splitlines()[0] == f"N26-P3: {find('N26-P3').title} (proved)"
    page = table._repr_html_()
    assert page.count("<tr>") == 3 and "<math" in page and "N26 Proposition 3" in page
    assert ("counterexample" in page) == bool(find("KM-J.1").counterexample)


def test_an_id_that_the_ledger_has_not_is_refused():
    with pytest.raises(InputError):
        also("N26-P3", "N26-P99")


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def article(request):
    """(kind, source, outputs as text and kinds) of every cell."""
    cells = json.loads(request.param.read_text(encoding="utf-8"))["cells"]
    return [(cell["cell_type"], "".join(cell["source"]), cell.get("outputs", [])) for cell in cells]


def drawn(outputs):
    return any("image/png" in output.get("data", {}) for output in outputs)


def test_a_notebook_is_an_article(article):
    """Question, picture, intuition, what hangs on it, statement, proof or numbers, verdict, an exercise run."""
    texts = [source for kind, source, _ in article if kind == "markdown"]
    assert re.match(r"# .+\n\n\*\*Question\.\*\* .+\?", texts[0], re.DOTALL)
    heads = [text.split("\n")[0] for text in texts]
    order = [
        next(k for k, head in enumerate(heads) if head == wanted)
        for wanted in ("## Intuition", "## If it were false", "## Statement")
    ]
    assert order == sorted(order) and "## Exercise" in heads
    assert any("erdict" in head for head in heads)
    exercise = next(k for k, (kind, source, _) in enumerate(article) if source.startswith("## Exercise"))
    assert article[exercise + 1][0] == "code" and article[exercise + 1][2], "an exercise that was not run"


def test_the_picture_comes_first(article):
    """No proof and no number before it, and no more than a dozen imports."""
    codes = [(source, outputs) for kind, source, outputs in article if kind == "code"]
    assert codes[0][0].startswith("%matplotlib inline\nfrom ndis_verify.report.articles import ")
    assert "\nstart()" in codes[0][0], "the one style of all pictures"
    first = next(k for k, (_, outputs) in enumerate(codes) if drawn(outputs))
    before = codes[1][0].partition("plt.show()")[0]
    assert first == 1 and not re.search(r"\b(proof|print|check)\(", before)
    assert sum(bool(re.match(r"(import|from) ", line)) for line in before.split("\n")) <= 14
    assert not re.search(r"plt\.(style|rcParams)|steps_table", "\n".join(source for source, _ in codes))


def test_proofs_are_typeset_and_compared(article):
    """As a page, and as text beside it: both are compared when the notebooks run, for no cell says otherwise."""
    for _, source, outputs in article:
        assert "NBVAL" not in source
        if re.search(r"^proof\(", source, re.MULTILINE):
            (data,) = (output["data"] for output in outputs if "data" in output)
            assert "<math" in "".join(data["text/html"]) and "identities decided" in "".join(data["text/plain"])


def test_labels_of_axes_are_typeset(article):
    """No bare `epsilon`, `delta`, `mu` at an axis: what has a symbol shows it."""
    for _, source, _ in article:
        for label in re.findall(r'(?:xlabel|ylabel|title)(?:=|\()\s*f?r?f?"([^"]*)"', source):
            assert not re.search(r"(?<![\\\w{])(epsilon|eps|delta|mu|rho|nu)\b", label), label


def test_a_picture_that_cannot_be_read_is_not_shown():
    pytest.importorskip("matplotlib").use("agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    x = np.linspace(0, 1, 5)

    def picture(*curves, label=None, legend=False, xlabel="x (nats)", ylabel="y (no unit)"):
        figure, axes = plt.subplots()
        for k, curve in enumerate(curves):
            axes.plot(*curve, f"C{k}-", label=label and f"{label} {k}")
        axes.set(xlabel=xlabel, ylabel=ylabel)
        if legend:
            axes.legend()
        plt.close(figure)
        return figure

    legible(picture((x, x)))
    legible(picture((x, x), (x, x**2), label="curve", legend=True))
    for spoilt, why in (
        (picture((x, x), (x, x**2), label="curve"), "legend"),
        (picture((x, x), xlabel=""), "axis x"),
        (picture((x, x), ylabel=""), "axis y"),
        (picture((x, x), xlabel=r"$\varepsilon$"), "axis x without its unit"),
        (picture((x, x), ylabel=r"$f(\varepsilon)$"), "axis y without its unit"),
        (picture((["one", "two", "three"], [1, 2, 3])), "categories"),
    ):
        with pytest.raises(AssertionError, match=why):
            legible(spoilt)


def test_a_spoilt_proof_or_verdict_is_not_shown():
    mutant, *_ = mean_shift.hockey_stick().mutants().values()
    with pytest.raises(AssertionError):
        proof(mutant)
    with pytest.raises(InputError):
        verdicts("N26-P99")


def test_a_verdict_that_is_not_as_declared_is_not_shown(monkeypatch):
    monkeypatch.setattr(articles, "find", lambda name: replace(find(name), declared=Verdict.REFUTED))
    with pytest.raises(AssertionError):
        verdicts("KM-J.1-corrected")


def test_the_colours_are_told_apart():
    """Four colours for every eye; more curves than that differ in their lines."""
    assert re.findall(r'"([0-9A-F]{6})"', STYLE.read_text(encoding="utf-8")) == ["0072B2", "D55E00", "009E73", "666666"]


def test_a_picture_takes_its_colours_from_the_style(article):
    code = "\n".join(source for kind, source, _ in article if kind == "code")
    assert not re.search(r"""["']#[0-9a-fA-F]{3,8}["']|["']C[4-9]|["']tab:""", code)


def test_checks_are_visible_lines(article):
    """What a cell has found is said where it is checked, not asserted in silence."""
    for kind, source, outputs in article:
        lines = [line for line in source.split("\n") if line.startswith("check(")]
        said = "".join(text for output in outputs for text in output.get("text", []))
        assert kind != "code" or said.count("✓ ") >= len(lines)
        assert not re.search(r"^assert ", source, re.MULTILINE), source


def test_links_of_a_proof_stay_in_it():
    """Two derivations in one notebook have no target in common; the first one is unfolded."""
    derivations = mean_shift.hockey_stick(), mean_shift.erf_form()
    page = proof(*derivations)._repr_html_()
    targets = re.findall(r'<li id="([^"]*)"', page)
    assert len(targets) == len(set(targets)) == sum(len(derivation.steps) for derivation in derivations)
    assert set(re.findall(r'<a href="#([^"]*)"', page)) <= set(targets) and page.count("<details open>") == 1


def test_a_check_is_one_line_or_stops(capsys):
    check("both hold", 1 < 2, [1])
    assert capsys.readouterr().out == "✓ both hold\n"
    for conditions in ((True, False), ()):
        with pytest.raises(AssertionError, match="never"):
            check("never", *conditions)
    assert capsys.readouterr().out == ""


def test_numbers_show_what_each_justifies():
    value = oracle.certified_gaussian_hockey_stick(1, 1, 1, digits=25)
    table = numbers({"certified": value, "float64": 0.25, "eps <= 1": "by hand"}, digits=10)
    certified = "certified  {} +/- {}".format(*value.decimal(10))
    assert repr(table).splitlines() == [certified, "float64    0.25", "eps <= 1   by hand"]
    assert table._repr_html_().count("<tr>") == 3 and "<code>0.25</code>" in table._repr_html_()


def test_sliders_are_for_a_reader_and_a_picture_is_for_the_rest(monkeypatch):
    pytest.importorskip("ipywidgets")
    seen = []
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    articles.explore(lambda **at: seen.append(at), shift=(1.0, 0.0, 5.0))
    assert seen == [{"shift": 1.0}]
    made = {}
    monkeypatch.setenv("JPY_SESSION_NAME", "open.ipynb")
    monkeypatch.setattr("ipywidgets.interact", lambda draw, **sliders: made.update(sliders))
    articles.explore(lambda **at: seen.append(at), shift=(1.0, 0.0, 5.0))
    assert seen == [{"shift": 1.0}] and (made["shift"].min, made["shift"].value, made["shift"].max) == (0.0, 1.0, 5.0)


def test_a_picture_that_moves_is_drawn_where_nobody_moves_it():
    moving = [path for path in NOTEBOOKS if "explore(" in path.read_text(encoding="utf-8")]
    assert len(moving) >= 4
    for path in moving:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert all(
            drawn(cell["outputs"]) for cell in cells if re.search(r"^explore\(", "".join(cell["source"]), re.MULTILINE)
        )
