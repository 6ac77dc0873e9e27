"""The largest cap on q that meets a target, as computed in float64, held to the certified worst record below it."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import scipy

from ndis_verify.claim import Check, Evidence, Kind, Outcome
from ndis_verify.claims.least_squares.matrices import DIRECTIONS
from ndis_verify.exact_number import exact
from ndis_verify.oracle.certified.least_squares.edge import Peak, cover

# d, r, eps, delta
TARGETS = (("2", "100", "1", "1e-5"), ("10", "1000", "1", "1e-6"), ("50", "100", "2", "1e-12"))
FINITE_TARGETS = (
    ("1", "3", "0.5", "1e-3"),
    ("2", "8", "0.5", "1e-4"),
    ("2", "100", "1", "1e-5"),
    ("3", "4", "8", "1e-5"),
)


def _calibrated(targets: tuple, edge_at: Callable, cap_of: Callable, worst: Callable) -> Callable[[str], Evidence]:
    """`cap_of` (float64) is the largest cap to a relative width: covered just below it, exceeded just above."""

    def run(effort: str) -> Evidence:
        relative, chosen = (Fraction(1, 2000), targets) if effort == "full" else (Fraction(1, 50), targets[:1])
        lines, boxes = [], 0
        for texts in chosen:
            d, r, epsilon, delta = int(texts[0]), int(texts[1]), texts[2], exact(texts[3])
            cap = exact(cap_of(d, r, epsilon=float(epsilon), delta=float(delta)))
            record = worst(float(cap), d, r, float(epsilon))
            share, direction = exact(float(record.leverage)) / cap, str(record.direction)
            below, above = (edge_at(cap * scale, d, r, epsilon, 6) for scale in (1 - relative, 1 + relative))
            shown = f"d = {d}, r = {r}, eps = {epsilon}, delta = {texts[3]}: cap {float(cap):.8g}"
            if below.value(share * below.cap, direction).lower > delta:
                return Evidence(Outcome.FAILED, "Arb", f"{shown} is too large", count=1)
            if above.value(share * above.cap, direction).lower <= delta:
                return Evidence(Outcome.UNDECIDED, "Arb", f"{shown} may be too small", count=1)
            started = time.perf_counter()
            covered = cover(
                below, DIRECTIONS, Peak(Fraction(0), Fraction(0), direction), lambda _: delta, ceiling=delta
            )
            boxes += covered.boxes
            if covered.upper > delta:
                return Evidence(Outcome.FAILED, "Arb", f"{shown} is too large", count=boxes, counted="boxes")
            size = (
                f"{covered.boxes} boxes, depth {covered.depth}, {below.digits} digits each,"
                f" {time.perf_counter() - started:.1f} s"
            )
            lines.append(f"{shown}, {size}")
        return Evidence(
            Outcome.HELD, "float64, branch and bound in ball arithmetic", "; ".join(lines), count=boxes, counted="boxes"
        )

    return run


def _cap_at(curve: Callable, share: float) -> Callable[..., float]:
    """The cap that a test of p = share * q alone would allow."""

    def cap_of(d: int, r: int, *, epsilon: float, delta: float) -> float:
        def excess(cap: float) -> float:
            return max(float(curve(share * cap, cap, d, r, epsilon, name)) for name in DIRECTIONS) - delta

        return scipy.optimize.brentq(excess, 1e-9, 0.999)

    return cap_of


def largest_cap(
    targets: tuple, edge_at: Callable, cap_of: Callable, worst: Callable, curve: Callable, inner: float
) -> Check:
    faults = {f"tested at p = {share:g} q": _cap_at(curve, share) for share in (1.0, inner)}
    mutants = {fault: _calibrated(targets, edge_at, rule, worst) for fault, rule in faults.items()}
    return Check(
        "largest cap below and above", Kind.ENCLOSURE, _calibrated(targets, edge_at, cap_of, worst), mutants, "noise"
    )
