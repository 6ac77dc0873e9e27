"""That a matrix whose inverse a proof speaks of has one.

It is positive definite as it is written, by a hypothesis or by an earlier step, or an earlier step says what its
inverse is or that its determinant is not 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse
from ndis_verify.symbolic.derivation import Derivation, Hypothesis, Step
from ndis_verify.symbolic.notation import anything, definite, det, diagonal, positive_definite, scalar, transpose
from ndis_verify.symbolic.transposes import is_symmetric, written_transposed
from ndis_verify.symbolic.zero import as_expression


class _Numbers(Protocol):
    """What is known of numbers."""

    def sign(self, expression: Any, /) -> str: ...

    def is_positive(self, expression: Any, /) -> bool: ...

    def zeros(self, expression: Any, /) -> list[Any]: ...


class Definite:
    """What is known to be positive definite, or invertible."""

    def __init__(self, derivation: Derivation) -> None:
        given = [h.relation for h in derivation.hypotheses if isinstance(h, Hypothesis)]
        self._definite = [definite, *(one.args[0] for one in given if isinstance(one, positive_definite))]
        self._semidefinite: list[Any] = []
        self._inverted: list[Any] = []
        self._equal: list[tuple[Any, Any]] = []

    def suppose(self, matrix: Any) -> None:
        """That a hypothesis says that a matrix is more than 0."""
        self._definite.append(matrix)

    def say(self, step: Step) -> None:
        """What a fact whose conditions were shown says to have an inverse."""
        if step.fact == "an inverse from one side":
            self._inverted.append(step.letters["Y"])
        if step.fact == "the inverse of a diagonal matrix":
            self._inverted.append(diagonal(step.letters["d"]))
        if step.fact == "least squares with normal errors":  # with probability 1
            design = step.letters["S"] * step.letters["B"]
            self._inverted.append(transpose(design) * design)

    def learn(self, step: Step | None) -> None:
        """What a step says that was shown: an equation of matrices, or an order of forms."""
        if step is None or step.lhs is None or step.kind == "argument":
            return
        lhs, rhs = as_expression(step.lhs), as_expression(step.rhs)
        if isinstance(lhs, sp.MatrixBase) or isinstance(rhs, sp.MatrixBase):
            return
        if step.relation == "=":
            if not lhs.is_commutative:
                self._equal.append((lhs, rhs))
        elif (matrix := of_forms(lhs - rhs if step.relation[0] == ">" else rhs - lhs)) is not None:
            self._semidefinite.append(matrix)

    def missing(self, side: Any, numbers: _Numbers) -> Iterator[Any]:
        """The matrices in a side whose inverse is spoken of, and of which nothing says that they have one."""
        for call in sorted(side.atoms(inverse), key=str):
            if not self._is_known(call.args[0], numbers):
                yield call.args[0]

    def is_not_negative(self, number: Any, numbers: _Numbers) -> bool:
        """Whether it is a product of determinants of matrices that are more than 0, and of what is not negative."""
        return all(
            (isinstance(base := factor.as_base_exp()[0], det) and self.is_definite(base.args[0], numbers))
            or numbers.sign(factor)[:1] == ">"
            for factor in sp.Mul.make_args(number)
        )

    def _is_known(self, matrix: Any, numbers: _Numbers) -> bool:
        matrix = sp.expand(matrix)
        if any(sp.expand(one - matrix) == 0 for one in self._inverted) or self.is_definite(matrix, numbers):
            return True
        return is_symmetric(matrix) and not numbers.zeros(det(matrix))

    def is_definite(self, matrix: Any, numbers: _Numbers, but: frozenset[Any] = frozenset()) -> bool:
        """Whether it is more than 0: itself, or what an equation says that it is; `but`: what is being looked at."""
        matrix = sp.expand(matrix)
        if matrix in but:
            return False
        looked_at = but | {matrix}
        if any(self._is_sum(matrix - one, numbers, looked_at, strict=False) for one in self._definite):
            return True
        if any(self._is_sum(matrix - one, numbers, looked_at, strict=True) for one in (0, *self._semidefinite)):
            return True
        same = [pair[::turn] for pair in self._equal for turn in (1, -1) if sp.expand(pair[::turn][0] - matrix) == 0]
        return any(self.is_definite(other, numbers, looked_at) for _, other in same)

    def _is_sum(self, gap: Any, numbers: _Numbers, but: frozenset[Any], *, strict: bool) -> bool:
        """Whether a sum is one of squares, of multiples of I and of inverses of what is definite, none of them below 0;
        strict: one of the last two is above.
        """
        above, multiple = False, sp.Integer(0)
        for term in sp.Add.make_args(sp.expand(gap)):
            factors, word = term.args_cnc()
            factor = sp.Mul(*factors)
            if not word:
                multiple += factor
                continue
            word = list(letters_of(word))
            half = len(word) // 2
            square = len(word) % 2 == 0 and written_transposed(sp.Mul(*word[:half]), sp.Mul(*word[half:]))
            inner = not square and len(word) % 2 == 1 and isinstance(word[half], inverse)
            if inner:
                around = written_transposed(sp.Mul(*word[:half]), sp.Mul(*word[half + 1 :]))
                inner = around and self.is_definite(word[half].args[0], numbers, but)
            if not (square or inner) or numbers.sign(factor)[:1] != ">":
                return False
            above = above or (inner and len(word) == 1 and numbers.sign(factor) == ">")
        positive = _is_positive(multiple, numbers)
        return (positive or multiple == 0 or numbers.sign(multiple)[:1] == ">") and (positive or above or not strict)


def _is_positive(number: Any, numbers: _Numbers) -> bool:
    """Whether an even number of its factors, of which none is 0, is negative."""
    factors = sp.Mul.make_args(sp.factor(number))
    negative = [one for one in factors if not numbers.is_positive(one)]
    return len(negative) % 2 == 0 and all(numbers.is_positive(-one) for one in negative)


def letters_of(word: Iterable[Any]) -> Iterator[Any]:
    for one in word:
        yield from [one.base] * int(one.exp) if one.is_Pow else [one]


def of_forms(gap: Any) -> Any:
    """The matrix whose form at any vector a number is written as; None where it is not one."""
    if not gap.has(scalar):  # of most gaps
        return None
    matrix = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(gap)):
        factors = term.as_independent(scalar)[0]
        (form, *others) = term.atoms(scalar) or (None,)
        if form is None or others or sp.expand(term - factors * form) != 0:
            return None
        word = list(letters_of(form.args[0].args_cnc()[1]))
        if len(word) < 2 or word[0] != transpose(anything) or word[-1] != anything:
            return None
        if anything in sp.Mul(*word[1:-1]).free_symbols or anything in factors.free_symbols:
            return None
        matrix += factors * sp.Mul(*word[1:-1])
    return matrix
