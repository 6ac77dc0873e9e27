"""Standard facts that derivations use: what each says, under which conditions, and where it is proved.

A step that uses one (kind "fact") says what the fact's letters are there and what shows each condition; its sides have
to be the instance of the fact at those letters, which `Fact.instance` writes. The functionals are `notation`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.fact import (
    Fact,
    Instance,
    any_real,
    averaged,
    constant,
    linear,
    of_no_other_point,
    on_the_line,
    smooth,
    undrawn,
)
from ndis_verify.symbolic.facts_of_angles import OF_ANGLES
from ndis_verify.symbolic.facts_of_coordinates import OF_COORDINATES
from ndis_verify.symbolic.facts_of_covariances import OF_COVARIANCES
from ndis_verify.symbolic.facts_of_envelopes import OF_ENVELOPES
from ndis_verify.symbolic.facts_of_functions import OF_FUNCTIONS
from ndis_verify.symbolic.facts_of_laws import OF_LAWS
from ndis_verify.symbolic.facts_of_least_values import OF_LEAST_VALUES
from ndis_verify.symbolic.facts_of_matrices import OF_MATRICES
from ndis_verify.symbolic.facts_of_numbers import OF_NUMBERS
from ndis_verify.symbolic.facts_of_products import OF_PRODUCTS
from ndis_verify.symbolic.facts_of_records import OF_RECORDS
from ndis_verify.symbolic.facts_of_samples import OF_SAMPLES
from ndis_verify.symbolic.facts_of_scales import OF_SCALES
from ndis_verify.symbolic.facts_of_signs import OF_SIGNS
from ndis_verify.symbolic.facts_of_sketches import OF_SKETCHES
from ndis_verify.symbolic.facts_of_statistics import OF_STATISTICS
from ndis_verify.symbolic.facts_of_tests import OF_TESTS
from ndis_verify.symbolic.normal_images import R, Ri, U, Ut, at_image, p
from ndis_verify.symbolic.notation import (
    average,
    below,
    beyond,
    bin_of_sum,
    chance,
    det,
    largest,
    largest_union,
    law,
    normal_mean,
    over,
    scalar,
    share,
    summed,
    total,
    where,
    x,
    z,
)
from ndis_verify.symbolic.special_functions import phi
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.transposes import with_arrays, with_transposes, with_vectors
from ndis_verify.symbolic.zero import as_expression


def _under_the_image(letters: Mapping[str, Any]) -> Instance:
    """Of the first of the two normal laws, at the image of a standard normal vector that has its law."""
    if letters["p"] != p(x) or letters["image"] != at_image:
        raise InputError("image", str(letters["image"]), f"must be {at_image}, and p the density {p(x)}")
    return total(p(x) * letters["f"]), "=", normal_mean(of_no_other_point(undrawn(letters, "f"), "f").subs(x, at_image))


def _bounded_differences(letters: Mapping[str, Any]) -> Instance:
    """Of any mass put and any mass taken, which are functions of the point that nothing else is known of."""
    put, taken = letters["put"], letters["taken"]
    if put == taken or any(not isinstance(one, AppliedUndef) or one.args != (bin_of_sum,) for one in (put, taken)):
        raise InputError("put", f"{put}, {taken}", "must be two unknown functions of the point")
    f, n, c, t = (letters[name] for name in ("f", "n", "c", "t"))
    return chance(f - average(f) - t), "<=", sp.exp(-2 * t**2 / (n * c**2))


def _over_all_bins(letters: Mapping[str, Any]) -> Instance:
    """Of a function that is one in every bin."""
    f = as_expression(letters["f"])
    if bin_of_sum in f.free_symbols:
        raise InputError("f", str(f), f"must not speak of the bin {bin_of_sum}, over which the sum goes")
    return summed(over(bin_of_sum, f)), "=", total(f)


FACTS: Mapping[str, Fact] = {
    **OF_ANGLES,
    **OF_COORDINATES,
    **OF_COVARIANCES,
    **OF_ENVELOPES,
    **OF_FUNCTIONS,
    **OF_LAWS,
    **OF_LEAST_VALUES,
    **OF_MATRICES,
    **OF_NUMBERS,
    **OF_PRODUCTS,
    **OF_RECORDS,
    **OF_SAMPLES,
    **OF_SCALES,
    **OF_SIGNS,
    **OF_SKETCHES,
    **OF_STATISTICS,
    **OF_TESTS,
    "largest integral over a set": Fact(
        text="The supremum over measurable sets S of the integral of f over S is the integral of max(f, 0), attained at"
        " {f > 0}.",
        tex=r"\sup_S \int_S f\,dx = \int \max(f, 0)\,dx = \int_{\{f > 0\}} f\,dx",
        letters=("f",),
        conditions={"integrable": "f is integrable"},
        reference="Hahn decomposition: Bogachev, Measure Theory, Theorem 3.1.1; Neyman and Pearson (1933)",
        instance=lambda a: (largest(a["f"]), "=", total(sp.Max(a["f"], 0))),
        finite={"integrable": lambda a: (total(a["f"]),)},
    ),
    "largest integral over a set, its set": Fact(
        text="The supremum over measurable sets S of the integral of f over S is its integral over {f >= 0}; points"
        " where f = 0 may be left out.",
        tex=r"\sup_S \int_S f\,dx = \int_{\{f \ge 0\}} f\,dx = \int_{\{f > 0\}} f\,dx",
        letters=("f",),
        conditions={"integrable": "f is integrable"},
        reference="Hahn decomposition: Bogachev, Measure Theory, Theorem 3.1.1; Neyman and Pearson (1933)",
        instance=lambda a: (largest(a["f"]), "=", where(a["f"], a["f"])),
        finite={"integrable": lambda a: (total(a["f"]),)},
    ),
    "integrals over a set are linear": Fact(
        text="The integral of f + c g over a measurable set, c a number, is that of f plus c times that of g.",
        tex=r"\int_S (f + c\,g)\,dx = \int_S f\,dx + c \int_S g\,dx",
        letters=("f", "c", "g", "set"),
        conditions={"integrable": "f and g are integrable"},
        reference="Rudin, Real and Complex Analysis, Theorem 1.32",
        instance=lambda a: (
            where(a["f"] + constant(a, "c") * a["g"], a["set"]),
            "=",
            where(a["f"], a["set"]) + a["c"] * where(a["g"], a["set"]),
        ),
        finite={"integrable": lambda a: (where(a["f"], a["set"]), where(a["g"], a["set"]))},
    ),
    "affine image of a standard normal vector": Fact(
        text="Where p is the density of the normal law with mean m and covariance T T^T and f >= 0, the integral of p f"
        " is the expectation of f(m + T Z), Z standard normal.",
        tex=r"\int p(x)\,f(x)\,dx = \mathbb{E} f(m + T Z),\quad Z \sim \mathcal{N}(0, I)",
        letters=("p", "f", "image"),
        conditions={
            "covariance": "T T^T is the covariance of the law of which p is the density",
            "invertible": "T is invertible",
            "sign": "f is not negative",
        },
        reference="change of variables: Rudin, Real and Complex Analysis, Theorem 7.26",
        instance=_under_the_image,
        required={
            "covariance": lambda a: (R * U * Ut * R, "=", R * R),
            "invertible": lambda a: (Ut * Ri * R * U, "=", sp.Integer(1)),
            "sign": lambda a: (a["f"], ">=", sp.Integer(0)),
        },
    ),
    "both sides of an edge": Fact(
        text="What holds for every number above the edge and for every other one holds for all.",
        tex=r"f(e + v) \le g(e + v)\ \forall v > 0,\quad f(e - w) \le g(e - w)\ \forall w \ge 0 \implies f \le g",
        letters=("f", "g", "argument", "edge"),
        conditions={"above": "f <= g above the edge", "below": "f <= g at and below the edge"},
        reference="the order of the real numbers is total",
        instance=lambda a: (a["f"], "<=", a["g"]),
        required={
            "above": lambda a: _both(a, "<=", a["edge"] + below),
            "below": lambda a: _both(a, "<=", a["edge"] - beyond),
        },
    ),
    "one derivative and one value": Fact(
        text="Two functions on the line with one derivative, and one value at 0, are one function.",
        tex=r"f' = g',\ f(0) = g(0) \implies f = g",
        letters=("f", "g", "argument"),
        conditions={"derivative": "f and g have one derivative", "value": "and one value at 0"},
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        instance=lambda a: (on_the_line(a)["f"], "=", a["g"]),
        continuous=lambda a: [(name, a["argument"], (0,)) for name in ("f", "g")],
        required={
            "derivative": lambda a: (sp.Derivative(a["g"], a["argument"]), "=", sp.Derivative(a["f"], a["argument"])),
            "value": lambda a: (a["g"].subs(a["argument"], 0), "=", a["f"].subs(a["argument"], 0)),
        },
    ),
    "the empty set": Fact(
        text="The supremum over measurable sets S of the integral of f over S is not negative.",
        tex=r"\sup_S \int_S f\,dx \ge \int_{\emptyset} f\,dx = 0",
        letters=("f",),
        conditions={"integrable": "f is integrable"},
        reference="Rudin, Real and Complex Analysis, 1.24",
        instance=lambda a: (largest(a["f"]), ">=", sp.Integer(0)),
        finite={"integrable": lambda a: (total(a["f"]),)},
    ),
    "supremum of an increasing function": Fact(
        text="A function that increases on (0, 1] and is at 0 at most what it is at 1 is greatest at 1.",
        tex=r"f' \ge 0 \text{ on } (0, 1],\ f(0) \le f(1) \implies \sup_{0 \le s \le 1} f(s) = f(1)",
        letters=("f", "argument"),
        conditions={"increasing": "the derivative of f is positive for positive arguments", "start": "f(0) <= f(1)"},
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        instance=lambda a: (
            quantity("sup", 0, 1, sp.Lambda(a["argument"], a["f"])),
            "=",
            a["f"].subs(a["argument"], 1),
        ),
        continuous=smooth("f", 0, 1),
        required={
            "increasing": lambda a: (sp.Derivative(a["f"].subs(a["argument"], share), share), ">", sp.Integer(0)),
            "start": lambda a: (a["f"].subs(a["argument"], 0), "<=", a["f"].subs(a["argument"], 1)),
        },
    ),
    "determinant by block elimination": Fact(
        text="Where [I 0; -u^T 1] [I - w u^T, w; 0 1] [I 0; u^T 1] = [I w; 0 c], the determinant of I - w u^T is c:"
        " those of block triangular matrices are the products of the determinants of their diagonal blocks.",
        tex=r"\begin{pmatrix} I & 0 \\ -u^{\mathsf T} & 1 \end{pmatrix}"
        r" \begin{pmatrix} I - w u^{\mathsf T} & w \\ 0 & 1 \end{pmatrix}"
        r" \begin{pmatrix} I & 0 \\ u^{\mathsf T} & 1 \end{pmatrix} = \begin{pmatrix} I & w \\ 0 & c \end{pmatrix}"
        r" \implies \det(I - w u^{\mathsf T}) = c",
        letters=("w", "u^T", "c"),
        conditions={"entry": "1 - u^T w = c", "row": "-u^T (I - w u^T) + (1 - u^T w) u^T = 0"},
        reference="Horn and Johnson, Matrix Analysis, sections 0.3.5 and 0.9.4",
        instance=with_vectors(lambda a: (det(1 - a["w"] * a["u^T"]), "=", a["c"]), "w"),
        required={
            "entry": lambda a: (1 - a["u^T"] * a["w"], "=", a["c"]),
            "row": lambda a: (
                -a["u^T"] * (1 - a["w"] * a["u^T"]) + (1 - a["u^T"] * a["w"]) * a["u^T"],
                "=",
                sp.Integer(0),
            ),
        },
    ),
    "determinants multiply": Fact(
        text="det(R X R) = det(R R) det X, for square matrices.",
        tex=r"\det(R X R) = \det(R^2)\,\det X",
        letters=("R", "X"),
        conditions={},
        reference="Horn and Johnson, Matrix Analysis, section 0.3.5",
        instance=with_arrays(
            lambda a: (det(a["R"] * a["X"] * a["R"]), "=", det(a["R"] * a["R"]) * det(a["X"])), "R", "X"
        ),
    ),
    "linear form of a standard normal vector": Fact(
        text="The expectation of f(b^T Z), f >= 0 and Z standard normal, is the integral of f(|b| u) against the"
        " standard normal density.",
        tex=r"\mathbb{E} f(b^{\mathsf T} Z) = \int f(\|b\|\,u)\,\varphi(u)\,du",
        letters=("f", "argument", "b^T", "b", "length"),
        conditions={
            "length": "the length is the Euclidean norm of b: its square is b^T b",
            "sign": "f is not negative",
        },
        reference="the normal law does not change under rotation: Feller, vol. 2, section III.6",
        instance=with_transposes(
            lambda a: (
                normal_mean(undrawn(a, "f", "b", "b^T")["f"].subs(any_real(a["argument"]), scalar(a["b^T"] * z))),
                "=",
                sp.Integral(
                    a["f"].subs(a["argument"], a["length"] * a["argument"]) * phi(a["argument"]),
                    (a["argument"], -sp.oo, sp.oo),
                ),
            ),
            "b",
        ),
        required={
            "length": lambda a: (scalar(a["b^T"] * a["b"]), "=", a["length"] ** 2),
            "sign": lambda a: (a["f"], ">=", sp.Integer(0)),
        },
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
    "means keep the order": Fact(
        text="Where f <= g at every point, a sum, integral or expectation of f is at most that of g.",
        tex=r"f \le g \implies \int f\,d\mu \le \int g\,d\mu",
        letters=("mean", "f", "g"),
        conditions={"pointwise": "f <= g at every point", "integrable": "f and g have a finite mean, or f >= 0"},
        reference="Rudin, Real and Complex Analysis, 1.24 and 1.32, for sums with the counting measure",
        instance=lambda a: (averaged(a["mean"], a["f"]), "<=", averaged(a["mean"], a["g"])),
        required={"pointwise": lambda a: (a["f"], "<=", a["g"])},
        finite={"integrable": lambda a: (averaged(a["mean"], a["f"]), averaged(a["mean"], a["g"]))},
        or_infinite=("integrable",),
    ),
    "means are linear": Fact(
        text="A sum, integral or expectation of c_1 f_1 + ... + c_n f_n, the c_k numbers, is c_1 times that of f_1 and"
        " so on.",
        tex=r"\int \sum_k c_k f_k\,d\mu = \sum_k c_k \int f_k\,d\mu",
        letters=("mean", "terms"),
        conditions={"integrable": "every f_k has a finite mean"},
        reference="Rudin, Real and Complex Analysis, Theorem 1.32, for sums with the counting measure",
        instance=lambda a: linear(a["mean"], a["terms"]),
        finite={"integrable": lambda a: tuple(averaged(a["mean"], f) for _, f in a["terms"])},
    ),
    "larger of two numbers": Fact(
        text="What two numbers do not exceed, the larger of them does not exceed.",
        tex=r"a \le b,\ a' \le b \implies \max(a, a') \le b",
        letters=("one", "other", "bound"),
        conditions={"one": "the one is at most the bound", "other": "the other is at most the bound"},
        reference="the larger is one of the two",
        instance=lambda a: (sp.Max(a["one"], a["other"]), "<=", a["bound"]),
        required={
            "one": lambda a: (a["one"], "<=", a["bound"]),
            "other": lambda a: (a["other"], "<=", a["bound"]),
        },
    ),
    "neither is greater": Fact(
        text="Two numbers of which neither is greater than the other are equal.",
        tex=r"a \le b,\ b \le a \implies a = b",
        letters=("one", "other"),
        conditions={"one": "the one is at most the other", "other": "and the other at most the one"},
        reference="the order of the real numbers is antisymmetric",
        instance=lambda a: (a["one"], "=", a["other"]),
        required={
            "one": lambda a: (a["one"], "<=", a["other"]),
            "other": lambda a: (a["other"], "<=", a["one"]),
        },
    ),
    "a law has mass one": Fact(
        text="The probabilities of a law on finitely many points add up to 1.",
        tex=r"\sum_i p_i = 1",
        letters=("law",),
        conditions={"law": "it is a law on finitely many points"},
        reference="the definition of a probability measure: Billingsley, Probability and Measure, section 2",
        instance=lambda a: (quantity("sum", quantity("coordinate", a["law"])), "=", sp.Integer(1)),
        assumed={"law": lambda a: law(a["law"])},
    ),
    "parts of a partition": Fact(
        text="Where disjoint measurable bins cover the line, the integrals of f >= 0 over them add up to that over the"
        " line.",
        tex=r"\sum_j \int_{B_j} f\,dx = \int f\,dx",
        letters=("f",),
        conditions={"sign": "f >= 0"},
        reference="Rudin, Real and Complex Analysis, Theorem 1.29",
        instance=_over_all_bins,
        required={"sign": lambda a: (a["f"], ">=", sp.Integer(0))},
    ),
    "largest sum over a set": Fact(
        text="The supremum over sets of bins of the sum of a_j is the sum of max(a_j, 0), attained at {a_j > 0}.",
        tex=r"\sup_J \sum_{j \in J} a_j = \sum_j \max(a_j, 0)",
        letters=("a",),
        conditions={"integrable": "the a_j have a sum that converges absolutely"},
        reference="Hahn decomposition, counting measure: Bogachev, Measure Theory, Theorem 3.1.1",
        instance=lambda a: (largest_union(a["a"]), "=", summed(sp.Max(a["a"], 0))),
        finite={"integrable": lambda a: (summed(sp.Abs(a["a"])),)},
    ),
    "shares of draws": Fact(
        text="The shares of draws that fall on the points of a law on finitely many points add up to 1.",
        tex=r"\sum_j \hat p_j = 1",
        letters=("shares",),
        conditions={"draws": "they are the shares of draws from that law"},
        reference="each draw falls on one point: Feller, vol. 1, section IX.2",
        draws=("shares",),
        instance=lambda a: (summed(a["shares"]), "=", sp.Integer(1)),
    ),
    "a part of a sum": Fact(
        text="Where no a_j is negative, each is at most their sum.",
        tex=r"a_j \ge 0 \implies a_j \le \sum_i a_i",
        letters=("a",),
        conditions={"sign": "a_j >= 0"},
        reference="the other terms are not negative",
        instance=lambda a: (a["a"], "<=", summed(a["a"])),
        required={"sign": lambda a: (a["a"], ">=", sp.Integer(0))},
    ),
    "a law has a point": Fact(
        text="Finitely many points on which there is a law are more than none.",
        tex=r"\sum_j p_j = 1 \implies \sum_j 1 > 0",
        letters=("mass",),
        conditions={"mass": "the masses add up to 1"},
        reference="a sum over no points is 0",
        instance=lambda a: (summed(sp.Integer(1)), ">", sp.Integer(0)),
        required={"mass": lambda a: (summed(a["mass"]), "=", sp.Integer(1))},
    ),
    "expectation of a constant": Fact(
        text="The expectation of a constant is the constant.",
        tex=r"\mathbb{E}\,c = c",
        letters=("c",),
        conditions={},
        reference="Billingsley, Probability and Measure, section 21",
        instance=lambda a: (average(constant(a, "c")), "=", a["c"]),
    ),
    "expectation of a sum": Fact(
        text="The expectation of a finite sum is the sum of the expectations.",
        tex=r"\mathbb{E} \sum_j f_j = \sum_j \mathbb{E} f_j",
        letters=("f",),
        conditions={"finite": "finitely many terms, each with a finite expectation"},
        reference="Billingsley, Probability and Measure, section 21",
        instance=lambda a: (average(summed(a["f"])), "=", summed(average(a["f"]))),
        finite={"finite": lambda a: (average(a["f"]),)},
    ),
    "variance of a share": Fact(
        text="The share of n independent draws that fall on a point of probability p has mean square error p(1-p)/n.",
        tex=r"\mathbb{E}(\hat p - p)^2 = p (1 - p)/n",
        letters=("share", "mass", "n"),
        conditions={
            "independent": "the share is of n independent draws from the law with this mass",
            "least": "p >= 0",
            "most": "p <= 1",
            "draws": "n > 0",
        },
        reference="Feller, vol. 1, section IX.5, variance of the binomial law",
        draws=("share",),
        apart={"mass": ("share",), "n": ("share",)},
        instance=lambda a: (average((a["share"] - a["mass"]) ** 2), "=", a["mass"] * (1 - a["mass"]) / a["n"]),
        required={
            "least": lambda a: (a["mass"], ">=", sp.Integer(0)),
            "most": lambda a: (a["mass"], "<=", sp.Integer(1)),
            "draws": lambda a: (a["n"], ">", sp.Integer(0)),
        },
    ),
    "bounded differences": Fact(
        text="Where f is a function of the shares of n independent draws on finitely many points, and another draw in"
        " the place of one, which changes the shares by the mass put on one point less that taken from another, over n,"
        " adds at most c to f, f exceeds its expectation by t >= 0 or more with probability at most"
        " exp(-2 t^2/(n c^2)).",
        tex=r"\Pr[f - \mathbb{E} f \ge t] \le e^{-2 t^2/(n c^2)}",
        letters=("f", "formula", "share", "change", "put", "taken", "moved", "n", "c", "t"),
        conditions={
            "independent": "the shares are of n independent draws",
            "formula": "what f is of the shares",
            "put": "a mass on the points,",
            "taken": "and another one",
            "change": "are what the shares change by, over n,",
            "moved": "moved is what that adds to f,",
            "bounded": "at most c",
            "distance": "t >= 0",
            "draws": "n > 0",
        },
        reference="McDiarmid, On the method of bounded differences (1989), Lemma 1.2",
        draws=("f", "share", "moved"),
        apart=dict.fromkeys(("formula", "c", "n", "t"), ("put", "taken", "change", "moved")),
        instance=_bounded_differences,
        required={
            "formula": lambda a: (a["f"], "=", a["formula"]),
            "put": lambda a: (summed(a["put"]), "=", sp.Integer(1)),
            "taken": lambda a: (summed(a["taken"]), "=", sp.Integer(1)),
            "change": lambda a: (a["change"], "=", (a["put"] - a["taken"]) / a["n"]),
            "moved": lambda a: (
                a["moved"],
                "=",
                a["formula"].subs(a["share"], a["share"] + a["change"]) - a["formula"],
            ),
            "bounded": lambda a: (a["moved"], "<=", a["c"]),
            "distance": lambda a: (a["t"], ">=", sp.Integer(0)),
            "draws": lambda a: (a["n"], ">", sp.Integer(0)),
        },
    ),
    "larger events": Fact(
        text="Where f <= g, g >= 0 has at least the probability of f >= 0.",
        tex=r"f \le g \implies \Pr[f \ge 0] \le \Pr[g \ge 0]",
        letters=("f", "g"),
        conditions={"contained": "f <= g for all draws"},
        reference="Billingsley, Probability and Measure, section 2",
        instance=lambda a: (chance(a["f"]), "<=", chance(a["g"])),
        required={"contained": lambda a: (a["f"], "<=", a["g"])},
    ),
}


def _below(letters: Mapping[str, Any], integrand: Any) -> Any:
    return sp.Integral(integrand, (letters["argument"], -sp.oo, letters["edge"]))


def _both(letters: Mapping[str, Any], sign: str, at: Any) -> Instance:
    return letters["f"].subs(letters["argument"], at), sign, letters["g"].subs(letters["argument"], at)
