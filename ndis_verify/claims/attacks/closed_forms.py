"""Closed forms of the divergence held against the general engine, the contour integral, over their whole domain."""

from __future__ import annotations

import numpy as np
import scipy
from scipy.special import erf, log_ndtr, ndtr, ndtri

from ndis_verify.claims.attacks.builders import agree, box, identity, inequality, search
from ndis_verify.claims.attacks.engines import engine, real_engine
from ndis_verify.claims.domain import choice, continuous, integer, vector
from ndis_verify.fast.generalized_chi2 import GeneralizedChi2
from ndis_verify.fast.hockey_stick import log_entries, to_delta
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.fast.mean_shift import gaussian_std as fast_gaussian_std
from ndis_verify.fast.mean_shift import log_gaussian_hockey_stick as fast_log_gaussian_hockey_stick
from ndis_verify.fast.spectrum import Spectrum
from ndis_verify.fast.trade_off import gaussian_trade_off

_SHIFT = continuous("shift", "1e-4", 40, "log")
_EPSILON = continuous("epsilon", 0, 40)
_SMALL = continuous("epsilon", 0, 6)
_REAL = continuous("epsilon", -6, 6)
_CLOSE = 1e-8


# Mean shifts


def _profile(shift, epsilon):
    return ndtr(shift / 2 - epsilon / shift) - np.exp(epsilon) * ndtr(-shift / 2 - epsilon / shift)


def _contour_of_shift(shift, epsilon, **rest):
    return real_engine(0.0, np.square(shift), 1, epsilon)


def _shift_logs(factor: float = 1.0):
    return lambda shift, epsilon: fast_log_gaussian_hockey_stick(factor * shift, 1.0, epsilon)


MEAN_SHIFT = identity(
    "closed form of a mean shift against the contour integral",
    _shift_logs(),
    lambda shift, epsilon: engine(0.0, shift**2, 1, epsilon, log=True),
    box(_SHIFT, _EPSILON),
    {"shift 0.1 % too large": _shift_logs(1.001)},
    logs=True,
    tolerance=1e-10,
)


def _erf_form(shift, epsilon, sign=1.0):
    low, high = shift / 2 - epsilon / shift, shift / 2 + epsilon / shift
    return (1 - np.exp(epsilon) + erf(low / np.sqrt(2)) + sign * np.exp(epsilon) * erf(high / np.sqrt(2))) / 2


ERF_FORM = identity(
    "erf form against the contour integral, real eps",
    _erf_form,
    _contour_of_shift,
    box(_SHIFT, _REAL),
    {"sign of the second erf": lambda shift, epsilon: _erf_form(shift, epsilon, -1.0)},
    scale=lambda shift, epsilon: 1 + np.exp(epsilon),
)


def _scaled_profile(sensitivity, std, epsilon):
    return _profile(sensitivity / std, epsilon)


REAL_PROFILE = identity(
    "closed form against the contour integral, real eps",
    _scaled_profile,
    lambda sensitivity, std, epsilon: _contour_of_shift(sensitivity / std, epsilon),
    box(continuous("sensitivity", "0.1", 10, "log"), continuous("std", "0.1", 10, "log"), _REAL),
    {"variance in place of std": lambda sensitivity, std, epsilon: _profile(sensitivity / std**2, epsilon)},
    scale=lambda sensitivity, std, epsilon: 1 + np.exp(epsilon),
)


def _tail_slope(shift, epsilon, other=-1.0):
    """e^eps Pr[L' <= -eps]."""
    return np.exp(epsilon) * ndtr(other * shift / 2 - epsilon / shift)


def _slope(shift, epsilon):
    step = 1e-3 * shift
    epsilon = epsilon + step
    return (_contour_of_shift(shift, epsilon - step) - _contour_of_shift(shift, epsilon + step)) / (2 * step)


