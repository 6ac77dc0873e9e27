"""Approximate least squares, asymptotic law: the generalized chi-square laws of both directions, the tail's rate, and
where no order holds.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.notation import held

# Roots of p and q - p, as in `least_squares`.
a, w = sp.symbols("a w", positive=True)
r, d = sp.symbols("r d", positive=True, integer=True)
epsilon, z = sp.symbols("epsilon z", real=True)
p, q, share = a**2, a**2 + w**2, w**2
_DOMAIN = (a**2 < 1, a**2 + w**2 < 1)
_SYMBOLS = {"root_leverage": a, "root_share": w, "r": r}
_REGULAR = "B^T B invertible and residual not 0, with and without the record"
_ORDERED = "0 < p < q < 1"
_LAWS = tuple(
    f"{order}, {what} under {law}"
    for order in ("delete", "insert")
    for what in ("first weight", "other weights", "noncentrality")
    for law in "PQ"
)


def _square_steps() -> tuple[Step, ...]:
    """One coordinate of the quadratic form as a square, under P and under Q."""
    alpha, b = sp.symbols("alpha b", real=True, nonzero=True)
    y, room = sp.Symbol("y", real=True), sp.Symbol("k", positive=True)  # room = 1 - alpha
    centre = sp.Symbol("c", real=True)
    return (
        Step("alpha != 0", "In squares.", lhs=alpha**2, rhs=sp.Integer(0), relation=">", witness=alpha**2),
        Step(
            "completed square",
            "b z + alpha z^2/2 = (alpha/2)((z + b/alpha)^2 - b^2/alpha^2), alpha != 0: under P a chi-square variable"
            " with noncentrality b^2/alpha^2 and weight alpha (q_eps < 0 is compared doubled).",
            lhs=b * z + alpha * z**2 / 2,
            rhs=alpha / 2 * ((z + b / alpha) ** 2 - b**2 / alpha**2),
            premises=("alpha != 0",),
        ),
        Step(
            "law of z under Q",
            "log q = log p + q_0: the exponent is that of N(b/(1-alpha), 1/(1-alpha)).",
            lhs=-(z**2) / 2 + b * z + (1 - room) * z**2 / 2,
            rhs=-room * (z - b / room) ** 2 / 2 + b**2 / (2 * room),
        ),
        Step(
            "square under Q",
            "z = b/(1-alpha) + y/sqrt(1-alpha): weight alpha/(1-alpha), noncentrality b^2/(alpha^2 (1-alpha)). (c ="
            " b/alpha.)",
            lhs=(1 - room) * (centre * (1 - room) / room + y / sp.sqrt(room) + centre) ** 2,
            rhs=(1 - room) / room * (y + centre / sp.sqrt(room)) ** 2,
            premises=("completed square", "law of z under Q"),
        ),
    )


@cache
def chi_square_laws() -> Derivation:
    """Table VI: the generalized chi-square laws X (under P) and Y (under Q) in delta = Pr[X < t] - e^eps Pr[Y < t],
    both directions.

    "delete": X has weights (1 - (1-p)^2/(1-q), 1 - (1-p)/(1-q)), degrees of freedom (1, d-1), noncentralities
    (r p (q-p) (1-p)^2/g^2, 0), g = p(1-p) - (q-p); Y has weights (g/(1-p)^2, -(q-p)/(1-p)) and r p (q-p) (1-q)/g^2.
    `number`: the first noncentrality of X. Singular at g = 0, where the quadratic form has a linear term on its own.
    """
    g = p * (1 - p) - share
    first, others = 1 - (1 - p) ** 2 / (1 - q), 1 - (1 - p) / (1 - q)
    b2 = r * p * share * ((1 - p) / (1 - q)) ** 2
    back, back_others = 1 - (1 - q) / (1 - p) ** 2, 1 - (1 - q) / (1 - p)
    back_b2 = r * p * share * (1 - q) / (1 - p) ** 4
    steps = (
        *_square_steps(),
        Step(
            "delete, first weight under P",
            "g/(1-q): zero exactly if q = 2p - p^2.",
            lhs=first,
            rhs=g / (1 - q),
            premises=("completed square", _REGULAR),
        ),
        Step(
            "delete, other weights under P",
            "-(q-p)/(1-q): zero exactly if q = p; the group then drops out.",
            lhs=others,
            rhs=-share / (1 - q),
            premises=("completed square", _REGULAR),
        ),
        Step(
            "delete, first weight under Q",
            "alpha/(1 - alpha).",
            lhs=first / (1 - first),
            rhs=g / (1 - p) ** 2,
            premises=("square under Q", _REGULAR),
        ),
        Step(
            "delete, other weights under Q",
            "likewise.",
            lhs=others / (1 - others),
            rhs=-share / (1 - p),
            premises=("square under Q", _REGULAR),
        ),
        Step(
            "delete, noncentrality under Q",
            "b^2/(alpha^2 (1 - alpha)), g not 0.",
            lhs=b2 / (first**2 * (1 - first)),
            rhs=r * p * share * (1 - q) / g**2,
            premises=("square under Q", "delete, first weight under P"),
        ),
        Step(
            "insert, first weight under P",
            "P the smaller database.",
            lhs=back,
            rhs=-g / (1 - p) ** 2,
            premises=("completed square", _REGULAR),
        ),
        Step(
            "insert, other weights under P",
            "P the smaller database.",
            lhs=back_others,
            rhs=share / (1 - p),
            premises=("completed square", _REGULAR),
        ),
        Step(
            "insert, noncentrality under P",
            "the noncentrality under Q of the other direction.",
            lhs=back_b2 / back**2,
            rhs=r * p * share * (1 - q) / g**2,
            premises=("completed square", "insert, first weight under P"),
        ),
        Step(
            "insert, first weight under Q",
            "alpha/(1 - alpha), then b^2/(alpha^2 (1 - alpha)).",
            lhs=back / (1 - back),
            rhs=-g / (1 - q),
            premises=("square under Q", _REGULAR),
        ),
        Step(
            "insert, other weights under Q",
            "alpha/(1 - alpha), then b^2/(alpha^2 (1 - alpha)).",
            lhs=back_others / (1 - back_others),
            rhs=share / (1 - q),
            premises=("square under Q", _REGULAR),
        ),
        Step(
            "insert, noncentrality under Q",
            "alpha/(1 - alpha), then b^2/(alpha^2 (1 - alpha)).",
            lhs=back_b2 / (back**2 * (1 - back)),
            rhs=r * p * share * (1 - p) ** 2 / g**2,
            premises=("square under Q", "insert, first weight under P"),
        ),
        Step(
            "delete, noncentrality under P",
            "b^2/a^2.",
            lhs=b2 / first**2,
            rhs=r * p * share * (1 - p) ** 2 / g**2,
            premises=("completed square", "delete, first weight under P"),
        ),
    )
    return Derivation(
        id="least_squares_laws.chi_square_laws",
        title="The generalized chi-square laws of the asymptotic least-squares curve, both directions",
        sources=("N24-TabVI", "N24-T4", "N24-P16"),
        hypotheses=(_REGULAR,),
        steps=steps,
        result_step="delete, noncentrality under P",
        symbols=_SYMBOLS,
        domain=(*_DOMAIN, sp.Gt(g**2, 0)),
        faults=(
            Fault(
                "noncentrality of Q under P",
                "delete, noncentrality under P",
                lambda rhs: r * p * share * (1 - q) / g**2,
            ),
            Fault("weight of P under Q", "delete, first weight under Q", lambda rhs: g / (1 - q)),
            Fault("half of the square dropped", "completed square", lambda rhs: 2 * rhs),
            Fault("directions swapped", "insert, other weights under P", lambda rhs: -rhs),
        ),
        concludes=(
            *(
                Conclusion(claim, step, part=f"{step}, where q != 2p - p^2")
                for claim in ("N24-TabVI", "N24-T4")
                for step in _LAWS
            ),
            Conclusion("N24-P16", "completed square", part="one coordinate, a != 0"),
            Conclusion("N24-P16", "square under Q", part="one coordinate, a != 0, under Q"),
        ),
    )


@cache
def tail_rate() -> Derivation:
    """For every r, d and 0 < p < 1 the larger direction falls, not rises, as the share leaves 0, once eps is large
    (N24-T5-assumption-corrected).

    lim (1/eps) log delta = -1/max alpha, alpha over the relative eigenvalues less 1. With 0 < q-p < p(1-p) every alpha
    of either direction lies below the largest one at q = p, p/(1-p). `number`: the drop of the largest alpha of
    "insert".
    """
    at_zero, insert, others = p / (1 - p), (1 - q) / (1 - p) ** 2 - 1, (1 - p) / (1 - q) - 1
    steps = (
        Step(
            "rate",
            "M(s) = E e^{sL} is finite exactly for s < 1/max alpha (the factors (1 - s alpha)^{-k/2}), so delta decays"
            " at the exponential rate 1/max alpha, whatever r and the mean shift.",
            kind="argument",
        ),
        Step(
            "at q = p",
            "insert: once p/(1-p), the others 0; delete: none positive.",
            lhs=insert.subs(w, 0),
            rhs=at_zero,
            premises=(_ORDERED,),
        ),
        Step(
            "delete, others",
            "(q-p)/(1-q), d-1 times,",
            lhs=others,
            rhs=share / (1 - q),
            premises=(_ORDERED, "d, r whole"),
        ),
        Step(
            "delete stays below",
            "and below p/(1-p) where q - p < p(1-p):",
            lhs=at_zero - share / (1 - q),
            rhs=(p * (1 - p) - share) / ((1 - p) * (1 - q)),
            premises=("rate", "at q = p", "delete, others"),
        ),
        Step(
            "delete, first",
            "(1-p)^2/(1-q) - 1 = -(p(1-p) - (q-p))/(1-q) < 0 there.",
            lhs=(1 - p) ** 2 / (1 - q) - 1,
            rhs=-(p * (1 - p) - share) / (1 - q),
            premises=(_ORDERED,),
        ),
        Step(
            "insert drops",
            "by (q-p)/(1-p)^2 > 0.",
            lhs=at_zero - insert,
            rhs=share / (1 - p) ** 2,
            premises=("rate", "at q = p"),
        ),
    )
    return Derivation(
        id="least_squares_laws.tail_rate",
        title="The assumption of monotonicity in the residual share fails for every r, d and p",
        sources=("N24-T5-assumption-corrected", "N24-T5", "N24-Fig15"),
        hypotheses=(_ORDERED, "d, r whole"),
        steps=steps,
        result_step="insert drops",
        symbols={"root_leverage": a, "root_share": w},
        domain=_DOMAIN,
        faults=(
            Fault("drop of the wrong sign", "insert drops", lambda rhs: -rhs),
            Fault("1 - q for 1 - p", "at q = p", lambda rhs: p),
        ),
        concludes=(
            Conclusion(
                "N24-T5-assumption-corrected",
                "insert drops",
                part="once epsilon is large, where q - p < p(1-p): insert",
            ),
            *(
                Conclusion(
                    "N24-T5-assumption-corrected", end, part=f"once epsilon is large, where q - p < p(1-p): {end}"
                )
                for end in ("delete stays below", "delete, first")
            ),
        ),
    )


def _moment_steps(x: sp.Symbol) -> tuple[Step, ...]:
    """log M(s) at s = 3/(2x) with y = x/2: at most 9r/4 + 3d/8 + d log 2 in both directions, part by part."""
    y, s, zero = x / 2, 3 / (2 * x), sp.Integer(0)
    first_in, first_out = (1 + x) / (1 + y), (1 + y) / (1 + x)
    room_in, room_out = 1 - s * (first_in - 1), 1 - s * (first_out - 1)
    shift_in, shift_out = r * x * y / (1 + y), r * x * y / (1 + x)
    gap = x - sp.log(1 + x)
    return (
        Step(
            "insert, first",
            "1 - s alpha >= 1/4: its factor (1 - s alpha)^{-1/2} is at most 2.",
            lhs=room_in,
            rhs=sp.Rational(1, 4),
            relation=">=",
            witness=3 * x / (4 * (2 + x)),
            premises=("two laws",),
        ),
        Step(
            "insert, mean",
            "s (s+1) m^2/(2 (1 - s alpha)) <= 9r/4.",
            lhs=9 * r / 4,
            rhs=s * (s + 1) * shift_in / (2 * room_in),
            relation=">=",
            witness=3 * r * x / (1 + 2 * x),
            premises=("insert, first",),
        ),
        Step(
            "delete, others",
            "alpha = y, d-1 times: 1 - s alpha = 1/4.",
            lhs=1 - held(s) * held(y),
            rhs=sp.Rational(1, 4),
            premises=("two laws", "d, r whole"),
        ),
        Step(
            "delete, mean",
            "alpha < 0 on the first: s (s+1) m^2/(2 (1 - s alpha)) <= 9r/4 again.",
            lhs=9 * r / 4,
            rhs=s * (s + 1) * shift_out / (2 * room_out),
            relation=">=",
            witness=r * (54 + 30 * x) / (4 * (7 + 4 * x)),
            premises=("two laws",),
        ),
        Step("log(1+x) <= x: start", "Equal at 0,", lhs=sp.Subs(gap, x, 0), rhs=zero),
        Step(
            "log(1+x) <= x: slope",
            "and growing apart: log(1+y) <= y, and log((1+x)/(1+y)) <= (x-y)/(1+y).",
            lhs=sp.diff(gap, x),
            rhs=zero,
            relation=">",
            witness=x / (1 + x),
            premises=("log(1+x) <= x: start",),
        ),
        Step(
            "delete, scale",
            "-(s/2) log lambda of the first is at most (s/2)(x - y)/(1+y) <= 3/8;",
            lhs=sp.Rational(3, 8),
            rhs=s / 2 * (x - y) / (1 + y),
            relation=">=",
            witness=3 * x / (8 * (2 + x)),
            premises=("log(1+x) <= x: slope",),
        ),
        Step(
            "insert, scales",
            "the d-1 others of insert, lambda = 1/(1+y), add (s/2) y each; all other scales and factors are at most 1.",
            lhs=held(s) / 2 * held(y),
            rhs=sp.Rational(3, 8),
            premises=("two laws", "log(1+x) <= x: slope", "d, r whole"),
        ),
    )


@cache
def order_fails() -> Derivation:
    """For every d, r and eps > 0 there are p at which a positive share has a smaller larger direction than share 0
    (N24-T5-assumption-corrected).

    x = p/(1-p), y = (q-p)/(1-q) = x/2: delta <= e^{-3 eps/(2x)} e^{9r/4 + 3d/8 + d log 2}; at share 0 it is at
    least of the order x^{3/2} e^{-eps/x}. `number`: log of the first bound at `odds` = x, `r`, `d`, `epsilon`.
    """
    x, above = sp.symbols("x epsilon", positive=True)
    edge = (2 * above + 2 * x + sp.log(1 + x)) / x
    log_above = 9 * r / 4 + 3 * d / 8 + d * sp.log(2) - 3 * above / (2 * x)
    square = 2 * above / x + 3  # what the edge is at most
    moments = _moment_steps(x)
    steps = (
        Step(
            "two laws",
            "least_squares_order.gaussian_order: N(sqrt(r x y), 1+y) and N(0, 1+y) d-1 times, against N(0, 1+x) and"
            " N(0, 1) d-1 times. At y = 0, insert: N(0, 1+x) against N(0, 1).",
            kind="definition",
            premises=(_ORDERED,),
        ),
        Step(
            "loss at share 0",
            "At z = sqrt(1+x) Z: x Z^2/2 - log(1+x)/2, Z standard normal.",
            lhs=-(z**2) / 2 - sp.log(1 + x) / 2 + (1 + x) * z**2 / 2,
            rhs=x * z**2 / 2 - sp.log(1 + x) / 2,
            premises=("two laws",),
        ),
        Step(
            "edge",
            "Z^2 >= T = (2 eps + 2x + log(1+x))/x has a loss of at least eps + x;",
            lhs=held(x) * held(edge) / 2 - sp.log(1 + held(x)) / 2,
            rhs=above + x,
            premises=("loss at share 0",),
        ),
        Step(
            "T",
            "T = 2 eps/x + 2 + log(1+x)/x <= 2 eps/x + 3.",
            lhs=edge,
            rhs=square - 1 + sp.log(1 + x) / x,
            premises=("edge",),
        ),
        Step(
            "from below",
            "delta(share 0) >= (1 - e^{-x}) 2 Phi(-sqrt T) >= (1 - e^{-x}) 2 phi(sqrt T) sqrt T/(1+T) at T = 2 eps/x +"
            " 3 (Gordon's inequality; both fall in T >= 1).",
            kind="argument",
            premises=("edge", "T"),
        ),
        Step(
            "from above",
            "delta <= e^{-s eps} M(s), s > 0, as max(0, 1 - e^{eps-L}) <= e^{s(L-eps)}; log M(s) is the sum over"
            " coordinates of -(s log lambda + log(1 - s alpha))/2 + s(s+1) m^2/(2 (1 - s alpha))"
            " (moment_generating.loss_moment). At s = 3/(2x):",
            kind="argument",
        ),
        *moments,
        Step(
            "exponents",
            "phi(sqrt T) has the exponent -eps/x - 3/2: the upper bound over the lower one has -eps/(2x) left, and"
            " powers of x.",
            lhs=-3 * above / held(2 * x) + square / 2,
            rhs=-above / (2 * x) + sp.Rational(3, 2),
            premises=("from below", "from above"),
        ),
        Step(
            "x -> 0",
            "The ratio of the bounds, (1+T)/((1 - e^{-x}) sqrt T) e^{-eps/(2x)} up to a constant, is at most of the"
            " order x^{-2} e^{-eps/(2x)} and vanishes: with u = 1/x,",
            lhs=sp.Limit(z**2 * sp.exp(-above * z / 2), z, sp.oo),
            rhs=sp.Integer(0),
            premises=("exponents",),
        ),
        Step(
            "bound",
            "So below some x the share y = x/2 has the smaller divergence in both directions.",
            lhs=sp.log(sp.exp(9 * r / 4 + 3 * d / 8) * 2**d) - 3 * above / (2 * x),
            rhs=log_above,
            premises=("from above", *(step.name for step in moments), "x -> 0"),
        ),
    )
    return Derivation(
        id="least_squares_laws.order_fails",
        title="At every d, r and epsilon > 0 the divergence falls somewhere as the residual share grows",
        sources=("N24-T5-assumption-corrected", "N24-T5"),
        hypotheses=(_ORDERED, "d, r whole"),
        steps=steps,
        result_step="bound",
        symbols={"odds": x, "r": r, "d": d, "epsilon": above},
        faults=(
            Fault("s = 3/x", "delete, others", lambda rhs: -2 * rhs),
            Fault("the mean's share left out", "bound", lambda rhs: rhs - 9 * r / 4),
            Fault("loss of the other law", "loss at share 0", lambda rhs: -rhs),
            Fault("exponent of share 0 doubled", "exponents", lambda rhs: rhs + above / x),
        ),
        concludes=(Conclusion("N24-T5-assumption-corrected", "bound", part="at small leverages"),),
    )
