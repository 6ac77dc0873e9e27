"""A ridge lowered by a tested bound on the least eigenvalue: the test, the release at a good value, and both at once.

m is the least eigenvalue of D^T D, D the larger database; s is the test's noise, b the noised lower bound, v the ridge.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.chi_square_hinges import r
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.mean_shift_order import every_pair, worst_pair
from ndis_verify.symbolic.nearby_laws import at_most, in_order, larger, linear
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.notation import law
from ndis_verify.symbolic.random_projection import leverage as own_leverage
from ndis_verify.symbolic.random_projection_curve import deletion_curve, epsilon
from ndis_verify.symbolic.random_projection_pairs import (
    DIRECTIONS,
    FULL_RANK,
    cost,
    grows_with_leverage,
    leverage,
)
from ndis_verify.symbolic.random_projection_pairs import epsilon as any_epsilon
from ndis_verify.symbolic.random_projection_pairs import larger as larger_leverage
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
target = sp.Symbol("P", positive=True)  # the leverage at which the release meets its target
length, std = sp.symbols("l s", positive=True)
least, bound = sp.symbols("m b", real=True)
y, z = sp.symbols("y z", real=True)
fall = sp.Symbol("h", nonnegative=True)  # of the least eigenvalue, from D to the database of the run
failing = sp.Symbol("f", positive=True)  # delta_P
part = sp.Symbol("k", nonnegative=True)  # of l^2: how far the least eigenvalues of both databases are apart
test_epsilon = sp.Symbol("epsilon_T", nonnegative=True)
_CLAIMS = ("N26-T5.4", "N26-Fig4", "N26-T5.4-smaller-ridge")


EITHER = Step(
    "either",
    "Of two numbers, neither exceeds the larger one.",
    lhs=y,
    rhs=sp.Max(y, z),
    relation="<=",
    witness=-sp.Max(0, z - y),
    reduce=lambda left, right: (left - right).rewrite(sp.Abs),
)


@cache
def at_a_good_value() -> Derivation:
    """Beside v = max(l^2/P - max(b, 0), 0), b <= m, a record costs no more than the leverage P, in both directions
    (N26-T5.4).

    `number`: m + v, at `length`, `target` = P, `eigenvalue` and `bound`.
    """
    return _at_a_good_value("at_a_good_value", zero, least, ("N26-T5.4", "N26-Fig4"))


@cache
def at_a_good_value_above_one_record() -> Derivation:
    """The same beside v = max(l^2/P - max(b, l^2), 0), a record of leverage at most l^2/(max(m, l^2) + v)
    (N26-T5.4-smaller-ridge). `number`: as `at_a_good_value`.
    """
    own = sp.Max(least, length**2)
    return _at_a_good_value("at_a_good_value_above_one_record", length**2, own, ("N26-T5.4-smaller-ridge",))


def _at_a_good_value(name: str, floor: sp.Expr, own: sp.Expr, claims: tuple[str, ...]) -> Derivation:
    """`floor`: below which no bound lies; `own`: what D^T D is known to be at least, in the record's direction."""
    full, lower = length**2 / target, sp.Max(bound, floor)
    ridge, eigenvalue = sp.Max(full - lower, 0), "m" if floor == zero else "max(m, l^2)"
    capped = Hypothesis(f"p ({eigenvalue} + v) <= l^2", leverage * (own + ridge) <= length**2)
    good, given = Hypothesis("b <= m", bound <= least), Hypothesis("m >= 0", least >= 0)
    if floor == zero:
        below: tuple[str | Step, str | Step] = (
            good.text,
            at_most("0", "As given.", zero, own, Use(given.text, weight=-1)),
        )
    else:
        below = (
            at_most("b", "b <= m.", bound, own, Use(good.text), Use("either", at={y: least, z: floor})),
            at_most("l^2", "The larger of the two.", floor, own, Use("either", at={y: floor, z: least})),
        )
    steps = [
        EITHER,
        larger("lower bound", "The lower bound of a good value is one,", bound, floor, own, below),
        at_most(
            "at least l^2/P",
            "so with the ridge it comes to at least l^2/P.",
            full,
            own + ridge,
            Use("either", at={y: full - lower, z: zero}),
            "lower bound",
        ),
        Step(
            "at most P",
            "The leverage, at most l^2 over that sum, is at most P.",
            lhs=target,
            rhs=leverage,
            relation=">=",
            kind="inference",
            premises=(
                Use(capped.text, weight=-target / length**2),
                Use("at least l^2/P", weight=-leverage * target / length**2),
            ),
        ),
    ]
    granted = {"q >= p": "at most P", "q < 1": "P < 1"}
    at = {larger_leverage: target, any_epsilon: epsilon}
    for direction in DIRECTIONS:
        dominated = Use(
            "deletion dominates", of=deletion_curve, at={own_leverage: target}, weight=-1, granted={"p < 1": "P < 1"}
        )
        steps.append(
            Step(
                direction,
                {
                    "deletion": "The cost does not fall with the leverage (N26-P4).",
                    "insertion": "Nor does that of an insertion, which costs no more than a deletion (N26-L4).",
                }[direction],
                lhs=cost(direction, leverage).subs(any_epsilon, epsilon),
                rhs=cost("deletion", target).subs(any_epsilon, epsilon),
                relation="<=",
                kind="inference",
                premises=(
                    Use(f"larger leverage, {direction}", of=grows_with_leverage, at=at, weight=-1, granted=granted),
                    *((dominated,) if direction == "insertion" else ()),
                ),
            )
        )
    names = {"l": length, "P": target, "m": least, "b": bound, "p": leverage, "r": r, "y": epsilon}
    return Derivation(
        id=f"tested_ridges.{name}",
        title="What a record costs beside a ridge that a good value lowered",
        sources=claims,
        hypotheses=(
            FULL_RANK,
            Hypothesis("P < 1", target < 1),
            good,
            *((given,) if floor == zero else ()),
            capped,
            Hypothesis("y >= 0", epsilon >= 0),
        ),
        steps=tuple(steps),
        result_step="at least l^2/P",
        symbols={"length": length, "target": target, "eigenvalue": least, "bound": bound},
        faults=(
            Fault("half of P", "at most P", lambda rhs: 2 * rhs),
            Fault("half the cost", "deletion", lambda rhs: rhs / 2),
            Fault("half the cost of a deletion", "insertion", lambda rhs: rhs / 2),
            Fault("ridge not added", "at least l^2/P", lambda rhs: own),
        ),
        concludes=tuple(Conclusion(claim, direction, names) for claim in claims for direction in DIRECTIONS),
    )


