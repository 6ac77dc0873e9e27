"""Notebooks are articles; every claim of the ledger stands in one; what they show is of the ledger."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from ndis_verify.claim import Verdict
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.exact_number import InputError
from ndis_verify.report import articles
from ndis_verify.report.articles import STYLE, also, proof, verdicts
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
    """Question, picture, what hangs on it, statement, proof or numbers, verdict, and an exercise that was run."""
    texts = [source for kind, source, _ in article if kind == "markdown"]
    assert re.match(r"# .+\n\n\*\*Question\.\*\* .+\?", texts[0], re.DOTALL)
    heads = [text.split("\n")[0] for text in texts]
    order = [
        next(k for k, head in enumerate(heads) if head == wanted) for wanted in ("## If it were false", "## Statement")
    ]
    assert order == sorted(order) and "## Exercise" in heads
    assert any("erdict" in head for head in heads)
    exercise = next(k for k, (kind, source, _) in enumerate(article) if source.startswith("## Exercise"))
    assert article[exercise + 1][0] == "code" and article[exercise + 1][2], "an exercise that was not run"


def test_the_picture_comes_first(article):
    """No proof and at most one table of numbers before it, and no more than a dozen imports."""
    codes = [(source, outputs) for kind, source, outputs in article if kind == "code"]
    assert codes[0][0].startswith("%matplotlib inline\nfrom ndis_verify.report.articles import ")
    assert "\nstart()" in codes[0][0], "the one style of all pictures"
    first = next(k for k, (_, outputs) in enumerate(codes) if drawn(outputs))
    before = "\n".join(source for source, _ in codes[1 : first + 1])
    assert first <= 3 and "proof(" not in before
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
    """The cycle of the style has no two colours of one brightness: they differ in print and to every eye."""
    text = STYLE.read_text(encoding="utf-8")
    colours = re.findall(r'"([0-9A-F]{6})"', text)
    assert len(colours) == 8 == len(set(colours)) and "D62728" not in colours and "2CA02C" not in colours
