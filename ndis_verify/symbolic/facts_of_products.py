"""Standard facts about products of normal laws: how two projections differ, and what noise makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.fact import Fact, Instance
from ndis_verify.symbolic.normal_coordinates import entry, log_density
from ndis_verify.symbolic.notation import (
    centred_first,
    centred_second,
    divergence,
    products,
    projected,
    reprojected,
    single,
    x,
)
from ndis_verify.symbolic.scaled_laws import a_number
from ndis_verify.symbolic.special_functions import chi2_density
from ndis_verify.symbolic.statement_terms import quantity

_PRODUCTS = ("shift", "first", "second", "other first", "other second", "d", "epsilon")


def _columns(exchanged: bool) -> Fact:
    """r columns of two centred laws in R^d that differ in one direction; exchanged: the divergence of Q from P."""
    order = -1 if exchanged else 1

    def instance(a: Mapping[str, Any]) -> Instance:
        one = (sp.Integer(1), a["left"])[::order]
        laws = (projected(a["p"], a["r"]), reprojected(a["p"], a["r"]))
        return divergence(*laws[::order], a["epsilon"]), "=", products(0, *one, *one, a["r"], a["epsilon"])

    return Fact(
        text="P and Q are the laws of D^T G and E^T G, G and G' with r columns of independent standard normal entries,"
        " E without a record of D that has leverage p: r independent columns N(0, S) and N(0, T), S = D^T D invertible,"
        " T = E^T E. Where R S R = I and R T R = I - w"
        " w^T, R in front of each column and a rotation leave N(0, 1) under P and N(0, 1 - w^T w) under Q in one"
        " coordinate of every column, and in the others one law, independent of the first, under both."
        + (" The divergence is that of Q from P." if exchanged else ""),
        tex=r"R S R = I,\ R T R = I - w w^{\mathsf T} \implies "
        + (r"\delta_{Q,P}" if exchanged else r"\delta_{P,Q}")
        + r" \text{ is that of } \mathcal{N}(0, 1)^r \text{ and } \mathcal{N}(0, 1 - w^{\mathsf T} w)^r",
        letters=("p", "r", "epsilon", "S", "T", "R", "w", "w^T", "left"),
        conditions={
            "first": "R S R = I",
            "second": "R T R = I - w w^T",
            "left": "1 - w^T w is what is left of the variance",
            "leverage": "which is 1 - p",
            "positive": "and positive",
        },
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorem 1.2.6; a bijection changes no"
        " divergence, nor does an independent coordinate of one law",
        instance=instance,
        required={
            "first": lambda a: (a["R"] * a["S"] * a["R"], "=", sp.Integer(1)),
            "second": lambda a: (a["R"] * a["T"] * a["R"], "=", 1 - a["w"] * a["w^T"]),
            "left": lambda a: (1 - a["w^T"] * a["w"], "=", a["left"]),
            "leverage": lambda a: (1 - a["w^T"] * a["w"], "=", 1 - a["p"]),
            "positive": lambda a: (a["left"], ">", sp.Integer(0)),
        },
    )


def _one_ratio(exchanged: bool) -> Fact:
    """Products of one variance each, as two centred laws of one eigenvalue; exchanged: the second law comes first."""
    order = -1 if exchanged else 1

    def instance(a: Mapping[str, Any]) -> Instance:
        variances = (a["first"], a["second"])[::order]
        spectrum = single(a["first"] / a["second"]), single(a["d"])
        laws = (centred_first(*spectrum), centred_second(*spectrum))[::order]
        return products(0, *variances, *variances, a["d"], a["epsilon"]), "=", divergence(*laws, a["epsilon"])

    return Fact(
        text="N(0, v)^d and N(0, w)^d, v and w positive, are N(0, S1) and N(0, S2) with S1 = v I and S2 = w I, and"
        " S2^{-1/2} S1 S2^{-1/2} = (v/w) I has the one eigenvalue v/w, d times. All pairs of this spectrum have one"
        " divergence, as an invertible map takes one to the other."
        + (" The divergence is that of the second law from the first." if exchanged else ""),
        tex=r"S_1 = v I_d,\ S_2 = w I_d \implies S_2^{-1/2} S_1 S_2^{-1/2} = \tfrac{v}{w} I_d",
        letters=("first", "second", "d", "epsilon"),
        conditions={"first": "v is positive", "second": "and so is w"},
        reference="Horn and Johnson, Matrix Analysis, Theorem 2.5.6; a bijection changes no divergence",
        instance=instance,
        required={
            "first": lambda a: (a["first"], ">", sp.Integer(0)),
            "second": lambda a: (a["second"], ">", sp.Integer(0)),
        },
    )


OF_PRODUCTS: Mapping[str, Fact] = {
    "one ratio of variances": _one_ratio(exchanged=False),
    "one ratio of variances, exchanged": _one_ratio(exchanged=True),
    "the only coordinate of a vector": Fact(
        text="A vector whose only coordinate is at least b has no coordinate below b.",
        tex=r"v \ge b \implies (v)_i \ge b",
        letters=("v", "b"),
        conditions={"bound": "the only coordinate is at least b"},
        reference="what the vector with one coordinate is",
        instance=lambda a: (quantity("coordinate", single(a["v"])), ">=", a["b"]),
        required={"bound": lambda a: (a["v"], ">=", a["b"])},
    ),
    "products as a hinge of a chi-square variable": Fact(
        text="Where log q/p of one coordinate, p and q the densities of N(0, v) and N(0, w), is half of a share and a"
        " weight times x^2/v, it is half of d shares and the weight times T of N(0, v)^d and N(0, w)^d: T, the sum of"
        " the d squares x_i^2/v, is chi-square with d degrees of freedom under the first law, and the divergence of it"
        " from the second is the expectation there of max(0, 1 - e^{eps + log q/p}).",
        tex=r"2 \log\tfrac{q}{p} = s + a \tfrac{x^2}{v} \implies \delta_{P,Q}(\varepsilon) = \int_0^\infty"
        r" f_{\chi^2_d}(t) \max\bigl(0, 1 - e^{\varepsilon + (d s + a t)/2}\bigr)\,dt",
        letters=("first", "second", "d", "epsilon", "share", "weight", "t"),
        conditions={"loss": "log q/p of one coordinate", "first": "v is positive", "second": "and so is w"},
        reference="p - e^eps q = p (1 - e^{eps + log q/p}); a sum of d squares of standard normal variables:"
        " Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, vol. 1, section 18.1",
        instance=lambda a: (
            products(*(0, a_number(a, "first"), a_number(a, "second"), a["first"], a["second"], a["d"], a["epsilon"])),
            "=",
            sp.Integral(
                chi2_density(a["d"], a["t"])
                * sp.Max(0, 1 - sp.exp(a["epsilon"] + (a["d"] * a["share"] + a["weight"] * a["t"]) / 2)),
                (a["t"], 0, sp.oo),
            ),
        ),
        required={
            "loss": lambda a: (
                log_density(0, sp.sqrt(a["second"])) - log_density(0, sp.sqrt(a["first"])),
                "=",
                (a_number(a, "share") + a_number(a, "weight") * entry(x) ** 2 / a["first"]) / 2,
            ),
            "first": lambda a: (a["first"], ">", sp.Integer(0)),
            "second": lambda a: (a["second"], ">", sp.Integer(0)),
        },
    ),
    "columns that differ in one direction": _columns(exchanged=False),
    "columns that differ in one direction, exchanged": _columns(exchanged=True),
    "a share of each of two products": Fact(
        text="X to sqrt(c) X + sqrt(1 - c) Z, Z standard normal and independent, in every coordinate is one randomised"
        " map, which takes a normal law of variance v to one of variance c v + 1 - c: no divergence grows.",
        tex=r"X \mapsto \sqrt{c}\,X + \sqrt{1 - c}\,Z:\quad \delta_{KP,KQ} \le \delta_{P,Q}",
        letters=(*_PRODUCTS, "c"),
        conditions={"factor": "c >= 0", "noise": "c <= 1"},
        reference="data processing: Dwork and Roth (2014), Proposition 2.1, for every event of the randomised map",
        instance=lambda a: (
            products(
                a["c"] * a["shift"],
                *(a["c"] * a[name] + 1 - a["c"] for name in _PRODUCTS[1:5]),
                a["d"],
                a["epsilon"],
            ),
            "<=",
            products(*(a[name] for name in _PRODUCTS)),
        ),
        required={
            "factor": lambda a: (a["c"], ">=", sp.Integer(0)),
            "noise": lambda a: (a["c"], "<=", sp.Integer(1)),
        },
    ),
}
