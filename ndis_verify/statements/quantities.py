"""What the heads of terms are: how many arguments they take, how they are printed, and what the named ones mean.

No number is computed here. Whoever evaluates a statement keeps a table from these names to functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """One head. `plain` and `tex` are templates with {0}, {1}, ...; `means`, for the quantities of the package, says
    in words what the symbol stands for. `reverse` is the same quantity with the two laws exchanged. The first `vectors`
    arguments are vectors: the name of one, a literal, or a term of coordinates. `takes` says of the others what they
    are, where they are no numbers: v a vector, m a square matrix, a any array, n a number; vectors and square matrices
    of one head have one size. `gives`: "v" of a head whose value is a vector, with an entry for each column of its
    first argument.
    """

    name: str
    arity: int
    plain: str
    tex: str
    means: str = ""
    reverse: str = ""
    vectors: int = 0
    takes: str = ""
    gives: str = ""


def _table(*quantities: Quantity) -> Mapping[str, Quantity]:
    return {quantity.name: quantity for quantity in quantities}


QUANTITIES = _table(
    Quantity("log", 1, "log({0})", r"\log\left({0}\right)"),
    Quantity("Phi", 1, "Phi({0})", r"\Phi\left({0}\right)"),
    Quantity("Phi_inverse", 1, "Phi^-1({0})", r"\Phi^{{-1}}\left({0}\right)"),
    Quantity("phi", 1, "phi({0})", r"\varphi\left({0}\right)"),
    Quantity("pi", 0, "pi", r"\pi"),
    Quantity("erf", 1, "erf({0})", r"\operatorname{{erf}}\left({0}\right)"),
    Quantity("erfc", 1, "erfc({0})", r"\operatorname{{erfc}}\left({0}\right)"),
    Quantity("sqrt", 1, "sqrt({0})", r"\sqrt{{{0}}}"),
    Quantity("abs", 1, "|{0}|", r"\left|{0}\right|"),
    Quantity("identity", 0, "I", "I", "I is the identity matrix"),
    Quantity("det", 1, "det({0})", r"\det\left({0}\right)", takes="m"),
    Quantity("trace", 1, "tr({0})", r"\operatorname{{tr}}\left({0}\right)", takes="m"),
    Quantity("diagonal", 1, "diag({0})", r"\operatorname{{diag}}\left({0}\right)", takes="v"),
    Quantity("rows", 1, "rows({0})", r"\operatorname{{rows}}\left({0}\right)", takes="a"),
    Quantity("columns", 1, "cols({0})", r"\operatorname{{cols}}\left({0}\right)", takes="a"),
    Quantity("max", 2, "max({0}, {1})", r"\max\left({0}, {1}\right)"),
    Quantity("min", 2, "min({0}, {1})", r"\min\left({0}, {1}\right)"),
    Quantity("gamma", 1, "Gamma({0})", r"\Gamma\left({0}\right)"),
    Quantity("gamma_q", 2, "Qg({0}, {1})", r"Q\left({0}, {1}\right)"),
    Quantity("gamma_p", 2, "Pg({0}, {1})", r"P\left({0}, {1}\right)"),
    Quantity(
        "chi2_density",
        2,
        "f_chi2({0}; {1})",
        r"f_{{\chi^2}}\left({0}; {1}\right)",
        "f_chi2(r; t) is the density of the chi-square law with r degrees of freedom at t",
    ),
    Quantity(
        "normal_moment",
        3,
        "E_normal({0}; {1}, {2})",
        r"\mathbb{{E}}\left[\mathcal{{N}}\left({1}, {2}\right)^{{{0}}}\right]",
        "E_normal(n; m, v) is the expectation of x^n, n whole and not negative, x normal of mean m and variance v > 0",
    ),
    Quantity(
        "mean_shift",
        2,
        "delta_shift({0}; {1})",
        r"\delta_{{\mathrm{{shift}}}}\left({0}; {1}\right)",
        "delta_shift(D; eps) is the divergence sup_S P(S) - e^eps Q(S) of P = N(m1, S) and Q = N(m2, S), S positive"
        " definite, whose means are D = ||S^{-1/2} (m1 - m2)|| apart",
        reverse="mean_shift",
    ),
    Quantity(
        "projection",
        3,
        "delta_delete({0}, {1}; {2})",
        r"\delta_{{\mathrm{{delete}}}}\left({0}, {1}; {2}\right)",
        "delta_delete(p, r; eps) is the divergence of D^T G from D'^T G', G and G' standard normal with r columns, D of"
        " full rank and D' the rows of D without one of leverage p",
        reverse="projection_insert",
    ),
    Quantity(
        "projection_insert",
        3,
        "delta_insert({0}, {1}; {2})",
        r"\delta_{{\mathrm{{insert}}}}\left({0}, {1}; {2}\right)",
        "delta_insert(p, r; eps) is the same with the two laws exchanged, D'^T G' first",
        reverse="projection",
    ),
    Quantity(
        "centred",
        3,
        "delta_{{P,Q}}({0}, {1}; {2})",
        r"\delta_{{P,Q}}\left({0}, {1}; {2}\right)",
        "delta_{P,Q}(lam, m; eps) is the divergence of P = N(0, S1) from Q = N(0, S2), where S2^{-1/2} S1 S2^{-1/2} has"
        " each eigenvalue lam_i m_i times",
        reverse="centred_reverse",
        vectors=2,
    ),
    Quantity(
        "centred_reverse",
        3,
        "delta_{{Q,P}}({0}, {1}; {2})",
        r"\delta_{{Q,P}}\left({0}, {1}; {2}\right)",
        "delta_{Q,P}(lam, m; eps) is the divergence of Q from P, for P = N(0, S1) and Q = N(0, S2) whose"
        " S2^{-1/2} S1 S2^{-1/2} has each eigenvalue lam_i m_i times",
        reverse="centred",
        vectors=2,
    ),
    Quantity(
        "independent",
        3,
        "delta_N({0}, {1}; {2})",
        r"\delta_{{N}}\left({0}, {1}; {2}\right)",
        "delta_N(mu, s; eps) is the divergence of P from Q, P of independent normal coordinates of mean mu_i and"
        " standard deviation s_i, Q standard normal: every pair is such a one in coordinates that make Q standard and P"
        " diagonal",
        vectors=2,
    ),
    Quantity(
        "normal_pair",
        5,
        "delta_normal({0}, {1}, {2}, {3}; {4})",
        r"\delta\left(\mathcal{{N}}\left({0}, {1}\right), \mathcal{{N}}\left({2}, {3}\right); {4}\right)",
        "delta_normal(m1, S1, m2, S2; eps) is the divergence sup_S P(S) - e^eps Q(S) of P = N(m1, S1) from"
        " Q = N(m2, S2)",
        takes="vmvmn",
    ),
    Quantity(
        "logistic_fit",
        2,
        "theta({0}; {1})",
        r"\theta\left({0}; {1}\right)",
        "theta(Z; c) is the minimiser of sum_i log(1 + e^{-z_i^T t}) + c |t|^2/2 over t, z_i^T the rows of Z: where"
        " c t is the sum of z_i/(1 + e^{z_i^T t})",
        takes="an",
        gives="v",
    ),
    Quantity(
        "sketch_density",
        5,
        "f_sketch({0}, {1}, {2}, {3}; {4})",
        r"f_{{\mathrm{{sketch}}}}\left({0}, {1}, {2}, {3}; {4}\right)",
        "f_sketch(N, c, a, r; x) is the density at x of the minimiser of |X t - y| over t, the r rows of [X, y] being"
        " independent normal vectors of mean 0 and covariance [N, c; c^T, a]",
        takes="mvnnv",
    ),
    Quantity(
        "sketch_distance",
        2,
        "TV_sketch({0}, {1})",
        r"\mathrm{{TV}}_{{\mathrm{{sketch}}}}\left({0}, {1}\right)",
        "TV_sketch(d, r) is the total variation of the law of sqrt(r/c) g and that of g, g standard normal on R^d and c"
        " chi-square with r - d + 1 degrees of freedom, independent of g",
    ),
    Quantity(
        "form_hinge",
        3,
        "hinge_A({0}, {1}; {2})",
        r"h_{{A}}\left({0}, {1}; {2}\right)",
        "hinge_A(A, b; c) is the expectation of max(0, 1 - e^{c + b^T z + z^T A z/2}), z a standard normal vector",
        takes="mvn",
    ),
    Quantity(
        "quadratic_hinge",
        3,
        "hinge_q({0}, {1}; {2})",
        r"h_{{q}}\left({0}, {1}; {2}\right)",
        "hinge_q(a, b; c) is the expectation of max(0, 1 - e^{q(z)}), q(z) = c + sum_i (b_i z_i + a_i z_i^2/2), z"
        " standard normal",
        vectors=2,
    ),
    Quantity(
        "quadratic_cdf",
        3,
        "F_q({0}, {1}; {2})",
        r"F_{{q}}\left({0}, {1}; {2}\right)",
        "F_q(a, b; t) is the probability that sum_i (b_i z_i + a_i z_i^2/2) is at most t, z standard normal: a"
        " generalized chi-square law",
        vectors=2,
    ),
    Quantity(
        "chi2_hinge",
        3,
        "hinge({0}, {1}; {2})",
        r"h\left({0}, {1}; {2}\right)",
        "hinge(c, a; r) is the expectation of max(0, 1 - e^{c + a T/2}), T chi-square with r degrees of freedom",
    ),
    *(
        Quantity(
            name + way,
            5,
            f"{symbol}_{short}({{0}}, {{1}}, {{2}}, {{3}}; {{4}})",
            rf"\delta_{{{{\mathrm{{{{{law}, {short}}}}}}}}}\left({{0}}, {{1}}, {{2}}, {{3}}; {{4}}\right)",
            f"{symbol}_{short}(p, q, d, r; eps) is the divergence of the {words} with d features and r rows"
            f" {'without a record from that with it' if way else 'with a record from that without it'}, a record of"
            " leverage p in B and q in [B b]",
            reverse=name + ("" if way else "_insert"),
        )
        for name, symbol, law, words in (
            ("least_squares", "delta_LS", "LS", "normal law of least squares, N(x_opt, (|w|^2/r) (B^T B)^{-1}),"),
            ("sketch", "delta_sketch", "sketch", "law of least squares on a Gaussian sketch"),
        )
        for way, short in (("", "delete"), ("_insert", "insert"))
    ),
)


STRUCTURE = {
    # heads that the printer knows by itself, and how many arguments they take
    "number": 0,
    "variable": 0,
    "coordinate": 0,
    "neg": 1,
    "add": 2,
    "sub": 2,
    "mul": 2,
    "div": 2,
    "pow": 2,
    "exp": 1,
    "sum": 1,
    "product": 1,
    "sup": 3,
    "inf": 3,
    "derivative": 1,
    "transpose": 1,
}
SEVERAL = ("vector", "beside", "above")  # two arguments or more: (a, b), [A, b] and [A; b]
