"""The steps of N26-L3: two divergences along a path of scales, their slopes, and the inequality between these.

P(s) has the variances v_i = max(1, lambda_i e^{-s}), m_i of each, Q is standard normal, nu = sum m_i log v_i, and W =
sum (1 - 1/v_i) x_i^2, of density f under P(s), so that log p/q = (W - nu)/2. Both divergences are functions of (s, y),
y the privacy loss; inside, 0 < y < nu/2.
"""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts_of_scales import other_upper, upper
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import entry, log_density, total_of, z
from ndis_verify.symbolic.notation import (
    beyond,
    divergence,
    held,
    law_under,
    mass,
    rate,
    scaled,
    stretched,
    unscaled,
    x,
)

zero = sp.Integer(0)
_HEADS = {"": "centred", ", exchanged": "centred_reverse"}
SPECTRA = tuple(f"{name}{exchanged}" for exchanged in _HEADS for name in ("divergence", "spectrum"))
lam, m, s, r, y, t, level = sp.symbols("lambda m s r y t nu", real=True)
epsilon = sp.Symbol("epsilon", nonnegative=True)
variance = sp.Max(1, entry(lam) * sp.exp(-s))  # v_i
excess, value = sp.symbols("k W", nonnegative=True)  # v_i - 1; a value of W
inner, room = sp.symbols("e g", positive=True)  # inside: y = e and nu = 2 e + g
f = sp.Function("f", nonnegative=True)

INSIDE = {y: inner, level: 2 * inner + room}
P, Q = scaled(lam, m, s), unscaled(m)
FIRST, SECOND = divergence(P, Q, y), divergence(Q, P, y)
_HIGH, _LOW = level + 2 * y, level - 2 * y
_STATISTIC = (1 - 1 / (1 + excess)) * entry(x) ** 2
_LOSS = {
    "P": P,
    "Q": Q,
    "variance": 1 + excess,
    "statistic": _STATISTIC,
    "share": sp.log(1 + excess),
    "level": level,
}
_LOSS_SHOWN = {"variance": "v_i", "loss": "loss of one coordinate", "level": "sum of the shares"}
_DENSITY = {"f": f(t), "argument": t}


def tail(edge: sp.Expr) -> sp.Expr:
    """P(s)[W > edge]."""
    return upper(f(t), t, edge)


def other_tail(edge: sp.Expr) -> sp.Expr:
    """Q[W > edge]."""
    return other_upper(f(t), t, edge, level)


SLOPE = sp.exp(y) * (1 - other_tail(_HIGH) - tail(_LOW))
BEND = SLOPE + 2 * f(_HIGH) - 2 * sp.exp(y) * f(_LOW)
RATE = -_HIGH * f(_HIGH) + sp.exp(y) * _LOW * f(_LOW)


def inside(side: sp.Expr) -> sp.Expr:
    return side.subs(INSIDE, simultaneous=True)


def spectrum_steps(epsilon: sp.Symbol, least: str, counts: str) -> tuple[Step, ...]:
    """Both divergences at s = 0 of the path; `least` and `counts` say that eigenvalues and counts are at least 1."""
    return tuple(
        step
        for exchanged, head in _HEADS.items()
        for step in (
            meaning(f"divergence{exchanged}", head, lam, m, epsilon),
            by_fact(
                f"spectrum{exchanged}",
                "In coordinates in which Q is standard and P has the variances lambda_i: the path at s = 0.",
                f"spectrum of two centred normal laws{exchanged}",
                {"lam": lam, "m": m, "epsilon": epsilon},
                {"least": least, "counts": counts},
            ),
        )
    )


