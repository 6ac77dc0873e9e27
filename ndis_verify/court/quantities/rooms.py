"""In which room each quantity of the package is evaluated, and what a statement rests on by the ones it speaks of.

A room is loaded by its name when a statement asks for it, so that a statement rests on the engines of its own
quantities and on no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Literal

from ndis_verify.statements.statement import Statement
from ndis_verify.statements.terms import nodes

Witness = Literal["float", "ball"]
_SUBJECTS: Mapping[str, tuple[str, ...]] = {
    "pairs": (
        "mean_shift",
        "projection",
        "projection_insert",
        "centred",
        "centred_reverse",
        "chi2_hinge",
        "independent",
        "least_squares",
        "least_squares_insert",
    ),
    "moments": ("normal_moment",),
    "laws": ("quadratic_cdf", "quadratic_hinge"),
    "matrices": ("normal_pair", "form_hinge"),
    "logistic": ("logistic_fit",),
    "distances": ("sketch_distance",),
    "sketches": ("sketch", "sketch_insert", "sketch_density"),
}
ROOMS: Mapping[str, str] = {head: subject for subject, heads in _SUBJECTS.items() for head in heads}


def _room(witness: Witness, head: str) -> str:
    return f"{__package__}.{witness}_{ROOMS[head]}"


@cache
def quantity(witness: Witness, head: str) -> Callable[..., Any]:
    """The function that evaluates a quantity of the package."""
    found: Callable[..., Any] = import_module(_room(witness, head)).QUANTITIES[head]
    return found


def rooms_of(statement: Statement, witness: Witness) -> frozenset[str]:
    """The modules in which the quantities of a statement are evaluated."""
    heads = {node.head for term in statement.all_terms() for node in nodes(term)}
    return frozenset(_room(witness, head) for head in heads & ROOMS.keys())
