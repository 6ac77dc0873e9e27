"""Standard facts about independent normal coordinates, and about laws on finitely many points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.fact import Fact, Instance, above_0, any_real, by_coordinates, undrawn
from ndis_verify.symbolic.normal_coordinates import at_normal, density, entry, total_of, z
from ndis_verify.symbolic.notation import divergence, largest, law, normal, normal_chance, normal_mean, total, where, x
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity


def _gap(a: Mapping[str, Any], std: str, other_std: str) -> Any:
    """p - e^eps q of independent normal coordinates."""
    first, second = density(a["mean"], a[std]), density(a["other mean"], a[other_std])
    return largest(first - sp.exp(a["epsilon"]) * second)


def _not_negative(name: str) -> Callable[[Mapping[str, Any]], Instance]:
    return lambda a: (a[name], ">=", sp.Integer(0))


def _noisier(noisy: str, std: str) -> Callable[[Mapping[str, Any]], Instance]:
    return lambda a: (a[noisy] ** 2, "=", a[std] ** 2 + a["noise"])


def _on_line(mean: Any, variance: Any) -> Any:
    """The normal law on the line."""
    return normal(sp.ImmutableMatrix([[mean]]), sp.ImmutableMatrix([[variance]]))


def _between_on_line(a: Mapping[str, Any], shift: Any = 0) -> Any:
    """The divergence of the two laws on the line that the letters name, `shift` added to both means."""
    first, second = _on_line(a["mean"] + shift, a["variance"]), _on_line(a["other mean"] + shift, a["other variance"])
    return divergence(first, second, a["epsilon"])


def _gap_on_line(a: Mapping[str, Any]) -> Any:
    """p - e^eps q of two normal laws on the line, the mean of q at 0."""
    near, far = a["variance"], a["other variance"]
    first = sp.exp(-((x - (a["mean"] - a["other mean"])) ** 2) / (2 * near)) / sp.sqrt(2 * sp.pi * near)
    return first - sp.exp(a["epsilon"]) * sp.exp(-(x**2) / (2 * far)) / sp.sqrt(2 * sp.pi * far)


def _of_one_mean(*, exchanged: bool) -> Fact:
    """The divergence of the first law from the second, as that of P from Q or, exchanged, of Q from P."""
    near, far = ("other std", "std") if exchanged else ("std", "other std")
    head, pair = ("centred_reverse", "Q,P") if exchanged else ("centred", "P,Q")
    ratio, shown = ("s'_i^2/s_i^2", r"s_i'^2/s_i^2") if exchanged else ("s_i^2/s'_i^2", r"s_i^2/s_i'^2")
    return Fact(
        text="Independent normal coordinates of one mean m_i and standard deviations s_i, or s'_i, are as far apart as"
        " centred ones, since a translation changes no divergence: as N(0, S1) and N(0, S2) where"
        f" S2^{{-1/2}} S1 S2^{{-1/2}} has the eigenvalues {ratio}, one for each coordinate"
        f"{', the second law first' if exchanged else ''}.",
        tex=r"\sup_A \int_A (p_{m,s} - e^{\varepsilon} p_{m,s'})\,dx"
        rf" = \delta_{{{pair}}}(\lambda, 1; \varepsilon),\quad \lambda_i = {shown}",
        letters=("mean", "std", "other std", "epsilon"),
        conditions={"std": "s_i > 0", "other std": "s'_i > 0"},
        reference="Anderson, An Introduction to Multivariate Statistical Analysis, section 2.3: the density of N(m, S);"
        " translations: Rudin, Real and Complex Analysis, Theorem 2.20",
        instance=lambda a: (
            _gap({**a, "other mean": a["mean"]}, "std", "other std"),
            "=",
            quantity(head, a[near] ** 2 / a[far] ** 2, sp.Integer(1), a["epsilon"]),
        ),
        required=above_0("std", "other std"),
    )


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
            normal_mean(at_normal(by_coordinates(undrawn(a, "f", "mean", "std"), "f"), a["mean"], a["std"])),
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
            normal_chance(at_normal(by_coordinates(undrawn(a, "f", "mean", "std"), "f"), a["mean"], a["std"])),
        ),
        required={"positive": lambda a: (a["std"], ">", sp.Integer(0))},
    ),
    "noise on independent normal coordinates": Fact(
        text="Independent normal noise, of variance n_i in coordinate i, added to both of two laws of independent"
        " normal coordinates, is one randomised map: no divergence grows. The variances s_i^2 become s_i^2 + n_i.",
        tex=r"t_i^2 = s_i^2 + n_i,\ t_i'^2 = s_i'^2 + n_i \implies \delta_{\mathcal{N}(m, t^2), \mathcal{N}(m', t'^2)}"
        r"(\varepsilon) \le \delta_{\mathcal{N}(m, s^2), \mathcal{N}(m', s'^2)}(\varepsilon)",
        letters=("mean", "other mean", "std", "other std", "noise", "noisy", "other noisy", "epsilon"),
        conditions={
            "noise": "n_i >= 0",
            "std": "s_i > 0",
            "other std": "s'_i > 0",
            "noisy": "t_i > 0",
            "other noisy": "t'_i > 0",
            "variance": "t_i^2 = s_i^2 + n_i",
            "other variance": "t'_i^2 = s'_i^2 + n_i",
        },
        reference="Anderson, An Introduction to Multivariate Statistical Analysis, Theorem 2.4.4; data processing:"
        " Dwork and Roth (2014), Proposition 2.1",
        instance=lambda a: (_gap(a, "noisy", "other noisy"), "<=", _gap(a, "std", "other std")),
        required={
            "noise": lambda a: (a["noise"], ">=", sp.Integer(0)),
            **above_0("std", "other std", "noisy", "other noisy"),
            "variance": _noisier("noisy", "std"),
            "other variance": _noisier("other noisy", "other std"),
        },
    ),
    "normal coordinates of one covariance": Fact(
        text="Independent normal coordinates of standard deviations s_i and means m_i, or m'_i, are N(m, S) and"
        " N(m', S), S = diag(s_i^2) positive definite, and ||S^{-1/2} (m - m')||^2 = sum_i ((m_i - m'_i)/s_i)^2.",
        tex=r"\sup_A \int_A (p_{m,s} - e^{\varepsilon} p_{m',s})\,dx"
        r" = \delta_{\mathrm{shift}}\Bigl(\bigl(\sum_i ((m_i - m_i')/s_i)^2\bigr)^{1/2}; \varepsilon\Bigr)",
        letters=("mean", "other mean", "std", "epsilon"),
        conditions={"std": "s_i > 0"},
        reference="Anderson, An Introduction to Multivariate Statistical Analysis, section 2.3: the density of N(m, S)",
        instance=lambda a: (
            _gap(a, "std", "std"),
            "=",
            quantity("mean_shift", sp.sqrt(total_of((a["mean"] - a["other mean"]) ** 2 / a["std"] ** 2)), a["epsilon"]),
        ),
        required=above_0("std"),
    ),
    "normal coordinates of one mean": _of_one_mean(exchanged=False),
    "normal coordinates of one mean, exchanged": _of_one_mean(exchanged=True),
    "a normal sum below a level": Fact(
        text="A sum of b_i z_i, z standard normal and not every b_i 0, is normal with mean 0 and variance sum_i b_i^2.",
        tex=r"\Pr\bigl[\sum_i b_i z_i \le t\bigr] = \Phi\Bigl(t \big/ \sqrt{\sum_i b_i^2}\Bigr)",
        letters=("b", "level"),
        conditions={"spread": "sum_i b_i^2 > 0"},
        reference="Feller, vol. 2, section III.6",
        instance=lambda a: (
            normal_chance(undrawn(a, "b", "level")["level"] - total_of(a["b"] * entry(z))),
            "=",
            Phi(a["level"] / sp.sqrt(total_of(a["b"] ** 2))),
        ),
        required={"spread": lambda a: (total_of(a["b"] ** 2), ">", sp.Integer(0))},
    ),
    "mean of a function of a normal sum": Fact(
        text="A sum of b_i z_i, z standard normal, of variance s^2 = sum_i b_i^2, has the law of s times one of them.",
        tex=r"s^2 = \sum_i b_i^2 \implies \mathbb{E} f\Bigl(\sum_i b_i z_i\Bigr) = \int f(s z)\,\varphi(z)\,dz",
        letters=("f", "argument", "b", "length"),
        conditions={"length": "sum_i b_i^2 = s^2", "sign": "f >= 0"},
        reference="Feller, vol. 2, section III.6",
        instance=lambda a: (
            normal_mean(undrawn(a, "f", "b")["f"].subs(a["argument"], total_of(a["b"] * entry(z)))),
            "=",
            sp.Integral(
                a["f"].subs(any_real(a["argument"]), a["length"] * a["argument"]) * phi(a["argument"]),
                (a["argument"], -sp.oo, sp.oo),
            ),
        ),
        required={
            "length": lambda a: (total_of(a["b"] ** 2), "=", a["length"] ** 2),
            "sign": lambda a: (a["f"], ">=", sp.Integer(0)),
        },
    ),
    "a Euclidean norm and a sum of sizes": Fact(
        text="Of finitely many numbers x_i, m_i >= 1 times each, the root of the sum of squares is at most the sum of"
        " the sizes.",
        tex=r"m_i \ge 1 \implies \Bigl(\sum_i m_i x_i^2\Bigr)^{1/2} \le \sum_i m_i |x_i|",
        letters=("x", "m"),
        conditions={"counts": "m_i >= 1"},
        reference="Hardy, Littlewood and Polya, Inequalities, Theorem 19; m_i <= m_i^2",
        instance=lambda a: (
            sp.sqrt(total_of(a["m"] * a["x"] ** 2)),
            "<=",
            total_of(a["m"] * sp.Abs(a["x"])),
        ),
        required={"counts": lambda a: (a["m"], ">=", sp.Integer(1))},
    ),
    "masses are not negative": Fact(
        text="A law on finitely many points gives none of them a negative probability.",
        tex=r"p_i \ge 0",
        letters=("law",),
        conditions={"law": "it is a law on finitely many points"},
        reference="the definition of a probability measure: Billingsley, Probability and Measure, section 2",
        instance=lambda a: (entry(a["law"]), ">=", sp.Integer(0)),
        assumed={"law": lambda a: law(a["law"])},
    ),
    "one set, by logarithms": Fact(
        text="e^a >= e^b exactly where a >= b, so integrals over the one set are integrals over the other.",
        tex=r"\int_{\{e^a - e^b \ge 0\}} f\,dx = \int_{\{a - b \ge 0\}} f\,dx",
        letters=("f", "a", "b"),
        conditions={"integrable": "f is integrable over the set"},
        reference="Rudin, Principles of Mathematical Analysis, Theorem 8.6",
        instance=lambda a: (
            where(a["f"], sp.exp(a["a"]) - sp.exp(a["b"])),
            "=",
            where(a["f"], a["a"] - a["b"]),
        ),
        finite={"integrable": lambda a: (where(a["f"], a["a"] - a["b"]),)},
    ),
    "divergence of two normal laws on the line": Fact(
        text="The divergence of N(m, l) from N(m', k), l and k positive, is the integral of the positive part of"
        " p - e^eps q, p and q the densities of N(m - m', l) and N(0, k).",
        tex=r"\delta_{P,Q}(\varepsilon) = \int \max\Bigl(\frac{e^{-(x - (m - m'))^2/(2 \lambda)}}{\sqrt{2 \pi \lambda}}"
        r" - e^{\varepsilon} \frac{e^{-x^2/(2 \kappa)}}{\sqrt{2 \pi \kappa}}, 0\Bigr)\,dx",
        letters=("mean", "other mean", "variance", "other variance", "epsilon"),
        conditions={"variance": "the one variance is positive", "other variance": "so is the other"},
        reference="Hahn decomposition: Bogachev, Measure Theory, Theorem 3.1.1; translations: Rudin, Real and Complex"
        " Analysis, Theorem 2.20",
        instance=lambda a: (_between_on_line(a), "=", total(sp.Max(_gap_on_line(a), 0))),
        required=above_0("variance", "other variance"),
    ),
    "a common translation": Fact(
        text="The divergence of two normal laws does not change when one number is added to both of their means.",
        tex=r"\delta(\mathcal{N}(m + a, \lambda), \mathcal{N}(m' + a, \kappa); \varepsilon)"
        r" = \delta(\mathcal{N}(m, \lambda), \mathcal{N}(m', \kappa); \varepsilon)",
        letters=("mean", "other mean", "variance", "other variance", "shift", "epsilon"),
        conditions={"variance": "the one variance is not negative", "other variance": "nor is the other"},
        reference="X to X + a is a bijection, which changes no divergence",
        required={name: _not_negative(name) for name in ("variance", "other variance")},
        instance=lambda a: (_between_on_line(a, a["shift"]), "=", _between_on_line(a)),
    ),
}