def path_steps() -> tuple[Step, ...]:
    """The path, the loss on it, and the density of W."""
    top, below_top = sp.Symbol("S", nonnegative=True), sp.Symbol("j", nonnegative=True)
    return (
        Step(
            "path",
            "s goes from 0 to S, the largest log lambda_i; the variances v_i = max(1, lambda_i e^{-s}) are continuous,"
            " fall by the factor e^{-(r - s)} from s to r, r - s small, where they are above 1, and are 1 from there"
            " on.",
            kind="definition",
        ),
        Step("positive variances", "They are positive,", lhs=variance, rhs=zero, relation=">", witness=variance),
        Step(
            "least variance",
            "at least 1,",
            lhs=variance,
            rhs=sp.Integer(1),
            relation=">=",
            witness=sp.Max(0, entry(lam) * sp.exp(-s) - 1),
        ),
        Step("excess", "1 + k_i.", lhs=excess, rhs=variance - 1, kind="definition", premises=("least variance",)),
        Step("v_i", "So that v_i = 1 + k_i.", 1 + excess, variance, kind="inference", premises=("excess",)),
        Step(
            "end of the path",
            "At s = S, lambda_i e^{-S} = 1/(1 + j_i) <= 1 and v_i = 1.",
            lhs=held(sp.exp(top) / (1 + below_top)) * sp.exp(-top),
            rhs=sp.Integer(1),
            relation="<=",
            witness=-below_top / (1 + below_top),
        ),
        Step(
            "level",
            "nu = sum m_i log v_i, a sum of numbers >= 0, is continuous in s, and 0 at S.",
            lhs=level,
            rhs=total_of(entry(m) * sp.log(variance)),
            kind="definition",
            premises=("path", "end of the path"),
        ),
        Step(
            "sum of the shares",
            "In terms of k_i.",
            lhs=level,
            rhs=total_of(entry(m) * sp.log(1 + excess)),
            kind="inference",
            premises=("level", "excess"),
        ),
        Step(
            "loss of one coordinate",
            "log p/q is half of (1 - 1/v_i) x_i^2 - log v_i in each coordinate: half of W - nu.",
            lhs=log_density(0, sp.sqrt(1 + excess)) - log_density(0, 1),
            rhs=(_STATISTIC - _LOSS["share"]) / 2,
        ),
        Step(
            "W under P(s)",
            "x_i = sqrt(v_i) z_i: W = sum (v_i - 1) z_i^2,",
            lhs=(1 - 1 / (1 + excess)) * held(sp.sqrt(1 + excess) * entry(z)) ** 2,
            rhs=excess * entry(z) ** 2,
        ),
        Step(
            "weights",
            "with weights >= 0,",
            lhs=excess,
            rhs=zero,
            relation=">=",
            kind="inference",
            premises=("excess", "least variance"),
        ),
        Step(
            "no share",
            "not all of which are 0 where nu > 0: were all v_i = 1, nu would be 0.",
            lhs=sp.Subs(_LOSS["share"], excess, 0),
            rhs=zero,
        ),
        by_fact(
            "density of W",
            "W has a density where nu > 0.",
            "density of a positive form",
            {
                "P": P,
                "variance": 1 + excess,
                "statistic": _STATISTIC,
                "weight": excess,
                "share": _LOSS["share"],
                "f": f(t),
            },
            {"variance": "v_i", "form": "W under P(s)", "sign": "weights", "some": "no share"},
        ),
    )


def form_steps() -> tuple[Step, ...]:
    """Both divergences by the density, and their order where y = 0 and where y >= nu/2."""
    by_density = "divergence by the density of an affine loss"
    letters = {**_LOSS, **_DENSITY, "epsilon": y}
    outside = level / 2 + beyond
    return (
        by_fact(
            "P(s) first",
            "L > y is W > nu + 2 y,",
            by_density,
            letters,
            {**_LOSS_SHOWN, "density": "density of W"},
        ),
        by_fact(
            "Q first",
            "and L < -y is W < nu - 2 y.",
            f"{by_density}, exchanged",
            letters,
            {**_LOSS_SHOWN, "density": "density of W"},
        ),
        Step(
            "y = 0",
            "Both are the total variation distance.",
            lhs=FIRST.subs(y, 0),
            rhs=SECOND.subs(y, 0),
            kind="inference",
            premises=(Use("P(s) first", at={y: zero}), Use("Q first", at={y: zero})),
        ),
        Step(
            "W >= 0",
            "A sum of squares with weights >= 0.",
            lhs=_STATISTIC,
            rhs=zero,
            relation=">=",
            witness=excess / (1 + excess) * entry(x) ** 2,
        ),
        by_fact(
            "bounded loss",
            "log q/p never exceeds nu/2,",
            "a bounded loss",
            {**_LOSS, "value": value, "epsilon": outside},
            {
                **_LOSS_SHOWN,
                "sign": "W >= 0",
                "bounded": Step(
                    "at most nu/2",
                    "W >= 0.",
                    lhs=(level - value) / 2,
                    rhs=outside,
                    relation="<=",
                    witness=-value / 2 - beyond,
                ),
            },
        ),
        by_fact(
            "not negative",
            "while no divergence is negative:",
            "a divergence is not negative",
            {"P": P, "Q": Q, "epsilon": outside},
            {},
        ),
        Step(
            "2 y >= nu",
            "the order holds there.",
            lhs=FIRST.subs(y, outside),
            rhs=SECOND.subs(y, outside),
            relation=">=",
            kind="inference",
            premises=("bounded loss", "not negative"),
        ),
    )


