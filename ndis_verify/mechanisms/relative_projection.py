"""Random projection that is private relative to a public set of databases (N24-D6, N24-Fig12).

Relative DP with the set {D and its neighbours}: the set is public, and with it D. What is promised is that two
neighbours that are both in the set cannot be told apart from a release better than (epsilon, delta) allows; nothing is
promised about other databases. The calibration, and so the branch taken, is a function of the set and never of the
database released: computed afresh from each database, from that database's own neighbours, it would give itself away.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy

from ndis_verify.arguments import within
from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError
from ndis_verify.fast.leverage import neighbourhood_leverage
from ndis_verify.fast.random_projection import rp_hockey_stick
from ndis_verify.mechanisms.calibration import Calibration, Certificate, choice, columns, number, ordinary, require_kind
from ndis_verify.mechanisms.exact.grid import Release, releasing
from ndis_verify.mechanisms.random_projection import projected, proper_target, ridge_level, ridged_law, rounded_up
from ndis_verify.mechanisms.records import database
from ndis_verify.mechanisms.white_box import OutputLaw

RelativeRidge = Literal["smallest", "N24-Fig12"]
ADJACENCY = "one record added or removed, both databases in the public set (relative DP)"


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The set of `base` and of its neighbours: less one of its records, or with one record of `additions` more.

    additions: the m x d records that may come in, or None for every record of norm at most `norm_bound`. Both are kept
    as read-only copies. Raises `InputError`.
    """

    base: np.ndarray
    norm_bound: float
    additions: np.ndarray | None

    def __post_init__(self) -> None:
        length, additions = ordinary(self.norm_bound, "norm_bound"), self.additions
        base = _unchangeable(database(self.base, length))
        if additions is not None:
            same = additions is self.base
            additions = base if same else _unchangeable(database(additions, length, "additions"))
            if additions.shape[1] != base.shape[1]:
                raise InputError("additions", f"shape {additions.shape}", f"must have {base.shape[1]} columns")
        for name, value in (("base", base), ("norm_bound", length), ("additions", additions)):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Neighbourhood, (self.base, self.norm_bound, self.additions)

    def digest(self) -> str:
        """A fingerprint (SHA-256) of the set, by which a calibration names the one that it was made for."""
        found = hashlib.sha256(repr((self.base.shape, self.norm_bound, self.additions is None)).encode())
        for array in (self.base, self.additions):
            found.update(b"" if array is None else array.tobytes())
        return found.hexdigest()

    def leverage(self, ridge: float = 0.0) -> float:
        """The leverage of the set (N24-D6) beside a ridge, rounded up; 1 where the base lacks full column rank and
        ridge = 0.

        max_i p_i over the records of the base, and h/(1 + h), h = u^T (D^T D + ridge I)^{-1} u, over additions u: for
        all of the ball that is l^2/(lambda_min + ridge + l^2).
        """
        ridge = number(ridge, "ridge", 0.0, 1e300)
        largest = neighbourhood_leverage(self.base, self.additions, ridge)
        return largest if self.additions is not None else max(largest, self._ball_leverage(ridge))

    def contains(self, data: Any) -> bool:
        """Whether `data` is the base or a neighbour of it in the set; the order of the records does not matter."""
        records = database(data, self.norm_bound)
        if records.shape[1] != self.base.shape[1]:
            return False
        mine, theirs = (Counter(row.tobytes() for row in rows + 0.0) for rows in (self.base, records))
        gone, come = sum((mine - theirs).values()), list((theirs - mine).elements())
        if come and self.additions is not None and come[0] not in {row.tobytes() for row in self.additions + 0.0}:
            return False
        return gone + len(come) <= 1

    def member(self, data: Any) -> np.ndarray:
        """`data` as an array, which must be in the set. Raises `InputError`."""
        records = database(data, self.norm_bound)
        if not self.contains(records):
            raise InputError(
                "data", f"shape {records.shape}", "must be in the set of databases: its base, or one record away"
            )
        return records

    def least_ridge(self, leverage: float) -> float:
        """The least ridge beside which the leverage of the set is at most `leverage` in (0, 1); 0 where none is needed.
        Raises `InputError`.
        """
        leverage = number(leverage, "leverage", 0.0, 1.0)
        within(leverage, "leverage", "(0, 1)")
        if self.leverage() <= leverage:
            return 0.0
        largest = self.norm_bound**2 * (1 / leverage - 1)  # enough for any database
        values, vectors = np.linalg.eigh(self.base.T @ self.base)
        values = np.maximum(values, 0.0)
        squares = [
            (rows @ vectors) ** 2
            for rows in (self.base, np.zeros((0, len(values))) if self.additions is None else self.additions)
        ]

        def estimate(ridge: float) -> float:
            out, come = ((square / (values + ridge)).sum(axis=1).max(initial=0.0) for square in squares)
            ball = self.norm_bound**2 / (values[0] + ridge) if self.additions is None else 0.0
            found = np.array([out, *(1 - 1 / (1 + np.array([come, ball])))])
            return float(found.max()) if np.isfinite(found).all() else 1.0

        ends = np.log(largest) + np.array([-40.0, 1.0])
        root = ends[0]
        if estimate(np.exp(ends[0])) > leverage:
            root = scipy.optimize.brentq(lambda x: estimate(np.exp(x)) - leverage, *ends, xtol=1e-13, rtol=1e-13)
        high = min(float(np.exp(root)), largest)
        step = 1e-12
        while (
            not self.leverage(high) <= leverage and high < largest
        ):  # the search was rough, the last word is the upper bound's
            high, step = min(high * (1 + step), largest), 2 * step
        return high

    def _ball_leverage(self, ridge: float) -> float:
        n, d = self.base.shape
        values = np.linalg.svd(self.base, compute_uv=False)
        slack = 8 * max(n, d) * np.finfo(float).eps
        smallest = max(values[-1] - slack * values[0], 0.0) ** 2 if n >= d else 0.0
        return min(self.norm_bound**2 / (smallest + ridge + self.norm_bound**2) * (1 + slack), 1.0)


