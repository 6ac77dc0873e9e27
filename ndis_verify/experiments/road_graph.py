"""Counts released on a road-like graph of 3,784 nodes and 7,070 edges, denoised (BW-Fig2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.mechanisms.denoising import denoise
from ndis_verify.mechanisms.gaussian import GaussianMechanism, gaussian_mechanism
from ndis_verify.mechanisms.graph_denoising import (
    Graph,
    TreeWavelet,
    tree_wavelet,
    trend_filter_by_risk,
    wavelet_threshold,
)

STREETS, AVENUES, ROADS = 44, 86, 7070  # 44 x 86 = 3,784 junctions; the whole grid has 7,438 sections
SIGNALS = ("smooth", "districts", "scattered")
_TRIPS, _TRIPS_PER_CAB, _DELTA = 100_000, 5.0, 1e-5
METHODS = ("plain", "james_stein", "positive_part", "soft_threshold", "wavelet", "total variation", "trend filtering")


@cache
def road_graph() -> Graph:
    """A planar connected graph: a 44 x 86 grid less 368 sections, none of them in one spanning tree. The same on every
    run.
    """
    index = np.arange(STREETS * AVENUES).reshape(STREETS, AVENUES)
    along = np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()], axis=1)
    across = np.stack([index[:-1].ravel(), index[1:].ravel()], axis=1)
    edges = np.concatenate([along, across])
    rng = np.random.default_rng(3784)
    weights = sparse.csr_array((1 + rng.random(len(edges)), tuple(edges.T)), shape=(index.size, index.size))
    tree = csgraph.minimum_spanning_tree(weights)
    kept = {(int(a), int(b)) for a, b in zip(*tree.nonzero(), strict=True)}
    loose = [k for k, (a, b) in enumerate(edges.tolist()) if (a, b) not in kept and (b, a) not in kept]
    closed = rng.choice(loose, len(edges) - ROADS, replace=False)
    return Graph(index.size, np.delete(edges, closed, axis=0))


@cache
def wavelets() -> TreeWavelet:
    """The wavelets of one spanning tree of the road graph."""
    return tree_wavelet(road_graph(), np.random.default_rng(7070))


def signal(name: str, rng: np.random.Generator) -> np.ndarray:
    """Expected trips per junction, about 100,000 in all: hot spots spread by a kernel, level districts, or unrelated
    junctions.
    """
    rows, columns = np.mgrid[:STREETS, :AVENUES]
    spots = rng.uniform([0, 0], [STREETS, AVENUES], (12, 2))
    if name == "smooth":
        widths, heights = rng.uniform(3, 9, 12), rng.uniform(0.2, 1, 12)
        distance2 = (rows - spots[:, 0, None, None]) ** 2 + (columns - spots[:, 1, None, None]) ** 2
        share = (heights[:, None, None] * np.exp(-distance2 / (2 * widths[:, None, None] ** 2))).sum(axis=0).ravel()
        return spread(rng.multinomial(_TRIPS, share / share.sum()).astype(float))
    if name == "districts":
        nearest = np.abs(rows - spots[:, 0, None, None]) + np.abs(columns - spots[:, 1, None, None])
        share = rng.lognormal(0, 1, 12)[nearest.argmin(axis=0)].ravel()
    else:
        share = rng.lognormal(0, 2, STREETS * AVENUES)
    return _TRIPS * share / share.sum()


def spread(trips: np.ndarray) -> np.ndarray:
    """Every trip shared out along the roads by eight steps of a lazy walk: a kernel density estimate, total
    unchanged.
    """
    adjacency = road_graph().adjacency()
    degrees = adjacency.sum(axis=0)
    for _ in range(8):
        trips = trips / 2 + adjacency @ (trips / degrees) / 2
    return trips


def release_mechanism(epsilon: float) -> GaussianMechanism:
    """The analytic Gaussian mechanism: a cab makes at most five trips, and a trip's shares sum to 1, so it moves counts
    by 5.
    """
    return gaussian_mechanism(
        _TRIPS_PER_CAB, epsilon=epsilon, delta=_DELTA, adjacency="all trips of one cab added or removed, at most five"
    )


def denoised(y: np.ndarray, std: float, method: str, tolerance: float = 3e-3) -> np.ndarray:
    """One of the methods of this experiment; both trend filters choose their penalty by the unbiased risk estimate."""
    if method == "wavelet":
        return wavelet_threshold(y, std, wavelets())
    if method in ("total variation", "trend filtering"):
        order = 1 if method == "trend filtering" else 0
        return trend_filter_by_risk(y, std, road_graph(), order, penalties=8, tolerance=tolerance).values
    return denoise(y, std, method)


def _cells(size: str, data: Any) -> list[dict[str, Any]]:
    epsilons, repetitions = ((1.0,), 2) if size == "quick" else ((0.5, 1.0, 4.0), 10)
    return [{"signal": s, "epsilon": e, "repetition": k} for s in SIGNALS for e in epsilons for k in range(repetitions)]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Any) -> list[Row]:
    truth = signal(cell["signal"], rng)
    mechanism = release_mechanism(cell["epsilon"])
    y = mechanism.release(truth, rng)
    errors = {method: float(np.sqrt(((denoised(y, mechanism.std, method) - truth) ** 2).mean())) for method in METHODS}
    return [{**cell, "method": method, "std": mechanism.std, "rmse": error} for method, error in errors.items()]


def _findings(rows: Sequence[Row]) -> list[Finding]:
    errors: dict[tuple, dict[str, float]] = {}
    for row in rows:
        errors.setdefault((row["signal"], row["epsilon"], row["repetition"]), {})[row["method"]] = row["rmse"]
    near = [errors[key] for key in errors if key[0] != "scattered"]
    smooth = [errors[key] for key in errors if key[0] == "smooth" and key[1] <= 1]
    quiet = [errors[key] for key in errors if key[0] == "smooth" and key[1] >= 4]
    apart = [errors[key] for key in errors if key[0] == "scattered"]
    gain = [cell["plain"] / cell["trend filtering"] for cell in smooth]
    findings = [
        Finding(
            "smooth signals, eps <= 1: trend filtering beats wavelet thresholding, which beats James-Stein and the"
            " plain release",
            all(c["trend filtering"] < c["wavelet"] < min(c["plain"], c["james_stein"]) for c in smooth),
        ),
        Finding(
            "smooth signals, eps <= 1: trend filtering cuts the error at least to a third",
            min(gain) > 3,
            {"least gain": min(gain), "most": max(gain)},
        ),
        Finding(
            "smooth signals and districts: total variation beats wavelet thresholding",
            all(c["total variation"] < c["wavelet"] for c in near),
        ),
        Finding(
            "unrelated junctions: no graph method halves the error of the positive-part James-Stein estimator",
            all(min(c["wavelet"], c["trend filtering"]) > c["positive_part"] / 2 for c in apart),
        ),
        Finding(
            "unrelated junctions: wavelet thresholding is worse than the plain release",
            all(c["wavelet"] > c["plain"] for c in apart),
        ),
        Finding(
            "James-Stein is never worse than the plain release by more than 1 %",
            all(c["james_stein"] < 1.01 * c["plain"] for c in errors.values()),
        ),
    ]
    if quiet:
        holds = all(c["trend filtering"] < c["plain"] < c["wavelet"] for c in quiet)
        findings.append(
            Finding(
                "smooth signals, eps = 4: wavelet thresholding is worse than the plain release, trend filtering better",
                holds,
            )
        )
    return findings


def _draw(rows: Sequence[Row], figure: Any) -> None:
    rng = np.random.default_rng(0)
    truth, mechanism = signal("smooth", rng), release_mechanism(1.0)
    y = mechanism.release(truth, rng)
    pictures = {"smooth signal": truth} | {
        m: denoised(y, mechanism.std, m)
        for m in ("plain", "james_stein", "soft_threshold", "wavelet", "trend filtering")
    }
    for axes, (name, values) in zip(figure.subplots(3, 2).ravel(), pictures.items(), strict=True):
        axes.imshow(values.reshape(STREETS, AVENUES), vmin=0, vmax=truth.max(), cmap="magma")
        axes.set_title(f"{name}, rmse {np.sqrt(((values - truth) ** 2).mean()):.2f}", fontsize=8)
        axes.set_axis_off()


EXPERIMENTS = (
    Experiment(
        "bw-fig2",
        "Counts on a road graph, denoised: James-Stein, thresholds, tree wavelets, trend filtering",
        ("BW-Fig2",),
        "The source's taxi counts are not available: a grid-like planar graph of the printed size, 100,000 trips in the"
        " hour, at most five per cab (sensitivity 5), delta = 1e-5; smooth, district-wise and unrelated counts.",
        _cells,
        _measure,
        _findings,
        _draw,
    ),
)
