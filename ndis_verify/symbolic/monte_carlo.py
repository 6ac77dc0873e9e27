"""The Monte Carlo estimator's guarantee, from the lemma and Hoeffding's inequality."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.notation import held

accuracy, failure, draws = sp.symbols("alpha gamma m", positive=True)
q = sp.Symbol("q", real=True)
_ENOUGH = "m >= log(2/gamma)/(2 alpha^2)"
_least = sp.log(2 / failure) / (2 * accuracy**2)


@cache
def enough_samples() -> Derivation:
    """`m >= log(2/gamma)/(2 alpha^2)` makes Hoeffding's bound `2 e^{-2 m alpha^2}` at most gamma (N24-Fig2, N24-C1).

    `number`: gamma itself.
    """
    m = sp.Symbol("m", real=True)
    exponent = -2 * m * accuracy**2
    steps = (
        inferred(
            "exponent",
            "By the number of draws.",
            exponent,
            "<=",
            -sp.log(2 / failure),
            Use(_ENOUGH, weight=-2 * accuracy**2),
        ),
        by_fact(
            "power",
            "A smaller exponent, a smaller power.",
            "exponentials keep the order",
            {"a": exponent, "b": -sp.log(2 / failure)},
            {"order": "exponent"},
        ),
        inferred(
            "at most gamma",
            "So it fails with at most gamma.",
            2 * sp.exp(exponent),
            "<=",
            failure,
            Use("power", weight=2),
        ),
    )
    names = {"m": m, "alpha": accuracy, "gamma": failure}
    return Derivation(
        id="monte_carlo.enough_samples",
        title="How many draws make Hoeffding's bound small",
        sources=("N24-Fig2", "N24-C1"),
        hypotheses=(Hypothesis(_ENOUGH, m >= sp.log(2 / failure) / (2 * accuracy**2)),),
        steps=steps,
        result_step="at most gamma",
        symbols={"failure_probability": failure},
        faults=(
            Fault("half of gamma", "at most gamma", lambda rhs: rhs / 2),
            Fault("exponent of one side", "exponent", lambda rhs: -2 * sp.log(2 / failure)),
        ),
        concludes=tuple(Conclusion(claim, "at most gamma", names) for claim in ("N24-Fig2", "N24-C1")),
    )


@cache
def hoeffding_samples() -> Derivation:
    """`m = ceil(log(2/gamma)/(2 alpha^2))` draws put the mean within alpha with probability 1 - gamma (N24-Fig2,
    N24-C1).

    `number`: the real number log(2/gamma)/(2 alpha^2) that m rounds up, at `accuracy` and `failure_probability`.
    """
    hinge = sp.Max(0, 1 - sp.exp(q))
    steps = (
        Step("terms are at least 0", "A maximum with 0.", lhs=hinge, rhs=sp.Integer(0), relation=">=", witness=hinge),
        Step(
            "terms are at most 1",
            "1 - max(0, 1 - e^q) = min(1, e^q) >= 0.",
            lhs=sp.Integer(1),
            rhs=hinge,
            relation=">=",
            witness=sp.Min(1, sp.exp(q)),
            reduce=lambda left, right: _by_cases(left - right),
        ),
        Step(
            "terms have mean delta",
            "N26-L1: delta = E[max(0, 1 - exp q_eps(Z))]; the estimator's terms are independent copies.",
            kind="argument",
        ),
        by_fact(
            "Hoeffding's inequality",
            "The mean of m terms is off by alpha or more with probability at most 2 exp(-2 m alpha^2).",
            "Hoeffding's inequality",
            {"X": hinge, "mean": sp.Symbol("mean", real=True), "m": draws, "c": accuracy},
            {
                "independent": "independent draws",
                "low": "terms are at least 0",
                "high": "terms are at most 1",
                "copies": Step("m > 0", "as said.", draws, sp.Integer(0), ">", draws),
                "distance": Step("alpha >= 0", "as said.", accuracy, sp.Integer(0), ">=", accuracy),
            },
            ("terms have mean delta",),
        ),
        Step(
            "cost",
            "A, b and c take a Cholesky factor, a product and one eigendecomposition of d x d matrices, O(d^3); in the"
            " eigenbasis q_eps is a sum of d terms, so m draws of d normal numbers take O(m d).",
            kind="argument",
        ),
        Step(
            "sample size",
            "The exponent that makes the bound gamma.",
            lhs=sp.log(2 / held(failure)),
            rhs=2 * accuracy**2 * _least,
            premises=("0 < alpha < 1", "0 < gamma < 1", "Hoeffding's inequality"),
        ),
        Step(
            "least sample size",
            "Solved for m.",
            lhs=sp.solve(sp.log(2 / failure) - 2 * accuracy**2 * draws, draws)[0],
            rhs=_least,
            premises=("sample size",),
        ),
    )
    return Derivation(
        id="monte_carlo.hoeffding_samples",
        title="The Monte Carlo estimator is within alpha with probability 1 - gamma",
        sources=("N24-Fig2", "N24-C1"),
        hypotheses=("0 < alpha < 1", "0 < gamma < 1", "independent draws"),
        steps=steps,
        result_step="least sample size",
        symbols={"accuracy": accuracy, "failure_probability": failure},
        faults=(
            Fault(
                "factor 2 of the two sides dropped",
                "least sample size",
                lambda rhs: sp.log(1 / failure) / (2 * accuracy**2),
            ),
            Fault("alpha not squared", "least sample size", lambda rhs: rhs * accuracy),
        ),
        concludes=(
            *(Conclusion(name, "least sample size", part="the bound of the draws") for name in ("N24-Fig2", "N24-C1")),
            Conclusion("N24-C1", "cost", part="the number of operations"),
        ),
    )


def _by_cases(expression: sp.Expr) -> sp.Expr:
    """min and max through |.|, so that the two sides can be compared."""
    return expression.rewrite(sp.Abs)
