"""Auditing DP-SGD: what two steps of a training show (KM-Alg4), and what the shape of losses says of a trade-off curve
(KM-Fig10).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held

start, rate, std, chance, spread = sp.symbols("t h s q v", positive=True)
noise = sp.symbols("z1 z2", real=True)
more_noise = sp.symbols("y1 y2", real=True)
drawn = sp.symbols("b1 b2", nonnegative=True)
zero = sp.Integer(0)


def _mean(expression: Any) -> sp.Expr:
    """Mean of a polynomial in independent variables: the noises standard normal, `drawn` 1 with probability q and 0
    otherwise.
    """
    normal, total = (*noise, *more_noise), zero
    for powers, coefficient in sp.Poly(sp.expand(expression), *normal, *drawn).terms():
        of_noise, of_draws = powers[: len(normal)], powers[len(normal) :]
        if not any(power % 2 for power in of_noise):
            total += (
                coefficient
                * sp.prod([sp.factorial2(power - 1) for power in of_noise if power])
                * chance ** sum(power > 0 for power in of_draws)
            )
    return sp.expand(total)


def _cov(one: Any, other: Any) -> sp.Expr:
    return sp.expand(_mean(one * other) - _mean(one) * _mean(other))


def _written_cov(one: Any, other: Any) -> sp.Expr:
    """The mean of the product less the product of the means, which stands as it is."""
    return _mean(one * other) - held(_mean(one)) * held(_mean(other))


@cache
def white_box_rows() -> Derivation:
    """Cov(O[1], O[2]) = -h s^2 without the canary; with it 0 as printed, -h (s^2 + q (1 - q)) in a run on the larger
    data set (KM-Alg4).

    One record of loss theta^2/2 in one dimension, drawn in every step, nothing clipped; canary gradient 1, drawn with
    probability q; learning rate `rate` = h, noise of standard deviation `std` = s. `number`: Cov(O[1], O[2]).
    """
    first, first_with = start + std * noise[0], start + std * more_noise[0] + drawn[0]
    moved, own = start - rate * first, start - rate * first_with
    second, second_with, second_own = (
        moved + std * noise[1],
        moved + std * more_noise[1] + drawn[1],
        own + std * more_noise[1] + drawn[1],
    )
    theta = sp.Symbol("theta", real=True)
    at_theta, at_theta_with = theta + std * noise[1], theta + std * more_noise[1] + drawn[1]
    coins = chance * (1 - chance)
    determinant = lambda a, b: sp.expand(_cov(a, a) * _cov(b, b) - _cov(a, b) ** 2)  # noqa: E731
    steps = (
        Step(
            "the two sums",
            "An example: one record of loss theta^2/2, drawn in every step, nothing clipped; z1, z2, y1, y2 are"
            " independent, standard normal; b1, b2 independent of them and of each other, 1 with probability q and 0"
            " otherwise. The gradient is theta. O[1] = t + s z1 and O'[1] = t + s y1 + b1 at theta = t; only the first"
            " moves theta: theta = t - h O[1].",
            kind="definition",
        ),
        Step(
            "one step, given theta: means",
            "They differ by what the canary adds.",
            lhs=held(_mean(at_theta_with)) - held(_mean(at_theta)),
            rhs=chance,
            premises=("the two sums",),
        ),
        Step(
            "one step, given theta: variances",
            "Those of one step's pair.",
            lhs=_cov(at_theta_with, at_theta_with) - _cov(at_theta, at_theta),
            rhs=coins,
            premises=("the two sums",),
        ),
        Step(
            "row with canary, as printed",
            "y1 and b1 never reach theta.",
            lhs=_written_cov(first_with, second_with),
            rhs=zero,
            premises=("the two sums",),
        ),
        Step(
            "row with canary, on its own path",
            "theta = t - h O'[1].",
            lhs=_cov(first_with, second_own),
            rhs=-rate * (std**2 + coins),
            premises=("the two sums",),
        ),
        Step(
            "row without canary",
            "A run of the mechanism on the smaller data set.",
            lhs=_written_cov(first, second),
            rhs=-rate * std**2,
            premises=("the two sums",),
        ),
        Step(
            "no canary",
            "At q = 0 both data sets are the same; a run on either has Cov -h s^2.",
            lhs=sp.Subs(_cov(first_with, second_own), chance, 0),
            rhs=-rate * std**2,
            premises=("the two sums", "row with canary, on its own path"),
        ),
        Step(
            "no canary: determinants",
            "Those of the two rows as printed, both normal with equal means and variances: their laws differ.",
            lhs=sp.Subs(determinant(first_with, second_with), chance, 0) - determinant(first, second),
            rhs=rate**2 * std**4,
            premises=("the two sums", "row with canary, as printed", "row without canary"),
        ),
    )
    return Derivation(
        id="dp_sgd.white_box_rows",
        title="Two steps of white-box auditing as printed",
        sources=("KM-Alg4",),
        hypotheses=(),
        steps=steps,
        result_step="row without canary",
        symbols={"rate": rate, "std": std},
        faults=(
            Fault("rows with canary move the parameters", "row with canary, as printed", lambda rhs: -rate * std**2),
            Fault("own path without the canary's part", "row with canary, on its own path", lambda rhs: -rate * std**2),
            Fault("one determinant for both", "no canary: determinants", lambda rhs: zero),
            Fault("parameters that stay", "row without canary", lambda rhs: zero),
            Fault("a canary that adds no variance", "one step, given theta: variances", lambda rhs: zero),
        ),
        concludes=tuple(
            Conclusion("KM-Alg4", step, part=part)
            for step, part in (
                ("one step, given theta: means", "one step shows what the canary adds to its mean"),
                ("one step, given theta: variances", "and to its variance"),
                ("no canary", "a row with canary is a run on the larger data set on its own path alone"),
                ("no canary: determinants", "as printed a row with canary is no run on the larger data set"),
            )
        ),
    )


@cache
def loss_shape() -> Derivation:
    """Losses e^{sX}, X normal of variance 1: skewness (w + 2) sqrt(w - 1), w = e^{s^2}, whatever the mean; every
    threshold has the mu of X (KM-Fig10).

    `number`: that skewness at `std` = s.
    """
    x, mean, cut, size = (
        sp.Symbol("x", real=True),
        sp.Symbol("m", real=True),
        sp.Symbol("c", real=True),
        sp.Symbol("a", positive=True),
    )
    order, growth = sp.Symbol("k", positive=True), 1 + spread
    with_record, without = sp.symbols("P Q", real=True)  # laws
    moment = lambda k: size**k * growth ** (sp.Integer(k) ** 2 / 2)  # noqa: E731
    density = sp.exp(-((x - mean) ** 2) / 2) / sp.sqrt(2 * sp.pi)
    centred = [
        sp.expand(sum(sp.binomial(n, k) * moment(k) * (-moment(1)) ** (n - k) for k in range(n + 1))) for n in range(5)
    ]
    variance = size**2 * growth * spread
    skewness = (spread + 3) * sp.sqrt(spread)
    steps = (
        Step(
            "losses",
            "An example: losses e^{sX}, X ~ N(m, 1) with the record, N(0, 1) without.",
            kind="definition",
        ),
        Step(
            "moments: exponent",
            "E e^{k s X} with X = m + k s + x, x standard normal under the tilted law.",
            lhs=order * std * held(x + mean + order * std) - held(x + order * std) ** 2 / 2,
            rhs=order * std * mean + order**2 * std**2 / 2 - x**2 / 2,
            premises=("losses",),
        ),
        Step(
            "moments",
            "So E e^{k s X} = a^k w^{k^2/2} with a = e^{s m}, w = 1 + v; the density integrates to 1:",
            lhs=sp.Integral(density, (x, -sp.oo, sp.oo)),
            rhs=sp.Integer(1),
            reduce=lambda left, right: left.doit() - right,
            premises=("moments: exponent",),
        ),
        Step(
            "variance",
            "The mean is a sqrt(w).",
            lhs=sp.expand(centred[2]),
            rhs=variance,
            premises=("moments",),
        ),
        Step(
            "third central moment",
            "Over variance^{3/2}: the skewness has no a in it.",
            lhs=centred[3],
            rhs=skewness * variance * size * sp.sqrt(growth) * sp.sqrt(spread),
            premises=("moments", "variance"),
        ),
        Step(
            "fourth central moment",
            "Excess kurtosis w^4 + 2 w^3 + 3 w^2 - 6.",
            lhs=centred[4],
            rhs=(growth**4 + 2 * growth**3 + 3 * growth**2 - 3) * variance**2,
            premises=("moments", "variance"),
        ),
        Step(
            "thresholds",
            "The test loss > e^{s c} is X > c: quantiles of its errors 1 - Phi(c), Phi(c - m).",
            lhs=cut - held(cut - mean),
            rhs=mean,
            premises=("losses",),
        ),
        by_fact(
            "histograms",
            "Masses in bins of the losses are masses in bins of X: their curve is nowhere below that of X.",
            "data processing",
            {
                "P": with_record,
                "Q": without,
                "image of P": sp.Function("binned")(with_record),
                "image of Q": sp.Function("binned")(without),
                "epsilon": sp.Symbol("epsilon", real=True),
            },
            {},
        ),
        Step(
            "skewness",
            "w = e^{s^2}.",
            lhs=sp.Subs(skewness, spread, sp.exp(std**2) - 1),
            rhs=(sp.exp(std**2) + 2) * sp.sqrt(sp.exp(std**2) - 1),
            premises=("third central moment",),
        ),
    )
    return Derivation(
        id="dp_sgd.loss_shape",
        title="Skewed losses with the trade-off curve of normal ones",
        sources=("KM-Fig8", "KM-Fig10"),
        hypotheses=(),
        steps=steps,
        result_step="skewness",
        symbols={"std": std},
        faults=(
            Fault("skewness that moves with the mean", "third central moment", lambda rhs: rhs * size),
            Fault("mu times s", "thresholds", lambda rhs: rhs * std),
            Fault("kurtosis not in excess", "fourth central moment", lambda rhs: rhs + 3 * variance**2),
            Fault("root forgotten", "skewness", lambda rhs: (sp.exp(std**2) + 2) * (sp.exp(std**2) - 1)),
        ),
        concludes=tuple(
            Conclusion("KM-Fig10", step, part=part)
            for step, part in (
                ("skewness", "the shape of losses does not tell the curves apart: their skewness, whatever the mean"),
                ("fourth central moment", "their kurtosis, whatever the mean"),
                ("thresholds", "every threshold has one mu"),
                ("histograms", "no histogram's curve is below"),
            )
        ),
    )
