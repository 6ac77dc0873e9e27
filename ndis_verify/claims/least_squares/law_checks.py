"""Checks on approximate least squares: the matrices against (p, q, d, r), the two chi-square laws and their singular
curve.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from flint import arb

from ndis_verify.claim import Check, Evidence, Kind, Outcome
from ndis_verify.claims.least_squares.matrices import DIRECTIONS, Database, databases, limit_pair, shares
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.checks import agreement, formula_check
from ndis_verify.court.points import count
from ndis_verify.court.proof_checks import proof
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick as fast_als_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_cdf as certified_generalized_chi2_cdf
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.certified.least_squares.asymptotic_law import als_hockey_stick as certified_als_hockey_stick
from ndis_verify.oracle.engine.quadratic_form import quadratic_form as oracle_quadratic_form
from ndis_verify.oracle.least_squares.asymptotic_law import als_pair
from ndis_verify.oracle.leverage import leverage_scores
from ndis_verify.symbolic import least_squares as derived
from ndis_verify.symbolic import least_squares_laws as laws
from ndis_verify.symbolic import ndis_lemma
from ndis_verify.symbolic.derivation import Derivation


def _curves(effort: str) -> list[tuple]:
    """(database, row, r, epsilon, direction) with the divergence from near 1 down to 1e-60 or exactly 0."""
    rng = np.random.default_rng(42)
    points = []
    for database, row in databases(effort):
        for direction in DIRECTIONS:
            points.append(
                (database, row, int(rng.choice([1, 3, 20, 200])), round(float(rng.uniform(0, 3)), 2), direction)
            )
    return points


@lru_cache(maxsize=256)
def _of_matrices(database: Database, row: int, r: int, epsilon: float, direction: str) -> Enclosure:
    return certified_hockey_stick(limit_pair(database, row, r, direction), epsilon, digits=20)


def _of_parameters(
    database: Database, row: int, r: int, epsilon: float, direction: str, *, features: int = 0, share: int = 1
) -> Enclosure:
    p, q = shares(database, row)
    d = len(database[0]) - 1 + features
    return certified_als_hockey_stick(p, p + (q - p) * share, d, r, epsilon, direction, digits=20)


def _other(direction: str) -> str:
    return DIRECTIONS[direction == "delete"]


LAW = agreement(
    "the four parameters against the exact matrices, both directions",
    "certified at (p, q, d, r), certified from rational matrices",
    _of_parameters,
    _of_matrices,
    _curves,
    digits=18,
    mutants={
        "directions exchanged": lambda database, row, r, epsilon, direction: _of_parameters(
            database, row, r, epsilon, _other(direction)
        ),
        "one feature too many": lambda *point: _of_parameters(*point, features=1),
        "no residual share": lambda *point: _of_parameters(*point, share=0),
    },
)
FAST = agreement(
    "float64 at (p, q, d, r) against the exact matrices",
    "fast, certified from rational matrices",
    lambda database, row, r, epsilon, direction: _float(database, row, r, epsilon, direction),
    _of_matrices,
    lambda effort: _in_float_range(effort),
    digits=9,
    mutants={
        "epsilon 1 % too large": lambda database, row, r, epsilon, direction: _float(
            database, row, r, 1.01 * epsilon, direction
        )
    },
)


def _float(database: Database, row: int, r: int, epsilon: float, direction: str) -> float:
    p, q = shares(database, row)
    return float(fast_als_hockey_stick(float(p), float(q), len(database[0]) - 1, r, epsilon, direction))


def _in_float_range(effort: str) -> list[tuple]:
    """Without the tails below 1e-300, where rounding p and q to floats already moves the divergence."""
    return [point for point in _curves(effort) if not 0 < _of_matrices(*point).mid < 1e-300]


def _roots(effort: str) -> list[tuple[float, float, int]]:
    """(sqrt p, sqrt(q-p), r)."""
    rng = np.random.default_rng(43)
    points = [(0.5, 0.25, 1), (0.125, 0.75, 40)]
    while len(points) < count(effort, 8, 40):
        a, w = (round(float(v), 3) for v in rng.uniform(0.01, 0.9, 2))
        if a * a + w * w < 0.99:
            points.append((a, w, int(rng.integers(1, 500))))
    return points


def _linear_part(direction: str) -> Callable[[float, float, int], mpmath.mpf]:
    """|b| of the rational pair at (p, q, d = 3, r), by the oracle's decomposition."""

    def value(a: float, w: float, r: int) -> mpmath.mpf:
        p = exact(a) ** 2
        form = oracle_quadratic_form(als_pair(p, p + exact(w) ** 2, 3, r, direction), digits=30)
        return max(form.b)

    return value


