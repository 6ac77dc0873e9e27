"""Whether an array made of letters is written as the transpose of another one, or a number as a form of a matrix.

The transpose of a letter v is `transpose(v)`, or the letter called v^T or vt. No letter stands for its own: that a
matrix is symmetric is a step, among the premises of those that need it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.fact import NOTHING, Instance
from ndis_verify.symbolic.notation import scalar, transpose, with_noise
from ndis_verify.symbolic.zero import as_expression


def is_symmetric(matrix: Any) -> bool:
    """Whether a matrix is written as its own transpose, and so is square, whatever its letters are."""
    return bool(transpose(matrix) == sp.expand(matrix))


def written_transposed(array: Any, transposed: Any) -> bool:
    """Whether `transposed` is `array` with its products in the other order and every letter transposed."""
    return bool(sp.expand(transpose(_unmarked(array)) - _unmarked(transposed)) == 0)


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


def is_marked(letter: Any) -> bool:
    """Whether a letter is written as the transpose of another one."""
    return bool(_base(letter.name))


def base_letter(array: Any) -> Any:
    """The letter that a letter is, or is the transpose of."""
    (one,) = _unmarked(array).free_symbols
    return one


def is_form(matrix: Any, other: Any, quotient: Any) -> bool:
    """Whether `quotient` is x^T S x/x^T T x for a vector x of length 1 of which S = `matrix`, written as its own
    transpose, does not speak, and T = `other` is the identity. A matrix that is a name only says nothing of its forms:
    what they are the reader decides.
    """
    noise = matrix.args[1] if matrix.func == with_noise else sp.Integer(0)
    matrix = matrix.args[0] if matrix.func == with_noise else matrix
    if matrix.is_commutative:
        return isinstance(matrix, sp.Symbol)
    spoken = {one.name for one in _unmarked(matrix).atoms(sp.Symbol)}
    vectors = {one for one in _unmarked(_products(quotient)).atoms(sp.Symbol) if one.name not in spoken}
    return (
        other == 1
        and written_transposed(matrix, matrix)
        and any(
            sp.expand(_unmarked(_products(quotient)) - _unmarked(transpose(x) * matrix * x) - noise) == 0
            for x in vectors
            if not x.is_commutative and x.name[0].islower()
        )
    )


def _products(value: Any) -> Any:
    """A sum of numbers and of products of letters, the products as what they are."""
    return sp.expand(as_expression(value)).replace(scalar, lambda product: product)


def is_vector(array: Any) -> bool:
    """Whether an array made of letters is a sum of products that end in a vector, which has a small letter, is a
    minimiser, or has one above what else it has: real ones, as all letters are.
    """
    words = [term.args_cnc()[1] for term in sp.Add.make_args(sp.expand(as_expression(array)))]
    return all(word and _ends_in_vector(word[-1]) for word in words)


def _ends_in_vector(last: Any) -> bool:
    if isinstance(last, sp.Symbol):
        return last.name[0].islower() and not _base(last.name)
    return str(last.func) == "logistic_fit" or (str(last.func) == "above" and any(map(is_vector, last.args)))


def with_vectors(
    instance: Callable[[Mapping[str, Any]], Instance], *names: str
) -> Callable[[Mapping[str, Any]], Instance]:
    """The instance of a fact whose letters `names` are vectors."""

    def checked(a: Mapping[str, Any]) -> Instance:
        for name in names:
            if not is_vector(a[name]):
                raise InputError(name, str(a[name]), "must be a vector")
        return instance(a)

    return checked


def with_arrays(
    instance: Callable[[Mapping[str, Any]], Instance], *names: str
) -> Callable[[Mapping[str, Any]], Instance]:
    """The instance of a fact whose letters `names` are arrays, and no numbers, which have no size."""

    def checked(a: Mapping[str, Any]) -> Instance:
        for name in names:
            if sp.expand(as_expression(a[name])).is_commutative:
                raise InputError(name, str(a[name]), "must be an array, which has a size")
        return instance(a)

    return checked


def with_transposes(
    instance: Callable[[Mapping[str, Any]], Instance], *names: str
) -> Callable[[Mapping[str, Any]], Instance]:
    """The instance of a fact whose letters X^T are written as the transposes of its letters X, for X in `names`."""

    def checked(a: Mapping[str, Any]) -> Instance:
        return instance(a) if all(written_transposed(a[name], a[f"{name}^T"]) for name in names) else NOTHING

    return checked
