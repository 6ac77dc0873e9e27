"""Least squares on a Gaussian sketch at every r: the density of the solution with a record and without it, and how far
apart the two are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from ndis_verify.symbolic.block_algebra import inverse
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.notation import det, law_of, minimiser, scalar, transpose
from ndis_verify.symbolic.sketch_bounds import below_record_steps, bound_steps, capped_steps
from ndis_verify.symbolic.sketch_law import law_steps
from ndis_verify.symbolic.sketch_records import (
    BOUND,
    FORMS,
    LENGTH,
    ROWS,
    S1,
    WITH,
    WITHOUT,
    B,
    Bt,
    D,
    N,
    P,
    Q,
    S,
    T,
    U,
    W,
    a,
    b,
    beta,
    bt,
    c,
    change_steps,
    d,
    factor,
    form_steps,
    g,
    h,
    inverse_steps,
    length,
    number_steps,
    o,
    offset_steps,
    r,
    s,
    solution,
    solution_steps,
    stated_density,
    student,
    v,
    vt,
    x,
)

_CLAIM = "N24-6.3-exact-law"


def full_steps() -> Iterator[Step]:
    """The relations in the statement's own terms."""
    numbers = {
        T: g**2 / (W + U),
        Q: P + o**2 / W,
        g: beta - scalar(vt * x),
        o: beta - scalar(vt * S * Bt * b),
        P: scalar(vt * S * v),
        U: scalar(transpose(h) * N * h),
        h: x - solution,
        W: a - scalar(bt * B * S * c),
        S: inverse(N),
        D: det(N),
    }

    def full(value: Any) -> Any:
        for symbol, meant in numbers.items():
            value = value.subs(symbol, meant)
        return value

    names = tuple(map(str, numbers))
    yield inferred(
        "the law",
        "Written out.",
        stated_density(WITHOUT),
        "=",
        full(student(d, D, W, U)),
        *("law, without the record", "U", "h", "W", "S", "D"),
    )
    yield inferred(
        "residual above 0",
        "The residual with the record, written out, is positive.",
        WITH.square - scalar(transpose(WITH.cross) * S1 * WITH.cross),
        ">",
        0,
        *("R > 0", "residual, with the record"),
        Use("solution, with the record", between=(transpose(WITH.cross) * S1, 1)),
        Use("S1 from the left", between=(-transpose(WITH.cross), WITH.solution)),
        algebra=FORMS,
    )
    yield Step("1 + T", "1 + T is positive.", lhs=1 + T, rhs=0, relation=">", witness=1 + T)
    yield inferred(
        "the ratio",
        "Written out.",
        stated_density(WITH),
        "=",
        full(factor(P, Q, T)) * stated_density(WITHOUT),
        *("ratio", *names[:-1], *(Use(one, weight=0) for one in ("1 + T", "residual above 0"))),
    )
    yield inferred("T and Q in full", "Written out.", full(T), "<=", full(Q), *("T <= Q", *names[:-1]))
    yield inferred("Q in full", "Written out.", full(Q), "<=", BOUND, *("Q <= l^2/s^2", "Q", "o", "P", "W", "S"))


@cache
def sketched_densities() -> Derivation:
    """The density of the sketched solution, and by what factor a record changes it (N24 section 6.3).

    `number`: Q at `leverage` = P, `left` = o, `residual` = W.
    """
    steps = (
        *inverse_steps(),
        *number_steps(),
        *form_steps(WITHOUT),
        *form_steps(WITH),
        *solution_steps(),
        *law_steps(WITHOUT),
        *offset_steps(),
        *law_steps(WITH),
        *change_steps(),
        *below_record_steps(),
        *capped_steps(),
        by_fact(
            "density",
            "A density",
            "a density is not negative",
            {"P": law_of(minimiser(N, c, a, r)), "x": x},
            {"density": "mixture, without the record"},
        ),
        *bound_steps(),
        *full_steps(),
    )
    symbols = {"B": B, "b": b, "v": v, "x": x, "beta": beta, "s": s, "l": length, "r": r}
    ends = (
        "the law",
        "the ratio",
        "T and Q in full",
        "Q in full",
        "bound, with the record",
        "bound, without the record",
    )
    return Derivation(
        id="sketch_density.sketched_densities",
        title="Least squares on a Gaussian sketch: the density of its solution, with a record and without it",
        sources=("N24-L1", "N24-T4"),
        hypotheses=(ROWS, LENGTH),
        steps=steps,
        result_step="Q",
        symbols={"leverage": P, "left": o, "residual": W},
        faults=(
            Fault("ridge forgotten", "two squares", lambda rhs: rhs - s**2 * S * S),
            Fault("move by o alone", "solution, with the record", lambda rhs: rhs - P * o / (1 + P) * v),
            Fault("residual kept", "residual, with the record", lambda rhs: rhs - o**2 / (1 + P)),
            Fault("the record's square forgotten", "one square more", lambda rhs: rhs - g**2),
            Fault("det kept", "E = D (1 + P)", lambda rhs: D),
            Fault("constant of r rows", "integrand, without the record", lambda rhs: 2 * rhs),
            Fault("one degree of freedom more", "law, with the record", lambda rhs: rhs * 2 ** (d / 2)),
            Fault("factor of the other order", "ratio", lambda rhs: rhs / factor(P, Q, T) ** 2),
            Fault("T at most P", "T <= Q", lambda rhs: P),
            Fault("half of Q", "Q along w", lambda rhs: rhs / 2),
            Fault("l for l^2", "Q <= l^2/s^2", lambda rhs: length / s**2),
            Fault("r/2 forgotten", "exponent, without the record", lambda rhs: rhs * 2 / r),
            Fault("P and Q exchanged", "the ratio", lambda rhs: stated_density(WITHOUT)),
        ),
        concludes=tuple(Conclusion(_CLAIM, end, symbols) for end in ends),
    )
