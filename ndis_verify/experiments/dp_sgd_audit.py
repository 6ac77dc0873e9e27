"""DP-SGD on digits audited: losses of many networks, inner products at every step (KM-Alg3, KM-Alg4, KM-Fig8, KM-Fig9,
KM-Fig10, KM-Fig12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy
from scipy.special import ndtri

from ndis_verify.audit import dp_sgd
from ndis_verify.audit.composition import histogram_composition
from ndis_verify.audit.dp_sgd import DpSgd, Network
from ndis_verify.audit.histogram import audit_by_methods, audit_scores
from ndis_verify.audit.subsampled_gaussian import accountant_epsilon
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.experiments.pages import plain_table
from ndis_verify.experiments.records import scaled_columns, source_names, table_of
from ndis_verify.experiments.table import Table
from ndis_verify.fast.trade_off import gaussian_trade_off, profile_trade_off

DELTA = 0.01  # at which a few hundred scores prove something
CONFIDENCE = 0.99
EPSILONS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
LEVELS = np.linspace(0.02, 0.98, 49)
# rate, noise, steps, clip and optimizer of the source
FIGURE = DpSgd(0.5, 2.0, 20, learning_rate=0.06, optimizer="adam")
SHAPES = {"near to normal": 0.2, "skewed": 0.7}  # skewness of the losses of KM-Fig8, KM-Fig10
_COMPOSED = DpSgd(0.5, 2.0, 20, learning_rate=0.001, optimizer="adam")
_RECORDS, _CANDIDATES, _PILOT = 60, 40, 800
_HIDDEN, _BINS = 16, 20
_SHOWN = slice(1, None, 4)  # the levels that are put into rows


@dataclass(frozen=True, eq=False)
class Setting:
    """A network, the records it is trained on, the parameters at which every training starts, records that may be
    canaries.
    """

    network: Network
    x: np.ndarray
    y: np.ndarray
    start: np.ndarray
    candidates: tuple[np.ndarray, np.ndarray]

    def pick(self, models: int, rng: np.random.Generator) -> dict[str, tuple[np.ndarray, int]]:
        """For each of `SHAPES` the candidate whose losses, under that many models trained without it, come nearest to
        it in skewness.
        """
        found = scipy.stats.skew(
            dp_sgd.losses_after_training(self.network, FIGURE, self.x, self.y, self.start, self.candidates, models, rng)
        )
        nearest = {name: int(np.abs(found - shape).argmin()) for name, shape in SHAPES.items()}
        return {name: (self.candidates[0][k], int(self.candidates[1][k])) for name, k in nearest.items()}

    def losses(
        self, canaries: Sequence[tuple[np.ndarray, int]], models: int, rng: np.random.Generator
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """(with, without) for each canary; the models without are the same for all of them."""
        records = np.array([canary[0] for canary in canaries]), np.array([canary[1] for canary in canaries])
        without = dp_sgd.losses_after_training(self.network, FIGURE, self.x, self.y, self.start, records, models, rng)
        pairs = []
        for k, canary in enumerate(canaries):
            data, one = dp_sgd.with_record(self.x, self.y, canary), (records[0][k : k + 1], records[1][k : k + 1])
            pairs.append(
                (
                    dp_sgd.losses_after_training(self.network, FIGURE, *data, self.start, one, models, rng)[:, 0],
                    without[:, k],
                )
            )
        return pairs


def setting_of(name: str, data: Table | None) -> Setting:
    """60 records of the table drawn at random, a network for its classes, up to 40 other records; columns to [-1, 1].
    Raises `InputError`.
    """
    table, rng = table_of(name, data), np.random.default_rng(0)
    if table.target is None:
        raise InputError("target", "none", "must be named: it holds the classes")
    classes, y = np.unique(table.target, return_inverse=True)
    if not 2 <= classes.size <= 50:
        raise InputError("target", f"{classes.size} values", "must have 2 to 50 classes")
    if len(y) < 4:
        raise InputError("data", f"{len(y)} records", "must have at least 4 records")
    x = scaled_columns(table.records) if data is not None else table.records / table.records.max()
    chosen = rng.permutation(len(y))
    size = min(_RECORDS, len(y) // 2)
    train, others = chosen[:size], chosen[size : size + _CANDIDATES]
    network = Network(x.shape[1], _HIDDEN, classes.size)
    return Setting(network, x[train], y[train], network.start(rng), (x[others], y[others]))


@lru_cache(maxsize=1)
def canaries_of(name: str, data: Table | None) -> dict[str, tuple[np.ndarray, int]]:
    """What `Setting.pick` finds in a pilot of 800 models, apart from those that are audited."""
    return setting_of(name, data).pick(_PILOT, np.random.default_rng(3))


def curves(within: np.ndarray, without: np.ndarray, bins: int = 10) -> dict[str, np.ndarray]:
    """Trade-off curves of two samples at `LEVELS`.

    "gdp": limit of a threshold attack read as mu-GDP; "gdp estimate": the same without limits; "histogram": `bins`
    equal bins, an estimate; "dkw": a limit of all thresholds and learned orders that assumes nothing.
    """
    found = audit_by_methods(within, without, ("gdp", "plug-in", "dkw"), epsilon=0.0, confidence=CONFIDENCE, bins=bins)
    inside = [
        np.mean([any(low <= s < high for low, high in found["gdp"].sets[0]) for s in scores])
        for scores in (within, without)
    ]
    power, level = np.clip(inside, 0.5 / len(within), 1 - 0.5 / len(within))
    names = {"gdp": "gdp", "plug-in": "histogram", "dkw": "dkw"}
    return {names[method]: audit.trade_off(LEVELS) for method, audit in found.items()} | {
        "gdp estimate": gaussian_trade_off(LEVELS, abs(ndtri(power) - ndtri(level)))
    }


def gaps(curve: Mapping[str, np.ndarray]) -> dict[str, float]:
    """How far the histogram's estimate and a histogram's limit are from the limit that assumes mu-GDP, and both
    estimates from each other.
    """
    below = curve["gdp"] - curve["histogram"]
    return {
        "estimate_below_limit": float(below.max()),
        "estimate_above_limit": float(-below.min()),
        "estimate_below_estimate": float((curve["gdp estimate"] - curve["histogram"]).max()),
        "limit_below_limit": float((curve["gdp"] - curve["dkw"]).max()),
    }


def _is_scores(data: Table | None) -> bool:
    """Whether the user's table is two columns of losses, with and without the canary."""
    if data is None or data.target is not None:
        return False
    if data.records.shape[1] != 2:
        raise InputError(
            "data",
            f"{data.records.shape[1]} columns",
            "must be two columns of losses, with and without the canary, or records with a --target column",
        )
    return True


