"""The generalized chi-square law: weighted noncentral chi-squares plus a Gaussian, weights of either sign."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ndis_verify.exact_number import InputError, broadcast, float_array
from ndis_verify.fast.engine.contour import Weight, log_integral
from ndis_verify.fast.engine.least_epsilon import probabilities
from ndis_verify.fast.engine.safe_root import safe_root
from ndis_verify.fast.engine.transform import Forms

_MOST, _FARTHEST = 2.0**53, 2.0**100
_NARROWEST = 2.0**-300
_LOG_2 = 0.6931471805599453094172321
_NEXT = 2.0**-65  # of the least weight
_ALONE = 1e20  # standard deviations, beside one and all degrees of freedom and noncentralities


@dataclass(frozen=True, eq=False)
class GeneralizedChi2:
    """The law of sum_i w_i chi'^2(k_i, nc_i) + std N(0, 1) + shift, all parts independent (N26-D1).

    weights: g numbers of either sign; whole dofs from 1 to 2^53 and noncentralities from 0 to 2^100 broadcast to them;
    std >= 0; at least one nonzero weight, or std > 0; any floats, the weights and std within a factor of 2^300 of each
    other where they are not 0. Methods take a scalar or an array and return its shape. Tails and logarithms have full
    relative accuracy: 1e-11 where the value is at least 1e-290 and dofs and noncentralities sum to 1e8 at most; beyond,
    1e-15 of that sum's root. Exactly 0 and 1 outside a one-sided support. Raises `InputError`.
    """

    weights: np.ndarray
    dofs: np.ndarray
    noncentralities: np.ndarray
    std: float = 0.0
    shift: float = 0.0
    # In the unit 2^_exponent, which keeps every product inside the range of floats, and from `shift` on:
    _exponent: int = field(init=False, repr=False)
    _forms: Forms = field(init=False, repr=False)
    _pull: float = field(init=False, repr=False)  # sum nc w
    _centre: float = field(init=False, repr=False)
    _spread: float = field(init=False, repr=False)

    if TYPE_CHECKING:  # what is handed in becomes arrays

        def __init__(
            self,
            weights: ArrayLike,
            dofs: ArrayLike,
            noncentralities: ArrayLike,
            std: float = 0.0,
            shift: float = 0.0,
        ) -> None: ...

    def __post_init__(self) -> None:
        weights, dofs, ncs = (
            np.atleast_1d(_finite(getattr(self, n), n)) for n in ("weights", "dofs", "noncentralities")
        )
        std, shift = float(_finite(self.std, "std")), float(_finite(self.shift, "shift"))
        for name, array, bad, rule in (
            ("dofs", dofs, (dofs < 1) | (dofs > _MOST) | (dofs != np.floor(dofs)), "must be a whole number, 1 to 2^53"),
            ("noncentralities", ncs, (ncs < 0) | (ncs > _FARTHEST), "must be 0 to 2^100"),
            ("std", np.atleast_1d(std), np.atleast_1d(std < 0), "must be at least 0"),
        ):
            if bad.any():
                raise InputError(name, float(array[bad].flat[0]), rule)
        dofs, ncs, weights = broadcast(dofs=dofs, noncentralities=ncs, weights=weights)
        if weights.ndim != 1:
            raise InputError("weights", f"an array of shape {weights.shape}", "must have one dimension")
        kept = weights != 0
        if not kept.any() and std == 0:
            raise InputError("weights", weights.tolist(), "must have a nonzero entry unless std > 0")
        for name, value in (
            ("weights", weights),
            ("dofs", dofs),
            ("noncentralities", ncs),
            ("std", std),
            ("shift", shift),
        ):
            object.__setattr__(self, name, value)
        for name, value in self._forms_of(weights[kept], dofs[kept], ncs[kept]).items():
            object.__setattr__(self, name, value)

    def _forms_of(self, w: np.ndarray, k: np.ndarray, nc: np.ndarray) -> dict[str, Any]:
        """What is computed of the weights that are not 0, in units of a power of two."""
        moved = np.frexp(w)[1] + np.maximum(np.frexp(np.sqrt(nc))[1], 0)
        unit = int(max([*moved.tolist()] + [np.frexp(self.std)[1]] * (self.std > 0)))
        least, most = (edge([*np.abs(w).tolist()] + [self.std] * (self.std > 0)) for edge in (min, max))
        if least / _NARROWEST < most:
            raise InputError(
                "weights", w.tolist(), "and std, where they are not 0, must lie within a factor of 2^300 of each other"
            )
        w, std = np.ldexp(w, -unit), np.ldexp(self.std, -unit)
        alpha, b, dof = 2 * w, 2 * np.sqrt(nc) * np.abs(w), k
        if std > 0:
            alpha, b, dof = (np.append(a, c) for a, c in ((alpha, 0.0), (b, std), (dof, 0.0)))
        forms = Forms(alpha[None], dof[None].astype(float), b[None])
        sums = {"_pull": float((nc * w).sum()), "_centre": float((w * (k + nc)).sum())}
        return {"_exponent": unit, "_forms": forms, "_spread": float(forms.spread[0]), **sums}

    def mean(self) -> float:
        """sum w (k + nc) + shift; infinite beyond the largest float."""
        with np.errstate(over="ignore", under="ignore"):
            return float(self._placed(np.asarray(self._centre)))

    def var(self) -> float:
        """sum 2 w^2 (k + 2 nc) + std^2; infinite beyond the largest float."""
        with np.errstate(over="ignore", under="ignore"):
            return float(np.ldexp(self._spread**2, 2 * self._exponent))

    def support(self) -> tuple[float, float]:
        """The ends of the support."""
        w = self.weights
        low = -np.inf if self.std > 0 or (w < 0).any() else self.shift
        high = np.inf if self.std > 0 or (w > 0).any() else self.shift
        return low, high

    def logcdf(self, x: Any) -> np.ndarray:
        """log Pr[W <= x]."""
        return self._log_tail(self._from_shift(_points(x)), upper=False)

    def logsf(self, x: Any) -> np.ndarray:
        """log Pr[W > x]."""
        return self._log_tail(self._from_shift(_points(x)), upper=True)

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
        flat = self._from_shift(x.ravel())
        value = self._log_density(flat)
        if self.std == 0:
            total, both = (
                self.dofs[self.weights != 0].sum(),
                bool((self.weights > 0).any() and (self.weights < 0).any()),
            )
            if not both or total == 2:
                value[flat == 0] = np.inf if both else self._log_density_at_end()
            if both and total == 2:
                self._continue_logarithm(flat, value)
        with np.errstate(under="ignore", over="ignore"):
            return np.exp(value).reshape(x.shape)[()]

    def ppf(self, q: Any) -> np.ndarray:
        """The x with cdf(x) = q; the ends of the support at q = 0 and 1; infinite beyond the largest float."""
        return self._quantile(q, upper=False)

    def isf(self, q: Any) -> np.ndarray:
        """The x with sf(x) = q; the ends of the support at q = 1 and 0; infinite beyond the largest float."""
        return self._quantile(q, upper=True)

    def rvs(self, size: int | tuple[int, ...] | None = None, *, random_state: np.random.Generator) -> np.ndarray:
        """Draws of the given shape from an explicit generator."""
        if not isinstance(random_state, np.random.Generator):
            raise InputError("random_state", random_state, "must be a numpy.random.Generator")
        total = self.shift + self.std * random_state.standard_normal(size)
        for w, k, nc in zip(self.weights.tolist(), self.dofs.tolist(), self.noncentralities.tolist()):
            total = total + w * random_state.noncentral_chisquare(k, nc, size)
        return total

    def _from_shift(self, x: np.ndarray) -> np.ndarray:
        """(x - shift)/2^exponent, in extended precision."""
        return np.ldexp(x.astype(np.longdouble) - self.shift, -self._exponent)

    def _placed(self, y: np.ndarray) -> np.ndarray:
        """The x of `_from_shift`, rounded."""
        return (np.ldexp(y.astype(np.longdouble), self._exponent) + self.shift).astype(np.float64)

    def _sides(self, y: np.ndarray) -> list[tuple[np.ndarray, Forms, float]]:
        """Finite points above the mean with the forms of W, the others with those of -W."""
        above, finite = y > self._centre, np.isfinite(y)
        return [
            (np.flatnonzero(above & finite), self._forms, 1.0),
            (np.flatnonzero(~above & finite), self._forms.reflected(), -1.0),
        ]

    def _integral(self, forms: Forms, sign: float, y: np.ndarray, weight: Weight) -> np.ndarray:
        return log_integral(forms, np.zeros(y.size, dtype=int), sign * (y - self._pull), sign * y, weight)

    def _log_tail(self, y: np.ndarray, upper: bool) -> np.ndarray:
        """The tail on y's side of the mean by the integral, the other one as its complement."""
        flat = y.ravel()
        value = np.zeros(flat.shape)
        for where, forms, sign in self._sides(flat):
            tail = np.minimum(self._integral(forms, sign, flat[where], "tail"), 0.0)
            tail = self._of_normal_alone(flat[where], tail)
            with np.errstate(all="ignore"):
                value[where] = tail if (sign > 0) == upper else np.log1p(-np.exp(tail))
        value[flat == (np.inf if upper else -np.inf)] = -np.inf
        return value.reshape(y.shape)[()]

    def _of_normal_alone(self, y: np.ndarray, tail: np.ndarray) -> np.ndarray:
        """The log tails, with those beyond the end of a one-sided chi-square part, which the normal must reach alone.

        At t standard deviations beyond that end the log tail is -t^2/2 and some (dof log t + noncentrality), nothing
        beside it where t is so large that no saddle point can be found.
        """
        weights = self.weights[self.weights != 0]
        if self.std == 0 or not weights.size or ((weights > 0).any() and (weights < 0).any()):
            return tail
        with np.errstate(over="ignore"):
            t = -np.sign(weights[0]) * y / np.ldexp(np.longdouble(self.std), -self._exponent)
            alone = t > _ALONE * (1 + self.dofs.sum() + self.noncentralities.sum())
            return np.where(alone, -t * t / 2, tail).astype(np.float64)

    def _log_density(self, y: np.ndarray) -> np.ndarray:
        value = np.full(y.shape, -np.inf)
        for where, forms, sign in self._sides(y):
            value[where] = self._integral(forms, sign, y[where], "density") - _LOG_2 * self._exponent
        return value

    def _continue_logarithm(self, y: np.ndarray, value: np.ndarray) -> None:
        """Log densities of two degrees of freedom, one of either sign, next to 0: there the density is a - b log |y|,
        for all that floats can tell, and it is taken from two points farther out.
        """
        alpha = np.abs(self._forms.alpha)
        points = alpha[alpha > 0].min() * np.array([_NEXT, _NEXT**2], dtype=np.longdouble)
        near = np.flatnonzero((y != 0) & (np.abs(y) < points[1]))
        if near.size:
            far, close = np.exp(self._log_density(points))  # the same on both sides of 0, so near to it
            share = np.log(points[1] / np.abs(y[near])) / np.log(points[0] / points[1])
            value[near] = np.log(close + (close - far) * share)

    def _log_density_at_end(self) -> float:
        """Limit of the log density where the support ends: all weights have one sign and there is no Gaussian."""
        w, k, nc = (part[self.weights != 0] for part in (np.abs(self.weights), self.dofs, self.noncentralities))
        total = k.sum()
        if total != 2:
            return np.inf if total < 2 else -np.inf
        return float(-0.5 * (k * (np.log(w) + _LOG_2)).sum() - 0.5 * nc.sum())

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
        side = int(np.isfinite(self.support()[0])) - int(np.isfinite(self.support()[1]))

        def place(u: np.ndarray) -> np.ndarray:
            return side * np.exp(side * u.astype(np.longdouble)) if side else self._centre + self._spread * np.sinh(u)

        def excess(y: np.ndarray, index: np.ndarray) -> np.ndarray:
            gap = self._log_tail(y, upper) - goal[index]
            return np.clip(gap if upper else -gap, -1e300, 1e300)

        # Log tails down to -745 lie within a few thousand standard deviations, and not below e^-1600 of the least
        # weight.
        if side:
            least = np.log(np.abs(self._forms.alpha[self._forms.alpha != 0]).min()) - 1600
            ends = sorted((side * least, side * np.log(abs(self._centre) + 1e4 * self._spread)))
        else:
            ends = [-10.0, 10.0]
        lower, higher = (np.full(goal.shape, end) for end in ends)
        u = safe_root(lambda v, index: excess(place(v), index), higher, lower)
        with np.errstate(over="ignore", under="ignore"):
            if side:
                return self._placed(place(u))
            # place() cancels where x is small beside the mean: settle x itself.
            middle, slack = place(u), 1e-9 * (abs(self._centre) + self._spread * np.cosh(u))
            near = np.flatnonzero(np.abs(middle) < slack)
            if near.size:  # of whatever size beside the mean, down to the least scale of the law
                sizes = np.append(np.abs(self._forms.alpha).ravel(), self._forms.b.ravel())
                least = np.longdouble(sizes[sizes > 0].min())
                above, under = (np.arcsinh((middle[near] + way * slack[near]) / least) for way in (1, -1))
                v = safe_root(lambda v, index: excess(least * np.sinh(v), near[index]), above, under)
                middle, slack = middle.astype(np.longdouble), slack.astype(np.longdouble)
                middle[near], slack[near] = least * np.sinh(v), 1e-9 * least * np.cosh(v)
            return self._placed(safe_root(excess, middle + slack, middle - slack))


def _finite(values: Any, argument: str) -> np.ndarray:
    array = np.array(float_array(values, argument, "must be a rectangular array of numbers"))
    if not np.isfinite(array).all():
        raise InputError(argument, float(array[~np.isfinite(array)].flat[0]), "must be finite")
    return array


def _points(x: Any) -> np.ndarray:
    array = float_array(x, "x")
    if np.isnan(array).any():
        raise InputError("x", float("nan"), "must not be NaN")
    return array
