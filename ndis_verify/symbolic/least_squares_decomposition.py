"""The limit laws of least squares with a record and without it: relative eigenvalues and shift (N24-P15).

The statement's S and T are the covariances with the record and without it; S and T of the steps are (E^T E)^{-1} and
(B^T B)^{-1}, of which the covariances are multiples.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.least_squares_decomposition_steps import (
    DEFINITE,
    RESIDUAL,
    W1,
    W,
    after,
    before,
    e,
    et,
    in_letters,
    leverage,
    moved,
    number_steps,
    o,
    one,
    others,
    r,
    ratio,
    row,
    share,
    t,
    with_steps,
    without_steps,
    zero,
)
from ndis_verify.symbolic.leverage_with_answers import Et, Y, c, gram
from ndis_verify.symbolic.notation import det, scalar, transpose
from ndis_verify.symbolic.rows import T, h
from ndis_verify.symbolic.sketch_records import (
    B,
    Bt,
    S,
    b,
    d,
    v,
    vt,
)
from ndis_verify.symbolic.statement_terms import quantity

first = after / r * inverse(gram)  # the covariances as the statement writes them
second = before / r * inverse(others)
shift = inverse(gram) * Et * Y - inverse(others) * Bt * b
FIRST, SECOND = W1 / r * S, W / r * T  # and by their names


def _size_steps() -> tuple[Step, ...]:
    """T, the covariance without the record, has d columns, and a multiple of it a multiple of its determinant."""
    scaled = W / r * inverse(others)
    precision = r / W * others
    return (
        in_letters(
            "inverse of the covariance",
            "The covariance without the record has an inverse,",
            *(precision * scaled, one, "T in full"),
            Use("N T", between=(one, one)),
        ),
        in_letters(
            "from the other side",
            "from both sides.",
            scaled * precision,
            one,
            "T in full",
            Use("T N", between=(one, one)),
        ),
        by_fact(
            "columns of B",
            "B^T B has d columns,",
            "columns of a matrix of products",
            {"B": B, "R": precision - others},
            {},
        ),
        by_fact(
            "columns of the covariance",
            "and so the covariance has.",
            "columns of an inverse",
            {"X": scaled, "Y": precision},
            {"product": "from the other side"},
        ),
        inferred("d", "d of them.", quantity("columns", scaled), "=", d, "columns of the covariance", "columns of B"),
    )


def _less_a_square(name: str, matrix: Any, factor: Any, square: Any) -> tuple[Step, ...]:
    """det(matrix), which is that of `factor` times the covariance without the record, less `square` T v v^T T."""
    multiple, precision, w = factor * SECOND, r / (W * factor) * others, sp.sqrt(square) * T * v
    scaled = W / r * inverse(others)
    return (
        inferred(
            f"{name}, a square",
            "By what the record changes,",
            *(det(matrix), "=", det(multiple - w * transpose(w))),
            *("S by T", row("T^T")),
        ),
        in_letters(
            f"{name}, inverse", "of a matrix of this inverse", multiple * precision, one, Use("T N", between=(one, one))
        ),
        by_fact(
            f"{name}, determinant",
            "a square is taken",
            "determinant of a matrix less a square",
            {"A": multiple, "X": precision, "w": w},
            {"inverse": f"{name}, inverse"},
        ),
        by_fact(
            f"{name}, multiple",
            "and a multiple.",
            "determinant of a multiple",
            {"c": factor, "A": scaled, "d": d},
            {"size": "d"},
        ),
        inferred(
            f"{name}, by T",
            "So in terms of T:",
            *(det(matrix), "=", factor**d * det(SECOND) * (1 - square * r / (W * factor) * h)),
            *(f"{name}, a square", f"{name}, determinant", "form of N"),
            *(row("T"), f"{name}, multiple"),
        ),
    )


def _determinant_steps() -> tuple[Step, ...]:
    """det(S - t T) and det(T - t S), S and T now the covariances."""
    return (
        in_letters(
            "form of N",
            "v^T T N T v is h, too.",
            scalar(vt * transpose(T) * others * T * v),
            h,
            row("T^T", between=(vt, others * T * v)),
            Use("N T", between=(vt * T, v)),
            Use("h", between=(one, one)),
        ),
        *_less_a_square("S - t T", FIRST - t * SECOND, ratio - t, W1 / (r * (1 + h))),
        *_less_a_square("T - t S", SECOND - t * FIRST, 1 - t * ratio, -t * W1 / (r * (1 + h))),
        inferred(
            "det(S - t T)",
            "Once k (1 - p), k = W'/W, and d - 1 times k.",
            det(FIRST - t * SECOND),
            "=",
            det(SECOND) * (ratio / (1 + h) - t) * (ratio - t) ** (d - 1),
            "S - t T, by T",
        ),
        inferred(
            "det S",
            "At t = 0 it is the determinant of S.",
            *(det(FIRST), "=", det(SECOND) * ratio**d / (1 + h)),
            Use("det(S - t T)", at={t: zero}),
        ),
        inferred(
            "det(T - t S)",
            "The inverse eigenvalues.",
            det(SECOND - t * FIRST),
            "=",
            det(FIRST) * ((1 + h) / ratio - t) * (1 / ratio - t) ** (d - 1),
            *("T - t S, by T", "det S"),
        ),
    )


def _shift_steps() -> tuple[Step, ...]:
    """The forms of the shift e = x - z: of T^{-1} S T^{-1} and of S^{-1} T S^{-1}."""
    return (
        named(e, "e = x - z", shift),
        inferred("e by T", "is T v o/(1 + h).", e, "=", T * v * moved, str(e), "S in full", "T in full", "solution"),
        in_letters("N e", "N e = v o/(1 + h)", others * e, v * moved, "e by T", Use("N T", between=(one, v * moved))),
        by_fact(
            "e^T N",
            "and so transposed.",
            "transposes of equal arrays",
            {"X": others * e, "Y": v * moved},
            {"equal": "N e"},
        ),
        in_letters(
            "E^T E e",
            "E^T E e = v o",
            gram * e,
            v * o,
            Use("E^T E", between=(one, e)),
            Use("N e", between=(one, one)),
            Use("e by T", between=(v * vt, one)),
            Use("h", between=(v * moved, one)),
        ),
        by_fact(
            "e^T E^T E", "as well.", "transposes of equal arrays", {"X": gram * e, "Y": v * o}, {"equal": "E^T E e"}
        ),
        in_letters(
            "form by N",
            "So the forms are multiples of p",
            scalar(et * others * S * others * e),
            moved**2 * scalar(vt * S * v),
            Use("N e", between=(et * others * S, one)),
            Use("e^T N", between=(one, S * v * moved)),
        ),
        in_letters(
            "form by E^T E",
            "and h.",
            scalar(et * gram * T * gram * e),
            o**2 * h,
            Use("E^T E e", between=(et * gram * T, one)),
            Use("e^T E^T E", between=(one, T * v * o)),
            Use("h", between=(o, o)),
        ),
        in_letters(
            "product with the record",
            "The covariance with the record has an inverse, too.",
            *(r / W1 * gram * (W1 / r * inverse(gram)), one, "S in full"),
            Use("S from the right", between=(one, one)),
        ),
        *(
            by_fact(
                f"inverse of {name}",
                why,
                "an inverse from one side",
                {"X": precision, "Y": matrix},
                {"product": product},
            )
            for name, why, precision, matrix, product in (
                ("T", "These are the inverses.", r / W * others, W / r * inverse(others), "inverse of the covariance"),
                ("S", "As well.", r / W1 * gram, W1 / r * inverse(gram), "product with the record"),
            )
        ),
    )


def _form(inner: Any, outer: Any) -> Any:
    """(x - z)^T X^{-1} Y X^{-1} (x - z), of covariances as the statement writes them."""
    return scalar(transpose(shift) * inverse(sp.expand(outer)) * inner * inverse(sp.expand(outer)) * shift)


def _stated_steps() -> tuple[Step, ...]:
    """The relations in the statement's letters."""
    without = ("T in full", "projection", "b^T b")
    kept = ("S in full", "projection with the record", "y^T y with the record")
    k = (1 - leverage) / (1 - share)
    pencil, other_pencil = det(sp.expand(first - t * second)), det(sp.expand(second - t * first))
    of_first, of_second = det(sp.expand(first)), det(sp.expand(second))
    in_full = (
        ("S - t T in full", pencil, det(FIRST - t * SECOND), (*without, *kept)),
        ("T - t S in full", other_pencil, det(SECOND - t * FIRST), (*without, *kept)),
        ("det S in full", of_first, det(FIRST), kept),
        ("det T in full", of_second, det(SECOND), without),
        ("S^{-1} in full", inverse(sp.expand(first)), inverse(W1 / r * inverse(gram)), (*kept, "S itself")),
        ("T^{-1} in full", inverse(sp.expand(second)), inverse(W / r * inverse(others)), (*without, "T itself")),
    )
    by_others, by_all = scalar(et * others * S * others * e), scalar(et * gram * T * gram * e)
    return (
        *(
            inferred(f"{name} itself", "By the residuals' names", sp.expand(stated), "=", named_, *used)
            for name, stated, named_, used in (
                ("S", first, W1 / r * inverse(gram), kept),
                ("T", second, W / r * inverse(others), without),
            )
        ),
        *(inferred(name, "By the residuals' names.", lhs, "=", rhs, *used) for name, lhs, rhs, used in in_full),
        inferred(
            "eigenvalues of S",
            "1 - a_i, relative to T.",
            pencil,
            "=",
            of_second * (k * (1 - leverage) - t) * (k - t) ** (d - 1),
            *("S - t T in full", "det T in full", "det(S - t T)", "1 - p", "1 - q"),
        ),
        inferred(
            "eigenvalues of T",
            "1 - a_i, relative to S.",
            other_pencil,
            "=",
            of_first * (1 / (k * (1 - leverage)) - t) * (1 / k - t) ** (d - 1),
            *("T - t S in full", "det S in full", "det(T - t S)", "1 - p", "1 - q"),
        ),
        inferred(
            "form of S",
            "The form by T,",
            *(_form(first, second), "=", (r / W) ** 2 * (W1 / r) * by_others),
            *("T^{-1} in full", "inverse of T", str(e), *kept),
        ),
        inferred(
            "form of T",
            "and that by S.",
            *(_form(second, first), "=", (r / W1) ** 2 * (W / r) * by_all),
            *("S^{-1} in full", "inverse of S", str(e), *without),
        ),
        inferred("v^T S v", "v^T S v is p.", scalar(vt * S * v), "=", h / (1 + h), str(S), "p"),
        inferred(
            "linear part of S",
            "|b|^2 relative to T.",
            *(_form(first, second), "=", r * leverage * (share - leverage) * k**2),
            *("form of S", "form by N", "v^T S v", "1 - q", "p", str(W1)),
        ),
        inferred(
            "linear part of T",
            "|b|^2 relative to S.",
            *(_form(second, first), "=", r * leverage * (share - leverage) * (1 - share) / (1 - leverage) ** 4),
            *("form of T", "form by E^T E", "1 - q", "p", str(W1)),
        ),
    )


