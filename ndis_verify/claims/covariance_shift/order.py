"""Claims about which of two centred Gaussians with comparable covariances is the worse one to come first (N26-L3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import numpy as np
from flint import arb

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.covariance_shift.stated import ORDER, ORDER_AT_ANY_EPS, ORDER_OF_ANY, ORDER_TURNED
from ndis_verify.court.attack import log_margin
from ndis_verify.court.attack_checks import attack_check, counterexample_check
from ndis_verify.court.checks import agreement, formula_check, proof
from ndis_verify.court.domain import Condition, Domain, continuous, integer, stacked, vector
from ndis_verify.court.points import count
from ndis_verify.court.statement_checks import stated_claim, statement_attack
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_log_delta
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.symbolic import covariance_direction, covariance_order
from ndis_verify.symbolic import random_projection_order as order

_CLUSTERS = 3


def _clusters(columns: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(logs, multiplicities, epsilon), epsilon = share (nu/2): all that matters lies below nu/2."""
    logs, counts = stacked("l", columns), stacked("k", columns).astype(float)
    return logs, counts, np.asarray(columns["share"]) * (logs * counts).sum(axis=-1) / 2


_SPECTRA = Domain(
    (
        *vector("l", _CLUSTERS, "1e-6", "13.8", "log"),
        *(integer(f"k_{i + 1}", 1, 30, "log") for i in range(_CLUSTERS)),
        continuous("share", "1e-4", "0.999999", "logit"),
    ),
    hypotheses=(
        Condition(
            "l_i > 0",
            lambda **c: (stacked("l", c) > 0).all(axis=-1),
            lambda **c: all(c[f"l_{i + 1}"] > 0 for i in range(3)),
        ),
    ),
)


# N26-L3


def _log_order(logs: np.ndarray, counts: np.ndarray, epsilon: np.ndarray, share: np.ndarray) -> np.ndarray:
    """log(delta_{P,Q}/delta_{Q,P}), or the same of the complements where both are near 1, over the share of nu/2.

    Both directions agree at eps = 0, so the quotient by the share keeps its size there.
    """
    rows = np.arange(len(epsilon))
    (first, first_gap), (second, second_gap) = (
        log_entries(Spectrum(np.expm1(sign * logs), 0.0, counts, sign * logs), rows, epsilon) for sign in (1, -1)
    )
    plain = log_margin(to_log_delta((first, first_gap)), to_log_delta((second, second_gap)))
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(first_gap) | np.isnan(second_gap), plain, second_gap - first_gap) / share


def _order_margin(direction: int = 1):
    def margin(**columns: Any) -> np.ndarray:
        logs, counts, epsilon = _clusters(columns)
        return _log_order(direction * logs, counts, epsilon, columns["share"])

    return margin


def _incomparable(**columns: Any) -> np.ndarray:
    logs, counts, epsilon = _clusters(columns)
    return _log_order(logs * np.array([1, 1, -1]), counts, epsilon, columns["share"])


_ORDER_ATTACK = attack_check(
    "up to three distinct eigenvalues, up to 90 coordinates",
    _order_margin(),
    _SPECTRA,
    mutants={"the less spread law first": _order_margin(-1), "covariances that are not comparable": _incomparable},
    tolerance=1e-6,
    quick=800,
    full=20_000,
)


def _scale_slope(first: str, second: str, epsilon: str, spread_first: bool, factor: bool = True) -> Any:
    """T f(T) at T = nu + 2 eps, or e^eps T f(T) at T = nu - 2 eps; f the density of a_1 z_1^2 + a_2 z_2^2, by a Bessel
    function.
    """
    with mpmath.workdps(40):
        lams, eps = [to_mpf(exact(value)) for value in (first, second)], to_mpf(exact(epsilon))
        level = sum(mpmath.log(lam) for lam in lams) + (2 * eps if spread_first else -2 * eps)
        one, two = (lam - 1 for lam in lams)
        body = mpmath.exp(-level * (1 / one + 1 / two) / 4) * mpmath.besseli(0, level * (1 / one - 1 / two) / 4)
        weight = 1 if spread_first or not factor else mpmath.exp(eps)
        return weight * level * body / (2 * mpmath.sqrt(one * two))


