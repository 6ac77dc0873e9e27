"""The sketched solution as a mixture of normal laws: given the sketch it is normal, and the sketch is Wishart."""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import over_matrices, scalar, transpose

ENTRIES, RANK = "Pi r x n with independent standard normal entries", "[B b] fixed, B^T B invertible"
_spare = sp.Symbol("k", nonnegative=True)  # r - d


def given_the_sketch(size: sp.Symbol) -> tuple[Step, ...]:
    """Pi w does not see Pi B; so, given that, the solution is normal."""
    S, B, b, N, x, c = (letter(name) for name in ("Pi", "B", "b", "N", "x", "c"))
    columns, solution, beside = sp.Matrix([[1, 1], [2, -1], [0, 3]]), sp.Matrix([2, -1]), sp.Matrix([6, -3, -3])
    gram = columns.T * columns
    model = {
        B: columns,
        transpose(B): columns.T,
        b: columns * solution + beside,
        N: gram,
        x: solution,
        c: gram * solution,
    }
    algebra = BlockAlgebra({(transpose(B), B): N, (transpose(B), b): c, (N, x): c}, model, ("notation",))
    letters = {"S": S, "B": B, "w": b - B * x}
    return (
        Step(
            "notation",
            "N = B^T B, c = B^T b, N x = c, w = b - B x; r = d + k, k >= 0. Where w = 0 the solution is x.",
            kind="definition",
            premises=(RANK,),
        ),
        Step(
            "normal equations",
            "B^T w = c - N x, the covariance of a row of Pi B with that entry of Pi w, is 0.",
            lhs=transpose(B) * (b - B * x),
            rhs=sp.Integer(0),
            algebra=algebra,
            premises=("notation",),
        ),
        by_fact(
            "independence",
            "The rows of Pi [B w] are independent and normal: Pi w does not see Pi B.",
            "uncorrelated normal vectors are independent",
            letters,
            {"normal": ENTRIES, "uncorrelated": "normal equations"},
        ),
        by_fact(
            "given the sketch",
            "x + (Pi B)^+ Pi w: given Pi B it is N(x, |w|^2 (B^T Pi^T Pi B)^{-1}).",
            "least squares with normal errors",
            {**letters, "centre": x, "rows": size + _spare, "columns": size},
            {
                "independent": "independence",
                "normal": ENTRIES,
                "invertible": RANK,
                "rows": Step("r >= d", "k >= 0.", lhs=size + _spare, rhs=size, relation=">=", witness=_spare),
            },
        ),
    )


def mixture(rows: sp.Symbol, size: sp.Symbol) -> tuple[Step, ...]:
    """The density at z, over the Wishart law of M = N^{-1/2} B^T Pi^T Pi B N^{-1/2}: a power of 1 + |z|^2."""
    z = letter("z")
    zt = transpose(z)
    s, constant = sp.symbols("s C", nonnegative=True)
    spare, degrees = _spare, sp.Symbol("n", positive=True)
    algebra = BlockAlgebra({(zt, z): s}, {z: sp.Matrix([1, 2]), zt: sp.Matrix([[1, 2]]), s: sp.Integer(5)})
    return (
        Step(
            "Wishart law",
            "M has r degrees of freedom: density proportional to |M|^{(r-d-1)/2} e^{-tr(M)/2}; z = N^{1/2} (x - x_opt)/"
            "|w| is N(0, M^{-1}) given M: |M|^{1/2} e^{-z^T M z/2}. With z^T M z = tr(z z^T M) the product is |M|^e"
            " e^{-tr(S M)/2}, S = I + z z^T,",
            kind="definition",
            premises=(ENTRIES, "given the sketch"),
        ),
        Step(
            "exponent of |M|",
            "e = (n - d - 1)/2 at n = r + 1.",
            lhs=sp.Rational(1, 2) + (rows - size - 1) / 2,
            rhs=sp.Subs((degrees - size - 1) / 2, degrees, rows + 1),
            premises=("Wishart law",),
        ),
        by_fact("|z|", "z^T z is not negative.", "squared length", {"w": z, "w^T": zt}, {}),
        Step(str(s), "s = z^T z.", lhs=s, rhs=scalar(zt * z), kind="definition", premises=("|z|", "Wishart law")),
        Step(
            "determinant: entry",
            "1 + z^T z = 1 + |z|^2,",
            lhs=1 + zt * z,
            rhs=1 + s,
            algebra=algebra,
            premises=(str(s),),
        ),
        Step(
            "determinant: row",
            "-z^T (I + z z^T) + (1 + z^T z) z^T = 0.",
            lhs=-zt * (1 + z * zt) + (1 + zt * z) * zt,
            rhs=sp.Integer(0),
            algebra=algebra,
            premises=(str(s),),
        ),
        by_fact(
            "determinant of S",
            "It is 1 + |z|^2.",
            "determinant by block elimination",
            {"w": -z, "u^T": zt, "c": 1 + s},
            {"entry": "determinant: entry", "row": "determinant: row"},
        ),
        by_fact(
            "mixture",
            "r = d + k: r + 1 > d - 1.",
            "Wishart integral",
            {"n": size + spare + 1, "d": size, "w": z, "constant": constant},
            {
                "rows": Step(
                    "rows",
                    "k + 2 > 0.",
                    lhs=size + spare + 1,
                    rhs=size - 1,
                    relation=">",
                    witness=spare + 2,
                )
            },
            premises=("exponent of |M|",),
        ),
        Step(
            "mixture, any d",
            "So the mixture is proportional to (1 + |z|^2)^{-(r+1)/2}, r = d + k.",
            lhs=over_matrices(spare / 2, 1 + z * zt),
            rhs=constant * (1 + s) ** (-(size + spare + 1) / 2),
            kind="inference",
            premises=("mixture", "determinant of S"),
        ),
    )
