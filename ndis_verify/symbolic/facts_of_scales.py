"""Standard facts about two centred normal laws of which one is scaled: the loss and its density, slopes.

`P(s)` stands for a law that depends on s; `rate` is the slope in s from the right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.fact import Fact, Instance, constant
from ndis_verify.symbolic.normal_coordinates import entry, total_of, z
from ndis_verify.symbolic.notation import (
    average,
    centred_first,
    centred_second,
    divergence,
    rate,
    scaled,
    stretched,
    unscaled,
    x,
)
from ndis_verify.symbolic.scaled_laws import (
    at_least_0,
    below_edge,
    counts_of,
    drawn_loss,
    form_under,
    law_of_statistic,
    level_of_shares,
    linear_slope,
    nearby,
    none_at_1,
    own_variance,
    parts_of,
    same_loss,
    variance_of,
)
from ndis_verify.symbolic.special_functions import phi
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.zero import as_expression

_zero = sp.Integer(0)
_LOSS = ("P", "Q", "variance", "statistic", "share")
_SPOKEN_LOSS = (
    "W is the sum over independent coordinates of what the statistic is of one, the level that of the shares, and"
    " 2 log p/q is W less the level"
)


def _spectrum(exchanged: bool) -> Fact:
    """Two centred normal laws in coordinates in which the second is standard; exchanged: it comes first."""
    order = -1 if exchanged else 1

    def instance(a: Mapping[str, Any]) -> Instance:
        there = (centred_first(a["lam"], a["m"]), centred_second(a["lam"], a["m"]))[::order]
        here = (scaled(a["lam"], a["m"], 0), unscaled(a["m"]))[::order]
        return divergence(*there, a["epsilon"]), "=", divergence(*here, a["epsilon"])

    return Fact(
        text="Where S2^{-1/2} S1 S2^{-1/2} has each eigenvalue lambda_i >= 1 m_i times, S2^{-1/2} and a rotation take"
        " N(0, S1) to independent coordinates of variances lambda_i, m_i of each, and N(0, S2) to the standard normal"
        " law. An invertible map changes no divergence"
        + (", of the second law from the first here." if exchanged else "."),
        tex=r"U^{\mathsf T} S_2^{-1/2} S_1 S_2^{-1/2} U = \Lambda \implies "
        + (
            r"\delta_{Q,P} = \delta(\mathcal{N}(0, I), \mathcal{N}(0, \Lambda))"
            if exchanged
            else r"\delta_{P,Q} = \delta(\mathcal{N}(0, \Lambda), \mathcal{N}(0, I))"
        ),
        letters=("lam", "m", "epsilon"),
        conditions={"least": "lambda_i >= 1", "counts": "each stands at least once"},
        reference="Horn and Johnson, Matrix Analysis, Theorem 2.5.6; a bijection changes no divergence",
        instance=instance,
        required={
            "least": lambda a: (entry(a["lam"]), ">=", sp.Integer(1)),
            "counts": lambda a: (entry(a["m"]), ">=", sp.Integer(1)),
        },
    )


def upper(f: Any, argument: Any, edge: Any) -> Any:
    """The integral of f beyond the edge."""
    return sp.Integral(f, (argument, edge, sp.oo))


def other_upper(f: Any, argument: Any, edge: Any, level: Any) -> Any:
    """That of e^{-(w - level)/2} f: of the density of the statistic under the other law."""
    return sp.exp(level / 2) * upper(sp.exp(-argument / 2) * f, argument, edge)


_AFFINE = {  # conditions of the letters of `_LOSS` and the level
    "variance": "the variance of one coordinate of the scaled law",
    "loss": "twice the loss of one coordinate is its statistic less its share",
    "level": "the level is the sum of the shares",
}
_AFFINELY: Mapping[str, Callable[[Mapping[str, Any]], Instance]] = {
    "variance": own_variance,
    "loss": same_loss,
    "level": level_of_shares,
}


def _at_edge(a: Mapping[str, Any], exchanged: bool) -> Instance:
    """The divergence by the density f of W under P, beyond the edge or, exchanged, below it."""
    weight, f, w = sp.exp(a["epsilon"]), a["f"], a["argument"]
    edge = a["level"] - 2 * a["epsilon"] if exchanged else a["level"] + 2 * a["epsilon"]
    own, other = upper(f, w, edge), other_upper(f, w, edge, a["level"])
    if exchanged:
        return divergence(a["Q"], a["P"], a["epsilon"]), "=", (1 - other) - weight * (1 - own)
    return divergence(a["P"], a["Q"], a["epsilon"]), "=", own - weight * other


def _by_density(exchanged: bool) -> Fact:
    """The divergence of P from Q where the loss is (W - level)/2; exchanged: that of Q from P."""

    def instance(a: Mapping[str, Any]) -> Instance:
        return _at_edge(a, exchanged)

    return Fact(
        text=f"Where {_SPOKEN_LOSS}, and W has the density f under P, it has e^{{(level - w)/2}} f under Q, and "
        + (
            "q > e^eps p where W < level - 2 eps: the divergence of Q from P is Q[W < t] - e^eps P[W < t] there."
            if exchanged
            else "p > e^eps q where W > level + 2 eps: the divergence of P from Q is P[W > t] - e^eps Q[W > t] there."
        ),
        tex=r"\log\tfrac{p}{q} = \tfrac12 (W - \nu) \implies "
        + (
            r"\delta_{Q,P}(\varepsilon) = \Bigl(1 - \int_t^\infty e^{(\nu - w)/2} f\,dw\Bigr)"
            r" - e^{\varepsilon} \Bigl(1 - \int_t^\infty f\,dw\Bigr),\quad t = \nu - 2\varepsilon"
            if exchanged
            else r"\delta_{P,Q}(\varepsilon) = \int_t^\infty f\,dw"
            r" - e^{\varepsilon} \int_t^\infty e^{(\nu - w)/2} f\,dw,\quad t = \nu + 2\varepsilon"
        ),
        letters=(*_LOSS, "epsilon", "level", "f", "argument"),
        conditions={**_AFFINE, "density": "f is the density of W under P"},
        reference="Neyman and Pearson (1933); the density of W under Q: Billingsley, Probability and Measure, Theorems"
        " 16.11 and 16.13",
        instance=instance,
        required={**_AFFINELY, "density": law_of_statistic},
    )


def _envelope(exchanged: bool) -> Fact:
    """The slope in s of the divergence of P(s) from Q; exchanged: of Q from P(s)."""

    def pair(a: Mapping[str, Any]) -> Any:
        return divergence(*((a["Q"], a["P"]) if exchanged else (a["P"], a["Q"])), a["epsilon"])

    def instance(a: Mapping[str, Any]) -> Instance:
        lam, m, s = parts_of(a["P"])
        beside = set().union(*(as_expression(one).free_symbols for one in (lam, m, a["epsilon"])))
        if s != a["s"] or a["r"] == s or {s, a["r"]} & beside:
            raise InputError("P", str(a["P"]), "must be scaled by s, and by nothing else that speaks of s or r")
        flux = a["f"].subs(a["argument"], a["edge"]) * sp.Derivative(a["edge"], a["r"])
        weight = sp.exp(a["epsilon"]) if exchanged else sp.Integer(1)
        return rate(pair(a)), "=", sp.Subs(-weight * flux, a["r"], a["s"])

    def held(a: Mapping[str, Any]) -> Instance:
        edge = a["level"] - 2 * a["epsilon"] if exchanged else a["level"] + 2 * a["epsilon"]
        later = stretched(a["P"], sp.exp((a["s"] - a["r"]) / 2))
        return below_edge(a, later, edge), "=", 1 - upper(a["f"], a["argument"], a["edge"])

    return Fact(
        text="P(r), r >= s near s, has independent centred normal coordinates of variances max(1, lambda_i e^{-r}),"
        " which have a slope in r at s from the right: those of P(s) where these are 1, and e^{s-r} times those where"
        f" they are not. Where {_SPOKEN_LOSS}, and the divergence of "
        + (
            "Q from P(s) is attained at a set S = {W < t}"
            if exchanged
            else "P(s) from Q is attained at a set S = {W > t}"
        )
        + " whose edge has probability 0, its slope from the right is that of "
        + ("-e^eps P(r)[S]" if exchanged else "P(r)[S]")
        + ", S held: the slope of the positive part is dominated by that of the normal densities. Where P(r)[W > t] is"
        " the integral of a density f, continuous at the edge, beyond an edge that moves with r, that slope is"
        " -f times the edge's.",
        tex=r"\frac{d}{ds} \int \max(p_s - e^{\varepsilon} q, 0)\,dx = \int_{\{p_s > e^{\varepsilon} q\}}"
        r" \frac{\partial p_s}{\partial s}\,dx"
        if not exchanged
        else r"\frac{d}{ds} \int \max(q - e^{\varepsilon} p_s, 0)\,dx = -e^{\varepsilon}"
        r" \int_{\{q > e^{\varepsilon} p_s\}} \frac{\partial p_s}{\partial s}\,dx",
        letters=(*_LOSS, "epsilon", "s", "r", "level", "f", "argument", "edge", "inside"),
        conditions={
            **_AFFINE,
            "attained": "the divergence at s is attained at the set",
            "held": "what P(r) gives to it",
            "density": "f is the density of W under P(s), so that it is continuous on the positive numbers",
            "positive": "the edge is positive",
        },
        reference="dominated convergence: Folland, Real Analysis, Theorem 2.27; Milgrom and Segal (2002), Theorem 3;"
        " Rudin, Principles of Mathematical Analysis, Theorem 6.20",
        instance=instance,
        required={
            **_AFFINELY,
            "attained": lambda a: _at_edge(a, exchanged),
            "held": held,
            "density": law_of_statistic,
            "positive": lambda a: (a["edge"].subs(a["r"], a["s"]).subs(a["inside"]), ">", _zero),
        },
    )


def _sign_of_density(a: Mapping[str, Any]) -> Instance:
    """At a place inside: it speaks of what the level is there, and of nothing that may be anything elsewhere."""
    there = a["level"].subs(a["inside"])
    if not (a["at"].free_symbols and a["at"].free_symbols <= there.free_symbols):
        raise InputError("at", str(a["at"]), "must speak of what the level is inside")
    return a["f"].subs(a["argument"], a["at"]), ">", _zero


OF_SCALES: Mapping[str, Fact] = {
    "spectrum of two centred normal laws": _spectrum(exchanged=False),
    "spectrum of two centred normal laws, exchanged": _spectrum(exchanged=True),
    "two centred normal laws exchanged": Fact(
        text="Where S2^{-1/2} S1 S2^{-1/2} has each eigenvalue lambda_i > 0 m_i times, S1^{-1/2} S2 S1^{-1/2} has each"
        " 1/lambda_i as often: N(0, S1) is the second law of such a pair, and N(0, S2) the first.",
        tex=r"\lambda(S_1^{-1/2} S_2 S_1^{-1/2}) = 1/\lambda(S_2^{-1/2} S_1 S_2^{-1/2}) \implies"
        r" \delta_{P,Q}(\lambda, m; \varepsilon) = \delta_{Q',P'}(1/\lambda, m; \varepsilon)",
        letters=("lam", "m", "epsilon"),
        conditions={"positive": "lambda_i > 0", "counts": "each stands at least once"},
        reference="both are those of a pencil: Horn and Johnson, Matrix Analysis, Theorem 7.6.4; a divergence depends"
        " on its two laws alone",
        instance=lambda a: (
            divergence(centred_first(a["lam"], a["m"]), centred_second(a["lam"], a["m"]), a["epsilon"]),
            "=",
            divergence(
                centred_second(1 / entry(a["lam"]), a["m"]), centred_first(1 / entry(a["lam"]), a["m"]), a["epsilon"]
            ),
        ),
        required={
            "positive": lambda a: (entry(a["lam"]), ">", _zero),
            "counts": lambda a: (entry(a["m"]), ">=", sp.Integer(1)),
        },
    ),
    "a product of powers": Fact(
        text="The product over the coordinates of f_i^(c_i), f_i > 0, is the exponential of the sum of c_i log f_i.",
        tex=r"\prod_i f_i^{c_i} = \exp \sum_i c_i \log f_i,\quad f_i > 0",
        letters=("f", "c"),
        conditions={"positive": "f_i > 0"},
        reference="Rudin, Principles of Mathematical Analysis, section 8.6",
        instance=lambda a: (quantity("product", a["f"] ** a["c"]), "=", sp.exp(total_of(a["c"] * sp.log(a["f"])))),
        required={"positive": lambda a: (a["f"], ">", _zero)},
    ),
    "divergence by the density of an affine loss": _by_density(exchanged=False),
    "divergence by the density of an affine loss, exchanged": _by_density(exchanged=True),
    "envelope theorem for the divergence": _envelope(exchanged=False),
    "envelope theorem for the divergence, exchanged": _envelope(exchanged=True),
    "divergence as the mean of a hinge": Fact(
        text="Where P and Q have positive densities p and q, the divergence of P from Q is the expectation under P of"
        " max(0, 1 - e^{eps - L}), L = log p/q.",
        tex=r"\delta_{P,Q}(\varepsilon) = \int \max(p - e^{\varepsilon} q, 0)\,dx"
        r" = \mathbb{E}_P \max(0, 1 - e^{\varepsilon - L}),\quad L = \log\tfrac{p}{q}",
        letters=("P", "Q", "epsilon", "L"),
        conditions={"loss": "L is log p/q at a draw from P"},
        reference="p - e^eps q = p (1 - e^{eps - L}); Bogachev, Measure Theory, Theorem 3.1.1",
        draws=("L",),
        instance=lambda a: (
            divergence(a["P"], a["Q"], a["epsilon"]),
            "=",
            average(sp.Max(0, 1 - sp.exp(a["epsilon"] - a["L"]))),
        ),
        required={"loss": drawn_loss},
    ),
    "moment of an affine loss": Fact(
        text=f"Where {_SPOKEN_LOSS}, and under P, of m_i independent coordinates of each kind, the statistic of one is"
        " a_i z^2, z standard normal, the expectation of e^{sL} at a draw from P is e^{-s level/2} times the product"
        " of those of e^{s a_i z^2/2}, m_i of each.",
        tex=r"\log\tfrac{p}{q} = \tfrac12 (W - \nu) \implies \mathbb{E}_P e^{sL} = e^{-s\nu/2} \prod_i"
        r" \bigl(\mathbb{E} e^{s a_i z^2/2}\bigr)^{m_i}",
        letters=("L", "s", *_LOSS, "level", "weight", "moment"),
        conditions={
            "draw": "L is log p/q at a draw from P",
            **_AFFINE,
            "form": "what the statistic is of one coordinate under P",
            "moment": "the moment is the finite expectation of e^{s a z^2/2}",
            "counts": "each stands at least once",
        },
        reference="expectation of a product of independent variables: Billingsley, Probability and Measure, section 21",
        draws=("L",),
        instance=lambda a: (
            average(sp.exp(a["s"] * a["L"])),
            "=",
            sp.exp(-a["s"] * a["level"] / 2) * quantity("product", a["moment"] ** counts_of(a)),
        ),
        required={
            "draw": drawn_loss,
            **_AFFINELY,
            "form": form_under,
            "moment": lambda a: (
                sp.Integral(sp.exp(a["s"] * a["weight"] * z**2 / 2) * phi(z), (z, -sp.oo, sp.oo)),
                "=",
                a["moment"],
            ),
            "counts": lambda a: (counts_of(a), ">=", sp.Integer(1)),
        },
    ),
    "density of a positive form": Fact(
        text="A sum of a_i z_i^2, z standard normal, all a_i >= 0 and not all 0, has a density that is 0 below 0 and"
        " continuous and positive on (0, oo): it has where shares of the coordinates that are 0 where a_i is 0 come to"
        " more than 0. The statistic is that sum where it is a_i z_i^2 of every coordinate s_i z_i.",
        tex=r"a_i \ge 0,\ a \ne 0 \implies \mathcal{L}\Bigl(\sum_i a_i z_i^2\Bigr) = f,\quad f \text{ continuous on }"
        r" (0, \infty)",
        letters=("P", "variance", "statistic", "weight", "share", "f"),
        conditions={
            "variance": "the variance of one coordinate under P",
            "form": "what the statistic is of one coordinate",
            "sign": "a_i >= 0",
            "some": "the share of a coordinate is 0 where a_i is 0",
        },
        reference="Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, vol. 1, section 18.8; Ruben"
        " (1962)",
        brings=("f",),
        not_negative=("f",),
        instance=law_of_statistic,
        required={
            "variance": lambda a: variance_of(a["P"], a["variance"]),
            "form": form_under,
            "sign": lambda a: (a["weight"], ">=", _zero),
            "some": lambda a: (sp.Subs(a["share"], a["weight"], 0), "=", _zero),
        },
    ),
    "density of a positive form, its sign": Fact(
        text="The density of a sum of a_i z_i^2, z standard normal, all a_i >= 0 and not all 0, is positive on (0,"
        " oo). Not all are 0 where the level, the sum of shares of the coordinates that are 0 where a_i is 0, is"
        " positive: inside.",
        tex=r"a_i \ge 0,\ a \ne 0 \implies f(t) > 0,\quad t > 0",
        letters=(*_LOSS, "weight", "level", "f", "argument", "at", "inside"),
        conditions={
            "density": "f is that density",
            "variance": "the variance of one coordinate under P",
            "form": "what the statistic is of one coordinate",
            "sign": "a_i >= 0",
            "some": "the share of a coordinate is 0 where a_i is 0",
            "level": "the level is the sum of the shares",
            "not all": "the level is positive inside",
            "positive": "the argument is positive",
        },
        reference="a convolution of positive densities: Johnson, Kotz and Balakrishnan, Continuous Univariate"
        " Distributions, vol. 1, section 18.8",
        instance=_sign_of_density,
        required={
            "density": law_of_statistic,
            "variance": lambda a: variance_of(a["P"], a["variance"]),
            "form": form_under,
            "sign": lambda a: (a["weight"], ">=", _zero),
            "some": lambda a: (sp.Subs(a["share"], a["weight"], 0), "=", _zero),
            "level": level_of_shares,
            "not all": lambda a: (a["level"].subs(a["inside"]), ">", _zero),
            "positive": lambda a: (a["at"], ">", _zero),
        },
    ),
    "probability below an edge by a density": Fact(
        text="Where W has the density f under P, P[W < t] is 1 less the integral of f beyond t.",
        tex=r"P[W < t] = 1 - \int_t^\infty f\,dw",
        letters=("P", "statistic", "f", "argument", "edge"),
        conditions={"density": "f is the density of W under P"},
        reference="Billingsley, Probability and Measure, section 20",
        instance=lambda a: (below_edge(a, a["P"], a["edge"]), "=", 1 - upper(a["f"], a["argument"], a["edge"])),
        required={"density": law_of_statistic},
    ),
    "a homogeneous statistic of an image": Fact(
        text="Where W is a sum over the coordinates of a statistic that is 0 of those of variance 1 under P, P' has a"
        " times the other ones, and the statistic of a x_i is c > 0 times that of x_i, P'[W < t] = P[W < t/c].",
        tex=r"W(a x) = c\,W(x) \implies P'[W < t] = P[W < t/c]",
        letters=("P", "excess", "statistic", "a", "c", "t"),
        conditions={
            "variance": "the variance of one coordinate under P, 1 and the excess",
            "others": "the statistic is 0 where it is 1",
            "homogeneous": "the statistic of the images",
            "positive": "c > 0",
        },
        reference="Billingsley, Probability and Measure, section 13: the law of an image",
        instance=lambda a: (
            below_edge(a, stretched(a["P"], constant(a, "a")), a["t"]),
            "=",
            below_edge(a, a["P"], a["t"] / constant(a, "c")),
        ),
        required={
            "variance": lambda a: variance_of(a["P"], 1 + a["excess"]),
            "others": none_at_1,
            "homogeneous": lambda a: (
                a["statistic"].subs(entry(x), a["a"] * entry(x)),
                "=",
                a["c"] * a["statistic"],
            ),
            "positive": lambda a: (a["c"], ">", _zero),
        },
    ),
    "a bounded loss": Fact(
        text=f"Where {_SPOKEN_LOSS}, and -(W - level)/2 is at most eps, q <= e^eps p everywhere, and the divergence of"
        " Q from P is 0.",
        tex=r"\log\tfrac{q}{p} \le \varepsilon \implies \delta_{Q,P}(\varepsilon) = 0",
        letters=(*_LOSS, "epsilon", "level", "value"),
        apart=dict.fromkeys((*_LOSS, "epsilon", "level"), ("value",)),
        conditions={
            **_AFFINE,
            "sign": "the statistic is not negative: the value of W stands for any number >= 0",
            "bounded": "the loss of Q against P is at most eps",
        },
        reference="the integrand of the divergence is 0",
        instance=lambda a: (divergence(a["Q"], a["P"], a["epsilon"]), "=", _zero),
        required={
            **_AFFINELY,
            "sign": lambda a: (a["statistic"], ">=", _zero),
            "bounded": lambda a: ((a["level"] - at_least_0(a["value"])) / 2, "<=", a["epsilon"]),
        },
    ),
    "a divergence is not negative": Fact(
        text="A divergence is at least what it is at the empty set.",
        tex=r"\delta_{P,Q}(\varepsilon) \ge P(\emptyset) - e^{\varepsilon} Q(\emptyset) = 0",
        letters=("P", "Q", "epsilon"),
        conditions={},
        reference="the divergence is the supremum over events",
        instance=lambda a: (divergence(a["P"], a["Q"], a["epsilon"]), ">=", _zero),
    ),
    "nearby variances": Fact(
        text="As the variances max(1, lambda_i e^{-s}) of independent centred normal coordinates are positive and"
        " continuous in s, the total variation distance of P(r) and P(s) tends to 0 as r tends to s: so"
        " divergences of P(s) from one law, and of"
        " that law from P(s), are continuous in s and eps together, as they differ by no more than e^|eps| times that"
        " distance, and in eps by no more than e^eps does.",
        tex=r"\lim_{r \to s} \mathrm{TV}(P(r), P(s)) = 0,\quad |\delta_{P(r),Q}(\varepsilon') -"
        r" \delta_{P(s),Q}(\varepsilon)| \le \mathrm{TV}(P(r), P(s)) + |e^{\varepsilon'} - e^{\varepsilon}|",
        letters=("P", "s", "r"),
        conditions={"variances": "the variances are positive"},
        reference="Scheffe's theorem: Billingsley, Probability and Measure, Theorem 16.12",
        instance=lambda a: nearby(a, a["P"]),
        required={"variances": lambda a: (sp.Max(1, entry(parts_of(a["P"])[0]) * sp.exp(-a["s"])), ">", _zero)},
    ),
    "slopes are linear": Fact(
        text="The slope of a f + b g, a and b whole numbers, is a times that of f and b times that of g.",
        tex=r"\partial (a f + b g) = a\,\partial f + b\,\partial g",
        letters=("terms",),
        conditions={"first": "f has a slope", "second": "g has a slope"},
        reference="Rudin, Principles of Mathematical Analysis, Theorem 5.3",
        instance=linear_slope,
        required={
            name: (lambda k: lambda a: (rate(a["terms"][k][1]), "=", None))(k)
            for k, name in enumerate(("first", "second"))
        },
    ),
    "a divergence of a more spread law": Fact(
        text="Where all lambda_i > 1, m_i >= 1 coordinates of each, the divergence of N(0, diag(lambda)) from N(0, I)"
        " is positive at every eps: log p/q, half the sum of (1 - 1/lambda_i) x_i^2 - log lambda_i, is more than eps"
        " on an open set, far out.",
        tex=r"\lambda_i > 1 \implies \sup_S P(S) - e^{\varepsilon} Q(S) > 0,\quad P = \mathcal{N}(0, \Lambda),\ Q ="
        r" \mathcal{N}(0, I)",
        letters=("lam", "m", "epsilon"),
        conditions={"spread": "lambda_i > 1", "counts": "each stands at least once"},
        reference="the integral of p - e^eps q > 0 over an open set: Rudin, Real and Complex Analysis, Theorem 1.39",
        instance=lambda a: (
            divergence(scaled(a["lam"], a["m"], 0), unscaled(a["m"]), constant(a, "epsilon")),
            ">",
            _zero,
        ),
        required={
            "spread": lambda a: (entry(a["lam"]), ">", sp.Integer(1)),
            "counts": lambda a: (entry(a["m"]), ">=", sp.Integer(1)),
        },
    ),
}
