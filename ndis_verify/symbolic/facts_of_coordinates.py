"""Standard facts about independent normal coordinates, and about laws on finitely many points."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from ndis_verify.symbolic.fact import Fact
from ndis_verify.symbolic.normal_coordinates import at_normal, density, entry
from ndis_verify.symbolic.notation import normal_chance, normal_mean, total, where

OF_COORDINATES: Mapping[str, Fact] = {
    "independent normal coordinates": Fact(
        text="The expectation of f >= 0 under independent normal coordinates of mean m_i and standard deviation s_i is"
        " that of f at m_i + s_i z_i, z standard normal.",
        tex=r"\int \prod_i \frac{\varphi((x_i - m_i)/s_i)}{s_i}\,f(x)\,dx = \mathbb{E} f(m_i + s_i z_i),"
        r"\quad Z \sim \mathcal{N}(0, I)",
        letters=("f", "mean", "std"),
        conditions={"positive": "s_i > 0", "sign": "f >= 0"},
        reference="change of variables: Rudin, Real and Complex Analysis, Theorem 7.26",
        instance=lambda a: (
            total(density(a["mean"], a["std"]) * a["f"]),
            "=",
            normal_mean(at_normal(a["f"], a["mean"], a["std"])),
        ),
        required={
            "positive": lambda a: (a["std"], ">", sp.Integer(0)),
            "sign": lambda a: (a["f"], ">=", sp.Integer(0)),
        },
    ),
    "independent normal coordinates, a set": Fact(
        text="The probability of {f >= 0} under independent normal coordinates of mean m_i and standard deviation s_i"
        " is that of f(m_i + s_i z_i) >= 0, z standard normal.",
        tex=r"\int_{\{f \ge 0\}} \prod_i \frac{\varphi((x_i - m_i)/s_i)}{s_i}\,dx = \Pr[f(m_i + s_i z_i) \ge 0],"
        r"\quad Z \sim \mathcal{N}(0, I)",
        letters=("f", "mean", "std"),
        conditions={"positive": "s_i > 0"},
        reference="change of variables: Rudin, Real and Complex Analysis, Theorem 7.26",
        instance=lambda a: (
            where(density(a["mean"], a["std"]), a["f"]),
            "=",
            normal_chance(at_normal(a["f"], a["mean"], a["std"])),
        ),
        required={"positive": lambda a: (a["std"], ">", sp.Integer(0))},
    ),
    "masses are not negative": Fact(
        text="A law on finitely many points gives none of them a negative probability.",
        tex=r"p_i \ge 0",
        letters=("law",),
        conditions={"law": "it is a law on finitely many points"},
        reference="the definition of a probability measure: Billingsley, Probability and Measure, section 2",
        instance=lambda a: (entry(a["law"]), ">=", sp.Integer(0)),
    ),
    "one set, by logarithms": Fact(
        text="e^a >= e^b exactly where a >= b, so integrals over the one set are integrals over the other.",
        tex=r"\int_{\{e^a - e^b \ge 0\}} f\,dx = \int_{\{a - b \ge 0\}} f\,dx",
        letters=("f", "a", "b"),
        conditions={"integrable": "f is measurable and integrable"},
        reference="Rudin, Principles of Mathematical Analysis, Theorem 8.6",
        instance=lambda a: (
            where(a["f"], sp.exp(a["a"]) - sp.exp(a["b"])),
            "=",
            where(a["f"], a["a"] - a["b"]),
        ),
    ),
}
