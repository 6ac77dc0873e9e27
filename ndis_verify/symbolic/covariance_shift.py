"""Two centred Gaussians with comparable covariances: bounds in both directions, the worst case of an envelope, their
order.

The more spread law is N(0, diag lambda), lambda_i = e^{l_i} >= 1, the other N(0, I); nu = sum l_i, alpha_i = lambda_i -
1.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.moment_generating import log_moment
from ndis_verify.symbolic.random_projection import hockey_stick_deletion, hockey_stick_insertion, in_odds
from ndis_verify.symbolic.random_projection import odds as projection_odds
from ndis_verify.symbolic.random_projection import r as projection_r
from ndis_verify.symbolic.special_functions import Pg, Phi, Qg, phi

ell, r, s, rate = sp.symbols("l r s u", positive=True)
epsilon = sp.Symbol("epsilon", nonnegative=True)
z = sp.Symbol("z", real=True)
growth = sp.Symbol("x", positive=True)  # alpha = e^l - 1
room = sp.Symbol("k", positive=True)  # 1 - s alpha, positive on the range of s
zero, one = sp.Integer(0), sp.Integer(1)


def _moment(name: str, exponent: sp.Expr, spread: sp.Expr, why: str) -> tuple[Step, Step]:
    """E e^{exponent z^2} = spread^{-1/2} where exponent = (1 - spread)/2."""
    integrand = sp.exp(exponent * z**2) * phi(z)
    antiderivative = Phi(sp.sqrt(spread) * z) / sp.sqrt(spread)
    return integral_steps(name, integrand, (z, -sp.oo, sp.oo), antiderivative, 1 / sp.sqrt(spread), why)


@cache
def less_spread_bound() -> Derivation:
    """`delta <= e^{s(nu-2eps)} prod (1+2s w_i)^{-1/2} - e^eps (1 - e^{-u(nu-2eps)} prod (1-2u(e^{l_i}-1))^{-1/2})`
    (N26-L2).

    P the less spread law, w = 1 - e^{-l}, 0 < u < 1/(2 max(e^l - 1)). `number`: r equal eigenvalues at `l`, `r`,
    `epsilon`, `s`, `u`.
    """
    width, slack = sp.Symbol("w", positive=True), sp.Symbol("t", real=True)
    weight = 1 - sp.exp(-ell)
    narrow = sp.exp(-ell)
    total = r * ell - 2 * epsilon
    bound = sp.exp(s * total) * (1 + 2 * s * weight) ** (-r / 2) - sp.exp(epsilon) * (
        1 - sp.exp(-rate * total) * (1 - 2 * rate * (sp.exp(ell) - 1)) ** (-r / 2)
    )
    first = sp.exp(s * slack) * (1 + 2 * s * weight) ** (-r / 2)
    second = sp.exp(-rate * slack) * (1 - 2 * rate * (sp.exp(ell) - 1)) ** (-r / 2)
    steps = (
        Step(
            "weights",
            "P = N(0, I), Q = N(0, diag e^{l}) in the whitened frame: log p/q = sum l_i/2 - (1 - e^{-l_i}) z_i^2/2, so"
            " that eps - L = eps - nu/2 + (1/2) sum (1 - e^{-l_i}) z_i^2.",
            lhs=(ell - z**2 + sp.exp(-ell) * z**2) / 2,
            rhs=ell / 2 - weight * z**2 / 2,
        ),
        Step(
            "a >= 0",
            "Every weight is nonnegative exactly because P is the less spread law.",
            lhs=(1 - 1 / (1 + growth)),
            rhs=zero,
            relation=">",
            witness=growth / (1 + growth),
        ),
        Step(
            "threshold",
            "L <= nu/2 everywhere, so nothing exceeds eps >= nu/2 and delta = 0 there.",
            lhs=ell / 2 - weight * z**2 / 2,
            rhs=ell / 2,
            relation="<=",
            witness=-(1 - 1 / (1 + growth)) * z**2 / 2,
            reduce=lambda left, right: (left - right).subs(ell, sp.log(1 + growth)),
        ),
        *_moment("E e^{-s w z^2}", -s * width, 1 + 2 * s * width, "s, w > 0."),
        Step(
            "Markov, first",
            "Pr[sum w_i z_i^2 <= t] <= e^{st} E e^{-s sum w_i z_i^2}, as 1{x <= 0} <= e^{-sx}.",
            kind="argument",
        ),
        Step(
            "under Q",
            "z = e^{l/2} y with y standard normal: (1 - e^{-l}) z^2 = (e^l - 1) y^2.",
            lhs=(1 - narrow) / narrow,
            rhs=sp.exp(ell) - 1,
        ),
        *_moment("E e^{u x y^2}", (1 - room) / 2, room, "room = 1 - 2 u x > 0, the stated range of u."),
        Step(
            "Markov, second",
            "Pr[sum (e^{l_i}-1) y_i^2 > t] <= e^{-ut} E e^{u sum (e^{l_i}-1) y_i^2}, so the second probability is at"
            " least 1 minus that; independent coordinates multiply.",
            kind="argument",
        ),
        Step(
            "the second factor is idle",
            "The exponent -u t - (1/2) sum log(1 - 2 u x_i) is convex in u with slope sum x_i - t at u = 0, and x = e^l"
            " - 1 >= l, so the slope is at least nu - t = 2 eps >= 0: the factor is never below 1, its infimum, at u"
            " -> 0.",
            lhs=sp.diff(-rate * slack - sp.log(1 - 2 * rate * growth) / 2, rate).subs(rate, 0),
            rhs=growth - slack,
        ),
        Step(
            "its convexity",
            "The second derivative in u.",
            lhs=sp.diff(-rate * slack - sp.log(1 - 2 * rate * growth) / 2, rate, 2),
            rhs=2 * growth**2 / (1 - 2 * rate * growth) ** 2,
        ),
        Step(
            "e^l - 1 >= l",
            "The difference has slope e^l - 1 > 0 and starts at 0.",
            lhs=sp.diff(sp.exp(ell) - 1 - ell, ell).subs(ell, sp.log(1 + growth)),
            rhs=zero,
            relation=">",
            witness=growth,
        ),
        Step(
            "bound",
            "The two probabilities put into delta = Pr[W1 <= t] - e^eps Pr[W2 <= t].",
            lhs=(first - sp.exp(epsilon) * (1 - second)).subs(slack, total),
            rhs=bound,
        ),
    )
    return Derivation(
        id="covariance_shift.less_spread_bound",
        title="Chernoff bound where the first law is the less spread one",
        sources=("N26-L2",),
        hypotheses=(
            "S1 <= S2 in the Loewner order",
            "equal means",
            "eps >= 0",
            "s > 0",
            "0 < u < 1/(2(e^{max l} - 1))",
        ),
        steps=steps,
        result_step="bound",
        symbols={"l": ell, "r": r, "epsilon": epsilon, "s": s, "u": rate},
        domain=(2 * rate * (sp.exp(ell) - 1) < 1,),
        faults=(
            Fault("weights of the other direction", "a >= 0", lambda rhs: sp.Integer(1)),
            Fault("moment of the wrong sign", "E e^{-s w z^2}", lambda rhs: 1 / sp.sqrt(1 - s * width / 2)),
            Fault("e^l for e^l - 1 under Q", "under Q", lambda rhs: rhs + 1),
            Fault("slope of the second factor", "the second factor is idle", lambda rhs: -rhs),
            Fault("e^eps dropped", "bound", lambda rhs: rhs.subs(epsilon, 0)),
        ),
        covers={"N26-L2": "whole, for S1 <= S2"},
    )


def log_bound(eigenvalue: sp.Expr = sp.exp(ell)) -> sp.Expr:  # noqa: B008  an expression does not change
    """One coordinate's log M(s) for the more spread law first, no mean shift."""
    return log_moment(s, eigenvalue, zero)


