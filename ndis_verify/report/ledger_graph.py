"""The ledger as a graph: what is proved by what, what a proof takes from where, what corrects what.

Every edge is read off data that stand for something else: the checks of a claim, the premises (`Use`), facts and
conclusions of a derivation, the correction that a claim prints, `rests_on`, the bound that a calibrated mechanism's
certificate names. docs/graph.md has the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import Any

from ndis_verify.claim import Claim, Kind, Verdict
from ndis_verify.claims.kinds import kind_of
from ndis_verify.claims.ledger import all_claims
from ndis_verify.court.proof_checks import ProofRun
from ndis_verify.court.proof_paths import lemmas, uses
from ndis_verify.court.statement_checks import missing_link
from ndis_verify.mechanisms.neighbours import NEIGHBOURS
from ndis_verify.report.places import label_of, subject_of
from ndis_verify.symbolic import all_derivations
from ndis_verify.symbolic.derivation import DECIDED, Derivation
from ndis_verify.symbolic.facts import FACTS

FORMAT = 1
LEMMA = "lemma premise"
Record = dict[str, Any]
_ID = re.compile(r"\b(?:N26|N24|BW|SL|KM|DATA|PKG)-[\w.-]*\w")
_PROVED = (Verdict.PROVED, Verdict.RESTRICTED, Verdict.DEFINITION)  # where a proof stands for what is left or said


def ledger_graph() -> Record:
    """Nodes and edges of the whole ledger, as plain data for JSON."""
    claims, derivations = all_claims(), {one.id: one for one in all_derivations()}
    used = {step.fact for one in derivations.values() for step in one.steps if step.fact}
    nodes = [
        *map(_claim_node, claims),
        *map(_derivation_node, derivations.values()),
        *(
            {"type": "fact", "id": f"fact: {name}", "label": name, "statement": FACTS[name].text}
            for name in sorted(used)
        ),
        *_mechanism_nodes(),
    ]
    known = {claim.id for claim in claims}
    edges = [edge for claim in claims for edge in _of_claim(claim, known)]
    edges += [edge for one in derivations.values() for edge in _of_derivation(one)]
    edges += list(_of_mechanisms(known))
    return {"format": FORMAT, "nodes": nodes, "edges": edges}


def _claim_node(claim: Claim) -> Record:
    link = missing_link(claim)
    proofs = {one.id: one for own in _proofs(claim, Kind.PROOF) for one in (own, *lemmas(own).values())}
    return {
        "type": "claim",
        "id": claim.id,
        "label": label_of(claim.id),
        "subject": subject_of(claim.id),
        "source": claim.source,
        "kind": kind_of(claim).value,
        "verdict": claim.declared.value,
        "statement": claim.statement,
        "object": claim.stated is not None,
        "compared": bool(proofs) and not link,
        **_steps(proofs.values(), bool(link)),
    }


def _derivation_node(derivation: Derivation) -> Record:
    subject = derivation.id.split(".")[0]
    named = {"type": "derivation", "id": derivation.id, "label": derivation.title, "subject": subject}
    return {**named, **_steps([derivation])}


def _steps(derivations: Iterable[Derivation], links: int = 0) -> Record:
    kinds = [step.kind for one in derivations for step in one.steps]
    decided = sum(kind in DECIDED for kind in kinds)
    return {"decided": decided, "facts": kinds.count("fact"), "argued": kinds.count("argument") + links}


def _mechanism_nodes() -> Iterator[Record]:
    for name, bounds in _bounds().items():
        yield {"type": "mechanism", "id": f"mechanism: {name}", "label": name, "statement": "; or ".join(bounds)}


@cache
def _bounds() -> dict[str, list[str]]:
    """Mechanism -> what its certificates rest on."""
    found: dict[str, list[str]] = {}
    for one in (neighbours.mechanism.calibration for neighbours in NEIGHBOURS):
        bounds = found.setdefault(one.mechanism, [])
        bounds += [] if one.certificate.bound in bounds else [one.certificate.bound]
    return found


def _edge(kind: str, start: str, end: str, **more: Any) -> Record:
    return {"kind": kind, "from": start, "to": end, **more}


def _of_claim(claim: Claim, known: set[str]) -> Iterator[Record]:
    for word, kind in (("proved by", Kind.PROOF), ("checked by", Kind.CROSSCHECK)):
        for id_ in dict.fromkeys(one.id for one in _proofs(claim, kind)):
            yield _edge(word, claim.id, id_)
    own = f"{claim.id}-corrected"
    for id_ in dict.fromkeys([*_named(claim.corrected or "", known), *([own] if own in known else [])]):
        if id_ != claim.id:
            yield _edge("corrected by", claim.id, id_)
    for id_ in claim.rests_on:
        yield _edge("rests on", claim.id, id_)


def _proofs(claim: Claim, kind: Kind) -> list[Derivation]:
    return [check.run.derive() for check in claim.checks if check.kind is kind and isinstance(check.run, ProofRun)]


def _of_derivation(derivation: Derivation) -> Iterator[Record]:
    for end in derivation.concludes:
        yield _edge("concludes", derivation.id, end.claim, step=end.step, part=end.part)
    taken: dict[str, list[str]] = {}
    for use in (use for step in derivation.steps for use in uses(step)):
        if use.of is not None:
            taken.setdefault(use.lemma.id, []).append(use.step)
    for id_, steps in taken.items():
        yield _edge(LEMMA, derivation.id, id_, steps=sorted(set(steps)))
    for name in dict.fromkeys(step.fact for step in derivation.steps if step.fact):
        yield _edge("uses a fact", derivation.id, f"fact: {name}")


def _of_mechanisms(known: set[str]) -> Iterator[Record]:
    for name, bounds in _bounds().items():
        for id_ in _named(" ".join(bounds), known):
            yield _edge("mechanism rests on", f"mechanism: {name}", id_)


def _named(text: str, known: set[str]) -> list[str]:
    """The claims that a text names, in its order."""
    return [id_ for id_ in dict.fromkeys(_ID.findall(text)) if id_ in known]


def problems(graph: Record) -> list[str]:
    """What is wrong with a graph: an edge without an end, a circle of lemmas, a lemma that stands for no proved claim.

    A lemma has to be among the proofs of a claim that is declared proved, or whose remaining half is: then the court
    decides it there, and its steps in words are counted with every proof that uses it.
    """
    nodes = {node["id"]: node for node in graph["nodes"]}
    edges = graph["edges"]
    wrong = [
        f"{e['from']} {e['kind']} {e['to']}: no such node" for e in edges if not {e["from"], e["to"]} <= set(nodes)
    ]
    on: dict[str, set[str]] = {}
    for edge in edges:
        if edge["kind"] == LEMMA:
            on.setdefault(edge["from"], set()).add(edge["to"])
    try:
        TopologicalSorter(on).prepare()
    except CycleError as error:
        wrong.append(f"a circle of lemmas: {' -> '.join(error.args[1])}")
    strong = {node["id"] for node in graph["nodes"] if node.get("verdict") in _PROVED}
    stands = {edge["to"] for edge in edges if edge["kind"] == "proved by" and edge["from"] in strong}
    return wrong + [
        f"{id_} is used as a lemma and proves no claim" for id_ in sorted(set().union(*on.values()) - stands)
    ]
