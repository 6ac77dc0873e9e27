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

from ndis_verify.court.proof_continuity import along, at_ends
from ndis_verify.court.proof_inverses import Definite
from ndis_verify.court.proof_names import GOES_OVER
from ndis_verify.court.proof_signs import Signs, assumed_sign, factors
from ndis_verify.symbolic.derivation import Derivation, Step, Use, named, steps_in
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_signs import inside
from ndis_verify.symbolic.notation import held, point, scalar, sign_changes
from ndis_verify.symbolic.scopes import binders, bound
from ndis_verify.symbolic.special_functions import Pg, Phi, Qg
from ndis_verify.symbolic.zero import as_expression

_EVERYWHERE = (  # these have a value at every number; of logarithms `divisors` tells when not
    *(AppliedUndef, scalar, point, sp.exp, sp.log, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.tanh, sp.atan, sp.erf, sp.erfc),
    *(Phi, Pg, Qg, sp.Abs, sp.sign, sp.floor, sp.ceiling, sp.Piecewise, sp.Min, sp.Max),
)
_ABOVE_0 = (sp.gamma, sp.loggamma, sp.digamma)
_BETWEEN = (sp.erfinv,)  # these have one between -1 and 1
_PASSED_OVER = (sp.Integral, sp.Limit)  # these do not see single points of what they go over


def value_problems(derivation: Derivation, names: Container[str], domain: tuple[Any, ...] = ()) -> Iterator[str]:
    """What the steps called `names` divide by that may be 0, where the relations `domain` hold."""
    signs, local, matrices = Signs(), where_alone(derivation), Definite(derivation)
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
    local = where_alone(derivation)
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


def where_alone(derivation: Derivation) -> dict[str, list[Step]]:
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
    everywhere = _for_every_value(derivation, step)
    for one in reversed([*steps_in(step)]):
        used = _learn(derivation, one, signs, matrices)
        known = (signs if everywhere is None else everywhere).beside(local.get(one.name, []))
        put_in = ((as_expression(part), ()) for use in one.premises if isinstance(use, Use) for part in _put_in(use))
        for side, ends in dict.fromkeys((*(found for each in (one, *used) for found in _sides(each)), *put_in)):
            if side.has(sp.zoo, sp.nan):
                yield f"{side} has no value"
            yield from (f"{matrix} may have no inverse" for matrix in matrices.missing(side, known))
            yield from _no_values_in(side, dict(ends), known, matrices)
        for letter, between in along(one):
            yield from _no_values_in(letter, {}, known.beside(between), matrices)
        for letter, over, end in at_ends(one):
            for what in divisors(letter):
                zeros = known.zeros(what.subs(over, end))
                yield from (f"divides by {zero}, which may be 0 at the end {end}" for zero in zeros)
        signs.learn(one)
        matrices.learn(one)


def _put_in(use: Use) -> Iterator[Any]:
    """What a premise is multiplied with, and what is put into it."""
    yield from (use.weight, *(use.between or ()), *use.at.values())


def _for_every_value(derivation: Derivation, step: Step) -> Signs | None:
    """What is known of numbers whatever the symbols are over which a fact, or a side of its, goes; None where no
    hypothesis speaks of one.
    """
    if step.kind != "fact":
        return None
    over = {step.letters[name] for name in GOES_OVER if name in step.letters}
    over |= set().union(*(bound(node) for side in (step.lhs, step.rhs) for node in binders(side)))
    given = [(text, derivation.supposed(text)) for text in derivation.given]
    spoken = {
        text for text, one in given if one is not None and over & set(as_expression(one.lhs - one.rhs).free_symbols)
    }
    if not spoken:
        return None
    signs = Signs()
    for text, one in given:
        if text not in spoken:
            signs.learn(one)
    for one in derivation.steps[: derivation.steps.index(step)]:
        if not over & derivation.fixed(one.name):
            signs.learn(one)
    return signs


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
    return frozenset(one for one in found if len(assumed_sign(one)) != 1)


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
    for factor in factors(divisor):
        try:
            weights = sp.Poly(factor, *sorted(variables, key=str)).coeffs()
        except PolynomialError:
            weights = [factor]
        if not any(weight.is_nonzero for weight in weights):
            found.add(weights[0] if len(weights) == 1 else sp.Add(*(weight**2 for weight in weights)))
    return found
