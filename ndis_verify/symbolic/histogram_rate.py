"""How fast the histogram's divergence converges: the printed width, tails that are too heavy, and laws where the rate
holds.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import phi

width, draws, scale, std = sp.symbols("h n C s", positive=True)
rough_p, rough_q = sp.symbols("R_P R_Q", positive=True)
zero = sp.Integer(0)
_DRAWS, _BINS = "n independent draws from each law", "infinitely many bins of width h"
_optimal = (12 / (rough_p + rough_q)) ** sp.Rational(1, 3) * draws ** sp.Rational(-1, 3)


@cache
def width_of_least_square_error() -> Derivation:
    """h = (12/(R_P + R_Q))^{1/3} n^{-1/3} minimises 2/(n h) + h^2 (R_P + R_Q)/12, R = int density'^2 (KM-T4.4).

    `number`: that width at `n`, `roughness_p`, `roughness_q`.
    """
    slope, x, start = sp.symbols("b x u", real=True)
    total = rough_p + rough_q
    odds = sp.Symbol("v", nonnegative=True)
    mass = 1 / (1 + odds)  # of a bin that has some
    error = 2 / (draws * width) + width**2 * total / 12
    steps = (
        Step(
            "roughness",
            "R_P = int P'^2 and R_Q = int Q'^2, numbers above 0: the printed width has them in its denominator.",
            kind="definition",
            premises=("differentiable densities",),
        ),
        by_fact(
            "variance of a share",
            "A bin's share of n draws;",
            "variance of a share",
            {"share": sp.Symbol("p_hat", real=True), "mass": mass, "n": draws},
            {
                "independent": _DRAWS,
                "least": Step("p >= 0", "", lhs=mass, rhs=zero, relation=">=", witness=mass),
                "most": Step("p <= 1", "", lhs=mass, rhs=sp.Integer(1), relation="<=", witness=-odds / (1 + odds)),
                "draws": Step("n > 0", "", lhs=draws, rhs=zero, relation=">", witness=draws),
            },
        ),
        Step(
            "variance",
            "its frequency over h, squared and over its length h: over all bins, sum p = 1, at most 1/(n h), less"
            " (sum p^2)/(n h) ="
            " O(1/n).",
            lhs=mass * (1 - mass) / draws / width**2 * width,
            rhs=mass / (draws * width) - mass**2 / (draws * width),
            premises=("variance of a share", _BINS),
        ),
        Step(
            "bias of a line",
            "On a bin where the density has slope b the squared distance to its mean is b^2 h^3/12: h^2/12 times the"
            " integral of b^2.",
            lhs=sp.integrate((slope * (x - start - width / 2)) ** 2, (x, start, start + width)),
            rhs=slope**2 * width**3 / 12,
            premises=("roughness",),
        ),
        Step(
            "stationary",
            "The derivative in h at the printed width.",
            lhs=sp.Subs(sp.diff(error, width), width, _optimal),
            rhs=zero,
            premises=("variance", "bias of a line"),
        ),
        Step(
            "convex",
            "So the stationary width is the least.",
            lhs=sp.diff(error, width, 2),
            rhs=zero,
            relation=">",
            witness=4 / (draws * width**3) + total / 6,
            premises=("stationary",),
        ),
        Step(
            "width",
            "The root of its cube, at which -2/n + h^3 (R_P + R_Q)/6 = 0.",
            lhs=held(12 / (draws * total)) ** sp.Rational(1, 3),
            rhs=_optimal,
            premises=("convex",),
        ),
        Step(
            "least value",
            "Order n^{-2/3}.",
            lhs=sp.Subs(error, width, _optimal),
            rhs=3 * total ** sp.Rational(1, 3) * 12 ** sp.Rational(-1, 3) * draws ** sp.Rational(-2, 3),
            premises=("convex",),
        ),
        Step(
            "one law",
            "P = Q: the width (6/R)^{1/3} n^{-1/3} of Scott (1979).",
            lhs=sp.Subs(_optimal, rough_q, rough_p),
            rhs=(6 / rough_p) ** sp.Rational(1, 3) * draws ** sp.Rational(-1, 3),
            premises=("width",),
        ),
    )
    return Derivation(
        id="histogram_rate.width_of_least_square_error",
        title="The printed bin width minimises the sum of the two mean integrated square errors",
        sources=("KM-T4.4",),
        hypotheses=(_DRAWS, "differentiable densities", _BINS),
        steps=steps,
        result_step="width",
        symbols={"n": draws, "roughness_p": rough_p, "roughness_q": rough_q},
        faults=(
            Fault("6 for 12", "width", lambda rhs: rhs / 2 ** sp.Rational(1, 3)),
            Fault("mean of the two integrals", "one law", lambda rhs: 2 ** sp.Rational(1, 3) * rhs),
            Fault("bias of a whole step", "bias of a line", lambda rhs: 4 * rhs),
        ),
        concludes=(
            Conclusion("KM-T4.4", "least value", part="the least mean square error"),
            Conclusion("KM-T4.4", "one law", part="the width, and that of one law"),
        ),
    )


@cache
def gaussian_width() -> Derivation:
    """Two normal laws of standard deviation s: 2 3^{1/3} pi^{1/6} s n^{-1/3} (KM-C4.5).

    `number`: the width at `n` and `std`.
    """
    x, mean = sp.symbols("x m", real=True)
    density = phi(x / std) / std
    roughness = 1 / (4 * sp.sqrt(sp.pi) * std**3)
    right = 2 * 3 ** sp.Rational(1, 3) * sp.pi ** sp.Rational(1, 6) * std * draws ** sp.Rational(-1, 3)
    steps = (
        Step("derivative of the density", "Chain rule.", lhs=sp.Derivative(density, x), rhs=-x / std**2 * density),
        Step(
            "its square integrated",
            "A second moment of a normal law.",
            lhs=sp.Integral((x / std**2 * density) ** 2, (x, -sp.oo, sp.oo)),
            rhs=roughness,
            reduce=lambda left, right: left.doit() - right,
            premises=("derivative of the density",),
        ),
        Step(
            "means do not matter",
            "The density of mean m at x + m is that of mean 0 at x: its slope has the same square integral.",
            lhs=sp.Subs(sp.Derivative(phi((x - mean) / std) / std, x), x, x + mean),
            rhs=sp.Derivative(density, x),
        ),
        Step(
            "width",
            "The width for two laws of one roughness b = 1/(4 sqrt(pi) s^3).",
            lhs=_optimal.subs({rough_p: held(roughness), rough_q: held(roughness)}),
            rhs=right,
            premises=("its square integrated", "means do not matter"),
        ),
    )
    return Derivation(
        id="histogram_rate.gaussian_width",
        title="The bin width for two normal laws of one variance",
        sources=("KM-C4.5",),
        hypotheses=(),
        steps=steps,
        result_step="width",
        symbols={"n": draws, "std": std},
        faults=(
            Fault("2 for 3 under the root", "width", lambda rhs: rhs * sp.Rational(2, 3) ** sp.Rational(1, 3)),
            Fault("pi^{1/3}", "width", lambda rhs: rhs * sp.pi ** sp.Rational(1, 6)),
            Fault("roughness of one law twice", "its square integrated", lambda rhs: 2 * rhs),
        ),
        concludes=(Conclusion("KM-C4.5", "width", {"n": draws, "s": std}),),
    )


@cache
def heavy_tail() -> Derivation:
    """P = Q with tail G(x) = (1 + x^3)^{-1/6}, x > 0: E TV^ >= G(X + h)/4, X = (n h/2)^{2/3}, so n^{1/3} E TV^ grows
    like n^{1/9} (KM-T4.4).

    `number`: the lower bound G(X + h)/4 at `n` and `h` = h.
    """
    x, miss, u = sp.symbols("x r u", positive=True)
    count = sp.Symbol("m", positive=True)
    tail = (1 + x**3) ** sp.Rational(-1, 6)
    density = x**2 / 2 * (1 + x**3) ** sp.Rational(-7, 6)
    start = (draws * width / 2) ** sp.Rational(2, 3)
    bound = (1 + (start + width) ** 3) ** sp.Rational(-1, 6) / 4
    steps = (
        Step("density", "Minus the derivative of the tail; 0 for x <= 0.", lhs=-sp.Derivative(tail, x), rhs=density),
        Step(
            "differentiable at 0",
            "The right derivative there is 0, as the left one.",
            lhs=sp.Limit(sp.diff(density, x), x, 0),
            rhs=zero,
            premises=("density",),
        ),
        Step(
            "slope",
            "The derivative of the density.",
            lhs=sp.diff(density, x),
            rhs=x * (1 + x**3) ** sp.Rational(-13, 6) * (1 - sp.Rational(3, 4) * x**3),
            premises=("density",),
        ),
        Step(
            "slope squared in u = 1 + x^3",
            "du = 3 x^2 dx.",
            lhs=(x * (1 + x**3) ** sp.Rational(-13, 6) * (1 - sp.Rational(3, 4) * x**3)) ** 2 / (3 * x**2),
            rhs=((7 - 3 * u) ** 2 * u ** sp.Rational(-13, 3) / 48).subs(u, 1 + x**3),
            premises=("slope",),
        ),
        Step(
            "roughness",
            "int P'^2 is finite, so the printed width is defined.",
            lhs=sp.Integral(sp.expand((7 - 3 * u) ** 2 * u ** sp.Rational(-13, 3) / 48), (u, 1, sp.oo)),
            rhs=sp.Rational(23, 320),
            reduce=lambda left, right: left.doit() - right,
            premises=("slope squared in u = 1 + x^3",),
        ),
        Step(
            "density below its power law",
            "Its ratio to x^{-3/2}/2 is (x^3/(1+x^3))^{7/6} <= 1.",
            lhs=density / held(x ** sp.Rational(-3, 2) / 2),
            rhs=(x**3 / (1 + x**3)) ** sp.Rational(7, 6),
            premises=("density",),
        ),
        Step(
            "light bins",
            "A bin that begins at or beyond X has mass at most h X^{-3/2}/2 = 1/n.",
            lhs=held(width) * held(start) ** sp.Rational(-3, 2) / 2,
            rhs=1 / draws,
            premises=("density below its power law", _BINS),
        ),
        Step(
            "one sample missing",
            "|X_j - Y_j| >= X_j [Y_j = 0] + Y_j [X_j = 0]: with counts Bin(n, p) its mean is at least 2 n p (1-p)^n;"
            " half of it over n, r = 1 - p.",
            lhs=2 * draws * held(1 - miss) * miss**draws / held(2 * draws),
            rhs=(1 - miss) * miss**draws,
            premises=(_DRAWS,),
        ),
        by_fact(
            "increasing",
            "(1 - 1/n)^n increases in n, n = 1 + m: of n factors 1 - 1/n and one 1 the mean is n/(n+1) = 1 - 1/(n+1),",
            "arithmetic and geometric mean",
            {"a": count / (1 + count), "b": sp.Integer(1), "n": 1 + count},
            {
                name: Step(name, why, lhs=left, rhs=sp.Integer(0), relation=sign, witness=left)
                for name, why, left, sign in (
                    ("first", "m/(1 + m) = 1 - 1/n > 0,", count / (1 + count), ">"),
                    ("other", "1 > 0,", sp.Integer(1), ">"),
                    ("count", "n >= 0.", 1 + count, ">="),
                )
            },
        ),
        Step(
            "the mean",
            "as said.",
            lhs=((1 + count) * (count / (1 + count)) + 1) / (1 + count + 1),
            rhs=1 - 1 / (1 + count + 1),
            premises=("increasing",),
        ),
        Step(
            "at p <= 1/n",
            "(1 - p)^n >= (1 - 1/n)^n >= 1/4 for n >= 2: the sequence increases from",
            lhs=held(1 - 1 / sp.Integer(2)) ** 2,
            rhs=sp.Rational(1, 4),
            premises=("increasing", "the mean"),
        ),
        Step(
            "mass of the light bins",
            "The first light bin begins below X + h, so they hold at least G(X + h). TV(P, P) = 0, so the error is TV^"
            " itself.",
            kind="argument",
            premises=("light bins", "one sample missing", "at p <= 1/n"),
        ),
        Step(
            "bound",
            "A quarter of the tail beyond X + h.",
            lhs=sp.Subs(tail, x, start + width) / 4,
            rhs=bound,
            premises=("mass of the light bins",),
        ),
        Step(
            "growth",
            "At h = C n^{-1/3}: X = (C/2)^{2/3} n^{4/9} and X^{-1/2} n^{1/3} = (2/C)^{1/3} n^{1/9}, without bound.",
            lhs=held(sp.Subs(start, width, scale * draws ** sp.Rational(-1, 3))) ** sp.Rational(-1, 2)
            * draws ** sp.Rational(1, 3),
            rhs=(2 / scale) ** sp.Rational(1, 3) * draws ** sp.Rational(1, 9),
            premises=("bound", "roughness", "differentiable at 0"),
        ),
    )
    return Derivation(
        id="histogram_rate.heavy_tail",
        title="A differentiable density whose histogram converges slower than n^{-1/3}",
        sources=("KM-T4.4",),
        hypotheses=(_DRAWS, _BINS),
        steps=steps,
        result_step="bound",
        symbols={"n": draws, "h": width},
        domain=(draws >= 2,),
        faults=(
            Fault("quarter dropped", "bound", lambda rhs: 4 * rhs),
            Fault("growth n^{1/3}", "growth", lambda rhs: rhs * draws ** sp.Rational(2, 9)),
            Fault("light bins at 2/n", "light bins", lambda rhs: 2 * rhs),
        ),
        concludes=(Conclusion("KM-T4.4", "growth", part="why the statement fails over all differentiable densities"),),
    )


@cache
def second_moment() -> Derivation:
    """Finite second moment and int |P'|: E int |P^ - P| <= sqrt((1 + 2 M + 2 h^2)(1 + pi/h)/n) + h V/2
    (KM-T4.4-corrected).

    M = E X^2, V = int |P'|. `number`: that bound at `n`, `h`, `second_moment`, `variation`.
    """
    moment, variation, p = sp.symbols("M V p", positive=True)
    x, y = sp.symbols("x y", real=True)
    j = sp.Symbol("j", nonnegative=True)
    bound = sp.sqrt((1 + 2 * moment + 2 * width**2) * (1 + sp.pi / width) / draws) + width * variation / 2
    grid = sp.sqrt((1 + 2 * (moment + width**2)) * (1 + sp.pi / width))
    steps = (
        Step(
            "moment and variation",
            "M = E X^2 and V = int |P'|, P either law; where one of them is not finite the bound says nothing.",
            kind="definition",
        ),
        Step(
            "divergence",
            "|H_a(P^||Q^) - H_a(P||Q)| <= (1/2) int |P^ - P| + (a/2) int |Q^ - Q| (nearby_laws.perturbation, each"
            " difference integrating to 0).",
            kind="argument",
            premises=("a >= 0",),
        ),
        Step(
            "bias of a bin",
            "int |P - mean| <= sup_y (2 y (h - y)/h) int |P'|, where 2 y (h - y)/h <= h/2:",
            lhs=width / 2 - 2 * y * (width - y) / width,
            rhs=zero,
            relation=">=",
            witness=2 * (y - width / 2) ** 2 / width,
            premises=("moment and variation",),
        ),
        Step(
            "sampling",
            "E sum |p^_j - p_j| <= sum sqrt(p_j/n) (Jensen), and by Cauchy-Schwarz sum sqrt(p_j) <= sqrt(sum p_j (1 +"
            " j^2 h^2)) sqrt(sum 1/(1 + j^2 h^2)).",
            kind="argument",
            premises=(_DRAWS,),
        ),
        Step(
            "bins that hold x",
            "|j h| <= |x| + h: 1 + j^2 h^2 <= 1 + 2 x^2 + 2 h^2.",
            lhs=2 * x**2 + 2 * width**2 - (sp.Abs(x) + width) ** 2,
            rhs=zero,
            relation=">=",
            witness=(sp.Abs(x) - width) ** 2,
            premises=("moment and variation",),
        ),
        Step(
            "sum over the grid",
            "1/(1 + t^2 h^2) falls with |t|, so the sum over integers is at most 1 plus the integral over the line,",
            lhs=2 * sp.Limit(sp.atan(j * width) / width, j, sp.oo),
            rhs=sp.pi / width,
        ),
        Step(
            "bound",
            "Sampling and bias.",
            lhs=held(grid) / sp.sqrt(draws) + held(width) * held(variation) / 2,
            rhs=bound,
            premises=("bias of a bin", "sampling", "bins that hold x", "sum over the grid"),
        ),
        Step(
            "rate",
            "At h = C n^{-1/3} the factor 1/(n h) of the sampling part is n^{-2/3}/C: where M and V"
            " are finite, both parts are O(n^{-1/3}).",
            lhs=sp.Subs(1 / (draws * width), width, scale * draws ** sp.Rational(-1, 3)),
            rhs=draws ** sp.Rational(-2, 3) / scale,
            premises=("bound", "divergence"),
        ),
    )
    return Derivation(
        id="histogram_rate.second_moment",
        title="The rate n^{-1/3} for laws with a second moment and a density of bounded variation",
        sources=("KM-T4.4",),
        hypotheses=(_DRAWS, "a >= 0"),
        steps=steps,
        result_step="bound",
        symbols={"n": draws, "h": width, "second_moment": moment, "variation": variation},
        faults=(
            Fault("bias halved", "bound", lambda rhs: rhs - width * variation / 4),
            Fault(
                "number of bins forgotten",
                "bound",
                lambda rhs: sp.sqrt((1 + 2 * moment + 2 * width**2) / draws) + width * variation / 2,
            ),
        ),
        concludes=(
            Conclusion("KM-T4.4", "rate", part="the rate where E X^2 and int |density'| are finite"),
            Conclusion("KM-T4.4-corrected", "bound", part="the mean distance of the density"),
            Conclusion("KM-T4.4-corrected", "rate", part="the rate"),
        ),
    )