def _scale_quotient(first: str, second: str, epsilon: str, spread_first: bool) -> Any:
    """A central difference quotient of the certified divergence in the log of the more spread law's scale."""
    step, found = Fraction(1, 10**8), []
    for factor in (1 + step, 1 - step):
        pair = GaussianPair([0, 0], [exact(first) * factor, exact(second) * factor], [0, 0], 1)
        found.append(certified_hockey_stick(pair if spread_first else pair.swapped(), epsilon, digits=28))
    with mpmath.workdps(40):
        return (to_mpf(exact(found[0].mid)) - to_mpf(exact(found[1].mid))) / (2 * to_mpf(step))


def _scale_points(effort: str) -> list[tuple[str, str, str, bool]]:
    spectra = (("4", "2", "0.5"), ("1.01", "30", "0.25"), ("1.5", "1.25", "0.3"), ("900", "1.001", "3"))
    return [(*point, spread_first) for point in spectra[: count(effort, 2, 4)] for spread_first in (True, False)]


_SCALE_SLOPES = agreement(
    "slopes in the scale against difference quotients, two eigenvalues",
    "closed form, certified",
    _scale_slope,
    _scale_quotient,
    _scale_points,
    digits=12,
    mutants={
        "half of it": lambda *point: _scale_slope(*point) / 2,
        "e^eps left out of the other direction": partial(_scale_slope, factor=False),
        "directions exchanged": lambda first, second, epsilon, way: _scale_slope(first, second, epsilon, not way),
    },
)


def _tilted_moments(a: float, b: float, x: float) -> tuple[Any, Any]:
    """E[v] and Var v for v ~ Beta(a, b) tilted by e^{-xv}, by quadrature in v = sin^2 t."""
    with mpmath.workdps(40):
        a, b, x = (mpmath.mpf(value) for value in (a, b, x))

        def integral(power: int) -> Any:
            def body(angle: Any) -> Any:
                v = mpmath.sin(angle) ** 2
                return (
                    v**power * mpmath.sin(angle) ** (2 * a - 1) * mpmath.cos(angle) ** (2 * b - 1) * mpmath.exp(-x * v)
                )

            edge = min(mpmath.pi / 2, 12 * mpmath.sqrt((a + 1) / (x + 1)))
            return mpmath.quad(body, [*mpmath.linspace(0, edge, 13), mpmath.pi / 2])

        mass, first, second = (integral(k) for k in range(3))
        return first / mass, second / mass - (first / mass) ** 2


def _tilted_points(effort: str) -> list[tuple[float, float, float, Any]]:
    points = []
    for a, b, x in [(0.5, 0.5, 1.0), (3.5, 0.5, 20.0), (1.0, 2.0, 0.01), (10.0, 1.5, 60.0)][: count(effort, 3, 4)]:
        with mpmath.workdps(40):
            points.append((a, b, x, mpmath.mpf(x) * _tilted_moments(a, b, x)[0]))
    return points


def _tilted_slope(a: float, b: float, x: float, y: Any) -> Any:
    """d/dx of x E[v] = E[v] - x Var v."""
    mean, variance = _tilted_moments(a, b, x)
    with mpmath.workdps(40):
        return mean - x * variance


_TWO_ATTACK = attack_check(
    "two distinct eigenvalues",
    _order_margin(),
    Domain(tuple(p for p in _SPECTRA.parameters if not p.name.endswith("_3"))),
    mutants={"the less spread law first": _order_margin(-1)},
    tolerance=1e-6,
    quick=400,
    full=10_000,
)


# N26-L3-step and N26-P2


def _gamma_pair(shape: arb, x: arb) -> tuple[arb, arb]:
    upper = x.gamma_upper(shape, 1)
    return upper, 1 - upper


def radial(kappa: Fraction, g: Callable[[], arb], m: int, epsilon: Fraction) -> tuple[arb, arb]:
    """The two sides of N26-P2 at g(), as balls; g is made at the current precision."""
    half, level, k = arb(m) / 2, g(), ball(kappa)
    eps, power = ball(epsilon), (ball(kappa).log() * m / 2).exp()
    if level <= eps:
        second = arb(0)
    else:
        inner = (level - eps) / (k - 1)
        second = _gamma_pair(half, k * inner)[1] - (eps - level).exp() * power * _gamma_pair(half, inner)[1]
    edge = (eps + level) / (k - 1)
    first = _gamma_pair(half, edge)[0] - (eps + level).exp() / power * _gamma_pair(half, k * edge)[0]
    return first, second


