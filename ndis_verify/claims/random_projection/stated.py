"""What the claims about a random projection state: the closed form of a deletion, its order and its growth."""

from __future__ import annotations

from ndis_verify.statements.statement import Relation, Statement, both, integer, real
from ndis_verify.statements.terms import apply, variable

_P, _R, _EPS, _RHO, _T = (variable(name) for name in ("p", "r", "eps", "rho", "t"))
_DELETE = apply("projection", _P, _R, _EPS)
_COLUMNS = (integer("r", 1, 1000, "log"), real("eps", -6, 30))


def _deletion(first: str, second: str) -> Statement:
    """The closed form is the divergence `first`, which is at least `second`."""
    one, other = apply(first, _P, _R, _EPS), apply(second, _P, _R, _EPS)
    tails = apply("gamma_q", _R / 2, _T / 2) - apply("exp", _EPS) * apply("gamma_q", _R / 2, _RHO * _T / 2)
    return Statement(
        (real("p", "1e-6", "0.999999", "logit"), *_COLUMNS),
        (Relation(_P, ">", 0), Relation(_P, "<", 1), Relation(_R, ">=", 1), Relation(_EPS, ">=", 0)),
        both(Relation(one, "=", tails), Relation(one, ">=", other)),
        (("rho", 1 / (1 - _P)), ("t", 2 * (_EPS + _R / 2 * apply("log", _RHO)) / (_RHO - 1))),
    )


DELETION = _deletion("projection", "projection_insert")
DELETION_OF_THE_OTHER_DIRECTION = _deletion("projection_insert", "projection")

_Q = variable("q")
