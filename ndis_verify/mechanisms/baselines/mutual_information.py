"""Random projection with added noise under mutual-information privacy (after Showkatbakhsh et al. 2018, N24-Fig14): a
reading.

The source's constants are lost. Read here: a row of the release is N(0, D^T D + ridge I), a non-coherent channel from
one record to r outputs. Its mutual information given the other records is at most that of the lone record, `I <= max_x
D(P_x || P_0) = (r/2)(s - ln(1 + s))`, s = l^2/ridge, for every prior of the record. A level I0 is then converted:
- "pinsker": a mechanism with I <= I0 has total variation at most sqrt(2 I0) between neighbours (equal prior on the
  two), so I0 = delta^2/2 gives (0, delta)- and with it (epsilon, delta)-DP: the conversion in circulation, which
  epsilon does not enter;
- "binary": a violation, an event of probabilities p > delta + e^epsilon q, makes a binary channel of capacity above
  `min over q of C(q, delta + e^epsilon q)`; I0 is that minimum (C is convex in the channel, so the minimum is one).
The noise comes out with a closed form's looseness; the certificate is the exact curve, as for every ridge.
"""

from __future__ import annotations

import math
from typing import Any

import scipy

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.baselines.printed_ridge import ridged
from ndis_verify.mechanisms.calibration import choice, columns, ordinary
from ndis_verify.mechanisms.random_projection import RandomProjection, proper_target

CONVERSIONS = ("binary", "pinsker")
_SAFETY = 1e-6  # relative, on the level of information: both searches end a little off their optimum


@keyword_only
def mutual_information(
    r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, conversion: str = "binary"
) -> RandomProjection:
    """Random projection to r columns with the smallest ridge whose information bound is at most the converted level.

    Whole r >= 1, epsilon >= 0, 0 < delta < 1, records of norm at most l = `norm_bound`. Raises `InputError`.
    """
    r, target, length = columns(r), proper_target(epsilon=epsilon, delta=delta), ordinary(norm_bound, "norm_bound")
    choice(conversion, "conversion", CONVERSIONS)
    level = (
        target.delta**2 / 2
        if conversion == "pinsker"
        else information_level(epsilon=target.epsilon, delta=target.delta)
    )
    signal = signal_to_noise(r, level * (1 - _SAFETY)) if level > 0 else 0.0
    if not signal > 1e-300:
        raise InputError(
            "delta", target.delta, "must be large enough for float64 to hold the level of information that it leaves"
        )
    ridge = length**2 / signal
    name = f"random projection, mutual information ({conversion})"
    return ridged(name, ridge, r, target, length, {"information": level})


def signal_to_noise(r: int, information: float) -> float:
    """s with `(r/2)(s - ln(1 + s)) = information`, information > 0 in nats."""
    goal = 2 * information / r
    if goal < 1e-16:
        return math.sqrt(2 * goal)  # s - ln(1 + s) = s^2/2 - s^3/3 + ...: to a relative 1e-8 on the large side
    return math.exp(
        scipy.optimize.brentq(
            lambda x: _gap(math.exp(x)) / goal - 1,
            math.log(goal) / 2 - 1,
            math.log(goal + 2 * math.sqrt(goal) + 2),
            xtol=1e-13,
        )
    )


@keyword_only
def information_level(*, epsilon: float, delta: float) -> float:
    """The least capacity, in nats, of a binary channel that violates (epsilon, delta): `min_q C(q, delta + e^epsilon
    q)`.
    """
    most = math.log1p(-delta) - epsilon  # log of the largest q that leaves p <= 1
    least = min(math.log(delta) - epsilon - 20, most - 1)  # below, the capacity is that of q = 0 to nine digits
    found = scipy.optimize.minimize_scalar(
        lambda x: _capacity(x, epsilon, delta), bounds=(least, most), method="bounded", options={"xatol": 1e-7}
    )
    return min(float(found.fun), _capacity(-math.inf, epsilon, delta))


def _capacity(log_q: float, epsilon: float, delta: float) -> float:
    """Capacity of the channel whose input 1 gives output 1 with probability p = delta + e^epsilon q, input 0 with q."""
    q, difference = math.exp(log_q), delta - math.exp(epsilon + log_q) * math.expm1(-epsilon)
    found = scipy.optimize.minimize_scalar(
        lambda share: -_information(share, q, difference), bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-7}
    )
    return -float(found.fun)


def _information(share: float, q: float, difference: float) -> float:
    """Mutual information where input 1 has probability `share`: two divergences from the mixed output, free of
    cancellation.
    """
    mixed = q + share * difference
    return share * _binary_divergence((1 - share) * difference, mixed) + (1 - share) * _binary_divergence(
        -share * difference, mixed
    )


def _binary_divergence(shift: float, base: float) -> float:
    """D(Bernoulli(base + shift) || Bernoulli(base))."""
    rest = 1 - base
    return base * _excess(shift / base) + (rest * _excess(-shift / rest) if rest > 0 else 0.0) if base > 0 else 0.0


def _excess(x: float) -> float:
    """(1 + x) ln(1 + x) - x."""
    if abs(x) < 1e-4:
        return x * x * (0.5 - x * (1 / 6 - x * (1 / 12 - x / 20)))
    return (1 + x) * math.log1p(x) - x if x > -1 else 1.0


def _gap(s: float) -> float:
    """s - ln(1 + s)."""
    if s < 1e-3:
        return s * s * (0.5 - s * (1 / 3 - s * (0.25 - s * (0.2 - s / 6))))
    return s - math.log1p(s)
