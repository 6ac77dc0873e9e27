"""That a letter is continuous where a fact needs it: its form is made of continuous functions, and at the ends of an
interval it divides by nothing that is 0.

That it has a value at every number its argument stands for is asked of what a proof ends in (`proof_values`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_hypotheses import in_words
from ndis_verify.symbolic.derivation import Derivation, Step
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import between_0_and_1, beyond, scalar, xi
from ndis_verify.symbolic.special_functions import Pg, Phi, Qg
from ndis_verify.symbolic.zero import as_expression

_CONTINUOUS = (
    *(sp.Add, sp.Mul, sp.Pow, sp.UnevaluatedExpr, sp.exp, sp.log, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.tanh, sp.atan),
    *(sp.erf, sp.erfc, Phi, Pg, Qg, sp.Abs, sp.Max, sp.Min),
)
WITHOUT_JUMPS = {name for name in FACTS if name.endswith("without jumps")}  # facts that say that something has none
_IN_ONE = ("the smaller of two, without jumps",)  # in the symbol of its limit; the others in all that f depends on
_BETWEEN_ENDS = ("a value of a supremum over an interval",)
_BELOW_A_CORNER = "a sum of a convex function below a corner"
_RANGES = {between_0_and_1: [(0, ">"), (1, "<")], xi: [(-1, ">="), (1, "<=")]}
_QUANTITIES = ("mean_shift",)  # in both arguments: as their closed form shows


def not_continuous(derivation: Derivation, step: Step, names: Mapping[Any, Any]) -> Iterator[str]:
    """What in the letters of a fact may jump where it has to be continuous; `names`: what names stand for."""
    fact = FACTS[step.fact]
    for name, over, ends in fact.continuous(step.letters) if fact.continuous else ():
        value = _value(step, name)
        jumps = may_jump(value, {over}, names)
        if ends:
            anywhere = {over: sp.Dummy(str(over), real=True)}
            there = {_at(name, anywhere): _at(meant, anywhere) for name, meant in names.items()}
            jumps |= may_jump(_at(value, anywhere), {*anywhere.values()}, there)
        for part in sorted(jumps, key=str):
            if not _is_said_continuous(derivation, step, part, over):
                yield f"{name!r} has {part}, which may jump"


def _is_said_continuous(derivation: Derivation, step: Step, part: Any, over: Any) -> bool:
    """Whether what the step rests on says that a part has no jump: a hypothesis in words of an unknown function, that
    is named in it, or one of the facts that say so, of the part and of what it goes over.
    """
    for shown in (*step.conditions.values(), *step.premises):
        if isinstance(shown, str) and shown in in_words(derivation):
            words = shown.replace(",", " ").split()
            if isinstance(part, AppliedUndef) and str(part.func) in words and "continuous" in words:
                return True
            continue
        one = shown if isinstance(shown, Step) else derivation.used(shown)
        if one is not None and one.kind == "fact" and one.fact in WITHOUT_JUMPS and one.lhs.args[0] == part:
            return one.fact not in _IN_ONE or one.lhs.args[1] == over
    return False


def at_ends(step: Step) -> Iterator[tuple[Any, Any, Any]]:
    """Letters that have to be continuous up to an end, what they go over, and that end."""
    fact = FACTS.get(step.fact)
    if step.kind != "fact" or fact is None or fact.continuous is None or set(step.letters) != set(fact.letters):
        return
    for name, over, ends in fact.continuous(step.letters):
        anywhere = sp.Dummy(str(over), real=True)  # an end need not have the sign of what is inside
        f = _value(step, name).xreplace({over: anywhere})
        yield from ((f, anywhere, as_expression(end)) for end in ends)


def along(step: Step) -> Iterator[tuple[Any, list[Step]]]:
    """Letters that have to be continuous, and, on an interval between two ends, what is known of what they go over."""
    fact = FACTS.get(step.fact)
    if step.kind != "fact" or fact is None or fact.continuous is None or set(step.letters) != set(fact.letters):
        return
    for name, over, ends in fact.continuous(step.letters):
        bounds = [*zip(ends, (">=", "<="), strict=True)] if len(ends) == 2 and _are_in_order(step.fact) else []
        bounds += _RANGES.get(over, [])
        f = _value(step, name)
        if step.fact == _BELOW_A_CORNER:  # every number below it
            f = f.subs(over, step.letters["cap"] / (1 + beyond))
        yield f, [Step("", "", over, end, sign, kind="definition") for end, sign in bounds]


def _are_in_order(name: str) -> bool:
    """Whether the first of two ends of an interval is the lower one: a condition says so, or that something is between
    them.
    """
    return "order" in FACTS[name].required or name in _BETWEEN_ENDS


def _at(value: Any, places: Mapping[Any, Any]) -> Any:
    return value.xreplace(places) if isinstance(value, sp.Basic) else value


def _value(step: Step, name: Any) -> Any:
    """A letter, or what is made of letters."""
    return _form(step.letters[name] if isinstance(name, str) else name)


def _form(letter: Any) -> Any:
    """What a letter is at the symbol that it is a function of."""
    return letter.expr if isinstance(letter, sp.Lambda) else as_expression(letter)


def may_jump(value: Any, over: set[Any], names: Mapping[Any, Any]) -> set[Any]:
    """The parts of an expression that are not known to be continuous in the symbols `over`."""
    if value in names:
        left = {name: meant for name, meant in names.items() if name != value}
        return may_jump(as_expression(names[value]), over, left)
    if not value.free_symbols & over:
        spoken = [one for one in value.atoms(sp.Symbol, AppliedUndef) if one in names]
        return set().union(*(may_jump(one, over, names) for one in spoken))
    if value.is_Symbol:
        return set()
    known = isinstance(value, _CONTINUOUS) or (isinstance(value, AppliedUndef) and str(value.func) in _QUANTITIES)
    if isinstance(value, scalar) or not known:
        return {value}
    if value.is_Pow and not value.base.is_positive and _varies(value.exp, over, names):  # 0^0 is 1, and 0^x is 0
        return {value}
    return set().union(*(may_jump(arg, over, names) for arg in value.args))


def _varies(value: Any, over: set[Any], names: Mapping[Any, Any]) -> bool:
    """Whether an expression, with what its names stand for, speaks of one of the symbols `over`."""
    if value.free_symbols & over:
        return True
    spoken = value.atoms(sp.Symbol, AppliedUndef) & set(names)
    return any(_varies(as_expression(names[one]), over, {k: v for k, v in names.items() if k != one}) for one in spoken)
