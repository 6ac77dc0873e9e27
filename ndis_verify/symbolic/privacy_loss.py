"""Differential privacy, the hockey-stick divergence and the two tails of the privacy loss; the triangle inequality;
norms.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.meanings import p, q
from ndis_verify.symbolic.notation import largest, total, x
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.statement_terms import quantity

epsilon, e1, e2 = sp.symbols("epsilon e1 e2", real=True)
zero = sp.Integer(0)


@cache
def dp_iff_hockey_stick() -> Derivation:
    """(eps, delta)-DP exactly when the hockey-stick divergence of every ordered neighbouring pair is at most delta
    (KM-2.2, BW-T5).

    `number`: max(p - e^eps q, 0), the integrand of the divergence, at densities `p`, `q` and `epsilon`.
    """
    mass_p, mass_q, delta = sp.symbols("P Q delta", nonnegative=True)
    gap = p(x) - sp.exp(epsilon) * q(x)
    density_p, density_q = sp.symbols("p q", positive=True)
    steps = (
        Step(
            "definition of DP",
            "P(S) <= e^eps Q(S) + delta for every measurable S and every ordered pair of neighbours.",
            kind="definition",
        ),
        Step(
            "rearranged",
            "The same inequality, one side.",
            lhs=sp.exp(epsilon) * mass_q + delta - mass_p,
            rhs=delta - (mass_p - sp.exp(epsilon) * mass_q),
        ),
        Step("densities", "p and q are densities of P and Q with respect to P + Q.", kind="definition"),
        Step(
            "sup over S",
            "It is attained at S* = {p > e^eps q}; ties count 0 either way.",
            lhs=largest(gap),
            rhs=total(sp.Max(gap, 0)),
            kind="fact",
            fact="largest integral over a set",
            letters={"f": gap},
            conditions={"integrable": "densities"},
        ),
        Step(
            "all S at once",
            "It holds for every S exactly when sup_S (P(S) - e^eps Q(S)) <= delta; S* attains the supremum. Densities"
            " are taken with respect to P + Q, so no assumption on P and Q is needed.",
            kind="argument",
        ),
        Step(
            "integrand",
            "The divergence is the integral of this over S* = {p > e^eps q}.",
            lhs=density_p * sp.Max(0, 1 - sp.exp(epsilon) * density_q / density_p),
            rhs=sp.Max(density_p - sp.exp(epsilon) * density_q, 0),
        ),
    )
    return Derivation(
        id="privacy_loss.dp_iff_hockey_stick",
        title="Differential privacy is a bound on the hockey-stick divergence",
        sources=("KM-2.2", "BW-T5"),
        hypotheses=("real eps",),
        steps=steps,
        result_step="integrand",
        symbols={"p": density_p, "q": density_q, "epsilon": epsilon},
        faults=(
            Fault(
                "factor e^eps on the wrong side", "rearranged", lambda rhs: delta - (sp.exp(epsilon) * mass_p - mass_q)
            ),
            Fault("P and Q swapped", "integrand", lambda rhs: sp.Max(density_q - sp.exp(epsilon) * density_p, 0)),
        ),
        covers={"KM-2.2": "whole", "BW-T5": "part: DP iff the divergence is at most delta"},
    )


@cache
def two_tails() -> Derivation:
    """The divergence is `Pr[L >= eps] - e^eps Pr[L' <= -eps]`, L = log p/q under P and L' = log q/p under Q (BW-T5).

    `number`: that difference at the two probabilities `upper` and `lower`, and `epsilon`.
    """
    p, q = sp.symbols("p q", positive=True)
    upper, lower = sp.symbols("u l", nonnegative=True)
    tie = sp.Symbol("m", nonnegative=True)
    steps = (
        Step(
            "one event",
            "L(x) >= eps, p(x) >= e^eps q(x) and L'(x) <= -eps say the same of x: p - e^eps q has the sign of L - eps,",
            lhs=p - sp.exp(epsilon) * q,
            rhs=sp.exp(epsilon) * q * (sp.exp(sp.log(p / q) - epsilon) - 1),
        ),
        Step("opposite losses", "and L' = -L pointwise.", lhs=sp.log(q / p), rhs=-sp.log(p / q)),
        Step(
            "ties",
            "Where p = e^eps q both terms cancel, so >= and <= may be replaced by > and <, in both terms together.",
            lhs=(p - sp.exp(epsilon) * q).subs(p, sp.exp(epsilon) * q),
            rhs=zero,
        ),
        Step(
            "mixed strictness",
            "The tied set has Q-mass m and P-mass e^eps m; replacing in one term alone would change the difference by"
            " e^eps m.",
            lhs=(upper - sp.exp(epsilon) * tie) - sp.exp(epsilon) * (lower - tie),
            rhs=upper - sp.exp(epsilon) * lower,
        ),
        Step(
            "q = 0 or p = 0",
            "Where q = 0 < p, L is infinite and counts under P; where p = 0 < q, L' is infinite and does not count"
            " under Q; both agree with max(p - e^eps q, 0).",
            kind="argument",
        ),
        Step(
            "integral over the event",
            "int max(p - e^eps q, 0) = P(E) - e^eps Q(E), P(E) = Pr[L >= eps], Q(E) = Pr[L' <= -eps]. DP asks this of"
            " both orders of every pair.",
            kind="argument",
        ),
        Step(
            "difference",
            "With dp_iff_hockey_stick: DP exactly when this is at most delta for every ordered pair.",
            lhs=upper + sp.exp(epsilon) * (-lower),
            rhs=upper - sp.exp(epsilon) * lower,
        ),
    )
    return Derivation(
        id="privacy_loss.two_tails",
        title="The divergence through the two tails of the privacy loss",
        sources=("BW-T5",),
        hypotheses=("real eps", "every ordered pair of neighbours"),
        steps=steps,
        result_step="difference",
        symbols={"upper": upper, "lower": lower, "epsilon": epsilon},
        faults=(
            Fault("factor e^eps dropped", "difference", lambda rhs: upper - lower),
            Fault("L' = L", "opposite losses", lambda rhs: -rhs),
            Fault("tie counted once", "mixed strictness", lambda rhs: rhs - sp.exp(epsilon) * tie),
            Fault("event of -eps", "one event", lambda rhs: rhs.subs(epsilon, -epsilon)),
        ),
        covers={"BW-T5": "whole, with dp_iff_hockey_stick"},
    )


@cache
def gaussian_profile() -> Derivation:
    """`delta(eps) = Phi(-eps std/Delta + Delta/(2 std)) - e^eps Phi(-eps std/Delta - Delta/(2 std))` (KM-2.3, BW-T8).

    `number`: at `sensitivity` = Delta > 0, `std` > 0 (a standard deviation) and `epsilon`.
    """
    sensitivity, std = sp.symbols("Delta sigma", positive=True)
    profile = Phi(-epsilon * std / sensitivity + sensitivity / (2 * std)) - sp.exp(epsilon) * Phi(
        -epsilon * std / sensitivity - sensitivity / (2 * std)
    )
    steps = (
        Step(
            "covariance",
            "S = sigma^2 I, positive definite as sigma > 0; the whitened shift is D = Delta/sigma.",
            kind="definition",
            premises=("sigma > 0",),
        ),
        Step(
            "profile",
            "The closed form of one pair at that shift.",
            lhs=quantity("mean_shift", sensitivity / std, epsilon),
            rhs=profile,
            kind="inference",
            premises=(
                Use(
                    "closed form",
                    of=mean_shift.hockey_stick,
                    at={mean_shift.shift: sensitivity / std},
                    granted={"S positive definite": "covariance"},
                ),
            ),
        ),
    )
    return Derivation(
        id="privacy_loss.gaussian_profile",
        title="The privacy profile of the Gaussian mechanism",
        sources=("KM-2.3", "BW-T8"),
        hypotheses=(Hypothesis("Delta > 0", sensitivity > 0), Hypothesis("sigma > 0", std > 0)),
        steps=steps,
        result_step="profile",
        symbols={"sensitivity": sensitivity, "std": std, "epsilon": epsilon},
        faults=(
            Fault("std and variance confused", "profile", lambda rhs: rhs.subs(std, std**2)),
            Fault("factor e^eps dropped", "profile", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("sign of eps flipped", "profile", lambda rhs: rhs.subs(epsilon, -epsilon)),
        ),
        concludes=(
            Conclusion("KM-2.3", "profile", {"Delta": sensitivity, "sigma": std, "eps": epsilon}),
            Conclusion("BW-T8", "profile", part="the profile of one pair"),
        ),
    )


@cache
def triangle() -> Derivation:
    """`delta_{P,R}(e1+e2) <= delta_{P,Q}(e1) + e^{e1} delta_{Q,R}(e2)` (N26-P3).

    `number`: the right-hand side at `first` = delta_{P,Q}(e1), `second` = delta_{Q,R}(e2) and `e1`.
    """
    p, q = sp.symbols("p q", positive=True)
    first, second = sp.symbols("delta1 delta2", nonnegative=True)
    density_r = sp.Symbol("r", positive=True)
    x, y = sp.symbols("x y", real=True)
    plus = lambda value: sp.Max(value, 0)  # noqa: E731
    steps = (
        Step(
            "decomposition",
            "p - e^{e1+e2} r = x + y with x = p - e^{e1} q and y = e^{e1} (q - e^{e2} r).",
            lhs=p - sp.exp(e1 + e2) * density_r,
            rhs=(p - sp.exp(e1) * q) + sp.exp(e1) * (q - sp.exp(e2) * density_r),
        ),
        Step(
            "where x + y > 0",
            "max(x+y, 0) = x + y there, and max(x,0) + max(y,0) exceeds it by max(-x,0) + max(-y,0).",
            lhs=plus(x) + plus(y),
            rhs=x + y,
            relation=">=",
            witness=plus(-x) + plus(-y),
        ),
        Step(
            "where x + y <= 0",
            "max(x+y, 0) = 0 there.",
            lhs=plus(x) + plus(y),
            rhs=zero,
            relation=">=",
            witness=plus(x) + plus(y),
        ),
        Step("factor", "max(e^{e1} v, 0) = e^{e1} max(v, 0).", lhs=plus(sp.exp(e1) * y), rhs=sp.exp(e1) * plus(y)),
        Step("integrate", "The pointwise inequality integrates to the three divergences.", kind="argument"),
        Step(
            "bound",
            "First step in full, second step weighted by e^{e1}.",
            lhs=first - sp.exp(e1) * (-second),
            rhs=first + sp.exp(e1) * second,
        ),
    )
    return Derivation(
        id="privacy_loss.triangle",
        title="Triangle inequality of the hockey-stick divergence",
        sources=("N26-P3",),
        hypotheses=("real e1, e2 (any distributions)",),
        steps=steps,
        result_step="bound",
        symbols={"first": first, "second": second, "e1": e1},
        faults=(
            Fault(
                "factor e^{e1} dropped",
                "decomposition",
                lambda rhs: (p - sp.exp(e1) * q) + (q - sp.exp(e2) * density_r),
            ),
            Fault("factor e^{e2} in place of e^{e1}", "factor", lambda rhs: sp.exp(e2) * plus(y)),
            Fault("inequality without its slack", "where x + y > 0", lambda rhs: rhs + plus(-x)),
            Fault("weight dropped in the bound", "bound", lambda rhs: first + second),
        ),
        covers={"N26-P3": "whole"},
    )


@cache
def sensitivity_norms() -> Derivation:
    """k counting queries on n records: `Delta_2 <= sqrt(k)/n`, and `Delta_2 <= Delta_1` for every query (SL-1).

    `number`: sqrt(k)/n at `k` and `n`.
    """
    k, n = sp.symbols("k n", positive=True)
    total, gap, last = sp.symbols("A g y", nonnegative=True)
    room, change = sp.symbols("v w", nonnegative=True)
    u1, u2, u3 = sp.symbols("u1:4", nonnegative=True)
    steps = (
        Step("norms, k = 1", "|y|^2 = y^2.", lhs=last**2, rhs=sp.Abs(last) ** 2),
        Step(
            "norms, k to k + 1",
            "A the 1-norm of k entries, A^2 - g their squared 2-norm with g >= 0, y = |next entry|: the gap does not"
            " shrink below 0.",
            lhs=(total + last) ** 2,
            rhs=(total**2 - gap) + last**2,
            relation=">=",
            witness=gap + 2 * total * last,
        ),
        Step(
            "norms, k = 3 in full",
            "u_i = |z_i|.",
            lhs=(u1 + u2 + u3) ** 2,
            rhs=u1**2 + u2**2 + u3**2,
            relation=">=",
            witness=2 * (u1 * u2 + u1 * u3 + u2 * u3),
        ),
        Step(
            "sensitivities",
            "||z||_2 <= ||z||_1 for every difference z of neighbours, hence for the suprema: Delta_2 <= Delta_1.",
            kind="argument",
        ),
        Step(
            "one counting query",
            "It changes by w with w + v = 1/n, v >= 0: its square is at most 1/n^2.",
            lhs=(change + room) ** 2,
            rhs=change**2,
            relation=">=",
            witness=room**2 + 2 * change * room,
        ),
        Step(
            "k counting queries",
            "k squares of at most 1/n^2 each; attained when one record changes all k counts.",
            lhs=sp.sqrt(k * (1 / n) ** 2),
            rhs=sp.sqrt(k) / n,
        ),
    )
    return Derivation(
        id="privacy_loss.sensitivity_norms",
        title="Sensitivity of counting queries in the Euclidean norm",
        sources=("SL-1",),
        hypotheses=("each query is a fraction of n records; neighbours differ in one record",),
        steps=steps,
        result_step="k counting queries",
        symbols={"k": k, "n": n},
        faults=(
            Fault("square root dropped", "k counting queries", lambda rhs: k / n),
            Fault("norms in the other order", "norms, k to k + 1", lambda rhs: rhs + 4 * total * last + gap + 1),
            Fault("n not squared", "k counting queries", lambda rhs: sp.sqrt(k / n)),
        ),
        covers={"SL-1": "whole"},
    )