TAILS = identity(
    "e^eps Pr[L' <= -eps] against the slope of the contour integral, Pr[L >= eps] against their sum",
    lambda shift, epsilon: _tail_slope(shift, epsilon + 1e-3 * shift),
    _slope,
    box(continuous("shift", "0.05", 10, "log"), continuous("epsilon", 0, 5)),
    {"tail of the other direction": lambda shift, epsilon: _tail_slope(shift, epsilon + 1e-3 * shift, 1.0)},
    scale=lambda shift, epsilon: 1 + np.exp(epsilon) * ndtr(-shift / 2 - epsilon / shift),
    tolerance=1e-5,
)
WORST_PAIR = inequality(
    "closed form at the global sensitivity over the divergence of any pair of databases",
    lambda shift, share, epsilon: fast_gaussian_hockey_stick(shift, 1.0, epsilon),
    lambda shift, share, epsilon: engine(0.0, (shift * share) ** 2, 1, epsilon),
    box(
        continuous("shift", "0.01", 20, "log"),
        continuous("share", "1e-3", "0.999999", "logit"),
        continuous("epsilon", 0, 20),
    ),
    {"half the sensitivity": lambda shift, share, epsilon: fast_gaussian_hockey_stick(shift / 2, 1.0, epsilon)},
)


def _classical_shift(epsilon, delta, constant=1.25):
    return epsilon / np.sqrt(2 * np.log(constant / delta))


def _classical_logs(constant: float = 1.25):
    return lambda epsilon, delta: fast_log_gaussian_hockey_stick(
        _classical_shift(epsilon, delta, constant), 1.0, epsilon
    )


CLASSICAL = identity(
    "delta reached at the classical std: closed form against the contour integral",
    _classical_logs(),
    lambda epsilon, delta: engine(0.0, _classical_shift(epsilon, delta) ** 2, 1, epsilon, log=True),
    box(continuous("epsilon", "1e-3", 20, "log"), continuous("delta", "1e-30", "0.99", "log")),
    {"1.26 in place of 1.25": _classical_logs(1.26)},
    logs=True,
    tolerance=1e-10,
)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def _linear_hinge(b, c, half=0.5):
    return ndtr(-c / b) - np.exp(c + half * b**2) * ndtr(-c / b - b)


def _linear_hinge_by_quadrature(b, c):
    b, c = np.asarray(b)[:, None], np.asarray(c)[:, None]
    low, high = -12.0, np.clip(-c / b, -12.0, 12.0)
    z = (high + low) / 2 + (high - low) / 2 * _NODES
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return ((high - low) / 2 * _WEIGHTS * -np.expm1(np.minimum(c + b * z, 0)) * density).sum(axis=1)


LINEAR_HINGE = identity(
    "closed form of the linear hinge against a quadrature",
    _linear_hinge,
    _linear_hinge_by_quadrature,
    box(continuous("b", "0.01", 6, "log"), continuous("c", -6, 6)),
    {"|b|^2 not halved": lambda b, c: _linear_hinge(b, c, 1.0)},
    scale=lambda b, c: 1 + np.exp(np.minimum(c + b**2 / 2, 30.0)),
)


# The lemma and the two chi-square laws


def scalar_hinge(lam, shift, epsilon, half: float = 0.5):
    """E max(0, 1 - exp q_eps(Z)) for N(shift, lam) against N(0, 1): where q_eps < 0, by the roots of q_eps."""
    a, b, c = 1 - lam, -np.sqrt(lam) * shift, half * np.log(lam) - shift**2 / 2 + epsilon
    disc = b**2 - 2 * a * c
    root = np.sqrt(np.maximum(disc, 0))
    steep = np.where(b >= 0, b + root, b - root)  # -b -+ root without cancellation
    with np.errstate(all="ignore"):
        first, second = -steep / a, -2 * c / steep
    low, high = np.minimum(first, second), np.maximum(first, second)
    inside = lambda m, s: ndtr((high - m) / s) - ndtr((low - m) / s)  # noqa: E731
    masses = []
    for centre, spread in ((0.0, 1.0), (b / lam, 1 / np.sqrt(lam))):
        between = np.where(disc > 0, inside(centre, spread), 0.0)
        masses.append(np.where(a > 0, between, 1 - between))
    return masses[0] - np.exp(epsilon) * masses[1]


def _of_log(margin):
    """The same with lam = e^{side log}: at lam = 1 the two roots become one."""
    return lambda side, log, shift, epsilon: margin(np.exp(side * log), shift, epsilon)