@cache
def more_spread_bound() -> Derivation:
    """`delta <= s^s (1+s)^{-1-s} e^{-s(eps + nu/2)} prod (1 - s(e^{l_i} - 1))^{-1/2}`, in both directions
    (N26-L2-corrected).

    0 < s < 1/max(e^{l_i} - 1). `number`: r equal eigenvalues at `l`, `r`, `epsilon`, `s`.
    """
    v = sp.Symbol("v", positive=True)
    top = s / (1 + s)
    constant = sp.exp(s * sp.log(s) - (1 + s) * sp.log(1 + s))
    slope = -(2 * s + 1 - (1 + growth) * (2 * s + 1) / (room * (1 + (1 + s) * growth))) / 2
    in_growth = lambda e: e.subs(ell, sp.log(1 + growth))  # noqa: E731
    odds = sp.Symbol("j", positive=True)  # s alpha = j/(1+j) runs over (0, 1)
    inside = lambda e: e.subs({growth: odds / (s * (1 + odds)), room: 1 / (1 + odds)})  # noqa: E731
    gap = log_bound() - log_moment(-1 - s, sp.exp(ell), zero)
    bound = s**s * (1 + s) ** (-1 - s) * sp.exp(-s * (epsilon + r * ell / 2)) * (1 - s * (sp.exp(ell) - 1)) ** (-r / 2)
    steps = (
        Step(
            "hinge as a function of v = e^{-x}",
            "max(0, 1 - e^{-x}) e^{-sx} = v^s (1 - v) for 0 < v < 1; its slope in v",
            lhs=sp.diff(v**s * (1 - v), v),
            rhs=v ** (s - 1) * (s - (1 + s) * v),
        ),
        Step(
            "where it is greatest",
            "is zero at v = s/(1+s), positive before and negative after:",
            lhs=(s - (1 + s) * v).subs(v, top),
            rhs=zero,
        ),
        Step(
            "its maximum",
            "so max(0, 1 - e^{-x}) <= s^s (1+s)^{-1-s} e^{sx} for every real x.",
            lhs=(v**s * (1 - v)).subs(v, top),
            rhs=constant,
        ),
        Step(
            "Markov on the hinge",
            "delta = E_P max(0, 1 - e^{-(L - eps)}) <= s^s (1+s)^{-1-s} e^{-s eps} E_P e^{sL}.",
            kind="argument",
        ),
        *_moment("E e^{s alpha z^2/2}", (1 - room) / 2, room, "room = 1 - s alpha > 0, the stated range of s."),
        Step(
            "E_P e^{sL}",
            "L = -nu/2 + (1/2) sum alpha_i z_i^2: the moment of one coordinate, without a shift.",
            lhs=log_bound(),
            rhs=-s * ell / 2 - sp.log(1 - s * (sp.exp(ell) - 1)) / 2,
        ),
        Step(
            "the other direction",
            "E_Q e^{s log q/p} = E_P e^{-(1+s) L}: one coordinate of log M(-1-s).",
            lhs=log_moment(-1 - s, sp.exp(ell), zero),
            rhs=(1 + s) * ell / 2 - sp.log(1 + (1 + s) * (sp.exp(ell) - 1)) / 2,
        ),
        Step("difference at l = 0", "log M(s) - log M(-1-s) vanishes there,", lhs=gap.subs(ell, 0), rhs=zero),
        Step(
            "its slope",
            "in l, at e^l = 1 + x, k = 1 - s x,",
            lhs=sp.diff(gap, ell),
            rhs=slope,
            reduce=lambda left, right: in_growth(left) - right.subs(room, 1 - s * growth),
        ),
        Step(
            "increasing",
            "is positive, as k (1 + (1+s) x) = 1 + x - s(1+s) x^2 (here x = j/(s(1+j)), k = 1/(1+j)): so M(-1-s) <="
            " M(s).",
            lhs=inside(slope),
            rhs=zero,
            relation=">",
            witness=inside((2 * s + 1) * s * (1 + s) * growth**2 / (2 * room * (1 + (1 + s) * growth))),
        ),
        Step(
            "bound",
            "Independent coordinates multiply: r of them at one l.",
            lhs=constant * sp.exp(-s * epsilon + r * (-s * ell / 2 - sp.log(1 - s * (sp.exp(ell) - 1)) / 2)),
            rhs=bound,
            reduce=lambda left, right: sp.expand(sp.expand_log(sp.log(left) - sp.log(right), force=True)),
        ),
    )
    return Derivation(
        id="covariance_shift.more_spread_bound",
        title="Chernoff bound of the hinge, both directions",
        sources=("N26-L2",),
        hypotheses=("S1 >= S2 or S1 <= S2", "equal means", "real eps", "0 < s < 1/(e^{max l} - 1)"),
        steps=steps,
        result_step="bound",
        symbols={"l": ell, "r": r, "epsilon": epsilon, "s": s},
        domain=(s * (sp.exp(ell) - 1) < 1,),
        faults=(
            Fault("maximum at the wrong place", "where it is greatest", lambda rhs: s),
            Fault("constant without 1/(1+s)", "its maximum", lambda rhs: rhs * (1 + s)),
            Fault("sign of nu flipped", "bound", lambda rhs: rhs * sp.exp(s * r * ell)),
            Fault("slope of the wrong sign", "its slope", lambda rhs: -rhs),
        ),
        covers={"N26-L2": "corrected: S1 >= S2, and both directions at once"},
    )


