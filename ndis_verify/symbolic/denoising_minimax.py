"""The minimax rate of a Gaussian release over balls, from above by soft thresholds and from below."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import Phi

d, x, room, rate, log_term = sp.symbols("d x v R L", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)
_REGION = "0 < p <= 2: 1 + ln d <= R^2 and R^p <= d; p >= 2: R > 0"
_RELEASE, _KNOWN = "release y ~ N(theta, sigma^2 I_d)", "sigma known"


@cache
def minimax_balls() -> Derivation:
    """Minimax risk over an l_p ball of radius R std, p <= 2: between 1/51 and 3 times `std^2 R^p L^{1-p/2}` (BW-eq7).

    L = 1 + ln(d/R^p), for 1 + ln d <= R^2 and R^p <= d. For p >= 2: between Phi(-1) and 1 times
    d std^2 min(1, R^2 d^{-2/p}). `number`: R^p L^{1-p/2} at `d`, `radius` = R and `p`.
    """
    p, a, std = sp.symbols("p A sigma", positive=True)
    size = rate**p * (1 + sp.log(d / rate**p)) ** (1 - p / 2)
    threshold = sp.sqrt(2 * sp.log(d / rate**p))
    more = 4 + room  # L > 4
    steps = (
        Step(
            "upper: risk of a coordinate",
            "soft_threshold: risk <= min(1 + l^2, e^{-l^2/2} + mu^2) <= e^{-l^2/2} + min(mu^2, A), A = 1 + l^2.",
            kind="argument",
            premises=(_RELEASE, _KNOWN),
        ),
        Step(
            "upper: |mu|^2 = A/(1+v) <= A",
            "mu^2 <= |mu|^p A^{1-p/2}, p = 2/(1+w); as a logarithm of the ratio.",
            lhs=sp.log(a / (1 + room)) * (1 / (1 + x)) + sp.log(a) * (1 - 1 / (1 + x)),
            rhs=sp.log(a / (1 + room)),
            relation=">",
            witness=sp.log(1 + room) * x / (1 + x),
            premises=("upper: risk of a coordinate",),
        ),
        Step(
            "upper: |mu|^2 = A(1+v) > A",
            "A <= |mu|^p A^{1-p/2}.",
            lhs=sp.log(a * (1 + room)) * (p / 2) + sp.log(a) * (1 - p / 2),
            rhs=sp.log(a),
            relation=">",
            witness=sp.log(1 + room) * p / 2,
            premises=("upper: risk of a coordinate",),
        ),
        Step(
            "upper: threshold",
            "l^2 = 2 ln(d/R^p): d e^{-l^2/2} = R^p.",
            lhs=held(d) * sp.exp(-(held(threshold) ** 2) / 2),
            rhs=rate**p,
            premises=(_REGION,),
        ),
        Step(
            "upper: 1 + l^2 <= 2 L",
            "L = 1 + ln(d/R^p) >= 1.",
            lhs=2 * log_term,
            rhs=1 + 2 * (log_term - 1),
            relation=">",
            witness=one,
            premises=("upper: threshold",),
        ),
        Step(
            "upper: total",
            "R^p + R^p (2L)^{1-p/2} <= 3 R^p L^{1-p/2}, as L^{1-p/2} = 1 + v >= 1 and 2^{1-p/2} = 2/(1 + w) <= 2:",
            lhs=3 * (1 + room),
            rhs=1 + 2 / (1 + x) * (1 + room),
            relation=">=",
            witness=room + 2 * (1 + room) * x / (1 + x),
            premises=(
                "upper: |mu|^2 = A/(1+v) <= A",
                "upper: |mu|^2 = A(1+v) > A",
                "upper: threshold",
                "upper: 1 + l^2 <= 2 L",
            ),
        ),
        Step(
            "lower, L <= 4",
            "floor(R^p) >= R^p/2 coordinates at +-1, independent fair signs: the sign is misjudged with probability at"
            " least Phi(-1), and then the loss is at least 1. Phi(-1)/2 divided by 4^{1-p/2} <= 4 is above 1/51.",
            kind="argument",
            premises=(_REGION, _RELEASE),
        ),
        Step(
            "lower, L <= 4: constant",
            "In numbers.",
            lhs=Phi(-one) / 8,
            rhs=sp.Rational(1, 51),
            relation=">",
            witness=Phi(-one).rewrite(sp.erfc) / 8 - sp.Rational(1, 51),
            reduce=lambda left, right: (left - right).rewrite(sp.erfc),
            premises=("lower, L <= 4",),
        ),
        Step(
            "lower, L > 4: blocks",
            "tau^2 = L/4 <= R^2/4; s = floor((R/tau)^p) >= (R/tau)^p/2 blocks of m = floor(d/s) coordinates, one spike"
            " tau in each, uniform: s tau^p <= R^p and s m <= d. R^2 >= 1 + ln d >= L as R >= 1.",
            kind="argument",
            premises=(_REGION, _RELEASE),
        ),
        Step(
            "lower, L > 4: block size",
            "d/s >= d tau^p/R^p with tau^2 = L/4 = 1 + v/4, and d/R^p = e^{L-1}: log of d/s less L - 1.",
            lhs=sp.log(d * (1 + room / 4) ** (p / 2) / rate**p) - sp.log(d / rate**p),
            rhs=zero,
            relation=">",
            witness=p / 2 * sp.log(1 + room / 4),
            reduce=lambda left, right: sp.expand_log(left - right),
            premises=("lower, L > 4: blocks",),
        ),
        Step(
            "lower, L > 4: ln m >= L - 2 >= L/2",
            "m >= e^{L-1} - 1 >= e^{L-2}, as e^2 (e - 1) > 1.",
            lhs=more - 2,
            rhs=more / 2,
            relation=">",
            witness=room / 2,
            premises=("lower, L > 4: block size",),
        ),
        by_fact(
            "lower, L > 4: information",
            "The spike's place and the data share at most the divergence of N(tau e_j, I) from N(0, I), tau^2/2 = L/8.",
            "information of a place in noise",
            {"information": sp.Symbol("I", real=True), "size": sp.sqrt(log_term) / 2},
            {},
        ),
        Step(
            "lower, L > 4: Fano",
            "Error probability >= 1 - (L/8 + ln 2)/(L/2) (Fano's inequality), which increases in L,",
            lhs=1 - (more / 8 + sp.log(2)) / (more / 2),
            rhs=sp.Rational(3, 4) - sp.log(2) / 2,
            relation=">",
            witness=sp.log(2) / 2 * room / more,
            premises=("lower, L > 4: information", "lower, L > 4: ln m >= L - 2 >= L/2"),
        ),
        Step(
            "lower, L > 4: error above 1/3",
            "and is above 1/3 at L = 4.",
            lhs=sp.Rational(3, 4) - sp.log(2) / 2,
            rhs=sp.Rational(1, 3),
            relation=">",
            witness=sp.Rational(5, 12) - sp.log(2) / 2,
            premises=("lower, L > 4: Fano",),
        ),
        Step(
            "lower, L > 4: loss",
            "Two places are sqrt 2 tau apart, so an error costs at least tau^2/2; with probability 1/3 that is L/24 for"
            " a block.",
            lhs=held(more) / 4 / 2 / 3,
            rhs=more / 24,
            premises=("lower, L > 4: error above 1/3", "lower, L > 4: blocks"),
        ),
        Step(
            "lower, L > 4: total",
            "s L/24 >= (R^p/48)(4/L)^{p/2} L >= R^p L^{1-p/2}/48.",
            lhs=(rate / sp.sqrt(log_term / 4)) ** p / 2 * log_term / 24 / (rate**p * log_term ** (1 - p / 2)),
            rhs=4 ** (p / 2) / sp.Integer(48),
            premises=("lower, L > 4: loss",),
        ),
        Step(
            "p >= 2: lower",
            "All d coordinates at +-tau, tau = min(1, R d^{-1/p}): d tau^p <= R^p, each costs at least tau^2 Phi(-tau)"
            " >= tau^2 Phi(-1).",
            lhs=d * (rate * d ** (-1 / p)) ** p,
            rhs=rate**p,
            premises=(_REGION, _RELEASE),
        ),
        Step(
            "p >= 2: upper",
            "y itself costs d, and 0 costs ||theta||^2 <= d^{1-2/p} R^2 (power means).",
            lhs=d * (rate * d ** (-1 / p)) ** 2,
            rhs=d ** (1 - 2 / p) * rate**2,
            premises=(_REGION, _RELEASE),
        ),
        Step(
            "rate",
            "The two ways to write the rate, r = R sigma.",
            lhs=held(rate * std) ** p
            * held(std) ** (2 - p)
            * (1 + sp.log(d * held(std) ** p / held(rate * std) ** p)) ** (1 - p / 2)
            / std**2,
            rhs=size,
            premises=(_REGION,),
        ),
    )
    return Derivation(
        id="denoising_minimax.minimax_balls",
        title="Minimax rates over balls, with constants",
        sources=("BW-eq7",),
        hypotheses=(_REGION, _RELEASE, _KNOWN),
        steps=steps,
        result_step="rate",
        symbols={"d": d, "radius": rate, "p": p},
        domain=(sp.log(d / rate**p) >= 0,),
        faults=(
            Fault("exponent 1 for 1 - p/2", "rate", lambda rhs: rhs * (1 + sp.log(d / rate**p)) ** (p / 2)),
            Fault("threshold sqrt(ln)", "upper: threshold", lambda rhs: sp.sqrt(d) * rate ** (p / 2)),
            Fault("error above 2/3", "lower, L > 4: error above 1/3", lambda rhs: sp.Rational(2, 3)),
            Fault("constant 1/40", "lower, L <= 4: constant", lambda rhs: sp.Rational(1, 40)),
            Fault("exponent of the dimension", "p >= 2: upper", lambda rhs: rhs * d),
        ),
        concludes=tuple(
            Conclusion("BW-eq7", end, part=part)
            for end, part in (
                ("upper: total", "p <= 2, from above"),
                ("lower, L <= 4: constant", "p <= 2, from below, L <= 4"),
                ("lower, L > 4: total", "p <= 2, from below, L > 4"),
                ("p >= 2: lower", "p >= 2, from below"),
                ("p >= 2: upper", "p >= 2, from above"),
                ("rate", "the rate as printed"),
            )
        ),
    )
