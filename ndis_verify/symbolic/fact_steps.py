"""Steps that are instances of standard facts, their sides written by the fact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import total, transpose


def by_fact(
    name: str,
    why: str,
    fact: str,
    letters: Mapping[str, Any],
    conditions: Mapping[str, str | Step],
    premises: tuple[str, ...] = (),
) -> Step:
    """The step that says what `fact` does of these letters, under conditions that other steps or hypotheses show.

    `premises`: what says that the letters have values.
    """
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
        premises=premises,
    )


def over_sets(gap: Any, attained: str, *densities: str) -> Step:
    """The supremum over sets of the integral of p - e^eps q, densities both, is the integral of its positive part."""
    why = f"It is attained at S* = {attained}; ties count 0 either way."
    first, *others = densities
    return by_fact(
        "sup over S", why, "largest integral over a set", {"f": gap}, {"integrable": first}, premises=tuple(others)
    )


def a_density(name: str, why: str, f: Any, *premises: str) -> Step:
    """That f is a density: it brings in an unknown function that is nowhere negative, and has the integral 1."""
    return Step(name, why, lhs=total(f), rhs=sp.Integer(1), kind="definition", premises=premises)


def from_side(inverse: Any, matrix: Any, side: str, why: str) -> Step:
    """`inverse`, defined by the step of its name, is the inverse of `matrix` from the "left" or the "right"."""
    letters, shown = {"X": inverse, "Y": matrix}, {"inverse": str(inverse)}
    return by_fact(f"{inverse} from the {side}", why, f"an inverse from the {side}", letters, shown)


def inferred(name: str, why: str, lhs: Any, relation: str, rhs: Any, *premises: Any, **more: Any) -> Step:
    """A step from other ones."""
    return Step(name, why, lhs=lhs, rhs=rhs, relation=relation, kind="inference", premises=premises, **more)


def named(symbol: Any, why: str, value: Any, *premises: str) -> Step:
    """What a symbol stands for, a step by its name."""
    return Step(str(symbol), why, lhs=symbol, rhs=value, kind="definition", premises=premises)


def positive(name: str, value: Any, why: str = "It is positive.") -> Step:
    """A number is above 0, as SymPy sees."""
    return Step(name, why, lhs=value, rhs=sp.Integer(0), relation=">", witness=value)


def squared(name: str, why: str, w: Any) -> Step:
    """A squared length is not negative."""
    return by_fact(name, why, "squared length", {"w": w, "w^T": transpose(w)}, {})
