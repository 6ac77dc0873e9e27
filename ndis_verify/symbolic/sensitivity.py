"""How far one record moves two Gaussian outputs: a logistic-regression surrogate and a Gaussian-process prediction."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.notation import held

zero = sp.Integer(0)
_NORMS, _SIZE = "|x| <= l", "n at least the number of records of both databases"
# `added` is a variance, `noise` a standard deviation
length, penalty, added, noise = sp.symbols("l lambda v s", positive=True)
records, labels = sp.symbols("n B", positive=True)
room, more = sp.symbols("a b", nonnegative=True)


def logistic_ratio(n: sp.Expr) -> sp.Expr:
    """(v + 1/lambda)/(v + 1/(lambda + n l^2/4))."""
    return (added + 1 / penalty) / (added + 1 / (penalty + n * length**2 / 4))


_margin = sp.Symbol("m", real=True)
_slope = -1 / (1 + sp.exp(_margin))  # of the loss of one record


@cache
def one_minimiser() -> Derivation:
    """The objective has one minimiser, and (lambda I + X^T X/4)^{-1} is positive definite (N26-D7).

    `number`: the slope of one record's loss at its `margin` y x^T theta.
    """
    loss = sp.log(1 + sp.exp(-_margin))
    positive = Hypothesis("lambda > 0", penalty > 0)
    steps = (
        Step(
            "one record's gradient",
            "d/dm log(1 + e^{-m}) = -1/(1 + e^m), m = y x^T theta,",
            lhs=sp.diff(loss, _margin),
            rhs=_slope,
        ),
        Step(
            "convex",
            "Every loss is convex,",
            lhs=sp.diff(loss, _margin, 2),
            rhs=zero,
            relation=">",
            witness=sp.exp(_margin) / (1 + sp.exp(_margin)) ** 2,
        ),
        Step(
            "one minimiser",
            "so each objective is lambda-strongly convex and has one minimiser.",
            kind="argument",
            premises=("one record's gradient", "convex", positive.text),
        ),
        Step(
            "positive definite",
            "u^T X^T X u is a sum of squares: the inverse covariance is at least lambda I.",
            kind="argument",
            premises=(positive.text,),
        ),
    )
    return Derivation(
        id="sensitivity.one_minimiser",
        title="The logistic-regression surrogate has a mean and a covariance",
        sources=("N26-D7",),
        hypotheses=(positive,),
        steps=steps,
        result_step="one record's gradient",
        symbols={"margin": _margin},
        faults=(
            Fault("loss of the wrong sign", "one record's gradient", lambda rhs: -rhs),
            Fault("curved by a half more", "convex", lambda rhs: sp.Rational(1, 2)),
        ),
        concludes=(
            Conclusion("N26-D7", "one minimiser", part="one minimiser"),
            Conclusion("N26-D7", "positive definite", part="a positive definite covariance"),
        ),
    )


@cache
def logistic_shift() -> Derivation:
    """`Delta = (l/lambda)/sqrt(v + 1/(lambda + n l^2/4))` for the surrogate, n at least the size of both databases
    (N26-Pr7).

    `number`: Delta at `length`, `penalty`, `added` and `records`.
    """
    steps = (
        Step(
            "its size",
            "The gradient of one record's loss has norm |x|/(1 + e^m) < l.",
            lhs=length,
            rhs=-length * _slope,
            relation=">",
            witness=length * sp.exp(_margin) / (1 + sp.exp(_margin)),
            premises=(_NORMS, Use("one record's gradient", of=one_minimiser)),
        ),
        Step(
            "shift of the mean",
            "Each objective is lambda-strongly convex: lambda |theta - theta'| <= |grad L'(theta)| = |gradient of the"
            " one record at theta| < l.",
            kind="argument",
            premises=("its size", Use("convex", of=one_minimiser)),
        ),
        Step(
            "spread of the inverse covariance",
            "0 <= X^T X <= n l^2 I, as u^T X^T X u is a sum of at most n squares <= l^2: both covariances lie between"
            " 1/(lambda + n l^2/4) and 1/lambda times I.",
            kind="argument",
            premises=(_NORMS, _SIZE),
        ),
        Step(
            "shift",
            "Measured in the smaller possible inflated covariance.",
            lhs=sp.sqrt(held((length / penalty) ** 2 / (added + 1 / (penalty + records * length**2 / 4)))),
            rhs=(length / penalty) / sp.sqrt(added + 1 / (penalty + records * length**2 / 4)),
            premises=("shift of the mean", "spread of the inverse covariance"),
        ),
    )
    return Derivation(
        id="sensitivity.logistic_shift",
        title="The logistic-regression surrogate moves by at most l/lambda",
        sources=("N26-Pr7",),
        hypotheses=(_NORMS, Hypothesis("lambda > 0", penalty > 0), Hypothesis("v >= 0", added >= 0), _SIZE),
        steps=steps,
        result_step="shift",
        symbols={"length": length, "penalty": penalty, "added": added, "records": records},
        faults=(
            Fault("length squared", "shift", lambda rhs: length * rhs),
            Fault("n l^2 for n l^2/4", "shift", lambda rhs: rhs.subs(records, 4 * records)),
            Fault("gradient of the other sign", "its size", lambda rhs: -rhs),
        ),
        concludes=(
            Conclusion(
                "N26-Pr7",
                "shift",
                part="the shift of the mean",
                granted={_NORMS: "records of norm at most l", _SIZE: "at least the size of both databases"},
            ),
        ),
    )


@cache
def ratio_of_one_feature() -> Derivation:
    """One feature: a record y beside squares of sum x moves the surrogate's inflated variance by no more than the
    printed factor, n >= 1 (N26-Pr7-smaller-n).

    `number`: that factor, at `length`, `penalty`, `added` and `n`.
    """
    x, y = sp.Symbol("x", nonnegative=True), sp.Symbol("y", real=True)
    h, g = sp.symbols("h g", nonnegative=True)
    n = sp.Symbol("n", integer=True, positive=True)
    bound, v = sp.Symbol("L", real=True), sp.Symbol("v", nonnegative=True)
    size = sp.Symbol("k", nonnegative=True)
    largest = penalty + (h + g) / 4

    def inflated(precision: sp.Expr) -> sp.Expr:
        return v + 1 / precision

    here = inflated(penalty + x / 4) / inflated(penalty + (x + h) / 4)
    printed = inflated(penalty) / inflated(largest)
    in_n = inflated(penalty) / inflated(penalty + n * bound**2 / 4)
    excess = sp.factor(sp.cancel(sp.together(printed - here)))
    at_least_1 = sp.factor(sp.cancel(sp.together(here - 1)))
    rest = (n - 1) * bound**2
    steps = (
        Step("h", "The square of the record.", lhs=h, rhs=y**2, kind="definition"),
        Step("|y|", "No size is negative,", sp.Abs(y), zero, ">=", sp.Abs(y)),
        inferred("l >= 0", "nor is l,", bound, ">=", zero, *("|y|", Use("|y| <= l", weight=-1))),
        named(size, "by this name.", bound, "l >= 0"),
        Step("more records", "n >= 1.", rest, zero, ">=", rest),
        inferred(
            "room",
            "y^2 is at most l^2, and that n l^2.",
            n * bound**2 - y**2,
            ">=",
            zero,
            *("more records", Use("|y| <= l", weight=-(size + sp.Abs(y))), "k"),
        ),
        named(g, "What is left of n l^2.", n * bound**2 - y**2, "room"),
        Step("printed factor", "So the printed factor is at least the one here,", printed, here, ">=", excess),
        Step("at least 1", "which is at least 1,", here, sp.Integer(1), ">=", at_least_1),
        by_fact(
            "logarithms",
            "and so are their logarithms in order.",
            "logarithms keep the order",
            {"a": here, "b": printed, "c": sp.Integer(1)},
            {
                "order": inferred("order", "As above.", here, "<=", printed, Use("printed factor", weight=-1)),
                "least": "at least 1",
                "positive": Step("1 > 0", "Positive.", sp.Integer(1), zero, ">", sp.Integer(1)),
            },
        ),
        inferred(
            "in n",
            "In the terms of the statement.",
            sp.log(inflated(penalty + x / 4) / inflated(penalty + (x + y**2) / 4)),
            "<=",
            sp.log(in_n),
            *("logarithms", "g", "h"),
        ),
    )
    return Derivation(
        id="sensitivity.ratio_of_one_feature",
        title="The printed factor of one feature, with n at least 1",
        sources=("N26-Pr7",),
        hypotheses=(
            Hypothesis("|y| <= l", sp.Abs(y) <= bound),
            Hypothesis("n >= 1", n >= 1),
            Hypothesis("x >= 0", x >= 0),
            Hypothesis("v >= 0", v >= 0),
        ),
        steps=steps,
        result_step="in n",
        symbols={"length": bound, "penalty": penalty, "added": v, "n": n},
        faults=(
            Fault("half the factor", "printed factor", lambda rhs: 2 * rhs),
            Fault("n squared", "in n", lambda rhs: rhs.subs(n, n / 2)),
            Fault("record left out", "room", lambda rhs: bound**2),
        ),
        concludes=(
            Conclusion(
                "N26-Pr7-smaller-n",
                "in n",
                {"lam": penalty, "v": v, "l": bound, "x": x, "y": y, "n": n},
            ),
        ),
    )


@cache
def logistic_rank_one() -> Derivation:
    """One record changes one eigenvalue only: `rho_inf = nu = log((v + 1/lambda)/(v + 1/(lambda + l^2/4)))`, attained:
    the number beside the certified one; `surrogate_order.one_eigenvalue` proves it (N26-Pr7-improved).

    `number`: that bound at `length`, `penalty`, `added`; it is the printed rho_inf at n = 1.
    """
    S, Si, x, xt = (letter(name) for name in ["S", "Si", "x", "xt"])
    form = sp.Symbol("A", nonnegative=True)
    size = sp.Matrix([[2, 1], [1, 3]])
    record = sp.Matrix([1, 2])
    algebra = BlockAlgebra(
        {(S, Si): 1, (Si, S): 1, (xt, S, x): form},
        {S: size, Si: size.inv(), x: record, xt: record.T, form: (record.T * size * record)[0]},
        ("surrogate",),
    )
    eigenvalue = 1 / (penalty + room)  # of S: at most 1/lambda
    largest = length**2 / penalty
    below = largest / (1 + more)  # a value of A = x^T S x: at most l^2/lambda
    share = largest / (4 + largest) / (1 + penalty * added)
    least = Hypothesis("lambda > 0", penalty > 0)
    steps = (
        Step(
            "surrogate",
            "Si = S^{-1} = lambda I + X^T X/4 is invertible, as lambda > 0; x is the record that is added, A ="
            " x^T S x.",
            kind="definition",
            premises=(least.text,),
        ),
        Step(
            "update, any d",
            "(S^{-1} + x x^T/4)^{-1} = S - S x x^T S/(4 + A), A = x^T S x.",
            lhs=(Si + x * xt / 4) * (S - S * x * xt * S / (4 + form)),
            rhs=sp.Integer(1),
            algebra=algebra,
            premises=("surrogate",),
        ),
        Step(
            "rank one",
            "So the inflated covariances differ by S x x^T S/(4 + A): the relative covariance is I - w w^T, w = (S + v"
            " I)^{-1/2} S x/sqrt(4 + A), with one eigenvalue 1 - |w|^2 and d - 1 equal to 1"
            " (random_projection.quadratic_form_deletion).",
            kind="argument",
            premises=("update, any d",),
        ),
        Step(
            "per direction",
            "s^2/(s + v) <= s/(1 + lambda v) for every eigenvalue s <= 1/lambda of S,",
            lhs=eigenvalue / (1 + penalty * added),
            rhs=eigenvalue**2 / (eigenvalue + added),
            relation=">=",
            witness=room * added / ((penalty + room) * (1 + penalty * added) * (1 + added * (penalty + room))),
            premises=("surrogate",),
        ),
        Step(
            "|w|^2",
            "so |w|^2 <= A/(4 + A)/(1 + lambda v), and A <= l^2/lambda.",
            lhs=largest / (4 + largest),
            rhs=below / (4 + below),
            relation=">=",
            witness=4 * largest * more / ((4 + largest) * (4 * (1 + more) + largest)),
            premises=(_NORMS, "rank one", "per direction"),
        ),
        Step(
            "attained",
            "By no record against one of norm l: S = I/lambda.",
            lhs=share,
            rhs=(1 / penalty) ** 2 * length**2 / (4 + length**2 / penalty) / (1 / penalty + added),
            premises=("|w|^2",),
        ),
        Step(
            "bound",
            "-log(1 - |w|^2), the largest and the only one.",
            lhs=-sp.log(1 - share),
            rhs=sp.log(logistic_ratio(sp.Integer(1))),
            reduce=lambda left, right: sp.exp(-left) - sp.exp(-right),
            premises=("attained",),
        ),
        Step(
            "at most the printed bound",
            "n >= 1, n = 1 + b.",
            lhs=logistic_ratio(1 + more),
            rhs=logistic_ratio(sp.Integer(1)),
            relation=">=",
            witness=sp.factor(sp.together(logistic_ratio(1 + more) - logistic_ratio(sp.Integer(1)))),
            premises=("bound",),
        ),
    )
    return Derivation(
        id="sensitivity.logistic_rank_one",
        title="One record moves one eigenvalue of the surrogate's covariance",
        sources=("N26-Pr7",),
        hypotheses=(_NORMS, least, Hypothesis("v >= 0", added >= 0)),
        steps=steps,
        result_step="bound",
        symbols={"length": length, "penalty": penalty, "added": added},
        faults=(
            Fault("A left out of the update", "update, any d", lambda rhs: rhs + x * xt * S),
            Fault("l^2 for l^2/4", "bound", lambda rhs: sp.log(logistic_ratio(sp.Integer(4)))),
            Fault("added variance forgotten", "attained", lambda rhs: largest / (4 + largest)),
            Fault("per direction without v", "per direction", lambda rhs: eigenvalue),
        ),
        concludes=(
            Conclusion("N26-Pr7-improved", "bound", part="the bound, by one eigenvalue"),
            Conclusion("N26-Pr7-improved", "at most the printed bound", part="at most the printed bound"),
        ),
    )


@cache
def prediction_shift() -> Derivation:
    """`|mu' - mu| <= l B sqrt(n)/(2 s)` (prediction_bounds.of_any_size) is approached, and half of what is printed, so
    that this holds with the n of the smaller database, too, unless it is empty (N26-Pr8).

    `number`: Delta = l B sqrt(n)/(2 s sqrt(v)) at `length`, `labels`, `noise`, `added`, `records`.
    """
    bounded = ("k(x, x) <= l^2", "|y| <= B")
    limit = length**2 * records * labels**2 / (4 * noise**2)
    others = sp.Symbol("m", positive=True)  # n - 1
    mean = length * (noise / sp.sqrt(others)) * others * labels / (2 * noise**2)  # at the query, from the others
    left = length**2 / 2  # variance left at the query
    reached = left * (labels + mean) / (left + noise**2)
    steps = (
        Step(
            "bound",
            "With n records in the larger database and k the covariance function of a Gaussian process, |mu' - mu| <="
            " l B sqrt(n)/(2 s) (prediction_bounds.of_any_size).",
            kind="argument",
            premises=bounded,
        ),
        Step(
            "printed bound",
            "l B sqrt(n)/s is twice as large.",
            lhs=held(length * labels * sp.sqrt(records) / noise) ** 2,
            rhs=4 * limit,
            premises=("bound",),
        ),
        Step(
            "smaller n",
            "With m = n - 1 = 1 + a records in the smaller database, n <= 4 m: the printed bound holds with m too"
            " unless m = 0.",
            lhs=4 * (1 + room),
            rhs=2 + room,
            relation=">=",
            witness=2 + 3 * room,
            premises=("printed bound",),
        ),
        Step(
            "reached: variance left",
            "m = n - 1 >= s^2/l^2 records of feature s/sqrt(m) and label -B, the query and the new record of feature l,"
            " label B: K + s^2 I has the eigenvalue 2 s^2 there, and of l^2",
            lhs=length**2 - held(length * noise / sp.sqrt(others)) ** 2 * others / (2 * noise**2),
            rhs=left,
            premises=bounded,
        ),
        Step(
            "reached",
            "is left at the query: the shift is c t/h with c = l^2/2, t = B + l sqrt(m) B/(2 s), h = l^2/2 + s^2, above"
            " this share of l B sqrt(n)/(2 s):",
            lhs=reached - length**2 / (length**2 + 2 * noise**2) * length * labels * sp.sqrt(others) / (2 * noise),
            rhs=zero,
            relation=">",
            witness=length**2 * labels / (length**2 + 2 * noise**2),
            premises=("reached: variance left",),
        ),
        Step(
            "shift",
            "Measured in the added variance alone.",
            lhs=sp.sqrt(held(limit / added)),
            rhs=length * labels * sp.sqrt(records) / (2 * noise * sp.sqrt(added)),
            premises=("bound",),
        ),
    )
    return Derivation(
        id="sensitivity.prediction_shift",
        title="That a Gaussian-process prediction moves by at most l B sqrt(n)/(2 s) is nearly reached",
        sources=("N26-Pr8",),
        hypotheses=(*bounded, Hypothesis("s > 0", noise > 0), Hypothesis("v > 0", added > 0)),
        steps=steps,
        result_step="shift",
        symbols={"length": length, "labels": labels, "noise": noise, "added": added, "records": records},
        faults=(
            Fault("half left out twice", "shift", lambda rhs: rhs / 2),
            Fault("noise variance for its root", "shift", lambda rhs: rhs / noise),
            Fault("a tenth of the records", "smaller n", lambda rhs: 10 * rhs),
            Fault("twice the share reached", "reached", lambda rhs: length**3 * labels * sp.sqrt(others) / noise),
        ),
        concludes=tuple(
            Conclusion("N26-Pr8-smaller-n", step, part=part)
            for step, part in (
                ("smaller n", "n <= 4 (n - 1)"),
                ("shift", "half the printed bound"),
                ("reached", "how nearly that is reached"),
            )
        ),
    )