def _trace(database: Database, row: int, r: int, epsilon: float, direction: str) -> mpmath.mpf:
    """1000 plus the trace of A, from the matrices; the offset keeps a trace near 0 comparable."""
    form = oracle_quadratic_form(limit_pair(database, row, r, direction), digits=25)
    with mpmath.workdps(30):
        return mpmath.fsum(a * k for a, k in zip(form.a, form.multiplicity)) + 1000


def _printed_trace(square: int) -> Callable[..., mpmath.mpf]:
    def value(database: Database, row: int, r: int, epsilon: float, direction: str) -> mpmath.mpf:
        p, q = shares(database, row)
        first, others = (1 - p) ** square / (1 - q), (1 - p) / (1 - q)
        if direction == "insert":
            first, others = 1 / first, 1 / others
        with mpmath.workdps(30):
            return to_mpf(1 - first + (len(database[0]) - 2) * (1 - others) + 1000)

    return value


EIGENVALUES = agreement(
    "trace of A against the exact matrices, both directions",
    "exact rational, oracle eigenvalues",
    _printed_trace(2),
    _trace,
    _curves,
    digits=20,
    mutants={"(1-p) not squared": _printed_trace(1)},
)
_BUILD = (derived.deleted_solution, derived.quadratic_form_deletion, derived.quadratic_form_insertion)
_NAMES = ("deleted solution, any d", "quadratic form of a deletion, any d", "quadratic form of an insertion, any d")
QUADRATIC = tuple(proof(name, build) for name, build in zip(_NAMES, _BUILD, strict=True))
LEMMA = (
    proof("privacy loss as a quadratic form", ndis_lemma.log_density_ratio),
    proof("hinge expectation", ndis_lemma.hockey_stick),
)
FORMS = tuple(
    formula_check(f"linear part of the {direction} direction", build, _linear_part(direction), _roots, digits=20)
    for direction, build in zip(
        DIRECTIONS, (derived.quadratic_form_deletion, derived.quadratic_form_insertion), strict=True
    )
)


def _tables(effort: str) -> list[tuple]:
    """(sqrt p, sqrt(q-p), d, r, epsilon, direction), away from the singular curve q = 2p - p^2."""
    points = [(0.5, 0.25, 3, 30, 0.6, "delete"), (0.25, 0.5, 2, 4, 0.25, "insert"), (0.6, 0.2, 1, 9, 0.5, "delete")]
    rng = np.random.default_rng(44)
    while len(points) < count(effort, 8, 40):
        a, w = (round(float(v), 2) for v in rng.uniform(0.05, 0.7, 2))
        if abs(a * a * (1 - a * a) - w * w) > 0.02:
            points.append(
                (
                    a,
                    w,
                    int(rng.integers(1, 6)),
                    int(rng.integers(1, 60)),
                    round(float(rng.uniform(0, 2)), 2),
                    str(rng.choice(DIRECTIONS)),
                )
            )
    return points


