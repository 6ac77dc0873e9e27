"""Generalized chi-square tails by Ruben's series, with `rays` where the series does not serve (mpmath)."""

from __future__ import annotations

import mpmath

from ndis_verify.oracle.engine.rays import Law, cdf_and_sf

MAX_SERIES = 800


def lower_probability(law: Law, x: mpmath.mpf, digits: int) -> mpmath.mpf:
    """Pr[X <= x] to about `digits` relative digits: Gaussian tail, Ruben's series, or a ray integral."""
    if not law.weights and law.variance:
        return mpmath.erfc((law.shift - x) / mpmath.sqrt(2 * law.variance)) / 2
    if law.weights and law.variance == 0:
        if all(w > 0 for w in law.weights):
            value = _series(law, x - law.shift, digits, upper=False)
        elif all(w < 0 for w in law.weights):
            value = _series(law.negated(), law.shift - x, digits, upper=True)
        else:
            value = None
        if value is not None:
            return value
    return cdf_and_sf(law, x, digits)[0]


def _series(law: Law, t: mpmath.mpf, digits: int, upper: bool) -> mpmath.mpf | None:
    """Ruben: sum_i w_i chi'^2(k_i, nc_i), w_i > 0, is beta chi^2_{K + 2 N} with Pr[N = n] = c_n >= 0, beta = min w_i.

    Pr[<= t], or Pr[> t] if `upper`; None where `MAX_SERIES` terms leave more than 10^-digits of the value.
    """
    if t <= 0:
        return mpmath.mpf(1 if upper else 0)
    beta = min(law.weights)
    half, y = mpmath.mpf(sum(law.dofs)) / 2, t / (2 * beta)
    goal = mpmath.mpf(10) ** (-digits)
    size = 50
    mixing = _Mixing(law, beta)
    while size <= MAX_SERIES:
        chances = mixing.first(size)
        missing = max(1 - mpmath.fsum(chances), mpmath.mpf(10) ** (-mpmath.mp.dps))
        tails = (_rising if upper else _falling)(half, y, size)
        total = mpmath.fdot(zip(chances, tails, strict=False))
        if missing * (1 if upper else tails[-1]) <= goal * total:
            return total
        size *= 2
    return None


class _Mixing:
    """The probabilities c_n by n c_n = sum_{r < n} g_{n-r} c_r, kept so that more can be asked for."""

    def __init__(self, law: Law, beta: mpmath.mpf):
        self._parts = [(1 - beta / w, mpmath.mpf(k) / 2, beta * nc / (2 * w)) for w, k, nc in law.parts()]
        log_first = mpmath.fsum(mpmath.log(beta / w) * k - nc for w, k, nc in law.parts()) / 2
        self._chances: list[mpmath.mpf] = [mpmath.exp(log_first)]
        self._g: list[mpmath.mpf] = []
        self._powers = [mpmath.mpf(1)] * len(self._parts)

    def first(self, size: int) -> list[mpmath.mpf]:
        while len(self._chances) < size:
            n = len(self._chances)
            self._g.append(
                mpmath.fsum(
                    power * (half * ratio + n * pull)
                    for power, (ratio, half, pull) in zip(self._powers, self._parts, strict=True)
                )
            )
            self._powers = [power * ratio for power, (ratio, _, _) in zip(self._powers, self._parts, strict=True)]
            self._chances.append(mpmath.fdot(zip(reversed(self._g), self._chances, strict=True)) / n)
        return self._chances[:size]


def _falling(half: mpmath.mpf, y: mpmath.mpf, size: int) -> list[mpmath.mpf]:
    """P(half + n, y), n = 0..size, from the largest n down: every step adds."""
    values = [mpmath.gammainc(half + size, 0, y, regularized=True)]
    step = mpmath.exp((half + size) * mpmath.log(y) - y - mpmath.loggamma(half + size + 1))
    for n in reversed(range(size)):
        step *= (half + n + 1) / y
        values.append(values[-1] + step)
    return values[::-1]


def _rising(half: mpmath.mpf, y: mpmath.mpf, size: int) -> list[mpmath.mpf]:
    """Q(half + n, y), n = 0..size, upwards: every step adds."""
    values = [mpmath.gammainc(half, y, mpmath.inf, regularized=True)]
    step = mpmath.exp(half * mpmath.log(y) - y - mpmath.loggamma(half + 1))
    for n in range(size):
        values.append(values[-1] + step)
        step *= y / (half + n + 1)
    return values
