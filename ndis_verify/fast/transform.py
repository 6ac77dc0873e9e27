"""The log-transform K(s) of Gaussian quadratic forms and its derivatives, over entries, nodes and groups at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_CELLS = 1 << 16  # complex numbers in a work array: stays in cache, bounds memory
_FACTORS = 8
_SMALL = 4096
_MANY = 16


@dataclass(frozen=True)
class Forms:
    """Rows of quadratic forms: `alpha`, `dof`, `b_squared` of shape (R, g), g groups in each row.

    R is the number of entries, or 1 for a form that all entries share. `pulled` (R, g) marks groups whose quadratic
    term `s^2 b^2/(2(1 - s alpha))` has had its asymptote `-s b^2/(2 alpha)` moved into the threshold; what is left
    of it is `s b^2/(2 alpha (1 - s alpha))`.
    """

    alpha: np.ndarray
    dof: np.ndarray
    b_squared: np.ndarray
    pulled: np.ndarray | None = None

    @property
    def groups(self) -> int:
        return self.alpha.shape[1]

    def reflected(self) -> Forms:
        """The forms of -L (s -> -s)."""
        return Forms(-self.alpha, self.dof, self.b_squared)

    def take(self, rows: np.ndarray | slice) -> Forms:
        """The rows asked for; a shared row stays as it is."""
        if self.alpha.shape[0] == 1:
            return self
        pulled = None if self.pulled is None else self.pulled[rows]
        return Forms(self.alpha[rows], self.dof[rows], self.b_squared[rows], pulled)

    def parts(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Coefficients of `s^2/(2(1 - s alpha))` and of `s/(2(1 - s alpha))`; None where all are 0."""
        if self.pulled is None:
            return (self.b_squared if self.b_squared.any() else None), None
        linear = np.divide(self.b_squared, self.alpha, out=np.zeros(self.b_squared.shape), where=self.pulled)
        square = np.where(self.pulled, 0.0, self.b_squared)
        return (square if square.any() else None), linear