def _two_laws(derivation: Derivation, a, w, d: int, r: int, epsilon, direction: str) -> arb:
    """Pr[X <= t] - e^eps Pr[Y <= t] with the weights and noncentralities of the derivation, certified CDFs."""
    p = exact(a) ** 2
    q = p + exact(w) ** 2
    at = dict(zip(derivation.symbols.values(), (_to_sympy(a), _to_sympy(w), r)))

    def entry(name: str) -> Fraction:
        value = derivation.step(f"{direction}, {name}").rhs.subs(at)
        return Fraction(int(value.p), int(value.q))

    first, others = (1 - p) ** 2 / (1 - q), (1 - p) / (1 - q)
    shift = r * p * (q - p) / (1 - q)
    if direction == "insert":
        first, others, shift = 1 / first, 1 / others, shift * (1 - q) / (1 - p) ** 2
    with working_bits(150):
        c = (ball(first).log() + (d - 1) * ball(others).log() - ball(shift)) / 2
        edge = ball(entry("first weight under P") * entry("noncentrality under P")) - 2 * (ball(exact(epsilon)) + c)
        middle = exact(enclosure(edge).mid)  # the laws have densities: 45 digits of the threshold are enough
        masses = []
        for who in "PQ":
            weights = [entry(f"first weight under {who}")] + [entry(f"other weights under {who}")] * (d > 1)
            centre = [entry(f"noncentrality under {who}")] + [0] * (d > 1)
            law = (weights, [1, d - 1][: len(weights)], centre, 0, 0)
            masses.append(to_exact_ball(certified_generalized_chi2_cdf(*law, middle, digits=25)))
        return masses[0] - ball(exact(epsilon)).exp() * masses[1]


def _to_sympy(value: Any) -> sp.Rational:
    """An exact number as a SymPy rational."""
    fraction = exact(value)
    return sp.Rational(fraction.numerator, fraction.denominator)


def _table(derivation: Callable[[], Derivation]) -> Callable[..., Enclosure]:
    def value(*point: Any) -> Enclosure:
        with working_bits(150):
            return enclosure(_two_laws(derivation(), *point))

    return value


@lru_cache(maxsize=128)
def _faulty_laws(fault: str) -> Derivation:
    return laws.chi_square_laws().mutants()[fault]


def _table_value(a, w, d, r, epsilon, direction) -> Enclosure:
    p = exact(a) ** 2
    return certified_als_hockey_stick(p, p + exact(w) ** 2, d, r, epsilon, direction, digits=20)


TABLE = agreement(
    "two certified CDFs with the table's entries, both directions",
    "certified CDFs, certified divergence",
    _table(laws.chi_square_laws),
    _table_value,
    _tables,
    digits=10,
    mutants={
        fault: _table(partial(_faulty_laws, fault))
        for fault in ("noncentrality of Q under P", "weight of P under Q", "directions swapped")
    },
    part="away from q = 2p - p^2",
)


def _missed(point) -> Enclosure:
    """True delta ("delete", d = 1) less what the table gives, a term of weight 0 left out, less 1e-9."""
    p, q, r, epsilon = (point[name] for name in ("p", "q", "r", "epsilon"))
    true = certified_als_hockey_stick(p, q, 1, r, epsilon, digits=20)
    with working_bits(150):
        value = to_exact_ball(true) - ball(Fraction(1, 10**9))
        if q != 2 * p - p * p:
            value -= _entries_delete(p, q, r, exact(epsilon))
        return enclosure(value)  # with no term left both CDFs are the same 0 or 1, and (1 - e^eps) or 0 is at most 0


