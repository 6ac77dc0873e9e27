"""How the inflated covariances of the logistic-regression surrogate compare, with a record and without it (N26-Pr7).

X has the other records as rows, z is the new one: S = (lambda I + X^T X/4)^{-1} without it, S' with it. What the
covariances v I + S and v I + S' are is shown at any vector y.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, from_side, inferred, named, squared
from ndis_verify.symbolic.notation import anything, det, scalar, transpose
from ndis_verify.symbolic.statement_terms import quantity

penalty = sp.Symbol("lambda", positive=True)
added = sp.Symbol("v", nonnegative=True)
length = sp.Symbol("l", real=True)
zero, one = sp.Integer(0), sp.Integer(1)
X, z, S, N = (letter(name) for name in ("X", "z", "S", "N"))
Xt, zt, yt = (transpose(one_) for one_ in (X, z, anything))
A, B, h, m, e = sp.symbols("A B h m e", nonnegative=True)
D, E, F = sp.symbols("D E F", positive=True)
c, q = sp.symbols("c q", real=True)
shape = Xt * X / 4 + penalty  # S^{-1}
shape_with = shape + z * zt / 4
without, with_record = added + inverse(shape), added + inverse(shape_with)
square = S * z * zt * S
kept = 1 + penalty * added
largest = length**2 / penalty
LENGTH = Hypothesis("z^T z <= l^2", sp.Le(scalar(zt * z), length**2))
_LETTERS = (X, Xt, z, zt, S, transpose(S), N, transpose(N), anything, yt, inverse(shape))
FORMS = without_rules(_LETTERS, (penalty, added, A, c))


def factor(count: Any = one) -> sp.Expr:
    """(v + 1/lambda)/(v + 1/(lambda + n l^2/4)) at n = `count`."""
    return (added + 1 / penalty) / (added + 1 / (penalty + count * length**2 / 4))


def form(matrix: Any) -> Any:
    return scalar(yt * matrix * anything)


def in_letters(name: str, why: str, lhs: Any, rhs: Any, *premises: Any, algebra: BlockAlgebra = FORMS) -> Step:
    return inferred(name, why, lhs, "=", rhs, *premises, algebra=algebra)


def _spread_steps() -> tuple[Step, ...]:
    """S is symmetric and a sum of two squares; A = z^T S z is at most l^2/lambda."""
    return (
        named(S, "S is the inverse of lambda I + X^T X/4,", inverse(shape)),
        from_side(S, shape, "left", "from the left"),
        from_side(S, shape, "right", "and from the right,"),
        by_fact("S^T", "symmetric,", "a symmetric inverse", {"X": S, "Y": shape}, {"product": "S from the left"}),
        in_letters(
            "two squares",
            "a sum of two squares:",
            S,
            penalty * S * S + S * Xt * X * S / 4,
            Use("S from the right", between=(-S, one)),
        ),
        in_letters(
            "S is semidefinite",
            "as S is symmetric.",
            S,
            penalty * transpose(S) * S + transpose(S) * Xt * X * S / 4,
            *("S^T", Use("two squares", between=(one, one))),
        ),
        squared("|S z|^2", "With the squares of S z", S * z),
        squared("|X S z|^2", "and X S z,", X * S * z),
        squared("|z|^2", "and z:", z),
        in_letters(
            "z^T S z",
            "z^T S z = lambda |S z|^2 + |X S z|^2/4",
            scalar(zt * S * z),
            penalty * scalar(zt * S * S * z) + scalar(zt * S * Xt * X * S * z) / 4,
            Use("two squares", between=(zt, z)),
        ),
        inferred(
            "A >= 0",
            "is not negative.",
            scalar(zt * S * z),
            ">=",
            zero,
            *("z^T S z", Use("|S z|^2", weight=penalty), Use("|X S z|^2", weight=one / 4), "S^T"),
        ),
        named(A, "A = z^T S z,", scalar(zt * S * z), "A >= 0"),
        inferred("h >= 0", "as is", scalar(zt * S * S * z), ">=", zero, *("|S z|^2", "S^T")),
        named(h, "h = |S z|^2", scalar(zt * S * S * z), "h >= 0"),
        named(m, "and m = |z|^2.", scalar(zt * z), "|z|^2"),
        inferred(
            "first spread",
            "lambda h <= A,",
            A,
            ">=",
            penalty * h,
            *(Use("|X S z|^2", weight=one / 4), "A", "h", "z^T S z", "S^T"),
        ),
        by_fact(
            "both",
            "A^2 <= m h",
            "Cauchy-Schwarz inequality of vectors",
            {"u": z, "u^T": zt, "v": S * z, "v^T": transpose(S * z)},
            {},
        ),
        inferred("m at most", "and m <= l^2:", m, "<=", length**2, *(Use(LENGTH.text), "m")),
        by_fact(
            "A at most",
            "so A is at most l^2/lambda.",
            "a square and a multiple",
            {"a": A, "b": largest},
            {
                "sign": Step("l^2/lambda", "Not negative.", largest, zero, ">=", largest),
                "square": inferred(
                    "A^2",
                    "A^2 <= A l^2/lambda.",
                    A**2,
                    "<=",
                    largest * A,
                    *(Use("both"), Use("first spread", weight=-m / penalty), Use("m at most", weight=A / penalty)),
                    *("A", "h", "m", "S^T"),
                ),
            },
        ),
    )


def _form_steps() -> tuple[Step, ...]:
    """(z^T S y)^2 <= A/(1 + lambda v) y^T (v I + S) y at any y."""
    share = 1 / kept
    return (
        squared("|S y|^2", "Of any vector y, S y", S * anything),
        squared("|X S y|^2", "and X S y have squares,", X * S * anything),
        squared("|y|^2", "and y:", anything),
        in_letters(
            "y^T S y",
            "of these is made",
            scalar(yt * S * anything),
            penalty * scalar(yt * S * S * anything) + scalar(yt * S * Xt * X * S * anything) / 4,
            Use("two squares", between=(yt, anything)),
        ),
        inferred(
            "B >= 0",
            "y^T S y, which is not negative.",
            form(S),
            ">=",
            zero,
            *("y^T S y", Use("|S y|^2", weight=penalty), Use("|X S y|^2", weight=one / 4), "S^T"),
        ),
        named(B, "B = y^T S y,", form(S), "B >= 0"),
        named(e, "e = |y|^2,", scalar(yt * anything), "|y|^2"),
        named(c, "c = z^T S y.", scalar(zt * S * anything)),
        by_fact(
            "c^2 <= A B",
            "Twice: in the form of S,",
            "Cauchy-Schwarz inequality of a form",
            {
                "A": S,
                "u": z,
                "u^T": zt,
                "v": anything,
                "v^T": yt,
                "B": sp.sqrt(penalty) * S,
                "B^T": sp.sqrt(penalty) * transpose(S),
                "C": X * S / 2,
                "C^T": transpose(X * S) / 2,
            },
            {"semidefinite": "S is semidefinite"},
        ),
        by_fact(
            "c^2 <= h e",
            "and of S z and y.",
            "Cauchy-Schwarz inequality of vectors",
            {"u": S * z, "u^T": transpose(S * z), "v": anything, "v^T": yt},
            {},
        ),
        inferred(
            "both together",
            "A share 1/(1 + lambda v) of the first, and the rest of the second, with lambda h <= A.",
            c**2,
            "<=",
            A * share * (B + added * e),
            *(Use("c^2 <= A B", weight=share), Use("c^2 <= h e", weight=penalty * added * share)),
            Use("first spread", weight=-added * share * e),
            *("c", "A", "B", "h", "e", "S^T"),
        ),
        inferred(
            "at any vector",
            "In letters.",
            scalar(zt * S * anything) ** 2,
            "<=",
            A * share * (form(S) + added * scalar(yt * anything)),
            *(Use("both together"), "c", "B", "e"),
        ),
    )


def _update_steps() -> tuple[Step, ...]:
    """S' = S - S z z^T S/(4 + A)."""
    return (
        in_letters("A in letters", "z^T S z is the number A.", zt * S * z, A, "A"),
        in_letters(
            "update",
            "The inverse with the record, times what it is the inverse of:",
            (S - square / (4 + A)) * shape_with,
            one,
            Use("S from the left", between=(one, one)),
            Use("S from the left", between=(-S * z * zt / (4 + A), one)),
            Use("A in letters", between=(-S * z / (4 * (4 + A)), zt)),
        ),
        by_fact(
            "S'",
            "S' = S - S z z^T S/(4 + A).",
            "an inverse from one side",
            {"X": S - square / (4 + A), "Y": shape_with},
            {"product": "update"},
        ),
        Step(
            "y^T S z z^T S y",
            "At y it falls by a product of two numbers,",
            lhs=form(square),
            rhs=scalar(yt * S * z) * scalar(zt * S * anything),
            algebra=FORMS,
        ),
        by_fact("y^T S z", "which are one,", "a number is its transpose", {"v": anything, "w": S * z}, {}),
    )


