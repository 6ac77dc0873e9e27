"""Sensitivity of counting queries: the Euclidean norm against the sum of absolute values."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.nearby_laws import in_order, linear
from ndis_verify.symbolic.normal_coordinates import entry, total_of

x, m = sp.symbols("x m", real=True)  # the change of each query, and how often it stands
n = sp.Symbol("n", positive=True, integer=True)
_count = sp.Symbol("k", nonnegative=True)
_times = sp.Symbol("c", positive=True)  # m_i
zero, one = sp.Integer(0), sp.Integer(1)


@cache
def sensitivity_norms() -> Derivation:
    """k counting queries on n records: `Delta_2 <= sqrt(k)/n`, and `Delta_2 <= Delta_1` for every query (SL-1).

    `number`: sqrt(k)/n at `k` and `n`.
    """
    change, times = entry(x), entry(m)
    squares = total_of(times * change**2)
    steps = (
        Step("queries", "Finitely many; every sum over them is finite.", kind="definition"),
        Step("1 > 0", "1 is positive.", one, zero, ">", one),
        inferred("m_i > 0", "Each stands at least once,", times, ">", zero, Use("m_i >= 1"), "1 > 0"),
        named(_times, "so often.", times, "m_i > 0"),
        Step("c > 0", "That is positive.", _times, zero, ">", _times),
        inferred(
            "one query",
            "It changes by 1/n at most, its square by 1/n^2.",
            times * change**2,
            "<=",
            times / n**2,
            Use("|x_i| <= 1/n", weight=_times * (sp.Abs(change) + 1 / n)),
            "c",
        ),
        in_order(
            "added up", "Over all of them,", total_of, (times * change**2, times / n**2), ("one query", "queries")
        ),
        linear("k terms", "k of at most 1/n^2,", total_of, ((1 / n**2, times),), "queries"),
        by_fact(
            "k >= 0",
            "k being no negative number,",
            "means of what is not negative",
            {"mean": total_of, "f": times},
            {"pointwise": inferred("m_i >= 0", "As m_i > 0.", times, ">=", zero, *("c > 0", "c"))},
        ),
        named(_count, "k = sum m_i.", total_of(times), "k >= 0"),
        by_fact(
            "k counting queries",
            "so that the Euclidean norm is at most",
            "a number and a larger square",
            {"a": sp.sqrt(squares), "b": sp.sqrt(_count) / n},
            {
                "squares": inferred(
                    "squares", "By their sum.", squares, "<=", _count / n**2, *("added up", "k terms", "k")
                ),
                "sign": Step("sign", "Not negative.", sp.sqrt(_count) / n, zero, ">=", sp.sqrt(_count) / n),
            },
        ),
        inferred(
            "in the number of queries",
            "k being their number.",
            sp.sqrt(squares),
            "<=",
            sp.sqrt(total_of(times)) / n,
            *("k counting queries", "k"),
        ),
        by_fact(
            "norms",
            "And no Euclidean norm is more than the sum of the sizes.",
            "a Euclidean norm and a sum of sizes",
            {"x": change, "m": times},
            {"counts": "m_i >= 1"},
        ),
    )
    names = {"x": x, "m": m, "n": n}
    return Derivation(
        id="counting_queries.sensitivity_norms",
        title="Sensitivity of counting queries in the Euclidean norm",
        sources=("SL-1",),
        hypotheses=(
            Hypothesis("|x_i| <= 1/n", sp.Abs(entry(x)) <= 1 / n),
            Hypothesis("m_i >= 1", entry(m) >= 1),
            Hypothesis("n >= 1", n >= 1),
        ),
        steps=steps,
        result_step="k counting queries",
        symbols={"k": _count, "n": n},
        faults=(
            Fault("square root dropped", "in the number of queries", lambda rhs: rhs**2),
            Fault("n not squared", "one query", lambda rhs: rhs * n),
            Fault("half the norm", "in the number of queries", lambda rhs: rhs / 2),
        ),
        concludes=tuple(Conclusion("SL-1", end, names) for end in ("in the number of queries", "norms")),
    )