def _spread(point: Mapping[str, Any]) -> list[Fraction]:
    """The two eigenvalues of S1 relative to S2 = I; the step speaks of S1 >= S2."""
    values = [exact(point[name]) for name in ("first", "second")]
    if min(values) < 1:
        raise InputError("eigenvalues", ", ".join(map(str, values)), "must be at least 1")
    return values


def _direction_gap(point: Mapping[str, Any], direction: int = 1, largest: bool = False) -> Enclosure:
    """At u = e_2 for P = N(0, diag(l1, l2)): contribution to delta_{Q,P} minus that to delta_{P,Q} (m = 2)."""
    l1, l2 = _spread(point)
    chosen = max(l1, l2) if largest else l2
    with working_bits(200):
        own, other = radial(chosen, lambda: (ball(l1).log() + ball(l2).log()) / 2, 2, exact(point["epsilon"]))
        return enclosure(direction * (other - own))


def _pairing_gap(point: Mapping[str, Any], largest: bool = False) -> Enclosure:
    """The least contribution to delta_{Q,P} of any direction (u along the larger eigenvalue) minus that of e_2 to
    delta_{P,Q}.
    """
    l1, l2 = _spread(point)
    with working_bits(200):
        level = lambda: (ball(l1).log() + ball(l2).log()) / 2  # noqa: E731
        own, _ = radial(max(l1, l2) if largest else l2, level, 2, exact(point["epsilon"]))
        _, least = radial(max(l1, l2), level, 2, exact(point["epsilon"]))
        return enclosure(least - own)


def _sharp(multiple: Fraction) -> Callable[[str], Evidence]:
    """At m = 2, kappa = 2, eps = 0 and g = multiple log 2: is the first side provably the smaller?"""

    def run(effort: str) -> Evidence:
        with working_bits(200):
            first, second = radial(Fraction(2), lambda: arb(2).log() * ball(multiple), 2, Fraction(0))
            gap = second - first
            detail = f"second minus first side = {gap.str(10, radius=False)} at g = {multiple} log 2"
            outcome = (
                Outcome.HELD
                if gap > 0
                else Outcome.FAILED
                if gap < 0 or abs(gap) < arb(2) ** -150
                else Outcome.UNDECIDED
            )
        return Evidence(outcome, "ball arithmetic", detail, count=1)

    return run


def _sharp_by_quadrature(excess: float) -> Any:
    """Second minus first side at m = kappa = 2, eps = 0, g = log 2 + excess; T/2 is exponential."""
    with mpmath.workdps(40):
        g = mpmath.log(2) + mpmath.mpf(excess)
        first = mpmath.quad(lambda x: -mpmath.expm1(-x) * mpmath.exp(-g - x), [0, 1, 4, 16, 64, mpmath.inf])
        second = mpmath.quad(lambda x: -mpmath.expm1(x / 2 - g) * mpmath.exp(-x), mpmath.linspace(0, 2 * g, 9))
        return second - first


def _radial_margin(widen: float = 1.0, flip: bool = False):
    from scipy.special import gammainc, gammaincc

    def margin(kappa_1: Any, m: Any, share: Any, epsilon: Any) -> np.ndarray:
        k, half = np.asarray(kappa_1), np.asarray(m) / 2
        g = widen * share * half * np.log1p(k)
        edge, inner = (epsilon + g) / k, np.maximum(g - epsilon, 0) / k
        power = half * np.log1p(k)
        first = gammaincc(half, edge) - np.exp(epsilon + g - power) * gammaincc(half, (1 + k) * edge)
        second = gammainc(half, (1 + k) * inner) - np.exp(epsilon - g + power) * gammainc(half, inner)
        second = np.where(g > epsilon, second, 0.0)
        return second - first if flip else first - second

    return margin


def _beyond_margin(widen: float = 1.0, flip: bool = True):
    margin = _radial_margin(widen, flip)
    return lambda kappa_1, m, share: margin(kappa_1, m, share, 0.0)


