"""Exact numbers, balls, and the functions that expressions are built of."""

from __future__ import annotations

import re

from flint import acb, arb, fmpq

BITS, POINTS, TINY, CLOSE = 800, 5, arb(10) ** -200, arb(10) ** -20
_NUMBER = re.compile(r"-?\d{1,4000}(/\d{1,4000})?")


class NotReadable(Exception):
    """What this reader has no means for: counted as not rechecked, with the reason."""


class Wrong(Exception):
    """What the export says and the mathematics denies."""


def rational(text):
    """`3`, `-3/4`: the only way that a number is written."""
    if not isinstance(text, str) or not _NUMBER.fullmatch(text) or text.endswith("/0"):
        raise Wrong(f"not a number: {str(text)[:40]}")
    numerator, _, denominator = text.partition("/")
    return fmpq(int(numerator), int(denominator or 1))


def real(x):
    return x if isinstance(x, arb) else arb(x)


def is_whole(x):
    return isinstance(x, fmpq) and x.q == 1


def total(args):
    exact = sum((a for a in args if isinstance(a, fmpq)), fmpq(0))
    balls = [a for a in args if isinstance(a, arb)]
    return sum(balls, real(exact)) if balls else exact


def product(args):
    found = fmpq(1)
    for a in args:
        if found == 0 or (isinstance(a, fmpq) and a == 0):
            return fmpq(0)
        found = found * a if type(found) is type(a) else real(found) * real(a)
    return found


def power(base, exponent):
    if is_whole(exponent):
        n = int(exponent.p)
        if isinstance(base, fmpq) and abs(n) < 4000 and (base != 0 or n >= 0):
            return base**n
        return real(base) ** n
    if isinstance(base, fmpq) and base == 0 and exponent > 0:
        return fmpq(0)
    return real(base).sqrt() if exponent == fmpq(1, 2) else real(base) ** real(exponent)


def rising(function):
    """A rising function on a ball, by its ends."""

    def on(x):
        x = real(x)
        return function(x) if x.rad() == 0 or not x.is_finite() else function(x.lower()).union(function(x.upper()))

    return on


def least(a, b):
    return min(a, b) if isinstance(a, fmpq) and isinstance(b, fmpq) else real(a).min(real(b))


def normal_cdf(x):
    return (-x / arb(2).sqrt()).erfc() / 2


def mills(x):
    """Phi(-x)/phi(x), which falls."""
    return (arb.pi() / 2).sqrt() * (x * x / 2).exp() * (x / arb(2).sqrt()).erfc()


def gamma_tail(a, x):
    """Q(a, x): the chance that a gamma(a) law exceeds x; falls in x."""
    a, x = real(a), real(x)
    if x <= 0:
        return arb(1)
    at = lambda y: acb(y).gamma_upper(acb(a), 1).real  # noqa: E731
    return at(x) if x.rad() == 0 else at(x.lower().max(arb(0))).union(at(x.upper()))


def divide(a, b):
    if isinstance(b, fmpq):
        if b == 0:
            raise ZeroDivisionError
        return a / b if isinstance(a, fmpq) else a / real(b)
    return real(a) / b


FUNCTIONS = {
    "add": lambda *args: total(args),
    "mul": lambda *args: product(args),
    "sub": lambda a, b: total([a, product([fmpq(-1), b])]),
    "neg": lambda a: product([fmpq(-1), a]),
    "div": divide,
    "pow": power,
    "abs": lambda a: abs(a),
    "floor": lambda a: fmpq(int(a.p) // int(a.q)),
    "max": lambda *args: -_least(*(-a for a in args)),
    "min": lambda *args: _least(*args),
    "exp": lambda a: fmpq(1) if isinstance(a, fmpq) and a == 0 else real(a).exp(),
    "log": lambda a: fmpq(0) if isinstance(a, fmpq) and a == 1 else real(a).log(),
    "sqrt": lambda a: real(a).sqrt() if a not in (0, 1) else a,
    "mills": lambda a: -rising(lambda x: -mills(x))(a),
    "erf": rising(lambda x: x.erf()),
    "erfc": lambda a: -rising(lambda x: -x.erfc())(a),
    "Phi": rising(normal_cdf),
    "Phi_inverse": rising(lambda p: -(2 * p).erfcinv() * arb(2).sqrt()),
    "phi": lambda a: (-(real(a) ** 2) / 2).exp() / (2 * arb.pi()).sqrt(),
    "gamma": lambda a: real(a).gamma(),
    "gamma_q": gamma_tail,
    "gamma_p": lambda a, x: 1 - gamma_tail(a, x),
    "sinh": lambda a: real(a).sinh(),
    "cosh": lambda a: real(a).cosh(),
    "tanh": lambda a: real(a).tanh(),
    "sin": lambda a: real(a).sin(),
    "cos": lambda a: real(a).cos(),
    "tan": lambda a: real(a).tan(),
    "cot": lambda a: real(a).cot(),
    "asin": lambda a: real(a).asin(),
    "acos": lambda a: real(a).acos(),
    "atan": lambda a: real(a).atan(),
    "factorial": lambda a: (real(a) + 1).gamma(),
    "binomial": lambda n, k: (real(n) + 1).gamma() / (real(k) + 1).gamma() / (real(n) - real(k) + 1).gamma(),
    "pi": lambda: arb.pi(),
}


def _least(first, *rest):
    for other in rest:
        first = least(first, other)
    return first
