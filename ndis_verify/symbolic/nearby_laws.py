"""Laws in place of others: what binning, and what errors in total variation, do to the divergence."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import a_density
from ndis_verify.symbolic.notation import bin_of_sum, largest, largest_union, law, over, summed, total, x
from ndis_verify.symbolic.statement_terms import quantity

epsilon, a, b, y = sp.symbols("epsilon a b y", real=True)
P, Q, U, W = sp.symbols("p q u w", real=True)  # laws, and the probabilities of one outcome
tau = sp.Symbol("tau", real=True)
zero, growth = sp.Integer(0), sp.exp(epsilon)


def larger(name: str, why: str, one: Any, other: Any, bound: Any, shown: tuple[str | Step, str | Step]) -> Step:
    """max(one, other) <= bound; the steps `shown` say that neither exceeds it."""
    return Step(
        name,
        why,
        lhs=sp.Max(one, other),
        rhs=bound,
        relation="<=",
        kind="fact",
        fact="larger of two numbers",
        letters={"one": one, "other": other, "bound": bound},
        conditions={"one": shown[0], "other": shown[1]},
    )


def at_most(name: str, why: str, left: Any, right: Any, *premises: str | Use) -> Step:
    """left <= right, from its premises."""
    return Step(name, why, lhs=left, rhs=right, relation="<=", kind="inference", premises=premises)


def in_order(
    name: str, why: str, mean: Any, sides: tuple[Any, Any], shown: tuple[str | Step, str | Step], *more: str
) -> Step:
    """The mean of the first side is at most that of the second; `shown`: at every point it is; both are finite, as
    `more` says too.
    """
    return Step(
        name,
        why,
        lhs=mean(sides[0]),
        rhs=mean(sides[1]),
        relation="<=",
        kind="fact",
        fact="means keep the order",
        letters={"mean": mean, "f": sides[0], "g": sides[1]},
        conditions={"pointwise": shown[0], "integrable": shown[1]},
        premises=more,
    )


def linear(name: str, why: str, mean: Any, terms: tuple[tuple[Any, Any], ...], shown: str, *more: str | Use) -> Step:
    """The mean of a sum of multiples; `shown` and `more` say that the means are finite."""
    return Step(
        name,
        why,
        lhs=mean(sp.Add(*(c * f for c, f in terms))),
        rhs=sp.Add(*(c * mean(f) for c, f in terms)),
        kind="fact",
        fact="means are linear",
        letters={"mean": mean, "terms": terms},
        conditions={"integrable": shown},
        premises=more,
    )


def _sum(f: Any) -> Any:
    return quantity("sum", f)


def _of(symbol: sp.Symbol) -> Any:
    return quantity("coordinate", symbol)


_COORDINATES = {symbol: _of(symbol) for symbol in (P, Q, U, W)}
_LAWS = {symbol: f"{symbol} is a law" for symbol in (P, Q, U, W)}
_positive_part = Step(
    "part above 0",
    "max(0, y) = (y + |y|)/2.",
    lhs=sp.Max(0, y),
    rhs=(y + sp.Abs(y)) / 2,
    reduce=lambda left, right: (left - right).rewrite(sp.Abs),
)


def _gain(name: str, first: sp.Symbol, second: sp.Symbol) -> tuple[Step, Step]:
    """The sum of max(0, first - second) is half that of |first - second|, as both laws have mass 1."""
    one, other = _of(first), _of(second)
    terms = ((sp.Rational(1, 2), one), (-sp.Rational(1, 2), other), (sp.Rational(1, 2), sp.Abs(one - other)))
    return (
        linear(f"{name}: linear", "A sum over finitely many outcomes.", _sum, terms, "outcomes"),
        Step(
            name,
            "Both laws have mass 1, so what one gains in all is their total variation.",
            lhs=_sum(sp.Max(0, one - other)),
            rhs=_sum(sp.Abs(one - other)) / 2,
            kind="inference",
            premises=(
                Use("part above 0", at={y: one - other}),
                f"{name}: linear",
                f"mass of {first}",
                f"mass of {second}",
            ),
        ),
    )


def _mass(symbol: sp.Symbol) -> Step:
    return Step(
        f"mass of {symbol}",
        "A law.",
        lhs=_sum(_of(symbol)),
        rhs=sp.Integer(1),
        kind="fact",
        fact="a law has mass one",
        letters={"law": symbol},
        conditions={"law": _LAWS[symbol]},
    )


def _one_direction(name: str, laws: tuple[sp.Symbol, ...]) -> tuple[Step, ...]:
    """H(p, q) <= H(u, w) + (1 + c) tau, for laws = p, q, u, w in that order."""
    p, q, u, w = (_of(symbol) for symbol in laws)
    one, other = sp.Max(0, p - growth * q), sp.Max(0, u - growth * w)
    parts = ((sp.Integer(1), other), (sp.Integer(1), sp.Max(0, p - u)), (growth, sp.Max(0, w - q)))
    at = {symbol: _of(value) for symbol, value in zip((P, Q, U, W), laws)}
    bound = sp.Add(*(c * f for c, f in parts))
    outcome = at_most(
        f"{name}: each outcome", "At the probabilities of each outcome.", one, bound, Use("one outcome", at=at)
    )
    return (
        outcome,
        in_order(f"{name}: in order", "Added up.", _sum, (one, bound), (outcome.name, "outcomes")),
        linear(f"{name}: linear", "The sum of the bounds.", _sum, parts, "outcomes"),
        *_gain(f"{name}: what P gains", laws[0], laws[2]),
        *_gain(f"{name}: what Q loses", laws[3], laws[1]),
        at_most(
            name,
            "The errors are at most tau and c tau.",
            _sum(one) - _sum(other),
            (1 + growth) * tau,
            f"{name}: in order",
            Use("error of P"),
            Use("error of Q", weight=growth),
            f"{name}: linear",
            f"{name}: what P gains",
            f"{name}: what Q loses",
        ),
    )


@cache
def perturbation() -> Derivation:
    """Laws each within tau move the divergence by at most (1 + e^eps) tau (KM-4.3).

    `number`: the bound at `epsilon` and `tau`.
    """
    bound = sp.Max(0, U - growth * W) + sp.Max(0, P - U) + growth * sp.Max(0, W - Q)
    distances = _sum(sp.Abs(_of(P) - _of(U))) / 2, _sum(sp.Abs(_of(Q) - _of(W))) / 2
    one, other = (_sum(sp.Max(0, _of(p) - growth * _of(q))) for p, q in ((P, Q), (U, W)))
    larger_error = sp.Max(*distances)
    steps = (
        Step("outcomes", "Finitely many; every sum over them is finite.", kind="definition"),
        *(_mass(symbol) for symbol in (P, Q, U, W)),
        _positive_part,
        Step(
            "at least 0",
            "u - c w, p - u and c (w - q), c = e^eps, add up to p - c q; their positive parts are at least 0,",
            lhs=zero,
            rhs=bound,
            relation="<=",
            witness=-bound,
        ),
        Step(
            "at least the difference",
            "and at least the sum.",
            lhs=P - growth * Q,
            rhs=bound,
            relation="<=",
            witness=-(sp.Max(0, growth * W - U) + sp.Max(0, U - P) + growth * sp.Max(0, Q - W)),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        larger(
            "one outcome",
            "So at every outcome.",
            zero,
            P - growth * Q,
            bound,
            ("at least 0", "at least the difference"),
        ),
        Step(
            "tau",
            "tau is the larger of the two total variations TV(p, u) and TV(q, w).",
            lhs=tau,
            rhs=larger_error,
            kind="definition",
        ),
        Step(
            "either",
            "Of two numbers, neither exceeds the larger one.",
            lhs=a,
            rhs=sp.Max(a, b),
            relation="<=",
            witness=-sp.Max(0, b - a),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        *(
            at_most(
                f"error of {name}",
                f"The total variation of {name} and its neighbour.",
                distances[k],
                tau,
                Use("either", at={a: distances[k], b: distances[1 - k]}),
                "tau",
            )
            for k, name in enumerate("PQ")
        ),
        *_one_direction("upwards", (P, Q, U, W)),
        *_one_direction("downwards", (U, W, P, Q)),
        larger(
            "both directions",
            "Neither difference exceeds it.",
            one - other,
            other - one,
            (1 + growth) * tau,
            ("upwards", "downwards"),
        ),
        Step(
            "absolute value",
            "|y| = max(y, -y).",
            lhs=sp.Abs(y),
            rhs=sp.Max(y, -y),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        at_most(
            "bound",
            "The divergences are within (1 + e^eps) tau of one another,",
            sp.Abs(one - other),
            (1 + growth) * tau,
            "both directions",
            Use("absolute value", at={y: one - other}),
        ),
        at_most(
            "bound by the distances",
            "tau being the larger of the distances.",
            sp.Abs(one - other),
            (1 + growth) * larger_error,
            "bound",
            "tau",
        ),
    )
    return Derivation(
        id="nearby_laws.perturbation",
        title="How far errors in total variation move the divergence",
        sources=("KM-4.3",),
        hypotheses=tuple(Hypothesis(text, law(symbol)) for symbol, text in _LAWS.items()),
        steps=steps,
        result_step="bound",
        symbols={"epsilon": epsilon, "tau": tau},
        faults=(
            Fault("error of Q not weighted", "bound", lambda rhs: 2 * tau),
            Fault("only one error", "upwards", lambda rhs: tau),
        ),
        concludes=(
            *(
                Conclusion(claim, "bound by the distances", {"p": P, "q": Q, "u": U, "w": W, "eps": epsilon})
                for claim in ("KM-4.3", "KM-Alg2")
            ),
        ),
    )


@cache
def binning() -> Derivation:
    """The divergence of binned laws is at most that of the laws (KM-4.1).

    `number`: max(0, p1 - e^eps q1) + max(0, p2 - e^eps q2), what two bins of masses p, q add and merged do not exceed.
    """
    merged = sp.Max(0, P - growth * U) + sp.Max(0, Q - growth * W)
    whole, binned = sp.symbols("H H_binned", real=True)
    mass_p, mass_q = (sp.Function(name, real=True)(bin_of_sum) for name in ("P_bin", "Q_bin"))
    f_p, f_q = (sp.Function(name, nonnegative=True)(x) for name in ("f_P", "f_Q"))
    gap, kept = f_p - growth * f_q, mass_p - growth * mass_q
    positive = sp.Max(gap, 0)

    def in_bin(f: Any) -> Any:
        return over(bin_of_sum, f)

    at_least = (
        Step("part above 0", "max(y, 0) >= y", lhs=y, rhs=sp.Max(y, 0), relation="<=", witness=-sp.Max(-y, 0)),
        Step("not negative", "and >= 0.", lhs=sp.Max(y, 0), rhs=zero, relation=">=", witness=sp.Max(y, 0)),
    )
    steps = (
        a_density("density of P", "f_P is that of P with respect to P + Q,", f_p),
        a_density("density of Q", "f_Q that of Q.", f_q),
        Step("bins", "B_j: finitely many disjoint measurable sets that cover the line.", kind="definition"),
        Step("divergence", "The largest P(S) - e^eps Q(S).", lhs=whole, rhs=largest(gap), kind="definition"),
        Step(
            "over all sets",
            "Attained where f_P > e^eps f_Q.",
            lhs=largest(gap),
            rhs=total(positive),
            kind="fact",
            fact="largest integral over a set",
            letters={"f": gap},
            conditions={"integrable": "density of P"},
            premises=("density of Q",),
        ),
        Step("mass of a bin under P", "P_bin = P(B_j).", lhs=mass_p, rhs=in_bin(f_p), kind="definition"),
        Step("mass of a bin under Q", "Q_bin = Q(B_j).", lhs=mass_q, rhs=in_bin(f_q), kind="definition"),
        Step(
            "masses",
            "Of disjoint bins; each law's add up to 1.",
            kind="definition",
            premises=("bins", "mass of a bin under P", "mass of a bin under Q"),
        ),
        Step(
            "divergence of the binned laws",
            "The largest P(S) - e^eps Q(S) over unions S of bins.",
            lhs=binned,
            rhs=largest_union(kept),
            kind="definition",
        ),
        Step(
            "over all unions",
            "Attained by the bins with P(B_j) > e^eps Q(B_j).",
            lhs=largest_union(kept),
            rhs=summed(sp.Max(kept, 0)),
            kind="fact",
            fact="largest sum over a set",
            letters={"a": kept},
            conditions={"integrable": "masses"},
        ),
        linear(
            "one bin",
            "P(B_j) - e^eps Q(B_j) is the integral over the bin.",
            in_bin,
            ((sp.Integer(1), f_p), (-growth, f_q)),
            "density of P",
            "density of Q",
        ),
        *at_least,
        in_order(
            "a bin: at most",
            "The integral of the positive part is at least that of the gap,",
            in_bin,
            (gap, positive),
            (
                at_most("gap", "At every point.", gap, positive, Use("part above 0", at={y: gap})),
                "density of P",
            ),
            "density of Q",
        ),
        in_order(
            "a bin: not negative",
            "and at least that of 0.",
            in_bin,
            (zero, positive),
            (
                at_most("no gap", "At every point.", zero, positive, Use("not negative", at={y: gap}, weight=-1)),
                "density of P",
            ),
        ),
        linear("a bin: nothing", "The integral of 0, an empty sum, is 0.", in_bin, (), "density of P"),
        at_most(
            "a bin: bound of the gap",
            "In terms of the masses of the bin,",
            kept,
            in_bin(positive),
            "mass of a bin under P",
            "mass of a bin under Q",
            "a bin: at most",
            "one bin",
        ),
        at_most("a bin: bound of 0", "and of 0.", zero, in_bin(positive), "a bin: not negative", "a bin: nothing"),
        larger(
            "a bin",
            "So of the positive part of P(B_j) - e^eps Q(B_j).",
            kept,
            zero,
            in_bin(positive),
            ("a bin: bound of the gap", "a bin: bound of 0"),
        ),
        in_order(
            "all bins", "Added up over the bins.", summed, (sp.Max(kept, 0), in_bin(positive)), ("a bin", "masses")
        ),
        Step(
            "partition",
            "The bins make up the line.",
            lhs=summed(in_bin(positive)),
            rhs=total(positive),
            kind="fact",
            fact="parts of a partition",
            letters={"f": positive},
            conditions={
                "sign": Step(
                    "sign",
                    "A positive part.",
                    lhs=positive,
                    rhs=zero,
                    relation=">=",
                    kind="inference",
                    premises=(Use("not negative", at={y: gap}),),
                ),
            },
        ),
        at_most(
            "binned at most whole",
            "Binning lowers the divergence, for every real eps.",
            binned,
            whole,
            "all bins",
            "divergence of the binned laws",
            "divergence",
            "over all unions",
            "over all sets",
            "partition",
        ),
        Step("two bins: not negative", "Positive parts.", lhs=zero, rhs=merged, relation="<=", witness=-merged),
        Step(
            "two bins: at most",
            "Each is at least its gap.",
            lhs=P + Q - growth * (U + W),
            rhs=merged,
            relation="<=",
            witness=-(sp.Max(0, growth * U - P) + sp.Max(0, growth * W - Q)),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        larger(
            "two bins",
            "Of masses p and q under P, u and w under Q, merged.",
            zero,
            P + Q - growth * (U + W),
            merged,
            ("two bins: not negative", "two bins: at most"),
        ),
    )
    return Derivation(
        id="nearby_laws.binning",
        title="Binning lowers the divergence",
        sources=("KM-4.1",),
        hypotheses=(Hypothesis("real eps", sp.true),),
        steps=steps,
        result_step="two bins",
        symbols={"p1": P, "p2": Q, "q1": U, "q2": W, "epsilon": epsilon},
        faults=(
            Fault("masses under Q not weighted", "two bins: at most", lambda rhs: rhs.subs(epsilon, 0)),
            Fault("twice the divergence below", "a bin: bound of the gap", lambda rhs: 2 * rhs),
        ),
        concludes=(
            Conclusion("KM-4.1", "two bins", {"a": P, "b": Q, "c": U, "d": W, "eps": epsilon}),
            Conclusion("KM-4.1", "binned at most whole", part="any bins of any laws"),
            Conclusion("KM-Alg2", "binned at most whole", part="binning"),
        ),
    )