LEMMA = identity(
    "hinge expectation between the roots of q_eps against the contour integral, d = 1",
    _of_log(scalar_hinge),
    _of_log(lambda lam, shift, epsilon: engine(lam - 1, shift**2, 1, epsilon)),
    box(choice("side", (1, -1)), continuous("log", "0.01", 7, "log"), continuous("shift", "1e-3", 10, "log"), _SMALL),
    {
        "half of the log determinant dropped": _of_log(
            lambda lam, shift, epsilon: scalar_hinge(lam, shift, epsilon, 1.0)
        )
    },
    scale=lambda side, log, shift, epsilon: np.exp(epsilon),
    tolerance=_CLOSE,
)


def _two_laws(epsilon, swap=False, **columns):
    """Pr[W1 <= t] - e^eps Pr[W2 <= t] with the weights and noncentralities of N26-T4.1, one pair."""
    log, shift = (np.array([columns[f"{name}_{i}"] for i in (1, 2, 3)]) for name in ("log", "shift"))
    lam = np.exp(log)
    a, b_squared = 1 - lam, lam * shift**2
    t = -(epsilon + log.sum() / 2 - (shift**2).sum() / 2)
    laws = ((a / 2, b_squared / a**2), (a / (2 * (1 - a)), b_squared / (a**2 * (1 - a))))
    move = -(b_squared / (2 * a)).sum()
    first, second = (float(GeneralizedChi2(w, 1, nc, shift=move).cdf(t)) for w, nc in (laws[::-1] if swap else laws))
    return first - np.exp(epsilon) * second


def _three_groups(epsilon, **columns):
    log, shift = (np.array([columns[f"{name}_{i}"] for i in (1, 2, 3)]) for name in ("log", "shift"))
    return float(
        to_delta(
            log_entries(Spectrum(np.expm1(log)[None], (shift**2)[None]), np.zeros(1, dtype=int), np.array([epsilon]))
        )[0]
    )


def _scalar_agree(left, right):
    return lambda **columns: -abs(left(**columns) - right(**columns)) / (1 + np.exp(columns["epsilon"]))


TWO_LAWS = search(
    "two generalized chi-square probabilities against the contour integral, d = 3",
    _scalar_agree(_two_laws, _three_groups),
    box(vector("log", 3, "0.05", 3), vector("shift", 3, 0, 3), continuous("epsilon", 0, 4)),
    {"laws exchanged": _scalar_agree(lambda **columns: _two_laws(swap=True, **columns), _three_groups)},
    vectorised=False,
    quick=100,
    full=1500,
)


def _added(weight, k1, k2, nc1, nc2, x):
    """Two terms of one weight, as the package's law has them."""
    law = GeneralizedChi2([weight, weight], [int(k1), int(k2)], [nc1, nc2])
    return float(law.cdf(weight * x)) if x < k1 + k2 + nc1 + nc2 else float(law.sf(weight * x))


def _noncentral(weight, k1, k2, nc1, nc2, x, more=0):
    dof, nc = k1 + k2 + more, nc1 + nc2
    return float((scipy.stats.ncx2.cdf if x < k1 + k2 + nc else scipy.stats.ncx2.sf)(x, dof, nc))


CHI_SQUARE = search(
    "two terms of one weight against scipy's noncentral chi-square law",
    lambda **at: -abs(_added(**at) - _noncentral(**at)),
    box(
        continuous("weight", "0.01", 100, "log"),
        integer("k1", 1, 20),
        integer("k2", 1, 20),
        continuous("nc1", 0, 20),
        continuous("nc2", 0, 20),
        continuous("x", "0.1", 120),
    ),
    {"one degree of freedom more": lambda **at: -abs(_added(**at) - _noncentral(**at, more=1))},
    vectorised=False,
    tolerance=1e-8,
    quick=100,
    full=1500,
)


# The analytic mechanism


def _noise_floor(epsilon):
    return 0.5 - np.exp(epsilon + log_ndtr(-np.sqrt(2 * epsilon)))


def _floor_margin(threshold=_noise_floor):
    def margin(epsilon, delta):
        need = fast_gaussian_std(1.0, epsilon=epsilon, delta=delta) * np.sqrt(2 * epsilon) - 1
        level = threshold(epsilon)
        ordered = np.sign(level - delta) * need
        return np.minimum(ordered, np.minimum(0.5 - level, level - 0.5 + 1 / np.sqrt(4 * np.pi * epsilon)))

    return margin


