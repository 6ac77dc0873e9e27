"""DP-SGD on digits audited: losses of many networks, inner products at every step (KM-Alg3, KM-Alg4, KM-Fig8, KM-Fig10, KM-Fig12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import kurtosis, skew

from ndis_verify.audit import dp_sgd
from ndis_verify.audit.composition import histogram_composition
from ndis_verify.audit.dp_sgd import DpSgd, Network
from ndis_verify.audit.histogram import audit_scores
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.experiments.records import scaled_columns, source_names, table_of
from ndis_verify.experiments.table import Table

DELTA = 0.01  # at which a few hundred scores prove something
CONFIDENCE = 0.99
EPSILONS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
LEVELS = np.linspace(0.02, 0.98, 49)
_TRAINING = {  # losses near to normal, and skewed
    "adam, small steps": DpSgd(0.5, 1.0, 10, learning_rate=0.02, optimizer="adam"),
    "sgd, large steps": DpSgd(1.0, 2.0, 10, learning_rate=0.4),
}
_COMPOSED = DpSgd(0.5, 2.0, 20, learning_rate=0.001, optimizer="adam")
_RECORDS, _HIDDEN, _BINS = 40, 8, 20


def network_of(name: str, data: Table | None, rng: np.random.Generator) -> tuple[Network, np.ndarray, np.ndarray, tuple[np.ndarray, int]]:
    """A network for the table's classes, 40 records drawn at random, and one more with a wrong class as canary. Raises `InputError`."""
    table = table_of(name, data)
    classes, y = np.unique(table.target, return_inverse=True)
    if not 2 <= classes.size <= 50:
        raise InputError("target", f"{classes.size} values", "must have 2 to 50 classes")
    if len(y) < 3:
        raise InputError("data", f"{len(y)} records", "must have at least 3 records")
    x = scaled_columns(table.records)
    chosen = rng.permutation(len(y))[: _RECORDS + 1]
    train, last = chosen[:-1], chosen[-1]
    wrong = (int(y[last]) + classes.size // 2) % classes.size
    return Network(x.shape[1], _HIDDEN, classes.size), x[train], y[train], (x[last], wrong)


def _cells(size: str, data: Table | None) -> list[dict[str, Any]]:
    models = (400, 1600) if size == "quick" else (2500, 10_000)
    cells = [{"data": name, "kind": kind, "training": training, "models": number} for name in source_names(data, ("digits",))
             for training in _TRAINING for kind in ("black box", "white box") for number in models]  # fmt: skip
    return cells + [{"data": name, "kind": "profile", "training": "20 steps", "models": models[1]} for name in source_names(data, ("digits",))]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Table | None) -> list[Row]:
    network, x, y, canary = network_of(cell["data"], data, np.random.default_rng(9))
    if cell["kind"] == "profile":
        return _profile_rows(cell, network, x, y, rng)
    settings = _TRAINING[cell["training"]]
    if cell["kind"] == "black box":
        scores = dp_sgd.black_box_scores(network, settings, x, y, canary, cell["models"], rng)
    else:
        rows = dp_sgd.white_box_scores(network, settings, x, y, cell["models"], rng, own_path=True)
        scores = tuple(dp_sgd.loss_sums(row, settings.rate, settings.noise) for row in rows)
    proved = audit_scores(*scores, delta=DELTA, confidence=CONFIDENCE)
    bound = settings.bound()
    row = dict(cell) | {"delta": DELTA, "epsilon_proved": float(proved.epsilon(DELTA)), "epsilon_bound": bound.epsilon(DELTA),
                        "tv_proved": float(audit_scores(*scores, epsilon=0.0, confidence=CONFIDENCE).delta(0.0)), "tv_bound": float(bound.upper(0.0)),
                        "skewness": float(skew(scores[1])), "kurtosis": float(kurtosis(scores[1]))}  # fmt: skip
    return [row | _curve_gaps(scores)]


def _curve_gaps(scores: tuple[np.ndarray, np.ndarray]) -> dict[str, float]:
    """How far the curve of ten-bin histograms, and the limit of a histogram, are below and above the limit that assumes mu-GDP."""
    curves = {name: audit_scores(*scores, method=name, epsilon=0.0, confidence=CONFIDENCE, bins=10).trade_off(LEVELS) for name in ("gdp", "plug-in", "dkw")}
    return {"estimate_below_gdp": float((curves["gdp"] - curves["plug-in"]).max()), "estimate_above_gdp": float((curves["plug-in"] - curves["gdp"]).max()),
            "limit_below_gdp": float((curves["gdp"] - curves["dkw"]).max())}  # fmt: skip


