"""Least squares on a sketch is a function of the projection, and so costs no more at any epsilon
(N24-TabII-same-noise).
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.chi_square_hinges import r
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.least_squares_order_steps import RECORD
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.random_projection import leverage
from ndis_verify.symbolic.random_projection_curve import deletion_curve
from ndis_verify.symbolic.random_projection_curve import epsilon as any_epsilon
from ndis_verify.symbolic.random_projection_pairs import FULL_RANK
from ndis_verify.symbolic.statement_terms import quantity

p, epsilon = sp.symbols("p epsilon", nonnegative=True)
q = sp.Symbol("q", positive=True)
d = sp.Symbol("d", integer=True, positive=True)
_SKETCH = {name: letter(of) for name, of in {"X": "X", "X^T": "Xt", "y": "b", "A": "A", "c": "c", "t": "t"}.items()}
_DIRECTIONS = {"deleted": "", "inserted": "_insert"}


def _normal_equations() -> tuple[Step, ...]:
    """The solution t of the sketch, of which X^T (b - X t) = 0: a function of X^T X and X^T b."""
    X, Xt, b, A, c, t = (_SKETCH[name] for name in ("X", "X^T", "y", "A", "c", "t"))
    tall, answer = sp.Matrix([[1, 0], [1, 1], [0, 2]]), sp.Matrix([1, 2, 3])
    model = {X: tall, Xt: tall.T, b: answer, A: tall.T * tall, c: tall.T * answer, t: sp.Matrix([2, 5])}
    return (
        inferred("q at least p", "B is a part of [B b].", q, ">=", p, Use("p <= q", weight=-1)),
        Step(
            "the sketch",
            "M = [B b]^T Pi^T, Pi standard normal with r rows, is a projection of [B b], in which the record has the"
            " leverage q; a sketch of B and b is X = Pi B and b' = Pi b, the rows of M.",
            kind="definition",
            premises=(RECORD, FULL_RANK.text, "r >= d", "q < 1", "q at least p"),
        ),
        named(A, "A is X^T X,", Xt * X, "the sketch"),
        named(c, "and c is X^T b', products of rows of M.", Xt * b, "the sketch"),
        Step(
            "one map",
            "The sketched solution t is that of A t = c, one function of M with the record and without it.",
            lhs=Xt * (b - X * t),
            rhs=c - A * t,
            algebra=BlockAlgebra({(Xt, X): A, (Xt, b): c}, model),
            premises=(str(A), str(c)),
        ),
    )


def _direction_steps(name: str, way: str) -> tuple[Step, ...]:
    return (
        meaning(f"sketch, {name}", f"sketch{way}", p, q, d, r, epsilon),
        meaning(f"projection, {name}", f"projection{way}", q, r, epsilon),
        by_fact(
            f"post-processing, {name}",
            "So it tells the two no better apart.",
            f"a solution is made of its sketch{', exchanged' if way else ''}",
            {"p": p, "q": q, "d": d, "r": r, "epsilon": epsilon, **_SKETCH},
            {"rows": "r >= d", "map": "one map"},
        ),
        inferred(
            name,
            "In the statement's terms.",
            quantity(f"sketch{way}", p, q, d, r, epsilon),
            "<=",
            quantity(f"projection{way}", q, r, epsilon),
            *(f"post-processing, {name}", f"sketch, {name}", f"projection, {name}"),
        ),
    )


@cache
def costs_no_more() -> Derivation:
    """delta_sketch(p, q, d, r; eps) <= delta_delete(q, r; eps) in both directions (N24-TabII-same-noise).

    `number`: p, the leverage of the record in B.
    """
    steps = (
        *_normal_equations(),
        *(step for name, way in _DIRECTIONS.items() for step in _direction_steps(name, way)),
        inferred(
            "inserted, by a deletion",
            "An insertion into a projection costs no more than a deletion (N24-T2).",
            quantity("sketch_insert", p, q, d, r, epsilon),
            "<=",
            quantity("projection", q, r, epsilon),
            "inserted",
            Use(
                "deletion dominates",
                of=deletion_curve,
                at={leverage: q, any_epsilon: epsilon},
                weight=-1,
                granted={"p < 1": "q < 1"},
            ),
        ),
    )
    names = {"p": p, "q": q, "d": d, "r": r, "eps": epsilon}
    return Derivation(
        id="sketch_of_projection.costs_no_more",
        title="Least squares on a sketch costs no more than the projection",
        sources=("N24-TabII",),
        hypotheses=(
            Hypothesis(RECORD, of="sketch"),
            FULL_RANK,
            Hypothesis("p <= q", p <= q),
            Hypothesis("r >= d", r >= d),
            Hypothesis("q < 1", q < 1),
        ),
        steps=steps,
        result_step="q at least p",
        symbols={"leverage": p},
        faults=(
            Fault("half of the cost", "deleted", lambda rhs: rhs / 2),
            Fault(
                "cost of an insertion",
                "inserted, by a deletion",
                lambda rhs: quantity("projection_insert", q, r, epsilon),
            ),
            Fault("product of the other sign", "one map", lambda rhs: -rhs),
        ),
        concludes=tuple(
            Conclusion("N24-TabII-same-noise", end, names) for end in ("deleted", "inserted, by a deletion")
        ),
    )
