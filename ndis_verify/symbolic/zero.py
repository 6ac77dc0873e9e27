"""Decide whether a SymPy expression is zero: True, False, or None where neither could be shown.

`True` needs an algebraic normal form that is the literal 0, and no sample point that says otherwise.
`False` needs a sample point inside the declared assumptions where 50-digit arithmetic gives a nonzero value.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.symbolic.integral_values import Unfit, integral_value
from ndis_verify.symbolic.polynomial_zero import vanishes
from ndis_verify.symbolic.shared_decisions import shared

SAMPLE_DIGITS = 50
STABLE = 1e-6
_POINTS = 3
_MANY_POINTS = 100
_ROUNDING = 1e-40  # what is smaller at 50 digits is most likely that of a 0, and is not looked at again
_VISIBLE = 1e-20  # at many points some term may be lost in another one at either precision; what is left is tiny
_MAX_OPERATIONS = 150
_ASSUMPTIONS = ("positive", "nonnegative", "negative", "nonpositive", "integer", "real")


def as_expression(value: Any) -> Any:
    """`value` as a SymPy object: SymPy objects and ints only, so that text is never parsed."""
    if isinstance(value, (sp.Basic, sp.MatrixBase)):
        return value
    if isinstance(value, int):
        return sp.Integer(value)
    raise TypeError(f"{value!r}: must be a SymPy expression or an int")


def is_zero(expression: Any) -> bool | None:
    """Whether `expression` (scalar or explicit matrix) vanishes for all values its symbols are declared to take.

    None means undecided, and undecided never counts as proved. Symbols declared positive are sampled in (0, 1),
    real ones in (-1, 1), integers among small integers of the declared sign.
    """
    if isinstance(expression, sp.MatrixBase):
        return _all(is_zero(entry) for entry in expression)
    expression = as_expression(expression)
    if expression == 0:
        return True
    if expression.has(sp.Determinant, sp.Derivative, sp.Limit, sp.MatrixSymbol, sp.nan, sp.zoo):
        # An unevaluated determinant differentiates to 0 in silence, so nothing that holds one is trusted; nor a limit
        # that `sides` does not take, which SymPy takes for almost all values.
        return None
    return shared(expression, _decided)


@lru_cache(maxsize=4096)
def _decided(expression: sp.Expr) -> bool | None:
    if nonzero_somewhere(expression):
        return False
    if expression.has(sp.Max, sp.Min) and nonzero_somewhere(expression, points=_many_points, least=_VISIBLE):
        return False  # which of several numbers is the largest is one at most points, and slow to write out
    if vanishes(expression):
        return True
    candidates = dict.fromkeys((expression, _arguments(expression)))  # once where they are one
    if any(normal_form(candidate) == 0 for normal_form in _NORMAL_FORMS for candidate in candidates):
        return True
    # Last, because slow; and only where it ends in reasonable time.
    if sp.count_ops(expression) >= _MAX_OPERATIONS:
        return None
    return True if sp.simplify(_without_integrals(expression)) == 0 else None


def _without_integrals(expression: sp.Expr) -> sp.Expr:
    """With a number of the same sign in the place of each integral: SymPy would take it, past poles and to infinity."""
    if not expression.has(sp.Integral, sp.Sum, sp.Product):
        return expression
    return expression.xreplace({one: any_value(one, k) for k, one in enumerate(dict.fromkeys(_outermost(expression)))})


def _outermost(expression: Any) -> Iterator[Any]:
    """The integrals, sums and products that stand in no other one."""
    if isinstance(expression, (sp.Integral, sp.Sum, sp.Product)):
        yield expression
    else:
        for part in expression.args:
            yield from _outermost(part)


def _all(outcomes: Iterable[bool | None]) -> bool | None:
    """False if any is False, None if any is undecided, else True."""
    seen = list(outcomes)
    if any(outcome is False for outcome in seen):
        return False
    return True if all(seen) else None


def _arguments(expression: sp.Expr) -> sp.Expr:
    """Every function's arguments in expanded rational normal form, so that equal values look equal."""

    def tidy(argument: sp.Expr) -> sp.Expr:
        return sp.expand(sp.cancel(sp.together(sp.expand_log(argument))))

    return expression.replace(
        lambda node: isinstance(node, sp.Function) and not isinstance(node, (sp.Max, sp.Min, sp.Piecewise)),
        lambda node: node.func(*(tidy(argument) for argument in node.args)),
    )


def _rational(expression: sp.Expr) -> sp.Expr:
    return sp.cancel(sp.together(sp.powsimp(sp.expand(expression))))


