"""Which of two centred Gaussians with comparable covariances is the worse one to come first: any spectrum, by scaling
the more spread one.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import Pg, Phi, Qg

zero = sp.Integer(0)
edge, step = sp.symbols("T h", positive=True)
epsilon = sp.Symbol("epsilon", positive=True)
beyond = sp.Symbol("g", positive=True)  # nu - 2 eps
density, upper, lower = sp.symbols("f_- U V", positive=True)


def _one_dimension_steps() -> tuple[Step, ...]:
    """N(0, 1 + k) against N(0, 1): the slopes of both closed forms in l = log(1 + k), against T f(T)."""
    rest = sp.Symbol("eps", positive=True)
    k, w = sp.symbols("k w", positive=True)
    total = sp.log(1 + k)
    outside = lambda cut: 2 * Phi(-sp.sqrt(cut))  # noqa: E731  Pr[z^2 > cut]
    inside = lambda cut: Phi(sp.sqrt(cut)) - Phi(-sp.sqrt(cut))  # noqa: E731
    first, second = total + 2 * rest, total - 2 * rest  # T of the two regions; nu = l
    more = outside(first / k) - sp.exp(rest) * outside(first * (1 + k) / k)
    less = inside(second * (1 + k) / k) - sp.exp(rest) * inside(second / k)
    level = lambda at: at * sp.exp(-at / (2 * k)) / sp.sqrt(2 * sp.pi * k * at)  # noqa: E731  T f(T)

    def where_not_empty(left: sp.Expr, right: sp.Expr) -> sp.Expr:
        """At 2 eps = l w/(1 + w), w > 0: every eps for which the second region is not empty."""
        return sp.factor((left - right).subs(rest, total / 2 * (1 - 1 / (1 + w))))

    return (
        Step(
            "one eigenvalue, more spread law first",
            "d = 1: the slope in l = nu is T f(T) at T = nu + 2 eps, f the density of X = k z^2, k = e^l - 1,",
            lhs=(1 + k) * sp.diff(more, k),
            rhs=level(first),
        ),
        Step(
            "one eigenvalue, other direction",
            "and e^eps T f(T) at T = nu - 2 eps.",
            lhs=(1 + k) * sp.diff(less, k),
            rhs=sp.exp(rest) * level(second),
            reduce=where_not_empty,
        ),
    )


@cache
def scale_order() -> Derivation:
    """delta_{P,Q}(eps) >= delta_{Q,P}(eps) for S1 >= S2 and equal means, every spectrum (N26-L3).

    P_h = N(0, e^h S1) against Q: G = delta_{P,Q} - delta_{Q,P} has no local minimum inside 0 < eps < nu/2, and is not
    negative on the edges. `number`: d^2 G/d eps^2 at a critical point of G in (h, eps), at `total` = nu > 2 eps,
    `epsilon` and `density` = f(nu - 2 eps).
    """
    total = sp.Symbol("nu", positive=True)
    more, less = sp.symbols("p_+ p_-", positive=True)  # densities under P of the loss at eps and at -eps
    dimension, start = sp.symbols("d nu_0", positive=True)
    balanced = sp.exp(epsilon) * beyond / (beyond + 4 * epsilon) * density  # f(nu + 2 eps) where dG/dh = 0
    bend = -8 * epsilon * sp.exp(epsilon) / (beyond + 4 * epsilon) * density
    result = -8 * epsilon * sp.exp(epsilon) / (total + 2 * epsilon) * density
    room = sp.Symbol("k", nonnegative=True)
    steps = (
        Step(
            "setting",
            "Q = N(0, I), P = N(0, diag e^{l_i}) with every l_i > 0 (coordinates with l_i = 0 are independent of the"
            " rest and have one law in both: they drop out), nu = sum l_i. Under P, L = (X - nu)/2 with X = sum"
            " (e^{l_i} - 1) z_i^2 of density f, continuous and positive on T > 0. L > eps is X > nu + 2 eps, L < -eps"
            " is X < nu - 2 eps.",
            kind="definition",
        ),
        Step(
            "scaling",
            "P_h = N(0, e^h diag e^{l_i}). With the region held, P_h(X > T) = P(X > T e^{-h}): the edge moves at the"
            " rate",
            lhs=sp.Subs(sp.Derivative(edge * sp.exp(-step), step), step, 0),
            rhs=-edge,
        ),
        Step(
            "slopes in h",
            "so d/dh P_h(X > T) = T f(T) at h = 0. The region's own motion adds nothing, as max(p - e^eps q, 0)"
            " vanishes at its edge: d delta_{P,Q}/dh = T f(T) at T = nu + 2 eps, and d delta_{Q,P}/dh = e^eps T f(T) at"
            " T = nu - 2 eps (0 where that is negative).",
            kind="argument",
        ),
        *_one_dimension_steps(),
        Step(
            "slope in eps, more spread law first",
            "With U = Q(L > eps) and V = P(L < -eps): d/d eps (P(L > eps) - e^eps U) = -e^eps U, as Q's density of the"
            " loss is e^{-eps} times P's;",
            lhs=-more - sp.exp(epsilon) * upper + sp.exp(epsilon) * held(sp.exp(-epsilon) * more),
            rhs=-sp.exp(epsilon) * upper,
        ),
        Step(
            "slope in eps, other direction",
            "likewise d/d eps (Q(L < -eps) - e^eps V) = -e^eps V, Q's density at -eps being e^eps times P's.",
            lhs=-sp.exp(epsilon) * less - sp.exp(epsilon) * lower + held(sp.exp(epsilon) * less),
            rhs=-sp.exp(epsilon) * lower,
        ),
        Step(
            "second slope of G",
            "dG/d eps = e^eps (V - U); its own slope where V = U:",
            lhs=(sp.exp(epsilon) * (lower - upper) + sp.exp(epsilon) * (-less + sp.exp(-epsilon) * more)).subs(
                lower, upper
            ),
            rhs=more - sp.exp(epsilon) * less,
        ),
        Step(
            "critical in h",
            "dG/dh = 0 says (nu + 2 eps) f(nu + 2 eps) = e^eps (nu - 2 eps) f(nu - 2 eps); nu - 2 eps = g.",
            lhs=(beyond + 4 * epsilon) * balanced,
            rhs=sp.exp(epsilon) * beyond * density,
        ),
        Step(
            "critical in both",
            "P's density of the loss at l is 2 f(nu + 2 l): there the second slope of G is",
            lhs=2 * balanced - 2 * sp.exp(epsilon) * density,
            rhs=bend,
        ),
        Step(
            "never a minimum",
            "which is negative: no critical point of G inside 0 < 2 eps < nu is a local minimum.",
            lhs=bend,
            rhs=zero,
            relation="<",
            witness=bend,
        ),
        Step("edge eps = 0", "Both divergences are the total variation distance: G = 0.", kind="argument"),
        Step(
            "edge 2 eps >= nu",
            "-L = (nu - X)/2 with X = k >= 0 never exceeds nu/2, so delta_{Q,P} = 0 and G = delta_{P,Q} >= 0.",
            lhs=(total - room) / 2,
            rhs=total / 2,
            relation="<=",
            witness=-room / 2,
        ),
        Step(
            "edge of small h",
            "h falls to minus the least l_i, where that eigenvalue is 1 and drops out: G >= 0 by induction on the"
            " number of eigenvalues other than 1 (none: P = Q and G = 0). G is continuous up to there, as P_h is in"
            " total variation.",
            kind="argument",
        ),
        Step(
            "edge of large h",
            "For 2 eps <= nu, L - eps >= X/2 - nu >= (e^h - 1) z_1^2/2 - nu_0 - d h, which tends to infinity for every"
            " z_1 != 0,",
            lhs=sp.Limit((start + dimension * step) / (sp.exp(step) - 1), step, sp.oo),
            rhs=zero,
        ),
        Step(
            "and delta tends to 1",
            "so delta_{P,Q} = E_P max(0, 1 - e^{eps - L}) tends to 1, uniformly over these eps, and the lower limit of"
            " G is not negative.",
            kind="argument",
        ),
        Step(
            "conclusion",
            "A negative value of G would make its least value over 0 <= 2 eps <= nu, h between the least one and a"
            " large one, negative and attained inside, where it is a critical point and d^2 G/d eps^2 >= 0: there is"
            " none. A zero inside would be a least value too: for eps > 0 the order is strict unless P = Q.",
            kind="argument",
        ),
        Step(
            "bend",
            "as above, at g = nu - 2 eps.",
            lhs=sp.Subs(bend, beyond, total - 2 * epsilon),
            rhs=result,
        ),
    )
    return Derivation(
        id="covariance_order.scale_order",
        title="The more spread law first is the worse direction: every spectrum",
        sources=("N26-L3",),
        hypotheses=("equal means", "S1 >= S2 in the Loewner order", "eps >= 0"),
        steps=steps,
        result_step="bend",
        symbols={"total": total, "epsilon": epsilon, "density": density},
        domain=(total > 2 * epsilon,),
        faults=(
            Fault("edge that stays", "scaling", lambda rhs: zero),
            Fault("half of the slope", "one eigenvalue, more spread law first", lambda rhs: rhs / 2),
            Fault(
                "e^eps left out of the other direction",
                "one eigenvalue, other direction",
                lambda rhs: rhs * sp.exp(-sp.Symbol("eps", positive=True)),
            ),
            Fault("e^eps left out of the second slope", "second slope of G", lambda rhs: more - less),
            Fault("balance without the levels", "critical in h", lambda rhs: rhs * (beyond + 4 * epsilon) / beyond),
            Fault("bend of the wrong sign", "critical in both", lambda rhs: -rhs),
            Fault("result at nu - 2 eps", "bend", lambda rhs: rhs * (total + 2 * epsilon) / (total - 2 * epsilon)),
        ),
        covers={"N26-L3": "whole"},
    )


@cache
def radial_sharp() -> Derivation:
    """At eps = 0 the radial inequality (N26-P2) fails for every g > (m/2) log kappa, whatever kappa > 1 and m >= 1.

    `number`: second minus first expectation for m = 2, kappa = 2, g = log 2 + `excess`.
    """
    k, m = sp.symbols("k m", positive=True)  # kappa = 1 + k
    excess, t = sp.symbols("y t", positive=True)
    g = sp.Symbol("g", real=True)
    half, level = m / 2, m / 2 * sp.log(1 + k)
    first = Qg(half, level / k) - Qg(half, (1 + k) * level / k)
    second = Pg(half, (1 + k) * level / k) - Pg(half, level / k)
    small = sp.exp(-excess) / 2  # e^{-g}
    hinge = lambda at: sp.Max(0, 1 - sp.exp(at - k * t / 2))  # noqa: E731
    other_hinge = lambda at: sp.Max(0, 1 - sp.exp(-at + k * t / (2 * (1 + k))))  # noqa: E731
    steps = (
        Step(
            "equal at the edge",
            "At g = (m/2) log kappa the two expectations are the closed forms of covariance_direction.radial_domain at"
            " eps = 0: Qg(m/2, e) - Qg(m/2, kappa e) and Pg(m/2, kappa e) - Pg(m/2, e), e = g/(kappa - 1).",
            lhs=first,
            rhs=second,
            reduce=lambda left, right: left - right.replace(Pg, lambda a, b: 1 - Qg(a, b)),
        ),
        Step(
            "first falls",
            "As g rises, 1 - e^{g - k T/2} falls wherever it is positive,",
            lhs=sp.diff(1 - sp.exp(g - k * t / 2), g),
            rhs=zero,
            relation="<",
            witness=-sp.exp(g - k * t / 2),
        ),
        Step(
            "second rises",
            "and 1 - e^{-g + (1 - 1/kappa) T/2} rises.",
            lhs=sp.diff(1 - sp.exp(-g + k * t / (2 * (1 + k))), g),
            rhs=zero,
            relation=">",
            witness=sp.exp(-g + k * t / (2 * (1 + k))),
        ),
        by_fact(
            "strictly",
            "T > 2 g/k and T < 2 kappa g/k have positive probability for g > 0: as g rises from the edge to g + y the"
            " first"
            " expectation falls strictly,",
            "expectations in strict order",
            {"X": hinge(g + excess), "Y": hinge(g)},
            {"order": "first falls", "strict": "first falls"},
        ),
        by_fact(
            "second, strictly",
            "and the second rises: beyond the edge the first expectation is strictly below the second.",
            "expectations in strict order",
            {"X": other_hinge(g), "Y": other_hinge(g + excess)},
            {"order": "second rises", "strict": "second rises"},
        ),
        Step(
            "m = 2, kappa = 2: first",
            "T/2 = x is exponential, x > g: with y = e^{-g} the antiderivative of (1 - e^{g - x}) e^{-x} gives y/2,",
            lhs=sp.diff(-sp.exp(-t) + sp.exp(g - 2 * t) / 2, t),
            rhs=(1 - sp.exp(g - t)) * sp.exp(-t),
        ),
        Step(
            "m = 2, kappa = 2: second",
            "that of (1 - e^{-g + x/2}) e^{-x}, 0 < x < 2 g, gives (1 - y)^2,",
            lhs=sp.diff(-sp.exp(-t) + 2 * sp.exp(-g - t / 2), t),
            rhs=(1 - sp.exp(-g + t / 2)) * sp.exp(-t),
        ),
        Step(
            "m = 2, kappa = 2: difference",
            "and (1 - y)^2 - y/2 = (2 - y)(1/2 - y): positive exactly for y < 1/2, that is g > log 2.",
            lhs=(1 - small) ** 2 - small / 2,
            rhs=(2 - small) * (1 - sp.exp(-excess)) / 2,
        ),
    )
    return Derivation(
        id="covariance_order.radial_sharp",
        title="The radial inequality fails beyond its domain",
        sources=("N26-P2",),
        hypotheses=("kappa > 1", "m >= 1", "eps = 0", "g > (m/2) log kappa"),
        steps=steps,
        result_step="m = 2, kappa = 2: difference",
        symbols={"excess": excess},
        faults=(
            Fault("sides swapped", "m = 2, kappa = 2: difference", lambda rhs: -rhs),
            Fault("edge without kappa", "equal at the edge", lambda rhs: rhs + Pg(half, level / k)),
            Fault("first rises", "first falls", lambda rhs: -2 * sp.exp(g - k * t / 2)),
        ),
        covers={"N26-P2-sharp": "whole"},
    )
