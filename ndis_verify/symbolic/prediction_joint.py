"""How one record moves the mean and the variance of a Gaussian-process prediction together: the exact worst pairs.

The features of the new record are a w, w no zero vector; T = (F^T F + s^2 I)^{-1}. tau = s^2 |T w|^2/(w^T T w), z = 1 -
tau, x = a^2 w^T T w.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic import joint_shift
from ndis_verify.symbolic.block_algebra import inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use, at_values
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import divergence, held, normal, scalar, trace, transpose
from ndis_verify.symbolic.prediction_features import (
    F,
    Ft,
    T,
    form_steps,
    in_letters,
    inferred,
    inverse_steps,
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
    qt,
    squared,
    update_steps,
    variance_with,
    variance_without,
    weight_steps,
    y,
    yt,
    zero,
)
from ndis_verify.symbolic.statement_terms import quantity

_CLAIM = "N26-Pr8-joint"
_ATTAINED = "N26-Pr8-joint-attained"
_ORDERS = ("without the record first", "with the record first")

_first, _second = sp.symbols("a b", positive=True)  # variances
_far, _argument = sp.symbols("w y", real=True)  # shifts

added, z, x = sp.symbols("v z x", nonnegative=True)
tau = sp.Symbol("tau", positive=True)
epsilon = sp.Symbol("epsilon", real=True)
_angle = sp.Symbol("alpha", real=True)  # every share is the square of its sine
_share = sp.sin(_angle) ** 2

w = letter("w")
wt = transpose(w)
size = sp.Symbol("a", real=True)
_OF_RECORD = {p: size * w}
_LENGTH, _LABEL = "a^2 w^T w <= l^2", "|b| <= B"
_HYPOTHESES = (
    Hypothesis("w^T w > 0", sp.Gt(scalar(wt * w), 0)),
    Hypothesis(_LENGTH, sp.Le(size**2 * scalar(wt * w), length**2)),
    Hypothesis("q^T q <= l^2", sp.Le(scalar(qt * q), length**2)),
    Hypothesis("tr(F^T F) <= m l^2", sp.Le(trace(Ft * F), others * length**2)),
    Hypothesis("y^T y <= m B^2", sp.Le(scalar(yt * y), others * labels**2)),
    Hypothesis(_LABEL, sp.Le(sp.Abs(label), labels)),
)


def shift_of(kept: sp.Expr, count: sp.Expr = others) -> sp.Expr:
    """The shift of the family's pair at (z, x), `kept` being 1 - z, `count` the number of other records."""
    pull = 1 + sp.sqrt(count) * sp.sqrt(z) * sp.sqrt(x)
    return length * labels * sp.sqrt(kept) * sp.sqrt(x) * pull / (noise * (1 + x))


def _stated(order: str, first: tuple[sp.Expr, sp.Expr], second: tuple[sp.Expr, sp.Expr]) -> tuple[sp.Expr, ...]:
    """What the divergence in a statement is of: mean and variance of each law, in the order named."""
    return (*first, *second, epsilon) if order == _ORDERS[0] else (*second, *first, epsilon)


def _family(kept: sp.Expr, count: sp.Expr = others) -> tuple[tuple[sp.Expr, sp.Expr], tuple[sp.Expr, sp.Expr]]:
    """The laws of the family's pair at (z, x)."""
    return (zero, added + length**2 * kept), (shift_of(kept, count), added + length**2 * kept / (1 + x))


def _law(mean: sp.Expr, spread: sp.Expr) -> sp.Expr:
    return normal(sp.ImmutableMatrix([[mean]]), sp.ImmutableMatrix([[spread]]))


