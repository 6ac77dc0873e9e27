"""A standard fact as a record: what it says of its letters, under which conditions, and where it is proved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.finite_means import is_over_its_range
from ndis_verify.symbolic.notation import normal_mean, x
from ndis_verify.symbolic.scopes import STEPPED, binders, bound
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.zero import as_expression

Instance = tuple[Any, str, Any]  # left, sign, right
NOTHING: Instance = (sp.Integer(0), ">", sp.Integer(0))  # of letters of which a fact says nothing: no step is this


Continuity = tuple[Any, Any, tuple[Any, ...]]  # a letter, or what is made of letters, of what, ends of its interval


@dataclass(frozen=True)
class Fact:
    """A standard fact. `conditions`: by name, in words; `instance`: letters -> (left, sign, right).

    `required`: condition -> what the step that shows it has to say at the letters; a right side None may be anything.
    `draws`: the letters that are drawn at random, of which no value is put in. `brings`: those of what is said to
    exist, which the fact brings in, and of which no other letter but those of `of_brought` may speak. `apart`: letter
    -> letters, or symbols, of which it may not speak, nor a name in it. `unknown`: letters of which nothing says what
    they are. `where`: condition -> the relation under which alone it has to be shown. `assumed`: condition -> what the
    hypothesis that shows it has as its relation. `ends`: letters that may be infinite. `not_negative`: the letters of
    what is said to exist that are not negative; of no other one a sign is known. `continuous`: letters that have to be,
    or what is made of them, each with the symbol in which, and the ends up to which it has to be. `finite`: condition
    -> the means that have to be finite numbers, by their form or by what the conditions and premises of the step say;
    of those of `or_infinite` it is enough that nothing that the mean is of is negative.
    """

    text: str
    tex: str
    letters: tuple[str, ...]
    conditions: Mapping[str, str]
    reference: str
    instance: Callable[[Mapping[str, Any]], Instance]
    required: Mapping[str, Callable[[Mapping[str, Any]], Instance]] = field(default_factory=dict)
    draws: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()
    of_brought: tuple[str, ...] = ()
    apart: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    where: Mapping[str, Callable[[Mapping[str, Any]], Instance]] = field(default_factory=dict)
    assumed: Mapping[str, Callable[[Mapping[str, Any]], Any]] = field(default_factory=dict)
    ends: tuple[str, ...] = ()
    not_negative: tuple[str, ...] = ()
    continuous: Callable[[Mapping[str, Any]], Sequence[Continuity]] | None = None
    finite: Mapping[str, Callable[[Mapping[str, Any]], tuple[Any, ...]]] = field(default_factory=dict)
    or_infinite: tuple[str, ...] = ()


def _stands_for(symbol: Any, *assumptions: str) -> bool:
    """Whether a symbol stands for every number of which one of these is true: nothing else is assumed of it."""
    return isinstance(symbol, sp.Symbol) and any(
        symbol.assumptions0 == sp.Symbol("any", **{one: True}).assumptions0 for one in assumptions
    )


def on_an_interval(letters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The letters, where the argument goes over all numbers, or all of one sign."""
    if not _stands_for(letters["argument"], "real", "nonnegative", "positive", "nonpositive", "negative"):
        raise InputError(
            "argument", str(letters["argument"]), "must stand for every real number, or for all of one sign"
        )
    return letters


