"""Least squares relative to a set of databases: leverage and residual of the set, and noise only where the set needs
it.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import least_squares_order as order
from ndis_verify.symbolic import sketch_of_projection as sketch
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import inferred
from ndis_verify.symbolic.privacy_loss import dp_iff_hockey_stick
from ndis_verify.symbolic.random_projection_pairs import FULL_RANK

h, share = sp.symbols("h u", nonnegative=True)  # u = H - h, H = v^T ([B b]^T [B b])^{-1} v of the whole record
H = h + share
length2, level, eigenvalue, y = sp.symbols("l2 sigma2 lambda y", positive=True)
beyond = sp.Symbol("w", positive=True)  # u of a record that is not 0
rows, epsilon = sp.Symbol("m", integer=True, nonnegative=True), sp.Symbol("epsilon", nonnegative=True)
_SET, _DENSITIES = "a set of databases S, fixed and public", "output laws have densities with respect to one measure"


def _projection_steps() -> tuple[Step, ...]:
    """The sketch of a pair of the set costs no more than its projection, in either direction."""
    p, q = h / (1 + h), (h + beyond) / (1 + h + beyond)
    at = {sketch.p: p, sketch.q: q, sketch.r: sketch.d + rows}
    granted = {
        FULL_RANK.text: "releases",
        sketch.RECORD: "releases",
        **{text: text for text in ("p <= q", "q < 1", "r >= d")},
    }
    shown = {step.name: step for step in sketch.costs_no_more().steps}
    ends = (("a sketch deleted", "deleted"), ("a sketch inserted", "inserted, by a deletion"))
    return (
        Step(
            "releases",
            f"For {sketch.RECORD}, {FULL_RANK.text}; p = h/(1 + h), q = (h + w)/(1 + h + w), and r = d + m.",
            kind="definition",
            premises=("set",),
        ),
        Step("p <= q", "p is at most q,", p, q, "<=", -beyond / ((1 + h) * (1 + h + beyond)), premises=("releases",)),
        Step("q < 1", "q below 1,", q, sp.Integer(1), "<", -1 / (1 + h + beyond), premises=("releases",)),
        Step("r >= d", "and r at least d.", sketch.d + rows, sketch.d, ">=", rows, premises=("releases",)),
        *(
            inferred(
                name,
                "The sketch of a pair costs no more than its projection, whose leverage is q.",
                shown[end].lhs.subs(at),
                "<=",
                shown[end].rhs.subs(at),
                Use(end, of=sketch.costs_no_more, at=at, granted=granted),
            )
            for name, end in ends
        ),
    )


@cache
def mechanism() -> Derivation:
    """For a fixed set, the ridge at which its own worst neighbours meet the target: relative DP (N24-Fig13 corrected,
    N24-D7).

    `number`: the residual share that a record has once it has come in, at its `h` and at `u` = H - h before.
    """
    p, q = h / (1 + h), H / (1 + H)
    zero, cap = sp.Integer(0), sp.Symbol("cap", positive=True)
    term = y**2 / (eigenvalue + level)
    steps = (
        Step(
            "set",
            "S is a set of databases [B b] of full column rank, their residual not 0, or beside a ridge; l bounds the"
            " norms of their records. A pair of S is (D, D less row i), both in S: a record of leverage p in B and q in"
            " [B b], p = p_i and q = q_i, q_i - p_i its share of the squared residual (N24-P4). The outputs are"
            " solutions of least squares or of a sketch: output laws have densities with respect to one measure.",
            kind="definition",
            premises=(_SET,),
        ),
        Step(
            "what a pair costs",
            "p_i, q_i, d and r alone decide both directions of the normal law and of the sketch"
            " (least_squares.quadratic_form_deletion, quadratic_form_insertion, finite_loss).",
            kind="argument",
            premises=("set",),
        ),
        *_projection_steps(),
        Step(
            "an added record",
            "has leverages h/(1+h) in B and H/(1+H) in [B b] (relative_projection.neighbourhood, for each of the two),"
            " so its share is",
            lhs=q - p,
            rhs=share / ((1 + h) * (1 + H)),
            premises=("set",),
        ),
        Step(
            "a copy of a record",
            "has h = p_i, H = q_i: its share falls,",
            lhs=share,
            rhs=q - p,
            relation=">=",
            witness=share * (h + H + h * H) / ((1 + h) * (1 + H)),
            premises=("an added record",),
        ),
        Step(
            "its leverage in [B b] falls too",
            "so additions from D's own records attain neither maximum: the residual of the set is max_i (q_i - p_i),"
            " whichever of q and q - p is meant.",
            lhs=H,
            rhs=q,
            relation=">=",
            witness=H**2 / (1 + H),
            premises=("a copy of a record",),
        ),
        Step(
            "beside a ridge",
            "Appending sqrt(s) I adds s I to both Gram matrices; the pairs stay the same, and each leverage is a sum of"
            " y_j^2/(lambda_j + s) that falls in s.",
            lhs=sp.diff(term, level),
            rhs=zero,
            relation="<",
            witness=-(y**2) / (eigenvalue + level) ** 2,
            premises=("set",),
        ),
        Step(
            "one branch",
            "The ridge is a number of the whole set: the least s beside which no pair of S costs more than delta."
            " Every member of S takes the same branch.",
            kind="definition",
            premises=("what a pair costs", "beside a ridge"),
        ),
        Step(
            "private",
            "Where no pair of S costs more than delta beside the chosen ridge, 0 or not, every two neighbours of S are"
            " (eps, delta)-indistinguishable (privacy_loss.dp_iff_hockey_stick): relative DP. Nothing about the order"
            " of the costs in p, q or s is used.",
            kind="argument",
            premises=("one branch", Use("divergence", of=dp_iff_hockey_stick, granted={_DENSITIES: "set"})),
        ),
        Step(
            "enough",
            "The ridge l^2 (1/cap - 1) keeps q at most cap,",
            lhs=(length2 / (level + length2)).subs(level, length2 * (1 / cap - 1)),
            rhs=cap,
            premises=("set",),
        ),
        Step("eps", "Nothing is said of eps < 0,", epsilon, zero, ">=", epsilon),
        Step(
            "a ridge exists",
            "and with the cap of the unrestricted mechanism no pair of any set costs more than delta"
            " (least_squares_order): the search has an upper end.",
            kind="argument",
            premises=(
                "enough",
                "private",
                *(
                    Use(
                        f"cost along the curve, {way}",
                        of=order.gaussian_order,
                        at={order.epsilon: epsilon},
                        granted={sketch.RECORD: "set", "eps >= 0": "eps"},
                    )
                    for way in ("deleted", "inserted")
                ),
            ),
        ),
    )
    return Derivation(
        id="relative_least_squares.mechanism",
        title="Least squares with noise only where a set of databases needs it",
        sources=("N24-D7", "N24-Fig13"),
        hypotheses=(_SET,),
        steps=steps,
        result_step="an added record",
        symbols={"h": h, "u": share},
        faults=(
            Fault("the share of an added record is that of the old database", "an added record", lambda rhs: share),
            Fault("one leverage only", "an added record", lambda rhs: share / (1 + H)),
            Fault("cap turned upside down", "enough", lambda rhs: 1 / (1 + cap)),
            Fault("leverage grows with the ridge", "beside a ridge", lambda rhs: 2 * sp.diff(term, level)),
        ),
        concludes=tuple(
            Conclusion(claim, step, part=part, granted=granted)
            for claim, granted in (
                *((claim, {}) for claim in ("N24-D7", "N24-Fig13", "N24-Fig13-corrected")),
                ("N24-TabIV", {_SET: "a database and all its neighbours as the set"}),
            )
            for step, part in (
                ("its leverage in [B b] falls too", "the set of a database and its neighbours"),
                ("private", "the tested ridge, for a fixed set"),
                ("a ridge exists", "such a ridge exists"),
                ("a sketch deleted", "a deletion costs no more than in a projection"),
                ("a sketch inserted", "an insertion costs no more than in a projection"),
            )
        ),
    )
