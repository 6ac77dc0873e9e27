"""The ledger as JSON lines, for a reader that shares no code with the package (docs/recheck.md has the format).

A claim gives the kinds of its evidence, a statement its object, a counterexample its point and its two sides, a
derivation its steps as trees. What has no such form is a record "left out" with the reason, so that it is counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import sympy as sp

from ndis_verify.claim import Check, Claim, Kind
from ndis_verify.claims.ledger import all_claims
from ndis_verify.court.attack_checks import PointRun
from ndis_verify.court.statement_arrays import flat
from ndis_verify.court.statement_balls import variable_at
from ndis_verify.court.statement_checks import Violation
from ndis_verify.report.reading_export import interval, reading_records
from ndis_verify.statements.json_form import to_json
from ndis_verify.statements.printing import number_text
from ndis_verify.statements.statement import Statement
from ndis_verify.symbolic import all_derivations
from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Step
from ndis_verify.symbolic.expression_data import NotExportable, declared_signs, expression_data
from ndis_verify.symbolic.notation import transpose
from ndis_verify.symbolic.sides import opened
from ndis_verify.symbolic.zero import as_expression

FORMAT = 1
Record = dict[str, Any]
_REASON = "its two sides are written nowhere but in its function"
_RELATIONS = {sp.Ge: ">=", sp.Gt: ">", sp.Le: "<=", sp.Lt: "<"}


def export_lines(
    claims: Iterable[Claim] | None = None, derivations: Iterable[Derivation] | None = None
) -> Iterator[str]:
    """The header, with how many records of each kind follow, and the records; of the whole ledger where not told."""
    chosen = all_claims() if claims is None else claims
    records = [record for claim in chosen for record in claim_records(claim)]
    built = all_derivations() if derivations is None else derivations
    records += [record for derivation in built for record in step_records(derivation)]
    header = {"kind": "header", "format": FORMAT, "counts": dict(Counter(record["kind"] for record in records))}
    yield from (json.dumps(record, ensure_ascii=False, allow_nan=False) for record in (header, *records))


def claim_records(claim: Claim) -> list[Record]:
    """The claim, its statement where it is an object, and a record for each number that stands for a check."""
    evidence = [_evidence(claim, check) for check in claim.checks]
    records = Counter(record["check"] for own in evidence for record in own)
    checks = [
        {"name": check.name, "kind": check.kind.value, "part": check.part, "records": records[check.name]}
        for check in claim.checks
    ]
    found = [{"kind": "claim", "id": claim.id, "declared": claim.declared.value, "checks": checks}]
    if claim.stated is not None:
        found.append({"kind": "statement", "claim": claim.id, **json.loads(to_json(claim.stated))})
    return found + [record for own in evidence for record in own]


def _evidence(claim: Claim, check: Check) -> list[Record]:
    """What can be read of a check of numbers; proofs are exported as steps, searches and comparisons are not."""
    named = {"claim": claim.id, "check": check.name}
    if check.kind is Kind.COUNTEREXAMPLE and isinstance(check.run, PointRun):
        if isinstance(check.run.certify, Violation):
            return [{**named, **_stated_counterexample(check.run, check.run.certify.statement)}]
    if check.kind not in (Kind.COUNTEREXAMPLE, Kind.ENCLOSURE):
        return []
    if found := reading_records(claim.id, check):
        return [{**named, **record} for record in found]
    return [{**named, "kind": "left out", "of": check.kind.value, "reason": _REASON}]


def _stated_counterexample(run: PointRun, statement: Statement) -> Record:
    data = json.loads(to_json(statement))
    return {
        "kind": "counterexample",
        "stated": True,
        "point": _point(statement, run),
        **{key: data[key] for key in ("hypotheses", "where", "claimed")},
        "least": False,
        "violation": None if data["claimed"][0] == "iff" else interval(run.certify(run.point)),
    }


def _point(statement: Statement, run: PointRun) -> dict[str, Any]:
    """The variables of a statement at a point; vectors and matrices as lists, laws made to sum to 1."""
    found: dict[str, Any] = {}
    for v in statement.variables:
        numbers = [number_text(number) for number in flat(variable_at(v, run.point))]
        found[v.name] = numbers if v.shape else numbers[0]
    return found


def step_records(derivation: Derivation) -> list[Record]:
    """A record for each step that asserts something."""
    return [_step(derivation, step) for step in derivation.steps if step.kind in DECIDED]


def _step(derivation: Derivation, step: Step) -> Record:
    named = {"derivation": derivation.id, "step": step.name}
    if step.kind != "identity":
        return {"kind": "left out", "of": "step", **named, "reason": "it is inferred from other steps"}
    try:
        if step.algebra is not None:
            return {"kind": "words", **named, **_words(step, step.algebra)}
        return {"kind": "step", **named, **_sides(derivation, step)}
    except (NotExportable, TypeError) as error:
        return {"kind": "left out", "of": "step", **named, "reason": f"a part without a form: {error}"}


def _sides(derivation: Derivation, step: Step) -> Record:
    sides = list(zip(_entries(step.lhs), _entries(step.rhs), strict=True))
    witness = [] if step.witness is None else [step.witness]
    domain = [r for r in derivation.domain if type(r) in _RELATIONS]
    ends = [side for relation in domain for side in relation.args]
    return {
        "relation": step.relation,
        "sides": [[_form(left), _form(right)] for left, right in sides],
        "witness": expression_data(witness[0]) if witness else None,
        "symbols": declared_signs(*(side for pair in sides for side in pair), *witness, *ends),
        "domain": [[_RELATIONS[type(r)], *map(expression_data, r.args)] for r in domain],
    }


def _form(side: Any) -> list[Any]:
    """As it is printed where that has a form, else with its limits and derivatives taken."""
    try:
        return expression_data(side)
    except NotExportable:
        return expression_data(opened(side))


def _words(step: Step, algebra: BlockAlgebra) -> Record:
    """Polynomials in letters that do not commute, and the rules by which words are rewritten."""
    sides = tuple(map(_marked, (step.lhs, step.rhs)))
    rules = [([_marked(one).name for one in word], _marked(to)) for word, to in algebra.rules.items()]
    return {
        "sides": [[expression_data(side) for side in sides]],
        "rules": [[word, expression_data(to)] for word, to in rules],
        "symbols": declared_signs(*sides, *(to for _, to in rules)),
    }


def _marked(side: Any) -> Any:
    """With a letter called v^T in the place of the transpose of the letter v."""
    turned = {one: letter(f"{one.args[0]}^T") for one in as_expression(side).atoms(transpose) if one.args[0].is_Symbol}
    return as_expression(side).xreplace(turned)


def _entries(side: Any) -> list[Any]:
    return list(side) if isinstance(side, sp.MatrixBase) else [side]