def ends_inside(letters: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The letters, where the ends `names` are limits of values that the argument stands for."""
    argument = letters["argument"]
    for sign, known in (("is_nonnegative", "from 0 on"), ("is_nonpositive", "up to 0")):
        for name in names if getattr(argument, sign) else ():
            if getattr(as_expression(letters[name]), sign) is not True:
                raise InputError(name, str(letters[name]), f"must be known to be {known}, as {argument} is")
    return letters


def without_end(letters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The letters, where the argument goes over all numbers from some one on."""
    if not _stands_for(letters["argument"], "real", "nonnegative", "positive"):
        raise InputError("argument", str(letters["argument"]), "must stand for every number from some one on")
    return letters


def between(letters: Mapping[str, Any], ordered: bool = True) -> Mapping[str, Any]:
    """The letters, where the argument goes over all numbers between `low` and `high`, which are known to be in this
    order or not: what is shown of it is shown of no others. The ends may be those of its domain.
    """
    argument = on_an_interval(letters)["argument"]
    signs = {
        "low": ("nonnegative",) if argument.is_nonnegative else (),
        "high": ("nonpositive",) if argument.is_nonpositive else (),
    }
    for name, own in signs.items():
        for one in ("real", *(own if ordered else (*signs["low"], *signs["high"]))):
            if getattr(as_expression(letters[name]), f"is_{one}") is not True:
                raise InputError(name, str(letters[name]), f"must be {one}, as {argument} is")
    return letters


def from_zero_on(letters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The letters, where the argument goes over numbers from 0 on alone, and over all of the positive ones."""
    if not _stands_for(letters["argument"], "nonnegative", "positive"):
        raise InputError("argument", str(letters["argument"]), "must stand for every number from 0 on")
    return letters


def undrawn(letters: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The letters, of which `names` do not speak of the standard normal vector that is drawn, under neither of its
    names; f may be a function of an argument called so.
    """
    drawn = bound(normal_mean(x))
    for name in names:
        own = {letters.get("argument")} if name == "f" else set()
        if spoken := drawn & (as_expression(letters[name]).free_symbols - own):
            raise InputError(name, str(letters[name]), f"must not speak of {min(spoken, key=str)}, which is drawn")
    return letters


def by_coordinates(letters: Mapping[str, Any], name: str) -> Any:
    """A letter that is a function of the coordinates of the point x, one by one, and of x in no other way."""
    f = as_expression(letters[name])
    place = quantity("coordinate", x)
    if f.xreplace({place: sp.Dummy(real=True)}).has(x):
        raise InputError(name, str(f), f"must speak of {x} by its coordinates alone")
    return of_no_other_point(letters, name)


def of_no_other_point(letters: Mapping[str, Any], name: str) -> Any:
    """A letter in which nothing goes over the point x, in whose place another one is put."""
    if over := [node for node in binders(as_expression(letters[name])) if x in bound(node)]:
        raise InputError(name, str(letters[name]), f"must not be of {over[0]}, which goes over {x}")
    return letters[name]


def smooth(name: str = "f", *ends: Any) -> Callable[[Mapping[str, Any]], Sequence[Continuity]]:
    """That a letter is continuous in the argument, also at the ends, letters or numbers, of where it is looked at."""
    return lambda a: [(name, a["argument"], tuple(a[end] if isinstance(end, str) else end for end in ends))]


# Of sums without end, limits and integrals it is not asked whether they jump.
JUMPING = (*STEPPED, sp.Sum, sp.Product, sp.Limit, sp.Integral)
_CONSTANTS = ("columns", "multigamma", "projection")  # functions whose values are the same at every point and draw
_MEANS = ("average", "normal_mean", "over", "over_definite", "sum", "summed", "total")
_ASKED: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_ANY = sp.Symbol("f_of_a_mean", real=True)  # of any sign: what a mean is of it, it is of every function


def averaged(mean: Any, f: Any) -> Any:
    """`mean(f)`, where `mean` is a sum, an integral or an expectation: linear, and not negative of what is not."""
    found = mean_of_any(mean)
    _has_end(found, f)
    return found.xreplace({_ANY: f})


def mean_of_any(mean: Any) -> Any:
    """The sum, the integral or the expectation that `mean` is, of a number of which no more is known: asked once."""
    if mean not in _ASKED:
        _ASKED[mean] = _mean_of_any(mean)
    return _ASKED[mean]


def _mean_of_any(mean: Any) -> Any:
    found = mean(_ANY)
    rest: tuple[Any, ...] = ()
    if isinstance(found, sp.Integral):
        weight = found.function / _ANY
        known = weight.is_nonnegative and all(high == sp.oo for _, _, high in found.limits)
        known, rest = known and is_over_its_range(found), (weight, *found.limits)
    else:
        known = isinstance(found, AppliedUndef) and str(found.func) in _MEANS and found.args[-1] == _ANY
        rest = found.args[:-1] if known else ()
    if not known or any(part.has(_ANY) for part in rest):
        raise InputError("mean", str(found), "must be a sum, an integral or an expectation")
    return found


def _has_end(mean: Any, f: Any) -> None:
    """Refuses what has no integral over the whole line, or beyond a number: a polynomial that is not 0."""
    line = x if isinstance(mean, AppliedUndef) and str(mean.func) == "total" else None
    place = mean.variables[0] if isinstance(mean, sp.Integral) else line
    f = as_expression(f)
    if place is not None and f != 0 and f.is_polynomial(place):
        raise InputError("f", str(f), "has no integral to infinity")


def of_the_point(letters: Mapping[str, Any], name: str) -> Any:
    """A letter that is a function of the point x, one at every point: nothing in it goes over x."""
    f = letters[name]
    if not isinstance(f, sp.Lambda) or len(f.variables) != 1 or x in f.free_symbols:
        raise InputError(name, str(f), f"must be a Lambda, of the point {x} alone")
    of_no_other_point({name: f(x)}, name)
    return f


def linear(mean: Any, terms: Any) -> Instance:
    """The mean of the sum of the terms c f, and the sum of c times the mean of f: no c changes from point to point."""
    pairs = [(as_expression(c), as_expression(f)) for c, f in terms]
    places = {x} | {variable for variable, *_ in getattr(mean_of_any(mean), "limits", ())}
    for _, f in pairs:
        places |= {call.args[0] for call in _changing(f) if len(call.args) == 1 and call.args[0].is_Symbol}
    for c, _ in pairs:
        if _changing(c) or c.free_symbols & places:
            raise InputError("terms", str(c), "must be a number, the same at every point")
    return averaged(mean, sp.Add(*(c * f for c, f in pairs))), "=", sp.Add(*(c * averaged(mean, f) for c, f in pairs))


def without_jumps(f: Any, name: str = "g") -> Any:
    """f, a letter or what is made of it, in which nothing stands that jumps: a slope says nothing of a jump."""
    f = as_expression(f)
    if jumps := f.atoms(*JUMPING):
        raise InputError(name, str(min(jumps, key=str)), "may jump")
    return f


def constant(letters: Mapping[str, Any], name: str) -> Any:
    """A letter that is a number, the same at every point."""
    value = as_expression(letters[name])
    if x in value.free_symbols or _changing(value):
        raise InputError(name, str(value), "must be a number, the same at every point")
    return value


def on_the_line(letters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The letters, where the argument goes over all real numbers, or all from 0 on."""
    argument = letters["argument"]
    if not _stands_for(argument, "real", "nonnegative"):
        raise InputError("argument", str(argument), "must stand for every real number, or for every one from 0 on")
    return letters


def whole(symbol: Any) -> Any:
    """What is known to be a whole number."""
    if not as_expression(symbol).is_integer:
        raise InputError("letter", str(symbol), "must be a whole number")
    return symbol


def above_0(*names: str) -> dict[str, Callable[[Mapping[str, Any]], Instance]]:
    """That letters are positive, each under its own name: what a fact requires."""

    def positive(name: str) -> Callable[[Mapping[str, Any]], Instance]:
        return lambda a: (a[name], ">", sp.Integer(0))

    return {name: positive(name) for name in names}


def any_real(symbol: Any) -> Any:
    """A symbol that stands for every real number."""
    if not _stands_for(symbol, "real"):
        raise InputError("letter", str(symbol), "must stand for every real number")
    return symbol


def of_one_point(f: Any) -> bool:
    """Whether f speaks of one coordinate, or of the point x, and of no sum over all of them."""
    if not isinstance(f, sp.Basic):
        return False
    rest = f.xreplace({call: sp.Dummy() for call in f.atoms(AppliedUndef) if str(call.func) in _MEANS})
    return x in rest.free_symbols or any(str(call.func) == "coordinate" for call in rest.atoms(AppliedUndef))


def _changing(f: Any) -> set[Any]:
    """The calls in f of functions that are not the same at every point and draw."""
    return {call for call in f.atoms(AppliedUndef) if str(call.func) not in _CONSTANTS}
