"""The compiled loops of the extra `speed` against the certified oracle, at random points of what they do themselves.

`NDIS_VERIFY_COMPILED_POINTS=10000` asks for that many of each family, `NDIS_VERIFY_COMPILED_SEED` for others; `-rP`
shows how many were compared, how many were left to the numpy path, and the largest error.
"""

import os
import random

import mpmath
import numpy as np
import pytest

from ndis_verify import GaussianPair
from ndis_verify.fast import PairBatch, Spectrum, als_spectrum
from ndis_verify.fast.accuracy import PROMISES
from ndis_verify.fast.engine import compiled, compiling, curve
from ndis_verify.oracle import certified_als_hockey_stick, certified_hockey_stick, certified_rp_hockey_stick

COUNT = int(os.environ.get("NDIS_VERIFY_COMPILED_POINTS", "60" if compiling.numba else "8"))
SEED = os.environ.get("NDIS_VERIFY_COMPILED_SEED", "")
ROW = PROMISES["hockey_stick"]
DIGITS = 20
HIGHEST = 200.0  # epsilon


def drawn(draw, least, largest):
    """Log-uniform."""
    return float(np.clip(np.exp(draw.uniform(np.log(least), np.log(largest))), least, largest))


def variances(draw, d):
    """Eigenvalue ratios of the promise: near 1, far from it, to one side of it, or equal."""
    kind, scale = (
        draw.choice(("all", "all", "below", "above", "equal")),
        10 ** -draw.uniform(0, 6) if draw.random() < 0.5 else 1,
    )
    found = [np.exp(scale * np.log(drawn(draw, 1e-6, 1e6))) for _ in range(d)]
    if kind == "below":
        found = [min(v, 1 / v) for v in found]
    if kind == "above":
        found = [max(v, 1 / v) for v in found]
    return [found[0]] * d if kind == "equal" else found


def pair_of(draw, d):
    size = drawn(draw, 1e-6, 1e3)
    means = [size * draw.gauss(0, 1) * (draw.random() < 0.7) for _ in range(d)]
    return means, [float(v) for v in variances(draw, d)]


def placed(draw, laws, row, deep):
    loss = laws.loss_forms()
    deviations = draw.uniform(20, 80) if deep else draw.uniform(-4, 36)
    return float(np.clip(loss.mean[row] + deviations * loss.std[row], 0, HIGHEST))


def curves(draw):
    """A curve whose epsilons share paths; some of them are compared."""
    d = draw.randint(1, 6)
    means, cov = pair_of(draw, d)
    pair = GaussianPair(means, cov, [0.0] * d, [1.0] * d)
    laws = curve.spectrum(pair)
    epsilons = np.array(sorted(placed(draw, laws, 0, False) for _ in range(draw.choice((2, 10, 40)))))
    found = compiled.entries(laws, np.zeros(epsilons.size, dtype=int), epsilons)
    for e in draw.sample(range(epsilons.size), min(3, epsilons.size)):
        yield epsilons[e], found[0][e], found[1][e], lambda at: certified_hockey_stick(pair, at, digits=DIGITS)


def batches(draw):
    """Pairs of a batch, diagonal or dense, at one epsilon each."""
    d, count, dense = draw.randint(1, 4), 4, draw.random() < 0.3
    drawn_pairs = [pair_of(draw, d) for _ in range(count)]
    means, cov = np.array([m for m, _ in drawn_pairs]), np.array([v for _, v in drawn_pairs])
    unit = np.ones((count, d))
    if dense:
        turn = np.linalg.qr(np.random.default_rng(draw.randrange(2**32)).standard_normal((d, d)))[0]
        cov = np.stack([(turn * v) @ turn.T for v in np.clip(cov, 1e-3, 1e3)])
        cov, unit = 0.5 * (cov + np.swapaxes(cov, 1, 2)), np.stack([np.eye(d)] * count)
    laws = curve.spectrum(PairBatch(means, cov, np.zeros((count, d)), unit))
    epsilons = np.array([placed(draw, laws, row, False) for row in range(count)])
    found = compiled.entries(laws, np.arange(count), epsilons)
    for row in range(count):
        pair = GaussianPair(means[row].tolist(), cov[row].tolist(), [0.0] * d, unit[row].tolist())
        yield (
            epsilons[row],
            found[0][row],
            found[1][row],
            lambda at, p=pair: certified_hockey_stick(p, at, digits=DIGITS),
        )


def multiplicities(draw):
    """Random projections, of one group, and least squares, of two."""
    r, direction = round(drawn(draw, 1, 1e6)), draw.choice(("delete", "insert"))
    q = 1 / (1 + 1 / drawn(draw, 1e-6, 1e4))
    if draw.random() < 0.5:
        alpha = q / (1 - q) if direction == "delete" else -q
        laws = Spectrum([alpha], [0.0], [r])

        def law(at):
            return certified_rp_hockey_stick(q, r, at, direction, digits=DIGITS)
    else:
        d, p = round(drawn(draw, 1, 100)), draw.random() * q
        laws = als_spectrum(p, q, d, r, direction)

        def law(at):
            return certified_als_hockey_stick(p, q, d, r, at, direction, digits=DIGITS)

    epsilons = np.array(sorted(placed(draw, laws, 0, False) for _ in range(2)))
    found = compiled.entries(laws, np.zeros(2, dtype=int), epsilons)
    for e in range(2):
        yield epsilons[e], found[0][e], found[1][e], law


def far_below(draw):
    """Logarithms far below that of the least float."""
    d = draw.randint(1, 3)
    means, cov = pair_of(draw, d)
    pair = GaussianPair(means, cov, [0.0] * d, [1.0] * d)
    laws = curve.spectrum(pair)
    epsilon = placed(draw, laws, 0, True)
    found = compiled.entries(laws, np.zeros(1, dtype=int), np.array([epsilon]))
    yield epsilon, found[0][0], found[1][0], lambda at: certified_hockey_stick(pair, at, digits=DIGITS)


def error(direct, complement, truth):
    """The relative error of a value, or of its logarithm where it is far below the floats."""
    if truth.mid == 0:
        return 0.0 if direct == -np.inf else np.inf
    found = (
        mpmath.exp(mpmath.mpf(float(direct))) if np.isnan(complement) else -mpmath.expm1(mpmath.mpf(float(complement)))
    )
    if truth.mid < ROW.least:
        return float(abs(mpmath.mpf(float(direct)) / mpmath.log(truth.mid) - 1))
    return float((abs(found - truth.mid) + truth.rad) / truth.mid)


@pytest.mark.parametrize("family", [curves, batches, multiplicities, far_below])
@pytest.mark.timeout(0)
def test_compiled_loops_keep_the_promise(family):
    compared = left = seed = 0
    worst, where, above = 0.0, "", []
    while compared < COUNT:
        draw = random.Random(f"{family.__name__} {SEED} {seed}")
        seed += 1
        with np.errstate(all="ignore"), mpmath.workdps(40):
            for epsilon, direct, complement, law in family(draw):
                if np.isnan(direct) and np.isnan(complement):
                    left += 1
                    continue
                compared += 1
                found = error(direct, complement, law(epsilon))
                if not found <= ROW.error:
                    above.append((seed - 1, epsilon, found))
                if not found <= worst:
                    worst, where = found, f"seed {seed - 1}, epsilon {epsilon!r}"
    print(f"{family.__name__}: {compared} compared, {left} left, {len(above)} above, at most {worst:.2g} ({where})")
    assert not above
