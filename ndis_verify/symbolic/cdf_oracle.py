"""Two calls of a distribution function with a stated error give the divergence with a stated error."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step


@cache
def two_calls() -> Derivation:
    """Calls within `alpha/(1 + e^eps)` of Pr[W1 <= t] and Pr[W2 <= t] give `p1 - e^eps p2` within alpha of delta
    (N26-T7.1).

    `number`: the error allowed per call, at `alpha` and `epsilon`.
    """
    alpha, epsilon = sp.symbols("alpha epsilon", positive=True)
    below, over, claimed = sp.symbols("x y delta", nonnegative=True)
    factor = sp.exp(epsilon)
    share = alpha / (1 + factor)
    steps = (
        Step(
            "two probabilities",
            "delta = Pr[W1 <= t] - e^eps Pr[W2 <= t], two generalized chi-square laws (generalized_chi2.hockey_stick).",
            kind="definition",
        ),
        Step(
            "from above",
            "First error share - x, second -(share - y), with x, y >= 0 (each at most the share in size): at most"
            " alpha.",
            lhs=alpha,
            rhs=(share - below) - factor * (over - share),
            relation=">=",
            witness=below + factor * over,
        ),
        Step(
            "from below",
            "The opposite errors: at least -alpha.",
            lhs=(below - share) - factor * (share - over),
            rhs=-alpha,
            relation=">=",
            witness=below + factor * over,
        ),
        Step(
            "refutation",
            "If the answer less alpha exceeds a claimed delta, answer = delta_claimed + alpha + x, then the true value"
            " does too: delta_true >= answer - alpha >= delta_claimed.",
            lhs=(claimed + alpha + below) - alpha,
            rhs=claimed,
            relation=">=",
            witness=below,
        ),
        Step(
            "share",
            "What the second call, whose error counts e^eps times, leaves of alpha for the first is as much: one error"
            " for each.",
            lhs=alpha - factor * share,
            rhs=share,
        ),
        Step(
            "both shares",
            "They add up to alpha exactly: no larger error per call will do.",
            lhs=share + factor * share,
            rhs=alpha,
        ),
    )
    return Derivation(
        id="cdf_oracle.two_calls",
        title="The divergence from two distribution functions with error",
        sources=("N26-T7.1",),
        hypotheses=("each call within alpha/(1 + e^eps)", "alpha > 0", "eps >= 0"),
        steps=steps,
        result_step="share",
        symbols={"alpha": alpha, "epsilon": epsilon},
        faults=(
            Fault("error alpha for each call", "share", lambda rhs: alpha),
            Fault("factor e^eps dropped", "from above", lambda rhs: rhs + 2 * below + factor * over),
            Fault("shares without e^eps", "both shares", lambda rhs: 2 * share),
        ),
        covers={"N26-T7.1": "whole, with generalized_chi2.hockey_stick"},
    )
