"""What the claims about a covariance shift state: which direction is the worse one."""

from __future__ import annotations

from dataclasses import replace

from ndis_verify.statements.statement import Relation, Statement, real, vector
from ndis_verify.statements.terms import apply, coordinate, variable

_PAIR = variable("lam"), variable("m"), variable("eps")

ORDER = Statement(
    (
        vector("lam", "reals", 3, "1e-2", "1e4", "log"),
        vector("m", "integers", 3, 1, 30, "log"),
        real("eps", -3, 20),
    ),
    (
        Relation(coordinate("lam"), ">=", 1),
        Relation(coordinate("m"), ">=", 1),
        Relation(variable("eps"), ">=", 0),
    ),
    Relation(apply("centred", *_PAIR), ">=", apply("centred_reverse", *_PAIR)),
)
ORDER_TURNED = replace(ORDER, claimed=Relation(apply("centred", *_PAIR), "<=", apply("centred_reverse", *_PAIR)))
ORDER_OF_ANY = replace(ORDER, hypotheses=ORDER.hypotheses[1:])
ORDER_AT_ANY_EPS = replace(ORDER, hypotheses=ORDER.hypotheses[:-1])
