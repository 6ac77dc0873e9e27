"""That what a statement speaks of has a value wherever its hypotheses hold.

A relation whose side has no value does not hold. Asked of the statement's own terms: SymPy makes 1 of x/x, and x of
sqrt(x)^2, so that the sides of a step no longer show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import sympy as sp

from ndis_verify.court.proof_inverses import Definite
from ndis_verify.court.proof_paths import reached
from ndis_verify.court.proof_signs import Signs
from ndis_verify.court.proof_values import known_after
from ndis_verify.exact_number import InputError
from ndis_verify.statements.calculus import differentiated
from ndis_verify.statements.printing import plain
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.shapes import Shape
from ndis_verify.statements.statement import Relation, Statement
from ndis_verify.statements.terms import Term
from ndis_verify.symbolic.block_algebra import inverse
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Step
from ndis_verify.symbolic.meanings import square
from ndis_verify.symbolic.notation import det, scalar, transpose
from ndis_verify.symbolic.statement_terms import definitions, expression, lettered, quantity
from ndis_verify.symbolic.unknowns import equal
from ndis_verify.symbolic.zero import as_expression

_Needed = tuple[str, Any]  # what something has to be ("> 0", "whole", "invertible", ...), and that


def _power(base: Any, exponent: Any) -> tuple[_Needed, ...]:
    if not base.is_commutative:
        return (("invertible", base),) if exponent.is_negative else ()
    if exponent.is_integer:
        return () if exponent.is_nonnegative else (("not 0", base),)
    return ((">= 0" if exponent.is_positive else "> 0", base),)


def _record(p: Any, q: Any, d: Any, r: Any, eps: Any) -> tuple[_Needed, ...]:
    return ((">= 0", p), (">= 0", q - p), ("> 0", 1 - q), *_counts(d, r))


def _sketched(p: Any, q: Any, d: Any, r: Any, eps: Any) -> tuple[_Needed, ...]:
    return (*_record(p, q, d, r, eps), (">= 0", r - d))


def _counts(*numbers: Any) -> tuple[_Needed, ...]:
    return tuple(need for n in numbers for need in (("whole", n), ("> 0", n)))


def _leverage(p: Any, r: Any, eps: Any) -> tuple[_Needed, ...]:
    return ((">= 0", p), ("> 0", 1 - p), *_counts(r))


def _gamma_law(s: Any, x: Any) -> tuple[_Needed, ...]:
    return (("> 0", s), (">= 0", x))


def _eigenvalues(lam: Any, m: Any, eps: Any) -> tuple[_Needed, ...]:
    return (("> 0", lam), *_counts(m))


def _on_a_sketch(n: Any, c: Any, a: Any, r: Any, x: Any) -> tuple[_Needed, ...]:
    rest = a - (c**2 / n if n.is_commutative else scalar(sp.expand(transpose(c) * inverse(n) * c)))
    return (("a covariance", n), ("invertible", n), ("> 0", rest), *_counts(r))


_DOMAINS: Mapping[str, Callable[..., tuple[_Needed, ...]]] = {
    "div": lambda a, b: (("not 0", b),),
    "pow": _power,
    "log": lambda a: (("> 0", a),),
    "sqrt": lambda a: ((">= 0", a),),
    "gamma": lambda a: (("> 0", a),),
    "gamma_q": _gamma_law,
    "gamma_p": _gamma_law,
    "chi2_density": lambda r, t: (("> 0", r), ("> 0", t)),
    "Phi_inverse": lambda p: (("> 0", p), ("> 0", 1 - p)),
    "normal_moment": lambda n, m, v: (("whole", n), (">= 0", n), ("> 0", v)),
    "mean_shift": lambda d, eps: ((">= 0", d),),
    "projection": _leverage,
    "projection_insert": _leverage,
    "centred": _eigenvalues,
    "centred_reverse": _eigenvalues,
    "independent": lambda mu, s, eps: (("> 0", s),),
    "normal_pair": lambda m1, s1, m2, s2, eps: (("a covariance", s1), ("a covariance", s2)),
    "logistic_fit": lambda z, c: (("> 0", c),),
    "sketch_density": _on_a_sketch,
    "sketch_distance": lambda d, r: (*_counts(d, r), (">= 0", r - d)),
    "chi2_hinge": lambda c, a, r: (("> 0", r),),
    "least_squares": _record,
    "least_squares_insert": _record,
    "sketch": _sketched,
    "sketch_insert": _sketched,
}


def values_missing(
    derivation: Derivation, end: Conclusion, stated: Statement, claimed: Iterable[Relation]
) -> Iterator[str]:
    """What in relations of a statement, which a step concludes, may have no value, by what its hypotheses and the
    derivation say.
    """
    symbols = end.symbols
    known = definitions(stated, symbols)
    terms = [term for one in claimed for term in one.terms]
    given = list(_given(stated, known))
    signs, matrices = known_after(
        derivation,
        reached(derivation, (one.step for one in derivation.concludes if not one.part)),
        (one for one in given if one.lhs.is_commutative),
    )
    for one in given:
        if not one.lhs.is_commutative and one.relation == ">":
            matrices.suppose(one.lhs)
    asked = _Asked(
        known, stated.shapes, signs, matrices, _whole_numbers(stated, symbols), _calls(derivation.step(end.step))
    )
    for term in (*(value for _, value in stated.named_in(terms)), *terms):
        yield from asked.missing(term)


def _given(stated: Statement, symbols: Mapping[str, Any]) -> Iterator[Step]:
    """The hypotheses of a statement in symbols; of matrices the difference of the sides beside 0."""
    for one in stated.hypotheses:
        try:
            left, right = (lettered(expression(side, symbols, stated.shapes)) for side in one.terms)
        except InputError:  # speaks of what the relations that are asked for do not
            continue
        if not (left - right).is_commutative:
            left, right = left - right if one.sign[0] == ">" else right - left, sp.Integer(0)
            yield Step(one.plain(), "", left, right, one.sign.replace("<", ">"), kind="definition")
        else:
            yield Step(one.plain(), "", left, right, one.sign, kind="definition")


def _calls(step: Step) -> set[Any]:
    return _calls_in(as_expression(step.lhs)) | _calls_in(as_expression(step.rhs))


def _calls_in(value: Any) -> set[Any]:
    return {call for call in value.atoms(scalar, det) if not call.is_Symbol}


def _whole_numbers(stated: Statement, symbols: Mapping[str, Any]) -> dict[Any, Any]:
    """A whole number in the place of each variable that is one, and of the coordinates of each vector of such."""
    spoken = [v for v in stated.variables if v.kind in ("integer", "integers") and v.name in symbols]
    calls = [quantity("coordinate", symbols[v.name]) if v.shape else symbols[v.name] for v in spoken]
    return {call: sp.Dummy(integer=True) for call in calls}


class _Asked:
    """The terms of a statement in symbols, and what is known of these."""

    def __init__(
        self,
        symbols: Mapping[str, Any],
        shapes: Mapping[str, Shape],
        signs: Signs,
        matrices: Definite,
        whole: Mapping[Any, Any],
        calls: Iterable[Any],
    ) -> None:
        self._symbols, self._shapes, self._whole, self._calls = symbols, shapes, whole, calls
        self._signs, self._matrices = signs, matrices

    def missing(self, term: Term) -> Iterator[str]:
        """The parts of a term that may have no value."""
        if term.head in ("sup", "inf"):
            yield from self._between(term)
            return
        for arg in term.args:
            yield from self.missing(arg)
        if term.head == "derivative":
            yield from self._slope(term)
        if term.head in _DOMAINS:
            for need, value in self._needed(term):
                if not self._is(need, value):
                    yield f"{plain(term)} may have no value, as nothing says that {value} is {need}"

    def _needed(self, term: Term) -> Iterator[_Needed]:
        """What is needed of the arguments, of vectors of each of their coordinates."""
        vectors = QUANTITIES[term.head].vectors if term.head in QUANTITIES else 0
        coordinates = [self._coordinates(arg) for arg in term.args[:vectors]]
        others = list(map(self._expression, term.args[vectors:]))
        for k in range(max(map(len, coordinates), default=1)):
            yield from _DOMAINS[term.head](*(one[min(k, len(one) - 1)] for one in coordinates), *others)

    def _coordinates(self, term: Term) -> list[Any]:
        """Of a vector that is written out all of them, of another one any."""
        if term.head == "vector":
            return list(map(self._expression, term.args))
        value = self._expression(term)
        return [quantity("coordinate", value) if term.head == "variable" and self._shapes[term.name] else value]

    def _expression(self, term: Term) -> Any:
        """In symbols, with the calls that the step speaks of as it writes them."""
        value = as_expression(lettered(expression(term, self._symbols, self._shapes)))
        return value.xreplace({call: own for call in _calls_in(value) for own in self._calls if equal(call, own)})

    def _between(self, term: Term) -> Iterator[str]:
        """Of an extremum its ends, whose order is known, and what is taken between them."""
        low, high = map(self._expression, term.args[:2])
        for end in term.args[:2]:
            yield from self.missing(end)
        if not self._is(">= 0", high - low):
            yield f"{plain(term)} may have no value, as nothing says that {high - low} is >= 0"
        at = sp.Symbol(term.name, real=True)
        inside = [Step("", "", at, end, sign, kind="definition") for end, sign in ((low, ">="), (high, "<="))]
        symbols, shapes = {**self._symbols, term.name: at}, {**self._shapes, term.name: ()}
        yield from _Asked(
            symbols, shapes, self._signs.beside(inside), self._matrices, self._whole, self._calls
        ).missing(term.args[2])

    def _slope(self, term: Term) -> Iterator[str]:
        try:
            yield from self.missing(differentiated(term.args[0], term.name))
        except InputError:
            yield f"{plain(term)} may have no value, as {plain(term.args[0])} may have a corner"

    def _is(self, need: str, value: Any) -> bool:
        if need == "whole":
            return value.xreplace(self._whole).is_integer is True
        if need == "invertible" and not value.is_commutative:
            return not any(self._matrices.missing(inverse(value), self._signs))
        if need == "a covariance" and not value.is_commutative:
            return self._matrices.is_definite(value, self._signs)
        if need == "a covariance" and value.atoms(sp.Function) & {quantity("identity")}:
            rows = square(value)
            return all(self._is(">= 0", one) for one in (rows[0, 0], rows[1, 1], sp.factor(rows.det())))
        if need in ("not 0", "invertible"):
            return self._is_not_0(value)
        return self._is_not_negative(value) and (need != "> 0" or self._is_not_0(value))

    def _is_not_0(self, value: Any) -> bool:
        left = [one.as_base_exp()[0] for one in self._signs.zeros(value)]
        return all(isinstance(one, det) and self._matrices.is_definite(one.args[0], self._signs) for one in left)

    def _is_not_negative(self, value: Any) -> bool:
        if self._signs.is_not_negative(value) or self._matrices.is_not_negative(value, self._signs):
            return True
        factors = sp.Mul.make_args(sp.factor(value))
        below = [one for one in factors if not self._signs.is_not_negative(one)]
        return len(factors) > 1 and len(below) % 2 == 0 and all(self._signs.is_not_negative(-one) for one in below)
