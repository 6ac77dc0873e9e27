"""The ledger as a graph: whole, without a circle, every lemma a proof of a proved claim; and that this can fail."""

import json
import re
from collections import Counter
from copy import deepcopy
from pathlib import Path

import pytest

from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.commands import claims as command
from ndis_verify.report import graph_page, ledger_graph
from ndis_verify.report.ledger_graph import problems

ledger_page = pytest.importorskip("tools.ledger_page")

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "graph.md"


@pytest.fixture(scope="module")
def graph():
    return json.loads(json.dumps(ledger_graph.ledger_graph()))


def test_the_page_of_figures_is_of_this_ledger(graph):
    assert ledger_page.PAGE.read_text(encoding="utf-8") == ledger_page.page(graph)


def _edges(graph, kind):
    return {(edge["from"], edge["to"]) for edge in graph["edges"] if edge["kind"] == kind}


def test_the_graph_is_whole_and_goes_in_no_circle(graph):
    assert problems(graph) == []
    ids = Counter(node["id"] for node in graph["nodes"])
    assert max(ids.values()) == 1 and {claim.id for claim in all_claims()} <= set(ids)


def test_edges_are_what_the_ledger_says(graph):
    assert ("mean_shift.hockey_stick", "ndis_lemma.hockey_stick") in _edges(graph, "lemma premise")
    assert ("N26-P1", "mean_shift.hockey_stick") in _edges(graph, "proved by")
    assert ("N26-L2", "N26-L2-corrected") in _edges(graph, "corrected by")
    assert ("N26-Fig5", "N26-T6.1-corrected") in _edges(graph, "corrected by")
    assert {(claim.id, to) for claim in all_claims() for to in claim.rests_on} == _edges(graph, "rests on")
    assert ("mechanism: Gaussian (analytic)", "BW-Alg1") in _edges(graph, "mechanism rests on")
    mechanisms = {node["id"] for node in graph["nodes"] if node["type"] == "mechanism"}
    unproved = mechanisms - {start for start, _ in _edges(graph, "mechanism rests on")}
    assert unproved == {"mechanism: Laplace"}  # its bound is one line, and no claim of the ledger


def test_a_claim_counts_the_steps_of_its_proofs_and_their_lemmas(graph):
    nodes = {node["id"]: node for node in graph["nodes"]}
    lemma, proof = nodes["ndis_lemma.hockey_stick"], nodes["mean_shift.hockey_stick"]
    assert nodes["N26-P1"]["decided"] >= lemma["decided"] + proof["decided"]
    assert (
        nodes["N26-P1"]["verdict"] == find("N26-P1").declared.value and nodes["N26-P1"]["label"] == "N26 Proposition 1"
    )


def test_spoilt_graphs_are_told(graph):
    circle, lone, loose = deepcopy(graph), deepcopy(graph), deepcopy(graph)
    back = {"kind": "lemma premise", "from": "ndis_lemma.hockey_stick", "to": "mean_shift.hockey_stick", "steps": []}
    circle["edges"].append(back)
    assert any("circle" in text for text in problems(circle))
    for node in lone["nodes"]:
        if "verdict" in node:
            node["verdict"] = "supported"
    assert any("mean_shift.hockey_stick is used as a lemma" in text for text in problems(lone))
    loose["edges"][0]["to"] = "no-such"
    assert any("no such node" in text for text in problems(loose))


def test_the_page_has_every_kind_and_field(graph):
    text = DOCUMENT.read_text(encoding="utf-8")
    kinds = {edge["kind"] for edge in graph["edges"]}
    fields = {name for entry in (*graph["nodes"], *graph["edges"]) for name in entry}
    assert all(f"| {kind} |" in text for kind in kinds | {node["type"] for node in graph["nodes"]})
    assert not [name for name in fields if f"`{name}`" not in text]


def test_the_command_prints_it(capsys, monkeypatch):
    monkeypatch.setattr(ledger_graph, "ledger_graph", lambda: {"format": 1})
    import argparse

    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    assert command.main(parser.parse_args(["--graph"])) == 0
    assert json.loads(capsys.readouterr().out) == {"format": 1}


def test_no_label_of_the_picture_reaches_into_the_next_column_and_none_is_cut(graph):
    body = graph_page.graph_body(graph, {"N26-L1", "N26-L2"})
    assert re.search(r"<circle [^>]*/><text [^>]*>[^<]+<", body) and "\u2026" not in body
    starts = [*graph_page.X.values(), graph_page.WIDTH]
    for (kind, x), end in zip(graph_page.X.items(), starts[1:], strict=True):
        longest = max((node["label"] for node in graph["nodes"] if node["type"] == kind), key=len)
        assert x + 10 + graph_page.LETTER * len(longest) <= end, longest
