"""Every claim of the ledger stands in a notebook; the tables that show them are of the ledger."""

import json
import re
from pathlib import Path

import pytest

from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.exact_number import InputError
from ndis_verify.report.articles import also

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
    absent = [c.id for c in all_claims() if not re.search(rf"(?<![\w.-]){re.escape(c.id)}(?![\w-]|\.\d)", text)]
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
