"""What the claims about two covariances say at their points, for a second reader."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.claims.reading import Counter, Reading, divergence, gamma_q, mean_shift, never_above

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