def _profile_rows(cell: Mapping[str, Any], network: Network, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> list[Row]:
    p, q = (scores.ravel() for scores in dp_sgd.white_box_scores(network, _COMPOSED, x, y, cell["models"], rng))
    edges = np.linspace(min(p.min(), q.min()), max(p.max(), q.max()), _BINS + 1)
    found = histogram_composition(np.histogram(p, edges)[0], np.histogram(q, edges)[0], _COMPOSED.steps, EPSILONS, step=1e-3)
    bound = _COMPOSED.bound().upper(EPSILONS)
    return [dict(cell) | {"epsilon": e, "estimate": float(a), "bound": float(b)} for e, a, b in zip(EPSILONS, found, bound, strict=True)]


def _findings(rows: Sequence[Row]) -> list[Finding]:
    audits, profile = [row for row in rows if row["kind"] != "profile"], [row for row in rows if row["kind"] == "profile"]
    by = {(row["data"], row["training"], row["kind"], row["models"]): row for row in audits}
    most, least = max(row["models"] for row in audits), min(row["models"] for row in audits)
    large = [row for row in audits if row["models"] == most]
    gains = [row["tv_proved"] - by[(row["data"], row["training"], row["kind"], least)]["tv_proved"] for row in large]
    leads = [row["epsilon_proved"] - by[(row["data"], row["training"], "black box", most)]["epsilon_proved"] for row in large if row["kind"] == "white box"]
    share = max(row["epsilon_proved"] / row["epsilon_bound"] for row in audits)
    black = [row for row in large if row["kind"] == "black box"]
    found = [
        Finding("nothing proved is above the theoretical bound", all(r["epsilon_proved"] <= r["epsilon_bound"] and r["tv_proved"] <= r["tv_bound"] for r in audits)),
        Finding("something is proved", share > 0.1, {"largest share of the bound": share}),
        Finding("scores of all steps prove more than the losses at the end", min(leads) > 0, {"smallest lead": min(leads)}),
        Finding("more models prove more total variation, on average over the settings", float(np.mean(gains)) > 0, {"mean gain": float(np.mean(gains))}),
        Finding("losses are near to normal after small steps and skewed after large ones",
                all((r["skewness"] > 0.4) == (r["training"] == "sgd, large steps") for r in black), {r["training"]: r["skewness"] for r in black}),
        Finding("the histogram's estimate goes below the limit that assumes mu-GDP, near to normal or not", all(r["estimate_below_gdp"] > 0 for r in black),
                {r["training"]: r["estimate_below_gdp"] for r in black}),
        Finding("a histogram's limit is nowhere more than 0.02 below it", all(r["limit_below_gdp"] < 0.02 for r in black),
                {r["training"]: r["limit_below_gdp"] for r in black}),
    ]  # fmt: skip
    far = max(abs(row["estimate"] - row["bound"]) for row in profile)
    return [*found, Finding("the composed profile of white-box scores is within 0.1 of the accounted one", far < 0.1, {"largest distance": far})]


def _draw(rows: Sequence[Row], figure: Any) -> None:
    left, right = figure.subplots(1, 2)
    audits = [row for row in rows if row["kind"] != "profile"]
    for training, kind in dict.fromkeys((row["training"], row["kind"]) for row in audits):
        chosen = [row for row in audits if (row["training"], row["kind"]) == (training, kind)]
        left.plot([row["models"] for row in chosen], [row["epsilon_proved"] / row["epsilon_bound"] for row in chosen], "o-", label=f"{training}, {kind}")
    left.set(xscale="log", xlabel="models", ylabel="epsilon proved over bound", ylim=(0, 1))
    left.legend()
    profile = [row for row in rows if row["kind"] == "profile"]
    right.plot([row["epsilon"] for row in profile], [row["bound"] for row in profile], label="accounted")
    right.plot([row["epsilon"] for row in profile], [row["estimate"] for row in profile], "o", label="estimate")
    right.set(xlabel="epsilon", ylabel="delta of 20 steps")
    right.legend()


EXPERIMENTS = (
    Experiment(
        "km-dp-sgd", "DP-SGD audited: losses of networks, inner products with canaries", ("KM-Alg3", "KM-Alg4", "KM-Fig8", "KM-Fig10", "KM-Fig12"),
        "Digits in place of MNIST: 40 records, 8 hidden units, a canary with a wrong class; 400 and 1600 pairs of models (2500 and 10^4 with --full) "
        "where the source has 10^4 pairs, 1000 records and 200 hidden units. Ten and 20 steps; epsilon at delta = 0.01, confidence 99 percent for each number.",
        _cells, _measure, _findings, _draw, data="records and target",
    ),
)  # fmt: skip
