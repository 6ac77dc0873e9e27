"""How one record moves the mean and the variance of a Gaussian-process prediction together: the exact worst pairs.

Letters as in `prediction_features` and `prediction_shares`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import held, scalar, transpose
from ndis_verify.symbolic.prediction_family import (
    ORDERS,
    added,
    angle,
    argument,
    epsilon,
    family_laws,
    first_variance,
    in_order,
    longer_shifts,
    longest,
    pair_of,
    second_variance,
    share,
    shift_of,
    stated_laws,
    tau,
    x,
    z,
)
from ndis_verify.symbolic.prediction_features import (
    F,
    Ft,
    T,
    label,
    labels,
    length,
    mean_with,
    mean_without,
    noise,
    one,
    others,
    p,
    q,
    update,
    variance_with,
    variance_without,
    weight_steps,
    y,
    zero,
)
from ndis_verify.symbolic.prediction_shares import (
    HYPOTHESES,
    N,
    X,
    at_least,
    c,
    factor_steps,
    kappa,
    range_steps,
    shift_steps,
    size,
    t,
    w,
    wt,
)
from ndis_verify.symbolic.sides import at_values

_CLAIM = "N26-Pr8-joint"
_OF_RECORD = {p: size * w}
_OUTPUTS = (
    (mean_without, added + variance_without),
    (at_values(mean_with, _OF_RECORD), added + at_values(variance_with, _OF_RECORD)),
)


def _map_steps(rest: sp.Expr, pulled: sp.Expr) -> tuple[Step, ...]:
    """One map for both laws: kappa/l, with noise."""
    entry = lambda value: sp.Matrix([[value]])  # noqa: E731
    over = 1 + size**2 * X
    kept = kappa**2 / length**2 * (added + length**2 * tau / (1 + x))
    return (
        Step(
            "v + kappa^2",
            "No terms are negative.",
            lhs=added + kappa**2 * tau,
            rhs=zero,
            relation=">=",
            witness=added + kappa**2 * tau,
        ),
        at_least(
            "variance without",
            "Both outputs have a variance, that without the record",
            added + variance_without,
            zero,
            *("v + kappa^2", "kappa and N", Use("variance", of=update), "N", "T"),
        ),
        at_least(
            "noise",
            "What is added to both is a variance.",
            rest,
            zero,
            *(Use("kappa and l", weight=added / length**2), "kappa and N"),
        ),
        Step("mean 0", "0 stays 0.", lhs=entry(held(kappa / length) * held(zero)), rhs=entry(zero)),
        Step(
            "larger variance",
            "The map kappa/l with this noise makes the one variance",
            lhs=entry(kappa**2 / length**2 * (added + length**2 * tau) + rest),
            rhs=entry(added + noise**2 * N),
        ),
        inferred(
            "shift",
            "and the shift,",
            entry(kappa / length * pulled),
            "=",
            entry(size * c * t / over),
            "c from kappa",
        ),
        inferred(
            "smaller variance",
            "and the other variance, too.",
            entry(kappa**2 / length**2 * (added + length**2 * tau / (1 + x)) + rest),
            "=",
            entry(added + noise**2 * (N - size**2 * c**2 / over)),
            *("c from kappa", "x"),
        ),
        Step(
            "of the map",
            "Nor is what the map makes of the smaller variance,",
            lhs=kept,
            rhs=zero,
            relation=">=",
            witness=kept,
        ),
        at_least(
            "variance with, in letters",
            "and that with it,",
            added + noise**2 * (N - size**2 * c**2 / over),
            zero,
            *("of the map", "noise", "c from kappa", "x"),
        ),
        at_least(
            "variance with",
            "written out.",
            _OUTPUTS[1][1],
            zero,
            *("variance with, in letters", Use("variance falls", of=update, at=_OF_RECORD), *("c", "N", "X", "T")),
        ),
    )


_INVERSE = inverse(Ft * F + noise**2)
_Z_IN_FULL = 1 - noise**2 * scalar(wt * _INVERSE * _INVERSE * w) / scalar(wt * _INVERSE * w)
_X_IN_FULL = size**2 * scalar(wt * _INVERSE * w)


def _in_full(side: Any) -> Any:
    """With z and x as the products of letters that they are."""
    return side.subs({z: _Z_IN_FULL, x: _X_IN_FULL}, simultaneous=True)


@cache
def worst_pairs() -> Derivation:
    """Both laws of a prediction, without a record and with it, are the images under one map of N(0, v + w) and
    N(sqrt(w X) r, v + w (1 - X)), w = l^2 (1 - z), X = x/(1 + x), r = (B/s)(1 + sqrt(m z x))/sqrt(1 + x), for a z
    and an x with 0 <= x <= (1 - z) l^2/s^2, 0 <= z <= m l^2/(s^2 + m l^2) (N26-Pr8).

    At most m + 1 records in the larger database. `number`: the square of the shift sqrt(w X) r at `length`, `labels`,
    `noise` (s), `others` (m), `tau` (1 - z), `z`, `x`.
    """
    root, over = sp.sqrt(tau * X), 1 + size**2 * X
    pulled = length * size * root * t / (noise * over)
    rest = added * (1 - kappa**2 / length**2) + noise**2 * N - kappa**2 * tau
    steps = [
        *weight_steps(),
        inferred("(T w)^T", "(T w)^T = w^T T.", transpose(T * w), "=", wt * T, "T^T"),
        *range_steps(),
        *shift_steps(pulled),
        *factor_steps(root),
        *_map_steps(rest, pulled),
        inferred("z in full", "z and", z, "=", _Z_IN_FULL, *("z", "tau", "X", "o", "T")),
        inferred("x in full", "x as products of letters.", x, "=", _X_IN_FULL, *("x", "X", "T")),
    ]
    for order in ORDERS:
        steps += _compared(order, rest, pulled)
    ranges = (
        ("range of z", "z at most", "The ranges, written out: that of z,"),
        ("z >= 0", "z at least", "from 0 on,"),
        ("range of x", "x at most", "and that of x,"),
        ("x >= 0", "x at least", "from 0 on, too."),
    )
    found = {step.name: step for step in steps}
    steps += [
        inferred(
            name,
            why,
            _in_full(found[shown].lhs),
            found[shown].relation,
            _in_full(found[shown].rhs),
            *(
                shown,
                *(f"{one} in full" for one in (z, x) if one in (found[shown].lhs - found[shown].rhs).free_symbols),
            ),
        )
        for name, shown, why in ranges
    ]
    known = {"F": F, "w": w, "q": q, "y": y, "a": size, "b": label, "eps": epsilon}
    numbers = {"l": length, "B": labels, "s": noise, "m": others, "v": added}
    return Derivation(
        id="prediction_joint.worst_pairs",
        title="Both laws of a Gaussian-process prediction come from a pair of the family by one map",
        sources=("N26-D8", "N26-Pr8"),
        hypotheses=HYPOTHESES,
        steps=tuple(steps),
        result_step="shift squared",
        symbols={"length": length, "labels": labels, "noise": noise, "others": others, "tau": tau, "z": z, "x": x},
        faults=(
            Fault("l for l^2", "x at most", lambda rhs: rhs / length),
            Fault("m forgotten", "k^2", lambda rhs: labels**2 * z * X),
            Fault("others' labels forgotten", "t^2", lambda rhs: labels**2),
            Fault("noise in the shift only once", "shift squared", lambda rhs: rhs / (1 + x)),
            Fault("variance at the query forgotten", "c and N", lambda rhs: rhs / 2),
            Fault("one square of two", "w^T T w", lambda rhs: noise**2 * scalar(wt * T * T * w)),
            Fault("more noise", "larger variance", lambda rhs: rhs + sp.Matrix([[N]])),
            Fault("variance kept", "smaller variance", lambda rhs: sp.Matrix([[added + noise**2 * N]])),
            Fault("shift of the other sign", "shift", lambda rhs: -rhs),
            Fault("z up to twice as much", "z at most", lambda rhs: 2 * rhs),
            Fault("record forgotten in z", "range of x", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(
            Conclusion(_CLAIM, name, {**known, **numbers})
            for name in (*(f"worst, {order}" for order in ORDERS), *(name for name, _, _ in ranges))
        ),
    )


def _compared(order: str, rest: sp.Expr, pulled: sp.Expr) -> tuple[Step, ...]:
    """The two outputs in one order of the pair against the family's pair."""
    over = 1 + size**2 * X
    moved, kept = size * c * t / over, noise**2 * N
    fallen = noise**2 * (N - size**2 * c**2 / over)
    stated = meaning(f"released, {order}", "normal_pair", *stated_laws(order, *_OUTPUTS))
    outputs = inferred(
        f"outputs, {order}",
        "With the mean and the variances as they move,",
        stated.rhs,
        "=",
        pair_of(order, (mean_without, added + kept), (mean_without + moved, added + fallen)),
        Use("mean moves", of=update, at=_OF_RECORD),
        Use("variance falls", of=update, at=_OF_RECORD),
        Use("variance", of=update),
        *(
            Use(f"variance {one_}", weight=0) for one_ in ("with", "without") if order == next(iter(ORDERS))
        ),  # of both ends
        *("t", "c", "k", "N", "X", "T"),
    )
    laws = {"mean": zero, "variance": added + kept}, {"mean": moved, "variance": added + fallen}
    translated = by_fact(
        f"translated, {order}",
        "less the mean without the record,",
        "a common translation",
        {**in_order(order, *laws), "shift": mean_without, "epsilon": epsilon},
        in_order(order, {"variance": "v + V"}, {"variance": "v + V'"}),
    )
    larger, smaller = added + length**2 * tau, added + length**2 * tau / (1 + x)
    pairs = (
        {"mean": zero, "covariance": larger, "image mean": zero, "image covariance": added + kept},
        {"mean": pulled, "covariance": smaller, "image mean": moved, "image covariance": added + fallen},
    )
    image = by_fact(
        f"image, {order}",
        "it is the image under one map, which sees neither law.",
        "one linear map with noise on two normal laws",
        {
            **{name: sp.Matrix([[value]]) for name, value in in_order(order, *pairs).items()},
            "matrix": sp.Matrix([[kappa / length]]),
            "s": rest,
            "n": sp.Matrix([[one]]),
            "epsilon": epsilon,
        },
        {
            **in_order(
                order,
                {"mean": "mean 0", "covariance": "larger variance"},
                {"mean": "shift", "covariance": "smaller variance"},
            ),
            "noise": "noise",
        },
    )
    whole = shift_of(tau)
    at = lambda shift: pair_of(order, (zero, larger), (shift, smaller))  # noqa: E731
    shares = [
        inferred(
            f"{what}, {order}",
            "Every share of the largest shift, on either side, reveals no more:",
            at(sign * share * whole),
            "<=",
            at(whole),
            Use(
                f"{what}, {order}",
                of=longer_shifts,
                at={first_variance: larger, second_variance: smaller, longest: whole},
            ),
        )
        for what, sign in (("shares", 1), ("turned", -1))
    ]
    longer = by_fact(
        f"longer, {order}",
        "this shift is such a share.",
        "every number of smaller size is a share",
        {"f": at(argument), "argument": argument, "low": pulled, "high": whole, "angle": angle},
        {"shares": shares[0].name, "turned": shares[1].name, "order": "shift squared"},
    )
    family = meaning(f"family, {order}", "normal_pair", *stated_laws(order, *family_laws(1 - z)))
    in_family = inferred(
        f"in the family, {order}",
        "So the family's pair at (z, x) reveals as much.",
        stated.lhs,
        "<=",
        family.lhs,
        *(stated.name, outputs.name, translated.name, image.name, longer.name, family.name, "z"),
    )
    worst = inferred(
        f"worst, {order}",
        "Written out.",
        stated.lhs,
        "<=",
        _in_full(family.lhs),
        in_family.name,
        "z in full",
        "x in full",
    )
    return stated, outputs, translated, image, *shares, longer, family, in_family, worst
