"""Closed forms of random projection and of the chi-square hinge held against the general engine."""

from __future__ import annotations

import numpy as np
from scipy.special import erf, erfc, gammainc, gammaincc

from ndis_verify.claims.attack import relative_margin
from ndis_verify.claims.attacks.builders import box, identity, inequality, search
from ndis_verify.claims.attacks.engines import engine, real_engine
from ndis_verify.claims.domain import continuous, integer
from ndis_verify.fast.random_projection import log_rp_hockey_stick as fast_log_rp_hockey_stick
from ndis_verify.fast.random_projection import rp_hockey_stick as fast_rp_hockey_stick

_LEVERAGE = continuous("p", "1e-6", "0.999999", "logit")
_COLUMNS = integer("r", 1, 1000, "log")
_SMALL = continuous("epsilon", 0, 6)
_CLOSE = 1e-8


def _projection_engine(p, r, epsilon):
    return engine(p / (1 - p), 0.0, r, epsilon, log=True)


PROJECTION = identity(
    "deletion closed form against the contour integral",
    lambda p, r, epsilon: fast_log_rp_hockey_stick(p, r, epsilon),
    _projection_engine,
    box(_LEVERAGE, _COLUMNS, continuous("epsilon", 0, 30)),
    {"insertion": lambda p, r, epsilon: np.maximum(fast_log_rp_hockey_stick(p, r, epsilon, "insert"), -1e4)},
    logs=True,
)


def _form(r, a, c, first, second, sign):
    """(first probability) - e^c (1 - a)^{-r/2} (second probability)."""
    return first(r / 2, -c / a) - np.exp(c - r / 2 * np.log1p(-a)) * second(r / 2, -(1 - a) * c / a) * sign


def _falling(r, size, c, extra=0.0):
    """N24-P1 at a = -size, c >= 0."""
    return _form(r + extra, -size, c, gammaincc, gammaincc, 1.0)


def _rising(r, a, depth, extra=0.0):
    """N24-P2 at 0 < a < 1, c = -depth < 0."""
    return _form(r + extra, a, -depth, gammainc, gammainc, 1.0)


def _falling_engine(r, size, c):
    return real_engine(size, 0.0, r, c - r / 2 * np.log1p(size))


def _rising_engine(r, a, depth):
    return real_engine(-a, 0.0, r, -depth - r / 2 * np.log1p(-a))


_SIZE, _DEPTH = continuous("size", "0.01", 50, "log"), continuous("depth", "1e-3", 20, "log")
_ORDER, _ONE = integer("r", 1, 60), integer("r", 1, 1)
_LEVEL, _PART = continuous("c", 0, 20), continuous("a", "0.01", "0.99", "logit")
FALLING_HINGE, RISING_HINGE = (
    identity(
        f"closed form of the chi-square hinge against the contour integral, {text}",
        form,
        general,
        domain,
        {"one degree of freedom more": lambda form=form, **at: form(**at, extra=1.0)},
        scale=lambda r, **at: 1.0,
        tolerance=_CLOSE,
    )
    for text, form, general, domain in (
        ("a < 0", _falling, _falling_engine, box(_ORDER, continuous("size", "0.01", 3, "log"), _LEVEL)),
        ("0 < a < 1", _rising, _rising_engine, box(_ORDER, continuous("a", "0.01", "0.8"), _DEPTH)),
    )
)


def _one_falling(r, size, c, power=0.5):
    return erfc(np.sqrt(c / size)) - np.exp(c) * (1 + size) ** -power * erfc(np.sqrt((1 + size) * c / size))


def _one_rising(r, a, depth, power=0.5):
    return erf(np.sqrt(depth / a)) - np.exp(-depth) * (1 - a) ** -power * erf(np.sqrt((1 - a) * depth / a))


ONE_FALLING, ONE_RISING = (
    identity(
        f"error-function form against the contour integral, {text}",
        form,
        general,
        domain,
        {"no square root": lambda form=form, **at: form(**at, power=1.0)},
        scale=lambda r, **at: 1.0,
        tolerance=_CLOSE,
    )
    for text, form, general, domain in (
        ("a < 0", _one_falling, _falling_engine, box(_ONE, _SIZE, _LEVEL)),
        ("0 < a < 1", _one_rising, _rising_engine, box(_ONE, _PART, _DEPTH)),
    )
)


def _one_column(p, epsilon, power=1.0):
    """N24-T7: the deletion and the insertion of one column, through erfc and erf."""
    rho = 1 / (1 - p)
    t = 2 * (epsilon + np.log(rho) / 2) / (rho**power - 1)
    u = np.maximum(np.log(rho) - 2 * epsilon, 0) / p
    delete = erfc(np.sqrt(t / 2)) - np.exp(epsilon) * erfc(np.sqrt(rho * t / 2))
    return delete, erf(np.sqrt(u / 2)) - np.exp(epsilon) * erf(np.sqrt((1 - p) * u / 2))


def _column_margin(power=1.0):
    def margin(p, epsilon):
        delete, insert = _one_column(p, epsilon, power)
        exact = engine(p / (1 - p), 0.0, 1, epsilon), engine(-p, 0.0, 1, epsilon)
        worst = np.maximum(np.abs(delete - exact[0]), np.abs(insert - exact[1]))
        return np.minimum(-worst / np.exp(epsilon), relative_margin(*exact))

    return margin


ONE_COLUMN = search(
    "both closed forms of one column against the contour integral, deletion at least insertion",
    _column_margin(),
    box(_LEVERAGE, _SMALL),
    {"rho squared": _column_margin(2.0)},
    tolerance=_CLOSE,
)
ONE_COLUMN_GROWS = inequality(
    "one-column deletion at a larger leverage over that at a smaller one",
    lambda p, step, epsilon: fast_rp_hockey_stick(p + (1 - p) * 0.999 * step, 1, epsilon),
    lambda p, step, epsilon: fast_rp_hockey_stick(p, 1, epsilon),
    box(_LEVERAGE, continuous("step", "1e-6", "0.999", "logit"), continuous("epsilon", "1e-6", 50, "log")),
    {"a smaller leverage": lambda p, step, epsilon: fast_rp_hockey_stick(p * (1 - step), 1, epsilon)},
)

ATTACKS = {
    "N26-L4": PROJECTION,
    "N24-P1": FALLING_HINGE,
    "N24-P2": RISING_HINGE,
    "N24-P8": ONE_FALLING,
    "N24-P9": ONE_RISING,
    "N24-P10": ONE_COLUMN_GROWS,
    "N24-T7": ONE_COLUMN,
}
