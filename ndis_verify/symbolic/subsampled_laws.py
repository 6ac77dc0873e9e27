"""The two divergences of a law that is mixed with another one, as a record that is kept with probability s makes it."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.nearby_laws import in_order, larger, linear
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.notation import law

P, Q, y = sp.symbols("p q y", real=True)  # the law with the record for sure, that without it
s, epsilon = sp.Symbol("s", positive=True), sp.Symbol("epsilon", nonnegative=True)
spared, excess = sp.symbols("c b", nonnegative=True)  # 1 - s, e^eps - 1
with_record, without = entry(P), entry(Q)
mixed = (1 - s) * without + s * with_record
factor = 1 + (sp.exp(epsilon) - 1) / s  # e^{eps'}
_LAWS = {P: "p is a law on finitely many points", Q: "q is a law on finitely many points"}
_SYMBOLS = {"p": P, "q": Q, "s": s, "eps": epsilon}


def _plus(value: Any) -> Any:
    return sp.Max(0, value)


def _start() -> tuple[Step, ...]:
    return (
        Step("points", "Finitely many; every sum over them is finite.", kind="definition", premises=(*_LAWS.values(),)),
        Step("factor", "max(0, s y) = s max(0, y).", lhs=_plus(s * y), rhs=s * _plus(y)),
    )


def _scaled(first: Any, second: Any) -> Step:
    """The sum of s max(0, first - e^{eps'} second)."""
    term = _plus(first - factor * second)
    return linear("one factor", "s comes out of the sum.", total_of, ((s, term),), "points")


@cache
def record_added() -> Derivation:
    """`delta_{mixed,q}(eps) = s delta_{p,q}(eps')`, e^{eps'} = 1 + (e^eps - 1)/s (N26-T5.3).

    `number`: s max(0, y), at `s` and `y`.
    """
    gap = mixed - sp.exp(epsilon) * without
    steps = (
        *_start(),
        Step(
            "gap",
            "(1 - s) q + s p - e^eps q = s (p - e^{eps'} q).",
            lhs=gap,
            rhs=s * (with_record - factor * without),
        ),
        _scaled(with_record, without),
        Step(
            "divergence",
            "Added up over the points.",
            lhs=total_of(_plus(gap)),
            rhs=s * total_of(_plus(with_record - factor * without)),
            kind="inference",
            premises=("gap", Use("factor", at={y: with_record - factor * without}), "one factor"),
        ),
    )
    return Derivation(
        id="subsampled_laws.record_added",
        title="The divergence of a mixture with a law from that law",
        sources=("N26-T5.3",),
        hypotheses=tuple(Hypothesis(text, law(one)) for one, text in _LAWS.items()),
        steps=steps,
        result_step="factor",
        symbols={"s": s, "y": y},
        faults=(
            Fault("eps in place of eps'", "gap", lambda rhs: s * (with_record - sp.exp(epsilon) * without)),
            Fault("s dropped", "divergence", lambda rhs: rhs / s),
        ),
        concludes=tuple(Conclusion(claim, "divergence", _SYMBOLS) for claim in ("N26-T5.3", "N26-Fig3")),
    )


@cache
def record_removed() -> Derivation:
    """`delta_{q,mixed}(eps) <= s delta_{q,p}(eps')`, e^{eps'} = 1 + (e^eps - 1)/s, eps >= 0 (N26-T5.3).

    `number`: s max(0, y), at `s` and `y`.
    """
    gap, scaled = without - sp.exp(epsilon) * mixed, s * (without - factor * with_record)
    part, whole = spared * excess / (s + excess), (1 + excess) * s / (s + excess)  # they add up to 1
    steps = (
        *_start(),
        Step("spared", "c = 1 - s.", lhs=spared, rhs=1 - s, kind="definition", premises=("s <= 1",)),
        by_fact(
            "e^eps at least 1",
            "As eps >= 0.",
            "exponentials keep the order",
            {"a": sp.Integer(0), "b": epsilon},
            {"order": Step("eps >= 0", "As stated.", lhs=sp.Integer(0), rhs=epsilon, relation="<=", witness=-epsilon)},
        ),
        Step(
            "excess",
            "b = e^eps - 1.",
            lhs=excess,
            rhs=sp.exp(epsilon) - 1,
            kind="definition",
            premises=("e^eps at least 1",),
        ),
        Step("not negative", "0 <= max(0, y),", lhs=sp.Integer(0), rhs=_plus(y), relation="<=", witness=-_plus(y)),
        Step(
            "at least y",
            "and y <= max(0, y).",
            lhs=y,
            rhs=_plus(y),
            relation="<=",
            witness=-_plus(-y),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        by_fact(
            "masses",
            "Of q.",
            "masses are not negative",
            {"law": Q},
            {"law": _LAWS[Q]},
        ),
        Step(
            "gap",
            "q - e^eps ((1 - s) q + s p) is (1 + b) s/(s + b) <= 1 times s (q - e^{eps'} p), less b^2 c q/(s + b).",
            lhs=gap,
            rhs=_plus(scaled),
            relation="<=",
            kind="inference",
            premises=(
                Use("not negative", at={y: scaled}, weight=part),
                Use("at least y", at={y: scaled}, weight=whole),
                Use("masses", weight=-spared * excess**2 / (s + excess)),
                "spared",
                "excess",
            ),
        ),
        larger(
            "at every point",
            "So is its positive part.",
            sp.Integer(0),
            gap,
            _plus(scaled),
            (
                Step(
                    "no gap",
                    "A positive part.",
                    lhs=sp.Integer(0),
                    rhs=_plus(scaled),
                    relation="<=",
                    kind="inference",
                    premises=(Use("not negative", at={y: scaled}),),
                ),
                "gap",
            ),
        ),
        in_order("added up", "Over the points.", total_of, (_plus(gap), _plus(scaled)), ("at every point", "points")),
        _scaled(without, with_record),
        Step(
            "divergence",
            "s taken out.",
            lhs=total_of(_plus(gap)),
            rhs=s * total_of(_plus(without - factor * with_record)),
            relation="<=",
            kind="inference",
            premises=("added up", Use("factor", at={y: without - factor * with_record}), "one factor"),
        ),
    )
    return Derivation(
        id="subsampled_laws.record_removed",
        title="The divergence of a law from a mixture with another one",
        sources=("N26-T5.3",),
        hypotheses=(*(Hypothesis(text, law(one)) for one, text in _LAWS.items()), Hypothesis("s <= 1", s <= 1)),
        steps=steps,
        result_step="factor",
        symbols={"s": s, "y": y},
        faults=(
            Fault("eps in place of eps'", "gap", lambda rhs: _plus(s * (without - sp.exp(epsilon) * with_record))),
            Fault("s dropped", "divergence", lambda rhs: rhs / s),
            Fault("slack of max(0, y) left out", "at least y", lambda rhs: y - 1),
        ),
        concludes=tuple(Conclusion(claim, "divergence", _SYMBOLS) for claim in ("N26-T5.3", "N26-Fig3")),
    )