NOISE_FLOOR = search(
    "std below the floor exactly for delta above the threshold, threshold between its bounds",
    _floor_margin(),
    box(continuous("epsilon", "1e-3", 50, "log"), continuous("delta", "1e-9", "0.9", "log")),
    {"the threshold in circulation": _floor_margin(lambda e: 0.5 - np.exp(-3 * e) / np.sqrt(4 * np.pi * e))},
)
_CALIBRATED = box(continuous("epsilon", "1e-6", 100, "log"), continuous("delta", "1e-100", "0.99", "log"))


def _calibrated_margin(shrink=1.0):
    def margin(epsilon, delta):
        std = shrink * fast_gaussian_std(1.0, epsilon=epsilon, delta=delta)
        return np.log(delta) - engine(0.0, 1 / std**2, 1, epsilon, log=True)

    return margin


CALIBRATED = search(
    "divergence at the calibrated std, by the contour integral, over the target",
    _calibrated_margin(),
    _CALIBRATED,
    {"std 0.1 % smaller": _calibrated_margin(0.999)},
    tolerance=1e-9,
)


def _smallest_margin(stretch=1.0):
    def margin(epsilon, delta):
        std = stretch * fast_gaussian_std(1.0, epsilon=epsilon, delta=delta)
        return np.minimum(
            np.log(delta) - engine(0.0, 1 / std**2, 1, epsilon, log=True),
            engine(0.0, 1 / (0.9999 * std) ** 2, 1, epsilon, log=True) - np.log(delta),
        )

    return margin


SMALLEST = search(
    "the calibrated std meets the target and 0.01 % less does not",
    _smallest_margin(),
    _CALIBRATED,
    {"std 1 % larger": _smallest_margin(1.01)},
    tolerance=1e-9,
)
PURE_DELTA = inequality(
    "total variation at std Delta/(2 delta) over delta",
    lambda delta: delta,
    lambda delta: engine(0.0, (2 * delta) ** 2, 1, 0.0),
    box(continuous("delta", "1e-12", "0.999999", "logit")),
    {"half the std": lambda delta: delta / 2},
)
TRADE_OFF = search(
    "the Gaussian trade-off curve over every line of the divergence's profile",
    lambda mu, alpha, epsilon: (
        gaussian_trade_off(alpha, mu) - (1 - _contour_of_shift(mu, epsilon) - np.exp(epsilon) * alpha)
    ),
    box(continuous("mu", "0.01", 6, "log"), continuous("alpha", "1e-6", "0.999999", "logit"), _REAL),
    {
        "mu 1 % too large": lambda mu, alpha, epsilon: (
            gaussian_trade_off(alpha, 1.01 * mu) - (1 - _contour_of_shift(mu, epsilon) - np.exp(epsilon) * alpha)
        )
    },
    starts=({"mu": 1, "alpha": "0.3", "epsilon": "0.02440051270804078"},),
)


def _threshold_value(std, z, turn=1.0):
    return -ndtri(ndtr(-z)) - ndtri(ndtr(z - turn / std))


SAME_THRESHOLD = search(
    "Phi^-1(1-alpha) - Phi^-1(beta) of a threshold against 1/s",
    agree(lambda std, z: _threshold_value(std, z), lambda std, z: 1 / std),
    box(continuous("std", "0.2", 20, "log"), continuous("z", -4, 6)),
    {"std squared": agree(lambda std, z: _threshold_value(std, z), lambda std, z: 1 / std**2)},
    tolerance=1e-6,
)

ATTACKS = {
    "N26-D1": CHI_SQUARE,
    "N26-L1": LEMMA,
    "N24-T1": LEMMA,
    "N26-T4.1": TWO_LAWS,
    "N26-P1": MEAN_SHIFT,
    "N24-L2": ERF_FORM,
    "N24-P5": LINEAR_HINGE,
    "N24-P7": WORST_PAIR,
    "N24-C4": WORST_PAIR,
    "N24-C5": CLASSICAL,
    "KM-2.3": REAL_PROFILE,
    "BW-L3": TAILS,
    "BW-L6": TAILS,
    "BW-T2": PURE_DELTA,
    "BW-T4-corrected": NOISE_FLOOR,
    "BW-T8": WORST_PAIR,
    "BW-T9": CALIBRATED,
    "BW-Alg1": SMALLEST,
    "KM-2.8": TRADE_OFF,
    "KM-eq3.1": SAME_THRESHOLD,
}
