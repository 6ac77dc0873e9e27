"""Steps of proofs made by hand: relations that show themselves, facts with their conditions, and what is wrong."""

import sympy as sp
from whole_proofs import derivation

from ndis_verify.court.proof_structure import problems
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import below, beyond

zero, one, two, half = sp.Integer(0), sp.Integer(1), sp.Integer(2), sp.Rational(1, 2)
held = sp.UnevaluatedExpr


def in_order(name, left, sign, right=zero, witness=None):
    return Step(name, "", left, right, sign, left - right if witness is None else witness)


def evident(value, sign, bound=zero):
    """What nobody doubts, as a step."""
    return Step("evident", "", held(value), bound, sign, value - bound)


def of_fact(name, fact, letters, conditions=None, premises=()):
    return by_fact(name, "", fact, letters, conditions or {}, premises=premises)


def conditions_of(fact, letters, witness=None):
    """The conditions of a fact that ask for relations, as steps that say them."""
    found = {}
    for name, wanted in FACTS[fact].required.items():
        left, sign, right = wanted(letters)
        shown = left - right if witness is None else witness
        found[name] = Step(name, "", held(left), right, sign, None if sign == "=" else shown)
    return found


def wrong_with(*steps, hypotheses=()):
    """The problems of steps that are a derivation."""
    return "; ".join(problems(derivation(steps, {}, hypotheses)))


def holds(step, *before):
    """What is decided of a step after the others."""
    return derivation((*before, step), {}).holds(step)


def claimed(text, *hypotheses, over=()):
    return statement(text, *hypotheses, over=over or (real("y", -9, 9),))


def on_both_sides(name, f, g, argument, edge, sign="<="):
    """A relation of two functions, by what they are above an edge and below it."""
    shown = {}
    for key, at in (("above", edge + below), ("below", edge - beyond)):
        left, right = f.subs(argument, at), g.subs(argument, at)
        witness = sp.factor(sp.simplify(left - right)) if sign == "<=" else None
        shown[key] = Step(key, "", left if sign == "<=" else left + held(zero), right, sign, witness)
    fact = "both sides of an edge" if sign == "<=" else "equal on both sides of an edge"
    return of_fact(name, fact, {"f": f, "g": g, "argument": argument, "edge": edge}, shown)