def _cells(size: str, data: Table | None) -> list[dict[str, Any]]:
    if data is not None and _is_scores(data):
        return [{"data": data.name, "kind": "scores", "canary": "", "models": len(data.records)}]
    models = (400, 1200) if size == "quick" else (2500, 10_000)
    (name,) = source_names(data, ("digits",))
    white = [{"data": name, "kind": "white box", "canary": "random", "models": number} for number in models]
    black = [
        {"data": name, "kind": "black box", "canary": canary, "models": number}
        for canary in SHAPES
        for number in models
    ]
    return [*white, {"data": name, "kind": "profile", "canary": "random", "models": models[1]}, *black]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Table | None) -> list[Row]:
    if data is not None and cell["kind"] == "scores":
        within, without = data.records.T
        return [dict(cell) | _audited(within, without), *_curve_rows(cell, within, without, {})]
    setting = setting_of(cell["data"], data)
    if cell["kind"] == "profile":
        return _profile_rows(cell, setting, rng)
    bound = FIGURE.bound()
    costs = {
        "epsilon_bound": bound.epsilon(DELTA),
        "epsilon_accountant": _accountant(FIGURE),
        "tv_bound": float(bound.upper(0.0)),
    }
    if cell["kind"] == "white box":
        rows = dp_sgd.white_box_scores(
            setting.network, FIGURE, setting.x, setting.y, cell["models"], rng, own_path=True
        )
        return [dict(cell) | _audited(*(dp_sgd.loss_sums(row, FIGURE.rate, FIGURE.noise) for row in rows)) | costs]
    canary = canaries_of(cell["data"], data)[cell["canary"]]
    ((within, without),) = setting.losses([canary], cell["models"], rng)
    epsilons = np.linspace(0, 6, 121)
    accounted = {"accounted": profile_trade_off(LEVELS, epsilons, bound.upper(epsilons))}
    return [dict(cell) | _audited(within, without) | costs, *_curve_rows(cell, within, without, accounted)]


def _accountant(settings: DpSgd) -> float | None:
    """dp-accounting's epsilon, or nothing where it is not installed."""
    return (
        accountant_epsilon(settings.rate, settings.noise, settings.steps, DELTA) if find_spec("dp_accounting") else None
    )