def _order_steps() -> tuple[Step, ...]:
    """T <= S <= k T."""
    k = factor()
    fall = c**2 / (4 + A)
    in_terms = ("S'", "y^T S z z^T S y", "y^T S z", "c")
    gap = 4 * k / (kept * (4 + largest) * (4 + A))
    return (
        Step("fall", "a square.", fall, zero, ">=", fall),
        inferred("T <= S", "So T <= S.", form(without - with_record), ">=", zero, *("fall", *in_terms, "S")),
        Step("form >= 0", "y^T (v I + S) y is not negative.", B + added * e, zero, ">=", B + added * e),
        inferred(
            "S <= k T",
            "And S <= k T, as k is 1/(1 - w) for w = l^2/(4 lambda + l^2)/(1 + lambda v), which is at least A/(4 + A)/"
            "(1 + lambda v).",
            form(k * with_record - without),
            ">=",
            zero,
            Use("both together", weight=-k / (4 + A)),
            Use("A at most", weight=-gap * (B + added * e)),
            *(*in_terms, "B", "e", "S"),
        ),
        inferred(
            "T >= 0",
            "So the form with the record is not negative either.",
            form(with_record),
            ">=",
            zero,
            *(Use("S <= k T", weight=1 / k), Use("form >= 0", weight=1 / k), "B", "e", "S"),
        ),
    )


