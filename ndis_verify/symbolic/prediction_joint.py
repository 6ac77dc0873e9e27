"""How one record moves the mean and the variance of a Gaussian-process prediction together: the exact worst pairs.

U and V are the variances at the new point and at the query, c the covariance, all given the other records; t is the new
label less the mean at the new point. tau = |S phi|^2/U, z = 1 - tau, x = U/s^2.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic import joint_shift
from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import bordered, divergence, held, normal, quotient, scalar
from ndis_verify.symbolic.prediction_features import (
    AT_NEW,
    AT_OTHERS,
    AT_QUERY,
    FEW,
    KERNEL,
    LETTERS,
    NEW_LABEL,
    OTHER_LABELS,
    G,
    P,
    Pt,
    S,
    at_least,
    at_query,
    count,
    covariance,
    decided,
    derived,
    f,
    fit,
    ft,
    label,
    labels,
    left,
    length,
    mean_with,
    mean_without,
    noise,
    one,
    others,
    p,
    posterior_steps,
    pt,
    size_steps,
    squared,
    update_steps,
    variance,
    variance_with,
    variance_without,
    weights,
    y,
    yt,
    zero,
)

_CLAIM = "N26-Pr8-joint"
_KERNEL_BOUND = "k(x, x) <= l^2 at records and query"
_GRANTED = {
    **dict.fromkeys((AT_QUERY.text, AT_NEW.text, AT_OTHERS), _KERNEL_BOUND),
    **dict.fromkeys((NEW_LABEL.text, OTHER_LABELS), "|y| <= B"),
    FEW.text: "at most n records in the larger database",
}
_DATABASE = "database"
_PART = "every pair of outputs is the image of one of the family"
_REACHED = "every pair of the family is one of outputs"
_RANGES = "z <= m l^2/(s^2 + m l^2)", "x <= (1 - z) l^2/s^2"
_IN_FAMILY = dict.fromkeys(_RANGES, "z and x in the ranges of the family")
_ORDERS = ("without the record first", "with the record first")

_first, _second = sp.symbols("a b", positive=True)  # variances
_far, _argument = sp.symbols("w y", real=True)  # shifts

added, z, x = sp.symbols("v z x", nonnegative=True)
tau = sp.Symbol("tau", positive=True)
epsilon = sp.Symbol("epsilon", real=True)
_angle = sp.Symbol("alpha", real=True)  # every share is the square of its sine
_share = sp.sin(_angle) ** 2


def shift_of(kept: sp.Expr) -> sp.Expr:
    """The shift of the family's pair at (z, x), `kept` being 1 - z."""
    pull = 1 + sp.sqrt(others * z * x)
    return length * labels * sp.sqrt(kept) * sp.sqrt(x) * pull / (noise * (1 + x))


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


def _family(order: str, kept: sp.Expr, shift: sp.Expr) -> sp.Expr:
    return _pair(order, (zero, added + length**2 * kept), (shift, added + length**2 * kept / (1 + x)))


@cache
def update() -> Derivation:
    """With a new record the mean moves by c t/h and the variance falls by c^2/h, h = U + s^2 (N26-D8, N26-Pr8).

    `number`: the noise's part of h, s^2, at `noise`.
    """
    return Derivation(
        id="prediction_joint.update",
        title="What a new record does to the mean and the variance of a Gaussian-process prediction",
        sources=("N26-D8", "N26-Pr8"),
        hypotheses=(KERNEL,),
        steps=(*posterior_steps(), *size_steps(), *update_steps()),
        result_step="s^2",
        symbols={"noise": noise},
        faults=(
            Fault("noise's deviation for its variance", "pushed through", lambda rhs: noise * rhs),
            Fault("one square of two", "U in two parts", lambda rhs: left),
            Fault("noise left out of h", "h", lambda rhs: rhs - noise**2),
            Fault("label alone", "mean moves", lambda rhs: rhs + covariance * fit / (variance + noise**2)),
            Fault("variance kept", "variance falls", lambda rhs: variance_without),
        ),
        concludes=(
            Conclusion(_CLAIM, "mean moves", part="how the mean moves"),
            Conclusion(_CLAIM, "variance falls", part="how the variance falls"),
        ),
    )


