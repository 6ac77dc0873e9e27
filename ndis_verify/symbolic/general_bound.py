"""Gaussian-output algorithms with added noise: invariants of a pair, sensitivities (N26 section 6)."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.eigenvalue_steps import eigenvalue_steps
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.nearby_laws import linear
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import Phi, phi

epsilon, e1 = sp.symbols("epsilon e1", nonnegative=True)
zero, one = sp.Integer(0), sp.Integer(1)
_DEFINITE, _COMPARABLE = "S_D + N > 0", "S_D + N and S_D' + N comparable for every pair"


@cache
def additive_noise() -> Derivation:
    """mu + S^{1/2} z ~ N(mu, S), and adding an independent N(0, N) gives N(mu, S + N) (N26-D3, N26-D4).

    `number`: the variance `variance` + `added` of one coordinate.
    """
    variance, added = sp.symbols("S N", positive=True)
    t, mu, w = sp.symbols("t mu w", real=True)
    a, b, c, na, nb, nc, u1, u2 = sp.symbols("a b c n_a n_b n_c u1 u2", real=True)
    u = sp.Matrix([u1, u2])
    cov, noise = sp.Matrix([[a, b], [b, c]]), sp.Matrix([[na, nb], [nb, nc]])
    root = sp.sqrt(variance)
    form = lambda m: (u.T * m * u)[0, 0] / 2  # noqa: E731
    tilted = sp.exp(t * (mu + root * w)) * phi(w)
    closed = sp.exp(t * mu + t**2 * variance / 2)
    definite, semidefinite = sp.Symbol("p", positive=True), sp.Symbol("q", nonnegative=True)  # two forms at u
    steps = (
        Step(
            "output",
            "mu_D + S_D^{1/2} z, z a vector of independent standard normal variables: S_D is positive semidefinite, so"
            " it has a root. Along one direction mu + sqrt(S) w.",
            kind="definition",
        ),
        Step(
            "noise",
            "N(0, N), N positive semidefinite, independent of the data and of the draw.",
            kind="definition",
        ),
        Step(
            "law",
            "E exp(t (mu + sqrt(S) w)), w standard normal: completing the square,",
            lhs=tilted,
            rhs=closed * phi(w - t * root),
            premises=("output",),
        ),
        Step(
            "mass",
            "and phi shifted has mass 1: the moment generating function of N(mu, S), which determines the law"
            " (Cramer-Wold for vectors).",
            lhs=sp.Limit(Phi(w), w, sp.oo) - sp.Limit(Phi(w), w, -sp.oo),
            rhs=one,
            premises=("law",),
        ),
        Step(
            "independent noise",
            "The moment generating functions multiply:",
            lhs=sp.log(closed) + t**2 * added / 2,
            rhs=t * mu + t**2 * (variance + added) / 2,
            reduce=lambda left, right: sp.expand(sp.expand_log(left, force=True) - right),
            premises=("mass", "noise"),
        ),
        Step(
            "in two coordinates",
            "covariance matrices add in every direction u.",
            lhs=form(cov) + form(noise),
            rhs=form(cov + noise),
            premises=("independent noise",),
        ),
        Step(
            "positive definite",
            "A and b need S + N > 0 in both databases, which N > 0 or S > 0 gives: where the one form is positive at u"
            " and the other is not negative, so is their sum.",
            lhs=definite + semidefinite,
            rhs=zero,
            relation=">",
            witness=definite + semidefinite,
            premises=("in two coordinates",),
        ),
        Step(
            "variance",
            "of one coordinate.",
            lhs=sp.Derivative(t * mu + t**2 * variance / 2 + t**2 * added / 2, (t, 2)),
            rhs=variance + added,
            premises=("independent noise",),
        ),
    )
    return Derivation(
        id="general_bound.additive_noise",
        title="Gaussian outputs with added Gaussian noise",
        sources=("N26-D3", "N26-D4"),
        hypotheses=(),
        steps=steps,
        result_step="variance",
        symbols={"variance": variance, "added": added},
        faults=(
            Fault("standard deviations added", "variance", lambda rhs: (root + sp.sqrt(added)) ** 2),
            Fault("square not completed", "law", lambda rhs: rhs * sp.exp(t)),
            Fault("covariance of the noise lost", "in two coordinates", lambda rhs: form(cov)),
        ),
        concludes=(
            Conclusion("N26-D3", "mass", part="the law of the output"),
            Conclusion(
                "N26-D4", "positive definite", part="the covariance in every direction, and when it has a density"
            ),
            Conclusion("N26-D4", "variance", part="the variance of one coordinate"),
        ),
    )


@cache
def invariants() -> Derivation:
    """c of N26-L1 is `(1/2) sum [log(1 - a_i) - b_i^2/(1 - a_i)]`: the divergence depends on the pair through (A, b)
    (N26-Pr6).

    `number`: one coordinate's c at eigenvalue `lam` = 1 - a and `b`.
    """
    lam, scale = sp.symbols("lambda sigma", positive=True)
    mu, s, shift = sp.symbols("mu s m", real=True)
    b = sp.Symbol("b", real=True)
    mean, std = entry(mu), entry(s)
    logs, squares = sp.log(scale), mean**2
    of_pair = sp.log(1 - (1 - std**2)) - (std * mean) ** 2 / (1 - (1 - std**2))
    steps = (
        Step(
            "one coordinate",
            "a = 1 - s^2 and b = -s m, where c is log s - m^2/2: in the invariants",
            lhs=sp.log(sp.sqrt(lam)) - (b / sp.sqrt(lam)) ** 2 / 2,
            rhs=sp.log(lam) / 2 - b**2 / (2 * lam),
        ),
        named(scale, "s_i is positive.", std, "s_i > 0"),
        inferred("s_i", "By its name,", std, "=", scale, "sigma"),
        Step("logarithm", "Of a square,", lhs=sp.log(scale**2), rhs=2 * logs),
        Step("coordinates", "Finitely many; every sum over them is finite.", kind="definition"),
        linear("sum", "So is the sum.", total_of, ((sp.Integer(2), logs), (-one, squares)), "coordinates"),
        inferred(
            "c",
            "c is half of it, a function of A and b.",
            total_of(sp.log(std)) - total_of(squares) / 2,
            "=",
            total_of(of_pair) / 2,
            *("s_i", "logarithm", "sum"),
        ),
    )
    return Derivation(
        id="general_bound.invariants",
        title="The invariants of a Gaussian pair",
        sources=("N26-Pr6",),
        hypotheses=(Hypothesis("s_i > 0", std > 0),),
        steps=steps,
        result_step="one coordinate",
        symbols={"lam": lam, "b": b},
        faults=(
            Fault("b^2 not divided by 1 - a", "one coordinate", lambda rhs: sp.log(lam) / 2 - b**2 / 2),
            Fault("determinant ratio upside down", "one coordinate", lambda rhs: rhs - sp.log(lam)),
            Fault("whole sum", "c", lambda rhs: 2 * rhs),
        ),
        concludes=(
            Conclusion("N26-Pr6", "c", {"mu": mu, "s": s}),
            Conclusion("N26-Pr6", "one coordinate", part="one coordinate"),
        ),
    )


@cache
def sensitivities_in_variance() -> Derivation:
    """Delta, rho and nu of S + v I are nonincreasing and continuous in v > 0; both orders of a pair share them (N26-D5,
    N26-T6.1).

    `number`: (a+v)/(b+v) at `a` >= `b` and `v`, a Rayleigh ratio of the two covariances.
    """
    b, gap, v = sp.symbols("b g v", positive=True)
    a = b + gap
    ratio = (a + v) / (b + v)
    h, lam = sp.Symbol("h", positive=True), sp.Symbol("lambda", positive=True)
    n, x = sp.symbols("n x", positive=True)
    Delta = sp.Symbol("Delta", nonnegative=True)
    in_first, in_second = sp.symbols("h_1 h_2", real=True)  # (m1 - m2)^T S^{-1} (m1 - m2), S = S1 and S2
    below, beneath = sp.symbols("g_1 g_2", nonnegative=True)
    steps = (
        Step(
            "swapping the pair",
            "The eigenvalues of the swapped pair are 1/lambda: |log| is the same.",
            lhs=sp.log(1 / lam) ** 2,
            rhs=sp.log(lam) ** 2,
            premises=(_DEFINITE,),
        ),
        Step(
            "one order",
            "Delta^2 is the supremum over ordered pairs: it is above ||S1^{-1/2} (m1 - m2)||^2 by g_1 >= 0,",
            lhs=in_first,
            rhs=Delta**2 - below,
            kind="definition",
            premises=(_DEFINITE,),
        ),
        Step(
            "other order",
            "and above ||S2^{-1/2} (m1 - m2)||^2 by g_2 >= 0.",
            lhs=in_second,
            rhs=Delta**2 - beneath,
            kind="definition",
            premises=(_DEFINITE,),
        ),
        Step("g_1", "g_1 >= 0.", lhs=below, rhs=zero, relation=">=", witness=below),
        Step("g_2", "g_2 >= 0.", lhs=beneath, rhs=zero, relation=">=", witness=beneath),
        inferred("in S1", "So", in_first, "<=", Delta**2, "one order", Use("g_1", weight=-1)),
        inferred("in S2", "and", in_second, "<=", Delta**2, "other order", Use("g_2", weight=-1)),
        by_fact(
            "mean shift",
            "Delta bounds the shift of both orders of a pair, in the covariance of either law, and so in the smaller"
            " covariance, where it is the larger of the two.",
            "larger of two numbers",
            {"one": in_first, "other": in_second, "bound": Delta**2},
            {"one": "in S1", "other": "in S2"},
        ),
        Step(
            "Delta",
            "In an eigenvector of S with eigenvalue b: h^2/(b+v) falls in v,",
            lhs=sp.diff(h**2 / (b + v), v),
            rhs=zero,
            relation="<",
            witness=-(h**2) / (b + v) ** 2,
            premises=(_DEFINITE,),
        ),
        Step(
            "Delta, no jumps",
            "and its logarithm by at most 1/v per unit: one rate for all pairs, so a supremum over pairs keeps it on v"
            " > 0.",
            lhs=-sp.diff(sp.log(h**2 / (b + v)), v),
            rhs=1 / v,
            relation="<",
            witness=-b / (v * (b + v)),
            premises=("Delta",),
        ),
        Step(
            "Rayleigh ratio",
            "x^T(S1 + vI)x / x^T(S2 + vI)x = (a+v)/(b+v), a >= b, for |x| = 1: falls in v,",
            lhs=sp.diff(ratio, v),
            rhs=zero,
            relation="<",
            witness=-gap / (b + v) ** 2,
            premises=(_DEFINITE, _COMPARABLE),
        ),
        *eigenvalue_steps(a, b, gap, v),
        Step(
            "order kept",
            "S1 + vI >= S2 + vI exactly when S1 >= S2.",
            lhs=held(a + v) - held(b + v),
            rhs=gap,
            premises=(_COMPARABLE,),
        ),
        Step(
            "rho, no jumps",
            "log of the ratio falls by at most 1/v per unit: again one rate for all pairs (d/v for nu).",
            lhs=-sp.diff(sp.log(ratio), v),
            rhs=1 / v,
            relation="<",
            witness=-(b / (v * (b + v)) + 1 / (a + v)),
            premises=("rho", "nu", "order kept"),
        ),
        Step(
            "logarithm",
            "log(1 + x) <= x.",
            lhs=sp.diff(x - sp.log(1 + x), x),
            rhs=zero,
            relation=">",
            witness=x / (1 + x),
        ),
        Step("ratio", "as used.", lhs=1 + gap / (b + v), rhs=ratio, premises=("Rayleigh ratio",)),
        Step(
            "limits of one pair",
            "all three tend to 0 as v grows;",
            lhs=sp.Limit(sp.log(ratio), v, sp.oo) + sp.Limit(h**2 / (b + v), v, sp.oo),
            rhs=zero,
            premises=("Delta, no jumps", "rho, no jumps"),
        ),
        Step(
            "limits of the supremum",
            "over all pairs where a - b and h are bounded: log ratio <= (a - b)/v, h^2/(b+v) <= h^2/v.",
            lhs=gap / v - (ratio - 1),
            rhs=zero,
            relation=">",
            witness=gap * b / (v * (b + v)),
            premises=("limits of one pair", "logarithm", "ratio"),
        ),
        Step(
            "unbounded covariances",
            "Without that bound the supremum need not fall: at b = gap = n v, for every v, the ratio",
            lhs=ratio.subs({b: n * v, gap: n * v}),
            rhs=1 + n / (1 + n),
            premises=("ratio",),
        ),
    )
    return Derivation(
        id="general_bound.sensitivities_in_variance",
        title="Sensitivities fall with the added variance",
        sources=("N26-D5", "N26-T6.1"),
        hypotheses=(_DEFINITE, _COMPARABLE),
        steps=steps,
        result_step="ratio",
        symbols={"b": b, "gap": gap, "v": v},
        faults=(
            Fault("ratio upside down", "ratio", lambda rhs: 1 / rhs),
            Fault("order reversed", "order kept", lambda rhs: -rhs),
            Fault("one logarithm", "swapping the pair", lambda rhs: sp.log(lam) * sp.Abs(sp.log(lam)) + 1),
            Fault("limit of the shift", "limits of one pair", lambda rhs: one),
        ),
        concludes=tuple(
            Conclusion("N26-D5", end, part=part)
            for end, part in (
                ("swapping the pair", "that both orders of a pair share rho and nu"),
                ("mean shift", "that Delta covers the smaller covariance"),
                ("rho, no jumps", "rho and nu fall with the added variance, without jumps"),
                (
                    "limits of the supremum",
                    "Delta as well, and all three vanish where shifts and differences are bounded",
                ),
                ("unbounded covariances", "that they need not vanish else"),
            )
        ),
    )