def _definite(name: str, why: str, matrix: Any, lower: Any, *squares: Use | str) -> tuple[Step, Step]:
    """The matrix is at least `lower` times the identity, and so has a positive determinant."""
    form_name = f"form of {name}"
    return (
        inferred(form_name, why, form(matrix), ">=", lower * scalar(yt * anything), *squares),
        by_fact(
            f"det of {name}",
            "and its determinant positive.",
            "determinant of a positive definite matrix",
            {"N": matrix, "least": lower},
            {"definite": form_name, "least": Step("least", "Positive.", lower, zero, ">", lower)},
        ),
    )


def _positive_det_steps() -> tuple[Step, ...]:
    """det(v I + S) > 0: R (v I + S) R = v R^2 + R and R^2, R = S^{-1}, are positive definite."""
    product = shape * without * shape
    return (
        squared("|X y|^2", "With X y and", X * anything),
        squared("|X^T X y|^2", "X^T X y,", Xt * X * anything),
        *_definite(
            "R^2",
            "the square of R = lambda I + X^T X/4 is positive definite,",
            sp.expand(shape**2),
            penalty**2,
            *(Use("|X y|^2", weight=penalty / 2), Use("|X^T X y|^2", weight=one / 16)),
        ),
        *_definite(
            "v R^2 + R",
            "and so is v R^2 + R,",
            sp.expand(added * shape**2 + shape),
            penalty + added * penalty**2,
            Use("|X y|^2", weight=one / 4 + added * penalty / 2),
            Use("|X^T X y|^2", weight=added / 16),
        ),
        by_fact(
            "inverse",
            "S being the inverse",
            "an inverse from one side",
            {"X": S, "Y": shape},
            {"product": "S from the left"},
        ),
        in_letters(
            "R (v I + S) R",
            "which is R (v I + S) R.",
            sp.expand(added * shape**2 + shape),
            product,
            *("inverse", Use("S from the right", between=(-one, shape))),
        ),
        by_fact("product", "Determinants multiply,", "determinants multiply", {"R": shape, "X": without}, {}),
    )


