"""Whether an array made of letters is written as the transpose of another one.

The transpose of a letter v is `transpose(v)`, or the letter called v^T or vt; a matrix, which has a capital, may stand
for its own, where it is said or shown to be symmetric. What is looked at is the order of the letters and which they
are: that a matrix which stands as it is may do so is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.fact import Instance
from ndis_verify.symbolic.notation import transpose
from ndis_verify.symbolic.zero import as_expression

_NOTHING: Instance = (sp.Integer(0), ">", sp.Integer(0))  # no step can show it


def written_transposed(array: Any, transposed: Any) -> bool:
    """Whether `transposed` is `array` with its products in the other order and every letter transposed."""
    wanted = _unmarked(transposed)
    found = sp.expand(transpose(_unmarked(array)))
    here = wanted.atoms(transpose)
    own = {
        one: one.args[0]
        for one in found.atoms(transpose) - here
        if isinstance(one.args[0], sp.Symbol) and one.args[0].name[0].isupper()
    }
    return bool(sp.expand(found.xreplace(own) - wanted) == 0)


def _unmarked(array: Any) -> Any:
    """With `transpose(v)` in the place of letters called v^T or vt."""
    array = sp.expand(as_expression(array))
    marked = {one: _base(one.name) for one in array.atoms(sp.Symbol) if not one.is_commutative}
    return sp.expand(array.subs({one: transpose(letter(base)) for one, base in marked.items() if base}))


def _base(name: str) -> str:
    """v of v^T and of vt; nothing of a name without a mark."""
    if name.endswith("^T"):
        return name[:-2]
    return name[:-1] if len(name) == 2 and name.endswith("t") else ""


def with_transposes(
    instance: Callable[[Mapping[str, Any]], Instance], *names: str
) -> Callable[[Mapping[str, Any]], Instance]:
    """The instance of a fact whose letters X^T are written as the transposes of its letters X, for X in `names`."""

    def checked(a: Mapping[str, Any]) -> Instance:
        return instance(a) if all(written_transposed(a[name], a[f"{name}^T"]) for name in names) else _NOTHING

    return checked
