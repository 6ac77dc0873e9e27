"""Databases of many small records that bring the logistic-regression surrogate to the worst pair of its envelope."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact

zero, one = sp.Integer(0), sp.Integer(1)
added, penalty, length, mass, size = sp.symbols("v lambda l a s", positive=True)
theta, moved = sp.symbols("t u", real=True)
epsilon = sp.Symbol("epsilon", nonnegative=True)
_EDGE = length * (1 + sp.exp(size * mass / penalty))

HYPOTHESES = {
    "lam t = a/(1 + e^{s t}): a/s records of size s and label 1, d = 1": sp.Eq(
        penalty * theta, mass / (1 + sp.exp(size * theta))
    ),
    "lam u = a/(1 + e^{s u}) - l/(1 + e^{-l u}): beside them one of size l and label -1": sp.Eq(
        penalty * moved, mass / (1 + sp.exp(size * moved)) - length / (1 + sp.exp(-length * moved))
    ),
    "a >= l (1 + e^{s a/lambda})": sp.Ge(mass, _EDGE),
}


@cache
def logistic_approached() -> Derivation:
    """The pair N(0, v + 1/lambda), N(l/lambda, v + 1/(lambda + l^2/4)) is a limit of neighbouring outputs of the
    surrogate: of a/s records of size s, s -> 0, then a -> oo, and one of size l against them (N26-Pr7).

    `number`: the limit l/lambda of the shift, at `length`, `penalty`.
    """
    before, after, both = HYPOTHESES
    largest = sp.exp(size * mass / penalty)
    of_moved, of_record = sp.exp(size * moved), sp.exp(-length * moved)
    low = mass / (1 + largest) - length  # lambda theta' at least
    edge = sp.exp(-length * low / penalty)
    least = mass / (1 + largest) - mass / 2 + length / (1 + edge)  # lambda (theta - theta') at least
    without, with_record = 1 / (penalty + mass * size / 4), 1 / (penalty + mass * size / 4 + length**2 / 4)
    steps: list[Step] = []

    def inferred(name: str, why: str, lhs: sp.Expr, relation: str, rhs: sp.Expr, *premises: str | Use) -> None:
        steps.append(Step(name, why, lhs=lhs, rhs=rhs, relation=relation, kind="inference", premises=premises))

    def signed(name: str, why: str, lhs: sp.Expr, relation: str, rhs: sp.Expr, witness: sp.Expr) -> None:
        steps.append(Step(name, why, lhs=lhs, rhs=rhs, relation=relation, witness=witness))

    def ordered(name: str, why: str, low: sp.Expr, high: sp.Expr, order: str) -> None:
        fact = "exponentials keep the order"
        steps.append(by_fact(name, why, fact, {"a": low, "b": high}, {"order": order}))

    for name, called, at in (("theta", before, theta), ("theta'", after, moved)):
        exp = sp.exp(size * at)
        signed(f"pull at {name}", "A pull is at most 1,", 1 / (1 + exp), "<=", one, -exp / (1 + exp))
        rest: tuple[str | Use, ...] = ()
        if at == moved:
            pull = length / (1 + of_record)
            signed("record's pull", "the new record's is not negative,", pull, ">=", zero, pull)
            rest = (Use("record's pull", weight=-one),)
        inferred(
            f"lambda {name} at most",
            f"so lambda {name} is at most a,",
            penalty * at,
            "<=",
            mass,
            Use(f"pull at {name}", weight=mass),
            *rest,
            Use(called),
        )
        most = Use(f"lambda {name} at most", weight=size / penalty)
        inferred(f"{name} at most", f"{name} at most a/lambda,", size * at, "<=", size * mass / penalty, most)
        ordered(f"e^(s {name})", "and", size * at, size * mass / penalty, f"{name} at most")
        inferred(
            f"pull at {name} at least",
            "its pull at least",
            1 / (1 + exp),
            ">=",
            1 / (1 + largest),
            Use(f"e^(s {name})", weight=-1 / ((1 + exp) * (1 + largest))),
        )
    signed(
        "record's pull at most l",
        "The new record pulls at most l,",
        length / (1 + of_record),
        "<=",
        length,
        -length * of_record / (1 + of_record),
    )
    inferred(
        "lambda theta' at least",
        "so lambda theta' is at least",
        penalty * moved,
        ">=",
        low,
        Use("pull at theta' at least", weight=mass),
        Use("record's pull at most l", weight=-one),
        Use(after),
    )
    bound = Use("lambda theta' at least", weight=-length / penalty)
    inferred("theta' at least", "or", -length * moved, "<=", -length * low / penalty, bound)
    ordered("e^(-l theta')", "and the new record's pull", -length * moved, -length * low / penalty, "theta' at least")
    inferred(
        "record's pull at least",
        "at least",
        length / (1 + of_record),
        ">=",
        length / (1 + edge),
        Use("e^(-l theta')", weight=-length / ((1 + of_record) * (1 + edge))),
    )
    inferred(
        "theta' >= 0",
        "theta' is not negative,",
        zero,
        "<=",
        size * moved,
        Use("theta' at least", weight=size / length),
        Use(both, weight=-size / (penalty * (1 + largest))),
    )
    ordered("e^0", "so that", zero, size * moved, "theta' >= 0")
    inferred(
        "pull at theta' at most half",
        "the others pull at most half.",
        1 / (1 + of_moved),
        "<=",
        one / 2,
        Use("e^0", weight=1 / (2 * (1 + of_moved))),
    )
    inferred(
        "lambda times the shift",
        "So lambda times the shift is at least",
        penalty * theta - penalty * moved,
        ">=",
        least,
        Use("pull at theta at least", weight=mass),
        Use("pull at theta' at most half", weight=-mass),
        Use("record's pull at least", weight=one),
        *(Use(before), Use(after)),
    )
    scaled = Use("lambda times the shift", weight=1 / penalty)
    inferred("shift", "and the shift at least", theta - moved, ">=", least / penalty, scaled)
    many = length / (1 + sp.exp(-length * (mass / 2 - length) / penalty))
    for name, why, limit, value in (
        ("many records", "which tends, s -> 0,", sp.Limit(least / penalty, size, 0), many / penalty),
        ("edge", "(as does the least a that there is,", sp.Limit(_EDGE, size, 0), 2 * length),
        ("small edge", "to what is small beside a)", sp.Limit(2 * length / mass, mass, sp.oo), zero),
        ("much mass", "and a -> oo, to l/lambda;", sp.Limit(many / penalty, mass, sp.oo), length / penalty),
        ("variance without", "the variances tend to", sp.Limit(added + without, size, 0), added + 1 / penalty),
        (
            "variance with",
            "and to",
            sp.Limit(added + with_record, size, 0),
            added + 1 / (penalty + length**2 / 4),
        ),
    ):
        steps.append(Step(name, why, lhs=limit, rhs=value))
    laws = {
        "distance": theta - moved,
        "least": least / penalty,
        "between": many / penalty,
        "limit": length / penalty,
        "variance": added + without,
        "other variance": added + with_record,
        "limit variance": added + 1 / penalty,
        "other limit variance": added + 1 / (penalty + length**2 / 4),
        "first": size,
        "second": mass,
        "edge": _EDGE,
        "between edge": 2 * length,
        "epsilon": epsilon,
    }
    conditions: dict[str, str | Step] = {
        "least": "shift",
        "first limit": "many records",
        "second limit": "much mass",
        "variance": "variance without",
        "other variance": "variance with",
        **{
            condition: Step(f"{letter} > 0", "", lhs=laws[letter], rhs=zero, relation=">", witness=laws[letter])
            for condition, letter in (
                ("distance", "limit"),
                ("spread", "limit variance"),
                ("other spread", "other limit variance"),
            )
        },
        "all": both,
        "edge": "edge",
        "small edge": "small edge",
    }
    for order, fact in (
        ("first law first", "a limit of normal pairs"),
        ("second law first", "a limit of normal pairs, exchanged"),
    ):
        steps.append(by_fact(f"approached, {order}", "So the divergence is approached.", fact, laws, conditions))
    return Derivation(
        id="logistic_limit.logistic_approached",
        title="Many small records bring the surrogate to the worst pair of its envelope",
        sources=("N26-D7", "N26-Pr7"),
        hypotheses=tuple(Hypothesis(text, relation) for text, relation in HYPOTHESES.items()),
        steps=tuple(steps),
        result_step="much mass",
        symbols={"length": length, "penalty": penalty},
        faults=(
            Fault("a whole pull for half", "pull at theta' at most half", lambda rhs: rhs / 2),
            Fault("record forgotten", "theta' at least", lambda rhs: rhs - length**2 / penalty),
            Fault("shift of the bound twice", "shift", lambda rhs: 2 * rhs),
            Fault("limit at s = 0 of half the mass", "many records", lambda rhs: rhs / 2),
            Fault("label of the others", "much mass", lambda rhs: 2 * rhs),
            Fault("record in both variances", "variance without", lambda rhs: added + 1 / (penalty + length**2 / 4)),
        ),
        concludes=tuple(
            Conclusion("N26-Pr7-joint-approached", f"approached, {order}")
            for order in ("first law first", "second law first")
        ),
    )
