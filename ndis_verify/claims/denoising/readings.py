"""What the claims about denoised releases say at their points and on their boxes, for a second reader."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.claims.reading import (
    Counter,
    Margin,
    Phi,
    Reading,
    Value,
    density,
    never_above,
    series,
    smallest_std,
)

_RECORDS, _DELTA = 500, sp.Rational(1, 10**4)
_FAR, _STD = sp.Rational(1, 100), sp.Symbol("std_")


def _noise(epsilon: Any) -> dict[str, Any]:
    """The std at sensitivity 1, which is looked for once."""
    return {"std_": smallest_std(epsilon, _DELTA)}


def _variance(d: Any) -> Any:
    return _STD**2 * d / _RECORDS**2


def _classical(d: Any, epsilon: Any) -> Any:
    return 2 * sp.log(sp.Rational(5, 4) / _DELTA) / epsilon**2 * d / _RECORDS**2


def _laplace(d: Any, epsilon: Any) -> Any:
    return 2 * (d / (_RECORDS * epsilon)) ** 2


def _james_stein(d: Any) -> Any:
    """Over the prior N(0, 1) a coordinate: s^2 - (1 - 2/d) s^4/(1 + s^2)."""
    return _variance(d) * (1 - (1 - 2 / d) / (1 + 1 / _variance(d)))


def _soft_over_plain(d: Any) -> Any:
    """E(soft(y) - theta)^2 in units of the noise, theta ~ N(0, prior), y ~ N(theta, 1), v = 1 + prior: the posterior
    variance prior/v, and E(soft(y) - prior y/v)^2, inside the threshold t and beyond.
    """
    prior, t = 1 / _variance(d), sp.sqrt(2 * sp.log(d))
    v = 1 + prior
    a = t / sp.sqrt(v)
    k = a * density(a) + Phi(-a)
    beyond = 2 * k / v - 4 * t * density(a) / sp.sqrt(v) + 2 * t**2 * Phi(-a)
    return prior / v + (prior / v) ** 2 * v * (1 - 2 * k) + beyond


def _soft(d: Any) -> Any:
    return _variance(d) * _soft_over_plain(d)


def _soft_risk(mean: Any, level: Any) -> Any:
    tails = Phi(mean - level) + Phi(-mean - level)
    ends = (level - mean) * density(level + mean) + (level + mean) * density(level - mean)
    return mean**2 - (mean**2 - level**2 - 1) * tails - ends


def _ahead(epsilon: Any, soft: bool) -> Margin:
    """James-Stein (and the soft threshold) over the best of the plain, the classical and the Laplace release."""

    def margin(d: Any) -> Any:
        others = (1, _variance(d) / _classical(d, epsilon), _variance(d) / _laplace(d, epsilon))
        rivals = (_james_stein(d) / _variance(d), *((_soft_over_plain(d),) if soft else ()))
        return sp.Min(*(1 - own * other for own in rivals for other in others))

    return Margin(margin, _noise(epsilon))


def _apart(epsilon: Any, sign: int) -> Margin:
    return Margin(lambda d: sign * (_soft(d) / _james_stein(d) - 1), _noise(epsilon))


def _laplace_leads(epsilon: Any) -> Value:
    def of(d: Any) -> Any:
        rival = sp.Min(_variance(d), _james_stein(d)) if d >= 3 else _variance(d)
        return _laplace(d, epsilon) / rival - 1

    return Value(of, _noise(epsilon))


def _ratio(epsilon: str, d: int, other: str) -> Any:
    size, eps = sp.Integer(d), sp.Rational(epsilon)
    value = {"aGM": _variance(size), "cGM": _classical(size, eps), "Lap": _laplace(size, eps), "TH": _soft(size)}[other]
    return sp.sqrt(value / _james_stein(size)).subs(_STD, _noise(eps)["std_"])


def _likelihood(d: Any, norm_squared: Any, share: Any) -> Any:
    """Its logarithm at S = norm_squared/share."""
    return -d / 2 * sp.log(norm_squared / share) - share / 2


def _every_detail(nodes: Any, size: Any) -> Any:
    level = sp.sqrt(2 * sp.log(nodes))
    return ((nodes - 1) * _soft_risk(size * level, level) + 1) / nodes - 1


def _tall(d: Any, n: Any) -> tuple[Any, str, Any]:
    k = sp.Symbol("k_")
    risk = series(k, 1, d, _soft_risk(sp.floor(n / k) / _STD, sp.sqrt(2 * sp.log(d))))
    return risk / d, "<=", sp.Integer(1)


READINGS: dict[tuple[str, str], Reading] = {
    ("BW-Fig1", "soft threshold worse than the plain release at eps = 1"): Counter(
        lambda d: (_soft_over_plain(d).subs(_STD, smallest_std(1, _DELTA)), "<=", 1)
    ),
    ("BW-Fig1", "both denoised releases beat the other three, eps = 0.01"): _ahead(_FAR, True),
    ("BW-Fig1", "James-Stein beats the other three, eps = 1"): _ahead(sp.Integer(1), False),
    ("BW-Fig1", "the soft threshold behind the classical release, eps = 1"): Margin(
        lambda d: _soft(d) / _classical(d, 1) - 1, _noise(1)
    ),
    ("BW-Fig1", "where Laplace leads, eps = 1"): _laplace_leads(sp.Integer(1)),
    ("BW-Fig1", "where Laplace leads, eps = 0.01"): _laplace_leads(_FAR),
    ("BW-Fig1", "root mean squares over that of James-Stein"): Value(_ratio),
    ("BW-Fig1-high-dimension", "soft threshold ahead at eps = 0.01"): never_above(
        lambda d: 1 - (_soft(d) / _james_stein(d)).subs(_STD, smallest_std(_FAR, _DELTA))
    ),
    ("BW-Fig1-high-dimension", "James-Stein ahead at eps = 1"): _apart(sp.Integer(1), 1),
    ("BW-Fig1-high-dimension", "James-Stein ahead at eps = 0.01 up to d = 32"): _apart(_FAR, 1),
    ("BW-Fig1-high-dimension", "soft threshold ahead at eps = 0.01 from d = 33 on"): _apart(_FAR, -1),
    ("BW-Fig1-high-dimension", "crossing at eps = 0.01 between d = 32 and d = 33"): Value(
        lambda d: _soft(d) / _james_stein(d) - 1, _noise(_FAR)
    ),
    ("BW-Fig2-every-signal", "every detail at twice its threshold"): never_above(_every_detail),
    ("BW-T11", "the likelihood is larger at S = N/d than at S = N/(d-2)"): never_above(
        lambda d, norm_squared: _likelihood(d, norm_squared, d) - _likelihood(d, norm_squared, d - 2)
    ),
    ("BW-T12", "risk at 0 above the factor times the squared radius of a small ball"): never_above(
        lambda d, radius: d * _soft_risk(0, sp.sqrt(2 * sp.log(d))) - (1 + 2 * sp.log(d)) * radius**2
    ),
    ("BW-B", "soft threshold worse on a tall power law"): Counter(
        _tall, where={"std_": smallest_std(1, sp.Rational(1, 10**6))}
    ),
}
