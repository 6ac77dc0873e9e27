"""How the functionals of derivations are typeset, and what each means in words.

What the language of statements names too is printed as it is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sympy.core.function import AppliedUndef, Function

from ndis_verify.statements.quantities import QUANTITIES

HEADS: Mapping[str, tuple[str, str]] = {  # TeX with {0}, {1}, ... for the arguments; what it is
    "total": (r"\int {0}\, dx", ""),
    "largest": (r"\sup_{{S}} \int_{{S}} {0}\, dx", "S goes over the measurable sets"),
    "where": (r"\int_{{\{{{1} \ge 0\}}}} {0}\, dx", ""),
    "over": (r"\int_{{{0}}} {1}\, dx", "the integral is over one bin"),
    "largest_union": (r"\sup_{{J}} \sum_{{j \in J}} {0}", "J goes over the sets of bins"),
    "over_set": (r"\sum_{{j \in J}} {0}", "J is one set of bins"),
    "summed": (r"\sum_{{j}} {0}", "j goes over the bins"),
    "sum": (r"\sum_{{i}} {0}", "i goes over the points of the law"),
    "single": (r"\left({0}\right)", ""),
    "coordinate": (r"{{{0}}}_{{i}}", ""),
    "average": (r"\mathbb{{E}}\left[{0}\right]", ""),
    "normal_mean": (r"\mathbb{{E}}\left[{0}\right]", "E is over the standard normal vector z"),
    "normal_chance": (r"\Pr\left[{0} \ge 0\right]", "Pr is over the standard normal vector z"),
    "sign_changes": (r"S\left({0}\right)", "S(f) is how often f changes its sign while v goes from 0 to 1"),
    "chance": (r"\Pr\left[{0} \ge 0\right]", ""),
    "given": (r"\Pr\left[{0} > 0 \mid \cdot\right]", "the dot is what was chosen before the draws"),
    "exceeds": (r"\Pr\left[{0} > 0\right]", ""),
    "mass": (r"\Pr_{{{0}}}\left[T < {1}\right]", "T is the statistic of a test"),
    "sphere_mean": (
        r"\mathbb{{E}}_{{\xi}}^{{{0}}}\left[{1}\right]",
        "E_xi^d is over xi, a coordinate of a uniform direction in R^d",
    ),
    "before": (
        r"F_{{{0}, {2}}}\left({1}\right)",
        "F_{g, x}(z) is the probability of c < z in the law with the parameters g and x",
    ),
    "trade_off": (r"T\left({0}\right)", "T is the trade-off curve"),
    "divergence": (r"\delta\left({0}, {1}; {2}\right)", "delta(P, Q; eps) is the hockey-stick divergence"),
    "products": (
        r"\delta_{{\otimes}}^{{{5}}}\left({0}; {1}, {2}; {3}, {4}; {6}\right)",
        "delta_x^d(m^2; v, w; v', w'; eps) is the divergence of N(m, v) N(0, v')^{d-1} from N(0, w) N(0, w')^{d-1}",
    ),
    "fitted": (
        r"P_{{{0}, {1}}}^{{{2}, {3}}}",
        "P_{p, q}^{d, r} is the normal law of least squares with d features and r rows, with the record",
    ),
    "refitted": (r"Q_{{{0}, {1}}}^{{{2}, {3}}}", "Q_{p, q}^{d, r} is that without the record"),
    "sketched": (
        r"P_{{{0}, {1}}}^{{S, {2}, {3}}}",
        "P_{p, q}^{S, d, r} is the law of least squares on a sketch with d features and r rows, with the record",
    ),
    "resketched": (r"Q_{{{0}, {1}}}^{{S, {2}, {3}}}", "Q_{p, q}^{S, d, r} is that without the record"),
    "scaled_error": (
        r"T_{{{0}, {1}}}",
        "T_{d, r} is the law of sqrt(r/c) g, g standard normal on R^d, c chi-square with r - d + 1 degrees of freedom",
    ),
    "standard_error": (r"N_{{{0}}}", "N_d is the standard normal law on R^d"),
    "centred_first": (
        r"P_{{{0}, {1}}}",
        "P_{lambda, m} and Q_{lambda, m} are N(0, S1) and N(0, S2), where S2^{-1/2} S1 S2^{-1/2} has each eigenvalue"
        " lambda_i m_i times",
    ),
    "centred_second": (r"Q_{{{0}, {1}}}", ""),
    "scaled": (
        r"P_{{{0}, {1}}}^{{({2})}}",
        "P_{lambda, m}^{(s)} has independent centred normal coordinates of variances max(1, lambda_i e^{-s}), m_i of"
        " each",
    ),
    "unscaled": (r"I_{{{0}}}", "I_m is the standard normal law of as many coordinates"),
    "stretched": (r"{1} \cdot {0}", "a . P has a times the coordinates of P whose variance is not 1, with the others"),
    "loss_at": (r"L_{{{0}, {1}}}", "L_{P, Q} is the loss log p/q at a draw from P"),
    "law_under": (r"\mathcal{{L}}_{{{1}}}\left({0}\right)", "L_P(f) is the law of f under P"),
    "rate": (r"\partial_s^+ {0}", "the slope in s is from the right"),
    "on_sphere": (
        r"\left[{0}\right]_{{S}}",
        "[f]_S is the density that f has on the half sphere, by central projection",
    ),
    "sphere_constant": ("C_{{{0}, {1}}}", "C_{d, k} makes |y_0|^k a density on the half sphere of R^{d+1}"),
    "slice_of": (
        r"A_{{{0}, {1}}}^{{{2}}}",
        "A_{m, v}^w is what a coordinate of mean m and variance v contributes under the first law, over a reference,"
        " with the constant of a normal density of variance w",
    ),
    "other_slice": (
        r"B_{{{0}, {1}}}^{{{2}, {3}}}",
        "B_{m, v}^{w, eps} is the same under the second law, times e^eps",
    ),
    "transpose": (r"{0}^{{T}}", ""),
    "above": (r"\left[{0};\, {1}\right]", "[A; B] has the rows of A above those of B"),
    "each": (r"{0}\left({1}\right)", "a function of a vector is taken of each of its entries"),
    "pull": (r"\operatorname{{pull}}\left({0}\right)", "pull(s) is 1/(1 + e^s)"),
    "law_of": (r"\mathcal{{L}}\left({0}\right)", "L(a) is the law of a"),
    "law_given": (r"\mathcal{{L}}\left({0} \mid {1}\right)", "L(a | b) is the law of a, given b"),
    "informed": (r"I\left({0};\, {1}\right)", "I(X; Y) is the mutual information of X and Y"),
    "event": (r"1_{{S}}\left({0}\right)", "1_S(Y) says whether Y is in the event S"),
    "normal_form": (
        r"\sum_{{k=1}}^{{{1}}} z_k^{{T}} \left({0}\right) z_k",
        "z_1, z_2, ... are independent standard normal vectors",
    ),
    "chi_square": (r"\chi^2_{{{0}}}", "chi^2_r is a chi-square variable with r degrees of freedom"),
    "chi_variable": (r"\chi_{{{0}}}", "chi_r is a chi variable with r degrees of freedom"),
    "rejected": (r"{0}\left[{1}\right]", "P[S] is the probability under P that the test S rejects"),
    "variation": (r"\operatorname{{TV}}\left({0}, {1}\right)", "TV is the total variation"),
    "curve_of": (r"T_{{{0}, {1}}}\left({2}\right)", "T_{P, Q}(a) is the least 1 - P[S] of tests S with Q[S] <= a"),
    "best_test": (r"S_{{{0}, {1}}}^{{{2}}}", "S_{P, Q}^a is the most powerful test of size at most a"),
    "normal": (r"\mathcal{{N}}\left({0}, {1}\right)", ""),
    "over_matrices": (
        r"\int \left|M\right|^{{{0}}} e^{{-\operatorname{{tr}}\left({1} M\right)/2}}\, dM",
        "M goes over the positive definite matrices, |M| is the determinant",
    ),
    "over_definite": (r"\int {0}\, dM", "M goes over the positive definite matrices"),
    "density": (r"f_{{{0}}}\left({1}\right)", "f_P(x) is the density of the law P at x"),
    "wishart": (
        r"\mathcal{{W}}\left({0}, {1}\right)",
        "W(N, r) is the law of X^T X, the r rows of X independent and N(0, N)",
    ),
    "minimiser": (
        r"\operatorname{{argmin}}_{{{0}, {1}, {2}}}^{{{3}}}",
        "argmin_{N, c, a}^r is the minimiser of |X t - y| over t, the r rows of [X, y] independent, normal, of mean 0"
        " and covariance [N, c; c^T, a]",
    ),
    "multigamma": (r"\Gamma_{{{0}}}\left({1}\right)", "Gamma_d is the multivariate gamma function"),
    "trace": (r"\operatorname{{tr}}\left({0}\right)", ""),
    "beside": (r"\left[{0},\, {1}\right]", "[A, B] has the columns of A beside those of B"),
    "inverse": (r"\left({0}\right)^{{-1}}", ""),
    "inverse_form": (r"v^{{T}} \left({0}\right)^{{-1}} v", ""),
    "spectrum_but_1": (
        r"\lambda_{{\ne 1}}\left({0}\right)",
        "lambda(A) are the eigenvalues of A other than 1, with multiplicities",
    ),
    "relative": (r"\lambda\left({1}^{{-1/2}} {0} {1}^{{-1/2}}\right)", "lambda(A) is an eigenvalue of A"),
    "over_envelope": (
        r"\sup_{{0 \le l_i \le {0},\ \sum l_i \le {1}}} {2}",
        "sup is over all numbers l_i of the envelope",
    ),
    "supremum": (r"\sup {0}", "sup is over the members of the set"),
    "det": (r"\det\left({0}\right)", ""),
    "point": (r"x\left({0}\right)", "x(z) is the point of the space that belongs to the standard normal vector z"),
    "Qg": (r"Q\left({0}, {1}\right)", "Q(a, x) is the regularized upper incomplete gamma function"),
    "Pg": (r"P\left({0}, {1}\right)", "P(a, x) is the regularized lower incomplete gamma function"),
    "binned": (r"\left[{0}\right]_{{\mathrm{{bins}}}}", "[P]_bins is the law of the bin into which a draw of P falls"),
    "rounded": (r"\left[{0}\right]_{{\mathrm{{grid}}}}", "[a]_grid is a rounded to the public grid"),
}


def head_tex(name: str, arguments: Iterable[str]) -> str | None:
    """A functional applied to arguments, which are TeX; None for a name that has no form of its own."""
    given = list(arguments)
    if name in HEADS:
        return HEADS[name][0].format(*given)
    quantity = QUANTITIES.get(name)
    return quantity.tex.format(*given) if quantity is not None and quantity.arity == len(given) else None


def meanings(sides: Iterable[Any]) -> list[str]:
    """What the functionals in some expressions mean, each once, in the order in which they are met."""
    heads = {
        node.func.__name__ for side in sides if hasattr(side, "atoms") for node in side.atoms(AppliedUndef, Function)
    }
    named = [(name, words) for name, (_, words) in HEADS.items() if words]
    named += [(name, quantity.means) for name, quantity in QUANTITIES.items() if quantity.means]
    return list(dict.fromkeys(words for name, words in named if name in heads))