def _entries_delete(p: Fraction, q: Fraction, r: int, epsilon: Fraction) -> arb:
    """The table's difference for d = 1: one weight for each law."""
    g = p * (1 - p) - (q - p)
    noncentral = r * p * (q - p) * (1 - p) ** 2 / g**2, r * p * (q - p) * (1 - q) / g**2
    c = (ball((1 - p) ** 2 / (1 - q)).log() - ball(r * p * (q - p) / (1 - q))) / 2
    edge = exact(enclosure(ball(g / (1 - q) * noncentral[0]) - 2 * (ball(epsilon) + c)).mid)
    masses = [
        to_exact_ball(certified_generalized_chi2_cdf([weight], [1], [centre], 0, 0, edge, digits=25))
        for weight, centre in zip((g / (1 - q), g / (1 - p) ** 2), noncentral, strict=True)
    ]
    return masses[0] - ball(epsilon).exp() * masses[1]


SINGULAR = counterexample_check(
    "at q = 2p - p^2 the table has a weight 0 and divides by it",
    _missed,
    {"p": Fraction(1, 2), "q": Fraction(3, 4), "r": 1, "epsilon": Fraction(1, 10)},
    {"off the singular curve": {"p": Fraction(1, 2), "q": Fraction(7, 10), "r": 1, "epsilon": Fraction(1, 10)}},
    part="as printed",
)
SINGULAR_TEXT = (
    "p = 1/2, q = 3/4, d = r = 1, eps = 0.1, deletion: the only weight is 0 and the noncentrality 1/8 over 0; without"
    " the term both CDFs are equal and the difference is at most 0, the true delta is 0.2410535"
)


def _flat(point) -> Enclosure:
    """E max(0, 1 - exp(eps + c + b z + a z^2/2)), c = log(1-a)/2 - b^2/(2(1-a)), less the two-law value, less 1e-9."""
    a, b, epsilon = (exact(point[name]) for name in ("a", "b", "epsilon"))
    pair = GaussianPair([b / (1 - a)], [1], [0], [1 / (1 - a)])
    true = certified_hockey_stick(pair, epsilon, digits=20)
    with working_bits(150):
        value = to_exact_ball(true) - ball(Fraction(1, 10**9))
        if a:
            c = ball(1 - a).log() / 2 - ball(b * b / (2 * (1 - a)))
            edge = exact(enclosure(-(c + ball(epsilon)) + ball(b * b / (2 * a))).mid)
            first = certified_generalized_chi2_cdf([a / 2], [1], [(b / a) ** 2], 0, 0, edge, digits=25)
            second = certified_generalized_chi2_cdf(
                [a / (2 * (1 - a))], [1], [b * b / (a * a * (1 - a))], 0, 0, edge, digits=25
            )
            value -= to_exact_ball(first) - ball(epsilon).exp() * to_exact_ball(second)
        return enclosure(value)


ZERO_CURVATURE = counterexample_check(
    "a coordinate with a = 0 and b = 1",
    _flat,
    {"a": Fraction(0), "b": Fraction(1), "epsilon": Fraction(1, 10)},
    {"a = 1/2": {"a": Fraction(1, 2), "b": Fraction(1), "epsilon": Fraction(1, 10)}},
    part="as printed",
)


def _share_identity(power: int = 2) -> Callable[[str], Evidence]:
    """Exactly: leverage of the row in [B b] = leverage in B + (residual/||w||)^power, and it is below 1."""

    def run(effort: str) -> Evidence:
        cases = databases(effort)
        for database, row in cases:
            p, q = shares(database, row)
            found = leverage_scores(np.array(database), [row], digits=30)[0]
            share = float(q - p) ** (power / 2)
            off = abs(float(exact(found.mid) - p) - share)
            if off > 1e-14 or not (power != 2 or (found.lower <= q <= found.upper)) or not q < 1:
                return Evidence(
                    Outcome.FAILED, "exact rational", f"off by {off:.2g} for {database}, row {row}", count=len(cases)
                )
        return Evidence(Outcome.HELD, "exact rational", "q from [B b] is p plus the share", 30, len(cases), "databases")

    return run


SHARES = Check(
    "exact leverages of databases", Kind.CROSSCHECK, _share_identity(), {"residual not squared": _share_identity(1)}
)
