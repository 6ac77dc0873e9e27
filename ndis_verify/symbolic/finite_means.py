"""Whether a sum, an integral or an expectation is a finite number, by the form of what it is taken of.

What the form does not show has to be said by a step: that the mean of what it is made of is a number or, of what is not
negative, at most one, or what it does not exceed. Functions are measurable wherever they are spoken of: none is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.symbolic.bounded_forms import Bounds, Relation, bounds
from ndis_verify.symbolic.integrable_forms import falls_fast_enough, is_explicit
from ndis_verify.symbolic.normal_coordinates import entry
from ndis_verify.symbolic.notation import x
from ndis_verify.symbolic.scopes import bound, speaks
from ndis_verify.symbolic.sides import opened
from ndis_verify.symbolic.unknowns import equal
from ndis_verify.symbolic.zero import as_expression

FINITE_SUMS = ("sum", "summed")  # over the coordinates of a vector, and over the bins, of which there are finitely many
_OVER_ALL = ("total", "over", "where")  # integrals over the space, over one bin and over a set
_MEANS = ("average", "normal_mean", "over_definite", *_OVER_ALL, *FINITE_SUMS)
_OVER_SETS = ("largest", "largest_union", "over_set", "over_matrices", "over_envelope", "supremum", "sup", "inf")
_OVER_BINS = ("largest_union", "over_set")  # of the finitely many bins, too
_MAY_BE_INFINITE = {*_MEANS, *_OVER_SETS} - set(FINITE_SUMS)
_NO_NUMBERS = (sp.oo, -sp.oo, sp.zoo, sp.nan)
_TURNED = {"=": "=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
_KEPT = ("coordinate", "product", "columns", "multigamma", *FINITE_SUMS)  # numbers where their arguments are


@dataclass(frozen=True)
class Known:
    """`relations`: what steps say, left side, sign and right side. `drawn`: what facts say to be drawn, and what is
    made of it. `names`: what definitions say that names stand for.
    """

    relations: tuple[Relation, ...] = ()
    drawn: frozenset[Any] = field(default_factory=frozenset)
    names: Mapping[Any, Any] = field(default_factory=dict)


def is_finite(mean: Any, known: Known) -> bool:
    """Whether a mean, or an integral over a set, is a finite number."""
    mean = _from_known_ends(mean, known)
    if _head(mean) not in ("Integral", *_MEANS) or not is_over_its_range(mean):
        return False
    if _head(mean) in FINITE_SUMS:
        return True
    fixed = known.drawn | _places(mean) | {x}
    positive = (one for one, sign, other in known.relations if (sign, other) == (">", 0) and _is_held(one, fixed))
    signs = {one: sp.Dummy(positive=True) for one in positive}
    relations = tuple((a.xreplace(signs), sign, b.xreplace(signs)) for a, sign, b in known.relations)
    return _finite(as_expression(opened(mean)).xreplace(signs), replace(known, relations=relations))


def _from_known_ends(mean: Any, known: Known) -> Any:
    """An integral from a number on that is said not to be negative."""
    if not isinstance(mean, sp.Integral) or _head(mean) != "Integral":
        return mean
    variable, low, high = mean.limits[0]
    said = any(sign in (">", ">=") and other == 0 and equal(one, low) for one, sign, other in known.relations)
    return sp.Integral(mean.function, (variable, sp.Dummy(nonnegative=True), high)) if said else mean


def _is_held(one: Any, places: frozenset[Any]) -> bool:
    """Whether it is a number, or a coordinate of a vector of numbers, that no mean goes over."""
    number = one.args[0] if isinstance(one, AppliedUndef) and str(one.func) == "coordinate" else one
    return isinstance(number, sp.Symbol) and number.is_commutative and number not in places


def is_over_its_range(mean: Any) -> bool:
    """Whether what is assumed of the variables of an integral is true of their ranges."""
    return not isinstance(mean, sp.Integral) or all(
        (variable.is_nonnegative is not True or low.is_nonnegative)
        and (variable.is_nonpositive is not True or high.is_nonpositive)
        and not variable.is_integer
        for variable, low, high in mean.limits
    )


def is_extended(mean: Any) -> bool:
    """Whether a mean is that of what is not negative: it is a number or infinite, and in no case without a value."""
    return isinstance(mean, AppliedUndef) and _head(mean) in _MEANS and not_negative(_integrand(mean))


def not_negative(f: Any) -> bool:
    """Whether f is nowhere negative: by what SymPy knows of it, or as it is a mean of such."""
    if f.is_nonnegative:
        return True
    if isinstance(f, (sp.Add, sp.Mul)):
        return all(map(not_negative, f.args))
    return _head(f) in ("Integral", *_MEANS) and not_negative(_integrand(f))


def outermost(side: Any) -> Iterator[Any]:
    """The means, integrals, suprema and sums that may be infinite in an expression, but those that stand in others."""
    if isinstance(side, (sp.Integral, sp.Sum, sp.Product)) or _head(side) in _MAY_BE_INFINITE - {*_OVER_BINS}:
        yield side
    else:
        for part in side.args if isinstance(side, sp.Basic) else side:
            yield from outermost(part)


def changes(f: Any, mean: Any, known: Known) -> bool:
    """Whether f is not the same at every point that a mean goes over."""
    places = _places(mean)
    if places & f.free_symbols or places & f.atoms(AppliedUndef):
        return True
    if _head(mean) != "average":
        return any(not _is_number(call) for call in _calls(f) if x in call.free_symbols)
    return bool(known.drawn & f.atoms(sp.Symbol, AppliedUndef)) or not all(map(_is_number, _calls(f)))


def _calls(f: Any) -> set[Any]:
    return set(f.atoms(AppliedUndef))


def _is_number(call: Any) -> bool:
    return str(call.func) in _KEPT


def _head(mean: Any) -> str:
    if isinstance(mean, sp.Integral):
        return "Integral" if len(mean.limits) == 1 and len(mean.limits[0]) == 3 else ""
    return str(mean.func) if isinstance(mean, AppliedUndef) else ""


def _integrand(mean: Any) -> Any:
    return mean.function if isinstance(mean, sp.Integral) else mean.args[0 if _head(mean) == "where" else -1]


def _places(mean: Any) -> frozenset[Any]:
    return frozenset(mean.variables) if isinstance(mean, sp.Integral) else bound(mean)


def _like(mean: Any, f: Any) -> Any:
    """The same mean of another function."""
    if isinstance(mean, sp.Integral):
        return sp.Integral(f, *mean.limits)
    if _head(mean) == "where":
        return mean.func(f, mean.args[1])
    return mean.func(*mean.args[:-1], f)


def _finite(mean: Any, known: Known) -> bool:
    """Of a mean without what is held unevaluated: it is said to be a number, or every term that its integrand does not
    exceed has a finite mean.
    """
    if _is_said(mean, known):
        return True
    return all(_of_term(term, mean, known) for term in _terms(_integrand(mean)))


def _terms(f: Any) -> Iterator[Any]:
    """Products whose sum, each with its size, |f| does not exceed."""
    if f == 0:
        return
    if isinstance(f, sp.Max) and sp.Integer(0) in f.args:  # of what is not positive, nothing is left
        above = [sp.expand(arg) for arg in f.args if arg != 0]
        positive = [t for arg in above for t in sp.Add.make_args(arg) if t.is_nonpositive is not True]
        yield from (part for term in positive for part in _terms(term))
    elif isinstance(f, (sp.Add, sp.Max, sp.Abs)) or (isinstance(f, sp.Min) and f.is_nonnegative is not True):
        yield from (part for arg in f.args for part in _terms(arg))
    elif isinstance(f, sp.Piecewise):
        yield from (part for arg, _ in f.args for part in _terms(arg))
    elif isinstance(f, sp.Mul):
        yield from (sp.Mul(*parts) for parts in product(*(list(_terms(arg)) for arg in f.args)))
    elif isinstance(f, sp.Pow) and f.exp.is_Integer and f.exp > 1 and isinstance(f.base, (sp.Add, sp.Max, sp.Abs)):
        yield from _terms(sp.expand(f) if isinstance(f.base, sp.Add) else sp.Mul(*[f.base] * f.exp, evaluate=False))
    else:
        yield f


def _of_term(term: Any, mean: Any, known: Known) -> bool:
    """Whether a product has a finite mean."""
    limits = Bounds(lambda f: changes(f, mean, known), known.relations)
    factors = [one for one in sp.Mul.make_args(term) if changes(one, mean, known)]
    if _has_finite_measure(mean) and both(bounds(sp.Mul(*factors), limits)):
        return True
    for k, one in enumerate(factors):
        if all(both(bounds(other, limits)) for n, other in enumerate(factors) if n != k):
            if _is_said(_like(mean, one), known) or _of_sum(one, mean, known):
                return True
        if isinstance(one, sp.Min) and one.is_nonnegative:
            rest = sp.Mul(*factors[:k], *factors[k + 1 :])
            return any(_finite(_like(mean, rest * smaller), known) for smaller in one.args)
    return _is_said(_like(mean, sp.Mul(*factors)), known) or _by_form(factors, mean, limits)


def both(ends: tuple[bool, bool]) -> bool:
    return all(ends)


def _has_finite_measure(mean: Any) -> bool:
    if isinstance(mean, sp.Integral):
        _, low, high = mean.limits[0]
        return bool(low.is_finite and high.is_finite)
    return _head(mean) in ("average", "normal_mean")


def _of_sum(f: Any, mean: Any, known: Known) -> bool:
    """Of a finite sum, whose mean is the sum of theirs."""
    return _head(f) in FINITE_SUMS and _head(mean) not in FINITE_SUMS and _finite(_like(mean, f.args[-1]), known)


def _by_form(factors: list[Any], mean: Any, limits: Bounds) -> bool:
    if isinstance(mean, sp.Integral):
        variable, low, high = mean.limits[0]
    elif _head(mean) in _OVER_ALL:
        if _falls_in_every_coordinate(factors):
            return True
        variable, low, high = x, -sp.oo, sp.oo
    else:
        return False
    shown = [one for one in factors if is_explicit(one, variable)]
    if not all(both(bounds(one, limits)) for one in factors if one not in shown):
        return False
    return falls_fast_enough(shown, variable, low, high)


def _falls_in_every_coordinate(factors: list[Any]) -> bool:
    """Whether it is the exponential of a sum over the coordinates of the point: of -a x_i^2 and less, a > 0."""
    if len(factors) != 1 or not isinstance(factors[0], sp.exp):
        return False
    at, place = entry(x), sp.Dummy(real=True)
    sums = [one for one in sp.Add.make_args(factors[0].args[0]) if one.has(x)]
    if len(sums) != 1 or _head(sums[0]) != "sum":
        return False
    exponent = sp.expand(sums[0].args[-1]).subs(at, place)
    return not exponent.has(x) and falls_fast_enough([sp.exp(exponent)], place, -sp.oo, sp.oo)


def _is_said(mean: Any, known: Known) -> bool:
    """Whether a step says that the mean is a number or, of what is not negative, at most one; an integral over a set is
    part of that over the space.
    """
    whole = [mean]
    if _head(mean) in ("over", "where"):
        whole.append(sp.Function("total", real=True)(_integrand(mean)))
    signs = ("=", "<=", "<") if _integrand(mean).is_nonnegative else () if isinstance(mean, sp.Integral) else ("=",)
    for left, sign, right in known.relations:
        for one, order, other in ((left, sign, right), (right, _TURNED[sign], left)):
            if order in signs and is_value(other, known):
                if any(_head(one) == _head(wanted) and equal(one, wanted) for wanted in whole):
                    return True
    return False


def is_value(side: Any, known: Known) -> bool:
    """Whether a side of a step is a number that nothing is taken of."""
    side = as_expression(side)
    if isinstance(side, sp.MatrixBase) or side.has(sp.Integral, sp.Sum, sp.Product, sp.Limit, *_NO_NUMBERS):
        return False
    if any(str(call.func) in _MAY_BE_INFINITE for call in _calls(side)):
        return False
    meant = [meaning for name, meaning in known.names.items() if speaks(side, name)]
    return all(is_value(meaning, known) for meaning in meant)
