"""Terms of a statement as SymPy expressions: elementary heads as what they are, named quantities as unknown functions.

A derivation that ends in a claim writes the claim's quantities by `quantity` and is compared with the claim's own
statement, translated here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.statements.shapes import IDENTITY, Shape, shape_of
from ndis_verify.statements.statement import Claimed, Relation, Statement
from ndis_verify.statements.terms import Term
from ndis_verify.symbolic.block_algebra import inverse
from ndis_verify.symbolic.notation import det, diagonal, scalar, trace, transpose
from ndis_verify.symbolic.special_functions import Pg, Phi, Qg, chi2_density, phi
from ndis_verify.symbolic.zero import as_expression


def _matrix_power(matrix: Any, exponent: Any) -> Any:
    if exponent == -1:
        return inverse(lettered(matrix))
    if exponent.is_Integer and exponent >= 0:
        return matrix**exponent
    raise InputError("exponent", str(exponent), "must be -1, or whole and not negative, of a matrix")


def _of_numbers(largest: Any) -> Callable[..., Any]:
    """The largest, or the smallest, of real numbers: SymPy compares no others, and these slowly."""

    @lru_cache(maxsize=10_000)
    def taken(*args: Any) -> Any:
        try:
            return largest(*args)
        except ValueError as error:
            raise InputError("max", ", ".join(map(str, args)), "must be real numbers") from error

    return taken


def _size(value: Any) -> Any:
    """Of a number its absolute value, of a vector made of letters its length."""
    return sp.Abs(value) if value.is_commutative else sp.sqrt(scalar(transpose(lettered(value)) * lettered(value)))


def _chi2_density(dof: Any, at: Any) -> Any:
    """The closed form, which the density has above 0 alone, and a value below 0 where its power is whole."""
    if not dof.is_positive or ((dof / 2).is_integer and not at.is_positive):
        raise InputError("f_chi2", f"{dof}; {at}", "must be of numbers that are known to be positive")
    return chi2_density(dof, at)


_OF_LETTERS = ("above", "beside", "logistic_fit")
_BUILT = {"transpose": transpose, "diagonal": diagonal, "det": det, "trace": trace}
SIZES = ("rows", "columns")
_ARRAYS = ("vector", "identity", "transpose", "diagonal", "coordinate")
_OF_ONE_SIZE = ("det", "sketch_density")  # whose arrays have the size of one another, so that 1 is the identity
_HEADS: Mapping[str, Callable[..., Any]] = {
    "neg": lambda a: -a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b if a.is_commutative else _matrix_power(a, b),
    "exp": sp.exp,
    "log": sp.log,
    "sqrt": sp.sqrt,
    "abs": _size,
    "max": _of_numbers(sp.Max),
    "min": _of_numbers(sp.Min),
    "erf": sp.erf,
    "erfc": sp.erfc,
    "Phi": Phi,
    "phi": phi,
    "gamma": sp.gamma,
    "gamma_q": Qg,
    "gamma_p": Pg,
    "chi2_density": _chi2_density,
    "pi": lambda: sp.pi,
}


def quantity(head: str, *args: Any) -> Any:
    """The quantity `head` of the statement language at SymPy arguments, about which SymPy knows that it is real; an
    array that is made of letters does not commute.
    """
    if not all(getattr(arg, "is_commutative", True) for arg in args):
        if head in _BUILT:
            return _BUILT[head](*args)
        if head in _OF_LETTERS:
            return sp.Function(head, commutative=False)(*args)
    if head in SIZES:
        return sp.Function(head, integer=True, positive=True)(*args)
    return sp.Function(head, real=True)(*args)


def lettered(value: Any) -> Any:
    """An array made of letters as block algebras have it: the identity matrix is 1."""
    if not isinstance(value, sp.Basic) or value.is_commutative:
        return value
    return value.subs(quantity("identity"), 1)


def expression(term: Term, symbols: Mapping[str, Any], shapes: Mapping[str, Shape] | None = None) -> Any:
    """`term` with SymPy expressions in the place of its variables. Raises `InputError` for a variable that has none.

    shapes: of the variables; a product of letters that is a number by them is its `scalar`.
    """
    if term.head == "number":
        return sp.Rational(term.number.numerator, term.number.denominator)
    if term.head in ("variable", "coordinate"):
        if term.name not in symbols:
            raise InputError("symbols", term.name, "must name every variable of the statement")
        return symbols[term.name] if term.head == "variable" else quantity("coordinate", symbols[term.name])
    if term.head in ("sup", "inf"):
        low, high = (expression(arg, symbols, shapes) for arg in term.args[:2])
        bound = sp.Symbol(term.name, real=True)
        if any(bound in as_expression(value).free_symbols for name, value in symbols.items() if name != term.name):
            raise InputError("symbols", term.name, f"must stand for no variable, since {term.head} goes over it")
        inner = None if shapes is None else {**shapes, term.name: ()}
        body = expression(term.args[2], {**symbols, term.name: bound}, inner)
        return quantity(term.head, low, high, sp.Lambda(bound, body))
    if term.head == "derivative":
        if term.name not in symbols:
            raise InputError("symbols", term.name, "must name every variable of the statement")
        return sp.Derivative(expression(term.args[0], symbols, shapes), symbols[term.name])
    args = [expression(arg, symbols, shapes) for arg in term.args]
    if shapes is not None and term.head not in (*_HEADS, *_ARRAYS):
        _require_sizes(term, args, shapes)
    if term.head in _OF_ONE_SIZE:
        args = list(map(lettered, args))
    found = _HEADS[term.head](*args) if term.head in _HEADS else quantity(term.head, *args)
    if shapes is not None and not found.is_commutative and shape_of(term, shapes) == ():
        return scalar(lettered(found))
    return found


def _require_sizes(term: Term, args: list[Any], shapes: Mapping[str, Shape]) -> None:
    """That no array among the arguments is a number as SymPy writes it: of no size, while A - A + I has that of A."""
    for arg, value in zip(term.args, args, strict=True):
        if value.is_commutative and (value != 0 or term.head in SIZES) and not _is_written_out(value):
            if shape_of(arg, shapes) not in ((), IDENTITY):
                raise InputError(term.head, str(value), "must speak of an array, whose size it has")


def _is_written_out(value: Any) -> bool:
    """Whether vectors by their coordinates are spoken of, or by a name that stands for all of them."""
    return any(str(call.func) == "vector" for call in value.atoms(AppliedUndef)) or value.is_Symbol


def definitions(statement: Statement, symbols: Mapping[str, Any]) -> dict[str, Any]:
    """`symbols` and what the statement's named terms are in them, where all of their variables are there."""
    known, shapes = dict(symbols), statement.shapes
    for name, value in statement.where:
        try:
            known[name] = lettered(expression(value, known, shapes))
        except InputError:  # spoken of by another relation of the statement
            continue
    return known


def relations(claimed: Claimed) -> tuple[Relation, ...]:
    """The relations that have to be concluded; of A <= d exactly where B <= d it is A = B, and none of another iff."""
    if isinstance(claimed, Relation):
        return (claimed,)
    if claimed.how == "iff":
        first, second = claimed.parts
        if not (isinstance(first, Relation) and isinstance(second, Relation)):
            return ()
        same = first.sign == second.sign and first.right == second.right
        return (Relation(first.left, "=", second.left),) if same else ()
    return tuple(one for part in claimed.parts for one in relations(part))