def _audited(within: np.ndarray, without: np.ndarray) -> Row:
    proved = audit_scores(within, without, delta=DELTA, confidence=CONFIDENCE)
    return {
        "delta": DELTA,
        "epsilon_proved": float(proved.epsilon(DELTA)),
        "tv_proved": float(audit_scores(within, without, epsilon=0.0, confidence=CONFIDENCE).delta(0.0)),
        "skewness": float(scipy.stats.skew(without)),
        "kurtosis": float(scipy.stats.kurtosis(without)),
    } | gaps(curves(within, without))


def _curve_rows(
    cell: Mapping[str, Any], within: np.ndarray, without: np.ndarray, more: Mapping[str, np.ndarray]
) -> list[Row]:
    """The curves level by level, and the losses bin by bin."""
    found = {name: values[_SHOWN] for name, values in (curves(within, without) | dict(more)).items()}
    edges = np.linspace(min(within.min(), without.min()), max(within.max(), without.max()), _BINS + 1)
    counts = (np.histogram(scores, edges)[0] for scores in (within, without))
    levels = [
        dict(cell)
        | {"kind": "curve", "alpha": float(alpha)}
        | {name: float(values[k]) for name, values in found.items()}
        for k, alpha in enumerate(LEVELS[_SHOWN])
    ]
    return levels + [
        dict(cell) | {"kind": "losses", "from": float(low), "to": float(high), "with": int(n), "without": int(m)}
        for low, high, n, m in zip(edges, edges[1:], *counts, strict=False)
    ]


def _profile_rows(cell: Mapping[str, Any], setting: Setting, rng: np.random.Generator) -> list[Row]:
    p, q = (
        scores.ravel()
        for scores in dp_sgd.white_box_scores(setting.network, _COMPOSED, setting.x, setting.y, cell["models"], rng)
    )
    edges = np.linspace(min(p.min(), q.min()), max(p.max(), q.max()), _BINS + 1)
    found = histogram_composition(
        np.histogram(p, edges)[0], np.histogram(q, edges)[0], _COMPOSED.steps, EPSILONS, step=1e-3
    )
    bound = _COMPOSED.bound().upper(EPSILONS)
    return [
        dict(cell) | {"epsilon": e, "estimate": float(a), "bound": float(b)}
        for e, a, b in zip(EPSILONS, found, bound, strict=True)
    ]


def _findings(rows: Sequence[Row]) -> list[Finding]:
    scores = [row for row in rows if row["kind"] == "scores"]
    if scores:
        return [
            Finding(
                "a limit that assumes nothing tells the two samples apart",
                all(row["tv_proved"] > 0 for row in scores),
                {"total variation": scores[0]["tv_proved"]},
            )
        ]
    return _audit_findings([row for row in rows if row["kind"] in ("white box", "black box")]) + _figure_findings(rows)


def _audit_findings(audits: Sequence[Row]) -> list[Finding]:
    by = {(row["kind"], row["canary"], row["models"]): row for row in audits}
    most, least = max(row["models"] for row in audits), min(row["models"] for row in audits)
    large = [row for row in audits if row["models"] == most]
    gains = [row["tv_proved"] - by[(row["kind"], row["canary"], least)]["tv_proved"] for row in large]
    lead = by[("white box", "random", most)]["epsilon_proved"] - max(
        row["epsilon_proved"] for row in large if row["kind"] == "black box"
    )
    share = max(row["epsilon_proved"] / row["epsilon_bound"] for row in audits)
    peers = [
        abs(row["epsilon_accountant"] / row["epsilon_bound"] - 1)
        for row in audits
        if row["epsilon_accountant"] is not None
    ]
    return [
        Finding(
            "nothing proved is above the theoretical bound",
            all(r["epsilon_proved"] <= r["epsilon_bound"] and r["tv_proved"] <= r["tv_bound"] for r in audits),
        ),
        Finding("something is proved", share > 0.1, {"largest share of the bound": share}),
        Finding("scores of all steps prove more than the losses at the end", lead > 0, {"lead": lead}),
        Finding(
            "more models prove more total variation, on average over the settings",
            float(np.mean(gains)) > 0,
            {"mean gain": float(np.mean(gains))},
        ),
        Finding(
            "dp-accounting's epsilon is within 0.1 percent of the bound, where it is installed",
            all(peer < 1e-3 for peer in peers),
            {"compared": len(peers)},
        ),
    ]


