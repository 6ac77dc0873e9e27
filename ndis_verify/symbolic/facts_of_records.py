"""Standard facts about normal laws and vectors made of letters: what one record of a database moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse
from ndis_verify.symbolic.fact import NOTHING, Fact, Instance, any_real, smooth
from ndis_verify.symbolic.notation import (
    anything,
    det,
    divergence,
    each,
    normal,
    normal_mean,
    positive_definite,
    scalar,
    supremum,
    transpose,
    z,
)
from ndis_verify.symbolic.transposes import is_symmetric
from ndis_verify.symbolic.zero import as_expression


def _form(a: Mapping[str, Any]) -> Instance:
    """The form of the noise at a vector that neither the noise nor the laws speak of."""
    spoken = [a[name] for name in ("noise", "mean", "covariance", "other mean", "other covariance")]
    if any(anything in as_expression(one).free_symbols for one in spoken):
        return NOTHING
    return scalar(transpose(anything) * a["noise"] * anything), ">=", sp.Integer(0)


def _plane(a: Mapping[str, Any], moved: bool) -> Any:
    """The law in the plane of the direction w and the shift u, of which `moved` says whether it has the shift."""
    share = a["product"] ** 2 / (a["length"] * a["size"])
    mean = sp.Matrix([sp.sqrt(share), sp.sqrt(1 - share)]) * sp.sqrt(a["size"]) if moved else sp.zeros(2, 1)
    more = a["other step"] if moved else a["step"]
    return normal(sp.ImmutableMatrix(mean), sp.ImmutableMatrix(sp.diag(a["v"] + more * a["length"], a["v"])))


def _differ(exchanged: bool) -> Fact:
    """Of the first law from the other; exchanged: of the other one from the first."""

    def instance(a: Mapping[str, Any]) -> Instance:
        square = a["w"] * a["w^T"]
        laws = (
            normal(a["mean"], a["v"] + a["step"] * square),
            normal(a["mean"] + a["u"], a["v"] + a["other step"] * square),
        )
        planes = (_plane(a, moved=False), _plane(a, moved=True))
        if exchanged:
            laws, planes = laws[::-1], planes[::-1]
        return divergence(*laws, a["epsilon"]), "=", divergence(*planes, a["epsilon"])

    order = r"Q, P" if exchanged else r"P, Q"
    return Fact(
        text="Two normal laws with covariances v I + a w w^T and v I + b w w^T, their means u apart, are in the plane"
        " of w and u laws of independent coordinates: along w of variances v + a |w|^2 and v + b |w|^2, across it of v,"
        " c = (w^T u)^2/(|w|^2 |u|^2) the share of the squared shift that is along w. Beyond the plane, where there is"
        " more, both are N(0, v I), independent of it; where there is no more than one coordinate, one that both laws"
        " have alike is added.",
        tex=rf"\delta_{{{order}}}(\varepsilon):\quad P = \mathcal{{N}}(m, v I + a\,w w^{{\mathsf T}}),\ "
        r"Q = \mathcal{N}(m + u, v I + b\,w w^{\mathsf T}) \sim \mathcal{N}(0, \operatorname{diag}(v + a|w|^2, v)),\ "
        r"\mathcal{N}(|u|(\sqrt{c}, \sqrt{1 - c}), \operatorname{diag}(v + b|w|^2, v))",
        letters=(
            *("mean", "u", "v", "step", "other step", "w", "w^T", "epsilon"),
            *("length", "size", "product"),
        ),
        conditions={
            "variance": "v > 0",
            "step": "a >= 0",
            "other step": "b >= 0",
            "direction": "w is not 0",
            "shift": "u is not 0",
            "transpose": "w^T is the transpose of w",
            "length": "its squared length",
            "size": "and that of u",
            "product": "w^T u",
        },
        reference="an orthogonal map, and a coordinate that both laws share: Anderson, An Introduction to Multivariate"
        " Statistical Analysis, Theorems 2.4.4 and 2.4.2",
        instance=instance,
        required={
            "variance": lambda a: (a["v"], ">", sp.Integer(0)),
            "step": lambda a: (a["step"], ">=", sp.Integer(0)),
            "other step": lambda a: (a["other step"], ">=", sp.Integer(0)),
            "direction": lambda a: (scalar(a["w^T"] * a["w"]), ">", sp.Integer(0)),
            "shift": lambda a: (scalar(transpose(a["u"]) * a["u"]), ">", sp.Integer(0)),
            "transpose": lambda a: (transpose(a["w"]), "=", a["w^T"]),
            "length": lambda a: (a["length"], "=", scalar(a["w^T"] * a["w"])),
            "size": lambda a: (a["size"], "=", scalar(transpose(a["u"]) * a["u"])),
            "product": lambda a: (a["product"], "=", scalar(a["w^T"] * a["u"])),
        },
    )


def _falling(a: Mapping[str, Any]) -> Instance:
    f = sp.Lambda(any_real(a["argument"]), a["f"])
    gap = each(f, a["a"]) - each(f, a["b"])
    return scalar(transpose(a["a"] - a["b"]) * gap), "<=", sp.Integer(0)


def _two_parameters(a: Mapping[str, Any]) -> bool:
    """Whether both stand for every positive number, and are two."""
    positive = sp.Symbol("any", positive=True).assumptions0
    both = (a["first"], a["second"])
    return both[0] != both[1] and all(isinstance(one, sp.Symbol) and one.assumptions0 == positive for one in both)


def _limit(exchanged: bool) -> Fact:
    """Of the first law from the other; exchanged: of the other one from the first."""

    def instance(a: Mapping[str, Any]) -> Instance:
        if not _two_parameters(a):
            return NOTHING
        end = (normal(0, a["limit variance"]), normal(a["limit"], a["other limit variance"]))
        one = (normal(0, a["variance"]), normal(a["distance"], a["other variance"]))
        if exchanged:
            end, one = end[::-1], one[::-1]
        return divergence(*end, a["epsilon"]), "<=", supremum(divergence(*one, a["epsilon"]))

    return Fact(
        text="The divergence of two normal laws on the line grows with the distance of their means and is continuous in"
        " it and in the variances: where the distance is at least what tends to D, as one parameter and then another"
        " goes to its limit, the supremum over them is at least the divergence at D and the limits of the variances.",
        tex=r"D_{s,a} \ge \ell_{s,a},\ \lim_{a \to \infty} \lim_{s \to 0} \ell_{s,a} = D,\ \lim_{s \to 0} V_{s,a} = V,"
        r"\ \lim_{s \to 0} W_{s,a} = W \implies \delta_{\mathcal{N}(0, V), \mathcal{N}(D, W)} \le"
        r" \sup_{s,a} \delta_{\mathcal{N}(0, V_{s,a}), \mathcal{N}(D_{s,a}, W_{s,a})}",
        letters=(
            *("distance", "least", "between", "limit", "variance", "other variance", "limit variance"),
            *("other limit variance", "first", "second", "edge", "between edge", "epsilon"),
        ),
        conditions={
            "all": "the supremum goes over all parameters of which the second is at least an edge",
            "edge": "which tends, the first parameter going to 0,",
            "small edge": "to what is small beside the second, going to infinity: so all that are near the limits",
            "least": "the distance is at least what has the limits",
            "first limit": "which tends, the first parameter going to 0,",
            "second limit": "and then the second to infinity, to D,",
            "distance": "which is not negative",
            "variance": "the limit of the variance, the second parameter not in it",
            "other variance": "and of the other one",
            "spread": "which is positive",
            "other spread": "as is that of the other one",
        },
        reference="Scheffe's lemma: Billingsley, Probability and Measure, Theorem 16.12; growth: Anderson's inequality,"
        " Tong, Probability Inequalities, Theorem 4.2.5",
        instance=instance,
        apart={
            **dict.fromkeys(("limit", "limit variance", "other limit variance", "epsilon"), ("first", "second")),
            **dict.fromkeys(("between", "between edge"), ("first",)),
        },
        assumed={"all": lambda a: sp.Ge(a["second"], a["edge"])},
        required={
            "edge": lambda a: (sp.Limit(a["edge"], a["first"], 0), "=", a["between edge"]),
            "small edge": lambda a: (sp.Limit(a["between edge"] / a["second"], a["second"], sp.oo), "=", sp.Integer(0)),
            "least": lambda a: (a["distance"], ">=", a["least"]),
            "first limit": lambda a: (sp.Limit(a["least"], a["first"], 0), "=", a["between"]),
            "second limit": lambda a: (sp.Limit(a["between"], a["second"], sp.oo), "=", a["limit"]),
            "variance": lambda a: (sp.Limit(a["variance"], a["first"], 0), "=", a["limit variance"]),
            "other variance": lambda a: (sp.Limit(a["other variance"], a["first"], 0), "=", a["other limit variance"]),
            "distance": lambda a: (a["limit"], ">=", sp.Integer(0)),
            "spread": lambda a: (a["limit variance"], ">", sp.Integer(0)),
            "other spread": lambda a: (a["other limit variance"], ">", sp.Integer(0)),
        },
    )


def _from_side(side: str) -> Fact:
    def product(a: Mapping[str, Any]) -> Any:
        return a["X"] * a["Y"] if side == "left" else a["Y"] * a["X"]

    return Fact(
        text=f"The inverse of a matrix that is written as its own transpose, which is square, is one from the {side}.",
        tex=r"Y = Y^{\mathsf T},\ X = Y^{-1} \implies " + ("X Y = I" if side == "left" else "Y X = I"),
        letters=("X", "Y"),
        conditions={"inverse": "X is the inverse of Y"},
        reference="Horn and Johnson, Matrix Analysis, section 0.5",
        instance=lambda a: (product(a), "=", sp.Integer(1)) if is_symmetric(a["Y"]) else NOTHING,
        required={"inverse": lambda a: (a["X"], "=", inverse(a["Y"]))},
    )


def _at_an_image(a: Mapping[str, Any]) -> Instance:
    """Of S that is written as its own transpose; nothing may speak of the vector that is averaged over."""
    u, R, w, S = (a[name] for name in "uRwS")
    spoken = [as_expression(one).free_symbols for one in (u, R, w, S, a["epsilon"])]
    if not is_symmetric(S) or any(z in one for one in spoken):
        return NOTHING
    first, moved = R * transpose(R), u - w + R * z
    exponents = [scalar(transpose(at) * inverse(covariance) * at) for at, covariance in ((R * z, first), (moved, S))]
    loss = (exponents[1] - exponents[0] - sp.log(det(first) / det(S))) / 2
    laws = normal(u, sp.expand(first)), normal(w, sp.expand(S))
    return divergence(*laws, a["epsilon"]), "=", normal_mean(sp.Max(0, 1 - sp.exp(a["epsilon"] - loss)))


OF_RECORDS: Mapping[str, Fact] = {
    "divergence of two normal laws at a draw of one": Fact(
        text="u + R z, z standard normal, is a draw of P = N(u, R R^T), and the divergence of P from Q = N(w, S) is the"
        " expectation of max(0, 1 - e^{eps - L}), L = log p/q at that draw.",
        tex=r"\delta_{P,Q}(\varepsilon) = \mathbb{E} \max(0, 1 - e^{\varepsilon - L}),\quad"
        r" L = \log\tfrac{p}{q}(u + R z),\ P = \mathcal{N}(u, R R^{\mathsf T}),\ Q = \mathcal{N}(w, S)",
        letters=("u", "R", "w", "S", "epsilon"),
        conditions={"first": "R R^T is positive definite", "second": "S is positive definite"},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorems 1.2.6 and 1.2.9, and p - e^eps q = p"
        " (1 - e^{eps - L})",
        instance=_at_an_image,
        assumed={
            "first": lambda a: positive_definite(a["R"] * transpose(a["R"])),
            "second": lambda a: positive_definite(a["S"]),
        },
    ),
    "independent noise on both of two normal laws": Fact(
        text="Independent normal noise of one covariance N, added to a draw of either of two normal laws, raises no"
        " divergence: y^T N y >= 0 for every vector y.",
        tex=r"\delta_{\mathcal{N}(m, A + N), \mathcal{N}(m', B + N)}(\varepsilon) \le \delta_{\mathcal{N}(m, A),"
        r" \mathcal{N}(m', B)}(\varepsilon)",
        letters=("mean", "covariance", "other mean", "other covariance", "noise", "epsilon"),
        conditions={"form": "y^T N y >= 0, y any vector", "symmetric": "N is symmetric"},
        reference="Anderson, An Introduction to Multivariate Statistical Analysis, Theorem 2.4.4; data processing:"
        " Dwork and Roth (2014), Proposition 2.1",
        instance=lambda a: (
            divergence(
                normal(a["mean"], a["covariance"] + a["noise"]),
                normal(a["other mean"], a["other covariance"] + a["noise"]),
                a["epsilon"],
            ),
            "<=",
            divergence(
                normal(a["mean"], a["covariance"]), normal(a["other mean"], a["other covariance"]), a["epsilon"]
            ),
        ),
        required={"form": _form, "symmetric": lambda a: (transpose(a["noise"]), "=", a["noise"])},
    ),
    "two normal laws that differ along one vector": _differ(exchanged=False),
    "two normal laws that differ along one vector, exchanged": _differ(exchanged=True),
    "a limit of normal pairs": _limit(exchanged=False),
    "a limit of normal pairs, exchanged": _limit(exchanged=True),
    "an inverse from one side": Fact(
        text="Where Y is written as its own transpose, and so is square, a matrix X with X Y = I is its inverse.",
        tex=r"Y = Y^{\mathsf T},\ X Y = I \implies Y^{-1} = X",
        letters=("X", "Y"),
        conditions={"product": "X Y = I"},
        reference="Horn and Johnson, Matrix Analysis, section 0.5",
        instance=lambda a: (inverse(a["Y"]), "=", a["X"]) if is_symmetric(a["Y"]) else NOTHING,
        required={"product": lambda a: (a["X"] * a["Y"], "=", sp.Integer(1))},
    ),
    **{f"an inverse from the {side}": _from_side(side) for side in ("left", "right")},
    "a symmetric inverse": Fact(
        text="The inverse of a matrix that is written as its own transpose is symmetric.",
        tex=r"Y = Y^{\mathsf T},\ X Y = I \implies X^{\mathsf T} = X",
        letters=("X", "Y"),
        conditions={"product": "X Y = I"},
        reference="Horn and Johnson, Matrix Analysis, section 0.5",
        instance=lambda a: (transpose(a["X"]), "=", a["X"]) if is_symmetric(a["Y"]) else NOTHING,
        required={"product": lambda a: (a["X"] * a["Y"], "=", sp.Integer(1))},
    ),
    "no vector but 0 goes to 0 alone": Fact(
        text="Where Y X = I, X v is 0 for v = 0 alone.",
        tex=r"Y X = I,\ |v|^2 > 0 \implies |X v|^2 > 0",
        letters=("X", "Y", "v", "image^T"),
        conditions={"product": "Y X = I", "vector": "v is not 0", "transpose": "the image's transpose"},
        reference="Horn and Johnson, Matrix Analysis, section 0.5",
        instance=lambda a: (scalar(a["image^T"] * a["X"] * a["v"]), ">", sp.Integer(0)),
        required={
            "product": lambda a: (a["Y"] * a["X"], "=", sp.Integer(1)),
            "vector": lambda a: (scalar(transpose(a["v"]) * a["v"]), ">", sp.Integer(0)),
            "transpose": lambda a: (transpose(a["X"] * a["v"]), "=", a["image^T"]),
        },
    ),
    "a falling function, coordinate by coordinate": Fact(
        text="Where f falls, no coordinate of a vector moves the same way as what f makes of it.",
        tex=r"f' \le 0 \implies (a - b)^{\mathsf T} (f(a) - f(b)) \le 0",
        letters=("f", "argument", "a", "b"),
        conditions={"falls": "the slope is not positive"},
        reference="mean value theorem, in every coordinate: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        continuous=smooth(),
        instance=_falling,
        required={"falls": lambda a: (sp.Derivative(a["f"], a["argument"]), "<=", sp.Integer(0))},
    ),
}
