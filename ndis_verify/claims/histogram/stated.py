"""What the claims about histograms state: how far nearby laws move a divergence."""

from __future__ import annotations

from ndis_verify.statements.statement import Relation, Statement, real, vector
from ndis_verify.statements.terms import Term, apply, coordinate, variable

_EPS = variable("eps")


def _divergence(first: str, second: str) -> Term:
    """sum_i max(0, p_i - e^eps q_i)."""
    return apply("sum", apply("max", 0, coordinate(first) - apply("exp", _EPS) * coordinate(second)))


def _distance(first: str, second: str) -> Term:
    """The total variation (1/2) sum_i |p_i - q_i|."""
    return apply("sum", apply("abs", coordinate(first) - coordinate(second))) / 2


def _moved_by_at_most(bound: Term) -> Statement:
    """The divergences of (p, q) and of (u, w), within tau of them, differ by at most `bound`."""
    return Statement(
        (*(vector(name, "law", 4, "1e-6", 1, "log") for name in ("p", "q", "u", "w")), real("eps", -3, 6)),
        (),
        Relation(apply("abs", variable("H") - variable("H_near")), "<=", bound),
        (
            ("H", _divergence("p", "q")),
            ("H_near", _divergence("u", "w")),
            ("tau", apply("max", _distance("p", "u"), _distance("q", "w"))),
        ),
    )


_TAU, _GROWTH = variable("tau"), apply("exp", _EPS)
NEARBY = _moved_by_at_most((1 + _GROWTH) * _TAU)
NEARBY_WITHOUT_Q = _moved_by_at_most(_TAU)
NEARBY_HALVED = _moved_by_at_most((1 + _GROWTH) * _TAU / 2)
OPPOSITE = {f"{name}_{i}": "1e-6" for name in "pquw" for i in (3, 4)} | {
    f"{name}_{i}": share
    for name, shares in {"p": ("0.9", "0.1"), "u": ("0.7", "0.3"), "q": ("0.1", "0.9"), "w": ("0.3", "0.7")}.items()
    for i, share in enumerate(shares, 1)
}
OPPOSITE["eps"] = "0"
