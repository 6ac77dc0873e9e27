"""Facts about covariances in letters: their roots, the orthogonal matrix that diagonalises, the Gram matrix of a
database in units of its root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.fact import Fact, Instance
from ndis_verify.symbolic.notation import transpose
from ndis_verify.symbolic.transposes import is_vector, with_transposes, with_vectors, written_transposed

_one = sp.Integer(1)
_VECTORS = ("v", "w")


def _letters(instance: Callable[[Mapping[str, Any]], Instance], *names: str) -> Callable[[Mapping[str, Any]], Instance]:
    """The instance of a fact whose letters `names` are different letters, v and w of vectors, the others of matrices,
    X^T the transpose of X.
    """

    def checked(a: Mapping[str, Any]) -> Instance:
        for name in names:
            if not isinstance(a[name], sp.Symbol) or a[name].is_commutative:
                raise InputError(name, str(a[name]), "must be a letter")
            if is_vector(a[name]) is not (name in _VECTORS):
                raise InputError(name, str(a[name]), f"must be a {'vector' if name in _VECTORS else 'matrix'}")
            if f"{name}^T" in a and not written_transposed(a[name], a[f"{name}^T"]):
                raise InputError(f"{name}^T", str(a[f"{name}^T"]), f"must be the transpose of {a[name]}")
        if len({a[name] for name in names}) < len(names):
            raise InputError("letters", ", ".join(str(a[name]) for name in names), "must be different ones")
        return instance(a)

    return checked


OF_COVARIANCES: dict[str, Fact] = {
    **{
        f"the root of a covariance, {name}": Fact(
            text=f"A positive definite matrix has a symmetric root R, which has an inverse. {text}",
            tex=rf"R = S^{{1/2}}:\quad {tex}",
            letters=("R", "inverse"),
            conditions={"positive definite": "the matrix is symmetric and positive definite"},
            reference="Horn and Johnson, Matrix Analysis, Theorem 7.2.6",
            brings=("R", "inverse"),
            instance=_letters(instance, "R", "inverse"),
        )
        for name, text, tex, instance in (
            ("R R^{-1}", "From the right.", "R R^{-1} = I", lambda a: (a["R"] * a["inverse"], "=", _one)),
            ("R^{-1} R", "From the left.", "R^{-1} R = I", lambda a: (a["inverse"] * a["R"], "=", _one)),
            ("R^T", "It is symmetric.", r"R^{\mathsf T} = R", lambda a: (transpose(a["R"]), "=", a["R"])),
        )
    },
    "spectral theorem": Fact(
        text="For a symmetric matrix A there is an orthogonal U for which U^T A U is diagonal.",
        tex=r"A = A^{\mathsf T} \implies U^{\mathsf T} A U = \operatorname{diag}(a),\quad U^{\mathsf T} U = I",
        letters=("A", "U", "U^T", "diagonal"),
        conditions={"symmetric": "A is real and symmetric"},
        reference="Horn and Johnson, Matrix Analysis, Theorem 2.5.6",
        brings=("U", "U^T", "diagonal"),
        instance=_letters(lambda a: (a["U^T"] * a["A"] * a["U"], "=", a["diagonal"]), "U", "diagonal"),
        required={"symmetric": lambda a: (transpose(a["A"]), "=", a["A"])},
    ),
    **{
        f"spectral theorem, {name}": Fact(
            text=f"For a symmetric matrix A there is an orthogonal U for which U^T A U is diagonal. {text}",
            tex=rf"A = A^{{\mathsf T}} \implies {tex}",
            letters=("A", "U", "U^T", "diagonal"),
            conditions={"symmetric": "A is real and symmetric"},
            reference="Horn and Johnson, Matrix Analysis, Theorem 2.5.6",
            brings=("U", "U^T", "diagonal"),
            instance=_letters(instance, "U", "diagonal"),
            required={"symmetric": lambda a: (transpose(a["A"]), "=", a["A"])},
        )
        for name, text, tex, instance in (
            ("U^T U", "From the left.", r"U^{\mathsf T} U = I", lambda a: (a["U^T"] * a["U"], "=", _one)),
            ("U U^T", "From the right.", r"U U^{\mathsf T} = I", lambda a: (a["U"] * a["U^T"], "=", _one)),
        )
    },
    "a product with one entry is its transpose": Fact(
        text="A product v^T X w of arrays, v and w vectors, is a number, and so its own transpose.",
        tex=r"v^{\mathsf T} X w = w^{\mathsf T} X^{\mathsf T} v",
        letters=("v", "v^T", "X", "X^T", "w", "w^T"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 0.2.5",
        instance=with_vectors(
            with_transposes(lambda a: (a["v^T"] * a["X"] * a["w"], "=", a["w^T"] * a["X^T"] * a["v"]), "v", "X", "w"),
            *("v", "w"),
        ),
    ),
    **{
        f"a record of leverage p, {name}": Fact(
            text="Where a database D of full rank has a record of leverage p, which is in [0, 1], S = D^T D is positive"
            f" definite, R = S^{{-1/2}} is symmetric, v is the record, w = R v, and p = v^T S^{{-1}} v. {text}",
            tex=rf"S = D^{{\mathsf T}} D,\ R = S^{{-1/2}},\ w = R v:\quad {tex}",
            letters=("p", "S", "R", "v", "v^T", "w", "w^T"),
            conditions={
                "full rank": "D is of full rank, and has a record of leverage p",
                "least": "p >= 0",
                "most": "p <= 1",
            },
            reference="Horn and Johnson, Matrix Analysis, Theorem 7.2.6; Hoaglin and Welsch (1978) on the leverage",
            brings=("S", "R", "v", "v^T", "w", "w^T"),
            instance=_letters(instance, "S", "R", "v", "w"),
            required={"least": lambda a: (a["p"], ">=", sp.Integer(0)), "most": lambda a: (a["p"], "<=", _one)},
        )
        for name, text, tex, instance in (
            ("R S R", "In units of the root, S is I.", "R S R = I", lambda a: (a["R"] * a["S"] * a["R"], "=", _one)),
            ("R v", "The record in them.", "R v = w", lambda a: (a["R"] * a["v"], "=", a["w"])),
            (
                "v^T R",
                "Its transpose.",
                r"v^{\mathsf T} R = w^{\mathsf T}",
                lambda a: (a["v^T"] * a["R"], "=", a["w^T"]),
            ),
            ("w^T w", "Its length.", r"w^{\mathsf T} w = p", lambda a: (a["w^T"] * a["w"], "=", a["p"])),
        )
    },
}
