"""Standard facts about matrices and normal vectors: independence, least squares, Wishart integrals, orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.block_algebra import inverse, without_powers
from ndis_verify.symbolic.fact import NOTHING, Fact, Instance
from ndis_verify.symbolic.notation import (
    det,
    diagonal,
    inverse_form,
    law_given,
    law_of,
    matrix_mean,
    norm,
    normal,
    over_matrices,
    relative,
    scalar,
    spectrum_but_1,
    trace,
    transpose,
    with_noise,
)
from ndis_verify.symbolic.special_functions import phi
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.transposes import is_form, with_arrays, with_transposes, with_vectors, written_transposed
from ndis_verify.symbolic.zero import as_expression


def _quotients(
    instance: Callable[[Mapping[str, Any]], Instance], *letters: tuple[str, str, str]
) -> Callable[[Mapping[str, Any]], Instance]:
    """The instance where each (S, T, quotient) of letters is a Rayleigh quotient, as far as they are written out."""

    def checked(a: Mapping[str, Any]) -> Instance:
        return instance(a) if all(is_form(*(a[name] for name in names)) for names in letters) else NOTHING

    return checked


def _symmetric(matrix: Any) -> Any:
    """A matrix made of letters that is symmetric, as it is written."""
    if matrix.is_commutative or not written_transposed(matrix, matrix):
        raise InputError("S", str(matrix), "must be written as its own transpose")
    return matrix


def _definite(matrix: Any) -> Instance:
    """That T is positive definite: the identity, or a covariance with noise, where there is some."""
    noised = getattr(matrix, "func", None) == with_noise
    return as_expression(matrix.args[1] if noised else matrix), ">", sp.Integer(0)


def _with_noise(letters: Mapping[str, Any]) -> Instance:
    matrix, c = _symmetric(letters["S"]), letters["c"]
    if not as_expression(c).is_commutative:
        raise InputError("c", str(c), "must be a number")
    return relative(with_noise(matrix, c), 1), "=", relative(matrix, 1) + c


def _least_form(letters: Mapping[str, Any]) -> Instance:
    """Of a matrix that is not symmetric the least eigenvalue says nothing: it may have none, or forms below it."""
    matrix, vector = _symmetric(letters["S"]), letters["u"]
    form = scalar(letters["u^T"] * matrix * vector)
    return form, ">=", relative(matrix, 1) * scalar(letters["u^T"] * vector)


def _positive_entries(letters: Mapping[str, Any]) -> Instance:
    return quantity("coordinate", letters["d"]), ">", sp.Integer(0)


def _not_negative_form(letters: Mapping[str, Any]) -> Instance:
    """Of the inverse of a sum of products X^T X and a multiple of I."""
    terms = [term.args_cnc() for term in sp.Add.make_args(sp.expand(without_powers(letters["squares"])))]
    if not all(not scale and len(word) == 2 and written_transposed(word[1], word[0]) for scale, word in terms):
        raise InputError("squares", str(letters["squares"]), "must be a sum of products X^T X")
    return inverse_form(letters["squares"] + letters["c"]), ">=", sp.Integer(0)


def _normal_moment(a: Mapping[str, Any], power: int) -> Instance:
    """That the first moment of a standard normal variable z is 0, and the second is 1."""
    z = a["z"]
    return sp.Integral(z**power * phi(z), (z, -sp.oo, sp.oo)), "=", sp.Integer(power - 1)


def _sketched(a: Mapping[str, Any]) -> tuple[Any, Any]:
    """S w and S B, of letters of matrices."""
    for name in ("S", "B", "w"):
        if a[name].is_commutative or (name == "S" and not isinstance(a[name], sp.Symbol)):
            raise InputError(name, str(a[name]), "must be a matrix" if a[name].is_commutative else "must be a letter")
    return a["S"] * a["w"], a["S"] * a["B"]


def _normal_solution(a: Mapping[str, Any]) -> Instance:
    errors, design = _sketched(a)
    spread, centre = inverse(transpose(design) * design), a["centre"]
    solution = centre + spread * transpose(design) * errors
    return law_given(solution, design), "=", normal(centre, scalar(transpose(a["w"]) * a["w"]) * spread)


OF_MATRICES: Mapping[str, Fact] = {
    "uncorrelated normal vectors are independent": Fact(
        text="Where S has independent standard normal entries and B and w are fixed, each row of S B is jointly normal"
        " with that entry of S w, with covariance B^T w. Where this is 0, the law of S w does not change when S B is"
        " given.",
        tex=r"B^{\mathsf T} w = 0 \implies \mathcal{L}(S w \mid S B) = \mathcal{L}(S w)",
        letters=("S", "B", "w"),
        apart={"B": ("S",), "w": ("S",)},
        conditions={"normal": "S has independent standard normal entries", "uncorrelated": "B^T w = 0"},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorem 1.2.7",
        instance=lambda a: (law_given(*_sketched(a)), "=", law_of(a["S"] * a["w"])),
        required={"uncorrelated": lambda a: (transpose(a["B"]) * a["w"], "=", sp.Integer(0))},
    ),
    "least squares with normal errors": Fact(
        text="Where S has independent standard normal entries, B^T B is invertible, and A = S B has no fewer rows than"
        " columns, A^T A is invertible with probability 1. Where e = S w, of independent normal entries of variance s ="
        " w^T w, is independent of A, x + (A^T A)^{-1} A^T e is N(x, s (A^T A)^{-1}) given A.",
        tex=r"\mathcal{L}(x + (A^{\mathsf T} A)^{-1} A^{\mathsf T} e \mid A)"
        r" = \mathcal{N}(x, s\,(A^{\mathsf T} A)^{-1})",
        letters=("S", "B", "w", "centre", "rows", "columns"),
        apart={"B": ("S",), "w": ("S",), "centre": ("S",)},
        conditions={
            "independent": "e is independent of A",
            "normal": "S has independent standard normal entries",
            "invertible": "B^T B is invertible",
            "rows": "A has no fewer rows than columns",
        },
        reference="Seber and Lee, Linear Regression Analysis, Theorem 3.5",
        instance=_normal_solution,
        required={
            "independent": lambda a: (law_given(*_sketched(a)), "=", law_of(a["S"] * a["w"])),
            "rows": lambda a: (a["rows"], ">=", a["columns"]),
        },
    ),
    "Wishart integral": Fact(
        text="Over the positive definite d x d matrices M, the integral of |M|^{(n-d-1)/2} exp(-tr(S M)/2), S = I +"
        " w w^T, is a constant of n and d times |S|^{-n/2}, for n > d - 1.",
        tex=r"\int |M|^{(n-d-1)/2} e^{-\operatorname{tr}(S M)/2}\,dM = 2^{nd/2}\,\Gamma_d(n/2)\,|S|^{-n/2}",
        letters=("n", "d", "w", "constant"),
        conditions={"rows": "n > d - 1"},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorem 2.1.11",
        instance=with_vectors(
            lambda a: (
                over_matrices((a["n"] - a["d"] - 1) / 2, 1 + a["w"] * transpose(a["w"])),
                "=",
                a["constant"] * det(1 + a["w"] * transpose(a["w"])) ** (-a["n"] / 2),
            ),
            "w",
        ),
        brings=("constant",),
        not_negative=("constant",),
        required={"rows": lambda a: (a["n"], ">", a["d"] - 1)},
    ),
    "the form of an inverse is not negative": Fact(
        text="Where X^T X + c I, c >= 0, is invertible, v^T (X^T X + c I)^{-1} v >= 0 for every v; so it is of several"
        " X^T X.",
        tex=r"c \ge 0 \implies v^{\mathsf T} (X^{\mathsf T} X + c I)^{-1} v \ge 0",
        letters=("squares", "c"),
        conditions={"ridge": "c >= 0"},
        reference="a positive semidefinite matrix that is invertible is positive definite, and so is its inverse",
        instance=_not_negative_form,
        required={"ridge": lambda a: (a["c"], ">=", sp.Integer(0))},
    ),
    "the inverse of a diagonal matrix": Fact(
        text="A diagonal matrix of positive entries has an inverse.",
        tex=r"d_i > 0 \implies \operatorname{diag}(d)^{-1} \operatorname{diag}(d) = I",
        letters=("d",),
        conditions={"positive": "d_i > 0"},
        reference="Horn and Johnson, Matrix Analysis, section 0.9.1",
        instance=with_vectors(lambda a: (inverse(diagonal(a["d"])) * diagonal(a["d"]), "=", sp.Integer(1)), "d"),
        required={"positive": _positive_entries},
    ),
    "the form of the inverse of a diagonal matrix": Fact(
        text="Where D = diag(d), d_i > 0, y^T D^{-1} y is the sum of y_i^2/d_i.",
        tex=r"d_i > 0 \implies y^{\mathsf T} \operatorname{diag}(d)^{-1} y = \sum_i y_i^2/d_i",
        letters=("y", "d"),
        conditions={"positive": "d_i > 0"},
        reference="Horn and Johnson, Matrix Analysis, section 0.9.1",
        instance=with_vectors(
            lambda a: (
                scalar(transpose(a["y"]) * inverse(diagonal(a["d"])) * a["y"]),
                "=",
                quantity("sum", quantity("coordinate", a["y"]) ** 2 / quantity("coordinate", a["d"])),
            ),
            "y",
            "d",
        ),
        required={"positive": _positive_entries},
    ),
    "eigenvalues of M M^T and of M^T M": Fact(
        text="M M^T and M^T M have the same eigenvalues other than 0, with multiplicities: so have I - M M^T and"
        " I - M^T M other than 1.",
        tex=r"\lambda_{\ne 1}(I - M M^{\mathsf T}) = \lambda_{\ne 1}(I - M^{\mathsf T} M)",
        letters=("M", "M^T"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, Theorem 1.3.22",
        instance=with_transposes(
            lambda a: (spectrum_but_1(1 - a["M"] * a["M^T"]), "=", spectrum_but_1(1 - a["M^T"] * a["M"])), "M"
        ),
    ),
    "eigenvalues follow Rayleigh quotients": Fact(
        text="Where x^T S' x / x^T T' x <= x^T S x / x^T T x for every x of length 1, S and S' symmetric, T and T'"
        " positive definite, the k-th largest eigenvalue of T'^{-1/2} S' T'^{-1/2} is at most that of"
        " T^{-1/2} S T^{-1/2}, for every k.",
        tex=r"\frac{x^{\mathsf T} S' x}{x^{\mathsf T} T' x} \le \frac{x^{\mathsf T} S x}{x^{\mathsf T} T x}"
        r" \implies \lambda_k(T'^{-1/2} S' T'^{-1/2}) \le \lambda_k(T^{-1/2} S T^{-1/2})",
        letters=("S", "T", "S'", "T'", "quotient", "other quotient"),
        unknown=("S", "T", "S'", "T'"),
        conditions={
            "order": "the quotients are in order, for every x of length 1",
            "definite": "T is positive definite",
            "other definite": "so is T'",
        },
        reference="Courant-Fischer, for pencils: Horn and Johnson, Matrix Analysis, Theorem 4.2.6",
        instance=_quotients(
            lambda a: (relative(a["S'"], a["T'"]), "<=", relative(a["S"], a["T"])),
            ("S", "T", "quotient"),
            ("S'", "T'", "other quotient"),
        ),
        required={
            "order": lambda a: (a["other quotient"], "<=", a["quotient"]),
            "definite": lambda a: _definite(a["T"]),
            "other definite": lambda a: _definite(a["T'"]),
        },
    ),
    "eigenvalues lie above a bound of Rayleigh quotients": Fact(
        text="Where x^T S x / x^T T x >= c for every x of length 1, S symmetric, T positive definite, every eigenvalue"
        " of T^{-1/2} S T^{-1/2} is at least c.",
        tex=r"\frac{x^{\mathsf T} S x}{x^{\mathsf T} T x} \ge c \implies \lambda(T^{-1/2} S T^{-1/2}) \ge c",
        letters=("S", "T", "quotient", "bound"),
        unknown=("S", "T"),
        conditions={"least": "the quotient is at least c", "definite": "T is positive definite"},
        reference="Rayleigh-Ritz: Horn and Johnson, Matrix Analysis, Theorem 4.2.2",
        instance=_quotients(
            lambda a: (relative(a["S"], a["T"]), ">=", a["bound"]),
            ("S", "T", "quotient"),
        ),
        required={
            "least": lambda a: (a["quotient"], ">=", a["bound"]),
            "definite": lambda a: _definite(a["T"]),
        },
    ),
    "eigenvalues of a matrix with noise": Fact(
        text="The eigenvalues of S + c I, S symmetric and c a number, are those of S, each larger by c.",
        tex=r"\lambda_k(S + c I) = \lambda_k(S) + c",
        letters=("S", "c"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, Theorem 1.1.6",
        instance=_with_noise,
    ),
    "forms lie above the least eigenvalue": Fact(
        text="u^T S u >= m u^T u, S symmetric, m its least eigenvalue.",
        tex=r"u^{\mathsf T} S u \ge \lambda_{\min}(S)\,u^{\mathsf T} u",
        letters=("S", "u", "u^T"),
        conditions={},
        reference="Rayleigh-Ritz: Horn and Johnson, Matrix Analysis, Theorem 4.2.2",
        instance=with_transposes(_least_form, "u"),
    ),
    **{
        f"direction in the plane, {name}": Fact(
            text=f"Every vector of the plane with coordinates whose squares are a and b, both at least 0, is its length"
            f" times a vector (C, S) of length 1, whichever one where it is 0. {text}",
            tex=rf"(\sqrt{{a}}, \sqrt{{b}}) = \sqrt{{a + b}}\,(C, S),\quad C^2 + S^2 = 1:\quad {tex}",
            letters=("a", "b", "square", "C", "S"),
            conditions={"first": "a >= 0", "second": "b >= 0", "length": "the square of the length is a + b"},
            reference="polar coordinates of the plane",
            brings=("C", "S"),
            instance=instance,
            required={
                "first": lambda a: (a["a"], ">=", sp.Integer(0)),
                "second": lambda a: (a["b"], ">=", sp.Integer(0)),
                "length": lambda a: (a["a"] + a["b"], "=", a["square"]),
            },
        )
        for name, text, tex, instance in (
            (
                "first coordinate",
                "Its first coordinate.",
                r"\sqrt{a + b}\,C = \sqrt{a}",
                lambda a: (sp.sqrt(a["square"]) * a["C"], "=", sp.sqrt(a["a"])),
            ),
            (
                "second coordinate",
                "Its second coordinate.",
                r"\sqrt{a + b}\,S = \sqrt{b}",
                lambda a: (sp.sqrt(a["square"]) * a["S"], "=", sp.sqrt(a["b"])),
            ),
            ("length", "Its length.", r"C^2 = 1 - S^2", lambda a: (a["C"] ** 2, "=", 1 - a["S"] ** 2)),
        )
    },
    "squared length": Fact(
        text="The sum of the squares of a vector's entries is not negative.",
        tex=r"w^{\mathsf T} w \ge 0",
        letters=("w", "w^T"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 0.6.1",
        instance=with_vectors(with_transposes(lambda a: (scalar(a["w^T"] * a["w"]), ">=", sp.Integer(0)), "w"), "w"),
    ),
    "norm of a product": Fact(
        text="The spectral norm of R X R^T is at most that of R R^T times that of X.",
        tex=r"\|R X R^{\mathsf T}\| \le \|R\|^2\,\|X\| = \|R R^{\mathsf T}\|\,\|X\|",
        letters=("R", "R^T", "X"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 5.6",
        instance=with_transposes(
            lambda a: (norm(a["R"] * a["X"] * a["R^T"]), "<=", norm(a["R"] * a["R^T"]) * norm(a["X"])), "R"
        ),
    ),
    "second moments of a linear image": Fact(
        text="For g with independent standard normal entries z, of mean 0 and second moment 1, E m m^T = A^T A for"
        " m = A^T g.",
        tex=r"\mathbb{E}\,(A^{\mathsf T} g)(A^{\mathsf T} g)^{\mathsf T} = A^{\mathsf T} A",
        letters=("A", "A^T", "g", "g^T", "z"),
        conditions={"first": "the entries have mean 0", "second": "and second moment 1", "independent": "independence"},
        required={"first": lambda a: _normal_moment(a, 1), "second": lambda a: _normal_moment(a, 2)},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, section 1.2",
        draws=("g",),
        apart={"A": ("g", "g^T")},
        instance=with_vectors(
            with_transposes(
                lambda a: (matrix_mean(a["A^T"] * a["g"] * a["g^T"] * a["A"]), "=", matrix_mean(a["A^T"] * a["A"])),
                "A",
                "g",
            ),
            "g",
        ),
    ),
    "Cauchy-Schwarz inequality of vectors": Fact(
        text="(u^T v)^2 <= u^T u v^T v.",
        tex=r"(u^{\mathsf T} v)^2 \le u^{\mathsf T} u\;v^{\mathsf T} v",
        letters=("u", "u^T", "v", "v^T"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, Theorem 5.1.4",
        instance=with_vectors(
            with_transposes(
                lambda a: (
                    scalar(a["u^T"] * a["v"]) ** 2,
                    "<=",
                    scalar(a["u^T"] * a["u"]) * scalar(a["v^T"] * a["v"]),
                ),
                "u",
                "v",
            ),
            "u",
            "v",
        ),
    ),
    "Cauchy-Schwarz inequality of a form": Fact(
        text="(u^T A v)^2 <= u^T A u v^T A v, where A = B^T B + C^T C.",
        tex=r"A = B^{\mathsf T} B + C^{\mathsf T} C"
        r" \implies (u^{\mathsf T} A v)^2 \le u^{\mathsf T} A u\;v^{\mathsf T} A v",
        letters=("A", "u", "u^T", "v", "v^T", "B", "B^T", "C", "C^T"),
        conditions={"semidefinite": "A is B^T B + C^T C"},
        reference="Horn and Johnson, Matrix Analysis, Theorem 5.1.4, for the vectors (B u, C u) and (B v, C v)",
        instance=with_transposes(
            lambda a: (
                scalar(a["u^T"] * a["A"] * a["v"]) ** 2,
                "<=",
                scalar(a["u^T"] * a["A"] * a["u"]) * scalar(a["v^T"] * a["A"] * a["v"]),
            ),
            "u",
            "v",
            "B",
            "C",
        ),
        required={"semidefinite": lambda a: (a["A"], "=", a["B^T"] * a["B"] + a["C^T"] * a["C"])},
    ),
    "a product of blocks, one above the other": Fact(
        text="[A; B]^T [C; D] = A^T C + B^T D, where A and C have as many rows, and B and D.",
        tex=r"\begin{pmatrix} A \\ B \end{pmatrix}^{\mathsf T} \begin{pmatrix} C \\ D \end{pmatrix}"
        r" = A^{\mathsf T} C + B^{\mathsf T} D",
        letters=("A", "B", "C", "D"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 0.7.1",
        instance=lambda a: (
            transpose(quantity("above", a["A"], a["B"])) * quantity("above", a["C"], a["D"]),
            "=",
            transpose(a["A"]) * a["C"] + transpose(a["B"]) * a["D"],
        ),
    ),
    "a product of blocks, side by side": Fact(
        text="[A, B] [C; D] = A C + B D, where A has as many columns as C has rows, and B as D.",
        tex=r"\begin{pmatrix} A & B \end{pmatrix} \begin{pmatrix} C \\ D \end{pmatrix} = A C + B D",
        letters=("A", "B", "C", "D"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 0.7.1",
        instance=lambda a: (
            quantity("beside", a["A"], a["B"]) * quantity("above", a["C"], a["D"]),
            "=",
            a["A"] * a["C"] + a["B"] * a["D"],
        ),
    ),
    "a transpose of blocks, side by side": Fact(
        text="[A, B]^T C = [A^T C; B^T C], where A, B and C have as many rows.",
        tex=r"\begin{pmatrix} A & B \end{pmatrix}^{\mathsf T} C"
        r" = \begin{pmatrix} A^{\mathsf T} C \\ B^{\mathsf T} C \end{pmatrix}",
        letters=("A", "B", "C"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 0.7.1",
        instance=lambda a: (
            transpose(quantity("beside", a["A"], a["B"])) * a["C"],
            "=",
            quantity("above", transpose(a["A"]) * a["C"], transpose(a["B"]) * a["C"]),
        ),
    ),
    "transposes of equal arrays": Fact(
        text="Equal arrays have equal transposes; a number is its own.",
        tex=r"X = Y \implies X^{\mathsf T} = Y^{\mathsf T}",
        letters=("X", "Y"),
        conditions={"equal": "X = Y"},
        reference="Horn and Johnson, Matrix Analysis, section 0.2.5",
        instance=lambda a: (transpose(a["X"]), "=", transpose(a["Y"])),
        required={"equal": lambda a: (a["X"], "=", a["Y"])},
    ),
    "image under a matrix of bounded squares": Fact(
        text="|M v|^2 is at most tr(M^T M), the sum of the squares of the entries of M, times |v|^2.",
        tex=r"|M v|^2 \le \operatorname{tr}(M^{\mathsf T} M)\,|v|^2",
        letters=("M", "v"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 5.6: the Frobenius norm is at least the spectral one",
        instance=with_vectors(
            with_arrays(
                lambda a: (
                    scalar(transpose(a["M"] * a["v"]) * a["M"] * a["v"]),
                    "<=",
                    trace(transpose(a["M"]) * a["M"]) * scalar(transpose(a["v"]) * a["v"]),
                ),
                "M",
            ),
            "v",
        ),
    ),
}
