"""Claims about two centred Gaussians whose covariances are comparable in the Loewner order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mpmath
import numpy as np

from ndis_verify.claim import Verdict
from ndis_verify.court.attack import enclosed_difference
from ndis_verify.court.checks import agreement, formula_check
from ndis_verify.court.domain import Point
from ndis_verify.court.points import count, log_uniform, short
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.enclosure import Enclosure
from ndis_verify.fast import covariance_shift as bounds
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_delta
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle import covariance_shift as certified_bounds
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.statements.reading import statement, under
from ndis_verify.statements.statement import real, vector
from ndis_verify.symbolic import covariance_shift as derived
from ndis_verify.symbolic import less_spread, less_spread_printed

# Values on float64 columns


def deltas(logs: np.ndarray, counts: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """delta of N(0, diag e^{logs}) against N(0, I), row by row; negative logs give the other direction."""
    laws = Spectrum(np.expm1(logs), 0.0, counts, logs)
    return to_delta(log_entries(laws, np.arange(len(epsilon)), epsilon))


# N26-L2


def _excess(
    point: Mapping[str, Any], bound: Callable = certified_bounds.less_spread_bound, swap: bool = False
) -> Enclosure:
    """The exact divergence of N(0, variance) against N(0, 1) minus a bound of it: positive is a violation."""
    pair = GaussianPair([0], point["variance"], [0], 1)
    value = certified_hockey_stick(pair.swapped() if swap else pair, point["epsilon"], digits=15)
    return enclosed_difference(value, bound([point["variance"]], point["epsilon"], 15))


_L2_MUTANTS: dict[str, Callable[[Point], Enclosure] | Mapping[str, Any]] = {
    "the corrected bound": lambda point: _excess(point, certified_bounds.more_spread_bound),
    "the less spread law first": lambda point: _excess(point, swap=True),
    "a point where the printed bound is 1": {"variance": 7, "epsilon": "0.1"},
}


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


_SPECTRUM = (
    vector("lam", "reals", 2, "0.0025", 400, "log"),
    vector("m", "integers", 2, 1, 5),
    *(real("s", "1e-4", "1e5", "log"), real("u", "1e-4", 1000, "log")),
    *(real("e", "1e-6", 10, "log"), real("g", "1e-6", 20, "log")),
)
_NEAR = {"m_1": 1, "m_2": 1, "s": 500}  # covariances so near that the search in log(lam) comes by no others like them
_SEARCH = {"quick": 1500, "full": 20_000}
_PRINTED = statement(
    "delta_{P,Q}(lam, m; nu/2 + e) = 0, and delta_{P,Q}(lam, m; nu/2 - g)"
    " <= e^{2 s g} prod_i (1 + 2 s (1 - e^{-|log(lam_i)|}))^{-m_i/2}"
    " - e^{nu/2 - g} (1 - e^{-2 u g} prod_i (1 - 2 u (e^{|log(lam_i)|} - 1))^{-m_i/2})",
    *("lam_i > 0", "sum_i |lam_i - 1| <= |sum_i (lam_i - 1)|", "m_i >= 1", "e > 0", "0 < g <= nu/2", "s > 0", "u > 0"),
    "2 u (e^{|log(lam_i)|} - 1) < 1",
    where={"nu": "sum_i m_i |log(lam_i)|"},
    over=_SPECTRUM,
)

CLAIMS = (
    stated_claim(
        id="N26-L2",
        tags=("reading",),
        source="N26",
        title="Chernoff bound of a covariance shift, and zero leakage from eps >= nu/2 on",
        stated=_PRINTED,
        stands=under(_PRINTED, "lam_i <= 1"),
        search={**_SEARCH, "starts": ({**_NEAR, "lam_1": "0.999", "lam_2": 1, "u": 1, "e": "1e-6", "g": "1e-4"},)},
        fails_at=({"lam_1": 7, "lam_2": 1, "m_1": 1, "m_2": 1, "e": "0.027", "g": "0.0129", "s": 20, "u": "0.01"},),
        parts=("S1 <= S2", "S1 >= S2"),
        about=(
            "For all s, u; equal means, and covariances comparable in the Loewner order: P may be the more spread law."
        ),
        declared=Verdict.RESTRICTED,
        checks=(
            proof("two laws, the less spread one first", less_spread.first_less_spread, part="S1 <= S2"),
            proof("the bound where P is the less spread law", less_spread_printed.printed_bound, part="S1 <= S2"),
        ),
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
    stated_claim(
        id="N26-L2-corrected",
        source="N26",
        title="Chernoff bound of a covariance shift, both directions",
        stated=statement(
            "delta_{P,Q}(lam, m; eps) <= B, and delta_{Q,P}(lam, m; eps) <= B",
            *("lam_i >= 1", "m_i >= 1", "s > 0", "s (lam_i - 1) < 1", "eps >= 0"),
            where={
                "nu": "sum_i m_i log(lam_i)",
                "B": "s^s (1 + s)^{-1 - s} e^{-s (eps + nu/2)} prod_i (1 - s (lam_i - 1))^{-m_i/2}",
            },
            over=_SPECTRUM,
        ),
        search={**_SEARCH, "starts": ({**_NEAR, "lam_1": "1.001", "lam_2": 1, "eps": 0},)},
        about="For all s, so for the infimum over them; equal means, comparable covariances.",
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
