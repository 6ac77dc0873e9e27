"""That what a proof computes with are finite real numbers, or arrays of letters.

The functions and facts are those of real numbers: at i, x^2 >= 0 is false, and e^{i pi} is no more than 0. At infinity
two different numbers are one, and e^{-x} <= 1 - 2 e^{-x} holds. Infinity is an end of an integral, a limit, or an
interval, and nothing that is computed with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.symbolic.derivation import Derivation, Step, Use, steps_in
from ndis_verify.symbolic.facts import FACTS

_NO_NUMBERS = (sp.I, sp.zoo, sp.nan)
_INFINITE = (sp.oo, -sp.oo)
_OVER_AN_INTERVAL = ("sup", "inf")  # of low, high and a function


def unreal(derivation: Derivation, k: int) -> Iterator[str]:
    """What in step k is no finite real number; that symbols are real is asked of what says what it concludes."""
    for one in steps_in(derivation.steps[k]):
        for name, value in _spoken(one):
            for part in _parts(value):
                if part.has(*_NO_NUMBERS):
                    yield f"{name} has {_first(part)}, which is no real number"
                elif _is_infinite(part) and not _may_be_infinite(one, name, part):
                    yield f"{name} computes with infinity"
                elif derivation.concludes and (odd := [s for s in part.free_symbols if not _is_real(s)]):
                    yield f"{min(odd, key=str)} is not known to be real"


def _spoken(step: Step) -> Iterator[tuple[str, Any]]:
    yield from (("a side", side) for side in (step.lhs, step.rhs, step.witness) if side is not None)
    yield from ((repr(name), value) for name, value in step.letters.items())
    for use in step.premises:
        if isinstance(use, Use):
            yield "a weight", use.weight
            yield "what is multiplied", use.between


def _parts(value: Any) -> Iterator[Any]:
    """The expressions in a letter, which may be several of them; what a functional is only its sides show."""
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from _parts(one)
    elif isinstance(value, dict):
        yield from _parts([*value.values()])
    elif isinstance(value, (sp.Basic, sp.MatrixBase)):
        yield value


def _is_real(symbol: Any) -> bool:
    return bool(symbol.is_real is True or not symbol.is_commutative)


def _is_infinite(node: Any) -> bool:
    """Whether infinity stands anywhere in it but as an end of what goes over an interval."""
    if node in _INFINITE:
        return True
    if isinstance(node, sp.MatrixBase):
        return any(map(_is_infinite, node))
    args = node.args
    if isinstance(node, (sp.Integral, sp.Sum, sp.Limit)):
        args = args[:1]
    elif isinstance(node, AppliedUndef) and str(node.func) in _OVER_AN_INTERVAL:
        args = args[-1:]
    return any(map(_is_infinite, args))


def _may_be_infinite(step: Step, name: str, part: Any) -> bool:
    """Whether it is an end that the fact allows to be infinite."""
    return part in _INFINITE and step.fact in FACTS and name in map(repr, FACTS[step.fact].ends)


def _first(part: Any) -> Any:
    return next(one for one in _NO_NUMBERS if part.has(one))
