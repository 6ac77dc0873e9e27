"""The worst point of a covariance envelope: of the Chernoff bound, and of the divergence itself."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.covariance_shift import ell, growth, log_bound, s, z, zero
from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import phi

_HYPOTHESES = ("0 <= l_i <= rho", "sum l_i <= nu", "0 < s < 1/(e^rho - 1)")


@cache
def envelope_vertex() -> Derivation:
    """`h(l) = log M(s)` of one coordinate is 0 at l = 0, increasing and convex: over {0 <= l_i <= rho, sum l_i <= nu}
    its sum is greatest at the vertex rho, ..., rho, rest, for every s at once (N26-D6-corrected).

    The same for the exponent of N26-L2, l s - (1/2) log(1 + 2s(1 - e^{-l})). `number`: h'(l) at `l` and `s`.
    """
    odds = sp.Symbol("j", positive=True)
    inner = sp.log(1 + odds / (s * (1 + odds)))
    inside = lambda e: e.subs(ell, inner)  # noqa: E731
    rho, nu = sp.symbols("rho nu", positive=True)
    d = sp.Symbol("d", positive=True, integer=True)
    whole, rest = sp.symbols("k r", nonnegative=True)
    h = log_bound()
    printed = s * ell - sp.log(1 + 2 * s * (1 - sp.exp(-ell))) / 2
    slope = s * (1 + s) * (sp.exp(ell) - 1) / (2 * (1 - s * (sp.exp(ell) - 1)))
    size = odds / (s * (1 + odds))
    shrunk = lambda e: e.subs(ell, sp.log(1 + growth))  # noqa: E731
    steps = (
        Step("h(0)", "No shift, no loss.", lhs=sp.Subs(h, ell, 0), rhs=zero),
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
        Step("printed exponent at 0", "The same for the exponent of N26-L2:", lhs=sp.Subs(printed, ell, 0), rhs=zero),
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
            "rho's",
            "As many of the l_i as can be are rho,",
            lhs=whole,
            rhs=sp.Min(d, sp.floor(nu / rho)),
            kind="definition",
        ),
        Step(
            "rest",
            "and what is left is that of one more.",
            lhs=rest,
            rhs=sp.Min(nu, d * rho) - whole * rho,
            kind="definition",
        ),
        *(
            by_fact(
                f"vertex, {name}",
                f"{why} is greatest at rho, ..., rho, rest, for every s at once.",
                "greatest sum of a convex function over an envelope",
                {
                    "f": f,
                    "argument": ell,
                    "inside": at,
                    "cap": rho,
                    "sum": nu,
                    "d": d,
                    "whole": whole,
                    "rest": rest,
                },
                {
                    **dict(zip(("at 0", "rises", "convex"), shown, strict=True)),
                    "inside": _HYPOTHESES[2],
                    "set": _HYPOTHESES[0],
                    "total": _HYPOTHESES[1],
                    "whole": "rho's",
                    "rest": "rest",
                },
            )
            for name, why, f, at, shown in (
                ("log M", "The sum of the logarithms of the moments", h, inner, ("h(0)", "h' > 0", "h'' > 0")),
                (
                    "printed exponent",
                    "The sum of the printed exponents",
                    printed,
                    sp.log(1 + growth),
                    ("printed exponent at 0", "its slope", "its second derivative"),
                ),
            )
        ),
        Step(
            "slope",
            "h' as computed.",
            lhs=sp.diff(-s * ell / 2 - sp.log(1 - s * (sp.exp(ell) - 1)) / 2, ell),
            rhs=slope,
        ),
    )
    return Derivation(
        id="covariance_envelope.envelope_vertex",
        title="The worst point of a covariance envelope for the Chernoff bounds",
        sources=("N26-D6",),
        hypotheses=_HYPOTHESES,
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
        Step("flux at infinity", "vanishes at the far end.", lhs=sp.Limit(-z * phi(z), z, sp.oo), rhs=zero),
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
            lhs=held(small * edge**2) * held(2 * phi(edge)) / held(2 * small * edge),
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
    )
    return Derivation(
        id="covariance_envelope.exact_envelope",
        title="The exact worst case of a covariance envelope",
        sources=("N26-D6",),
        hypotheses=("equal means", "l_i >= 0", "eps >= 0"),
        steps=steps,
        result_step="as a conditional mean",
        symbols={"radius": edge},
        faults=(
            Fault("half dropped from the heat equation", "heat equation", lambda rhs: 2 * rhs),
            Fault("flux of the wrong sign", "flux", lambda rhs: -rhs),
            Fault("likelihood ratio the other way", "exchange", lambda rhs: -rhs),
        ),
        covers={"N26-D6": "corrected: the exact worst case"},
    )
