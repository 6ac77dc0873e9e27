"""Pictures of the documents: `python -m tools.pictures [FOLDER]` writes them, by default into docs/pictures."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from ndis_verify.experiments import find, run
from ndis_verify.experiments.output import save_figure
from ndis_verify.fast.hockey_stick import hockey_stick
from ndis_verify.gaussian_pair import GaussianPair

EPSILON, DELTA = 1.0, 1e-6
LARGE, SMALL = 9.0, 1.0  # variances of the two outputs
PRINTED = 0.26  # the variance that the printed bound adds to both (claim N26-Fig5)
ORANGE, BLUE, GREY = "#D55E00", "#0072B2", "#666666"  # told apart by colour-blind readers


def worst(added: float, epsilon: np.ndarray | float) -> np.ndarray:
    """The larger of both directions at the added variance."""
    pair = GaussianPair([0], LARGE + added, [0], SMALL + added)
    turned = GaussianPair([0], SMALL + added, [0], LARGE + added)
    return np.maximum(hockey_stick(pair, epsilon), hockey_stick(turned, epsilon))


def least() -> float:
    """The least variance that meets the target, to six digits, on the safe side."""
    low, high = 0.0, 1e6
    while high - low > 1e-7 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if worst(middle, EPSILON) <= DELTA else (middle, high)
    return high


def lemma_2(path: Path) -> None:
    """The true curve of the noise that the printed bound asks for, beside that of the noise that is needed."""
    from matplotlib.figure import Figure

    needed, epsilon = least(), np.linspace(0.02, 4, 200)
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    axes = figure.add_subplot()
    axes.semilogy(epsilon, worst(PRINTED, epsilon), color=ORANGE, label=f"printed: added variance {PRINTED}")
    axes.semilogy(epsilon, worst(needed, epsilon), color=BLUE, label=f"needed: added variance {needed:.4g}")
    axes.plot([EPSILON], [DELTA], "o", color=GREY, label=r"target: $\varepsilon = 1$, $\delta = 10^{-6}$")
    at = float(worst(PRINTED, EPSILON))
    axes.annotate(
        rf"$\delta = {at:.2f}$ in truth", (EPSILON, at), (1.35, 0.02), arrowprops={"arrowstyle": "->", "color": GREY}
    )
    axes.set(xlabel=r"$\varepsilon$", ylabel=r"$\delta(\varepsilon)$", ylim=(1e-8, 1), xlim=(0, 4))
    axes.set_title("Outputs N(0, 9) and N(0, 1), with noise: the larger divergence of both directions", fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(loc="center right", frameon=False)
    figure.savefig(path, dpi=120, metadata={"Software": None})


def curves(folder: Path) -> None:
    """The curves of docs/as_printed.md, from full runs."""
    for name in ("n24-fig5", "n24-fig6", "n24-fig9", "n24-fig10"):
        experiment = find(f"{name}-as-printed")
        save_figure(experiment, run(experiment, "full"), folder / f"{experiment.name}.png")


def main(folder: str = "docs/pictures") -> None:
    """Write every picture."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    lemma_2(Path(folder) / "lemma2.png")
    curves(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:2])
