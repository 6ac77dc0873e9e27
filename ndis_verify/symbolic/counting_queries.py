"""Sensitivity of counting queries: the Euclidean norm against the sum of absolute values."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held


@cache
def sensitivity_norms() -> Derivation:
    """k counting queries on n records: `Delta_2 <= sqrt(k)/n`, and `Delta_2 <= Delta_1` for every query (SL-1).

    `number`: sqrt(k)/n at `k` and `n`.
    """
    k, n = sp.symbols("k n", positive=True)
    total, gap, last = sp.symbols("A g y", nonnegative=True)
    entry = sp.Symbol("y", real=True)
    two_norm = sp.Symbol("N", nonnegative=True)
    room, change = sp.symbols("v w", nonnegative=True)
    u1, u2, u3 = sp.symbols("u1:4", nonnegative=True)
    steps = (
        Step("norms, k = 1", "|y|^2 = y^2.", lhs=held(sp.Abs(entry)) ** 2, rhs=entry**2),
        Step(
            "norms, k to k + 1",
            "A the 1-norm of k entries, A^2 - g their squared 2-norm with g >= 0, y = |next entry|: the gap does not"
            " shrink below 0.",
            lhs=(total + last) ** 2,
            rhs=(total**2 - gap) + last**2,
            relation=">=",
            witness=gap + 2 * total * last,
        ),
        Step(
            "norms, k = 3 in full",
            "u_i = |z_i|.",
            lhs=(u1 + u2 + u3) ** 2,
            rhs=u1**2 + u2**2 + u3**2,
            relation=">=",
            witness=2 * (u1 * u2 + u1 * u3 + u2 * u3),
        ),
        by_fact(
            "sensitivities",
            "Over the differences z of neighbours: Delta_2 <= Delta_1.",
            "suprema keep the order",
            {"f": two_norm, "g": two_norm + gap},
            {
                "pointwise": Step(
                    "each difference",
                    "||z||_1 = ||z||_2 + g, g >= 0.",
                    lhs=two_norm,
                    rhs=two_norm + gap,
                    relation="<=",
                    witness=-gap,
                )
            },
        ),
        Step(
            "one counting query",
            "It changes by w with w + v = 1/n, v >= 0: its square is at most 1/n^2.",
            lhs=(change + room) ** 2,
            rhs=change**2,
            relation=">=",
            witness=room**2 + 2 * change * room,
        ),
        Step(
            "k counting queries",
            "k squares of at most 1/n^2 each; attained when one record changes all k counts.",
            lhs=sp.sqrt(k * held(1 / n) ** 2),
            rhs=sp.sqrt(k) / n,
        ),
    )
    return Derivation(
        id="counting_queries.sensitivity_norms",
        title="Sensitivity of counting queries in the Euclidean norm",
        sources=("SL-1",),
        hypotheses=("each query is a fraction of n records; neighbours differ in one record",),
        steps=steps,
        result_step="k counting queries",
        symbols={"k": k, "n": n},
        faults=(
            Fault("square root dropped", "k counting queries", lambda rhs: k / n),
            Fault("norms in the other order", "norms, k to k + 1", lambda rhs: rhs + 4 * total * last + gap + 1),
            Fault("n not squared", "k counting queries", lambda rhs: sp.sqrt(k / n)),
        ),
        covers={"SL-1": "whole"},
    )
