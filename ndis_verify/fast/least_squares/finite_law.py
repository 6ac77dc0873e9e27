"""Approximate least squares, finite-r law: two multivariate Student t laws told apart, in float64.

Whiten the larger database: z = (B^T B)^{1/2}(x - x_opt)/||w||. Its sketched solution has a density proportional to
`(1 + |z|^2)^{-(r+1)/2}`, and deleting the record divides the residual sum of squares at x by 1 - q T, 0 <= T <= 1,
where `q T = (sqrt(p) z_1 + sqrt(q-p))^2/(1 + |z|^2)`. So the privacy loss depends on T alone: `L = L0 + ((r+1)/2) log(1
- q T)`, `L0 = ((r-d) log(1-p) - (r-d+1) log(1-q))/2`. On the half sphere y = (1, z)/sqrt(1 + |z|^2) the density is
proportional to y_0^{r-d}, and T = t^2 with t the coordinate of y along (sqrt(q-p), sqrt(p), 0, ...)/sqrt(q). Given t,
y_0 = A + B xi with A = cos(theta) t, B = sin(theta) sqrt(1 - t^2), sin(theta)^2 = p/q, and xi a coordinate of a uniform
direction in R^d. That leaves an integral over t of an integral over xi, both of positive terms and both kept in
logarithms: nothing cancels and nothing underflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import betaln

from ndis_verify.exact_number import broadcast
from ndis_verify.fast.engine.kernels import compiled_wanted
from ndis_verify.fast.hockey_stick import checked_epsilons
from ndis_verify.fast.least_squares.asymptotic_law import checked_records, largest_loss, require_enough_rows
from ndis_verify.fast.least_squares.kernel import DRAFT, FULL, Rule, log_kernel, log_sum, logistic

ROUGH = 0.3  # how far a Laplace estimate of the inner integral may be below its logarithm
_EFFORTS = {"full": (FULL, FULL), "draft": (DRAFT, DRAFT), "rough": (DRAFT, None)}
# Above: the outer integrand is wide on one side and narrow on the other. So it is for one row, r = 1, whose density is
# 1/sqrt(1 - t^2), with a gap between the intervals of t and that pole as small as q - p.
_NEAR, _FINE = 0.99, Rule(0.04)
_CHUNK = 128
# Points of one round of the search for a mode: a call costs as much for one row of a hundred as of eleven.
_ZOOM, _ZOOM_FEW = np.linspace(-1.0, 1.0, 11), np.linspace(-1.0, 1.0, 81)
_FEW = 8
_ROUNDS = 10
_REACH = 150.0
_DROP = 0.5
_WIDTHS = 10.0 ** np.linspace(-5.0, 1.3, 36)
_EDGE = 600.0
_LEAST, _LIFT = 2.0**-900, 2.0**150
_NOTHING = 60.0  # a logarithm below the top, by an estimate: less than rounding
# Where T is on the right side of the threshold tau = root^2, as intervals of t between signed markers; `node` =
# sin(theta),
# at which y_0 starts to be positive (t > -node) and beyond which it is positive for every xi (t > node).
_PIECES = {
    ("delete", True): ((("-", "root"), ("+", "root")),),
    ("delete", False): ((("-", "node"), ("+", "node")), (("+", "node"), ("+", "root"))),
    ("insert", True): ((("+", "node"), ("+", "one")), (("+", "root"), ("+", "node")), (("-", "node"), ("-", "root"))),
    ("insert", False): ((("+", "root"), ("+", "one")),),
}


def als_exact_hockey_stick(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, epsilon: Any, direction: str = "delete"
) -> np.ndarray:
    """delta(epsilon) of the sketched solution (Pi B)^+ Pi b itself, Pi r x n standard normal, with and without one
    record.

    The law is a multivariate Student t with r-d+1 degrees of freedom, location x_opt and scale matrix
    (||w||^2/(r-d+1))(B^T B)^{-1} (the problem left open in N24 section 6.3). Arguments as `als_hockey_stick`, with r >=
    d. The residual must not vanish in either database (q < 1): with w = 0 the output is x_opt itself, a point mass.
    Relative error at most 2e-10 where 1e-290 <= delta <= 1/2 and 2e-9 above 1/2, for r <= 1e5 and 1 - q >= 2^-30:
    logarithms of size r/2 cancel, each to a few units of 2^-53. All that for an epsilon within a relative 1e-14: it
    shows next to the largest loss. Exactly 0 from `als_max_privacy_loss` on. leverage, augmented_leverage, direction:
    as in `als_hockey_stick`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import als_exact_hockey_stick
    >>> print(f"{als_exact_hockey_stick(0.125, 0.25, 3, 50, 1.0):.10f}")
    0.1234490073
    """
    with np.errstate(under="ignore"):
        logs = log_als_exact_hockey_stick(leverage, augmented_leverage, d, r, epsilon, direction)
        return np.minimum(np.exp(logs), 1.0)[()]


def log_als_exact_hockey_stick(
    leverage: Any,
    augmented_leverage: Any,
    d: Any,
    r: Any,
    epsilon: Any,
    direction: str = "delete",
    *,
    effort: str = "full",
) -> np.ndarray:
    """log of `als_exact_hockey_stick`; -inf where it is exactly 0. For searches, in a fraction of the time: effort
    "draft", to 1e-4, and "rough", at most `ROUGH` too low, and too high by no more than a draft.

    leverage, augmented_leverage, d, r, epsilon, direction: as in `als_exact_hockey_stick`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import log_als_exact_hockey_stick
    >>> print(f"{log_als_exact_hockey_stick(0.125, 0.25, 3, 50, 1.0):.9f}")
    -2.091927105
    """
    p, q, d, r = checked_records(leverage, augmented_leverage, d, r, direction)
    require_enough_rows(d, r)
    p, q, r, epsilon = broadcast(leverage=p, augmented_leverage=q, r=r, epsilon=checked_epsilons(epsilon))
    shape = p.shape
    p, q, r, epsilon = (x.ravel() for x in (p, q, r, epsilon))
    return log_deltas({direction: p}, q, d, r, epsilon, effort)[0].reshape(shape)[()]


def log_deltas(
    records: Mapping[str, np.ndarray], q: np.ndarray, d: int, r: np.ndarray, epsilon: np.ndarray, effort: str = "full"
) -> np.ndarray:
    """`log_als_exact_hockey_stick` of the records p of each direction, a row a direction, of checked columns."""
    result = np.full((len(records), q.size), -np.inf)
    scale, epsilon = lifted(q, epsilon)
    q, ways = q * scale, tuple((direction, p * scale) for direction, p in records.items())
    if compiled_wanted(result.size):
        from ndis_verify.fast.least_squares import compiled_law  # numba takes half a second

        wide = _FINE if effort == "full" else _EFFORTS[effort][0]
        for number, (direction, p) in enumerate(ways):
            over = largest_loss(p, q, d, r, direction) - epsilon
            result[number] = compiled_law.log_deltas(p, q, d, r, epsilon, over, direction, _EFFORTS[effort], wide)
        return result - np.log(scale)
    live = np.array([epsilon < largest_loss(p, q, d, r, direction) for direction, p in ways])
    near = ((q > _NEAR) | (r == 1)) & (effort == "full")
    for wanted, rules in ((live & ~near, _EFFORTS[effort]), (live & near, (_FINE, FULL))):
        entries = np.argwhere(wanted)
        for start in range(0, len(entries), _CHUNK):
            way, column = entries[start : start + _CHUNK].T
            pieces, owners = [], []
            for number, (direction, p) in enumerate(ways):
                at = column[way == number]
                if at.size:
                    for rows, piece in _Laws(p[at], q[at], d, r[at], epsilon[at], direction).pieces():
                        pieces.append(piece)
                        owners.append(number * q.size + at[rows])
            if pieces:
                values = _Piece.joined(pieces).log_integral(*rules)
                np.logaddexp.at(result.reshape(-1), np.concatenate(owners), values)
    return result - np.log(scale)


def lifted(q: np.ndarray, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Powers of two that bring q next to the least floats away from there, and epsilon times them.

    So close to 0 the divergence is proportional to what p, q and epsilon are all multiplied by, for all that floats can
    tell: what is neglected is of the size of r q.
    """
    scale = np.where(q < _LEAST, _LIFT, 1.0)
    with np.errstate(over="ignore"):  # farther above the largest loss than it was
        return scale, epsilon * scale


