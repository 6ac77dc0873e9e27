"""What a ridge makes of the leverage of a record beside others, and of what the record costs a random projection.

B has the other records as rows, v is the record, A = B^T B + v v^T. Its leverage is p beside the ridge s, q beside a
smaller one t, o beside l^2 (1/P - 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse, letter, without_rules
from ndis_verify.symbolic.chi_square_hinges import r
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, from_side, inferred, named, squared
from ndis_verify.symbolic.notation import scalar, transpose
from ndis_verify.symbolic.random_projection import leverage as own_leverage
from ndis_verify.symbolic.random_projection_curve import deletion_curve, epsilon, rises_strictly
from ndis_verify.symbolic.random_projection_pairs import DIRECTIONS, FULL_RANK, grows_with_leverage, larger, leverage
from ndis_verify.symbolic.random_projection_pairs import epsilon as any_epsilon
from ndis_verify.symbolic.sketch_records import (
    B,
    Bt,
    S,
    v,
    vt,
)
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
length, target, s, t = sp.symbols("l P s t", positive=True)
p, q, o = sp.symbols("p q o", nonnegative=True)
_size, _gap, _odds = sp.symbols("m d k", positive=True)  # |v|^2, s - t, 1/P - 1
T, R = letter("T"), letter("R")
_A = Bt * B + v * vt
_FORMS = without_rules((B, Bt, v, vt, *(one_ for X in (S, T, R) for one_ in (X, transpose(X)))))
_HYPOTHESES = (
    FULL_RANK,
    Hypothesis("m > 0", scalar(vt * v) > 0),
    Hypothesis("m <= l^2", sp.Le(scalar(vt * v), length**2)),
    Hypothesis("P < 1", target < 1),
    Hypothesis("t < s", t < s),
    Hypothesis("eps >= 0", epsilon >= 0),
)


@dataclass(frozen=True)
class _Ridge:
    """A ridge, as steps and as the statement have it; the inverse X beside it, the leverage v^T X v, and the names of
    its value before it is known to be positive, of |X v|^2 and of what is left of the leverage without its square.
    """

    level: Any
    stated: Any
    inverse: Any
    leverage: Any
    value: Any
    solution: Any
    rest: Any

    @property
    def gram(self) -> Any:
        return _A + self.level

    @property
    def stated_leverage(self) -> Any:
        return scalar(vt * inverse(_A + self.stated) * v)


def _ridge(level: Any, inverse: Any, name: Any, stated: Any = None) -> _Ridge:
    rest, solution = (sp.Symbol(f"{letter_}_{name}", nonnegative=True) for letter_ in ("a", "n"))
    value = sp.Symbol(f"{name}_0", real=True)
    return _Ridge(level, level if stated is None else stated, inverse, name, value, solution, rest)


_AT_S, _AT_T = _ridge(s, S, p), _ridge(t, T, q)
_AT_LEAST = _ridge(length**2 * _odds, R, o, length**2 * (1 / target - 1))


def _leverage_steps(at: _Ridge) -> Iterator[Step]:
    """The leverage is not negative, and made of squares."""
    X, y, tag = at.inverse, at.value, str(at.leverage)
    of = f"v^T {X} v"
    yield named(X, "The inverse beside this ridge.", inverse(at.gram))
    yield from_side(X, at.gram, "left", "It is so from the left")
    yield from_side(X, at.gram, "right", "and from the right,")
    yield by_fact(
        f"{X}^T", "symmetric.", "a symmetric inverse", {"X": X, "Y": at.gram}, {"product": f"{X} from the left"}
    )
    yield named(y, f"{of}, of which nothing is known yet.", scalar(vt * X * v))
    yield inferred(f"{of} in letters", "A number.", vt * X * v, "=", y, str(y), algebra=_FORMS)
    yield squared(f"|{X} v|", "Of the solution", X * v)
    yield squared(f"|B {X} v|", "and of what the others make of it:", B * X * v)
    yield inferred(
        f"{of} in squares",
        "the form is made of squares.",
        scalar(vt * X * v),
        "=",
        at.level * scalar(vt * X * X * v) + scalar(vt * X * Bt * B * X * v) + y**2,
        Use(f"{X} from the right", between=(-vt * X, v)),
        Use(f"{of} in letters", between=(vt * X * v, one)),
        Use(f"{of} in letters", between=(y, one)),
        algebra=_FORMS,
    )
    square = scalar(vt * X * X * v)
    yield inferred(f"(|{X} v|)^2", f"{X} is symmetric.", square, ">=", zero, f"|{X} v|", f"{X}^T")
    yield named(at.solution, f"|{X} v|^2.", square, f"(|{X} v|)^2")
    yield inferred(
        f"{tag} - {tag}^2",
        "So the ridge's part is less than what the square leaves,",
        scalar(vt * X * v) - y**2,
        ">=",
        at.level * at.solution,
        *(f"|B {X} v|", f"{of} in squares", f"{X}^T", str(at.solution)),
    )
    yield Step(f"{tag}'s square", "and as a square", lhs=y**2, rhs=zero, relation=">=", witness=y**2)
    yield Step(f"{tag}'s solution", "and the ridge's part", at.level * at.solution, zero, ">=", at.level * at.solution)
    yield inferred(
        f"{tag} >= 0",
        "are not negative, the leverage is not.",
        scalar(vt * X * v),
        ">=",
        zero,
        *(f"{tag} - {tag}^2", f"{tag}'s square", f"{tag}'s solution"),
    )
    yield named(at.leverage, "The leverage.", scalar(vt * X * v), f"{tag} >= 0")


def _bound_steps(at: _Ridge) -> Iterator[Step]:
    """It is l^2/(l^2 + c) at most beside the ridge c."""
    X, y, tag = at.inverse, at.value, str(at.leverage)
    yield inferred(f"{tag} by name", "By its name,", y, "=", at.leverage, str(y), tag)
    yield inferred(
        f"left of {tag}",
        "something is left,",
        at.leverage - at.leverage**2,
        ">=",
        zero,
        *(f"{tag} - {tag}^2", f"{tag}'s solution", f"{tag} by name", tag),
    )
    yield named(at.rest, "of this name.", at.leverage - at.leverage**2, f"left of {tag}")
    yield by_fact(
        f"v and {X} v",
        "By Cauchy and Schwarz,",
        "Cauchy-Schwarz inequality of vectors",
        {"u": v, "u^T": vt, "v": X * v, "v^T": transpose(X * v)},
        {},
    )
    yield inferred(
        f"{tag}^2",
        "the square is at most m |X v|^2.",
        at.leverage**2,
        "<=",
        _size * at.solution,
        *(f"v and {X} v", tag, "m", str(at.solution), f"{X}^T"),
    )
    bound = length**2 / (length**2 + at.level)
    yield inferred(
        f"{tag}^2 by {tag}",
        "A longer record has no less:",
        at.leverage**2,
        "<=",
        bound * at.leverage,
        *(
            Use(f"{tag}^2", weight=at.level / (length**2 + at.level)),
            Use(f"{tag} - {tag}^2", weight=-_size / (length**2 + at.level)),
            Use("length", weight=at.rest / (length**2 + at.level)),
            str(at.rest),
            f"{tag} by name",
            tag,
        ),
    )
    yield by_fact(
        f"largest {tag}",
        "so the leverage is at most",
        "a square and a multiple",
        {"a": at.leverage, "b": bound},
        {"sign": Step("bound", "Not negative.", bound, zero, ">=", witness=bound), "square": f"{tag}^2 by {tag}"},
    )


def _order_steps() -> Iterator[Step]:
    """q > p: X of the smaller ridge less that of the larger is (s - t) T S."""
    first = S * v
    yield inferred("positive gap", "t < s.", s - t, ">", zero, Use("t < s", weight=-1))
    yield named(_gap, "s - t.", s - t, "positive gap")
    yield inferred(
        "T S",
        "T less S is (s - t) T S,",
        T - S,
        "=",
        _gap * T * S,
        Use("T from the left", between=(one, S)),
        Use("S from the right", between=(-T, one)),
        "d",
        algebra=_FORMS,
    )
    yield inferred(
        "q - p",
        "and so",
        q,
        "=",
        p + _gap * scalar(vt * T * S * v),
        *("q", "p", Use("T S", between=(vt, v))),
        algebra=_FORMS,
    )
    yield inferred(
        "S T",
        "and as well (s - t) S T,",
        T - S,
        "=",
        _gap * S * T,
        Use("S from the left", between=(-one, T)),
        Use("T from the right", between=(S, one)),
        "d",
        algebra=_FORMS,
    )
    yield inferred(
        "v^T T S v",
        "with T once more",
        scalar(vt * T * S * v),
        "=",
        scalar(vt * S * S * v) + _gap * scalar(vt * S * T * S * v),
        Use("S T", between=(vt, S * v)),
        algebra=_FORMS,
    )
    yield squared("|T S v|", "Squares:", T * first)
    yield squared("|B T S v|", "of what the others make of it,", B * T * first)
    yield squared("|v^T T S v|", "and of what the record does.", vt * T * first)
    yield inferred(
        "form of T",
        "The form of T is made of them,",
        scalar(vt * S * T * S * v),
        ">=",
        zero,
        *(Use("|T S v|", weight=t), "|B T S v|", "|v^T T S v|", "T^T", "S^T"),
        Use("T from the right", between=(-vt * S * T, S * v)),
        algebra=_FORMS,
    )
    yield inferred(
        "(S v)^T", "S is symmetric,", transpose(S * v), "=", vt * S, Use("S^T", between=(vt, one)), algebra=_FORMS
    )
    yield by_fact(
        "S v is not 0",
        "and S v is not 0, as v is not.",
        "no vector but 0 goes to 0 alone",
        {"X": S, "Y": _AT_S.gram, "v": v, "image^T": vt * S},
        {"product": "S from the right", "vector": "m > 0", "transpose": "(S v)^T"},
    )
    yield inferred(
        "larger leverage",
        "So the leverage is larger beside the smaller ridge.",
        q,
        ">",
        p,
        *("q - p", "v^T T S v", Use("S v is not 0", weight=_gap), Use("form of T", weight=_gap**2)),
    )


def _cost_steps() -> tuple[Step, ...]:
    """A leverage of at most P costs no more than P, a larger leverage than p more than p."""
    granted = {"q >= p": "p at most P", "q < 1": "P < 1"}
    falls = {leverage: p, larger: target, any_epsilon: epsilon}

    def cost(direction: str, of: Any) -> Any:
        return quantity(DIRECTIONS[direction], of, r, epsilon)

    def never_more(direction: str) -> Use:
        return Use(f"larger leverage, {direction}", of=grows_with_leverage, at=falls, weight=-1, granted=granted)

    dominated = Use(
        "deletion dominates", of=deletion_curve, at={own_leverage: target}, weight=-1, granted={"p < 1": "P < 1"}
    )
    stated_p, stated_q, stated_o = (at.stated_leverage for at in (_AT_S, _AT_T, _AT_LEAST))
    return (
        Step("below 1", "Less than 1,", length**2 / (length**2 + t), one, "<", -t / (length**2 + t)),
        inferred("q < 1", "as q is.", q, "<", one, "largest q", "below 1"),
        inferred("p at most P", "As given.", target, ">=", p, Use("p <= P", weight=-1), "p", "S"),
        inferred(
            "least ridge",
            "Beside l^2 (1/P - 1) every leverage is at most P.",
            stated_o,
            "<=",
            target,
            *("largest o", "o", "R", "k"),
        ),
        inferred(
            "deletion",
            "A deletion at p costs no more than at P (N26-P4).",
            cost("deletion", stated_p),
            "<=",
            cost("deletion", target),
            *(never_more("deletion"), "p", "S"),
        ),
        inferred(
            "insertion",
            "Nor does an insertion, which costs no more than a deletion (N26-L4).",
            cost("insertion", stated_p),
            "<=",
            cost("deletion", target),
            *(never_more("insertion"), dominated, "p", "S"),
        ),
        inferred(
            "smaller ridge",
            "At q a deletion costs more than at p (N24-P3).",
            cost("deletion", stated_q),
            ">",
            cost("deletion", stated_p),
            Use(
                "larger leverage",
                of=rises_strictly,
                at={leverage: p, larger: q},
                granted={"q > p": "larger leverage", "q < 1": "q < 1"},
            ),
            *("p", "S", "q", "T"),
        ),
    )


@cache
def costs_beside_ridges() -> Derivation:
    """Beside l^2 (1/P - 1) the leverage is at most P; where it is, the record costs no more than P in either direction;
    beside a smaller ridge its deletion costs more (N24-Fig12-least-ridge).

    `number`: the largest leverage beside the ridge `t`, of a record of norm `length`.
    """
    steps = (
        named(_size, "|v|^2,", scalar(vt * v), "m > 0"),
        inferred("length", "at most l^2.", _size, "<=", length**2, Use("m <= l^2"), "m"),
        inferred("1/P - 1 > 0", "P < 1.", 1 / target - 1, ">", zero, Use("P < 1", weight=-1 / target)),
        named(_odds, "1/P - 1.", 1 / target - 1, "1/P - 1 > 0"),
        *(step for at in (_AT_S, _AT_T, _AT_LEAST) for step in _leverage_steps(at)),
        *(step for at in (_AT_T, _AT_LEAST) for step in _bound_steps(at)),
        *_order_steps(),
        *_cost_steps(),
    )
    names = {"B": B, "v": v, "l": length, "P": target, "s": s, "t": t, "r": r, "eps": epsilon}
    return Derivation(
        id="least_ridges.costs_beside_ridges",
        title="What a record costs beside a ridge, and beside a smaller one",
        sources=("N24-Fig12",),
        hypotheses=(*_HYPOTHESES, Hypothesis("p <= P", sp.Le(_AT_S.stated_leverage, target))),
        steps=steps,
        result_step="largest q",
        symbols={"length": length, "t": t},
        faults=(
            Fault("half of l^2", "q^2 by q", lambda rhs: rhs / 2),
            Fault("T S twice", "T S", lambda rhs: 2 * rhs),
            Fault("half the cost", "deletion", lambda rhs: rhs / 2),
            Fault("half the cost of a deletion", "insertion", lambda rhs: rhs / 2),
            Fault("twice the cost", "smaller ridge", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(
            Conclusion("N24-Fig12-least-ridge", end, names)
            for end in ("least ridge", "deletion", "insertion", "smaller ridge")
        ),
    )