def transform(forms: Forms, t: np.ndarray, s: np.ndarray) -> np.ndarray:
    """K at the points s (E, N) of each entry, on or above the real axis; real points lie before the first pole."""
    if s.size * min(forms.groups, _FACTORS) <= _CELLS and s.size * forms.groups <= 4 * _CELLS:
        return _transform(forms, t, s)
    value = np.empty(s.shape, dtype=complex)
    entries = max(1, _CELLS // (s.shape[1] * max(1, forms.groups // _FACTORS)))
    nodes = s.shape[1] if entries > 1 else max(1, _CELLS // max(1, forms.groups // _FACTORS))
    for e in range(0, s.shape[0], entries):
        row = slice(e, e + entries)
        some = forms.take(row)
        for n in range(0, s.shape[1], nodes):
            value[row, n : n + nodes] = _transform(some, t[row], s[row, n : n + nodes])
    return value


def _transform(forms: Forms, t: np.ndarray, s: np.ndarray) -> np.ndarray:
    largest = np.abs(s).max() * np.abs(forms.alpha).max()
    width = int(np.clip(140 / np.log10(np.nan_to_num(largest, nan=np.inf) + 10), 1, _FACTORS))
    squares, linears = forms.parts()
    # A large multiplicity multiplies the rounding of 1 - s alpha: such factors keep to themselves, see _single.
    shared = bool((forms.dof == forms.dof[0, 0]).all()) and forms.dof[0, 0] <= _MANY
    # So do all factors where there are so few that calls cost more than logarithms.
    width = min(width, forms.groups) if shared and s.size * forms.groups > _SMALL else 1
    blocks = -(-forms.groups // width)
    alpha = _blocked(forms.alpha, blocks, width)
    square = None if squares is None else _blocked(squares, blocks, width)
    linear = None if linears is None else _blocked(linears, blocks, width)
    sums = _block_sums if width > 1 else _single
    x, y = np.ascontiguousarray(s.real), np.ascontiguousarray(s.imag)
    logs, quadratic, pulled = sums(alpha, square, linear, x, y)
    if not shared:
        logs = [np.ascontiguousarray(forms.dof.T)[:, :, None] * part for part in logs]
    value = (-0.5 * (forms.dof[0, 0] if shared else 1.0)) * _joined(logs)
    value -= t[:, None] * s
    if quadratic is not None:
        value += 0.5 * s * (s * _joined(quadratic))
    if pulled is not None:
        value += 0.5 * s * _joined(pulled)
    return value


def _blocked(array: np.ndarray, blocks: int, width: int) -> np.ndarray:
    """(R, g) as (width, blocks, R, 1), padded with zeros."""
    padded = array
    if blocks * width != array.shape[1]:
        padded = np.zeros((array.shape[0], blocks * width))
        padded[:, : array.shape[1]] = array
    return np.ascontiguousarray(padded.T).reshape(width, blocks, array.shape[0], 1)


def _block_sums(alpha, square, linear, x, y):
    """sum log(1 - s alpha), sum square/(1 - s alpha), sum linear/(1 - s alpha) in each block, as (real, imaginary).

    s = x + iy. Logarithms are dear: each block multiplies its factors and takes one, counting the turns of the
    product. A factor's argument lies between 0 and pi where alpha < 0, between -pi and 0 where alpha > 0.
    """
    real, imag = 1 - x * alpha[0], -y * alpha[0]
    sums = [None if part is None else [0.0, 0.0] for part in (square, linear)]
    _add_fractions(sums, (square, linear), 0, real, imag)
    turns = np.zeros(real.shape, dtype=np.int8)
    below = (imag < 0).view(np.int8)
    for j in range(1, alpha.shape[0]):
        a, b = 1 - x * alpha[j], -y * alpha[j]
        _add_fractions(sums, (square, linear), j, a, b)
        real, imag = real * a - imag * b, real * b + imag * a
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


def _single(alpha, square, linear, x, y):
    """As `_block_sums` for blocks of one factor, with log(1 - s alpha) to full relative accuracy for small s alpha."""
    real, imag = 1 - x * alpha[0], -y * alpha[0]
    sums = [None if part is None else [0.0, 0.0] for part in (square, linear)]
    _add_fractions(sums, (square, linear), 0, real, imag)
    excess = imag * imag - x * alpha[0] * (1 + real)
    near = np.abs(excess) < 0.5
    modulus = np.where(near, 0.5 * np.log1p(np.where(near, excess, 0.0)), _log_modulus(real, imag))
    return (modulus, np.arctan2(imag, real)), sums[0], sums[1]


def _add_fractions(sums, parts, j, real, imag) -> None:
    """Add part[j]/(real + i imag) to each sum."""
    if parts[0] is None and parts[1] is None:
        return
    share = real * real
    share += imag * imag
    if share.max() > 1e300:
        # 1/factor is then 0 for all that floats can tell, where the square overflows
        share[~np.isfinite(share)] = np.finfo(float).max
    np.divide(1.0, share, out=share)
    for total, part in zip(sums, parts):
        if part is not None:
            scaled = share * part[j]
            total[0] = total[0] + scaled * real
            total[1] = total[1] - scaled * imag


def _log_modulus(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """log |real + i imag|; near modulus 1 from what the square exceeds 1 by."""
    norm = real * real + imag * imag
    if not np.isfinite(norm).all():
        return np.log(np.hypot(real, imag))
    near = np.abs(norm - 1) < 0.5
    excess = np.where(near, (real - 1) * (real + 1) + imag * imag, 0.0)
    return 0.5 * np.where(near, np.log1p(excess), np.log(norm))


def _joined(parts) -> np.ndarray:
    return _fold(parts[0]) + 1j * _fold(parts[1])


def _fold(values: np.ndarray) -> np.ndarray:
    """Sum over the first axis by halves: rounding grows with the logarithm of its length."""
    while values.shape[0] > 1:
        half = values.shape[0] // 2
        head = values[:half] + values[half : 2 * half]
        if values.shape[0] % 2:
            head[0] += values[-1]
        values = head
    return values[0]


def _row_sums(values: np.ndarray) -> np.ndarray:
    """Sums over the second axis; of short rows by a product with ones, much faster than a reduction."""
    if values.shape[1] > 64:
        return values.sum(axis=1)
    return values @ np.ones(values.shape[1])


def cumulants(forms: Forms, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean K_1(0) and variance K_2(0), each (E,)."""
    _, linears = forms.parts()
    mean = 0.5 * (forms.dof * forms.alpha).sum(axis=1) - t
    variance = 0.5 * (forms.dof * forms.alpha**2).sum(axis=1) + forms.b_squared.sum(axis=1)
    return (mean if linears is None else mean + 0.5 * linears.sum(axis=1)), variance + np.zeros_like(mean)


def slopes(forms: Forms, t: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """s K_1, s^2 K_2, s^3 K_3 (K_n the n-th derivative of K) at the real points s (E,): without units, no overflow."""
    column = s[:, None]
    scaled = column * forms.alpha
    inverse = 1 / (1 - scaled)
    ratio = scaled * inverse
    weighted = forms.dof * ratio
    first = 0.5 * _row_sums(weighted)
    weighted = weighted * ratio
    second = 0.5 * _row_sums(weighted)
    third = _row_sums(weighted * ratio)
    squares, linears = forms.parts()
    if squares is not None or linears is not None:
        mixed = (np.sqrt(forms.b_squared) * column * inverse) ** 2 * inverse
        second = second + _row_sums(mixed)
        third = third + 3 * _row_sums(mixed * ratio)
    if squares is not None:
        first = first + 0.5 * _row_sums((np.sqrt(squares) * column * inverse) ** 2 * (2 - scaled))
    if linears is not None:
        first = first + 0.5 * _row_sums(linears * column * inverse * inverse)
    return first - t * s, second, third
