"""Notation that derivations share: integrals and expectations as unknown functions, points, scalars of matrices."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.symbolic.block_algebra import inverse, letter, without_powers

held = sp.UnevaluatedExpr  # a part of a side that stands as it is written; what decides the step looks inside
x = sp.Symbol("x", real=True)  # the point over which `total` and `largest` integrate
anything = letter("y")  # any vector: what is shown of it is shown of every one
definite = letter("M")  # any positive definite matrix, over which `over_definite` integrates
z = letter("z")  # the standard normal vector whose law `normal_mean` averages over

# total(f): the integral of f(x). largest(f): the supremum over measurable sets of the integral of f(x) over the set.

# where(f, g): the integral of f(x) over the points where g(x) >= 0.
total, largest, where = (sp.Function(name, real=True) for name in ("total", "largest", "where"))
# over(j, f): the integral of f(x) over the bin j. largest_union(a): the supremum over sets of bins of the sum of a.
# summed(a): the sum of a over the bins, of which there are finitely many. average(f): the expectation of f over the
# draws. chance(f): Pr[f >= 0] there.
over, largest_union, summed, average, chance = (
    sp.Function(name, real=True) for name in ("over", "largest_union", "summed", "average", "chance")
)
# given(f): Pr[f > 0] over the draws when what was chosen before them is given. exceeds(f): Pr[f > 0] over everything.
# over_set(a): the sum of a over the bins of one set. trade_off(x): the trade-off curve at x.
given, exceeds, over_set, trade_off = (
    sp.Function(name, real=True) for name in ("given", "exceeds", "over_set", "trade_off")
)
# rejected(P, S): the probability under P that the test S rejects. variation(P, Q): the total variation of two laws.
# curve_of(P, Q, a): the least 1 - rejected(P, S) of tests S with rejected(Q, S) <= a. best_test(P, Q, a): where it is.
rejected, variation, curve_of, best_test = (
    sp.Function(name, nonnegative=True) for name in ("rejected", "variation", "curve_of", "best_test")
)
# informed(X, Y): the mutual information of two random variables.
informed = sp.Function("informed", nonnegative=True)
# divergence(P, Q, eps): the hockey-stick divergence of two laws. mass(P, t): the probability under P of T < t, T what
# is drawn where P is the law of a number.
divergence, mass = (sp.Function(name, real=True) for name in ("divergence", "mass"))
# fitted(p, q, d, r), refitted(p, q, d, r): the normal law of least squares with a record and without it.
fitted, refitted = (sp.Function(name, real=True) for name in ("fitted", "refitted"))
# sketched(p, q, d, r), resketched(p, q, d, r): the law of least squares on a sketch with a record and without it.
sketched, resketched = (sp.Function(name, real=True) for name in ("sketched", "resketched"))
# scaled_error(d, r): the law of sqrt(r/c) g, g standard normal on R^d, c chi-square with r - d + 1 degrees of freedom.
# standard_error(d): that of g.
scaled_error, standard_error = (sp.Function(name, real=True) for name in ("scaled_error", "standard_error"))
# projected(p, r), reprojected(p, r): the law of D^T G, r columns, with a record of leverage p and without it.
projected, reprojected = (sp.Function(name, real=True) for name in ("projected", "reprojected"))
# centred_first(l, m), centred_second(l, m): N(0, S1) and N(0, S2), S2^{-1/2} S1 S2^{-1/2} with each eigenvalue l_i m_i
# times. scaled(l, m, s): independent centred normal coordinates of variances max(1, l_i e^{-s}), m_i of each.
# unscaled(m): as many of variance 1. stretched(P, a): a times the coordinates of such a P whose variance is not 1, with
# the others. rate(f): the slope of f in s, from the right.
centred_first, centred_second, scaled, unscaled, stretched, rate = (
    sp.Function(name, real=True)
    for name in ("centred_first", "centred_second", "scaled", "unscaled", "stretched", "rate")
)
# loss_at(P, Q): log p/q at a draw from P. law_under(f, P): the law of f under the law P.
loss_at, law_under = (sp.Function(name, real=True) for name in ("loss_at", "law_under"))
# single(v): the vector whose only coordinate is v.
single = sp.Function("single", real=True)
# products(m2, v, w, v', w', d, eps): the divergence of N(m, v) N(0, v')^{d-1} from N(0, w) N(0, w')^{d-1}, m^2 = m2.
products = sp.Function("products", real=True)
# on_sphere(f, s, d): the density with respect to the surface of the half sphere that is f, a function of |z|^2 = s, in
# R^d by central projection. sphere_constant(d, k): what makes |y_0|^k a density there.
# sphere_mean(d, f): the expectation of f over xi, a coordinate of a uniform direction in R^d. before(g, z, x): the
# probability of a cotangent below z in the law of parameters g and x.
on_sphere, sphere_mean, before = (sp.Function(name, real=True) for name in ("on_sphere", "sphere_mean", "before"))
sphere_constant = sp.Function("sphere_constant", positive=True)
xi = sp.Symbol("xi", real=True)  # the coordinate over which `sphere_mean` goes
# slice_of(m, v, w), other_slice(m, v, w, eps): what a coordinate of mean m and variance v contributes to the integrand
# over another one of variance w, under the first law and, times e^eps, under the second, over a reference density.
slice_of, other_slice = (sp.Function(name, positive=True) for name in ("slice_of", "other_slice"))
# law_of(a), law_given(a, b): the law of a vector, and its law when b is given. normal(m, S): the normal law.
law_of, law_given, normal = (sp.Function(name, real=True) for name in ("law_of", "law_given", "normal"))
# normal_form(A, r): the sum of z_k^T A z_k over r independent standard normal vectors z_k. chi_square(r): a chi-square
# variable with r degrees of freedom. chi_variable(r): its root.
normal_form, chi_square = (sp.Function(name, real=True) for name in ("normal_form", "chi_square"))
chi_variable = sp.Function("chi_variable", nonnegative=True)
# over_matrices(e, S): the integral of |M|^e exp(-tr(S M)/2) over the positive definite d x d matrices M.
# inverse_form(A): v^T A^{-1} v for the vector v that is spoken of.
# over_definite(f): the integral of f, a function of `definite`, over the positive definite d x d matrices. density(P,
# x): the density of the law P at x. wishart(N, r): the law of X^T X, the r rows of X independent and N(0, N).
# minimiser(N, c, a, r): that of |X t - y| over t, the r rows of [X, y] independent, normal, of covariance [N, c; c^T,
# a]. multigamma(d, a): the multivariate gamma function.
over_matrices, inverse_form = (sp.Function(name, real=True) for name in ("over_matrices", "inverse_form"))
over_definite, density, wishart, minimiser = (
    sp.Function(name, real=True) for name in ("over_definite", "density", "wishart", "minimiser")
)
multigamma = sp.Function("multigamma", positive=True)
# spectrum_but_1(A): the eigenvalues of A other than 1. relative(S, T): an eigenvalue of T^{-1/2} S T^{-1/2}, in
# the order of size; of an S that is written out, relative(S, 1), the least one. with_noise(S, v): S + v I.
spectrum_but_1, relative, with_noise = (
    sp.Function(name, real=True) for name in ("spectrum_but_1", "relative", "with_noise")
)
# norm(A): the spectral norm. matrix_mean(A): the expectation of a random matrix.
norm, matrix_mean = (sp.Function(name, real=True) for name in ("norm", "matrix_mean"))
supremum = sp.Function("supremum", real=True)  # supremum(f): over the members of the set that is spoken of
# pull(s): 1/(1 + e^s), s a number that is a product of letters.
pull = sp.Function("pull", positive=True)
# normal_chance(f): Pr[f(z) >= 0], z standard normal.
normal_chance = sp.Function("normal_chance", real=True)
# with_logs(l): independent centred normal coordinates, l_i the logarithms of their variances; standard(d): d of
# variance 1. joined(a, b, o): a, b and the coordinates of o. vertex_of(c, k, r): k times c, once r, otherwise 0.
# level_of(P): the sum of the l_i of P. slope_in(k, f): the slope of f in l_k. flux(k, P, t): that of the probability
# under P of W < t, W = sum (1 - e^{-l_i}) x_i^2 and t held. left_of(P, t): what the coordinates of P but the first two
# leave of t, or 0 where they exceed it.
with_logs, standard, joined, vertex_of, level_of, slope_in, flux = (
    sp.Function(name, real=True)
    for name in ("with_logs", "standard", "joined", "vertex_of", "level_of", "slope_in", "flux")
)
left_of = sp.Function("left_of", nonnegative=True)
# over_envelope(c, n, f): the supremum of f over 0 <= l_i <= c of sum at most n.
over_envelope = sp.Function("over_envelope", real=True)
logarithms = sp.Symbol("l", real=True)  # the l_i over which a supremum goes
# sign_changes(f): how often f, a function of v, changes its sign while v goes from 0 to 1.
sign_changes = sp.Function("sign_changes", real=True)
between_0_and_1 = sp.Symbol("v", real=True)
law = sp.Function("law")  # law(p): the vector p is a law on finitely many points
positive_definite = sp.Function("positive_definite")  # positive_definite(A): the matrix A is symmetric and A > 0
bin_of_sum = sp.Symbol("j", integer=True)  # the bin over which `summed` and `largest_union` go
below, beyond = sp.Symbol("v", positive=True), sp.Symbol("w", nonnegative=True)  # distances from an edge
share = sp.Symbol("s", positive=True)  # of a largest shift


class normal_mean(AppliedUndef):
    """The expectation of f(z): an unknown functional, of which 0 is 0."""

    nargs = 1
    is_commutative = True
    is_real = True
    is_extended_real = True

    @classmethod
    def eval(cls, f: Any) -> Any:
        return sp.Integer(0) if f == 0 else None


class diagonal(AppliedUndef):
    """The diagonal matrix of a vector made of letters."""

    nargs = 1
    is_commutative = False


class transpose(AppliedUndef):
    """The transpose of an array made of letters: of sums and products those of their parts."""

    nargs = 1
    is_commutative = False

    @classmethod
    def eval(cls, array: Any) -> Any:
        array = sp.expand(without_powers(array))
        terms = sp.Add.make_args(array)
        if len(terms) > 1:
            return sp.Add(*(cls(term) for term in terms))
        factors, word = array.args_cnc()
        if not word:
            return array
        if factors or len(word) > 1:
            return sp.Mul(*factors, *(cls(letter) for letter in reversed(word)))
        (one,) = word
        if isinstance(one, cls):
            return one.args[0]
        if isinstance(one, diagonal):
            return one
        if isinstance(one, inverse):
            return inverse(cls(one.args[0]))
        return cls(one.base) ** one.exp if one.is_Pow and one.exp.is_Integer else None


class each(AppliedUndef):
    """A function of one number, as a Lambda, of every entry of a vector."""

    nargs = 2
    is_commutative = False


class det(AppliedUndef):
    """The determinant of a matrix made of letters: an unknown positive or negative number."""

    nargs = 1
    is_commutative = True
    is_real = True
    is_extended_real = True


class trace(AppliedUndef):
    """The trace of a square matrix made of letters; linear in the products."""

    nargs = 1
    is_commutative = True
    is_real = True
    is_extended_real = True

    @classmethod
    def eval(cls, matrix: Any) -> Any:
        terms = sp.Add.make_args(sp.expand(without_powers(matrix)))
        if len(terms) > 1:
            return sp.Add(*(cls(term) for term in terms))
        factors, word = terms[0].args_cnc()
        if not (factors and word):
            return None if terms[0] == matrix else cls(terms[0])
        return sp.Mul(*factors) * cls(sp.Mul(*word))


class scalar(sp.Function):
    """The number that a 1 x 1 product of matrix letters is; linear in the products."""

    nargs = 1
    is_commutative = True
    is_real = True
    is_extended_real = True

    @classmethod
    def eval(cls, product: Any) -> Any:
        terms = sp.Add.make_args(sp.expand(without_powers(product)))
        if len(terms) > 1:
            return sp.Add(*(cls(term) for term in terms))
        factors, word = terms[0].args_cnc()
        if not word:
            return sp.Mul(*factors)
        return sp.Mul(*factors) * cls(sp.Mul(*word)) if factors or terms[0] != product else None


class point(sp.Function):
    """A point of the space as a function of the vector z."""

    nargs = 1
    is_commutative = True
    is_real = True
    is_extended_real = True


def as_products(expression: Any) -> Any:
    """`expression` with its scalars as the products that they are, logarithms of exponentials taken."""
    if not isinstance(expression, sp.Basic) or not expression.has(scalar):
        return expression
    return sp.expand(sp.expand_log(sp.expand(expression))).replace(scalar, lambda product: product)