def neighbourhood(data: Any, norm_bound: Any, additions: Any = "rows") -> Neighbourhood:
    """The set of `data` and its neighbours, records within the public `norm_bound`.

    additions "rows": records that the database has already, as in the source's experiments; "ball": every record of
    norm at most `norm_bound`; or a matrix of records. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import neighbourhood
    >>> data = [[0.6, 0.0], [0.0, 0.8], [0.5, 0.5]]
    >>> databases = neighbourhood(data, norm_bound=1.0)
    >>> databases.base.shape, databases.additions.shape
    ((3, 2), (3, 2))
    """
    if isinstance(additions, str):
        if additions not in ("rows", "ball"):
            raise InputError("additions", additions, "must be 'rows', 'ball' or a matrix of records")
        return Neighbourhood(data, norm_bound, data if additions == "rows" else None)
    if additions is None:
        raise InputError("additions", additions, "must be 'rows', 'ball' or a matrix of records")
    return Neighbourhood(data, norm_bound, additions)


def _unchangeable(array: np.ndarray) -> np.ndarray:
    """A copy that nobody can make writable again: the calibration of a set is true of the set that it was made for."""
    return np.ndarray(array.shape, buffer=array.tobytes())


def require_set(databases: Any, calibration: Calibration | None = None) -> None:
    """`databases` is a `Neighbourhood`, the one that the calibration was made for if there is one. Raises
    `InputError`.
    """
    if not isinstance(databases, Neighbourhood):
        raise InputError(
            "databases", type(databases).__name__, "must be a set of databases, as neighbourhood() makes it"
        )
    if calibration is not None and calibration.public.get("set") != databases.digest():
        raise InputError(
            "databases", f"shape {databases.base.shape}", "must be the set that the calibration was made for"
        )


