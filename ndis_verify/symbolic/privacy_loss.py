"""Differential privacy, the hockey-stick divergence and the two tails of the privacy loss; the triangle inequality."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import a_density, inferred, over_sets
from ndis_verify.symbolic.nearby_laws import in_order, larger, linear
from ndis_verify.symbolic.notation import below, beyond, largest, law, total, where, x
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.statement_terms import quantity

epsilon, e1, e2 = sp.symbols("epsilon e1 e2", real=True)
THREE_DENSITIES = tuple(sp.Function(name, nonnegative=True)(x) for name in ("f_P", "f_Q", "f_R"))  # of `triangle`
_DENSITIES = "output laws have densities with respect to one measure"
_BOTH = ("density of P", "density of Q")


def _densities(f_p: sp.Expr, f_q: sp.Expr) -> tuple[Step, ...]:
    """Of the output laws of two neighbours."""
    return (
        a_density(_BOTH[0], "f_P is the density of the output law P,", f_p, _DENSITIES),
        a_density(_BOTH[1], "f_Q that of Q, the output law of a neighbour.", f_q, _DENSITIES),
    )


@cache
def dp_iff_hockey_stick() -> Derivation:
    """(eps, delta)-DP exactly when the hockey-stick divergence of every ordered neighbouring pair is at most delta
    (KM-2.2, BW-T5).

    `number`: max(p - e^eps q, 0), the integrand of the divergence, at densities `p`, `q` and `epsilon`.
    """
    least = sp.Symbol("delta_least", real=True)
    f_p, f_q = (sp.Function(name, nonnegative=True)(x) for name in ("f_P", "f_Q"))
    gap = f_p - sp.exp(epsilon) * f_q
    density_p, density_q = sp.symbols("p q", positive=True)
    steps = (
        *_densities(f_p, f_q),
        Step(
            "least delta",
            "DP says P(S) - e^eps Q(S) <= delta for every measurable S and every ordered pair of neighbours; the least"
            " delta of a pair is the least upper bound, the supremum over S.",
            lhs=least,
            rhs=largest(gap),
            kind="definition",
        ),
        over_sets(gap, "{f_P > e^eps f_Q}", *_BOTH),
        Step(
            "divergence",
            "The least delta is the hockey-stick divergence.",
            lhs=least,
            rhs=total(sp.Max(gap, 0)),
            kind="inference",
            premises=("least delta", "sup over S"),
        ),
        Step(
            "integrand",
            "Where p > 0.",
            lhs=density_p * sp.Max(0, 1 - sp.exp(epsilon) * density_q / density_p),
            rhs=sp.Max(density_p - sp.exp(epsilon) * density_q, 0),
        ),
    )
    return Derivation(
        id="privacy_loss.dp_iff_hockey_stick",
        title="Differential privacy is a bound on the hockey-stick divergence",
        sources=("KM-2.2", "BW-T5"),
        hypotheses=(_DENSITIES,),
        steps=steps,
        result_step="integrand",
        symbols={"p": density_p, "q": density_q, "epsilon": epsilon},
        faults=(
            Fault("P and Q swapped", "integrand", lambda rhs: sp.Max(density_q - sp.exp(epsilon) * density_p, 0)),
            Fault("negative part", "divergence", lambda rhs: total(sp.Max(-gap, 0))),
        ),
        concludes=(
            Conclusion("KM-2.2", "divergence", part="for densities"),
            Conclusion("KM-2.2", "integrand", part="the integrand"),
            Conclusion("BW-T5", "divergence", part="DP is a bound on the divergence"),
            Conclusion(
                "N24-T5", "divergence", part="DP is a bound on the divergence", granted={_DENSITIES: "sigma > 0"}
            ),
            Conclusion(
                "N24-C4", "divergence", part="DP is a bound on the divergence", granted={_DENSITIES: "sigma > 0"}
            ),
        ),
    )


@cache
def two_tails() -> Derivation:
    """The divergence is `Pr[L >= eps] - e^eps Pr[L' <= -eps]`, L = log p/q under P and L' = log q/p under Q (BW-T5).

    `number`: that difference at the two probabilities `upper` and `lower`, and `epsilon`.
    """
    p, q = sp.symbols("p q", positive=True)
    upper, lower = sp.symbols("u l", real=True)
    tie = sp.Symbol("m", nonnegative=True)
    f_p, f_q = (sp.Function(name, nonnegative=True)(x) for name in ("f_P", "f_Q"))
    gap = f_p - sp.exp(epsilon) * f_q
    steps = (
        *_densities(f_p, f_q),
        Step(
            "losses",
            "L = log f_P/f_Q, infinite where f_Q = 0 < f_P, and L' = log f_Q/f_P, infinite where f_P = 0 < f_Q.",
            kind="definition",
        ),
        Step(
            "one event",
            "Where both densities are positive, f_P - e^eps f_Q has the sign of L - eps.",
            lhs=p - sp.exp(epsilon) * q,
            rhs=sp.exp(epsilon) * q * (sp.exp(sp.log(p / q) - epsilon) - 1),
        ),
        Step("opposite losses", "L' = -L.", lhs=sp.log(q / p), rhs=-sp.log(p / q)),
        Step(
            "upper",
            "u = Pr[L >= eps] under P: the event is {f_P >= e^eps f_Q}, where L is infinite too.",
            lhs=upper,
            rhs=where(f_p, gap),
            kind="definition",
            premises=("losses", "one event"),
        ),
        Step(
            "lower",
            "l = Pr[L' <= -eps] under Q: the same event, which has no point where f_P = 0 < f_Q.",
            lhs=lower,
            rhs=where(f_q, gap),
            kind="definition",
            premises=("losses", "one event", "opposite losses"),
        ),
        Step(
            "on the event",
            "The supremum over all events is attained there.",
            lhs=largest(gap),
            rhs=where(gap, gap),
            kind="fact",
            fact="largest integral over a set, its set",
            letters={"f": gap},
            conditions={"integrable": _BOTH[0]},
            premises=_BOTH[1:],
        ),
        Step(
            "both masses",
            "The integral over the event is that of each density.",
            lhs=where(gap, gap),
            rhs=where(f_p, gap) - sp.exp(epsilon) * where(f_q, gap),
            kind="fact",
            fact="integrals over a set are linear",
            letters={"f": f_p, "c": -sp.exp(epsilon), "g": f_q, "set": gap},
            conditions={"integrable": _BOTH[0]},
            premises=_BOTH[1:],
        ),
        Step(
            "difference",
            "The least delta of the pair: DP is this being at most delta for every ordered pair.",
            lhs=sp.Symbol("delta_least", real=True),
            rhs=upper - sp.exp(epsilon) * lower,
            kind="inference",
            premises=(
                Use("least delta", of=dp_iff_hockey_stick),
                "on the event",
                "both masses",
                "upper",
                "lower",
            ),
        ),
        Step(
            "mixed strictness",
            "The tied set has Q-mass m and P-mass e^eps m; replacing >= by > in both terms changes nothing, in one"
            " alone it would change the difference by e^eps m.",
            lhs=(upper - sp.exp(epsilon) * tie) - sp.exp(epsilon) * (lower - tie),
            rhs=upper - sp.exp(epsilon) * lower,
        ),
    )
    return Derivation(
        id="privacy_loss.two_tails",
        title="The divergence through the two tails of the privacy loss",
        sources=("BW-T5",),
        hypotheses=(_DENSITIES,),
        steps=steps,
        result_step="difference",
        symbols={"upper": upper, "lower": lower, "epsilon": epsilon},
        faults=(
            Fault("factor e^eps dropped", "difference", lambda rhs: upper - lower),
            Fault("L' = L", "opposite losses", lambda rhs: -rhs),
            Fault("tie counted once", "mixed strictness", lambda rhs: rhs - sp.exp(epsilon) * tie),
            Fault("event of -eps", "one event", lambda rhs: rhs.subs(epsilon, -epsilon)),
        ),
        concludes=(
            Conclusion("BW-T5", "difference", part="for densities"),
            Conclusion("BW-T5", "mixed strictness", part="> in place of >= in both terms"),
        ),
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
            "S = sigma^2 I: S positive definite, as sigma > 0; the whitened shift is D = Delta/sigma.",
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
    first, second = sp.symbols("delta1 delta2", real=True)
    u, y = sp.symbols("u y", real=True)
    a1, a2, a3 = sp.symbols("a1:4", nonnegative=True)  # densities at one point
    f_p, f_q, f_r = THREE_DENSITIES
    plus = lambda value: sp.Max(value, 0)  # noqa: E731
    gaps = {
        "P, R": f_p - sp.exp(e1 + e2) * f_r,
        "P, Q": f_p - sp.exp(e1) * f_q,
        "Q, R": f_q - sp.exp(e2) * f_r,
    }
    at = {u: gaps["P, Q"], y: sp.exp(e1) * gaps["Q, R"]}
    through_q = plus(gaps["P, Q"]) + sp.exp(e1) * plus(gaps["Q, R"])
    attained = tuple(
        Step(
            f"divergence of {name}",
            "The supremum over events is attained where the first density exceeds e^eps times the second.",
            lhs=largest(gap),
            rhs=total(plus(gap)),
            kind="fact",
            fact="largest integral over a set",
            letters={"f": gap},
            conditions={"integrable": f"density of {name[0]}"},
            premises=(f"density of {name[-1]}",),
        )
        for name, gap in gaps.items()
    )
    steps = (
        *(
            a_density(
                f"density of {name}",
                f"With respect to P + Q + R, over which is integrated, {f.func} is that of {name}.",
                f,
                "P, Q, R laws on one space",
            )
            for name, f in zip("PQR", THREE_DENSITIES, strict=True)
        ),
        *attained,
        Step(
            "where u + y > 0",
            "At y = v - u, v > 0: max(u, 0) + max(y, 0) exceeds u + y by max(-u, 0) + max(-y, 0).",
            lhs=plus(below),
            rhs=plus(u) + plus(below - u),
            relation="<=",
            witness=-plus(-u) - plus(u - below),
        ),
        Step(
            "where u + y <= 0",
            "At y = -w - u, w >= 0: max(u + y, 0) = 0.",
            lhs=plus(-beyond),
            rhs=plus(u) + plus(-beyond - u),
            relation="<=",
            witness=-plus(u) - plus(-beyond - u),
        ),
        Step(
            "positive parts",
            "max(u + y, 0) <= max(u, 0) + max(y, 0).",
            lhs=plus(u + y),
            rhs=plus(u) + plus(y),
            relation="<=",
            kind="fact",
            fact="both sides of an edge",
            letters={"f": plus(u + y), "g": plus(u) + plus(y), "argument": y, "edge": -u},
            conditions={"above": "where u + y > 0", "below": "where u + y <= 0"},
        ),
        Step("factor", "max(e^{e1} y, 0) = e^{e1} max(y, 0).", lhs=plus(sp.exp(e1) * y), rhs=sp.exp(e1) * plus(y)),
        Step(
            "decomposition",
            "f_P - e^{e1+e2} f_R = u + y with u = f_P - e^{e1} f_Q and y = e^{e1} (f_Q - e^{e2} f_R).",
            lhs=a1 - sp.exp(e1 + e2) * a3,
            rhs=(a1 - sp.exp(e1) * a2) + sp.exp(e1) * (a2 - sp.exp(e2) * a3),
        ),
        Step(
            "pointwise",
            "At every point.",
            lhs=plus(gaps["P, R"]),
            rhs=through_q,
            relation="<=",
            kind="inference",
            premises=(
                Use("decomposition", at={a1: f_p, a2: f_q, a3: f_r}),
                Use("positive parts", at=at),
                Use("factor", at={y: gaps["Q, R"]}),
            ),
        ),
        Step(
            "integrated",
            "The integrals are ordered as the integrands are.",
            lhs=total(plus(gaps["P, R"])),
            rhs=total(through_q),
            relation="<=",
            kind="fact",
            fact="means keep the order",
            letters={"mean": total, "f": plus(gaps["P, R"]), "g": through_q},
            conditions={"pointwise": "pointwise", "integrable": "density of P"},
        ),
        Step(
            "sum",
            "The second integral is one of each.",
            lhs=total(through_q),
            rhs=total(plus(gaps["P, Q"])) + sp.exp(e1) * total(plus(gaps["Q, R"])),
            kind="fact",
            fact="means are linear",
            letters={"mean": total, "terms": ((1, plus(gaps["P, Q"])), (sp.exp(e1), plus(gaps["Q, R"])))},
            conditions={"integrable": "density of P"},
            premises=("density of Q",),
        ),
        Step(
            "through Q",
            "So the suprema are ordered.",
            lhs=largest(gaps["P, R"]),
            rhs=largest(gaps["P, Q"]) + sp.exp(e1) * largest(gaps["Q, R"]),
            relation="<=",
            kind="inference",
            premises=(*(step.name for step in attained), "integrated", "sum"),
        ),
        Step("first", "delta_{P,Q}(e1).", lhs=first, rhs=largest(gaps["P, Q"]), kind="definition"),
        Step("second", "delta_{Q,R}(e2).", lhs=second, rhs=largest(gaps["Q, R"]), kind="definition"),
        Step(
            "bound",
            "delta_{P,R}(e1 + e2) <= delta_{P,Q}(e1) + e^{e1} delta_{Q,R}(e2).",
            lhs=largest(gaps["P, R"]),
            rhs=first + sp.exp(e1) * second,
            relation="<=",
            kind="inference",
            premises=("first", "second", "through Q"),
        ),
    )
    return Derivation(
        id="privacy_loss.triangle",
        title="Triangle inequality of the hockey-stick divergence",
        sources=("N26-P3",),
        hypotheses=("P, Q, R laws on one space",),
        steps=steps,
        result_step="bound",
        symbols={"first": first, "second": second, "e1": e1},
        faults=(
            Fault(
                "factor e^{e1} dropped",
                "decomposition",
                lambda rhs: (a1 - sp.exp(e1) * a2) + (a2 - sp.exp(e2) * a3),
            ),
            Fault("factor e^{e2} in place of e^{e1}", "factor", lambda rhs: sp.exp(e2) * plus(y)),
            Fault("inequality without its slack", "where u + y > 0", lambda rhs: rhs - plus(-u)),
            Fault("weight dropped in the bound", "bound", lambda rhs: first + second),
        ),
        concludes=(Conclusion("N26-P3", "bound", part="for P, Q, R laws on one space"),),
    )


def in_two_steps(name: str, why: str, densities: Sequence[sp.Expr], first: sp.Expr, second: sp.Expr, laws: str) -> Step:
    """`triangle` at three densities and two epsilons; the step `laws` says that they are densities."""
    begin, through, end = densities
    gap = lambda p, q, eps: largest(p - sp.exp(eps) * q)  # noqa: E731
    at = {**dict(zip(THREE_DENSITIES, densities, strict=True)), e1: first, e2: second}
    use = Use("through Q", of=triangle, at=at, granted={triangle().given[0]: laws})
    bound = gap(begin, through, first) + sp.exp(first) * gap(through, end, second)
    return inferred(name, why, gap(begin, end, first + second), "<=", bound, use)


@cache
def triangle_of_masses() -> Derivation:
    """The triangle inequality of laws on finitely many points, as sums of positive parts (N26-P3).

    `number`: max(0, p - c q) + c max(0, q - d w), the bound at one point, at masses `p`, `q`, `w`, c = e^{e1} and d =
    e^{e2}.
    """
    laws = sp.symbols("P Q W", real=True)
    masses = p, q, w = sp.symbols("p q w", real=True)
    c, d = sp.exp(e1), sp.exp(e2)
    at = {mass: quantity("coordinate", one) for mass, one in zip(masses, laws, strict=True)}
    sums = lambda f: quantity("sum", f)  # noqa: E731
    whole, first, second = sp.Max(0, p - sp.exp(e1 + e2) * w), sp.Max(0, p - c * q), sp.Max(0, q - d * w)
    bound = first + c * second
    texts = {one: f"{one} is a law on finitely many points" for one in laws}
    steps = (
        Step(
            "points",
            "Finitely many; every sum over them is finite.",
            kind="definition",
            premises=tuple(texts.values()),
        ),
        Step("not negative", "Positive parts.", lhs=sp.Integer(0), rhs=bound, relation="<=", witness=-bound),
        Step(
            "at least the difference",
            "p - e^{e1+e2} w = (p - e^{e1} q) + e^{e1} (q - e^{e2} w), and each is at most its positive part.",
            lhs=p - sp.exp(e1 + e2) * w,
            rhs=bound,
            relation="<=",
            witness=-(sp.Max(0, c * q - p) + c * sp.Max(0, d * w - q)),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        larger(
            "at a point",
            "So at every point.",
            sp.Integer(0),
            p - sp.exp(e1 + e2) * w,
            bound,
            ("not negative", "at least the difference"),
        ),
        Step(
            "at every point",
            "Of the masses of the three laws.",
            lhs=whole.subs(at),
            rhs=bound.subs(at),
            relation="<=",
            kind="inference",
            premises=(Use("at a point", at=at),),
        ),
        in_order("added up", "Over the points.", sums, (whole.subs(at), bound.subs(at)), ("at every point", "points")),
        linear("two sums", "One of each.", sums, ((sp.Integer(1), first.subs(at)), (c, second.subs(at))), "points"),
        Step(
            "bound",
            "delta_{P,R}(e1 + e2) <= delta_{P,Q}(e1) + e^{e1} delta_{Q,R}(e2).",
            lhs=sums(whole.subs(at)),
            rhs=sums(first.subs(at)) + c * sums(second.subs(at)),
            relation="<=",
            kind="inference",
            premises=("added up", "two sums"),
        ),
    )
    return Derivation(
        id="privacy_loss.triangle_of_masses",
        title="Triangle inequality of the divergence of laws on finitely many points",
        sources=("N26-P3",),
        hypotheses=(
            *(Hypothesis(text, law(one)) for one, text in texts.items()),
            Hypothesis("real e1, e2", sp.true),
        ),
        steps=steps,
        result_step="not negative",
        symbols={"p": p, "q": q, "w": w, "e1": e1, "e2": e2},
        faults=(
            Fault("factor e^{e1} dropped", "at least the difference", lambda rhs: first + second),
            Fault("factor e^{e1} dropped from the bound", "bound", lambda rhs: rhs.subs(c, 1)),
        ),
        concludes=(Conclusion("N26-P3", "bound", {**dict(zip("pqw", laws, strict=True)), "x": e1, "y": e2}),),
    )
