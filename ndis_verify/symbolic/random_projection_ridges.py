"""What a record of bounded norm costs a random projection beside a ridge, in both directions."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.chi_square_hinges import r
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.random_projection import leverage as own_leverage
from ndis_verify.symbolic.random_projection_curve import deletion_curve, epsilon, rises_strictly
from ndis_verify.symbolic.random_projection_pairs import DIRECTIONS, FULL_RANK, grows_with_leverage, larger, leverage
from ndis_verify.symbolic.random_projection_pairs import epsilon as any_epsilon
from ndis_verify.symbolic.statement_terms import quantity

target = sp.Symbol("P", positive=True)  # the leverage at which a target is met
length, ridge = sp.Symbol("l", positive=True), sp.Symbol("v", real=True)
excess = sp.Symbol("y", nonnegative=True)  # of the ridge over the least one
one = sp.Integer(1)
_MOST, _TOO_SMALL = "p <= l^2/(l^2 + v)", "w < l^2 (1/P - 1)"


@cache
def beside_a_ridge() -> Derivation:
    """Beside a ridge v >= l^2/P a record of norm l at most, of leverage l^2/(l^2 + v) at most, costs no more than the
    leverage P, in both directions (N26-T5.1).

    `number`: the largest leverage l^2/(l^2 + v), at `length` and `ridge`.
    """
    return _beside("beside_a_ridge", length**2 / target, "v >= l^2/P", r, ("N26-T5.1", "N26-Fig1"))


@cache
def beside_the_smallest_ridge() -> Derivation:
    """The same beside v >= l^2 (1/P - 1) (N24-T3, N26-Fig1-smallest-ridge). `number`: as `beside_a_ridge`."""
    least = length**2 * (1 / target - 1)
    return _beside("beside_the_smallest_ridge", least, "v >= l^2 (1/P - 1)", r, ("N26-Fig1-smallest-ridge", "N24-T3"))


@cache
def one_column_beside_a_ridge() -> Derivation:
    """The same for one column (N24-C7, N24-Fig8). `number`: as `beside_a_ridge`."""
    least = length**2 * (1 / target - 1)
    return _beside("one_column_beside_a_ridge", least, "v >= l^2 (1/P - 1)", one, ("N24-C7", "N24-Fig8"))


@cache
def below_the_smallest_ridge() -> Derivation:
    """Beside w < l^2 (1/P - 1) deleting a lone record of norm l costs more than the leverage P
    (N26-Fig1-smallest-ridge).

    `number`: the leverage of that record, at `length` and `ridge` = w.
    """
    smaller = sp.Symbol("w", positive=True)
    lone = length**2 / (length**2 + smaller)
    steps = (
        Step(
            "lone record",
            "A lone record of norm l has the leverage",
            lhs=1 / (1 + smaller / length**2),
            rhs=lone,
        ),
        Step("below 1", "which is below 1", lhs=lone, rhs=one, relation="<", witness=-smaller / (length**2 + smaller)),
        Step(
            "above P",
            "and above P.",
            lhs=1 / (1 + smaller / length**2),
            rhs=target,
            relation=">",
            kind="inference",
            premises=("lone record", Use(_TOO_SMALL, weight=-target / (length**2 + smaller))),
        ),
        Step(
            "more",
            "So it costs more (N24-P3).",
            lhs=quantity("projection", lone, r, epsilon),
            rhs=quantity("projection", target, r, epsilon),
            relation=">",
            kind="inference",
            premises=(
                Use(
                    "larger leverage",
                    of=rises_strictly,
                    at={leverage: target, larger: lone},
                    granted={"q > p": "above P", "q < 1": "below 1"},
                ),
            ),
        ),
    )
    return Derivation(
        id="random_projection_ridges.below_the_smallest_ridge",
        title="A smaller ridge costs a lone record more",
        sources=("N26-Fig1-smallest-ridge", "N24-Fig3"),
        hypotheses=(FULL_RANK, Hypothesis(_TOO_SMALL, smaller < length**2 * (1 / target - 1))),
        steps=steps,
        result_step="lone record",
        symbols={"length": length, "ridge": smaller},
        faults=(
            Fault("ridge counted twice", "lone record", lambda rhs: length**2 / (length**2 + 2 * smaller)),
            Fault("above 2 P", "above P", lambda rhs: 2 * rhs),
            Fault("twice the cost", "more", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(
            Conclusion(claim, "more", {"l": length, "P": target, "w": smaller, "r": r, "eps": epsilon})
            for claim in ("N26-Fig1-smallest-ridge", "N24-Fig3")
        ),
    )


def _beside(name: str, least: sp.Expr, condition: str, columns: sp.Expr, claims: tuple[str, ...]) -> Derivation:
    """What a record of leverage p <= l^2/(l^2 + v) costs beside a ridge v >= `least`, in `columns` columns."""
    most = length**2 / (length**2 + ridge)
    below = length**2 / (sp.expand(length**2 + least) + excess)
    falls = {larger: target, any_epsilon: epsilon, **({} if columns == r else {r: columns})}
    granted = {"q >= p": "at most P", "q < 1": "P < 1"}

    def cost(direction: str, of: sp.Expr) -> sp.Expr:
        return quantity(DIRECTIONS[direction], of, columns, epsilon)

    steps = (
        Step(
            "excess",
            "Of the ridge over the least one.",
            lhs=excess,
            rhs=ridge - least,
            kind="definition",
            premises=(condition,),
        ),
        Step(
            "largest leverage",
            "l^2/(l^2 + v), which falls with the ridge,",
            lhs=target,
            rhs=below,
            relation=">=",
            witness=sp.factor(sp.cancel(target - below)),
        ),
        Step(
            "at most P",
            "and with it every leverage beside the ridge.",
            lhs=target,
            rhs=leverage,
            relation=">=",
            kind="inference",
            premises=("largest leverage", Use(_MOST, weight=-1), "excess"),
        ),
        Step(
            "deletion",
            "The cost does not fall with the leverage (N26-P4).",
            lhs=cost("deletion", leverage),
            rhs=cost("deletion", target),
            relation="<=",
            kind="inference",
            premises=(Use("larger leverage, deletion", of=grows_with_leverage, at=falls, weight=-1, granted=granted),),
        ),
        Step(
            "insertion",
            "Nor does that of an insertion, which costs no more than a deletion (N26-L4).",
            lhs=cost("insertion", leverage),
            rhs=cost("deletion", target),
            relation="<=",
            kind="inference",
            premises=(
                Use("larger leverage, insertion", of=grows_with_leverage, at=falls, weight=-1, granted=granted),
                Use(
                    "deletion dominates",
                    of=deletion_curve,
                    at={own_leverage: target, **({} if columns == r else {r: columns})},
                    weight=-1,
                    granted={"p < 1": "P < 1"},
                ),
            ),
        ),
        Step(
            "lone record",
            "A lone record of norm l has the largest one.",
            lhs=1 / (1 + ridge / length**2),
            rhs=most,
        ),
    )
    names = {"l": length, "P": target, "p": leverage, "v": ridge, "eps": epsilon, **({"r": r} if columns == r else {})}
    return Derivation(
        id=f"random_projection_ridges.{name}",
        title="What a record costs beside a ridge, in both directions",
        sources=claims,
        hypotheses=(
            FULL_RANK,
            Hypothesis("P < 1", target < 1),
            Hypothesis(condition, ridge >= least),
            Hypothesis(_MOST, leverage <= most),
            Hypothesis("eps >= 0", epsilon >= 0),
        ),
        steps=steps,
        result_step="lone record",
        symbols={"length": length, "ridge": ridge},
        faults=(
            Fault("twice the largest leverage", "largest leverage", lambda rhs: 2 * rhs),
            Fault("half of P", "at most P", lambda rhs: 2 * rhs),
            Fault("half the cost", "deletion", lambda rhs: rhs / 2),
            Fault("half the cost of a deletion", "insertion", lambda rhs: rhs / 2),
            Fault("ridge counted twice", "lone record", lambda rhs: length**2 / (length**2 + 2 * ridge)),
        ),
        concludes=(
            *(Conclusion(claim, direction, names) for claim in claims for direction in DIRECTIONS),
            *(Conclusion(claim, "lone record", part="the leverage of a lone record") for claim in claims),
        ),
    )
