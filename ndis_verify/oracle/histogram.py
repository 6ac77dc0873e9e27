"""Exact laws of histograms of few bins: rational probabilities, no rounding at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import Any

from ndis_verify.arguments import within
from ndis_verify.exact_number import InputError, exact

_MOST_OUTCOMES = 3_000_000


def multinomial_tail(law: Sequence[Any], n: int, exceeds: Callable[[tuple[int, ...]], bool]) -> Fraction:
    """The probability that the counts of n independent draws from `law` satisfy `exceeds`, exactly.

    law: probabilities that sum to 1, at least 2 of them; n >= 1; at most 3e6 outcomes. Raises `InputError`.
    """
    chances = _checked(law, n)
    return sum((weight for counts, weight in _outcomes(chances, n) if exceeds(counts)), Fraction(0))


def tv_error_tail(law: Sequence[Any], n: int, accuracy: Any) -> Fraction:
    """`Pr[TV(empirical law, law) > accuracy]` after n draws, exactly (KM-4.2). Raises `InputError`."""
    chances, bound = _checked(law, n), exact(accuracy, "accuracy")

    def exceeds(counts: tuple[int, ...]) -> bool:
        return sum(abs(Fraction(c, n) - p) for c, p in zip(counts, chances, strict=True)) / 2 > bound

    return multinomial_tail(law, n, exceeds)


def two_bin_distance_law(p: Any, q: Any, n: int) -> dict[Fraction, Fraction]:
    """The law of `|X - Y|/n`, X ~ Bin(n, p) and Y ~ Bin(n, q) independent: TV of two histograms with two bins (KM-CI).

    Exactly, as {value: probability}. Raises `InputError`.
    """
    first, second = (_binomial(exact(value, name), name, n) for value, name in ((p, "p"), (q, "q")))
    law: dict[Fraction, Fraction] = {}
    for x, a in enumerate(first):
        for y, b in enumerate(second):
            distance = Fraction(abs(x - y), n)
            law[distance] = law.get(distance, Fraction(0)) + a * b
    return law


def mean_distance_of_equal_laws(law: Sequence[Any], n: int) -> Fraction:
    """The mean of TV of two histograms, n draws each from the same `law`: (1/2n) sum E|X_j - Y_j|, exactly
    (KM-T4.4).
    """
    total = Fraction(0)
    for p in _checked(law, n, outcomes=False):
        masses = _binomial(p, "law", n)
        total += 2 * sum((x - y) * masses[x] * masses[y] for x in range(n + 1) for y in range(x))
    return total / (2 * n)


def _binomial(p: Fraction, name: str, n: int) -> list[Fraction]:
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise InputError("n", n, "must be a positive integer")
    within(p, name, "[0, 1]")
    return [comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)]


def _checked(law: Sequence[Any], n: int, outcomes: bool = True) -> list[Fraction]:
    chances = [exact(value, "law") for value in law]
    if len(chances) < 2 or any(p < 0 for p in chances) or sum(chances) != 1:
        raise InputError("law", [str(p) for p in chances], "must be at least 2 nonnegative numbers that sum to 1")
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise InputError("n", n, "must be a positive integer")
    if outcomes and comb(n + len(chances) - 1, len(chances) - 1) > _MOST_OUTCOMES:
        raise InputError("n", n, f"must leave at most {_MOST_OUTCOMES} outcomes")
    return chances


def _outcomes(chances: Sequence[Fraction], n: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Every vector of counts with its probability."""
    if len(chances) == 1:
        yield (n,), chances[0] ** n
        return
    for first in range(n + 1):
        weight = comb(n, first) * chances[0] ** first
        if weight:
            for rest, chance in _outcomes(chances[1:], n - first):
                yield (first, *rest), weight * chance
