"""The value of an integral over one variable, by the double exponential rule with its integrand in FLINT's balls.

The rule is the one of `mpmath.quad`: the same nodes, the same doubling of their number until its estimate of the error
is below the precision, or their greatest number is reached. Only the arithmetic is another one, twenty times as fast,
and what it rounds is known at the end: where that is more than the precision allows, or a node has no value, or the
integrand has another function than those in `_FUNCTIONS`, nothing is said (`Unfit`), and mpmath has to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import log2
from typing import Any

import flint
import mpmath
import sympy as sp

Ball = Any  # flint.arb
_GUARD = 20  # bits beyond those that are asked for, as in mpmath
_LOST = 10  # of them, what rounding may take
_FUNCTIONS: dict[Any, Callable[..., Ball]] = {
    sp.exp: flint.arb.exp,
    sp.log: flint.arb.log,
    sp.erf: flint.arb.erf,
    sp.erfc: flint.arb.erfc,
    sp.gamma: flint.arb.gamma,
    sp.sin: flint.arb.sin,
    sp.cos: flint.arb.cos,
    sp.sinh: flint.arb.sinh,
    sp.cosh: flint.arb.cosh,
    sp.tanh: flint.arb.tanh,
    sp.Abs: abs,
    sp.Max: lambda *numbers: _folded(flint.arb.max, numbers),
    sp.Min: lambda *numbers: _folded(flint.arb.min, numbers),
}


class Unfit(Exception):
    """No value that the rule is sure to have as mpmath would."""


def integral_value(integral: sp.Integral, known: Mapping[sp.Expr, Any]) -> Any:
    """The value in mpmath's number at its precision, symbols as in `known`; raises `Unfit`."""
    precision = mpmath.mp.prec
    with flint.ctx.workprec(precision + _GUARD):
        integrand, ends = _prepared(integral, known)
        value = _summed(integrand, *ends, precision)
    return +value


class _Program:
    """An expression as a list of operations on a list of numbers: the symbols first, then each part once.

    The parts without `variable` are computed once for all of its values.
    """

    def __init__(self, expression: sp.Expr, variable: sp.Symbol | None, known: Mapping[sp.Expr, Any]):
        self.places: dict[sp.Expr, int] = {}
        self.values: list[Ball] = []
        self.steps: list[tuple[int, Callable[..., Ball], list[int]]] = []
        self.variable, self.known = variable, known
        if variable is not None:
            self.places[variable] = 0
            self.values.append(None)
        self.result = self._place(expression)

    def __call__(self, value: Ball) -> Ball:
        values = self.values
        values[0] = value
        for place, function, arguments in self.steps:
            values[place] = function(*[values[argument] for argument in arguments])
        return values[self.result]

    def _place(self, node: sp.Expr) -> int:
        if node in self.places:
            return self.places[node]
        if node.is_Rational:
            return self._put(node, flint.arb(int(node.p)) / int(node.q))
        if node.is_Symbol:
            if node not in self.known or not isinstance(self.known[node], mpmath.mpf):
                raise Unfit
            return self._put(node, flint.arb(self.known[node]))
        if node is sp.pi:
            return self._put(node, flint.arb.pi())
        function, below = _function(node)
        arguments = [self._place(argument) for argument in below]
        if self.variable is None or not node.has_free(self.variable):
            return self._put(node, function(*[self.values[argument] for argument in arguments]))
        place = self._put(node, None)
        self.steps.append((place, function, arguments))
        return place

    def _put(self, node: sp.Expr, value: Ball) -> int:
        self.places[node] = len(self.values)
        self.values.append(value)
        return self.places[node]


def _function(node: sp.Expr) -> tuple[Callable[..., Ball], tuple[sp.Expr, ...]]:
    """What a node does, and with the values of which expressions."""
    if node.is_Add:
        return (lambda *numbers: sum(numbers[1:], numbers[0])), node.args
    if node.is_Mul:
        return (lambda *numbers: _folded(flint.arb.__mul__, numbers)), _one_exponential(node.args)
    if node.is_Pow and node.exp.is_Integer:
        exponent = int(node.exp)
        return (lambda base: base**exponent), (node.base,)
    if node.is_Pow:
        return (flint.arb.sqrt, (node.base,)) if node.exp is sp.S.Half else (flint.arb.__pow__, node.args)
    if node.func in _FUNCTIONS:
        return _FUNCTIONS[node.func], node.args
    raise Unfit


def _one_exponential(factors: tuple[sp.Expr, ...]) -> tuple[sp.Expr, ...]:
    """The factors with one exponential of a sum in the place of several: far out one of them has no finite ball."""
    exponentials = [factor for factor in factors if isinstance(factor, sp.exp)]
    if len(exponentials) < 2:
        return factors
    whole = sp.exp(sp.Add(*(factor.args[0] for factor in exponentials)))
    return (*(factor for factor in factors if not isinstance(factor, sp.exp)), whole)


def _folded(function: Callable[[Ball, Ball], Ball], numbers: tuple[Ball, ...]) -> Ball:
    found = numbers[0]
    for number in numbers[1:]:
        found = function(found, number)
    return found


