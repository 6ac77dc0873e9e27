"""Checks of numbers in words that a second reader has: both sides of a counterexample, a decimal, a margin on a box.

Written from the statements, in SymPy terms over the named quantities of `statements.quantities` and `divergence`; none
of them computes. `READINGS` of a module maps (claim, check) to one of these; the export takes them, and the second
reader finds by how much the ledger's own numbers differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

Sides = tuple[Any, str, Any]  # left, sign, right
Phi, projection, mean_shift, mills, root, series = (
    sp.Function(name) for name in ("Phi", "projection", "mean_shift", "mills", "root", "series")
)
gamma_q, divergence, projection_insert = (sp.Function(name) for name in ("gamma_q", "divergence", "projection_insert"))


@dataclass(frozen=True)
class Counter:
    """What the claim asserts at the point, under conditions that hold there; of symbols by the names of the point.

    least: the ledger's number is the least of the room in the conditions and of the violation. measured: the ledger's
    number is the violation (or `least`); where it is another one it is not exported. where: numbers that are named.
    """

    asserted: Callable[..., Sides]
    given: Callable[..., tuple[Sides, ...]] | None = None
    least: bool = False
    measured: bool = True
    where: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Value:
    """The expression behind every decimal of a table, or every sign, of the arguments that stand beside it; `where`:
    numbers that it names, looked for once.
    """

    of: Callable[..., Any]
    where: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Margin:
    """What is >= 0 on the box, of its axes by name; `where` as above."""

    of: Callable[..., Any]
    where: Mapping[str, Any] = field(default_factory=dict)


Reading = Counter | Value | Margin
Readings = Mapping[tuple[str, str], Reading]


def never_above(expression: Callable[..., Any]) -> Counter:
    """The claim asserts that `expression` is at most 0."""
    return Counter(lambda **point: (expression(**point), "<=", sp.Integer(0)))


def density(x: Any) -> Any:
    """The standard normal density."""
    return sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)


def quantile(level: Any) -> Any:
    """The x with Phi(x) = level."""
    x = sp.Symbol("x_")
    return root(x, -40, 40, Phi(x) - level)


def deletion(p: Any, r: Any, epsilon: Any) -> Any:
    """The divergence of a projection to r columns from that without a row of leverage p: two chi-square tails."""
    k = p / (1 - p)
    edge = (epsilon + r * sp.log(1 + k) / 2) / k
    half = r * sp.Rational(1, 2)
    return gamma_q(half, edge) - sp.exp(epsilon) * gamma_q(half, (1 + k) * edge)


def cap(r: Any, epsilon: Any, delta: Any) -> Any:
    """The leverage at which a deletion from a projection to r columns costs delta."""
    p = sp.Symbol("p_")
    return root(p, sp.Rational(1, 10**9), 1 - sp.Rational(1, 10**9), deletion(p, r, epsilon) - delta)


def profile(distance: Any, epsilon: Any) -> Any:
    """Pr[L > eps] - e^eps Pr[L' > eps] of a mean shift, as two values of Phi."""
    first, second = distance / 2 - epsilon / distance, -distance / 2 - epsilon / distance
    return Phi(first) - sp.exp(epsilon) * Phi(second)


def smallest_std(epsilon: Any, delta: Any) -> Any:
    """The std at which a sensitivity of 1 costs delta."""
    s = sp.Symbol("s_")
    return root(s, sp.Rational(1, 10**3), 10**4, delta - profile(1 / s, epsilon))


def sketched_least_squares(p: Any, q: Any, d: Any, r: Any, epsilon: Any) -> Any:
    """The larger direction of two normal laws of a sketched solution, a record of leverage p in B and q in [B b] left
    out: the Gram matrix falls by 1 - p along one direction, the residual's square by (1 - q)/(1 - p), and the solution
    moves along that direction.
    """
    along, beside, square = (1 - p) ** 2 / (1 - q), (1 - p) / (1 - q), r * p * (q - p)
    more = [(beside, d - 1, 0)] if d != 1 else []
    delete = [(along, 1, square / (1 - q)), *more]
    insert = [(1 / along, 1, square / (1 - p) ** 2), *((1 / lam, n, m) for lam, n, m in more)]
    return sp.Max(*(divergence(epsilon, *(x for group in groups for x in group)) for groups in (delete, insert)))
