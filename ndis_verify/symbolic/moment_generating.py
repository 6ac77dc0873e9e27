"""The moment generating function of the privacy loss, and the divergence as one contour integral of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import mpmath
import sympy as sp

from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import Phi, phi

lam = sp.Symbol("lambda", positive=True)  # eigenvalue of the relative covariance; alpha = lambda - 1 = -a
kappa = sp.Symbol("kappa", positive=True)  # 1 - s alpha
m, s, b, c, z, epsilon = sp.symbols("m s b c z epsilon", real=True)
alpha = lam - 1
_RANGE = "1 - s alpha > 0 for real s; complex s with Re(1 - s alpha) > 0 by analytic continuation"
_BELOW_1 = "every lambda_i < 1"


def log_moment(at: Any, eigenvalue: Any = lam, shift: Any = m) -> sp.Expr:
    """log E_P e^{sL} of one coordinate, `-(1/2)[s log lambda + log(1 - s alpha)] + s (s+1) m^2/(2 (1 - s alpha))`."""
    spread = 1 - at * (eigenvalue - 1)
    return -(at * sp.log(eigenvalue) + sp.log(spread)) / 2 + at * (at + 1) * shift**2 / (2 * spread)


@cache
def loss_moment() -> Derivation:
    """`M(s) = E_P e^{sL}` in closed form, with M(0) = M(-1) = 1; independent coordinates multiply; behind
    `single_integral`.

    `number`: one coordinate's log M(s) at eigenvalue `lam`, `m` (coordinate of S2^{-1/2}(m1 - m2)) and `s`, s (lam - 1)
    < 1.
    """
    factor = sp.exp(-s * c + s**2 * b**2 / (2 * kappa)) / sp.sqrt(kappa)
    tilt = sp.exp(-s * c - s * b * z + (1 - kappa) * z**2 / 2) * phi(z)
    centre = -s * b / kappa
    h = sp.Symbol("h", real=True)
    closed = log_moment(s)
    c_of, b2_of = sp.log(lam) / 2 - m**2 / 2, lam * m**2
    steps = (
        Step(
            "loss",
            "L = -(c + b z - alpha z^2/2) (ndis_lemma.log_density_ratio with a = -alpha), kappa = 1 - s alpha > 0.",
            kind="definition",
            premises=(_RANGE,),
        ),
        *integral_steps(
            "Gaussian integral",
            tilt,
            (z, -sp.oo, sp.oo),
            factor * Phi(sp.sqrt(kappa) * (z - centre)),
            factor,
            "Completing the square.",
        ),
        Step(
            "m and b",
            "m = sqrt(lambda) h and b = -lambda h, so b^2 = lambda m^2.",
            lhs=held(-lam * h) ** 2,
            rhs=lam * held(sp.sqrt(lam) * h) ** 2,
            premises=("loss",),
        ),
        Step(
            "c",
            "c = (1/2) log lambda - lambda h^2/2.",
            lhs=sp.log(lam) / 2 - lam * h**2 / 2,
            rhs=sp.Subs(c_of, m, sp.sqrt(lam) * h),
            premises=("loss",),
        ),
        Step(
            "log M",
            "The exponent collects into s (s+1) m^2/(2 kappa).",
            lhs=-s * c_of + s**2 * b2_of / (2 * (1 - s * alpha)) - sp.log(1 - s * alpha) / 2,
            rhs=closed,
            premises=("Gaussian integral", "m and b", "c"),
        ),
        *(
            Step(name, why, lhs=sp.Subs(closed, s, at), rhs=sp.Integer(0), premises=("log M",))
            for name, why, at in (
                ("M(0) = 1", "Total mass of P.", 0),
                ("M(-1) = 1", "Total mass of Q: E_P q/p.", -1),
            )
        ),
        Step(
            "mean of L",
            "The Kullback-Leibler divergence.",
            lhs=sp.Subs(sp.Derivative(closed, s), s, 0),
            rhs=(alpha - sp.log(lam) + m**2) / 2,
            premises=("log M",),
        ),
    )
    return Derivation(
        id="moment_generating.loss_moment",
        title="The moment generating function of the privacy loss",
        sources=("N26-L1",),
        hypotheses=(_RANGE,),
        steps=steps,
        result_step="log M",
        symbols={"lam": lam, "m": m, "s": s},
        domain=(s * (lam - 1) < 1,),
        faults=(
            Fault("s + 1 replaced by s", "log M", lambda rhs: rhs.subs(s + 1, s)),
            Fault("sign of the logarithm flipped", "log M", lambda rhs: rhs + sp.log(1 - s * alpha)),
            Fault("M at -1 of the swapped pair", "M(-1) = 1", lambda rhs: rhs + sp.log(lam)),
            Fault("half of m^2 dropped", "mean of L", lambda rhs: rhs - m**2 / 4),
        ),
        concludes=tuple(
            Conclusion("N26-L1", step, part=f"another route to its number: {part}")
            for step, part in (
                ("M(0) = 1", "the moments of the loss at 0"),
                ("M(-1) = 1", "the moments of the loss at -1"),
                ("mean of L", "the mean of the loss"),
            )
        ),
    )


@cache
def payoff_transform() -> Derivation:
    """`int_0^oo (1 - e^{-u}) e^{-su} du = 1/(s (s+1))`, Re s > 0, and its inversion by residues; behind
    `single_integral`.

    `number`: the transform at `s` > 0.
    """
    rate, u = sp.symbols("s u", positive=True)
    point = sp.Symbol("s", complex=True)
    kernel = sp.exp(point * u) / (point * (point + 1))
    value = 1 / (rate * (rate + 1))
    steps = (
        *integral_steps(
            "transform",
            (1 - sp.exp(-u)) * sp.exp(-rate * u),
            (u, 0, sp.oo),
            -sp.exp(-rate * u) / rate + sp.exp(-(rate + 1) * u) / (rate + 1),
            value,
            "Two exponentials.",
        ),
        Step("residue at 0", "of e^{su}/(s(s+1)).", lhs=sp.Limit(point * kernel, point, 0), rhs=sp.Integer(1)),
        Step("residue at -1", "of the same.", lhs=sp.Limit((point + 1) * kernel, point, -1), rhs=-sp.exp(-u)),
        Step(
            "inversion, u > 0",
            "Closing to the left: the sum of the residues is the payoff.",
            lhs=sp.Limit(point * kernel, point, 0) + sp.Limit((point + 1) * kernel, point, -1),
            rhs=1 - sp.exp(-u),
            premises=("residue at 0", "residue at -1"),
        ),
        Step(
            "inversion, u < 0",
            "Closing to the right of Re s = s0 > 0 meets no pole: 0. The arcs vanish because the kernel is O(|s|^-2).",
            kind="argument",
            premises=("Re s > 0",),
        ),
        Step(
            "partial fractions",
            "1/(s(s+1)).",
            lhs=1 / rate - 1 / (rate + 1),
            rhs=value,
            premises=("transform",),
        ),
    )
    return Derivation(
        id="moment_generating.payoff_transform",
        title="Laplace transform of the payoff max(0, 1 - e^{-u})",
        sources=("N26-L1",),
        hypotheses=("Re s > 0",),
        steps=steps,
        result_step="partial fractions",
        symbols={"s": rate},
        faults=(
            Fault("pole at -1 dropped", "transform", lambda rhs: 1 / rate),
            Fault("residue of the wrong sign", "residue at -1", lambda rhs: -rhs),
            Fault("sum of poles", "partial fractions", lambda rhs: 1 / rate + 1 / (rate + 1)),
        ),
        concludes=tuple(
            Conclusion("N26-L1", step, part=f"another route to its number: {part}")
            for step, part in (
                ("partial fractions", "the transform of the payoff"),
                ("inversion, u > 0", "its inversion"),
                ("inversion, u < 0", "its inversion to the right"),
            )
        ),
    )


@cache
def largest_loss() -> Derivation:
    """`sup L = -(1/2) sum log lambda_i + (1/2) sum m_i^2/(-alpha_i)` when every lambda_i < 1; delta(eps) = 0 from there
    on: where the engines cut.

    `number`: one coordinate's share, at eigenvalue `lam` in (0, 1) and `m`.
    """
    odds, beyond = sp.Symbol("k", positive=True), sp.Symbol("v", nonnegative=True)

    def narrow(expression: sp.Expr) -> sp.Expr:
        """lambda = 1/(1+k), k > 0: every eigenvalue below 1."""
        return expression.subs(lam, 1 / (1 + odds))

    slope = -sp.sqrt(lam) * m
    loss = -(sp.log(lam) / 2 - m**2 / 2 + slope * z - alpha * z**2 / 2)
    top = slope / alpha
    best = -sp.log(lam) / 2 + m**2 / (2 * (1 - lam))
    square = odds / (1 + odds) / 2 * (z + sp.sqrt(1 + odds) * m * -1 / odds) ** 2
    steps = (
        Step(
            "below the top",
            "L is a concave parabola in z.",
            lhs=narrow(best - loss),
            rhs=sp.Integer(0),
            relation=">=",
            witness=square,
            premises=(_BELOW_1,),
        ),
        Step(
            "at the top",
            "attained at z = b/alpha.",
            lhs=loss.subs(z, top),
            rhs=best,
            premises=("below the top",),
        ),
        Step(
            "beyond",
            "At eps = sup L + v, v >= 0, therefore eps - L >= 0,",
            lhs=sp.Integer(0),
            rhs=narrow(best + beyond - loss),
            relation="<=",
            witness=-square - beyond,
        ),
        by_fact(
            "zero beyond",
            "and 1 - e^{eps - L} is nowhere positive: the hinge max(0, 1 - e^{eps - L}) is 0.",
            "exponentials keep the order",
            {"a": sp.Integer(0), "b": narrow(best + beyond - loss)},
            {"order": "beyond"},
        ),
    )
    return Derivation(
        id="moment_generating.largest_loss",
        title="The largest privacy loss when P is the narrower Gaussian",
        sources=("N26-L1",),
        hypotheses=(_BELOW_1,),
        steps=steps,
        result_step="at the top",
        symbols={"lam": lam, "m": m},
        domain=(lam < 1,),
        faults=(
            Fault("sign of the shift term flipped", "at the top", lambda rhs: rhs - m**2 / (1 - lam)),
            Fault("log determinant of the wrong sign", "at the top", lambda rhs: rhs + sp.log(lam)),
            Fault("short of the top", "beyond", lambda rhs: rhs - beyond - 1),
        ),
        concludes=tuple(
            Conclusion("N26-L1", step, part=f"another route to its number: {part}")
            for step, part in (("at the top", "the largest loss"), ("zero beyond", "nothing beyond the largest loss"))
        ),
    )


@cache
def single_integral(dimension: int = 2) -> Derivation:
    """`delta(eps) = Re int_0^oo M(s) e^{-s eps}/(s (s+1)) s'(tau)/(i pi) d tau` along s = s0 + bend (cosh tau - 1) + i
    sinh tau: the one integral that oracle and fast evaluate, of which N26-L1 has the other route.

    0 < s0 < 1/max(alpha_i, 0). `number`: the complex integrand at `tau`, for eigenvalues `lam1`, ..., shifts `m1`, ...,
    `epsilon`, `s0` > 0 and `bend`; `hockey_stick` integrates it.
    """
    lams = sp.symbols(f"lam1:{dimension + 1}", positive=True)
    shifts = sp.symbols(f"m1:{dimension + 1}", real=True)
    tau, bend = sp.symbols("tau bend", real=True)
    start = sp.Symbol("s0", positive=True)
    path = start + bend * (sp.cosh(tau) - 1) + sp.I * sp.sinh(tau)
    speed = bend * sp.sinh(tau) + sp.I * sp.cosh(tau)
    log_total = lambda at: sum((log_moment(at, *pair) for pair in zip(lams, shifts)), sp.Integer(0))  # noqa: E731
    kernel = sp.exp(log_total(s) - s * epsilon) / (s * (s + 1))
    integrand = sp.exp(log_total(path) - path * epsilon) / (path * (path + 1)) * speed / (sp.I * sp.pi)
    curve = sp.Symbol("alpha", real=True, nonzero=True)
    steps = (
        Step(
            "hinge as an integral",
            "max(0, 1 - e^{eps - L}) = (1/2 pi i) int_{Re s = s0} e^{s(L - eps)}/(s(s+1)) ds (payoff_transform).",
            kind="argument",
        ),
        Step(
            "Fubini",
            "E_P e^{Re(s) L} = M(s0) is finite for 0 < s0 < 1/max(alpha_i, 0) and 1/(s(s+1)) is integrable, so the"
            " expectation moves inside: M(s) appears (loss_moment).",
            kind="argument",
        ),
        Step(
            "conjugate halves",
            "The integrand at the conjugate of s is the conjugate: the real part of twice the upper half.",
            kind="argument",
        ),
        Step(
            "far exponent",
            "s^2 b^2/(2(1 - s alpha)) is linear in s up to a bounded term: the integrand carries e^{-s x}, x = eps + c"
            " + sum b_i^2/(2 alpha_i).",
            lhs=s**2 * b**2 / (2 * (1 - s * curve)),
            rhs=-s * b**2 / (2 * curve) - b**2 / (2 * curve**2) + b**2 / (2 * curve**2 * (1 - s * curve)),
        ),
        Step(
            "bending",
            "The cuts and poles lie on the real axis, so by Cauchy's theorem the ends may bend to the right where x > 0"
            " and to the left where x < 0.",
            kind="argument",
        ),
        Step("path", "ds/d tau.", lhs=sp.Derivative(path, tau), rhs=speed),
        Step(
            "integrand",
            "The kernel on the path, over i pi: twice the upper half of 1/(2 pi i).",
            lhs=2 * held(kernel.subs(s, path)) * sp.Derivative(path, tau) / (2 * sp.pi * sp.I),
            rhs=integrand,
        ),
    )
    names = {f"lam{i + 1}": value for i, value in enumerate(lams)} | {
        f"m{i + 1}": value for i, value in enumerate(shifts)
    }
    return Derivation(
        id=f"moment_generating.single_integral({dimension})",
        title="The divergence as a single contour integral",
        sources=("N26-L1",),
        hypotheses=("0 < s0 < 1/max(alpha_i, 0)", "bend has the sign of x, or is 0"),
        steps=steps,
        result_step="integrand",
        symbols=names | {"epsilon": epsilon, "s0": start, "bend": bend, "tau": tau},
        faults=(
            Fault("pole at -1 dropped", "integrand", lambda rhs: rhs * (path + 1)),
            Fault("sign of eps flipped", "integrand", lambda rhs: rhs.subs(epsilon, -epsilon)),
            Fault("speed of the straight path", "path", lambda rhs: sp.I * sp.cosh(tau)),
            Fault("far exponent of the wrong sign", "far exponent", lambda rhs: rhs + s * b**2 / curve),
        ),
    )


def hockey_stick(eigenvalues: Sequence[Any], shifts: Sequence[Any], epsilon: Any, digits: int = 20) -> mpmath.mpf:
    """delta(eps) by quadrature of `single_integral`'s integrand.

    `eigenvalues`: lambda_i > 0 of the relative covariance; `shifts`: m_i, coordinates of S2^{-1/2}(m1 - m2);
    `epsilon`: any real number. mpmath's quadrature estimates its error, so the digits are not certified.
    Raises `InputError` for unequal lengths, eigenvalues that are not positive, or digits below 1.
    """
    lams, ms = (
        [exact(value, name) for value in values] for values, name in ((eigenvalues, "eigenvalues"), (shifts, "shifts"))
    )
    if len(lams) != len(ms) or not lams:
        raise InputError("shifts", str(shifts), "must have one entry for each eigenvalue")
    if min(lams) <= 0:
        raise InputError("eigenvalues", str(min(lams)), "must be positive")
    if not isinstance(digits, int) or digits < 1:
        raise InputError("digits", digits, "must be a positive integer")
    derivation = single_integral(len(lams))
    integrand = sp.lambdify(list(derivation.symbols.values()), derivation.result, modules="mpmath")
    with mpmath.workdps(digits + 15):
        eigen, moved, level = [to_mpf(v) for v in lams], [to_mpf(v) for v in ms], to_mpf(exact(epsilon, "epsilon"))
        start, bend, stop = _path(eigen, moved, level, digits)
        value = mpmath.quad(
            lambda tau: mpmath.re(integrand(*eigen, *moved, level, start, bend, tau)),
            mpmath.linspace(0, stop, int(2 * stop) + 2),
        )
    with mpmath.workdps(digits):
        return +value


def _path(eigen: list[Any], moved: list[Any], level: Any, digits: int) -> tuple[Any, Any, Any]:
    """Start, bend and length of a path along which the integrand falls below 10^-(digits + 10)."""
    top = max(value - 1 for value in eigen)
    start = mpmath.mpf(1) if top <= mpmath.mpf(1) / 2 else 1 / (2 * top)
    far = level
    for value, shift in zip(eigen, moved):
        far += mpmath.log(value) / 2 - shift**2 / 2
        if value != 1:
            far += value * shift**2 / (2 * (value - 1))
        elif shift != 0:
            return start, mpmath.mpf(0), mpmath.asinh(mpmath.sqrt(2 * (digits + 20) * mpmath.log(10)) / abs(shift))
    drop = (digits + 10) * mpmath.log(10)
    if far == 0:
        return start, mpmath.mpf(0), drop
    bend = mpmath.sign(far) / 2
    return start, bend, min(drop, mpmath.acosh(1 + 2 * (drop + 10) / abs(far)) + 1)
