"""What the claims about two covariances say at their points, for a second reader."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.claims.reading import Counter, Reading, divergence, gamma_q, mean_shift, never_above

_NO_LEAKAGE = "zero leakage fails for the more spread law"


def _printed_bound(variance: Any, epsilon: Any) -> Any:
    """The least of e^{s(nu - 2 eps)} (1 + 2 s g)^{-1/2}, g = 1 - 1/variance, where its slope in s is 0."""
    room, g = sp.log(variance) - 2 * epsilon, 1 - 1 / variance
    return sp.exp((g / room - 1) / (2 * g) * room) * sp.sqrt(room / g)


_SPLIT = Counter(  # in two steps, the second of which is printed as free
    lambda first, shift, epsilon, e1: (divergence(epsilon, first, 1, shift**2), "<=", mean_shift(shift, e1)),
    lambda first, shift, epsilon, e1: ((2 * (epsilon - e1), ">=", sp.log(first)),),
)
_PRESCRIBED = Counter(
    lambda first, second, epsilon, delta, added: (
        divergence(epsilon, (first + added) / (second + added), 1, 0),
        "<=",
        delta,
    ),
    lambda first, second, epsilon, delta, added: ((2 * epsilon, ">=", sp.log((first + added) / (second + added))),),
)


def _radial(kappa: Any, level: Any) -> tuple[Any, Any]:
    """Both directions of a ray of two coordinates at eps = 0, where a squared radius is exponential."""
    edge = level / (kappa - 1)
    first = gamma_q(1, edge) - sp.exp(level) / kappa * gamma_q(1, kappa * edge)
    second = 1 - gamma_q(1, kappa * edge) - sp.exp(-level) * kappa * (1 - gamma_q(1, edge))
    return first, second


def _level(first: Any, second: Any) -> Any:
    return (sp.log(first) + sp.log(second)) / 2


def _process_shift(n: Any, B: Any, noise: Any, added: Any) -> Any:
    return sp.sqrt(n * B**2 / (noise * added))


READINGS: dict[tuple[str, str], Reading] = {
    ("N26-D6", "a pair of the envelope (0.01, 1.95, 1.95)"): _SPLIT,
    ("N26-T4.2", "the larger covariance first"): _SPLIT,
    ("N26-Fig5", "two outputs with one mean"): _PRESCRIBED,
    ("N26-T6.1", "privacy"): _PRESCRIBED,
    ("N26-Fig5", "Gaussian process regression's sensitivities"): Counter(
        lambda n, B, noise, epsilon, delta, e1, added: (divergence(epsilon, (added + 1) / added, 1, 0), "<=", delta),
        lambda n, B, noise, epsilon, delta, e1, added: (
            (2 * (epsilon - e1), ">=", sp.log((added + 1) / added)),
            (mean_shift(_process_shift(n, B, noise, added), e1), "<=", delta),
        ),
    ),
    ("N26-T6.1", "the limit"): never_above(
        lambda added: sp.log((200 * added + added) / (100 * added + added)) - sp.log(sp.Rational(19, 10))
    ),
    ("N26-L2", _NO_LEAKAGE): Counter(
        lambda variance, epsilon: (divergence(epsilon, variance, 1, 0), "<=", sp.Integer(0)),
        lambda variance, epsilon: ((2 * epsilon, ">=", sp.log(variance)),),
    ),
    ("N26-L2", "the product bound fails for the more spread law"): Counter(
        lambda variance, epsilon: (divergence(epsilon, variance, 1, 0), "<=", _printed_bound(variance, epsilon))
    ),
    ("N26-L3-step", "u along the smaller eigenvalue"): Counter(
        lambda first, second, epsilon: (
            _radial(second, _level(first, second))[1],
            "<=",
            _radial(second, _level(first, second))[0],
        ),
        lambda first, second, epsilon: ((epsilon, "=", sp.Integer(0)),),
    ),
    ("N26-L3-step", "no other direction is matched with that u either"): Counter(
        lambda first, second, epsilon: (
            _radial(first, _level(first, second))[1],
            "<=",
            _radial(second, _level(first, second))[0],
        ),
        lambda first, second, epsilon: ((epsilon, "=", sp.Integer(0)), (first, ">", second)),
    ),
    ("N26-Pr7-smaller-n", "no record against one"): never_above(
        lambda length, penalty, added: sp.log((added + 1 / penalty) / (added + 1 / (penalty + length**2 / 4)))
    ),
    ("N26-Pr8-smaller-n", "no record against one"): never_above(
        lambda length, labels, noise: length**2 * labels / (length**2 + noise**2)
    ),
}
