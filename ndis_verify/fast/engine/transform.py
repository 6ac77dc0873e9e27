"""The log-transform K(s) of Gaussian quadratic forms and its derivatives, over entries, nodes and groups at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

_CELLS = 1 << 16  # numbers in a work array: stays in cache, bounds memory
_FACTORS = 8
_ROOM = 1 << 14  # the same where there are many of them: larger arrays cost more to allocate than to fill
_MANY = 16
_LOST = 2.0**-500
_HIGHEST = 1000


@dataclass(frozen=True)
class Forms:
    """Rows of quadratic forms: `alpha`, `dof`, `b` >= 0 of shape (R, g), g groups in each row.

    The square of b may leave the range of floats, unless the form is `scaled`. R is the number of entries, or 1 for a
    form that all entries share. `pulled` (R, g) marks groups whose quadratic term `s^2 b^2/(2(1 - s alpha))` has had
    its asymptote `-s b^2/(2 alpha)` moved into the threshold; what is left of it is `s b^2/(2 alpha (1 - s alpha))`.
    """

    alpha: np.ndarray
    dof: np.ndarray
    b: np.ndarray
    pulled: np.ndarray | None = None

    @cached_property
    def spread(self) -> np.ndarray:
        """The standard deviations of the forms."""
        return np.sqrt(0.5 * (self.dof * self.alpha**2).sum(axis=1) + self.b_squared.sum(axis=1))

    @property
    def groups(self) -> int:
        return self.alpha.shape[1]

    @cached_property
    def b_squared(self) -> np.ndarray:
        """b^2."""
        with np.errstate(over="ignore", under="ignore"):
            return self.b * self.b

    @cached_property
    def asymptotes(self) -> np.ndarray:
        """b^2/(2 alpha) where alpha != 0, else 0."""
        with np.errstate(over="ignore", under="ignore"):
            half = np.divide(self.b, 2 * self.alpha, out=np.zeros(self.b.shape), where=self.alpha != 0)
            return self.b * half

    def scaled(self) -> tuple[Forms, np.ndarray]:
        """The forms over powers of two that bring the largest |alpha| or b of each row to [1/2, 1), and these powers.
        None is above 2^1000: next to the largest floats, forms are a little larger.

        A b that is then so small that its square is lost is 0: it is felt where log delta is below -1e260, if at all.
        """
        exponent = np.minimum(np.frexp(np.maximum(np.abs(self.alpha), self.b).max(axis=1))[1], _HIGHEST)
        column = -exponent[:, None]
        b = np.ldexp(self.b, column)
        return Forms(np.ldexp(self.alpha, column), self.dof, np.where(b < _LOST, 0.0, b)), exponent

    def reflected(self) -> Forms:
        """The forms of -L (s -> -s)."""
        return Forms(-self.alpha, self.dof, self.b)

    def followed_by(self, other: Forms) -> Forms:
        """The rows of both, without what was pulled."""
        pairs = (self.alpha, other.alpha), (self.dof, other.dof), (self.b, other.b)
        return Forms(*(np.concatenate(pair) for pair in pairs))

    def take(self, rows: np.ndarray | slice) -> Forms:
        """The rows asked for; a shared row stays as it is."""
        if self.alpha.shape[0] == 1:
            return self
        pulled = None if self.pulled is None else self.pulled[rows]
        return Forms(self.alpha[rows], self.dof[rows], self.b[rows], pulled)

    @cached_property
    def common_dof(self) -> float:
        """The multiplicity, where all groups have the same; else 0."""
        first = float(self.dof[0, 0])
        return first if (self.dof == first).all() else 0.0

    @cached_property
    def parts(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Coefficients of `s^2/(2(1 - s alpha))` and of `s/(2(1 - s alpha))`; None where all are 0."""
        if self.pulled is None:
            return (self.b_squared if self.b_squared.any() else None), None
        linear = np.divide(self.b_squared, self.alpha, out=np.zeros(self.b_squared.shape), where=self.pulled)
        square = np.where(self.pulled, 0.0, self.b_squared)
        return (square if square.any() else None), linear


