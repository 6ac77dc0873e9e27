"""One-shot audits with random canaries (KM-8.1): the scores, drawn from their exact law without the canaries
themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndis_verify.arguments import one_of, real, whole
from ndis_verify.exact_number import InputError

LAWS = ("sphere", "gaussian")
MOST = 10_000_000


@dataclass(frozen=True, eq=False)
class CanaryScores:
    """Inner products with the output of canaries that were added to the sum (`training`) and of canaries that were not
    (`test`).

    One axis each, or two with one row per run.
    """

    training: np.ndarray
    test: np.ndarray


def one_shot_scores(
    dimension: Any,
    training: Any,
    test: Any,
    std: float,
    rng: np.random.Generator,
    *,
    norm: float = 0.0,
    law: str = "sphere",
    runs: int | None = None,
) -> CanaryScores:
    """Scores `<x_i, theta>` and `<z_j, theta>` for `theta = X + sum_i x_i + N(0, std^2 I_d)` (KM-8.1), |X| = `norm`.

    x_1..x_n, z_1..z_m: independent canaries, n = `training`, m = `test`, uniform on the unit sphere of R^d ("sphere")
    or N(0, I_d/d) ("gaussian"); d = `dimension` >= 2. Exact in law in O(n + m) time and memory, whatever d is:

    - theta is independent of the z_j: their scores are |theta| times independent coordinates.
    - "gaussian": rotating the n canaries into each other so that their sum is sqrt(n) times the first leaves n - 1 of
      them independent of theta: `<x_i, theta> = <s, theta>/n + (|theta|/sqrt d)(g_i - mean g)`, s the sum, g normal.
    - "sphere": the lengths of the partial sums S_k are a Markov chain; given all lengths, x_k stands at a known angle
      to S_k and points in a uniform direction orthogonal to it. Backwards from S_n this gives `<x_k, theta>`, one k at
      a time.

    runs: that many independent draws, as rows. std > 0; rng: the generator that everything is drawn from. Raises
    `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import one_shot_scores
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = one_shot_scores(1000, 20, 30, 1.0, rng)
    >>> scores.training.shape, scores.test.shape
    ((20,), (30,))
    """
    d, n, m = (
        whole(value, name, least)
        for name, value, least in (("dimension", dimension, 2), ("training", training, 1), ("test", test, 1))
    )
    rows = 1 if runs is None else whole(runs, "runs", 1)
    std, norm = real(std, "std", "[0, inf)"), real(norm, "norm", "[0, inf)")
    if not isinstance(rng, np.random.Generator):
        raise InputError("rng", type(rng).__name__, "must be a numpy.random.Generator")
    one_of(law, "law", LAWS)
    if rows * max(n, m) > MOST:
        raise InputError("training, test", max(n, m) * rows, f"must be at most {MOST} scores over all runs")
    length, cosines = _sums(d, n, rows, law, rng)
    # v = X + noise: its square from a normal and a chi-square number, its angle to the canaries' sum uniform.
    along = norm + std * rng.standard_normal(rows)
    v = np.sqrt(along**2 + std**2 * rng.chisquare(d - 1, rows))
    product = length[n] ** 2 + v * length[n] * sphere_coordinate(d, rows, rng)  # <s, theta>
    theta = np.sqrt(np.maximum(v**2 + 2 * product - length[n] ** 2, 0.0))
    inside = (
        _sphere_training(d, length, cosines, theta, product, rng)
        if law == "sphere"
        else _gaussian_training(d, n, theta, product, rng)
    )
    outside = theta[:, None] * (
        sphere_coordinate(d, (rows, m), rng) if law == "sphere" else rng.standard_normal((rows, m)) / np.sqrt(d)
    )
    return CanaryScores(inside, outside) if runs is not None else CanaryScores(inside[0], outside[0])


def sphere_coordinate(dimension: int, size: Any, rng: np.random.Generator) -> np.ndarray:
    """First coordinates of independent points uniform on the unit sphere of R^d; +-1 in one dimension."""
    normal = rng.standard_normal(size)
    return np.sign(normal) if dimension == 1 else normal / np.sqrt(normal**2 + rng.chisquare(dimension - 1, size))


def _sums(d: int, n: int, rows: int, law: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """|S_0|..|S_n| down the first axis ("gaussian": the last one alone), and the cosine of x_k to S_{k-1}."""
    length = np.zeros((n + 1, rows))
    if law == "gaussian":
        length[n] = np.sqrt(n * rng.chisquare(d, rows) / d)
        return length, np.empty((0, rows))
    cosines = sphere_coordinate(d, (n, rows), rng)
    for k in range(1, n + 1):
        before, cosine = length[k - 1], cosines[k - 1]
        length[k] = np.hypot(before + cosine, np.sqrt((1 - cosine) * (1 + cosine)))
    return length, cosines


def _sphere_training(
    d: int, length: np.ndarray, cosines: np.ndarray, theta: np.ndarray, product: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    n, rows = cosines.shape
    scores = np.empty((rows, n))
    across = sphere_coordinate(d - 1, (n, rows), rng)
    sines = np.sqrt((1 - cosines) * (1 + cosines))
    for k in range(n, 1, -1):
        size, before = length[k], length[k - 1]
        shadow = product / size  # of theta on S_k
        on_sum = (1 + before * cosines[k - 1]) / size  # x_k on S_k
        rest = before * sines[k - 1] / size  # x_k orthogonal to it
        found = on_sum * shadow + rest * np.sqrt(np.maximum((theta - shadow) * (theta + shadow), 0.0)) * across[k - 1]
        scores[:, k - 1] = found
        product = product - found
    scores[:, 0] = product
    return scores


def _gaussian_training(d: int, n: int, theta: np.ndarray, product: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    normal = rng.standard_normal((theta.size, n))
    return product[:, None] / n + theta[:, None] / np.sqrt(d) * (normal - normal.mean(axis=1, keepdims=True))
