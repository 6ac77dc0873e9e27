"""That what a proof speaks of has a real value: it divides by nothing that may be 0, and takes no root or logarithm of
what may be negative, by the assumptions of its symbols, or by what was shown before.

The decisions of single steps are those of rational functions, for which x y/x is y. Where x may be 0, a step that
divides by it says nothing, and x y = x w would give y = w. Roots and logarithms of negative numbers are complex, and
jump: a slope does not tell how they go on. Asked of all that an end rests on which is compared.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.polys.polyerrors import PolynomialError

from ndis_verify.court.proof_continuity import at_ends
from ndis_verify.court.proof_inverses import Definite, letters_of
from ndis_verify.symbolic.derivation import Derivation, Step, Use, named, steps_in
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_signs import inside
from ndis_verify.symbolic.notation import definite, det, held, point, scalar, sign_changes
from ndis_verify.symbolic.scopes import bound
from ndis_verify.symbolic.sides import keeps_sign
from ndis_verify.symbolic.special_functions import Pg, Phi, Qg
from ndis_verify.symbolic.transposes import is_vector, written_transposed
from ndis_verify.symbolic.zero import as_expression

_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "": ""}
_EVERYWHERE = (  # these have a value at every number; of logarithms `divisors` tells when not
    *(AppliedUndef, scalar, point, sp.exp, sp.log, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.tanh, sp.atan, sp.erf, sp.erfc),
    *(Phi, Pg, Qg, sp.Abs, sp.sign, sp.floor, sp.ceiling, sp.Piecewise, sp.Min, sp.Max),
)
_ABOVE_0 = (sp.gamma, sp.loggamma, sp.digamma)
_BETWEEN = (sp.erfinv,)  # these have one between -1 and 1
_PASSED_OVER = (sp.Integral, sp.Limit)  # these do not see single points of what they go over


def value_problems(derivation: Derivation, names: Container[str], domain: tuple[Any, ...] = ()) -> Iterator[str]:
    """What the steps called `names` divide by that may be 0, where the relations `domain` hold."""
    signs, local, matrices = Signs(), _where(derivation), Definite(derivation)
    for hypothesis in derivation.given:
        signs.learn(derivation.supposed(hypothesis))
        matrices.learn(derivation.supposed(hypothesis))
    for one in domain:
        signs.learn(Step("domain", "", one.lhs, one.rhs, one.rel_op.replace("==", "="), kind="definition"))
    for step in derivation.steps:
        if step.name in names:
            yield from (f"step {step.name!r}: {text}" for text in _of_step(derivation, step, signs, local, matrices))


def shows_definite(derivation: Derivation, step: Step, matrix: Any) -> bool:
    """Whether a step shows, under the hypotheses, that a matrix is positive definite."""
    matrices = Definite(derivation)
    matrices.learn(step)
    return matrices.is_definite(matrix, Signs())


def known_after(derivation: Derivation, names: Container[str], said: Iterable[Step] = ()) -> tuple[Signs, Definite]:
    """What hypotheses, the steps called `names` with what they use, and the relations `said` say of signs and of
    matrices; but no step that has to hold under a relation alone.
    """
    signs, matrices = Signs(), Definite(derivation)
    for step in (*map(derivation.supposed, derivation.given), *said):
        signs.learn(step)
        matrices.learn(step)
    local = _where(derivation)
    for step in derivation.steps:
        if step.name in names and step.name not in local:
            for one in reversed([*steps_in(step)]):
                _learn(derivation, one, signs, matrices)
                signs.learn(one)
                matrices.learn(one)
    return signs, matrices


def _learn(derivation: Derivation, step: Step, signs: Signs, matrices: Definite) -> list[Step | None]:
    """What a step uses, which is known from then on."""
    used = [derivation.used(use) for use in step.premises if isinstance(use, Use)]
    for found in used:
        signs.learn(found)
        matrices.learn(found)
    matrices.say(step)
    return used


def _where(derivation: Derivation) -> dict[str, list[Step]]:
    """Step -> the relations under which alone it has to hold, as a condition of a fact and as nothing else."""
    found: dict[str, list[Step]] = {}
    other = set()
    for step in derivation.steps:
        fact = FACTS.get(step.fact)
        for name, shown in step.conditions.items():
            if fact is not None and isinstance(shown, str) and name in fact.where:
                left, sign, right = fact.where[name](step.letters)
                found.setdefault(shown, []).append(Step(name, "", left, right, sign, kind="definition"))
            else:
                other.update(named(shown) if isinstance(shown, Step) else [shown])
        other.update(named(replace(step, conditions={})))
    return {name: relations for name, relations in found.items() if name not in other and len(relations) == 1}


def _of_step(
    derivation: Derivation, step: Step, signs: Signs, local: Mapping[str, list[Step]], matrices: Definite
) -> Iterator[str]:
    for one in reversed([*steps_in(step)]):
        used = _learn(derivation, one, signs, matrices)
        known = signs.beside(local.get(one.name, []))
        for side, ends in dict.fromkeys(found for each in (one, *used) for found in _sides(each)):
            if side.has(sp.zoo, sp.nan):
                yield f"{side} has no value"
            yield from (f"{matrix} may have no inverse" for matrix in matrices.missing(side, known))
            yield from _no_values_in(side, dict(ends), known, matrices)
        for letter, over, end in at_ends(one):
            for what in divisors(letter):
                zeros = known.zeros(what.subs(over, end))
                yield from (f"divides by {zero}, which may be 0 at the end {end}" for zero in zeros)
        signs.learn(one)
        matrices.learn(one)


def _shown(found: tuple[Any, list[Any]]) -> str:
    return str(found[0])


def _no_values_in(side: Any, ends: Mapping[Any, Any], known: Signs, matrices: Definite) -> Iterator[str]:
    """What a side divides by that may be 0, and takes a root, a logarithm or a value of that may have none. What is
    shown of a symbol from an end on, `ends`, is so beyond it. Few are left to be printed, and to be put in order.
    """
    may_be_0 = [(what, zeros) for what in divisors(side) if (zeros := known.zeros(what))]
    for what, zeros in sorted(may_be_0, key=_shown):
        if known.zeros(what.xreplace(ends)):
            yield from (f"divides by {zero}, which may be 0" for zero in zeros)

    def not_negative(one: Any) -> bool:
        return known.is_not_negative(one) or matrices.is_not_negative(one, known)

    negative = [what for what in roots(side) if not (not_negative(what) or not_negative(what.xreplace(ends)))]
    for what in sorted(negative, key=str):
        yield f"takes a root or a logarithm of {what}, which may be negative"
    without = [call for call in side.atoms(sp.Function) if not _has_a_value(call, known)]
    yield from (f"{call} may have no value" for call in sorted(without, key=str))


def _has_a_value(call: Any, known: Signs) -> bool:
    if isinstance(call, _BETWEEN):
        at = _looked_into(call.args[0])
        return known.is_positive(1 - at) and known.is_positive(1 + at)
    return isinstance(call, _EVERYWHERE) or (isinstance(call, _ABOVE_0) and known.is_positive(call.args[-1]))


def _sides(step: Step | None) -> Iterator[tuple[Any, tuple[tuple[Any, Any], ...]]]:
    """The sides, in which that of which a slope is taken is no end of its range: none is said to exist there; and what
    it is called there, with its name. A function whose sign changes are counted is looked at between 0 and 1.
    """
    sides = [as_expression(side) for side in (step.lhs, step.rhs, step.witness) if side is not None] if step else []
    slopes = {symbol for side in sides for slope in side.atoms(sp.Derivative) for symbol in slope.variables}
    ends = {one: sp.Dummy(one.name, positive=True) for one in slopes if one.is_nonnegative and not one.is_positive}
    for side in (one.replace(sign_changes, lambda f: sign_changes(inside(f))) for one in sides):
        found = (side.as_immutable() if isinstance(side, sp.MatrixBase) else side).xreplace(ends)
        yield found, tuple((dummy, symbol) for symbol, dummy in ends.items() if dummy in found.free_symbols)


@lru_cache(maxsize=8192)
def divisors(side: Any) -> frozenset[Any]:
    """What is divided by, or is the argument of a logarithm, in an expression; slopes and values are taken."""
    if isinstance(side, sp.MatrixBase):
        return frozenset().union(*map(divisors, side))
    if isinstance(side, (sp.Derivative, sp.Subs)):
        taken = side.doit()
        own = divisors(side.expr) if isinstance(side, sp.Derivative) else frozenset()
        return own | (frozenset() if taken.has(sp.Derivative, sp.Subs) else divisors(taken))
    found = frozenset().union(*map(divisors, side.args))
    if isinstance(side, sp.Pow) and side.is_commutative and not side.exp.is_nonnegative:
        found |= {_looked_into(side.base)}
    if isinstance(side, sp.log):
        found |= {_looked_into(side.args[0])}
    if isinstance(side, _PASSED_OVER):
        own = frozenset(bound(side))
        found = frozenset().union(*(_at_every_point(one, own) if one.free_symbols & own else {one} for one in found))
    return frozenset(one for one in found if len(_assumed(one)) != 1)


@lru_cache(maxsize=8192)
def roots(side: Any) -> frozenset[Any]:
    """What a root or a logarithm is taken of in an expression, but what assumptions say not to be negative; slopes and
    values are taken. What is divided by, or is the argument of a logarithm, is no 0 either (`divisors`).
    """
    if isinstance(side, sp.MatrixBase):
        return frozenset().union(*map(roots, side))
    if isinstance(side, (sp.Derivative, sp.Subs)):
        taken = side.doit()
        own = roots(side.expr) if isinstance(side, sp.Derivative) else frozenset()
        return own | (frozenset() if taken.has(sp.Derivative, sp.Subs) else roots(taken))
    found = frozenset().union(*map(roots, side.args))
    if isinstance(side, sp.Pow) and side.is_commutative and side.exp.is_integer is not True:
        found |= {_looked_into(side.base)}
    if isinstance(side, sp.log):
        found |= {_looked_into(side.args[0])}
    return frozenset(one for one in found if not one.is_nonnegative)


def _looked_into(divisor: Any) -> Any:
    """Without the marks of what stands as it is written; what is divided by in it is found apart."""
    return divisor.replace(lambda node: isinstance(node, held), lambda node: node.args[0])


def _at_every_point(divisor: Any, variables: frozenset[Any]) -> set[Any]:
    """What is 0 where a divisor is at all values of the variables: integrals and limits pass over single points."""
    found = set()
    for factor in _factors(divisor):
        try:
            weights = sp.Poly(factor, *sorted(variables, key=str)).coeffs()
        except PolynomialError:
            weights = [factor]
        if not any(weight.is_nonzero for weight in weights):
            found.add(weights[0] if len(weights) == 1 else sp.Add(*(weight**2 for weight in weights)))
    return found


class Signs:
    """What steps say of the signs of expressions; looked at when the assumptions of symbols alone do not do."""

    def __init__(self, said: Iterable[Step] = ()) -> None:
        self._said = list(said)
        self._looked_at = 0
        self._names: dict[Any, Any] = {}
        self._known: dict[Any, str] = {}
        self._strict: list[Any] = []
        self._not_zero: set[Any] = set()

    def beside(self, relations: list[Step]) -> Signs:
        """The same, where relations hold as well."""
        return Signs([*self._said, *relations]) if relations else self

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
            if _assumed(lhs):
                self._keep(self._names[lhs], _assumed(lhs))
        elif len(sign := self.sign(rhs)) == 1:
            self._keep(lhs, sign)

    def _keep(self, gap: Any, relation: str) -> None:
        plain = _plain(gap)
        if len(self._known.get(plain, "<=")) == 2:
            self._known[plain] = relation
        if len(relation) == 1:
            self._strict.append(gap)

    def _opened(self, expression: Any) -> Any:
        """With what its names stand for in their places."""
        return expression.xreplace(self._names) if self._names else expression

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
        return [factor for factor in _factors(expression) if not self._is_not_zero(factor)]

    def _is_not_zero(self, factor: Any) -> bool:
        if isinstance(factor, sp.gamma) or len(self.sign(factor)) == 1 or self._beside_a_gap(factor):
            return True
        return any(factor in _factors(gap) for gap in self._strict if factor.free_symbols <= gap.free_symbols)

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
        own = _assumed(expression) or self._said_of(expression)
        return own if len(own) == 1 else self._of_form(expression) or own

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
        above, below = sp.together(expression).as_numer_denom()
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
        names = {share: sp.Dummy(real=True) for share in shares}
        least, strict = sp.expand(expression.xreplace(names)), False
        for share, name in names.items():
            weight = least.diff(name)
            sign = self.sign(weight)
            if len(sign) != 1 or weight.free_symbols & {*names.values()}:
                return ""
            least = sp.expand(least.xreplace({name: sp.Integer(0 if sign == ">" else 1)}))
            strict = strict or sign == ">" or isinstance(share, Phi)
        if not shares or least.free_symbols & {*names.values()}:
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
def _factors(expression: Any) -> frozenset[Any]:
    """The irreducible factors of the numerator."""
    numerator = sp.together(expression).as_numer_denom()[0]
    try:
        found = [base for base, _ in sp.factor_list(numerator)[1]]
    except PolynomialError:
        found = [one for one in sp.Mul.make_args(numerator) if not one.is_number]
    return frozenset(found or [numerator])


def _assumed(expression: Any) -> str:
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