@cache
def envelope_vertex() -> Derivation:
    """`h(l) = log M(s)` of one coordinate is 0 at l = 0, increasing and convex: over {0 <= l_i <= rho, sum l_i <= nu}
    its sum is greatest at the vertex rho, ..., rho, rest, for every s at once (N26-D6-corrected).

    The same for the exponent of N26-L2, l s - (1/2) log(1 + 2s(1 - e^{-l})). `number`: h'(l) at `l` and `s`.
    """
    odds = sp.Symbol("j", positive=True)
    inside = lambda e: e.subs({ell: sp.log(1 + odds / (s * (1 + odds)))})  # noqa: E731
    h = log_bound()
    printed = s * ell - sp.log(1 + 2 * s * (1 - sp.exp(-ell))) / 2
    slope = s * (1 + s) * (sp.exp(ell) - 1) / (2 * (1 - s * (sp.exp(ell) - 1)))
    size = odds / (s * (1 + odds))
    shrunk = lambda e: e.subs(ell, sp.log(1 + growth))  # noqa: E731
    steps = (
        Step("h(0)", "No shift, no loss.", lhs=h.subs(ell, 0), rhs=zero),
        Step("h'", "Its slope, on s (e^l - 1) < 1.", lhs=sp.diff(h, ell), rhs=slope),
        Step(
            "h' > 0",
            "At s (e^l - 1) = j/(1+j), j > 0: every l > 0 in the range.",
            lhs=inside(slope),
            rhs=zero,
            relation=">",
            witness=s * (1 + s) * size * (1 + odds) / 2,
        ),
        Step(
            "h'' > 0",
            "Convex.",
            lhs=inside(sp.diff(slope, ell)),
            rhs=zero,
            relation=">",
            witness=s * (1 + s) * (1 + size) * (1 + odds) ** 2 / 2,
        ),
        Step("printed exponent at 0", "The same for the exponent of N26-L2:", lhs=printed.subs(ell, 0), rhs=zero),
        Step(
            "its slope",
            "with e^l = 1 + x,",
            lhs=shrunk(sp.diff(printed, ell)),
            rhs=zero,
            relation=">",
            witness=s * growth * (1 + 2 * s) / (1 + growth + 2 * s * growth),
        ),
        Step(
            "its second derivative",
            "convex as well.",
            lhs=shrunk(sp.diff(printed, ell, 2)),
            rhs=zero,
            relation=">",
            witness=s * (1 + 2 * s) * (1 + growth) / (1 + growth + 2 * s * growth) ** 2,
        ),
        Step(
            "vertex",
            "A sum of one increasing convex function of each coordinate is increasing and Schur-convex; rho, ..., rho,"
            " rest majorises every point of the envelope from above (weakly). The maximiser does not depend on s, so"
            " infimum over s and maximum commute.",
            kind="argument",
        ),
        Step(
            "slope",
            "h' as computed.",
            lhs=sp.diff(-s * ell / 2 - sp.log(1 - s * (sp.exp(ell) - 1)) / 2, ell),
            rhs=slope,
        ),
    )
    return Derivation(
        id="covariance_shift.envelope_vertex",
        title="The worst point of a covariance envelope for the Chernoff bounds",
        sources=("N26-D6",),
        hypotheses=("0 <= l_i <= rho", "sum l_i <= nu", "0 < s < 1/(e^rho - 1)"),
        steps=steps,
        result_step="slope",
        symbols={"l": ell, "s": s},
        domain=(s * (sp.exp(ell) - 1) < 1,),
        faults=(
            Fault("1 + s dropped", "h'", lambda rhs: rhs / (1 + s)),
            Fault("slope of the other direction", "slope", lambda rhs: rhs.subs(s, 2 * s)),
            Fault("h(0) off", "h(0)", lambda rhs: rhs + s),
        ),
        covers={"N26-D6": "the vertex"},
    )


