"""A Gaussian-process prediction in feature space: what a new record does to it, and what bounds that.

F has the features of the other records as rows, y_F their labels; p and q are the features of the new record and of the
query, b the label of the new one. T = (F^T F + s^2 I)^{-1}; the kernel matrices are F F^T, and P P^T with the new
record, P = [F; p^T].
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, from_side, inferred, squared
from ndis_verify.symbolic.notation import scalar, transpose
from ndis_verify.symbolic.statement_terms import quantity

noise, length = sp.symbols("s l", positive=True)
labels, others = sp.symbols("B m", nonnegative=True)
label = sp.Symbol("b", real=True)
F, T, p, q, y = (letter(name) for name in ("F", "T", "p", "q", "y_F"))
Ft, pt, qt, yt = (transpose(one) for one in (F, p, q, y))
rows, both_labels = quantity("above", F, pt), quantity("above", y, label)

zero, one = sp.Integer(0), sp.Integer(1)
_G, _H, _T_with = (letter(name) for name in ("G", "H", "T'"))
_inside, _across = Ft * F + noise**2, F * Ft + noise**2
_inside_with, _across_with = transpose(rows) * rows + noise**2, rows * transpose(rows) + noise**2
_X = sp.Symbol("X", nonnegative=True)
_c, _k = sp.symbols("c k", real=True)

# the prediction's mean and its variance, without the new record and with it
mean_without = scalar(qt * Ft * inverse(_across) * y)
variance_without = scalar(qt * q) - scalar(qt * Ft * inverse(_across) * F * q)
mean_with = scalar(qt * transpose(rows) * inverse(_across_with) * both_labels)
variance_with = scalar(qt * q) - scalar(qt * transpose(rows) * inverse(_across_with) * rows * q)
# T at the query, at both points and at the new one; times s^2 these are the variances and the covariance there
at_query, covariance, at_new = (scalar(u * inverse(_inside) * v) for u, v in ((qt, q), (qt, p), (pt, p)))
fit = scalar(pt * inverse(_inside) * Ft * y)  # the mean at the new point


forms = without_rules(
    (
        *(F, Ft, T, transpose(T), p, pt, q, qt, y, rows, transpose(rows), both_labels),
        *(_G, _H, _T_with),
    ),
    (noise, label, _X, _c, _k),
)


def in_letters(name: str, why: str, lhs: Any, rhs: Any, *premises: str | Use, algebra: BlockAlgebra = forms) -> Step:
    """An equation between products, from other ones."""
    return inferred(name, why, lhs, "=", rhs, *premises, algebra=algebra)


def inverse_steps(name: sp.Symbol, matrix: Any, why: str) -> tuple[Step, Step, Step]:
    """The inverse of a matrix, by name."""
    return (
        Step(str(name), why, lhs=name, rhs=inverse(matrix), kind="definition"),
        from_side(name, matrix, "left", "so it is from the left"),
        from_side(name, matrix, "right", "and from the right."),
    )


def weight_steps() -> tuple[Step, ...]:
    """T is symmetric, and a sum of two squares."""
    return (
        *inverse_steps(
            T,
            _inside,
            "F has the features of the other records as rows, y_F their labels, q has those of the query. T is the"
            " inverse of F^T F + s^2 I:",
        ),
        by_fact(
            "T^T", "T is symmetric,", "a symmetric inverse", {"X": T, "Y": _inside}, {"product": "T from the left"}
        ),
        in_letters(
            "two squares",
            "and a sum of two squares.",
            T,
            noise**2 * T * T + T * Ft * F * T,
            Use("T from the right", between=(-T, one)),
        ),
    )


def form_steps(vector: Any, why: str, algebra: BlockAlgebra = forms) -> tuple[Step, ...]:
    """v^T T v is s^2 |T v|^2 + |F T v|^2; the square of F T v."""
    v, vt = vector, transpose(vector)
    return (
        squared(f"|F T {v}|^2", "A squared length,", F * T * v),
        in_letters(
            f"{v}^T T {v}",
            why,
            scalar(vt * T * v),
            noise**2 * scalar(vt * T * T * v) + scalar(vt * T * Ft * F * T * v),
            Use("two squares", between=(vt, v)),
            algebra=algebra,
        ),
    )


def form_inequality(name: str, why: str, u: Any, v: Any) -> tuple[Step, Step]:
    """(u^T T v)^2 <= u^T T u v^T T v, as T = s^2 T^T T + (F T)^T F T."""
    letters = {"A": T, "u": u, "u^T": transpose(u), "v": v, "v^T": transpose(v)}
    squares = {"B": noise * T, "B^T": noise * transpose(T), "C": F * T, "C^T": transpose(F * T)}
    semidefinite = in_letters(
        "T is semidefinite",
        "T is a sum of squares,",
        T,
        noise**2 * transpose(T) * T + transpose(T) * Ft * F * T,
        *("T^T", Use("two squares", between=(one, one))),
    )
    fact = "Cauchy-Schwarz inequality of a form"
    return semidefinite, by_fact(name, why, fact, {**letters, **squares}, {"semidefinite": semidefinite.name})


def update_steps() -> tuple[Step, ...]:
    """What a new record does to mean and variance, in T."""
    more = 1 + _X
    less = T - T * p * pt * T / more
    pushed = tuple(
        step
        for (name, matrix), inverse, array, called in (
            ((_G, _across), T, F, "push through"),
            ((_H, _across_with), _T_with, rows, "push through with"),
        )
        for step in (
            *inverse_steps(name, matrix, f"{name} is the inverse of a kernel matrix with its noise:"),
            by_fact(
                f"{name} in full",
                "no matrix has another one.",
                "an inverse from one side",
                {"X": name, "Y": matrix},
                {"product": f"{name} from the left"},
            ),
            in_letters(
                called,
                f"As F^T (F F^T + s^2 I) = (F^T F + s^2 I) F^T, {name} goes through.",
                transpose(array) * name,
                inverse * transpose(array),
                Use(f"{name} from the right", between=(inverse * transpose(array), one)),
                Use(f"{inverse} from the left", between=(-one, transpose(array) * name)),
            ),
        )
    )
    blocks = "a product of blocks, one above the other"
    return (
        *inverse_steps(_T_with, _inside_with, "T' is T with the new record, of features p and label b:")[:2],
        *pushed,
        by_fact("P^T P", "P^T P = F^T F + p p^T", blocks, {"A": F, "B": pt, "C": F, "D": pt}, {}),
        by_fact("P^T y", "and P^T [y; b] = F^T y + b p.", blocks, {"A": F, "B": pt, "C": y, "D": label}, {}),
        squared("|T p|^2", "A squared length,", T * p),
        *form_steps(p, "of both of which p^T T p is made,"),
        inferred(
            "p^T T p >= 0",
            "so it is not negative.",
            scalar(pt * T * p),
            ">=",
            zero,
            Use("|T p|^2", weight=noise**2),
            "|F T p|^2",
            "p^T T p",
            "T^T",
        ),
        Step("X", "X = p^T T p,", lhs=_X, rhs=scalar(pt * T * p), kind="definition", premises=("p^T T p >= 0",)),
        Step("c", "c = q^T T p", lhs=_c, rhs=scalar(qt * T * p), kind="definition"),
        Step("k", "and k = p^T T F^T y.", lhs=_k, rhs=scalar(pt * T * Ft * y), kind="definition"),
        in_letters("X in letters", "Products that are numbers:", pt * T * p, _X, "X"),
        in_letters("c in letters", "the second one", qt * T * p, _c, "c"),
        in_letters("k in letters", "and the third,", pt * T * Ft * y, _k, "k"),
        by_fact(
            "c transposed",
            "and the second one from its other side.",
            "transposes of equal arrays",
            {"X": qt * T * p, "Y": _c},
            {"equal": "c in letters"},
        ),
        in_letters(
            "c from the right",
            "T is symmetric.",
            pt * T * q,
            _c,
            Use("c transposed", between=(one, one)),
            Use("T^T", between=(-pt, q)),
        ),
        in_letters(
            "update",
            "The inverse with the record, times what it is the inverse of:",
            less * (_inside + p * pt),
            one,
            Use("T from the left", between=(one, one)),
            Use("T from the left", between=(-T * p * pt / more, one)),
            Use("X in letters", between=(-T * p / more, pt)),
        ),
        by_fact(
            "T' of the parts",
            "So T - T p p^T T/(1 + X)",
            "an inverse from one side",
            {"X": less, "Y": _inside + p * pt},
            {"product": "update"},
        ),
        inferred("T' updated", "is T'.", _T_with, "=", less, "T'", "P^T P", "T' of the parts"),
        in_letters(
            "mean in letters",
            "So the mean moves by c t/(1 + X), t = b - k,",
            mean_with,
            mean_without + _c * (label - _k) / more,
            "G in full",
            "H in full",
            Use("push through with", between=(qt, both_labels)),
            Use("push through", between=(-qt, y)),
            Use("P^T y", between=(qt * _T_with, one)),
            Use("T' updated", between=(qt, Ft * y + label * p)),
            Use("c in letters", between=(label, one)),
            Use("c in letters", between=(-one / more, pt * T * Ft * y)),
            Use("k in letters", between=(-_c / more, one)),
            Use("c in letters", between=(-label / more, pt * T * p)),
            Use("X in letters", between=(-label * _c / more, one)),
        ),
        in_letters(
            "variance in letters",
            "the variance is s^2 q^T T q",
            variance_without,
            noise**2 * scalar(qt * T * q),
            "G in full",
            Use("push through", between=(-qt, F * q)),
            Use("T from the left", between=(-qt, q)),
        ),
        in_letters(
            "variance with, in letters",
            "and falls by s^2 c^2/(1 + X).",
            variance_with,
            noise**2 * (scalar(qt * T * q) - _c**2 / more),
            "H in full",
            Use("push through with", between=(-qt, rows * q)),
            Use("T' from the left", between=(-qt, q)),
            Use("T' updated", between=(noise**2 * qt, q)),
            Use("c in letters", between=(-(noise**2) / more, pt * T * q)),
            Use("c from the right", between=(-(noise**2) * _c / more, one)),
        ),
        inferred(
            "mean moves",
            "Written out: the mean,",
            mean_with,
            "=",
            mean_without + covariance * (label - fit) / (1 + at_new),
            *("mean in letters", "c", "k", "X", "T"),
        ),
        inferred("variance", "the variance", variance_without, "=", noise**2 * at_query, "variance in letters", "T"),
        inferred(
            "variance falls",
            "and how it falls.",
            variance_with,
            "=",
            noise**2 * (at_query - covariance**2 / (1 + at_new)),
            *("variance with, in letters", "c", "X", "T"),
        ),
    )


@cache
def update() -> Derivation:
    """With a new record the mean moves by c t/(1 + X) and the variance falls by s^2 c^2/(1 + X), c = q^T T p, X = p^T T
    p, t = b - p^T T F^T y (N26-D8, N26-Pr8).

    `number`: 0, the least X.
    """
    return Derivation(
        id="prediction_joint.update",
        title="What a new record does to the mean and the variance of a Gaussian-process prediction",
        sources=("N26-D8", "N26-Pr8"),
        hypotheses=(),
        steps=(*weight_steps(), *update_steps()),
        result_step="p^T T p >= 0",
        symbols={},
        faults=(
            Fault("noise's deviation for its variance", "two squares", lambda rhs: rhs + (noise - noise**2) * T * T),
            Fault("one square of two", "p^T T p", lambda rhs: noise**2 * scalar(transpose(p) * T * T * p)),
            Fault("the record's own noise left out", "update", lambda rhs: 2 * rhs),
            Fault("label alone", "mean in letters", lambda rhs: rhs.subs(sp.Symbol("k", real=True), 0)),
            Fault("variance kept", "variance falls", lambda rhs: variance_without),
            Fault("noise forgotten", "variance", lambda rhs: rhs / noise**2),
        ),
        concludes=(
            Conclusion("N26-Pr8-joint", "mean moves", part="how the mean moves"),
            Conclusion("N26-Pr8-joint", "variance", part="the variance without the record"),
            *(
                Conclusion(claim, "variance falls", part="how the variance falls")
                for claim in ("N26-Pr8-joint", "N26-D8")
            ),
        ),
    )