def _positive(value: sp.Expr) -> Step:
    return Step("positive", "Positive.", lhs=value, rhs=zero, relation=">", witness=value)


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


@cache
def worst_pairs() -> Derivation:
    """Both laws of a prediction, without a record and with it, are the images under one map of N(0, v + w) and
    N(sqrt(w X) r, v + w (1 - X)), w = l^2 (1 - z), X = x/(1 + x), r = (B/s)(1 + sqrt(m z x))/sqrt(1 + x), for a z
    and an x with 0 <= x <= (1 - z) l^2/s^2, 0 <= z <= m l^2/(s^2 + m l^2) (N26-Pr8).

    At most m + 1 records in the larger database. `number`: the square of the shift sqrt(w X) r at `length`, `labels`,
    `noise` (s), `others` (m), `tau` (1 - z), `z`, `x`.
    """
    U, V, own = sp.symbols("U V o", nonnegative=True)  # own = |S phi|^2
    c, t, kappa = sp.symbols("c t kappa", real=True)
    before, after, spread_after = sp.symbols("mu mu' V'", real=True)
    least = noise**2 / (noise**2 + others * length**2)  # of 1 - z
    part = quotient(own, U, least)
    size, whole = sp.sqrt(tau * U), U + noise**2
    along = quotient(c, size, zero)
    rest = added * (1 - kappa**2 / length**2) + V - kappa**2 * tau
    pulled = length * size * t / whole
    pull = sp.sqrt(others * z * x)
    rows, square = "a quotient between two bounds", "a quotient of bounded square"
    posterior = Use("posterior covariance", between=(ft, f))
    of_part = {"x": own, "y": U, "a": least, "b": one}
    shown_of_part = {"sign": "U", "order": "least is a share", "low": "o above", "high": "o below"}
    of_c = {"x": c, "y": size}
    steps = [
        *posterior_steps(),
        *size_steps(),
        # U and o = |S phi|^2
        Step("def U", "The variance at the new point,", lhs=U, rhs=variance, kind="definition", premises=("U >= 0",)),
        Step("def o", "and o = |S phi|^2.", lhs=own, rhs=left, kind="definition", premises=("|S phi|",)),
        Step("U", "Not negative.", lhs=U, rhs=zero, relation=">=", witness=U),
        Step(
            "least is a share",
            "A number of (0, 1].",
            lhs=least,
            rhs=one,
            relation="<=",
            witness=-others * length**2 / (noise**2 + others * length**2),
        ),
        Step("least is positive", "A number of (0, 1].", lhs=least, rhs=zero, relation=">", witness=least),
        by_fact(
            "rows of Phi",
            "The j rows of Phi are at most l long:",
            "image under rows of bounded length",
            {"M": P, "M^T": Pt, "v": S * p, "v^T": pt * S, "count": count, "length": length},
            {"rows": AT_OTHERS},
        ),
        Step(
            "o above",
            "so o is at least this share of U,",
            lhs=least * U,
            rhs=own,
            relation="<=",
            kind="inference",
            premises=(
                Use("rows of Phi", weight=least / noise**2),
                Use(FEW.text, weight=least * length**2 * own / noise**2),
                "def U",
                "U in two parts",
                "def o",
            ),
        ),
        Step(
            "o below",
            "and at most U.",
            lhs=own,
            rhs=one * U,
            relation="<=",
            kind="inference",
            premises=(Use("|Phi S phi|", weight=-1 / noise**2), "def U", "U in two parts", "def o"),
        ),
        by_fact("share", "So o is a share of U,", rows, of_part, shown_of_part),
        by_fact("share, below", "from this one", f"{rows}, below", of_part, shown_of_part),
        by_fact("share, above", "to 1.", f"{rows}, above", of_part, shown_of_part),
        Step("def z", "z is the other share.", lhs=z, rhs=1 - part, kind="definition", premises=("share, above",)),
        at_least(
            "z <= m l^2/(s^2 + m l^2)",
            "The range of z,",
            others * length**2 / (noise**2 + others * length**2),
            z,
            "share, below",
            "def z",
        ),
        Step(
            "1 - z",
            "which is below 1.",
            lhs=1 - z,
            rhs=zero,
            relation=">",
            kind="inference",
            premises=("share, below", "least is positive", "def z"),
        ),
        Step("def tau", "tau = 1 - z.", lhs=tau, rhs=1 - z, kind="definition", premises=("1 - z",)),
        Step("def x", "x = U/s^2.", lhs=x, rhs=U / noise**2, kind="definition"),
        Step("o", "o = tau U.", lhs=own, rhs=tau * U, kind="inference", premises=("share", "def tau", "def z")),
        # x is at most (1 - z) l^2/s^2
        by_fact(
            "U, phi and S phi",
            "U is the inner product of phi and S phi,",
            "Cauchy-Schwarz inequality of vectors",
            {"u": p, "u^T": pt, "v": S * p, "v^T": pt * S},
            {"features": LETTERS},
        ),
        Step(
            "U and o",
            "and phi at most l long:",
            lhs=U**2,
            rhs=length**2 * own,
            relation="<=",
            kind="inference",
            premises=("U, phi and S phi", Use(AT_NEW.text, weight=own), "def U", "def o"),
        ),
        Step(
            "U^2",
            "o = tau U,",
            lhs=U**2 * one,
            rhs=U * length**2 * tau,
            relation="<=",
            kind="inference",
            premises=("U and o", "o"),
        ),
        Step("l^2 tau", "Not negative.", lhs=length**2 * tau, rhs=zero, relation=">=", witness=length**2 * tau),
        by_fact(
            "U above",
            "so U <= l^2 tau,",
            "a common factor",
            {"p": U, "k": one, "n": length**2 * tau},
            {"order": "U^2", "factor": "U", "other": "l^2 tau"},
        ),
        at_least(
            "x <= (1 - z) l^2/s^2",
            "the range of x.",
            (1 - z) * length**2 / noise**2,
            x,
            Use("U above", weight=-1 / noise**2),
            "def x",
            "def tau",
        ),
        # what the others' labels can do
        derived(
            "|beta|^2",
            "beta = G Phi phi, the weights of the other labels in the mean at the new point: s^2 |beta|^2 = U - o,",
            weights,
            (U - own) / noise**2,
            Use("pushed through", between=(pt * Pt * G, p)),
            Use("pushed through", between=(pt * Pt / noise**2, S * p)),
            "def U",
            "def o",
        ),
        Step(
            "beta",
            "which is z x.",
            lhs=weights,
            rhs=z * x,
            kind="inference",
            premises=("|beta|^2", "share", "def z", "def x"),
        ),
        by_fact(
            "y and beta",
            "The mean at the new point is the inner product of y and beta,",
            "Cauchy-Schwarz inequality of vectors",
            {"u": y, "u^T": yt, "v": G * P * p, "v^T": pt * Pt * G},
            {"features": LETTERS},
        ),
        by_fact(
            "j labels",
            "and |y|^2 is a sum of j squares up to B^2:",
            "image under rows of bounded length",
            {"M": y, "M^T": yt, "v": one, "v^T": one, "count": count, "length": labels},
            {"rows": OTHER_LABELS},
        ),
        Step(
            "mean at the new point",
            "so it is at most B sqrt(m z x) in size.",
            lhs=fit**2,
            rhs=labels**2 * pull**2,
            relation="<=",
            kind="inference",
            premises=(
                "y and beta",
                Use("j labels", weight=z * x),
                Use(FEW.text, weight=labels**2 * z * x),
                "beta",
            ),
        ),
        Step(
            "cross term squared",
            "Times the new label:",
            lhs=(-label * fit) ** 2,
            rhs=(labels**2 * pull) ** 2,
            relation="<=",
            kind="inference",
            premises=(Use("mean at the new point", weight=label**2), Use(NEW_LABEL.text, weight=labels**2 * pull**2)),
        ),
        Step("cross bound", "Not negative,", lhs=labels**2 * pull, rhs=zero, relation=">=", witness=labels**2 * pull),
        by_fact(
            "cross term",
            "so the product is bounded,",
            "a number and a larger square",
            {"a": -label * fit, "b": labels**2 * pull},
            {"squares": "cross term squared", "sign": "cross bound"},
        ),
        Step("def t", "t is the new label less that mean:", lhs=t, rhs=label - fit, kind="definition"),
        Step(
            "t",
            "and |t| <= B (1 + sqrt(m z x)).",
            lhs=t**2,
            rhs=labels**2 * (1 + pull) ** 2,
            relation="<=",
            kind="inference",
            premises=(Use(NEW_LABEL.text), "mean at the new point", Use("cross term", weight=2), "def t"),
        ),
        Step(
            "shift squared",
            "So the shift stays below the family's.",
            lhs=pulled**2,
            rhs=shift_of(tau) ** 2,
            relation="<=",
            kind="inference",
            premises=(Use("t", weight=length**2 * tau * U / whole**2), "def x"),
        ),
        # c = kappa sqrt(tau U), kappa^2 at most l^2 and V/tau
        squared("|S f|", "A squared length,", S * f, ft * S),
        squared("|Phi S f|", "another one,", P * S * f, ft * S * Pt),
        decided(
            "V in two parts",
            "of which V is made,",
            at_query,
            scalar(ft * S * S * f) + scalar(ft * S * Pt * P * S * f) / noise**2,
        ),
        at_least(
            "V >= 0",
            "so V >= 0.",
            at_query,
            zero,
            "|S f|",
            Use("|Phi S f|", weight=1 / noise**2),
            "V in two parts",
        ),
        Step("def V", "The variance at the query,", lhs=V, rhs=at_query, kind="definition", premises=("V >= 0",)),
        Step("def c", "and the covariance.", lhs=c, rhs=covariance, kind="definition"),
        by_fact(
            "c, f and S phi",
            "c is the inner product of f and S phi,",
            "Cauchy-Schwarz inequality of vectors",
            {"u": f, "u^T": ft, "v": S * p, "v^T": pt * S},
            {"features": LETTERS},
        ),
        Step(
            "c and o",
            "f at most l long:",
            lhs=c**2,
            rhs=length**2 * own,
            relation="<=",
            kind="inference",
            premises=("c, f and S phi", Use(AT_QUERY.text, weight=own), "def c", "def o"),
        ),
        Step(
            "c and l",
            "c^2 <= l^2 tau U.",
            lhs=c**2,
            rhs=length**2 * size**2,
            relation="<=",
            kind="inference",
            premises=("c and o", "o"),
        ),
        decided("S is semidefinite", "S is a sum of squares,", S, S * S + S * Pt * P * S / noise**2),
        by_fact(
            "c, V and U",
            "so of the form S",
            "Cauchy-Schwarz inequality of a form",
            {
                "A": S,
                "u": f,
                "u^T": ft,
                "v": p,
                "v^T": pt,
                "B": S,
                "B^T": S,
                "C": P * S / noise,
                "C^T": S * Pt / noise,
            },
            {"semidefinite": "S is semidefinite"},
        ),
        Step(
            "c and V",
            "c^2 <= V U, too.",
            lhs=c**2,
            rhs=V / tau * size**2,
            relation="<=",
            kind="inference",
            premises=("c, V and U", "def c", "def V", "def U"),
        ),
        Step("l^2", "Not negative,", lhs=length**2, rhs=zero, relation=">=", witness=length**2),
        Step("V/tau", "both of them.", lhs=V / tau, rhs=zero, relation=">=", witness=V / tau),
        by_fact(
            "multiple",
            "So c is a multiple of sqrt(tau U),",
            square,
            {**of_c, "b": length**2},
            {"sign": "l^2", "bound": "c and l"},
        ),
        by_fact(
            "factor and l",
            "the square of the factor at most l^2",
            f"{square}, its square",
            {**of_c, "b": length**2},
            {"sign": "l^2", "bound": "c and l"},
        ),
        by_fact(
            "factor and V",
            "and V/tau.",
            f"{square}, its square",
            {**of_c, "b": V / tau},
            {"sign": "V/tau", "bound": "c and V"},
        ),
        Step("def kappa", "The factor.", lhs=kappa, rhs=along, kind="definition"),
        Step(
            "c", "c = kappa sqrt(tau U),", lhs=c, rhs=kappa * size, kind="inference", premises=("multiple", "def kappa")
        ),
        at_least("kappa and l", "kappa^2 <= l^2", length**2, kappa**2, Use("factor and l", weight=-1), "def kappa"),
        at_least(
            "kappa and V", "and tau kappa^2 <= V.", V, tau * kappa**2, Use("factor and V", weight=-tau), "def kappa"
        ),
        # the outputs
        derived("V", "V is the variance without the record.", variance_without, V, posterior, "def V"),
        Step(
            "left over",
            "Not negative,",
            lhs=added + kappa**2 * tau * noise**2 / whole,
            rhs=zero,
            relation=">=",
            witness=added + kappa**2 * tau * noise**2 / whole,
        ),
        Step("v + V", "nor is this variance,", lhs=added + V, rhs=zero, relation=">=", witness=added + V),
        at_least(
            "v + V'",
            "nor the one with the record.",
            added + V - c**2 / whole,
            zero,
            "kappa and V",
            "left over",
            "c",
        ),
        # one map for both laws
        at_least(
            "noise",
            "What is added to both is a variance.",
            rest,
            zero,
            Use("kappa and l", weight=added / length**2),
            "kappa and V",
        ),
        Step("mean 0", "0 stays 0.", lhs=sp.Matrix([[held(kappa / length) * held(zero)]]), rhs=sp.Matrix([[zero]])),
        Step(
            "larger variance",
            "The map kappa/l with this noise makes the one variance",
            lhs=sp.Matrix([[kappa**2 / length**2 * (added + length**2 * tau) + rest]]),
            rhs=sp.Matrix([[added + V]]),
        ),
        Step(
            "shift",
            "and the shift,",
            lhs=sp.Matrix([[kappa / length * pulled]]),
            rhs=sp.Matrix([[c * t / whole]]),
            kind="inference",
            premises=("c",),
        ),
        Step(
            "smaller variance",
            "and the other variance, too.",
            lhs=sp.Matrix([[kappa**2 / length**2 * (added + length**2 * tau / (1 + x)) + rest]]),
            rhs=sp.Matrix([[added + V - c**2 / whole]]),
            kind="inference",
            premises=("c", "def x"),
        ),
    ]
    for order in _ORDERS:
        steps += _compared(order, (V, c, t, U), rest, kappa / length, pulled)
    return Derivation(
        id="prediction_joint.worst_pairs",
        title="Both laws of a Gaussian-process prediction come from a pair of the family by one map",
        sources=("N26-D8", "N26-Pr8"),
        hypotheses=(KERNEL, AT_QUERY, AT_NEW, AT_OTHERS, NEW_LABEL, OTHER_LABELS, FEW),
        steps=tuple(steps),
        result_step="shift squared",
        symbols={"length": length, "labels": labels, "noise": noise, "others": others, "tau": tau, "z": z, "x": x},
        faults=(
            Fault("l for l^2", "U and o", lambda rhs: rhs / length),
            Fault("m forgotten", "mean at the new point", lambda rhs: labels**2 * z * x),
            Fault("others' labels forgotten", "t", lambda rhs: labels**2),
            Fault("noise in the shift only once", "shift squared", lambda rhs: rhs / (1 + x)),
            Fault("variance at the query forgotten", "c and V", lambda rhs: rhs / 2),
            Fault("z for 1 - z", "o", lambda rhs: z * U),
            Fault("more noise", "larger variance", lambda rhs: rhs + sp.Matrix([[V]])),
            Fault("variance kept", "smaller variance", lambda rhs: sp.Matrix([[added + V]])),
            Fault("shift of the other sign", "shift", lambda rhs: -rhs),
            Fault("x up to l^2/s^2", "z <= m l^2/(s^2 + m l^2)", lambda rhs: 2 * rhs),
        ),
        concludes=(
            *(Conclusion(_CLAIM, f"worst, {order}", part=_PART, granted=_GRANTED) for order in _ORDERS),
            *(Conclusion(_CLAIM, name, part="the range of z and x", granted=_GRANTED) for name in _RANGES),
        ),
    )


