"""The NDIS lemma in coordinates in which Q is standard normal and P has independent coordinates: as a hinge, and as a
difference of two generalized chi-square laws.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, over_sets
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import at_normal, density, entry, log_density, total_of, z
from ndis_verify.symbolic.notation import total, where
from ndis_verify.symbolic.statement_terms import quantity

mu, s, epsilon, first, second = sp.symbols("mu s epsilon a b", real=True)
mean, std = entry(mu), entry(s)
POSITIVE = "s_i > 0"
_P, _Q = density(mean, std), density(0, 1)
_GAP = _P - sp.exp(epsilon) * _Q
_LOG_P, _LOG_Q = total_of(log_density(mean, std)), total_of(log_density(0, 1))
_SYMBOLS = {"mu": mu, "s": s, "eps": epsilon}

# The quadratic form of q_eps under P, and that of eps - q_eps under Q.
_FORM_P = 1 - std**2, -std * mean
_FORM_Q = (1 - std**2) / std**2, -mean / std**2
_SHIFT = mean**2 / 2 - sp.log(std)


def _start() -> tuple[Step, ...]:
    return (
        meaning("divergence", "independent", mu, s, epsilon),
        Step("coordinates", "Finitely many; every sum over them is finite.", kind="definition"),
    )


def _by_terms(name: str, why: str, before: Any, terms: tuple[tuple[Any, Any], ...]) -> tuple[Step, ...]:
    """The sum over the coordinates of `before`, which is that of the terms."""
    return (
        Step(f"{name}: one coordinate", why, lhs=before, rhs=sp.Add(*(c * f for c, f in terms))),
        by_fact(
            f"{name}: sums",
            "Sums over the coordinates are linear.",
            "means are linear",
            {"mean": total_of, "terms": terms},
            {"integrable": "coordinates"},
        ),
        Step(
            name,
            "Added up over the coordinates.",
            lhs=total_of(before),
            rhs=sp.Add(*(c * total_of(f) for c, f in terms)),
            kind="inference",
            premises=(f"{name}: one coordinate", f"{name}: sums"),
        ),
    )


def _one_coordinate(form: tuple[Any, Any]) -> Any:
    return form[1] * entry(z) + form[0] * entry(z) ** 2 / 2


def _exponents_under_p() -> tuple[Step, ...]:
    p, q = (at_normal(log_density(*at), mean, std) for at in ((mean, std), (0, 1)))
    return _by_terms(
        "exponents under P",
        "At x_i = mu_i + s_i z_i the logarithms of the densities differ by a quadratic function of z_i.",
        q,
        ((1, p), (-1, _SHIFT), (1, _one_coordinate(_FORM_P))),
    )


def _exponents_under_q() -> tuple[Step, ...]:
    p, q = (at_normal(log_density(*at), sp.Integer(0), sp.Integer(1)) for at in ((mean, std), (0, 1)))
    loss_at_0 = mean**2 * (1 + 1 / std**2) / 2
    return _by_terms(
        "exponents under Q",
        "At x = z.",
        p,
        ((1, q), (1, _SHIFT), (-1, loss_at_0), (-1, _one_coordinate(_FORM_Q))),
    )


@cache
def hinge() -> Derivation:
    """`delta = E max(0, 1 - e^{q_eps(z)})`, q_eps a quadratic form with a = 1 - s^2, b = -s mu (N26-L1).

    `number`: max(0, 1 - e^{b - a}) e^a, the gap of densities with logarithms `a` and `b`, where it is positive.
    """
    exponent = epsilon + _LOG_Q - _LOG_P
    loss_hinge = sp.Max(0, 1 - sp.exp(exponent))
    constant = epsilon + total_of(sp.log(std)) - total_of(mean**2) / 2
    steps = (
        *_start(),
        over_sets(_GAP, "{p > e^eps q}", POSITIVE),
        Step(
            "gap",
            "e^a - e^b = e^a (1 - e^{b - a}).",
            lhs=sp.exp(first) - sp.exp(second),
            rhs=sp.exp(first) * (1 - sp.exp(second - first)),
        ),
        Step(
            "scaled part",
            "max(e^a y, 0) = e^a max(0, y).",
            lhs=sp.Max(sp.exp(first) * second, 0),
            rhs=sp.exp(first) * sp.Max(0, second),
        ),
        Step(
            "integrand",
            "So the positive part of p - e^eps q is p times a hinge.",
            lhs=total(sp.Max(_GAP, 0)),
            rhs=total(_P * loss_hinge),
            kind="inference",
            premises=(
                Use("gap", at={first: _LOG_P, second: epsilon + _LOG_Q}),
                Use("scaled part", at={first: _LOG_P, second: 1 - sp.exp(exponent)}),
            ),
        ),
        by_fact(
            "expectation under P",
            "x_i = mu_i + s_i z_i has the law P.",
            "independent normal coordinates",
            {"f": loss_hinge, "mean": mean, "std": std},
            {
                "positive": POSITIVE,
                "sign": Step("sign", "A hinge.", lhs=loss_hinge, rhs=0, relation=">=", witness=loss_hinge),
            },
        ),
        *_exponents_under_p(),
        by_fact(
            "constant",
            "Of the constant term.",
            "means are linear",
            {"mean": total_of, "terms": ((sp.Rational(1, 2), mean**2), (-1, sp.log(std)))},
            {"integrable": "coordinates"},
        ),
        meaning("hinge", "quadratic_hinge", *_FORM_P, constant),
        Step(
            "lemma",
            "All together.",
            lhs=quantity("independent", mu, s, epsilon),
            rhs=quantity("quadratic_hinge", *_FORM_P, constant),
            kind="inference",
            premises=(
                "divergence",
                "sup over S",
                "integrand",
                "expectation under P",
                "exponents under P",
                "constant",
                "hinge",
            ),
        ),
    )
    return Derivation(
        id="ndis_coordinates.hinge",
        title="The divergence of independent normal coordinates is a hinge expectation of a quadratic form",
        sources=("N26-L1",),
        hypotheses=(Hypothesis(POSITIVE, std > 0), Hypothesis("real eps", sp.true)),
        steps=steps,
        result_step="gap",
        symbols={"a": first, "b": second},
        faults=(
            Fault(
                "sign of b flipped", "exponents under P: one coordinate", lambda rhs: rhs + 2 * std * mean * entry(z)
            ),
            Fault("q_eps turned", "gap", lambda rhs: sp.exp(first) * (1 - sp.exp(first - second))),
            Fault("hinge not scaled", "scaled part", lambda rhs: sp.Max(0, second)),
            Fault("half of eps", "lemma", lambda rhs: rhs.subs(epsilon, epsilon / 2)),
        ),
        concludes=(Conclusion("N26-L1", "lemma", _SYMBOLS),),
    )


@cache
def two_laws() -> Derivation:
    """`delta = Pr[W1 <= t] - e^eps Pr[W2 <= t]`, W1 and W2 generalized chi-square (N26-T4.1).

    `number`: the divergence from the probabilities `first` under P and `second` under Q of its set, and `epsilon`.
    """
    threshold = total_of(_SHIFT) - epsilon
    moved = threshold - total_of(mean**2 * (1 + 1 / std**2) / 2)
    ratio = _LOG_P - epsilon - _LOG_Q
    exponent = sp.Symbol("y", real=True)
    laws = quantity("quadratic_cdf", *_FORM_P, threshold), quantity("quadratic_cdf", *_FORM_Q, moved)
    steps = (
        *_start(),
        by_fact(
            "sup over S",
            "It is attained at {p >= e^eps q}.",
            "largest integral over a set, its set",
            {"f": _GAP},
            {"integrable": POSITIVE},
        ),
        by_fact(
            "both laws",
            "Of the set under P and under Q.",
            "integrals over a set are linear",
            {"f": _P, "c": -sp.exp(epsilon), "g": _Q, "set": _GAP},
            {"integrable": POSITIVE},
        ),
        *(
            by_fact(
                f"set under {name}",
                "The set is {log p - log q >= eps}.",
                "one set, by logarithms",
                {"f": law, "a": _LOG_P, "b": epsilon + _LOG_Q},
                {"integrable": POSITIVE},
            )
            for name, law in (("P", _P), ("Q", _Q))
        ),
        by_fact(
            "probability under P",
            "x_i = mu_i + s_i z_i has the law P.",
            "independent normal coordinates, a set",
            {"f": ratio, "mean": mean, "std": std},
            {"positive": POSITIVE},
        ),
        by_fact(
            "probability under Q",
            "x = z has the law Q.",
            "independent normal coordinates, a set",
            {"f": ratio, "mean": sp.Integer(0), "std": sp.Integer(1)},
            {
                "positive": Step(
                    "one", "Q is standard normal.", lhs=sp.Integer(1), rhs=0, relation=">", witness=sp.Integer(1)
                )
            },
        ),
        Step(
            "one exponential",
            "e^eps q is one.",
            lhs=sp.exp(epsilon) * sp.exp(exponent),
            rhs=sp.exp(epsilon + exponent),
        ),
        Step("under P", "P(S*).", lhs=first, rhs=where(_P, _GAP), kind="definition", premises=(POSITIVE,)),
        Step("under Q", "Q(S*).", lhs=second, rhs=where(_Q, _GAP), kind="definition"),
        Step(
            "two probabilities",
            "delta = P(S*) - e^eps Q(S*).",
            lhs=quantity("independent", mu, s, epsilon),
            rhs=first - sp.exp(epsilon) * second,
            kind="inference",
            premises=("divergence", "sup over S", "both laws", "under P", "under Q"),
        ),
        *_exponents_under_p(),
        *_exponents_under_q(),
        meaning("first law", "quadratic_cdf", *_FORM_P, threshold),
        meaning("second law", "quadratic_cdf", *_FORM_Q, moved),
        Step(
            "difference",
            "All together.",
            lhs=quantity("independent", mu, s, epsilon),
            rhs=laws[0] - sp.exp(epsilon) * laws[1],
            kind="inference",
            premises=(
                "two probabilities",
                "under P",
                "under Q",
                Use("one exponential", at={exponent: _LOG_Q}),
                "set under P",
                "set under Q",
                "probability under P",
                "probability under Q",
                "exponents under P",
                "exponents under Q",
                "first law",
                "second law",
            ),
        ),
    )
    return Derivation(
        id="ndis_coordinates.two_laws",
        title="The divergence of independent normal coordinates is a difference of two generalized chi-square laws",
        sources=("N26-T4.1",),
        hypotheses=(Hypothesis(POSITIVE, std > 0), Hypothesis("real eps", sp.true)),
        steps=steps,
        result_step="two probabilities",
        symbols={"first": first, "second": second, "epsilon": epsilon},
        faults=(
            Fault(
                "sign of b flipped", "exponents under P: one coordinate", lambda rhs: rhs + 2 * std * mean * entry(z)
            ),
            Fault("weights of P under Q", "difference", lambda rhs: laws[0] - sp.exp(epsilon) * laws[0]),
            Fault("e^-eps for e^eps", "difference", lambda rhs: laws[0] - sp.exp(-epsilon) * laws[1]),
            Fault("shift left out", "exponents under Q", lambda rhs: rhs + total_of(mean**2 * (1 + 1 / std**2) / 2)),
        ),
        concludes=(Conclusion("N26-T4.1", "difference", _SYMBOLS),),
    )
