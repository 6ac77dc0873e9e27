"""Claims about two centred Gaussians whose covariances are comparable in the Loewner order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from flint import arb

from ndis_verify import oracle
from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.attack import Problem, enclosed_difference, log_margin, relative_margin
from ndis_verify.claims.attack_checks import attack_check, counterexample_check
from ndis_verify.claims.checks import agreement, formula_check, proof
from ndis_verify.claims.domain import Condition, Domain, continuous, integer, stacked, vector
from ndis_verify.claims.points import count, log_uniform, short
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.fast import covariance_shift as bounds
from ndis_verify.fast.hockey_stick import log_entries, to_delta, to_log_delta
from ndis_verify.fast.spectrum import Spectrum
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle import covariance_shift as certified_bounds
from ndis_verify.oracle.certified.balls import ball, enclosure, working_bits
from ndis_verify.symbolic import covariance_shift as derived
from ndis_verify.symbolic import random_projection_order as order

_CLUSTERS = 3


# Values on float64 columns


def deltas(logs: np.ndarray, counts: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """delta of N(0, diag e^{logs}) against N(0, I), row by row; negative logs give the other direction."""
    laws = Spectrum(np.expm1(logs), 0.0, counts, logs)
    return to_delta(log_entries(laws, np.arange(len(epsilon)), epsilon))


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
    hypotheses=(Condition("l_i > 0", lambda **c: (stacked("l", c) > 0).all(axis=-1), lambda **c: all(c[f"l_{i + 1}"] > 0 for i in range(3))),),
)
_BELOW = Domain((*vector("l", _CLUSTERS, "1e-6", 6, "log"), continuous("share", "1e-4", "0.999999", "logit")))
_SMALL = Domain(
    (*vector("l", _CLUSTERS, "1e-6", 6, "log"), continuous("share", "1e-4", 3, "log")),
)


def _singles(columns: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    logs = stacked("l", columns)
    return logs, np.ones(logs.shape), np.asarray(columns["share"]) * logs.sum(axis=-1) / 2


# N26-L2


def _excess(point: Mapping[str, Any], bound: Callable = certified_bounds.less_spread_bound, swap: bool = False) -> Enclosure:
    """The exact divergence of N(0, variance) against N(0, 1) minus a bound of it: positive is a violation."""
    pair = GaussianPair([0], point["variance"], [0], 1)
    value = oracle.certified_hockey_stick(pair.swapped() if swap else pair, point["epsilon"], digits=15)
    return enclosed_difference(value, bound([point["variance"]], point["epsilon"], 15))


_ONE = Domain((continuous("variance", 1, "1e6", "log"), continuous("epsilon", "1e-6", 20, "log")))
_PRINTED_PROBLEM = Problem(
    "N26-L2 with P the more spread law",
    lambda variance, epsilon: relative_margin(
        bounds.less_spread_bound(np.asarray(variance)[..., None], epsilon),
        deltas(np.log(variance)[..., None], np.ones((*np.shape(variance), 1)), epsilon),
    ),
    _ONE,
    certify=lambda point: enclosed_difference(
        certified_bounds.less_spread_bound([point["variance"]], point["epsilon"], 15),
        oracle.certified_hockey_stick(GaussianPair([0], point["variance"], [0], 1), point["epsilon"], digits=15),
    ),
)
_L2_MUTANTS = {
    "the corrected bound": lambda point: _excess(point, certified_bounds.more_spread_bound),
    "the less spread law first": lambda point: _excess(point, swap=True),
    "a point where the printed bound is 1": {"variance": 7, "epsilon": "0.1"},
}


def _bound_margin(bound: Callable, sign: int, scale: float = 1.0):
    def margin(**columns: Any) -> np.ndarray:
        logs, counts, epsilon = _singles(columns)
        return relative_margin(scale * bound(np.exp(logs), epsilon), deltas(sign * logs, counts, epsilon))

    return margin


_LESS_SPREAD_ATTACK = attack_check(
    "the printed bound over the exact divergence, less spread law first",
    _bound_margin(bounds.less_spread_bound, -1),
    _BELOW,
    mutants={"the more spread law first": _bound_margin(bounds.less_spread_bound, 1)},
    quick=1500,
    full=20_000,
    part="S1 <= S2",
)


def _both_directions(scale: float = 1.0):
    first, second = _bound_margin(bounds.more_spread_bound, 1, scale), _bound_margin(bounds.more_spread_bound, -1, scale)
    return lambda **columns: np.minimum(first(**columns), second(**columns))


_MORE_SPREAD_ATTACK = attack_check(
    "the corrected bound over the exact divergence, both directions",
    _both_directions(),
    _SMALL,
    mutants={"a third of the bound": _both_directions(1 / 3)},
    quick=1500,
    full=20_000,
)


def _bound_points(effort: str) -> list[tuple[list[float], float]]:
    rng = np.random.default_rng(61)
    points = [([7.0], 1.0), ([1.0, 4.0], 0.5)]
    while len(points) < count(effort, 8, 40):
        values = [1 + log_uniform(rng, 1e-3, 100) for _ in range(int(rng.integers(1, 5)))]
        points.append((values, short(float(np.log(values).sum() * rng.uniform(0.05, 3)))))
    return points


_BOUND_VALUES = agreement(
    "float64 bound against the certified infimum",
    "fast, certified",
    bounds.more_spread_bound,
    lambda values, epsilon: certified_bounds.more_spread_bound(values, epsilon, 20),
    _bound_points,
    digits=10,
    mutants={"without the factor of the hinge": bounds.chernoff_bound, "the printed bound": bounds.less_spread_bound},
)


def _derived_points(effort: str) -> list[tuple[float, int, float, float]]:
    rng = np.random.default_rng(62)
    points = []
    while len(points) < count(effort, 6, 30):
        log, r = log_uniform(rng, 1e-2, 3), int(rng.integers(1, 20))
        points.append((log, r, short(r * log * rng.uniform(0, 2)), short(float(rng.uniform(0.1, 0.9) / np.expm1(log)))))
    return points


def _hinge_value(log: float, r: int, epsilon: float, s: float):
    """s^s (1+s)^{-1-s} e^{-s eps} E_P e^{sL}, the moment by quadrature over the chi-square law of |z|^2."""
    with mpmath.workdps(40):
        half, s, alpha = mpmath.mpf(r) / 2, mpmath.mpf(s), mpmath.expm1(mpmath.mpf(log))
        rate = (1 - s * alpha) / 2
        scale = half / rate  # where the tilted density has its bulk
        density = lambda x: 2 * x ** (2 * half - 1) * mpmath.exp(-rate * x * x)  # noqa: E731  t = x^2
        cuts = mpmath.linspace(0, 1, 5) + [2, 4, 8]
        mass = mpmath.quad(density, [mpmath.sqrt(scale) * c for c in cuts] + [mpmath.inf]) / (2**half * mpmath.gamma(half))
        return (s / (1 + s)) ** s / (1 + s) * mpmath.exp(-s * (mpmath.mpf(epsilon) + r * mpmath.mpf(log) / 2)) * mass


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
    quick=1500,
    full=20_000,
    part="any spectrum",
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


def _direction_gap(point: Mapping[str, Any], direction: int = 1, largest: bool = False) -> Enclosure:
    """At u = e_2 for P = N(0, diag(l1, l2)): contribution to delta_{Q,P} minus that to delta_{P,Q} (m = 2)."""
    l1, l2 = (exact(point[name]) for name in ("first", "second"))
    chosen = max(l1, l2) if largest else l2
    with working_bits(200):
        own, other = radial(chosen, lambda: (ball(l1).log() + ball(l2).log()) / 2, 2, exact(point["epsilon"]))
        return enclosure(direction * (other - own))


def _sharp(multiple: Fraction) -> Callable[[str], Evidence]:
    """At m = 2, kappa = 2, eps = 0 and g = multiple log 2: is the first side provably the smaller?"""

    def run(effort: str) -> Evidence:
        with working_bits(200):
            first, second = radial(Fraction(2), lambda: arb(2).log() * ball(multiple), 2, Fraction(0))
            gap = second - first
            detail = f"second minus first side = {gap.str(10, radius=False)} at g = {multiple} log 2"
            outcome = Outcome.HELD if gap > 0 else Outcome.FAILED if gap < 0 or abs(gap) < arb(2) ** -150 else Outcome.UNDECIDED
        return Evidence(outcome, "ball arithmetic", detail, count=1)

    return run


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


_RADIAL = Domain(
    (continuous("kappa_1", "1e-3", 100, "log"), integer("m", 1, 60, "log"), continuous("share", 0, 1), continuous("epsilon", 0, 4)),
)
_COUNTER = "P = N(0, 7), Q = N(0, 1), eps = 1: 2 eps = 2 >= log 7 = 1.946, so the printed bound is 0, and delta_{P,Q}(1) = 0.33066"

CLAIMS = (
    Claim(
        id="N26-L2",
        source="N26",
        title="Chernoff bound of a covariance shift, and zero leakage from eps >= nu/2 on",
        statement="For equal means and Loewner-comparable covariances delta_{P,Q}(eps) = 0 once 2 eps >= nu, and below that the printed "
        "product bound holds, in the direction that dominates.",
        formula="inf_{s>0,0<u<k} e^{s(nu-2eps)} prod(1+2s(1-e^{-l_i}))^{-1/2} - e^eps (1 - e^{-u(nu-2eps)} prod(1-2u(e^{l_i}-1))^{-1/2})",
        hypotheses=("equal means", "S1 and S2 comparable in the Loewner order", "l_i = |log lambda_i|, nu = sum l_i", "eps >= 0"),
        declared=Verdict.RESTRICTED,
        checks=(
            counterexample_check(
                "zero leakage fails for the more spread law", _excess, {"variance": 7, "epsilon": 1}, _L2_MUTANTS,
                domain=_ONE, problem=_PRINTED_PROBLEM, part="S1 >= S2",
            ),
            counterexample_check(
                "the product bound fails for the more spread law", _excess, {"variance": 7, "epsilon": "0.96"}, _L2_MUTANTS,
                domain=_ONE, part="S1 >= S2",
            ),
            proof("the bound where P is the less spread law", derived.less_spread_bound, part="S1 <= S2"),
            _LESS_SPREAD_ATTACK,
        ),
        counterexample=_COUNTER,
        corrected="The printed bound holds for S1 <= S2 (all a_i >= 0). For S1 >= S2, and for both directions at once: N26-L2-corrected.",
        note="The proof uses W1 >= 0, which needs a_i = 1 - lambda_i >= 0, so S1 <= S2; the remark that the dominating direction has "
        "a_i >= 0 turns the sign round. In that direction the loss is unbounded and delta > 0 at every eps. The second factor, in u, is idle "
        "even where the bound holds: its infimum is 1, at u -> 0, so the bound is the first factor alone. Code that uses this lemma for the "
        "larger direction understates delta, down to exactly 0.",
    ),
    Claim(
        id="N26-L2-corrected",
        source="N26",
        title="Chernoff bound of a covariance shift, both directions",
        statement="For equal means and comparable covariances both delta_{P,Q}(eps) and delta_{Q,P}(eps) are at most the bound.",
        formula="inf_{0<s<1/(e^{max l}-1)} s^s (1+s)^{-1-s} e^{-s(eps+nu/2)} prod(1 - s(e^{l_i}-1))^{-1/2}",
        hypotheses=("equal means", "S1 >= S2 or S1 <= S2", "l_i = |log lambda_i|, nu = sum l_i", "eps >= 0"),
        declared=Verdict.PROVED,
        checks=(
            proof("Markov on the hinge, both directions", derived.more_spread_bound),
            formula_check("derived bound against a quadrature of the moment", derived.more_spread_bound, _hinge_value, _derived_points, 15),
            _MORE_SPREAD_ATTACK,
            _BOUND_VALUES,
        ),
        note="Without the factor s^s/(1+s)^{1+s} <= 1 it is the literal Chernoff bound of Pr[L >= eps] (the second probability again "
        "contributes nothing). Looseness, bound over exact, for k equal eigenvalues e^rho, rho = 0.01, 0.1, 1, 3 and k = 1, 10, 100, at "
        "exact delta 1e-5: 10, 5.4, 4.3; 14, 6.9, 5.4; 24, 11, 9.1; 36, 17, 12. Without the factor: 2570, 1013, 430; 361, 140, 63; 65, 28, 17; "
        "44, 20, 14. At delta = 1e-30 it is 17 to 240. The exact law over the same envelope (N26-D6-exact) has no such loss.",
    ),
    Claim(
        id="N26-L3",
        source="N26",
        title="the more spread law first is the worse direction",
        statement="For equal means and S1 >= S2 in the Loewner order, delta_{P,Q}(eps) >= delta_{Q,P}(eps) for all eps >= 0.",
        formula="delta_{P,Q}(eps) >= delta_{Q,P}(eps)",
        hypotheses=("equal means", "S1 >= S2", "eps >= 0"),
        declared=Verdict.SUPPORTED,
        checks=(
            proof("at most two eigenvalues away from 1", derived.symmetrised_order, part="rank of S1 - S2 at most 2"),
            proof("one distinct eigenvalue, any multiplicity", order.deletion_dominates, part="one distinct eigenvalue"),
            _ORDER_ATTACK,
        ),
        note="The printed proof falls with N26-L3-step. In any dimension it is enough that w(l) - w(-l) changes sign once on l > 0, w the "
        "density of the loss under the law proportional to sqrt(p q) (covariance_shift.symmetrised_order); that is proved for rank <= 2 and "
        "for one distinct eigenvalue, and no violation is known beyond. Nothing else here rests on this lemma: N26-L2-corrected and "
        "N26-D6-exact bound both directions by themselves.",
    ),
    Claim(
        id="N26-L3-rank-2",
        source="N26",
        title="the order of the two directions when S1 - S2 has rank at most 2",
        statement="N26-L3 where at most two relative eigenvalues differ from 1.",
        formula="delta_{P,Q}(eps) >= delta_{Q,P}(eps)",
        hypotheses=("equal means", "S1 >= S2", "rank(S1 - S2) <= 2", "eps >= 0"),
        declared=Verdict.PROVED,
        checks=(proof("one change of sign", derived.symmetrised_order),),
    ),
    Claim(
        id="N26-L3-step",
        source="N26",
        title="domination direction by direction",
        statement="For every fixed direction u the contribution to delta_{Q,P} is at most the contribution to delta_{P,Q}.",
        formula="E_T[(1 - e^{eps - g + (1 - 1/kappa'(u)) T/2})_+] <= E_T[(1 - e^{eps + g - (kappa(u) - 1) T/2})_+], T ~ chi^2_d",
        hypotheses=("S1 >= S2", "kappa(u) = u^T Lambda u, 1/kappa'(u) = u^T Lambda^{-1} u, g = nu/2", "eps >= 0"),
        declared=Verdict.REFUTED,
        checks=(
            counterexample_check(
                "u along the smaller eigenvalue", _direction_gap, {"first": 4, "second": 2, "epsilon": 0},
                {
                    "the two contributions swapped": lambda point: _direction_gap(point, -1),
                    "u along the larger eigenvalue": lambda point: _direction_gap(point, largest=True),
                    "equal eigenvalues": {"first": 2, "second": 2, "epsilon": "0.1"},
                },
            ),
        ),
        counterexample="P = N(0, diag(4, 2)), Q = N(0, I), u = e_2, eps = 0: contribution to delta_{P,Q} 2^{-1.5} - 2^{-2.5} = 0.1768, to "
        "delta_{Q,P} 7/8 - 2^{-0.5} (1 - 2^{-1.5}) = 0.4179",
        corrected="It holds for the directions with g <= (d/2) log kappa'(u) (N26-P2); for all u only where all eigenvalues are equal.",
        note="At eps = 0 both averages over u are one total variation distance, so domination in every direction would mean equality in "
        "every direction. The proof applies N26-P2 outside its domain: g = (1/2) sum log lambda_i <= (d/2) log kappa'(u) is not true of every u.",
    ),
    Claim(
        id="N26-P2",
        source="N26",
        title="the radial inequality",
        statement="For T ~ chi^2_m and kappa > 1 the hinge of the more spread radial law is at least that of the less spread one.",
        formula="E[(1-e^{eps+g-(kappa-1)T/2})_+] >= E[(1-e^{eps-g+(1-1/kappa)T/2})_+]",
        hypotheses=("kappa > 1", "m >= 1", "eps >= 0", "g <= (m/2) log kappa (reconstructed; any real g up to there)"),
        declared=Verdict.PROVED,
        checks=(
            proof("monotone in g, and the largest g by deletion against insertion", derived.radial_domain),
            proof("the largest g", order.deletion_dominates),
            attack_check(
                "both sides in closed form", _radial_margin(), _RADIAL,
                mutants={"g up to 1.2 (m/2) log kappa": _radial_margin(1.2), "sides swapped": _radial_margin(flip=True)},
                quick=2000, full=40_000, tolerance=1e-9,
            ),
        ),
        note="The printed range of (eps, g) is lost; g <= (m/2) log kappa is what the proof's brackets need and, uniformly in eps >= 0, the "
        "largest range there is (N26-P2-sharp). The application in N26-L3's proof has g = nu/2, above it for some directions.",
    ),
    Claim(
        id="N26-P2-sharp",
        source="N26",
        title="the radial inequality fails beyond its domain",
        statement="At kappa = 2, m = 2, eps = 0 the inequality of N26-P2 fails for g = 1.01 log 2, just above (m/2) log kappa.",
        formula="E[(1-e^{g-T/2})_+] < E[(1-e^{-g+T/4})_+]",
        declared=Verdict.CERTIFIED,
        checks=(
            Check("both sides as balls", Kind.ENCLOSURE, _sharp(Fraction(101, 100)), {
                "at the edge of the domain": _sharp(Fraction(1)), "inside the domain": _sharp(Fraction(9, 10)),
            }),
        ),
    ),
)  # fmt: skip
