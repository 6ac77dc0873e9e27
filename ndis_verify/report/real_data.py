"""The real-data curve as a table and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ndis_verify.claims.real_data.claims import DeletionCurve


def curve_table(curve: DeletionCurve, every: int = 4) -> str:
    """What was deleted, and both columns of the curve in 12 digits at every fourth epsilon."""
    value, radius = curve.leverage.decimal(20)
    lines = [
        (
            f"{curve.dataset}: {curve.records} records, {curve.features} features; record {curve.row} deleted, r ="
            f" {curve.columns}"
        ),
        f"leverage {value} +/- {radius} (exact rational arithmetic)",
        f"{'epsilon':>8}  {'delta from the covariances':>26}  {'delta from the leverage':>24}",
    ]
    for k in range(0, len(curve.epsilons), every):
        lines.append(f"{curve.epsilons[k]:8.2f}  {curve.from_covariance[k]:26.11e}  {curve.from_leverage[k]:24.11e}")
    lines.append(
        f"both agree with the certified values to {int(curve.digits())} digits at {len(curve.epsilons)} epsilons"
    )
    return "\n".join(lines)


def draw_curves(curves: list[DeletionCurve], axes: Any) -> None:
    """Both routes of each curve on matplotlib axes, logarithmic in delta."""
    for curve in curves:
        (line,) = axes.plot(
            curve.epsilons, curve.from_leverage, label=f"{curve.dataset}, p = {curve.leverage.decimal(4)[0]}"
        )
        axes.plot(curve.epsilons, curve.from_covariance, "o", mfc="none", color=line.get_color())
    axes.set_yscale("log")
    axes.set_ylim(bottom=max(1e-40, min(float(np.min(curve.from_leverage)) for curve in curves)))
    axes.set_xlabel(r"$\varepsilon$ (nats)")
    axes.set_ylabel(r"$\delta$ (probability)")
    axes.set_title(
        f"deleting the worst record, random projection to r = {curves[0].columns} columns\nline: leverage, circles:"
        " covariances"
    )
    axes.legend()


def save_plot(curves: list[DeletionCurve], path: Path) -> bool:
    """Write the picture; False where matplotlib (extra `plots`) is absent."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    draw_curves(curves, figure.add_subplot())
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return True
