"""Standard facts that derivations use: what each says, under which conditions, and where it is proved.

A step that uses one (kind "fact") says what the fact's letters are there and what shows each condition; its sides have
to be the instance of the fact at those letters, which `Fact.instance` writes. The functionals are `notation`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from ndis_verify.symbolic.notation import below, beyond, largest, normal_mean, scalar, total, x, z
from ndis_verify.symbolic.special_functions import phi

Instance = tuple[Any, str, Any]  # left, sign, right


@dataclass(frozen=True)
class Fact:
    """A standard fact. `conditions`: by name, in words; `instance`: letters -> (left, sign, right).

    `required`: condition -> what the step that shows it has to say at the letters; a right side None may be anything.
    """

    text: str
    tex: str
    letters: tuple[str, ...]
    conditions: Mapping[str, str]
    reference: str
    instance: Callable[[Mapping[str, Any]], Instance]
    required: Mapping[str, Callable[[Mapping[str, Any]], Instance]] = field(default_factory=dict)


FACTS: Mapping[str, Fact] = {
    "largest integral over a set": Fact(
        text="The supremum over measurable sets S of the integral of f over S is the integral of max(f, 0), attained at"
        " {f > 0}.",
        tex=r"\sup_S \int_S f\,dx = \int \max(f, 0)\,dx = \int_{\{f > 0\}} f\,dx",
        letters=("f",),
        conditions={"integrable": "f is measurable and integrable"},
        reference="Hahn decomposition: Bogachev, Measure Theory, Theorem 3.1.1; Neyman and Pearson (1933)",
        instance=lambda a: (largest(a["f"]), "=", total(sp.Max(a["f"], 0))),
    ),
    "affine image of a standard normal vector": Fact(
        text="Where p is the density of the normal law with mean m and covariance T T^T, the integral of p f is the"
        " expectation of f(m + T Z), Z standard normal.",
        tex=r"\int p(x)\,f(x)\,dx = \mathbb{E} f(m + T Z),\quad Z \sim \mathcal{N}(0, I)",
        letters=("p", "f", "image"),
        conditions={
            "density": "p is the density of the normal law with mean m and covariance T T^T",
            "invertible": "T is invertible",
            "measurable": "f is measurable and nonnegative, or integrable under p",
        },
        reference="change of variables: Rudin, Real and Complex Analysis, Theorem 7.26",
        instance=lambda a: (total(a["p"] * a["f"]), "=", normal_mean(a["f"].subs(x, a["image"]))),
    ),
    "spectral theorem": Fact(
        text="For a symmetric matrix A there is an orthogonal U for which U^T A U is diagonal.",
        tex=r"A = A^{\mathsf T} \implies U^{\mathsf T} A U = \operatorname{diag}(a),\quad U^{\mathsf T} U = I",
        letters=("A", "U", "U^T", "diagonal"),
        conditions={"symmetric": "A is real and symmetric"},
        reference="Horn and Johnson, Matrix Analysis, Theorem 2.5.6",
        instance=lambda a: (a["U^T"] * a["A"] * a["U"], "=", a["diagonal"]),
    ),
    "linear form of a standard normal vector": Fact(
        text="The expectation of f(b^T Z), Z standard normal, is the integral of f(|b| u) against the standard normal"
        " density.",
        tex=r"\mathbb{E} f(b^{\mathsf T} Z) = \int f(\|b\|\,u)\,\varphi(u)\,du",
        letters=("f", "argument", "b^T", "b", "length"),
        conditions={
            "length": "the length is the Euclidean norm of b: its square is b^T b",
            "measurable": "f is measurable and nonnegative, or integrable",
        },
        reference="the normal law does not change under rotation: Feller, vol. 2, section III.6",
        instance=lambda a: (
            normal_mean(a["f"].subs(a["argument"], scalar(a["b^T"] * z))),
            "=",
            sp.Integral(
                a["f"].subs(a["argument"], a["length"] * a["argument"]) * phi(a["argument"]),
                (a["argument"], -sp.oo, sp.oo),
            ),
        ),
        required={"length": lambda a: (scalar(a["b^T"] * a["b"]), "=", a["length"] ** 2)},
    ),
    "hinge cut at its edge": Fact(
        text="Where h < 0 below the edge and h >= 0 from there on, the integral of max(0, 1 - e^h) w is that of w below"
        " the edge less that of e^h w.",
        tex=r"\int \max(0, 1 - e^{h})\,w\,du = \int_{-\infty}^{e} w\,du - \int_{-\infty}^{e} e^{h}\,w\,du",
        letters=("h", "w", "argument", "edge"),
        conditions={
            "below": "h < 0 at every point below the edge",
            "above": "h >= 0 at every other point",
            "first": "the integral of w is finite",
            "second": "the integral of e^h w is finite",
        },
        reference="additivity of the integral: Rudin, Real and Complex Analysis, Theorems 1.27 and 1.29",
        instance=lambda a: (
            sp.Integral(sp.Max(0, 1 - sp.exp(a["h"])) * a["w"], (a["argument"], -sp.oo, sp.oo)),
            "=",
            _below(a, a["w"]) - _below(a, sp.exp(a["h"]) * a["w"]),
        ),
        required={
            "below": lambda a: (a["h"].subs(a["argument"], a["edge"] - below), "<", sp.Integer(0)),
            "above": lambda a: (a["h"].subs(a["argument"], a["edge"] + beyond), ">=", sp.Integer(0)),
            "first": lambda a: (_below(a, a["w"]), "=", None),
            "second": lambda a: (_below(a, sp.exp(a["h"]) * a["w"]), "=", None),
        },
    ),
}


def _below(letters: Mapping[str, Any], integrand: Any) -> Any:
    return sp.Integral(integrand, (letters["argument"], -sp.oo, letters["edge"]))
