"""How fast histograms learn a law and a divergence (KM-T4.4): bins of the width of KM-C4.5, light and heavy tails."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import i0e, i1e, ndtr, stdtr, stdtrit

from ndis_verify.audit.histogram import bin_width
from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.experiments.pages import plain_table
from ndis_verify.tables import markdown_table

ERRORS = ("density", "equal", "shifted")
QUICK = {1_000: 60, 10_000: 30, 100_000: 15, 1_000_000: 6}
FULL = {1_000: 200, 10_000: 100, 100_000: 50, 1_000_000: 20, 10_000_000: 6}
_PARTS = 16  # of a bin, in which the distance of law and histogram is added up
_CENTRAL = 50_000  # bins on either side that are counted in an array
_THIRD = -1 / 3


@dataclass(frozen=True)
class Law:
    """A symmetric law with one mode at 0: its CDF and density, draws, quartile; `tail` c where the density falls like
    |x|^{-1-c}.

    `rough`: the exponent of the error of the law itself, where the density's variation is infinite. `flat`: constant,
    so that the law and its shift agree on an interval.
    """

    name: str
    cdf: Callable[[np.ndarray], np.ndarray]
    density: Callable[[np.ndarray], np.ndarray]
    draw: Callable[[np.random.Generator, int], np.ndarray]
    quartile: float
    tail: float = math.inf
    rough: float | None = None
    flat: bool = False

    @property
    def scale(self) -> float:
        """The standard deviation of the normal law with the same quartiles."""
        return self.quartile / 0.6744897501960817

    def limit(self, error: str) -> float:
        """The exponent of the error for large n.

        Bins with less than one expected draw hold a mass of the order of n^{-2c/(3(1+c))}, and only one sample meets
        them; elsewhere a bin of expected count m adds sqrt(m)/n, in all `int sqrt(density)/sqrt(n h)`, n^{-1/3}, unless
        the two laws differ there by more than that noise: then the signs are known and the sum is known to n^{-1/2}.
        """
        light = -2 * self.tail / (3 * (1 + self.tail)) if math.isfinite(self.tail) else -2 / 3
        if error == "density" and self.rough is not None:
            return self.rough
        return max(-1 / 2 if error == "shifted" and not self.flat else _THIRD, light)


def _student(dof: float) -> Law:
    constant = math.exp(math.lgamma((dof + 1) / 2) - math.lgamma(dof / 2)) / math.sqrt(dof * math.pi)
    return Law(
        f"Student t, {dof:g} dof",
        lambda x: stdtr(dof, x),
        lambda x: constant * (1 + x * x / dof) ** (-(dof + 1) / 2),
        lambda rng, n: rng.standard_t(dof, n),
        float(stdtrit(dof, 0.75)),
        dof,
    )


LAWS = {
    law.name: law
    for law in (
        Law(
            "normal",
            ndtr,
            lambda x: np.exp(-x * x / 2) / math.sqrt(2 * math.pi),
            lambda rng, n: rng.standard_normal(n),
            0.6744897501960817,
        ),
        Law(
            "Laplace",
            lambda x: np.where(x < 0, np.exp(-np.abs(x)) / 2, 1 - np.exp(-np.abs(x)) / 2),
            lambda x: np.exp(-np.abs(x)) / 2,
            lambda rng, n: rng.laplace(0, 1, n),
            math.log(2),
        ),
        Law(
            "uniform",
            lambda x: np.clip((x + 1) / 2, 0, 1),
            lambda x: np.where(np.abs(x) < 1, 0.5, 0.0),
            lambda rng, n: rng.uniform(-1, 1, n),
            0.5,
            flat=True,
        ),
        Law(
            "triangle",
            lambda x: np.where(x < 0, (1 + np.clip(x, -1, 0)) ** 2 / 2, 1 - (1 - np.clip(x, 0, 1)) ** 2 / 2),
            lambda x: np.clip(1 - np.abs(x), 0, 1),
            lambda rng, n: rng.triangular(-1, 0, 1, n),
            1 - math.sqrt(0.5),
        ),
        Law(
            "cusp",
            lambda x: (1 + np.sign(x) * np.sqrt(np.clip(np.abs(x), 0, 1))) / 2,
            lambda x: np.where(np.abs(x) < 1, 1 / (4 * np.sqrt(np.maximum(np.abs(x), 1e-300))), 0.0),
            lambda rng, n: (lambda u: u * np.abs(u))(rng.uniform(-1, 1, n)),
            0.25,
            rough=-1 / 6,
        ),
        *(_student(dof) for dof in (2.5, 1.5, 1.0, 0.5)),
    )
}


def counted(bins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The whole numbers in `bins` and how often each occurs, as floats; far ones by sorting."""
    near = np.abs(bins) <= _CENTRAL
    counts = np.bincount(bins[near].astype(np.int64) + _CENTRAL, minlength=2 * _CENTRAL + 1)
    met = np.flatnonzero(counts)
    far, of_far = np.unique(bins[~near], return_counts=True)
    return np.concatenate([met - _CENTRAL, far]).astype(float), np.concatenate([counts[met], of_far]).astype(float)


