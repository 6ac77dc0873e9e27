"""How far the divergence of sketched least squares is from that of its normal limit, by a distance of the two laws."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import divergence, fitted, refitted, resketched, sketched
from ndis_verify.symbolic.statement_terms import quantity

p = sp.Symbol("p", nonnegative=True)
q, epsilon = sp.symbols("q epsilon", real=True)
d, r = sp.symbols("d r", integer=True)
zero, one = sp.Integer(0), sp.Integer(1)
AT = (p, q, d, r)
DISTANCE = quantity("sketch_distance", d, r)
BOUND = (1 + sp.exp(epsilon)) * DISTANCE
RECORD = (
    Hypothesis("0 <= p", p >= 0),
    Hypothesis("p <= q", p <= q),
    Hypothesis("q < 1", q < 1),
    Hypothesis("d >= 1", sp.Ge(d, 1)),
    Hypothesis("r >= d", sp.Ge(r, d)),
)
_WAYS = {"": "with the record first", "_insert": "without it first"}


def _gap(way: str) -> Any:
    """The divergence of the normal laws less that of the sketched ones."""
    return quantity(f"least_squares{way}", *AT, epsilon) - quantity(f"sketch{way}", *AT, epsilon)


def _distance_steps() -> Iterator[Step]:
    """A sketched and a normal solution are as far apart with the record as without it, in either order."""
    yield meaning("distance", "sketch_distance", d, r)
    yield Step("low", "As given.", p, zero, ">=", p)
    for name, pair, fact in (
        ("with the record", (sketched(*AT), fitted(*AT)), "a sketched and a normal solution"),
        ("without it", (resketched(*AT), refitted(*AT)), "a sketched and a normal solution, without the record"),
    ):
        yield by_fact(
            f"one law, {name}",
            f"The solution on a sketch and the normal one, {name}:",
            fact,
            {**dict(zip("pqdr", AT, strict=True)), "epsilon": zero},
            {"low": "low", "order": "p <= q", "below 1": "q < 1", "features": "d >= 1", "rows": "r >= d"},
        )
        yield inferred(
            f"apart, {name}",
            "are apart by the distance,",
            divergence(*pair, zero),
            "=",
            DISTANCE,
            f"one law, {name}",
            "distance",
        )
        yield by_fact(
            f"exchanged, {name}",
            "in either order.",
            "total variation in either order",
            dict(zip("PQ", pair[::-1], strict=True)),
            {},
        )


def _by_way(name: str, laws: tuple[Any, Any, Any], at: tuple[Any, Any]) -> Step:
    return by_fact(
        name,
        "By way of a third law.",
        "a divergence by way of a third law",
        {**dict(zip("PQR", laws, strict=True)), **dict(zip("ab", at, strict=True))},
        {},
    )


def _order_steps(way: str) -> Iterator[Step]:
    """The gap of one order of the two databases."""
    words, exact, limit = _WAYS[way], [sketched(*AT), resketched(*AT)], [fitted(*AT), refitted(*AT)]
    names = ["with the record", "without it"]
    if way:
        exact, limit, names = exact[::-1], limit[::-1], names[::-1]
    for head in ("least_squares", "sketch"):
        yield meaning(f"{head}, {words}", f"{head}{way}", *AT, epsilon)
    for sign, (first, second), shown in (
        (-1, (exact, limit), (f"apart, {names[0]}", f"exchanged, {names[1]}", f"apart, {names[1]}")),
        (1, (limit, exact), (f"exchanged, {names[0]}", f"apart, {names[0]}", f"apart, {names[1]}")),
    ):
        which = "sketch" if sign < 0 else "normal"
        yield _by_way(f"first, {which}, {words}", (first[0], second[0], first[1]), (zero, epsilon))
        yield _by_way(f"second, {which}, {words}", (second[0], second[1], first[1]), (epsilon, zero))
        yield inferred(
            f"{which} above, {words}",
            "So the one divergence is above the other by no more than (1 + e^eps) TV,",
            sign * _gap(way),
            "<=",
            BOUND,
            *(f"first, {which}, {words}", f"second, {which}, {words}"),
            *(f"least_squares, {words}", f"sketch, {words}", *shown),
        )
    yield by_fact(
        f"larger, {words}",
        "nor the other above it,",
        "larger of two numbers",
        {"one": _gap(way), "other": -_gap(way), "bound": BOUND},
        {"one": f"normal above, {words}", "other": f"sketch above, {words}"},
    )
    size = sp.Symbol("y", real=True)
    yield Step(f"size, {words}", "which of a number is its size.", sp.Abs(size), sp.Max(size, -size))
    yield inferred(
        words,
        "They differ by no more.",
        sp.Abs(_gap(way)),
        "<=",
        BOUND,
        *(f"larger, {words}", Use(f"size, {words}", at={size: _gap(way)})),
    )


@cache
def distance_of_divergences() -> Derivation:
    """The divergence of sketched least squares and that of its normal limit differ by at most (1 + e^eps) TV(d, r)
    (N24-6.3-distance).

    `number`: 1 + e^eps, at `epsilon`.
    """
    steps = (*_distance_steps(), *(step for way in _WAYS for step in _order_steps(way)))
    names = {"p": p, "q": q, "d": d, "r": r, "eps": epsilon}
    return Derivation(
        id="least_squares_distance.distance_of_divergences",
        title="Sketched and normal least squares differ by their distance",
        sources=("N24-L1",),
        hypotheses=RECORD,
        steps=steps,
        result_step="low",
        symbols={},
        faults=(
            Fault("e^eps dropped", _WAYS[""], lambda rhs: 2 * DISTANCE),
            Fault("half the distance", _WAYS["_insert"], lambda rhs: rhs / 2),
            Fault("no distance", f"sketch above, {_WAYS['']}", lambda rhs: zero),
        ),
        concludes=tuple(Conclusion("N24-6.3-distance", words, names) for words in _WAYS.values()),
    )


@cache
def close_curves() -> Derivation:
    """Where (1 + e^eps) TV(d, r) is at most 0.05, so is what the two divergences differ by (N24-Fig5).

    `number`: 0.05.
    """
    most = sp.Rational(1, 20)
    near = Hypothesis("(1 + e^eps) TV_sketch(d, r) <= 0.05", sp.Le(BOUND, most))
    steps = (
        inferred(
            "close",
            "The curves differ by no more than that.",
            sp.Abs(_gap("")),
            "<=",
            most,
            *(Use(_WAYS[""], of=distance_of_divergences), Use(near.text)),
        ),
    )
    return Derivation(
        id="least_squares_distance.close_curves",
        title="Where the curves of sketched and normal least squares are close",
        sources=("N24-Fig5",),
        hypotheses=(*RECORD, near),
        steps=steps,
        result_step="close",
        symbols={},
        faults=(
            Fault("0.04", "close", lambda rhs: sp.Rational(1, 25)),
            Fault("no distance", "close", lambda rhs: zero),
        ),
        concludes=(Conclusion("N24-Fig5", "close", {"p": p, "q": q, "d": d, "r": r, "eps": epsilon}),),
    )
