"""Gaussian random projection with one record deleted or inserted: quadratic form and closed forms of the divergence."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.chi_square_hinges import c, dof_half, fraction, r, scale, upper_expectation
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.notation import det, held, normal_mean, scalar, transpose
from ndis_verify.symbolic.notation import z as vector
from ndis_verify.symbolic.special_functions import Pg, Phi, Qg, phi
from ndis_verify.symbolic.zero import as_expression

leverage = sp.Symbol("p", positive=True)
# p/(1 - p): maps (0, 1) onto (0, oo), so that declared positivity is the whole domain
odds = sp.Symbol("k", positive=True)
epsilon, t = sp.symbols("epsilon t", real=True)
_PROJECTED = ("N26-D2", "N24-C2", "N24-D6", "N24-Fig6", "N24-Fig12", "N24-T6", "N24-L1", "N24-P11")


def in_odds(expression: sp.Expr) -> sp.Expr:
    """`expression` with the leverage p written as 1 - 1/(1 + k), k > 0."""
    return as_expression(expression).subs(leverage, 1 - 1 / (1 + odds))


def _over_leverages(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    return in_odds(left - right)


def deletion_threshold(p: sp.Expr = leverage) -> sp.Expr:
    """t0 = 2 (eps + (r/2) log rho)/(rho - 1) with rho = 1/(1-p): the loss exceeds eps where T > t0 (N26-L4)."""
    return 2 * (epsilon - r * sp.log(1 - p) / 2) * (1 - p) / p


def insertion_threshold(p: sp.Expr = leverage) -> sp.Expr:
    """t1 = (r log(1/(1-p)) - 2 eps)/p: the loss exceeds eps where T < t1 (N24-T2)."""
    return (-r * sp.log(1 - p) - 2 * epsilon) / p


@cache
def projected_covariance() -> Derivation:
    """The columns of D^T G, G an n x r standard normal matrix, are independent N(0, D^T D) (N26-D2, N24-C2).

    `number`: log E exp(u^T D^T g) for one entry of g, at `x` = the matching entry of D u.
    """
    x, z = sp.symbols("x z", real=True)
    D, Dt, u, ut, a, at = (letter(name) for name in ["D", "Dt", "u", "ut", "a", "at"])
    tall, column = sp.Matrix([[1, 2], [0, 1], [3, -1]]), sp.Matrix([2, 3])
    model = {D: tall, Dt: tall.T, u: column, ut: column.T, a: tall * column, at: (tall * column).T}
    algebra = BlockAlgebra({(D, u): a, (ut, Dt): at}, model)
    share = sp.exp(x**2 / 2)
    whole = letter("h")
    square, moment = scalar(transpose(whole) * whole), sp.exp(scalar(transpose(whole) * vector))
    steps = (
        Step(
            "stacked",
            "vec(G) is the standard normal vector of the n r entries of G. For any u_1, ..., u_r the vector h holds D"
            " u_1, ..., D u_r, so that h^T vec(G) is the sum of u_j^T D^T g_j over the columns g_j of G; u is one of"
            " them.",
            kind="definition",
        ),
        by_fact(
            "not negative", "h^T h is a sum of squares.", "squared length", {"w": whole, "w^T": transpose(whole)}, {}
        ),
        named(x, "x is the length of h,", sp.sqrt(square), "not negative", "stacked"),
        inferred("its square", "and x^2 = h^T h.", square, "=", x**2, "x"),
        *integral_steps(
            "one entry",
            sp.exp(x * z) * phi(z),
            (z, -sp.oo, sp.oo),
            share * Phi(z - x),
            share,
            "x z - z^2/2 = x^2/2 - (z - x)^2/2.",
        ),
        Step(
            "log moment",
            "One entry's share of the exponent.",
            lhs=sp.log(held(share)),
            rhs=x**2 / 2,
            premises=("one entry",),
        ),
        by_fact(
            "one direction",
            "h^T vec(G) has the law of x times one entry:",
            "linear form of a standard normal vector",
            {"f": sp.exp(z), "argument": z, "b^T": transpose(whole), "b": whole, "length": x},
            {
                "length": "its square",
                "sign": Step("positive", "An exponential.", sp.exp(z), sp.Integer(0), ">=", sp.exp(z)),
            },
        ),
        inferred(
            "columns",
            "E exp(h^T vec(G)) = exp(h^T h/2), the product of exp(||D u_j||^2/2) over the columns: those of D^T G are"
            " independent.",
            normal_mean(moment),
            "=",
            sp.exp(square / 2),
            *("one direction", "one entry", "x"),
        ),
        named(a, "a is D u,", D * u, "stacked"),
        named(at, "and its transpose.", ut * Dt, "stacked"),
        Step(
            "quadratic form, any n and d",
            "||a||^2 = u^T (D^T D) u for a = D u, so one column is N(0, D^T D).",
            lhs=at * a,
            rhs=ut * (Dt * D) * u,
            algebra=algebra,
            premises=(str(a), str(at)),
        ),
    )
    return Derivation(
        id="random_projection.projected_covariance",
        title="A Gaussian projection has independent columns with covariance D^T D",
        sources=("N26-D2", "N24-C2"),
        hypotheses=(),
        steps=steps,
        result_step="log moment",
        symbols={"x": x},
        faults=(
            Fault("sign of the exponent flipped", "one entry", lambda rhs: 1 / rhs),
            Fault("transpose dropped", "quadratic form, any n and d", lambda rhs: ut * (Dt * D) * (Dt * D) * u),
        ),
        concludes=tuple(
            Conclusion(claim, step, part=part)
            for claim in _PROJECTED
            for step, part in (
                ("columns", "the law of the stacked columns"),
                ("quadratic form, any n and d", "D^T D is the covariance of each"),
                ("log moment", "what one entry adds"),
            )
        ),
    )


def rank_one_algebra(*given: str) -> tuple[BlockAlgebra, dict[str, sp.Symbol]]:
    """S = D^T D, R = S^{1/2}, v the record, w = R^{-1} v, w^T w = p; `given`: the steps that say so."""
    names = {name: letter(name) for name in ["S", "Si", "R", "Ri", "v", "vt", "w", "wt", "x", "xt"]}
    S, Si, R, Ri, v, vt, w, wt, x, xt = names.values()
    root, record = sp.Matrix([[2, 1], [1, 3]]), sp.Matrix([1, sp.Rational(1, 2)])
    white = root.inv() * record
    across = sp.Matrix([-white[1], white[0]])
    p_value = (white.T * white)[0]
    rules = {
        (S, Si): 1,
        (Si, S): 1,
        (R, Ri): 1,
        (Ri, R): 1,
        (Ri, S): R,
        (R, Si): Ri,
        (Si, R): Ri,
        (vt, Si, v): leverage,
        (Ri, v): w,
        (vt, Ri): wt,
        (wt, w): leverage,
        (wt, x): 0,
        (xt, w): 0,
    }
    model = {
        S: root**2,
        Si: root.inv() ** 2,
        R: root,
        Ri: root.inv(),
        v: record,
        vt: record.T,
        w: white,
        wt: white.T,
        x: across,
        xt: across.T,
        leverage: p_value,
    }
    return BlockAlgebra(rules, model, given), names


def determinant_lemma_steps() -> tuple[Step, ...]:
    """det(S - v v^T) = (1 - p) det S, by block elimination of det(I - w w^T)."""
    algebra, n = rank_one_algebra("pair")
    S, R, v, vt, w, wt = (n[name] for name in ["S", "R", "v", "vt", "w", "wt"])
    inner = 1 - w * wt
    roots = BlockAlgebra({**algebra.rules, (R, R): S, (R, w): v, (wt, R): vt}, algebra.model, algebra.given)
    return (
        Step(
            "last entry",
            "Of [I 0; -w^T 1] [I - w w^T, w; 0, 1] [I 0; w^T 1] = [I, w; 0, 1 - w^T w],",
            lhs=1 - wt * w,
            rhs=1 - leverage,
            algebra=algebra,
            premises=("pair",),
        ),
        Step(
            "last row",
            "and the rest of its last row.",
            lhs=-wt * inner + (1 - wt * w) * wt,
            rhs=sp.Integer(0),
            algebra=algebra,
            premises=("pair",),
        ),
        Step(
            "determinant of I - w w^T",
            "It is 1 - p.",
            lhs=det(inner),
            rhs=1 - leverage,
            kind="fact",
            fact="determinant by block elimination",
            letters={"w": w, "u^T": wt, "c": 1 - leverage},
            conditions={"entry": "last entry", "row": "last row"},
        ),
        Step("S", "S^{1/2} is its root,", lhs=R * R, rhs=S, algebra=roots, premises=("pair",)),
        Step(
            "S - v v^T",
            "and w = S^{-1/2} v.",
            lhs=S - v * vt,
            rhs=R * inner * R,
            algebra=roots,
            premises=("pair",),
        ),
        Step(
            "determinant of the product",
            "S - v v^T = S^{1/2} (I - w w^T) S^{1/2}.",
            lhs=det(R * inner * R),
            rhs=det(R * R) * det(inner),
            kind="fact",
            fact="determinants multiply",
            letters={"R": R, "X": inner},
            conditions={},
        ),
        Step(
            "determinant lemma",
            "det(S - v v^T) = (1 - p) det S.",
            lhs=det(S - v * vt),
            rhs=(1 - leverage) * det(S),
            kind="inference",
            premises=(
                "S - v v^T",
                "determinant of the product",
                "S",
                "determinant of I - w w^T",
            ),
        ),
    )


def _characteristic_step(name: str, a_matrix: sp.Matrix, eigenvalue: sp.Expr, size: int) -> Step:
    y = sp.Symbol("y", real=True)
    return Step(
        name,
        "Characteristic polynomial with d = 3 and every entry symbolic: the eigenvalue once, 0 twice.",
        lhs=(y * sp.eye(size) - a_matrix).det(method="berkowitz"),
        rhs=y ** (size - 1) * (y - eigenvalue),
        reduce=lambda left, right: sp.numer(sp.together(left - right)),
    )


def _symbolic_direction() -> tuple[sp.Matrix, sp.Expr]:
    w = sp.Matrix(sp.symbols("w1:4", real=True))
    return w, (w.T * w)[0]


def _eigenvector_steps(form: sp.Expr, eigenvalue: sp.Expr, why: str) -> tuple[Step, Step]:
    """What A, of rank one, does to w and to every vector orthogonal to it."""
    algebra, n = rank_one_algebra("pair")
    algebra = algebra.of(n["w"], n["wt"], n["x"], n["xt"])
    return (
        Step(
            "eigenvector w",
            why,
            lhs=form * n["w"],
            rhs=eigenvalue * n["w"],
            algebra=algebra,
            premises=("pair",),
        ),
        Step(
            "orthogonal vectors",
            "and 0 on every x with w^T x = 0. The r columns repeat this.",
            lhs=form * n["x"],
            rhs=sp.Integer(0),
            algebra=algebra,
            premises=("pair",),
        ),
    )


def _chi_square_steps(number: sp.Expr, eigenvalue: sp.Expr, pair: str, why: str) -> tuple[Step, ...]:
    """z^T A z, A = `number` w w^T, summed over the columns, is a chi-square variable times the one eigenvalue of A."""
    algebra, names = rank_one_algebra("pair")
    w, wt = names["w"], names["wt"]
    return (
        Step(
            "pair",
            "p = v^T S^{-1} v, between 0 and 1, is the leverage of the record v in D, S = D^T D: S is invertible, and"
            f" so is S - v v^T. {pair}, in each of r independent columns; w = S^{{-1/2}} v, and x is"
            " orthogonal to w.",
            kind="definition",
        ),
        Step(
            "columns",
            "q_eps = eps + c + F/2, F = sum_k z_k^T A z_k over r independent standard normal columns, in the frame of P"
            " (N26-L1); T is chi-square with r degrees of freedom.",
            kind="definition",
        ),
        Step(
            "eigenvalue",
            "A, of the derivation of the quadratic form, is a multiple of w w^T, with one eigenvalue other than 0.",
            lhs=number * scalar(wt * w),
            rhs=eigenvalue,
            algebra=algebra.of(w, wt),
            premises=("pair",),
        ),
        by_fact(
            "T",
            f"So {why}.",
            "a quadratic form of rank one",
            {"c": number, "w": w, "w^T": wt, "a": eigenvalue, "r": r},
            {"value": "eigenvalue"},
        ),
    )


@cache
def quadratic_form_deletion() -> Derivation:
    """Deleting record v: A has eigenvalue 1 - rho = -p/(1-p) r times and 0 elsewhere; c = (r/2) log rho (N26-L4,
    N24-T2).

    `number`: c, at `leverage` = p in (0, 1) and `r` columns.
    """
    algebra, n = rank_one_algebra("pair")
    S, Si, R, Ri, v, vt, w, wt = (n[name] for name in ["S", "Si", "R", "Ri", "v", "vt", "w", "wt"])
    smaller_inverse = Si + Si * v * vt * Si / (1 - leverage)
    A = 1 - R * smaller_inverse * R
    rho = 1 / (1 - leverage)
    direction, square = _symbolic_direction()
    ratio = sp.Symbol("rho", positive=True)
    steps = (
        Step(
            "pair",
            "p = v^T S^{-1} v, between 0 and 1, is the leverage of the record v in D, S = D^T D: S is invertible. P has"
            " covariance S, Q has S - v v^T, in each of r independent columns; means 0. Si = S^{-1},"
            " R = S^{1/2}, Ri = R^{-1}, w = Ri v, p = w^T w, and x is orthogonal to w.",
            kind="definition",
        ),
        Step(
            "Sherman-Morrison, any d",
            "(S - v v^T)^{-1} = S^{-1} + S^{-1} v v^T S^{-1}/(1-p).",
            lhs=(S - v * vt) * smaller_inverse,
            rhs=sp.Integer(1),
            algebra=algebra,
            premises=("pair",),
        ),
        Step(
            "A, any d",
            "A = I - S^{1/2} (S - v v^T)^{-1} S^{1/2}.",
            lhs=A,
            rhs=-w * wt / (1 - leverage),
            algebra=algebra,
            premises=("pair", "Sherman-Morrison, any d"),
        ),
        *_eigenvector_steps(-w * wt / (1 - leverage), 1 - rho, "A w = (1 - rho) w,"),
        _characteristic_step("eigenvalues, d = 3 in full", -ratio * direction * direction.T, -ratio * square, 3),
        *determinant_lemma_steps(),
        Step(
            "c",
            "(r/2) log(det S/det(S - v v^T)) = (r/2) log rho.",
            lhs=r * sp.log(rho) / 2,
            rhs=-r * sp.log(1 - leverage) / 2,
            reduce=lambda left, right: in_odds(left - right),
            premises=("determinant lemma",),
        ),
    )
    return Derivation(
        id="random_projection.quadratic_form_deletion",
        title="The lemma's quadratic form when a record is deleted",
        sources=("N26-L4", "N24-T2", "N24-T7", "N24-C2"),
        hypotheses=(),
        steps=steps,
        result_step="c",
        symbols={"leverage": leverage, "r": r},
        domain=(leverage < 1,),
        faults=(
            Fault("eigenvalue rho - 1 in place of 1 - rho", "eigenvector w", lambda rhs: -rhs),
            Fault("Sherman-Morrison of S + v v^T", "A, any d", lambda rhs: -w * wt / (1 + leverage)),
            Fault("sign of c flipped", "c", lambda rhs: -rhs),
        ),
        concludes=tuple(
            Conclusion("N24-C2", step, part=part)
            for step, part in (
                ("A, any d", "the form of one block"),
                ("eigenvector w", "the form of one block, along the record"),
                ("orthogonal vectors", "the form of one block, across it"),
                ("eigenvalues, d = 3 in full", "its eigenvalues, d = 3"),
                ("c", "the constant of r blocks"),
            )
        ),
    )


@cache
def quadratic_form_insertion() -> Derivation:
    """Inserting record v: A has eigenvalue p = 1 - 1/rho r times and 0 elsewhere; c = -(r/2) log rho; behind
    `hockey_stick_insertion`.

    p is the leverage in the larger database. `number`: c, at `leverage` = p in (0, 1) and `r` columns.
    """
    algebra, n = rank_one_algebra("pair")
    S, w, wt, v, vt = (n[name] for name in ["S", "w", "wt", "v", "vt"])
    # P has covariance S - v v^T. A and B = I - S^{-1/2} (S - v v^T) S^{-1/2} = w w^T have the same eigenvalues:
    # with M = (S - v v^T)^{1/2} S^{-1/2} they are I - M M^T and I - M^T M.
    Ri = n["Ri"]
    direction, square = _symbolic_direction()
    steps = (
        Step(
            "pair",
            "p = v^T S^{-1} v, between 0 and 1, is the leverage of the record v in D, S = D^T D: S is invertible. P has"
            " covariance S - v v^T, Q has S, in each of r independent columns; means 0. Si = S^{-1},"
            " R = S^{1/2}, Ri = R^{-1}, w = Ri v, p = w^T w, and x is orthogonal to w.",
            kind="definition",
        ),
        by_fact(
            "same eigenvalues",
            "With M = (S - v v^T)^{1/2} S^{-1/2}, A = I - M M^T, which has the eigenvalues of I - M^T M = I -"
            " S^{-1/2} (S - v v^T) S^{-1/2}; 1 is none of these.",
            "eigenvalues of M M^T and of M^T M",
            {"M": letter("M"), "M^T": transpose(letter("M"))},
            {},
        ),
        Step(
            "I - M^T M, any d",
            "= w w^T with w = S^{-1/2} v.",
            lhs=1 - Ri * (S - v * vt) * Ri,
            rhs=w * wt,
            algebra=algebra,
            premises=("pair",),
        ),
        *_eigenvector_steps(w * wt, leverage, "eigenvalue w^T w = p = 1 - 1/rho,"),
        _characteristic_step("eigenvalues, d = 3 in full", direction * direction.T, square, 3),
        *determinant_lemma_steps(),
        Step(
            "c",
            "(r/2) log(det(S - v v^T)/det S) = (r/2) log(1 - p).",
            lhs=-r * sp.log(1 / (1 - leverage)) / 2,
            rhs=r * sp.log(1 - leverage) / 2,
            reduce=lambda left, right: in_odds(left - right),
            premises=("determinant lemma",),
        ),
    )
    return Derivation(
        id="random_projection.quadratic_form_insertion",
        title="The lemma's quadratic form when a record is inserted",
        sources=("N24-T2", "N24-T7", "N24-C2"),
        hypotheses=(),
        steps=steps,
        result_step="c",
        symbols={"leverage": leverage, "r": r},
        domain=(leverage < 1,),
        faults=(
            Fault("eigenvalue of the other direction", "eigenvector w", lambda rhs: -leverage / (1 - leverage) * w),
            Fault("sign of c flipped", "c", lambda rhs: -rhs),
            Fault("sign of w w^T flipped", "I - M^T M, any d", lambda rhs: -rhs),
        ),
        concludes=tuple(
            Conclusion("N24-C2", step, part=f"other direction: {part}")
            for step, part in (
                ("same eigenvalues", "the form of one block has those of another matrix"),
                ("I - M^T M, any d", "which is that matrix"),
                ("eigenvector w", "along the record"),
                ("orthogonal vectors", "across it"),
                ("eigenvalues, d = 3 in full", "its eigenvalues, d = 3"),
                ("c", "the constant of r blocks"),
            )
        ),
    )


@cache
def hockey_stick_deletion() -> Derivation:
    """`delta = Qg(r/2, t0/2) - e^eps Qg(r/2, rho t0/2)`, rho = 1/(1-p), t0 = 2(eps + (r/2) log rho)/(rho-1), for the
    leverage of a set (N24-D6); `random_projection_curve.deletion_curve` proves it of a pair.

    P from the larger database. `number`: at `leverage` = p in (0, 1), `r`, `epsilon` >= 0.
    """
    general = upper_expectation().result
    constant = epsilon + quadratic_form_deletion().result
    t0, at_least_0 = deletion_threshold(), sp.Symbol("epsilon", nonnegative=True)
    closed = Qg(dof_half, t0 / 2) - sp.exp(epsilon) * Qg(dof_half, t0 / (2 * (1 - leverage)))
    steps = (
        *_chi_square_steps(
            -1 / (1 - leverage),
            1 - 1 / (1 - leverage),
            "P has covariance S and Q has S - v v^T",
            "q_eps = eps + c + (1 - rho) T/2",
        ),
        Step(
            "|a|",
            "g = rho - 1 = p/(1-p), and 1 + g = rho.",
            lhs=1 / (1 - leverage) - 1,
            rhs=leverage / (1 - leverage),
            premises=("columns", "T"),
        ),
        Step(
            "factor",
            "e^c rho^{-r/2} = 1, so the second term keeps e^eps alone.",
            lhs=sp.exp(constant) * (1 / (1 - leverage)) ** (-dof_half),
            rhs=sp.exp(epsilon),
            reduce=_over_leverages,
        ),
        Step(
            "sign of c",
            "eps + c = eps + (r/2) log(1 + k) > 0 as rho = 1 + k: upper_expectation applies.",
            lhs=sp.Subs(constant, (epsilon, leverage), (at_least_0, 1 - 1 / (1 + odds))),
            rhs=sp.Integer(0),
            relation=">",
            witness=at_least_0 + r * sp.log(1 + odds) / 2,
        ),
        Step(
            "closed form",
            "upper_expectation at g = p/(1-p) and constant eps + (r/2) log rho.",
            lhs=general.subs({c: constant, scale: leverage / (1 - leverage)}, simultaneous=True),
            rhs=closed,
            reduce=_over_leverages,
            premises=("T", "|a|", "factor", "sign of c"),
        ),
    )
    return Derivation(
        id="random_projection.hockey_stick_deletion",
        title="Closed form of the divergence of random projection when a record is deleted",
        sources=("N26-L4", "N24-T2", "N24-T7"),
        hypotheses=(),
        steps=steps,
        result_step="closed form",
        symbols={"leverage": leverage, "r": r, "epsilon": epsilon},
        domain=(leverage < 1, epsilon >= 0),
        faults=(
            Fault("factor e^eps dropped", "closed form", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault(
                "threshold not rescaled by rho", "closed form", lambda rhs: Qg(dof_half, t0 / 2) * (1 - sp.exp(epsilon))
            ),
            Fault("deletion and insertion swapped", "closed form", lambda rhs: rhs.subs(Qg, Pg)),
            Fault("e^c kept", "factor", lambda rhs: rhs * (1 - leverage) ** (-dof_half)),
        ),
        concludes=tuple(
            Conclusion(claim, "closed form", part="what a deletion costs")
            for claim in ("N24-D6", "N24-Fig6", "N24-Fig12", "N24-T6")
        ),
    )


def _branch_by_branch(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    return sp.piecewise_fold(left - right.rewrite(sp.Piecewise))


@cache
def hockey_stick_insertion() -> Derivation:
    """`delta = Pg(r/2, t1/2) - e^eps Pg(r/2, (1-p) t1/2)`, t1 = (r log(1/(1-p)) - 2 eps)/p; 0 once t1 <= 0: the
    number beside the certified one; `random_projection_curve.insertion_curve` proves it.

    P from the smaller database. `number`: at `leverage` = p in (0, 1), `r`, `epsilon` >= 0.
    """
    tilt = sp.exp(c) * (1 - fraction) ** (-dof_half)
    general = Pg(dof_half, -c / fraction) - tilt * Pg(dof_half, -(1 - fraction) * c / fraction)
    constant = epsilon + quadratic_form_insertion().result
    t1 = insertion_threshold()
    edge, below = sp.Symbol("t", real=True), sp.Symbol("t1", nonpositive=True)

    def closed(edge: sp.Expr) -> sp.Expr:
        return Pg(dof_half, edge / 2) - sp.exp(epsilon) * Pg(dof_half, (1 - leverage) * edge / 2)

    steps = (
        *_chi_square_steps(
            sp.Integer(1), leverage, "P has covariance S - v v^T and Q has S", "q_eps = eps + c + p T/2"
        ),
        Step(
            "factor",
            "e^c (1-p)^{-r/2} = 1.",
            lhs=sp.exp(constant) * (1 - leverage) ** (-dof_half),
            rhs=sp.exp(epsilon),
            reduce=_over_leverages,
            premises=("columns", "T"),
        ),
        Step(
            "when it is 0",
            "eps + c = (2 eps - r log(1/(1-p)))/2 = -p t1/2: lower_expectation is 0 exactly when 2 eps >= r"
            " log(1/(1-p)), else positive.",
            lhs=constant,
            rhs=-leverage * held(t1) / 2,
            premises=("columns", "T"),
        ),
        Step(
            "closed form",
            "lower_expectation at a = p and constant eps + (r/2) log(1-p).",
            lhs=general.subs({c: constant, fraction: leverage}, simultaneous=True),
            rhs=closed(t1),
            reduce=_over_leverages,
            premises=("factor", "when it is 0"),
        ),
        Step(
            "zero branch",
            "At max(t1, 0) = 0 the closed form is 0, which is the divergence when t1 <= 0.",
            lhs=sp.Subs(closed(sp.Max(edge, 0)), edge, below),
            rhs=sp.Integer(0),
            premises=("closed form",),
        ),
        Step(
            "both branches",
            "One expression for every eps >= 0.",
            lhs=sp.Piecewise((0, t1 <= 0), (closed(t1), True)),
            rhs=closed(sp.Max(t1, 0)),
            reduce=_branch_by_branch,
            premises=("closed form", "zero branch"),
        ),
    )
    return Derivation(
        id="random_projection.hockey_stick_insertion",
        title="Closed form of the divergence of random projection when a record is inserted",
        sources=("N24-T2", "N24-T7"),
        hypotheses=(),
        steps=steps,
        result_step="both branches",
        symbols={"leverage": leverage, "r": r, "epsilon": epsilon},
        domain=(leverage < 1, epsilon >= 0),
        faults=(
            Fault("factor e^eps dropped", "closed form", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("deletion and insertion swapped", "closed form", lambda rhs: rhs.subs(Pg, Qg)),
            Fault("t1 kept where it is negative", "zero branch", lambda rhs: closed(below)),
            Fault("zero at eps in place of 2 eps", "when it is 0", lambda rhs: rhs + epsilon),
        ),
        concludes=(Conclusion("N24-T2", "both branches", part="what an insertion costs, in one expression"),),
    )
