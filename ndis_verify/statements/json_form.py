"""Statements as JSON and back; what is read is checked node by node, and nothing is evaluated."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

from ndis_verify.exact_number import InputError
from ndis_verify.plain_text import no_doubles
from ndis_verify.statements.printing import number_text
from ndis_verify.statements.statement import Claimed, Joined, Relation, Statement, Variable
from ndis_verify.statements.terms import NAMED, Term

_NUMBER = re.compile(r"-?\d{1,400}(/0*[1-9]\d{0,399})?")
_DEPTH = 60
_FIELDS = {"name", "kind", "low", "high", "scale", "size"}


def to_json(statement: Statement) -> str:
    """The statement as JSON text: terms are lists that begin with their head, numbers are texts."""
    return json.dumps(
        {
            "variables": [
                {
                    "name": v.name,
                    "kind": v.kind,
                    "low": number_text(v.low),
                    "high": number_text(v.high),
                    "scale": v.scale,
                    "size": v.size,
                    **({"columns": v.columns} if v.kind == "matrix" else {}),
                }
                for v in statement.variables
            ],
            "hypotheses": [_claimed_data(h) for h in statement.hypotheses],
            "where": [[name, _term_data(value)] for name, value in statement.where],
            "claimed": _claimed_data(statement.claimed),
        }
    )


def from_json(text: str) -> Statement:
    """The statement that JSON text stands for; raises `InputError` for anything else."""
    try:
        data = json.loads(text, object_pairs_hook=no_doubles)
    except (ValueError, RecursionError) as error:
        raise InputError("statement", text[:40], f"must be JSON: {error}") from None
    try:
        if set(data) != {"variables", "hypotheses", "where", "claimed"}:
            raise InputError("statement", ", ".join(data), "must have variables, hypotheses, where and claimed")
        given = [_claimed(h) for h in data["hypotheses"]]
        hypotheses = tuple(h for h in given if isinstance(h, Relation))
        if len(hypotheses) < len(given):
            raise InputError("hypotheses", "and, iff", "must be plain relations")
        return Statement(
            tuple(_variable(v) for v in data["variables"]),
            hypotheses,
            _claimed(data["claimed"]),
            tuple((str(name), _term(value)) for name, value in data["where"]),
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("statement", text[:40], f"has a part of the wrong shape: {error}") from None


def _term_data(term: Term) -> list[Any]:
    if term.head == "number":
        return ["number", number_text(term.number)]
    named = [term.name] if term.name else []
    return [term.head, *named, *(_term_data(arg) for arg in term.args)]


def _term(data: Any, depth: int = 0) -> Term:
    if not isinstance(data, list) or not data or not isinstance(data[0], str) or depth > _DEPTH:
        raise InputError("term", str(data)[:40], f"must be a list that begins with a head, at most {_DEPTH} deep")
    head, *rest = data
    if head == "number":
        return Term("number", number=_number(*rest))
    name = ""
    if head in NAMED:
        name, *rest = rest
    if not isinstance(name, str):
        raise InputError("name", str(name)[:40], "must be a text")
    return Term(head, tuple(_term(arg, depth + 1) for arg in rest), name)


def _number(text: Any) -> Fraction:
    if not isinstance(text, str) or not _NUMBER.fullmatch(text):
        raise InputError("number", str(text)[:40], "must be a whole number or a fraction of two, as text")
    return Fraction(text)


def _variable(data: Any) -> Variable:
    wanted = _FIELDS | {"columns"} if isinstance(data, dict) and data.get("kind") == "matrix" else _FIELDS
    if not isinstance(data, dict) or set(data) != wanted:
        raise InputError("variable", str(data)[:40], f"must have {', '.join(sorted(wanted))}")
    return Variable(**{**data, "low": _number(data["low"]), "high": _number(data["high"])})


def _claimed_data(claimed: Claimed) -> list[Any]:
    if isinstance(claimed, Relation):
        return [claimed.sign, _term_data(claimed.left), _term_data(claimed.right)]
    return [claimed.how, *(_claimed_data(part) for part in claimed.parts)]


def _claimed(data: Any, depth: int = 0) -> Claimed:
    if not isinstance(data, list) or len(data) < 3 or depth > _DEPTH:
        raise InputError("relation", str(data)[:40], "must be a list of a sign and two terms, or of relations")
    if data[0] in ("and", "iff"):
        return Joined(data[0], tuple(_claimed(part, depth + 1) for part in data[1:]))
    sign, left, right = data
    return Relation(_term(left), sign, _term(right))
