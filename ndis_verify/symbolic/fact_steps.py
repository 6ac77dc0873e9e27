"""Steps that are instances of standard facts, their sides written by the fact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.facts import FACTS


def by_fact(name: str, why: str, fact: str, letters: Mapping[str, Any], conditions: Mapping[str, str | Step]) -> Step:
    """The step that says what `fact` does of these letters, under conditions that other steps or hypotheses show."""
    left, sign, right = FACTS[fact].instance(letters)
    return Step(
        name,
        why,
        lhs=left,
        rhs=right,
        relation=sign,
        kind="fact",
        fact=fact,
        letters=letters,
        conditions=conditions,
    )
