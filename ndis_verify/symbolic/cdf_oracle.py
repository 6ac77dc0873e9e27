"""Two calls of a distribution function with a stated error give the divergence with a stated error."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import inferred
from ndis_verify.symbolic.nearby_laws import larger


@cache
def two_calls() -> Derivation:
    """Calls within `alpha/(1 + e^eps)` of Pr[W1 <= t] and Pr[W2 <= t] give `p1 - e^eps p2` within alpha of delta
    (N26-T7.1).

    `number`: the error allowed per call, at `alpha` and `epsilon`.
    """
    alpha, epsilon = sp.Symbol("alpha", positive=True), sp.Symbol("epsilon", nonnegative=True)
    first, second, x, y, size = sp.symbols("F G x y v", real=True)
    factor = sp.exp(epsilon)
    share = alpha / (1 + factor)
    error = share * (x - factor * y)

    def bounded(name: str, sign: int) -> Step:
        """sign (x t - e^eps y t) <= alpha."""
        return inferred(
            name,
            "Each error counts as often as its call, and both shares are alpha.",
            sign * error,
            "<=",
            alpha,
            *(
                use
                for of, text, weight in ((sign * x, "|x| <= 1", share), (-sign * y, "|y| <= 1", factor * share))
                for use in (Use("size", at={size: of}, weight=weight), Use(text, weight=weight))
            ),
        )

    steps = (
        Step(
            "share",
            "What the second call, whose error counts e^eps times, leaves of alpha for the first is as much: one error"
            " for each.",
            lhs=alpha - factor * share,
            rhs=share,
        ),
        Step(
            "size",
            "No number exceeds its size.",
            lhs=size,
            rhs=sp.Abs(size),
            relation="<=",
            witness=-2 * sp.Max(0, -size),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        bounded("from above", 1),
        bounded("from below", -1),
        larger("either way", "So in size.", error, -error, alpha, ("from above", "from below")),
        Step(
            "absolute value",
            "|v| = max(v, -v).",
            lhs=sp.Abs(size),
            rhs=sp.Max(size, -size),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        inferred(
            "within alpha",
            "The answer is the true difference and the errors.",
            sp.Abs(first + x * share - factor * (second + y * share) - (first - factor * second)),
            "<=",
            alpha,
            *("either way", Use("absolute value", at={size: error})),
        ),
    )
    names = {"F": first, "G": second, "x": x, "y": y, "alpha": alpha, "eps": epsilon}
    return Derivation(
        id="cdf_oracle.two_calls",
        title="The divergence from two distribution functions with error",
        sources=("N26-T7.1",),
        hypotheses=(Hypothesis("|x| <= 1", sp.Abs(x) <= 1), Hypothesis("|y| <= 1", sp.Abs(y) <= 1)),
        steps=steps,
        result_step="share",
        symbols={"alpha": alpha, "epsilon": epsilon},
        faults=(
            Fault("error alpha for each call", "share", lambda rhs: alpha),
            Fault("half of alpha", "from above", lambda rhs: rhs / 2),
            Fault("half of alpha in the end", "within alpha", lambda rhs: rhs / 2),
        ),
        concludes=(
            Conclusion("N26-T7.1", "within alpha", names),
            Conclusion("N26-T7.1", "share", part="one error for each call"),
        ),
    )
