"""A Gaussian-process prediction in feature space: what a new record does to it, and what bounds that.

Phi has the features of the j other records as rows, y their labels; phi and f are the features of the new record and of
the query, S = (I + Phi^T Phi/s^2)^{-1}, G = (Phi Phi^T + s^2 I)^{-1}. At the new point and at the query, both given the
other records: U and V are the variances, c the covariance; beta = G Phi phi.
"""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import bordered, scalar

noise, length = sp.symbols("s l", positive=True)
labels, count, others = sp.symbols("B j m", nonnegative=True)  # j other records, m at most
label = sp.Symbol("y_new", real=True)
P, Pt, S, Si, G = (letter(name) for name in ("Phi", "Phi^T", "S", "S^{-1}", "G"))
p, pt, f, ft, y, yt = (letter(name) for name in ("phi", "phi^T", "f", "f^T", "y", "y^T"))

zero, one = sp.Integer(0), sp.Integer(1)
_ROWS = sp.Matrix([[1, 1], [0, 2]])
_NEW, _QUERY, _LABELS = sp.Matrix([1, 3]), sp.Matrix([2, 1]), sp.Matrix([3, -1])
_KEPT = sp.eye(2) + _ROWS.T * _ROWS / 4
LETTERS = "letters"
algebra = BlockAlgebra(
    {
        (G, P, Pt): 1 - noise**2 * G,
        (Pt, P): noise**2 * (Si - 1),
        (S, Si): 1,
        (Si, S): 1,
    },
    {
        P: _ROWS,
        Pt: _ROWS.T,
        Si: _KEPT,
        S: _KEPT.inv(),
        G: (_ROWS * _ROWS.T + 4 * sp.eye(2)).inv(),
        p: _NEW,
        pt: _NEW.T,
        f: _QUERY,
        ft: _QUERY.T,
        y: _LABELS,
        yt: _LABELS.T,
        noise: sp.Integer(2),
    },
    (LETTERS,),
)
variance, left = scalar(pt * S * p), scalar(pt * S * S * p)  # U and |S phi|^2
covariance, at_query = scalar(ft * S * p), scalar(ft * S * f)  # c and V
fit = scalar(yt * G * P * p)  # the mean at the new point
weights = scalar(pt * Pt * G * G * P * p)  # |beta|^2

KERNEL = "k is the covariance function of a Gaussian process"
AT_QUERY = Hypothesis("k(x, x) <= l^2 at the query", sp.Le(scalar(ft * f), length**2))
AT_NEW = Hypothesis("k(x, x) <= l^2 at the new record", sp.Le(scalar(pt * p), length**2))
AT_OTHERS = "k(x, x) <= l^2 at the other records"
NEW_LABEL = Hypothesis("|y| <= B at the new record", sp.Le(label**2, labels**2))
OTHER_LABELS = "|y| <= B at the other records"
FEW = Hypothesis("there are at most m other records", sp.Le(count, others))

# the prediction's mean and its variance, without the new record and with it
_MATRIX, _BORDER, _CORNER = P * Pt + noise**2, P * p, scalar(pt * p) + noise**2
_QUERY_ROW, _QUERY_END = ft * Pt, scalar(ft * p)
mean_without = scalar(ft * Pt * G * y)
variance_without = scalar(ft * f) - scalar(ft * Pt * G * P * f)
mean_with = bordered(_MATRIX, _BORDER, _CORNER, _QUERY_ROW, _QUERY_END, yt, label)
variance_with = scalar(ft * f) - bordered(_MATRIX, _BORDER, _CORNER, _QUERY_ROW, _QUERY_END, _QUERY_ROW, _QUERY_END)


def decided(name: str, why: str, lhs: sp.Expr, rhs: sp.Expr) -> Step:
    """An equation between products, by the rules of the letters alone."""
    return Step(name, why, lhs=lhs, rhs=rhs, algebra=algebra, premises=(LETTERS,))


def derived(name: str, why: str, lhs: sp.Expr, rhs: sp.Expr, *premises: str | Use) -> Step:
    """An equation between products, from other ones."""
    return Step(name, why, lhs=lhs, rhs=rhs, kind="inference", algebra=algebra, premises=(LETTERS, *premises))


def at_least(name: str, why: str, lhs: sp.Expr, rhs: sp.Expr, *premises: str | Use) -> Step:
    """An inequality between numbers, from other ones."""
    return Step(name, why, lhs=lhs, rhs=rhs, relation=">=", kind="inference", premises=premises)