class _Laws:
    """Entries with delta > 0, one per row of (E, 1) columns, and the markers of their half spheres."""

    def __init__(self, p: np.ndarray, q: np.ndarray, d: int, r: np.ndarray, epsilon: np.ndarray, direction: str):
        self.d, self.direction = d, direction
        self.q, self.r, self.epsilon, self.k = (x[:, None] for x in (q, r, epsilon, r - d))
        excess = (2 / (r + 1)) * (largest_loss(p, q, d, r, direction) - epsilon)  # > 0
        log_q = np.log1p(-q)
        # edge = log(1 - q tau); the loss exceeds epsilon where T < tau (delete) or T > tau (insert).
        # Its distance from log(1 - q) is the excess itself for an insertion: next to the largest loss a difference
        # would cancel.
        edge, past = (-excess, -excess - log_q) if direction == "delete" else (log_q + excess, excess)
        tau = -np.expm1(edge) / q
        node, root = np.sqrt(p / q), np.sqrt(tau)
        above = (1 - q) * np.expm1(past) / q  # 1 - tau
        one_node, one_root = (q - p) / q / (1 + node), above / (1 + root)
        between = np.where(tau > 0.5, (q - p) / q - above, tau - p / q)  # from the nearer of 0 and 1
        self.inside = between <= 0  # both roots may be 1 in floats
        self.cosine, self.edge, self.past = np.sqrt((q - p) / q)[:, None], edge[:, None], past[:, None]
        self.at = {"one": np.ones_like(q)[:, None], "node": node[:, None], "root": root[:, None]}
        apart = {("one", "node"): one_node, ("one", "root"): one_root, ("root", "node"): between / (root + node)}
        self.apart = {pair: gap[:, None] for pair, gap in apart.items()}

    def take(self, rows: np.ndarray) -> _Laws:
        part = object.__new__(_Laws)
        part.d, part.direction = self.d, self.direction
        for name in ("q", "r", "epsilon", "k", "cosine", "edge", "past"):
            setattr(part, name, getattr(self, name)[rows])
        part.at = {name: value[rows] for name, value in self.at.items()}
        part.apart = {pair: value[rows] for pair, value in self.apart.items()}
        return part

    def minus(self, marker: str, end: tuple[str, str]) -> np.ndarray:
        """marker - end without cancellation; `end` is a signed marker."""
        sign, name = end
        if sign == "-":
            return self.at[marker] + self.at[name]
        if marker == name:
            return np.zeros_like(self.q)
        return self.apart[marker, name] if (marker, name) in self.apart else -self.apart[name, marker]

    def pieces(self) -> Iterator[tuple[np.ndarray, _Piece]]:
        """Rows, and the intervals on which their loss exceeds epsilon."""
        for inside in (True, False):
            rows = np.flatnonzero(self.inside == inside)
            for low, high in _PIECES[self.direction, inside] if rows.size else ():
                there = rows[self.take(rows).width(low, high)[:, 0] > 0]
                if there.size:
                    yield there, _Piece(self.take(there), low, high)

    def width(self, low: tuple[str, str], high: tuple[str, str]) -> np.ndarray:
        """high - low; both negative, both positive, or low negative and high positive."""
        if high[0] == "-":
            return self.minus(low[1], ("+", high[1]))
        return self.minus(high[1], low)