def distance_of_counts(first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]) -> float:
    """Total variation of two histograms, given as bins and counts."""
    bins, place = np.unique(np.concatenate([first[0], second[0]]), return_inverse=True)
    shares = np.concatenate([first[1] / first[1].sum(), -second[1] / second[1].sum()])
    return float(np.abs(np.bincount(place, shares, bins.size)).sum() / 2)


def distance_from_law(law: Law, counts: tuple[np.ndarray, np.ndarray], width: float, phase: float) -> float:
    """Total variation of the histogram, flat in every bin, from the law: its masses in a sixteenth of a bin each."""
    bins, count = counts
    masses = np.diff(law.cdf(phase + width * (bins[:, None] + np.arange(_PARTS + 1) / _PARTS)), axis=1)
    inside = np.abs(masses - (count / count.sum() / _PARTS)[:, None]).sum()
    return float((inside + max(1 - masses.sum(), 0.0)) / 2)


def expected_equal(law: Law, n: float) -> float:
    """Mean total variation of two histograms of one law: counts as independent Poisson numbers X, Y of mean m = n p, p
    = h density.

    `E|X - Y| = 2 m e^{-2m} (I_0(2m) + I_1(2m))`, times sqrt(1 - p) as counts are binomial, integrated over x/h and
    divided by 2 n; x = scale sinh(t).
    """
    width = bin_width(law.scale, n)
    t, step = np.linspace(-60, 60, 240_000, retstep=True)  # 0 is not among them: the density may be infinite there
    with np.errstate(over="ignore", under="ignore"):
        share = width * law.density(law.scale * np.sinh(t))
        mean = n * share
        gap = 2 * mean * (i0e(2 * mean) + i1e(2 * mean)) * np.sqrt(np.maximum(1 - share, 0)) * law.scale * np.cosh(t)
    return float(gap.sum() * step / (2 * n * width))


def _cells(size: str, data: Any) -> list[dict[str, Any]]:
    return [
        {"law": name, "n": n, "runs": runs} for name in LAWS for n, runs in (QUICK if size == "quick" else FULL).items()
    ]


def _measure(cell: Mapping[str, Any], rng: np.random.Generator, data: Any) -> list[Row]:
    law, n, runs = LAWS[cell["law"]], cell["n"], cell["runs"]
    width, shift = bin_width(law.scale, n), law.scale
    truth = 2 * float(law.cdf(np.array(shift / 2))) - 1  # one mode, symmetric: the densities cross half way
    found = np.empty((runs, len(ERRORS)))
    for run in range(runs):
        phase = width * rng.random()
        first, second = law.draw(rng, n), law.draw(rng, n)
        one, other, moved = (counted(np.floor((x - phase) / width)) for x in (first, second, second + shift))
        found[run] = (
            distance_from_law(law, one, width, phase),
            distance_of_counts(one, other),
            abs(distance_of_counts(one, moved) - truth),
        )
    row = dict(cell) | {"width": width}
    for name, column in zip(ERRORS, found.T, strict=True):
        row |= {name: float(column.mean()), f"{name}_se": float(column.std(ddof=1) / math.sqrt(runs))}
    return [row | {"expected_equal": expected_equal(law, n)}]


def exponents(rows: Sequence[Row], error: str) -> dict[str, tuple[float, float]]:
    """{law: (slope, its standard error)} of log error against log n, weighted by the errors' own standard errors."""
    fits = {}
    for name in dict.fromkeys(row["law"] for row in rows):
        x, y, s = np.array(
            [
                (math.log(row["n"]), math.log(row[error]), row[f"{error}_se"] / row[error])
                for row in rows
                if row["law"] == name
            ]
        ).T
        s = np.maximum(s, 1e-3)
        centred = x - np.average(x, weights=s**-2)
        spread = float((centred**2 / s**2).sum())
        fits[name] = (float((centred * y / s**2).sum() / spread), spread**-0.5)
    return fits