@cache
def exact_envelope() -> Derivation:
    """The exact divergence, in either direction, is nondecreasing in every l_i and Schur-convex in l
    (N26-D6-corrected).

    d delta/d l_i = E[X_i | X = T] f_X(T), X_i = alpha_i z_i^2, X = sum X_i with density f_X, T = nu + 2 eps (for the
    other direction e^eps times the same at T = nu - 2 eps > 0, else 0). `number`: r phi(r), the boundary flux at
    `radius`.
    """
    lam, small, large, total, part = sp.symbols("lambda a1 a2 T y", positive=True)
    x, edge = sp.symbols("x R", positive=True)
    density = sp.exp(-(x**2) / (2 * lam)) / sp.sqrt(2 * sp.pi * lam)
    gamma_part = lambda value, scale: sp.exp(-value / (2 * scale)) / sp.sqrt(2 * sp.pi * scale * value)  # noqa: E731
    tilt = sp.log(gamma_part(part, large) * gamma_part(total - part, small)) - sp.log(
        gamma_part(total - part, large) * gamma_part(part, small)
    )
    upper = small + sp.Symbol("g", positive=True)
    steps = (
        Step(
            "heat equation",
            "The N(0, lambda) density solves d/d lambda = (1/2) d^2/dx^2.",
            lhs=sp.diff(density, lam),
            rhs=sp.diff(density, x, 2) / 2,
        ),
        Step(
            "only p depends on l_i",
            "d/dl int max(p - e^eps q, 0) = int_S dp/dl, S = {p > e^eps q}: the moving edge adds nothing, as the"
            " integrand vanishes there. In z = x/sqrt(lambda), dp/dl integrates to (1/2) int_S (z_i^2 - 1) phi(z) dz.",
            kind="argument",
        ),
        Step(
            "in z",
            "lambda d/dlambda of the density, times dx = sqrt(lambda) dz.",
            lhs=lam * sp.diff(density, lam),
            rhs=(x**2 / lam - 1) * density / 2,
        ),
        Step(
            "flux",
            "S is the outside {X > T} of an ellipsoid: on a line in direction i it is |z_i| > R. The antiderivative of"
            " (z^2 - 1) phi(z),",
            lhs=sp.diff(-z * phi(z), z),
            rhs=(z**2 - 1) * phi(z),
        ),
        Step("flux at infinity", "vanishes at the far end.", lhs=sp.limit(-z * phi(z), z, sp.oo), rhs=zero),
        Step(
            "outside and inside",
            "Over |z| > R the half-integral is 2 R phi(R)/2 = R phi(R) >= 0, over |z| < R it is -R phi(R): Q's"
            " divergence loses -e^eps times that. Both derivatives are >= 0.",
            lhs=edge * phi(edge),
            rhs=zero,
            relation=">",
            witness=edge * phi(edge),
        ),
        Step(
            "as a conditional mean",
            "On the edge X_i = alpha R^2; per unit of X the line contributes 2 phi(R)/(2 alpha R) alpha R^2 = R"
            " phi(R).",
            lhs=small * edge**2 * 2 * phi(edge) / (2 * small * edge),
            rhs=edge * phi(edge),
        ),
        Step(
            "exchange",
            "Given X_1 + X_2 = T, the likelihood ratio of X_2 = y against X_1 = y is exp of",
            lhs=sp.expand_log(tilt, force=True),
            rhs=(1 / small - 1 / large) * (part - total / 2),
            reduce=lambda left, right: sp.expand(sp.logcombine(sp.simplify(left - right), force=True)),
        ),
        Step(
            "its slope in y",
            "increasing in y for alpha_2 > alpha_1: X_2 is the larger in likelihood ratio order, so E[X_2 | X] >= E[X_1"
            " | X].",
            lhs=1 / small - 1 / upper,
            rhs=zero,
            relation=">",
            witness=(upper - small) / (small * upper),
        ),
        Step(
            "Schur-Ostrowski",
            "A symmetric function with (l_i - l_j)(d/dl_i - d/dl_j) >= 0 is Schur-convex; with all derivatives >= 0 its"
            " greatest value over {0 <= l_i <= rho, sum l_i <= nu} is at rho, ..., rho, rest.",
            kind="argument",
        ),
        Step(
            "boundary flux",
            "R phi(R), for every line.",
            lhs=edge * phi(edge),
            rhs=edge * sp.exp(-(edge**2) / 2) / sp.sqrt(2 * sp.pi),
        ),
    )
    return Derivation(
        id="covariance_shift.exact_envelope",
        title="The exact worst case of a covariance envelope",
        sources=("N26-D6",),
        hypotheses=("equal means", "l_i >= 0", "eps >= 0"),
        steps=steps,
        result_step="boundary flux",
        symbols={"radius": edge},
        faults=(
            Fault("half dropped from the heat equation", "heat equation", lambda rhs: 2 * rhs),
            Fault("flux of the wrong sign", "flux", lambda rhs: -rhs),
            Fault("likelihood ratio the other way", "exchange", lambda rhs: -rhs),
        ),
        covers={"N26-D6": "corrected: the exact worst case"},
    )