def _pair(order: str, first: tuple[sp.Expr, sp.Expr], second: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """The divergence of two normal laws on the line, mean and variance of each, in the order named."""
    laws = (first, second) if order == _ORDERS[0] else (second, first)
    return divergence(*(_law(*law) for law in laws), epsilon)


def _ordered(order: str, first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Letters or conditions of two laws, those of the one that comes second under "other"."""
    one_law, other = (first, second) if order == _ORDERS[0] else (second, first)
    return {**one_law, **{f"other {name}": value for name, value in other.items()}}


@cache
def update() -> Derivation:
    """With a new record the mean moves by c t/(1 + X) and the variance falls by s^2 c^2/(1 + X), c = q^T T p, X = p^T T
    p, t = b - p^T T F^T y (N26-D8, N26-Pr8).

    `number`: 0, the least X.
    """
    return Derivation(
        id="prediction_joint.update",
        title="What a new record does to the mean and the variance of a Gaussian-process prediction",
        sources=("N26-D8", "N26-Pr8"),
        hypotheses=(),
        steps=(*weight_steps(), *update_steps()),
        result_step="p^T T p >= 0",
        symbols={},
        faults=(
            Fault("noise's deviation for its variance", "two squares", lambda rhs: rhs + (noise - noise**2) * T * T),
            Fault("one square of two", "p^T T p", lambda rhs: noise**2 * scalar(transpose(p) * T * T * p)),
            Fault("the record's own noise left out", "update", lambda rhs: 2 * rhs),
            Fault("label alone", "mean in letters", lambda rhs: rhs.subs(sp.Symbol("k", real=True), 0)),
            Fault("variance kept", "variance falls", lambda rhs: variance_without),
            Fault("noise forgotten", "variance", lambda rhs: rhs / noise**2),
        ),
        concludes=(
            Conclusion(_CLAIM, "mean moves", part="how the mean moves"),
            Conclusion(_CLAIM, "variance", part="the variance without the record"),
            *(Conclusion(claim, "variance falls", part="how the variance falls") for claim in (_CLAIM, "N26-D8")),
        ),
    )


def _sides(lhs: sp.Expr, rhs: sp.Expr) -> Step:
    """A condition of a fact that is an equation between matrices of one entry."""
    return Step("image", "The image.", lhs=sp.Matrix([[lhs]]), rhs=sp.Matrix([[rhs]]))


@cache
def longer_shifts() -> Derivation:
    """N(0, a) and N(u, b) reveal no more than N(0, a) and N(w, b) where u is c w or -c w, 0 <= c <= 1, in both orders.

    `number`: 1, the largest share.
    """
    first, second, far = _first, _second, _far
    steps = [
        Step("a share", "sin^2 is at most 1.", lhs=_share, rhs=one, relation="<=", witness=-(sp.cos(_angle) ** 2)),
        Step("first variance", "The variances are positive,", lhs=first, rhs=zero, relation=">", witness=first),
        Step("second variance", "both of them.", lhs=second, rhs=zero, relation=">", witness=second),
    ]
    for sign, order in zip((-1, 1), _ORDERS):
        at = lambda shift, order=order: _pair(order, (zero, first), (shift, second))  # noqa: E731
        sides = []
        for what, shift in (("share", _share * far), ("whole", far)):
            laws = (
                {"mean": zero, "variance": first},
                {"mean": shift, "variance": second},
            )
            positive = {"variance": "first variance"}, {"variance": "second variance"}
            sides.append(
                by_fact(
                    f"{what}, {order}",
                    "An integral over the line,",
                    "divergence of two normal laws on the line",
                    {**_ordered(order, *laws), "epsilon": epsilon},
                    _ordered(order, *positive),
                )
            )
        ordered = (first, second)[::-sign]
        values = {
            joint_shift.lam: ordered[0],
            joint_shift.kappa: ordered[1],
            joint_shift.m: sign * far,
            joint_shift.shorter: _share,
            sp.Symbol("A", positive=True): 1 / sp.sqrt(2 * sp.pi * ordered[0]),
            sp.Symbol("B", positive=True): sp.exp(epsilon) / sp.sqrt(2 * sp.pi * ordered[1]),
        }
        grows = Step(
            f"shares, {order}",
            "which grows with the shift.",
            lhs=at(_share * far),
            rhs=at(far),
            relation="<=",
            kind="inference",
            premises=(
                Use("slice", of=joint_shift.grows_with_shift, at=values, granted={"t <= 1": "a share"}),
                *(side.name for side in sides),
            ),
        )
        mirrored = (
            {"mean": zero, "covariance": first, "image mean": zero, "image covariance": first},
            {
                "mean": _share * far,
                "covariance": second,
                "image mean": -_share * far,
                "image covariance": second,
            },
        )
        same = (
            {"mean": _sides(zero, zero), "covariance": _sides(held(-1) * first * held(-1), first)},
            {
                "mean": _sides(-(_share * far), -_share * far),
                "covariance": _sides(held(-1) * second * held(-1), second),
            },
        )
        matrices = {
            name: value if name == "epsilon" else sp.Matrix([[value]])
            for name, value in {**_ordered(order, *mirrored), "matrix": -one, "n": one, "epsilon": epsilon}.items()
        }
        mirror = by_fact(
            f"mirror, {order}",
            "The mirror x to -x takes the shift to the other side.",
            "one linear map with noise on two normal laws",
            {**matrices, "s": zero},
            {**_ordered(order, *same), "noise": Step("none", "No noise.", zero, zero, ">=", witness=zero)},
        )
        turned = Step(
            f"turned, {order}",
            "So there, too.",
            lhs=at(-_share * far),
            rhs=at(far),
            relation="<=",
            kind="inference",
            premises=(mirror.name, grows.name),
        )
        steps += [*sides, grows, mirror, turned]
    return Derivation(
        id="prediction_joint.longer_shifts",
        title="A longer shift on the line reveals more, on either side",
        sources=("N26-Pr8",),
        hypotheses=(),
        steps=tuple(steps),
        result_step="a share",
        symbols={},
        faults=(
            Fault(
                "shares of the other law",
                f"shares, {_ORDERS[0]}",
                lambda rhs: _pair(_ORDERS[0], (zero, second), (far, first)),
            ),
            Fault("shift kept", f"turned, {_ORDERS[1]}", lambda rhs: _pair(_ORDERS[1], (zero, first), (zero, second))),
        ),
        concludes=tuple(
            Conclusion(_CLAIM, f"{what}, {order}", part="monotone in the shift")
            for order in _ORDERS
            for what in ("shares", "turned")
        ),
    )


@cache
def grows_in_both() -> Derivation:
    """N(0, 1 + t^2) and N(t r, 1), to which every pair of the family can be scaled, reveal more at a larger t and at a
    larger r, both orders: of t = c T and r = d R, 0 <= c, d <= 1, the map c with noise makes the pair.

    `number`: 0, the least noise.
    """
    spread, pull = sp.symbols("T R", nonnegative=True)
    least = sp.sin(sp.Symbol("gamma", real=True)) ** 2  # t/T
    whole, near = 1 + spread**2, 1 + (least * spread) ** 2
    steps = [
        Step(
            "noise",
            "What is added to both is a variance.",
            lhs=1 - least**2,
            rhs=zero,
            relation=">=",
            witness=(1 + least) * sp.cos(sp.Symbol("gamma", real=True)) ** 2,
        ),
        Step("mean 0", "0 stays 0,", lhs=sp.Matrix([[held(least) * held(zero)]]), rhs=sp.Matrix([[zero]])),
        Step(
            "larger variance",
            "the one variance",
            lhs=sp.Matrix([[least**2 * whole + (1 - least**2)]]),
            rhs=sp.Matrix([[near]]),
        ),
        Step(
            "smaller variance",
            "and the other one are as they should be,",
            lhs=sp.Matrix([[least**2 * held(one) + (1 - least**2)]]),
            rhs=sp.Matrix([[one]]),
        ),
        Step(
            "shift",
            "and the shift.",
            lhs=sp.Matrix([[held(least) * held(spread * _share * pull)]]),
            rhs=sp.Matrix([[least * spread * _share * pull]]),
        ),
    ]
    for order in _ORDERS:
        pairs = (
            {"mean": zero, "covariance": whole, "image mean": zero, "image covariance": near},
            {
                "mean": _share * spread * pull,
                "covariance": one,
                "image mean": least * spread * _share * pull,
                "image covariance": one,
            },
        )
        image = by_fact(
            f"image, {order}",
            "One map, which sees neither law,",
            "one linear map with noise on two normal laws",
            {
                **{name: sp.Matrix([[value]]) for name, value in _ordered(order, *pairs).items()},
                "matrix": sp.Matrix([[least]]),
                "s": 1 - least**2,
                "n": sp.Matrix([[one]]),
                "epsilon": epsilon,
            },
            {
                **_ordered(
                    order,
                    {"mean": "mean 0", "covariance": "larger variance"},
                    {"mean": "shift", "covariance": "smaller variance"},
                ),
                "noise": "noise",
            },
        )
        longer = Use(f"shares, {order}", of=longer_shifts, at={_first: whole, _second: one, _far: spread * pull})
        steps += [
            image,
            Step(
                f"grows, {order}",
                "and a longer shift: both reveal more.",
                lhs=_pair(order, (zero, near), (least * spread * _share * pull, one)),
                rhs=_pair(order, (zero, whole), (spread * pull, one)),
                relation="<=",
                kind="inference",
                premises=(image.name, longer),
            ),
        ]
    return Derivation(
        id="prediction_joint.grows_in_both",
        title="The pairs of a prediction reveal more at a larger spread and at a larger pull",
        sources=("N26-Pr8",),
        hypotheses=(),
        steps=tuple(steps),
        result_step="noise",
        symbols={},
        faults=(
            Fault("spread kept", "larger variance", lambda rhs: sp.Matrix([[whole]])),
            Fault("noise forgotten", "smaller variance", lambda rhs: sp.Matrix([[least**2]])),
            Fault("shift kept", "shift", lambda rhs: sp.Matrix([[spread * _share * pull]])),
        ),
        concludes=tuple(
            Conclusion(_CLAIM, f"grows, {order}", part="monotone in the two numbers that matter") for order in _ORDERS
        ),
    )


_X, _o = sp.symbols("X o", positive=True)
_N = sp.Symbol("N", nonnegative=True)
_c, _k, _t, _kappa = sp.symbols("c k t kappa", real=True)
_NAMES: dict[sp.Symbol, sp.Expr] = {
    _X: scalar(wt * T * w),
    _o: scalar(wt * T * T * w),
    _N: scalar(qt * T * q),
    _c: scalar(qt * T * w),
    _k: scalar(wt * T * Ft * y),
}
_IN_W = without_rules((F, Ft, T, w, wt), (noise,))
_OUTPUTS = (
    (mean_without, added + variance_without),
    (at_values(mean_with, _OF_RECORD), added + at_values(variance_with, _OF_RECORD)),
)


def _named(symbol: sp.Symbol, why: str, *premises: str) -> Step:
    return Step(str(symbol), why, lhs=symbol, rhs=_NAMES[symbol], kind="definition", premises=premises)


def _at_least(name: str, why: str, lhs: sp.Expr, rhs: sp.Expr, *premises: str | Use) -> Step:
    return inferred(name, why, lhs, ">=", rhs, *premises)


def _inner_product(name: str, why: str, u: Any, v: Any) -> Step:
    letters = {"u": u, "u^T": transpose(u), "v": v, "v^T": transpose(v)}
    return by_fact(name, why, "Cauchy-Schwarz inequality of vectors", letters, {"features": "T"})


def _witnessed(name: str, why: str, value: sp.Expr) -> Step:
    return Step(name, why, lhs=value, rhs=zero, relation=">=", witness=value)


def _range_steps() -> tuple[Step, ...]:
    """The shares tau and z, the size x, and the ranges of both."""
    room = noise**2 + others * length**2
    return (
        by_fact(
            "T w",
            "The features of the new record are a w, its label is b. T w is not 0, as w is not;",
            "no vector but 0 goes to 0 alone",
            {"X": T, "Y": Ft * F + noise**2, "v": w, "image^T": wt * T},
            {"product": "T from the right", "vector": "w^T w > 0", "transpose": "(T w)^T"},
        ),
        *form_steps(w, "w^T T w = s^2 |T w|^2 + |F T w|^2", _IN_W),
        inferred(
            "w^T T w > 0",
            "is positive, too.",
            scalar(wt * T * w),
            ">",
            zero,
            *("w^T T w", Use("T w", weight=noise**2), "|F T w|^2", "T^T"),
        ),
        _named(_X, "X = w^T T w", "w^T T w > 0"),
        _named(_o, "and o = |T w|^2.", "T w"),
        by_fact(
            "squares of F",
            "The squares of the entries of F add up to at most m l^2,",
            "image under a matrix of bounded squares",
            {"M": F, "v": T * w},
            {"real": "T"},
        ),
        inferred(
            "o above",
            "so o is at least a share of X,",
            _X,
            "<=",
            room * _o,
            *("squares of F", Use("tr(F^T F) <= m l^2", weight=_o), "X", "w^T T w", "o", "T^T"),
        ),
        inferred(
            "o below",
            "and s^2 o at most X.",
            noise**2 * _o,
            "<=",
            _X,
            *(Use("|F T w|^2", weight=-1), "X", "w^T T w", "o", "T^T"),
        ),
        Step("tau", "tau = s^2 o/X", lhs=tau, rhs=noise**2 * _o / _X, kind="definition"),
        inferred("tau <= 1", "is at most 1,", tau, "<=", one, "tau", Use("o below", weight=1 / _X)),
        Step("z", "z = 1 - tau not negative", lhs=z, rhs=1 - tau, kind="definition", premises=("tau <= 1",)),
        inferred(
            "z at most",
            "and at most this, the range of z;",
            z,
            "<=",
            others * length**2 / room,
            *("z", "tau", Use("o above", weight=noise**2 / (room * _X))),
        ),
        Step("z at least", "its least value.", lhs=z, rhs=zero, relation=">=", witness=z),
        Step("x", "x = a^2 X.", lhs=x, rhs=size**2 * _X, kind="definition"),
        Step("x at least", "Its least value.", lhs=x, rhs=zero, relation=">=", witness=x),
        _inner_product("w and T w", "X is the inner product of w and T w,", w, T * w),
        inferred(
            "x at most",
            "and a w at most l long: the range of x.",
            x,
            "<=",
            (1 - z) * length**2 / noise**2,
            Use("w and T w", weight=size**2 / _X),
            Use(_LENGTH, weight=_o / _X),
            *("x", "z", "tau", "T^T", "X", "o"),
        ),
    )


def _shift_steps(pulled: sp.Expr) -> tuple[Step, ...]:
    """What labels up to B can do: the shift is at most the family's."""
    pull = sp.sqrt(others) * sp.sqrt(z) * sp.sqrt(x)
    return (
        _named(_k, "The mean at w, from the other labels,"),
        _inner_product("y and F T w", "is an inner product of y,", F * T * w, y),
        inferred(
            "k^2",
            "whose squares add up to at most m B^2:",
            _k**2,
            "<=",
            others * labels**2 * z * _X,
            Use("y and F T w"),
            Use("y^T y <= m B^2", weight=z * _X),
            *("z", "tau", "X", "w^T T w", "k", "o", "T^T"),
        ),
        inferred(
            "b^2",
            "the new label is at most B in size, too.",
            label**2,
            "<=",
            labels**2,
            Use(_LABEL, weight=labels + sp.Abs(label)),
        ),
        inferred(
            "cross term squared",
            "The square of both together:",
            (-label * size * _k) ** 2,
            "<=",
            (labels**2 * pull) ** 2,
            Use("k^2", weight=size**2 * label**2),
            Use("b^2", weight=labels**2 * others * z * x),
            "x",
        ),
        _witnessed("cross bound", "Not negative,", labels**2 * pull),
        by_fact(
            "cross term",
            "so the product is bounded,",
            "a number and a larger square",
            {"a": -label * size * _k, "b": labels**2 * pull},
            {"squares": "cross term squared", "sign": "cross bound"},
        ),
        Step("t", "t is the new label less the mean at a w:", lhs=_t, rhs=label - size * _k, kind="definition"),
        inferred(
            "t^2",
            "and |t| <= B (1 + sqrt(m z x)).",
            _t**2,
            "<=",
            labels**2 * (1 + pull) ** 2,
            *("t", "b^2", Use("k^2", weight=size**2), Use("cross term", weight=2), "x"),
        ),
        inferred(
            "shift squared",
            "So the shift stays below the family's.",
            pulled**2,
            "<=",
            shift_of(tau) ** 2,
            Use("t^2", weight=length**2 * tau * size**2 * _X / (noise**2 * (1 + size**2 * _X) ** 2)),
            "x",
        ),
    )


def _factor_steps(root: sp.Expr) -> tuple[Step, ...]:
    """c = kappa sqrt(tau X)/s, kappa^2 at most l^2 and s^2 N/tau."""
    whole = 1 + x
    return (
        squared("|T q|^2", "A squared length,", T * q),
        *form_steps(q, "of both of which q^T T q is made,"),
        _at_least(
            "q^T T q >= 0",
            "so it is not negative.",
            scalar(qt * T * q),
            zero,
            *(Use("|T q|^2", weight=noise**2), "|F T q|^2", "q^T T q", "T^T"),
        ),
        _named(_N, "N = q^T T q", "q^T T q >= 0"),
        _named(_c, "and c = q^T T w."),
        _inner_product("q and T w", "c is the inner product of q and T w,", q, T * w),
        inferred(
            "c and l",
            "q at most l long:",
            _c**2,
            "<=",
            length**2 * _o,
            *("q and T w", Use("q^T q <= l^2", weight=_o), "c", "o", "T^T"),
        ),
        in_letters(
            "T is semidefinite",
            "T is a sum of squares,",
            T,
            noise**2 * transpose(T) * T + transpose(T) * Ft * F * T,
            "T^T",
            Use("two squares", between=(one, one)),
        ),
        by_fact(
            "c, N and X",
            "so of the form T",
            "Cauchy-Schwarz inequality of a form",
            {
                "A": T,
                "u": q,
                "u^T": qt,
                "v": w,
                "v^T": wt,
                "B": noise * T,
                "B^T": noise * transpose(T),
                "C": F * T,
                "C^T": transpose(F * T),
            },
            {"semidefinite": "T is semidefinite"},
        ),
        inferred("c and N", "c^2 <= N X, too.", _c**2, "<=", _N * _X, "c, N and X", "c", "N", "X"),
        Step("kappa", "The factor.", lhs=_kappa, rhs=noise * _c / root, kind="definition"),
        inferred("c from kappa", "c = kappa sqrt(tau X)/s,", _c, "=", _kappa * root / noise, "kappa"),
        _at_least(
            "kappa and l",
            "kappa^2 <= l^2",
            length**2,
            _kappa**2,
            *(Use("c and l", weight=-(noise**2) / (tau * _X)), "kappa", "tau"),
        ),
        _at_least(
            "kappa and N",
            "and tau kappa^2 <= s^2 N.",
            noise**2 * _N,
            tau * _kappa**2,
            *(Use("c and N", weight=-(noise**2) / _X), "kappa"),
        ),
        _witnessed("left over", "Not negative,", added + _kappa**2 * tau / whole),
        _witnessed("v + V", "nor is this variance,", added + noise**2 * _N),
        _at_least(
            "v + V'",
            "nor the one with the record.",
            added + noise**2 * (_N - size**2 * _c**2 / (1 + size**2 * _X)),
            zero,
            *("kappa and N", "left over", "c from kappa", "x"),
        ),
    )


def _map_steps(rest: sp.Expr, pulled: sp.Expr) -> tuple[Step, ...]:
    """One map for both laws: kappa/l, with noise."""
    entry = lambda value: sp.Matrix([[value]])  # noqa: E731
    over = 1 + size**2 * _X
    return (
        _at_least(
            "noise",
            "What is added to both is a variance.",
            rest,
            zero,
            *(Use("kappa and l", weight=added / length**2), "kappa and N"),
        ),
        Step("mean 0", "0 stays 0.", lhs=entry(held(_kappa / length) * held(zero)), rhs=entry(zero)),
        Step(
            "larger variance",
            "The map kappa/l with this noise makes the one variance",
            lhs=entry(_kappa**2 / length**2 * (added + length**2 * tau) + rest),
            rhs=entry(added + noise**2 * _N),
        ),
        inferred(
            "shift",
            "and the shift,",
            entry(_kappa / length * pulled),
            "=",
            entry(size * _c * _t / over),
            "c from kappa",
        ),
        inferred(
            "smaller variance",
            "and the other variance, too.",
            entry(_kappa**2 / length**2 * (added + length**2 * tau / (1 + x)) + rest),
            "=",
            entry(added + noise**2 * (_N - size**2 * _c**2 / over)),
            *("c from kappa", "x"),
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
    root, over = sp.sqrt(tau * _X), 1 + size**2 * _X
    pulled = length * size * root * _t / (noise * over)
    rest = added * (1 - _kappa**2 / length**2) + noise**2 * _N - _kappa**2 * tau
    steps = [
        *weight_steps(),
        inferred("(T w)^T", "(T w)^T = w^T T.", transpose(T * w), "=", wt * T, "T^T"),
        *_range_steps(),
        *_shift_steps(pulled),
        *_factor_steps(root),
        *_map_steps(rest, pulled),
        inferred("z in full", "z and", z, "=", _Z_IN_FULL, *("z", "tau", "X", "o", "T")),
        inferred("x in full", "x as products of letters.", x, "=", _X_IN_FULL, *("x", "X", "T")),
    ]
    for order in _ORDERS:
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
        hypotheses=_HYPOTHESES,
        steps=tuple(steps),
        result_step="shift squared",
        symbols={"length": length, "labels": labels, "noise": noise, "others": others, "tau": tau, "z": z, "x": x},
        faults=(
            Fault("l for l^2", "x at most", lambda rhs: rhs / length),
            Fault("m forgotten", "k^2", lambda rhs: labels**2 * z * _X),
            Fault("others' labels forgotten", "t^2", lambda rhs: labels**2),
            Fault("noise in the shift only once", "shift squared", lambda rhs: rhs / (1 + x)),
            Fault("variance at the query forgotten", "c and N", lambda rhs: rhs / 2),
            Fault("one square of two", "w^T T w", lambda rhs: noise**2 * scalar(wt * T * T * w)),
            Fault("more noise", "larger variance", lambda rhs: rhs + sp.Matrix([[_N]])),
            Fault("variance kept", "smaller variance", lambda rhs: sp.Matrix([[added + noise**2 * _N]])),
            Fault("shift of the other sign", "shift", lambda rhs: -rhs),
            Fault("z up to twice as much", "z at most", lambda rhs: 2 * rhs),
            Fault("record forgotten in z", "range of x", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(
            Conclusion(_CLAIM, name, {**known, **numbers})
            for name in (*(f"worst, {order}" for order in _ORDERS), *(name for name, _, _ in ranges))
        ),
    )


def _compared(order: str, rest: sp.Expr, pulled: sp.Expr) -> tuple[Step, ...]:
    """The two outputs in one order of the pair against the family's pair."""
    over = 1 + size**2 * _X
    moved, kept = size * _c * _t / over, noise**2 * _N
    fallen = noise**2 * (_N - size**2 * _c**2 / over)
    stated = meaning(f"released, {order}", "normal_pair", *_stated(order, *_OUTPUTS))
    outputs = inferred(
        f"outputs, {order}",
        "With the mean and the variances as they move,",
        stated.rhs,
        "=",
        _pair(order, (mean_without, added + kept), (mean_without + moved, added + fallen)),
        Use("mean moves", of=update, at=_OF_RECORD),
        Use("variance falls", of=update, at=_OF_RECORD),
        Use("variance", of=update),
        *("t", "c", "k", "N", "X", "T"),
    )
    laws = {"mean": zero, "variance": added + kept}, {"mean": moved, "variance": added + fallen}
    translated = by_fact(
        f"translated, {order}",
        "less the mean without the record,",
        "a common translation",
        {**_ordered(order, *laws), "shift": mean_without, "epsilon": epsilon},
        _ordered(order, {"variance": "v + V"}, {"variance": "v + V'"}),
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
            **{name: sp.Matrix([[value]]) for name, value in _ordered(order, *pairs).items()},
            "matrix": sp.Matrix([[_kappa / length]]),
            "s": rest,
            "n": sp.Matrix([[one]]),
            "epsilon": epsilon,
        },
        {
            **_ordered(
                order,
                {"mean": "mean 0", "covariance": "larger variance"},
                {"mean": "shift", "covariance": "smaller variance"},
            ),
            "noise": "noise",
        },
    )
    whole = shift_of(tau)
    at = lambda shift: _pair(order, (zero, larger), (shift, smaller))  # noqa: E731
    shares = [
        inferred(
            f"{what}, {order}",
            "Every share of the largest shift, on either side, reveals no more:",
            at(sign * _share * whole),
            "<=",
            at(whole),
            Use(f"{what}, {order}", of=longer_shifts, at={_first: larger, _second: smaller, _far: whole}),
        )
        for what, sign in (("shares", 1), ("turned", -1))
    ]
    longer = by_fact(
        f"longer, {order}",
        "this shift is such a share.",
        "every number of smaller size is a share",
        {"f": at(_argument), "argument": _argument, "low": pulled, "high": whole, "angle": _angle},
        {"shares": shares[0].name, "turned": shares[1].name, "order": "shift squared"},
    )
    family = meaning(f"family, {order}", "normal_pair", *_stated(order, *_family(1 - z)))
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


@cache
def attained() -> Derivation:
    """Every pair of the family is the pair of outputs of two neighbouring databases with one feature: k(a, b) = a b,
    other records of features f e_i and labels -B e_i, of which m = e^T e counts, e = (1, ..., 1) for m records; the new
    one of feature c and label B, the query l (N26-Pr8).

    z = m f^2/(s^2 + m f^2), x = c^2/(s^2 + m f^2). `number`: the shift sqrt(w X) r at `length`, `labels`, `noise` (s),
    `others` (m), `z`, `x`.
    """
    f, c, M = sp.symbols("f c M", nonnegative=True)
    e = letter("e")
    et = transpose(e)
    g, G, H = f * e, letter("G"), letter("H")
    h, targets = quantity("above", g, c), quantity("above", -labels * e, labels)
    ht = transpose(h)
    here, there = noise**2 + f**2 * M, noise**2 + f**2 * M + c**2
    inner, whole = f**2 * e * et + noise**2, h * ht + noise**2
    algebra = without_rules((e, et, h, ht, targets, G, H), (f, c, M, noise, labels))
    lettered = lambda name, why, lhs, rhs, *premises: in_letters(  # noqa: E731
        name, why, lhs, rhs, *premises, algebra=algebra
    )
    blocks = "a product of blocks, one above the other"
    released = lambda features, matrix, of: (  # noqa: E731
        scalar(length * transpose(features) * inverse(matrix) * of),
        length**2 - scalar(length**2 * transpose(features) * inverse(matrix) * features),
    )
    outputs = released(g, inner, -labels * e), released(h, whole, targets)
    mean, mean_then = -length * labels * f * M / here, length * labels * (c - f * M) / there
    spread, spread_then = length**2 * noise**2 / here, length**2 * noise**2 / there
    moved = sp.Symbol("D", real=True)
    family_z, family_x = M * f**2 / (noise**2 + M * f**2), c**2 / (noise**2 + M * f**2)
    steps = [
        *(
            step
            for name, matrix, whose in (
                (G, inner, "The other records have features f e and labels -B e, the query l."),
                (H, whole, "The new one has the feature c and the label B."),
            )
            for step in (
                *inverse_steps(name, matrix, f"{whose} {name} is the inverse of the kernel matrix with its noise:"),
                by_fact(
                    f"{name} in full",
                    "no matrix has another one.",
                    "an inverse from one side",
                    {"X": name, "Y": matrix},
                    {"product": f"{name} from the left"},
                ),
            )
        ),
        by_fact("e^T e", "A squared length:", "squared length", {"w": e, "w^T": et}, {"real": "G"}),
        Step("M", "the number m.", lhs=M, rhs=scalar(et * e), kind="definition", premises=("e^T e",)),
        lettered("M in letters", "A product that is a number:", et * e, M, "M"),
        by_fact(
            "h^T h", "The new feature below the other ones,", blocks, {"A": g, "B": c, "C": g, "D": c}, {"rows": "G"}
        ),
        by_fact(
            "h^T y",
            "times itself and times the labels.",
            blocks,
            {"A": g, "B": c, "C": -labels * e, "D": labels},
            {"rows": "G"},
        ),
        lettered(
            "h in letters",
            "Both are numbers:",
            ht * h,
            f**2 * M + c**2,
            Use("h^T h", between=(one, one)),
            Use("M in letters", between=(f**2, one)),
        ),
        lettered(
            "labels in letters",
            "the second one.",
            ht * targets,
            labels * (c - f * M),
            Use("h^T y", between=(one, one)),
            Use("M in letters", between=(-f * labels, one)),
        ),
        lettered(
            "through G",
            "As e^T (f^2 e e^T + s^2 I) = (f^2 M + s^2) e^T, G goes through,",
            et * G,
            et / here,
            Use("G from the right", between=(et / here, one)),
            Use("M in letters", between=(-(f**2) / here, et * G)),
        ),
        lettered(
            "through H",
            "and H.",
            ht * H,
            ht / there,
            Use("H from the right", between=(ht / there, one)),
            Use("h in letters", between=(-one / there, ht * H)),
        ),
        lettered(
            "mean",
            "The outputs: without the new record the mean",
            outputs[0][0],
            mean,
            "G in full",
            Use("through G", between=(-length * labels * f, e)),
            Use("M in letters", between=(-length * labels * f / here, one)),
        ),
        lettered(
            "variance",
            "and the variance,",
            outputs[0][1],
            spread,
            "G in full",
            Use("through G", between=(-(length**2) * f**2, e)),
            Use("M in letters", between=(-(length**2) * f**2 / here, one)),
        ),
        lettered(
            "mean with",
            "with it the mean",
            outputs[1][0],
            mean_then,
            "H in full",
            Use("through H", between=(length, targets)),
            Use("labels in letters", between=(length / there, one)),
        ),
        lettered(
            "variance with",
            "and the variance.",
            outputs[1][1],
            spread_then,
            "H in full",
            Use("through H", between=(-(length**2), h)),
            Use("h in letters", between=(-(length**2) / there, one)),
        ),
        Step("z", "z = m f^2/(s^2 + m f^2)", lhs=z, rhs=family_z, kind="definition"),
        Step("x", "and x = c^2/(s^2 + m f^2):", lhs=x, rhs=family_x, kind="definition"),
        Step("D", "D, how far the mean moves,", lhs=moved, rhs=mean_then - mean, kind="definition"),
        inferred("shift", "is the family's shift.", moved, "=", shift_of(1 - z, M), "D", "z", "x"),
        _witnessed("v + w", "Not negative,", added + spread),
        _witnessed("v + w (1 - X)", "neither of them.", added + spread_then),
    ]
    count = scalar(et * e)
    in_full = {M: count, **{one: value.subs(M, count) for one, value in ((z, family_z), (x, family_x))}}
    steps += [
        inferred(f"{one} in full", "As products of letters.", one, "=", in_full[one], str(one), "M") for one in (z, x)
    ]
    for order in _ORDERS:
        stated = meaning(
            f"released, {order}", "normal_pair", *_stated(order, *((m, added + more) for m, more in outputs))
        )
        laws = {"mean": zero, "variance": added + spread}, {"mean": moved, "variance": added + spread_then}
        translated = by_fact(
            f"translated, {order}",
            "The mean without the new record may be taken off,",
            "a common translation",
            {**_ordered(order, *laws), "shift": mean, "epsilon": epsilon},
            _ordered(order, {"variance": "v + w"}, {"variance": "v + w (1 - X)"}),
        )
        family = meaning(f"family, {order}", "normal_pair", *_stated(order, *_family(1 - z, M)))
        put = inferred(
            f"outputs, {order}",
            "What is released,",
            stated.rhs,
            "=",
            translated.lhs,
            *("mean", "variance", "mean with", "variance with", "D"),
        )
        member = inferred(
            f"in the family, {order}",
            "and this is the family's pair at (z, x).",
            stated.lhs,
            "=",
            family.lhs,
            *(stated.name, put.name, translated.name, "shift", family.name, "z", "x"),
        )
        steps += [
            *(stated, translated, put, family, member),
            inferred(
                f"attained, {order}",
                "Written out.",
                stated.lhs,
                "=",
                family.lhs.subs(in_full, simultaneous=True),
                *(member.name, "z in full", "x in full", "M"),
            ),
        ]
    return Derivation(
        id="prediction_joint.attained",
        title="Every pair of the family is the pair of outputs of two neighbouring databases with one feature",
        sources=("N26-D8", "N26-Pr8"),
        hypotheses=(),
        steps=tuple(steps),
        result_step="shift",
        symbols={"length": length, "labels": labels, "noise": noise, "others": M, "z": z, "x": x},
        faults=(
            Fault("own feature forgotten", "h in letters", lambda rhs: f**2 * M),
            Fault("others' labels forgotten", "labels in letters", lambda rhs: labels * c),
            Fault("noise left out", "through G", lambda rhs: rhs * here / (f**2 * M)),
            Fault("variance kept", "variance with", lambda rhs: spread),
            Fault("l for l^2", "variance", lambda rhs: rhs / length),
            Fault("shift of the other sign", "shift", lambda rhs: -rhs),
            Fault("no other record", "mean", lambda rhs: rhs.subs(M, one)),
        ),
        concludes=tuple(
            Conclusion(
                _ATTAINED,
                f"attained, {order}",
                {"e": e, "f": f, "c": c, "l": length, "B": labels, "s": noise, "v": added, "eps": epsilon},
            )
            for order in _ORDERS
        ),
    )


_RANGES = "z <= m l^2/(s^2 + m l^2)", "x <= (1 - z) l^2/s^2"


@cache
def in_range() -> Derivation:
    """At every z and x of the ranges of the family other records and a new one have its features: R = s^2 z/(1 - z) is
    the sum of the squares of the others', at most m l^2, and s^2 x/(1 - z) the square of the new one's (N26-Pr8).

    `number`: R at `noise` (s), `z`.
    """
    room = noise**2 + others * length**2
    total, own = noise**2 * z / (1 - z), noise**2 * x / (1 - z)
    least = noise**2 / room
    steps = (
        Step("least", "Positive.", lhs=least, rhs=zero, relation=">", witness=least),
        inferred("1 - z", "z is below 1.", 1 - z, ">", zero, Use(_RANGES[0], weight=-1), "least"),
        Step("tau", "tau = 1 - z.", lhs=tau, rhs=1 - z, kind="definition", premises=("1 - z",)),
        inferred(
            "features of the others",
            "There is room for z in the features of the others,",
            total,
            "<=",
            others * length**2,
            Use(_RANGES[0], weight=room / tau),
            "tau",
        ),
        inferred(
            "feature of the new record",
            "and for x in that of the new record,",
            own,
            "<=",
            length**2,
            Use(_RANGES[1], weight=noise**2 / tau),
            "tau",
        ),
        Step("z of the features", "of which z", lhs=total / (noise**2 + total), rhs=z),
        Step("x of the features", "and x are made.", lhs=own / (noise**2 + total), rhs=x),
    )
    return Derivation(
        id="prediction_joint.in_range",
        title="Every z and x of the ranges of the family are those of features that are no longer than allowed",
        sources=("N26-Pr8",),
        hypotheses=(
            Hypothesis(_RANGES[0], sp.Le(z, others * length**2 / room)),
            Hypothesis(_RANGES[1], sp.Le(x, (1 - z) * length**2 / noise**2)),
        ),
        steps=steps,
        result_step="features of the others",
        symbols={"length": length, "others": others},
        faults=(
            Fault("features half as long", "features of the others", lambda rhs: rhs / 4),
            Fault("new feature half as long", "feature of the new record", lambda rhs: rhs / 4),
            Fault("noise forgotten", "z of the features", lambda rhs: rhs / noise**2),
            Fault("z forgotten", "x of the features", lambda rhs: rhs * (1 - z)),
        ),
        concludes=tuple(
            Conclusion(_ATTAINED, name, {"z": z, "x": x, "m": others, "l": length, "s": noise})
            for name in (
                *("features of the others", "feature of the new record"),
                *("z of the features", "x of the features"),
            )
        ),
    )
