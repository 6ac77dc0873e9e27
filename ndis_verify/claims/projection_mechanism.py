"""Claims about the mechanisms that make random projection private by a ridge: plain, subsampled, tested first."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb
from scipy.special import gammainc, gammaincc, ndtri

from ndis_verify import fast, oracle
from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.attack_checks import attack_check, counterexample_check
from ndis_verify.claims.checks import agreement, formula_check, proof
from ndis_verify.claims.domain import Domain, continuous, integer
from ndis_verify.claims.points import count
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.balls import ball, enclosure, working_bits
from ndis_verify.symbolic import leverage, privacy_loss, ridge, ridge_wrappers
from ndis_verify.symbolic import random_projection as derived
from ndis_verify.symbolic import random_projection_order as order

_DELTA = Fraction(1, 10**6)
_TARGETS = ((1, "1", "0.01"), (2, "0.5", "1e-6"), (3, "0", "0.001"), (1, "3", "1e-9"))
_SHARP_TARGETS = (*_TARGETS, (10, "1", "1e-6"), (100, "1", "1e-6"), (1000, "0.1", "1e-9"))


@cache
def _threshold(r: int, epsilon: str, delta: str) -> Enclosure:
    """p*: the leverage at which the deletion curve meets (epsilon, delta)."""
    return oracle.certified_rp_leverage(r, epsilon, delta, digits=20)


def _value(p: Fraction, r: int, epsilon) -> Enclosure:
    return oracle.certified_rp_hockey_stick(p, r, epsilon, "delete", digits=30)


def _databases(effort: str):
    """(D, row): one record alone, and small integer databases, the row of largest norm deleted."""
    rng = np.random.default_rng(31)
    found = [np.array([[3]]), np.array([[2, 1]])]
    found += [rng.integers(-3, 4, (n, d)) for n, d in ((2, 1), (3, 2), (2, 2), (4, 1))[: count(effort, 2, 4)]]
    return [(data, int((data**2).sum(axis=1).argmax())) for data in found if (data**2).sum(axis=1).max() > 0]


def _certified_privacy(scale: Fraction, excess: int = 0) -> Callable[[str], Evidence]:
    """Exact covariances of real databases with ridge `scale l^2 (1/p* - 1) + excess l^2`, both directions, against delta."""

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
                        return Evidence(Outcome.FAILED, "certified, exact covariances", detail, count=pairs, counted="pairs")
        held = worst <= 1 + 1e-12
        detail = f"largest delta over the target {worst:.12f}"
        return Evidence(Outcome.HELD if held else Outcome.UNDECIDED, "certified, exact covariances", detail, 15, pairs, "pairs")

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
    return [oracle.certified_hockey_stick(p, epsilon, digits=15) for p in (pair, pair.swapped())]


def _sharpness(target: Callable[[Enclosure], tuple[Fraction, Fraction]]) -> Callable[[str], Evidence]:
    """The lone record of norm 1: the ridge `upper` meets the target, the ridge `lower` just below it does not."""

    def run(effort: str) -> Evidence:
        for r, epsilon, delta in _SHARP_TARGETS:
            upper, lower = target(_threshold(r, epsilon, delta))
            if not _value(1 / (upper + 1), r, epsilon).upper <= Fraction(delta):
                return Evidence(Outcome.FAILED, "certified", f"ridge {float(upper):.6g} is not valid at r = {r}", count=len(_SHARP_TARGETS))
            if not _value(1 / (lower + 1), r, epsilon).lower > Fraction(delta):
                return Evidence(Outcome.FAILED, "certified", f"ridge {float(lower):.6g} is valid too at r = {r}", count=len(_SHARP_TARGETS))
        shown = ", ".join(f"r = {r}, eps = {e}, delta = {d}: {float(1 / _threshold(r, e, d).mid - 1):.7g}" for r, e, d in _SHARP_TARGETS[4:6])
        return Evidence(Outcome.HELD, "certified", f"ridge/l^2: {shown}; smaller by 1e-9 fails", 9, len(_SHARP_TARGETS), "targets")

    return run


def _smallest(p: Enclosure) -> tuple[Fraction, Fraction]:
    return 1 / p.lower - 1, (1 / p.upper - 1) * (1 - Fraction(1, 10**9))


def _printed(p: Enclosure) -> tuple[Fraction, Fraction]:
    return 1 / p.lower, 1 / p.upper * (1 - Fraction(1, 10**9))


def _slack(point) -> Enclosure:
    """delta minus the worst case at `ridge` (l = 1), or how far `ridge` lies below l^2/p*, whichever is smaller."""
    r, epsilon, delta, level = point["r"], point["epsilon"], point["delta"], point["ridge"]
    worst = _value(1 / (level + 1), r, epsilon)
    p = oracle.certified_rp_leverage(r, epsilon, delta, digits=15)
    with working_bits(120):
        room = ball(delta) - ball(exact(worst.mid)) + arb(0, ball(exact(worst.rad)).upper())
        below = 1 / (ball(exact(p.mid)) + arb(0, ball(exact(p.rad)).upper())) - ball(level)
        return enclosure(room.min(below))


_SHARP = Check(
    "certified on the lone record: valid at the smallest ridge, not just below",
    Kind.CROSSCHECK,
    _sharpness(_smallest),
    {"l^2/p* taken for the smallest": _sharpness(_printed)},
)
_PRIVACY = tuple(
    Check(
        f"certified from the covariances of databases, {name}",
        Kind.CROSSCHECK,
        _certified_privacy(Fraction(1), excess),
        {"ridge a tenth below the smallest": _certified_privacy(Fraction(9, 10)), "no excess, half the ridge": _certified_privacy(Fraction(1, 2))},
    )
    for name, excess in (("ridge l^2/p*", 1), ("ridge l^2 (1/p* - 1)", 0))
)
_MECHANISM = (
    proof("the mechanism", ridge.mechanism),
    proof("leverage beside a ridge", leverage.ridge),
    proof("law of the projection", derived.projected_covariance),
    proof("closed form of a deletion", derived.hockey_stick_deletion),
    proof("order in the leverage", order.derivative_in_leverage),
    proof("deletion dominates insertion", order.deletion_dominates),
)
_DP = proof("DP and the divergence", privacy_loss.dp_iff_hockey_stick)
_SMALLEST = (proof("smallest ridge", ridge.smallest_ridge), *_MECHANISM, _SHARP)


def _eigenvalue_threshold(r: float, epsilon: float, delta: float, constant: float = 4.0) -> float:
    """l^2/w^2 of the least-eigenvalue analysis, rounded up."""
    big = np.log(4 / delta)
    return epsilon / (constant * (np.sqrt(2 * r * big) + big)) * (1 + 1e-12)


def _certified_threshold(constant: float) -> Callable[[str], Evidence]:
    def run(effort: str) -> Evidence:
        points = [(r, e) for r in (1, 2, 10, 100, 1000) for e in ("0.01", "0.1", "1", "10", "45")]
        lowest = math.inf
        for r, epsilon in points:
            p = exact(float(_eigenvalue_threshold(r, float(epsilon), float(_DELTA), constant)))
            if p >= 1 or not _value(p, r, epsilon).upper <= _DELTA / 4:
                return Evidence(Outcome.FAILED, "certified", f"not below at r = {r}, eps = {epsilon}", count=len(points))
            lowest = min(lowest, float(fast.rp_leverage(r, float(epsilon), 1e-6)) / float(p))
        detail = f"delta at the older threshold is at most delta/4; least ratio of the thresholds {lowest:.3f}"
        return Evidence(Outcome.HELD, "certified", detail, 12, len(points))

    return run


def _ratio_margin(constant: float = 4.0) -> Callable[..., np.ndarray]:
    """log of p* over the older threshold, eps as a share of 3 log(4/delta)."""

    def margin(share, delta, r):
        epsilon = share * 3 * np.log(4 / delta)
        return np.log(fast.rp_leverage(r, epsilon, delta) / _eigenvalue_threshold(r, epsilon, delta, constant))

    return margin


_RATIO_DOMAIN = Domain((continuous("share", "1e-6", 1, "log"), continuous("delta", "1e-30", "0.5", "log"), integer("r", 1, 10_000, "log")))


def _excess_at_threshold(point) -> Enclosure:
    """delta_r at the older threshold less 1e-6: positive where that threshold is the larger one."""
    r, epsilon = point["r"], point["epsilon"]
    with working_bits(200):
        big = (4 / ball(_DELTA)).log()
        p = ball(epsilon) / (4 * ((2 * r * big).sqrt() + big))
        k = p / (1 - p)
        edge = (ball(epsilon) + arb(r) / 2 * k.log1p()) / k
        value = edge.gamma_upper(arb(r) / 2, 1) - ball(epsilon).exp() * ((1 + k) * edge).gamma_upper(arb(r) / 2, 1)
        return enclosure(value - ball(_DELTA))


def _coverage(ridge_taken_off: float = 1.0, constant: float = 2 * math.sqrt(3)) -> Callable[[str], Evidence]:
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
                return Evidence(Outcome.FAILED, "seeded runs", f"the mean is off by {spread:.0f} standard errors", count=runs, counted="runs")
            share = (d + t) / r
            limit = constant * (math.sqrt(share) + share) * (np.linalg.eigvalsh(gram)[-1] + level)
            misses += int((np.abs(np.linalg.eigvalsh(found - gram)).max(axis=1) > limit).sum())
            total += runs
        held = misses <= 2 * math.exp(-t) * total
        return Evidence(Outcome.HELD if held else Outcome.FAILED, "seeded runs", f"{misses} errors above the bound", count=total, counted="runs")

    return run


def _subsampled(inner: Callable[[float, float], float]) -> Callable[[str], Evidence]:
    """One record against none, r = 1: divergences of the sampled mixture by quadrature, the inner target from `inner`."""

    def run(effort: str) -> Evidence:
        points = [(e, q, d) for e in (0.2, 1.0, 3.0) for q in (0.01, 0.3, 1.0) for d in (1e-3, 5e-2) if d < q]
        worst = tight = 0.0
        for epsilon, rate, delta in points:
            p = float(fast.rp_leverage(1, inner(epsilon, rate), delta / rate))
            x = np.concatenate(([0.0], np.geomspace(1e-9, 60 / math.sqrt(1 - p), 400_001)))  # variances 1/(1-p) and 1
            without = np.exp(-x * x / 2)
            alone = np.sqrt(1 - p) * np.exp(-x * x * (1 - p) / 2)
            sampled = rate * alone + (1 - rate) * without
            deltas = [
                2 * np.trapezoid(np.maximum(a - math.exp(epsilon) * b, 0), x) / math.sqrt(2 * math.pi)
                for a, b in ((sampled, without), (without, sampled))
            ]
            worst, tight = max(worst, *(value / delta for value in deltas)), max(tight, abs(deltas[0] / delta - 1))
        held = worst <= 1 + 1e-4 and tight <= 1e-4
        detail = f"largest delta over the target {worst:.6f}; deletion meets the target within {tight:.1e}"
        return Evidence(Outcome.HELD if held else Outcome.FAILED, "quadrature of the mixture", detail, 4, len(points))

    return run


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(120)


def _deletion(epsilon, ratio, r):
    """Divergence of r coordinates of variance `ratio` > 1 from variance 1, any real epsilon."""
    edge = np.maximum((epsilon + r / 2 * np.log(ratio)) / (ratio - 1), 0)
    return gammaincc(r / 2, edge) - np.exp(epsilon) * gammaincc(r / 2, ratio * edge)


def _insertion(epsilon, ratio, r):
    edge = np.maximum((r / 2 * np.log(ratio) - epsilon) * ratio / (ratio - 1), 0)
    return gammainc(r / 2, edge) - np.exp(epsilon) * gammainc(r / 2, edge / ratio)


def _tested_margin(lowered: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """1 - (joint divergence of the noised eigenvalue and the projection)/delta, one column of records, l = 1."""

    def margin(epsilon, share, delta, eigenvalue, r):
        std = fast.gaussian_std(1.0, share * epsilon, delta / 3)
        p = fast.rp_leverage(r, (1 - share) * epsilon, delta / 3)
        column = lambda values: np.asarray(values, dtype=float)[:, None]  # noqa: E731
        epsilon, std, p, eigenvalue, rows = (column(v) for v in (epsilon, std, p, eigenvalue, r))
        z, weight = 9 * _NODES[None, :], 9 * _WEIGHTS[None, :] * np.exp(-((9 * _NODES) ** 2) / 2) / math.sqrt(2 * math.pi)
        quantile = ndtri(1 - column(delta) / 3)
        totals = []
        for start, sign, curve in ((eigenvalue, 1, _deletion), (eigenvalue - 1, -1, _insertion)):
            level = lowered(1 / p, start, std, z, quantile)
            loss = sign * z / std + 1 / (2 * std**2)
            with np.errstate(over="ignore"):
                inner = curve(np.clip(epsilon - loss, -700, 700), (eigenvalue + level) / (eigenvalue - 1 + level), rows)
            totals.append((weight * inner).sum(axis=1))
        return 1 - np.maximum(*totals) / delta

    return margin


def _figure_ridge(full, start, std, z, quantile):
    return np.maximum(full - np.maximum(start + std * (z - quantile), 0), 0)


def _smaller_ridge(full, start, std, z, quantile):
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


def _tested_attack(name: str, lowered: Callable[..., np.ndarray]) -> Check:
    return attack_check(
        name,
        _tested_margin(lowered),
        _TESTED_DOMAIN,
        mutants={"no ridge at all": _tested_margin(_no_ridge), "quantile not taken off": _tested_margin(_no_quantile)},
        quick=400,
        full=8000,
        vectorised=True,
        tolerance=1e-3,
    )


def _not_smaller(point) -> Enclosure:
    """Probability that the tested ridge is not the smaller one, `beyond` standard deviations over the threshold."""
    with working_bits(120):
        return enclosure((ball(point["beyond"]) / arb(2).sqrt()).erfc() / 2)


def _more_likely_than_not(point) -> Enclosure:
    with working_bits(120):
        return enclosure((ball(point["beyond"]) / arb(2).sqrt()).erfc() / 2 - ball(Fraction(1, 2)))


_EVERYONE = ("every record has norm at most l", "add/remove one record", "0 < delta < 1")
_TEST = (proof("test, ridge and release", ridge_wrappers.propose_test_release), *_MECHANISM)
_SAMPLE = (
    proof("sampling", ridge_wrappers.subsampling),
    *_MECHANISM,
    Check("the sampled mixture by quadrature", Kind.CROSSCHECK, _subsampled(lambda e, q: math.log1p(math.expm1(e) / q)), {
        "eps' = eps": _subsampled(lambda e, q: e), "eps' = eps/q": _subsampled(lambda e, q: e / q),
    }),
)  # fmt: skip
_SAMPLE_NOTE = (
    "For delta >= q the inner delta' is at least 1: there is no p* and none is needed, the two laws being within q in total variation. "
    "In the deletion direction the divergence is exactly q delta_{r}(eps'): the parameters cannot be improved."
)
_TEST_NOTE = (
    "The test's scale tau must leave eps_T <= eps: for eps_R < 0 the curve is at least 1 - e^{eps_R} at every leverage, insertion is the "
    "worse direction, and clamping eps_R at 0 gives (eps_T, delta), not (eps, delta). The printed argument names one good event for each "
    "database; what is needed is one set of good values for both, the values whose lower bound is at most the larger database's eigenvalue."
)
_RIDGE_NOTE = "The ridge l^2/p* leaves a leverage of p*/(1+p*) only: it is l^2 larger than the smallest valid one (N26-Fig1-smallest-ridge)."

CLAIMS = (
    Claim(
        id="N26-Fig1",
        source="N26",
        title="random projection of the database above a public ridge l^2/p*",
        statement="Find p* with delta_r(eps; p*) = delta by bisection, append sigma I with sigma^2 = l^2/p*, project: (eps, delta)-DP.",
        formula="sigma^2 = l^2/p*",
        hypotheses=_EVERYONE,
        declared=Verdict.PROVED,
        checks=(*_MECHANISM, _DP, _PRIVACY[0]),
        note=_RIDGE_NOTE + " A bisection has to end on the side delta_r <= delta.",
    ),
    Claim(
        id="N26-Fig1-smallest-ridge",
        source="N26",
        title="the smallest public ridge is l^2 (1/p* - 1)",
        statement="Projection above the ridge l^2 (1/p* - 1) is (eps, delta)-DP; above any smaller ridge, deleting a lone record of norm l "
        "costs more than delta.",
        formula="sigma^2 = l^2 (1/p* - 1)",
        hypotheses=(*_EVERYONE, "some record has norm l", "the ridge depends on nothing private"),
        declared=Verdict.PROVED,
        checks=(*_SMALLEST, _PRIVACY[1]),
        note="Certified ridge/l^2 at eps = 1, delta = 1e-6: 15.419396 for r = 10 and 35.540172 for r = 100, where l^2/p* has 1 more.",
    ),
    Claim(
        id="N26-T5.1",
        source="N26",
        title="the ridged random projection is (eps, delta)-DP",
        statement="The mechanism of N26-Fig1 is (eps, delta)-DP under add/remove.",
        formula="delta_r(eps; l^2/(sigma^2 + l^2)) <= delta_r(eps; p*) = delta",
        hypotheses=_EVERYONE,
        declared=Verdict.PROVED,
        checks=(*_MECHANISM, _DP, _PRIVACY[0]),
        note=_RIDGE_NOTE,
    ),
    Claim(
        id="N26-T5.2",
        source="N26",
        title="the debiased Gram matrix is unbiased, with spectral error of the stated rate",
        statement="M M^T/r - sigma^2 I has expectation D^T D, and with probability at least 1 - 2 e^{-t} its spectral error is at most "
        "C (sqrt((d+t)/r) + (d+t)/r)(||D||^2 + sigma^2) for an absolute constant C.",
        formula="C = 2 sqrt 3",
        hypotheses=("t > 0", "G has independent standard normal entries"),
        declared=Verdict.PROVED,
        checks=(
            proof("bias and error", ridge.utility),
            Check("bias and errors over seeded runs", Kind.CROSSCHECK, _coverage(), {
                "ridge not taken off": _coverage(ridge_taken_off=0.0), "constant 1/4": _coverage(constant=0.25),
            }),
        ),
        note="The source cites a constant without a value. The singular-value bound of Davidson and Szarek is cited here and gives 2 sqrt 3.",
    ),
    Claim(
        id="N26-Fig2",
        source="N26",
        title="the leverage threshold exceeds the one of the least-eigenvalue analysis",
        statement="p* over the threshold eps/(4 (sqrt(2 r L) + L)), L = log(4/delta), exceeds 1: at delta = 1e-6 for every r and every eps up "
        "to 45.6.",
        formula="delta_r(eps; eps/(4 (sqrt(2 r L) + L))) <= delta/4",
        hypotheses=("0 < delta < 1", "r >= 1", "0 < eps <= 3 log(4/delta)"),
        declared=Verdict.PROVED,
        checks=(
            proof("tail at the older threshold", ridge.eigenvalue_threshold),
            proof("order in the leverage", order.derivative_in_leverage),
            Check("certified at points, delta = 1e-6", Kind.CROSSCHECK, _certified_threshold(4.0), {"threshold forty times": _certified_threshold(0.1)}),
            attack_check("search for a ratio below 1", _ratio_margin(), _RATIO_DOMAIN, mutants={"threshold twenty times": _ratio_margin(0.2)},
                         quick=300, full=20_000, vectorised=True),
        ),
        note="The figure's grid of eps and list of r were lost from the text; any grid below 45.6 is covered. The ratio falls from about 11 "
        "(r = 1, eps = 0.1) to about 1.5 (r = 1, eps = 45). A reading of the older ridge with larger constants only raises it.",
    ),
    Claim(
        id="N26-Fig2-every-epsilon",
        source="N26",
        title="the same comparison without a limit on eps",
        statement="For every eps > 0 and r >= 1, at delta = 1e-6, p* exceeds the threshold of the least-eigenvalue analysis.",
        formula="p* > eps/(4 (sqrt(2 r L) + L)), L = log(4/delta)",
        hypotheses=("delta = 1e-6", "r >= 1", "eps > 0"),
        declared=Verdict.RESTRICTED,
        checks=(
            proof("tail at the older threshold", ridge.eigenvalue_threshold),
            proof("order in the leverage", order.derivative_in_leverage),
            counterexample_check("r = 1, eps = 80", _excess_at_threshold, {"r": 1, "epsilon": Fraction(80)},
                                 {"r = 1, eps = 40": {"r": 1, "epsilon": Fraction(40)}}, part="every eps"),
        ),
        counterexample="r = 1, eps = 80, delta = 1e-6: L = 15.202, the older threshold is 0.9648, and delta_1(80; 0.9648) = 0.013 > 1e-6.",
        corrected="True for eps <= 3 log(4/delta), whatever r.",
        note="Where the older threshold exceeds 1 its ridge is smaller than l^2 and it says nothing about this mechanism's privacy; its own "
        "theorem is not for such eps.",
    ),
    Claim(
        id="N26-Fig3",
        source="N26",
        title="Poisson subsampling before the ridged projection",
        statement="Keep each row with probability q, then run N26-Fig1 at eps' = log(1 + (e^eps - 1)/q) and delta' = delta/q.",
        formula="eps' = log(1 + (e^eps - 1)/q), delta' = delta/q",
        hypotheses=(*_EVERYONE, "0 < q <= 1", "delta < q"),
        declared=Verdict.PROVED,
        checks=_SAMPLE,
        note=_SAMPLE_NOTE,
    ),
    Claim(
        id="N26-T5.3",
        source="N26",
        title="the subsampled mechanism is (eps, delta)-DP",
        statement="The mechanism of N26-Fig3 is (eps, delta)-DP under add/remove.",
        formula="delta_{P,Q}(eps) = q delta_{1,0}(eps'), delta_{Q,P}(eps) <= q delta_{0,1}(eps')",
        hypotheses=(*_EVERYONE, "0 < q <= 1"),
        declared=Verdict.PROVED,
        checks=(*_SAMPLE, _DP, formula_check(
            "eps' against its formula in ball arithmetic", ridge_wrappers.subsampling, lambda epsilon, rate: _inner_epsilon(epsilon, rate),
            lambda effort: [(e, q) for e in (0.01, 1.0, 8.0) for q in (0.001, 0.25, 1.0)], digits=20,
        )),
        note=_SAMPLE_NOTE,
    ),
    Claim(
        id="N26-Fig4",
        source="N26",
        title="propose-test-release: the ridge lowered by a private bound on the least eigenvalue",
        statement="Test lambda_min(D^T D) with noise of standard deviation tau, lower the ridge by the bound that fails with probability "
        "delta_P, release at (eps - eps_T, delta_R).",
        formula="ridge = max(l^2/p* - max(lambda_min + N(0, tau^2) - tau Phi^{-1}(1 - delta_P), 0), 0)",
        hypotheses=(*_EVERYONE, "eps_T <= eps"),
        declared=Verdict.PROVED,
        checks=(*_TEST, _tested_attack("joint divergence of test and release", _figure_ridge)),
        note=_TEST_NOTE,
    ),
    Claim(
        id="N26-T5.4",
        source="N26",
        title="the tested mechanism is (eps, delta)-DP",
        statement="The mechanism of N26-Fig4 with delta = delta_T + delta_R + delta_P is (eps, delta)-DP under add/remove.",
        formula="(eps_T + eps_R, delta_T + delta_R + delta_P)",
        hypotheses=(*_EVERYONE, "eps_T <= eps", "delta_T, delta_R, delta_P > 0"),
        declared=Verdict.PROVED,
        checks=(*_TEST, _DP, _tested_attack("joint divergence of test and release", _figure_ridge)),
        note=_TEST_NOTE,
    ),
    Claim(
        id="N26-T5.4-smaller-ridge",
        source="N26",
        title="the tested mechanism with a ridge smaller by up to l^2",
        statement="The mechanism of N26-Fig4 stays (eps, delta)-DP with the lower bound on the eigenvalue replaced by its maximum with l^2.",
        formula="ridge = max(l^2/p* - max(lower bound, l^2), 0)",
        hypotheses=(*_EVERYONE, "eps_T <= eps", "delta_T, delta_R, delta_P > 0"),
        declared=Verdict.PROVED,
        checks=(*_TEST, _tested_attack("joint divergence of test and release", _smaller_ridge)),
        note="With a bound of 0 this is the smallest public ridge l^2 (1/p* - 1).",
    ),
    Claim(
        id="N26-P5",
        source="N26",
        title="when the tested ridge is below the untested one",
        statement="If lambda_min exceeds tau Phi^{-1}(1 - delta_P) plus the gap of the two ridges, the tested ridge is strictly smaller; the "
        "probability of that is Phi((lambda_min - gap)/tau - Phi^{-1}(1 - delta_P)).",
        formula="Pr[smaller] = Phi((lambda_min - gap)/tau - z_P), gap = l^2/p*_R - l^2/p*",
        hypotheses=(*_EVERYONE, "eps_T <= eps", "tau > 0"),
        declared=Verdict.RESTRICTED,
        checks=(
            proof("exact probability", ridge_wrappers.ridge_comparison),
            proof("order in the leverage", order.derivative_in_leverage),
            counterexample_check("one standard deviation beyond the threshold", _not_smaller, {"beyond": Fraction(1)},
                                 {"failure more likely than not": _more_likely_than_not}, part="for certain"),
        ),
        counterexample="lambda_min = gap + tau z_P + tau: the tested ridge fails to be smaller with probability Phi(-1) = 0.159.",
        corrected="Strictly smaller with probability Phi(s) at lambda_min = gap + tau (z_P + s): above 1/2 past the threshold, never 1.",
        note="The printed threshold was lost; the surrounding sentence gives no probability. With probability 1 - beta the threshold needs "
        "tau Phi^{-1}(1 - beta) more.",
    ),
    Claim(
        id="N24-Fig3",
        source="N24",
        title="random projection plus a Gaussian noise matrix, the noise parameter called optimal",
        statement="D^T G plus a matrix of independent N(0, sigma^2) entries, sigma from p* and the largest norm l, is (eps, delta)-DP, and "
        "that sigma is optimal.",
        formula="cov = D^T D + sigma^2 I; smallest sigma^2 = l^2 (1/p* - 1)",
        hypotheses=(*_EVERYONE, "some record has norm l"),
        declared=Verdict.RESTRICTED,
        checks=(
            *_SMALLEST,
            _PRIVACY[1],
            counterexample_check(
                "a valid ridge below l^2/p*", _slack, {"r": 1, "epsilon": Fraction(1), "delta": Fraction("0.01"), "ridge": Fraction("1.91")},
                {"a ridge that is not valid": {"r": 1, "epsilon": Fraction(1), "delta": Fraction("0.01"), "ridge": Fraction("1.9")},
                 "a ridge that is not smaller": {"r": 1, "epsilon": Fraction(1), "delta": Fraction("0.01"), "ridge": Fraction(3)}},
                part="sigma^2 = l^2/p* is optimal",
            ),
        ),
        counterexample="r = 1, l = 1, eps = 1, delta = 0.01: p* = 0.34426, l^2/p* = 2.9048; sigma^2 = 1.91 is valid: "
        "delta_1(1; 1/2.91) = 0.00997.",
        corrected="sigma^2 = l^2 (1/p* - 1) is valid and no smaller one is.",
        note="The formula for sigma was lost from the text. Bounding the leverage by the eigenvalues above sigma^2, as the proof does, gives "
        "l^2/p*, the ridge of N26; if l^2 (1/p* - 1) was printed, the statement is true as it stands.",
    ),
    Claim(
        id="N24-T3",
        source="N24",
        title="the noisy random projection is (eps, delta)-DP",
        statement="The mechanism of N24-Fig3 is (eps, delta)-DP, with sigma^2 = l^2 (1/p* - 1) and so with any larger one.",
        formula="leverage <= l^2/(sigma^2 + l^2) <= p*",
        hypotheses=_EVERYONE,
        declared=Verdict.PROVED,
        checks=(*_MECHANISM, _DP, *_PRIVACY),
        note="Adding noise to the projection and appending sigma I to the database give one law.",
    ),
    Claim(
        id="N24-Fig8",
        source="N24",
        title="a private random linear combination",
        statement="The mechanism of N24-Fig3 with one column: D^T g + sigma h, g and h standard normal, sigma from p* at r = 1.",
        formula="delta_1(eps; p*) = delta, sigma^2 >= l^2 (1/p* - 1)",
        hypotheses=(*_EVERYONE, "r = 1"),
        declared=Verdict.PROVED,
        checks=(*_MECHANISM, *_PRIVACY),
        note="The formula for sigma was lost from the text; l^2/p* and l^2 (1/p* - 1) are both valid.",
    ),
    Claim(
        id="N24-C7",
        source="N24",
        title="the private random linear combination is (eps, delta)-DP",
        statement="The mechanism of N24-Fig8 is (eps, delta)-DP.",
        formula="leverage <= l^2/(sigma^2 + l^2) <= p*",
        hypotheses=(*_EVERYONE, "r = 1"),
        declared=Verdict.PROVED,
        checks=(*_MECHANISM, _DP, *_PRIVACY),
        note="The text sends its proof to that of another theorem (N24-T6); the proof of N24-T3 is the one that applies.",
    ),
)


def _inner_epsilon(epsilon: float, rate: float) -> Enclosure:
    with working_bits(150):
        return enclosure((ball(exact(epsilon)).expm1() / ball(exact(rate))).log1p())