def _findings(rows: Sequence[Row]) -> list[Finding]:
    fits = {error: exponents(rows, error) for error in ERRORS}
    light = [name for name, law in LAWS.items() if law.tail == math.inf]
    moment = [name for name, law in LAWS.items() if law.tail > 2 and law.rough is None]
    misfit = max(
        (abs(row["equal"] - row["expected_equal"]) - 5 * row["equal_se"]) / row["expected_equal"]
        for row in rows
        if row["n"] >= 10_000
    )
    far = {name: _far_exponent(law) for name, law in LAWS.items()}
    apart = {
        name: abs(value - law.limit("equal")) for (name, law), value in zip(LAWS.items(), far.values(), strict=True)
    }

    def numbers(error: str, names: Sequence[str]) -> dict[str, str]:
        return {name: f"{fits[error][name][0]:.3f} +- {fits[error][name][1]:.3f}" for name in names}

    return [
        Finding(
            "two histograms of one law are as far apart as Poisson counts say from n = 10^4 on, within 2 % and 5"
            " standard errors",
            misfit < 0.02,
            {"largest excess": misfit},
        ),
        Finding(
            "light tails: the distance of two histograms of one law falls like n^(-1/3), within 0.02",
            all(abs(fits["equal"][name][0] - _THIRD) < 0.02 for name in light),
            numbers("equal", light),
        ),
        Finding(
            "with a second moment the law itself and the divergence of shifted laws fall at least like n^(-1/3)"
            " (KM-T4.4-corrected), up to 0.03 and 4 standard errors",
            all(
                fits[error][name][0] < _THIRD + 0.03 + 4 * fits[error][name][1]
                for error in ("density", "shifted")
                for name in moment
            ),
            numbers("density", moment),
        ),
        Finding(
            "0.5 degrees of freedom, density like |x|^-1.5: slower than n^(-0.28), as the counterexample of KM-T4.4",
            all(fits[error]["Student t, 0.5 dof"][0] > -0.28 for error in ERRORS),
            {error: numbers(error, ["Student t, 0.5 dof"])["Student t, 0.5 dof"] for error in ERRORS},
        ),
        Finding(
            "a cusp: the law is learned like n^(-1/6) only, the divergence of two samples like n^(-1/3)",
            abs(fits["density"]["cusp"][0] + 1 / 6) < 0.03 and abs(fits["equal"]["cusp"][0] - _THIRD) < 0.02,
            {error: numbers(error, ["cusp"])["cusp"] for error in ERRORS},
        ),
        Finding(
            "one law: at n = 10^24 the exponent is within 0.02 of max(-1/3, -2c/(3(1+c))), density like |x|^(-1-c)",
            all(value < 0.02 for value in apart.values()),
            {name: round(value, 4) for name, value in far.items()},
        ),
    ]


def _far_exponent(law: Law, n: float = 1e24) -> float:
    """The local exponent of `expected_equal`."""
    return math.log(expected_equal(law, 2 * n) / expected_equal(law, n / 2)) / math.log(4)


def exponent_table(rows: Sequence[Row]) -> str:
    """Markdown: fitted exponents with standard errors, and those for large n."""
    fits = {error: exponents(rows, error) for error in ERRORS}
    head = ["law", *(title for error in ERRORS for title in (f"{error}, fitted", "large n"))]
    lines = []
    for name, law in LAWS.items():
        if name in fits["density"]:
            fitted = ((f"{fits[e][name][0]:.3f} +- {fits[e][name][1]:.3f}", f"{law.limit(e):.3f}") for e in ERRORS)
            lines.append([name, *itertools.chain(*fitted)])
    return markdown_table(head, lines, right=range(1, len(head)))


def _tables(rows: Sequence[Row]) -> str:
    return f"{exponent_table(rows)}\n\n{plain_table(rows)}"


def _draw(rows: Sequence[Row], figure: Any) -> None:
    titles = {
        "density": "histogram from its law",
        "equal": "two histograms of one law",
        "shifted": "error, laws shifted by one scale",
    }
    for axes, (error, title) in zip(figure.subplots(1, 3, sharey=True), titles.items(), strict=True):
        for k, name in enumerate(LAWS):
            chosen = [row for row in rows if row["law"] == name]
            axes.loglog(
                [row["n"] for row in chosen], [row[error] for row in chosen], color=f"C{k}", marker=".", label=name
            )
        sizes = np.array(sorted({row["n"] for row in rows}), dtype=float)
        axes.loglog(sizes, 4 * sizes**_THIRD, "k--", linewidth=0.8, label="slope -1/3")
        axes.set(xlabel="$n$ (count)", title=title)
    axes.legend(fontsize=6)


EXPERIMENTS = (
    Experiment(
        name="km-rates",
        title="Rates of histograms: a law, and the total variation of two, over light and heavy tails",
        claims=("KM-T4.4", "KM-T4.4-corrected"),
        setting=(
            "Bins of width 3.49 s n^(-1/3) (KM-C4.5), s the standard deviation of the normal law with the same"
            " quartiles, random phase; n = 10^3 to 10^6 (10^7 with --full). density: total variation of the histogram"
            " from its law; equal: of two histograms of one law; shifted: error of the total variation of two laws s"
            " apart. Columns _se: standard errors."
        ),
        cells=_cells,
        measure=_measure,
        findings=_findings,
        draw=_draw,
        table=_tables,
    ),
)
