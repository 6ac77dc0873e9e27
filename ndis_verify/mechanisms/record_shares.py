"""What single records are worth to a least-squares solution: leverages in B and in [B b] beside a ridge, in floats and
in balls.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from itertools import chain

import flint
import numpy as np
import scipy

from ndis_verify.exact_number import InputError

_BITS = 192  # of the first attempt
_WANTED = 60  # bits of p, of q and of 1 - q
FULL = 2.0**-31  # 1 - q below it is taken for 0: the curves promise little there
_MOST_BITS = 2**14
_LAW = flint.arb(2) ** -200
_TINY = np.finfo(float).tiny


class RecordShares:
    """(p, q) of the records of `base`, an n x (d+1) matrix [B b], and of those of `additions` once they have come in:
    h/(1 + h).

    All entries are meant exactly. Places count the records of the base first, then the additions.
    """

    def __init__(self, base: np.ndarray, additions: np.ndarray):
        self.base, self.additions = base, additions
        self.count = len(base) + len(additions)

    def rough(self, ridge: float) -> tuple[np.ndarray, np.ndarray, float]:
        """p and q of all records in floats, one factorisation, and a bound on their errors: inf where there is none.

        Columns are scaled to unit norm; `8 max(n, d) 2^-52` times the condition that is left, as in
        `neighbourhood_leverage`.
        """
        n, width = self.base.shape
        whole = np.vstack([self.base, math.sqrt(ridge) * np.eye(width)])
        scale = np.abs(whole).max(axis=0, initial=0.0)
        if len(whole) < width or not (scale > _TINY).all():
            return np.zeros(self.count), np.ones(self.count), math.inf
        whole = whole / scale
        norms = np.linalg.norm(whole, axis=0)
        triangle = np.linalg.qr(whole / norms, mode="r")
        values = np.linalg.svd(triangle, compute_uv=False)
        error = 8 * max(n, width) * np.finfo(float).eps * values[0] / max(values[-1], _TINY)
        if not error < 1:
            return np.zeros(self.count), np.ones(self.count), math.inf
        with np.errstate(all="ignore"):
            wanted = np.vstack([self.base, self.additions]) / scale / norms
            squares = scipy.linalg.solve_triangular(triangle, wanted.T, trans="T", check_finite=False) ** 2
            p, q = squares[:-1].sum(axis=0), squares.sum(axis=0)
            p[n:], q[n:] = p[n:] / (1 + p[n:]), q[n:] / (1 + q[n:])
        return np.minimum(p, q), np.minimum(q, 1.0), error if np.isfinite(q).all() else math.inf

    def exact(self, ridge: float, places: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """p and q at some places, right to the last place; q = 1 where 1 - q < 2^-31. None where the Gram matrix is
        singular.
        """
        before, bits = flint.ctx.prec, _BITS
        p, q, left = np.empty(places.size), np.empty(places.size), np.arange(places.size)
        try:
            while left.size:
                flint.ctx.prec = bits
                found = self._in_balls(ridge, places[left])
                if found is None and ridge == 0 and self._gram.rank() < self._gram.nrows():
                    return None
                done = np.zeros(left.size, dtype=bool)
                for k, (small, large, rest) in enumerate(found or ()):
                    p[left[k]], q[left[k]] = float(small.mid()), float(large.mid())
                    full = bool(rest < FULL)
                    if full:
                        q[left[k]] = 1.0
                    done[k] = full or min(ball.rel_accuracy_bits() for ball in (small, large, rest)) >= _WANTED
                left, bits = left[~done], 2 * bits
        finally:
            flint.ctx.prec = before
        return np.minimum(p, q), q

    def normal_law(self, ridge: float, r: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean and covariance of N(x_opt, (|w|^2/r)(B^T B)^{-1}) of the base above the ridge, as Fractions: right to
        2^-200 standard deviations and to 2^-200 of a product of two of them. Raises `InputError` where B lacks full
        column rank or the residual w is 0.
        """
        before, bits = flint.ctx.prec, _BITS
        try:
            while bits <= _MOST_BITS:
                bits *= 2
                flint.ctx.prec = bits
                law = self._law_in_balls(ridge, r)
                if law is not None:
                    return law
        finally:
            flint.ctx.prec = before
        raise InputError("data", f"shape {self.base.shape}", "must have full column rank, and a residual that is not 0")

    def _law_in_balls(self, ridge: float, r: int) -> tuple[np.ndarray, np.ndarray] | None:
        """That at the precision that is set; None where it does not do."""
        gram, d = self._ridged(ridge), self.base.shape[1] - 1
        try:
            inverse = flint.arb_mat([[gram[i, j] for j in range(d)] for i in range(d)]).inv()
        except ZeroDivisionError:
            return None
        mean = inverse * flint.arb_mat([[gram[i, d]] for i in range(d)])
        level = (gram[d, d] - sum((gram[i, d] * mean[i, 0] for i in range(d)), flint.arb(0))) / r
        if not level > 0 or not all(inverse[i, i] > 0 for i in range(d)):
            return None
        cov, std = level * inverse, [(level * inverse[i, i]).sqrt() for i in range(d)]
        if not all(cov[i, j].rad() < _LAW * std[i] * std[j] for i in range(d) for j in range(d)):
            return None
        if not all(mean[i, 0].rad() < _LAW * std[i] for i in range(d)):
            return None
        entries = {(i, j): _fraction(cov[i, j]) for i in range(d) for j in range(i + 1)}
        covariance = [[entries[max(i, j), min(i, j)] for j in range(d)] for i in range(d)]
        return _objects([_fraction(mean[i, 0]) for i in range(d)], (d,)), _objects(
            list(chain.from_iterable(covariance)), (d, d)
        )

    @cached_property
    def _integers(self) -> tuple[list[list[int]], int]:
        """All records as integers times 2^exponent."""
        mantissa, exponent = np.frexp(np.vstack([self.base, self.additions]))
        least = int(exponent[mantissa != 0].min()) if mantissa.any() else 0
        whole, up = np.ldexp(mantissa, 53).astype(np.int64).tolist(), np.maximum(exponent - least, 0).tolist()
        return [[value << shift for value, shift in zip(*pair)] for pair in zip(whole, up)], least - 53

    @cached_property
    def _gram(self) -> flint.fmpz_mat:
        width, n = self.base.shape[1], len(self.base)
        if not n:
            return flint.fmpz_mat(width, width)
        rows = flint.fmpz_mat(self._integers[0][:n])
        return rows.transpose() * rows

    def _ridged(self, ridge: float) -> flint.arb_mat:
        """The Gram matrix and the ridge, in the unit of the integers: leverages, x_opt and (|w|^2/r)(B^T B)^{-1} have
        none.
        """
        gram, level = flint.arb_mat(self._gram), flint.arb(ridge) * flint.arb(2) ** (-2 * self._integers[1])
        for k in range(self.base.shape[1]):
            gram[k, k] += level
        return gram

    def _in_balls(self, ridge: float, places: np.ndarray) -> list[tuple[flint.arb, flint.arb, flint.arb]] | None:
        """(p, q, 1 - q) at the precision that is set; None where that does not prove the Gram matrix regular."""
        rows, gram = self._integers[0], self._ridged(ridge)
        width, n = self.base.shape[1], len(self.base)
        chosen = [rows[place] for place in places.tolist()]
        products = []
        for size in (width - 1, width):
            part = flint.arb_mat([[gram[i, j] for j in range(size)] for i in range(size)])
            columns = flint.arb_mat([[row[j] for row in chosen] for j in range(size)])
            try:
                solution = part.solve(columns)
            except ZeroDivisionError:
                return None
            products.append(
                [sum((columns[j, k] * solution[j, k] for j in range(size)), flint.arb(0)) for k in range(places.size)]
            )
        result = []
        for place, small, large in zip(places.tolist(), *products):
            result.append(
                (small, large, 1 - large) if place < n else (small / (1 + small), large / (1 + large), 1 / (1 + large))
            )
        return result


def _fraction(ball: flint.arb) -> Fraction:
    """The middle of a ball."""
    mantissa, exponent = ball.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _objects(entries: list[Fraction], shape: tuple[int, ...]) -> np.ndarray:
    result = np.empty(len(entries), dtype=object)
    result[:] = entries
    return result.reshape(shape)
