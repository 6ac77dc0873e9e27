"""Claims about how the waste of the classical Gaussian mechanism changes in eps and in delta."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb

from ndis_verify.claim import Verdict
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.certify import monotone
from ndis_verify.court.certify_box import axis
from ndis_verify.court.certify_checks import certified_box_check
from ndis_verify.court.domain import Domain, continuous
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.fast.mean_shift import gaussian_std as fast_gaussian_std
from ndis_verify.fast.mean_shift import log_gaussian_hockey_stick as fast_log_gaussian_hockey_stick
from ndis_verify.oracle.certified import gaussian_mechanism as certified
from ndis_verify.oracle.certified.engine.balls import ball
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import classical_gaussian_gain, mean_shift_elasticity, mean_shift_room
from ndis_verify.symbolic import classical_gaussian_order as derived

_STEPS = Domain(
    (
        continuous("epsilon", "1e-4", "0.9", "log"),
        continuous("delta", "1e-200", "0.9", "log"),
        continuous("step", "1e-3", "0.1", "log"),
    )
)
_BARELY = (  # shares that are hardly enough at (eps, delta)
    {"eps": 1, "x": "0.999", "delta": "0.00001", "y": "0.00001001", "s": "0.77003"},
    {"eps": "0.1", "x": "0.0999", "delta": "0.01", "y": "0.01001", "s": "0.30706"},
    {"eps": "0.01", "x": "0.00999", "delta": "0.5", "y": "0.5005", "s": "0.0054444"},
)


def _log_share(epsilon, delta):
    """log of the smallest valid std over the classical one, in float64."""
    return np.log(fast_gaussian_std(1.0, epsilon=epsilon, delta=delta) * epsilon / np.sqrt(2 * np.log(1.25 / delta)))


def _log_reached(epsilon, delta):
    """log of delta reached over delta claimed at the classical std, in float64."""
    std = np.sqrt(2 * np.log(1.25 / delta)) / epsilon
    return fast_log_gaussian_hockey_stick(1.0, std, epsilon) - np.log(delta)


def _rising_margin(function, in_epsilon: int, in_delta: int):
    """The smaller gain of `function` on the way from (epsilon, delta) by one step, in the stated senses."""

    def margin(epsilon, delta, step):
        start = function(epsilon, delta)
        along_epsilon = in_epsilon * (function(epsilon * (1 + step), delta) - start)
        along_delta = in_delta * (function(epsilon, delta ** (1 - step)) - start)
        return np.minimum(along_epsilon, along_delta) / step

    return margin


def _share_falls(constant: Fraction = Fraction(5, 4), sign: int = 1):
    """2 ln(constant/delta) - mu phi(u)/delta, or that times delta, on boxes of (eps, y = eps/mu): minus the slope's
    sign.

    Where u = mu/2 - y < 0 by the Mills ratio m, delta = phi(u) D with D = m(y - h) - m(y + h), h = mu/2: the number is
    unimodal in D. Elsewhere times delta, concave in delta, whose values follow from the corners: delta rises in eps and
    falls in y (the slope in eps at fixed y is phi(u) (1/y - m(y + h)) > 0).
    """
    c = ball(constant)

    def by_mills(epsilon: arb, y: arb) -> arb:
        h = epsilon / (2 * y)
        direct = monotone(certified.mills_ratio, y - h) - monotone(certified.mills_ratio, y + h)
        steep, flat = (2 * h * (1 - x * certified.mills_ratio(x)) for x in ((y - h).lower(), (y + h).upper()))
        ends = direct.lower().max(flat.lower()), direct.upper().min(steep.upper())
        low, high = (2 * (c * (2 * arb.pi()).sqrt() / end).log() + (y - h) ** 2 - 2 * h / end for end in ends)
        return low.min(high)

    def by_delta(epsilon: arb, y: arb) -> arb:
        corners = ((epsilon.lower(), y.upper()), (epsilon.upper(), y.lower()))
        deltas = [certified.profile(e / v, e) for e, v in corners]
        low, high = (2 * delta * (c / delta).log() for delta in deltas)
        mu = epsilon / y
        return low.min(high) - mu * (-((mu / 2 - y) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()

    def value(epsilon: arb, y: arb) -> arb:
        return sign * (by_mills if y - epsilon / (2 * y) > 0 else by_delta)(epsilon, y)

    return value


_BOX = certified_box_check(
    "the share falls in delta, up to eps/mu = 7/5",
    _share_falls(),
    (axis("epsilon", "1e-6", 1, "log"), axis("y", "1e-7", "1.4", "log")),
    mutants={"1 in place of 1.25": _share_falls(Fraction(1)), "the share rises": _share_falls(sign=-1)},
)

CLAIMS = (
    stated_claim(
        id="BW-Fig1-monotone",
        source="BW",
        title="the analytic gain grows as eps falls and as delta grows",
        stated=statement(
            "delta_shift(x/(s a); x) < delta, and delta_shift(eps/(s b); eps) < y",
            *("x >= 0.000001", "x < eps", "eps <= 1", "0 < delta < y", "y <= 0.999999", "s > 0"),
            "delta_shift(eps/(s a); eps) <= delta",
            where={"a": "sqrt(2 log(1.25/delta))", "b": "sqrt(2 log(1.25/y))"},
            over=(
                *(real(name, "1e-6", 1, "log") for name in ("x", "eps")),
                *(real(name, "1e-9", "0.999999", "logit") for name in ("delta", "y")),
                real("s", "0.001", 2, "log"),
            ),
        ),
        search={"starts": _BARELY},
        about=(
            "The analytic std as a share of the classical one, sqrt(2 log(1.25/delta)) Delta/eps, increases in eps and"
            " decreases in delta: a share s that is enough at eps and delta is more than enough at a smaller eps, and"
            " at a larger delta. Higher improvements for larger delta, and for smaller eps."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("in eps", derived.least_share_in_epsilon),
            proof("in delta", classical_gaussian_gain.least_share_in_delta),
            proof("room at one shift", mean_shift_elasticity.at_one_shift),
            proof("room at smaller shifts", mean_shift_room.small_shifts),
            proof("room at larger shifts", mean_shift_room.large_shifts),
            proof("room at every shift", mean_shift_room.every_shift),
            _BOX,
            attack_check(
                "one step up in eps, one step up in delta",
                _rising_margin(_log_share, 1, -1),
                _STEPS,
                mutants={
                    "smaller gain for larger delta": _rising_margin(_log_share, 1, 1),
                    "smaller gain for smaller eps": _rising_margin(_log_share, -1, -1),
                },
                quick=400,
                full=20_000,
                tolerance=1e-8,
            ),
        ),
        note=(
            "In eps it holds for every eps > 0. In delta it is that mu phi(mu/2 - eps/mu)/delta, by what share delta"
            " grows with the shift mu, is less than 2 log(1.25/delta); the box encloses the same for eps from 1e-6"
            " on and eps/mu from 1e-7 to 1.4."
        ),
    ),
    stated_claim(
        id="N24-Fig7-monotone",
        source="N24",
        title="the classical std's excess of privacy grows as eps falls and as delta falls",
        stated=statement(
            "delta_shift(eps/u; eps)/delta < delta_shift(x/u; x)/delta, and delta_shift(eps/u; eps)/delta <"
            " delta_shift(eps/v; eps)/y",
            *("0 < eps < x", "x <= 1", "0 < delta < y", "y < 1"),
            where={"u": "sqrt(2 log(1.25/delta))", "v": "sqrt(2 log(1.25/y))"},
            over=(
                *(real(name, "1e-3", 1, "log") for name in ("eps", "x")),
                *(real(name, "1e-9", 1, "log") for name in ("delta", "y")),
            ),
        ),
        about=(
            "The true delta as a share of the claimed one, at the classical std sqrt(2 log(1.25/delta)) Delta/eps,"
            " increases in eps and in delta."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("slopes in eps and in delta", derived.reached_share),
            proof("more eps reaches more", derived.reached_in_epsilon),
            attack_check(
                "one step up in eps, one step up in delta",
                _rising_margin(_log_reached, 1, 1),
                _STEPS,
                mutants={
                    "falls in delta": _rising_margin(_log_reached, 1, -1),
                    "falls in eps": _rising_margin(_log_reached, -1, 1),
                },
                quick=400,
                tolerance=1e-8,
            ),
        ),
        note=(
            "So the factor between claimed and true delta runs from below 11 (eps -> 1, delta = 0.5) to any size: no"
            " one order of magnitude fits."
        ),
    ),
)
