"""A mean shift and a covariance shift one after the other, in either order, for either law the more spread one (N26
section 6).

s_i >= 1: P has independent normal coordinates of means mu_i and standard deviations s_i, or 1/s_i; Q is standard
normal.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.covariance_shift import more_spread_bound
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import density, entry, total_of
from ndis_verify.symbolic.notation import largest
from ndis_verify.symbolic.privacy_loss import THREE_DENSITIES, triangle
from ndis_verify.symbolic.privacy_loss import e1 as first_epsilon
from ndis_verify.symbolic.privacy_loss import e2 as second_epsilon
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
mu, s = sp.symbols("mu s", real=True)
e1, e2 = sp.symbols("e1 e2", nonnegative=True)
u = sp.Symbol("u", positive=True)
_excess = sp.Symbol("a", nonnegative=True)  # s_i - 1
_once = sp.Symbol("n", positive=True)  # how often an eigenvalue stands
_mean, _wide = entry(mu), 1 + _excess
_RANGE = "u (s_i^2 - 1) < 1"
_HYPOTHESES = (
    Hypothesis("s_i >= 1", entry(s) >= 1),
    Hypothesis(_RANGE, u * (entry(s) ** 2 - 1) < 1),
    Hypothesis("u > 0", u > 0),
    Hypothesis("x >= 0", e1 >= 0),
    Hypothesis("y >= 0", e2 >= 0),
)
# Of P: its standard deviations, as a statement has them and in a_i; which is the first of two centred laws.
_ORDERS = {"more spread": (s, _wide, ""), "less spread": (1 / entry(s), 1 / _wide, ", exchanged")}
_PATHS = ("mean first", "covariance first")


def _largest(first: sp.Expr, second: sp.Expr, epsilon: sp.Expr) -> sp.Expr:
    return largest(first - sp.exp(epsilon) * second)


def _positive(name: str, value: sp.Expr) -> Step:
    return Step(name, "Positive.", lhs=value, rhs=zero, relation=">", witness=value)


def _term(epsilon: sp.Expr) -> sp.Expr:
    """The corrected Lemma 2 at the eigenvalues s_i^2."""
    constant = u**u * (1 + u) ** (-1 - u) * sp.exp(-u * total_of(sp.log(entry(s) ** 2)) / 2)
    product = quantity("product", (1 - u * (entry(s) ** 2 - 1)) ** sp.Rational(-1, 2))
    return constant * product * sp.exp(-u * epsilon)


def _distance(order: str) -> sp.Expr:
    """Of the means, in the smaller covariance."""
    return sp.sqrt(total_of(_mean**2 if order == "more spread" else _mean**2 * entry(s) ** 2))


def _common_steps() -> tuple[Step, ...]:
    return (
        Step("s_i", "s_i = 1 + a_i.", lhs=_excess, rhs=entry(s) - 1, kind="definition", premises=("s_i >= 1",)),
        Step("once", "Each eigenvalue stands once for each coordinate.", lhs=_once, rhs=one, kind="definition"),
        Step(
            "eigenvalue",
            "Of the more spread covariance against the other.",
            lhs=_wide**2,
            rhs=1 + 2 * _excess + _excess**2,
        ),
        Step("more spread", "At least 1.", lhs=_wide**2, rhs=one, relation=">=", witness=2 * _excess + _excess**2),
        Step(
            "range of u",
            "As given.",
            lhs=u * (_wide**2 - 1),
            rhs=one,
            relation="<",
            kind="inference",
            premises=(Use(_RANGE), "s_i"),
        ),
        _positive("wide", _wide),
        _positive("narrow", 1 / _wide),
        _positive("unit", one),
    )


def _mean_steps(order: str) -> tuple[Step, ...]:
    """A mean shift costs no more in the larger covariance, s_i^2 or 1, than in the smaller one."""
    names = ("unit", "wide") if order == "more spread" else ("narrow", "unit")
    narrow, wide = (one, _wide) if order == "more spread" else (1 / _wide, one)
    steps = []
    for path, epsilon in zip(_PATHS, (e1, e2), strict=True):
        steps.append(
            by_fact(
                f"mean step, {path}, {order}",
                "Two laws of one covariance, the smaller one.",
                "normal coordinates of one covariance",
                {"mean": _mean, "other mean": zero, "std": narrow, "epsilon": epsilon},
                {"std": names[0]},
            )
        )
    size = 2 * _excess + _excess**2
    noise = size if order == "more spread" else size / _wide**2
    added = "eigenvalue" if order == "more spread" else Step("variance", "Added.", lhs=one, rhs=narrow**2 + noise)
    larger = by_fact(
        f"larger covariance, {order}",
        "The mean step costs no more in the larger one.",
        "noise on independent normal coordinates",
        {
            "mean": _mean,
            "other mean": zero,
            "std": narrow,
            "other std": narrow,
            "noise": noise,
            "noisy": wide,
            "other noisy": wide,
            "epsilon": e1 if order == "more spread" else e2,
        },
        {
            "noise": Step(
                "noise",
                "s_i >= 1.",
                lhs=noise,
                rhs=zero,
                relation=">=",
                witness=noise,
            ),
            "std": names[0],
            "other std": names[0],
            "noisy": names[1],
            "other noisy": names[1],
            "variance": added,
            "other variance": added,
        },
    )
    return (*steps, larger)


def _path_steps(order: str, path: str) -> tuple[Step, ...]:
    """The bound of one path."""
    stated, std, exchanged = _ORDERS[order]
    first = path == "mean first"
    between = density(zero, std) if first else density(_mean, one)
    laws = density(_mean, std), between, density(zero, one)
    cov_epsilon, factor = (e2, sp.exp(e1)) if first else (e1, one)
    of_mean, mean_factor = (e1, one) if first else (e2, sp.exp(e1))
    side = "the other direction" if exchanged else "the more spread law first"
    lam, counts, rate, eps = (more_spread_bound().concludes[0].symbols[name] for name in ("lam", "m", "s", "eps"))
    in_larger = (Use(f"larger covariance, {order}", weight=mean_factor),) if first == (order == "more spread") else ()
    return (
        Step(
            f"laws, {path}, {order}",
            "P, the law in between, which has the mean of the one and the covariance of the other, and Q; of"
            " independent normal coordinates.",
            kind="definition",
            premises=("wide", "narrow"),
        ),
        Step(
            f"two steps, {path}, {order}",
            "By the triangle inequality (N26-P3).",
            lhs=_largest(laws[0], laws[2], e1 + e2),
            rhs=_largest(laws[0], laws[1], e1) + sp.exp(e1) * _largest(laws[1], laws[2], e2),
            relation="<=",
            kind="inference",
            premises=(
                Use(
                    "through Q",
                    of=triangle,
                    at={**dict(zip(THREE_DENSITIES, laws, strict=True)), first_epsilon: e1, second_epsilon: e2},
                    granted={triangle().given[0]: f"laws, {path}, {order}"},
                ),
            ),
        ),
        by_fact(
            f"covariance step, {path}, {order}",
            "Two laws of one mean.",
            f"normal coordinates of one mean{exchanged}",
            {"mean": zero if first else _mean, "std": std, "other std": one, "epsilon": cov_epsilon},
            {"std": "narrow" if exchanged else "wide", "other std": "unit"},
        ),
        Step(
            f"{path}, {order}",
            "The mean step in the smaller covariance, and the corrected Lemma 2.",
            lhs=quantity("independent", mu, stated, e1 + e2),
            rhs=mean_factor * quantity("mean_shift", _distance(order), of_mean) + factor * _term(cov_epsilon),
            relation="<=",
            kind="inference",
            premises=(
                f"divergence, {order}",
                f"two steps, {path}, {order}",
                *in_larger,
                f"mean step, {path}, {order}",
                f"covariance step, {path}, {order}",
                Use(
                    side,
                    of=more_spread_bound,
                    at={entry(lam): _wide**2, lam: _wide**2, entry(counts): _once, counts: _once}
                    | {rate: u, eps: cov_epsilon},
                    weight=factor,
                    granted={
                        "lam_i >= 1": "more spread",
                        "m_i >= 1": "once",
                        "s (lam_i - 1) < 1": "range of u",
                    },
                ),
                "once",
                "s_i",
            ),
        ),
    )


@cache
def two_paths() -> Derivation:
    """`delta_N(mu, s; x + y) <= delta_shift(D; x) + e^x B e^{-u y}` and `<= B e^{-u x} + e^x delta_shift(D; y)`, D the
    shift in the smaller covariance, and so for standard deviations 1/s_i (N26-T4.2-corrected).

    `number`: the eigenvalue s_i^2, at `a` = s_i - 1.
    """
    steps = [*_common_steps()]
    for order, (stated, _, _) in _ORDERS.items():
        steps += [meaning(f"divergence, {order}", "independent", mu, stated, e1 + e2), *_mean_steps(order)]
        steps += [step for path in _PATHS for step in _path_steps(order, path)]
    names = {"mu": mu, "s": s, "u": u, "x": e1, "y": e2}
    ends = [f"{path}, {order}" for order in _ORDERS for path in _PATHS]
    return Derivation(
        id="two_paths.two_paths",
        title="A mean shift and a covariance shift, one after the other",
        sources=("N26-T4.2",),
        hypotheses=_HYPOTHESES,
        steps=tuple(steps),
        result_step="eigenvalue",
        symbols={"a": _excess},
        faults=(
            Fault("e^x dropped", ends[0], lambda rhs: rhs.subs(sp.exp(e1), 1)),
            Fault("half the covariance term", ends[3], lambda rhs: rhs - _term(e1) / 2),
            Fault("shift in the larger covariance", ends[2], lambda rhs: rhs.subs(_distance("less spread"), mu)),
            Fault("square of a_i left out", "eigenvalue", lambda rhs: rhs - _excess**2),
        ),
        concludes=tuple(Conclusion("N26-T4.2-corrected", end, names) for end in ends),
    )
