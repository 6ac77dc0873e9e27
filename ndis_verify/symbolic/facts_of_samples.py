"""Standard facts about draws: exact limits, union bounds, concentration, what is given and what is averaged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic import notation
from ndis_verify.symbolic.fact import NOTHING, Fact, Instance, averaged, mean_of_any
from ndis_verify.symbolic.notation import (
    average,
    chance,
    chi_square,
    chi_variable,
    exceeds,
    given,
    informed,
    law_given,
    law_of,
    normal,
    normal_form,
    scalar,
    summed,
    total,
)
from ndis_verify.symbolic.scopes import bound
from ndis_verify.symbolic.transposes import with_transposes, with_vectors
from ndis_verify.symbolic.zero import as_expression


def _of_y(a: Mapping[str, Any]) -> Any:
    """An estimate that is a function of y, of which nothing else is known."""
    estimate = a["estimate"]
    if not isinstance(estimate, AppliedUndef) or estimate.args != (a["y"],) or hasattr(notation, str(estimate.func)):
        raise InputError("estimate", str(estimate), "must be an unknown function of y")
    return estimate


def _chi(a: Mapping[str, Any]) -> Any:
    """The chi variable with r degrees of freedom."""
    if a["chi"] != chi_variable(a["r"]) or as_expression(a["r"]).is_positive is not True:
        raise InputError("chi", str(a["chi"]), "must be the chi variable of a positive number of degrees of freedom")
    return a["chi"]


def _image(a: Mapping[str, Any]) -> Any:
    """What an unknown function makes of the output alone."""
    image = a["image"]
    if not isinstance(image, AppliedUndef) or image.args != (a["output"],) or hasattr(notation, str(image.func)):
        raise InputError("image", str(image), "must be an unknown function of the output")
    return image


def _exponent(a: Mapping[str, Any]) -> Instance:
    return a["joint"], "=", -((a["theta"] - a["mean"]) ** 2) / (2 * a["variance"]) + a["rest"]


def _mass_of_y(a: Mapping[str, Any]) -> Instance:
    """That e^f has a finite integral, over values that nothing else speaks of."""
    if not isinstance(a["at"], sp.Symbol) or a["at"] in as_expression(a["joint"]).free_symbols | {a["y"], a["theta"]}:
        raise InputError("at", str(a["at"]), "must be a symbol of which the density does not speak")
    return sp.Integral(sp.exp(a["rest"].subs(a["y"], a["at"])), (a["at"], -sp.oo, sp.oo)), "=", None


def _of_normal_laws(a: Mapping[str, Any]) -> Instance:
    if not (a["eigenvalue"].is_positive and a["variance"].is_positive and a["shift"].is_nonnegative):
        return NOTHING
    stretched = summed(a["eigenvalue"] - 1 - sp.log(a["eigenvalue"]))
    return a["divergence"], "=", (stretched + a["shift"] / a["variance"]) / 2


def _of_stein(a: Mapping[str, Any]) -> Instance:
    theta, std = as_expression(a["theta"]), as_expression(a["std"])
    if not (theta.is_real and std.is_positive) or a["y"] in theta.free_symbols | std.free_symbols:
        return NOTHING
    return average((a["y"] - theta) * a["g"]), "=", std**2 * average(a["slope"])


def _pinsker(a: Mapping[str, Any]) -> Instance:
    """Of two densities that are positive."""
    p, q = a["p"], a["q"]
    if not (as_expression(p).is_positive and as_expression(q).is_positive):
        return NOTHING
    return (total(sp.Abs(p - q)) / 2) ** 2, "<=", total(p * sp.log(p / q)) / 2


def _under_a_graph(a: Mapping[str, Any]) -> Instance:
    """Of a function from 0 on that is nowhere negative and has an integral."""
    argument, f = a["argument"], as_expression(a["f"])
    area = sp.Integral(f, (argument, 0, sp.oo))
    if not argument.is_nonnegative or f.is_nonnegative is not True or area.doit().is_finite is not True:
        return NOTHING
    return law_of(a["point"]), "=", f / area


def _exchanged(a: Mapping[str, Any]) -> Instance:
    """Of a mean that neither goes over the point, over which the integral does, nor depends on it."""
    mean = mean_of_any(a["mean"])
    if notation.x in mean.free_symbols | bound(mean):
        raise InputError("mean", str(mean), f"must not speak of {notation.x}, over which the integral goes")
    return total(averaged(a["mean"], a["f"])), "=", averaged(a["mean"], total(a["f"]))


def _exact_limit(upper: bool) -> Fact:
    """The lower limit of a probability, or the upper one, 1 less the lower limit of 1 less that."""
    side, beyond, sign = ("upper", "below", -1) if upper else ("lower", "above", 1)
    return Fact(
        text=f"There is an exact {side} limit a at level gamma >= 0 of the probability p of a set, from how many of n"
        f" independent draws fall into it: it is {beyond} p with probability at most gamma, whatever p is.",
        tex=rf"\Pr[a(\mathrm{{Bin}}(n, p)) {'<' if upper else '>'} p] \le \gamma",
        letters=("limit", "probability", "level"),
        conditions={
            "fixed": "the set is fixed by what is given",
            "independent": "what is given apart, the draws are independent, of one law",
            "level": "gamma >= 0",
        },
        reference="Clopper and Pearson (1934); Lehmann and Romano, Testing Statistical Hypotheses, section 3.5",
        draws=("limit",),
        brings=("limit",),
        not_negative=("limit",),
        instance=lambda a: (given(sign * (a["limit"] - a["probability"])), "<=", a["level"]),
        required={"level": lambda a: (a["level"], ">=", sp.Integer(0))},
    )


def _fixed_number(value: Any) -> Any:
    """A bound that is one number whatever is given."""
    if as_expression(value).has(given):
        raise InputError("bound", str(value), "must be the same whatever is given")
    return value


def _of_one_vector(a: Mapping[str, Any]) -> Instance:
    """The sum of (w^T z_k)^2, times a number."""
    if not as_expression(a["c"]).is_commutative:
        raise InputError("c", str(a["c"]), "must be a number")
    return law_of(normal_form(a["c"] * a["w"] * a["w^T"], a["r"])), "=", law_of(a["a"] * chi_square(a["r"]))


OF_SAMPLES: Mapping[str, Fact] = {
    "exact lower limit of a proportion": _exact_limit(upper=False),
    "exact upper limit of a proportion": _exact_limit(upper=True),
    "independent factors": Fact(
        text="The expectation of a finite product of independent positive variables is the product of theirs.",
        tex=r"\mathbb{E} \prod_j e^{f_j} = \prod_j \mathbb{E} e^{f_j}",
        letters=("f",),
        conditions={"independent": "the f_j are independent"},
        reference="Billingsley, Probability and Measure, section 21",
        instance=lambda a: (
            average(sp.exp(summed(a["f"]))),
            "=",
            sp.exp(summed(sp.log(average(sp.exp(a["f"]))))),
        ),
    ),
    "functions of independent vectors": Fact(
        text="Functions of independent vectors are independent: the law of the one does not change when the other is"
        " given.",
        tex=r"X \perp Y \implies \mathcal{L}(f(X) \mid g(Y)) = \mathcal{L}(f(X))",
        letters=("one", "other"),
        conditions={"independent": "the vectors are independent"},
        reference="Billingsley, Probability and Measure, section 20",
        instance=lambda a: (law_given(a["one"], a["other"]), "=", law_of(a["one"])),
    ),
    "a quadratic form of rank one": Fact(
        text="Where A = c w w^T for a vector w, the sum of z_k^T A z_k over r independent standard normal vectors is"
        " c |w|^2 times a chi-square variable with r degrees of freedom.",
        tex=r"\sum_{k=1}^r z_k^{\mathsf T} (c\,w w^{\mathsf T}) z_k = c\,\|w\|^2\,T,\quad T \sim \chi^2_r",
        letters=("c", "w", "w^T", "a", "r"),
        conditions={"value": "a = c w^T w"},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorem 1.4.2, of A/a",
        instance=with_transposes(with_vectors(_of_one_vector, "w"), "w"),
        required={"value": lambda a: (a["c"] * scalar(a["w^T"] * a["w"]), "=", a["a"])},
    ),
    "Tonelli's theorem": Fact(
        text="The integral of a sum, or of the expectation, of f >= 0 is the sum or expectation of its integral.",
        tex=r"\int \mathbb{E} f\,dx = \mathbb{E} \int f\,dx,\quad f \ge 0",
        letters=("mean", "f"),
        conditions={"sign": "f >= 0"},
        reference="Rudin, Real and Complex Analysis, Theorem 8.8",
        instance=_exchanged,
        required={"sign": lambda a: (a["f"], ">=", sp.Integer(0))},
    ),
    "one of two events": Fact(
        text="One of two events happens with at most the sum of their probabilities.",
        tex=r"\Pr[A \cup B] \le \Pr[A] + \Pr[B]",
        letters=("one", "other", "bound", "other bound"),
        conditions={"one": "the probability of the one", "other": "that of the other"},
        reference="Billingsley, Probability and Measure, section 2",
        instance=lambda a: (given(sp.Max(a["one"], a["other"])), "<=", a["bound"] + a["other bound"]),
        required={
            "one": lambda a: (given(a["one"]), "<=", a["bound"]),
            "other": lambda a: (given(a["other"]), "<=", a["other bound"]),
        },
    ),
    "in the mean over what is given": Fact(
        text="What has at most one probability whatever is given has at most that probability.",
        tex=r"\Pr[A \mid G] \le \gamma \implies \Pr[A] = \mathbb{E} \Pr[A \mid G] \le \gamma",
        letters=("event", "bound"),
        conditions={"given": "the conditional probability is at most the bound"},
        reference="Billingsley, Probability and Measure, section 33",
        instance=lambda a: (exceeds(a["event"]), "<=", _fixed_number(a["bound"])),
        required={"given": lambda a: (given(a["event"]), "<=", a["bound"])},
    ),
    "Hoeffding's inequality": Fact(
        text="The mean of m independent copies of a variable in [0, 1] is off its expectation by c or more with"
        " probability at most 2 exp(-2 m c^2).",
        tex=r"\Pr[|\bar X - \mathbb{E} X| \ge c] \le 2 e^{-2 m c^2}",
        letters=("X", "mean", "m", "c"),
        conditions={
            "independent": "the terms are independent copies of X",
            "low": "X is at least 0",
            "high": "X is at most 1",
            "copies": "m > 0",
            "distance": "c >= 0",
        },
        reference="Hoeffding, Probability inequalities for sums of bounded random variables (1963), Theorem 1",
        draws=("X", "mean"),
        apart={"mean": ("X",), "X": ("mean",), "m": ("X", "mean"), "c": ("X", "mean")},
        instance=lambda a: (
            chance(sp.Abs(a["mean"] - average(a["X"])) - a["c"]),
            "<=",
            2 * sp.exp(-2 * a["m"] * a["c"] ** 2),
        ),
        required={
            "low": lambda a: (a["X"], ">=", sp.Integer(0)),
            "high": lambda a: (sp.Integer(1), ">=", a["X"]),
            "copies": lambda a: (a["m"], ">", sp.Integer(0)),
            "distance": lambda a: (a["c"], ">=", sp.Integer(0)),
        },
    ),
    "Stein's identity": Fact(
        text="There is a y ~ N(theta, s^2), s > 0, and for g absolutely continuous with E|g'(y)| finite, E (y - theta)"
        " g(y) = s^2 E g'(y).",
        tex=r"\mathbb{E} (y - \theta)\,g(y) = \sigma^2\,\mathbb{E} g'(y)",
        letters=("y", "theta", "std", "g", "slope"),
        conditions={
            "slope": "the slope of g, which has no jump",
            "finite": "the slope has a finite mean",
        },
        reference="Stein, Estimation of the mean of a multivariate normal distribution (1981), Lemma 1",
        draws=("y",),
        brings=("y",),
        of_brought=("g", "slope"),
        instance=_of_stein,
        required={"slope": lambda a: (sp.Derivative(a["g"], a["y"]), "=", a["slope"])},
        continuous=lambda a: [("g", a["y"], ())],
        finite={"finite": lambda a: (average(a["slope"]),)},
    ),
    "the conditional mean is the best estimate": Fact(
        text="Where theta given y is N(m, v), every estimate T from y has E (T - theta)^2 = E (T - m)^2 +"
        " E (m - theta)^2.",
        tex=r"\mathbb{E}(T - \theta)^2 = \mathbb{E}(T - m)^2 + \mathbb{E}(m - \theta)^2",
        letters=("estimate", "mean", "variance", "theta", "y"),
        conditions={"mean": "given y, theta is N(m, v)"},
        reference="Billingsley, Probability and Measure, section 34: T - m is a function of y, given which both sides"
        " are (T - m)^2 + v",
        draws=("estimate", "theta"),
        unknown=("estimate",),
        required={
            "mean": lambda a: (law_given(a["theta"], a["y"]), "=", normal(a["mean"], a["variance"])),
        },
        instance=lambda a: (
            average((_of_y(a) - a["theta"]) ** 2),
            "=",
            average((a["estimate"] - a["mean"]) ** 2) + average((a["mean"] - a["theta"]) ** 2),
        ),
    ),
    "a quadratic exponent is a normal law": Fact(
        text="Where v > 0 and the integral of e^f over all y is finite, there are theta and y whose joint density is,"
        " up to a constant, e^{-(theta - m)^2/(2 v) + f(y)}, m a function of y; theta given y is N(m, v).",
        tex=r"\log p(\theta, y) = -\frac{(\theta - m)^2}{2v} + f(y) + c \implies \theta \mid y \sim \mathcal{N}(m, v)",
        letters=("joint", "theta", "y", "mean", "variance", "rest", "at"),
        conditions={
            "exponent": "the logarithm of the joint density, up to a constant",
            "spread": "v > 0",
            "density": "the integral of e^f is a number",
        },
        reference="Billingsley, Probability and Measure, section 33: conditional densities",
        brings=("theta", "y"),
        of_brought=("joint", "mean", "rest"),
        apart=dict.fromkeys(("mean", "variance", "rest", "at"), ("theta",)) | {"variance": ("theta", "y")},
        instance=lambda a: (law_given(a["theta"], a["y"]), "=", normal(a["mean"], a["variance"])),
        required={
            "exponent": _exponent,
            "spread": lambda a: (a["variance"], ">", sp.Integer(0)),
            "density": _mass_of_y,
        },
    ),
    "Jensen's inequality of an absolute value": Fact(
        text="The expectation of |X| is at least |E X|.",
        tex=r"\mathbb{E} |X| \ge |\mathbb{E} X|",
        letters=("X",),
        conditions={"finite": "X has a finite mean"},
        reference="Billingsley, Probability and Measure, (21.14)",
        draws=("X",),
        instance=lambda a: (average(sp.Abs(a["X"])), ">=", sp.Abs(average(a["X"]))),
        finite={"finite": lambda a: (average(a["X"]),)},
    ),
    "mean of a share": Fact(
        text="The share of n draws from a law that fall on a point has the point's mass as its expectation.",
        tex=r"\mathbb{E}\,\hat p = p",
        letters=("share", "mass"),
        conditions={
            "draws": "the share is of draws from the law with this mass",
            "sign": "no mass is negative",
            "law": "the masses add up to 1",
        },
        reference="Feller, vol. 1, section IX.2",
        draws=("share",),
        apart={"mass": ("share",)},
        instance=lambda a: (average(a["share"]), "=", a["mass"]),
        required={
            "sign": lambda a: (a["mass"], ">=", sp.Integer(0)),
            "law": lambda a: (summed(a["mass"]), "=", sp.Integer(1)),
        },
    ),
    "mean square of a chi variable": Fact(
        text="The square of a chi variable with r degrees of freedom has the expectation r.",
        tex=r"\mathbb{E} \chi_r^2 = r",
        letters=("chi", "r"),
        conditions={},
        reference="Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, vol. 1, section 18.3",
        draws=("chi",),
        instance=lambda a: (average(_chi(a) ** 2), "=", a["r"]),
    ),
    "a value of a law without atoms": Fact(
        text="A law of density f gives a single number the probability 0.",
        tex=r"\int_{\{c\}} f = 0",
        letters=("f", "value"),
        conditions={"density": "f is a density"},
        reference="Billingsley, Probability and Measure, section 20",
        instance=lambda a: (sp.Integral(a["f"], (notation.x, a["value"], a["value"])), "=", sp.Integer(0)),
        required={"density": lambda a: (total(a["f"]), "=", sp.Integer(1))},
    ),
    "moment of a chi-square variable": Fact(
        text="E e^{sT} = (1 - 2s)^{-r/2} for T chi-square with r degrees of freedom and s < 1/2.",
        tex=r"\mathbb{E} e^{sT} = (1 - 2s)^{-r/2},\quad s < \tfrac12",
        letters=("T", "r", "s"),
        conditions={"law": "T is chi-square with r degrees of freedom", "range": "2 s < 1"},
        reference="Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, vol. 1, section 18.3",
        draws=("T",),
        instance=lambda a: (average(sp.exp(a["s"] * a["T"])), "=", (1 - 2 * a["s"]) ** (-a["r"] / 2)),
        required={"range": lambda a: (sp.Integer(1), ">", 2 * a["s"])},
    ),
    "singular values of a normal matrix": Fact(
        text="The singular values of a d x r standard normal matrix are in sqrt(r) +- (sqrt(d) + s) but for a"
        " probability of at most 2 e^{-s^2/2}: off is the largest distance of one from sqrt(r).",
        tex=r"\Pr[\max_i |\sigma_i - \sqrt r| > \sqrt d + s] \le 2 e^{-s^2/2}",
        letters=("off", "d", "s"),
        conditions={"entries": "independent standard normal entries", "excess": "s >= 0"},
        reference="Davidson and Szarek, Local operator theory, random matrices and Banach spaces (2001), Theorem II.13",
        draws=("off",),
        instance=lambda a: (exceeds(a["off"] - sp.sqrt(a["d"]) - a["s"]), "<=", 2 * sp.exp(-(a["s"] ** 2) / 2)),
        required={"excess": lambda a: (a["s"], ">=", sp.Integer(0))},
    ),
    "square of a mean and mean square": Fact(
        text="The square of the expectation of a chi variable, which has a density and so is not constant, is below"
        " that of its square.",
        tex=r"(\mathbb{E} \chi_r)^2 < \mathbb{E} \chi_r^2",
        letters=("chi", "r"),
        conditions={"square": "it has a finite second moment"},
        reference="Billingsley, Probability and Measure, section 21: the variance is positive",
        draws=("chi",),
        instance=lambda a: (average(_chi(a)) ** 2, "<", average(_chi(a) ** 2)),
        finite={"square": lambda a: (average(_chi(a) ** 2),)},
    ),
    "inverse of a noncentral chi-square variable": Fact(
        text="There are L and K, e^L a noncentral chi-square variable with d degrees of freedom, K Poisson with half of"
        " its noncentrality as the mean; e^L is chi-square with d + 2K, and the expectation of its inverse that of"
        " 1/(d - 2 + 2K).",
        tex=r"\mathbb{E}\,1/\chi'^2_d(\nu) = \mathbb{E}\,1/(d - 2 + 2K),\quad K \sim \mathrm{Poisson}(\nu/2)",
        letters=("L", "d", "K"),
        conditions={"degrees": "d > 2"},
        reference="Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, vol. 2, section 29.3",
        draws=("L", "K"),
        brings=("L", "K"),
        not_negative=("K",),
        instance=lambda a: (average(sp.exp(-a["L"])), "=", average(1 / (a["d"] - 2 + 2 * a["K"]))),
        required={"degrees": lambda a: (a["d"], ">", sp.Integer(2))},
    ),
    "Pinsker's inequality": Fact(
        text="The total variation distance of two laws of positive densities is at most the root of half their"
        " divergence (KL).",
        tex=r"\mathrm{TV}(P, Q)^2 \le \mathrm{KL}(P \| Q)/2",
        letters=("p", "q"),
        conditions={"first": "p is a density", "second": "q is a density"},
        reference="Tsybakov, Introduction to Nonparametric Estimation, Lemma 2.5",
        instance=_pinsker,
        required={
            "first": lambda a: (total(a["p"]), "=", sp.Integer(1)),
            "second": lambda a: (total(a["q"]), "=", sp.Integer(1)),
        },
    ),
    "mutual information and any reference law": Fact(
        text="The mutual information of an input and an output is at most the mean over the input of the divergence"
        " (KL)"
        " of the output's law given it from any one law.",
        tex=r"I(X; Y) \le \mathbb{E}_X \mathrm{KL}(P_{Y \mid X} \| Q)",
        letters=("input", "output", "divergence"),
        conditions={"laws": "the laws of the output given each input, and one reference law"},
        reference="Polyanskiy and Wu, Information Theory, Theorem 4.1",
        brings=("divergence",),
        not_negative=("divergence",),
        instance=lambda a: (informed(a["input"], a["output"]), "<=", average(a["divergence"])),
    ),
    "information of a place in noise": Fact(
        text="The mutual information of a place among finitely many, drawn from any law, and of normal noise of"
        " variance 1 on all of them with t added at that place is a number, and at most t^2/2.",
        tex=r"I(J; t e_J + z) \le t^2/2,\quad z \sim \mathcal{N}(0, I)",
        letters=("information", "size"),
        conditions={},
        reference="Polyanskiy and Wu, Information Theory, Theorem 4.1 and section 2.2",
        brings=("information",),
        instance=lambda a: (a["information"], "<=", a["size"] ** 2 / 2) if a["size"].is_real else NOTHING,
    ),
    "data processing of information": Fact(
        text="What is computed from an output tells no more of the input than the output does.",
        tex=r"X \to Y \to Z \implies I(X; Z) \le I(X; Y)",
        letters=("input", "output", "image"),
        conditions={},
        reference="Polyanskiy and Wu, Information Theory, Theorem 3.7",
        unknown=("image",),
        instance=lambda a: (informed(a["input"], _image(a)), "<=", informed(a["input"], a["output"])),
    ),
    "divergence of two normal laws": Fact(
        text="There is a number, the divergence (KL) of N(m, s^2 K) from N(0, s^2 I), K with the eigenvalues k_i > 0,"
        " and it is half of sum (k_i - 1 - log k_i) + |m|^2/s^2.",
        tex=r"\mathrm{KL} = \tfrac12\left(\sum_i (k_i - 1 - \log k_i) + |m|^2/s^2\right)",
        letters=("divergence", "eigenvalue", "shift", "variance"),
        conditions={},
        reference="Polyanskiy and Wu, Information Theory, section 2.2",
        brings=("divergence",),
        instance=_of_normal_laws,
    ),
    "points under a curve": Fact(
        text="The abscissa X of a uniform point under the graph of an integrable f >= 0 has the density f over its"
        " integral; of uniform points of a set in which the graph lies, those under it are uniform there.",
        tex=r"(X, Y) \sim \mathrm{U}\{0 \le y \le f(x)\} \implies X \sim f/\!\int\! f",
        letters=("point", "f", "argument"),
        conditions={},
        reference="Devroye, Non-Uniform Random Variate Generation, Theorem II.3.1",
        draws=("point",),
        instance=_under_a_graph,
    ),
}
