"""The block algebra of deleting one record from a least-squares problem."""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter

# p = a^2 and q = a^2 + w^2: the leverage in B and the share of the squared residual; both roots are then polynomial.
a, w = sp.symbols("a w", positive=True)
beta, residual = sp.symbols("beta omega", real=True)
p = a**2


def rank_one(*given: str) -> tuple[BlockAlgebra, dict[str, sp.Symbol]]:
    """N = B^T B, v the record (a row of B), R = N^{1/2}, u = R^{-1} v; x the solution, c = B^T b = N x, beta = v^T x +
    omega. `given`: the steps and hypotheses of a derivation that say so.
    """
    names = {
        name: letter(name) for name in ["N", "Ni", "R", "Ri", "v", "vt", "u", "ut", "y", "yt", "x", "xt", "c", "ct"]
    }
    N, Ni, R, Ri, v, vt, u, ut, y, yt, x, xt, c, ct = names.values()
    root, record, solution = sp.Matrix([[2, 1], [1, 3]]), sp.Matrix([1, sp.Rational(1, 2)]), sp.Matrix([2, -1])
    white = root.inv() * record
    across = sp.Matrix([-white[1], white[0]])
    gram = root**2
    rules = {
        (N, Ni): 1,
        (Ni, N): 1,
        (R, Ri): 1,
        (Ri, R): 1,
        (Ri, N, Ri): 1,
        (N, x): c,
        (vt, Ni, v): p,
        (vt, x): beta - residual,
        (xt, v): beta - residual,
        (ct, Ni): xt,
        (Ri, v): u,
        (vt, Ri): ut,
        (ut, u): p,
        (ut, y): 0,
        (yt, u): 0,
    }
    model = {
        N: gram,
        Ni: gram.inv(),
        R: root,
        Ri: root.inv(),
        v: record,
        vt: record.T,
        u: white,
        ut: white.T,
        y: across,
        yt: across.T,
        x: solution,
        xt: solution.T,
        c: gram * solution,
        ct: (gram * solution).T,
        a: sp.sqrt((white.T * white)[0]),
        w: sp.Rational(1, 3),
        beta: (record.T * solution)[0] + sp.Rational(1, 7),
        residual: sp.Rational(1, 7),
    }
    return BlockAlgebra(rules, model, given), names