def slope_steps() -> tuple[Step, ...]:
    """The slopes of the gap of both divergences in y, and in s from the right."""
    shrunk = sp.exp((s - r) / 2)
    one_letters = {
        "P": P,
        "excess": excess,
        "statistic": _STATISTIC,
        "a": shrunk,
        "c": sp.exp(s - r),
    }
    of_edge = law_under(total_of(_STATISTIC), stretched(P, shrunk))
    steps = [
        Step(
            "slope in y",
            "The density of the loss under Q is e^{-l} times that under P(s): what the edges add cancels.",
            lhs=sp.Derivative(FIRST - SECOND, y),
            rhs=SLOPE,
            kind="inference",
            premises=("P(s) first", "Q first"),
        ),
        Step(
            "second slope in y",
            "Here the densities at both edges stay.",
            lhs=sp.Derivative(SLOPE, y),
            rhs=BEND,
        ),
        Step(
            "no weight",
            "W has no part in the coordinates of variance 1,",
            lhs=sp.Subs(_STATISTIC, excess, 0),
            rhs=zero,
        ),
        Step(
            "W shrinks",
            "and shrinks with the variances above 1, which are e^{s - r} times as large at r, the weights held.",
            lhs=(1 - 1 / (1 + excess)) * held(shrunk * entry(x)) ** 2,
            rhs=sp.exp(s - r) * _STATISTIC,
        ),
        Step("factor", "e^{s - r} > 0.", lhs=sp.exp(s - r), rhs=zero, relation=">", witness=sp.exp(s - r)),
    ]
    parts = (
        ("P(s) first", _HIGH, "", 4 * inner + room),
        ("Q first", _LOW, ", exchanged", room),
    )
    for name, edge, exchanged, there in parts:
        moved = edge * sp.exp(r - s)
        steps += [
            by_fact(
                f"set held, {name}",
                "With the set held, the edge moves:",
                "a homogeneous statistic of an image",
                {**one_letters, "t": edge},
                {"variance": "v_i", "others": "no weight", "homogeneous": "W shrinks", "positive": "factor"},
            ),
            by_fact(
                f"mass beyond, {name}",
                "in terms of the density",
                "probability below an edge by a density",
                {"P": P, "statistic": _STATISTIC, **_DENSITY, "edge": moved},
                {"density": "density of W"},
            ),
            Step(
                f"what P(r) gives, {name}",
                "P(r) gives to it",
                lhs=mass(of_edge, edge),
                rhs=1 - tail(moved),
                kind="inference",
                premises=(f"set held, {name}", f"mass beyond, {name}"),
            ),
            by_fact(
                f"slope in s, {name}",
                "The motion of the set itself adds nothing, as p - e^y q vanishes at its edge.",
                f"envelope theorem for the divergence{exchanged}",
                {
                    **_LOSS,
                    **_DENSITY,
                    "epsilon": y,
                    "s": s,
                    "r": r,
                    "edge": moved,
                    "inside": INSIDE,
                },
                {
                    **_LOSS_SHOWN,
                    "attained": name,
                    "held": f"what P(r) gives, {name}",
                    "density": "density of W",
                    "positive": Step(
                        f"edge, {name}", "Inside it is positive.", lhs=there, rhs=zero, relation=">", witness=there
                    ),
                },
            ),
        ]
    return (
        *steps,
        by_fact(
            "two slopes",
            "The slope of the gap is the gap of the slopes.",
            "slopes are linear",
            {"terms": ((sp.Integer(1), FIRST), (sp.Integer(-1), SECOND))},
            {"first": "slope in s, P(s) first", "second": "slope in s, Q first"},
        ),
        Step(
            "slope in s",
            "So that in s is",
            lhs=rate(FIRST - SECOND),
            rhs=RATE,
            kind="inference",
            premises=("two slopes", "slope in s, P(s) first", "slope in s, Q first"),
        ),
    )


