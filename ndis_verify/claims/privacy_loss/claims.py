"""Claims about differential privacy as divergences and privacy losses, whatever the mechanism."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.checks import agreement, formula_check
from ndis_verify.court.decided_points import decided
from ndis_verify.court.points import count, random_pair, shifts_and_epsilons, short
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import integer, real, vector
from ndis_verify.symbolic import counting_queries, mean_shift, mean_shift_order, privacy_loss, soft_sets


def _finite_laws(effort: str) -> list[tuple[tuple[Fraction, ...], tuple[Fraction, ...], Fraction]]:
    """Pairs of laws on six points, zeros allowed, with e^eps a short rational."""
    rng = np.random.default_rng(22)
    laws = []
    for _ in range(count(effort, 30, 200)):
        p, q = (rng.integers(0, 6, 6) + np.eye(6, dtype=int)[k] for k in (0, 1))
        as_law = lambda weights: tuple(Fraction(int(w), int(weights.sum())) for w in weights)  # noqa: E731
        laws.append((as_law(p), as_law(q), Fraction(int(rng.integers(4, 13)), 4)))
    return laws


def _by_events(p, q, factor) -> float:
    """The supremum over all 64 events, exactly."""
    differences = [a - factor * b for a, b in zip(p, q)]
    return float(max(sum(d for k, d in enumerate(differences) if event >> k & 1) for event in range(64)))


def _by_hinge(p, q, factor) -> float:
    return float(sum(max(a - factor * b, Fraction(0)) for a, b in zip(p, q)))


def _by_tails(p, q, factor, strict: bool = False, direction: int = 1) -> float:
    """Pr[L >= eps] - e^eps Pr[L' <= -eps], ties counted in both (or in neither, with `strict`)."""
    bad = [a > factor * b if strict else a >= factor * b for a, b in zip(p, q)]
    if direction < 0:
        bad = [not b for b in bad]
    return float(sum(a for a, b in zip(p, bad) if b) - factor * sum(b for b, x in zip(q, bad) if x))


_EVENTS = agreement(
    "the hinge sum against the maximum over every event, on finite laws",
    "exact rational, exhaustive",
    _by_hinge,
    _by_events,
    _finite_laws,
    digits=15,
    mutants={
        "absolute values for positive parts": lambda p, q, factor: sum(abs(float(a - factor * b)) for a, b in zip(p, q))
    },
)
_TAILS = agreement(
    "the two tails against the maximum over every event, on finite laws",
    "exact rational, exhaustive",
    _by_tails,
    _by_events,
    _finite_laws,
    digits=15,
    mutants={
        "complementary event": lambda p, q, factor: _by_tails(p, q, factor, direction=-1),
        "factor e^eps dropped": lambda p, q, factor: _by_tails(p, q, Fraction(1)),
    },
)
_PROFILE = formula_check(
    "closed form against the certified contour integral of the pair",
    mean_shift.hockey_stick,
    lambda shift, epsilon: certified_hockey_stick(GaussianPair([shift], 1, [0], 1), epsilon, digits=25),
    shifts_and_epsilons,
    digits=24,
)


def _triangle(change: int = 0):
    """Certified margins of the triangle inequality on random Gaussian triples, the tight case P = Q included."""

    def run(effort: str) -> Evidence:
        rng = np.random.default_rng(23)
        total, worst = count(effort, 12, 60), math.inf
        for k in range(total):
            d = int(rng.integers(1, 4))
            first, other = random_pair(rng, d), random_pair(rng, d)
            p, q, r = (first.mean_p, first.cov_p), (first.mean_q, first.cov_q), (other.mean_p, other.cov_p)
            p = q if k % 4 == 0 else p
            e1, e2 = short(rng.uniform(0, 2)), short(rng.uniform(0, 2))
            whole, step, rest = (
                certified_hockey_stick(GaussianPair(*x, *y), e, digits=20)
                for x, y, e in ((p, r, Fraction(e1) + Fraction(e2)), (p, q, e1), (q, r, e2))
            )
            with mpmath.workdps(30):
                factor = mpmath.exp(0 if change == 1 else e1)
                bound = step.mid + factor * rest.mid if change != 2 else step.mid
                margin = (bound - whole.mid) / (bound + whole.mid) if whole.mid else mpmath.mpf(1)
            if margin < -(mpmath.mpf(10) ** -18):
                return Evidence(
                    Outcome.FAILED, "certified", f"margin {mpmath.nstr(margin, 3)} at triple {k}", count=total
                )
            worst = min(worst, float(margin))
        return Evidence(
            Outcome.HELD, "certified", f"smallest relative margin {max(worst, 0):.2g}", 18, total, "triples"
        )

    return run


_ELSEWHERE = {f"{name}_{k}": "1e-6" if name == "p" else 1 for name in "pqw" for k in (2, 3, 4)}
_TIGHT = tuple(  # one event, likely under P, unlikely under Q, next to none under R: both sides are equal
    {**_ELSEWHERE, "p_1": 1, "q_1": q, "w_1": "0.001", "x": x, "y": y}
    for q, x, y in (("0.1", 3, 2), ("0.3", 2, 3), (1, "0.5", 5))
)

CLAIMS: tuple[Claim, ...] = (
    stated_claim(
        id="N26-P3",
        source="N26",
        title="triangle inequality of the divergence",
        stated=statement(
            "sum_i max(0, p_i - e^{x + y} w_i) <= (sum_i max(0, p_i - e^x q_i)) + e^x sum_i max(0, q_i - e^y w_i)",
            over=(*(vector(name, "law", 4, "1e-6", 1, "log") for name in "pqw"), real("x", -3, 6), real("y", -3, 6)),
        ),
        search={"quick": 1500, "starts": _TIGHT},
        about=(
            "delta_{P,R}(e1 + e2) <= delta_{P,Q}(e1) + e^{e1} delta_{Q,R}(e2), for all laws: here of P = p, Q = q, R ="
            " w."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("event by event", privacy_loss.triangle),
            proof("point by point", privacy_loss.triangle_of_masses),
            Check("certified on Gaussian triples", Kind.CROSSCHECK, _triangle(), {"second term dropped": _triangle(2)}),
        ),
    ),
    stated_claim(
        id="BW-T5",
        source="BW",
        title="(eps, delta)-DP through the two tails of the privacy loss",
        stated=statement(
            "(sum_i t_i p_i) - e^eps (sum_i t_i q_i) = sum_i max(0, p_i - e^eps q_i)",
            *("t_i (p_i - e^eps q_i) >= 0", "(1 - t_i) (p_i - e^eps q_i) <= 0", "0 <= t_i <= 1"),
            over=(
                vector("t", "integers", 4, 0, 1),
                *(vector(name, "law", 4, "1e-6", 1, "log") for name in "pq"),
                real("eps", -1, 2),
            ),
        ),
        about=(
            "A mechanism is (eps, delta)-DP if and only if Pr[L >= eps] - e^eps Pr[L' <= -eps] <= delta for every"
            " ordered neighbouring pair, whose output laws have densities with respect to one measure; L = log p/q"
            " under P and L' = log q/p under Q. t is the event p_i >= e^eps q_i, with or without ties: the difference"
            " is the divergence, which DP bounds by delta (KM-2.2)."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("DP and the divergence", privacy_loss.dp_iff_hockey_stick),
            proof("the two tails", privacy_loss.two_tails),
            proof("the event of the loss", soft_sets.event_of_the_loss),
            _EVENTS,
            _TAILS,
        ),
        note=(
            "Ties L = eps cancel between the two terms, so >= and > give one number, provided both terms use the same"
            " one."
        ),
    ),
    stated_claim(
        id="BW-T8",
        source="BW",
        title="exact condition for the Gaussian mechanism",
        stated=statement(
            "sup_{0 <= s <= 1} delta_shift(s D; eps) <= delta"
            " if and only if Phi(D/2 - eps/D) - e^eps Phi(-D/2 - eps/D) <= delta",
            *("Delta > 0", "sigma > 0", "eps >= 0", "0 <= delta <= 1"),
            where={"D": "Delta/sigma"},
            over=(real("eps", 0, 6),),
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("profile of one pair", privacy_loss.gaussian_profile),
            proof("the condition", mean_shift_order.worst_pair),
            _PROFILE,
        ),
        note=(
            "Delta is the global sensitivity, attained or approached, of the function to which noise N(0, sigma^2 I) is"
            " added: neighbouring databases give pairs whose means are s D apart, 0 <= s <= 1. That their divergences"
            " are all at most delta is (eps, delta)-DP (KM-2.2)."
        ),
    ),
    stated_claim(
        id="KM-2.2",
        source="KM",
        title="DP if and only if the hockey-stick divergence is at most delta",
        stated=statement(
            "sum_i t_i p_i - e^eps (sum_i t_i q_i) <= sum_i max(0, p_i - e^eps q_i)",
            "0 <= t_i <= 1",
            over=(vector("t", "reals", 4, 0, 1), *(vector(name, "law", 4, "1e-6", 1, "log") for name in "pq")),
        ),
        about=(
            "For real eps a mechanism is (eps, delta)-DP exactly when every ordered neighbouring pair has divergence"
            " at most delta: output laws have densities with respect to one measure: P(S) - e^eps Q(S) is at most the"
            " divergence for every event, t its indicator, and attains it where p_i > e^eps q_i."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("DP and the divergence", privacy_loss.dp_iff_hockey_stick),
            proof("every event", soft_sets.gain_of_a_test),
            _EVENTS,
        ),
    ),
    stated_claim(
        id="SL-1",
        source="SL",
        title="l2 sensitivity of k counting queries; l2 at most l1",
        stated=statement(
            "sqrt(sum_i m_i x_i^2) <= sqrt(k)/n, and sqrt(sum_i m_i x_i^2) <= sum_i m_i |x_i|",
            *("|x_i| <= 1/n", "m_i >= 1", "n >= 1"),
            where={"k": "sum_i m_i"},
            over=(integer("n", 1, 50), vector("x", "reals", 2, -1, 1), vector("m", "integers", 2, 1, 30, "log")),
        ),
        about=(
            "k counting queries, each a fraction of n records, n public: one record that is replaced changes m_i of"
            " them by x_i."
        ),
        declared=Verdict.PROVED,
        checks=(proof("sum of squares", counting_queries.sensitivity_norms),),
    ),
)
CLAIMS = decided(CLAIMS, "KM-2.2", "SL-1")
