"""How far apart the densities of a sketched solution with a record and without it can be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named, squared
from ndis_verify.symbolic.notation import held, scalar, transpose
from ndis_verify.symbolic.sketch_records import (
    BOUND,
    FORMS,
    LAST,
    WITH,
    WITHOUT,
    B,
    Bt,
    N,
    P,
    Q,
    S,
    T,
    U,
    W,
    along,
    b,
    beta,
    bt,
    c,
    d,
    e,
    factor,
    g,
    h,
    k,
    o,
    one,
    others,
    part,
    r,
    s,
    size,
    solution,
    spare,
    stated_density,
    v,
    vt,
    without,
    x,
    zero,
)


def below_record_steps() -> tuple[Step, ...]:
    """T <= Q: of two vectors, one of them S v, by Cauchy and Schwarz."""
    return (
        Step("j def", "j = (S v)^T N h", lhs=k, rhs=scalar(vt * S * N * h), kind="definition"),
        inferred(
            "j",
            "is o - g,",
            k,
            "=",
            o - g,
            *("j def", "h", "o", "g"),
            Use("S from the left", between=(vt, x - solution)),
            algebra=FORMS,
        ),
        inferred(
            "P as a form",
            "P is (S v)^T N S v,",
            P,
            "=",
            scalar(vt * S * N * S * v),
            "P",
            Use("S from the left", between=(-vt, S * v)),
            algebra=FORMS,
        ),
        by_fact(
            "S v and h",
            "so that",
            "Cauchy-Schwarz inequality of a form",
            {
                "A": N,
                "u": S * v,
                "u^T": transpose(S * v),
                "v": h,
                "v^T": transpose(h),
                "B": B,
                "B^T": Bt,
                "C": s,
                "C^T": s,
            },
            {"semidefinite": Step("N", "N is B^T B + s^2 I.", lhs=N, rhs=Bt * B + held(s) ** 2)},
        ),
        inferred("j^2", "j^2 <= P U,", k**2, "<=", P * U, *("S v and h", "j def", "P as a form", "U", "S^T")),
        inferred("o^2 j^2", "times o^2", (o * k) ** 2, "<=", P * W * (o**2 * U / W), Use("j^2", weight=o**2)),
        by_fact(
            "o j",
            "and as P W and o^2 U/W have a mean:",
            "means of two numbers",
            {"a": -o * k, "b": P * W, "c": o**2 * U / W},
            {
                "first": Step("P W", "Not negative.", P * W, zero, ">=", witness=P * W),
                "second": Step("U", "Not negative.", o**2 * U / W, zero, ">=", witness=o**2 * U / W),
                "square": "o^2 j^2",
            },
        ),
        inferred(
            "T <= Q",
            "T is at most Q.",
            T,
            "<=",
            Q,
            *(Use("o j", weight=1 / (W + U)), Use("j^2", weight=1 / (W + U)), "j", "T", "Q"),
        ),
    )


def capped_steps() -> tuple[Step, ...]:
    """Q <= l^2/s^2: with z = (v, beta) and w = (S v - e y, e), e = o/W, Q is z^T w and at least s^2 |w|^2."""
    first = S * v - e * solution
    first_t = transpose(first)
    whole = size + beta**2
    return (
        named(e, "e = o/W:", o / W),
        squared("|w|^2 but its end", "a vector w of an end e,", first),
        named(part, "the square of the rest of it,", scalar(first_t * first), "|w|^2 but its end"),
        named(along, "the product of that with v,", scalar(vt * first)),
        squared("|v|^2", "v", v),
        named(size, "with its square,", scalar(vt * v), "|v|^2"),
        squared("|[B, b] w|^2", "and the square of [B, b] w.", B * first + e * b),
        inferred("Q by e", "Q = P + e^2 W", Q, "=", P + e**2 * W, *("Q", "e")),
        inferred(
            "Q in squares",
            "is s^2 |w|^2 + |[B, b] w|^2,",
            Q,
            ">=",
            s**2 * (part + e**2),
            *("|[B, b] w|^2", "Q by e", "P", "W", str(part), "S^T"),
            *(
                Use("two squares", between=sides)
                for sides in ((vt, v), (-e * vt, c), (-e * bt * B, v), (e**2 * bt * B, c))
            ),
            algebra=FORMS,
        ),
        inferred("Q along w", "and z^T w:", Q, "=", along + beta * e, *(str(along), "Q", "e", "o", "P")),
        by_fact(
            "v and w",
            "so by Cauchy and Schwarz",
            "Cauchy-Schwarz inequality of vectors",
            {"u": v, "u^T": vt, "v": first, "v^T": first_t},
            {},
        ),
        inferred(
            "in v",
            "of the first entries",
            along**2,
            "<=",
            size * part,
            *("v and w", *map(str, (along, size, part))),
        ),
        inferred(
            "in both squared",
            "and of the last one",
            (along * beta * e) ** 2,
            "<=",
            size * e**2 * (beta**2 * part),
            Use("in v", weight=beta**2 * e**2),
        ),
        by_fact(
            "in both",
            "together,",
            "means of two numbers",
            {"a": along * beta * e, "b": size * e**2, "c": beta**2 * part},
            {
                "first": Step("first", "Not negative.", size * e**2, zero, ">=", witness=size * e**2),
                "second": Step("second", "Not negative.", beta**2 * part, zero, ">=", witness=beta**2 * part),
                "square": "in both squared",
            },
        ),
        inferred(
            "Q^2 by lengths",
            "Q^2 <= |z|^2 |w|^2",
            Q**2,
            "<=",
            whole * (part + e**2),
            *("in v", "in both", "Q along w"),
        ),
        inferred(
            "Q^2",
            "is at most |z|^2 Q/s^2,",
            Q**2,
            "<=",
            whole / s**2 * Q,
            *("Q^2 by lengths", Use("Q in squares", weight=-whole / s**2)),
        ),
        by_fact(
            "Q by the record",
            "Q at most |z|^2/s^2",
            "a square and a multiple",
            {"a": Q, "b": whole / s**2},
            {
                "sign": Step("size", "Not negative.", whole / s**2, zero, ">=", witness=whole / s**2),
                "square": "Q^2",
            },
        ),
        inferred(
            "Q <= l^2/s^2",
            "and at most l^2/s^2.",
            Q,
            "<=",
            BOUND,
            *("Q by the record", Use("m <= l^2", weight=1 / s**2), str(size)),
        ),
    )


def _log_order(name: str, why: str, low: Any, high: Any, order: str) -> Iterator[Step]:
    """log(1 + low) <= log(1 + high), `order` being a step that says low <= high; low is not negative."""
    yield inferred(f"1 + {name}", "With 1 added,", 1 + low, "<=", 1 + high, order)
    yield by_fact(
        f"log {name}",
        why,
        "logarithms keep the order",
        {"a": 1 + low, "b": 1 + high, "c": one},
        {
            "order": f"1 + {name}",
            "least": Step("least", "At least 1.", 1 + low, one, ">=", witness=low),
            "positive": Step("one", "Positive.", one, zero, ">", witness=one),
        },
    )


def bound_steps() -> Iterator[Step]:
    """Both ratios are at most (1 + l^2/s^2)^{r/2}."""
    logs = {name: sp.log(1 + symbol) for name, symbol in (("P", P), ("Q", Q), ("T", T))}
    exponent = (d - r) / 2 * logs["P"] + (r - d + 1) / 2 * logs["Q"] - (r + 1) / 2 * logs["T"]
    top = r / 2 * sp.log(1 + BOUND)
    for symbol in (P, Q, T):
        yield Step(f"0 <= {symbol}", "Not negative.", zero, symbol, "<=", witness=-symbol)
        yield from _log_order(f"{symbol} from 0", "the logarithm is not negative.", zero, symbol, f"0 <= {symbol}")
    yield Step("o^2/W", "A square over W,", o**2 / W, zero, ">=", witness=o**2 / W)
    yield inferred("P <= Q", "so P <= Q.", P, "<=", Q, Use("o^2/W", weight=-1), "Q")
    yield from _log_order("P and Q", "the logarithms are in this order,", P, Q, "P <= Q")
    yield from _log_order("T and Q", "these,", T, Q, "T <= Q")
    yield from _log_order("Q and l^2/s^2", "and these.", Q, BOUND, "Q <= l^2/s^2")
    yield named(spare, "k = r - d is not negative,", r - d, "rows")
    yield named(others, "nor is i = d - 1.", d - 1, "d")
    last = Use("log Q and l^2/s^2", weight=(spare + d) / 2)
    weights = {
        "with the record": (
            *(last, Use("log Q from 0", weight=others / 2), Use("log P from 0", weight=spare / 2)),
            Use("log T from 0", weight=(spare + d + 1) / 2),
        ),
        "without the record": (
            *(last, Use("log P and Q", weight=spare / 2), Use("log T and Q", weight=(spare + d + 1) / 2)),
        ),
    }
    yield inferred(
        "f >= 0",
        "A density is not negative.",
        stated_density(WITHOUT),
        ">=",
        zero,
        *("density", "f, without the record"),
    )
    yield named(without, "Its name.", stated_density(WITHOUT), "f >= 0")
    for at, other, sign in ((WITH, WITHOUT, 1), (WITHOUT, WITH, -1)):
        yield inferred(
            f"exponent, {at.tag}",
            "The logarithm of the ratio is at most (r/2) log(1 + l^2/s^2),",
            sign * exponent,
            "<=",
            top,
            *(*weights[at.tag], *(("k", "i") if at is WITH else ("k",))),
        )
        power = by_fact(
            f"ratio, {at.tag}",
            "the ratio at most a power,",
            "exponentials keep the order",
            {"a": sign * exponent, "b": top},
            {"order": f"exponent, {at.tag}"},
        )
        yield power
        changed = factor(P, Q, T) ** sign
        yield Step(f"factor, {at.tag}", "that is the factor", lhs=power.lhs, rhs=changed)
        yield inferred(
            f"factor at most, {at.tag}",
            "at most (1 + l^2/s^2)^{r/2},",
            changed,
            "<=",
            LAST,
            *(power.name, f"factor, {at.tag}"),
        )
        yield inferred(
            f"bound, {at.tag}",
            "and one density at most that times the other.",
            stated_density(at),
            "<=",
            LAST * stated_density(other),
            Use(f"factor at most, {at.tag}", weight=without * (1 if at is WITH else factor(P, Q, T))),
            *("ratio", "f"),
        )