def _figure_findings(rows: Sequence[Row]) -> list[Finding]:
    black, profile = (
        [row for row in rows if row["kind"] == "black box"],
        [row for row in rows if row["kind"] == "profile"],
    )
    scaled = {(row["canary"], row["models"]): row["estimate_below_limit"] * row["models"] ** 0.5 for row in black}
    most = max(row["models"] for row in black)
    large = {row["canary"]: row for row in black if row["models"] == most}
    shapes = {canary: row["skewness"] for canary, row in large.items()}
    more = scaled[("skewed", most)] - scaled[("near to normal", most)]
    apart, under = (
        max(row[name] for row in large.values()) for name in ("estimate_below_estimate", "limit_below_limit")
    )
    far = max(abs(row["estimate"] - row["bound"]) for row in profile)
    return [
        Finding("the canaries' losses are as they are named", shapes["skewed"] > shapes["near to normal"], shapes),
        Finding(
            "the histogram's estimate goes below the limit that assumes mu-GDP by 1/sqrt(models) to 5/sqrt(models),"
            " near to normal or not",
            all(1 < scaled[(canary, most)] < 5 for canary in large),
            {f"{canary}, {models} models": gap for (canary, models), gap in scaled.items()},
        ),
        Finding(
            "for the skewed losses by no more than 2/sqrt(models) beyond that for the others",
            more < 2,
            {"difference times sqrt(models)": more},
        ),
        Finding("it goes below the estimate that assumes mu-GDP by less than 0.04", apart < 0.04, {"largest": apart}),
        Finding(
            "a histogram's limit is nowhere more than 0.02 below the limit that assumes mu-GDP",
            under < 0.02,
            {"largest": under},
        ),
        Finding(
            "the composed profile of white-box scores is within 0.1 of the accounted one",
            far < 0.1,
            {"largest distance": far},
        ),
    ]


def _tables(rows: Sequence[Row]) -> str:
    """A table for each kind of rows."""
    groups = [
        [row for row in rows if row["kind"] in kinds]
        for kinds in (("white box", "black box", "scores"), ("profile",), ("curve",), ("losses",))
    ]
    return "\n\n".join(plain_table(group) for group in groups if group)


def _draw(rows: Sequence[Row], figure: Any) -> None:
    most = max(row["models"] for row in rows)
    drawn = [row for row in rows if row["models"] == most]
    canaries = list(dict.fromkeys(row["canary"] for row in drawn if row["kind"] == "curve"))
    profile = [row for row in drawn if row["kind"] == "profile"]
    axes = figure.subplots(2, len(canaries) + bool(profile), squeeze=False)
    for canary, (top, bottom) in zip(canaries, axes.T, strict=False):
        curve, losses = (
            [row for row in drawn if row["kind"] == kind and row["canary"] == canary] for kind in ("curve", "losses")
        )
        for name in ("gdp", "histogram", "dkw", "accounted"):
            if name in curve[0]:
                top.plot(
                    [row["alpha"] for row in curve],
                    [row[name] for row in curve],
                    "k:" if name == "accounted" else "-",
                    label=name,
                )
        top.set(
            title=f"losses {canary}".strip(), xlabel="type I error (probability)", ylabel="type II error (probability)"
        )
        top.legend(fontsize=7)
        edges = [row["from"] for row in losses] + [losses[-1]["to"]]
        for name in ("with", "without"):
            bottom.stairs([row[name] for row in losses], edges, label=name)
        bottom.set(xlabel="loss of the canary (nats)", ylabel="models (count)")
        bottom.legend(fontsize=7)
    if profile:
        axes[1, -1].set_axis_off()
        axes[0, -1].plot(
            [row["epsilon"] for row in profile], [row["bound"] for row in profile], "k:", label="accounted"
        )
        axes[0, -1].plot(
            [row["epsilon"] for row in profile], [row["estimate"] for row in profile], "o", label="estimate"
        )
        axes[0, -1].set(title="all steps composed", xlabel=r"$\varepsilon$ (nats)", ylabel=r"$\delta$ (probability)")
        axes[0, -1].legend(fontsize=7)


EXPERIMENTS = (
    Experiment(
        "km-dp-sgd",
        "DP-SGD audited: losses of networks, inner products with canaries",
        ("KM-Alg3", "KM-Alg4", "KM-Fig8", "KM-Fig10", "KM-Fig12"),
        "Digits in place of MNIST: 60 records and 16 hidden units (1000 and 200 in the source), 400 and 1200 pairs of"
        " models, 2500 and 10^4 with --full. Sampling rate 1/2, noise 2, 20 steps of Adam, clip 1 as in the source,"
        " learning rate 0.06 where it has 0.001. Canaries: of 40 other records those whose losses come nearest to the"
        " printed skewness, 0.2 and 0.7. Epsilon at delta = 0.01, confidence 99 percent for each number. Two columns of"
        " losses without a target stand in for the networks. For KM-Fig11 see km-composition.",
        _cells,
        _measure,
        _findings,
        _draw,
        data="records",
        table=_tables,
    ),
)