def squared(name: str, why: str, vector: sp.Expr, transposed: sp.Expr) -> Step:
    """A squared length is not negative."""
    return by_fact(name, why, "squared length", {"w": vector, "w^T": transposed}, {"real": LETTERS})


def posterior_steps() -> tuple[Step, ...]:
    """The posterior of the weights, any number of records and features: I - Phi^T G Phi = S."""
    return (
        by_fact(
            "features",
            "k at all points that occur, finitely many: the rows of F are those of Phi, and phi and f.",
            "Gram matrix",
            {"A": letter("K"), "F": letter("F"), "F^T": letter("F^T")},
            {"semidefinite": KERNEL},
        ),
        Step(
            LETTERS,
            "Phi has the features of the j other records as rows, y their labels; phi and f are the features of the new"
            " record and of the query, y_new its label. S = (I + Phi^T Phi/s^2)^{-1} and G = (Phi Phi^T + s^2 I)^{-1}.",
            kind="definition",
            premises=("features",),
        ),
        decided("push through", "Phi^T Phi = s^2 (S^{-1} - I):", (P * Pt + noise**2) * P * S, noise**2 * P),
        derived(
            "pushed through",
            "so, times G from the left,",
            G * P,
            P * S / noise**2,
            Use("push through", between=(-G / noise**2, one)),
        ),
        derived(
            "posterior covariance",
            "The covariance of the weights given the other records is S.",
            1 - Pt * G * P,
            S,
            Use("pushed through", between=(-Pt, one)),
        ),
    )


def size_steps() -> tuple[Step, ...]:
    """U = |S phi|^2 + |Phi S phi|^2/s^2 is not negative."""
    return (
        squared("|S phi|", "A squared length,", S * p, pt * S),
        squared("|Phi S phi|", "another one,", P * S * p, pt * S * Pt),
        decided(
            "U in two parts",
            "of which U is made, as S = S S^{-1} S,",
            variance,
            left + scalar(pt * S * Pt * P * S * p) / noise**2,
        ),
        at_least(
            "U >= 0",
            "so U >= 0.",
            variance,
            zero,
            "|S phi|",
            Use("|Phi S phi|", weight=1 / noise**2),
            "U in two parts",
        ),
    )


def update_steps() -> tuple[Step, ...]:
    """With the new record the mean moves by c t/h and the variance falls by c^2/h, h = U + s^2."""
    letters = {
        "M": _MATRIX,
        "N": G,
        "k": _BORDER,
        "k^T": pt * Pt,
        "q": _CORNER,
        "h": variance + noise**2,
        "u^T": _QUERY_ROW,
        "a": _QUERY_END,
    }
    shown = {"symmetric": LETTERS, "inverse": "G", "Schur": "h", "positive": "h is positive"}
    fact = "inverse of a bordered matrix"
    return (
        decided("G", "G is the inverse of the other records' matrix.", G * _MATRIX, one),
        derived(
            "h",
            "With the new record it has one row and one column more.",
            _CORNER - scalar(pt * Pt * G * P * p),
            variance + noise**2,
            Use("posterior covariance", between=(pt, p)),
        ),
        Step("s^2", "The noise's variance is positive,", lhs=zero, rhs=noise**2, relation="<", witness=-(noise**2)),
        Step(
            "h is positive",
            "so h is positive.",
            lhs=variance + noise**2,
            rhs=zero,
            relation=">",
            kind="inference",
            premises=("U >= 0", Use("s^2", weight=-1)),
        ),
        by_fact("mean with", "The mean", fact, {**letters, "v": y, "v^T": yt, "b": label}, shown),
        by_fact(
            "variance with",
            "and the variance,",
            fact,
            {**letters, "v": P * f, "v^T": _QUERY_ROW, "b": _QUERY_END},
            shown,
        ),
        derived(
            "c",
            "where c = f^T S phi,",
            scalar(ft * Pt * G * P * p),
            scalar(ft * p) - covariance,
            Use("posterior covariance", between=(-ft, p)),
        ),
        Step(
            "mean moves",
            "so the mean moves by c t/h, t = y_new - beta^T y,",
            lhs=mean_with,
            rhs=mean_without + covariance * (label - fit) / (variance + noise**2),
            kind="inference",
            premises=("mean with", "c"),
        ),
        Step(
            "variance falls",
            "and the variance falls by c^2/h.",
            lhs=variance_with,
            rhs=variance_without - covariance**2 / (variance + noise**2),
            kind="inference",
            premises=("variance with", "c"),
        ),
    )
