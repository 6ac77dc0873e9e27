"""The divergence of two laws with added noise, by the triangle inequality: a mean step and a covariance step (N26
section 6).
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import covariance_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, positive
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import density, entry, total_of
from ndis_verify.symbolic.privacy_loss import in_two_steps
from ndis_verify.symbolic.statement_terms import quantity

zero = sp.Integer(0)
mu, s, k = sp.symbols("mu s k", real=True)
h, e1, e2 = sp.symbols("h e1 e2", nonnegative=True)
t = sp.Symbol("t", positive=True)
lower, extra = sp.Symbol("kappa", positive=True), sp.Symbol("a", nonnegative=True)  # k_i, s_i - k_i
rest = sp.Symbol("b", positive=True)  # k_i^2 - h
once = sp.Symbol("n", positive=True)  # how often an eigenvalue stands

_RATIO = (entry(s) ** 2 - h) / (entry(k) ** 2 - h)
_RANGE = "t ((s_i^2 - h)/(k_i^2 - h) - 1) < 1"
_HYPOTHESES = (
    Hypothesis("k_i > 0", entry(k) > 0),
    Hypothesis("s_i >= k_i", entry(s) >= entry(k)),
    Hypothesis("k_i^2 > h", entry(k) ** 2 > h),
    Hypothesis(_RANGE, t * (_RATIO - 1) < 1),
    Hypothesis("h >= 0", h >= 0),
    Hypothesis("t > 0", t > 0),
    Hypothesis("y >= 0", e2 >= 0),
)
_more = 2 * extra * lower + extra**2  # s_i^2 - k_i^2
_lam = 1 + _more / rest  # (s_i^2 - h)/(k_i^2 - h)
_wide, _narrow = sp.sqrt(rest + _more) / lower, sp.sqrt(rest) / lower  # standard deviations at the smaller noise
mean = entry(mu) / lower
_NAMES = ("k_i", "s_i", "rest")
_DEFINITIONS = (
    Step("k_i", "In the units of Q.", lhs=lower, rhs=entry(k), kind="definition", premises=("k_i > 0",)),
    Step("s_i", "s_i = k_i + a_i.", lhs=extra, rhs=entry(s) - entry(k), kind="definition", premises=("s_i >= k_i",)),
    Step(
        "rest",
        "The smaller variance at a noise that is smaller by h.",
        lhs=rest,
        rhs=entry(k) ** 2 - h,
        kind="definition",
        premises=("k_i^2 > h",),
    ),
    Step("once", "Each eigenvalue stands once for each coordinate.", lhs=once, rhs=sp.Integer(1), kind="definition"),
)


def _noise_steps() -> tuple[Step, ...]:
    """Less noise reveals no less: of h between the laws, and of s_i^2 - k_i^2 between the two of the mean step."""
    signs = (positive("wide", _wide), positive("narrow", _narrow))
    units = (1 + extra / lower, sp.Integer(1))
    return (
        *signs,
        by_fact(
            "less noise",
            "At a noise that is smaller by h the divergence is no smaller.",
            "noise on independent normal coordinates",
            {
                "mean": mean,
                "other mean": zero,
                "std": _wide,
                "other std": _narrow,
                "noise": h / lower**2,
                "noisy": units[0],
                "other noisy": units[1],
                "epsilon": e1 + e2,
            },
            {
                "noise": Step("noise", "h >= 0.", lhs=h / lower**2, rhs=zero, relation=">=", witness=h / lower**2),
                "std": "wide",
                "other std": "narrow",
                "noisy": positive("noisy", units[0]),
                "other noisy": positive("other noisy", units[1]),
                "variance": _variance("variance", units[0], _wide),
                "other variance": _variance("other variance", units[1], _narrow),
            },
        ),
        by_fact(
            "smaller covariance",
            "The mean step costs no less in the smaller covariance.",
            "noise on independent normal coordinates",
            {
                "mean": mean,
                "other mean": zero,
                "std": _narrow,
                "other std": _narrow,
                "noise": _more / lower**2,
                "noisy": _wide,
                "other noisy": _wide,
                "epsilon": e1,
            },
            {
                "noise": Step(
                    "noise", "s_i >= k_i.", lhs=_more / lower**2, rhs=zero, relation=">=", witness=_more / lower**2
                ),
                "std": "narrow",
                "other std": "narrow",
                "noisy": "wide",
                "other noisy": "wide",
                "variance": _between("variance"),
                "other variance": _between("other variance"),
            },
        ),
    )


def _variance(name: str, noisy: sp.Expr, std: sp.Expr) -> Step:
    """k_i^2 - h and h make k_i^2."""
    return Step(
        name, "h is added.", lhs=noisy**2, rhs=std**2 + h / lower**2, kind="inference", premises=("rest", "k_i")
    )


def _between(name: str) -> Step:
    return Step(name, "s_i^2 - k_i^2 is added.", lhs=_wide**2, rhs=_narrow**2 + _more / lower**2)


_PAIR = density(mean, _wide), density(zero, _wide), density(zero, _narrow)  # P, R and Q at the smaller noise


@cache
def noisy_pair() -> Derivation:
    """`delta_N(mu_i/k_i, s_i/k_i; x + y) <= delta_shift(D; x) + e^x C`, D and C at a noise that is smaller by h
    (N26-T6.1-corrected).

    `number`: the ratio (s^2 - h)/(k^2 - h) at `a` = s - k, `k` and `rest` = k^2 - h.
    """
    of_cov = covariance_shift.more_spread_bound
    lam, counts, rate, eps = (of_cov().concludes[0].symbols[name] for name in ("lam", "m", "s", "eps"))
    distance = sp.sqrt(total_of(entry(mu) ** 2 / (entry(k) ** 2 - h)))
    level = total_of(sp.log(_RATIO))
    term = t**t * (1 + t) ** (-1 - t) * sp.exp(-t * (e2 + level / 2))
    term *= quantity("product", (1 - t * (_RATIO - 1)) ** sp.Rational(-1, 2))
    bound = quantity("mean_shift", distance, e1) + sp.exp(e1) * term
    divergence = quantity("independent", entry(mu) / entry(k), entry(s) / entry(k), e1 + e2)
    steps = (
        *_DEFINITIONS,
        *_noise_steps(),
        meaning("divergence", "independent", *divergence.args),
        Step(
            "three laws",
            "P, Q, R laws on one space, of independent normal coordinates at the smaller noise: of means and standard"
            " deviations P's, 0 and Q's, 0 and P's.",
            kind="definition",
            premises=("wide", "narrow"),
        ),
        in_two_steps("two steps", "The mean step first, then the covariance step.", _PAIR, e1, e2, "three laws"),
        by_fact(
            "mean step",
            "Two laws of one covariance.",
            "normal coordinates of one covariance",
            {"mean": mean, "other mean": zero, "std": _narrow, "epsilon": e1},
            {"std": "narrow"},
        ),
        by_fact(
            "covariance step",
            "Two centred laws.",
            "normal coordinates of one mean",
            {"mean": zero, "std": _wide, "other std": _narrow, "epsilon": e2},
            {"std": "wide", "other std": "narrow"},
        ),
        Step("more spread", "P's law is the more spread one.", lhs=_lam, rhs=1, relation=">=", witness=_more / rest),
        Step(
            "ratio",
            "(s_i^2 - h)/(k_i^2 - h).",
            lhs=_RATIO,
            rhs=_lam,
            kind="inference",
            premises=_NAMES,
        ),
        Step(
            "s_i^2 > h",
            "The larger one is larger than h too.",
            lhs=entry(s) ** 2,
            rhs=h,
            relation=">",
            kind="inference",
            premises=(Use("k_i^2 > h"), Use("s_i >= k_i", weight=extra + 2 * lower), *_NAMES[:2]),
        ),
        Step(
            "range of t",
            "As given.",
            lhs=t * (_lam - 1),
            rhs=sp.Integer(1),
            relation="<",
            kind="inference",
            premises=(Use(_RANGE), "ratio"),
        ),
        Step(
            "bound",
            "The corrected Lemma 2 at these eigenvalues, and the mean step.",
            lhs=divergence,
            rhs=bound,
            relation="<=",
            kind="inference",
            premises=(
                "divergence",
                "less noise",
                "two steps",
                "smaller covariance",
                "mean step",
                "covariance step",
                Use(
                    "the more spread law first",
                    of=of_cov,
                    at={entry(lam): _lam, lam: _lam, entry(counts): once, counts: once, rate: t, eps: e2},
                    weight=sp.exp(e1),
                    granted={
                        "lam_i >= 1": "more spread",
                        "m_i >= 1": "once",
                        "s (lam_i - 1) < 1": "range of t",
                    },
                ),
                "once",
                *_NAMES,
                Use("s_i^2 > h", weight=0),
            ),
        ),
    )
    return Derivation(
        id="two_steps.noisy_pair",
        title="Two laws with added noise: a mean step and a covariance step, at a smaller noise",
        sources=("N26-T6.1", "N26-T4.2"),
        hypotheses=_HYPOTHESES,
        steps=steps,
        result_step="ratio",
        symbols={"a": extra, "k": lower, "rest": rest},
        faults=(
            Fault("e^x dropped", "bound", lambda rhs: rhs.subs(sp.exp(e1), 1)),
            Fault("noise added, not left out", "bound", lambda rhs: rhs.subs(h, -h)),
            Fault("weight of the other step", "two steps", lambda rhs: rhs.subs(sp.exp(e1), sp.exp(e2))),
            Fault("ratio upside down", "ratio", lambda rhs: 1 / rhs),
        ),
        concludes=(
            Conclusion(
                "N26-T6.1-corrected",
                "bound",
                {"mu": mu, "s": s, "k": k, "h": h, "t": t, "x": e1, "y": e2},
            ),
        ),
    )
