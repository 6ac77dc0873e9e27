"""The leverage of a record of bounded norm beside a ridge, in every database.

E has the other records as rows, v is the record, w = A^{-1} v with A = E^T E + v v^T + c I, so that its leverage is
p = v^T w. m is the least eigenvalue of E^T E + v v^T.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.nearby_laws import at_most
from ndis_verify.symbolic.notation import relative, scalar

E, Et, v, vt, w, wt = (letter(name) for name in ("E", "E^T", "v", "v^T", "w", "w^T"))
leverage, least = sp.symbols("p m", real=True)
length = sp.Symbol("l", positive=True)
ridge, room = sp.symbols("c b", nonnegative=True)  # b = 1 - p
_size, _length, _sum = sp.symbols("n o g", nonnegative=True)  # |v|^2, |w|^2, m + c
gram = Et * E + v * vt

LEVERAGE = "p = v^T w, where w = A^{-1} v, A = E^T E + v v^T + c I invertible"
RECORD = Hypothesis("every record has norm at most l", sp.Le(scalar(vt * v), length**2))
_CLAIMS = ("N26-T5.1", "N26-Fig1", "N26-Fig1-smallest-ridge", "N24-T3", "N24-C7", "N24-Fig8")
_PART = f"the leverage of every record beside the ridge: {LEVERAGE}"
zero, one = sp.Integer(0), sp.Integer(1)

_others, _record = sp.Matrix([[1, 0], [1, 2]]), sp.Matrix([1, 1])
_solved = (_others.T * _others + _record * _record.T + 2 * sp.eye(2)).inv() * _record
_algebra = BlockAlgebra(
    {(Et, E, w): (1 - leverage) * v - ridge * w, (vt, w): leverage, (wt, v): leverage},
    {
        E: _others,
        Et: _others.T,
        v: _record,
        vt: _record.T,
        w: _solved,
        wt: _solved.T,
        leverage: (_record.T * _solved)[0],
        ridge: sp.Integer(2),
    },
    (LEVERAGE,),
)


def _squared(name: str, vector: sp.Expr, transposed: sp.Expr) -> Step:
    why = "A squared length is not negative."
    return by_fact(name, why, "squared length", {"w": vector, "w^T": transposed}, {})


def _by_rule(name: str, why: str, left: sp.Expr, right: sp.Expr) -> Step:
    return Step(name, why, lhs=left, rhs=right, algebra=_algebra, premises=(LEVERAGE,))


def _shorter(name: str, why: str, level: sp.Expr, bound: sp.Expr, *premises: str | Use) -> tuple[Step, Step]:
    """p level <= bound, from p^2 level <= p bound."""
    squares = at_most(f"{name}, times p", why, leverage**2 * level, leverage * bound, *premises)
    shown = {"order": squares.name, "factor": "p >= 0"}
    nonnegative = Step("size", "Not negative.", lhs=bound, rhs=zero, relation=">=", witness=bound)
    letters = {"p": leverage, "k": level, "n": bound}
    return squares, by_fact(name, "p divided out.", "a common factor", letters, {**shown, "other": nonnegative})


def _common_steps() -> tuple[Step, ...]:
    """h - h^2 - c |w|^2 >= 0 and p^2 <= |v|^2 |w|^2, |v| <= l."""
    left, total = leverage - leverage**2 - ridge * _length, leverage**2 + ridge * _length
    own = scalar(wt * Et * E * w)
    return (
        _squared("|v|", v, vt),
        _squared("|w|", w, wt),
        Step("n", "|v|^2.", lhs=_size, rhs=scalar(vt * v), kind="definition", premises=("|v|",)),
        Step("o", "|w|^2.", lhs=_length, rhs=scalar(wt * w), kind="definition", premises=("|w|",)),
        _by_rule("solution", "A w = v, as E^T E w = (1 - p) v - c w.", (gram + ridge) * w, v),
        _squared("|E w|", E * w, wt * Et),
        _by_rule(
            "form of the others",
            "The other records' part of the form w^T A w = p,",
            own,
            leverage - leverage**2 - ridge * scalar(wt * w),
        ),
        inferred("rest", "is not negative.", left, ">=", zero, "|E w|", "form of the others", "o", "solution"),
        Step("own part", "Nor is that of v and the ridge,", lhs=total, rhs=zero, relation=">=", witness=total),
        inferred("p >= 0", "so neither is p.", leverage, ">=", zero, "rest", "own part"),
        by_fact(
            "Cauchy-Schwarz",
            "p^2 <= |v|^2 |w|^2,",
            "Cauchy-Schwarz inequality of vectors",
            {"u": v, "u^T": vt, "v": w, "v^T": wt},
            {},
        ),
        _by_rule("v^T w", "as p = v^T w.", scalar(vt * w), leverage),
        at_most("p^2", "So p^2 <= n o.", leverage**2, _size * _length, *("Cauchy-Schwarz", "v^T w", "n", "o")),
        at_most("n <= l^2", "The norm of a record.", _size, length**2, Use(RECORD.text), "n"),
    )


@cache
def of_a_record() -> Derivation:
    """p <= l^2/(l^2 + c) for the leverage of a record of norm l at most beside a ridge c >= 0 (N26-T5.1, N24-T3).

    `number`: the largest leverage, at `length` and `ridge`.
    """
    pull = ridge * _length
    steps = (
        *_common_steps(),
        Step("ridge's part", "c |w|^2 >= 0,", lhs=pull, rhs=zero, relation=">=", witness=pull),
        *_shorter("at most 1", "so p^2 <= p.", one, one, Use("rest", weight=-1), Use("ridge's part", weight=-1)),
        Step("1 - p", "So 1 - p >= 0.", lhs=room, rhs=1 - leverage, kind="definition", premises=("at most 1",)),
        *_shorter(
            "own length",
            "n times the rest, and c times p^2 <= n o.",
            _size + ridge,
            _size,
            Use("rest", weight=-_size),
            Use("p^2", weight=ridge),
        ),
        at_most(
            "of a record",
            "A longer record has no less.",
            leverage * (length**2 + ridge),
            length**2,
            *("own length", Use("n <= l^2", weight=room), "1 - p"),
        ),
        at_most(
            "largest leverage",
            "l^2 + c > 0.",
            leverage,
            length**2 / (length**2 + ridge),
            Use("of a record", weight=1 / (length**2 + ridge)),
        ),
    )
    return Derivation(
        id="leverage_beside_a_ridge.of_a_record",
        title="A ridge bounds the leverage of every record of bounded norm",
        sources=_CLAIMS,
        hypotheses=(LEVERAGE, RECORD),
        steps=steps,
        result_step="largest leverage",
        symbols={"length": length, "ridge": ridge},
        faults=(
            Fault("half of l^2", "of a record", lambda rhs: rhs / 2),
            Fault(
                "ridge counted twice at the end", "largest leverage", lambda rhs: length**2 / (length**2 + 2 * ridge)
            ),
            Fault("record counted twice", "form of the others", lambda rhs: rhs - leverage**2),
            Fault("ridge counted twice", "own length, times p", lambda rhs: rhs - ridge * leverage**2),
        ),
        concludes=tuple(Conclusion(claim, "largest leverage", part=_PART) for claim in _CLAIMS),
    )


@cache
def by_the_least_eigenvalue() -> Derivation:
    """p (m + c) <= l^2, m the least eigenvalue of all records' Gram matrix (N26-T5.4).

    `number`: l^2, at `length`.
    """
    form = scalar(wt * gram * w)
    steps = (
        *_common_steps(),
        Step("m", "The least eigenvalue.", lhs=least, rhs=relative(gram, one), kind="definition"),
        by_fact(
            "form of all",
            "w^T S w >= m |w|^2,",
            "forms lie above the least eigenvalue",
            {"S": gram, "u": w, "u^T": wt},
            {},
        ),
        _by_rule("w^T S w", "where w^T S w = p - c |w|^2.", form, leverage - ridge * scalar(wt * w)),
        Step("c >= 0", "A ridge.", lhs=ridge, rhs=zero, relation=">=", witness=ridge),
        inferred("m + c >= 0", "Neither is negative.", least + ridge, ">=", zero, Use("m >= 0"), "c >= 0"),
        Step("sum", "m + c.", lhs=_sum, rhs=least + ridge, kind="definition", premises=("m + c >= 0",)),
        at_most(
            "p above",
            "So p >= (m + c) |w|^2.",
            _sum * _length,
            leverage,
            Use("form of all", weight=-1),
            "w^T S w",
            "sum",
            "m",
            "o",
        ),
        *_shorter(
            "by m + c",
            "n times that, and m + c times p^2 <= n o.",
            _sum,
            _size,
            Use("p above", weight=_size),
            Use("p^2", weight=_sum),
        ),
        at_most("by the eigenvalue", "n <= l^2.", leverage * (least + ridge), length**2, "by m + c", "n <= l^2", "sum"),
    )
    return Derivation(
        id="leverage_beside_a_ridge.by_the_least_eigenvalue",
        title="The least eigenvalue and a ridge bound the leverage of every record of bounded norm",
        sources=("N26-T5.4", "N26-Fig4"),
        hypotheses=(LEVERAGE, RECORD, Hypothesis("m >= 0", least >= 0)),
        steps=steps,
        result_step="by the eigenvalue",
        symbols={"length": length},
        faults=(
            Fault("half of l^2", "by the eigenvalue", lambda rhs: rhs / 2),
            Fault("ridge left out", "p above", lambda rhs: rhs - ridge * _length),
            Fault("ridge counted twice", "w^T S w", lambda rhs: rhs - ridge * scalar(wt * w)),
        ),
        concludes=tuple(Conclusion(claim, "by the eigenvalue", part=_PART) for claim in ("N26-T5.4", "N26-Fig4")),
    )
