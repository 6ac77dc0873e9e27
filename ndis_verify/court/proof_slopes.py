"""That a slope of which a proof speaks is one: at a kink there is none, and the mean of both sides, which SymPy takes
for it there, is that of no product and of no function of a function.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_letters import jumps
from ndis_verify.court.proof_names import names_of
from ndis_verify.court.proof_reals import parts, spoken
from ndis_verify.symbolic.derivation import Derivation, Step, steps_in
from ndis_verify.symbolic.scopes import STEPPED, bound

_NOT_SMOOTH = (*STEPPED, sp.Abs, sp.Max, sp.Min)
_ALMOST_EVERYWHERE = ("Stein's identity",)  # facts that ask for a slope at almost every point


def slope_problems(derivation: Derivation, k: int) -> Iterator[str]:
    """The slopes in step k of what has none at some point, but for a first one that such a fact alone is told of; of
    means facts alone say slopes.
    """
    step = derivation.steps[k]
    names = {name: _without_means(meant) for name, meant in names_of(derivation).items()}
    for one in steps_in(step):
        told = one is not step and step.fact in _ALMOST_EVERYWHERE
        for slope in sorted(_slopes(one), key=str):
            if whole := [one for one in slope.variables if one.is_integer]:
                yield f"{whole[0]} is a whole number, in which nothing has a slope"
            kinks = jumps(_without_means(slope.expr), set(slope.variables), names, _NOT_SMOOTH)
            if kinks and not (slope == one.lhs and len(slope.variables) == 1 and (told or _is_told(derivation, step))):
                yield f"{min(kinks, key=str)} has no slope at every point"


def _without_means(value: Any) -> Any:
    """An expression, its means and other functionals of ours each a number."""
    if not isinstance(value, sp.Basic):
        return value
    return value.xreplace({call: sp.Dummy(real=True) for call in value.atoms(AppliedUndef) if bound(call)})


def _slopes(step: Step) -> set[sp.Derivative]:
    found = [part.atoms(sp.Derivative) for _, value in spoken(step) for part in parts(value)]
    return set().union(*found)


def _is_told(derivation: Derivation, step: Step) -> bool:
    """Whether a step shows conditions of facts about almost every point, and nothing else rests on it."""
    if any(end.step == step.name for end in derivation.concludes):
        return False
    for one in (one for whole in derivation.steps for one in steps_in(whole)):
        if any(step.name == getattr(premise, "step", premise) for premise in one.premises):
            return False
        if step.name in one.conditions.values() and one.fact not in _ALMOST_EVERYWHERE:
            return False
    return True
