"""Checks of the mechanisms that make random projection private by a ridge; the claims are in `mechanism`."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb
from scipy.special import gammainc, gammaincc, ndtri

from ndis_verify.claim import Check, Evidence, Kind, Outcome
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.domain import Domain, continuous, integer
from ndis_verify.court.points import count
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.fast.mean_shift import gaussian_std as fast_gaussian_std
from ndis_verify.fast.random_projection import rp_leverage as fast_rp_leverage
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.gaussian_mechanism import profile
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick as certified_rp_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_leverage as certified_rp_leverage

_DELTA = Fraction(1, 10**6)
_TARGETS = ((1, "1", "0.01"), (2, "0.5", "1e-6"), (3, "0", "0.001"), (1, "3", "1e-9"))
_SHARP_TARGETS = (*_TARGETS, (10, "1", "1e-6"), (100, "1", "1e-6"), (1000, "0.1", "1e-9"))


@cache
def _threshold(r: int, epsilon: str, delta: str) -> Enclosure:
    """p*: the leverage at which the deletion curve meets (epsilon, delta)."""
    return certified_rp_leverage(r, epsilon=epsilon, delta=delta, digits=20)


def _value(p: Fraction, r: int, epsilon) -> Enclosure:
    return certified_rp_hockey_stick(p, r, epsilon, "delete", digits=30)


def _databases(effort: str):
    """(D, row): one record alone, and small integer databases, the row of largest norm deleted."""
    rng = np.random.default_rng(31)
    found = [np.array([[3]]), np.array([[2, 1]])]
    found += [rng.integers(-3, 4, (n, d)) for n, d in ((2, 1), (3, 2), (2, 2), (4, 1))[: count(effort, 2, 4)]]
    return [(data, int((data**2).sum(axis=1).argmax())) for data in found if (data**2).sum(axis=1).max() > 0]


def _certified_privacy(scale: Fraction, excess: int = 0) -> Callable[[str], Evidence]:
    """Exact covariances of real databases with ridge `scale l^2 (1/p* - 1) + excess l^2`, both directions, against
    delta.
    """

    def run(effort: str) -> Evidence:
        worst, pairs = 0.0, 0
        for data, row in _databases(effort):
            records = [[Fraction(int(entry)) for entry in record] for record in data]
            longest = max(sum(entry**2 for entry in record) for record in records)
            for r, epsilon, delta in _TARGETS:
                level = longest * (scale * (1 / _threshold(r, epsilon, delta).lower - 1) + excess)
                for value in _both_directions(records, row, level, r, epsilon):
                    pairs += 1
                    worst = max(worst, float(value.upper / Fraction(delta)))
                    if value.lower > Fraction(delta):
                        detail = f"delta is {float(value.mid):.4g}, above {delta}, at r = {r}, eps = {epsilon}"
                        return Evidence(
                            Outcome.FAILED, "certified, exact covariances", detail, count=pairs, counted="pairs"
                        )
        held = worst <= 1 + 1e-12
        detail = f"largest delta over the target {worst:.12f}"
        return Evidence(
            Outcome.HELD if held else Outcome.UNDECIDED, "certified, exact covariances", detail, 15, pairs, "pairs"
        )

    return run


def _both_directions(records, row: int, level: Fraction, r: int, epsilon: str) -> list[Enclosure]:
    d = len(records[0])

    def gram(rows) -> np.ndarray:
        one = [[sum(x[i] * x[j] for x in rows) + (level if i == j else 0) for j in range(d)] for i in range(d)]
        whole = np.full((d * r, d * r), Fraction(0), dtype=object)
        for k in range(r):
            whole[k * d : (k + 1) * d, k * d : (k + 1) * d] = one
        return whole

    zero = [0] * (d * r)
    pair = GaussianPair(zero, gram(records), zero, gram(records[:row] + records[row + 1 :]))
    return [certified_hockey_stick(p, epsilon, digits=15) for p in (pair, pair.swapped())]


def _sharpness(target: Callable[[Enclosure], tuple[Fraction, Fraction]]) -> Callable[[str], Evidence]:
    """The lone record of norm 1: the ridge `upper` meets the target, the ridge `lower` just below it does not."""

    def run(effort: str) -> Evidence:
        for r, epsilon, delta in _SHARP_TARGETS:
            upper, lower = target(_threshold(r, epsilon, delta))
            if not _value(1 / (upper + 1), r, epsilon).upper <= Fraction(delta):
                return Evidence(
                    Outcome.FAILED,
                    "certified",
                    f"ridge {float(upper):.6g} is not valid at r = {r}",
                    count=len(_SHARP_TARGETS),
                )
            if not _value(1 / (lower + 1), r, epsilon).lower > Fraction(delta):
                return Evidence(
                    Outcome.FAILED,
                    "certified",
                    f"ridge {float(lower):.6g} is valid too at r = {r}",
                    count=len(_SHARP_TARGETS),
                )
        shown = ", ".join(
            f"r = {r}, eps = {e}, delta = {d}: {float(1 / _threshold(r, e, d).mid - 1):.7g}"
            for r, e, d in _SHARP_TARGETS[4:6]
        )
        return Evidence(
            Outcome.HELD, "certified", f"ridge/l^2: {shown}; smaller by 1e-9 fails", 9, len(_SHARP_TARGETS), "targets"
        )

    return run


def _smallest(p: Enclosure) -> tuple[Fraction, Fraction]:
    return 1 / p.lower - 1, (1 / p.upper - 1) * (1 - Fraction(1, 10**9))


def _printed(p: Enclosure) -> tuple[Fraction, Fraction]:
    return 1 / p.lower, 1 / p.upper * (1 - Fraction(1, 10**9))


def slack(point) -> Enclosure:
    """delta minus the worst case at `ridge` (l = 1), or how far `ridge` lies below l^2/p*, whichever is smaller."""
    r, epsilon, delta, level = point["r"], point["epsilon"], point["delta"], point["ridge"]
    worst = _value(1 / (level + 1), r, epsilon)
    p = certified_rp_leverage(r, epsilon=epsilon, delta=delta, digits=15)
    with working_bits(120):
        room = ball(delta) - ball(exact(worst.mid)) + arb(0, ball(exact(worst.rad)).upper())
        below = 1 / (ball(exact(p.mid)) + arb(0, ball(exact(p.rad)).upper())) - ball(level)
        return enclosure(room.min(below))


SHARP = Check(
    "certified on the lone record: valid at the smallest ridge, not just below",
    Kind.CROSSCHECK,
    _sharpness(_smallest),
    {"l^2/p* taken for the smallest": _sharpness(_printed)},
)
PRIVACY = tuple(
    Check(
        f"certified from the covariances of databases, {name}",
        Kind.CROSSCHECK,
        _certified_privacy(Fraction(1), excess),
        {
            "ridge a tenth below the smallest": _certified_privacy(Fraction(9, 10)),
            "no excess, half the ridge": _certified_privacy(Fraction(1, 2)),
        },
    )
    for name, excess in (("ridge l^2/p*", 1), ("ridge l^2 (1/p* - 1)", 0))
)


def _eigenvalue_threshold(r: float, epsilon: float, delta: float, constant: float = 4.0) -> float:
    """l^2/w^2 of the least-eigenvalue analysis, rounded up."""
    big = np.log(4 / delta)
    return epsilon / (constant * (np.sqrt(2 * r * big) + big)) * (1 + 1e-12)


def certified_threshold(constant: float) -> Callable[[str], Evidence]:
    def run(effort: str) -> Evidence:
        points = [(r, e) for r in (1, 2, 10, 100, 1000) for e in ("0.01", "0.1", "1", "10", "45")]
        lowest = math.inf
        for r, epsilon in points:
            p = exact(float(_eigenvalue_threshold(r, float(epsilon), float(_DELTA), constant)))
            if p >= 1 or not _value(p, r, epsilon).upper <= _DELTA / 4:
                return Evidence(
                    Outcome.FAILED, "certified", f"not below at r = {r}, eps = {epsilon}", count=len(points)
                )
            lowest = min(lowest, float(fast_rp_leverage(r, epsilon=float(epsilon), delta=1e-6)) / float(p))
        detail = f"delta at the older threshold is at most delta/4; least ratio of the thresholds {lowest:.3f}"
        return Evidence(Outcome.HELD, "certified", detail, 12, len(points))

    return run


def coverage(ridge_taken_off: float = 1.0, constant: float = 2 * math.sqrt(3)) -> Callable[[str], Evidence]:
    """Bias and errors of M M^T/r - sigma^2 I over seeded runs against the proved bound."""

    def run(effort: str) -> Evidence:
        rng, runs, level, t = np.random.default_rng(32), count(effort, 1500, 15_000), 2.0, 1.0
        misses = total = 0
        for data, r in ((np.array([[3.0, 0], [1, 1], [0, 2]]), 5), (np.array([[1.0], [2.0]]), 40), (np.eye(3), 2)):
            d = data.shape[1]
            gram = data.T @ data
            root = np.linalg.cholesky(gram + level * np.eye(d))
            sketch = root @ rng.standard_normal((runs, d, r))
            found = sketch @ np.swapaxes(sketch, 1, 2) / r - ridge_taken_off * level * np.eye(d)
            spread = np.abs(found.mean(axis=0) - gram).max() / (found.std(axis=0).max() / math.sqrt(runs))
            if spread > 6:
                return Evidence(
                    Outcome.FAILED,
                    "seeded runs",
                    f"the mean is off by {spread:.0f} standard errors",
                    count=runs,
                    counted="runs",
                )
            share = (d + t) / r
            limit = constant * (math.sqrt(share) + share) * (np.linalg.eigvalsh(gram)[-1] + level)
            misses += int((np.abs(np.linalg.eigvalsh(found - gram)).max(axis=1) > limit).sum())
            total += runs
        held = misses <= 2 * math.exp(-t) * total
        return Evidence(
            Outcome.HELD if held else Outcome.FAILED,
            "seeded runs",
            f"{misses} errors above the bound",
            count=total,
            counted="runs",
        )

    return run


def subsampled(inner: Callable[[float, float], float]) -> Callable[[str], Evidence]:
    """One record against none, r = 1: divergences of the sampled mixture by quadrature, the inner target from
    `inner`.
    """

    def run(effort: str) -> Evidence:
        points = [(e, q, d) for e in (0.2, 1.0, 3.0) for q in (0.01, 0.3, 1.0) for d in (1e-3, 5e-2) if d < q]
        worst = tight = 0.0
        for epsilon, rate, delta in points:
            p = float(fast_rp_leverage(1, epsilon=inner(epsilon, rate), delta=delta / rate))
            x = np.concatenate(([0.0], np.geomspace(1e-9, 60 / math.sqrt(1 - p), 400_001)))  # variances 1/(1-p) and 1
            without = np.exp(-x * x / 2)
            alone = np.sqrt(1 - p) * np.exp(-x * x * (1 - p) / 2)
            sampled = rate * alone + (1 - rate) * without
            deltas = [
                2 * float(np.trapezoid(np.maximum(a - math.exp(epsilon) * b, 0), x)) / math.sqrt(2 * math.pi)
                for a, b in ((sampled, without), (without, sampled))
            ]
            worst, tight = max(worst, *(value / delta for value in deltas)), max(tight, abs(deltas[0] / delta - 1))
            if not (held := worst <= 1 + 1e-4 and tight <= 1e-4):
                break
        detail = f"largest delta over the target {worst:.6f}; deletion meets the target within {tight:.1e}"
        return Evidence(Outcome.HELD if held else Outcome.FAILED, "quadrature of the mixture", detail, 4, len(points))

    return run


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(120)


def deletion(epsilon, ratio, r):
    """Divergence of r coordinates of variance `ratio` > 1 from variance 1, any real epsilon."""
    edge = np.maximum((epsilon + r / 2 * np.log(ratio)) / (ratio - 1), 0)
    return gammaincc(r / 2, edge) - np.exp(epsilon) * gammaincc(r / 2, ratio * edge)


def insertion(epsilon, ratio, r):
    """Divergence of r coordinates of variance 1 from variance `ratio` > 1, any real epsilon."""
    edge = np.maximum((r / 2 * np.log(ratio) - epsilon) * ratio / (ratio - 1), 0)
    return gammainc(r / 2, edge) - np.exp(epsilon) * gammainc(r / 2, edge / ratio)


def _tested_margin(lowered: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """1 - (joint divergence of the noised eigenvalue and the projection)/delta, one column of records, l = 1."""

    def margin(epsilon, share, delta, eigenvalue, r):
        std = fast_gaussian_std(1.0, epsilon=share * epsilon, delta=delta / 3)
        p = fast_rp_leverage(r, epsilon=(1 - share) * epsilon, delta=delta / 3)
        column = lambda values: np.asarray(values, dtype=float)[:, None]  # noqa: E731
        epsilon, std, p, eigenvalue, rows = (column(v) for v in (epsilon, std, p, eigenvalue, r))
        z, weight = (
            9 * _NODES[None, :],
            9 * _WEIGHTS[None, :] * np.exp(-((9 * _NODES) ** 2) / 2) / math.sqrt(2 * math.pi),
        )
        quantile = ndtri(1 - column(delta) / 3)
        totals = []
        for start, sign, curve in ((eigenvalue, 1, deletion), (eigenvalue - 1, -1, insertion)):
            level = lowered(1 / p, start, std, z, quantile)
            loss = sign * z / std + 1 / (2 * std**2)
            with np.errstate(over="ignore"):
                inner = curve(np.clip(epsilon - loss, -700, 700), (eigenvalue + level) / (eigenvalue - 1 + level), rows)
            totals.append((weight * inner).sum(axis=1))
        return 1 - np.maximum(*totals) / delta

    return margin


def figure_ridge(full, start, std, z, quantile):
    return np.maximum(full - np.maximum(start + std * (z - quantile), 0), 0)


def smaller_ridge(full, start, std, z, quantile):
    return np.maximum(full - np.maximum(start + std * (z - quantile), 1), 0)


def _no_quantile(full, start, std, z, quantile):
    return np.maximum(full - np.maximum(start + std * z, 0), 0)


def _no_ridge(full, start, std, z, quantile):
    return np.zeros(np.broadcast_shapes(full.shape, z.shape))


_TESTED_DOMAIN = Domain(
    (
        continuous("epsilon", "0.01", 5, "log"),
        continuous("share", "0.02", "0.98"),
        continuous("delta", "1e-6", "0.3", "log"),
        continuous("eigenvalue", "1.001", 3000, "log"),
        integer("r", 1, 30, "log"),
    )
)


def tested_attack(name: str, lowered: Callable[..., np.ndarray]) -> Check:
    return attack_check(
        name,
        _tested_margin(lowered),
        _TESTED_DOMAIN,
        mutants={"no ridge at all": _tested_margin(_no_ridge), "quantile not taken off": _tested_margin(_no_quantile)},
        quick=400,
        full=3000,
        tolerance=1e-3,
    )


_FAR = 6  # of the test's noise: beyond, 2e-9 of its mass


def clamped_excess(point) -> Enclosure:
    """How far the test with eps_R clamped at 0 exceeds (eps, delta), l = 1; negative where eps_T <= eps or a ridge may
    be 0.

    D: every unit vector of R^d `copies` times; D': one row less. Where the noise is within _FAR deviations both ridges
    are positive and D has the covariance (R + tau (z_P - z)) I, R = 1/p*; D' has 1 more in d - 1 coordinates of each
    column. The event: the squares of those coordinates sum to at most (d - 1) r (R + 1/2).
    """
    d, r, copies = int(point["d"]), int(point["r"]), int(point["copies"])
    quantile = exact(float(-ndtri(float(point["share"]))))
    full = certified_rp_leverage(r, epsilon=0, delta=point["share"], digits=20)
    with working_bits(160):
        epsilon, share, std = (ball(exact(point[name])) for name in ("epsilon", "share", "tau"))
        level, z = 1 / to_exact_ball(full), ball(quantile) + arb(0, "1e-9")
        if not (z.lower() / arb(2).sqrt()).erfc() / 2 > share > (z.upper() / arb(2).sqrt()).erfc() / 2:
            raise ArithmeticError(f"no bracket for the normal quantile at {point['share']}")
        spread, half, bulk = std * (z + _FAR), arb((d - 1) * r) / 2, (arb(_FAR) / arb(2).sqrt()).erfc()
        cut = half * (level + arb(1) / 2)
        inside = [
            1 - (cut / variance).gamma_upper(half, 1)
            for variance in (level + spread, level + 1 - std * (_FAR - z).max(arb(0)))
        ]
        excess = (inside[0] - bulk) - epsilon.exp() * (inside[1] + bulk) - 3 * share
        positive = (copies - 1) - spread, level - copies - std * (_FAR - z).max(arb(0))  # the lower bound, the ridge
        spent = profile(1 / std, epsilon) - share  # positive where eps_T > eps
        return enclosure(excess.min(positive[0]).min(positive[1]).min(spent))
