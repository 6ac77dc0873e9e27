"""The graph of the ledger as a picture: mechanisms, claims, derivations and facts in four columns, coloured by verdict.

Every node is a link; a script adds zoom and shows what hangs on a node, the picture is whole without it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from ndis_verify.claim import Verdict
from ndis_verify.report.claim_page import steps_in_words
from ndis_verify.report.ledger_graph import LEMMA, Record
from ndis_verify.rich import letters, prose
from ndis_verify.symbolic import all_derivations

_COLUMNS = ("mechanism", "claim", "derivation", "fact")
_HEADS = {"mechanism": "Mechanisms", "claim": "Claims", "derivation": "Derivations", "fact": "Standard facts"}
X = {"mechanism": 10, "claim": 330, "derivation": 555, "fact": 1140}  # where the dots of a column stand
_STEP, _GAP, _TOP, WIDTH = 16, 20, 60, 1475
LETTER = 5.7  # how wide one of a label is, on average, in the same units


@dataclass(frozen=True)
class _Dot:
    x: int
    y: int
    node: Record
    link: str


def graph_body(graph: Record, pages: Collection[str]) -> str:
    """The page without its frame. `pages`: the claims that have a page; nodes without one near them are left out."""
    links = _links(graph, pages)
    dots = _placed(graph, links)
    height = max((dot.y for dot in dots.values()), default=0) + _STEP
    edges = "".join(_edge(edge, dots) for edge in graph["edges"] if edge["from"] in dots and edge["to"] in dots)
    heads = "".join(f'<text class="head" x="{X[kind]}" y="30">{_HEADS[kind]}</text>' for kind in _COLUMNS)
    groups = _groups(dots)
    shown = sum(edge["from"] in dots and edge["to"] in dots for edge in graph["edges"])
    legend = " ".join(f'<span class="badge {verdict.value}">{verdict.value}</span>' for verdict in Verdict)
    facts = "".join(
        f'<dt id="{_anchor(node["id"])}">{prose(node["label"])}</dt><dd>{prose(node["statement"])}</dd>'
        for node in graph["nodes"]
        if node["type"] == "fact" and node["id"] in dots
    )
    return (
        "<h1>What rests on what</h1><p>A line goes from a claim to the derivations that prove it, from a derivation to"
        " the lemmas and standard facts that it uses, from a mechanism to the claims that its calibration rests on,"
        " and from a claim to the one that corrects it. Every dot is a link.</p>"
        f'<p>{legend}</p><p class="zoom" hidden><button type="button" data-zoom="1.25">larger</button>'
        '<button type="button" data-zoom="0.8">smaller</button><button type="button" data-zoom="0">as wide as the'
        f' page</button></p><p id="count" role="status">{len(dots)} nodes, {shown} lines</p>'
        f'<div class="wide graph" tabindex="0"><svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}"'
        f' viewBox="0 0 {WIDTH} {height}" role="group" aria-label="Graph of the ledger"><g class="edges">{edges}</g>'
        f"{heads}{groups}{''.join(map(_node, dots.values()))}</svg></div>"
        f"<h2>Standard facts</h2><dl>{facts}</dl>"
        '<script src="graph.js" defer></script>'
    )


def _links(graph: Record, pages: Collection[str]) -> dict[str, str]:
    """Where each node leads: a claim to its page, a derivation to its place on one, a mechanism to its first claim."""
    found = {node["id"]: f"claims/{node['id']}.html" for node in graph["nodes"] if node["id"] in pages}
    for edge in graph["edges"]:
        start, end = edge["from"], edge["to"]
        if edge["kind"] in ("proved by", "checked by") and start in pages:
            found.setdefault(end, f"claims/{start}.html#{end}")
        elif edge["kind"] == "mechanism rests on" and end in pages:
            found.setdefault(start, f"claims/{end}.html")
    for derivation in all_derivations():  # what says of itself that it carries a part stands on that page too
        for claim in derivation.claims:
            if claim in pages:
                found.setdefault(derivation.id, f"claims/{claim}.html#{derivation.id}")
    for edge in graph["edges"]:
        if edge["kind"] == "uses a fact" and edge["from"] in found:
            found.setdefault(edge["to"], f"#{_anchor(edge['to'])}")
    return found


def _anchor(fact: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in fact)


def _placed(graph: Record, links: Mapping[str, str]) -> dict[str, _Dot]:
    """The dots: claims by subject, every other column by the middle of what hangs on it."""
    nodes = {node["id"]: node for node in graph["nodes"] if node["id"] in links}
    claims = sorted((node for node in nodes.values() if node["type"] == "claim"), key=lambda node: node["subject"])
    dots: dict[str, _Dot] = {}
    y, before = _TOP, None
    for node in claims:
        y += _STEP + (_GAP if node["subject"] != before else 0)
        before = node["subject"]
        dots[node["id"]] = _Dot(X["claim"], y, node, links[node["id"]])
    for kind in ("derivation", "fact", "mechanism"):
        column = [node for node in nodes.values() if node["type"] == kind]
        middles = {node["id"]: _middle(node["id"], graph, dots) for node in column}
        y = _TOP
        spread = max(0, max((dot.y for dot in dots.values()), default=0) - _TOP - _STEP * len(column))
        for node in sorted(column, key=lambda node: middles[node["id"]]):
            y = max(y + _STEP, min(int(middles[node["id"]]), y + _STEP + spread))
            dots[node["id"]] = _Dot(X[kind], y, node, links[node["id"]])
    return dots


def _middle(id_: str, graph: Record, dots: Mapping[str, _Dot]) -> float:
    """The mean height of the dots that are placed and hang on a node."""
    ends = [e["to"] if e["from"] == id_ else e["from"] for e in graph["edges"] if id_ in (e["from"], e["to"])]
    heights = [dots[end].y for end in ends if end in dots]
    return sum(heights) / len(heights) if heights else float(_TOP)


def _groups(dots: Mapping[str, _Dot]) -> str:
    """The name of each subject, above its first claim."""
    seen: dict[str, int] = {}
    for dot in dots.values():
        if dot.node["type"] == "claim":
            seen.setdefault(dot.node["subject"], dot.y)
    return "".join(
        f'<text class="group" x="{X["claim"] + 8}" y="{y - _STEP // 2 - 4}">{escape(name.replace("_", " "))}</text>'
        for name, y in seen.items()
    )


def _node(dot: _Dot) -> str:
    node = dot.node
    verdict = node.get("verdict", node["type"])
    label = letters(node["label"])
    steps = steps_in_words(node)
    title = ": ".join(
        part for part in (label, node.get("verdict", ""), steps or letters(node.get("statement", ""))) if part
    )
    return (
        f'<a href="{escape(dot.link)}" data-id="{escape(node["id"])}" class="{verdict}"><title>{escape(title)}</title>'
        f'<circle cx="{dot.x}" cy="{dot.y}" r="5"/><text x="{dot.x + 10}" y="{dot.y + 4}">{escape(label)}</text></a>'
    )


def _edge(edge: Mapping[str, Any], dots: Mapping[str, _Dot]) -> str:
    """A line; one inside a column bulges to its left. The two ends of a conclusion are joined by its proof already."""
    if edge["kind"] == "concludes":
        return ""
    start, end = dots[edge["from"]], dots[edge["to"]]
    kind = edge["kind"].replace(" ", "-") if edge["kind"] != LEMMA else "lemma"
    if start.x == end.x:
        bulge = start.x - 12 - min(60, abs(start.y - end.y) // 4)
        path = f"M{start.x} {start.y}Q{bulge} {(start.y + end.y) // 2} {end.x} {end.y}"
    else:
        left, right = sorted((start, end), key=lambda dot: dot.x)
        half = (left.x + right.x) // 2
        path = f"M{left.x} {left.y}C{half} {left.y} {half} {right.y} {right.x} {right.y}"
    return f'<path class="{kind}" d="{path}" data-a="{escape(edge["from"])}" data-b="{escape(edge["to"])}"/>'