def transform(forms: Forms, t: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Real and imaginary part of K at the points x + iy (E, N) of each entry, on or above the real axis."""
    width = _width(forms, x, y)
    entries, nodes = x.shape
    room = max(1, (_CELLS if width > 1 else _ROOM) // -(-forms.groups // width))
    if entries * nodes <= room:
        return _transform(forms, t, x, y, width)
    real, imag = np.empty(x.shape), np.empty(x.shape)
    rows = max(1, room // nodes)
    for e in range(0, entries, rows):
        row = slice(e, e + rows)
        some = forms.take(row)
        for n in range(0, nodes, room):
            cell = row, slice(n, n + room)
            real[cell], imag[cell] = _transform(some, t[row], x[cell], y[cell], width)
    return real, imag


def _width(forms: Forms, x: np.ndarray, y: np.ndarray) -> int:
    """How many factors are multiplied before a logarithm is taken."""
    # A large multiplicity multiplies the rounding of 1 - s alpha: such factors keep to themselves, see _single.
    # So do all factors where there are so few that calls cost more than logarithms.
    if not 0 < forms.common_dof <= _MANY or forms.groups < _FACTORS or x.size * forms.groups <= _ROOM:
        return 1
    largest = np.hypot(np.abs(x).max(), y.max()) * np.abs(forms.alpha).max()
    return int(np.clip(140 / np.log10(np.nan_to_num(largest, nan=np.inf) + 10), 1, _FACTORS))


def _transform(forms: Forms, t: np.ndarray, x: np.ndarray, y: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    blocks = -(-forms.groups // width)
    alpha = _blocked(forms.alpha, blocks, width)
    square, linear = (None if part is None else _blocked(part, blocks, width) for part in forms.parts)
    logs, quadratic, pulled = (_block_sums if width > 1 else _single)(alpha, square, linear, x, y)
    if not forms.common_dof:
        dofs = np.ascontiguousarray(forms.dof.T)[:, :, None]
        logs = dofs * logs[0], dofs * logs[1]
    weight = -0.5 * (forms.common_dof or 1.0)
    real, imag = (weight * _fold(part) - t[:, None] * point for part, point in zip(logs, (x, y)))
    if quadratic is not None or pulled is not None:
        # s (s Q + P)/2 with the sums Q, P of the two kinds of fractions
        inner = 0.0 if pulled is None else _fold(pulled[0]) + 1j * _fold(pulled[1])
        s = x + 1j * y
        if quadratic is not None:
            inner = inner + s * (_fold(quadratic[0]) + 1j * _fold(quadratic[1]))
        inner = 0.5 * s * inner
        real, imag = real + inner.real, imag + inner.imag
    return real, imag


def real_transform(forms: Forms, t: np.ndarray, s: np.ndarray) -> np.ndarray:
    """K at the real points s (E, N) of each entry, before the first pole."""
    value = -t[:, None] * s
    squares, linears = forms.parts
    step = max(1, _CELLS // s.size)
    for start in range(0, forms.groups, step):
        group = slice(start, start + step)
        scaled = s * _columns(forms.alpha[:, group])
        logs = np.log1p(-scaled)
        value -= 0.5 * _fold(logs * (forms.common_dof or _columns(forms.dof[:, group])))
        if squares is not None:
            value += 0.5 * s * (s * _fold(_columns(squares[:, group]) / (1 - scaled)))
        if linears is not None:
            value += 0.5 * s * _fold(_columns(linears[:, group]) / (1 - scaled))
    return value


def _columns(array: np.ndarray) -> np.ndarray:
    """(R, g) as (g, R, 1)."""
    return np.ascontiguousarray(array.T)[:, :, None]


def _blocked(array: np.ndarray, blocks: int, width: int) -> np.ndarray:
    """(R, g) as (width, blocks, R, 1), padded with zeros."""
    padded = array
    if blocks * width != array.shape[1]:
        padded = np.zeros((array.shape[0], blocks * width))
        padded[:, : array.shape[1]] = array
    return np.ascontiguousarray(padded.T).reshape(width, blocks, array.shape[0], 1)


Parts = tuple[np.ndarray, np.ndarray]  # real and imaginary
Sums = tuple[Parts, list[Any] | None, list[Any] | None]


def _block_sums(
    alpha: np.ndarray, square: np.ndarray | None, linear: np.ndarray | None, x: np.ndarray, y: np.ndarray
) -> Sums:
    """sum log(1 - s alpha), sum square/(1 - s alpha), sum linear/(1 - s alpha) in each block, as (real, imaginary).

    s = x + iy. Logarithms are dear: each block multiplies its factors and takes one, counting the turns of the
    product. A factor's argument lies between 0 and pi where alpha < 0, between -pi and 0 where alpha > 0.
    """
    real, imag = 1 - x * alpha[0], y * -alpha[0]
    sums: list[list[Any] | None] = [None if part is None else [0.0, 0.0] for part in (square, linear)]
    _add_fractions(sums, (square, linear), 0, real, imag)
    turns = np.zeros(real.shape, dtype=np.int8)
    below = (imag < 0).view(np.int8)
    a, b, product = (np.empty(real.shape) for _ in range(3))
    for j in range(1, alpha.shape[0]):
        np.multiply(x, alpha[j], out=a)
        np.subtract(1, a, out=a)
        np.multiply(y, -alpha[j], out=b)
        _add_fractions(sums, (square, linear), j, a, b)
        np.multiply(imag, b, out=product)
        imag *= a
        b *= real
        imag += b
        real *= a
        real -= product
        after = (imag < 0).view(np.int8)
        turns += _turned(after - below, alpha[j])
        below = after
    argument = np.arctan2(imag, real)
    if turns.any():
        argument += 2 * np.pi * turns
    return (_log_modulus(real, imag), argument), sums[0], sums[1]


def _turned(change: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Full turns added where the product passed the negative axis; passing the positive axis is none."""
    if alpha.max() <= 0:
        return np.maximum(change, 0)
    if alpha.min() >= 0:
        return np.minimum(change, 0)
    return np.where(alpha < 0, np.maximum(change, 0), np.minimum(change, 0))


def _single(
    alpha: np.ndarray, square: np.ndarray | None, linear: np.ndarray | None, x: np.ndarray, y: np.ndarray
) -> Sums:
    """As `_block_sums` for blocks of one factor, with log(1 - s alpha) to full relative accuracy for small s alpha."""
    scaled, imag = x * alpha[0], y * -alpha[0]
    real = 1 - scaled
    sums: list[list[Any] | None] = [None if part is None else [0.0, 0.0] for part in (square, linear)]
    _add_fractions(sums, (square, linear), 0, real, imag)
    excess = 1 + real
    excess *= scaled
    np.subtract(imag * imag, excess, out=excess)  # |1 - s alpha|^2 - 1
    low = excess < -0.5
    modulus = np.log1p(excess, out=excess)
    modulus *= 0.5
    if low.any():
        modulus[low] = np.log(np.hypot(real[low], imag[low]))
    if not modulus.max() < np.inf:
        modulus = np.log(np.hypot(real, imag))
    return (modulus, np.arctan2(imag, real)), sums[0], sums[1]


def _add_fractions(
    sums: list[list[Any] | None],
    parts: tuple[np.ndarray | None, np.ndarray | None],
    j: int,
    real: np.ndarray,
    imag: np.ndarray,
) -> None:
    """Add part[j]/(real + i imag) to each sum."""
    if parts[0] is None and parts[1] is None:
        return
    share, product = real * real, imag * imag
    share += product
    if not share.max() < 1e300:
        # 1/factor is then 0 for all that floats can tell, where the square overflows
        share[~np.isfinite(share)] = np.finfo(float).max
    np.divide(1.0, share, out=share)
    for total, part in zip(sums, parts):
        if total is not None and part is not None:
            np.multiply(share, part[j], out=product)
            scaled = product * real
            total[0] = np.add(total[0], scaled, out=scaled)
            product *= imag
            total[1] = total[1] - product


def _log_modulus(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """log |real + i imag|; near modulus 1 from what the square exceeds 1 by."""
    norm = real * real + imag * imag
    if not norm.max() < np.inf:
        return np.log(np.hypot(real, imag))
    near = np.abs(norm - 1) < 0.5
    excess = np.where(near, (real - 1) * (real + 1) + imag * imag, 0.0)
    return 0.5 * np.where(near, np.log1p(excess), np.log(norm))


def _fold(values: np.ndarray) -> np.ndarray:
    """Sum over the first axis; of many by halves, so that rounding grows with the logarithm of their number."""
    while values.shape[0] > 16:
        half = values.shape[0] // 2
        head = values[:half] + values[half : 2 * half]
        if values.shape[0] % 2:
            head[0] += values[-1]
        values = head
    return values.sum(axis=0)


def _row_sums(values: np.ndarray) -> np.ndarray:
    """Sums over the second axis; of short rows by a product with ones, much faster than a reduction."""
    if values.shape[1] > 64:
        return values.sum(axis=1)
    return values @ np.ones(values.shape[1])


def cumulants(forms: Forms, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean K_1(0) and variance K_2(0), each (E,)."""
    _, linears = forms.parts
    weighted = forms.dof * forms.alpha
    mean = 0.5 * weighted.sum(axis=1) - t
    variance = 0.5 * (weighted * forms.alpha).sum(axis=1) + forms.b_squared.sum(axis=1)
    return (mean if linears is None else mean + 0.5 * linears.sum(axis=1)), variance + np.zeros(mean.shape)


def slopes(forms: Forms, t: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """s K_1, s^2 K_2, s^3 K_3 (K_n the n-th derivative of K) at the real points s (E,): without units, no overflow."""
    step = max(1, _ROOM // forms.groups)
    if s.size <= step:
        return _slopes(forms, t, s)
    rows = [slice(start, start + step) for start in range(0, s.size, step)]
    parts = zip(*(_slopes(forms.take(row), t[row], s[row]) for row in rows))
    first, second, third = (np.concatenate(part) for part in parts)
    return first, second, third


def _slopes(forms: Forms, t: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    column = s[:, None]
    scaled = column * forms.alpha
    inverse = 1 / (1 - scaled)
    ratio = scaled * inverse
    weighted = forms.dof * ratio
    first = 0.5 * _row_sums(weighted)
    weighted *= ratio
    second = 0.5 * _row_sums(weighted)
    weighted *= ratio
    third = _row_sums(weighted)
    squares, linears = forms.parts
    if squares is not None or linears is not None:
        mixed = (forms.b * column * inverse) ** 2
        if squares is not None:
            every = mixed if forms.pulled is None else np.where(forms.pulled, 0.0, mixed)
            first = first + 0.5 * _row_sums(every * (2 - scaled))
        if linears is not None:
            first = first + 0.5 * _row_sums((linears * inverse) * (column * inverse))
        mixed *= inverse
        second = second + _row_sums(mixed)
        mixed *= ratio
        third = third + 3 * _row_sums(mixed)
    return first - t * s, second, third