@cache
def eigenvalues_and_shift() -> Derivation:
    """`det(S - t T) = det(T) (k (1 - p) - t) (k - t)^{d-1}`, k = (1 - p)/(1 - q), `|b|^2 = r p (q - p) k^2`, and the
    same of T relative to S (N24-P15).

    `number`: W', the squared residual with the record.
    """
    ends = ("eigenvalues of S", "linear part of S", "eigenvalues of T", "linear part of T")
    names = {"t": t, "B": B, "r": r, "v": v, "b": b, "c": c}
    return Derivation(
        id="least_squares_decomposition.eigenvalues_and_shift",
        title="The limit laws of least squares with a record and without it: relative eigenvalues and shift",
        sources=("N24-P15",),
        hypotheses=(DEFINITE, RESIDUAL),
        steps=(
            *(*without_steps(), *with_steps(), *number_steps(), *_size_steps()),
            *(*_determinant_steps(), *_shift_steps(), *_stated_steps()),
        ),
        result_step=str(W1),
        symbols={"residual": W, "h": h, "left": o},
        faults=(
            Fault("move of the wrong sign", "solution", lambda rhs: T * Bt * b - T * v * moved),
            Fault("record's residual left out", "y^T y with the record", lambda rhs: rhs - W1),
            Fault("q by p alone", "q", lambda rhs: h / (1 + h)),
            Fault("d times", "det(S - t T)", lambda rhs: rhs * (ratio - t)),
            Fault("not inverted", "det(T - t S)", lambda rhs: rhs.subs(h, 0)),
            Fault("residuals exchanged", "linear part of S", lambda rhs: rhs * (1 - share)),
            Fault("power of 1 - p", "linear part of T", lambda rhs: rhs * (1 - leverage)),
        ),
        concludes=tuple(Conclusion("N24-P15", end, names) for end in ends),
    )
