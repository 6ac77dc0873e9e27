"""Standard facts about products of normal laws: how two projections differ, and what noise makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.fact import Fact, Instance
from ndis_verify.symbolic.notation import divergence, products

_PRODUCTS = ("shift", "first", "second", "other first", "other second", "d", "epsilon")


def _columns(exchanged: bool) -> Fact:
    """r columns of two centred laws in R^d that differ in one direction; exchanged: the divergence of Q from P."""
    order = -1 if exchanged else 1

    def instance(a: Mapping[str, Any]) -> Instance:
        one = (sp.Integer(1), a["left"])[::order]
        return divergence(*(a["P"], a["Q"])[::order], a["epsilon"]), "=", products(0, *one, *one, a["r"], a["epsilon"])

    return Fact(
        text="P and Q are the laws of D^T G and E^T G, G and G' with r columns of independent standard normal entries,"
        " S = D^T D invertible, T = E^T E: r independent columns N(0, S) and N(0, T). Where R S R = I and R T R = I - w"
        " w^T, R in front of each column and a rotation leave N(0, 1) under P and N(0, 1 - w^T w) under Q in one"
        " coordinate of every column, and in the others one law, independent of the first, under both."
        + (" The divergence is that of Q from P." if exchanged else ""),
        tex=r"R S R = I,\ R T R = I - w w^{\mathsf T} \implies "
        + (r"\delta_{Q,P}" if exchanged else r"\delta_{P,Q}")
        + r" \text{ is that of } \mathcal{N}(0, 1)^r \text{ and } \mathcal{N}(0, 1 - w^{\mathsf T} w)^r",
        letters=("P", "Q", "epsilon", "S", "T", "R", "w", "w^T", "left", "r"),
        conditions={
            "laws": "P and Q are these laws",
            "first": "R S R = I",
            "second": "R T R = I - w w^T",
            "left": "1 - w^T w is what is left of the variance",
            "positive": "and positive",
        },
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorem 1.2.6; a bijection changes no"
        " divergence, nor does an independent coordinate of one law",
        instance=instance,
        required={
            "first": lambda a: (a["R"] * a["S"] * a["R"], "=", sp.Integer(1)),
            "second": lambda a: (a["R"] * a["T"] * a["R"], "=", 1 - a["w"] * a["w^T"]),
            "left": lambda a: (1 - a["w^T"] * a["w"], "=", a["left"]),
            "positive": lambda a: (a["left"], ">", sp.Integer(0)),
        },
    )


OF_PRODUCTS: Mapping[str, Fact] = {
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
