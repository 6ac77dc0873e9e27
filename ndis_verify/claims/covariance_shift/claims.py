"""Claims about two centred Gaussians whose covariances are comparable in the Loewner order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mpmath
import numpy as np

from ndis_verify.claim import Claim, Verdict
from ndis_verify.court.attack import Problem, enclosed_difference, relative_margin
from ndis_verify.court.attack_checks import attack_check, counterexample_check
from ndis_verify.court.checks import agreement, formula_check, proof
from ndis_verify.court.domain import Domain, Point, continuous, stacked, vector
from ndis_verify.court.points import count, log_uniform, short
from ndis_verify.enclosure import Enclosure
from ndis_verify.fast import covariance_shift as bounds
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_delta
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle import covariance_shift as certified_bounds
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.symbolic import covariance_shift as derived

_CLUSTERS = 3


# Values on float64 columns


def deltas(logs: np.ndarray, counts: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """delta of N(0, diag e^{logs}) against N(0, I), row by row; negative logs give the other direction."""
    laws = Spectrum(np.expm1(logs), 0.0, counts, logs)
    return to_delta(log_entries(laws, np.arange(len(epsilon)), epsilon))


_BELOW = Domain((*vector("l", _CLUSTERS, "1e-6", 6, "log"), continuous("share", "1e-4", "0.999999", "logit")))
_SMALL = Domain(
    (*vector("l", _CLUSTERS, "1e-6", 6, "log"), continuous("share", "1e-4", 3, "log")),
)


def _singles(columns: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    logs = stacked("l", columns)
    return logs, np.ones(logs.shape), np.asarray(columns["share"]) * logs.sum(axis=-1) / 2


# N26-L2


def _excess(
    point: Mapping[str, Any], bound: Callable = certified_bounds.less_spread_bound, swap: bool = False
) -> Enclosure:
    """The exact divergence of N(0, variance) against N(0, 1) minus a bound of it: positive is a violation."""
    pair = GaussianPair([0], point["variance"], [0], 1)
    value = certified_hockey_stick(pair.swapped() if swap else pair, point["epsilon"], digits=15)
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
        certified_hockey_stick(GaussianPair([0], point["variance"], [0], 1), point["epsilon"], digits=15),
    ),
)
_L2_MUTANTS: dict[str, Callable[[Point], Enclosure] | Mapping[str, Any]] = {
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
    first, second = (
        _bound_margin(bounds.more_spread_bound, 1, scale),
        _bound_margin(bounds.more_spread_bound, -1, scale),
    )
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
    points: list[tuple[float, int, float, float]] = []
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
        cuts = [*mpmath.linspace(0, 1, 5), 2, 4, 8]
        mass = mpmath.quad(density, [mpmath.sqrt(scale) * c for c in cuts] + [mpmath.inf]) / (
            2**half * mpmath.gamma(half)
        )
        return (s / (1 + s)) ** s / (1 + s) * mpmath.exp(-s * (mpmath.mpf(epsilon) + r * mpmath.mpf(log) / 2)) * mass


_COUNTER = (
    "P = N(0, 7), Q = N(0, 1), eps = 1: 2 eps = 2 >= log 7 = 1.946, so the printed bound is 0, and delta_{P,Q}(1) ="
    " 0.33066"
)

CLAIMS = (
    Claim(
        id="N26-L2",
        tags=("reading",),
        source="N26",
        title="Chernoff bound of a covariance shift, and zero leakage from eps >= nu/2 on",
        statement=(
            "For equal means and Loewner-comparable covariances delta_{P,Q}(eps) = 0 once 2 eps >= nu, and below that"
            " the printed product bound holds, in the direction that dominates."
        ),
        formula=(
            "inf_{s>0,0<u<k} e^{s(nu-2eps)} prod(1+2s(1-e^{-l_i}))^{-1/2} - e^eps (1 - e^{-u(nu-2eps)}"
            " prod(1-2u(e^{l_i}-1))^{-1/2})"
        ),
        hypotheses=(
            "equal means",
            "S1 and S2 comparable in the Loewner order",
            "l_i = |log lambda_i|, nu = sum l_i",
            "eps >= 0",
        ),
        declared=Verdict.RESTRICTED,
        checks=(
            counterexample_check(
                "zero leakage fails for the more spread law",
                _excess,
                {"variance": 7, "epsilon": 1},
                _L2_MUTANTS,
                domain=_ONE,
                problem=_PRINTED_PROBLEM,
                part="S1 >= S2",
            ),
            counterexample_check(
                "the product bound fails for the more spread law",
                _excess,
                {"variance": 7, "epsilon": "0.96"},
                _L2_MUTANTS,
                domain=_ONE,
                part="S1 >= S2",
            ),
            proof("the bound where P is the less spread law", derived.less_spread_bound, part="S1 <= S2"),
            _LESS_SPREAD_ATTACK,
        ),
        counterexample=_COUNTER,
        corrected=(
            "The printed bound holds for S1 <= S2 (all a_i >= 0). For S1 >= S2, and for both directions at once:"
            " N26-L2-corrected."
        ),
        note=(
            "The displays are lost; the bound is rebuilt from the words around them and the steps of the proof."
            " The proof uses W1 >= 0, which needs a_i = 1 - lambda_i >= 0, so S1 <= S2; the remark that the dominating"
            " direction has a_i >= 0 turns the sign round. In that direction the loss is unbounded and delta > 0 at"
            " every eps. The second factor, in u, is idle even where the bound holds: its infimum is 1, at u -> 0, so"
            " the bound is the first factor alone. Code that uses this lemma for the larger direction understates"
            " delta, down to exactly 0."
        ),
    ),
    Claim(
        id="N26-L2-corrected",
        source="N26",
        title="Chernoff bound of a covariance shift, both directions",
        statement=(
            "For equal means and comparable covariances both delta_{P,Q}(eps) and delta_{Q,P}(eps) are at most the"
            " bound."
        ),
        formula="inf_{0<s<1/(e^{max l}-1)} s^s (1+s)^{-1-s} e^{-s(eps+nu/2)} prod(1 - s(e^{l_i}-1))^{-1/2}",
        hypotheses=("equal means", "S1 >= S2 or S1 <= S2", "l_i = |log lambda_i|, nu = sum l_i", "eps >= 0"),
        declared=Verdict.PROVED,
        checks=(
            proof("Markov on the hinge, both directions", derived.more_spread_bound),
            formula_check(
                "derived bound against a quadrature of the moment",
                derived.more_spread_bound,
                _hinge_value,
                _derived_points,
                15,
            ),
            _MORE_SPREAD_ATTACK,
            _BOUND_VALUES,
        ),
        note=(
            "Without the factor s^s/(1+s)^{1+s} <= 1 it is the literal Chernoff bound of Pr[L >= eps] (the second"
            " probability again contributes nothing). Looseness, bound over exact, for k equal eigenvalues e^rho, rho ="
            " 0.01, 0.1, 1, 3 and k = 1, 10, 100, at exact delta 1e-5: 10, 5.4, 4.3; 14, 6.9, 5.4; 24, 11, 9.1; 36, 17,"
            " 12. Without the factor: 2570, 1013, 430; 361, 140, 63; 65, 28, 17; 44, 20, 14. At delta = 1e-30 it is 17"
            " to 240. The exact law over the same envelope (N26-D6-exact) has no such loss."
        ),
    ),
)
