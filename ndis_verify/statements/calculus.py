"""The derivative of a term as a term, for terms of closed forms in one scalar variable."""

from __future__ import annotations

from functools import cache

from ndis_verify.exact_number import InputError
from ndis_verify.statements.printing import plain
from ndis_verify.statements.terms import Term, apply, free_names, term

_ZERO, _ONE = term(0), term(1)


@cache
def differentiated(body: Term, name: str) -> Term:
    """d body/d name. Raises `InputError` where a head has no derivative here (an extremum, a case, a divergence)."""
    if name not in free_names(body):
        return _ZERO
    if body.head == "variable":
        return _ONE
    args = body.args
    match body.head:
        case "neg":
            return -differentiated(args[0], name)
        case "add" | "sub":
            return Term(body.head, tuple(differentiated(arg, name) for arg in args))
        case "mul":
            return _times(differentiated(args[0], name), args[1]) + _times(args[0], differentiated(args[1], name))
        case "div":
            above, below = (differentiated(arg, name) for arg in args)
            return above / args[1] - _times(args[0], below) / args[1] ** 2
        case "pow":
            if args[1].head == "number":
                return _times(args[1] * args[0] ** (args[1].number - 1), differentiated(args[0], name))
            return _times(body, differentiated(args[1] * apply("log", args[0]), name))
        case "sum":
            return apply("sum", differentiated(args[0], name))
        case "gamma_q" | "gamma_p" if name not in free_names(args[0]):
            density = 2 * apply("chi2_density", 2 * args[0], 2 * args[1])
            inner = _times(density, differentiated(args[1], name))
            return inner if body.head == "gamma_p" else -inner
    if body.head in _OUTER:
        return _times(_OUTER[body.head](args[0]), differentiated(args[0], name))
    raise InputError("derivative", plain(body), "must be a closed form without cases")


def _times(one: Term, other: Term) -> Term:
    if _ZERO in (one, other):
        return _ZERO
    return other if one == _ONE else one if other == _ONE else one * other


_OUTER = {
    "exp": lambda x: apply("exp", x),
    "log": lambda x: 1 / x,
    "sqrt": lambda x: 1 / (2 * apply("sqrt", x)),
    "Phi": lambda x: apply("phi", x),
    "phi": lambda x: -(x * apply("phi", x)),
    "erf": lambda x: 2 / apply("sqrt", apply("pi")) * apply("exp", -(x**2)),
    "erfc": lambda x: -(2 / apply("sqrt", apply("pi")) * apply("exp", -(x**2))),
}
