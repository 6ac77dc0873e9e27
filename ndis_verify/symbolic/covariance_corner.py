"""The worst covariance shift of an envelope as a statement says it: eigenvalues, and how often each stands."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import covariance_envelope
from ndis_verify.symbolic.covariance_envelope import exact_envelope
from ndis_verify.symbolic.covariance_order import scale_order
from ndis_verify.symbolic.covariance_order_steps import epsilon, lam, m
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import entry
from ndis_verify.symbolic.statement_terms import quantity

_R, _T = sp.symbols("R T", positive=True)
_n = sp.Symbol("n", positive=True, integer=True)
_one = sp.Integer(1)
_CORNER, _TIMES = quantity("vector", _R, _T), quantity("vector", _n, _one)
_LEAST = Hypothesis("lam_i >= 1", entry(lam) >= 1)
_MOST = Hypothesis("lam_i <= R", entry(lam) <= _R)
_EACH = Hypothesis("m_i >= 1", entry(m) >= 1)
_PRODUCT = Hypothesis("prod_i lam_i^m_i <= R^n T", quantity("product", entry(lam) ** entry(m)) <= _R**_n * _T)
_REST, _AT_MOST = Hypothesis("T >= 1", _T >= 1), Hypothesis("T <= R", _T <= _R)
_DIRECTIONS = {"P first": ("centred", ""), "Q first": ("centred_reverse", ", exchanged")}


def _below(order: str) -> tuple[Step, ...]:
    """One of the two divergences is at most that at the corner."""
    head, variant = _DIRECTIONS[order]
    granted = dict.fromkeys(("equal means", "l_i >= 0"), "laws")
    lemma = {name: exact_envelope().step(f"{name}, {order}") for name in ("rises", "larger slope")}
    slopes = tuple(
        Step(
            f"{name}, {order}",
            why,
            lhs=lemma[name].lhs,
            rhs=lemma[name].rhs,
            relation=lemma[name].relation,
            kind="inference",
            premises=(Use(f"{name}, {order}", of=exact_envelope, granted=granted),),
        )
        for name, why in (
            ("rises", "The divergence rises with every l_i,"),
            ("larger slope", "and faster with the larger of two."),
        )
    )
    return (
        meaning(f"divergence, {order}", head, lam, m, epsilon),
        meaning(f"divergence at the corner, {order}", head, _CORNER, _TIMES, epsilon),
        *slopes,
        by_fact(
            f"weak majorisation, {order}",
            "So no eigenvalues of the envelope give more than the corner.",
            f"a covariance shift below a corner{variant}",
            {
                "lam": lam,
                "m": m,
                "others": covariance_envelope.others,
                "d": covariance_envelope.d,
                "epsilon": epsilon,
                "R": _R,
                "T": _T,
                "n": _n,
            },
            {
                "rises": f"rises, {order}",
                "order": f"larger slope, {order}",
                "profile": "profile",
                "least": _LEAST.text,
                "most": _MOST.text,
                "counts": _EACH.text,
                "product": _PRODUCT.text,
                "rest": _REST.text,
                "rest at most": _AT_MOST.text,
                "whole": "whole",
            },
        ),
        Step(
            f"greatest, {order}",
            "In the words of the statement.",
            lhs=quantity(head, lam, m, epsilon),
            rhs=quantity(head, _CORNER, _TIMES, epsilon),
            relation="<=",
            kind="inference",
            premises=(f"divergence, {order}", f"divergence at the corner, {order}", f"weak majorisation, {order}"),
        ),
    )


@cache
def greatest_at_corner() -> Derivation:
    """Eigenvalues 1 <= lam_i <= R, m_i of each, of product at most R^n T, 1 <= T <= R, give no greater divergence than
    R n times and T, in either direction, and the more spread law first is the greater one there (N26-D6-exact).
    """
    steps = (
        Step(
            "laws",
            "Independent normal coordinates: of P of variances e^{l_i}, l_i >= 0, of Q of variance 1; equal means.",
            kind="definition",
        ),
        Step("profile", "As stated.", lhs=epsilon, rhs=sp.Integer(0), relation=">=", witness=epsilon),
        Step("whole", "It is whole.", lhs=_n, rhs=_one, relation=">=", witness=_n - 1),
        *(step for order in _DIRECTIONS for step in _below(order)),
        Step(
            "R >= 1",
            "T <= R.",
            lhs=_R,
            rhs=_one,
            relation=">=",
            kind="inference",
            premises=(Use(_REST.text), Use(_AT_MOST.text, weight=-1)),
        ),
        by_fact(
            "eigenvalues of the corner",
            "Its eigenvalues are at least 1,",
            "entries of a pair",
            {"a": _R, "b": _T, "c": _one},
            {"first": "R >= 1", "second": _REST.text},
        ),
        by_fact(
            "multiplicities of the corner",
            "and each stands at least once,",
            "entries of a pair",
            {"a": _n, "b": _one, "c": _one},
            {"first": "whole", "second": Step("1 >= 1", "as 1 is.", _one, _one, ">=", sp.Integer(0))},
        ),
        Step(
            "order at the corner",
            "so that the more spread law first is the worse direction (N26-L3).",
            lhs=quantity("centred_reverse", _CORNER, _TIMES, epsilon),
            rhs=quantity("centred", _CORNER, _TIMES, epsilon),
            relation="<=",
            kind="inference",
            premises=(
                Use(
                    "order",
                    of=scale_order,
                    at={lam: _CORNER, m: _TIMES},
                    granted={_LEAST.text: "eigenvalues of the corner", _EACH.text: "multiplicities of the corner"},
                    weight=-1,
                ),
            ),
        ),
    )
    symbols = {"lam": lam, "m": m, "R": _R, "T": _T, "n": _n, "eps": epsilon}
    ends = (*(f"greatest, {order}" for order in _DIRECTIONS), "order at the corner")
    return Derivation(
        id="covariance_corner.greatest_at_corner",
        title="The worst covariance shift of an envelope, by eigenvalues",
        sources=("N26-D6",),
        hypotheses=(
            *(_LEAST, _MOST, _EACH, _PRODUCT, _REST, _AT_MOST),
            Hypothesis("n >= 1", _n >= 1),
            Hypothesis("eps >= 0", epsilon >= 0),
        ),
        steps=steps,
        result_step="R >= 1",
        symbols={},
        faults=(
            Fault("twice the corner", "greatest, P first", lambda rhs: rhs / 2),
            Fault("the other direction at the corner", "greatest, Q first", lambda rhs: rhs / 2),
            Fault("half of the order", "order at the corner", lambda rhs: rhs / 2),
            Fault("R at least 2", "R >= 1", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(Conclusion("N26-D6-exact", end, symbols) for end in ends),
    )
