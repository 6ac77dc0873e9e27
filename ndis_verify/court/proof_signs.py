"""Signs of expressions: by the assumptions of their symbols, by their form, and by what steps of a proof say."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.polys.polyerrors import PolynomialError

from ndis_verify.court.proof_inverses import letters_of
from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.notation import definite, det, scalar
from ndis_verify.symbolic.sides import keeps_sign
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.transposes import is_vector, written_transposed
from ndis_verify.symbolic.zero import as_expression

_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "": ""}


class Signs:
    """What steps say of the signs of expressions; looked at when the assumptions of symbols alone do not do."""

    def __init__(self, said: Iterable[Step] = ()) -> None:
        self._said = list(said)
        self._looked_at = 0
        self._names: dict[Any, Any] = {}
        self._written_out: dict[Any, Any] = {}  # by the names that are known now
        self._known: dict[Any, str] = {}
        self._strict: list[Any] = []
        self._not_zero: set[Any] = set()
        self._found: dict[Any, str] = {}  # by what is known now

    def beside(self, relations: list[Step]) -> Signs:
        """The same, where relations hold as well; what was looked at is not looked at again."""
        if not relations:
            return self
        self._look()
        more = Signs([*self._said, *relations])
        more._looked_at = self._looked_at
        more._names, more._written_out = dict(self._names), dict(self._written_out)
        more._known, more._strict = dict(self._known), list(self._strict)
        more._not_zero, more._found = set(self._not_zero), dict(self._found)
        return more

    def learn(self, step: Step | None) -> None:
        """What a step says that was decided, or a hypothesis: what a name is, or a relation."""
        if step is not None and step.lhs is not None and step.kind != "argument":
            self._said.append(step)

    def _look(self) -> None:
        while self._looked_at < len(self._said):
            step = self._said[self._looked_at]
            self._looked_at += 1
            if not isinstance(step.rhs, sp.MatrixBase):
                self._take_in(step, as_expression(step.lhs), as_expression(step.rhs))

    def _take_in(self, step: Step, lhs: Any, rhs: Any) -> None:
        if step.relation != "=":
            for form in dict.fromkeys((lhs - rhs, self._opened(lhs - rhs))):
                self._keep(form, step.relation)
            if rhs.is_number and len(self.sign(rhs)) == 1 and self.sign(rhs) == step.relation[0]:
                self._keep(lhs, step.relation[0])
        elif step.kind == "definition" and isinstance(lhs, (sp.Symbol, AppliedUndef)):
            self._names[lhs] = self._opened(rhs)
            self._written_out.clear()
            if assumed_sign(lhs):
                self._keep(self._names[lhs], assumed_sign(lhs))
        elif len(sign := self.sign(rhs)) == 1:
            self._keep(lhs, sign)

    def _keep(self, gap: Any, relation: str) -> None:
        plain = _plain(gap)
        if len(self._known.get(plain, "<=")) == 2 and self._known.get(plain) != relation:
            self._known[plain] = relation
            self._found.clear()
        if len(relation) == 1:
            self._strict.append(gap)

    def _opened(self, expression: Any) -> Any:
        """With what its names stand for in their places."""
        if not self._names:
            return expression
        if expression not in self._written_out:
            self._written_out[expression] = expression.xreplace(self._names)
        return self._written_out[expression]

    def zeros(self, expression: Any) -> list[Any]:
        """The factors of an expression that may be 0."""
        if expression in self._not_zero:
            return []
        left = self._left(expression)
        if left:
            self._look()
            left = self._left(expression) and self._left(self._opened(expression))
        if not left:
            self._not_zero.add(expression)
        return sorted(left, key=str)

    def _left(self, expression: Any) -> list[Any]:
        if len(self.sign(expression)) == 1:
            return []
        return [factor for factor in factors(expression) if not self._is_not_zero(factor)]

    def _is_not_zero(self, factor: Any) -> bool:
        if isinstance(factor, sp.gamma) or len(self.sign(factor)) == 1 or self._beside_a_gap(factor):
            return True
        return any(factor in factors(gap) for gap in self._strict if factor.free_symbols <= gap.free_symbols)

    def is_not_negative(self, expression: Any) -> bool:
        if self.sign(expression)[:1] == ">":
            return True
        self._look()
        return any(
            self.sign(one)[:1] == ">" or self._beside_a_gap(one, weakly=True)[:1] == ">"
            for one in dict.fromkeys((expression, self._opened(expression), _reduced(expression)))
        )

    def is_positive(self, expression: Any) -> bool:
        if self.sign(expression) == ">":
            return True
        self._look()
        return self.sign(expression) == ">" or self._beside_a_gap(expression) == ">"

    def _beside_a_gap(self, expression: Any, *, weakly: bool = False, further: bool = True) -> str:
        """Its sign, where it is a multiple of something of known sign and more of that sign; weakly: it may be 0.
        further: what is more may be so once again.
        """
        asked = (expression, weakly, further)
        if asked not in self._found:
            self._found[asked] = self._look_beside(expression, weakly, further)
        return self._found[asked]

    def _look_beside(self, expression: Any, weakly: bool, further: bool) -> str:
        terms = _plain(expression).as_coefficients_dict()
        for gap, relation in self._known.items():
            shares = {terms[one] / weight for one, weight in gap.as_coefficients_dict().items() if not one.is_number}
            for share in shares - {0}:
                left = _plain(expression - share * gap)
                rest = self.sign(left) or (self._beside_a_gap(left, weakly=weakly, further=False) if further else "")
                found = _of_sum([rest, relation if share > 0 else _TURNED[relation]])
                if len(found) == 1 or (found and weakly):
                    return found
        return ""

    def sign(self, expression: Any) -> str:
        """Its relation to 0; empty where it is not known."""
        if expression not in self._found:
            own = assumed_sign(expression) or self._said_of(expression)
            self._found[expression] = own if len(own) == 1 else self._of_form(expression) or own
        return self._found[expression]

    def _said_of(self, expression: Any) -> str:
        if not self._known:
            return ""
        return self._known.get(_plain(expression), "") or _TURNED[self._known.get(_plain(-expression), "")]

    def _of_form(self, expression: Any) -> str:
        if isinstance(expression, sp.exp) or expression == det(definite):
            return ">"
        if isinstance(expression, AppliedUndef) and str(expression.func) == "sum":
            return ">=" if self.sign(expression.args[0])[:1] == ">" else ""
        if isinstance(expression, scalar):
            return ">=" if _is_square(expression.args[0]) else ""
        if isinstance(expression, sp.log):
            beyond = self.sign(expression.args[0] - 1)
            return beyond if beyond[:1] == ">" or self.sign(expression.args[0]) == ">" else ""
        if expression.is_Pow:
            return _of_power(self.sign(expression.base), expression.exp)
        if expression.is_Add:
            return (
                self._beside_one(expression)
                or self._of_shares(expression)
                or _of_sum([self.sign(one) for one in _numbers_together(expression)])
                or self._of_quotient(expression)
            )
        if not isinstance(expression, (sp.Mul, sp.Min, sp.Max)):
            return ""
        signs = [self.sign(arg) for arg in expression.args]
        if expression.is_Mul:
            return _of_product(signs)
        if isinstance(expression, sp.Min):
            return _of_least(signs) or ("<=" if 0 in expression.args else "")
        return _TURNED[_of_least([_TURNED[s] for s in signs])] or (">=" if 0 in expression.args else "")

    def _of_quotient(self, expression: Any) -> str:
        above, below = _quotient(expression)
        return "" if below == 1 else _of_product([self.sign(above), self.sign(below)])

    def _beside_one(self, expression: Any) -> str:
        """Of e^x - 1 the sign of x."""
        for turned in (False, True):
            power = (-expression if turned else expression) + 1
            if isinstance(power, sp.exp):
                return _TURNED[self.sign(power.args[0])] if turned else self.sign(power.args[0])
        return ""

    def _of_shares(self, expression: Any) -> str:
        """Of a sum that is linear in distribution functions and in powers e^x, x <= 0: these lie between 0 and 1, and
        there is no more than 0 where there is at their ends.
        """
        shares = [one for one in expression.atoms(Phi, sp.exp) if isinstance(one, Phi) or self._falls(one.args[0])]
        if not shares:
            return ""
        names = {share: sp.Dummy(real=True) for share in shares}
        least, strict = sp.expand(expression.xreplace(names)), False
        for share, name in names.items():
            weight = least.diff(name)
            sign = self.sign(weight)
            if len(sign) != 1 or weight.free_symbols & {*names.values()}:
                return ""
            least = sp.expand(least.xreplace({name: sp.Integer(0 if sign == ">" else 1)}))
            strict = strict or sign == ">" or isinstance(share, Phi)
        if least.free_symbols & {*names.values()}:
            return ""
        found = ">=" if least == 0 else self.sign(least)
        return ">" if found == ">=" and strict else found if found[:1] == ">" else ""

    def _falls(self, exponent: Any) -> bool:
        return self.sign(exponent)[:1] == "<"


@lru_cache(maxsize=8192)
def _plain(expression: Any) -> Any:
    """With its products multiplied out, but for those in arguments of functions."""
    if expression.is_Add:
        return sp.Add(*map(_plain, expression.args))
    if expression.is_Mul or (expression.is_Pow and expression.exp.is_Integer):
        return sp.expand(expression.func(*map(_plain, expression.args)), deep=False)
    return expression


@lru_cache(maxsize=8192)
def _quotient(expression: Any) -> Any:
    return sp.together(expression).as_numer_denom()


@lru_cache(maxsize=8192)
def _reduced(expression: Any) -> Any:
    """As one quotient, what is in both of its parts left out."""
    try:
        return sp.cancel(sp.together(expression))
    except PolynomialError:
        return expression


def _is_square(product: Any) -> bool:
    """Whether a product of letters is written as one of a vector, with what it is turned."""
    word = list(letters_of(product.args_cnc()[1]))
    half = len(word) // 2
    return len(word) % 2 == 0 and is_vector(word[-1]) and written_transposed(sp.Mul(*word[half:]), sp.Mul(*word[:half]))


@lru_cache(maxsize=8192)
def factors(expression: Any) -> frozenset[Any]:
    """The irreducible factors of the numerator."""
    numerator = _quotient(expression)[0]
    try:
        found = [base for base, _ in sp.factor_list(numerator)[1]]
    except PolynomialError:
        found = [one for one in sp.Mul.make_args(numerator) if not one.is_number]
    return frozenset(found or [numerator])


@lru_cache(maxsize=8192)
def assumed_sign(expression: Any) -> str:
    """The sign that assumptions alone give, where no corner of what they leave has another."""
    found = _of_assumptions(expression)
    return found if len(found) != 1 or keeps_sign(expression, found) else ""


def _of_assumptions(expression: Any) -> str:
    if expression.is_nonnegative:
        return ">" if expression.is_zero is False else ">="
    if expression.is_nonpositive:
        return "<" if expression.is_zero is False else "<="
    return ""


def _numbers_together(expression: Any) -> list[Any]:
    if not expression.free_symbols:  # a number, whose terms are numbers
        return list(expression.args)
    number, rest = expression.as_independent(*expression.free_symbols, as_Add=True)
    return [one for one in (number, *sp.Add.make_args(rest)) if one != 0]


def _of_power(base: str, exponent: Any) -> str:
    if base and exponent.is_even:
        return ">" if len(base) == 1 else ">=" if exponent.is_positive else ""
    return base if base[:1] == ">" and (len(base) == 1 or exponent.is_positive) else ""


def _of_product(signs: list[str]) -> str:
    if "" in signs:
        return ""
    negative = sum(sign[0] == "<" for sign in signs) % 2 == 1
    return ("<" if negative else ">") + ("" if all(len(sign) == 1 for sign in signs) else "=")


def _of_sum(signs: list[str]) -> str:
    return min(signs, key=len) if "" not in signs and len({sign[0] for sign in signs}) == 1 else ""


def _of_least(signs: list[str]) -> str:
    """Of the least of several: at least 0 where all are, and not more where one is not."""
    if all(sign[:1] == ">" for sign in signs):
        return max(signs, key=len)
    return min((sign for sign in signs if sign[:1] == "<"), key=len, default="")
