"""Denoising of values on the nodes of a connected graph: spanning-tree wavelets and trend filtering (BW-Fig2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import splu

from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.calibration import positive, whole
from ndis_verify.mechanisms.denoising import universal_threshold
from ndis_verify.mechanisms.gaussian import finite_array


@dataclass(frozen=True, eq=False)
class Graph:
    """A connected graph: n nodes, `edges` an m x 2 array of different nodes."""

    nodes: int
    edges: np.ndarray

    def __post_init__(self) -> None:
        edges = np.asarray(self.edges)
        if edges.ndim != 2 or edges.shape[1] != 2 or not np.issubdtype(edges.dtype, np.integer):
            raise InputError("edges", f"shape {edges.shape}", "must be an m x 2 array of node numbers")
        if (edges.size and not 0 <= edges.min() <= edges.max() < self.nodes) or (edges[:, 0] == edges[:, 1]).any():
            raise InputError("edges", "a pair", f"must join two different nodes from 0 to {self.nodes - 1}")
        object.__setattr__(self, "edges", edges)
        if csgraph.connected_components(self.adjacency(), directed=False, return_labels=False) != 1:
            raise InputError("edges", f"{len(edges)} of them", "must connect all nodes")

    def adjacency(self) -> sparse.csr_array:
        """n x n, 1 where nodes are joined."""
        ones = np.ones(len(self.edges))
        half = sparse.coo_array((ones, tuple(self.edges.T)), shape=(self.nodes, self.nodes))
        return sparse.csr_array((half + half.T) > 0).astype(np.float64)

    def incidence(self) -> sparse.csr_array:
        """m x n: row e is +1 and -1 at the ends of edge e."""
        m = len(self.edges)
        values, rows = np.tile([1.0, -1.0], m), np.repeat(np.arange(m), 2)
        return sparse.csr_array((values, (rows, self.edges.ravel())), shape=(m, self.nodes))

    def laplacian(self) -> sparse.csr_array:
        """n x n: degree minus adjacency."""
        incidence = self.incidence()
        return sparse.csr_array(incidence.T @ incidence)


@dataclass(frozen=True, eq=False)
class TreeWavelet:
    """Haar wavelets of a spanning tree, an orthonormal basis (after Sharpnack et al. 2013).

    `order` lists the nodes so that every set of the recursion is a range; split j halves [start, end) at middle.
    """

    order: np.ndarray
    start: np.ndarray
    middle: np.ndarray
    end: np.ndarray

    def transform(self, values: np.ndarray) -> np.ndarray:
        """n coefficients: first `sum/sqrt(n)`, then `sqrt(|A||B|/(|A|+|B|)) (mean over A - mean over B)` for every
        split.
        """
        sums = np.concatenate([[0.0], np.cumsum(values[self.order])])
        left, right = self.middle - self.start, self.end - self.middle
        means = (sums[self.middle] - sums[self.start]) / left - (sums[self.end] - sums[self.middle]) / right
        return np.concatenate([[sums[-1] / np.sqrt(len(values))], np.sqrt(left * right / (left + right)) * means])

    def inverse(self, coefficients: np.ndarray) -> np.ndarray:
        """The values with these coefficients."""
        n = len(self.order)
        left, right = self.middle - self.start, self.end - self.middle
        height = np.sqrt(left * right / (left + right)) * coefficients[1:]
        steps = np.zeros(n + 1)
        np.add.at(steps, self.start, height / left)
        np.add.at(steps, self.middle, -height / left - height / right)
        np.add.at(steps, self.end, height / right)
        values = np.empty(n)
        values[self.order] = np.cumsum(steps[:-1]) + coefficients[0] / np.sqrt(n)
        return values


def tree_wavelet(graph: Graph, rng: np.random.Generator) -> TreeWavelet:
    """The wavelets of a random spanning tree, each set split at the edge that halves it best. The graph is public."""
    weights = sparse.csr_array(
        (1 + rng.random(len(graph.edges)), tuple(graph.edges.T)), shape=(graph.nodes, graph.nodes)
    )
    tree = csgraph.minimum_spanning_tree(weights)
    near: list[set[int]] = [set() for _ in range(graph.nodes)]
    for a, b in zip(*(index.tolist() for index in tree.nonzero()), strict=True):
        near[a].add(b)
        near[b].add(a)
    order, splits, waiting = np.empty(graph.nodes, dtype=np.int64), [], [(0, 0)]
    while waiting:
        root, start = waiting.pop()
        visited, parent, size = _subtree(root, near)
        if len(visited) == 1:
            order[start] = root
            continue
        # the non-root node whose subtree is nearest to half
        low = min(visited[1:], key=lambda node: abs(2 * size[node] - len(visited)))
        near[low].discard(parent[low])
        near[parent[low]].discard(low)
        splits.append((start, start + size[low], start + len(visited)))
        waiting += [(low, start), (root, start + size[low])]
    return TreeWavelet(order, *np.array(splits, dtype=np.int64).reshape(-1, 3).T)


def _subtree(root: int, near: list[set[int]]) -> tuple[list[int], dict[int, int], dict[int, int]]:
    """The nodes of a tree from its root on, their parents, and the sizes of what hangs from them."""
    visited, parent = [root], {root: -1}
    for node in visited:
        for other in near[node]:
            if other != parent[node]:
                parent[other] = node
                visited.append(other)
    size = dict.fromkeys(visited, 1)
    for node in reversed(visited[1:]):
        size[parent[node]] += size[node]
    return visited, parent, size


def wavelet_threshold(y: Any, std: float, basis: TreeWavelet) -> np.ndarray:
    """Soft threshold at `std sqrt(2 ln n)` of every wavelet coefficient but the mean's. Raises `InputError`."""
    values, spread = _values(y, len(basis.order)), positive(std, "std")
    coefficients = basis.transform(values)
    level = spread * universal_threshold(len(values))
    details = coefficients[1:]
    coefficients[1:] = np.sign(details) * np.maximum(np.abs(details) - level, 0.0)
    return basis.inverse(coefficients)