class _Piece:
    """The integral over one interval of t a row, in the logistic coordinate v of that interval."""

    def __init__(self, laws: _Laws, low: tuple[str, str], high: tuple[str, str]):
        self.d, self.deleted = laws.d, np.full_like(laws.q, laws.direction == "delete", dtype=bool)
        self.q, self.r, self.epsilon, self.k = laws.q, laws.r, laws.epsilon, laws.k
        self.cosine, self.edge, self.past, self.node = laws.cosine, laws.edge, laws.past, laws.at["node"]
        self.width = laws.width(low, high)
        signed = {"+": 1.0, "-": -1.0}
        self.low, self.high = (signed[end[0]] * laws.at[end[1]] for end in (low, high))
        self.constant = np.log(2.0) - betaln((laws.k + 1) / 2, laws.d / 2)
        flipped = [("-" if sign == "+" else "+", name) for sign, name in (low, high)]
        for name in laws.at:
            # marker - low and marker - high, then marker + high and marker + low, each without cancellation.
            a, b, c, e = (laws.minus(name, end) for end in (low, high, *reversed(flipped)))
            for which, one, other in (("minus", a, b), ("plus", c, e)):
                first = np.abs(one) < np.abs(other)
                setattr(self, f"{name}_{which}", np.where(first, one, other))
                setattr(self, f"{name}_{which}_first", first)

    @classmethod
    def joined(cls, pieces: Sequence[_Piece]) -> _Piece:
        """All their rows, worked on together."""
        if len(pieces) == 1:
            return pieces[0]
        whole = object.__new__(cls)
        whole.d = pieces[0].d
        for name, column in vars(pieces[0]).items():
            if isinstance(column, np.ndarray):
                setattr(whole, name, np.concatenate([getattr(piece, name) for piece in pieces]))
        return whole

    def _factors(self, marker: str, up: np.ndarray, down: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(marker - t, marker + t) with t = low + up = high - down, from the nearer end."""
        near: Mapping[str, np.ndarray] = vars(self)
        minus, plus = f"{marker}_minus", f"{marker}_plus"
        return (
            near[minus] + np.where(near[f"{minus}_first"], -up, down),
            near[plus] + np.where(near[f"{plus}_first"], -down, up),
        )

    def log_integrand(self, v: np.ndarray, rule: Rule | None) -> np.ndarray:
        log_s, log_rest = logistic(np.clip(v, -_EDGE, _EDGE))
        up, down = self.width * np.exp(log_s), self.width * np.exp(log_rest)
        t = np.where(up < down, self.low + up, self.high - down)
        one_minus, one_plus = self._factors("one", up, down)
        node_minus, node_plus = self._factors("node", up, down)
        root_minus, root_plus = self._factors("root", up, down)
        with np.errstate(all="ignore"):
            mean, spread = self.cosine * t, self.node * np.sqrt(one_minus * one_plus)
            # (B + A)(B - A) = node^2 - t^2
            product = node_minus * node_plus
            total = np.where(t > 0, mean + spread, product / (spread - mean))
            rest = np.where(t > 0, -product / (mean + spread), mean - spread)
            k = np.broadcast_to(self.k, t.shape)
            inner = np.maximum(total, 1e-300), rest, spread, k
            kernel = log_kernel(*inner, self.d, None)
            density = self.constant + (self.d - 2) / 2 * np.log(one_minus * one_plus) + kernel
            # log(1 - q T) - edge, from the nearer of T = tau and T = 1: the error is multiplied by (r + 1)/2.
            ahead = self.q * root_minus * root_plus * np.exp(-self.edge)
            from_one = np.log1p(self.q * one_minus * one_plus / (1 - self.q)) - self.past
            gain = -0.5 * (self.r + 1) * np.where(ahead > -0.5, np.log1p(ahead), from_one)
            value = density + self._log_weight(gain) + log_s + log_rest + np.log(self.width)
            value = np.where(np.isnan(value), -np.inf, value)
            if rule is not None:
                wanted = value > value.max(axis=1, keepdims=True) - _NOTHING
                total, rest, spread, k = (part[wanted] for part in inner)
                value[wanted] += log_kernel(total, rest, spread, k, self.d, rule) - kernel[wanted]
        return np.where(np.isnan(value), -np.inf, value)

    def _log_weight(self, gain: np.ndarray) -> np.ndarray:
        """log(1 - e^{epsilon - L}) for P the larger, log(e^{-L} - e^{epsilon}) for Q the larger; gain = +-(epsilon -
        L).
        """
        weight = np.log(-np.expm1(np.where(self.deleted, gain, -gain)))
        return np.where(self.deleted, weight, self.epsilon + gain + weight)

    def _window(self) -> tuple[np.ndarray, np.ndarray]:
        """Mode and scale of the integrand in v, from Laplace estimates of the inner integral."""
        centre, reach = np.zeros_like(self.width), _REACH
        few = len(centre) <= _FEW
        zoom = _ZOOM_FEW if few else _ZOOM
        for _ in range(_ROUNDS):
            grid = centre + reach * zoom
            values = self.log_integrand(grid, None)
            best = values.argmax(axis=1)[:, None]
            centre, reach = np.take_along_axis(grid, best, axis=1), reach / (zoom.size // 2)
            height = np.take_along_axis(values, best, axis=1)
            if (height - values.min(axis=1, keepdims=True) < _DROP).all():
                break

        def dropped(widths: np.ndarray) -> np.ndarray:
            both = self.log_integrand(np.hstack([centre - widths, centre + widths]), None)
            with np.errstate(invalid="ignore"):
                return height - (both[:, : widths.shape[1]] + both[:, widths.shape[1] :]) / 2 > _DROP

        # The first width at which the integrand has dropped.
        if few:
            there = dropped(np.broadcast_to(_WIDTHS, (len(centre), _WIDTHS.size)))
            return centre, _WIDTHS[np.where(there.any(axis=1), there.argmax(axis=1), -1)][:, None]
        low, high = np.zeros(len(centre), dtype=int), np.full(len(centre), _WIDTHS.size - 1)
        while (low < high).any():
            middle = (low + high) // 2
            there = dropped(_WIDTHS[middle][:, None])[:, 0]
            low, high = np.where(there, low, np.minimum(middle + 1, high)), np.where(there, middle, high)
        return centre, _WIDTHS[high][:, None]

    def log_integral(self, rule: Rule, inner: Rule | None) -> np.ndarray:
        centre, scale = self._window()
        values = self.log_integrand(centre + scale * np.sinh(rule.nodes), inner)
        return log_sum(values + rule.log_slopes) + np.log(scale[:, 0] * rule.step)
