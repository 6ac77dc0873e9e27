"""Whether what a derivation calls a definition is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_means import density_problems, is_density
from ndis_verify.court.proof_names import TAKEN, is_of_symbols, variables
from ndis_verify.court.proof_relations import BOUNDS, TURNED, WEAKER
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic.derivation import Derivation, Step, Use
from ndis_verify.symbolic.meanings import is_meaning
from ndis_verify.symbolic.notation import anything
from ndis_verify.symbolic.scopes import ASSUMPTIONS, speaks, unheard
from ndis_verify.symbolic.sides import has_sign, is_known_to_be
from ndis_verify.symbolic.transposes import base_letter, is_marked, written_transposed
from ndis_verify.symbolic.zero import as_expression


def definition_problems(derivation: Derivation, k: int) -> Iterator[str]:
    """A definition gives a new name, or is what a quantity of the statement language means."""
    step, earlier = derivation.steps[k], derivation.steps[:k]
    if step.relation != "=":
        yield "is no equation"
    if step.lhs == anything:
        yield f"{step.lhs} stands for any vector"
    if anything in as_expression(step.rhs).free_symbols and not as_expression(step.lhs).is_commutative:
        yield f"{step.lhs} is another one for each {anything}, which stands for any vector"
    if step.lhs in variables(derivation):
        yield f"{step.lhs} is a variable of the claim"
    if isinstance(step.lhs, sp.Symbol) and not step.lhs.is_commutative and is_marked(step.lhs):
        base = base_letter(step.lhs)
        meant = next((one.rhs for one in earlier if one.kind == "definition" and one.lhs == base), base)
        if not (written_transposed(base, step.rhs) or written_transposed(meant, step.rhs)):
            yield f"{step.lhs} is written as a transpose, and is another array"
    if any(one.kind == "definition" and one.lhs == step.lhs for one in earlier):
        yield f"{step.lhs} is defined twice"
    if is_meaning(step, earlier):
        return
    if is_density(step):
        yield from density_problems(derivation, step)
        return
    if not isinstance(step.lhs, (sp.Symbol, AppliedUndef)):
        yield "defines what is no name"
        return
    if isinstance(step.lhs, AppliedUndef) and str(step.lhs.func) in QUANTITIES:
        yield f"is not what {step.lhs.func} means"
        return
    if isinstance(step.lhs, AppliedUndef) and str(step.lhs.func) not in TAKEN:
        if not is_of_symbols(step.lhs) or len({*step.lhs.args}) < len(step.lhs.args):
            yield f"{step.lhs} is defined at what is no symbol, or twice the same"
    if odd := unheard(step.lhs):
        yield f"nothing says why {step.lhs} is {', '.join(odd)}"
    rhs = as_expression(step.rhs)
    assumed = [one for one in ASSUMPTIONS if getattr(step.lhs, f"is_{one}") is True]
    unseen = [one for one in assumed if not is_known_to_be(rhs, one)]
    if unseen and not _has_reason(derivation, step, unseen):
        yield f"nothing says why {step.lhs} is {', '.join(unseen)}"
    if isinstance(step.lhs, AppliedUndef) and str(step.lhs.func) in TAKEN:
        yield f"{step.lhs.func} means something already"
    name = step.lhs.func if isinstance(step.lhs, AppliedUndef) else step.lhs
    if any(speaks(side, step.lhs) for one in earlier for side in (one.lhs, one.rhs)):
        yield f"{name} was spoken of before"
    if speaks(step.rhs, step.lhs):
        yield f"{name} is defined by itself"


def _has_reason(derivation: Derivation, step: Step, assumed: list[str]) -> bool:
    """Whether the premises of a definition make its right side what it is assumed to be."""
    found = [derivation.used(Use(p) if isinstance(p, str) else p) for p in step.premises]
    order = [one for one in found if one is not None and one.lhs is not None and one.relation != "="]
    gaps = [sp.cancel(sp.together(one.lhs - one.rhs)) for one in order]
    signs = {_times(one.relation, sp.cancel(step.rhs / gap)) for one, gap in zip(order, gaps, strict=True)}
    wanted = {BOUNDS[name][0] for name in assumed if name in BOUNDS}
    if not all(any(sign in WEAKER[one] for one in signs if one) for sign in wanted):
        return False
    return "integer" not in assumed and ("real" not in assumed or _is_real(step.rhs, order))


def _is_real(side: Any, order: list[Step]) -> bool:
    """Whether a side is real where what `order` says has a sign has it: no root and no logarithm of another number."""
    for one in order:
        sign = {">": {"positive": True}, ">=": {"nonnegative": True}}
        for gap, relation in ((one.lhs - one.rhs, one.relation), (one.rhs - one.lhs, TURNED[one.relation])):
            if relation in sign:
                side = side.subs(gap, sp.Dummy(**sign[relation]))
    real = lambda node: isinstance(node, sp.Integral) and node.function.is_real is True  # noqa: E731
    return bool(as_expression(side).replace(real, lambda _: sp.Dummy(real=True)).is_real)


def _times(relation: str, factor: Any) -> str:
    """The relation to 0 of what has `relation` to 0, times a factor; empty where that has no sign."""
    if has_sign(factor, ">"):
        return relation
    return TURNED[relation] if has_sign(factor, "<") else ""
