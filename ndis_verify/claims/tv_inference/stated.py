"""What the claims about inference from total variation state: the epsilon of a threshold attack."""

from __future__ import annotations

from ndis_verify.statements.statement import Relation, Statement, both, real
from ndis_verify.statements.terms import Term, apply, variable

_TPR, _FPR, _DELTA, _GROWTH = (variable(name) for name in ("TPR", "FPR", "delta", "z"))


def _bins(one: Term, other: Term) -> Term:
    """The divergence of the laws (one, 1 - one) and (other, 1 - other) on two bins."""
    return apply("max", 0, one - _GROWTH * other) + apply("max", 0, (1 - one) - _GROWTH * (1 - other))


_SPOKEN = (
    Relation(_TPR, ">", 0),
    Relation(_TPR, "<", 1),
    Relation(_FPR, ">", 0),
    Relation(_FPR, "<", 1),
    Relation(_DELTA, ">=", 0),
    Relation(_DELTA, "<", 1),
)


def _both_bins(growth: Term) -> Statement:
    """With e^eps = z = `growth` the two-bin divergences of a threshold attack are at most delta in both orders."""
    return Statement(
        (real("TPR", "0.001", "0.999", "logit"), real("FPR", "0.001", "0.999", "logit"), real("delta", 0, "0.999")),
        _SPOKEN,
        both(Relation(_bins(_TPR, _FPR), "<=", _DELTA), Relation(_bins(_FPR, _TPR), "<=", _DELTA)),
        (("z", growth),),
    )


_RATIO = (_TPR - _DELTA) / _FPR
_OTHER = ((1 - _FPR) - _DELTA) / (1 - _TPR)
ANY_ATTACK = _both_bins(apply("max", _RATIO, _OTHER))
THRESHOLD = ANY_ATTACK.under(Relation(_GROWTH, ">=", 1))
AT_LEAST_ONE = _both_bins(
    apply(
        "max",
        1,
        apply(
            "max",
            apply("max", _RATIO, _OTHER),
            apply("max", (_FPR - _DELTA) / _TPR, ((1 - _TPR) - _DELTA) / (1 - _FPR)),
        ),
    )
)
FIRST_RATIO = _both_bins(_RATIO).under(Relation(_TPR, ">=", _FPR), Relation(_GROWTH, ">=", 1))
TWO_OF_FOUR = _both_bins(apply("max", 1, apply("max", _RATIO, _OTHER)))