@cache
def symmetrised_order() -> Derivation:
    """`e^{-eps/2}(delta_{P,Q} - delta_{Q,P})(eps) = C int_{l>eps} 2 sinh((l-eps)/2) (w(l) - w(-l)) dl` (N26-L3).

    w: the density of the loss under the law proportional to sqrt(p q). One change of sign of w(l) - w(-l) on l > 0
    is enough for delta_{P,Q} >= delta_{Q,P}; it is there for at most two eigenvalues away from 1.
    `number`: the kernel 2 sinh((loss - epsilon)/2).
    """
    loss, other = sp.symbols("L l_1", positive=True)
    gap = sp.Symbol("g", positive=True)
    h, mass, tau, angle_mean = sp.symbols("h y tau n", positive=True)
    kernel = 2 * sp.sinh((loss - epsilon) / 2)
    cut = sp.Symbol("e", positive=True)  # epsilon, strictly inside
    first = sp.exp(-cut / 2) * (sp.exp(loss / 2) - sp.exp(cut - loss / 2))
    cotangent = lambda v: sp.cosh(v / 2) / sp.sinh(v / 2)  # noqa: E731
    ratio = sp.sinh((loss - cut) / 2) / sp.sinh(loss / 2)
    wide = sp.exp(-tau / (2 * mass)) / (2 * mass)
    line = sp.exp(-tau * angle_mean / 2) / sp.sqrt(tau)
    steps = (
        Step(
            "densities",
            "p = m e^{L/2} and q = m e^{-L/2} with m = sqrt(p q) = C times a law.",
            lhs=sp.log(sp.exp(loss / 2) / sp.exp(-loss / 2)),
            rhs=loss,
        ),
        Step(
            "kernel",
            "e^{-eps/2}(p - e^eps q)/m = 2 sinh((L - eps)/2); for delta_{Q,P} the same at -L.",
            lhs=first,
            rhs=2 * sp.sinh((loss - cut) / 2),
            reduce=lambda left, right: sp.expand((left - right).rewrite(sp.exp)),
        ),
        Step(
            "at eps = 0",
            "Both divergences are the total variation distance: int 2 sinh(l/2) (w(l) - w(-l)) dl = 0 over l > 0.",
            kind="argument",
        ),
        Step(
            "kernel ratio",
            "sinh((l-eps)/2)/sinh(l/2) increases in l: its logarithm has slope (1/2)(coth((l-eps)/2) - coth(l/2)) > 0,",
            lhs=(sp.diff(sp.log(ratio), loss)).subs(loss, cut + gap),
            rhs=(cotangent(gap) - cotangent(cut + gap)) / 2,
        ),
        Step(
            "its sign",
            "as coth a - coth(a + b) = sinh b/(sinh a sinh(a+b)).",
            lhs=cotangent(gap) - cotangent(cut + gap),
            rhs=zero,
            relation=">",
            witness=sp.sinh(cut / 2) / (sp.sinh(gap / 2) * sp.sinh((cut + gap) / 2)),
            reduce=lambda left, right: left - right,
        ),
        Step(
            "one change of sign is enough",
            "If w(l) - w(-l) is <= 0 up to some l* and >= 0 beyond, then for eps < l* the integral is at least the"
            " ratio at l* times int_{l>eps} 2 sinh(l/2)(w(l)-w(-l)), which is >= its value 0 from 0 on; for eps >= l*"
            " the integrand is >= 0. The difference is never negative.",
            kind="argument",
        ),
        Step(
            "loss under the symmetrised law",
            "The law proportional to sqrt(p q) is normal with variance 2 lambda/(1 + lambda); in units of its standard"
            " deviation one coordinate is L = tanh(h) z^2 - h, h = (1/2) log lambda, as (1/2)(1 - 1/lambda) 2 lambda/(1"
            " + lambda) =",
            lhs=(1 - sp.exp(-2 * h)) * sp.exp(2 * h) / (1 + sp.exp(2 * h)),
            rhs=sp.tanh(h),
            reduce=lambda left, right: (left - right).rewrite(sp.exp),
        ),
        Step(
            "one eigenvalue",
            "Y = tanh(h) z^2 has a density proportional to the following, n = 1/tanh h, which decreases:",
            lhs=sp.diff(line, tau),
            rhs=zero,
            relation="<",
            witness=-(line / (2 * tau) + angle_mean * line / 2),
        ),
        Step(
            "two eigenvalues",
            "In polar coordinates |z|^2 is exponential of mean 2 whatever the angle, so given the angle Y = y |z|^2 has"
            " the density e^{-tau/(2y)}/(2y), which decreases:",
            lhs=sp.diff(wide, tau),
            rhs=zero,
            relation="<",
            witness=-wide / (2 * mass),
        ),
        Step(
            "sign change",
            "L = Y - nu/2, nu/2 = h_1 + h_2: for 0 < l < nu/2 the density of Y at nu/2 + l is below that at nu/2 - l,"
            " and for l > nu/2 w(-l) = 0: one change of sign.",
            kind="argument",
        ),
        Step(
            "kernel of the integral",
            "as used above.",
            lhs=sp.exp((loss - epsilon) / 2) - sp.exp(-(loss - epsilon) / 2),
            rhs=kernel,
            reduce=lambda left, right: sp.expand((left - right).rewrite(sp.exp)),
        ),
    )
    return Derivation(
        id="covariance_shift.symmetrised_order",
        title="The more spread law first is the worse direction: two eigenvalues away from 1",
        sources=("N26-L3",),
        hypotheses=("equal means", "S1 >= S2 in the Loewner order", "S1 - S2 of rank at most 2", "eps >= 0"),
        steps=steps,
        result_step="kernel of the integral",
        symbols={"loss": loss, "epsilon": epsilon},
        faults=(
            Fault("kernel with a sum", "kernel", lambda rhs: 2 * sp.cosh((loss - cut) / 2)),
            Fault("slope of the ratio reversed", "kernel ratio", lambda rhs: -rhs),
            Fault("argument doubled", "loss under the symmetrised law", lambda rhs: sp.tanh(2 * h)),
            Fault("kernel without the half", "kernel of the integral", lambda rhs: 2 * sp.sinh(loss - epsilon)),
        ),
        covers={"N26-L3": "part: rank of S1 - S2 at most 2, and one change of sign is enough in any dimension"},
    )


