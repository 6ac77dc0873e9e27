"""Posterior mass of the region that a trade-off curve allows (KM-eq2.5), and the mu that it discredits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy
from scipy.special import betainc, betaincc, betaincinv, expit, logit, ndtri

from ndis_verify.arguments import real, whole
from ndis_verify.fast.trade_off import gaussian_trade_off

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_TAIL = 10.0 ** np.array([-300, -250, -200, -150, -120, -90, -70, -50, -40, -30, -24, *range(-18, -1, 2)])
_LEVELS = np.concatenate([_TAIL, [0.1, 0.3, 0.5, 0.7, 0.9]])
_ROUNDS = 16
_INSIDE_ERROR = 1e-12  # absolute, of a mass inside: ten times what `credible_mass` states at its default tolerance
_ROOT, _STEP = 1e-10, 1e-9  # of mu: how well the root is found, and the first step below it


def credible_mass(
    curve: Callable[[np.ndarray], np.ndarray],
    false_positives: int,
    negatives: int,
    false_negatives: int,
    positives: int,
    tolerance: float = 1e-10,
) -> tuple[float, float]:
    """(inside, outside): posterior mass of `curve(a) <= b <= 1 - curve(1 - a)` and of the rest (KM-eq2.5, corrected).

    a ~ Beta(1/2 + FP, 1/2 + N - FP), b ~ Beta(1/2 + FN, 1/2 + M - FN): type I and II error under Jeffreys priors, N
    negatives, M positives. `curve`: a trade-off function on arrays. The mass outside, a sum of positive terms, keeps
    its relative digits (to about `tolerance`) down to 1e-140, the mass inside is right to 1e-13 absolutely at the
    default; corners of a curve cost a factor of 10, and what 2^-53 in `curve` moves comes on top: 1e-8 where the
    posterior of b crowds next to 1 like that of 10^8 misses of 10^8.

    The integral over b is a regularised incomplete beta function, so one integral over a is left. The source's
    instability is that of quadrature in two dimensions on the unit square: the posterior is a spot of area about 1/N
    there, which a fixed set of nodes misses (it then returns 0, with a small error estimate), and its density is a
    ratio of powers that overflow. Here a = expit(s), panels start at quantiles of the posterior of a, the density is
    taken relative to its mode, and panels are halved where the integrand is not yet resolved. Counts FP =
    `false_positives`, FN = `false_negatives`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import credible_mass
    >>> from scipy.special import ndtr, ndtri
    >>> inside, outside = credible_mass(lambda a: ndtr(ndtri(1 - a) - 1), 10, 1000, 10, 1000)
    >>> print(f"{inside + outside:.9f}")
    1.000000000
    """
    for name, count, of, size in (
        ("false_positives", false_positives, "negatives", negatives),
        ("false_negatives", false_negatives, "positives", positives),
    ):
        whole(count, name, 0, whole(size, of, 1))
    tolerance = real(tolerance, "tolerance", "(0, 1)")
    a1, a2 = 0.5 + false_positives, 0.5 + negatives - false_positives
    b1, b2 = 0.5 + false_negatives, 0.5 + positives - false_negatives

    def parts(s: np.ndarray) -> np.ndarray:
        low, high = curve(expit(s)), curve(expit(-s))
        below, beyond = betainc(b1, b2, low), betainc(b2, b1, high)  # I_{1-x}(b1, b2) = 1 - I_x(b2, b1)
        most = below > 0.5  # what takes longest is computed once, and where it is asked for
        inside = np.empty_like(s)
        inside[most] = betaincc(b1, b2, low[most]) - beyond[most]
        inside[~most] = betaincc(b2, b1, high[~most]) - below[~most]
        return np.stack([np.maximum(inside, 0), below + beyond, np.ones_like(s)]) * _relative_density(s, a1, a2)

    with np.errstate(divide="ignore"):
        panels = np.concatenate([logit(betaincinv(a1, a2, _LEVELS)), -logit(betaincinv(a2, a1, _TAIL))])
    inside, outside, total = _integral(parts, np.unique(panels[np.isfinite(panels)]), tolerance)
    return float(inside / total), float(outside / total)


def _relative_density(s: np.ndarray, a1: float, a2: float) -> np.ndarray:
    """The density of logit(a), a ~ Beta(a1, a2), over its largest value; no power is ever formed."""
    mode = a1 / (a1 + a2)
    a, rest = expit(s), expit(-s)
    # log1p of a small difference keeps the digits that log a - log mode loses when a1 + a2 is large.
    step = a - mode
    near = np.abs(step) < 0.5 * min(mode, 1 - mode)
    with np.errstate(divide="ignore", invalid="ignore"):
        close = a1 * np.log1p(step / mode) + a2 * np.log1p(-step / (1 - mode))
        far = a1 * (np.log(a) - np.log(mode)) + a2 * (np.log(rest) - np.log1p(-mode))
    return np.exp(np.where(near, close, far))


def _integral(parts: Callable[[np.ndarray], np.ndarray], points: np.ndarray, tolerance: float) -> np.ndarray:
    """Gauss-Legendre on panels, each halved until its two halves say the same; returns one value for each part."""
    low, high = points[:-1], points[1:]
    coarse = _panels(parts, low, high)
    total = np.zeros((len(coarse), 1))
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        left, right = _panels(parts, low, middle), _panels(parts, middle, high)
        found = total + (left + right).sum(axis=1, keepdims=True)
        # The mass inside is a difference of incomplete beta functions, known to about 1e-15 of the whole and no better.
        scale = np.maximum(found, 1e-300) + found[2] * np.array([[1e-4], [0.0], [0.0]])
        open_ = (np.abs(left + right - coarse) > tolerance * scale).any(axis=0)
        total = total + (left + right)[:, ~open_].sum(axis=1, keepdims=True)
        if not open_.any():
            return total[:, 0]
        low, high = np.concatenate([low[open_], middle[open_]]), np.concatenate([middle[open_], high[open_]])
        coarse = np.concatenate([left[:, open_], right[:, open_]], axis=1)
    return total[:, 0] + coarse.sum(axis=1)


def _panels(parts: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    half = (high - low) / 2
    s = (low + high)[:, None] / 2 + half[:, None] * _NODES
    return (parts(s.ravel()).reshape(3, *s.shape) @ _WEIGHTS) * half


def credible_gdp(false_positives: int, negatives: int, false_negatives: int, positives: int, failure: float) -> float:
    """The mu whose Gaussian curve has posterior mass `failure` inside: mu is larger with posterior probability 1 -
    failure.

    Never too large: the mass inside grows with mu, and what was computed at the mu returned is below `failure` by the
    error that `credible_mass` states, and more. Too small by about 1e-9 and 1e-12 over the slope of that mass. 0 where
    even the curve of guessing has more mass inside, and for a `failure` below that error. A posterior probability is no
    confidence: KM-eq2.5. Error counts: `false_positives` of `negatives`, `false_negatives` of `positives`; `failure` in
    (0, 1). Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import credible_gdp
    >>> from scipy.special import ndtr, ndtri
    >>> from ndis_verify.audit import credible_mass
    >>> mu = credible_gdp(10, 1000, 10, 1000, 0.05)
    >>> print(f"{credible_mass(lambda a: ndtr(ndtri(1 - a) - mu), 10, 1000, 10, 1000)[0]:.6f}")
    0.050000
    """
    failure = real(failure, "failure", "(0, 1)")
    counts = (false_positives, negatives, false_negatives, positives)

    def inside(mu: float) -> float:
        return credible_mass(lambda a: gaussian_trade_off(a, mu), *counts)[0]

    # The posterior of mu is nearly normal, and z(inside) nearly linear in mu: the search starts next to its root.
    goal = float(ndtri(failure))

    def excess(mu: float) -> float:
        return float(np.clip(ndtri(inside(mu)), -40, 40)) - goal

    a, b = (false_positives + 0.5) / (negatives + 1), (false_negatives + 0.5) / (positives + 1)
    variance = sum(
        r * (1 - r) / n * 2 * np.pi * np.exp(ndtri(r) ** 2) for r, n in ((a, negatives + 1), (b, positives + 1))
    )
    centre, width = -ndtri(a) - ndtri(b), 0.3 * float(np.sqrt(variance))
    low = high = max(centre + goal * width / 0.3, 0.0)
    at_low = at_high = excess(low)
    while at_low >= 0 and low > 0:
        low, high, at_high, width = max(low - width, 0.0), low, at_low, 2 * width
        at_low = excess(low)
    if at_low >= 0:
        return 0.0
    while at_high < 0 and high < 64:
        low, high, at_low, width = high, high + width, at_high, 2 * width
        at_high = excess(high)
    mu, step = high if at_high < 0 else scipy.optimize.brentq(excess, low, high, xtol=_ROOT), _STEP
    while mu > 0 and inside(mu) + _INSIDE_ERROR > failure:
        mu, step = max(mu - step, 0.0), 2 * step
    return mu
