"""Claims about trade-off functions: what they are, conversion from a profile, posterior mass, the curve of Laplace."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.checks import agreement, formula_check
from ndis_verify.court.decided_points import decided
from ndis_verify.court.points import count, short
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim, statement_points
from ndis_verify.enclosure import Enclosure
from ndis_verify.fast import trade_off as fast_trade_off
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.oracle import trade_off as certified
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.finite_trade_off import Law, converted, exact_trade_off
from ndis_verify.statements.reading import statement, under
from ndis_verify.statements.statement import Statement, real, vector
from ndis_verify.symbolic import soft_sets, trade_off_limits
from ndis_verify.symbolic import trade_off as derived


def _laws(effort: str) -> list[tuple[Law, Law, Fraction]]:
    """Pairs of laws on five points, zeros allowed, with a level in [0, 1]."""
    rng = np.random.default_rng(31)
    points = []
    for _ in range(count(effort, 25, 150)):
        weights = rng.integers(0, 6, (2, 5)) + np.eye(5, dtype=int)[:2]
        p, q = (tuple(Fraction(int(w), int(row.sum())) for w in row) for row in weights)
        points.append((p, q, Fraction(int(rng.integers(0, 13)), 12)))
    return points


def _symmetric(p: Law, q: Law) -> tuple[Law, Law]:
    """P x Q against Q x P: a pair whose two orders are mirror images, so that T is its own inverse."""
    return tuple(a * b for a in p for b in q), tuple(b * a for a in q for b in p)


def _four_properties(bend: Fraction = Fraction(0), jump: Fraction = Fraction(0)):
    """Convex, nonincreasing and below 1 - x on a grid, and continuous at 0, for exact curves of finite laws.

    `bend` adds a multiple of x (1 - x), `jump` an amount at 0: the planted faults.
    """

    def run(effort: str) -> Evidence:
        laws = _laws(effort)
        for p, q, _ in laws:
            curve = lambda x: exact_trade_off(p, q, x) + bend * x * (1 - x) + (jump if x == 0 else 0)  # noqa: E731
            values = [curve(Fraction(k, 24)) for k in range(25)]
            convex = all(values[k - 1] + values[k + 1] >= 2 * values[k] for k in range(1, 24))
            falling = all(a >= b for a, b in itertools.pairwise(values))
            below = all(v <= 1 - Fraction(k, 24) for k, v in enumerate(values))
            continuous = values[0] - curve(Fraction(1, 10**12)) <= Fraction(1, 10**10)
            if not (convex and falling and below and continuous):
                return Evidence(
                    Outcome.FAILED, "exact rational", f"properties broken for p = {p}, q = {q}", count=len(laws)
                )
        return Evidence(
            Outcome.HELD,
            "exact rational",
            "four properties on 25 levels of each curve",
            count=len(laws),
            counted="pairs of laws",
        )

    return run


def _below_both(both: bool = True):
    """The conversion is at most T(P, Q) and T(Q, P), exactly; with one order only it is not."""

    def run(effort: str) -> Evidence:
        laws = _laws(effort)
        for p, q, level in laws:
            if converted(p, q, level, both) > min(exact_trade_off(p, q, level), exact_trade_off(q, p, level)):
                return Evidence(Outcome.FAILED, "exact rational", f"above a curve at x = {level}", count=len(laws))
        return Evidence(Outcome.HELD, "exact rational", "at most both curves", count=len(laws), counted="pairs of laws")

    return run


def _swapped_posterior(point: dict) -> Enclosure:
    """Printed posterior mean of the type I error less the one from the false positives: (FN - FP)/(N + 1)."""
    with working_bits(128):
        return enclosure(ball((point["FN"] - point["FP"]) / (point["N"] + 1)))


def _epsilon(mu: float, delta: float) -> float:
    low, high = 0.0, mu * mu + 40 * mu
    if fast_gaussian_hockey_stick(mu, 1.0, 0.0) <= delta:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if fast_gaussian_hockey_stick(mu, 1.0, middle) > delta else (low, middle)
    return high


def _never_above(shift: float):
    """KM-Alg1's curve against the certified curve: never above, and near it; `shift` is the planted error of
    epsilon.
    """

    def run(effort: str) -> Evidence:
        worst, points = 0.0, [(level, mu) for mu in (0.5, 1.0, 3.0) for level in (0.01, 0.1, 0.3, 0.7)]
        sizes = count(effort, 100, 1000)
        for mu in (0.5, 1.0, 3.0):
            deltas = np.linspace(1e-6, 1 - 1e-6, sizes)
            epsilons = np.maximum(np.array([_epsilon(mu, delta) for delta in deltas]) + shift, 0)
            for level in (0.01, 0.1, 0.3, 0.7):
                truth = float(certified.gaussian_trade_off(level, mu, 15).mid)
                gap = truth - float(fast_trade_off.profile_trade_off(level, epsilons, deltas))
                if gap < -1e-12 or gap > 3 / sizes:
                    return Evidence(
                        Outcome.FAILED,
                        "fast, certified",
                        f"gap {gap:.2e} at alpha = {level}, mu = {mu}",
                        count=len(points),
                    )
                worst = max(worst, gap)
        return Evidence(
            Outcome.HELD,
            "fast, certified",
            f"below the exact curve by at most {worst:.1e} with {sizes} deltas",
            count=len(points),
        )

    return run


def _middle_levels(effort: str) -> list[tuple[float, float]]:
    """(alpha, mu) on the middle branch."""
    rng = np.random.default_rng(32)
    points = []
    for _ in range(count(effort, 12, 60)):
        mu = short(rng.uniform(0.1, 8))
        points.append((short(np.exp(rng.uniform(np.log(0.51 * np.exp(-mu)), np.log(0.499)))), mu))
    return points


def _levels(effort: str) -> list[tuple[float, float]]:
    rng = np.random.default_rng(33)
    return [(short(10 ** rng.uniform(-8, -0.05)), short(rng.uniform(0.05, 6))) for _ in range(count(effort, 15, 80))]


def _fast_check(name: str, left, right, points, mutants, part: str = "statement") -> Check:
    return agreement(name, "fast, certified", left, right, points, digits=10, mutants=mutants, part=part)


_EXACT_T = agreement(
    "the formula against the Neyman-Pearson curve of pairs that are their own mirror image",
    "exact rational",
    lambda p, q, level: float(converted(*_symmetric(p, q), level)),
    lambda p, q, level: float(exact_trade_off(*_symmetric(p, q), level)),
    lambda effort: [
        point for point in _laws(effort) if point[2] < 1 and exact_trade_off(*_symmetric(*point[:2]), point[2]) > 0
    ],
    digits=8,
    mutants={
        "level shifted by 1/100": lambda p, q, level: float(converted(*_symmetric(p, q), level + Fraction(1, 100))),
        "profile of half the pair": lambda p, q, level: float(converted(p, q, level)),
    },
)


def _lines_below_tests(profile: str) -> Statement:
    """The two lines of a profile h(a) lie below the type II error b of every test t whose type I error is at most x."""
    return statement(
        "1 - h - a x <= b, and (1 - h - x)/a <= b",
        "0 <= t_i <= 1",
        "sum_i t_i p_i <= x <= 1",
        "a > 0",
        where={"h": profile, "b": "1 - sum_i t_i q_i"},
        over=(
            vector("t", "reals", 2, 0, 1),
            *(vector(name, "law", 2, "1e-6", 1, "log") for name in "pq"),
            real("a", "1e-2", 10, "log"),
            real("x", 0, 1),
        ),
    )


_BOTH_ORDERS = "max(sum_i max(0, p_i - a q_i), sum_i max(0, q_i - a p_i))"


def _laplace(ratio: str) -> Statement:
    """Both errors of the test x > t l of Lap(0, l) and Lap(D, l) on the curve whose mu is this ratio."""
    return statement(
        "F = f",
        *("D > 0", "l > 0"),
        where={
            "u": "t - D/l",
            "F": "e^{min(0, u)}/2 + (1 - e^{-max(0, u)})/2",
            "alpha": "e^{-max(0, t)}/2 + (1 - e^{min(0, t)})/2",
            "mu": ratio,
            "c": "min(1/2, max(e^{-mu}/2, alpha))",
            "f": "e^{-mu}/(4 c) - e^{-mu} (alpha - c)/(4 c^2)",
        },
        over=(real("t", -6, 6), *(real(name, "0.1", 10, "log") for name in ("D", "l"))),
    )


_LAPLACE = _laplace("l/D")

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="KM-2.5",
        source="KM",
        title="which functions are trade-off functions",
        statement=(
            "f: [0,1] -> [0,1] is a trade-off function if and only if it is convex, continuous, nonincreasing and f(x)"
            " <= 1 - x."
        ),
        hypotheses=("f maps [0, 1] to [0, 1]",),
        declared=Verdict.PROVED,
        checks=(
            proof("both directions", derived.characterisation),
            Check(
                "exact curves of finite laws",
                Kind.CROSSCHECK,
                _four_properties(),
                {
                    "bent upwards": _four_properties(bend=Fraction(2)),
                    "jump at 0": _four_properties(jump=Fraction(1, 50)),
                },
            ),
        ),
        note=(
            "Inside (0, 1) and at 1 continuity follows from the other three; at 0 it does not: f(0) = 1, f(x) = (1-x)/2"
            " has the other three."
        ),
    ),
    stated_claim(
        id="KM-2.7",
        source="KM",
        tags=("misprint",),
        title="from a privacy profile to the trade-off function",
        stated=_lines_below_tests(_BOTH_ORDERS),
        about=(
            "With h(a) the privacy profile at e^eps = a (the largest divergence over both orders of every"
            " neighbouring pair), f(x) = sup_{a > 0} max(0, 1 - h(a) - a x, (1 - h(a) - x)/a) is a trade-off"
            " function, the mechanism is f-DP, and f is the largest such function: here of P = p and Q = q on k"
            " points and all their tests t."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("lines below every curve, and enough of them", derived.conversion),
            proof("both lines below every test", soft_sets.lines_below_tests),
            _EXACT_T,
            Check(
                "at most both curves of a pair",
                Kind.CROSSCHECK,
                _below_both(),
                {"profile of one order": _below_both(both=False)},
            ),
        ),
        note=(
            "Printed with max over a >= 0: the supremum need not be attained (x = 0) and the third member needs a > 0."
            " Orders a >= 1 suffice. With a profile of one order only the formula overstates privacy, see"
            " KM-2.7-one-order."
        ),
    ),
    stated_claim(
        id="KM-2.7-one-order",
        source="KM",
        tags=("reading",),
        title="the conversion applied to one order of a pair",
        stated=_lines_below_tests("sum_i max(0, p_i - a q_i)"),
        about=(
            "With h(a) = H_a(P||Q) of one ordered pair, as the problem formulation of the source has it, f(x) = sup_{a"
            " > 0} max(0, 1 - h(a) - a x, (1 - h(a) - x)/a) is at most T(P, Q)(x), the least type II error b of a test"
            " t of size x: here of P = p and Q = q on k points."
        ),
        declared=Verdict.REFUTED,
        fails_at=(
            {"t_1": 0, "t_2": 1, "p_1": "0.9", "p_2": "0.1", "q_1": "0.5", "q_2": "0.5", "a": "1.8", "x": "0.1"},
        ),
        checks=(),
        corrected=(
            "Take h(a) = max(H_a(P||Q), H_a(Q||P)) (KM-2.7), or only the member (1 - h(a) - x)/a, which is T(P, Q)"
            " exactly."
        ),
        note="An auditor that bins one order and converts it reports a curve that is too private.",
    ),
    stated_claim(
        id="KM-Alg1",
        source="KM",
        title="the trade-off function from a grid of deltas",
        stated=statement(
            "1 - delta - a x <= b, and (1 - delta - x)/a <= b",
            *("0 <= t_i <= 1", "sum_i t_i p_i <= x <= 1", "a > 0", "h <= delta <= 1"),
            where={"h": _BOTH_ORDERS, "b": "1 - sum_i t_i q_i"},
            over=(
                vector("t", "reals", 2, 0, 1),
                *(vector(name, "law", 2, "1e-6", 1, "log") for name in "pq"),
                real("a", "1e-2", 10, "log"),
                real("x", 0, 1),
            ),
        ),
        about=(
            "For each delta on a grid an a = e^eps with h(a) <= delta, h as in KM-2.7, never too small an eps, gives"
            " two lines; their maximum is a trade-off function, never above f, and tends to f as the grid is refined:"
            " the lines lie below the type II error b of every test t of size x."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("a maximum over a part of the lines", derived.conversion),
            proof("lines of upper limits", soft_sets.lines_of_a_grid),
            Check(
                "the Gaussian mechanism's curve",
                Kind.CROSSCHECK,
                _never_above(0.0),
                {"eps too small by 0.1": _never_above(-0.1)},
            ),
        ),
        note=(
            "The result errs towards no privacy for a certified profile. Fed with estimated lower limits of a profile"
            " it bounds nothing rigorously between grid points; the source says so."
        ),
    ),
    Claim(
        id="KM-eq2.5",
        source="KM",
        title="posterior mass between f(alpha) and 1 - f(1 - alpha)",
        statement=(
            "With independent Jeffreys posteriors of the two errors, u pairing alpha with the false negatives and beta"
            " with the false positives, the integral is the posterior mass of the region that f allows."
        ),
        formula=(
            "int_0^1 int_{f(a)}^{1-f(1-a)} u(a, b) db da, u = Beta(a; 1/2 + FN, 1/2 + N - FN) Beta(b; 1/2 + FP, 1/2 + N"
            " - FP)"
        ),
        hypotheses=("alpha the type I and beta the type II error", "f a trade-off function"),
        declared=Verdict.RESTRICTED,
        checks=(
            proof(
                "the region, and the mean of a posterior", trade_off_limits.credible_region, part="f its own inverse"
            ),
            counterexample_check(
                "mean of the printed posterior of the type I error",
                _swapped_posterior,
                {"FN": Fraction(1), "FP": Fraction(0), "N": Fraction(1)},
                {"equal counts": {"FN": Fraction(1), "FP": Fraction(1), "N": Fraction(1)}},
                part="u as printed",
            ),
        ),
        counterexample=(
            "N = 1, FP = 0, FN = 1: the printed posterior of the type I error has mean 3/4, the one from the false"
            " positives 1/4."
        ),
        corrected=(
            "Beta(a; 1/2 + FP, 1/2 + N - FP) Beta(b; 1/2 + FN, 1/2 + N - FN); for f equal to its own inverse the"
            " printed order gives the same mass."
        ),
        note=(
            "The mass is Bayesian: no frequentist confidence is implied. f is discredited by mass outside its region,"
            " not supported by mass inside."
        ),
        tags=("misprint",),
    ),
    stated_claim(
        id="KM-AppC",
        source="KM",
        tags=("misprint",),
        title="the Laplace mechanism's trade-off function",
        stated=_LAPLACE,
        about=(
            "T(Lap(0, l), Lap(D, l))(alpha) is f(alpha) = F(F^-1(1 - alpha) - mu) with mu = l/D: F is the type II"
            " error of the test x > t l, alpha its type I error, and f has the branches 1 - e^mu alpha below alpha ="
            " e^{-mu}/2, e^{-mu}/(4 alpha) (printed e^{-mu}/4 alpha) up to 1/2, and e^{-mu} (1 - alpha)."
        ),
        declared=Verdict.RESTRICTED,
        fails_at=({"t": 0, "D": 2, "l": 1},),
        parts=("mu = lambda/Delta as printed", "mu = lambda/Delta as printed"),
        checks=(
            proof("where shift and scale are one", derived.laplace_of_one_size, part="D = l"),
            statement_points("as printed where shift and scale are one", under(_LAPLACE, "D = l"), "D = l"),
        ),
        corrected="mu = Delta/lambda; the middle branch is e^-mu/(4 alpha), alpha in the denominator"
        " (KM-AppC-corrected).",
        note=(
            "The source's figure has lambda = Delta = 1, where the inverted ratio does not show. With that ratio the"
            " relation holds where D = l."
        ),
    ),
    stated_claim(
        id="KM-AppC-corrected",
        source="KM",
        title="the Laplace mechanism's trade-off function, at the shift over the scale",
        stated=_laplace("D/l"),
        about=(
            "T(Lap(0, l), Lap(D, l))(alpha) is f(alpha) = F(F^-1(1 - alpha) - mu) with mu = D/l: F is the type II"
            " error of the test x > t l, alpha its type I error, and f has the branches 1 - e^mu alpha below alpha ="
            " e^{-mu}/2, e^{-mu}/(4 alpha) up to 1/2, and e^{-mu} (1 - alpha)."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("every threshold", derived.laplace_thresholds),
            proof("thresholds are best", derived.laplace),
            formula_check(
                "middle branch against F and its inverse",
                derived.laplace,
                lambda level, mu: certified.laplace_trade_off(level, mu, 25),
                _middle_levels,
                digits=22,
            ),
            _fast_check(
                "float64 branches against F and its inverse",
                fast_trade_off.laplace_trade_off,
                lambda level, mu: certified.laplace_trade_off(level, mu, 15),
                _levels,
                {"alpha in the numerator": lambda level, mu: np.exp(-mu) / 4 * level},
            ),
        ),
    ),
)
CLAIMS = decided(CLAIMS, "KM-Alg1")
