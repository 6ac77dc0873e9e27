"""Whether an expression vanishes as a quotient of polynomials in its symbols, its powers, exponentials and logarithms,
and the values of other functions, each of which is an unknown of its own.

What is used: `b^(x + y) = b^x b^y`, `b^(c/q)` the c-th power of `b^(1/q)`, for positive p `(p b)^x = p^x b^x`,
`log(p b) = log p + log b`, `log(p^x) = x log p` for real x, `exp(x log b) = b^x`, and that a function has one value
at equal arguments. These hold wherever both sides have a value: a quotient that is 0 in these unknowns is 0. One that
is not may be 0 all the same, as no other relation between the unknowns is looked at. The arithmetic is FLINT's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache, reduce
from math import comb, lcm
from typing import Any, Protocol

import flint
import sympy as sp

Quotient = tuple[Any, Any]  # two polynomials
Key = tuple[
    sp.Expr, Any
]  # a base, and what its exponent is a rational multiple of: 1, or a monomial over a denominator
_MOST = 40  # unknowns
_TERMS = 2_000  # of a polynomial
_ONE = sp.Integer(1)
_NO_NUMBERS = (sp.I, sp.nan, sp.zoo, sp.oo, -sp.oo)


class Unfit(Exception):
    """No quotient of polynomials, or too large a one."""


class _Algebra(Protocol):
    """What a walk over an expression needs."""

    def number(self, value: sp.Rational, /) -> Any: ...

    def plus(self, one: Any, other: Any, /) -> Any: ...

    def times(self, one: Any, other: Any, /) -> Any: ...

    def power(self, base: Any, exponent: int, /) -> Any: ...

    def value(self, node: sp.Expr, /) -> Any: ...

    def raised(self, base: sp.Expr, exponent: sp.Expr, /) -> Any: ...


@lru_cache(maxsize=4096)
def vanishes(expression: sp.Expr) -> bool:
    """Whether the expression is 0 in these unknowns; False says nothing."""
    try:
        ring, (value,) = quotients([expression])
        return bool(ring.reduced(value[0]).is_zero())
    except (Unfit, ZeroDivisionError, sp.PolynomialError):
        return False


def quotients(expressions: Iterable[sp.Expr]) -> tuple[_Polynomials, list[Quotient]]:
    """The expressions over one ring."""
    seen = _Unknowns()
    expressions = list(expressions)
    for expression in expressions:
        _walk(expression, seen)
    seen.split_exponents()
    ring = _Polynomials(seen)
    return ring, [_walk(expression, ring) for expression in expressions]


def _walk(node: sp.Expr, algebra: _Algebra) -> Any:
    """The value of a node in an algebra."""
    if isinstance(node, sp.UnevaluatedExpr):
        return _walk(node.args[0], algebra)
    if not isinstance(node, sp.Expr) or node.is_Float or node in _NO_NUMBERS:
        raise Unfit
    if node.is_Rational:
        return algebra.number(node)
    if node.is_Add or node.is_Mul:
        return reduce(algebra.plus if node.is_Add else algebra.times, [_walk(arg, algebra) for arg in node.args])
    if node.is_Pow and node.exp.is_Integer:
        return algebra.power(_walk(node.base, algebra), int(node.exp))
    if node.is_Pow or isinstance(node, sp.exp):
        return reduce(algebra.times, [algebra.raised(*part) for part in _powers(node)], algebra.number(_ONE))
    if not node.is_commutative:
        raise Unfit
    if isinstance(node, sp.log):
        logs = [algebra.times(_walk(n, algebra), _log(one, algebra)) for one, n in _factors(node.args[0])]
        return reduce(algebra.plus, logs, algebra.number(sp.Integer(0)))
    return algebra.value(node)


def _log(base: sp.Expr, algebra: _Algebra) -> Any:
    return algebra.number(_ONE) if base is sp.E else algebra.value(sp.log(base, evaluate=False))


@lru_cache(maxsize=4096)
def _powers(node: sp.Expr) -> tuple[tuple[sp.Expr, sp.Expr], ...]:
    """(base, exponent) of powers whose product is `node`, a power or an exponential."""
    base, exponent = (sp.E, node.args[0]) if isinstance(node, sp.exp) else node.args
    if isinstance(base, sp.UnevaluatedExpr):
        base = base.args[0]
    if base is sp.E:
        found, plain = [], []
        for term in sp.Add.make_args(sp.expand(sp.expand_log(exponent))):
            log = next((f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)), None)
            if log is None:
                plain.append(term)
            else:
                found += [(one, n * term / log) for one, n in _factors(log.args[0])]
        return (*found, (sp.E, sp.Add(*plain)))
    return tuple((one, n * exponent) for one, n in _factors(base))


@lru_cache(maxsize=4096)
def _factors(base: sp.Expr) -> tuple[tuple[sp.Expr, sp.Expr], ...]:
    """(base, real exponent) of powers whose product it is: of positive numbers, and of what is left, to the first."""
    if base is sp.E or base.is_Symbol:
        return ((base, _ONE),)
    found: list[tuple[sp.Expr, sp.Expr]] = []
    left = []
    for factor in sp.Mul.make_args(sp.factor(sp.together(base))):
        one, n = (sp.E, factor.args[0]) if isinstance(factor, sp.exp) else factor.as_base_exp()
        if factor.is_Rational and factor.is_positive:
            parts = sp.factorrat(factor) if max(factor.p, factor.q) < 10**12 else {factor: 1}
            found += [(factor if one is factor else sp.Integer(one), sp.Integer(n)) for one, n in parts.items()]
        elif one.is_positive and n.is_real:
            found.append((one, n))
        else:
            left.append(factor)
    if left:
        content, rest = sp.Mul(*left).as_content_primitive()
        found += [(sp.Integer(one), sp.Integer(n)) for one, n in sp.factorrat(content).items()]
        found.append((rest, _ONE))
    return tuple(found)


class _Unknowns:
    """The algebra in which a walk only collects the unknowns, with the denominators of their exponents."""

    def __init__(self) -> None:
        self.denominators: dict[Key, int] = {}
        self.calls: dict[Any, list[sp.Expr]] = defaultdict(list)
        self.exponents: dict[sp.Expr, dict[sp.Expr, None]] = defaultdict(dict)  # of each base, apart from numbers
        self.parts: dict[tuple[sp.Expr, sp.Expr], list[tuple[Any, sp.Rational]]] = {}

    def number(self, value: sp.Rational) -> None: ...

    def plus(self, one: None, other: None) -> None: ...

    def times(self, one: None, other: None) -> None: ...

    def power(self, base: None, exponent: int) -> None: ...

    def value(self, node: sp.Expr) -> None:
        self._count((self.known(node), _ONE), 1)

    def raised(self, base: sp.Expr, exponent: sp.Expr) -> None:
        number, rest = _number_apart(exponent)
        base = self.known(base)
        if number != 0:
            if not _is_plain(base):
                _walk(base, self)
            if number.q > 1 or _is_plain(base):
                self._count((base, _ONE), int(number.q))
        if rest != 0:
            self.exponents[base][rest] = None

    def _count(self, key: Key, denominator: int) -> None:
        self.denominators[key] = lcm(self.denominators.get(key, 1), denominator)

    def known(self, node: sp.Expr) -> sp.Expr:
        """What was seen before and is equal: the call of a function, or a composed base of a power; or the node."""
        if node.is_Symbol or node.is_number or not all(isinstance(arg, sp.Expr) for arg in node.args):
            return node
        call = isinstance(node, (sp.Function, sp.Max, sp.Min))
        before = self.calls[(node.func, len(node.args)) if call else "bases"]
        for one in before:
            if one == node or (_same_call(one, node) if call else vanishes(one - node)):
                return one
        before.append(node)
        return node

    def split_exponents(self) -> None:
        """Each exponent as a sum of rational multiples of monomials over the common denominator of those of its base,
        in which every linear relation of them with rational coefficients shows.
        """
        asked = [(base, rest) for base, rests in self.exponents.items() for rest in rests]
        if not asked:
            return
        _, values = quotients([rest for _, rest in asked])
        for base in self.exponents:
            mine = {rest: value for (one, rest), value in zip(asked, values, strict=True) if one is base}
            common = reduce(lambda a, b: a * (b // a.gcd(b)), [below for _, below in mine.values()])
            for rest, (above, below) in mine.items():
                whole = above * (common // below)
                lead = common.leading_coefficient()
                terms = [
                    ((powers, str(common / lead)), sp.Rational(int((c / lead).p), int((c / lead).q)))
                    for powers, c in whole.to_dict().items()
                ]
                self.parts[base, rest] = terms
                for monomial, number in terms:
                    self._count((base, monomial), int(number.q))


def _same_call(one: sp.Expr, other: sp.Expr) -> bool:
    """Whether two calls of a function have equal arguments; those of a maximum or minimum in some order."""
    if isinstance(one, sp.Function):
        return all(a == b or vanishes(a - b) for a, b in zip(one.args, other.args, strict=True))
    left = list(other.args)
    for arg in one.args:
        found = next((k for k, b in enumerate(left) if arg == b or vanishes(arg - b)), None)
        if found is None:
            return False
        del left[found]
    return True


def _is_plain(base: sp.Expr) -> bool:
    """Whether a base is an unknown itself, and no composed expression."""
    return base is sp.E or base.is_Symbol or isinstance(base, sp.Function)


@lru_cache(maxsize=4096)
def _number_apart(exponent: sp.Expr) -> tuple[sp.Rational, sp.Expr]:
    number, rest = sp.expand(exponent).as_coeff_Add()
    if not number.is_Rational:
        raise Unfit
    return number, rest


class _Polynomials:
    """Quotients of polynomials in these unknowns."""

    def __init__(self, unknowns: _Unknowns) -> None:
        self.unknowns, self.denominators = unknowns, unknowns.denominators
        if len(self.denominators) > _MOST:
            raise Unfit
        names = [f"x{k}" for k in range(len(self.denominators))] or ["x0"]
        context = flint.fmpq_mpoly_ctx.get(names, flint.Ordering.degrevlex)
        self.gens = dict(zip(self.denominators, context.gens(), strict=False))
        self.one, self.zero = context.constant(1), context.constant(0)

    def number(self, value: sp.Rational) -> Quotient:
        return self.one * int(value.p), self.one * int(value.q)

    def plus(self, a: Quotient, b: Quotient) -> Quotient:
        if a[1] == b[1]:
            return a[0] + b[0], a[1]
        common = a[1].gcd(b[1])
        left, right = b[1] // common, a[1] // common
        return _product(a[0], left) + _product(b[0], right), _product(a[1], left)

    def times(self, a: Quotient, b: Quotient) -> Quotient:
        first, second = _cancelled(a[0], b[1]), _cancelled(b[0], a[1])
        return _product(first[0], second[0]), _product(first[1], second[1])

    def power(self, base: Quotient, exponent: int) -> Quotient:
        above, below = base if exponent >= 0 else base[::-1]
        if below.is_zero():
            raise ZeroDivisionError
        for part in base:
            if len(part) > 1 and (
                abs(exponent) > _TERMS or comb(len(part) - 1 + abs(exponent), abs(exponent)) > _TERMS
            ):
                raise Unfit
        return above ** abs(exponent), below ** abs(exponent)

    def value(self, node: sp.Expr) -> Quotient:
        return self._multiple((self.unknowns.known(node), _ONE), _ONE)

    def raised(self, base: sp.Expr, exponent: sp.Expr) -> Quotient:
        number, rest = _number_apart(exponent)
        base, found = self.unknowns.known(base), (self.one, self.one)
        if number != 0 and _is_plain(base):
            found = self._multiple((base, _ONE), number)
        elif number != 0:  # the whole part apart, so that an unknown is left of the root
            whole = int(sp.floor(number))
            found = self.power(_walk(base, self), whole)
            found = self.times(found, self._multiple((base, _ONE), number - whole)) if number != whole else found
        for monomial, factor in self.unknowns.parts[base, rest] if rest != 0 else ():
            found = self.times(found, self._multiple((base, monomial), factor))
        return found

    def _multiple(self, key: Key, number: sp.Rational) -> Quotient:
        return self.power((self.gens[key], self.one), int(number * self.denominators[key]))

    def reduced(self, polynomial: Any) -> Any:
        """With what a root of a composed base to its own order is, in its place, times a polynomial that is not 0."""
        for place, (base, rest) in reversed(list(enumerate(self.denominators))):
            order = self.denominators[base, rest]
            if order > 1 and rest == 1 and not _is_plain(base):
                polynomial = self._without_root(polynomial, place, order, _walk(base, self))
        return polynomial

    def _without_root(self, polynomial: Any, place: int, order: int, value: Quotient) -> Any:
        parts: dict[int, dict[tuple[int, ...], Any]] = defaultdict(dict)
        for powers, coefficient in polynomial.to_dict().items():
            whole, left = divmod(int(powers[place]), order)
            parts[whole][(*powers[:place], left, *powers[place + 1 :])] = coefficient
        most, context = max(parts, default=0), polynomial.context()
        return sum(
            (context.from_dict(part) * value[0] ** k * value[1] ** (most - k) for k, part in parts.items()), self.zero
        )


def _cancelled(above: Any, below: Any) -> Quotient:
    common = above.gcd(below)
    return (above, below) if common.is_one() else (above // common, below // common)


def _product(a: Any, b: Any) -> Any:
    if len(a) * len(b) > _TERMS:
        raise Unfit
    return a * b
