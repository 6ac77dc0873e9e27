"""Why a release is a draw from the proved law, rounded: the sampler of normals, the law of a solution, the rounding."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step, parts
from ndis_verify.symbolic.fact_steps import a_density, by_fact
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.notation import x as place

zero = sp.Integer(0)
x, gap = sp.symbols("x h", nonnegative=True)
edge, extra, area = sp.symbols("x_1 u A", positive=True)
_STREAM = (
    "the stream (AES-256 in counter mode and SHAKE-256 under a key of the operating system) is taken for uniform bits"
)
_ARITHMETIC = "float64 arithmetic as IEEE 754 has it, checked before a draw, and ball arithmetic as Arb has it"
_TIME = "how long a draw takes is not released"
_SOLUTIONS = ("PKG-release-least-squares", "PKG-release-sketch", "PKG-release-relative-least-squares")
_EVERY = (
    *("PKG-release-gaussian", "PKG-release-laplace", "PKG-release-projection", "PKG-release-subsampled"),
    *("PKG-release-tested", "PKG-release-relative-projection", *_SOLUTIONS),
    *("PKG-release-logistic", "PKG-release-process", "PKG-release-declared"),
)


@cache
def sampler() -> Derivation:
    """Layers of one area and a tail under an exponential give the half-normal law, with digits that stay uniform.

    `number`: the chance that the exponential's fraction stands at `share` = u, von Neumann's comparison of uniforms.
    """
    rate = 1 / (edge + extra)  # 1/w with w >= 1/x_1 is at most x_1
    low, place, digits, slope = sp.symbols("y_low m f s", nonnegative=True)
    share = sp.Symbol("u_0", nonnegative=True)
    n = sp.Symbol("n", integer=True, nonnegative=True)
    width = sp.Symbol("x_k", positive=True)
    steps = (
        Step(
            "layers",
            "A layer [0, x_k] by [y_{k-1}, y_{k-1} + A/x_k] has the area A, whatever x_k.",
            lhs=width * held(low + area / width - low),
            rhs=area,
        ),
        Step(
            "cover",
            "Balls show that the layers cover the curve e^{-x^2/2} (x_k at least where the curve has the height"
            " y_{k-1}, the last height at least 1).",
            kind="argument",
            premises=("layers", _ARITHMETIC),
        ),
        Step(
            "tail",
            "Beyond x_1 the curve over its value at x_1 is e^{-(x^2 - x_1^2)/2}; for a rate 1/w <= x_1 it is below"
            " e^{-(x - x_1)/w}: at x = x_1 + h and 1/w = x_1^2/(x_1 + u),",
            lhs=((edge + gap) ** 2 - edge**2) / 2,
            rhs=gap * edge**2 * rate,
            relation=">=",
            witness=gap**2 / 2 + gap * edge * extra / (edge + extra),
            premises=("cover",),
        ),
        Step(
            "area under the curve",
            "It is sqrt(pi/2).",
            lhs=sp.Integral(sp.exp(-(x**2) / 2), (x, 0, sp.oo)),
            rhs=sp.sqrt(sp.pi / 2),
            reduce=lambda left, right: left.doit() - right,
        ),
        by_fact(
            "kept",
            "A uniform point of the layers that lies below the curve is a uniform point below the curve: its abscissa"
            " is"
            " half-normal.",
            "points under a curve",
            {"point": sp.Symbol("X", nonnegative=True), "f": sp.exp(-(x**2) / 2), "argument": x},
            {},
            premises=("tail", "area under the curve"),
        ),
        Step(
            "comparison",
            "Uniforms u > u_1 > u_2 > ...: n of them fall below one another and below u with probability u^n/n!, so an"
            " even number fell with probability",
            lhs=sp.Sum((-share) ** n / sp.gamma(n + 1), (n, 0, sp.oo)),
            rhs=sp.exp(-share),
            reduce=lambda left, right: left.doit() - right,
            premises=(_STREAM,),
        ),
        Step(
            "trials",
            "Each trial stops with probability 1 - 1/e, so the j-th trial, stopped at u, has the density e^{-j} e^{-u}"
            " = e^{-(j+u)}.",
            lhs=1 - held(sp.Integral(sp.exp(-share), (share, 0, 1)).doit()),
            rhs=sp.exp(-1),
            premises=("comparison",),
        ),
        Step(
            "digits",
            "A decision that is the same for all f in [0, 1) leaves f uniform: z = s (m + f)/2^52 is affine in digits"
            " yet to come, and s m/2^52 is off by at most s/2^52.",
            lhs=slope * (place + digits) / 2**52 - slope * place / 2**52,
            rhs=slope * digits / 2**52,
            premises=(_STREAM,),
        ),
    )
    return Derivation(
        id="exact_release.sampler",
        title="Standard normals with digits yet to come",
        sources=("PKG-release-gaussian",),
        hypotheses=(_STREAM, _ARITHMETIC),
        steps=steps,
        result_step="comparison",
        symbols={"share": share},
        domain=(share <= 1,),
        faults=(
            Fault("layers of unequal area", "layers", lambda rhs: 2 * area),
            Fault("tail steeper than the curve", "tail", lambda rhs: 2 * gap * edge + gap),
            Fault("an odd number fell", "comparison", lambda rhs: 1 - sp.exp(-share)),
            Fault("trials stop with probability 1/e", "trials", lambda rhs: 1 - sp.exp(-1)),
            Fault("a digit too many", "digits", lambda rhs: slope * digits / 2**51),
        ),
        concludes=parts(
            _EVERY,
            {
                "kept": "the law of a normal draw: the layers and the tail",
                "trials": "the law of a normal draw: the exponential of the tail",
                "digits": "the law of a normal draw: digits yet to come",
            },
        ),
    )


@cache
def solution() -> Derivation:
    """A normal vector over the root of a chi-square variate has the density of the sketched solution
    (N24-6.3-exact-law).

    `number`: the exponent of `1 + |t|^2` in that density at `d` and `r`.
    """
    d, r, k = sp.symbols("d r k", positive=True)
    s, square, b = sp.symbols("s T b", positive=True)
    solve, noise, spread = sp.symbols("u z sigma", real=True)
    root = sp.Symbol("R", positive=True)
    power = (k + d) / 2
    steps = (
        Step(
            "factor",
            "[B b]^T [B b] + ridge I = L L^T with L = [[R^T, 0], [u^T, |w|]]: B^T B = R^T R, B^T b = R^T u, so x_opt ="
            " R^{-1} u: for one feature",
            lhs=held(root) * held(solve) / held(root) ** 2,
            rhs=solve / root,
            premises=(_ARITHMETIC,),
        ),
        Step(
            "normal law",
            "R^{-1} (u + |w| z/sqrt r) is x_opt plus a normal vector of covariance (|w|^2/r) (R^T R)^{-1}: for one"
            " feature",
            lhs=((solve + spread * noise) / root - solve / root) ** 2,
            rhs=spread**2 * noise**2 / root**2,
            premises=("factor", _STREAM),
        ),
        Step(
            "mixture",
            "A sketched solution is drawn as R^{-1} (u + |w| z/sqrt s). The density of z/sqrt(s) at t, |t|^2 = T, with"
            " s chi-square of k degrees, is the integral over s of"
            " s^{d/2} e^{-s T/2} times s^{k/2 - 1} e^{-s/2}, up to constants:",
            lhs=sp.Integral(s ** (power - 1) * sp.exp(-s * b), (s, 0, sp.oo)),
            rhs=sp.gamma(power) * b ** (-power),
            reduce=lambda left, right: sp.simplify(left.doit() - right),
            premises=("normal law",),
        ),
        Step(
            "Student law",
            "with b = (1 + T)/2, a constant times (1 + T)^{-(k+d)/2}: for k = r - d + 1 the exponent of the law of the"
            " sketched solution (least_squares.student_law) is",
            lhs=sp.Subs(power, k, r - d + 1),
            rhs=(r + 1) / 2,
            premises=("mixture",),
        ),
    )
    return Derivation(
        id="exact_release.solution",
        title="A least-squares solution drawn without a sketch",
        sources=("PKG-release-least-squares", "PKG-release-sketch"),
        hypotheses=(_STREAM, _ARITHMETIC),
        steps=steps,
        result_step="Student law",
        symbols={"d": d, "r": r},
        domain=(r >= d,),
        faults=(
            Fault("r degrees of freedom", "Student law", lambda rhs: (r + d) / 2),
            Fault("Gamma dropped", "mixture", lambda rhs: b ** (-power)),
            Fault("spread not solved for", "normal law", lambda rhs: spread**2 * noise**2),
        ),
        concludes=parts(
            _SOLUTIONS,
            {"normal law": "the law of a normal solution", "Student law": "the law of a sketched solution"},
        ),
    )


@cache
def rounding() -> Derivation:
    """What balls or error bounds decide is the nearest point of the grid, and the nearest point is a function of the
    draw.

    `number`: the largest distance of a draw from its release, in `step`s.
    """
    value, error, whole = sp.symbols("v e k", real=True)
    margin, step = sp.symbols("a step", positive=True)
    drawn, other = sp.symbols("P Q", real=True)
    f = sp.Function("f", nonnegative=True)(place)
    epsilon = sp.Symbol("epsilon", real=True)
    steps = (
        by_fact(
            "post-processing",
            "The release is a function, that public numbers fix, as they fix the grid, of the real-number draw: no"
            " event of it tells two laws apart better than an event of the draw.",
            "data processing",
            {
                "P": drawn,
                "Q": other,
                "image of P": sp.Function("rounded")(drawn),
                "image of Q": sp.Function("rounded")(other),
                "epsilon": epsilon,
            },
            {},
            premises=(_TIME,),
        ),
        Step(
            "decided",
            "Where |v - k| <= 1/2 - e - a for the computed v, |x - v| <= e, the draw x is nearer to k than to any"
            " other: |x - k| <= 1/2 - a, worst on one side,",
            lhs=held(sp.Rational(1, 2) - error - margin) + error,
            rhs=sp.Rational(1, 2) - margin,
            premises=(_ARITHMETIC,),
        ),
        Step(
            "no atoms",
            "A draw is a function of normal or exponential variates that is strictly monotone in one of them when the"
            " others are given: its law has a density.",
            kind="argument",
        ),
        a_density("density", "f is that density.", f, "no atoms"),
        by_fact(
            "not decided",
            "Otherwise the same draw is computed with more digits of the same normals, and this ends unless the draw"
            " is in the"
            " middle of two points of the grid: that has probability 0.",
            "a value of a law without atoms",
            {"f": f, "value": whole + sp.Rational(1, 2)},
            {"density": "density"},
        ),
        Step(
            "below",
            "A reading rounded down is no larger than the draw, so a lower bound read off it fails no more often:",
            lhs=value,
            rhs=value - margin,
            relation=">=",
            witness=margin,
            premises=("decided",),
        ),
        Step(
            "distance",
            "The release is within half a step of the draw.",
            lhs=held(step) * held(sp.Rational(1, 2)),
            rhs=step / 2,
            premises=("not decided",),
        ),
    )
    return Derivation(
        id="exact_release.rounding",
        title="Exact rounding as post-processing",
        sources=("PKG-release-projection",),
        hypotheses=(_ARITHMETIC, _TIME),
        steps=steps,
        result_step="distance",
        symbols={"step": step},
        faults=(
            Fault("error bound not taken off", "decided", lambda rhs: rhs + error),
            Fault("reading rounded up", "below", lambda rhs: value + margin),
            Fault("a whole step", "distance", lambda rhs: step),
        ),
        concludes=parts(
            _EVERY,
            {
                "post-processing": "rounding: a function of the draw",
                "below": "rounding: a reading rounded down",
                "distance": "rounding: the nearest point of the grid",
            },
        ),
    )
