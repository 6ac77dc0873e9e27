"""How often auditors cry wolf and how tight they get, on pairs of laws whose privacy is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from ndis_verify.audit.histogram import audit_by_methods
from ndis_verify.audit.limits import clopper_pearson_upper
from ndis_verify.audit.set_limits import ScoreAudit

GUARANTEED = ("best-set", "family", "dkw", "tv", "threshold")
BASELINES = ("threshold-jeffreys", "gdp", "credible")
FALSE_ALARM = 1e-6
_SLOW = {"credible": 20, "gdp": 200}  # repetitions that have to be enough
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class Case:
    """A pair of laws: `draw(rng, n)` gives n scores of P and n of Q; `deltas` and `epsilons` are its privacy.

    deltas: {epsilon: delta}, epsilons: {delta: epsilon}, the larger of both orders, as upper ends of certified values.
    """

    name: str
    draw: Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
    deltas: Mapping[float, float]
    epsilons: Mapping[float, float]

    def exceeded(self, found: ScoreAudit) -> bool:
        """Whether any of the limits, along the whole profile, is above the truth."""
        wrong = any(found.delta(eps) > delta for eps, delta in self.deltas.items())
        return wrong or any(found.epsilon(delta) > eps for delta, eps in self.epsilons.items())


@dataclass(frozen=True)
class Validity:
    """How often a limit at `confidence` was above the truth anywhere on the profile.

    `highest`: upper limit of the rate at confidence 0.99 (Clopper-Pearson). `verdict`: "at most" where that is at most
    1 - confidence; "above" where so many or more have a chance of at most the stated false alarm at the rate
    1 - confidence; else "consistent".
    """

    case: str
    method: str
    n: int
    runs: int
    exceeded: int
    highest: float
    verdict: str


@dataclass(frozen=True)
class Power:
    """The mean limit of epsilon at `delta`, over the true epsilon."""

    case: str
    method: str
    n: int
    runs: int
    delta: float
    mean: float
    true: float

    @property
    def share(self) -> float:
        """mean / true."""
        return self.mean / self.true


def judged(case: str, method: str, n: int, runs: int, exceeded: int, failure: float, cells: int = 1) -> Validity:
    """`Validity` of `exceeded` limits above the truth in `runs`; the false alarm 1e-6 is shared by `cells` such judgements."""
    highest = float(clopper_pearson_upper(exceeded, runs, 0.01))
    surprising = exceeded > 0 and binom.sf(exceeded - 1, runs, failure) <= FALSE_ALARM / cells
    verdict = "above" if surprising else "at most" if highest <= failure else "consistent"
    return Validity(case, method, n, runs, exceeded, highest, verdict)


def run_study(
    cases: Sequence[Case],
    repetitions: Mapping[int, int],
    *,
    methods: Sequence[str] = GUARANTEED + BASELINES,
    delta: float = 1e-5,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[list[Validity], list[Power]]:
    """Audit every case `repetitions[n]` times with n scores of each law: validity and power of every method, on the same draws.

    Sets are chosen for `delta`. The same seed gives the same rows, whatever other cases or sizes are run. The methods that
    read Gaussian curves are slow and run on the first draws only ("gdp" 200, "credible" 20).
    """
    validity, power = [], []
    done, total = 0, len(cases) * sum(repetitions.values())
    cells = len(cases) * len(repetitions) * len(methods)

    def step(count: int, name: str, n: int) -> None:
        if progress is not None:
            progress(count, total, f"{name}, n = {n}")

    for case in cases:
        for n, runs in repetitions.items():
            above, limits = _repeated(case, n, runs, methods, delta, confidence, seed, lambda k: step(done + k, case.name, n))
            done += runs
            validity += [judged(case.name, m, n, len(limits[m]), above[m], 1 - confidence, cells) for m in methods]
            if case.epsilons[delta] > 0:
                power += [Power(case.name, m, n, len(limits[m]), delta, float(np.mean(limits[m])), case.epsilons[delta]) for m in methods]
    return validity, power


def _repeated(
    case: Case, n: int, runs: int, methods: Sequence[str], delta: float, confidence: float, seed: int, step: Callable[[int], None]
) -> tuple[dict[str, int], dict[str, list[float]]]:
    """For each method, how many limits were above the truth, and the limits of epsilon at `delta`."""
    rng = np.random.default_rng([seed, n, *case.name.encode()])
    above, limits = dict.fromkeys(methods, 0), {method: [] for method in methods}
    for run in range(runs):
        wanted = [method for method in methods if run < _SLOW.get(method, runs)]
        for method, audit in audit_by_methods(*case.draw(rng, n), wanted, delta=delta, confidence=confidence).items():
            above[method] += case.exceeded(audit)
            limits[method].append(float(audit.epsilon(delta)))
        step(run + 1)
    return above, limits


def validity_table(rows: Sequence[Validity]) -> str:
    """Markdown: limits above the truth over runs, with the verdict where it is not "at most"."""
    cells = {}
    for row in rows:
        mark = {"at most": "", "consistent": " (?)", "above": " **above**"}[row.verdict]
        cells[row.case, row.n, row.method] = f"{row.exceeded}/{row.runs}{mark}"
    return _table(cells)


def power_table(rows: Sequence[Power]) -> str:
    """Markdown: mean limit of epsilon over the true epsilon."""
    return _table({(row.case, row.n, row.method): f"{row.share:.3f}" for row in rows})


def _table(cells: Mapping[tuple[str, int, str], Any]) -> str:
    methods = list(dict.fromkeys(method for _, _, method in cells))
    lines = ["| case | n | " + " | ".join(methods) + " |", "|---|---:|" + "---|" * len(methods)]
    for case, n in dict.fromkeys((case, n) for case, n, _ in cells):
        lines.append(f"| {case} | {n} | " + " | ".join(str(cells[case, n, method]) for method in methods) + " |")
    return "\n".join(lines)
