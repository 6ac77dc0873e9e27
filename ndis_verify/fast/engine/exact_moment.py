"""log E_P e^{sL} at real s from the inputs themselves, in arithmetic wide enough for any float64 use of it.

With S1, S2 the covariances and H = (1 + s) S2 - s S1 positive definite,
`log E_P e^{sL} = -(s/2) log(det S1/det S2) - (1/2) log(det H/det S2) + (s (s+1)/2) dmu^T H^{-1} dmu` (N26-L1):
no eigenvalue has to be known, and coordinates in which the two laws agree need no care.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.fast.engine.fixed_point import BITS, difference, exponents, factors, fixed, solved


@dataclass(frozen=True, eq=False)
class Inputs:
    """What spectra were rounded from: covariances p, q of shape (n, 1 or d) or (n, d, d), means (n, d), of P and Q.

    Arrays of floats or Fractions, meant exactly; n is the number of pairs, or 1 for an array that they share. `copies`:
    how many independent copies of each pair are meant.
    """

    p: np.ndarray
    q: np.ndarray
    mean_p: np.ndarray
    mean_q: np.ndarray
    copies: int = 1
    _known: dict[int, Any] = field(default_factory=dict, repr=False)

    @property
    def dense(self) -> bool:
        return self.p.ndim == 3

    @property
    def size(self) -> int:
        """n."""
        return max(part.shape[0] for part in (self.p, self.q, self.mean_p, self.mean_q))

    def swapped(self) -> Inputs:
        """Those of the pairs (Q, P)."""
        return Inputs(self.q, self.p, self.mean_q, self.mean_p, self.copies)

    def rows(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """p, q, mean_p, mean_q of some pairs."""
        parts = (self.p, self.q, self.mean_p, self.mean_q)
        return tuple(part[index if part.shape[0] > 1 else np.zeros_like(index)] for part in parts)

    def of(self, index: np.ndarray) -> Inputs:
        """Those of some pairs."""
        return Inputs(*self.rows(index), self.copies)

    def log_moment(self, row: int, exponent: int) -> mpmath.mpf | None:
        """log E_P e^{sL} at s = 2^exponent of pair `row`; None where it is infinite. Call in `BITS` bits."""
        one = self._log_moment_of_one(row, exponent)
        return None if one is None else self.copies * one

    def _log_moment_of_one(self, row: int, exponent: int) -> mpmath.mpf | None:
        p, q, mean_p, mean_q = (part[0] for part in self.rows(np.array([row])))
        if not self.dense:
            if row not in self._known:
                self._known[row] = _grouped(*(_numbers(part, mean_p.size) for part in (p, q, mean_p, mean_q)))
            log_ratio, groups = self._known[row]
            return diagonal_log_moment(log_ratio, groups, exponent)
        scale = exponents(q)
        first, second, shift = fixed(p, scale), fixed(q, scale), difference(mean_p, mean_q, scale)
        if row not in self._known:
            forms = [found for matrix in (first, second) if (found := _log_and_form(matrix, shift)) is not None]
            if len(forms) < 2:  # `fixed` has rounded an eigenvalue to 0
                raise InputError(
                    "cov_p, cov_q", "a dense pair", f"must have eigenvalues within a factor of 2^{BITS} of each other"
                )
            self._known[row] = tuple(log for log, _ in forms)
        log_first, log_second = self._known[row]
        # H / s
        mixed = _log_and_form(second - first + (second >> exponent if exponent >= 0 else second << -exponent), shift)
        if mixed is None:
            return None
        s = mpmath.ldexp(1, exponent)
        log_mixed = mixed[0] + shift.size * exponent * mpmath.ln2
        return ((s + 1) * mixed[1] - s * (log_first - log_second) - (log_mixed - log_second)) / 2


def diagonal_log_moment(log_ratio: Any, groups: Sequence[tuple[int, Any, Any]], exponent: int) -> mpmath.mpf | None:
    """The same from log det(S1)/det(S2) and (multiplicity, alpha = lambda - 1, m^2) of every eigenvalue lambda."""
    s, product, terms = mpmath.ldexp(1, exponent), mpmath.mpf(1), []
    for count, alpha, squared in groups:
        factor = 1 - s * alpha
        if factor <= 0:
            return None
        product *= factor**count
        if squared:
            terms.append(squared / factor)
    return (s * (s + 1) * mpmath.fsum(terms) - s * log_ratio - mpmath.log(product)) / 2


def _grouped(p: list, q: list, mean_p: list, mean_q: list) -> tuple[Any, list[tuple[int, Any, Any]]]:
    """Diagonal covariances as `diagonal_log_moment` wants them."""
    totals: dict[tuple[Any, Any], list[Any]] = {}
    for first, second, left, right in zip(p, q, mean_p, mean_q):
        total = totals.setdefault((first, second), [0, mpmath.mpf(0)])
        total[0] += 1
        total[1] += (left - right) ** 2
    ratio = mpmath.fprod((a / b) ** k for (a, b), (k, _) in totals.items())
    return mpmath.log(ratio), [(k, (a - b) / b, squared / b) for (a, b), (k, squared) in totals.items()]


def _numbers(part: np.ndarray, size: int) -> list[mpmath.mpf]:
    """An input of one pair, spread over its coordinates."""
    return [to_mpf(v if isinstance(v, Fraction) else exact(float(v))) for v in np.broadcast_to(part, size)]


def _log_and_form(matrix: np.ndarray, vector: np.ndarray) -> tuple[mpmath.mpf, mpmath.mpf] | None:
    """log det M and v^T M^{-1} v in fixed point; None if M is not positive definite."""
    found = factors(matrix)
    if found is None:
        return None
    lower, pivots = found
    form = sum(value * value // pivot for value, pivot in zip(solved(lower, vector).tolist(), pivots))
    log = mpmath.log(mpmath.fprod(pivots)) - len(pivots) * BITS * mpmath.ln2
    return log, mpmath.ldexp(mpmath.mpf(form), -BITS)
