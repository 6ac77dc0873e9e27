"""Claims about the lemma itself: the quadratic form, the exact divergence, the two generalized chi-square laws."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from ndis_verify.claim import Check, Kind, Verdict
from ndis_verify.court.checks import Mutants, agreement, kept
from ndis_verify.court.comparisons import compare
from ndis_verify.court.points import count, general_pairs, log_uniform, short
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.exact_number import to_mpf
from ndis_verify.fast.engine.whitening import quadratic_form as fast_quadratic_form
from ndis_verify.fast.hockey_stick import hockey_stick as fast_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_cdf as certified_generalized_chi2_cdf
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.engine.quadratic_form import quadratic_form as oracle_quadratic_form
from ndis_verify.oracle.hockey_stick import hockey_stick as oracle_hockey_stick
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real, square, vector
from ndis_verify.symbolic import moment_generating, ndis_any_root, ndis_coordinates, ndis_lemma
from ndis_verify.symbolic.derivation import Derivation


def _certified(pair: GaussianPair, epsilon: float) -> Any:
    return certified_hockey_stick(pair, epsilon, digits=25)


def _fast_check(name: str):
    return agreement(
        name,
        "fast, certified",
        lambda pair, epsilon: fast_hockey_stick(pair, epsilon),
        _certified,
        general_pairs,
        digits=11,
        mutants={
            "pair swapped": lambda pair, epsilon: fast_hockey_stick(pair.swapped(), epsilon),
            "epsilon 1 % too large": lambda pair, epsilon: fast_hockey_stick(pair, 1.01 * epsilon),
        },
    )


_ORACLE = kept(
    agreement(
        "contour integral and a second route against ball arithmetic",
        "oracle (two routes), certified",
        lambda pair, epsilon: oracle_hockey_stick(pair, epsilon, digits=25),
        _certified,
        lambda effort: general_pairs(effort)[:: 1 if effort == "full" else 3],
        digits=24,
        mutants={"pair swapped": lambda pair, epsilon: oracle_hockey_stick(pair.swapped(), epsilon, digits=25)},
    )
)


def _scalar_pairs(effort: str) -> list[tuple[float, float, float]]:
    """(lambda, h, epsilon) of one coordinate: relative variance and mean shift whitened by P."""
    rng = np.random.default_rng(16)
    points = [(2.0, 0.5, 1.0), (0.5, 1.0, 0.25), (1.0, 1.0, 0.5), (3.0, 0.0, 0.0)]
    while len(points) < count(effort, 8, 40):
        points.append((log_uniform(rng, 0.05, 20), short(rng.uniform(-2, 2)), short(rng.uniform(0, 3))))
    return points


def _hinge_expectation(derivation: Derivation):
    """E[max(0, 1 - exp q_eps(Z))] in one dimension, by quadrature of the derived q_eps between its real roots."""
    names = derivation.symbols
    form = sp.lambdify([names["lam"], names["h"], names["z"], names["epsilon"]], derivation.result, modules="mpmath")
    coefficients = sp.Poly(derivation.result, names["z"]).all_coeffs()
    in_z = sp.lambdify([names["lam"], names["h"], names["epsilon"]], coefficients, modules="mpmath")

    def value(lam: float, h: float, epsilon: float) -> mpmath.mpf:
        with mpmath.workdps(30):
            lam, h, epsilon = (mpmath.mpf(v) for v in (lam, h, epsilon))
            polynomial = list(in_z(lam, h, epsilon))
            while polynomial and polynomial[0] == 0:
                polynomial.pop(0)
            roots = mpmath.polyroots(polynomial, maxsteps=200, extraprec=200) if len(polynomial) > 1 else []
            edges = sorted(mpmath.re(root) for root in roots if abs(mpmath.im(root)) < mpmath.mpf(10) ** -20)
            hinge = lambda z: max(0, -mpmath.expm1(form(lam, h, z, epsilon))) * mpmath.npdf(z)  # noqa: E731
            return mpmath.quad(hinge, sorted({-mpmath.inf, mpmath.inf, mpmath.mpf(0), *edges}))

    return value


def _scalar_certified(lam: float, h: float, epsilon: float) -> Any:
    """The same pair given by its Gaussians: P = N(0, 1), Q = N(-h, 1/lambda)."""
    from ndis_verify.exact_number import exact

    return certified_hockey_stick(GaussianPair([0], 1, [-exact(h)], 1 / exact(lam)), epsilon, digits=25)


def _quadrature_check() -> Check:
    route = "symbolic lambdified and quadrature, certified"
    run = compare(
        lambda: _hinge_expectation(ndis_lemma.log_density_ratio()), _scalar_certified, _scalar_pairs, 20, route
    )
    return Check(
        "hinge expectation of the derived form in one dimension",
        Kind.CROSSCHECK,
        run,
        Mutants(
            lambda: {
                name: run.of_fault(partial(_hinge_expectation, mutant))
                for name, mutant in ndis_lemma.log_density_ratio().mutants().items()
                if name == "half of the log determinant dropped"
            }
        ),
    )


def _two_laws(pair: GaussianPair, epsilon: float, *, swap_factor: bool = False, shift_off: bool = False) -> mpmath.mpf:
    """`Pr[W1 <= t] - e^eps Pr[W2 <= t]` with the parameters that N26-T4.1 prints, from the printed (a, b, c)."""
    form = oracle_quadratic_form(pair, digits=40)
    with mpmath.workdps(45):
        first, second = _chi2_parameters(form, shift_off)
        t = -(form.c + to_mpf(epsilon))
        probabilities = [certified_generalized_chi2_cdf(*law, t, 30).mid for law in (first, second)]
        factor = mpmath.exp(-epsilon if swap_factor else epsilon)
        return probabilities[0] - factor * probabilities[1]


# weights, degrees of freedom, noncentralities, std, shift
ChiSquareLaw = tuple[list[mpmath.mpf], list[int], list[mpmath.mpf], mpmath.mpf, mpmath.mpf]


def _chi2_parameters(form: Any, shift_off: bool) -> tuple[ChiSquareLaw, ChiSquareLaw]:
    groups = [(a, b, k) for a, b, k in zip(form.a, form.b, form.multiplicity) if a != 0]
    square = sum((b * b for a, b, _ in zip(form.a, form.b, form.multiplicity) if a == 0), mpmath.mpf(0))
    dofs = [k for _, _, k in groups]
    shift = mpmath.mpf(0) if shift_off else -sum((b * b / (2 * a) for a, b, _ in groups), mpmath.mpf(0))
    first = ([a / 2 for a, _, _ in groups], dofs, [(b / a) ** 2 for a, b, _ in groups], mpmath.sqrt(square), shift)
    second = (
        [a / (2 * (1 - a)) for a, _, _ in groups],
        dofs,
        [b * b / (a * a * (1 - a)) for a, b, _ in groups],
        mpmath.sqrt(square),
        shift + square,
    )
    return first, second


def _law_pairs(effort: str) -> list[tuple[GaussianPair, float]]:
    """The general pairs whose eigenvalues all differ from 1 visibly: near 1 the two laws are near-degenerate."""
    return [
        point
        for point in general_pairs(effort)
        if all(a == 0 or abs(a) > 1e-4 for a in fast_quadratic_form(point[0]).a)
    ]


_TWO_LAWS = kept(
    agreement(
        "the two generalized chi-square laws as printed against the certified value",
        "certified CDFs, certified divergence",
        _two_laws,
        _certified,
        _law_pairs,
        digits=15,
        mutants={
            "e^-eps for e^eps": lambda pair, epsilon: _two_laws(pair, epsilon, swap_factor=True),
            "shift left out": lambda pair, epsilon: _two_laws(pair, epsilon, shift_off=True),
        },
    )
)

_PROOFS = (
    proof("privacy loss as a quadratic form", ndis_lemma.log_density_ratio),
    proof("divergence as a hinge expectation", ndis_lemma.hockey_stick),
)
_INTEGRAL = tuple(  # how the divergence is computed: another route to its number, no part of what the lemma says
    replace(proof(name, derive), kind=Kind.CROSSCHECK)
    for name, derive in (
        ("moment generating function of the loss", moment_generating.loss_moment),
        ("transform of the payoff", moment_generating.payoff_transform),
        ("the divergence as a single integral", moment_generating.single_integral),
        ("the largest loss, beyond which delta is 0", moment_generating.largest_loss),
    )
)

_DIAGONAL = vector("mu", "reals", 2, -3, 3), vector("s", "reals", 2, "0.2", 5, "log"), real("eps", -3, 8)
_LEMMA = statement(
    "delta_N(mu, s; eps) = hinge_q(1 - s_i^2, -s_i mu_i; eps + (sum_i log(s_i)) - (sum_i mu_i^2)/2)",
    "s_i > 0",
    over=_DIAGONAL,
)

CLAIMS = (
    stated_claim(
        id="N26-L1",
        source="N26",
        title="the divergence of two Gaussians is a hinge expectation of a quadratic form",
        stated=_LEMMA,
        about=(
            "S1, S2 symmetric positive definite: with A = I - S1^{1/2} S2^{-1} S1^{1/2} = U diag(a) U^T,"
            " b = -U^T S1^{1/2} S2^{-1}(m1 - m2) and c = (1/2)"
            " log(det S1/det S2) - (1/2)(m1 - m2)^T S2^{-1}(m1 - m2), the divergence is the hinge expectation with a,"
            " b, eps + c; in coordinates where S2 = I and S1 is diagonal a = 1 - s^2, b = -s mu."
        ),
        declared=Verdict.PROVED,
        checks=(
            *_PROOFS,
            proof("in coordinates", ndis_coordinates.hinge),
            *_INTEGRAL,
            _quadrature_check(),
            _ORACLE,
            _fast_check("float64 against the certified value"),
        ),
    ),
    stated_claim(
        id="N24-T1",
        source="N24",
        title="the lemma, earlier version",
        stated=statement(
            "delta_normal(u, R R^T, w, S; eps) = hinge_A(A, b; eps + c), and L = -(c + b^T z + z^T A z/2)",
            *("R R^T > 0", "R^T R > 0", "V V^T > 0"),
            where={
                "S": "V V^T",
                "A": "I - R^T S^{-1} R",
                "b": "-R^T S^{-1} (u - w)",
                "c": "log(det(R R^T)/det(S))/2 - (u - w)^T S^{-1} (u - w)/2",
                "x": "u + R z",
                "L": "((x - w)^T S^{-1} (x - w) - z^T z - log(det(R R^T)/det(S)))/2",
            },
            over=(
                real("eps", -2, 6),
                *(square(name, 2, -2, 2) for name in "RV"),
                *(vector(name, "reals", 2, -2, 2) for name in "uwz"),
            ),
        ),
        about=(
            "S1 = R R^T and S2 = V V^T are any covariances, R and V square, and x = u + R z a draw of P, z standard"
            " normal: the loss L = log p(x)/q(x) is minus a quadratic form of z, and the spectrum of P and Q is the"
            " expectation of max(0, 1 - exp(eps - L))."
        ),
        search={"quick": 200, "full": 4_000},
        declared=Verdict.PROVED,
        checks=(proof("with any root", ndis_any_root.lemma), _quadrature_check()),
    ),
    stated_claim(
        id="N26-T4.1",
        source="N26",
        title="the divergence is a difference of two generalized chi-square CDFs",
        stated=statement(
            "delta_N(mu, s; eps) = F_q(1 - s_i^2, -s_i mu_i; t)"
            " - e^eps F_q((1 - s_i^2)/s_i^2, -mu_i/s_i^2; t - (sum_i mu_i^2 (1 + 1/s_i^2)/2))",
            "s_i > 0",
            where={"t": "(sum_i (mu_i^2/2 - log(s_i))) - eps"},
            over=_DIAGONAL,
        ),
        about=(
            "delta = Pr[W1 <= t] - e^eps Pr[W2 <= t], t = -(c + eps), a = 1 - s^2 and b = -s mu in coordinates where"
            " S2 = I and S1 is diagonal. W1: w = a/2, nc = (b/a)^2; W2: w = a/(2(1-a)), nc = b^2/(a^2(1-a)); s^2 ="
            " sum_{a=0} b^2; shift -sum b^2/(2a), W2 adds sum_{a=0} b^2."
        ),
        search={"quick": 200, "full": 4_000},
        declared=Verdict.PROVED,
        checks=(proof("in coordinates", ndis_coordinates.two_laws), _TWO_LAWS),
    ),
)