def _det_steps() -> tuple[Step, ...]:
    """det(v I + S) <= k det(v I + S')."""
    k, share = factor(), A / kept
    inner, inv = S * N * S, inverse(shape)
    less = by_fact(
        "determinant less a square",
        "The covariance falls by the square of one vector,",
        "determinant of a matrix less a square",
        {"A": without, "X": N, "w": S * z / sp.sqrt(4 + A)},
        {"inverse": "N from the right"},
    )
    return (
        named(E, "E = det R^2.", det(sp.expand(shape**2)), "det of R^2"),
        inferred(
            "det > 0",
            "so that det(v I + S) is positive.",
            det(without),
            ">",
            zero,
            *(Use("det of v R^2 + R", weight=1 / E), "R (v I + S) R", "product", "E"),
        ),
        named(D, "Its name.", det(without), "det > 0"),
        named(N, "N is the inverse of v I + S,", inverse(without)),
        from_side(N, without, "left", "from the left"),
        from_side(N, without, "right", "and from the right,"),
        by_fact("N^T", "symmetric.", "a symmetric inverse", {"X": N, "Y": without}, {"product": "N from the left"}),
        in_letters(
            "N (v I + S) N",
            "As N (v I + S) N = N,",
            scalar(zt * S * N * inner * z),
            scalar(zt * inner * z) - added * scalar(zt * S * N * N * S * z),
            *("S", Use("N from the left", between=(zt * inv, N * inv * z))),
        ),
        named(q, "q = z^T S N S z.", scalar(zt * inner * z)),
        by_fact(
            "q at most",
            "q is at most A/(1 + lambda v).",
            "a square and a multiple",
            {"a": q, "b": share},
            {
                "sign": Step("A/(1 + lambda v)", "Not negative.", share, zero, ">=", share),
                "square": inferred(
                    "at y = N S z",
                    "The inequality at y = N S z.",
                    q**2,
                    "<=",
                    share * q,
                    *(Use("at any vector", at={anything: N * S * z}), "q", "S^T", "N^T", "N (v I + S) N"),
                ),
            },
        ),
        less,
        inferred("the square", "which it is.", det(with_record), "=", less.lhs, *("S'", "S")),
        inferred(
            "det(S) <= k det(T)",
            "So the determinant falls to 1/k at least.",
            det(without),
            "<=",
            k * det(with_record),
            Use("q at most", weight=k * D / (4 + A)),
            Use("A at most", weight=4 * k * D / (kept * (4 + largest) * (4 + A))),
            *("the square", less.name, "q", "D", "S"),
        ),
    )


_NAMES = {"lam": penalty, "v": added, "l": length, "X": X, "u": z}


@cache
def one_eigenvalue() -> Derivation:
    """T <= S <= k T and det(S) <= k det(T), S and T the inflated covariances without and with a record,
    k = (v + 1/lambda)/(v + 1/(lambda + l^2/4)) (N26-Pr7-improved).

    `number`: l^2, at `length`.
    """
    ends = ("T <= S", "S <= k T", "det(S) <= k det(T)")
    return Derivation(
        id="surrogate_order.one_eigenvalue",
        title="The inflated covariances of the surrogate, with a record and without it",
        sources=("N26-Pr7",),
        hypotheses=(LENGTH,),
        steps=(
            *_spread_steps(),
            *_form_steps(),
            *_update_steps(),
            *_order_steps(),
            *_positive_det_steps(),
            *_det_steps(),
        ),
        result_step="m at most",
        symbols={"length": length},
        faults=(
            Fault("Hessian without its quarter", "two squares", lambda rhs: rhs + 3 * S * Xt * X * S / 4),
            Fault("lambda forgotten", "first spread", lambda rhs: rhs / penalty),
            Fault("update forgotten", "update", lambda rhs: 2 * rhs),
            Fault("added variance forgotten", "both together", lambda rhs: rhs * kept),
            Fault("half of k", "det(S) <= k det(T)", lambda rhs: rhs / 2),
            Fault("no fall", "N (v I + S) N", lambda rhs: 2 * rhs),
        ),
        concludes=(
            *(Conclusion("N26-Pr7-improved", end, _NAMES) for end in ends),
            Conclusion("N26-Pr7-improved", "T >= 0", _NAMES, part="the form with the record"),
        ),
    )


