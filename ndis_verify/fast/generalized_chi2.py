"""The generalized chi-square law: weighted noncentral chi-squares plus a Gaussian, weights of either sign."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.calibration import probabilities
from ndis_verify.fast.contour import log_integral
from ndis_verify.fast.safe_root import safe_root
from ndis_verify.fast.transform import Forms


@dataclass(frozen=True, eq=False)
class GeneralizedChi2:
    """The law of sum_i w_i chi'^2(k_i, nc_i) + std N(0, 1) + shift, all parts independent (N26-D1).

    weights: g numbers of either sign; whole dofs >= 1 and noncentralities >= 0 broadcast to them; std >= 0; at least
    one nonzero weight, or std > 0. Methods take a scalar or an array and return its shape. Tails and logarithms have full
    relative accuracy (1e-11 where the value is at least 1e-290); exactly 0 and 1 outside a one-sided support.
    Raises `InputError`.
    """

    weights: np.ndarray
    dofs: np.ndarray
    noncentralities: np.ndarray
    std: float = 0.0
    shift: float = 0.0
    _forms: Forms = field(init=False, repr=False)
    _offset: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        weights, dofs, ncs = (np.atleast_1d(_finite(getattr(self, n), n)) for n in ("weights", "dofs", "noncentralities"))
        std, shift = float(_finite(self.std, "std")), float(_finite(self.shift, "shift"))
        for name, array, bad, rule in (
            ("dofs", dofs, (dofs < 1) | (dofs != np.floor(dofs)), "must be a whole number, at least 1"),
            ("noncentralities", ncs, ncs < 0, "must be at least 0"),
            ("std", np.atleast_1d(std), np.atleast_1d(std < 0), "must be at least 0"),
        ):
            if bad.any():
                raise InputError(name, float(array[bad].flat[0]), rule)
        try:
            weights, dofs, ncs = np.broadcast_arrays(weights, dofs, ncs)
        except ValueError:
            raise InputError("weights", weights.shape, "must broadcast with dofs and noncentralities") from None
        if weights.ndim != 1:
            raise InputError("weights", f"an array of shape {weights.shape}", "must have one dimension")
        kept = weights != 0
        if not kept.any() and std == 0:
            raise InputError("weights", weights.tolist(), "must have a nonzero entry unless std > 0")
        for name, value in (("weights", weights), ("dofs", dofs), ("noncentralities", ncs), ("std", std), ("shift", shift)):
            object.__setattr__(self, name, value)
        self._set_forms(weights[kept], dofs[kept], ncs[kept])

    def _set_forms(self, w: np.ndarray, k: np.ndarray, nc: np.ndarray) -> None:
        alpha, squared, dof = 2 * w, 4 * nc * w * w, k
        if self.std > 0:
            alpha, squared, dof = (np.append(a, b) for a, b in ((alpha, 0.0), (squared, self.std**2), (dof, 0.0)))
        object.__setattr__(self, "_forms", Forms(alpha[None], dof[None].astype(float), squared[None]))
        object.__setattr__(self, "_offset", self.shift + float((nc * w).sum()))

    def mean(self) -> float:
        """sum w (k + nc) + shift."""
        return float((self.weights * (self.dofs + self.noncentralities)).sum()) + self.shift

    def var(self) -> float:
        """sum 2 w^2 (k + 2 nc) + std^2."""
        return float((2 * self.weights**2 * (self.dofs + 2 * self.noncentralities)).sum()) + self.std**2

    def support(self) -> tuple[float, float]:
        """The ends of the support."""
        w = self.weights
        low = -np.inf if self.std > 0 or (w < 0).any() else self.shift
        high = np.inf if self.std > 0 or (w > 0).any() else self.shift
        return low, high

    def logcdf(self, x: Any) -> np.ndarray:
        """log Pr[W <= x]."""
        return self._log_tail(_points(x), upper=False)

    def logsf(self, x: Any) -> np.ndarray:
        """log Pr[W > x]."""
        return self._log_tail(_points(x), upper=True)

    def cdf(self, x: Any) -> np.ndarray:
        """Pr[W <= x]."""
        with np.errstate(under="ignore"):
            return np.exp(self.logcdf(x))

    def sf(self, x: Any) -> np.ndarray:
        """Pr[W > x]."""
        with np.errstate(under="ignore"):
            return np.exp(self.logsf(x))

    def pdf(self, x: Any) -> np.ndarray:
        """The density; at the end of a one-sided support its limit from inside (inf for one degree of freedom)."""
        x = _points(x)
        flat = x.ravel()
        value = np.full(flat.shape, -np.inf)
        for where, forms, sign in self._sides(flat):
            value[where] = self._integral(forms, sign, flat[where], "density")
        if self.std == 0:
            total, both = self._forms.dof.sum(), bool((self.weights > 0).any() and (self.weights < 0).any())
            if not both or total == 2:
                value[flat == self.shift] = np.inf if both else self._log_density_at_end()
        with np.errstate(under="ignore"):
            return np.exp(value).reshape(x.shape)[()]

    def ppf(self, q: Any) -> np.ndarray:
        """The x with cdf(x) = q; the ends of the support at q = 0 and 1."""
        return self._quantile(q, upper=False)

    def isf(self, q: Any) -> np.ndarray:
        """The x with sf(x) = q; the ends of the support at q = 1 and 0."""
        return self._quantile(q, upper=True)

    def rvs(self, size: int | tuple[int, ...] | None = None, *, random_state: np.random.Generator) -> np.ndarray:
        """Draws of the given shape from an explicit generator."""
        if not isinstance(random_state, np.random.Generator):
            raise InputError("random_state", random_state, "must be a numpy.random.Generator")
        total = self.shift + self.std * random_state.standard_normal(size)
        for w, k, nc in zip(self.weights.tolist(), self.dofs.tolist(), self.noncentralities.tolist()):
            total = total + w * random_state.noncentral_chisquare(k, nc, size)
        return total

    def _sides(self, x: np.ndarray) -> list[tuple[np.ndarray, Forms, float]]:
        """Finite points above the mean with the forms of W, the others with those of -W."""
        above, finite = x > self.mean(), np.isfinite(x)
        return [
            (np.flatnonzero(above & finite), self._forms, 1.0),
            (np.flatnonzero(~above & finite), self._forms.reflected(), -1.0),
        ]

    def _integral(self, forms: Forms, sign: float, x: np.ndarray, weight: str) -> np.ndarray:
        rows = np.zeros(x.size, dtype=int)
        return log_integral(forms, rows, sign * (x - self._offset), sign * (x - self.shift), weight)

    def _log_tail(self, x: np.ndarray, upper: bool) -> np.ndarray:
        """The tail on x's side of the mean by the integral, the other one as its complement."""
        flat = x.ravel()
        value = np.zeros(flat.shape)
        for where, forms, sign in self._sides(flat):
            tail = np.minimum(self._integral(forms, sign, flat[where], "tail"), 0.0)
            with np.errstate(all="ignore"):
                value[where] = tail if (sign > 0) == upper else np.log1p(-np.exp(tail))
        value[flat == (np.inf if upper else -np.inf)] = -np.inf
        return value.reshape(x.shape)[()]

    def _log_density_at_end(self) -> float:
        """Limit of the log density where the support ends: all weights have one sign and there is no Gaussian."""
        forms = self._forms
        total = forms.dof.sum()
        if total != 2:
            return np.inf if total < 2 else -np.inf
        scale = np.abs(forms.alpha)
        return float(-0.5 * (forms.dof * np.log(scale)).sum() - 0.5 * (forms.b_squared / scale**2).sum())

    def _quantile(self, q: Any, upper: bool) -> np.ndarray:
        q = probabilities(q, "q")
        flat = q.ravel()
        low, high = self.support()
        result = np.where((flat == 0) == upper, high, low)
        inner = np.flatnonzero((flat > 0) & (flat < 1))
        # Solve for the smaller tail; 1 - q is exact for q >= 1/2.
        small = flat[inner] <= 0.5
        with np.errstate(divide="ignore"):
            goal = np.log(np.where(small, flat[inner], 1 - flat[inner]))
        for use_upper in (False, True):
            where = np.flatnonzero((small == upper) == use_upper)
            if where.size:
                result[inner[where]] = self._solve(goal[where], use_upper)
        return result.reshape(q.shape)[()]

    def _solve(self, goal: np.ndarray, upper: bool) -> np.ndarray:
        """x with log tail = goal: x = end +/- e^u on a half-line, mean + std sinh(u) on the line."""
        low, high = self.support()
        centre, spread = self.mean(), np.sqrt(self.var())

        def place(u: np.ndarray) -> np.ndarray:
            if np.isfinite(low):
                return low + np.exp(u)
            return high - np.exp(-u) if np.isfinite(high) else centre + spread * np.sinh(u)

        def excess(x: np.ndarray, index: np.ndarray) -> np.ndarray:
            gap = self._log_tail(x, upper) - goal[index]
            return np.clip(gap if upper else -gap, -1e300, 1e300)

        # log tails down to -745 lie within a few thousand standard deviations
        if np.isfinite(low):
            ends = -740.0, np.log(centre - low + 1e4 * spread)
        elif np.isfinite(high):
            ends = -np.log(high - centre + 1e4 * spread), 740.0
        else:
            ends = -10.0, 10.0
        lower, higher = (np.full(goal.shape, end) for end in ends)
        u = safe_root(lambda v, index: excess(place(v), index), higher, lower)
        if np.isfinite(low) or np.isfinite(high):
            return place(u)
        # place() cancels where x is small beside the mean: settle x itself.
        slack = 1e-9 * (abs(centre) + spread * np.cosh(u))
        return safe_root(excess, place(u) + slack, place(u) - slack)


def _finite(values: Any, argument: str) -> np.ndarray:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(argument, values, "must be a rectangular array of numbers") from None
    if not np.isfinite(array).all():
        raise InputError(argument, float(array[~np.isfinite(array)].flat[0]), "must be finite")
    return array


def _points(x: Any) -> np.ndarray:
    try:
        array = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("x", x, "must be a number or an array of numbers") from None
    if np.isnan(array).any():
        raise InputError("x", float("nan"), "must not be NaN")
    return array
