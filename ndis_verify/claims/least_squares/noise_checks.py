"""Checks on private least squares: the conjectured order, how much noise suffices, the distance of the two curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import scipy
from flint import arb
from scipy.special import betainc, gammainc, gammaln

from ndis_verify.claim import Check, Evidence, Kind, Outcome
from ndis_verify.claims.least_squares.matrices import DIRECTIONS, databases, limit_pair, shares
from ndis_verify.court.attack_checks import attack_check, counterexample_check
from ndis_verify.court.domain import Condition, Domain, choice, continuous, integer
from ndis_verify.court.proof_checks import proof
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick as fast_als_hockey_stick
from ndis_verify.fast.least_squares.asymptotic_law import als_max_privacy_loss as fast_als_max_privacy_loss
from ndis_verify.fast.least_squares.asymptotic_law import log_als_hockey_stick as fast_log_als_hockey_stick
from ndis_verify.fast.least_squares.finite_law import als_exact_hockey_stick as fast_als_exact_hockey_stick
from ndis_verify.fast.least_squares.gap import als_asymptotic_gap as fast_als_asymptotic_gap
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.certified.least_squares.asymptotic_law import als_hockey_stick as certified_als_hockey_stick
from ndis_verify.symbolic import least_squares as derived
from ndis_verify.symbolic import least_squares_limit as limit
from ndis_verify.symbolic import leverage, privacy_loss

_FLOOR = math.log(1e-9)


def larger(curve: Callable[..., Any], p, q, d, r, epsilon) -> np.ndarray:
    """log of the larger direction of a float64 curve; d may vary."""
    p, q, d, r, epsilon = (np.asarray(v, dtype=float) for v in np.broadcast_arrays(p, q, d, r, epsilon))
    result = np.empty(p.shape)
    for features in np.unique(d):
        rows = d == features
        found = [curve(p[rows], q[rows], int(features), r[rows], epsilon[rows], direction) for direction in DIRECTIONS]
        result[rows] = np.maximum(*found)
    return result


def worst(p, q, d, r, epsilon, curve=certified_als_hockey_stick) -> arb:
    """The larger direction, enclosed; call it at a working precision."""
    first, second = (to_exact_ball(curve(p, q, d, r, epsilon, direction, digits=20)) for direction in DIRECTIONS)
    return first.max(second)


def _visible_margin(reverse: bool = False) -> Callable[..., np.ndarray]:
    """log of the larger direction after one of the two grows less before, where it was at least 1e-9."""

    def margin(p, ratio, factor, depth, grown, d, r):
        share = p * ratio
        p2, share2 = np.where(grown == "leverage", p * factor, p), np.where(grown == "share", share * factor, share)
        size = np.sqrt(r * p * share / (1 - p - share))
        epsilon = size**2 / 2 + depth * (size + depth / 2 * np.maximum(p, share) / (1 - p - share))
        before, after = (
            larger(fast_log_als_hockey_stick, a, a + b, d, r, epsilon) for a, b in ((p, share), (p2, share2))
        )
        return np.where(before >= _FLOOR, (before - after) if reverse else (after - before), 1.0)

    return margin


VISIBLE = attack_check(
    "r >= 50 and divergence at least 1e-9: none falls",
    _visible_margin(),
    Domain(
        (
            continuous("p", "0.0001", "0.6", "log"),
            continuous("ratio", "0.01", 100, "log"),
            continuous("factor", "1.001", 4, "log"),
            continuous("depth", "0.01", "6.5"),
            choice("grown", ("leverage", "share")),
            choice("d", (1, 2, 5, 30)),
            integer("r", 50, 1000, "log"),
        ),
        (Condition("q stays below 0.95", lambda p, ratio, factor, **_: p * (1 + ratio) * factor < 0.95),),
    ),
    mutants={"decreasing": _visible_margin(reverse=True)},
    quick=600,
    full=20_000,
    part="r >= 50, divergence at least 1e-9",
)


def _lone_record(point) -> tuple[arb, Fraction]:
    """(the larger direction for the record (v, beta) beside sigma I against no record, (v^2 + beta^2)/sigma^2)."""
    d = point["d"]
    record = (point["v"], *[0] * (d - 1), point["beta"])
    ridge = tuple(tuple(point["sigma"] if i == j else 0 for j in range(d + 1)) for i in range(d + 1))
    first, second = (
        to_exact_ball(
            certified_hockey_stick(limit_pair((record, *ridge), 0, point["r"], direction), point["epsilon"], digits=20)
        )
        for direction in DIRECTIONS
    )
    return first.max(second), (point["v"] ** 2 + point["beta"] ** 2) / exact(point["sigma"]) ** 2


def _passes_unsafe(corner: Callable[[Fraction], tuple[Fraction, Fraction]]) -> Callable[[Any], Enclosure]:
    """delta less the test's value, or the lone record's divergence less delta, whichever is smaller: both positive
    refutes.

    The test is made at l^2/sigma^2 and at the smaller l^2/(sigma^2 + l^2).
    """

    def violation(point) -> Enclosure:
        with working_bits(120):
            actual, loose = _lone_record(point)
            tests = [
                worst(*corner(cap), point["d"], point["r"], point["epsilon"]) for cap in (loose, loose / (1 + loose))
            ]
            delta = ball(exact(point["delta"]))
            return enclosure((delta - tests[0].max(tests[1])).min(actual - delta))

    return violation


def _tested_at_worst(point) -> Enclosure:
    """The same with the test made at the record itself: it does not pass."""
    with working_bits(120):
        actual, _ = _lone_record(point)
        delta = ball(exact(point["delta"]))
        return enclosure((delta - actual).min(actual - delta))


def _record(v: str, beta: str, d: int, r: int, epsilon: str, delta: str) -> dict[str, Any]:
    numbers = {name: exact(value) for name, value in (("v", v), ("beta", beta), ("epsilon", epsilon), ("delta", delta))}
    return numbers | {"sigma": 3, "d": d, "r": r}


_DIAGONAL = _record("1", "0", 1, 1, "0.5", "5e-5")
_INNER = _record("0.6", "0.8", 2, 100, "1", "1e-4")
UNSAFE = (
    counterexample_check(
        "noise tested at leverage = share = cap",
        _passes_unsafe(lambda cap: (cap, 2 * cap)),
        _DIAGONAL,
        {"tested at the record": _tested_at_worst, "r = 100": _DIAGONAL | {"r": 100}},
        part="as printed",
    ),
    *(
        counterexample_check(
            f"noise tested at {name}",
            _passes_unsafe(corner),
            _INNER,
            {"tested at the record": _tested_at_worst, "delta below the test": _INNER | {"delta": Fraction(1, 10**9)}},
            part="as printed",
        )
        for name, corner in (
            ("leverage = cap, share = 0", lambda cap: (cap, cap)),
            ("leverage = 0, share = cap", lambda cap: (Fraction(0), cap)),
        )
    ),
)
UNSAFE_TEXT = (
    "sigma = 3, l = 1. Tested at leverage = share = l^2/sigma^2: d = r = 1, eps = 0.5, delta = 5e-5 passes; the record"
    " (1, 0) against no record has 1.506643e-4. Tested at either corner of q = l^2/sigma^2: d = 2, r = 100, eps = 1,"
    " delta = 1e-4 passes; (0.6, 0, 0.8) has 0.0104827"
)


def _caps(scale: Fraction = Fraction(1)) -> Callable[[str], Evidence]:
    """Exact q of records beside sigma I against scale l^2/(sigma^2 + l^2)."""

    def run(effort: str) -> Evidence:
        cases, tight = databases(effort), 0.0
        for database, row in cases:
            longest = max(sum(v * v for v in record) for record in database)
            width = len(database[0])
            for sigma in (1, 5):
                ridge = tuple(tuple(sigma * (i == j) for j in range(width)) for i in range(width))
                for rows, at in ((database + ridge, row), ((database[row], *ridge), 0)):
                    p, q = shares(rows, at)
                    cap = scale * Fraction(longest, longest + sigma * sigma)
                    tight = max(tight, float(q / cap))
                    if not p <= q <= cap:
                        return Evidence(
                            Outcome.FAILED, "exact rational", f"q over the cap {float(q / cap):.4g}", count=len(cases)
                        )
        return Evidence(
            Outcome.HELD, "exact rational", f"largest q over the cap {tight:.6f}", 15, 4 * len(cases), "databases"
        )

    return run


CAPS = Check(
    "exact leverages beside sigma I",
    Kind.CROSSCHECK,
    _caps(),
    {"cap a hundredth lower": _caps(Fraction(99, 100))},
    "augmentation",
)
SAFE = "the largest divergence over 0 <= p <= q <= l^2/(sigma^2 + l^2) is at most delta"
SAFE_CHECKS = tuple(
    proof(name, build, part="largest divergence tested")
    for name, build in (
        ("deleted solution, any d", derived.deleted_solution),
        ("quadratic form of a deletion", derived.quadratic_form_deletion),
        ("quadratic form of an insertion", derived.quadratic_form_insertion),
        ("leverage beside a ridge", leverage.ridge),
        ("which (p, q) there are", limit.pure_privacy),
        ("DP and the divergence", privacy_loss.dp_iff_hockey_stick),
    )
)


def student_distance(d: int, r: int) -> float:
    """Total variation distance of the scaled sketched solution from N(0, I_d): the same for every database.

    Both laws depend on s = |z|^2; their ratio falls in s up to 1 and grows after, so it crosses 1 at most twice.
    """
    constant = gammaln((r + 1) / 2) - gammaln((r - d + 1) / 2) - d / 2 * math.log(r / 2)
    ratio = lambda s: constant + s / 2 - (r + 1) / 2 * math.log1p(s / r)  # noqa: E731
    normal = lambda s: gammainc(d / 2, s / 2)  # noqa: E731
    student = lambda s: betainc(d / 2, (r - d + 1) / 2, s / (r + s))  # noqa: E731
    high = scipy.optimize.brentq(ratio, 1, 10 * (r + d))
    low = scipy.optimize.brentq(ratio, 0, 1) if ratio(0) > 0 else 0.0
    return float(normal(high) - normal(low) - student(high) + student(low))


def _distance_margin(scale: float = 1.0) -> Callable[..., float]:
    def margin(q, along, position, d, extra, direction):
        p, r = q * along, d + extra
        epsilon = position * float(fast_als_max_privacy_loss(p, q, d, r, direction))
        gap = abs(
            float(
                fast_als_hockey_stick(p, q, d, r, epsilon, direction)
                - fast_als_exact_hockey_stick(p, q, d, r, epsilon, direction)
            )
        )
        return scale * (1 + math.exp(min(epsilon, 700))) * student_distance(d, r) - gap

    return margin


def sketch_domain(*more) -> Domain:
    return Domain(
        (
            continuous("q", "0.001", "0.95", "logit"),
            continuous("along", 0, 1),
            continuous("position", 0, "0.98"),
            choice("d", (1, 2, 3, 6)),
            integer("extra", 0, 200),
            *more,
        )
    )


def _rate(power: float) -> Callable[[str], Evidence]:
    """r TV(d, r) against E|S^2 - 2S - d^2|/8, S chi-square with d degrees of freedom, at r = 20000."""

    def run(effort: str) -> Evidence:
        x = np.linspace(0, 15, 60_001)  # S = x^2
        worst = 0.0
        for d in (1, 2, 5):
            weight = 2 * x ** (d - 1) * np.exp(-(x**2) / 2) / (2 ** (d / 2) * math.gamma(d / 2))
            limit_value = np.trapezoid(weight * np.abs(x**4 - 2 * x**2 - d * d), x) / 8
            worst = max(worst, abs(20_000**power * student_distance(d, 20_000) / limit_value - 1))
        held = worst < 2e-3
        return Evidence(
            Outcome.HELD if held else Outcome.FAILED,
            "float64",
            f"relative difference {worst:.1e}",
            2 if held else 0,
            3,
            "dimensions",
        )

    return run


_SLOPES = (((0.1, 0.1), 1, -1), ((0.0, 0.1), 3, -1), ((0.2, 0.5), 1, 0))


def _slopes(shift: float = 0.0) -> Callable[[str], Evidence]:
    """Exponents of r in the largest distance over epsilon: -1 at p = q and at p = 0; a fixed record with both does not
    converge.
    """

    def run(effort: str) -> Evidence:
        shown = []
        for (p, q), d, expected in _SLOPES:
            near, far = (fast_als_asymptotic_gap(p, q, d, r).largest for r in (100, 400))
            slope = math.log(far / near) / math.log(4)
            shown.append(f"{slope:.2f}")
            good = slope > shift if expected == 0 else abs(slope - expected - shift) < 0.1
            if not good:
                return Evidence(
                    Outcome.FAILED, "float64", f"exponent {slope:.2f} at p = {p}, q = {q}", count=len(_SLOPES)
                )
        return Evidence(Outcome.HELD, "float64", f"exponents {', '.join(shown)}", 1, len(_SLOPES), "records")

    return run


_DISTANCE = attack_check(
    "distance of the two curves against (1 + e^eps) TV",
    _distance_margin(),
    sketch_domain(choice("direction", DIRECTIONS)),
    mutants={"a fiftieth of it": _distance_margin(0.02)},
    quick=150,
    full=2000,
    vectorised=False,
    part="fixed eps",
)
SLOPES = Check("exponents of r", Kind.CROSSCHECK, _slopes(), {"half a power more": _slopes(0.5)}, "every eps")
GAP = (
    proof("the transfer, and rates of a fixed record", limit.privacy_gap, part="fixed eps"),
    proof("the limit law", limit.limit_law, part="fixed eps"),
    proof("its distance is of order 1/r", limit.distance_rate, part="fixed eps"),
    proof("the finite-r law", derived.student_law, part="fixed eps"),
    _DISTANCE,
    Check("rate of the distance", Kind.CROSSCHECK, _rate(1.0), {"1/sqrt(r)": _rate(0.5)}, "fixed eps"),
)
