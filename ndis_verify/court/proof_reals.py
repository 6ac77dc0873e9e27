"""That what a proof computes with are finite real numbers, or arrays of letters.

The functions and facts are those of real numbers: at i, x^2 >= 0 is false, and e^{i pi} is no more than 0. At infinity
two different numbers are one, and e^{-x} <= 1 - 2 e^{-x} holds. Infinity is an end of an integral, a limit, or an
interval, and nothing that is computed with. A float is another number than the one that is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.symbolic.derivation import Derivation, Step, Use, steps_in
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.sides import opened

_NO_NUMBERS = (sp.I, sp.zoo, sp.nan)
_INFINITE = (sp.oo, -sp.oo)
_BETWEEN_ENDS = (sp.Integral, sp.Sum, sp.Product)
_OVER_AN_INTERVAL = ("sup", "inf")  # of low, high and a function


def unreal(derivation: Derivation, k: int) -> Iterator[str]:
    """What in step k is no finite real number; that symbols are real is asked of what says what it concludes."""
    for one in steps_in(derivation.steps[k]):
        for name, value in spoken(one):
            for part in parts(value):
                if part.has(*_NO_NUMBERS):
                    yield f"{name} has {_first(part)}, which is no real number"
                elif part.has(sp.Float):
                    yield f"{name} has {min(part.atoms(sp.Float))}, which is rounded"
                elif _is_infinite(part) and not _may_be_infinite(one, name, part):
                    yield f"{name} computes with infinity"
                elif (one.kind != "identity" or name != "a side" or part is one.witness) and _has_infinite_limit(part):
                    yield f"{name} has an infinite limit, which is taken in an identity alone"
                elif without := [node for node in part.atoms(*_BETWEEN_ENDS) if not _has_ends(node)]:
                    yield f"{without[0]} has no two ends"
                elif derivation.concludes and (odd := [s for s in part.free_symbols if not _is_real(s)]):
                    yield f"{min(odd, key=str)} is not known to be real"


def spoken(step: Step) -> Iterator[tuple[str, Any]]:
    """The sides of a step, its letters, and what is put into what it uses."""
    yield from (("a side", side) for side in (step.lhs, step.rhs, step.witness) if side is not None)
    yield from ((repr(name), value) for name, value in step.letters.items())
    for use in step.premises:
        if isinstance(use, Use):
            yield from put(use)


def put(use: Use) -> Iterator[tuple[str, Any]]:
    """What is multiplied with a used step, and what is put into it."""
    yield "a weight", use.weight
    yield "what is multiplied", use.between
    yield from ((f"what is put for {symbol}", value) for symbol, value in use.at.items())


def parts(value: Any) -> Iterator[Any]:
    """The expressions in a letter, which may be several of them; what a functional is only its sides show."""
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from parts(one)
    elif isinstance(value, dict):
        yield from parts([*value.values()])
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


def _has_infinite_limit(part: Any) -> bool:
    """Whether a limit in it is infinite; of one that SymPy cannot take nothing is decided."""
    return any(map(_is_infinite, filter(None, map(_limit, part.atoms(sp.Limit)))))


def _limit(node: sp.Limit) -> Any:
    try:
        return opened(node)
    except (NotImplementedError, ValueError):
        return None


def _has_ends(node: Any) -> bool:
    return all(len(limit) == 3 for limit in node.limits)


def _may_be_infinite(step: Step, name: str, part: Any) -> bool:
    """Whether it is an end that the fact allows to be infinite."""
    return part in _INFINITE and step.fact in FACTS and name in map(repr, FACTS[step.fact].ends)


def _first(part: Any) -> Any:
    return next(one for one in _NO_NUMBERS if part.has(one))
