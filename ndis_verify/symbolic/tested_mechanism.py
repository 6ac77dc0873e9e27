"""Random projection above a tested ridge, run on a database and on it without one record: both outputs at once.

S = D^T D, v is the record that the smaller database is without, u any vector of length 1. A value of the test is x, the
ridge there max(l^2/P - max(x + s z, 0), 0) with z = Phi^{-1}(f); the value is good up to the edge m - s z.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.chi_square_hinges import r
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import a_density, by_fact, inferred
from ndis_verify.symbolic.leverage_beside_a_ridge import (
    LEVERAGE,
    RECORD,
    E,
    Et,
    by_the_least_eigenvalue,
    gram,
    of_a_record,
    v,
    vt,
)
from ndis_verify.symbolic.leverage_beside_a_ridge import leverage as lemma_leverage
from ndis_verify.symbolic.leverage_beside_a_ridge import ridge as lemma_ridge
from ndis_verify.symbolic.meanings import meaning, p, q
from ndis_verify.symbolic.nearby_laws import at_most, in_order, larger, linear
from ndis_verify.symbolic.notation import (
    below,
    beyond,
    inverse_form,
    mass,
    projected,
    relative,
    reprojected,
    scalar,
    total,
    with_noise,
    x,
)
from ndis_verify.symbolic.random_projection_curve import epsilon
from ndis_verify.symbolic.random_projection_pairs import DIRECTIONS, FULL_RANK, leverage
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.tested_ridges import (
    EITHER,
    at_a_good_value,
    at_a_good_value_above_one_record,
    bound,
    composed,
    failing,
    fall,
    least,
    length,
    noised_eigenvalue,
    part,
    std,
    target,
    test_epsilon,
    y,
    z,
)

zero, one = sp.Integer(0), sp.Integer(1)
u, ut = letter("u"), letter("u^T")
along = sp.Symbol("e", real=True)  # v^T u
_RECORD, _UNIT = sp.Matrix([1, 1]), sp.Matrix([3, 4]) / 5
_algebra = BlockAlgebra(
    {(ut, u): one, (ut, v): along, (vt, u): along},
    {v: _RECORD, vt: _RECORD.T, u: _UNIT, ut: _UNIT.T, along: sp.Rational(7, 5)},
    ("databases",),
)
_RUNS = ("density of the first value", "density of the second value")
_SMALLER = ("N26-T5.4-smaller-ridge",)
_CLAIMS, _PART = ("N26-T5.4", "N26-Fig4"), "the probabilities of every event of test and release"
_QUANTILE = quantity("Phi_inverse", failing)
_EDGE = least - std * _QUANTILE  # of the good values
_AT = _EDGE - beyond  # any good value
good = sp.Piecewise((one, sp.Le(x, _EDGE)), (zero, True))
lever = sp.Function("leverage", nonnegative=True)  # of the record, at a value
_cut = sp.Function("t", real=True)  # where a statistic of the release is below it, the outcome is one of an event
_REST = Et * E  # S without the record
_DEFINITE = {"definite": "1 > 0", "other definite": "1 > 0"}  # of the identity
_positive, a = sp.Symbol("p", nonnegative=True), sp.Symbol("a", real=True)


def _ridge(value: Any, floor: Any) -> Any:
    return sp.Max(length**2 / target - sp.Max(value + std * _QUANTILE, floor), 0)


def _eigenvalue_steps() -> tuple[Step, ...]:
    """One record changes the least eigenvalue by l^2 at most: k = (m - m')/l^2 is in [0, 1]."""
    form, rest = scalar(ut * gram * u), scalar(ut * _REST * u)
    more, less = relative(gram, one), relative(_REST, one)
    return (
        Step(
            "databases",
            "S = E^T E + v v^T, E^T E that without the record v; u is any vector of length 1, e = u^T v.",
            kind="definition",
            premises=(FULL_RANK.text,),
        ),
        Step("length", "u has length 1.", lhs=scalar(ut * u), rhs=one, algebra=_algebra, premises=("databases",)),
        Step("along u", "e = u^T v.", lhs=scalar(ut * v), rhs=along, algebra=_algebra, premises=("databases",)),
        Step(
            "square",
            "u^T v v^T u = e^2",
            lhs=scalar(ut * v * vt * u),
            rhs=along**2,
            algebra=_algebra,
            premises=("databases",),
        ),
        Step("not negative", "is not negative,", lhs=along**2, rhs=zero, relation=">=", witness=along**2),
        by_fact(
            "Cauchy-Schwarz",
            "and at most |u|^2 |v|^2,",
            "Cauchy-Schwarz inequality of vectors",
            {"u": u, "u^T": ut, "v": v, "v^T": vt},
            {},
        ),
        at_most(
            "at most l^2", "l^2 here.", along**2, length**2, "Cauchy-Schwarz", Use(RECORD.text), "along u", "length"
        ),
        at_most(
            "smaller form", "So without v the form is smaller,", rest, form, Use("not negative", weight=-1), "square"
        ),
        Step("1 > 0", "(the identity is definite)", one, zero, ">", one),
        by_fact(
            "smaller eigenvalue",
            "and so is the least eigenvalue;",
            "eigenvalues follow Rayleigh quotients",
            {"S": gram, "T": one, "S'": _REST, "T'": one, "quotient": form, "other quotient": rest},
            {"order": "smaller form", **_DEFINITE},
        ),
        at_most("larger form", "l^2 more makes it larger,", form, rest + length**2, "at most l^2", "square"),
        by_fact(
            "larger eigenvalue",
            "and the least eigenvalue, too,",
            "eigenvalues follow Rayleigh quotients",
            {
                "S": with_noise(_REST, length**2),
                "T": one,
                "S'": gram,
                "T'": one,
                "quotient": rest + length**2,
                "other quotient": form,
            },
            {"order": "larger form", **_DEFINITE},
        ),
        by_fact(
            "l^2 more",
            "which grows by l^2 then.",
            "eigenvalues of a matrix with noise",
            {"S": _REST, "c": length**2},
            {},
        ),
        Step("m", "The least eigenvalue of S.", lhs=least, rhs=more, kind="definition"),
        by_fact("|E u|", "A Gram matrix:", "squared length", {"w": E * u, "w^T": ut * Et}, {}),
        inferred("form of S", "so is S:", form, ">=", zero, "|E u|", "not negative", "square"),
        by_fact(
            "no negative eigenvalue",
            "no eigenvalue is negative.",
            "eigenvalues lie above a bound of Rayleigh quotients",
            {"S": gram, "T": one, "quotient": form, "bound": zero},
            {"least": "form of S", "definite": "1 > 0"},
        ),
        inferred("m >= 0", "So m >= 0.", least, ">=", zero, "no negative eigenvalue", "m"),
        Step(
            "k",
            "The smaller one is k l^2 below.",
            lhs=part,
            rhs=(more - less) / length**2,
            kind="definition",
            premises=("smaller eigenvalue",),
        ),
        at_most("k <= 1", "At most l^2.", part, one, Use("larger eigenvalue", weight=1 / length**2), "l^2 more", "k"),
    )


def _below_both(floor: sp.Expr) -> tuple[Step, ...]:
    """A good value's bound m - w and `floor` are at most m + floor, and floor is below l^2/P."""
    value, full = least - beyond, length**2 / target
    start = Step("good value", "Its bound is m - w, w >= 0.", lhs=value, rhs=least, relation="<=", witness=-beyond)
    if floor == zero:
        return (
            start,
            at_most("floor", "0 <= m.", floor, least, Use("m >= 0", weight=-1)),
            Step("room", "l^2/P > 0.", lhs=floor, rhs=full, relation="<", witness=-full),
            larger("lower bound", "Its lower bound is at most m.", value, floor, least, ("good value", "floor")),
        )
    more = least + floor
    return (
        start,
        at_most("floor", "l^2 <= m + l^2,", floor, more, Use("m >= 0", weight=-1)),
        inferred("room", "and l^2 < l^2/P.", floor, "<", full, Use("P < 1", weight=full)),
        Step("l^2 > 0", "A square.", lhs=floor, rhs=zero, relation=">", witness=floor),
        at_most("value", "m - w <= m + l^2,", value, more, "good value", Use("l^2 > 0", weight=-1)),
        larger("lower bound", "so its lower bound is at most m + l^2.", value, floor, more, ("value", "floor")),
    )


def _bound_steps(floor: sp.Expr) -> tuple[Step, ...]:
    """At a good value S + v I is positive definite, and the leverage at most l^2 over eigenvalue and ridge."""
    ridge, value = _ridge(_AT, floor), least - beyond
    lower, full = sp.Max(value, floor), length**2 / target
    at = {lemma_leverage: lever(_AT), lemma_ridge: ridge}
    granted = {LEVERAGE: "leverage at a good value", "m >= 0": "m >= 0"}
    by_eigenvalue = at_most(
        "by the eigenvalue",
        "So it is at most l^2/(m + v),",
        lever(_AT) * (least + ridge),
        length**2,
        Use("by the eigenvalue", of=by_the_least_eigenvalue, at=at, granted=granted),
    )
    capped: tuple[Step, ...] = (by_eigenvalue,)
    if floor != zero:
        capped = (
            by_eigenvalue,
            at_most(
                "by the record",
                "and at most l^2/(l^2 + v):",
                lever(_AT) * (floor + ridge),
                length**2,
                Use("of a record", of=of_a_record, at=at, granted=granted),
            ),
            larger(
                "by both",
                "the smaller one.",
                lever(_AT) * (least + ridge),
                lever(_AT) * (floor + ridge),
                length**2,
                ("by the eigenvalue", "by the record"),
            ),
            Step(
                "larger sum",
                "As p >= 0.",
                lhs=sp.Max(_positive * (y + a), _positive * (z + a)),
                rhs=_positive * (sp.Max(y, z) + a),
                reduce=lambda left, right: (left - right).rewrite(sp.Abs),
            ),
            at_most(
                "capped",
                "Together.",
                lever(_AT) * (sp.Max(least, floor) + ridge),
                length**2,
                "by both",
                Use("larger sum", at={_positive: lever(_AT), y: least, z: floor, a: ridge}),
            ),
        )
    return (
        *_below_both(floor),
        inferred(
            "positive",
            "m and the ridge come to more than 0,",
            least + ridge,
            ">",
            zero,
            *(
                Use("room", weight=-1),
                Use("lower bound", weight=-1),
                Use("either", at={y: full - lower, z: zero}, weight=-1),
            ),
        ),
        by_fact(
            "with the ridge",
            "the least eigenvalue of S + v I.",
            "eigenvalues of a matrix with noise",
            {"S": gram, "c": ridge},
            {},
        ),
        inferred(
            "definite",
            "It is positive.",
            relative(with_noise(gram, ridge), one),
            ">",
            zero,
            *("positive", "with the ridge", "m"),
        ),
        by_fact(
            "forms",
            "Where S + ridge I is invertible, its inverse is positive definite.",
            "the form of an inverse is not negative",
            {"squares": gram, "c": _ridge(x, floor)},
            {
                "ridge": Step(
                    "some ridge",
                    "No ridge is negative.",
                    lhs=_ridge(x, floor),
                    rhs=zero,
                    relation=">=",
                    witness=_ridge(x, floor),
                )
            },
        ),
        Step(
            "leverage",
            "The leverage of the record, v^T (S + ridge I)^{-1} v, there:",
            lhs=lever(x),
            rhs=inverse_form(gram + _ridge(x, floor)),
            kind="definition",
            premises=("databases", "forms"),
        ),
        Step(
            "leverage at a good value",
            f"at every good value, where S + v I is positive definite: {LEVERAGE}, c = v the ridge.",
            kind="definition",
            premises=("leverage", "definite"),
        ),
        *capped,
    )


def _release_steps(direction: str, chances: tuple[Any, Any], floor: sp.Expr) -> tuple[Step, ...]:
    """At a good value the chances of an outcome are as close as at the leverage P; at no other one they count."""
    first, second = _laws(direction, lever(_AT))
    here, limit = quantity(DIRECTIONS[direction], lever(_AT), r, epsilon), quantity("projection", target, r, epsilon)
    gap = chances[0] - sp.exp(epsilon) * chances[1]
    counted = good * sp.Max(0, gap)
    if floor == zero:
        lemma = at_a_good_value
        granted = {"p (m + v) <= l^2": "by the eigenvalue", "b <= m": "good value", "m >= 0": "m >= 0"}
    else:
        lemma, granted = (
            at_a_good_value_above_one_record,
            {"p (max(m, l^2) + v) <= l^2": "capped", "b <= m": "good value"},
        )
    return (
        *_bound_steps(floor),
        at_most(
            "cost",
            "The release costs no more than at the leverage P.",
            here,
            limit,
            Use(direction, of=lemma, at={leverage: lever(_AT), bound: least - beyond}, granted=granted),
        ),
        meaning("two laws", DIRECTIONS[direction], lever(_AT), r, epsilon),
        by_fact(
            "event",
            "Of one event at this value,",
            "an event below a threshold",
            {"P": first, "Q": second, "epsilon": epsilon, "t": _cut(_AT)},
            {},
            ("outcome",),
        ),
        at_most(
            "chances",
            "the chances are as close.",
            gap.subs(x, _AT),
            limit,
            *(Use("event", weight=-1), "cost", "two laws"),
        ),
        meaning("two laws at P", "projection", target, r, epsilon),
        by_fact(
            "empty event",
            "No cost is negative.",
            "a divergence is not negative",
            dict(zip(("P", "Q"), _laws("deletion", target)), epsilon=epsilon),
            {},
        ),
        at_most("no cost", "At P.", zero, limit, Use("empty event", weight=-1), "two laws at P"),
        larger("surplus", "Nor is more left over.", gap.subs(x, _AT), zero, limit, ("chances", "no cost")),
        by_fact(
            "every value",
            "Beyond the edge nothing is counted.",
            "both sides of an edge",
            {"f": counted, "g": limit, "argument": x, "edge": _EDGE},
            {"above": "no cost", "below": "surplus"},
        ),
        at_most("weighted", "Times the density.", p(x) * counted, p(x) * limit, Use("every value", weight=p(x))),
        in_order("release", "In the mean.", total, (p(x) * counted, p(x) * limit), ("weighted", _RUNS[0])),
        linear("limit", "A number.", total, ((limit, p(x)),), _RUNS[0]),
        at_most("share of the release", "So its share.", total(p(x) * counted), limit, "release", "limit", _RUNS[0]),
    )


def _laws(direction: str, at: Any) -> tuple[Any, Any]:
    """Of the release in the two runs, the record having this leverage."""
    return (projected(at, r), reprojected(at, r))[:: 1 if direction == "deletion" else -1]


def _test_steps(fallen: sp.Expr, second: sp.Expr) -> tuple[Step, ...]:
    """The share of the test, and that of bad values: the first run's own eigenvalue is `fallen` below m."""
    shift, granted = part * length**2 / std, {"k <= 1": "k <= 1"}
    gap = p(x) - sp.exp(test_epsilon) * second
    return (
        a_density(_RUNS[0], "p is that of the noised value in the first run,", p(x), "m", "k"),
        a_density(_RUNS[1], "q in the second: normal laws around the own least eigenvalues.", second, "m", "k"),
        meaning("two values", "mean_shift", shift, test_epsilon),
        by_fact(
            "largest event",
            "Where p > e^x q.",
            "largest integral over a set",
            {"f": gap},
            {"integrable": _RUNS[0]},
            _RUNS[1:],
        ),
        at_most(
            "share of the test",
            "The means are k l^2 apart.",
            total(sp.Max(0, gap)),
            quantity("mean_shift", length**2 / std, test_epsilon),
            *(Use("test", of=noised_eigenvalue, granted=granted), "two values", "largest event"),
        ),
        by_fact(
            "beyond the edge",
            "The bad values:",
            "a normal value beyond an edge",
            {"p": p(x), "g": good, "mean": least - fallen, "std": std, "edge": _EDGE},
            {
                "density": _RUNS[0],
                "std": Step("std", "Noise.", lhs=std, rhs=zero, relation=">", witness=std),
                "up to": Step("good", "w = 1.", lhs=sp.Subs(good, x, _AT), rhs=one),
                "beyond": Step("bad", "w = 0.", lhs=sp.Subs(good, x, _EDGE + below), rhs=zero),
            },
        ),
        at_most(
            "share of bad values",
            "their probability is f at most.",
            total(p(x) * (1 - good)),
            failing,
            *(Use("bad values", of=noised_eigenvalue, at={fall: fallen}, granted=granted), "beyond the edge"),
        ),
    )


def _sign_steps(second: sp.Expr, chances: tuple[Any, Any], laws: tuple[Any, Any]) -> tuple[Step, ...]:
    """Weights and chances are not negative, chances at most 1."""
    letters = [{"P": one_, "t": _cut(x)} for one_ in laws]
    return (
        Step("t_i >= 0", "A density.", lhs=p(x), rhs=zero, relation=">=", witness=p(x)),
        Step("u_i >= 0", "The other one.", lhs=second, rhs=zero, relation=">=", witness=second),
        by_fact("a_i >= 0", "A probability.", "probabilities are not negative", letters[0], {}),
        by_fact("a_i <= 1", "At most 1.", "probabilities are at most 1", letters[0], {}),
        by_fact("c_i >= 0", "The other one.", "probabilities are not negative", letters[1], {}),
        by_fact(
            "w_i <= 1",
            "w is 1 up to the edge, and 0 beyond.",
            "both sides of an edge",
            {"f": good, "g": one, "argument": x, "edge": _EDGE},
            {
                "above": Step("bad", "0.", lhs=sp.Subs(good, x, _EDGE + below), rhs=one, relation="<=", witness=-one),
                "below": Step("good", "1.", lhs=sp.Subs(good, x, _AT), rhs=one, relation="<=", witness=zero),
            },
        ),
    )


@cache
def record_deleted() -> Derivation:
    """Test and release on a database, and then without a record: (eps_T + eps_R, delta_T + delta_R + delta_P)
    (N26-T5.4).

    `number`: l^2/P, the ridge where nothing is known, at `length` and `target` = P.
    """
    return _mechanism("record_deleted", "deletion", zero, _CLAIMS)


@cache
def record_inserted() -> Derivation:
    """The same without the record first. `number`: as `record_deleted`."""
    return _mechanism("record_inserted", "insertion", zero, _CLAIMS)


@cache
def record_deleted_smaller_ridge() -> Derivation:
    """The same above the ridge max(l^2/P - max(lower bound, l^2), 0) (N26-T5.4-smaller-ridge).

    `number`: as `record_deleted`.
    """
    return _mechanism("record_deleted_smaller_ridge", "deletion", length**2, _SMALLER)


@cache
def record_inserted_smaller_ridge() -> Derivation:
    """The same without the record first. `number`: as `record_deleted_smaller_ridge`."""
    return _mechanism("record_inserted_smaller_ridge", "insertion", length**2, _SMALLER)


def _mechanism(name: str, direction: str, floor: sp.Expr, claims: tuple[str, ...]) -> Derivation:
    fallen = zero if direction == "deletion" else part * length**2
    second = q(x, part * length**2 / std)
    laws = _laws(direction, lever(x))
    chances = (mass(laws[0], _cut(x)), mass(laws[1], _cut(x)))
    shares = (
        quantity("mean_shift", length**2 / std, test_epsilon),
        quantity("projection", target, r, epsilon),
        failing,
    )
    steps = (
        *_eigenvalue_steps(),
        Step(
            "outcome",
            "Any event of the noised value and the release: at the value x the outcomes at which a statistic is below"
            " t(x).",
            kind="definition",
        ),
        EITHER,
        *_test_steps(fallen, second),
        *_release_steps(direction, chances, floor),
        *_sign_steps(second, chances, laws),
        *composed(total, (p(x), second), chances, good, *_RUNS),
        at_most(
            "both outputs",
            "The event's probability in the two runs, added up over the values.",
            total(p(x) * chances[0]) - sp.exp(test_epsilon + epsilon) * total(second * chances[1]),
            sp.Add(*shares),
            *("composition", "share of the test", "share of the release", "share of bad values"),
        ),
    )
    return Derivation(
        id=f"tested_mechanism.{name}",
        title="What a test of the least eigenvalue and a projection above a lowered ridge cost together",
        sources=claims,
        hypotheses=(
            FULL_RANK,
            RECORD,
            Hypothesis("P < 1", target < 1),
            Hypothesis("f < 1", failing < 1),
        ),
        steps=steps,
        result_step="room",
        symbols={"length": length, "target": target},
        faults=(
            Fault("more than l^2/P", "room", lambda rhs: -rhs),
            Fault("record counted twice", "square", lambda rhs: 2 * rhs),
            Fault("test left out", "both outputs", lambda rhs: rhs - shares[0]),
            Fault("bad values left out", "both outputs", lambda rhs: rhs - shares[2]),
            Fault("largest leverage halved", "by the eigenvalue", lambda rhs: rhs / 2),
        ),
        concludes=tuple(Conclusion(claim, "both outputs", part=f"{_PART}, {direction}") for claim in claims),
    )