@cache
def noised_eigenvalue() -> Derivation:
    """The noised least eigenvalue costs no more than a change by l^2, and is bad with probability f at most (N26-T5.4).

    `number`: the cost of a change by l^2, at `length`, `std` and `epsilon`.
    """
    lemma = every_pair()
    distance, noise, eps = (lemma.symbols[name] for name in ("sensitivity", "std", "epsilon"))
    apart = lemma.concludes[0].symbols["s"]
    at = {distance: length**2, noise: std, eps: test_epsilon, apart: part}
    largest = quantity("mean_shift", length**2 / std, test_epsilon)
    quantile = quantity("Phi_inverse", failing)
    lower = Step("lower", "h >= 0.", lhs=quantile - fall / std, rhs=quantile, relation="<=", witness=-fall / std)
    above_0 = Step("above 0", "A probability.", lhs=failing, rhs=zero, relation=">", witness=failing)
    steps = (
        Step(
            "largest change",
            "The least eigenvalue changes by l^2 at most.",
            lhs=largest,
            rhs=worst_pair().step("at s = 1").rhs.subs({distance: length**2, noise: std, eps: test_epsilon}),
            kind="inference",
            premises=(Use("at s = 1", of=worst_pair, at=at),),
        ),
        at_most(
            "test",
            "A smaller change, k l^2, costs no more (N24-P7).",
            quantity("mean_shift", part * length**2 / std, test_epsilon),
            largest,
            Use("bound", of=every_pair, at=at, granted={"s <= 1": "k <= 1"}),
            "largest change",
        ),
        by_fact(
            "quantile",
            "z is the quantile of f.",
            "probability of a normal quantile",
            {"y": failing},
            {"above 0": above_0, "below 1": "f < 1"},
        ),
        by_fact(
            "further away",
            "A run whose own eigenvalue is h below m has a bad value where the noise exceeds -z + h/s,",
            "normal probabilities keep the order",
            {"a": quantile - fall / std, "b": quantile},
            {"order": lower},
        ),
        at_most(
            "bad values",
            "with probability Phi(z - h/s), at most Phi(z) = f.",
            Phi(quantile - fall / std),
            failing,
            "further away",
            "quantile",
        ),
    )
    names = {"l": length, "s": std, "x": test_epsilon, "k": part, "f": failing, "h": fall}
    return Derivation(
        id="tested_ridges.noised_eigenvalue",
        title="What the test of the least eigenvalue costs, and how often its bound fails",
        sources=("N26-T5.4", "N26-Fig4"),
        hypotheses=(
            Hypothesis("l > 0", length > 0),
            Hypothesis("s > 0", std > 0),
            Hypothesis("x >= 0", test_epsilon >= 0),
            Hypothesis("k <= 1", part <= 1),
            Hypothesis("f < 1", failing < 1),
        ),
        steps=steps,
        result_step="largest change",
        symbols={"length": length, "std": std, "epsilon": test_epsilon},
        faults=(
            Fault("half of the largest change", "test", lambda rhs: rhs.subs(length, length / 2)),
            Fault("fails half as often", "bad values", lambda rhs: rhs / 2),
            Fault("e^eps dropped", "largest change", lambda rhs: rhs.subs(sp.exp(test_epsilon), 1)),
        ),
        concludes=tuple(Conclusion(claim, step, names) for claim in _CLAIMS for step in ("test", "bad values")),
    )


