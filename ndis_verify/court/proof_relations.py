"""Relations, and whether one says what another one does."""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.fact import NOTHING, Instance
from ndis_verify.symbolic.finite_means import Known, is_value
from ndis_verify.symbolic.sides import opened
from ndis_verify.symbolic.unknowns import equal

TURNED = {"=": "=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
WEAKER = {"=": ("=", "<=", ">="), "<": ("<", "<="), ">": (">", ">="), "<=": ("<=",), ">=": (">=",)}
BOUNDS = {"positive": (">", 0), "nonnegative": (">=", 0), "negative": ("<", 0), "nonpositive": ("<=", 0)}


def states(step: Step, wanted: Instance) -> bool:
    """Whether a step says what is wanted, or more."""
    left, sign, right = wanted
    if wanted == NOTHING or step.lhs is None or sign not in WEAKER[step.relation]:
        return False
    try:  # a limit that is a fact need not be taken
        same = step.lhs == left or equal(opened(step.lhs), opened(left))
    except NotImplementedError:  # SymPy cannot take one of them
        same = False
    if not same:
        return False
    if right is None:
        return is_value(step.rhs, Known()) if isinstance(left, sp.Integral) else step.rhs.is_finite is not False
    return equal(opened(step.rhs), opened(right))
