"""Least squares relative to a set of databases: leverage and residual of the set, and noise only where the set needs
it.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step

h, share = sp.symbols("h u", nonnegative=True)  # u = H - h, H = v^T ([B b]^T [B b])^{-1} v of the whole record
H = h + share
length2, level, eigenvalue, y = sp.symbols("l2 sigma2 lambda y", positive=True)


@cache
def mechanism() -> Derivation:
    """For a fixed set, the ridge at which its own worst neighbours meet the target: relative DP (N24-Fig13 corrected,
    N24-D7).

    `number`: the residual share that a record has once it has come in, at its `h` and at `u` = H - h before.
    """
    p, q = h / (1 + h), H / (1 + H)
    zero = sp.Integer(0)
    term = y**2 / (eigenvalue + level)
    steps = (
        Step(
            "set",
            "S is a set of databases [B b]; a pair of it is (D, D less row i), both in S, p_i and q_i the leverages of"
            " row i of D in B and in [B b], q_i - p_i its share of the squared residual (N24-P4).",
            kind="definition",
        ),
        Step(
            "what a pair costs",
            "p_i, q_i, d and r alone decide both directions of the normal law and of the sketch"
            " (least_squares.quadratic_form_deletion, quadratic_form_insertion, finite_loss).",
            kind="argument",
        ),
        Step(
            "an added record",
            "has leverages h/(1+h) in B and H/(1+H) in [B b] (relative_projection.neighbourhood, for each of the two),"
            " so its share is",
            lhs=q - p,
            rhs=share / ((1 + h) * (1 + H)),
        ),
        Step(
            "a copy of a record",
            "has h = p_i, H = q_i: its share falls,",
            lhs=share,
            rhs=q - p,
            relation=">=",
            witness=share * (h + H + h * H) / ((1 + h) * (1 + H)),
        ),
        Step(
            "its leverage in [B b] falls too",
            "so additions from D's own records attain neither maximum: the residual of the set is max_i (q_i - p_i),"
            " whichever of q and q - p is meant.",
            lhs=H,
            rhs=q,
            relation=">=",
            witness=H**2 / (1 + H),
        ),
        Step(
            "beside a ridge",
            "Appending sqrt(s) I adds s I to both Gram matrices; the pairs stay the same, and each leverage is a sum of"
            " y_j^2/(lambda_j + s) that falls in s.",
            lhs=sp.diff(term, level),
            rhs=zero,
            relation="<",
            witness=-(y**2) / (eigenvalue + level) ** 2,
        ),
        Step(
            "one branch",
            "The ridge is a number of the whole set: the least s beside which no pair of S costs more than delta."
            " Every member"
            " of S takes the same branch.",
            kind="definition",
        ),
        Step(
            "private",
            "Where no pair of S costs more than delta beside the chosen ridge, 0 or not, every two neighbours of S are"
            " (eps, delta)-indistinguishable (privacy_loss.dp_iff_hockey_stick): relative DP. Nothing about the order"
            " of the costs in p, q or s is used.",
            kind="argument",
        ),
        Step(
            "enough",
            "The ridge l^2 (1/cap - 1) keeps q at most cap,",
            lhs=(length2 / (level + length2)).subs(level, length2 * (1 / p - 1)),
            rhs=p,
        ),
        Step(
            "a ridge exists",
            "and with the cap of the unrestricted mechanism no pair of any set costs more than delta"
            " (least_squares_order): the search has an upper end.",
            kind="argument",
        ),
    )
    return Derivation(
        id="relative_least_squares.mechanism",
        title="Least squares with noise only where a set of databases needs it",
        sources=("N24-D7", "N24-Fig13"),
        hypotheses=(
            "the set is fixed, and with it the ridge",
            "every record has norm at most l",
            "members of full column rank, residual not 0, or ridge > 0",
        ),
        steps=steps,
        result_step="an added record",
        symbols={"h": h, "u": share},
        faults=(
            Fault("the share of an added record is that of the old database", "an added record", lambda rhs: share),
            Fault("one leverage only", "an added record", lambda rhs: share / (1 + H)),
            Fault("cap turned upside down", "enough", lambda rhs: 1 / (1 + p)),
            Fault("leverage grows with the ridge", "beside a ridge", lambda rhs: 2 * sp.diff(term, level)),
        ),
        covers={
            "N24-D7": "whole, for the set of a database and its neighbours",
            "N24-Fig13": "corrected, for a fixed set",
        },
    )
