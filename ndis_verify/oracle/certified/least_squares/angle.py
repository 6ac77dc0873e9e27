"""The finite-r law of approximate least squares with r - d odd: what the finite sum of `finite_law` leaves out.

With T = cos(psi)^2, 0 <= psi <= pi/2, k = r - d, S = p/q, C = 1 - S, the law of psi under the larger database has the
density `(2/B((k+1)/2, d/2)) sin(psi)^{d-1} E |A + B xi|^k`, A = sqrt(C) cos(psi), B = sqrt(S) sin(psi), xi a coordinate
of a uniform direction in R^d. For odd k, `|x|^k = x^k + 2 (-x)_+^k`. The first part is a polynomial, hence the finite
sum. The second lives where B > A: with x = A/B, m = (d-1)/2, by the substitution xi = 1 - (1-x) u, `E (B xi - A)_+^k =
B^k (1-x)^{k+m} 2^{m-1} (B(m, k+1)/B(1/2, m)) F((1-x)/2)`, `F(z) = 2F1(1-m, m; m+k+1; z)` (for d = 1 the ratio of beta
functions is 1). In w = cot(psi) = x node, node = sqrt(S/C), h = (r+1)/2, that part is a constant times `int (1 -
w/node)^{k+m} F((1 - w/node)/2) (1 + w^2)^{-h} |1 - R(w)^h| dw`, `1 - R(w) = (b-1) (W - w^2)/((b + w^2) (1 + W))`, b =
1/(1-q), W = tau/(1-tau) at the threshold tau of T: over 0 < w < min(sqrt(W), node), "insert" sqrt(W) < w < node. All
factors are positive and nothing cancels. On a rectangle of complex w each has a bound of its own that is nearly
attained (`_Beyond.bound`), which is what the quadrature needs to be short whatever d, r and p/q are.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import acb, arb, ctx, fmpq

from ndis_verify.oracle.certified.engine.balls import ball, working_bits
from ndis_verify.oracle.certified.engine.integral import integral
from ndis_verify.oracle.least_squares.asymptotic_law import Record

_EVALUATIONS = 6000, 300  # at most: these, and as many for each digit; several times what any record needed
_SCOUTS = range(-8, 9)


def angle_integral(record: Record, epsilon: Fraction, excess: arb, digits: int, floor: arb) -> arb:
    """The part of the divergence beyond the finite sum; r - d odd, 0 < p < q.

    `excess`: the largest loss less epsilon, positive, to the current precision. The integral is pursued to `digits`
    relative digits or to the absolute error `floor`, whichever is easier; the radius returned is what was proved.
    """
    d, r, deleted = record.d, record.r, record.direction == "delete"
    k, edge = r - d, excess * 2 / (r + 1)
    # W = (1 - e)/(e - (1-q)), e = 1 - q tau = exp(-edge), "insert" (1-q) exp(edge)
    gap = -(-edge).expm1() if deleted else ball(record.q) - ball(1 - record.q) * edge.expm1()
    square = gap / (ball(record.q) - gap if deleted else ball(1 - record.q) * edge.expm1())
    if not square > 0:
        return arb("nan")
    with working_bits(ctx.prec + d + r.bit_length()):  # F loses up to 0.8 d bits, a power of order r log2(r)
        constant = angle_constant(d, k) * ball(record.p / record.q) ** (arb(k) / 2)
        constant *= arb(1) if deleted else ball(epsilon).exp()
        return constant * _Beyond(record, square).integral(digits, floor / constant)


def angle_constant(d: int, k: int) -> arb:
    """Twice 2/B((k+1)/2, d/2) times the constant of the second part."""
    half, m = arb(fmpq(1, 2)), arb(d - 1) / 2
    ratio = _beta_function(m, arb(k + 1)) / _beta_function(half, m) if d > 1 else arb(1)
    return 2 * arb(2) ** m * ratio / _beta_function(half * (k + 1), half * d)


def angle_series(d: int, k: int, z: arb) -> arb:
    """F(z) = 2F1(1-m, m; m+k+1; z), m = (d-1)/2, 0 <= z <= 1/2, by its power series.

    From the term j + 1 >= m on their ratios are positive and below z: what is left out is at most the last term, twice
    that with z rounded.
    """
    term = total = arb(1)
    last = arb(2) ** -ctx.prec
    for j in range(ctx.prec + d):
        term = term * z * ((2 * j + 3 - d) * (2 * j + d - 1)) / (2 * (2 * (j + k) + d + 1) * (j + 1))
        total += term
        if term == 0 or (2 * j > d and j % 4 == 0 and abs(term) < last * abs(total)):
            break
    return total + arb(0, (2 * abs(term)).upper())


class _Beyond:
    """The integral over w without its constant."""

    def __init__(self, record: Record, square: arb):
        p, q, self.d, r, direction = record
        self.k, self.deleted = r - self.d, direction == "delete"
        self.m, self.h = arb(self.d - 1) / 2, arb(r + 1) / 2
        self.power = self.k + self.m
        self.node, self.root = ball(p / (q - p)).sqrt(), square.sqrt()
        self.pole = 1 / ball(1 - q)
        self.drop = ball(q / (1 - q)) / (1 + square)
        self.tilt = (self.pole + square) / (1 + square)  # R(w) = tilt (1 + w^2)/(b + w^2)

    def integral(self, digits: int, floor: arb) -> arb:
        low, high = (arb(0), self.root.min(self.node)) if self.deleted else (self.root, self.node)
        if low >= high:
            return arb(0)
        start, end = low.mid(), high.mid()
        tolerance = floor.max(self._size(start, end) * arb(10) ** -digits) if start < end else floor
        if self.d % 2 or (self.deleted and not self.node < self.root):
            return _quadrature(self.value, self.bound, low, high, digits, tolerance)
        # next to the node 1 - w/node = u^2, of which everything is an analytic function for even d too
        middle = ((start + end) / 2).mid()
        plain = _quadrature(self.value, self.bound, low, middle, digits, tolerance)
        return plain + _quadrature(
            self.folded_value, self.folded_bound, arb(0), (1 - middle / self.node).sqrt(), digits, tolerance
        )

    def _size(self, start: arb, end: arb) -> arb:
        """About the integral: the largest of a few values times their distance from the start. It has no part in what
        is proved.
        """
        rate = (
            self.power / (self.node - start)
            + self.h.sqrt() / (1 + start * start).sqrt()
            + 2 * self.h * start / (1 + start * start)
        )
        steps = [arb(2) ** i / rate for i in _SCOUTS]
        found = [self.value((start + step).mid()) * step for step in (*steps, (end - start) / 2) if start + step < end]
        return max((value.mid() for value in found if value.is_finite()), default=arb(0))

    def value(self, w: arb, left: arb | None = None) -> arb:
        """The integrand at 0 < w < node; left = 1 - w/node."""
        left, square = 1 - w / self.node if left is None else left, w * w
        lost = (-self.drop * (self.root - w) * (self.root + w) / (self.pole + square)).log1p()
        kept = (-self.h * square.log1p()).exp()
        return left**self.power * angle_series(self.d, self.k, left / 2) * kept * abs((self.h * lost).expm1())

    def folded_value(self, u: arb) -> arb:
        """The integrand in u, 1 - w/node = u^2."""
        return 2 * self.node * u * self.value(self.node * (1 - u * u), u * u)

    def bound(self, w: acb, analytic: bool = False) -> arb:
        """An upper bound of the integrand's modulus on the rectangle w and its mirror image in the real axis; nan where
        there is none.

        `analytic`: nan also where the integrand is not. F and the powers have cuts beyond w = +-node for even d, from
        +-i and +-i sqrt(b) on.
        """
        if analytic and self.d % 2 == 0 and not (w.real < self.node and -w.real < self.node):
            return arb("nan")
        left, right = (w.real.lower() / self.node).lower(), (w.real.upper() / self.node).upper()
        up = (abs(w.imag).upper() / self.node) ** 2
        return self._bound(w, _root(((1 - left) ** 2).max((1 - right) ** 2) + up))

    def folded_bound(self, u: acb, analytic: bool = False) -> arb:
        """`bound` for the integrand in u: only F has a cut, from u^2 = 2 on."""
        size = abs(u).upper()
        if analytic and not size < 1:
            return arb("nan")
        return (2 * self.node * size * self._bound(self.node * (1 - u * u), size * size)).upper()

    def _bound(self, w: acb, reach: arb) -> arb:
        """`bound` from one of |1 - w/node|.

        |1 - zu| <= 1 - u + u |1-z| in Euler's integral gives |F(z)| <= F(1 - |1-z|) for d > 2, |1 - zu| >= 1 - |z| for
        d = 2 |F| <= (1-|z|)^{-1/2}. |1 - R^h| is at most 1 + |R|^h, and h |1 - R| max(1, |R|)^{h-1} as the integral of
        h R^{h-1} along a straight line.
        """
        low, high, tall = w.real.lower(), w.real.upper(), abs(w.imag).upper() ** 2
        least = low.max(arb(0)) ** 2
        if not 1 + least > tall:
            return arb("nan")
        across = _root(((1 + low / self.node) ** 2).max((1 + high / self.node) ** 2) + tall / self.node**2) / 2
        one, base = _modulus(arb(1), least, tall), _modulus(self.pole, least, tall)
        kept, tilted = (-self.h * one.log()).exp(), (self.h * (self.tilt / base).log()).exp()
        gap = _root(((self.root - low) ** 2).max((self.root - high) ** 2) + tall) * _root(
            (self.root + high) ** 2 + tall
        )
        linear = self.h * self.drop * gap / base * kept.max(tilted * base / (self.tilt * one))
        return (reach**self.power * self._series_bound(reach, across) * (kept + tilted).min(linear)).upper()

    def _series_bound(self, reach: arb, across: arb) -> arb:
        """A bound of |F(z)| from bounds of |2z| and |1-z|."""
        if self.d == 1:
            return arb(1)
        if self.d == 2:
            return (1 - reach / 2).rsqrt() if reach < 2 else arb("nan")
        if across < 1:
            return angle_series(self.d, self.k, (1 - across).min(arb(fmpq(1, 2))).lower())
        return across.max(arb(1)) ** (self.m - 1)


def _quadrature(
    value: Callable[[arb], arb], bound: Callable[[acb, bool], arb], low: arb, high: arb, digits: int, absolute: arb
) -> arb:
    """The integral from low to high of a function with values at points and bounds on rectangles; to `digits` or an
    absolute error.
    """

    def integrand(x: acb, analytic: bool) -> acb:
        if x.imag.is_zero() and x.real.rel_accuracy_bits() > ctx.prec // 2:
            return acb(value(x.real))
        most = bound(x, analytic)
        return acb(arb(0, most), arb(0, most))

    start, end, total = low.mid(), high.mid(), arb(0)
    if start < end:
        most, limit = arb(10) ** -digits, _EVALUATIONS[0] + _EVALUATIONS[1] * digits
        total = integral(integrand, acb(start), acb(end), rel_tol=most, abs_tol=absolute.mid(), eval_limit=limit).real
    # what lies between the ends and their midpoints
    return total + sum(
        (arb(0, (bound(acb(place), False) * place.rad()).upper()) for place in (low, high) if not place.is_exact()),
        arb(0),
    )


def _modulus(a: arb, least: arb, tall: arb) -> arb:
    """A lower bound of |a + w^2|, its square a^2 + 2a (X-Y) + (X+Y)^2, over (Re w)^2 = X >= `least`, (Im w)^2 = Y <=
    `tall`.
    """
    tall = tall.min((a - least).max(arb(0)))
    return ((a + least - tall) ** 2 + 4 * least * tall).sqrt().lower()


def _root(x: arb) -> arb:
    return x.upper().sqrt().upper()


def _beta_function(a: arb, b: arb) -> arb:
    return (a.lgamma() + b.lgamma() - (a + b).lgamma()).exp()