def _compared(order: str, of: tuple[sp.Expr, ...], rest: sp.Expr, factor: sp.Expr, pulled: sp.Expr) -> tuple[Step, ...]:
    """The two outputs in one order of the pair against the family's pair."""
    V, c, t, U = of
    moved, fallen = c * t / (U + noise**2), V - c**2 / (U + noise**2)
    outputs = Step(
        f"outputs, {order}",
        "What is released,",
        lhs=_pair(order, (mean_without, added + variance_without), (mean_with, added + variance_with)),
        rhs=_pair(order, (mean_without, added + V), (mean_without + moved, added + fallen)),
        kind="inference",
        premises=(
            Use("mean moves", of=update),
            Use("variance falls", of=update),
            *("V", "def c", "def t", "def U"),
        ),
    )
    laws = {"mean": zero, "variance": added + V}, {"mean": moved, "variance": added + fallen}
    translated = by_fact(
        f"translated, {order}",
        "less the mean without the record,",
        "a common translation",
        {**_ordered(order, *laws), "shift": mean_without, "epsilon": epsilon},
        _ordered(order, {"variance": "v + V"}, {"variance": "v + V'"}),
    )
    larger, smaller = added + length**2 * tau, added + length**2 * tau / (1 + x)
    pairs = (
        {"mean": zero, "covariance": larger, "image mean": zero, "image covariance": added + V},
        {"mean": pulled, "covariance": smaller, "image mean": moved, "image covariance": added + fallen},
    )
    image = by_fact(
        f"image, {order}",
        "is the image under one map, which sees neither law.",
        "one linear map with noise on two normal laws",
        {
            **{name: sp.Matrix([[value]]) for name, value in _ordered(order, *pairs).items()},
            "matrix": sp.Matrix([[factor]]),
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
        Step(
            f"{what}, {order}",
            "Every share of the largest shift, on either side, reveals no more:",
            lhs=at(sign * _share * whole),
            rhs=at(whole),
            relation="<=",
            kind="inference",
            premises=(Use(f"{what}, {order}", of=longer_shifts, at={_first: larger, _second: smaller, _far: whole}),),
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
    worst = Step(
        f"worst, {order}",
        "So the family's pair at (z, x) reveals as much.",
        lhs=outputs.lhs,
        rhs=_family(order, 1 - z, shift_of(1 - z)),
        relation="<=",
        kind="inference",
        premises=(outputs.name, translated.name, image.name, longer.name, "def tau"),
    )
    return outputs, translated, image, *shares, longer, worst


@cache
def attained() -> Derivation:
    """Every pair of the family is the pair of outputs of two neighbouring databases, both shifted by one number.

    One feature, k(a, b) = a b, m records of feature F and label -B, the new one of feature q and label B, the query l
    (N26-Pr8).

    m F^2 = s^2 z/(1 - z), q^2 = s^2 x/(1 - z): z, x and m may be 0. `number`: the shift sqrt(w X) r at `length`,
    `labels`, `noise` (s), `others` (m), `z`, `x`.
    """
    F, q = sp.symbols("F q", real=True)
    g, gt, e, et = (letter(name) for name in ("g", "g^T", "e", "e^T"))  # m features F, m ones
    total, root = noise * sp.sqrt(z) / sp.sqrt(tau), sp.sqrt(others)
    ones, half = sp.Matrix([1, 1]), sp.Rational(1, 2)
    database = BlockAlgebra(
        {(gt, g): noise**2 * (1 - tau) / tau, (et, g): root * total},
        {
            g: ones / sp.sqrt(2),
            gt: ones.T / sp.sqrt(2),
            e: ones,
            et: ones.T,
            others: sp.Integer(2),
            noise: one,
            tau: half,
            z: half,
        },
        (_DATABASE, "g^T g", "e^T g"),
    )
    drawn = quotient(total, root, zero)
    matrix = g * gt + noise**2
    inverse = (1 - tau * g * gt / noise**2) / noise**2
    fact, square = "inverse of a bordered matrix", "a quotient of bounded square"
    of_total = {"x": total, "y": root, "b": length**2}
    shown = {"sign": "l^2", "bound": "room"}
    h = noise**2 * (1 + x)
    row, end, corner = length * gt, length * q, q**2 + noise**2
    letters = {
        "M": matrix,
        "N": inverse,
        "k": q * g,
        "k^T": q * gt,
        "q": corner,
        "h": h,
        "u^T": row,
        "a": end,
    }
    conditions = {"symmetric": _DATABASE, "inverse": "inverse", "Schur": "h", "positive": "h is positive"}
    mean = scalar(row * inverse * -labels * e)
    spread = length**2 - scalar(row * inverse * length * g)
    mean_then, lost = (bordered(matrix, q * g, corner, row, end, *of) for of in ((-labels * et, labels), (row, end)))
    moved, kept = shift_of(tau), length**2 * tau
    mu, mu_with, V, V_with = sp.symbols("mu mu' V V'", real=True)
    inferred = lambda name, why, lhs, rhs, *premises: Step(  # noqa: E731
        name, why, lhs=lhs, rhs=rhs, kind="inference", algebra=database, premises=(*database.given, *premises)
    )
    steps = [
        Step(
            "least",
            "Positive.",
            lhs=noise**2 / (noise**2 + others * length**2),
            rhs=zero,
            relation=">",
            witness=noise**2 / (noise**2 + others * length**2),
        ),
        Step(
            "1 - z",
            "z is below 1.",
            lhs=1 - z,
            rhs=zero,
            relation=">",
            kind="inference",
            premises=(Use(_RANGES[0], weight=-1), "least"),
        ),
        Step("def tau", "tau = 1 - z.", lhs=tau, rhs=1 - z, kind="definition", premises=("1 - z",)),
        Step("l^2", "Not negative.", lhs=length**2, rhs=zero, relation=">=", witness=length**2),
        Step(
            "room",
            "There is room for z in the features of m records:",
            lhs=total**2,
            rhs=length**2 * root**2,
            relation="<=",
            kind="inference",
            premises=(Use(_RANGES[0], weight=(noise**2 + others * length**2) / tau), "def tau"),
        ),
        by_fact("features", "F sqrt(m) = s sqrt(z/(1 - z)),", square, of_total, shown),
        by_fact("F in its range", "F^2 <= l^2.", f"{square}, its square", of_total, shown),
        Step("def F", "The feature of the others,", lhs=F, rhs=drawn, kind="definition"),
        Step("def q", "and that of the new record.", lhs=q, rhs=noise * sp.sqrt(x) / sp.sqrt(tau), kind="definition"),
        Step(
            "k at the others",
            "k(x, x) <= l^2 at the others,",
            lhs=F**2,
            rhs=length**2,
            relation="<=",
            kind="inference",
            premises=("F in its range", "def F"),
        ),
        Step(
            "k at the new record",
            "and at the new record.",
            lhs=q**2,
            rhs=length**2,
            relation="<=",
            kind="inference",
            premises=(Use(_RANGES[1], weight=noise**2 / tau), "def q", "def tau"),
        ),
        Step(
            _DATABASE,
            "One feature: e has m ones; m records of feature F and label -B, a new one of q and B, the query l;"
            " k(a, b) = a b.",
            kind="definition",
            premises=("k at the others", "k at the new record"),
        ),
        Step(
            "F sqrt(m)",
            "The features of the m records together,",
            lhs=F * root,
            rhs=total,
            kind="inference",
            premises=("features", "def F"),
        ),
        Step(
            "g^T g",
            "squared,",
            lhs=others * F**2,
            rhs=noise**2 * (1 - tau) / tau,
            kind="inference",
            premises=("F sqrt(m)", "def tau"),
        ),
        Step("e^T g", "and times m ones.", lhs=others * F, rhs=root * total, kind="inference", premises=("F sqrt(m)",)),
        Step(
            "inverse",
            "The inverse of the m records' matrix.",
            inverse * matrix,
            one,
            algebra=database,
            premises=database.given,
        ),
        inferred("h", "With the new record:", corner - scalar(q * gt * inverse * q * g), h, "def q"),
        Step("h is positive", "a positive number.", lhs=h, rhs=zero, relation=">", witness=h),
        by_fact(
            "mean with", "The mean", fact, {**letters, "v": -labels * e, "v^T": -labels * et, "b": labels}, conditions
        ),
        by_fact(
            "variance with", "and the variance,", fact, {**letters, "v": length * g, "v^T": row, "b": end}, conditions
        ),
        *(
            Step(f"def {name}", why, lhs=name, rhs=value, kind="definition", premises=(_DATABASE,))
            for name, why, value in (
                (mu, "The outputs: mean", mean),
                (V, "and variance without the new record,", spread),
                (mu_with, "and with it, mean", mean_then),
                (V_with, "and variance.", length**2 - lost),
            )
        ),
        inferred(
            "mean then",
            "The mean moves by the family's shift,",
            mu_with,
            mu + moved,
            f"def {mu_with}",
            f"def {mu}",
            "mean with",
            "def q",
        ),
        Step(
            "shift",
            "in z and x:",
            lhs=mu_with - mu,
            rhs=shift_of(1 - z),
            kind="inference",
            premises=("mean then", "def tau"),
        ),
        inferred("variance without", "and the variances are the family's,", V, kept, f"def {V}"),
        inferred("variance then", "both of them.", V_with, kept / (1 + x), f"def {V_with}", "variance with", "def q"),
        Step("v + w", "Not negative,", lhs=added + kept, rhs=zero, relation=">=", witness=added + kept),
        Step(
            "v + w (1 - X)",
            "neither of them.",
            lhs=added + kept / (1 + x),
            rhs=zero,
            relation=">=",
            witness=added + kept / (1 + x),
        ),
    ]
    for order in _ORDERS:
        laws = {"mean": zero, "variance": added + kept}, {"mean": moved, "variance": added + kept / (1 + x)}
        translated = by_fact(
            f"translated, {order}",
            "The mean without the new record may be taken off,",
            "a common translation",
            {**_ordered(order, *laws), "shift": mu, "epsilon": epsilon},
            _ordered(order, {"variance": "v + w"}, {"variance": "v + w (1 - X)"}),
        )
        steps += [
            translated,
            Step(
                f"attained, {order}",
                "and what is released is the family's pair at (z, x).",
                lhs=_pair(order, (mu, added + V), (mu_with, added + V_with)),
                rhs=_family(order, 1 - z, shift_of(1 - z)),
                kind="inference",
                premises=("mean then", "variance without", "variance then", translated.name, "def tau"),
            ),
        ]
    return Derivation(
        id="prediction_joint.attained",
        title="Every pair of the family is the pair of outputs of two neighbouring databases with one feature",
        sources=("N26-D8", "N26-Pr8"),
        hypotheses=(
            Hypothesis(_RANGES[0], sp.Le(z, others * length**2 / (noise**2 + others * length**2))),
            Hypothesis(_RANGES[1], sp.Le(x, (1 - z) * length**2 / noise**2)),
        ),
        steps=tuple(steps),
        result_step="shift",
        symbols={"length": length, "labels": labels, "noise": noise, "others": others, "z": z, "x": x},
        domain=(z < 1,),
        faults=(
            Fault("own feature forgotten", "inverse", lambda rhs: rhs + g * gt),
            Fault("noise left out of h", "h", lambda rhs: rhs - noise**2),
            Fault("no other record", "e^T g", lambda rhs: F),
            Fault("m forgotten", "g^T g", lambda rhs: rhs / 2),
            Fault("others' labels forgotten", "mean then", lambda rhs: mu + moved / (1 + sp.sqrt(others * z * x))),
            Fault("variance kept", "variance then", lambda rhs: kept),
            Fault("l for l^2", "variance without", lambda rhs: rhs / length),
            Fault("features twice as long", "k at the others", lambda rhs: rhs / 4),
        ),
        concludes=(
            *(Conclusion(_CLAIM, f"attained, {order}", part=_REACHED, granted=_IN_FAMILY) for order in _ORDERS),
            Conclusion(_CLAIM, "shift", part="its shift", granted=_IN_FAMILY),
        ),
    )
