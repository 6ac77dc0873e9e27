"""Standard facts about least squares on a Gaussian sketch: the law given the sketch, Wishart matrices, determinants,
two numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse
from ndis_verify.symbolic.fact import NOTHING, Fact, Instance
from ndis_verify.symbolic.notation import (
    anything,
    definite,
    density,
    det,
    law_given,
    law_of,
    minimiser,
    multigamma,
    normal,
    over_definite,
    scalar,
    trace,
    transpose,
    wishart,
)
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.transposes import is_symmetric, with_arrays, with_vectors
from ndis_verify.symbolic.zero import as_expression

_zero, _one = sp.Integer(0), sp.Integer(1)
_DEFINITE = {
    "definite": "y^T N y is at least that number times y^T y, for any vector y: N, which is its own transpose, is"
    " positive definite",
    "least": "a positive number",
}


def _symmetric(instance: Callable[[Mapping[str, Any]], Instance]) -> Callable[[Mapping[str, Any]], Instance]:
    """The instance where N is written as its own transpose."""
    return lambda a: instance(a) if is_symmetric(a["N"]) else NOTHING


def _at_definite(instance: Callable[[Mapping[str, Any]], Instance]) -> Callable[[Mapping[str, Any]], Instance]:
    """The instance where M is the matrix that stands for every positive definite one."""
    return lambda a: instance(a) if a["M"] == definite else NOTHING


def _form(a: Mapping[str, Any]) -> Instance:
    """N at a vector that it does not speak of."""
    if anything in as_expression(a["N"]).free_symbols | as_expression(a["least"]).free_symbols:
        return NOTHING
    y, yt = anything, transpose(anything)
    return scalar(yt * a["N"] * y), ">=", a["least"] * scalar(yt * y)


_REQUIRED: Mapping[str, Callable[[Mapping[str, Any]], Instance]] = {
    "definite": _form,
    "least": lambda a: (a["least"], ">", _zero),
}


def _tilted(a: Mapping[str, Any]) -> Any:
    """X + w w^T, X the inverse of N."""
    return a["X"] + a["w"] * transpose(a["w"])


def _is_number(value: Any) -> bool:
    """Whether no letters are left; as a matrix that is a multiple of the identity, which has any size."""
    return bool(sp.expand(as_expression(value)).is_commutative)


def _of_products(a: Mapping[str, Any]) -> Instance:
    if _is_number(a["B"]) or _is_number(transpose(a["B"]) * a["B"] + a["R"]):
        return NOTHING
    return quantity("columns", transpose(a["B"]) * a["B"] + a["R"]), "=", quantity("columns", a["B"])


def _of_an_inverse(a: Mapping[str, Any]) -> Instance:
    if not is_symmetric(a["Y"]) or _is_number(a["X"]) or _is_number(a["Y"]):
        return NOTHING
    return quantity("columns", a["X"]), "=", quantity("columns", a["Y"])


def _multiple(a: Mapping[str, Any]) -> Instance:
    """Of a number c, and of an A that is written as its own transpose, and so is square."""
    if not is_symmetric(a["A"]) or _is_number(a["A"]) or not as_expression(a["c"]).is_commutative:
        return NOTHING
    return det(a["c"] * a["A"]), "=", a["c"] ** a["d"] * det(a["A"])


def _size(a: Mapping[str, Any]) -> Instance:
    return quantity("columns", a["N"]), "=", a["d"]


def _inverse(a: Mapping[str, Any]) -> Instance:
    return a["X"] * a["N"], "=", _one


def _and_a_square(sign: int) -> Callable[[Mapping[str, Any]], Instance]:
    """The determinant of A and sign w w^T."""
    return with_vectors(
        with_arrays(
            lambda a: (
                det(a["A"] + sign * a["w"] * transpose(a["w"])),
                "=",
                det(a["A"]) * (1 + sign * scalar(transpose(a["w"]) * a["X"] * a["w"])),
            ),
            "A",
        ),
        "w",
    )


def _one_column_more(a: Mapping[str, Any]) -> Instance:
    whole = quantity("beside", a["A"], a["b"])
    bt = transpose(a["b"])
    left = scalar(bt * a["b"]) - scalar(bt * a["A"] * a["X"] * transpose(a["A"]) * a["b"])
    return det(a["X"]) * det(transpose(whole) * whole), "=", left


OF_SKETCHES: Mapping[str, Fact] = {
    "least squares on normal rows": Fact(
        text="Where the r >= d rows of [X, y] are independent and normal, of mean 0 and covariance [N, c; c^T, a], N of"
        " d columns and positive definite, N m = c and W = a - c^T m > 0, the minimiser of |X t - y| given X is normal"
        " with mean m and covariance W M^{-1}, M = X^T X, which is positive definite with probability 1: given X, the"
        " entries of y - X m are independent and N(0, W).",
        tex=r"N m = c,\ W = a - c^{\mathsf T} m > 0 \implies"
        r" \mathcal{L}(\operatorname{argmin}_t |X t - y| \mid X) = \mathcal{N}(m, W (X^{\mathsf T} X)^{-1})",
        letters=("N", "c", "a", "r", "d", "m", "W", "M", "least"),
        conditions={
            **_DEFINITE,
            "centre": "N m = c",
            "residual": "W = a - c^T m",
            "positive": "W > 0",
            "rows": "r >= d",
            "size": "N has d columns",
        },
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorems 1.2.11 and 3.1.4; Seber and Lee,"
        " Linear Regression Analysis, Theorem 3.5",
        instance=_symmetric(
            lambda a: (
                law_given(minimiser(a["N"], a["c"], a["a"], a["r"]), a["M"]),
                "=",
                normal(a["m"], a["W"] * inverse(a["M"])),
            )
        ),
        required={
            **_REQUIRED,
            "centre": lambda a: (a["N"] * a["m"], "=", a["c"]),
            "residual": lambda a: (a["W"], "=", a["a"] - scalar(transpose(a["c"]) * a["m"])),
            "positive": lambda a: (a["W"], ">", _zero),
            "rows": lambda a: (a["r"], ">=", a["d"]),
            "size": _size,
        },
    ),
    "density of a mixture over a Wishart matrix": Fact(
        text="Where M = X^T X, the r >= d rows of X independent and N(0, N), N of d columns and positive definite,"
        " and Z has the law P given M, a law with a density, the density of Z at x is the integral over the positive"
        " definite matrices M of that of P at x times that of the Wishart law at M.",
        tex=r"f_Z(x) = \int f_{P(M)}(x)\,f_{\mathcal{W}(N, r)}(M)\,dM",
        letters=("Z", "P", "N", "M", "x", "r", "d", "least"),
        apart=dict.fromkeys(("Z", "N", "x", "r", "d", "least"), ("M",)),
        conditions={
            **_DEFINITE,
            "given": "Z has the law P given M",
            "rows": "r >= d",
            "size": "N has d columns",
        },
        reference="Billingsley, Probability and Measure, section 33; Muirhead, Aspects of Multivariate Statistical"
        " Theory, Theorem 3.2.1",
        instance=_at_definite(
            _symmetric(
                lambda a: (
                    density(law_of(a["Z"]), a["x"]),
                    "=",
                    over_definite(density(a["P"], a["x"]) * density(wishart(a["N"], a["r"]), a["M"])),
                )
            )
        ),
        required={
            **_REQUIRED,
            "given": lambda a: (law_given(a["Z"], a["M"]), "=", a["P"]),
            "rows": lambda a: (a["r"], ">=", a["d"]),
            "size": _size,
        },
    ),
    "density of a normal law by its precision": Fact(
        text="The normal law of mean m and covariance W M^{-1}, M positive definite with d columns, W > 0, has the"
        " density (2 pi W)^{-d/2} sqrt(det M) exp(-h^T M h/(2 W)) at x, h = x - m.",
        tex=r"f_{\mathcal{N}(m, W M^{-1})}(x) = (2 \pi W)^{-d/2} \sqrt{\det M}\,e^{-h^{\mathsf T} M h/(2 W)},"
        r"\quad h = x - m",
        letters=("N", "m", "W", "M", "x", "h", "d"),
        conditions={"positive": "W > 0", "offset": "h = x - m", "size": "N, which is as large as M, has d columns"},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorem 1.2.9",
        instance=_at_definite(
            lambda a: (
                density(normal(a["m"], a["W"] * inverse(a["M"])), a["x"]),
                "=",
                (2 * sp.pi * a["W"]) ** (-a["d"] / 2)
                * sp.sqrt(det(a["M"]))
                * sp.exp(-scalar(transpose(a["h"]) * a["M"] * a["h"]) / (2 * a["W"])),
            )
        ),
        required={
            "positive": lambda a: (a["W"], ">", _zero),
            "offset": lambda a: (a["h"], "=", a["x"] - a["m"]),
            "size": _size,
        },
    ),
    "density of a Wishart matrix": Fact(
        text="X^T X, the r >= d rows of X independent and N(0, N), N of d columns and positive definite, has at M the"
        " density (det M)^{(r-d-1)/2} exp(-tr(X M)/2)/(2^{rd/2} Gamma_d(r/2) (det N)^{r/2}), X N = I.",
        tex=r"f_{\mathcal{W}(N, r)}(M) = \frac{(\det M)^{(r-d-1)/2}\,e^{-\operatorname{tr}(N^{-1} M)/2}}"
        r"{2^{rd/2}\,\Gamma_d(r/2)\,(\det N)^{r/2}}",
        letters=("N", "X", "M", "r", "d", "least"),
        conditions={**_DEFINITE, "inverse": "X N = I", "rows": "r >= d", "size": "N has d columns"},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorem 3.2.1",
        instance=_at_definite(
            _symmetric(
                lambda a: (
                    density(wishart(a["N"], a["r"]), a["M"]),
                    "=",
                    det(a["M"]) ** ((a["r"] - a["d"] - 1) / 2)
                    * sp.exp(-trace(a["X"] * a["M"]) / 2)
                    / (2 ** (a["r"] * a["d"] / 2) * multigamma(a["d"], a["r"] / 2) * det(a["N"]) ** (a["r"] / 2)),
                )
            )
        ),
        required={**_REQUIRED, "inverse": _inverse, "rows": lambda a: (a["r"], ">=", a["d"]), "size": _size},
    ),
    "integral over the positive definite matrices": Fact(
        text="Over the positive definite matrices M of d columns, the integral of (det M)^{(n-d-1)/2} exp(-tr(S M)/2),"
        " S = X + w w^T, X N = I, N of d columns and positive definite, is 2^{nd/2} Gamma_d(n/2) (det S)^{-n/2}, for n"
        " > d - 1.",
        tex=r"\int (\det M)^{(n-d-1)/2} e^{-\operatorname{tr}(S M)/2}\,dM = 2^{nd/2}\,\Gamma_d(n/2)\,(\det S)^{-n/2}",
        letters=("N", "X", "w", "M", "n", "d", "least"),
        apart=dict.fromkeys(("N", "X", "w", "n", "d", "least"), ("M",)),
        conditions={**_DEFINITE, "inverse": "X N = I", "rows": "n > d - 1", "size": "N has d columns"},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorem 2.1.11",
        instance=_at_definite(
            _symmetric(
                lambda a: (
                    over_definite(det(a["M"]) ** ((a["n"] - a["d"] - 1) / 2) * sp.exp(-trace(_tilted(a) * a["M"]) / 2)),
                    "=",
                    2 ** (a["n"] * a["d"] / 2) * multigamma(a["d"], a["n"] / 2) * det(_tilted(a)) ** (-a["n"] / 2),
                )
            )
        ),
        required={**_REQUIRED, "inverse": _inverse, "rows": lambda a: (a["n"], ">", a["d"] - 1), "size": _size},
    ),
    "columns of a matrix of products": Fact(
        text="B^T B + R has as many columns as B.",
        tex=r"\operatorname{cols}(B^{\mathsf T} B + R) = \operatorname{cols}(B)",
        letters=("B", "R"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 0.2.3",
        instance=_of_products,
    ),
    "columns of an inverse": Fact(
        text="Where X Y = I, Y square, X has as many columns as Y.",
        tex=r"X Y = I \implies \operatorname{cols}(X) = \operatorname{cols}(Y)",
        letters=("X", "Y"),
        conditions={"product": "X Y = I"},
        reference="Horn and Johnson, Matrix Analysis, section 0.5",
        instance=_of_an_inverse,
        required={"product": lambda a: (a["X"] * a["Y"], "=", _one)},
    ),
    "determinant of a multiple": Fact(
        text="det(c A) = c^d det A, c a number and A square, of d columns.",
        tex=r"\det(c A) = c^d \det A,\quad d = \operatorname{cols}(A)",
        letters=("c", "A", "d"),
        conditions={"size": "A has d columns"},
        reference="Horn and Johnson, Matrix Analysis, section 0.3.1",
        instance=_multiple,
        required={"size": lambda a: (quantity("columns", a["A"]), "=", a["d"])},
    ),
    "a form as a trace": Fact(
        text="tr(w w^T M) = w^T M w.",
        tex=r"\operatorname{tr}(w w^{\mathsf T} M) = w^{\mathsf T} M w",
        letters=("w", "M"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 1.2",
        instance=with_vectors(
            lambda a: (
                trace(a["w"] * transpose(a["w"]) * a["M"]),
                "=",
                scalar(transpose(a["w"]) * a["M"] * a["w"]),
            ),
            "w",
        ),
    ),
    "a ratio of multivariate gamma functions": Fact(
        text="Gamma_d(a + 1/2) = Gamma_d(a) Gamma(a + 1/2)/Gamma(a + (1 - d)/2), 2 a >= d: Gamma_d(a) is pi^{d(d-1)/4}"
        " times the product of Gamma(a + (1 - j)/2) over j from 1 to d.",
        tex=r"\Gamma_d(a + \tfrac12) = \Gamma_d(a)\,\frac{\Gamma(a + \tfrac12)}{\Gamma(a + \tfrac{1 - d}{2})}",
        letters=("a", "d"),
        conditions={"range": "2 a >= d", "size": "d is whole and positive"},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorem 2.1.12",
        instance=lambda a: (
            multigamma(a["d"], a["a"] + sp.Rational(1, 2)),
            "=",
            multigamma(a["d"], a["a"]) * sp.gamma(a["a"] + sp.Rational(1, 2)) / sp.gamma(a["a"] + (1 - a["d"]) / 2),
        ),
        required={
            "range": lambda a: (2 * a["a"], ">=", a["d"]),
            "size": lambda a: (a["d"], ">=", _one),
        },
    ),
    "determinant of a matrix and a square": Fact(
        text="Where A X = I, det(A + w w^T) = det(A) (1 + w^T X w).",
        tex=r"A X = I \implies \det(A + w w^{\mathsf T}) = \det(A)\,(1 + w^{\mathsf T} X w)",
        letters=("A", "X", "w"),
        conditions={"inverse": "A X = I"},
        reference="Horn and Johnson, Matrix Analysis, section 0.8.5",
        instance=_and_a_square(1),
        required={"inverse": lambda a: (a["A"] * a["X"], "=", _one)},
    ),
    "determinant of a matrix less a square": Fact(
        text="Where A X = I, det(A - w w^T) = det(A) (1 - w^T X w).",
        tex=r"A X = I \implies \det(A - w w^{\mathsf T}) = \det(A)\,(1 - w^{\mathsf T} X w)",
        letters=("A", "X", "w"),
        conditions={"inverse": "A X = I"},
        reference="Horn and Johnson, Matrix Analysis, section 0.8.5",
        instance=_and_a_square(-1),
        required={"inverse": lambda a: (a["A"] * a["X"], "=", _one)},
    ),
    "determinant with one more column": Fact(
        text="Where X A^T A = I, det(X) det([A, b]^T [A, b]) = b^T b - b^T A X A^T b.",
        tex=r"X A^{\mathsf T} A = I \implies \det(X) \det\bigl(\begin{pmatrix} A & b \end{pmatrix}^{\mathsf T}"
        r" \begin{pmatrix} A & b \end{pmatrix}\bigr) = b^{\mathsf T} b - b^{\mathsf T} A X A^{\mathsf T} b",
        letters=("A", "b", "X"),
        conditions={"inverse": "X A^T A = I"},
        reference="Schur's formula: Horn and Johnson, Matrix Analysis, section 0.8.5",
        instance=with_vectors(with_arrays(_one_column_more, "A", "X"), "b"),
        required={"inverse": lambda a: (a["X"] * transpose(a["A"]) * a["A"], "=", _one)},
    ),
    "determinant of an inverse": Fact(
        text="Where X N = I and det N > 0, det X = 1/det N.",
        tex=r"X N = I,\ \det N > 0 \implies \det X = 1/\det N",
        letters=("X", "N"),
        conditions={"inverse": "X N = I", "positive": "det N > 0"},
        reference="Horn and Johnson, Matrix Analysis, section 0.3.5",
        instance=with_arrays(lambda a: (det(a["X"]), "=", 1 / det(a["N"])), "X", "N"),
        required={"inverse": _inverse, "positive": lambda a: (det(a["N"]), ">", _zero)},
    ),
    "determinants of a matrix and its inverse": Fact(
        text="Where X N = I, X and N square, det X det N = 1.",
        tex=r"X N = I \implies \det X \det N = 1",
        letters=("X", "N"),
        conditions={"inverse": "X N = I"},
        reference="Horn and Johnson, Matrix Analysis, section 0.3.5",
        instance=_symmetric(with_arrays(lambda a: (det(a["X"]) * det(a["N"]), "=", _one), "X", "N")),
        required={"inverse": _inverse},
    ),
    "determinant of a positive definite matrix": Fact(
        text="A positive definite matrix has a positive determinant.",
        tex=r"N \succ 0 \implies \det N > 0",
        letters=("N", "least"),
        conditions=_DEFINITE,
        reference="Horn and Johnson, Matrix Analysis, Corollary 7.1.7",
        instance=_symmetric(with_arrays(lambda a: (det(a["N"]), ">", _zero), "N")),
        required=_REQUIRED,
    ),
    "a density is not negative": Fact(
        text="The density of a law is not negative.",
        tex=r"f_P(x) \ge 0",
        letters=("P", "x"),
        conditions={"density": "P has a density, which is spoken of"},
        reference="Billingsley, Probability and Measure, section 20",
        instance=lambda a: (density(a["P"], a["x"]), ">=", _zero),
        required={"density": lambda a: (density(a["P"], a["x"]), "=", None)},
    ),
    "a number is its transpose": Fact(
        text="v^T w = w^T v.",
        tex=r"v^{\mathsf T} w = w^{\mathsf T} v",
        letters=("v", "w"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 0.2.5",
        instance=with_vectors(
            lambda a: (scalar(transpose(a["v"]) * a["w"]), "=", scalar(transpose(a["w"]) * a["v"])), "v", "w"
        ),
    ),
    "means of two numbers": Fact(
        text="Where b, c >= 0 and a^2 <= b c, 2 a <= b + c.",
        tex=r"b, c \ge 0,\ a^2 \le b c \implies 2 a \le b + c",
        letters=("a", "b", "c"),
        conditions={"first": "b >= 0", "second": "c >= 0", "square": "a^2 <= b c"},
        reference="Hardy, Littlewood and Polya, Inequalities, Theorem 9",
        instance=lambda a: (2 * a["a"], "<=", a["b"] + a["c"]),
        required={
            "first": lambda a: (a["b"], ">=", _zero),
            "second": lambda a: (a["c"], ">=", _zero),
            "square": lambda a: (a["a"] ** 2, "<=", a["b"] * a["c"]),
        },
    ),
    "a square and a multiple": Fact(
        text="Where b >= 0 and a^2 <= b a, a <= b.",
        tex=r"b \ge 0,\ a^2 \le b a \implies a \le b",
        letters=("a", "b"),
        conditions={"sign": "b >= 0", "square": "a^2 <= b a"},
        reference="where a > 0, divide by it; otherwise a <= 0 <= b",
        instance=lambda a: (a["a"], "<=", a["b"]),
        required={
            "sign": lambda a: (a["b"], ">=", _zero),
            "square": lambda a: (a["a"] ** 2, "<=", a["b"] * a["a"]),
        },
    ),
}