def _absolute(expression: sp.Expr) -> sp.Expr:
    if not expression.has(sp.Max, sp.Min, sp.Abs):
        return expression
    return sp.expand(expression.rewrite(sp.Abs).replace(sp.Abs, lambda inner: sp.Abs(sp.factor(inner))))


_NORMAL_FORMS: tuple[Callable[[sp.Expr], sp.Expr], ...] = (
    sp.expand,
    _absolute,
    _rational,
)


def sample_points(symbols: Iterable[sp.Symbol], count: int = _POINTS) -> list[dict[sp.Symbol, sp.Rational]]:
    """`count` rational points, the same on every run, that respect each symbol's declared assumptions."""
    ordered = sorted(symbols, key=lambda symbol: symbol.name)
    return [{symbol: _sample(symbol, 7 * k + j) for j, symbol in enumerate(ordered)} for k in range(count)]


def _sample(symbol: sp.Symbol, index: int) -> sp.Rational:
    magnitude = sp.Rational((37 * index) % 89 + 7, 101)
    if symbol.is_integer:
        magnitude = sp.Integer(index % 5 + 1)
    if symbol.is_nonpositive:
        return -magnitude
    if symbol.is_nonnegative:
        return magnitude
    return magnitude if index % 2 else -magnitude


def _fixed_points(expression: sp.Expr) -> list[dict[sp.Symbol, sp.Rational]]:
    return sample_points(expression.free_symbols)


def _own_points(expression: sp.Expr, count: int = _POINTS) -> list[dict[sp.Symbol, sp.Rational]]:
    """Points that depend on what the expression is written as, so that none is made to vanish there."""
    drawn = random.Random(str(expression))  # the same on every run
    ordered = sorted(expression.free_symbols, key=lambda symbol: symbol.name)
    return [{symbol: _drawn(symbol, drawn) for symbol in ordered} for _ in range(count)]


def _many_points(expression: sp.Expr) -> list[dict[sp.Symbol, sp.Rational]]:
    return _own_points(expression, _MANY_POINTS)


def _drawn(symbol: sp.Symbol, drawn: random.Random) -> sp.Rational:
    magnitude = sp.Integer(drawn.randint(1, 12)) if symbol.is_integer else sp.Rational(drawn.randint(1, 9972), 9973)
    return -magnitude if symbol.is_nonpositive or not (symbol.is_nonnegative or drawn.getrandbits(1)) else magnitude


def nonzero_somewhere(
    expression: sp.Expr,
    digits: int = SAMPLE_DIGITS,
    points: Callable[[sp.Expr], Iterable[Mapping[sp.Symbol, sp.Rational]]] = _fixed_points,
    least: float = _ROUNDING,
) -> bool:
    """Whether some of its points, by default the sample points, gives a value of that many digits that stays put
    when the precision is doubled, and is of a size above `least`.

    Calls of unknown functions may take any values that their assumptions allow, at different arguments different ones.
    """
    expression = _without_calls(expression)
    if expression is None:
        return False
    if not all(symbol.is_commutative for symbol in expression.free_symbols):
        return False
    for point in points(expression):
        coarse = value_at(expression, point, digits)
        if coarse is None or abs(coarse) <= least:
            continue
        fine = value_at(expression, point, 2 * digits)
        # Rounding noise of an exact zero shrinks with the precision; a nonzero value keeps its leading digits.
        if fine is not None and abs(fine) > least and abs(coarse - fine) < STABLE * abs(fine):
            return True
    return False


def zero_at_points(expression: Any) -> bool | None:
    """Whether an expression, or every entry of a matrix, is 0 at sample points and at points of its own; None
    where it has no value at any, or one that neither stays put nor shrinks at twice the digits, as that of an integral
    which diverges.
    """
    if isinstance(expression, sp.MatrixBase):
        return _all(zero_at_points(entry) for entry in expression)
    if any(nonzero_somewhere(expression, points=points, least=0.0) for points in (_fixed_points, _own_points)):
        return False
    expression = _without_calls(expression)
    points = [] if expression is None else sample_points(expression.free_symbols)
    seen = [shrinks for point in points if (shrinks := _shrinks(expression, point)) is not None]
    return True if seen and all(seen) else None


def _shrinks(expression: sp.Expr, point: Mapping[sp.Symbol, sp.Rational]) -> bool | None:
    """Whether the value at a point is 0 up to what is rounded, less of which is left at twice the digits; None where it
    has no value.
    """
    coarse = value_at(expression, point, SAMPLE_DIGITS)
    if coarse is None or abs(coarse) <= _ROUNDING:
        return None if coarse is None else True
    fine = value_at(expression, point, 2 * SAMPLE_DIGITS)
    return None if fine is None else bool(abs(fine) < STABLE * abs(coarse))


