"""Approximate least squares: the limit law, what it says of privacy, and bounds at every r."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Hypothesis, Step, Use, parts
from ndis_verify.symbolic.fact_steps import a_density, by_fact
from ndis_verify.symbolic.leverage_beside_a_ridge import LEVERAGE, RECORD, length, leverage, of_a_record, ridge
from ndis_verify.symbolic.leverage_beside_a_ridge import v as record
from ndis_verify.symbolic.leverage_beside_a_ridge import vt as record_turned
from ndis_verify.symbolic.notation import scalar
from ndis_verify.symbolic.notation import x as place

_share = sp.Symbol("q", real=True)
_length2, _level = sp.symbols("l2 sigma2", positive=True)
_POSITIVE = "sigma > 0"
rows, square = sp.symbols("r s", positive=True)  # square = |z|^2 of the scaled error
_CLAIMS = ("N24-L1", "N24-Fig11", "N24-6.3-gap")


@cache
def limit_law() -> Derivation:
    """sqrt(r) N^{1/2} (x - x_opt)/||w|| tends to N(0, I) in total variation as r grows: the limit law of N24-L1.

    `number`: the limit s/2 of the exponent ((r+1)/2) log(1 + s/r) at `square` = s.
    """
    y = sp.Symbol("y", positive=True)
    growth = sp.log(1 + y) - y / (1 + y)
    exponent = (rows + 1) / 2 * sp.log(1 + square / rows)
    spare = sp.Symbol("k", positive=True)  # r - 1
    constant = sp.gamma((spare + 2) / 2) / sp.gamma(spare / 2) / ((spare + 1) / 2)
    steps = (
        Step(
            "scaled error",
            "z = sqrt(r) N^{1/2} (x - x_opt)/||w||, w not 0, s = |z|^2: the density is proportional to"
            " (1 + s/r)^{-(r+1)/2} (least_squares.student_law). Where w = 0 both laws are the point x_opt.",
            kind="definition",
        ),
        Step(
            "growth",
            "With y = s/r: d/dr [r log(1 + s/r)] = log(1+y) - y/(1+y),",
            lhs=sp.Subs(sp.diff(rows * sp.log(1 + square / rows), rows), square, y * rows),
            rhs=growth,
            premises=("scaled error",),
        ),
        Step(
            "growth at 0",
            "which is 0 at y = 0",
            lhs=sp.Subs(growth, y, 0),
            rhs=sp.Integer(0),
            premises=("growth",),
        ),
        Step(
            "growth is positive",
            "and has a positive derivative: (1 + s/r)^r grows with r.",
            lhs=sp.diff(growth, y),
            rhs=sp.Integer(0),
            relation=">",
            witness=y / (1 + y) ** 2,
            premises=("growth at 0",),
        ),
        Step(
            "domination",
            "So (1 + s/r)^{-(r+1)/2} <= (1 + s/r0)^{-r0/2} for r >= r0, integrable over R^d once r0 > d.",
            kind="argument",
            premises=("growth is positive",),
        ),
        Step(
            "constant, d = 2 in full",
            "The normalising constant over that of N(0, I) is 1 - 1/r, r = 1 + k,",
            lhs=constant,
            rhs=1 - 1 / (1 + spare),
            reduce=lambda left, right: sp.gammasimp((left - right).subs(spare, 2 * square)),
            premises=("scaled error",),
        ),
        Step(
            "constant, limit",
            "and tends to 1.",
            lhs=sp.Limit(1 - 1 / rows, rows, sp.oo),
            rhs=sp.Integer(1),
            premises=("constant, d = 2 in full",),
        ),
        Step(
            "convergence",
            "Pointwise limit and domination: the normalising constants converge, for every d, and so do the densities;"
            " by Scheffe's lemma the laws converge in total variation, hence in distribution. Undoing the scale:"
            " N(x_opt, (W/r) N^{-1}).",
            kind="argument",
            premises=("domination", "constant, limit"),
        ),
        Step(
            "exponent",
            "The limit is the exponent of the normal density.",
            lhs=sp.Limit(exponent, rows, sp.oo),
            rhs=square / 2,
            premises=("convergence",),
        ),
    )
    return Derivation(
        id="least_squares_limit.limit_law",
        title="The sketched least-squares solution tends to its normal law in total variation",
        sources=("N24-L1",),
        hypotheses=(),
        steps=steps,
        result_step="exponent",
        symbols={"square": square},
        faults=(
            Fault("limit of half the size", "exponent", lambda rhs: rhs / 2),
            Fault("(1 + s/r)^r falls", "growth is positive", lambda rhs: 2 * y / (1 + y) ** 2),
            Fault("constant off by 1/r", "constant, d = 2 in full", lambda rhs: 2 - rhs),
        ),
        concludes=parts(_CLAIMS, {"exponent": "the Student law tends to the normal one as r grows"}),
    )


@cache
def distance_rate() -> Derivation:
    """TV(d, r) = O(1/r): r^2 KL(N(0, I) || Student) tends to K(d), so limsup r TV(d, r) <= sqrt(K/2) (N24 section 6.3).

    `number`: K(d) at `dimension` = d.
    """
    d = sp.Symbol("d", positive=True, integer=True)
    v, t = sp.symbols("v t", positive=True)
    u = t / (1 + (d - 1) * t)  # 1/r, with r = d - 1 + 1/t
    p, other = (sp.Function(name, positive=True)(place) for name in "pq")
    moments = [d, d * (d + 2), d * (d + 2) * (d + 4)]
    average = moments[0] * u - moments[1] * u**2 / 2 + moments[2] * u**3 / 3
    least, most = 1 / (1 + (d - 1) * t), (1 + d * t) / (1 + (d - 1) * t)  # 1 + (1-d) u, 1 + u
    stirling = -(d - 1 + 1 / t) * sp.log(most) / 2 + (1 / t - 1) / 2 * sp.log(least) + d / 2
    last = d * u**2 / (6 * most * least)
    divergence = stirling + (d + 1 / t) / 2 * average - d / 2 + last
    gap = v - v**2 / 2 + v**3 / 3 - sp.log(1 + v)
    upper, lower = (rows + 1) / 2, (rows + 1 - d) / 2
    order = lambda k: sp.series(divergence, t, 0, 3).removeO().expand().coeff(t, k)  # noqa: E731
    constant = d * (d**2 + 3 * d + 3) / 4
    steps = (
        Step(
            "log ratio",
            "N(0, I) over the Student law: log p/q = -s/2 + ((r+1)/2) log(1 + s/r) - log C, s = |z|^2, C ="
            " Gamma((r+1)/2)/(Gamma((r+1-d)/2) (r/2)^{d/2}) the ratio of the constants (student_law).",
            kind="definition",
        ),
        Step(
            "log from above: start",
            "log(1+v) <= v - v^2/2 + v^3/3: equal at 0,",
            lhs=sp.Subs(gap, v, 0),
            rhs=sp.Integer(0),
            premises=("log ratio",),
        ),
        Step(
            "log from above: slope",
            "and growing apart.",
            lhs=sp.diff(gap, v),
            rhs=sp.Integer(0),
            relation=">",
            witness=v**3 / (1 + v),
            premises=("log from above: start",),
        ),
        *(
            Step(
                f"moment {k}",
                "of s, chi-square with d degrees of freedom: 2^k Gamma(d/2 + k)/Gamma(d/2).",
                lhs=2**k * sp.gamma(d / 2 + k) / sp.gamma(d / 2),
                rhs=moments[k - 1],
                reduce=lambda left, right: sp.factor(sp.gammasimp(left)) - right,
                premises=("log from above: slope",),
            )
            for k in (1, 2, 3)
        ),
        Step("d >= 1", "A dimension,", lhs=d, rhs=sp.Integer(1), relation=">=", witness=d - 1),
        Step("t d >= t", "and times t.", lhs=d * t, rhs=t, relation=">=", witness=t * (d - 1), premises=("d >= 1",)),
        Step("Stirling", "log Gamma(z) = (z - 1/2) log z - z + log(2 pi)/2 + 1/(12 z) + O(z^{-3}).", kind="argument"),
        Step(
            "its first terms",
            "of -log C at z = (r+1)/2 and (r+1-d)/2:",
            lhs=(d / 2 * sp.log(rows / 2) - rows / 2 * sp.log(upper) + (rows - d) / 2 * sp.log(lower) + d / 2).subs(
                rows, d - 1 + 1 / t
            ),
            rhs=stirling,
            reduce=_logarithms_of_one,
            premises=("log ratio", "Stirling", "t d >= t"),
        ),
        Step(
            "its last term",
            "and -(1/(12 z)) between the two.",
            lhs=(1 / (12 * lower) - 1 / (12 * upper)).subs(rows, d - 1 + 1 / t),
            rhs=last,
            premises=("its first terms",),
        ),
        Step(
            "order 1",
            "With r = d - 1 + 1/t: no constant is left,",
            lhs=sp.Limit(divergence, t, 0),
            rhs=sp.Integer(0),
            premises=("its last term", *(f"moment {k}" for k in (1, 2, 3))),
        ),
        Step(
            "order 1/r",
            "and no 1/r;",
            lhs=sp.Limit(divergence / t, t, 0),
            rhs=sp.Integer(0),
            premises=("order 1",),
        ),
        a_density("density of N(0, I)", "p is the one density, and positive,", p),
        a_density("Student density", "q the other.", other),
        by_fact(
            "Pinsker",
            "so the divergence is at most K/r^2 + O(r^{-3}) and TV <= sqrt(KL/2) = O(1/r).",
            "Pinsker's inequality",
            {"p": p, "q": other},
            {"first": "density of N(0, I)", "second": "Student density"},
            premises=("order 1/r",),
        ),
        Step("order 1/r^2", "K.", lhs=order(2), rhs=constant, premises=("Pinsker",)),
    )
    return Derivation(
        id="least_squares_limit.distance_rate",
        title="The distance of the sketched solution's law from its normal limit is of order 1/r",
        sources=("N24-L1",),
        hypotheses=(),
        steps=steps,
        result_step="order 1/r^2",
        symbols={"dimension": d},
        faults=(
            Fault("third moment of a normal square", "moment 3", lambda rhs: 15 * d),
            Fault("r for r - d in the second gamma", "its first terms", lambda rhs: rhs + d / 2 * sp.log(least)),
            Fault("half of K", "order 1/r^2", lambda rhs: rhs / 2),
        ),
        concludes=parts(_CLAIMS, {"order 1/r^2": "the rate in total variation at a fixed d, as r grows"}),
    )


def _logarithms_of_one(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """The difference with the logarithms of quotients split, all in 1/t."""
    split = lambda side: side.replace(sp.log, lambda a: sp.expand_log(sp.log(sp.factor(sp.together(a))), force=True))  # noqa: E731
    return sp.expand(split(left) - split(right))


@cache
def privacy_gap() -> Derivation:
    """|delta_ALS - delta_asymptotic| <= (1 + e^eps) TV(d, r) for every database; the sup over eps does not vanish (N24
    section 6.3).

    `number`: the exact rate log(1 + x) of the loss, x = p (q-p)/(1-q), at `excess` = x; the asymptotic rate is x.
    """
    epsilon = sp.Symbol("epsilon", real=True)
    distance, first, second = sp.symbols("T u v", nonnegative=True)
    room, share, x = sp.symbols("k w x", positive=True)  # 1 - q, q - p
    q, p = 1 - room, 1 - room - share
    mass, other = distance - first, second - distance
    near = sp.Symbol("a_S", real=True)  # P~(S) - e^eps Q~(S)
    steps = (
        Step(
            "one distance",
            "The map x -> z is affine and takes the exact law of any database to the same Student law, the asymptotic"
            " one to N(0, I): their total variation distance TV(d, r) is the same for every database, and tends to 0"
            " (limit_law).",
            kind="argument",
            premises=("r >= d",),
        ),
        Step(
            "one event",
            "Exact P, Q against asymptotic P~, Q~: (P - P~)(S) = T - u, (Q - Q~)(S) = v - T with u, v >= 0, T ="
            " TV(d, r);",
            lhs=(1 + sp.exp(epsilon)) * distance - (mass - sp.exp(epsilon) * other),
            rhs=sp.Integer(0),
            relation=">=",
            witness=first + sp.exp(epsilon) * second,
            premises=("one distance",),
        ),
        by_fact(
            "every event",
            "so P(S) - e^eps Q(S) is at most P~(S) - e^eps Q~(S) + (1 + e^eps) T, and so are the suprema over S; the"
            " same the"
            " other way round.",
            "suprema keep the order",
            {"f": near + mass - sp.exp(epsilon) * other, "g": near + (1 + sp.exp(epsilon)) * distance},
            {
                "pointwise": Step(
                    "each event",
                    "the difference of one event.",
                    lhs=near + mass - sp.exp(epsilon) * other,
                    rhs=near + (1 + sp.exp(epsilon)) * distance,
                    relation="<=",
                    witness=-first - sp.exp(epsilon) * second,
                )
            },
            premises=("one event",),
        ),
        Step(
            "fixed record, exact",
            "L = L0 + ((r+1)/2) log(1 - q T), q < 1, with q T -> q - p under the larger database: 2 L/r tends to"
            " log((1-p)/(1-q)) + log(1 - (q-p)), and",
            lhs=(1 - p) * (1 - share) / (1 - q),
            rhs=1 + p * share / (1 - q),
        ),
        Step(
            "fixed record, asymptotic",
            "The mean shift has m^2 = r x, x = p (q-p)/(1-q), and L/m^2 tends to 1/2: 2 L/r tends to x.",
            kind="argument",
            premises=("fixed record, exact",),
        ),
        Step(
            "rates at 0",
            "x - log(1+x) is 0 at x = 0",
            lhs=sp.Subs(x - sp.log(1 + x), x, 0),
            rhs=sp.Integer(0),
            premises=("fixed record, exact", "fixed record, asymptotic"),
        ),
        Step(
            "rates part",
            "and grows: the asymptotic rate is the larger one.",
            lhs=sp.diff(x - sp.log(1 + x), x),
            rhs=sp.Integer(0),
            relation=">",
            witness=x / (1 + x),
            premises=("rates at 0",),
        ),
        Step(
            "sup distance",
            "At eps = r y/2 with log(1+x) < y < x the asymptotic delta (delete) tends to 1 and the exact one to 0.",
            kind="argument",
            premises=("rates part",),
        ),
        Step(
            "exact rate",
            "the limit of 2 L/r under the exact law.",
            lhs=sp.log(1 + x),
            rhs=sp.log((1 + x) ** 2) / 2,
            premises=("sup distance",),
        ),
    )
    return Derivation(
        id="least_squares_limit.privacy_gap",
        title="How far the asymptotic privacy curve can be from the exact one",
        sources=("N24-L1", "N24-Fig11"),
        hypotheses=("r >= d",),
        steps=steps,
        result_step="exact rate",
        symbols={"excess": x},
        faults=(
            Fault("rates in the other order", "rates part", lambda rhs: 2 * x / (1 + x)),
            Fault("share counted twice", "fixed record, exact", lambda rhs: 1 + 2 * p * share / (1 - q)),
            Fault("factor e^eps dropped", "one event", lambda rhs: rhs + sp.exp(epsilon) * second),
        ),
        concludes=parts(
            ("N24-Fig11", "N24-6.3-gap"),
            {"every event": "asymptotic privacy, with the limit law", "exact rate": "the rate of a fixed record"},
        ),
    )


_BELOW = Hypothesis("every record (v, beta) has norm at most l", sp.Le(scalar(record_turned * record), _length2))


def _capped_leverage_steps() -> tuple[Step, ...]:
    """A record of squared length up to l^2 has q <= l^2/(ridge + l^2) < 1 in [B b; sqrt(ridge) I]."""
    return (
        Step(
            "Gram matrices",
            f"q is the leverage of a record of [B b], which v stands for, beside the ridge c: {LEVERAGE}, q for p.",
            kind="definition",
        ),
        Step(
            "q capped",
            "So q is at most l^2/(ridge + l^2),",
            lhs=_share,
            rhs=_length2 / (_level + _length2),
            relation="<=",
            kind="inference",
            premises=(
                Use(
                    "largest leverage",
                    of=of_a_record,
                    at={leverage: _share, length: sp.sqrt(_length2), ridge: _level},
                    granted={LEVERAGE: "Gram matrices", RECORD.text: _BELOW.text},
                ),
                _POSITIVE,
            ),
        ),
        Step(
            "q below 1",
            "so q < 1: B^T B is invertible and the residual is not 0, in both databases.",
            lhs=_length2 / (_level + _length2),
            rhs=sp.Integer(1),
            relation="<",
            witness=-_level / (_level + _length2),
            premises=("q capped",),
        ),
    )


@cache
def pure_privacy() -> Derivation:
    """Beside a ridge the sketched solution is (r/2) log(1 + l^2/ridge)-DP with delta = 0, whatever d <= r (N24 section
    6.3).

    `number`: that epsilon at `length2` = l^2, `ridge`, `r`.
    """
    leverage_log, apart, spare, extra = sp.symbols("l_p u k e", nonnegative=True)  # l_q = l_p + u, k = r - d, e = d - 1
    share_log, count = leverage_log + apart, spare + extra + 1
    length2, level, r = _length2, _level, sp.Symbol("r", positive=True)
    portion = sp.Symbol("t", nonnegative=True)
    cap = length2 / (level + length2)
    delete = ((spare + 1) * share_log - spare * leverage_log) / 2
    insert = (spare * leverage_log + (extra + 1) * share_log) / 2
    room = sp.Symbol("m", nonnegative=True)  # l^2 - |v|^2
    part = portion / (level + portion)
    steps = (
        Step(
            "notation",
            "l_p = log 1/(1-p) <= l_q = log 1/(1-q), r = k + d: the largest losses of finite_loss.",
            kind="definition",
        ),
        Step(
            "delete",
            "At most (r/2) l_q.",
            lhs=count * share_log / 2 - delete,
            rhs=sp.Integer(0),
            relation=">=",
            witness=(extra * share_log + spare * leverage_log) / 2,
            premises=("notation",),
        ),
        Step(
            "insert",
            "At most (r/2) l_q,",
            lhs=count * share_log / 2 - insert,
            rhs=sp.Integer(0),
            relation=">=",
            witness=spare * apart / 2,
            premises=("notation",),
        ),
        Step(
            "attained",
            "with equality at p = q.",
            lhs=insert.subs(apart, 0),
            rhs=count * leverage_log / 2,
            premises=("insert",),
        ),
        *_capped_leverage_steps(),
        Step(
            "a lone record fills the edge",
            "A database of one record (v, beta) of norm l has q = l^2/(ridge + l^2) and p = |v|^2/(ridge + |v|^2),"
            " |v|^2 from 0 to l^2:",
            lhs=(portion + room) / (level + portion + room) - part,
            rhs=sp.Integer(0),
            relation=">=",
            witness=level * room / ((level + portion) * (level + portion + room)),
            premises=("q capped",),
        ),
        Step(
            "cap",
            "1/(1-q) at the largest q.",
            lhs=1 / (1 - cap),
            rhs=1 + length2 / level,
            premises=("q below 1",),
        ),
        Step(
            "epsilon",
            "(r/2) log 1/(1-q) there.",
            lhs=r / 2 * (sp.log(level + length2) - sp.log(level)),
            rhs=r / 2 * sp.log(1 + length2 / level),
            premises=("delete", "attained", "cap"),
        ),
    )
    return Derivation(
        id="least_squares_limit.pure_privacy",
        title="Beside a ridge the sketched solution is purely differentially private",
        sources=("N24-Fig11", "N24-Fig4"),
        hypotheses=(_BELOW, _POSITIVE),
        steps=steps,
        result_step="epsilon",
        symbols={"length2": length2, "ridge": level, "r": r},
        faults=(
            Fault("half of r forgotten", "epsilon", lambda rhs: 2 * rhs),
            Fault("cap without the record", "cap", lambda rhs: length2 / level),
            Fault("equality with d-1 rows more", "attained", lambda rhs: rhs + extra * leverage_log / 2),
        ),
        concludes=parts(
            ("N24-Fig4", "N24-T5"),
            {
                "q capped": "which (p, q) the augmented databases have: no larger q",
                "a lone record fills the edge": "which (p, q) the augmented databases have: all of the largest q",
                "epsilon": "the epsilon at which the sketched solution has delta = 0",
            },
        ),
    )
