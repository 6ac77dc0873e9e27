"""What SymPy knows of the symbols and functions of a proof: no more than something asks where it comes from.

A symbol that is rational is never the root of 2, a function that is odd has no even value, and what bears the name of a
mean but is positive by itself is no mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from ndis_verify.court.proof_names import NORMAL, TAKEN, said_to_exist
from ndis_verify.court.proof_reals import parts, spoken
from ndis_verify.symbolic import notation
from ndis_verify.symbolic.derivation import Derivation, steps_in
from ndis_verify.symbolic.scopes import binders, bound, unheard
from ndis_verify.symbolic.statement_terms import quantity

_NOT_ZERO = {"zero", "nonzero", "extended_nonzero"}
_COMPLEX = {"complex", "finite", "infinite"}
_AROUND_A_POINT = (sp.Limit, sp.Derivative, sp.Subs)
_OF_NOTATION = {name: value for name, value in vars(notation).items() if isinstance(value, UndefinedFunction)}
_MEANT = TAKEN - NORMAL - {"binned", "rounded"}  # but for those of which only facts say what they are


def assumption_problems(derivation: Derivation, k: int) -> Iterator[str]:
    """What step k knows of a symbol or of a function that nothing says."""
    for one in steps_in(derivation.steps[k]):
        said = [part for _, value in spoken(one) for part in parts(value)]
        for part in dict.fromkeys(part.as_immutable() if isinstance(part, sp.MatrixBase) else part for part in said):
            yield from _of_symbols(derivation, part)
            yield from _of_functions(part)


def _of_symbols(derivation: Derivation, part: Any) -> Iterator[str]:
    """What is known of a symbol: in parts of claims it may be that it is not 0, and where a limit is taken in it."""
    in_parts = all(end.part for end in derivation.concludes)
    over = {symbol: node for node in binders(part) for symbol in bound(node)}
    for symbol in sorted(part.atoms(sp.Symbol), key=str):
        odd, node = unheard(symbol), over.get(symbol)
        near = isinstance(node, _AROUND_A_POINT)
        allowed = (_NOT_ZERO if near or node is None else set()) | (_COMPLEX if near else set())
        known = odd.keys() <= allowed and (in_parts or near) and symbol not in said_to_exist(derivation)
        if odd and not known:
            yield f"nothing says why {symbol} is {', '.join(odd)}"


def _of_functions(part: Any) -> Iterator[str]:
    """A function of the notation, or of the language, is the one that it is there."""
    yield from sorted(filter(None, map(_of_call, part.atoms(AppliedUndef))))


def _of_call(call: AppliedUndef) -> str | None:
    name = str(call.func)
    if name not in _MEANT:
        if odd := unheard(call):
            return f"nothing says why {call} is {', '.join(odd)}"
    elif isinstance(call.func, UndefinedFunction):
        if call.func not in (_OF_NOTATION.get(name), quantity(name, *call.args).func):
            return f"{name} is no function of the notation"
    return None