def _prepared(
    integral: sp.Integral, known: Mapping[sp.Expr, Any]
) -> tuple[Callable[[Ball], Ball], tuple[Ball | None, Ball | None]]:
    """The integrand, and the ends of the interval, None where it is without end."""
    if len(integral.limits) != 1 or len(integral.limits[0]) != 3:
        raise Unfit
    variable, lower, upper = integral.limits[0]
    if lower is sp.oo or upper is -sp.oo:
        raise Unfit
    ends = [None if end in (sp.oo, -sp.oo) else _constant(end, known) for end in (lower, upper)]
    return _Program(integral.function, variable, known), (ends[0], ends[1])


def _constant(expression: sp.Expr, known: Mapping[sp.Expr, Any]) -> Ball:
    program = _Program(expression, None, known)
    return program.values[program.result]


def _summed(integrand: Callable[[Ball], Ball], lower: Ball | None, upper: Ball | None, precision: int) -> Any:
    """The integral from `lower` to `upper`, with twice the nodes until the estimated error is small enough."""
    if lower is None and upper is None:
        return _summed(lambda x: integrand(x) + integrand(-x), flint.arb(0), None, precision)
    if lower is not None and upper is not None and lower == upper:
        return mpmath.mpf(0)
    total = size = flint.arb(0)
    results: list[Any] = []
    for degree in range(1, int(4 + max(0.0, log2(precision / 30))) + 3):
        for x, weight in _nodes(lower, upper, degree, precision):
            term = weight * integrand(x)
            total += term
            size += abs(term)
        step = mpmath.ldexp(1, -degree)
        results.append(step * _number(total, size, precision))
        if degree > 1 and _error(results, precision) <= mpmath.mp.eps / 8:
            break
    return results[-1]


def _number(total: Ball, size: Ball, precision: int) -> Any:
    """The middle of a sum whose terms have the sum `size` of their absolute values; refused where it is not sure."""
    if not total.is_finite() or not total.rad() <= size * flint.arb(2) ** (_LOST - precision):
        raise Unfit
    mantissa, exponent = total.mid().man_exp()
    return mpmath.ldexp(mpmath.mpf(int(mantissa)), int(exponent))


def _error(results: list[Any], precision: int) -> Any:
    """The error of the last of several results with twice the nodes each, as `mpmath.quad` estimates it."""
    last = abs(results[-1] - results[-2])
    if len(results) == 2:
        return last
    before = abs(results[-1] - results[-3])
    if last == 0 or before == 0:
        return mpmath.mpf(0) if last == before == 0 else mpmath.mp.eps / 8
    first, second = mpmath.log10(last), mpmath.log10(before)
    digits = max(2 * first, -precision, first**2 / second if second else -precision)
    return mpmath.mpf(10) ** int(min(0, digits))


def _nodes(lower: Ball | None, upper: Ball | None, degree: int, precision: int) -> list[tuple[Ball, Ball]]:
    """The nodes that a degree adds on an interval, with their weights."""
    if lower is None:
        return [(upper - x, weight) for x, weight in _nodes_without_end(degree, precision)]
    if upper is None:
        return [(lower + x, weight) for x, weight in _nodes_without_end(degree, precision)]
    half, middle = (upper - lower) / 2, (upper + lower) / 2
    found = []
    for gap, weight in _gaps(degree, precision):
        weight, width = weight * half, gap * half
        found += [(upper - width, weight), (lower + width, weight)] if gap < 1 else [(middle, weight)]
    return found


@lru_cache(maxsize=64)
def _nodes_without_end(degree: int, precision: int) -> tuple[tuple[Ball, Ball], ...]:
    """(1 - x)/(1 + x) at the nodes x of (-1, 1), from 0 to infinity, with the weights of that variable."""
    found = []
    for gap, weight in _gaps(degree, precision):
        other = 2 - gap
        found += [
            (below / above, weight * 2 / above**2)
            for below, above in [(gap, other), (other, gap)][: 2 if gap < 1 else 1]
        ]
    return tuple(found)


@lru_cache(maxsize=64)
def _gaps(degree: int, precision: int) -> tuple[tuple[Ball, Ball], ...]:
    """1 - x of the nodes x = tanh(pi/2 sinh t) >= 0 that a degree adds, and their weights; -x is a node beside each x.

    A gap of 1 is the middle. `precision`: the nodes end where the gap is below its 2^-10; the numbers have the guard.
    """
    found = [(flint.arb(1), flint.arb.pi() / 2)] if degree == 1 else []
    step = flint.arb(2) ** (-degree)
    t, apart = step, step if degree == 1 else 2 * step
    least = flint.arb(2) ** (-precision - 10)
    while True:
        e = (flint.arb.pi() / 2 * t.sinh()).exp()
        gap = 2 / (e * e + 1)
        if gap <= least:
            return tuple(found)
        found.append((gap, flint.arb.pi() / 2 * t.cosh() * 4 / (e + 1 / e) ** 2))
        t += apart