@dataclass(frozen=True, eq=False)
class TrendFit:
    """A trend-filtered signal, its penalty, its degrees of freedom, and the duality gap of the solver over the
    objective.
    """

    values: np.ndarray
    penalty: float
    freedom: int
    gap: float


def trend_filter(y: Any, graph: Graph, penalty: float, order: int = 0, tolerance: float = 1e-3) -> TrendFit:
    """argmin_x `||y - x||^2/2 + penalty ||K x||_1`, K the incidence matrix (order 0: total variation) or the Laplacian
    (1).

    By the alternating direction method with sparse factorisations, until a dual feasible point shows that the objective
    is within `tolerance` (relative) of its minimum. penalty > 0 in the unit of y. Raises `InputError`, and
    `ArithmeticError` where the gap does not close.
    """
    values, level = _values(y, graph.nodes), positive(penalty, "penalty")
    operator = _operator(graph, order)
    return _fitted(values, operator, graph, level, order, tolerance, (operator @ values, None))[0]


def trend_filter_by_risk(
    y: Any, std: float, graph: Graph, order: int = 0, penalties: int = 10, tolerance: float = 1e-3
) -> TrendFit:
    """Trend filtering with the penalty whose unbiased risk estimate `||y - x||^2 + 2 std^2 df - n std^2` is smallest.

    The penalties go from `std/4` to `32 std` in `penalties` geometric steps; the way up ends when the estimate has
    risen three times in a row. Uses the release y alone. Raises as `trend_filter`.
    """
    values, spread = _values(y, graph.nodes), positive(std, "std")
    operator = _operator(graph, order)
    state: State = (operator @ values, None)
    best, least, risen = None, np.inf, 0
    for level in spread * np.geomspace(0.25, 32.0, whole(penalties, "penalties", 2)):
        fit, state = _fitted(values, operator, graph, float(level), order, tolerance, state)
        estimate = float(((values - fit.values) ** 2).sum() + 2 * spread**2 * fit.freedom)
        risen = 0 if estimate < least else risen + 1
        if estimate < least:
            best, least = fit, estimate
        if risen == 3:
            break
    assert best is not None  # an estimate is finite
    return best


def _operator(graph: Graph, order: int) -> sparse.csr_array:
    if order not in (0, 1):
        raise InputError("order", order, "must be 0 or 1")
    return graph.laplacian() if order else graph.incidence()