@cache
def radial_domain() -> Derivation:
    """`E[(1 - e^{eps+g-(kappa-1)T/2})_+] >= E[(1 - e^{eps-g+(1-1/kappa)T/2})_+]` for T ~ chi^2_m, eps >= 0, g <= (m/2)
    log kappa (N26-P2).

    `number`: the first expectation at `g` = (m/2) log kappa, with `kappa` - 1 = `k`, `r` = m and `epsilon`.
    """
    k = sp.Symbol("k", positive=True)
    level = r / 2 * sp.log(1 + k)
    edge = (epsilon + level) / k
    first = Qg(r / 2, edge) - sp.exp(epsilon) * Qg(r / 2, (1 + k) * edge)
    inner = (level - epsilon) / k
    second = Pg(r / 2, (1 + k) * inner) - sp.exp(epsilon) * Pg(r / 2, inner)
    power = (1 + k) ** (-r / 2)
    t = sp.Symbol("t", positive=True)
    density = t ** (r / 2 - 1) * sp.exp(-t / 2)
    steps = (
        Step(
            "in g",
            "The first hinge falls and the second rises pointwise as g rises, so the difference is nonincreasing in g:"
            " it is enough to have it at the largest g, (m/2) log kappa.",
            kind="argument",
        ),
        Step(
            "edge of the first hinge",
            "eps + g = (kappa - 1) T/2 at T/2 = (eps + g)/(kappa - 1).",
            lhs=epsilon + level - k * edge,
            rhs=zero,
        ),
        Step(
            "edge of the second hinge",
            "eps - g + (1 - 1/kappa) T/2 = 0 at T/2 = kappa (g - eps)/(kappa - 1).",
            lhs=epsilon - level + (1 - 1 / (1 + k)) * (1 + k) * inner,
            rhs=zero,
        ),
        Step(
            "first truncated moment",
            "e^{-(kappa-1)t/2} times the chi-square density is kappa^{-m/2} times the density at kappa t, d(kappa t).",
            lhs=sp.exp(-k * t / 2) * density,
            rhs=power * (density * (1 + k)).subs(t, (1 + k) * t),
        ),
        Step(
            "second truncated moment",
            "e^{(1-1/kappa)t/2} times it is kappa^{m/2} times the density at t/kappa, d(t/kappa).",
            lhs=sp.exp((1 - 1 / (1 + k)) * t / 2) * density,
            rhs=(density / (1 + k)).subs(t, t / (1 + k)) / power,
        ),
        Step(
            "weights at the largest g",
            "e^g kappa^{-m/2} = 1 there: both expectations are the closed forms of"
            " random_projection_order.deletion_dominates with m columns and kappa = 1/(1-p).",
            lhs=sp.exp(level) * power,
            rhs=one,
        ),
        Step(
            "first",
            "its deletion divergence,",
            lhs=first,
            rhs=_columns(hockey_stick_deletion().result, k),
            reduce=lambda left, right: left - right,
        ),
        Step(
            "second",
            "its insertion divergence (0 where eps >= g).",
            lhs=second,
            rhs=_columns(hockey_stick_insertion().result, k),
            reduce=lambda left, right: _inner(left - right, k),
        ),
        Step("order", "deletion_dominates: first >= second for every eps >= 0.", kind="argument"),
        Step(
            "sharp",
            "At eps = 0 and g = (m/2) log kappa both sides are equal and the difference falls strictly in g: no larger"
            " g will do for every eps.",
            kind="argument",
        ),
        Step(
            "closed form",
            "The first expectation at the largest g.",
            lhs=Qg(r / 2, edge) - sp.exp(epsilon + level) * power * Qg(r / 2, (1 + k) * edge),
            rhs=first,
        ),
    )
    return Derivation(
        id="covariance_shift.radial_domain",
        title="The radial inequality and its domain",
        sources=("N26-P2",),
        hypotheses=("kappa > 1", "m >= 1", "eps >= 0", "g <= (m/2) log kappa"),
        steps=steps,
        result_step="closed form",
        symbols={"k": k, "r": r, "epsilon": epsilon},
        faults=(
            Fault("kappa upside down", "first truncated moment", lambda rhs: rhs * (1 + k) ** r),
            Fault("edge without kappa", "edge of the second hinge", lambda rhs: rhs + k),
            Fault("first and second swapped", "first", lambda rhs: -rhs),
            Fault("power dropped", "closed form", lambda rhs: rhs + Qg(r / 2, edge)),
        ),
        covers={"N26-P2": "whole, for eps >= 0 and g <= (m/2) log kappa"},
    )


