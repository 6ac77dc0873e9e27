"""Matrix identities in every dimension at once: products of non-commuting letters, rewritten by stated rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.zero import as_expression, is_zero

_MAX_PASSES = 200


def letter(name: str) -> sp.Symbol:
    """A matrix or vector of unstated shape, as a symbol that does not commute."""
    return sp.Symbol(name, commutative=False)


class inverse(AppliedUndef):
    """The inverse of a matrix made of letters, which no expansion takes apart: the factors of an invertible product
    need not be square, and B (B^T B)^{-1} B^T is not the identity.
    """

    nargs = 1
    is_commutative = False

    @classmethod
    def eval(cls, matrix: Any) -> Any:
        if matrix.is_commutative:
            return 1 / matrix
        whole = without_powers(sp.expand(matrix))
        return None if whole == matrix else cls(whole)


def without_powers(array: Any) -> Any:
    """The same, refused where it has a negative power of a matrix, which SymPy takes apart."""
    for power in array.atoms(sp.Pow):
        if not power.is_commutative and power.exp.is_negative is not False:
            raise InputError("matrix", str(power), "must be written by its `inverse`")
    return array


@dataclass(frozen=True, eq=False)
class BlockAlgebra:
    """Rules between letters (word -> expression) and one explicit model of them.

    The rules prove: a residual that they rewrite to 0 vanishes for all matrices that satisfy them, whatever the
    dimension. The model (letter -> explicit matrix, scalar symbol -> number) refutes: a residual that is nonzero
    there is not an identity. An expression's bare 1 is the identity matrix of whatever size fits. `given`: the
    hypotheses and definitions in words that the rules say in letters, premises of every step that is decided by them;
    a rule that is the relation of a premise needs none (`court.proof_rules`).
    """

    rules: Mapping[tuple[sp.Symbol, ...], Any]
    model: Mapping[sp.Symbol, Any]
    given: tuple[str, ...] = ()

    def of(self, *letters: Any) -> BlockAlgebra:
        """Its rules of products of these letters, and the same model."""
        rules = {word: value for word, value in self.rules.items() if set(word) <= set(letters)}
        return BlockAlgebra(rules, self.model, self.given)

    def reduce(self, expression: Any) -> sp.Expr:
        """`expression` expanded and rewritten until no rule applies."""
        expression = sp.expand(without_powers(as_expression(expression)))
        for _ in range(_MAX_PASSES):
            rewritten = sp.expand(sp.Add(*(self._rewrite(term) for term in sp.Add.make_args(expression))))
            if rewritten == expression:
                return sp.expand(sp.cancel(expression)) if expression.is_commutative else _collect(expression)
            expression = rewritten
        raise ArithmeticError("the rewriting rules do not terminate")

    def _rewrite(self, term: sp.Expr) -> sp.Expr:
        scalars, word = _split(term)
        for pattern, replacement in self.rules.items():
            size = len(pattern)
            for start in range(len(word) - size + 1):
                if tuple(word[start : start + size]) == pattern:
                    return sp.Mul(*scalars, *word[:start], replacement, *word[start + size :])
        return term

    def evaluate(self, expression: Any) -> Any:
        """`expression` in the model: an explicit matrix, or a number where no letter occurs."""
        expression = as_expression(expression)
        if expression in self.model:
            return self.model[expression]
        if expression.is_commutative:
            return expression.subs({s: v for s, v in self.model.items() if s.is_commutative})
        if expression.is_Add:
            return _sum([self.evaluate(term) for term in expression.args])
        if expression.is_Mul:
            product: Any = sp.Integer(1)
            for factor in expression.args:
                product = product * self.evaluate(factor)
            return product
        if expression.is_Pow and expression.exp.is_Integer:
            return self.evaluate(expression.base) ** expression.exp
        if isinstance(expression, inverse):
            return self.evaluate(expression.args[0]).inv()
        raise TypeError(f"{expression}: not a polynomial in the letters")

    def holds(self, residual: Any) -> bool | None:
        """True if the rules reduce `residual` to 0, False if the model refutes it, else None: of letters of which the
        model says nothing, too.
        """
        try:
            value = self.evaluate(residual)
        except TypeError:
            return None
        if not _is_null(value):
            return False
        return True if self.reduce(residual) == 0 else None

    def consistent(self) -> bool:
        """Whether the model satisfies every rule."""
        return all(_is_null(self.evaluate(sp.Mul(*word) - as_expression(to))) for word, to in self.rules.items())


def without_rules(letters: Iterable[Any], numbers: Iterable[sp.Symbol] = ()) -> BlockAlgebra:
    """No rules: what is used stands among the premises. Any square matrices of one size, and any numbers, will do to
    look at it with.
    """
    matrices = {one: sp.Matrix([[k + 2, 1], [1, 2 * k + 3]]) for k, one in enumerate(letters)}
    return BlockAlgebra({}, {**matrices, **{one: sp.Integer(k + 2) for k, one in enumerate(numbers)}})


def _is_null(value: Any) -> bool:
    entries = value if isinstance(value, sp.MatrixBase) else [value]
    return all(is_zero(entry) for entry in entries)


def _split(term: sp.Expr) -> tuple[list[sp.Expr], list[sp.Expr]]:
    scalars, factors = term.args_cnc()
    word: list[sp.Expr] = []
    for factor in factors:
        if factor.is_Pow and factor.exp.is_Integer and factor.exp > 0:
            word.extend([factor.base] * int(factor.exp))
        else:
            word.append(factor)
    return scalars, word


def _collect(expression: sp.Expr) -> sp.Expr:
    """Like words together, each with its scalar coefficient in normal form."""
    coefficients: dict[tuple[sp.Expr, ...], sp.Expr] = {}
    for term in sp.Add.make_args(expression):
        scalars, word = _split(term)
        coefficients[tuple(word)] = coefficients.get(tuple(word), sp.Integer(0)) + sp.Mul(*scalars)
    return sp.Add(*(sp.cancel(sp.together(value)) * sp.Mul(*word) for word, value in coefficients.items()))


def _sum(values: list[Any]) -> Any:
    matrices = [value for value in values if isinstance(value, sp.MatrixBase)]
    if not matrices:
        return sp.Add(*values)
    total = sp.zeros(*matrices[0].shape)
    for value in values:
        total += value if isinstance(value, sp.MatrixBase) else value * sp.eye(matrices[0].rows)
    return total