@dataclass(frozen=True, eq=False)
class RelativeRandomProjection:
    """The projection above the ridge that the set needs, which may be none; only members of the set are projected."""

    calibration: Calibration
    databases: Neighbourhood

    def __post_init__(self) -> None:
        require_kind(self.calibration, ("relative random projection",), "ridge")
        require_set(self.databases, self.calibration)

    @property
    def ridge(self) -> float:
        """The variance added to every coordinate; 0 where the projection's own randomness is enough."""
        return self.calibration.noise["ridge"]

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> Release:
        """The d x r projection of `data`, a member of the set, rounded exactly. Raises `InputError`,
        `UnsafeRelease`.
        """
        self.calibration.require_safe()
        return projected(self.databases.member(data), self.ridge, self.calibration.public["r"], rng, self._scale())

    def output_law(self, data: Any) -> OutputLaw:
        """r independent columns N(0, D^T D + ridge I): what `release` samples from."""
        return ridged_law(self.databases.member(data), self.ridge, self.calibration.public["r"])

    def _scale(self) -> float:
        """What fixes the grid: sqrt(ridge), or without one the least norm of a column of the public base."""
        norms = np.linalg.norm(self.databases.base, axis=0)
        return math.sqrt(self.ridge) or float(norms[norms > 0].min(initial=self.databases.norm_bound))


@keyword_only
def relative_random_projection(
    databases: Neighbourhood, r: Any, *, epsilon: Any, delta: Any, ridge: RelativeRidge = "smallest"
) -> RelativeRandomProjection:
    """Random projection, (epsilon, delta)-DP relative to the set `databases` (N24-Fig12, N24-T6).

    No ridge where the leverage of the set is at most p*. Otherwise "smallest" is the least ridge beside which it is,
    and "N24-Fig12" the ridge l^2/p* that the printed mechanism falls back to. epsilon >= 0, 0 < delta < 1, whole r >=
    1. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import relative_random_projection
    >>> from ndis_verify.mechanisms import neighbourhood
    >>> databases = neighbourhood([[0.5, 0.0], [0.0, 0.75], [0.5, 0.5]], norm_bound=1.0)
    >>> print(f"{relative_random_projection(databases, 5, epsilon=1.0, delta=0.1).ridge:.7f}")
    0.7017586
    """
    require_set(databases)
    choice(ridge, "ridge", ("smallest", "N24-Fig12"))
    r, target = columns(r), proper_target(epsilon=epsilon, delta=delta)
    length = databases.norm_bound
    everywhere = ridge_level(length, r, epsilon=target.epsilon, delta=target.delta, ridge="smallest")
    allowed = length**2 / (length**2 + everywhere) * (1 - 4e-16)
    inherent = databases.leverage()
    if inherent <= allowed:
        level, leverage = 0.0, inherent
    else:
        printed = ridge == "N24-Fig12"
        level = (
            ridge_level(length, r, epsilon=target.epsilon, delta=target.delta, ridge="N24-Fig3")
            if printed
            else databases.least_ridge(allowed)
        )
        leverage = min(databases.leverage(level), length**2 / (length**2 + level) * (1 + 4e-16))
    why = Certificate(
        "largest leverage over neighbours in the set (N24-D6, N24-T2)",
        {"leverage": leverage, "r": r, "direction": "delete"},
        rounded_up(float(rp_hockey_stick(leverage, r, target.epsilon)), r),
    )
    public = {
        "norm_bound": length,
        "r": r,
        "records": len(databases.base),
        "leverage": inherent,
        "set": databases.digest(),
    }
    return RelativeRandomProjection(
        Calibration(f"relative random projection, {ridge} ridge", ADJACENCY, public, target, {"ridge": level}, why),
        databases,
    )


def inherent_delta(databases: Neighbourhood, r: Any, epsilon: Any) -> float:
    """delta(epsilon) that the plain projection to r columns has on the set, rounded up; 1 where its leverage is 1.

    databases: a `neighbourhood`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import inherent_delta
    >>> from ndis_verify.mechanisms import neighbourhood
    >>> databases = neighbourhood([[1.0], [1.0], [1.0], [1.0]], norm_bound=1.0)  # leverage 1/4
    >>> print(f"{inherent_delta(databases, 5, 1.0):.9f}")
    0.019883491
    """
    require_set(databases)
    leverage, r, epsilon = databases.leverage(), columns(r), number(epsilon, "epsilon", 0.0, 1e300)
    return 1.0 if leverage >= 1 else rounded_up(float(rp_hockey_stick(leverage, r, epsilon)), r)