def _columns(expression: sp.Expr, k: sp.Symbol) -> sp.Expr:
    """A closed form of random projection in k = kappa - 1 and r = m."""
    plain = in_odds(expression.subs(sp.Symbol("epsilon", real=True), epsilon)).replace(
        sp.Max, lambda *edges: sp.Add(*edges)
    )
    return plain.subs({projection_odds: k, projection_r: r}, simultaneous=True)


def _inner(expression: sp.Expr, k: sp.Symbol) -> sp.Expr:
    """At eps = v (m/2) log kappa, v = w/(1+w): every eps strictly below the largest g."""
    w = sp.Symbol("w", positive=True)
    return expression.subs(epsilon, r / 2 * sp.log(1 + k) * (1 - 1 / (1 + w)))


@cache
def two_eigenvalues_order() -> Derivation:
    """delta_{P,Q}(eps) >= delta_{Q,P}(eps) for two distinct eigenvalues of any multiplicities (N26-L3).

    y(x) = x E[v], v ~ Beta(a, b) tilted by e^{-xv}, obeys `x y' = a x - (a+b-1) y + y^2 - x y`; a and b are half the
    multiplicities of the smaller and of the larger eigenvalue. `number`: y' at `a`, `b`, `x`, `y`.
    """
    a, b, x, y = sp.symbols("a b x y", positive=True)
    v, w, n, high, low = sp.symbols("v w n y_1 y_0", positive=True)
    y1, y2, plus, minus = sp.symbols("p_1 p_2 Q_1 Q_0", real=True)
    d = 2 * (a + b)
    right = a * x - (a + b - 1) * y + y**2 - x * y
    kernel = v**a * (1 - v) ** b * sp.exp(-x * v)
    mean, square = y / x, ((a + b + x) * y / x - a) / x
    over, under = sp.Rational(1, 2) + w, sp.Rational(1, 2) - w
    second = (a - y - y1 * (a + b - 2 * y + x)) / x
    flat = (-y1 - y1 * (1 - 2 * y1)) / x
    steepness, bend = sp.symbols("q k", nonnegative=True)
    near, far = sp.symbols("t_0 t_1", positive=True)  # tau_- and tau_+ = tau_- + 2 w
    drop = -(2 * w * steepness + bend) + near * steepness - (near + 2 * w) * (steepness + minus**2)
    steps = (
        Step(
            "setting",
            "l_1 < l_2 with multiplicities 2a and 2b, n_i = nu coth(l_i/2), L/nu + 1/2 = tau = sum z_j^2/n_j has the"
            " density tau^{a+b-1} E exp(-tau (n_2 + (n_1 - n_2) v)/2) up to a constant, v ~ Beta(a, b); tau_+- = 1/2 +-"
            " w, w = l/nu.",
            kind="definition",
        ),
        Step(
            "integration by parts",
            "The kernel vanishes at v = 0 and 1, so its derivative has mean 0 under the tilted law:",
            lhs=sp.diff(kernel, v),
            rhs=kernel / (v * (1 - v)) * (a * (1 - v) - b * v - x * v * (1 - v)),
        ),
        Step("second moment", "a - (a+b+x) E[v] + x E[v^2] = 0.", lhs=a - (a + b + x) * mean + x * square, rhs=zero),
        Step(
            "Riccati equation",
            "d E[v]/dx = -Var v, so x y' = y + x^2 (E[v]^2 - E[v^2]).",
            lhs=(y + x**2 * (mean**2 - square)) / x,
            rhs=right / x,
        ),
        Step(
            "second derivative",
            "from x y'' + y' = d/dx (a x - (a+b-1) y + y^2 - x y).",
            lhs=(sp.diff(right, x) + sp.diff(right, y) * y1 - y1) / x,
            rhs=second,
        ),
        Step(
            "third, where y'' = 0",
            "x y''' = -2 y' (1 - y') there:",
            lhs=((sp.diff(second * x, x) + sp.diff(second * x, y) * y1 + sp.diff(second * x, y1) * y2 - y2) / x).subs(
                y2, 0
            ),
            rhs=-2 * y1 * (1 - y1) / x,
        ),
        Step("the same", "negative for 0 < y' < 1.", lhs=flat, rhs=-2 * y1 * (1 - y1) / x),
        Step(
            "start",
            "y(0) = 0, y'(0) = E[v] = a/(a+b) < 1, y''(0) = -2 Var v < 0.",
            lhs=1 - a / (a + b),
            rhs=zero,
            relation=">",
            witness=b / (a + b),
        ),
        Step(
            "concave while increasing",
            "y'' starts negative and cannot come up to 0 while 0 < y' < 1, as y''' would be negative there; and y'"
            " stays below its start.",
            kind="argument",
        ),
        Step("at y = a", "x y' = a (1 - b).", lhs=right.subs(y, a), rhs=a * (1 - b)),
        Step("where y' = 0", "y'' = (a - y)/x.", lhs=second.subs(y1, 0), rhs=(a - y) / x),
        Step(
            "b >= 1",
            "y < a always: y cannot pass a, where y' <= 0 (for b = 1 the constant a is itself a solution). A first zero"
            " of y' would have y'' <= 0, so y >= a: there is none. y is increasing and concave.",
            kind="argument",
        ),
        Step(
            "b = 1/2",
            "y' > 0 at y = a, so y never falls back to a. A first zero of y', at x_m, has y >= a, hence y > a from"
            " there on; a second one would need y <= a. So y is increasing and concave up to x_m, then decreasing and"
            " above a.",
            kind="argument",
        ),
        Step(
            "slope of the log ratio",
            "F = log density at tau_+ less that at tau_-; with Q = tau E[N] = n tau + 2 y(g tau/2), n = n_2, g = n_1 -"
            " n_2, E[N] = Q/tau: F' = (d - 2 - h)/(2 tau_+ tau_-), h = tau_- Q(tau_+) + tau_+ Q(tau_-).",
            lhs=(d / 2 - 1) * sp.diff(sp.log(over / under), w) - (plus / over + minus / under) / 2,
            rhs=(d - 2 - under * plus - over * minus) / (2 * over * under),
        ),
        Step(
            "h', the part of n",
            "From Q = n tau alone:",
            lhs=sp.diff(under * n * over + over * n * under, w),
            rhs=-4 * w * n,
        ),
        Step(
            "h', the part of y, concave",
            "With slopes y'(tau_+) = q >= 0, y'(tau_-) = q + Q_0^2 and y(tau_+) - y(tau_-) = 2 w q + k: half of it is"
            " -(2wq + k) + tau_- q - tau_+ (q + Q_0^2) <= 0.",
            lhs=drop,
            rhs=zero,
            relation="<=",
            witness=-(4 * w * steepness + bend + (near + 2 * w) * minus**2),
        ),
        Step(
            "h at a level",
            "where y(tau_+) = a + y_1 and y(tau_-) = a + y_0 exceed a, h > 2 (tau_- a + tau_+ a) = 2a,",
            lhs=near * (a + high) + far * (a + low),
            rhs=a * (near + far),
            relation=">",
            witness=near * high + far * low,
        ),
        Step(
            "above the crossing",
            "and for b = 1/2, d - 2 = 2a - 1 is below that: no crossing there.",
            lhs=2 * a - (d - 2).subs(b, sp.Rational(1, 2)),
            rhs=one,
        ),
        Step(
            "at a crossing h = d - 2",
            "For b = 1/2 therefore y(tau_-) <= a, so tau_- lies before x_m; if tau_+ does too, h' < 0 by concavity; if"
            " not, y(tau_+) > a >= y(tau_-), y'(tau_+) <= 0 <= y'(tau_-), and h' < 0 term by term. For b >= 1, h' < 0"
            " everywhere.",
            kind="argument",
        ),
        Step(
            "one change of sign",
            "h crosses d - 2 at most once, downwards, so F' is negative and then positive; F(0) = 0: F changes sign at"
            " most once on 0 < l < nu/2, and beyond, w(-l) = 0. symmetrised_order gives the order.",
            kind="argument",
        ),
        Step("slope", "the Riccati equation again.", lhs=a - (a + b - 1) * y / x + y**2 / x - y, rhs=right / x),
    )
    return Derivation(
        id="covariance_shift.two_eigenvalues_order",
        title="The more spread law first is the worse direction: two distinct eigenvalues",
        sources=("N26-L3",),
        hypotheses=(
            "equal means",
            "S1 >= S2 in the Loewner order",
            "at most two distinct eigenvalues away from 1, any multiplicities",
            "eps >= 0",
        ),
        steps=steps,
        result_step="slope",
        symbols={"a": a, "b": b, "x": x, "y": y},
        faults=(
            Fault(
                "tilt of the wrong sign",
                "integration by parts",
                lambda rhs: rhs.subs(x * v * (1 - v), -x * v * (1 - v)),
            ),
            Fault("a + b for a + b - 1", "slope", lambda rhs: rhs - y / x),
            Fault("third derivative of the wrong sign", "third, where y'' = 0", lambda rhs: -rhs),
            Fault("d for d - 2", "slope of the log ratio", lambda rhs: rhs + 1 / (over * under)),
            Fault("level of two coordinates more", "above the crossing", lambda rhs: -rhs),
        ),
        covers={"N26-L3": "part: two distinct eigenvalues away from 1, any multiplicities"},
    )