def inequality_steps() -> tuple[Step, ...]:
    """-(slope in s) > (nu + 2 y)/2 (second slope in y - slope in y), inside; and what follows."""
    high, low = sp.symbols("f_+ f_-", nonnegative=True)  # f at nu + 2 y and nu - 2 y
    half = _HIGH / 2
    return (
        Step(
            "surplus",
            "With f_+ and f_- the density at nu +- 2 y: minus the slope in s, less (nu + 2 y)/2 times the second slope"
            " in y less the first, is",
            lhs=inside(_HIGH) * high
            - sp.exp(inner) * inside(_LOW) * low
            - inside(half) * (2 * high - 2 * sp.exp(inner) * low),
            rhs=4 * inner * sp.exp(inner) * low,
        ),
        by_fact(
            "f_- > 0",
            "which is positive inside, where nu - 2 y = g > 0,",
            "density of a positive form, its sign",
            {
                **_LOSS,
                "weight": excess,
                **_DENSITY,
                "at": room,
                "inside": INSIDE,
            },
            {
                "density": "density of W",
                "variance": "v_i",
                "form": "W under P(s)",
                "sign": "weights",
                "some": "no share",
                "level": "sum of the shares",
                "not all": Step(
                    "nu > 0", "nu = 2 y + g.", lhs=inside(level), rhs=zero, relation=">", witness=inside(level)
                ),
                "positive": Step("g > 0", "Inside.", lhs=room, rhs=zero, relation=">", witness=room),
            },
        ),
        Step(
            "inequality",
            "so that no point inside is a least one of a negative gap:",
            lhs=inside(-RATE),
            rhs=inside(half * (BEND - SLOPE)),
            relation=">",
            kind="inference",
            premises=(
                Use("surplus", at={high: f(inside(_HIGH)), low: f(room)}),
                Use("f_- > 0", weight=4 * inner * sp.exp(inner)),
            ),
        ),
        Step(
            "(nu + 2 y)/2",
            "a factor that is not negative.",
            lhs=inside(half),
            rhs=zero,
            relation=">=",
            witness=2 * inner + room / 2,
        ),
        by_fact(
            "nearby scales",
            "Nearby scales have nearby laws.",
            "nearby variances",
            {"P": P, "s": s, "r": r},
            {"variances": "positive variances"},
        ),
        by_fact(
            "order on the path",
            "The gap is not negative on the edges, and has no negative least value inside.",
            "least value of a supersolution",
            {
                "one": FIRST,
                "other": SECOND,
                "s": s,
                "r": r,
                "e": y,
                "edge": level / 2,
                "slope": SLOPE,
                "bend": BEND,
                "rate": RATE,
                "a": half,
                "inside": INSIDE,
                "epsilon": epsilon,
            },
            {
                "path": Step(
                    "twice the edge",
                    "nu.",
                    level,
                    total_of(entry(m) * sp.log(variance)),
                    kind="inference",
                    premises=("level",),
                ),
                "continuous": "nearby scales",
                "epsilon": Step("eps >= 0", "Not negative.", epsilon, zero, ">=", epsilon),
                "start": "y = 0",
                "beyond": "2 y >= nu",
                "slope": "slope in y",
                "bend": "second slope in y",
                "rate": "slope in s",
                "factor": "(nu + 2 y)/2",
                "inequality": "inequality",
            },
        ),
    )