def _without_calls(expression: Any) -> Any:
    """With any values in the place of calls of unknown functions; None where two calls may be one."""
    if not expression.has(AppliedUndef):
        return expression
    expression = _arguments(expression)
    calls = sorted(expression.atoms(AppliedUndef), key=str)
    if not all(_told_apart(*pair) for pair in combinations(calls, 2)):
        return None
    return expression.xreplace({call: any_value(call, k) for k, call in enumerate(calls)})


def _told_apart(call: Any, other: Any) -> bool:
    """Whether two calls are of different functions, or of one at arguments that are seen to differ."""
    if call.func != other.func:
        return True
    return any(isinstance(u - v, sp.Expr) and nonzero_somewhere(u - v) for u, v in zip(call.args, other.args))


def any_value(call: Any, number: int) -> sp.Symbol:
    """A number that a call of an unknown function may be, by what is assumed of it."""
    known = {name: True for name in _ASSUMPTIONS if getattr(call, f"is_{name}")}
    return sp.Dummy(f"call_{number}", **known)


def value_at(expression: sp.Expr, point: Mapping[sp.Symbol, sp.Rational], digits: int) -> Any:
    """The value at a rational point in mpmath's numbers of that many digits, real or complex; None where it has none,
    is not finite, or mpmath has no such function.
    """
    return Values(point, digits).of(expression)


class Values:
    """`value_at` of several expressions at one point; what stands in more than one of them is computed once."""

    def __init__(self, point: Mapping[sp.Symbol, sp.Rational], digits: int) -> None:
        self._digits = digits
        with mpmath.workdps(digits):
            self._known: dict[sp.Expr, Any] = {symbol: _number(value) for symbol, value in point.items()}

    def of(self, expression: sp.Expr) -> Any:
        with mpmath.workdps(self._digits):
            try:
                value = _value(expression, self._known)
            except (
                ArithmeticError,
                MemoryError,
                NameError,
                NotImplementedError,
                TypeError,
                ValueError,
                mpmath.libmp.NoConvergence,
            ):
                return None
            return value if mpmath.isfinite(value) else None


def _number(value: sp.Rational) -> Any:
    return mpmath.mpf(int(value.p)) / int(value.q)


def _value(node: sp.Expr, known: dict[sp.Expr, Any]) -> Any:
    """The value of a node; `known` has those of the symbols, and is given those of all nodes below."""
    if node not in known:
        if node.is_Rational:
            known[node] = _number(node)
        elif node.is_Add:
            known[node] = mpmath.fsum(_value(arg, known) for arg in node.args)
        elif node.is_Mul:
            known[node] = mpmath.fprod(_value(arg, known) for arg in node.args)
        elif node.is_Pow:
            base, exponent = (_value(arg, known) for arg in node.args)
            known[node] = base ** int(node.exp) if node.exp.is_Integer else base**exponent
        elif isinstance(node, sp.exp):
            known[node] = mpmath.exp(_value(node.args[0], known))
        elif isinstance(node, (sp.Function, sp.Max, sp.Min)) and all(isinstance(arg, sp.Expr) for arg in node.args):
            known[node] = mpmath.mpmathify(_head(node.func, len(node.args))(*(_value(arg, known) for arg in node.args)))
        elif isinstance(node, sp.Integral):
            known[node] = _integral(node, known)
        else:
            known[node] = _as_a_whole(node, known)
    return known[node]


def _integral(node: sp.Integral, known: Mapping[sp.Expr, Any]) -> Any:
    try:
        return integral_value(node, known)
    except Unfit:
        return _as_a_whole(node, known)


def _as_a_whole(node: sp.Expr, known: Mapping[sp.Expr, Any]) -> Any:
    """The value of a constant, or of what binds a symbol."""
    symbols, function = _whole(node)
    return mpmath.mpmathify(function(*(known[symbol] for symbol in symbols)))


@lru_cache(maxsize=256)
def _whole(node: sp.Expr) -> tuple[list[sp.Symbol], Callable[..., Any]]:
    """The free symbols of a node, and the node as a function of them in mpmath's arithmetic."""
    symbols = sorted(node.free_symbols, key=lambda symbol: symbol.name)
    return symbols, sp.lambdify(symbols, node, modules="mpmath")


@lru_cache(maxsize=256)
def _head(function: Any, count: int) -> Callable[..., Any]:
    """A function of `count` numbers in mpmath's arithmetic."""
    symbols = [sp.Dummy(f"x_{k}") for k in range(count)]
    return sp.lambdify(symbols, function(*symbols), modules="mpmath")
