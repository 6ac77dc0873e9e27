"""The two generalized chi-square laws behind the divergence of two Gaussians, by completing the square."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step
from ndis_verify.symbolic.fact_steps import a_density, by_fact
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.meanings import p, q
from ndis_verify.symbolic.notation import held, largest, where, x
from ndis_verify.symbolic.special_functions import Phi, phi

z, b, epsilon = sp.symbols("z b epsilon", real=True)
lam = sp.Symbol("lambda", positive=True)  # 1 - a, the eigenvalue of the relative covariance
a = 1 - lam
weight = sp.Symbol("a", real=True, nonzero=True)

# Over a itself, lambda replaced: every expression below holds for a < 1, a != 0.
_w1, _nc1 = weight / 2, (b / weight) ** 2
_w2, _nc2 = weight / (2 * (1 - weight)), b**2 / (weight**2 * (1 - weight))
_level = -(b**2) / (2 * weight)


def _with_lambda(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    return (left - right).subs(weight, 1 - lam)


@cache
def definition() -> Derivation:
    """Law of `sum_i w_i chi'^2(k_i, nu_i) + s N(0,1) + m` through its cumulants (N26-D1).

    `E exp(u W) = (1-2wu)^{-k/2} exp(w nu u/(1-2wu) + s^2 u^2/2 + m u)` for one weight w of either sign and 2wu < 1;
    independent terms multiply. `number`: the log moment at `w`, `dof` = k, `noncentrality` = nu, `std` = s, `m`, `u`.
    """
    w, u, m = sp.symbols("w u m", real=True)
    n, k, nu = sp.symbols("n k nu", nonnegative=True)
    std = sp.Symbol("s", nonnegative=True)
    kappa = sp.Symbol("kappa", positive=True)  # 1 - 2wu
    centre = (1 - kappa) * n / kappa
    factor = sp.exp(n**2 * (1 - kappa) / (2 * kappa)) / sp.sqrt(kappa)
    one = integral_steps(
        "one squared normal",
        sp.exp((1 - kappa) / 2 * (z + n) ** 2) * phi(z),
        (z, -sp.oo, sp.oo),
        factor * Phi(sp.sqrt(kappa) * (z - centre)),
        factor,
        "Completing the square, with wu = (1-kappa)/2.",
    )
    gauss = integral_steps(
        "normal part",
        sp.exp(u * std * z) * phi(z),
        (z, -sp.oo, sp.oo),
        sp.exp(u**2 * std**2 / 2) * Phi(z - u * std),
        sp.exp(u**2 * std**2 / 2),
        "Completing the square.",
    )
    log_moment = -k / 2 * sp.log(1 - 2 * w * u) + w * nu * u / (1 - 2 * w * u) + std**2 * u**2 / 2 + m * u
    of_one = -sp.log(kappa) / 2 + n**2 * (1 - kappa) / (2 * kappa)
    pooled = of_one + sp.log(kappa) / 2 - k * sp.log(kappa) / 2 + std**2 * u**2 / 2 + m * u
    steps = (
        Step(
            "law",
            "chi'^2(k, nu) is the law of a sum of k squares (z_j + n_j)^2 with nu = sum n_j^2; W adds an independent"
            " normal variable and a constant.",
            kind="definition",
        ),
        *one,
        *gauss,
        Step("logarithm", "One square's share.", lhs=sp.log(held(factor)), rhs=of_one, premises=(one[-1].name,)),
        Step(
            "k squares",
            "k logarithms, and nu = sum n_j^2; only the sum of the n_j^2 enters.",
            lhs=sp.Subs(pooled, (n, kappa), (sp.sqrt(nu), 1 - 2 * w * u)),
            rhs=log_moment,
            premises=("law", "logarithm", gauss[-1].name),
        ),
        Step(
            "mean",
            "First derivative at 0.",
            lhs=sp.diff(log_moment, u).subs(u, 0),
            rhs=w * (k + nu) + m,
            premises=("k squares",),
        ),
        Step(
            "variance",
            "Second derivative at 0.",
            lhs=sp.diff(log_moment, u, 2).subs(u, 0),
            rhs=2 * w**2 * (k + 2 * nu) + std**2,
            premises=("k squares",),
        ),
    )
    return Derivation(
        id="generalized_chi2.definition",
        title="The generalized chi-square law and its moment generating function",
        sources=("N26-D1",),
        hypotheses=(),
        steps=steps,
        result_step="k squares",
        symbols={"w": w, "dof": k, "noncentrality": nu, "std": std, "m": m, "u": u},
        domain=(2 * w * u < 1,),
        faults=(
            Fault("noncentrality halved", "k squares", lambda rhs: rhs.subs(nu, nu / 2)),
            Fault("variance of the central law", "variance", lambda rhs: rhs.subs(nu, 0)),
            Fault("sign of the log term flipped", "k squares", lambda rhs: rhs + k * sp.log(1 - 2 * w * u)),
        ),
        concludes=(
            Conclusion("N26-D1", "mean", part="the law through its moments, its mean"),
            Conclusion("N26-D1", "variance", part="its variance"),
        ),
    )


@cache
def change_of_measure() -> Derivation:
    """`phi(z) exp(c_i + b z + a z^2/2)` is the density of N(b/(1-a), 1/(1-a)), a < 1 (N24-P16).

    So `E[exp q_eps(Z); S] = e^eps Pr[Y in S]`. `number`: the tilted density at `lam` = 1 - a, `b`, `z`.
    """
    constant = sp.log(lam) / 2 - b**2 / (2 * lam)
    density = sp.sqrt(lam) * phi(sp.sqrt(lam) * (z - b / lam))
    steps = (
        Step(
            "c_i",
            "One coordinate's share of c is (1/2) log(1-a) - b^2/(2(1-a)) (ndis_lemma.log_density_ratio); lambda ="
            " 1 - a > 0.",
            kind="definition",
            premises=("a_i < 1",),
        ),
        *integral_steps(
            "total mass",
            density,
            (z, -sp.oo, sp.oo),
            Phi(sp.sqrt(lam) * (z - b / lam)),
            sp.Integer(1),
            "A normal density.",
        ),
        Step(
            "tilted density",
            "Completing the square: the tilted density is that of y.",
            lhs=phi(z) * sp.exp(constant + b * z + (1 - lam) * z**2 / 2),
            rhs=density,
            premises=("c_i",),
        ),
    )
    return Derivation(
        id="generalized_chi2.change_of_measure",
        title="The tilted normal density is the second Gaussian in the same coordinates",
        sources=("N26-T4.1", "N24-P16"),
        hypotheses=("a_i < 1",),
        steps=steps,
        result_step="tilted density",
        symbols={"lam": lam, "b": b, "z": z},
        faults=(
            Fault(
                "mean b in place of b/(1-a)", "tilted density", lambda rhs: sp.sqrt(lam) * phi(sp.sqrt(lam) * (z - b))
            ),
            Fault(
                "variance 1-a in place of 1/(1-a)",
                "tilted density",
                lambda rhs: phi((z - b / lam) / sp.sqrt(lam)) / sp.sqrt(lam),
            ),
            Fault("normalising factor dropped", "tilted density", lambda rhs: rhs / sp.sqrt(lam)),
        ),
        concludes=(
            Conclusion("N24-P16", "tilted density", part="the law of y"),
            Conclusion("N24-P16", "total mass", part="that it is one"),
        ),
    )


def _not_zero() -> Step:
    return Step("not 0", "a is not 0.", lhs=weight**2, rhs=sp.Integer(0), relation=">", witness=weight**2)


@cache
def first_law() -> Derivation:
    """`a z^2/2 + b z = (a/2) (z + b/a)^2 - b^2/(2a)`, a != 0: weight a/2, noncentrality (b/a)^2 (N26-T4.1).

    `number`: W1's polynomial at `weight` = a != 0, `b`, `z`.
    """
    steps = (
        _not_zero(),
        Step(
            "square",
            "Completing the square.",
            lhs=weight * z**2 / 2 + b * z,
            rhs=_w1 * (z + b / weight) ** 2 + _level,
            premises=("not 0",),
        ),
        Step(
            "noncentrality",
            "(z + n)^2 is chi'^2(1, n^2), n = b/a.",
            lhs=held(b / weight) ** 2,
            rhs=_nc1,
            premises=("square",),
        ),
        Step(
            "a = 0",
            "b z is the normal part: independent ones add to s^2 = sum b_i^2.",
            lhs=sp.Subs(weight * z**2 / 2 + b * z, weight, 0),
            rhs=b * z,
        ),
    )
    return Derivation(
        id="generalized_chi2.first_law",
        title="W1 is a generalized chi-square variable",
        sources=("N26-T4.1", "N24-P16"),
        hypotheses=(),
        steps=steps,
        result_step="square",
        symbols={"weight": weight, "b": b, "z": z},
        faults=(
            Fault("weight a in place of a/2", "square", lambda rhs: rhs + _w1 * (z + b / weight) ** 2),
            Fault("shift of the wrong sign", "square", lambda rhs: rhs - 2 * _level),
            Fault("noncentrality not squared", "noncentrality", lambda rhs: b / weight),
        ),
        concludes=(
            Conclusion("N24-P16", "noncentrality", part="the first square, where a is not 0"),
            Conclusion("N24-P16", "a = 0", part="the first law where a is 0"),
        ),
    )


@cache
def second_law() -> Derivation:
    """`a y^2/2 + b y` at y = b/(1-a) + x/sqrt(1-a) is `(a/(2(1-a))) (x + n)^2 - b^2/(2a)`, n^2 = b^2/(a^2 (1-a))
    (N26-T4.1).

    `number`: W2's polynomial at `weight` = a < 1 (not 0), `b`, and the standard normal point `x`.
    """
    x = sp.Symbol("x", real=True)
    y = b / (1 - weight) + x / sp.sqrt(1 - weight)
    root = b / (weight * sp.sqrt(1 - weight))
    steps = (
        _not_zero(),
        Step(
            "square",
            "Completing the square.",
            lhs=weight * y**2 / 2 + b * y,
            rhs=_w2 * (x + root) ** 2 + _level,
            reduce=_with_lambda,
            premises=("not 0", "a_i < 1"),
        ),
        Step(
            "noncentrality",
            "(x + n)^2 is chi'^2(1, n^2).",
            lhs=held(root) ** 2,
            rhs=_nc2,
            reduce=_with_lambda,
            premises=("square",),
        ),
        Step(
            "a = 0",
            "y = b + x: the normal part b x, and b^2 more in the shift.",
            lhs=(weight * y**2 / 2 + b * y).subs(weight, 0),
            rhs=b * x + b**2,
        ),
        Step(
            "ratios",
            "W2's weight is W1's over 1-a, its noncentrality W1's over 1-a.",
            lhs=_w2 / _w1,
            rhs=1 / (1 - weight),
            premises=("square",),
        ),
        Step(
            "ratio of noncentralities",
            "as above.",
            lhs=held(_nc2) * weight**2,
            rhs=b**2 / (1 - weight),
            premises=("noncentrality",),
        ),
    )
    return Derivation(
        id="generalized_chi2.second_law",
        title="W2 is a generalized chi-square variable",
        sources=("N26-T4.1", "N24-P16"),
        hypotheses=(Hypothesis("a_i < 1", weight < 1),),
        steps=steps,
        result_step="square",
        symbols={"weight": weight, "b": b, "x": x},
        domain=(weight < 1,),
        faults=(
            Fault("W1's weight", "square", lambda rhs: _w1 * (x + root) ** 2 + _level),
            Fault("W1's noncentrality", "noncentrality", lambda rhs: _nc1),
            Fault("b^2 dropped at a = 0", "a = 0", lambda rhs: b * x),
            Fault("shift rescaled like the weight", "square", lambda rhs: rhs - _level + _level / (1 - weight)),
        ),
        concludes=(
            Conclusion("N24-P16", "ratios", part="the second square, where a is not 0"),
            Conclusion("N24-P16", "ratio of noncentralities", part="its noncentrality"),
            Conclusion("N24-P16", "a = 0", part="the second law where a is 0"),
        ),
    )


def _split_steps() -> tuple[Step, ...]:
    """delta = P(q_eps <= 0) - e^eps Q(q_eps <= 0)."""
    gap = p(x) - sp.exp(epsilon) * q(x)
    return (
        a_density("density of P", "p is the density of P, and positive,", p(x)),
        a_density("density of Q", "q that of Q: normal laws.", q(x)),
        by_fact(
            "largest set",
            "delta is the integral over the points where p >= e^eps q,",
            "largest integral over a set, its set",
            {"f": gap},
            {"integrable": "density of P"},
            premises=("density of Q",),
        ),
        Step(
            "sign of q_eps",
            "which are those where q_eps = eps - log(p/q) <= 0.",
            lhs=gap,
            rhs=p(x) * (1 - sp.exp(epsilon - sp.log(p(x) / q(x)))),
        ),
        by_fact(
            "two integrals",
            "The integral splits,",
            "integrals over a set are linear",
            {"f": p(x), "c": -sp.exp(epsilon), "g": q(x), "set": gap},
            {"integrable": "density of P"},
            premises=("density of Q",),
        ),
        Step(
            "split",
            "so delta = Pr[q_eps <= 0] under P less e^eps times that under Q.",
            lhs=largest(gap),
            rhs=where(p(x), gap) - sp.exp(epsilon) * where(q(x), gap),
            kind="inference",
            premises=("largest set", "two integrals", "sign of q_eps"),
        ),
    )


def _pooling_steps() -> tuple[Step, ...]:
    """The laws of W under P and under Q, coordinate by coordinate, and squares of one weight together."""
    kappa = sp.Symbol("kappa", positive=True)  # 1 - 2wu
    freedom, other_freedom = sp.symbols("k1 k2", positive=True)
    shift, other_shift = sp.symbols("nu1 nu2", nonnegative=True)
    one, other, pooled = sp.symbols("X1 X2 X", real=True)

    def log_moment(k: sp.Expr, nu: sp.Expr) -> sp.Expr:
        return -k * sp.log(kappa) / 2 + nu * (1 - kappa) / (2 * kappa)

    apart = log_moment(freedom, shift) + log_moment(other_freedom, other_shift)
    together = log_moment(freedom + other_freedom, shift + other_shift)
    return (
        Step(
            "coordinates",
            "W = sum (a_i z_i^2/2 + b_i z_i). Under P the z_i are independent and standard normal; under Q (of density"
            " e^c e^{a z^2/2 + b z} phi(z), which is that of N(b/(1-a), 1/(1-a)): change_of_measure) they are"
            " b_i/(1-a_i) + x_i/sqrt(1-a_i), the x_i independent and standard normal.",
            kind="definition",
        ),
        _not_zero(),
        replace(first_law().step("square"), name="W under P", premises=("coordinates", "not 0")),
        replace(second_law().step("square"), name="W under Q", premises=("coordinates", "not 0", "a_i < 1")),
        Step(
            "their moments",
            "X1, X2 independent, w times noncentral chi-square variables with k1, k2 degrees of freedom and"
            " noncentralities nu1, nu2, have these logarithms of moment generating functions (definition), which add to"
            " that of w times one with k1 + k2 and nu1 + nu2; kappa = 1 - 2wu > 0.",
            lhs=apart,
            rhs=together,
        ),
        by_fact(
            "pooled",
            "So equal weights pool their degrees of freedom and noncentralities.",
            "noncentral chi-square variables add",
            {
                "X": one,
                "X'": other,
                "Y": pooled,
                "kappa": kappa,
                "k": freedom,
                "k'": other_freedom,
                "nu": shift,
                "nu'": other_shift,
            },
            {"moments": "their moments"},
        ),
    )


@cache
def hockey_stick() -> Derivation:
    """`delta(eps) = Pr[W1 <= t] - e^eps Pr[W2 <= t]`, t = -(c + eps) (N26-T4.1, N24-P16).

    `number`: one coordinate with 0 < a < 1, where both laws are one noncentral chi-square variable with positive
    weight; at `fraction` = a, `b`, and `epsilon` with t at least the shift -b^2/(2a).
    """
    frac = sp.Symbol("a", positive=True)
    odds = sp.Symbol("k", positive=True)
    c = sp.log(1 - frac) / 2 - b**2 / (2 * (1 - frac))
    t = -(c + epsilon)
    level = (t + b**2 / (2 * frac)) / frac * 2
    n1, n2 = b / frac, b / (frac * sp.sqrt(1 - frac))
    mass = lambda edge, n: Phi(sp.sqrt(edge) - n) - Phi(-sp.sqrt(edge) - n)  # noqa: E731
    tail = sp.Symbol("x", positive=True)
    n = sp.Symbol("n", real=True)
    density = sp.diff(mass(tail, n), tail)
    direct = (phi(sp.sqrt(tail) - n) + phi(-sp.sqrt(tail) - n)) / (2 * sp.sqrt(tail))
    w1, w2 = held(frac / 2), held(frac / (1 - frac) / 2)
    steps = (
        *_split_steps(),
        *_pooling_steps(),
        Step(
            "one coordinate",
            "0 < a < 1, and t no less than the shift -b^2/(2a): both weights are positive, and both edges are roots.",
            kind="definition",
            premises=("a_i < 1",),
        ),
        Step(
            "region",
            "q_eps <= 0 exactly where W <= t = -(c + eps), the same polynomial under both laws.",
            lhs=epsilon + c + b * z + frac * z**2 / 2,
            rhs=held(b * z + frac * z**2 / 2) - held(t),
            premises=("split", "pooled"),
        ),
        Step(
            "one noncentral square",
            "Pr[(z+n)^2 <= x] = Phi(sqrt x - n) - Phi(-sqrt x - n): its density is the two-branch change of variables,",
            lhs=density,
            rhs=direct,
        ),
        Step(
            "one noncentral square: start",
            "and it vanishes at x = 0.",
            lhs=sp.Subs(mass(tail, n), tail, 0),
            rhs=sp.Integer(0),
            premises=("one noncentral square",),
        ),
        Step(
            "edge of W1",
            "W1 <= t where (z + n)^2 <= (t - shift)/w1.",
            lhs=(t + b**2 / (2 * frac)) / w1,
            rhs=level,
            premises=("one coordinate", "W under P", "region"),
        ),
        Step(
            "edge of W2",
            "W2 <= t where (x + n)^2 <= (t - shift)/w2 = (1-a) times the edge of W1.",
            lhs=(t + b**2 / (2 * frac)) / w2,
            rhs=level * (1 - frac),
            premises=("one coordinate", "W under Q", "region"),
        ),
        Step(
            "difference",
            "One coordinate, 0 < a < 1.",
            lhs=mass((t + b**2 / (2 * frac)) / w1, n1) - sp.exp(epsilon) * mass((t + b**2 / (2 * frac)) / w2, n2),
            rhs=mass(level, n1) - sp.exp(epsilon) * mass(level * (1 - frac), n2),
            reduce=lambda left, right: (left - right).subs(frac, 1 - 1 / (1 + odds)),
            premises=("edge of W1", "edge of W2", "one noncentral square: start"),
        ),
    )
    return Derivation(
        id="generalized_chi2.hockey_stick",
        title="The divergence as a difference of two generalized chi-square probabilities",
        sources=("N26-T4.1", "N24-P16"),
        hypotheses=(Hypothesis("a_i < 1", weight < 1),),
        steps=steps,
        result_step="difference",
        symbols={"fraction": frac, "b": b, "epsilon": epsilon},
        domain=(frac < 1, t + b**2 / (2 * frac) >= 0),
        faults=(
            Fault("sign of t flipped", "region", lambda rhs: rhs + 2 * t),
            Fault("sign of q_eps turned", "sign of q_eps", lambda rhs: -rhs),
            Fault("e^eps left out of the split", "split", lambda rhs: rhs + 1),
            Fault("W2 with W1's weight", "edge of W2", lambda rhs: level),
            Fault("factor e^eps dropped", "difference", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
        ),
        concludes=(
            Conclusion("N24-P16", "region", part="the difference of two laws"),
            Conclusion("N24-P16", "difference", part="of one coordinate"),
        ),
    )
