"""Trade-off functions: their characterisation, conversion from a profile, Laplace and subsampled Gaussian curves."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import laplace_curve, laplace_errors
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import Phi, phi

alpha, order, beta = sp.symbols("alpha a beta", positive=True)
mu, std, rate = sp.symbols("mu s q", positive=True)
threshold = sp.Symbol("z", real=True)
zero = sp.Integer(0)
_PROFILE = "h(a) is the largest H_a over ordered neighbouring pairs"


@cache
def characterisation() -> Derivation:
    """f is a trade-off function iff it is convex, continuous, nonincreasing and f(x) <= 1 - x (KM-2.5).

    `number`: the type II error at `alpha` of the test that rejects the extra point and (0, alpha), given f(0) = `f0`
    and f(alpha) = `fa`.
    """
    share, first, second, other = sp.symbols("t E1 E2 w", nonnegative=True)
    f0, fa = sp.symbols("f0 fa", nonnegative=True)
    steps = (
        Step(
            "mixed tests",
            "The test that uses phi1 with probability t and phi2 otherwise has the mixed errors, so T is convex.",
            lhs=share * (1 - first) + (1 - share) * (1 - second),
            rhs=1 - (share * first + (1 - share) * second),
        ),
        Step(
            "guessing",
            "phi = x whatever is seen: E_Q phi = x over two parts of mass w and 1 - w, so T(x) <= 1 - x.",
            lhs=1 - (alpha * other + alpha * (1 - other)),
            rhs=1 - alpha,
        ),
        by_fact(
            "nonincreasing",
            "A larger x allows more tests.",
            "trade-off curves fall",
            {"x": alpha, "y": alpha + other},
            {"order": Step("larger size", "x + w >= x.", lhs=alpha + other, rhs=alpha, relation=">=", witness=other)},
        ),
        Step(
            "continuous",
            "A convex function is continuous inside; at 1 it is 0; at 0 the type II errors of tests with P(phi) -> 0"
            " tend to the Q-mass outside {p = 0} (bounded tests are weakly compact), which is T(0).",
            kind="argument",
            premises=("mixed tests", "guessing"),
        ),
        Step(
            "converse: laws",
            "Given f with the four properties, let P be uniform on (0, 1) and let Q have the distribution function f(0)"
            " - f(x) there, which is continuous and does not fall, and an extra point of mass 1 - f(0). f(1) = 0 as"
            " 0 <= f(1) <= 1 - 1.",
            kind="definition",
            premises=("f maps [0, 1] to [0, 1]",),
        ),
        Step(
            "converse: total mass",
            "With f(1) = 0.",
            lhs=f0 - zero + held(1 - f0),
            rhs=sp.Integer(1),
            premises=("converse: laws",),
        ),
        Step(
            "converse: density",
            "f is convex and continuous, and so the integral of its slope, which exists but at countably many points"
            " (Royden, Real Analysis, sections 5.4 and 5.5): on (0, 1) Q has the density -f', which does not rise.",
            kind="argument",
            premises=("converse: laws",),
        ),
        Step(
            "converse: type II error",
            "Rejecting the extra point and (0, alpha) has type I error alpha; by the Neyman-Pearson lemma no test of"
            " that size has less.",
            lhs=1 - held(1 - f0) - held(f0 - fa),
            rhs=fa,
            premises=("converse: total mass", "converse: density"),
        ),
    )
    return Derivation(
        id="trade_off.characterisation",
        title="What makes a function a trade-off function",
        sources=("KM-2.5",),
        hypotheses=("f maps [0, 1] to [0, 1]",),
        steps=steps,
        result_step="converse: type II error",
        symbols={"f0": f0, "fa": fa},
        faults=(
            Fault("extra point forgotten", "converse: type II error", lambda rhs: 1 - f0 + fa),
            Fault(
                "weights of the mixture swapped", "mixed tests", lambda rhs: 1 - (share * second + (1 - share) * first)
            ),
            Fault("guessing costs more", "guessing", lambda rhs: 1 - 2 * alpha),
        ),
        concludes=(
            Conclusion("KM-2.5", "continuous", part="that a trade-off function is convex, continuous and below 1 - x"),
            Conclusion("KM-2.5", "nonincreasing", part="that it does not rise"),
            Conclusion("KM-2.5", "converse: type II error", part="a pair of laws for a function that is so"),
        ),
    )


@cache
def conversion() -> Derivation:
    """f(x) = sup_a max(0, 1 - h(a) - a x, (1 - h(a) - x)/a), h(a) the largest H_a over both orders (KM-2.7, KM-Alg1).

    `number`: the member of the supremum at order `a` > 0, where the profile is `h`, at `x`.
    """
    p, q = sp.symbols("p q", positive=True)
    h, size, power, slack_h, slack_x, x, at_x = sp.symbols("h P_phi Q_phi s r x a_x", nonnegative=True)
    steps = (
        Step(
            "weak duality",
            "Any test with P(phi) = x - r and H_a(Q||P) = Q(phi) - a P(phi) + s, r, s >= 0, has type II error at least"
            " 1 - H_a(Q||P) - a x.",
            lhs=1 - power,
            rhs=1 - (power - order * size + slack_h) - order * (size + slack_x),
            relation=">=",
            witness=slack_h + order * slack_x,
        ),
        by_fact(
            "strong duality",
            "The likelihood ratio test at the a that is the slope of T at x has r = s = 0: T(P, Q)(x) = sup_{a >= 0}"
            " 1 -"
            " H_a(Q||P) - a x.",
            "a supporting line of a trade-off curve",
            {"x": x, "slope": at_x, "profile": sp.Function("H", real=True)(at_x)},
            {},
            ("weak duality",),
        ),
        Step(
            "other order of the pair",
            "Pointwise; integrated it is H_a(Q||P) = 1 - a + a H_{1/a}(P||Q).",
            lhs=sp.Max(q - order * p, 0),
            rhs=q - order * p + order * sp.Max(p - q / order, 0),
        ),
        Step(
            "third member",
            "Hence (1 - H_b(P||Q) - x)/b at b = 1/a is the same line as 1 - H_a(Q||P) - a x.",
            lhs=1 - (1 - order + order * h) - order * x,
            rhs=(1 - h - x) / (1 / order),
            premises=("other order of the pair",),
        ),
        Step(
            "both orders",
            "h(a) = H_a + s, s >= 0, for both orders of every pair, so each member is at most T(P, Q)(x) and T(Q,"
            " P)(x): the"
            " mechanism is f-DP. Orders a < 1 add nothing, as h(a) = 1 - a + a h(1/a) (third member).",
            lhs=1 - (h + slack_h) - order * x,
            rhs=1 - h - order * x,
            relation="<=",
            witness=-slack_h,
            premises=(_PROFILE, "third member"),
        ),
        Step(
            "value at 1 - x",
            "A line with h(a) = 1 - a + k, k >= 0, lies below 1 - x on [0, 1]: at x = 1 it is",
            lhs=1 - held(1 - order + slack_h) - order,
            rhs=-slack_h,
            premises=("x in [0, 1]",),
        ),
        Step(
            "largest",
            "A trade-off function g below all T(M(D), M(D')) has at each x a line 1 - k - a x (strong duality) below"
            " them, so"
            " k = h(a) + s, s >= 0: it lies below f, which is the largest for which the mechanism is f-DP, and has"
            " the four"
            " properties as a supremum of lines with h(a) >= 1 - a.",
            lhs=1 - (h + slack_h) - order * x,
            rhs=sp.Max(0, 1 - h - order * x),
            relation="<=",
            witness=-slack_h - sp.Max(0, -(1 - h - order * x)),
            premises=("strong duality", "both orders", "value at 1 - x"),
        ),
        Step(
            "members",
            "f_{eps, delta} of the source, with a = e^eps and h = delta.",
            lhs=sp.Max(
                0,
                1 - held(h) - held(order) * held(x),
                held(1 - held(h) - held(x)) / held(order),
            ),
            rhs=sp.Max(0, 1 - h - x * order, (1 - h - x) * order ** (-1)),
        ),
        Step(
            "finite grid",
            "The maximum over finitely many (eps, delta) with h(e^eps) <= delta is at most f and is itself a trade-off"
            " function; as the grid of delta is refined and its ends go to 0 and 1 the grid of eps becomes dense and"
            " the maximum tends to f, h being continuous.",
            kind="argument",
            premises=("members",),
        ),
    )
    return Derivation(
        id="trade_off.conversion",
        title="From a privacy profile to a trade-off function",
        sources=("KM-2.7", "KM-Alg1"),
        hypotheses=(_PROFILE, Hypothesis("a > 0", order > 0), "x in [0, 1]"),
        steps=steps,
        result_step="members",
        symbols={"a": order, "h": h, "x": x},
        faults=(
            Fault("profile left out", "members", lambda rhs: sp.Max(0, 1 - x * order, (1 - x) / order)),
            Fault(
                "signed part dropped in the change of order",
                "other order of the pair",
                lambda rhs: order * sp.Max(p - q / order, 0),
            ),
            Fault("a for 1/a", "third member", lambda rhs: (1 - h - x) / order),
            Fault("line not below 1 - x", "value at 1 - x", lambda rhs: 1 - slack_h),
        ),
        concludes=(
            Conclusion(
                "KM-2.7",
                "largest",
                part="that the mechanism is f-DP, and f the largest such function, for x in [0, 1]",
                granted={_PROFILE: "the largest divergence over both orders of every neighbouring pair"},
            ),
            Conclusion(
                "KM-Alg1",
                "finite grid",
                part="that it tends to f as the grid is refined, for x in [0, 1]",
                granted={_PROFILE: "h as in KM-2.7"},
            ),
        ),
    )


_GAP, _SCALE = sp.symbols("D l", positive=True)
_MISSED = laplace_errors.missed(laplace_errors.t - _GAP / _SCALE)
_LAPLACE = {"t": laplace_errors.t, "D": _GAP, "l": _SCALE}


def _laplace_at(ratio: sp.Expr) -> sp.Expr:
    """The curve at this mu."""
    return laplace_curve.curve(ratio, laplace_errors.rejected(laplace_errors.t))


@cache
def laplace() -> Derivation:
    """The best tests of Lap(0,l) against Lap(D,l) are thresholds, of which the middle branch is e^-mu/(4x), mu = D/l
    (KM-AppC-corrected).

    `number`: the middle branch at `alpha` and `mu`.
    """
    y = sp.Symbol("y", real=True)
    steps = (
        Step(
            "only the ratio of shift and scale",
            "Log ratio of the laws at x = l y: that of unit scale and shift mu = D/l.",
            lhs=(sp.Abs(_SCALE * y) - sp.Abs(_SCALE * y - _GAP)) / _SCALE,
            rhs=sp.Abs(y) - sp.Abs(y - _GAP / _SCALE),
        ),
        Step(
            "thresholds suffice",
            "y -> |y| - |y - mu| is nondecreasing, so thresholds on y are best (Neyman-Pearson): T(alpha) = F(F^-1(1 -"
            " alpha) - mu).",
            kind="argument",
            premises=("only the ratio of shift and scale",),
        ),
        Step(
            "middle branch",
            "e^-mu/2 <= alpha <= 1/2: e^t/2 at t = -log(2 alpha) - mu.",
            lhs=sp.exp(-held(sp.log(2 * alpha)) - mu) / 2,
            rhs=sp.exp(-mu) / (4 * alpha),
        ),
    )
    return Derivation(
        id="trade_off.laplace",
        title="The best tests of the Laplace mechanism",
        sources=("KM-AppC",),
        hypotheses=(),
        steps=steps,
        result_step="middle branch",
        symbols={"alpha": alpha, "mu": mu},
        faults=(
            Fault("alpha in the numerator", "middle branch", lambda rhs: sp.exp(-mu) * alpha / 4),
            Fault(
                "mu = l/D",
                "only the ratio of shift and scale",
                lambda rhs: sp.Abs(y) - sp.Abs(y - _SCALE / _GAP),
            ),
        ),
        concludes=(
            Conclusion("KM-AppC-corrected", "thresholds suffice", part="the best tests"),
            Conclusion("KM-AppC-corrected", "middle branch", part="in alpha"),
        ),
    )


@cache
def laplace_thresholds() -> Derivation:
    """What the test x > t l of Lap(0,l) misses of Lap(D,l): 1 - e^mu x; e^-mu/(4x); e^-mu (1-x), mu = D/l, at its size
    x (KM-AppC-corrected).

    `number`: that, at `t`, `shift` and `scale`.
    """
    steps = (
        *laplace_curve.laplace_curve_steps(),
        inferred(
            "any shift and scale",
            "At mu = D/l, of any shift D and scale l.",
            _MISSED,
            "=",
            _laplace_at(_GAP / _SCALE),
            Use(laplace_curve.EVERY, at={mu: _GAP / _SCALE}),
        ),
    )
    return Derivation(
        id="trade_off.laplace_thresholds",
        title="Both errors of every threshold of two Laplace laws",
        sources=("KM-AppC",),
        hypotheses=(),
        steps=steps,
        result_step="any shift and scale",
        symbols={"t": laplace_errors.t, "shift": _GAP, "scale": _SCALE},
        faults=(
            Fault("l/D for D/l", "any shift and scale", lambda rhs: _laplace_at(_SCALE / _GAP)),
            Fault("sign of mu", "any shift and scale", lambda rhs: _laplace_at(-_GAP / _SCALE)),
        ),
        concludes=(Conclusion("KM-AppC-corrected", "any shift and scale", _LAPLACE),),
    )


@cache
def laplace_of_one_size() -> Derivation:
    """The same with l/D in the place of D/l, where both are one number (KM-AppC).

    `number`: the curve at mu = l/D, at `t`, `shift` and `scale`.
    """
    same = Hypothesis("D = l", sp.Eq(_GAP, _SCALE))
    steps = (
        inferred(
            "one shift and scale",
            "At D = l D/l is l/D as well.",
            _MISSED,
            "=",
            _laplace_at(_SCALE / _GAP),
            *(Use(same.text), Use("any shift and scale", of=laplace_thresholds, at={_GAP: _SCALE})),
        ),
    )
    return Derivation(
        id="trade_off.laplace_of_one_size",
        title="The trade-off curve of the Laplace mechanism whose shift is its scale",
        sources=("KM-AppC",),
        hypotheses=(same,),
        steps=steps,
        result_step="one shift and scale",
        symbols={"t": laplace_errors.t, "shift": _GAP, "scale": _SCALE},
        faults=(
            Fault("mu = 2", "one shift and scale", lambda rhs: _laplace_at(sp.Integer(2))),
            Fault("sign of mu", "one shift and scale", lambda rhs: _laplace_at(-_SCALE / _GAP)),
        ),
        concludes=(Conclusion("KM-AppC", "one shift and scale", _LAPLACE),),
    )


@cache
def subsampled_gaussian() -> Derivation:
    """q N(1,s^2) + (1-q) N(0,s^2) against N(0,s^2): the least mu is 1/s, not attained, whatever q > 0 (KM-S3).

    `number`: a threshold beyond which mu-GDP fails for mu = 1/s - c, at `std` = s, `rate` = q in (0, 1) and `gap` = c.
    """
    u, t = sp.symbols("u t", real=True)
    gap, extra = sp.symbols("c v", positive=True)
    curve, room, rest = sp.symbols("f w r", nonnegative=True)
    steps = (
        Step(
            "mu = 1/s suffices",
            "The best tests are thresholds, as the ratio 1 - q + q e^{(2x-1)/(2s^2)} increases; T = q f + (1-q)(1-x)"
            " with f the curve at mu = 1/s and 1 - x = f + w, w >= 0; r = 1 - q.",
            lhs=(1 - rest) * curve + rest * (curve + room),
            rhs=curve,
            relation=">=",
            witness=rest * room,
            premises=("0 < q < 1",),
        ),
        Step(
            "both orders",
            "The curve at mu is its own inverse, so the order of the pair does not matter: 1 - Phi(z) -> Phi(z - mu) is"
            " 1 - Phi(w) at w = mu - z, which goes to",
            lhs=Phi((mu - threshold) - mu),
            rhs=1 - Phi(threshold),
            reduce=lambda left, right: (left - right).rewrite(sp.erf),
        ),
        Step(
            "where a smaller mu is asked",
            "At threshold z, u = (z-1)/s and mu = 1/s - c: z/s - mu = u + c.",
            lhs=threshold / std - (1 / std - gap),
            rhs=(threshold - 1) / std + gap,
            premises=("0 < c < 1/s",),
        ),
        Step(
            "shifted density", "Squares multiplied out.", lhs=phi(t + gap), rhs=phi(t) * sp.exp(-gap * t - gap**2 / 2)
        ),
        Step(
            "shifted tail",
            "For t = u + v: the factor is at most e^{-cu}, so 1 - Phi(u+c) <= e^{-cu} (1 - Phi(u)).",
            lhs=gap * (u + extra) + gap**2 / 2,
            rhs=gap * u,
            relation=">=",
            witness=gap * extra + gap**2 / 2,
            premises=("shifted density",),
        ),
        Step(
            "power of the test",
            "1 - beta = q (1 - Phi(u)) + (1-q)(1 - Phi(z/s)) is above q (1 - Phi(u)), q = 1/(1+k); mu-GDP asks 1 -"
            " beta <= 1 -"
            " Phi(u + c).",
            lhs=Phi(-u) / (1 + extra) + (1 - 1 / (1 + extra)) * Phi(-threshold / std),
            rhs=Phi(-u) / (1 + extra),
            relation=">",
            witness=extra / (1 + extra) * Phi(-threshold / std),
        ),
        Step(
            "the tails cross",
            "e^{-cu} = q at u = log(1/q)/c: there and beyond mu-GDP fails.",
            lhs=sp.exp(-gap * held(sp.log(1 / rate) / gap)),
            rhs=rate,
            premises=("where a smaller mu is asked", "shifted tail", "power of the test"),
        ),
        Step(
            "threshold",
            "z = 1 + s u.",
            lhs=1 + std * held(sp.log(1 / rate) / gap),
            rhs=1 + std * sp.log(1 / rate) / gap,
            premises=("the tails cross",),
        ),
    )
    return Derivation(
        id="trade_off.subsampled_gaussian",
        title="Subsampling does not lower the GDP parameter of the Gaussian pair",
        sources=("KM-S3",),
        hypotheses=("0 < q < 1", Hypothesis("s > 0", std > 0), "0 < c < 1/s"),
        steps=steps,
        result_step="threshold",
        symbols={"std": std, "rate": rate, "gap": gap},
        domain=(rate < 1,),
        faults=(
            Fault("rate for its inverse", "threshold", lambda rhs: 1 + std * sp.log(rate) / gap),
            Fault("shift without the square", "shifted density", lambda rhs: phi(t) * sp.exp(-gap * t)),
            Fault("gap on the wrong side", "where a smaller mu is asked", lambda rhs: (threshold - 1) / std - gap),
        ),
        concludes=tuple(
            Conclusion("KM-S3-corrected", end, part=part)
            for end, part in (
                ("mu = 1/s suffices", "every test, in one order"),
                ("both orders", "and in the other"),
                ("threshold", "that no smaller mu will do, 0 < c < 1/s"),
            )
        ),
    )
