"""What the quantities of the statement language mean, as definitions that a derivation may start from.

The only definitions of these names that the court lets pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.normal_coordinates import density, entry, quadratic
from ndis_verify.symbolic.normal_images import DENSITIES, Ri, g, gt, p, q
from ndis_verify.symbolic.notation import (
    centred_first,
    centred_second,
    divergence,
    each,
    fitted,
    largest,
    law_of,
    minimiser,
    normal,
    normal_chance,
    normal_mean,
    projected,
    pull,
    refitted,
    reprojected,
    resketched,
    scalar,
    scaled_error,
    sketched,
    standard_error,
    transpose,
    x,
)
from ndis_verify.symbolic.notation import density as density_of
from ndis_verify.symbolic.notation import z as drawn
from ndis_verify.symbolic.scopes import binders, bound, unbound
from ndis_verify.symbolic.special_functions import chi2_density
from ndis_verify.symbolic.statement_terms import lettered, quantity
from ndis_verify.symbolic.zero import as_expression

chi2_value = sp.Symbol("t", positive=True)  # of a chi-square variable

normal_value = sp.Symbol("x", real=True)  # of a normal variable

_logit = sp.Symbol("s", real=True)
PULLS = sp.Lambda(_logit, 1 / (1 + sp.exp(_logit)))  # what a record pulls at, of the product with it


def normal_density(m: Any, v: Any) -> Any:
    """Of the normal law of mean m and variance v, at `normal_value`."""
    return sp.exp(-((normal_value - m) ** 2) / (2 * v)) / sp.sqrt(2 * sp.pi * v)


_ARRAYS = ("vector", "identity", "transpose", "diagonal", "beside", "above")


def _pair(*parts: Any) -> Any:
    """The divergence of two normal laws, on the line, in the plane or made of letters, means and covariances as
    statements write them.
    """
    first, first_covariance, second, second_covariance, eps = parts
    if all(map(_is_number, parts[:4])):
        on_line = [sp.ImmutableMatrix([[part]]) for part in parts[:4]]
        return divergence(normal(*on_line[:2]), normal(*on_line[2:]), eps)
    if not all(part.is_commutative for part in parts):
        return divergence(normal(first, lettered(first_covariance)), normal(second, lettered(second_covariance)), eps)
    return divergence(
        normal(_column(first), square(first_covariance)), normal(_column(second), square(second_covariance)), eps
    )


def _is_number(term: Any) -> bool:
    """Whether no vector and no matrix is left but in products that are numbers."""
    outside = term.replace(scalar, lambda product: sp.Integer(1))
    return bool(outside.is_commutative) and not any(_calls(outside, head) for head in _ARRAYS)


def _column(term: Any) -> Any:
    """A sum of multiples of vectors of the plane; 0 is the zero vector."""
    rest, column = sp.expand(term), sp.zeros(2, 1)
    for one in _calls(rest, "vector"):
        share = rest.coeff(one)
        column += share * sp.Matrix(2, 1, one.args)
        rest = sp.expand(rest - share * one)
    if rest != 0:
        raise InputError("mean", str(term), "must be a sum of multiples of vectors of the plane")
    return sp.ImmutableMatrix(column)


def square(term: Any) -> Any:
    """A sum of multiples of the identity and of e e^T, e a vector of the plane."""
    rest, matrix = sp.expand(term), sp.zeros(2, 2)
    bases = [(one, sp.eye(2)) for one in _calls(rest, "identity")]
    for one in _calls(rest, "transpose"):
        (e,) = one.args
        column = sp.Matrix(2, 1, e.args)
        bases.append((one * e, column * column.T))
    for base, shown in bases:
        share = rest.coeff(base)
        matrix += share * shown
        rest = sp.expand(rest - share * base)
    if rest != 0:
        raise InputError("covariance", str(term), "must be a sum of multiples of I and of e e^T")
    return sp.ImmutableMatrix(matrix)


def _calls(term: Any, head: str) -> list[Any]:
    return sorted((one for one in term.atoms(AppliedUndef) if str(one.func) == head), key=str)


def _form_hinge(matrix: Any, b: Any, c: Any) -> Any:
    """The mean of the hinge of c + b^T z + z^T A z/2."""
    form = scalar(transpose(b) * drawn) + scalar(transpose(drawn) * lettered(matrix) * drawn) / 2
    return normal_mean(sp.Max(0, 1 - sp.exp(c + form)))


_MEANINGS: Mapping[str, Callable[..., Any]] = {
    # P = N(m1, S) and Q = N(m2, S), whose means are D apart
    "mean_shift": lambda D, eps: largest(p(x) - sp.exp(eps) * q(x, D)),
    # the argument of the integral is positive; T has the density f_chi2(r; t) there
    "chi2_hinge": lambda c, a, r: sp.Integral(
        chi2_density(r, chi2_value) * sp.Max(0, 1 - sp.exp(c + a * chi2_value / 2)), (chi2_value, 0, sp.oo)
    ),
    "normal_moment": lambda n, m, v: sp.Integral(normal_value**n * normal_density(m, v), (normal_value, -sp.oo, sp.oo)),
    "centred": lambda lam, m, eps: divergence(centred_first(lam, m), centred_second(lam, m), eps),
    "centred_reverse": lambda lam, m, eps: divergence(centred_second(lam, m), centred_first(lam, m), eps),
    "projection": lambda p, r, eps: divergence(projected(p, r), reprojected(p, r), eps),
    "projection_insert": lambda p, r, eps: divergence(reprojected(p, r), projected(p, r), eps),
    "least_squares": lambda *at: divergence(fitted(*at[:4]), refitted(*at[:4]), at[4]),
    "least_squares_insert": lambda *at: divergence(refitted(*at[:4]), fitted(*at[:4]), at[4]),
    "sketch": lambda *at: divergence(sketched(*at[:4]), resketched(*at[:4]), at[4]),
    "sketch_insert": lambda *at: divergence(resketched(*at[:4]), sketched(*at[:4]), at[4]),
    "sketch_distance": lambda d, r: divergence(scaled_error(d, r), standard_error(d), sp.Integer(0)),
    "sketch_density": lambda n, c, a, r, x: density_of(law_of(minimiser(n, c, a, r)), x),
    "normal_pair": _pair,
    "logistic_fit": lambda records, c: sp.Add(*_pulls(records, quantity("logistic_fit", records, c))) / c,
    "pull": lambda product: 1 / (1 + sp.exp(scalar(product))),
    "independent": lambda mu, s, eps: largest(density(entry(mu), entry(s)) - sp.exp(eps) * density(0, 1)),
    "form_hinge": _form_hinge,
    "quadratic_hinge": lambda a, b, c: normal_mean(sp.Max(0, 1 - sp.exp(c + quadratic(entry(a), entry(b))))),
    "quadratic_cdf": lambda a, b, t: normal_chance(t - quadratic(entry(a), entry(b))),
}


def _pulls(records: Any, at: Any) -> list[Any]:
    """The sum of z_i/(1 + e^{z_i^T t}) over the rows z_i^T of a matrix, or of blocks one above the other, t = `at`."""
    if str(records.func) == "above":
        return [part for block in records.args for part in _pulls(block, at)]
    if isinstance(records, transpose) and records.args[0].is_Symbol and records.args[0].name[0].islower():  # one row
        return [records.args[0] * pull(records * at)]
    return [transpose(records) * each(PULLS, records * at)]


def _meant(head: str, *args: Any) -> Any:
    """What the quantity means at these arguments, in which no symbol is free that its meaning goes over."""
    meant = _MEANINGS[head](*args)
    over = frozenset().union(*map(bound, binders(meant)))
    for arg in map(as_expression, args):
        if held := over & arg.free_symbols & unbound(arg):
            raise InputError(head, str(arg), f"must not speak of {min(held, key=str)}, over which its meaning goes")
    return meant


def meaning(name: str, head: str, *args: Any) -> Step:
    """The definition of the quantity `head` at these arguments."""
    return Step(
        name,
        QUANTITIES[head].means + "." if head in QUANTITIES else "pull(s) is 1/(1 + e^s).",
        lhs=quantity(head, *args) if head in QUANTITIES else pull(*args),
        rhs=_meant(head, *args),
        kind="definition",
    )


def distance_between_means(name: str, distance: Any) -> Step:
    """What the first argument of "mean_shift" is: ||S^{-1/2} (m1 - m2)||, squared."""
    why = "D = ||S^{-1/2} (m1 - m2)||, squared."
    return Step(name, why, lhs=scalar(gt * Ri * Ri * g), rhs=distance**2, kind="definition")


def is_meaning(step: Step, earlier: tuple[Step, ...]) -> bool:
    """Whether a step that defines a quantity of the language, or an argument of one, says what it means."""
    if step.lhs in DENSITIES:
        return bool(step.rhs == DENSITIES[step.lhs])
    head = str(step.lhs.func)
    if head in _MEANINGS:
        return bool(step.rhs == _meant(head, *step.lhs.args))
    quantities = [one.lhs for one in earlier if one.kind == "definition" and one.lhs is not None]
    shifts = {call.args[0] for call in quantities if str(call.func) == "mean_shift"}
    return bool(step.lhs == scalar(gt * Ri * Ri * g)) and shifts == {sp.sqrt(step.rhs)}
