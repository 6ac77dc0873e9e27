"""Terms of a statement as SymPy expressions: elementary heads as what they are, named quantities as unknown functions.

A derivation that ends in a claim writes the claim's quantities by `quantity` and is compared with the claim's own
statement, translated here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.statements.statement import Claimed, Relation, Statement
from ndis_verify.statements.terms import Term
from ndis_verify.symbolic.notation import scalar, transpose
from ndis_verify.symbolic.special_functions import Pg, Phi, Qg, chi2_density, phi

_OF_LETTERS = ("transpose", "above", "beside", "logistic_fit")
_HEADS: Mapping[str, Callable[..., Any]] = {
    "neg": lambda a: -a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
    "exp": sp.exp,
    "log": sp.log,
    "sqrt": sp.sqrt,
    "abs": sp.Abs,
    "max": sp.Max,
    "min": sp.Min,
    "erf": sp.erf,
    "erfc": sp.erfc,
    "Phi": Phi,
    "phi": phi,
    "gamma_q": Qg,
    "gamma_p": Pg,
    "chi2_density": chi2_density,
    "pi": lambda: sp.pi,
}


def quantity(head: str, *args: Any) -> Any:
    """The quantity `head` of the statement language at SymPy arguments, about which SymPy knows that it is real; an
    array that is made of letters does not commute.
    """
    if head in _OF_LETTERS and not all(getattr(arg, "is_commutative", True) for arg in args):
        return transpose(*args) if head == "transpose" else sp.Function(head, commutative=False)(*args)
    return sp.Function(head, real=True)(*args)


def lettered(value: Any) -> Any:
    """An array made of letters as block algebras have it: the identity matrix is 1."""
    if not isinstance(value, sp.Basic) or value.is_commutative:
        return value
    return value.subs(quantity("identity"), 1)


def expression(term: Term, symbols: Mapping[str, Any]) -> Any:
    """`term` with SymPy expressions in the place of its variables. Raises `InputError` for a variable that has none."""
    if term.head == "number":
        return sp.Rational(term.number.numerator, term.number.denominator)
    if term.head in ("variable", "coordinate"):
        if term.name not in symbols:
            raise InputError("symbols", term.name, "must name every variable of the statement")
        return symbols[term.name] if term.head == "variable" else quantity("coordinate", symbols[term.name])
    if term.head in ("sup", "inf"):
        low, high = (expression(arg, symbols) for arg in term.args[:2])
        bound = sp.Symbol(term.name, real=True)
        return quantity(term.head, low, high, sp.Lambda(bound, expression(term.args[2], {**symbols, term.name: bound})))
    if term.head == "derivative":
        if term.name not in symbols:
            raise InputError("symbols", term.name, "must name every variable of the statement")
        return sp.Derivative(expression(term.args[0], symbols), symbols[term.name])
    args = [expression(arg, symbols) for arg in term.args]
    return _HEADS[term.head](*args) if term.head in _HEADS else quantity(term.head, *args)


def definitions(statement: Statement, symbols: Mapping[str, Any]) -> dict[str, Any]:
    """`symbols` and what the statement's named terms are in them, where all of their variables are there.

    A number that is a product of letters is their `scalar`.
    """
    known, shapes = dict(symbols), statement.shapes
    for name, value in statement.where:
        try:
            found = lettered(expression(value, known))
        except InputError:  # spoken of by another relation of the statement
            continue
        known[name] = scalar(found) if shapes[name] == () and not found.is_commutative else found
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