_BEYOND = Domain((continuous("kappa_1", "1e-3", 100, "log"), integer("m", 1, 60, "log"), continuous("share", 1, 5)))
_RADIAL = Domain(
    (
        continuous("kappa_1", "1e-3", 100, "log"),
        integer("m", 1, 60, "log"),
        continuous("share", 0, 1),
        continuous("epsilon", 0, 4),
    ),
)
CLAIMS = (
    stated_claim(
        id="N26-L3",
        source="N26",
        title="the more spread law first is the worse direction",
        stated=ORDER,
        declared=Verdict.PROVED,
        checks=(
            proof("no interior minimum in scale and epsilon", covariance_order.scale_order),
            _SCALE_SLOPES,
            _ORDER_ATTACK,
            statement_attack(
                "the statement over its own domain",
                ORDER,
                {
                    "the less spread law first": ORDER_TURNED,
                    "covariances that are not comparable": ORDER_OF_ANY,
                    "eps below 0": ORDER_AT_ANY_EPS,
                },
                quick=400,
                full=8_000,
            ),
        ),
        note=(
            "All eigenvalues at least 1 is S1 >= S2 in the Loewner order."
            " The printed proof falls with N26-L3-step; the statement is true. The proof here scales the more spread"
            " law: the difference of the two divergences has no local minimum in (scale, eps) for 0 < eps < nu/2, where"
            " both are positive, and is not negative on the edges of that set; from nu/2 on the smaller one is 0. For"
            " eps > 0 the order is strict unless S1 = S2. N26-L3-two-eigenvalues is another proof, for at most two"
            " distinct eigenvalues. How strict it is over more of them is only searched: the least"
            " log(delta_{P,Q}/delta_{Q,P})/(2 eps/nu) that 20,000 evaluations met, at up to three distinct eigenvalues,"
            " is 0.40."
        ),
    ),
    Claim(
        id="N26-L3-two-eigenvalues",
        source="N26",
        title="the order of the two directions for at most two distinct eigenvalues",
        statement="N26-L3 where at most two distinct relative eigenvalues differ from 1, with any multiplicities.",
        formula="delta_{P,Q}(eps) >= delta_{Q,P}(eps)",
        hypotheses=(
            "equal means",
            "S1 >= S2",
            "at most two distinct eigenvalues of S2^{-1/2} S1 S2^{-1/2} other than 1",
            "eps >= 0",
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("one change of sign is enough", covariance_direction.symmetrised_order),
            proof("and there is one", covariance_direction.two_eigenvalues_order),
            formula_check(
                "Riccati equation against a ratio of integrals",
                covariance_direction.two_eigenvalues_order,
                _tilted_slope,
                _tilted_points,
                digits=15,
            ),
            _TWO_ATTACK,
        ),
        note=(
            "A second proof of this case of N26-L3, by the density of the loss under the law proportional to sqrt(p q)."
        ),
    ),
    Claim(
        id="N26-L3-step",
        tags=("words",),
        source="N26",
        title="domination direction by direction",
        statement=(
            "For every fixed direction u the contribution to delta_{Q,P} is at most the contribution to delta_{P,Q}."
        ),
        formula=(
            "E_T[(1 - e^{eps - g + (1 - 1/kappa'(u)) T/2})_+] <= E_T[(1 - e^{eps + g - (kappa(u) - 1) T/2})_+], T ~"
            " chi^2_d"
        ),
        hypotheses=("S1 >= S2", "kappa(u) = u^T Lambda u, 1/kappa'(u) = u^T Lambda^{-1} u, g = nu/2", "eps >= 0"),
        declared=Verdict.REFUTED,
        checks=(
            counterexample_check(
                "u along the smaller eigenvalue",
                _direction_gap,
                {"first": 4, "second": 2, "epsilon": 0},
                {
                    "the two contributions swapped": lambda point: _direction_gap(point, -1),
                    "u along the larger eigenvalue": lambda point: _direction_gap(point, largest=True),
                    "equal eigenvalues": {"first": 2, "second": 2, "epsilon": "0.1"},
                },
            ),
            counterexample_check(
                "no other direction is matched with that u either",
                _pairing_gap,
                {"first": 4, "second": 2, "epsilon": 0},
                {
                    "u along the larger eigenvalue": lambda point: _pairing_gap(point, largest=True),
                    "equal eigenvalues": {"first": 2, "second": 2, "epsilon": "0.1"},
                },
            ),
        ),
        counterexample=(
            "P = N(0, diag(4, 2)), Q = N(0, I), u = e_2, eps = 0: contribution to delta_{P,Q} 2^{-1.5} - 2^{-2.5} ="
            " 0.1768, to delta_{Q,P} 7/8 - 2^{-0.5} (1 - 2^{-1.5}) = 0.4179"
        ),
        corrected=(
            "It holds for the directions with g <= (d/2) log kappa'(u) (N26-P2); for all u only where all eigenvalues"
            " are equal. What it was to show is true: N26-L3."
        ),
        note=(
            "A pairing of different directions for the two contributions does not help: every direction contributes at"
            " least 3/4 - (sqrt 2 - 1) = 0.3358 to delta_{Q,P}, more than those near e_2 do to delta_{P,Q}. At eps = 0"
            " both averages over u are one total variation distance, so domination in every direction would mean"
            " equality in every direction. The proof applies N26-P2 outside its domain: g = (1/2) sum log lambda_i <="
            " (d/2) log kappa'(u) is not true of every u."
        ),
    ),
    Claim(
        id="N26-P2",
        source="N26",
        title="the radial inequality",
        statement=(
            "For T ~ chi^2_m and kappa > 1 the hinge of the more spread radial law is at least that of the less spread"
            " one."
        ),
        formula="E[(1-e^{eps+g-(kappa-1)T/2})_+] >= E[(1-e^{eps-g+(1-1/kappa)T/2})_+]",
        hypotheses=("kappa > 1", "m >= 1", "eps >= 0", "g <= (m/2) log kappa (reconstructed; any real g up to there)"),
        declared=Verdict.PROVED,
        checks=(
            proof("monotone in g, and the largest g by deletion against insertion", covariance_direction.radial_domain),
            proof("the largest g", order.deletion_dominates),
            attack_check(
                "both sides in closed form",
                _radial_margin(),
                _RADIAL,
                mutants={
                    "g up to 1.2 (m/2) log kappa": _radial_margin(1.2),
                    "sides swapped": _radial_margin(flip=True),
                },
                quick=2000,
                full=40_000,
                tolerance=1e-9,
            ),
        ),
        note=(
            "The printed range of (eps, g) is lost; g <= (m/2) log kappa is what the proof's brackets need and,"
            " uniformly in eps >= 0, the largest range there is (N26-P2-sharp). The application in N26-L3's proof has g"
            " = nu/2, above it for some directions."
        ),
    ),
    Claim(
        id="N26-P2-sharp",
        source="N26",
        title="the radial inequality fails beyond its domain",
        statement=(
            "At eps = 0 the inequality of N26-P2 fails for every kappa > 1, every m >= 1 and every g > (m/2) log kappa:"
            " the domain stated there is the largest that serves every eps >= 0."
        ),
        formula=(
            "E[(1-e^{g-(kappa-1)T/2})_+] < E[(1-e^{-g+(1-1/kappa)T/2})_+]; for kappa = m = 2 they are e^{-g}/2 and"
            " (1-e^{-g})^2"
        ),
        hypotheses=("kappa > 1", "m >= 1", "eps = 0", "g > (m/2) log kappa"),
        declared=Verdict.PROVED,
        checks=(
            proof("equal at the edge, and falling apart", covariance_order.radial_sharp),
            Check(
                "both sides as balls at kappa = m = 2, g = 1.01 log 2",
                Kind.CROSSCHECK,
                _sharp(Fraction(101, 100)),
                {
                    "at the edge of the domain": _sharp(Fraction(1)),
                    "inside the domain": _sharp(Fraction(9, 10)),
                },
            ),
            formula_check(
                "the difference at kappa = m = 2 against quadrature",
                covariance_order.radial_sharp,
                _sharp_by_quadrature,
                lambda effort: [(x,) for x in (1e-6, 0.01, 1.0, 30.0)],
                digits=15,
            ),
            attack_check(
                "second side over the first beyond the edge, eps = 0",
                _beyond_margin(),
                _BEYOND,
                mutants={"g below the edge": _beyond_margin(0.2), "sides swapped": _beyond_margin(flip=False)},
                quick=1000,
                full=20_000,
                tolerance=1e-9,
            ),
        ),
    ),
)