_t, _u, _a, _c, _rest = sp.symbols("tau upsilon alpha gamma omega", nonnegative=True)  # at one value; 1 - w
_more = sp.Max(0, _t - sp.exp(test_epsilon) * _u)
_surplus, _common = sp.Max(0, _a - sp.exp(epsilon) * _c), sp.Min(_a, sp.exp(epsilon) * _c)


def composed(mean: Any, weights: tuple[Any, Any], chances: tuple[Any, Any], good: Any, *finite: str) -> list[Step]:
    """From one value to the mean over all: what two runs make of one outcome.

    weights: of a value in the two runs; chances: of the outcome there. The steps and hypotheses "t_i >= 0" and so on
    say their signs, `finite` that means are finite.
    """
    values = dict(zip((_t, _u, _a, _c), (*weights, *chances)))
    (t, u), (a, c) = weights, chances
    both = sp.exp(test_epsilon + epsilon)
    parts = (
        (one, sp.Max(0, t - sp.exp(test_epsilon) * u)),
        (one, t * good * sp.Max(0, a - sp.exp(epsilon) * c)),
        (one, t * (1 - good)),
    )
    gap, limit = ((one, t * a), (-both, u * c)), sp.Add(*(f for _, f in parts))
    names = dict(zip((_t, _u, _a, _c), "tuac"))
    return [
        *(
            Step(
                f"{name}_i", "At one value.", lhs=one, rhs=values[one], kind="definition", premises=(f"{name}_i >= 0",)
            )
            for one, name in names.items()
        ),
        Step("1 - w_i", "0 where it is good.", lhs=_rest, rhs=1 - good, kind="definition", premises=("w_i <= 1",)),
        Step(
            "common part",
            "a_i is the smaller one of it and e^y c_i, and what it has above that.",
            lhs=_common,
            rhs=_a - _surplus,
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        Step(
            "its size",
            "The common part is at most e^y c_i.",
            lhs=_common,
            rhs=sp.exp(epsilon) * _c,
            relation="<=",
            witness=-sp.Max(0, sp.exp(epsilon) * _c - _a),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        Step(
            "slack",
            "What is left is not negative.",
            lhs=zero,
            rhs=_more * _surplus + _t * _rest * _common,
            relation="<=",
            witness=-(_more * _surplus + _t * _rest * _common),
        ),
        at_most(
            "one value",
            "t_i <= e^x u_i + max(0, t_i - e^x u_i), times the common part, which is at most 1; the surplus of a_i"
            " where the value is good, 1 where it is not.",
            sp.Add(*(k * f for k, f in gap)),
            limit,
            Use("a_i <= 1", weight=_more + _t * _rest),
            Use("either", at={y: _t - sp.exp(test_epsilon) * _u, z: zero}, weight=_common),
            Use("its size", weight=sp.exp(test_epsilon) * _u),
            "slack",
            "common part",
            "1 - w_i",
            *(f"{name}_i" for name in names.values()),
        ),
        in_order(
            "all values",
            "So in the mean,",
            mean,
            (sp.Add(*(k * f for k, f in gap)), limit),
            ("one value", finite[0]),
            *finite[1:],
        ),
        linear("both runs", "on the left the chances of the outcome in the two runs,", mean, gap, *finite),
        linear("three shares", "on the right what each part costs.", mean, parts, finite[0]),
        at_most(
            "composition",
            "So the runs differ by at most three shares: the test's, the release's at good values, and bad values.",
            mean(t * a) - both * mean(u * c),
            sp.Add(*(mean(f) for _, f in parts)),
            "all values",
            "both runs",
            "three shares",
        ),
    ]


@cache
def both_at_once() -> Derivation:
    """What test and release cost together, on finitely many values: the three shares of delta (N26-T5.4).

    `number`: how far P exceeds e^eps Q at one value, max(0, y), at `gap` = y.
    """
    T, U, A, C, W = (sp.Symbol(name, real=True) for name in "tuacw")
    t, u, a, c, w = (entry(symbol) for symbol in (T, U, A, C, W))
    laws = {T: "t is a law on finitely many points", U: "u is a law on finitely many points"}
    steps = (
        Step("points", "Finitely many; every sum over them is finite.", kind="definition", premises=(*laws.values(),)),
        *(
            by_fact(f"{one}_i >= 0", "A law.", "masses are not negative", {"law": one}, {"law": laws[one]})
            for one in laws
        ),
        EITHER,
        *composed(total_of, (t, u), (a, c), w, "points"),
    )
    names = {"t": T, "u": U, "a": A, "c": C, "w": W, "x": test_epsilon, "y": epsilon}
    return Derivation(
        id="tested_ridges.both_at_once",
        title="What a test and a release after it cost together",
        sources=_CLAIMS,
        hypotheses=(
            *(Hypothesis(text, law(one)) for one, text in laws.items()),
            Hypothesis("a_i >= 0", a >= 0),
            Hypothesis("a_i <= 1", a <= 1),
            Hypothesis("c_i >= 0", c >= 0),
            Hypothesis("w_i <= 1", w <= 1),
            Hypothesis("x >= 0", test_epsilon >= 0),
            Hypothesis("y >= 0", epsilon >= 0),
        ),
        steps=steps,
        result_step="either",
        symbols={"y": y, "z": z},
        faults=(
            Fault("bad values left out", "composition", lambda rhs: rhs - total_of(t * (1 - w))),
            Fault("test left out", "one value", lambda rhs: rhs - sp.Max(0, t - sp.exp(test_epsilon) * u)),
            Fault("common part above its size", "its size", lambda rhs: rhs / 2),
        ),
        concludes=tuple(Conclusion(claim, "composition", names) for claim in _CLAIMS),
    )