_MOST_STEPS, _CHECK_EVERY = 10_000, 10
State = tuple[np.ndarray, np.ndarray | None]  # z and the dual variable, from which the next penalty starts


def _fitted(
    values: np.ndarray,
    operator: sparse.csr_array,
    graph: Graph,
    level: float,
    order: int,
    tolerance: float,
    state: State,
) -> tuple[TrendFit, State]:
    """One fit, and the state (z, dual variable) from which the next penalty starts."""
    mean = values.mean()
    if level >= np.abs(values - mean).sum() * (graph.nodes if order else 1):
        # y - mean flows along a spanning tree within the penalty: the constant is optimal
        return TrendFit(np.full_like(values, mean), level, 1, 0.0), (np.zeros(operator.shape[0]), None)
    z, dual = state[0], np.zeros(operator.shape[0]) if state[1] is None else np.clip(state[1], -level, level)
    scale = np.std(operator @ values) / np.sqrt(operator.power(2).sum(axis=1).mean())
    # without a unit; beyond, the factors lose digits
    weight = min(max(2 * level / scale, 1e-3), 1e6) if scale > 0 else 1.0
    solve = _factored(operator, weight)
    for step in range(1, _MOST_STEPS + 1):
        x = solve(values + operator.T @ (weight * z - dual))
        image, before = operator @ x, z
        moved = 1.8 * image - 0.8 * z + dual / weight  # over-relaxed
        z = np.sign(moved) * np.maximum(np.abs(moved) - level / weight, 0.0)
        dual = weight * (moved - z)
        if step % _CHECK_EVERY:
            continue
        gap = _relative_gap(values, operator, x, dual, level)
        if gap < tolerance:
            return TrendFit(x, level, _freedom(graph, z, order), gap), (z, dual)
        if step in _BALANCED:
            apart, change = np.linalg.norm(image - z), weight * np.linalg.norm(operator.T @ (z - before))
            factor = np.clip(np.sqrt(apart / max(change, 1e-300)), 0.2, 5.0)
            if not 0.7 < factor < 1.4:
                weight = min(max(weight * float(factor), 1e-3), 1e6)
                solve = _factored(operator, weight)
    raise ArithmeticError(f"trend filtering: gap {gap:.3g} after {_MOST_STEPS} steps")


_BALANCED = {
    20,
    40,
    80,
    120,
    160,
    240,
    320,
    480,
    640,
    960,
    1280,
    2560,
}  # steps at which the splitting's weight may change


def _factored(operator: sparse.csr_array, weight: float) -> Callable[[np.ndarray], np.ndarray]:
    """The solver of `(I + weight K^T K) x = b`."""
    return splu(sparse.csc_array(sparse.eye_array(operator.shape[1]) + weight * (operator.T @ operator))).solve


def _relative_gap(
    values: np.ndarray, operator: sparse.csr_array, x: np.ndarray, dual: np.ndarray, level: float
) -> float:
    """(objective - dual objective)/objective at x and a dual point with entries in [-level, level]; the objective at
    least 1e-9 ||y||^2.
    """
    objective = ((values - x) ** 2).sum() / 2 + level * np.abs(operator @ x).sum()
    explained = operator.T @ dual
    lower = (values**2).sum() / 2 - ((values - explained) ** 2).sum() / 2
    rounding = 1e-9 * (values**2).sum()  # an objective below it is rounding
    return float(max(objective - lower, 0.0) / max(objective, rounding, np.finfo(float).tiny))


def _freedom(graph: Graph, z: np.ndarray, order: int) -> int:
    """Dimension of the signals with the same zeros of K x: pieces of the graph, or kinks (at least the constant)."""
    if order:
        return max(int(np.count_nonzero(z)), 1)
    kept = graph.edges[z == 0]
    joined = sparse.coo_array((np.ones(len(kept)), tuple(kept.T)), shape=(graph.nodes, graph.nodes))
    return int(csgraph.connected_components(joined, directed=False, return_labels=False))


def _values(y: Any, nodes: int) -> np.ndarray:
    values = finite_array(y, "y")
    if values.shape != (nodes,):
        raise InputError("y", f"shape {values.shape}", f"must have one value for each of {nodes} nodes")
    return values
