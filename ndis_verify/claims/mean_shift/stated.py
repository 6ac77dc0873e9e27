"""What the claims about a mean shift state: the closed form of one pair, and the Gaussian mechanism's condition."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ndis_verify.statements.statement import Relation, Statement, both, iff, real
from ndis_verify.statements.terms import Term, apply, extremum, variable

_D, _EPS = variable("D"), variable("eps")
_Z = apply("exp", _EPS)


def closed_form(shift: Term) -> Term:
    """Phi(D/2 - eps/D) - e^eps Phi(-D/2 - eps/D)."""
    return apply("Phi", shift / 2 - _EPS / shift) - _Z * apply("Phi", -(shift / 2) - _EPS / shift)


def _pair_is(form: Term) -> Statement:
    """The divergence of one pair is `form`, and 0 where the two laws are one."""
    return Statement(
        (real("D", "1e-4", 40, "log"), real("eps", -6, 40)),
        (Relation(_D, ">", 0), Relation(_EPS, ">=", 0)),
        both(
            Relation(apply("mean_shift", _D, _EPS), "=", form),
            Relation(apply("mean_shift", 0, _EPS), "=", 0),
        ),
    )


CLOSED_FORM = _pair_is(closed_form(_D))
SHIFT_TOO_LARGE = _pair_is(closed_form(Fraction(1001, 1000) * _D))
SIGN_TURNED = _pair_is(replace(closed_form(_D), head="add"))

_SENSITIVITY, _STD, _DELTA, _SHARE = (variable(name) for name in ("Delta", "sigma", "delta", "s"))


def _holds_below(largest: Term) -> Statement:
    """The mechanism is (eps, delta)-DP, all its pairs being s D apart, exactly where `largest` is at most delta."""
    return Statement(
        (real("Delta", "0.1", 10, "log"), real("sigma", "0.1", 10, "log"), real("eps", 0, 6), real("delta", 0, 1)),
        (
            Relation(_SENSITIVITY, ">", 0),
            Relation(_STD, ">", 0),
            Relation(_EPS, ">=", 0),
            Relation(_DELTA, ">=", 0),
            Relation(_DELTA, "<=", 1),
        ),
        iff(
            Relation(extremum("sup", "s", 0, 1, apply("mean_shift", _SHARE * _D, _EPS)), "<=", _DELTA),
            Relation(largest, "<=", _DELTA),
        ),
        (("D", _SENSITIVITY / _STD),),
    )


MECHANISM = _holds_below(closed_form(_D))
MECHANISM_AT_HALF = _holds_below(closed_form(_D / 2))
