"""Which direction of a covariance shift is the worse one: the more spread law first, and where that is proved."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.covariance_shift import epsilon, one, zero
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.meanings import chi2_value, meaning
from ndis_verify.symbolic.nearby_laws import at_most, in_order, larger
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.random_projection import c, odds, scale, upper_expectation
from ndis_verify.symbolic.random_projection import r as columns
from ndis_verify.symbolic.random_projection_curve import epsilon as at_least_0
from ndis_verify.symbolic.random_projection_curve import (
    falling_hinge_steps,
    product_order_steps,
    rising_hinge_steps,
    variance_steps,
)
from ndis_verify.symbolic.special_functions import Qg, chi2_density
from ndis_verify.symbolic.statement_terms import quantity

_room = sp.Symbol("w", nonnegative=True)  # what g is below the largest g


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
            lhs=sp.log(held(sp.exp(loss / 2)) / held(sp.exp(-loss / 2))),
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
        id="covariance_direction.symmetrised_order",
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
        covers={
            "N26-L3-two-eigenvalues": "part: rank of S1 - S2 at most 2, and one change of sign is enough in any"
            " dimension"
        },
    )


def _hinges_in_order(name: str, start: sp.Expr, slope: sp.Expr, known: str) -> tuple[Step, ...]:
    """E max(0, 1 - e^{start + w + slope T/2}) <= E max(0, 1 - e^{start + slope T/2}), w >= 0; `known` says what
    one of them is.
    """
    low, high = start + slope * chi2_value / 2, start + _room + slope * chi2_value / 2
    upper, lower = sp.Max(0, 1 - sp.exp(low)), sp.Max(0, 1 - sp.exp(high))
    met = start if known == "hinge" else start + _room
    weight = chi2_density(columns, chi2_value)
    return (
        meaning(f"{name}: expectation", "chi2_hinge", met, slope, columns),
        by_fact(
            f"{name}: exponentials",
            "So of their exponentials,",
            "exponentials keep the order",
            {"a": low, "b": high},
            {"order": Step("below", "w >= 0.", lhs=low, rhs=high, relation="<=", witness=-_room)},
        ),
        Step(
            f"{name}: part above",
            "and a positive part is not below its number,",
            lhs=upper,
            rhs=1 - sp.exp(low),
            relation=">=",
            witness=sp.Max(0, sp.exp(low) - 1),
        ),
        at_most(
            f"{name}: number",
            "so neither below the smaller number,",
            1 - sp.exp(high),
            upper,
            Use(f"{name}: part above", weight=-1),
            f"{name}: exponentials",
        ),
        larger(
            f"{name}: hinges",
            "nor below its positive part.",
            zero,
            1 - sp.exp(high),
            upper,
            (Step("0", "Not negative.", lhs=zero, rhs=upper, relation="<=", witness=-upper), f"{name}: number"),
        ),
        at_most(
            f"{name}: at a point",
            "The same times the density.",
            weight * lower,
            weight * upper,
            Use(f"{name}: hinges", weight=weight),
        ),
        in_order(
            f"{name}: means",
            "So of the means.",
            lambda payoff: sp.Integral(payoff, (chi2_value, 0, sp.oo)),
            (weight * lower, weight * upper),
            (
                f"{name}: at a point",
                Step(
                    "at most 1",
                    "A hinge is at most 1, and the density is that of a law.",
                    lhs=upper,
                    rhs=one,
                    relation="<=",
                    witness=-sp.Min(1, sp.exp(low)),
                ),
            ),
        ),
        at_most(
            name,
            "In terms of the expectation.",
            quantity("chi2_hinge", start + _room, slope, columns),
            quantity("chi2_hinge", start, slope, columns),
            *(known, f"{name}: expectation", f"{name}: means"),
        ),
    )


@cache
def radial_domain() -> Derivation:
    """`E[(1 - e^{eps+g-(kappa-1)T/2})_+] >= E[(1 - e^{eps-g+(1-1/kappa)T/2})_+]` for T ~ chi^2_r, eps >= 0, g <= (r/2)
    log kappa (N26-P2).

    At the largest g the two are the divergences of N(0, 1)^r and N(0, 1/kappa)^r. `number`: the first there, at `k` =
    kappa - 1, `r` and `epsilon`.
    """
    g, kappa = sp.Symbol("g", real=True), sp.Symbol("kappa", positive=True)
    level = columns * sp.log(1 + odds) / 2
    share = odds / (1 + odds)
    edge = (at_least_0 + level) / odds
    top, bottom = "falls from g on", "rises up to the largest g"
    reach = Hypothesis("g <= (r/2) log(kappa)", g <= columns * sp.log(kappa) / 2)
    above = Hypothesis("kappa > 1", kappa > 1)
    first, second = "as a hinge", "as a hinge, exchanged"
    largest = quantity("chi2_hinge", at_least_0 + level, -odds, columns)
    steps = (
        Step("odds", "What kappa exceeds 1 by.", lhs=odds, rhs=kappa - 1, kind="definition", premises=(above.text,)),
        Step(
            "room",
            "What g stays below its largest value by.",
            lhs=_room,
            rhs=columns * sp.log(kappa) / 2 - g,
            kind="definition",
            premises=(reach.text,),
        ),
        *variance_steps(),
        *falling_hinge_steps(),
        *rising_hinge_steps(", exchanged"),
        *product_order_steps(),
        *_hinges_in_order(top, at_least_0 + level - _room, -odds, "hinge"),
        *_hinges_in_order(bottom, at_least_0 - level, share, "hinge, exchanged"),
        Step(
            "exponent at 0",
            "Not negative.",
            lhs=at_least_0 + level,
            rhs=zero,
            relation=">=",
            witness=at_least_0 + level,
        ),
        Step(
            "closed form",
            "The first expectation at the largest g.",
            lhs=largest,
            rhs=Qg(columns / 2, edge) - sp.exp(at_least_0) * Qg(columns / 2, (1 + odds) * edge),
            kind="inference",
            premises=(
                Use(
                    "expectation",
                    of=upper_expectation,
                    at={c: at_least_0 + level, scale: odds},
                    granted={"c >= 0": "exponent at 0"},
                ),
            ),
        ),
        Step(
            "at the largest g",
            "The order of the two divergences.",
            lhs=largest,
            rhs=quantity("chi2_hinge", at_least_0 - level, share, columns),
            relation=">=",
            kind="inference",
            premises=("products in order", first, second),
        ),
        Step(
            "order, with room",
            "As g falls from there, the first expectation rises and the second falls.",
            lhs=quantity("chi2_hinge", at_least_0 + level - _room, -odds, columns),
            rhs=quantity("chi2_hinge", at_least_0 - level + _room, share, columns),
            relation=">=",
            kind="inference",
            premises=(Use(top, weight=-1), "at the largest g", Use(bottom, weight=-1)),
        ),
        Step(
            "order",
            "In terms of g and kappa.",
            lhs=quantity("chi2_hinge", at_least_0 + g, 1 - kappa, columns),
            rhs=quantity("chi2_hinge", at_least_0 - g, 1 - 1 / kappa, columns),
            relation=">=",
            kind="inference",
            premises=("order, with room", "room", "odds"),
        ),
    )
    return Derivation(
        id="covariance_direction.radial_domain",
        title="The radial inequality and its domain",
        sources=("N26-P2",),
        hypotheses=(above, reach),
        steps=steps,
        result_step="closed form",
        symbols={"k": odds, "r": columns, "epsilon": at_least_0},
        faults=(
            Fault("e^eps left out", "closed form", lambda rhs: rhs.subs(sp.exp(at_least_0), 1)),
            Fault("the two exchanged", "order", lambda rhs: 2 * rhs),
            Fault("exponent of the wrong sign", "as a hinge", lambda rhs: quantity("chi2_hinge", level, odds, columns)),
            Fault("loss of the other direction", "loss of one coordinate, exchanged", lambda rhs: -rhs),
        ),
        concludes=(
            Conclusion("N26-P2", "order", {"eps": at_least_0, "g": g, "kappa": kappa, "r": columns}),
            Conclusion("N26-P2", "closed form", part="the first expectation at the largest g"),
        ),
    )


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
        Step(
            "second moment",
            "a - (a+b+x) E[v] + x E[v^2] = 0.",
            lhs=a - (a + b + x) * held(mean) + x * held(square),
            rhs=zero,
        ),
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
        Step("where y' = 0", "y'' = (a - y)/x.", lhs=sp.Subs(second, y1, 0), rhs=(a - y) / x),
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
            lhs=2 * a - sp.Subs(d - 2, b, sp.Rational(1, 2)),
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
        id="covariance_direction.two_eigenvalues_order",
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
        covers={"N26-L3-two-eigenvalues": "part: two distinct eigenvalues away from 1, any multiplicities"},
    )
