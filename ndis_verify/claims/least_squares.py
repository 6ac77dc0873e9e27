"""Claims about approximate least squares: its limit law, its privacy curve in (p, q, d, r), the chi-square table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from flint import arb

from ndis_verify import fast, oracle
from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.attack_checks import counterexample_check
from ndis_verify.claims.checks import agreement, formula_check, proof
from ndis_verify.claims.least_squares_matrices import DIRECTIONS, Database, databases, limit_pair, shares
from ndis_verify.claims.points import count
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.least_squares import als_pair
from ndis_verify.oracle.leverage import leverage_scores
from ndis_verify.symbolic import generalized_chi2, leverage, ndis_lemma, random_projection
from ndis_verify.symbolic import least_squares as derived
from ndis_verify.symbolic import least_squares_laws as laws
from ndis_verify.symbolic import least_squares_limit as limit
from ndis_verify.symbolic.derivation import Derivation

def _curves(effort: str) -> list[tuple]:
    """(database, row, r, epsilon, direction) with the divergence from near 1 down to 1e-60 or exactly 0."""
    rng = np.random.default_rng(42)
    points = []
    for database, row in databases(effort):
        for direction in DIRECTIONS:
            points.append((database, row, int(rng.choice([1, 3, 20, 200])), round(float(rng.uniform(0, 3)), 2), direction))
    return points


@lru_cache(maxsize=256)
def _of_matrices(database: Database, row: int, r: int, epsilon: float, direction: str) -> Enclosure:
    return oracle.certified_hockey_stick(limit_pair(database, row, r, direction), epsilon, digits=20)


def _of_parameters(database: Database, row: int, r: int, epsilon: float, direction: str, *, features: int = 0, share: int = 1) -> Enclosure:
    p, q = shares(database, row)
    d = len(database[0]) - 1 + features
    return oracle.certified_als_hockey_stick(p, p + (q - p) * share, d, r, epsilon, direction, digits=20)


def _other(direction: str) -> str:
    return DIRECTIONS[direction == "delete"]


_LAW = agreement(
    "the four parameters against the exact matrices, both directions",
    "certified at (p, q, d, r), certified from rational matrices",
    _of_parameters,
    _of_matrices,
    _curves,
    digits=18,
    mutants={
        "directions exchanged": lambda database, row, r, epsilon, direction: _of_parameters(database, row, r, epsilon, _other(direction)),
        "one feature too many": lambda *point: _of_parameters(*point, features=1),
        "no residual share": lambda *point: _of_parameters(*point, share=0),
    },
)
_FAST = agreement(
    "float64 at (p, q, d, r) against the exact matrices",
    "fast, certified from rational matrices",
    lambda database, row, r, epsilon, direction: _float(database, row, r, epsilon, direction),
    _of_matrices,
    _curves,
    digits=10,
    mutants={"epsilon 1 % too large": lambda database, row, r, epsilon, direction: _float(database, row, r, 1.01 * epsilon, direction)},
)


def _float(database: Database, row: int, r: int, epsilon: float, direction: str) -> float:
    p, q = shares(database, row)
    return float(fast.als_hockey_stick(float(p), float(q), len(database[0]) - 1, r, epsilon, direction))


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
        form = oracle.quadratic_form(als_pair(p, p + exact(w) ** 2, 3, r, direction), digits=30)
        return max(form.b)

    return value


def _trace(database: Database, row: int, r: int, epsilon: float, direction: str) -> mpmath.mpf:
    """1000 plus the trace of A, from the matrices; the offset keeps a trace near 0 comparable."""
    form = oracle.quadratic_form(limit_pair(database, row, r, direction), digits=25)
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


_EIGENVALUES = agreement(
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
_QUADRATIC = tuple(proof(name, build) for name, build in zip(_NAMES, _BUILD, strict=True))
_LEMMA = (proof("privacy loss as a quadratic form", ndis_lemma.log_density_ratio), proof("hinge expectation", ndis_lemma.hockey_stick))
_FORMS = tuple(
    formula_check(f"linear part of the {direction} direction", build, _linear_part(direction), _roots, digits=20)
    for direction, build in zip(DIRECTIONS, (derived.quadratic_form_deletion, derived.quadratic_form_insertion), strict=True)
)


def _tables(effort: str) -> list[tuple]:
    """(sqrt p, sqrt(q-p), d, r, epsilon, direction), away from the singular curve q = 2p - p^2."""
    points = [(0.5, 0.25, 3, 30, 0.6, "delete"), (0.25, 0.5, 2, 4, 0.25, "insert"), (0.6, 0.2, 1, 9, 0.5, "delete")]
    rng = np.random.default_rng(44)
    while len(points) < count(effort, 8, 40):
        a, w = (round(float(v), 2) for v in rng.uniform(0.05, 0.7, 2))
        if abs(a * a * (1 - a * a) - w * w) > 0.02:
            points.append((a, w, int(rng.integers(1, 6)), int(rng.integers(1, 60)), round(float(rng.uniform(0, 2)), 2), str(rng.choice(DIRECTIONS))))
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
            masses.append(to_exact_ball(oracle.certified_generalized_chi2_cdf(*law, middle, digits=25)))
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
def _table_value(a, w, d, r, epsilon, direction) -> Enclosure:
    p = exact(a) ** 2
    return oracle.certified_als_hockey_stick(p, p + exact(w) ** 2, d, r, epsilon, direction, digits=20)


_TABLE = agreement(
    "two certified CDFs with the table's entries, both directions",
    "certified CDFs, certified divergence",
    _table(laws.chi_square_laws),
    _table_value,
    _tables,
    digits=10,
    mutants={
        fault: _table(lambda fault=fault: laws.chi_square_laws().mutants()[fault])
        for fault in ("noncentrality of Q under P", "weight of P under Q", "directions swapped")
    },
    part="away from q = 2p - p^2",
)


def _missed(point) -> Enclosure:
    """True delta ("delete", d = 1) less what the table gives, a term of weight 0 left out, less 1e-9."""
    p, q, r, epsilon = (point[name] for name in ("p", "q", "r", "epsilon"))
    true = oracle.certified_als_hockey_stick(p, q, 1, r, epsilon, digits=20)
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
        to_exact_ball(oracle.certified_generalized_chi2_cdf([weight], [1], [centre], 0, 0, edge, digits=25))
        for weight, centre in zip((g / (1 - q), g / (1 - p) ** 2), noncentral, strict=True)
    ]
    return masses[0] - ball(epsilon).exp() * masses[1]


_SINGULAR = counterexample_check(
    "at q = 2p - p^2 the table has a weight 0 and divides by it",
    _missed,
    {"p": Fraction(1, 2), "q": Fraction(3, 4), "r": 1, "epsilon": Fraction(1, 10)},
    {"off the singular curve": {"p": Fraction(1, 2), "q": Fraction(7, 10), "r": 1, "epsilon": Fraction(1, 10)}},
    part="as printed",
)
_SINGULAR_TEXT = (
    "p = 1/2, q = 3/4, d = r = 1, eps = 0.1, deletion: the only weight is 0 and the noncentrality 1/8 over 0; without the term both CDFs "
    "are equal and the difference is at most 0, the true delta is 0.2410535"
)


def _flat(point) -> Enclosure:
    """E max(0, 1 - exp(eps + c + b z + a z^2/2)), c = log(1-a)/2 - b^2/(2(1-a)), less the two-law value, less 1e-9."""
    a, b, epsilon = (exact(point[name]) for name in ("a", "b", "epsilon"))
    pair = GaussianPair([b / (1 - a)], [1], [0], [1 / (1 - a)])
    true = oracle.certified_hockey_stick(pair, epsilon, digits=20)
    with working_bits(150):
        value = to_exact_ball(true) - ball(Fraction(1, 10**9))
        if a:
            c = ball(1 - a).log() / 2 - ball(b * b / (2 * (1 - a)))
            edge = exact(enclosure(-(c + ball(epsilon)) + ball(b * b / (2 * a))).mid)
            first = oracle.certified_generalized_chi2_cdf([a / 2], [1], [(b / a) ** 2], 0, 0, edge, digits=25)
            second = oracle.certified_generalized_chi2_cdf([a / (2 * (1 - a))], [1], [b * b / (a * a * (1 - a))], 0, 0, edge, digits=25)
            value -= to_exact_ball(first) - ball(epsilon).exp() * to_exact_ball(second)
        return enclosure(value)


_ZERO_CURVATURE = counterexample_check(
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
                return Evidence(Outcome.FAILED, "exact rational", f"off by {off:.2g} for {database}, row {row}", count=len(cases))
        return Evidence(Outcome.HELD, "exact rational", "q from [B b] is p plus the share", 30, len(cases), "databases")

    return run


_SHARES = Check(
    "exact leverages of databases", Kind.CROSSCHECK, _share_identity(), {"residual not squared": _share_identity(1)}
)


_FULL = ("B^T B invertible and residual not 0, with and without the record",)
_LAW_TEXT = (
    "delete: A has 1 - (1-p)^2/(1-q) once and 1 - (1-p)/(1-q) d-1 times, |b| = sqrt(r p (q-p)) (1-p)/(1-q); insert: the inverse "
    "eigenvalues, |b| = sqrt(r p (q-p) (1-q))/(1-p)^2"
)
_OFF = "q != 2p - p^2, that is q - p != p(1-p)"
_PROJECTED = proof("rows of a projected matrix", random_projection.projected_covariance)
_MOMENTS = proof("moments of one row", limit.second_moments)

CLAIMS = (
    Claim(
        id="N24-L1",
        source="N24",
        title="sketched least squares is asymptotically normal",
        statement="For a fixed database of full column rank the output (Pi B)^+ Pi b is, as r grows, asymptotically N(x_opt, "
        "(||w||^2/r)(B^T B)^{-1}), w the residual.",
        formula="sqrt(r) (x - x_opt) -> N(0, ||w||^2 (B^T B)^{-1}) in distribution, r -> infinity",
        hypotheses=("[B b] fixed, B^T B invertible", "Pi r x n with independent standard normal entries"),
        declared=Verdict.PROVED,
        checks=(proof("the finite-r law, Student t", derived.student_law), proof("its limit", limit.limit_law), _PROJECTED, _MOMENTS),
        note="It holds in total variation, at a rate of 1/r that depends on d alone. With w = 0 both sides are the point x_opt. It is a "
        "statement for one database at a time about probabilities of the order of 1: for tails of size delta see N24-6.3-gap.",
    ),
    Claim(
        id="N24-P11",
        source="N24",
        title="rows of the sketch are independent normal",
        statement="The rows of Pi B are independent N(0, B^T B) and the entries of Pi w independent N(0, ||w||^2).",
        formula="B^T pi_i ~ N(0, B^T B), w^T pi_i ~ N(0, ||w||^2), independent over i = 1..r",
        hypotheses=("Pi r x n with independent standard normal entries",),
        declared=Verdict.PROVED,
        checks=(_PROJECTED, _MOMENTS),
        note="The display is lost; read from its proof (a linear map of a standard normal row). With B^T w = 0 the two are independent too.",
    ),
    Claim(
        id="N24-P12",
        source="N24",
        title="second and fourth moment of a centred normal variable",
        statement="A normal variable of mean 0 and variance s^2 has second moment s^2 and fourth moment 3 s^4.",
        formula="E x^2 = s^2, E x^4 = 3 s^4",
        hypotheses=("mean 0",),
        declared=Verdict.PROVED,
        checks=(_MOMENTS,),
        note="The mean was lost with the display; for another mean both moments are larger.",
    ),
    Claim(
        id="N24-P13",
        source="N24",
        title="mean and covariance of one row's share of B^T Pi^T Pi w",
        statement="With g a row of Pi, X = B^T g g^T w has mean 0 and covariance ||w||^2 B^T B.",
        formula="E X = B^T w = 0, Cov X = B^T (||w||^2 I + 2 w w^T) B = ||w||^2 B^T B",
        hypotheses=("B^T w = 0: w is the residual of least squares",),
        declared=Verdict.PROVED,
        checks=(_MOMENTS,),
    ),
    Claim(
        id="N24-C3",
        source="N24",
        title="the lemma applied to the two limit laws",
        statement="The spectrum of the limit laws with and without a record is the lemma's expectation with means x_opt, x_opt' and "
        "covariances (||w||^2/r)(B^T B)^{-1}, (||w'||^2/r)(B'^T B')^{-1}.",
        formula="delta = E max(0, 1 - exp q_eps(Z)) with (A, b, c) of N24-T1 at these laws",
        hypotheses=(*_FULL, "eps >= 0"),
        declared=Verdict.PROVED,
        checks=(*_LEMMA, *_QUADRATIC, _FAST),
    ),
    Claim(
        id="N24-P15",
        source="N24",
        title="the quadratic forms of a deleted and of an inserted record",
        statement="Both decompositions in terms of leverage, residual share, d and r.",
        formula=_LAW_TEXT,
        hypotheses=_FULL,
        declared=Verdict.PROVED,
        checks=(*_QUADRATIC, *_FORMS, _EIGENVALUES),
        note="The table is lost; derived from the matrices.",
    ),
    Claim(
        id="N24-T4",
        source="N24",
        title="the curve depends on (p, q, d, r) alone, and its two chi-square laws",
        statement="Leverage p, the leverage q in [B b], d and r determine the spectrum in both directions; it is a difference of two "
        "generalized chi-square CDFs with the parameters of Table VI.",
        formula=_LAW_TEXT,
        hypotheses=(*_FULL, "eps >= 0"),
        declared=Verdict.RESTRICTED,
        checks=(
            *(replace(check, part="dependence") for check in (*_QUADRATIC, _LAW)),
            proof("the two laws, every entry", laws.chi_square_laws, part="away from q = 2p - p^2"),
            _TABLE,
            _SINGULAR,
        ),
        counterexample=_SINGULAR_TEXT,
        corrected="The dependence on (p, q, d, r) holds always; the two laws hold where q != 2p - p^2. At q = 2p - p^2 the first "
        "coordinate is a normal term: standard deviation |b| under both laws, mean shifted by b^2 under the second (N26-T4.1).",
        note="An implementation of the table fails or loses all digits near q - p = p(1-p), which lies inside every admissible set.",
    ),
    Claim(
        id="N24-P16",
        source="N24",
        title="the expectation as two generalized chi-square probabilities",
        statement="For every diagonal A with entries below 1 the expectation of max(0, 1 - exp q(Z)) is Pr[X <= t] minus a factor times "
        "Pr[Y <= t], noncentralities (b/a)^2 and b^2/(a^2 (1-a)).",
        formula="X: a, (b/a)^2; Y: a/(1-a), b^2/(a^2(1-a)); factor e^eps where c is that of two Gaussians, else e^eps E e^{q_0}",
        hypotheses=("a_i < 1",),
        declared=Verdict.RESTRICTED,
        checks=(
            *(
                proof(name, build, part="all a_i != 0")
                for name, build in (
                    ("law of y", generalized_chi2.change_of_measure),
                    ("law of the first square", generalized_chi2.first_law),
                    ("law of the second square", generalized_chi2.second_law),
                    ("difference of the two laws", generalized_chi2.hockey_stick),
                )
            ),
            _ZERO_CURVATURE,
        ),
        counterexample="One coordinate with a = 0, b = 1, c = -1/2, eps = 0.1: (b/a)^2 is 1 over 0; the expectation is 0.3523252",
        corrected="Holds where every a_i != 0 (a coordinate with a_i = b_i = 0 drops out); one with a_i = 0, b_i != 0 adds a normal term b_i z.",
        note="The hypotheses' displays are lost; the proof of N24-T4 applies it after showing a_i < 1 alone. The two-law form holds for any "
        "real eps, so for any real c: a change of c is a change of eps and of the factor.",
    ),
    Claim(
        id="N24-TabVI",
        source="N24",
        title="weights, degrees of freedom and noncentralities of the two laws",
        statement="The parameters of X and Y in both directions.",
        formula="g = p(1-p) - (q-p). delete: X: g/(1-q), -(q-p)/(1-q), nc r p (q-p)(1-p)^2/g^2; Y: g/(1-p)^2, -(q-p)/(1-p), nc "
        "r p (q-p)(1-q)/g^2; dof (1, d-1). insert: X and Y exchanged with the signs of the weights flipped",
        hypotheses=(*_FULL, "0 <= p <= q < 1"),
        declared=Verdict.RESTRICTED,
        checks=(proof("every entry, both directions", laws.chi_square_laws, part="away from q = 2p - p^2"), _TABLE, _SINGULAR),
        counterexample=_SINGULAR_TEXT,
        corrected=f"Holds where {_OFF}; there the first weight vanishes and a normal term sqrt(r p (q-p)) (1-p)/(1-q) z stays.",
        note="The entries are lost; derived. At q = p the second weight is 0, harmless as its noncentrality is 0: the group drops out.",
    ),
    Claim(
        id="N24-P4",
        source="N24",
        title="leverage plus residual share is the leverage in [B b]",
        statement="The leverage of a row in B plus its squared residual over ||w||^2 is its leverage in [B b], so at most 1.",
        formula="p_i + w_i^2/||w||^2 = q_i <= 1",
        hypotheses=("B^T B invertible", "w != 0"),
        declared=Verdict.PROVED,
        checks=(proof("leverage in [B b], any d", derived.deleted_solution), proof("a leverage is at most 1", leverage.range_of_leverage), _SHARES),
    ),
    Claim(
        id="N24-P14",
        source="N24",
        title="leverages are below 1 where the smaller matrix has full rank",
        statement="If B^T B stays invertible when a row is deleted, that row's leverage is strictly below 1.",
        formula="det(B'^T B') = (1 - p) det(B^T B) > 0",
        hypotheses=("B'^T B' invertible",),
        declared=Verdict.PROVED,
        checks=(proof("determinant of the smaller Gram matrix", leverage.rank_one_determinant), proof("range of a leverage", leverage.range_of_leverage), _SHARES),
        note="For q the same with [B b]: q < 1 exactly if the smaller database still has a nonzero residual. Both are hypotheses of the laws.",
    ),
)
