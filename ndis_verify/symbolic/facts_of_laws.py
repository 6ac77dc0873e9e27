"""Standard facts about pairs of laws: frames, maps, noise, and laws of the solutions of least squares."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic import notation
from ndis_verify.symbolic.fact import NOTHING, Fact, Instance, above_0, any_real
from ndis_verify.symbolic.notation import (
    average,
    divergence,
    fitted,
    law_of,
    normal,
    other_slice,
    products,
    projected,
    refitted,
    reprojected,
    resketched,
    scaled_error,
    sketched,
    slice_of,
    standard_error,
    total,
    x,
)

_SOLUTIONS = {fitted, refitted, sketched, resketched}
_PRODUCTS = ("shift", "first", "second", "other first", "other second", "d", "epsilon")
_SCALES = {"scale": "g_1 > 0", "other scale": "the other g_i > 0"}  # of the coordinates of a frame


def _of_solutions(a: Mapping[str, Any], *names: str) -> list[Any]:
    """Laws of the solutions of least squares at the same p, q, d and r: all on R^d."""
    laws = [a[name] for name in names]
    if any(getattr(one, "func", None) not in _SOLUTIONS or one.args != laws[0].args for one in laws):
        raise InputError(names[0], str(laws), "must be laws of solutions on one space, as the others are")
    return laws


def _by_way(a: Mapping[str, Any]) -> Instance:
    first, third, last = _of_solutions(a, *"PQR")
    there, on = a["a"], a["b"]
    bound = divergence(first, third, there) + sp.exp(there) * divergence(third, last, on)
    return divergence(first, last, there + on), "<=", bound


def _in_either_order(a: Mapping[str, Any]) -> Instance:
    pair = _of_solutions(a, *"PQ")
    return divergence(*pair, sp.Integer(0)), "=", divergence(*pair[::-1], sp.Integer(0))


def _frame(exchanged: bool) -> Fact:
    """An affine map makes products of two normal laws P and Q; exchanged: the divergence is that of Q from P."""

    def instance(a: Mapping[str, Any]) -> Instance:
        first, others = (a["scale"] * a["first"], a["scale"]), (a["other scale"] * a["others"], a["other scale"])
        order = -1 if exchanged else 1
        pair = (a["P"], a["Q"])[::order]
        laws = (*first[::order], *others[::order])
        return divergence(*pair, a["epsilon"]), "=", products(a["scale"] * a["shift"], *laws, a["d"], a["epsilon"])

    return Fact(
        text="Where S1 and S2 are positive definite, an invertible affine map takes N(m1, S1) and N(m2, S2) to products"
        " of normal laws of one coordinate: the second of variances g_i, the first of variances g_i l_i, the l_i the"
        " eigenvalues of S2^{-1/2} S1 S2^{-1/2}, with means that differ by sqrt(g_i) times the shift in units of S2. It"
        " changes no divergence. The first eigenvalue stands once, with all of the shift, the other d-1 times."
        + (" The divergence is that of the second law from the first." if exchanged else ""),
        tex=r"T S_2 T^{\mathsf T} = G,\ T S_1 T^{\mathsf T} = G \Lambda \implies "
        + (r"\delta_{Q,P} = \delta_{TQ,TP}" if exchanged else r"\delta_{P,Q} = \delta_{TP,TQ}"),
        letters=("P", "Q", "epsilon", "shift", "first", "others", "scale", "other scale", "d"),
        conditions={
            "first": "the eigenvalue along the shift is above 0",
            "others": "so are the d-1 others",
            "shift": "the squared shift in units of S2 is not negative",
            **_SCALES,
        },
        reference="Horn and Johnson, Matrix Analysis, Theorem 7.6.4; a bijection changes no divergence",
        instance=instance,
        brings=("P", "Q"),
        required={
            "first": lambda a: (a["first"], ">", sp.Integer(0)),
            "others": lambda a: (a["others"], ">", sp.Integer(0)),
            "shift": lambda a: (a["shift"], ">=", sp.Integer(0)),
            **above_0(*_SCALES),
        },
    )


def _least_squares_frame(exchanged: bool) -> Fact:
    """The same of the two normal laws of least squares, whose spectrum and shift are known."""
    general = _frame(exchanged)

    def instance(a: Mapping[str, Any]) -> Instance:
        at = tuple(a[name] for name in ("p", "q", "d", "r"))
        return general.instance({**a, "P": fitted(*at), "Q": refitted(*at)})

    return Fact(
        text="The normal laws of least squares with d features and r rows, with a record of leverage p in B and q in"
        " [B b] and without it, have in units of the second covariance the eigenvalue (1-p)^2/(1-q) along the shift of"
        " their means, whose square is r p (q-p)/(1-q), and (1-p)/(1-q) d-1 times: N(x, s (B^T B)^{-1}), s = |w|^2/r."
        f" {general.text}",
        tex=r"\lambda_1 = \frac{(1 - p)^2}{1 - q},\ \lambda_2 = \dots = \frac{1 - p}{1 - q},"
        r"\ m^2 = \frac{r p (q - p)}{1 - q}",
        letters=("p", "q", "d", "r", "epsilon", "shift", "first", "others", "scale", "other scale"),
        conditions={
            "first": "the eigenvalue along the shift",
            "others": "the d-1 others",
            "shift": "the squared shift in units of S2",
            **_SCALES,
        },
        reference=f"Sherman and Morrison: Horn and Johnson, Matrix Analysis, section 0.7.4; {general.reference}",
        instance=instance,
        required={
            "first": lambda a: ((1 - a["p"]) ** 2 / (1 - a["q"]), "=", a["first"]),
            "others": lambda a: ((1 - a["p"]) / (1 - a["q"]), "=", a["others"]),
            "shift": lambda a: (a["r"] * a["p"] * (a["q"] - a["p"]) / (1 - a["q"]), "=", a["shift"]),
            **above_0(*_SCALES),
        },
    )


def _one_map(a: Mapping[str, Any]) -> Instance:
    """The images are what one function, of which nothing else is known, makes of both laws."""
    for law in ("P", "Q"):
        image = a[f"image of {law}"]
        known = (
            not isinstance(image, AppliedUndef) or str(image.func) in QUANTITIES or hasattr(notation, str(image.func))
        )
        if known or image.func != a["image of P"].func or image.args != (a[law],):
            raise InputError(f"image of {law}", str(image), "must be what one unknown function makes of the law")
    return (
        divergence(a["image of P"], a["image of Q"], a["epsilon"]),
        "<=",
        divergence(a["P"], a["Q"], a["epsilon"]),
    )


def _errors(without: bool) -> Fact:
    """The solution on a sketch and the normal one of the same records, those with the record or those without it."""
    laws = (resketched, refitted) if without else (sketched, fitted)

    def instance(a: Mapping[str, Any]) -> Instance:
        at = tuple(a[name] for name in ("p", "q", "d", "r"))
        scaled = (scaled_error(a["d"], a["r"]), standard_error(a["d"]))
        return divergence(*(law(*at) for law in laws), a["epsilon"]), "=", divergence(*scaled, a["epsilon"])

    return Fact(
        text="Let B have full column rank, N = B^T B, and w, the residual of b, not be 0. Given X the sketched solution"
        " is normal, of mean x_opt and covariance |w|^2 (X^T X)^{-1}, and X^T X is Wishart: it is x_opt + |w| N^{-1/2}"
        " g/sqrt(c), g standard normal, c chi-square with r - d + 1 degrees of freedom, independent of g. The normal"
        " solution is x_opt + |w| N^{-1/2} g/sqrt(r). One affine bijection takes the first to sqrt(r/c) g, the second"
        " to g, and changes no divergence."
        + (" So it is without the record, of leverages p and q below 1." if without else ""),
        tex=r"\delta(\mathrm{sketched}, \mathrm{normal}) = \delta\left(\sqrt{r/c}\,g, g\right),"
        r"\quad c \sim \chi^2_{r - d + 1}",
        letters=("p", "q", "d", "r", "epsilon"),
        conditions={"low": "p >= 0", "order": "p <= q", "below 1": "q < 1", "features": "d >= 1", "rows": "r >= d"},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorems 3.2.10 and 3.2.12; Kotz and"
        " Nadarajah, Multivariate t Distributions, section 1.2; a bijection changes no divergence",
        instance=instance,
        required={
            "low": lambda a: (a["p"], ">=", sp.Integer(0)),
            "order": lambda a: (a["p"], "<=", a["q"]),
            "below 1": lambda a: (a["q"], "<", sp.Integer(1)),
            "features": lambda a: (a["d"], ">=", sp.Integer(1)),
            "rows": lambda a: (a["r"], ">=", a["d"]),
        },
    )


def _sketch(exchanged: bool) -> Fact:
    """The solution of a sketched system, and the sketch itself; exchanged: the laws without the record first."""
    order = -1 if exchanged else 1

    def instance(a: Mapping[str, Any]) -> Instance:
        p, q, d, r = (a[name] for name in ("p", "q", "d", "r"))
        images, laws = (sketched(p, q, d, r), resketched(p, q, d, r)), (projected(q, r), reprojected(q, r))
        return divergence(*images[::order], a["epsilon"]), "<=", divergence(*laws[::order], a["epsilon"])

    return Fact(
        text="The solution t of least squares on a sketch Pi [B, b] of r >= d rows, A t = c for A = X^T X and c ="
        " X^T y, [X, y] the sketch, is a function of the sketch, one with a record and without it, whose"
        " leverage in [B, b] is q: no divergence grows."
        + (" The law without the record comes first." if exchanged else ""),
        tex=r"t = (X^{\mathsf T} X)^{-1} X^{\mathsf T} y \implies \delta_{\mathrm{sketch}}(p, q, d, r) \le"
        r" \delta_{P,Q}(q, r)",
        letters=("p", "q", "d", "r", "epsilon", "X", "X^T", "y", "t", "A", "c"),
        conditions={"rows": "r >= d", "map": "the gradient X^T (y - X t) is c - A t"},
        reference="data processing: Dwork and Roth (2014), Proposition 2.1",
        instance=instance,
        required={
            "rows": lambda a: (a["r"], ">=", a["d"]),
            "map": lambda a: (a["X^T"] * (a["y"] - a["X"] * a["t"]), "=", a["c"] - a["A"] * a["t"]),
        },
    )


def _normal(a: Mapping[str, Any], whose: str) -> Any:
    return normal(sp.ImmutableMatrix(a[f"{whose}mean"]), sp.ImmutableMatrix(a[f"{whose}covariance"]))


def _in_plane(mean: Any, variance: Any, rest: tuple[Any, Any], along: int) -> Any:
    """The normal law with this mean and variance in the coordinate `along`, and those of `rest` in the other."""
    means, variances = zip(*((mean, variance), rest)[:: -1 if along else 1])
    return normal(sp.ImmutableMatrix(means), sp.ImmutableMatrix(sp.diag(*variances)))


def _image_mean(whose: str, a: Mapping[str, Any]) -> Instance:
    return a["matrix"] * a[f"{whose}mean"], "=", a[f"{whose}image mean"]


def _image_covariance(whose: str, a: Mapping[str, Any]) -> Instance:
    noise = a["s"] * a["n"] * a["n"].T
    return a["matrix"] * a[f"{whose}covariance"] * a["matrix"].T + noise, "=", a[f"{whose}image covariance"]


def _moment(a: Mapping[str, Any]) -> Instance:
    argument, power = any_real(a["argument"]), a["power"]
    if not power.is_Integer or power < 1 or argument in a["density"].free_symbols or argument == a["x"]:
        raise InputError("power", str(power), "must be whole and positive, the argument of the transform its own")
    slope = sp.Subs(sp.Derivative(a["transform"], (argument, power)), argument, 0)
    return sp.Integral(a["x"] ** power * a["density"], (a["x"], -sp.oo, sp.oo)), "=", slope


def _log_moment(a: Mapping[str, Any], k: Any, nu: Any) -> Any:
    """The logarithm of E e^{u w X}, X a noncentral chi-square variable, kappa = 1 - 2wu."""
    return -k * sp.log(a["kappa"]) / 2 + nu * (1 - a["kappa"]) / (2 * a["kappa"])


def _chi_square_sum(a: Mapping[str, Any]) -> Instance:
    degrees = a["k"].is_positive and a["k'"].is_positive
    centres = a["nu"].is_nonnegative and a["nu'"].is_nonnegative
    if not (degrees and centres and a["kappa"].is_positive):
        return NOTHING
    return law_of(a["X"] + a["X'"]), "=", law_of(a["Y"])


OF_LAWS: Mapping[str, Fact] = {
    "a sketched and a normal solution": _errors(without=False),
    "a sketched and a normal solution, without the record": _errors(without=True),
    "a divergence by way of a third law": Fact(
        text="Of laws P, Q and R on one space, P(S) <= e^a Q(S) + delta_{P,Q}(a) and Q(S) <= e^b R(S) + delta_{Q,R}(b)"
        " for every measurable set S: so delta_{P,R}(a + b) <= delta_{P,Q}(a) + e^a delta_{Q,R}(b).",
        tex=r"\delta_{P,R}(a + b) \le \delta_{P,Q}(a) + e^a\,\delta_{Q,R}(b)",
        letters=("P", "Q", "R", "a", "b"),
        conditions={},
        reference="the definition of a supremum (N26-P3)",
        instance=_by_way,
    ),
    "total variation in either order": Fact(
        text="P(S) - Q(S) is Q(S^c) - P(S^c): the supremum over the measurable sets S is one in both orders.",
        tex=r"\delta_{P,Q}(0) = \delta_{Q,P}(0)",
        letters=("P", "Q"),
        conditions={},
        reference="Billingsley, Probability and Measure, section 2: the complement of a measurable set is one",
        instance=_in_either_order,
    ),
    "one frame for two normal laws": _frame(exchanged=False),
    "one frame for two normal laws, exchanged": _frame(exchanged=True),
    "one frame for least squares": _least_squares_frame(exchanged=False),
    "one frame for least squares, exchanged": _least_squares_frame(exchanged=True),
    "a solution is made of its sketch": _sketch(exchanged=False),
    "a solution is made of its sketch, exchanged": _sketch(exchanged=True),
    "noise on both of two products": Fact(
        text="Independent noise, of variances s and s', added to both of two products of normal laws, and a division by"
        " sqrt(g) and sqrt(g'), is one randomised map: no divergence grows.",
        tex=r"\delta_{KP,KQ} \le \delta_{P,Q}",
        letters=(
            *("shift", "first", "second", "other first", "other second", "d", "epsilon"),
            *("noise", "other noise", "g", "other g"),
        ),
        conditions={
            "noise": "the variance s is not negative",
            "other noise": "nor is s'",
            "g": "g > 0",
            "other g": "g' > 0",
        },
        reference="data processing: Dwork and Roth (2014), Proposition 2.1, for every event of the randomised map",
        instance=lambda a: (
            products(
                a["shift"] / a["g"],
                (a["first"] + a["noise"]) / a["g"],
                (a["second"] + a["noise"]) / a["g"],
                (a["other first"] + a["other noise"]) / a["other g"],
                (a["other second"] + a["other noise"]) / a["other g"],
                a["d"],
                a["epsilon"],
            ),
            "<=",
            products(*(a[name] for name in _PRODUCTS)),
        ),
        required={
            "noise": lambda a: (a["noise"], ">=", sp.Integer(0)),
            "other noise": lambda a: (a["other noise"], ">=", sp.Integer(0)),
            **above_0("g", "other g"),
        },
    ),
    "a moment as a slope of the moment generating function": Fact(
        text="Where the density p >= 0 of X has E e^{tX} = M(t) at every real t, the integral of e^{tx} p(x), E X^n is"
        " the n-th derivative of M at 0, n >= 1 whole.",
        tex=r"M(t) = \int e^{t x} p(x)\,dx \implies \int x^n p(x)\,dx = M^{(n)}(0)",
        letters=("density", "x", "power", "argument", "transform"),
        conditions={
            "density": "p is not negative",
            "transform": "what the transform is, at every real t",
        },
        reference="Billingsley, Probability and Measure, section 21, equation (21.23)",
        instance=_moment,
        required={
            "density": lambda a: (a["density"], ">=", sp.Integer(0)),
            "transform": lambda a: (
                sp.Integral(sp.exp(any_real(a["argument"]) * a["x"]) * a["density"], (a["x"], -sp.oo, sp.oo)),
                "=",
                a["transform"],
            ),
        },
    ),
    "noncentral chi-square variables add": Fact(
        text="Where X and X' are independent, w times noncentral chi-square variables with k and k' degrees of freedom"
        " and noncentralities nu and nu', and Y is w times one with k + k' and nu + nu', the moment generating function"
        " of X + X', finite where kappa = 1 - 2wu > 0, is that of Y, and they have one law.",
        tex=r"w \chi'^2_k(\nu) + w \chi'^2_{k'}(\nu') \sim w \chi'^2_{k + k'}(\nu + \nu')",
        letters=("X", "X'", "Y", "kappa", "k", "k'", "nu", "nu'"),
        conditions={"moments": "the logarithms of the moment generating functions add"},
        reference="Billingsley, Probability and Measure, section 30, of moments in Johnson, Kotz and Balakrishnan,"
        " Continuous Univariate Distributions, vol. 2, section 29.3",
        brings=("X", "X'", "Y"),
        instance=_chi_square_sum,
        required={
            "moments": lambda a: (
                _log_moment(a, a["k"], a["nu"]) + _log_moment(a, a["k'"], a["nu'"]),
                "=",
                _log_moment(a, a["k"] + a["k'"], a["nu"] + a["nu'"]),
            )
        },
    ),
    "one law twice": Fact(
        text="The divergence of a law from itself is 0 at every eps >= 0.",
        tex=r"\int \max(p - e^{\varepsilon} p, 0)\,dx = 0",
        letters=("first", "second", "d", "epsilon"),
        conditions={"first": "the one variance is positive", "second": "so is the other", "epsilon": "eps >= 0"},
        reference="the integrand is 0",
        instance=lambda a: (
            products(0, a["first"], a["first"], a["second"], a["second"], a["d"], a["epsilon"]),
            "=",
            sp.Integer(0),
        ),
        required={**above_0("first", "second"), "epsilon": lambda a: (a["epsilon"], ">=", sp.Integer(0))},
    ),
    "one linear map with noise on two normal laws": Fact(
        text="A linear map, with independent normal noise of covariance s n n^T added, makes normal laws of normal"
        " laws, and as it does not see which law it is given it raises no divergence.",
        tex=r"X \mapsto A X + \sqrt{s}\,n\,E:\quad \delta_{TP,TQ}(\varepsilon) \le \delta_{P,Q}(\varepsilon)",
        letters=(
            *("matrix", "s", "n", "epsilon", "mean", "covariance", "image mean", "image covariance"),
            *("other mean", "other covariance", "other image mean", "other image covariance"),
        ),
        conditions={
            "noise": "s >= 0",
            "mean": "the image's mean",
            "covariance": "and its covariance",
            "other mean": "those of the other law's image",
            "other covariance": "likewise",
        },
        reference="Anderson, An Introduction to Multivariate Statistical Analysis, Theorem 2.4.4; data processing:"
        " Dwork and Roth (2014), Proposition 2.1",
        instance=lambda a: (
            divergence(*(_normal(a, f"{name}image ") for name in ("", "other ")), a["epsilon"]),
            "<=",
            divergence(*(_normal(a, name) for name in ("", "other ")), a["epsilon"]),
        ),
        required={
            "noise": lambda a: (a["s"], ">=", sp.Integer(0)),
            **{f"{name}mean": partial(_image_mean, name) for name in ("", "other ")},
            **{f"{name}covariance": partial(_image_covariance, name) for name in ("", "other ")},
        },
    ),
    "slices of two normal laws": Fact(
        text="Of two normal laws in the plane with independent coordinates the divergence is the mean, over the one"
        " coordinate, of the integral over the other of the positive part of A p - B q: A and B are what the one"
        " coordinate contributes, over a reference density, and the constants of the other's normal densities, p and q,"
        " of which only the distance of the means counts.",
        tex=r"\delta_{P,Q}(\varepsilon) = \mathbb{E} \int \max(A\,e^{-(x - m)^2/(2 \lambda)}"
        r" - B\,e^{-x^2/(2 \kappa)}, 0)\,dx",
        letters=("mean", "other mean", "variance", "other variance", "rest", "other rest", "along", "epsilon"),
        apart=dict.fromkeys(("rest", "other rest"), (x,)),
        conditions={
            "variance": "the one variance is positive",
            "other variance": "so is the other",
            "rest": "that of the one coordinate is positive under the first law",
            "other rest": "and under the second",
        },
        reference="densities of products, Tonelli's theorem and translations: Rudin, Real and Complex Analysis,"
        " Theorems 8.8 and 2.20",
        instance=lambda a: (
            divergence(
                _in_plane(a["mean"], a["variance"], a["rest"], a["along"]),
                _in_plane(a["other mean"], a["other variance"], a["other rest"], a["along"]),
                a["epsilon"],
            ),
            "=",
            average(
                total(
                    sp.Max(
                        slice_of(*a["rest"], a["variance"])
                        * sp.exp(-((x - (a["mean"] - a["other mean"])) ** 2) / (2 * a["variance"]))
                        - other_slice(*a["other rest"], a["other variance"], a["epsilon"])
                        * sp.exp(-(x**2) / (2 * a["other variance"])),
                        0,
                    )
                )
            ),
        ),
        required={
            "variance": lambda a: (a["variance"], ">", sp.Integer(0)),
            "other variance": lambda a: (a["other variance"], ">", sp.Integer(0)),
            "rest": lambda a: (a["rest"][1], ">", sp.Integer(0)),
            "other rest": lambda a: (a["other rest"][1], ">", sp.Integer(0)),
        },
    ),
    "data processing": Fact(
        text="One map, randomised or not, that does not see which law it is given, raises no divergence.",
        tex=r"\delta_{KP,KQ}(\varepsilon) \le \delta_{P,Q}(\varepsilon)",
        letters=("P", "Q", "image of P", "image of Q", "epsilon"),
        conditions={},
        reference="Dwork and Roth (2014), Proposition 2.1",
        brings=("image of P", "image of Q"),
        instance=_one_map,
    ),
}
