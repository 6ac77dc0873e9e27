"""A bound on the part of the inverse Laplace integral beyond the last vertex of the path, with its proof.

Setting. `g(s) = exp(-y s + sum_j (p_j s^2 + q_j s)/(2 w_j)) prod_j w_j^{-k_j/2} / (s (s + 1))`, w_j = 1 - s alpha_j
(or over s alone), p_j >= 0. All singularities are real, so any path in the open upper half plane from the
real saddle to infinity gives the same integral as the vertical line, as long as the arc that joins the two ends
at infinity contributes nothing.

Normal form. For alpha != 0 polynomial division gives
`(p s^2 + q s)/(2 w) = -(p/(2 alpha)) s + h (1/w - 1)`, `h = (q/alpha + p/alpha^2)/2`.
With `x = y + sum_{alpha != 0} p/(2 alpha) - sum_{alpha = 0} q/2` and `v = sum_{alpha = 0} p`,
`g(s) = exp(-x s + v s^2/2 + sum_j h_j (1/w_j - 1)) prod_j w_j^{-k_j/2} / (s (s + 1))`, sums over alpha_j != 0.
For a hockey-stick divergence p = q = m^2 and `h = b^2/(2 alpha^2)`; for a generalized chi-square law p = 0 and
h is half the noncentrality. In both h_j >= 0.

The arc. Between a vertical ray and the vertical line lies a strip of finite width, on which |g| tends to 0 like
`exp(-v (Im s)^2/2)` if v > 0 and like |s|^{-1-k/2} otherwise (k >= 1 in all). A horizontal ray is used only if
v = 0, to the side where `Re(x s) >= 0`: between it and the line `|exp(-x s)|` and `exp(h (1/w - 1))` are bounded,
so |g| = O(|s|^{-1-k/2}) on an arc of length O(|s|).

The ray. s(t) = r + t u for t >= 0, u one of i, 1, -1, Im r > 0. Factor by factor, against the value at r:
(a) `|exp(-x s)|` changes by `exp(-t Re(x u))`; a direction with Re(x u) < 0 is rejected.
(b) `|exp(v s^2/2)|`: `Re(s^2) - Re(r^2) = 2 t Re(r u) + t^2 Re(u^2)`. For v > 0 only u = i is used, where this is
    `-2 t Im r - t^2 <= 0`.
(c) `|w|^{-k/2}`: `|s - z|`, z = 1/alpha real, does not decrease once `Re(conj(u) (r - z)) >= 0`. Before that foot of
    the perpendicular, `|s - z| >= |Im(conj(u) (r - z))|`, which costs `(|r - z|/|Im(conj(u) (r - z))|)^{k/2}`.
(d) `exp(h Re(1/w))`: the gain is at most `exp(h (sup_t Re(1/w(t)) - Re(1/w(0))))`, and
    - u = i: Re w is constant and |Im w| grows; if Re w >= 0 the supremum is at t = 0, otherwise it is below 0;
    - u = 1 or -1: Im w is constant and Re w is monotone. If Re w falls and is nonpositive at t = 0 the supremum is
      at most 0. If Re w grows and Re w >= |Im w| at t = 0, `Re w/|w|^2` falls: the supremum is at t = 0. Otherwise
      `Re(1/w) = Re w/|w|^2 <= 1/(2 |Im w|)`.
(e) `1/|s|`: past the foot at 0 (`Re(conj(u) r) >= 0`, else rejected), `|s|^2 >= |r|^2 + t^2`; the same at -1.

Hence the tail is at most |g(r)| times the constants of (c) and (d) times either
- `1/Re(x u)` from (a), or
- with both poles, `int |r| |r + 1| / sqrt((|r|^2 + t^2) (|r + 1|^2 + t^2)) dt <= (pi/2) sqrt(|r| |r + 1|)`
  (Cauchy-Schwarz), or
- with one pole and a factor (c) of z past its foot, `int (A/sqrt(A^2 + t^2)) (B/sqrt(B^2 + t^2))^{k/2} dt` where
  A = |r| and B = |r - z|: with C = max(A, B) it is at most `int (C^2/(C^2 + t^2))^{3/4} dt <= 2.7 C`, as
  `int_0^inf (1 + t^2)^{-3/4} dt = sqrt(pi) Gamma(1/4)/(2 Gamma(3/4)) < 2.63`, or
- with v > 0, `int exp(-v t Im r) dt = 1/(v Im r)` from (b).
Every quantity is evaluated in ball arithmetic and an undecided comparison is taken the unfavourable way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from flint import acb, arb

INFINITE = None


@dataclass(frozen=True)
class Term:
    """One distinct alpha, its multiplicity k, and the coefficients of its exponent (p s^2 + q s)/(2 (1 - s alpha)).

    alpha is exactly zero or a ball free of zero; p >= 0.
    """

    alpha: arb
    multiplicity: int
    p: arb
    q: arb

    @cached_property
    def has_exponent(self) -> bool:
        return not (self.p.is_zero() and self.q.is_zero())

    @cached_property
    def h(self) -> arb:
        return (self.q + self.p / self.alpha) / (2 * self.alpha)


@dataclass(frozen=True)
class Transform:
    """The integrand: linear coefficient y, its terms, the tail's coefficient x, and whether there is a pole at -1.

    `x` is exactly zero or a ball free of zero.
    """

    y: arb
    terms: tuple[Term, ...]
    x: arb
    second_pole: bool

    @cached_property
    def gaussian(self) -> arb:
        """v, the sum of p over alpha = 0."""
        return sum((t.p for t in self.terms if t.alpha.is_zero()), arb(0))

    @cached_property
    def side(self) -> int:
        """The side to which exp(-x s) decays: 1 to the right, -1 to the left, 0 if x is (or may be) zero."""
        return 1 if self.x > 0 else -1 if self.x < 0 else 0


def tail_bound(transform: Transform, r: acb, u: complex | acb) -> arb | None:
    """An upper bound on `int_0^inf |g(r + t u)| dt / |g(r)|` by the proof above; `INFINITE` where it gives none."""
    u = acb(u)
    rate = (transform.x * u).real
    v = transform.gaussian
    if not r.imag > 0 or not rate >= 0 or (not v.is_zero() and not u.real.is_zero()):
        return INFINITE
    poles = [arb(0), arb(-1)] if transform.second_pole else [arb(0)]
    if not all(_past_foot(r, u, z) for z in poles):
        return INFINITE
    constant, spare = arb(1), INFINITE
    for t in transform.terms:
        if t.alpha.is_zero():
            continue
        z = 1 / t.alpha
        if t.multiplicity and not _past_foot(r, u, z):
            foot = abs((u.conjugate() * (r - z)).imag)
            if not foot > 0:
                return INFINITE
            constant *= (abs(r - z) / foot) ** (arb(t.multiplicity) / 2)
        elif t.multiplicity:
            spare = abs(r - z) if spare is INFINITE else _smaller(spare, abs(r - z))
        if t.has_exponent:
            gain = _resolvent_gain(1 - r * t.alpha, -t.alpha * u)
            if gain is INFINITE:
                return INFINITE
            constant *= (t.h.max(arb(0)) * gain).exp()
    lengths = _lengths(transform, r, rate, v, spare)
    if not lengths or not constant.is_finite():
        return INFINITE
    return (constant * min(lengths, key=lambda b: float(b.mid().log()))).upper()


def _lengths(transform: Transform, r: acb, rate: arb, v: arb, spare: arb | None) -> list[arb]:
    found = []
    if rate > 0:
        found.append(1 / rate)
    if v > 0:
        found.append(1 / (v * r.imag))
    if transform.second_pole:
        found.append(arb.pi() / 2 * (abs(r) * abs(r + 1)).sqrt())
    elif spare is not INFINITE:
        found.append(abs(r).max(spare) * 27 / 10)
    return found


def _past_foot(r: acb, u: acb, z: arb) -> bool:
    return bool((u.conjugate() * (r - z)).real >= 0) or bool(u.real.is_zero())


def _resolvent_gain(w: acb, v: acb) -> arb | None:
    """An upper bound on `sup_t Re(1/(w + t v)) - Re(1/w)` over t >= 0, v parallel to one axis."""
    start = (1 / w).real
    if v.real.is_zero():
        return arb(0) if w.real >= 0 else (-start).max(arb(0))
    if v.real < 0 and w.real <= 0:
        return (-start).max(arb(0))
    if v.real > 0 and w.real >= abs(w.imag):
        return arb(0)
    height = abs(w.imag)
    return (1 / (2 * height) - start).max(arb(0)) if height > 0 else INFINITE


def _smaller(a: arb, b: arb) -> arb:
    return a.min(b)