@cache
def with_more_records() -> Derivation:
    """T <= S <= k T and det(S) <= k^{cols(X)} det(T) with k = (v + 1/lambda)/(v + 1/(lambda + n l^2/4)) and n =
    rows(X) + 1 (N26-Pr7).

    `number`: 1, the least k.
    """
    rows, columns = quantity("rows", X), quantity("columns", X)
    n = sp.Symbol("n", positive=True)  # rows(X), as a number
    k, k_n = factor(), factor(1 + n)
    above, over_1 = (sp.factor(sp.cancel(sp.together(k_n - least))) for least in (k, one))
    logs = sp.log(k_n)

    def lent(name: str, weight: Any = one) -> Use:
        return Use(name, of=one_eigenvalue, weight=weight)

    steps = (
        Step("n", "The rows of X.", lhs=n, rhs=rows, kind="definition"),
        inferred("T <= S", "As with one record.", form(without - with_record), ">=", zero, lent("T <= S")),
        Step("more records", "k is at least that of one record,", k_n, k, ">=", above),
        inferred(
            "S <= k T",
            "so it bounds S, too.",
            form(factor(1 + rows) * with_record - without),
            ">=",
            zero,
            *(lent("S <= k T"), lent("T >= 0", above), "n"),
        ),
        inferred(
            "det T > 0",
            "The determinant with the record is positive,",
            det(with_record),
            ">",
            zero,
            *(lent("det(S) <= k det(T)", -1 / k), lent("det > 0", 1 / k)),
        ),
        named(F, "F = det T.", det(with_record), "det T > 0"),
        Step("k >= 1", "and k is at least 1,", k_n, one, ">=", over_1),
        by_fact(
            "log k",
            "its logarithm not negative,",
            "logarithms keep the order",
            {"a": one, "b": k_n, "c": one},
            {
                "order": inferred("1 <= k", "As shown.", one, "<=", k_n, Use("k >= 1", weight=-1)),
                "least": Step("1 >= 1", "1 is.", one, one, ">=", zero),
                "positive": Step("1 > 0", "1 is.", one, zero, ">", one),
            },
        ),
        by_fact(
            "power",
            "so that no power of it is less.",
            "exponentials keep the order",
            {"a": logs, "b": columns * logs},
            {"order": inferred("powers", "d >= 1.", logs, "<=", columns * logs, Use("log k", weight=columns - 1))},
        ),
        inferred(
            "det(S) <= k^d det(T)",
            "So it bounds the determinant.",
            det(without),
            "<=",
            factor(1 + rows) ** columns * det(with_record),
            *(lent("det(S) <= k det(T)"), Use("more records", weight=-F), Use("power", weight=F), "F", "n"),
        ),
    )
    return Derivation(
        id="surrogate_order.with_more_records",
        title="The inflated covariances of the surrogate, by the number of records",
        sources=("N26-Pr7",),
        hypotheses=(LENGTH,),
        steps=steps,
        result_step="k >= 1",
        symbols={},
        faults=(
            Fault("half of k", "S <= k T", lambda rhs: rhs + form(with_record)),
            Fault("k of fewer records", "more records", lambda rhs: rhs * (1 + n)),
            Fault("half of the determinant", "det(S) <= k^d det(T)", lambda rhs: rhs / 2),
        ),
        concludes=tuple(Conclusion("N26-Pr7", end, _NAMES) for end in ("T <= S", "S <= k T", "det(S) <= k^d det(T)")),
    )
