"""`D^T G + sqrt(ridge) H`, G and H of independent standard normals, each entry rounded exactly to a public grid.

Float64 sums come first, with an a-priori bound on all that they may have lost: products of panels of rows err by at
most `R u/(1 - R u)` of the products of column norms, whatever the order of summation and with or without fused
operations, u = 2^-53 and R the rows of a panel; panels are added with what each addition loses. An entry whose grid
point that leaves open is summed again in whole numbers, with more digits of the same normals, until it is settled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import flint
import numpy as np

from ndis_verify.mechanisms.exact import grid
from ndis_verify.mechanisms.exact.grid import Release, multiple, nearest, require_arithmetic
from ndis_verify.mechanisms.exact.noise import normal_ball
from ndis_verify.mechanisms.exact.normals import LARGEST_SLOPE, PANEL, PLACES, Normals, standard_normals
from ndis_verify.mechanisms.exact.stream import Stream

_UNIT = 2.0**-53
_DIGITS = (0, 64, 192, 448, 1024, 2048, 4096)  # more digits of the normals, attempt by attempt


def project(records: np.ndarray, ridge: float, r: int, stream: Stream, exponent: int) -> Release:
    """The d x r matrix on the multiples of 2^exponent. records: n x d, at most 1e140 in size, and ridge:
    meant exactly.
    """
    require_arithmetic()
    draw = _Draw(records, ridge, r, stream)
    sums, error = draw.float_sums()
    # A number of 2^52 units and more has no fraction in float64, or no units: its bound alone leaves it open.
    with np.errstate(invalid="ignore", over="ignore"):
        units = np.ldexp(sums, -exponent)
        wholes = np.rint(units)
        result = np.ldexp(wholes, exponent)
        settled = np.abs(units - wholes) < 0.5 - (np.ldexp(error, -exponent) * (1 + 1e-9) + grid.SLACK + 2.0**-50)
    for j, rows in _by_column(~settled):
        for i, whole in zip(rows, draw.exact(rows, j, exponent)):
            result[i, j] = multiple(whole, exponent)
    return Release(result, math.ldexp(1.0, exponent), stream.source)


def _by_column(open_: np.ndarray) -> Iterator[tuple[int, list[int]]]:
    for j in np.flatnonzero(open_.any(axis=0)).tolist():
        yield j, np.flatnonzero(open_[:, j]).tolist()


class _Draw:
    """One draw of the normals beside the records: they are made panel by panel, and made again where they are needed
    again.
    """

    def __init__(self, records: np.ndarray, ridge: float, r: int, stream: Stream):
        self.records, self.ridge, self.r, self.stream = records, ridge, r, stream
        self.rows = max(1, PANEL // r)

    def panels(self) -> Iterator[tuple[np.ndarray, Normals]]:
        for index, start in enumerate(range(0, len(self.records), self.rows)):
            part = self.records[start : start + self.rows]
            yield part, standard_normals(self.stream, "projection", index, len(part) * self.r)

    def added(self) -> Normals:
        """H, row by row."""
        return standard_normals(self.stream, "ridge", 0, self.records.shape[1] * self.r)

    def float_sums(self) -> tuple[np.ndarray, np.ndarray]:
        """The matrix in float64, and a bound on its error entry by entry."""
        n, d = self.records.shape
        largest = max(float(self.records.max(initial=0.0)), -float(self.records.min(initial=0.0)))
        size = math.ldexp(1.0, min(-math.frexp(largest)[1], 1000))  # so that squares are ordinary floats
        squares, normal_squares = np.zeros(d), np.zeros(self.r)
        sums, lost = np.zeros((d, self.r)), np.zeros((d, self.r))
        for part, batch in self.panels():
            normals = batch.value.reshape(len(part), self.r)
            squares += np.square(part * size).sum(axis=0)
            normal_squares += np.einsum("ij,ij->j", normals, normals)
            product = part.T @ normals
            total = sums + product
            moved = total - sums
            lost += (sums - (total - moved)) + (product - moved)
            sums = total
        columns, normal_columns = np.sqrt(squares) / size, np.sqrt(normal_squares)
        count = len(range(0, n, self.rows))
        # u + u for the last sum; R u of a panel's product; the same of what was lost and added up; 2u of the normals
        # themselves.
        share = (4 + 1.01 * self.rows) * _UNIT + (count * _UNIT) ** 2
        error = share * np.outer(columns, normal_columns) + 2 * _UNIT * LARGEST_SLOPE * math.sqrt(n) * columns[:, None]
        error = error * (1 + 1e-6) + n * (1e-150 / size + 2.0**-1074)  # squares and products below float64's range
        if self.ridge:
            noise = math.sqrt(self.ridge) * self.added().value.reshape(d, self.r)
            sums = sums + noise
            error = error + 2 * _UNIT * (4 * np.abs(noise) + LARGEST_SLOPE * math.sqrt(self.ridge))
        return sums + lost, error + 2 * _UNIT * np.abs(sums)

    def exact(self, rows: list[int], j: int, exponent: int) -> list[int]:
        """The nearest whole numbers of units of some entries of a column."""
        found: dict[int, int] = {}
        for bits in _DIGITS:
            left = [i for i in rows if i not in found]
            if not left:
                return [found[i] for i in rows]
            with flint.ctx.workprec(4800 + 2 * bits):  # whole numbers of sums of float64 products fit: no rounding
                for i, ball in zip(left, self._balls(left, j, bits)):
                    whole = nearest(ball * flint.arb((1, -exponent)))
                    if whole is not None:
                        found[i] = whole
        raise ArithmeticError("an entry to be released lies in the middle of two points of its grid")

    def _balls(self, rows: list[int], j: int, bits: int) -> list[flint.arb]:
        """Entries of column j, with `bits` more digits of the normals than float64 has."""
        unit = -(32 + PLACES + bits)
        totals = [flint.arb(0)] * len(rows)
        for part, batch in self.panels():
            cells = [batch.cell(position, bits) for position in range(j, len(part) * self.r, self.r)]
            for k, i in enumerate(rows):
                totals[k] += _dot(part[:, i], cells, unit)
        if self.ridge:
            root, added = flint.arb(self.ridge).sqrt(), self.added()
            for k, i in enumerate(rows):
                totals[k] += root * normal_ball(added, i * self.r + j, bits)
        return totals


def _dot(column: np.ndarray, cells: list[tuple[int, int]], unit: int) -> flint.arb:
    """The ball of sum_k column_k z_k, z_k anywhere in its cell: in whole numbers."""
    fractions, exponents = np.frexp(column)
    least = int(exponents.min()) - 53
    wholes = np.ldexp(fractions, 53).astype(np.int64).tolist()
    start = width = 0
    for whole, up, (low, size) in zip(wholes, (exponents - 53 - least).tolist(), cells):
        factor = whole << up
        start += factor * low
        if factor > 0:
            width += factor * size
        else:
            start += factor * size
            width -= factor * size
    return flint.arb((2 * start + width, least + unit - 1), flint.arb((width, least + unit - 1)))
