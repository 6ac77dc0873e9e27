"""The NDIS lemma in letters, with any root of the first covariance (N24-T1).

P = N(u, R R^T), Q = N(w, V V^T), z a standard normal vector: u + R z is a draw of P.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, from_side, inferred, named
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import det, positive_definite, scalar, transpose, z
from ndis_verify.symbolic.statement_terms import quantity

u, w, R, V, G, H, J = (letter(name) for name in "uwRVGHJ")
Rt, zt = transpose(R), transpose(z)
epsilon = sp.Symbol("epsilon", real=True)
one = sp.Integer(1)
first, second = R * Rt, V * transpose(V)
K, P = inverse(second), inverse(first)
FIRST, ROOT, SECOND = "R R^T > 0", "R^T R > 0", "V V^T > 0"
FORMS = without_rules((R, Rt, G, H, J, u, w, z, zt, V, transpose(V), K, P))

apart = u - w
A, b = 1 - Rt * K * R, -Rt * K * apart
logs = sp.log(det(first) / det(second))
c = logs / 2 - scalar(transpose(apart) * K * apart) / 2
moved = apart + R * z
form = c + scalar(transpose(b) * z) + (scalar(zt * z) - scalar(zt * Rt * K * R * z)) / 2


def loss(own: Any) -> Any:
    """log p/q at u + R z, where `own` is the exponent of p."""
    return (scalar(transpose(moved) * K * moved) - own - logs) / 2


def _inverted(name: str, inverse_: Any, matrix: Any) -> Step:
    """That a matrix with an inverse has a determinant other than 0."""
    return by_fact(
        f"det {name}",
        "it has a determinant other than 0.",
        "determinants of a matrix and its inverse",
        {"X": inverse_, "N": matrix},
        {"inverse": f"{name} from the left"},
    )


def _exponent_steps() -> tuple[Step, ...]:
    """z^T R^T (R R^T)^{-1} R z = z^T z: R is square, as R R^T and R^T R both have an inverse."""
    return (
        named(G, "G is the inverse of R^T R,", inverse(Rt * R), ROOT),
        from_side(G, Rt * R, "left", "from the left,"),
        named(H, "H that of R R^T,", P, FIRST),
        from_side(H, first, "left", "from the left"),
        from_side(H, first, "right", "and from the right."),
        inferred(
            "R^T H R",
            "So R^T (R R^T)^{-1} R is the identity,",
            Rt * H * R,
            "=",
            one,
            Use("G from the left", between=(-one, Rt * H * R)),
            Use("H from the right", between=(G * Rt, R)),
            Use("G from the left", between=(one, one)),
            algebra=FORMS,
        ),
        inferred(
            "by name",
            "and the exponent of p that of z.",
            scalar(zt * Rt * H * R * z),
            "=",
            scalar(zt * z),
            Use("R^T H R", between=(zt, z)),
            algebra=FORMS,
        ),
        _inverted("H", H, first),
        named(J, "J is the inverse of S.", K, SECOND),
        from_side(J, second, "left", "From the left"),
        _inverted("J", J, second),
        by_fact(
            "H in full",
            "No matrix has another inverse.",
            "an inverse from one side",
            {"X": H, "Y": first},
            {"product": "H from the left"},
        ),
    )


@cache
def lemma() -> Derivation:
    """delta(N(u, R R^T), N(w, S); eps) = E max(0, 1 - e^{eps + c + b^T z + z^T A z/2}), A = I - R^T S^{-1} R, b = -R^T
    S^{-1} (u - w), c = (1/2) log(det(R R^T)/det(S)) - (1/2) (u - w)^T S^{-1} (u - w), S = V V^T (N24-T1).

    `number`: 1, the identity.
    """
    hinge = meaning("hinge", "form_hinge", A, b, epsilon + c)
    steps = (
        *_exponent_steps(),
        by_fact(
            "at a draw",
            "The divergence by the densities at a draw of P.",
            "divergence of two normal laws at a draw of one",
            {"u": u, "R": R, "w": w, "S": second, "epsilon": epsilon},
            {"first": FIRST, "second": SECOND},
            ("det H", "det J"),
        ),
        *(
            by_fact(
                f"mixed, {one_}",
                "A number is its transpose,",
                "a number is its transpose",
                {"v": K * one_, "w": R * z},
                {},
            )
            for one_ in (u, w)
        ),
        inferred(
            "loss",
            "so that the loss is minus the form.",
            loss(scalar(zt * z)),
            "=",
            -form,
            *("mixed, u", "mixed, w"),
        ),
        meaning("pair", "normal_pair", u, first, w, second, epsilon),
        hinge,
        inferred(
            "lemma",
            "Both together.",
            quantity("normal_pair", u, first, w, second, epsilon),
            "=",
            quantity("form_hinge", A, b, epsilon + c),
            *("pair", "hinge", "at a draw", "H in full", "by name", "mixed, u", "mixed, w"),
        ),
    )
    whole = {"u": u, "R": R, "w": w, "V": V, "eps": epsilon}
    return Derivation(
        id="ndis_any_root.lemma",
        title="The divergence of two Gaussians by any root of the first covariance",
        sources=("N24-T1",),
        hypotheses=tuple(
            Hypothesis(text, positive_definite(matrix))
            for text, matrix in ((FIRST, first), (ROOT, Rt * R), (SECOND, second))
        ),
        steps=steps,
        result_step="G from the left",
        symbols={},
        faults=(
            Fault("sign of b", "loss", lambda rhs: rhs + 2 * scalar(transpose(b) * z)),
            Fault("half of the log determinant", "loss", lambda rhs: rhs + logs / 4),
            Fault("no identity", "R^T H R", lambda rhs: 2 * rhs),
            Fault("hinge at another level", "lemma", lambda rhs: quantity("form_hinge", A, b, epsilon)),
            Fault("A alone", "lemma", lambda rhs: quantity("form_hinge", A, -b, epsilon + c)),
        ),
        concludes=(
            Conclusion("N24-T1", "lemma", whole),
            Conclusion("N24-T1", "loss", {**whole, "z": z}),
        ),
    )
